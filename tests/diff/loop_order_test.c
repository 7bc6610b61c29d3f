// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds may be done in any order, against trying all orders.
//
// Random bodies of loops (scalars, arrays by the loop's variable, by inner variables and by constants, locals and local
// arrays, inner loops over the same and another scalarset, returns, counters up and down, faults, unions, records,
// multisets, calls) in a model whose other rules bring the variables into random states. A loop that is said to come to
// the same end in every order is taken apart into its rounds, in each order, and the reference evaluator runs the whole
// rule; ends are compared up to the slots of multisets. The share of loops found among those for which no two
// orders were seen to differ is printed, and must not become small.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/murphi/murphi.h"
#include "model/bag.h"
#include "model/eval.h"
#include "model/expr.h"
#include "model/stmt.h"
#include "pass/loop_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS = 16 };  // of the functions and rules below

// ---- random text

static const char *const declarations =
    "type node : scalarset(%u); owner : scalarset(2); R : 0..2; E : enum { ea, eb };\n"
    "  U : union { node, E }; rec : record f : boolean; g : R; end;\n"
    "  msg : record dst : node; k : R; end; B : multiset [2] of node;\n"
    "var a, b : array [node] of boolean; c : array [node] of array [owner] of boolean;\n"
    "  k : 0..3; j : -3..3; w : node; s, t : boolean; u : U; p : array [node] of node; q : array [U] of "
    "boolean;\n"
    "  r : array [node] of rec; rr : rec; cnt : array [R] of R; at : array [owner] of node; own : owner;\n"
    "  net : multiset [3] of msg; sh : multiset [3] of node;\n"
    "  box : array [owner] of B; nb : array [node] of B; bb : B;\n"
    "  ub : array [node] of boolean; up2 : array [owner] of array [boolean] of boolean; pr : array [R] of node;\n"
    "  at2 : array [owner] of array [boolean] of node; at3 : array [boolean] of array [owner] of node;\n"
    "  got : array [owner] of node; got3 : array [boolean] of array [owner] of node; up : array [owner] of "
    "boolean;\n"
    "procedure mark(x : node); begin a[x] := true; end;\n"
    "procedure keep(var it : node; x : node); begin it := x; end;\n"
    "procedure send(x : node; i : R); var mm : msg; begin\n"
    "  assert multisetcount(z : net, true) < 3; mm.dst := x; mm.k := i; multisetadd(mm, net); end;\n"
    "procedure give(x : node; o : owner); begin\n"
    "  assert multisetcount(z : box[o], true) < 2; multisetadd(x, box[o]); end;\n"
    "function is_sharer(x : node) : boolean; begin return multisetcount(z : sh, sh[z] = x) > 0; end;\n"
    "procedure drop_sharer(x : node); begin multisetremovepred(z : sh, sh[z] = x); end;\n"
    "function some(x : node) : boolean; begin for y : node do if y != x & a[y] then return true; end; end;\n"
    "  return false; end;\n"
    "procedure setb(var it : boolean; x : node); begin it := a[x]; end;\n"
    "procedure twice(var it : node; x : node); begin keep(it, x); if a[it] then it := x; setb(b[it], x); end; end;\n"
    "procedure both(var i1 : boolean; var i2 : boolean); begin i1 := !i2; i2 := i1; end;\n"
    "function first(x : node) : boolean; begin for y : node do if b[y] then return a[x]; end; end; return false; end;\n"
    "function other(x : node) : node; begin for y : node do if y != x then return y; end; end; return x; end;\n"
    "function flip(var it : boolean; x : node) : boolean; var o : boolean; begin o := it; it := a[x]; return o; end;\n"
    "procedure lift(x : node); var y : R; begin if a[x] then y := 1; else y := 2; end; r[x].g := y; end;\n"
    "startstate for n : node do a[n] := false; b[n] := true; r[n].f := false; for o : owner do c[n][o] := "
    "false;\n"
    "  end; q[n] := false; end; for e : E do q[e] := true; end; undefine w; undefine u;\n"
    "  for n : node do p[n] := n; r[n].g := 0; w := n; for o : owner do at[o] := n; own := o; end; end;\n"
    "  k := 0; j := 0; s := false; t := true; undefine rr;\n"
    "  for i : R do cnt[i] := i; end; undefine got; undefine got3; undefine pr; undefine ub;\n"
    "  for o : owner do for e : boolean do up2[o][e] := true; end; end;\n"
    "  for o : owner do up[o] := true; for n : node do for e : boolean do at2[o][e] := n; at3[e][o] := n; "
    "end; end; end; end;\n"
    "ruleset n : node; x : boolean; o : owner; y : node; i : R do\n"
    "  rule \"1\" begin a[n] := x; end; rule \"2\" begin b[n] := x; end; rule \"3\" begin c[n][o] := x; "
    "end;\n"
    "  rule \"4\" begin k := i + 1; end; rule \"5\" begin j := i - 1; end; rule \"6\" begin w := n; end;\n"
    "  rule \"7\" begin if b[n] & x then undefine w; end; end; rule \"8\" begin s := x; t := !x; end; rule "
    "\"9\" begin u := n; end;\n"
    "  rule \"10\" begin p[n] := y; end; rule \"11\" begin if b[n] then undefine p[n]; end; end; rule \"12\" "
    "begin q[n] := x; end;\n"
    "  rule \"13\" begin r[n].f := x; r[n].g := i; end; rule \"14\" begin rr := r[n]; end;\n"
    "  rule \"15\" begin cnt[i] := 2 - i; end; rule \"16\" begin at[o] := n; end; rule \"17\" begin own := "
    "o; end;\n"
    "  rule \"18\" multisetcount(z : sh, true) < 3 ==> begin multisetadd(n, sh); end;\n"
    "  rule \"19\" multisetcount(z : net, true) < 3 ==> begin send(n, i); end;\n"
    "  rule \"20\" begin multisetremovepred(z : net, net[z].dst = n); end;\n"
    "  rule \"21\" begin multisetremovepred(z : sh, sh[z] = n); end;\n"
    "  rule \"22\" multisetcount(z : box[o], true) < 2 ==> begin multisetadd(n, box[o]); end;\n"
    "  rule \"23\" begin multisetremovepred(z : box[o], box[o][z] = n); end;\n"
    "  rule \"24\" begin k := 0; j := 0; end; rule \"25\" begin if a[n] & b[n] & x then undefine own; "
    "undefine at; end; end;\n"
    "  rule \"26\" begin at2[o][x] := n; end; rule \"27\" begin at3[x][o] := n; end;\n"
    "  rule \"28\" begin got[o] := n; got3[x][o] := y; end; rule \"29\" begin up[o] := x; end;\n"
    "  rule \"31\" begin ub[n] := x; end; rule \"32\" begin if b[n] & x then undefine ub[n]; end; end;\n"
    "  rule \"33\" begin pr[i] := n; end; rule \"34\" begin if b[n] & x then undefine pr; end; end;\n"
    "  rule \"35\" begin up2[o][x] := a[n]; end; rule \"36\" begin u := ea; end;\n"
    "  rule \"37\" multisetcount(z : nb[n], true) < 2 ==> begin multisetadd(y, nb[n]); end;\n"
    "  rule \"38\" multisetcount(z : bb, true) < 2 ==> begin multisetadd(n, bb); end;\n"
    "  rule \"39\" begin undefine nb[n]; end; rule \"40\" begin undefine bb; end;\n"
    "  rule \"30\" begin if a[n] & x then undefine at2[o]; undefine at3; end; end;\n"
    "end;\n";

