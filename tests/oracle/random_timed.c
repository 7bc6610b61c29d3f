// SPDX-License-Identifier: Apache-2.0
// Random networks of timed automata: see random_timed.h.
#include "oracle/random_timed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEMPLATES = 3, MOST_LOCATIONS = 9, MOST_NAMES = 24, MOST_PROCESSES = 9 };

typedef struct {
    const char *text;
    int lo, hi;  // values
    bool is_id;  // as a value of id_t it can be an index of arrays over ids
} number;

typedef struct {
    const char *name;
    uint32_t locations;
    bool has_me, has_local, has_clock, has_param;
    int param_hi;
} shape;

typedef struct {
    const char *text;  // "P0(1)", "A"
    uint32_t of;
} process;

typedef struct {
    rng *r;
    timed_case *out;
    arena *memory;
    int ids;       // values of id_t
    int largest;   // constants that clocks are compared with
    int value_hi;  // of v
    bool has_v, has_owner, has_a, has_w, has_k, has_functions, has_y, is_scalar;
    uint32_t global_clocks;
    bool has_c, has_u, has_b, has_d, has_e, has_ub;
    bool breaks, may_fail;  // tells ids apart; leaves ranges
    bool hears;             // receivers of broadcasts may have clock guards
    shape templates[MOST_TEMPLATES];
    uint32_t ntemplates;
    process processes[MOST_PROCESSES];
    uint32_t nprocesses;
    number numbers[MOST_NAMES];  // what an expression may use here
    uint32_t nnumbers;
    const char *clocks[MOST_NAMES];
    uint32_t nclocks;
    uint32_t reached;     // locations of the template being written that have an edge to them, by bit
    const char *offered;  // a channel that some edge sends or receives on, NULL: none
    bool offered_sends, offered_no_clocks;
} writer;

static uint32_t below(writer *w, uint32_t n) { return rng_below(w->r, n); }
static bool once_in(writer *w, uint32_t n) { return below(w, n) == 0; }

static const char *say(writer *w, const char *format, ...) {
    char buffer[512];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return arena_str(w->memory, buffer);
}

// ---- parts

static timed_part *new_part(writer *w, bool may_go) {
    timed_part *p = arena_alloc(w->memory, sizeof *p);
    p->may_go = may_go;
    vec_push(&w->out->parts, p);
    return p;
}

static timed_part *list(writer *w, timed_part *of, bool may_go, const char *before, const char *between,
                        const char *after) {
    timed_part *p = new_part(w, may_go);
    p->is_list = true;
    p->before = before;
    p->between = between;
    p->after = after;
    if (of) vec_push(&of->kids, p);
    return p;
}

static void leaf(writer *w, timed_part *of, bool may_go, const char *text) {
    timed_part *p = new_part(w, may_go);
    p->text = text;
    vec_push(&of->kids, p);
}

static bool is_empty(const timed_part *p) {
    if (p->is_gone) return true;
    if (!p->is_list) return false;
    for (uint32_t i = 0; i < p->kids.len; i++)
        if (!is_empty(p->kids.data[i])) return false;
    return true;
}

void timed_print(const timed_part *p, str *out) {
    if (is_empty(p)) return;
    if (!p->is_list) {
        str_add(out, p->text);
        return;
    }
    const char *separator = p->before;
    for (uint32_t i = 0; i < p->kids.len; i++) {
        if (is_empty(p->kids.data[i])) continue;
        str_add(out, separator);
        timed_print(p->kids.data[i], out);
        separator = p->between;
    }
    str_add(out, p->after);
}

void timed_case_free(timed_case *c) {
    for (uint32_t i = 0; i < c->parts.len; i++) vec_free(&c->parts.data[i]->kids);
    vec_free(&c->parts);
    vec_free(&c->queries);
    arena_free(c->memory);
}

void timed_shrink(timed_case *c, timed_fails fails, void *context) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < c->parts.len; i++) {
            timed_part *p = c->parts.data[i];
            str text = {0};
            if (!p->may_go || p->is_gone) continue;
            p->is_gone = true;
            timed_print(c->network, &text);
            p->is_gone = fails(str_get(&text), context);
            changed |= p->is_gone;
            str_free(&text);
        }
    }
}

