// SPDX-License-Identifier: Apache-2.0
// Who may have written what was read: see digest.h. Writers of one (key, value) are a list in a hash table, the latest
// first; with real time a list is followed only until its writers are surely overwritten, so that repeated values cost
// as much as the transactions that overlap. Pending writers have lists of their own, since they never end.
#include "history/digest.h"

#include <string.h>

enum { MOST_CANDIDATES = 100000000 };

typedef struct {
    digest *d;
    uint32_t *heads;    // by hash: index of writes + 1
    uint32_t *pending;  // the same for pending writers
    uint32_t *next;     // beside writes: the one before it in its list
    uint32_t mask;
    bool has_pending;
} sources;

static uint32_t source_hash(const sources *s, uint32_t key, uint32_t value) {
    uint64_t x = ((uint64_t)key << 32 | value) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(x >> 32) & s->mask;
}

static bool source_is_pending(const digest *d, uint32_t tx) { return d->h->txs.data[tx].outcome == TX_PENDING; }

static void sources_make(sources *s, digest *d) {
    uint32_t size = 64;
    while (size < d->writes.len && size < (1u << 30)) size *= 2;
    *s = (sources){.d = d, .mask = size - 1};
    s->heads = mem_zero(size, sizeof *s->heads);
    s->next = mem_zero((size_t)d->writes.len + 1, sizeof *s->next);
    for (uint32_t t = 0; t < d->h->txs.len; t++) s->has_pending |= source_is_pending(d, t);
    if (s->has_pending) s->pending = mem_zero(size, sizeof *s->pending);
    for (uint32_t i = 0; i < d->writes.len; i++) {
        const digest_write *w = &d->writes.data[i];
        uint32_t *heads = source_is_pending(d, w->tx) ? s->pending : s->heads, h = source_hash(s, w->key, w->value);
        s->next[i] = heads[h];
        heads[h] = i + 1;
    }
}

static void source_sources_free(sources *s) {
    free(s->heads);
    free(s->pending);
    free(s->next);
}

// ---- candidates of one read

// With real time: the latest beginning of a writer that was over before the reader began. Whoever ended before that is
// overwritten.
static uint64_t overwritten_until(const digest *d, const digest_read *r) {
    const recorded_tx *txs = d->h->txs.data;
    uint32_t low = d->key_first[r->key], high = d->key_first[r->key + 1], first = low;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->writes.data[middle].tx < r->tx) low = middle + 1;
        else high = middle;
    }
    for (uint32_t i = low; i-- > first;) {
        const recorded_tx *x = &txs[d->writes.data[i].tx];
        if (x->outcome == TX_COMMITTED && x->ends < txs[r->tx].begins) return x->begins;
    }
    return 0;
}

static bool is_candidate(const digest *d, const digest_read *r, const digest_write *w) {
    const recorded_tx *x = &d->h->txs.data[w->tx];
    uint32_t value = r->is_list ? d->h->links.data[r->value].element : r->value;
    if (w->key != r->key || w->value != value || w->tx == r->tx || d->writes_count[w->tx] == COUNTS_NOT) return false;
    if (d->l == LEVEL_OPAQUE && x->commits > r->answer) return false;
    return !level_needs_times(d->l) || x->begins <= d->h->txs.data[r->tx].ends;
}

static void add_from_list(const sources *s, const digest_read *r, uint32_t head, bool is_pending) {
    digest *d = s->d;
    uint64_t until = 0;
    uint32_t found = 0;
    bool is_known = false;
    for (uint32_t i = head; i; i = s->next[i - 1]) {
        const digest_write *w = &d->writes.data[i - 1];
        if (w->key != r->key) continue;
        if (found && d->latest_end && !is_known && !is_pending) until = overwritten_until(d, r), is_known = true;
        if (until && d->latest_end[i - 1] < until) return;
        if (!is_candidate(d, r, w)) continue;
        if (until && d->h->txs.data[w->tx].ends < until) continue;
        vec_push(&d->candidates, w->tx);
        found++;
    }
}

static bool may_be_initial(const digest *d, const digest_read *r) {
    if (r->is_list) return r->value == 0;
    return recorded_initial(d->h, r->key) == r->value;
}

