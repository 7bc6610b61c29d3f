// SPDX-License-Identifier: Apache-2.0
// A concrete timed run as text: when each step is taken, after which delay, and what it changes.
//
//     time  delay  step
//        0         P(0).idle -> requesting
//      3/2    3/2  release: P(0).cs -> idle, Lock.held -> free   id: 1 → 0
#ifndef REPORT_TIMED_H
#define REPORT_TIMED_H

#include "model/instance.h"
#include "report/style.h"
#include "result/result.h"
#include "result/trace.h"

// What step i changes other than locations, each after the separator.
void timed_changes(const trace *t, uint32_t i, const char *separator, const style *s, str *out);
// The clocks and their values (of a step or at the end), each after the separator but the first.
void timed_clocks(const trace *t, const char *const *values, const char *separator, str *out);
// `reason`: the text at the end; may be NULL. full: the state and the clocks after each step.
void timed_text(const trace *t, const style *s, const char *reason, bool full, str *out);
// Why the run that decides a property ends where it does: its reason, or what holds or does not hold there.
void timed_end(const result_property *p, str *out);

// Where every process is, then the variables: set in lines of the style's width, later ones indented.
void timed_state(const instance *in, const value *cells, const style *s, unsigned indent, str *out);

typedef VEC(uint32_t) timed_numbers;

// The processes that take part in a step, the sender first, as its rule says; receivers of a broadcast took part if
// their location changed.
void timed_participants(const trace *t, uint32_t step, timed_numbers *out);
bool timed_has(const timed_numbers *list, uint32_t n);

#endif
