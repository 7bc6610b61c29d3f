// SPDX-License-Identifier: Apache-2.0
// Steps into a cube: see logic.h. Every literal is asked for under a variable of its own, which the solver assumes, so
// that a refutation names the literals it needs; those of all settings together suffice.
//
// The cube's variables stand for different elements, so each is one of the constants that none before it is, or the
// next goal element: a place of the cube. Literals that the step makes false at a place need no clauses there. That the
// element of a variable exists is asked for like a literal: a refutation may need it where it needs nothing else of it,
// and then the variable must not go.
#include "logic/logic_int.h"

#include "model/expr.h"

enum { CUBE_MOST_PLACES = 1 << 14 };

typedef struct {
    logic *l;
    setting *s;
    const logic_cube *c;
    value *at;         // by variable
    uint32_t *goals;   // by type: goal elements taken so far
    lit_list acts;     // by literal
    lit_list lives;    // by variable: its element exists
    lit_list places;   // a literal each, which implies that the cube is met there
    bool is_too_many;  // places
} cube_search;

static bool cube_is_taken(const cube_search *x, uint32_t i, value e) {
    const model *m = x->l->m;
    for (uint32_t k = 0; k < i; k++)
        if (type_same(var_of(m, x->c->vars[k])->ty, var_of(m, x->c->vars[i])->ty) && x->at[k] == e) return true;
    return false;
}

static void cube_bind(cube_search *x) {
    for (uint32_t i = 0; i < x->c->nvars; i++) x->s->g.env[x->c->vars[i].id] = x->at[i];
}

static void cube_add_place(cube_search *x) {
    ground *g = &x->s->g;
    int place = sat_var(&g->solver);
    cube_bind(x);
    for (uint32_t i = 0; i < x->c->nvars; i++)
        sat_clause3(&g->solver, -place, -x->lives.data[i],
                    cells_alive(g, var_of(x->l->m, x->c->vars[i])->ty, x->at[i]));
    for (uint32_t i = 0; i < x->c->nlits; i++) {
        int lit = formula_literal(g, x->c->lits[i], false, true);
        sat_clause3(&g->solver, -place, -x->acts.data[i], lit);
    }
    vec_push(&x->places, place);
    x->is_too_many |= x->places.len >= CUBE_MOST_PLACES;
}

// Every choice of elements for the variables from i on.
static void cube_each_place(cube_search *x, uint32_t i) {
    if (x->is_too_many || x->s->g.is_cut) return;
    if (i == x->c->nvars) {
        cube_add_place(x);
        return;
    }
    const model *m = x->l->m;
    type t = var_of(m, x->c->vars[i])->ty;
    bool is_unbounded = type_is_unbounded(m, t);
    const domain *d = &x->s->g.domains[t.id];
    for (uint32_t e = 0; e < (is_unbounded ? d->constants : type_known_size(m, t)); e++) {
        x->at[i] = (value)e;
        if (!cube_is_taken(x, i, (value)e)) cube_each_place(x, i + 1);
    }
    if (!is_unbounded) return;
    x->at[i] = (value)(d->constants + x->goals[t.id]++);
    cube_each_place(x, i + 1);
    x->goals[t.id]--;
}

static void cube_count_vars(logic *l, const logic_cube *c) {
    uint32_t *count = mem_zero(l->m->types.len, sizeof *count);
    for (uint32_t i = 0; i < c->nvars; i++) {
        uint32_t t = var_of(l->m, c->vars[i])->ty.id;
        if (type_is_unbounded(l->m, (type){t}) && ++count[t] > l->most_vars[t]) l->most_vars[t] = count[t];
    }
    free(count);
}

