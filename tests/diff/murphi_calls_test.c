// SPDX-License-Identifier: Apache-2.0
// Calls in random Murphi models: one body for all calls of a function (front/murphi/shared.c), run as code with real
// calls (space/bodies.h), against every call written out and lowered to a graph. Procedures call procedures with `var`
// parameters that stand for variables, elements at indices that calls change, and locals; functions are called in
// guards, loops, aliases and arguments of calls; one procedure calls itself with a local of its own.
//
// And functions that call functions in properties: what they are for their arguments, made once
// (front/murphi/summary.c), against every call written out. They have parameters of all kinds, loops, locals without a
// value, results that nobody reads or that are missing, and numbers that leave their range.
//
// And which run-time errors a property meets: those that a rule meets which evaluates the same text, statement by
// statement, in every state; with functions that call each other up to 12 deep, too.
#include "oracle/unit.h"

#include "base/rng.h"
#include "explore/explore.h"
#include "oracle/murphi_sample.h"
#include "oracle/part.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STATES = 300 };

static const char routines[] =
    "const N : 2;\ntype num : 0..3; idx : 0..1; row : array [idx] of num; pair : record l, r : num; end;\n"
    "var x, y : num; i : idx; a, b : row; p, q : pair; m : array [idx] of pair;\n"
    "procedure set(var v : num; d : num);\nvar t : num;\nbegin t := d; v := t; end;\n"
    "procedure bump(var v : num; d : num);\nbegin if v + d > 3 then set(v, 0); return; end; set(v, v + d); end;\n"
    "procedure swap(var v : num; var w : num);\nvar t : num;\nbegin t := v; v := w; w := t; end;\n"
    "procedure turn(var r : row);\nbegin swap(r[0], r[1]); bump(r[i], 1); end;\n"
    "procedure mix(var r : pair; s : pair; var v : num);\nbegin bump(r.l, s.r); swap(r.r, v); i := 1 - i; end;\n"
    "function sum(v : num; w : num) : num;\nbegin if v + w > 3 then return 3; end; return v + w; end;\n"
    "function all(var r : row) : num;\nvar t : num;\nbegin t := 0; for k : idx do t := sum(t, r[k]); end; return t; "
    "end;\n"
    "function next() : num;\nbegin i := 1 - i; return sum(a[i], 1); end;\n"
    "function made(v : num) : pair;\nvar t : pair;\nbegin t.l := v; t.r := sum(v, 1); return t; end;\n"
    "procedure down(var v : num; n : num);\nvar t : num;\n"
    "begin t := n; if n > 0 then down(t, n - 1); bump(v, t); end; end;\n";

static const char *one_of(rng *r, const char *const *list, uint32_t n) { return list[rng_below(r, n)]; }

static const char *variable(rng *r) {
    static const char *const all[] = {"x", "y", "a[i]", "b[i]", "a[0]", "b[1]", "p.l", "q.r", "m[i].l", "m[1].r"};
    return one_of(r, all, sizeof all / sizeof *all);
}

static const char *row(rng *r) { return rng_below(r, 2) ? "a" : "b"; }

static const char *pair(rng *r) {
    static const char *const all[] = {"p", "q", "m[i]", "m[0]"};
    return one_of(r, all, 4);
}

static void add_value(rng *r, str *out, uint32_t depth) {
    switch (rng_below(r, depth ? 8 : 2)) {
    case 0: str_printf(out, "%u", rng_below(r, 3)); return;
    case 1: str_add(out, variable(r)); return;
    case 2: str_printf(out, "all(%s)", row(r)); return;
    case 3: str_add(out, "next()"); return;
    case 4: str_printf(out, "made(%s).r", variable(r)); return;
    default: str_add(out, "sum("); break;
    }
    add_value(r, out, depth - 1);
    str_add(out, ", ");
    add_value(r, out, depth - 1);
    str_add(out, ")");
}

static void condition(rng *r, str *out) {
    add_value(r, out, 1 + rng_below(r, 2));
    str_printf(out, " %s ", rng_below(r, 2) ? "<" : "=");
    add_value(r, out, 1);
}

