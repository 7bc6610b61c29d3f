// SPDX-License-Identifier: Apache-2.0
// The schemas of a level: which variables clauses may have.
//
// Every choice of up to so many variables, and every part of the quantifier prefix of the property itself: what an
// invariant property says about two nodes, a key and two values will hardly follow from lemmas about fewer.
#include "infer/prover.h"

#include "model/expr.h"

#include <string.h>

enum { PREFIX_MOST = 6 };  // variables; a longer prefix is left out

static uint32_t sort_limit(const prover *x, uint32_t s) {
    uint32_t fixed = type_of(x->m, x->pool->sorts.data[s])->fixed_size;
    return fixed && fixed < POOL_PER_SORT ? fixed : POOL_PER_SORT;
}

static bool is_known(const prover *x, const uint32_t *counts) {
    for (uint32_t i = 0; i < x->schemas.len; i++)
        if (memcmp(x->schemas.data[i]->counts, counts, x->pool->sorts.len * sizeof *counts) == 0) return true;
    return false;
}

static void add_schema(prover *x, const uint32_t *counts) {
    if (is_known(x, counts)) return;
    rows *r = rows_new(x->pool, counts, prover_levels[x->level].atoms);
    for (uint32_t i = 0; i < x->samples.len; i++) {
        if (x->values.len <= i) vec_push(&x->values, valuation_new(x->pool, x->samples.data[i]));
        rows_add_sample(r, x->values.data[i], NULL);
    }
    vec_push(&x->schemas, r);
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
static void count_prefix(const prover *x, expr e, uint32_t *counts) {
    const model *m = x->m;
    const expr_info *info = expr_of(m, e);
    uint32_t part[POOL_SORTS];
    if (info->kind == E_FORALL) {
        uint32_t s = atoms_sort(x->pool, var_of(m, (var){info->ref})->ty);
        count_prefix(x, info->args[0], counts);
        if (s != UINT32_MAX) counts[s]++;
    } else if (info->kind == E_AND || info->kind == E_OR) {
        for (uint32_t i = 0; i < info->nargs; i++) {
            memset(part, 0, sizeof part);
            count_prefix(x, info->args[i], part);
            for (uint32_t s = 0; s < POOL_SORTS; s++)
                if (info->kind == E_OR) counts[s] += part[s];
                else if (part[s] > counts[s]) counts[s] = part[s];
        }
    }
}

static uint32_t property_prefix(prover *x, uint32_t *most) {
    const prop_info *p = prop_of(x->m, x->property);
    uint32_t total = 0;
    memset(most, 0, POOL_SORTS * sizeof *most);
    if (p->kind == PROP_INVARIANT) count_prefix(x, expr_nnf(x->m, expr_inline(x->m, p->cond), false), most);
    for (uint32_t s = 0; s < x->pool->sorts.len; s++) {
        if (most[s] > sort_limit(x, s)) most[s] = sort_limit(x, s);
        total += most[s];
    }
    return total;
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
    x->limits = (block_limits){l->literals, BLOCK_CLAUSES, BLOCK_NODES};
}
