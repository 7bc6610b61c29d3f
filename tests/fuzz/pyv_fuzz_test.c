// SPDX-License-Identifier: Apache-2.0
// The `.pyv` reader on damaged files: bytes flipped, parts cut out, doubled and moved. It must say what is wrong or
// read it, and neither crash nor leak. A fixed seed; PARVIS_LONG makes it long.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pyv/pyv.h"
#include "oracle/damage.h"
#include "oracle/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sample[] =
    "sort node\nsort value @printed_by(x, y)\n"
    "immutable relation le(value, value)\naxiom le(X, X)\naxiom [total] le(X, Y) | le(Y, X)\n"
    "mutable relation vote(node, value)\nmutable constant turn: node\nimmutable function home(value): node\n"
    "derived relation busy(node): forall N. busy(N) <-> exists V. vote(N, V)\n"
    "init !vote(N, V)\ninit home(V) = turn -> le(V, V)\n"
    "definition free(n: node) = !(exists V. vote(n, V))\n"
    "twostate definition keep(n: node) = forall V. vote'(n, V) <-> vote(n, V)\n"
    "transition cast(n: node, v: value)\n  modifies vote, turn\n  & free(n)\n"
    "  & (forall N, V. new(vote(N, V)) <-> vote(N, V) | (N = n & V = v))\n"
    "  & if le(v, v) then turn' = n else let m = turn in turn' = m\n"
    "transition any(n: node) = keep(n) & distinct(n, turn)\n"
    "safety [one] vote(N, V1) & vote(N, V2) -> V1 = V2\ninvariant busy(N) -> !free(N)\n"
    "onestate theorem one -> one\nsat trace {\n  cast\n  assert exists N. busy(N)\n}\n";

static const char marks[] = "()'&|!.,:<->=@#{}";

static bool read(const char *text, size_t size) {
    diag *d = diag_new();
    model *m = model_new(d);
    sys s = {0};
    bool ok = pyv_read_text(m, "fuzz.pyv", text, size, &s);
    str out = {0};
    diag_print(d, &out, false);
    assert_int_equal(ok, !diag_failed(d));
    str_free(&out);
    model_free(m);
    diag_free(d);
    return ok;
}

static void test_sample(void **context) {
    (void)context;
    assert_true(read(sample, strlen(sample)));
}

static void test_damaged(void **context) {
    (void)context;
    rng r = {part_seed(2026)};
    unsigned rounds = (unsigned)part_rounds(8000, 1000000), read_well = 0;
    enum { ROOM = 4096 };
    for (unsigned i = 0; i < rounds; i++) {
        char text[ROOM];
        size_t size = strlen(sample);
        memcpy(text, sample, size);
        for (uint32_t k = 1 + rng_below(&r, 4); k > 0 && size > 1; k--) damage(&r, marks, text, &size, ROOM);
        read_well += read(text, size);
    }
    printf("# tally: damaged .pyv files | %u cases | 0 wrong\n", rounds);
    assert_true(read_well > 0);
    assert_true(read_well < rounds);
}

static void test_deep_nesting(void **context) {
    (void)context;
    enum { DEEP = 100000 };
    static const char *const openers[] = {"(", "!", "(!", "forall X. ", "a -> ", "let x = "};
    for (size_t k = 0; k < sizeof openers / sizeof *openers; k++) {
        str s = {0};
        str_add(&s, "init ");
        for (int i = 0; i < DEEP; i++) str_add(&s, openers[k]);
        assert_false(read(s.text, s.len));
        str_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
