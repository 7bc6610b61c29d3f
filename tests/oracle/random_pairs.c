// SPDX-License-Identifier: Apache-2.0
// See random_pairs.h.
#include "oracle/random_pairs.h"

#include "base/rng.h"

typedef struct {
    rng r;
    str *out;
    uint32_t depth;
    bool has_two;  // nodes: n and p
} writer;

// In a shape, N is a node, L a lock, H a node or nobody and C a condition, one level deeper.
static void write_shape(writer *w, const char *shape);

static void write_one(writer *w, const char *const *shapes, uint32_t n) { write_shape(w, shapes[rng_below(&w->r, n)]); }
#define ONE_OF(w, shapes) write_one(w, shapes, sizeof(shapes) / sizeof *(shapes))

static const char *const nodes[] = {"n", "n", "who", "own[l]", "link[n]", "own[want[n]]", "p", "p"};
enum { NODES_WITHOUT_P = 6, NODES = 8 };
static const char *const locks[] = {"l", "l", "l", "cur", "want[n]", "want[N]", "want[own[l]]"};
static const char *const holders[] = {"nobody", "nobody", "N", "N", "place", "hold[L]"};

static const char *const conditions[] = {
    "set[N][L]",
    "set[N][L]",
    "up[N]",
    "up[N]",
    "full[L]",
    "(N = N)",
    "(L = L)",
    "(hold[L] = H)",
    "(hold[L] = H)",
    "(place = H)",
    "!(C)",
    "(C & C)",
    "(C | C)",
    "(C = C)",
    "(exists k : node do k != N & set[k][L] end)",
    "(forall k : node do k = N | !up[k] end)",
    "(exists d : lock do full[d] & C end)",
    "(forall d : lock do d = L | hold[d] != N end)",
};

static const char *const effects[] = {
    "set[N][L] := C;",
    "set[N][L] := true;",
    "up[N] := true;",
    "up[N] := false;",
    "full[L] := C;",
    "own[L] := N;",
    "want[N] := L;",
    "want[N] := L;",
    "link[N] := N;",
    "hold[L] := H;",
    "hold[L] := nobody;",
    "place := H;",
    "who := N;",
    "cur := L;",
    "if C then up[N] := true; else full[L] := false; end;",
    "for d : lock do set[n][d] := d = L; end;",
    "for a : node do up[a] := false; end;",
};

static const char *const properties[] = {
    "C",
    "up[n] & up[p] & n != p -> want[n] != want[p]",
    "up[n] -> hold[want[n]] = n",
    "C -> hold[want[n]] = H",
    "C -> own[l] != link[n]",
    "hold[l] != place | C",
    "full[want[n]] -> C",
    "set[n][l] & set[p][l] -> n = p",
    "set[own[l]][l] | !full[l]",
    "want[n] = cur | C",
};

static void write_shape(writer *w, const char *shape) {
    for (const char *c = shape; *c; c++) {
        if (*c == 'N') write_one(w, nodes, w->has_two ? NODES : NODES_WITHOUT_P);
        else if (*c == 'L') ONE_OF(w, locks);
        else if (*c == 'H') ONE_OF(w, holders);
        else if (*c != 'C') str_char(w->out, *c);
        else if (w->depth > 2) str_add(w->out, "up[n]");
        else {
            w->depth++;
            ONE_OF(w, conditions);
            w->depth--;
        }
    }
}

static void write_rule(writer *w, uint32_t number) {
    w->has_two = rng_below(&w->r, 3) == 0;
    str_printf(w->out, "ruleset n : node; %sl : lock do rule \"r%u\" ", w->has_two ? "p : node; " : "", number);
    w->depth = rng_below(&w->r, 3);
    write_shape(w, "C & C ==>\nbegin ");
    for (uint32_t i = 1 + rng_below(&w->r, 3); i-- > 0;) ONE_OF(w, effects);
    str_add(w->out, " end; end;\n");
}

static void write_property(writer *w, uint32_t number) {
    w->has_two = true;
    w->depth = 1;
    str_printf(w->out, "invariant \"p%u\" forall n : node do forall p : node do forall l : lock do ", number);
    ONE_OF(w, properties);
    str_add(w->out, " end end end;\n");
}

// What three steps do that take a node and a lock each, which no other step may have: none with two locks, nor with two
// nodes, unless a condition is in the way.
static void write_wide(writer *w) {
    w->has_two = false;
    w->depth = 1;
    write_shape(w, "ruleset n : node; l : lock do rule \"wide\" !left[n] & !taken[l] & count < 3 & C ==>\nbegin ");
    str_add(w->out, "left[n] := true; taken[l] := true; count := count + 1; end; end;\n");
    str_add(w->out, "invariant \"few\" count < 3;\n");
}

void random_pairs(uint64_t seed, str *out) {
    writer w = {.r = {seed * 7621}, .out = out};
    const bool is_wide = seed % 4 == 0;
    str_add(out,
            "type node : scalarset(2); lock : scalarset(2); none : enum { nobody }; holder : union { node, none };\n"
            "var set : array [node] of array [lock] of boolean; up : array [node] of boolean; full : array [lock] of "
            "boolean;\n  own : array [lock] of node; want : array [node] of lock; link : array [node] of node; place : "
            "holder;\n  hold : array [lock] of holder; who : node; cur : lock;\n");
    if (is_wide) str_add(out, "  left : array [node] of boolean; taken : array [lock] of boolean; count : 0..3;\n");
    str_add(out,
            "ruleset s : node; t : lock do startstate place := nobody; who := s; cur := t;\n  for l : lock do full[l] "
            ":= false; own[l] := s; hold[l] := nobody; end;\n  for n : node do up[n] := false; want[n] := t; ");
    str_printf(out, "link[n] := %s; for l : lock do set[n][l] := false; end; end;", rng_below(&w.r, 2) ? "n" : "s");
    if (is_wide)
        str_add(out, "\n  count := 0; for n : node do left[n] := false; end; for l : lock do taken[l] := false; end;");
    str_add(out, " end; end;\n");
    for (uint32_t i = 0, n = 1 + rng_below(&w.r, 3); i < n; i++) write_rule(&w, i);
    for (uint32_t i = 0, n = 1 + rng_below(&w.r, 2); i < n; i++) write_property(&w, i);
    if (is_wide) write_wide(&w);
}
