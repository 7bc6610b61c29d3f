// SPDX-License-Identifier: Apache-2.0
// Z3 as a reader of scripts, where its library is there and its program is not: the same text in, the same lines out.
// It has a context of its own, of which nothing is left behind.
#include "logic/z3_int.h"

#include <math.h>

static void script_ignore_error(Z3_context c, Z3_error_code e) { (void)c, (void)e; }

// Milliseconds for each question, of which the run may have less left.
static unsigned script_milliseconds(double seconds, const limits *l) {
    double left = limits_left(l);
    double each = isfinite(left) && left < seconds ? left : seconds;
    return each < 0.001 ? 1 : (unsigned)(each * 1000);
}

void z3_script(const char *script, double seconds, const limits *l, str *out) {
    Z3_config how = Z3_mk_config();
    Z3_context c = Z3_mk_context(how);
    Z3_del_config(how);
    Z3_set_error_handler(c, script_ignore_error);
    z3_guard *guard = z3_guard_new(c, l);
    str text = {0};
    str_printf(&text, "(set-option :timeout %u)\n%s", script_milliseconds(seconds, l), script);
    z3_guard_asking(guard, l);
    const char *said = Z3_eval_smtlib2_string(c, str_get(&text));
    z3_guard_asking(guard, NULL);
    str_add(out, said ? said : "");
    str_free(&text);
    z3_guard_free(guard);
    Z3_del_context(c);
}
