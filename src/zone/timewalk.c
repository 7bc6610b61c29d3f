// SPDX-License-Identifier: Apache-2.0
// Stepping through a timed system: see timewalk.h. Times are whole multiples of a unit, which becomes finer when a
// delay needs it; then all times of the walk are counted anew.
#include "zone/timewalk.h"

#include "zone/run.h"

#include <stdlib.h>
#include <string.h>

// Finer times and longer walks are refused, so that nothing overflows: clocks are compared with numbers of 31 bits.
enum { FINEST_UNIT = 1 << 20 };
static const int64_t longest_time = INT64_C(1) << 55;

static int64_t timewalk_gcd(int64_t a, int64_t b) { return b ? timewalk_gcd(b, a % b) : a; }

const timewalk_point *timewalk_now(const timewalk *s) { return &vec_last(&s->points); }

static judge_moment timewalk_moment(const timewalk *s) {
    const timewalk_point *p = timewalk_now(s);
    return (judge_moment){s->x, s->unit, p->clocks, p->cells};
}

uint32_t timewalk_steps(const timewalk *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->points.len; i++) n += s->points.data[i].is_step;
    return n;
}

// ---- what is possible

static void find_concrete_moves(timewalk *s) {
    judge_moment now = timewalk_moment(s);
    judge_chances all = {0};
    judge_find_chances(&now, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        const judge_chance *c = &all.data[i];
        const net_label *l = &s->x->labels.data[c->label];
        timewalk_move v = {.label = c->label, .first = c->first, .last = c->last, .fails = c->fails};
        value *next = mem_alloc((s->in->ncells + 1) * sizeof *next);
        prop refused;
        if (v.fails && eval_step(s->x->ev, now.cells, l->r, l->args, next, &refused) == EVAL_FAULTY)
            v.what = eval_fault(s->x->ev);
        fault of_clocks;
        if (net_label_faults(s->x, l, now.cells, &of_clocks)) v.fails = true, v.what = of_clocks;
        free(next);
        vec_push(&s->moves, v);
    }
    s->longest = judge_longest(&now);
    vec_free(&all);
}

// The parts from which step i of the room leads somewhere.
static void add_symbolic_moves(timewalk *s, const net_steps *steps, uint32_t i) {
    net_room *w = s->room;
    uint32_t n = s->x->n;
    dbm_list parts = {0};
    const net_label *l = net_step_label(steps, i);
    timewalk_move v = {.label = net_step_number(steps, i), .fails = net_step_fails(steps, i)};
    fault of_clocks;
    if (net_label_faults(s->x, l, steps->cells, &of_clocks)) v.fails = true, v.what = of_clocks;
    net_parts(w, steps, i, timewalk_now(s)->zone, &parts);
    for (uint32_t k = 0; k < parts.len; k += n * n) {
        bound *part = parts.data + k;
        if (!v.fails) net_look(w, net_step_to(steps, i));
        if (!v.fails && !net_before(w, l, steps->cells, part)) continue;
        v.part = arena_copy(s->memory, part, dbm_bytes(n));
        vec_push(&s->moves, v);
    }
    vec_free(&parts);
}

static void find_symbolic_moves(timewalk *s) {
    net_steps *steps = &s->room->steps;
    space_pack(s->x->s, timewalk_now(s)->cells, steps->state);
    net_look(s->room, steps->state);
    net_steps_find(steps, s->room, steps->state);
    for (uint32_t i = 0; i < steps->count; i++) add_symbolic_moves(s, steps, i);
}

static void timewalk_find_moves(timewalk *s) {
    vec_clear(&s->moves);
    if (s->is_symbolic) find_symbolic_moves(s);
    else find_concrete_moves(s);
}

// ---- beginning

static bool keep_first(const value *state, void *context) {
    timewalk *s = context;
    timewalk_point p = {.cells = arena_copy(s->memory, state, s->in->ncells * sizeof *state)};
    p.clocks = arena_alloc(s->memory, s->x->n * sizeof *p.clocks);
    for (uint32_t c = 1; c < s->x->n; c++) p.clocks[c] = s->unit * s->x->t->clocks.data[c].initial;
    vec_push(&s->points, p);
    return false;
}

static bool timewalk_begin(timewalk *s, str *why) {
    eval_initial(s->in, keep_first, s);
    if (!s->points.len) {
        str_add(why, "the system has no initial state");
        return false;
    }
    judge_moment now = timewalk_moment(s);
    if (judge_invariants_hold(&now)) return true;
    str_add(why, "an invariant does not hold in the initial state");
    return false;
}

