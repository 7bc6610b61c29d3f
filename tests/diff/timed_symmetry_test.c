// SPDX-License-Identifier: Apache-2.0
// Symmetry of timed systems: random networks of like processes, some with something in them that breaks the
// likeness, give the same verdicts with symmetry and without (runs are replayed by the engine: one that was put
// back together wrongly makes its verdict unknown; every state is tried by the self-check). A second kind of networks
// has two to four instances and small integers that hold ids, numbers or both. For networks without clocks, the number
// of representatives is the number of orbits, counted here by trying every permutation on states reached by the
// reference evaluator.
#include "base/rng.h"
#include "front/xta/xta.h"
#include "model/eval.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 3, TRIES = 2000, SMALL_TRIES = 1000, ORBIT_TRIES = 600, MOST_STATES = 20000 };

// ---- random networks

typedef struct {
    rng *r;
    bool has_clocks, breaks, has_priorities;
    str text;
} writer;

static const char *pick(writer *w, const char *const *list, uint32_t n) { return list[rng_below(w->r, n)]; }
#define PICK(w, list) pick(w, list, sizeof list / sizeof *list)

static void put_guard(writer *w) {
    static const char *const plain[] = {"v == me",
                                        "v != me",
                                        "v == none",
                                        "n == 1",
                                        "a[me] == 0",
                                        "a[me] == 1",
                                        "w[me] == me",
                                        "w[me] == v",
                                        "forall (i : id_t) a[i] == 0",
                                        "exists (i : id_t) (i != me && a[i] == 1)",
                                        "g < 2",
                                        "v != w[me]",
                                        "(sum (i : id_t) a[i]) < 2",
                                        "v >= 0",
                                        "k[0] == me",
                                        "k[g % 2] != me"};
    static const char *const timed[] = {"x <= 1", "x >= 1", "x < 2", "x > 1", "z >= 1", "y[me] >= 1", "y[me] <= 2"};
    static const char *const broken[] = {
        "me == 0", "me < 2", "v == 1", "v < 1", "a[1] == 0", "w[0] == me", "a[(me + 1) % N] == 0"};
    if (w->has_clocks && rng_below(w->r, 2)) str_add(&w->text, PICK(w, timed));
    else if (w->breaks && rng_below(w->r, 6) == 0) str_add(&w->text, PICK(w, broken));
    else str_add(&w->text, PICK(w, plain));
}

static void put_update(writer *w) {
    static const char *const plain[] = {
        "v = me",     "v = none",        "n = 1 - n",  "a[me] = 1", "a[me] = 0",
        "w[me] = me", "g = (g + 1) % 3", "g = 0",      "clear()",   "g = ones() > 1 ? 2 : ones()",
        "k[0] = me",  "shift()",         "others(me)", "keep(me)"};
    static const char *const timed[] = {"x = 0", "z = 0", "y[me] = 0", "x = 1"};
    static const char *const broken[] = {"v = 1",   "w[me] = 0", "a[0] = 1", "v = (me + 1) % N",
                                         "first()", "count()",   "k[1] = 0", "g = me % 3"};
    if (w->has_clocks && rng_below(w->r, 2)) str_add(&w->text, PICK(w, timed));
    else if (w->breaks && rng_below(w->r, 6) == 0) str_add(&w->text, PICK(w, broken));
    else str_add(&w->text, PICK(w, plain));
}

static void put_edge(writer *w, bool last) {
    static const char *const syncs[] = {"c!", "c?", "b!", "b?", "d[me]?", "d[v < 0 ? me : v]!", "u!", "u?"};
    bool sync = rng_below(w->r, 2);
    const char *name = PICK(w, syncs);
    bool no_guard = sync && (name[0] == 'u' || strcmp(name, "b?") == 0);
    str_printf(&w->text, "    l%u -> l%u {", rng_below(w->r, 3), rng_below(w->r, 3));
    bool select = rng_below(w->r, 8) == 0;
    if (select) str_add(&w->text, " select s : id_t;");
    bool had_clocks = w->has_clocks;
    if (no_guard) w->has_clocks = false;
    if (rng_below(w->r, 4)) {
        str_add(&w->text, " guard ");
        put_guard(w);
        if (select) str_add(&w->text, " && s != me");
        str_add(&w->text, ";");
    }
    w->has_clocks = had_clocks;
    if (sync) str_printf(&w->text, " sync %s;", name);
    if (rng_below(w->r, 4)) {
        str_add(&w->text, " assign ");
        put_update(w);
        if (select) str_add(&w->text, ", w[me] = s");
        else if (rng_below(w->r, 2)) {
            str_add(&w->text, ", ");
            put_update(w);
        }
        str_add(&w->text, ";");
    }
    str_add(&w->text, last ? " };\n" : " },\n");
}

