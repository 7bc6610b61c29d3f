// SPDX-License-Identifier: Apache-2.0
// A search of zones on several ranks: see divide.h.
//
// A message of a block, in words, for each arrival: its key | parent and label | 0, and what expand_write() says of it;
// or, where the message has the same already, 1 + which one that is.
#include "zone/divide.h"

#include "base/mem.h"
#include "model/print.h"
#include "zone/cover.h"
#include "zone/zone.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Nodes. A search that is tried as a whole when it is over (trial.c) has fewer.
enum { DIVIDE_LEAST = 20000, HEAD = 3, LONGEST_WHY = 200 };

// A node of the block that is here, by its state.
typedef struct {
    uint32_t state, position, node;
} block_node;

typedef struct {
    uint64_t key;
    uint32_t rank;
    const uint64_t *at;  // what was said of it
} new_node;

typedef VEC(uint64_t) words;

struct zone_share {
    ranks_job *with;
    bool has_met, is_divided;
    zone_worker inbox;
    uint32_t common;             // nodes before this one are on all ranks
    VEC(uint32_t) own, places;   // nodes of the block that are here, and their positions in it
    words ends;                  // by position: the key at which it is covered, or UINT64_MAX
    divide_steps found, takes;   // by this rank's workers; by this rank
    words told, keys, promises;  // of new nodes: what is told of them; their keys
    uint32_t base;               // nodes from this one on are new
    uint64_t trouble;            // the key of the first step of this block that fails, or UINT64_MAX
    zone_arrival trouble_is;
    words out, in;
    uint64_t *out_words, *in_words, *in_begin, *all;  // by rank; the last: of all
    uint64_t sent, arrivals;
    uint64_t memory, bytes;  // of all ranks: used; sent
    uint64_t looked_up;      // of all ranks
    char why[LONGEST_WHY];
};

// ---- beginning

bool zone_is_divisible(const model *m, const prop *props, uint32_t n, const explore_options *o) {
    for (uint32_t i = 0; i < n; i++) {
        query_kind k = prop_of(m, props[i])->query;
        if (k != QUERY_ALWAYS && k != QUERY_POSSIBLY) return false;
    }
    return o->order == SEARCH_BREADTH && !o->finds_fastest;
}

static bool can_divide(const zone_search *s) {
    const net *x = s->x;
    if (!x) return false;
    for (uint32_t i = 0; i < x->labels.len; i++)
        if (x->labels.data[i].can_fault) return false;
    return !s->keeper && !s->by_evaluator && !x->rates.len && !x->suspects.len && !x->diagonals.len &&
           s->order == SEARCH_BREADTH;
}

// What must be the same on all ranks for them to meet in the same places.
typedef struct {
    uint64_t print, limit_states, limit_bytes, limit_depth, share_least, stores_all, symmetry, can_divide;
} divide_terms;

static uint64_t print_of(const zone_search *s) {
    str text = {0};
    print_model(s->in->m, &text);
    for (uint32_t i = 0; i < s->asks.len; i++) str_printf(&text, " %u", s->asks.data[i].p.id);
    uint64_t hash = XXH3_64bits(str_get(&text), text.len);
    str_free(&text);
    return hash;
}

// The first rank with other terms than rank 0; count: none.
static uint32_t find_other_terms(const zone_search *s, ranks_job *with) {
    const explore_options *o = s->o;
    divide_terms own = {print_of(s),    o->limit_states, o->limit_bytes, o->limit_depth,
                        o->share_least, o->stores_all,   o->symmetry,    can_divide(s)};
    divide_terms *all = mem_zero(with->count, sizeof *all);
    with->gather(with, &own, all, sizeof own);
    uint32_t other = 0;
    while (other < with->count && !memcmp(&all[other], &all[0], sizeof own)) other++;
    free(all);
    return other;
}

bool divide_begin(zone_search *s) {
    ranks_job *with = s->o->ranks;
    if (!with) return true;
    uint32_t other = find_other_terms(s, with);
    if (other < with->count) {
        diag_error(s->in->m->messages, (span){0},
                   "rank %u does not search what rank 0 does: it has another file, other options or another parvis",
                   other);
        return false;
    }
    if (!s->x) return false;
    if (!can_divide(s)) {
        diag_warning(s->in->m->messages, (span){0},
                     "a timed model of this kind: rank 0 does it alone, the other %u have nothing to do",
                     with->count - 1);
        return with->mine == 0;
    }
    zone_share *h = s->shared = mem_zero(1, sizeof *h);
    h->with = with;
    h->out_words = mem_zero(3 * (size_t)with->count + (size_t)with->count * with->count, sizeof *h->out_words);
    h->in_words = h->out_words + with->count;
    h->in_begin = h->in_words + with->count;
    h->all = h->in_begin + with->count;
    return true;
}

