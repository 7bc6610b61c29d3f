// SPDX-License-Identifier: Apache-2.0
// Rechecking claims about zones: see zones.h. What is claimed is asked of one zone of a set after the other.
#include "certificate/stepper.h"
#include "certificate/certfile.h"
#include "certificate/claim.h"
#include "certificate/plaindbm.h"
#include "certificate/timedstep.h"
#include "certificate/zones.h"
#include "certificate/zones_int.h"
#include "model/expr.h"

#include <string.h>

typedef struct {
    zones_work *w;
    const zones_set *closed, *ranked;
    const zones_bounds *bounds;    // of places of the closed set
    const prop_info *p;            // the query
    const zones_extreme *extreme;  // of sup and inf
    expr within;                   // of a query about runs: they stay where it holds, or does not
    bool holds;
    str *why;
} asking;

static bool zones_check_refuse(asking *x, uint32_t place, const char *what) {
    if (x->why->len) return false;
    str_printf(x->why, "%s (", what);
    stepper_state_text(x->w->in, timedstep_at(x->w->t, place)->cells, x->why);
    str_char(x->why, ')');
    return false;
}

// A question about a zone of a place, with its rank; false: it is refused.
typedef bool (*zone_question)(asking *x, uint32_t place, const int32_t *d, uint32_t rank);

static bool each_zone(asking *x, const zones_set *s, zone_question ask) {
    for (uint32_t i = 0; i < s->places.len; i++) {
        const zones_at *at = zones_of(s, i);
        for (uint32_t k = 0; at && k < at->ranks.len; k++)
            if (zones_is_over(x->w) || !ask(x, i, zones_get(x->w, at, k), at->ranks.data[k])) return false;
    }
    return !x->w->is_stopped;
}

// ---- where in a zone a formula holds

typedef struct {
    zones_work *w;
    uint32_t place;
    expr e;
    bool wanted, fails;
    plain_list *out;
} cutting;

static void zones_check_cut(cutting *c, uint32_t atom, const int32_t *d);

static void cut_each(cutting *c, uint32_t atom, const clock_atom *a, bool truth, const plain_list *parts) {
    for (uint32_t i = 0; i < parts->len; i += c->w->n * c->w->n) {
        eval_bind(timedstep_eval(c->w->t), a->stands, truth);
        zones_check_cut(c, atom + 1, parts->data + i);
    }
}

// A step that is possible after a delay counts wherever the delay leads: d need not have all of it.
static void zones_check_cut_deadlock(cutting *c, uint32_t atom, const clock_atom *a, const int32_t *d) {
    plain_list alive = {0}, dead = {0}, rest = {0};
    int32_t *later = plain_copy(d, c->w->n);
    if (timedstep_enter(c->w->t, c->place, later)) timedstep_alive(c->w->t, c->place, later, false, &alive);
    free(later);
    plain_without(d, &alive, c->w->n, &dead);
    plain_without(d, &dead, c->w->n, &rest);
    cut_each(c, atom, a, true, &dead);
    cut_each(c, atom, a, false, &rest);
    vec_free(&alive);
    vec_free(&dead);
    vec_free(&rest);
}

static void cut_side(cutting *c, uint32_t atom, const clock_atom *a, bool truth, int32_t b, const int32_t *d) {
    uint32_t left = truth ? a->is.left : a->is.right, right = truth ? a->is.right : a->is.left;
    plain_list one = {0};
    plain_add(&one, d, c->w->n);
    if (plain_constrain(one.data, c->w->n, left, right, b)) cut_each(c, atom, a, truth, &one);
    vec_free(&one);
}

static void zones_check_cut_bound(cutting *c, uint32_t atom, const clock_atom *a, const int32_t *d) {
    eval *ev = timedstep_eval(c->w->t);
    value most = eval_expr(ev, timedstep_at(c->w->t, c->place)->cells, a->is.bound);
    c->fails |= eval_fault(ev).kind != FAULT_NONE;
    int32_t b = plain_bound(most, a->is.is_strict);
    cut_side(c, atom, a, true, b, d);
    cut_side(c, atom, a, false, 1 - b, d);
}

