// SPDX-License-Identifier: Apache-2.0
// A Murphi file as a whole: parse, declare, lower the rules, find out what always has a value.
#include "front/murphi/lower.h"
#include "model/copies.h"

#include <string.h>

// ---- declarations

static void murphi_read_declare_const(lowering *l, const murphi_node *d) {
    murphi_wide large;
    const front_define *given = front_defined(l->options->defines, l->options->ndefines, d->name);
    if (!given && murphi_fold(l, d->kids[0], &large) && murphi_is_large(large)) {
        murphi_declare(l,
                       (symbol){.name = d->name, .kind = SYMBOL_VALUE, .at = d->at, .is_large = true, .large = large});
        return;
    }
    murphi_declare_const(l, d, given ? murphi_int(l, given->value) : murphi_value(l, d->kids[0]));
}

static void murphi_declare_var(lowering *l, const murphi_node *d) {
    bool has_sort = d->kids[0]->kind == MT_MULTISET || d->kids[0]->kind == MT_SCALARSET;
    const murphi_type *ty = murphi_resolve(l, d->kids[0], has_sort ? d->name : "");
    murphi_declare_literals(l, d->kids[0]);
    if (!ty) return;
    const func *funcs = murphi_leaves(l, ty, d->name, false, d->at);
    murphi_declare_place(l, d->name, (place){.ty = ty, .funcs = funcs}, d->at);
}

static void declare_function(lowering *l, const murphi_node *d) {
    for (uint32_t i = 0; i < d->nkids; i++) {
        if (i == 1 || i == 2 || !d->kids[i]) continue;
        murphi_node *t = i == 0 ? d->kids[0] : d->kids[i]->kids[0];
        murphi_resolve(l, t, "");
        murphi_declare_literals(l, t);
    }
    murphi_declare(l, (symbol){.name = d->name, .kind = SYMBOL_FUNCTION, .at = d->at, .decl = d});
}

static void murphi_read_declare(lowering *l, const murphi_node *d) {
    if (d->kind < MD_CONST || d->kind > MD_FUNCTION || murphi_is_known(l, d)) return;
    l->is_declaring = true;
    if (d->kind == MD_CONST) murphi_read_declare_const(l, d);
    else if (d->kind == MD_TYPE) murphi_declare_type(l, d);
    else if (d->kind == MD_VAR) murphi_declare_var(l, d);
    else declare_function(l, d);
    l->is_declaring = false;
    l->nglobals = l->floor = l->names.len;
}

static void murphi_check_defines(lowering *l, const murphi_list *parts) {
    for (uint32_t i = 0; i < l->options->ndefines; i++) {
        bool found = false;
        for (uint32_t k = 0; k < parts->len; k++)
            found |= parts->data[k]->kind == MD_CONST && str_same(parts->data[k]->name, l->options->defines[i].name);
        if (!found) murphi_error(l, (span){0}, "--define: the model has no constant '%s'", l->options->defines[i].name);
    }
}

// ---- functions that nobody calls are looked at too, so that mistakes in them are found

static void check_function(lowering *l, const murphi_node *d) {
    stmt_list dropped = {0};
    uint32_t scope = l->names.len, floor = l->floor;
    frame f = {.is_function = true, .result_type = d->kids[0] ? d->kids[0]->memo : NULL};
    murphi_begin_body(l);
    l->out = &dropped;
    l->floor = scope;
    vec_push(&l->calls, d);
    for (uint32_t i = 3; i < d->nkids; i++) {
        const murphi_type *ty = d->kids[i]->kids[0]->memo;
        if (!ty) continue;
        place p = murphi_temp(l, ty, d->kids[i]->at);
        p.is_constant = !d->kids[i]->is_var;
        murphi_declare_place(l, d->kids[i]->name, p, d->kids[i]->at);
    }
    if (f.result_type) f.result = murphi_temp(l, f.result_type, d->at);
    murphi_body(l, d->kids[2], d->kids[1], &f);
    l->calls.len = 0;
    murphi_leave(l, scope);
    l->floor = floor;
    l->out = NULL;
    vec_free(&dropped);
}

