// SPDX-License-Identifier: Apache-2.0
// See modular.h.
//
// An *actor* is a step that some view of a site shows: a rule of others with values for all of its unknowns,
// and the shared cells that the acting element holds. Every actor meets every view of its site that does not
// hold one of these cells itself.
#include "cmp/lemmas/modular.h"

#include "base/tuples.h"
#include "cmp/abstract/strengthen.h"
#include "cmp/lemmas/orbits.h"
#include "cmp/lemmas/steps.h"
#include "cmp/lemmas/views.h"
#include "model/model.h"
#include "space/space.h"

#include <string.h>

enum { MOST_PARAMS = 24 };

// What a step of others depends on besides the state.
typedef struct {
    uint32_t from;  // the cell of kept element 0 that an unknown is; UINT32_MAX: cannot be read off a view
    bool is_unknown, is_defined, is_id;
    uint32_t cell;  // where the system has it
    value first;
    uint32_t size;
} param;

typedef struct {
    bool is_step, is_error;
    uint32_t difference;
} outcome;

// The steps of others by one rule. A *label* numbers values for all parameters.
typedef struct {
    rule origin;
    runner r;
    uint64_t *mask;  // the cells of a view that matter
    tuples *known;   // (what a view has there, label) -> outcome
    VEC(outcome) outcomes;
    VEC(uint64_t) differences;
    uint64_t *key, *before;
    value *cells;
    uint32_t nparams;
    param params[MOST_PARAMS];
} action;

typedef struct {
    uint32_t action, label;
    uint64_t held;
    uint32_t older;  // of the same site; UINT32_MAX: none
} actor;

typedef struct {
    survey *s;
    abstraction *a;
    views *v;
    orbits *o;
    uint32_t words;
    runner kept;
    VEC(action) actions;
    VEC(actor) actors;
    VEC(uint32_t) newest;  // actor, by site
    tuples *known;         // (site, action, label, held)
    VEC(uint64_t) found;   // views that are not added yet
    uint64_t *state, *after;
    value *cells, *own;  // of the view looked at, and of the one that acts
    bool is_stuck;       // it cannot be closed
} joiner;

// ---- rules of others

static void describe_unknown(const joiner *j, const abstract_case *c, var v, param *p) {
    for (uint32_t i = 0; i < c->unknowns.len; i++) {
        const unknown *u = &c->unknowns.data[i];
        uint32_t other;
        if (u->v.id != v.id) continue;
        p->is_unknown = true;
        p->is_defined = u->kind == UNKNOWN_DEFINED;
        bool is_cell = u->kind == UNKNOWN_VALUE || u->kind == UNKNOWN_DEFINED;
        if (is_cell && u->key.id) p->from = views_cell(j->v, u->key, &other);
    }
}

static bool modular_describe(const joiner *j, action *x, const input_list *inputs) {
    const abstract_case *c = x->r.st.rules.data[0].c;
    uint64_t labels = 1;
    if (inputs->len > MOST_PARAMS) return false;
    for (uint32_t i = 0; i < inputs->len; i++) {
        type ty = func_of(j->a->m, inputs->data[i].f)->result;
        param p = {.from = UINT32_MAX, .is_id = type_same(ty, j->a->id)};
        p.cell = x->r.in->first_cell[inputs->data[i].f.id];
        p.first = instance_type_first(x->r.in, ty);
        p.size = instance_type_size(x->r.in, ty);
        describe_unknown(j, c, inputs->data[i].stands_for, &p);
        x->params[x->nparams++] = p;
        if ((labels *= p.size) > UINT32_MAX) return false;
    }
    return true;
}

static void action_close(action *x) {
    runner_close(&x->r);
    tuples_free(x->known);
    vec_free(&x->outcomes);
    vec_free(&x->differences);
}

static bool action_open(const joiner *j, action *x, strengthened st, const input_list *inputs) {
    arena *memory = j->a->m->memory;
    if (!runner_open(&x->r, st) || x->r.st.rules.len != 1) return false;
    x->known = tuples_new(j->words + 1);
    x->mask = arena_alloc(memory, j->words * sizeof *x->mask);
    x->key = arena_alloc(memory, (j->words + 1) * sizeof *x->key);
    x->before = arena_alloc(memory, (space_words(x->r.sp) + j->words) * sizeof *x->before);
    x->cells = arena_alloc(memory, x->r.in->ncells * sizeof *x->cells);
    runner_mask(&x->r, j->s->view_space, x->mask);
    return modular_describe(j, x, inputs);
}

