// SPDX-License-Identifier: Apache-2.0
// Formulas to clauses over the elements there are: see ground.h.
//
// A literal stands for a formula under the values of its free variables, in the state before or after the
// step, and implies it (Plaisted and Greenbaum's half of Tseitin's encoding: what is only ever required
// needs no converse; a negation is pushed inwards first). The state after is never a state of its own: a
// function written is replaced by its update. A term that is not a variable is named by its value: f(g(a)) = v
// becomes ∀x. g(a) = x → f(x) = v, which is the same as the ∃-form since g is total, and needs no witness.
#include "logic/ground.h"

#include <assert.h>
#include <string.h>

enum { SPLIT_VALUE = MATRIX_MOST_ARGS, SPLIT_LEFT, SPLIT_RIGHT, SPLIT_KINDS };
enum { FORMULA_LIGHT = 1024, CONCRETE_TAG = 2, NOT_CONCRETE = INT32_MIN };  // the tags below are those of finite.c

// ---- connectives

// A literal that implies all of them, or some.
static int formula_gate(ground *g, bool is_all, const lit_list *lits) {
    const int decisive = is_all ? SAT_FALSE : SAT_TRUE;
    int one = -decisive;
    uint32_t n = 0;
    for (uint32_t i = 0; i < lits->len; i++) {
        if (lits->data[i] == decisive) return decisive;
        if (lits->data[i] == -decisive) continue;
        one = lits->data[i];
        n++;
    }
    if (n < 2) return one;
    lit_list some = {0};
    int lit = sat_var(&g->solver);
    if (!is_all) vec_push(&some, -lit);
    for (uint32_t i = 0; i < lits->len; i++) {
        if (!is_all) vec_push(&some, lits->data[i]);
        else if (lits->data[i] != SAT_TRUE) sat_clause2(&g->solver, -lit, lits->data[i]);
    }
    if (!is_all) sat_clause(&g->solver, some.data, some.len);
    vec_free(&some);
    return lit;
}

static int formula_both(ground *g, int a, int b) { return formula_gate(g, true, &(lit_list){(int[]){a, b}, 2, 2}); }
static int formula_either(ground *g, int a, int b) { return formula_gate(g, false, &(lit_list){(int[]){a, b}, 2, 2}); }

static int formula_junction(ground *g, const expr_info *x, bool negated, bool after) {
    lit_list lits = {0};
    for (uint32_t i = 0; i < x->nargs; i++) vec_push(&lits, formula_literal(g, x->args[i], negated, after));
    int lit = formula_gate(g, (x->kind == E_AND) != negated, &lits);
    vec_free(&lits);
    return lit;
}

static int formula_implication(ground *g, const expr_info *x, bool negated, bool after) {
    int a = formula_literal(g, x->args[0], !negated, after);
    int b = formula_literal(g, x->args[1], negated, after);
    return negated ? formula_both(g, a, b) : formula_either(g, a, b);
}

static int equivalence(ground *g, const expr_info *x, bool negated, bool after) {
    int a = formula_literal(g, x->args[0], false, after), not_a = formula_literal(g, x->args[0], true, after);
    int b = formula_literal(g, x->args[1], negated, after), not_b = formula_literal(g, x->args[1], !negated, after);
    return formula_both(g, formula_either(g, not_a, b), formula_either(g, a, not_b));
}

// if c then a else b, where a and b are given.
static int conditional(ground *g, expr c, bool after, int a, int b) {
    int yes = formula_literal(g, c, false, after), no = formula_literal(g, c, true, after);
    return formula_both(g, formula_either(g, no, a), formula_either(g, yes, b));
}

static int formula_decided(ground *g, expr c, bool after) {
    int yes = formula_literal(g, c, false, after);
    if (yes == SAT_TRUE || yes == SAT_FALSE) return yes;
    return formula_literal(g, c, true, after) == SAT_TRUE ? SAT_FALSE : 0;
}

// ---- environments

static uint32_t formula_keep_env(ground *g, expr e) {
    const var_set frees = expr_frees(g->m, e);
    uint32_t at = g->pool.len;
    for (uint32_t i = 0; i < frees.n; i++) vec_push(&g->pool, g->env[frees.vars[i].id]);
    return at;
}

