// SPDX-License-Identifier: Apache-2.0
// The region graph: see region.h.
#include "oracle/region.h"

#include "front/xta/xta.h"

#include "base/bits.h"
#include "base/map.h"
#include "model/expr.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

enum { MOST_BINDINGS = 2000 };

// left - right <= value, or < value; as evaluated in a discrete state.
typedef struct {
    uint32_t left, right;
    bool is_strict;
    value most;
} limit;

typedef struct {
    uint32_t clock;
    value to;
} setting;

typedef VEC(limit) limit_list;
typedef VEC(setting) setting_list;

// A step of a discrete state, where its clock conditions hold.
typedef struct {
    rule name;
    uint32_t to;       // discrete state
    bool fails;        // it is a run-time error
    bool fails_first;  // so are its clock conditions
    bool is_idle;
    value priority;
    limit_list guard;
    setting_list sets;
} move;

typedef struct {
    value *cells;
    bool is_explored, is_still, is_valid, fails;  // fails: its invariants cannot be evaluated
    limit_list invariants;
    VEC(move) moves;
} place;

// Where a clock is: whole[c] is K + 1 if it is beyond; rank 0: no fraction.
typedef struct {
    uint32_t place;
    int16_t whole[REGION_MOST_CLOCKS], rank[REGION_MOST_CLOCKS];
} spot;

typedef struct {
    uint32_t to;
    bool is_idle;
    rule by;
} arrow;

typedef struct {
    spot at;
    VEC(arrow) steps;
    uint32_t later;  // the next region in time; NOWHERE: time may not pass; itself: for ever
    uint32_t again;  // where the clock that queries set is 0; NOWHERE: there is none
    bool has_faults;
} region;

struct region_graph {
    const instance *in;
    const model *m;
    const sys_info *system;
    const timed_info *timed;
    eval *ev;
    uint32_t most, clocks;              // clocks: with clock 0
    int32_t limit[REGION_MOST_CLOCKS];  // K of each clock; -1: it is compared with nothing
    value *first;                       // some initial state: for cells that are no part of a state
    bool *is_scratch;                   // by cell
    map *place_table, *region_table;
    VEC(place) places;
    VEC(region) regions;
    VEC(uint32_t) starts;
    bits taken;  // edges of templates
    region_facts facts;
};

// ---- constants

static void raise(int32_t *to, int64_t v) {
    if (v > *to) *to = (int32_t)v;
}

static void see_bound(region_graph *g, const clock_bound *b) {
    int64_t lo, hi;
    expr_bounds(g->m, b->bound, &lo, &hi);
    if (b->left && b->right) g->facts.is_supported = false;
    if (hi > 1000 || lo < -1000) g->facts.is_supported = false;
    else if (b->left) raise(&g->limit[b->left], hi < 0 ? 0 : hi);
    else raise(&g->limit[b->right], lo > 0 ? 0 : -lo);
}

static void find_limits(region_graph *g, int32_t horizon) {
    memset(g->limit, -1, sizeof g->limit);
    for (uint32_t i = 0; i < g->system->rules.len; i++) {
        const rule_info *r = rule_of(g->m, g->system->rules.data[i]);
        for (uint32_t k = 0; k < r->nbounds; k++) see_bound(g, &r->bounds[k]);
    }
    for (uint32_t i = 0; i < g->timed->invariants.len; i++) see_bound(g, &g->timed->invariants.data[i]);
    if (g->timed->rates.len) g->facts.is_supported = false;
    for (uint32_t i = 0; i < g->timed->atoms.len; i++)
        if (!g->timed->atoms.data[i].is_deadlock) see_bound(g, &g->timed->atoms.data[i].is);
    for (uint32_t i = 1; i < g->m->props.len; i++)
        if (g->m->props.data[i].clock) raise(&g->limit[g->m->props.data[i].clock], horizon);
}

// ---- discrete states

static bool faulted(const region_graph *g) { return eval_fault(g->ev).kind != FAULT_NONE; }

static bool applies(region_graph *g, const value *cells, expr when, bool *fails) {
    if (!when.id) return true;
    bool yes = eval_expr(g->ev, cells, when);
    *fails |= faulted(g);
    return yes && !faulted(g);
}