static void put_network(writer *w) {
    str_printf(&w->text, "const int N = %d;\nconst int none = -1;\ntypedef int[0, N - 1] id_t;\n", PROCESSES);
    str_add(&w->text, "int[-1, N - 1] v = -1;\nint[0, 1] a[id_t];\nid_t w[id_t];\nid_t k[2];\nint[0, 2] g;\n");
    if (w->has_clocks) str_add(&w->text, "clock z;\nclock y[id_t];\n");
    str_add(&w->text,
            "chan c;\nbroadcast chan b;\nchan d[id_t];\nurgent chan u;\n"
            "void clear() { for (i : id_t) a[i] = 0; }\n"
            "void count() { int[0, 3] t = 0; for (i : id_t) t = t + a[i]; if (t > 1) g = 2; else g = t % 3; }\n"
            "int[0, 3] ones() { int[0, 3] t = 0; for (i : id_t) t = t + a[i]; return t; }\n"
            "void shift() { k[0] = k[1]; }\n"
            "void others(id_t me) { for (i : id_t) if (i != me) a[i] = 1 - a[i]; }\n"
            "void keep(id_t me) { id_t t = k[0]; k[1] = t; if (t != me) k[0] = me; }\n"
            "void first() { for (i : id_t) if (a[i] == 0) v = i; }\n");
    if (w->has_priorities) str_add(&w->text, "chan priority c < default < b;\n");
    str_add(&w->text, "process P(const id_t me) {\nint[0, 1] n;\n");
    if (w->has_clocks) str_add(&w->text, "clock x;\n");
    str_add(&w->text, "state l0, l1");
    if (w->has_clocks && rng_below(w->r, 2)) str_add(&w->text, " { x <= 2 }");
    str_add(&w->text, ", l2");
    if (w->has_clocks && rng_below(w->r, 3) == 0) str_add(&w->text, " { y[me] <= 2 }");
    str_add(&w->text, ";\n");
    if (rng_below(w->r, 4) == 0) str_add(&w->text, "commit l2;\n");
    else if (rng_below(w->r, 4) == 0) str_add(&w->text, "urgent l1;\n");
    // This edge changes nothing, but ties the values of v, w and k to the processes in every network.
    str_add(&w->text, "init l0;\ntrans\n"
                      "    l0 -> l0 { guard v == w[me] && w[me] == k[0] && k[1] == me && a[me] == 1; },\n");
    uint32_t n = 3 + rng_below(w->r, 4);
    for (uint32_t i = 0; i < n; i++) put_edge(w, i + 1 == n);
    str_add(&w->text, "}\nsystem P;\n");
}

static void put_formula(writer *w, str *out) {
    static const char *const like[] = {"forall (i : id_t) P(i).l1",
                                       "exists (i : id_t) (P(i).l1 and P(i).n == 1)",
                                       "exists (i : id_t) (P(i).l2 and v == i)",
                                       "exists (i : id_t) exists (j : id_t) (i != j and P(i).l1 and P(j).l2)",
                                       "(sum (i : id_t) P(i).l1) == 2",
                                       "g == 2",
                                       "exists (i : id_t) w[i] == v",
                                       "forall (i : id_t) not P(i).l2",
                                       "v == -1"};
    static const char *const named[] = {"P(1).l1", "not P(0).l2", "v == 2", "a[0] == 1", "(P(2).l1 and P(0).l0)"};
    str_add(out, rng_below(w->r, 4) ? PICK(w, like) : PICK(w, named));
}

// ---- the engine

typedef struct {
    verdict v;
    uint64_t states;
    bool is_reduced, is_alike, has_alike;  // all three, some of two or more
    uint32_t entries;                      // with one for a run-time error
    char reason[80];
    uint64_t transitions;
    uint32_t steps;  // of the run shown
} answer;