void divide_free(zone_search *s) {
    zone_share *h = s->shared;
    if (!h) return;
    if (h->is_divided) expand_done(&h->inbox);
    vec_free(&h->own);
    vec_free(&h->places);
    vec_free(&h->ends);
    vec_free(&h->found);
    vec_free(&h->takes);
    vec_free(&h->told);
    vec_free(&h->keys);
    vec_free(&h->promises);
    vec_free(&h->out);
    vec_free(&h->in);
    free(h->out_words);
    free(h);
    s->shared = NULL;
}

static bool is_divided(const zone_search *s) { return s->shared && s->shared->is_divided; }

uint32_t divide_ranks(const zone_search *s) { return is_divided(s) ? s->shared->with->count : 0; }
uint64_t divide_memory(const zone_search *s) { return is_divided(s) ? s->shared->memory : passed_bytes(s->p); }
uint64_t divide_sent(const zone_search *s, uint64_t *arrivals) {
    *arrivals = is_divided(s) ? s->shared->looked_up : 0;
    return is_divided(s) ? s->shared->bytes : 0;
}
bool divide_speaks(const zone_search *s) { return !s->o->ranks || !s->o->ranks->mine; }

// What all ranks did so far counts once.
static void count_once(zone_search *s) {
    for (uint32_t i = 0; i < s->nworkers && s->shared->with->mine; i++)
        memset(s->workers[i].fired, 0, s->x->labels.len * sizeof *s->workers[i].fired);
    if (s->shared->with->mine) trial_forget(s->check);
}

typedef struct {
    uint64_t is_end, limit, nodes, transitions;
} meeting;

// Somebody who is over cannot go on: then nobody does.
static bool divide_meet_all(zone_search *s, bool is_end) {
    ranks_job *with = s->shared->with;
    meeting own = {is_end, limits_met(&s->o->limits), s->p->nodes.len, s->transitions};
    meeting *all = mem_zero(with->count, sizeof *all);
    with->gather(with, &own, all, sizeof own);
    bool is_over = false, differ = false;
    for (uint32_t i = 0; i < with->count; i++) {
        if (all[i].is_end) limits_note(&s->o->limits, (limit_kind)all[i].limit);
        is_over |= all[i].is_end;
        differ |= all[i].nodes != all[0].nodes || all[i].transitions != all[0].transitions;
    }
    free(all);
    if (is_over && !is_end && !limits_met(&s->o->limits)) s->stopped = "another rank came to an end before this one";
    if (!is_over && differ) s->stopped = "internal error: ranks do not find the same";
    return !is_over && !differ;
}

void divide_meet(zone_search *s, bool is_end) {
    zone_share *h = s->shared;
    uint64_t least = s->o->share_least ? s->o->share_least : DIVIDE_LEAST;
    if (!h || h->has_met || (!is_end && s->p->nodes.len <= least)) return;
    h->has_met = true;
    if (!divide_meet_all(s, is_end)) return;
    h->is_divided = s->p->notes_gone = true;
    h->common = s->p->nodes.len;
    expand_init(&h->inbox, s);
    count_once(s);
}

// ---- who has what

static uint32_t owner_of_hash(const zone_share *h, uint64_t hash) {
    return (uint32_t)((hash >> 32) * h->with->count >> 32);
}

static uint32_t owner_of_state(const zone_search *s, const uint64_t *state) {
    return owner_of_hash(s->shared, tuples_hash(s->p->states, state));
}

// Of a node that is not here, `zone` says it.
static uint32_t owner_of_node(const zone_search *s, uint32_t node) {
    if (!passed_is_here(s->p, node)) return s->p->nodes.data[node].zone;
    return owner_of_state(s, passed_state(s->p, node));
}

bool divide_is_elsewhere(const zone_search *s, const uint64_t *state) {
    return is_divided(s) && owner_of_state(s, state) != s->shared->with->mine;
}

void divide_block(zone_search *s, const uint32_t *nodes, uint32_t count, const uint32_t **own, uint32_t *nown) {
    zone_share *h = s->shared;
    *own = nodes;
    *nown = count;
    if (!is_divided(s)) return;
    vec_clear(&h->own);
    vec_clear(&h->places);
    vec_clear(&h->ends);
    for (uint32_t i = 0; i < count; i++) {
        vec_push(&h->ends, UINT64_MAX);
        if (owner_of_node(s, nodes[i]) != h->with->mine) continue;
        vec_push(&h->own, nodes[i]);
        vec_push(&h->places, i);
    }
    *own = h->own.data;
    *nown = h->own.len;
}

