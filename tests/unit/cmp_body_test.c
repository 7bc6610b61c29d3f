// SPDX-License-Identifier: Apache-2.0
// Bodies of rules in an abstraction: models that a certain mistake would get wrong, and such that are refused.
#include "oracle/unit.h"

#include "oracle/cover.h"

static const cover_model models[] = {
    {"a cell that the body wrote before it reads it",
     COVER_HEAD COVER_START "rule !full[who] ==> begin full[who] := true; if full[who] then x := true; end; end;\n"},
    {"a variable that the body wrote before it reads through it",
     COVER_HEAD COVER_START "ruleset n : node; p : node do rule who = n & n != p & !x ==> begin who := p;\n"
                            "  if who = n then x := false; else x := true; end; end; end;\n"},
    {"what one branch writes is unknown after it",
     COVER_HEAD COVER_START "rule !full[who] ==> begin if y then full[who] := true; end;\n"
                            "  if full[who] then x := true; end; y := !y; end;\n"},
    {"what a loop writes is unknown in it", COVER_HEAD COVER_START
     "ruleset n : node do rule !full[n] ==> begin for a : node do if a = n then full[a] := true; end; end;\n"
     "  if full[n] then x := true; end; end; end;\n"},
    {"a start that changes only state that is dropped",
     COVER_HEAD "var set : array [node] of boolean;\n"
                "ruleset s : node do startstate set[s] := true; end; end;\n"
                "ruleset n : node do rule isundefined(set[n]) ==> begin set[n] := false; end; end;\n"},
    {"an other's condition that has no value",
     COVER_HEAD "var seen : array [node] of boolean;\n" COVER_START
                "ruleset n : node do rule isundefined(seen[n]) ==> begin seen[n] := x; end;\n"
                "  rule !full[n] ==> begin if seen[n] then y := true; else x := true; end;\n"
                "    full[n] := true; end; end;\n"},
    {"an other's index that is out of range",
     COVER_HEAD "var deep : array [0..1] of boolean; at : array [node] of 0..3;\n"
                "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s;\n"
                "  deep[0] := false; deep[1] := false; for n : node do full[n] := false; late[n] := false;\n"
                "  link[n] := n; next[n] := n; at[n] := 0; end; end; end;\n"
                "ruleset n : node do rule at[n] < 3 ==> begin at[n] := at[n] + 1; end;\n"
                "  rule !full[n] ==> begin deep[at[n]] := true; full[n] := true; end; end;\n"},
    {"an other's value that is out of range",
     COVER_HEAD "var small : 0..1; at : array [node] of 0..3;\n"
                "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s; small := 0;\n"
                "  for n : node do full[n] := false; late[n] := false; link[n] := n; next[n] := n; at[n] := 0; end;\n"
                "end; end;\n"
                "ruleset n : node do rule at[n] < 3 ==> begin at[n] := at[n] + 1; end;\n"
                "  rule !full[n] ==> begin small := at[n]; full[n] := true; end; end;\n"},
    {"a loop with a condition",
     COVER_HEAD "var at : array [node] of 0..3; sum : 0..3;\n"
                "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s; sum := 0;\n"
                "  for n : node do full[n] := false; late[n] := false; link[n] := n; next[n] := n; at[n] := 0; end;\n"
                "end; end;\n"
                "ruleset n : node do rule at[n] < 3 ==> begin at[n] := at[n] + 1; end;\n"
                "  rule sum < 3 ==> begin while sum < 2 & !x do sum := sum + 1; x := sum = 2; end; y := x; end; end;\n"
                "rule x ==> begin while x do x := false; sum := 0; end; end;\n"},
    {"an assumption about all elements",
     COVER_HEAD COVER_START "ruleset n : node do rule !x ==> begin full[n] := true; x := true; end; end;\n"
                            "rule x ==> begin assume exists k : node do full[k] end; y := true; end;\n"
                            "rule x ==> begin assume forall k : node do !late[k] end; y := false; end;\n"},
    {"a loop that may write one value to what is shared", COVER_HEAD COVER_START
     "ruleset n : node do rule !x ==> begin full[n] := true; end; end;\n"
     "rule true ==> begin for a : node do if full[a] then x := true; y := false; end; end; end;\n"},
    {"a loop in which every round does the same to all elements", COVER_HEAD COVER_START
     "ruleset n : node do rule true ==> begin link[n] := who; who := n; end; end;\n"
     "rule true ==> begin for a : node do for b : node do full[b] := !x; end; late[a] := true; end;\n"
     "  x := !x; end;\n"},
};

static void models_are_covered(void **state) {
    (void)state;
    cover_all(models, sizeof models / sizeof *models);
}

// Where an abstraction would have to know more than it does.
static const cover_model refused[] = {
    {"a loop that changes shared state",
     COVER_HEAD COVER_START "rule true ==> begin for a : node do if full[a] then x := !x; end; end; end;\n"},
    {"a loop that reads what other rounds write",
     COVER_HEAD COVER_START "rule true ==> begin for a : node do late[a] := full[who]; full[a] := true; end; end;\n"},
    {"a loop over two elements at once", COVER_HEAD COVER_START
     "ruleset n : node do rule true ==> begin full[n] := !full[n]; end; end;\n"
     "rule true ==> begin for a : node do for b : node do if full[a] then late[b] := true; end; end; end; end;\n"},
};

static void refused_models_are_refused(void **state) {
    (void)state;
    cover_tally t = {0};
    for (uint32_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cover_is_sound(refused[i].text, 1, &t);
        if (t.refused != i + 1) fail_msg("%s: not refused", refused[i].what);
    }
}

// A body reads what it wrote, also of an element that is not kept.
static void writes_are_known(void **state) {
    (void)state;
    assert_true(
        cover_knows(COVER_HEAD COVER_START
                    "ruleset n : node do rule true ==> begin full[n] := true; if !full[n] then x := true; end;\n"
                    "  undefine full[n]; if !isundefined(full[n]) then x := true; end; full[n] := false; end; end;\n"
                    "invariant \"never\" !x;\n",
                    1));
    assert_true(cover_knows(COVER_HEAD COVER_START
                            "ruleset n : node do rule true ==> begin for a : node do full[a] := true; end;\n"
                            "  if !full[n] then x := true; end; full[n] := false; end; end;\n"
                            "invariant \"never\" !x;\n",
                            1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_are_covered),
                                       cmocka_unit_test(refused_models_are_refused),
                                       cmocka_unit_test(writes_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
