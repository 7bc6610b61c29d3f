// SPDX-License-Identifier: Apache-2.0
// Parameters that a guard determines: where it says t = dst(p), all else can be said of dst(p).
//
// A rule is asked about once for every way in which its parameters of a sort are the same: two ways for two of them,
// five for three, 52 for five. Where these are many, parameters that the guard gives a value are left out of the rules
// that questions are about, and put back into the steps that are shown.
#include "infer/prover.h"

#include "model/eval.h"
#include "model/expr.h"
#include "model/stmt.h"

enum { MANY_ALIKE = 4 };  // parameters of one sort

// What the guard says that the parameter is; id 0: nothing.
static expr determined_value(model *m, const rule_info *x, var p) {
    expr guard = x->guard.id ? expr_inline(m, x->guard) : m->true_expr;
    uint32_t n;
    const expr *parts = expr_conjuncts(m, &guard, &n);
    for (uint32_t i = 0; i < 2 * n; i++) {
        if (expr_kind_of(m, parts[i / 2]) != E_EQ) continue;
        expr side = expr_arg(m, parts[i / 2], i % 2), other = expr_arg(m, parts[i / 2], !(i % 2));
        bool is_it = expr_kind_of(m, side) == E_VAR && expr_of(m, side)->ref == p.id;
        if (is_it && !expr_has_var(m, other, p) && expr_kind_of(m, other) == E_APP) return other;
    }
    return (expr){0};
}

static void determined_put(model *m, rule_info *x, uint32_t at, expr given) {
    var p = x->params[at];
    var_list rest = {0};
    for (uint32_t i = 0; i < x->nparams; i++)
        if (i != at) vec_push(&rest, x->params[i]);
    x->guard = expr_subst(m, expr_inline(m, x->guard), &p, &given, 1);
    if (x->relation.id) x->relation = expr_subst(m, expr_inline(m, x->relation), &p, &given, 1);
    if (x->body) x->body = stmt_subst(m, x->body, &p, &given, 1);
    x->nhidden -= at >= rule_nshown(x);
    x->actor = 0;
    x->params = arena_copy(m->memory, rest.data, rest.len * sizeof *rest.data);
    x->nparams--;
    vec_free(&rest);
}

void determined_leave_out(prover *x, uint32_t number, rule_info *r) {
    for (uint32_t i = 0; i < r->nparams;) {
        uint32_t alike = 0;
        for (uint32_t k = 0; k < r->nparams; k++)
            alike += type_same(var_of(x->m, r->params[k])->ty, var_of(x->m, r->params[i])->ty);
        expr given = alike < MANY_ALIKE ? (expr){0} : determined_value(x->m, r, r->params[i]);
        if (given.id) {
            vec_push(&x->determined, (determined_param){number, r->params[i], given});
            determined_put(x->m, r, i, given);
        } else {
            i++;
        }
    }
}

// ---- back

static uint32_t determined_rule(const prover *x, rule r) {
    uint32_t i = 0, n = sys_of(x->m, x->guarded)->rules.len;
    while (i < n && sys_of(x->m, x->guarded)->rules.data[i].id != r.id) i++;
    return i;
}

// Those left out last do not depend on those before them.
void determined_put_back(const prover *x, countermodel *c) {
    uint32_t number = c->r.id && c->args ? determined_rule(x, c->r) : UINT32_MAX;
    bool some = false;
    for (uint32_t i = 0; i < x->determined.len; i++) some |= x->determined.data[i].rule == number;
    if (!some) return;
    rule_info asked = *rule_of(x->m, c->r);
    c->r = sys_of(x->m, x->system)->rules.data[number];
    rule_info shown = *rule_of(x->m, c->r);
    eval *ev = eval_new(c->in);
    for (uint32_t i = 0; i < asked.nparams; i++) eval_bind(ev, asked.params[i], c->args[i]);
    for (uint32_t i = x->determined.len; i-- > 0;) {
        const determined_param *p = &x->determined.data[i];
        if (p->rule == number) eval_bind(ev, p->param, eval_expr(ev, c->before, p->given));
    }
    free(c->args);
    c->args = mem_zero(shown.nparams + 1, sizeof *c->args);
    for (uint32_t i = 0; i < shown.nparams; i++) c->args[i] = eval_expr(ev, c->before, expr_var(x->m, shown.params[i]));
    eval_free(ev);
}
