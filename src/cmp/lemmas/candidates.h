// SPDX-License-Identifier: Apache-2.0
// Candidates for lemmas: those that were considered, which of them are used, and which turned out false.
#ifndef CMP_LEMMAS_CANDIDATES_H
#define CMP_LEMMAS_CANDIDATES_H

#include "cmp/abstract/abstract.h"
#include "cmp/abstract/strengthen.h"
#include "cmp/lemmas/survey.h"
#include "cmp/lemmas/vocabulary.h"

typedef struct {
    lemma l;
    const char *title;
    expr claim;  // what the abstraction must satisfy
    bool is_users;
    bool is_used, is_false;
    bool is_checked;   // in all views, when they were closed
    uint32_t against;  // the view whose step it was brought in against
    uint32_t needed;   // views, of those tried, from which a step leads out of them without it
} candidate;

enum { CLAUSE_MOST_LITERALS = 6 };

// A lemma that is looked for: the premise of a point implies one of the literals. Those not used are 0.
typedef struct {
    uint32_t point, n;
    uint32_t literals[CLAUSE_MOST_LITERALS];
} clause;

typedef struct {
    abstraction *a;
    const survey *s;  // what clauses are made of; NULL: there are only the user's
    VEC(candidate) list;
    map *by_clause;       // -> candidate
    VEC(uint32_t) fresh;  // that came in since somebody cleared this
    lemma_list used;
    uint32_t brought, dropped;
} candidates;

candidates *candidates_new(abstraction *a, const survey *s);
void candidates_free(candidates *x);
// A lemma that is not looked for: used from the beginning, checked like the others.
void candidates_add_users(candidates *x, const lemma *l);
void candidates_bring(candidates *x, const clause *k, uint32_t against);
void candidates_drop(candidates *x, uint32_t number);              // it is false
void candidates_begin_anew(candidates *x);                         // only the user's are used
bool candidates_is_settled(const candidates *x, const clause *k);  // used, or false
const lemma_list *candidates_used(candidates *x);                  // until something is brought, dropped or used

// Literal 2 * atom, or 2 * atom + 1 for its negation; after the last atom: false.
expr candidates_literal(const lemma_vocabulary *v, uint32_t literal);
lemma candidates_lemma(const candidates *x, const clause *k);

#endif
