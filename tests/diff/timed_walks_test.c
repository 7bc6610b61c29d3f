// SPDX-License-Identifier: Apache-2.0
// Walks through timed systems (zone/timewalk.h) against the region graph: random networks, random walks. At each point
// of a concrete walk, for every delay up to well beyond the constants of the network, in steps that tell an interval
// with its ends from one without: may time pass for so long, and which steps are possible then? A step that is taken
// leads to a region that the oracle knows. Each walk is repeated with zones, which must have every point of it, and
// back: the times that are solved are those of a run. Symbolic walks at random must have times too.
#include "model/expr.h"
#include "oracle/part.h"
#include "oracle/random_timed.h"
#include "oracle/region.h"
#include "oracle/unit.h"
#include "zone/timewalk.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 6000, LONG_POINTS = 200000, STEPS = 12, REGIONS = 6000, BEYOND = 7, FINEST = 8, SHOWN = 3 };

typedef struct {
    uint32_t networks, left_out, points, delays, steps, symbolic, dead, wrong;
} tally;

typedef struct {
    const region_reading *x;
    timewalk *s;
    rng *r;
    tally *t;
    str *said;
} walking;

static bool differ(walking *w, const char *what) {
    const timewalk_point *p = timewalk_now(w->s);
    str_printf(w->said, "%s; point %u, unit 1/%lld, clocks", what, w->s->points.len - 1, (long long)w->s->unit);
    for (uint32_t c = 1; p->clocks && c < w->s->x->n; c++) str_printf(w->said, " %lld", (long long)p->clocks[c]);
    str_char(w->said, '\n');
    return false;
}

// The region after so many halves of a unit; whether time leads there.
static uint32_t region_after(walking *w, uint32_t from, int64_t halves, bool *is_reached) {
    const timewalk_point *p = timewalk_now(w->s);
    int64_t clocks[REGION_MOST_CLOCKS] = {0};
    for (uint32_t c = 1; c < w->s->x->n; c++) clocks[c] = 2 * p->clocks[c] + halves;
    uint32_t at = region_find(w->x->g, p->cells, clocks, 2 * w->s->unit), here = from;
    *is_reached = here == at && (!halves || !region_is_still(w->x->g, from));
    while (here != at) {
        uint32_t next = region_later(w->x->g, here);
        if (next == UINT32_MAX || next == here) break;
        here = next;
        *is_reached = here == at;
    }
    return at;
}

static uint32_t count_moves(const walking *w, rule r, int64_t halves) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->s->moves.len; i++) {
        const timewalk_move *v = &w->s->moves.data[i];
        bool is_there = v->first <= halves && halves <= v->last && !v->fails;
        n += is_there && w->s->x->labels.data[v->label].r.id == r.id;
    }
    return n;
}

static bool same_moves(walking *w, uint32_t at, int64_t halves) {
    const sys_info *is = sys_of(w->x->m, w->x->in->system);
    for (uint32_t i = 0; i < is->rules.len; i++)
        if (count_moves(w, is->rules.data[i], halves) != region_count(w->x->g, at, is->rules.data[i])) return false;
    return true;
}

static bool check_delays(walking *w) {
    const timewalk_point *p = timewalk_now(w->s);
    uint32_t from = region_find(w->x->g, p->cells, p->clocks, w->s->unit);
    w->t->points++;
    if (from == UINT32_MAX) return differ(w, "the point is in no region that is reachable");
    for (int64_t h = 0; h <= 2 * BEYOND * w->s->unit; h++) {
        bool is_reached;
        uint32_t at = region_after(w, from, h, &is_reached);
        w->t->delays++;
        if (is_reached != (h <= w->s->longest)) return differ(w, "one lets time pass, the other does not");
        if (is_reached && !region_fails(w->x->g, at) && !same_moves(w, at, h)) return differ(w, "other steps");
    }
    return true;
}

// A delay at random that is possible, fine ones only while the unit is coarse.
static int64_t some_halves(walking *w, int64_t first, int64_t last) {
    int64_t most = first + 4 * w->s->unit, end = last < most ? last : most;
    int64_t h = first + (int64_t)rng_below(w->r, (uint32_t)(end - first + 1));
    bool is_fine = h & 1 && w->s->unit * 2 > FINEST;
    return is_fine && h < end ? h + 1 : is_fine && h > first ? h - 1 : h;
}

static bool wait_some(walking *w, int64_t halves) {
    str why = {0};
    timewalk_time delay = {halves, 2 * w->s->unit};
    while (delay.num % 2 == 0 && delay.den % 2 == 0) delay.num /= 2, delay.den /= 2;
    bool ok = timewalk_wait(w->s, delay, &why) || differ(w, str_get(&why));
    str_free(&why);
    return ok;
}

static bool take_now(walking *w, uint32_t label) {
    str why = {0};
    const timewalk_point *p = timewalk_now(w->s);
    uint32_t from = region_find(w->x->g, p->cells, p->clocks, w->s->unit), move = 0;
    while (move < w->s->moves.len && (w->s->moves.data[move].label != label || w->s->moves.data[move].first > 0))
        move++;
    bool ok = move < w->s->moves.len && timewalk_take(w->s, move, &why);
    if (!ok) differ(w, "a step that was offered cannot be taken");
    p = timewalk_now(w->s);
    uint32_t to = ok ? region_find(w->x->g, p->cells, p->clocks, w->s->unit) : 0;
    if (ok && !region_leads(w->x->g, from, w->s->x->labels.data[label].r, to)) ok = differ(w, "a step leads elsewhere");
    w->t->steps++;
    str_free(&why);
    return ok;
}

