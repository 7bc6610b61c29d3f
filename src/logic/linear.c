// SPDX-License-Identifier: Apache-2.0
// Linear inequalities: see linear.h. Z3 decides them with fractions of any size; what it answers is not believed but
// checked by whoever asked (zone/run.c replays the run that it gives).
#include "logic/linear.h"

#include "base/mem.h"
#include "logic/z3_int.h"

#include <math.h>

enum { LINEAR_SECONDS = 10, FINEST = 1 << 30 };

typedef struct {
    Z3_context c;
    Z3_sort real;
    Z3_ast *vars;
} linear_room;

static void linear_ignore_error(Z3_context c, Z3_error_code e) { (void)c, (void)e; }

static Z3_ast linear_number(const linear_room *k, int64_t v) { return Z3_mk_int64(k->c, v, k->real); }

static Z3_ast linear_sum(const linear_room *k, const linear_bound *b) {
    Z3_ast *parts = mem_alloc((b->nterms + 1) * sizeof *parts);
    parts[b->nterms] = linear_number(k, 0);
    for (uint32_t i = 0; i < b->nterms; i++) {
        Z3_ast product[] = {linear_number(k, b->terms[i].factor), k->vars[b->terms[i].var]};
        parts[i] = b->terms[i].factor == 1 ? product[1] : Z3_mk_mul(k->c, 2, product);
    }
    Z3_ast sum = Z3_mk_add(k->c, b->nterms + 1, parts);
    free(parts);
    return sum;
}

static void linear_assert(const linear_room *k, Z3_solver s, const linear_bound *b) {
    Z3_ast sum = linear_sum(k, b), most = linear_number(k, b->most);
    Z3_solver_assert(k->c, s, b->is_strict ? Z3_mk_lt(k->c, sum, most) : Z3_mk_le(k->c, sum, most));
}

static void linear_make_vars(linear_room *k, Z3_solver s, uint32_t nvars) {
    k->vars = mem_alloc((nvars + 1) * sizeof *k->vars);
    for (uint32_t i = 0; i < nvars; i++) {
        k->vars[i] = Z3_mk_const(k->c, Z3_mk_int_symbol(k->c, (int)i), k->real);
        Z3_solver_assert(k->c, s, Z3_mk_ge(k->c, k->vars[i], linear_number(k, 0)));
    }
}

static int64_t linear_gcd(int64_t a, int64_t b) { return b ? linear_gcd(b, a % b) : a; }

// All values over one denominator. False: it is too large.
static bool linear_take(const linear_room *k, Z3_model m, uint32_t nvars, int64_t *values, int64_t *unit) {
    int64_t *below = mem_alloc((nvars + 1) * sizeof *below);
    bool ok = true;
    *unit = 1;
    for (uint32_t i = 0; ok && i < nvars; i++) {
        Z3_ast v;
        ok = Z3_model_eval(k->c, m, k->vars[i], true, &v) &&
             Z3_get_numeral_rational_int64(k->c, v, &values[i], &below[i]) && below[i] > 0 && below[i] <= FINEST;
        if (ok) *unit *= below[i] / linear_gcd(*unit, below[i]);
        ok = ok && *unit <= FINEST && values[i] / below[i] <= FINEST;
    }
    for (uint32_t i = 0; ok && i < nvars; i++) values[i] *= *unit / below[i];
    free(below);
    return ok;
}

static linear_end linear_ask(linear_room *k, Z3_solver s, uint32_t nvars, int64_t *values, int64_t *unit) {
    Z3_lbool is = Z3_solver_check(k->c, s);
    if (is != Z3_L_TRUE) return is == Z3_L_FALSE ? LINEAR_NONE : LINEAR_UNKNOWN;
    Z3_model m = Z3_solver_get_model(k->c, s);
    if (!m) return LINEAR_UNKNOWN;
    Z3_model_inc_ref(k->c, m);
    bool ok = linear_take(k, m, nvars, values, unit);
    Z3_model_dec_ref(k->c, m);
    return ok ? LINEAR_SOLVED : LINEAR_UNKNOWN;
}

static void linear_limit(const linear_room *k, Z3_solver s, const limits *l) {
    double left = limits_left(l), each = isfinite(left) && left < LINEAR_SECONDS ? left : LINEAR_SECONDS;
    Z3_params p = Z3_mk_params(k->c);
    Z3_params_inc_ref(k->c, p);
    Z3_params_set_uint(k->c, p, Z3_mk_string_symbol(k->c, "timeout"), each < 0.001 ? 1 : (unsigned)(each * 1000));
    Z3_solver_set_params(k->c, s, p);
    Z3_params_dec_ref(k->c, p);
}

linear_end linear_solve(const linear_bound *bounds, uint32_t n, uint32_t nvars, const limits *l, int64_t *values,
                        int64_t *unit) {
    const limits none = {0}, *within = l ? l : &none;
    Z3_config how = Z3_mk_config();
    linear_room k = {.c = Z3_mk_context(how)};
    Z3_del_config(how);
    Z3_set_error_handler(k.c, linear_ignore_error);
    k.real = Z3_mk_real_sort(k.c);
    Z3_solver s = Z3_mk_solver_for_logic(k.c, Z3_mk_string_symbol(k.c, "QF_LRA"));
    Z3_solver_inc_ref(k.c, s);
    linear_make_vars(&k, s, nvars);
    for (uint32_t i = 0; i < n; i++) linear_assert(&k, s, &bounds[i]);
    linear_limit(&k, s, within);
    z3_guard *guard = z3_guard_new(k.c, within);
    z3_guard_asking(guard, within);
    linear_end end = linear_ask(&k, s, nvars, values, unit);
    z3_guard_asking(guard, NULL);
    z3_guard_free(guard);
    Z3_solver_dec_ref(k.c, s);
    Z3_del_context(k.c);
    free(k.vars);
    return end;
}
