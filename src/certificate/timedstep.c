// SPDX-License-Identifier: Apache-2.0
// Steps of timed systems by the reference evaluator: see timedstep.h.
#include "certificate/timedstep.h"

#include "base/map.h"
#include "model/expr.h"
#include "result/cell.h"

#include <string.h>

struct timedstep {
    const instance *in;
    const model *m;
    const sys_info *system;
    const timed_info *timed;
    eval *ev;
    uint32_t n;
    bool *is_local;  // by cell
    map *table;
    VEC(timed_place) places;
};

// ---- making

static bool is_moderate(const timedstep *t, expr e) {
    int64_t lo, hi;
    expr_bounds(t->m, e, &lo, &hi);
    return lo > -PLAIN_LARGEST && hi < PLAIN_LARGEST;
}

static bool are_moderate(const timedstep *t) {
    bool ok = true;
    for (uint32_t i = 0; i < t->system->rules.len; i++) {
        const rule_info *r = rule_of(t->m, t->system->rules.data[i]);
        for (uint32_t k = 0; k < r->nbounds; k++) ok &= is_moderate(t, r->bounds[k].bound);
        for (uint32_t k = 0; k < r->nresets; k++) ok &= is_moderate(t, r->resets[k].value);
    }
    for (uint32_t i = 0; i < t->timed->invariants.len; i++) ok &= is_moderate(t, t->timed->invariants.data[i].bound);
    for (uint32_t i = 0; i < t->timed->atoms.len; i++)
        ok &= t->timed->atoms.data[i].is_deadlock || is_moderate(t, t->timed->atoms.data[i].is.bound);
    return ok;
}

timedstep *timedstep_new(const instance *in, str *why) {
    timedstep *t = mem_zero(1, sizeof *t);
    const sys_info *s = sys_of(in->m, in->system);
    *t = (timedstep){.in = in, .m = in->m, .system = s, .timed = s->timed, .ev = eval_new(in)};
    t->n = s->timed->clocks.len;
    t->table = map_new();
    t->is_local = mem_zero(in->ncells + 1, sizeof *t->is_local);
    for (uint32_t c = 0; c < in->ncells; c++) t->is_local[c] = cell_is_local(in, c);
    bool ok = t->n <= PLAIN_MOST_CLOCKS && are_moderate(t);
    if (!ok) str_add(why, "there are too many clocks, or they are compared with numbers that are too large");
    else if (s->timed->rates.len) str_add(why, "clocks stand still in some states: such systems have no certificates");
    if (ok && !s->timed->rates.len) return t;
    timedstep_free(t);
    return NULL;
}

void timedstep_free(timedstep *t) {
    if (!t) return;
    for (uint32_t i = 0; i < t->places.len; i++) {
        timed_place *p = &t->places.data[i];
        for (uint32_t k = 0; k < p->moves.len; k++) {
            vec_free(&p->moves.data[k].guard);
            vec_free(&p->moves.data[k].sets);
        }
        vec_free(&p->moves);
        vec_free(&p->invariants);
        free(p->cells);
    }
    vec_free(&t->places);
    map_free(t->table);
    eval_free(t->ev);
    free(t->is_local);
    free(t);
}

eval *timedstep_eval(timedstep *t) { return t->ev; }
uint32_t timedstep_count(const timedstep *t) { return t->places.len; }
timed_place *timedstep_at(timedstep *t, uint32_t place) { return &t->places.data[place]; }

// ---- places

static bool timedstep_failed(const timedstep *t) { return eval_fault(t->ev).kind != FAULT_NONE; }

static bool timedstep_holds(timedstep *t, const value *cells, expr e, bool *fails) {
    if (!e.id) return true;
    bool yes = eval_expr(t->ev, cells, e);
    *fails |= timedstep_failed(t);
    return yes && !timedstep_failed(t);
}

