// SPDX-License-Identifier: Apache-2.0
// Canonical representatives under permutations of the elements of symmetric sorts.
#ifndef SPACE_SYMMETRY_H
#define SPACE_SYMMETRY_H

#include "model/instance.h"
#include "space/bags.h"
#include "space/layout.h"
#include "space/lower.h"

typedef struct symmetry symmetry;
typedef struct symmetry_run symmetry_run;  // scratch memory of one thread

// NULL when no symmetric sort, except those told apart, has more than one element. States have their multisets in
// order; `multisets` is NULL if there are none.
symmetry *symmetry_new(const layout *l, const bags *multisets, const type *apart, uint32_t napart);
void symmetry_free(symmetry *y);
void symmetry_sorts(const symmetry *y, type_list *out);  // whose elements are permuted

symmetry_run *symmetry_run_new(const symmetry *y);
void symmetry_run_free(symmetry_run *run);

// The same for every state of the orbit, and in the orbit. The heuristic one is only in the orbit: where
// elements cannot be told apart easily, it takes the first way instead of trying all.
void symmetry_canonical(symmetry_run *run, uint64_t *state, bool is_heuristic);

// A program whose only label does the same; false where that would not be faster. Free the lowering in either case.
bool symmetry_lower(const symmetry *y, lowering *out);

#endif
