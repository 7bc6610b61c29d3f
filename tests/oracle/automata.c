// SPDX-License-Identifier: Apache-2.0
// Random networks of timed automata, and their text: see automata.h.
#include "oracle/automata.h"

#include <string.h>

static const char *const ops[] = {"<", "<=", "==", ">=", ">", "!="};
static const char *const channels[AUTO_CHANNELS] = {"c", "b", "u", "ub", "d", "h"};
enum { HEARD = 1, URGENT = 2, URGENT_HEARD = 3, PLAIN_OF = 4, HEARD_OF = 5 };

static int below(auto_network *n, int k) { return (int)rng_below(&n->r, (uint32_t)k); }
static bool once_in(auto_network *n, int k) { return below(n, k) == 0; }

// ---- random

static auto_index random_index(auto_network *n, const auto_template *t, bool has_select) {
    if (has_select && !once_in(n, 3)) return (auto_index){BY_SELECT, 0};
    if (t && t->has_me && !once_in(n, 4)) return (auto_index){BY_ME, 0};
    if (t && once_in(n, 2)) return (auto_index){BY_OWNER, 0};
    return (auto_index){BY_CONST, below(n, n->ids)};
}

static auto_clock random_clock(auto_network *n, const auto_template *t, bool has_select) {
    auto_clock c = {CLOCK_G, random_index(n, t, has_select)};
    if (n->has_y && once_in(n, 2)) c.kind = CLOCK_Y;
    else if (t && t->has_x && !once_in(n, 3)) c.kind = CLOCK_X;
    else if (!t && n->templates[0].has_x && once_in(n, 2)) c = (auto_clock){CLOCK_X, {BY_CONST, below(n, n->ids)}};
    return c;
}

static auto_term clock_term(auto_network *n, const auto_template *t, bool has_select) {
    static const auto_term_kind rare[] = {TERM_EVERY_CLOCK, TERM_IF_CLOCK, TERM_OR_CLOCK, TERM_NOT_CLOCK};
    auto_term e = {.kind = TERM_CLOCK, .op = below(n, 5), .is = below(n, n->largest + 1), .other = below(n, 4)};
    e.clock = random_clock(n, t, has_select);
    if (once_in(n, 5)) e.kind = rare[below(n, 4)];
    if (e.kind == TERM_EVERY_CLOCK && !n->has_y) e.kind = TERM_CLOCK;
    if (e.kind == TERM_CLOCK && once_in(n, 12)) e.op = 5;
    return e;
}

static auto_term plain_term(auto_network *n, const auto_template *t, bool has_select) {
    static const auto_term_kind kinds[] = {TERM_V, TERM_A, TERM_OWNER, TERM_EVERY_A, TERM_ODD, TERM_A, TERM_V};
    auto_term e = {.kind = kinds[below(n, 7)], .op = below(n, 6), .is = below(n, 4)};
    e.index = random_index(n, t, has_select);
    if (e.kind == TERM_A || e.kind == TERM_EVERY_A) e.is = below(n, 2);
    if (e.kind != TERM_V) e.op = e.kind == TERM_EVERY_A || once_in(n, 2) ? 2 : 5;
    return e;
}

static auto_set random_set(auto_network *n, const auto_template *t, bool has_select) {
    static const auto_set_kind kinds[] = {SET_V,     SET_V_NEXT, SET_OWNER,   SET_A,       SET_A_FLIP,    SET_CLOCK,
                                          SET_CLOCK, SET_CLOCK,  SET_CLOCK_V, SET_BY_CALL, SET_BY_BRANCH, SET_BY_LOOP};
    auto_set s = {.kind = kinds[below(n, 12)], .is = below(n, 4), .clock = random_clock(n, t, has_select)};
    if (s.kind == SET_A) s.is &= 1;
    if (s.kind == SET_CLOCK) s.is = once_in(n, 4) ? below(n, n->largest + 2) : 0;
    s.index = random_index(n, t, has_select);
    return s;
}

