// SPDX-License-Identifier: Apache-2.0
// Functions into an order as cuts: which elements the value reaches, and which it passes.
//
// Where "for all ballots there is a node" is part of a property, a function from nodes to ballots closes a cycle of
// sorts, and questions can ask for new elements for ever. But a function whose values are only compared need not have
// any: two relations say as much, "x <= f(a)" and "x < f(a)", or "f(a) = x" alone where no order is known. Every step
// of the system is a step of the one with these relations, in which nothing says that there is such a value; so what
// holds there holds here, and its lemmas mean something here. That the order is one is shown from the axioms.
#include "infer/prover.h"

#include "certificate/formula.h"
#include "model/expr.h"
#include "model/overlay.h"
#include "model/update.h"
#include "model/walk.h"

#include <string.h>

enum { CUTS_MOST_PARAMS = 8, CUTS_LARGEST = 20000 };  // of a rule; of the tree of a guard or of what is assigned

typedef struct {
    func f;
    func order;            // a rigid relation, "at most"; id 0: none is known
    func reaches, passes;  // x <= f(..), x < f(..); without an order: f(..) = x, none
} cut;

typedef struct {
    model *m;  // the one with relations
    sys system;
    VEC(cut) all;
    bool ok;
} cutting;

static const cut *cuts_find(const cutting *c, func f) {
    for (uint32_t i = 0; i < c->all.len; i++)
        if (c->all.data[i].f.id == f.id) return &c->all.data[i];
    return NULL;
}

// ---- which functions

static bool cuts_is_cut(const model *m, func f) {
    const func_info *i = func_of(m, f);
    return !i->is_rigid && i->nargs && i->nargs < MODEL_MOST_ARGS && type_is_unbounded(m, i->result);
}

static bool cuts_is_wanted(prover *x) {
    const sys_info *s = sys_of(x->m, x->system);
    bool found = false;
    if (prop_of(x->m, x->property)->kind != PROP_INVARIANT || s->assumes.len || s->is_imperative) return false;
    for (uint32_t r = 0; r < s->rules.len; r++) {
        const rule_info *i = rule_of(x->m, s->rules.data[r]);
        if (i->nchosen || i->relation.id || i->nrequires) return false;
    }
    for (uint32_t i = 0; i < s->funcs.len && !found; i++) found = cuts_is_cut(x->m, s->funcs.data[i]);
    return found && !logic_is_stratified(x->logic, NULL);
}

// r(a, b) -> a = b | !r(b, a), r(a, b) | r(b, a), r(a, b) & r(b, c) -> r(a, c).
static expr cuts_is_order(model *m, func r) {
    var v[3];
    expr e[3];
    for (uint32_t i = 0; i < 3; i++) {
        v[i] = model_add_var(m, "x", func_of(m, r)->args[0], (span){0});
        e[i] = expr_var(m, v[i]);
    }
#define CUTS_LE(a, b) expr_app(m, r, (expr[]){e[a], e[b]})
    expr one_way = expr_implies(m, expr_and(m, CUTS_LE(0, 1), CUTS_LE(1, 0)), expr_eq(m, e[0], e[1]));
    expr total = expr_or(m, CUTS_LE(0, 1), CUTS_LE(1, 0));
    expr chain = expr_implies(m, expr_and(m, CUTS_LE(0, 1), CUTS_LE(1, 2)), CUTS_LE(0, 2));
#undef CUTS_LE
    return expr_forall(m, v, 3, expr_and_all(m, (expr[]){one_way, total, chain}, 3));
}

static func cuts_order_of(prover *x, type t) {
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->funcs.len; i++) {
        func r = sys_of(x->m, x->system)->funcs.data[i];
        const func_info *info = func_of(x->m, r);
        bool fits = info->is_rigid && info->nargs == 2 && type_of(x->m, info->result)->kind == TYPE_BOOL;
        if (!fits || !type_same(info->args[0], t) || !type_same(info->args[1], t)) continue;
        if (logic_theorem(x->logic, cuts_is_order(x->m, r)) == ANSWER_PROVED) return r;
    }
    return (func){0};
}

// ---- relations in the place of functions

