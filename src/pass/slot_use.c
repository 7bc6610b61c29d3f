// SPDX-License-Identifier: Apache-2.0
// What becomes of the slots that a rule chose: see slot_use.h.
//
// One walk over the body for each such parameter, in the order of execution, with one of three states, which only
// grow: the slot is as it was chosen; it may have been set free; it may hold another element. Branches are joined,
// and a loop is walked until its end adds nothing to its beginning. All multisets whose `taken` has the slot's sort
// count as the slot's own, unless the guard says which one it is.
#include "pass/slot_use.h"

#include "model/expr.h"
#include "model/walk.h"

typedef enum { SLOT_HELD, SLOT_FREE, SLOT_REFILLED } slot_state;

typedef struct {
    const slot_use *u;
    slot_chosen *chosen;
    VEC(func) kept;  // locals that may hold a slot of the sort
    const stmt *fill;
    uint32_t number;
} walker;

// ---- what the guard says

static bool is_lasting(const slot_use *u, expr e) {
    const expr_info *x = expr_of(u->m, e);
    while (x->kind == E_WIDEN || x->kind == E_NARROW) x = expr_of(u->m, x->args[0]);
    if (x->kind == E_CONST) return true;
    for (uint32_t i = 0; x->kind == E_VAR && i < u->rule->nparams; i++)
        if (u->rule->params[i].id == x->ref) return true;
    return false;
}

static const bag_info *bag_of_taken(const slot_use *u, func taken) {
    const sys_info *s = sys_of(u->m, u->system);
    for (uint32_t i = 0; i < s->bags.len; i++)
        if (s->bags.data[i].funcs[0].id == taken.id) return &s->bags.data[i];
    return NULL;
}

// taken(…, slot) with parameters and constants before the slot: true throughout until something sets the slot free.
static bool says_taken(const slot_use *u, const slot_chosen *c, const expr_info *x) {
    if (x->kind != E_APP || !x->nargs) return false;
    const bag_info *b = bag_of_taken(u, (func){x->ref});
    const expr_info *last = expr_of(u->m, x->args[x->nargs - 1]);
    if (!b || b->position + 1 != x->nargs || last->kind != E_VAR || last->ref != c->slot.id) return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!is_lasting(u, x->args[i])) return false;
    return true;
}

static void find_taken(const slot_use *u, slot_chosen *c, expr e) {
    uint32_t n = 0;
    const expr *parts = e.id ? expr_conjuncts(u->m, &e, &n) : NULL;
    for (uint32_t i = 0; i < n && !c->taken.id; i++) {
        const expr_info *x = expr_of(u->m, parts[i]);
        if (!says_taken(u, c, x)) continue;
        c->taken = (func){x->ref};
        c->args = x->args;
        c->nargs = x->nargs;
    }
}

// ---- statements

type slot_use_changed(const model *m, sys system, const stmt *s) {
    const sys_info *info = sys_of(m, system);
    for (uint32_t i = 0; s->kind == S_ASSIGN && i < info->bags.len; i++) {
        const bag_info *b = &info->bags.data[i];
        if (b->funcs[0].id == s->target.id && !expr_same(s->value, m->true_expr))
            return func_of(m, s->target)->args[b->position];
    }
    return (type){0};
}

static bool uses_chosen(const walker *w, expr e) {
    if (!e.id) return false;
    if (expr_has_var(w->u->m, e, w->chosen->slot)) return true;
    for (uint32_t i = 0; i < w->kept.len; i++)
        if (expr_reads(w->u->m, e, w->kept.data[i])) return true;
    return false;
}

static bool stmt_uses_chosen(const walker *w, const stmt *s) {
    for (uint32_t i = 0; i < s->nargs; i++)
        if (uses_chosen(w, s->args[i])) return true;
    return uses_chosen(w, s->cond) || uses_chosen(w, s->value);
}

static bool is_adding(const walker *w, const stmt *s) {
    return s->kind == S_FORALL && s->any_order && s->nvars &&
           type_same(var_of(w->u->m, s->vars[0])->ty, w->chosen->sort);
}

static slot_state after_assignment(walker *w, const stmt *s, slot_state in) {
    bool is_own = !w->chosen->taken.id || w->chosen->taken.id == s->target.id;
    if (!is_own || !type_same(slot_use_changed(w->u->m, w->u->system, s), w->chosen->sort)) return in;
    if (expr_same(s->value, w->u->m->false_expr)) return in == SLOT_HELD ? SLOT_FREE : in;
    if (in != SLOT_REFILLED) w->fill = s;
    return SLOT_REFILLED;
}

static slot_state slot_use_walk(walker *w, const stmt *s, slot_state in);