enum { MOST_FREES = 64 };

// e's variables from the pool
static void formula_bind(ground *g, expr e, uint32_t env, value *saved) {
    const var_set frees = expr_frees(g->m, e);
    assert(frees.n <= MOST_FREES);
    for (uint32_t i = 0; i < frees.n; i++) {
        saved[i] = g->env[frees.vars[i].id];
        g->env[frees.vars[i].id] = g->pool.data[env + i];
    }
}

static void formula_unbind(ground *g, expr e, const value *saved) {
    const var_set frees = expr_frees(g->m, e);
    for (uint32_t i = 0; i < frees.n; i++) g->env[frees.vars[i].id] = saved[i];
}

// ---- quantifiers

static type bound_type(const ground *g, expr e) { return var_of(g->m, (var){expr_of(g->m, e)->ref})->ty; }

// The body of the quantifier e for one value of its variable.
static int body_literal(ground *g, expr e, bool negated, bool after, value v) {
    expr_info x = *expr_of(g->m, e);
    value saved = g->env[x.ref];
    g->env[x.ref] = v;
    int lit = formula_literal(g, x.args[0], negated, after);
    g->env[x.ref] = saved;
    return lit;
}

// Over all values, where their number is known.
static int formula_expand(ground *g, expr e, bool is_universal, bool negated, bool after) {
    type t = bound_type(g, e);
    bool is_sort = type_is_unbounded(g->m, t);
    value first = is_sort ? 0 : type_first(g->m, t);
    uint32_t size = is_sort ? g->domains[t.id].size : type_known_size(g->m, t);
    lit_list lits = {0};
    for (uint32_t i = 0; i < size; i++) vec_push(&lits, body_literal(g, e, negated, after, first + (value)i));
    int lit = formula_gate(g, is_universal, &lits);
    vec_free(&lits);
    return lit;
}

static void formula_instance_of(ground *g, universal u, value v) {
    int dead = -cells_alive(g, bound_type(g, u.e), v);
    sat_clause3(&g->solver, -u.lit, dead, body_literal(g, u.e, u.negated, u.after, v));
}

static int new_universal(ground *g, expr e, bool negated, bool after) {
    universal u = {sat_var(&g->solver), e, negated, after, formula_keep_env(g, e)};
    vec_push(&g->universals, u);
    uint32_t size = g->domains[bound_type(g, e).id].size;
    for (uint32_t i = 0; i < size; i++) formula_instance_of(g, u, (value)i);
    return u.lit;
}

void formula_extend(ground *g, type sort, uint32_t upto) {
    value saved[MOST_FREES], newest = (value)g->domains[sort.id].size - 1;
    for (uint32_t i = 0; i < upto; i++) {
        universal u = g->universals.data[i];
        if (!type_same(bound_type(g, u.e), sort)) continue;
        formula_bind(g, u.e, u.env, saved);
        formula_instance_of(g, u, newest);
        formula_unbind(g, u.e, saved);
    }
}

static int witness_literal(ground *g, expr e, bool negated, bool after, value v) {
    return formula_both(g, cells_alive(g, bound_type(g, e), v), body_literal(g, e, negated, after, v));
}

static int new_point(ground *g, expr e, bool negated, bool after) {
    type sort = bound_type(g, e);
    witness_point p = {.seen = g->domains[sort.id].size, .sort = sort, .e = e, .negated = negated, .after = after};
    lit_list clause = {0};
    for (uint32_t i = 0; i < p.seen; i++) vec_push(&clause, witness_literal(g, e, negated, after, (value)i));
    p.more = sat_var(&g->solver);
    vec_push(&clause, p.more);
    p.env = formula_keep_env(g, e);
    vec_push(&g->points, p);
    int lit = formula_gate(g, false, &clause);
    if (lit == SAT_TRUE) (void)vec_pop(&g->points);
    vec_free(&clause);
    return lit;
}

