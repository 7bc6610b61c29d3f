// SPDX-License-Identifier: Apache-2.0
// Samples: the states of small instances, all of them where there are not too many, and random runs of larger
// ones.
//
// A clause that is false in any of them is no invariant, so more samples mean fewer vain candidates; but
// nothing is ever proved from samples.
#include "infer/prover.h"

#include "base/clock.h"
#include "base/rng.h"
#include "model/eval.h"

enum { MOST_STATES = 400000, RUN_LENGTH = 60, MOST_STARTS = 256 };

static sample *sample_explored(const instance *in, const explored *kept) {
    const space *sp = explored_space(kept);
    uint32_t n = (uint32_t)explored_count(kept);
    sample *s = sample_new(in, n);
    uint64_t *state = mem_zero(space_words(sp) + 1, sizeof *state);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells);
    for (uint32_t i = 0; i < n; i++) {
        explored_state(kept, i, state);
        space_unpack(sp, state, cells);
        sample_add(s, cells);
    }
    free(state);
    free(cells);
    return s;
}

static explore_options search_options(const prover *x) {
    explore_options e = {.threads = 1, .symmetry = true, .engine = ENGINE_BYTECODE};
    e.limit_states = x->o->limit_states ? x->o->limit_states : MOST_STATES;
    e.interrupted = x->o->interrupted;
    if (x->o->limit_seconds > 0) {
        e.limit_seconds = x->o->limit_seconds - (clock_seconds() - x->started);
        if (e.limit_seconds < 0.001) e.limit_seconds = 0.001;
    }
    return e;
}

// Keeps the entries of the run in the proof's result, replacing those of a smaller instance.
static void keep_result(prover *x, result *r, const instance *in) {
    str scope = {0};
    instance_sizes_text(in, &scope);
    r->scope = result_text(r, "%s", str_get(&scope));
    str_free(&scope);
    result_free(x->out->small);
    x->out->small = r;
}

static void note_first(prover *x, const result *r, uint64_t states) {
    x->out->stats.states = states;
    x->out->stats.explore_seconds = r->stats.seconds;
}

bool survey_explore(prover *x, const sort_size *sizes, uint32_t nsizes, bool is_first) {
    prover_report(x, "exploring");
    instance *in = instance_new(x->m, x->system, sizes, nsizes);
    if (!in) return false;
    vec_push(&x->out->instances, in);
    explore_options options = search_options(x);
    result *r = result_new();
    explored *kept = NULL;
    explore_end end = explore_run(in, &x->property, 1, &options, r, &kept);
    if (kept && explored_count(kept)) {
        vec_push(&x->samples, sample_explored(in, kept));
        if (is_first) note_first(x, r, explored_count(kept));
        else x->out->stats.sampled += explored_count(kept);
    }
    explored_free(kept);
    bool violated = r->verdict == VERDICT_VIOLATED;
    if (is_first || violated) keep_result(x, r, in);
    else result_free(r);
    if (violated) x->out->verdict = VERDICT_VIOLATED;
    return !violated && end != END_INTERRUPT && end != END_TIME;
}

// ---- random runs

typedef struct {
    const instance *in;
    VEC(value *) starts;
} start_list;

static bool collect_start(const value *state, void *context) {
    start_list *l = context;
    value *copy = mem_alloc((l->in->ncells + 1) * sizeof *copy);
    for (uint32_t i = 0; i < l->in->ncells; i++) copy[i] = state[i];
    vec_push(&l->starts, copy);
    return l->starts.len < MOST_STARTS;
}

typedef struct {
    const space *sp;
    space_run *run;
    uint64_t *state, *next;
    uint32_t *labels;
    value *cells;
    rng random;
} walk;

// One step to a random successor; false when there is none.
static bool walk_step(walk *w) {
    uint32_t n = space_next(w->run, w->state, w->next, w->labels), good = 0, words = space_words(w->sp);
    for (uint32_t i = 0; i < n; i++)
        if (!(w->labels[i] & SPACE_TROUBLE)) w->labels[good++] = i;
    if (!good) return false;
    uint32_t chosen = w->labels[rng_below(&w->random, good)];
    for (uint32_t i = 0; i < words; i++) w->state[i] = w->next[(size_t)chosen * words + i];
    return true;
}

static void walk_runs(walk *w, const start_list *l, sample *s, uint64_t states) {
    while (s->nstates < states) {
        space_pack(w->sp, l->starts.data[rng_below(&w->random, l->starts.len)], w->state);
        uint32_t length = 1 + rng_below(&w->random, RUN_LENGTH);
        for (uint32_t i = 0; i < length && s->nstates < states && walk_step(w); i++) {
            space_unpack(w->sp, w->state, w->cells);
            sample_add(s, w->cells);
        }
        space_unpack(w->sp, w->state, w->cells);
        if (s->nstates < states) sample_add(s, w->cells);
    }
}

static void walk_space(prover *x, const space *sp, const start_list *l, uint64_t states) {
    uint32_t words = space_words(sp), labels = space_labels(sp);
    walk w = {.sp = sp, .run = space_run_new(sp), .random = {x->level}};
    w.state = mem_zero(words + 1, 8);
    w.next = mem_zero((size_t)labels * words + 1, 8);
    w.labels = mem_zero(labels + 1, sizeof *w.labels);
    w.cells = mem_zero(l->in->ncells + 1, sizeof *w.cells);
    sample *s = sample_new(l->in, (uint32_t)states);
    walk_runs(&w, l, s, states);
    vec_push(&x->samples, s);
    x->out->stats.sampled += states;
    free(w.state);
    free(w.next);
    free(w.labels);
    free(w.cells);
    space_run_free(w.run);
}

void survey_walk(prover *x, const sort_size *sizes, uint32_t nsizes, uint64_t states) {
    prover_report(x, "sampling");
    instance *in = instance_new(x->m, x->system, sizes, nsizes);
    if (!in) return;
    vec_push(&x->out->instances, in);
    start_list l = {.in = in};
    space_options options = {0};
    space *sp = space_new(in, &options);
    eval_initial(in, collect_start, &l);
    if (sp && l.starts.len) walk_space(x, sp, &l, states);
    space_free(sp);
    for (uint32_t i = 0; i < l.starts.len; i++) free(l.starts.data[i]);
    vec_free(&l.starts);
}
