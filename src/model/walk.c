// SPDX-License-Identifier: Apache-2.0
// Walks over shared expressions and statements. See walk.h.
//
// What is still to be visited is a stack, what was visited a list as long as it is short, and then a hash table with
// linear probing. Stack and list begin inside the walk, since most expressions are small. A part is one number in all
// of them: an expression's id and tag with the lowest bit set, or the address of a statement, which is even.
#include "model/walk.h"

#include <stddef.h>
#include <string.h>

static uint64_t walk_key_of(expr e, uint32_t tag) { return (uint64_t)e.id << 32 | (uint64_t)tag << 1 | 1; }

// In place: a walk is begun for nearly every expression of a model, and the lists inside it need no first value.
static void walk_make_empty(walk *w, const model *m, unsigned how) {
    memset(w, 0, offsetof(walk, small_todo));
    w->m = m;
    w->how = how;
    w->todo_cap = WALK_SMALL;
}

static void walk_push(walk *w, uint64_t key) {
    if (w->ntodo == w->todo_cap) {
        bool was_small = !w->todo;
        w->todo = mem_grow(w->todo, 2 * w->todo_cap * sizeof *w->todo);
        if (was_small) memcpy(w->todo, w->small_todo, sizeof w->small_todo);
        w->todo_cap *= 2;
    }
    (w->todo ? w->todo : w->small_todo)[w->ntodo++] = key;
}

// Where the key is, or would be.
static uint64_t *walk_place(uint64_t *table, uint32_t cap, uint64_t key) {
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (cap - 1);
    while (table[at] && table[at] != key) at = (at + 1) & (cap - 1);
    return &table[at];
}

static void grow_seen(walk *w) {
    const uint64_t *old = w->seen ? w->seen : w->small_seen;
    uint32_t nold = w->seen ? w->seen_cap : w->nseen;
    w->seen_cap = 4 * nold;
    uint64_t *table = mem_zero(w->seen_cap, sizeof *table);
    for (uint32_t i = 0; i < nold; i++)
        if (old[i]) *walk_place(table, w->seen_cap, old[i]) = old[i];
    free(w->seen);
    w->seen = table;
}

static bool is_in_list(const walk *w, uint64_t key) {
    for (uint32_t i = 0; i < w->nseen; i++)
        if (w->small_seen[i] == key) return true;
    return false;
}

static bool list_is_new(walk *w, uint64_t key) {
    if (is_in_list(w, key)) return false;
    w->small_seen[w->nseen++] = key;
    if (w->nseen == WALK_SMALL) grow_seen(w);
    return true;
}

static bool walk_is_new(walk *w, uint64_t key) {
    if (!w->seen) return list_is_new(w, key);
    uint64_t *at = walk_place(w->seen, w->seen_cap, key);
    if (*at) return false;
    *at = key;
    if (++w->nseen > w->seen_cap / 2) grow_seen(w);
    return true;
}

void walk_add(walk *w, expr e, uint32_t tag) {
    if (e.id) walk_push(w, walk_key_of(e, tag));
}

void walk_add_stmt(walk *w, const stmt *s) {
    if (s) walk_push(w, (uint64_t)(uintptr_t)s);
}

void walk_add_rule(walk *w, rule r) {
    const rule_info *info = rule_of(w->m, r);
    for (uint32_t i = info->nrequires; i-- > 0;) walk_add(w, info->requires[i].cond, 0);
    walk_add(w, info->relation, 0);
    walk_add_stmt(w, info->body);
    walk_add(w, info->guard, 0);
}

void walk_add_system(walk *w, sys s) {
    const sys_info *info = sys_of(w->m, s);
    for (uint32_t i = info->rules.len; i-- > 0;) walk_add_rule(w, info->rules.data[i]);
    for (uint32_t i = info->inits.len; i-- > 0;) walk_add_rule(w, info->inits.data[i]);
}

walk walk_expr(const model *m, expr e, unsigned how) {
    walk w;
    walk_make_empty(&w, m, how);
    walk_add(&w, e, 0);
    return w;
}

walk walk_stmt(const model *m, const stmt *s, unsigned how) {
    walk w;
    walk_make_empty(&w, m, how);
    walk_add_stmt(&w, s);
    return w;
}

// ---- what is below a node: pushed from the last to the first

static void push_stmts(walk *w, const stmt *const *list, uint32_t n) {
    for (uint32_t i = n; i-- > 0;) walk_add_stmt(w, list[i]);
}

static void enter_stmt(walk *w, const stmt *s) {
    push_stmts(w, s->orelse, s->norelse);
    push_stmts(w, s->body, s->nbody);
    if (w->how & WALK_STMTS) return;
    for (uint32_t i = s->nargs; i-- > 0;) walk_add(w, s->args[i], 0);
    walk_add(w, s->value, 0);
    walk_add(w, s->cond, 0);
}

static void enter_expr(walk *w, const expr_info *x) {
    for (uint32_t i = x->nargs; i-- > 0;) walk_push(w, walk_key_of(x->args[i], w->tag));
    if (x->kind == E_CALL && w->how & WALK_CALLS) walk_push(w, walk_key_of(def_of(w->m, (def){x->ref})->body, w->tag));
}

bool walk_found(walk *w) {
    free(w->todo);
    free(w->seen);
    return true;
}

bool walk_next(walk *w) {
    if (w->is_inside && w->s) enter_stmt(w, w->s);
    else if (w->is_inside) enter_expr(w, expr_of(w->m, w->e));
    w->is_inside = true;
    while (w->ntodo) {
        uint64_t key = (w->todo ? w->todo : w->small_todo)[--w->ntodo];
        if (!walk_is_new(w, key)) continue;
        bool is_expr = key & 1;
        w->e = (expr){is_expr ? (uint32_t)(key >> 32) : 0};
        w->x = is_expr ? expr_of(w->m, w->e) : NULL;
        w->s = is_expr ? NULL : (const stmt *)(uintptr_t)key;
        w->tag = is_expr ? (uint32_t)key >> 1 : 0;
        return true;
    }
    w->is_inside = false;
    return !(w->how & WALK_KEEPS || walk_found(w));
}

// ---- folding

typedef struct {
    walk_join join;
    void *context;
    map *memo;  // of nodes that have arguments
} folding;

static uint32_t fold_once(const model *m, expr e, folding *f);

static uint32_t fold_node(const model *m, expr e, folding *f) {
    const expr_info x = *expr_of(m, e);
    uint32_t small[8], *parts = x.nargs > 8 ? mem_alloc(x.nargs * sizeof *parts) : small;
    for (uint32_t i = 0; i < x.nargs; i++) parts[i] = fold_once(m, x.args[i], f);
    uint32_t result = f->join(m, e, parts, f->context);
    if (parts != small) free(parts);
    return result;
}

static uint32_t fold_once(const model *m, expr e, folding *f) {
    if (!expr_of(m, e)->nargs) return f->join(m, e, NULL, f->context);
    uint32_t known = map_get(f->memo, &e.id, sizeof e.id, UINT32_MAX);
    if (known != UINT32_MAX) return known;
    uint32_t result = fold_node(m, e, f);
    map_put(f->memo, &e.id, sizeof e.id, result);
    return result;
}

uint32_t walk_fold(const model *m, expr e, walk_join join, void *context) {
    folding f = {join, context, map_new()};
    uint32_t result = fold_once(m, e, &f);
    map_free(f.memo);
    return result;
}
