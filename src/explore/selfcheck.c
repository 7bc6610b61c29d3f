// SPDX-License-Identifier: Apache-2.0
// When a search tries what it relies on, and what happens when that fails: see selfcheck.h; selfcheck_try.c does
// the testing itself.
//
// The evaluator's steps are the cost, and the search earns them by its own work: before each block
// the steps to spend are a small initial amount plus a share of every transition so far, less
// what was spent. A block's states are tried at equal distances, as many as the average cost so far allows;
// where one alone costs too much, some labels of one state are tried. A small search earns little, and is where
// people try models out: when it is over, all its states are tried, or as many as a fixed number of steps allows.
// All of this depends on counts, not on a clock, so the same states are tried on any machine and any number of threads.
#include "explore/search.h"

#include "explore/order.h"
#include "model/instance.h"
#include "result/cell.h"
#include "space/space.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Steps of the evaluator: for every search, and for a hundred transitions. As measured, a step is some 80 instructions
// and a transition 100 to 150, with symmetry 250 or more, so this is 2 to 3 %.
enum {
    FIRST_STEPS = 6000,
    LOOP_STEPS = 200000,  // once a search is not small, where symmetry rests on the order of rounds
    STEPS_A_HUNDRED = 4,
    REDUCED_A_HUNDRED = 10,
    LEAST_STEPS = 2000,  // less is not worth beginning with a state
    GUESS_A_LABEL = 6,   // of a state that is tried, before there is experience
    ALL_STEPS = 100000000,
    WHOLE_STATES = 10000,       // a search with at most this many is small: when it is over, all are tried,
    WHOLE_STEPS = 200000,       // as far as this goes: about 5 milliseconds,
    WHOLE_LOOP_STEPS = 100000,  // and where symmetry rests on the order of rounds, so much further
};

static bool may_try_whole(const search *s, uint64_t states) {
    return !s->is_compact && !s->is_shared && s->x->states && states <= WHOLE_STATES;
}

// ---- which states

static bool has_suspects(search *s) {
    selfcheck_plan *p = &s->tried;
    if (!p->is_suspect) p->has_suspects = selfcheck_find_suspects(s);
    return p->has_suspects;
}

// Few states were expanded so far: alone, or where ranks divide large searches only, all are tried if it stays so.
static bool may_stay_small(const search *s) {
    uint64_t states = s->states_expanded + s->block_size, least = s->options->share_least;
    bool is_forced = s->is_shared && least && least < WHOLE_STATES;
    return !s->is_compact && !is_forced && states <= WHOLE_STATES;
}

static uint64_t first_steps(search *s) { return has_suspects(s) && !may_stay_small(s) ? LOOP_STEPS : FIRST_STEPS; }

static uint64_t earned_steps(search *s) {
    uint64_t degree = s->states_expanded ? s->transitions / s->states_expanded + 1 : 1;
    uint64_t transitions = s->transitions + s->states_expanded + s->block_size * degree;
    return first_steps(s) + transitions / 100 * (s->is_reduced ? REDUCED_A_HUNDRED : STEPS_A_HUNDRED);
}

static uint64_t average_steps(const search *s) {
    const selfcheck_plan *p = &s->tried;
    if (p->done.states) return p->done.steps / p->done.states + 1;
    return (uint64_t)(s->nlabels + 1) * GUESS_A_LABEL + 4 * s->in->ncells;
}

static uint64_t selfcheck_scatter(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ (x >> 31);
}

static void plan_samples(search *s) {
    selfcheck_plan *p = &s->tried;
    uint64_t earned = earned_steps(s), left = earned > p->done.steps ? earned - p->done.steps : 0;
    uint64_t n = left / average_steps(s);
    p->every = 0;
    if (left < LEAST_STEPS) return;
    if (n == 0) n = 1;
    if (n > s->block_size) n = s->block_size;
    p->every = s->block_size / n;
    p->first = s->block_begin + selfcheck_scatter(s->states_expanded + 1) % p->every;
    p->cap = left / n;
}

void selfcheck_plan_block(search *s) {
    selfcheck_plan *p = &s->tried;
    switch (s->options->self_check) {
    case SELF_CHECK_OFF: p->every = 0; return;
    case SELF_CHECK_SAMPLE: plan_samples(s); return;
    case SELF_CHECK_ALL:
        p->every = 1;
        p->is_all = true;
        p->first = s->block_begin;
        p->cap = ALL_STEPS;
        return;
    }
}

uint64_t selfcheck_place(const search *s, uint64_t position) {
    const selfcheck_plan *p = &s->tried;
    if (!p->every) return UINT64_MAX;
    if (position <= p->first) return p->first;
    return p->first + (position - p->first + p->every - 1) / p->every * p->every;
}