timewalk *timewalk_new(const instance *in, str *why) {
    net *x = net_new(in, NULL, 0, (net_how){.by_evaluator = true});
    if (!x) return NULL;
    timewalk *s = mem_zero(1, sizeof *s);
    *s = (timewalk){.memory = arena_new(), .x = x, .room = net_room_new(x), .in = in, .unit = 1};
    if (!timewalk_begin(s, why)) {
        timewalk_free(s);
        return NULL;
    }
    timewalk_find_moves(s);
    return s;
}

void timewalk_free(timewalk *s) {
    if (!s) return;
    vec_free(&s->points);
    vec_free(&s->moves);
    net_room_free(s->room);
    net_free(s->x);
    arena_free(s->memory);
    free(s);
}

// ---- time

// Times as multiples of 1 / den too; false: that would be too fine.
static bool timewalk_refine(timewalk *s, int64_t den, str *why) {
    int64_t by = den / timewalk_gcd(s->unit, den);
    if (s->unit > FINEST_UNIT / by) {
        str_add(why, "times of a walk are not told apart so finely");
        return false;
    }
    if (timewalk_now(s)->time > longest_time / by) {
        str_add(why, "the walk has taken too long for such fine times");
        return false;
    }
    s->unit *= by;
    for (uint32_t i = 0; by > 1 && i < s->points.len; i++) {
        s->points.data[i].time *= by;
        for (uint32_t c = 1; c < s->x->n; c++) s->points.data[i].clocks[c] *= by;
    }
    if (by > 1) timewalk_find_moves(s);
    return true;
}

// The point after so many units; clocks go with time.
static timewalk_point point_later(timewalk *s, int64_t units) {
    const timewalk_point *now = timewalk_now(s);
    timewalk_point p = {.cells = now->cells, .time = now->time + units};
    p.clocks = arena_copy(s->memory, now->clocks, s->x->n * sizeof *p.clocks);
    judge_moment m = timewalk_moment(s);
    judge_let_pass(&m, units, p.clocks);
    return p;
}

bool timewalk_wait(timewalk *s, timewalk_time delay, str *why) {
    if (!delay.num) return true;
    if (!timewalk_refine(s, delay.den, why)) return false;
    int64_t by = s->unit / delay.den;
    if (delay.num > longest_time / by || delay.num * by > longest_time - timewalk_now(s)->time) {
        str_add(why, "the walk would take too long");
        return false;
    }
    if (2 * delay.num * by > s->longest) {
        str_add(why, s->longest == 0 ? "no time may pass here" : "time may not pass for so long");
        return false;
    }
    timewalk_point p = point_later(s, delay.num * by);
    vec_push(&s->points, p);
    timewalk_find_moves(s);
    return true;
}

// Where the end of an interval is left out, half a time unit from it if that is within, else as far as it goes.
bool timewalk_choose_delay(const timewalk *s, const timewalk_move *v, bool is_latest, timewalk_time *delay, str *why) {
    int64_t halves = is_latest ? v->last : v->first, step = is_latest ? 1 - s->unit : s->unit - 1;
    if (halves == INT64_MAX) {
        str_add(why, "there is no latest time");
        return false;
    }
    if (halves & 1 && halves + step >= v->first && halves + step <= v->last) halves += step;
    *delay = (timewalk_time){halves, 2 * s->unit};
    int64_t g = timewalk_gcd(delay->num, delay->den);
    *delay = (timewalk_time){delay->num / g, delay->den / g};
    return true;
}

// ---- steps

static void concrete_step(timewalk *s, const timewalk_move *v, value *next) {
    const net_label *l = &s->x->labels.data[v->label];
    judge_moment now = timewalk_moment(s);
    bool is_set[DBM_MOST_CLOCKS + 1];
    timewalk_point p = {.is_step = true, .label = v->label, .cells = next, .time = timewalk_now(s)->time};
    p.clocks = arena_copy(s->memory, now.clocks, s->x->n * sizeof *p.clocks);
    net_bind_label(s->x, l);
    judge_set_clocks(&now, rule_of(s->x->m, l->r), p.clocks, is_set);
    vec_push(&s->points, p);
}

static bool symbolic_step(timewalk *s, const timewalk_move *v, value *next, str *why) {
    uint32_t n = s->x->n;
    const timewalk_point *now = timewalk_now(s);
    bound *d = arena_copy(s->memory, v->part, dbm_bytes(n));
    bool ok = net_resets(s->x, &s->x->labels.data[v->label], now->cells, d);
    space_pack(s->x->s, next, s->room->steps.state);
    net_look(s->room, s->room->steps.state);
    ok = ok && net_enter(s->room, d, false) && dbm_fits(d, n);
    if (!ok) {
        str_add(why, "its clock values are too large to be told apart");
        return false;
    }
    timewalk_point p = {.is_step = true, .label = v->label, .cells = next, .from = v->part, .zone = d};
    vec_push(&s->points, p);
    return true;
}