static bool is_broadcast(const auto_edge *e) {
    return e->channel == HEARD || e->channel == URGENT_HEARD || e->channel == HEARD_OF;
}

// The first edges of both templates meet: the single one speaks, the many hear, or the other way round.
static void random_channel(auto_network *n, const auto_template *t, int number, auto_edge *e) {
    bool is_first = number == 0;
    e->channel = is_first ? n->favourite : below(n, AUTO_CHANNELS);
    e->sends = is_first ? t->has_me == n->many_speak : once_in(n, 3);
    e->hears = !e->sends;
    if (!is_first && once_in(n, 2)) e->channel = once_in(n, 2) ? n->favourite : HEARD_OF;
}

static void random_sync(auto_network *n, const auto_template *t, int number, auto_edge *e) {
    if (number && once_in(n, 3)) return;
    random_channel(n, t, number, e);
    // Many that hear and select are a product of ways that neither twin nor program gets through.
    if (e->hears && n->ids > 2 && is_broadcast(e)) e->has_select = false;
    e->index = random_index(n, t, e->has_select);
}

// What many receivers do is the product of what each of them does, with clock guards and without.
static bool may_ask_clocks(const auto_network *n, const auto_edge *e) {
    if (!e->sends && !e->hears) return true;
    if (e->channel == URGENT || (e->channel == URGENT_HEARD && e->sends)) return false;
    return !(e->hears && is_broadcast(e) && (e->has_select || n->ids > 3));
}

static void random_edge(auto_network *n, const auto_template *t, int number, auto_edge *e) {
    *e = (auto_edge){.from = number < 2 ? 0 : below(n, t->locations), .to = below(n, t->locations)};
    e->has_select = once_in(n, 6);
    random_sync(n, t, number, e);
    e->nterms = below(n, number ? AUTO_TERMS : 2);
    for (int i = 0; i < e->nterms; i++)
        e->terms[i] =
            may_ask_clocks(n, e) && !once_in(n, 3) ? clock_term(n, t, e->has_select) : plain_term(n, t, e->has_select);
    e->nsets = below(n, AUTO_TERMS + 1);
    for (int i = 0; i < e->nsets; i++) e->sets[i] = random_set(n, t, e->has_select);
}

static auto_term random_invariant(auto_network *n, const auto_template *t) {
    if (once_in(n, 8)) return (auto_term){.kind = TERM_V, .op = 5, .is = 1 + below(n, 3)};
    auto_term e = {.kind = once_in(n, 5) ? TERM_IF_CLOCK : TERM_CLOCK, .op = 1, .other = below(n, 4)};
    if (once_in(n, 6) && n->has_y) e.kind = TERM_EVERY_CLOCK;
    e.is = below(n, n->largest + 1);
    if (e.is && once_in(n, 3)) e.op = 0;
    e.clock = random_clock(n, t, false);
    return e;
}

static void random_template(auto_network *n, auto_template *t) {
    t->locations = n->ids > 4 ? 2 + below(n, 2) : 2 + below(n, AUTO_LOCATIONS - 1);
    for (int i = 0; i < t->locations; i++) {
        t->is_committed[i] = once_in(n, 9);
        t->is_urgent[i] = !t->is_committed[i] && once_in(n, 9);
        t->has_invariant[i] = once_in(n, 3);
        if (t->has_invariant[i]) t->invariants[i] = random_invariant(n, t);
    }
    t->nedges = n->ids > 4 && t->has_me ? 2 + below(n, 3) : 2 + below(n, AUTO_EDGES - 2);
    for (int i = 0; i < t->nedges; i++) random_edge(n, t, i, &t->edges[i]);
}

// At most five clocks in all: g, one of each id twice (y, x), and x of the one.
static void random_clocks(auto_network *n) {
    n->has_y = n->ids <= 3 && once_in(n, 2);
    n->templates[0].has_x = n->ids <= 3 && (!n->has_y || n->ids == 1) && !once_in(n, 4);
    n->templates[1].has_x = once_in(n, 2);
}

