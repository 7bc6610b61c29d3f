// SPDX-License-Identifier: Apache-2.0
// Broadcasts whose receivers have clock guards, against the same network without broadcasts. There the sender asks one
// receiver after the other, in committed locations, which of its edges it takes (or that none of them can be taken: one
// condition of each fails), then lets all update, then lets all move. Random networks are written in both ways; what is
// reachable in the first, by the engine, must be what the region graph of the second says.
#include "base/rng.h"
#include "base/str.h"
#include "oracle/part.h"
#include "oracle/region.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <string.h>

enum { RECEIVERS = 2, LOCATIONS = 3, MOST_EDGES = 4, MOST_CONDITIONS = 2, QUERIES = 6, REGIONS = 30000 };

typedef struct {
    const char *left;
    int op, right;
} condition;

typedef struct {
    int from, to;
    bool listens, sends;
    condition conditions[MOST_CONDITIONS];
    int nconditions;
    int adds;         // to n; 0: nothing
    const char *set;  // a clock that becomes 0; NULL: none
} edge;

typedef struct {
    edge edges[MOST_EDGES];
    int nedges;
    int invariant[LOCATIONS];  // of the process' clock; -1: none
    bool is_urgent[LOCATIONS];
} automaton;

typedef struct {
    rng r;
    automaton sender, receivers[RECEIVERS];
} network;

static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="}, *const opposites[] = {
                                                                         ">=", ">", "<=", "<", "!=", "=="};
static const char *const clocks[] = {"x", "y"};

static int below(network *w, int n) { return (int)rng_below(&w->r, (uint32_t)n); }

// ---- random networks

static condition random_condition(network *w) {
    if (below(w, 4) == 0) return (condition){"n", 4 + below(w, 2), below(w, 3)};
    return (condition){clocks[below(w, 2)], below(w, 4), below(w, 4)};
}

static void random_automaton(network *w, automaton *a, bool is_sender) {
    for (int i = 0; i < LOCATIONS; i++) {
        a->invariant[i] = below(w, 3) ? -1 : 1 + below(w, 3);
        a->is_urgent[i] = below(w, 12) == 0;
    }
    a->nedges = 2 + below(w, MOST_EDGES - 1);
    for (int i = 0; i < a->nedges; i++) {
        edge *e = &a->edges[i];
        *e = (edge){.from = i == 0 ? 0 : below(w, LOCATIONS), .to = below(w, LOCATIONS)};
        e->sends = is_sender && (i == 0 || below(w, 2));
        e->listens = !is_sender && (i == 0 || below(w, 3));
        e->nconditions = below(w, MOST_CONDITIONS + 1);
        for (int k = 0; k < e->nconditions; k++) e->conditions[k] = random_condition(w);
        e->adds = below(w, 3);
        e->set = below(w, 2) ? clocks[below(w, 2)] : NULL;
    }
}

// ---- text

static void conditions_text(const edge *e, const char *more, str *out) {
    const char *before = "guard ";
    for (int k = 0; k < e->nconditions; k++, before = " && ")
        str_printf(out, "%s%s %s %d", before, e->conditions[k].left, ops[e->conditions[k].op], e->conditions[k].right);
    if (more) str_printf(out, "%s%s", before, more);
    if (more || e->nconditions) str_add(out, "; ");
}

static void updates_text(const edge *e, const char *more, str *out) {
    const char *before = "assign ";
    if (e->adds) {
        str_printf(out, "%sn = (n * 2 + %d) %% 3", before, e->adds);
        before = ", ";
    }
    if (e->set) {
        str_printf(out, "%s%s = 0", before, e->set);
        before = ", ";
    }
    if (more) str_printf(out, "%s%s", before, more);
    if (more || e->adds || e->set) str_add(out, "; ");
}

static void states_text(const automaton *a, const char *clock, const char *more, str *out) {
    str_add(out, "  state ");
    for (int i = 0; i < LOCATIONS; i++) {
        str_printf(out, "%sl%d", i ? ", " : "", i);
        if (a->invariant[i] >= 0) str_printf(out, " { %s <= %d }", clock, a->invariant[i]);
    }
    str_printf(out, "%s;\n", more);
}

static void urgent_text(const automaton *a, str *out) {
    const char *before = "  urgent ";
    for (int i = 0; i < LOCATIONS; i++)
        if (a->is_urgent[i]) str_printf(out, "%sl%d", before, i), before = ", ";
    if (*before == ',') str_add(out, ";\n");
}

static void plain_edge(const edge *e, const char *sync, const char *separator, str *out) {
    str_printf(out, "%sl%d -> l%d { ", separator, e->from, e->to);
    conditions_text(e, NULL, out);
    str_add(out, sync);
    updates_text(e, NULL, out);
    str_add(out, "}");
}

