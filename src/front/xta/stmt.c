// SPDX-License-Identifier: Apache-2.0
// Updates and functions of UPPAAL's languages: functions are inlined at their calls.
//
// A function that writes no state is executed symbolically: its locals hold expressions, both sides of an
// `if` are merged, and the call is an expression. Any other one becomes statements where it is called. There,
// a local holds a value only while that is a constant; before a branch that may change it, it becomes a
// scratch function. `return` sets the hidden local `returned`; statements after a possible return run only
// where it is false.
#include "front/xta/internal.h"

#include "model/stmt.h"
#include "model/update.h"
#include "model/walk.h"

#include <string.h>

enum { MOST_ROUNDS = 4096, DEEPEST_CALL = 500, DEEPEST_LOOP = 64, MOST_INLINED = 100000, MOST_VALUES = 1 << 16 };
// Expressions of an edge, invariant or query up to which loops are unrolled, in a condition and at all.
enum { MOST_MERGED = 1 << 14, MOST_GROWN = 1 << 18 };

// ---- locals

xlocal *xlocal_new(xlower *w, const char *name, const xtype *ty, expr value_now) {
    xlocal *l = arena_alloc(w->file->memory, sizeof *l);
    *l = (xlocal){.name = name, .ty = ty, .value = value_now};
    vec_push(&w->locals, l);
    return l;
}

expr xlocal_get(xlower *w, const xlocal *l) {
    if (l->scratch) return expr_app(w->m, l->scratch->f, NULL);
    return l->value.id ? l->value : xdefault(w, l->ty);
}

static expr converted(xlower *w, const xtype *ty, expr e) {
    return ty->kind == Y_BOOL ? xas_bool(w, e) : xas_number(w, e);
}

static void xta_emit(xlower *w, const stmt *s) {
    if (!w->failed && w->out) vec_push(w->out, s);
}

// Numbered within each process, so that the same local of two processes has names that differ in the process only.
static const char *scratch_name(xlower *w, const char *name) {
    uint32_t number = w->process ? w->process->nscratch++ : w->nscratch++;
    return arena_printf(w->file->memory, "%s'%u", name, number);
}

static void make_scratch(xlower *w, xlocal *l, span at) {
    l->scratch = xstore_new(w, l->ty, w->process, scratch_name(w, l->name), at, true);
}

static void materialise(xlower *w, xlocal *l, span at) {
    if (l->scratch || !w->out) return;
    expr now = xlocal_get(w, l);
    make_scratch(w, l, at);
    xta_emit(w, model_assign(w->m, l->scratch->f, NULL, 0, now, at));
}

static bool xta_fits(xlower *w, const xtype *ty, expr e) {
    value v;
    return expr_is_const(w->m, e, &v) && (ty->kind == Y_BOOL || (v >= ty->lo && v <= ty->hi));
}

void xlocal_set(xlower *w, xlocal *l, expr e, span at) {
    if (w->failed) return;
    e = converted(w, l->ty, e);
    if (expr_too_deep(w->m, e)) xfail(w, at, FRONT_TOO_DEEP, EXPR_DEEPEST);
    if (!l->scratch && (!w->out || xta_fits(w, l->ty, e))) {
        l->value = xin_range(w, l->ty, e, at);
        return;
    }
    if (!l->scratch) make_scratch(w, l, at);
    if (!w->failed) xta_emit(w, model_assign(w->m, l->scratch->f, NULL, 0, e, at));
}

// ---- what a piece of text writes

typedef struct {
    xlower *w;
    const xscope *scope;  // where functions are looked up
    bool has_lent;        // what calls get by reference counts too
    VEC(const char *) names;
    bool writes, calls_writer;  // here; in a function that is called
} written;

static const char *root_name(const xta_ast *a) {
    while (a->kind == X_INDEX || a->kind == X_FIELD) a = a->args[0];
    return a->kind == X_NAME ? a->name : NULL;
}

static bool writes_state(xlower *w, xsym *f);

static void written_in_call(const xta_ast *a, written *x) {
    xsym *f = a->of ? NULL : xscope_find(x->w, x->scope, a->name);
    if (f && f->kind != SYM_FUNC) f = NULL;
    x->calls_writer |= f && writes_state(x->w, f);
    for (uint32_t i = 0; x->has_lent && i < a->nargs; i++) {
        bool is_lent = a->of || (f && i < f->function->nparams && f->function->params[i].is_ref);
        if (is_lent && root_name(a->args[i])) vec_push(&x->names, root_name(a->args[i]));
    }
}

static void written_in_expr(const xta_ast *a, written *x) {
    if (!a) return;
    bool writes = a->kind == X_ASSIGN || a->kind == X_STEP;
    if (writes && root_name(a->args[0])) vec_push(&x->names, root_name(a->args[0]));
    x->writes |= writes;
    if (a->kind == X_CALL) written_in_call(a, x);
    for (uint32_t i = 0; i < a->nargs; i++) written_in_expr(a->args[i], x);
}

