// SPDX-License-Identifier: Apache-2.0
// What Murphi's constructs mean, by models that check themselves with `assert`: each has to hold, or to fail with a
// given text. Unions and multisets, which Rumur does not have, are tested here only.
#include "oracle/unit.h"

#include "explore/explore.h"
#include "front/murphi/murphi.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *text;
    const char *failure;  // NULL: everything holds
    uint64_t states;      // 0: any number
} murphi_case;

// Without deadlocks, so that models may end.
static void run(const murphi_case *c, str *reasons, uint64_t *states) {
    diag *d = diag_new();
    model *m = model_new(d);
    sys s = {0};
    murphi_options o = {.copies_undefined = true};
    if (!murphi_read_text(m, "case.m", c->text, strlen(c->text), &o, &s)) diag_print(d, reasons, false);
    else {
        instance *in = instance_new(m, s, NULL, 0);
        explore_options e = {.threads = 1, .symmetry = true, .engine = ENGINE_BYTECODE};
        result *r = result_new();
        VEC(prop) props = {0};
        for (uint32_t i = 1; i < m->props.len; i++) vec_push(&props, (prop){i});
        explored *x = NULL;
        explore_run(in, props.data, props.len, &e, r, &x);
        *states = explored_count(x);
        for (uint32_t i = 0; i < r->properties.len; i++)
            if (r->properties.data[i].verdict != VERDICT_HOLDS)
                str_printf(reasons, "%s: %s\n", r->properties.data[i].name, r->properties.data[i].reason);
        diag_print(d, reasons, false);
        explored_free(x);
        vec_free(&props);
        result_free(r);
        instance_free(in);
    }
    model_free(m);
    diag_free(d);
}

static void check(const murphi_case *c) {
    str reasons = {0};
    uint64_t states = 0;
    run(c, &reasons, &states);
    bool ok = c->failure ? strstr(str_get(&reasons), c->failure) != NULL : reasons.len == 0;
    if (!ok || (c->states && states != c->states))
        printf("# %s\n# %llu states, %s\n", c->text, (unsigned long long)states, str_get(&reasons));
    assert_true(ok);
    if (c->states) assert_int_equal(states, c->states);
    str_free(&reasons);
}

static void check_all(const murphi_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) check(&cases[i]);
}

#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof *(cases))
#define HEAD                                                      \
    "var x, y : 0..3; b : boolean; row : array [0..3] of 0..3;\n" \
    "startstate x := 0; y := 0; b := false; clear row; end;\n"
#define ONCE(body) HEAD "rule !b ==> " body " b := true; end;"

static void statements_mean_what_they_say(void **state) {
    (void)state;
    static const murphi_case cases[] = {
        {ONCE("begin alias a : row[x] do x := 1; a := 3; end; assert row[0] = 3 & row[1] = 0;"), NULL, 2},
        {ONCE("begin alias a : x + 1 do x := 2; assert a = 1; end;"), NULL, 2},
        {ONCE("begin alias a : x c : row[y + 1] do a := 2; c := 1; end; assert x = 2 & row[1] = 1;"), NULL, 2},
        {ONCE("begin for i : 1..2; j := 0 to 3 by 3 do row[j] := i; x := i; end;"
              " assert row[0] = 2 & row[3] = 2 & row[1] = 0 & x = 2;"),
         NULL, 2},
        {ONCE("begin x := 1; switch x case 0, 1: x := 2; case 2: x := 3; else x := 0; end; assert x = 2;"), NULL, 2},
        {ONCE("begin for i := 3 to 0 by -1 do row[i] := y; if y < 3 then y := y + 1; end; end;"
              " assert row[3] = 0 & row[0] = 3;"),
         NULL, 2},
        {ONCE("begin y := 2; for i := 0 to y by y do x := i; end; assert x = 2;"), NULL, 2},
        {ONCE("begin for i := 0 to 1 by x do y := i; end;"), "a step of 0", 0},
        {ONCE("begin while x < 3 do x := x + 1; if x = 2 then y := 1; end; end; assert x = 3 & y = 1;"), NULL, 2},
        {ONCE("begin while true do x := 0; end;"), "does not end", 0},
        {ONCE("var n : 0..6; begin n := 0; for i : 0..63; j : 0..63; k : 0..99 do n := (n + 1) % 7; end;"
              " assert n = 2;"),  // 409600 = 7 * 58514 + 2: more than is written out
         NULL, 2},
        {ONCE("begin for i : 0..3 do if i = 2 then b := true; return; end; x := i; end; x := 3;"), NULL, 2},
        {ONCE("begin undefine x; assert isundefined(x); y := x; assert isundefined(y); x := 0; y := 0;"), NULL, 2},
        {ONCE("begin undefine x; y := x + 1;"), "x is undefined", 0},
        {ONCE("begin row[x + 3] := 1; row[x + 4] := 1;"), "4 is no index of row[]: 0..3", 0},
        {ONCE("var t : array [0..3] of 0..3; begin clear t; t[2] := 1; row := t; assert row = t & row[2] = "
              "1;"),
         NULL, 2},
        {ONCE("begin x := 7 / 2; y := -7 / 2 + 3; assert x = 3 & y = 0 & -7 % 3 = -1;"), NULL, 2},
        {ONCE("begin assert (6 & 3) = 2 & (6 | 3) = 7 & (6 ^ 3) = 5 & ~0 = -1 & 1 << 2 = 4 & 5 >> 1 = 2;"), NULL, 2},
        {HEAD "rule x < 3 ==> begin x := x + 1; assume x < 3; end;", NULL, 3},
        {HEAD "assume x < 2; rule x < 3 ==> begin x := x + 1; end;", NULL, 2},
        {HEAD "rule x < 3 ==> begin x := x + 1; cover \"two\" x = 2; end;", NULL, 0},
        {HEAD "rule x < 1 ==> begin x := x + 1; cover \"two\" x = 2; end;", "two: no reachable state", 0},
    };
    CHECK_ALL(cases);
}