void formula_witness(ground *g, uint32_t point) {
    witness_point p = g->points.data[point];
    value saved[MOST_FREES];
    lit_list clause = {0};
    vec_push(&clause, -p.more);
    if (!p.is_choice) formula_bind(g, p.e, p.env, saved);
    for (uint32_t i = p.seen; i < g->domains[p.sort.id].size; i++)
        vec_push(&clause, p.is_choice ? g->choices.data[p.choice].is.data[i]
                                      : witness_literal(g, p.e, p.negated, p.after, (value)i));
    if (!p.is_choice) formula_unbind(g, p.e, saved);
    sat_clause(&g->solver, clause.data, clause.len);
    vec_free(&clause);
    g->points.data[point].is_closed = true;
}

static int formula_quantifier(ground *g, expr e, bool negated, bool after) {
    bool is_universal = (expr_kind_of(g->m, e) == E_FORALL) != negated;
    if (g->is_fixed || !type_is_unbounded(g->m, bound_type(g, e)))
        return formula_expand(g, e, is_universal, negated, after);
    return is_universal ? new_universal(g, e, negated, after) : new_point(g, e, negated, after);
}

// ---- terms

static bool concrete(ground *g, expr e, value *v);

static bool is_concrete_node(ground *g, expr e, value *v) {
    expr_info x = *expr_of(g->m, e);
    if (x.kind == E_VAR) *v = g->env[x.ref];
    else if (x.kind == E_CONST) *v = (value)x.ref;
    if (x.kind == E_VAR) return true;
    if (x.kind == E_CONST) return !type_is_unbounded(g->m, x.ty);
    if (x.kind < E_ADD || x.kind > E_NEG) return false;
    value a, b = 0;
    int64_t sum;
    if (!concrete(g, x.args[0], &a) || (x.nargs > 1 && !concrete(g, x.args[1], &b))) return false;
    if (!expr_fold(x.kind, a, b, &sum)) return false;
    *v = (value)sum;
    return true;
}

// Is the value of the term plain from the environment? What is large as a tree is asked once.
static bool concrete(ground *g, expr e, value *v) {
    if (expr_of(g->m, e)->weight < FORMULA_LIGHT) return is_concrete_node(g, e, v);
    if (heavy_get(&g->heavy, g->m, e, CONCRETE_TAG, g->env, v)) return *v != NOT_CONCRETE;
    bool is_concrete = is_concrete_node(g, e, v);
    heavy_put(&g->heavy, g->m, e, CONCRETE_TAG, g->env, is_concrete ? *v : NOT_CONCRETE);
    return is_concrete;
}

// The variable that names a value of a type in one of the places.
static var split_var(ground *g, type t, uint32_t place) {
    uint32_t key[2] = {t.id, place};
    while (g->split_vars.len <= t.id * SPLIT_KINDS + place) vec_push(&g->split_vars, (var){0});
    var *v = &g->split_vars.data[key[0] * SPLIT_KINDS + key[1]];
    if (!v->id) *v = model_add_var(g->m, "w", t, (span){0});
    ground_make_room(g);
    return *v;
}

// ∀x. term = x → rest
static int formula_split(ground *g, var x, expr term, expr rest, bool after) {
    model *m = g->m;
    expr named = expr_implies(m, expr_eq(m, term, expr_var(m, x)), rest);
    return formula_literal(g, expr_quantify(m, E_FORALL, x, named), false, after);
}

// "e = v" or its negation as an expression, where v is the value of `y`.
static expr value_claim(ground *g, expr e, var y, bool negated) {
    expr claim = expr_eq(g->m, e, expr_var(g->m, y));
    return negated ? expr_not(g->m, claim) : claim;
}

static expr replace_arg(ground *g, const expr_info *x, uint32_t i, expr with) {
    expr args[MATRIX_MOST_ARGS];
    for (uint32_t k = 0; k < x->nargs; k++) args[k] = k == i ? with : x->args[k];
    switch (x->kind) {
    case E_APP: return expr_app(g->m, (func){x->ref}, args);
    case E_NEXT: return expr_next(g->m, (func){x->ref}, args);
    default: return expr_arith(g->m, x->kind, args[0], x->nargs > 1 ? args[1] : args[0]);
    }
}

