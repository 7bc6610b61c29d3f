// SPDX-License-Identifier: Apache-2.0
// Zone verdicts against the region graph: random networks of two small automata are written as XTA text for
// the engine and explored region by region here, straight from the definition (integer parts and the order of
// fractions). All kinds of queries are compared; runs that the engine shows were replayed by it.
#include "base/rng.h"
#include "front/xta/xta.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <string.h>

enum { PROCESSES = 2, LOCATIONS = 3, EDGES = 5, CLOCKS = 2, LARGEST = 2, VALUES = 3, TRIES = 5000 };

typedef enum { OP_LT, OP_LE, OP_EQ, OP_GE, OP_GT, OP_NONE } op;
typedef enum { CHAN_NONE, CHAN_A, CHAN_U, CHAN_B, CHANNELS } chan;  // binary, urgent, broadcast

typedef struct {
    int from, to;
    op ops[CLOCKS];
    int bounds[CLOCKS];
    int needs, sets;  // of the variable; -1: nothing
    bool resets[CLOCKS];
    int values[CLOCKS];
    chan c;
    bool send;
} edge;

typedef struct {
    int kind[LOCATIONS];  // 0 normal, 1 urgent, 2 committed
    op ops[LOCATIONS];    // of the invariant: OP_LT, OP_LE or OP_NONE
    int clock[LOCATIONS], bound[LOCATIONS];
    edge edges[EDGES];
    int nedges;
} automaton;

typedef struct {
    automaton p[PROCESSES];
    int chan_level[CHANNELS];  // priorities; CHAN_NONE: the default
    int process_level[PROCESSES];
} network;

// ---- random networks

static edge random_edge(rng *r) {
    edge e = {.from = (int)rng_below(r, LOCATIONS), .to = (int)rng_below(r, LOCATIONS), .needs = -1, .sets = -1};
    e.c = rng_below(r, 2) ? CHAN_NONE : (chan)rng_below(r, 4);
    e.send = rng_below(r, 2);
    bool may_guard = e.c == CHAN_NONE || e.c == CHAN_A || (e.c == CHAN_B && e.send);
    for (int c = 0; c < CLOCKS; c++) {
        e.ops[c] = may_guard && rng_below(r, 2) ? (op)rng_below(r, 5) : OP_NONE;
        e.bounds[c] = (int)rng_below(r, LARGEST + 1);
        e.resets[c] = rng_below(r, 3) == 0;
        e.values[c] = rng_below(r, 4) ? 0 : 1;
    }
    if (rng_below(r, 3) == 0) e.needs = (int)rng_below(r, VALUES);
    if (rng_below(r, 3) == 0) e.sets = (int)rng_below(r, VALUES);
    return e;
}

static network random_network(rng *r) {
    network n = {0};
    for (int i = 0; i < PROCESSES; i++) {
        automaton *a = &n.p[i];
        for (int l = 0; l < LOCATIONS; l++) {
            uint32_t k = rng_below(r, 8);
            a->kind[l] = k == 0 ? 1 : k == 1 ? 2 : 0;
            a->ops[l] = rng_below(r, 2) ? (op)rng_below(r, 2) : OP_NONE;
            a->clock[l] = (int)rng_below(r, CLOCKS);
            a->bound[l] = 1 + (int)rng_below(r, LARGEST);
        }
        a->nedges = 2 + (int)rng_below(r, EDGES - 1);
        for (int e = 0; e < a->nedges; e++) a->edges[e] = random_edge(r);
    }
    bool ranks_channels = rng_below(r, 3) == 0, ranks_processes = rng_below(r, 3) == 0;
    for (int c = 0; ranks_channels && c < CHANNELS; c++) n.chan_level[c] = (int)rng_below(r, 3);
    if (ranks_processes) n.process_level[rng_below(r, 2)] = 1;
    return n;
}

// ---- as text

static const char *const op_text[] = {"<", "<=", "==", ">=", ">"};