typedef struct {
    bool symmetry, stores_all;
    uint32_t threads;
    self_check_rate self_check;
} manner;

static answer ask(const char *text, const char *query, manner how) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    answer out = {.v = VERDICT_UNKNOWN};
    xta_options o = {.queries = &query, .nqueries = 1};
    str complaint = {0};
    if (!xta_read_text(m, "random.xta", text, strlen(text), &o, &system)) {
        diag_print(messages, &complaint, false);
        fail_msg("%s\n%s\n%s", query, str_get(&complaint), text);
    }
    instance *in = instance_new(m, system, NULL, 0);
    result *r = result_new();
    explore_options eo = {.engine = ENGINE_BYTECODE,
                          .threads = how.threads,
                          .symmetry = how.symmetry,
                          .stores_all = how.stores_all,
                          .parallel_least = 1,
                          .self_check = how.self_check,
                          .limit_states = 4000};
    prop p = {1};
    zone_run(in, &p, 1, &eo, NULL, r);
    const result_property *is = &r->properties.data[0];
    if (is->verdict == VERDICT_UNKNOWN && !strstr(is->reason, "limit") && !strstr(is->reason, "run-time") &&
        !strstr(is->reason, "one zone") && !strstr(is->reason, "larger"))
        fail_msg("%s, symmetry %d: unknown: %s\n%s", query, how.symmetry, is->reason, text);
    for (uint32_t i = 0; i < r->self_checks.len; i++)
        if (r->self_checks.data[i].failure)
            fail_msg("%s\n%s: self-check of %s: %s", text, query, r->self_checks.data[i].what,
                     r->self_checks.data[i].failure);
    const char *note = is->stats.symmetry;
    out = (answer){.v = is->verdict,
                   .states = is->stats.states,
                   .is_reduced = is->stats.is_reduced,
                   .is_alike = note && strstr(note, "P: all 3 alike"),
                   .transitions = is->stats.transitions,
                   .has_alike = note && strstr(note, "P: ") && !strstr(note, "P: no two"),
                   .entries = r->properties.len,
                   .steps = is->trace ? is->trace->steps.len : 0};
    if (is->reason) snprintf(out.reason, sizeof out.reason, "%s", is->reason);
    result_free(r);
    instance_free(in);
    model_free(m);
    diag_free(messages);
    str_free(&complaint);
    return out;
}

static uint32_t reduced, decided;

static void compare(rng *r, const char *text, const char *query) {
    self_check_rate rate = getenv("PARVIS_LONG") ? SELF_CHECK_ALL : SELF_CHECK_SAMPLE;
    manner reduces = {true, rng_below(r, 2), 1, rate}, shares = {true, reduces.stores_all, 2, SELF_CHECK_OFF};
    answer on = ask(text, query, reduces), off = ask(text, query, (manner){false, true, 1, rate});
    reduced += on.is_reduced;
    if (rng_below(r, 4) == 0) {
        answer two = ask(text, query, shares);
        if (two.v != on.v || two.states != on.states || two.transitions != on.transitions || two.steps != on.steps)
            fail_msg("%s\n%s: not the same with two threads", text, query);
    }
    if (on.v == VERDICT_UNKNOWN || off.v == VERDICT_UNKNOWN) return;
    decided++;
    if (on.v != off.v)
        fail_msg("%s\n%s: with symmetry %s, without %s", text, query, verdict_text(on.v), verdict_text(off.v));
}

static void test_verdicts(void **state) {
    rng r = {7};
    const uint32_t tries = getenv("PARVIS_LONG") ? 10 * TRIES : TRIES;
    (void)state;
    for (uint32_t i = 0; i < tries; i++) {
        writer w = {.r = &r, .has_clocks = rng_below(&r, 4) != 0, .breaks = rng_below(&r, 3) == 0};
        w.has_priorities = rng_below(&r, 5) == 0;
        str f = {0}, h = {0}, q = {0};
        put_network(&w);
        put_formula(&w, &f);
        put_formula(&w, &h);
        switch (rng_below(&r, 5)) {
        case 0: str_printf(&q, "E<> %s", str_get(&f)); break;
        case 1: str_add(&q, "A[] not deadlock"); break;
        case 2: str_printf(&q, "E[] %s", str_get(&f)); break;
        case 3: str_printf(&q, "A<> %s", str_get(&f)); break;
        default: str_printf(&q, "%s --> %s", str_get(&f), str_get(&h));
        }
        compare(&r, str_get(&w.text), str_get(&q));
        str_free(&w.text);
        str_free(&f);
        str_free(&h);
        str_free(&q);
    }
    // Most of them must be worth the comparison.
    assert_true(decided > tries * 9 / 10);
    assert_true(reduced > tries / 2);
}

