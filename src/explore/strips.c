// SPDX-License-Identifier: Apache-2.0
// The order of the states of a batch: see strips.h.
#include "explore/strips.h"

// States of a partition in its first `rows` strips.
static uint64_t part_above(strips level, uint32_t part, uint64_t rows) {
    uint64_t size = level.end[part] - level.begin[part], most = rows * STRIP_STATES;
    return size < most ? size : most;
}

static uint64_t states_above(strips level, uint64_t rows) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) sum += part_above(level, p, rows);
    return sum;
}

uint64_t strips_size(strips level) { return states_above(level, UINT32_MAX); }

uint64_t strips_position(strips level, uint32_t part, uint32_t local) {
    uint64_t at = local - level.begin[part], row = at / STRIP_STATES, sum = at % STRIP_STATES;
    for (uint32_t p = 0; p < part; p++) sum += part_above(level, p, row + 1);
    for (uint32_t p = part; row && p < STORE_PARTS; p++) sum += part_above(level, p, row);
    return sum;
}

// A row has at most one strip of every partition; as partitions have nearly the same size, the first guess is good.
static uint32_t find_row(strips level, uint64_t position) {
    uint64_t low = position / ((uint64_t)STORE_PARTS * STRIP_STATES), step = 1;
    for (; states_above(level, low + step) <= position; step *= 2) low += step;
    for (; step > 1; step /= 2)
        if (states_above(level, low + step / 2) <= position) low += step / 2;
    return (uint32_t)low;
}

static uint32_t strip_begin(strips level, uint32_t part, uint32_t row) {
    return level.begin[part] + row * STRIP_STATES;
}

static uint64_t strip_size(strips level, uint32_t part, uint32_t row) {
    return part_above(level, part, (uint64_t)row + 1) - part_above(level, part, row);
}

// Within a row, after `rest` of its states; false if it has no more than these.
static bool find_in_row(strips level, uint64_t rest, strips_place *at) {
    for (at->part = 0; at->part < STORE_PARTS; at->part++) {
        uint64_t size = strip_size(level, at->part, at->row);
        if (rest < size) break;
        rest -= size;
    }
    if (at->part == STORE_PARTS) return false;
    at->local = strip_begin(level, at->part, at->row) + (uint32_t)rest;
    return true;
}

// Small levels have one row: it is looked through before rows are counted.
strips_place strips_find(strips level, uint64_t position) {
    strips_place at = {0};
    if (position < (uint64_t)STORE_PARTS * STRIP_STATES && find_in_row(level, position, &at)) return at;
    at.row = find_row(level, position);
    find_in_row(level, position - states_above(level, at.row), &at);
    return at;
}

uint32_t strips_left(strips level, const strips_place *at) {
    return strip_begin(level, at->part, at->row) + (uint32_t)strip_size(level, at->part, at->row) - at->local;
}

void strips_next(strips level, strips_place *at) {
    do {
        at->row += at->part + 1 == STORE_PARTS;
        at->part = (at->part + 1) % STORE_PARTS;
    } while (!strip_size(level, at->part, at->row));
    at->local = strip_begin(level, at->part, at->row);
}
