// SPDX-License-Identifier: Apache-2.0
// What is left to choose: see points.h. An order near a guessed one is tried: transactions are run in it, and where a
// read is not legal (r reads from w, and u comes between), or two writers overlap, a choice is made out of that: w
// before u, and then all that read from w before u; or the other way round. A SAT solver chooses; a cycle of what it
// chose is forbidden, with the choices that made it; then the next order is tried. Only what went wrong in some order
// becomes a choice, all over the history at once, so there are few rounds.
//
// A read that several may have written is legal if any of them comes last. If none does, who wrote it is a choice too,
// and an undecided pending transaction that is chosen has committed.
#include "history/points.h"

#include "base/map.h"
#include "base/order.h"
#include "logic/sat.h"

#include <string.h>

enum { MOST_CYCLES = 400 };  // of one round

// An edge that is there if all its literals are true; 0 is true.
typedef struct {
    uint32_t from, to;
    int lits[3];
} conditional;

typedef struct {
    VEC(int) lits;      // of the clause
    VEC(uint32_t) txs;  // it is about
} reason;

typedef struct {
    uint32_t read;   // index of reads
    uint32_t first;  // in `selected`: a literal per candidate
} chosen_read;

typedef struct {
    points *p;
    const reach *r;
    digest *d;
    sat solver;
    uint32_t base;              // edges that are known
    uint32_t *guess;            // points
    uint32_t *place;            // by point: in the order
    uint32_t *last;             // by key: last writer so far + 1
    order_groups by_writer;     // reads by their writer (n: none)
    order_groups by_candidate;  // candidate entries by transaction
    VEC(uint32_t) candidate_tx, candidate_read;
    order_groups by_tx;  // writes by transaction
    VEC(conditional) edges;
    map *pairs;              // (w, u) to a literal's variable: true is u before w
    map *made;               // (w, u, key): done
    VEC(chosen_read) reads;  // with literals
    map *read_at;            // read to index of `reads`
    VEC(int) selected;
    int *committed;  // by transaction: a literal, 0 if none yet
    VEC(reason) reasons;
    VEC(uint8_t) model;  // by variable: its value in the last solution; new ones are false
    uint32_t made_now;   // new choices of this round
} choosing;

// ---- literals

static int committed_lit(choosing *c, uint32_t tx) {
    if (c->d->writes_count[tx] == COUNTS) return 0;
    if (!c->committed[tx]) c->committed[tx] = sat_var(&c->solver);
    return c->committed[tx];
}

static bool lit_is_true(const choosing *c, int lit) {
    uint32_t v = (uint32_t)(lit < 0 ? -lit : lit);
    bool is_true = v < c->model.len && c->model.data[v];
    return lit == 0 || is_true == (lit > 0);
}

static void keep_model(choosing *c) {
    vec_clear(&c->model);
    for (int v = 0; v <= c->solver.nvars; v++) vec_push(&c->model, v && sat_value(&c->solver, v));
}

static bool writes_now(const choosing *c, uint32_t tx) {
    if (c->d->writes_count[tx] != COUNTS_MAYBE) return c->d->writes_count[tx] == COUNTS;
    return c->committed[tx] && lit_is_true(c, c->committed[tx]);
}

static bool reads_now(const choosing *c, uint32_t tx) {
    return c->d->reads_count[tx] == COUNTS || (c->d->reads_count[tx] == COUNTS_MAYBE && writes_now(c, tx));
}

// A clause with the transactions it is about, kept so that a contradiction can be explained.
static void say_clause(choosing *c, const int *lits, uint32_t n, const uint32_t *txs, uint32_t ntxs) {
    reason x = {0};
    for (uint32_t i = 0; i < n; i++) vec_push(&x.lits, lits[i]);
    for (uint32_t i = 0; i < ntxs; i++)
        if (txs[i] < c->p->n) vec_push(&x.txs, txs[i]);
    sat_clause(&c->solver, lits, n);
    vec_push(&c->reasons, x);
}

static void add_conditional(choosing *c, uint32_t from, uint32_t to, int a, int b, int e) {
    vec_push(&c->edges, (conditional){from, to, {a, b, e}});
}

// The literal that u is before w; false in a model means w before u.
static int pair_lit(choosing *c, uint32_t w, uint32_t u) {
    const uint32_t there[] = {w, u}, back[] = {u, w};
    uint32_t v = map_get(c->pairs, there, sizeof there, 0);
    if (v) return (int)v;
    v = map_get(c->pairs, back, sizeof back, 0);
    if (v) return -(int)v;
    int lit = sat_var(&c->solver);
    map_put(c->pairs, there, sizeof there, (uint32_t)lit);
    return lit;
}