// ---- two to four instances, small integers

typedef struct {
    rng *r;
    uint32_t n;        // instances
    bool has_id_ints;  // v holds ids too
    bool names_ids;    // ids are compared with constants
    bool has_clocks;
    str text;
} small;

// A number below n, after `before`.
static void put_some(small *w, const char *before, uint32_t n, const char *after) {
    str_printf(&w->text, "%s%u%s", before, rng_below(w->r, n), after);
}

static void put_small_atom(small *w) {
    switch (rng_below(w->r, w->has_clocks ? 17 : 12)) {
    case 0: put_some(w, "v == ", 3, ""); break;
    case 1: put_some(w, "v != ", 3, ""); break;
    case 2: put_some(w, "n == ", 3, ""); break;
    case 3: put_some(w, "a[me] == ", 2, ""); break;
    case 4: put_some(w, "pick(n) != ", 3, ""); break;
    case 5: str_add(&w->text, w->has_id_ints ? "v == me" : "own == t"); break;
    case 6: str_add(&w->text, w->has_id_ints ? "v != t" : "t != me"); break;
    case 7: put_some(w, w->names_ids ? "t == " : "a[t] == ", 2, ""); break;
    case 8: put_some(w, w->names_ids ? "me != " : "n != ", w->n, ""); break;
    case 9: str_add(&w->text, "t == me"); break;
    case 10: str_add(&w->text, "w[me] == t"); break;
    case 11: str_add(&w->text, "w[t] != own"); break;
    case 12: put_some(w, "x >= ", 3, ""); break;
    case 13: put_some(w, "x <= ", 3, ""); break;
    case 14: put_some(w, "z > ", 2, ""); break;
    case 15: put_some(w, "y[me] < ", 4, ""); break;
    default: str_add(&w->text, "x < 3"); break;
    }
}

static void put_small_update(small *w) {
    switch (rng_below(w->r, w->has_clocks ? 16 : 12)) {
    case 0: put_some(w, "v = ", 3, ""); break;
    case 1: str_add(&w->text, "v = (v + 1) % 3"); break;
    case 2: put_some(w, "n = ", 3, ""); break;
    case 3: put_some(w, "a[me] = ", 2, ""); break;
    case 4: str_add(&w->text, w->has_id_ints ? "v = me" : "own = t"); break;
    case 5: str_add(&w->text, w->has_id_ints ? "v = own" : "n = v"); break;
    case 6: str_add(&w->text, "t = me"); break;
    case 7: put_some(w, w->names_ids ? "t = " : "n = ", 2, ""); break;
    case 8: str_add(&w->text, "w[me] = t"); break;
    case 9: str_add(&w->text, "t = w[own]"); break;
    case 10: put_some(w, "put(me, ", 3, ")"); break;
    case 11: str_add(&w->text, "mark(t)"); break;
    case 12: str_add(&w->text, "x = 0"); break;
    case 13: str_add(&w->text, "z = 0"); break;
    case 14: str_add(&w->text, "y[me] = 0"); break;
    default: str_add(&w->text, "x = 1"); break;
    }
}

