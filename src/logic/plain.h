// SPDX-License-Identifier: Apache-2.0
// Formulas in the least language that every first-order prover has: connectives, quantifiers over unbounded sorts,
// relations, equalities of terms, and the order of ordered sorts. Everything finite is spelled out case by case:
// quantifiers over enums and ranges, arithmetic, if-then-else in terms, formulas as arguments.
//
// For the text that other provers get; shares nothing with the ground engine.
#ifndef LOGIC_PLAIN_H
#define LOGIC_PLAIN_H

#include "model/expr.h"

expr plain_formula(model *m, expr e);

#endif
