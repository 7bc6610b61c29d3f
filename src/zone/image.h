// SPDX-License-Identifier: Apache-2.0
// The image of a timed system when values are permuted: those of some process parameters, and of the slots
// that hold such values. The permutation is a symmetry of the system if every rule's image is a rule, and the
// image of every invariant, formula and other condition is that condition.
//
// Images and originals are compared in a normal form: arguments of commutative operators are sorted (where no
// evaluation can fault), statements that do not touch the same cells may change places, variables are
// renamed. Expressions are hash-consed, so normal forms are equal iff their handles are.
#ifndef ZONE_IMAGE_H
#define ZONE_IMAGE_H

#include "zone/slots.h"

// Some process parameters that take values from one range, and the slots that hold their values.
typedef struct {
    int32_t lo, hi;
    uint8_t *params;  // by family: bits of the parameters
    uint8_t *slots;   // by slot: is it such a root?
} id_class;

typedef struct image image;

image *image_new(const instance *in, const slots *s);
void image_free(image *g);

// Is the swap of two values a symmetry of rules, invariants and conditions? If not, `why` is where it fails.
bool image_keeps_system(image *g, const id_class *c, int32_t v, int32_t w, span *why);
// …of a query's formula, a number, a clock?
bool image_keeps_formula(image *g, const id_class *c, int32_t v, int32_t w, expr e);
bool image_keeps_number(image *g, const id_class *c, int32_t v, int32_t w, expr e);
bool image_keeps_clock(image *g, const id_class *c, int32_t v, int32_t w, uint32_t clock);

// Rules that a swap seems to map to each other, by their names: marks the slots where one has v and the other w.
void image_find_slots(image *g, id_class *c, int32_t v, int32_t w);

#endif