static void written_in_stmt(const xta_stmt *s, written *x) {
    for (uint32_t i = 0; i < s->ndecls; i++) written_in_expr(s->decls[i].init, x);
    written_in_expr(s->expr, x);
    written_in_expr(s->init, x);
    written_in_expr(s->step, x);
    for (uint32_t i = 0; i < s->nbody; i++) written_in_stmt(s->body[i], x);
}

bool xhas_effect(xlower *w, const xta_ast *a) {
    written x = {.w = w, .scope = w->scope};
    written_in_expr(a, &x);
    vec_free(&x.names);
    return x.writes || x.calls_writer;
}

// Before a branch that may or may not run: what it writes can hold constants no longer.
static void prepare_branch(xlower *w, const xta_stmt *s) {
    written x = {.w = w, .scope = w->scope, .has_lent = true};
    written_in_stmt(s, &x);
    for (uint32_t i = 0; i < x.names.len; i++) {
        const xsym *sym = xscope_find(w, w->scope, x.names.data[i]);
        if (sym && sym->kind == SYM_PLACE && sym->place.kind == P_LOCAL) materialise(w, sym->place.local, s->at);
    }
    if (s->returns && w->call) {
        materialise(w, w->call->returned, s->at);
        if (w->call->result.kind == P_LOCAL) materialise(w, w->call->result.local, s->at);
    }
    vec_free(&x.names);
}

static void declared_in(const xta_stmt *s, map *out) {
    for (uint32_t i = 0; i < s->ndecls; i++) map_put_str(out, s->decls[i].name, 1);
    for (uint32_t i = 0; i < s->nbody; i++) declared_in(s->body[i], out);
}

static bool writes_outside(xlower *w, const xsym *f) {
    const xta_decl *d = f->function;
    written x = {.w = w, .scope = f->defined_in};
    map *own = map_new();
    for (uint32_t i = 0; i < d->nparams; i++)
        if (!d->params[i].is_ref) map_put_str(own, d->params[i].name, 1);
    declared_in(d->body, own);
    written_in_stmt(d->body, &x);
    bool found = x.calls_writer;
    for (uint32_t i = 0; i < x.names.len && !found; i++) found = !map_get_str(own, x.names.data[i], 0);
    vec_free(&x.names);
    map_free(own);
    return found;
}

// Of functions that call one another in a circle this is true; such a call is refused where it is met.
static bool writes_state(xlower *w, xsym *f) {
    if (f->writes == WRITES_UNKNOWN) {
        f->writes = WRITES_ASKED;
        f->writes = writes_outside(w, f) ? WRITES_YES : WRITES_NO;
    }
    return f->writes != WRITES_NO;
}

static void find_written(xlower *w, const xprocess *p) {
    xta_template *t = p->templ;
    written x = {.w = w, .scope = p->scope, .has_lent = true};
    for (uint32_t i = 0; i < t->ndecls; i++)
        if (t->decls[i].kind == XD_FUNC) written_in_stmt(t->decls[i].body, &x);
    for (uint32_t i = 0; i < t->edges.len; i++)
        for (uint32_t k = 0; k < t->edges.data[i].nupdates; k++) written_in_expr(t->edges.data[i].updates[k], &x);
    t->written = map_new();
    for (uint32_t i = 0; i < x.names.len; i++) map_put_str(t->written, x.names.data[i], 1);
    vec_free(&x.names);
}

bool xwrites_param(xlower *w, const xprocess *p, const char *param) {
    if (!p->templ->written) find_written(w, p);
    return map_get_str(p->templ->written, param, 0);
}

// ---- assignments

static bool has_loop(const model *m, const stmt *s) {
    walk at = walk_stmt(m, s, 0);
    while (walk_next(&at))
        if (at.s && at.s->kind == S_WHILE) return walk_found(&at);
    return false;
}

expr xbefore(xlower *w, expr e, const stmt_list *done, span at) {
    if (w->failed || !xreads_written(w, e, done)) return e;
    const stmt *body = model_block(w->m, S_SEQ, done->data, done->len, at);
    update_list updates = {0};
    if (has_loop(w->m, body))
        xfail(w, at, "a clock set to a value that a loop of the same step computes is not supported");
    else if (!update_of(w->m, body, &updates)) w->failed = true;
    if (!w->failed) e = update_apply(w->m, &updates, e);
    vec_free(&updates);
    return e;
}

// All statements of the step so far on the way to here, outermost first.
static void done_before(const xpath *p, const stmt_list *now, stmt_list *out) {
    if (p) done_before(p->outer, p->before, out);
    for (uint32_t i = 0; i < now->len; i++) vec_push(out, now->data[i]);
}

