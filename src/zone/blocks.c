// SPDX-License-Identifier: Apache-2.0
// Search of the zone graph for all reachability queries at once, in blocks of nodes. The workers
// expand the nodes of a block; what they found is taken into the passed list in the order of the nodes, by one
// thread; then all threads evaluate queries with clock conditions at the new nodes. So nothing depends on the number
// of threads. Ends when every query is decided or everything was seen.
#include "zone/order.h"
#include "zone/search.h"

#include "base/clock.h"

#include <string.h>

enum { LEAST_SHARED = 32 };

// ---- limits

static void show_progress(const zone_search *s, uint32_t frontier) {
    double seconds = clock_seconds() - s->started;
    progress_figures p = {.states = s->p->nodes.len,
                          .frontier = frontier,
                          .memory_bytes = passed_bytes(s->p),
                          .depth = s->depth,
                          .seconds = seconds,
                          .rate = seconds > 0 ? (double)s->p->nodes.len / seconds : 0,
                          .rest_seconds = -1};
    progress_show(s->o->line, &p);
}

bool zone_is_over(zone_search *s, const passed *p) {
    const explore_options *o = s->o;
    uint64_t bytes = passed_bytes(s->p) + (p == s->p ? 0 : passed_bytes(p));
    if (limits_met(&o->limits)) s->stopped = limits_why(&o->limits);
    else if (o->limit_states && p->nodes.len >= o->limit_states) s->stopped = "the limit of states was reached";
    else if (o->limit_bytes && bytes > o->limit_bytes) s->stopped = "the limit of memory was reached";
    for (uint32_t i = 0; i < s->nworkers; i++)
        if (s->workers[i].w->is_far) s->stopped = "clocks grow beyond what zones without abstraction can have";
    return s->stopped;
}

// ---- queries at a node

void zone_found(zone_search *s, zone_ask *a, uint32_t node, const bound *piece) {
    a->is_found = a->is_decided = true;
    a->node = node;
    free(a->piece);
    a->piece = mem_alloc(s->x->n * s->x->n * sizeof *piece);
    memcpy(a->piece, piece, s->x->n * s->x->n * sizeof *piece);
}

static bool raise_extreme(zone_ask *a, int64_t v, bool strict, bool largest) {
    bool better = !a->has_extreme || (largest ? v > a->extreme : v < a->extreme) ||
                  (v == a->extreme && a->extreme_strict && !strict);
    if (!better) return false;
    a->extreme = v;
    a->extreme_strict = strict;
    return a->has_extreme = true;
}

// Where nothing holds time back, any clock grows without limit; elsewhere, a bound that is missing was abstracted
// away, and so was a value beyond the horizon (zone_search.horizon).
static void measure_clock(zone_search *s, zone_ask *a, uint32_t node, const bound *d, bool largest) {
    uint32_t n = s->x->n, c = a->info->clock;
    bound b = largest ? d[c * n] : d[c];
    int64_t v = b == BOUND_INF ? INT64_MAX : largest ? bound_value(b) : -bound_value(b);
    bool is_far = v > s->horizon || (v == s->horizon && bound_is_strict(b));
    if (s->x->is_abstract && largest && is_far && (b != BOUND_INF || !zone_is_endless(s->w, d))) a->is_beyond = true;
    if (!raise_extreme(a, v, b != BOUND_INF && bound_is_strict(b), largest) || s->order != SEARCH_FASTEST) return;
    zone_found(s, a, node, d);
    a->is_found = a->is_decided = false;
}

static void measure_number(zone_search *s, zone_ask *a, uint32_t node, bool largest) {
    value v = eval_expr(s->x->ev, s->w->cells, a->info->measured);
    a->what = eval_fault(s->x->ev);
    a->node = node;
    a->is_decided = a->what.kind;
    raise_extreme(a, v, false, largest);
}

static void blocks_measure(zone_search *s, zone_ask *a, uint32_t node, const dbm_list *pieces) {
    bool largest = a->info->query == QUERY_SUP;
    uint32_t n = s->x->n;
    for (uint32_t i = 0; i < pieces->len && !a->is_decided; i += n * n) {
        if (a->info->clock) measure_clock(s, a, node, pieces->data + i, largest);
        else measure_number(s, a, node, largest);
    }
}

