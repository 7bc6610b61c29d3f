// SPDX-License-Identifier: Apache-2.0
// Shapes of what steps rest on.
//
// A rule that makes R(x) true under a guard G(x, y) leaves a trace: R(x) → ∃y. G(x, y), as far as G cannot become
// false again ("provenance": what has happened was caused). So for every update that adds to a relation, each part of
// the guard is a shape over the relation's arguments, with the other parameters existential, and so are all parts
// together that are stable and share such a parameter.
//
// A guard such as "all of the quorum have voted" matters before it is true, too: as long as those who have not voted
// still may, it can become true. A relation in it that rules add to only under a condition L that can be lost is
// replaced by "R or L": whether the guard may still come true (what papers call choosable).
//
// An ∃-block of the property is a shape for every part of its variables. All this is about candidates only: a lemma
// made of such shapes is shown like any other.
#include "infer/atoms.h"

#include "infer/sample.h"
#include "model/expr.h"
#include "model/update.h"
#include "model/walk.h"

enum { PROVENANCE_MOST = 60, PROVENANCE_WEIGHT = 2000, PROVENANCE_MOST_WAYS = 1000, BLOCK_MOST_VARS = 4 };

typedef struct {
    atom_pool *p;
    VEC(update_list) updates;  // by rule
    uint32_t made;
} provenance;

// ---- parts of formulas

static void split_parts(const model *m, expr e, expr_kind kind, expr_list *out) {
    uint32_t n;
    const expr *parts = expr_parts(m, &e, kind, &n);
    for (uint32_t i = 0; i < n; i++) vec_push(out, parts[i]);
}

static void provenance_shape(provenance *v, expr e) {
    model *m = v->p->m;
    var_list bound = {0};
    if (v->made >= PROVENANCE_MOST || expr_of(m, e)->weight > PROVENANCE_WEIGHT || !sample_can(m, e)) return;
    if (expr_kind_of(m, e) == E_FORALL) e = expr_nnf(m, e, true);
    while (expr_kind_of(m, e) == E_EXISTS) {
        vec_push(&bound, (var){expr_of(m, e)->ref});
        e = expr_arg(m, e, 0);
    }
    uint32_t before = v->p->shapes.len;
    if (bound.len) harvest_exists(v->p, e, &bound, ATOMS_OF_MODEL, false);
    v->made += v->p->shapes.len - before;
    if (bound.len && expr_kind_of(m, e) == E_FORALL) provenance_shape(v, e);
    vec_free(&bound);
}

// ---- which relations only grow, or only shrink

static bool is_app_of(const model *m, expr e, func f, const var *formals) {
    const expr_info *x = expr_of(m, e);
    if (x->kind != E_APP || x->ref != f.id) return false;
    for (uint32_t i = 0; i < x->nargs; i++) {
        const expr_info *a = expr_of(m, x->args[i]);
        if (a->kind != E_VAR || a->ref != formals[i].id) return false;
    }
    return true;
}

// "old | more" or "old & less": is the value before a part of the update?
static bool keeps_old(const model *m, const update *u, expr_kind kind) {
    expr_list parts = {0};
    bool found = false;
    expr e = u->value;
    if (expr_kind_of(m, e) == E_ITE) {
        value v;
        bool is_const = expr_is_const(m, expr_arg(m, e, 1), &v);
        found = is_const && v == (kind == E_OR) && is_app_of(m, expr_arg(m, e, 2), u->target, u->formals);
    }
    split_parts(m, e, kind, &parts);
    for (uint32_t i = 0; i < parts.len; i++) found |= is_app_of(m, parts.data[i], u->target, u->formals);
    vec_free(&parts);
    return found;
}

static bool provenance_keeps(const provenance *v, func f, expr_kind kind) {
    const model *m = v->p->m;
    const sys_info *s = sys_of(m, v->p->system);
    for (uint32_t r = 0; r < v->updates.len; r++) {
        const update *u = update_find(&v->updates.data[r], f);
        if (rule_chooses(rule_of(m, s->rules.data[r]), f) || (u && !keeps_old(m, u, kind))) return false;
    }
    return true;
}

// No rule changes anything that e reads.
static bool provenance_is_rigid(const provenance *v, expr e) {
    bool rigid = true;
    walk w = walk_expr(v->p->m, e, 0);
    while (walk_next(&w))
        if (w.x->kind == E_APP)
            rigid &= provenance_keeps(v, (func){w.x->ref}, E_AND) && provenance_keeps(v, (func){w.x->ref}, E_OR);
    return rigid;
}

