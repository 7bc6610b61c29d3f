// SPDX-License-Identifier: Apache-2.0
// The numbers of stored states, as users of an exploration see them and as parents are kept: 0, 1, 2, … without
// gaps, initial states first, then level by level. A large level is cut into batches, in the order in which they were
// found: states that were found together are then expanded together, and have many successors in common. In a batch, or
// a level that is not cut, the order is that of strips.h.
#ifndef EXPLORE_ORDER_H
#define EXPLORE_ORDER_H

#include "base/vec.h"
#include "explore/store.h"
#include "explore/strips.h"

// Where a level or a batch begins: its first number, and its first state in each partition.
typedef struct {
    uint64_t first;
    uint32_t begin[STORE_PARTS];
} order_level;

typedef struct {
    order_level level;
    uint32_t thin;    // of the bytes of thin levels: those from here to the next mark's
    uint32_t is_cut;  // 0: a level begins; 1: only a batch of the level before
} order_mark;

typedef struct {
    VEC(order_mark) marks;
    VEC(uint8_t) thins;            // see order.c
    order_level open;              // the level after the last one that is closed
    uint32_t counts[STORE_PARTS];  // states of each partition, on whatever rank it is
} order;

void order_free(order *o);
uint64_t order_bytes(const order *o);        // including the next level
void order_count(order *o, const store *s);  // the counts of a store that has all partitions
uint64_t order_total(const order *o);
void order_close(order *o);  // the states counted since the last time make a level
void order_cut(order *o);    // those of the level that is not closed are batches of their own
// The cuts within a level that begins with some number, one after the other in the marks; returns how many there are.
uint32_t order_cuts(const order *o, store_number first, uint64_t size, uint32_t *first_cut);
uint64_t order_number(const order *o, store_id id);
// How many states each level has, one after the other; states above `total` are in none.
void order_sizes(const order *o, uint64_t total, void (*visit)(uint64_t size, void *context), void *context);
// Do levels follow each other, within what is stored? For an order that was read from a file.
bool order_is_sound(const order *o);
// The first number of the batch of a state. States are asked for one after the other: the batch of the last one, and
// where it ends, are remembered.
typedef struct {
    const order *o;
    uint32_t part;
    order_level at, next;
} order_cursor;
uint64_t order_batch_first(store_id id, void *cursor);
store_id order_id(const order *o, uint64_t number);
// The states from number 0 on, one after the other: as order_id(), but none is looked up. {.o = o} is the beginning;
// no states may be added meanwhile.
typedef struct {
    const order *o;
    uint64_t number;  // of the next one
    uint32_t left;    // of its strip
    order_level at, next;
    strips_place place;
} order_walk;
store_id order_walk_next(order_walk *w);  // there must be one

#endif
