// SPDX-License-Identifier: Apache-2.0
// Ghosts: whether some element that is not kept satisfies what a property says of some element.
//
// `exists p. f(p)` in a property would be lost with the state of the others. So the abstract state has a bool that says
// whether f holds for one of them: ghost_body.c keeps it true through the bodies of cases.
//
// Where guards say `forall q. !g(q)`, there is one ghost for f & g and one for f & !g: such a guard says that the first
// is false.
#include "cmp/abstract/internal.h"

#include "model/walk.h"
#include "pass/elements.h"
#include "model/welldefined.h"

// ---- which formulas are posted

// It speaks of v and of shared state only.
static bool ghost_is_about(const abstraction *a, var v, expr e) {
    const var_set of = expr_frees(a->m, e);
    bool is_alone = of.n == 0 || (of.n == 1 && of.vars[0].id == v.id);
    return is_alone && !expr_of(a->m, e)->nesting && !elements_by_value(a->m, a->sort, e);
}

// The body of a quantifier over the sort as a formula about `someone`, negated or not; id 0: it is of no use.
static expr about_someone(const abstraction *a, expr quantifier, bool negated) {
    const expr_info x = *expr_of(a->m, quantifier);
    var v = {x.ref};
    if (!abstract_is_sort(a, var_of(a->m, v)->ty)) return (expr){0};
    expr self = expr_var(a->m, a->someone);
    expr e = expr_nnf(a->m, expr_subst(a->m, x.args[0], &v, &self, 1), negated);
    return ghost_is_about(a, a->someone, e) ? e : (expr){0};
}

// What a quantified guard denies of every element: the first that there is; id 0: none.
static expr find_denied(const abstraction *a) {
    const sys_info s = *sys_of(a->m, a->origin);
    for (uint32_t i = 0; i < s.rules.len; i++) {
        expr guard = rule_of(a->m, s.rules.data[i])->guard;
        walk w = walk_expr(a->m, guard.id ? expr_nnf(a->m, guard, false) : guard, 0);
        while (walk_next(&w)) {
            expr denied = w.x->kind == E_FORALL ? about_someone(a, w.e, true) : (expr){0};
            if (denied.id && walk_found(&w)) return denied;
        }
    }
    return (expr){0};
}

static void add_ghost(abstraction *a, expr formula, expr holds, expr denied) {
    func_info f = {.name = arena_printf(a->m->memory, "some_other_%u", a->ghosts.len + 1),
                   .at = expr_of(a->m, formula)->at,
                   .result = a->m->bool_type,
                   .owner = a->system};
    vec_push(&a->ghosts, ((ghost){formula, holds, denied, model_add_func(a->m, f)}));
    vec_push(&a->state, vec_last(&a->ghosts).f);
}

static bool is_posted(const abstraction *a, expr formula) {
    for (uint32_t i = 0; i < a->ghosts.len; i++)
        if (expr_same(a->ghosts.data[i].formula, formula)) return true;
    return false;
}

// With what is denied, and with the contrary.
static void add_ghosts(abstraction *a, expr f, expr denied) {
    expr sure = welldefined_holds(a->m, f);
    if (!denied.id) {
        add_ghost(a, f, sure, denied);
        return;
    }
    expr allowed = expr_nnf(a->m, denied, true);
    add_ghost(a, f, expr_and(a->m, sure, welldefined_holds(a->m, denied)), denied);
    add_ghost(a, f, expr_and(a->m, sure, welldefined_holds(a->m, allowed)), (expr){0});
}

static void find_ghosts(abstraction *a, expr property, expr denied) {
    walk w = walk_expr(a->m, property, 0);
    while (walk_next(&w)) {
        expr f = w.x->kind == E_EXISTS ? about_someone(a, w.e, false) : (expr){0};
        if (!f.id) continue;
        if (!is_posted(a, f)) add_ghosts(a, f, denied);
        walk_skip(&w);
    }
}

static bool starts_have_bodies(const abstraction *a) {
    const sys_info *s = sys_of(a->m, a->origin);
    for (uint32_t i = 0; i < s->inits.len; i++)
        if (!rule_of(a->m, s->inits.data[i])->body) return false;
    return s->inits.len > 0;
}

void ghost_properties(abstraction *a) {
    if (!starts_have_bodies(a)) return;
    a->someone = model_add_var(a->m, "someone", a->sort, (span){0});
    expr denied = find_denied(a);
    for (uint32_t i = 1; i < a->m->props.len; i++) {
        const prop_info p = a->m->props.data[i];
        if (p.system.id == a->origin.id && p.kind == PROP_INVARIANT)
            find_ghosts(a, expr_nnf(a->m, p.cond, false), denied);
    }
}

// ---- what ghosts know of a quantified formula

// exists v. body: holds if one of these does.
expr ghost_some(const abstraction *a, expr quantifier) {
    expr e = a->m->false_expr;
    if (!a->ghosts.len) return e;
    expr f = about_someone(a, quantifier, expr_kind_of(a->m, quantifier) == E_FORALL);
    for (uint32_t i = 0; i < a->ghosts.len && f.id; i++) {
        const ghost w = a->ghosts.data[i];
        if (expr_same(w.formula, f) || expr_same(w.denied, f)) e = expr_or(a->m, e, expr_app(a->m, w.f, NULL));
    }
    return e;
}

bool ghost_reads(const abstraction *a, func f) {
    for (uint32_t i = 0; i < a->ghosts.len; i++)
        if (expr_reads(a->m, a->ghosts.data[i].holds, f)) return true;
    return false;
}
