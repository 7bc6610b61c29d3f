// SPDX-License-Identifier: Apache-2.0
// The regions of a network, and what holds of its runs: see automata.h.
#include "base/map.h"
#include "base/vec.h"
#include "oracle/automata.h"

#include <stdlib.h>
#include <string.h>

enum { HEARD = 1, URGENT = 2, URGENT_HEARD = 3, PLAIN_OF = 4, HEARD_OF = 5 };

// A clock beyond the largest constant has that and one more as its whole part, and rank 0.
typedef struct {
    int8_t loc[AUTO_PROCESSES], a[AUTO_IDS], v, owner;
    int8_t whole[AUTO_CLOCKS], rank[AUTO_CLOCKS];  // ranks of fractions; 0: none
} spot;

typedef struct {
    uint32_t to;
    bool is_idle;
} arc;

typedef struct {
    VEC(arc) arcs;
    uint32_t later;  // what time leads to; NOBODY: nothing, itself: for ever
    bool is_dead;    // no step now or later
} node;

enum { NOBODY = UINT32_MAX, MOST_STEPS = 300 };

struct auto_graph {
    const auto_network *n;
    int processes, clocks;
    uint32_t most;
    bool is_large;  // a point has more steps than can be tried
    map *found;
    const auto_query *bounds;  // formulas hold past its bound on time, or do not, as that is of no interest; or NULL
    VEC(spot) spots;
    VEC(node) nodes;
};

// Who takes part in a step: a process with an edge, and what it selected.
typedef struct {
    int process, select;
    const auto_edge *edge;
} part;

typedef struct {
    spot to;
    bool is_idle;
    int level, rank;
} outcome;

typedef struct {
    auto_graph *g;
    const spot *from;
    bool has_committed;
    part parts[AUTO_PROCESSES];
    int nparts;
    uint32_t taken;
    VEC(outcome) outcomes;
} stepper;

// ---- what there is

static bool is_single(const auto_network *n, int p) { return n->many_last ? p == 0 : p == n->ids; }
static int id_of(const auto_network *n, int p) { return n->many_last ? p - 1 : p; }
static int process_of(const auto_network *n, int id) { return n->many_last ? id + 1 : id; }
static int single_of(const auto_network *n) { return n->many_last ? 0 : n->ids; }

static const auto_template *template_of(const auto_network *n, int p) { return &n->templates[is_single(n, p)]; }

static int index_of(const auto_network *n, const spot *s, auto_index i, int p, int select) {
    switch (i.by) {
    case BY_ME: return id_of(n, p);
    case BY_SELECT: return select;
    case BY_OWNER: return s->owner;
    default: return i.is;
    }
}

// g, then y of each id, then x of each id, then x of the single one.
static int x_of(const auto_network *n, int p) {
    int first = 1 + (n->has_y ? n->ids : 0);
    if (!is_single(n, p)) return first + id_of(n, p);
    return first + (n->templates[0].has_x ? n->ids : 0);
}

static int clock_of(const auto_network *n, const spot *s, auto_clock c, int p, int select) {
    if (c.kind == CLOCK_G) return 0;
    if (c.kind == CLOCK_Y) return 1 + index_of(n, s, c.index, p, select);
    return x_of(n, p < 0 ? process_of(n, c.index.is) : p);
}

// ---- conditions

static bool compare(int cmp, int op) {
    switch (op) {
    case 0: return cmp < 0;
    case 1: return cmp <= 0;
    case 2: return cmp == 0;
    case 3: return cmp >= 0;
    case 4: return cmp > 0;
    default: return cmp != 0;
    }
}

static bool clock_is(const spot *s, int clock, int op, int k) {
    int cmp = s->whole[clock] < k ? -1 : s->whole[clock] > k ? 1 : s->rank[clock] > 0;
    return compare(cmp, op);
}

