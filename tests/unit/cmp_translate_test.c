// SPDX-License-Identifier: Apache-2.0
// Conditions of a system as conditions of its abstraction: models that a certain mistake would get wrong.
#include "oracle/unit.h"

#include "oracle/cover.h"

// Each node has marks for two blocks, one of them at the start.
#define WITH_MARKS                                                                                        \
    "type node : scalarset(3); block : scalarset(2); number : 0..2;\n"                                    \
    "var x : boolean; mark : array [node] of array [block] of boolean; at : array [number] of boolean;\n" \
    "function marks(n : node) : number; var c : number; begin c := 0;\n"                                  \
    "  for b : block do if mark[n][b] then c := c + 1; end; end; return c; end;\n"                        \
    "ruleset f : block do startstate x := false; for k : number do at[k] := k = 1; end;\n"                \
    "  for n : node do for b : block do mark[n][b] := b = f; end; end; end; end;\n"

// Nodes are taken by processes, one at a time.
#define WITH_OWNERS                                                                                               \
    "type node : scalarset(3); proc : scalarset(3); none : enum { nobody }; holder : union { proc, none };\n"     \
    "  line : enum { idle, wait, crit };\n"                                                                       \
    "var owner : array [node] of holder; pc : array [proc] of line; want : array [proc] of node;\n"               \
    "startstate for l : node do owner[l] := nobody; end; for p : proc do pc[p] := idle; undefine want[p]; end;\n" \
    "end;\n"                                                                                                      \
    "ruleset p : proc; l : node do rule pc[p] = idle ==> begin want[p] := l; pc[p] := wait; end; end;\n"          \
    "ruleset p : proc do rule pc[p] = wait & owner[want[p]] = nobody ==>\n"                                       \
    "    begin owner[want[p]] := p; pc[p] := crit; end;\n"                                                        \
    "  rule pc[p] = crit ==> begin owner[want[p]] := nobody; pc[p] := idle; undefine want[p]; end; end;\n"

static const cover_model models[] = {
    {"values that are the same are of an element that may be another one than that which has them",
     COVER_HEAD COVER_START
     "rule true ==> begin top := who; end;\n"
     "invariant \"apart\" forall n : node do n = top | link[n] != top end;\n"
     "invariant \"no one\" forall n : node do n = top | next[n] != place & link[n] != top end;\n"},
    {"cells that are read by what others hold, of elements that need not be kept", COVER_HEAD COVER_START
     "ruleset n : node do rule true ==> begin full[n] := !full[n]; end; rule x ==> begin link[n] := who; end;\n"
     "  rule true ==> begin x := !x; next[n] := n; who := n; end; end;\n"
     "invariant \"one\" forall n : node do full[n] | !full[link[n]] end;\n"
     "invariant \"none\" forall n : node do !full[link[n]] end;\n"
     "invariant \"two\" forall n : node do full[link[n]] -> full[link[link[n]]] end;\n"
     "invariant \"same\" forall n : node do link[link[n]] = n end;\n"
     "invariant \"all\" forall n : node do forall p : node do link[n] = link[p] end end;\n"},
    {"some of what is counted of one element, not none or all",
     WITH_MARKS "ruleset n : node do rule marks(n) = 1 ==> begin x := !x; end; end;\n"
                "ruleset n : node; b : block do rule !(marks(n) = 1) ==> begin x := mark[n][b]; end;\n"
                "  rule true ==> begin mark[n][b] := !mark[n][b]; end; end;\n"
                "invariant \"one\" forall n : node do marks(n) = 1 end;\n"
                "invariant \"some\" x -> exists n : node do marks(n) = 1 end;\n"},
    {"what is counted of an element is an index",
     WITH_MARKS "ruleset n : node do rule at[marks(n)] ==> begin x := !x; end; end;\n"
                "rule exists n : node do at[marks(n)] & x end ==> begin x := false; end;\n"},
    {"a parameter that ranges over a union", COVER_HEAD COVER_START
     "ruleset m : maybe do rule place != m ==> begin place := m; x := m = nobody; end;\n"
     "  rule place = m ==> begin next[who] := m; y := !y; end; end;\n"
     "ruleset n : node; m : maybe do rule next[n] = m & m != n ==> begin\n"
     "  if ismember(m, node) then full[m] := true; end; if full[n] then x := !x; end; end; end;\n"
     "rule exists m : maybe do m = place & m != nobody end ==> begin y := !y; end;\n"},
    {"variables of all elements, compared",
     COVER_HEAD COVER_START "rule forall k : node do link[k] != who end ==> begin x := true; end;\n"
                            "ruleset n : node do rule true ==> begin who := n; end; end;\n"},
    {"what all elements hold is not one unknown",
     COVER_HEAD "ruleset s : node; t : node; u : node do startstate x := false; y := false; who := s; top := t; "
                "place := s;\n"
                "  for n : node do full[n] := false; late[n] := n = s; next[n] := n; if n = s then link[n] := t;\n"
                "    else link[n] := u; end; end; end; end;\n"
                "ruleset n : node do rule forall k : node do late[k] = (link[k] = n) end ==> begin x := true; end; "
                "end;\n"},
    {"one value for all elements",
     COVER_HEAD "var at : array [node] of 0..1;\n"
                "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s;\n"
                "  for n : node do full[n] := false; late[n] := false; link[n] := n; next[n] := n; at[n] := 0; end;\n"
                "end; end;\n"
                "ruleset n : node do rule at[n] = 0 ==> begin at[n] := 1; end; end;\n"
                "invariant \"same\" exists v : 0..1 do forall n : node do at[n] = v end end;\n"},
    {"a member of a union", COVER_HEAD COVER_START
     "rule ismember(place, none) ==> begin x := !x; end;\n"
     "rule ismember(place, node) ==> begin y := !y; end;\n"
     "ruleset n : node do rule ismember(next[n], none) ==> begin next[n] := n; place := nobody; end;\n"
     "  rule ismember(next[n], node) ==> begin place := next[n]; end; end;\n"},
    {"a union without elements", COVER_HEAD
     "type one : enum { red, green }; two : enum { big, small }; any : union { one, two };\n"
     "var seen : any; own : array [node] of any;\n"
     "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s; seen := red;\n"
     "  for n : node do full[n] := false; late[n] := false; link[n] := n; next[n] := n; own[n] := big; end;\n"
     "end; end;\n"
     "ruleset n : node do rule ismember(own[n], two) ==> begin own[n] := seen; seen := small; end;\n"
     "  rule own[n] = red ==> begin own[n] := green; seen := own[n]; x := ismember(seen, one); end;\n"
     "  rule own[n] = seen ==> begin y := !y; end; end;\n"},
    {"a condition that is chosen by another about all elements", COVER_HEAD COVER_START
     "ruleset n : node do rule true ==> begin full[n] := !full[n]; end;\n"
     "  rule (exists k : node do full[k] end) = late[n] ==> begin x := !x; late[n] := !late[n]; end; end;\n"
     "rule ((forall k : node do full[k] end) ? x : y) ==> begin y := false; x := false; end;\n"},
    {"conditions so large that translations of their parts are remembered", COVER_HEAD COVER_START
     "function f1(n : node) : boolean; begin return full[n] | n = who; end;\n"
     "function f2(n : node) : boolean; begin return exists k : node do f1(k) & (k != n | !f1(n)) end; end;\n"
     "function f3(n : node) : boolean; begin return forall k : node do f2(k) | (f2(n) = full[k]) end; end;\n"
     "function f4(n : node) : boolean; begin return f3(who) ? f3(n) : f2(n); end;\n"
     "function f5(n : node) : boolean; begin return exists k : node do f4(k) & !f4(n) end; end;\n"
     "function f6(n : node) : boolean; begin return forall k : node do f5(k) -> f5(n) & f4(k) end; end;\n"
     "function g1(n : node) : node; begin return f5(n) ? who : n; end;\n"
     "function g2(n : node) : node; begin return f4(g1(n)) ? g1(n) : who; end;\n"
     "ruleset n : node do rule f6(n) ==> begin full[n] := !full[n]; end;\n"
     "  rule !f6(n) ==> begin who := n; end;\n"
     "  rule full[g2(n)] ==> begin x := !x; end; end;\n"},
};

