// SPDX-License-Identifier: Apache-2.0
// The level that is expanded, by positions: see batches.h.
#include "explore/batches.h"

#include "explore/order.h"
#include "explore/search.h"

static const order_level *cut_before(const search *s, uint32_t batch) {
    return &s->x->numbers.marks.data[s->first_cut + batch - 1].level;
}

static strips batch_strips(const search *s, uint32_t batch) {
    return (strips){.begin = batch ? cut_before(s, batch)->begin : s->level_begin,
                    .end = batch < s->ncuts ? cut_before(s, batch + 1)->begin : s->level_end};
}

// The position of its first state.
static uint64_t batch_first(const search *s, uint32_t batch) {
    return batch ? cut_before(s, batch)->first - s->level_first : 0;
}

static uint64_t batch_end(const search *s, uint32_t batch) {
    return batch < s->ncuts ? batch_first(s, batch + 1) : s->level_size;
}

static uint64_t sum_parts(const uint32_t *counts) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) sum += counts[p];
    return sum;
}

void batches_begin(search *s) {
    s->level_first = sum_parts(s->level_begin);
    s->level_size = sum_parts(s->level_end) - s->level_first;
    s->ncuts = order_cuts(&s->x->numbers, s->level_first, s->level_size, &s->first_cut);
}

// Cuts follow each other (order_is_sound).
bool batches_are_sound(const search *s, const uint32_t *begin, const uint32_t *end) {
    const order *o = &s->x->numbers;
    uint64_t first = sum_parts(begin);
    uint32_t at, n = order_cuts(o, first, sum_parts(end) - first, &at);
    if (!n) return true;
    const uint32_t *low = o->marks.data[at].level.begin, *high = o->marks.data[at + n - 1].level.begin;
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        if (low[p] < begin[p] || high[p] > end[p]) return false;
    return true;
}

batches_place batches_find(const search *s, uint64_t position) {
    uint32_t low = 0, high = s->ncuts + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (batch_first(s, middle) <= position) low = middle;
        else high = middle;
    }
    return (batches_place){.batch = low,
                           .at = strips_find(batch_strips(s, low), position - batch_first(s, low)),
                           .left = batch_end(s, low) - position};
}

uint32_t batches_strip(const search *s, batches_place *p) {
    strips batch = batch_strips(s, p->batch);
    uint32_t left = strips_left(batch, &p->at);
    if (left) return left;
    if (p->left) strips_next(batch, &p->at);
    else *p = batches_find(s, batch_end(s, p->batch));
    return strips_left(batch_strips(s, p->batch), &p->at);
}

static uint64_t batch_states(const search *s) {
    return s->options->batch_states ? s->options->batch_states : BATCH_STATES;
}

uint64_t batches_rest(const search *s) {
    uint64_t rest = s->level_size - s->block_begin, most = batch_states(s);
    most -= s->block_begin % most;
    return rest < most ? rest : most;
}

void batches_end_block(search *s) {
    bool is_whole = s->block_begin % batch_states(s) == 0;
    if (is_whole && s->block_begin < s->level_size) order_cut(&s->x->numbers);
}
