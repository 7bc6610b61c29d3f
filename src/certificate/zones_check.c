// SPDX-License-Identifier: Apache-2.0
// Rechecking claims about zones: see zones.h.
#include "certificate/zones_int.h"

#include "model/expr.h"

#include <string.h>

static size_t zones_check_bytes(const zones_work *w) { return (size_t)w->n * w->n * sizeof(int32_t); }

static const int32_t *zone_at(const zones_work *w, const zones_at *at, uint32_t i) {
    return at->zones.data + (size_t)i * w->n * w->n;
}

static void say_place(zones_work *w, uint32_t place, str *why) {
    const sys_info *s = sys_of(w->in->m, w->in->system);
    const value *cells = timedstep_at(w->t, place)->cells;
    const char *separator = " (";
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(w->in->m, s->funcs.data[i]);
        if (f->is_scratch || f->nargs) continue;
        str_printf(why, "%s%s=", separator, f->spelling ? f->spelling : f->name);
        instance_value_text(w->in, f->result, cells[w->in->first_cell[s->funcs.data[i].id]], why);
        separator = ", ";
    }
    if (separator[0] == ',') str_char(why, ')');
}

static bool zones_check_refuse(zones_work *w, uint32_t place, str *why, const char *what) {
    if (why->len) return false;
    str_add(why, what);
    say_place(w, place, why);
    return false;
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
    int32_t *later = mem_alloc(zones_check_bytes(c->w) + 1);
    memcpy(later, d, zones_check_bytes(c->w));
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

static void zones_check_cut_bound(cutting *c, uint32_t atom, const clock_atom *a, const int32_t *d) {
    eval *ev = timedstep_eval(c->w->t);
    value most = eval_expr(ev, timedstep_at(c->w->t, c->place)->cells, a->is.bound);
    c->fails |= eval_fault(ev).kind != FAULT_NONE;
    int32_t b = plain_bound(most, a->is.is_strict), *part = mem_alloc(zones_check_bytes(c->w) + 1);
    plain_list one = {0};
    memcpy(part, d, zones_check_bytes(c->w));
    if (plain_constrain(part, c->w->n, a->is.left, a->is.right, b)) plain_add(&one, part, c->w->n);
    cut_each(c, atom, a, true, &one);
    vec_clear(&one);
    memcpy(part, d, zones_check_bytes(c->w));
    if (plain_constrain(part, c->w->n, a->is.right, a->is.left, 1 - b)) plain_add(&one, part, c->w->n);
    cut_each(c, atom, a, false, &one);
    vec_free(&one);
    free(part);
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
static bool pieces(zones_work *w, uint32_t place, expr e, bool wanted, const int32_t *d, plain_list *out) {
    cutting c = {w, place, e, wanted, false, out};
    timedstep_explore(w->t, place);
    zones_check_cut(&c, 0, d);
    return !c.fails;
}

// ---- the set contains what is reachable

static bool zones_check_is_within(zones_work *w, const zones_set *s, uint32_t place, const int32_t *d) {
    const zones_at *at = zones_of(s, place);
    return at && plain_is_covered(d, &at->zones, w->n);
}

static bool zones_check_check_start(zones_work *w, const zones_set *s, str *why) {
    place_list starts = {0};
    int32_t *d = mem_alloc(zones_check_bytes(w) + 1);
    bool ok = timedstep_initial(w->t, &starts), some = false;
    if (!ok) str_add(why, "an initial state cannot be computed");
    for (uint32_t i = 0; ok && i < starts.len; i++) {
        plain_zero(d, w->n);
        if (timedstep_at(w->t, starts.data[i])->fails)
            ok = zones_check_refuse(w, starts.data[i], why, "an invariant fails at the start");
        if (!ok || !timedstep_enter(w->t, starts.data[i], d)) continue;
        some = true;
        if (!zones_check_is_within(w, s, starts.data[i], d))
            ok = zones_check_refuse(w, starts.data[i], why, "an initial state is not in the set");
    }
    if (ok && !some) str_add(why, "no initial state satisfies the invariants");
    vec_free(&starts);
    free(d);
    return ok && some;
}

// One step from one zone.
static bool check_move(zones_work *w, const zones_set *s, uint32_t place, uint32_t i, const int32_t *d, str *why) {
    plain_list parts = {0};
    bool ok = true;
    timedstep_parts(w->t, place, i, d, &parts);
    const timed_move v = timedstep_at(w->t, place)->moves.data[i];
    if (parts.len && v.fails) ok = zones_check_refuse(w, place, why, "a step is a run-time error");
    for (uint32_t k = 0; ok && k < parts.len; k += w->n * w->n) {
        w->steps++;
        if (timedstep_after(w->t, place, i, parts.data + k) && !zones_check_is_within(w, s, v.to, parts.data + k)) {
            str_printf(why, "the step %s leads out of the set, from the state", rule_of(w->in->m, v.r)->name);
            say_place(w, place, why);
            ok = false;
        }
    }
    vec_free(&parts);
    return ok;
}

static bool check_place(zones_work *w, const zones_set *s, uint32_t place, str *why) {
    const zones_at *at = zones_of(s, place);
    if (!at) return true;
    timedstep_explore(w->t, place);
    if (timedstep_at(w->t, place)->moves_fail || timedstep_at(w->t, place)->fails)
        return zones_check_refuse(w, place, why, "a clock condition cannot be evaluated");
    for (uint32_t k = 0; k < at->ranks.len; k++)
        for (uint32_t i = 0; i < timedstep_at(w->t, place)->moves.len; i++)
            if (zones_is_over(w) || !check_move(w, s, place, i, zone_at(w, at, k), why)) return false;
    return true;
}

static bool zones_check_check_closed(zones_work *w, const zones_set *s, str *why) {
    bool ok = zones_check_check_start(w, s, why);
    for (uint32_t i = 0; ok && i < s->places.len; i++) ok = check_place(w, s, i, why);
    return ok;
}

// ---- safety

static bool check_everywhere(zones_work *w, const zones_set *s, expr e, bool wanted, str *why) {
    plain_list bad = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->places.len; i++) {
        const zones_at *at = zones_of(s, i);
        for (uint32_t k = 0; ok && at && k < at->ranks.len; k++) {
            vec_clear(&bad);
            if (!pieces(w, i, e, !wanted, zone_at(w, at, k), &bad))
                ok = zones_check_refuse(w, i, why, "the query cannot be evaluated");
            else if (bad.len) ok = zones_check_refuse(w, i, why, "the query does not hold in a state of the set");
            ok = ok && !zones_is_over(w);
        }
    }
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
static bool is_not_beyond(zones_work *w, const prop_info *p, uint32_t place, const int32_t *d, const zones_extreme *e) {
    bool is_sup = p->query == QUERY_SUP;
    if (!e->is_there) return false;
    if (p->clock && is_sup) return d[p->clock * w->n] <= plain_bound((int32_t)e->number, e->is_strict);
    if (p->clock) return d[p->clock] <= plain_bound(-(int32_t)e->number, e->is_strict);
    value v = eval_expr(timedstep_eval(w->t), timedstep_at(w->t, place)->cells, p->measured);
    if (eval_fault(timedstep_eval(w->t)).kind != FAULT_NONE) return false;
    return (is_sup ? v < e->number : v > e->number) || (v == e->number && !e->is_strict);
}

static bool check_extreme(zones_work *w, const zones_set *s, const prop_info *p, const zones_extreme *e, str *why) {
    plain_list parts = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->places.len; i++) {
        const zones_at *at = zones_of(s, i);
        for (uint32_t k = 0; ok && at && k < at->ranks.len && !zones_is_over(w); k++) {
            vec_clear(&parts);
            ok = pieces(w, i, p->cond, true, zone_at(w, at, k), &parts) ||
                 zones_check_refuse(w, i, why, "the query cannot be evaluated");
            for (uint32_t j = 0; ok && j < parts.len; j += w->n * w->n)
                ok = is_not_beyond(w, p, i, parts.data + j, e) ||
                     zones_check_refuse(w, i, why, "a state of the set is beyond it");
        }
    }
    vec_free(&parts);
    return ok && !w->is_stopped;
}

// ---- no run within a formula

typedef struct {
    zones_work *w;
    const zones_set *ranked;
    expr e;  // runs within e, or within its negation
    bool wanted;
    str *why;
} denial;

// The one part of d where the formula holds, in place; false: none. More than one: cannot tell, refused.
static bool one_piece(denial *x, uint32_t place, int32_t *d, bool *ok) {
    plain_list parts = {0};
    *ok = pieces(x->w, place, x->e, x->wanted, d, &parts) ||
          zones_check_refuse(x->w, place, x->why, "the query cannot be evaluated");
    if (*ok && parts.len > x->w->n * x->w->n)
        *ok = zones_check_refuse(x->w, place, x->why, "where the query holds is not one zone");
    bool is_one = *ok && parts.len;
    if (is_one) memcpy(d, parts.data, zones_check_bytes(x->w));
    vec_free(&parts);
    return is_one;
}

static bool intersect(int32_t *d, const int32_t *other, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++)
        if (other[i] < d[i]) d[i] = other[i];
    return plain_close(d, n);
}

