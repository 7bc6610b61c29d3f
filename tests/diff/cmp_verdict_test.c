// SPDX-License-Identifier: Apache-2.0
// The compositional method as a whole on random parameterized models: what it proves is violated by no instance with up
// to three elements more than are kept, and what it says is violated is.
#include "oracle/unit.h"

#include "cmp/cmp.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "oracle/part.h"
#include "oracle/random_param.h"

#include <stdio.h>

enum { MOST_STATES = 3000 };

typedef struct {
    uint32_t holds, violated, unknown;
    uint64_t states;
} tally;

// Does an instance of this size violate the property or fail at run time, as far as it is looked at?
static bool is_violated(model *m, sys system, type sort, prop p, uint32_t size, tally *t) {
    sort_size sizes = {sort, size};
    instance *in = instance_new(m, system, &sizes, 1);
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .limit_states = MOST_STATES};
    o.self_check = SELF_CHECK_OFF;
    result *r = result_new();
    explore_run(in, &p, 1, &o, r, NULL);
    bool found = r->verdict == VERDICT_VIOLATED;
    t->states += r->stats.states;
    result_free(r);
    instance_free(in);
    return found;
}

static bool is_right(model *m, sys system, prop p, tally *t) {
    cmp_options how = {.limits = limits_of_seconds(2), .limit_states = MOST_STATES};
    proof *found = cmp_prove(m, p, &how);
    type sort = model_find_type(m, "node");
    bool ok = true;
    m->types.data[sort.id].fixed_size = 0;
    t->holds += found->verdict == VERDICT_HOLDS;
    t->violated += found->verdict == VERDICT_VIOLATED;
    t->unknown += found->verdict == VERDICT_UNKNOWN;
    for (uint32_t size = 1; found->verdict == VERDICT_HOLDS && ok && size <= found->kept + 3; size++)
        ok = !is_violated(m, system, sort, p, size, t);
    proof_free(found);
    return ok;
}

static bool are_right(const str *text, tally *t) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    murphi_options o = {.copies_undefined = true};
    bool ok = true;
    if (!murphi_read_text(m, "random.m", str_get(text), text->len, &o, &system)) fail_msg("%s", str_get(text));
    uint32_t n = m->props.len;
    for (uint32_t i = 1; i < n && ok; i++) ok = is_right(m, system, (prop){i}, t);
    model_free(m);
    diag_free(messages);
    return ok;
}

static void proofs_are_right(void **state) {
    (void)state;
    uint64_t n = part_rounds(100, 5000);
    tally t = {0};
    for (uint64_t seed = part_seed(1), end = seed + n; seed != end; seed++) {
        str text = {0};
        bits none = {0};
        random_param(seed * 7919, &none, &text);
        bool ok = are_right(&text, &t);
        if (!ok) printf("# seed %llu: proved and violated\n%s\n", (unsigned long long)seed, str_get(&text));
        assert_true(ok);
        str_free(&text);
    }
    printf("# %u proved, %u violated, %u unknown; %llu states of instances of what was proved\n", t.holds, t.violated,
           t.unknown, (unsigned long long)t.states);
    assert_true(t.holds > n / 20);
    assert_true(t.violated > n / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