static void source_find_candidates(const sources *s, digest_read *r) {
    digest *d = s->d;
    r->first = d->candidates.len;
    if (may_be_initial(d, r)) vec_push(&d->candidates, DIGEST_INITIAL);
    uint32_t value = r->is_list ? d->h->links.data[r->value].element : r->value;
    if (!r->is_list || r->value) {
        uint32_t hash = source_hash(s, r->key, value);
        add_from_list(s, r, s->heads[hash], false);
        if (s->pending) add_from_list(s, r, s->pending[hash], true);  // they never end: nothing overwrites them surely
    }
    r->candidates = d->candidates.len - r->first;
    r->writer = DIGEST_OPEN;
    if (r->candidates != 1) return;
    r->writer = d->candidates.data[r->first];
    if (d->reads_count[r->tx] != COUNTS_MAYBE) d->candidates.len = r->first;
}

// ---- who appended what

static void index_appenders(digest *d) {
    const recorded *h = d->h;
    d->appenders = map_new();
    for (uint32_t t = 0; t < h->txs.len; t++)
        for (uint32_t i = h->txs.data[t].first; i < h->txs.data[t].first + h->txs.data[t].count; i++) {
            if (recorded_kind(h, i) != OP_APPEND || d->writes_count[t] == COUNTS_NOT) continue;
            const uint32_t pair[] = {recorded_key(h, i), h->op_value.data[i]};
            if (!map_put(d->appenders, pair, sizeof pair, t))
                d->trouble = "an element is appended twice to one list, so it is not known who appended what was read";
        }
}

static uint32_t appender_of(const digest *d, uint32_t key, uint32_t list) {
    const uint32_t pair[] = {key, d->h->links.data[list].element};
    return map_get(d->appenders, pair, sizeof pair, UINT32_MAX);
}

// ---- which pending transactions count

static void drop_candidates(digest *d, digest_read *r) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->candidates; i++) {
        uint32_t w = d->candidates.data[r->first + i];
        if (w == DIGEST_INITIAL || d->writes_count[w] != COUNTS_NOT) d->candidates.data[r->first + kept++] = w;
    }
    r->candidates = kept;
    r->writer = kept == 1 ? d->candidates.data[r->first] : DIGEST_OPEN;
}

// A pending transaction that read what nobody wrote has not committed, and then nobody read from it.
static bool drop_impossible(digest *d) {
    bool changed = false;
    for (uint32_t i = 0; i < d->reads.len; i++) {
        digest_read *r = &d->reads.data[i];
        if (r->candidates && r->writer == DIGEST_OPEN) drop_candidates(d, r);
        else if (r->candidates == 1 && r->writer != DIGEST_INITIAL && d->writes_count[r->writer] == COUNTS_NOT)
            r->candidates = 0;
        if (r->candidates || d->reads_count[r->tx] != COUNTS_MAYBE) continue;
        d->reads_count[r->tx] = d->writes_count[r->tx] = COUNTS_NOT;
        changed = true;
    }
    return changed;
}

typedef VEC(uint32_t) tx_stack;

static void promote(digest *d, tx_stack *stack, uint32_t w) {
    if (w == DIGEST_INITIAL || w == DIGEST_OPEN || d->writes_count[w] != COUNTS_MAYBE) return;
    d->writes_count[w] = COUNTS;
    if (d->reads_count[w] == COUNTS) return;
    d->reads_count[w] = COUNTS;
    vec_push(stack, w);
}

// Of a list, all that appended to it were read.
static void promote_writers(digest *d, tx_stack *stack, const digest_read *r) {
    promote(d, stack, r->writer);
    for (uint32_t list = r->is_list ? r->value : 0; list; list = d->h->links.data[list].before) {
        uint32_t tx = appender_of(d, r->key, list);
        if (tx != UINT32_MAX) promote(d, stack, tx);
    }
}

static void count_those_read(digest *d) {
    tx_stack stack = {0};
    for (uint32_t i = 0; i < d->reads.len; i++)
        if (d->reads_count[d->reads.data[i].tx] == COUNTS) promote_writers(d, &stack, &d->reads.data[i]);
    while (stack.len) {
        uint32_t t = vec_pop(&stack);
        for (uint32_t i = d->tx_first[t]; i < d->tx_first[t + 1]; i++) promote_writers(d, &stack, &d->reads.data[i]);
    }
    vec_free(&stack);
}

static void reach(digest *d, tx_stack *stack, uint8_t *is_reached, const digest_read *r) {
    for (uint32_t i = 0; r->writer == DIGEST_OPEN && i < r->candidates; i++) {
        uint32_t w = d->candidates.data[r->first + i];
        if (w == DIGEST_INITIAL || is_reached[w] || d->writes_count[w] != COUNTS_MAYBE) continue;
        is_reached[w] = 1;
        vec_push(stack, w);
    }
    uint32_t w = r->writer;
    if (w == DIGEST_OPEN || w == DIGEST_INITIAL || is_reached[w] || d->writes_count[w] != COUNTS_MAYBE) return;
    is_reached[w] = 1;
    vec_push(stack, w);
}

