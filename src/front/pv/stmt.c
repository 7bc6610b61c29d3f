// SPDX-License-Identifier: Apache-2.0
// Statements into the model. A body becomes one parallel assignment. A proc is a macro: its statements are
// lowered again at every call, with its parameters standing for the arguments. `clear` and `_` become
// assignments under a `forall`. Invariant checked here: every variable of a `forall` is an argument of
// each target below it, so no two bindings write one cell.
#include "front/pv/internal.h"

static void lower_stmts(pv_context *c, pv_stmts list, stmt_list *out);

// ---- targets

static bool not_assignable(pv_context *c, const pv_expr *e, const char *why) {
    return diag_error(c->f->messages, e->name_at, "'%s' %s and cannot be assigned", e->name, why);
}

static bool find_target(pv_context *c, const pv_expr *e, func *out) {
    if (pv_expr_find_bound(c, e)) return not_assignable(c, e, "is a parameter or bound variable");
    pv_symbol *s = pv_names_called(c, e);
    if (!s) pv_names_unknown_target(c, e);
    if (!s || s->state == PV_WRONG) return false;
    switch (s->kind) {
    case SYM_FUNC: break;
    case SYM_DEF: return not_assignable(c, e, "is a definition");
    case SYM_PROC: return not_assignable(c, e, "is a proc");
    case SYM_LITERAL: return not_assignable(c, e, "is a value of an enum");
    default: return not_assignable(c, e, "is a constant");
    }
    *out = s->f;
    return !func_of(c->f->m, s->f)->is_rigid || not_assignable(c, e, "is a constant");
}

typedef struct {
    func f;
    expr *args;
    var *holes;  // the variables behind `_`
    uint32_t nholes;
} place;

static bool has_arguments(pv_context *c, const pv_expr *e, uint32_t n) {
    if (e->nargs > 0 || n == 0) return true;
    return diag_error(c->f->messages, e->at, "'%s' needs %u argument%s; '_' stands for every element", e->name, n,
                      n == 1 ? "" : "s");
}

static bool pv_stmt_lower_place(pv_context *c, const pv_expr *e, place *out) {
    if (!find_target(c, e, &out->f)) return false;
    const func_info info = *func_of(c->f->m, out->f);
    if (!has_arguments(c, e, info.nargs)) return false;
    out->args = arena_alloc(c->f->memory, (info.nargs + 1) * sizeof *out->args);
    out->holes = arena_alloc(c->f->memory, (info.nargs + 1) * sizeof *out->holes);
    for (uint32_t i = 0; i < e->nargs && i < info.nargs; i++)
        if (e->args[i]->kind == PE_HOLE) e = pv_expr_fill(c, e, i, info.args[i], &out->holes[out->nholes++]);
    return pv_expr_args(c, e, info.args, info.nargs, out->args);
}

static bool pv_stmt_is_argument(const pv_context *c, const place *p, var v) {
    for (uint32_t i = 0; i < func_of(c->f->m, p->f)->nargs; i++)
        if (expr_same(p->args[i], expr_var(c->f->m, v))) return true;
    return false;
}

static void say_expansions(const pv_context *c) {
    for (uint32_t i = c->calls.len; i-- > 0;)
        diag_note(c->f->messages, c->calls.data[i].at, "in this call of proc '%s'", c->calls.data[i].name);
}

static bool check_loops(pv_context *c, const place *p, span at) {
    for (uint32_t i = 0; i < c->loops.len; i++) {
        if (pv_stmt_is_argument(c, p, c->loops.data[i])) continue;
        const char *name = var_of(c->f->m, c->loops.data[i])->name, *target = func_of(c->f->m, p->f)->name;
        diag_error(c->f->messages, at, "every '%s' would write the same cell: make '%s' an argument of '%s'", name,
                   name, target);
        say_expansions(c);
        return false;
    }
    return true;
}

static void add_assign(pv_context *c, const place *p, expr written, span at, stmt_list *out) {
    model *m = c->f->m;
    const stmt *s = model_assign(m, p->f, p->args, func_of(m, p->f)->nargs, written, at);
    if (p->nholes) s = model_forall(m, p->holes, p->nholes, (expr){0}, &s, 1, at);
    vec_push(out, s);
}