// What of d, just arrived, is within the formula, and what time leads to without leaving it. False: nothing, or it
// cannot be told (*ok is false).
static bool enter_within(denial *x, uint32_t place, int32_t *d, bool *ok) {
    zones_work *w = x->w;
    int32_t *all = mem_alloc(zones_check_bytes(w) + 1);
    memcpy(all, d, zones_check_bytes(w));
    *ok = true;
    bool some = timedstep_enter(w->t, place, all) && one_piece(x, place, all, ok) && intersect(d, all, w->n) &&
                timedstep_enter(w->t, place, d) && intersect(d, all, w->n);
    free(all);
    return some;
}

// Is d within zones of the place with a rank below `below`?
static bool is_lower(const denial *x, uint32_t place, const int32_t *d, uint64_t below) {
    const zones_at *at = zones_of(x->ranked, place);
    plain_list lower = {0};
    for (uint32_t i = 0; at && i < at->ranks.len; i++)
        if (at->ranks.data[i] < below) plain_add(&lower, zone_at(x->w, at, i), x->w->n);
    bool yes = plain_is_covered(d, &lower, x->w->n);
    vec_free(&lower);
    return yes;
}

// Time cannot pass for ever: some clock has a bound. No run ends in d: from every point of it a step is possible, now
// or later, or time leads out of the formula.
static bool check_ends(denial *x, uint32_t place, const int32_t *d) {
    zones_work *w = x->w;
    bool is_still = timedstep_at(w->t, place)->is_still, is_bounded = is_still;
    for (uint32_t i = 1; i < w->n; i++) is_bounded |= d[i * w->n] != PLAIN_NONE;
    if (!is_bounded) return zones_check_refuse(w, place, x->why, "time can pass for ever in a state that is ranked");
    plain_list going_on = {0}, outside = {0}, ends = {0};
    timedstep_alive(w->t, place, d, !w->counts_idle, &going_on);
    if (!is_still) {
        int32_t *all = mem_alloc(zones_check_bytes(w) + 1);
        plain_list own = {0};
        memcpy(all, d, zones_check_bytes(w));
        plain_add(&own, d, w->n);
        if (timedstep_enter(w->t, place, all)) plain_without(all, &own, w->n, &outside);
        for (uint32_t i = 0; i < outside.len; i += w->n * w->n) {
            plain_down(outside.data + i, w->n);
            plain_add(&going_on, outside.data + i, w->n);
        }
        vec_free(&own);
        free(all);
    }
    plain_without(d, &going_on, w->n, &ends);
    bool ok = !ends.len || zones_check_refuse(w, place, x->why, "a run can end in a state that is ranked");
    vec_free(&going_on);
    vec_free(&outside);
    vec_free(&ends);
    return ok;
}