bool zone_cannot_ask(net_room *w, const zone_ask *a, fault *what) {
    if (!w->x->suspects.len) return false;
    return net_faults(w, a->formula, what) || (a->info->query == QUERY_LEADS_TO && net_faults(w, a->then, what));
}

static void refuse_faulty(zone_search *s, uint32_t node, const uint64_t *state) {
    net_look(s->w, state);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        zone_ask *a = &s->asks.data[i];
        if (a->is_decided || !zone_cannot_ask(s->w, a, &a->what)) continue;
        a->is_decided = true;
        a->node = node;
    }
}

// ---- asking in parallel

typedef struct {
    uint32_t node;  // the first at which the query is decided; UINT32_MAX: none
    bound *piece;
} sighting;

typedef struct {
    zone_search *s;
    const uint32_t *nodes;  // a block, or what is new
    uint32_t count;
    sighting *seen;  // by worker and query
} round_of;

// The part of a round that is a worker's: in order, so that the first worker has the first nodes.
static void share_of(const round_of *r, uint32_t number, uint32_t *first, uint32_t *end) {
    uint32_t n = r->s->nworkers;
    *first = (uint32_t)((uint64_t)r->count * number / n);
    *end = (uint32_t)((uint64_t)r->count * (number + 1) / n);
}

// A short round is not worth waking anybody.
static void blocks_run_round(zone_search *s, crew_job job, round_of *r) {
    uint32_t least = s->o->parallel_least ? s->o->parallel_least : LEAST_SHARED;
    if (s->team && r->count >= least) {
        crew_run(s->team, job, r);
        return;
    }
    for (uint32_t i = 0; i < s->nworkers; i++) job(r, i);
}

// Queries without clock conditions were decided when the node was taken (its bits were at hand).
static bool is_asked_later(const zone_search *s, const zone_ask *a) {
    return !a->is_decided && zone_is_reachability(a) && !zone_is_measure(a) &&
           s->x->formulas.data[a->formula].natoms > 0;
}

static void ask_of_node(const round_of *r, zone_worker *k, sighting *seen, uint32_t node) {
    zone_search *s = r->s;
    matrix d;
    bool is_unpacked = false;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        if (!is_asked_later(s, &s->asks.data[i]) || seen[i].node != UINT32_MAX) continue;
        dbm_list pieces = {0};
        if (!is_unpacked) passed_zone(s->p, node, d.d);
        is_unpacked = true;
        net_look(k->w, passed_state(s->p, node));
        zone_pieces(k->w, s->asks.data[i].formula, passed_state(s->p, node), d.d, true, &pieces);
        if (pieces.len) {
            seen[i].node = node;
            seen[i].piece = mem_alloc(s->x->n * s->x->n * sizeof(bound));
            memcpy(seen[i].piece, pieces.data, s->x->n * s->x->n * sizeof(bound));
        }
        vec_free(&pieces);
    }
}

static void ask_job(void *context, uint32_t number) {
    const round_of *r = context;
    uint32_t first, end;
    share_of(r, number, &first, &end);
    for (uint32_t i = first; i < end; i++)
        ask_of_node(r, &r->s->workers[number], r->seen + (size_t)number * r->s->asks.len, r->nodes[i]);
}

static void ask_new(zone_search *s, const node_list *fresh) {
    bool is_asked = false;
    for (uint32_t i = 0; i < s->asks.len; i++) is_asked |= is_asked_later(s, &s->asks.data[i]);
    if (!is_asked || !fresh->len) return;
    size_t count = (size_t)s->nworkers * s->asks.len;
    round_of r = {s, fresh->data, fresh->len, mem_zero(count, sizeof *r.seen)};
    for (size_t i = 0; i < count; i++) r.seen[i].node = UINT32_MAX;
    blocks_run_round(s, ask_job, &r);
    for (size_t i = 0; i < count; i++) {
        zone_ask *a = &s->asks.data[i % s->asks.len];
        if (r.seen[i].node != UINT32_MAX && !a->is_decided) zone_found(s, a, r.seen[i].node, r.seen[i].piece);
        free(r.seen[i].piece);
    }
    free(r.seen);
}

// ---- taking what was found into the passed list

