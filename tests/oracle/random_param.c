// SPDX-License-Identifier: Apache-2.0
// Random parameterized Murphi models: see random_param.h.
#include "oracle/random_param.h"

#include "base/rng.h"

typedef struct {
    rng r;
    const bits *skip;
    str *out;
    uint32_t nparts, depth;
    const char *nodes[3];  // bound variables of type node
    uint32_t nnodes;
    bool has_digit;  // d : digit is bound
} writer;

static uint32_t below(writer *w, uint32_t n) { return rng_below(&w->r, n); }
static bool chance(writer *w, uint32_t percent) { return below(w, 100) < percent; }
static bool part(writer *w) { return !bits_has(w->skip, w->nparts++); }
static void say(writer *w, const char *text) { str_add(w->out, text); }

static void condition(writer *w);

// ---- expressions

// A node that is certainly there.
static const char *bound_node(writer *w) { return w->nodes[below(w, w->nnodes)]; }

// A variable that holds a node, or one that is reached from another.
static void held_node(writer *w) {
    const char *name = w->nnodes && chance(w, 60) ? bound_node(w) : chance(w, 50) ? "who" : "top";
    switch (below(w, 12)) {
    case 0:
    case 1:
    case 2: str_printf(w->out, "link[%s]", name); return;
    case 3: str_printf(w->out, "link[link[%s]]", name); return;
    case 4: str_printf(w->out, "(on ? %s : %s)", name, w->nnodes ? bound_node(w) : "who"); return;
    default: say(w, chance(w, 50) ? "who" : "top");
    }
}

static void node(writer *w) {
    if (w->nnodes && chance(w, 75)) say(w, bound_node(w));
    else if (chance(w, 15)) say(w, "place");
    else held_node(w);
}

// A node or nobody.
static void somebody(writer *w) {
    switch (below(w, 5)) {
    case 0: say(w, "nobody"); return;
    case 1: say(w, "place"); return;
    case 2:
        say(w, "next[");
        node(w);
        say(w, "]");
        return;
    default: node(w);
    }
}

static void digit(writer *w) {
    switch (below(w, 7)) {
    case 0: str_printf(w->out, "%u", below(w, 2)); return;
    case 1: say(w, w->has_digit ? "d" : "x"); return;
    case 2: say(w, "x"); return;
    case 3: say(w, "row[x]"); return;
    default:
        say(w, "count[");
        node(w);
        say(w, "]");
        return;
    }
}

static void flag(writer *w) {
    switch (below(w, 5)) {
    case 0: say(w, "on"); return;
    case 4:
        say(w, "old[");
        somebody(w);
        say(w, "]");
        return;
    case 1:
        say(w, "grid[");
        node(w);
        say(w, "][");
        digit(w);
        say(w, "]");
        return;
    default:
        say(w, "full[");
        node(w);
        say(w, "]");
    }
}

static void quantifier(writer *w) {
    static const char *const names[] = {"k", "l", "m"};
    if (w->nnodes == 3) {
        say(w, "on");
        return;
    }
    const char *name = names[w->nnodes];
    str_printf(w->out, "(%s %s : node do ", chance(w, 50) ? "forall" : "exists", name);
    w->nodes[w->nnodes++] = name;
    condition(w);
    w->nnodes--;
    say(w, " end)");
}

static void comparison(writer *w) {
    static const char *const operators[] = {" = ", " != ", " < "};
    say(w, "(");
    digit(w);
    say(w, operators[below(w, 3)]);
    digit(w);
    say(w, ")");
}

static void same(writer *w) {
    bool of_union = chance(w, 30);
    const char *sign = chance(w, 60) ? " = " : " != ";
    say(w, "(");
    if (of_union) say(w, chance(w, 50) || !w->nnodes ? "place" : "next[");
    if (of_union && *(str_get(w->out) + w->out->len - 1) == '[') str_printf(w->out, "%s]", bound_node(w));
    if (!of_union) node(w);
    say(w, sign);
    of_union ? somebody(w) : node(w);
    say(w, ")");
}

static void junction(writer *w) {
    static const char *const operators[] = {" & ", " | ", " -> ", " = "};
    say(w, "(");
    condition(w);
    say(w, operators[below(w, 4)]);
    condition(w);
    say(w, ")");
}

static void condition(writer *w) {
    w->depth++;
    uint32_t k = w->depth > 3 ? below(w, 4) : below(w, 9);
    if (k == 0) flag(w);
    else if (k == 1) comparison(w);
    else if (k == 2) same(w);
    else if (k == 3) say(w, chance(w, 20) ? "isundefined(who)" : "!on");
    else if (k == 4) {
        say(w, "!(");
        condition(w);
        say(w, ")");
    } else if (k == 5) quantifier(w);
    else if (k == 6) {
        say(w, "(!isundefined(who) & ");
        same(w);
        say(w, ")");
    } else junction(w);
    w->depth--;
}

