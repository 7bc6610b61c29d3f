// SPDX-License-Identifier: Apache-2.0
// random_loop: see random_loop.h.
#include "oracle/random_loop.h"

#include "base/rng.h"

#include <ctype.h>
#include <string.h>

#define COUNT(list) (uint32_t)(sizeof(list) / sizeof *(list))

// ---- what the loop is about

static const char *const types = "type node : scalarset(%u); owner : scalarset(2); R : 0..2; E : enum { ea, eb };\n"
                                 "  U : union { node, E }; rec : record f : boolean; g : R; end;\n"
                                 "  msg : record dst : node; k : R; end; B : multiset [2] of node;\n";

// Values at the start: the first for all variables at once, the others may depend on m0, o0 and x0.
typedef struct {
    const char *name, *type, *starts[3];
} variable;

#define ALL_NODES(text)  "for n : node do " text " end;"
#define ALL_OWNERS(text) "for o : owner do " text " end;"
#define ALL_BOOLS(text)  "for e : boolean do " text " end;"

static const variable variables[] = {
    {"a",
     "array [node] of boolean",
     {ALL_NODES("a[n] := false;"), ALL_NODES("a[n] := n = m0;"), ALL_NODES("a[n] := true;")}},
    {"b",
     "array [node] of boolean",
     {ALL_NODES("b[n] := true;"), ALL_NODES("b[n] := n != m0;"), ALL_NODES("b[n] := false;")}},
    {"c",
     "array [node] of array [owner] of boolean",
     {ALL_NODES(ALL_OWNERS("c[n][o] := false;")), ALL_NODES(ALL_OWNERS("c[n][o] := n = m0 & o = o0;")),
      ALL_NODES(ALL_OWNERS("c[n][o] := n = m0;"))}},
    {"k", "0..3", {"k := 0;", "k := 2;", "k := 0;"}},
    {"j", "-3..3", {"j := 0;", "j := 1;", "j := -2;"}},
    {"w", "node", {ALL_NODES("w := n;"), "w := m0;", "undefine w;"}},
    {"s", "boolean", {"s := false;", "s := true;", "s := x0;"}},
    {"t", "boolean", {"t := true;", "t := false;", "t := x0;"}},
    {"u", "U", {"undefine u;", "u := m0;", "u := ea;"}},
    {"p", "array [node] of node", {ALL_NODES("p[n] := n;"), ALL_NODES("p[n] := m0;"), "undefine p;"}},
    {"q",
     "array [U] of boolean",
     {ALL_NODES("q[n] := false;") " for e : E do q[e] := true; end;",
      ALL_NODES("q[n] := n = m0;") " for e : E do q[e] := x0; end;",
      ALL_NODES("q[n] := true;") " for e : E do q[e] := false; end;"}},
    {"r",
     "array [node] of rec",
     {ALL_NODES("r[n].f := false; r[n].g := 0;"),
      ALL_NODES("r[n].f := x0; if n = m0 then r[n].g := 2; else r[n].g := 1; end;"),
      ALL_NODES("r[n].f := n = m0; r[n].g := 1;")}},
    {"rr", "rec", {"undefine rr;", "rr.f := x0; rr.g := 1;", "undefine rr;"}},
    {"cnt", "array [R] of R", {"for i : R do cnt[i] := i; end;", "for i : R do cnt[i] := 1; end;", "clear cnt;"}},
    {"at",
     "array [owner] of node",
     {ALL_NODES(ALL_OWNERS("at[o] := n;")), ALL_OWNERS("at[o] := m0;"), "undefine at; at[o0] := m0;"}},
    {"own", "owner", {ALL_OWNERS("own := o;"), "own := o0;", "undefine own;"}},
    {"net", "multiset [3] of msg", {"undefine net;", "undefine net;", "undefine net;"}},
    {"sh",
     "multiset [3] of node",
     {"undefine sh;", "undefine sh; multisetadd(m0, sh);",
      "undefine sh; " ALL_NODES("if n != m0 then multisetadd(n, sh); end;")}},
    {"box", "array [owner] of B", {"undefine box;", "undefine box; multisetadd(m0, box[o0]);", "undefine box;"}},
    {"nb",
     "array [node] of B",
     {"undefine nb;", "undefine nb; " ALL_NODES("multisetadd(n, nb[n]);"), "undefine nb; multisetadd(m0, nb[m0]);"}},
    {"bb", "B", {"undefine bb;", "undefine bb; multisetadd(m0, bb);", "undefine bb;"}},
    {"ub", "array [node] of boolean", {"undefine ub;", "undefine ub; ub[m0] := x0;", ALL_NODES("ub[n] := n = m0;")}},
    {"up2",
     "array [owner] of array [boolean] of boolean",
     {ALL_OWNERS(ALL_BOOLS("up2[o][e] := true;")), ALL_OWNERS(ALL_BOOLS("up2[o][e] := e = x0;")),
      ALL_OWNERS(ALL_BOOLS("up2[o][e] := o = o0;"))}},
    {"pr", "array [R] of node", {"undefine pr;", "for i : R do pr[i] := m0; end;", "undefine pr; pr[1] := m0;"}},
    {"at2",
     "array [owner] of array [boolean] of node",
     {ALL_NODES(ALL_OWNERS(ALL_BOOLS("at2[o][e] := n;"))), ALL_OWNERS(ALL_BOOLS("at2[o][e] := m0;")),
      "undefine at2; at2[o0][x0] := m0;"}},
    {"at3",
     "array [boolean] of array [owner] of node",
     {ALL_NODES(ALL_OWNERS(ALL_BOOLS("at3[e][o] := n;"))), ALL_OWNERS(ALL_BOOLS("at3[e][o] := m0;")),
      "undefine at3; at3[x0][o0] := m0;"}},
    {"got", "array [owner] of node", {"undefine got;", ALL_OWNERS("got[o] := m0;"), "undefine got;"}},
    {"got3", "array [boolean] of array [owner] of node", {"undefine got3;", "undefine got3;", "undefine got3;"}},
    {"up",
     "array [owner] of boolean",
     {ALL_OWNERS("up[o] := true;"), ALL_OWNERS("up[o] := o = o0;"), ALL_OWNERS("up[o] := false;")}}};

