// SPDX-License-Identifier: Apache-2.0
// Expressions: hash-consing, simplifying constructors, substitution, rewriting. See expr.h.
//
// The key of a node is (kind, type, ref, argument ids), so equal expressions share a handle. Rewriting walks
// the shared graph once, with a memo table by expression id.
#include "model/expr.h"

#include "model/instance.h"
#include "model/real.h"
#include "model/walk.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

// ---- facts kept with every node

// An argument faults when its number type is not contained in the formal's.
static bool expr_outside(const model *m, expr a, type formal) {
    if (!type_is_number(m, formal)) return false;
    int64_t lo, hi;
    expr_bounds(m, a, &lo, &hi);
    return lo < type_of(m, formal)->lo || hi > type_of(m, formal)->hi;
}

static bool node_can_fault(const model *m, const expr_info *x) {
    if (x->kind == E_NARROW || (x->kind == E_REAL && x->ref == REAL_ROUND)) return true;
    if (x->kind == E_APP || x->kind == E_NEXT || x->kind == E_DEFINED) {
        const func_info *f = &m->funcs.data[x->ref];
        if (f->may_be_undefined && x->kind == E_APP) return true;
        for (uint32_t i = 0; i < x->nargs; i++)
            if (expr_outside(m, x->args[i], f->args[i])) return true;
    }
    if (x->kind == E_DIV || x->kind == E_MOD) {
        int64_t lo, hi;
        expr_bounds(m, x->args[1], &lo, &hi);
        return lo <= 0 && hi >= 0;
    }
    return x->kind == E_CALL && expr_of(m, m->defs.data[x->ref].body)->can_fault;
}

static uint32_t depth_below(const model *m, const expr_info *x) {
    uint32_t depth = x->kind == E_CALL ? expr_of(m, m->defs.data[x->ref].body)->depth : 0;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (expr_of(m, x->args[i])->depth > depth) depth = expr_of(m, x->args[i])->depth;
    return depth;
}

// A shared part counts as often as it is part.
static uint32_t tree_of(const model *m, const expr_info *x) {
    uint64_t tree = 1;
    for (uint32_t i = 0; i < x->nargs; i++) tree += expr_of(m, x->args[i])->tree;
    return tree < UINT32_MAX ? (uint32_t)tree : UINT32_MAX;
}

// As the tree, with the bodies of definitions; what is below a binder counts as if there were four values.
static uint32_t weight_of(const model *m, const expr_info *x) {
    uint64_t weight = 0;
    if (x->kind == E_CALL) weight += expr_of(m, m->defs.data[x->ref].body)->weight;
    for (uint32_t i = 0; i < x->nargs; i++) weight += expr_of(m, x->args[i])->weight;
    if (expr_kind_binds(x->kind)) weight *= 4;
    return weight < UINT32_MAX ? (uint32_t)weight + 1 : UINT32_MAX;
}

static uint64_t expr_var_bit(uint32_t id) { return UINT64_C(1) << (id % 64); }

static bool set_has(var_set s, uint32_t id) {
    for (uint32_t i = 0; i < s.n; i++)
        if (s.vars[i].id == id) return true;
    return false;
}

static uint32_t set_intern(model *m, const var *vars, uint32_t n) {
    if (!n) return 0;
    uint32_t number = map_intern(m->var_set_table, vars, n * sizeof *vars, m->var_sets.len);
    if (number == m->var_sets.len) vec_push(&m->var_sets, (var_set){arena_copy(m->memory, vars, n * sizeof *vars), n});
    return number;
}

static uint32_t set_join(model *m, uint32_t a, uint32_t b) {
    uint32_t key[] = {a, b}, known;
    if (!b || a == b) return a;
    if (!a) return b;
    if ((known = map_get(m->var_set_results, key, sizeof key, UINT32_MAX)) != UINT32_MAX) return known;
    var_set left = m->var_sets.data[a], right = m->var_sets.data[b];
    var_list both = {0};
    for (uint32_t i = 0; i < left.n; i++) vec_push(&both, left.vars[i]);
    for (uint32_t i = 0; i < right.n; i++)
        if (!set_has(left, right.vars[i].id)) vec_push(&both, right.vars[i]);
    uint32_t joined = set_intern(m, both.data, both.len);
    map_put(m->var_set_results, key, sizeof key, joined);
    vec_free(&both);
    return joined;
}