// ---- what there is

static void add_number(writer *w, const char *text, int lo, int hi, bool is_id) {
    if (w->nnumbers < MOST_NAMES) w->numbers[w->nnumbers++] = (number){text, lo, hi, is_id};
}

static void add_clock(writer *w, const char *text) {
    if (w->nclocks < MOST_NAMES) w->clocks[w->nclocks++] = text;
}

static void global_names(writer *w) {
    w->nnumbers = w->nclocks = 0;
    if (w->has_v) add_number(w, "v", 0, w->value_hi, false);
    if (w->has_owner) add_number(w, "owner", -1, w->ids - 1, false);
    if (w->has_k) add_number(w, "k[0]", 0, w->ids - 1, true);
    if (w->has_k && once_in(w, 2)) add_number(w, "k[1]", 0, w->ids - 1, true);
    for (uint32_t i = 0; i < w->global_clocks; i++) add_clock(w, say(w, "g%u", i));
    if (w->has_y && w->breaks) add_clock(w, "y[0]");
    if (w->has_a && w->breaks) add_number(w, say(w, "a[%d]", (int)below(w, (uint32_t)w->ids)), 0, 1, false);
}

// Names inside a template; `s` is the variable of a select.
static void local_names(writer *w, const shape *t, bool has_select) {
    global_names(w);
    const char *me = t->has_me ? "me" : has_select ? "s" : NULL;
    if (t->has_me) add_number(w, "me", 0, w->ids - 1, true);
    if (has_select) add_number(w, "s", 0, w->ids - 1, true);
    if (t->has_local) add_number(w, "n", 0, 2, false);
    if (t->has_param) add_number(w, "p", 0, t->param_hi, false);
    if (me && w->has_a) add_number(w, say(w, "a[%s]", me), 0, 1, false);
    if (me && w->has_w) add_number(w, say(w, "w[%s]", me), 0, w->ids - 1, true);
    if (t->has_clock) add_clock(w, "x");
    if (me && w->has_y) add_clock(w, say(w, "y[%s]", me));
}

static const number *any_number(writer *w) { return w->nnumbers ? &w->numbers[below(w, w->nnumbers)] : NULL; }

// ---- conditions

static const char *const compares[] = {"==", "!=", "<", "<=", ">=", ">"};
static const char *const clock_compares[] = {"<", "<=", "==", ">=", ">"};

static const char *integer_condition(writer *w) {
    const number *a = any_number(w), *b = any_number(w);
    if (!a) return once_in(w, 2) ? "true" : "1 == 1";
    // Ids are mostly compared with ids, and not for their order.
    const char *op = compares[below(w, a->is_id && !w->breaks ? 2 : 6)];
    if (once_in(w, 2) && b && b->is_id == a->is_id) return say(w, "%s %s %s", a->text, op, b->text);
    if (a->is_id && !w->breaks) return say(w, "%s == %s", a->text, a->text);
    int constant = a->lo + (int)below(w, (uint32_t)(a->hi - a->lo + 1));
    if (once_in(w, 3)) op = compares[below(w, 6)];
    return say(w, "%s %s %d", a->text, op, constant);
}

static const char *clock_condition(writer *w) {
    const char *x = w->clocks[below(w, w->nclocks)], *op = clock_compares[below(w, 5)];
    if (w->has_v && once_in(w, 12)) return say(w, "%s %s v", x, op);
    if (w->has_v && once_in(w, 24)) return say(w, "(v == 0 imply %s %s 1)", x, op);
    if (w->has_y && once_in(w, 8)) return say(w, "(forall (i : id_t) y[i] %s %d)", op, (int)below(w, 2));
    if (w->has_y && w->has_k && once_in(w, 4)) return say(w, "y[k[0]] %s 1", op);
    return say(w, "%s %s %d", x, op, (int)below(w, (uint32_t)w->largest + 1));
}