static expr before_step(xlower *w, const xpath *p, const stmt_list *now, expr e, span at) {
    stmt_list done = {0};
    done_before(p, now, &done);
    e = xbefore(w, e, &done, at);
    vec_free(&done);
    return e;
}

// When the branches lead here, over the state before the step.
static expr path_condition(xlower *w, const xpath *p, span at) {
    expr all = w->m->true_expr;
    for (; p && !w->failed; p = p->outer) {
        if (p->is_loop) xfail(w, at, "a clock cannot be set in a loop whose number of rounds is not known beforehand");
        else all = expr_and(w->m, before_step(w, p->outer, p->before, p->cond, at), all);
    }
    return all;
}

static void reset_clock(xlower *w, const xplace *to, expr e, span at) {
    int64_t lo, hi;
    e = xas_number(w, e);
    expr_bounds(w->m, e, &lo, &hi);
    if (!w->resets) xfail(w, at, "a clock can only be set by an edge");
    else if (hi < 0) xfail(w, at, "a clock cannot be negative");
    expr path = path_condition(w, w->path, at);
    for (uint32_t i = 0; !w->failed && i < xclock_candidates(to); i++) {
        expr when;
        uint32_t clock = xclock_number(w, to, i, &when);
        if (!clock) continue;
        when = expr_and(w->m, path, before_step(w, w->path, w->out, when, at));
        if (expr_is_true(w->m, when)) when = (expr){0};
        vec_push(w->resets, (clock_reset){clock, before_step(w, w->path, w->out, e, at), when, at});
    }
}

void xwrite_place(xlower *w, const xplace *to, expr e, span at) {
    if (w->failed) return;
    if (to->ty->kind == Y_CLOCK && to->kind == P_STORE) reset_clock(w, to, e, at);
    else if (!xtype_is_scalar(to->ty) || to->kind == P_CONST || to->kind == P_VALUE || to->is_const)
        xfail(w, at, "this cannot be assigned to");
    else if (to->kind == P_LOCAL) xwrite_local(w, to, e, at);
    else if (!w->out) xfail(w, at, "a variable cannot be changed here");
    else xta_emit(w, model_assign(w->m, to->store->f, to->index, to->nindex, converted(w, to->ty, e), at));
}

// A place whose indices stay what they are now.
static xplace fixed_place(xlower *w, xplace p, span at) {
    value v;
    for (uint32_t i = 0; w->out && i < p.nindex && !w->failed; i++) {
        if (expr_is_const(w->m, p.index[i], &v)) continue;
        xlocal *l = xlocal_new(w, "index", xtype_of_expr(w, p.index[i]), (expr){0});
        xlocal_set(w, l, p.index[i], at);
        p.index[i] = xlocal_get(w, l);
    }
    return p;
}

// What a floating-point number is set to is not followed; what else the expression does is.
static void leave_out(xlower *w, const xtype *ty, const xta_ast *from, span at) {
    xta_warn_once(w->file, ty->is_cost ? LEFT_COSTS : LEFT_DOUBLES, at);
    if (!xhas_effect(w, from)) return;
    if (from->kind == X_CALL) xcall_value(w, from);
    else xfail(w, from->at, XTA_NO_DOUBLE);
}

// Copying part by part must not change which parts are meant.
void xassign(xlower *w, const xplace *to, const xta_ast *from, span at) {
    if (w->failed) return;
    if (to->ty->kind == Y_DOUBLE) {
        leave_out(w, to->ty, from, at);
        return;
    }
    if (!xtype_is_structured(to->ty)) {
        xwrite_place(w, to, xexpr(w, from), at);
        return;
    }
    xplace p = xvalue(w, from);
    if (w->failed) return;
    xplace target = fixed_place(w, *to, at), source = fixed_place(w, p, at);
    xcopy(w, &target, &source, at);
}

static void xta_lower_assign(xlower *w, const xta_ast *a) {
    if (a->args[1]->kind == X_ASSIGN) xupdate(w, a->args[1]);
    const xta_ast *from = a->args[1]->kind == X_ASSIGN ? a->args[1]->args[0] : a->args[1];
    if (a->op == OP_NONE) {
        xplace to = xplace_of(w, a->args[0]);
        xassign(w, &to, from, a->at);
        return;
    }
    const xtype *ty = xtype_of_value(w, a->args[0]);
    if (ty && ty->kind == Y_DOUBLE) {
        leave_out(w, ty, from, a->at);
        return;
    }
    expr y = xexpr(w, from);
    xplace to = xplace_of(w, a->args[0]);
    expr x = xread(w, &to, a->at);
    if (!w->failed) xwrite_place(w, &to, xbinary(w, a->op, x, y, a->at), a->at);
}