// TEXT ON then a value then END.
static void with_value(rng *r, str *out, const char *text, const char *then, const char *end) {
    str_printf(out, "  %s%s%s", text, variable(r), then);
    add_value(r, out, 2);
    str_add(out, end);
}

static void statement(rng *r, str *out, uint32_t depth) {
    switch (rng_below(r, depth ? 11 : 8)) {
    case 0: with_value(r, out, "bump(", ", ", ");\n"); return;
    case 1: str_printf(out, "  swap(%s, %s);\n", variable(r), variable(r)); return;
    case 2: str_printf(out, "  turn(%s);\n", row(r)); return;
    case 3: str_printf(out, "  mix(%s, %s, %s);\n", pair(r), pair(r), variable(r)); return;
    case 4: with_value(r, out, "", " := ", ";\n"); return;
    case 5:
        if (rng_below(r, 4) == 0) with_value(r, out, "down(", ", ", ");\n");
        return;
    case 6: str_printf(out, "  %s := made(%s);\n", pair(r), variable(r)); return;
    case 7: with_value(r, out, "set(", ", ", ");\n"); return;
    case 8: str_add(out, "  if "), condition(r, out), str_add(out, " then\n"); break;
    case 9: str_add(out, "  for k : idx do\n"); break;
    default: str_printf(out, "  alias z : %s do\n  bump(z, 1);\n", variable(r)); break;
    }
    statement(r, out, depth - 1);
    statement(r, out, depth - 1);
    str_add(out, "  end;\n");
}

static void whole(rng *r, str *out) {
    str_add(out, routines);
    str_add(out,
            "startstate begin x := 0; y := 1; i := 0; for k : idx do a[k] := k; b[k] := 0; m[k].l := 0; m[k].r := 1;"
            " end; p.l := 0; p.r := 1; q := p; end;\n");
    for (uint32_t n = 1 + rng_below(r, 3); n > 0; n--) {
        str_add(out, "rule (");
        condition(r, out);
        str_add(out, ") ==> begin\n");
        for (uint32_t k = 1 + rng_below(r, 3); k > 0; k--) statement(r, out, 2);
        str_add(out, "end;\n");
    }
    str_printf(out, "invariant %s != %u | all(a) > 0;\n", variable(r), rng_below(r, 4));
}

// ---- properties

static const char *const property_types[] = {"num", "idx", "boolean", "pair", "row", "node"};
enum { PNUM, PIDX, PBOOL, PPAIR, PROW, PNODE, PTYPES };

typedef struct {
    uint32_t nparams, params[3];
    bool is_number;
} made_function;

typedef struct {
    rng *r;
    made_function made[6];
    uint32_t nmade;
    const made_function *in;  // the function whose body is written; NULL: the property
    bool has_node;            // a quantifier is around
    bool is_defined;          // everything has a value, at all times
} writer;

static void add_call(writer *w, str *out, uint32_t depth, bool is_number);

// The name of a parameter or a local of the type; NULL: there is none.
static const char *own_name(writer *w, uint32_t kind) {
    static const char *const names[] = {"p0", "p1", "p2"};
    for (uint32_t i = 0; w->in && i < w->in->nparams; i++)
        if (w->in->params[i] == kind && rng_below(w->r, 3)) return names[i];
    return w->in && kind == PNUM && rng_below(w->r, 2) ? "t" : NULL;
}

static void add_node(writer *w, str *out) {
    const char *own = own_name(w, PNODE);
    str_add(out, own ? own : w->has_node && !w->in && rng_below(w->r, 2) ? "n" : "who");
}

static void add_index(writer *w, str *out, uint32_t depth) {
    const char *own = own_name(w, PIDX);
    if (own) str_add(out, own);
    else if (depth && rng_below(w->r, 3) == 0) {
        str_add(out, "(1 - ");
        add_index(w, out, depth - 1);
        str_add(out, ")");
    } else str_add(out, rng_below(w->r, 2) ? "i" : rng_below(w->r, 2) ? "0" : "1");
}