static bool is_stable_literal(const provenance *v, expr e) {
    const model *m = v->p->m;
    bool negated = expr_kind_of(m, e) == E_NOT, ok = true;
    const expr_info x = *expr_of(m, negated ? expr_arg(m, e, 0) : e);
    if (x.kind != E_APP) return provenance_is_rigid(v, e);
    for (uint32_t i = 0; i < x.nargs; i++) ok &= provenance_is_rigid(v, x.args[i]);
    return ok && provenance_keeps(v, (func){x.ref}, negated ? E_AND : E_OR);
}

// May the formula (in negation normal form) not become false once it is true?
static bool provenance_is_stable(const provenance *v, expr e) {
    walk w = walk_expr(v->p->m, e, 0);
    while (walk_next(&w)) {
        expr_kind k = w.x->kind;
        if (k == E_AND || k == E_OR || k == E_FORALL || k == E_EXISTS) continue;
        walk_skip(&w);
        if (!is_stable_literal(v, w.e)) return !walk_found(&w);
    }
    return true;
}

// ---- what a rule adds to a relation

// One way in which a rule makes f(formals) true: conditions, in which a parameter that is one of the arguments is
// replaced by its formal.
typedef struct {
    func f;
    const var *formals;
    uint32_t nformals;
    expr_list conditions;  // in negation normal form
    var_list open;         // the other parameters
} cause;

static bool formal_of(const cause *c, uint32_t id) {
    for (uint32_t i = 0; i < c->nformals; i++)
        if (c->formals[i].id == id) return true;
    return false;
}

// formal = parameter: which parameter; id 0: none.
static var matched_param(const model *m, const cause *c, const rule_info *r, expr e, var *formal) {
    if (expr_kind_of(m, e) != E_EQ) return (var){0};
    for (uint32_t side = 0; side < 2; side++) {
        const expr_info *a = expr_of(m, expr_arg(m, e, side)), *b = expr_of(m, expr_arg(m, e, !side));
        if (a->kind != E_VAR || b->kind != E_VAR || !formal_of(c, a->ref)) continue;
        for (uint32_t i = 0; i < r->nparams; i++)
            if (r->params[i].id == b->ref) {
                *formal = (var){a->ref};
                return r->params[i];
            }
    }
    return (var){0};
}

static void cause_close(provenance *v, const rule_info *r, const expr_list *added, cause *c) {
    model *m = v->p->m;
    var_list params = {0};
    VEC(expr) with = {0};
    expr_list all = {0};
    for (uint32_t i = 0; i < added->len; i++) {
        var formal, q = matched_param(m, c, r, added->data[i], &formal);
        if (!q.id) vec_push(&all, added->data[i]);
        else {
            vec_push(&params, q);
            vec_push(&with, expr_var(m, formal));
        }
    }
    if (r->guard.id) split_parts(m, expr_nnf(m, expr_inline(m, r->guard), false), E_AND, &all);
    for (uint32_t i = 0; i < all.len; i++)
        vec_push(&c->conditions, expr_subst(m, all.data[i], params.data, with.data, params.len));
    for (uint32_t i = 0; i < r->nparams; i++) {
        bool is_matched = false;
        for (uint32_t k = 0; k < params.len; k++) is_matched |= params.data[k].id == r->params[i].id;
        if (!is_matched) vec_push(&c->open, r->params[i]);
    }
    vec_free(&params);
    vec_free(&with);
    vec_free(&all);
}

typedef void (*cause_visit)(provenance *v, const cause *c, void *context);

// The ways in which a formula is true: parts of a disjunction, branches of an if. There may be exponentially many,
// and each only proposes candidates: the first ones are enough.
static void ways_to_hold(model *m, expr e, expr path, expr_list *out) {
    expr_info x = *expr_of(m, e);
    if (out->len >= PROVENANCE_MOST_WAYS) return;
    if (x.kind == E_ITE) {
        ways_to_hold(m, x.args[1], expr_and(m, path, x.args[0]), out);
        ways_to_hold(m, x.args[2], path, out);
    } else if (x.kind == E_OR) {
        for (uint32_t i = 0; i < x.nargs; i++) ways_to_hold(m, x.args[i], path, out);
    } else {
        vec_push(out, expr_nnf(m, expr_and(m, path, e), false));
    }
}