static void zones_check_cut(cutting *c, uint32_t atom, const int32_t *d) {
    const timed_info *t = sys_of(c->w->in->m, c->w->in->system)->timed;
    eval *ev = timedstep_eval(c->w->t);
    while (atom < t->atoms.len && !expr_has_var(c->w->in->m, c->e, t->atoms.data[atom].stands)) atom++;
    if (atom == t->atoms.len) {
        bool holds = eval_expr(ev, timedstep_at(c->w->t, c->place)->cells, c->e);
        c->fails |= eval_fault(ev).kind != FAULT_NONE;
        if (holds == c->wanted) plain_add(c->out, d, c->w->n);
    } else if (t->atoms.data[atom].is_deadlock) {
        zones_check_cut_deadlock(c, atom, &t->atoms.data[atom], d);
    } else {
        zones_check_cut_bound(c, atom, &t->atoms.data[atom], d);
    }
}

// The parts of d where e holds (wanted), or does not. False: it cannot be evaluated.
static bool pieces(asking *x, uint32_t place, expr e, bool wanted, const int32_t *d, plain_list *out) {
    cutting c = {x->w, place, e, wanted, false, out};
    timedstep_explore(x->w->t, place);
    zones_check_cut(&c, 0, d);
    return !c.fails || zones_check_refuse(x, place, "the query cannot be evaluated");
}

// ---- runs within a formula

// The one part of d where the formula holds, in place; false: none. Parts that are not one zone: cannot tell, refused.
// The least matrix that includes all parts has for each difference the loosest of their bounds; it is closed.
static bool one_piece(asking *x, uint32_t place, int32_t *d, bool *ok) {
    plain_list parts = {0};
    uint32_t size = x->w->n * x->w->n;
    *ok = pieces(x, place, x->within, x->holds, d, &parts);
    bool some = *ok && parts.len;
    if (some) memcpy(d, parts.data, plain_bytes(x->w->n));
    for (uint32_t i = 0; some && i < parts.len; i++)
        if (parts.data[i] > d[i % size]) d[i % size] = parts.data[i];
    if (some && !plain_is_covered(d, &parts, x->w->n))
        *ok = zones_check_refuse(x, place, "where the query holds is not one zone");
    vec_free(&parts);
    return some && *ok;
}

static bool intersect(int32_t *d, const int32_t *other, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++)
        if (other[i] < d[i]) d[i] = other[i];
    return plain_close(d, n);
}

// What of d, just arrived, is within the formula, and what time leads to without leaving it. False: nothing, or it
// cannot be told (*ok is false).
static bool enter_within(asking *x, uint32_t place, int32_t *d, bool *ok) {
    zones_work *w = x->w;
    int32_t *all = plain_copy(d, w->n);
    *ok = true;
    bool some = timedstep_enter(w->t, place, all) && one_piece(x, place, all, ok) && intersect(d, all, w->n) &&
                timedstep_enter(w->t, place, d) && intersect(d, all, w->n);
    free(all);
    return some;
}

// Is d within zones of the place with a rank below `below`?
static bool is_lower(const asking *x, uint32_t place, const int32_t *d, uint64_t below) {
    const zones_at *at = zones_of(x->ranked, place);
    plain_list lower = {0};
    for (uint32_t i = 0; at && i < at->ranks.len; i++)
        if (at->ranks.data[i] < below) plain_add(&lower, zones_get(x->w, at, i), x->w->n);
    bool yes = plain_is_covered(d, &lower, x->w->n);
    vec_free(&lower);
    return yes;
}

// ---- one step from one zone

static bool zones_check_is_within(const asking *x, uint32_t place, const int32_t *d) {
    const zones_at *at = zones_of(x->closed, place);
    if (!at) return false;
    if (plain_is_covered(d, &at->zones, x->w->n)) return true;
    for (uint32_t i = 0; x->bounds->is_there && i < at->ranks.len; i++)
        if (zones_simulate(x->w, x->bounds, place, zones_get(x->w, at, i), d)) return true;
    return false;
}

