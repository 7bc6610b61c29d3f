// SPDX-License-Identifier: Apache-2.0
// Lowering: a model instance becomes a graph of word computations, a few nodes per label.
#ifndef SPACE_LOWER_H
#define SPACE_LOWER_H

#include "space/bodies.h"
#include "space/dag.h"
#include "space/layout.h"

typedef struct {
    rule r;
    uint32_t first;  // label number of the rule's first binding; bindings follow in row-major order
} lower_rule;

typedef struct {
    node active;     // enabled, or its guard faults
    node trouble;    // given active: something faults or a requirement fails
    bool is_slow;    // a loop that cannot be unrolled: left to the reference evaluator, active is false
    bool is_called;  // its body is run afterwards: here the state stays as it is, and trouble is the guard's
    uint32_t next;   // the words after the step: program.words of `outs` from here
} lower_label;

typedef struct {
    dag d;
    uint32_t words;
    VEC(lower_rule) rules;
    VEC(lower_label) labels;
    VEC(node) outs;
    uint32_t unchanged;  // 1 + where the words as they were stand in it; 0: nowhere
    VEC(node) checks;    // holds and does not fault
} lowering;

// Limits: labels, nodes of the graph, expressions lowered on the way to it.
enum { LOWER_MOST_LABELS = 1 << 20, LOWER_MOST_NODES = 1 << 21, LOWER_MOST_STEPS = 1 << 23 };
// A body that takes more than its share is run by the reference evaluator.
enum { LOWER_BODY_NODES = 1 << 18, LOWER_BODY_STEPS = 1 << 20 };
// With `code`, what takes more than this is compiled there instead, if it can be.
enum { LOWER_FRUGAL_NODES = 1 << 10, LOWER_FRUGAL_STEPS = 1 << 11 };
enum { LOWER_ALL_BODIES = LOWER_MOST_NODES / 4 * 3, LOWER_ALL_STEPS = LOWER_MOST_STEPS / 4 * 3 };

// False, with a message, when the unrolled rules are too large. Free the lowering in either case. With `by_evaluator`
// every label is slow, and there are no checks. `code` gets bodies that become large, or, with `calls_bodies`, all that
// it can have.
bool lower_instance(const layout *l, const expr *checks, uint32_t nchecks, bool by_evaluator, bodies *code,
                    bool calls_bodies, lowering *out);
void lower_free(lowering *p);

#endif
