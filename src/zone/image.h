// SPDX-License-Identifier: Apache-2.0
// The image of a timed system when two values change places: those of some process parameters, and of the slots
// that hold such values.
//
// What is a symmetry. A swap g acts on states and zones: it moves cells and clocks that belong to a process or
// have an index of the class, and values of cells whose slot is of the class. If the image of every rule (guard,
// body, clock conditions, values given to clocks, priority) is a rule, one for one, and the images of the
// invariants, of where time stands still and of which states are valid are the same again, then s -> t is a step
// iff g(s) -> g(t) is: s and g(s) are bisimilar. If the image of each query's formula is that formula, they also
// answer alike. So one of them stands for both, whatever the initial states are: they need not be symmetric, since the
// search starts from their representatives. What cannot be shown by comparing normal forms does not count as a
// symmetry.
//
// Images and originals are compared in a normal form: arguments of commutative operators are sorted (where no
// evaluation can fault), statements that do not touch the same cells may change places, variables are
// renamed. Expressions are hash-consed, so normal forms are equal iff their handles are. Every shared expression
// is visited once for each rule (image_expr.c), and limits are checked from time to time.
#ifndef ZONE_IMAGE_H
#define ZONE_IMAGE_H

#include "base/limits.h"
#include "model/instance.h"
#include "zone/slots.h"

// Some process parameters that take values from one range, and the slots that hold their values.
typedef struct {
    int32_t lo, hi;
    uint8_t *params;  // by family: bits of the parameters
    uint8_t *slots;   // by slot: is it such a root?
} id_class;

typedef struct image image;

image *image_new(const instance *in, const slots *s, const limits *within);
void image_free(image *g);
bool image_gave_up(const image *g);  // a limit was met: then no swap is a symmetry any more

// Chooses the swap that the questions below are about; what happens to the class later does not matter to them.
// False: some name has no image, so it is not a symmetry.
bool image_choose(image *g, const id_class *c, int32_t v, int32_t w);
// Is the chosen swap a symmetry of rules, invariants and conditions? If not, `why` is where it fails.
bool image_keeps_system(image *g, span *why);
// …of a query's formula, a number, a clock?
bool image_keeps_formula(image *g, expr e);
bool image_keeps_number(image *g, expr e);
bool image_keeps_clock(const image *g, uint32_t clock);

// Rules that a swap seems to map to each other, by their names: marks the slots where one has v and the other w.
void image_find_slots(image *g, id_class *c, int32_t v, int32_t w);

#endif