static void add_limit(timedstep *t, const value *cells, const clock_bound *b, timed_limits *out, bool *fails) {
    if (!timedstep_holds(t, cells, b->when, fails)) return;
    value most = eval_expr(t->ev, cells, b->bound);
    *fails |= timedstep_failed(t);
    vec_push(out, (timed_limit){b->left, b->right, plain_bound(most, b->is_strict)});
}

uint32_t timedstep_place(timedstep *t, const value *cells) {
    size_t size = t->in->ncells * sizeof *cells;
    timed_place p = {.cells = mem_alloc(size + 1)};
    memcpy(p.cells, cells, size);
    for (uint32_t i = 0; i < t->in->ncells; i++)
        if (t->is_local[i]) p.cells[i] = VALUE_UNDEFINED;
    uint32_t known = map_get(t->table, p.cells, size, UINT32_MAX);
    if (known != UINT32_MAX) {
        free(p.cells);
        return known;
    }
    for (uint32_t i = 0; i < t->timed->invariants.len; i++)
        add_limit(t, p.cells, &t->timed->invariants.data[i], &p.invariants, &p.fails);
    p.is_valid = timedstep_holds(t, p.cells, t->timed->valid, &p.fails);
    p.is_still = t->timed->still.id && timedstep_holds(t, p.cells, t->timed->still, &p.fails);
    map_put(t->table, p.cells, size, t->places.len);
    vec_push(&t->places, p);
    return t->places.len - 1;
}

typedef struct {
    timedstep *t;
    place_list *out;
} starting;

static bool timedstep_start_at(const value *cells, void *context) {
    starting *s = context;
    vec_push(s->out, timedstep_place(s->t, cells));
    return true;
}

bool timedstep_initial(timedstep *t, place_list *out) {
    starting s = {t, out};
    eval_start_fault why = {0};
    return eval_initial_within(t->in, &(limits){0}, timedstep_start_at, &s, &why);
}

void timedstep_first_zone(const timedstep *t, int32_t *d) {
    plain_zero(d, t->n);
    for (uint32_t c = 1; c < t->n; c++)
        if (t->timed->clocks.data[c].initial) plain_set(d, t->n, c, t->timed->clocks.data[c].initial);
}

// ---- moves

// What a step says about clocks is read in the state before it.
static bool read_clocks(timedstep *t, const value *cells, const rule_info *r, timed_move *v) {
    bool fails = false;
    for (uint32_t i = 0; i < r->nbounds; i++) add_limit(t, cells, &r->bounds[i], &v->guard, &fails);
    for (uint32_t i = 0; i < r->nresets; i++) {
        if (!timedstep_holds(t, cells, r->resets[i].when, &fails)) continue;
        value to = eval_expr(t->ev, cells, r->resets[i].value);
        fails |= timedstep_failed(t);
        v->fails |= to < 0;
        vec_push(&v->sets, (timed_setting){r->resets[i].clock, to});
    }
    if (r->priority.id) {
        v->priority = eval_expr(t->ev, cells, r->priority);
        fails |= timedstep_failed(t);
    }
    return !fails;
}

static void add_move(timedstep *t, uint32_t from, rule name, const value *args, value *next) {
    const value *cells = t->places.data[from].cells;
    prop refused;
    eval_end end = eval_step(t->ev, cells, name, args, next, &refused);
    if (end == EVAL_NONE) return;
    timed_move v = {.fails = end != EVAL_FIRES, .r = name};
    if (!read_clocks(t, cells, rule_of(t->m, name), &v)) t->places.data[from].moves_fail = true;
    v.to = end == EVAL_FIRES ? timedstep_place(t, next) : from;
    v.fails |= t->places.data[v.to].fails;
    v.is_idle = !v.fails && v.to == from && !v.sets.len;
    vec_push(&t->places.data[from].moves, v);
}