static void take_limit(region_graph *g, const value *cells, const clock_bound *b, limit_list *out, bool *fails) {
    if (!applies(g, cells, b->when, fails)) return;
    value most = eval_expr(g->ev, cells, b->bound);
    *fails |= faulted(g);
    vec_push(out, (limit){b->left, b->right, b->is_strict, most});
}

static uint32_t place_of(region_graph *g, const value *cells) {
    size_t size = g->in->ncells * sizeof *cells;
    place p = {.cells = mem_alloc(size + 1), .is_valid = true};
    memcpy(p.cells, cells, size);
    for (uint32_t i = 0; i < g->in->ncells; i++)
        if (g->is_scratch[i]) p.cells[i] = g->first[i];
    uint32_t known = map_get(g->place_table, p.cells, size, NOWHERE);
    if (known != NOWHERE) {
        free(p.cells);
        return known;
    }
    for (uint32_t i = 0; i < g->timed->invariants.len; i++)
        take_limit(g, p.cells, &g->timed->invariants.data[i], &p.invariants, &p.fails);
    p.is_valid = applies(g, p.cells, g->timed->valid, &p.fails);
    p.is_still = g->timed->still.id && applies(g, p.cells, g->timed->still, &p.fails);
    map_put(g->place_table, p.cells, size, g->places.len);
    vec_push(&g->places, p);
    return g->places.len - 1;
}

static void take_settings(region_graph *g, const value *cells, const rule_info *r, move *v) {
    for (uint32_t i = 0; i < r->nresets; i++) {
        if (!applies(g, cells, r->resets[i].when, &v->fails_first)) continue;
        value to = eval_expr(g->ev, cells, r->resets[i].value);
        v->fails_first |= faulted(g);
        v->fails |= to < 0;
        vec_push(&v->sets, (setting){r->resets[i].clock, to});
    }
}

static void add_move(region_graph *g, uint32_t from, rule name, const value *args) {
    const value *cells = g->places.data[from].cells;
    const rule_info *r = rule_of(g->m, name);
    value *next = mem_zero(g->in->ncells + 1, sizeof *next);
    bool enabled = eval_enabled(g->ev, cells, name, args);
    move v = {.name = name, .to = NOWHERE, .fails = faulted(g)};
    if (enabled || v.fails) {
        for (uint32_t i = 0; i < r->nbounds; i++) take_limit(g, cells, &r->bounds[i], &v.guard, &v.fails_first);
        take_settings(g, cells, r, &v);
        if (r->priority.id) v.priority = eval_expr(g->ev, cells, r->priority);
        bool done = !v.fails && eval_fire(g->ev, cells, name, args, next);
        bool is_none = !v.fails && !done && eval_is_impossible(g->ev);
        v.fails |= !done;
        if (done) {
            v.to = place_of(g, next);
            v.fails |= g->places.data[v.to].fails;
            v.is_idle = v.to == from && !v.sets.len;
        }
        if (!is_none) vec_push(&g->places.data[from].moves, v);
    }
    free(next);
}

static void find_moves(region_graph *g, uint32_t from) {
    if (g->places.data[from].is_explored) return;
    g->places.data[from].is_explored = true;
    for (uint32_t i = 0; i < g->system->rules.len; i++) {
        rule r = g->system->rules.data[i];
        value *args = mem_zero(rule_of(g->m, r)->nparams + 1, sizeof *args);
        bool first = true;
        while (eval_next_binding(g->in, r, args, &first)) add_move(g, from, r, args);
        free(args);
    }
}

// ---- regions

static bool is_beyond(const region_graph *g, const spot *s, uint32_t c) { return s->whole[c] > g->limit[c]; }

