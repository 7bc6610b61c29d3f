// SPDX-License-Identifier: Apache-2.0
// Placement: see placement.h. Control in such a model does not depend on values: so a run is made first, and then its
// accesses get their instants. Step i is at the instant (i + 1) * STRIDE; what is moved is strictly between two steps
// of its thread.
#include "language/placement.h"

#include "base/rng.h"
#include "base/vec.h"
#include "history/level_check.h"
#include "model/actor.h"
#include "model/eval.h"
#include "result/trace.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 40, STRIDE = 1 << 16, TRIES = 8, MOST_NUMBER = 4095 };

typedef struct {
    uint32_t thread;  // NOBODY: of no thread
    bool is_statement;
    rule_role kind;
    uint32_t location;
} run_step;

#define NOBODY UINT32_MAX

// A load or a store, or a step itself, at its instant.
typedef enum { INSTANT_STEP, INSTANT_LOAD, INSTANT_STORE } instant_kind;

typedef struct {
    uint64_t when;
    instant_kind kind;
    uint32_t step;      // that it belongs to
    uint32_t location;  // of loads and stores
    uint32_t value;     // stored, or loaded
} instant;

typedef struct {
    const instance *in;
    eval *ev;
    rng random;
    value *start;  // an initial state
    bool has_start;
    type threads;
    VEC(run_step) steps;
    VEC(instant) instants;
} placement;

static const char *const way_texts[PLACED_WAYS] = {"values at the steps", "loads earlier", "loads later",
                                                   "stores earlier", "stores later"};

const char *placement_way_text(placement_way w) { return way_texts[w]; }

static bool placed_statement(const instance *in, rule r, const value *args, trace_statement *out) {
    return rule_of(in->m, r)->is_visible && trace_statement_of(in, r, args, out);
}

// Threads and locations are small numbers here, as elements of sorts are.
static bool are_numbers(const model *m, const rule_info *r) {
    for (uint32_t i = 0; i < rule_nshown(r); i++) {
        const type_info *t = type_of(m, var_of(m, r->params[i])->ty);
        if (t->kind == TYPE_RANGE && (t->lo < 0 || t->hi > MOST_NUMBER)) return false;
    }
    return true;
}

bool placement_suits(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    bool has[ROLE_ABORT + 1] = {false};
    for (uint32_t i = 0; i < s->rules.len; i++) {
        trace_statement x;
        value args[rule_of(in->m, s->rules.data[i])->nparams + 1];
        bool first = true;
        if (eval_next_binding(in, s->rules.data[i], args, &first) && placed_statement(in, s->rules.data[i], args, &x))
            has[x.kind] = true;
        else continue;
        if (!are_numbers(in->m, rule_of(in->m, s->rules.data[i]))) return false;
    }
    return has[ROLE_READ] && has[ROLE_WRITE] && has[ROLE_COMMIT];
}

bool placement_is_assumed(const model *m, sys spec) {
    static const char *const actions[] = {"read", "write", "commit"};
    static const uint32_t nparams[] = {2, 2, 1};
    uint32_t nfound = 0;
    for (uint32_t k = 0; k < 3; k++) {
        bool is_found = false;
        for (uint32_t i = 0; i < sys_of(m, spec)->rules.len; i++) {
            const rule_info *r = rule_of(m, sys_of(m, spec)->rules.data[i]);
            is_found |= r->is_visible && str_same(r->name, actions[k]) && rule_nshown(r) == nparams[k];
        }
        nfound += is_found;
    }
    return nfound == 3;
}

// ---- a run

static bool placement_take_start(const value *state, void *context) {
    placement *p = context;
    memcpy(p->start, state, p->in->ncells * sizeof *state);
    p->has_start = true;
    return false;
}

static void note_step(placement *p, rule r, const value *args) {
    trace_statement x;
    uint32_t actor = actor_param(p->in->m, r, p->threads);
    run_step s = {.thread = actor == ACTOR_NONE ? NOBODY : (uint32_t)args[actor]};
    if (placed_statement(p->in, r, args, &x)) s = (run_step){(uint32_t)x.thread, true, x.kind, (uint32_t)x.location};
    vec_push(&p->steps, s);
}

