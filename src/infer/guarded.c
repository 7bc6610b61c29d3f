// SPDX-License-Identifier: Apache-2.0
// The guarded system and its goals: see guarded.h.
#include "infer/guarded.h"

#include "model/expr.h"

// Pushing may move the table of systems, so lists are read through the model each time.
#define COPY_ALL(m, to, from, list)                          \
    for (uint32_t i = 0; i < sys_of(m, from)->list.len; i++) \
    vec_push(&sys_of(m, to)->list, sys_of(m, from)->list.data[i])

static rule guarded_rule(model *m, rule r) {
    rule_info x = *rule_of(m, r);
    for (uint32_t k = 0; k < x.nrequires; k++)
    x.guard = x.guard.id ? expr_and(m, x.guard, x.requires[k].cond) : x.requires[k].cond;
    x.requires = NULL;
    x.nrequires = 0;
    return model_add_rule(m, x);
}

sys guarded_system(model *m, sys s) {
    sys g = model_add_system(m, sys_of(m, s)->name, sys_of(m, s)->at);
    COPY_ALL(m, g, s, funcs);
    COPY_ALL(m, g, s, inits);
    COPY_ALL(m, g, s, axioms);
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        rule r = guarded_rule(m, sys_of(m, s)->rules.data[i]);
        vec_push(&sys_of(m, g)->rules, r);
    }
    return g;
}

expr guarded_allowed(model *m, sys s, uint32_t r, uint32_t k) {
    rule_info x = *rule_of(m, sys_of(m, s)->rules.data[r]);
    expr e = x.guard.id ? expr_implies(m, x.guard, x.requires[k].cond) : x.requires[k].cond;
    return expr_inline(m, expr_forall(m, x.params, x.nparams, e));
}