// What a step leads to, d, is in the closed set, or does nothing that it does not do.
static bool move_stays(asking *x, uint32_t from, const timed_move *v, int32_t *d) {
    str what = {0};
    if (!timedstep_enter(x->w->t, v->to, d) || zones_check_is_within(x, v->to, d)) return true;
    str_printf(&what, "the step %s leads out of the set, from the state", rule_of(x->w->in->m, v->r)->name);
    zones_check_refuse(x, from, str_get(&what));
    str_free(&what);
    return false;
}

// What of it is within the formula has a lower rank.
static bool move_falls(asking *x, uint32_t from, const timed_move *v, int32_t *d, uint32_t rank) {
    bool ok;
    if (!enter_within(x, v->to, d, &ok)) return ok;
    return is_lower(x, v->to, d, rank) || zones_check_refuse(x, from, "a step does not lead to lower ranks");
}

// rank: NULL in the closed set.
static bool check_move(asking *x, uint32_t place, uint32_t i, const int32_t *d, const uint32_t *rank) {
    zones_work *w = x->w;
    plain_list parts = {0};
    const timed_move v = timedstep_at(w->t, place)->moves.data[i];
    bool ok = !zones_is_over(w);
    if (rank && v.is_idle && !w->counts_idle) return ok;
    timedstep_parts(w->t, place, i, d, &parts);
    if (parts.len && v.fails) ok = zones_check_refuse(x, place, "a step is a run-time error");
    for (uint32_t k = 0; ok && k < parts.len; k += w->n * w->n) {
        w->steps++;
        timedstep_set(w->t, place, i, parts.data + k);
        ok = rank ? move_falls(x, place, &v, parts.data + k, *rank) : move_stays(x, place, &v, parts.data + k);
    }
    vec_free(&parts);
    return ok;
}

static bool check_moves(asking *x, uint32_t place, const int32_t *d, const uint32_t *rank) {
    for (uint32_t i = 0; i < timedstep_at(x->w->t, place)->moves.len; i++)
        if (!check_move(x, place, i, d, rank)) return false;
    return true;
}

// ---- the set contains what is reachable

static bool check_start(asking *x) {
    zones_work *w = x->w;
    place_list starts = {0};
    int32_t *d = mem_alloc(plain_bytes(w->n) + 1);
    bool ok = timedstep_initial(w->t, &starts), some = false;
    if (!ok) str_add(x->why, "an initial state cannot be computed");
    for (uint32_t i = 0; ok && i < starts.len; i++) {
        timedstep_first_zone(w->t, d);
        if (timedstep_at(w->t, starts.data[i])->fails)
            ok = zones_check_refuse(x, starts.data[i], "an invariant fails at the start");
        if (!ok || !timedstep_enter(w->t, starts.data[i], d)) continue;
        some = true;
        if (!zones_check_is_within(x, starts.data[i], d))
            ok = zones_check_refuse(x, starts.data[i], "an initial state is not in the set");
    }
    if (ok && !some) str_add(x->why, "no initial state satisfies the invariants");
    vec_free(&starts);
    free(d);
    return ok && some;
}

static bool no_step_leaves(asking *x, uint32_t place, const int32_t *d, uint32_t rank) {
    (void)rank;
    timedstep_explore(x->w->t, place);
    const timed_place *p = timedstep_at(x->w->t, place);
    if (p->moves_fail || p->fails) return zones_check_refuse(x, place, "a clock condition cannot be evaluated");
    return check_moves(x, place, d, NULL);
}

// ---- safety

static bool holds_in_all(asking *x, uint32_t place, const int32_t *d, uint32_t rank) {
    plain_list bad = {0};
    (void)rank;
    bool ok = pieces(x, place, x->p->cond, x->p->query == QUERY_POSSIBLY, d, &bad);
    if (ok && bad.len) ok = zones_check_refuse(x, place, "the query does not hold in a state of the set");
    vec_free(&bad);
    return ok;
}

// ---- sup and inf

static bool read_extreme(certfile *file, const json_t *query, bool is_clock, zones_extreme *out) {
    const json_t *number = json_object_get(query, "extreme"), *strict = json_object_get(query, "strict");
    json_int_t n = json_integer_value(number), most = is_clock ? PLAIN_LARGEST : INT32_MAX;
    *out = (zones_extreme){json_is_integer(number), json_is_true(strict), n};
    if (out->is_there ? !json_is_boolean(strict) || n < -most || n > most : !json_is_null(number))
        certfile_complain(file, "a query lacks its 'extreme', or it is out of bounds");
    return !certfile_is_broken(file);
}