static void xta_lower_step(xlower *w, const xta_ast *a) {
    xplace to = xplace_of(w, a->args[0]);
    if (!w->failed && to.ty->kind == Y_DOUBLE) return;
    expr x = xread(w, &to, a->at);
    if (!w->failed) xwrite_place(w, &to, xbinary(w, a->op, x, xint(w, 1), a->at), a->at);
}

void xupdate(xlower *w, const xta_ast *a) {
    if (w->failed) return;
    if (a->kind == X_ASSIGN) xta_lower_assign(w, a);
    else if (a->kind == X_STEP) xta_lower_step(w, a);
    else if (a->kind == X_LIST) {
        for (uint32_t i = 0; i < a->nargs; i++) xupdate(w, a->args[i]);
    } else if (a->kind == X_CALL) xcall_value(w, a);
    else xexpr(w, a);
}

// ---- statements

static void xta_run(xlower *w, const xta_stmt *s);
static void xta_run_if(xlower *w, expr c, const xta_stmt *then, const xta_stmt *otherwise);
static void merge_if(xlower *w, expr c, const xta_stmt *then, const xta_stmt *otherwise, bool is_rest);

static expr going_on(xlower *w) {
    return w->call ? expr_not(w->m, xas_bool(w, xlocal_get(w, w->call->returned))) : w->m->true_expr;
}

static void run_in_order(xlower *w, xta_stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n && !w->failed; i++) {
        expr on = going_on(w);
        if (expr_is_false(w->m, on)) return;
        if (expr_is_true(w->m, on)) xta_run(w, body[i]);
        else if (w->out) xta_run_if(w, on, body[i], NULL);
        else merge_if(w, on, body[i], NULL, true);
    }
}

// A variable of a structured type, for the length of a step.
static xplace scratch_place(xlower *w, const char *name, const xtype *ty, span at) {
    return (xplace){.kind = P_STORE, .ty = ty, .store = xstore_new(w, ty, w->process, scratch_name(w, name), at, true)};
}

// The same for a function that is executed symbolically: a local a leaf.
static xlocal *local_tree(xlower *w, const char *name, const xtype *ty) {
    if (xtype_is_scalar(ty)) return xlocal_new(w, name, ty, xdefault(w, ty));
    if (ty->kind == Y_DOUBLE) return arena_copy(w->file->memory, &(xlocal){.name = name, .ty = ty}, sizeof(xlocal));
    xlocal *l = arena_alloc(w->file->memory, sizeof *l);
    *l = (xlocal){.name = name, .ty = ty};
    l->nkids = ty->kind == Y_STRUCT ? ty->nmembers : (uint32_t)(ty->hi - ty->lo + 1);
    l->kids = arena_alloc(w->file->memory, (l->nkids + 1) * sizeof *l->kids);
    for (uint32_t i = 0; i < l->nkids; i++)
        l->kids[i] = local_tree(w, name, ty->kind == Y_STRUCT ? ty->members[i] : ty->element);
    return l;
}

static xplace structured_local(xlower *w, const char *name, const xtype *ty, span at) {
    if (!xtype_is_valued(ty) || ty->nvalues > MOST_VALUES) {
        xfail(w, at,
              ty->nvalues > MOST_VALUES ? "a value of this type has too many parts" : "this cannot have a value");
        return (xplace){0};
    }
    if (w->out) return scratch_place(w, name, ty, at);
    return (xplace){.kind = P_LOCAL, .ty = ty, .local = local_tree(w, name, ty)};
}

xplace xkept(xlower *w, const xplace *p, span at) {
    xplace copy = structured_local(w, "kept", p->ty, at);
    xcopy(w, &copy, p, at);
    return copy;
}

static void declare_scalar(xlower *w, xscope *s, const xta_decl *d, const xtype *ty) {
    xlocal *l = xlocal_new(w, d->name, ty, xdefault(w, ty));
    if (d->init) xlocal_set(w, l, xexpr(w, d->init), d->at);
    xplace p = {.kind = P_LOCAL, .is_const = d->type->is_const, .ty = ty, .local = l};
    xscope_bind(w, s, d->name, d->at, p);
}

static void declare_structured(xlower *w, xscope *s, const xta_decl *d, const xtype *ty) {
    xplace to = structured_local(w, d->name, ty, d->at);
    if (w->failed) return;
    if (d->init) {
        xinit(w, &to, d->init, d->at);
    } else if (w->out) {  // what a scratch function held in the step before is not there any more
        xplace from = {.kind = P_CONST, .ty = ty, .constant = xconst_of(w, ty, NULL, d->at)};
        xcopy(w, &to, &from, d->at);
    }
    to.is_const = d->type->is_const;
    xscope_bind(w, s, d->name, d->at, to);
}