// Clocks past their constant are all the same; ranks count from 0 (no fraction) or 1 without gaps.
static void normalise(const region_graph *g, spot *s) {
    int16_t dense[REGION_MOST_CLOCKS];
    for (uint32_t c = 1; c < g->clocks; c++) {
        if (!is_beyond(g, s, c) && !(s->whole[c] == g->limit[c] && s->rank[c] > 0)) continue;
        s->whole[c] = (int16_t)(g->limit[c] + 1);
        s->rank[c] = 0;
    }
    for (uint32_t c = 1; c < g->clocks; c++) {
        dense[c] = s->rank[c] > 0;
        for (uint32_t k = 1; k < g->clocks; k++) {
            if (s->rank[k] == 0 || s->rank[k] >= s->rank[c]) continue;
            bool is_counted = false;
            for (uint32_t j = 1; j < k; j++) is_counted |= s->rank[j] == s->rank[k];
            dense[c] = (int16_t)(dense[c] + !is_counted);
        }
    }
    for (uint32_t c = 1; c < g->clocks; c++) s->rank[c] = dense[c];
}

static bool allows(const region_graph *g, const spot *s, const limit *l) {
    if (l->left) {
        int32_t w = s->whole[l->left];
        if (is_beyond(g, s, l->left)) return false;
        return w < l->most || (w == l->most && s->rank[l->left] == 0 && !l->is_strict);
    }
    int32_t w = s->whole[l->right], least = -l->most;
    if (is_beyond(g, s, l->right)) return true;
    return w > least || (w == least && (s->rank[l->right] > 0 || !l->is_strict));
}

static bool allow(const region_graph *g, const spot *s, const limit_list *l) {
    for (uint32_t i = 0; i < l->len; i++)
        if (!allows(g, s, &l->data[i])) return false;
    return true;
}

static bool may_be(const region_graph *g, const spot *s) {
    const place *p = &g->places.data[s->place];
    return p->is_valid && allow(g, s, &p->invariants);
}

static uint32_t region_of(region_graph *g, const spot *s) {
    uint32_t i = map_intern(g->region_table, s, sizeof *s, g->regions.len);
    if (i == g->regions.len) vec_push(&g->regions, (region){.at = *s, .later = NOWHERE, .again = NOWHERE});
    return i;
}

static spot after_move(const region_graph *g, const spot *s, const move *v) {
    spot to = *s;
    to.place = v->to;
    for (uint32_t i = 0; i < v->sets.len; i++) {
        uint32_t c = v->sets.data[i].clock;
        value x = v->sets.data[i].to;
        to.whole[c] = (int16_t)(x > g->limit[c] ? g->limit[c] + 1 : x);
        to.rank[c] = 0;
    }
    normalise(g, &to);
    return to;
}

// Is the step possible from the region, and where does it lead?
static bool leads(const region_graph *g, const spot *s, const move *v, spot *to) {
    if (v->fails || v->fails_first || !allow(g, s, &v->guard)) return false;
    *to = after_move(g, s, v);
    return may_be(g, to);
}

static value highest_priority(const region_graph *g, const spot *s) {
    const place *p = &g->places.data[s->place];
    value highest = INT32_MIN;
    spot to;
    for (uint32_t i = 0; g->timed->has_priorities && i < p->moves.len; i++)
        if (leads(g, s, &p->moves.data[i], &to) && p->moves.data[i].priority > highest)
            highest = p->moves.data[i].priority;
    return highest;
}

static void take_moves(region_graph *g, uint32_t at) {
    spot s = g->regions.data[at].at, to;
    find_moves(g, s.place);
    value highest = highest_priority(g, &s);
    for (uint32_t i = 0; i < g->places.data[s.place].moves.len; i++) {
        const move *v = &g->places.data[s.place].moves.data[i];
        if (v->fails_first) g->regions.data[at].has_faults = true;
        if (v->fails_first || (g->timed->has_priorities && v->priority < highest)) continue;
        if (v->fails) g->regions.data[at].has_faults |= allow(g, &s, &v->guard);
        if (!leads(g, &s, v, &to)) continue;
        const rule_info *r = rule_of(g->m, v->name);
        for (uint32_t k = 0; k < r->nmoves; k++) bits_add(&g->taken, r->moves[k].edge);
        bool is_idle = v->is_idle;
        rule by = v->name;
        uint32_t next = region_of(g, &to);
        vec_push(&g->regions.data[at].steps, (arrow){next, is_idle, by});
    }
}

