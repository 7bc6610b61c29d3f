// SPDX-License-Identifier: Apache-2.0
// The sets of models/sets are judged by what they answer alone: every history of an instance, calls and
// returns, runs along with a monitor of linearizability that knows nothing of SeqSet, SeqResult and aux.
// The four sets are linearizable, the buggy one is not, and every mutant that is not linearizable violates
// a property of its model (so the properties do not overlook mistakes). The monitor itself is compared with
// the definition.
#include "oracle/unit.h"

#include "base/map.h"
#include "base/rng.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "oracle/linear.h"
#include "oracle/murphi_mutate.h"

#include <stdio.h>
#include <string.h>

// ---- the monitor and the definition

static uint32_t random_history(rng *r, uint32_t threads, set_event *out) {
    bool is_open[LINEAR_MOST_THREADS] = {false};
    uint32_t n = 4 + rng_below(r, LINEAR_MOST_EVENTS - 4);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = rng_below(r, threads);
        set_event call = {t, (set_method)(SET_ADD + rng_below(r, 3)), rng_below(r, 2), SET_NONE};
        set_event back = {t, SET_IDLE, 0, rng_below(r, 2) ? SET_YES : SET_NO};
        out[i] = is_open[t] ? back : call;
        is_open[t] = !is_open[t];
    }
    return n;
}

static bool linear_by_monitor(const set_event *history, uint32_t n) {
    linear_monitor m;
    linear_start(&m);
    for (uint32_t i = 0; i < n; i++)
        if (!linear_follow(&m, history[i])) return false;
    return true;
}

static void monitor_is_the_definition(void **state) {
    (void)state;
    rng r = {7};
    uint32_t linear = 0, all = 20000;
    for (uint32_t i = 0; i < all; i++) {
        set_event history[LINEAR_MOST_EVENTS];
        uint32_t n = random_history(&r, 2 + i % 2, history);
        bool is_linear = linear_by_definition(history, n);
        assert_int_equal(is_linear, linear_by_monitor(history, n));
        linear += is_linear;
    }
    assert_true(linear > all / 20 && linear < all - all / 20);
}

static void known_histories(void **state) {
    (void)state;
    const set_event both_remove[] = {{0, SET_ADD, 0, 0},    {0, SET_IDLE, 0, SET_YES}, {0, SET_REMOVE, 0, 0},
                                     {1, SET_REMOVE, 0, 0}, {0, SET_IDLE, 0, SET_YES}, {1, SET_IDLE, 0, SET_YES}};
    const set_event overlap[] = {{0, SET_ADD, 0, 0}, {1, SET_CONTAINS, 0, 0}, {1, SET_IDLE, 0, SET_YES}};
    const set_event too_late[] = {
        {0, SET_ADD, 0, 0}, {0, SET_IDLE, 0, SET_YES}, {1, SET_CONTAINS, 0, 0}, {1, SET_IDLE, 0, SET_NO}};
    assert_false(linear_by_definition(both_remove, 6) || linear_by_monitor(both_remove, 6));
    assert_true(linear_by_definition(overlap, 3) && linear_by_monitor(overlap, 3));
    assert_false(linear_by_definition(too_late, 4) || linear_by_monitor(too_late, 4));
}

// ---- a model

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    func pc, result;
    uint32_t threads;
    VEC(prop) props;
} subject;

static bool subject_new(subject *x, const char *text, int32_t threads, int32_t items) {
    front_define defines[] = {{"THREADS", threads}, {"ITEMS", items}};
    murphi_options o = {.defines = defines, .ndefines = 2, .copies_undefined = true};
    *x = (subject){.messages = diag_new(), .threads = (uint32_t)threads};
    x->m = model_new(x->messages);
    if (!murphi_read_text(x->m, "set.m", text, strlen(text), &o, &x->system)) return false;
    x->in = instance_new(x->m, x->system, NULL, 0);
    x->pc = model_find_func(x->m, x->system, "pc");
    x->result = model_find_func(x->m, x->system, "result");
    for (uint32_t i = 1; i < x->m->props.len; i++) vec_push(&x->props, (prop){i});
    return x->in && x->pc.id && x->result.id;
}

static void subject_free(subject *x) {
    vec_free(&x->props);
    if (x->in) instance_free(x->in);
    model_free(x->m);
    diag_free(x->messages);
}

static char *read_set(const char *name) {
    str path = {0};
    size_t size;
    str_printf(&path, "models/sets/%s.m", name);
    char *text = str_read_file(str_get(&path), &size);
    assert_non_null(text);
    str_free(&path);
    return text;
}