// ---- statements

static void statement(writer *w);

static void statements(writer *w, uint32_t most) {
    for (uint32_t i = 0, n = 1 + below(w, most); i < n; i++) {
        str dropped = {0}, *out = w->out;
        if (!part(w)) w->out = &dropped;
        statement(w);
        w->out = out;
        str_free(&dropped);
    }
}

static void assign(writer *w) {
    say(w, "\n    ");
    switch (below(w, 14)) {
    case 13:
        say(w, "old[");
        somebody(w);
        say(w, "] := ");
        condition(w);
        break;
    case 10:
        say(w, "top := ");
        node(w);
        break;
    case 11:
        say(w, "place := ");
        somebody(w);
        break;
    case 12:
        say(w, "next[");
        node(w);
        say(w, "] := ");
        somebody(w);
        break;
    case 0:
    case 8:
        say(w, "x := ");
        digit(w);
        break;
    case 1:
    case 9:
        say(w, "on := ");
        condition(w);
        break;
    case 2:
        say(w, "who := ");
        node(w);
        break;
    case 3:
        say(w, w->nnodes ? "link[" : "undefine who");
        if (!w->nnodes) break;
        node(w);
        say(w, "] := ");
        node(w);
        break;
    case 4:
        say(w, "count[");
        node(w);
        say(w, "] := ");
        digit(w);
        break;
    case 5:
        say(w, "row[");
        digit(w);
        say(w, "] := ");
        digit(w);
        break;
    case 6:
        say(w, "grid[");
        node(w);
        say(w, "][");
        digit(w);
        say(w, "] := ");
        condition(w);
        break;
    default:
        say(w, "full[");
        node(w);
        say(w, "] := ");
        condition(w);
    }
    say(w, ";");
}

static void choose(writer *w) {
    say(w, "\n    if ");
    condition(w);
    say(w, " then");
    statements(w, 2);
    if (chance(w, 50)) {
        say(w, "\n    else");
        statements(w, 2);
    }
    say(w, "\n    end;");
}

static void loop(writer *w) {
    static const char *const bodies[] = {
        "full[a] := false;",
        "full[a] := !full[a];",
        "count[a] := x;",
        "link[a] := a;",
        "if full[a] then count[a] := 0; end;",
        "if count[a] = x then full[a] := on; end;",
        "if link[a] = a then count[a] := 1; end;",
        "for b : digit do grid[a][b] := on; end;",
        "next[a] := nobody;",
        "if full[a] then next[a] := a; link[a] := a; end;",
        "full[a] := a = who;",
    };
    // What is shared changes too; for some of these the order of elements matters.
    static const char *const shared[] = {
        "on := true;",
        "full[a] := false; x := 0;",
        "if full[a] then on := true; end;",
        "if full[a] then x := 1; row[1] := 1; else count[a] := 1; end;",
        "if count[a] = 1 then place := nobody; end;",
        "full[a] := on; on := true;",
        "if full[a] then x := 1; else x := 0; end;",
        "if full[a] then who := a; end;",
        "for b : digit do row[b] := 0; end; next[a] := nobody;",
        "for b : node do if full[b] then old[nobody] := true; end; end;",
        "count[a] := row[0]; row[0] := 1;",
        "top := who;",
        "for b : node do if full[a] then count[b] := 1; end; end;",
    };
    const char *body = bodies[below(w, sizeof bodies / sizeof *bodies)];
    if (chance(w, 30)) body = shared[below(w, sizeof shared / sizeof *shared)];
    str_printf(w->out, "\n    for a : node do %s end;", body);
}

static void statement(writer *w) {
    w->depth++;
    uint32_t k = w->depth > 2 ? 0 : below(w, 10);
    if (k < 6) assign(w);
    else if (k < 8) choose(w);
    else loop(w);
    w->depth--;
}

// ---- the model

static const char *const declarations =
    "const N : 3;\n"
    "type node : scalarset(N); digit : 0..1; none : enum { nobody }; maybe : union { node, none };\n"
    "var x : digit; on : boolean; who : node; top : node; row : array [digit] of digit;\n"
    "  place : maybe; next : array [node] of maybe; old : array [maybe] of boolean;\n"
    "  count : array [node] of digit; full : array [node] of boolean; link : array [node] of node;\n"
    "  grid : array [node] of array [digit] of boolean;\n\n"
    "ruleset s : node do startstate\n  x := 0; on := false; %s; top := s; place := %s;\n"
    "  for m : maybe do old[m] := false; end;\n  for d : digit do "
    "row[d] := d; end;\n"
    "  for n : node do count[n] := 0; full[n] := false; link[n] := %s;\n"
    "    next[n] := %s;\n"
    "    for d : digit do grid[n][d] := false; end; %s end;\nend; end;\n\n";

