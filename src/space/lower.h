// SPDX-License-Identifier: Apache-2.0
// Lowering: a model instance becomes a graph of word computations, a few nodes per label.
//
// There are three ways to run the body of a rule. Here it is decided which, rule by rule, in this order:
//
//   the graph       unrolled, a computation for every label, round of a loop and call: the fastest while it is small;
//   code            (bodies.h) once for all labels, with branches, loops and calls: where the graph of a label takes
//                   more than LOWER_FRUGAL_NODES nodes or LOWER_FRUGAL_STEPS steps, or the body has so many statements;
//   the evaluator   (slow.c) for what the code has no instructions for, and whose graph takes more than
//                   LOWER_BODY_NODES nodes or LOWER_BODY_STEPS steps; and for the rest where the whole is nearly full.
//
// All of them give the same successors in the same order (tests/diff), so the limits decide on speed alone. They were
// judged on six models: TSO-CC, C3D, sci, AnB2Murphi's and CMurphi's dashes.
#ifndef SPACE_LOWER_H
#define SPACE_LOWER_H

#include "space/bodies.h"
#include "space/dag.h"
#include "space/factor.h"
#include "space/layout.h"

// Labels are numbered twice: `labels` below has those that are compiled, and of a rule that is taken apart these are
// its frame and, factor by factor, the options of each. Its bindings are numbered as those of any other rule.
typedef struct {
    rule r;
    uint32_t first;      // number of the rule's first binding; bindings follow in row-major order
    uint32_t compiled;   // the first of what is compiled for it
    factoring *factors;  // NULL: each binding is
} lower_rule;

typedef struct {
    node active;     // enabled, or its guard faults
    node trouble;    // given active: something faults or a requirement fails
    bool is_slow;    // a loop that cannot be unrolled: left to the reference evaluator, active is false
    bool is_called;  // its body is run afterwards: here the state stays as it is, and trouble is the guard's
    uint32_t next;   // the words that the step changes: in `outs` from here…
    uint32_t nnext;  // …so many
} lower_label;

typedef struct {
    uint32_t word;
    node v;  // after the step
} lower_out;

typedef struct {
    dag d;
    uint32_t words;
    VEC(lower_rule) rules;
    VEC(lower_label) labels;
    uint32_t bindings;  // of all rules
    VEC(lower_out) outs;
    VEC(node) checks;      // holds and does not fault
    bool has_slow_checks;  // they are left to the evaluator
} lowering;

// Limits: labels, nodes of the graph, expressions lowered on the way to it.
enum { LOWER_MOST_LABELS = 1 << 22, LOWER_MOST_NODES = 1 << 21, LOWER_MOST_STEPS = 1 << 23 };
// A body that takes more than its share is run by the reference evaluator.
enum { LOWER_BODY_NODES = 1 << 18, LOWER_BODY_STEPS = 1 << 20 };
// With `code`, what takes more than this is compiled there instead, if it can be.
enum { LOWER_FRUGAL_NODES = 1 << 10, LOWER_FRUGAL_STEPS = 1 << 11 };
enum { LOWER_ALL_BODIES = LOWER_MOST_NODES / 4 * 3, LOWER_ALL_STEPS = LOWER_MOST_STEPS / 4 * 3 };

// False, with a message, when the unrolled rules are too large. Free the lowering in either case. With `by_evaluator`
// every label is slow, and there are no checks. `code` gets bodies that become large, or, with `calls_bodies`, all that
// it can have. With `is_expanded` no rule is taken apart, with `is_apart` every one
// that can be.
typedef struct {
    bool by_evaluator, calls_bodies, is_expanded, is_apart;
} lower_how;
bool lower_instance(const layout *l, const expr *checks, uint32_t nchecks, lower_how how, bodies *code, lowering *out);
void lower_free(lowering *p);

#endif
