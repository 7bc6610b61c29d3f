// SPDX-License-Identifier: Apache-2.0
// Search of the zone graph for all reachability queries at once, in blocks of nodes. The workers
// expand the nodes of a block; what they found is taken into the passed list in the order of the nodes, by one
// thread; then all threads evaluate queries with clock conditions at the new nodes. So nothing depends on the number
// of threads. Ends when every query is decided or everything was seen.
#include "zone/divide.h"
#include "zone/order.h"
#include "zone/search.h"

#include "base/clock.h"
#include "zone/run.h"

#include <string.h>

enum { LEAST_SHARED = 32, MOST_DOUBTS = 100, AHEAD = 8 };

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
        if (s->workers[i].w->is_odd)
            s->stopped = "a clock has a rate other than 0 and 1, or two at once: not supported";
    for (uint32_t i = 0; i < s->nworkers; i++)
        if (s->workers[i].w->is_far) s->stopped = "clocks grow beyond what zones without abstraction can have";
    return s->stopped;
}

// ---- queries at a node

static bound *copy_piece(const zone_search *s, const bound *piece) {
    return memcpy(mem_alloc(dbm_bytes(s->x->n)), piece, dbm_bytes(s->x->n));
}

static void zone_note_place(const zone_search *s, zone_ask *a, uint32_t node, const bound *piece) {
    bound *copy = copy_piece(s, piece);
    free(a->piece);
    a->piece = copy;
    a->node = node;
}

void zone_found(zone_search *s, zone_ask *a, uint32_t node, const bound *piece) {
    a->is_found = a->is_decided = true;
    zone_note_place(s, a, node, piece);
}

// The formula holds in the piece, which may have points that are not reached: then a run is asked for.
static void blocks_see(zone_search *s, uint32_t ask, uint32_t node, const bound *piece, bool is_loose) {
    zone_ask *a = &s->asks.data[ask];
    if (!is_loose && !passed_is_loose(s->p, node)) zone_found(s, a, node, piece);
    else vec_push(&s->doubts, ((zone_doubt){ask, node, copy_piece(s, piece)}));
}

// A run to the place, with exact times, settles it.
static void settle_doubt(zone_search *s, const zone_doubt *d) {
    zone_ask *a = &s->asks.data[d->ask];
    str why = {0};
    zone_note_place(s, a, d->node, d->piece);
    trace *t = zone_concrete_run(s, d->node, a, NULL, &why);
    if (t) zone_found(s, a, d->node, d->piece);
    else a->is_decided = ++a->doubts == MOST_DOUBTS;
    trace_free(t);
    str_free(&why);
}

static void settle_doubts(zone_search *s) {
    for (uint32_t i = 0; i < s->doubts.len; i++) {
        const zone_doubt *d = &s->doubts.data[i];
        if (!s->asks.data[d->ask].is_decided && !limits_met(&s->o->limits)) settle_doubt(s, d);
        free(d->piece);
    }
    vec_clear(&s->doubts);
}

// A place in a zone where something is measured.
typedef struct {
    zone_search *s;
    zone_ask *a;
    uint32_t node;
    const bound *d;
    bool largest, is_loose;
} measuring;

static void raise_extreme(const measuring *k, int64_t v, bool strict) {
    zone_ask *a = k->a;
    bool same = a->has_extreme && v == a->extreme && strict == a->extreme_strict;
    bool better = !a->has_extreme || (k->largest ? v > a->extreme : v < a->extreme) ||
                  (v == a->extreme && a->extreme_strict && !strict) || (same && a->is_loose && !k->is_loose);
    if (!better) return;
    a->has_extreme = true;
    a->extreme = v;
    a->extreme_strict = strict;
    a->is_loose = k->is_loose;
    if (k->is_loose || k->s->order == SEARCH_FASTEST) zone_note_place(k->s, a, k->node, k->d);
}

// Where nothing holds time back, any clock grows without limit; elsewhere, a bound that is missing was abstracted
// away, and so was a value beyond the horizon (zone_search.horizon).
static void measure_clock(const measuring *k) {
    zone_search *s = k->s;
    uint32_t n = s->x->n, c = k->a->info->clock;
    bound b = k->largest ? k->d[c * n] : k->d[c];
    int64_t v = b == BOUND_INF ? INT64_MAX : k->largest ? bound_value(b) : -bound_value(b);
    bool is_far = v > s->horizon || (v == s->horizon && bound_is_strict(b));
    bool is_endless = b == BOUND_INF && !s->w->stands[c] && zone_is_endless(s->w, k->d);
    k->a->is_infinite |= k->largest && is_endless && !k->is_loose;
    if (s->x->is_abstract && k->largest && is_far && !is_endless) k->a->is_beyond = true;
    if (k->a->is_infinite) k->a->is_beyond = false;
    raise_extreme(k, v, b != BOUND_INF && bound_is_strict(b));
}