static bool timewalk_do(timewalk *s, const timewalk_move *v, str *why) {
    const net_label *l = &s->x->labels.data[v->label];
    value *next = arena_alloc(s->memory, (s->in->ncells + 1) * sizeof *next);
    if (v->fails || !eval_fire(s->x->ev, timewalk_now(s)->cells, l->r, l->args, next)) {
        str_add(why, "the step is a run-time error");
        return false;
    }
    if (!s->is_symbolic) concrete_step(s, v, next);
    else if (!symbolic_step(s, v, next, why)) return false;
    timewalk_find_moves(s);
    return true;
}

static bool is_now(const timewalk *s, const timewalk_move *v) {
    return s->is_symbolic || (v->first <= 0 && v->last >= 0);
}

bool timewalk_take(timewalk *s, uint32_t move, str *why) {
    timewalk_move v = s->moves.data[move];
    if (is_now(s, &v)) return timewalk_do(s, &v, why);
    str_add(why, v.first > 0 ? "it is not possible yet" : "it is not possible any more");
    return false;
}

static timewalk_time time_of(const timewalk *s, int64_t units) {
    int64_t g = timewalk_gcd(units, s->unit);
    return g ? (timewalk_time){units / g, s->unit / g} : (timewalk_time){0, 1};
}

bool timewalk_take_after(timewalk *s, uint32_t move, timewalk_time delay, str *why) {
    uint32_t label = s->moves.data[move].label, before = s->points.len;
    if (!timewalk_wait(s, delay, why)) return false;
    for (uint32_t i = 0; i < s->moves.len; i++) {
        timewalk_move v = s->moves.data[i];
        if (v.label == label && is_now(s, &v) && timewalk_do(s, &v, why)) return true;
    }
    if (!why->len) str_add(why, "the step is not possible after that delay");
    timewalk_back(s, s->points.len - before);
    return false;
}

static bool clocks_are(const timewalk *s, const timewalk_point *p, const char *const *clocks) {
    for (uint32_t c = 1; clocks && c < s->x->n; c++) {
        timewalk_time t, is = time_of(s, p->clocks[c]);
        if (!timewalk_read_time(clocks[c - 1], &t) || t.num != is.num || t.den != is.den) return false;
    }
    return true;
}

bool timewalk_is_at(const timewalk *s, const char *time, const char *const *clocks) {
    const timewalk_point *p = timewalk_now(s);
    timewalk_time t, is = time_of(s, p->time);
    return time && timewalk_read_time(time, &t) && t.num == is.num && t.den == is.den && clocks_are(s, p, clocks);
}

static bool timewalk_leads(const timewalk *s, const timewalk_move *v, const char *name, const value *after) {
    const net_label *l = &s->x->labels.data[v->label];
    if (v->fails || !is_now(s, v) || !str_same(rule_of(s->x->m, l->r)->name, name)) return false;
    value *next = mem_alloc((s->in->ncells + 1) * sizeof *next);
    bool is_it = eval_fire(s->x->ev, timewalk_now(s)->cells, l->r, l->args, next) &&
                 memcmp(next, after, s->in->ncells * sizeof *next) == 0;
    free(next);
    return is_it;
}

bool timewalk_take_named(timewalk *s, const char *rule_name, const value *after, const char *const *clocks, str *why) {
    for (uint32_t i = 0; i < s->moves.len; i++) {
        if (!timewalk_leads(s, &s->moves.data[i], rule_name, after)) continue;
        timewalk_move v = s->moves.data[i];
        if (!timewalk_do(s, &v, why)) return false;
        if (s->is_symbolic || clocks_are(s, timewalk_now(s), clocks)) return true;
        timewalk_back(s, 1);
    }
    str_add(why, "the step is not possible");
    return false;
}

void timewalk_back(timewalk *s, uint32_t points) {
    s->points.len -= points < s->points.len ? points : s->points.len - 1;
    timewalk_find_moves(s);
}

// ---- runs

void timewalk_units_text(const timewalk *s, int64_t units, str *out) {
    timewalk_time t = time_of(s, units);
    str_printf(out, "%lld", (long long)t.num);
    if (t.den != 1) str_printf(out, "/%lld", (long long)t.den);
}