static func cuts_add_relation(cutting *c, func f, const char *how) {
    func_info info = *func_of(c->m, f);
    type args[MODEL_MOST_ARGS];
    memcpy(args, info.args, info.nargs * sizeof *args);
    args[info.nargs++] = info.result;
    info.args = args;
    info.name = arena_printf(c->m->memory, "%s_%s", info.name, how);
    info.spelling = NULL;
    info.result = c->m->bool_type;
    info.initial = 0;
    info.owner = c->system;
    return model_add_func(c->m, info);
}

static expr cuts_app(const cutting *c, func f, const expr_info *of, expr x) {
    expr args[MODEL_MOST_ARGS];
    memcpy(args, of->args, of->nargs * sizeof *args);
    args[of->nargs] = x;
    return expr_app(c->m, f, args);
}

// a <= b (`order` given) or a = b, one of which is a cut's value; id 0: neither is.
static expr cuts_atom(cutting *c, func order, expr a, expr b) {
    model *m = c->m;
    expr_info x = *expr_of(m, a), y = *expr_of(m, b);
    if (x.kind == E_ITE)
        return expr_ite(m, x.args[0], cuts_atom(c, order, x.args[1], b), cuts_atom(c, order, x.args[2], b));
    if (y.kind == E_ITE)
        return expr_ite(m, y.args[0], cuts_atom(c, order, a, y.args[1]), cuts_atom(c, order, a, y.args[2]));
    const cut *left = x.kind == E_APP ? cuts_find(c, (func){x.ref}) : NULL;
    const cut *right = y.kind == E_APP ? cuts_find(c, (func){y.ref}) : NULL;
    if (!left && !right) return order.id ? expr_app(m, order, (expr[]){a, b}) : expr_eq(m, a, b);
    const cut *k = left ? left : right;
    expr_info of = left ? x : y;
    expr other = left ? b : a;
    c->ok &= !(left && right) && (!order.id || order.id == k->order.id);
    expr reaches = cuts_app(c, k->reaches, &of, other);
    if (!k->order.id) return reaches;
    expr passes = cuts_app(c, k->passes, &of, other);
    if (!order.id) return expr_and(m, reaches, expr_not(m, passes));
    return left ? expr_not(m, passes) : reaches;
}

static expr cuts_visit(model *m, expr e, void *context) {
    cutting *c = context;
    expr_info x = *expr_of(m, e);
    if (x.kind == E_EQ && type_is_unbounded(m, expr_type(m, x.args[0])))
        return cuts_atom(c, (func){0}, x.args[0], x.args[1]);
    if (x.kind != E_APP || x.nargs != 2) return e;
    for (uint32_t i = 0; i < c->all.len; i++)
        if (c->all.data[i].order.id == x.ref) return cuts_atom(c, (func){x.ref}, x.args[0], x.args[1]);
    return e;
}

// The formula with relations; not `ok` where something else is said of a value.
static expr cuts_formula(cutting *c, expr e) {
    if (!e.id) return e;
    e = expr_rewrite(c->m, expr_inline(c->m, e), cuts_visit, c);
    for (uint32_t i = 0; i < c->all.len; i++) c->ok &= !expr_reads(c->m, e, c->all.data[i].f);
    return e;
}

// ---- the system

typedef VEC(const stmt *) cuts_body;

static void cuts_write(cutting *c, func target, const var *formals, uint32_t n, expr written, cuts_body *out) {
    expr args[MODEL_MOST_ARGS] = {{0}};
    for (uint32_t i = 0; i < n; i++) args[i] = expr_var(c->m, formals[i]);
    const stmt *s = model_assign(c->m, target, args, n, written, (span){0});
    if (n) s = model_forall(c->m, formals, n, (expr){0}, &s, 1, (span){0});
    vec_push(out, s);
}

static void cuts_write_cut(cutting *c, const cut *k, const update *u, cuts_body *out) {
    model *m = c->m;
    func_info info = *func_of(m, k->f);
    var formals[MODEL_MOST_ARGS];
    memcpy(formals, u->formals, info.nargs * sizeof *formals);
    var x = formals[info.nargs] = model_add_var(m, "x", info.result, info.at);
    expr e = expr_var(m, x);
    c->ok &= expr_of(m, u->value)->tree <= CUTS_LARGEST;
    if (!c->ok) return;
    expr reaches = k->order.id ? expr_app(m, k->order, (expr[]){e, u->value}) : expr_eq(m, u->value, e);
    cuts_write(c, k->reaches, formals, info.nargs + 1, cuts_formula(c, reaches), out);
    if (!k->order.id) return;
    expr passes = expr_not(m, expr_app(m, k->order, (expr[]){u->value, e}));
    cuts_write(c, k->passes, formals, info.nargs + 1, cuts_formula(c, passes), out);
}