// "never above 5", "always below 5"
static const char *zones_check_extreme_text(arena *memory, const zones_extreme *e, bool is_sup) {
    if (!e->is_there) return "no such state";
    const char *side = is_sup == e->is_strict ? "below" : "above";
    return arena_printf(memory, "%s %s %lld", e->is_strict ? "always" : "never", side, (long long)e->number);
}

// Is what is measured not beyond the extreme, in all of a part of a place's zone?
static bool is_not_beyond(const asking *x, uint32_t place, const int32_t *d) {
    const prop_info *p = x->p;
    const zones_extreme *e = x->extreme;
    zones_work *w = x->w;
    bool is_sup = p->query == QUERY_SUP;
    if (!e->is_there) return false;
    if (p->clock && is_sup) return d[p->clock * w->n] <= plain_bound((int32_t)e->number, e->is_strict);
    if (p->clock) return d[p->clock] <= plain_bound(-(int32_t)e->number, e->is_strict);
    value v = eval_expr(timedstep_eval(w->t), timedstep_at(w->t, place)->cells, p->measured);
    if (eval_fault(timedstep_eval(w->t)).kind != FAULT_NONE) return false;
    return (is_sup ? v < e->number : v > e->number) || (v == e->number && !e->is_strict);
}

static bool none_is_beyond(asking *x, uint32_t place, const int32_t *d, uint32_t rank) {
    plain_list parts = {0};
    (void)rank;
    bool ok = pieces(x, place, x->p->cond, true, d, &parts);
    for (uint32_t i = 0; ok && i < parts.len; i += x->w->n * x->w->n)
        ok = is_not_beyond(x, place, parts.data + i) || zones_check_refuse(x, place, "a state of the set is beyond it");
    vec_free(&parts);
    return ok;
}

// ---- no run within a formula

// From where time leads out of d, added to `out`.
static void add_leaving(asking *x, uint32_t place, const int32_t *d, plain_list *out) {
    uint32_t n = x->w->n, first = out->len;
    int32_t *all = plain_copy(d, n);
    plain_list own = {0};
    plain_add(&own, d, n);
    if (timedstep_enter(x->w->t, place, all)) plain_without(all, &own, n, out);
    for (uint32_t i = first; i < out->len; i += n * n) plain_down(out->data + i, n);
    vec_free(&own);
    free(all);
}

// Time cannot pass for ever: some clock has a bound. No run ends in d: from every point of it a step is possible, now
// or later, or time leads out of the formula.
static bool check_ends(asking *x, uint32_t place, const int32_t *d) {
    zones_work *w = x->w;
    bool is_still = timedstep_at(w->t, place)->is_still, is_bounded = is_still;
    for (uint32_t i = 1; i < w->n; i++) is_bounded |= d[i * w->n] != PLAIN_NONE;
    if (!is_bounded) return zones_check_refuse(x, place, "time can pass for ever in a state that is ranked");
    plain_list going_on = {0}, ends = {0};
    timedstep_alive(w->t, place, d, !w->counts_idle, &going_on);
    if (!is_still) add_leaving(x, place, d, &going_on);
    plain_without(d, &going_on, w->n, &ends);
    bool ok = !ends.len || zones_check_refuse(x, place, "a run can end in a state that is ranked");
    vec_free(&going_on);
    vec_free(&ends);
    return ok;
}

static bool no_run_stays(asking *x, uint32_t place, const int32_t *zone, uint32_t rank) {
    int32_t *d = plain_copy(zone, x->w->n);
    bool ok;
    if (one_piece(x, place, d, &ok)) ok = check_ends(x, place, d) && check_moves(x, place, d, &rank);
    free(d);
    return ok;
}

static bool starts_ranked(asking *x, uint32_t place, int32_t *d) {
    bool ok;
    if (!enter_within(x, place, d, &ok)) return ok;
    return is_lower(x, place, d, UINT64_MAX) || zones_check_refuse(x, place, "where a run begins has no rank");
}

