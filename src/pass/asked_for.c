// SPDX-License-Identifier: Apache-2.0
// See asked_for.h. Conjuncts keep their places, so what is read before what stays as it is.
#include "pass/asked_for.h"

#include "model/expr.h"
#include "pass/restate.h"

// The body that some element satisfies; id 0: the conjunct asks for none.
static expr asked_body(model *m, expr e, type sort, var *v) {
    bool is_denied = expr_kind_of(m, e) == E_NOT;
    const expr_info x = *expr_of(m, is_denied ? expr_arg(m, e, 0) : e);
    bool asks = x.kind == (is_denied ? E_FORALL : E_EXISTS) && type_same(var_of(m, (var){x.ref})->ty, sort);
    *v = (var){asks ? x.ref : 0};
    if (!asks) return (expr){0};
    return is_denied ? expr_not(m, x.args[0]) : x.args[0];
}

// By recursion into what is asked of the element, which is smaller.
static expr name_elements(model *m, expr guard, type sort, var_list *named) {
    uint32_t n;
    const expr *parts = expr_conjuncts(m, &guard, &n);
    expr all = m->true_expr;
    for (uint32_t i = 0; i < n; i++) {
        var v;
        expr body = asked_body(m, parts[i], sort, &v);
        if (!body.id) {
            all = expr_and(m, all, parts[i]);
            continue;
        }
        const var_info old = *var_of(m, v);
        var own = model_add_var(m, old.name, old.ty, old.at);
        expr with = expr_var(m, own);
        vec_push(named, own);
        all = expr_and(m, all, name_elements(m, expr_subst(m, body, &v, &with, 1), sort, named));
    }
    return all;
}

static bool asked_for_in_rule(model *m, rule r, type sort) {
    rule_info own = *rule_of(m, r);
    var_list named = {0};
    if (!own.guard.id || own.nhidden) return false;
    expr guard = name_elements(m, own.guard, sort, &named);
    bool any = named.len;
    if (any) {
        var *params = arena_alloc(m->memory, (own.nparams + named.len) * sizeof *params);
        for (uint32_t i = 0; i < own.nparams + named.len; i++)
            params[i] = i < own.nparams ? own.params[i] : named.data[i - own.nparams];
        own.params = params;
        own.nparams += named.len;
        own.guard = guard;
        m->rules.data[r.id] = own;
        if (own.nparams > m->most_params) m->most_params = own.nparams;
    }
    vec_free(&named);
    return any;
}

void asked_for_choose(model *m, sys s, type sort, asked_for_list *out) {
    if (!restate_can(m, s)) return;
    const sys_info info = *sys_of(m, s);
    for (uint32_t i = 0; i < info.rules.len; i++)
        if (asked_for_in_rule(m, info.rules.data[i], sort)) vec_push(out, info.rules.data[i]);
}