// ---- messages

// What out has, for each rank out_words of it, goes there; then in has what the others sent.
static void swap_words(zone_share *h) {
    ranks_job *with = h->with;
    uint64_t total = 0;
    with->gather(with, h->out_words, h->all, with->count * sizeof *h->all);
    for (uint32_t r = 0; r < with->count; r++) {
        h->in_begin[r] = total;
        h->in_words[r] = h->all[(size_t)r * with->count + with->mine];
        total += h->in_words[r];
        h->sent += h->out_words[r] * sizeof *h->out.data;
    }
    vec_reserve(&h->in, total + 1);
    vec_reserve(&h->out, 1);
    with->swap(with, h->out.data, h->out_words, h->in.data, h->in_words);
}

// The same words to all.
static void tell_words(zone_share *h, const words *own) {
    vec_clear(&h->out);
    for (uint32_t r = 0; r < h->with->count; r++) {
        h->out_words[r] = r == h->with->mine ? 0 : own->len;
        vec_reserve(&h->out, h->out.len + h->out_words[r] + 1);
        if (h->out_words[r]) memcpy(h->out.data + h->out.len, own->data, own->len * sizeof *own->data);
        h->out.len += (uint32_t)h->out_words[r];
    }
    swap_words(h);
}

// What a rank told all.
static const uint64_t *words_from(const zone_share *h, const words *own, uint32_t rank, uint64_t *count) {
    *count = rank == h->with->mine ? own->len : h->in_words[rank];
    return rank == h->with->mine ? own->data : h->in.data + h->in_begin[rank];
}

static uint64_t two_words(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

// ---- what was found

static void push_found(zone_search *s, zone_worker *k, uint32_t at, uint32_t parent, uint32_t label, bool is_repeat,
                       uint32_t *place) {
    zone_share *h = s->shared;
    while (h->own.data[*place] != parent) ++*place;
    uint64_t key = two_words(h->found.len, h->places.data[*place]);
    uint32_t owner = owner_of_hash(h, k->keys.data[at].state_hash);
    vec_push(&h->found, (divide_step){key, k, at, parent, label, owner, is_repeat});
}

// Workers have pieces of the block one after the other, and each has its nodes in order: so keys rise.
static void list_found(zone_search *s) {
    uint32_t place = 0;
    vec_clear(&s->shared->found);
    for (uint32_t t = 0; t < s->nworkers; t++) {
        zone_worker *k = &s->workers[t];
        uint32_t next = 0;
        for (uint32_t i = 0; i <= k->out.len; i++) {
            for (; next < k->repeats.len && k->repeats.data[next].before == i; next++) {
                const zone_repeat *r = &k->repeats.data[next];
                push_found(s, k, r->same, r->parent, r->label, true, &place);
            }
            if (i < k->out.len) push_found(s, k, i, k->out.data[i].parent, k->out.data[i].label, false, &place);
        }
    }
}

static bool is_for(const divide_step *t, uint32_t mine, bool mine_too) {
    return !t->k->out.data[t->at].is_trouble && (mine_too || t->owner != mine);
}

// ---- the exchange

static void count_message_words(zone_search *s) {
    zone_share *h = s->shared;
    uint32_t payload = expand_words(s);
    memset(h->out_words, 0, h->with->count * sizeof *h->out_words);
    for (uint32_t i = 0; i < h->found.len; i++) {
        const divide_step *t = &h->found.data[i];
        h->arrivals += !t->is_repeat;
        if (is_for(t, h->with->mine, false)) h->out_words[t->owner] += HEAD + (t->is_repeat ? 0 : payload);
    }
}

// refs: by worker and number, the place of what was sent in its message.
static void write_messages(zone_search *s, uint32_t **refs) {
    zone_share *h = s->shared;
    uint32_t payload = expand_words(s), count = h->with->count;
    uint64_t *cursor = mem_zero(count, sizeof *cursor), total = 0;
    uint32_t *sent = mem_zero(count, sizeof *sent);
    for (uint32_t r = 0; r < count; total += h->out_words[r++]) cursor[r] = total;
    vec_reserve(&h->out, total + 1);
    for (uint32_t i = 0; i < h->found.len; i++) {
        const divide_step *t = &h->found.data[i];
        if (!is_for(t, h->with->mine, false)) continue;
        uint64_t *to = h->out.data + cursor[t->owner];
        uint32_t *ref = &refs[t->k - s->workers][t->at];
        to[0] = t->key;
        to[1] = two_words(t->parent, t->label);
        to[2] = t->is_repeat ? *ref : 0;
        cursor[t->owner] += HEAD + (t->is_repeat ? 0 : payload);
        if (t->is_repeat) continue;
        expand_write(t->k, t->at, to + HEAD);
        *ref = ++sent[t->owner];
    }
    free(cursor);
    free(sent);
}

static void send_found(zone_search *s) {
    uint32_t **refs = mem_zero(s->nworkers, sizeof *refs);
    for (uint32_t t = 0; t < s->nworkers; t++) refs[t] = mem_zero(s->workers[t].out.len + 1, sizeof **refs);
    count_message_words(s);
    write_messages(s, refs);
    for (uint32_t t = 0; t < s->nworkers; t++) free(refs[t]);
    free(refs);
    swap_words(s->shared);
}

static void read_arrivals(zone_search *s, uint32_t rank) {
    zone_share *h = s->shared;
    uint32_t first = h->inbox.out.len, payload = expand_words(s);
    const uint64_t *at = h->in.data + h->in_begin[rank], *end = at + h->in_words[rank];
    while (at < end) {
        uint32_t number = first + (uint32_t)at[2] - 1;
        if (!at[2]) {
            number = h->inbox.out.len;
            expand_read(&h->inbox, at + HEAD);
        }
        uint32_t parent = (uint32_t)at[1], label = (uint32_t)(at[1] >> 32);
        vec_push(&h->takes, (divide_step){at[0], &h->inbox, number, parent, label, h->with->mine, at[2] != 0});
        at += HEAD + (at[2] ? 0 : payload);
    }
    assert(at == end);
}

static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;  // the first member is the key
    return (x > y) - (x < y);
}

