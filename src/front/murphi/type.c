// SPDX-License-Identifier: Apache-2.0
// Types of Murphi, and the functions that variables become: one for each simple part ("leaf"), with the
// index types on the way to it as arguments. A multiset is an array over slots, with one leaf more that says which
// slots are taken; the model knows it for a multiset, so states in which slots have changed places are the same.
#include "front/murphi/lower.h"

#include "model/instance.h"

#include <string.h>

static murphi_type *murphi_new_type(lowering *l, murphi_shape shape) {
    murphi_type *t = arena_alloc(l->m->memory, sizeof *t);
    t->shape = shape;
    t->nleaves = t->nparts = 1;
    return t;
}

const murphi_type *murphi_simple(lowering *l, type simple) {
    murphi_type *t = murphi_new_type(l, SHAPE_SIMPLE);
    t->simple = simple;
    return t;
}

// ---- simple types

static const murphi_type *resolve_range(lowering *l, const murphi_node *n, const char *name) {
    int64_t low, high;
    if (!murphi_constant(l, n->kids[0], &low) || !murphi_constant(l, n->kids[1], &high)) return NULL;
    if (low > high) {
        murphi_error(l, n->at, "this range is empty: %lld is more than %lld", (long long)low, (long long)high);
        return NULL;
    }
    const murphi_type *sort = murphi_range_sort(l, n, name, low, high);
    return sort ? sort : murphi_simple(l, model_range(l->m, murphi_cut(low), murphi_cut(high), n->at));
}

static const murphi_type *resolve_enum(lowering *l, const murphi_node *n, const char *name) {
    const char **literals = arena_alloc(l->m->memory, (n->nkids + 1) * sizeof *literals);
    if (n->nkids == 0) {
        murphi_error(l, n->at, "an enumeration needs at least one name");
        return NULL;
    }
    for (uint32_t i = 0; i < n->nkids; i++) literals[i] = n->kids[i]->name;
    type_info info = {.kind = TYPE_ENUM, .name = name, .at = n->at, .literals = literals, .nliterals = n->nkids};
    return murphi_simple(l, model_add_type(l->m, info));
}

type murphi_add_sort(lowering *l, const char *name, uint32_t size, span at) {
    return model_add_type(l->m, (type_info){.kind = TYPE_SORT, .name = name, .at = at, .fixed_size = size});
}

static bool scalar_size(lowering *l, const murphi_node *n, int64_t *size) {
    if (!murphi_constant(l, n, size)) return false;
    if (*size > 0 && *size <= 64) return true;
    murphi_error(l, n->at, "%lld elements: between 1 and 64 are possible", (long long)*size);
    return false;
}

static const char *anonymous(lowering *l, const char *name) {
    return *name ? name : arena_printf(l->m->memory, "scalarset%u", l->m->types.len);
}

static const murphi_type *resolve_scalarset(lowering *l, const murphi_node *n, const char *name) {
    int64_t size;
    if (!scalar_size(l, n->kids[0], &size)) return NULL;
    return murphi_simple(l, murphi_add_sort(l, anonymous(l, name), (uint32_t)size, n->at));
}

typedef VEC(type) member_list;

static bool murphi_add_member(lowering *l, type t, span at, member_list *out) {
    const type_info *info = type_of(l->m, t);
    if (info->kind == TYPE_UNION) {
        for (uint32_t i = 0; i < info->nmembers; i++)
            if (!murphi_add_member(l, info->members[i], at, out)) return false;
        return true;
    }
    for (uint32_t i = 0; i < out->len; i++)
        if (type_same(out->data[i], t)) return true;
    if (info->kind != TYPE_ENUM && info->kind != TYPE_SORT) {
        murphi_error(l, at, "a union has scalarsets and enumerations as members");
        return false;
    }
    vec_push(out, t);
    return true;
}

static const murphi_type *resolve_union(lowering *l, murphi_node *n, const char *name) {
    member_list members = {0};
    bool ok = true;
    for (uint32_t i = 0; i < n->nkids && ok; i++) {
        const murphi_type *t = murphi_resolve(l, n->kids[i], "");
        if (t && t->shape != SHAPE_SIMPLE) murphi_error(l, n->kids[i]->at, "a member of a union is simple");
        ok = t && t->shape == SHAPE_SIMPLE && murphi_add_member(l, t->simple, n->kids[i]->at, &members);
    }
    type_info info = {.kind = TYPE_UNION, .name = *name ? name : "union", .at = n->at};
    info.members = arena_copy(l->m->memory, members.data, members.len * sizeof *members.data);
    info.nmembers = members.len;
    vec_free(&members);
    return ok ? murphi_simple(l, model_add_type(l->m, info)) : NULL;
}