static uint32_t set_without(model *m, uint32_t a, uint32_t id) {
    uint32_t key[] = {a, id, 0}, known = map_get(m->var_set_results, key, sizeof key, UINT32_MAX);
    if (known != UINT32_MAX) return known;
    var_set all = m->var_sets.data[a];
    var_list rest = {0};
    for (uint32_t i = 0; i < all.n; i++)
        if (all.vars[i].id != id) vec_push(&rest, all.vars[i]);
    uint32_t left = set_intern(m, rest.data, rest.len);
    map_put(m->var_set_results, key, sizeof key, left);
    vec_free(&rest);
    return left;
}

static void add_frees(model *m, expr_info *x) {
    for (uint32_t i = 0; i < x->nargs; i++) {
        x->frees = set_join(m, x->frees, expr_of(m, x->args[i])->frees);
        x->free_mask |= expr_of(m, x->args[i])->free_mask;
    }
    if (x->kind == E_VAR) x->frees = set_intern(m, &(var){x->ref}, 1);
    else if (!expr_kind_binds(x->kind)) return;
    else x->frees = set_without(m, x->frees, x->ref);
    var_set free_vars = m->var_sets.data[x->frees];
    x->free_mask = 0;
    for (uint32_t i = 0; i < free_vars.n; i++) x->free_mask |= expr_var_bit(free_vars.vars[i].id);
}

static void expr_add_facts(model *m, expr_info *x) {
    x->depth = depth_below(m, x) + 1;
    x->tree = tree_of(m, x);
    x->weight = weight_of(m, x);
    add_frees(m, x);
    x->can_fault = node_can_fault(m, x);
    x->has_next = x->kind == E_NEXT;
    for (uint32_t i = 0; i < x->nargs; i++) {
        x->can_fault |= expr_of(m, x->args[i])->can_fault;
        if (expr_of(m, x->args[i])->nesting > x->nesting) x->nesting = expr_of(m, x->args[i])->nesting;
        x->has_next |= expr_of(m, x->args[i])->has_next;
    }
    x->nesting += expr_kind_binds(x->kind);
}

enum { KEY_SMALL = 32 };

static expr expr_intern(model *m, expr_kind kind, type ty, uint32_t ref, const expr *args, uint32_t nargs) {
    uint32_t small[KEY_SMALL], *key = small;
    if (nargs + 3 > KEY_SMALL) key = mem_alloc((nargs + 3) * sizeof *key);
    key[0] = kind;
    key[1] = ty.id;
    key[2] = ref;
    for (uint32_t i = 0; i < nargs; i++) key[3 + i] = args[i].id;
    uint32_t id = map_intern(m->expr_table, key, (nargs + 3) * sizeof *key, m->exprs.len);
    if (key != small) free(key);
    if (id == m->exprs.len) {
        expr_info x = {.kind = kind, .ty = ty, .ref = ref, .nargs = nargs};
        if (nargs) x.args = arena_copy(m->memory, args, nargs * sizeof *args);
        expr_add_facts(m, &x);
        vec_push(&m->exprs, x);
    }
    return (expr){id};
}

expr expr_at(model *m, expr e, span at) {
    if (!m->exprs.data[e.id].at.file) m->exprs.data[e.id].at = at;
    return e;
}

expr expr_const(model *m, type ty, value v) { return expr_intern(m, E_CONST, ty, (uint32_t)v, NULL, 0); }
expr expr_bool(model *m, bool b) { return b ? m->true_expr : m->false_expr; }
expr expr_var(model *m, var v) { return expr_intern(m, E_VAR, var_of(m, v)->ty, v.id, NULL, 0); }

expr expr_app(model *m, func f, const expr *args) {
    return expr_intern(m, E_APP, func_of(m, f)->result, f.id, args, func_of(m, f)->nargs);
}

expr expr_next(model *m, func f, const expr *args) {
    return expr_intern(m, E_NEXT, func_of(m, f)->result, f.id, args, func_of(m, f)->nargs);
}

expr expr_defined(model *m, func f, const expr *args) {
    if (!func_of(m, f)->may_be_undefined) return m->true_expr;
    return expr_intern(m, E_DEFINED, m->bool_type, f.id, args, func_of(m, f)->nargs);
}

expr expr_widen(model *m, type u, expr a) { return expr_intern(m, E_WIDEN, u, 0, &a, 1); }
expr expr_is(model *m, type member, expr a) { return expr_intern(m, E_IS, m->bool_type, member.id, &a, 1); }

