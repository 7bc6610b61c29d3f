// SPDX-License-Identifier: Apache-2.0
// What is tried between the first schema and larger ones: small instances, clauses over what holds of some element, and
// plain frames; then, with a sample of long runs, small instances again, frames, and the first schema with atoms of
// provenance for each order of the sorts; where no clause over plain atoms can do, frames have quantified ones.
// Nothing of a try that does not suffice is kept but what is inductive by itself.
#include "infer/prover.h"

#include "model/expr.h"
#include "model/walk.h"

enum { TRY_SMALL_WORK = 1000000 };  // of instances, in SAT variables of solver calls
enum {
    TRY_QUERIES = 30000,
    TRY_REFINEMENT_QUERIES = 2000,
    TRY_GROWTH = 10,
    TRY_EXACT = 40,
    TRY_WORK = 4000000,
    TRY_SEPARATE_WORK = 9000000,
    TRY_SEPARATE_MORE = 10,
    TRY_SEPARATE_AGAIN = 3000000,
    TRY_FRAMES_WORK = 24000000,
    TRY_CHECKS = 20000000
};

static const sort_order any_order = {.is_any = true};  // a pool keeps its order

static bool is_refinement(const prover *x) { return prop_of(x->m, x->property)->kind == PROP_REFINES; }

// Lemmas over atoms of a pool that goes become formulas.
static void forget_clauses(prover *x) {
    for (uint32_t i = 0; i < x->lemmas.len; i++) {
        lemma *l = &x->lemmas.data[i];
        if (!l->c.n) continue;
        l->shown = clause_readable(x->pool, &l->c);
        l->c.n = 0;
    }
}

// Samples and schemas of another pool go with it.
static void tries_leave_pool(prover *x) {
    if (x->pool) forget_clauses(x);
    for (uint32_t i = 0; i < x->values.len; i++) valuation_free(x->values.data[i]);
    for (uint32_t i = 0; i < x->schemas.len; i++) rows_free(x->schemas.data[i]);
    vec_clear(&x->values);
    vec_clear(&x->schemas);
    if (x->pool != x->first_pool) atoms_free(x->pool);
}

void tries_take_pool(prover *x, atom_pool *p) {
    tries_leave_pool(x);
    x->pool = p;
}

void tries_use_pool(prover *x, const sort_order *order) {
    tries_leave_pool(x);
    x->pool = order ? NULL : x->first_pool;
    if (x->pool) return;
    x->pool = atoms_new(x->m, x->system, x->property, order);
    schema_add_atoms(x->m, x->system, x->pool);
    if (x->o->most_level > 0 && !order) harvest_pairs(x->pool);
    atoms_make(x->pool);
    if (!order) x->first_pool = x->pool;
}

// Back to what is known to be inductive; the solvers forget all else.
void tries_reset(prover *x) {
    prover_note_lemmas(x);
    bits_copy(&x->stands, &x->kept);
    bits_copy(&x->asked, &x->kept);
    for (uint32_t i = 0; i < x->lemmas.len; i++) {
        if (x->lemmas.data[i].kind == LEMMA_FOUND && !bits_has(&x->kept, i)) logic_retire(x->logic, i);
        if (x->lemmas.data[i].kind == LEMMA_FOUND) continue;
        bits_add(&x->stands, i);
        bits_add(&x->asked, i);
    }
    map_free(x->by_formula);
    map_free(x->by_clause);
    x->by_formula = map_new();
    x->by_clause = map_new();
    prover_unsettle(x);
    prover_forget_obstacle(x);
}

void tries_return(prover *x) {
    tries_use_pool(x, NULL);
    schema_make(x);
    tries_reset(x);
}

static sort_edges base_edges(const prover *x, const atom_pool *p) {
    sort_edges found = {0};
    for (uint32_t i = 0; i < p->sorts.len; i++)
        for (uint32_t k = 0; k < p->sorts.len; k++)
            if (logic_leads(x->logic, p->sorts.data[i], p->sorts.data[k])) found.to[i] |= UINT64_C(1) << k;
    return found;
}

static void choose_orders(prover *x, order_list *out) {
    atom_pool *met = atoms_new(x->m, x->system, x->property, &any_order);
    sort_edges base = base_edges(x, met);
    order_choose(met, &base, out);
    atoms_free(met);
}

// The first schema, with other atoms.
static outcome try_first_schema(prover *x, const sort_order *order) {
    x->level = 0;
    tries_use_pool(x, order);
    schema_make(x);
    tries_reset(x);
    x->most_work = logic_statistics(x->logic)->work + TRY_WORK;
    proof_take_way(x->out, WAY_CANDIDATES);
    outcome end = guide_level(x);
    x->most_work = 0;
    return end;
}

