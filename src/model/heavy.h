// SPDX-License-Identifier: Apache-2.0
// What evaluators remember: values of heavy expressions, by the values of their variables.
//
// Parts are shared, so the tree of an expression may have 2^100 nodes, and below nested quantifiers the same variables
// get the same values again and again. Whoever evaluates keeps what heavy parts (expr_info.weight) are worth, and
// forgets it when what they read has changed.
#ifndef MODEL_HEAVY_H
#define MODEL_HEAVY_H

#include "model/model.h"

typedef struct {
    map *table;
    uint32_t when;  // what was put before the last heavy_forget() has another number
} heavy_values;     // zero: nothing is known

// `env` has the values by variable id; a tag tells ways to evaluate apart. What has very many variables is not kept.
bool heavy_get(const heavy_values *h, const model *m, expr e, uint32_t tag, const value *env, value *is);
void heavy_put(heavy_values *h, const model *m, expr e, uint32_t tag, const value *env, value is);
void heavy_forget(heavy_values *h);  // all of it; cheap, since it is done for every state
void heavy_free(heavy_values *h);

#endif