// Those that nobody who counts can have read from, even through others, count as not committed.
static void drop_those_unread(digest *d) {
    uint8_t *is_reached = mem_zero((size_t)d->h->txs.len + 1, 1);
    tx_stack stack = {0};
    for (uint32_t i = 0; i < d->reads.len; i++)
        if (d->reads_count[d->reads.data[i].tx] == COUNTS) reach(d, &stack, is_reached, &d->reads.data[i]);
    while (stack.len) {
        uint32_t t = vec_pop(&stack);
        for (uint32_t i = d->tx_first[t]; i < d->tx_first[t + 1]; i++) reach(d, &stack, is_reached, &d->reads.data[i]);
    }
    for (uint32_t t = 0; t < d->h->txs.len; t++)
        if (d->writes_count[t] == COUNTS_MAYBE && !is_reached[t]) {
            d->writes_count[t] = COUNTS_NOT;
            if (d->reads_count[t] == COUNTS_MAYBE) d->reads_count[t] = COUNTS_NOT;
        }
    free(is_reached);
    vec_free(&stack);
}

static void keep_what_counts(digest *d) {
    uint32_t kept = 0, nkeys = names_count(&d->h->keys);
    for (uint32_t k = 0; k < nkeys; k++) {
        uint32_t from = d->key_first[k], to = d->key_first[k + 1];
        d->key_first[k] = kept;
        for (uint32_t i = from; i < to; i++)
            if (d->writes_count[d->writes.data[i].tx] != COUNTS_NOT) d->writes.data[kept++] = d->writes.data[i];
    }
    d->key_first[nkeys] = d->writes.len = kept;
    uint32_t reads = 0;
    for (uint32_t t = 0; t < d->h->txs.len; t++) {
        uint32_t from = d->tx_first[t], to = d->tx_first[t + 1];
        d->tx_first[t] = reads;
        for (uint32_t i = from; i < to; i++)
            if (d->reads_count[t] != COUNTS_NOT) d->reads.data[reads++] = d->reads.data[i];
    }
    d->tx_first[d->h->txs.len] = d->reads.len = reads;
}

static void decide_pending(digest *d) {
    while (drop_impossible(d)) {}
    count_those_read(d);
    drop_those_unread(d);
    keep_what_counts(d);
}

// ---- lists

typedef struct {
    digest *d;
    uint32_t *longest;  // by key: the read with the longest list, index + 1
    uint32_t *depth;    // by list: its length
    uint32_t *in_list;  // by transaction: key + 1 whose longest list it is in
} lists;

static bool lists_wrong(lists *l, const digest_read *r, uint32_t other) {
    if (l->d->wrong.kind == MISFIT_NONE) l->d->wrong = (misfit){MISFIT_LISTS, r->tx, r->op, other};
    return false;
}

// How many elements a transaction appended to the key.
static uint32_t appended_by(const recorded *h, uint32_t tx, uint32_t key) {
    uint32_t n = 0;
    const recorded_tx *x = &h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++)
        n += recorded_kind(h, i) == OP_APPEND && recorded_key(h, i) == key;
    return n;
}

// The list, from its end: groups of elements, each all that one transaction appended, in its order.
static bool order_of_list(lists *l, const digest_read *r) {
    const recorded *h = l->d->h;
    uint32_t later = UINT32_MAX;
    for (uint32_t list = r->value; list;) {
        uint32_t tx = appender_of(l->d, r->key, list);
        bool is_new = tx != UINT32_MAX && l->in_list[tx] != r->key + 1;
        if (!is_new || l->d->writes_count[tx] != COUNTS) return lists_wrong(l, r, UINT32_MAX);
        const recorded_tx *x = &h->txs.data[tx];
        for (uint32_t i = x->first + x->count, left = appended_by(h, tx, r->key); left && i-- > x->first;) {
            if (recorded_kind(h, i) != OP_APPEND || recorded_key(h, i) != r->key) continue;
            if (!list || h->links.data[list].element != h->op_value.data[i]) return lists_wrong(l, r, UINT32_MAX);
            list = h->links.data[list].before;
            left--;
        }
        if (later != UINT32_MAX) {
            vec_push(&l->d->list_order, tx);
            vec_push(&l->d->list_order, later);
        }
        later = tx;
        l->in_list[tx] = r->key + 1;
    }
    return true;
}