static const char *quantified(writer *w) {
    static const char *const shapes[] = {"forall (i : id_t) a[i] == 0", "exists (i : id_t) a[i] == 1",
                                         "(sum (i : id_t) a[i]) < 2", "forall (i : id_t) a[i] == a[0]"};
    return shapes[below(w, w->breaks ? 4 : 3)];
}

static void put_guard(writer *w, timed_part *edge, bool may_time) {
    if (once_in(w, 4)) return;
    timed_part *g = list(w, edge, true, "guard ", " && ", "; ");
    uint32_t n = 1 + below(w, 2);
    for (uint32_t i = 0; i < n; i++) {
        if (may_time && w->nclocks && !once_in(w, 2)) leaf(w, g, true, clock_condition(w));
        else if (w->has_a && once_in(w, 8)) leaf(w, g, true, quantified(w));
        else leaf(w, g, true, integer_condition(w));
    }
}

// ---- updates

static bool fits(const writer *w, const number *to, int lo, int hi) {
    return (lo >= to->lo && hi <= to->hi) || w->may_fail;
}

static const char *assignment(writer *w) {
    const number *to = any_number(w), *from = any_number(w);
    if (!to || strcmp(to->text, "me") == 0 || strcmp(to->text, "s") == 0 || strcmp(to->text, "p") == 0) return NULL;
    if (once_in(w, 2) && fits(w, to, from->lo, from->hi)) return say(w, "%s = %s", to->text, from->text);
    if (once_in(w, 4) && !to->is_id) return say(w, "%s = (%s + 1) %% %d", to->text, to->text, to->hi + 1);
    if (once_in(w, 6)) return say(w, "%s = %s == %d ? %d : %s", to->text, to->text, to->lo, to->hi, to->text);
    if (to->is_id && !w->breaks) return NULL;
    int span = to->hi - to->lo + 1 + (w->may_fail && once_in(w, 3));
    return say(w, "%s = %d", to->text, to->lo + (int)below(w, (uint32_t)span));
}

static const char *setting(writer *w) {
    const char *x = w->clocks[below(w, w->nclocks)];
    if (w->has_v && once_in(w, 40)) return say(w, "%s = v", x);
    if (w->has_y && w->has_k && once_in(w, 8)) return "y[k[0]] = 0";
    return say(w, "%s = %d", x, once_in(w, 5) ? (int)below(w, (uint32_t)w->largest + 2) : 0);
}

static const char *call(writer *w, const shape *t) {
    static const char *const plain[] = {"clear()", "swap()"};
    if (t->has_me && once_in(w, 2)) return once_in(w, 2) ? "mark(me)" : "others(me)";
    if (w->breaks && once_in(w, 2)) return "pick()";
    return plain[below(w, 2)];
}

static void put_updates(writer *w, timed_part *edge, const shape *t) {
    timed_part *u = list(w, edge, true, "assign ", ", ", "; ");
    for (uint32_t n = below(w, 4); n > 0; n--) {
        const char *text = NULL;
        if (w->nclocks && once_in(w, 2)) text = setting(w);
        else if (w->has_functions && once_in(w, 6)) text = call(w, t);
        else text = assignment(w);
        if (text) leaf(w, u, true, text);
    }
}

// ---- channels

typedef struct {
    const char *text;
    bool no_clocks;  // in guards of those who take part
} channel;

static channel some_channel(writer *w, const shape *t) {
    const char *end = once_in(w, 2) ? "!" : "?";
    bool receives = end[0] == '?';
    uint32_t k = below(w, 6);
    if (k == 0 && w->has_c) return (channel){say(w, "c%s", end), false};
    if (k == 1 && w->has_u) return (channel){say(w, "u%s", end), true};
    if (k == 2 && w->has_b) return (channel){say(w, "b%s", end), receives && !w->hears};
    if (k == 3 && w->has_ub) return (channel){say(w, "ub%s", end), !receives || !w->hears};
    if (k == 4 && w->has_e) return (channel){say(w, "e[%d]%s", (int)below(w, 2), end), receives && !w->hears};
    if (k == 5 && w->has_d) {
        if (t->has_me && once_in(w, 2)) return (channel){say(w, "d[me]%s", end), false};
        if (w->has_owner && once_in(w, 2)) return (channel){say(w, "d[owner < 0 ? 0 : owner]%s", end), false};
        if (w->has_k) return (channel){say(w, "d[k[0]]%s", end), false};
        return (channel){say(w, "d[0]%s", end), false};
    }
    return (channel){NULL, false};
}