// What a guard says of some element is said of a parameter: questions need no witness for it. The guard is in negation
// normal form.
static expr cuts_open(cutting *c, expr e, var_list *params) {
    model *m = c->m;
    expr_info x = *expr_of(m, e);
    if (x.kind == E_EXISTS && params->len < CUTS_MOST_PARAMS && type_is_unbounded(m, var_of(m, (var){x.ref})->ty)) {
        var of = {x.ref}, v = model_add_var(m, var_of(m, of)->name, var_of(m, of)->ty, x.at);
        expr with = expr_var(m, v);
        vec_push(params, v);
        return cuts_open(c, expr_subst(m, x.args[0], &of, &with, 1), params);
    }
    if (x.kind != E_AND && x.kind != E_OR) return e;
    expr_list parts = {0};
    for (uint32_t i = 0; i < x.nargs; i++) vec_push(&parts, cuts_open(c, x.args[i], params));
    e = x.kind == E_AND ? expr_and_all(m, parts.data, parts.len) : expr_or_all(m, parts.data, parts.len);
    vec_free(&parts);
    return e;
}

static void cuts_open_guard(cutting *c, rule_info *r) {
    var_list params = {0};
    if (!r->guard.id || r->nparams >= CUTS_MOST_PARAMS) return;
    expr guard = expr_nnf(c->m, r->guard, false);
    if (expr_of(c->m, guard)->tree > CUTS_LARGEST) return;
    for (uint32_t i = 0; i < r->nparams; i++) vec_push(&params, r->params[i]);
    r->guard = cuts_open(c, guard, &params);
    r->nhidden += params.len - r->nparams;
    r->params = arena_copy(c->m->memory, params.data, params.len * sizeof *params.data);
    r->nparams = params.len;
    vec_free(&params);
}

// A value that is there before the initial states are made is one element, of which relations say nothing.
static void cuts_check_init(cutting *c, const rule_info *r, const update_list *updates) {
    for (uint32_t i = 0; i < c->all.len && c->ok; i++) {
        func f = c->all.data[i].f;
        if (func_of(c->m, f)->starts_any) continue;
        c->ok = update_find(updates, f) && !(r->guard.id && expr_reads(c->m, expr_inline(c->m, r->guard), f));
        for (uint32_t k = 0; k < updates->len && c->ok; k++) c->ok = !expr_reads(c->m, updates->data[k].value, f);
    }
}

static void cuts_rule(cutting *c, rule r, bool is_init) {
    rule_info info = *rule_of(c->m, r);
    update_list updates = {0};
    cuts_body body = {0};
    c->ok &= update_of(c->m, info.body, &updates);
    if (is_init) cuts_check_init(c, &info, &updates);
    for (uint32_t i = 0; i < updates.len && c->ok; i++) {
        const update *u = &updates.data[i];
        const cut *k = cuts_find(c, u->target);
        if (k) cuts_write_cut(c, k, u, &body);
        else cuts_write(c, u->target, u->formals, func_of(c->m, u->target)->nargs, cuts_formula(c, u->value), &body);
    }
    info.guard = cuts_formula(c, info.guard);
    info.body = body.len ? model_block(c->m, S_PAR, body.data, body.len, info.at) : NULL;
    if (!is_init) cuts_open_guard(c, &info);
    c->m->rules.data[r.id] = info;
    vec_free(&body);
    vec_free(&updates);
}

static void cuts_conditions(cutting *c) {
    model *m = c->m;
    for (uint32_t i = 1; i < m->props.len; i++)
        if (m->props.data[i].system.id == c->system.id && m->props.data[i].kind == PROP_INVARIANT) {
            expr e = cuts_formula(c, m->props.data[i].cond);
            m->props.data[i].cond = e;
        }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sys_of(m, c->system)->hints.len && c->ok; i++) {
        named_expr h = sys_of(m, c->system)->hints.data[i];
        h.cond = cuts_formula(c, h.cond);
        if (c->ok) sys_of(m, c->system)->hints.data[kept++] = h;
        c->ok = true;
    }
    sys_of(m, c->system)->hints.len = kept;
    vec_clear(&sys_of(m, c->system)->schemas);
    vec_clear(&sys_of(m, c->system)->lemmas);
}

