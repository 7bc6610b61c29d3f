// SPDX-License-Identifier: Apache-2.0
// Who cannot have written what was read: see points.h. A candidate is out if the read is before it, or if another
// writer of the key is known to be between the two.
#include "history/points.h"

// Some writer other than r is after `from` (a position in each chain, or the beginning) and before r.
static bool is_overwritten(const points *p, const reach *r, const digest_read *q, uint32_t w) {
    const uint32_t *before = r->before + (size_t)point_read(p, q->tx) * r->nchains;
    const uint32_t *after = w == DIGEST_INITIAL ? NULL : r->after + (size_t)point_commit(p, w) * r->nchains;
    for (uint32_t c = 0; c < r->nchains; c++) {
        if (!before[c] || (after && after[c] == POINTS_NONE)) continue;
        uint32_t pos = after ? after[c] + (c == r->chain[w]) : 0;
        uint32_t i = reach_write_from(r, q->key, c, pos);
        if (i == POINTS_NONE || r->tx[i] == q->tx) continue;
        if ((uint32_t)r->at[i] < before[c]) return true;
    }
    return false;
}

static bool is_out(const points *p, const reach *r, const digest_read *q, uint32_t w) {
    if (w != DIGEST_INITIAL && reach_is_before(r, p, point_read(p, q->tx), point_commit(p, w))) return true;
    return is_overwritten(p, r, q, w);
}

static uint32_t narrow_read(points *p, const reach *r, digest_read *q) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < q->candidates; i++) {
        uint32_t w = p->d->candidates.data[q->first + i];
        if (!is_out(p, r, q, w)) p->d->candidates.data[q->first + kept++] = w;
    }
    return q->candidates = kept;
}

// The only one left has written it; if it was pending, it has committed, and what it read counts.
static void settle_read(points *p, digest_read *q, uint32_t index) {
    digest *d = p->d;
    q->writer = d->candidates.data[q->first];
    if (q->writer == DIGEST_INITIAL) return;
    points_edge(p, point_commit(p, q->writer), point_read(p, q->tx), EDGE_FROM, index);
}

bool narrow_candidates(points *p, const reach *r, bool *changed, uint32_t *stuck) {
    digest *d = p->d;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < d->reads.len; i++) {
        digest_read *q = &d->reads.data[i];
        if (q->writer != DIGEST_OPEN || d->reads_count[q->tx] != COUNTS) continue;
        *stuck = i;
        if (!narrow_read(p, r, q)) return false;
        uint32_t only = q->candidates == 1 ? d->candidates.data[q->first] : DIGEST_OPEN;
        // An undecided writer stays a choice, since others do not know yet that it counts.
        if (only == DIGEST_OPEN || (only != DIGEST_INITIAL && d->writes_count[only] != COUNTS)) continue;
        settle_read(p, q, i);
        *changed = true;
        if (limits_met_lately(p->stop, &steps)) return true;
    }
    return true;
}