static void measure_number(const measuring *k) {
    zone_ask *a = k->a;
    value v = eval_expr(k->s->x->ev, k->s->w->cells, a->info->measured);
    a->what = eval_fault(k->s->x->ev);
    if (a->what.kind) a->node = k->node;
    a->is_decided = a->what.kind;
    raise_extreme(k, v, false);
}

static void blocks_measure(zone_search *s, zone_ask *a, uint32_t node, const dbm_list *pieces) {
    measuring k = {s, a, node, NULL, a->info->query == QUERY_SUP, s->w->is_loose || passed_is_loose(s->p, node)};
    uint32_t n = s->x->n;
    for (uint32_t i = 0; i < pieces->len && !a->is_decided; i += n * n) {
        k.d = pieces->data + i;
        if (a->info->clock) measure_clock(&k);
        else measure_number(&k);
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
    uint32_t ask, node;
    bound *piece;
    bool is_loose;
} sighting;

// What a worker saw, in order: after a place that is reached, no other one of that query.
typedef VEC(sighting) sightings;

typedef struct {
    zone_search *s;
    const uint32_t *nodes;  // a block, or what is new
    uint32_t count;
    sightings *seen;  // by worker
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

static bool was_seen(const sightings *seen, uint32_t ask) {
    for (uint32_t i = 0; i < seen->len; i++)
        if (seen->data[i].ask == ask && !seen->data[i].is_loose) return true;
    return false;
}

static void ask_of_node(const round_of *r, zone_worker *k, sightings *seen, uint32_t node) {
    zone_search *s = r->s;
    matrix d;
    bool is_unpacked = false;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        if (!is_asked_later(s, &s->asks.data[i]) || was_seen(seen, i)) continue;
        dbm_list pieces = {0};
        if (!is_unpacked) passed_zone(s->p, node, d.d);
        is_unpacked = true;
        net_look(k->w, passed_state(s->p, node));
        zone_pieces(k->w, s->asks.data[i].formula, passed_state(s->p, node), d.d, true, &pieces);
        bool is_loose = k->w->is_loose || passed_is_loose(s->p, node);
        if (pieces.len) vec_push(seen, ((sighting){i, node, copy_piece(s, pieces.data), is_loose}));
        vec_free(&pieces);
    }
}

static void ask_job(void *context, uint32_t number) {
    const round_of *r = context;
    uint32_t first, end;
    share_of(r, number, &first, &end);
    for (uint32_t i = first; i < end; i++) ask_of_node(r, &r->s->workers[number], &r->seen[number], r->nodes[i]);
}

static void ask_new(zone_search *s, const node_list *fresh) {
    bool is_asked = false;
    for (uint32_t i = 0; i < s->asks.len; i++) is_asked |= is_asked_later(s, &s->asks.data[i]);
    if (!is_asked || !fresh->len) return;
    round_of r = {s, fresh->data, fresh->len, mem_zero(s->nworkers, sizeof *r.seen)};
    blocks_run_round(s, ask_job, &r);
    for (uint32_t t = 0; t < s->nworkers; t++) {
        for (uint32_t i = 0; i < r.seen[t].len; i++) {
            const sighting *is = &r.seen[t].data[i];
            if (!s->asks.data[is->ask].is_decided) blocks_see(s, is->ask, is->node, is->piece, is->is_loose);
            free(is->piece);
        }
        vec_free(&r.seen[t]);
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
        if (!zone_is_measure(a) && !f->natoms && net_bit(s->w, f->first_check)) blocks_see(s, i, node, d, false);
        if (!zone_is_measure(a)) continue;
        dbm_list pieces = {0};
        net_look(s->w, state);
        zone_pieces(s->w, a->formula, state, d, false, &pieces);
        blocks_measure(s, a, node, &pieces);
        vec_free(&pieces);
    }
}

// Takes the arrival of number i, by way of this parent.
static void take_by(zone_search *s, const zone_worker *k, uint32_t i, uint32_t parent, uint32_t label,
                    node_list *fresh) {
    bool is_new;
    passed_item it = expand_item(k, i);
    uint32_t node = passed_add(s->p, &it, parent, label, s->is_exact, &is_new);
    if (!is_new) return;
    vec_push(fresh, node);
    memcpy(s->w->bits, k->bits.data + (size_t)i * s->x->check_words, s->x->check_words * sizeof *s->w->bits);
    ask_at_once(s, node, it.state, it.d);
}

// What includes the parent leads to all that the parent does, and more.
static bool leads_less(const zone_search *s, uint32_t parent) {
    return parent != UINT32_MAX && passed_is_covered(s->p, parent);
}

static void blocks_take(zone_search *s, zone_worker *k, uint32_t i, node_list *fresh) {
    zone_arrival *a = &k->out.data[i];
    a->is_left_out = leads_less(s, a->parent);
    if (a->is_left_out) return;
    if (a->is_trouble) {
        if (!s->trouble.is_trouble || (s->trouble.is_loose && !a->is_loose)) s->trouble = *a;
        return;
    }
    take_by(s, k, i, a->parent, a->label, fresh);
}

// What another parent leads to as well is taken by way of that one, where the first was left out.
static void take_again(zone_search *s, zone_worker *k, const zone_repeat *r, node_list *fresh) {
    zone_arrival *a = &k->out.data[r->same];
    if (!a->is_left_out || leads_less(s, r->parent)) return;
    a->is_left_out = false;
    take_by(s, k, r->same, r->parent, r->label, fresh);
}

// In the order in which a worker found them.
static void take_from(zone_search *s, zone_worker *k, node_list *fresh) {
    uint32_t at = 0;
    for (uint32_t i = 0; i <= k->out.len; i++) {
        for (; at < k->repeats.len && k->repeats.data[at].before == i; at++)
            take_again(s, k, &k->repeats.data[at], fresh);
        if (i + AHEAD < k->out.len) passed_prefetch(s->p, &k->keys.data[i + AHEAD]);
        if (i < k->out.len) blocks_take(s, k, i, fresh);
    }
    for (uint32_t i = 0; k->met && i < k->out.len; i++)
        if (k->out.data[i].is_left_out) recall_forget(k->met, k->out.data[i].place, (int32_t)i);
}

// The same on several ranks: here those that belong here.
static void take_divided(zone_search *s, node_list *fresh) {
    const divide_steps *steps = divide_exchange(s);
    for (uint32_t i = 0; i < steps->len; i++) {
        const divide_step *t = &steps->data[i];
        uint32_t before = s->p->nodes.len;
        take_by(s, t->k, t->at, UINT32_MAX, t->label, fresh);
        divide_took(s, t, before);
    }
}

static void take_alone(zone_search *s, node_list *fresh) {
    for (uint32_t t = 0; t < s->nworkers; t++) {
        zone_worker *k = &s->workers[t];
        take_from(s, k, fresh);
        s->transitions += k->transitions;
        k->transitions = 0;
        expand_clear(k);
    }
}

static void blocks_take_all(zone_search *s) {
    node_list fresh = {0};
    bool is_divided = divide_ranks(s);
    if (is_divided) take_divided(s, &fresh);
    else take_alone(s, &fresh);
    ask_new(s, &fresh);
    settle_doubts(s);
    if (is_divided) divide_end_block(s);
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

static bool blocks_go_on(zone_search *s, uint32_t at, uint32_t *shown) {
    divide_meet(s, false);
    return divide_agree(s, wants_more(s) && !s->stopped && between_blocks(s, at, shown));
}

static void run_block(zone_search *s, const node_list *block) {
    round_of r = {.s = s};
    divide_block(s, block->data, block->len, &r.nodes, &r.count);
    blocks_run_round(s, expand_job, &r);
    blocks_take_all(s);
    if (s->check && r.count && !limits_met(&s->o->limits)) trial_block(s->check, r.nodes, r.count);
}

void zone_search_all(zone_search *s) {
    node_list block = {0};
    zone_order order = {.r = {ORDER_SEED}};
    uint32_t expanded = 0, shown = 0;
    if (!eval_initial_within(s->in, &s->o->limits, blocks_start_at, s, NULL)) {
        s->stopped = "the initial states cannot be computed";
        divide_end(s);
        return;
    }
    blocks_take_all(s);
    s->is_impossible = !s->p->nodes.len && !s->trouble.is_trouble && !limits_met(&s->o->limits);
    if (s->check && !limits_met(&s->o->limits)) eval_initial_within(s->in, &s->o->limits, blocks_try_start, s, NULL);
    while (blocks_go_on(s, expanded, &shown) && zone_order_next(s, &order, &block)) {
        run_block(s, &block);
        expanded += block.len;
    }
    divide_end(s);
    if (s->check && !s->stopped) trial_whole(s->check);
    vec_free(&block);
    if (s->order != SEARCH_BREADTH || !s->o->stores_all) s->depth = zone_order_depth(s);
    zone_order_free(&order);
}
