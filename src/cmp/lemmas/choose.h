// SPDX-License-Identifier: Apache-2.0
// The lemma loop: a source tells steps of others that lead out of what is known of real instances; each is excluded by
// a candidate, or else the source has to live with it. There are two sources:
//
//   from_views.c   steps from a view to what is no view. Where nothing excludes one, its end is a view from then on. In
//                  the end the views are closed, and the lemmas used hold in all of them: they contain whatever the
//                  abstraction with these lemmas reaches.
//   from_runs.c    steps of runs of the abstraction that violate the property or a lemma (C.-T. Chou, P. Mannava, S.
//                  Park, FMCAD 2004). Where nothing excludes any step of a run, the lemma is dropped.
//
// Either way the proof is the exploration of the abstraction in which the property and all lemmas used hold. Why that
// is one (S. Krstic): suppose some run of some instance violates the property or a lemma used, and take the shortest.
// Before its last state all lemmas hold for all elements, so guards with the lemmas allow every step, and the
// abstraction follows the run seen at any c elements: also at those for which the violation shows.
//
// Budgets are counted in steps of work, never in seconds: answers do not depend on the machine. The other files:
//
//   survey.c       views of instances, and which literals hold in them
//   modular.c      all views of one element, by what elements do to each other
//   orbits.c       the same up to permutations of other sorts
//   views.c        whether others can be as a step takes them to be
//   steps.c        the steps of others, found once for all states that agree on the cells that matter
//   vocabulary.c   what lemmas can say: terms, atoms, and the points where they are needed
//   candidates.c   which lemmas are used
//   exclude.c      the clause that excludes a step, by its witness
//   choose.c       the loop
#ifndef CMP_LEMMAS_CHOOSE_H
#define CMP_LEMMAS_CHOOSE_H

#include "cmp/abstract/abstract.h"
#include "cmp/abstract/strengthen.h"
#include "cmp/lemmas/candidates.h"
#include "cmp/lemmas/exclude.h"
#include "cmp/lemmas/survey.h"
#include "model/instance.h"
#include "result/result.h"

#include "explore/explore.h"

// A run of the abstraction, of a model of its own.
typedef struct {
    result *run;  // NULL: none
    instance *in;
    model *m;
} spurious_run;

// What came out.
typedef struct {
    bool is_proved;
    uint32_t rounds;    // explorations of the abstraction
    uint32_t counted;   // views that the lemmas were tried at; 0: they were not
    result_stats last;  // of the exploration that proved it
    // else
    const char *reason;
    const abstract_case *needs_lemma;  // the case whose step nothing excludes; NULL: cannot be told
    spurious_run spurious;             // that it is part of
} choose_outcome;

typedef struct {
    abstraction *a;
    survey *s;      // NULL: no lemmas are looked for
    prop property;  // of the original system
    expr claim;     // the same of the abstraction
    explore_options how;
    candidates *lemmas;
    excluder *x;
    uint64_t work;  // steps and states looked at so far
    choose_outcome out;
} chooser;

chooser *choose_new(abstraction *a, survey *s, prop property, const explore_options *how);
void choose_free(chooser *c);
void choose_run(chooser *c);
// Do the property and the lemmas used hold in the abstraction, as it is?
bool from_runs_verifies(chooser *c);
// The abstraction with the lemmas used; and the claims, as properties of it (NULL: of nothing).
strengthened choose_system(const chooser *c);

#define CHOOSE_PROPERTY UINT32_MAX

typedef struct {
    VEC(expr) conds;
    VEC(prop) props;
    VEC(uint32_t) owners;  // the candidate of each, or CHOOSE_PROPERTY
} asked;

asked choose_ask(const chooser *c, const strengthened *st);
void asked_free(asked *q);

// ---- private to the loop and its sources

typedef struct step_source step_source;
struct step_source {
    chooser *c;
    bool (*next)(step_source *from, loose_step *out);  // false: there are no more steps
    bool (*admit)(step_source *from);  // nothing excludes the step told last; false: that cannot be lived with
    bool is_through;                   // next() has told all there are
};

step_source *from_views_new(chooser *c);  // NULL if the steps cannot be compiled
void from_views_free(step_source *from);
// Leaves lemmas out as long as the views stay closed without them, within so much work.
void from_views_minimise(step_source *from, uint64_t most_work);

// is_proof: when it is through, the property is proved; else it remains to be minimised.
step_source *from_runs_new(chooser *c, bool is_proof);
void from_runs_free(step_source *from);
// Leaves lemmas out as long as the rest still proves it, within so much work; and proves it.
void from_runs_minimise(chooser *c, uint64_t most_work);

#endif
