// SPDX-License-Identifier: Apache-2.0
// Any number of elements of two sorts at once, on random models in which these hold each other: what is proved is
// violated by no instance with up to four of both.
#include "oracle/unit.h"

#include "cmp/cmp.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "oracle/random_pairs.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_STATES = 2000, LARGEST = 4 };

typedef struct {
    uint32_t holds, violated, unknown, instances, wrong;
} tally;

static bool is_violated(model *m, sys system, prop p, uint32_t nodes, uint32_t locks) {
    sort_size sizes[] = {{model_find_type(m, "node"), nodes}, {model_find_type(m, "lock"), locks}};
    instance *in = instance_new(m, system, sizes, 2);
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .limit_states = MOST_STATES};
    o.self_check = SELF_CHECK_OFF;
    result *r = result_new();
    explore_run(in, &p, 1, &o, r, NULL);
    bool found = r->verdict == VERDICT_VIOLATED;
    result_free(r);
    instance_free(in);
    return found;
}

static void set_sizes(model *m, uint32_t size) {
    type node = model_find_type(m, "node"), lock = model_find_type(m, "lock");
    m->types.data[node.id].fixed_size = size;
    m->types.data[lock.id].fixed_size = size;
}

static void compare(model *m, sys system, prop p, tally *t) {
    cmp_options how = {.sort = "node", .also = "lock", .limits = limits_of_seconds(2), .limit_states = MOST_STATES};
    proof *found = cmp_prove(m, p, &how);
    t->holds += found->verdict == VERDICT_HOLDS;
    t->violated += found->verdict == VERDICT_VIOLATED;
    t->unknown += found->verdict == VERDICT_UNKNOWN;
    set_sizes(m, 0);
    for (uint32_t i = 0; found->verdict == VERDICT_HOLDS && i < LARGEST * LARGEST; i++, t->instances++)
        t->wrong += is_violated(m, system, p, 1 + i / LARGEST, 1 + i % LARGEST);
    set_sizes(m, 2);
    proof_free(found);
}

static void proofs_are_right(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 3000 : 60;
    tally t = {0};
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        random_pairs(seed, &text);
        diag *messages = diag_new();
        model *m = model_new(messages);
        sys system;
        murphi_options o = {.copies_undefined = true};
        if (!murphi_read_text(m, "pair.m", str_get(&text), text.len, &o, &system)) fail_msg("%s", str_get(&text));
        uint32_t wrong = t.wrong;
        for (uint32_t i = 1, all = m->props.len; i < all; i++) compare(m, system, (prop){i}, &t);
        if (t.wrong > wrong) printf("# seed %llu: proved and violated\n%s\n", (unsigned long long)seed, str_get(&text));
        model_free(m);
        diag_free(messages);
        str_free(&text);
    }
    printf("# %u proved, %u violated, %u unknown\n", t.holds, t.violated, t.unknown);
    printf("# tally: proofs for any number of two sorts, against instances | %u cases | %u wrong\n", t.instances,
           t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.holds > n / 10);
    assert_true(t.violated > n / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
