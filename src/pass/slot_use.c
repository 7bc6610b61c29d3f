// SPDX-License-Identifier: Apache-2.0
// Slots that a rule uses after it set them free: see slot_use.h.
#include "pass/slot_use.h"

#include "model/expr.h"

typedef struct {
    slot_use *u;
    VEC(func) kept;  // locals that hold a slot
    uint32_t number;
    uint32_t loop_begin, loop_end;  // of the outermost loop around; loop_end 0: none
} walker;

uint32_t slot_use_count(const stmt *s) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < s->nbody; i++) n += slot_use_count(s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) n += slot_use_count(s->orelse[i]);
    return n;
}

static bool uses_chosen(const walker *w, expr e) {
    const slot_use *u = w->u;
    for (uint32_t i = 0; e.id && i < u->rule->nparams; i++) {
        var p = u->rule->params[i];
        if (type_same(var_of(u->m, p)->ty, u->sort) && expr_has_var(u->m, e, p)) return true;
    }
    for (uint32_t i = 0; i < w->kept.len; i++)
        if (expr_reads(u->m, e, w->kept.data[i])) return true;
    return false;
}

static bool stmt_uses_chosen(const walker *w, const stmt *s) {
    for (uint32_t i = 0; i < s->nargs; i++)
        if (uses_chosen(w, s->args[i])) return true;
    return uses_chosen(w, s->cond) || uses_chosen(w, s->value);
}

type slot_use_changed(const model *m, sys system, const stmt *s) {
    const sys_info *info = sys_of(m, system);
    for (uint32_t i = 0; s->kind == S_ASSIGN && i < info->bags.len; i++) {
        const bag_info *b = &info->bags.data[i];
        if (b->funcs[0].id == s->target.id && !expr_same(s->value, m->true_expr))
            return func_of(m, s->target)->args[b->position];
    }
    return (type){0};
}

static bool frees(const slot_use *u, const stmt *s) { return type_same(slot_use_changed(u->m, u->system, s), u->sort); }

static void slot_use_look(walker *w, const stmt *s) {
    uint32_t number = w->number++;
    bool is_outermost = !w->loop_end && (s->kind == S_FORALL || s->kind == S_WHILE);
    if (is_outermost) w->loop_begin = number, w->loop_end = number + slot_use_count(s);
    uint32_t begin = w->loop_end ? w->loop_begin : number, end = w->loop_end ? w->loop_end : number + 1;
    if (frees(w->u, s) && begin < w->u->first_freed) w->u->first_freed = begin;
    if (stmt_uses_chosen(w, s) && end > w->u->last_use) w->u->last_use = end;
    if (s->kind == S_ASSIGN && type_same(func_of(w->u->m, s->target)->result, w->u->sort))
        vec_push(&w->kept, s->target);
    for (uint32_t i = 0; i < s->nbody; i++) slot_use_look(w, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) slot_use_look(w, s->orelse[i]);
    if (is_outermost) w->loop_end = 0;
}

slot_use slot_use_find(const model *m, sys system, const rule_info *r, type sort) {
    slot_use u = {.m = m, .system = system, .rule = r, .sort = sort, .first_freed = UINT32_MAX};
    for (uint32_t i = 0; i < r->nparams; i++) u.is_chosen |= type_same(var_of(m, r->params[i])->ty, sort);
    walker w = {.u = &u};
    if (u.is_chosen && r->body) slot_use_look(&w, r->body);
    vec_free(&w.kept);
    return u;
}

bool slot_use_is_stale(const slot_use *u, uint32_t begin, uint32_t end) {
    return u->is_chosen && u->first_freed < end && u->last_use > begin;
}