static void each_cause_of(provenance *v, const rule_info *r, const update *u, cause_visit visit, void *context) {
    model *m = v->p->m;
    expr_list ways = {0};
    ways_to_hold(m, u->value, m->true_expr, &ways);
    for (uint32_t i = 0; i < ways.len; i++) {
        if (expr_is_false(m, ways.data[i]) || is_app_of(m, ways.data[i], u->target, u->formals)) continue;
        expr_list added = {0};
        cause c = {.f = u->target, .formals = u->formals, .nformals = func_of(m, u->target)->nargs};
        split_parts(m, ways.data[i], E_AND, &added);
        bool has_old = false;
        for (uint32_t k = 0; k < added.len; k++) has_old |= is_app_of(m, added.data[k], u->target, u->formals);
        if (!has_old) {
            cause_close(v, r, &added, &c);
            visit(v, &c, context);
        }
        vec_free(&added);
        vec_free(&c.conditions);
        vec_free(&c.open);
    }
    vec_free(&ways);
}

static void each_cause(provenance *v, cause_visit visit, void *context) {
    model *m = v->p->m;
    for (uint32_t r = 0; r < v->updates.len; r++) {
        rule_info info = *rule_of(m, sys_of(m, v->p->system)->rules.data[r]);
        for (uint32_t i = 0; i < v->updates.data[r].len; i++) {
            update u = v->updates.data[r].data[i];
            if (type_of(m, func_of(m, u.target)->result)->kind == TYPE_BOOL)
                each_cause_of(v, &info, &u, visit, context);
        }
    }
}

// ---- shapes of causes

// The condition with its open parameters existential.
static expr close_open(model *m, const cause *c, expr e) {
    for (uint32_t i = c->open.len; i-- > 0;)
        if (expr_has_var(m, e, c->open.data[i])) e = expr_exists(m, &c->open.data[i], 1, e);
    return e;
}

static bool mentions_open(const model *m, const cause *c, expr e) {
    for (uint32_t i = 0; i < c->open.len; i++)
        if (expr_has_var(m, e, c->open.data[i])) return true;
    return false;
}

// One witness for all that was added: ∃y ∀x. R(x) → G(x, y). It needs no Skolem function.
static void provenance_outermost(provenance *v, const cause *c, expr conditions) {
    model *m = v->p->m;
    expr args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < c->nformals; i++) args[i] = expr_var(m, c->formals[i]);
    expr e = expr_implies(m, expr_app(m, c->f, args), conditions);
    provenance_shape(v, close_open(m, c, expr_nnf(m, expr_forall(m, c->formals, c->nformals, e), false)));
}

static void shapes_of_cause(provenance *v, const cause *c, void *context) {
    (void)context;
    model *m = v->p->m;
    expr_list stable = {0};
    for (uint32_t i = 0; i < c->conditions.len; i++) {
        expr e = c->conditions.data[i];
        bool is_stable = provenance_is_stable(v, e);
        if (is_stable && mentions_open(m, c, e)) vec_push(&stable, e);
        expr closed = close_open(m, c, e);
        if (is_stable && expr_of(m, closed)->nesting) provenance_shape(v, closed);
    }
    expr all = expr_and_all(m, stable.data, stable.len);
    if (stable.len > 1) provenance_shape(v, close_open(m, c, all));
    if (stable.len) provenance_outermost(v, c, all);
    vec_free(&stable);
}

// ---- what may still come true

// In the blocks of guards, the relation of a cause or the condition under which it may still be added.
typedef struct {
    const cause *c;
    expr condition;
} weakening_of;

static expr weaken_app(model *m, expr e, void *context) {
    const weakening_of *w = context;
    expr_info x = *expr_of(m, e);
    if (x.kind != E_APP || x.ref != w->c->f.id) return e;
    return expr_or(m, e, expr_subst(m, w->condition, w->c->formals, x.args, x.nargs));
}

static bool only_formals(const model *m, const cause *c, expr e) {
    const var_set of = expr_frees(m, e);
    for (uint32_t i = 0; i < of.n; i++)
        if (!formal_of(c, of.vars[i].id)) return false;
    return of.n > 0;
}