#define CALLS                                                                                               \
    "var hits : 0..3; p : record k : 0..3; q : array [0..1] of 0..3; end; z : boolean; n : 0..3;\n"         \
    "startstate hits := 0; clear p; z := false; n := 0; end;\n"                                             \
    "function touch() : boolean; begin hits := hits + 1; return true; end;\n"                               \
    "function twice(v : 0..3) : 0..6; begin return v + v; end;\n"                                           \
    "function first(lo : 0..3) : 0..3; begin for i : 0..3 do if i > lo then return i; end; end; return 0; " \
    "end;\n"                                                                                                \
    "function pair(v : 0..3) : record k : 0..3; q : array [0..1] of 0..3; end;\n"                           \
    "  var r : record k : 0..3; q : array [0..1] of 0..3; end; begin clear r; r.k := v; return r; end;\n"   \
    "function stale(set : boolean) : 0..3; var t : 0..3; begin if set then t := 1; end; return t; end;\n"   \
    "procedure grow(var v : 0..3); begin v := v + 1; end;\n"
#define CALL(body) CALLS "rule !z ==> begin " body " z := true; end;"

static void calls_are_inlined(void **state) {
    (void)state;
    static const murphi_case cases[] = {
        {CALL("if z & touch() then n := 1; end; assert hits = 0;"), NULL, 2},
        {CALL("if !z & touch() then n := 1; end; assert hits = 1 & n = 1;"), NULL, 2},
        {CALL("if forall i : 0..1 do touch() end then n := hits; end; assert n = 2;"), NULL, 2},
        {CALL("n := z ? (touch() ? 1 : 2) : 3; assert n = 3 & hits = 0;"), NULL, 2},
        {CALL("n := twice(twice(0) + 1); assert n = 2; assert twice(1) + twice(2) = 6;"), NULL, 2},
        {CALL("n := first(1); assert n = 2 & first(3) = 0;"), NULL, 2},
        {CALL("grow(p.q[n]); grow(p.q[n]); assert p.q[0] = 2 & p.q[1] = 0;"), NULL, 2},
        {CALL("n := 1; p.q[0] := 1; grow(p.q[p.q[0]]); assert p.q[1] = 1;"), NULL, 2},
        {CALL("p.k := 3; p := pair(2); assert p.k = 2 & pair(1).k = 1;"), NULL, 2},
        {CALL("n := stale(true); n := stale(false); assert isundefined(n); n := 0;"), NULL, 2},
        {CALLS "rule !z & first(n) = 1 ==> begin z := true; end; invariant twice(n) = n + n;", NULL, 2},
        {CALLS "rule !z & touch() ==> begin z := true; end; invariant \"one\" hits <= 1;", NULL, 2},
        {CALLS "rule z & touch() ==> begin n := 1; end;", NULL, 1},
        {CALL("alias r : pair(2) do p := r; assert r.k = 2; end; assert p.k = 2;"), NULL, 2},
        {CALL("alias r : pair(2) do r.k := 1; end;"), "may not be changed", 0},
        {CALLS "function note(v : 0..3) begin n := v; end; rule !z ==> begin note(2); assert n = 2; z := true; "
               "end;",
         NULL, 2},
    };
    CHECK_ALL(cases);
}

