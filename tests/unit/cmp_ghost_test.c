// SPDX-License-Identifier: Apache-2.0
// Whether some element that is not kept satisfies what a property says of some element: models that a certain mistake
// would get wrong.
#include "oracle/unit.h"

#include "oracle/cover.h"

static const cover_model models[] = {
    {"some element, in a loop over all", COVER_HEAD COVER_START
     "ruleset n : node do rule !full[n] ==> begin full[n] := true; end; end;\n"
     "rule true ==> begin for a : node do full[a] := !full[a]; end; end;\n"
     "rule true ==> begin for a : node do if full[a] then late[a] := true; full[a] := false; end; end; end;\n"
     "rule forall n : node do !late[n] end ==> begin x := !x; end;\n"
     "invariant \"some\" x -> exists n : node do full[n] end;\n"},
    {"some element, and guards about all",
     COVER_HEAD COVER_START "ruleset n : node do rule true ==> begin full[n] := true; late[n] := true; end; end;\n"
                            "rule forall n : node do !late[n] end ==> begin x := !x; end;\n"
                            "rule forall n : node do !late[n] | full[n] end ==> begin y := !y; end;\n"
                            "invariant \"some\" x -> exists n : node do full[n] end;\n"},
    {"some element, in loops with a write through a variable between them",
     COVER_HEAD "var seen : array [node] of boolean;\n" COVER_START
                "rule true ==> begin for a : node do full[a] := late[a]; end; late[who] := !late[who];\n"
                "  for a : node do seen[a] := late[a]; end; end;\n"
                "ruleset n : node do rule true ==> begin who := n; end; end;\n"
                "invariant \"some\" x -> exists n : node do full[n] & !isundefined(seen[n]) & !seen[n] end;\n"},
    {"some element, through a variable",
     COVER_HEAD COVER_START "ruleset n : node do rule true ==> begin full[who] := !full[who]; who := n; end; end;\n"
                            "invariant \"some\" x -> exists n : node do full[n] end;\n"},
    {"some element, by shared state", COVER_HEAD COVER_START
     "ruleset n : node do rule true ==> begin who := n; end; rule true ==> begin full[n] := !full[n]; end;\n"
     "end;\ninvariant \"some\" x -> exists n : node do full[n] & who != n end;\n"},
    {"some element, at a start",
     COVER_HEAD "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s;\n"
                "  for n : node do full[n] := false; late[n] := n != s; link[n] := n; next[n] := n; end; full[s] "
                ":= true;\n"
                "end; end;\nruleset n : node do rule late[n] ==> begin late[n] := false; end; end;\n"
                "invariant \"some\" x -> exists n : node do full[n] end;\n"
                "invariant \"late\" x -> exists n : node do late[n] end;\n"},
    {"some element, in a loop that takes values away",
     COVER_HEAD COVER_START "ruleset n : node do rule true ==> begin full[n] := true; late[n] := !late[n]; end; end;\n"
                            "rule true ==> begin for a : node do if late[a] then undefine full[a]; end; end; end;\n"
                            "invariant \"some\" x -> exists n : node do !isundefined(full[n]) & full[n] end;\n"},
    {"some element, in a loop that reads what was written",
     COVER_HEAD COVER_START "rule true ==> begin x := !x; for a : node do full[a] := x; end; end;\n"
                            "invariant \"some\" y -> exists n : node do full[n] end;\n"},
    {"some element, in a loop beside a parameter", COVER_HEAD COVER_START
     "ruleset n : node do rule true ==> begin full[n] := true; end;\n"
     "  rule true ==> begin for a : node do full[a] := !full[a]; end; late[n] := true; end; end;\n"
     "invariant \"some\" x -> exists n : node do full[n] end;\n"},
    {"some element, through what it holds",
     COVER_HEAD COVER_START "ruleset n : node; p : node do\n"
                            "  rule true ==> begin link[n] := p; full[p] := !full[p]; end; end;\n"
                            "invariant \"linked\" x -> exists n : node do full[link[n]] end;\n"},
    {"some element, and another", COVER_HEAD COVER_START
     "ruleset n : node do rule true ==> begin full[n] := true; end;\n"
     "  rule true ==> begin late[n] := true; end; end;\n"
     "invariant \"both\" x -> exists n : node do full[n] & exists k : node do late[k] & k != n end end;\n"},
};

static void models_are_covered(void **state) {
    (void)state;
    cover_all(models, sizeof models / sizeof *models);
}

// Without the memory of the others nothing would be known.
static void some_element_is_remembered(void **state) {
    (void)state;
    assert_true(cover_knows(COVER_HEAD COVER_START
                            "ruleset n : node do rule true ==> begin full[n] := true; x := true; end; end;\n"
                            "invariant \"some\" x -> exists n : node do full[n] end;\n",
                            1));
    assert_true(cover_knows(COVER_HEAD COVER_START
                            "ruleset n : node do rule true ==> begin full[n] := true; x := true; end;\n"
                            "  rule true ==> begin late[n] := !late[n]; end; end;\n"
                            "rule true ==> begin for a : node do if late[a] then full[a] := true; end; end; end;\n"
                            "invariant \"some\" x -> exists n : node do full[n] end;\n",
                            1));
    assert_false(
        cover_knows(COVER_HEAD COVER_START
                    "ruleset n : node do rule true ==> begin full[n] := true; x := true; end; end;\n"
                    "rule true ==> begin for a : node do if late[a] then full[a] := true; else full[a] := false;\n"
                    "  end; end; end;\n"
                    "invariant \"some\" x -> exists n : node do full[n] end;\n",
                    1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_are_covered),
                                       cmocka_unit_test(some_element_is_remembered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