typedef struct {
    rng r;
    str out;
    const char *few_conditions[6], *few_statements[6];  // of which this text is made, so that they meet
    bool in_owner, in_node,
        has_return;  // an inner loop over owners as `o`, over nodes as `v`; return is possible
} writer;

static uint32_t below(writer *w, uint32_t n) { return rng_below(&w->r, n); }
static void say(writer *w, const char *text) { str_add(&w->out, text); }

// %N a node, %O an owner, %R a number below 3, %B a condition, %S a statement, %K one about a chosen owner
// `o`, %n the loop's variable.
static void expand(writer *w, const char *pattern, uint32_t depth);

static void pick(writer *w, const char *const *list, uint32_t n, uint32_t depth) {
    expand(w, list[below(w, n)], depth);
}

#define PICK(w, list, depth) pick(w, list, sizeof(list) / sizeof *(list), depth)

static const char *const nodes[] = {"n", "n", "n", "n", "n", "m", "x", "w", "p[n]", "at[%O]"};
static const char *const numbers[] = {"0", "1", "2", "y", "cnt[%R]", "r[%N].g", "(cnt[1])"};
static const char *const plain_conditions[] = {"a[%N]", "b[%N]", "c[%N][%O]", "s",
                                               "z",     "a[n]",  "b[n]",      "r[n].f"};
static const char *const conditions[] = {"a[%N]",
                                         "a[n]",
                                         "b[n]",
                                         "c[%N][%O]",
                                         "%N = %N",
                                         "n = m",
                                         "n != m",
                                         "n != m & %B",
                                         "!%B",
                                         "(%B & %B)",
                                         "(%B | %B)",
                                         "y < 2",
                                         "%R = %R",
                                         "isundefined(w)",
                                         "isundefined(x)",
                                         "!isundefined(w) & w = n",
                                         "!isundefined(w) & w != n & %B",
                                         "!isundefined(p[n]) & a[p[n]]",
                                         "exists v2 : node do a[v2] end",
                                         "forall v2 : node do v2 = n | b[v2] end",
                                         "multisetcount(i : net, net[i].dst = %N) > 0",
                                         "is_sharer(%N)",
                                         "is_sharer(n)",
                                         "k < 3",
                                         "l[%O]",
                                         "lr[%R]",
                                         "s",
                                         "t",
                                         "z",
                                         "some(%N)",
                                         "!isundefined(u) & u = n",
                                         "!isundefined(u) & ismember(u, node)",
                                         "q[n]",
                                         "multisetcount(i : sh, true) > 1",
                                         "multisetcount(i : box[%O], box[%O][i] = n) = 0",
                                         "!isundefined(own) & c[n][own]",
                                         "r[%N].f",
                                         "exists v2 : owner do c[n][v2] end"};
