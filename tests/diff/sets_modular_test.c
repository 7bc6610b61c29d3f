// SPDX-License-Identifier: Apache-2.0
// The sets of models/sets for any number of threads, by a second way that knows neither Other nor lemmas:
// the least set of views (shared state and one thread) that contains the initial ones and is closed under
// the steps of two threads whose views fit together (thread-modular reasoning; C. Flanagan, S. Qadeer,
// SPIN 2003). What thread i sees of thread ids is `self` or `another`. If no two fitting views violate a
// property, it holds for all numbers of threads. So lemmas about single threads are enough for
// `prove --method cmp`, whose joined views must be as many, and a mutant that it proves must not be violated
// here when it is at two threads.
#include "oracle/unit.h"

#include "base/map.h"
#include "cmp/lemmas/modular.h"
#include "front/murphi/murphi.h"
#include "model/eval.h"
#include "space/space.h"

#include <string.h>

enum { SELF, ANOTHER, THIRD, THREADS = 3, MOST_WORDS = 64 };

typedef VEC(uint32_t) number_list;

typedef struct {
    diag *messages;
    model *m;
    sys system;
    type thread;
    instance *in;
    space *s;
    space_run *run;
    // cells
    number_list shared, local[THREADS];
    // views: shared cells, then local ones
    map *views, *groups;       // group: the shared cells, locked or not by whomever
    VEC(number_list) members;  // of groups: views
    value *third;              // local cells of a thread that does nothing
    bool is_violated;
} modular;

// ---- cells

static bool is_id(const modular *x, uint32_t cell) {
    value args[64];
    return type_same(func_of(x->m, instance_cell_func(x->in, cell, args))->result, x->thread);
}

static void sort_cells(modular *x) {
    for (uint32_t c = 0; c < x->in->ncells; c++) {
        value args[64];
        const func_info *f = func_of(x->m, instance_cell_func(x->in, c, args));
        bool is_local = f->nargs && type_same(f->args[0], x->thread);
        if (is_local) vec_push(&x->local[args[0]], c);
        else vec_push(&x->shared, c);
    }
}

static uint32_t view_cells(const modular *x) { return x->shared.len + x->local[0].len; }

// ---- views

static void add_view(modular *x, const value *view) {
    uint32_t number = map_count(x->views);
    if (!map_put(x->views, view, view_cells(x) * sizeof *view, 0)) return;
    value *key = mem_zero(x->shared.len + 1, sizeof *key);
    for (uint32_t i = 0; i < x->shared.len; i++)
        key[i] = is_id(x, x->shared.data[i]) && view[i] != VALUE_UNDEFINED ? 0 : view[i];
    uint32_t group = map_intern(x->groups, key, x->shared.len * sizeof *key, x->members.len);
    if (group == x->members.len) {
        number_list none = {0};
        vec_push(&x->members, none);
    }
    vec_push(&x->members.data[group], number);
    free(key);
}

// What thread t sees.
static void project(modular *x, const value *state, value t) {
    value *view = mem_zero(view_cells(x) + 1, sizeof *view);
    for (uint32_t i = 0; i < x->shared.len; i++) {
        value v = state[x->shared.data[i]];
        view[i] = is_id(x, x->shared.data[i]) && v != VALUE_UNDEFINED ? (v == t ? SELF : ANOTHER) : v;
    }
    for (uint32_t i = 0; i < x->local[0].len; i++) view[x->shared.len + i] = state[x->local[t].data[i]];
    add_view(x, view);
    free(view);
}

static bool add_initial(const value *state, void *context) {
    modular *x = context;
    for (uint32_t i = 0; i < x->local[0].len; i++) x->third[i] = state[x->local[THIRD].data[i]];
    project(x, state, 0);
    return true;
}

// A state in which thread 0 sees a and thread 1 sees b; false if they do not fit together.
static bool join(const modular *x, const value *a, const value *b, value *state) {
    for (uint32_t i = 0; i < x->shared.len; i++) {
        uint32_t c = x->shared.data[i];
        bool is_owner = is_id(x, c) && a[i] != VALUE_UNDEFINED && b[i] != VALUE_UNDEFINED;
        if (!is_owner && a[i] != b[i]) return false;
        if (is_owner && a[i] == SELF && b[i] == SELF) return false;
        state[c] = !is_owner ? a[i] : a[i] == SELF ? 0 : b[i] == SELF ? 1 : THIRD;
    }
    for (uint32_t i = 0; i < x->local[0].len; i++) {
        state[x->local[0].data[i]] = a[x->shared.len + i];
        state[x->local[1].data[i]] = b[x->shared.len + i];
        state[x->local[THIRD].data[i]] = x->third[i];
    }
    return true;
}

// ---- steps

static bool is_step_of_third(const modular *x, uint32_t label) {
    value args[64];
    const rule_info *r = rule_of(x->m, space_label(x->s, label & ~SPACE_TROUBLE, args));
    for (uint32_t i = 0; i < r->nparams; i++)
        if (type_same(var_of(x->m, r->params[i])->ty, x->thread) && args[i] == THIRD) return true;
    return false;
}

static void take_steps(modular *x, const value *state, uint64_t *next, uint32_t *labels) {
    uint64_t packed[MOST_WORDS], failed[MOST_WORDS];
    uint32_t words = space_words(x->s);
    value *after = mem_zero(x->in->ncells + 1, sizeof *after);
    space_pack(x->s, state, packed);
    x->is_violated |= !space_check(x->run, packed, failed);
    uint32_t n = space_next(x->run, packed, next, labels);
    for (uint32_t i = 0; i < n && !x->is_violated; i++) {
        if (is_step_of_third(x, labels[i])) continue;
        if (labels[i] & SPACE_TROUBLE) {
            x->is_violated = true;
            break;
        }
        space_unpack(x->s, next + (size_t)i * words, after);
        project(x, after, 0);
        project(x, after, 1);
    }
    free(after);
}

