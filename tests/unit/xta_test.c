// SPDX-License-Identifier: Apache-2.0
// What the constructs of UPPAAL's languages mean: small models, queries and verdicts worked out by hand.
#include "front/xta/xta.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <string.h>

typedef struct {
    const char *what, *text, *query;
    bool holds;
} example;

#define ONE(decls, edges) decls "process P() { state a, b, c; init a; trans " edges "; } system P;"

#define PAIR "typedef struct { int x; int y[2]; } S; "

static const example examples[] = {
    {"updates run in order", ONE("int n, k;", "a -> b { assign n = 3, k = n + 1; }"), "A[] P.b imply k == 4", true},
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
    {"a function in a guard", ONE("int[0,5] n = 3; bool big(int x) { return x >= 3; }", "a -> b { guard big(n); }"),
     "E<> P.b", true},
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
    {"constant arrays", ONE("const int d[3] = {4, 5, 6}; int[0,2] i = 1; int n;", "a -> b { assign n = d[i] + d[2]; }"),
     "A[] P.b imply n == 11", true},
    {"select takes every value", ONE("int n;", "a -> b { select i : int[2,4]; guard i != 3; assign n = i; }"),
     "E<> n == 4 and P.b", true},
    {"... that the guard allows", ONE("int n;", "a -> b { select i : int[2,4]; guard i != 3; assign n = i; }"),
     "E<> n == 3", false},
    {"a committed location stops time and others",
     "clock x; process P() { state a, b; commit a; init a; trans a -> b { }; }"
     "process Q() { state a, b; init a; trans a -> b { }; } system P, Q;",
     "A[] P.a imply Q.a and x == 0", true},
    {"an urgent location stops time only",
     "clock x; process P() { state a, b; urgent a; init a; trans a -> b { }; }"
     "process Q() { state a, b; init a; trans a -> b { }; } system P, Q;",
     "E<> P.a and Q.b and x == 0", true},
    {"... but does stop it", "clock x; process P() { state a, b; urgent a; init a; trans a -> b { }; } system P;",
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
     "broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; } system P;", "E<> P.b", true},
    {"a binary channel needs one", "chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; } system P;",
     "E<> P.b", false},
    {"an array of channels, chosen by a variable",
     "chan c[3]; int[0,2] k = 1; process P() { state a, b; init a; trans a -> b { sync c[k]!; }; }"
     "process Q(const int[0,2] i) { state a, b; init a; trans a -> b { sync c[i]?; }; } system P, Q;",
     "A[] P.b imply Q(1).b and not Q(0).b and not Q(2).b", true},
    {"an invariant that fails makes the step impossible",
     "clock x; process P() { state a, b { x <= 1 }; init a; trans a -> b { guard x >= 2; }; } system P;", "E<> P.b",
     false},
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
    {"time may pass for ever", "process P() { state a, b; init a; trans a -> b { }; } system P;", "A<> P.b", false},
    {"an invariant forces", "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { }; } system P;",
     "A<> P.b", true},
    {"... but may also be a trap",
     "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x < 2; }; } system P;", "A<> P.b",
     false},
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
    {"a parameter by value that is written is a variable of the process",
     "process P(int[1,3] n) { state a; init a; trans a -> a { guard n < 3; assign n++; }; } system P;",
     "E<> P(1).n == 3 and P(2).n == 2", true},
    {"... of each its own, also by a reference to it",
     "void up(int &x) { x += 5; } process P(int n) { state a, b; init a; trans a -> b { assign up(n); }; }"
     "P1 = P(1); P2 = P(2); system P1, P2;",
     "A[] (P1.n == 1 or P1.n == 6) and (P2.n == 7 imply P2.b)", true},
    {"a process without locations",
     "process Q() { } process P() { state a, b; init a; trans a -> b { }; } system Q, P;", "E<> P.b", true},
    {"members of constant arrays of structs",
     ONE("const struct { int x, y[2]; } d[2] = {{1, {2, 3}}, {4, {5, 6}}}; int[0,1] i = 1; int n;",
         "a -> b { assign n = d[i].x * 100 + d[0].y[i] * 10 + d[i].y[1 - i]; }"),
     "A[] P.b imply n == 435", true},
    {"what a constant left side decides is not evaluated",
     ONE("const int N = 2; int v[N]; bool f(int i) { return i < N && v[i] == 0; }", "a -> b { guard !f(2); }"),
     "E<> P.b", true},
    {"a search through an array, in a guard",
     ONE("bool used[4] = {true, true, false, true}; int first() { int i = 0; while (i < 4) { if (!used[i]) "
         "return i; i++; } return 9; }",
         "a -> b { guard first() == 2; assign used[2] = true; }, b -> c { guard first() == 9; }"),
     "E<> P.c", true},
    {"a function of a process, in a query",
     "process P(const int k) { int n; int twice(int x) { return k * n + x; } state a, b; init a; trans a -> "
     "b { "
     "assign n = 3; }; } Q = P(2); system Q;",
     "A[] Q.b imply Q.twice(1) == 7", true},
    {"constants and guards as UPPAAL 3 wrote them",
     "clock x; int id; const k 2; process P { state a { x <= k, x <= 5 }, b; init a; trans a -> b { guard x "
     ">= k, "
     "id == 0; }; } system P;",
     "A[] P.b imply x >= 2", true},
    {"all who share a channel move together",
     "chan c; process P() { state a, b; init a; trans a -> b { sync c; }; } Q = P(); R = P(); S = P();"
     "system Q, R, S; IO Q { c } IO R { c }",
     "A[] (Q.b == R.b) and not S.b", true},
    {"... each time one edge of each",
     "chan c[2]; int n; process P(const int k) { state a, b; init a; trans a -> b { select i : int[0,1]; "
     "sync c[i]; "
     "assign n = n * 10 + k + i; }; } Q = P(1); R = P(3); system Q, R; IO Q { c[0], c[1] } IO R { c[1] }",
     "E<> Q.b and R.b and n == 24", true},
    {"... but not without the other",
     "chan c[2]; int n; process P(const int k) { state a, b; init a; trans a -> b { select i : int[0,1]; "
     "sync c[i]; "
     "assign n = n * 10 + k + i; }; } Q = P(1); R = P(3); system Q, R; IO Q { c[0], c[1] } IO R { c[1] }",
     "E<> R.b and n < 20", false},
    {"a channel of higher priority goes first",
     "chan c, d; chan priority default < d; process P() { state a, b, c1; init a; trans a -> b { sync c!; }, "
     "a -> c1 { "
     "sync d!; }; } process Q() { state a; init a; trans a -> a { sync c?; }, a -> a { sync d?; }; } system "
     "P, Q;",
     "E<> P.b", false},
    {"... only where it is possible: before the guard allows it, the other may go",
     "clock x; chan c, d; chan priority default < d; process P() { state a, b, c1; init a; trans a -> b { "
     "sync c!; }, "
     "a -> c1 { guard x >= 2; sync d!; }; } process Q() { state a; init a; trans a -> a { sync c?; }, a -> a "
     "{ sync d?; "
     "}; } system P, Q;",
     "E<> P.b", true},
    {"... and not from then on",
     "clock x, y; chan d; chan priority default < d; process P() { state a, b, c1; init a; trans a -> b { "
     "assign y = 0; "
     "}, a -> c1 { guard x >= 2 && x <= 3; sync d!; }; } process Q() { state a; init a; trans a -> a { sync "
     "d?; }; } "
     "system P, Q;",
     "E<> P.b and x - y >= 2 and x - y <= 3", false},
    {"... but later again",
     "clock x, y; chan d; chan priority default < d; process P() { state a, b, c1; init a; trans a -> b { "
     "assign y = 0; "
     "}, a -> c1 { guard x >= 2 && x <= 3; sync d!; }; } process Q() { state a; init a; trans a -> a { sync "
     "d?; }; } "
     "system P, Q;",
     "E<> P.b and x - y > 3", true},
    {"a step that an invariant forbids blocks nothing",
     "clock x; chan c, d; chan priority default < d; process P() { state a, b, c1 { x <= 1 }; init a; trans "
     "a -> b { }, "
     "a -> c1 { sync d!; }; } process Q() { state a; init a; trans a -> a { sync d?; }; } system P, Q;",
     "E<> P.b and x >= 2", true},
    {"processes: the higher one of those who meet counts",
     "chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; } process Q() { state a, b; init "
     "a; trans a "
     "-> b { sync c?; }; } process R() { state a, b; init a; trans a -> b { }; } system P < R < Q;",
     "A[] R.b imply P.b", true},
    {"channels count before processes",
     "chan c; chan priority c < default; process P() { state a, b; init a; trans a -> b { sync c!; }; } "
     "process Q() { "
     "state a, b; init a; trans a -> b { sync c?; }; } process R() { state a, b; init a; trans a -> b { }; } "
     "system R < "
     "P, Q;",
     "A[] P.b imply R.b", true},
    {"elements of an array of channels have their own",
     "chan c[2]; chan priority c[0] < default < c[1]; process P() { int[0,1] n; state a, b, c1; init a; "
     "trans a -> b { "
     "select i : int[0,1]; sync c[i]!; assign n = i; }; } process Q() { state a; init a; trans a -> a { "
     "select i : "
     "int[0,1]; sync c[i]?; }; } system P, Q;",
     "A[] P.b imply P.n == 1", true},
    {"of a broadcast the highest of those who join",
     "broadcast chan c; bool on; process P() { state a, b; init a; trans a -> b { sync c!; }; } process Q() "
     "{ state a, "
     "b; init a; trans a -> b { guard on; sync c?; }; } process R() { state a, b; init a; trans a -> b { "
     "assign on = "
     "true; }, b -> a { }; } system P < R < Q;",
     "A[] P.b imply on", true},
    {"a local that an initial value in a branch changes",
     ONE("int x, y, z; void f() { int i = 0; if (x > 0) { int k = i++; y = k; } z = i; }", "a -> b { assign f(); }"),
     "A[] z == 0", true},
    {"the step of a loop is not done after a return",
     ONE("int g, v[3] = {1, 0, 0}; void f() { for (g = 0; g < 3; g++) { if (v[g] == 1) return; } }",
         "a -> b { assign f(); }"),
     "A[] g == 0", true},
    {"a struct passed by value is a copy",
     ONE("typedef struct { int x, y; } S; S s; int z; void f(S q) { q.x = 5; z = q.x; }", "a -> b { assign f(s); }"),
     "A[] s.x == 0 and (P.b imply z == 5)", true},
    {"an array passed by value stays what it was",
     ONE("int g[2], z; void f(int q[2]) { g[0] = 5; z = q[0]; }", "a -> b { assign f(g); }"), "A[] z == 0", true},
    {"members of a struct by their names", ONE("struct { int x, y; } s = {y: 1, x: 2};", "a -> b { }"),
     "A[] s.x == 2 and s.y == 1", true},
    {"the difference of a clock and itself, in a guard",
     ONE("clock x[2]; int[0,1] i;", "a -> b { guard x[i] - x[0] > 0; }"), "E<> P.b", false},
    {"... and in a query", ONE("clock x[2]; int[0,1] i;", "a -> b { }"), "A[] x[i] - x[0] <= 0 and not (x[i] < x[0])",
     true},
    {"a listener sets a clock to what it changes afterwards",
     "clock x; int i = 3; broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; }"
     "process Q() { state a, b { x <= 3 }; init a; trans a -> b { sync c?; assign x = i, i = 0; }; } system P, Q;",
     "A[] Q.b imply x == 3 and i == 0", true},
    {"an uncontrollable edge is an edge", ONE("", "a -u-> b { }"), "E<> P.b", true},
    {"structs are equal if all members are",
     ONE(PAIR "S s, t = {1, {2, 3}}; bool same, other;",
         "a -> b { assign other = s == t, s = t, same = s == t; }, b -> c { guard s != t; }"),
     "A[] not P.c and not other and (P.b imply same)", true},
    {"arrays too, in guards and queries",
     ONE("int u[3] = {1, 2, 3}, v[3] = {1, 2, 4};", "a -> b { guard u == v; }, a -> c { assign v[2]--; }"),
     "A[] not P.b or u == v", true},
    {"an element of an array of structs by an index that is not constant",
     ONE(PAIR "S s[2] = {{1, {2, 3}}, {4, {5, 6}}}, t; int[0,1] i = 1;", "a -> b { assign t = s[i]; }"),
     "A[] P.b imply t.x == 4 and t.y[1] == 6 and t == s[1] and t != s[0]", true},
    {"a constant array of structs is copied",
     ONE(PAIR "const S k[2] = {{1, {2, 3}}, {4, {5, 6}}}; S s[2] = k, t; int[0,1] i = 1;",
         "a -> b { assign t = k[i]; }"),
     "A[] s[0].y[1] == 3 and s[1] == k[1] and (P.b imply t == k[1])", true},
    {"the index of a copy stays what it was",
     ONE("typedef struct { int[0,1] x, y; } S; S s[2] = {{1, 0}, {0, 0}}, t = {0, 1};",
         "a -> b { assign s[s[0].x] = t; }, a -> c { assign s[s[1].x] = t; }"),
     "A[] (P.b imply s[1] == t and s[0].x == 1) and (P.c imply s[0] == t)", true},
    {"a function that returns a struct",
     ONE(PAIR "S make(int i) { S s = {i, {i + 1, i + 2}}; return s; } S t; int z;",
         "a -> b { assign t = make(4), z = make(7).y[1]; }"),
     "A[] P.b imply t.x == 4 and t.y[1] == 6 and z == 9 and t == make(4)", true},
    {"... and one that writes too",
     ONE(PAIR "int n; S make(int i) { S s; n++; if (i > 3) { s.x = i; return s; } s.y[0] = i; return s; } S t, u;",
         "a -> b { assign t = make(4), u = make(2); }"),
     "A[] P.b imply n == 2 and t.x == 4 and t.y[0] == 0 and u.x == 0 and u.y[0] == 2", true},
    {"local arrays of a function in a guard",
     ONE("int[0,3] v[3] = {3, 1, 2}; bool sorted() { int w[3] = v; int i, j; int t; for (i = 0; i < 2; i++) "
         "for (j = 0; j < 2; j++) if (w[j] > w[j + 1]) { t = w[j]; w[j] = w[j + 1]; w[j + 1] = t; } "
         "return w[0] == 1 && w[1] == 2 && w[2] == 3; }",
         "a -> b { guard sorted(); }"),
     "E<> P.b", true},
    {"... written at an index that is not constant",
     ONE("int[0,2] i = 2; int f() { int w[3]; w[i] = 7; w[2 - i] = 5; return w[0] * 100 + w[1] * 10 + w[2]; }",
         "a -> b { guard f() == 507; }"),
     "E<> P.b", true},
    {"an array passed by value and written, in a guard",
     ONE("int v[2] = {1, 2}; int f(int q[2]) { q[0] = 5; return q[0] + v[0]; }", "a -> b { guard f(v) == 6; }"),
     "E<> P.b", true},
    {"a local passed by reference, in a guard",
     ONE(PAIR "void set(S &s, int i) { s.x = i; } int f() { S s; set(s, 4); return s.x; }",
         "a -> b { guard f() == 4; }"),
     "E<> P.b", true},
    {"32 bits and absolute values",
     ONE("int[-2147483648, 2147483647] n = 2147483647; int k = -4;",
         "a -> b { assign n = n - 1, k = abs(k) + abs(3); }"),
     "A[] P.b imply n == 2147483646 and k == 7", true},
    {"a result beyond 32 bits that does not happen", ONE("int[0,100000] n = 3, k;", "a -> b { assign k = n * n * n; }"),
     "A[] P.b imply k == 27", true},
    {"a loop in a condition whose rounds the state decides",
     ONE("int n = 5; int f() { int i = 0, s = 0; while (i < n) { s += i; i++; } return s; }",
         "a -> b { guard f() == 10; }"),
     "E<> P.b", true},
    {"a clock set in a branch",
     ONE("clock x; bool q; void f() { if (q) x = 0; }",
         "a -> a { guard x == 2; assign f(), q = !q; }, a -> b { guard x == 3; }"),
     "A[] (P.a imply x >= 0) and not (P.b and x < 3)", true},
    {"... that depends on what the step did before",
     ONE("clock x; int n, k; void f() { n = n + 1; if (n == 2) { k = n; x = k * 2; } else x = 7; }",
         "a -> b { assign f(); }, b -> c { guard x == 7; assign f(); }"),
     "A[] P.c imply x >= 4 and n == 2", true},
    {"... exactly",
     ONE("clock x; int n, k; void f() { n = n + 1; if (n == 2) { k = n; x = k * 2; } else x = 7; }",
         "a -> b { assign f(); }, b -> c { guard x == 7; assign f(); }"),
     "E<> P.c and x == 4", true},
    {"... and in a receiver, on what the sender did",
     "clock x; chan c; int n; process P() { state a, b; init a; trans a -> b { sync c!; assign n = 5; }; }"
     "process Q() { state a, b; init a; trans a -> b { sync c?; assign x = n; }; } system P, Q;",
     "A[] Q.b imply x >= 5", true},
    {"a clock that is not a number", ONE("clock x;", "a -> b { guard x != 3; }"), "E<> P.b and x > 3", true},
    {"... nor that one", ONE("clock x;", "a -> b { guard x != 3; }, b -> c { guard x <= 3 && x >= 3; }"),
     "A[] P.b imply x >= 0", true},
    {"a disjunction of clock conditions",
     ONE("clock x; int n;", "a -> b { guard (x < 2 || x > 5) && !(x == 1); assign n = 1; }"), "E<> P.b and x == 1",
     true},
    {"... leaves out the rest",
     "clock x; urgent broadcast chan u; process P() { state a, b; commit b; init a; trans "
     "a -> b { guard x < 2 || x > 5; }, b -> a { }; } system P;",
     "E<> P.b and x >= 2 and x <= 5", false},
    {"floating-point numbers that nobody reads",
     ONE("double d = 1.5; const double pi = 3.14e0; hybrid clock h; int n; double f(double q) { n++; return q * 2.5; }",
         "a -> b { assign d = pi * 2, d += 1, h = 0, d = f(d); }"),
     "A[] P.b imply n == 1", true},
    {"rates of hybrid clocks, and exponential ones",
     "hybrid clock h; clock x; process P() { state a { h' == 3 && x <= 2 }, b { ; 5 }, c { ; 1:2 }; init a; trans "
     "a -> b { }; } system P;",
     "A[] P.a imply x <= 2", true},
    {"branch points are choices",
     "int n; clock x; process P() { state a, b, c; branchpoint q; init a; trans a -> q { guard x >= 1; assign n = 1; "
     "}, "
     "q -> b { probability 1; assign n = n + 1; }, q -> c { probability 3; assign n = n * 5; }; } system P;",
     "A[] (P.b imply n == 2) and (P.c imply n == 5 and x >= 1)", true},
    {"... all of them",
     "process P() { state a, b, c; branchpoint q; init a; trans a -> q { }, "
     "q -> b { probability 1; }, q -> c { probability 0; }; } system P;",
     "E<> P.c", true},
    {"a function sees what was declared before it",
     "int k = 3, z; process P() { int f() { return k; } int k = 5; state a, b; init a; trans a -> b { assign z = f(); "
     "}; }"
     "system P;",
     "A[] P.b imply z == 3", true},
    {"types and constants that are always there",
     ONE("int8_t n = INT8_MIN; const int K = 1000000; uint16_t q;", "a -> b { assign q = UINT16_MAX - K / 1000000; }"),
     "A[] n == -128 and (P.b imply q == 65534)", true},
    {"a receiver joins where its clocks allow it",
     "clock x; broadcast chan c; process P() { state a { x <= 4 }, b; commit b; init a; trans a -> b { sync c!; }; }"
     "process Q() { state a, b; init a; trans a -> b { guard x >= 2 && x < 3; sync c?; }; } system P, Q;",
     "A[] P.b imply (Q.b imply x >= 2 and x < 3) and (Q.a imply x < 2 or x >= 3)", true},
    {"... and not elsewhere",
     "clock x; broadcast chan c; process P() { state a { x <= 4 }, b; commit b; init a; trans a -> b { sync c!; }; }"
     "process Q() { state a, b; init a; trans a -> b { guard x >= 2 && x < 3; sync c?; }; } system P, Q;",
     "E<> P.b and Q.a and x == 4", true},
    {"a receiver of an urgent broadcast does not keep it from being sent",
     "clock x; urgent broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; }"
     "process Q() { state a, b; init a; trans a -> b { guard x >= 2; sync c?; }; } system P, Q;",
     "A[] Q.a and (P.a imply x == 0)", true},
    {"a struct as an argument of a process that changes it",
     "typedef struct { int x, y; } S; const S k = {1, 2};"
     "process P(S s) { state a, b; init a; trans a -> b { assign s.x = 5; }; } A = P(k); B = P(k); system A, B;",
     "A[] (A.b and B.a) imply A.s.x == 5 and B.s.x == 1 and A.s.y == 2", true},
    {"constants of a function that it computes from variables",
     ONE("typedef struct { int p, q; } S; S s[2] = {{1, 2}, {3, 4}}; int k = 2, n; int f(int x) { const int twice = 2 "
         "* x + k, K = 4; "
         "const S own = s[x % 2]; int v[K] = {1, 2, 3, twice}; int i; k = 9; for (i = 0; i < K; i++) { const int now = "
         "v[i]; "
         "n += now * (twice > 5 ? 1 : 2); } s[0].q = 8; return n + own.p + own.q; }",
         "a -> b { assign n = f(2); }"),
     "A[] P.b imply n == 1 + 2 + 3 + (2 * 2 + 2) + 1 + 2", true},
    {"a struct made of the one that it is assigned to",
     ONE("typedef struct { int x, y; } S; S s = {1, 2}; S swapped() { S r = {s.y, s.x}; return r; }",
         "a -> b { assign s = swapped(); }"),
     "A[] P.b imply s.x == 2 and s.y == 1", true},
    {"... passed to a function that changes what it was made of",
     ONE("typedef struct { int x, y; } S; S s = {1, 2}; int n; S now() { return s; } void f(S t) { s.x = 7; n = t.x; }",
         "a -> b { assign f(now()); }"),
     "A[] P.b imply n == 1", true},
    {"... compared with what a call makes of it",
     ONE("typedef struct { int x, y; } S; S s = {1, 2}; bool same; S f() { s.x = 5; return s; }",
         "a -> b { assign same = s == f(); }"),
     "A[] P.b imply !same", true},
};