static void print_edge(const edge *e, bool last, str *out) {
    str_printf(out, "    l%d -> l%d {", e->from, e->to);
    const char *sep = " guard ";
    for (int c = 0; c < CLOCKS; c++)
        if (e->ops[c] != OP_NONE) {
            str_printf(out, "%sx%d %s %d", sep, c, op_text[e->ops[c]], e->bounds[c]);
            sep = " && ";
        }
    if (e->needs >= 0) {
        str_printf(out, "%sv == %d", sep, e->needs);
        sep = " && ";
    }
    if (sep[1] == '&') str_add(out, ";");
    if (e->c) str_printf(out, " sync %c%s;", "aub"[e->c - 1], e -> send ? "!" : "?");
    sep = " assign ";
    if (e->sets >= 0) {
        str_printf(out, "%sv = %d", sep, e->sets);
        sep = ", ";
    }
    for (int c = 0; c < CLOCKS; c++)
        if (e->resets[c]) {
            str_printf(out, "%sx%d = %d", sep, c, e->values[c]);
            sep = ", ";
        }
    str_printf(out, "%s }%s\n", sep[1] == ' ' ? ";" : "", last ? ";" : ",");
}

static void print_marks(const automaton *a, const char *word, int kind, str *out) {
    const char *sep = word;
    for (int l = 0; l < LOCATIONS; l++)
        if (a->kind[l] == kind) {
            str_printf(out, "%s l%d", sep, l);
            sep = ",";
        }
    if (sep != word) str_add(out, ";\n");
}

static void print_priorities(const network *n, str *out) {
    static const char *const names[] = {"default", "a", "u", "b"};
    const char *sep = "chan priority ";
    for (int level = 0; level < 3; level++) {
        for (int c = 0; c < CHANNELS; c++)
            if (n->chan_level[c] == level) {
                str_printf(out, "%s%s", sep, names[c]);
                sep = ", ";
            }
        if (sep[0] == ',') sep = " < ";
    }
    str_add(out, ";\n");
}

static void print_network(const network *n, str *out) {
    str_printf(out, "int[0,%d] v;\nclock x0, x1;\nchan a; urgent chan u; broadcast chan b;\n", VALUES - 1);
    print_priorities(n, out);
    for (int i = 0; i < PROCESSES; i++) {
        const automaton *a = &n->p[i];
        str_printf(out, "process P%d() {\nstate ", i);
        for (int l = 0; l < LOCATIONS; l++) {
            str_printf(out, "%sl%d", l ? ", " : "", l);
            if (a->ops[l] != OP_NONE) str_printf(out, " { x%d %s %d }", a->clock[l], op_text[a->ops[l]], a->bound[l]);
        }
        str_add(out, ";\n");
        print_marks(a, "commit", 2, out);
        print_marks(a, "urgent", 1, out);
        str_add(out, "init l0;\ntrans\n");
        for (int e = 0; e < a->nedges; e++) print_edge(&a->edges[e], e + 1 == a->nedges, out);
        str_add(out, "}\n");
    }
    int low = n->process_level[0] > n->process_level[1];
    bool same = n->process_level[0] == n->process_level[1];
    str_printf(out, "system P%d%s P%d;\n", low, same ? "," : " <", 1 - low);
}

// ---- regions

typedef struct {
    int8_t loc[PROCESSES], v;
    int8_t whole[CLOCKS];  // LARGEST + 1: beyond
    int8_t rank[CLOCKS];   // of the fraction: 0 is zero; only their order counts
} node;

enum { MOST = 9 * VALUES * (LARGEST + 2) * (LARGEST + 2) * 9 + 1, MOST_OUT = 40 };

typedef struct {
    const network *n;
    node nodes[MOST];
    int count;
    int out[MOST][MOST_OUT], nout[MOST];  // steps
    bool stutter[MOST][MOST_OUT];
    node to[MOST_OUT];   // of the node being explored: where its steps lead
    int rank[MOST_OUT];  // and their priorities
    int later[MOST];     // the next region in time; -1: time may not pass; itself: for ever
    int8_t memo[MOST];
    bool counts_idle;  // steps that change nothing are steps of a run
} regions;

static void normalise(node *s) {
    for (int c = 0; c < CLOCKS; c++)
        if (s->whole[c] > LARGEST || (s->whole[c] == LARGEST && s->rank[c] > 0)) {
            s->whole[c] = LARGEST + 1;
            s->rank[c] = 0;
        }
    int8_t a = s->rank[0], b = s->rank[1];
    if (a && b) {
        s->rank[0] = a > b ? 2 : 1;
        s->rank[1] = b > a ? 2 : 1;
    } else {
        s->rank[0] = a > 0;
        s->rank[1] = b > 0;
    }
}