void auto_random(auto_network *n, uint64_t seed) {
    *n = (auto_network){.r = {seed}};
    n->ids = 1 + below(n, once_in(n, 5) ? AUTO_IDS : 3);
    n->largest = 1 + below(n, 2);
    n->scale = once_in(n, 2) ? 1 : once_in(n, 2) ? 7 : 100;
    random_clocks(n);
    n->many_last = once_in(n, 2);
    n->many_speak = once_in(n, 3);
    n->favourite = once_in(n, 4) ? below(n, AUTO_CHANNELS) : once_in(n, 2) ? HEARD : HEARD_OF;
    n->has_levels = once_in(n, 4);
    for (int i = 0; i <= AUTO_CHANNELS; i++) n->level[i] = n->has_levels ? below(n, 3) : 1;
    for (int i = 0; i < AUTO_CHANNELS; i++)
        if (once_in(n, 2)) n->level[i] = n->level[AUTO_CHANNELS];
    n->has_ranks = once_in(n, 6);
    n->many_rank_higher = n->many_last;
    n->templates[0].has_me = true;
    for (int i = 0; i < 2; i++) random_template(n, &n->templates[i]);
}

static auto_term formula_term(auto_network *n) {
    auto_term e = {.kind = TERM_AT, .other = below(n, n->ids + 1)};
    switch (below(n, 7)) {
    case 0: return clock_term(n, NULL, false);
    case 1: return plain_term(n, NULL, false);
    case 2: e.kind = once_in(n, 2) ? TERM_ALL_AT : TERM_SOME_AT; break;
    case 3:
        if (once_in(n, 2)) e.kind = TERM_DEADLOCK;
        break;
    default: break;
    }
    e.is = below(n, n->templates[e.kind == TERM_AT && e.other == n->ids].locations);
    return e;
}

static void random_formula(auto_network *n, bool may_deadlock, auto_formula *f) {
    *f = (auto_formula){.nterms = 1 + below(n, AUTO_TERMS), .is_or = once_in(n, 3), .is_not = once_in(n, 3)};
    for (int i = 0; i < f->nterms; i++) do
            f->terms[i] = formula_term(n);
        while (f->terms[i].kind == TERM_DEADLOCK && !may_deadlock);
}

void auto_random_query(auto_network *n, auto_query *q) {
    q->kind = once_in(n, 2) ? AUTO_SOME : (auto_query_kind)below(n, 5);
    random_formula(n, true, &q->p);
    random_formula(n, true, &q->q);
    q->is_bounded = once_in(n, 4);
    q->is_strict = once_in(n, 2);
    q->bound = q->is_strict + below(n, n->largest + 1 - q->is_strict);
}

// ---- text

static void index_text(auto_index i, str *out) {
    if (i.by == BY_CONST) str_printf(out, "%d", i.is);
    else str_add(out, i.by == BY_ME ? "me" : i.by == BY_SELECT ? "s" : "owner");
}

static void clock_text(auto_clock c, bool in_formula, str *out) {
    if (c.kind == CLOCK_G) str_add(out, "g");
    else if (c.kind == CLOCK_X && !in_formula) str_add(out, "x");
    else {
        str_add(out, c.kind == CLOCK_Y ? "y[" : "T(");
        index_text(c.index, out);
        str_add(out, c.kind == CLOCK_Y ? "]" : ").x");
    }
}

static void clock_term_text(const auto_network *n, const auto_term *e, bool in_formula, str *out) {
    if (e->kind == TERM_EVERY_CLOCK) {
        str_printf(out, "(forall (i : id_t) y[i] %s %d)", ops[e->op], e->is * n->scale);
        return;
    }
    if (e->kind == TERM_IF_CLOCK) str_printf(out, "(v == %d imply ", e->other);
    else if (e->kind == TERM_OR_CLOCK) str_printf(out, "(v == %d || ", e->other);
    else str_add(out, e->kind == TERM_NOT_CLOCK ? "!(" : "(");
    clock_text(e->clock, in_formula, out);
    str_printf(out, " %s %d)", ops[e->op], e->is * n->scale);
}

