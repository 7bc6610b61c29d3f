// SPDX-License-Identifier: Apache-2.0
// Which locals a step has to begin with: a body reads some before it gives them a value, and takes "none" for the
// answer. Those are among the ones that its code reads at all, with the subroutines that it calls; what it only writes
// stays as the step before left it. A large model has kilobytes of locals, and most bodies a few words of them.
#include "space/bodies_int.h"

enum { GAP = 4 };  // words between two spans that are cleared with them

typedef struct {
    bodies *b;
    uint32_t width;  // of a set of words of locals, in words
    map *set_of;     // first instruction -> number of its set
    VEC(uint64_t) sets;
} clearer;

static uint32_t first_reading(const bodies *b, uint32_t at) {
    uint32_t low = 0, high = b->readings.len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->readings.data[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void add_reading(const bodies *b, const body_reading *r, uint64_t *set) {
    for (uint32_t word = r->first; word <= r->last; word++) {
        uint32_t i = word - b->l->words;
        set[i / 64] |= UINT64_C(1) << i % 64;
    }
}

// The set of the code that begins there and ends with its return, with what it calls.
static uint32_t words_read(clearer *c, uint32_t at) {
    const bodies *b = c->b;
    uint32_t known = map_get(c->set_of, &at, sizeof at, UINT32_MAX);
    if (known != UINT32_MAX) return known;
    uint64_t *set = mem_zero(c->width + 1, sizeof *set);
    uint32_t r = first_reading(b, at);
    for (uint32_t i = at;; i++) {
        const body_ins *ins = &b->code.data[i];
        for (; r < b->readings.len && b->readings.data[r].at == i; r++) add_reading(b, &b->readings.data[r], set);
        if (ins->op == BODY_END || ins->op == BODY_RETURN) break;
        if (ins->op != BODY_CALL) continue;
        uint32_t called = words_read(c, (uint32_t)ins->imm);
        for (uint32_t k = 0; k < c->width; k++) set[k] |= c->sets.data[called * c->width + k];
    }
    uint32_t number = c->sets.len / c->width;
    for (uint32_t k = 0; k < c->width; k++) vec_push(&c->sets, set[k]);
    map_put(c->set_of, &at, sizeof at, number);
    free(set);
    return number;
}

static void add_spans(clearer *c, uint32_t number) {
    bodies *b = c->b;
    uint32_t first = b->clears.len;
    for (uint32_t i = 0; i < b->l->scratch_words; i++) {
        if (!(c->sets.data[number * c->width + i / 64] >> i % 64 & 1)) continue;
        body_span *last = b->clears.len > first ? &vec_last(&b->clears) : NULL;
        if (last && i - (last->first + last->n) <= GAP) last->n = i + 1 - last->first;
        else vec_push(&b->clears, ((body_span){i, 1}));
    }
}

void body_find_clears(bodies *b) {
    clearer c = {.b = b, .width = (b->l->scratch_words + 63) / 64, .set_of = map_new()};
    for (uint32_t r = 0; r < b->starts.len; r++) {
        vec_push(&b->first_clear, b->clears.len);
        if (b->starts.data[r] && c.width) add_spans(&c, words_read(&c, b->starts.data[r] - 1));
    }
    vec_push(&b->first_clear, b->clears.len);
    map_free(c.set_of);
    vec_free(&c.sets);
}