// ---- failures

enum { MOST_SHOWN = 40 };

// "a[node_1] = eb, w = ea": cells that do not have their initial value.
static void add_state(const instance *in, const value *cells, str *out) {
    uint32_t n = 0;
    for (uint32_t c = 0; c < in->ncells; c++) {
        if (cell_is_local(in, c) || cell_is_initial(in, c, cells[c])) continue;
        if (n++ == MOST_SHOWN) {
            str_add(out, ", …");
            return;
        }
        if (n > 1) str_add(out, ", ");
        cell_shown_name(in, c, out);
        str_add(out, " = ");
        cell_value(in, c, cells[c], out);
    }
    if (!n) str_add(out, "in which every cell has its declared initial value");
}

void selfcheck_note(worker *w, uint64_t place, tried_kind kind, span at, const value *cells, const char *format, ...) {
    selfcheck_failure *f = &w->broken;
    if (f->is_found && f->order <= place) return;
    str text = {0};
    va_list args;
    char *what = NULL;
    va_start(args, format);
    if (vasprintf(&what, format, args) >= 0) str_add(&text, what);
    va_end(args);
    free(what);
    if (cells) str_add(&text, " in the state ");
    if (cells) add_state(w->s->in, cells, &text);
    str_free(&f->text);
    *f = (selfcheck_failure){true, place, kind, at, text};
}

void selfcheck_note_trace(search *s, const char *why) {
    selfcheck_note(s->workers[0], 0, TRIED_TRACE, (span){0}, NULL, "%s", why);
    selfcheck_end_block(s);
}

// The first failure over all workers counts.
static void collect_failure(search *s, worker *w) {
    selfcheck_failure *f = &s->tried.failed;
    if (!w->broken.is_found || (f->is_found && f->order <= w->broken.order)) return;
    str_free(&f->text);
    *f = w->broken;
    w->broken = (selfcheck_failure){0};
}

void selfcheck_end_block(search *s) {
    bool was_failed = s->tried.failed.is_found;
    for (uint32_t i = 0; i < s->nworkers; i++) {
        worker *w = s->workers[i];
        if (w->check && !search_is_over(s)) selfcheck_keep_promises(s, w);
        if (w->check) selfcheck_count(s, w->check);
        if (!was_failed) collect_failure(s, w);
    }
    if (s->tried.failed.is_found) atomic_store(&s->end, END_LIMIT);
}

// ---- small searches

// How far the next state is from the one that was tried, so that the steps reach to the last.
static uint64_t selfcheck_distance(const selfcheck_plan *p, uint64_t rest) {
    uint64_t left = p->done.steps < p->whole ? p->whole - p->done.steps : 0,
             n = left / (p->done.steps / p->done.states + 1);
    return !n ? rest : rest > 2 ? (rest - 2) / n + 1 : 1;
}

// In order of numbers, by one thread.
static void try_numbers(search *s, uint64_t count) {
    worker *w = s->workers[0];
    selfcheck_plan *p = &s->tried;
    for (uint64_t i = 0; i < count && !w->broken.is_found; i += selfcheck_distance(p, count - i)) {
        store_id id = order_id(&s->x->numbers, i);
        store_get(s->x->states, id, w->state);
        uint32_t n = space_next(w->run, w->state, w->next, w->labels);
        p->cap = p->done.steps < p->whole ? p->whole - p->done.steps : 0;
        selfcheck_state(s, w, id, i, n);
        selfcheck_count(s, w->check);
    }
}

void selfcheck_whole(search *s) {
    selfcheck_plan *p = &s->tried;
    selfcheck_counts sampled = p->done;
    bool is_vain = s->options->all_must_hold && (s->x->end != END_COMPLETE || finding_count(s));
    if (s->options->self_check != SELF_CHECK_SAMPLE || is_vain || p->failed.is_found) return;
    if (!may_try_whole(s, order_total(&s->x->numbers))) return;
    p->is_all = p->is_over = true;
    p->whole = WHOLE_STEPS + (has_suspects(s) ? WHOLE_LOOP_STEPS : 0);
    p->done = (selfcheck_counts){0};
    try_numbers(s, order_total(&s->x->numbers));
    for (uint32_t i = 0; i < TRIED_KINDS; i++)  // states, not how often
        if (p->done.tried[i] < sampled.tried[i]) p->done.tried[i] = sampled.tried[i];
    collect_failure(s, s->workers[0]);
    if (p->failed.is_found) s->x->end = END_LIMIT;
}
