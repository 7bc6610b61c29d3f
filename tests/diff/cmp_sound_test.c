// SPDX-License-Identifier: Apache-2.0
// The abstraction is sound (oracle/cover.h says what that is) for random parameterized models, without lemmas. A model
// for which it is not is made smaller before it is shown. Models that a certain mistake would get wrong stand in
// unit/cmp_*_test.c, beside the code they are about.
#include "oracle/unit.h"

#include "base/bits.h"
#include "oracle/cover.h"
#include "oracle/part.h"
#include "oracle/random_counts.h"
#include "oracle/random_param.h"

#include <stdio.h>

// Appends the text; returns the number of parts that could be left out.
typedef uint32_t random_text(uint64_t seed, const bits *skip, str *out);

static void show_smaller(random_text *make, uint64_t seed, uint32_t kept) {
    bits skip = {0};
    str text = {0};
    cover_tally t = {0};
    uint32_t n = make(seed, &skip, &text);
    for (uint32_t i = 0; i < n; i++) {
        bits_add(&skip, i);
        str_clear(&text);
        make(seed, &skip, &text);
        if (cover_is_sound(str_get(&text), kept, &t)) bits_remove(&skip, i);
    }
    str_clear(&text);
    make(seed, &skip, &text);
    printf("# seed %llu, %u kept: not covered\n%s\n", (unsigned long long)seed, kept, str_get(&text));
    bits_free(&skip);
    str_free(&text);
}

static void compare(random_text *make, uint64_t n, const char *what) {
    cover_tally t = {0};
    for (uint64_t seed = part_seed(1), end = seed + n; seed != end; seed++) {
        str text = {0};
        bits none = {0};
        uint32_t kept = 1 + seed % 2;
        make(seed, &none, &text);
        bool ok = cover_is_sound(str_get(&text), kept, &t);
        if (!ok) show_smaller(make, seed, kept);
        assert_true(ok);
        str_free(&text);
    }
    printf("# %u compared, %u refused, %llu states, %llu of %llu views excused\n", t.compared, t.refused,
           (unsigned long long)t.states, (unsigned long long)t.excused, (unsigned long long)t.views);
    printf("# tally: abstractions of %s against their steps | %u cases | 0 wrong\n", what, t.compared);
    assert_true(t.compared > n / 3);
    assert_true(t.excused < t.views / 2);
}

static void views_are_covered(void **state) {
    (void)state;
    compare(random_param, part_rounds(300, 5000), "random models");
}

static void counts_are_covered(void **state) {
    (void)state;
    compare(random_counts, part_rounds(300, 10000), "random models that count blocks");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(views_are_covered), cmocka_unit_test(counts_are_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