// A clock without a fraction leaves its whole number first; else the largest fractions become whole.
static void pass_time(region_graph *g, uint32_t at) {
    spot s = g->regions.data[at].at;
    bool some = false, some_whole = false;
    int16_t top = 0;
    if (g->places.data[s.place].is_still) return;
    for (uint32_t c = 1; c < g->clocks; c++) {
        if (is_beyond(g, &s, c)) continue;
        some = true;
        some_whole |= s.rank[c] == 0;
        if (s.rank[c] > top) top = s.rank[c];
    }
    for (uint32_t c = 1; c < g->clocks && some; c++) {
        if (is_beyond(g, &s, c)) continue;
        if (some_whole) s.rank[c]++;
        else if (s.rank[c] == top) s.whole[c]++, s.rank[c] = 0;
    }
    normalise(g, &s);
    if (!may_be(g, &s)) return;
    uint32_t later = region_of(g, &s);
    g->regions.data[at].later = later;
}

static void restart(region_graph *g, uint32_t at) {
    spot s = g->regions.data[at].at;
    uint32_t since = g->timed->since_clock;
    if (!since) return;
    s.whole[since] = s.rank[since] = 0;
    normalise(g, &s);
    uint32_t again = region_of(g, &s);
    g->regions.data[at].again = again;
}

static bool start_at(const value *cells, void *context) {
    region_graph *g = context;
    spot s = {0};
    if (!g->first) {
        g->first = mem_alloc((g->in->ncells + 1) * sizeof *cells);
        memcpy(g->first, cells, g->in->ncells * sizeof *cells);
    }
    s.place = place_of(g, cells);
    for (uint32_t c = 1; c < g->clocks; c++) s.whole[c] = (int16_t)g->timed->clocks.data[c].initial;
    normalise(g, &s);
    g->facts.has_faults |= g->places.data[s.place].fails;
    if (g->places.data[s.place].fails || !may_be(g, &s)) return true;
    vec_push(&g->starts, region_of(g, &s));
    return true;
}

// Every choice of a rule's parameters is tried in every state: with many, a network is left out.
static bool has_few_bindings(const region_graph *g) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < g->system->rules.len; i++) {
        const rule_info *r = rule_of(g->m, g->system->rules.data[i]);
        uint64_t here = 1;
        for (uint32_t k = 0; k < r->nparams && here <= MOST_BINDINGS; k++)
            here *= type_known_size(g->m, var_of(g->m, r->params[k])->ty);
        all += here;
    }
    return all <= MOST_BINDINGS;
}

region_graph *region_explore(const instance *in, const region_options *o) {
    region_graph *g = mem_zero(1, sizeof *g);
    const sys_info *is = sys_of(in->m, in->system);
    value args[64];
    *g = (region_graph){.in = in, .m = in->m, .system = is, .timed = is->timed, .ev = eval_new(in), .most = o->most};
    g->clocks = is->timed->clocks.len;
    g->facts.is_supported = g->clocks <= REGION_MOST_CLOCKS;
    g->place_table = map_new();
    g->region_table = map_new();
    g->is_scratch = mem_zero(in->ncells + 1, sizeof *g->is_scratch);
    for (uint32_t i = 0; i < in->ncells; i++)
        g->is_scratch[i] = func_of(in->m, instance_cell_func(in, i, args))->is_scratch;
    g->facts.is_supported &= has_few_bindings(g);
    if (g->facts.is_supported) find_limits(g, o->horizon);
    if (!g->facts.is_supported) return g;
    g->facts.is_complete = eval_initial(in, start_at, g);
    g->facts.has_start = g->starts.len > 0;
    for (uint32_t i = 0; i < g->regions.len && g->facts.is_complete; i++) {
        take_moves(g, i);
        pass_time(g, i);
        restart(g, i);
        g->facts.has_faults |= g->regions.data[i].has_faults;
        g->facts.is_complete = g->regions.len <= o->most;
    }
    g->facts.regions = g->regions.len;
    g->facts.states = g->places.len;
    return g;
}