static slot_state slot_use_walk_list(walker *w, const stmt *const *list, uint32_t n, slot_state in) {
    for (uint32_t i = 0; i < n; i++) in = slot_use_walk(w, list[i], in);
    return in;
}

static slot_state walk_loop(walker *w, const stmt *s, slot_state in) {
    uint32_t first = w->number;
    if (is_adding(w, s) && in == SLOT_FREE) w->fill = s, in = SLOT_REFILLED;
    for (;;) {
        w->number = first;
        if (in == SLOT_REFILLED && stmt_uses_chosen(w, s)) w->chosen->refilled = w->fill;
        slot_state out = slot_use_walk_list(w, s->body, s->nbody, in);
        if (out <= in) return in;
        in = out;
    }
}

static slot_state walk_branches(walker *w, const stmt *s, slot_state in) {
    slot_state then = slot_use_walk_list(w, s->body, s->nbody, in);
    slot_state orelse = slot_use_walk_list(w, s->orelse, s->norelse, in);
    return then > orelse ? then : orelse;
}

static slot_state slot_use_walk(walker *w, const stmt *s, slot_state in) {
    uint32_t number = w->number++;
    if (in == SLOT_REFILLED && stmt_uses_chosen(w, s)) w->chosen->refilled = w->fill;
    if (s->kind == S_FORALL || s->kind == S_WHILE) in = walk_loop(w, s, in);
    else if (s->kind == S_ASSIGN) in = after_assignment(w, s, in);
    else in = s->kind == S_IF ? walk_branches(w, s, in) : slot_use_walk_list(w, s->body, s->nbody, in);
    if (in != SLOT_HELD) bits_add(&w->chosen->freed, number);
    return in;
}

// ---- the rule

static void find_kept(walker *w, const stmt *s) {
    walk at = walk_stmt(w->u->m, s, WALK_STMTS);
    while (walk_next(&at))
        if (at.s->kind == S_ASSIGN && type_same(func_of(w->u->m, at.s->target)->result, w->chosen->sort))
            vec_push(&w->kept, at.s->target);
}

static void look_at_chosen(slot_use *u, slot_chosen *c) {
    walker w = {.u = u, .chosen = c};
    find_taken(u, c, u->rule->guard);
    if (u->rule->body) {
        find_kept(&w, u->rule->body);
        slot_use_walk(&w, u->rule->body, SLOT_HELD);
    }
    vec_free(&w.kept);
}

void slot_use_free(slot_use *u) {
    for (uint32_t i = 0; i < u->chosen.len; i++) bits_free(&u->chosen.data[i].freed);
    vec_free(&u->chosen);
}

static bool is_sort_of_slots(const slot_use *u, type sort) {
    const sys_info *s = sys_of(u->m, u->system);
    for (uint32_t i = 0; i < s->bags.len; i++) {
        const bag_info *b = &s->bags.data[i];
        if (type_same(func_of(u->m, b->funcs[0])->args[b->position], sort)) return true;
    }
    return false;
}

void slot_use_look_at(slot_use *u, const model *m, sys system, const rule_info *r) {
    slot_use_free(u);
    *u = (slot_use){.m = m, .system = system, .rule = r};
    for (uint32_t i = 0; i < r->nparams; i++) {
        type sort = var_of(m, r->params[i])->ty;
        if (is_sort_of_slots(u, sort)) vec_push(&u->chosen, ((slot_chosen){.slot = r->params[i], .sort = sort}));
    }
    for (uint32_t i = 0; i < u->chosen.len; i++) look_at_chosen(u, &u->chosen.data[i]);
}

// ---- questions

bool slot_use_is_stale(const slot_use *u, const stmt *s, type sort) {
    for (uint32_t i = 0; i < u->chosen.len; i++)
        if (type_same(u->chosen.data[i].sort, sort) && u->chosen.data[i].refilled == s) return true;
    return false;
}

static bool same_args(const expr *a, const expr *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!expr_same(a[i], b[i])) return false;
    return true;
}

static bool is_part(const slot_use *u, func taken, func f) {
    const bag_info *b = bag_of_taken(u, taken);
    for (uint32_t i = 0; i < b->nfuncs; i++)
        if (b->funcs[i].id == f.id) return true;
    return false;
}

func slot_use_held(const slot_use *u, uint32_t number, func f, const expr *args, uint32_t n) {
    for (uint32_t i = 0; u && i < u->chosen.len; i++) {
        const slot_chosen *c = &u->chosen.data[i];
        if (c->taken.id && c->nargs == n && same_args(c->args, args, n) && !bits_has(&c->freed, number) &&
            is_part(u, c->taken, f))
            return c->taken;
    }
    return (func){0};
}