static bool every_clock(const auto_graph *g, const spot *s, const auto_term *e) {
    for (int i = 0; i < g->n->ids; i++)
        if (!clock_is(s, 1 + i, e->op, e->is)) return false;
    return true;
}

static bool all_at(const auto_graph *g, const spot *s, const auto_term *e) {
    int there = 0;
    for (int i = 0; i < g->n->ids; i++) there += s->loc[process_of(g->n, i)] == e->is;
    return e->kind == TERM_ALL_AT ? there == g->n->ids : there > 0;
}

static bool every_a(const auto_graph *g, const spot *s, int k) {
    for (int i = 0; i < g->n->ids; i++)
        if (s->a[i] != k) return false;
    return true;
}

static bool is_at(const auto_graph *g, const spot *s, const auto_term *e) {
    return s->loc[e->other == g->n->ids ? single_of(g->n) : process_of(g->n, e->other)] == e->is;
}

static bool data_holds(const auto_graph *g, const spot *s, const auto_term *e, int p, int select) {
    int i = index_of(g->n, s, e->index, p, select);
    switch (e->kind) {
    case TERM_V: return compare(s->v - e->is, e->op);
    case TERM_A: return compare(s->a[i] - e->is, e->op);
    case TERM_OWNER: return compare(s->owner - i, e->op);
    case TERM_EVERY_A: return every_a(g, s, e->is);
    case TERM_ODD: return (s->v % 2 == 1) == (e->op == 2);
    case TERM_AT: return is_at(g, s, e);
    default: return all_at(g, s, e);
    }
}

// `p` < 0: in a formula.
static bool term_holds(const auto_graph *g, const spot *s, const auto_term *e, int p, int select) {
    if (e->kind == TERM_EVERY_CLOCK) return every_clock(g, s, e);
    if (e->kind > TERM_NOT_CLOCK) return data_holds(g, s, e, p, select);
    bool is = clock_is(s, clock_of(g->n, s, e->clock, p, select), e->op, e->is);
    switch (e->kind) {
    case TERM_IF_CLOCK: return s->v != e->other || is;
    case TERM_OR_CLOCK: return s->v == e->other || is;
    case TERM_NOT_CLOCK: return !is;
    default: return is;
    }
}

static bool is_possible(const auto_graph *g, const spot *s) {
    for (int p = 0; p < g->processes; p++) {
        const auto_template *t = template_of(g->n, p);
        if (t->has_invariant[s->loc[p]] && !term_holds(g, s, &t->invariants[s->loc[p]], p, 0)) return false;
    }
    return true;
}

static bool guards_hold(const auto_graph *g, const spot *s, part who) {
    for (int i = 0; i < who.edge->nterms; i++)
        if (!term_holds(g, s, &who.edge->terms[i], who.process, who.select)) return false;
    return true;
}

// ---- clocks

// Ranks without gaps.
static void normal(const auto_graph *g, spot *s) {
    for (int rank = 1, next; rank <= g->clocks; rank++) {
        next = 0;
        for (int c = 0; c < g->clocks; c++)
            if (s->rank[c] >= rank && (!next || s->rank[c] < next)) next = s->rank[c];
        for (int c = 0; c < g->clocks; c++)
            if (next && s->rank[c] == next) s->rank[c] = (int8_t)rank;
    }
}

static void set_clock(const auto_graph *g, spot *s, int clock, int k) {
    s->whole[clock] = (int8_t)(k > g->n->largest ? g->n->largest + 1 : k);
    s->rank[clock] = 0;
}

static bool is_beyond(const auto_graph *g, const spot *s, int c) { return s->whole[c] > g->n->largest; }