// What the search leaves in the solver goes again.
static void cube_retire(cube_search *x, int selector) {
    sat *solver = &x->s->g.solver;
    sat_clause(solver, (int[]){-selector}, 1);
    for (uint32_t i = 0; i < x->places.len; i++) sat_clause(solver, (int[]){-x->places.data[i]}, 1);
    for (uint32_t i = 0; i < x->acts.len; i++) sat_clause(solver, (int[]){-x->acts.data[i]}, 1);
    for (uint32_t i = 0; i < x->lives.len; i++) sat_clause(solver, (int[]){-x->lives.data[i]}, 1);
    vec_clear(&x->s->also);
}

// The literals that the refutation needs, and one for each variable whose element it needs.
static void cube_core(const cube_search *x, bits *used) {
    const sat *solver = &x->s->g.solver;
    for (uint32_t i = 0; i < x->acts.len; i++)
        if (sat_in_core(solver, x->acts.data[i])) bits_add(used, i);
    for (uint32_t v = 0; v < x->lives.len; v++) {
        if (!sat_in_core(solver, x->lives.data[v])) continue;
        uint32_t first = UINT32_MAX;
        bool has_one = false;
        for (uint32_t i = x->acts.len; i-- > 0;) {
            if (!expr_has_var(x->l->m, x->c->lits[i], x->c->vars[v])) continue;
            has_one |= bits_has(used, i);
            first = i;
        }
        if (!has_one && first != UINT32_MAX) bits_add(used, first);
    }
}

static answer cube_ask(cube_search *x, const bits *assumed, bits *used) {
    sat *solver = &x->s->g.solver;
    int selector = sat_var(solver);
    lit_list clause = {0};
    bits lemmas = {0};
    vec_push(&clause, -selector);
    for (uint32_t i = 0; i < x->places.len; i++) vec_push(&clause, x->places.data[i]);
    sat_clause(solver, clause.data, clause.len);
    for (uint32_t i = 0; i < x->acts.len; i++) vec_push(&x->s->also, x->acts.data[i]);
    for (uint32_t i = 0; i < x->lives.len; i++) vec_push(&x->s->also, x->lives.data[i]);
    answer a = query_search(x->l, x->s, selector, assumed, &lemmas);
    if (a == ANSWER_REFUTED && !query_make_small(x->l, x->s, selector, assumed)) a = ANSWER_UNKNOWN;
    if (a == ANSWER_PROVED) cube_core(x, used);
    cube_retire(x, selector);
    x->l->stats.queries++;
    bits_free(&lemmas);
    vec_free(&clause);
    return a;
}

static answer cube_setting(logic *l, const task *t, setting *s, const bits *assumed, const logic_cube *c, bits *used) {
    cube_search x = {.l = l, .s = s, .c = c};
    query_make_ground(l, t, s);
    ground_make_room(&s->g);
    x.at = mem_zero(c->nvars + 1, sizeof *x.at);
    x.goals = mem_zero(s->g.ndomains, sizeof *x.goals);
    for (uint32_t i = 0; i < c->nlits; i++) vec_push(&x.acts, sat_var(&s->g.solver));
    for (uint32_t i = 0; i < c->nvars; i++) vec_push(&x.lives, sat_var(&s->g.solver));
    cube_each_place(&x, 0);
    answer a = x.is_too_many || s->g.is_cut ? ANSWER_UNKNOWN : cube_ask(&x, assumed, used);
    if (a == ANSWER_REFUTED) finite_step(&s->g);
    if (a == ANSWER_REFUTED) witness_keep(l, s, t->is_start, true);
    vec_free(&x.acts);
    vec_free(&x.lives);
    vec_free(&x.places);
    free(x.at);
    free(x.goals);
    return a;
}

answer cube_task(logic *l, task *t, const bits *assumed, const logic_cube *c, uint64_t work, bits *used) {
    answer a = ANSWER_PROVED;
    l->work = 0;
    l->work_limit = work;
    cube_count_vars(l, c);
    for (uint32_t i = 0; i < t->settings.len && a == ANSWER_PROVED; i++)
        a = cube_setting(l, t, &t->settings.data[i], assumed, c, used);
    return a;
}
