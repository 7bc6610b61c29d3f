// SPDX-License-Identifier: Apache-2.0
// Images of statements, and whether two bodies are the same up to the order of statements that do not touch the
// same cells (a broadcast's receivers act one after the other, and a swap changes that order): see image.h.
#include "zone/image_int.h"

#include "model/expr.h"
#include "model/walk.h"

#include <string.h>
#include <xxhash.h>

static void put_image(image *g, swap *p, const stmt *s, stmt_list *out);

const stmt *const *image_stmts(image *g, swap *p, const stmt *const *body, uint32_t n, uint32_t *count) {
    stmt_list list = {0};
    for (uint32_t i = 0; i < n && !g->failed; i++) put_image(g, p, body[i], &list);
    *count = list.len;
    const stmt *const *out = arena_copy(g->memory, list.data, list.len * sizeof *list.data);
    vec_free(&list);
    return out;
}

static void put_assignment(image *g, swap *p, const stmt *s, stmt *to) {
    expr *args = arena_alloc(g->memory, (s->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = image_of(g, p, s->args[i], slots_argument(g->s, s->target.id, i));
    to->args = args;
    to->nargs = s->nargs;
    to->target = (func){p->funcs[s->target.id]};
    if (s->value.id) to->value = image_of(g, p, s->value, slots_result(g->s, s->target.id));
}

// The image of s; sequences become part of the list.
static void put_image(image *g, swap *p, const stmt *s, stmt_list *out) {
    if (!s) return;
    if (s->kind == S_SEQ) {
        for (uint32_t i = 0; i < s->nbody; i++) put_image(g, p, s->body[i], out);
        return;
    }
    if (s->kind == S_FORALL || s->kind == S_PAR) {
        image_fail(g, s->at);
        return;
    }
    stmt *to = arena_alloc(g->memory, sizeof *to);
    to->kind = s->kind;
    to->at = s->at;
    to->is_limit = s->is_limit;
    to->is_guard = s->is_guard;
    to->cond = image_if(g, p, s->cond);
    if (s->kind == S_ASSIGN) put_assignment(g, p, s, to);
    to->body = image_stmts(g, p, s->body, s->nbody, &to->nbody);
    to->orelse = image_stmts(g, p, s->orelse, s->norelse, &to->norelse);
    vec_push(out, to);
}

// ---- equal up to order

static uint64_t hash_stmt(const stmt *s) {
    uint64_t words[] = {s->kind,
                        s->target.id,
                        s->nargs,
                        s->value.id,
                        s->cond.id,
                        (uint64_t)s->is_limit << 1 | s->is_guard,
                        image_hash_body(s->body, s->nbody),
                        image_hash_body(s->orelse, s->norelse)};
    return XXH3_64bits_withSeed(s->args, s->nargs * sizeof *s->args, XXH3_64bits(words, sizeof words));
}

uint64_t image_hash_body(const stmt *const *body, uint32_t n) {
    uint64_t sum = n;
    for (uint32_t i = 0; i < n; i++) sum += hash_stmt(body[i]);
    return sum;
}

static bool same_stmt(image *g, const stmt *a, const stmt *b) {
    if (a->kind != b->kind || a->target.id != b->target.id || a->nargs != b->nargs) return false;
    if (a->is_limit != b->is_limit || a->is_guard != b->is_guard) return false;
    if (!expr_same(a->value, b->value) || !expr_same(a->cond, b->cond)) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!expr_same(a->args[i], b->args[i])) return false;
    return image_same_bodies(g, a->body, a->nbody, b->body, b->nbody) &&
           image_same_bodies(g, a->orelse, a->norelse, b->orelse, b->norelse);
}

// What a statement reads or writes: a cell where all indices are constants, else any cell of the function.
typedef struct {
    uint32_t func;
    uint32_t cell;  // handle of its application; 0: any
} access;

typedef VEC(access) access_list;

typedef struct {
    access_list reads, writes;
    bool is_known;
    bool is_fixed;  // keeps its place
} accesses;

static uint32_t constant_cell(image *g, func f, const expr *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (expr_kind_of(g->m, args[i]) != E_CONST) return 0;
    return expr_app(g->m, f, args).id;
}

static void see_read(image *g, expr_info i, accesses *out) {
    if (i.kind != E_APP) return;
    vec_push(&out->reads, (access){i.ref, constant_cell(g, (func){i.ref}, i.args, i.nargs)});
    out->is_fixed |= func_of(g->m, (func){i.ref})->is_limit;
}

static void see_stmt(image *g, const stmt *s, accesses *out) {
    out->is_fixed |= s->kind == S_ASSUME || s->kind == S_FAIL || s->kind == S_WHILE;
    if (s->kind == S_ASSIGN)
        vec_push(&out->writes, (access){s->target.id, constant_cell(g, s->target, s->args, s->nargs)});
}

static bool accesses_meet(image *g, const access_list *a, const access_list *b) {
    for (uint32_t i = 0; i < a->len; i++)
        for (uint32_t j = 0; j < b->len && image_step(g); j++) {
            const access *x = &a->data[i], *y = &b->data[j];
            if (x->func == y->func && (!x->cell || !y->cell || x->cell == y->cell)) return true;
        }
    return false;
}

static const accesses *accesses_of(image *g, const stmt *s, accesses *known) {
    if (known->is_known) return known;
    known->is_known = true;
    walk w = walk_stmt(g->m, s, 0);
    while (walk_next(&w)) {
        if (w.s) see_stmt(g, w.s, known);
        else if (image_step(g)) see_read(g, *w.x, known);
        else walk_skip(&w);
    }
    return known;
}

static bool may_change_places(image *g, const accesses *a, const accesses *b) {
    return !a->is_fixed && !b->is_fixed && !accesses_meet(g, &a->writes, &b->writes) &&
           !accesses_meet(g, &a->writes, &b->reads) && !accesses_meet(g, &a->reads, &b->writes);
}

// Can b[at] come before all those of b that are left before it?
static bool may_come_first(image *g, const stmt *const *b, const bool *used, uint32_t first, uint32_t at,
                           accesses *known) {
    for (uint32_t i = first; i < at; i++)
        if (!used[i] && !may_change_places(g, accesses_of(g, b[i], &known[i]), accesses_of(g, b[at], &known[at])))
            return false;
    return true;
}

static bool match_bodies(image *g, const stmt *const *a, const stmt *const *b, uint32_t n, accesses *known) {
    bool *used = arena_alloc(g->memory, (n + 1) * sizeof *used);
    uint32_t first = 0;  // of b, that is left
    for (uint32_t i = 0; i < n && image_step(g); i++) {
        uint32_t j = first;
        while (j < n && (used[j] || !same_stmt(g, a[i], b[j]))) j++;
        if (j == n || !may_come_first(g, b, used, first, j, known)) return false;
        used[j] = true;
        while (first < n && used[first]) first++;
    }
    return !g->failed;
}

bool image_same_bodies(image *g, const stmt *const *a, uint32_t n, const stmt *const *b, uint32_t k) {
    if (n != k || g->failed) return false;
    if (!n) return true;
    accesses *known = mem_zero(n, sizeof *known);
    bool same = match_bodies(g, a, b, n, known);
    for (uint32_t i = 0; i < n; i++) {
        vec_free(&known[i].reads);
        vec_free(&known[i].writes);
    }
    free(known);
    return same;
}
