// SPDX-License-Identifier: Apache-2.0
// Random runs: every state that is kept is one that a search by the evaluator reaches, and random starts are initial
// states, of more than one kind.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pyv/pyv.h"
#include "infer/prover.h"
#include "model/eval.h"

#include <stdio.h>

enum { STARTS = 200, SIZE = 2 };

static uint32_t cases;

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    VEC(sort_size) sizes;
    map *reached;
    VEC(value) queue;  // ncells each
} twin;

static bool reach(const value *state, void *context) {
    twin *x = context;
    if (!map_put(x->reached, state, x->in->ncells * sizeof *state, 1)) return true;
    for (uint32_t i = 0; i < x->in->ncells; i++) vec_push(&x->queue, state[i]);
    return true;
}

static void open_at(twin *x, const char *path) {
    *x = (twin){.messages = diag_new(), .reached = map_new()};
    x->m = model_new(x->messages);
    assert_true(pyv_read(x->m, path, NULL, &x->system));
    type_list sorts = {0};
    instance_sorts(x->m, x->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++) vec_push(&x->sizes, (sort_size){sorts.data[i], SIZE});
    x->in = instance_new(x->m, x->system, x->sizes.data, x->sizes.len);
    assert_non_null(x->in);
    vec_free(&sorts);
}

static void close_it(twin *x) {
    instance_free(x->in);
    vec_free(&x->sizes);
    vec_free(&x->queue);
    map_free(x->reached);
    model_free(x->m);
    diag_free(x->messages);
}

// All reachable states, by the evaluator.
static void search_all(twin *x) {
    eval *ev = eval_new(x->in);
    value *state = mem_zero(x->in->ncells + 1, sizeof *state), *next = mem_zero(x->in->ncells + 1, sizeof *next);
    assert_true(eval_initial(x->in, reach, x));
    for (uint32_t at = 0; at < x->queue.len; at += x->in->ncells)
        for (uint32_t r = 0; r < sys_of(x->m, x->system)->rules.len; r++) {
            rule of = sys_of(x->m, x->system)->rules.data[r];
            value args[8];
            for (uint32_t i = 0; i < x->in->ncells; i++) state[i] = x->queue.data[at + i];
            for (bool first = true; eval_next_binding(x->in, of, args, &first);)
                if (eval_enabled(ev, state, of, args) && eval_fire(ev, state, of, args, next)) reach(next, x);
        }
    eval_free(ev);
    free(state);
    free(next);
}

// State n of a sample; cells are Boolean.
static void state_of(const sample *s, uint32_t n, value *out) {
    for (uint32_t c = 0; c < s->in->ncells; c++)
        out[c] = s->columns[(size_t)s->first_column[c] * s->nwords + n / 64] >> (n % 64) & 1;
}

static const char *const paths[] = {"models/pyv/votes.pyv", "models/pyv/lock_server.pyv", "models/pyv/semaphores.pyv",
                                    "models/pyv/paxos.pyv"};

static void states_of_runs_are_reachable(void **unused) {
    (void)unused;
    for (uint32_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        twin x;
        open_at(&x, paths[k]);
        search_all(&x);
        infer_options o = {.seed = k};
        prop p = {1};
        prover by = {.m = x.m,
                     .o = &o,
                     .system = x.system,
                     .guarded = x.system,
                     .walked = x.system,
                     .property = p,
                     .out = proof_new(x.m, p)};
        sample *s = runs_sample(&by, x.sizes.data, x.sizes.len, RUNS_STARTS);
        assert_non_null(s);
        assert_true(s->nstates > 1);
        value *state = mem_zero(x.in->ncells + 1, sizeof *state);
        for (uint32_t i = 0; i < s->nstates; i++, cases++) {
            state_of(s, i, state);
            assert_int_equal(map_get(x.reached, state, x.in->ncells * sizeof *state, 0), 1);
        }
        free(state);
        sample_free(s);
        proof_free(by.out);
        close_it(&x);
    }
}

static bool stop_at_first(const value *state, void *context) {
    reach(state, context);
    return false;
}

static void random_starts_are_initial(void **unused) {
    (void)unused;
    twin all, some;
    rng random = {7};
    limits none = {0};
    open_at(&all, "models/pyv/paxos.pyv");
    open_at(&some, "models/pyv/paxos.pyv");
    assert_true(eval_initial(all.in, reach, &all));
    for (uint32_t i = 0; i < STARTS; i++)
        assert_true(eval_initial_random(some.in, &none, &random, stop_at_first, &some));
    for (uint32_t at = 0; at < some.queue.len; at += some.in->ncells, cases++)
        assert_int_equal(map_get(all.reached, some.queue.data + at, some.in->ncells * sizeof(value), 0), 1);
    assert_int_equal(some.queue.len, all.queue.len);  // each of them is met
    close_it(&all);
    close_it(&some);
}

static void count_cases(void **unused) {
    (void)unused;
    assert_true(cases > 500);
    printf("# tally: states of random runs against a search | %u cases | 0 wrong\n", cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_runs_are_reachable),
        cmocka_unit_test(random_starts_are_initial),
        cmocka_unit_test(count_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