static const char *units_in(const timewalk *s, int64_t units, arena *memory) {
    str text = {0};
    timewalk_units_text(s, units, &text);
    const char *kept = arena_str(memory, str_get(&text));
    str_free(&text);
    return kept;
}

static const char *const *clocks_in(const timewalk *s, const timewalk_point *p, arena *memory) {
    const char **texts = arena_alloc(memory, (s->x->n + 1) * sizeof *texts);
    for (uint32_t c = 1; c < s->x->n; c++) texts[c - 1] = units_in(s, p->clocks[c], memory);
    return texts;
}

static trace *concrete_trace(const timewalk *s) {
    trace *t = trace_new(s->in, s->points.data[0].cells);
    int64_t before = 0;
    for (uint32_t i = 0; i < s->points.len; i++) {
        const timewalk_point *p = &s->points.data[i];
        if (!p->is_step) continue;
        const net_label *l = &s->x->labels.data[p->label];
        trace_add(t, l->r, l->args, p->cells);
        vec_last(&t->steps).delay = units_in(s, p->time - before, t->memory);
        vec_last(&t->steps).time = units_in(s, p->time, t->memory);
        vec_last(&t->steps).clocks = clocks_in(s, p, t->memory);
        before = p->time;
    }
    t->end_delay = units_in(s, timewalk_now(s)->time - before, t->memory);
    t->end_time = units_in(s, timewalk_now(s)->time, t->memory);
    t->end_clocks = clocks_in(s, timewalk_now(s), t->memory);
    return t;
}

static trace *solved_trace(const timewalk *s, str *why) {
    VEC(run_point) points = {0};
    for (uint32_t i = 0; i < s->points.len; i++) {
        const timewalk_point *p = &s->points.data[i];
        if (p->is_step)
            vec_push(&points, ((run_point){.is_step = true, .label = p->label, .after = p->cells, .zone = p->from}));
    }
    vec_push(&points, (run_point){0});
    trace *t = run_through(s->x, s->points.data[0].cells, points.data, points.len, why);
    vec_free(&points);
    return t;
}

trace *timewalk_trace(const timewalk *s, str *why) { return s->is_symbolic ? solved_trace(s, why) : concrete_trace(s); }

// ---- from one kind of walk to the other

bool timewalk_is_within(const timewalk *s, const timewalk_point *p, const bound *zone) {
    uint32_t n = s->x->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bound b = zone[i * n + j];
            int64_t is = p->clocks[i] - p->clocks[j], most = (int64_t)bound_value(b) * s->unit;
            if (b != BOUND_INF && (bound_is_strict(b) ? is >= most : is > most)) return false;
        }
    return true;
}

typedef VEC(timewalk_point) point_list;

static void forget_points(timewalk *s, point_list *old) {
    for (uint32_t i = 0; i < s->points.len; i++) vec_push(old, s->points.data[i]);
    s->points.len = 1;
}

static bool zone_at_start(timewalk *s) {
    timewalk_point *first = &s->points.data[0];
    bound *d = arena_alloc(s->memory, dbm_bytes(s->x->n));
    net_first_zone(s->x, d);
    space_pack(s->x->s, first->cells, s->room->steps.state);
    net_look(s->room, s->room->steps.state);
    bool ok = net_enter(s->room, d, false);
    first->zone = d;
    return ok;
}

// The move of that label from a part that has the point.
static bool take_label(timewalk *s, uint32_t label, const timewalk_point *before, str *why) {
    for (uint32_t i = 0; i < s->moves.len; i++) {
        timewalk_move v = s->moves.data[i];
        if (v.label != label || !timewalk_is_within(s, before, v.part)) continue;
        return timewalk_do(s, &v, why);
    }
    str_add(why, "a step of the walk is not found in its zone");
    return false;
}

static bool become_symbolic(timewalk *s, const point_list *old, str *why) {
    s->is_symbolic = true;
    bool ok = zone_at_start(s);
    timewalk_find_moves(s);
    for (uint32_t i = 1; i < old->len && ok; i++)
        if (old->data[i].is_step) ok = take_label(s, old->data[i].label, &old->data[i - 1], why);
    return ok;
}

static bool follow_times(timewalk *s, const trace *t, str *why) {
    bool ok = true;
    for (uint32_t i = 0; i < t->steps.len && ok; i++) {
        const trace_step *st = &t->steps.data[i];
        timewalk_time delay;
        ok = timewalk_read_time(st->delay, &delay) && timewalk_wait(s, delay, why) &&
             timewalk_take_named(s, rule_of(s->x->m, st->r)->name, st->after, st->clocks, why);
    }
    return ok;
}

