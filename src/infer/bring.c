// SPDX-License-Identifier: Apache-2.0
// Lemmas against a countermodel: which of the clauses that exclude its state are added.
//
// The best ones are inductive by themselves: those among the clauses found that every rule preserves, given
// what stands and themselves. They need no further lemmas, so if a single one is inductive, it is added alone, else
// all of them. When none is inductive, a few are added nevertheless; what they lack will show, and other lemmas may
// make up for it.
#include "infer/prover.h"

enum { MOST_SINGLE = 6 };  // tries of one alone

static uint32_t depth_of(const prover *x, const bits *purpose) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = purpose ? bits_next(purpose, 0) : UINT32_MAX; i != UINT32_MAX; i = bits_next(purpose, i + 1))
        if (x->lemmas.data[i].depth < least) least = x->lemmas.data[i].depth;
    return least == UINT32_MAX ? 0 : least + 1;
}

static void bring_admit(prover *x, const clause *c, uint32_t depth, const bits *purpose, bits *fresh) {
    uint32_t known = map_get(x->by_clause, c, clause_bytes(c), UINT32_MAX);
    if (known != UINT32_MAX && (bits_has(&x->banned, known) || bits_has(&x->stands, known))) return;
    uint32_t l = prover_add_clause(x, c);
    bits_clear(&x->lemmas.data[l].purpose);
    if (purpose) bits_copy(&x->lemmas.data[l].purpose, purpose);
    x->lemmas.data[l].depth = depth;
    bits_add(fresh, l);
}

// Takes out of `set` what some rule does not preserve, given `base` and the set itself, until the rest is
// inductive.
static void weaken_set(prover *x, const bits *base, bits *set) {
    bits assumed = {0}, failed = {0};
    for (bool again = true; again && !bits_is_empty(set);) {
        again = false;
        for (uint32_t r = 0; r < x->nrules && !bits_is_empty(set); r++) {
            answer a;
            do {
                bits_copy(&assumed, base);
                bits_join(&assumed, set);
                bits_clear(&failed);
                a = logic_preserved(x->logic, r, &assumed, set, &failed);
                again |= a != ANSWER_PROVED;
                if (a != ANSWER_PROVED && bits_is_empty(&failed)) bits_copy(&failed, set);
                bits_minus(set, &failed);
            } while (a != ANSWER_PROVED && !bits_is_empty(set) && !prover_out_of_time(x));
        }
        if (prover_out_of_time(x)) bits_clear(set);
    }
    bits_free(&assumed);
    bits_free(&failed);
}

// One lemma of the set that is inductive without the others; UINT32_MAX: none of those tried.
static uint32_t single(prover *x, const bits *base, const bits *set) {
    bits one = {0};
    uint32_t tries = 0, found = UINT32_MAX;
    for (uint32_t i = bits_next(set, 0); i != UINT32_MAX && tries++ < MOST_SINGLE; i = bits_next(set, i + 1)) {
        bits_clear(&one);
        bits_add(&one, i);
        weaken_set(x, base, &one);
        if (!bits_is_empty(&one)) found = i;
        if (found != UINT32_MAX) break;
    }
    bits_free(&one);
    return found;
}

// Of the fresh lemmas (which do not stand), those that are added.
static void bring_choose(prover *x, bits *fresh) {
    bits inductive = {0};
    bits_copy(&inductive, fresh);
    weaken_set(x, &x->stands, &inductive);
    uint32_t one = bits_count(&inductive) > 1 ? single(x, &x->stands, &inductive) : UINT32_MAX;
    if (one != UINT32_MAX) {
        bits_clear(&inductive);
        bits_add(&inductive, one);
    }
    if (!bits_is_empty(&inductive)) {
        bits_copy(fresh, &inductive);
        for (uint32_t r = 0; r < x->nrules; r++) bits_join(&x->settled.data[r], fresh);
    } else {
        uint32_t n = 0;
        BITS_EACH(i, fresh)
            if (n++ >= prover_levels[x->level].clauses) bits_remove(fresh, i);
    }
    bits_free(&inductive);
}

bool bring_in(prover *x, const instance *in, const value *state, const bits *purpose) {
    clause_list found = {0};
    bits fresh = {0}, initial = {0};
    uint32_t depth = depth_of(x, purpose);
    block_state(x->schemas.data, x->schemas.len, in, state, &x->limits, &found);
    for (uint32_t i = 0; i < found.len; i++) bring_admit(x, &found.data[i], depth, purpose, &fresh);
    bool some = !bits_is_empty(&fresh);
    prover_check_initially(x, &fresh);
    bits_copy(&initial, &fresh);
    bits_intersect(&initial, &x->stands);
    bits_minus(&x->stands, &fresh);
    bits_minus(&x->asked, &fresh);
    if (!bits_is_empty(&initial)) bring_choose(x, &initial);
    bits_join(&x->stands, &initial);
    bits_join(&x->asked, &initial);
    x->out->stats.blocked += some;
    bits_free(&fresh);
    bits_free(&initial);
    vec_free(&found);
    return some;
}