static const char *const statements[] = {"a[%N] := %B;",
                                         "b[n] := %B;",
                                         "b[%N] := %B;",
                                         "c[%N][%O] := %B;",
                                         "k := k + 1;",
                                         "k := k + %R;",
                                         "j := j - 1;",
                                         "j := j + 1;",
                                         "s := %B;",
                                         "s := true;",
                                         "t := false;",
                                         "s := s | %P;",
                                         "t := t & %P;",
                                         "w := %N;",
                                         "w := m;",
                                         "undefine w;",
                                         "p[%N] := %N;",
                                         "p[n] := n;",
                                         "undefine p[n];",
                                         "x := %N;",
                                         "x := n;",
                                         "undefine x;",
                                         "y := %R;",
                                         "y := y + 1;",
                                         "z := %B;",
                                         "z := a[n];",
                                         "l[%O] := %B;",
                                         "for o2 : owner do l[o2] := a[n]; end;",
                                         "lr[%R] := %B;",
                                         "for i : 0..1 do lr[i] := b[n]; end;",
                                         "for i : R do lr[i] := a[n]; end;",
                                         "if %B then %S end;",
                                         "if %B then %S end;",
                                         "if %B then %S else %S end;",
                                         "if %B then %S elsif %B then %S end;",
                                         "for o : owner do %o end;",
                                         "for v : node do %v end;",
                                         "mm.dst := %N; mm.k := %R; multisetadd(mm, net);",
                                         "multisetadd(%N, sh);",
                                         "send(%N, %R);",
                                         "send(n, 1);",
                                         "give(n, %O);",
                                         "multisetremovepred(i : net, net[i].dst = %N);",
                                         "multisetremovepred(i : sh, sh[i] = n);",
                                         "drop_sharer(%N);",
                                         "if is_sharer(n) then send(n, 0); drop_sharer(n); end;",
                                         "if !is_sharer(n) then multisetadd(n, sh); end;",
                                         "assert %B;",
                                         "if %B then error \"e\"; end;",
                                         "u := %N;",
                                         "u := ea;",
                                         "q[u] := %B;",
                                         "q[n] := %B;",
                                         "r[%N].f := %B;",
                                         "r[n].g := %R;",
                                         "rr := r[%N];",
                                         "rc := r[n];",
                                         "r[n] := rc;",
                                         "rr := rc;",
                                         "mark(%N);",
                                         "keep(x, %N);",
                                         "lift(n);",
                                         "cnt[%R] := %R;",
                                         "cnt[%R] := cnt[%R] + 1;",
                                         "own := %O;",
                                         "at[%O] := %N;",
                                         "%S %S",
                                         "%S %S",
                                         "clear rc;",
                                         "undefine l;",
                                         "if %B then s := true; %r end;",
                                         "if %B then %S %r end;",
                                         "if c[n][%O] then own := %O; end;",
                                         "for o : owner do if c[n][o] then own := o; end; end;",
                                         "for o : owner do if c[n][o] then %S end; end;",
                                         "if a[%N] then w := %N; end;",
                                         "for v : node do if a[v] then %S end; end;",
                                         "for i : R do if cnt[i] = %R then y := i; end; end;",
                                         "for i : 0..1 do if r[n].g = i then rr.g := i; end; end;",
                                         "for o2 : owner do l[o2] := l[o2] | c[n][o2]; end;",
                                         "if lr[2] then b[n] := %B; end;",
                                         "lr[2] := %B;",
                                         "undefine z; if a[n] then z := true; end;",
                                         "if isundefined(z) then b[n] := true; end;",
                                         "if %B then x := n; end;",
                                         "while y < 2 do y := y + 1; end;"};

// Kinds of statements that have much to do with each other.
static const char *const multiset_statements[] = {
    "multisetadd(%N, sh);",
    "multisetadd(n, sh);",
    "multisetremovepred(i : sh, sh[i] = %N);",
    "drop_sharer(n);",
    "if !is_sharer(%N) then multisetadd(%N, sh); end;",
    "if is_sharer(%N) then b[n] := true; end;",
    "send(%N, %R);",
    "drop_sharer(n); multisetadd(%N, sh);",
    "b[n] := multisetcount(i : sh, sh[i] = n) > 1;",
    "give(%N, %O);",
    "if multisetcount(i : net, net[i].dst = n) = 0 then send(%N, 1); end;",
    "send(n, 0); drop_sharer(n);",
    "multisetremovepred(i : net, net[i].dst = n & net[i].k = %R);",
    "assert multisetcount(i : net, true) < 3;",
    "mm.dst := n; mm.k := 2; multisetadd(mm, net);",
    "assert multisetcount(i : sh, true) < 3; multisetadd(n, sh);",
    "multisetremovepred(i : box[own], box[own][i] = n);",
    "b[n] := multisetcount(i : net, true) < 2;",
    "assert multisetcount(i : net, true) < 2; mm.dst := n; mm.k := 0; multisetadd(mm, net);"};
static const char *const return_statements[] = {
    "if %B then return; end;",
    "if %B then s := true; return; end;",
    "if %B then t := false; return; end;",
    "if a[n] then s := true; return; elsif b[n] then t := false; return; end;",
    "b[n] := true;",
    "x := n;",
    "if a[n] then w := n; return; end;",
    "if a[n] then w := m; return; end;",
    "if a[n] then k := k + 1; return; end;",
    "for o : owner do if c[n][o] then s := true; return; end; end;",
    "y := r[n].g;",
    "if y = 2 then s := true; return; end;",
    "for o : owner do if c[n][o] then own := o; return; end; end;",
    "if p[n] = n then return; end;",
    "z := b[n];",
    "if a[n] then s := true; if z then t := false; end; return; end;",
    "if b[n] then error \"e\"; end;"};
