// SPDX-License-Identifier: Apache-2.0
// The schemas of a level: which variables clauses may have.
//
// Every choice of up to a number of variables, and every part of the quantifier prefix of the property itself: what an
// invariant property says about two nodes, a key and two values will hardly follow from lemmas about fewer. Then
// come the schemas of the model: their fixed literals are atoms for all.
#include "infer/prover.h"

#include "model/expr.h"
#include "model/walk.h"

#include <string.h>

enum { PREFIX_MOST = 6 };  // variables; a longer prefix is left out
enum { SEPARATOR_MOST = 5, SEPARATOR_PREFIX = 4 };

static uint32_t sort_limit(const prover *x, uint32_t s) {
    uint32_t fixed = type_of(x->m, x->pool->sorts.data[s])->fixed_size;
    return fixed && fixed < POOL_PER_SORT ? fixed : POOL_PER_SORT;
}

static bool schema_is_known(const prover *x, const uint32_t *counts) {
    for (uint32_t i = 0; i < x->schemas.len; i++)
        if (memcmp(x->schemas.data[i]->counts, counts, x->pool->sorts.len * sizeof *counts) == 0) return true;
    return false;
}

static void add_samples(prover *x) {
    for (uint32_t i = 0; i < x->samples.len; i++) {
        if (x->values.len <= i) vec_push(&x->values, valuation_new(x->pool, x->samples.data[i]));
        side_add_sample(x, x->values.data[i], NULL);
    }
}

static void add_schema(prover *x, const uint32_t *counts) {
    if (schema_is_known(x, counts)) return;
    vec_push(&x->schemas, rows_new(x->pool, counts, prover_levels[x->level].atoms));
}

// Every way to have `left` more variables, of sorts from s on, at most so many of each.
static void choose_counts(prover *x, const uint32_t *most, uint32_t *counts, uint32_t s, uint32_t left) {
    if (s == x->pool->sorts.len) {
        if (!left) add_schema(x, counts);
        return;
    }
    for (uint32_t n = 0; n <= left && n <= most[s]; n++) {
        counts[s] = n;
        choose_counts(x, most, counts, s + 1, left - n);
    }
    counts[s] = 0;
}

static void add_schemas(prover *x, const uint32_t *most, uint32_t variables) {
    uint32_t counts[POOL_SORTS] = {0};
    for (uint32_t n = 0; n <= variables; n++) choose_counts(x, most, counts, 0, n);
}

// ---- the prefix of a property

// How many universal variables of each sort a formula in negation normal form has; branches of a conjunction are
// formulas of their own.
typedef struct {
    const atom_pool *pool;
    uint32_t sort;
} counting;

static uint32_t join_prefix(const model *m, expr e, const uint32_t *parts, void *context) {
    const counting *c = context;
    const expr_info *x = expr_of(m, e);
    uint32_t n = 0;
    if (x->kind == E_FORALL) return parts[0] + (atoms_sort(c->pool, var_of(m, (var){x->ref})->ty) == c->sort);
    if (x->kind != E_AND && x->kind != E_OR) return 0;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (x->kind == E_OR) n += parts[i];
        else if (parts[i] > n) n = parts[i];
    return n < POOL_PER_SORT ? n : POOL_PER_SORT;
}

static uint32_t property_prefix(prover *x, uint32_t *most) {
    const prop_info *p = prop_of(x->m, x->property);
    expr cond = p->kind == PROP_INVARIANT ? expr_nnf(x->m, p->cond, false) : x->m->true_expr;
    uint32_t total = 0;
    memset(most, 0, POOL_SORTS * sizeof *most);
    for (uint32_t s = 0; s < x->pool->sorts.len; s++) {
        most[s] = walk_fold(x->m, cond, join_prefix, &(counting){x->pool, s});
        if (most[s] > sort_limit(x, s)) most[s] = sort_limit(x, s);
        total += most[s];
    }
    return total;
}

// ---- the user's

// Pool variables in the place of the schema's: the first of each sort, in order. `counts` becomes how many.
static void pool_variables(const prover *x, const schema_info *u, uint32_t *counts, expr *with) {
    for (uint32_t i = 0; i < u->nvars; i++) {
        uint32_t s = atoms_sort(x->pool, var_of(x->m, u->vars[i])->ty);
        with[i] = expr_var(x->m, x->pool->vars.data[s * POOL_PER_SORT + counts[s]++]);
    }
}

static uint32_t find_atom(const prover *x, expr e) {
    for (uint32_t i = 0; i < x->pool->atoms.len; i++)
        if (x->pool->atoms.data[i].e.id == e.id) return i;
    return ATOM_NONE;
}

// The literal of a formula over pool variables, or UINT32_MAX.
static uint32_t find_literal(const prover *x, expr e) {
    bool negated = expr_kind_of(x->m, e) == E_NOT;
    if (negated) e = expr_arg(x->m, e, 0);
    uint32_t a = find_atom(x, e);
    if (a == ATOM_NONE && expr_kind_of(x->m, e) == E_EQ)
        a = find_atom(x, expr_eq(x->m, expr_arg(x->m, e, 1), expr_arg(x->m, e, 0)));
    return a == ATOM_NONE ? UINT32_MAX : a * 2 + negated;
}

