// SPDX-License-Identifier: Apache-2.0
// The types and functions that formulas of an obligation use, and names for them that every prover accepts.
#ifndef LOGIC_VOCABULARY_H
#define LOGIC_VOCABULARY_H

#include "base/bits.h"
#include "logic/obligation.h"
#include "model/expr.h"
#include "model/shared.h"

typedef struct {
    const model *m;
    bits types, funcs[2];  // funcs: now, next
    bits orders;           // ordered types whose elements are compared
    bits least;            // … and whose least element is named
    bits params;           // constants: parameters of the rule, by variable
    shared parts;          // that get names of their own, where formulas would be too long as trees
} vocabulary;

// Of the hypotheses, the parameters and the goals [first, first + n).
vocabulary vocabulary_of(const model *m, const obligation_set *s, uint32_t first, uint32_t n);
void vocabulary_free(vocabulary *v);

// p3_, and what part it is: the variables that it is about are those of expr_frees() that are not parameters.
void vocabulary_part(uint32_t number, str *out);
var_list vocabulary_part_vars(const vocabulary *v, expr part);  // to be freed
void vocabulary_func(const model *m, func f, bool next, str *out);
void vocabulary_type(const model *m, type t, str *out);
void vocabulary_value(const model *m, type t, value v, str *out);  // of a bounded type; least: of an ordered sort
void vocabulary_before(const model *m, type t, str *out);          // the order's relation
void vocabulary_var(const model *m, var v, bool is_upper, str *out);

#endif
