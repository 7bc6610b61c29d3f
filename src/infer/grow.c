// SPDX-License-Identifier: Apache-2.0
// Invariants of small instances as candidates for all sizes (Goel and Sakallah, NFM 2021): an invariant that small.c
// finds for one size is read as formulas for every size (orbit.c); those of them that are inductive together are kept.
// If they do not show the property, the step that breaks it says which sorts are too small.
#include "infer/small.h"

#include "model/expr.h"

enum { GROW_LEAST = 2, GROW_FIRST = 3, GROW_MOST = 5 };

// Candidates in the order in which they are tried: those that the property needs on the instance, read with ∀; with ∃
// where that is possible; and the same of the others.
enum { GROW_NEEDED = 0, GROW_OTHERS = 2, GROW_KINDS = 4 };

typedef struct {
    expr_list of[GROW_KINDS];
} grow_candidates;

// ---- sizes

typedef struct {
    sort_size sizes[POOL_SORTS];
    uint32_t n;
} grow_sorts;

static uint32_t grow_count(const prover *x, const var *vars, uint32_t n, type t) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) found += type_same(var_of(x->m, vars[i])->ty, t);
    return found;
}

// Enough for the parameters of every rule to be different.
static uint32_t grow_first(const prover *x, type t) {
    uint32_t most = GROW_LEAST;
    for (uint32_t r = 0; r < x->nrules; r++) {
        const rule_info *info = rule_of(x->m, sys_of(x->m, x->guarded)->rules.data[r]);
        uint32_t n = grow_count(x, info->params, info->nparams, t);
        if (n > most) most = n;
    }
    return most < GROW_FIRST ? most : GROW_FIRST;
}

static void grow_start(const prover *x, grow_sorts *out) {
    out->n = 0;
    for (uint32_t i = 0; i < x->pool->sorts.len; i++)
        if (!type_of(x->m, x->pool->sorts.data[i])->fixed_size)
            out->sizes[out->n++] = (sort_size){x->pool->sorts.data[i], grow_first(x, x->pool->sorts.data[i])};
}

// The sorts of which the state has more elements get one more; if none does, the smallest sort.
static bool grow_sizes(sort_size *sizes, uint32_t n, const countermodel *c) {
    uint32_t smallest = UINT32_MAX;
    bool grown = false;
    for (uint32_t i = 0; i < n; i++) {
        bool is_short = c->in && c->in->sort_size[sizes[i].sort.id] > sizes[i].size;
        if (sizes[i].size >= GROW_MOST) continue;
        if (smallest == UINT32_MAX || sizes[i].size < sizes[smallest].size) smallest = i;
        sizes[i].size += is_short;
        grown |= is_short;
    }
    if (!grown && smallest != UINT32_MAX) sizes[smallest].size++;
    return grown || smallest != UINT32_MAX;
}

// ---- candidates

static void grow_offer(prover *x, expr e, bits *fresh) {
    if (expr_is_true(x->m, e) || prover_is_false(x, e)) return;
    uint32_t n = map_get(x->by_formula, &e.id, sizeof e.id, UINT32_MAX);
    if (n == UINT32_MAX) {
        n = prover_add_lemma(x, e, (lemma){.kind = LEMMA_FOUND, .shown = e});
        map_put(x->by_formula, &e.id, sizeof e.id, n);
    }
    bits_add(&x->stands, n);
    bits_add(&x->asked, n);
    bits_add(fresh, n);
}

// What is given, among what is asked.
static void grow_given(const prover *x, bits *out) {
    for (uint32_t i = 0; i < x->lemmas.len; i++)
        if (x->lemmas.data[i].kind != LEMMA_FOUND && bits_has(&x->asked, i)) bits_add(out, i);
}

// Are the candidates that are inductive together enough? What is inductive is kept.
static bool grow_check(prover *x, const expr_list *all) {
    bits given = {0}, fresh = {0};
    grow_given(x, &given);
    for (uint32_t i = 0; i < all->len; i++) grow_offer(x, all->data[i], &fresh);
    prover_check_initially(x, &fresh);
    weaken_rest(x);
    bool ok = bits_subset(&given, &x->asked) && !prover_out_of_time(x);
    bits_copy(&x->kept, &x->asked);
    bits_join(&x->stands, &given);
    bits_join(&x->asked, &given);
    if (!ok) bits_minus(&x->kept, &given);
    prover_unsettle(x);
    bits_free(&given);
    bits_free(&fresh);
    return ok;
}