static void choosable_in_block(provenance *v, const cause *c, void *context) {
    model *m = v->p->m;
    expr block = *(const expr *)context;
    if (!expr_reads(m, block, c->f)) return;
    for (uint32_t i = 0; i < c->conditions.len; i++) {
        expr e = c->conditions.data[i];
        if (expr_of(m, e)->nesting || !only_formals(m, c, e) || provenance_is_stable(v, e)) continue;
        weakening_of w = {c, e};
        provenance_shape(v, expr_nnf(m, expr_rewrite(m, block, weaken_app, &w), false));
    }
}

// Blocks that a guard needs to be true, or the property to be false.
static void choosable_in(provenance *v, expr cond, bool negated) {
    model *m = v->p->m;
    if (!cond.id) return;
    walk w = walk_expr(m, expr_nnf(m, expr_inline(m, cond), negated), 0);
    VEC(expr) blocks = {0};
    while (walk_next(&w))
        if (w.x->kind == E_FORALL && expr_of(m, w.e)->weight <= PROVENANCE_WEIGHT) vec_push(&blocks, w.e);
    for (uint32_t i = 0; i < blocks.len; i++) each_cause(v, choosable_in_block, &blocks.data[i]);
    vec_free(&blocks);
}

// ---- blocks of the property

// ∃ over every part of the block's variables; the others stay free.
static void shapes_of_block(provenance *v, expr e) {
    model *m = v->p->m;
    var_list bound = {0};
    while (expr_kind_of(m, e) == E_EXISTS) {
        vec_push(&bound, (var){expr_of(m, e)->ref});
        e = expr_arg(m, e, 0);
    }
    for (uint32_t mask = 1; bound.len <= BLOCK_MOST_VARS && mask < UINT32_C(1) << bound.len; mask++) {
        expr part = e;
        for (uint32_t i = bound.len; i-- > 0;)
            if (mask >> i & 1) part = expr_exists(m, &bound.data[i], 1, part);
        provenance_shape(v, part);
    }
    vec_free(&bound);
}

static void shapes_of_property(provenance *v, expr cond) {
    model *m = v->p->m;
    VEC(expr) blocks = {0};
    walk w = walk_expr(m, expr_nnf(m, expr_inline(m, cond), false), 0);
    while (walk_next(&w))
        if (w.x->kind == E_EXISTS) vec_push(&blocks, w.e);
    for (uint32_t i = 0; i < blocks.len; i++) shapes_of_block(v, blocks.data[i]);
    vec_free(&blocks);
}

// ---- projections

// "Some node has voted for it": the relation with an argument ∃.
static void projections_of(provenance *v, func f) {
    model *m = v->p->m;
    func_info info = *func_of(m, f);
    var vars[MODEL_MOST_ARGS];
    expr args[MODEL_MOST_ARGS];
    if (info.is_rigid || info.nargs < 2 || type_of(m, info.result)->kind != TYPE_BOOL) return;
    for (uint32_t i = 0; i < info.nargs; i++) {
        vars[i] = model_add_var(m, "x", info.args[i], info.at);
        args[i] = expr_var(m, vars[i]);
    }
    expr e = expr_app(m, f, args);
    for (uint32_t i = 0; i < info.nargs; i++) provenance_shape(v, expr_exists(m, &vars[i], 1, e));
}

void provenance_add(atom_pool *p, prop property) {
    provenance v = {.p = p};
    model *m = p->m;
    uint32_t n = sys_of(m, p->system)->rules.len;
    for (uint32_t i = 0; i < n; i++) {
        update_list l = {0};
        rule_info info = *rule_of(m, sys_of(m, p->system)->rules.data[i]);
        update_of(m, info.body, &l);
        vec_push(&v.updates, l);
    }
    each_cause(&v, shapes_of_cause, NULL);
    const prop_info *about = prop_of(m, property);
    if (about->kind == PROP_INVARIANT) shapes_of_property(&v, about->cond);
    for (uint32_t i = 0; i < n; i++) choosable_in(&v, rule_of(m, sys_of(m, p->system)->rules.data[i])->guard, false);
    if (about->kind == PROP_INVARIANT && p->order->is_wide) choosable_in(&v, about->cond, true);
    for (uint32_t i = 0; i < sys_of(m, p->system)->funcs.len && p->order->is_wide; i++)
        projections_of(&v, sys_of(m, p->system)->funcs.data[i]);
    for (uint32_t i = 0; i < v.updates.len; i++) vec_free(&v.updates.data[i]);
    vec_free(&v.updates);
}
