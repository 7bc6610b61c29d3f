// SPDX-License-Identifier: Apache-2.0
// An abstraction with lemmas in its guards, as a system that can be explored and printed.
//
// Of the unknowns of a case, those that an equation of the guard gives are replaced, those that the body does
// not read are quantified in the guard, the rest become parameters of the rule. Cases that change nothing, or
// cannot happen, are left out.
#ifndef CMP_ABSTRACT_STRENGTHEN_H
#define CMP_ABSTRACT_STRENGTHEN_H

#include "cmp/abstract/abstract.h"

typedef struct {
    rule r;
    uint32_t number;  // of the case
} case_rule;

typedef struct {
    model *m;     // that has the system: the abstraction's
    bool is_own;  // or one on top of that, which goes with the system
    sys system;
    VEC(case_rule) rules;  // not the start states
} strengthened;

// One case on its way to a rule.
typedef struct {
    var v;
    expr given;  // over unknowns that are solved later, quantified or parameters
} solution;

typedef VEC(expr) expr_list;

typedef struct {
    abstraction *a;
    model *m;
    expr_list conjuncts;   // of the guard
    expr_list stated;      // of the guard before anything was solved
    VEC(var) unknowns;     // that became parameters
    VEC(var) params;       // of the rule: those of the case, then these
    VEC(solution) solved;  // in order
    VEC(var) quantified;
    const stmt *body;
} draft;

typedef VEC(const lemma *) lemma_list;

draft strengthen_case(abstraction *a, abstract_case *c, const lemma_list *lemmas);
void draft_free(draft *d);

// The whole, as a model of its own.
strengthened strengthen(abstraction *a, const lemma_list *lemmas);
// Is it a step of others by that rule, which changes something?
bool strengthen_is_others(const abstract_case *c, rule origin);
// Only the steps of kept elements; only the steps of others by one rule, with the drafts of its rules. No start states.
typedef VEC(draft) draft_list;
strengthened strengthen_kept(abstraction *a);
strengthened strengthen_others(abstraction *a, rule origin, const lemma_list *lemmas, draft_list *drafts);
// The same without lemmas, where a rule has no parameters: functions of the system that have no arguments stand
// for them and for the unknowns that no equation gives.
typedef struct {
    func f;
    var stands_for;
} input;

typedef VEC(input) input_list;

strengthened strengthen_plain(abstraction *a, rule origin, input_list *inputs);
void strengthened_free(strengthened *s);
// Which case a rule of the system belongs to; NULL: none.
abstract_case *strengthened_case(const strengthened *s, const abstraction *a, rule r);

#endif
