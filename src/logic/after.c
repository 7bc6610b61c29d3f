// SPDX-License-Identifier: Apache-2.0
// Weakest preconditions on expressions: see after.h. A start is a step from the state in which every
// function has its initial value, so those values are put in last.
#include "logic/after.h"

#include "model/expr.h"

after_step after_of(const logic *l, const task *t) {
    after_step step = {.updates = &t->updates, .is_start = t->is_start};
    if (!t->r.id) return step;
    step.chosen = rule_of(l->m, t->r)->chosen;
    step.nchosen = rule_of(l->m, t->r)->nchosen;
    return step;
}

static bool after_is_chosen(const after_step *step, uint32_t f) {
    for (uint32_t i = 0; i < step->nchosen; i++)
        if (step->chosen[i].id == f) return true;
    return false;
}

// The value of the function after the step, at the arguments.
static expr after_written(model *m, const after_step *step, expr_info x) {
    if (after_is_chosen(step, x.ref)) return expr_next(m, (func){x.ref}, x.args);
    for (uint32_t i = 0; i < step->updates->len; i++) {
        update u = step->updates->data[i];
        if (u.target.id == x.ref) return expr_subst(m, u.value, u.formals, x.args, x.nargs);
    }
    return expr_app(m, (func){x.ref}, x.args);
}

static expr visit_app(model *m, expr e, void *context) {
    expr_info x = *expr_of(m, e);
    return x.kind == E_APP ? after_written(m, context, x) : e;
}

static expr visit_next(model *m, expr e, void *context) {
    expr_info x = *expr_of(m, e);
    return x.kind == E_NEXT ? after_written(m, context, x) : e;
}

static expr visit_start(model *m, expr e, void *context) {
    (void)context;
    expr_info x = *expr_of(m, e);
    if (x.kind != E_APP) return e;
    const func_info *f = func_of(m, (func){x.ref});
    return cells_starts_free(m, f) ? e : expr_const(m, f->result, f->initial);
}

expr after_start(model *m, const after_step *step, expr e) {
    return step->is_start ? expr_rewrite(m, e, visit_start, NULL) : e;
}

expr after_lemma(model *m, const after_step *step, expr e) {
    return after_start(m, step, expr_rewrite(m, expr_inline(m, e), visit_app, (void *)step));
}

expr after_relation(model *m, const after_step *step, expr relation) {
    return after_start(m, step, expr_rewrite(m, expr_inline(m, relation), visit_next, (void *)step));
}
