// SPDX-License-Identifier: Apache-2.0
// The abstraction is sound on random parameterized models: see oracle/cover.h. A model for which this does not hold is
// made smaller before it is shown.
#include "oracle/unit.h"

#include "base/bits.h"
#include "oracle/cover.h"
#include "oracle/random_param.h"

#include <stdio.h>
#include <stdlib.h>

static void show_smaller(uint64_t seed, uint32_t kept) {
    bits skip = {0};
    str text = {0};
    cover_tally t = {0};
    uint32_t n = random_param(seed, &skip, &text);
    for (uint32_t i = 0; i < n; i++) {
        bits_add(&skip, i);
        str_clear(&text);
        random_param(seed, &skip, &text);
        if (cover_is_sound(str_get(&text), kept, &t)) bits_remove(&skip, i);
    }
    str_clear(&text);
    random_param(seed, &skip, &text);
    printf("# seed %llu, %u kept: not covered\n%s\n", (unsigned long long)seed, kept, str_get(&text));
    bits_free(&skip);
    str_free(&text);
}

static void views_are_covered(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 5000 : 450;
    cover_tally t = {0};
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        bits none = {0};
        uint32_t kept = 1 + seed % 2;
        random_param(seed, &none, &text);
        bool ok = cover_is_sound(str_get(&text), kept, &t);
        if (!ok) show_smaller(seed, kept);
        assert_true(ok);
        str_free(&text);
    }
    printf("# %u compared, %u refused, %llu states\n", t.compared, t.refused, (unsigned long long)t.states);
    assert_true(t.compared > n / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(views_are_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