// A random step of a random rule; aborts are rare. False: none of the rule is possible here.
static bool take_step_of(placement *p, rule r, const value *from, value *to) {
    uint32_t n = rule_of(p->in->m, r)->nparams, nfound = 0;
    value args[n + 1], chosen[n + 1];
    prop refused;
    for (bool first = true; eval_next_binding(p->in, r, args, &first);)
        if (eval_step(p->ev, from, r, args, to, &refused) == EVAL_FIRES && rng_below(&p->random, ++nfound) == 0)
            memcpy(chosen, args, n * sizeof *args);
    if (!nfound || !eval_fire(p->ev, from, r, chosen, to)) return false;
    note_step(p, r, chosen);
    return true;
}

static bool take_any_step(placement *p, const value *from, value *to) {
    const sys_info *s = sys_of(p->in->m, p->in->system);
    for (uint32_t i = 0; i < TRIES * s->rules.len; i++) {
        rule r = s->rules.data[rng_below(&p->random, s->rules.len)];
        bool is_abort = str_same(rule_of(p->in->m, r)->name, "abort");
        if ((!is_abort || rng_below(&p->random, TRIES) == 0) && take_step_of(p, r, from, to)) return true;
    }
    return false;
}

static void make_run(placement *p) {
    uint32_t n = p->in->ncells;
    value *now = mem_zero(n + 1, sizeof *now), *next = mem_zero(n + 1, sizeof *next);
    memcpy(now, p->start, n * sizeof *now);
    vec_clear(&p->steps);
    while (p->steps.len < MOST_STEPS && take_any_step(p, now, next)) {
        value *last = now;
        now = next;
        next = last;
    }
    free(now);
    free(next);
}

// ---- instants

static uint64_t instant_of(uint32_t step) { return (uint64_t)(step + 1) * STRIDE; }

static uint64_t placement_between(placement *p, uint64_t low, uint64_t high) {
    return high - low < 2 ? high : low + 1 + rng_below(&p->random, (uint32_t)(high - low - 1));
}

// Between the thread's step before this one, and it.
static uint64_t earlier(placement *p, uint32_t step) {
    uint32_t before = step;
    while (before > 0 && p->steps.data[before - 1].thread != p->steps.data[step].thread) before--;
    return placement_between(p, before ? instant_of(before - 1) : 0, instant_of(step));
}

static uint64_t later(placement *p, uint32_t step) {
    uint32_t after = step + 1;
    while (after < p->steps.len && p->steps.data[after].thread != p->steps.data[step].thread) after++;
    return placement_between(p, instant_of(step), instant_of(after));
}

// Every write of step i has the value i + 1. What its transaction has written there before this step; 0: nothing.
static uint32_t written_before(const placement *p, uint32_t step, uint32_t location) {
    for (uint32_t i = step; i-- > 0;) {
        const run_step *s = &p->steps.data[i];
        if (!s->is_statement || s->thread != p->steps.data[step].thread) continue;
        if (s->kind == ROLE_COMMIT || s->kind == ROLE_ABORT) return 0;
        if (s->kind == ROLE_WRITE && s->location == location) return i + 1;
    }
    return 0;
}

static void place_stores(placement *p, uint32_t step, placement_way way, uint32_t nlocations) {
    for (uint32_t v = 0; v < nlocations; v++) {
        uint32_t x = written_before(p, step, v);
        uint64_t when = way == PLACED_STORES_EARLIER ? earlier(p, step)
                        : way == PLACED_STORES_LATER ? later(p, step)
                                                     : instant_of(step);
        if (x) vec_push(&p->instants, (instant){when, INSTANT_STORE, step, v, x});
    }
}

// Nothing of a transaction is before its first statement: where it begins, which it may remember, is not seen.
static bool is_first_statement(const placement *p, uint32_t step) {
    for (uint32_t i = step; i-- > 0;) {
        const run_step *s = &p->steps.data[i];
        if (s->is_statement && s->thread == p->steps.data[step].thread)
            return s->kind == ROLE_COMMIT || s->kind == ROLE_ABORT;
    }
    return true;
}