// ---- all histories

enum { PC_START = 0 };  // first in `line` of every model

typedef enum { HISTORIES_LINEAR, HISTORIES_NOT_LINEAR, HISTORIES_TOO_MANY } histories;

typedef struct {
    const subject *x;
    space *s;
    space_run *run;
    uint32_t words;
    size_t key_size;
    map *seen;  // state and monitor
    uint64_t *key;
    value *before, *after;
} walk;

static value cell(const walk *w, const value *state, func f, uint32_t thread) {
    value t = (value)thread;
    return state[instance_cell(w->x->in, f, &t)];
}

// What thread t called, from the parameters of the rule: m, if not `contains`, and k.
static set_event call_event(const walk *w, uint32_t label, uint32_t t) {
    value args[64];
    const rule_info *r = rule_of(w->x->m, space_label(w->s, label, args));
    set_event e = {t, SET_CONTAINS, 0, SET_NONE};
    for (uint32_t i = 0; i < r->nparams; i++) {
        const char *name = var_of(w->x->m, r->params[i])->name;
        if (str_same(name, "m")) e.method = (set_method)args[i];
        if (str_same(name, "k")) e.item = (uint32_t)args[i] - 1;
    }
    return e;
}

// The step as the monitor sees it; false: no order explains it.
static bool follow(const walk *w, uint32_t label, linear_monitor *m) {
    for (uint32_t t = 0; t < w->x->threads; t++) {
        bool was_idle = cell(w, w->before, w->x->pc, t) == PC_START;
        bool is_idle = cell(w, w->after, w->x->pc, t) == PC_START;
        if (was_idle && !is_idle && !linear_follow(m, call_event(w, label, t))) return false;
        set_event back = {t, SET_IDLE, 0, (set_answer)cell(w, w->before, w->x->result, t)};
        if (!was_idle && is_idle && !linear_follow(m, back)) return false;
    }
    return true;
}

static void note(walk *w, const uint64_t *state, const linear_monitor *m) {
    memcpy(w->key, state, w->words * sizeof *state);
    memcpy(w->key + w->words, m, sizeof *m);
    map_put(w->seen, w->key, w->key_size, 0);
}

static bool note_initial(const value *state, void *context) {
    walk *w = context;
    linear_monitor m;
    uint64_t packed[64];
    linear_start(&m);
    space_pack(w->s, state, packed);
    note(w, packed, &m);
    return true;
}

static bool expand(walk *w, uint32_t number, uint64_t *next, uint32_t *labels) {
    size_t size;
    uint64_t state[64];
    linear_monitor now;
    const uint64_t *key = map_key(w->seen, number, &size);
    memcpy(state, key, w->words * sizeof *state);
    memcpy(&now, key + w->words, sizeof now);
    space_unpack(w->s, state, w->before);
    uint32_t n = space_next(w->run, state, next, labels);
    for (uint32_t i = 0; i < n; i++) {
        linear_monitor m = now;
        if (labels[i] & SPACE_TROUBLE) continue;
        space_unpack(w->s, next + (size_t)i * w->words, w->after);
        if (!follow(w, labels[i], &m)) return false;
        note(w, next + (size_t)i * w->words, &m);
    }
    return true;
}

static histories walk_all(walk *w, uint32_t most) {
    histories h = HISTORIES_LINEAR;
    uint64_t *next = mem_zero((size_t)space_labels(w->s) * w->words + 1, sizeof *next);
    uint32_t *labels = mem_zero(space_labels(w->s) + 1, sizeof *labels);
    eval_initial(w->x->in, note_initial, w);
    for (uint32_t i = 0; h == HISTORIES_LINEAR && i < map_count(w->seen); i++) {
        if (i >= most) h = HISTORIES_TOO_MANY;
        else if (!expand(w, i, next, labels)) h = HISTORIES_NOT_LINEAR;
    }
    free(next);
    free(labels);
    return h;
}

static histories judge(const subject *x, uint32_t most) {
    walk w = {.x = x};
    space_options o = {.symmetry = SYMMETRY_OFF};
    w.s = space_new(x->in, &o);
    assert_non_null(w.s);
    w.run = space_run_new(w.s);
    w.words = space_words(w.s);
    assert_true(w.words <= 64);
    w.key_size = w.words * sizeof(uint64_t) + sizeof(linear_monitor);
    w.key = mem_zero(w.words + sizeof(linear_monitor) / sizeof(uint64_t) + 1, sizeof *w.key);
    w.seen = map_new();
    w.before = mem_zero(x->in->ncells + 1, sizeof *w.before);
    w.after = mem_zero(x->in->ncells + 1, sizeof *w.after);
    histories h = walk_all(&w, most);
    map_free(w.seen);
    free(w.key);
    free(w.before);
    free(w.after);
    space_run_free(w.run);
    space_free(w.s);
    return h;
}