static void receive_all(zone_search *s) {
    zone_share *h = s->shared;
    expand_clear(&h->inbox);
    vec_clear(&h->takes);
    for (uint32_t r = 0; r < h->with->count; r++) read_arrivals(s, r);
    for (uint32_t i = 0; i < h->found.len; i++) {
        const divide_step *t = &h->found.data[i];
        if (t->owner == h->with->mine && is_for(t, h->with->mine, true)) vec_push(&h->takes, *t);
    }
    qsort(h->takes.data, h->takes.len, sizeof *h->takes.data, by_key);
}

// ---- when nodes of the block are covered

static int by_state(const void *a, const void *b) {
    const block_node *x = a, *y = b;
    return x->state != y->state ? (x->state > y->state) - (x->state < y->state)
                                : (x->position > y->position) - (x->position < y->position);
}

static block_node *list_block(const zone_search *s) {
    const zone_share *h = s->shared;
    block_node *list = mem_zero(h->own.len + 1, sizeof *list);
    for (uint32_t i = 0; i < h->own.len; i++)
        list[i] = (block_node){s->p->nodes.data[h->own.data[i]].state, h->places.data[i], h->own.data[i]};
    qsort(list, h->own.len, sizeof *list, by_state);
    return list;
}

static uint32_t first_of_state(const block_node *list, uint32_t count, uint32_t state) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (list[middle].state < state) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void tell_coverings(zone_search *s) {
    zone_share *h = s->shared;
    block_node *list = list_block(s);
    vec_clear(&h->told);
    for (uint32_t i = 0; i < h->takes.len && !s->is_exact; i++) {
        const divide_step *t = &h->takes.data[i];
        uint32_t state = t->k->keys.data[t->at].state;
        if (state == TUPLES_NONE) continue;
        passed_item it = expand_item(t->k, t->at);
        for (uint32_t k = first_of_state(list, h->own.len, state); k < h->own.len && list[k].state == state; k++) {
            if (!passed_replaces(s->p, list[k].node, &it)) continue;
            vec_push(&h->told, t->key);
            vec_push(&h->told, list[k].position);
        }
    }
    free(list);
    tell_words(h, &h->told);
}

static bool is_left_out(const zone_share *h, uint64_t key) { return h->ends.data[key >> 32] < key; }

static void agree_on_ends(zone_share *h) {
    words all = {0};
    for (uint32_t r = 0; r < h->with->count; r++) {
        uint64_t count;
        const uint64_t *from = words_from(h, &h->told, r, &count);
        vec_reserve(&all, all.len + count + 1);
        if (count) memcpy(all.data + all.len, from, count * sizeof *from);
        all.len += (uint32_t)count;
    }
    if (all.len) qsort(all.data, all.len / 2, 2 * sizeof *all.data, by_key);
    for (uint32_t i = 0; i < all.len; i += 2) {
        uint64_t key = all.data[i], *end = &h->ends.data[all.data[i + 1]];
        if (!is_left_out(h, key) && *end == UINT64_MAX) *end = key;
    }
    vec_free(&all);
}