static void place_load(placement *p, uint32_t step, placement_way way) {
    bool is_moved = way == PLACED_LOADS_EARLIER && !is_first_statement(p, step);
    uint64_t when = is_moved ? earlier(p, step) : way == PLACED_LOADS_LATER ? later(p, step) : instant_of(step);
    uint32_t v = p->steps.data[step].location;
    if (!written_before(p, step, v)) vec_push(&p->instants, (instant){when, INSTANT_LOAD, step, v, 0});
}

// At one instant the loads come first, then stores, then the step itself: so it is if all happens at once.
static int compare_instants(const void *a, const void *b) {
    const instant *x = a, *y = b;
    if (x->when != y->when) return x->when < y->when ? -1 : 1;
    uint32_t i = x->kind == INSTANT_STEP ? 2 : x->kind == INSTANT_STORE,
             k = y->kind == INSTANT_STEP ? 2 : y->kind == INSTANT_STORE;
    return i != k ? (i < k ? -1 : 1) : (x->step > y->step) - (x->step < y->step);
}

static void place_accesses(placement *p, placement_way way) {
    uint32_t nlocations = 0;
    for (uint32_t i = 0; i < p->steps.len; i++)
        if (p->steps.data[i].location >= nlocations) nlocations = p->steps.data[i].location + 1;
    vec_clear(&p->instants);
    for (uint32_t i = 0; i < p->steps.len; i++) {
        const run_step *s = &p->steps.data[i];
        if (!s->is_statement) continue;
        vec_push(&p->instants, (instant){.when = instant_of(i), .kind = INSTANT_STEP, .step = i});
        if (s->kind == ROLE_READ) place_load(p, i, way);
        if (s->kind == ROLE_COMMIT) place_stores(p, i, way, nlocations);
    }
    qsort(p->instants.data, p->instants.len, sizeof *p->instants.data, compare_instants);
    uint32_t *memory = mem_zero(nlocations + 1, sizeof *memory);
    for (uint32_t i = 0; i < p->instants.len; i++) {
        instant *x = &p->instants.data[i];
        if (x->kind == INSTANT_STORE) memory[x->location] = x->value;
        if (x->kind == INSTANT_LOAD) x->value = memory[x->location];
    }
    free(memory);
}

// ---- histories

// The first and the last instant of a step, its accesses included; what its load returned, or what was written before.
typedef struct {
    uint64_t first, last;
    uint32_t value;
} extent;

static extent extent_of(const placement *p, uint32_t step) {
    extent e = {instant_of(step), instant_of(step), 0};
    if (p->steps.data[step].kind == ROLE_READ) e.value = written_before(p, step, p->steps.data[step].location);
    for (uint32_t i = 0; i < p->instants.len; i++) {
        const instant *x = &p->instants.data[i];
        if (x->step != step) continue;
        if (x->when < e.first) e.first = x->when;
        if (x->when > e.last) e.last = x->when;
        if (x->kind == INSTANT_LOAD) e.value = x->value;
    }
    return e;
}

static void record_step(const placement *p, recording *r, uint32_t step) {
    const run_step *s = &p->steps.data[step];
    extent e = extent_of(p, step);
    uint32_t session = recording_session_number(r, s->thread);
    recording_tx t = recording_current(r, session);
    if (t == RECORDING_NONE) t = recording_open(r, session, e.first, step);
    uint32_t key = recording_key_number(r, s->location);
    switch (s->kind) {
    case ROLE_READ: recording_op(r, t, OP_READ, key, recording_value_number(r, e.value), e.first, e.last, step); break;
    case ROLE_WRITE:
        recording_op(r, t, OP_WRITE, key, recording_value_number(r, step + 1), e.first, e.last, step);
        break;
    case ROLE_COMMIT: recording_committed(r, t, e.first, e.last); break;
    case ROLE_ABORT: recording_aborted(r, t, e.last); break;
    case ROLE_OTHER: break;
    }
}