static const struct {
    const char *name, *text;
} routines[] = {
    {"mark", "procedure mark(x : node); begin a[x] := true; end;"},
    {"keep", "procedure keep(var it : node; x : node); begin it := x; end;"},
    {"send", "procedure send(x : node; i : R); var mm : msg; begin\n"
             "  assert multisetcount(z : net, true) < 3; mm.dst := x; mm.k := i; multisetadd(mm, net); end;"},
    {"give", "procedure give(x : node; o : owner); begin\n"
             "  assert multisetcount(z : box[o], true) < 2; multisetadd(x, box[o]); end;"},
    {"post", "procedure post(x : node; y : node); var it : node; begin\n"
             "  assert multisetcount(z : nb[x], true) < 2; it := y; multisetadd(it, nb[x]); end;"},
    {"is_sharer", "function is_sharer(x : node) : boolean; begin return multisetcount(z : sh, sh[z] = x) > 0; end;"},
    {"drop_sharer", "procedure drop_sharer(x : node); begin multisetremovepred(z : sh, sh[z] = x); end;"},
    {"some", "function some(x : node) : boolean; begin for y : node do if y != x & a[y] then return true; end; end;\n"
             "  return false; end;"},
    {"setb", "procedure setb(var it : boolean; x : node); begin it := a[x]; end;"},
    {"twice", "procedure twice(var it : node; x : node); begin keep(it, x); if a[it] then it := x; setb(b[it], x); "
              "end; end;"},
    {"both", "procedure both(var i1 : boolean; var i2 : boolean); begin i1 := !i2; i2 := i1; end;"},
    {"first", "function first(x : node) : boolean; begin for y : node do if b[y] then return a[x]; end; end; return "
              "false; end;"},
    {"other", "function other(x : node) : node; begin for y : node do if y != x then return y; end; end; return x; "
              "end;"},
    {"flip", "function flip(var it : boolean; x : node) : boolean; var o : boolean; begin o := it; it := a[x]; return "
             "o; end;"},
    {"lift", "procedure lift(x : node); var y : R; begin if a[x] then y := 1; else y := 2; end; r[x].g := y; end;"}};