// No part of it is a variable or a call.
static bool is_of_constants(xlower *w, const xta_ast *a) {
    const xsym *sym = a->kind == X_NAME ? xscope_find(w, w->scope, a->name) : NULL;
    value v;
    if (a->kind == X_CALL) return false;
    if (sym && sym->kind == SYM_PLACE && sym->place.kind != P_CONST &&
        (sym->place.kind != P_VALUE || !sym->place.value.id || !expr_is_const(w->m, sym->place.value, &v)))
        return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!is_of_constants(w, a->args[i])) return false;
    return true;
}

static void xta_declare_local(xlower *w, xscope *s, const xta_decl *d) {
    const xtype *ty = xtype_with_dims(w, xtype_of(w, d->type), d->dims, d->ndims);
    if (w->failed) return;
    if (d->type->is_const && (!d->init || is_of_constants(w, d->init))) {
        xdeclare(w, s, d, 1, NULL);
    } else if (ty->kind == Y_DOUBLE) {
        if (d->init) leave_out(w, ty, d->init, d->at);
        xscope_bind(w, s, d->name, d->at, (xplace){.kind = P_VALUE, .ty = ty});
    } else if (xtype_is_scalar(ty)) {
        declare_scalar(w, s, d, ty);
    } else {
        declare_structured(w, s, d, ty);
    }
}

static void xta_run_block(xlower *w, const xta_stmt *s) {
    const xscope *outer = w->scope;
    xscope *inner = xscope_new(w, outer);
    w->scope = inner;
    for (uint32_t i = 0; i < s->ndecls && !w->failed; i++) {
        if (s->decls[i].kind == XD_VAR) xta_declare_local(w, inner, &s->decls[i]);
        else xdeclare(w, inner, &s->decls[i], 1, NULL);
    }
    run_in_order(w, s->body, s->nbody);
    w->scope = outer;
}

static expr merged(xlower *w, expr c, expr then, expr otherwise) {
    return expr_same(then, otherwise) ? then : expr_ite(w->m, c, then, otherwise);
}

// After `return` nobody reads the call's own locals: they may have any value, so counters stay constants.
static bool is_dead(const xlower *w, uint32_t local) {
    const xlocal *l = w->locals.data[local];
    return w->call && local >= w->call->first_local && !l->is_result;
}

static void note_locals(xlower *w, uint32_t n, expr_list *out) {
    for (uint32_t i = 0; i < n; i++) vec_push(out, xlocal_get(w, w->locals.data[i]));
}

// Symbolic: both sides on copies of the locals, which are then merged. is_rest: `then` is what runs unless the
// call has returned.
static void merge_if(xlower *w, expr c, const xta_stmt *then, const xta_stmt *otherwise, bool is_rest) {
    uint32_t n = w->locals.len;
    expr_list before = {0}, after = {0};
    note_locals(w, n, &before);
    xta_run(w, then);
    note_locals(w, n, &after);
    for (uint32_t i = 0; i < n; i++)
        if (!w->locals.data[i]->scratch) w->locals.data[i]->value = before.data[i];
    if (otherwise) xta_run(w, otherwise);
    for (uint32_t i = 0; i < n && !w->failed; i++) {
        xlocal *l = w->locals.data[i];
        if (l->scratch) continue;
        l->value = is_rest && is_dead(w, i) ? after.data[i] : merged(w, c, after.data[i], xlocal_get(w, l));
    }
    vec_free(&before);
    vec_free(&after);
}

// What `run` makes of s goes into a list of its own: it happens only where the condition holds.
static void run_into(xlower *w, const xta_stmt *s, stmt_list *list, xpath p, void (*run)(xlower *, const xta_stmt *)) {
    stmt_list *outer = w->out;
    p.before = outer;
    p.outer = w->path;
    w->out = list;
    w->path = &p;
    run(w, s);
    w->path = p.outer;
    w->out = outer;
}

static void xta_run_if(xlower *w, expr c, const xta_stmt *then, const xta_stmt *otherwise) {
    if (w->failed) return;
    if (!w->out) {
        merge_if(w, c, then, otherwise, false);
        return;
    }
    prepare_branch(w, then);
    if (otherwise) prepare_branch(w, otherwise);
    stmt_list a = {0}, b = {0};
    run_into(w, then, &a, (xpath){.cond = c}, xta_run);
    if (otherwise) run_into(w, otherwise, &b, (xpath){.cond = expr_not(w->m, c)}, xta_run);
    if (a.len || b.len) xta_emit(w, model_if(w->m, c, a.data, a.len, b.data, b.len, then->at));
    vec_free(&a);
    vec_free(&b);
}