static outcome try_frames(prover *x, const sort_order *order, uint64_t queries, bool *is_spurious) {
    tries_use_pool(x, order);
    tries_reset(x);
    return frames_search(x, queries, order != NULL, is_spurious);
}

// Frames without quantified atoms, and with them where those are known not to do or to be slow.
static outcome tries_all_frames(prover *x, const order_list *orders, uint64_t queries, bool *is_spurious) {
    outcome end = *is_spurious ? OUTCOME_STUCK : try_frames(x, NULL, queries, is_spurious);
    for (uint32_t i = 0; i < orders->len && end == OUTCOME_STUCK; i++) {
        bool ignored = false;
        end = try_frames(x, &orders->data[i], queries, &ignored);
    }
    return end;
}

// ---- all properties of the system together

// The other invariants, as if they were given; those that are not true initially are left out.
static void tries_join_others(prover *x, bits *joined) {
    prop_info p = *prop_of(x->m, x->property);
    if (p.kind != PROP_INVARIANT) return;
    for (uint32_t i = 1; i < x->m->props.len; i++) {
        prop_info q = x->m->props.data[i];
        if (i == x->property.id || q.kind != PROP_INVARIANT || q.system.id != p.system.id) continue;
        if (expr_can_fault(x->m, q.cond)) continue;
        lemma is = {.kind = LEMMA_PROPERTY, .name = q.name, .shown = q.cond};
        bits_add(joined, prover_add_lemma(x, expr_inline(x->m, q.cond), is));
    }
    prover_check_initially(x, joined);
    BITS_EACH(i, joined)
        if (!bits_has(&x->stands, i)) {
            x->lemmas.data[i].kind = LEMMA_FOUND;
            bits_remove(joined, i);
        }
}

static void tries_part_others(prover *x, const bits *joined) {
    BITS_EACH(i, joined) x->lemmas.data[i].kind = LEMMA_FOUND;
}

static outcome tries_together(prover *x, const order_list *orders, uint64_t queries) {
    bits joined = {0};
    bool is_spurious = false;
    outcome end = OUTCOME_STUCK;
    tries_reset(x);
    tries_join_others(x, &joined);
    if (!bits_is_empty(&joined)) end = tries_all_frames(x, orders, queries, &is_spurious);
    if (end != OUTCOME_PROVED) tries_part_others(x, &joined);
    bits_free(&joined);
    return end;
}

// Invariants of small instances: there no quantified word goes against an order of the sorts.
static outcome tries_grow_with(prover *x, grow_options o) {
    if (is_refinement(x)) return OUTCOME_STUCK;
    tries_use_pool(x, &any_order);
    tries_reset(x);
    return grow_search(x, o);
}

static outcome tries_grow(prover *x, uint64_t work, bool with_quantified) {
    return tries_grow_with(x, (grow_options){work, work > TRY_SMALL_WORK, with_quantified, false, 0});
}

// With quantified words there are more literals, and fewer lemmas are needed; without them sizes can be larger.
static outcome tries_grow_more(prover *x) {
    outcome end = tries_grow(x, TRY_SMALL_WORK * 30, true);
    if (end == OUTCOME_STUCK) end = tries_grow(x, TRY_SMALL_WORK * 250, false);
    return end;
}

static outcome tries_separate_each(prover *x, const order_list *orders, uint64_t work) {
    outcome end = OUTCOME_STUCK;
    for (uint32_t i = 0; i < orders->len && end == OUTCOME_STUCK; i++) end = separate_search(x, &orders->data[i], work);
    return end;
}

// Clauses over what holds of some element, for each order: much is decided by a few of them, or not at all. The
// strongest first; that misses what only many weak ones show together (a ticket lock), so then as they are found.
static outcome tries_separate(prover *x, const order_list *orders, uint64_t work) {
    sample *of = is_refinement(x) || !orders->len ? NULL : separate_sample(x);
    if (!of) return x->out->verdict == VERDICT_VIOLATED ? OUTCOME_VIOLATED : OUTCOME_STUCK;
    vec_push(&x->samples, of);
    outcome end = tries_separate_each(x, orders, work);
    x->takes_as_found = end == OUTCOME_STUCK && !orders->data[0].is_wide;
    if (x->takes_as_found) end = tries_separate_each(x, orders, TRY_SEPARATE_AGAIN);
    x->takes_as_found = false;
    if (end != OUTCOME_PROVED) sample_free(vec_pop(&x->samples));
    return end;
}

