// SPDX-License-Identifier: Apache-2.0
// Lemmas and abstract models as Murphi that other checkers read: no unions, elements are numbers.
#ifndef CMP_MURPHI_H
#define CMP_MURPHI_H

#include "base/bits.h"
#include "cmp/strengthen.h"

// A formula of a model that was read from Murphi, in its own notation: cache[c].mode = exclusive.
void murphi_print_expr(const model *m, expr e, str *out);
// The abstract model, with these invariants.
void murphi_print_abstract(const abstraction *a, const strengthened *s, const prop *checked, uint32_t n,
                           str *out);

#endif