static void run_choice(xlower *w, const xta_stmt *s) {
    expr c = xbool(w, s->expr);
    if (w->failed) return;
    if (expr_is_true(w->m, c)) xta_run(w, s->body[0]);
    else if (!expr_is_false(w->m, c)) xta_run_if(w, c, s->body[0], s->nbody > 1 ? s->body[1] : NULL);
    else if (s->nbody > 1) xta_run(w, s->body[1]);
}

// Does the text write nothing but locals of the call, which nobody reads after its `return`?
static bool writes_dead(xlower *w, const xta_ast *a) {
    written x = {.w = w, .scope = w->scope, .has_lent = true};
    written_in_expr(a, &x);
    bool all = !x.calls_writer;
    for (uint32_t i = 0; i < x.names.len && all; i++) {
        const xsym *sym = xscope_find(w, w->scope, x.names.data[i]);
        all = false;
        for (uint32_t k = 0; sym && sym->place.kind == P_LOCAL && k < w->locals.len && !all; k++)
            all = w->locals.data[k] == sym->place.local && is_dead(w, k);
    }
    vec_free(&x.names);
    return all;
}

// One round of a loop and its step, which is not done after a `return`.
static void xta_run_round(xlower *w, const xta_stmt *s) {
    run_in_order(w, s->body, 1);
    expr on = going_on(w);
    if (!s->step || expr_is_false(w->m, on)) return;
    xta_stmt step = {.kind = XS_EXPR, .at = s->step->at, .expr = s->step};
    if (expr_is_true(w->m, on) || !w->out || writes_dead(w, s->step)) xupdate(w, s->step);
    else xta_run_if(w, on, &step, NULL);
}

static expr loop_goes_on(xlower *w, const xta_stmt *s) {
    return expr_and(w->m, going_on(w), s->expr ? xbool(w, s->expr) : w->m->true_expr);
}

static void emit_while(xlower *w, const xta_stmt *s) {
    if (s->expr && xhas_effect(w, s->expr))
        xfail(w, s->expr->at, "an effect in the condition of a loop without a constant bound is not supported");
    prepare_branch(w, s);
    expr c = loop_goes_on(w, s);
    stmt_list body = {0};
    if (w->failed) return;
    run_into(w, s, &body, (xpath){.cond = c, .is_loop = true}, xta_run_round);
    xta_emit(w, model_while(w->m, c, body.data, body.len, s->at));
    vec_free(&body);
}

static void xta_run_loop(xlower *w, const xta_stmt *s, uint32_t deep);

static uint32_t grown(const xlower *w) { return w->m->exprs.len - w->first_expr; }

// Rounds that are not looked at any more would be needed where c holds: what locals are there is not computed.
static void give_up_where(xlower *w, expr c, span at) {
    for (uint32_t i = 0; i < w->locals.len && !w->failed; i++) {
        xlocal *l = w->locals.data[i];
        if (!l->scratch) l->value = merged(w, c, converted(w, l->ty, xlimit(w, at)), xlocal_get(w, l));
    }
}

// A loop whose condition depends on the state, symbolically: if (c) { round; the loop again }.
static void merge_loop(xlower *w, expr c, const xta_stmt *s, uint32_t deep) {
    if (deep > DEEPEST_LOOP || grown(w) > MOST_MERGED) {
        give_up_where(w, c, s->at);
        return;
    }
    uint32_t n = w->locals.len;
    expr_list before = {0};
    note_locals(w, n, &before);
    xta_run_round(w, s);
    xta_run_loop(w, s, deep + 1);
    for (uint32_t i = 0; i < n && !w->failed; i++) {
        xlocal *l = w->locals.data[i];
        if (!l->scratch) l->value = merged(w, c, xlocal_get(w, l), before.data[i]);
    }
    vec_free(&before);
}

static void xta_run_loop(xlower *w, const xta_stmt *s, uint32_t deep) {
    for (uint32_t round = 0; !w->failed; round++) {
        expr c = loop_goes_on(w, s);
        if (w->failed || expr_is_false(w->m, c)) return;
        if (!expr_is_true(w->m, c)) {
            if (w->out) emit_while(w, s);
            else merge_loop(w, c, s, deep);
            return;
        }
        if (round == MOST_ROUNDS || ++w->unrolled > 100 * MOST_ROUNDS) xfail(w, s->at, "the loop does not end");
        else if (grown(w) > MOST_GROWN) xfail(w, s->at, "what the loop computes is too large an expression");
        else xta_run_round(w, s);
    }
}

static void run_each_value(xlower *w, void *context) {
    const xta_stmt *s = context;
    run_in_order(w, s->body, 1);
}

