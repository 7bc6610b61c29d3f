// SPDX-License-Identifier: Apache-2.0
// random_model: see the header. A model is grown top-down: types, functions, definitions (each may use
// those before it), rules, properties. Terms are made by type: make_bool, make_number, make_term (enum,
// sort); `fuel` bounds the depth. A term of a sort needs a variable in scope or a function into the sort,
// so whoever needs one asks can_make() first.
#include "oracle/random_model.h"

#include "model/expr.h"

#include <assert.h>

enum { MOST_SCOPE = 24, MOST_ARGS = 3 };

typedef struct {
    random_model *r;
    model *m;
    rng *random;
    uint32_t size;
    unsigned features;
    VEC(type) types;
    VEC(func) funcs;
    VEC(def) defs;
    var scope[MOST_SCOPE];
    uint32_t nscope;
    uint32_t nvars;
    bool only_rigid;   // inside an axiom
    bool in_sequence;  // below S_SEQ and not below S_PAR, so S_SEQ is allowed
} maker;

static const span nowhere;

static uint32_t below(maker *k, uint32_t n) { return rng_below(k->random, n); }
static bool chance(maker *k, uint32_t percent) { return below(k, 100) < percent; }
static bool has(const maker *k, unsigned feature) { return (k->features & feature) != 0; }

static const char *name_of(maker *k, const char *stem, uint32_t number) {
    return arena_printf(k->m->memory, "%s%u", stem, number);
}

// ---- what is there

static type random_type(maker *k) { return k->types.data[below(k, k->types.len)]; }

static bool is_kind(const maker *k, type t, type_kind kind) { return type_of(k->m, t)->kind == kind; }

static bool fits(const maker *k, type have, type want) {
    if (type_same(have, want)) return true;
    if (!type_is_number(k->m, have) || !type_is_number(k->m, want)) return false;
    const type_info *h = type_of(k->m, have), *w = type_of(k->m, want);
    return h->lo >= w->lo && h->hi <= w->hi;
}

static bool usable(const maker *k, func f) { return !k->only_rigid || func_of(k->m, f)->is_rigid; }

static bool can_make(const maker *k, type t, uint32_t depth);

static bool can_apply(const maker *k, func f, uint32_t depth) {
    if (!usable(k, f)) return false;
    const func_info *info = func_of(k->m, f);
    for (uint32_t i = 0; i < info->nargs; i++)
        if (!can_make(k, info->args[i], depth)) return false;
    return true;
}

static bool can_make(const maker *k, type t, uint32_t depth) {
    const type_info *info = type_of(k->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (can_make(k, info->members[i], depth)) return true;
    if (info->kind != TYPE_SORT && info->kind != TYPE_UNION) return true;
    for (uint32_t i = 0; i < k->nscope; i++)
        if (type_same(var_of(k->m, k->scope[i])->ty, t)) return true;
    for (uint32_t i = 0; depth && i < k->funcs.len; i++)
        if (type_same(func_of(k->m, k->funcs.data[i])->result, t) && can_apply(k, k->funcs.data[i], depth - 1))
            return true;
    return false;
}

// A function into the type, with arguments that can be made: from variables alone if `flat`.
static bool random_func(maker *k, type result, bool flat, func *out) {
    VEC(func) fit = {0};
    for (uint32_t i = 0; i < k->funcs.len; i++) {
        func f = k->funcs.data[i];
        if (fits(k, func_of(k->m, f)->result, result) && can_apply(k, f, flat ? 0 : 1)) vec_push(&fit, f);
    }
    bool found = fit.len > 0;
    if (found) *out = fit.data[below(k, fit.len)];
    vec_free(&fit);
    return found;
}

static bool random_var(maker *k, type t, var *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->nscope; i++) {
        if (!fits(k, var_of(k->m, k->scope[i])->ty, t)) continue;
        if (below(k, ++n) == 0) *out = k->scope[i];
    }
    return n > 0;
}

static var push_var(maker *k, type t) {
    var v = model_add_var(k->m, name_of(k, "x", ++k->nvars), t, nowhere);
    k->scope[k->nscope++] = v;
    return v;
}

// ---- terms

static expr make_bool(maker *k, uint32_t fuel);
static expr make_value(maker *k, type t, uint32_t fuel);
static expr make_leaf(maker *k, type t);

