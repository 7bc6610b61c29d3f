// SPDX-License-Identifier: Apache-2.0
// A smaller proof: lemmas are removed while the rest is still inductive and implies the property.
//
// A group of lemmas is removed, what is no longer inductive falls with it, and if the goals are still
// met the smaller set is kept; else it is put back and its halves are tried. Groups start large, so that much
// goes at once. Where all that is to be shown is preserved, the proofs found so far name the lemmas they rest on, and
// the others go without a question.
#include "infer/prover.h"

#include "base/clock.h"

typedef struct {
    bits stands, asked;
} standing;

static void save(const prover *x, standing *s) {
    bits_copy(&s->stands, &x->stands);
    bits_copy(&s->asked, &x->asked);
}

static void restore(prover *x, const standing *s) {
    bits_copy(&x->stands, &s->stands);
    bits_copy(&x->asked, &s->asked);
}

// Drops what one rule no longer preserves; false when a property or assumption would fall.
static bool weaken_rule(prover *x, uint32_t r, bool *dropped) {
    bits failed = {0};
    bool ok = true;
    for (;;) {
        bits_clear(&failed);
        answer a = logic_preserved(x->logic, r, &x->stands, &x->asked, &failed);
        if (a == ANSWER_PROVED) break;
        ok = a == ANSWER_REFUTED;
        for (uint32_t i = bits_next(&failed, 0); i != UINT32_MAX && ok; i = bits_next(&failed, i + 1)) {
            ok = x->lemmas.data[i].kind == LEMMA_FOUND;
            bits_remove(&x->stands, i);
            bits_remove(&x->asked, i);
            *dropped = true;
        }
        if (!ok) break;
    }
    bits_free(&failed);
    return ok;
}

// Is what stands, or a part of it, inductive and strong enough? Leaves that part standing.
static bool suffices(prover *x) {
    if (!prover_goals_hold(x)) return false;
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (uint32_t r = 0; r < x->nrules; r++)
            if (!weaken_rule(x, r, &dropped)) return false;
        if (dropped && !prover_goals_hold(x)) return false;
    }
    return true;
}

typedef VEC(uint32_t) number_list;

static bool shrinks_on(const prover *x) {
    bool is_worn_out = x->most_shrink && logic_statistics(x->logic)->work >= x->most_shrink;
    return !is_worn_out && !prover_out_of_time(x);
}

static void try_without(prover *x, const number_list *l, uint32_t from, uint32_t to) {
    standing before = {0};
    bool some = false;
    save(x, &before);
    for (uint32_t i = from; i < to; i++) {
        some |= bits_has(&x->stands, l->data[i]);
        bits_remove(&x->stands, l->data[i]);
        bits_remove(&x->asked, l->data[i]);
    }
    if (some && shrinks_on(x) && !suffices(x)) {
        restore(x, &before);
        if (to - from > 1) {
            try_without(x, l, from, (from + to) / 2);
            try_without(x, l, (from + to) / 2, to);
        }
    } else if (some && !shrinks_on(x)) restore(x, &before);
    bits_free(&before.stands);
    bits_free(&before.asked);
}

// The lemmas that the goals rest on.
static bool shrink_find_goals(prover *x, bits *used) {
    bits here = {0};
    bool ok = true;
    for (uint32_t i = 0; i < x->goals.len && ok; i++) {
        ok = logic_implied_by(x->logic, UINT32_MAX, &x->stands, x->goals.data[i].cond, &here) == ANSWER_PROVED;
        bits_join(used, &here);
    }
    bits_free(&here);
    return ok;
}

// The lemmas that all that is to be shown rests on, directly or not; false if that is not known.
static bool shrink_find_used(prover *x, bits *used) {
    bits done = {0};
    bool ok = shrink_find_goals(x, used);
    BITS_EACH(i, &x->asked)
        if (x->lemmas.data[i].kind != LEMMA_FOUND) bits_add(used, i);
    while (ok && !bits_subset(used, &done)) {
        bits left = {0};
        bits_copy(&left, used);
        bits_minus(&left, &done);
        BITS_EACH(i, &left) ok = ok && (!bits_has(&x->asked, i) || logic_used(x->logic, i, &x->stands, used));
        bits_join(&done, &left);
        bits_free(&left);
    }
    bits_free(&done);
    return ok;
}

static void shrink_to_used(prover *x) {
    bits used = {0};
    if (shrink_find_used(x, &used)) {
        bits_intersect(&x->stands, &used);
        bits_intersect(&x->asked, &used);
    }
    bits_free(&used);
}

void shrink_proof(prover *x) {
    double start = clock_seconds();
    number_list l = {0};
    shrink_to_used(x);
    BITS_EACH(i, &x->asked)
        if (x->lemmas.data[i].kind == LEMMA_FOUND) vec_push(&l, i);
    prover_report(x, "shrinking");
    for (uint32_t step = 8; step; step = step == 8 ? 1 : 0)
        for (uint32_t i = l.len; i > 0; i = i > step ? i - step : 0) try_without(x, &l, i > step ? i - step : 0, i);
    vec_free(&l);
    x->out->stats.shrink_seconds = clock_seconds() - start;
}
