// SPDX-License-Identifier: Apache-2.0
// Proofs: what `prove` found out about one property, for reports and certificates.
#ifndef RESULT_PROOF_H
#define RESULT_PROOF_H

#include "model/instance.h"
#include "result/result.h"

// Where the lemmas of a search come from; the words are those of doc/prove.md.
typedef enum { WAY_NONE, WAY_CANDIDATES, WAY_RELATIONS, WAY_CUTS, WAY_INSTANCES, WAY_SEPARATORS, WAY_FRAMES } proof_way;

// The columns of Table 1 of Emmi, Majumdar, Manevich (PLDI 2010), and further figures of a run.
typedef struct {
    uint64_t states;  // of the instance explored first (orbits)
    double explore_seconds;
    uint64_t candidates;    // clauses of the first schema, modulo symmetry
    uint64_t invariants;    // of these, true in all states of the instance
    uint64_t nonredundant;  // of these, implied by no other
    uint64_t validated;     // lemmas of the inductive invariant found
    uint32_t iterations;    // rounds of weakening
    uint64_t queries;
    double filter_seconds, query_seconds, shrink_seconds, seconds;
    uint64_t evaluations;          // of literals, by the filter
    uint64_t blocked, dropped;     // states excluded by a new lemma; lemmas that were dropped
    uint64_t sampled;              // further states, of larger instances
    uint32_t level;                // of the schema, from 0
    uint32_t variables, literals;  // what that level allows
} proof_stats;

typedef enum { LEMMA_FOUND, LEMMA_ASSUME, LEMMA_PROPERTY } lemma_kind;

typedef struct {
    lemma_kind kind;
    const char *name;  // of an assumption or property, else NULL
    expr formula;      // closed
    bool is_needed;    // by the proof
    bool is_assumed;   // taken for granted: could not be proved
    uint32_t uses;     // cmp: of `tried` views, from how many a step would lead out of the views without it
    uint32_t tried;    // 0: not counted
    bool is_examined;  // whether the next three were found out
    bool is_for_property;
    const rule *rules;  // those that need it: without it they would lead out of the others
    uint32_t nrules;
} proof_lemma;

// A state that satisfies every lemma found, and a step from it that goes wrong.
typedef struct {
    instance *in;
    value *before, *after, *args;  // after: NULL if the step is refused
    rule r;                        // id 0: the state itself is wrong
    char *what;                    // "the specification refuses commit(1)"
} proof_obstacle;

// A system in which `kept` elements of a sort are told apart and all others are the one value of `other`.
typedef struct {
    const model *m;        // NULL: there is none
    sys origin, system;    // what was abstracted, and what came out
    type kept, other, id;  // id: the union of both
    const prop *checked;   // invariants: the property, then the lemmas
    uint32_t nchecked;
} proof_abstract;

typedef struct proof {
    arena *memory;
    model *m;               // not owned, or one of `overlays`
    VEC(model *) overlays;  // that the proof speaks about, each below the next (model/overlay.h); owned
    prop property;
    sys system;  // the product, or the system itself
    verdict verdict;
    char *reason;             // why unknown
    char *note;               // what else the proof rests on; may be NULL
    VEC(proof_lemma) lemmas;  // needed ones first
    uint32_t nneeded;
    result *small;                 // the exploration; has the trace of a violation
    VEC(instance *) instances;     // of `small`
    result *tried;                 // what makes the proof say less than it seems to: its doubts
    proof_obstacle *obstacle;      // for unknown; may be NULL
    expr proposal;                 // a lemma that would exclude it, and holds in all states seen; id 0: none
    prop through;                  // id 0: shown directly; else the system refines the specification of this
                                   // property, and the lemmas show that that one refines what is asked
    bool is_theorem;               // it follows from the axioms, as the file states: there is nothing to certify
    VEC(proof_obstacle *) others;  // of a relation: one more for each further premise that fails
    bool is_stratified;            // every question was decidable
    char *fragment;                // why not
    proof_stats stats;
    VEC(proof_way) ways;  // that were tried, in the order of their first turns
    proof_way way;        // the last one, which found the proof if there is one
    // of a proof by abstraction:
    const char *method;     // "cmp"; NULL: first-order
    char *scope;            // "every number of client, datum=2"; NULL: all sizes
    const char *sort;       // whose elements may be any number
    const char *also;       // and of this one, by an abstraction of the first one's; NULL: none
    uint32_t kept;          // elements of the abstract model other than Other
    result_stats abstract;  // of its exploration
    proof_abstract shown;   // the abstract model with the lemmas in its guards
    result *spurious;       // for unknown: its run that nothing excludes; may be NULL
} proof;

proof *proof_new(model *m, prop p);
void proof_free(proof *p);
void proof_take_way(proof *p, proof_way way);  // it has a turn now
// Copies a state and, if a rule is given, a step from it, and adds it after the others; `in` gives the sizes.
void proof_add_obstacle(proof *p, const instance *in, const value *before, const value *after, rule r,
                        const value *args, const char *what);
// Keeps an exploration and its sizes, instead of that of a smaller instance; takes `r`.
void proof_keep_small(proof *p, result *r, const instance *in);
// Says what it is about: "every number of client, of lock, datum=2"; these sorts may have any number of elements.
void proof_set_scope(proof *p, const type *any, uint32_t n);
// Where there is a doubt, `holds` becomes unknown.
void proof_be_strict(proof *p);

#endif