static expr make_apply(maker *k, func f, uint32_t fuel) {
    const type *types = func_of(k->m, f)->args;
    uint32_t n = func_of(k->m, f)->nargs;
    expr args[MOST_ARGS];
    for (uint32_t i = 0; i < n; i++) args[i] = fuel ? make_value(k, types[i], fuel - 1) : make_leaf(k, types[i]);
    return expr_app(k->m, f, args);
}

static expr make_call(maker *k, def d, uint32_t fuel) {
    const def_info info = *def_of(k->m, d);
    expr args[MOST_ARGS];
    for (uint32_t i = 0; i < info.nparams; i++) args[i] = make_value(k, var_of(k->m, info.params[i])->ty, fuel);
    return expr_call(k->m, d, args);
}

// A definition whose result fits and whose arguments can be made.
static bool random_def(maker *k, type result, def *out) {
    for (uint32_t tries = 0; tries < 4 && k->defs.len && !k->only_rigid; tries++) {
        def d = k->defs.data[below(k, k->defs.len)];
        const def_info info = *def_of(k->m, d);
        bool good = fits(k, expr_type(k->m, info.body), result);
        for (uint32_t i = 0; good && i < info.nparams; i++) good = can_make(k, var_of(k->m, info.params[i])->ty, 1);
        if (good) return *out = d, true;
    }
    return false;
}

static expr number(maker *k, int32_t n) { return expr_const(k->m, model_range(k->m, n, n, nowhere), n); }

static expr make_leaf(maker *k, type t);

// A value of a union: a member's, if one can be made, without a function if possible.
static bool make_member(maker *k, type t, expr *out) {
    const type_info info = *type_of(k->m, t);
    uint32_t first = info.nmembers ? below(k, info.nmembers) : 0;
    for (uint32_t i = 0; i < 2 * info.nmembers; i++) {
        type member = info.members[(first + i) % info.nmembers];
        if (!can_make(k, member, i < info.nmembers ? 0 : 1)) continue;
        *out = expr_widen(k->m, t, make_leaf(k, member));
        return true;
    }
    return false;
}

// A term without depth: a variable, a constant, or a function of such.
static expr make_leaf(maker *k, type t) {
    var v;
    func f;
    expr e;
    const type_info *info = type_of(k->m, t);
    if (random_var(k, t, &v)) return expr_var(k->m, v);
    if (info->kind == TYPE_UNION && make_member(k, t, &e)) return e;
    info = type_of(k->m, t);
    if (info->kind == TYPE_RANGE) return number(k, info->lo + (int32_t)below(k, (uint32_t)(info->hi - info->lo + 1)));
    if (info->kind != TYPE_SORT && info->kind != TYPE_UNION)
        return expr_const(k->m, t, (value)below(k, type_known_size(k->m, t)));
    bool found = random_func(k, t, true, &f);
    assert(found);
    return make_apply(k, f, 0);
}

static expr make_number_leaf(maker *k, type t, uint32_t fuel) {
    var v;
    func f;
    if (chance(k, 40) && random_var(k, t, &v)) return expr_var(k->m, v);
    if (chance(k, 60) && random_func(k, t, !fuel, &f)) return make_apply(k, f, fuel);
    const type_info *info = type_of(k->m, t);
    return number(k, info->lo + (int32_t)below(k, (uint32_t)(info->hi - info->lo + 1)));
}

// Any number type of the model, as a leaf for arithmetic.
static expr make_any_number(maker *k, uint32_t fuel) {
    for (uint32_t tries = 0; tries < 6; tries++) {
        type t = random_type(k);
        if (type_is_number(k->m, t)) return make_number_leaf(k, t, fuel);
    }
    return number(k, (int32_t)below(k, 5) - 2);
}

static bool may_be_zero(const maker *k, expr e) {
    int64_t lo, hi;
    expr_bounds(k->m, e, &lo, &hi);
    return lo <= 0 && hi >= 0;
}

static expr make_bits(maker *k, uint32_t fuel) {
    static const expr_kind kinds[] = {E_BITAND, E_BITOR, E_BITXOR, E_BITNOT, E_SHL, E_SHR};
    expr_kind kind = kinds[below(k, 6)];
    expr a = make_any_number(k, fuel), b = make_any_number(k, fuel);
    return expr_arith_fits(k->m, kind, a, b) ? expr_arith(k->m, kind, a, b) : a;
}