// x < f(a) -> x <= f(a); x <= f(a) & y <= x -> y = x | y < f(a); f(a) = x & f(a) = y -> x = y.
static void cuts_hint(cutting *c, const cut *k) {
    model *m = c->m;
    func_info info = *func_of(m, k->f);
    var v[MODEL_MOST_ARGS + 1];
    expr at[MODEL_MOST_ARGS], x, y;
    for (uint32_t i = 0; i < info.nargs + 2; i++)
        v[i] = model_add_var(m, "x", i < info.nargs ? info.args[i] : info.result, info.at);
    for (uint32_t i = 0; i < info.nargs; i++) at[i] = expr_var(m, v[i]);
    x = expr_var(m, v[info.nargs]);
    y = expr_var(m, v[info.nargs + 1]);
    expr_info of = {.args = at, .nargs = info.nargs};
    expr reaches = cuts_app(c, k->reaches, &of, x);
    expr then = expr_implies(m, cuts_app(c, k->reaches, &of, y), expr_eq(m, x, y));
    if (k->order.id) {
        expr sure = expr_implies(m, cuts_app(c, k->passes, &of, x), reaches);
        vec_push(&sys_of(m, c->system)->hints, (named_expr){.cond = expr_forall(m, v, info.nargs + 1, sure)});
        then = expr_implies(m, expr_app(m, k->order, (expr[]){y, x}),
                            expr_or(m, expr_eq(m, y, x), cuts_app(c, k->passes, &of, y)));
    }
    expr e = expr_forall(m, v, info.nargs + 2, expr_implies(m, reaches, then));
    vec_push(&sys_of(m, c->system)->hints, (named_expr){.cond = e});
}

static void cuts_drop_functions(cutting *c) {
    sys_info *s = sys_of(c->m, c->system);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (!cuts_find(c, s->funcs.data[i])) s->funcs.data[kept++] = s->funcs.data[i];
    s->funcs.len = kept;
}

static void cuts_restate(cutting *c) {
    const sys_info s = *sys_of(c->m, c->system);
    for (uint32_t i = 0; i < s.rules.len && c->ok; i++) cuts_rule(c, s.rules.data[i], false);
    for (uint32_t i = 0; i < s.inits.len && c->ok; i++) cuts_rule(c, s.inits.data[i], true);
    c->ok &= s.inits.len > 0;
    if (c->ok) cuts_conditions(c);
    for (uint32_t i = 0; i < c->all.len && c->ok; i++) cuts_hint(c, &c->all.data[i]);
    cuts_drop_functions(c);
}

static void cuts_begin(prover *x, cutting *c) {
    *c = (cutting){.system = x->system, .ok = true};
    const sys_info *s = sys_of(x->m, x->system);
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (cuts_is_cut(x->m, s->funcs.data[i])) vec_push(&c->all, (cut){.f = s->funcs.data[i]});
    for (uint32_t i = 0; i < c->all.len; i++)
        c->all.data[i].order = cuts_order_of(x, func_of(x->m, c->all.data[i].f)->result);
    c->m = overlay_new(x->m);
    for (uint32_t i = 0; i < c->all.len; i++) {
        cut *k = &c->all.data[i];
        k->reaches = cuts_add_relation(c, k->f, k->order.id ? "reaches" : "is");
        if (k->order.id) k->passes = cuts_add_relation(c, k->f, "passes");
    }
    cuts_restate(c);
}

// ---- back

static expr cuts_visit_back(model *m, expr e, void *context) {
    const cutting *c = context;
    expr_info x = *expr_of(m, e);
    for (uint32_t i = 0; i < c->all.len && x.kind == E_APP; i++) {
        const cut *k = &c->all.data[i];
        if (x.ref != k->reaches.id && x.ref != k->passes.id) continue;
        expr of = expr_app(m, k->f, x.args), other = x.args[x.nargs - 1];
        if (!k->order.id) return expr_eq(m, of, other);
        if (x.ref == k->reaches.id) return expr_app(m, k->order, (expr[]){other, of});
        return expr_not(m, expr_app(m, k->order, (expr[]){of, other}));
    }
    return e;
}

