// SPDX-License-Identifier: Apache-2.0
// Statements: see stmt.h.
#include "model/stmt.h"

#include "model/expr.h"

typedef VEC(const stmt *) stmt_list;

static stmt_list subst_list(model *m, const stmt *const *body, uint32_t nbody, const var *vars,
                            const expr *with, uint32_t n) {
    stmt_list out = {0};
    for (uint32_t i = 0; i < nbody; i++) vec_push(&out, stmt_subst(m, body[i], vars, with, n));
    return out;
}

static const stmt *subst_assign(model *m, const stmt *s, const var *vars, const expr *with, uint32_t n) {
    VEC(expr) args = {0};
    for (uint32_t i = 0; i < s->nargs; i++) vec_push(&args, expr_subst(m, s->args[i], vars, with, n));
    const stmt *built = model_assign(m, s->target, args.data, args.len,
                                     s->value.id ? expr_subst(m, s->value, vars, with, n) : s->value, s->at);
    vec_free(&args);
    return built;
}

const stmt *stmt_subst(model *m, const stmt *s, const var *vars, const expr *with, uint32_t n) {
    if (!s || n == 0) return s;
    if (s->kind == S_ASSIGN) return subst_assign(m, s, vars, with, n);
    stmt_list body = subst_list(m, s->body, s->nbody, vars, with, n);
    stmt_list orelse = subst_list(m, s->orelse, s->norelse, vars, with, n);
    expr cond = s->cond.id ? expr_subst(m, s->cond, vars, with, n) : s->cond;
    const stmt *built;
    if (s->kind == S_IF) built = model_if(m, cond, body.data, body.len, orelse.data, orelse.len, s->at);
    else if (s->kind == S_FORALL)
        built = model_forall(m, s->vars, s->nvars, cond, body.data, body.len, s->at);
    else built = model_block(m, s->kind, body.data, body.len, s->at);
    vec_free(&body);
    vec_free(&orelse);
    return built;
}

static void add_parallel(stmt_list *out, const stmt *s) {
    for (uint32_t i = 0; i < s->nbody; i++) vec_push(out, s->body[i]);
}

const stmt *stmt_both(model *m, const stmt *s1, const stmt *s2) {
    if (!s1) return s2;
    if (!s2) return s1;
    if (s1->kind != S_PAR || s2->kind != S_PAR)
        return model_block(m, S_SEQ, (const stmt *[]){s1, s2}, 2, s1->at);
    stmt_list body = {0};
    add_parallel(&body, s1);
    add_parallel(&body, s2);
    const stmt *both = model_block(m, S_PAR, body.data, body.len, s1->at);
    vec_free(&body);
    return both;
}

bool stmt_writes(const stmt *s, func f) {
    if (!s) return false;
    if (s->kind == S_ASSIGN) return s->target.id == f.id;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (stmt_writes(s->body[i], f)) return true;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (stmt_writes(s->orelse[i], f)) return true;
    return false;
}