// Often the other side of what an edge before it offers, so that there is somebody to meet.
static channel any_channel(writer *w, const shape *t) {
    if (w->offered && once_in(w, 2)) {
        bool receives = w->offered_sends;
        const char *text = say(w, "%s%s", w->offered, receives ? "?" : "!");
        bool is_heard = receives && strcmp(w->offered, "ub") == 0;
        w->offered = NULL;
        if (!w->hears) return (channel){text, receives || w->offered_no_clocks};
        return (channel){text, w->offered_no_clocks && !is_heard};
    }
    channel c = some_channel(w, t);
    // What has a name of the template in it means nothing in another one.
    if (!c.text || strstr(c.text, "me")) return c;
    size_t n = strlen(c.text);
    w->offered = arena_strn(w->memory, c.text, n - 1);
    w->offered_sends = c.text[n - 1] == '!';
    w->offered_no_clocks = c.text[0] == 'u';
    return c;
}

// ---- templates

// Mostly a location that can be reached.
static uint32_t edge_start(writer *w, const shape *t) {
    uint32_t from = below(w, t->locations);
    for (uint32_t tries = 0; tries < 4 && !(w->reached >> from & 1); tries++) from = below(w, t->locations);
    return from;
}

static void put_edge(writer *w, timed_part *edges, const shape *t) {
    uint32_t from = edge_start(w, t), to = below(w, t->locations);
    w->reached |= w->reached >> from & 1 ? 1u << to : 0;
    timed_part *e = list(w, edges, true, "", "", "");
    bool has_select = once_in(w, 8);
    local_names(w, t, has_select);
    leaf(w, e, false, say(w, "l%u -> l%u { ", from, to));
    if (has_select) leaf(w, e, false, "select s : id_t; ");
    channel c = once_in(w, 2) ? any_channel(w, t) : (channel){NULL, false};
    put_guard(w, e, !c.no_clocks);
    if (c.text) leaf(w, e, true, say(w, "sync %s; ", c.text));
    put_updates(w, e, t);
    leaf(w, e, false, "}");
    if (once_in(w, 40)) vec_push(&edges->kids, e);  // the same edge once more
}

static void put_locations(writer *w, timed_part *body, const shape *t) {
    timed_part *states = list(w, body, false, "  state ", ", ", ";\n");
    local_names(w, t, false);
    for (uint32_t i = 0; i < t->locations; i++) {
        timed_part *l = list(w, states, i > 0, "", "", "");
        leaf(w, l, false, say(w, "l%u", i));
        if (!w->nclocks || !once_in(w, 3)) {
            if (once_in(w, 30)) leaf(w, l, true, say(w, " { %s }", integer_condition(w)));
            continue;
        }
        const char *x = w->clocks[below(w, w->nclocks)];
        bool strict = once_in(w, 3);
        uint32_t most = strict + below(w, (uint32_t)w->largest + 1 - strict * (w->largest > 0));
        if (i == 0 && strict && !most) most = 1;
        leaf(w, l, true, say(w, " { %s %s %u }", x, strict ? "<" : "<=", most));
    }
}

static void put_marks(writer *w, timed_part *body, const shape *t, const char *word, uint32_t rarity) {
    timed_part *marks = list(w, body, true, say(w, "  %s ", word), ", ", ";\n");
    for (uint32_t i = 0; i < t->locations; i++)
        if (once_in(w, rarity)) leaf(w, marks, true, say(w, "l%u", i));
}

// What a clock starts with, now and then.
static const char *first_value(writer *w) {
    return once_in(w, 5) ? say(w, " = %d", (int)below(w, (uint32_t)w->largest + 2)) : "";
}