static void native_process(const automaton *a, const char *name, const char *clock, str *out) {
    str_printf(out, "process %s() {\n", name);
    states_text(a, clock, "", out);
    urgent_text(a, out);
    str_add(out, "  init l0;\n  trans ");
    for (int i = 0; i < a->nedges; i++) {
        const edge *e = &a->edges[i];
        plain_edge(e, e->sends ? "sync b!; " : e->listens ? "sync b?; " : "", i ? ",\n    " : "", out);
    }
    str_add(out, ";\n}\n");
}

static const char globals[] = "clock x, y; int[0,2] n; int[0,1] busy; broadcast chan b;\n";

static void native_text(const network *w, str *out) {
    str_add(out, globals);
    native_process(&w->sender, "S", "x", out);
    for (int i = 0; i < RECEIVERS; i++) native_process(&w->receivers[i], i ? "R1" : "R0", i ? "y" : "x", out);
    str_add(out, "system R0, S, R1;\n");
}

// Through committed locations, one after the other, back to a location.
static void sender_chain(const edge *e, int number, str *out) {
    static const char *const syncs[] = {"ask0!", "ask1!", NULL, "update0!", "update1!", "move0!", "move1!"};
    const int last = sizeof syncs / sizeof *syncs;
    str_printf(out, "l%d -> c%d_0 { ", e->from, number);
    conditions_text(e, NULL, out);
    str_add(out, "assign busy = 1; }");
    for (int i = 0; i < last; i++) {
        str_printf(out, ",\n    c%d_%d -> c%d_%d { ", number, i, number, i + 1);
        if (syncs[i]) str_printf(out, "sync %s; ", syncs[i]);
        else updates_text(e, NULL, out);
        str_add(out, "}");
    }
    str_printf(out, ",\n    c%d_%d -> l%d { assign busy = 0; }", number, last, e->to);
}

static void asked_sender(const automaton *a, str *out) {
    str more = {0}, committed = {0};
    for (int i = 0; i < a->nedges; i++)
        for (int k = 0; a->edges[i].sends && k <= 7; k++) {
            str_printf(&more, ", c%d_%d", i, k);
            str_printf(&committed, "%sc%d_%d", committed.len ? ", " : "", i, k);
        }
    str_add(out, "process S() {\n");
    states_text(a, "x", str_get(&more), out);
    str_printf(out, "  commit %s;\n", str_get(&committed));
    urgent_text(a, out);
    str_add(out, "  init l0;\n  trans ");
    for (int i = 0; i < a->nedges; i++) {
        if (i) str_add(out, ",\n    ");
        if (a->edges[i].sends) sender_chain(&a->edges[i], i, out);
        else plain_edge(&a->edges[i], "", "", out);
    }
    str_add(out, ";\n}\n");
    str_free(&more);
    str_free(&committed);
}

// Every way in which no listening edge of the location can be taken: of each, one condition fails.
static void refusals(const automaton *a, int who, int location, int from, const char *so_far, str *out) {
    while (from < a->nedges && (!a->edges[from].listens || a->edges[from].from != location)) from++;
    if (from == a->nedges) {
        str_printf(out, ",\n    l%d -> l%d { %s%s%ssync ask%d?; assign chosen%d = 0; }", location, location,
                   *so_far ? "guard " : "", so_far, *so_far ? "; " : "", who, who);
        return;
    }
    const edge *e = &a->edges[from];
    for (int k = 0; k < e->nconditions; k++) {
        str more = {0};
        str_printf(&more, "%s%s%s %s %d", so_far, *so_far ? " && " : "", e->conditions[k].left,
                   opposites[e->conditions[k].op], e->conditions[k].right);
        refusals(a, who, location, from + 1, str_get(&more), out);
        str_free(&more);
    }
}

static void asked_edge(const edge *e, int who, int number, str *out) {
    str is = {0};
    str_printf(out, "l%d -> l%d { ", e->from, e->from);
    conditions_text(e, NULL, out);
    str_printf(out, "sync ask%d?; assign chosen%d = %d; },\n    ", who, who, number);
    str_printf(&is, "chosen%d == %d", who, number);
    str_printf(out, "l%d -> l%d { guard %s; sync update%d?; ", e->from, e->from, str_get(&is), who);
    updates_text(e, NULL, out);
    str_printf(out, "},\n    l%d -> l%d { guard %s; sync move%d?; assign chosen%d = 0; }", e->from, e->to, str_get(&is),
               who, who);
    str_free(&is);
}

static void asked_receiver(const automaton *a, int who, str *out) {
    str_printf(out, "process R%d() {\n", who);
    states_text(a, who ? "y" : "x", "", out);
    urgent_text(a, out);
    str_add(out, "  init l0;\n  trans ");
    for (int i = 0; i < a->nedges; i++) {
        if (i) str_add(out, ",\n    ");
        if (a->edges[i].listens) asked_edge(&a->edges[i], who, i + 1, out);
        else plain_edge(&a->edges[i], "", "", out);
    }
    for (int l = 0; l < LOCATIONS; l++) {
        refusals(a, who, l, 0, "", out);
        str_printf(out, ",\n    l%d -> l%d { guard chosen%d == 0; sync update%d?; }", l, l, who, who);
        str_printf(out, ",\n    l%d -> l%d { guard chosen%d == 0; sync move%d?; }", l, l, who, who);
    }
    str_add(out, ";\n}\n");
}