static histories judge_set(const char *name, int32_t threads, int32_t items, uint32_t most) {
    char *text = read_set(name);
    subject x;
    assert_true(subject_new(&x, text, threads, items));
    histories h = judge(&x, most);
    subject_free(&x);
    free(text);
    return h;
}

static void sets_are_linearizable(void **state) {
    (void)state;
    bool is_long = getenv("PARVIS_LONG") != NULL;
    static const char *const names[] = {"fine_grained", "optimistic", "lazy", "lock_free"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(judge_set(names[i], 2, 1, 1000000), HISTORIES_LINEAR);
        if (is_long) assert_int_equal(judge_set(names[i], 2, 2, 20000000), HISTORIES_LINEAR);
    }
    assert_int_equal(judge_set("fine_grained", 2, 2, 1000000), HISTORIES_LINEAR);
    assert_int_equal(judge_set("fine_grained", 3, 2, 1000000), HISTORIES_LINEAR);
}

static void buggy_set_is_not(void **state) {
    (void)state;
    assert_int_equal(judge_set("lock_free_buggy", 2, 1, 1000000), HISTORIES_NOT_LINEAR);
}

// ---- mutants

static verdict explore_verdict(const subject *x) {
    explore_options o = {.threads = 1, .symmetry = SYMMETRY_EXACT, .engine = ENGINE_BYTECODE, .most_errors = 1};
    o.limit_states = 500000;
    result *r = result_new();
    explore_run(x->in, x->props.data, x->props.len, &o, r, NULL);
    verdict v = r->verdict;
    result_free(r);
    return v;
}

typedef struct {
    uint32_t mutants, wrong, violated;
} tally;

// Where a thread is and what it was called for are not the algorithm's: a thread that runs the code of
// another method, or with another key, does so with the sequential set, too.
static bool is_about_control(const char *what) {
    static const char *const control[] = {"true instead of pc[t]", "true instead of call[t]",
                                          "nothing instead of call[t] := m", "nothing instead of key[t] := k"};
    for (uint32_t i = 0; i < sizeof control / sizeof *control; i++)
        if (strstr(what, control[i])) return true;
    return false;
}

static void try_mutant(const char *text, int32_t items, const char *what, tally *t) {
    subject x;
    t->mutants++;
    if (!subject_new(&x, text, 2, items)) fail_msg("%s: not read", what);
    bool is_wrong = judge(&x, 60000) == HISTORIES_NOT_LINEAR;
    verdict v = explore_verdict(&x);
    if (is_wrong && v == VERDICT_HOLDS) fail_msg("%s: not linearizable, not found", what);
    t->wrong += is_wrong;
    t->violated += v == VERDICT_VIOLATED;
    subject_free(&x);
}

static void try_mutants(const char *name, int32_t items, tally *t) {
    char *text = read_set(name);
    str mutant = {0}, what = {0};
    str_printf(&what, "%s, ", name);
    for (uint32_t k = 0; murphi_mutate(text, k, &mutant, &what); k++) {
        if (!is_about_control(str_get(&what))) try_mutant(str_get(&mutant), items, str_get(&what), t);
        str_clear(&mutant);
        str_clear(&what);
        str_printf(&what, "%s, ", name);
    }
    str_free(&mutant);
    str_free(&what);
    free(text);
}

static void wrong_mutants_are_found(void **state) {
    (void)state;
    static const char *const names[] = {"fine_grained", "optimistic", "lazy", "lock_free"};
    tally t = {0};
    for (int32_t items = 1; items <= (getenv("PARVIS_LONG") ? 2 : 1); items++)
        for (uint32_t i = 0; i < 4; i++) try_mutants(names[i], items, &t);
    print_message("# %u mutants, %u not linearizable, %u violated\n", t.mutants, t.wrong, t.violated);
    assert_true(t.mutants >= 200 && t.wrong >= 30 && t.violated >= t.wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monitor_is_the_definition), cmocka_unit_test(known_histories),
        cmocka_unit_test(sets_are_linearizable),     cmocka_unit_test(buggy_set_is_not),
        cmocka_unit_test(wrong_mutants_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
