// SPDX-License-Identifier: Apache-2.0
// Random systems and lemmas: see random_obligation.h. Stratified ones put quantifiers over B below those
// over A, at most one deep, and either only lemmas or only updates of functions over B have them.
#include "oracle/random_obligation.h"

#include "model/expr.h"

#include <string.h>

enum { MOST_SCOPE = 12, MOST_FUNCS = 8 };

static const span nowhere = {0};

typedef struct {
    random_obligation *r;
    model *m;
    unsigned features;
    type phase, small;
    func funcs[MOST_FUNCS];
    uint32_t nfuncs;
    var scope[MOST_SCOPE];
    uint32_t nscope;
    bool counts;            // may values be sums?
    bool a_bound, b_bound;  // is a quantifier over the sort open, or a formal of it in scope?
    bool lemmas_have_b;     // lemmas may have inner quantifiers over B (then updates of functions over B have none)
} maker;

static uint32_t below(maker *k, uint32_t n) { return rng_below(&k->r->random, n); }
static bool chance(maker *k, uint32_t percent) { return below(k, 100) < percent; }
static bool has(const maker *k, unsigned feature) { return k->features & feature; }
static const char *name_of(maker *k, const char *prefix, uint32_t i) {
    return arena_printf(k->m->memory, "%s%u", prefix, i);
}

static bool is(type a, type b) { return type_same(a, b); }

static bool pick_var(maker *k, type t, expr *out) {
    uint32_t found[MOST_SCOPE], n = 0;
    for (uint32_t i = 0; i < k->nscope; i++)
        if (is(var_of(k->m, k->scope[i])->ty, t)) found[n++] = i;
    if (n) *out = expr_var(k->m, k->scope[found[below(k, n)]]);
    return n > 0;
}

// A term of a sort: a variable, sometimes a function applied.
static bool pick_term(maker *k, type t, uint32_t fuel, expr *out);

static bool pick_app(maker *k, func f, uint32_t fuel, expr *out) {
    expr args[4];
    func_info info = *func_of(k->m, f);
    for (uint32_t i = 0; i < info.nargs; i++)
        if (!pick_term(k, info.args[i], fuel, &args[i])) return false;
    *out = expr_app(k->m, f, args);
    return true;
}

static bool pick_term(maker *k, type t, uint32_t fuel, expr *out) {
    if (is(t, k->phase)) {
        *out = expr_const(k->m, t, (value)below(k, 3));
        return true;
    }
    if (fuel && chance(k, 15)) {
        func f = k->funcs[below(k, k->nfuncs)];
        if (is(func_of(k->m, f)->result, t) && pick_app(k, f, fuel - 1, out)) return true;
    }
    return pick_var(k, t, out);
}

static expr number_atom(maker *k, expr e) {
    expr c = expr_const(k->m, k->small, (value)below(k, 3));
    if (chance(k, 20)) e = expr_arith(k->m, E_ADD, e, c);
    return chance(k, 50) ? expr_eq(k->m, e, c) : expr_arith(k->m, chance(k, 50) ? E_LT : E_LE, e, c);
}

static bool sort_atom(maker *k, type t, expr e, expr *out) {
    expr other;
    if (!pick_term(k, t, 1, &other)) return false;
    bool ordered = type_of(k->m, t)->is_ordered && chance(k, 60);
    *out = ordered ? expr_arith(k->m, E_LT, e, other) : expr_eq(k->m, e, other);
    return true;
}

static expr make_atom(maker *k) {
    for (int tries = 0; tries < 10; tries++) {
        expr e, out;
        if (chance(k, 20)) {
            type t = chance(k, 50) ? k->r->a : k->r->b;
            if (pick_var(k, t, &e) && sort_atom(k, t, e, &out) && !expr_is_const(k->m, out, NULL)) return out;
            continue;
        }
        func f = k->funcs[below(k, k->nfuncs)];
        type t = func_of(k->m, f)->result;
        if (!pick_app(k, f, 1, &e)) continue;
        if (is(t, k->m->bool_type)) return e;
        if (is(t, k->phase)) return expr_eq(k->m, e, expr_const(k->m, t, (value)below(k, 3)));
        if (is(t, k->small)) return number_atom(k, e);
        if (sort_atom(k, t, e, &out)) return out;
    }
    return expr_bool(k->m, chance(k, 50));
}

