// SPDX-License-Identifier: Apache-2.0
// Questions about every size, decided on finitely many elements that are added when a refutation needs them.
//
// Let Q be a question: axioms, guard, assumed lemmas (∀), and "one of the asked lemmas is violated" with
// ∃-variables. The clauses hold, for a set D of elements: every ∀ instantiated with the elements *alive*;
// every ∃ (and every value of a function into a sort) as "one of the elements seen | more", where `more` is
// a fresh variable; and Q's constants (a rule's parameters, the variables of the violated lemma) mapped to
// distinct elements by every pattern of equality.
//
// SAT with every `more` false and every assumed lemma true of the elements alive: those elements, with the
// cells' values, are a finite countermodel. REFUTED is right at any size of D.
//
// UNSAT without using "more is false": no countermodel exists. For let M be one of any size. Map D into M,
// injectively and partially (mapped = alive): first the constants and goal variables as in M; then the
// witnesses in the order in which they were made: that of a point ∃z.φ(z,ā) is mapped to an m with φ(m,ā) if
// ā is alive, the ∃ is true in M and no element mapped so far has the property, else it stays dead. Read
// every cell, every `more` ("no element seen has the property") and every auxiliary variable off M. Each
// clause is true: instances of ∀ since M is a model, a point's first clause by the reading of `more`, and
// the clause added with its witness w, more → φ(e1) | … | φ(w) for all elements between, since w was mapped
// if none before it has the property. So the clauses would be satisfiable. Goal elements must be there
// before any witness; hence a setting is built anew when a lemma with more variables comes.
//
// UNSAT by use of some "more is false": each such point gets its own element, and the question is asked
// again. In stratified EPR this ends: a point depends on elements of lower sorts by its ∀-variables, and on
// finitely many elements (those there when it was closed) by the ∃ around it. Outside it may go on; then a
// limit answers "unknown".
#include "logic/ground.h"

#include <assert.h>
#include <string.h>

enum { FIRST_ROOM = 4, MOST_ELEMENTS = 400 };

void ground_make_room(ground *g) {
    uint32_t n = g->m->vars.len;
    if (n <= g->nenv) return;
    n += n / 2;
    g->env = mem_grow(g->env, n * sizeof *g->env);
    memset(g->env + g->nenv, 0, (n - g->nenv) * sizeof *g->env);
    g->nenv = n;
}

static bool find_touched(ground *g, expr e) {
    const expr_info *x = expr_of(g->m, e);
    if (x->kind == E_APP && (g->tables[x->ref].written || g->tables[x->ref].is_chosen)) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (ground_touched(g, x->args[i])) return true;
    return false;
}

bool ground_touched(ground *g, expr e) {
    if (bits_has(&g->touched_known, e.id)) return bits_has(&g->touched, e.id);
    bool found = find_touched(g, e);
    bits_add(&g->touched_known, e.id);
    if (found) bits_add(&g->touched, e.id);
    return found;
}

// ---- elements

static bool ground_add_element(ground *g, type sort, int alive) {
    domain *d = &g->domains[sort.id];
    if (d->size >= MOST_ELEMENTS || !cells_reserve(g, sort)) return false;
    vec_push(&d->alive, alive);
    d->size++;
    uint32_t upto = g->universals.len;
    cells_grow(g, sort);
    formula_extend(g, sort, upto);
    return true;
}

bool ground_add_witness(ground *g, uint32_t point) {
    type sort = g->points.data[point].sort;
    if (!ground_add_element(g, sort, sat_var(&g->solver))) return false;
    formula_witness(g, point);
    return true;
}

static uint32_t constants_of(const ground *g, const ground_setting *set, type sort) {
    uint32_t n = 1;
    for (uint32_t i = 0; set->step && i < set->step->nparams; i++)
        if (type_same(var_of(g->m, set->step->params[i])->ty, sort) && (uint32_t)set->args[i] >= n)
            n = (uint32_t)set->args[i] + 1;
    return n;
}

static void add_first_elements(ground *g, const ground_setting *set, type sort) {
    domain *d = &g->domains[sort.id];
    d->constants = set->sizes ? set->sizes[sort.id] : constants_of(g, set, sort);
    d->goals = set->goals[sort.id];
    for (uint32_t i = 0; i < d->constants; i++) g->is_cut |= !ground_add_element(g, sort, SAT_TRUE);
    for (uint32_t i = 0; i < d->goals; i++) g->is_cut |= !ground_add_element(g, sort, sat_var(&g->solver));
}

static void assert_all(ground *g, const ground_setting *set) {
    for (uint32_t i = 0; i < sys_of(g->m, g->system)->axioms.len; i++)
        formula_assert(g, sys_of(g->m, g->system)->axioms.data[i].cond);
    if (set->step && set->step->guard.id) formula_assert(g, set->step->guard);
    if (set->step && set->step->relation.id) formula_assert(g, set->step->relation);
}

void ground_init(ground *g, model *m, sys s, const ground_setting *set, const limits *stop) {
    *g = (ground){.m = m, .system = s, .stop = stop, .memo = map_new(), .truth_index = map_new()};
    g->is_fixed = set->sizes != NULL;
    (set->is_small ? sat_init_small : sat_init)(&g->solver, stop);
    g->ndomains = m->types.len;
    g->domains = mem_zero(g->ndomains, sizeof *g->domains);
    for (uint32_t i = 1; i < g->ndomains; i++) g->domains[i].room = FIRST_ROOM;
    cells_init(g, set);
    ground_make_room(g);
    for (uint32_t i = 0; set->step && i < set->step->nparams; i++) g->env[set->step->params[i].id] = set->args[i];
    for (uint32_t i = 1; i < g->ndomains; i++)
        if (type_is_unbounded(m, (type){i})) add_first_elements(g, set, (type){i});
    if (!g->is_cut) assert_all(g, set);
}

static void domain_done(domain *d) {
    vec_free(&d->alive);
    vec_free(&d->order);
    vec_free(&d->members);
    vec_free(&d->rank);
    vec_free(&d->follower);
}

void ground_done(ground *g) {
    for (uint32_t i = 0; i < g->ndomains; i++) domain_done(&g->domains[i]);
    for (uint32_t i = 0; i < g->truths.len; i++) free(g->truths.data[i].seen);
    cells_done(g);
    sat_done(&g->solver);
    free(g->domains);
    free(g->env);
    map_free(g->memo);
    map_free(g->truth_index);
    heavy_free(&g->heavy);
    bits_free(&g->touched_known);
    bits_free(&g->touched);
    vec_free(&g->truths);
    vec_free(&g->universals);
    vec_free(&g->points);
    vec_free(&g->pool);
    vec_free(&g->split_vars);
}