expr expr_narrow(model *m, type member, expr a) {
    const expr_info *x = expr_of(m, a);
    if (x->kind == E_WIDEN && type_same(expr_type(m, x->args[0]), member)) return x->args[0];
    return expr_intern(m, E_NARROW, member, member.id, &a, 1);
}

expr expr_call(model *m, def d, const expr *args) {
    return expr_intern(m, E_CALL, expr_type(m, def_of(m, d)->body), d.id, args, def_of(m, d)->nparams);
}

bool expr_all_shallow(const model *m) {
    uint32_t i = 1;
    while (i < m->exprs.len && !expr_too_deep(m, (expr){i})) i++;
    if (i >= m->exprs.len) return true;
    diag_error(m->messages, m->exprs.data[i].at, "what this leads to is nested too deeply (more than %d levels)",
               EXPR_DEEPEST);
    return false;
}

bool expr_is_true(const model *m, expr e) { return e.id == m->true_expr.id; }
bool expr_is_false(const model *m, expr e) { return e.id == m->false_expr.id; }

bool expr_is_const(const model *m, expr e, value *v) {
    const expr_info *x = expr_of(m, e);
    if (x->kind != E_CONST) return false;
    if (v) *v = (value)x->ref;
    return true;
}

expr expr_not(model *m, expr a) {
    if (expr_is_true(m, a)) return m->false_expr;
    if (expr_is_false(m, a)) return m->true_expr;
    if (expr_kind_of(m, a) == E_NOT) return expr_arg(m, a, 0);
    return expr_intern(m, E_NOT, m->bool_type, 0, &a, 1);
}

// Arguments of `&` and `|`, each once. A short list is looked through; a long one has a table.
typedef struct {
    expr_list list;
    map *table;
} gathered;

enum { LONG_LIST = 32 };

static bool expr_is_new(gathered *g, expr e) {
    if (g->table) return map_put(g->table, &e.id, sizeof e.id, 1);
    for (uint32_t i = 0; i < g->list.len; i++)
        if (g->list.data[i].id == e.id) return false;
    if (g->list.len < LONG_LIST) return true;
    g->table = map_new();
    for (uint32_t i = 0; i < g->list.len; i++) map_put(g->table, &g->list.data[i].id, sizeof e.id, 1);
    return map_put(g->table, &e.id, sizeof e.id, 1);
}

// Flattens arguments of the same kind into `out`; true when the result is known to be `zero`.
// Dropping what follows a decided prefix keeps the left-to-right reading of faults.
static bool expr_gather(model *m, expr_kind kind, const expr *args, uint32_t n, expr zero, expr one, gathered *out) {
    for (uint32_t i = 0; i < n; i++) {
        expr a = args[i];
        if (expr_kind_of(m, a) == kind) {
            const expr_info *x = expr_of(m, a);
            if (expr_gather(m, kind, x->args, x->nargs, zero, one, out)) return true;
            continue;
        }
        if (expr_same(a, one) || !expr_is_new(out, a)) continue;
        vec_push(&out->list, a);
        if (expr_same(a, zero)) return true;
    }
    return false;
}

static bool any_can_fault(const model *m, const expr_list *l) {
    for (uint32_t i = 0; i < l->len; i++)
        if (expr_can_fault(m, l->data[i])) return true;
    return false;
}

static expr nary(model *m, expr_kind kind, const expr *args, uint32_t n, expr zero, expr one) {
    gathered all = {0};
    bool decided = expr_gather(m, kind, args, n, zero, one, &all);
    const expr_list flat = all.list;
    expr e;
    if (decided && (flat.len == 1 || !any_can_fault(m, &flat))) e = zero;
    else if (flat.len == 0) e = one;
    else if (flat.len == 1) e = flat.data[0];
    else e = expr_intern(m, kind, m->bool_type, 0, flat.data, flat.len);
    vec_free(&all.list);
    if (all.table) map_free(all.table);
    return e;
}

expr expr_and_all(model *m, const expr *args, uint32_t n) {
    return nary(m, E_AND, args, n, m->false_expr, m->true_expr);
}

expr expr_or_all(model *m, const expr *args, uint32_t n) { return nary(m, E_OR, args, n, m->true_expr, m->false_expr); }