static bool compares(const node *s, int c, op o, int k) {
    int w = s->whole[c];
    bool beyond = w > LARGEST, exact = !beyond && s->rank[c] == 0;
    switch (o) {
    case OP_LT: return !beyond && w < k;
    case OP_LE: return !beyond && (w < k || (w == k && exact));
    case OP_EQ: return w == k && exact;
    case OP_GE: return beyond || w >= k;
    case OP_GT: return beyond || w > k || (w == k && !exact);
    case OP_NONE: break;
    }
    return true;
}

static bool invariant(const network *n, const node *s) {
    for (int i = 0; i < PROCESSES; i++) {
        int l = s->loc[i];
        if (!compares(s, n->p[i].clock[l], n->p[i].ops[l], n->p[i].bound[l])) return false;
    }
    return true;
}

static bool enabled(const node *s, int i, const edge *e) {
    if (s->loc[i] != e->from || (e->needs >= 0 && s->v != e->needs)) return false;
    for (int c = 0; c < CLOCKS; c++)
        if (!compares(s, c, e->ops[c], e->bounds[c])) return false;
    return true;
}

static void apply(node *s, int i, const edge *e) {
    s->loc[i] = (int8_t)e->to;
    if (e->sets >= 0) s->v = (int8_t)e->sets;
    for (int c = 0; c < CLOCKS; c++)
        if (e->resets[c]) {
            s->whole[c] = (int8_t)e->values[c];
            s->rank[c] = 0;
        }
}

static bool any_kind(const network *n, const node *s, int kind) {
    for (int i = 0; i < PROCESSES; i++)
        if (n->p[i].kind[(int)s->loc[i]] == kind) return true;
    return false;
}

static int find(regions *g, node s) {
    for (int i = 0; i < g->count; i++)
        if (memcmp(&g->nodes[i], &s, sizeof s) == 0) return i;
    assert_true(g->count < MOST);
    g->nodes[g->count] = s;
    g->nout[g->count] = -1;
    return g->count++;
}

static void add_out(regions *g, int from, node to, bool priority, bool stutter, int rank) {
    const node *s = &g->nodes[from];
    normalise(&to);
    if (any_kind(g->n, s, 2) && !priority) return;
    if (!invariant(g->n, &to)) return;
    int n = g->nout[from]++;
    assert_true(n < MOST_OUT);
    g->stutter[from][n] = stutter;
    g->rank[n] = rank;
    g->to[n] = to;
}

static bool is_idle(const edge *e) { return !e->resets[0] && !e->resets[1]; }

static bool same_discrete(const node *a, const node *b) {
    return memcmp(a->loc, b->loc, sizeof a->loc) == 0 && a->v == b->v;
}

static bool leaves_committed(const network *n, const node *s, int i) { return n->p[i].kind[(int)s->loc[i]] == 2; }

// Channels count first, then the higher of the processes.
static int rank_of(const network *n, const edge *e, int i, int other) {
    int a = n->process_level[i], b = n->process_level[other];
    return n->chan_level[e->c] * 10 + (a > b ? a : b);
}

// Only the steps of the highest priority are possible.
static void keep_highest(regions *g, int from) {
    int highest = 0, kept = 0;
    for (int k = 0; k < g->nout[from]; k++)
        if (g->rank[k] > highest) highest = g->rank[k];
    for (int k = 0; k < g->nout[from]; k++) {
        if (g->rank[k] < highest) continue;
        g->out[from][kept] = find(g, g->to[k]);
        g->stutter[from][kept++] = g->stutter[from][k];
    }
    g->nout[from] = kept;
}

// With broadcast every enabled receiver joins; a process has at most one edge of these enabled per choice.
static void steps_of(regions *g, int from, int i, const edge *e) {
    const network *n = g->n;
    node s = g->nodes[from];
    int other = 1 - i;
    if (!enabled(&s, i, e) || (e->c && !e->send)) return;
    bool priority = leaves_committed(n, &s, i);
    bool met = false;
    for (int k = 0; e->c && k < n->p[other].nedges; k++) {
        const edge *f = &n->p[other].edges[k];
        if (f->c != e->c || f->send || !enabled(&s, other, f)) continue;
        node to = s;
        met = true;
        apply(&to, i, e);
        apply(&to, other, f);
        add_out(g, from, to, priority || leaves_committed(n, &s, other),
                same_discrete(&s, &to) && is_idle(e) && is_idle(f), rank_of(n, e, i, other));
    }
    if (e->c == CHAN_NONE || (e->c == CHAN_B && !met)) {
        node to = s;
        apply(&to, i, e);
        add_out(g, from, to, priority, same_discrete(&s, &to) && is_idle(e), rank_of(n, e, i, i));
    }
}

