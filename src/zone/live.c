// SPDX-License-Identifier: Apache-2.0
// Runs that stay within a formula: depth first through the graph of zones within it, where equal zones (not
// included ones) are the same node. There is such a run iff a cycle is found, or a node where time can pass
// for ever, or one with a point from which neither a step is possible nor time can lead out of the formula. A
// step that changes neither the state nor a clock is a step only if idle steps count. Bounds
// keep regions apart (net.keeps_regions), so an abstracted zone has such a point iff a reachable one has.
//
// Where the formula's clock conditions hold in several parts of a state that are not one zone, each part has nodes of
// its own, and time leads from one to another: to the points of the other part that are reached from the first without
// a gap between them (add_later). A cycle of such edges alone would be none of a run; they cannot make one except by
// abstraction, and then it is not told.
#include "zone/search.h"

#include <string.h>

enum { WHITE, ON_PATH, DONE };

typedef struct {
    uint32_t node, label;
    uint32_t perm;  // where in dfs.perms it begins
} kid;

typedef struct {
    uint32_t node, label;       // label: by which it was reached
    uint32_t first, next, end;  // its kids
    uint32_t perm;              // as of the kid that it was
} frame;

typedef struct {
    zone_search *s;
    uint32_t formula;
    zone_lasso *out;
    VEC(frame) path;
    VEC(kid) kids;
    VEC(uint8_t) perms;
    bool stuck, forever;
    matrix *last;  // the zone in which it is stuck
} dfs;

// Are the pieces one zone, which d gets?
static bool are_one_zone(const dbm_list *pieces, uint32_t n, bound *d) {
    dbm_list gaps = {0};
    memcpy(d, pieces->data, dbm_bytes(n));
    for (uint32_t i = 0; i < pieces->len; i++)
        if (pieces->data[i] > d[i % (n * n)]) d[i % (n * n)] = pieces->data[i];
    zone_without(d, pieces, n, &gaps);
    bool is_one = !gaps.len;
    vec_free(&gaps);
    return is_one;
}

// The one part of d within the formula, in place; false: none, or several (then it cannot be told).
static bool live_within(dfs *g, const uint64_t *state, bound *d) {
    dbm_list pieces = {0};
    zone_pieces(g->s->w, g->formula, state, d, false, &pieces);
    bool some = pieces.len > 0;
    if (some && !are_one_zone(&pieces, g->s->x->n, d)) g->out->is_unknown = true;
    vec_free(&pieces);
    return some && !g->out->is_unknown;
}

// Enters the state looked at, within the formula: first the arrival, then what time leads to without leaving
// it.
static bool live_enter(dfs *g, const uint64_t *state, bound *d, bool abstract) {
    net_room *w = g->s->w;
    const net *x = g->s->x;
    bool plain = !x->formulas.data[g->formula].natoms;
    if (!plain) {
        matrix all;
        memcpy(all.d, d, dbm_bytes(x->n));
        if (!net_enter(w, all.d, false) || !live_within(g, state, all.d)) return false;
        if (!dbm_intersect(d, all.d, x->n)) return false;
        if (!net_enter(w, d, false) || !dbm_intersect(d, all.d, x->n)) return false;
        g->out->met_stop |= w->met_stop;
        return !abstract || net_abstract(w, d);
    }
    bool holds = net_bit(w, x->formulas.data[g->formula].first_check) && net_enter(w, d, abstract);
    g->out->met_stop |= holds && w->met_stop;
    return holds;
}

// What was done to the state that was represented last, kept for the run.
static void keep_perm(dfs *g, const uint8_t *perm) {
    for (uint32_t i = 0; g->s->y && i < orbit_elements(g->s->y); i++) vec_push(&g->perms, perm[i]);
}

// The node of a state that was entered last.
static kid live_intern(dfs *g, const uint64_t *state, bound *d, uint32_t label) {
    bool is_new;
    orbit_perm perm;
    kid k = {.label = label, .perm = g->perms.len};
    state = zone_represent(&g->s->workers[0], state, d, perm);
    k.node = passed_put(g->out->seen, state, d, UINT32_MAX, 0, true, &is_new);
    if (is_new) {
        vec_push(&g->out->colour, WHITE);
        vec_push(&g->out->ranks, 0);
    }
    keep_perm(g, perm);
    return k;
}

// ---- ends of runs

