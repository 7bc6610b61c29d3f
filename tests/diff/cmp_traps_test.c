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

// Each node sets lines of its own; how many they are is counted over another scalarset.
#define WITH_LINES                                                                             \
    "type node : scalarset(3); lock : scalarset(2);\n"                                         \
    "var set : array [node] of array [lock] of boolean; ent : array [node] of boolean; n : "   \
    "0..K; bad : boolean;\n"                                                                   \
    "function lines(p : node) : 0..2; var k : 0..2; begin k := 0; for b : lock do if "         \
    "set[p][b] then k := k + 1; end; end; return k; end;\n"                                    \
    "startstate for p : node do ent[p] := false; for b : lock do set[p][b] := false; end; "    \
    "end; n := 0; bad := false; end;\n"                                                        \
    "ruleset p : node; b : lock do rule \"set\" !set[p][b] ==> begin set[p][b] := true; end; " \
    "end;\n"

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
    {"two registers meet at the last",
     "type node : scalarset(3);\n"
     "var a : node; b : node; used : array [node] of boolean; m : 0..K;\n"
     "ruleset s : node do startstate for i : node do used[i] := false; end; a := s; undefine "
     "b; m := 0; end; end;\n"
     "ruleset i : node do rule !used[i] & m < K ==> begin used[i] := true; m := m + 1; if i "
     "!= a then b := i; end; if m = K then a := b; end; end; end;\n"
     "invariant \"good\" isundefined(b) | a != b;\n"},
    {"want the same lock at the last",
     "type node : scalarset(3); lock : scalarset(2);\n"
     "var want : array [node] of lock; crit : array [node] of boolean; m : 0..K; free : array "
     "[lock] of boolean; used : array [node] of boolean;\n"
     "startstate for i : node do undefine want[i]; crit[i] := false; used[i] := false; end; "
     "for l : lock do free[l] := true; end; m := 0; end;\n"
     "ruleset i : node; l : lock do rule !used[i] & (free[l] | m = K-1) & m < K ==> begin "
     "free[l] := false; want[i] := l; crit[i] := true; used[i] := true; m := m + 1; end;\n"
     "rule crit[i] & want[i] = l ==> begin crit[i] := false; undefine want[i]; free[l] := "
     "true; end; end;\n"
     "invariant \"good\" forall i : node do forall j : node do i != j & crit[i] & crit[j] -> "
     "want[i] != want[j] end end;\n"},
    {"exactly one line each",
     WITH_LINES "ruleset p : node do rule \"enter\" !ent[p] & n < K & lines(p) = 1 ==> begin ent[p] := "
                "true; n := n + 1; end; end;\n"
                "invariant \"good\" n < K;\n"},
    {"as many lines as another",
     WITH_LINES "ruleset p : node; q : node do rule \"enter\" p != q & !ent[p] & n < K & lines(p) = 1 & "
                "lines(q) = 2 ==> begin ent[p] := true; n := n + 1; if n = K-1 then bad := true; end; "
                "end; end;\n"
                "invariant \"good\" !bad;\n"},
    {"a chain through locks", "type node : scalarset(3); lock : scalarset(3); none : enum { nobody }; holder : union { "
                              "node, none };\n"
                              "var depth : array [node] of 0..K; via : array [node] of lock; last : array [lock] of "
                              "holder; bad : boolean;\n"
                              "ruleset s : node; l : lock do startstate for i : node do depth[i] := 0; undefine "
                              "via[i]; end; for k : lock do last[k] := nobody; end; depth[s] := 1; last[l] := s; bad "
                              ":= false; end; end;\n"
                              "ruleset i : node; l : lock do rule depth[i] = 0 & last[l] != nobody & depth[last[l]] < "
                              "K ==> begin depth[i] := depth[last[l]] + 1; last[l] := i; via[i] := l; if depth[i] = K "
                              "then bad := true; end; end; end;\n"
                              "invariant \"good\" !bad;\n"},
    {"tokens that move between locks",
     "type node : scalarset(3); lock : scalarset(2);\n"
     "var home : array [node] of lock; full : 0..K; done : array [node] of boolean; mark : "
     "lock;\n"
     "ruleset l : lock do startstate for i : node do home[i] := l; done[i] := false; end; "
     "full := 0; mark := l; end; end;\n"
     "ruleset i : node; l : lock do rule !done[i] & home[i] = mark & l != mark & full < K ==> "
     "begin home[i] := l; done[i] := true; full := full + 1; end; end;\n"
     "invariant \"good\" full = K -> forall i : node do home[i] = mark end;\n"},
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
