// SPDX-License-Identifier: Apache-2.0
// Following a word: all states in which the specification can be after each letter, by the reference evaluator. A
// letter's steps (rules and arguments) are found once, then tried in every state; silent steps are added until there
// are no new states.
//
// Invariant: `now` has exactly the states that runs with the letters so far end in, silent steps after them included
// once follow_close() is done.
#include "language/follow.h"

#include "base/tuples.h"
#include "language/letter.h"
#include "model/actor.h"

enum { MOST_STATES = 100000 };  // at one place of the word; more are left to a comparison

typedef struct {
    rule r;
    const value *args;
} follow_step;

typedef struct {
    const instance *in;
    eval *ev;
    letter_table *letters;
    tuples *now, *next;
    value *before, *after;
    uint64_t *packed;
    arena *memory;
    VEC(follow_step) steps;  // of the letter
    const limits *limits;
    uint32_t looked;
    bool is_lost;
} follower;

// ---- states

static void follow_put(follower *f, tuples *set, const value *state) {
    for (uint32_t i = 0; i < f->in->ncells; i++) f->packed[i] = (uint32_t)state[i];
    tuples_put(set, f->packed);
    f->is_lost |= tuples_count(set) > MOST_STATES;
}

static void follow_get(follower *f, uint32_t number) {
    const uint64_t *packed = tuples_get(f->now, number);
    for (uint32_t i = 0; i < f->in->ncells; i++) f->before[i] = (value)(uint32_t)packed[i];
}

static bool follow_keep_start(const value *state, void *context) {
    follower *f = context;
    follow_put(f, f->now, state);
    return !f->is_lost;
}

// ---- steps

static void follow_try(follower *f, follow_step s, tuples *into) {
    prop refused;
    switch (eval_step(f->ev, f->before, s.r, s.args, f->after, &refused)) {
    case EVAL_NONE: return;
    case EVAL_FIRES: follow_put(f, into, f->after); return;
    case EVAL_REFUSED:
    case EVAL_FAULTY: f->is_lost = true; return;
    }
}

// The steps of a letter; of LETTER_NONE those that are silent.
static void follow_find_steps(follower *f, uint32_t letter) {
    const sys_info *s = sys_of(f->in->m, f->in->system);
    type threads = actor_sort(f->in->m, f->in->system);
    vec_clear(&f->steps);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        rule r = s->rules.data[i];
        uint32_t n = rule_of(f->in->m, r)->nparams;
        value args[n + 1];
        if (rule_of(f->in->m, r)->is_visible != (letter != LETTER_NONE)) continue;
        for (bool first = true; eval_next_binding(f->in, r, args, &first);)
            if (letter == LETTER_NONE || letter_intern_step(f->letters, f->in, threads, r, args) == letter)
                vec_push(&f->steps, (follow_step){r, arena_copy(f->memory, args, n * sizeof *args)});
    }
}

static void follow_steps(follower *f, tuples *into) {
    for (uint32_t i = 0; i < tuples_count(f->now) && !f->is_lost; i++) {
        follow_get(f, i);
        for (uint32_t k = 0; k < f->steps.len; k++) follow_try(f, f->steps.data[k], into);
        f->is_lost |= limits_met_lately(f->limits, &f->looked) != LIMIT_NONE;
    }
}

static void follow_close(follower *f) {
    follow_find_steps(f, LETTER_NONE);
    follow_steps(f, f->now);  // which grows meanwhile
}

static void follow_letter(follower *f, uint32_t letter) {
    follow_find_steps(f, letter);
    tuples_clear(f->next);
    follow_steps(f, f->next);
    tuples *last = f->now;
    f->now = f->next;
    f->next = last;
}

// ---- the word

static void follow_start(follower *f) {
    eval_start_fault failed = {0};
    if (!eval_initial_within(f->in, f->limits, follow_keep_start, f, &failed) || failed.what.kind) f->is_lost = true;
}

static void follow_run(follower *f, const trace *run) {
    type threads = actor_sort(run->in->m, run->in->system);
    follow_start(f);
    for (uint32_t i = 0; i < run->steps.len && !f->is_lost && tuples_count(f->now); i++) {
        const trace_step *s = &run->steps.data[i];
        if (!rule_of(run->in->m, s->r)->is_visible) continue;
        follow_close(f);
        follow_letter(f, letter_intern_step(f->letters, run->in, threads, s->r, s->args));
    }
}

follow_answer follow_word(const instance *spec, const trace *run, const limits *l) {
    uint32_t n = spec->ncells;
    follower f = {.in = spec, .ev = eval_new(spec), .letters = letter_table_new(), .memory = arena_new(), .limits = l};
    f.now = tuples_new(n ? n : 1);
    f.next = tuples_new(n ? n : 1);
    f.before = mem_zero(n + 1, sizeof *f.before);
    f.after = mem_zero(n + 1, sizeof *f.after);
    f.packed = mem_zero(n + 1, sizeof *f.packed);
    follow_run(&f, run);
    follow_answer a = f.is_lost ? FOLLOW_UNKNOWN : tuples_count(f.now) ? FOLLOW_ALLOWED : FOLLOW_REFUSED;
    tuples_free(f.now);
    tuples_free(f.next);
    free(f.before);
    free(f.after);
    free(f.packed);
    letter_table_free(f.letters);
    vec_free(&f.steps);
    arena_free(f.memory);
    eval_free(f.ev);
    return a;
}