// From where time leads out of the formula.
static void leaving(const dfs *g, const bound *d, dbm_list *out) {
    const net *x = g->s->x;
    matrix all;
    if (!x->formulas.data[g->formula].natoms || net_is_still(g->s->w)) return;
    memcpy(all.d, d, dbm_bytes(x->n));
    if (!net_enter(g->s->w, all.d, false)) return;
    uint32_t first = out->len;
    dbm_subtract(all.d, d, x->n, out);
    for (uint32_t i = first; i < out->len; i += x->n * x->n) net_come_from(g->s->w, g->s->w->stands, out->data + i);
}

static bool can_end(dfs *g, const uint64_t *state, const bound *d) {
    const net *x = g->s->x;
    dbm_list going_on = {0}, rest = {0};
    g->forever = zone_is_endless(g->s->w, d);
    if (!g->forever) {
        zone_alive(g->s->w, state, d, g->s->o->counts_idle, &going_on);
        leaving(g, d, &going_on);
        zone_rest(g->s->w, d, &going_on, &rest);
        g->stuck = rest.len > 0;
        if (g->stuck) memcpy(g->last->d, rest.data, dbm_bytes(x->n));
    }
    vec_free(&going_on);
    vec_free(&rest);
    return g->forever || g->stuck;
}

// ---- depth first

// By a step to a state, with the clocks as the step leaves them.
typedef void (*step_found)(dfs *g, uint32_t label, const uint64_t *next, bound *d, void *context);

// Abstracts a zone of the state looked at and appends it: cut, where differences of clocks are compared.
static void live_keep(dfs *g, const bound *d, dbm_list *out) {
    const net *x = g->s->x;
    dbm_list parts = {0};
    net_split(g->s->w, d, &parts);
    for (uint32_t i = 0; i < parts.len; i += x->n * x->n)
        if (net_abstract(g->s->w, parts.data + i)) dbm_add(out, parts.data + i, x->n);
    vec_free(&parts);
}

// The parts of a zone of the state looked at in which the formula holds; one, if they are one zone.
static void live_pieces(dfs *g, const uint64_t *state, const bound *d, dbm_list *out) {
    const net *x = g->s->x;
    matrix one;
    zone_pieces(g->s->w, g->formula, state, d, false, out);
    g->out->met_stop |= g->s->w->is_loose;
    if (out->len <= x->n * x->n) return;
    if (are_one_zone(out, x->n, one.d)) {
        out->len = 0;
        dbm_add(out, one.d, x->n);
    } else {
        g->out->has_parts = true;
        g->out->is_unknown |= x->rates.len > 0;
    }
}

// The state is entered in d: in which part of the formula, and where time leads within it.
static void live_enter_part(dfs *g, const bound *d, const bound *part, dbm_list *out) {
    const net *x = g->s->x;
    matrix in;
    memcpy(in.d, d, dbm_bytes(x->n));
    if (!dbm_intersect(in.d, part, x->n) || !net_enter(g->s->w, in.d, false)) return;
    g->out->met_stop |= g->s->w->met_stop;
    if (dbm_intersect(in.d, part, x->n)) live_keep(g, in.d, out);
}

// Enters the state, and appends what there is to keep of it.
static void live_arrive(dfs *g, const uint64_t *next, bound *d, dbm_list *out) {
    const net *x = g->s->x;
    matrix all;
    if (!x->formulas.data[g->formula].natoms) {
        bool splits = x->diagonals.len;
        if (!live_enter(g, next, d, !splits)) return;
        if (splits) live_keep(g, d, out);
        else dbm_add(out, d, x->n);
        return;
    }
    memcpy(all.d, d, dbm_bytes(x->n));
    if (!net_enter(g->s->w, all.d, false)) return;
    dbm_list parts = {0};
    live_pieces(g, next, all.d, &parts);
    for (uint32_t i = 0; i < parts.len; i += x->n * x->n) live_enter_part(g, d, parts.data + i, out);
    vec_free(&parts);
}

// ---- from one part of the formula to another

// Where in `to` time leads from z without a gap: not where it has passed something in between.
static void lead_on(const bound *z, const bound *to, uint32_t n, dbm_list *out) {
    matrix later, between;
    dbm_list both = {0}, gaps = {0};
    memcpy(later.d, z, dbm_bytes(n));
    dbm_up(later.d, n);
    memcpy(between.d, to, dbm_bytes(n));
    dbm_down(between.d, n);
    dbm_add(&both, z, n);
    dbm_add(&both, to, n);
    if (dbm_intersect(between.d, later.d, n)) zone_without(between.d, &both, n, &gaps);
    for (uint32_t i = 0; i < gaps.len; i += n * n) dbm_up(gaps.data + i, n);
    if (dbm_intersect(later.d, to, n)) zone_without(later.d, &gaps, n, out);
    vec_free(&both);
    vec_free(&gaps);
}