static void asked_text(const network *w, str *out) {
    str_add(out, globals);
    for (int i = 0; i < RECEIVERS; i++)
        str_printf(out, "chan ask%d, update%d, move%d; int[0,%d] chosen%d;\n", i, i, i, MOST_EDGES, i);
    asked_sender(&w->sender, out);
    for (int i = 0; i < RECEIVERS; i++) asked_receiver(&w->receivers[i], i, out);
    str_add(out, "system R0, S, R1;\n");
}

static const char *random_query(network *w, arena *memory) {
    static const char *const names[] = {"S", "R0", "R1"};
    const char *where = "E<> busy == 0";
    for (int i = 0; i < 3; i++)
        if (below(w, 2)) where = arena_printf(memory, "%s and %s.l%d", where, names[i], below(w, LOCATIONS));
    if (below(w, 2)) where = arena_printf(memory, "%s and n == %d", where, below(w, 3));
    if (below(w, 2))
        where = arena_printf(memory, "%s and %s %s %d", where, clocks[below(w, 2)], ops[below(w, 4)], below(w, 4));
    return where;
}

// ---- compared

typedef struct {
    uint32_t asked, found, left_out, wrong;
} tally;

// Without symmetry broadcasts are taken apart.
static verdict decide(const region_reading *x, prop p, bool symmetry) {
    result *r = result_new();
    explore_options o = {.engine = ENGINE_BYTECODE,
                         .threads = 1,
                         .symmetry = symmetry ? SYMMETRY_EXACT : SYMMETRY_OFF,
                         .taken_apart = symmetry ? SPACE_APART : SPACE_ALL_APART,
                         .limit_states = 100000};
    zone_run(x->in, &p, 1, &o, NULL, r);
    verdict v = r->properties.len == 1 ? r->properties.data[0].verdict : VERDICT_UNKNOWN;
    result_free(r);
    return v;
}

static void compare(const region_reading *native, const region_reading *asked, const char *const *queries, tally *t,
                    const str *text) {
    for (uint32_t i = 0; i < QUERIES; i++) {
        prop p = {i + 1};
        bool is_found = region_ask(asked->g, p, false).is_found, is_same = true;
        is_same &= region_ask(native->g, p, false).is_found == is_found;
        is_same &= decide(native, p, true) == (is_found ? VERDICT_HOLDS : VERDICT_VIOLATED);
        is_same &= decide(native, p, false) == (is_found ? VERDICT_HOLDS : VERDICT_VIOLATED);
        t->asked++;
        t->found += is_found;
        t->wrong += !is_same;
        if (!is_same && t->wrong < 3)
            printf("# %s\n# asked one by one: %d, regions: %d, zones: %s\n%s\n", queries[i], is_found,
                   region_ask(native->g, p, false).is_found, verdict_text(decide(native, p, true)), str_get(text));
    }
}

static bool is_usable(const region_reading *x) {
    region_facts f = region_facts_of(x->g);
    return f.is_supported && f.is_complete && f.has_start;
}

static void try_network(uint64_t seed, tally *t) {
    network w = {.r = {seed}};
    arena *memory = arena_new();
    const char *queries[QUERIES];
    str a = {0}, b = {0};
    region_reading native, asked;
    region_options far = {.most = REGIONS};
    random_automaton(&w, &w.sender, true);
    for (int i = 0; i < RECEIVERS; i++) random_automaton(&w, &w.receivers[i], false);
    native_text(&w, &a);
    asked_text(&w, &b);
    for (uint32_t i = 0; i < QUERIES; i++) queries[i] = random_query(&w, memory);
    bool ok = region_read(str_get(&a), queries, QUERIES, &far, &native);
    bool ok_too = region_read(str_get(&b), queries, QUERIES, &far, &asked);
    if (!ok || !ok_too) {
        str said = {0};
        diag_print(ok ? asked.messages : native.messages, &said, false);
        fail_msg("%s\n%s", str_get(ok ? &b : &a), str_get(&said));
    }
    if (is_usable(&native) && is_usable(&asked)) compare(&native, &asked, queries, t, &a);
    else t->left_out++;
    region_close(&native);
    region_close(&asked);
    str_free(&a);
    str_free(&b);
    arena_free(memory);
}

static void test_broadcast(void **state) {
    (void)state;
    tally t = {0};
    const uint64_t wanted = part_rounds(3000, 60000);
    for (uint64_t i = part_seed(0); t.asked < wanted && t.wrong < 3; i++) try_network(i, &t);
    printf("# %u queries, %u of them with a run, %u networks left out\n", t.asked, t.found, t.left_out);
    printf("# tally: broadcasts with clock guards of receivers | %u cases | %u wrong\n", t.asked, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.found > t.asked / 10 && t.found < t.asked * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broadcast)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