// Plain frames with little work; then a sample of long runs, by which cubes of small instances are generalised better.
static outcome tries_deeper(prover *x, uint64_t queries, bool *is_spurious) {
    logic_set_most_work(x->logic, logic_statistics(x->logic)->work + TRY_FRAMES_WORK);
    outcome end = try_frames(x, NULL, queries, is_spurious);
    logic_set_most_work(x->logic, 0);
    if (end != OUTCOME_STUCK) return end;
    sample *deep = survey_deep(x);
    if (x->out->verdict == VERDICT_VIOLATED) return OUTCOME_VIOLATED;
    if (deep) vec_push(&x->wide, deep);
    return tries_grow_with(x, (grow_options){TRY_SMALL_WORK * 8, true, true, false, TRY_CHECKS});
}

// Small instances from their initial states on: what a step rests on is kept out, not the whole state before it, and
// the elements of a cube need not be different. Lemmas may have many variables.
static outcome tries_exact(prover *x) {
    return tries_grow_with(x, (grow_options){TRY_SMALL_WORK * TRY_EXACT, true, false, true, 0});
}

// The same over more shapes, with more work.
static outcome tries_separate_wide(prover *x) {
    for (uint32_t i = x->wide_orders.len; i < x->orders.len; i++) {
        vec_push(&x->wide_orders, x->orders.data[i]);
        x->wide_orders.data[i].is_wide = true;
    }
    return tries_separate(x, &x->wide_orders, TRY_SEPARATE_WORK * TRY_SEPARATE_MORE);
}

// Does the property itself say what holds of some element?
static bool tries_is_about_some(prover *x) {
    const prop_info p = *prop_of(x->m, x->property);
    if (p.kind != PROP_INVARIANT) return false;
    walk w = walk_expr(x->m, expr_nnf(x->m, expr_inline(x->m, p.cond), false), 0);
    while (walk_next(&w))
        if (w.x->kind == E_EXISTS) return walk_found(&w);
    return false;
}

static outcome tries_all(prover *x, const order_list *orders) {
    bool is_spurious = false;
    uint64_t queries = is_refinement(x) ? TRY_REFINEMENT_QUERIES : TRY_QUERIES;
    outcome end = tries_grow(x, TRY_SMALL_WORK, true);
    if (end == OUTCOME_STUCK) end = tries_separate(x, orders, TRY_SEPARATE_WORK);
    bool is_about_some = tries_is_about_some(x);
    if (end == OUTCOME_STUCK && is_about_some) end = tries_separate_wide(x);
    if (end == OUTCOME_STUCK && !is_refinement(x)) end = tries_deeper(x, queries / TRY_GROWTH, &is_spurious);
    if (end == OUTCOME_STUCK && !is_refinement(x)) end = tries_exact(x);
    if (end == OUTCOME_STUCK) end = tries_all_frames(x, orders, queries / TRY_GROWTH, &is_spurious);
    for (uint32_t i = 0; i < orders->len && end == OUTCOME_STUCK; i++) end = try_first_schema(x, &orders->data[i]);
    if (end == OUTCOME_STUCK && !is_about_some) end = tries_separate_wide(x);
    if (end == OUTCOME_STUCK) end = tries_grow_more(x);
    if (end == OUTCOME_STUCK) end = tries_together(x, orders, queries / TRY_GROWTH);
    if (end == OUTCOME_STUCK && !is_refinement(x)) end = tries_all_frames(x, orders, queries, &is_spurious);
    if (end == OUTCOME_STUCK) end = tries_grow(x, TRY_SMALL_WORK * 250, true);
    return end;
}

outcome tries_unexplored(prover *x) {
    bool is_spurious = false;
    choose_orders(x, &x->orders);
    outcome end = tries_all_frames(x, &x->orders, TRY_QUERIES / TRY_GROWTH, &is_spurious);
    if (end == OUTCOME_STUCK) end = tries_grow_more(x);
    if (end == OUTCOME_STUCK) end = tries_together(x, &x->orders, TRY_QUERIES / TRY_GROWTH);
    if (end == OUTCOME_STUCK) end = tries_all_frames(x, &x->orders, TRY_QUERIES, &is_spurious);
    return end;
}

outcome tries_run(prover *x) {
    outcome end = cuts_search(x);
    if (end == OUTCOME_PROVED) return end;
    choose_orders(x, &x->orders);
    survey_wide(x);
    end = tries_all(x, &x->orders);
    if (end == OUTCOME_PROVED || end == OUTCOME_VIOLATED) return end;
    tries_return(x);
    return prover_out_of_time(x) ? OUTCOME_STOPPED : OUTCOME_STUCK;
}
