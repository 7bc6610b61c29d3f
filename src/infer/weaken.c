// SPDX-License-Identifier: Apache-2.0
// Weakening (Houdini), as in Algorithm 1 of Emmi et al. (2010): all candidates at once, each countermodel drops all
// that it falsifies.
//
// A candidate that a stronger one implies is parked under it and asked only when that one has fallen and no
// other one that stands implies it: the idea that the paper leaves for future work. Without it, a clause that
// is lost to a stronger one that holds only for the small instance is lost for good.
#include "infer/prover.h"
#include "infer/minimal.h"

enum { WEAKER_THAN = 3 };  // literals of a clause that weaker ones may take the place of: fewer

typedef struct {
    prover *x;
    filter *f;
    bits standing;               // candidates
    VEC(uint32_t) lemma_of;      // by candidate, UINT32_MAX: none yet
    VEC(uint32_t) candidate_of;  // by lemma
    const filter_options *o;     // of minimal clauses: weaker ones take the place of short ones that fall
    map *weaker;                 // those that did
} weakening;

static void weaken_admit(weakening *w, uint32_t i, bits *fresh) {
    uint32_t l = prover_add_clause(w->x, &w->f->all.data[i].c);
    w->lemma_of.data[i] = l;
    while (w->candidate_of.len <= l) vec_push(&w->candidate_of, UINT32_MAX);
    w->candidate_of.data[l] = i;
    bits_add(fresh, l);
}

// Those parked under candidates that fell: under another one that stands, or free.
static void weaken_release(weakening *w) {
    bits fresh = {0};
    BITS_EACH(i, &w->standing) {
        candidate *c = &w->f->all.data[i];
        if (c->parked_under == CANDIDATE_FREE || bits_has(&w->standing, c->parked_under)) continue;
        c->parked_under = filter_implied_by(w->f, i, &w->standing);
        if (c->parked_under == CANDIDATE_FREE) weaken_admit(w, i, &fresh);
    }
    prover_check_initially(w->x, &fresh);
    bits_free(&fresh);
}

// Candidates whose lemma has fallen do not stand; this may free others, which may fall at once.
static void follow_lemmas(weakening *w) {
    if (!w->f) return;
    for (bool again = true; again;) {
        again = false;
        BITS_EACH(i, &w->standing) {
            uint32_t l = w->lemma_of.data[i];
            if (l == UINT32_MAX || bits_has(&w->x->stands, l)) continue;
            bits_remove(&w->standing, i);
            again = true;
        }
        if (again) weaken_release(w);
    }
}

// ---- weaker clauses

// Does one of these lemmas have all its literals among the clause's?
static bool is_implied(const prover *x, const clause *c, const bits *by) {
    for (uint32_t keep = 1; keep < UINT32_C(1) << c->n; keep++) {
        clause sub = clause_part(x->pool, c, keep);
        uint32_t l = map_get(x->by_clause, &sub, clause_bytes(&sub), UINT32_MAX);
        if (l != UINT32_MAX && bits_has(by, l)) return true;
    }
    return false;
}

static const shape *weaken_shape_of(const prover *x, uint32_t lit) {
    return &x->pool->shapes.data[x->pool->atoms.data[lit / 2].shape];
}

static uint32_t counted(const prover *x, const clause *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) n += !weaken_shape_of(x, c->lits[i])->is_equality;
    return n;
}

static bool has_atom(const clause *c, uint32_t number) {
    for (uint32_t i = 0; i < c->n; i++)
        if (c->lits[i] / 2 == number) return true;
    return false;
}

// The clause with one literal more that holds in the state as well, for every such literal.
static void admit_weaker(weakening *w, const clause *c, const rows *state, bits *fresh) {
    prover *x = w->x;
    for (uint32_t k = 0; k < state->natoms * 2; k++) {
        uint32_t lit = state->atoms[k / 2] * 2u + k % 2;
        clause more = *c;
        if (has_atom(c, lit / 2) || (w->o->plain && weaken_shape_of(x, lit)->is_quantified)) continue;
        more.lits[more.n++] = (uint16_t)lit;
        clause_sort(&more);
        if (clause_is_trivial(x->pool, &more) || !rows_satisfy(state, &more)) continue;
        clause_canonical(x->pool, &more);
        if (!map_put(w->weaker, &more, clause_bytes(&more), 1) || is_implied(x, &more, &x->stands)) continue;
        uint32_t l = prover_add_clause(x, &more);
        x->lemmas.data[l].depth = 0;
        bits_add(fresh, l);
    }
}

static rows *rows_of_one(prover *x, const rows *like, const instance *in, const value *state) {
    valuation *v = valuation_of_state(x->pool, in, state);
    rows *r = rows_new(x->pool, like->counts, prover_levels[x->level].atoms);
    rows_add_sample(r, v, &x->o->limits, NULL);
    valuation_free(v);
    return r;
}