// ---- constants that say more than the size of a scalarset

static bool is_sort(const lowering *l, const murphi_node *n) {
    return n->kind == MT_SCALARSET || murphi_is_range_sort(l, n);
}

typedef struct {
    const murphi_list *parts;
    map *said;                      // constants that the size at hand is made of
    map *used, *in_ranges, *sizes;  // how often a name is: in other places, in bounds of ranges, in sizes of scalarsets
} size_names;

static void add_uses(const lowering *l, const murphi_node *n, const size_names *x, map *into) {
    if (!n) return;
    if (n->kind == MX_NAME) map_put_str(into, n->name, map_get_str(into, n->name, 0) + 1);
    map *below = is_sort(l, n) ? x->sizes : n->kind == MT_RANGE ? x->in_ranges : into;
    for (uint32_t i = 0; i < n->nkids; i++) add_uses(l, n->kids[i], x, below);
}

static bool is_used_elsewhere(const map *used, const murphi_node *size) {
    if (size->kind == MX_NAME && map_get_str(used, size->name, 0)) return true;
    for (uint32_t i = 0; i < size->nkids; i++)
        if (is_used_elsewhere(used, size->kids[i])) return true;
    return false;
}

// The constant that is the number of elements: scalarset(N), 1..N.
static const char *size_of_sort(const murphi_node *n) {
    const murphi_node *last = n->kids[n->nkids - 1];
    bool is_whole = n->kind == MT_SCALARSET || (n->kids[0]->kind == MX_NUMBER && n->kids[0]->number == 1);
    return is_whole && last->kind == MX_NAME ? last->name : NULL;
}

// Ranges with the same bounds are one type: what is said of it must be so wherever it is written.
static void note_end(lowering *l, const murphi_node *n, type_info *range) {
    bool is_named = n->kids[0]->kind == MX_NUMBER && n->kids[1]->kind == MX_NAME;
    const char *name = is_named ? arena_str(l->m->memory, n->kids[1]->name) : "";
    range->size_name = range->size_name && !str_same(range->size_name, name) ? "" : name;
}

// ---- constants that such a constant is made of: const M : 3; N : M

static const murphi_node *definition_of(const size_names *x, const murphi_node *n) {
    for (uint32_t i = 0; n->kind == MX_NAME && i < x->parts->len; i++)
        if (x->parts->data[i]->kind == MD_CONST && str_same(x->parts->data[i]->name, n->name))
            return x->parts->data[i]->kids[0];
    return NULL;
}

static uint32_t count_name(const murphi_node *n, const char *name) {
    uint32_t found = n->kind == MX_NAME && str_same(n->name, name);
    for (uint32_t i = 0; i < n->nkids; i++) found += n->kids[i] ? count_name(n->kids[i], name) : 0;
    return found;
}

static bool is_used_beside(const size_names *x, const char *name, const murphi_node *definition) {
    uint32_t n = map_get_str(x->used, name, 0) + map_get_str(x->in_ranges, name, 0) + map_get_str(x->sizes, name, 0);
    return n > count_name(definition, name);
}

// `within`: the definition that n is part of; NULL: the size itself. One that is used elsewhere keeps its value there.
static void add_size_given(lowering *l, const size_names *x, const murphi_node *n, const murphi_node *within,
                           str *out) {
    const murphi_node *own = definition_of(x, n);
    int64_t v;
    if (within && own && !map_get_str(x->said, n->name, 0) && is_used_beside(x, n->name, within) &&
        murphi_constant(l, n, &v))
        str_printf(out, "%s%s=%lld", out->len ? ", " : "", n->name, (long long)v);
    if (own && map_put_str(x->said, n->name, 1)) add_size_given(l, x, own, own, out);
    for (uint32_t i = 0; i < n->nkids; i++) add_size_given(l, x, n->kids[i], within, out);
}