static expr make_formula(maker *k, uint32_t fuel);

static expr make_quantified(maker *k, type t, uint32_t fuel) {
    bool was_a = k->a_bound, was_b = k->b_bound;
    var v = model_add_var(k->m, is(t, k->r->a) ? "a" : "b", t, nowhere);
    k->scope[k->nscope++] = v;
    if (is(t, k->r->a)) k->a_bound = true;
    else k->b_bound = true;
    expr body = make_formula(k, fuel);
    k->nscope--;
    k->a_bound = was_a;
    k->b_bound = was_b;
    return expr_quantify(k->m, chance(k, 50) ? E_FORALL : E_EXISTS, v, body);
}

static bool may_quantify(const maker *k, type t) {
    if (k->nscope + 1 >= MOST_SCOPE) return false;
    if (has(k, OBLIGATION_WILD)) return true;
    return is(t, k->r->a) ? !k->a_bound && !k->b_bound : !k->b_bound;
}

static expr make_formula(maker *k, uint32_t fuel) {
    type t = chance(k, 30) ? k->r->a : k->r->b;
    uint32_t choice = below(k, 100);
    if (!fuel || choice < 25) return chance(k, 50) ? make_atom(k) : expr_not(k->m, make_atom(k));
    if (choice < 50 && may_quantify(k, t)) return make_quantified(k, t, fuel - 1);
    expr x = make_formula(k, fuel - 1), y = make_formula(k, fuel - 1);
    if (choice < 65) return expr_and(k->m, x, y);
    if (choice < 80) return expr_or(k->m, x, y);
    if (choice < 86) return expr_implies(k->m, x, y);
    if (choice < 92) return expr_eq(k->m, x, y);
    return expr_ite(k->m, make_atom(k), x, y);
}

// ---- lemmas: ∀x̄. formula

static expr make_lemma(maker *k) {
    var vars[4];
    uint32_t n = 1 + below(k, 3);
    for (uint32_t i = 0; i < n; i++) {
        type t = chance(k, 60) ? k->r->a : k->r->b;
        vars[i] = k->scope[k->nscope++] = model_add_var(k->m, "x", t, nowhere);
    }
    k->a_bound = true;
    for (uint32_t i = 0; i < n; i++) k->b_bound |= is(var_of(k->m, vars[i])->ty, k->r->b);
    if (!k->lemmas_have_b) k->b_bound = true;
    expr body = make_formula(k, 2);
    k->nscope = 0;
    k->a_bound = k->b_bound = false;
    return expr_forall(k->m, vars, n, body);
}

// ---- rules

// One more or less than a number of the state.
static bool pick_count(maker *k, expr *out) {
    for (uint32_t i = 0; i < k->nfuncs; i++) {
        if (!is(func_of(k->m, k->funcs[i])->result, k->small)) continue;
        expr n, one = expr_const(k->m, k->small, 1);
        if (!pick_app(k, k->funcs[i], 0, &n)) return false;
        *out = expr_arith(k->m, chance(k, 50) ? E_ADD : E_SUB, n, one);
        return true;
    }
    return false;
}

static expr make_value(maker *k, type t) {
    expr e;
    if (is(t, k->small) && k->counts && chance(k, 70) && pick_count(k, &e)) return e;
    if (is(t, k->m->bool_type)) return make_formula(k, 2);
    if (is(t, k->phase) || is(t, k->small)) e = expr_const(k->m, t, (value)below(k, 3));
    else if (!pick_term(k, t, 1, &e)) return (expr){0};
    return e;
}