static void ask_at_once(zone_search *s, uint32_t node, const uint64_t *state, const bound *d) {
    if (s->x->suspects.len) refuse_faulty(s, node, state);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        zone_ask *a = &s->asks.data[i];
        const net_formula *f = &s->x->formulas.data[a->formula];
        if (a->is_decided || !zone_is_reachability(a)) continue;
        if (!zone_is_measure(a) && !f->natoms && net_bit(s->w, f->first_check)) zone_found(s, a, node, d);
        if (!zone_is_measure(a)) continue;
        dbm_list pieces = {0};
        net_look(s->w, state);
        zone_pieces(s->w, a->formula, state, d, false, &pieces);
        blocks_measure(s, a, node, &pieces);
        vec_free(&pieces);
    }
}

static void blocks_take(zone_search *s, const zone_worker *k, uint32_t i, node_list *fresh) {
    const zone_arrival *a = &k->out.data[i];
    bool is_new;
    // What includes the parent leads to all of this, and more.
    if (a->parent != UINT32_MAX && passed_is_covered(s->p, a->parent)) return;
    if (a->is_trouble) {
        if (!s->trouble.is_trouble) s->trouble = *a;
        return;
    }
    passed_item it = expand_item(k, i);
    uint32_t node = passed_add(s->p, &it, a->parent, a->label, s->is_exact, &is_new);
    if (!is_new) return;
    vec_push(fresh, node);
    memcpy(s->w->bits, k->bits.data + (size_t)i * s->x->check_words, s->x->check_words * sizeof *s->w->bits);
    ask_at_once(s, node, it.state, it.d);
}

static void blocks_take_all(zone_search *s) {
    node_list fresh = {0};
    for (uint32_t t = 0; t < s->nworkers; t++) {
        zone_worker *k = &s->workers[t];
        for (uint32_t i = 0; i < k->out.len; i++) blocks_take(s, k, i, &fresh);
        s->transitions += k->transitions;
        k->transitions = 0;
        expand_clear(k);
    }
    ask_new(s, &fresh);
    vec_free(&fresh);
}

// ---- blocks

// Representatives of many processes take milliseconds each, so limits are looked at for each node. Nodes are left out
// only when one was met: it still is after the round, and the search ends as unfinished.
static void expand_job(void *context, uint32_t number) {
    const round_of *r = context;
    uint32_t first, end;
    share_of(r, number, &first, &end);
    for (uint32_t i = first; i < end && !limits_met(&r->s->o->limits); i++)
        expand_node(&r->s->workers[number], r->nodes[i]);
}

static bool blocks_start_at(const value *cells, void *context) {
    zone_search *s = context;
    expand_start(&s->workers[0], cells);
    return true;
}

static bool blocks_try_start(const value *cells, void *context) {
    zone_search *s = context;
    return s->trouble.is_trouble || s->is_impossible || trial_start(s->check, cells);
}

static bool wants_more(const zone_search *s) {
    if (trial_failed(s->check)) return false;
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (!s->asks.data[i].is_decided) return true;
    return !s->asks.len;
}

static bool between_blocks(zone_search *s, uint32_t at, uint32_t *shown) {
    space_native_poll(s->x->s, s->o->engine == ENGINE_NATIVE && !at);
    if (at - *shown >= 65536) {
        *shown = at;
        show_progress(s, s->p->nodes.len - at);
    }
    return !zone_is_over(s, s->p);
}

void zone_search_all(zone_search *s) {
    node_list block = {0};
    zone_order order = {.r = {ORDER_SEED}};
    uint32_t expanded = 0, shown = 0;
    if (!eval_initial_within(s->in, &s->o->limits, blocks_start_at, s, NULL)) {
        s->stopped = "the initial states cannot be computed";
        return;
    }
    blocks_take_all(s);
    s->is_impossible = !s->p->nodes.len && !s->trouble.is_trouble && !limits_met(&s->o->limits);
    if (s->check && !limits_met(&s->o->limits)) eval_initial_within(s->in, &s->o->limits, blocks_try_start, s, NULL);
    while (wants_more(s) && between_blocks(s, expanded, &shown) && zone_order_next(s, &order, &block)) {
        round_of r = {s, block.data, block.len, NULL};
        blocks_run_round(s, expand_job, &r);
        blocks_take_all(s);
        expanded += block.len;
        if (s->check && !limits_met(&s->o->limits)) trial_block(s->check, block.data, block.len);
    }
    if (s->check && !s->stopped) trial_whole(s->check);
    vec_free(&block);
    if (s->order != SEARCH_BREADTH) s->depth = zone_order_depth(s);
    zone_order_free(&order);
}