static void pv_stmt_lower_assign(pv_context *c, const pv_stmt *s, stmt_list *out) {
    place p = {0};
    bool good = pv_stmt_lower_place(c, s->target, &p);
    if (!p.f.id) return;
    type result = func_of(c->f->m, p.f)->result;
    expr v = pv_expr_lower(c, s->value, result);
    const char *what = arena_printf(c->f->memory, "the value of '%s'", s->target->name);
    if (!pv_type_check(c, v, result, s->value->at, what) || !good) return;
    if (check_loops(c, &p, s->target->at)) add_assign(c, &p, v, s->at, out);
}

static void lower_clear(pv_context *c, const pv_stmt *s, stmt_list *out) {
    place p = {0};
    if (!pv_stmt_lower_place(c, s->target, &p)) return;
    const func_info *info = func_of(c->f->m, p.f);
    const type_info *result = type_of(c->f->m, info->result);
    if (info->starts_any || (result->kind == TYPE_SORT && !result->is_ordered)) {
        diag_error(c->f->messages, s->at, "'%s' has no initial value to go back to", info->name);
        diag_note(c->f->messages, info->at, "it is declared here");
        return;
    }
    type ty = result->kind == TYPE_RANGE ? model_range(c->f->m, info->initial, info->initial, s->at) : info->result;
    expr v = expr_const(c->f->m, ty, info->initial);
    if (check_loops(c, &p, s->target->at)) add_assign(c, &p, v, s->at, out);
}

// ---- blocks

static void pv_stmt_lower_if(pv_context *c, const pv_stmt *s, stmt_list *out) {
    expr cond = pv_expr_condition(c, s->cond);
    stmt_list then = {0}, orelse = {0};
    lower_stmts(c, s->body, &then);
    lower_stmts(c, s->orelse, &orelse);
    if (cond.id) vec_push(out, model_if(c->f->m, cond, then.data, then.len, orelse.data, orelse.len, s->at));
    vec_free(&then);
    vec_free(&orelse);
}

static void lower_forall(pv_context *c, const pv_stmt *s, stmt_list *out) {
    uint32_t n = s->binders.len;
    var *vars = arena_alloc(c->f->memory, (n + 1) * sizeof *vars);
    bool good = pv_expr_bind(c, s->binders, vars);
    for (uint32_t i = 0; i < n; i++) vec_push(&c->loops, vars[i]);
    expr cond = {0};
    if (s->cond) good &= (cond = pv_expr_condition(c, s->cond)).id != 0;
    stmt_list body = {0};
    if (good) lower_stmts(c, s->body, &body);
    c->loops.len -= n;
    pv_expr_unbind(c, n);
    if (good) vec_push(out, model_forall(c->f->m, vars, n, cond, body.data, body.len, s->at));
    vec_free(&body);
}

// ---- procs

// An argument that is used again and again must not explode.
static bool lower_arguments(pv_context *c, const pv_expr *call, const pv_symbol *proc, expr *args) {
    const pv_decl *d = proc->decl;
    pv_context home = {.f = c->f, .scope = proc->home};
    type *types = arena_alloc(c->f->memory, (d->params.len + 1) * sizeof *types);
    bool good = true;
    for (uint32_t i = 0; i < d->params.len; i++)
        good &= (types[i] = pv_type_lower(&home, d->params.data[i].ty)).id != 0;
    pv_context_free(&home);
    if (!good || !pv_expr_args(c, call, types, d->params.len, args)) return false;
    if (!pv_expr_args_inside(c, call, types, args)) return false;
    for (uint32_t i = 0; i < d->params.len; i++) {
        if (expr_of(c->f->m, args[i])->tree <= PV_LARGEST_ARGUMENT) continue;
        return diag_error(c->f->messages, call->args[i]->at, "this argument of a proc is too large");
    }
    return true;
}

