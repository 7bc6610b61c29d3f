// SPDX-License-Identifier: Apache-2.0
// What the constructs of UPPAAL's languages mean: small models, queries and verdicts worked out by hand.
#include "front/xta.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <string.h>

typedef struct {
    const char *what, *text, *query;
    bool holds;
} example;

#define ONE(decls, edges) decls "process P() { state a, b, c; init a; trans " edges "; } system P;"

static const example examples[] = {
    {"updates run in order", ONE("int n, k;", "a -> b { assign n = 3, k = n + 1; }"), "A[] P.b imply k == 4",
     true},
    {"a function with a loop and an early return",
     ONE("int v[4] = {2, 7, 1, 8}; int find(int x) { int i; for (i = 0; i < 4; i++) if (v[i] == x) return i; "
         "return -1; }"
         "int n;",
         "a -> b { assign n = find(1) * 10 + find(5); }"),
     "A[] P.b imply n == 19", true},
    {"a loop that depends on the state",
     ONE("int[0,9] n, s; void up() { int i = 0; while (i < n) { s += i; i++; } }",
         "a -> b { assign n = 4; }, b -> c { assign up(); }"),
     "A[] P.c imply s == 6", true},
    {"a function in a guard",
     ONE("int[0,5] n = 3; bool big(int x) { return x >= 3; }", "a -> b { guard big(n); }"), "E<> P.b", true},
    {"references",
     ONE("int p, q; void swap(int &x, int &y) { int t = x; x = y; y = t; }",
         "a -> b { assign p = 1, q = 2, swap(p, q); }"),
     "A[] P.b imply p == 2 and q == 1", true},
    {"structs are copied",
     ONE("struct { int x; bool y; } s, t;", "a -> b { assign s.x = 4, s.y = true, t = s, s.x = 5; }"),
     "A[] P.b imply t.x == 4 and t.y", true},
    {"postfix in an index", ONE("int v[3]; int[0,3] n;", "a -> b { assign v[n++] = 5, v[n++] = 6; }"),
     "A[] P.b imply n == 2 and v[0] == 5 and v[1] == 6", true},
    {"minimum, maximum, shifts, remainders",
     ONE("int n;", "a -> b { assign n = (3 <? 5) + (3 >? 5) * 10 + (1 << 4) + (-7 % 3) + (-7 / 2); }"),
     "A[] P.b imply n == 3 + 50 + 16 - 1 - 3", true},
    {"numbers as truth values", ONE("int n = 2; bool t;", "a -> b { guard n; assign t = n, n = t + 1; }"),
     "A[] P.b imply t and n == 2", true},
    {"constant arrays",
     ONE("const int d[3] = {4, 5, 6}; int[0,2] i = 1; int n;", "a -> b { assign n = d[i] + d[2]; }"),
     "A[] P.b imply n == 11", true},
    {"select takes every value", ONE("int n;", "a -> b { select i : int[2,4]; guard i != 3; assign n = i; }"),
     "E<> n == 4 and P.b", true},
    {"... that the guard allows",
     ONE("int n;", "a -> b { select i : int[2,4]; guard i != 3; assign n = i; }"), "E<> n == 3", false},
    {"a committed location stops time and others",
     "clock x; process P() { state a, b; commit a; init a; trans a -> b { }; }"
     "process Q() { state a, b; init a; trans a -> b { }; } system P, Q;",
     "A[] P.a imply Q.a and x == 0", true},
    {"an urgent location stops time only",
     "clock x; process P() { state a, b; urgent a; init a; trans a -> b { }; }"
     "process Q() { state a, b; init a; trans a -> b { }; } system P, Q;",
     "E<> P.a and Q.b and x == 0", true},
    {"... but does stop it",
     "clock x; process P() { state a, b; urgent a; init a; trans a -> b { }; } system P;",
     "E<> P.a and x > 0", false},
    {"an urgent channel stops time when both are ready",
     "clock x; urgent chan u; process P() { state a, b; init a; trans a -> b { sync u!; }; }"
     "process Q() { clock y; state a { y <= 2 }, b, c; init a; trans a -> b { guard y == 2; }, b -> c { sync "
     "u?; }; }"
     "system P, Q;",
     "A[] Q.b imply x == 2", true},
    {"the sender's update comes first",
     "chan c; int n; process P() { state a, b; init a; trans a -> b { sync c!; assign n = 3; }; }"
     "process Q() { state a, b; init a; trans a -> b { sync c?; assign n = n * 2; }; } system Q, P;",
     "A[] P.b imply n == 6", true},
    {"broadcast receivers run in the order of the system line",
     "broadcast chan c; int n; process P() { state a, b; init a; trans a -> b { sync c!; assign n = 1; }; }"
     "process Q(const int k) { state a, b; init a; trans a -> b { sync c?; assign n = n * 10 + k; }; }"
     "Q1 = Q(2); Q2 = Q(3); system Q2, P, Q1;",
     "A[] P.b imply n == 132 and Q1.b and Q2.b", true},
    {"whether a receiver joins is decided before",
     "broadcast chan c; int n; process P() { state a, b; init a; trans a -> b { sync c!; assign n = 1; }; }"
     "process Q() { state a, b; init a; trans a -> b { guard n == 0; sync c?; }; } system P, Q;",
     "A[] P.b imply Q.b", true},
    {"a broadcast needs no receiver",
     "broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; } system P;", "E<> P.b",
     true},
    {"a binary channel needs one",
     "chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; } system P;", "E<> P.b", false},
    {"an array of channels, chosen by a variable",
     "chan c[3]; int[0,2] k = 1; process P() { state a, b; init a; trans a -> b { sync c[k]!; }; }"
     "process Q(const int[0,2] i) { state a, b; init a; trans a -> b { sync c[i]?; }; } system P, Q;",
     "A[] P.b imply Q(1).b and not Q(0).b and not Q(2).b", true},
    {"an invariant that fails makes the step impossible",
     "clock x; process P() { state a, b { x <= 1 }; init a; trans a -> b { guard x >= 2; }; } system P;",
     "E<> P.b", false},
    {"... unless the clock is set",
     "clock x; process P() { state a, b { x <= 1 }; init a; trans a -> b { guard x >= 2; assign x = 1; }; } "
     "system P;",
     "E<> P.b", true},
    {"deadlock counts delays",
     "clock x; process P() { state a, b; init a; trans a -> b { guard x >= 5; }, b -> b { }; } system P;",
     "A[] not deadlock", true},
    {"... and guards that are missed",
     "clock x; process P() { state a, b; init a; trans a -> b { guard x == 5; }, b -> b { }; } system P;",
     "A[] not deadlock", false},
    {"time may pass for ever", "process P() { state a, b; init a; trans a -> b { }; } system P;", "A<> P.b",
     false},
    {"an invariant forces",
     "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { }; } system P;", "A<> P.b", true},
    {"... but may also be a trap",
     "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x < 2; }; } system P;",
     "A<> P.b", false},
    {"leads-to with a clock bound",
     "clock x; process P() { state a, b { x <= 3 }, c; init a; trans a -> b { assign x = 0; }, b -> c { "
     "guard x >= 2; }; } system P;",
     "P.b --> P.c and x <= 3", true},
    {"clock arrays with a variable index",
     ONE("clock x[2]; int[0,1] i = 1;", "a -> b { guard x[i] >= 2; assign x[i] = 0; }"),
     "A[] P.b imply x[0] - x[1] >= 2", true},
    {"sums of truth values",
     "process P(const int[0,3] k) { state a, b; init a; trans a -> b { guard k < 3; }; } system P;",
     "A[] (sum (i : int[0,3]) P(i).b) <= 3", true},
};

