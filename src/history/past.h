// SPDX-License-Identifier: Apache-2.0
// Past temporal logic over events (Cohen, Pnueli and Zuck, CAV 2008, section 2.2): a formula is judged at
// the last event of a sequence. Its variables stand for clients, addresses and values; it holds if it does
// for some choice of them.
//
// past_step judges every prefix of a growing sequence in turn. All that a temporal operator needs of the past
// is its own and its arguments' truth one event ago, so a choice of the variables costs two words, with one bit
// per subformula.
#ifndef HISTORY_PAST_H
#define HISTORY_PAST_H

#include "base/vec.h"
#include "history/event.h"

typedef enum {
    PAST_TRUE,
    PAST_EVENT,  // the last event is of one of `kinds`, by client, of address, with value
    PAST_SAME,   // two variables of one kind are equal: client and address hold them
    PAST_NOT,
    PAST_AND,
    PAST_OR,
    PAST_PREVIOUSLY,    // one event ago
    PAST_ONCE,          // at some event so far
    PAST_HISTORICALLY,  // at all events so far
    PAST_SINCE          // right held at some event, and left at all events after it
} past_kind;

typedef enum { PAST_CLIENT, PAST_ADDRESS, PAST_VALUE, PAST_SORTS } past_sort;

enum { PAST_ANY = UINT8_MAX, PAST_MOST_NODES = 64, PAST_MOST_VARS = 8 };

typedef struct {
    past_kind kind;
    uint8_t kinds;            // PAST_EVENT: bits of event kinds
    uint8_t var[PAST_SORTS];  // PAST_EVENT: numbers of variables, or PAST_ANY; PAST_SAME: the first two
    uint8_t left, right;      // arguments: numbers of nodes before this one; one argument is `left`
} past_node;

typedef struct {
    past_node nodes[PAST_MOST_NODES];  // the last is the formula
    uint32_t nnodes;
    past_sort sorts[PAST_MOST_VARS];
    const char *names[PAST_MOST_VARS];
    uint32_t nvars;
} past;

// ---- judging a growing sequence

typedef struct {
    const past *f;
    uint32_t sizes[PAST_SORTS];  // how many clients, addresses, values there are
    uint64_t *now;               // a word for each choice of the variables
    uint32_t choices;
    uint32_t seen;  // events so far
} past_run;

// False when there are too many choices of the variables.
bool past_begin(past_run *r, const past *f, const uint32_t sizes[PAST_SORTS]);
void past_restart(past_run *r);
// Reads the next event; does the formula hold now?
bool past_step(past_run *r, const event *e);
void past_end(past_run *r);

#endif
