// SPDX-License-Identifier: Apache-2.0
// value_system: see value_system.h.
#include "oracle/unit.h"

#include "oracle/value_system.h"

#include "base/tuples.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[VALUE_KINDS] = {"begin", "read", "write", "commit", "abort"};

// ---- reading

void value_system_read(value_system *s, const char *path, int bug) {
    pv_unit unit;
    front_define given = {.name = "BUG", .value = bug};
    pv_options o = {.defines = &given, .ndefines = bug != 0};
    *s = (value_system){.messages = diag_new()};
    s->m = model_new(s->messages);
    assert_true(pv_read(s->m, path, &o, &unit));
    s->property = unit.props[0];
}

void value_system_start(value_system *s, value_sizes sizes) {
    const struct {
        const char *name;
        uint32_t size;
    } all[] = {
        {"Thread", sizes.threads}, {"Loc", sizes.locs}, {"Value", sizes.values}, {"Time", sizes.times}, {"Inc", 4}};
    VEC(sort_size) given = {0};
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++)
        if (model_find_type(s->m, all[i].name).id)
            vec_push(&given, (sort_size){model_find_type(s->m, all[i].name), all[i].size});
    s->in = instance_new(s->m, prop_of(s->m, s->property)->system, given.data, given.len);
    assert_non_null(s->in);
    s->ev = eval_new(s->in);
    vec_free(&given);
}

void value_system_stop(value_system *s) {
    if (s->ev) eval_free(s->ev);
    if (s->in) instance_free(s->in);
    s->ev = NULL;
    s->in = NULL;
}

void value_system_free(value_system *s) {
    value_system_stop(s);
    model_free(s->m);
    diag_free(s->messages);
}

// ---- letters

// The letter of a step; false: it is silent.
static bool letter_of(const value_system *s, rule r, const value *args, value_event *e) {
    const rule_info *info = rule_of(s->m, r);
    if (!info->is_visible) return false;
    for (uint32_t k = 0; k < VALUE_KINDS; k++)
        if (str_same(info->name, kind_names[k])) e->kind = (value_kind)k;
    bool has_value = e->kind == VALUE_READ || e->kind == VALUE_WRITE;
    e->thread = (uint32_t)args[0];
    e->loc = has_value ? (uint32_t)args[1] : 0;
    e->value = has_value ? (uint32_t)args[2] : 0;
    return true;
}

static bool same_letter(const value_event *a, const value_event *b) {
    return a->kind == b->kind && a->thread == b->thread && a->loc == b->loc && a->value == b->value;
}

// ---- random runs

typedef struct {
    VEC(value) states;  // initial ones, one after the other
    uint32_t ncells;
} start_list;

static bool keep_state(const value *state, void *context) {
    start_list *l = context;
    for (uint32_t i = 0; i < l->ncells; i++) vec_push(&l->states, state[i]);
    return true;
}

static void random_args(const value_system *s, rng *r, rule move, value *args) {
    const rule_info *info = rule_of(s->m, move);
    for (uint32_t i = 0; i < info->nparams; i++) {
        type t = var_of(s->m, info->params[i])->ty;
        uint32_t size = instance_type_size(s->in, t), x = rng_below(r, size);
        bool is_time = str_same(type_of(s->m, t)->name, "Time") || str_same(type_of(s->m, t)->name, "Inc");
        for (uint32_t k = 0; is_time && k < 3; k++) {  // the least of several
            uint32_t y = rng_below(r, size);
            if (y < x) x = y;
        }
        args[i] = instance_type_first(s->in, t) + (value)x;
    }
}

// Takes a random step of those that are possible; false: none was found. A rule is as likely to be taken whether many
// arguments suit it or few.
static bool random_step(value_system *s, rng *r, const value *from, value *to, rule *taken, value *args) {
    const sys_info *system = sys_of(s->m, s->in->system);
    for (uint32_t tries = 0; tries < 20 * system->rules.len; tries++) {
        prop refused;
        *taken = system->rules.data[rng_below(r, system->rules.len)];
        if (str_same(rule_of(s->m, *taken)->name, "abort") && rng_below(r, 12)) continue;
        for (uint32_t k = 0; k < 40; k++) {
            random_args(s, r, *taken, args);
            if (eval_step(s->ev, from, *taken, args, to, &refused) == EVAL_FIRES) return true;
        }
    }
    return false;
}