static bool sorts_are_known(const prover *x, const schema_info *u) {
    for (uint32_t i = 0; i < u->nvars; i++)
        if (atoms_sort(x->pool, var_of(x->m, u->vars[i])->ty) == UINT32_MAX) return false;
    return true;
}

static void add_user_schema(prover *x, const schema_info *u) {
    uint32_t counts[POOL_SORTS] = {0};
    expr with[POOL_SORTS * SCHEMA_MOST_VARS];
    bool good = sorts_are_known(x, u);
    if (good) pool_variables(x, u, counts, with);
    rows *r = rows_new(x->pool, counts, prover_levels[x->level].atoms);
    r->nholes = u->nholes;
    for (uint32_t i = 0; i < u->nfixed && good; i++) {
        uint32_t lit = find_literal(x, expr_subst(x->m, expr_inline(x->m, u->fixed[i]), u->vars, with, u->nvars));
        good = lit != UINT32_MAX && r->column_of[lit / 2] != ATOM_NONE;
        if (good) r->fixed.lits[r->fixed.n++] = (uint16_t)lit;
    }
    if (good) vec_push(&x->schemas, r);
    else {
        diag_warning(x->m->messages, u->at, "schema '%s' has a literal that no lemma can have; it is left out",
                     u->name);
        rows_free(r);
    }
}

void schema_add_atoms(model *m, sys s, atom_pool *p) {
    for (uint32_t k = 0; k < sys_of(m, s)->schemas.len; k++) {
        schema_info u = sys_of(m, s)->schemas.data[k];
        for (uint32_t i = 0; i < u.nfixed; i++) {
            expr e = expr_inline(m, u.fixed[i]);
            if (expr_kind_of(m, e) == E_NOT) e = expr_arg(m, e, 0);
            atoms_add_shape(p, e, expr_frees(m, e).vars, expr_frees(m, e).n, ATOMS_OF_MODEL);
        }
    }
}

void schema_make_of(prover *x, const uint32_t *most, uint32_t variables) {
    for (uint32_t i = 0; i < x->schemas.len; i++) rows_free(x->schemas.data[i]);
    vec_clear(&x->schemas);
    add_schemas(x, most, variables);
    add_samples(x);
    x->nplain = x->schemas.len;
    x->limits = (block_limits){prover_levels[x->level].literals, BLOCK_CLAUSES, BLOCK_NODES};
}

void schema_make(prover *x) {
    const level_info *l = &prover_levels[x->level];
    uint32_t most[POOL_SORTS] = {0};
    for (uint32_t i = 0; i < x->schemas.len; i++) rows_free(x->schemas.data[i]);
    vec_clear(&x->schemas);
    for (uint32_t s = 0; s < x->pool->sorts.len; s++) most[s] = sort_limit(x, s);
    add_schemas(x, most, l->variables);
    x->nplain = x->schemas.len;
    uint32_t total = property_prefix(x, most);
    if (total <= PREFIX_MOST) add_schemas(x, most, total);
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->schemas.len; i++)
        add_user_schema(x, &sys_of(x->m, x->system)->schemas.data[i]);
    add_samples(x);
    x->limits = (block_limits){l->literals, BLOCK_CLAUSES, BLOCK_NODES};
}

// ---- separators

// A quantified atom, and copies of what it speaks about: as many of each of its sorts as the property has.
static void add_copies(prover *x, const shape *s, const uint32_t *prefix) {
    uint32_t most[POOL_SORTS] = {0}, total = 0;
    if (!s->is_quantified || s->nformals < 3) return;
    for (uint32_t k = 0; k < s->nformals; k++) most[s->sorts[k]]++;
    for (uint32_t i = 0; i < x->pool->sorts.len; i++) {
        if (most[i] && most[i] < prefix[i]) most[i] = prefix[i];
        total += most[i];
    }
    add_schemas(x, most, total < SEPARATOR_MOST ? total : SEPARATOR_MOST);
}

void schema_make_separators(prover *x) {
    const level_info *l = &prover_levels[x->level];
    uint32_t prefix[POOL_SORTS], most[POOL_SORTS] = {0};
    uint32_t total = property_prefix(x, prefix);
    for (uint32_t i = 0; i < x->schemas.len; i++) rows_free(x->schemas.data[i]);
    vec_clear(&x->schemas);
    for (uint32_t i = 0; i < x->pool->sorts.len; i++) most[i] = sort_limit(x, i);
    add_schemas(x, most, l->variables);
    x->nplain = x->schemas.len;
    add_schemas(x, prefix, total < SEPARATOR_PREFIX ? total : SEPARATOR_PREFIX);
    for (uint32_t i = 0; i < x->pool->shapes.len; i++) add_copies(x, &x->pool->shapes.data[i], prefix);
    add_samples(x);
    x->limits = (block_limits){l->literals, BLOCK_CLAUSES, BLOCK_NODES};
}