static expr make_arith(maker *k, uint32_t fuel) {
    if (has(k, RANDOM_IMPERATIVE) && chance(k, 25)) return make_bits(k, fuel ? fuel - 1 : 0);
    static const expr_kind kinds[] = {E_ADD, E_ADD, E_SUB, E_SUB, E_MUL, E_DIV, E_MOD, E_NEG};
    expr_kind kind = kinds[below(k, 8)];
    expr a = fuel > 1 && chance(k, 30) ? make_arith(k, fuel - 1) : make_any_number(k, fuel ? fuel - 1 : 0);
    if (kind == E_NEG) return expr_arith(k->m, kind, a, (expr){0});
    expr b = make_any_number(k, fuel ? fuel - 1 : 0);
    bool divides = kind == E_DIV || kind == E_MOD;
    if (divides && may_be_zero(k, b) && !has(k, RANDOM_FAULTS)) b = number(k, 2);
    int32_t zero;
    if (divides && expr_is_const(k->m, b, &zero) && zero == 0) b = number(k, 3);
    return expr_arith(k->m, kind, a, b);
}

static expr clamp(maker *k, expr e, type t) {
    const int32_t lo = type_of(k->m, t)->lo, hi = type_of(k->m, t)->hi;
    expr inside = expr_and(k->m, expr_arith(k->m, E_LE, number(k, lo), e), expr_arith(k->m, E_LE, e, number(k, hi)));
    return expr_ite(k->m, inside, e, number(k, lo));
}

static expr make_number(maker *k, type t, uint32_t fuel) {
    if (!fuel || chance(k, 60)) return make_number_leaf(k, t, fuel ? fuel - 1 : 0);
    expr e = make_arith(k, fuel - 1);
    return has(k, RANDOM_FAULTS) && chance(k, 40) ? e : clamp(k, e, t);
}

static expr make_term(maker *k, type t, uint32_t fuel) {
    var v;
    func f;
    def d;
    if (fuel && chance(k, 15))
        return expr_ite(k->m, make_bool(k, fuel - 1), make_value(k, t, fuel - 1), make_value(k, t, fuel - 1));
    if (fuel && chance(k, 15) && random_def(k, t, &d)) return make_call(k, d, fuel - 1);
    if (fuel && chance(k, 30) && random_func(k, t, !fuel, &f)) return make_apply(k, f, fuel - 1);
    if (chance(k, 70) && random_var(k, t, &v)) return expr_var(k->m, v);
    if (is_kind(k, t, TYPE_SORT) || is_kind(k, t, TYPE_UNION)) return make_leaf(k, t);
    if (chance(k, 50) && random_func(k, t, !fuel, &f)) return make_apply(k, f, fuel ? fuel - 1 : 0);
    return expr_const(k->m, t, (value)below(k, type_known_size(k->m, t)));
}

static expr make_value(maker *k, type t, uint32_t fuel) {
    if (is_kind(k, t, TYPE_BOOL)) return make_bool(k, fuel);
    return is_kind(k, t, TYPE_RANGE) && chance(k, 80) ? make_number(k, t, fuel)
           : is_kind(k, t, TYPE_RANGE)                ? make_number_leaf(k, t, fuel ? fuel - 1 : 0)
                                                      : make_term(k, t, fuel);
}

static expr make_equal(maker *k, uint32_t fuel) {
    for (uint32_t tries = 0; tries < 8; tries++) {
        type t = random_type(k);
        if (is_kind(k, t, TYPE_BOOL) || !can_make(k, t, 1)) continue;
        expr a = make_value(k, t, fuel), b = make_value(k, t, fuel);
        bool ordered = is_kind(k, t, TYPE_RANGE) || type_of(k->m, t)->is_ordered;
        return ordered && chance(k, 50) ? expr_arith(k->m, chance(k, 50) ? E_LT : E_LE, a, b) : expr_eq(k->m, a, b);
    }
    return expr_bool(k->m, chance(k, 50));
}