static const char *const local_statements[] = {
    "for i : 0..1 do lr[i] := a[n]; end; b[n] := lr[2]; lr[2] := a[n];",
    "x := n;",
    "x := m;",
    "if %B then x := %N; end;",
    "y := %R;",
    "z := %B;",
    "if z then b[n] := true; end;",
    "z := z | a[n];",
    "if isundefined(x) then x := n; end;",
    "a[x] := true;",
    "undefine x;",
    "rc := r[n];",
    "rc.f := %B;",
    "r[n] := rc;",
    "lr[%R] := %B;",
    "for i : 0..1 do lr[i] := a[n]; end;",
    "for i : R do lr[i] := lr[i] & a[n]; end;",
    "b[n] := lr[2];",
    "for o2 : owner do l[o2] := c[n][o2]; end;",
    "for o2 : owner do b[n] := b[n] | l[o2]; end;",
    "keep(x, %N);",
    "if a[n] then z := true; else z := false; end;",
    "for i : R do lr[i] := b[n]; end;",
    "y := y + 1;",
    "r[n].g := y;"};
static const char *const count_statements[] = {"k := k + 1;",
                                               "k := k + r[n].g;",
                                               "k := k - 1;",
                                               "j := j - r[n].g;",
                                               "j := j + 1;",
                                               "if k < 3 then k := k + 1; end;",
                                               "if a[n] then j := j - 1; else j := j + 1; end;",
                                               "cnt[r[n].g] := cnt[r[n].g] + 1;",
                                               "cnt[0] := 0;",
                                               "cnt[1] := cnt[0];",
                                               "if n = w then k := 0; end;",
                                               "if n != w then b[n] := b[w]; end;",
                                               "if n = m then s := a[n]; end;",
                                               "s := s | a[n];",
                                               "for i : R do if r[n].g = i then rr.g := i; end; end;",
                                               "if s then b[n] := true; end;",
                                               "t := t & b[n];"};

// Loops over what has n as its value.
static const char *const selection_statements[] = {
    "for o : owner do if at[o] = n then %K end; end;",
    "for o : owner do if !isundefined(at[o]) & at[o] = n then %K end; end;",
    "for o : owner do if up[o] & at[o] = n then %K end; end;",
    "for o : owner do if up[o] & at[o] = n then up[o] := false; %K end; end;",
    "for o : owner do if up[o] & !isundefined(at[o]) & at[o] = n then %K %K end; end;",
    "for o : owner do if at2[o][true] = n then %K end; end;",
    "for o : owner do if at2[o][false] = n then %K end; end;",
    "for f : boolean do for o : owner do if at2[o][f] = n then if a[n] = f then %K end; end; end; end;",
    "for o : owner do if at2[o][b[n]] = n then %K end; end;",
    "for f : boolean do for o : owner do if at3[f][o] = n then got3[f][o] := n; %K end; end; end;",
    "e := b[n]; for o : owner do if at3[e][o] = n then e := a[n]; %K e := b[n]; end; end;",
    "e := b[n]; for o : owner do if !isundefined(at3[e][o]) & at3[e][o] = n then %K end; end;",
    "b[n] := exists o : owner do at[o] = n end;",
    "b[n] := exists o : owner do up[o] & got[o] = n end;",
    "for o : owner do if up[o] then switch at[o] case n: %K end; end; end;",
    "x := at[own]; if !isundefined(p[x]) then x := n; a[n] := a[p[x]]; end;",
    "x := m; if !isundefined(p[x]) then x := n; if a[p[x]] then s := true; %r end; end;",
    "a[n] := forall o : owner do at[o] != n | up[o] end;",
    "if exists o : owner do at[o] = n & up[o] end then b[n] := true; %r end;",
    "k := k + 1; if k > 1 then b[n] := true; end;"};
static const char *const selected_statements[] = {"got[o] := n;",
                                                  "undefine at[o];",
                                                  "at[o] := m;",
                                                  "at[o] := n;",
                                                  "b[n] := true;",
                                                  "b[n] := up[o];",
                                                  "up[o] := false;",
                                                  "up[o] := a[n];",
                                                  "up[o] := true;",
                                                  "undefine at2[o][true];",
                                                  "at2[o][e] := m;",
                                                  "got3[e][o] := n;",
                                                  "got3[true][o] := n;",
                                                  "c[n][o] := true;",
                                                  "c[m][o] := a[n];",
                                                  "undefine got[o];",
                                                  "if got[o] = n then b[n] := true; end;",
                                                  "at3[e][o] := n;",
                                                  "undefine at3[e][o];",
                                                  "s := true; %r",
                                                  "if up[o] then got[o] := n; end;",
                                                  "for f : boolean do undefine at2[o][f]; end;",
                                                  "up[o] := false; undefine at[o];",
                                                  "k := k + 1;",
                                                  "e := true;"};

