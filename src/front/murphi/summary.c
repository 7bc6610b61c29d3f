// SPDX-License-Identifier: Apache-2.0
// What a function called in a property or a guard is: an expression, made once for the same arguments.
//
// In a property every call has to become an expression (murphi/pure.c), in a guard it should, and in a body where
// functions that call functions would be run exponentially often. Written out at every call, they make it
// exponentially long. Here a call of a function that is not small gets a *summary*: its value, and where it fails, as
// expressions over the state and the arguments. Calls with equal arguments have one summary. An argument that is
// computed and has few values is compared with each: then there are as many summaries as values, however many ways
// lead to them. Elements of scalarsets are not told apart so. Outside properties, what cannot be summed up stays a
// call.
#include "front/murphi/lower.h"

enum { SMALL_FUNCTION = 100, SMALL_GUARD = 2000, LONG_FUNCTION = 1 << 16, MOST_VALUES = 16, MOST_TABLE = 64 };

// ---- which calls

static bool is_pure(lowering *l, const murphi_node *decl);

static const murphi_node *root_of(const murphi_node *n) {
    while (n->kind == MX_FIELD || n->kind == MX_INDEX) n = n->kids[0];
    return n;
}

static bool is_local_name(const murphi_node *decl, const char *name) {
    const murphi_node *locals = decl->kids[2];
    for (uint32_t i = 0; i < locals->nkids; i++)
        if (locals->kids[i]->kind == MD_VAR && str_same(locals->kids[i]->name, name)) return true;
    return false;
}

// May something else than a variable of the function's own change? By its text alone: not where a name is hidden.
static bool may_change(lowering *l, const murphi_node *decl, const murphi_node *n) {
    if (!n) return false;
    bool is_write = n->kind == MS_ASSIGN || n->kind == MS_CLEAR || n->kind == MS_UNDEFINE;
    if (is_write && !is_local_name(decl, root_of(n->kids[0])->name)) return true;
    if (n->kind == MS_CALL || n->kind == MS_ADD || n->kind == MS_REMOVE || n->kind == MS_REMOVEPRED) return true;
    symbol *s = n->kind == MX_CALL ? murphi_find(l, n->name) : NULL;
    if (s && s->kind == SYMBOL_FUNCTION && !is_pure(l, s->decl)) return true;
    for (uint32_t i = 0; i < n->nkids; i++)
        if (may_change(l, decl, n->kids[i])) return true;
    return false;
}

enum { PURE_UNKNOWN, PURE_NOT, PURE_MAYBE };

static bool is_pure(lowering *l, const murphi_node *decl) {
    uint32_t known = map_get(l->pure, &decl, sizeof decl, PURE_UNKNOWN);
    if (known != PURE_UNKNOWN) return known == PURE_MAYBE;
    map_put(l->pure, &decl, sizeof decl, PURE_NOT);  // while it is looked at: it calls itself
    bool is_pure = decl->kids[0] != NULL && !may_change(l, decl, decl->kids[1]);
    for (uint32_t i = 3; i < decl->nkids; i++) is_pure &= !decl->kids[i]->is_var;
    map_put(l->pure, &decl, sizeof decl, is_pure ? PURE_MAYBE : PURE_NOT);
    return is_pure;
}

// Elsewhere than in properties, what failed once is not tried again.
static void summary_give_up(lowering *l, const murphi_node *decl) {
    if (!l->is_property) map_put(l->pure, &decl, sizeof decl, PURE_NOT);
}

// So that it is worth it; where it is no property, what is short is better seen through.
static bool is_worth_it(lowering *l, const murphi_node *decl) {
    if (l->options->shares_bodies) return true;
    uint32_t least = l->is_property ? SMALL_FUNCTION : l->is_guard || l->is_summing ? SMALL_GUARD : LONG_FUNCTION;
    return murphi_weight(l, decl) > least;
}

static bool summary_is_wanted(lowering *l, const murphi_node *decl, const murphi_type *result) {
    if (l->options->writes_out || l->slots.len || !result || result->shape != SHAPE_SIMPLE) return false;
    if (murphi_is_recursive(l, decl) || !is_worth_it(l, decl)) return false;
    if (!l->is_property && !is_pure(l, decl)) return false;
    for (uint32_t i = 3; i < decl->nkids; i++)
        if (decl->kids[i]->is_var) return false;
    return true;
}

// ---- arguments

// How many values are compared with; 0: it stands for itself.
static uint32_t summary_values(const lowering *l, const murphi_argument *a) {
    if (!a->e.id || expr_is_const(l->m, a->e, NULL)) return 0;
    const type_info *t = type_of(l->m, expr_type(l->m, a->e));
    uint32_t n = type_known_size(l->m, expr_type(l->m, a->e));
    return t->kind == TYPE_SORT || t->kind == TYPE_UNION || n > MOST_VALUES ? 0 : n;
}

