// SPDX-License-Identifier: Apache-2.0
// See copies.h.
#include "model/copies.h"

#include "model/expr.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    func local;
    expr value;
} copy;

// ---- which locals are copies

// What a function is written with: always this value, or more than one.
typedef struct {
    expr value;
    bool has_others;
} written;

static void collect(const stmt *s, written *table) {
    if (s->kind == S_ASSIGN) {
        written *w = &table[s->target.id];
        w->has_others |= !s->value.id || (w->value.id && !expr_same(w->value, s->value));
        w->value = s->value;
    }
    for (uint32_t i = 0; i < s->nbody; i++) collect(s->body[i], table);
    for (uint32_t i = 0; i < s->norelse; i++) collect(s->orelse[i], table);
}

// ---- is it written before it is read?

static bool reads(const model *m, expr e, func f) {
    if (!e.id) return false;
    const expr_info *x = expr_of(m, e);
    if ((x->kind == E_APP || x->kind == E_DEFINED) && x->ref == f.id) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (reads(m, x->args[i], f)) return true;
    return false;
}

static bool scan(const model *m, const stmt *s, func f, bool *is_written);

static bool scan_all(const model *m, const stmt *const *body, uint32_t n, func f, bool *is_written) {
    for (uint32_t i = 0; i < n; i++)
        if (!scan(m, body[i], f, is_written)) return false;
    return true;
}

// False when it may be read while it has no value.
static bool scan(const model *m, const stmt *s, func f, bool *is_written) {
    bool is_read = reads(m, s->cond, f) || reads(m, s->value, f), then = *is_written, orelse = *is_written;
    for (uint32_t i = 0; i < s->nargs; i++) is_read |= reads(m, s->args[i], f);
    if (is_read && !*is_written) return false;
    if (s->kind == S_ASSIGN) *is_written |= s->target.id == f.id;
    if (s->kind == S_SEQ) return scan_all(m, s->body, s->nbody, f, is_written);
    bool ok = scan_all(m, s->body, s->nbody, f, &then) && scan_all(m, s->orelse, s->norelse, f, &orelse);
    if (s->kind == S_IF) *is_written = then && orelse;
    return ok;
}

static bool is_param(const rule_info *r, uint32_t v) {
    for (uint32_t i = 0; i < r->nparams; i++)
        if (r->params[i].id == v) return true;
    return false;
}

// A value outside the local's range is a run-time error at the assignment, which has to stay.
static bool fits(model *m, expr e, func f) {
    int64_t lo, hi, least, greatest;
    if (type_same(expr_type(m, e), func_of(m, f)->result)) return true;
    if (!type_is_number(m, expr_type(m, e)) || !type_is_number(m, func_of(m, f)->result)) return false;
    expr_bounds(m, e, &lo, &hi);
    expr_bounds(m, expr_app(m, f, NULL), &least, &greatest);
    return least <= lo && hi <= greatest;
}

static bool is_copy(model *m, const rule_info *r, func f, const written *w) {
    const func_info *info = func_of(m, f);
    if (!info->is_scratch || info->nargs || !w->value.id || w->has_others) return false;
    const expr_info *x = expr_of(m, w->value);
    bool is_rigid = x->kind == E_CONST || (x->kind == E_VAR && is_param(r, x->ref)), is_written = false;
    return is_rigid && fits(m, w->value, f) && scan(m, r->body, f, &is_written);
}

// ---- replacing one

static expr replace_visit(model *m, expr e, void *context) {
    const copy *c = context;
    const expr_info *x = expr_of(m, e);
    if (x->kind == E_APP && x->ref == c->local.id) return c->value;
    if (x->kind == E_DEFINED && x->ref == c->local.id) return m->true_expr;
    return e;
}

static expr replace_in(model *m, expr e, copy *c) { return e.id ? expr_rewrite(m, e, replace_visit, c) : e; }

static const stmt *replace(model *m, const stmt *s, copy *c);

typedef VEC(const stmt *) stmt_list;

// What is left of a statement goes into a list: nothing of an assignment to the local, one branch where the condition
// is known.
static void replace_into(model *m, const stmt *s, copy *c, stmt_list *out) {
    if (s->kind == S_ASSIGN && s->target.id == c->local.id) return;
    expr cond = replace_in(m, s->cond, c);
    value known;
    if (s->kind == S_IF && expr_is_const(m, cond, &known)) {
        for (uint32_t i = 0; i < (known ? s->nbody : s->norelse); i++)
            replace_into(m, known ? s->body[i] : s->orelse[i], c, out);
        return;
    }
    const stmt *one = replace(m, s, c);
    vec_push(out, one);
}

static const stmt *const *replace_all(model *m, const stmt *const *body, uint32_t n, copy *c,
                                      uint32_t *left) {
    stmt_list list = {0};
    for (uint32_t i = 0; i < n; i++) replace_into(m, body[i], c, &list);
    *left = list.len;
    const stmt *const *out = list.len ? arena_copy(m->memory, list.data, list.len * sizeof *list.data) : NULL;
    vec_free(&list);
    return out;
}

static const stmt *replace(model *m, const stmt *s, copy *c) {
    stmt *t = arena_copy(m->memory, s, sizeof *s);
    expr *args = arena_alloc(m->memory, (s->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = replace_in(m, s->args[i], c);
    t->args = args;
    t->value = replace_in(m, s->value, c);
    t->cond = replace_in(m, s->cond, c);
    t->body = replace_all(m, s->body, s->nbody, c, &t->nbody);
    t->orelse = replace_all(m, s->orelse, s->norelse, c, &t->norelse);
    return t;
}

static void replace_copy(model *m, rule_info *r, copy c) {
    uint32_t n;
    const stmt *const *left = replace_all(m, &r->body, 1, &c, &n);
    r->body = n == 1 ? left[0] : model_block(m, S_SEQ, left, n, r->body->at);
}

const stmt *copies_propagate(model *m, rule number) {
    rule_info r = *rule_of(m, number);
    written *table = mem_zero(m->funcs.len, sizeof *table);
    for (bool more = r.body != NULL; more;) {
        more = false;
        memset(table, 0, m->funcs.len * sizeof *table);
        collect(r.body, table);
        for (uint32_t i = 1; i < m->funcs.len; i++) {
            if (!is_copy(m, &r, (func){i}, &table[i])) continue;
            replace_copy(m, &r, (copy){(func){i}, table[i].value});
            more = true;
        }
    }
    free(table);
    return r.body;
}