// ---- taking

// The first step that fails; what is left out everywhere was not taken after all (take_from in blocks.c).
static void note_left_out(zone_search *s) {
    zone_share *h = s->shared;
    h->trouble = UINT64_MAX;
    for (uint32_t i = 0; i < h->found.len; i++) {
        const divide_step *t = &h->found.data[i];
        zone_arrival *a = &t->k->out.data[t->at];
        if (!t->is_repeat) a->is_left_out = is_left_out(h, t->key);
        else if (!is_left_out(h, t->key)) a->is_left_out = false;
        if (!a->is_trouble || a->is_left_out || h->trouble != UINT64_MAX) continue;
        h->trouble = t->key;
        h->trouble_is = *a;
    }
    for (uint32_t t = 0; t < s->nworkers; t++) {
        zone_worker *k = &s->workers[t];
        for (uint32_t i = 0; k->met && i < k->out.len; i++)
            if (k->out.data[i].is_left_out) recall_forget(k->met, k->out.data[i].place, (int32_t)i);
    }
}

const divide_steps *divide_exchange(zone_search *s) {
    zone_share *h = s->shared;
    list_found(s);
    send_found(s);
    receive_all(s);
    tell_coverings(s);
    agree_on_ends(h);
    note_left_out(s);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->takes.len; i++)
        if (!is_left_out(h, h->takes.data[i].key)) h->takes.data[kept++] = h->takes.data[i];
    h->takes.len = kept;
    vec_clear(&h->told);
    vec_clear(&h->keys);
    vec_clear(&s->p->gone);
    h->base = s->p->nodes.len;
    return &h->takes;
}

// Of a new node: its key | parent and label | size and need | how many it covers | these.
void divide_took(zone_search *s, const divide_step *t, uint32_t nodes_before) {
    zone_share *h = s->shared;
    passed *p = s->p;
    if (p->nodes.len == nodes_before) return;
    const passed_node *is = &vec_last(&p->nodes);
    vec_push(&h->keys, t->key);
    vec_push(&h->told, t->key);
    vec_push(&h->told, two_words(t->parent, t->label));
    vec_push(&h->told, two_words((uint32_t)is->size, (uint32_t)is->need));
    vec_push(&h->told, p->gone.len);
    for (uint32_t i = 0; i < p->gone.len; i++) vec_push(&h->told, p->gone.data[i]);
    vec_clear(&p->gone);
}

// ---- the end of a block

// New nodes of all ranks, in the order of keys.
static new_node *list_new(zone_share *h, uint32_t *total) {
    VEC(new_node) all = {0};
    for (uint32_t r = 0; r < h->with->count; r++) {
        uint64_t count;
        const uint64_t *at = words_from(h, &h->told, r, &count), *end = at + count;
        for (; at < end; at += 4 + at[3]) vec_push(&all, (new_node){at[0], r, at});
    }
    if (all.len) qsort(all.data, all.len, sizeof *all.data, by_key);
    *total = all.len;
    return all.data;
}

// numbers: by rank, those of its new nodes; a node that it covers is one of these, or older.
static void place_node(zone_search *s, uint32_t node, const new_node *n, uint32_t **numbers) {
    zone_share *h = s->shared;
    passed_node *nodes = s->p->nodes.data, *is = &nodes[node];
    is->parent = (uint32_t)n->at[1];
    is->label = (uint32_t)(n->at[1] >> 32);
    is->size = (int32_t)n->at[2];
    is->need = (int32_t)(n->at[2] >> 32);
    is->rank = 0;
    if (n->rank != h->with->mine) is->zone = n->rank;
    for (uint64_t i = 0; i < n->at[3]; i++) {
        uint32_t said = (uint32_t)n->at[4 + i], covered = said < h->base ? said : numbers[n->rank][said - h->base];
        if (nodes[covered].leads_on && nodes[covered].rank >= is->rank) is->rank = nodes[covered].rank + 1;
        if (n->rank != h->with->mine) passed_drop(s->p, covered);
    }
    nodes[is->parent].leads_on = true;
}

static void assert_ends(const zone_search *s) {
    const zone_share *h = s->shared;
    for (uint32_t i = 0; i < h->own.len; i++)
        assert(passed_is_covered(s->p, h->own.data[i]) == (h->ends.data[h->places.data[i]] != UINT64_MAX));
}