void timedstep_explore(timedstep *t, uint32_t place) {
    if (t->places.data[place].is_explored) return;
    t->places.data[place].is_explored = true;
    value *next = mem_zero(t->in->ncells + 1, sizeof *next);
    for (uint32_t i = 0; i < t->system->rules.len; i++) {
        rule r = t->system->rules.data[i];
        value *args = mem_zero(rule_of(t->m, r)->nparams + 1, sizeof *args);
        bool first = true;
        while (eval_next_binding(t->in, r, args, &first)) add_move(t, place, r, args, next);
        free(args);
    }
    free(next);
}

// ---- zones

static bool timedstep_constrain(int32_t *d, uint32_t n, const timed_limits *l) {
    for (uint32_t i = 0; i < l->len; i++)
        if (!plain_constrain(d, n, l->data[i].left, l->data[i].right, l->data[i].b)) return false;
    return true;
}

bool timedstep_within(timedstep *t, uint32_t place, int32_t *d) {
    const timed_place *p = &t->places.data[place];
    return p->is_valid && timedstep_constrain(d, t->n, &p->invariants);
}

bool timedstep_enter(timedstep *t, uint32_t place, int32_t *d) {
    if (!timedstep_within(t, place, d)) return false;
    if (t->places.data[place].is_still) return true;
    plain_up(d, t->n);
    return timedstep_within(t, place, d);
}

// left - right within b after the clocks were set, as a bound on clocks before: a clock that is set is the number.
static bool timedstep_constrain_before(const timedstep *t, const timed_move *v, const timed_limit *l, int32_t *d) {
    uint32_t left = l->left, right = l->right;
    int32_t b = l->b;
    for (uint32_t i = v->sets.len; i-- > 0;) {
        const timed_setting *s = &v->sets.data[i];
        if (left && s->clock == left) left = 0, b -= 2 * s->to;
        if (right && s->clock == right) right = 0, b += 2 * s->to;
    }
    return plain_constrain(d, t->n, left, right, b);
}

// What of d can take the move at all.
static bool timedstep_possible(const timedstep *t, const timed_move *v, int32_t *d) {
    const timed_place *to = &t->places.data[v->to];
    if (!timedstep_constrain(d, t->n, &v->guard)) return false;
    if (v->fails) return true;
    if (!to->is_valid) return false;
    for (uint32_t i = 0; i < to->invariants.len; i++)
        if (!timedstep_constrain_before(t, v, &to->invariants.data[i], d)) return false;
    return true;
}

void timedstep_parts(timedstep *t, uint32_t place, uint32_t i, const int32_t *d, plain_list *out) {
    const timed_place *p = &t->places.data[place];
    const timed_move *v = &p->moves.data[i];
    int32_t *part = plain_copy(d, t->n), *cut = plain_copy(d, t->n);
    plain_list higher = {0};
    bool is_possible = timedstep_possible(t, v, part);
    for (uint32_t k = 0; is_possible && t->timed->has_priorities && k < p->moves.len; k++) {
        if (p->moves.data[k].fails || p->moves.data[k].priority <= v->priority) continue;
        memcpy(cut, d, plain_bytes(t->n));
        if (timedstep_possible(t, &p->moves.data[k], cut)) plain_add(&higher, cut, t->n);
    }
    if (is_possible) plain_without(part, &higher, t->n, out);
    vec_free(&higher);
    free(part);
    free(cut);
}

void timedstep_set(timedstep *t, uint32_t place, uint32_t i, int32_t *d) {
    const timed_move *v = &t->places.data[place].moves.data[i];
    for (uint32_t k = 0; k < v->sets.len; k++) plain_set(d, t->n, v->sets.data[k].clock, v->sets.data[k].to);
}

void timedstep_alive(timedstep *t, uint32_t place, const int32_t *d, bool without_idle, plain_list *out) {
    const timed_place *p = &t->places.data[place];
    for (uint32_t i = 0; i < p->moves.len; i++) {
        uint32_t first = out->len;
        if (without_idle && p->moves.data[i].is_idle) continue;
        timedstep_parts(t, place, i, d, out);
        for (uint32_t k = first; !p->is_still && k < out->len; k += t->n * t->n) plain_down(out->data + k, t->n);
    }
}