static void put_small_edge(small *w, uint32_t locations, const char *end) {
    static const char *const syncs[] = {"c!", "c?", "b!", "b?", "d[me]?", "d[t]!", "u!", "u?"};
    const char *sync = rng_below(w->r, 2) ? syncs[rng_below(w->r, 8)] : NULL;
    bool had_clocks = w->has_clocks;
    uint32_t from = rng_below(w->r, locations), to = rng_below(w->r, locations);
    str_printf(&w->text, "    l%u -> l%u {", from, to);
    if (sync && (*sync == 'u' || strcmp(sync, "b?") == 0)) w->has_clocks = false;
    if (rng_below(w->r, 3)) {
        str_add(&w->text, " guard ");
        put_small_atom(w);
        if (rng_below(w->r, 3) == 0) {
            str_add(&w->text, " && ");
            put_small_atom(w);
        }
        str_char(&w->text, ';');
    }
    w->has_clocks = had_clocks;
    if (sync) str_printf(&w->text, " sync %s;", sync);
    if (rng_below(w->r, 4)) {
        str_add(&w->text, " assign ");
        put_small_update(w);
        for (; rng_below(w->r, 2);) {
            str_add(&w->text, ", ");
            put_small_update(w);
        }
        str_char(&w->text, ';');
    }
    str_printf(&w->text, " }%s\n", end);
}

static void put_small_template(small *w, const char *name, uint32_t locations) {
    str_printf(&w->text, "process %s(const id_t me) {\nint[0, 2] n;\nid_t own = me;\nclock x;\nstate l0", name);
    for (uint32_t i = 1; i < locations; i++) {
        str_printf(&w->text, ", l%u", i);
        if (w->has_clocks && rng_below(w->r, 3) == 0)
            str_printf(&w->text, rng_below(w->r, 4) ? " { x <= %u }" : " { y[me] <= %u }", 1 + rng_below(w->r, 3));
    }
    str_add(&w->text, ";\n");
    if (rng_below(w->r, 4) == 0) str_printf(&w->text, "commit l%u;\n", 1 + rng_below(w->r, locations - 1));
    else if (rng_below(w->r, 4) == 0) str_printf(&w->text, "urgent l%u;\n", rng_below(w->r, locations));
    str_add(&w->text, "init l0;\ntrans\n");
    uint32_t edges = 2 + rng_below(w->r, 4);
    for (uint32_t i = 0; i < edges; i++) put_small_edge(w, locations, i + 1 < edges ? "," : ";");
    str_add(&w->text, "}\n");
}

static void put_small_network(small *w) {
    bool two = rng_below(w->r, 3) == 0;
    str_printf(&w->text, "typedef int[0, %u] id_t;\n", w->n - 1);
    str_printf(&w->text, "int[0, 3] v%s;\nid_t t;\nint[0, 1] a[id_t];\nid_t w[id_t];\nclock z;\nclock y[id_t];\n",
               rng_below(w->r, 3) ? "" : " = 1");
    str_add(&w->text, "chan c;\nbroadcast chan b;\nchan d[id_t];\nurgent chan u;\n"
                      "int[0, 3] pick(int[0, 3] x) { return x == 0 ? v : x; }\n"
                      "void put(id_t i, int[0, 3] x) { if (a[i] == 0) v = x; }\n"
                      "void mark(id_t i) { a[i] = 1 - a[i]; }\n");
    put_small_template(w, "P", 3);
    if (two) put_small_template(w, "Q", 2);
    str_add(&w->text, two ? "system P, Q;\n" : "system P;\n");
}

static void put_small_formula(small *w, str *out) {
    static const char *const all[] = {"forall (i : id_t) P(i).l1",
                                      "exists (i : id_t) (P(i).l2 and P(i).n == 1)",
                                      "exists (i : id_t) (P(i).l1 and t == i)",
                                      "(sum (i : id_t) P(i).l1) == 2",
                                      "v == 1",
                                      "exists (i : id_t) w[i] == t",
                                      "forall (i : id_t) not P(i).l2"};
    static const char *const some[] = {"P(0).l1", "not P(1).l2", "t == 0", "P(0).l1 and P(1).l1"};
    str_add(out, rng_below(w->r, 4) ? all[rng_below(w->r, 7)] : some[rng_below(w->r, 4)]);
    if (w->has_clocks && rng_below(w->r, 6) == 0) str_printf(out, " and z <= %u", rng_below(w->r, 3));
}

