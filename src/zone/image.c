// SPDX-License-Identifier: Apache-2.0
// Images under permutations: see image.h.
#include "zone/image.h"

#include "base/str.h"
#include "model/expr.h"

#include <assert.h>
#include <string.h>

// One permutation.
typedef struct {
    const id_class *c;
    int32_t v, w;  // the values that change places; equal: nothing changes
    uint32_t *funcs, *clocks, *processes, *types, *atoms;  // UINT32_MAX: without image
    uint32_t *memo;                                        // of expressions without variables
    bool is_known;                                         // every function, clock and process has an image
} swap;

typedef struct {
    type ty;
    uint32_t number;
    var v;
} canonical_var;

struct image {
    const instance *in;
    model *m;
    const sys_info *system;
    const timed_info *t;
    const slots *s;
    const names *by_name;
    uint32_t nexprs, nvars, ntypes;
    swap identity, current;
    map *rules;           // by name: the first of that name
    uint32_t *next_rule;  // of the same name; UINT32_MAX
    uint32_t *var_to;     // parameters of the rule looked at: ids of canonical variables
    VEC(canonical_var) pool;
    uint32_t depth;  // of binders
    arena *memory;   // of the comparison of two rules
    bool failed;     // there is no image
    span why;
};

// ---- permutations

static int32_t moved(const swap *p, int32_t x) { return x == p->v ? p->w : x == p->w ? p->v : x; }

static bool moves_slot(const swap *p, uint32_t slot) {
    return slot != SLOT_NONE && p->v != p->w && p->c->slots[slot];
}

// The parts of a name with its numbers permuted.
static name_parts moved_parts(const image *g, const swap *p, const name_parts *parts, bool is_clock) {
    name_parts out = *parts;
    for (uint32_t i = 0; i < parts->nargs; i++) {
        bool moves = i < parts->nparams
                         ? parts->family != UINT32_MAX && p->v != p->w && p->c->params[parts->family] >> i & 1
                         : is_clock && moves_slot(p, slots_root(g->s, g->s->clock_slot[parts->group] + i));
        if (moves) out.args[i] = moved(p, parts->args[i]);
    }
    return out;
}

static bool same_signature(const image *g, const swap *p, uint32_t a, uint32_t b) {
    const func_info *x = &g->m->funcs.data[a], *y = &g->m->funcs.data[b];
    if (x->nargs != y->nargs || x->is_scratch != y->is_scratch) return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!type_same(x->args[i], y->args[i])) return false;
    if (type_same(x->result, y->result)) return true;
    p->types[x->result.id] = y->result.id;
    return type_of(g->m, x->result)->kind == TYPE_ENUM && type_of(g->m, y->result)->kind == TYPE_ENUM &&
           type_known_size(g->m, x->result) == type_known_size(g->m, y->result);
}

static void map_names(const image *g, swap *p) {
    p->is_known = true;
    for (uint32_t i = 0; i < g->ntypes; i++) p->types[i] = i;
    for (uint32_t i = 1; i < g->m->funcs.len; i++) {
        name_parts to = moved_parts(g, p, &g->by_name->funcs[i], false);
        p->funcs[i] = names_func(g->by_name, &to);
        if (p->funcs[i] == UINT32_MAX || !same_signature(g, p, i, p->funcs[i])) p->is_known = false;
    }
    p->clocks[0] = 0;
    for (uint32_t i = 1; i < g->t->clocks.len; i++) {
        name_parts to = moved_parts(g, p, &g->by_name->clocks[i], true);
        p->clocks[i] = names_clock(g->by_name, &to);
        p->is_known &= p->clocks[i] != UINT32_MAX;
    }
    for (uint32_t i = 0; i < g->t->processes.len; i++) {
        name_parts to = moved_parts(g, p, &g->by_name->processes[i], false);
        p->processes[i] = names_process(g->by_name, &to);
        p->is_known &= p->processes[i] != UINT32_MAX;
    }
}

static void swap_init(image *g, swap *p) {
    p->funcs = mem_zero(g->m->funcs.len + 1, sizeof *p->funcs);
    p->clocks = mem_zero(g->t->clocks.len + 1, sizeof *p->clocks);
    p->processes = mem_zero(g->t->processes.len + 1, sizeof *p->processes);
    p->types = mem_zero(g->ntypes + 1, sizeof *p->types);
    p->atoms = mem_zero(g->t->atoms.len + 1, sizeof *p->atoms);
    p->memo = mem_zero(g->nexprs, sizeof *p->memo);
}

