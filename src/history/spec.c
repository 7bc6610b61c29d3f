// SPDX-License-Identifier: Apache-2.0
// Sets of admissible interchanges as .pv text: see spec.h.
#include "history/spec.h"

#include <ctype.h>

// lazy_invalidation: LazyInvalidation
static void camel_case(const char *name, str *out) {
    bool starts = true;
    for (; *name; name++) {
        if (*name != '_') str_char(out, (char)(starts ? toupper((unsigned char)*name) : *name));
        starts = *name == '_';
    }
}

static void spec_add_sorts(const interchange *x, str *out) {
    str_printf(out,
               "// Specifications of the interchanges of %s, written by parvis.\n\nsort Client, Loc\n"
               "ordered sort Value\n\n",
               x->name);
}

void spec_text(const interchange *x, str *out) {
    str name = {0};
    camel_case(x->name, &name);
    spec_add_sorts(x, out);
    spec_queue(x, str_get(&name), out);
    str_char(out, '\n');
    if (shape_all_pairs(x)) spec_combined(x, str_get(&name), out);
    str_free(&name);
}

void spec_property(const interchange *x, const char *system, str *out) {
    bool pairs = shape_all_pairs(x);
    str name = {0};
    str_add(&name, "Spec");
    camel_case(x->name, &name);
    spec_add_sorts(x, out);
    if (pairs) spec_combined(x, str_get(&name), out);
    else spec_queue(x, str_get(&name), out);
    str_printf(out, "property refines_%s: %s refines %s%s\n", x->name, system, str_get(&name), pairs ? "" : "Queue");
    str_free(&name);
}
