// SPDX-License-Identifier: Apache-2.0
// Classes of values that flow into each other: see slots.h. One walk over everything that is evaluated: roots are
// marked, then the table of expressions is scanned from its end (arguments come before what is made of them).
#include "zone/slots.h"

#include "model/walk.h"

#include <assert.h>
#include <string.h>

uint32_t slots_root(const slots *s, uint32_t slot) {
    while (slot != SLOT_NONE && s->up.data[slot] != slot) slot = s->up.data[slot];
    return slot;
}

static uint32_t new_slot(slots *s, int64_t lo, int64_t hi, bool is_number) {
    uint32_t slot = s->up.len;
    vec_push(&s->up, slot);
    vec_push(&s->range, (slot_range){lo, hi, is_number});
    return slot;
}

static uint32_t new_slot_of(slots *s, type ty) {
    const type_info *t = type_of(s->m, ty);
    bool is_number = type_is_number(s->m, ty);
    int64_t last = is_number ? t->hi : (int64_t)type_known_size(s->m, ty) - 1;
    return new_slot(s, is_number ? t->lo : 0, last, is_number);
}

// The root, with the way to it made shorter.
static uint32_t shorten(slots *s, uint32_t slot) {
    uint32_t *up = s->up.data;
    for (; up[slot] != slot; slot = up[slot]) up[slot] = up[up[slot]];
    return slot;
}

// The lesser number stays the root, so that SLOT_NUMBER is one.
static void slots_join(slots *s, uint32_t a, uint32_t b) {
    if (a == SLOT_NONE || b == SLOT_NONE) return;
    a = shorten(s, a);
    b = shorten(s, b);
    if (a == b) return;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    s->up.data[high] = low;
    if (s->range.data[high].lo > s->range.data[low].lo) s->range.data[low].lo = s->range.data[high].lo;
    if (s->range.data[high].hi < s->range.data[low].hi) s->range.data[low].hi = s->range.data[high].hi;
    s->range.data[low].is_number &= s->range.data[high].is_number;
}

static uint32_t own_slot(const slots *s, const expr_info *i) {
    switch (i->kind) {
    case E_CONST: return SLOT_NONE;
    case E_VAR: return s->var_slot[i->ref];
    case E_APP: return s->func_slot[i->ref];
    case E_ITE: {
        uint32_t a = s->own[i->args[1].id];
        return a == SLOT_NONE ? s->own[i->args[2].id] : a;
    }
    default: return SLOT_NUMBER;
    }
}

static void find_own(slots *s) {
    s->own = arena_alloc(s->memory, (s->nexprs + 1) * sizeof *s->own);
    for (uint32_t e = 1; e < s->nexprs; e++) {
        const expr_info *i = &s->m->exprs.data[e];
        for (uint32_t k = 0; k < i->nargs; k++) assert(i->args[k].id < e);
        s->own[e] = own_slot(s, i);
    }
}

uint32_t slots_of(const slots *s, expr e) {
    assert(e.id < s->nexprs);
    return slots_root(s, s->own[e.id]);
}

static void join_order(slots *s, expr a, expr b) {
    if (expr_kind_of(s->m, a) == E_CONST || expr_kind_of(s->m, b) == E_CONST) return;
    slots_join(s, slots_of(s, a), SLOT_NUMBER);
    slots_join(s, slots_of(s, b), SLOT_NUMBER);
}

// What the arguments of an expression have to do with each other.
static void join_args(slots *s, const expr_info *i) {
    switch (i->kind) {
    case E_APP:
    case E_DEFINED:
        for (uint32_t k = 0; k < i->nargs; k++) slots_join(s, s->func_slot[i->ref] + 1 + k, slots_of(s, i->args[k]));
        break;
    case E_EQ: slots_join(s, slots_of(s, i->args[0]), slots_of(s, i->args[1])); break;
    case E_ITE: slots_join(s, slots_of(s, i->args[1]), slots_of(s, i->args[2])); break;
    case E_LT:
    case E_LE: join_order(s, i->args[0], i->args[1]); break;
    case E_CONST:
    case E_VAR:
    case E_NOT:
    case E_AND:
    case E_OR:
    case E_IMPLIES: break;
    default:
        for (uint32_t k = 0; k < i->nargs; k++) slots_join(s, slots_of(s, i->args[k]), SLOT_NUMBER);
    }
}

static void slots_see(slots *s, expr e) { s->seen[e.id] = 1; }

static void join_seen(slots *s) {
    for (uint32_t e = s->nexprs; e-- > 1;) {
        const expr_info *i = &s->m->exprs.data[e];
        if (!s->seen[e]) continue;
        for (uint32_t k = 0; k < i->nargs; k++) s->seen[i->args[k].id] = 1;
        join_args(s, i);
    }
}

static void see_number(slots *s, expr e) {
    if (!e.id) return;
    slots_see(s, e);
    slots_join(s, slots_of(s, e), SLOT_NUMBER);
}

