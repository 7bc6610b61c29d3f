// SPDX-License-Identifier: Apache-2.0
// Counts of a recorded history: see stats.h. Overlaps are counted in one sweep over beginnings and ends.
#include "history/stats.h"

#include "base/map.h"
#include "base/order.h"

static void count_ops(const recorded *h, history_stats *x) {
    map *seen = map_new();
    for (uint32_t i = 0; i < h->op_key.len; i++) {
        bool is_write = recorded_is_write(h, i);
        x->writes += is_write;
        x->reads += !is_write;
        if (!is_write || recorded_kind(h, i) != OP_WRITE) continue;
        uint32_t key = recorded_key(h, i), value = h->op_value.data[i];
        const uint32_t pair[] = {key, value};
        x->repeated += !map_put(seen, pair, sizeof pair, 1) || recorded_initial(h, key) == value;
    }
    map_free(seen);
}

// Two transactions overlap unless one ended before the other began. Each beginning meets those that are open.
static void count_overlaps(const recorded *h, history_stats *x) {
    uint32_t n = h->txs.len, e = 0, ended = 0;
    uint64_t *ends = mem_alloc(((size_t)n + 1) * sizeof *ends), pairs = 0;
    for (uint32_t t = 0; t < n; t++)
        if (h->txs.data[t].ends != RECORDED_NEVER) ends[ended++] = h->txs.data[t].ends;
    if (ended) qsort(ends, ended, sizeof *ends, order_u64);
    for (uint32_t t = 0; t < n; t++) {
        while (e < ended && ends[e] < h->txs.data[t].begins) e++;
        uint64_t open = t - e;
        pairs += open;
        if (open + 1 > x->most_open) x->most_open = open + 1;
    }
    x->mean_overlap = n ? 2.0 * (double)pairs / n : 0;
    free(ends);
}

void stats_count(const recorded *h, history_stats *x) {
    *x = (history_stats){.sessions = names_count(&h->sessions), .transactions = h->txs.len, .events = h->events};
    x->keys = names_count(&h->keys);
    x->has_times = h->has_times;
    for (uint32_t t = 0; t < h->txs.len; t++) {
        x->outcomes[h->txs.data[t].outcome]++;
        if (h->txs.data[t].count > x->longest) x->longest = h->txs.data[t].count;
    }
    count_ops(h, x);
    if (h->has_times) count_overlaps(h, x);
}
