// SPDX-License-Identifier: Apache-2.0
// Bodies of rules as code with real branches, loops and calls.
//
// Lowering (lower.h) writes a rule out for every value of its parameters, every round of a loop and every call: the
// fastest code there is while it is small. What would become large is compiled here instead, once for all values, with
// a statement that occurs in several places as a subroutine: the code is linear in the text, and so is making it.
// A step copies the state and works on the copy; a guard is lowered as ever, so that only steps that are enabled get
// here. The evaluator judges what goes wrong: here a fault is only "trouble".
#ifndef SPACE_BODIES_H
#define SPACE_BODIES_H

#include "space/layout.h"

typedef struct bodies bodies;
typedef struct bodies_run bodies_run;  // what one thread needs to run them

typedef enum { BODY_FIRES, BODY_NONE, BODY_TROUBLE } body_end;

bodies *bodies_new(const layout *l);
void bodies_free(bodies *b);

// Compiles the body of a rule; false: it has something that only the other ways know.
bool bodies_add(bodies *b, rule r);
bool bodies_has(const bodies *b, rule r);
void bodies_seal(bodies *b);       // nothing more is added: they can be run
void bodies_assemble(bodies *b);   // as machine code, where that can be
void bodies_interpret(bodies *b);  // no longer; all runs must be idle

bodies_run *bodies_run_new(const bodies *b);
void bodies_run_free(bodies_run *run);
// The step of an enabled rule: `next` gets the state after it, multisets not in order yet. Only BODY_FIRES fills it.
body_end bodies_fire(bodies_run *run, rule r, const value *args, const uint64_t *state, uint64_t *next);

#endif