static verdict ask(const example *e, str *complaint) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    xta_options o = {.queries = &e->query, .nqueries = 1};
    verdict v = VERDICT_UNKNOWN;
    if (xta_read_text(m, "example.xta", e->text, strlen(e->text), &o, &system)) {
        instance *in = instance_new(m, system, NULL, 0);
        result *r = result_new();
        explore_options eo = {.engine = ENGINE_BYTECODE, .threads = 1, .limit_states = 10000};
        zone_run(in, &(prop){1}, 1, &eo, r);
        v = r->properties.len == 1 ? r->properties.data[0].verdict : VERDICT_UNKNOWN;
        if (r->properties.data[0].reason) str_add(complaint, r->properties.data[0].reason);
        result_free(r);
        instance_free(in);
    }
    diag_print(messages, complaint, false);
    model_free(m);
    diag_free(messages);
    return v;
}

static void test_examples(void **state) {
    bool ok = true;
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        str complaint = {0};
        verdict v = ask(&examples[i], &complaint);
        if (v != (examples[i].holds ? VERDICT_HOLDS : VERDICT_VIOLATED)) {
            print_error("%s: %s\n%s\n", examples[i].what, verdict_text(v), str_get(&complaint));
            ok = false;
        }
        str_free(&complaint);
    }
    assert_true(ok);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