static void run_return(xlower *w, const xta_stmt *s) {
    if (!w->call) {
        xfail(w, s->at, "'return' outside a function");
        return;
    }
    bool has_result = w->call->result.kind != P_NONE;
    if (s->expr && has_result) xassign(w, &w->call->result, s->expr, s->at);
    else if (s->expr || has_result) xfail(w, s->at, s->expr ? "the function returns nothing" : "a value is expected");
    xlocal_set(w, w->call->returned, w->m->true_expr, s->at);
}

static void xta_run(xlower *w, const xta_stmt *s) {
    if (w->failed) return;
    switch (s->kind) {
    case XS_BLOCK: xta_run_block(w, s); break;
    case XS_EXPR:
        if (s->expr) xupdate(w, s->expr);
        break;
    case XS_IF: run_choice(w, s); break;
    case XS_FOR:
        if (s->init) xupdate(w, s->init);
        xta_run_loop(w, s, 0);
        break;
    case XS_WHILE: xta_run_loop(w, s, 0); break;
    case XS_DO:
        run_in_order(w, s->body, 1);
        xta_run_loop(w, s, 0);
        break;
    case XS_EACH: xfor_values(w, s->name, xtype_of(w, s->type), s->at, run_each_value, (void *)s); break;
    case XS_RETURN: run_return(w, s); break;
    }
}

// ---- calls

static bool writes_param(xlower *w, const xsym *f, const char *name) {
    written x = {.w = w, .scope = f->defined_in, .has_lent = true};
    written_in_stmt(f->function->body, &x);
    bool found = false;
    for (uint32_t i = 0; i < x.names.len; i++) found |= str_same(x.names.data[i], name);
    vec_free(&x.names);
    return found;
}

// An array or struct passed by value. A function that writes may write the argument itself, so it gets a copy; one that
// is executed symbolically can write locals only.
static xplace value_param(xlower *w, const xsym *f, const xta_decl *d, const xtype *ty, const xta_ast *arg) {
    xplace p = xvalue(w, arg);
    if (w->failed) return p;
    bool may_change = w->out ? p.kind == P_STORE : p.kind == P_LOCAL;
    if (!may_change && !writes_param(w, f, d->name)) return p;
    xplace copy = structured_local(w, d->name, ty, d->at);
    xcopy(w, &copy, &p, arg->at);
    return copy;
}

static const xsym *bind_param(xlower *w, xscope *s, const xsym *f, const xta_decl *d, const xta_ast *arg) {
    const xscope *caller = w->scope;
    w->scope = f->defined_in;
    const xtype *ty = xtype_with_dims(w, xtype_of(w, d->type), d->dims, d->ndims);
    w->scope = caller;
    xplace p = {0};
    if (w->failed) return NULL;
    if (ty->kind == Y_DOUBLE) {
        p = (xplace){.kind = P_VALUE, .ty = ty};
        if (xhas_effect(w, arg)) leave_out(w, ty, arg, arg->at);
    } else if (d->is_ref) {
        p = fixed_place(w, xplace_of(w, arg), arg->at);
    } else if (!xtype_is_scalar(ty)) {
        p = value_param(w, f, d, ty, arg);
    } else {
        xlocal *l = xlocal_new(w, d->name, ty, (expr){0});
        xlocal_set(w, l, xexpr(w, arg), arg->at);
        p = (xplace){.kind = P_LOCAL, .ty = ty, .local = l};
    }
    return xscope_bind(w, s, d->name, d->at, p);
}

static bool check_call(xlower *w, const xsym *called, const xta_ast *a) {
    const xta_decl *f = called->function;
    for (const xcall *c = w->call; c; c = c->outer)
        if (c->function == called) return xfail(w, a->at, "recursion is not supported");
    if (a->nargs != f->nparams)
        return xfail(w, a->at, "'%s' takes %u arguments, not %u", f->name, f->nparams, a->nargs);
    if (w->ninlined++ == MOST_INLINED) return xfail(w, a->at, "calls lead to more than %d others", MOST_INLINED);
    if (w->depth >= DEEPEST_CALL)
        return xfail(w, a->at, "calls are nested too deeply (more than %d levels)", DEEPEST_CALL);
    return true;
}

// A call that changes nothing has a key: its result depends on the numbers that it gets. One that gets others has none.
static void add_to_key(xlower *w, const xta_decl *param, const xsym *bound, str *key) {
    bool is_number = !w->failed && !param->is_ref && bound->place.kind == P_LOCAL;
    if (!is_number || !xtype_is_scalar(bound->place.ty)) str_clear(key);
    else if (key->len) str_printf(key, " %u", xlocal_get(w, bound->place.local).id);
}

const xtype *xfunction_type(xlower *w, const xsym *f) {
    const xscope *caller = w->scope;
    w->scope = f->defined_in;
    const xtype *ty = xtype_of(w, f->function->type);
    w->scope = caller;
    return ty;
}

