// SPDX-License-Identifier: Apache-2.0
// Timed systems with any number of processes that are alike: an invariant is shown for every number at once, by views
// of two of them.
//
// A *view* is the state of a system seen at two of the processes: their locations, variables and clocks, and everything
// that is shared; where a shared variable names another process it is just "another". A set of views is *closed* if it
// has those of the initial states, and: whenever three processes can be such that the views of each two of them are in
// the set, then after any step of one of the three, or of a process that is not one of many, and any delay, the views
// of each two are in the set again. By induction every view of every reachable state, for every number of processes, is
// in a closed set: a step has one acting process, and together with the two of a view these are three; of those who
// hear a broadcast each changes only itself (every_heard.c). (P. Abdulla, F. Haziza, L. Holik: All for the price of
// few, VMCAI 2013, with zones for clocks. Time may pass in a view even if a process outside of it forbids that: there
// are more runs, never fewer.) An invariant about any two processes holds for every number if it holds in all views.
//
// That a rule does not depend on the number of processes is not believed: systems with 4 and with 5 processes are
// compared (every_shape.c). In the first, processes 1, 2 and 3 are those of a view and one more, 4 is "another".
#ifndef ZONE_EVERY_H
#define ZONE_EVERY_H

#include "explore/explore.h"
#include "model/instance.h"

enum { EVERY_SMALL = 4, EVERY_LARGE = 5 };  // processes of the two systems

typedef struct {
    bool holds;
    str why;  // why it was not shown
    uint64_t views, triples;
} every_answer;

// The views of a closed set, one after the other: their cells, and their zones as matrices. Free both.
typedef struct {
    VEC(value) cells;
    VEC(int32_t) zones;
    uint64_t count;
} every_views;

// The property is A[] of `in` and, under the same number, of `more`. Free `why`. kept: NULL, or where the views go if
// it holds.
void every_prove(const instance *in, const instance *more, prop p, const explore_options *o, every_views *kept,
                 every_answer *out);

// What a closed set of views rests on, for whoever checks one again: the two systems say the same, and which of the
// first belongs to whom (certificate/views.h).
typedef struct {
    const uint8_t *cell_of, *clock_of, *process_of;  // 0xff: to none of the processes
    const uint8_t *is_name;
    value names[EVERY_SMALL];
    const value *initial, *blank;
    expr holds;  // what the property says about the first two
} every_description;

typedef struct every_premises every_premises;

// NULL, with the reason: they do not hold. What is described lives as long as the premises.
every_premises *every_premises_new(const instance *in, const instance *more, prop p, every_description *out, str *why);
void every_premises_free(every_premises *e);

#endif