static void place_new(zone_search *s, const new_node *all, uint32_t total) {
    zone_share *h = s->shared;
    uint32_t **numbers = mem_zero(h->with->count, sizeof *numbers), *at = mem_zero(h->with->count, sizeof *at);
    for (uint32_t r = 0; r < h->with->count; r++) numbers[r] = mem_zero(total + 1, sizeof **numbers);
    for (uint32_t i = 0; i < total; i++) numbers[all[i].rank][at[all[i].rank]++] = h->base + i;
    assert_ends(s);
    passed_spread(s->p, h->base, numbers[h->with->mine], total);
    for (uint32_t i = 0; i < total; i++) place_node(s, h->base + i, &all[i], numbers);
    for (uint32_t r = 0; r < h->with->count; r++) free(numbers[r]);
    free(numbers);
    free(at);
}

static uint32_t number_of_key(const zone_share *h, const new_node *all, uint32_t total, uint64_t key) {
    const new_node *is = bsearch(&key, all, total, sizeof *all, by_key);
    assert(is);
    return h->base + (uint32_t)(is - all);
}

// The lowest of n numbers of each rank, into own; which rank has it.
static void find_lowest(zone_share *h, uint64_t *own, uint32_t *who, uint32_t n) {
    uint64_t *all = mem_zero((size_t)h->with->count * n + 1, sizeof *all);
    if (n) h->with->gather(h->with, own, all, n * sizeof *own);
    for (uint32_t i = 0; i < n; i++) {
        who[i] = 0;
        for (uint32_t r = 1; r < h->with->count; r++)
            if (all[(size_t)r * n + i] < all[(size_t)who[i] * n + i]) who[i] = r;
        own[i] = all[(size_t)who[i] * n + i];
    }
    free(all);
}

static void share_answer(zone_search *s, zone_ask *a, uint32_t who, uint32_t node) {
    ranks_job *with = s->shared->with;
    size_t bytes = dbm_bytes(s->x->n);
    bound *piece = mem_zero(1, bytes);
    if (who == with->mine) memcpy(piece, a->piece, bytes);
    with->tell(with, who, piece, bytes);
    zone_found(s, a, node, piece);
    free(piece);
}

// keys: of what each rank found in this block.
static void share_answers(zone_search *s, uint64_t *keys, const new_node *all, uint32_t total) {
    zone_share *h = s->shared;
    uint32_t *who = mem_zero(s->asks.len + 1, sizeof *who);
    find_lowest(h, keys, who, s->asks.len);
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (keys[i] != UINT64_MAX) share_answer(s, &s->asks.data[i], who[i], number_of_key(h, all, total, keys[i]));
    free(who);
}

static uint64_t *answer_keys(const zone_search *s) {
    const zone_share *h = s->shared;
    uint64_t *keys = mem_zero(s->asks.len + 1, sizeof *keys);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const zone_ask *a = &s->asks.data[i];
        keys[i] = a->is_found && a->node >= h->base ? h->keys.data[a->node - h->base] : UINT64_MAX;
    }
    return keys;
}

static void share_trouble(zone_search *s) {
    zone_share *h = s->shared;
    uint32_t who;
    find_lowest(h, &h->trouble, &who, 1);
    if (h->trouble == UINT64_MAX || s->trouble.is_trouble) return;
    h->with->tell(h->with, who, &h->trouble_is, sizeof h->trouble_is);
    s->trouble = h->trouble_is;
}

// n numbers, added up over all ranks.
static void add_up(zone_share *h, uint64_t *numbers, uint32_t n) {
    uint64_t *all = mem_zero((size_t)h->with->count * n + 1, sizeof *all);
    h->with->gather(h->with, numbers, all, n * sizeof *all);
    memset(numbers, 0, n * sizeof *numbers);
    for (uint32_t r = 0; r < h->with->count; r++)
        for (uint32_t i = 0; i < n; i++) numbers[i] += all[(size_t)r * n + i];
    free(all);
}

void divide_end_block(zone_search *s) {
    zone_share *h = s->shared;
    uint32_t total;
    uint64_t *keys = answer_keys(s), transitions = 0;
    tell_words(h, &h->told);
    new_node *all = list_new(h, &total);
    place_new(s, all, total);
    share_answers(s, keys, all, total);
    share_trouble(s);
    for (uint32_t t = 0; t < s->nworkers; t++) {
        transitions += s->workers[t].transitions;
        s->workers[t].transitions = 0;
        expand_clear(&s->workers[t]);
    }
    add_up(h, &transitions, 1);
    s->transitions += transitions;
    free(keys);
    free(all);
}

// ---- limits

typedef struct {
    uint64_t goes_on, is_stopped, limit;
} agreement;

// Why a rank stops, all say.
static void share_why(zone_search *s, uint32_t who) {
    zone_share *h = s->shared;
    if (s->stopped) snprintf(h->why, sizeof h->why, "%s", s->stopped);
    h->with->tell(h->with, who, h->why, sizeof h->why);
    s->stopped = h->why;
}