static const stmt *make_assign(maker *k) {
    func f = k->funcs[below(k, k->nfuncs)];
    func_info info = *func_of(k->m, f);
    if (info.is_rigid) return NULL;
    expr args[4];
    var bound[4];
    uint32_t nbound = 0, before = k->nscope;
    bool was_a = k->a_bound, was_b = k->b_bound;
    bool over_b = false;
    for (uint32_t i = 0; i < info.nargs; i++) {
        over_b |= is(info.args[i], k->r->b);
        if (chance(k, 50) && pick_term(k, info.args[i], 0, &args[i])) continue;
        bound[nbound] = k->scope[k->nscope++] = model_add_var(k->m, "y", info.args[i], nowhere);
        args[i] = expr_var(k->m, bound[nbound++]);
    }
    if (over_b) k->a_bound = true, k->b_bound |= k->lemmas_have_b;
    if (over_b && !k->lemmas_have_b) k->b_bound = false;
    expr v = make_value(k, info.result);
    expr cond = chance(k, 50) ? make_formula(k, 1) : k->m->true_expr;
    k->nscope = before;
    k->a_bound = was_a;
    k->b_bound = was_b;
    if (!v.id) return NULL;
    const stmt *s = model_assign(k->m, f, args, info.nargs, v, nowhere);
    if (nbound) return model_forall(k->m, bound, nbound, cond, &s, 1, nowhere);
    return expr_is_true(k->m, cond) ? s : model_if(k->m, cond, &s, 1, NULL, 0, nowhere);
}

static expr next_visit(model *m, expr e, void *context) {
    const func *f = context;
    expr_info x = *expr_of(m, e);
    return x.kind == E_APP && x.ref == f->id ? expr_next(m, *f, x.args) : e;
}

static void add_choice(maker *k, rule_info *info) {
    func f = k->funcs[below(k, k->nfuncs)];
    if (func_of(k->m, f)->is_rigid) return;
    info->chosen = arena_copy(k->m->memory, &f, sizeof f);
    info->nchosen = 1;
    expr now = make_formula(k, 2), next = expr_rewrite(k->m, make_formula(k, 2), next_visit, &f);
    info->relation = chance(k, 50) ? expr_implies(k->m, now, next) : expr_and(k->m, now, next);
}

static uint32_t number_at(const maker *k) {
    uint32_t i = 0;
    while (!is(func_of(k->m, k->funcs[i])->result, k->small)) i++;
    return i;
}

static rule make_rule(maker *k, const char *name, bool is_init) {
    var params[3];
    uint32_t n = below(k, has(k, OBLIGATION_TINY) ? 3 : 4);
    for (uint32_t i = 0; i < n; i++) {
        type t = chance(k, 50) ? k->r->a : k->r->b;
        params[i] = k->scope[k->nscope++] = model_add_var(k->m, "p", t, nowhere);
    }
    rule_info info = {.name = name, .params = params, .nparams = n, .is_visible = true};
    if (chance(k, 70)) info.guard = make_formula(k, 2);
    k->counts = has(k, OBLIGATION_RANGES) && !is_init;
    if (k->counts) {
        expr count = expr_app(k->m, k->funcs[number_at(k)], NULL);
        info.guard = expr_and(k->m, info.guard.id ? info.guard : k->m->true_expr, number_atom(k, count));
    }
    const stmt *body[3];
    uint32_t nbody = 0;
    for (uint32_t i = below(k, 3) + 1; i-- > 0;) {
        const stmt *s = make_assign(k);
        if (s) body[nbody++] = s;
    }
    info.body = model_block(k->m, S_PAR, body, nbody, nowhere);
    if (!is_init && has(k, OBLIGATION_CHOSEN) && chance(k, 50)) add_choice(k, &info);
    k->nscope = 0;
    return model_add_rule(k->m, info);
}

// ---- declarations

static void add_func(maker *k, const char *name, const type *args, uint32_t nargs, type result, bool rigid) {
    func_info info = {.name = name, .args = args, .nargs = nargs, .result = result, .is_rigid = rigid};
    bool sort = type_of(k->m, result)->kind == TYPE_SORT && !type_of(k->m, result)->is_ordered;
    info.starts_any = rigid || sort || chance(k, 15);
    info.owner = k->r->system;
    k->funcs[k->nfuncs++] = model_add_func(k->m, info);
}

