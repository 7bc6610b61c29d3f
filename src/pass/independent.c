// SPDX-License-Identifier: Apache-2.0
// See independent.h. A step reads and writes cells of one element of the sort, and a start gives each element's cells
// values that depend on nothing of the others. So each copy of a run, seen alone, is a run of the system with one copy.
//
// That is looked up in the text: every state function has one argument of the sort; every index of it is the variable
// of the rule, of the loop (in starts) or of the quantifier (in the property) that is about the copy; elements of the
// sort are used for nothing else.
#include "pass/independent.h"

#include "model/walk.h"

typedef struct {
    const model *m;
    type sort;
    bool in_start;  // loops over the sort are about copies; else only `own` is
    var own;
} copy_check;

static bool has_elements_of(const copy_check *c, type t) { return type_contains(c->m, t, c->sort); }

static bool is_copys_func(const copy_check *c, func f) {
    const func_info *info = func_of(c->m, f);
    uint32_t n = 0;
    for (uint32_t i = 0; i < info->nargs; i++) {
        if (!type_same(info->args[i], c->sort) && has_elements_of(c, info->args[i])) return false;
        n += type_same(info->args[i], c->sort);
    }
    return !has_elements_of(c, info->result) && n == !info->is_scratch;
}

// The copy that is spoken of: `own`, or in starts the variable of the only loop around.
static bool names_copy(const copy_check *c, expr e) {
    const expr_info *x = expr_of(c->m, e);
    return x->kind == E_VAR && (c->in_start || x->ref == c->own.id);
}

static bool indices_are_right(const copy_check *c, func f, const expr *args) {
    const func_info *info = func_of(c->m, f);
    for (uint32_t i = 0; i < info->nargs; i++)
        if (type_same(info->args[i], c->sort) && !names_copy(c, args[i])) return false;
    return !(c->in_start && info->is_scratch);
}

static bool expr_is_right(const copy_check *c, const expr_info *x) {
    if (x->kind == E_CALL || (expr_kind_binds(x->kind) && has_elements_of(c, var_of(c->m, (var){x->ref})->ty)))
        return false;
    if (x->kind == E_APP || x->kind == E_DEFINED) return indices_are_right(c, (func){x->ref}, x->args);
    for (uint32_t i = 0; i < x->nargs; i++)
        if (has_elements_of(c, expr_type(c->m, x->args[i]))) return false;
    return true;
}

// Loops over the sort, which stand in starts alone, not one in another.
static bool loop_is_right(const copy_check *c, const stmt *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->nvars; i++) n += has_elements_of(c, var_of(c->m, s->vars[i])->ty);
    if (!n) return true;
    if (!c->in_start || s->nvars != 1 || s->cond.id) return false;
    walk w = walk_stmt(c->m, NULL, WALK_STMTS);
    for (uint32_t i = 0; i < s->nbody; i++) walk_add_stmt(&w, s->body[i]);
    while (walk_next(&w))
        for (uint32_t i = 0; i < w.s->nvars; i++)
            if (has_elements_of(c, var_of(c->m, w.s->vars[i])->ty)) return !walk_found(&w);
    return true;
}

static bool stmt_is_right(const copy_check *c, const stmt *s) {
    if (s->kind == S_ASSIGN && !indices_are_right(c, s->target, s->args)) return false;
    return loop_is_right(c, s);
}

static bool all_is_right(const copy_check *c, walk *w) {
    while (walk_next(w))
        if (w->x ? !expr_is_right(c, w->x) : !stmt_is_right(c, w->s)) return !walk_found(w);
    return true;
}

static bool rule_is_right(copy_check *c, rule r, bool is_start) {
    const rule_info *info = rule_of(c->m, r);
    uint32_t n = 0;
    c->in_start = is_start;
    c->own = (var){0};
    for (uint32_t i = 0; i < info->nparams; i++) {
        if (!has_elements_of(c, var_of(c->m, info->params[i])->ty)) continue;
        c->own = info->params[i];
        n++;
    }
    if (n > !is_start || (n && !type_same(var_of(c->m, c->own)->ty, c->sort))) return false;
    walk w = walk_stmt(c->m, NULL, 0);
    walk_add_rule(&w, r);
    return !info->nchosen && !info->relation.id && !info->nrequires && all_is_right(c, &w);
}

// forall …. forall a. …, about a.
static bool property_is_right(copy_check *c, expr e) {
    c->in_start = false;
    c->own = (var){0};
    for (; expr_kind_of(c->m, e) == E_FORALL; e = expr_arg(c->m, e, 0)) {
        var v = {expr_of(c->m, e)->ref};
        if (!has_elements_of(c, var_of(c->m, v)->ty)) continue;
        if (c->own.id || !type_same(var_of(c->m, v)->ty, c->sort)) return false;
        c->own = v;
    }
    walk w = walk_expr(c->m, e, 0);
    return all_is_right(c, &w);
}

bool independent_copies(const model *m, sys s, prop p, type sort) {
    copy_check c = {.m = m, .sort = sort};
    const sys_info *info = sys_of(m, s);
    const type_info *t = type_of(m, sort);
    bool ok = !t->size_is_used && !t->size_in_ranges && !info->bags.len && info->inits.len && !info->assumes.len;
    for (uint32_t i = 0; i < info->funcs.len && ok; i++) ok = is_copys_func(&c, info->funcs.data[i]);
    for (uint32_t i = 0; i < info->inits.len && ok; i++) ok = rule_is_right(&c, info->inits.data[i], true);
    for (uint32_t i = 0; i < info->rules.len && ok; i++) ok = rule_is_right(&c, info->rules.data[i], false);
    return ok && property_is_right(&c, prop_of(m, p)->cond);
}