// Clocks without a fraction get the least one; if there are none, those with the largest reach the next number.
static void pass(const auto_graph *g, spot *s) {
    int most = 0;
    bool starts = false;
    for (int c = 0; c < g->clocks; c++) {
        starts |= !is_beyond(g, s, c) && !s->rank[c];
        most = s->rank[c] > most ? s->rank[c] : most;
    }
    for (int c = 0; c < g->clocks; c++) {
        if (is_beyond(g, s, c)) continue;
        if (!starts) {
            if (s->rank[c] == most) set_clock(g, s, c, s->whole[c] + 1);
        } else if (!s->rank[c] && s->whole[c] == g->n->largest) {
            set_clock(g, s, c, s->whole[c] + 1);
        } else {
            s->rank[c]++;
        }
    }
    normal(g, s);
}

// ---- updates

static bool touch(const auto_graph *g, spot *s, int i) {
    set_clock(g, s, g->n->has_y ? 1 + i : 0, 0);
    s->v = (int8_t)((s->v + 1) % 4);
    return true;
}

static bool branch(const auto_graph *g, spot *s, int i) {
    if (s->a[i] == 1) set_clock(g, s, g->n->has_y ? 1 + i : 0, 0);
    else set_clock(g, s, 0, 1);
    s->a[i] ^= 1;
    return true;
}

static bool sweep(const auto_graph *g, spot *s) {
    bool sets = false;
    for (int i = 0; i < g->n->ids; i++) {
        if (s->a[i] == 0) {
            set_clock(g, s, g->n->has_y ? 1 + i : 0, 0);
            sets = true;
        } else {
            s->owner = (int8_t)i;
        }
    }
    return sets;
}

// Whether it sets a clock.
static bool update(const auto_graph *g, spot *s, const auto_set *u, int p, int select) {
    int i = index_of(g->n, s, u->index, p, select);
    switch (u->kind) {
    case SET_V: s->v = (int8_t)u->is; return false;
    case SET_V_NEXT: s->v = (int8_t)((s->v + 1) % 4); return false;
    case SET_OWNER: s->owner = (int8_t)i; return false;
    case SET_A: s->a[i] = (int8_t)u->is; return false;
    case SET_A_FLIP: s->a[i] ^= 1; return false;
    case SET_BY_CALL: return touch(g, s, i);
    case SET_BY_BRANCH: return branch(g, s, i);
    case SET_BY_LOOP: return sweep(g, s);
    default: set_clock(g, s, clock_of(g->n, s, u->clock, p, select), u->kind == SET_CLOCK ? u->is : s->v); return true;
    }
}

// ---- steps

static bool takes_part_committed(const stepper *w) {
    for (int i = 0; i < w->nparts; i++)
        if (template_of(w->g->n, w->parts[i].process)->is_committed[w->parts[i].edge->from]) return true;
    return false;
}

static int rank_of(const stepper *w) {
    int rank = 0;
    for (int i = 0; i < w->nparts; i++)
        if (w->g->n->has_ranks && is_single(w->g->n, w->parts[i].process) != w->g->n->many_rank_higher) rank = 1;
    return rank;
}

static void take(stepper *w) {
    const auto_edge *first = w->parts[0].edge;
    int channel = first->sends ? first->channel : AUTO_CHANNELS;
    outcome o = {*w->from, false, w->g->n->level[channel], rank_of(w)};
    bool sets = false;
    w->g->is_large |= ++w->taken > MOST_STEPS;
    if (w->g->is_large || (w->has_committed && !takes_part_committed(w))) return;
    for (int i = 0; i < w->nparts; i++) {
        const part *who = &w->parts[i];
        for (int k = 0; k < who->edge->nsets; k++)
            sets |= update(w->g, &o.to, &who->edge->sets[k], who->process, who->select);
        o.to.loc[who->process] = (int8_t)who->edge->to;
    }
    normal(w->g, &o.to);
    o.is_idle = !sets && memcmp(&o.to, w->from, sizeof o.to) == 0;
    if (is_possible(w->g, &o.to)) vec_push(&w->outcomes, o);
}