static void note_given(lowering *l, const size_names *x, const murphi_node *n, type_info *sort) {
    str text = {0};
    size_names own = *x;
    own.said = map_new();
    for (uint32_t i = 0; i < n->nkids; i++) add_size_given(l, &own, n->kids[i], NULL, &text);
    map_free(own.said);
    if (text.len) sort->size_given = arena_str(l->m->memory, str_get(&text));
    str_free(&text);
}

static void note_sizes(lowering *l, const size_names *x, const murphi_node *n) {
    if (!n) return;
    const murphi_type *ty = n->memo;
    type_info *info = ty && (is_sort(l, n) || n->kind == MT_RANGE) ? &l->m->types.data[ty->simple.id] : NULL;
    for (uint32_t i = 0; i < n->nkids && info && is_sort(l, n); i++) {
        info->size_is_used |= is_used_elsewhere(x->used, n->kids[i]);
        info->size_in_ranges |= is_used_elsewhere(x->in_ranges, n->kids[i]);
    }
    if (info && is_sort(l, n)) note_given(l, x, n, info);
    if (info && is_sort(l, n) && size_of_sort(n)) info->size_name = arena_str(l->m->memory, size_of_sort(n));
    if (info && !is_sort(l, n)) note_end(l, n, info);
    for (uint32_t i = 0; i < n->nkids && info && !is_sort(l, n); i++)
        info->is_size |= is_used_elsewhere(x->sizes, n->kids[i]);
    for (uint32_t i = 0; i < n->nkids; i++) note_sizes(l, x, n->kids[i]);
}

static void note_all_sizes(lowering *l, const murphi_list *parts) {
    size_names x = {parts, NULL, map_new(), map_new(), map_new()};
    for (uint32_t i = 0; i < parts->len; i++) add_uses(l, parts->data[i], &x, x.used);
    for (uint32_t i = 0; i < parts->len; i++) note_sizes(l, &x, parts->data[i]);
    map_free(x.used);
    map_free(x.in_ranges);
    map_free(x.sizes);
}

// Rumur accepts a model without one: there is no state then, while a system without starts would begin as declared.
static void add_impossible_start(lowering *l) {
    span at = sys_of(l->m, l->system)->at;
    diag_warning(l->m->messages, at, "the model has no startstate, so nothing is reached");
    rule_info info = {.name = "startstate", .at = at, .body = model_assume(l->m, l->m->false_expr, at)};
    rule r = model_add_rule(l->m, info);
    vec_push(&sys_of(l->m, l->system)->inits, r);
}

// ---- all of it

// Mistakes of the text are known: what is found here comes on top of them.
static void lower_all(lowering *l, const murphi_list *parts) {
    uint32_t before = diag_errors(l->m->messages);
    murphi_check_defines(l, parts);
    for (uint32_t i = 0; i < parts->len; i++) murphi_read_declare(l, parts->data[i]);
    if (diag_errors(l->m->messages) > before) return;
    for (uint32_t i = 0; i < parts->len; i++)
        if (parts->data[i]->kind == MD_FUNCTION) check_function(l, parts->data[i]);
    if (diag_errors(l->m->messages) > before) return;
    l->is_collecting = true;
    murphi_rules(l, parts->data, parts->len);
    l->is_collecting = false;
    murphi_rules(l, parts->data, parts->len);
    murphi_add_covers(l);
    note_all_sizes(l, parts);
    if (!sys_of(l->m, l->system)->inits.len && !diag_failed(l->m->messages)) add_impossible_start(l);
}

