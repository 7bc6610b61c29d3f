// SPDX-License-Identifier: Apache-2.0
// See size_use.h. Ranges that grow with a sort are marked where they are read (type_info.is_size): they matter where a
// variable, a parameter, a quantifier or a loop has their values.
#include "pass/size_use.h"

#include "model/instance.h"
#include "model/walk.h"

static bool any_is_size(const model *m, const var *vars, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (type_of(m, var_of(m, vars[i])->ty)->is_size) return true;
    return false;
}

static bool func_has_sizes(const model *m, func f) {
    const func_info *info = func_of(m, f);
    for (uint32_t i = 0; i < info->nargs; i++)
        if (type_of(m, info->args[i])->is_size) return true;
    return type_of(m, info->result)->is_size;
}

static bool params_have_sizes(const model *m, const rule *rules, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (any_is_size(m, rule_of(m, rules[i])->params, rule_of(m, rules[i])->nparams)) return true;
    return false;
}

static walk size_use_walk(const model *m, sys s, prop p) {
    walk w = walk_expr(m, prop_of(m, p)->cond, 0);
    walk_add_system(&w, s);
    return w;
}

bool size_use_matters(const model *m, sys s, prop p, type sort) {
    const type_info *t = type_of(m, sort);
    const sys_info *info = sys_of(m, s);
    if (t->size_is_used || !t->size_in_ranges) return t->size_is_used;
    for (uint32_t i = 0; i < info->funcs.len; i++)
        if (func_has_sizes(m, info->funcs.data[i])) return true;
    if (params_have_sizes(m, info->rules.data, info->rules.len)) return true;
    if (params_have_sizes(m, info->inits.data, info->inits.len)) return true;
    walk w = size_use_walk(m, s, p);
    for (uint32_t i = 0; i < info->lemmas.len; i++) walk_add(&w, info->lemmas.data[i].cond, 0);
    while (walk_next(&w)) {
        bool binds = w.x && expr_kind_binds(w.x->kind) && any_is_size(m, &(var){w.x->ref}, 1);
        if (binds || (w.s && any_is_size(m, w.s->vars, w.s->nvars))) return walk_found(&w);
    }
    return false;
}

bool size_use_counts(const model *m, sys s, prop p, type sort) {
    walk w = size_use_walk(m, s, p);
    while (walk_next(&w)) {
        bool counts = w.x && w.x->kind == E_COUNT && type_same(var_of(m, (var){w.x->ref})->ty, sort);
        if (counts && type_of(m, w.x->ty)->hi < INSTANCE_LARGEST_SORT) return walk_found(&w);
    }
    return false;
}