static bool hears(const stepper *w, part who, const auto_edge *sent, int index) {
    const auto_edge *e = who.edge;
    if (!e->hears || e->channel != sent->channel || e->from != w->from->loc[who.process]) return false;
    if (e->channel >= PLAIN_OF && index_of(w->g->n, w->from, e->index, who.process, who.select) != index) return false;
    return guards_hold(w->g, w->from, who);
}

static int selects(const auto_graph *g, const auto_edge *e) { return e->has_select ? g->n->ids : 1; }

// Every choice of every process from `p` on that can hear the first part.
static void broadcast(stepper *w, int p, int index) {
    const auto_template *t = template_of(w->g->n, p);
    bool nobody = !w->g->is_large;
    if (p == w->g->processes) {
        take(w);
        return;
    }
    for (int i = 0; p != w->parts[0].process && i < t->nedges && !w->g->is_large; i++)
        for (int s = 0; s < selects(w->g, &t->edges[i]); s++) {
            part who = {p, s, &t->edges[i]};
            if (!hears(w, who, w->parts[0].edge, index)) continue;
            nobody = false;
            w->parts[w->nparts++] = who;
            broadcast(w, p + 1, index);
            w->nparts--;
        }
    if (nobody) broadcast(w, p + 1, index);
}

static void meet(stepper *w, int index) {
    for (int p = 0; p < w->g->processes; p++) {
        const auto_template *t = template_of(w->g->n, p);
        for (int i = 0; p != w->parts[0].process && i < t->nedges; i++)
            for (int s = 0; s < selects(w->g, &t->edges[i]); s++) {
                part who = {p, s, &t->edges[i]};
                if (!hears(w, who, w->parts[0].edge, index)) continue;
                w->parts[1] = who;
                w->nparts = 2;
                take(w);
            }
    }
}

static void start(stepper *w, part first) {
    const auto_edge *e = first.edge;
    int index = index_of(w->g->n, w->from, e->index, first.process, first.select);
    if (e->from != w->from->loc[first.process] || e->hears || !guards_hold(w->g, w->from, first)) return;
    w->parts[0] = first;
    w->nparts = 1;
    if (!e->sends) take(w);
    else if (e->channel == HEARD || e->channel == URGENT_HEARD || e->channel == HEARD_OF) broadcast(w, 0, index);
    else meet(w, index);
}

static void all_starts(stepper *w) {
    for (int p = 0; p < w->g->processes; p++) {
        const auto_template *t = template_of(w->g->n, p);
        for (int i = 0; i < t->nedges; i++)
            for (int s = 0; s < selects(w->g, &t->edges[i]); s++) start(w, (part){p, s, &t->edges[i]});
    }
}

static bool is_lower(const outcome *a, const outcome *b) {
    return a->level < b->level || (a->level == b->level && a->rank < b->rank);
}

// ---- time

static bool has_mark(const auto_graph *g, const spot *s, bool urgent) {
    for (int p = 0; p < g->processes; p++) {
        const auto_template *t = template_of(g->n, p);
        if (urgent ? t->is_urgent[s->loc[p]] : t->is_committed[s->loc[p]]) return true;
    }
    return false;
}

// Can two meet on the urgent channel, or one speak on the other? What their step leads to does not matter.
static bool is_urged(auto_graph *g, const spot *s) {
    stepper w = {.g = g, .from = s};
    for (int p = 0; p < g->processes; p++) {
        const auto_template *t = template_of(g->n, p);
        for (int i = 0; i < t->nedges; i++)
            for (int k = 0; k < selects(g, &t->edges[i]); k++) {
                part first = {p, k, &t->edges[i]};
                if (!first.edge->sends || first.edge->from != s->loc[p] || !guards_hold(g, s, first)) continue;
                if (first.edge->channel == URGENT_HEARD) return true;
                if (first.edge->channel != URGENT) continue;
                for (int q = 0; q < g->processes; q++) {
                    const auto_template *u = template_of(g->n, q);
                    for (int j = 0; q != p && j < u->nedges; j++)
                        for (int m = 0; m < selects(g, &u->edges[j]); m++)
                            if (hears(&w, (part){q, m, &u->edges[j]}, first.edge, 0)) return true;
                }
            }
    }
    return false;
}

