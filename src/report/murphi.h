// SPDX-License-Identifier: Apache-2.0
// Lemmas and abstract models as Murphi that other checkers read: no unions, elements are numbers.
#ifndef REPORT_MURPHI_H
#define REPORT_MURPHI_H

#include "result/proof.h"

// A formula of a model that was read from Murphi, in its own notation: cache[c].mode = exclusive.
void murphi_print_expr(const model *m, expr e, str *out);
void murphi_print_abstract(const proof_abstract *what, str *out);

#endif