static void add_time_kids(dfs *g, const uint64_t *state, const bound *z, const dbm_list *on) {
    const net *x = g->s->x;
    dbm_list kept = {0};
    for (uint32_t i = 0; i < on->len; i += x->n * x->n) live_keep(g, on->data + i, &kept);
    for (uint32_t i = 0; i < kept.len; i += x->n * x->n) {
        if (dbm_includes(z, kept.data + i, x->n)) continue;
        net_look(g->s->w, state);
        vec_push(&g->kids, live_intern(g, state, kept.data + i, ZONE_TIME));
    }
    net_look(g->s->w, state);
    vec_free(&kept);
}

// Time leads from z, a node's zone, to what else of the formula there is: also where that and z are one zone now, as
// less is reached from z than from where the state was entered. The state is not one of `seen`, which may grow and
// move.
static void add_later(dfs *g, const uint64_t *state, const bound *z) {
    const net *x = g->s->x;
    const uint32_t size = x->n * x->n;
    matrix all;
    dbm_list parts = {0}, own = {0};
    if (!x->formulas.data[g->formula].natoms) return;
    net_look(g->s->w, state);
    memcpy(all.d, z, dbm_bytes(x->n));
    if (net_is_still(g->s->w) || !net_enter(g->s->w, all.d, false)) return;
    live_pieces(g, state, all.d, &parts);
    dbm_add(&own, z, x->n);
    for (uint32_t i = 0; i < parts.len; i += size) {
        dbm_list others = {0}, on = {0};
        zone_without(parts.data + i, &own, x->n, &others);
        for (uint32_t k = 0; k < others.len; k += size) lead_on(z, others.data + k, x->n, &on);
        add_time_kids(g, state, z, &on);
        vec_free(&others);
        vec_free(&on);
    }
    vec_free(&parts);
    vec_free(&own);
}

static void add_kid(dfs *g, uint32_t label, const uint64_t *next, bound *d, void *context) {
    dbm_list parts = {0};
    (void)context;
    live_arrive(g, next, d, &parts);
    for (uint32_t i = 0; i < parts.len; i += g->s->x->n * g->s->x->n) {
        if (i) net_look(g->s->w, next);
        vec_push(&g->kids, live_intern(g, next, parts.data + i, label));
    }
    vec_free(&parts);
}

// From the state that the first worker's steps are of.
static void each_step(dfs *g, const bound *d, step_found found, void *context) {
    const net_steps *s = &g->s->workers[0].steps;
    uint32_t size = s->x->n * s->x->n;
    net_room *w = g->s->w;
    for (uint32_t i = 0; i < s->count; i++) {
        bool idle = net_step_is_idle(s, i);
        dbm_list parts = {0};
        g->out->met_idle |= idle;
        if (!net_step_fails(s, i) && (!idle || g->s->o->counts_idle)) net_parts(w, s, i, d, &parts);
        for (uint32_t k = 0; k < parts.len; k += size) {
            if (!net_resets(s->x, net_step_label(s, i), s->cells, parts.data + k)) continue;
            net_look(w, net_step_to(s, i));
            found(g, s->labels[i], net_step_to(s, i), parts.data + k, context);
        }
        vec_free(&parts);
    }
}

// Takes a white node onto the path; true: a run ends in it.
static bool live_push(dfs *g, kid k) {
    zone_worker *first = &g->s->workers[0];
    matrix d;
    passed_zone(g->out->seen, k.node, d.d);
    g->out->colour.data[k.node] = ON_PATH;
    frame f = {k.node, k.label, g->kids.len, g->kids.len, 0, k.perm};
    net_steps_find(&first->steps, first->w, passed_state(g->out->seen, k.node));
    net_look(first->w, first->steps.state);
    bool ends = can_end(g, first->steps.state, d.d);
    if (!ends) each_step(g, d.d, add_kid, NULL);
    if (!ends) add_later(g, first->steps.state, d.d);
    f.end = g->kids.len;
    vec_push(&g->path, f);
    return ends;
}

static void take_point(dfs *g, uint32_t node, uint32_t label, uint32_t perm) {
    vec_push(&g->out->path, (zone_lasso_point){node, label});
    for (uint32_t i = 0; g->s->y && i < orbit_elements(g->s->y); i++) vec_push(&g->out->perms, g->perms.data[perm + i]);
}

static bool take_path(dfs *g) {
    for (uint32_t i = 0; i < g->path.len; i++)
        take_point(g, g->path.data[i].node, g->path.data[i].label, g->path.data[i].perm);
    g->out->forever = g->forever;
    size_t bytes = dbm_bytes(g->s->x->n);
    if (g->stuck) g->out->last = memcpy(mem_alloc(bytes), g->last->d, bytes);
    return true;
}