// ---- making choices

static const chosen_read *choose_read_choice(const choosing *c, uint32_t read) {
    uint32_t i = map_get(c->read_at, &read, sizeof read, UINT32_MAX);
    return i == UINT32_MAX ? NULL : &c->reads.data[i];
}

// All that read the key from w are before u, if w is: `before` is that literal.
static void readers_before(choosing *c, uint32_t w, uint32_t u, uint32_t key, int before) {
    const points *p = c->p;
    int counts = committed_lit(c, u);
    for (uint32_t i = c->by_writer.first[w]; i < c->by_writer.first[w + 1]; i++) {
        const digest_read *q = &c->d->reads.data[c->by_writer.at[i]];
        if (q->key == key && q->tx != u && c->d->reads_count[q->tx] == COUNTS)
            add_conditional(c, point_read(p, q->tx), point_commit(p, u), before, counts, 0);
    }
    for (uint32_t i = c->by_candidate.first[w]; i < c->by_candidate.first[w + 1]; i++) {
        uint32_t entry = c->by_candidate.at[i], read = c->candidate_read.data[entry];
        const digest_read *q = &c->d->reads.data[read];
        const chosen_read *x = choose_read_choice(c, read);
        if (q->key != key || q->tx == u || !x) continue;
        for (uint32_t k = 0; k < q->candidates; k++)
            if (c->d->candidates.data[q->first + k] == w)
                add_conditional(c, point_read(p, q->tx), point_commit(p, u), before, counts,
                                c->selected.data[x->first + k]);
    }
}

static void make_pair(choosing *c, uint32_t w, uint32_t u, uint32_t key) {
    const uint32_t low = w < u ? w : u, high = w < u ? u : w, name[] = {low, high, key};
    if (!map_put(c->made, name, sizeof name, 1)) return;
    c->made_now++;
    int after = pair_lit(c, w, u), cw = committed_lit(c, w), cu = committed_lit(c, u);
    const points *p = c->p;
    add_conditional(c, point_commit(p, w), point_read(p, u), -after, cw, cu);
    add_conditional(c, point_commit(p, u), point_read(p, w), after, cw, cu);
    readers_before(c, w, u, key, -after);
    readers_before(c, u, w, key, after);
}

// A read gets literals for its candidates. Pairs that were made before learn of it.
static void make_read(choosing *c, uint32_t read) {
    const digest_read *q = &c->d->reads.data[read];
    VEC(int) clause = {0};
    c->made_now++;
    map_put(c->read_at, &read, sizeof read, c->reads.len);
    vec_push(&c->reads, (chosen_read){read, c->selected.len});
    VEC(uint32_t) txs = {0};
    vec_push(&txs, q->tx);
    if (c->d->reads_count[q->tx] == COUNTS_MAYBE) vec_push(&clause, -committed_lit(c, q->tx));
    for (uint32_t k = 0; k < q->candidates; k++) {
        uint32_t w = c->d->candidates.data[q->first + k];
        int lit = sat_var(&c->solver);
        vec_push(&c->selected, lit);
        vec_push(&clause, lit);
        if (w == DIGEST_INITIAL) continue;
        vec_push(&txs, w);
        add_conditional(c, point_commit(c->p, w), point_read(c->p, q->tx), lit, 0, 0);
        int counts = committed_lit(c, w);
        if (counts) say_clause(c, (int[]){-lit, counts}, 2, (uint32_t[]){w, q->tx}, 2);
    }
    say_clause(c, clause.data, clause.len, txs.data, txs.len);
    vec_free(&clause);
    vec_free(&txs);
}

// r reads from w if `lit` (0: it does), and u comes between the two in the order that was tried.
static void part_three(choosing *c, const digest_read *q, uint32_t w, uint32_t u, int lit) {
    const uint32_t name[] = {q->tx, u, q->key, (uint32_t)lit};
    const points *p = c->p;
    if (lit == 0 && w != DIGEST_INITIAL) {
        make_pair(c, w, u, q->key);
        return;
    }
    if (!map_put(c->made, name, sizeof name, 1)) return;
    c->made_now++;
    int counts = committed_lit(c, u);
    if (w == DIGEST_INITIAL) {
        add_conditional(c, point_read(p, q->tx), point_commit(p, u), lit, counts, 0);
        return;
    }
    make_pair(c, w, u, q->key);
    add_conditional(c, point_read(p, q->tx), point_commit(p, u), -pair_lit(c, w, u), counts, lit);
}

