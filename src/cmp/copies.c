// SPDX-License-Identifier: Apache-2.0
// See copies.h.
#include "cmp/copies.h"

#include "model/expr.h"

typedef struct {
    func local;
    expr value;
} copy;

// ---- which locals are copies

static void count_writes(const stmt *s, func f, uint32_t *n, expr *written) {
    if (s->kind == S_ASSIGN && s->target.id == f.id) {
        (*n)++;
        *written = s->value;
    }
    for (uint32_t i = 0; i < s->nbody; i++) count_writes(s->body[i], f, n, written);
    for (uint32_t i = 0; i < s->norelse; i++) count_writes(s->orelse[i], f, n, written);
}

static bool is_param(const rule_info *r, uint32_t v) {
    for (uint32_t i = 0; i < r->nparams; i++)
        if (r->params[i].id == v) return true;
    return false;
}

static bool find_copy(const model *m, const rule_info *r, const stmt *body, func f, copy *out) {
    const func_info *info = func_of(m, f);
    uint32_t n = 0;
    if (!info->is_scratch || info->nargs) return false;
    *out = (copy){f, {0}};
    count_writes(body, f, &n, &out->value);
    if (n != 1 || !out->value.id) return false;
    const expr_info *x = expr_of(m, out->value);
    return x->kind == E_CONST || (x->kind == E_VAR && is_param(r, x->ref));
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

static const stmt *const *replace_all(model *m, const stmt *const *body, uint32_t n, copy *c) {
    const stmt **out = arena_alloc(m->memory, (n + 1) * sizeof *out);
    for (uint32_t i = 0; i < n; i++) out[i] = replace(m, body[i], c);
    return out;
}

static const stmt *replace(model *m, const stmt *s, copy *c) {
    if (s->kind == S_ASSIGN && s->target.id == c->local.id) return model_block(m, S_SEQ, NULL, 0, s->at);
    stmt *t = arena_copy(m->memory, s, sizeof *s);
    expr *args = arena_alloc(m->memory, (s->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = replace_in(m, s->args[i], c);
    t->args = args;
    t->value = replace_in(m, s->value, c);
    t->cond = replace_in(m, s->cond, c);
    t->body = replace_all(m, s->body, s->nbody, c);
    t->orelse = replace_all(m, s->orelse, s->norelse, c);
    return t;
}

const stmt *copies_propagate(model *m, rule number) {
    rule_info r = *rule_of(m, number);
    for (bool more = r.body != NULL; more;) {
        more = false;
        for (uint32_t i = 1; i < m->funcs.len; i++) {
            copy c;
            if (!find_copy(m, &r, r.body, (func){i}, &c)) continue;
            r.body = replace(m, r.body, &c);
            more = true;
        }
    }
    return r.body;
}