static bool shows_wrong_read(const placement *p, level l, const limits *stop) {
    diag *messages = diag_new();
    recorded h;
    level_answer a = {0};
    recorded_begin(&h);
    recording *r = recording_begin(&h, messages);
    recording_file(r, "run", "", 0, true);
    bool good = recording_times(r, TIMES_GIVEN);
    for (uint32_t i = 0; i < p->steps.len; i++)
        if (p->steps.data[i].is_statement) record_step(p, r, i);
    good = recording_end(r) && good;
    if (good) level_check(&h, l, stop, &a);
    bool is_wrong = good && a.verdict == ORDER_NO;
    if (good) level_answer_free(&a);
    recorded_free(&h);
    diag_free(messages);
    return is_wrong;
}

// ---- answers

static void add_instant(const placement *p, const instant *x, str *out) {
    static const char letters[] = {
        [ROLE_OTHER] = '?', [ROLE_READ] = 'r', [ROLE_WRITE] = 'w', [ROLE_COMMIT] = 'c', [ROLE_ABORT] = 'a'};
    const run_step *s = &p->steps.data[x->step];
    if (x->kind != INSTANT_STEP) {
        if (x->when == instant_of(x->step)) return;  // part of the step
        str_printf(out, " %s%u_%u", x->kind == INSTANT_LOAD ? "load" : "store", x->location + 1, s->thread + 1);
        return;
    }
    str_printf(out, " %c", letters[s->kind]);
    if (s->kind == ROLE_READ || s->kind == ROLE_WRITE) str_printf(out, "%u", s->location + 1);
    str_printf(out, "_%u", s->thread + 1);
    if (s->kind == ROLE_WRITE) str_printf(out, "=%u", x->step + 1);
    if (s->kind == ROLE_READ) str_printf(out, "=%u", extent_of(p, x->step).value);
}

static void keep_word(const placement *p, uint32_t nsteps, placement_found *found) {
    found->steps = nsteps;
    str_clear(&found->word);
    for (uint32_t i = 0; i < p->instants.len; i++) add_instant(p, &p->instants.data[i], &found->word);
}

static bool is_wrong_with(placement *p, uint32_t nsteps, placement_way way, level l, const limits *stop) {
    p->steps.len = nsteps;
    place_accesses(p, way);
    return shows_wrong_read(p, l, stop);
}

// Of a run that shows it, the shortest beginning that shows it too is kept, if it is shorter than the one so far.
static void judge_run(placement *p, placement_way way, level l, const limits *stop, placement_found *found) {
    uint32_t whole = p->steps.len, most = found->wrong && found->steps < whole ? found->steps : whole;
    if (!is_wrong_with(p, whole, way, l, stop)) return;
    if (!found->wrong++) keep_word(p, whole, found);
    for (uint32_t n = 2; n < most; n++) {
        p->steps.len = whole;
        if (!p->steps.data[n - 1].is_statement || !is_wrong_with(p, n, way, l, stop)) continue;
        keep_word(p, n, found);
        return;
    }
}

void placement_try(const instance *in, placement_way way, level l, uint32_t runs, uint64_t seed, const limits *stop,
                   placement_found *found) {
    placement p = {.in = in, .ev = eval_new(in), .random = {seed}, .threads = actor_sort(in->m, in->system)};
    eval_start_fault failed = {0};
    *found = (placement_found){0};
    p.start = mem_zero(in->ncells + 1, sizeof *p.start);
    eval_initial_within(in, stop, placement_take_start, &p, &failed);
    if (!p.has_start) found->trouble = "there is no initial state";
    for (; p.has_start && found->runs < runs && !found->is_stopped; found->runs++) {
        make_run(&p);
        judge_run(&p, way, l, stop, found);
        found->is_stopped = limits_met(stop) != LIMIT_NONE;
    }
    eval_free(p.ev);
    free(p.start);
    vec_free(&p.steps);
    vec_free(&p.instants);
}
