// SPDX-License-Identifier: Apache-2.0
// Lemmas against a countermodel: which of the clauses that exclude its state are added.
//
// The best ones are inductive by themselves: those among the clauses found that every rule preserves, given
// what stands and themselves. They need no further lemmas, so if a single one is inductive, it is added alone, else
// all of them. When none is inductive, a few are added nevertheless; what they lack will show, and other lemmas may
// make up for it. Of separators, one that says less than another of those found is left out: should that one fall, it
// is found again.
#include "infer/prover.h"

#include "model/expr.h"

enum { MOST_SINGLE = 6, MOST_SEPARATORS = 10 };  // tries of one alone
enum { FEW_FRESH = 4, SINGLE_WORK = 20000000 };  // more separators are tried one by one first, each with so much work

// Are the strongest clauses tried first?
static bool bring_is_choosy(const prover *x) { return x->level == LEVEL_SEPARATORS && !x->takes_as_found; }

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

// ---- clauses that say less than others

// ∃ over the same variables, of fewer conditions: does the first say more?
static bool bring_says_more(const model *m, expr a, expr b) {
    while (expr_kind_of(m, a) == E_EXISTS && expr_kind_of(m, b) == E_EXISTS &&
           expr_of(m, a)->ref == expr_of(m, b)->ref) {
        a = expr_arg(m, a, 0);
        b = expr_arg(m, b, 0);
    }
    uint32_t na, nb, met = 0;
    const expr *as = expr_conjuncts(m, &a, &na), *bs = expr_conjuncts(m, &b, &nb);
    for (uint32_t i = 0; i < nb; i++)
        for (uint32_t k = 0; k < na; k++) met += expr_same(as[k], bs[i]);
    return na > nb && met == nb;
}

// The next literal after `last` (ATOM_NONE: the first) over the same variables that says more.
static uint32_t bring_next_above(const atom_pool *p, uint32_t lit, uint32_t last) {
    const atom *of = &p->atoms.data[lit / 2];
    for (uint32_t i = last == ATOM_NONE ? 0 : last / 2 + 1; i < p->atoms.len; i++) {
        const atom *a = &p->atoms.data[i];
        if (a->vars != of->vars || !p->shapes.data[a->shape].is_quantified) continue;
        if (lit % 2 ? bring_says_more(p->m, of->e, a->e) : bring_says_more(p->m, a->e, of->e)) return i * 2 + lit % 2;
    }
    return ATOM_NONE;
}

static bool bring_is_below(const atom_pool *p, const clause *c, const map *found) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (!p->shapes.data[p->atoms.data[c->lits[i] / 2].shape].is_quantified) continue;
        uint32_t more = bring_next_above(p, c->lits[i], ATOM_NONE);
        for (; more != ATOM_NONE; more = bring_next_above(p, c->lits[i], more)) {
            clause above = *c;
            above.lits[i] = (uint16_t)more;
            clause_sort(&above);
            clause_canonical(p, &above);
            if (map_get(found, &above, clause_bytes(&above), 0)) return true;
        }
    }
    return false;
}

// Few and weak premises, few conclusions, and one that says much: less is more.
static uint32_t bring_weakness(const atom_pool *p, const clause *c) {
    uint32_t all = 0, most = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const atom *a = &p->atoms.data[c->lits[i] / 2];
        expr body = a->e;
        uint32_t n;
        if (p->shapes.data[a->shape].is_equality) continue;
        while (expr_kind_of(p->m, body) == E_EXISTS) body = expr_arg(p->m, body, 0);
        expr_conjuncts(p->m, &body, &n);
        all += c->lits[i] % 2 ? 2 + n : 2;
        if (!(c->lits[i] % 2) && n > most) most = n;
    }
    return all + CLAUSE_MOST - (most < CLAUSE_MOST ? most : CLAUSE_MOST);
}

static void bring_sort(const atom_pool *p, clause_list *found) {
    for (uint32_t i = 1; i < found->len; i++)
        for (uint32_t k = i; k > 0; k--) {
            clause *a = &found->data[k - 1], *b = &found->data[k], swap = *b;
            if (bring_weakness(p, a) <= bring_weakness(p, b)) break;
            *b = *a;
            *a = swap;
        }
}

// Those that another is more than are left out, and the strongest come first.
static void bring_arrange(const atom_pool *p, clause_list *found) {
    map *known = map_new();
    uint32_t n = 0;
    for (uint32_t i = 0; i < found->len; i++) map_put(known, &found->data[i], clause_bytes(&found->data[i]), 1);
    for (uint32_t i = 0; i < found->len; i++)
        if (!bring_is_below(p, &found->data[i], known)) found->data[n++] = found->data[i];
    found->len = n;
    map_free(known);
    bring_sort(p, found);
}

// ---- what is added

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

// One lemma of the set that is inductive without the others; UINT32_MAX: none of those tried, with so much work for
// each (0: no limit).
static uint32_t single(prover *x, const bits *base, const bits *set, uint64_t work) {
    bits one = {0};
    uint32_t tries = work ? MOST_SEPARATORS : MOST_SINGLE, found = UINT32_MAX;
    for (uint32_t i = bits_next(set, 0); i != UINT32_MAX && tries--; i = bits_next(set, i + 1)) {
        bits_clear(&one);
        bits_add(&one, i);
        if (work) logic_set_most_work(x->logic, logic_statistics(x->logic)->work + work);
        weaken_set(x, base, &one);
        if (work) logic_set_most_work(x->logic, x->most_work);
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
    bool is_many = bring_is_choosy(x) && bits_count(fresh) > FEW_FRESH;
    uint32_t one = is_many ? single(x, &x->stands, fresh, SINGLE_WORK) : UINT32_MAX;
    if (one == UINT32_MAX) weaken_set(x, &x->stands, &inductive);
    if (one == UINT32_MAX && bits_count(&inductive) > 1) one = single(x, &x->stands, &inductive, 0);
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
    if (bring_is_choosy(x)) bring_arrange(x->pool, &found);
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
