// SPDX-License-Identifier: Apache-2.0
// The graph of points in an order that is looked for. At the levels of serializability a transaction is one point; at
// those of snapshots it is two: where it reads, and where it commits. An edge says that one point is before another.
//
//   points.c      points, real time, edges, an order of them
//   reach.c       which point is before which, by chains
//   saturate.c    edges that follow from what was read
//   narrow.c      who wrote what was read, where several may have
//   cycles.c      an order near one that is guessed, or the cycles
//   choose.c      what is left to choose, by a SAT solver
//   order_check.c all of it: an order, or a reason why there is none
//
// Real time has points of its own, so that it takes one edge out of every transaction and one into it: whoever ended
// before a transaction began is before the time point before it. Transactions are in the order of their beginnings, so
// the ones after a time point are a range.
#ifndef HISTORY_POINTS_H
#define HISTORY_POINTS_H

#include "history/digest.h"
#include "history/level.h"
#include "history/recorded.h"

#define POINTS_NONE UINT32_MAX

typedef enum {
    EDGE_SESSION,  // earlier in the same session
    EDGE_OWN,      // a snapshot before its commit
    EDGE_TIME,     // ended before the other began
    EDGE_FROM,     // read from it
    EDGE_LIST,     // appended before it
    EDGE_BEFORE,   // u before w: r reads from w, and u is before r
    EDGE_AFTER,    // r before u: r reads from w, and w is before u
    EDGE_WRITES,   // both write one key, and the other order is impossible
    EDGE_CHOSEN    // an order that was found for what was left to choose
} edge_kind;

typedef struct {
    uint32_t from, to;
    uint32_t kind : 4, read : 28;  // the read that it follows from
    uint32_t also;                 // weak levels: another read that it follows from, plus 1; 0: none
} edge;

typedef struct {
    digest *d;
    const limits *stop;
    uint32_t n, shift;  // transactions; 1 if they have two points
    uint32_t ntimes, npoints;
    uint32_t *end_time;    // by transaction: the time point after it, POINTS_NONE
    uint32_t *begin_time;  // by transaction: the time point before it, POINTS_NONE
    uint32_t *time_first;  // by time point: its transactions are time_first[k] … time_first[k + 1] - 1
    VEC(edge) edges;
    VEC(uint32_t) rounds;       // where the edges of each round begin
    uint32_t *out_first, *out;  // edges by their beginning: indices of edges
    uint32_t *order;            // points, the earliest first; norder of them if there is a cycle
    uint32_t norder;
    uint32_t *seen, seen_mark;  // of the last search for a path: by point, whether it was met
    uint32_t *waiting;          // by point: edges from points that have no place in the order
} points;

static inline uint32_t point_read(const points *p, uint32_t tx) { return tx << p->shift; }
static inline uint32_t point_commit(const points *p, uint32_t tx) { return tx << p->shift | p->shift; }
static inline bool point_is_time(const points *p, uint32_t v) { return v >= p->n << p->shift; }
static inline uint32_t point_tx(const points *p, uint32_t v) { return v >> p->shift; }

// With sessions, real time, read-from and lists.
void points_make(points *p, digest *d, const limits *stop);
void points_free(points *p);
void points_edge(points *p, uint32_t from, uint32_t to, edge_kind kind, uint32_t read);
// After edges were added or taken away: points_successors() follows them.
void points_index(points *p);
// False: there is a cycle among the points that are not in the order.
bool points_sort(points *p);

// All successors of a point, one after the other.
typedef struct {
    uint32_t at, end;     // of out
    uint32_t next, last;  // a range of points, in steps
    uint32_t extra;       // one more, or POINTS_NONE
} successors;
static inline successors points_successors(const points *p, uint32_t v) {
    successors s = {p->out_first[v], p->out_first[v + 1], 0, 0, POINTS_NONE};
    uint32_t base = p->n << p->shift;
    if (v >= base) {
        s.next = p->time_first[v - base];
        s.last = p->time_first[v - base + 1];
        if (v + 1 < p->npoints) s.extra = v + 1;
    } else if (p->ntimes && (v & p->shift) == p->shift) {
        uint32_t time = p->end_time[v >> p->shift];
        if (time != POINTS_NONE) s.extra = base + time;
    }
    return s;
}
static inline bool successors_next(const points *p, successors *s, uint32_t *to) {
    if (s->at < s->end) return *to = p->edges.data[p->out[s->at++]].to, true;
    if (s->next < s->last) return *to = s->next++ << p->shift, true;
    if (s->extra == POINTS_NONE) return false;
    *to = s->extra;
    s->extra = POINTS_NONE;
    return true;
}