// ---- records, arrays, multisets

// A variable of a larger type could not be part of any state; types that double at each step are refused early, also
// those whose records are empty.
static bool check_parts(lowering *l, const murphi_type *t, span at) {
    bool is_small = t->nleaves <= INSTANCE_MOST_CELLS && t->nparts <= 4 * INSTANCE_MOST_CELLS;
    if (!is_small) murphi_error(l, at, "a value of this type has more than %d cells", INSTANCE_MOST_CELLS);
    else if (t->nindices > MURPHI_MOST_INDICES) murphi_error(l, at, "more than %d indices", MURPHI_MOST_INDICES);
    return is_small && t->nindices <= MURPHI_MOST_INDICES;
}

static const murphi_type *resolve_record(lowering *l, murphi_node *n) {
    murphi_type *t = murphi_new_type(l, SHAPE_RECORD);
    murphi_field *fields = arena_alloc(l->m->memory, (n->nkids + 1) * sizeof *fields);
    t->fields = fields;
    t->nfields = n->nkids;
    t->scope = scopes_open(l->fields);
    t->nleaves = 0;
    for (uint32_t i = 0; i < n->nkids; i++) {
        const murphi_type *f = murphi_resolve(l, n->kids[i]->kids[0], "");
        if (!f) return NULL;
        if (!scopes_add(l->fields, t->scope, n->kids[i]->name, i)) {
            murphi_error(l, n->kids[i]->at, "a second field '%s'", n->kids[i]->name);
            return NULL;
        }
        fields[i] = (murphi_field){n->kids[i]->name, f, t->nleaves};
        t->nleaves += f->nleaves;
        t->nparts += f->nparts;
        if (f->nindices > t->nindices) t->nindices = f->nindices;
        if (!check_parts(l, t, n->at)) return NULL;
    }
    return t;
}

static const murphi_type *indexed(lowering *l, murphi_shape shape, type index, const murphi_type *element, span at) {
    murphi_type *t = murphi_new_type(l, shape);
    t->index = index;
    t->element = element;
    t->nleaves = element->nleaves + (shape == SHAPE_MULTISET);
    t->nindices = element->nindices + 1;
    t->nparts = element->nparts + 1;
    return check_parts(l, t, at) ? t : NULL;
}

static const murphi_type *resolve_array(lowering *l, murphi_node *n) {
    const murphi_type *index = murphi_resolve(l, n->kids[0], ""), *element = murphi_resolve(l, n->kids[1], "");
    if (!index || !element) return NULL;
    if (index->shape == SHAPE_SIMPLE) return indexed(l, SHAPE_ARRAY, index->simple, element, n->at);
    murphi_error(l, n->kids[0]->at, "an array is indexed by a simple type");
    return NULL;
}

static const murphi_type *resolve_multiset(lowering *l, murphi_node *n, const char *name) {
    int64_t size;
    const murphi_type *element = murphi_resolve(l, n->kids[1], "");
    if (!scalar_size(l, n->kids[0], &size) || !element) return NULL;
    const char *slots = arena_printf(l->m->memory, "%s_slot", *name ? name : anonymous(l, ""));
    type index = murphi_add_sort(l, slots, (uint32_t)size, n->at);
    l->m->types.data[index.id].is_slot = true;
    return indexed(l, SHAPE_MULTISET, index, element, n->at);
}

// ---- all of them

static const murphi_type *resolve_name(lowering *l, const murphi_node *n) {
    symbol *s = murphi_find(l, n->name);
    if (!s) murphi_unknown(l, "type", n->name, n->at);
    else if (s->kind != SYMBOL_TYPE) murphi_error(l, n->at, "'%s' is not a type", n->name);
    return s && s->kind == SYMBOL_TYPE ? s->ty : NULL;
}

static const murphi_type *resolve(lowering *l, murphi_node *n, const char *name) {
    switch (n->kind) {
    case MT_NAME: return resolve_name(l, n);
    case MT_BOOLEAN: return murphi_simple(l, l->m->bool_type);
    case MT_RANGE: return resolve_range(l, n, name);
    case MT_ENUM: return resolve_enum(l, n, name);
    case MT_SCALARSET: return resolve_scalarset(l, n, name);
    case MT_UNION: return resolve_union(l, n, name);
    case MT_RECORD: return resolve_record(l, n);
    case MT_ARRAY: return resolve_array(l, n);
    case MT_MULTISET: return resolve_multiset(l, n, name);
    default: return murphi_real_type(l, n);
    }
}

// A type that is written once is one type, however often its declaration is looked at.
const murphi_type *murphi_resolve(lowering *l, murphi_node *n, const char *name) {
    if (!n->memo) n->memo = resolve(l, n, name);
    return n->memo;
}