static void add_funcs(maker *k) {
    type a = k->r->a, b = k->r->b, bool_type = k->m->bool_type;
    bool wild = has(k, OBLIGATION_WILD), tiny = has(k, OBLIGATION_TINY);
    add_func(k, "p", (type[]){a}, 1, bool_type, false);
    add_func(k, "q", (type[]){b}, 1, bool_type, false);
    if (chance(k, 80)) add_func(k, "r", (type[]){a, b}, 2, bool_type, false);
    if (!tiny && chance(k, 60)) add_func(k, "s", (type[]){a, a}, 2, bool_type, chance(k, 30));
    if (!tiny && chance(k, 50)) add_func(k, "phase", (type[]){a}, 1, k->phase, false);
    if (has(k, OBLIGATION_RANGES) || chance(k, 30)) add_func(k, "n", NULL, 0, k->small, false);
    if (chance(k, 40)) add_func(k, "f", (type[]){a}, 1, b, chance(k, 30));
    if (chance(k, 30)) add_func(k, "c", NULL, 0, wild && chance(k, 50) ? b : a, chance(k, 50));
    if (wild && !tiny && k->nfuncs < MOST_FUNCS && chance(k, 50)) add_func(k, "g", (type[]){b}, 1, a, false);
}

// Formulas over the rigid functions only, in the same shape as lemmas.
static void add_axioms(maker *k) {
    func all[MOST_FUNCS];
    uint32_t nall = k->nfuncs;
    memcpy(all, k->funcs, sizeof all);
    k->nfuncs = 0;
    for (uint32_t i = 0; i < nall; i++)
        if (func_of(k->m, all[i])->is_rigid) k->funcs[k->nfuncs++] = all[i];
    for (uint32_t i = k->nfuncs ? below(k, 3) : 0; i-- > 0;) {
        named_expr axiom = {.name = name_of(k, "axiom", i), .cond = make_lemma(k)};
        vec_push(&sys_of(k->m, k->r->system)->axioms, axiom);
    }
    memcpy(k->funcs, all, sizeof all);
    k->nfuncs = nall;
}

random_obligation random_obligation_new(uint64_t seed, unsigned features) {
    random_obligation r = {.messages = diag_new(), .random = {seed * 0x9E3779B97F4A7C15u + features}};
    r.m = model_new(r.messages);
    r.a = model_add_type(r.m, (type_info){.kind = TYPE_SORT, .name = "A", .is_ordered = features & OBLIGATION_ORDERED});
    r.b = model_add_type(r.m, (type_info){.kind = TYPE_SORT, .name = "B"});
    r.system = model_add_system(r.m, "R", nowhere);
    maker k = {.r = &r, .m = r.m, .features = features};
    const char *literals[] = {"idle", "busy", "done"};
    k.phase = model_add_type(r.m, (type_info){.kind = TYPE_ENUM, .name = "P", .literals = literals, .nliterals = 3});
    k.small = model_range(r.m, 0, 2, nowhere);
    k.lemmas_have_b = chance(&k, 50);
    add_funcs(&k);
    uint32_t nrules = 1 + below(&k, 2), ninits = chance(&k, 50) ? 1 + below(&k, 2) : 0;
    for (uint32_t i = 0; i < nrules; i++) {
        rule x = make_rule(&k, name_of(&k, "act", i), false);
        vec_push(&sys_of(r.m, r.system)->rules, x);
    }
    for (uint32_t i = 0; i < ninits; i++) {
        rule x = make_rule(&k, "init", true);
        vec_push(&sys_of(r.m, r.system)->inits, x);
    }
    uint32_t n = 2 + below(&k, 5);
    for (uint32_t i = 0; i < n; i++) vec_push(&r.lemmas, make_lemma(&k));
    if (features & OBLIGATION_AXIOMS) add_axioms(&k);
    return r;
}

void random_obligation_free(random_obligation *r) {
    vec_free(&r->lemmas);
    model_free(r->m);
    diag_free(r->messages);
}