static bool urgent_enabled(const network *n, const node *s) {
    for (int i = 0; i < PROCESSES; i++)
        for (int a = 0; a < n->p[i].nedges; a++)
            for (int b = 0; b < n->p[1 - i].nedges; b++) {
                const edge *e = &n->p[i].edges[a], *f = &n->p[1 - i].edges[b];
                if (e->c == CHAN_U && f->c == CHAN_U && e->send && !f->send && enabled(s, i, e) && enabled(s, 1 - i, f))
                    return true;
            }
    return false;
}

static int time_after(regions *g, int from) {
    node s = g->nodes[from];
    bool zero = false, all_beyond = true;
    if (any_kind(g->n, &s, 1) || any_kind(g->n, &s, 2) || urgent_enabled(g->n, &s)) return -1;
    for (int c = 0; c < CLOCKS; c++) {
        all_beyond &= s.whole[c] > LARGEST;
        zero |= s.whole[c] <= LARGEST && s.rank[c] == 0;
    }
    if (all_beyond) return from;
    if (zero) {
        for (int c = 0; c < CLOCKS; c++)
            if (s.whole[c] <= LARGEST) s.rank[c]++;
    } else {
        int8_t top = s.rank[0] > s.rank[1] ? s.rank[0] : s.rank[1];
        for (int c = 0; c < CLOCKS; c++)
            if (s.whole[c] <= LARGEST && s.rank[c] == top) {
                s.whole[c]++;
                s.rank[c] = 0;
            }
    }
    normalise(&s);
    return invariant(g->n, &s) ? find(g, s) : -1;
}

static void explore(regions *g, const network *n) {
    node start = {0};
    g->n = n;
    g->count = 0;
    if (!invariant(n, &start)) return;
    find(g, start);
    for (int i = 0; i < g->count; i++) {
        g->nout[i] = 0;
        for (int p = 0; p < PROCESSES; p++)
            for (int e = 0; e < n->p[p].nedges; e++) steps_of(g, i, p, &n->p[p].edges[e]);
        keep_highest(g, i);
        g->later[i] = time_after(g, i);
    }
}

static bool is_dead(const regions *g, int i) {
    for (;; i = g->later[i]) {
        if (g->nout[i]) return false;
        if (g->later[i] < 0 || g->later[i] == i) return true;
    }
}

// ---- formulas: locations of both processes and the variable, as a set

typedef struct {
    uint32_t bits;  // loc0 * 9 + loc1 * 3 + v
} formula;

static bool holds(formula f, const node *s) { return f.bits >> (s->loc[0] * 9 + s->loc[1] * 3 + s->v) & 1; }

// Can a maximal run from i stay within f? memo: 0 unknown, 1 on the path, 2 no.
static bool stays(regions *g, formula f, int i) {
    if (!holds(f, &g->nodes[i]) || g->memo[i] == 2) return false;
    if (g->memo[i] == 1) return true;
    bool real = false;
    g->memo[i] = 1;
    if (g->later[i] == i) return true;
    for (int k = 0; k < g->nout[i]; k++) {
        if (g->stutter[i][k] && !g->counts_idle) continue;
        real = true;
        if (stays(g, f, g->out[i][k])) return true;
    }
    if (g->later[i] >= 0) {
        if (stays(g, f, g->later[i])) return true;
    } else if (!real) return true;
    g->memo[i] = 2;
    return false;
}

static bool keeps(regions *g, formula f, int from) {
    for (int i = 0; i < g->count; i++)
        if (g->memo[i] == 1) g->memo[i] = 0;
    return stays(g, f, from);
}