// Steps between states, for n, y : node; o : owner; x : boolean; i : R. A walk does the rare ones rarely.
static const struct {
    const char *guard, *body;
    bool is_rare;
} setups[] = {{"", "a[n] := x;", false},
              {"", "b[n] := x;", false},
              {"", "c[n][o] := x;", false},
              {"", "k := i + 1;", false},
              {"", "k := 0;", false},
              {"", "j := i - 1;", false},
              {"", "w := n;", false},
              {"", "undefine w;", true},
              {"", "s := x;", false},
              {"", "t := x;", false},
              {"", "u := n;", false},
              {"", "u := ea;", false},
              {"", "p[n] := y;", false},
              {"", "undefine p[n];", true},
              {"", "q[n] := x;", false},
              {"", "r[n].f := x; r[n].g := i;", false},
              {"", "rr := r[n];", false},
              {"", "cnt[i] := 2 - i;", false},
              {"", "at[o] := n;", false},
              {"", "undefine at;", true},
              {"", "own := o;", false},
              {"", "undefine own;", true},
              {"multisetcount(z : sh, true) < 3", "multisetadd(n, sh);", false},
              {"", "multisetremovepred(z : sh, sh[z] = n);", false},
              {"multisetcount(z : net, true) < 3", "send(n, i);", false},
              {"", "multisetremovepred(z : net, net[z].dst = n);", false},
              {"multisetcount(z : box[o], true) < 2", "multisetadd(n, box[o]);", false},
              {"", "multisetremovepred(z : box[o], box[o][z] = n);", false},
              {"multisetcount(z : nb[n], true) < 2", "multisetadd(y, nb[n]);", false},
              {"multisetcount(z : bb, true) < 2", "multisetadd(n, bb);", false},
              {"", "undefine nb[n];", false},
              {"", "undefine bb;", false},
              {"", "at2[o][x] := n;", false},
              {"", "at3[x][o] := n;", false},
              {"", "undefine at2[o];", true},
              {"", "undefine at3;", true},
              {"", "got[o] := n;", false},
              {"", "got3[x][o] := n;", false},
              {"", "up[o] := x;", false},
              {"", "ub[n] := x;", false},
              {"", "undefine ub[n];", true},
              {"", "pr[i] := n;", false},
              {"", "undefine pr;", true},
              {"", "up2[o][x] := a[n];", false}};