static void rule(writer *w, uint32_t number) {
    static const char *const names[] = {"n", "p"};
    w->nnodes = chance(w, 15) ? 0 : chance(w, 30) ? 2 : 1;
    w->has_digit = chance(w, 20);
    for (uint32_t i = 0; i < w->nnodes; i++) {
        w->nodes[i] = names[i];
        str_printf(w->out, "ruleset %s : node do\n", names[i]);
    }
    if (w->has_digit) say(w, "ruleset d : digit do\n");
    str_printf(w->out, "rule \"r%u\"\n  ", number);
    w->depth = 1 + below(w, 3);
    condition(w);
    w->depth = 0;
    if (chance(w, 15))
        say(w, chance(w, 50) ? " & (forall k : node do !full[k] end)" : " & !(exists k : node do full[k] end)");
    say(w, " ==>\nbegin");
    statements(w, 4);
    say(w, "\nend;\n");
    for (uint32_t i = 0; i < w->nnodes + w->has_digit; i++) say(w, "end;\n");
    say(w, "\n");
}

static void invariant(writer *w, uint32_t number) {
    w->nnodes = 0;
    w->has_digit = false;
    str_printf(w->out, "invariant \"p%u\" ", number);
    if (chance(w, 50)) {
        say(w, "forall n : node do forall p : node do n != p -> ");
        w->nodes[0] = "n";
        w->nodes[1] = "p";
        w->nnodes = 2;
        flag(w);
        say(w, " -> ");
        chance(w, 50) ? comparison(w) : flag(w);
        say(w, " end end;\n");
    } else if (chance(w, 30)) {
        // Values that are compared with each other.
        static const char *const apart[] = {
            "top != who",
            "!isundefined(who) -> top != who | on",
            "next[top] != place",
            "forall n : node do link[n] != top end",
            "forall n : node do full[n] -> next[n] != place end",
            "forall n : node do next[n] != place & link[n] != top end",
            "forall n : node do next[n] != place | link[n] != top end",
            "forall n : node do link[link[n]] != top end",
            "forall n : node do forall p : node do n != p -> link[n] != link[p] end end",
            "on = (top != link[top])",
            "forall n : node do full[n] | !full[link[n]] end",
            "full[who] -> full[link[who]]",
            "forall n : node do count[link[n]] = count[top] end",
            "forall n : node do link[link[n]] = n | on end",
            "forall n : node do old[next[n]] -> on end",
            "forall n : node do !grid[link[n]][x] end",
            "forall n : node do forall p : node do link[n] = link[p] end end",
            "forall n : node do next[n] = place | !full[link[n]] end",
            "forall n : node do count[link[link[n]]] < 1 end",
            "forall n : node do full[link[n]] = full[n] end",
        };
        say(w, apart[below(w, sizeof apart / sizeof *apart)]);
        say(w, ";\n");
    } else if (chance(w, 60)) {
        say(w, "x = 1 -> exists n : node do full[n]");
        if (chance(w, 50)) say(w, chance(w, 50) ? " & count[n] = x" : " & top = n");
        say(w, " end;\n");
    } else {
        say(w, "x = 1 -> ");
        condition(w);
        say(w, ";\n");
    }
}

static void several(writer *w, uint32_t n, void (*make)(writer *w, uint32_t number)) {
    for (uint32_t i = 0; i < n; i++) {
        str dropped = {0}, *out = w->out;
        if (!part(w)) w->out = &dropped;
        make(w, i);
        w->out = out;
        str_free(&dropped);
    }
}

uint32_t random_param(uint64_t seed, const bits *skip, str *out) {
    writer w = {.r = {seed}, .skip = skip, .out = out};
    const char *who = chance(&w, 80) ? "who := s" : "undefine who";
    const char *place = chance(&w, 50) ? "nobody" : "s", *link = chance(&w, 50) ? "n" : "s";
    static const char *const more[] = {
        "", "", "", "", "", "", "", "on := true;", "full[n] := on; on := true;", "row[0] := 1;"};
    const char *next = chance(&w, 50) ? "nobody" : "s", *shared = more[below(&w, sizeof more / sizeof *more)];
    str_printf(out, declarations, who, place, link, next, shared);
    several(&w, 2 + below(&w, 3), rule);
    several(&w, 1 + below(&w, 2), invariant);
    return w.nparts;
}