static void swap_free(swap *p) {
    free(p->funcs);
    free(p->clocks);
    free(p->processes);
    free(p->types);
    free(p->atoms);
    free(p->memo);
}

// ---- expressions

static var canonical(image *g, type ty, uint32_t number) {
    for (uint32_t i = 0; i < g->pool.len; i++)
        if (g->pool.data[i].number == number && type_same(g->pool.data[i].ty, ty)) return g->pool.data[i].v;
    var v = model_add_var(g->m, "any", ty, (span){0});
    vec_push(&g->pool, (canonical_var){ty, number, v});
    return v;
}

static expr fail(image *g, span at) {
    if (!g->failed) g->why = at;
    g->failed = true;
    return g->m->true_expr;
}

static expr image_of(image *g, swap *p, expr e, uint32_t slot);

static expr constant_image(image *g, const swap *p, const expr_info *i, uint32_t slot) {
    value v = (value)i->ref;
    if (type_of(g->m, i->ty)->kind == TYPE_ENUM) return expr_const(g->m, (type){p->types[i->ty.id]}, v);
    if (!type_is_number(g->m, i->ty)) return expr_const(g->m, i->ty, v);
    if (moves_slot(p, slot)) v = moved(p, v);
    return expr_const(g->m, model_range(g->m, v, v, (span){0}), v);
}

static expr var_image(image *g, const swap *p, const expr_info *i) {
    for (uint32_t k = 0; k < g->t->atoms.len; k++)
        if (g->t->atoms.data[k].stands.id == i->ref) {
            if (p->atoms[k] == UINT32_MAX) return fail(g, i->at);
            return expr_var(g->m, g->t->atoms.data[p->atoms[k]].stands);
        }
    assert(i->ref < g->nvars);
    return g->var_to[i->ref] ? expr_var(g->m, (var){g->var_to[i->ref]}) : fail(g, i->at);
}

// A comparison with a constant by order must not tell the two values apart.
static expr order_image(image *g, swap *p, const expr_info *i) {
    bool left = expr_kind_of(g->m, i->args[0]) == E_CONST;
    expr c = i->args[left ? 0 : 1], e = i->args[left ? 1 : 0];
    value k;
    if (expr_is_const(g->m, c, &k) && moves_slot(p, slots_of(g->s, e))) {
        bool strict = i->kind == E_LT;
        bool v = left ? (strict ? k < p->v : k <= p->v) : (strict ? p->v < k : p->v <= k);
        bool w = left ? (strict ? k < p->w : k <= p->w) : (strict ? p->w < k : p->w <= k);
        if (v != w) return fail(g, i->at);
    }
    expr a = image_of(g, p, i->args[0], left ? SLOT_NONE : slots_of(g->s, e));
    expr b = image_of(g, p, i->args[1], left ? slots_of(g->s, e) : SLOT_NONE);
    return expr_arith(g->m, i->kind, a, b);
}

static int by_id(const void *a, const void *b) {
    uint32_t x = ((const expr *)a)->id, y = ((const expr *)b)->id;
    return (x > y) - (x < y);
}

typedef VEC(expr) expr_list;

// Sorted, unless the order can decide whether something faults.
static void sort_args(image *g, expr_list *list) {
    for (uint32_t i = 0; i < list->len; i++)
        if (expr_can_fault(g->m, list->data[i])) return;
    qsort(list->data, list->len, sizeof *list->data, by_id);
}

static expr junction_image(image *g, swap *p, const expr_info *i) {
    expr_list list = {0};
    for (uint32_t k = 0; k < i->nargs; k++) vec_push(&list, image_of(g, p, i->args[k], SLOT_NONE));
    sort_args(g, &list);
    expr e =
        i->kind == E_AND ? expr_and_all(g->m, list.data, list.len) : expr_or_all(g->m, list.data, list.len);
    vec_free(&list);
    return e;
}

static void terms_of(image *g, swap *p, expr e, expr_list *out) {
    const expr_info i = *expr_of(g->m, e);
    if (i.kind != E_ADD) {
        vec_push(out, image_of(g, p, e, SLOT_NUMBER));
        return;
    }
    terms_of(g, p, i.args[0], out);
    terms_of(g, p, i.args[1], out);
}

static expr sum_image(image *g, swap *p, expr e) {
    expr_list list = {0};
    terms_of(g, p, e, &list);
    sort_args(g, &list);
    expr sum = list.data[0];
    for (uint32_t i = 1; i < list.len; i++) sum = expr_arith(g->m, E_ADD, sum, list.data[i]);
    vec_free(&list);
    return sum;
}