static const char *const results[] = {"forall n : node do a[n] end",
                                      "exists n : node do a[n] end",
                                      "forall n : node do b[n] end",
                                      "exists n : node do b[n] end",
                                      "exists n : node do a[n] & b[n] end",
                                      "exists n : node do a[n] & exists v : node do v != n & !a[v] end end",
                                      "exists n : node do exists o : owner do c[n][o] end end",
                                      "forall n : node do exists o : owner do c[n][o] end end",
                                      "s",
                                      "t",
                                      "s = t",
                                      "k = 0",
                                      "k < 2",
                                      "j < 1",
                                      "j > -2",
                                      "isundefined(w)",
                                      "!isundefined(w) & a[w]",
                                      "!isundefined(w) & b[w]",
                                      "isundefined(u)",
                                      "!isundefined(u) & ismember(u, node)",
                                      "exists n : node do !isundefined(u) & u = n & a[n] end",
                                      "exists n : node do !isundefined(p[n]) & p[n] != n end",
                                      "exists n : node do !isundefined(p[n]) & a[p[n]] end",
                                      "exists n : node do isundefined(p[n]) end",
                                      "exists n : node do q[n] end",
                                      "exists e : E do q[e] end",
                                      "exists n : node do !isundefined(r[n].f) & r[n].f end",
                                      "exists n : node do !isundefined(r[n].g) & r[n].g = 1 end",
                                      "exists n : node do isundefined(r[n].g) | r[n].g = 0 end",
                                      "isundefined(rr.g)",
                                      "!isundefined(rr.g) & rr.g = 1",
                                      "!isundefined(rr.f) & rr.f",
                                      "cnt[0] = 0",
                                      "cnt[1] = 1",
                                      "exists o : owner do !isundefined(at[o]) & a[at[o]] end",
                                      "exists o : owner do !isundefined(at[o]) & !isundefined(w) & at[o] = w end",
                                      "exists o : owner do isundefined(at[o]) end",
                                      "isundefined(own)",
                                      "!isundefined(own) & exists n : node do c[n][own] end",
                                      "!isundefined(own) & up[own]",
                                      "multisetcount(z : net, true) < 2",
                                      "multisetcount(z : net, net[z].k = 1) > 0",
                                      "exists n : node do multisetcount(z : net, net[z].dst = n) > 1 end",
                                      "multisetcount(z : sh, true) < 2",
                                      "multisetcount(z : sh, a[sh[z]]) > 0",
                                      "exists n : node do multisetcount(z : sh, sh[z] = n) > 1 end",
                                      "exists o : owner do multisetcount(z : box[o], true) > 1 end",
                                      "exists o : owner do multisetcount(z : box[o], b[box[o][z]]) > 0 end",
                                      "exists n : node do multisetcount(z : nb[n], nb[n][z] = n) > 0 end",
                                      "exists n : node do multisetcount(z : nb[n], true) > 1 end",
                                      "multisetcount(z : bb, true) > 0",
                                      "exists n : node do multisetcount(z : bb, bb[z] = n) > 1 end",
                                      "exists n : node do isundefined(ub[n]) end",
                                      "exists n : node do !isundefined(ub[n]) & ub[n] end",
                                      "isundefined(pr[1])",
                                      "exists i : R do !isundefined(pr[i]) & a[pr[i]] end",
                                      "!isundefined(pr[0]) & !isundefined(pr[1]) & pr[0] = pr[1]",
                                      "exists o : owner do up2[o][true] & up2[o][false] end",
                                      "exists o : owner do !isundefined(at2[o][true]) & a[at2[o][true]] end",
                                      "exists o : owner do isundefined(at2[o][false]) end",
                                      "exists o : owner do isundefined(at3[true][o]) end",
                                      "exists o : owner do !isundefined(at3[false][o]) & b[at3[false][o]] end",
                                      "exists o : owner do isundefined(got[o]) end",
                                      "exists o : owner do !isundefined(got[o]) & b[got[o]] end",
                                      "exists o : owner do !isundefined(got3[true][o]) end",
                                      "exists o : owner do up[o] end",
                                      "forall o : owner do up[o] end"};