// A comparison that faults if what it computes leaves a type or divides by zero; often with a guard before
// it.
static expr make_risky(maker *k, uint32_t fuel) {
    expr n = make_arith(k, fuel + 1), other = make_any_number(k, fuel);
    expr risky = expr_eq(k->m, expr_arith(k->m, chance(k, 50) ? E_DIV : E_MOD, n, other), make_any_number(k, fuel));
    for (uint32_t tries = 0; tries < 8 && chance(k, 80); tries++) {
        func f = k->funcs.data[below(k, k->funcs.len)];
        const func_info info = *func_of(k->m, f);
        if (!info.nargs || !type_is_number(k->m, info.args[0]) || !can_apply(k, f, 0)) continue;
        expr args[MOST_ARGS] = {n};
        for (uint32_t i = 1; i < info.nargs; i++) args[i] = make_leaf(k, info.args[i]);
        expr app = expr_app(k->m, f, args);
        risky = type_same(info.result, k->m->bool_type) ? app : expr_eq(k->m, app, app);
        break;
    }
    expr guard = make_bool(k, fuel);
    return chance(k, 40)   ? expr_and(k->m, guard, risky)
           : chance(k, 40) ? expr_or(k->m, guard, risky)
           : chance(k, 40) ? expr_implies(k->m, guard, risky)
                           : risky;
}

static expr make_quantified(maker *k, uint32_t fuel) {
    if (k->nscope == MOST_SCOPE) return make_bool(k, 0);
    bool shadows = k->nscope && has(k, RANDOM_SHADOWS) && chance(k, 20);
    var v = shadows ? k->scope[below(k, k->nscope)] : push_var(k, random_type(k));
    if (shadows) k->scope[k->nscope++] = v;
    expr body = make_bool(k, fuel);
    k->nscope--;
    return expr_quantify(k->m, chance(k, 50) ? E_FORALL : E_EXISTS, v, body);
}

// Is a cell defined, is a union's value a member's?
static bool make_question(maker *k, expr *out) {
    func f = k->funcs.data[below(k, k->funcs.len)];
    const func_info info = *func_of(k->m, f);
    const type_info result = *type_of(k->m, info.result);
    if (!can_apply(k, f, 0)) return false;
    expr args[MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++) args[i] = make_leaf(k, info.args[i]);
    if (result.kind != TYPE_UNION || chance(k, 50)) return *out = expr_defined(k->m, f, args), true;
    type member = result.members[below(k, result.nmembers)];
    expr app = expr_app(k->m, f, args);
    if (chance(k, 60)) return *out = expr_is(k->m, member, app), true;
    if (!can_make(k, member, 0)) return false;
    return *out = expr_eq(k->m, expr_narrow(k->m, member, app), make_leaf(k, member)), true;
}

static expr make_bool_leaf(maker *k, uint32_t fuel) {
    func f;
    var v;
    expr e;
    if (has(k, RANDOM_IMPERATIVE) && chance(k, 15) && make_question(k, &e)) return e;
    if (chance(k, 20) && random_var(k, k->m->bool_type, &v)) return expr_var(k->m, v);
    if (chance(k, 70) && random_func(k, k->m->bool_type, !fuel, &f)) return make_apply(k, f, fuel);
    return chance(k, 90) ? make_equal(k, fuel) : expr_bool(k->m, chance(k, 50));
}

static expr make_bool(maker *k, uint32_t fuel) {
    if (!fuel) return make_bool_leaf(k, 0);
    def d;
    uint32_t next = fuel - 1;
    if (has(k, RANDOM_FAULTS) && chance(k, 8)) return make_risky(k, next);
    switch (below(k, 12)) {
    case 0: return expr_not(k->m, make_bool(k, next));
    case 1:
    case 2: return expr_and(k->m, make_bool(k, next), make_bool(k, next));
    case 3:
    case 4: return expr_or(k->m, make_bool(k, next), make_bool(k, next));
    case 5: return expr_implies(k->m, make_bool(k, next), make_bool(k, next));
    case 6: return expr_eq(k->m, make_bool(k, next), make_bool(k, next));
    case 7: return expr_ite(k->m, make_bool(k, next), make_bool(k, next), make_bool(k, next));
    case 8:
    case 9: return make_quantified(k, next);
    case 10:
        if (random_def(k, k->m->bool_type, &d)) return make_call(k, d, next);
        return make_equal(k, next);
    default: return make_bool_leaf(k, next);
    }
}

// ---- statements

static stmt *make_stmt(maker *k, uint32_t fuel);

static bool random_target(maker *k, func *out) {
    for (uint32_t tries = 0; tries < 8; tries++) {
        func f = k->funcs.data[below(k, k->funcs.len)];
        if (!func_of(k->m, f)->is_rigid && can_apply(k, f, 1) && can_make(k, func_of(k->m, f)->result, 1))
            return *out = f, true;
    }
    return false;
}