#define UNION                                                                                               \
    "type node : scalarset(3); none : enum { nobody }; other : enum { left, right }; link : union { node, " \
    "none };\n"                                                                                             \
    "  wide : union { node, none, other };\n"                                                               \
    "var l : link; u : wide; a : array [link] of boolean; at : array [node] of link; done : boolean;\n"     \
    "startstate l := nobody; u := left; done := false; for i : link do a[i] := false; end;\n"               \
    "  for n : node do at[n] := nobody; end; end;\n"

static void unions_hold_values_of_their_members(void **state) {
    (void)state;
    static const murphi_case cases[] = {
        {UNION "ruleset n : node do rule !done ==> begin l := n; assert l = n & ismember(l, node); u := l;"
               " assert u = n & !ismember(u, other); a[l] := true; done := true; end; end;",
         NULL, 2},
        {UNION "ruleset n : node do rule !done ==> begin at[n] := n; l := at[n]; at[l] := nobody;"
               " assert at[n] = nobody; done := true; end; end;",
         NULL, 2},
        {UNION "rule !done ==> begin at[l] := nobody; end;", "another member", 0},
        {UNION "rule !done ==> begin u := right; l := u; end;", "another member", 0},
        {UNION "ruleset i : link do rule !done ==> begin l := i; done := true; end; end;", NULL, 3},
    };
    CHECK_ALL(cases);
}

#define MULTISET                                                                                       \
    "type letter : enum { a, b }; var net : multiset [3] of record what : letter; n : 0..3; end; k : " \
    "0..3;\n"                                                                                          \
    "startstate undefine net; k := 0; end;\n"
#define SEND(letter)                                                                          \
    "rule \"" #letter "\" multisetcount(i : net, true) < 3 ==> var m : record what : letter;" \
    " n : 0..3; end; begin m.what := " #letter "; m.n := 0; multisetadd(m, net); end;\n"

// The counts are those of bags of two letters with at most three elements: 1 + 2 + 3 + 4.
static void multisets_are_bags(void **state) {
    (void)state;
    static const murphi_case cases[] = {
        {MULTISET SEND(a) SEND(b), NULL, 10},
        {MULTISET SEND(a) SEND(b) "choose c : net do rule begin multisetremove(c, net); end; end;", NULL, 10},
        {MULTISET SEND(a) SEND(b) "rule begin multisetremovepred(i : net, net[i].what = a); end;", NULL, 10},
        {MULTISET SEND(a) "rule multisetcount(i : net, net[i].what = a) = 3 ==> var m : record what : letter;"
                          " n : 0..3; end; begin m.what := a; m.n := 0; multisetadd(m, net); end;",
         "full", 0},
        {MULTISET SEND(a) SEND(b) "function is(x, y : letter) : boolean; begin k := 0; return x = y; end;"
                                  " rule begin multisetremovepred(i : net, is(net[i].what, a));"
                                  " assert multisetcount(i : net, is(net[i].what, a)) = 0; end;",
         NULL, 10},
        {MULTISET SEND(a) SEND(b) "invariant \"no b\" multisetcount(i : net, net[i].what = b) = 0;", "no b", 0},
    };
    CHECK_ALL(cases);
}

#define NODES                                                                                                \
    "type node : scalarset(3); var on : array [node] of boolean; k : 0..3;\n"                                \
    "startstate for n : node do on[n] := false; end; k := 0; end;\n"                                         \
    "ruleset n : node do rule begin on[n] := !on[n]; end; end;\n"                                            \
    "function lit() : 0..3; var c : 0..3; begin c := 0; for n : node do if on[n] then c := c + 1; end; end;" \
    " return c; end;\n"                                                                                      \
    "function any() : boolean; begin for n : node do if on[n] then return true; end; end; return false; "    \
    "end;\n"