// A value that is computed is put into a local, which checks its range.
static void settle_value(lowering *l, const murphi_type *ty, expr e, span at, murphi_argument *out) {
    place p = murphi_temp(l, ty, at);
    value v = 0, first = type_first(l->m, ty->simple);
    bool is_const = expr_is_const(l->m, e, &v);
    bool is_var = expr_kind_of(l->m, e) == E_VAR && type_same(expr_type(l->m, e), ty->simple);
    out->e = e;
    if (is_var || (is_const && v >= first && v - first < (int64_t)type_known_size(l->m, ty->simple))) return;
    murphi_write(l, &p, e, at);
    out->e = murphi_read_place(l, &p);
    if (summary_values(l, out)) return;
    p.is_constant = true;
    *out = (murphi_argument){.p = p};
}

// Where statements are run, which place it is is known before, also if it is not read.
static bool summary_argument(lowering *l, murphi_node *param, const murphi_node *arg, murphi_argument *out) {
    const murphi_type *ty = murphi_resolve(l, param->kids[0], "");
    if (!ty || murphi_says_undefined(l, arg)) return false;
    place p;
    if (murphi_is_place(l, arg)) {
        if (!murphi_place(l, arg, &p) || !murphi_same_shape(l, p.ty, ty)) return false;
        bool is_same = ty->shape != SHAPE_SIMPLE || type_same(p.ty->simple, ty->simple);
        if (!l->is_property) murphi_freeze(l, &p);
        out->p = p;
        out->p.is_constant = true;
        if (is_same) return true;
        *out = (murphi_argument){0};
    } else if (ty->shape != SHAPE_SIMPLE) return false;
    expr e = murphi_value(l, arg);
    if (e.id) e = murphi_convert(l, e, ty->simple, arg->at);
    if (e.id) settle_value(l, ty, e, arg->at, out);
    return e.id != 0;
}

// ---- summaries

static void summary_add(str *key, const void *x, size_t n) { str_addn(key, (const char *)x, n); }

static void summary_key(const lowering *l, const murphi_calling *with, str *key) {
    summary_add(key, &with->decl, sizeof with->decl);
    summary_add(key, &l->is_property, sizeof l->is_property);  // elsewhere less is tried
    summary_add(key, &l->is_guard, sizeof l->is_guard);
    for (uint32_t i = 0; i < with->nargs; i++) {
        const murphi_argument *a = &with->args[i];
        summary_add(key, &a->e, sizeof a->e);
        summary_add(key, &a->p.funcs, sizeof a->p.funcs);
        summary_add(key, &a->p.ty, sizeof a->p.ty);
        summary_add(key, a->p.args, a->p.nargs * sizeof *a->p.args);
    }
}

static bool argument_reads(const model *m, const murphi_argument *a, func f) {
    bool found = a->e.id && expr_reads(m, a->e, f);
    for (uint32_t i = 0; i < a->p.nargs; i++) found |= expr_reads(m, a->p.args[i], f);
    for (uint32_t i = 0; a->p.ty && i < a->p.ty->nleaves; i++) found |= a->p.funcs[i].id == f.id;
    return found;
}

typedef struct {
    lowering *l;
    const murphi_calling *with;
} own_locals;

// A local of the function's own that is still there was read without a value: one that never has any stands for it,
// since elsewhere the local may have one.
static expr forget_local(model *m, expr e, void *context) {
    own_locals *own = context;
    const expr_info info = *expr_of(m, e);
    if ((info.kind != E_APP && info.kind != E_DEFINED) || !func_of(m, (func){info.ref})->is_scratch) return e;
    for (uint32_t i = 0; i < own->with->nargs; i++)
        if (argument_reads(m, &own->with->args[i], (func){info.ref})) return e;
    for (uint32_t i = 0; i < own->l->nevers.len; i++)
        if (own->l->nevers.data[i].funcs[0].id == info.ref) return e;
    if (info.kind == E_DEFINED) return m->false_expr;
    place never = murphi_never(own->l, func_of(m, (func){info.ref})->result, NEVER_FAILS, info.at);
    return murphi_read_place(own->l, &never);
}

// The body on its own; its value has id 0 if it is no expression.
static murphi_parts summary_make(lowering *l, const murphi_node *n, const murphi_calling *with) {
    stmt_list list = {0}, *outer = murphi_into(l, &list);
    frame f = {.is_function = true, .result_type = with->f->result_type};
    murphi_calling on_its_own = *with;
    on_its_own.f = &f;
    f.result = murphi_temp(l, f.result_type, n->at);
    murphi_undefine(l, &f.result, n->at);
    bool is_inner = l->is_summing;
    l->is_summing = true;
    murphi_inline(l, &on_its_own);
    l->is_summing = is_inner;
    l->out = outer;
    uint32_t steps = l->is_property ? MURPHI_PURE_STEPS : MURPHI_SMALL_STEPS;
    l->keeps_loops = !l->is_property && !l->is_guard;
    murphi_parts parts = murphi_pure_parts(l, &list, steps, l->is_property, murphi_read_place(l, &f.result));
    l->keeps_loops = false;
    vec_free(&list);
    own_locals own = {l, with};
    if (!parts.value.id) return parts;
    parts.value = expr_rewrite(l->m, parts.value, forget_local, &own);
    parts.failed = expr_rewrite(l->m, parts.failed, forget_local, &own);
    parts.limited = expr_rewrite(l->m, parts.limited, forget_local, &own);
    parts.defined = expr_rewrite(l->m, parts.defined, forget_local, &own);
    murphi_says_all(l, &parts);
    return parts;
}