static bool become_concrete(timewalk *s, const trace *t, str *why) {
    s->is_symbolic = false;
    timewalk_find_moves(s);
    return follow_times(s, t, why);
}

bool timewalk_set_symbolic(timewalk *s, bool is_symbolic, str *why) {
    if (s->is_symbolic == is_symbolic) return true;
    if (is_symbolic && s->x->rates.len) {
        str_add(why, "clocks stand still in some states, so zones may have more than is reached: not supported");
        return false;
    }
    point_list old = {0};
    trace *t = is_symbolic ? NULL : timewalk_trace(s, why);
    if (!is_symbolic && !t) return false;
    forget_points(s, &old);
    bool ok = is_symbolic ? become_symbolic(s, &old, why) : become_concrete(s, t, why);
    if (!ok) {
        vec_clear(&s->points);
        for (uint32_t i = 0; i < old.len; i++) vec_push(&s->points, old.data[i]);
        s->is_symbolic = !is_symbolic;
        timewalk_find_moves(s);
    }
    vec_free(&old);
    trace_free(t);
    return ok;
}

// ---- the zones of a run

static void zones_add(const net *x, const bound *d, trace_zones *out) {
    for (uint32_t i = 0; i < x->n * x->n; i++)
        vec_push(&out->bounds, ((trace_bound){bound_value(d[i]), bound_is_strict(d[i]), d[i] == BOUND_INF}));
    out->states++;
}

// Also where clocks stand still.
static bool begin_with_zones(timewalk *s) {
    s->is_symbolic = true;
    bool ok = zone_at_start(s);
    timewalk_find_moves(s);
    return ok;
}

bool timewalk_zones(const trace *t, trace_zones *out, str *why) {
    timewalk *s = timewalk_new(t->in, why);
    bool ok = s && begin_with_zones(s);
    if (s && !ok) str_add(why, "the initial state is impossible");
    for (uint32_t i = 0; ok && i < t->steps.len && t->steps.data[i].after; i++)
        ok = timewalk_take_named(s, rule_of(t->in->m, t->steps.data[i].r)->name, t->steps.data[i].after, NULL, why);
    for (uint32_t i = 0; ok && i < s->points.len; i++) zones_add(s->x, s->points.data[i].zone, out);
    timewalk_free(s);
    return ok;
}

// ---- why time stops

bool timewalk_is_still(const timewalk *s) {
    judge_moment now = timewalk_moment(s);
    return judge_is_still(&now);
}

const clock_bound *timewalk_invariant(const timewalk *s) {
    const timed_info *t = s->x->t;
    const timewalk_point *p = timewalk_now(s);
    bool stands[DBM_MOST_CLOCKS + 1];
    net_plain_stops(s->x, p->cells, stands);
    for (uint32_t i = 0; i < t->invariants.len; i++) {
        const clock_bound *b = &t->invariants.data[i];
        if (!b->left || b->right || stands[b->left] || (b->when.id && !eval_expr(s->x->ev, p->cells, b->when)))
            continue;
        int64_t most = (int64_t)eval_expr(s->x->ev, p->cells, b->bound) * s->unit;
        if (2 * (most - p->clocks[b->left]) - b->is_strict == s->longest) return b;
    }
    return NULL;
}

// ---- times as text

static bool read_digits(const char **text, int64_t *out, int64_t *scale) {
    enum { MOST_DIGITS = 12 };
    const char *p = *text;
    for (*out = 0, *scale = 1; *p >= '0' && *p <= '9' && p - *text < MOST_DIGITS; p++) {
        *out = *out * 10 + (*p - '0');
        *scale *= 10;
    }
    bool ok = p > *text;
    *text = p;
    return ok;
}

bool timewalk_read_time(const char *text, timewalk_time *out) {
    int64_t whole, part = 0, scale;
    *out = (timewalk_time){0, 1};
    if (!read_digits(&text, &whole, &scale)) return false;
    out->num = whole;
    if (*text == '/') {
        text++;
        if (!read_digits(&text, &out->den, &scale) || !out->den) return false;
    } else if (*text == '.') {
        text++;
        if (!read_digits(&text, &part, &scale) || whole > INT64_MAX / scale - 1) return false;
        *out = (timewalk_time){whole * scale + part, scale};
    }
    int64_t g = timewalk_gcd(out->num, out->den);
    *out = (timewalk_time){out->num / g, out->den / g};
    return !*text && out->den <= FINEST_UNIT;
}