// Local arrays that are written as a whole and in part, and whose cells lose their values again.
static const char *const cover_statements[] = {
    "for i : R do lr[i] := true; if %B then undefine lr[i]; end; end;",
    "for i : R do lr[i] := %B; for v : node do lr[i] := a[v]; end; end;",
    "for i : R do lr[i] := ub[n]; end;",
    "for i : R do for o2 : owner do l[o2] := a[n]; end; lr[i] := l[%O]; end;",
    "lr[%R] := ub[n];",
    "lr[1] := ub[%N];",
    "if lr[1] then s := true; %r end;",
    "if lr[%R] then b[n] := true; %r end;",
    "if !isundefined(lr[1]) & lr[1] then %S %r end;",
    "for o2 : owner do l[o2] := ub[n]; end;",
    "if l[%O] then t := false; %r end;",
    "undefine lr[%R];",
    "undefine lr;",
    "clear lr;",
    "clear l;",
    "pl := a;",
    "pl := ub;",
    "b[n] := pl[n];",
    "pl[%N] := a[n];",
    "for v : node do pl[v] := a[v] & b[n]; end;",
    "if pl[%N] then s := true; %r end;",
    "ub := pl;",
    "z := pl = a;",
    "for i : R do if i = y then lr[i] := %B; else lr[i] := a[n]; end; end;",
    "y := 0; while y < 2 do y := y + 1; lr[y] := %B; end;",
    "x := m; for i : R do x := %N; end; a[x] := true;",
    "if a[n] then rc := r[n]; else clear rc; end;",
    "if rc = r[%N] then b[n] := true; end;",
    "undefine rc; rc.f := a[n];",
    "if !isundefined(rc.g) then r[n].g := rc.g; end;"};
// Conditions that test a chosen owner before its key; cells of numbers that hold nodes.
static const char *const test_statements[] = {
    "for o : owner do if c[got[o]][o] & !isundefined(at[o]) & at[o] = n then %K end; end;",
    "for o : owner do if !isundefined(c[got[o]][o]) & !isundefined(at[o]) & at[o] = n then undefine got[o]; end; end;",
    "for o : owner do if up2[o][true] & at[o] = n then %K end; end;",
    "for o : owner do if up2[o][true] & at[o] = n then up2[o][false] := false; %K end; end;",
    "for o : owner do if up2[o][true] & at[o] = n then up2[o][true] := false; undefine at[o]; end; end;",
    "for o : owner do if up2[o][up[o]] & at[o] = n then %K end; end;",
    "for o : owner do if up[o] & up2[o][true] & at[o] = n then up[o] := false; undefine at[o]; end; end;",
    "for i : R do if pr[i] = n then %S end; end;",
    "for i : R do if !isundefined(pr[i]) & pr[i] = n then undefine pr[i]; %S end; end;",
    "for i : R do if !isundefined(pr[i]) & pr[i] = n then cnt[i] := %R; end; end;",
    "for i : R do pr[i] := n; end;",
    "pr[%R] := n;",
    "if isundefined(pr[0]) then pr[0] := n; elsif isundefined(pr[1]) then pr[1] := n; end;",
    "b[n] := exists i : R do !isundefined(pr[i]) & pr[i] = n end;",
    "for i : R do if cnt[i] = 1 & !isundefined(pr[i]) & pr[i] = n then pr[i] := m; end; end;",
    "b[n] := exists v2 : node do v2 != n & b[v2] end;",
    "for o : owner do if !isundefined(at[o]) then if at[o] = n then %K else got[o] := at[o]; end; end; end;",
    "for o : owner do if !isundefined(at[o]) & (at[o] = n | up[o]) then %K end; end;",
    "for o : owner do alias z1 : at[o] do if !isundefined(z1) & z1 = n then undefine z1; %K end; end; end;",
    "if r[n].g > y then y := r[n].g; end;",
    "if r[n].g < cnt[0] then cnt[0] := r[n].g; end;",
    "if r[n].g > cnt[1] then cnt[1] := r[n].g; w := n; end;"};
// Unions, names for places, calls that write, whole multisets.
static const char *const other_statements[] = {
    "switch u case n: b[n] := true; case ea: %S else s := true; end;",
    "if ismember(u, node) then x := u; a[x] := true; end;",
    "if !isundefined(u) & ismember(u, node) then q[u] := a[n]; end;",
    "if !isundefined(u) & u = n then undefine u; end;",
    "for y1 : U do if ismember(y1, node) then q[y1] := a[n]; end; end;",
    "for y1 : U do if !isundefined(u) & y1 = u then q[y1] := %B; end; end;",
    "if !isundefined(u) & ismember(u, E) then u := n; end;",
    "alias z1 : a[%N] do z1 := %B; end;",
    "alias z1 : a[x] do x := %N; z1 := %B; end;",
    "alias z1 : r[n] do z1.f := %B; if z1.f then z1.g := %R; end; end;",
    "setb(b[%N], %N);",
    "setb(z, n);",
    "setb(s, %N);",
    "twice(w, n);",
    "twice(x, %N);",
    "twice(p[n], n);",
    "both(a[n], b[%N]);",
    "both(s, t);",
    "both(z, b[n]);",
    "if first(%N) then %S end;",
    "x := other(n); b[x] := true;",
    "a[other(m)] := true;",
    "b[n] := b[n] = flip(b[n], %N);",
    "if flip(z, n) then %S end;",
    "if flip(s, %N) then %S end;",
    "put \"x\";",
    "assume %B;",
    "clear a;",
    "undefine c[n];",
    "clear r[n];",
    "nb[n] := bb;",
    "bb := nb[n];",
    "multisetadd(%N, nb[%N]);",
    "multisetadd(n, nb[n]);",
    "multisetremovepred(i : nb[n], nb[n][i] = %N);",
    "multisetremovepred(i : nb[m], nb[m][i] = n);",
    "multisetremovepred(i : nb[m], multisetcount(i2 : bb, bb[i2] = nb[m][i]) > 0);",
    "for v : node do multisetremovepred(i : nb[v], nb[v][i] = n); end;",
    "undefine nb[%N];",
    "if multisetcount(i : nb[n], a[nb[n][i]]) > 0 then %S end;",
    "x := p[n]; p[n] := m; assert multisetcount(z1 : nb[p[n]], true) < 2; multisetadd(n, nb[x]);",
    "alias z1 : nb[p[n]] do assert multisetcount(z2 : z1, true) < 2; multisetadd(n, z1); end;",
    "clear bb;"};