// ---- the graph

static uint32_t find(auto_graph *g, const spot *s) {
    uint32_t at = map_get(g->found, s, sizeof *s, NOBODY);
    if (at != NOBODY) return at;
    at = g->spots.len;
    map_put(g->found, s, sizeof *s, at);
    vec_push(&g->spots, *s);
    vec_push(&g->nodes, (node){.later = NOBODY});
    return at;
}

static void put_time(auto_graph *g, uint32_t at) {
    spot s = g->spots.data[at];
    if (has_mark(g, &s, true) || has_mark(g, &s, false) || is_urged(g, &s)) return;
    pass(g, &s);
    if (is_possible(g, &s)) {
        uint32_t to = find(g, &s);
        g->nodes.data[at].later = to;
    }
}

static void put_steps(auto_graph *g, uint32_t at) {
    spot s = g->spots.data[at];
    stepper w = {.g = g, .from = &s, .has_committed = has_mark(g, &s, false)};
    outcome best = {.level = -1};
    all_starts(&w);
    for (uint32_t i = 0; i < w.outcomes.len; i++)
        if (is_lower(&best, &w.outcomes.data[i])) best = w.outcomes.data[i];
    for (uint32_t i = 0; i < w.outcomes.len; i++) {
        const outcome *o = &w.outcomes.data[i];
        if (is_lower(o, &best)) continue;
        arc a = {find(g, &o->to), o->is_idle};
        vec_push(&g->nodes.data[at].arcs, a);
    }
    vec_free(&w.outcomes);
}

static bool is_dead(const auto_graph *g, uint32_t at) {
    for (;;) {
        const node *x = &g->nodes.data[at];
        if (x->arcs.len) return false;
        if (x->later == NOBODY || x->later == at) return true;
        at = x->later;
    }
}

static auto_graph *new_graph(const auto_network *n, int more_clocks, uint32_t most) {
    auto_graph *g = mem_zero(1, sizeof *g);
    g->n = n;
    g->most = most;
    g->processes = n->ids + 1;
    g->clocks = 1 + (n->has_y ? n->ids : 0) + (n->templates[0].has_x ? n->ids : 0) + n->templates[1].has_x;
    g->clocks += more_clocks;
    g->found = map_new();
    return g;
}

// From the points that are there on. False: there are too many.
static bool explore(auto_graph *g) {
    for (uint32_t at = 0; at < g->nodes.len && g->nodes.len <= g->most && !g->is_large; at++) {
        put_time(g, at);
        put_steps(g, at);
    }
    for (uint32_t at = 0; at < g->nodes.len; at++) g->nodes.data[at].is_dead = is_dead(g, at);
    return g->nodes.len <= g->most && !g->is_large;
}

auto_graph *auto_explore(const auto_network *n, uint32_t most) {
    auto_graph *g = new_graph(n, 0, most);
    spot s;
    memset(&s, 0, sizeof s);
    if (is_possible(g, &s)) find(g, &s);
    if (g->nodes.len && explore(g)) return g;
    auto_free(g);
    return NULL;
}

uint32_t auto_regions(const auto_graph *g) { return g->nodes.len; }

void auto_free(auto_graph *g) {
    for (uint32_t i = 0; i < g->nodes.len; i++) vec_free(&g->nodes.data[i].arcs);
    vec_free(&g->nodes);
    vec_free(&g->spots);
    map_free(g->found);
    free(g);
}

// ---- queries

static bool is_late(const auto_graph *g, uint32_t at) {
    const auto_query *q = g->bounds;
    return q && !clock_is(&g->spots.data[at], g->clocks - 1, q->is_strict ? 0 : 1, q->bound);
}