static void put_small_query(small *w, str *q) {
    str f = {0}, h = {0};
    put_small_formula(w, &f);
    put_small_formula(w, &h);
    switch (rng_below(w->r, 8)) {
    case 0: str_printf(q, "E<> %s", str_get(&f)); break;
    case 1: str_printf(q, "A[] not (%s)", str_get(&f)); break;
    case 2: str_add(q, "A[] not deadlock"); break;
    case 3: str_printf(q, "E[] %s", str_get(&f)); break;
    case 4: str_printf(q, "A<> %s", str_get(&f)); break;
    case 5: str_printf(q, "%s --> %s", str_get(&f), str_get(&h)); break;
    case 6: str_printf(q, "sup{%s}: z", str_get(&f)); break;
    default: str_printf(q, "inf{%s}: %s", str_get(&f), rng_below(w->r, 2) ? "v" : "z");
    }
    str_free(&f);
    str_free(&h);
}

// What is said of an extreme is its value.
static bool same_answer(const answer *a, const answer *b, const char *query) {
    if (a->v != b->v || a->entries != b->entries) return false;
    bool is_measure = strncmp(query, "sup", 3) == 0 || strncmp(query, "inf", 3) == 0;
    return !is_measure || strcmp(a->reason, b->reason) == 0;
}

static void test_small(void **state) {
    rng r = {23};
    const uint32_t tries = getenv("PARVIS_LONG") ? 40 * SMALL_TRIES : SMALL_TRIES;
    const self_check_rate rate = getenv("PARVIS_LONG") ? SELF_CHECK_ALL : SELF_CHECK_SAMPLE;
    uint32_t alike = 0, compared = 0;
    (void)state;
    for (uint32_t i = 0; i < tries; i++) {
        small w = {.r = &r, .n = 2 + rng_below(&r, 3), .has_clocks = rng_below(&r, 3) != 0};
        str q = {0};
        w.has_id_ints = rng_below(&r, 2);
        w.names_ids = rng_below(&r, 4) == 0;
        put_small_network(&w);
        put_small_query(&w, &q);
        answer on = ask(str_get(&w.text), str_get(&q), (manner){true, rng_below(&r, 2), 1, rate});
        answer off = ask(str_get(&w.text), str_get(&q), (manner){false, true, 1, rate});
        alike += on.is_reduced && on.has_alike;
        bool is_decided = on.v != VERDICT_UNKNOWN && off.v != VERDICT_UNKNOWN;
        compared += is_decided;
        if (is_decided && !same_answer(&on, &off, str_get(&q)))
            fail_msg("%s\n%s: with symmetry %s (%s), without %s (%s)", str_get(&w.text), str_get(&q),
                     verdict_text(on.v), on.reason, verdict_text(off.v), off.reason);
        str_free(&w.text);
        str_free(&q);
    }
    printf("# tally: timed verdicts with symmetry and without (%u networks with some) | %u cases | 0 wrong\n", alike,
           compared);
    assert_true(compared > tries * 3 / 4);
    assert_true(alike > tries / 2);
}

// ---- orbits

typedef struct {
    const instance *in;
    eval *ev;
    value *states;
    uint32_t count;
    uint32_t loc[PROCESSES], n[PROCESSES], v, a, w, k;  // cells
} brute;

static uint32_t cell_of(const brute *b, const char *name) {
    func f = model_find_func(b->in->m, b->in->system, name);
    assert_true(f.id);
    return b->in->first_cell[f.id];
}

static value *state_at(const brute *b, uint32_t i) { return b->states + (size_t)i * b->in->ncells; }

static void add_state(brute *b, const value *s) {
    size_t size = b->in->ncells * sizeof *s;
    for (uint32_t i = 0; i < b->count; i++)
        if (memcmp(state_at(b, i), s, size) == 0) return;
    assert_true(b->count < MOST_STATES);
    memcpy(state_at(b, b->count++), s, size);
}

// Locals of functions are no part of a state.
static void add_without_locals(brute *b, const value *s) {
    value *plain = calloc(b->in->ncells + 1, sizeof *plain), args[16];
    for (uint32_t i = 0; i < b->in->ncells; i++)
        if (!func_of(b->in->m, instance_cell_func(b->in, i, args))->is_scratch) plain[i] = s[i];
    add_state(b, plain);
    free(plain);
}

static bool add_initial(const value *s, void *context) {
    add_without_locals(context, s);
    return true;
}