static void lowering_free(lowering *l) {
    for (uint32_t i = 0; i < l->temps.len; i++) vec_free(&l->temps.data[i].leaves);
    vec_free(&l->temps);
    murphi_callees_free(l);
    vec_free(&l->summaries);
    map_free(l->summary_of);
    map_free(l->pure);
    map_free(l->where);
    vec_free(&l->nevers);
    vec_free(&l->names);
    vec_free(&l->ranges);
    vec_free(&l->slots);
    vec_free(&l->calls);
    vec_free(&l->rule_aliases);
    vec_free(&l->params);
    vec_free(&l->guards);
    vec_free(&l->assumes);
    vec_free(&l->covers);
    map_free(l->last_of);
    scopes_free(l->fields);
    map_free(l->rule_names);
}

// Lemmas, alone or in rulesets: nothing that changes the model.
static void expect_lemmas(model *m, const murphi_node *n) {
    bool is_group = n->kind == MR_RULESET || n->kind == MR_RULES;
    if (!is_group && n->kind != MR_LEMMA) diag_error(m->messages, n->at, "only lemmas are expected in this file");
    for (uint32_t i = 0; n->kind == MR_RULES && i < n->nkids; i++) expect_lemmas(m, n->kids[i]);
    if (n->kind == MR_RULESET) expect_lemmas(m, n->kids[n->nkids - 1]);
}

static bool parse_lemmas(model *m, const char *name, const char *text, size_t size, bool is_octal, murphi_list *parts) {
    uint32_t before = parts->len, file = diag_add_file(m->messages, name, text, size);
    bool ok = murphi_parse(m, file, text, size, is_octal, parts);
    for (uint32_t i = before; ok && i < parts->len; i++) expect_lemmas(m, parts->data[i]);
    return ok && !diag_failed(m->messages);
}

// Further lemmas: in a file of their own, and in memory.
static bool read_lemmas(model *m, const murphi_options *o, bool is_octal, murphi_list *parts) {
    size_t size;
    const char *text = o->lemmas ? front_read_file(m, o->lemmas, &size) : NULL;
    if (o->lemmas && (!text || !parse_lemmas(m, o->lemmas, text, size, is_octal, parts))) return false;
    return !o->lemma_text || parse_lemmas(m, "lemmas", o->lemma_text, strlen(o->lemma_text), is_octal, parts);
}

bool murphi_read_text(model *m, const char *path, const char *text, size_t size, const murphi_options *options,
                      sys *system) {
    uint32_t file = diag_add_file(m->messages, path, text, size);
    murphi_list parts = {0};
    *system = model_add_system(m, front_base_name(m, path), (span){file, 0, 0});
    sys_of(m, *system)->is_imperative = true;
    bool is_octal = !options->copies_undefined;
    murphi_parse(m, file, text, size, is_octal, &parts);
    uint32_t syntax = diag_errors(m->messages);
    if (read_lemmas(m, options, is_octal, &parts) || diag_errors(m->messages) == syntax) {
        lowering l = {.m = m, .options = options, .system = *system};
        l.last_of = map_new();
        l.rule_names = map_new();
        l.fields = scopes_new();
        l.callee_of = map_new();
        l.body_of = map_new();
        l.weights = map_new();
        l.summary_of = map_new();
        l.pure = map_new();
        l.where = map_new();
        l.recursive = map_new();
        lower_all(&l, &parts);
        if (!diag_failed(m->messages)) expr_all_shallow(m);
        lowering_free(&l);
    }
    vec_free(&parts);
    if (diag_failed(m->messages)) return false;
    for (uint32_t i = 0; i < sys_of(m, *system)->rules.len; i++) {
        rule r = sys_of(m, *system)->rules.data[i];
        m->rules.data[r.id].body = copies_propagate(m, r);
    }
    murphi_find_defined(m, *system);
    return true;
}

bool murphi_read(model *m, const char *path, const murphi_options *options, sys *system) {
    size_t size;
    const char *text = front_read_file(m, path, &size);
    return text && murphi_read_text(m, path, text, size, options, system);
}
