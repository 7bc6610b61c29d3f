// SPDX-License-Identifier: Apache-2.0
// The CMP loop: explore the abstraction; let spurious counterexamples choose lemmas among the candidates; drop what
// turns out false; until the property and every lemma that is used hold in the abstraction.
#ifndef CMP_REFINE_H
#define CMP_REFINE_H

#include "cmp/strengthen.h"
#include "cmp/survey.h"
#include "cmp/views.h"

typedef struct {
    lemma l;
    prop checked;  // in the abstraction
    uint32_t point;
    bool is_users;
    bool is_used, is_false;
    bool is_checked;   // in all views of the closure
    uint32_t against;  // the view whose step it was brought in against
    uint32_t needed;   // views, of those tried, from which a step leads out of them without it
} candidate;

enum { CLAUSE_MOST_LITERALS = 6 };

// A lemma that is looked for: the premise of a point implies one of the literals. Those not used are 0.
typedef struct {
    uint32_t point, n;
    uint32_t literals[CLAUSE_MOST_LITERALS];
} clause;

// What a literal says about the others of a case, and the unknowns it speaks of.
typedef struct {
    expr e;
    bits uses;
} lemma_instance;

// The combinations of literals seen at a point, by literal.
typedef struct {
    bool is_made;
    uint32_t words;
    uint64_t *fails;    // by literal: in which of the combinations it is false
    uint32_t *support;  // in how many
} sample_table;

typedef struct {
    abstraction *a;
    survey *s;
    prop property;              // of the original system
    prop checked;               // the same in the abstraction
    VEC(candidate) candidates;  // those that were considered
    map *instance_of;           // (case, point, literal) -> number
    VEC(lemma_instance) instances;
    sample_table *samples;   // by point
    map *by_clause;          // -> candidate
    uint32_t *own_unknowns;  // by case: how many unknowns it has without lemmas
    VEC(uint32_t) fresh;     // candidates that came in lately
    uint32_t at_view;        // that the step now looked at begins in
    views *views;            // NULL: not asked
    explore_options how;
    uint64_t enough;  // states that a round looks at; more when nothing is found among them
    // what came out
    bool is_proved;
    uint32_t counted;  // views that candidates were tried at
    bool is_closed;    // the views were closed, and lemmas left out
    uint32_t rounds, brought, dropped;
    result_stats last;  // of the exploration that proved it
    result *spurious;   // the counterexample that no candidate blocks, with
    instance *spurious_in;
    abstract_case *needs_lemma;  // the case whose step it is; NULL: cannot be told
    const char *reason;          // why not proved
} refinement;

refinement *refine_new(abstraction *a, survey *s, prop property, const explore_options *how);
void refine_free(refinement *r);
// A lemma that is not mined: used from the start, checked like the others.
void refine_add_lemma(refinement *r, const lemma *l);
void refine_run(refinement *r);
// Do the property and the lemmas used hold in the abstraction, as it is?
bool refine_verifies(refinement *r);
// Leaves lemmas out as long as the rest still proves it, if that was not done.
void refine_minimise(refinement *r, double seconds);
// The abstraction with the lemmas used.
strengthened refine_system(refinement *r);

#endif