static expr equation_image(image *g, swap *p, const expr_info *i) {
    uint32_t a = slots_of(g->s, i->args[0]), b = slots_of(g->s, i->args[1]), slot = a == SLOT_NONE ? b : a;
    expr x = image_of(g, p, i->args[0], slot), y = image_of(g, p, i->args[1], slot);
    return x.id < y.id ? expr_eq(g->m, x, y) : expr_eq(g->m, y, x);
}

static expr app_image(image *g, swap *p, const expr_info *i) {
    expr args[NAMES_MOST_ARGS];
    assert(i->nargs <= NAMES_MOST_ARGS);
    for (uint32_t k = 0; k < i->nargs; k++)
        args[k] = image_of(g, p, i->args[k], slots_argument(g->s, i->ref, k));
    return expr_app(g->m, (func){p->funcs[i->ref]}, args);
}

static expr binder_image(image *g, swap *p, const expr_info *i) {
    var v = canonical(g, var_of(g->m, (var){i->ref})->ty, UINT32_MAX - g->depth);
    uint32_t before = g->var_to[i->ref];
    g->var_to[i->ref] = v.id;
    g->depth++;
    expr body = image_of(g, p, i->args[0], SLOT_NONE);
    g->depth--;
    g->var_to[i->ref] = before;
    return expr_quantify(g->m, i->kind, v, body);
}

static expr ite_image(image *g, swap *p, const expr_info *i, uint32_t slot) {
    uint32_t own = slots_of(g->s, i->args[1]);
    if (own == SLOT_NONE) own = slots_of(g->s, i->args[2]);
    if (own == SLOT_NONE) own = slot;
    expr c = image_of(g, p, i->args[0], SLOT_NONE);
    expr a = image_of(g, p, i->args[1], own), b = image_of(g, p, i->args[2], own);
    return expr_ite(g->m, c, a, b);
}

static expr build(image *g, swap *p, expr e, const expr_info *i, uint32_t slot) {
    switch (i->kind) {
    case E_CONST: return constant_image(g, p, i, slot);
    case E_VAR: return var_image(g, p, i);
    case E_APP: return app_image(g, p, i);
    case E_NOT: return expr_not(g->m, image_of(g, p, i->args[0], SLOT_NONE));
    case E_AND:
    case E_OR: return junction_image(g, p, i);
    case E_IMPLIES:
        return expr_implies(g->m, image_of(g, p, i->args[0], SLOT_NONE),
                            image_of(g, p, i->args[1], SLOT_NONE));
    case E_EQ: return equation_image(g, p, i);
    case E_LT:
    case E_LE: return order_image(g, p, i);
    case E_ADD: return sum_image(g, p, e);
    case E_ITE: return ite_image(g, p, i, slot);
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: return binder_image(g, p, i);
    case E_SUB:
    case E_MUL:
    case E_DIV:
    case E_MOD:
    case E_NEG:
    case E_BITAND:
    case E_BITOR:
    case E_BITXOR:
    case E_BITNOT:
    case E_SHL:
    case E_SHR: {
        expr a = image_of(g, p, i->args[0], SLOT_NUMBER);
        expr b = i->nargs > 1 ? image_of(g, p, i->args[1], SLOT_NUMBER) : a;
        return expr_arith(g->m, i->kind, a, b);
    }
    default: return fail(g, i->at);  // unions, definitions: no timed model has them
    }
}

// Constants take the meaning of the slot that they are used with; elsewhere it does not matter.
static expr image_of(image *g, swap *p, expr e, uint32_t slot) {
    const expr_info i = *expr_of(g->m, e);
    if (g->failed) return g->m->true_expr;
    bool keeps = !i.free_mask && i.kind != E_CONST && i.kind != E_ITE;
    if (keeps && p->memo[e.id]) return (expr){p->memo[e.id]};
    expr out = build(g, p, e, &i, slot);
    if (keeps && !g->failed) p->memo[e.id] = out.id;
    return out;
}

static expr image_if(image *g, swap *p, expr e) { return e.id ? image_of(g, p, e, SLOT_NONE) : e; }

// ---- statements

typedef VEC(const stmt *) stmt_list;

static void put_stmt(image *g, swap *p, const stmt *s, stmt_list *out);

static const stmt *const *images(image *g, swap *p, const stmt *const *body, uint32_t n, uint32_t *count) {
    stmt_list list = {0};
    for (uint32_t i = 0; i < n; i++) put_stmt(g, p, body[i], &list);
    *count = list.len;
    const stmt *const *out = arena_copy(g->memory, list.data, list.len * sizeof *list.data);
    vec_free(&list);
    return out;
}