expr expr_and(model *m, expr a, expr b) { return expr_and_all(m, (expr[]){a, b}, 2); }
expr expr_or(model *m, expr a, expr b) { return expr_or_all(m, (expr[]){a, b}, 2); }

expr expr_implies(model *m, expr a, expr b) {
    if (expr_is_true(m, a)) return b;
    if (expr_is_false(m, a)) return m->true_expr;
    if (expr_is_true(m, b) && !expr_can_fault(m, a)) return m->true_expr;
    if (expr_is_false(m, b)) return expr_not(m, a);
    if (expr_same(a, b) && !expr_can_fault(m, a)) return m->true_expr;
    return expr_intern(m, E_IMPLIES, m->bool_type, 0, (expr[]){a, b}, 2);
}

expr expr_eq(model *m, expr a, expr b) {
    if (expr_same(a, b) && !expr_can_fault(m, a)) return m->true_expr;
    value x, y;
    if (expr_is_const(m, a, &x) && expr_is_const(m, b, &y)) return expr_bool(m, x == y);
    if (expr_is_true(m, a)) return b;
    if (expr_is_true(m, b)) return a;
    if (expr_is_false(m, a)) return expr_not(m, b);
    if (expr_is_false(m, b)) return expr_not(m, a);
    return expr_intern(m, E_EQ, m->bool_type, 0, (expr[]){a, b}, 2);
}

expr expr_ite(model *m, expr c, expr a, expr b) {
    if (expr_is_true(m, c)) return a;
    if (expr_is_false(m, c)) return b;
    if (expr_same(a, b) && !expr_can_fault(m, c)) return a;
    if (expr_is_true(m, a) && expr_is_false(m, b)) return c;
    if (expr_is_false(m, a) && expr_is_true(m, b)) return expr_not(m, c);
    type ty = expr_type(m, a);
    if (type_is_number(m, ty)) {
        const type_info *x = type_of(m, ty), *y = type_of(m, expr_type(m, b));
        int32_t lo = x->lo < y->lo ? x->lo : y->lo, hi = x->hi > y->hi ? x->hi : y->hi;
        ty = model_range(m, lo, hi, (span){0});
    }
    return expr_intern(m, E_ITE, ty, 0, (expr[]){c, a, b}, 3);
}

static expr expr_count(model *m, var v, expr body) {
    uint32_t size = type_known_size(m, var_of(m, v)->ty);
    type ty = model_range(m, 0, size ? (int32_t)size : INSTANCE_LARGEST_SORT, (span){0});
    if (expr_is_false(m, body)) return expr_const(m, ty, 0);
    return expr_intern(m, E_COUNT, ty, v.id, &body, 1);
}

expr expr_quantify(model *m, expr_kind kind, var v, expr body) {
    assert(expr_kind_binds(kind));
    if (kind == E_COUNT) return expr_count(m, v, body);
    // Types are never empty, so a body that does not mention the variable stands for itself.
    if (!expr_has_var(m, body, v)) return body;
    return expr_intern(m, kind, m->bool_type, v.id, &body, 1);
}

static expr quantify_all(model *m, expr_kind kind, const var *vars, uint32_t n, expr body) {
    for (uint32_t i = n; i-- > 0;) body = expr_quantify(m, kind, vars[i], body);
    return body;
}

expr expr_forall(model *m, const var *vars, uint32_t n, expr body) { return quantify_all(m, E_FORALL, vars, n, body); }

expr expr_exists(model *m, const var *vars, uint32_t n, expr body) { return quantify_all(m, E_EXISTS, vars, n, body); }

// ---- arithmetic

// INT32_MIN is no number: it means that there is no value.
static int64_t expr_clamp(int64_t x) { return x < -INT32_MAX ? -INT32_MAX : x > INT32_MAX ? INT32_MAX : x; }

static void widen(int64_t *lo, int64_t *hi, int64_t x) {
    if (x < *lo) *lo = x;
    if (x > *hi) *hi = x;
}

static int64_t expr_largest_size(int64_t lo, int64_t hi) { return hi > -lo ? hi : -lo; }

// The least 2^n - 1 that is not below x (x >= 0).
static int64_t all_ones(int64_t x) {
    int64_t ones = 0;
    while (ones < x) ones = ones * 2 + 1;
    return ones;
}

