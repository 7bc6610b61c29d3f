// SPDX-License-Identifier: Apache-2.0
// What an abstraction knows of elements and their cells: models that a certain mistake would get wrong.
#include "oracle/unit.h"

#include "oracle/cover.h"

static const cover_model models[] = {
    {"an index that may be any element is not the case's other",
     COVER_HEAD COVER_START "ruleset n : node do rule !full[n] ==> begin full[n] := true;\n"
                            "  if full[who] then x := true; else y := true; end; end; end;\n"},
    {"an index that may be any element may be the case's other",
     COVER_HEAD COVER_START "ruleset n : node do rule !full[n] ==> begin full[who] := true;\n"
                            "  if full[n] then x := true; else y := true; end; end; end;\n"},
    {"two variables hold the same element or different ones",
     COVER_HEAD COVER_START "rule who = top ==> begin x := !x; end; rule who != top ==> begin y := !y; end;\n"
                            "ruleset n : node do rule true ==> begin top := n; end; end;\n"},
    {"a variable holds one other, not two",
     COVER_HEAD COVER_START "ruleset n : node; p : node do rule who = n & who != p ==> begin x := true; end;\n"
                            "  rule who = n & who = p ==> begin y := true; end; end;\n"},
    {"an element that is chosen by a condition",
     COVER_HEAD COVER_START "ruleset n : node; p : node do rule n != p ==> begin\n"
                            "  if (x ? n : p) = (y ? n : p) then x := !x; else y := !y; end; end;\n"
                            "  rule full[x ? n : p] != full[y ? n : p] ==> begin x := true; y := true; end;\n"
                            "  rule true ==> begin full[n] := !full[n]; end; end;\n"},
    {"an other that is a condition away from no value",
     COVER_HEAD "ruleset s : node do startstate x := false; y := false; undefine who; top := s; place := nobody;\n"
                "  for n : node do full[n] := false; late[n] := false; link[n] := n; next[n] := n; end; end; end;\n"
                "ruleset n : node do rule full[n] & who = n ==> begin x := true; end; end;\n"},
    {"a union's value: an element, another member", COVER_HEAD COVER_START
     "ruleset n : node do rule place = n ==> begin place := next[n]; x := place = nobody; end;\n"
     "  rule next[n] = nobody ==> begin next[n] := who; end; rule next[n] != place ==> begin y := !y; end;\n"
     "  rule place != nobody ==> begin full[place] := true; if full[n] then x := true; end; end; end;\n"},
    {"an array over a union", COVER_HEAD
     "var old : array [maybe] of boolean;\n"
     "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s;\n"
     "  for m : maybe do old[m] := m != s; end;\n"
     "  for n : node do full[n] := false; late[n] := false; link[n] := s; next[n] := nobody; end; end; end;\n"
     "rule old[nobody] ==> begin x := true; old[place] := true; end;\n"
     "rule old[place] ==> begin y := !y; old[nobody] := false; place := nobody; end;\n"
     "ruleset n : node do rule !old[n] ==> begin old[next[who]] := true; next[who] := n; x := old[n]; end; "
     "end;\n"},
    {"a variable and an element that is chosen by a condition",
     COVER_HEAD "ruleset s : node; t : node do startstate x := false; y := false; who := s; top := t; place := s;\n"
                "  for n : node do full[n] := false; late[n] := n != t; link[n] := t; next[n] := nobody; end; end; "
                "end;\n"
                "ruleset n : node; p : node do rule n != p & late[n] & late[p] & who != (x ? n : p) ==>\n"
                "  begin y := true; end; end;\n"},
    {"a variable that is chosen by a condition",
     COVER_HEAD COVER_START "rule full[x ? who : top] != full[y ? who : top] ==> begin x := true; y := true; end;\n"
                            "rule (x ? who : top) != (y ? who : top) ==> begin x := false; y := false; end;\n"
                            "ruleset n : node do rule true ==> begin full[n] := !full[n]; x := !x; end; end;\n"},
};

static void models_are_covered(void **state) {
    (void)state;
    cover_all(models, sizeof models / sizeof *models);
}

// What is read twice is the same both times; chosen elements are one of the two.
static void elements_are_known(void **state) {
    (void)state;
    assert_true(cover_knows(COVER_HEAD COVER_START "rule who = top ==> begin if who != top then x := true; end; end;\n"
                                                   "ruleset n : node do rule true ==> begin who := n; end; end;\n"
                                                   "invariant \"never\" !x;\n",
                            1));
    assert_true(cover_knows(COVER_HEAD COVER_START
                            "ruleset n : node; p : node do rule n != p ==> begin\n"
                            "  if (y ? n : p) = (y ? p : n) then x := true; end; y := !y; end; end;\n"
                            "invariant \"never\" !x;\n",
                            2));
    assert_true(cover_knows(COVER_HEAD COVER_START
                            "ruleset n : node do rule full[n] & !full[n] ==> begin x := true; end;\n"
                            "  rule who = n & full[who] & !full[n] ==> begin x := true; end;\n"
                            "  rule true ==> begin full[n] := !full[n]; who := n; end; end;\n"
                            "invariant \"never\" !x;\n",
                            1));
    // What two others hold is not the same thing.
    assert_false(cover_knows(COVER_HEAD COVER_START
                             "ruleset n : node; p : node do rule full[n] & !full[p] ==> begin x := true; end;\n"
                             "  rule true ==> begin full[n] := true; end; end;\n"
                             "invariant \"never\" !x;\n",
                             2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_are_covered), cmocka_unit_test(elements_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