static bool open_actions(joiner *j) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < sys_of(j->a->m, j->a->origin)->rules.len; i++) {
        action x = {.origin = sys_of(j->a->m, j->a->origin)->rules.data[i]};
        input_list inputs = {0};
        strengthened st = strengthen_plain(j->a, x.origin, &inputs);
        if (st.rules.len) {
            ok = action_open(j, &x, st, &inputs);
            vec_push(&j->actions, x);
        } else strengthened_free(&st);
        vec_free(&inputs);
    }
    return ok;
}

static uint32_t action_of(const joiner *j, rule origin) {
    for (uint32_t i = 0; i < j->actions.len; i++)
        if (j->actions.data[i].origin.id == origin.id) return i;
    return UINT32_MAX;
}

// ---- views

static void modular_load(joiner *j, uint32_t view) {
    memcpy(j->state, tuples_get(j->s->views, view), j->words * sizeof *j->state);
    space_unpack(j->s->view_space, j->state, j->cells);
}

// Runs the step with a label from j->state.
static outcome try_step(const joiner *j, action *x, uint32_t label) {
    space_unpack(j->s->view_space, j->state, x->cells);
    for (uint32_t i = x->nparams; i-- > 0; label /= x->params[i].size)
        x->cells[x->params[i].cell] = x->params[i].first + (value)(label % x->params[i].size);
    space_pack(x->r.sp, x->cells, x->before);
    outcome o = {.is_step = runner_next(&x->r, x->before) > 0};
    if (!o.is_step) return o;
    o.is_error = x->r.labels[0] & SPACE_TROUBLE;
    o.difference = x->differences.len;
    space_unpack(x->r.sp, x->r.next, x->cells);
    space_pack(j->s->view_space, x->cells, x->before);
    for (uint32_t w = 0; w < j->words; w++) vec_push(&x->differences, j->state[w] ^ x->before[w]);
    return o;
}

static void modular_make_key(const joiner *j, action *x, uint32_t label) {
    for (uint32_t w = 0; w < j->words; w++) x->key[w] = j->state[w] & x->mask[w];
    x->key[j->words] = label;
}

static outcome step_from(const joiner *j, action *x, uint32_t label) {
    modular_make_key(j, x, label);
    uint32_t known = tuples_put(x->known, x->key);
    if (known == x->outcomes.len) {
        outcome o = try_step(j, x, label);
        vec_push(&x->outcomes, o);
    }
    return x->outcomes.data[known];
}

// What the actor does to j->state, of which `held` is known.
static void modular_meet(joiner *j, const actor *who, uint64_t held) {
    action *x = &j->actions.data[who->action];
    if (held & who->held) return;
    outcome o = step_from(j, x, who->label);
    if (!o.is_step) return;
    j->is_stuck |= o.is_error;
    for (uint32_t w = 0; w < j->words; w++) {
        j->after[w] = j->state[w] ^ x->differences.data[o.difference + w];
        vec_push(&j->found, j->after[w]);
    }
    tuples_prefetch(j->s->views, j->after);
}

// The views that were found lately, when their slots have come.
static void add_found(joiner *j) {
    for (uint32_t i = 0; i < j->found.len; i += j->words) orbits_add(j->o, j->found.data + i);
    j->found.len = 0;
}

// ---- actors

static void add_actor(joiner *j, uint32_t site, uint32_t number, uint32_t label, uint64_t held) {
    uint64_t key[] = {(uint64_t)site << 32 | label, held, number};
    if (tuples_put(j->known, key) < j->actors.len) return;
    actor who = {number, label, held, j->newest.data[site]};
    j->newest.data[site] = j->actors.len;
    vec_push(&j->actors, who);
    for (uint32_t i = views_newest(j->v, site); i != UINT32_MAX && !j->is_stuck; i = views_older(j->v, i)) {
        modular_load(j, i);
        modular_meet(j, &who, views_held(j->v, j->cells));
    }
    add_found(j);
}

typedef struct {
    joiner *j;
    uint32_t site, number;
    const value *plain;  // values of the parameters that are no unknowns
    uint64_t held;
} acting;

// What an element says of itself, as it looks to another: it is Other, as are those it calls Other; one of
// these may also be the one that looks.
static bool may_be(const acting *t, const param *p, value x) {
    value own = t->j->own[p->from];
    if (p->is_defined) return x == (own != VALUE_UNDEFINED);
    if (own == VALUE_UNDEFINED) return x == p->first;
    if (!p->is_id) return x == own;
    return x == 1 || (x == 0 && own == 1);
}