static void bit_bounds(const int64_t a[2], const int64_t b[2], int64_t *lo, int64_t *hi) {
    int64_t x = expr_largest_size(a[0], a[1] + 1), y = expr_largest_size(b[0], b[1] + 1);
    *hi = all_ones(x > y ? x : y);
    *lo = a[0] >= 0 && b[0] >= 0 ? 0 : -*hi - 1;
}

// Bits in common with a number that is not negative are no more than that.
static void and_bounds(const int64_t a[2], const int64_t b[2], int64_t *lo, int64_t *hi) {
    bit_bounds(a, b, lo, hi);
    if (a[0] < 0 && b[0] < 0) return;
    *lo = 0;
    if (a[0] >= 0 && a[1] < *hi) *hi = a[1];
    if (b[0] >= 0 && b[1] < *hi) *hi = b[1];
}

static void shift_bounds(const int64_t a[2], int64_t least, int64_t most, int64_t *lo, int64_t *hi) {
    // To the left by `most` at the most; to the right brings a value nearer to 0 or -1.
    int64_t by = most < 0 ? 0 : most > 31 ? 31 : most;
    *lo = a[0] < 0 ? a[0] * (INT64_C(1) << by) : 0;
    *hi = a[1] > 0 ? a[1] * (INT64_C(1) << by) : least < 0 && a[0] < 0 ? -1 : 0;
    if (*hi < *lo) *hi = *lo;
}

static void arith_bounds(expr_kind kind, const int64_t a[2], const int64_t b[2], int64_t *lo, int64_t *hi) {
    int64_t most = expr_largest_size(a[0], a[1]);
    *lo = INT64_MAX;
    *hi = INT64_MIN;
    switch (kind) {
    case E_ADD: *lo = a[0] + b[0], *hi = a[1] + b[1]; break;
    case E_SUB: *lo = a[0] - b[1], *hi = a[1] - b[0]; break;
    case E_NEG: *lo = -a[1], *hi = -a[0]; break;
    case E_MUL:
        for (int i = 0; i < 4; i++) widen(lo, hi, a[i & 1] * b[i >> 1]);
        break;
    case E_DIV: *lo = a[0] >= 0 && b[0] >= 0 ? 0 : -most, *hi = most; break;
    case E_BITAND: and_bounds(a, b, lo, hi); break;
    case E_BITOR:
    case E_BITXOR: bit_bounds(a, b, lo, hi); break;
    case E_BITNOT: *lo = -a[1] - 1, *hi = -a[0] - 1; break;
    case E_SHL: shift_bounds(a, b[0], b[1], lo, hi); break;
    case E_SHR: shift_bounds(a, -b[1], -b[0], lo, hi); break;
    default: {
        int64_t divisor = expr_largest_size(b[0], b[1]) - 1;
        if (divisor < 0) divisor = 0;
        if (divisor > most) divisor = most;
        *lo = a[0] < 0 ? -divisor : 0, *hi = a[1] > 0 ? divisor : 0;
    }
    }
}

void expr_bounds(const model *m, expr e, int64_t *lo, int64_t *hi) {
    const expr_info *x = expr_of(m, e);
    if (x->kind == E_CONST) {
        *lo = *hi = (value)x->ref;
        return;
    }
    const type_info *t = type_of(m, x->ty);
    bool has_bounds = t->kind == TYPE_RANGE || t->kind == TYPE_REAL;
    *lo = has_bounds ? t->lo : 0;
    *hi = has_bounds ? t->hi : (int64_t)type_known_size(m, x->ty) - 1;
}

static bool fold_shift(int64_t a, int64_t left, int64_t *out) {
    if (left >= 32) *out = 0;
    else if (left >= 0) *out = a * (INT64_C(1) << left);
    else *out = left <= -32 ? (a < 0 ? -1 : 0) : a >> -left;
    return *out == expr_clamp(*out);
}

bool expr_fold(expr_kind kind, int64_t a, int64_t b, int64_t *out) {
    if ((kind == E_DIV || kind == E_MOD) && b == 0) return false;
    switch (kind) {
    case E_ADD: *out = a + b; break;
    case E_SUB: *out = a - b; break;
    case E_MUL: *out = a * b; break;
    case E_DIV: *out = a / b; break;
    case E_MOD: *out = a % b; break;
    case E_NEG: *out = -a; break;
    case E_BITAND: *out = a & b; break;
    case E_BITOR: *out = a | b; break;
    case E_BITXOR: *out = a ^ b; break;
    case E_BITNOT: *out = ~a; break;
    case E_SHL: return fold_shift(a, b, out);
    case E_SHR: return fold_shift(a, -b, out);
    default: return false;
    }
    return *out == expr_clamp(*out);
}