void region_free(region_graph *g) {
    for (uint32_t i = 0; i < g->places.len; i++) {
        place *p = &g->places.data[i];
        for (uint32_t k = 0; k < p->moves.len; k++) {
            vec_free(&p->moves.data[k].guard);
            vec_free(&p->moves.data[k].sets);
        }
        vec_free(&p->moves);
        vec_free(&p->invariants);
        free(p->cells);
    }
    for (uint32_t i = 0; i < g->regions.len; i++) vec_free(&g->regions.data[i].steps);
    vec_free(&g->places);
    vec_free(&g->regions);
    vec_free(&g->starts);
    map_free(g->place_table);
    map_free(g->region_table);
    eval_free(g->ev);
    free(g->first);
    free(g->is_scratch);
    bits_free(&g->taken);
    free(g);
}

region_facts region_facts_of(const region_graph *g) { return g->facts; }
bool region_takes(const region_graph *g, uint32_t edge) { return bits_has(&g->taken, edge); }

// ---- points

uint32_t region_find(region_graph *g, const value *cells, const int64_t *clocks, int64_t unit) {
    spot s = {.place = place_of(g, cells)};
    for (uint32_t c = 1; c < g->clocks; c++) {
        int64_t whole = clocks[c] / unit, part = clocks[c] % unit;
        s.whole[c] = (int16_t)(whole > g->limit[c] ? g->limit[c] + 1 : whole);
        s.rank[c] = part > 0;
        for (uint32_t k = 1; k < g->clocks && part > 0; k++)
            s.rank[c] = (int16_t)(s.rank[c] + (clocks[k] % unit > 0 && clocks[k] % unit < part));
    }
    normalise(g, &s);
    return map_get(g->region_table, &s, sizeof s, NOWHERE);
}

uint32_t region_later(const region_graph *g, uint32_t at) { return g->regions.data[at].later; }
bool region_is_still(const region_graph *g, uint32_t at) {
    return g->places.data[g->regions.data[at].at.place].is_still;
}
bool region_fails(const region_graph *g, uint32_t at) { return g->regions.data[at].has_faults; }

uint32_t region_count(const region_graph *g, uint32_t at, rule r) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->regions.data[at].steps.len; i++) n += g->regions.data[at].steps.data[i].by.id == r.id;
    return n;
}

bool region_leads(const region_graph *g, uint32_t at, rule r, uint32_t to) {
    for (uint32_t i = 0; i < g->regions.data[at].steps.len; i++) {
        const arrow *a = &g->regions.data[at].steps.data[i];
        if (a->by.id == r.id && a->to == to) return true;
    }
    return false;
}

// ---- formulas

// No step is possible now or after any delay.
static bool is_dead(const region_graph *g, uint32_t i) {
    for (;; i = g->regions.data[i].later) {
        const region *r = &g->regions.data[i];
        if (r->steps.len || r->has_faults) return false;
        if (r->later == NOWHERE || r->later == i) return true;
    }
}

static bool holds(region_graph *g, uint32_t i, expr e, bool *fails) {
    const region *r = &g->regions.data[i];
    const value *cells = g->places.data[r->at.place].cells;
    for (uint32_t k = 0; k < g->timed->atoms.len; k++) {
        const clock_atom *a = &g->timed->atoms.data[k];
        if (!expr_has_var(g->m, e, a->stands)) continue;
        bool yes = a->is_deadlock && is_dead(g, i);
        if (!a->is_deadlock) {
            limit l = {a->is.left, a->is.right, a->is.is_strict, eval_expr(g->ev, cells, a->is.bound)};
            *fails |= faulted(g);
            yes = allows(g, &r->at, &l);
        }
        eval_bind(g->ev, a->stands, yes);
    }
    bool yes = eval_expr(g->ev, cells, e);
    *fails |= faulted(g);
    return yes && !faulted(g);
}

// Where e holds (or does not), by region.
static bool *where(region_graph *g, expr e, bool wanted, bool *fails) {
    bool *is = mem_zero(g->regions.len + 1, sizeof *is);
    for (uint32_t i = 0; i < g->regions.len; i++) is[i] = holds(g, i, e, fails) == wanted;
    return is;
}

static bool anywhere(const region_graph *g, const bool *is) {
    for (uint32_t i = 0; i < g->regions.len; i++)
        if (is[i]) return true;
    return false;
}

// ---- runs