#define LIST                                                                                     \
    "var head : -1..2; next : array [0..2] of -1..2;\n"                                          \
    "startstate head := 0; next[0] := 2; next[1] := -1; next[2] := -1; end;\n"                   \
    "function has(n : 0..2) : boolean; var i : -1..2; begin i := head;\n"                        \
    "  while i != -1 do if i = n then return true; end; i := next[i]; end; return false; end;\n" \
    "function length() : 0..3; var i : -1..2; c : 0..3; begin i := head; c := 0;\n"              \
    "  while i != -1 do c := c + 1; i := next[i]; end; return c; end;\n"

// A list that a property follows, as far as there are nodes; one that runs in a circle is an error.
static void properties_follow_lists(void **state) {
    (void)state;
    static const murphi_case cases[] = {
        {LIST "rule head != -1 ==> begin head := next[head]; end; invariant has(0) -> has(2); invariant !has(1);", NULL,
         3},
        {LIST "rule head = 0 ==> begin head := 2; end; invariant \"first\" has(0);", "first", 0},
        {LIST "rule head = 0 ==> begin next[2] := 0; end; invariant \"ends\" !has(1);", "undefined", 0},
        {LIST "rule length() = 2 ==> begin head := -1; end; invariant length() != 1;", NULL, 2},
    };
    CHECK_ALL(cases);
}

// Four orbits: how many are lit. A warning would say that symmetry was given up.
static void loops_of_functions_keep_symmetry(void **state) {
    (void)state;
    static const murphi_case cases[] = {
        {NODES "invariant lit() <= 3;", NULL, 4},
        {NODES "invariant \"dark\" lit() < 3;", "dark", 0},
        {NODES "invariant any() = (lit() > 0);", NULL, 4},
        {NODES "invariant any() = exists n : node do on[n] end;", NULL, 4},
        {NODES "rule lit() = 2 ==> begin k := 0; end;", NULL, 4},
        {NODES "function full() : boolean; begin for n : node do for o : node do if !on[n] | !on[o] then"
               " return false; end; end; end; return true; end; invariant full() = (lit() = 3);",
         NULL, 4},
        {NODES "rule any() ==> begin for n : node do on[n] := false; end; end;", NULL, 4},
    };
    CHECK_ALL(cases);
}

// Variables that always have a value take no code for having none.
static void always_defined(void **state) {
    (void)state;
    diag *d = diag_new();
    model *m = model_new(d);
    sys s;
    const char *text = "var a, b, c : 0..3; startstate a := 0; b := 1; end; rule begin a := b; c := a; end;";
    murphi_options o = {.copies_undefined = true};
    assert_true(murphi_read_text(m, "case.m", text, strlen(text), &o, &s));
    assert_false(func_of(m, model_find_func(m, s, "a"))->may_be_undefined);
    assert_false(func_of(m, model_find_func(m, s, "b"))->may_be_undefined);
    assert_true(func_of(m, model_find_func(m, s, "c"))->may_be_undefined);
    model_free(m);
    diag_free(d);
}

#define WIDE "const B : 0x100000000; var x : 0..B - 1; y : -B..B; startstate x := 1; y := -1; end;\n"

static void constants_have_64_bits(void **state) {
    (void)state;
    static const murphi_case cases[] = {
        {WIDE "rule x < 1000 ==> begin x := x * 2; assert x < B & x != B & B > x & -B < x & !(x = B) & B / 2 > x"
              " & !(x > B) & !(B <= x) & B = B & B != B + 1 & B < B * 2 & -B < B & B - 1 < B; end;",
         NULL, 11},
        {WIDE "rule begin assert y >= B; end;", "the assertion does not hold", 0},
        {WIDE "rule begin x := B; end;", "lies beyond", 0},
        {WIDE "rule begin undefine x; assert x < B; end;", "x is undefined", 0},
        {WIDE "rule x > 0 ==> begin x := x * 2; end;", "number lies beyond", 0},
        {WIDE "rule x > 0 & y * 2 < 0 ==> begin y := y * 2; end;", "goes beyond", 0},
        {WIDE "invariant forall i : 0..9 do i * 1000000000 * x < B end;", "goes beyond", 0},
        {"const A : 18446744073709551616; startstate end;", "too large", 0},
        {"const A : 18446744073709551615; var x : 0..A; startstate x := 0; end;"
         " rule x = 0 ==> begin assert x < A & A - 1 < A & 9223372036854775807 < A; x := 1; end;",
         NULL, 2},
        {"var x : 0..1000000000000; startstate x := 999999999999; end;", "lies beyond", 0},
        {"type t : scalarset(4294967298); var x : t; startstate end;", "between 1 and 64", 0},
        {"function f(n : 0..99) : 0..99; begin if n = 0 then return 0; end; return f(n - 1); end;"
         " var x : 0..99; startstate x := 99; end; rule begin x := f(x); end;",
         NULL, 2},
    };
    CHECK_ALL(cases);
}

