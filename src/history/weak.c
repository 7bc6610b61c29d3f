// SPDX-License-Identifier: Apache-2.0
// Causal, read atomic and read committed (Biswas and Enea, OOPSLA 2019). When it is known who wrote what was read, the
// edges that the order must contain are known too: t2 before t1 wherever t3 reads a key from t1 that t2 writes as well,
// and t3 sees t2. There is an order iff these, sessions and read-from have no cycle. Where several may have written
// what was read, a SAT solver chooses; the choices that made a cycle are forbidden; and so on.
#include "history/weak.h"

#include "base/map.h"
#include "base/order.h"
#include "logic/sat.h"

#include <string.h>

typedef struct {
    points *p;
    reach r;
    order_groups by_tx;  // writes by transaction
} weighing;

// t2 is seen by the reader of q, if need be through another of its reads, and writes its key. Nothing is before the
// initial state: that is told by an edge to t2, which makes a cycle with the one by which it is seen.
static void must_be_before(weighing *x, uint32_t read, uint32_t t2, uint32_t also) {
    const digest_read *q = &x->p->d->reads.data[read];
    if (t2 == q->writer || t2 == q->tx) return;
    if (q->writer == DIGEST_INITIAL) points_edge(x->p, q->tx, t2, EDGE_AFTER, read);
    else points_edge(x->p, t2, q->writer, EDGE_BEFORE, read);
    vec_last(&x->p->edges).also = also;
}

// The last writer in each session among those that happen before the reader.
static void weigh_causal(weighing *x, uint32_t read) {
    const digest_read *q = &x->p->d->reads.data[read];
    const uint32_t *before = x->r.before + (size_t)q->tx * x->r.nchains;
    for (uint32_t c = 0; c < x->r.nchains; c++) {
        uint32_t pos = before[c];
        if (pos && c == x->r.chain[q->tx]) pos--;
        if (!pos) continue;
        uint32_t i = reach_write_until(&x->r, q->key, c, pos - 1);
        if (i != POINTS_NONE) must_be_before(x, read, x->r.tx[i], 0);
    }
}

static void weigh_session(weighing *x, uint32_t read) {
    const digest_read *q = &x->p->d->reads.data[read];
    uint32_t chain = x->r.chain[q->tx], pos = x->r.pos[q->tx];
    uint32_t i = pos ? reach_write_until(&x->r, q->key, chain, pos - 1) : POINTS_NONE;
    if (i != POINTS_NONE) must_be_before(x, read, x->r.tx[i], 0);
}

// Reads b and then a of one transaction: whom b reads from is seen by a.
static void weigh_pair(weighing *x, uint32_t a, uint32_t b) {
    const digest *d = x->p->d;
    bool in_order = d->l == LEVEL_READ_ATOMIC || d->reads.data[b].op < d->reads.data[a].last_op;
    if (in_order) must_be_before(x, a, d->reads.data[b].writer, b + 1);
}

// For every writer that the transaction read from, the keys it wrote that the transaction read too.
static void weigh_reads(weighing *x, uint32_t tx) {
    const digest *d = x->p->d;
    uint32_t from = d->tx_first[tx], to = d->tx_first[tx + 1];
    if (to - from < 2) return;
    map *by_key = map_new();
    uint32_t *next = mem_zero(to - from + 1, sizeof *next);
    for (uint32_t i = from; i < to; i++) {
        uint32_t key = d->reads.data[i].key;
        next[i - from] = map_get(by_key, &key, sizeof key, 0);
        map_put(by_key, &key, sizeof key, i + 1);
    }
    for (uint32_t b = from; b < to; b++) {
        uint32_t w = d->reads.data[b].writer;
        if (w >= x->p->n) continue;
        for (uint32_t k = x->by_tx.first[w]; k < x->by_tx.first[w + 1]; k++) {
            uint32_t key = d->writes.data[x->by_tx.at[k]].key;
            for (uint32_t a = map_get(by_key, &key, sizeof key, 0); a; a = next[a - 1 - from]) weigh_pair(x, a - 1, b);
        }
    }
    free(next);
    map_free(by_key);
}

static void weigh_all(weighing *x) {
    const digest *d = x->p->d;
    vec_push(&x->p->rounds, x->p->edges.len);
    for (uint32_t i = 0; i < d->reads.len; i++) {
        if (d->reads_count[d->reads.data[i].tx] != COUNTS) continue;
        if (d->l == LEVEL_CAUSAL) weigh_causal(x, i);
        if (d->l == LEVEL_READ_ATOMIC) weigh_session(x, i);
    }
    for (uint32_t t = 0; d->l != LEVEL_CAUSAL && t < x->p->n; t++)
        if (d->reads_count[t] == COUNTS) weigh_reads(x, t);
    for (uint32_t i = 0; i < d->list_order.len; i += 2)
        if (d->writes_count[d->list_order.data[i + 1]] == COUNTS)
            points_edge(x->p, d->list_order.data[i], d->list_order.data[i + 1], EDGE_LIST, 0);
}

