// SPDX-License-Identifier: Apache-2.0
// Inside every*.c: a system whose processes are alike, taken apart.
#ifndef ZONE_EVERY_INT_H
#define ZONE_EVERY_INT_H

#include "model/instance.h"
#include "zone/every.h"
#include "zone/orbit.h"
#include "zone/orbit_int.h"

#define EVERY_SHARED 0xff

// The parts of a system: what belongs to which of the alike processes. These are the elements of one block of the
// orbit, numbered from 0; values of other blocks are left alone.
typedef struct {
    const instance *in;
    const timed_info *t;
    orbit *o;
    uint8_t first, count;  // of the block
    uint8_t *cell_of;      // by cell: the element it belongs to, or EVERY_SHARED
    uint8_t *is_id;        // by cell: do its values name elements?
    uint8_t *process_of;   // by process: its element, or EVERY_SHARED
    uint8_t *clock_of;     // by clock
    value *initial;        // the one initial state
} every_parts;

// False, with the reason, in both cases free the parts: the processes are not all alike, or there is more that tells
// elements apart.
bool every_take_apart(const instance *in, prop p, uint32_t wanted, every_parts *out, str *why);
void every_parts_free(every_parts *x);
static inline value every_name(const every_parts *x, uint8_t element) { return x->o->value_of[x->first + element]; }
// The process that a function belongs to, or EVERY_SHARED. Those that a step writes before it reads them have no part
// in a state, but belong to a process too.
uint8_t every_owner(const every_parts *x, func f);
// Do the rules, invariants, types and the property say the same with any number of processes, as far as two
// numbers show?
bool every_is_uniform(const every_parts *a, const every_parts *b, prop p, str *why);
// The one alike process that takes part in a rule, or EVERY_SHARED. False: several do.
bool every_actor(const every_parts *x, const rule_info *r, uint8_t *out);
// A broadcast as it is seen at one process beside the sender: the first, or where that is the sender the second. The
// others have parts alike.
typedef struct {
    VEC(var) params;
    VEC(expr) guard;  // conjuncts
    VEC(const stmt *) body;
    VEC(uint32_t) bounds, resets;  // numbers of the rule's
} every_heard;

// False: it is not made of parts (every_heard.c). In both cases free them.
bool every_hear(const every_parts *x, const rule_info *r, uint8_t actor, every_heard *out);
void every_heard_free(every_heard *h);
// The processes that an expression speaks of, as bits of elements: by what is theirs, and by name.
uint64_t every_spoken_of(const every_parts *x, expr e);

#endif
