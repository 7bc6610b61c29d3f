// SPDX-License-Identifier: Apache-2.0
// Weakest preconditions on expressions: see after.h. A start is a step from the state in which every
// function has its initial value, so those values are put in last.
#include "logic/after.h"

#include "model/expr.h"

after_step after_of(const task *t) { return (after_step){&t->updates, t->r, t->is_start}; }

// The value of the function after the step, at the arguments.
static expr after_written(model *m, const after_step *step, expr_info x) {
    func f = {x.ref};
    const update *u = update_find(step->updates, f);
    if (step->r.id && rule_chooses(rule_of(m, step->r), f)) return expr_next(m, f, x.args);
    return u ? expr_subst(m, u->value, u->formals, x.args, x.nargs) : expr_app(m, f, x.args);
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