// Can a run that is in the region now stay within `in`, for one move more or because it ends here?
static bool goes_on(const region_graph *g, const bool *in, uint32_t i, bool counts_idle) {
    const region *r = &g->regions.data[i];
    bool is_end = r->later == NOWHERE && !r->has_faults;
    if (r->later != NOWHERE && in[r->later]) return true;
    for (uint32_t k = 0; k < r->steps.len; k++) {
        if (r->steps.data[k].is_idle && !counts_idle) continue;
        is_end = false;
        if (in[r->steps.data[k].to]) return true;
    }
    return is_end;
}

// The largest set within `in` in which runs can go on or end: what cannot is taken out until nothing changes.
static void keep_runs(const region_graph *g, bool *in, bool counts_idle) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->regions.len; i-- > 0;)
            if (in[i] && !goes_on(g, in, i, counts_idle)) in[i] = false, changed = true;
    }
}

static bool starts_in(const region_graph *g, const bool *in) {
    for (uint32_t i = 0; i < g->starts.len; i++)
        if (in[g->starts.data[i]]) return true;
    return false;
}

// ---- extremes

static void better(region_answer *a, bool largest, int64_t v, bool is_strict) {
    bool is = !a->has_extreme || (largest ? v > a->extreme : v < a->extreme) ||
              (v == a->extreme && a->is_strict && !is_strict);
    if (!is) return;
    a->has_extreme = true;
    a->extreme = v;
    a->is_strict = is_strict;
}

static void measure(region_graph *g, const prop_info *p, uint32_t i, region_answer *a) {
    const spot *s = &g->regions.data[i].at;
    bool largest = p->query == QUERY_SUP;
    if (!p->clock) {
        value v = eval_expr(g->ev, g->places.data[s->place].cells, p->measured);
        a->faults |= faulted(g);
        better(a, largest, v, false);
        return;
    }
    bool has_fraction = s->rank[p->clock] > 0;
    if (is_beyond(g, s, p->clock)) {
        a->is_beyond |= largest || !a->has_extreme;
        better(a, largest, g->limit[p->clock], true);
        return;
    }
    if (!largest) a->is_beyond = false;
    better(a, largest, s->whole[p->clock] + (largest && has_fraction), has_fraction);
}

region_answer region_ask(region_graph *g, prop which, bool counts_idle) {
    const prop_info *p = prop_of(g->m, which);
    region_answer a = {0};
    bool for_all = p->query == QUERY_ALWAYS || p->query == QUERY_EVENTUALLY;
    bool *in = where(g, p->cond, !for_all, &a.faults), *without = NULL;
    switch (p->query) {
    case QUERY_ALWAYS:
    case QUERY_POSSIBLY: a.is_found = anywhere(g, in); break;
    case QUERY_KEEPS:
    case QUERY_EVENTUALLY:
        keep_runs(g, in, counts_idle);
        a.is_found = starts_in(g, in);
        break;
    case QUERY_LEADS_TO:
        without = where(g, p->then, false, &a.faults);
        keep_runs(g, without, counts_idle);
        for (uint32_t i = 0; i < g->regions.len; i++)
            a.is_found |= in[i] && without[p->restarts ? g->regions.data[i].again : i];
        break;
    case QUERY_SUP:
    case QUERY_INF:
        for (uint32_t i = 0; i < g->regions.len; i++)
            if (in[i]) measure(g, p, i, &a);
        break;
    }
    free(in);
    free(without);
    return a;
}

// ---- from text

bool region_read(const char *text, const char *const *queries, uint32_t n, const region_options *o, region_reading *x) {
    xta_options how = {.queries = queries, .nqueries = n};
    sys system;
    *x = (region_reading){.messages = diag_new()};
    x->m = model_new(x->messages);
    if (xta_read_text(x->m, "random.xta", text, strlen(text), &how, &system))
        x->in = instance_new(x->m, system, NULL, 0);
    if (x->in) x->g = region_explore(x->in, o);
    return x->in;
}

void region_close(region_reading *x) {
    if (x->g) region_free(x->g);
    instance_free(x->in);
    model_free(x->m);
    diag_free(x->messages);
}