static void add_record(writer *w, str *out) {
    const char *own = own_name(w, PPAIR);
    if (own) str_add(out, own);
    else if (rng_below(w->r, 2)) str_add(out, rng_below(w->r, 2) ? "p" : "q");
    else str_add(out, "m["), add_index(w, out, 1), str_add(out, "]");
}

static void add_row(writer *w, str *out) {
    const char *own = own_name(w, PROW);
    str_add(out, own ? own : row(w->r));
}

static void add_number(writer *w, str *out, uint32_t depth) {
    const char *own = own_name(w, PNUM);
    switch (rng_below(w->r, depth ? 8 : 4)) {
    case 0: str_printf(out, "%u", rng_below(w->r, 4)); return;
    case 1: add_record(w, out), str_add(out, rng_below(w->r, 2) ? ".l" : ".r"); return;
    case 2: add_row(w, out), str_add(out, "["), add_index(w, out, 1), str_add(out, "]"); return;
    case 3: str_add(out, own ? own : variable(w->r)); return;
    case 4: str_add(out, "at["), add_node(w, out), str_add(out, "]"); return;
    case 5:
        str_add(out, "("), add_number(w, out, depth - 1);
        str_add(out, rng_below(w->r, 3) ? " + 1) % 4" : rng_below(w->r, 2) ? " + 1)" : " - 1)");
        return;
    default: add_call(w, out, depth - 1, true);
    }
}

static void add_truth(writer *w, str *out, uint32_t depth) {
    const char *own = own_name(w, PBOOL);
    switch (rng_below(w->r, depth ? 9 : 3)) {
    case 0: str_add(out, own ? own : "g"); return;
    case 1: add_number(w, out, 0), str_add(out, " < "), add_number(w, out, 0); return;
    case 2: add_node(w, out), str_add(out, " = "), add_node(w, out); return;
    case 3: str_add(out, "!("), add_truth(w, out, depth - 1), str_add(out, ")"); return;
    case 4:
    case 5:
        str_add(out, "("), add_truth(w, out, depth - 1), str_add(out, rng_below(w->r, 2) ? " & " : " | ");
        add_truth(w, out, depth - 1), str_add(out, ")");
        return;
    case 6: add_number(w, out, depth - 1), str_add(out, " = "), add_number(w, out, depth - 1); return;
    default: add_call(w, out, depth - 1, false);
    }
}

static void add_argument(writer *w, str *out, uint32_t kind, uint32_t depth) {
    switch (kind) {
    case PNUM: add_number(w, out, depth); return;
    case PIDX: add_index(w, out, depth); return;
    case PBOOL: add_truth(w, out, depth); return;
    case PPAIR: add_record(w, out); return;
    case PROW: add_row(w, out); return;
    default: add_node(w, out); return;
    }
}

static void add_call(writer *w, str *out, uint32_t depth, bool is_number) {
    uint32_t limit = w->in ? (uint32_t)(w->in - w->made) : w->nmade, at = limit ? rng_below(w->r, limit) : 0;
    if (!limit || w->made[at].is_number != is_number) {
        str_add(out, is_number ? "x" : "g");
        return;
    }
    const made_function *f = &w->made[at];
    str_printf(out, "f%u(", at);
    for (uint32_t i = 0; i < f->nparams; i++) {
        if (i) str_add(out, ", ");
        add_argument(w, out, f->params[i], depth);
    }
    str_add(out, ")");
}

static void add_result(writer *w, str *out, uint32_t depth) {
    str_add(out, "return ");
    if (w->in->is_number) add_number(w, out, depth);
    else add_truth(w, out, depth);
    str_add(out, "; ");
}

static void add_line(writer *w, str *out, uint32_t depth) {
    switch (rng_below(w->r, depth ? 5 : 2)) {
    case 0: str_add(out, "t := "), add_number(w, out, 2), str_add(out, "; "); return;
    case 1:
        if (rng_below(w->r, 3)) str_add(out, "t := 0; ");
        else add_result(w, out, 1);
        return;
    case 2: str_add(out, "for k : idx do t := (t + b[k]) % 4; "); break;
    case 3: str_add(out, "for k : node do if at[k] > 1 then t := 1; end; "); break;
    default: str_add(out, "if "), add_truth(w, out, 2), str_add(out, " then "); break;
    }
    add_line(w, out, depth - 1);
    str_add(out, "end; ");
}

