// SPDX-License-Identifier: Apache-2.0
// Timed systems: queries decided on the zone graph. See doc/timed.md.
//
// Reachability (A[], E<>, sup, inf, also with `deadlock`) is one search for all queries, breadth first unless
// said otherwise, with zones that a kept one simulates left out and Extra+LU abstraction; where a query asks for
// deadlocks, bounds keep regions apart. Liveness (E[], A<>, -->) looks for a maximal run in a graph of equal zones. A
// verdict that has a run (a witness of E<>, a counterexample of A[]) comes with a concrete one, whose times were
// solved from the constraints of its steps alone and which was replayed by an interpreter of its own.
//
//   search.c           queries from preparation to answers
//   blocks.c           the search, in blocks of nodes
//   divide.c           the same search on several ranks
//   order.c            which nodes come next: by level, the last found, at random, the earliest
//   fastest.c          runs that take the least time
//   expand.c           steps of nodes, by each thread
//   passed.c           the passed list
//   crowd.c            the zones of a state that has many, side by side
//   recall.c           what a worker arrived at before
//   dbm.c              difference-bound matrices
//   cover.c            which zone makes another superfluous
//   net.c              a timed system made executable
//   sieve.c            outcomes of broadcasts that clocks exclude
//   bounds.c           lower and upper bounds of clocks by static analysis
//   diagonals.c        differences of clocks, along which zones are cut
//   rates.c            clocks that stand still
//   faults.c           conditions that cannot be evaluated
//   formula.c          formulas with clock conditions
//   pieces.c           where in a zone a formula holds
//   refuse.c           queries that are not decided
//   priority.c         which part of a zone is left to steps of lower priority
//   live.c             maximal runs within a formula, for liveness
//   run.c              the times of a run, and its replay
//   timewalk.c         a system stepped through by hand, with clock values or zones
//   judge.c            whether a query's formula holds at a moment of a run, by the evaluator
//   keep.c             what a search kept, for certificates
//   untaken.c          edges that were never taken
//   trial.c            symmetry and zones tried on states of the search
//   trial_code.c       the same for code and packing
//   trial_bounds.c     the same for bounds of clocks
//   member.c           which processes, variables and clocks differ only in numbers
//   slots.c            which values flow into each other
//   image.c            whether swapping two values is a symmetry
//   image_expr.c       images of expressions
//   image_body.c       images of statements
//   image_rule.c       rules in normal form
//   image_slots.c      a guess at the slots that move
//   orbit.c            blocks of values that can be swapped
//   orbit_place.c      which cells and clocks a permutation moves
//   orbit_canonical.c  representatives of states with zones
//   unfold.c           from a run of representatives to a run of the system
//   every.c            invariants for every number of alike processes, by views of two of them
//   every_parts.c      what belongs to which of them
//   every_heard.c      ... broadcasts to them, part by part
//   every_shape.c      whether the system says the same with any number of them
#ifndef ZONE_ZONE_H
#define ZONE_ZONE_H

#include "explore/explore.h"
#include "model/instance.h"
#include "result/result.h"
#include "zone/keep.h"

// Decides PROP_TIMED properties of the instance's system and adds an entry each to `out`; a run-time error is
// an entry of its own. Limits, engine, progress and interruption as in explore/explore.h; keeper: NULL, or who wants to
// know what was kept.
// With ranks, if such queries can be divided: all ranks call this alike, and what rank 0 gets is the answer.
bool zone_is_divisible(const model *m, const prop *props, uint32_t n, const explore_options *options);
void zone_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
              const zone_keeper *keeper, result *out);

#endif