static void pv_stmt_expand(pv_context *c, const pv_decl *d, const expr *args, const pv_expr *call, stmt_list *out) {
    uint32_t visible = c->visible, before = c->locals.len;
    for (uint32_t i = 0; i < d->params.len; i++)
        vec_push(&c->locals,
                 (pv_local){d->params.data[i].name, d->params.data[i].at, expr_type(c->f->m, args[i]), args[i]});
    const char *prefix = c->prefix;
    c->visible = before;
    c->prefix = d->prefix;
    vec_push(&c->calls, (pv_expansion){call->at, d->name});
    lower_stmts(c, d->body, out);
    c->calls.len--;
    c->visible = visible;
    c->prefix = prefix;
    c->locals.len = before;
}

static void unknown_call(pv_context *c, const pv_stmt *s, const pv_symbol *found) {
    if (!found) pv_names_unknown_proc(c, s->target);
    else
        diag_error(c->f->messages, s->at, "'%s' is not a proc: a statement assigns with ':=', or calls a proc",
                   s->target->name);
}

static void lower_proc_call(pv_context *c, const pv_stmt *s, stmt_list *out) {
    pv_symbol *p = pv_expr_find_bound(c, s->target) ? NULL : pv_names_called(c, s->target);
    if (!p || p->kind != SYM_PROC) {
        if (!p || p->state != PV_WRONG) unknown_call(c, s, p);
        return;
    }
    if (p->state == PV_BUSY) {
        diag_error(c->f->messages, s->at, "proc '%s' calls itself: procs cannot be recursive", p->name);
        return;
    }
    expr *args = arena_alloc(c->f->memory, (p->decl->params.len + 1) * sizeof *args);
    if (p->state == PV_WRONG || !lower_arguments(c, s->target, p, args)) return;
    p->state = PV_BUSY;
    pv_stmt_expand(c, p->decl, args, s->target, out);
    p->state = PV_DONE;
}

static void pv_stmt_lower_stmt(pv_context *c, const pv_stmt *s, stmt_list *out) {
    switch (s->kind) {
    case PS_ASSIGN: pv_stmt_lower_assign(c, s, out); break;
    case PS_CLEAR: lower_clear(c, s, out); break;
    case PS_IF: pv_stmt_lower_if(c, s, out); break;
    case PS_FORALL: lower_forall(c, s, out); break;
    case PS_CALL: lower_proc_call(c, s, out); break;
    }
}

static void lower_stmts(pv_context *c, pv_stmts list, stmt_list *out) {
    for (uint32_t i = 0; i < list.len; i++) {
        if (c->f->nstatements >= PV_MOST_STATEMENTS) {
            if (c->f->nstatements++ == PV_MOST_STATEMENTS)
                diag_error(c->f->messages, list.data[i]->at, "the procs expand to more than %d statements",
                           PV_MOST_STATEMENTS);
            return;
        }
        if (!pv_expr_enter(c, list.data[i]->at)) return;
        c->f->nstatements++;
        pv_stmt_lower_stmt(c, list.data[i], out);
        c->f->chain--;
    }
}

const stmt *pv_stmt_body(pv_context *c, pv_stmts body, span at) {
    stmt_list list = {0};
    lower_stmts(c, body, &list);
    const stmt *s = list.len ? model_block(c->f->m, S_PAR, list.data, list.len, at) : NULL;
    vec_free(&list);
    return s;
}

// Procs that nobody calls are checked too, over parameters of their own.
static void check_proc(pv_front *f, pv_symbol *s) {
    pv_context c = {.f = f, .scope = s->home, .prefix = s->decl->prefix};
    var *params = arena_alloc(f->memory, (s->decl->params.len + 1) * sizeof *params);
    if (pv_expr_bind(&c, s->decl->params, params)) {
        s->state = PV_BUSY;
        pv_stmt_body(&c, s->decl->body, s->at);
        s->state = PV_DONE;
    } else {
        s->state = PV_WRONG;
    }
    pv_context_free(&c);
}

void pv_stmt_check_procs(pv_front *f) {
    for (uint32_t i = 1; i < f->symbols.len; i++)
        if (f->symbols.data[i].kind == SYM_PROC) check_proc(f, &f->symbols.data[i]);
}