static void put_template(writer *w, timed_part *all, const shape *t) {
    timed_part *body = list(w, all, true, "", "", "");
    timed_part *params = list(w, body, false, "", "", "");
    leaf(w, params, false, say(w, "process %s(", t->name));
    timed_part *names = list(w, params, false, "", ", ", "");
    if (t->has_me) leaf(w, names, false, "const id_t me");
    if (t->has_param) leaf(w, names, false, say(w, "const int[0, %d] p", t->param_hi));
    leaf(w, body, false, ") {\n");
    if (t->has_local) leaf(w, body, true, "  int[0, 2] n;\n");
    if (t->has_clock) leaf(w, body, true, say(w, "  clock x%s;\n", first_value(w)));
    put_locations(w, body, t);
    put_marks(w, body, t, "commit", 12);
    put_marks(w, body, t, "urgent", 12);
    leaf(w, body, false, "  init l0;\n");
    timed_part *edges = list(w, body, true, "  trans\n    ", ",\n    ", ";\n");
    uint32_t n = once_in(w, 12) ? 0 : once_in(w, 12) ? 9 : 1 + below(w, 5);
    w->reached = 1;
    for (uint32_t i = 0; i < n; i++) put_edge(w, edges, t);
    leaf(w, body, false, "}\n");
}

static uint32_t copies_of(const writer *w, const shape *t) { return t->has_me ? (uint32_t)w->ids : 1; }

static void choose_templates(writer *w) {
    uint32_t processes = 0, clocks = w->global_clocks + (w->has_y ? (uint32_t)w->ids : 0);
    uint32_t wanted = 1 + below(w, MOST_TEMPLATES);
    for (uint32_t i = 0; i < wanted; i++) {
        shape t = {.name = say(w, "P%u", i),
                   .locations = once_in(w, 20) ? 1 + below(w, MOST_LOCATIONS) : 1 + below(w, 4)};
        t.has_me = i == 0 ? !once_in(w, 4) : once_in(w, 3);
        t.has_param = once_in(w, 4);
        t.param_hi = (int)below(w, 3);
        t.has_local = once_in(w, 3);
        uint32_t copies = copies_of(w, &t) * (t.has_param ? 2 : 1);
        if (processes + copies > 5) continue;
        t.has_clock = once_in(w, 2) && clocks + copies <= 3;
        clocks += t.has_clock ? copies : 0;
        processes += copies;
        w->templates[w->ntemplates++] = t;
    }
    if (!w->ntemplates) w->templates[w->ntemplates++] = (shape){.name = "P0", .locations = 1 + below(w, 3)};
}

static void add_process(writer *w, const char *text, uint32_t of) {
    if (w->nprocesses < MOST_PROCESSES) w->processes[w->nprocesses++] = (process){text, of};
}

// A template with `p` is instantiated: twice, now and then with the same value; others are in the system as they are.
static void put_system(writer *w, timed_part *all) {
    bool ranks = once_in(w, 15);
    timed_part *instances = list(w, all, false, "", "", "");
    timed_part *line = list(w, all, false, "system ", ranks ? " < " : ", ", ";\n");
    for (uint32_t i = 0; i < w->ntemplates; i++) {
        const shape *t = &w->templates[i];
        for (uint32_t k = 0; k < (t->has_param ? 2u : 1u); k++) {
            const char *name = t->has_param ? say(w, "A%u_%u", i, k) : t->name;
            if (t->has_param) {
                int p = (int)below(w, (uint32_t)t->param_hi + 1);
                leaf(w, instances, true,
                     t->has_me ? say(w, "%s(const id_t i) = %s(i, %d);\n", name, t->name, p)
                               : say(w, "%s = %s(%d);\n", name, t->name, p));
            }
            for (int v = 0; t->has_me && v < w->ids; v++) add_process(w, say(w, "%s(%d)", name, v), i);
            if (!t->has_me) add_process(w, name, i);
            leaf(w, line, true, name);
        }
    }
}

// ---- globals