static bool check_falls(denial *x, uint32_t place, uint32_t i, const int32_t *d, uint32_t rank) {
    zones_work *w = x->w;
    plain_list parts = {0};
    const timed_move v = timedstep_at(w->t, place)->moves.data[i];
    bool ok = true;
    if (v.is_idle && !w->counts_idle) return true;
    timedstep_parts(w->t, place, i, d, &parts);
    if (parts.len && v.fails) ok = zones_check_refuse(w, place, x->why, "a step is a run-time error");
    for (uint32_t k = 0; ok && k < parts.len; k += w->n * w->n) {
        int32_t *to = parts.data + k;
        w->steps++;
        for (uint32_t j = 0; j < v.sets.len; j++) plain_set(to, w->n, v.sets.data[j].clock, v.sets.data[j].to);
        if (!enter_within(x, v.to, to, &ok)) continue;
        ok = is_lower(x, v.to, to, rank) || zones_check_refuse(w, place, x->why, "a step does not lead to lower ranks");
    }
    vec_free(&parts);
    return ok;
}

static bool check_ranked_place(denial *x, uint32_t place) {
    zones_work *w = x->w;
    const zones_at *at = zones_of(x->ranked, place);
    bool ok = true;
    if (!at) return true;
    timedstep_explore(w->t, place);
    int32_t *d = mem_alloc(zones_check_bytes(w) + 1);
    for (uint32_t k = 0; ok && k < at->ranks.len; k++) {
        memcpy(d, zone_at(w, at, k), zones_check_bytes(w));
        if (!one_piece(x, place, d, &ok)) continue;
        ok = check_ends(x, place, d);
        for (uint32_t i = 0; ok && i < timedstep_at(w->t, place)->moves.len; i++)
            ok = check_falls(x, place, i, d, at->ranks.data[k]);
        ok = ok && !zones_is_over(w);
    }
    free(d);
    return ok;
}

