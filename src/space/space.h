// SPDX-License-Identifier: Apache-2.0
// The executable successor relation of an instance: the one small interface between models and searches.
//
// A state is packed into `space_words` 64-bit words (bits beyond the last cell are zero, so words compare
// equal iff states do). A *label* numbers a rule with values for its parameters. Successors are computed by
// machine code made at once, or by bytecode where there is none, and by native code once a compiler made it;
// all of them give the same successors in the same order.
//
// Multisets of every successor are in order (model/bag.h), as they must be in the state it is computed from.
//
// A space is shared by threads; each thread has a `space_run` of its own.
//
//   space.c       puts the parts together
//   layout.c      where cells lie in words
//   lower.c       rules as a graph of word computations
//   lower_expr.c  expressions
//   lower_stmt.c  statements, by symbolic execution
//   factor.c      rules taken apart into choices that have nothing to do with each other
//   compose.c     their successors put together
//   lower_walk.c  small groups of permutations as a program
//   bodies.c      large bodies of rules as code with branches, loops and calls
//   bodies_expr.c expressions in it
//   bodies_clear.c which locals are cleared before
//   bodies_run.c  its interpreter
//   bodies_machine.c  x86-64 code from it
//   sym.c         the symbolic state during that execution
//   dag.c         the graph
//   gates.c       when a node is needed
//   schedule.c    the graph as linear code (ir.h)
//   interp.c      bytecode and its interpreter
//   machine.c     x86-64 code from bytecode
//   x86.c         memory for it (x86.h: its instructions)
//   emit_c.c      C text from linear code
//   native.c      compiling and loading it
//   slow.c        what cannot be lowered, by the reference evaluator
//   bags.c        multisets in order
//   symmetry.c    tables for permuting elements
//   ranking.c     representatives by sorting elements, which most models need
//   canonical.c   representatives by individualisation and refinement
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "model/instance.h"

typedef struct space space;
typedef struct space_run space_run;

// How space_canonical() reduces by the symmetric sorts. EXACT: one representative for every state of an
// orbit. HEURISTIC: cheaper where elements are hard to tell apart; an orbit may have several
// representatives.
typedef enum { SYMMETRY_OFF, SYMMETRY_EXACT, SYMMETRY_HEURISTIC } space_symmetry;

// Rules with independent choices are taken apart (factor.h): where it pays, or, for tests, wherever it can be done or
// nowhere.
typedef enum { SPACE_APART, SPACE_ALL_APART, SPACE_NONE_APART } space_apart;

typedef struct {
    space_symmetry symmetry;
    const type *apart;  // sorts whose elements are told apart, and stay as they are
    uint32_t napart;
    const expr *checks;  // closed conditions evaluated by space_check()
    uint32_t nchecks;
    bool by_evaluator;  // successors and checks by the reference evaluator alone, for a search that trusts nothing else
    bool is_plain;      // one word per cell
    bool calls_bodies;  // bodies are compiled as code with branches and calls, however small they are: for tests
    space_apart taken_apart;
} space_options;

// NULL, with a message, for what cannot be compiled (too many labels or cells).
space *space_new(const instance *in, const space_options *options);
void space_free(space *s);
const instance *space_instance(const space *s);

uint32_t space_words(const space *s);
uint32_t space_bits(const space *s);
void space_pack(const space *s, const value *cells, uint64_t *state);
void space_unpack(const space *s, const uint64_t *state, value *cells);

// Is this a packed state? For states read from a file: values of their types, and no other bits.
typedef struct space_shape space_shape;
space_shape *space_shape_new(const space *s);
void space_shape_free(space_shape *h);
bool space_shape_fits(const space_shape *h, const uint64_t *state);

// Adds the bits of a function's cells to a mask of as many words as a state has; locals and functions of other systems
// have none.
void space_mask(const space *s, func f, uint64_t *mask);

uint32_t space_labels(const space *s);
uint32_t space_called(const space *s);       // labels whose bodies are code with branches and calls (bodies.h)
uint32_t space_rules_apart(const space *s);  // rules that are taken apart
rule space_label(const space *s, uint32_t label, value *args);

space_run *space_run_new(const space *s);
void space_run_free(space_run *run);

// A label in a list of successors with this bit set leads nowhere: a requirement of the rule failed or its
// evaluation faulted. The reference evaluator tells which (space_trouble()).
#define SPACE_TROUBLE 0x80000000u

// The successors of a state in order of their labels: `next` has room for space_labels() states, `labels` for
// as many.
uint32_t space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels);

// Who knows more about the bindings of rules that are taken apart may drop some: those whose first `known` parameters
// are the label's. That is asked of 0 parameters first and then, part by part, of more, depth first.
typedef enum { SIEVE_DROPS, SIEVE_KEEPS, SIEVE_KEEPS_ALL } sieve_answer;  // all: do not ask about more parameters
typedef struct {
    sieve_answer (*ask)(void *context, uint32_t label, uint32_t known);
    void *context;
} space_sieve;
uint32_t space_next_sifted(space_run *run, const uint64_t *state, const space_sieve *sieve, uint64_t *next,
                           uint32_t *labels);

// Which checks fail in a state, as bits of ceil(nchecks / 64) words; true if none does. A check that faults
// fails.
bool space_check(space_run *run, const uint64_t *state, uint64_t *failed);

// A representative of the state's orbit under permutations of each symmetric sort, in place: with
// SYMMETRY_EXACT the same for every state of the orbit. space_canonical_exact() gives that one in any case.
void space_canonical(space_run *run, uint64_t *state);
void space_canonical_exact(space_run *run, uint64_t *state);
bool space_is_reduced(const space *s);                // some symmetric sort has more than one element
void space_permuted(const space *s, type_list *out);  // the sorts that representatives are up to

// What computes successors: the best that there is by now.
typedef enum { SPACE_EVALUATOR, SPACE_BYTECODE, SPACE_MACHINE, SPACE_NATIVE } space_engine;
space_engine space_engine_of(const space *s);
void space_interpret(space *s);  // gives machine code up; all runs must be idle

// Native code: start compiling in the background (false: no compiler, or it cannot be started), then poll
// between levels. Polling switches to native code when it is ready. All runs must be idle during a poll.
typedef enum { NATIVE_NONE, NATIVE_COMPILING, NATIVE_READY, NATIVE_FAILED } native_state;
double space_native_seconds(const space *s);  // estimated processor time that compiling will take
bool space_native_start(space *s);
native_state space_native_poll(space *s, bool wait);
const char *space_native_error(const space *s);

#endif
