// SPDX-License-Identifier: Apache-2.0
// States of long random runs of an instance.
//
// What separates reachable states from others shows late in a run, and only where what never changes (an order, which
// nodes are in which quorum) is of many kinds. So runs begin at initial states drawn at random, and a step is drawn in
// two parts: a rule that can change the state, each as likely as any other, then how it fires. Of every run a few
// states are kept.
#include "infer/prover.h"

#include "base/rng.h"
#include "model/eval.h"

#include <string.h>

enum { RUNS_LENGTH = RUNS_STEPS / RUNS, RUNS_KEPT = 8 };

typedef struct {
    prover *x;
    const space *sp;
    space_run *run;
    uint32_t words;
    VEC(uint64_t) starts, kept;  // packed states
    map *known;                  // states kept
    uint64_t *state, *next;
    uint32_t *labels, *rule_of;  // rule_of: by label
    rng random;
    bool is_wrong;
} runs;

static bool runs_take_start(const value *state, void *context) {
    runs *s = context;
    space_pack(s->sp, state, s->state);
    for (uint32_t i = 0; i < s->words; i++) vec_push(&s->starts, s->state[i]);
    return false;
}

static void runs_keep(runs *s) {
    uint64_t failed = 0;
    s->is_wrong |= !space_check(s->run, s->state, &failed);
    if (!map_put(s->known, s->state, s->words * 8, 1)) return;
    for (uint32_t i = 0; i < s->words; i++) vec_push(&s->kept, s->state[i]);
}

// The steps that change the state, in front; how many.
static uint32_t runs_steps(runs *s) {
    uint32_t n = space_next(s->run, s->state, s->next, s->labels), good = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *to = s->next + (size_t)i * s->words;
        bool is_trouble = s->labels[i] & SPACE_TROUBLE;
        s->is_wrong |= is_trouble;
        if (is_trouble || memcmp(to, s->state, s->words * 8) == 0) continue;
        s->labels[good] = s->labels[i];
        memmove(s->next + (size_t)good++ * s->words, to, s->words * 8);
    }
    return good;
}

// Labels are in the order of rules: a rule, and one of its steps.
static uint32_t runs_choose(runs *s, uint32_t n) {
    uint32_t rules = 0, from = 0, to;
    for (uint32_t i = 0; i < n; i++) rules += !i || s->rule_of[s->labels[i]] != s->rule_of[s->labels[i - 1]];
    uint32_t left = rng_below(&s->random, rules);
    for (uint32_t i = 1; i < n && left; i++)
        if (s->rule_of[s->labels[i]] != s->rule_of[s->labels[i - 1]] && --left == 0) from = i;
    for (to = from + 1; to < n && s->rule_of[s->labels[to]] == s->rule_of[s->labels[from]];) to++;
    return from + rng_below(&s->random, to - from);
}

static void runs_one(runs *s) {
    uint32_t start = rng_below(&s->random, s->starts.len / s->words);
    memcpy(s->state, s->starts.data + (size_t)start * s->words, s->words * 8);
    for (uint32_t i = 0; i < RUNS_LENGTH; i++) {
        uint32_t n = runs_steps(s);
        if (!n) break;
        memcpy(s->state, s->next + (size_t)runs_choose(s, n) * s->words, s->words * 8);
        if (rng_below(&s->random, RUNS_LENGTH) < RUNS_KEPT) runs_keep(s);
    }
    runs_keep(s);
}

static sample *runs_sample_of(const runs *s, const instance *in) {
    uint32_t n = s->kept.len / s->words;
    sample *out = sample_new(in, n);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells);
    for (uint32_t i = 0; i < n; i++) {
        space_unpack(s->sp, s->kept.data + (size_t)i * s->words, cells);
        sample_add(out, cells);
    }
    free(cells);
    return out;
}

static void runs_start(runs *s) {
    uint32_t n = space_labels(s->sp);
    value args[model_most_params(s->x->m)];
    s->words = space_words(s->sp);
    s->run = space_run_new(s->sp);
    s->known = map_new();
    s->state = mem_zero(s->words + 1, 8);
    s->next = mem_zero((size_t)n * s->words + 1, 8);
    s->labels = mem_zero(n + 1, sizeof *s->labels);
    s->rule_of = mem_zero(n + 1, sizeof *s->rule_of);
    for (uint32_t i = 0; i < n; i++) s->rule_of[i] = space_label(s->sp, i, args).id;
}

static void runs_stop(runs *s) {
    vec_free(&s->starts);
    vec_free(&s->kept);
    map_free(s->known);
    free(s->state);
    free(s->next);
    free(s->labels);
    free(s->rule_of);
    space_run_free(s->run);
}

// Where the caller wants few states of an exploration, few runs too.
static uint32_t runs_most(const prover *x, uint32_t n) {
    return x->o->limit_states && x->o->limit_states < n ? (uint32_t)x->o->limit_states : n;
}

sample *runs_sample(prover *x, const sort_size *sizes, uint32_t nsizes, uint32_t starts) {
    prover_report(x, "sampling");
    instance *in = instance_try(x->m, x->walked, sizes, nsizes);
    if (!in) return NULL;
    vec_push(&x->out->instances, in);
    expr cond = prop_of(x->m, x->property)->cond;
    space_options options = {.checks = &cond, .nchecks = prop_of(x->m, x->property)->kind == PROP_INVARIANT};
    space *sp = space_new(in, &options);
    if (!sp) return NULL;
    runs s = {.x = x, .sp = sp, .random = {x->o->seed + x->nwalks++}};
    runs_start(&s);
    for (uint32_t i = 0; i < runs_most(x, starts) && !prover_out_of_time(x); i++)
        eval_initial_random(in, &x->o->limits, &s.random, runs_take_start, &s);
    for (uint32_t i = 0; i < runs_most(x, RUNS) && s.starts.len && !s.is_wrong && !prover_out_of_time(x); i++)
        runs_one(&s);
    sample *out = s.is_wrong ? NULL : runs_sample_of(&s, in);
    x->out->stats.sampled += s.kept.len / s.words;
    if (s.is_wrong) survey_violation(x, sizes, nsizes);
    runs_stop(&s);
    space_free(sp);
    return out;
}