static expr expr_compare(model *m, expr_kind kind, expr a, expr b) {
    value x, y;
    if (expr_is_const(m, a, &x) && expr_is_const(m, b, &y)) return expr_bool(m, kind == E_LT ? x < y : x <= y);
    return expr_intern(m, kind, m->bool_type, 0, (expr[]){a, b}, 2);
}

static bool is_unary(expr_kind kind) { return kind == E_NEG || kind == E_BITNOT; }

static void result_bounds(const model *m, expr_kind kind, expr a, expr b, int64_t *lo, int64_t *hi) {
    int64_t x[2], y[2] = {0, 0};
    expr_bounds(m, a, &x[0], &x[1]);
    if (!is_unary(kind)) expr_bounds(m, b, &y[0], &y[1]);
    arith_bounds(kind, x, y, lo, hi);
}

bool expr_arith_fits(const model *m, expr_kind kind, expr a, expr b) {
    if (kind == E_LT || kind == E_LE) return true;
    int64_t lo, hi;
    result_bounds(m, kind, a, b, &lo, &hi);
    return lo == expr_clamp(lo) && hi == expr_clamp(hi);
}

expr expr_arith(model *m, expr_kind kind, expr a, expr b) {
    if (kind == E_LT || kind == E_LE) return expr_compare(m, kind, a, b);
    int64_t lo, hi;
    value x = 0, y = 0;
    bool constant = expr_is_const(m, a, &x) && (is_unary(kind) || expr_is_const(m, b, &y));
    if (constant && expr_fold(kind, x, y, &lo)) {
        value v = (value)lo;
        return expr_const(m, model_range(m, v, v, (span){0}), v);
    }
    result_bounds(m, kind, a, b, &lo, &hi);
    type ty = model_range(m, (int32_t)expr_clamp(lo), (int32_t)expr_clamp(hi), (span){0});
    return expr_intern(m, kind, ty, 0, (expr[]){a, b}, is_unary(kind) ? 1 : 2);
}

expr expr_real(model *m, type ty, uint32_t op, const expr *args, uint32_t nargs) {
    return expr_intern(m, E_REAL, ty, op, args, nargs);
}

// ---- asking

bool expr_has_var(const model *m, expr e, var v) {
    return expr_of(m, e)->free_mask & expr_var_bit(v.id) && set_has(expr_frees(m, e), v.id);
}

bool expr_reads(const model *m, expr e, func f) {
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w))
        if ((w.x->kind == E_APP || w.x->kind == E_DEFINED) && w.x->ref == f.id) return walk_found(&w);
    return false;
}

bool expr_can_fault(const model *m, expr e) { return expr_of(m, e)->can_fault; }

// ---- rewriting

static expr expr_rebuild(model *m, expr_info x, const expr *args) {
    switch (x.kind) {
    case E_CONST:
    case E_VAR: return expr_intern(m, x.kind, x.ty, x.ref, NULL, 0);
    case E_APP: return expr_app(m, (func){x.ref}, args);
    case E_NEXT: return expr_next(m, (func){x.ref}, args);
    case E_DEFINED: return expr_defined(m, (func){x.ref}, args);
    case E_WIDEN: return expr_widen(m, x.ty, args[0]);
    case E_NARROW: return expr_narrow(m, x.ty, args[0]);
    case E_IS: return expr_is(m, (type){x.ref}, args[0]);
    case E_CALL: return expr_call(m, (def){x.ref}, args);
    case E_NOT: return expr_not(m, args[0]);
    case E_AND: return expr_and_all(m, args, x.nargs);
    case E_OR: return expr_or_all(m, args, x.nargs);
    case E_IMPLIES: return expr_implies(m, args[0], args[1]);
    case E_EQ: return expr_eq(m, args[0], args[1]);
    case E_REAL: return real_rebuild(m, &x, args);
    case E_ITE: return expr_ite(m, args[0], args[1], args[2]);
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: return expr_quantify(m, x.kind, (var){x.ref}, args[0]);
    default: return expr_arith(m, x.kind, args[0], x.nargs > 1 ? args[1] : args[0]);
    }
}