// An argument of a target: with faults allowed anything, else what cannot leave its type.
static expr make_target_arg(maker *k, type t) {
    if (type_is_number(k->m, t) && !has(k, RANDOM_FAULTS)) return make_number_leaf(k, t, 0);
    return make_value(k, t, chance(k, 20) ? 1 : 0);
}

// Mostly a value, sometimes none.
static expr make_written(maker *k, func f, uint32_t fuel) {
    const func_info info = *func_of(k->m, f);
    bool undefine = info.may_be_undefined && chance(k, 15);
    return undefine ? (expr){0} : make_value(k, info.result, fuel);
}

static stmt *make_assign(maker *k, uint32_t fuel) {
    func f;
    if (!random_target(k, &f)) return model_block(k->m, S_PAR, NULL, 0, nowhere);
    const func_info info = *func_of(k->m, f);
    expr args[MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++) args[i] = make_target_arg(k, info.args[i]);
    return model_assign(k->m, f, args, info.nargs, make_written(k, f, fuel), nowhere);
}

// Variables of the `forall` statements around: each is a direct argument of every target below.
typedef struct {
    var vars[2 * MOST_ARGS];
    uint32_t n;
} bound_vars;

static stmt *make_bound(maker *k, const bound_vars *around, uint32_t fuel, bool *made);

// Arguments of f that use each variable once or more, the rest anything; false if it has no room for one.
static bool bound_args(maker *k, func f, const bound_vars *around, expr *args) {
    const func_info info = *func_of(k->m, f);
    uint32_t used = 0;
    for (uint32_t i = 0; i < info.nargs; i++) {
        args[i] = (expr){0};
        for (uint32_t n = 0, first = below(k, around->n + 1); n < around->n && !args[i].id; n++) {
            uint32_t j = (first + n) % around->n;
            if (used >> j & 1 || !type_same(var_of(k->m, around->vars[j])->ty, info.args[i])) continue;
            args[i] = expr_var(k->m, around->vars[j]);
            used |= 1u << j;
        }
        if (!args[i].id && !can_make(k, info.args[i], 1)) return false;
        if (!args[i].id) args[i] = make_target_arg(k, info.args[i]);
    }
    return used == (1u << around->n) - 1;
}

static stmt *make_bound_assign(maker *k, const bound_vars *around, uint32_t fuel, bool *made) {
    for (uint32_t tries = 0; tries < 8; tries++) {
        func f = k->funcs.data[below(k, k->funcs.len)];
        const func_info info = *func_of(k->m, f);
        expr args[MOST_ARGS];
        if (info.is_rigid || !can_make(k, info.result, 1) || !bound_args(k, f, around, args)) continue;
        return model_assign(k->m, f, args, info.nargs, make_written(k, f, fuel), nowhere);
    }
    *made = false;
    return NULL;
}

static stmt *make_bound_if(maker *k, const bound_vars *around, uint32_t fuel, bool *made) {
    const stmt *body[2], *orelse[2];
    uint32_t n = 1 + below(k, 2), norelse = below(k, 2);
    expr cond = make_bool(k, fuel);
    for (uint32_t i = 0; i < n && *made; i++) body[i] = make_bound(k, around, fuel, made);
    for (uint32_t i = 0; i < norelse && *made; i++) orelse[i] = make_bound(k, around, fuel, made);
    return *made ? model_if(k->m, cond, body, n, orelse, norelse, nowhere) : NULL;
}

static stmt *make_bound_forall(maker *k, const bound_vars *around, uint32_t fuel, bool *made) {
    bound_vars inner = *around;
    uint32_t n = 1 + below(k, 2), before = k->nscope;
    if (around->n + n > MOST_ARGS || k->nscope + n > MOST_SCOPE) n = 0;
    for (uint32_t i = 0; i < n; i++) inner.vars[inner.n++] = push_var(k, random_type(k));
    const stmt *body[3];
    uint32_t nbody = 1 + below(k, 3);
    for (uint32_t i = 0; i < nbody && *made; i++) body[i] = make_bound(k, &inner, fuel, made);
    expr cond = chance(k, 50) ? make_bool(k, fuel ? 1 : 0) : (expr){0};
    k->nscope = before;
    *made = *made && n;
    return *made ? model_forall(k->m, inner.vars + around->n, n, cond, body, nbody, nowhere) : NULL;
}