static bool meets(const auto_graph *g, uint32_t at, const auto_formula *f) {
    if (is_late(g, at)) return g->bounds->kind == AUTO_ALWAYS || g->bounds->kind == AUTO_STAYS;
    bool is = !f->is_or;
    for (int i = 0; i < f->nterms; i++) {
        const auto_term *e = &f->terms[i];
        bool one = e->kind == TERM_DEADLOCK ? g->nodes.data[at].is_dead : term_holds(g, &g->spots.data[at], e, -1, 0);
        is = f->is_or ? is || one : is && one;
    }
    return is != f->is_not;
}

// Is there a way on within what is kept, or does a run end here?
static bool goes_on(const auto_graph *g, uint32_t at, const bool *kept, bool counts_idle) {
    const node *x = &g->nodes.data[at];
    bool ends = x->later == NOBODY;
    if (x->later != NOBODY && kept[x->later]) return true;
    for (uint32_t i = 0; i < x->arcs.len; i++) {
        if (x->arcs.data[i].is_idle && !counts_idle) continue;
        ends = false;
        if (kept[x->arcs.data[i].to]) return true;
    }
    return ends;
}

// The greatest set of points with a maximal run within the formula (or outside it).
static bool *staying(const auto_graph *g, const auto_formula *f, bool outside, bool counts_idle) {
    bool *kept = mem_zero(g->nodes.len, sizeof *kept), changed = true;
    for (uint32_t i = 0; i < g->nodes.len; i++) kept[i] = meets(g, i, f) != outside;
    while (changed) {
        changed = false;
        for (uint32_t i = g->nodes.len; i-- > 0;)
            if (kept[i] && !goes_on(g, i, kept, counts_idle)) {
                kept[i] = false;
                changed = true;
            }
    }
    return kept;
}

static bool is_somewhere(const auto_graph *g, const auto_formula *f, bool is, const bool *within) {
    for (uint32_t i = 0; i < g->nodes.len; i++)
        if (meets(g, i, f) == is && (!within || within[i])) return true;
    return false;
}

static bool holds(const auto_graph *g, const auto_query *q, bool counts_idle) {
    bool is, outside = q->kind != AUTO_STAYS;
    if (q->kind == AUTO_SOME) return is_somewhere(g, &q->p, true, NULL);
    if (q->kind == AUTO_ALWAYS) return !is_somewhere(g, &q->p, false, NULL);
    bool *kept = staying(g, q->kind == AUTO_LEADS ? &q->q : &q->p, outside, counts_idle);
    if (q->kind == AUTO_LEADS) is = !is_somewhere(g, &q->p, true, kept);
    else is = kept[0] != outside;
    free(kept);
    return is;
}

// One clock more counts from the points that the bound counts from; past it, everything is as the query wants it. Those
// points come first.
static bool ask_bounded(const auto_graph *g, const auto_query *q, bool counts_idle, bool *is) {
    auto_graph *timed = new_graph(g->n, 1, 4 * g->most);
    for (uint32_t i = 0; i < (q->kind == AUTO_LEADS ? g->nodes.len : 1); i++)
        if (q->kind != AUTO_LEADS || meets(g, i, &q->p)) find(timed, &g->spots.data[i]);
    uint32_t starts = timed->nodes.len;
    bool ok = explore(timed);
    timed->bounds = q;
    if (ok && q->kind != AUTO_LEADS) *is = holds(timed, q, counts_idle);
    if (ok && q->kind == AUTO_LEADS) {
        bool *kept = staying(timed, &q->q, true, counts_idle);
        *is = true;
        for (uint32_t i = 0; i < starts; i++) *is &= !kept[i];
        free(kept);
    }
    auto_free(timed);
    return ok;
}

bool auto_ask(const auto_graph *g, const auto_query *q, bool counts_idle, bool *is) {
    if (q->is_bounded) return ask_bounded(g, q, counts_idle, is);
    *is = holds(g, q, counts_idle);
    return true;
}