bool divide_agree(zone_search *s, bool goes_on) {
    zone_share *h = s->shared;
    if (!is_divided(s)) return goes_on;
    agreement own = {goes_on, s->stopped != NULL, limits_met(&s->o->limits)};
    agreement *all = mem_zero(h->with->count, sizeof *all);
    uint32_t who = h->with->count;
    h->with->gather(h->with, &own, all, sizeof own);
    for (uint32_t r = h->with->count; r-- > 0;) {
        goes_on &= all[r].goes_on;
        if (all[r].is_stopped) who = r;
        if (!all[r].goes_on) limits_note(&s->o->limits, (limit_kind)all[r].limit);
    }
    free(all);
    if (who < h->with->count) share_why(s, who);
    return goes_on;
}

// ---- what was promised (trial.c)

static uint32_t zone_words(const zone_search *s) { return (s->x->n * s->x->n + 1) / 2; }

static uint32_t promise_words(const zone_search *s) { return s->x->words + zone_words(s) + s->x->n; }

// Without bounds (NULL) it must be included.
void divide_promise(zone_search *s, const uint64_t *state, const bound *d, const int32_t *lower, const int32_t *upper) {
    zone_share *h = s->shared;
    uint32_t n = s->x->n, length = promise_words(s);
    vec_reserve(&h->promises, h->promises.len + length);
    uint64_t *to = h->promises.data + h->promises.len;
    memset(to, 0, length * sizeof *to);
    memcpy(to, state, s->x->words * sizeof *to);
    memcpy(to += s->x->words, d, n * n * sizeof *d);
    int32_t *most = (int32_t *)(to + zone_words(s));
    if (lower) memcpy(most, lower, n * sizeof *lower);
    if (lower) memcpy(most + n, upper, n * sizeof *upper);
    h->promises.len += length;
}

static bool is_promise_kept(const zone_search *s, const uint64_t *at) {
    const bound *d = (const bound *)(at + s->x->words);
    const int32_t *most = (const int32_t *)(at + s->x->words + zone_words(s));
    if (passed_includes(s->p, at, d, NULL, 0)) return true;
    passed_item it = {.state = at, .d = d, .lower = most, .upper = most + s->x->n};
    return s->x->is_abstract && passed_covers(s->p, &it);
}

static void send_promises(zone_search *s) {
    zone_share *h = s->shared;
    uint32_t length = promise_words(s);
    vec_clear(&h->out);
    for (uint32_t r = 0; r < h->with->count; r++) {
        uint32_t before = h->out.len;
        for (uint32_t i = 0; i < h->promises.len; i += length) {
            if (owner_of_state(s, h->promises.data + i) != r) continue;
            vec_reserve(&h->out, h->out.len + length);
            memcpy(h->out.data + h->out.len, h->promises.data + i, length * sizeof *h->out.data);
            h->out.len += length;
        }
        h->out_words[r] = h->out.len - before;
    }
    swap_words(h);
}

static void ask_promises(zone_search *s) {
    zone_share *h = s->shared;
    send_promises(s);
    for (uint32_t r = 0; r < h->with->count; r++) {
        const uint64_t *at = h->in.data + h->in_begin[r], *end = at + h->in_words[r];
        for (; at < end && !trial_failed(s->check); at += promise_words(s))
            if (!is_promise_kept(s, at)) trial_break_promise(s->check, at);
    }
}

// ---- the end

// The first rank whose trials failed says how.
static void share_trials(zone_search *s) {
    zone_share *h = s->shared;
    uint64_t has = !trial_failed(s->check);
    uint32_t who;
    trial_told told = {0};
    find_lowest(h, &has, &who, 1);
    trial_tell(s->check, &told);
    if (!has) {
        h->with->tell(h->with, who, &told.failed, sizeof told.failed);
        h->with->tell(h->with, who, told.text, sizeof told.text);
    }
    add_up(h, told.count, TRIAL_KINDS);
    trial_hear(s->check, &told, !has);
}

static void share_fired(zone_search *s) {
    uint32_t n = s->x->labels.len;
    uint64_t *first = s->workers[0].fired;
    for (uint32_t t = 1; t < s->nworkers; t++)
        for (uint32_t i = 0; i < n; i++) first[i] += s->workers[t].fired[i], s->workers[t].fired[i] = 0;
    add_up(s->shared, first, n);
}

