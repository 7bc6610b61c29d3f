// SPDX-License-Identifier: Apache-2.0
// See random_counts.h.
#include "oracle/random_counts.h"

#include "base/rng.h"

typedef struct {
    rng r;
    str *out;
    uint32_t nfuncs;  // that can be called
    uint32_t depth;
    bool counts_in_bodies, is_body;  // they become loops there, most of which are refused
} writer;

static bool chance(writer *w, uint32_t percent) { return rng_below(&w->r, 100) < percent; }

// In a shape, F is a call of a function, T the name of a condition of nodes, K a number and C a condition, one level
// deeper.
static void write_shape(writer *w, const char *shape);

static void write_one(writer *w, const char *const *shapes, uint32_t n) { write_shape(w, shapes[rng_below(&w->r, n)]); }
#define ONE_OF(w, shapes) write_one(w, shapes, sizeof(shapes) / sizeof *(shapes))

// Of a node n and a block b.
static const char *const counted[] = {
    "mark[n][b]",
    "mark[n][b]",
    "mark[link[n]][b]",
    "held[n] = b",
    "held[link[n]] = b",
    "mark[n][b] = full[n]",
    "mark[n][b] & full[link[n]]",
    "!mark[n][b] & b != held[n]",
    "(exists k : node do k != n & mark[k][b] end)",
    "(forall k : node do k = n | !mark[k][b] end)",
    "mark[n][b] & F = K",
    "grid[mark[n][b] ? 1 : 0]",
    "mark[who][b] != mark[n][b]",
    "(exists d : block do d != b & mark[n][d] end)",
};

static const char *const conditions[] = {
    "F = K",
    "F = K",
    "F < K",
    "!(F = K)",
    "F = num",
    "grid[F]",
    "full[n]",
    "x",
    "(F = K & C)",
    "(C | C)",
    "(F = 1) = x",
    "(exists q : node do q != n & T(q) end)",
    "(forall q : node do q = n | !T(q) end)",
    "(exists d : block do mark[n][d] & C end)",
    "(forall d : block do mark[n][d] -> C end)",
    "who != n",
};

static const char *const effects[] = {
    "x := C;",
    "x := !x;",
    "num := F;",
    "grid[F] := C;",
    "mark[n][b] := !mark[n][b];",
    "mark[n][b] := true;",
    "mark[n][b] := C;",
    "held[n] := b;",
    "link[n] := p;",
    "full[n] := C;",
    "who := n;",
    "if C then x := !x; num := 0; end;",
    "if F = K then mark[n][held[n]] := false; end;",
    "for d : block do mark[n][d] := d = b; end;",
    "for a : node do full[a] := a = n; end;",
};

static const char *const properties[] = {
    "forall n : node do F = K -> x end",   "exists n : node do F = K end", "x -> exists n : node do F < K end",
    "forall n : node do num = K -> C end", "forall n : node do !T(n) end", "x -> forall n : node do C end",
};

static void write_condition(writer *w) {
    w->depth++;
    if (w->depth > 3) str_add(w->out, "x");
    else ONE_OF(w, conditions);
    w->depth--;
}

static void write_shape(writer *w, const char *shape) {
    for (const char *c = shape; *c; c++) {
        bool counts = !w->is_body || w->counts_in_bodies;
        if (*c == 'K') str_printf(w->out, "%u", rng_below(&w->r, 3));
        else if (*c == 'F' && !counts) str_add(w->out, "num");
        else if (*c == 'T') str_add(w->out, counts ? "twin" : "plain");
        else if (*c == 'F') str_printf(w->out, "f%u(%s)", rng_below(&w->r, w->nfuncs), chance(w, 80) ? "n" : "link[n]");
        else if (*c == 'C') write_condition(w);
        else str_char(w->out, *c);
    }
}

static void write_function(writer *w) {
    str_printf(w->out, "function f%u(n : node) : number; var c : number; begin c := 0;\n  for b : block do if ",
               w->nfuncs);
    ONE_OF(w, counted);
    if (chance(w, 25)) {
        str_add(w->out, chance(w, 50) ? " & " : " | ");
        ONE_OF(w, counted);
    }
    str_add(w->out, " then c := c + 1; end; end;\n  return c; end;\n");
    w->nfuncs++;
}

static void write_rule(writer *w, uint32_t number) {
    str_printf(w->out, "ruleset n : node; p : node; b : block do rule \"r%u\"\n  ", number);
    write_condition(w);
    str_add(w->out, " ==>\nbegin ");
    w->is_body = true;
    for (uint32_t i = 1 + rng_below(&w->r, 2); i-- > 0;) ONE_OF(w, effects);
    w->is_body = false;
    str_add(w->out, " end; end;\n");
}

static void write_property(writer *w, uint32_t number) {
    str_printf(w->out, "invariant \"p%u\" ", number);
    ONE_OF(w, properties);
    str_add(w->out, ";\n");
}

static uint32_t several(writer *w, uint32_t part, uint32_t n, const bits *skip,
                        void (*write)(writer *w, uint32_t number)) {
    for (uint32_t i = 0; i < n; i++, part++) {
        str dropped = {0}, *out = w->out;
        if (bits_has(skip, part)) w->out = &dropped;
        write(w, part);
        w->out = out;
        str_free(&dropped);
    }
    return part;
}

static const char *const declarations =
    "type node : scalarset(3); block : scalarset(2); number : 0..2;\n"
    "var mark : array [node] of array [block] of boolean; held : array [node] of block; link : array [node] of node;\n"
    "  full : array [node] of boolean; x : boolean; num : number; who : node; grid : array [number] of boolean;\n"
    "function plain(n : node) : boolean; begin return full[n]; end;\n"
    "function f0(n : node) : number; var c : number; begin c := 0;\n"
    "  for b : block do if mark[n][b] then c := c + 1; end; end;\n  return c; end;\n";

static const char *const starts[] = {"false", "b = f", "n = s", "n = s & b = f", "n = s | b = f"};

uint32_t random_counts(uint64_t seed, const bits *skip, str *out) {
    writer w = {.r = {seed * 6151}, .out = out, .nfuncs = 1};
    w.counts_in_bodies = chance(&w, 15);
    str_add(out, declarations);
    for (uint32_t i = rng_below(&w.r, 3); i-- > 0;) write_function(&w);
    str_printf(out, "function twin(n : node) : boolean; begin return f%u(n) = %u; end;\n", rng_below(&w.r, w.nfuncs),
               rng_below(&w.r, 3));
    str_printf(out,
               "ruleset s : node; f : block do startstate x := false; num := 0; who := s;\n"
               "  for k : number do grid[k] := k = 1; end;\n  for n : node do held[n] := f; link[n] := %s; full[n] := "
               "false;\n    for b : block do mark[n][b] := %s; end; end; end; end;\n",
               chance(&w, 50) ? "n" : "s", starts[rng_below(&w.r, sizeof starts / sizeof *starts)]);
    uint32_t part = several(&w, 0, 1 + rng_below(&w.r, 3), skip, write_rule);
    return several(&w, part, 1 + rng_below(&w.r, 2), skip, write_property);
}
