// SPDX-License-Identifier: Apache-2.0
// Symbolic execution of a body into one expression per function: see update.h.
//
// An assignment f(a1..ak) := e under bindings B and path condition c turns the value of f at y1..yk into
//   if c & y1 = a1 & … & yk = ak then e else (what it was)
// where a bound variable that is argument i is replaced by yi: the front ends make sure that each one is an argument,
// so no quantifier is needed. Everything read is first put in terms of the state before the body (of a parallel
// statement: before that statement).
#include "model/update.h"

#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"

#include <string.h>

typedef struct {
    model *m;
    const update_list *reads;  // what functions are worth when they are read
    update_list *writes;
    VEC(var) bound;  // variables of enclosing loops
    expr path;       // condition of enclosing statements
    bool ok;
} executor;

const update *update_find(const update_list *l, func f) {
    for (uint32_t i = 0; i < l->len; i++)
        if (l->data[i].target.id == f.id) return &l->data[i];
    return NULL;
}

static expr apply_visit(model *m, expr e, void *context) {
    const expr_info *x = expr_of(m, e);
    if (x->kind != E_APP) return e;
    const update *u = update_find(context, (func){x->ref});
    return u ? expr_subst(m, u->value, u->formals, x->args, x->nargs) : e;
}

expr update_apply(model *m, const update_list *updates, expr e) {
    e = expr_inline(m, e);
    return updates->len ? expr_rewrite(m, e, apply_visit, (void *)updates) : e;
}

static update update_unchanged(model *m, func f) {
    func_info info = *func_of(m, f);
    var *formals = arena_alloc(m->memory, (info.nargs + 1) * sizeof *formals);
    expr *args = arena_alloc(m->memory, (info.nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < info.nargs; i++) {
        formals[i] = model_add_var(m, "y", info.args[i], info.at);
        args[i] = expr_var(m, formals[i]);
    }
    return (update){f, formals, expr_app(m, f, args)};
}

static update *write_to(executor *x, func f) {
    if (!update_find(x->writes, f)) vec_push(x->writes, update_unchanged(x->m, f));
    return (update *)update_find(x->writes, f);
}

static bool is_variable(const model *m, expr e, var v) {
    const expr_info *info = expr_of(m, e);
    return info->kind == E_VAR && info->ref == v.id;
}

// Which formal stands for each bound variable.
static bool match_bound(executor *x, const stmt *s, const update *u, expr *with) {
    for (uint32_t b = 0; b < x->bound.len; b++) {
        uint32_t i = 0;
        while (i < s->nargs && !is_variable(x->m, s->args[i], x->bound.data[b])) i++;
        if (i == s->nargs) {
            diag_error(x->m->messages, s->at, "'%s' of the enclosing loop is not an argument of the assigned '%s'",
                       var_of(x->m, x->bound.data[b])->name, func_of(x->m, s->target)->name);
            return false;
        }
        with[b] = expr_var(x->m, u->formals[i]);
    }
    return true;
}

static void update_assign(executor *x, const stmt *s) {
    model *m = x->m;
    if (!s->value.id) {
        diag_error(m->messages, s->at, "undefined values cannot be used in a proof");
        x->ok = false;
        return;
    }
    update *u = write_to(x, s->target);
    VEC(expr) with = {0};
    vec_reserve(&with, x->bound.len + 1);
    if (!match_bound(x, s, u, with.data)) {
        x->ok = false;
        vec_free(&with);
        return;
    }
    expr here = expr_subst(m, x->path, x->bound.data, with.data, x->bound.len);
    for (uint32_t i = 0; i < s->nargs; i++) {
        expr arg = expr_subst(m, update_apply(m, x->reads, s->args[i]), x->bound.data, with.data, x->bound.len);
        here = expr_and(m, here, expr_eq(m, expr_var(m, u->formals[i]), arg));
    }
    expr written = expr_subst(m, update_apply(m, x->reads, s->value), x->bound.data, with.data, x->bound.len);
    u->value = expr_ite(m, here, written, u->value);
    vec_free(&with);
}

static void execute(executor *x, const stmt *s);

static void execute_all(executor *x, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n && x->ok; i++) execute(x, body[i]);
}

static void execute_if(executor *x, const stmt *s) {
    expr cond = update_apply(x->m, x->reads, s->cond), path = x->path;
    x->path = expr_and(x->m, path, cond);
    execute_all(x, s->body, s->nbody);
    x->path = expr_and(x->m, path, expr_not(x->m, cond));
    execute_all(x, s->orelse, s->norelse);
    x->path = path;
}

// Every read of a parallel statement sees `reads` as they are when it begins.
static void execute_parallel(executor *x, const stmt *s) {
    update_list before = {0};
    for (uint32_t i = 0; i < x->reads->len; i++) vec_push(&before, x->reads->data[i]);
    const update_list *reads = x->reads;
    x->reads = &before;
    execute_all(x, s->body, s->nbody);
    x->reads = reads;
    vec_free(&before);
}

static bool update_reads_written(const model *m, const stmt *loop) {
    walk w = walk_stmt(m, loop, WALK_CALLS);
    while (walk_next(&w))
        if (w.x && w.x->kind == E_APP && stmt_writes(loop, (func){w.x->ref})) return walk_found(&w);
    return false;
}

// In a sequence, rounds of a loop may be taken all at once only if none reads or writes what another writes.
static bool rounds_depend(executor *x, const stmt *s) {
    if (x->reads != x->writes) return false;
    bool depend = stmt_rounds_meet(x->m, s) || update_reads_written(x->m, s);
    if (depend) diag_error(x->m->messages, s->at, "the rounds of this loop depend on each other");
    return depend;
}

static void execute_forall(executor *x, const stmt *s) {
    if (rounds_depend(x, s)) {
        x->ok = false;
        return;
    }
    expr path = x->path;
    for (uint32_t i = 0; i < s->nvars; i++) vec_push(&x->bound, s->vars[i]);
    if (s->cond.id) x->path = expr_and(x->m, path, update_apply(x->m, x->reads, s->cond));
    execute_all(x, s->body, s->nbody);
    x->bound.len -= s->nvars;
    x->path = path;
}

static void execute(executor *x, const stmt *s) {
    switch (s->kind) {
    case S_ASSIGN: update_assign(x, s); return;
    case S_IF: execute_if(x, s); return;
    case S_FORALL: execute_forall(x, s); return;
    case S_PAR: execute_parallel(x, s); return;
    case S_SEQ: execute_all(x, s->body, s->nbody); return;
    case S_WHILE:
    case S_ASSUME:
    case S_FAIL:
        diag_error(x->m->messages, s->at, "this statement cannot be used in a proof");
        x->ok = false;
        return;
    }
}

bool update_of(model *m, const stmt *body, update_list *out) {
    if (!body) return true;
    executor x = {.m = m, .reads = out, .writes = out, .path = m->true_expr, .ok = true};
    execute(&x, body);
    vec_free(&x.bound);
    return x.ok;
}
