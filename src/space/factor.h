// SPDX-License-Identifier: Apache-2.0
// A rule taken apart into choices that have nothing to do with each other.
//
// A broadcast to N receivers with two edges each has 2^N bindings of its parameters. What one of them chooses changes
// only what is its own, so it is enough to compile each choice of each of them: 2 N parts, of which the successors of
// a state are put together (compose.h).
//
// Parameters are in one *factor* if they occur in the same conjunct of the guard or the same statement; a statement is
// in the factor of its parameters, and of a statement that writes what it reads or writes. What is in none is the
// *frame*, which is part of every factor: it may write what a factor reads, but neither reads nor writes what one
// writes. So a binding is enabled iff the frame and each factor are, and what a factor writes depends on its own
// parameters alone.
#ifndef SPACE_FACTOR_H
#define SPACE_FACTOR_H

#include "base/mem.h"
#include "space/layout.h"

typedef struct {
    uint32_t first, end;  // its parameters; of the frame: none
    uint32_t options;     // bindings of these
    expr_list guard;      // conjuncts
    stmt body;            // a sequence, with the statements of the frame
    uint64_t *mask;       // bits of a state that it writes; of the frame: all that no factor does
} factor;

typedef struct {
    factor frame;
    factor *parts;  // by their parameters, which lie side by side
    uint32_t count;
} factoring;

// NULL: the rule is no broadcast, cannot be taken apart, or (unless it always is) has so few bindings that it does not
// pay.
factoring *factor_rule(const layout *l, rule r, bool always);
void factor_free(factoring *f);

#endif