static void put_assignment(image *g, swap *p, const stmt *s, stmt *to) {
    expr *args = arena_alloc(g->memory, (s->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < s->nargs; i++)
        args[i] = image_of(g, p, s->args[i], slots_argument(g->s, s->target.id, i));
    to->args = args;
    to->nargs = s->nargs;
    to->target = (func){p->funcs[s->target.id]};
    if (s->value.id) to->value = image_of(g, p, s->value, slots_result(g->s, s->target.id));
}

// The image of s; sequences become part of the list.
static void put_stmt(image *g, swap *p, const stmt *s, stmt_list *out) {
    if (!s) return;
    if (s->kind == S_SEQ) {
        for (uint32_t i = 0; i < s->nbody; i++) put_stmt(g, p, s->body[i], out);
        return;
    }
    if (s->kind == S_FORALL || s->kind == S_PAR) {
        fail(g, s->at);
        return;
    }
    stmt *to = arena_alloc(g->memory, sizeof *to);
    to->kind = s->kind;
    to->at = s->at;
    to->cond = image_if(g, p, s->cond);
    if (s->kind == S_ASSIGN) put_assignment(g, p, s, to);
    to->body = images(g, p, s->body, s->nbody, &to->nbody);
    to->orelse = images(g, p, s->orelse, s->norelse, &to->norelse);
    vec_push(out, to);
}

static bool same_bodies(image *g, const stmt *const *a, uint32_t n, const stmt *const *b, uint32_t k);

static bool same_stmt(image *g, const stmt *a, const stmt *b) {
    if (a->kind != b->kind || a->target.id != b->target.id || a->nargs != b->nargs) return false;
    if (!expr_same(a->value, b->value) || !expr_same(a->cond, b->cond)) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!expr_same(a->args[i], b->args[i])) return false;
    return same_bodies(g, a->body, a->nbody, b->body, b->nbody) &&
           same_bodies(g, a->orelse, a->norelse, b->orelse, b->norelse);
}

// What a statement reads or writes: a cell where all indices are constants, else any cell of the function.
typedef struct {
    uint32_t func;
    uint32_t cell;  // handle of its application; 0: any
} access;

typedef struct {
    VEC(access) reads, writes;
    bool is_fixed;  // keeps its place
} accesses;

static uint32_t constant_cell(image *g, func f, const expr *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (expr_kind_of(g->m, args[i]) != E_CONST) return 0;
    return expr_app(g->m, f, args).id;
}

static void see_reads(image *g, expr e, accesses *out) {
    const expr_info i = *expr_of(g->m, e);
    if (i.kind == E_APP)
        vec_push(&out->reads, (access){i.ref, constant_cell(g, (func){i.ref}, i.args, i.nargs)});
    for (uint32_t k = 0; k < i.nargs; k++) see_reads(g, i.args[k], out);
}

static void see_stmt(image *g, const stmt *s, accesses *out) {
    out->is_fixed |= s->kind == S_ASSUME || s->kind == S_FAIL || s->kind == S_WHILE;
    if (s->cond.id) see_reads(g, s->cond, out);
    if (s->value.id) see_reads(g, s->value, out);
    for (uint32_t i = 0; i < s->nargs; i++) see_reads(g, s->args[i], out);
    if (s->kind == S_ASSIGN)
        vec_push(&out->writes, (access){s->target.id, constant_cell(g, s->target, s->args, s->nargs)});
    for (uint32_t i = 0; i < s->nbody; i++) see_stmt(g, s->body[i], out);
    for (uint32_t i = 0; i < s->norelse; i++) see_stmt(g, s->orelse[i], out);
}

static bool meet(const access *a, uint32_t n, const access *b, uint32_t k) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < k; j++)
            if (a[i].func == b[j].func && (!a[i].cell || !b[j].cell || a[i].cell == b[j].cell)) return true;
    return false;
}

static bool may_change_places(image *g, const stmt *s, const stmt *t) {
    accesses a = {0}, b = {0};
    see_stmt(g, s, &a);
    see_stmt(g, t, &b);
    bool yes = !a.is_fixed && !b.is_fixed &&
               !meet(a.writes.data, a.writes.len, b.writes.data, b.writes.len) &&
               !meet(a.writes.data, a.writes.len, b.reads.data, b.reads.len) &&
               !meet(a.reads.data, a.reads.len, b.writes.data, b.writes.len);
    vec_free(&a.reads);
    vec_free(&a.writes);
    vec_free(&b.reads);
    vec_free(&b.writes);
    return yes;
}