static void weak_cycle(points *p, order_answer *a, point_list *reads) {
    point_list cyclic = {0};
    vec_clear(&a->suspects);
    cycles_sort(p, NULL, &cyclic);
    cycles_suspects(p, &cyclic, &a->suspects, reads);
    a->verdict = ORDER_NO;
    vec_free(&cyclic);
}

static void keep_weak_order(const points *p, order_answer *a) {
    a->verdict = ORDER_YES;
    if (!a->order) a->order = mem_alloc(((size_t)p->npoints + 1) * sizeof *a->order);
    memcpy(a->order, p->order, (size_t)p->npoints * sizeof *a->order);
    a->norder = p->npoints;
}

// Adds what the order must contain; false if there is a cycle, or *many sessions.
static bool add_weak_edges(points *p, bool *many) {
    weighing x = {.p = p};
    bool good = points_sort(p);
    *many = good && !reach_make(&x.r, p);
    if (good && !*many) {
        x.by_tx = order_group_by(&p->d->writes, tx, p->n + 1);
        weigh_all(&x);
        good = points_sort(p);
        order_groups_free(&x.by_tx);
    }
    reach_free(&x.r);
    return good;
}

// Everything is known: is there an order?
static void weak_weigh(digest *d, const limits *stop, order_answer *a, point_list *reads) {
    points p;
    bool many;
    points_make(&p, d, stop);
    bool good = add_weak_edges(&p, &many);
    if (many) a->why = "there are too many sessions";
    else if (good) keep_weak_order(&p, a);
    else weak_cycle(&p, a, reads);
    points_free(&p);
}

// ---- choosing who wrote what was read

typedef struct {
    digest *d;
    sat solver;
    VEC(uint32_t) open;  // reads
    uint32_t *first;     // beside: in lits
    VEC(int) lits;       // a literal per candidate
    int *committed;      // by transaction: a literal, 0 if it is decided
} guessing;

static bool weak_is_open(const digest *d, const digest_read *q) {
    return q->writer == DIGEST_OPEN || d->reads_count[q->tx] == COUNTS_MAYBE;
}

static void guessing_read(guessing *g, uint32_t read) {
    const digest_read *q = &g->d->reads.data[read];
    VEC(int) clause = {0};
    vec_push(&g->open, read);
    g->first[g->open.len - 1] = g->lits.len;
    if (g->committed[q->tx]) vec_push(&clause, -g->committed[q->tx]);
    for (uint32_t k = 0; k < q->candidates; k++) {
        uint32_t w = g->d->candidates.data[q->first + k];
        int lit = sat_var(&g->solver);
        vec_push(&g->lits, lit);
        vec_push(&clause, lit);
        if (w != DIGEST_INITIAL && g->committed[w]) sat_clause2(&g->solver, -lit, g->committed[w]);
    }
    sat_clause(&g->solver, clause.data, clause.len);
    vec_free(&clause);
}

static void guessing_begin(guessing *g, digest *d, const limits *stop) {
    *g = (guessing){.d = d};
    sat_init(&g->solver, stop);
    g->first = mem_zero((size_t)d->reads.len + 1, sizeof *g->first);
    g->committed = mem_zero((size_t)d->h->txs.len + 1, sizeof *g->committed);
    for (uint32_t t = 0; t < d->h->txs.len; t++)
        if (d->writes_count[t] == COUNTS_MAYBE) g->committed[t] = sat_var(&g->solver);
    for (uint32_t i = 0; i < d->reads.len; i++)
        if (weak_is_open(d, &d->reads.data[i])) guessing_read(g, i);
}

// The model becomes what is known.
static void guessing_set(guessing *g) {
    digest *d = g->d;
    for (uint32_t t = 0; t < d->h->txs.len; t++)
        if (g->committed[t])
            d->writes_count[t] = d->reads_count[t] = sat_value(&g->solver, g->committed[t]) ? COUNTS : COUNTS_NOT;
    for (uint32_t i = 0; i < g->open.len; i++) {
        digest_read *q = &d->reads.data[g->open.data[i]];
        for (uint32_t k = 0; k < q->candidates; k++)
            if (sat_value(&g->solver, g->lits.data[g->first[i] + k])) q->writer = d->candidates.data[q->first + k];
    }
}