// A short clause that holds in the samples by chance hides all that extend it: when it falls, those of them that
// survive its countermodel come in.
static void admit_weaker_all(weakening *w, const bits *failed, const countermodel *c) {
    prover *x = w->x;
    bits fresh = {0};
    for (uint32_t s = 0; s < x->schemas.len && c->after; s++) {
        rows *state = NULL;
        BITS_EACH(i, failed) {
            clause fallen = x->lemmas.data[i].c;
            uint32_t n = counted(x, &fallen);
            if (!fallen.n || fallen.n == CLAUSE_MOST || n >= WEAKER_THAN || n >= w->o->literals) continue;
            if (x->schemas.data[s]->nholes || clause_vars(x->pool, &fallen) != x->schemas.data[s]->mask) continue;
            if (!state) state = rows_of_one(x, x->schemas.data[s], c->in, c->after);
            admit_weaker(w, &fallen, state, &fresh);
        }
        rows_free(state);
    }
    prover_check_initially(x, &fresh);
    bits_free(&fresh);
}

static void drop_all(weakening *w, const bits *failed) {
    countermodel c = {0};
    if (w->o) prover_countermodel(w->x, &c);
    BITS_EACH(i, failed)
        if (bits_has(&w->x->stands, i)) prover_drop(w->x, i);
    prover_unsettle(w->x);
    follow_lemmas(w);
    if (w->o) admit_weaker_all(w, failed, &c);
    countermodel_free(&c);
}

// Until the rule preserves all that is left. A lemma for which there is no answer falls, as in the paper.
static void weaken_by(weakening *w, uint32_t r) {
    prover *x = w->x;
    bits failed = {0};
    while (!prover_out_of_time(x)) {
        bits_clear(&failed);
        answer a = logic_preserved(x->logic, r, &x->stands, &x->asked, &failed);
        prover_report(x, "weakening");
        if (a == ANSWER_PROVED) {
            bits_copy(&x->settled.data[r], &x->asked);
            break;
        }
        if (bits_is_empty(&failed)) bits_copy(&failed, &x->asked);
        drop_all(w, &failed);
    }
    bits_free(&failed);
}

static bool weaken_is_settled(prover *x) {
    bool done = true;
    for (uint32_t r = 0; r < x->nrules; r++) done &= bits_subset(&x->asked, &x->settled.data[r]);
    return done;
}

// Rounds over the rules until one drops nothing.
static void weaken_run(weakening *w) {
    prover *x = w->x;
    do {
        x->out->stats.iterations++;
        for (uint32_t r = 0; r < x->nrules && !prover_out_of_time(x); r++) weaken_by(w, r);
    } while (!weaken_is_settled(x) && !prover_out_of_time(x));
    if (weaken_is_settled(x)) return;
    // Out of time: what was found in the levels before is all that is known to be inductive.
    bits_copy(&x->stands, &x->kept);
    bits_copy(&x->asked, &x->kept);
}

void weaken_all(prover *x, filter *f) {
    weakening w = {.x = x, .f = f};
    bits fresh = {0};
    for (uint32_t i = 0; i < f->all.len; i++) vec_push(&w.lemma_of, UINT32_MAX);
    for (uint32_t i = 0; i < f->all.len; i++) {
        if (f->all.data[i].parked_under == CANDIDATE_FREE) weaken_admit(&w, i, &fresh);
        else if (x->o->only_minimal) continue;
        bits_add(&w.standing, i);
    }
    prover_check_initially(x, &fresh);
    follow_lemmas(&w);
    weaken_run(&w);
    bits_free(&fresh);
    bits_free(&w.standing);
    vec_free(&w.lemma_of);
    vec_free(&w.candidate_of);
}

static bool is_false_in_rows(const prover *x, const clause *c) {
    for (uint32_t i = 0; i < x->schemas.len; i++) {
        const rows *r = x->schemas.data[i];
        if (!r->nholes && clause_vars(x->pool, c) == r->mask) return !rows_satisfy(r, c);
    }
    return false;
}

// What is not implied already.
static void admit_minimal(prover *x) {
    bits fresh = {0};
    for (uint32_t i = 0; i < x->minimal.len; i++) {
        const clause *c = &x->minimal.data[i];
        if (is_implied(x, c, &x->kept) || is_false_in_rows(x, c)) continue;
        uint32_t l = prover_add_clause(x, c);
        x->lemmas.data[l].depth = 0;
        bits_add(&fresh, l);
    }
    prover_check_initially(x, &fresh);
    bits_free(&fresh);
}

static filter_options minimal_options(const prover *x, uint32_t literals, bool plain) {
    return (filter_options){.literals = literals, .plain = plain, .free_equality = true, .limits = x->o->limits};
}

// The candidates that nothing implies; those parked under them are not looked at again.
void weaken_find_minimal(prover *x, uint32_t literals, bool plain) {
    filter *f = side_filter(x);
    filter_options o = minimal_options(x, literals, plain);
    for (uint32_t i = 0; i < x->schemas.len; i++)
        if (!x->schemas.data[i]->nholes) minimal_add(f, x->schemas.data[i], &o);
    filter_park(f);
    vec_clear(&x->minimal);
    for (uint32_t i = 0; i < f->all.len; i++)
        if (f->all.data[i].parked_under == CANDIDATE_FREE) vec_push(&x->minimal, f->all.data[i].c);
    x->out->stats.filter_seconds += f->seconds;
    filter_free(f);
}

void weaken_minimal(prover *x, uint32_t literals, bool plain) {
    filter_options o = minimal_options(x, literals, plain);
    weakening w = {.x = x, .o = &o, .weaker = map_new()};
    admit_minimal(x);
    prover_unsettle(x);
    weaken_run(&w);
    map_free(w.weaker);
}

void weaken_rest(prover *x) {
    weakening w = {.x = x};
    prover_unsettle(x);
    weaken_run(&w);
}