static void at_text(const auto_network *n, const auto_term *e, str *out) {
    if (e->kind == TERM_DEADLOCK) str_add(out, "deadlock");
    else if (e->kind == TERM_ALL_AT) str_printf(out, "(forall (i : id_t) T(i).l%d)", e->is);
    else if (e->kind == TERM_SOME_AT) str_printf(out, "(exists (i : id_t) T(i).l%d)", e->is);
    else if (e->other == n->ids) str_printf(out, "S.l%d", e->is);
    else str_printf(out, "T(%d).l%d", e->other, e->is);
}

static void term_text(const auto_network *n, const auto_term *e, bool in_formula, str *out) {
    switch (e->kind) {
    case TERM_V: str_printf(out, "v %s %d", ops[e->op], e->is); break;
    case TERM_A:
        str_add(out, "a[");
        index_text(e->index, out);
        str_printf(out, "] %s %d", ops[e->op], e->is);
        break;
    case TERM_OWNER:
        str_printf(out, "owner %s ", ops[e->op]);
        index_text(e->index, out);
        break;
    case TERM_EVERY_A: str_printf(out, "(forall (i : id_t) a[i] == %d)", e->is); break;
    case TERM_ODD: str_printf(out, "%sodd(v)", e->op == 2 ? "" : "!"); break;
    case TERM_AT:
    case TERM_ALL_AT:
    case TERM_SOME_AT:
    case TERM_DEADLOCK: at_text(n, e, out); break;
    default: clock_term_text(n, e, in_formula, out);
    }
}

static void call_text(const char *name, auto_index i, str *out) {
    str_printf(out, "%s(", name);
    index_text(i, out);
    str_add(out, ")");
}

static void set_text(const auto_network *n, const auto_set *s, str *out) {
    switch (s->kind) {
    case SET_V: str_printf(out, "v = %d", s->is); break;
    case SET_V_NEXT: str_add(out, "v = (v + 1) % 4"); break;
    case SET_OWNER:
        str_add(out, "owner = ");
        index_text(s->index, out);
        break;
    case SET_A:
    case SET_A_FLIP:
        str_add(out, "a[");
        index_text(s->index, out);
        if (s->kind == SET_A) str_printf(out, "] = %d", s->is);
        else str_add(out, "] ^= 1");
        break;
    case SET_BY_CALL: call_text("touch", s->index, out); break;
    case SET_BY_BRANCH: call_text("branch", s->index, out); break;
    case SET_BY_LOOP: str_add(out, "sweep()"); break;
    default:
        clock_text(s->clock, false, out);
        if (s->kind == SET_CLOCK) str_printf(out, " = %d", s->is * n->scale);
        else str_printf(out, " = v * %d", n->scale);
    }
}

static void edge_text(const auto_network *n, const auto_edge *e, str *out) {
    str_printf(out, "l%d -> l%d { ", e->from, e->to);
    if (e->has_select) str_add(out, "select s : id_t; ");
    for (int i = 0; i < e->nterms; i++) {
        str_add(out, i ? " && " : "guard ");
        term_text(n, &e->terms[i], false, out);
    }
    if (e->nterms) str_add(out, "; ");
    if (e->sends || e->hears) {
        str_printf(out, "sync %s", channels[e->channel]);
        if (e->channel >= PLAIN_OF) {
            str_add(out, "[");
            index_text(e->index, out);
            str_add(out, "]");
        }
        str_add(out, e->sends ? "!; " : "?; ");
    }
    for (int i = 0; i < e->nsets; i++) {
        str_add(out, i ? ", " : "assign ");
        set_text(n, &e->sets[i], out);
    }
    str_add(out, e->nsets ? "; }" : "}");
}

static void marks_text(const bool *marks, int n, const char *word, str *out) {
    const char *before = word;
    for (int i = 0; i < n; i++)
        if (marks[i]) {
            str_printf(out, "%s l%d", before, i);
            before = ",";
        }
    if (before != word) str_add(out, ";\n");
}

