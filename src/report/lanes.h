// SPDX-License-Identifier: Apache-2.0
// A trace as a designer reads it: the word, then one lane per thread and one row per step, with what each step changed
// beside it.
//
//     word  w1_2 r1_1 c_2 r1_1
//
//     step  Thread 1    Thread 2    changes
//        1              write(2,1)  +ws(2,1)
//        2  read(1,1)               +rs(1,1)
//        3              commit(2)   -ws(2,1)
//        4  read(1,1) ✗             refused by Opacity
//
// Lanes are the elements of the sort that is the first parameter of most actions. Actions of another kind
// get a lane of their own; when there are too many lanes for the width, only those that move are shown, and
// when even these are too many, there is one column of actions.
#ifndef REPORT_LANES_H
#define REPORT_LANES_H

#include "model/instance.h"
#include "report/style.h"
#include "result/trace.h"

typedef struct {
    bool full_states;    // whole states instead of changes
    const char *reason;  // why the last step, or the last state, is wrong; may be NULL
} lanes_options;

// Whose lanes they are.
typedef struct {
    type sort;         // id 0: one column of actions
    bool has_threads;  // the sort is that of the threads that act
} lanes_sort;

#define LANES_NONE UINT32_MAX

lanes_sort lanes_choose(const instance *in);
// The parameter in whose lane a rule's steps stand: the acting thread, or the first one; LANES_NONE: in no element's.
uint32_t lanes_param(const instance *in, const lanes_sort *lanes, rule r);
void lanes_title(const instance *in, const lanes_sort *lanes, value element, str *out);  // "Thread 1"

void lanes_text(const trace *t, const style *s, const lanes_options *options, str *out);

// One state: relations by their true cells, the rest as name=value; only what differs from the declared
// initial values unless `whole`. Starts at column `indent`, ends with a newline.
void lanes_state(const instance *in, const value *state, bool whole, const style *s, unsigned indent, str *out);
// The same, not whole, with the relations that are total orders of a sort a line each: "before: 2 < 1 < 3".
void lanes_drawn(const instance *in, const value *state, const style *s, unsigned indent, str *out);
// What a step changed, in the same place and manner: "+rs(1,2) phase(1): finished → validated".
void lanes_changes(const instance *in, const value *before, const value *after, const style *s, unsigned indent,
                   str *out);

#endif