typedef struct {
    const char *text, *message;
} refusal;

// What UPPAAL refuses too, or what is not supported: by name.
static const refusal refusals[] = {
    {"process P(int[1,2] k) { state a; init a; } Q(int[1,2] k) = P(k); system Q;",
     "'k' is not a constant: declare the parameter const"},
    {"chan c; process P(chan b) { state a; init a; trans a -> a { sync b!; }; } Q = P(c); system Q;",
     "clocks and channels are passed by reference: '&b'"},
    {"chan c; process P() { state a; init a; trans a -> a { sync c; }, a -> a { sync c!; }; } system P; IO P "
     "{ c }",
     "not both in one network"},
    {"chan c; process P() { state a; init a; } system P; IO P { }", "a channel expected, found '}'"},
    {"const int k = 3e5; process P() { state a; init a; } system P;", "a floating-point number cannot be used here"},
    {ONE("double d = 1.5;", "a -> b { guard d > 1; }"), "a floating-point number cannot be used here"},
    {ONE("int n = 5000000000;", "a -> b { }"), "the number is too large"},
    {ONE("int x, y; clock z; void f() { while (x < y) { z = 0; x++; } }", "a -> b { assign f(); }"),
     "a clock cannot be set in a loop"},
    {ONE("int[0,1000] n = 1000; bool f() { int i = 0; while (i < n) i++; return i == n; }", "a -> b { guard f(); }"),
     "goes beyond what can be computed"},
    {ONE("int[0,2147483647] n = 2147483647;", "a -> b { guard n + n > 0; }"), "goes beyond what can be computed"},
    {"process P() { state a; branchpoint b, c; init a; trans a -> b { }, b -> c { }, c -> a { }; } system P;",
     "a branch leads to a location"},
    {"process P() { state a; init a; } system P;;;;;", "expected, found ';'"},
    {"process P() { state a, b, a; init a; } system P;", "'a' is declared twice"},
    {"process P() { state a; init a; } process P() { state b; init b; } system P;", "'P' is declared twice"},
    {"process P() { state a; init a; } Q = P(); Q = P(); system Q;", "'Q' is declared twice"},
    {ONE("const int v[2] = {1, 2}; chan priority v[0] < default;", "a -> b { }"), "a channel is expected here"},
    {ONE("int k; void f() { const int n = k; n = 1; }", "a -> b { assign f(); }"), "this cannot be assigned to"},
    {ONE("int k; void g(int &r) { r = 1; } void f() { const int n = k; g(n); }", "a -> b { assign f(); }"),
     "this cannot be assigned to"},
    {ONE("struct { int p, q; } s; void f() { const struct { int p, q; } t = s; t.p++; }", "a -> b { assign f(); }"),
     "this cannot be assigned to"},
    {ONE("int x, y; void f() { while (x++ < 3) y++; }", "a -> b { assign f(); }"),
     "an effect in the condition of a loop"},
    {ONE("const int v[16384][16384];", "a -> b { }"), "a value of this type has more than 65536 parts"},
    {ONE("struct { int x, y; } s = {x: 1, x: 2};", "a -> b { }"), "this member has a value already"},
    {ONE("struct { int x, y; } s = {x: 1, z: 2};", "a -> b { }"), "this has no member 'z'"},
    {"int v[2]; process P(int q[2]) { state a; init a; } Q = P(v); system Q;", "pass it by reference"},
    {ONE("int[0,7] x = 7; bool f(int[0,3] q) { return q > 2; }", "a -> b { guard f(x); }"), "run-time error"},
    {ONE("int v[2], u[3];", "a -> b { guard v == u; }"), "the two arrays have different sizes"},
    {ONE("int v[2]; struct { int x; } s;", "a -> b { guard s == v; }"), "the two sides have different types"},
    {ONE("clock x[2], y[2];", "a -> b { assign x = y; }"), "a clock cannot be used here"},
    {ONE("int n; void f() { n = 1; }", "a -> b { assign n = f()[0]; }"), "a value is expected here"},
    {ONE("int n; void f() { n = 1; }", "a -> b { assign n = f().x; }"), "a value is expected here"},
    {ONE("int v[2]; bool n; void f() { n = true; }", "a -> b { assign n = v == f(); }"), "a value is expected here"},
    {ONE("int v[2]; void f() { v[0] = 1; } void g(int u[2]) { u[0] = 1; v = u; }", "a -> b { assign g(f()); }"),
     "a value is expected here"},
    {ONE("int[0,3] i = 3; int f() { int w[3]; w[i] = 7; return w[0]; }", "a -> b { guard f() == 0; }"),
     "run-time error"},
    {"int x; process P(int &i) { int k = i; state a; init a; } Q = P(x); system Q;", "this is not a constant"},
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
        zone_run(in, &(prop){1}, 1, &eo, NULL, r);
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

static void test_refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        example e = {.text = refusals[i].text, .query = "A[] true"};
        str complaint = {0};
        assert_int_equal(ask(&e, &complaint), VERDICT_UNKNOWN);
        if (!strstr(str_get(&complaint), refusals[i].message)) fail_msg("%s", str_get(&complaint));
        str_free(&complaint);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