static const int64_t edges[] = {0,     1,      -1,    2,          -2,         3,          31,         46340,
                                46341, -46341, 65536, 1073741824, 2147483646, 2147483647, -2147483647};

static bool exact(char op, int64_t a, int64_t b, int64_t *r) {
    if (op == '<' && (b < 0 || (b > 31 && b < 64))) return false;  // to the left, by places that 64 bits have or not
    *r = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : b >= 64 ? 0 : a * (INT64_C(1) << b);
    return true;
}

// x op y is what 64 bits make of it, or the answer is that it lies beyond the values: no error of the model.
static void check_operation(char op, int64_t a, int64_t b) {
    int64_t r;
    str text = {0};
    if (!exact(op, a, b, &r)) return;
    bool fits = r >= -INT32_MAX && r <= INT32_MAX;
    str_printf(&text,
               "var x, y, z : -2147483647..2147483647; startstate x := %lld; y := %lld; z := 0; end;\n"
               "rule z = 0 ==> begin z := x %c%s y; assert z = %lld; z := 1; end; invariant z > 0 | x %c%s y "
               "= %lld;",
               (long long)a, (long long)b, op, op == '<' ? "<" : "", (long long)r, op, op == '<' ? "<" : "",
               (long long)r);
    check(&(murphi_case){str_get(&text), fits ? NULL : "run-time error: a number", 0});
    str_free(&text);
}

static void arithmetic_is_exact(void **state) {
    (void)state;
    const size_t n = sizeof edges / sizeof *edges;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (const char *op = "+-*<"; *op; op++) check_operation(*op, edges[i], edges[k]);
}

static void functions_of_properties_have_arrays(void **state) {
    (void)state;
#define NTH                                                                                                \
    "type t : enum { a, b, c }; var x : 0..2; startstate x := 0; end; rule begin x := (x + 1) % 3; end;\n" \
    "function nth(i : 0..2) : t; var all : array [0..2] of t; n : 0..3; begin n := 0;\n"                   \
    "  for v : t do all[n] := v; n := n + 1; end; return all[i]; end;\n"                                   \
    "function grid(i : 0..1; k : 0..2) : 0..9; var g : array [0..1] of array [0..2] of 0..9; begin\n"      \
    "  g[i][k] := 5; g[1][x] := 7; return g[i][k]; end;\n"
    static const murphi_case cases[] = {
        {NTH "invariant nth(0) = a & nth(2) = c; invariant x = 1 -> nth(x) = b;", NULL, 3},
        {NTH "invariant \"b\" nth(x) != c;", "b: b does not hold", 0},
        {NTH "invariant grid(0, x) = 5 & grid(1, x) = 7 & (x = 2 | grid(1, 2) = 5);", NULL, 3},
        {NTH "function one() : 0..9; var g : array [0..2] of 0..9; begin g[x] := 1; return g[1]; end;"
             " invariant one() = 1;",
         "undefined value", 0},
    };
    CHECK_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_mean_what_they_say),
        cmocka_unit_test(calls_are_inlined),
        cmocka_unit_test(unions_hold_values_of_their_members),
        cmocka_unit_test(multisets_are_bags),
        cmocka_unit_test(loops_of_functions_keep_symmetry),
        cmocka_unit_test(always_defined),
        cmocka_unit_test(properties_follow_lists),
        cmocka_unit_test(constants_have_64_bits),
        cmocka_unit_test(arithmetic_is_exact),
        cmocka_unit_test(functions_of_properties_have_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