static void add_function(writer *w, str *out) {
    made_function *f = &w->made[w->nmade];
    w->in = f;
    f->is_number = rng_below(w->r, 2);
    f->nparams = rng_below(w->r, 4);
    str_printf(out, "function f%u(", w->nmade);
    for (uint32_t i = 0; i < f->nparams; i++) {
        f->params[i] = rng_below(w->r, PTYPES);
        str_printf(out, "%sp%u : %s", i ? "; " : "", i, property_types[f->params[i]]);
    }
    str_printf(out, ") : %s; var t : num; begin ", f->is_number ? "num" : "boolean");
    if (w->is_defined || rng_below(w->r, 4)) str_add(out, "t := 0; ");
    for (uint32_t k = rng_below(w->r, 4); k > 0; k--) add_line(w, out, 2);
    if (w->is_defined || rng_below(w->r, 8)) add_result(w, out, 2);
    str_add(out, "end;\n");
    w->in = NULL;
    w->nmade++;
}

// Functions that call each other twice, on top of a condition: as an expression, a large one.
static const char *const chain_values[] = {"p0[p1] = 1",     "3 / p0[1 - p1] = 1", "t < 2", "p1 = 1 & t = 0",
                                           "p0[p0[p1]] = 0", "b[p0[p1] - 1] = 2",  "g"};

static void add_chain(writer *w, str *out, uint32_t levels) {
    for (uint32_t k = 0; k <= levels; k++) {
        const char *then = one_of(w->r, chain_values, 7), *last = one_of(w->r, chain_values, 7);
        str_printf(out, "function h%u(p0 : row; p1 : idx) : boolean; var t : num; v : boolean; begin ", k);
        if (w->is_defined || rng_below(w->r, 6)) str_add(out, "t := 0; ");
        str_add(out, "v := false; ");
        if (!k) str_printf(out, "if g then v := p1 = 1; end; return p0[p1] %s 0;", rng_below(w->r, 2) ? "<" : "!=");
        else {
            str_printf(out, "if h%u(p0, 1 - p1) %s ", k - 1, rng_below(w->r, 2) ? "&" : "|");
            str_printf(out, rng_below(w->r, 2) ? "g" : "p0[0] = %u", rng_below(w->r, 4));
            str_printf(out, " then v := %s; end; return h%u(%s, p1) %s ", then, k - 1, rng_below(w->r, 3) ? "p0" : "b",
                       rng_below(w->r, 2) ? "&" : "|");
            str_printf(out, "(v | %s);", rng_below(w->r, 3) ? "g" : last);
        }
        str_add(out, " end;\n");
    }
    str_printf(out, "function top() : boolean; begin return h%u(a, i); end;\n", levels);
}

typedef enum { ASK_INVARIANT, ASK_ERRORS, ASK_IN_GUARD, ASK_IN_RULE, ASKS } asking;

static const char *const ask_begin[ASKS] = {"invariant ", "invariant (", "rule ", "rule begin if "};
static const char *const ask_end[ASKS] = {"", ") | true", " ==> begin i := i; end", " then i := i; end; end"};

