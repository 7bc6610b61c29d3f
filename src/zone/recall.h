// SPDX-License-Identifier: Apache-2.0
// What a worker of the search arrived at before: states with the matrix that a step led to, before time passes and
// anything is abstracted. From these alone follows what is kept, so arriving there again is arriving at something
// known.
//
// A broadcast whose receivers choose has as many outcomes as there are choices, and most of its senders lead to the
// same ones: of 590,000 outcomes in CSMA/CD with 10 stations, 34,000 differ. A table of limited size, in which a newer
// entry replaces an older one; steps of a kind that hardly ever leads to something known are not looked up.
//
// Invariant: an entry was taken into the passed list or is covered by it, or it is an arrival of the present block.
#ifndef ZONE_RECALL_H
#define ZONE_RECALL_H

#include "zone/dbm.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECALL_NOWHERE = -2, RECALL_COVERED = -1 };  // instead of the number of an arrival
#define RECALL_NONE UINT32_MAX                      // instead of a place in the table

typedef struct recall recall;

recall *recall_new(uint32_t words, uint32_t n, uint32_t kinds);
void recall_free(recall *r);

// Was this met before? `number` is a number that d alone has among all that are asked about, or 0: only then is its
// hash known if the last question was about the same. Kinds of steps, by number, are judged one by one. Then *arrival
// says what became of it: nothing, as no time can be spent there; it is covered; or it is the arrival of that number in
// the present block.
bool recall_find(recall *r, uint32_t kind, const uint64_t *state, const bound *d, uint64_t number, int32_t *arrival);
// Notes what became of what was looked for last and not found; its place, RECALL_NONE: it is not noted.
uint32_t recall_note(recall *r, int32_t arrival);
// An arrival of the block was left out after all.
void recall_forget(recall *r, uint32_t place, int32_t arrival);
// All other arrivals of the block were taken, or are covered.
void recall_end_block(recall *r);

#endif
