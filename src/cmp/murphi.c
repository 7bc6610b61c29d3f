// SPDX-License-Identifier: Apache-2.0
#include "cmp/murphi.h"
#include "model/print.h"
void murphi_print_expr(const model *m, expr e, str *out) { print_expr(m, e, out); }
void murphi_print_abstract(const abstraction *a, const strengthened *s, const prop *checked, uint32_t n, str *out) {
    (void)checked;
    (void)n;
    print_system(a->m, s->system, out);
}