// is_defined: everything has a value; levels: of a chain, which is then all that is asked about; 0: none.
static void properties(rng *r, str *out, bool is_defined, uint32_t levels, asking how) {
    writer w = {.r = r, .is_defined = is_defined};
    str_add(out, "type num : 0..3; idx : 0..1; row : array [idx] of num; pair : record l, r : num; end;\n"
                 "node : scalarset(2);\nvar x, y : num; i : idx; a, b : row; p, q : pair; m : array [idx] of pair;\n"
                 "g : boolean; who : node; at : array [node] of num;\n");
    for (uint32_t n = 1 + rng_below(r, 6); n > 0; n--) add_function(&w, out);
    if (levels) add_chain(&w, out, levels);
    str_add(
        out,
        "ruleset n : node do startstate begin x := 0; y := 1; i := 0; g := false; who := n; for k : idx do a[k] := k;"
        " b[k] := 0; m[k].l := 0; m[k].r := 1; end; p.l := 0; p.r := 1; q := p; for k : node do at[k] := 0; end;"
        " end; end;\n");
    for (uint32_t n = 1 + rng_below(r, 3); n > 0; n--)
        str_printf(out, "rule %s < 3 ==> begin %s := (%s + 1) %% 4; g := !g; end;\n", variable(r), variable(r),
                   variable(r));
    str_add(out, "ruleset n : node do rule begin at[n] := (at[n] + 1) % 4; i := 1 - i; who := n; end; end;\n");
    const char *gone = how == ASK_INVARIANT ? "y" : "p.r";  // p.r: what no rule reads
    if (!is_defined && rng_below(r, 4) == 0) str_printf(out, "rule begin undefine %s; end;\n", gone);
    w.has_node = rng_below(r, 2);
    str_add(out, w.has_node ? "ruleset n : node do " : "");
    str_add(out, ask_begin[how]);
    if (levels) str_add(out, "top()");
    else add_truth(&w, out, 4);
    str_add(out, ask_end[how]);
    str_add(out, w.has_node ? "; end;\n" : ";\n");
}

// ---- exploring both

typedef struct {
    murphi_sample s;
    result *r;
    bool is_read;
} side;

static side side_new(const str *text, bool copies, bool shares, bool calls) {
    side x = {.r = result_new()};
    murphi_options m = {.copies_undefined = copies, .shares_bodies = shares, .writes_out = !shares};
    explore_options o = {
        .threads = 1, .check_deadlock = true, .self_check = SELF_CHECK_OFF, .limit_states = MOST_STATES};
    o.calls_bodies = calls;
    x.is_read = murphi_sample_read(&x.s, str_get(text), &m);
    if (x.is_read) explore_run(x.s.in, x.s.props.data, x.s.props.len, &o, x.r, NULL);
    return x;
}

static void side_free(side *x) {
    result_free(x->r);
    murphi_sample_free(&x->s);
}

static uint32_t length(const result_property *p) { return p->trace ? p->trace->steps.len : 0; }

// Where the limit ends a search, the last step that it makes depends on how rules are compiled.
static bool is_cut(const result_property *p) { return p->reason && strstr(p->reason, "stopped at the limit"); }

static bool same(const side *a, const side *b) {
    bool ok = a->is_read && b->is_read && a->r->properties.len == b->r->properties.len;
    for (uint32_t i = 0; ok && i < a->r->properties.len; i++) {
        const result_property *p = &a->r->properties.data[i], *q = &b->r->properties.data[i];
        ok = p->verdict == q->verdict && length(p) == length(q) && is_cut(p) == is_cut(q);
        if (is_cut(p)) continue;
        ok &= p->stats.states == q->stats.states && p->stats.transitions == q->stats.transitions;
    }
    return ok;
}

static uint64_t states_of(const side *x) { return x->r->properties.len ? x->r->properties.data[0].stats.states : 0; }

static void calls_are_what_is_written_out(void **state) {
    (void)state;
    uint32_t n = (uint32_t)part_rounds(500, 50000), wrong = 0, large = 0;
    for (uint64_t seed = part_seed(1), last = seed + n; seed < last; seed++) {
        rng r = {seed};
        str text = {0};
        whole(&r, &text);
        side a = side_new(&text, seed % 3 != 0, false, false), b = side_new(&text, seed % 3 != 0, true, true),
             c = side_new(&text, seed % 3 != 0, true, false);
        bool ok = same(&a, &b) && same(&a, &c);
        if (!ok && !wrong) printf("# seed %llu\n%s\n", (unsigned long long)seed, str_get(&text));
        wrong += !ok;
        large += states_of(&a) > 20;
        side_free(&a);
        side_free(&b);
        side_free(&c);
        str_free(&text);
    }
    printf("# tally: Murphi models with calls, shared and written out | %u cases | %u wrong\n", n, wrong);
    assert_int_equal(wrong, 0);
    assert_true(large > n / 50);
}