// ---- trying an order

static bool is_among_candidates(const choosing *c, const digest_read *q, uint32_t w) {
    for (uint32_t k = 0; k < q->candidates; k++)
        if (c->d->candidates.data[q->first + k] == w) return true;
    return false;
}

static void mend_open_read(choosing *c, uint32_t read, uint32_t last) {
    const digest_read *q = &c->d->reads.data[read];
    uint32_t writer = last ? last - 1 : DIGEST_INITIAL;
    if (is_among_candidates(c, q, writer)) return;
    const chosen_read *x = choose_read_choice(c, read);
    if (!x) {
        make_read(c, read);
        return;
    }
    for (uint32_t k = 0; k < q->candidates && last; k++) {
        int lit = c->selected.data[x->first + k];
        if (lit_is_true(c, lit)) part_three(c, q, c->d->candidates.data[q->first + k], writer, lit);
    }
}

static void try_reads(choosing *c, uint32_t tx) {
    const digest *d = c->d;
    if (!reads_now(c, tx)) return;
    for (uint32_t i = d->tx_first[tx]; i < d->tx_first[tx + 1]; i++) {
        const digest_read *q = &d->reads.data[i];
        uint32_t last = c->last[q->key];
        if (q->writer == DIGEST_OPEN || d->reads_count[tx] == COUNTS_MAYBE) mend_open_read(c, i, last);
        else if (last && last - 1 != q->writer) part_three(c, q, q->writer, last - 1, 0);
    }
}

// At snapshot levels nobody else may have committed a write of the key since the snapshot.
static void try_writes(choosing *c, uint32_t tx) {
    const points *p = c->p;
    if (!writes_now(c, tx)) return;
    for (uint32_t i = c->by_tx.first[tx]; i < c->by_tx.first[tx + 1]; i++) {
        uint32_t key = c->d->writes.data[c->by_tx.at[i]].key, last = c->last[key];
        if (p->shift && last && c->place[point_commit(p, last - 1)] > c->place[point_read(p, tx)])
            make_pair(c, last - 1, tx, key);
        c->last[key] = tx + 1;
    }
}

// How many choices the order taught.
static uint32_t choose_try_order(choosing *c) {
    const points *p = c->p;
    memset(c->last, 0, ((size_t)names_count(&c->d->h->keys) + 1) * sizeof *c->last);
    for (uint32_t i = 0; i < p->npoints; i++) c->place[p->order[i]] = i;
    c->made_now = 0;
    for (uint32_t i = 0; i < p->npoints; i++) {
        uint32_t v = p->order[i];
        if (point_is_time(p, v)) continue;
        if (v == point_read(p, point_tx(p, v))) try_reads(c, point_tx(p, v));
        if (v == point_commit(p, point_tx(p, v))) try_writes(c, point_tx(p, v));
    }
    return c->made_now;
}

// ---- cycles

static void forbid_cycle(choosing *c, const point_list *cycle) {
    VEC(int) clause = {0};
    VEC(uint32_t) txs = {0};
    for (uint32_t i = 0; i < cycle->len; i++) {
        const edge *e = &c->p->edges.data[cycle->data[i]];
        if (!point_is_time(c->p, e->from)) vec_push(&txs, point_tx(c->p, e->from));
        if (!point_is_time(c->p, e->to)) vec_push(&txs, point_tx(c->p, e->to));
        if (cycle->data[i] < c->base) continue;
        const conditional *x = &c->edges.data[e->read];
        for (uint32_t k = 0; k < 3; k++)
            if (x->lits[k]) vec_push(&clause, -x->lits[k]);
    }
    say_clause(c, clause.data, clause.len, txs.data, txs.len);
    vec_free(&clause);
    vec_free(&txs);
}

