// SPDX-License-Identifier: Apache-2.0
// Which slots hold the values of a class: where a rule of one process has v, and the same rule of another has w.
// This is a guess: what follows from it is checked (image_keeps_system). Pairs of expressions are compared once.
#include "zone/image_int.h"

typedef struct {
    image *g;
    id_class *c;
    map *met;  // pairs of expressions with a slot
    int32_t v, w;
} finder;

// Only slots of numbers are moved: see slots_may_move().
static void note_slot(const finder *f, value a, value b, uint32_t slot) {
    bool differ = (a == f->v && b == f->w) || (a == f->w && b == f->v);
    if (differ && slots_may_move(f->g->s, slot)) f->c->slots[slot] = 1;
}

static void compare_exprs(const finder *f, expr a, expr b, uint32_t slot) {
    const expr_info *x = expr_of(f->g->m, a), *y = expr_of(f->g->m, b);
    const slots *s = f->g->s;
    const uint32_t pair[] = {a.id, b.id, slot};
    if (!a.id || !b.id || expr_same(a, b) || x->kind != y->kind || x->nargs != y->nargs) return;
    if (!image_step(f->g) || !map_put(f->met, pair, sizeof pair, 1) || f->g->depth == IMAGE_MOST_DEPTH) return;
    f->g->depth++;
    if (x->kind == E_CONST) note_slot(f, (value)x->ref, (value)y->ref, slot);
    for (uint32_t i = 0; i < x->nargs; i++) {
        uint32_t at = slot;
        if (x->kind == E_APP) at = slots_argument(s, x->ref, i);
        else if (x->kind == E_EQ) at = slots_of(s, x->args[1 - i]);
        else if (x->kind != E_ITE || i == 0) at = SLOT_NONE;
        else if (slots_of(s, a) != SLOT_NONE) at = slots_of(s, a);
        compare_exprs(f, x->args[i], y->args[i], at);
    }
    f->g->depth--;
}

static void compare_stmts(const finder *f, const stmt *a, const stmt *b) {
    if (!a || !b || a->kind != b->kind || a->nargs != b->nargs) return;
    compare_exprs(f, a->cond, b->cond, SLOT_NONE);
    if (a->kind == S_ASSIGN) {
        compare_exprs(f, a->value, b->value, slots_result(f->g->s, a->target.id));
        for (uint32_t i = 0; i < a->nargs; i++)
            compare_exprs(f, a->args[i], b->args[i], slots_argument(f->g->s, a->target.id, i));
    }
    for (uint32_t i = 0; i < a->nbody && i < b->nbody; i++) compare_stmts(f, a->body[i], b->body[i]);
    for (uint32_t i = 0; i < a->norelse && i < b->norelse; i++) compare_stmts(f, a->orelse[i], b->orelse[i]);
}

static void compare_clocks(const finder *f, uint32_t a, uint32_t b) {
    const member *x = &f->g->all->of[MEMBER_CLOCK][a], *y = &f->g->all->of[MEMBER_CLOCK][b];
    if (!a || !b || x->group != y->group) return;
    for (uint32_t i = x->nparams; i < x->nargs; i++)
        note_slot(f, x->args[i], y->args[i], slots_root(f->g->s, f->g->s->clock_slot[x->group] + i));
}

static void compare_bounds(const finder *f, const clock_bound *a, const clock_bound *b) {
    compare_clocks(f, a->left, b->left);
    compare_clocks(f, a->right, b->right);
    compare_exprs(f, a->when, b->when, SLOT_NONE);
}

static void compare_rules(const finder *f, const rule_info *a, const rule_info *b) {
    compare_exprs(f, a->guard, b->guard, SLOT_NONE);
    compare_stmts(f, a->body, b->body);
    for (uint32_t i = 0; i < a->nbounds && i < b->nbounds; i++) compare_bounds(f, &a->bounds[i], &b->bounds[i]);
    for (uint32_t i = 0; i < a->nresets && i < b->nresets; i++) {
        compare_clocks(f, a->resets[i].clock, b->resets[i].clock);
        compare_exprs(f, a->resets[i].when, b->resets[i].when, SLOT_NONE);
    }
}

static void compare_all_rules(const finder *f) {
    image *g = f->g;
    for (uint32_t i = 0; i < g->system->rules.len && !g->gave_up; i++) {
        uint32_t k = image_namesake(g, i);
        if (k != UINT32_MAX && k != i)
            compare_rules(f, rule_of(g->m, g->system->rules.data[i]), rule_of(g->m, g->system->rules.data[k]));
    }
}

// Invariants come process by process.
static void compare_all_invariants(const finder *f) {
    const image *g = f->g;
    const clock_bound *list = g->t->invariants.data;
    uint32_t n = g->t->invariants.len, np = g->t->processes.len;
    uint32_t *first = mem_zero(np + 1, sizeof *first);
    for (uint32_t i = n; i-- > 0;)
        if (list[i].owner < np) first[list[i].owner] = i;
    for (uint32_t i = 0; i < n && !g->gave_up; i++) {
        uint32_t to = list[i].owner < np ? g->current.processes[list[i].owner] : UINT32_MAX;
        if (to == UINT32_MAX || to == list[i].owner) continue;
        for (uint32_t k = first[to]; k < n && list[k].owner == to; k++)
            if (list[i].at.begin == list[k].at.begin) compare_bounds(f, &list[i], &list[k]);
    }
    free(first);
}

void image_find_slots(image *g, id_class *c, int32_t v, int32_t w) {
    if (!image_choose(g, c, v, w)) return;
    finder f = {g, c, map_new(), v, w};
    compare_all_rules(&f);
    compare_all_invariants(&f);
    map_free(f.met);
}