// A run has steps: time alone does not go round.
static bool close_loop(dfs *g, kid k) {
    uint32_t at = 0;
    while (g->path.data[at].node != k.node) at++;
    bool steps = k.label != ZONE_TIME;
    for (uint32_t i = at + 1; i < g->path.len; i++) steps |= g->path.data[i].label != ZONE_TIME;
    if (!steps) {
        g->out->is_unknown = true;
        return false;
    }
    take_path(g);
    take_point(g, k.node, k.label, k.perm);
    g->out->loop = at;
    return true;
}

static bool live_step(dfs *g) {
    frame *f = &vec_last(&g->path);
    if (f->next == f->end) {
        g->out->colour.data[f->node] = DONE;
        g->out->ranks.data[f->node] = g->out->finished++;
        g->kids.len = f->first;
        if (f->end > f->first) g->perms.len = g->kids.data[f->first].perm;
        g->path.len--;
        return false;
    }
    kid k = g->kids.data[f->next++];
    uint8_t colour = g->out->colour.data[k.node];
    if (colour == ON_PATH) return close_loop(g, k);
    return colour == WHITE && live_push(g, k) && take_path(g);
}

static bool search_from(dfs *g, kid start) {
    if (g->out->colour.data[start.node] != WHITE) return false;
    if (live_push(g, start)) return take_path(g);
    for (uint32_t round = 1; g->path.len && !g->out->is_unknown; round++) {
        if (live_step(g)) return true;
        if (round % 1024 == 0 && zone_is_over(g->s, g->out->seen)) return false;
    }
    return false;
}

static bool search_from_parts(dfs *g, const uint64_t *state, bound *d) {
    dbm_list parts = {0};
    bool is_found = false;
    live_arrive(g, state, d, &parts);
    bool goes_on = true;
    for (uint32_t i = 0; i < parts.len && goes_on; i += g->s->x->n * g->s->x->n) {
        if (i) net_look(g->s->w, state);
        is_found = search_from(g, live_intern(g, state, parts.data + i, 0));
        goes_on = !is_found && !g->s->stopped && !g->out->is_unknown;
    }
    vec_free(&parts);
    return is_found;
}

bool zone_maximal_run(zone_search *s, uint32_t formula, const uint64_t *state, const bound *start, zone_lasso *out) {
    matrix d, last;
    dfs g = {.s = s, .formula = formula, .out = out, .last = &last};
    if (!out->seen) out->seen = passed_new(s->x->words, s->x->n, !net_is_narrow(s->x));
    memcpy(d.d, start, dbm_bytes(s->x->n));
    net_look(s->w, state);
    bool is_found = !out->is_unknown && search_from_parts(&g, state, d.d);
    if (s->w->is_far || s->w->is_odd) zone_is_over(s, out->seen);
    vec_free(&g.path);
    vec_free(&g.kids);
    vec_free(&g.perms);
    return is_found && !out->is_unknown;
}

// ---- trying

typedef struct {
    const uint32_t *ranks;
    uint32_t below;
    bool is_lost;
} falling;

// Is what the step leads to, without abstraction, within a node of lower rank?
static void try_kid(dfs *g, uint32_t label, const uint64_t *next, bound *d, void *context) {
    falling *f = context;
    matrix plain;
    (void)label;
    memcpy(plain.d, d, dbm_bytes(g->s->x->n));
    if (g->s->x->diagonals.len) return;
    if (f->is_lost || !live_enter(g, next, plain.d, false) || !live_enter(g, next, d, true) || g->out->is_unknown)
        return;
    const uint64_t *state = zone_represent_both(&g->s->workers[0], next, d, plain.d);
    f->is_lost = !passed_includes(g->out->seen, state, plain.d, f->ranks, f->below);
}

bool zone_lasso_falls(zone_search *s, uint32_t formula, const zone_lasso *l, uint32_t node) {
    zone_lasso probe = {.seen = l->seen};
    matrix d, last;
    dfs g = {.s = s, .formula = formula, .out = &probe, .last = &last};
    falling f = {l->ranks.data, l->ranks.data[node], false};
    passed_zone(l->seen, node, d.d);
    net_steps_find(&s->workers[0].steps, s->w, passed_state(l->seen, node));
    each_step(&g, d.d, try_kid, &f);
    return !f.is_lost;
}

void zone_lasso_free(zone_lasso *l) {
    vec_free(&l->path);
    vec_free(&l->perms);
    vec_free(&l->colour);
    vec_free(&l->ranks);
    passed_free(l->seen);
    free(l->last);
}