// What the loop stands in.
static const char *const heads_of_wholes[] = {"for i3 : R do lr[i3] := true;", "for f3 : boolean do z := f3;",
                                              "for o3 : owner do l[o3] := s;", "y := 0; while y < 2 do y := y + 1;",
                                              "if s then", "for v3 : node do pl[v3] := false;"};

#define OF(list) \
    { list, sizeof(list) / sizeof *(list) }
static const struct {
    const char *const *list;
    uint32_t n;
} themes[] = {OF(statements),       OF(statements),       OF(multiset_statements), OF(return_statements),
              OF(local_statements), OF(count_statements), OF(selection_statements), OF(cover_statements),
              OF(cover_statements), OF(test_statements),  OF(other_statements),     OF(other_statements)};

static void say_node(writer *w, uint32_t depth) {
    if (w->in_node && below(w, 3) == 0) say(w, "v");
    else PICK(w, nodes, depth + 1);
}

static void say_loop(writer *w, bool is_owner, uint32_t depth) {
    bool *in = is_owner ? &w->in_owner : &w->in_node, was = *in;
    *in = true;
    if (was) say(w, "s := true;");
    else expand(w, "%S", depth + 1);
    *in = was;
}

static void say_statement(writer *w, uint32_t depth) {
    uint32_t kind = below(w, 8);
    if (depth > 4) say(w, "b[n] := a[n];");
    else if (kind < 2) expand(w, "if %B then %S end;", depth + 1);
    else if (kind == 2) expand(w, "%S %S", depth + 1);
    else PICK(w, w->few_statements, depth + 1);
}

static void say_part(writer *w, char what, uint32_t depth) {
    bool is_deep = depth > 4;
    switch (what) {
    case 'N': say_node(w, depth); return;
    case 'O': say(w, w->in_owner && below(w, 4) ? "o" : "own"); return;
    case 'R':
        if (is_deep) say(w, "1");
        else PICK(w, numbers, depth + 1);
        return;
    case 'P': PICK(w, plain_conditions, depth + 1); return;
    case 'B':
        if (is_deep) say(w, "a[n]");
        else PICK(w, w->few_conditions, depth + 1);
        return;
    case 'S': say_statement(w, depth); return;
    case 'K': PICK(w, selected_statements, depth + 1); return;
    case 'o': say_loop(w, true, depth); return;
    case 'v': say_loop(w, false, depth); return;
    case 'r':
        if (w->has_return) say(w, "return;");
        return;
    }
}

static void expand(writer *w, const char *pattern, uint32_t depth) {
    for (const char *c = pattern; *c; c++) {
        if (*c == '%') say_part(w, *++c, depth);
        else str_printf(&w->out, "%c", *c);
    }
}

static const char *const tails[] = {"",
                                    "",
                                    "",
                                    "if !isundefined(x) then w := x; end;",
                                    "x := m; a[x] := true;",
                                    "undefine x;",
                                    "if z then s := true; end;",
                                    "rr := rc;",
                                    "t := lr[2];",
                                    "t := lr[1];",
                                    "if l[own] then s := true; end;",
                                    "b := pl;",
                                    "y := y + 1;"};
// Each with a chance of one half, or a local has no value.
static const char *const heads[] = {"y := 0;",
                                    "z := false;",
                                    "e := false;",
                                    "for i : R do lr[i] := false; end;",
                                    "for o2 : owner do l[o2] := true; end;",
                                    "x := m;",
                                    "rc.f := true; rc.g := 0;",
                                    "mm.dst := m; mm.k := 0;",
                                    "clear pl;"};

static void random_text(uint64_t seed, str *out) {
    writer w = {.r = {seed}};
    str_printf(&w.out, declarations, 2 + (uint32_t)(seed % 2));
    uint32_t theme = below(&w, sizeof themes / sizeof *themes);
    w.has_return = below(&w, 4) == 0 || themes[theme].list == return_statements || (theme > 6 && below(&w, 2));
    for (uint32_t i = 0; i < 6; i++) {
        w.few_conditions[i] = conditions[below(&w, sizeof conditions / sizeof *conditions)];
        uint32_t from = i < 4 ? theme : 0;
        w.few_statements[i] = themes[from].list[below(&w, themes[from].n)];
    }
    say(&w, "ruleset m : node do rule \"test\"\n  var x : node; y : R; z : boolean; l : array [owner] of "
            "boolean;\n"
            "  lr : array [R] of boolean; mm : msg; rc : rec; e : boolean; pl : array [node] of boolean; begin ");
    for (uint32_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (below(&w, 8)) say(&w, heads[i]);
    bool is_whole = below(&w, 4) == 0;
    if (is_whole) expand(&w, heads_of_wholes[below(&w, sizeof heads_of_wholes / sizeof *heads_of_wholes)], 9);
    say(&w, "\n  for n : node do ");
    for (uint32_t i = 0, most = 1 + below(&w, 3); i < most; i++) expand(&w, "%S ", below(&w, 4));
    say(&w, is_whole ? "end; end;\n  " : "end;\n  ");
    PICK(&w, tails, 0);
    say(&w, " end; end;\n");
    *out = w.out;
}

// ---- a model, and the loops of its last rule

typedef struct {
    const stmt *loop;
    bool is_any;
    str why;
} judged;

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    rule test;
    VEC(judged) loops;
} sample;