static stmt *make_bound(maker *k, const bound_vars *around, uint32_t fuel, bool *made) {
    uint32_t choice = fuel ? below(k, 10) : 9;
    if (choice < 2) return make_bound_if(k, around, fuel - 1, made);
    if (choice < 3) return make_bound_forall(k, around, fuel - 1, made);
    return make_bound_assign(k, around, fuel, made);
}

// forall x1..xn where c { f(.. xi ..) := e ... }
static stmt *make_forall(maker *k, uint32_t fuel) {
    for (uint32_t tries = 0; tries < 5; tries++) {
        bool made = true;
        stmt *s = make_bound_forall(k, &(bound_vars){0}, fuel, &made);
        if (made) return s;
    }
    return make_assign(k, fuel);
}

static stmt *make_if(maker *k, uint32_t fuel) {
    const stmt *then[2], *orelse[1];
    uint32_t nthen = 1 + below(k, 2), norelse = below(k, 2);
    expr cond = make_bool(k, fuel);
    for (uint32_t i = 0; i < nthen; i++) then[i] = make_stmt(k, fuel ? fuel - 1 : 0);
    for (uint32_t i = 0; i < norelse; i++) orelse[i] = make_stmt(k, fuel ? fuel - 1 : 0);
    return model_if(k->m, cond, then, nthen, orelse, norelse, nowhere);
}

static stmt *make_block(maker *k, stmt_kind kind, uint32_t fuel) {
    const stmt *body[4];
    uint32_t n = 1 + below(k, k->size < 4 ? 2 : 4);
    for (uint32_t i = 0; i < n; i++) body[i] = make_stmt(k, fuel);
    return model_block(k->m, kind, body, n, nowhere);
}

// while n < c { ...; n := n + 1 }, and rarely a loop that may never end.
static stmt *make_while(maker *k, uint32_t fuel) {
    for (uint32_t tries = 0; tries < 12; tries++) {
        func f = k->funcs.data[below(k, k->funcs.len)];
        const func_info info = *func_of(k->m, f);
        if (info.nargs || info.is_rigid || !type_is_number(k->m, info.result)) continue;
        expr n = expr_app(k->m, f, NULL), up = expr_arith(k->m, E_ADD, n, number(k, 1));
        expr limit = chance(k, 50) ? number(k, type_of(k->m, info.result)->hi) : make_any_number(k, 0);
        const stmt *body[2];
        body[0] = chance(k, 3) ? make_stmt(k, 0) : model_assign(k->m, f, NULL, 0, up, nowhere);
        body[1] = make_stmt(k, fuel);
        return model_while(k->m, expr_arith(k->m, E_LT, n, limit), body, 2, nowhere);
    }
    return make_assign(k, fuel);
}

static stmt *make_imperative(maker *k, uint32_t fuel) {
    uint32_t choice = below(k, 10);
    if (choice < 5) return make_while(k, fuel);
    if (choice < 8) return model_assume(k->m, make_bool(k, fuel), nowhere);
    const stmt *fails = model_fail(k->m, "fails", nowhere);
    return model_if(k->m, make_bool(k, fuel), &fails, 1, NULL, 0, nowhere);
}

static stmt *make_nested_block(maker *k, uint32_t fuel) {
    bool was = k->in_sequence;
    stmt_kind kind = was && chance(k, 50) ? S_SEQ : S_PAR;
    k->in_sequence = kind == S_SEQ;
    stmt *s = make_block(k, kind, fuel);
    k->in_sequence = was;
    return s;
}

static stmt *make_stmt(maker *k, uint32_t fuel) {
    uint32_t choice = below(k, 10);
    if (fuel && k->in_sequence && has(k, RANDOM_IMPERATIVE) && chance(k, 20)) return make_imperative(k, fuel - 1);
    if (fuel && choice < 2) return make_if(k, fuel - 1);
    if (fuel && choice < 5) return make_forall(k, fuel - 1);
    if (fuel && choice < 6 && has(k, RANDOM_SEQUENCES)) return make_nested_block(k, fuel - 1);
    return make_assign(k, fuel);
}

// ---- declarations

static void add_sort(maker *k, uint32_t number_of) {
    type_info info = {.kind = TYPE_SORT, .name = name_of(k, "S", number_of)};
    info.is_ordered = has(k, RANDOM_ORDERED) && chance(k, 25);
    vec_push(&k->types, model_add_type(k->m, info));
}