static void template_text(const auto_network *n, const auto_template *t, str *out) {
    str_add(out, t->has_me ? "process T(const id_t me) {\n" : "process S() {\n");
    if (t->has_x) str_add(out, "clock x;\n");
    for (int i = 0; i < t->locations; i++) {
        str_printf(out, "%sl%d", i ? ", " : "state ", i);
        if (!t->has_invariant[i]) continue;
        str_add(out, " { ");
        term_text(n, &t->invariants[i], false, out);
        str_add(out, " }");
    }
    str_add(out, ";\n");
    marks_text(t->is_committed, t->locations, "commit", out);
    marks_text(t->is_urgent, t->locations, "urgent", out);
    str_add(out, "init l0;\ntrans\n");
    for (int i = 0; i < t->nedges; i++) {
        str_add(out, i ? ",\n  " : "  ");
        edge_text(n, &t->edges[i], out);
    }
    str_add(out, ";\n}\n");
}

// `chan priority c, b < default < d;`, lowest first.
static void levels_text(const auto_network *n, str *out) {
    const char *before = "chan priority ";
    for (int level = 0; level < 3; level++) {
        bool some = false;
        for (int i = 0; i <= AUTO_CHANNELS; i++) {
            if (n->level[i] != level) continue;
            str_printf(out, "%s%s", some ? ", " : before, i < AUTO_CHANNELS ? channels[i] : "default");
            some = true;
        }
        if (some) before = " < ";
    }
    str_add(out, ";\n");
}

static void functions_text(const auto_network *n, str *out) {
    const char *y = n->has_y ? "y[i]" : "g";
    str_add(out, "bool odd(int k) { return k % 2 == 1; }\n");
    str_printf(out, "void touch(id_t i) { %s = 0; v = (v + 1) %% 4; }\n", y);
    str_printf(out, "void branch(id_t i) { if (a[i] == 1) { %s = 0; a[i] = 0; } else { g = %d; a[i] = 1; } }\n", y,
               n->scale);
    str_printf(out, "void sweep() { for (i : id_t) if (a[i] == 0) %s = 0; else owner = i; }\n", y);
}

void auto_text(const auto_network *n, str *out) {
    str_printf(out, "typedef int[0, %d] id_t;\nclock g;\n", n->ids - 1);
    if (n->has_y) str_add(out, "clock y[id_t];\n");
    str_add(out, "int[0, 3] v;\nint[0, 1] a[id_t];\nid_t owner;\nchan c, d[id_t];\nurgent chan u;\n");
    str_add(out, "broadcast chan b, h[id_t];\nurgent broadcast chan ub;\n");
    if (n->has_levels) levels_text(n, out);
    functions_text(n, out);
    for (int i = 0; i < 2; i++) template_text(n, &n->templates[i], out);
    str_printf(out, "system %s %s %s;\n", n->many_last ? "S" : "T", n->has_ranks ? "<" : ",", n->many_last ? "T" : "S");
}

static void formula_text(const auto_network *n, const auto_formula *f, str *out) {
    str_add(out, f->is_not ? "not (" : "(");
    for (int i = 0; i < f->nterms; i++) {
        if (i) str_add(out, f->is_or ? " or " : " and ");
        term_text(n, &f->terms[i], true, out);
    }
    str_add(out, ")");
}

void auto_query_text(const auto_network *n, const auto_query *q, str *out) {
    static const char *const words[] = {"E<>", "A[]", "E[]", "A<>", "-->"};
    if (q->kind == AUTO_LEADS) {
        formula_text(n, &q->p, out);
        str_add(out, " ");
    }
    str_add(out, words[q->kind]);
    if (q->is_bounded) str_printf(out, "[%s%d]", q->is_strict ? "<" : "<=", q->bound * n->scale);
    str_add(out, " ");
    formula_text(n, q->kind == AUTO_LEADS ? &q->q : &q->p, out);
}