// A move at random, and a delay before it; false: none is possible, or something is wrong (then it was said).
static bool walk_on(walking *w) {
    VEC(uint32_t) free_moves = {0};
    for (uint32_t i = 0; i < w->s->moves.len; i++)
        if (!w->s->moves.data[i].fails) vec_push(&free_moves, i);
    bool ok = free_moves.len > 0;
    w->t->dead += !ok;
    if (ok) {
        timewalk_move v = w->s->moves.data[free_moves.data[rng_below(w->r, free_moves.len)]];
        ok = wait_some(w, some_halves(w, v.first, v.last)) && take_now(w, v.label);
    }
    vec_free(&free_moves);
    return ok;
}

static bool same_state(const walking *w, const value *a, const value *b) {
    return memcmp(a, b, w->x->in->ncells * sizeof *a) == 0;
}

// The same walk with zones: point by point, the concrete one is in them.
static bool check_zones(walking *w) {
    str why = {0};
    VEC(timewalk_point) concrete = {0};
    int64_t unit = w->s->unit;
    for (uint32_t i = 0; i < w->s->points.len; i++) vec_push(&concrete, w->s->points.data[i]);
    bool ok = timewalk_set_symbolic(w->s, true, &why) || differ(w, str_get(&why));
    for (uint32_t i = 0, k = 0; i < concrete.len && ok; i++) {
        if (i > 0 && concrete.data[i].is_step) k++;
        const timewalk_point *z = &w->s->points.data[k];
        ok = unit == w->s->unit && same_state(w, z->cells, concrete.data[i].cells) &&
             timewalk_is_within(w->s, &concrete.data[i], z->zone);
        if (!ok) differ(w, "a point is not in its zone");
    }
    ok = ok && (timewalk_set_symbolic(w->s, false, &why) || differ(w, str_get(&why)));
    const timewalk_point *now = timewalk_now(w->s);
    if (ok && !same_state(w, now->cells, vec_last(&concrete).cells)) ok = differ(w, "solved times lead elsewhere");
    vec_free(&concrete);
    str_free(&why);
    return ok;
}

// A symbolic walk at random, then its times.
static bool check_symbolic(walking *w) {
    str why = {0};
    timewalk_back(w->s, UINT32_MAX);
    bool ok = timewalk_set_symbolic(w->s, true, &why) || differ(w, str_get(&why));
    for (uint32_t i = 0; i < STEPS && ok && w->s->moves.len; i++) {
        uint32_t move = rng_below(w->r, w->s->moves.len);
        if (w->s->moves.data[move].fails) break;
        ok = timewalk_take(w->s, move, &why) || differ(w, str_get(&why));
    }
    w->t->symbolic++;
    ok = ok && (timewalk_set_symbolic(w->s, false, &why) || differ(w, str_get(&why)));
    const timewalk_point *p = timewalk_now(w->s);
    if (ok && region_find(w->x->g, p->cells, p->clocks, w->s->unit) == UINT32_MAX)
        ok = differ(w, "the end of a symbolic walk is not reachable");
    str_free(&why);
    return ok;
}

static bool walk_network(walking *w) {
    bool ok = check_delays(w);
    for (uint32_t i = 0; i < STEPS && ok && walk_on(w); i++) ok = check_delays(w);
    return ok && !w->said->len && check_zones(w) && check_symbolic(w);
}

static void try_network(rng *r, timed_case *c, tally *t) {
    str text = {0}, said = {0}, why = {0};
    region_reading x;
    region_options far = {.most = REGIONS};
    timed_print(c->network, &text);
    t->networks++;
    bool ok = region_read(str_get(&text), NULL, 0, &far, &x);
    region_facts f = ok ? region_facts_of(x.g) : (region_facts){0};
    timewalk *s = ok && f.is_supported && f.is_complete && f.has_start ? timewalk_new(x.in, &why) : NULL;
    t->left_out += !s;
    walking w = {&x, s, r, t, &said};
    if (s && !walk_network(&w)) {
        t->wrong++;
        printf("# differs: %s%s\n", str_get(&said), str_get(&text));
    }
    timewalk_free(s);
    region_close(&x);
    str_free(&text);
    str_free(&said);
    str_free(&why);
}

static void test_walks(void **state) {
    rng r = {part_seed(977)};
    tally t = {0};
    (void)state;
    const uint64_t wanted = part_rounds(POINTS, LONG_POINTS);
    while (t.points < wanted && t.wrong < SHOWN) {
        timed_case c;
        random_timed_hearing(&r, 0, &c);
        try_network(&r, &c, &t);
        timed_case_free(&c);
    }
    printf("# %u networks, %u left out; %u steps, %u ends, %u symbolic walks\n", t.networks, t.left_out, t.steps,
           t.dead, t.symbolic);
    printf("# tally: delays and steps of timed walks against the region graph | %u cases | %u wrong\n", t.delays,
           t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.left_out < t.networks / 2);
    assert_true(t.steps > t.points / 2);
    assert_true(t.dead > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