static void put_functions(writer *w, timed_part *d) {
    leaf(w, d, true, "void clear() { for (i : id_t) a[i] = 0; }\n");
    leaf(w, d, true,
         w->has_k ? "void swap() { id_t t = k[0]; k[0] = k[1]; k[1] = t; }\n"
                  : "void swap() { for (i : id_t) a[i] = 1 - a[i]; }\n");
    leaf(w, d, true, "void mark(id_t i) { if (a[i] == 0) a[i] = 1; else a[i] = 0; }\n");
    leaf(w, d, true, "void others(id_t i) { for (j : id_t) if (j != i) a[j] = 1 - a[j]; }\n");
    leaf(w, d, true,
         w->has_owner ? "void pick() { for (i : id_t) if (a[i] == 1) owner = i; }\n"
                      : "void pick() { int t = 0; for (i : id_t) t = t + a[i]; a[0] = t > 1 ? 1 : 0; }\n");
}

static void put_globals(writer *w, timed_part *all) {
    timed_part *d = list(w, all, false, "", "", "");
    leaf(w, d, true, say(w, "const int N = %d;\n", w->ids));
    leaf(w, d, true, w->is_scalar ? "typedef scalar[N] id_t;\n" : "typedef int[0, N - 1] id_t;\n");
    if (w->has_v) leaf(w, d, true, say(w, "int[0, %d] v;\n", w->value_hi));
    if (w->has_owner) leaf(w, d, true, "int[-1, N - 1] owner = -1;\n");
    if (w->has_a) leaf(w, d, true, "int[0, 1] a[id_t];\n");
    if (w->has_w) leaf(w, d, true, "id_t w[id_t];\n");
    if (w->has_k) leaf(w, d, true, once_in(w, 2) || w->is_scalar ? "id_t k[2];\n" : "id_t k[2] = { 0, N - 1 };\n");
    for (uint32_t i = 0; i < w->global_clocks; i++) leaf(w, d, true, say(w, "clock g%u%s;\n", i, first_value(w)));
    if (w->has_y) leaf(w, d, true, "clock y[id_t];\n");
    if (w->has_c) leaf(w, d, true, "chan c;\n");
    if (w->has_u) leaf(w, d, true, "urgent chan u;\n");
    if (w->has_b) leaf(w, d, true, "broadcast chan b;\n");
    if (w->has_ub) leaf(w, d, true, "urgent broadcast chan ub;\n");
    if (w->has_d) leaf(w, d, true, "chan d[id_t];\n");
    if (w->has_e) leaf(w, d, true, "broadcast chan e[2];\n");
    if (w->has_functions) put_functions(w, d);
    if (w->has_b && once_in(w, 6)) leaf(w, d, true, "chan priority default < b;\n");
    else if (w->has_c && once_in(w, 6)) leaf(w, d, true, "chan priority c < default;\n");
}

static void choose_globals(writer *w) {
    w->ids = 1 + (int)below(w, once_in(w, 6) ? 4 : 3);
    w->largest = once_in(w, 8) ? 0 : 1 + (int)below(w, 2);
    w->value_hi = once_in(w, 3) ? w->ids - 1 : once_in(w, 8) ? 0 : 1 + (int)below(w, 3);
    w->has_v = !once_in(w, 4);
    w->has_owner = once_in(w, 3);
    w->has_a = once_in(w, 2);
    w->has_w = once_in(w, 4);
    w->has_k = once_in(w, 4);
    w->has_functions = w->has_a && once_in(w, 2);
    w->global_clocks = once_in(w, 3) ? 0 : below(w, 3);
    w->has_y = once_in(w, 6) && w->ids <= 2;
    w->has_c = once_in(w, 2);
    w->has_u = once_in(w, 3);
    w->has_b = once_in(w, 3);
    w->has_d = once_in(w, 4);
    w->has_e = once_in(w, 6);
    w->has_ub = once_in(w, 8);
    w->breaks = once_in(w, 2);
    w->may_fail = once_in(w, 25);
    w->is_scalar = !w->breaks && once_in(w, 10);
}

// ---- queries

