// SPDX-License-Identifier: Apache-2.0
// First-order obligations of a system for every size of its sorts, and the engines that discharge them.
//
// *Lemmas* are closed formulas over the state, numbered in the order in which they are added. The questions
// are those of an inductive proof: are lemmas true initially; does a rule preserve them when others are
// assumed; do they imply what a rule requires (in a product: that the specification allows the step) or an
// invariant property. Questions are grounded to SAT over elements that are added when a refutation needs
// them (ground.c): exact and always ending where the formulas lie in stratified EPR (fragment.h), and right,
// though possibly unanswered, everywhere else. What stays unanswered there is put to Z3, with a limit for each
// query. The system's `assumes` are not assumed: whatever is relied on is a lemma and is proved. Its
// axioms are assumed.
//
//   logic.c       the questions of a proof: ground engine first, then Z3
//   admit.c       what a proof can handle, and what must be proved first
//   query.c       questions to the ground engine
//   cube.c        steps into a cube, and which of its literals keep them out
//   bounded.c     steps of a system of fixed sizes
//   ground.c      why finitely many elements suffice, and when more are added
//   cells.c       state functions as SAT variables
//   formula.c     formulas as clauses over the elements
//   matrix.c      lemmas as clauses
//   finite.c      the last assignment as a finite structure
//   sat.c         CaDiCaL
//   fragment.c    is a question in stratified EPR?
//   strata.c      the same for everything that a system may be asked
//   witness.c     countermodels as instances
//   z3.c          formulas for Z3
//   z3_query.c    the questions put to it, with its strategies in turn
//   z3_guard.c    interrupts it when the run must end
//   z3_script.c   Z3 as a reader of scripts
//   linear.c      linear inequalities over the reals, solved by Z3
//   z3_witness.c  its models as countermodels
//   after.c       weakest preconditions
//   obligation.c  what an external prover has to show of an invariant, as formulas
//   plain.c       formulas without finite types, arithmetic and if-then-else
//   vocabulary.c  names that every prover accepts
//   smtlib.c      obligations for z3 and cvc5
//   fol.c         unsorted text, for the next two
//   tptp.c        obligations for E
//   dfg.c         obligations for SPASS
//   external.c    provers as child processes
#ifndef LOGIC_LOGIC_H
#define LOGIC_LOGIC_H

#include "base/bits.h"
#include "base/limits.h"
#include "model/instance.h"

typedef enum { ANSWER_PROVED, ANSWER_REFUTED, ANSWER_UNKNOWN } answer;

typedef enum { BACKEND_AUTO, BACKEND_GROUND, BACKEND_Z3 } logic_backend;

typedef struct {
    logic_backend backend;
    double query_seconds;  // limit of one Z3 query; 0: none
    limits limits;         // of all questions
    bool small_models;     // what few cells satisfy violates few lemmas: better where many are assumed, not for frames
    uint64_t ground_work;  // before Z3 is asked too, in SAT variables of solver calls; 0: a default
} logic_options;

typedef struct {
    uint64_t questions;  // each may be a query for every way in which a rule's parameters are the same
    uint64_t queries;
    uint64_t witnesses;  // for ∃, added so far
    uint64_t work;       // SAT variables of solver calls
    double seconds;
} logic_stats;

typedef struct logic logic;