// Appenders that are not in the longest list come after it.
static void order_the_rest(lists *l, const digest_read *r) {
    digest *d = l->d;
    if (!r->value) return;
    uint32_t last = appender_of(l->d, r->key, r->value);
    for (uint32_t i = d->key_first[r->key]; i < d->key_first[r->key + 1]; i++) {
        uint32_t tx = d->writes.data[i].tx;
        if (l->in_list[tx] == r->key + 1) continue;
        vec_push(&d->list_order, last);
        vec_push(&d->list_order, tx);
    }
}

// Opacity: everyone whose element is in the list had called commit before it was read.
static void check_calls(lists *l) {
    const digest *d = l->d;
    for (uint32_t i = 0; i < d->reads.len; i++) {
        const digest_read *r = &d->reads.data[i];
        for (uint32_t list = r->is_list ? r->value : 0; list; list = d->h->links.data[list].before) {
            uint32_t tx = appender_of(d, r->key, list);
            if (tx != UINT32_MAX && d->h->txs.data[tx].commits > r->answer) lists_wrong(l, r, UINT32_MAX);
        }
    }
}

static void find_longest(lists *l) {
    const digest *d = l->d;
    for (uint32_t i = 1; i < d->h->links.len; i++) l->depth[i] = l->depth[d->h->links.data[i].before] + 1;
    for (uint32_t i = 0; i < d->reads.len; i++) {
        const digest_read *r = &d->reads.data[i];
        uint32_t *best = &l->longest[r->key];
        if (!r->is_list) continue;
        if (!*best || l->depth[d->reads.data[*best - 1].value] < l->depth[r->value]) *best = i + 1;
    }
}

static void check_prefixes(lists *l) {
    const digest *d = l->d;
    for (uint32_t i = 0; i < d->reads.len; i++) {
        const digest_read *r = &d->reads.data[i];
        if (!r->is_list) continue;
        const digest_read *best = &d->reads.data[l->longest[r->key] - 1];
        uint32_t list = best->value;
        while (l->depth[list] > l->depth[r->value]) list = d->h->links.data[list].before;
        if (list != r->value) lists_wrong(l, r, best->op);
    }
}

static void order_lists(digest *d) {
    lists l = {.d = d};
    uint32_t nkeys = names_count(&d->h->keys);
    l.longest = mem_zero((size_t)nkeys + 1, sizeof *l.longest);
    l.depth = mem_zero((size_t)d->h->links.len + 1, sizeof *l.depth);
    l.in_list = mem_zero((size_t)d->h->txs.len + 1, sizeof *l.in_list);
    find_longest(&l);
    check_prefixes(&l);
    if (d->l == LEVEL_OPAQUE) check_calls(&l);
    for (uint32_t k = 0; k < nkeys && d->wrong.kind == MISFIT_NONE; k++)
        if (l.longest[k] && order_of_list(&l, &d->reads.data[l.longest[k] - 1]))
            order_the_rest(&l, &d->reads.data[l.longest[k] - 1]);
    free(l.longest);
    free(l.in_list);
    free(l.depth);
}

// ---- all of it

static bool has_lists(const digest *d) {
    for (uint32_t i = 0; i < d->h->op_key.len; i++)
        if (recorded_kind(d->h, i) == OP_APPEND || recorded_kind(d->h, i) == OP_READ_LIST) return true;
    return false;
}

static void find_unwritten(digest *d) {
    for (uint32_t i = 0; i < d->reads.len && d->wrong.kind == MISFIT_NONE; i++) {
        const digest_read *r = &d->reads.data[i];
        if (!r->candidates && d->reads_count[r->tx] == COUNTS)
            d->wrong = (misfit){MISFIT_NO_WRITER, r->tx, r->op, UINT32_MAX};
    }
}

void digest_find_writers(digest *d, const limits *stop) {
    sources s;
    uint32_t steps = 0;
    bool is_about_lists = has_lists(d);
    if (is_about_lists) index_appenders(d);
    sources_make(&s, d);
    for (uint32_t i = 0; i < d->reads.len && !d->trouble; i++) {
        source_find_candidates(&s, &d->reads.data[i]);
        if (d->candidates.len > MOST_CANDIDATES) d->trouble = "too many writers wrote the values that were read";
        if (limits_met_lately(stop, &steps)) d->trouble = limits_why(stop);
    }
    if (!d->trouble && s.has_pending) decide_pending(d);
    source_sources_free(&s);
    if (d->trouble) return;
    find_unwritten(d);
    if (d->wrong.kind == MISFIT_NONE && is_about_lists) order_lists(d);
}