// The lemma in the system with functions; id 0: it cannot be said there.
static expr cuts_back(cutting *c, model *to, expr said) {
    expr e = expr_rewrite(c->m, expr_inline(c->m, said), cuts_visit_back, c);
    json_t *tree = formula_object(c->m, e);
    expr here = tree ? formula_read(to, tree, NULL) : (expr){0};
    json_decref(tree);
    return here;
}

// What says only that relations are those of a value is no lemma about the functions.
static bool cuts_is_hint(const cutting *c, expr said) {
    const sys_info *s = sys_of(c->m, c->system);
    for (uint32_t i = 0; i < s->hints.len; i++)
        if (expr_same(s->hints.data[i].cond, said)) return true;
    return false;
}

// The lemmas stand, and nothing else that was found.
static bool cuts_take(prover *x, cutting *c, const proof *p) {
    bool ok = true;
    tries_reset(x);
    for (uint32_t i = 0; i < x->lemmas.len; i++)
        if (x->lemmas.data[i].kind == LEMMA_FOUND) {
            bits_remove(&x->stands, i);
            bits_remove(&x->asked, i);
        }
    for (uint32_t i = 0; i < p->nneeded && ok; i++) {
        if (p->lemmas.data[i].kind != LEMMA_FOUND || cuts_is_hint(c, p->lemmas.data[i].formula)) continue;
        expr e = cuts_back(c, x->m, p->lemmas.data[i].formula);
        ok = e.id;
        if (ok) prover_add_lemma(x, e, (lemma){.kind = LEMMA_FOUND, .shown = e});
    }
    return ok;
}

// ---- what the answer rests on

static const char CUTS_CHECK[] = "functions as relations";

static uint64_t cuts_seen(const prover *x) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < x->samples.len; i++) n += x->samples.data[i]->nstates;
    for (uint32_t i = 0; i < x->wide.len; i++) n += x->wide.data[i]->nstates;
    return n;
}

static void cuts_drop(prover *x) {
    BITS_EACH(i, &x->stands)
        if (x->lemmas.data[i].kind == LEMMA_FOUND) prover_drop(x, i);
}

// Questions about the functions themselves are not asked again, since they may have no end: the answer rests on this
// file. So the lemmas and the property are held against states of the system with functions, those of its first
// instances, and the property against larger ones.
static bool cuts_agrees(prover *x) {
    bool ok = true;
    survey_wide(x);
    BITS_EACH(i, &x->stands) ok = ok && !prover_is_false(x, logic_lemma(x->logic, i));
    const char *wrong = !ok ? "a lemma is false in a state" : survey_further(x, FURTHER_FEW) ? "it is violated" : NULL;
    result_add_self_check(x->out->small, CUTS_CHECK, cuts_seen(x), wrong);
    if (wrong) cuts_drop(x);
    return !wrong;
}

// Nothing else is shown to hold: the functions say what the relations stand for.
static void cuts_note(prover *x, const cutting *c) {
    str s = {0};
    for (uint32_t i = 0; i < c->all.len; i++)
        str_printf(&s, "%s'%s'", i ? ", " : "", func_of(x->m, c->all.data[i].f)->name);
    str_add(&s, c->all.len > 1 ? " are" : " is");
    str_add(&s, " read as relations: which values are reached, and which are passed");
    x->out->note = arena_str(x->out->memory, str_get(&s));
    str_free(&s);
}

outcome cuts_search(prover *x) {
    cutting c = {0};
    proof *p = NULL;
    if (!cuts_is_wanted(x)) return OUTCOME_STUCK;
    proof_take_way(x->out, WAY_CUTS);
    cuts_begin(x, &c);
    infer_options o = *x->o;
    o.limits = limits_within(&x->o->limits, limits_left(&x->o->limits) / 2);
    o.before = NULL;
    o.nbefore = 0;
    o.cache = NULL;
    o.explains = false;
    if (c.ok) p = infer_prove(c.m, x->property, &o);
    x->is_shown = p && p->verdict == VERDICT_HOLDS && cuts_take(x, &c, p) && cuts_agrees(x);
    if (x->is_shown) cuts_note(x, &c);
    if (p) logic_add_statistics(x->logic, &(logic_stats){.queries = p->stats.queries});
    if (p) proof_free(p);
    vec_free(&c.all);
    model_free(c.m);
    return x->is_shown ? OUTCOME_PROVED : OUTCOME_STUCK;
}
