// SPDX-License-Identifier: Apache-2.0
// Random Murphi models: see random_murphi.h. Every variable but `who`, `box.owner` and the locals is
// defined at the start; the possibly undefined ones are mostly read under a test.
#include "oracle/random_murphi.h"

#include "base/rng.h"

typedef struct {
    rng r;
    const bits *skip;
    str *out;
    uint32_t nparts, depth;
    bool has_node, has_index;  // n : node and i : 0..2 are bound
    bool has_local;
    bool is_total;  // expressions must not fault
} writer;

static uint32_t below(writer *w, uint32_t n) { return rng_below(&w->r, n); }
static bool chance(writer *w, uint32_t percent) { return below(w, 100) < percent; }

// Begins a part that may be left out: its text goes nowhere then.
static bool part(writer *w) { return !bits_has(w->skip, w->nparts++); }

// ---- expressions

static void condition(writer *w);
static void number(writer *w);

static void node(writer *w) {
    if (w->has_node && (w->is_total || chance(w, 70))) str_add(w->out, "n");
    else if (chance(w, 50)) str_add(w->out, "who");
    else str_add(w->out, w->has_node ? "box[n].owner" : "who");
}

static void cell(writer *w) {
    if (w->has_node && chance(w, 60)) str_add(w->out, "count[n]");
    else if (w->has_index) str_add(w->out, "row[i]");
    else str_add(w->out, chance(w, 50) ? "x" : "y");
}

static void colour(writer *w) {
    static const char *const names[] = {"red", "green", "blue"};
    if (w->has_node && chance(w, 40)) str_add(w->out, "box[n].tint");
    else if (chance(w, 40)) str_add(w->out, chance(w, 80) ? "hue" : "last()");
    else str_add(w->out, names[below(w, 3)]);
}

static void sum(writer *w) {
    static const char *const operators[] = {" + ", " - ", " * ", " % "};
    uint32_t k = below(w, w->is_total ? 3 : 4);
    str_char(w->out, '(');
    number(w);
    str_add(w->out, operators[k]);
    if (k == 3) str_add(w->out, "2");
    else number(w);
    str_char(w->out, ')');
}

static void number(writer *w) {
    w->depth++;
    uint32_t k = w->depth > 4 ? below(w, 5) : below(w, 9);
    if (k == 0) str_add(w->out, chance(w, 50) ? "lit()" : "capped()");
    else if (k == 1) str_printf(w->out, "%u", below(w, 3));
    else if (k < 5) cell(w);
    else if (k < 7) sum(w);
    else if (k == 7) {
        str_add(w->out, "(");
        condition(w);
        str_add(w->out, " ? ");
        number(w);
        str_add(w->out, " : ");
        number(w);
        str_add(w->out, ")");
    } else {
        str_add(w->out, "lesser(");
        number(w);
        str_add(w->out, ", 2)");
    }
    w->depth--;
}