static void add_actors_from(const acting *t, uint32_t k, uint32_t nplain, uint32_t label) {
    const action *x = &t->j->actions.data[t->number];
    if (k == x->nparams) {
        add_actor(t->j, t->site, t->number, label, t->held);
        return;
    }
    const param p = x->params[k];
    for (uint32_t i = 0; i < p.size; i++) {
        value v = p.first + (value)i;
        bool fits = p.is_unknown ? p.from == UINT32_MAX || may_be(t, &p, v) : v == t->plain[nplain];
        if (fits) add_actors_from(t, k + 1, nplain + !p.is_unknown, label * p.size + i);
    }
}

// The step of the kept element of a view, seen by another one.
static void act(joiner *j, uint32_t site, uint32_t label, uint64_t held) {
    value plain[MOST_PARAMS], args[model_most_params(j->a->m)];
    uint32_t n = 0;
    rule r = space_label(j->kept.sp, label, args);
    const abstract_case *c = strengthened_rule(&j->kept.st, r)->c;
    uint32_t number = action_of(j, c->origin);
    if (number == UINT32_MAX) return;
    for (uint32_t i = 0; i < c->params.len && n < MOST_PARAMS; i++)
        if (!type_same(var_of(j->a->m, c->params.data[i])->ty, j->a->kept)) plain[n++] = args[i];
    acting t = {j, site, number, plain, held};
    add_actors_from(&t, 0, 0, 0);
}

// ---- the closure

static void take_kept_steps(joiner *j, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        j->is_stuck |= (j->kept.labels[i] & SPACE_TROUBLE) != 0;
        orbits_add(j->o, j->kept.next + (size_t)i * j->words);
    }
}

static void meet_all(joiner *j, uint32_t site, uint64_t held) {
    for (uint32_t i = j->newest.data[site]; i != UINT32_MAX; i = j->actors.data[i].older) {
        action *x = &j->actions.data[j->actors.data[i].action];
        modular_make_key(j, x, j->actors.data[i].label);
        tuples_prefetch(x->known, x->key);
    }
    for (uint32_t i = j->newest.data[site]; i != UINT32_MAX; i = j->actors.data[i].older)
        modular_meet(j, &j->actors.data[i], held);
    add_found(j);
}

static void close_view(joiner *j, uint32_t view) {
    views_catch_up(j->v, view + 1);
    modular_load(j, view);
    memcpy(j->own, j->cells, j->s->view_in->ncells * sizeof *j->own);
    uint32_t site = views_site(j->v, j->own);
    uint64_t held = views_held(j->v, j->own);
    if (site == j->newest.len) vec_push(&j->newest, UINT32_MAX);
    uint32_t n = runner_next(&j->kept, j->state);
    take_kept_steps(j, n);
    meet_all(j, site, held);
    for (uint32_t i = 0; i < n && !j->is_stuck; i++) act(j, site, j->kept.labels[i], held);
}

static bool close_views(joiner *j, uint64_t most_views, const limits *until) {
    uint32_t asked = 0;
    for (uint32_t i = 0; i < tuples_count(j->s->views) && !j->is_stuck; i++) {
        if (tuples_count(j->s->views) > most_views || limits_met_lately(until, &asked)) return false;
        close_view(j, i);
    }
    return !j->is_stuck;
}

// ---- making

static void join_close(joiner *j) {
    for (uint32_t i = 0; i < j->actions.len; i++) action_close(&j->actions.data[i]);
    vec_free(&j->actions);
    vec_free(&j->actors);
    vec_free(&j->found);
    vec_free(&j->newest);
    tuples_free(j->known);
    orbits_free(j->o);
    views_free(j->v);
    runner_close(&j->kept);
}

bool modular_join(survey *s, uint64_t most_views, const limits *until) {
    if (s->a->kept_count != 1 || s->a->types.len > 1) return false;
    joiner j = {.s = s, .a = s->a, .v = views_new(s), .words = space_words(s->view_space), .known = tuples_new(3)};
    arena *memory = s->a->m->memory;
    j.o = orbits_new(s, j.v);
    j.state = arena_alloc(memory, j.words * sizeof *j.state);
    j.after = arena_alloc(memory, j.words * sizeof *j.after);
    j.cells = arena_alloc(memory, s->view_in->ncells * sizeof *j.cells);
    j.own = arena_alloc(memory, s->view_in->ncells * sizeof *j.own);
    bool ok = orbits_are_few(j.o) && runner_open(&j.kept, strengthen_kept(j.a)) && open_actions(&j) &&
              close_views(&j, most_views, until);
    join_close(&j);
    return ok;
}