static void models_are_covered(void **state) {
    (void)state;
    cover_all(models, sizeof models / sizeof *models);
}

// Invariants over all kept elements, guards about all elements.
static void conditions_are_known(void **state) {
    (void)state;
    // What processes have, compared: where it is the same node, it is that one which is kept.
    assert_true(cover_knows(WITH_OWNERS "invariant \"alone\" forall p : proc do forall q : proc do\n"
                                        "  p != q & pc[p] = crit & pc[q] = crit -> want[p] != want[q] end end;\n",
                            1));
    // Read by what processes have: so too.
    assert_true(cover_knows(WITH_OWNERS "invariant \"mine\" forall p : proc do\n"
                                        "  pc[p] = crit -> !isundefined(want[p]) & owner[want[p]] = p end;\n",
                            1));
    assert_true(cover_knows(COVER_HEAD COVER_START
                            "rule true ==> begin y := !y; end;\n"
                            "invariant \"all\" forall n : node do !full[n] & forall k : node do !late[k] end end;\n",
                            2));
    assert_true(cover_knows(COVER_HEAD COVER_START
                            "ruleset n : node do rule forall k : node do k = n | !full[k] end & full[n] & x ==>\n"
                            "  begin full[n] := false; x := false; end;\n"
                            "  rule !x ==> begin full[n] := true; x := true; end; end;\n"
                            "invariant \"x\" forall n : node do full[n] -> x end;\n",
                            1));
    assert_false(cover_knows(COVER_HEAD COVER_START
                             "ruleset n : node do rule true ==> begin full[n] := true; end; end;\n"
                             "rule exists n : node do full[n] end ==> begin x := true; end;\n"
                             "invariant \"never\" !x;\n",
                             1));
    // Of two elements at once nothing is known with one kept.
    assert_false(cover_knows(COVER_HEAD COVER_START
                             "rule true ==> begin y := !y; end;\n"
                             "invariant \"pairs\" forall n : node do forall k : node do !full[n] | !full[k] end end;\n",
                             1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_are_covered), cmocka_unit_test(conditions_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