// term(.., a_i, ..) = v with a_i named; x is the term's node.
static int split_arg(ground *g, expr_info x, uint32_t i, value v, bool negated, bool after) {
    bool is_app = x.kind == E_APP || x.kind == E_NEXT;
    type t = is_app ? func_of(g->m, (func){x.ref})->args[i] : expr_type(g->m, x.args[i]);
    var name = split_var(g, t, i), y = split_var(g, x.ty, SPLIT_VALUE);
    expr inner = replace_arg(g, &x, i, expr_var(g->m, name));
    value saved = g->env[y.id];
    g->env[y.id] = v;
    int lit = formula_split(g, name, x.args[i], value_claim(g, inner, y, negated), after);
    g->env[y.id] = saved;
    return lit;
}

static int formula_is(ground *g, expr e, value v, bool negated, bool after);

static int written_is(ground *g, const update *u, const value *args, uint32_t n, value v, bool negated) {
    value saved[MATRIX_MOST_ARGS];
    for (uint32_t i = 0; i < n; i++) {
        saved[i] = g->env[u->formals[i].id];
        g->env[u->formals[i].id] = args[i];
    }
    int lit = formula_is(g, u->value, v, negated, false);
    for (uint32_t i = 0; i < n; i++) g->env[u->formals[i].id] = saved[i];
    return lit;
}

static int app_is(ground *g, expr_info x, value v, bool negated, bool after) {
    value args[MATRIX_MOST_ARGS];
    const table *t = &g->tables[x.ref];
    bool next = after || x.kind == E_NEXT;
    for (uint32_t i = 0; i < x.nargs; i++)
        if (!concrete(g, x.args[i], &args[i])) return split_arg(g, x, i, v, negated, after);
    if (next && !t->is_chosen && t->written) return written_is(g, t->written, args, x.nargs, v, negated);
    int lit = cells_is(g, t, next && t->is_chosen, args, v);
    return negated ? -lit : lit;
}

static int arith_is(ground *g, expr e, expr_info x, value v, bool negated, bool after) {
    value known;
    if (concrete(g, e, &known)) return (known == v) != negated ? SAT_TRUE : SAT_FALSE;
    bool first = !concrete(g, x.args[0], &known);
    return split_arg(g, x, first ? 0 : 1, v, negated, after);
}

static int term_is(ground *g, expr e, value v, bool negated, bool after) {
    expr_info x = *expr_of(g->m, e);
    switch (x.kind) {
    case E_VAR: return (g->env[x.ref] == v) != negated ? SAT_TRUE : SAT_FALSE;
    case E_CONST: {
        int lit = type_is_unbounded(g->m, x.ty) ? cells_is_least(g, x.ty, v) : (value)x.ref == v ? SAT_TRUE : SAT_FALSE;
        return negated ? -lit : lit;
    }
    case E_APP:
    case E_NEXT: return app_is(g, x, v, negated, after);
    case E_ITE: {
        int which = formula_decided(g, x.args[0], after);
        if (which) return formula_is(g, x.args[which == SAT_TRUE ? 1 : 2], v, negated, after);
        int a = formula_is(g, x.args[1], v, negated, after), b = formula_is(g, x.args[2], v, negated, after);
        return conditional(g, x.args[0], after, a, b);
    }
    default: return arith_is(g, e, x, v, negated, after);
    }
}

// ---- atoms

static int formula_equation(ground *g, expr_info x, bool negated, bool after) {
    value v;
    if (concrete(g, x.args[0], &v)) return formula_is(g, x.args[1], v, negated, after);
    if (concrete(g, x.args[1], &v)) return formula_is(g, x.args[0], v, negated, after);
    var name = split_var(g, expr_type(g->m, x.args[0]), SPLIT_LEFT);
    return formula_split(g, name, x.args[0], value_claim(g, x.args[1], name, negated), after);
}

static int formula_compare(const ground *g, const expr_info *x, value a, value b) {
    bool less = x->kind == E_LT;
    if (a == b) return less ? SAT_FALSE : SAT_TRUE;
    type t = expr_type(g->m, x->args[0]);
    if (type_is_unbounded(g->m, t)) return cells_before(g, t, a, b);
    return a < b ? SAT_TRUE : SAT_FALSE;
}