// The reads of a cycle, and the pending transactions in it, cannot all be so.
static void guessing_forbid(guessing *g, const point_list *suspects, const point_list *reads) {
    VEC(int) clause = {0};
    for (uint32_t i = 0; i < suspects->len; i++) {
        uint32_t t = suspects->data[i];  // one that does not count only hands on the order of its session
        if (g->committed[t] && g->d->writes_count[t] == COUNTS) vec_push(&clause, -g->committed[t]);
    }
    for (uint32_t i = 0; i < reads->len; i++) {
        const uint32_t *at = g->open.len ? bsearch(&reads->data[i], g->open.data, g->open.len, 4, order_u32) : NULL;
        if (!at) continue;
        const digest_read *q = &g->d->reads.data[*at];
        for (uint32_t k = 0; k < q->candidates; k++)
            if (g->d->candidates.data[q->first + k] == q->writer)
                vec_push(&clause, -g->lits.data[g->first[at - g->open.data] + k]);
    }
    sat_clause(&g->solver, clause.data, clause.len);
    vec_free(&clause);
}

static void guessing_end(guessing *g) {
    sat_done(&g->solver);
    vec_free(&g->open);
    vec_free(&g->lits);
    free(g->first);
    free(g->committed);
}

// When no choice is left, all that were forbidden together show it.
static void weak_guess(digest *d, const limits *stop, order_answer *a) {
    guessing g;
    map *seen = map_new();
    point_list all = {0}, reads = {0};
    guessing_begin(&g, d, stop);
    sat_answer s = SAT_YES;
    a->verdict = ORDER_NO;
    while (a->verdict == ORDER_NO && !limits_met(stop) && (s = sat_solve(&g.solver, 0)) == SAT_YES) {
        a->verdict = ORDER_UNKNOWN;
        guessing_set(&g);
        vec_clear(&reads);
        weak_weigh(d, stop, a, &reads);
        if (a->verdict == ORDER_NO) guessing_forbid(&g, &a->suspects, &reads);
        for (uint32_t i = 0; i < a->suspects.len; i++)
            if (map_put(seen, &a->suspects.data[i], sizeof(uint32_t), 0)) vec_push(&all, a->suspects.data[i]);
    }
    if (a->verdict == ORDER_NO && s != SAT_NO) a->verdict = ORDER_UNKNOWN;
    // Whoever may have written what they read belongs to it.
    vec_clear(&a->suspects);
    for (uint32_t i = 0; i < all.len; i++) vec_push(&a->suspects, all.data[i]);
    guessing_end(&g);
    map_free(seen);
    vec_free(&all);
    vec_free(&reads);
}

// ---- all of it

static bool has_choices(const digest *d) {
    for (uint32_t i = 0; i < d->reads.len; i++)
        if (weak_is_open(d, &d->reads.data[i])) return true;
    return false;
}

bool weak_edges(points *p) {
    bool many;
    return !has_choices(p->d) && !add_weak_edges(p, &many);
}

static void keep_writers(const digest *d, order_answer *a) {
    const recorded *h = d->h;
    a->writers = mem_zero((size_t)h->op_key.len + 1, sizeof *a->writers);
    for (uint32_t i = 0; i < d->reads.len; i++) {
        const digest_read *q = &d->reads.data[i];
        if (q->writer >= h->txs.len || d->reads_count[q->tx] != COUNTS) continue;
        for (uint32_t op = q->op; op <= q->last_op; op++) {
            bool same = recorded_key(h, op) == q->key && (op == q->op || digest_same_read(d, q, op));
            if (same) a->writers[op] = q->writer + 1;
        }
    }
    for (uint32_t t = 0; t < h->txs.len; t++) a->committed[t] = d->writes_count[t] == COUNTS;
}

void weak_check(const recorded *h, level l, const limits *stop, order_answer *a) {
    *a = (order_answer){.verdict = ORDER_UNKNOWN};
    a->committed = mem_zero((size_t)h->txs.len + 1, 1);
    digest d;
    digest_make(&d, h, l, stop);
    point_list reads = {0};
    if (d.wrong.kind != MISFIT_NONE) a->verdict = ORDER_NO, a->wrong = d.wrong;
    else if (d.trouble) a->why = d.trouble;
    else if (has_choices(&d)) weak_guess(&d, stop, a);
    else weak_weigh(&d, stop, a, &reads);
    if (a->verdict == ORDER_YES) keep_writers(&d, a);
    if (a->verdict == ORDER_UNKNOWN && !a->why) a->why = limits_met(stop) ? limits_why(stop) : "the search ended early";
    vec_free(&reads);
    digest_free(&d);
}