// Before and after the loop of a rule that chose the element z9 of a multiset, and in the loop.
static const struct {
    const char *set, *texts[8], *loops[8];
} chosen[] = {
    {"sh",
     {"multisetremove(z9, sh);", "w := sh[z9];", "a[sh[z9]] := !a[sh[z9]];", "multisetadd(m, sh);",
      "alias it : sh[z9] do multisetremove(z9, sh); multisetadd(m, sh); w := it; end;", "drop_sharer(m);",
      "if sh[z9] = m then b[m] := true; end;", "x := sh[z9];"},
     {"if sh[z9] != n then multisetadd(n, sh); end;", "if sh[z9] != n & is_sharer(n) then send(n, 1); end;",
      "a[n] := sh[z9] = n;", "multisetadd(sh[z9], sh);", "drop_sharer(n);", "multisetremove(z9, sh);",
      "if sh[z9] = n then multisetremove(z9, sh); else multisetadd(n, sh); end;", "sh[z9] := n;"}},
    {"bb",
     {"multisetremove(z9, bb);", "w := bb[z9];", "a[bb[z9]] := true;", "multisetadd(m, bb);", "bb := nb[m];",
      "x := bb[z9]; multisetremove(z9, bb);", "if bb[z9] = m then s := true; end;", "nb[m] := bb;"},
     {"if bb[z9] != n then multisetadd(bb[z9], nb[n]); end;", "nb[n] := bb;", "bb := nb[n];", "multisetadd(n, bb);",
      "a[bb[z9]] := true;", "post(n, bb[z9]);", "multisetremovepred(z : bb, bb[z] = n);",
      "if a[bb[z9]] then multisetadd(bb[z9], bb); end;"}},
    {"net",
     {"multisetremove(z9, net);", "w := net[z9].dst;", "a[net[z9].dst] := true;", "send(m, 1);", "net[z9].k := 2;",
      "net[z9].dst := m;", "if net[z9].k = 1 then t := false; end;", "x := net[z9].dst; multisetremove(z9, net);"},
     {"if net[z9].dst != n then send(n, net[z9].k); end;", "send(net[z9].dst, 1);", "net[z9].k := 1;",
      "if is_sharer(n) & n != net[z9].dst then send(n, 0); drop_sharer(n); end;", "send(n, 2); k := k + net[z9].k;",
      "net[z9].dst := n;", "if net[z9].k = 2 then multisetremovepred(z : net, net[z].dst = n); end;",
      "if b[n] then multisetremove(z9, net); end;"}},
    {"nb[m]",
     {"multisetremove(z9, nb[m]);", "w := nb[m][z9];", "a[nb[m][z9]] := true;", "post(m, m);", "nb[m] := bb;",
      "nb[m][z9] := m;", "if nb[m][z9] = m then s := true; multisetremove(z9, nb[m]); else post(m, w); end;",
      "x := nb[m][z9];"},
     {"if nb[m][z9] != n then post(n, nb[m][z9]); end;", "post(n, n);", "post(nb[m][z9], n);",
      "if is_sharer(n) & n != nb[m][z9] then post(n, m); drop_sharer(n); end;", "nb[n] := nb[m];",
      "multisetremovepred(z : nb[n], nb[n][z] = n);", "a[nb[m][z9]] := true; multisetadd(nb[m][z9], nb[n]);",
      "if n = nb[m][z9] then multisetremove(z9, nb[m]); else post(m, n); end;"}},
    {"box[o9]",
     {"multisetremove(z9, box[o9]);", "w := box[own][z9];", "a[box[o9][z9]] := true;", "multisetadd(m, box[o9]);",
      "own := o9;", "alias it : box[own][z9] do multisetremove(z9, box[o9]); multisetadd(m, box[o9]); w := it; end;",
      "if !isundefined(own) & own = o9 then give(m, own); end;", "box[o9][z9] := m;"},
     {"if box[o9][z9] != n then give(n, o9); end;", "give(n, own);", "give(box[o9][z9], own);",
      "if box[own][z9] = n then a[n] := true; end;", "multisetremovepred(z : box[o9], box[o9][z] = n);",
      "multisetremove(z9, box[own]);", "own := o9; give(n, o9);", "box[o9][z9] := n;"}}};