void divide_end(zone_search *s) {
    zone_share *h = s->shared;
    divide_meet(s, true);
    if (!is_divided(s)) return;
    if (s->check) {
        ask_promises(s);
        share_trials(s);
    }
    share_fired(s);
    uint64_t sums[] = {passed_bytes(s->p), h->sent, h->arrivals};
    add_up(h, sums, 3);
    h->memory = sums[0];
    h->bytes = sums[1];
    h->looked_up = sums[2];
}

// ---- what was found comes together

// A node of a run, from who has it.
static uint32_t collect_node(zone_search *s, passed *to, uint32_t node, uint32_t parent) {
    zone_share *h = s->shared;
    uint32_t n = s->x->n, length = s->x->words + zone_words(s), owner = owner_of_node(s, node);
    uint64_t *told = mem_zero(length + 1, sizeof *told);
    matrix d;
    bool is_new;
    if (passed_is_here(s->p, node)) {
        passed_zone(s->p, node, d.d);
        memcpy(told, passed_state(s->p, node), s->x->words * sizeof *told);
        memcpy(told + s->x->words, d.d, n * n * sizeof *d.d);
    }
    h->with->tell(h->with, owner, told, length * sizeof *told);
    memcpy(d.d, told + s->x->words, n * n * sizeof *d.d);
    uint32_t number = passed_put(to, told, d.d, parent, s->p->nodes.data[node].label, true, &is_new);
    free(told);
    return number;
}

static uint32_t collect_run(zone_search *s, passed *to, uint32_t node) {
    VEC(uint32_t) path = {0};
    uint32_t number = UINT32_MAX;
    for (uint32_t i = node; i != UINT32_MAX; i = s->p->nodes.data[i].parent) vec_push(&path, i);
    for (uint32_t i = path.len; i-- > 0;) number = collect_node(s, to, path.data[i], number);
    vec_free(&path);
    return number;
}

// States that are only here, in the order in which they were found: the number of their first node, and they.
static void list_states(const zone_search *s, words *out) {
    const passed *p = s->p;
    uint8_t *is_known = mem_zero(p->heads.len + 1, 1);
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        uint32_t state = p->nodes.data[i].state;
        if (state == TUPLES_NONE || is_known[state]) continue;
        is_known[state] = true;
        if (i < s->shared->common) continue;
        vec_push(out, i);
        vec_reserve(out, out->len + s->x->words);
        memcpy(out->data + out->len, tuples_get(p->states, state), s->x->words * sizeof *out->data);
        out->len += s->x->words;
    }
    free(is_known);
}

static int by_first_node(const void *a, const void *b) {
    return by_key(*(const uint64_t *const *)a, *(const uint64_t *const *)b);
}

static void put_plain_state(passed *to, const uint64_t *state) {
    if (tuples_put(to->states, state) == to->heads.len) vec_push(&to->heads, UINT32_MAX);
}

static void put_common(const zone_search *s, passed *to) {
    for (uint32_t i = 0; i < s->shared->common; i++) put_plain_state(to, passed_state(s->p, i));
}

// On rank 0, in the order in which one rank would have found them.
static void collect_states(zone_search *s, passed *to) {
    zone_share *h = s->shared;
    words own = {0};
    VEC(const uint64_t *) all = {0};
    uint64_t count;
    uint32_t length = s->x->words + 1;
    list_states(s, &own);
    memset(h->out_words, 0, h->with->count * sizeof *h->out_words);
    if (h->with->mine) h->out_words[0] = own.len;
    vec_clear(&h->out);
    vec_reserve(&h->out, own.len + 1);
    if (h->with->mine && own.len) memcpy(h->out.data, own.data, own.len * sizeof *own.data);
    swap_words(h);
    put_common(s, to);
    for (uint32_t r = 0; r < h->with->count; r++) {
        const uint64_t *at = words_from(h, &own, r, &count);
        for (uint64_t i = 0; i < count && !h->with->mine; i += length) vec_push(&all, at + i);
    }
    if (all.len) qsort(all.data, all.len, sizeof *all.data, by_first_node);
    for (uint32_t i = 0; i < all.len; i++) put_plain_state(to, all.data[i] + 1);
    vec_free(&all);
    vec_free(&own);
}

void divide_collect(zone_search *s, bool wants_states) {
    if (!is_divided(s)) return;
    passed *to = passed_new(s->x->words, s->x->n, !net_is_narrow(s->x));
    if (wants_states) collect_states(s, to);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        zone_ask *a = &s->asks.data[i];
        if (a->is_found) a->node = collect_run(s, to, a->node);
    }
    if (s->trouble.is_trouble && s->trouble.parent != UINT32_MAX)
        s->trouble.parent = collect_run(s, to, s->trouble.parent);
    passed_free(s->p);
    s->p = to;
}