void value_system_walk(value_system *s, rng *r, uint32_t steps, value_word *w) {
    uint32_t n = s->in->ncells, begun = 0;
    start_list starts = {.ncells = n};
    assert_true(eval_initial(s->in, keep_state, &starts));
    value *now = mem_zero(n + 1, sizeof *now), *next = mem_zero(n + 1, sizeof *next), args[16];
    memcpy(now, starts.states.data + n * rng_below(r, starts.states.len / n), n * sizeof *now);
    *w = (value_word){0};
    for (uint32_t i = 0; i < steps && w->len < VALUE_LONGEST; i++) {
        rule taken;
        value_event e;
        if (!random_step(s, r, now, next, &taken, args)) break;
        if (letter_of(s, taken, args, &e)) {
            if (e.kind == VALUE_BEGIN && begun++ == VALUE_MOST_TXS) break;
            w->at[w->len++] = e;
        }
        value *last = now;
        now = next;
        next = last;
    }
    free(now);
    free(next);
    vec_free(&starts.states);
}

// ---- words

typedef struct {
    value_system *s;
    tuples *states;
    uint64_t *packed;
    value *before, *after;
} word_reader;

static bool read_put(const value *state, void *context) {
    word_reader *w = context;
    for (uint32_t i = 0; i < w->s->in->ncells; i++) w->packed[i] = (uint32_t)state[i];
    tuples_put(w->states, w->packed);
    return true;
}

// All states after steps with this letter (NULL: silent ones) from those of `from`.
static void read_steps(word_reader *w, const tuples *from, const value_event *letter) {
    const sys_info *system = sys_of(w->s->m, w->s->in->system);
    for (uint32_t i = 0; i < tuples_count(from); i++) {
        for (uint32_t c = 0; c < w->s->in->ncells; c++) w->before[c] = (value)(uint32_t)tuples_get(from, i)[c];
        for (uint32_t k = 0; k < system->rules.len; k++) {
            value args[16];
            for (bool first = true; eval_next_binding(w->s->in, system->rules.data[k], args, &first);) {
                value_event e;
                prop refused;
                bool is_visible = letter_of(w->s, system->rules.data[k], args, &e);
                if (is_visible ? !letter || !same_letter(letter, &e) : letter != NULL) continue;
                if (eval_step(w->s->ev, w->before, system->rules.data[k], args, w->after, &refused) == EVAL_FIRES)
                    read_put(w->after, w);
            }
        }
    }
}

uint32_t value_system_follows(value_system *s, const value_word *word) {
    uint32_t n = s->in->ncells, i = 0;
    word_reader w = {.s = s, .states = tuples_new(n), .packed = mem_zero(n, sizeof *w.packed)};
    w.before = mem_zero(n, sizeof *w.before);
    w.after = mem_zero(n, sizeof *w.after);
    assert_true(eval_initial(s->in, read_put, &w));
    for (; i < word->len; i++) {
        tuples *from = w.states;
        read_steps(&w, from, NULL);  // which grows meanwhile
        w.states = tuples_new(n);
        read_steps(&w, from, &word->at[i]);
        tuples_free(from);
        if (!tuples_count(w.states)) break;
    }
    tuples_free(w.states);
    free(w.packed);
    free(w.before);
    free(w.after);
    return i;
}

// ---- histories

void value_word_record(const value_word *w, diag *messages, recorded *h) {
    recorded_begin(h);
    recording *r = recording_begin(h, messages);
    recording_tx open[VALUE_MOST_THREADS] = {0};
    recording_file(r, "word", "", 0, true);
    assert_true(recording_times(r, TIMES_INSTANTS));
    for (uint32_t i = 0; i < w->len; i++) {
        const value_event *e = &w->at[i];
        uint64_t now = recording_tick(r);
        recording_tx *t = &open[e->thread];
        uint32_t session = recording_session_number(r, e->thread), key = recording_key_number(r, e->loc);
        uint32_t what = recording_value_number(r, e->value);
        switch (e->kind) {
        case VALUE_BEGIN: *t = recording_open(r, session, now, i); break;
        case VALUE_READ: recording_op(r, *t, OP_READ, key, what, now, now, i); break;
        case VALUE_WRITE: recording_op(r, *t, OP_WRITE, key, what, now, now, i); break;
        case VALUE_COMMIT: recording_committed(r, *t, now, now); break;
        case VALUE_ABORT: recording_aborted(r, *t, now); break;
        case VALUE_KINDS: break;
        }
    }
    assert_true(recording_end(r));
}