static bool check_initial_runs(asking *x) {
    place_list starts = {0};
    int32_t *d = mem_alloc(plain_bytes(x->w->n) + 1);
    bool ok = timedstep_initial(x->w->t, &starts);
    for (uint32_t i = 0; ok && i < starts.len; i++) {
        timedstep_first_zone(x->w->t, d);
        ok = starts_ranked(x, starts.data[i], d);
    }
    vec_free(&starts);
    free(d);
    return ok;
}

// Every part of the closed set where the premise holds begins runs.
static bool runs_are_ranked(asking *x, uint32_t place, const int32_t *d, uint32_t rank) {
    plain_list parts = {0};
    (void)rank;
    bool ok = pieces(x, place, x->p->cond, true, d, &parts);
    for (uint32_t i = 0; ok && i < parts.len; i += x->w->n * x->w->n) {
        if (x->p->restarts) plain_set(parts.data + i, x->w->n, x->p->restarts, 0);
        ok = starts_ranked(x, place, parts.data + i);
    }
    vec_free(&parts);
    return ok;
}

// ---- queries

static bool check_query(asking *x) {
    x->within = x->p->query == QUERY_LEADS_TO ? x->p->then : x->p->cond;
    x->holds = x->p->query == QUERY_KEEPS;
    switch (x->p->query) {
    case QUERY_ALWAYS:
    case QUERY_POSSIBLY: return each_zone(x, x->closed, holds_in_all);
    case QUERY_KEEPS:
    case QUERY_EVENTUALLY: return check_initial_runs(x) && each_zone(x, x->ranked, no_run_stays);
    case QUERY_LEADS_TO: return each_zone(x, x->closed, runs_are_ranked) && each_zone(x, x->ranked, no_run_stays);
    case QUERY_SUP:
    case QUERY_INF: return each_zone(x, x->closed, none_is_beyond);
    }
    return false;
}

static bool is_live(query_kind k) { return k == QUERY_KEEPS || k == QUERY_EVENTUALLY || k == QUERY_LEADS_TO; }

static prop find_query(const model *m, const char *name) {
    for (uint32_t i = 1; i < m->props.len; i++)
        if (m->props.data[i].kind == PROP_TIMED && strcmp(m->props.data[i].name, name) == 0) return (prop){i};
    return (prop){0};
}

static const char *stopped_text(const zones_work *w) {
    return limits_met(w->limits) ? limits_why(w->limits) : "there are too many zones";
}

static void zones_check_note(zones_answer *out, const zones_work *w, const char *query, bool ok, const str *why,
                             const char *shown) {
    zones_finding f = {arena_str(out->memory, query), ok ? CLAIM_CONFIRMED : CLAIM_REFUSED, NULL, shown};
    if (w->is_stopped) f.verdict = CLAIM_STOPPED;
    if (!ok) f.why = arena_str(out->memory, w->is_stopped ? stopped_text(w) : str_get(why));
    vec_push(&out->queries, f);
}

static bool check_one(certfile *file, zones_work *w, const json_t *q, const zones_set *s, const str *why_not,
                      zones_answer *out) {
    const char *name = certfile_string(file, q, "query");
    prop p = name ? find_query(w->in->m, name) : (prop){0};
    zones_set ranked = {0};
    uint64_t states = 0;
    str why = {0};
    if (name && !p.id) certfile_complain(file, "the model has no query '%s'", name);
    if (!p.id) return false;
    query_kind kind = prop_of(w->in->m, p)->query;
    bool live = is_live(kind), is_measure = kind == QUERY_SUP || kind == QUERY_INF;
    zones_extreme e = {0};
    if (is_measure && !read_extreme(file, q, prop_of(w->in->m, p)->clock, &e)) return false;
    bool read = !live || (certfile_member(file, q, "ranked_states", UINT32_MAX, &states) &&
                          zones_read_set(file, w, states, true, &ranked, &out->given));
    str_add(&why, str_get(why_not));
    asking x = {.w = w, .closed = s, .ranked = &ranked, .p = prop_of(w->in->m, p), .extreme = &e, .why = &why};
    bool ok = read && !why_not->len && !w->is_stopped && check_query(&x);
    out->zones += ranked.count;
    const char *shown = is_measure ? zones_check_extreme_text(out->memory, &e, kind == QUERY_SUP) : NULL;
    if (read) zones_check_note(out, w, name, ok, &why, shown);
    zones_set_free(&ranked);
    str_free(&why);
    return read;
}