// ---- reach.c

// Every transaction is in one chain, a sequence in which each is before the next. For every point: the first member of
// each chain that is after it, and the last that is before it.
typedef struct {
    uint32_t nchains;
    uint32_t *chain, *pos;     // by transaction
    uint32_t *after, *before;  // by point and chain: the first position (of a point) after or at it, or POINTS_NONE;
                               // the last before or at it, plus 1, or 0
    uint32_t *key_first, *tx;  // writes that count for sure: by key, chain, position
    uint64_t *at;              // chain and position of their commit points
} reach;

// False: it would take too much memory. Of sorted points.
bool reach_make(reach *r, const points *p);
void reach_find(reach *r, const points *p);  // after the points were sorted again
void reach_free(reach *r);
static inline uint32_t reach_pos(const reach *r, const points *p, uint32_t point) {
    return r->pos[point >> p->shift] << p->shift | (point & p->shift);
}
// From is before to, or the same.
static inline bool reach_is_before(const reach *r, const points *p, uint32_t from, uint32_t to) {
    uint32_t chain = r->chain[to >> p->shift];
    return r->after[(size_t)from * r->nchains + chain] <= reach_pos(r, p, to);
}
// The first write of a key in a chain whose commit is at this position or later: index of tx, or POINTS_NONE.
uint32_t reach_write_from(const reach *r, uint32_t key, uint32_t chain, uint32_t pos);
// The last one at this position or earlier.
uint32_t reach_write_until(const reach *r, uint32_t key, uint32_t chain, uint32_t pos);

// ---- saturate.c

typedef enum { SATURATE_DONE, SATURATE_CYCLE, SATURATE_STOPPED } saturate_answer;
saturate_answer saturate(points *p, reach *r);

// ---- narrow.c

// Takes away candidates that cannot have written what was read. A read with one candidate is known from then on, and
// *changed is set; false if a read has none left: *stuck.
bool narrow_candidates(points *p, const reach *r, bool *changed, uint32_t *stuck);

// ---- cycles.c

typedef VEC(uint32_t) point_list;

// Strongly connected components. Points are visited in such a way that without cycles p->order becomes an order near
// `guess` (points, the earliest first). Returns how many components have several points; those are listed one after the
// other in `cyclic`, each with its number of points before it.
uint32_t cycles_sort(points *p, const uint32_t *guess, point_list *cyclic);
// A shortest cycle through the edge with this index, among points marked in `within`: indices of edges, of which those
// that are no edges of the list (real time) are left out. Empty: there is none.
void cycles_through(points *p, uint32_t edge, const uint32_t *within, uint32_t mark, point_list *out);
// Transactions of a cycle among the points known so far, with those that its edges follow from.
// `reads`: those that they follow from; may be NULL.
void cycles_suspects(points *p, const point_list *cyclic, point_list *txs, point_list *reads);

// ---- choose.c

typedef enum { CHOOSE_YES, CHOOSE_NO, CHOOSE_STOPPED } choose_answer;

// YES: p->order is an order in which all reads are legal, and committed[t] says which transactions count. NO: suspects
// are transactions that show it.
choose_answer choose(points *p, const reach *r, uint8_t *committed, point_list *suspects);

// ---- order_check.c

typedef enum { ORDER_YES, ORDER_NO, ORDER_UNKNOWN } order_verdict;

typedef struct {
    order_verdict verdict;
    const char *why;  // unknown
    uint32_t *order;  // yes: points of transactions, the earliest first
    uint32_t norder;
    uint32_t *writers;    // yes, of a weak level: as in a witness (replay.h)
    uint8_t *committed;   // yes: by transaction
    misfit wrong;         // no, if it is seen without an order
    point_list suspects;  // no, otherwise: transactions that show it
    uint64_t reads, edges, choices;
} order_answer;

// Levels of serializability and of snapshots.
void order_check(const recorded *h, level l, const limits *stop, order_answer *a);
void order_answer_free(order_answer *a);

#endif
