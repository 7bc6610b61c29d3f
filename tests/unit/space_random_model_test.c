// SPDX-License-Identifier: Apache-2.0
// The random models that other tests rely on: the same for the same seed, of every size, evaluated without
// mishap.
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include "model/eval.h"

enum { MOST_PARAMS = 16 };

// Fires every rule once from a random state and folds what happened into a number.
static uint64_t digest(uint64_t seed, uint32_t size) {
    random_model r = random_model_new(seed, size, RANDOM_ALL);
    instance *in = random_model_instance(&r, 3);
    assert_non_null(in);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells), *next = mem_zero(in->ncells + 1, sizeof *next);
    value args[MOST_PARAMS];
    random_model_state(in, &r.random, cells);
    eval *ev = eval_new(in);
    uint64_t sum = in->ncells;
    for (uint32_t i = 0; i < sys_of(r.m, r.system)->rules.len; i++) {
        rule a = sys_of(r.m, r.system)->rules.data[i];
        for (bool first = true; eval_next_binding(in, a, args, &first);) {
            bool fired = eval_enabled(ev, cells, a, args) && eval_fire(ev, cells, a, args, next);
            sum = sum * 31 + fired;
            for (uint32_t c = 0; fired && c < in->ncells; c++) sum = sum * 31 + (uint32_t)next[c];
        }
    }
    eval_free(ev);
    free(cells);
    free(next);
    instance_free(in);
    random_model_free(&r);
    return sum;
}

static void same_seed_same_model(void **state) {
    (void)state;
    uint32_t differ = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        uint32_t size = 1 + seed % 10;
        assert_int_equal(digest(seed, size), digest(seed, size));
        differ += digest(seed, size) != digest(seed + 1, size);
    }
    assert_true(differ > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_seed_same_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