static const char *atom(writer *w) {
    const process *p = &w->processes[below(w, w->nprocesses)];
    const shape *t = &w->templates[p->of];
    uint32_t l = below(w, t->locations);
    global_names(w);
    switch (below(w, 8)) {
    case 0: return integer_condition(w);
    case 1:
        if (t->has_clock) add_clock(w, say(w, "%s.x", p->text));
        return w->nclocks ? clock_condition(w) : "true";
    case 2:
        if (t->has_local) return say(w, "%s.n %s %u", p->text, compares[below(w, 6)], below(w, 3));
        return integer_condition(w);
    case 3:
        if (t->has_me && !t->has_param)
            return say(w, "(%s (i : id_t) %s(i).l%u)", once_in(w, 2) ? "forall" : "exists", t->name, l);
        return say(w, "%s.l%u", p->text, l);
    default: return say(w, "%s.l%u", p->text, l);
    }
}

static const char *formula(writer *w) {
    const char *a = atom(w), *b = atom(w);
    switch (below(w, 12)) {
    case 0: return say(w, "(%s and %s)", a, b);
    case 1: return say(w, "(%s or %s)", a, b);
    case 2: return say(w, "(%s imply %s)", a, b);
    case 3:
    case 4: return say(w, "not (%s)", a);
    case 5: return once_in(w, 4) ? (once_in(w, 2) ? "true" : "false") : say(w, "(%s and not (%s))", a, b);
    default: return a;
    }
}

static const char *measure_query(writer *w) {
    const char *word = once_in(w, 2) ? "sup" : "inf", *of = NULL, *where = formula(w);
    const process *p = &w->processes[below(w, w->nprocesses)];
    global_names(w);
    if (w->templates[p->of].has_clock) add_clock(w, say(w, "%s.x", p->text));
    if (w->nclocks && once_in(w, 2)) of = w->clocks[below(w, w->nclocks)];
    else if (w->nnumbers) of = any_number(w)->text;
    if (!of) return say(w, "E<> %s", where);
    return once_in(w, 3) ? say(w, "%s: %s", word, of) : say(w, "%s{%s}: %s", word, where, of);
}

static const char *query(writer *w) {
    const char *f = formula(w);
    switch (below(w, 12)) {
    case 0: return "A[] not deadlock";
    case 1:
        if (once_in(w, 2)) return say(w, once_in(w, 2) ? "E<> not deadlock and %s" : "A[] deadlock or %s", f);
        return say(w, once_in(w, 2) ? "E<> deadlock and %s" : "A[] deadlock imply %s", f);
    case 2:
    case 3: return say(w, "A[] %s", f);
    case 4:
    case 5: return say(w, "E<> %s", f);
    case 6: return say(w, once_in(w, 6) ? "E[] not deadlock and %s" : "E[] %s", f);
    case 7: return say(w, once_in(w, 6) ? "A<> deadlock or %s" : "A<> %s", f);
    case 8: return say(w, once_in(w, 6) ? "%s --> deadlock" : "%s --> not (%s)", f, formula(w));
    case 9:
        if (once_in(w, 2)) return say(w, "%s -->[%s%u] %s", f, once_in(w, 3) ? "<" : "<=", below(w, 4), formula(w));
        return say(w, "%s --> %s", f, formula(w));
    default: return measure_query(w);
    }
}

static void write_case(rng *r, uint32_t nqueries, bool hears, timed_case *out) {
    *out = (timed_case){.memory = arena_new()};
    writer w = {.r = r, .out = out, .memory = out->memory, .hears = hears};
    choose_globals(&w);
    choose_templates(&w);
    out->network = list(&w, NULL, false, "", "", "");
    put_globals(&w, out->network);
    for (uint32_t i = 0; i < w.ntemplates; i++) put_template(&w, out->network, &w.templates[i]);
    put_system(&w, out->network);
    for (uint32_t i = 0; i < nqueries; i++) vec_push(&out->queries, query(&w));
}

void random_timed(rng *r, uint32_t nqueries, timed_case *out) { write_case(r, nqueries, false, out); }
void random_timed_hearing(rng *r, uint32_t nqueries, timed_case *out) { write_case(r, nqueries, true, out); }