static bool check_ranked(denial *x) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < x->ranked->places.len; i++) ok = check_ranked_place(x, i);
    return ok;
}

static bool starts_ranked(denial *x, uint32_t place, int32_t *d) {
    bool ok;
    if (!enter_within(x, place, d, &ok)) return ok;
    return is_lower(x, place, d, UINT64_MAX) ||
           zones_check_refuse(x->w, place, x->why, "where a run begins has no rank");
}

static bool check_initial_runs(denial *x) {
    place_list starts = {0};
    int32_t *d = mem_alloc(zones_check_bytes(x->w) + 1);
    bool ok = timedstep_initial(x->w->t, &starts);
    for (uint32_t i = 0; ok && i < starts.len; i++) {
        plain_zero(d, x->w->n);
        ok = starts_ranked(x, starts.data[i], d);
    }
    vec_free(&starts);
    free(d);
    return ok;
}

// Every part of the closed set where `from` holds begins runs.
static bool check_runs_from(denial *x, const zones_set *s, expr from) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->places.len; i++) {
        const zones_at *at = zones_of(s, i);
        for (uint32_t k = 0; ok && at && k < at->ranks.len; k++) {
            plain_list parts = {0};
            ok = pieces(x->w, i, from, true, zone_at(x->w, at, k), &parts) ||
                 zones_check_refuse(x->w, i, x->why, "the query cannot be evaluated");
            for (uint32_t j = 0; ok && j < parts.len; j += x->w->n * x->w->n) ok = starts_ranked(x, i, parts.data + j);
            vec_free(&parts);
        }
    }
    return ok;
}

// ---- queries

static bool check_query(zones_work *w, const prop_info *p, const zones_set *s, const zones_set *ranked,
                        const zones_extreme *extreme, str *why) {
    denial x = {w, ranked, p->cond, p->query == QUERY_KEEPS, why};
    switch (p->query) {
    case QUERY_ALWAYS: return check_everywhere(w, s, p->cond, true, why);
    case QUERY_POSSIBLY: return check_everywhere(w, s, p->cond, false, why);
    case QUERY_KEEPS:
    case QUERY_EVENTUALLY: return check_initial_runs(&x) && check_ranked(&x);
    case QUERY_LEADS_TO: x.e = p->then; return check_runs_from(&x, s, p->cond) && check_ranked(&x);
    case QUERY_SUP:
    case QUERY_INF: return check_extreme(w, s, p, extreme, why);
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
    bool ok = read && !why_not->len && !w->is_stopped && check_query(w, prop_of(w->in->m, p), s, &ranked, &e, &why);
    out->zones += ranked.count;
    const char *shown = is_measure ? zones_check_extreme_text(out->memory, &e, kind == QUERY_SUP) : NULL;
    if (read) zones_check_note(out, w, name, ok, &why, shown);
    zones_set_free(&ranked);
    str_free(&why);
    return read;
}

static void work_free(zones_work *w) {
    for (uint32_t i = 0; i < w->swaps.len; i++) {
        free(w->swaps.data[i].cell_to);
        free(w->swaps.data[i].clock_to);
        free(w->swaps.data[i].a);
        free(w->swaps.data[i].b);
    }
    vec_free(&w->swaps);
    zones_cells_free(&w->cells);
    timedstep_free(w->t);
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
    if (ok && !w->is_stopped) zones_check_check_closed(w, &s, &why);
    for (size_t i = 0; ok && i < json_array_size(queries); i++)
        ok = check_one(file, w, json_array_get(queries, i), &s, &why, out);
    out->states = timedstep_count(w->t);
    out->zones += s.count;
    out->steps = w->steps;
    zones_set_free(&s);
    str_free(&why);
    return ok;
}

bool zones_check(certfile *file, const json_t *claim, const instance *in, const claim_options *o, zones_answer *out) {
    str why = {0};
    *out = (zones_answer){.memory = arena_new()};
    zones_work w = {.in = in, .limit = o->most_states ? o->most_states : UINT32_MAX, .limits = &o->limits};
    w.t = timedstep_new(in, &why);
    w.n = sys_of(in->m, in->system)->timed->clocks.len;
    w.cells = zones_cells_of(in);
    if (!w.t) certfile_complain(file, "%s", str_get(&why));
    bool ok = w.t && check_all(file, claim, &w, out);
    work_free(&w);
    str_free(&why);
    return ok;
}

void zones_answer_free(zones_answer *a) {
    vec_free(&a->queries);
    if (a->memory) arena_free(a->memory);
}
