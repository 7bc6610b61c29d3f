// SPDX-License-Identifier: Apache-2.0
// How a system is read before it is abstracted: as it is, or as another one that has all of its runs, of which more can
// be proved. What is proved of the other one holds of the system, and rests on what the notes say.
#ifndef CMP_READING_H
#define CMP_READING_H

#include "pass/asked_for.h"
#include "pass/counters.h"
#include "pass/last_round.h"
#include "pass/leftover.h"
#include "pass/relevant.h"

// Without variables that count elements; with elements that guards ask for as parameters; without what nothing depends
// on.
typedef enum { READ_AS_IS, READ_WITHOUT_COUNTERS, READ_WITH_NAMES, READ_SMALLER } reading_kind;

typedef struct {
    reading_kind how;
    counter_list counters;     // left out of the system
    asked_for_list asked;      // rules whose guards asked for an element that is a parameter now
    relevant_list left_out;    // nothing depends on them
    last_round_list any_last;  // rules with a loop whose last round may be that of any element
    leftover_list forgotten;   // made undefined where they are not read
    uint32_t ntrips;           // copies there and back that were left out
} reading;

// Changes the system, which is on top of the user's.
reading reading_take(reading_kind how, model *m, sys s, prop p, type sort);
void reading_close(reading *r);
bool reading_differs(const reading *r);

// Notes of a proof, after those that the text has: what was read otherwise; that a range is taken for a scalarset.
void reading_add_notes(const reading *r, const model *m, str *text);
void reading_add_range(const model *m, type sort, str *text);

#endif