static bool sample_new(sample *s, const char *text, bool is_lenient) {
    *s = (sample){.messages = diag_new()};
    s->m = model_new(s->messages);
    murphi_options o = {.copies_undefined = is_lenient};
    if (!murphi_read_text(s->m, "sample.m", text, strlen(text), &o, &s->system)) {
        str messages = {0};
        diag_print(s->messages, &messages, false);
        printf("%s\n%s\n", str_get(&messages), text);
        return false;
    }
    s->in = instance_new(s->m, s->system, NULL, 0);
    s->test = vec_last(&sys_of(s->m, s->system)->rules);
    return s->in;
}

static void sample_free(sample *s) {
    for (uint32_t i = 0; i < s->loops.len; i++) str_free(&s->loops.data[i].why);
    vec_free(&s->loops);
    instance_free(s->in);
    model_free(s->m);
    diag_free(s->messages);
}

typedef struct {
    sample *s;
    loop_order order;
    bits around;
    uint32_t number;
    bool is_inside;  // the loop over n
} finder;

static bool is_scalarset(const model *m, type t) {
    const type_info *info = type_of(m, t);
    return info->kind == TYPE_SORT && !strstr(info->name, "slot");
}

static void find_loops(finder *f, const stmt *s) {
    uint32_t number = f->number++;
    bool was_inside = f->is_inside;
    f->is_inside |= s->kind == S_FORALL && str_same(var_of(f->s->m, s->vars[0])->name, "n");
    if (f->is_inside && s->kind == S_FORALL && s->nvars == 1 &&
        is_scalarset(f->s->m, var_of(f->s->m, s->vars[0])->ty)) {
        judged j = {.loop = s};
        j.is_any = loop_order_is_any(&f->order, s, number, s->vars[0], &j.why);
        vec_push(&f->s->loops, j);
    }
    for (uint32_t i = 0; i < s->nvars; i++) bits_add(&f->around, s->vars[i].id);
    for (uint32_t i = 0; i < s->nbody; i++) find_loops(f, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) find_loops(f, s->orelse[i]);
    for (uint32_t i = 0; i < s->nvars; i++) bits_remove(&f->around, s->vars[i].id);
    f->is_inside = was_inside;
}

static void judge_loops(sample *s) {
    const rule_info *r = rule_of(s->m, s->test);
    local_use *uses = local_use_new(s->m);
    finder f = {.s = s};
    f.order = (loop_order){.m = s->m, .fx = effects_new(s->m), .uses = uses, .around = &f.around};
    local_use_look_at(uses, r->body);
    for (uint32_t i = 0; i < r->nparams; i++) bits_add(&f.around, r->params[i].id);
    find_loops(&f, r->body);
    effects_free(f.order.fx);
    local_use_free(uses);
    bits_free(&f.around);
}

// ---- the rule with the rounds of one loop in a given order

typedef VEC(const stmt *) stmts;

static const stmt *in_order(model *m, const stmt *loop, const uint32_t *order, uint32_t n) {
    stmts rounds = {0};
    expr cond = loop->cond.id ? loop->cond : m->true_expr;
    const stmt *round = model_if(m, cond, loop->body, loop->nbody, NULL, 0, loop->at);
    for (uint32_t i = 0; i < n; i++) {
        expr e = expr_const(m, var_of(m, loop->vars[0])->ty, (value)order[i]);
        vec_push(&rounds, stmt_subst(m, round, loop->vars, &e, 1));
    }
    const stmt *all = model_block(m, S_SEQ, rounds.data, rounds.len, loop->at);
    vec_free(&rounds);
    return all;
}

static const stmt *replace(model *m, const stmt *s, const stmt *loop, const stmt *by) {
    if (s == loop) return by;
    stmt *copy = arena_copy(m->memory, s, sizeof *s);
    const stmt **body = arena_alloc(m->memory, (s->nbody + 1) * sizeof *body);
    const stmt **orelse = arena_alloc(m->memory, (s->norelse + 1) * sizeof *orelse);
    for (uint32_t i = 0; i < s->nbody; i++) body[i] = replace(m, s->body[i], loop, by);
    for (uint32_t i = 0; i < s->norelse; i++) orelse[i] = replace(m, s->orelse[i], loop, by);
    copy->body = body;
    copy->orelse = orelse;
    return copy;
}

// ---- ends of a rule

typedef enum { END_STATE, END_FAULT, END_LIMIT, END_IMPOSSIBLE } end_kind;

static end_kind run(sample *s, eval *ev, const value *from, const stmt *body, value *to) {
    memcpy(to, from, s->in->ncells * sizeof *to);
    if (eval_stmt(ev, to, body)) {
        bag_order(s->in, to);
        return END_STATE;
    }
    if (eval_is_impossible(ev)) return END_IMPOSSIBLE;
    return eval_fault(ev).kind == FAULT_LIMIT ? END_LIMIT : END_FAULT;
}