static murphi_parts summary_of(lowering *l, const murphi_node *n, const murphi_calling *with) {
    str key = {0};
    summary_key(l, with, &key);
    uint32_t known = map_get(l->summary_of, str_get(&key), key.len, UINT32_MAX);
    if (known == UINT32_MAX) {
        murphi_parts made = summary_make(l, n, with);
        known = l->summaries.len;
        vec_push(&l->summaries, made);
        map_put(l->summary_of, str_get(&key), key.len, known);
    }
    str_free(&key);
    return l->summaries.data[known];
}

// ---- calls

// From argument i on, each compared with all its values.
static murphi_parts summary_table(lowering *l, const murphi_node *n, murphi_calling *with, uint32_t i) {
    if (i == with->nargs) return summary_of(l, n, with);
    murphi_argument a = with->args[i];
    uint32_t size = summary_values(l, &a);
    if (!size) return summary_table(l, n, with, i + 1);
    type t = expr_type(l->m, a.e);
    murphi_parts all = {0};
    for (uint32_t k = size; k-- > 0;) {
        with->args[i].e = expr_const(l->m, t, type_first(l->m, t) + (value)k);
        murphi_parts one = summary_table(l, n, with, i + 1);
        if (!one.value.id) return one;
        if (k + 1 == size) {
            all = one;
            continue;
        }
        expr here = expr_eq(l->m, a.e, with->args[i].e);
        all.value = expr_ite(l->m, here, one.value, all.value);
        all.failed = expr_ite(l->m, here, one.failed, all.failed);
        all.limited = expr_ite(l->m, here, one.limited, all.limited);
        all.defined = expr_ite(l->m, here, one.defined, all.defined);
    }
    with->args[i] = a;
    return all;
}

static bool has_small_table(const lowering *l, const murphi_calling *with) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < with->nargs; i++) {
        uint32_t size = summary_values(l, &with->args[i]);
        if (size) n *= size;
        if (n > MOST_TABLE) return false;
    }
    return true;
}

static void fail_where(lowering *l, expr cond, bool is_limit, span at) {
    if (expr_is_false(l->m, cond)) return;
    stmt *fail = model_fail(l->m, "a function called here fails", at);
    fail->is_limit = is_limit;
    const stmt *then = fail;
    murphi_emit(l, model_if(l->m, cond, &then, 1, NULL, 0, at));
}

// In a property the value says itself where it fails.
static expr said_value(lowering *l, const murphi_parts *all, const murphi_type *ty, span at) {
    place said = murphi_never(l, ty->simple, NEVER_SAID, at);
    murphi_says_all(l, all);
    return expr_ite(l->m, all->failed, expr_at(l->m, murphi_read_place(l, &said), at), all->value);
}

// A result without a value is an error where it is read.
static void summary_result(lowering *l, const murphi_parts *all, const place *result, span at) {
    if (expr_is_true(l->m, all->defined)) {
        murphi_write(l, result, all->value, at);
        return;
    }
    stmt_list with = {0}, without = {0}, *outer = murphi_into(l, &with);
    murphi_write(l, result, all->value, at);
    l->out = &without;
    murphi_undefine(l, result, at);
    l->out = outer;
    murphi_emit(l, model_if(l->m, all->defined, with.data, with.len, without.data, without.len, at));
    vec_free(&with);
    vec_free(&without);
}

static bool summary_arguments(lowering *l, const murphi_node *n, murphi_calling *with) {
    if (n->nkids != with->nargs) return false;
    for (uint32_t i = 0; i < with->nargs; i++)
        if (!summary_argument(l, with->decl->kids[3 + i], n->kids[i], &with->args[i])) return false;
    return has_small_table(l, with);
}

// What computes the arguments is only kept with the summary: else they are read again.
bool murphi_call_summed(lowering *l, const murphi_node *n, murphi_calling *with, place *result) {
    if (!summary_is_wanted(l, with->origin, with->f->result_type)) return false;
    uint32_t errors = diag_errors(l->m->messages);
    stmt_list before = {0}, *outer = murphi_into(l, &before);
    bool ok = summary_arguments(l, n, with) && diag_errors(l->m->messages) == errors;
    murphi_parts all = ok ? summary_table(l, n, with, 0) : (murphi_parts){0};
    l->out = outer;
    if (!all.value.id) {
        for (uint32_t i = 0; i < with->nargs; i++) with->args[i] = (murphi_argument){0};
        vec_free(&before);
        summary_give_up(l, with->origin);
        return false;
    }
    murphi_emit_all(l, &before);
    if (l->is_property) all.value = said_value(l, &all, with->f->result_type, n->at);
    *result = murphi_temp(l, with->f->result_type, n->at);
    fail_where(l, all.failed, false, n->at);
    fail_where(l, all.limited, true, n->at);
    summary_result(l, &all, result, n->at);
    return true;
}