static int formula_comparison(ground *g, expr_info x, bool negated, bool after) {
    value v[2];
    for (uint32_t i = 0; i < 2; i++) {
        if (concrete(g, x.args[i], &v[i])) continue;
        var name = split_var(g, expr_type(g->m, x.args[i]), i ? SPLIT_RIGHT : SPLIT_LEFT);
        expr args[2] = {x.args[0], x.args[1]};
        args[i] = expr_var(g->m, name);
        expr rest = expr_arith(g->m, x.kind, args[0], args[1]);
        return formula_split(g, name, x.args[i], negated ? expr_not(g->m, rest) : rest, after);
    }
    int lit = formula_compare(g, &x, v[0], v[1]);
    return negated ? -lit : lit;
}

static int formula_choose(ground *g, const expr_info *x, bool negated, bool after) {
    int which = formula_decided(g, x->args[0], after);
    if (which) return formula_literal(g, x->args[which == SAT_TRUE ? 1 : 2], negated, after);
    int a = formula_literal(g, x->args[1], negated, after), b = formula_literal(g, x->args[2], negated, after);
    return conditional(g, x->args[0], after, a, b);
}

static int composite(ground *g, expr e, expr_info x, bool negated, bool after) {
    switch (x.kind) {
    case E_AND:
    case E_OR: return formula_junction(g, &x, negated, after);
    case E_IMPLIES: return formula_implication(g, &x, negated, after);
    case E_EQ:
        if (expr_is_bool(g->m, x.args[0])) return equivalence(g, &x, negated, after);
        return formula_equation(g, x, negated, after);
    case E_LT:
    case E_LE: return formula_comparison(g, x, negated, after);
    case E_ITE: return formula_choose(g, &x, negated, after);
    case E_FORALL:
    case E_EXISTS: return formula_quantifier(g, e, negated, after);
    default: assert(!"a formula of this kind"); return SAT_FALSE;
    }
}

// ---- each formula once under each environment

enum { KEY_MOST = MOST_FREES + 3 };

static uint32_t formula_make_key(ground *g, expr e, uint32_t flags, value v, uint32_t *key) {
    const var_set frees = expr_frees(g->m, e);
    uint32_t n = 0;
    key[n++] = e.id;
    key[n++] = flags;
    key[n++] = (uint32_t)v;
    for (uint32_t i = 0; i < frees.n; i++) key[n++] = (uint32_t)g->env[frees.vars[i].id];
    return n * sizeof *key;
}

static bool formula_is_cut(ground *g, expr e) {
    g->is_cut |= limits_met_lately(g->stop, &g->steps) != LIMIT_NONE || expr_frees(g->m, e).n > MOST_FREES;
    return g->is_cut;
}

int formula_literal(ground *g, expr e, bool negated, bool after) {
    expr_info x = *expr_of(g->m, e);
    if (x.kind == E_NOT) return formula_literal(g, x.args[0], !negated, after);
    if (after && !ground_touched(g, e)) after = false;
    if (x.kind == E_VAR || x.kind == E_CONST || x.kind == E_APP || x.kind == E_NEXT)
        return term_is(g, e, 1, negated, after);
    if (formula_is_cut(g, e)) return SAT_TRUE;
    uint32_t key[KEY_MOST], size = formula_make_key(g, e, (uint32_t)(negated | after << 1), 0, key);
    uint32_t known = map_get(g->memo, key, size, 0);
    if (known) return (int)known;
    int lit = composite(g, e, x, negated, after);
    map_put(g->memo, key, size, (uint32_t)lit);
    return lit;
}

static int formula_is(ground *g, expr e, value v, bool negated, bool after) {
    if (expr_is_bool(g->m, e)) return formula_literal(g, e, negated != (v == 0), after);
    if (after && !ground_touched(g, e)) after = false;
    if (expr_kind_of(g->m, e) != E_ITE) return term_is(g, e, v, negated, after);
    if (formula_is_cut(g, e)) return SAT_TRUE;
    uint32_t key[KEY_MOST], size = formula_make_key(g, e, (uint32_t)(negated | after << 1 | 4), v, key);
    uint32_t known = map_get(g->memo, key, size, 0);
    if (known) return (int)known;
    int lit = term_is(g, e, v, negated, after);
    map_put(g->memo, key, size, (uint32_t)lit);
    return lit;
}

void formula_assert(ground *g, expr e) {
    int lit = formula_literal(g, expr_inline(g->m, e), false, false);
    sat_clause(&g->solver, &lit, 1);
}