static formula random_formula(rng *r, str *text) {
    int p = (int)rng_below(r, 2), l = (int)rng_below(r, LOCATIONS), v = (int)rng_below(r, VALUES);
    uint32_t kind = rng_below(r, 3);
    formula f = {0};
    for (int k = 0; k < 27; k++) {
        int loc = p == 0 ? k / 9 : k / 3 % 3;
        bool at = loc == l, is = k % 3 == v;
        if (kind == 0 ? at : kind == 1 ? !at : at && !is) f.bits |= 1u << k;
    }
    if (kind == 0) str_printf(text, "P%d.l%d", p, l);
    else if (kind == 1) str_printf(text, "not P%d.l%d", p, l);
    else str_printf(text, "(P%d.l%d and v != %d)", p, l, v);
    return f;
}

static formula negated(formula f) { return (formula){~f.bits}; }

// ---- the comparison

typedef struct {
    const char *query;
    bool expected;
} question;

static bool expect_reach(const regions *g, formula f) {
    for (int i = 0; i < g->count; i++)
        if (holds(f, &g->nodes[i])) return true;
    return false;
}

static bool expect_dead(const regions *g) {
    for (int i = 0; i < g->count; i++)
        if (is_dead(g, i)) return true;
    return false;
}

static bool expect_leads(regions *g, formula p, formula q) {
    memset(g->memo, 0, sizeof g->memo);
    for (int i = 0; i < g->count; i++)
        if (holds(p, &g->nodes[i]) && keeps(g, negated(q), i)) return false;
    return true;
}

static bool ask_engine(const char *text, const char *query, bool counts_idle, str *complaint) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    xta_options o = {.queries = &query, .nqueries = 1};
    bool ok = xta_read_text(m, "random.xta", text, strlen(text), &o, &system), yes = false;
    if (ok) {
        instance *in = instance_new(m, system, NULL, 0);
        result *r = result_new();
        explore_options eo = {.engine = ENGINE_BYTECODE,
                              .threads = 1,
                              .counts_idle = counts_idle,
                              .self_check = SELF_CHECK_OFF,
                              .stores_all = strlen(text) % 2};
        prop p = {1};
        zone_run(in, &p, 1, &eo, NULL, r);
        yes = r->properties.data[0].verdict == VERDICT_HOLDS;
        if (r->properties.data[0].verdict == VERDICT_UNKNOWN) str_add(complaint, r->properties.data[0].reason);
        result_free(r);
        instance_free(in);
    } else diag_print(messages, complaint, false);
    model_free(m);
    diag_free(messages);
    return yes;
}

static void compare(const char *text, const char *query, bool counts_idle, bool expected) {
    str complaint = {0};
    bool yes = ask_engine(text, query, counts_idle, &complaint);
    if (complaint.len || yes != expected)
        fail_msg("%s\n%s: engine %d, regions %d, idle steps %d %s", text, query, yes, expected, counts_idle,
                 str_get(&complaint));
    str_free(&complaint);
}

static void compare_liveness(regions *g, const char *text, formula p, const char *f, formula t, const char *h) {
    str q = {0};
    memset(g->memo, 0, sizeof g->memo);
    str_printf(&q, "E[] %s", f);
    compare(text, str_get(&q), g->counts_idle, keeps(g, p, 0));
    memset(g->memo, 0, sizeof g->memo);
    str_clear(&q);
    str_printf(&q, "A<> %s", f);
    compare(text, str_get(&q), g->counts_idle, !keeps(g, negated(p), 0));
    str_clear(&q);
    str_printf(&q, "%s --> %s", f, h);
    compare(text, str_get(&q), g->counts_idle, expect_leads(g, p, t));
    str_free(&q);
}

static void test_random_networks(void **state) {
    rng r = {20};
    regions *g = mem_zero(1, sizeof *g);
    (void)state;
    for (int k = 0; k < TRIES; k++) {
        network n = random_network(&r);
        str text = {0}, f = {0}, h = {0}, q = {0};
        explore(g, &n);
        if (g->count) {
            print_network(&n, &text);
            formula p = random_formula(&r, &f), t = random_formula(&r, &h);
            str_printf(&q, "E<> %s", str_get(&f));
            compare(str_get(&text), str_get(&q), false, expect_reach(g, p));
            compare(str_get(&text), "A[] not deadlock", false, !expect_dead(g));
            g->counts_idle = k % 2;
            compare_liveness(g, str_get(&text), p, str_get(&f), t, str_get(&h));
        }
        str_free(&text);
        str_free(&f);
        str_free(&h);
        str_free(&q);
    }
    free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_networks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