static uint32_t group_of(const modular *x, const value *view) {
    value *key = mem_zero(x->shared.len + 1, sizeof *key);
    for (uint32_t i = 0; i < x->shared.len; i++)
        key[i] = is_id(x, x->shared.data[i]) && view[i] != VALUE_UNDEFINED ? 0 : view[i];
    uint32_t group = map_get(x->groups, key, x->shared.len * sizeof *key, UINT32_MAX);
    free(key);
    return group;
}

// Every view with every one that came before it, and with itself.
static void close_views(modular *x, uint32_t most) {
    size_t size;
    uint64_t *next = mem_zero((size_t)space_labels(x->s) * space_words(x->s) + 1, sizeof *next);
    uint32_t *labels = mem_zero(space_labels(x->s) + 1, sizeof *labels);
    value *state = mem_zero(x->in->ncells + 1, sizeof *state), *view = mem_zero(view_cells(x) + 1, sizeof *view);
    for (uint32_t i = 0; i < map_count(x->views) && !x->is_violated; i++) {
        assert_true(i < most);
        memcpy(view, map_key(x->views, i, &size), view_cells(x) * sizeof *view);
        uint32_t group = group_of(x, view);
        for (uint32_t k = 0; k < x->members.data[group].len; k++) {
            uint32_t other = x->members.data[group].data[k];
            if (other > i) continue;
            if (join(x, view, map_key(x->views, other, &size), state)) take_steps(x, state, next, labels);
        }
    }
    free(next);
    free(labels);
    free(state);
    free(view);
}

// ---- models

static void modular_open(modular *x, const char *name, int32_t items) {
    front_define defines[] = {{"THREADS", THREADS}, {"ITEMS", items}};
    murphi_options o = {.defines = defines, .ndefines = 2, .copies_undefined = true};
    str path = {0};
    str_printf(&path, "models/sets/%s.m", name);
    *x = (modular){.messages = diag_new(), .views = map_new(), .groups = map_new()};
    x->m = model_new(x->messages);
    assert_true(murphi_read(x->m, str_get(&path), &o, &x->system));
    str_free(&path);
    x->thread = model_find_type(x->m, "thread");
    x->in = instance_new(x->m, x->system, NULL, 0);
    expr checks[8];
    space_options how = {.checks = checks};
    for (uint32_t i = 1; i < x->m->props.len; i++) checks[how.nchecks++] = x->m->props.data[i].cond;
    x->s = space_new(x->in, &how);
    x->run = space_run_new(x->s);
    sort_cells(x);
    x->third = mem_zero(x->local[0].len + 1, sizeof *x->third);
    eval_initial(x->in, add_initial, x);
}

static void modular_close(modular *x) {
    for (uint32_t i = 0; i < x->members.len; i++) vec_free(&x->members.data[i]);
    for (uint32_t t = 0; t < THREADS; t++) vec_free(&x->local[t]);
    vec_free(&x->members);
    vec_free(&x->shared);
    map_free(x->views);
    map_free(x->groups);
    free(x->third);
    space_run_free(x->run);
    space_free(x->s);
    instance_free(x->in);
    model_free(x->m);
    diag_free(x->messages);
}

// How many views the joins of `prove --method cmp` give.
static uint32_t count_joined(const char *name, int32_t items) {
    modular x;
    modular_open(&x, name, items);
    x.m->types.data[x.thread.id].fixed_size = 0;
    abstraction *a = abstract_new(x.m, x.system, x.thread, 1);
    lemma_vocabulary *v = lemma_vocabulary_new(x.m, x.system, x.thread, 1);
    survey *s = survey_new(a, v);
    sort_size one = {x.thread, 1};
    instance *in = instance_new(x.m, x.system, &one, 1);
    explored *kept = NULL;
    result *r = result_new();
    explore_run(in, NULL, 0, &(explore_options){.threads = 1}, r, &kept);
    survey_add(s, in, kept);
    assert_true(modular_join(s, 5000000, &(limits){0}));
    uint32_t n = tuples_count(s->views);
    explored_free(kept);
    result_free(r);
    instance_free(in);
    survey_free(s);
    lemma_vocabulary_free(v);
    abstract_free(a);
    modular_close(&x);
    return n;
}

static bool is_proved(const char *name, int32_t items) {
    modular x;
    modular_open(&x, name, items);
    close_views(&x, 5000000);
    bool ok = !x.is_violated;
    if (ok) assert_int_equal(count_joined(name, items), map_count(x.views));
    print_message("# %s, %d items: %u views, %u shared states%s\n", name, items, map_count(x.views),
                  map_count(x.groups), ok ? "" : ", violated");
    modular_close(&x);
    return ok;
}

static void sets_hold_for_any_number_of_threads(void **state) {
    (void)state;
    assert_true(is_proved("fine_grained", 1));
    assert_true(is_proved("fine_grained", 2));
    assert_true(is_proved("optimistic", 1));
    assert_true(is_proved("lazy", 1));
    assert_true(is_proved("lock_free", 1));
}

static void buggy_set_does_not(void **state) {
    (void)state;
    assert_false(is_proved("lock_free_buggy", 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_hold_for_any_number_of_threads),
        cmocka_unit_test(buggy_set_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
