// SPDX-License-Identifier: Apache-2.0
// An abstraction with lemmas in its guards, as a system that can be explored and printed.
//
// Of the unknowns of a case as few as possible become parameters of the rule (pass/eliminate.h). Cases that change
// nothing, or cannot happen, are left out.
#ifndef CMP_ABSTRACT_STRENGTHEN_H
#define CMP_ABSTRACT_STRENGTHEN_H

#include "cmp/abstract/abstract.h"
#include "model/expr.h"
#include "pass/eliminate.h"

// A case with lemmas: what becomes of its unknowns.
typedef struct {
    elimination e;
    expr_list stated;  // the guard before anything was solved
    var_list params;   // of the rule: those of the case, then the unknowns that stay open
} draft;

typedef VEC(const lemma *) lemma_list;

draft strengthen_case(abstraction *a, abstract_case *c, const lemma_list *lemmas);
void draft_free(draft *d);

typedef struct {
    rule r;
    abstract_case *c;
    draft d;
} case_rule;

typedef struct {
    model *m;     // that has the system: the abstraction's
    bool is_own;  // or one on top of that, which goes with the system
    sys system;
    VEC(case_rule) rules;  // not the start states
} strengthened;

// The whole, as a model of its own.
strengthened strengthen(abstraction *a, const lemma_list *lemmas);
// Is it a step of others by that rule, which changes something?
bool strengthen_is_others(const abstract_case *c, rule origin);
// Only the steps of kept elements; only the steps of others by one rule. No start states.
strengthened strengthen_kept(abstraction *a);
strengthened strengthen_others(abstraction *a, rule origin, const lemma_list *lemmas);
// The same without lemmas, where a rule has no parameters: functions of the system that have no arguments stand
// for them and for the unknowns that no equation gives.
typedef struct {
    func f;
    var stands_for;
} input;

typedef VEC(input) input_list;

strengthened strengthen_plain(abstraction *a, rule origin, input_list *inputs);
void strengthened_free(strengthened *s);
// What a rule of the system was made of; NULL: it is none.
const case_rule *strengthened_rule(const strengthened *s, rule r);

#endif