// Only what holds in simulated valuations too may be asked: where a query is about deadlock or runs, or steps have
// priorities, the simulation goes both ways.
static void find_bounds(zones_work *w, const json_t *queries, const zones_set *s, zones_bounds *out) {
    const timed_info *t = sys_of(w->in->m, w->in->system)->timed;
    VEC(zones_asked) asked = {0};
    bool is_equal = t->has_priorities;
    for (size_t i = 0; i < json_array_size(queries); i++) {
        const json_t *q = json_array_get(queries, i);
        const char *name = json_string_value(json_object_get(q, "query"));
        prop p = name ? find_query(w->in->m, name) : (prop){0};
        if (!p.id) continue;
        const prop_info *info = prop_of(w->in->m, p);
        vec_push(&asked, (zones_asked){info, json_integer_value(json_object_get(q, "extreme"))});
        is_equal |= is_live(info->query);
        for (uint32_t k = 0; k < t->atoms.len; k++)
            is_equal |= t->atoms.data[k].is_deadlock && expr_has_var(w->in->m, info->cond, t->atoms.data[k].stands);
    }
    zones_find_bounds(w, s, asked.data, asked.len, is_equal, out);
    vec_free(&asked);
}

static bool check_all(certfile *file, const json_t *claim, zones_work *w, zones_answer *out) {
    const json_t *queries = json_object_get(claim, "queries");
    uint64_t clocks, states, counts;
    zones_set s = {0};
    str why = {0};
    bool ok = certfile_member(file, claim, "clocks", UINT32_MAX, &clocks) &&
              certfile_member(file, claim, "states", UINT32_MAX, &states) &&
              certfile_member(file, claim, "counts_idle", 1, &counts);
    if (ok && (clocks != w->n || !json_array_size(queries))) {
        certfile_complain(file, clocks != w->n ? "the model has other clocks" : "there is no query in the claim");
        ok = false;
    }
    out->counts_idle = w->counts_idle = ok && counts;
    ok = ok && zones_read_swaps(file, claim, w) && zones_read_set(file, w, states, false, &s, &out->given);
    zones_bounds bounds = {0};
    if (ok && !w->is_stopped) find_bounds(w, queries, &s, &bounds);
    asking closed = {.w = w, .closed = &s, .bounds = &bounds, .why = &why};
    if (ok && !w->is_stopped && check_start(&closed)) each_zone(&closed, &s, no_step_leaves);
    for (size_t i = 0; ok && i < json_array_size(queries); i++)
        ok = check_one(file, w, json_array_get(queries, i), &s, &why, out);
    out->states = timedstep_count(w->t);
    out->zones += s.count;
    out->steps = w->steps;
    zones_bounds_free(&bounds);
    zones_set_free(&s);
    str_free(&why);
    return ok;
}

bool zones_check(certfile *file, const json_t *claim, const instance *in, const claim_options *o, zones_answer *out) {
    str why = {0};
    *out = (zones_answer){.memory = arena_new()};
    zones_work w = {
        .memory = out->memory, .in = in, .limit = o->most_states ? o->most_states : UINT32_MAX, .limits = &o->limits};
    w.t = timedstep_new(in, &why);
    w.n = sys_of(in->m, in->system)->timed->clocks.len;
    w.cells = zones_cells(in);
    if (!w.t) certfile_complain(file, "%s", str_get(&why));
    bool ok = w.t && check_all(file, claim, &w, out);
    vec_free(&w.swaps);
    free(w.cells);
    timedstep_free(w.t);
    str_free(&why);
    return ok;
}

void zones_answer_free(zones_answer *a) {
    vec_free(&a->queries);
    if (a->memory) arena_free(a->memory);
}