static void add_enum(maker *k, uint32_t number_of) {
    uint32_t n = 1 + below(k, 5);
    const char *literals[5];
    for (uint32_t i = 0; i < n; i++) literals[i] = arena_printf(k->m->memory, "e%u_%u", number_of, i);
    type_info info = {.kind = TYPE_ENUM, .name = name_of(k, "E", number_of), .literals = literals, .nliterals = n};
    vec_push(&k->types, model_add_type(k->m, info));
}

static void add_range(maker *k) {
    int32_t lo = (int32_t)below(k, 6) - 2;
    vec_push(&k->types, model_range(k->m, lo, lo + (int32_t)below(k, 6), nowhere));
}

// A union of types that are there already.
static void add_union(maker *k, uint32_t number_of) {
    type members[2];
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->types.len && n < 2; i++) {
        type t = k->types.data[i];
        if ((is_kind(k, t, TYPE_SORT) || is_kind(k, t, TYPE_ENUM)) && (n == 0 || chance(k, 70))) members[n++] = t;
    }
    if (n < 2) return;
    type_info info = {.kind = TYPE_UNION, .name = name_of(k, "U", number_of), .members = members, .nmembers = n};
    vec_push(&k->types, model_add_type(k->m, info));
}

static void add_types(maker *k) {
    uint32_t n = 1 + below(k, 1 + k->size / 2);
    add_sort(k, 1);
    if (k->size > 2) vec_push(&k->types, k->m->bool_type);
    for (uint32_t i = 2; i <= n; i++) {
        uint32_t choice = below(k, 3);
        if (choice == 0) add_sort(k, i);
        else if (choice == 1) add_enum(k, i);
        else add_range(k);
    }
    if (has(k, RANDOM_IMPERATIVE) && chance(k, 60)) add_union(k, n + 1);
}

static void make_undefined(maker *k, func_info *info) {
    info->may_be_undefined = true;
    info->starts_any = false;
    info->initial = VALUE_UNDEFINED;
    info->is_scratch = chance(k, 40);
}

static void add_func(maker *k, uint32_t number_of) {
    type args[MOST_ARGS];
    uint32_t nargs = below(k, 10) < 2 ? 0 : below(k, 10) < 6 ? 1 : below(k, 10) < 8 ? 2 : below(k, MOST_ARGS + 1);
    for (uint32_t i = 0; i < nargs; i++) args[i] = random_type(k);
    type result = chance(k, 50) ? k->m->bool_type : random_type(k);
    func_info info = {.name = name_of(k, "f", number_of), .args = args, .nargs = nargs, .result = result};
    info.owner = k->r->system;
    const type_info *t = type_of(k->m, result);
    info.is_rigid = has(k, RANDOM_STARTS) && nargs < 2 && chance(k, 8);
    info.starts_any = info.is_rigid || (t->kind == TYPE_SORT && !t->is_ordered) || t->kind == TYPE_UNION ||
                      (has(k, RANDOM_STARTS) && nargs == 0 && chance(k, 20));
    uint32_t known = t->kind == TYPE_SORT || t->kind == TYPE_UNION ? 1 : type_known_size(k->m, result);
    info.initial = (t->kind == TYPE_RANGE ? t->lo : 0) + (value)below(k, known);
    if (has(k, RANDOM_IMPERATIVE) && !info.is_rigid && chance(k, 35)) make_undefined(k, &info);
    vec_push(&k->funcs, model_add_func(k->m, info));
}

static void add_def(maker *k, uint32_t number_of) {
    var params[MOST_ARGS];
    uint32_t n = below(k, MOST_ARGS);
    for (uint32_t i = 0; i < n; i++) params[i] = push_var(k, random_type(k));
    type result = chance(k, 70) ? k->m->bool_type : random_type(k);
    if (can_make(k, result, 1)) {
        def_info info = {.name = name_of(k, "d", number_of), .params = params, .nparams = n};
        info.body = make_value(k, result, 2);
        info.owner = k->r->system;
        vec_push(&k->defs, model_add_def(k->m, info));
    }
    k->nscope = 0;
}

