// SPDX-License-Identifier: Apache-2.0
// What makes `holds` say little, found in a model and its states, for searches of any kind (result/doubt.h): premises
// of implications, and counters that a guard keeps back at the end of their range.
#ifndef EXPLORE_VACUOUS_H
#define EXPLORE_VACUOUS_H

#include "model/expr.h"
#include "model/instance.h"
#include "result/result.h"

// Called with every premise below `forall`, `&` and conclusions of others, under its bound variables; false: it was
// never true, so that what follows from it need not be examined.
typedef bool (*vacuous_premise)(expr premise, const var_list *vars, void *context);
void vacuous_each_premise(model *m, expr cond, vacuous_premise found, void *context);
void vacuous_doubt_premise(model *m, sys system, const char *name, expr premise, bool is_part, result *out);

void vacuous_find_counters(const model *m, sys s, func_list *out);
bool vacuous_is_at_bound(const instance *in, func f, const value *cells);
void vacuous_doubt_bound(const model *m, func f, result *out);

#endif