static void see_assignment(slots *s, const stmt *b) {
    for (uint32_t i = 0; i < b->nargs; i++) {
        slots_see(s, b->args[i]);
        slots_join(s, s->func_slot[b->target.id] + 1 + i, slots_of(s, b->args[i]));
    }
    if (!b->value.id) return;
    slots_see(s, b->value);
    slots_join(s, s->func_slot[b->target.id], slots_of(s, b->value));
}

static void see_body(slots *s, const stmt *body) {
    walk w = walk_stmt(s->m, body, WALK_STMTS);
    while (walk_next(&w)) {
        if (w.s->cond.id) slots_see(s, w.s->cond);
        if (w.s->kind == S_ASSIGN) see_assignment(s, w.s);
    }
}

static void see_bound(slots *s, const clock_bound *b) {
    see_number(s, b->bound);
    if (b->when.id) slots_see(s, b->when);
}

static void see_rule(slots *s, rule r) {
    const rule_info *info = rule_of(s->m, r);
    if (info->guard.id) slots_see(s, info->guard);
    see_body(s, info->body);
    see_number(s, info->priority);
    for (uint32_t i = 0; i < info->nbounds; i++) see_bound(s, &info->bounds[i]);
    for (uint32_t i = 0; i < info->nresets; i++) {
        see_number(s, info->resets[i].value);
        if (info->resets[i].when.id) slots_see(s, info->resets[i].when);
    }
}

static void make_slots(slots *s) {
    uint32_t groups = members_groups(s->all);
    s->func_slot = arena_alloc(s->memory, (s->m->funcs.len + 1) * sizeof *s->func_slot);
    s->var_slot = arena_alloc(s->memory, (s->m->vars.len + 1) * sizeof *s->var_slot);
    s->clock_slot = arena_alloc(s->memory, (groups + 1) * sizeof *s->clock_slot);
    for (uint32_t i = 1; i < s->m->funcs.len; i++) {
        const func_info *f = &s->m->funcs.data[i];
        s->func_slot[i] = new_slot_of(s, f->result);
        for (uint32_t k = 0; k < f->nargs; k++) new_slot_of(s, f->args[k]);
    }
    for (uint32_t i = 1; i < s->nvars; i++) s->var_slot[i] = new_slot_of(s, s->m->vars.data[i].ty);
    for (uint32_t i = 0; i < groups; i++) {
        s->clock_slot[i] = s->up.len;
        for (uint32_t k = 0; k < MEMBER_MOST_ARGS; k++) new_slot(s, INT32_MIN, INT32_MAX, true);
    }
}

// The same variable of all processes of a family: one class.
static void join_families(slots *s) {
    uint32_t *first = arena_alloc(s->memory, (members_groups(s->all) + 1) * sizeof *first);
    for (uint32_t i = 1; i < s->m->funcs.len; i++) {
        uint32_t g = s->all->of[MEMBER_FUNC][i].group;
        if (!first[g]) first[g] = i;
        if (s->m->funcs.data[first[g]].nargs != s->m->funcs.data[i].nargs) continue;
        for (uint32_t k = 0; k <= s->m->funcs.data[i].nargs; k++)
            slots_join(s, s->func_slot[first[g]] + k, s->func_slot[i] + k);
    }
}

slots *slots_new(const instance *in, const members *all, const asked *a) {
    arena *memory = arena_new();
    slots *s = arena_alloc(memory, sizeof *s);
    const sys_info *system = sys_of(in->m, in->system);
    const timed_info *t = system->timed;
    s->memory = memory;
    s->m = in->m;
    s->all = all;
    s->nvars = in->m->vars.len;
    s->nexprs = in->m->exprs.len;
    new_slot(s, INT32_MIN, INT32_MAX, true);
    s->seen = arena_alloc(s->memory, s->nexprs);
    make_slots(s);
    join_families(s);
    find_own(s);
    for (uint32_t i = 0; i < system->rules.len; i++) see_rule(s, system->rules.data[i]);
    for (uint32_t i = 0; i < t->invariants.len; i++) see_bound(s, &t->invariants.data[i]);
    for (uint32_t i = 0; i < t->rates.len; i++) see_bound(s, &t->rates.data[i]);
    if (t->still.id) slots_see(s, t->still);
    if (t->valid.id) slots_see(s, t->valid);
    for (uint32_t i = 0; i < t->atoms.len; i++)
        if (!t->atoms.data[i].is_deadlock) see_bound(s, &t->atoms.data[i].is);
    for (uint32_t i = 0; i < a->nformulas; i++) slots_see(s, a->formulas[i]);
    for (uint32_t i = 0; i < a->nmeasured; i++) see_number(s, a->measured[i]);
    join_seen(s);
    return s;
}

void slots_free(slots *s) {
    if (!s) return;
    vec_free(&s->up);
    vec_free(&s->range);
    arena_free(s->memory);
}