typedef struct {
    expr_visit visit;
    void *context;
    map *memo;  // expr id -> expr id
} rewriter;

// Did a constructor return one of its arguments, or something else than a node of this kind? Then it was visited.
static bool collapsed(const model *m, expr built, expr_kind kind, const expr *args, uint32_t nargs) {
    if (expr_kind_of(m, built) != kind) return true;
    for (uint32_t i = 0; i < nargs; i++)
        if (args[i].id == built.id) return true;
    return false;
}

static expr rewrite_node(model *m, expr e, rewriter *rw) {
    uint32_t known = map_get(rw->memo, &e.id, sizeof e.id, 0);
    if (known) return (expr){known};
    expr_info x = *expr_of(m, e);
    expr small[8], *args = x.nargs > 8 ? mem_alloc(x.nargs * sizeof *args) : small;
    bool changed = false;
    for (uint32_t i = 0; i < x.nargs; i++) {
        args[i] = rewrite_node(m, x.args[i], rw);
        changed |= args[i].id != x.args[i].id;
    }
    expr built = changed ? expr_at(m, expr_rebuild(m, x, args), x.at) : e;
    if (!changed || !collapsed(m, built, x.kind, args, x.nargs)) built = rw->visit(m, built, rw->context);
    if (args != small) free(args);
    map_put(rw->memo, &e.id, sizeof e.id, built.id);
    return built;
}

expr expr_rewrite(model *m, expr e, expr_visit visit, void *context) {
    rewriter rw = {visit, context, map_new()};
    expr result = rewrite_node(m, e, &rw);
    map_free(rw.memo);
    return result;
}

// ---- substitution that does not capture

typedef struct {
    const var *vars;
    const expr *with;
    uint32_t n;
    uint64_t replaced, brought;  // masks of the variables replaced and of those free in `with`
    map *memo;
} substitution;

static expr subst(model *m, expr e, substitution *s);

static substitution subst_start(const model *m, const var *vars, const expr *with, uint32_t n) {
    substitution s = {vars, with, n, 0, 0, map_new()};
    for (uint32_t i = 0; i < n; i++) {
        s.replaced |= expr_var_bit(vars[i].id);
        s.brought |= expr_of(m, with[i])->free_mask;
    }
    return s;
}

// What replaces a variable; id 0: nothing.
static expr replaced_by(const substitution *s, uint32_t id) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->vars[i].id == id) return s->with[i];
    return (expr){0};
}

static bool would_capture(const model *m, const substitution *s, uint32_t bound) {
    if (!(s->brought & expr_var_bit(bound))) return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (expr_has_var(m, s->with[i], (var){bound})) return true;
    return false;
}

// Under a binder of a replaced variable the others are replaced only.
static expr subst_shadowed(model *m, expr e, const substitution *s, uint32_t bound) {
    VEC(var) vars = {0};
    expr_list with = {0};
    for (uint32_t i = 0; i < s->n; i++)
        if (s->vars[i].id != bound) {
            vec_push(&vars, s->vars[i]);
            vec_push(&with, s->with[i]);
        }
    expr result = expr_subst(m, e, vars.data, with.data, vars.len);
    vec_free(&vars);
    vec_free(&with);
    return result;
}

static expr subst_binder(model *m, expr e, expr_info x, substitution *s) {
    if (replaced_by(s, x.ref).id) return s->n == 1 ? e : subst_shadowed(m, e, s, x.ref);
    var v = {x.ref};
    expr body = x.args[0];
    if (would_capture(m, s, x.ref)) {
        var_info old = *var_of(m, v);
        var fresh = model_add_var(m, old.name, old.ty, old.at);
        expr renamed = expr_var(m, fresh);
        body = expr_subst(m, body, &v, &renamed, 1);
        v = fresh;
    }
    return expr_quantify(m, x.kind, v, subst(m, body, s));
}

static expr subst_args(model *m, expr_info x, substitution *s) {
    expr small[8], *args = x.nargs > 8 ? mem_alloc(x.nargs * sizeof *args) : small;
    for (uint32_t i = 0; i < x.nargs; i++) args[i] = subst(m, x.args[i], s);
    expr built = expr_rebuild(m, x, args);
    if (args != small) free(args);
    return built;
}