// NULL, with a message naming construct and line, for a system outside what a proof can handle (a body that faults,
// arithmetic over unbounded sorts, loops that depend on their order). An assignment that could leave a range is
// accepted where the rule's guard excludes that, which is proved first.
logic *logic_new(model *m, sys s, const logic_options *options);
void logic_free(logic *l);
// Other limits for all questions from here on: see logic_options.
void logic_set_limits(logic *l, const limits *until);
bool logic_is_over(const logic *l);  // a limit was met: questions have no answers any more
// From here on a question gets little work only, in steps of the solvers and not in seconds: for what is said beside a
// verdict. What that does not answer is unknown.
void logic_set_brief(logic *l, bool is_brief);
// From here on only the ground engine is asked, and each question once: for questions that others can take the place
// of.
void logic_set_alone(logic *l, bool is_alone);
// Once all questions together took so much work (logic_stats), none is answered any more; 0: no limit.
void logic_set_most_work(logic *l, uint64_t work);
// From here on countermodels have no element that can be done without. That takes longer.
void logic_set_small(logic *l, bool wants_small);
const logic_stats *logic_statistics(const logic *l);
void logic_add_statistics(logic *l, const logic_stats *other);  // of a logic that took part

uint32_t logic_add_lemma(logic *l, expr lemma);
expr logic_lemma(const logic *l, uint32_t lemma);
// The lemma will not be assumed again: what the solvers know of it goes.
void logic_retire(logic *l, uint32_t lemma);
// After many of them: questions are asked as if they had never been there.
void logic_compact(logic *l);

// Which of the asked lemmas are not true in every initial state? ANSWER_REFUTED: `failed` becomes some of them, at
// least one: all that one countermodel falsifies. ANSWER_UNKNOWN: `failed` becomes those that nobody could decide
// (all asked ones if interrupted). ANSWER_PROVED: empty.
answer logic_initially(logic *l, const bits *asked, bits *failed);

// Does the system's rule with index `rule` (in its list) preserve the asked lemmas when the `assumed` ones hold?
// `failed` as above: every asked lemma that is false after the step of the countermodel found.
answer logic_preserved(logic *l, uint32_t rule, const bits *assumed, const bits *asked, bits *failed);

// The lemmas that the last proofs of logic_preserved(), for a lemma and every rule, rest on are added to `used`; false
// if it is not known for some rule, or they rest on others than the assumed ones.
bool logic_used(const logic *l, uint32_t lemma, const bits *assumed, bits *used);

// Do the assumed lemmas imply e in every state? With rule != UINT32_MAX, e is over the rule's parameters and its
// guard is assumed too.
answer logic_implied(logic *l, uint32_t rule, const bits *assumed, expr e);
// The same; where it is proved, `used` becomes the assumed lemmas that the proof rests on (all, if that is not known).
answer logic_implied_by(logic *l, uint32_t rule, const bits *assumed, expr e, bits *used);

// A cube: literals over variables that stand for different elements; a state meets it where all of them hold.
typedef struct {
    const var *vars;
    uint32_t nvars;
    const expr *lits;
    uint32_t nlits;
} logic_cube;

enum { LOGIC_START = UINT32_MAX };  // in the place of a rule: the initial states

// Does the rule lead from a state in which the assumed lemmas hold to one that meets the cube? ANSWER_PROVED: it does
// not, and `used` becomes literals that suffice for that. ANSWER_REFUTED: the last witness is such a step.
answer logic_reaches(logic *l, uint32_t rule, const bits *assumed, const logic_cube *c, bits *used);

// Does e follow from the axioms alone, in every state? With E_NEXT in it: in every pair of states, whether or not a
// step leads from the one to the other.
answer logic_theorem(logic *l, expr e);

// The countermodel of the last question if it was refuted, else NULL (also when it is too large for an instance);
// owned by the logic until the next question. Its sizes, and states as the reference evaluator holds them
// (model/instance.h); `after` is NULL unless it was a step; of logic_initially `before` is the initial state.
typedef struct {
    const instance *in;
    const value *before, *after;
    rule r;  // id 0: none
    const value *args;
} logic_witness;
const logic_witness *logic_last_witness(const logic *l);

// Does sort `from` lead to `to` in the system itself, whatever lemmas are asked? See fragment.h.
bool logic_leads(logic *l, type from, type to);

// Is everything asked so far inside stratified EPR? If not, `why` gets the cycle of sorts.
bool logic_is_stratified(logic *l, str *why);

#endif