static rule make_rule(maker *k, const char *name, bool is_init) {
    var params[MOST_ARGS];
    uint32_t n = below(k, MOST_ARGS), fuel = k->size > 6 ? 3 : 1 + k->size / 3;
    for (uint32_t i = 0; i < n; i++) params[i] = push_var(k, random_type(k));
    rule_info info = {.name = name, .params = params, .nparams = n, .is_visible = !is_init && chance(k, 80)};
    if (!is_init && chance(k, 85)) info.guard = make_bool(k, fuel);
    bool sequence = !is_init && has(k, RANDOM_SEQUENCES) && chance(k, 40);
    k->in_sequence = sequence;
    if (is_init || chance(k, 95)) info.body = make_block(k, sequence ? S_SEQ : S_PAR, fuel > 2 ? 2 : fuel);
    requirement need;
    if (!is_init && has(k, RANDOM_REQUIRES) && chance(k, 30)) {
        prop_info refines = {.kind = PROP_REFINES, .name = name_of(k, "r", k->m->props.len), .system = k->r->system};
        refines.spec = k->r->system;
        need = (requirement){model_add_prop(k->m, refines), make_bool(k, fuel), false};
        info.requires = &need;
        info.nrequires = 1;
    }
    k->nscope = 0;
    return model_add_rule(k->m, info);
}

static void add_rules(maker *k) {
    uint32_t n = 1 + below(k, 1 + k->size / 2);
    for (uint32_t i = 1; i <= n; i++) {
        rule r = make_rule(k, name_of(k, "a", i), false);
        vec_push(&sys_of(k->m, k->r->system)->rules, r);
    }
    uint32_t starts = has(k, RANDOM_STARTS) && chance(k, 40) ? 1 + below(k, 2) : 0;
    for (uint32_t i = 0; i < starts; i++) {
        rule r = make_rule(k, "init", true);
        vec_push(&sys_of(k->m, k->r->system)->inits, r);
    }
}

static void add_properties(maker *k) {
    uint32_t n = 1 + below(k, 2);
    for (uint32_t i = 1; i <= n; i++) {
        prop_info info = {.kind = PROP_INVARIANT, .name = name_of(k, "i", i), .system = k->r->system};
        info.cond = make_bool(k, 2);
        prop p = model_add_prop(k->m, info);
        vec_push(&sys_of(k->m, k->r->system)->invariants, p);
    }
    if (chance(k, 70)) return;
    named_expr assumed = {.name = "assumed", .cond = make_bool(k, 2)};
    vec_push(&sys_of(k->m, k->r->system)->assumes, assumed);
}

random_model random_model_new(uint64_t seed, uint32_t size, unsigned features) {
    random_model r = {.messages = diag_new(), .random = {seed * 0x9E3779B97F4A7C15u + size}};
    r.m = model_new(r.messages);
    r.system = model_add_system(r.m, "R", nowhere);
    maker k = {.r = &r, .m = r.m, .random = &r.random, .size = size, .features = features};
    add_types(&k);
    uint32_t nfuncs = 1 + below(&k, size), ndefs = below(&k, 1 + size / 2);
    for (uint32_t i = 1; i <= nfuncs; i++) add_func(&k, i);
    for (uint32_t i = 1; i <= ndefs; i++) add_def(&k, i);
    add_rules(&k);
    add_properties(&k);
    vec_free(&k.types);
    vec_free(&k.funcs);
    vec_free(&k.defs);
    return r;
}

void random_model_free(random_model *r) {
    model_free(r->m);
    diag_free(r->messages);
}

instance *random_model_instance(random_model *r, uint32_t most) {
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 1; i < r->m->types.len; i++)
        if (r->m->types.data[i].kind == TYPE_SORT) vec_push(&sizes, (sort_size){{i}, 1 + rng_below(&r->random, most)});
    instance *in = instance_new(r->m, r->system, sizes.data, sizes.len);
    vec_free(&sizes);
    return in;
}

static value random_value(const instance *in, func f, rng *random) {
    const func_info *info = func_of(in->m, f);
    if (info->is_scratch || (info->may_be_undefined && rng_below(random, 4) == 0)) return VALUE_UNDEFINED;
    uint32_t size = instance_type_size(in, info->result);
    return instance_type_first(in, info->result) + (value)rng_below(random, size);
}

void random_model_state(const instance *in, rng *random, value *cells) {
    value args[MOST_ARGS + 1];
    for (uint32_t c = 0; c < in->ncells; c++) cells[c] = random_value(in, instance_cell_func(in, c, args), random);
}
