// SPDX-License-Identifier: Apache-2.0
// Separators: lemmas that need what holds of some element beside what holds of all (Koenig, Padon, Immerman and Aiken,
// PLDI 2020, are after the same ones). That no two values are chosen in Paxos rests on one such lemma: for a round, a
// later one, two values and a quorum, *some* node of the quorum has left the round without voting.
//
// An atom of provenance says the part about some element: it is a conjunction in disjunctive form over variables of its
// own. So clauses over such atoms are enough, of few literals, if they may have the variables that the atom speaks
// about, and those once more (schema_make_separators). What keeps useless ones out is a sample of long runs (runs.c).
#include "infer/prover.h"

#include "model/expr.h"

enum { SEPARATE_SIZE = 3, SEPARATE_LARGEST = 4 };

// Three elements where something is fixed about them, such as an order or a membership; else two. One more if there is
// a constant, which is often an element that nothing happens to.
static uint32_t separate_size(const prover *x, type t) {
    bool has_constant = false, is_fixed = type_of(x->m, t)->is_ordered;
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->funcs.len; i++) {
        const func_info *f = func_of(x->m, sys_of(x->m, x->system)->funcs.data[i]);
        has_constant |= !f->nargs && type_same(f->result, t);
        for (uint32_t k = 0; k < f->nargs && f->is_rigid; k++) is_fixed |= type_same(f->args[k], t);
    }
    uint32_t size = (is_fixed ? SEPARATE_SIZE : SEPARATE_SIZE - 1) + has_constant;
    return size < SEPARATE_LARGEST ? size : SEPARATE_LARGEST;
}

sample *separate_sample(prover *x) {
    sort_size sizes[POOL_SORTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->pool->sorts.len; i++) {
        type t = x->pool->sorts.data[i];
        if (!type_of(x->m, t)->fixed_size) sizes[n++] = (sort_size){t, separate_size(x, t)};
    }
    return runs_sample(x, sizes, n, RUNS_STARTS);
}

static outcome separate_guided(prover *x, uint64_t work) {
    own_before before;
    if (!own_enter(x, &before)) return OUTCOME_STUCK;
    x->most_work = logic_statistics(x->logic)->work + work;
    logic_set_most_work(x->logic, x->most_work);
    outcome end = guide_level(x);
    x->most_work = 0;
    logic_set_most_work(x->logic, 0);
    own_leave(x, &before, end == OUTCOME_PROVED);
    return end;
}

outcome separate_search(prover *x, const sort_order *order, uint64_t work) {
    x->level = LEVEL_SEPARATORS;
    proof_take_way(x->out, WAY_SEPARATORS);
    tries_use_pool(x, order);
    schema_make_separators(x);
    tries_reset(x);
    outcome end = separate_guided(x, work);
    if (end != OUTCOME_PROVED) tries_use_pool(x, NULL);
    if (end != OUTCOME_PROVED) x->level = 0;
    return end;
}
