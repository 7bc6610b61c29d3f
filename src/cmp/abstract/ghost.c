// SPDX-License-Identifier: Apache-2.0
// Ghosts: whether some element that is not kept satisfies what a property says of some element.
//
// `exists p. f(p)` in a property would be lost with the state of the others. So the abstract state has a bool that says
// whether f holds for one of them: ghost_body.c keeps it true through the bodies of cases.
//
// Where guards say `forall q. !g(q)`, there is one ghost for f & g and one for f & !g: such a guard says that the first
// is false.
#include "cmp/abstract/internal.h"

#include "pass/welldefined.h"

enum { MOST_DENIED = 1 };

// ---- which formulas are posted

// It speaks of v and of shared state only.
static bool ghost_is_about(const abstraction *a, var v, expr e) {
    const expr_info *x = expr_of(a->m, e);
    bool is_read = x->kind == E_APP || x->kind == E_DEFINED, ok = !expr_kind_binds(x->kind);
    for (uint32_t i = 0; i < x->nargs && ok; i++) {
        const expr_info *arg = expr_of(a->m, x->args[i]);
        bool is_v = arg->kind == E_VAR && arg->ref == v.id;
        ok = is_read && abstract_is_sort(a, arg->ty) ? is_v : ghost_is_about(a, v, x->args[i]);
    }
    return ok && (x->kind != E_VAR || x->ref == v.id);
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

// What quantified guards deny of every element.
typedef VEC(expr) expr_list;

static void find_denied(const abstraction *a, expr e, expr_list *out) {
    const expr_info x = *expr_of(a->m, e);
    expr denied = x.kind == E_FORALL ? about_someone(a, e, true) : (expr){0};
    bool is_new = denied.id;
    for (uint32_t i = 0; i < out->len; i++) is_new &= !expr_same(out->data[i], denied);
    if (is_new && out->len < MOST_DENIED) vec_push(out, denied);
    for (uint32_t i = 0; i < x.nargs; i++) find_denied(a, x.args[i], out);
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

static void find_ghosts(abstraction *a, expr e, const expr_list *denied) {
    const expr_info x = *expr_of(a->m, e);
    expr f = x.kind == E_EXISTS ? about_someone(a, e, false) : (expr){0};
    if (!f.id)
        for (uint32_t i = 0; i < x.nargs; i++) find_ghosts(a, x.args[i], denied);
    if (!f.id || is_posted(a, f)) return;
    expr sure = welldefined_holds(a->m, f);
    if (!denied->len) add_ghost(a, f, sure, (expr){0});
    for (uint32_t i = 0; i < denied->len; i++) {
        expr g = denied->data[i];
        add_ghost(a, f, expr_and(a->m, sure, welldefined_holds(a->m, g)), g);
        add_ghost(a, f, expr_and(a->m, sure, welldefined_holds(a->m, expr_nnf(a->m, g, true))), (expr){0});
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
    expr_list denied = {0};
    a->someone = model_add_var(a->m, "someone", a->sort, (span){0});
    for (uint32_t i = 0; i < sys_of(a->m, a->origin)->rules.len; i++) {
        expr guard = rule_of(a->m, sys_of(a->m, a->origin)->rules.data[i])->guard;
        if (guard.id) find_denied(a, expr_nnf(a->m, guard, false), &denied);
    }
    for (uint32_t i = 1; i < a->m->props.len; i++) {
        const prop_info p = a->m->props.data[i];
        if (p.system.id == a->origin.id && p.kind == PROP_INVARIANT)
            find_ghosts(a, expr_nnf(a->m, p.cond, false), &denied);
    }
    vec_free(&denied);
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