// ---- statements

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
static const char *const plain_conditions[] = {"a[%N]", "b[%N]", "c[%N][%O]", "s", "z", "a[n]", "b[n]", "r[n].f"};
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
static const char *const local_statements[] = {"for i : 0..1 do lr[i] := a[n]; end; b[n] := lr[2]; lr[2] := a[n];",
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
static const char *const heads_of_wholes[] = {"for i3 : R do lr[i3] := true;",
                                              "for f3 : boolean do z := f3;",
                                              "for o3 : owner do l[o3] := s;",
                                              "y9 := 0; while y9 < 2 do y9 := y9 + 1;",
                                              "if s then",
                                              "for v3 : node do pl[v3] := false;"};

#define OF(list) \
    { list, sizeof(list) / sizeof *(list) }
static const struct {
    const char *const *list;
    uint32_t n;
} themes[] = {OF(statements),       OF(statements),       OF(multiset_statements),  OF(return_statements),
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

// ---- the rule

// which: of the multisets of which the rule chose an element; -1: of none.
static void choose_few(writer *w, int which) {
    uint32_t theme = below(w, COUNT(themes));
    w->has_return = below(w, 4) == 0 || themes[theme].list == return_statements || (theme > 6 && below(w, 2));
    for (uint32_t i = 0; i < 6; i++) {
        w->few_conditions[i] = conditions[below(w, COUNT(conditions))];
        uint32_t from = i < 4 ? theme : 0;
        bool is_about_chosen = which >= 0 && i < 3;
        w->few_statements[i] =
            is_about_chosen ? chosen[which].loops[below(w, 8)] : themes[from].list[below(w, themes[from].n)];
    }
}

static const char *const locals =
    "\n  var x : node; y, y9 : R; z : boolean; l : array [owner] of boolean;\n"
    "  lr : array [R] of boolean; mm : msg; rc : rec; e : boolean; pl : array [node] of boolean; begin\n";

static void say_body(writer *w) {
    for (uint32_t i = 0; i < COUNT(heads); i++)
        if (below(w, 8)) say(w, heads[i]), say(w, "\n");
    bool is_whole = below(w, 4) == 0;
    if (is_whole) expand(w, heads_of_wholes[below(w, COUNT(heads_of_wholes))], 9);
    bool is_union = below(w, 6) == 0;
    say(w, is_union ? "\n  for n : U do if ismember(n, node) then " : "\n  for n : node do ");
    for (uint32_t i = 0, most = 1 + below(w, 3); i < most; i++) expand(w, "\n%S ", below(w, 4));
    if (is_union) say(w, "end; ");
    say(w, is_whole ? "end; end;\n  " : "end;\n  ");
    PICK(w, tails, 0);
}

static void say_about_chosen(writer *w, int which) {
    for (uint32_t i = 0, n = which < 0 ? 0 : below(w, 4); i < n; i++) {
        expand(w, chosen[which].texts[below(w, 8)], 0);
        say(w, "\n");
    }
}

static int choose_set(writer *w) { return below(w, 3) == 0 ? (int)below(w, COUNT(chosen)) : -1; }

static void say_test(writer *w, int which, const char *head) {
    say(w, "ruleset m : node; o9 : owner do ");
    if (which >= 0) str_printf(&w->out, "choose z9 : %s do ", chosen[which].set);
    str_printf(&w->out, "rule \"test\" %s", head[0] ? "!done ==>" : "");
    say(w, locals);
    say(w, head);
    say_about_chosen(w, which);
    say_body(w);
    say_about_chosen(w, which);
    say(w, which >= 0 ? " end; end; end;\n" : " end; end;\n");
}

// ---- for random walks

void random_loop_text(uint64_t seed, str *out) {
    writer w = {.r = {seed}};
    str_printf(&w.out, types, 2 + (uint32_t)(seed % 2));
    int which = choose_set(&w);
    choose_few(&w, which);
    for (uint32_t i = 0; i < COUNT(variables); i++)
        str_printf(&w.out, "var %s : %s;\n", variables[i].name, variables[i].type);
    for (uint32_t i = 0; i < COUNT(routines); i++) str_printf(&w.out, "%s\n", routines[i].text);
    say(&w, "startstate begin\n");
    for (uint32_t i = 0; i < COUNT(variables); i++) str_printf(&w.out, "  %s\n", variables[i].starts[0]);
    say(&w, "end;\nruleset n : node; x : boolean; o : owner; y : node; i : R do\n");
    for (uint32_t i = 0; i < COUNT(setups); i++)
        str_printf(&w.out, "  rule \"%u\" %s ==> begin %s%s%s end;\n", i, setups[i].guard[0] ? setups[i].guard : "true",
                   setups[i].is_rare ? "if x & n = y then " : "", setups[i].body, setups[i].is_rare ? " end;" : "");
    say(&w, "end;\n");
    say_test(&w, which, "");
    *out = w.out;
}

// ---- to be explored

static bool mentions(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_') return true;
    }
    return false;
}

typedef struct {
    bool is_variable[COUNT(variables)], is_routine[COUNT(routines)];
} used_names;

static void note_used(used_names *u, const char *text) {
    for (uint32_t i = 0; i < COUNT(variables); i++) u->is_variable[i] |= mentions(text, variables[i].name);
    for (uint32_t i = 0; i < COUNT(routines); i++) {
        if (u->is_routine[i] || !mentions(text, routines[i].name)) continue;
        u->is_routine[i] = true;
        note_used(u, routines[i].text);
    }
}

static bool uses_only(const used_names *u, const char *text) {
    used_names here = {0};
    note_used(&here, text);
    for (uint32_t i = 0; i < COUNT(variables); i++)
        if (here.is_variable[i] && !u->is_variable[i]) return false;
    for (uint32_t i = 0; i < COUNT(routines); i++)
        if (here.is_routine[i] && !u->is_routine[i]) return false;
    return true;
}

static void say_names(writer *w, const used_names *u) {
    for (uint32_t i = 0; i < COUNT(variables); i++)
        if (u->is_variable[i]) str_printf(&w->out, "var %s : %s;\n", variables[i].name, variables[i].type);
    for (uint32_t i = 0; i < COUNT(routines); i++)
        if (u->is_routine[i]) str_printf(&w->out, "%s\n", routines[i].text);
}

static void say_start(writer *w, const used_names *u, uint32_t nsteps) {
    say(w, "ruleset m0 : node; o0 : owner; x0 : boolean do startstate begin\n");
    for (uint32_t i = 0; i < COUNT(variables); i++) {
        uint32_t which = below(w, 3);
        if (u->is_variable[i]) str_printf(&w->out, "  %s\n", variables[i].starts[which]);
    }
    str_printf(&w->out, "  left := %u; done := false; end; end;\n", nsteps);
}

static const char *const parameters[] = {"n : node", "y : node", "o : owner", "x : boolean", "i : R"};

static void say_setup(writer *w, uint32_t number) {
    const char *guard = setups[number].guard, *body = setups[number].body, *between = "ruleset ";
    str text = {0};
    str_printf(&text, "%s %s", guard, body);
    bool has_any = false;
    for (uint32_t i = 0; i < COUNT(parameters); i++) {
        char name[2] = {parameters[i][0], 0};
        if (!mentions(str_get(&text), name)) continue;
        str_printf(&w->out, "%s%s", between, parameters[i]);
        between = "; ";
        has_any = true;
    }
    str_printf(&w->out, "%srule \"%u\" left > 0 & !done%s%s ==> begin left := left - 1; %s end;%s\n",
               has_any ? " do " : "", number, guard[0] ? " & " : "", guard, body, has_any ? " end;" : "");
    str_free(&text);
}

static void say_setups(writer *w, const used_names *u) {
    uint32_t first = below(w, COUNT(setups)), n = 0;
    for (uint32_t i = 0; i < COUNT(setups) && n < 6; i++) {
        uint32_t number = (first + 7 * i) % COUNT(setups);
        if (!uses_only(u, setups[number].guard) || !uses_only(u, setups[number].body)) continue;
        say_setup(w, number);
        n++;
    }
}

static void say_results(writer *w, const used_names *u) {
    uint32_t first = below(w, COUNT(results)), n = 0;
    say(w, "invariant \"always\" true;\n");
    for (uint32_t i = 0; i < COUNT(results) && n < 6; i++) {
        uint32_t number = (first + 11 * i) % COUNT(results);
        if (!uses_only(u, results[number])) continue;
        str_printf(&w->out, "invariant \"i%u\" done -> %s(%s);\n", number, below(w, 2) ? "!" : "", results[number]);
        n++;
    }
}

void random_loop_model(uint64_t seed, str *out) {
    writer w = {.r = {seed}};
    used_names used = {0};
    int which = choose_set(&w);
    choose_few(&w, which);
    say_test(&w, which, "done := true;\n");
    note_used(&used, str_get(&w.out));
    str test = w.out;
    w.out = (str){0};
    uint32_t nsteps = 1 + below(&w, 3);
    str_printf(&w.out, types, 2 + (uint32_t)(seed % 2));
    str_printf(&w.out, "var left : 0..3; done : boolean;\n");
    say_names(&w, &used);
    say_start(&w, &used, nsteps);
    say_setups(&w, &used);
    str_add(&w.out, str_get(&test));
    say_results(&w, &used);
    str_free(&test);
    *out = w.out;
}
