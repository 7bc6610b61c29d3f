// SPDX-License-Identifier: Apache-2.0
// Size traps: models whose property fails with K elements and holds with fewer, K from 4 to 9. None is proved, and all
// are reported as violated. By hand: the K-th element that does something does the harm.
#include "oracle/unit.h"

#include "cmp/cmp.h"
#include "front/murphi/murphi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *what, *text;  // K stands for the number
} trap;

static const trap traps[] = {
    {"a counter of all that came", "type node : scalarset(3);\n"
                                   "var came : array [node] of boolean; n : 0..K; bad : boolean;\n"
                                   "startstate for i : node do came[i] := false; end; n := 0; bad := false; end;\n"
                                   "ruleset i : node do rule !came[i] & n < K ==> begin came[i] := true; n := n + 1; "
                                   "if n = K then bad := true; end; end; end;\n"
                                   "invariant \"good\" !bad;\n"},
    {"a counter that a guard reads",
     "type node : scalarset(3);\n"
     "var came : array [node] of boolean; n : 0..K; bad : boolean;\n"
     "startstate for i : node do came[i] := false; end; n := 0; bad := false; end;\n"
     "ruleset i : node do rule !came[i] & n < K ==> begin came[i] := true; n := n + 1; end;\n"
     "rule came[i] & n != K ==> begin came[i] := false; n := n - 1; end; end;\n"
     "rule n = K ==> begin bad := true; end;\n"
     "invariant \"good\" !bad;\n"},
    {"a semaphore with one place too many",
     "type node : scalarset(3);\n"
     "var in_ : array [node] of boolean; sem : 0..K;\n"
     "startstate for i : node do in_[i] := false; end; sem := K; end;\n"
     "ruleset i : node do rule !in_[i] & sem > 0 ==> begin in_[i] := true; sem := sem - 1; end;\n"
     "rule in_[i] ==> begin in_[i] := false; sem := sem + 1; end; end;\n"
     "invariant \"good\" sem > 0;\n"},
    {"places that are taken one after the other",
     "type node : scalarset(3); place : 1..K;\n"
     "var owner : array [place] of node; has : array [node] of boolean;\n"
     "startstate for i : node do has[i] := false; end; undefine owner; end;\n"
     "ruleset i : node; p : place do rule !has[i] & isundefined(owner[p]) & (p = 1 | !isundefined(owner[p - 1])) ==>\n"
     "  begin owner[p] := i; has[i] := true; end; end;\n"
     "invariant \"good\" isundefined(owner[K]);\n"},
    {"a chain of elements",
     "type node : scalarset(3);\n"
     "var depth : array [node] of 0..K; bad : boolean;\n"
     "ruleset s : node do startstate for i : node do depth[i] := 0; end; depth[s] := 1; bad := false; end; end;\n"
     "ruleset i : node; j : node do rule depth[i] > 0 & depth[j] = 0 & depth[i] < K ==> begin depth[j] := depth[i] + "
     "1;\n"
     "  if depth[j] = K then bad := true; end; end; end;\n"
     "invariant \"good\" !bad;\n"},
    {"phases, one element each",
     "type node : scalarset(3);\n"
     "var used : array [node] of boolean; phase : 0..K;\n"
     "startstate for i : node do used[i] := false; end; phase := 0; end;\n"
     "ruleset i : node do rule !used[i] & phase < K ==> begin used[i] := true; phase := phase + 1; end; end;\n"
     "invariant \"good\" phase < K;\n"},
};

static void text_of(const trap *t, uint32_t k, str *out) {
    for (const char *c = t->text; *c; c++) {
        if (*c == 'K') str_printf(out, "%u", k);
        else str_char(out, *c);
    }
}

static verdict prove(const char *text, double seconds) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    murphi_options o = {.copies_undefined = true};
    if (!murphi_read_text(m, "trap.m", text, strlen(text), &o, &system)) fail_msg("%s", text);
    cmp_options how = {.threads = 1, .limits = limits_of_seconds(seconds)};
    proof *p = cmp_prove(m, (prop){1}, &how);
    verdict v = p->verdict;
    proof_free(p);
    model_free(m);
    diag_free(messages);
    return v;
}

static void traps_are_found(void **state) {
    (void)state;
    uint32_t n = 0, proved = 0, missed = 0;
    for (uint32_t i = 0; i < sizeof traps / sizeof *traps; i++)
        for (uint32_t k = 4; k <= 9; k++, n++) {
            str text = {0};
            text_of(&traps[i], k, &text);
            verdict v = prove(str_get(&text), 60);
            if (v != VERDICT_VIOLATED) printf("# %s, %u elements: %s\n", traps[i].what, k, verdict_text(v));
            proved += v == VERDICT_HOLDS;
            missed += v != VERDICT_VIOLATED;
            str_free(&text);
        }
    printf("# tally: models that fail at a certain size | %u cases | %u wrong\n", n, missed);
    assert_int_equal(proved, 0);
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(traps_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
