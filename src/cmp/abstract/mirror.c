// SPDX-License-Identifier: Apache-2.0
// One element that is neither kept nor the case's, followed through a body: what its own cells are before and after.
//
// Its cells are variables before the body; what the body makes of them is an expression over these and over state that
// the body did not write before. Where that cannot be told the element cannot be followed.
#include "cmp/abstract/internal.h"

#include "model/stmt.h"

static mirror_cell mirror_untouched(const translator *t, mirror_cell c) {
    c.value = expr_var(t->m, c.value_before);
    c.has = c.has_before.id ? expr_var(t->m, c.has_before) : t->m->true_expr;
    return c;
}

static mirror_cell *mirror_of(translator *t, func f) {
    for (uint32_t i = 0; i < t->mirror.len; i++)
        if (t->mirror.data[i].f.id == f.id) return &t->mirror.data[i];
    const func_info info = *func_of(t->m, f);
    mirror_cell c = {.f = f};
    c.value_before = model_add_var(t->m, info.name, abstract_value_type(t->a, info.result), info.at);
    if (info.may_be_undefined)
        c.has_before = model_add_var(t->m, arena_printf(t->m->memory, "has_%s", info.name), t->m->bool_type, info.at);
    vec_push(&t->mirror, mirror_untouched(t, c));
    return &vec_last(&t->mirror);
}

expr mirror_read(translator *t, func f, bool asks) {
    const mirror_cell *c = mirror_of(t, f);
    return asks ? c->has : c->value;
}

expr mirror_value(translator *t, expr e) {
    uint32_t pending = t->pending.len, known = t->mirror.len;
    t->in_atom = true;
    expr x = translate_value(t, e);
    t->in_atom = false;
    bool ok = t->pending.len == pending && !reads_written(t, x) && !expr_can_fault(t->m, x);
    for (uint32_t i = known; i < t->mirror.len; i++) ok &= !bits_has(&t->written, t->mirror.data[i].f.id);
    t->pending.len = pending;
    return ok ? x : (expr){0};
}

static bool mirror_all(translator *t, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!mirror_stmt(t, body[i])) return false;
    return true;
}

// What is bound to the variable; NULL: e is no variable of the sort.
static const ident *mirror_bound_to(const translator *t, expr e) {
    const expr_info *x = expr_of(t->m, e);
    for (uint32_t i = t->env.len; x->kind == E_VAR && i-- > 0;)
        if (t->env.data[i].from.id == x->ref) return &t->env.data[i].to;
    return NULL;
}

static bool is_followed(const translator *t, const ident *x) {
    return x->kind == IDENT_OTHER && x->other == rest_number(t);
}

// A cell of the element that is followed, or certainly not one.
static bool mirror_assign(translator *t, const stmt *s) {
    const ident *who = s->nargs == 1 ? mirror_bound_to(t, s->args[0]) : NULL;
    if (!who || !is_followed(t, who)) return who != NULL;
    expr to = s->value.id ? mirror_value(t, s->value) : (expr){0};
    if (s->value.id && !to.id) return false;
    mirror_cell *c = mirror_of(t, s->target);
    c->has = expr_bool(t->m, to.id);
    if (to.id) c->value = to;
    return true;
}

// Where the cells are what they were before, and where what they are now.
static void mirror_merge(translator *t, expr cond, const mirror_cell *before, uint32_t n) {
    for (uint32_t i = 0; i < t->mirror.len; i++) {
        mirror_cell *c = &t->mirror.data[i];
        mirror_cell was = i < n ? before[i] : mirror_untouched(t, *c);
        c->value = expr_ite(t->m, cond, c->value, was.value);
        c->has = expr_ite(t->m, cond, c->has, was.has);
    }
}

static bool mirror_branch(translator *t, expr cond, const stmt *const *body, uint32_t n) {
    uint32_t len = t->mirror.len;
    mirror_cell *before = arena_copy(t->m->memory, t->mirror.data, len * sizeof *before);
    bool ok = mirror_all(t, body, n);
    mirror_merge(t, cond, before, len);
    return ok;
}

static bool mirror_if(translator *t, const stmt *s) {
    expr cond = mirror_value(t, s->cond);
    if (!cond.id) return false;
    return mirror_branch(t, cond, s->body, s->nbody) && mirror_branch(t, expr_not(t->m, cond), s->orelse, s->norelse);
}

static bool writes_mirrored(const translator *t, const stmt *s) {
    for (uint32_t i = 0; i < t->mirror.len; i++)
        if (stmt_writes(s, t->mirror.data[i].f)) return true;
    return false;
}

static bool is_in_round(const translator *t) {
    for (uint32_t i = 0; i < t->env.len; i++)
        if (is_followed(t, &t->env.data[i].to)) return true;
    return false;
}

// The round of the element that is followed; what other rounds write, it cannot read.
static bool mirror_loop(translator *t, const stmt *s) {
    bool is_simple = s->nvars == 1 && !s->cond.id && !is_in_round(t);
    if (!is_simple || !abstract_is_sort(t->a, var_of(t->m, s->vars[0])->ty)) return false;
    body_note_writes(t, s);
    vec_push(&t->env, (ident_binding){s->vars[0], ident_other(rest_number(t))});
    bool ok = mirror_all(t, s->body, s->nbody);
    t->env.len--;
    return ok;
}

bool mirror_stmt(translator *t, const stmt *s) {
    bool ok = true;
    if (!writes_mirrored(t, s)) ok = true;
    else if (s->kind == S_ASSIGN) ok = mirror_assign(t, s);
    else if (s->kind == S_IF) ok = mirror_if(t, s);
    else if (s->kind == S_SEQ) return mirror_all(t, s->body, s->nbody);
    else ok = s->kind == S_FORALL && mirror_loop(t, s);
    body_note_writes(t, s);
    return ok;
}

expr mirror_exists(translator *t, expr e) {
    for (uint32_t i = 0; i < t->mirror.len; i++) {
        e = expr_quantify(t->m, E_EXISTS, t->mirror.data[i].value_before, e);
        if (t->mirror.data[i].has_before.id) e = expr_quantify(t->m, E_EXISTS, t->mirror.data[i].has_before, e);
    }
    return e;
}