static void properties_are_what_is_written_out(void **state) {
    (void)state;
    uint32_t n = (uint32_t)part_rounds(3000, 300000), wrong = 0, refused = 0, violated = 0;
    for (uint64_t seed = part_seed(1), last = seed + n; seed < last; seed++) {
        rng r = {seed};
        str text = {0};
        properties(&r, &text, seed % 2, 0, ASK_INVARIANT);
        side a = side_new(&text, seed % 3 != 0, false, false), b = side_new(&text, seed % 3 != 0, true, false);
        bool ok = a.is_read == b.is_read && (!a.is_read || same(&a, &b));
        if (!ok && !wrong) printf("# seed %llu\n%s\n", (unsigned long long)seed, str_get(&text));
        wrong += !ok;
        refused += !a.is_read;
        violated += a.is_read && a.r->properties.data[0].verdict == VERDICT_VIOLATED;
        side_free(&a);
        side_free(&b);
        str_free(&text);
    }
    printf("# tally: Murphi properties with calls, summed up and written out | %u cases | %u wrong\n", n, wrong);
    printf("# refused %u, violated %u\n", refused, violated);
    assert_int_equal(wrong, 0);
    assert_true(refused < n / 10 && violated > n / 10 && violated < n - n / 10);
}

// One more than the steps to a run-time error; 0: there is none; UINT32_MAX: that was not seen.
static uint32_t steps_to_error(const side *x) {
    for (uint32_t i = 0; i < x->r->properties.len; i++) {
        const result_property *p = &x->r->properties.data[i];
        if (is_cut(p)) return UINT32_MAX;
        if (!strcmp(p->name, "run-time error") && p->verdict == VERDICT_VIOLATED) return 1 + length(p);
    }
    return 0;
}

typedef struct {
    uint32_t wrong, found, refused;
} error_counts;

static side ask(uint64_t seed, asking how) {
    rng r = {seed};
    str text = {0};
    uint32_t levels = seed % 3 == 0 ? 1 + (uint32_t)(seed / 3 % 12) : 0;
    properties(&r, &text, seed % 4 == 0, levels, how);
    bool shares = how != ASK_IN_RULE && (levels || seed % 2);
    side x = side_new(&text, seed % 5 < 3, shares, false);
    str_free(&text);
    return x;
}

// What a rule meets that evaluates the condition takes one step more than what the property meets, and as many as what
// its guard meets.
static void compare_errors(uint64_t seed, error_counts *c) {
    side at[ASKS];
    uint32_t steps[ASKS];
    for (asking how = ASK_ERRORS; how < ASKS; how++) at[how] = ask(seed, how), steps[how] = steps_to_error(&at[how]);
    uint32_t y = steps[ASK_IN_RULE], x = steps[ASK_ERRORS], guard = steps[ASK_IN_GUARD];
    bool ok = y == UINT32_MAX || !at[ASK_ERRORS].is_read || x == UINT32_MAX || (x ? x + 1 : 0) == y;
    ok &= y == UINT32_MAX || guard == UINT32_MAX || guard == y;
    if (!ok && !c->wrong) printf("# seed %llu: %u %u %u\n", (unsigned long long)seed, x, guard, y);
    c->wrong += !ok;
    c->found += y && y != UINT32_MAX;
    c->refused += !at[ASK_ERRORS].is_read;
    for (asking how = ASK_ERRORS; how < ASKS; how++) side_free(&at[how]);
}

static void errors_are_those_of_statements(void **state) {
    (void)state;
    uint32_t n = (uint32_t)part_rounds(1500, 150000);
    error_counts c = {0};
    for (uint64_t seed = part_seed(1), last = seed + n; seed < last; seed++) compare_errors(seed, &c);
    printf("# tally: run-time errors of Murphi properties and guards, and of statements | %u cases | %u wrong\n", n,
           c.wrong);
    printf("# refused %u, with an error %u\n", c.refused, c.found);
    assert_int_equal(c.wrong, 0);
    assert_true(c.refused < n / 10 && c.found > n / 20 && c.found < n - n / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_what_is_written_out),
                                       cmocka_unit_test(properties_are_what_is_written_out),
                                       cmocka_unit_test(errors_are_those_of_statements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