// Can b[at] come before all those of b that are left before it?
static bool may_come_first(image *g, const stmt *const *b, const bool *used, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (!used[i] && !may_change_places(g, b[i], b[at])) return false;
    return true;
}

// Equal up to the order of statements that may change places.
static bool same_bodies(image *g, const stmt *const *a, uint32_t n, const stmt *const *b, uint32_t k) {
    if (n != k) return false;
    bool *used = arena_alloc(g->memory, (n + 1) * sizeof *used);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < n && (used[j] || !same_stmt(g, a[i], b[j]))) j++;
        if (j == n || !may_come_first(g, b, used, j)) return false;
        used[j] = true;
    }
    return true;
}

// ---- rules

typedef struct {
    uint32_t left, right, owner;
    bool is_strict;
    expr bound, when;
} flat_bound;

typedef struct {
    uint32_t clock;
    expr value, when;
} flat_reset;

// A rule, or its image, in normal form.
typedef struct {
    expr guard, priority;
    const stmt *const *body;
    uint32_t nbody, nbounds, nresets;
    flat_bound *bounds;
    flat_reset *resets;
} normal;

static flat_bound bound_image(image *g, swap *p, const clock_bound *b) {
    uint32_t owner = b->owner < g->t->processes.len ? p->processes[b->owner] : b->owner;
    return (flat_bound){p->clocks[b->left],
                        p->clocks[b->right],
                        owner,
                        b->is_strict,
                        image_of(g, p, b->bound, SLOT_NUMBER),
                        image_if(g, p, b->when)};
}

static bool same_bound(const flat_bound *a, const flat_bound *b) {
    return a->left == b->left && a->right == b->right && a->owner == b->owner &&
           a->is_strict == b->is_strict && expr_same(a->bound, b->bound) && expr_same(a->when, b->when);
}

static bool same_bounds(const flat_bound *a, const flat_bound *b, uint32_t n, arena *memory) {
    bool *used = arena_alloc(memory, (n + 1) * sizeof *used);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < n && (used[j] || !same_bound(&a[i], &b[j]))) j++;
        if (j == n) return false;
        used[j] = true;
    }
    return true;
}

// Those of one clock stay in order.
static bool same_resets(const flat_reset *a, const flat_reset *b, uint32_t n, arena *memory) {
    bool *used = arena_alloc(memory, (n + 1) * sizeof *used);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < n && (used[j] || b[j].clock != a[i].clock)) j++;
        if (j == n || !expr_same(a[i].value, b[j].value) || !expr_same(a[i].when, b[j].when)) return false;
        used[j] = true;
    }
    return true;
}

// The rule's image; its parameters are canonical variables, numbered by `order`.
static normal rule_image(image *g, swap *p, rule r, const uint32_t *order) {
    const rule_info info = *rule_of(g->m, r);
    normal out = {.nbounds = info.nbounds, .nresets = info.nresets};
    for (uint32_t i = 0; i < info.nparams; i++)
        g->var_to[info.params[i].id] = canonical(g, var_of(g->m, info.params[i])->ty, order[i]).id;
    out.guard = image_if(g, p, info.guard);
    if (info.priority.id) out.priority = image_of(g, p, info.priority, SLOT_NUMBER);
    out.body = images(g, p, &info.body, info.body != NULL, &out.nbody);
    out.bounds = arena_alloc(g->memory, (info.nbounds + 1) * sizeof *out.bounds);
    for (uint32_t i = 0; i < info.nbounds; i++) out.bounds[i] = bound_image(g, p, &info.bounds[i]);
    out.resets = arena_alloc(g->memory, (info.nresets + 1) * sizeof *out.resets);
    for (uint32_t i = 0; i < info.nresets; i++)
        out.resets[i] =
            (flat_reset){p->clocks[info.resets[i].clock], image_of(g, p, info.resets[i].value, SLOT_NUMBER),
                         image_if(g, p, info.resets[i].when)};
    for (uint32_t i = 0; i < info.nparams; i++) g->var_to[info.params[i].id] = 0;
    return out;
}