static expr subst(model *m, expr e, substitution *s) {
    expr_info x = *expr_of(m, e);
    if (!(x.free_mask & s->replaced)) return e;
    if (x.kind == E_VAR) return replaced_by(s, x.ref).id ? replaced_by(s, x.ref) : e;
    uint32_t known = map_get(s->memo, &e.id, sizeof e.id, 0);
    if (known) return (expr){known};
    bool binder = expr_kind_binds(x.kind);
    expr built = binder ? subst_binder(m, e, x, s) : subst_args(m, x, s);
    expr_at(m, built, x.at);
    map_put(s->memo, &e.id, sizeof e.id, built.id);
    return built;
}

expr expr_subst(model *m, expr e, const var *vars, const expr *with, uint32_t n) {
    if (n == 0) return e;
    substitution s = subst_start(m, vars, with, n);
    expr result = subst(m, e, &s);
    map_free(s.memo);
    return result;
}

// The body as it is written gets the arguments, and what that gives is rewritten with the same memo: a call is taken
// apart once, and a chain of definitions costs as much as its text.
static expr inline_visit(model *m, expr e, void *context) {
    expr_info x = *expr_of(m, e);
    if (x.kind != E_CALL) return e;
    def_info d = *def_of(m, (def){x.ref});
    return rewrite_node(m, expr_subst(m, d.body, d.params, x.args, d.nparams), context);
}

expr expr_inline(model *m, expr e) {
    rewriter rw = {inline_visit, NULL, map_new()};
    rw.context = &rw;
    expr result = rewrite_node(m, e, &rw);
    map_free(rw.memo);
    return result;
}

// ---- negation normal form: once for each part and polarity

static expr nnf(model *m, expr e, bool negated, map *memo);

static expr nnf_list(model *m, expr_info x, bool negated, bool conjunction, map *memo) {
    expr_list parts = {0};
    for (uint32_t i = 0; i < x.nargs; i++) vec_push(&parts, nnf(m, x.args[i], negated, memo));
    expr e = conjunction ? expr_and_all(m, parts.data, parts.len) : expr_or_all(m, parts.data, parts.len);
    vec_free(&parts);
    return e;
}

// (c or then) and (not c or other)
static expr nnf_both(model *m, expr c, expr then, expr other, map *memo) {
    expr left = expr_or(m, nnf(m, c, true, memo), then);
    return expr_and(m, left, expr_or(m, nnf(m, c, false, memo), other));
}

static expr nnf_quantifier(model *m, expr_info x, bool negated, map *memo) {
    bool universal = (x.kind == E_FORALL) != negated;
    expr body = nnf(m, x.args[0], negated, memo);
    return expr_quantify(m, universal ? E_FORALL : E_EXISTS, (var){x.ref}, body);
}

static expr nnf_node(model *m, expr e, bool negated, map *memo) {
    expr_info x = *expr_of(m, e);
    switch (x.kind) {
    case E_NOT: return nnf(m, x.args[0], !negated, memo);
    case E_AND: return nnf_list(m, x, negated, !negated, memo);
    case E_OR: return nnf_list(m, x, negated, negated, memo);
    case E_IMPLIES: {
        expr a = nnf(m, x.args[0], !negated, memo), b = nnf(m, x.args[1], negated, memo);
        return negated ? expr_and(m, a, b) : expr_or(m, a, b);
    }
    case E_FORALL:
    case E_EXISTS: return nnf_quantifier(m, x, negated, memo);
    case E_EQ:
        if (!expr_is_bool(m, x.args[0])) break;
        return nnf_both(m, x.args[0], nnf(m, x.args[1], negated, memo), nnf(m, x.args[1], !negated, memo), memo);
    case E_ITE: return nnf_both(m, x.args[0], nnf(m, x.args[1], negated, memo), nnf(m, x.args[2], negated, memo), memo);
    default: break;
    }
    return negated ? expr_not(m, e) : e;
}

static expr nnf(model *m, expr e, bool negated, map *memo) {
    if (!expr_of(m, e)->nargs) return nnf_node(m, e, negated, memo);
    uint32_t key[] = {e.id, negated}, known = map_get(memo, key, sizeof key, 0);
    if (known) return (expr){known};
    expr result = nnf_node(m, e, negated, memo);
    map_put(memo, key, sizeof key, result.id);
    return result;
}

expr expr_nnf(model *m, expr e, bool negated) {
    map *memo = map_new();
    expr result = nnf(m, expr_inline(m, e), negated, memo);
    map_free(memo);
    return result;
}
