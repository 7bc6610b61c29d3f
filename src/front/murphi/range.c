// SPDX-License-Identifier: Apache-2.0
// Ranges that are read as scalarsets: `NODE : 1..N` whose numbers are only copied, compared for equality and used as
// indices.
//
// Whether a range is used so is what the checker of types says when the file is read once more with a scalarset in its
// place: a number, a sum, a comparison by order, another range that it meets are mistakes then. The few things that
// scalarsets and ranges both may do, and do differently (`clear`, comparing what is undefined), are told apart by
// type_info.is_range. A range without a name is the same one if it is written with the same constants: then it grows
// with it; one that is written with numbers alone stays a range.
#include "front/murphi/lower.h"

enum { MOST_TRIED = 16 };  // ranges: each is one more reading

// ---- in the lowering

// Is a name in it, and do all names mean what they mean at the top of the file?
static bool names_globals(lowering *l, const murphi_node *n, bool *has_name) {
    if (n->kind == MX_NAME) {
        const symbol *s = murphi_find(l, n->name);
        *has_name = true;
        return s && s < l->names.data + l->nglobals;
    }
    for (uint32_t i = 0; i < n->nkids; i++)
        if (!names_globals(l, n->kids[i], has_name)) return false;
    return true;
}

static bool same_text(const murphi_node *a, const murphi_node *b) {
    if (a->kind != b->kind || a->nkids != b->nkids || a->number != b->number) return false;
    if (a->kind == MX_NAME && !str_same(a->name, b->name)) return false;
    for (uint32_t i = 0; i < a->nkids; i++)
        if (!same_text(a->kids[i], b->kids[i])) return false;
    return true;
}

static const murphi_type *same_range(lowering *l, const murphi_node *n) {
    bool has_name = false;
    if (!l->ranges.len || !names_globals(l, n, &has_name) || !has_name) return NULL;
    for (uint32_t i = 0; i < l->ranges.len; i++)
        if (same_text(l->ranges.data[i].bounds, n)) return l->ranges.data[i].ty;
    return NULL;
}

static bool is_wanted(const lowering *l, const char *name) {
    for (uint32_t i = 0; i < l->options->nnames_only && l->is_declaring; i++)
        if (str_same(l->options->names_only[i], name)) return true;
    return false;
}

const murphi_type *murphi_range_sort(lowering *l, const murphi_node *n, const char *name, int64_t low, int64_t high) {
    if (!*name) return same_range(l, n);
    if (!is_wanted(l, name)) return NULL;
    if (high - low >= 64) {
        murphi_error(l, n->at, "a range of more than 64 numbers");
        return NULL;
    }
    type sort = murphi_add_sort(l, name, (uint32_t)(high - low + 1), n->at);
    l->m->types.data[sort.id].is_range = true;
    named_range r = {n, murphi_simple(l, sort)};
    vec_push(&l->ranges, r);
    return r.ty;
}

bool murphi_is_range_sort(const lowering *l, const murphi_node *n) {
    const murphi_type *ty = n->kind == MT_RANGE ? n->memo : NULL;
    return ty && type_of(l->m, ty->simple)->kind == TYPE_SORT;
}

// ---- trying

typedef struct {
    const char *path, *text;
    size_t size;
    murphi_options options;
    arena *memory;
} attempt;

typedef VEC(const char *) range_names;

// Declared at the top of the file.
static void declared_ranges(const attempt *a, range_names *out) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    murphi_list parts = {0};
    uint32_t file = diag_add_file(messages, a->path, a->text, a->size);
    murphi_parse(m, file, a->text, a->size, !a->options.copies_undefined, &parts);
    for (uint32_t i = 0; i < parts.len && out->len < MOST_TRIED; i++)
        if (parts.data[i]->kind == MD_TYPE && parts.data[i]->kids[0]->kind == MT_RANGE)
            vec_push(out, arena_str(a->memory, parts.data[i]->name));
    vec_free(&parts);
    model_free(m);
    diag_free(messages);
}

static const char *first_mistake(const attempt *a, const diag *messages) {
    for (uint32_t i = 0; i < diag_count(messages); i++) {
        diag_message x = diag_get(messages, i);
        if (x.level == DIAG_ERROR) return arena_printf(a->memory, "line %u: %s", diag_line(messages, x.at), x.text);
    }
    return "it is too large";
}

// NULL: with these as scalarsets there is no mistake.
static const char *try_ranges(attempt *a, const range_names *names) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    a->options.names_only = names->data;
    a->options.nnames_only = names->len;
    bool ok = murphi_read_text(m, a->path, a->text, a->size, &a->options, &system);
    const char *why = ok ? NULL : first_mistake(a, messages);
    model_free(m);
    diag_free(messages);
    return why;
}

static bool range_is_named(const char *const only[2], const char *name) {
    for (uint32_t i = 0; i < 2 && only[i]; i++)
        if (str_same(only[i], name)) return true;
    return !only[0];
}

murphi_ranges murphi_find_ranges(const char *path, const char *text, size_t size, const murphi_options *options,
                                 const char *const only[2], arena *memory) {
    attempt a = {path, text, size, *options, memory};
    range_names declared = {0}, found = {0};
    murphi_ranges r = {0};
    declared_ranges(&a, &declared);
    for (uint32_t i = 0; i < declared.len; i++) {
        if (!range_is_named(only, declared.data[i])) continue;
        vec_push(&found, declared.data[i]);
        const char *why = try_ranges(&a, &found);
        if (!why) continue;
        if (!r.refused) r.refused = declared.data[i], r.why = why;
        found.len--;
    }
    r.names = arena_copy(memory, found.data, found.len * sizeof *found.data);
    r.n = found.len;
    vec_free(&declared);
    vec_free(&found);
    return r;
}