// In each component the shortest cycles through edges that were chosen, until all of them are in one that was
// forbidden.
static void forbid_cycles(choosing *c, const point_list *cyclic) {
    points *p = c->p;
    uint32_t *within = mem_zero((size_t)p->npoints + 1, sizeof *within), mark = 0, found = 0;
    uint8_t *covered = mem_zero((size_t)p->edges.len + 1, 1);
    point_list cycle = {0};
    for (uint32_t i = 0; i < cyclic->len; i += cyclic->data[i] + 1) {
        mark++;
        for (uint32_t k = 1; k <= cyclic->data[i]; k++) within[cyclic->data[i + k]] = mark;
    }
    for (uint32_t e = c->base; e < p->edges.len; e++) {
        uint32_t m = within[p->edges.data[e].from];
        if (!m || m != within[p->edges.data[e].to] || covered[e] || (found >= MOST_CYCLES && found >= mark)) continue;
        cycles_through(p, e, within, m, &cycle);
        if (!cycle.len) continue;
        for (uint32_t k = 0; k < cycle.len; k++) covered[cycle.data[k]] = 1;
        forbid_cycle(c, &cycle);
        found++;
    }
    free(within);
    free(covered);
    vec_free(&cycle);
}

static void put_chosen_edges(choosing *c) {
    points *p = c->p;
    p->edges.len = c->base;
    for (uint32_t i = 0; i < c->edges.len; i++) {
        const conditional *x = &c->edges.data[i];
        if (lit_is_true(c, x->lits[0]) && lit_is_true(c, x->lits[1]) && lit_is_true(c, x->lits[2]))
            points_edge(p, x->from, x->to, EDGE_CHOSEN, i);
    }
}

// ---- a contradiction: the clauses that already have it

static void suspect_core(choosing *c, point_list *suspects) {
    sat again;
    sat_init(&again, c->p->stop);
    for (int v = 2; v <= c->solver.nvars; v++) sat_var(&again);
    VEC(int) switches = {0};
    for (uint32_t i = 0; i < c->reasons.len; i++) {
        VEC(int) clause = {0};
        int s = sat_var(&again);
        vec_push(&switches, s);
        vec_push(&clause, -s);
        for (uint32_t k = 0; k < c->reasons.data[i].lits.len; k++) vec_push(&clause, c->reasons.data[i].lits.data[k]);
        sat_clause(&again, clause.data, clause.len);
        vec_free(&clause);
    }
    for (uint32_t i = 0; i < switches.len; i++) sat_assume(&again, switches.data[i]);
    bool is_no = sat_solve(&again, 0) == SAT_NO;
    map *seen = map_new();
    for (uint32_t i = 0; is_no && i < c->reasons.len; i++) {
        if (!sat_in_core(&again, switches.data[i])) continue;
        for (uint32_t k = 0; k < c->reasons.data[i].txs.len; k++) {
            uint32_t tx = c->reasons.data[i].txs.data[k];
            if (map_put(seen, &tx, sizeof tx, 0)) vec_push(suspects, tx);
        }
    }
    map_free(seen);
    vec_free(&switches);
    sat_done(&again);
}

// ---- the guess

typedef struct {
    uint64_t time;
    uint32_t point;
} guessed;

