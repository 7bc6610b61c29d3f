// SPDX-License-Identifier: Apache-2.0
// Samples: states of one instance held by columns, so that a formula is evaluated on 64 states at a time.
//
// A cell of type bool has one column (bit s: its value in state s), a cell of another type has one column per
// value. sample_eval() computes with whole columns; no state is ever evaluated on its own.
#ifndef INFER_SAMPLE_H
#define INFER_SAMPLE_H

#include "model/instance.h"

typedef struct {
    const instance *in;          // not owned
    uint32_t nstates, capacity;  // capacity: fixed when made
    uint32_t nwords;             // of a column
    uint32_t *first_column;      // by cell
    type *types;                 // by cell
    uint64_t *columns;
} sample;

// The values of a formula's variables; small, searched from the end.
typedef struct {
    var v;
    value x;
} binding;

typedef struct {
    const sample *s;
    VEC(binding) env;
    VEC(uint64_t *) spare;  // buffers of nwords
    uint32_t depth;         // of the part that is evaluated
    map *known;             // of heavy parts, while one formula is evaluated: which of `kept` is it?
    VEC(uint64_t *) kept;
} slicer;

sample *sample_new(const instance *in, uint32_t capacity);
void sample_free(sample *s);
void sample_add(sample *s, const value *cells);

slicer *slicer_new(const sample *s);
void slicer_free(slicer *x);
void slicer_bind(slicer *x, var v, value value);
void slicer_clear(slicer *x);

// Can sample_eval() evaluate e (no definitions, no arithmetic)?
bool sample_can(const model *m, expr e);
// Bit s of `out` (nwords): does e hold in state s? Bits beyond the states are undefined.
void sample_eval(slicer *x, expr e, uint64_t *out);
bool sample_is_false(const sample *s, expr e);  // in some state; e is closed

#endif
