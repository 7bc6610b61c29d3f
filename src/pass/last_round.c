// SPDX-License-Identifier: Apache-2.0
// See last_round.h. Of the statements that a loop repeats, some write the same cells in every round, always: these are
// done once instead, after the loop, for an element that is chosen. That is what the last round does if nothing in the
// loop reads what they write, and they read nothing that the loop writes, and cannot fail.
#include "pass/last_round.h"

#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"
#include "pass/restate.h"
#include "model/welldefined.h"

typedef VEC(const stmt *) round_list;

typedef struct {
    model *m;
    var_list chosen;  // by the rule that is looked at
} choosing;

static bool round_reads(const model *m, const stmt *s, func f) {
    walk w = walk_stmt(m, s, WALK_CALLS);
    while (walk_next(&w)) {
        bool is_cell = w.x && (w.x->kind == E_APP || w.x->kind == E_DEFINED);
        if (is_cell && w.x->ref == f.id) return walk_found(&w);
    }
    return false;
}

static bool is_of_any_element(const model *m, const stmt *s, var v) {
    for (uint32_t i = 0; i < s->nargs; i++) {
        bool is_plain = expr_kind_of(m, s->args[i]) == E_VAR || expr_kind_of(m, s->args[i]) == E_CONST;
        if (!is_plain || expr_has_var(m, s->args[i], v)) return false;
    }
    return true;
}

// Assignments alone, and loops of them, to cells that do not depend on v, of values that always fit.
static bool is_done_always(model *m, const stmt *s, var v) {
    if (s->kind == S_ASSIGN) {
        if (!is_of_any_element(m, s, v)) return false;
        type ty = func_of(m, s->target)->result;
        return !s->value.id ||
               (expr_is_true(m, welldefined_where(m, s->value)) && expr_is_true(m, welldefined_as(m, ty, s->value)));
    }
    if (s->kind != S_SEQ && (s->kind != S_FORALL || s->cond.id)) return false;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (!is_done_always(m, s->body[i], v)) return false;
    return true;
}

static bool stmt_mentions(const model *m, const stmt *s, var v) {
    walk w = walk_stmt(m, s, 0);
    while (walk_next(&w))
        if (w.x && w.x->kind == E_VAR && w.x->ref == v.id) return walk_found(&w);
    return false;
}

// What one of the statements writes is read or written by none of the others, nor read by itself.
static bool is_apart(const model *m, const stmt *loop, const stmt *one) {
    walk w = walk_stmt(m, one, WALK_STMTS);
    while (walk_next(&w)) {
        if (w.s->kind != S_ASSIGN) continue;
        bool meets = round_reads(m, loop, w.s->target);
        for (uint32_t i = 0; i < loop->nbody; i++)
            meets |= loop->body[i] != one && stmt_writes(loop->body[i], w.s->target);
        if (meets) {
            walk_found(&w);
            return false;
        }
    }
    return true;
}

// It reads nothing that the loop writes.
static bool is_given(const model *m, const stmt *loop, const stmt *one) {
    walk w = walk_stmt(m, loop, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && round_reads(m, one, w.s->target)) {
            walk_found(&w);
            return false;
        }
    return true;
}

static bool is_alike(const model *m, var v) {
    const type_info *t = type_of(m, var_of(m, v)->ty);
    return t->kind == TYPE_SORT && !t->is_ordered;
}

static const stmt *choose_in(choosing *x, const stmt *s);

static const stmt *const *choose_in_all(choosing *x, const stmt *const *body, uint32_t n) {
    const stmt **out = arena_alloc(x->m->memory, (n + 1) * sizeof *out);
    for (uint32_t i = 0; i < n; i++) out[i] = choose_in(x, body[i]);
    return out;
}

// The body of a loop without sequences in it.
static void round_flatten(const stmt *s, round_list *out) {
    for (uint32_t i = 0; i < s->nbody; i++)
        if (s->body[i]->kind == S_SEQ) round_flatten(s->body[i], out);
        else vec_push(out, s->body[i]);
}

static const stmt *choose_in_loop(choosing *x, const stmt *loop) {
    model *m = x->m;
    var v = loop->vars[0], chosen = {0};
    round_list own = {0}, last = {0}, all = {0};
    round_flatten(loop, &all);
    stmt *flat = arena_copy(m->memory, loop, sizeof *flat);
    flat->body = arena_copy(m->memory, all.data, all.len * sizeof *all.data);
    flat->nbody = all.len;
    for (uint32_t i = 0; i < all.len; i++) {
        const stmt *s = all.data[i];
        bool is_last =
            stmt_mentions(m, s, v) && is_done_always(m, s, v) && is_apart(m, flat, s) && is_given(m, flat, s);
        if (is_last) vec_push(&last, s);
        else vec_push(&own, s);
    }
    if (last.len) chosen = model_add_var(m, var_of(m, v)->name, var_of(m, v)->ty, loop->at);
    expr with = chosen.id ? expr_var(m, chosen) : (expr){0};
    round_list out = {0};
    if (own.len) {
        stmt *rest = model_forall(m, loop->vars, 1, (expr){0}, own.data, own.len, loop->at);
        rest->any_order = loop->any_order;
        vec_push(&out, rest);
    }
    for (uint32_t i = 0; i < last.len; i++) vec_push(&out, stmt_subst(m, last.data[i], &v, &with, 1));
    if (chosen.id) vec_push(&x->chosen, chosen);
    const stmt *now = last.len ? model_block(m, S_SEQ, out.data, out.len, loop->at) : loop;
    vec_free(&own);
    vec_free(&last);
    vec_free(&all);
    vec_free(&out);
    return now;
}

// From the outside: what a loop leaves to be done once may have loops of its own. Statements are a tree here.
static const stmt *choose_in(choosing *x, const stmt *s) {
    bool is_loop = s->kind == S_FORALL && s->nvars == 1 && !s->cond.id && is_alike(x->m, s->vars[0]);
    if (is_loop) {
        const stmt *now = choose_in_loop(x, s);
        if (now != s) return choose_in(x, now);
    }
    if (s->kind != S_SEQ) return s;
    stmt *own = arena_copy(x->m->memory, s, sizeof *own);
    own->body = choose_in_all(x, s->body, s->nbody);
    return own;
}

static bool choose_in_rule(choosing *x, rule r) {
    rule_info own = *rule_of(x->m, r);
    x->chosen.len = 0;
    if (!own.body) return false;
    const stmt *body = choose_in(x, own.body);
    if (!x->chosen.len) return false;
    var *params = arena_alloc(x->m->memory, (own.nparams + x->chosen.len) * sizeof *params);
    for (uint32_t i = 0; i < own.nparams + x->chosen.len; i++)
        params[i] = i < own.nparams ? own.params[i] : x->chosen.data[i - own.nparams];
    own.params = params;
    own.nparams += x->chosen.len;
    own.body = body;
    x->m->rules.data[r.id] = own;
    if (own.nparams > x->m->most_params) x->m->most_params = own.nparams;
    return true;
}

void last_round_choose(model *m, sys s, last_round_list *out) {
    if (!restate_can(m, s)) return;
    choosing x = {.m = m};
    const sys_info info = *sys_of(m, s);
    for (uint32_t i = 0; i < info.rules.len + info.inits.len; i++) {
        rule r = i < info.rules.len ? info.rules.data[i] : info.inits.data[i - info.rules.len];
        if (!rule_of(m, r)->nhidden && choose_in_rule(&x, r)) vec_push(out, r);
    }
    vec_free(&x.chosen);
}