static int compare_guesses(const void *a, const void *b) {
    const guessed *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

// Where a transaction may take effect: one that writes, during its commit; any other, where it began.
static uint64_t guess_time(const choosing *c, uint32_t point) {
    const points *p = c->p;
    const recorded_tx *txs = c->d->h->txs.data;
    if (point_is_time(p, point)) return txs[p->time_first[point - (p->n << p->shift)]].begins - 1;
    uint32_t tx = point_tx(p, point);
    const recorded_tx *x = &txs[tx];
    bool writes = c->by_tx.first[tx] < c->by_tx.first[tx + 1] && x->commits != RECORDED_NEVER;
    if (!writes || (p->shift && point == point_read(p, tx))) return x->begins;
    return x->ends == RECORDED_NEVER ? x->commits : x->commits + (x->ends - x->commits) / 2;
}

static void make_guess(choosing *c) {
    const points *p = c->p;
    c->guess = mem_alloc(((size_t)p->npoints + 1) * sizeof *c->guess);
    if (!c->d->h->has_times) {
        memcpy(c->guess, p->order, (size_t)p->npoints * sizeof *c->guess);
        return;
    }
    guessed *all = mem_alloc(((size_t)p->npoints + 1) * sizeof *all);
    for (uint32_t v = 0; v < p->npoints; v++) all[v] = (guessed){guess_time(c, v), v};
    qsort(all, p->npoints, sizeof *all, compare_guesses);
    for (uint32_t i = 0; i < p->npoints; i++) c->guess[i] = all[i].point;
    free(all);
}

// ---- all of it

static void index_candidates(choosing *c) {
    const digest *d = c->d;
    uint32_t *writers = mem_alloc(((size_t)d->reads.len + 1) * sizeof *writers);
    for (uint32_t i = 0; i < d->reads.len; i++) {
        const digest_read *q = &d->reads.data[i];
        bool is_open = q->writer == DIGEST_OPEN || d->reads_count[q->tx] == COUNTS_MAYBE;
        writers[i] = is_open || q->writer == DIGEST_INITIAL ? c->p->n : q->writer;
        for (uint32_t k = 0; is_open && k < q->candidates; k++) {
            uint32_t w = d->candidates.data[q->first + k];
            if (w == DIGEST_INITIAL) continue;
            vec_push(&c->candidate_tx, w);
            vec_push(&c->candidate_read, i);
        }
    }
    c->by_writer = order_group(writers, sizeof *writers, 0, d->reads.len, c->p->n + 1);
    c->by_candidate = order_group(c->candidate_tx.data, sizeof(uint32_t), 0, c->candidate_tx.len, c->p->n + 1);
    c->by_tx = order_group_by(&d->writes, tx, c->p->n + 1);
    free(writers);
}

// A pending transaction whose element is not in a list that was read comes after the list, if it has committed.
static void add_list_conditionals(choosing *c) {
    const digest *d = c->d;
    for (uint32_t i = 0; i < d->list_order.len; i += 2) {
        uint32_t from = d->list_order.data[i], to = d->list_order.data[i + 1];
        if (d->writes_count[to] == COUNTS_MAYBE)
            add_conditional(c, point_commit(c->p, from), point_read(c->p, to), committed_lit(c, to), 0, 0);
    }
}

static void choosing_begin(choosing *c, points *p, const reach *r) {
    *c = (choosing){.p = p, .r = r, .d = p->d, .base = p->edges.len};
    c->place = mem_alloc(((size_t)p->npoints + 1) * sizeof *c->place);
    c->last = mem_alloc(((size_t)names_count(&p->d->h->keys) + 1) * sizeof *c->last);
    c->pairs = map_new();
    c->made = map_new();
    c->read_at = map_new();
    c->committed = mem_zero((size_t)p->n + 1, sizeof *c->committed);
    index_candidates(c);
    make_guess(c);
    sat_init(&c->solver, p->stop);
    add_list_conditionals(c);
}

static void choosing_end(choosing *c) {
    c->p->edges.len = c->base;
    sat_done(&c->solver);
    free(c->guess);
    free(c->place);
    free(c->last);
    order_groups_free(&c->by_writer);
    order_groups_free(&c->by_candidate);
    order_groups_free(&c->by_tx);
    vec_free(&c->candidate_tx);
    vec_free(&c->candidate_read);
    vec_free(&c->edges);
    vec_free(&c->reads);
    vec_free(&c->selected);
    vec_free(&c->model);
    for (uint32_t i = 0; i < c->reasons.len; i++) {
        vec_free(&c->reasons.data[i].lits);
        vec_free(&c->reasons.data[i].txs);
    }
    vec_free(&c->reasons);
    map_free(c->pairs);
    map_free(c->made);
    map_free(c->read_at);
    free(c->committed);
}

// Tries one order: true if it is good, else what it taught was given to the solver.
static bool choose_round(choosing *c) {
    point_list cyclic = {0};
    put_chosen_edges(c);
    uint32_t cycles = cycles_sort(c->p, c->guess, &cyclic);
    if (cycles) forbid_cycles(c, &cyclic);
    bool is_done = !cycles && !choose_try_order(c);
    vec_free(&cyclic);
    return is_done;
}

choose_answer choose(points *p, const reach *r, uint8_t *committed, point_list *suspects) {
    choosing c;
    choosing_begin(&c, p, r);
    choose_answer answer = CHOOSE_STOPPED;
    while (!limits_met(p->stop)) {
        if (choose_round(&c)) {
            answer = CHOOSE_YES;
            break;
        }
        sat_answer s = sat_solve(&c.solver, 0);
        if (s == SAT_YES) {
            keep_model(&c);
            continue;
        }
        if (s == SAT_NO) suspect_core(&c, suspects);
        if (s == SAT_NO) answer = CHOOSE_NO;
        break;
    }
    for (uint32_t t = 0; answer == CHOOSE_YES && t < p->n; t++) committed[t] = writes_now(&c, t);
    choosing_end(&c);
    return answer;
}
