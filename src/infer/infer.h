// SPDX-License-Identifier: Apache-2.0
// `prove`: an inductive invariant that holds for every size of the sorts, found from small instances.
//
// Algorithm 1 of Emmi, Majumdar, Manevich (PLDI 2010): explore a small instance; take the clauses
// of a schema that hold in it; drop those that are not inductive; see whether the rest implies the property;
// else enlarge the instance and the schema. The stages, in the order of the data:
//
//   prove.c      the whole search, level by level
//   survey.c     explores and samples instances
//   sample.c     formulas evaluated on 64 states at a time
//   atoms.c      what clauses are made of
//   harvest.c    atoms from the model's own quantified conditions
//   terms.c      comparisons of terms, for memories with values
//   related.c    clauses with sets of phases, for the same
//   relate.c     which of them are inductive together
//   sized.c      the same at fixed sizes
//   entail.c     which of them follow from others
//   follow.c     states that a countermodel leads to
//   provenance.c atoms from what rules need to fire
//   order.c      orders of the sorts, which decide on quantified atoms
//   clause.c     clauses over atoms
//   schema.c     which variables clauses may have
//   valuation.c  values of atoms in the samples
//   rows.c       their combinations, each once
//   side.c       threads, for what is independent
//   narrow.c     sets of rows, worked out as far as needed
//   filter.c     which clauses hold in the samples
//   minimal.c    those of them of which no part does, found without the others
//   weaken.c     all of them at once, as in the paper, with parked clauses coming back
//   guide.c      only those that a countermodel calls for, from much larger schemas
//   block.c      clauses that exclude a countermodel's state
//   tries.c      orders of sorts and frames, before larger schemas
//   cuts.c       functions into an order as relations
//   own.c        a logic of its own for a try
//   separate.c   clauses over what holds of some element
//   runs.c       samples of long runs
//   walked.c     the steps that they are made of
//   frames.c     frames of lemmas, on the unbounded system
//   diagram.c    a state as a cube of literals
//   general.c    the most general clause that keeps a cube out
//   grow.c       invariants of small instances, tried for all sizes
//   small.c      an invariant of an instance
//   widen.c      the most general cube that it can exclude
//   loosen.c     cubes whose elements may be the same
//   orbit.c      formulas for all sizes that say the same there
//   bring.c      which of these become lemmas
//   determined.c parameters that a guard determines
//   prover.c     which lemmas stand
//   shrink.c     the lemmas that the proof needs
//   needs.c      which rules need each of them
//   hints.c      lemmas that the user offers
//   cache.c      lemmas about a specification, kept for other products with it
//   unknown.c    what is shown where no proof was found
//   tried.c      whether a proof is about anything
//   given.c      no search: the invariant or the abstraction relation given in the file
//   choices.c    how a specification that chooses answers a system
//   stronger.c   what follows from a specification that refines another
//   recheck.c    the obligations of a certificate, discharged again
#ifndef INFER_INFER_H
#define INFER_INFER_H

#include "base/progress.h"
#include "logic/logic.h"
#include "model/instance.h"
#include "result/proof.h"

typedef struct {
    const sort_size *sizes;  // of the first instance; sorts not listed: as declared, else 2
    uint32_t nsizes;
    bool weaken_all;      // the paper's algorithm: all candidates of the first schema at once
    bool only_minimal;    // of these, leave redundant ones out instead of parking them
    bool only_weaken;     // with weaken_all: nothing after that, as in the paper
    uint32_t most_level;  // of the schema
    limits limits;
    uint64_t limit_states;  // of one exploration; 0: a default
    uint64_t limit_work;    // the search ends after so many SAT variables of solver calls, on any machine; 0: no limit
    bool explains;          // which rules need which lemmas is to be said
    const char *cache;      // folder of lemmas about specifications; NULL: none
    uint64_t seed;          // of random runs
    uint32_t threads;       // 0: one
    bool divides_all;       // among threads, also where it is not worth it: for tests
    proof *const *before;   // proofs of other properties: their lemmas are tried first
    uint32_t nbefore;
    logic_backend backend;
    double query_seconds;
    bool is_brief;   // each question gets few steps of the solvers (logic_set_brief)
    progress *line;  // may be NULL
} infer_options;

enum { INFER_LEVELS = 9 };

// Never NULL; a model that cannot be treated leaves messages and the verdict unknown.
proof *infer_prove(model *m, prop p, const infer_options *options);

// Is the invariant that the file gives (invariant properties, lemmas and assumptions of the system) inductive
// for all sizes? One proof per property, in `out`; all say the same.
void infer_given(model *m, sys system, const prop *props, uint32_t nprops, const infer_options *options, proof **out);

// Do the theorems of the system follow from its axioms? One proof per theorem, in `out`.
void infer_theorems(model *m, sys system, const infer_options *options, proof **out);

// Does the abstraction relation that a refinement gives satisfy the premises of rule ABS-REL? One that fails is
// named, with a state and a step; the verdict is then unknown, since another relation may work.
proof *infer_relation(model *m, prop p, const infer_options *options);

#endif