// ---- leaves

typedef struct {
    lowering *l;
    VEC(type) args;
    func *funcs;
    uint32_t nfuncs;
    bool is_scratch;
    span at;
} grower;

static void murphi_add_leaf(grower *g, type result, const char *name, const char *spelling, bool is_taken) {
    bool has_value = is_taken && !g->is_scratch;  // a slot is empty at the start, not undefined
    func_info info = {.name = name,
                      .spelling = spelling,
                      .at = g->at,
                      .args = g->args.data,
                      .nargs = g->args.len,
                      .result = result,
                      .may_be_undefined = !has_value,
                      .is_scratch = g->is_scratch,
                      .initial = has_value ? 0 : VALUE_UNDEFINED,
                      .owner = g->l->system};
    g->funcs[g->nfuncs++] = model_add_func(g->l->m, info);
}

static void add_leaves(grower *g, const murphi_type *ty, const char *name, const char *spelling);

static void add_multiset(grower *g, const murphi_type *ty, const char *name, const char *spelling) {
    model *m = g->l->m;
    bag_info bag = {.funcs = g->funcs + g->nfuncs, .nfuncs = ty->nleaves, .position = g->args.len};
    vec_push(&g->args, ty->index);
    murphi_add_leaf(g, m->bool_type, arena_printf(m->memory, "%s.taken", name),
                    arena_printf(m->memory, "%s taken", spelling), true);
    add_leaves(g, ty->element, name, spelling);
    g->args.len--;
    if (!g->is_scratch) vec_push(&sys_of(m, g->l->system)->bags, bag);
}

static void add_leaves(grower *g, const murphi_type *ty, const char *name, const char *spelling) {
    arena *memory = g->l->m->memory;
    switch (ty->shape) {
    case SHAPE_SIMPLE: murphi_add_leaf(g, ty->simple, name, spelling, false); return;
    case SHAPE_RECORD:
        for (uint32_t i = 0; i < ty->nfields; i++)
            add_leaves(g, ty->fields[i].ty, arena_printf(memory, "%s.%s", name, ty->fields[i].name),
                       arena_printf(memory, "%s.%s", spelling, ty->fields[i].name));
        return;
    case SHAPE_ARRAY:
        vec_push(&g->args, ty->index);
        add_leaves(g, ty->element, name, arena_printf(memory, "%s[]", spelling));
        g->args.len--;
        return;
    case SHAPE_MULTISET: add_multiset(g, ty, name, arena_printf(memory, "%s[]", spelling)); return;
    }
}

const func *murphi_leaves(lowering *l, const murphi_type *ty, const char *name, bool is_scratch, span at) {
    grower g = {.l = l, .is_scratch = is_scratch, .at = at};
    g.funcs = arena_alloc(l->m->memory, (ty->nleaves + 1) * sizeof *g.funcs);
    add_leaves(&g, ty, name, name);
    vec_free(&g.args);
    return g.funcs;
}

// ---- comparing and naming

static bool same_simple(const lowering *l, type a, type b) {
    return type_same(a, b) || (type_is_number(l->m, a) && type_is_number(l->m, b));
}

bool murphi_same_shape(const lowering *l, const murphi_type *a, const murphi_type *b) {
    if (a == b) return true;
    if (a->shape != b->shape) return false;
    if (a->shape == SHAPE_SIMPLE) return same_simple(l, a->simple, b->simple);
    if (a->shape != SHAPE_RECORD) return type_same(a->index, b->index) && murphi_same_shape(l, a->element, b->element);
    if (a->nfields != b->nfields) return false;
    for (uint32_t i = 0; i < a->nfields; i++)
        if (!str_same(a->fields[i].name, b->fields[i].name) || !murphi_same_shape(l, a->fields[i].ty, b->fields[i].ty))
            return false;
    return true;
}

static void murphi_simple_text(const lowering *l, type t, str *out) {
    const type_info *info = type_of(l->m, t);
    if (info->kind == TYPE_BOOL) str_add(out, "a boolean");
    else if (info->kind == TYPE_RANGE) str_add(out, "a number");
    else if (info->kind == TYPE_REAL) str_add(out, "a real number");
    else if (*info->name) str_printf(out, "a value of '%s'", info->name);
    else str_printf(out, "one of %s, …", info->literals[0]);
}

void murphi_type_text(const lowering *l, const murphi_type *ty, str *out) {
    switch (ty->shape) {
    case SHAPE_SIMPLE: murphi_simple_text(l, ty->simple, out); return;
    case SHAPE_RECORD: str_add(out, "a record"); return;
    case SHAPE_ARRAY: str_add(out, "an array"); return;
    case SHAPE_MULTISET: str_add(out, "a multiset"); return;
    }
}