// ---- states: a random walk by the other rules

enum { MOST_ORDERS = 6 };

typedef struct {
    value *to;
    size_t size;
} start_copy;

static bool copy_start(const value *state, void *context) {
    start_copy *c = context;
    memcpy(c->to, state, c->size);
    return false;
}

static void step(sample *s, eval *ev, rng *r, value *state, value *next) {
    const sys_info *info = sys_of(s->m, s->system);
    rule by = info->rules.data[rng_below(r, info->rules.len - 1)];
    const rule_info *ri = rule_of(s->m, by);
    value args[MOST_ARGS];
    for (uint32_t i = 0; i < ri->nparams; i++) {
        type ty = var_of(s->m, ri->params[i])->ty;
        args[i] = instance_type_first(s->in, ty) + (value)rng_below(r, instance_type_size(s->in, ty));
    }
    if (eval_enabled(ev, state, by, args) && eval_fire(ev, state, by, args, next))
        memcpy(state, next, s->in->ncells * sizeof *next);
}

static const uint32_t orders3[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const uint32_t orders2[][3] = {{0, 1}, {1, 0}};

typedef struct {
    const stmt *bodies[MOST_ORDERS];
    uint32_t n;
} variants;

static variants orders_of(sample *s, const stmt *loop) {
    variants v = {0};
    uint32_t size = instance_type_size(s->in, var_of(s->m, loop->vars[0])->ty);
    const stmt *body = rule_of(s->m, s->test)->body;
    v.n = size == 3 ? 6 : 2;
    for (uint32_t i = 0; i < v.n; i++)
        v.bodies[i] =
            replace(s->m, body, loop, in_order(s->m, loop, size == 3 ? orders3[i] : orders2[i], size));
    return v;
}

// Does the rule come to the same end in every order, from states of a random walk?
static bool same_ends(sample *s, const variants *v, uint32_t nstates, uint64_t seed, uint64_t *nfaults) {
    size_t size = s->in->ncells * sizeof(value);
    value *state = mem_zero(1, size), *next = mem_zero(1, size), *one = mem_zero(1, size),
          *other = mem_zero(1, size);
    rng r = {seed};
    bool same = true;
    start_copy start = {state, size};
    eval_initial(s->in, copy_start, &start);
    eval *ev = eval_new(s->in);
    for (uint32_t i = 0; i < nstates && same; i++) {
        for (uint32_t k = 0; k < 6; k++) step(s, ev, &r, state, next);
        type ty = var_of(s->m, rule_of(s->m, s->test)->params[0])->ty;
        eval_bind(ev, rule_of(s->m, s->test)->params[0], (value)rng_below(&r, instance_type_size(s->in, ty)));
        end_kind first = run(s, ev, state, v->bodies[0], one);
        *nfaults += first != END_STATE;
        for (uint32_t k = 1; k < v->n && same; k++) {
            end_kind end = run(s, ev, state, v->bodies[k], other);
            same = end == first && (end != END_STATE || memcmp(one, other, size) == 0);
        }
    }
    eval_free(ev);
    free(state), free(next), free(one), free(other);
    return same;
}

static void any_order(void **state) {
    (void)state;
    const char *only = getenv("LOOP_SEED"), *asked = getenv("PARVIS_LOOPS"), *from = getenv("PARVIS_SEED");
    uint32_t n = asked ? (uint32_t)strtoul(asked, NULL, 10) : getenv("PARVIS_LONG") ? 100000 : 2500, nstates = 60;
    uint64_t first = only ? strtoull(only, NULL, 10) : from ? strtoull(from, NULL, 10) : 1;
    uint32_t loops = 0, any = 0, wrong = 0, independent = 0, found = 0;
    uint64_t nfaults = 0;
    for (uint64_t seed = first; seed < first + n; seed++) {
        str text = {0};
        sample s;
        random_text(seed, &text);
        assert_true(sample_new(&s, str_get(&text), seed % 8 < 5));
        judge_loops(&s);
        for (uint32_t i = 0; i < s.loops.len; i++) {
            judged *j = &s.loops.data[i];
            variants v = orders_of(&s, j->loop);
            bool same = same_ends(&s, &v, nstates, seed, &nfaults);
            loops++;
            any += j->is_any;
            independent += same;
            found += same && j->is_any;
            if (only) printf("# loop %u: any %d same %d: %s\n", i, j->is_any, same, str_get(&j->why));
            if (same && !j->is_any && getenv("LOOP_WHY"))
                printf("# why %llu %s\n", (unsigned long long)seed, str_get(&j->why));
            if (same || !j->is_any) continue;
            wrong++;
            printf("# seed %llu\n%s\n", (unsigned long long)seed,
                   strstr(str_get(&text), "ruleset m : node do"));
        }
        if (only) printf("%s\n", strstr(str_get(&text), "ruleset m : node do"));
        sample_free(&s);
        str_free(&text);
        if (only) break;
    }
    printf("# tally: loops in any order, against all orders of rounds | %u cases | %u wrong\n", loops, wrong);
    printf("# %u%% of %u ends are failures\n", (uint32_t)(100 * nfaults / (loops * (uint64_t)nstates)),
           loops * nstates);
    printf("# %u loops, %u said to be in any order; of %u whose orders never differed, %u found\n", loops,
           any, independent, found);
    assert_int_equal(wrong, 0);
    if (!only) assert_true(found * 2 > independent);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