static bool same_normal(image *g, const normal *a, const normal *b) {
    return expr_same(a->guard, b->guard) && expr_same(a->priority, b->priority) && a->nbounds == b->nbounds &&
           a->nresets == b->nresets && same_bounds(a->bounds, b->bounds, a->nbounds, g->memory) &&
           same_resets(a->resets, b->resets, a->nresets, g->memory) &&
           same_bodies(g, a->body, a->nbody, b->body, b->nbody);
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The process whose name stands at `at`, before a full stop or quote; UINT32_MAX: none.
static uint32_t process_at(const image *g, const char *text, const char *at, size_t *len) {
    if (at > text && is_word(at[-1])) return UINT32_MAX;
    for (uint32_t i = 0; i < g->t->processes.len; i++) {
        *len = strlen(g->t->processes.data[i]);
        if (strncmp(at, g->t->processes.data[i], *len) == 0 && (at[*len] == '.' || at[*len] == '\''))
            return i;
    }
    return UINT32_MAX;
}

// A name with the processes in it replaced by their images.
static void name_image(const image *g, const swap *p, const char *text, str *out) {
    size_t len = 0;
    for (const char *at = text; *at;) {
        uint32_t i = process_at(g, text, at, &len);
        if (i == UINT32_MAX) str_char(out, *at++);
        else {
            str_add(out, g->t->processes.data[p->processes[i]]);
            at += len;
        }
    }
}

static bool is_pick(const char *name) { return name[0] && name[strlen(name) - 1] == '\''; }

// A key of each parameter: its place in the text, and the process that a receiver of a broadcast is.
static void param_key(const image *g, const swap *p, const rule_info *r, uint32_t i, str *out) {
    const var_info *v = var_of(g->m, r->params[i]);
    for (uint32_t k = i + 1; k-- > 0;)
        if (is_pick(var_of(g->m, r->params[k])->name)) {
            name_image(g, p, var_of(g->m, r->params[k])->name, out);
            break;
        }
    str_printf(out, " %s %u", is_pick(v->name) ? "" : v->name, v->at.begin);
}

// Which parameter of `to` each one of `from` becomes; false: there is no such correspondence.
static bool match_params(const image *g, const swap *p, const rule_info *from, const rule_info *to,
                         uint32_t *order) {
    uint64_t used = 0;
    if (from->nparams != to->nparams || from->nparams > 64) return false;
    for (uint32_t i = 0; i < from->nparams; i++) {
        str a = {0};
        order[i] = UINT32_MAX;
        param_key(g, p, from, i, &a);
        for (uint32_t k = 0; k < to->nparams && order[i] == UINT32_MAX; k++) {
            str b = {0};
            param_key(g, &g->identity, to, k, &b);
            if (!(used >> k & 1) && strcmp(str_get(&a), str_get(&b)) == 0) order[i] = k;
            str_free(&b);
        }
        str_free(&a);
        if (order[i] == UINT32_MAX) return false;
        used |= UINT64_C(1) << order[i];
    }
    return true;
}

static bool same_rule(image *g, rule from, rule to) {
    const rule_info a = *rule_of(g->m, from), b = *rule_of(g->m, to);
    uint32_t order[64], in_place[64];
    for (uint32_t i = 0; i < 64; i++) in_place[i] = i;
    if (!match_params(g, &g->current, &a, &b, order)) return false;
    g->memory = arena_new();
    normal x = rule_image(g, &g->current, from, order), y = rule_image(g, &g->identity, to, in_place);
    bool same = !g->failed && same_normal(g, &x, &y);
    arena_free(g->memory);
    return same;
}

static uint32_t first_named(const image *g, const char *name) {
    return map_get_str(g->rules, name, UINT32_MAX);
}

// Is the image of rule number i a rule that is not taken yet?
static bool has_image(image *g, uint32_t i, bool *taken) {
    rule r = g->system->rules.data[i];
    str name = {0};
    name_image(g, &g->current, rule_of(g->m, r)->name, &name);
    uint32_t k = first_named(g, str_get(&name));
    str_free(&name);
    for (; k != UINT32_MAX && !g->failed; k = g->next_rule[k]) {
        if (taken[k] || !same_rule(g, r, g->system->rules.data[k])) continue;
        taken[k] = true;
        return true;
    }
    if (!g->failed) g->why = rule_of(g->m, r)->at;
    return false;
}

// ---- the system

static void map_atoms(image *g, swap *p) {
    for (uint32_t i = 0; i < g->t->atoms.len; i++) {
        const clock_atom *a = &g->t->atoms.data[i];
        p->atoms[i] = a->is_deadlock ? i : UINT32_MAX;
        if (a->is_deadlock) continue;
        expr bound = image_of(g, p, a->is.bound, SLOT_NUMBER);
        for (uint32_t k = 0; k < g->t->atoms.len; k++) {
            const clock_atom *b = &g->t->atoms.data[k];
            if (b->is_deadlock || b->is.left != p->clocks[a->is.left] ||
                b->is.right != p->clocks[a->is.right])
                continue;
            if (b->is.is_strict == a->is.is_strict &&
                expr_same(bound, image_of(g, &g->identity, b->is.bound, SLOT_NUMBER)))
                p->atoms[i] = k;
        }
    }
}

// Makes `current` the swap of v and w; false: it has no meaning for some name.
static bool choose(image *g, const id_class *c, int32_t v, int32_t w) {
    swap *p = &g->current;
    g->failed = false;
    g->why = (span){0};
    p->c = c;
    p->v = v;
    p->w = w;
    memset(p->memo, 0, g->nexprs * sizeof *p->memo);
    map_names(g, p);
    if (p->is_known) map_atoms(g, p);
    return p->is_known;
}

static bool same_condition(image *g, expr e, uint32_t slot) {
    return !e.id ||
           (expr_same(image_of(g, &g->current, e, slot), image_of(g, &g->identity, e, slot)) && !g->failed);
}

static bool keeps_invariants(image *g) {
    uint32_t n = g->t->invariants.len;
    g->memory = arena_new();
    flat_bound *a = arena_alloc(g->memory, (n + 1) * sizeof *a),
               *b = arena_alloc(g->memory, (n + 1) * sizeof *b);
    for (uint32_t i = 0; i < n; i++) {
        a[i] = bound_image(g, &g->current, &g->t->invariants.data[i]);
        b[i] = bound_image(g, &g->identity, &g->t->invariants.data[i]);
    }
    bool same = !g->failed && same_bounds(a, b, n, g->memory);
    arena_free(g->memory);
    return same;
}

static bool keeps_rules(image *g) {
    uint32_t n = g->system->rules.len;
    bool *taken = mem_zero(n + 1, sizeof *taken), keeps = true;
    for (uint32_t i = 0; i < n && keeps; i++) keeps = has_image(g, i, taken);
    free(taken);
    return keeps && !g->failed;
}

bool image_keeps_system(image *g, const id_class *c, int32_t v, int32_t w, span *why) {
    bool keeps = choose(g, c, v, w) && keeps_rules(g) && keeps_invariants(g) &&
                 same_condition(g, g->t->still, SLOT_NONE) && same_condition(g, g->t->valid, SLOT_NONE);
    *why = g->why;
    return keeps;
}

bool image_keeps_formula(image *g, const id_class *c, int32_t v, int32_t w, expr e) {
    return choose(g, c, v, w) && same_condition(g, e, SLOT_NONE);
}

bool image_keeps_number(image *g, const id_class *c, int32_t v, int32_t w, expr e) {
    return choose(g, c, v, w) && same_condition(g, e, SLOT_NUMBER);
}

bool image_keeps_clock(image *g, const id_class *c, int32_t v, int32_t w, uint32_t clock) {
    return choose(g, c, v, w) && g->current.clocks[clock] == clock;
}

// ---- which slots hold the values

typedef struct {
    image *g;
    id_class *c;
    int32_t v, w;
} finder;

static void note(const finder *f, value a, value b, uint32_t slot) {
    bool differ = (a == f->v && b == f->w) || (a == f->w && b == f->v);
    if (differ && slot != SLOT_NONE && slot != SLOT_NUMBER) f->c->slots[slot] = 1;
}

static void compare(const finder *f, expr a, expr b, uint32_t slot) {
    const expr_info *x = expr_of(f->g->m, a), *y = expr_of(f->g->m, b);
    const slots *s = f->g->s;
    if (!a.id || !b.id || expr_same(a, b) || x->kind != y->kind || x->nargs != y->nargs) return;
    if (x->kind == E_CONST) note(f, (value)x->ref, (value)y->ref, slot);
    for (uint32_t i = 0; i < x->nargs; i++) {
        uint32_t at = slot;
        if (x->kind == E_APP) at = slots_argument(s, x->ref, i);
        else if (x->kind == E_EQ) at = slots_of(s, x->args[1 - i]);
        else if (x->kind != E_ITE || i == 0) at = SLOT_NONE;
        else if (slots_of(s, a) != SLOT_NONE) at = slots_of(s, a);
        compare(f, x->args[i], y->args[i], at);
    }
}

static void compare_stmts(const finder *f, const stmt *a, const stmt *b) {
    if (!a || !b || a->kind != b->kind || a->nargs != b->nargs) return;
    compare(f, a->cond, b->cond, SLOT_NONE);
    if (a->kind == S_ASSIGN) {
        compare(f, a->value, b->value, slots_result(f->g->s, a->target.id));
        for (uint32_t i = 0; i < a->nargs; i++)
            compare(f, a->args[i], b->args[i], slots_argument(f->g->s, a->target.id, i));
    }
    for (uint32_t i = 0; i < a->nbody && i < b->nbody; i++) compare_stmts(f, a->body[i], b->body[i]);
    for (uint32_t i = 0; i < a->norelse && i < b->norelse; i++) compare_stmts(f, a->orelse[i], b->orelse[i]);
}

static void compare_clocks(const finder *f, uint32_t a, uint32_t b) {
    const name_parts *x = &f->g->by_name->clocks[a], *y = &f->g->by_name->clocks[b];
    if (!a || !b || x->group != y->group) return;
    for (uint32_t i = x->nparams; i < x->nargs; i++)
        note(f, x->args[i], y->args[i], slots_root(f->g->s, f->g->s->clock_slot[x->group] + i));
}

static void compare_rules(const finder *f, const rule_info *a, const rule_info *b) {
    compare(f, a->guard, b->guard, SLOT_NONE);
    compare_stmts(f, a->body, b->body);
    for (uint32_t i = 0; i < a->nbounds && i < b->nbounds; i++) {
        compare_clocks(f, a->bounds[i].left, b->bounds[i].left);
        compare_clocks(f, a->bounds[i].right, b->bounds[i].right);
        compare(f, a->bounds[i].when, b->bounds[i].when, SLOT_NONE);
    }
    for (uint32_t i = 0; i < a->nresets && i < b->nresets; i++) {
        compare_clocks(f, a->resets[i].clock, b->resets[i].clock);
        compare(f, a->resets[i].when, b->resets[i].when, SLOT_NONE);
    }
}

// The number-th rule of a name, and of the name's image.
static uint32_t rank_of(const image *g, uint32_t i) {
    uint32_t rank = 0;
    for (uint32_t k = first_named(g, rule_of(g->m, g->system->rules.data[i])->name); k != i;
         k = g->next_rule[k])
        rank++;
    return rank;
}

void image_find_slots(image *g, id_class *c, int32_t v, int32_t w) {
    finder f = {g, c, v, w};
    if (!choose(g, c, v, w)) return;
    for (uint32_t i = 0; i < g->system->rules.len; i++) {
        const rule_info *r = rule_of(g->m, g->system->rules.data[i]);
        str name = {0};
        name_image(g, &g->current, r->name, &name);
        uint32_t k = first_named(g, str_get(&name));
        for (uint32_t rank = rank_of(g, i); k != UINT32_MAX && rank > 0; rank--) k = g->next_rule[k];
        if (k != UINT32_MAX && k != i) compare_rules(&f, r, rule_of(g->m, g->system->rules.data[k]));
        str_free(&name);
    }
    for (uint32_t i = 0; i < g->t->invariants.len; i++) {
        const clock_bound *b = &g->t->invariants.data[i];
        for (uint32_t k = 0; k < g->t->invariants.len; k++) {
            const clock_bound *d = &g->t->invariants.data[k];
            bool meant = b->owner < g->t->processes.len && d->owner == g->current.processes[b->owner] &&
                         d->at.begin == b->at.begin && d->owner != b->owner;
            if (!meant) continue;
            compare(&f, b->when, d->when, SLOT_NONE);
            compare_clocks(&f, b->left, d->left);
            compare_clocks(&f, b->right, d->right);
        }
    }
}

// ---- all

static void index_rules(image *g) {
    uint32_t n = g->system->rules.len;
    g->rules = map_new();
    g->next_rule = mem_alloc((n + 1) * sizeof *g->next_rule);
    for (uint32_t i = n; i-- > 0;) {
        const char *name = rule_of(g->m, g->system->rules.data[i])->name;
        g->next_rule[i] = first_named(g, name);
        map_put_str(g->rules, name, i);
    }
}

image *image_new(const instance *in, const slots *s) {
    image *g = mem_zero(1, sizeof *g);
    g->in = in;
    g->m = in->m;
    g->system = sys_of(in->m, in->system);
    g->t = g->system->timed;
    g->s = s;
    g->by_name = s->by_name;
    g->nexprs = in->m->exprs.len;
    g->ntypes = in->m->types.len;
    g->nvars = in->m->vars.len;
    g->var_to = mem_zero(g->nvars + 1, sizeof *g->var_to);
    swap_init(g, &g->identity);
    swap_init(g, &g->current);
    map_names(g, &g->identity);
    for (uint32_t i = 0; i < g->t->atoms.len; i++) g->identity.atoms[i] = i;
    index_rules(g);
    return g;
}

void image_free(image *g) {
    if (!g) return;
    swap_free(&g->identity);
    swap_free(&g->current);
    map_free(g->rules);
    free(g->next_rule);
    free(g->var_to);
    vec_free(&g->pool);
    free(g);
}