// ---- one size

static expr grow_property(const prover *x) {
    expr e = expr_bool(x->m, true);
    for (uint32_t i = 0; i < x->lemmas.len; i++)
        if (x->lemmas.data[i].kind != LEMMA_FOUND && bits_has(&x->asked, i))
            e = expr_and(x->m, e, logic_lemma(x->logic, i));
    return e;
}

// The candidates of one size; the work it took.
static uint64_t grow_at(prover *x, const grow_sorts *at, grow_options o, grow_candidates *out) {
    small s;
    expr_list known = {0};
    instance *in = instance_try(x->m, x->guarded, at->sizes, at->n);
    if (!in) return o.work;
    BITS_EACH(i, &x->kept)
        if (x->lemmas.data[i].kind == LEMMA_FOUND) vec_push(&known, logic_lemma(x->logic, i));
    bool ok = small_start(&s, x, in, &o) && small_search(&s, grow_property(x), known.data, known.len);
    for (uint32_t i = 0; i < s.lemmas.len && ok; i++) {
        uint32_t kind = s.lemmas.data[i].is_needed ? GROW_NEEDED : GROW_OTHERS;
        orbit_formulas(&s, &s.lemmas.data[i], &out->of[kind], &out->of[kind + 1]);
    }
    uint64_t taken = s.b ? bounded_work(s.b) : o.work;
    small_stop(&s);
    vec_free(&known);
    instance_free(in);
    return taken;
}

// The step that breaks what is given, if it is known.
static void grow_obstacle(prover *x, countermodel *c) {
    bits given = {0}, failed = {0};
    *c = (countermodel){0};
    grow_given(x, &given);
    logic_set_small(x->logic, true);
    for (uint32_t r = 0; r < x->nrules && !c->in; r++)
        if (logic_preserved(x->logic, r, &x->stands, &given, &failed) == ANSWER_REFUTED) prover_countermodel(x, c);
    logic_set_small(x->logic, false);
    bits_free(&given);
    bits_free(&failed);
}

static bool grow_try(prover *x, const grow_candidates *found, bool is_thorough) {
    for (uint32_t i = 0; i < GROW_KINDS; i++) {
        bool is_few = i < GROW_OTHERS || is_thorough;
        if (is_few && found->of[i].len && grow_check(x, &found->of[i])) return true;
    }
    return false;
}

// The next sizes; false if there are none.
static bool grow_next(prover *x, grow_sorts *at) {
    countermodel c;
    grow_obstacle(x, &c);
    bool more = grow_sizes(at->sizes, at->n, &c);
    countermodel_free(&c);
    return more;
}

static outcome grow_sizes_in_turn(prover *x, grow_options o) {
    grow_sorts at;
    grow_start(x, &at);
    while (!prover_out_of_time(x)) {
        grow_candidates found = {0};
        uint64_t taken = grow_at(x, &at, o, &found);
        bool ok = grow_try(x, &found, o.is_thorough && taken < o.work);
        for (uint32_t i = 0; i < GROW_KINDS; i++) vec_free(&found.of[i]);
        if (ok) return OUTCOME_PROVED;
        if (taken >= o.work || !grow_next(x, &at)) return OUTCOME_STUCK;
        o.work -= taken;
    }
    return OUTCOME_STOPPED;
}

outcome grow_search(prover *x, grow_options o) {
    own_before before;
    if (!own_enter(x, &before)) return OUTCOME_STUCK;
    proof_take_way(x->out, WAY_INSTANCES);
    if (o.checks) logic_set_most_work(x->logic, logic_statistics(x->logic)->work + o.checks);
    outcome end = grow_sizes_in_turn(x, o);
    logic_set_most_work(x->logic, 0);
    own_leave(x, &before, end == OUTCOME_PROVED);
    return end;
}