// False: too many, or a step fails.
static bool reach(brute *b) {
    const sys_info *is = sys_of(b->in->m, b->in->system);
    value *next = calloc(b->in->ncells + 1, sizeof *next), args[16];
    bool ok = eval_initial(b->in, add_initial, b);
    for (uint32_t i = 0; i < b->count && ok && b->count < 800; i++)
        for (uint32_t k = 0; k < is->rules.len && ok; k++) {
            bool first = true;
            while (ok && eval_next_binding(b->in, is->rules.data[k], args, &first)) {
                if (!eval_enabled(b->ev, state_at(b, i), is->rules.data[k], args)) continue;
                ok = eval_fire(b->ev, state_at(b, i), is->rules.data[k], args, next);
                if (ok) add_without_locals(b, next);
            }
        }
    free(next);
    return ok && b->count < 800;
}

static value moved(const int *p, value x) { return x < 0 ? x : p[x]; }

static void permute(const brute *b, const int *p, const value *s, value *out) {
    memcpy(out, s, b->in->ncells * sizeof *s);
    for (int i = 0; i < PROCESSES; i++) {
        out[b->loc[p[i]]] = s[b->loc[i]];
        out[b->n[p[i]]] = s[b->n[i]];
        out[b->a + (uint32_t)p[i]] = s[b->a + (uint32_t)i];
        out[b->w + (uint32_t)p[i]] = moved(p, s[b->w + (uint32_t)i]);
    }
    out[b->v] = moved(p, s[b->v]);
    for (uint32_t i = 0; i < 2; i++) out[b->k + i] = moved(p, s[b->k + i]);
}

// States that no permutation makes a lesser one.
static uint32_t count_orbits(brute *b) {
    static const int perms[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    value *image = calloc(b->in->ncells + 1, sizeof *image);
    size_t size = b->in->ncells * sizeof *image;
    brute least = {.in = b->in, .states = calloc((size_t)b->count * b->in->ncells + 1, sizeof(value))};
    value *best = calloc(b->in->ncells + 1, sizeof *best);
    for (uint32_t i = 0; i < b->count; i++) {
        memcpy(best, state_at(b, i), size);
        for (int k = 0; k < 6; k++) {
            permute(b, perms[k], state_at(b, i), image);
            if (memcmp(image, best, size) < 0) memcpy(best, image, size);
        }
        add_state(&least, best);
    }
    free(image);
    free(best);
    free(least.states);
    return least.count;
}

static uint32_t expected_orbits(const char *text) {
    const char *query = "A[] true";
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    xta_options o = {.queries = &query, .nqueries = 1};
    assert_true(xta_read_text(m, "random.xta", text, strlen(text), &o, &system));
    instance *in = instance_new(m, system, NULL, 0);
    brute b = {.in = in, .ev = eval_new(in), .states = calloc((size_t)MOST_STATES * in->ncells + 1, sizeof(value))};
    for (int i = 0; i < PROCESSES; i++) {
        char name[16];
        snprintf(name, sizeof name, "P(%d)", i);
        b.loc[i] = cell_of(&b, name);
        snprintf(name, sizeof name, "P(%d).n", i);
        b.n[i] = cell_of(&b, name);
    }
    b.v = cell_of(&b, "v");
    b.a = cell_of(&b, "a");
    b.w = cell_of(&b, "w");
    b.k = cell_of(&b, "k");
    uint32_t orbits = reach(&b) ? count_orbits(&b) : 0;
    free(b.states);
    eval_free(b.ev);
    instance_free(in);
    model_free(m);
    diag_free(messages);
    return orbits;
}

static void test_orbits(void **state) {
    rng r = {11};
    uint32_t compared = 0;
    (void)state;
    for (int i = 0; i < ORBIT_TRIES; i++) {
        writer w = {.r = &r};
        put_network(&w);
        uint32_t orbits = expected_orbits(str_get(&w.text));
        manner how = {true, true, 1, SELF_CHECK_SAMPLE};
        answer is = orbits ? ask(str_get(&w.text), "A[] true", how) : (answer){0};
        compared += is.is_alike;
        if (is.is_alike && is.states != orbits)
            fail_msg("%s\n%llu representatives of %u orbits", str_get(&w.text), (unsigned long long)is.states, orbits);
        str_free(&w.text);
    }
    assert_true(compared > ORBIT_TRIES / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts), cmocka_unit_test(test_small),
                                       cmocka_unit_test(test_orbits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