static void mark_result(xlocal *l) {
    l->is_result = true;
    for (uint32_t i = 0; i < l->nkids; i++) mark_result(l->kids[i]);
}

static xplace result_place(xlower *w, const xtype *ty, span at) {
    xplace p = {0};
    if (ty->kind == Y_VOID) return p;
    if (ty->kind == Y_DOUBLE) return (xplace){.kind = P_VALUE, .ty = ty};
    if (xtype_is_scalar(ty))
        p = (xplace){.kind = P_LOCAL, .ty = ty, .local = xlocal_new(w, "result", ty, xdefault(w, ty))};
    else p = structured_local(w, "result", ty, at);
    if (p.kind == P_LOCAL) mark_result(p.local);
    return p;
}

static xplace run_body(xlower *w, const xsym *f, xscope *s, uint32_t first_local) {
    const xta_decl *d = f->function;
    const xscope *caller = w->scope;
    xcall *outer = w->call;
    const xtype *truth = xtype_of_expr(w, w->m->false_expr), *result = xfunction_type(w, f);
    xcall call = {.returned = xlocal_new(w, "returned", truth, w->m->false_expr),
                  .first_local = first_local,
                  .function = f,
                  .outer = outer};
    mark_result(call.returned);
    if (!w->failed) call.result = result_place(w, result, d->at);
    w->scope = s;
    w->call = &call;
    if (!w->failed) xta_run(w, d->body);
    w->call = outer;
    w->scope = caller;
    return w->failed ? (xplace){0} : call.result;
}

static xplace number_result(xlower *w, expr e) {
    return (xplace){.kind = P_VALUE, .ty = xtype_of_expr(w, e), .value = e};
}

static xplace xta_inline_body(xlower *w, const xsym *f, const xta_ast *a) {
    const xta_decl *d = f->function;
    xscope *s = xscope_new(w, f->defined_in);
    s->until = f->number;
    uint32_t first_local = w->locals.len;
    str key = {0};
    if (!w->out) str_printf(&key, "%p", (const void *)f);
    for (uint32_t i = 0; i < d->nparams && !w->failed; i++)
        add_to_key(w, &d->params[i], bind_param(w, s, f, &d->params[i], a->args[i]), &key);
    expr known = {key.len ? map_get(w->results, str_get(&key), key.len, 0) : 0};
    xplace p = known.id ? number_result(w, known) : w->failed ? (xplace){0} : run_body(w, f, s, first_local);
    if (key.len && !w->failed && p.kind == P_LOCAL && xtype_is_scalar(p.ty))
        map_put(w->results, str_get(&key), key.len, xlocal_get(w, p.local).id);
    str_free(&key);
    return p;
}

static xplace inline_call(xlower *w, xsym *f, const xta_ast *a) {
    if (!check_call(w, f, a)) return (xplace){0};
    stmt_list *outer = w->out;
    uint32_t nlocals = w->locals.len;
    if (!writes_state(w, f)) w->out = NULL;
    w->depth++;
    xplace p = xta_inline_body(w, f, a);
    w->depth--;
    w->out = outer;
    w->locals.len = nlocals;
    // The parts of what was executed symbolically are worth something else after the next statement.
    if (!w->failed && w->out && p.kind == P_LOCAL && xtype_is_structured(p.ty)) p = xkept(w, &p, a->at);
    return w->failed ? (xplace){0} : p;
}

// P.f(x): a function of a process.
static xsym *member_function(xlower *w, const xta_ast *a) {
    const xprocess *p = xprocess_of(w, a->of);
    if (!p && !w->failed) xfail(w, a->of->at, "this is not a process");
    if (w->failed) return NULL;
    xsym *f = xscope_own(w, p->scope, a->name);
    if (f && f->kind == SYM_FUNC) return f;
    xfail(w, a->at, "process '%s' has no function '%s'", p->name, a->name);
    return NULL;
}

// The one function that there is without a declaration.
static expr absolute(xlower *w, const xta_ast *a) {
    expr x = xnumber(w, a), zero = xint(w, 0);
    if (w->failed) return zero;
    return xbinary(w, OP_MAX, x, xbinary(w, OP_SUB, zero, x, a->at), a->at);
}

xplace xcall_value(xlower *w, const xta_ast *a) {
    if (w->failed) return (xplace){0};
    xsym *f = a->of ? member_function(w, a) : xscope_find(w, w->scope, a->name);
    if (w->failed) return (xplace){0};
    if (f && f->kind == SYM_FUNC) return inline_call(w, f, a);
    if (!f && str_same(a->name, "abs") && a->nargs == 1) return number_result(w, absolute(w, a->args[0]));
    xfail(w, a->at, f ? "'%s' is not a function" : "there is no function '%s'", a->name);
    return (xplace){0};
}
