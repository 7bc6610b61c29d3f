// SPDX-License-Identifier: Apache-2.0
// The value of every shape in the states of a sample, for every tuple of elements: computed when first asked
// for, and shared by all schemas and bindings.
#ifndef INFER_VALUATION_H
#define INFER_VALUATION_H

#include "infer/atoms.h"
#include "infer/sample.h"
#include "model/instance.h"

typedef struct {
    const atom_pool *p;
    const sample *s;
    sample *own;  // the same, to be freed with the valuation; or NULL
    slicer *x;
    uint32_t *first;     // by shape: its first column
    uint64_t **columns;  // NULL: not computed
} valuation;

valuation *valuation_new(const atom_pool *p, const sample *s);
valuation *valuation_of_state(const atom_pool *p, const instance *in, const value *state);
void valuation_free(valuation *v);
// The column (over states) of an atom when pool variable i is element to[i].
const uint64_t *valuation_column(valuation *v, uint32_t atom, const value *to);

#endif