static void comparison(writer *w) {
    static const char *const operators[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
    number(w);
    str_add(w->out, operators[below(w, 6)]);
    number(w);
}

static void quantifier(writer *w) {
    bool node_before = w->has_node, index_before = w->has_index, total = w->is_total, over_node = chance(w, 60);
    str_add(w->out, chance(w, 50) ? "(forall " : "(exists ");
    str_add(w->out, over_node ? "n : node do " : "i : 0 .. 2 do ");
    *(over_node ? &w->has_node : &w->has_index) = true;
    w->is_total = true;  // whether later bindings are looked at differs between checkers
    condition(w);
    w->has_node = node_before;
    w->has_index = index_before;
    w->is_total = total;
    str_add(w->out, " end)");
}

static void same_node(writer *w) {
    if (w->is_total) {
        str_add(w->out, "isundefined(who)");
        return;
    }
    str_add(w->out, "(!isundefined(who) & who = ");
    str_add(w->out, w->has_node ? "n" : "who");
    str_char(w->out, ')');
}

static void junction(writer *w) {
    static const char *const operators[] = {" & ", " | ", " -> "};
    str_char(w->out, '(');
    condition(w);
    str_add(w->out, operators[below(w, 3)]);
    condition(w);
    str_char(w->out, ')');
}

static void condition(writer *w) {
    w->depth++;
    uint32_t k = w->depth > 4 ? below(w, 4) : below(w, 9);
    if (k == 0 && chance(w, 40)) {
        str_add(w->out, chance(w, 50) ? "rows(1)" : "any(");
        if (w->out->text[w->out->len - 1] == '(') {
            colour(w);
            str_char(w->out, ')');
        }
    } else if (k == 0) str_add(w->out, "flag");
    else if (k == 1) str_add(w->out, w->has_node ? "box[n].full" : "flag");
    else if (k == 2) same_node(w);
    else if (k == 3) {
        colour(w);
        str_add(w->out, chance(w, 50) ? " = " : " != ");
        colour(w);
    } else if (k == 4) comparison(w);
    else if (k == 5) {
        str_add(w->out, "!(");
        condition(w);
        str_char(w->out, ')');
    } else if (k == 6) quantifier(w);
    else junction(w);
    w->depth--;
}

// ---- statements

static void statement(writer *w);

static void indent(writer *w) { str_add(w->out, "\n    "); }

static void statements(writer *w, uint32_t most) {
    uint32_t n = 1 + below(w, most);
    for (uint32_t i = 0; i < n; i++) {
        str dropped = {0}, *out = w->out;
        bool is_kept = part(w);
        if (!is_kept) w->out = &dropped;
        statement(w);
        w->out = out;
        str_free(&dropped);
    }
}

// The value is taken into the range, most of the time.
static void assign_number(writer *w) {
    cell(w);
    str_add(w->out, " := ");
    bool safe = chance(w, 85);
    if (safe) str_add(w->out, "clamp(");
    number(w);
    str_add(w->out, safe ? ");" : ";");
}

static void assign_node(writer *w, const char *to) {
    if (!w->has_node && chance(w, 80)) {
        str_printf(w->out, "undefine %s;", to);
        return;
    }
    str_printf(w->out, "%s := ", to);
    node(w);
    str_char(w->out, ';');
}

static void assign(writer *w) {
    indent(w);
    switch (below(w, 7)) {
    case 0:
        str_add(w->out, w->has_node && chance(w, 50) ? "box[n].full := " : "flag := ");
        condition(w);
        str_char(w->out, ';');
        return;
    case 1:
        str_add(w->out, w->has_node && chance(w, 50) ? "box[n].tint := " : "hue := ");
        colour(w);
        str_char(w->out, ';');
        return;
    case 2: assign_node(w, "who"); return;
    case 3: assign_node(w, w->has_node ? "box[n].owner" : "who"); return;
    case 4: str_add(w->out, w->has_node ? "undefine box[n].owner;" : "clear row;"); return;
    default: assign_number(w); return;
    }
}

static void choose(writer *w) {
    indent(w);
    str_add(w->out, "if ");
    condition(w);
    str_add(w->out, " then");
    statements(w, 2);
    if (chance(w, 50)) {
        indent(w);
        str_add(w->out, "else");
        statements(w, 2);
    }
    indent(w);
    str_add(w->out, "end;");
}

static void switch_colour(writer *w) {
    indent(w);
    str_add(w->out, "switch hue case red:");
    statements(w, 1);
    indent(w);
    str_add(w->out, "case green, blue:");
    statements(w, 1);
    indent(w);
    str_add(w->out, "end;");
}

static void loop(writer *w) {
    bool before = w->has_index;
    indent(w);
    str_add(w->out, chance(w, 50) ? "for i : 0 .. 2 do" : "for i := 0 to 2 by 2 do");
    w->has_index = true;
    statements(w, 2);
    w->has_index = before;
    indent(w);
    str_add(w->out, "end;");
}

// Some of these depend on the order of elements, some only look as if they did.
static void loop_over_nodes(writer *w) {
    static const char *const bodies[] = {
        "box[m].full := !box[m].full;",
        "count[m] := 0;",
        "box[m].tint := hue;",
        "if box[m].full then count[m] := clamp(count[m] + x); end;",
        "if box[m].full then flag := true; end;",
        "if count[m] = 1 then who := m; end;",
        "if box[m].tint = hue then x := y; return; end;",
        "if box[m].tint = hue then x := 2; return; end;",
        "if box[m].full then flag := !flag; end;",
        "alias b : box[m] do if !isundefined(b.owner) then b.tint := box[b.owner].tint; end; end;",
        "saved := box[m];",
        "bump(count[m]);",
        "swap(count[m], x);",
        "if box[m].full then return; end; count[m] := 1;",
    };
    indent(w);
    if (chance(w, 25)) str_add(w->out, "y := 0; for m : node do if box[m].full then y := y + 1; end; end;");
    else if (w->has_local && chance(w, 40))
        str_add(w->out, "for m : node do t := count[m]; if t < 2 then count[m] := t + 1; end; end;");
    else str_printf(w->out, "for m : node do %s end;", bodies[below(w, sizeof bodies / sizeof *bodies)]);
}

static void rarer(writer *w) {
    indent(w);
    switch (below(w, 8)) {
    case 0: str_add(w->out, w->has_local ? "t := 0; while t < y do t := t + 1; end; x := t;" : "swap(x, y);"); return;
    case 1: str_add(w->out, w->has_node ? "bump(count[n]);" : "bump(x);"); return;
    case 2: str_add(w->out, "swap(x, y);"); return;
    case 3: str_add(w->out, w->has_node ? "alias b : box[n] do b.full := !b.full; end;" : "flag := true;"); return;
    case 4: str_add(w->out, w->has_node ? "saved := box[n];" : "bump(y);"); return;
    case 5: str_add(w->out, w->has_node ? "box[n] := saved;" : "swap(y, x);"); return;
    case 6:
        str_add(w->out, "if ");
        condition(w);
        str_add(w->out, " then return; end;");
        return;
    default:
        str_add(w->out, "assert x <= 2 | ");
        condition(w);
        str_char(w->out, ';');
        return;
    }
}

static void statement(writer *w) {
    w->depth++;
    uint32_t k = w->depth > 3 ? 0 : below(w, 13);
    if (k < 6) assign(w);
    else if (k == 6) choose(w);
    else if (k == 7) switch_colour(w);
    else if (k == 8) loop(w);
    else if (k == 9 || k == 12) loop_over_nodes(w);
    else rarer(w);
    w->depth--;
}

// ---- the model

static const char *const declarations =
    "const N : %u;\n"
    "type node : scalarset(N);\n"
    "  tint : enum { red, green, blue };\n"
    "  small : 0 .. 2;\n"
    "  parcel : record full : boolean; tint : tint; owner : node; end;\n"
    "var x, y : small; flag : boolean; hue : tint; who : node;\n"
    "  count : array [node] of small; row : array [small] of small; box : array [node] of parcel; saved : "
    "parcel;\n\n"
    "function clamp(v : -30000 .. 30000) : small;\nbegin\n"
    "  if v < 0 then return 0; end;\n  if v > 2 then return 2; end;\n  return v;\nend;\n"
    "function lesser(a : -30 .. 30; b : small) : -30 .. 30;\nbegin\n"
    "  if a < b then return a; else return b; end;\nend;\n"
    "function lit() : 0 .. 3;\n  var c : 0 .. 3;\nbegin\n  c := 0;\n"
    "  for m : node do if box[m].full then c := c + 1; end; end;\n  return c;\nend;\n"
    "function any(t : tint) : boolean;\nbegin\n"
    "  for m : node do if box[m].tint = t then return true; end; end;\n  return false;\nend;\n"
    "function capped() : small;\n  var c : small;\nbegin\n  c := 0;\n"
    "  for m : node do if count[m] > 0 & c < 2 then c := c + 1; end; end;\n  return c;\nend;\n"
    "function last() : tint;\n  var t : tint;\nbegin\n"
    "  t := red;\n  for m : node do if box[m].full then t := box[m].tint; end; end;\n  return t;\nend;\n"
    "function rows(least : small) : boolean;\n  var k : small; b : boolean;\nbegin\n  k := 0; b := true;\n"
    "  while k < 2 do b := b & row[k] >= least; k := k + 1; end;\n  return b;\nend;\n"
    "procedure bump(var v : small);\nbegin\n  if v = 2 then v := 0; else v := v + 1; end;\nend;\n"
    "procedure swap(var a : small; var b : small);\n  var t : small;\nbegin\n  t := a;\n  a := b;\n  b := "
    "t;\nend;\n\n";

static void start(writer *w) {
    str_printf(w->out,
               "startstate\n  x := %u; y := %u; flag := %s; hue := red; undefine who; undefine saved;\n"
               "  saved.full := false;\n  for m : node do\n    count[m] := %u; box[m].full := false; "
               "box[m].tint := blue;\n"
               "    undefine box[m].owner;\n  end;\n  for i : small do row[i] := 0; end;\nend;\n\n",
               below(w, 3), below(w, 3), chance(w, 50) ? "true" : "false", below(w, 3));
}

static void rule(writer *w, uint32_t number_of) {
    w->has_node = chance(w, 60);
    w->has_index = chance(w, 20);
    w->has_local = chance(w, 30);
    if (w->has_node) str_add(w->out, "ruleset n : node do\n");
    if (w->has_index) str_add(w->out, "ruleset i : small do\n");
    str_printf(w->out, "rule \"r%u\"\n  ", number_of);
    condition(w);
    str_add(w->out, " ==>\n");
    if (w->has_local) str_add(w->out, "var t : small;\n");
    str_add(w->out, "begin");
    statements(w, 4);
    str_add(w->out, "\nend;\n");
    if (w->has_index) str_add(w->out, "end;\n");
    if (w->has_node) str_add(w->out, "end;\n");
    str_char(w->out, '\n');
}

static void invariant(writer *w, uint32_t number_of) {
    w->has_node = w->has_index = w->has_local = false;
    w->is_total = true;
    str_printf(w->out, "%s \"p%u\" ", chance(w, 70) ? "invariant" : "cover", number_of);
    condition(w);
    str_add(w->out, " | x = y | flag;\n");
    w->is_total = false;
}

typedef void (*maker)(writer *w, uint32_t number_of);

static void several(writer *w, uint32_t n, maker make) {
    for (uint32_t i = 0; i < n; i++) {
        str dropped = {0}, *out = w->out;
        bool is_kept = part(w);
        if (!is_kept) w->out = &dropped;
        make(w, i);
        w->out = out;
        str_free(&dropped);
    }
}

uint32_t random_murphi(uint64_t seed, const bits *skip, str *out) {
    writer w = {.r = {seed}, .skip = skip, .out = out};
    str_printf(out, declarations, 1 + below(&w, 3));
    start(&w);
    several(&w, 2 + below(&w, 3), rule);
    several(&w, below(&w, 3), invariant);
    return w.nparts;
}
