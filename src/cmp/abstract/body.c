// SPDX-License-Identifier: Apache-2.0
// Bodies of rules as bodies of the cases of an abstraction.
//
// Writes to kept cells stay, writes to dropped cells vanish; while the body runs, cells of the case's others
// that it writes itself are held in locals, so that what it reads later is what it wrote. A loop over the sort
// is done for the kept elements and for the case's others; the rest may not change anything that is kept.
#include "cmp/abstract/internal.h"

#include "model/stmt.h"
#include "model/walk.h"
#include "pass/same_writes.h"
#include "model/welldefined.h"

static void body_emit(translator *t, const stmt *s) { vec_push(t->out, s); }

static void impossible_unless(translator *t, expr cond, bool is_guard, span at) {
    if (expr_is_true(t->m, cond)) return;
    stmt *s = model_assume(t->m, cond, at);
    s->is_guard = is_guard;
    body_emit(t, s);
}

// An other that fails: the same run, seen with that element among the kept ones, fails too. So a case with
// others need not.
static void never_fails(translator *t, expr e, span at) {
    if (e.id && t->c->nothers) impossible_unless(t, welldefined_where(t->m, e), true, at);
}

static void stays_in_range(translator *t, type ty, expr e, span at) {
    if (e.id && t->c->nothers) impossible_unless(t, welldefined_as(t->m, ty, e), true, at);
}

static void body_statement(translator *t, const stmt *s);

static void statements(translator *t, const stmt *const *body, uint32_t n, stmt_list *into) {
    stmt_list *before = t->out;
    t->out = into;
    for (uint32_t i = 0; i < n; i++) body_statement(t, body[i]);
    t->out = before;
}

// ---- locals for cells of the case's others

static bool body_reads(const translator *t, func f) {
    walk w = walk_stmt(t->m, t->whole, 0);
    while (walk_next(&w))
        if (w.x && (w.x->kind == E_APP || w.x->kind == E_DEFINED) && w.x->ref == f.id) return walk_found(&w);
    return false;
}

static func add_local(translator *t, func f, uint32_t other) {
    func_info info = *func_of(t->m, f);
    info.args = NULL;
    info.nargs = 0;
    info.name = other ? arena_printf(t->m->memory, "own_%s_%u", info.name, other + 1)
                      : arena_printf(t->m->memory, "own_%s", info.name);
    info.result = abstract_value_type(t->a, info.result);
    info.may_be_undefined = info.is_scratch = true;
    info.starts_any = info.is_rigid = false;
    info.initial = VALUE_UNDEFINED;
    info.spelling = NULL;
    info.owner = t->a->system;
    func local = model_add_func(t->m, info);
    vec_push(&t->a->state, local);
    return local;
}

// The local begins with what the cell holds before the step.
static void begin_row(translator *t, func f, uint32_t other) {
    local_row r = {f, other, add_local(t, f, other)};
    expr self = expr_var(t->m, abstract_other(t->a, other)), key = expr_app(t->m, f, &self);
    const func_info info = *func_of(t->m, f);
    expr x = unknown_of(t, key, abstract_value_type(t->a, info.result), UNKNOWN_VALUE);
    const stmt *set = model_assign(t->m, r.local, NULL, 0, x, t->whole->at);
    if (info.may_be_undefined) {
        expr has = unknown_of(t, key, t->m->bool_type, UNKNOWN_DEFINED);
        set = model_if(t->m, has, &set, 1, NULL, 0, t->whole->at);
    }
    body_emit(t, set);
    vec_push(&t->rows, r);
}

static void begin_rows(translator *t) {
    for (uint32_t i = 0; i < sys_of(t->m, t->a->origin)->funcs.len; i++) {
        func f = sys_of(t->m, t->a->origin)->funcs.data[i];
        const func_info *info = func_of(t->m, f);
        if (info->nargs != 1 || !abstract_is_sort(t->a, info->args[0]) || info->is_scratch) continue;
        if (!stmt_writes(t->whole, f) || !(body_reads(t, f) || ghost_reads(t->a, f))) continue;
        for (uint32_t k = 0; k < t->c->nothers; k++) begin_row(t, f, k);
    }
}

// ---- assignments

typedef struct {
    const stmt *s;
    cell c;
    expr to;  // id 0: undefined
} writing;

static void note_written(translator *t, func f) {
    bits_add(&t->written, f.id);
    bits_add(&t->written, t->a->funcs[f.id].id);
}

void body_note_writes(translator *t, const stmt *s) {
    walk w = walk_stmt(t->m, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN) note_written(t, w.s->target);
}

// All elements are known to be kept or not.
static void write_placed(translator *t, const writing *w, stmt_list *out) {
    expr args[ABSTRACT_MOST_ARGS];
    bool is_kept = cell_is_kept(&w->c, args);
    func f = is_kept ? t->a->funcs[w->c.f.id] : cell_local(t, &w->c);
    if (f.id) vec_push(out, model_assign(t->m, f, args, is_kept ? w->c.n : 0, w->to, w->s->at));
}

static void write_from(translator *t, writing w, uint32_t i, stmt_list *out);

// Argument i is a value that may be Other: the cell is kept, or one of a case's other.
static void write_through(translator *t, writing w, uint32_t i, stmt_list *out) {
    place *at = &w.c.at[i], p = *at;
    stmt_list orelse = {0}, here = {0};
    at->is_open = false;
    for (uint32_t k = t->c->nothers; k-- > 0 && cell_has_locals(t, w.c.f); here.len = 0) {
        at->who = ident_other(k);
        write_from(t, w, i + 1, &here);
        expr is_here = ident_is_number(t, &p.who, k);
        const stmt *s = model_if(t->m, is_here, here.data, here.len, orelse.data, orelse.len, w.s->at);
        orelse.len = 0;
        vec_push(&orelse, s);
    }
    *at = place_kept(t, p);
    write_from(t, w, i + 1, &here);
    vec_push(out, model_if(t->m, place_is_kept(t, p), here.data, here.len, orelse.data, orelse.len, w.s->at));
    vec_free(&here);
    vec_free(&orelse);
}

static void write_from(translator *t, writing w, uint32_t i, stmt_list *out) {
    if (i == w.c.n) write_placed(t, &w, out);
    else if (w.c.at[i].is_open) write_through(t, w, i, out);
    else write_from(t, w, i + 1, out);
}

static bool is_dropped(const translator *t, const cell *c) {
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i].is_ident && c->at[i].who.kind == IDENT_OTHER) return !cell_local(t, c).id;
    return false;
}

static void indices_never_fail(translator *t, const writing *w) {
    const func_info f = *func_of(t->m, w->c.f);
    for (uint32_t i = 0; i < w->c.n; i++) {
        const place *p = &w->c.at[i];
        never_fails(t, p->is_ident ? p->who.e : p->index, w->s->at);
        if (!p->is_ident) stays_in_range(t, f.args[i], p->index, w->s->at);
    }
}

static void body_assign(translator *t, const stmt *s) {
    writing w = {.s = s, .c = cell_of(t, s->target, s->args)};
    if (!is_dropped(t, &w.c)) {
        if (s->value.id) w.to = translate_value(t, s->value);
        never_fails(t, w.to, s->at);
        stays_in_range(t, func_of(t->m, s->target)->result, w.to, s->at);
        indices_never_fail(t, &w);
        write_from(t, w, 0, t->out);
    }
    note_written(t, s->target);
}

// ---- branches and loops

static void body_branch(translator *t, const stmt *s) {
    stmt_list then = {0}, orelse = {0};
    expr cond = translate_exact(t, s->cond);
    never_fails(t, cond, s->at);
    bits before = {0}, after = {0};
    bits_copy(&before, &t->written);
    statements(t, s->body, s->nbody, &then);
    bits_copy(&after, &t->written);
    bits_copy(&t->written, &before);
    statements(t, s->orelse, s->norelse, &orelse);
    bits_join(&t->written, &after);
    bits_free(&before);
    bits_free(&after);
    if (then.len || orelse.len || (!t->c->nothers && expr_can_fault(t->m, cond)))
        body_emit(t, model_if(t->m, cond, then.data, then.len, orelse.data, orelse.len, s->at));
    vec_free(&then);
    vec_free(&orelse);
}

// ---- what the rounds of all further elements leave behind

static func origin_of(const translator *t, func f) {
    const sys_info *s = sys_of(t->m, t->a->origin);
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (t->a->funcs[s->funcs.data[i].id].id == f.id) return s->funcs.data[i];
    return (func){0};
}

static bool rest_changes(const translator *t, const stmt *s) {
    walk w = walk_stmt(t->m, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN || w.s->kind == S_FAIL || w.s->kind == S_ASSUME) return walk_found(&w);
    return false;
}

static bool rest_round(translator *t, const stmt *loop, const stmt *s, stmt_list *some);

static bool rest_rounds(translator *t, const stmt *loop, const stmt *const *body, uint32_t n, stmt_list *some) {
    for (uint32_t i = 0; i < n; i++)
        if (!rest_round(t, loop, body[i], some)) return false;
    return true;
}

// Does it depend on something that was guessed for this round alone?
static bool has_guessed(const translator *t, expr e) {
    for (uint32_t i = 0; i < t->pending.len; i++)
        if (expr_has_var(t->m, e, t->pending.data[i].v)) return true;
    return false;
}

static bool rest_writes(translator *t, const stmt *loop, const stmt *s, stmt_list *some) {
    func f = origin_of(t, s->target);
    if (!f.id || func_of(t->m, f)->is_scratch || !same_writes(t->m, loop, f)) return false;
    if (!some) return true;
    vec_push(some, s);
    bool is_known = !s->value.id || !has_guessed(t, s->value);
    for (uint32_t i = 0; i < s->nargs; i++) is_known &= !has_guessed(t, s->args[i]);
    return is_known && !t->loops && !t->bound.len;
}

// What is written where one of them meets a condition may be written, all of it, once.
static bool rest_branch(translator *t, const stmt *loop, const stmt *const *body, uint32_t n) {
    stmt_list some = {0};
    bool ok = rest_rounds(t, loop, body, n, &some);
    if (ok && some.len) {
        expr done = add_unknown(t, &t->c->unknowns, t->m->bool_type, (expr){0}, UNKNOWN_VALUE);
        body_emit(t, model_if(t->m, done, some.data, some.len, NULL, 0, loop->at));
    }
    vec_free(&some);
    return ok;
}

// A statement of a round of one of them; `some` gets what not every round writes (NULL: every round comes here, so it
// is left to the rounds of kept elements). False: something else changes.
static bool rest_round(translator *t, const stmt *loop, const stmt *s, stmt_list *some) {
    bool is_each = s->kind == S_FORALL && !some && !s->cond.id;
    t->loops += is_each;  // what is written below may be about its variables: not to be done outside
    bool ok = (s->kind == S_SEQ || is_each) && rest_rounds(t, loop, s->body, s->nbody, some);
    t->loops -= is_each;
    if (s->kind == S_SEQ || is_each) return ok;
    if (s->kind == S_ASSIGN) return rest_writes(t, loop, s, some);
    if (s->kind != S_IF) return !rest_changes(t, s);
    return rest_branch(t, loop, s->body, s->nbody) && rest_branch(t, loop, s->orelse, s->norelse);
}

static void loop_from(translator *t, const stmt *s, uint32_t i, var *own, uint32_t nown);

// One round in which variable i is an other.
static void other_round(translator *t, const stmt *s, uint32_t i, var *own, uint32_t nown, uint32_t other) {
    vec_push(&t->env, (ident_binding){s->vars[i], ident_other(other)});
    loop_from(t, s, i + 1, own, nown);
    t->env.len--;
}

static void probe_rest(translator *t, const stmt *s, uint32_t i, var *own, uint32_t nown) {
    stmt_list dropped = {0}, *out = t->out;
    uint32_t pending = t->pending.len;
    bool before = t->is_probing;
    t->out = &dropped;
    t->is_probing = true;
    abstract_other(t->a, nobody_number(t));
    other_round(t, s, i, own, nown, nobody_number(t));
    t->is_probing = before;
    t->out = out;
    bool ok =
        s->cond.id ? rest_branch(t, s, dropped.data, dropped.len) : rest_rounds(t, s, dropped.data, dropped.len, NULL);
    if (!ok) abstract_refuse(t->a, s->at, "a loop over the abstracted sort changes what is not an element's own");
    t->pending.len = pending;
    vec_free(&dropped);
}

static void rounds(translator *t, const stmt *s, const var *own, uint32_t nown) {
    stmt_list body = {0};
    expr cond = {0};
    t->loops += nown > 0;
    if (s->cond.id) cond = translate_exact(t, s->cond);
    statements(t, s->body, s->nbody, &body);
    t->loops -= nown > 0;
    if (body.len && nown) {
        stmt *loop = model_forall(t->m, own, nown, cond, body.data, body.len, s->at);
        loop->any_order = s->any_order;  // an addition to a multiset
        body_emit(t, loop);
    } else if (body.len && cond.id) body_emit(t, model_if(t->m, cond, body.data, body.len, NULL, 0, s->at));
    else
        for (uint32_t i = 0; i < body.len; i++) body_emit(t, body.data[i]);
    vec_free(&body);
}

static void loop_from(translator *t, const stmt *s, uint32_t i, var *own, uint32_t nown) {
    if (i == s->nvars) {
        rounds(t, s, own, nown);
        return;
    }
    own[nown] = translate_bind(t, s->vars[i]);
    loop_from(t, s, i + 1, own, nown + 1);
    translate_unbind(t, s->vars[i]);
    if (!abstract_is_sort(t->a, var_of(t->m, s->vars[i])->ty)) return;
    for (uint32_t k = 0; k < t->c->nothers; k++) other_round(t, s, i, own, nown, k);
    if (!t->is_probing) probe_rest(t, s, i, own, nown);
}

// Over a union with the sort: over each member, one after the other.
static bool loop_over_members(translator *t, const stmt *s) {
    for (uint32_t i = 0; i < s->nvars; i++) {
        const var v = s->vars[i];
        const type ty = var_of(t->m, v)->ty;
        if (!abstract_is_union(t->a, ty)) continue;
        for (uint32_t k = 0; k < type_of(t->m, ty)->nmembers; k++) {
            expr as;
            var *vars = arena_copy(t->m->memory, s->vars, s->nvars * sizeof *vars);
            vars[i] = abstract_member(t->a, v, k, &as);
            stmt *one = arena_copy(t->m->memory, stmt_subst(t->m, s, &v, &as, 1), sizeof *one);
            one->vars = vars;
            body_statement(t, one);
        }
        return true;
    }
    return false;
}

static void body_loop(translator *t, const stmt *s) {
    var own[ABSTRACT_MOST_ARGS];
    if (loop_over_members(t, s)) return;
    if (s->nvars > ABSTRACT_MOST_ARGS) abstract_refuse(t->a, s->at, "a loop has more than 16 variables");
    else {
        body_note_writes(t, s);
        loop_from(t, s, 0, own, 0);
    }
}

static void repeat(translator *t, const stmt *s) {
    stmt_list body = {0};
    t->loops++;
    body_note_writes(t, s);
    expr cond = translate_exact(t, s->cond);
    statements(t, s->body, s->nbody, &body);
    t->loops--;
    body_emit(t, model_while(t->m, cond, body.data, body.len, s->at));
    vec_free(&body);
}

// ---- dispatch

static void body_block(translator *t, const stmt *s) {
    stmt_list body = {0};
    statements(t, s->body, s->nbody, &body);
    if (body.len) body_emit(t, model_block(t->m, s->kind, body.data, body.len, s->at));
    vec_free(&body);
}

static void body_statement(translator *t, const stmt *s) {
    switch (s->kind) {
    case S_ASSIGN: body_assign(t, s); return;
    case S_IF: body_branch(t, s); return;
    case S_FORALL: body_loop(t, s); return;
    case S_PAR: abstract_refuse(t->a, s->at, "a rule is a simultaneous update"); return;
    case S_SEQ: body_block(t, s); return;
    case S_WHILE: repeat(t, s); return;
    case S_ASSUME: impossible_unless(t, translate_bool(t, s->cond, MAY), s->is_guard, s->at); return;
    case S_FAIL:
        if (t->c->nothers) impossible_unless(t, t->m->false_expr, true, s->at);
        else body_emit(t, s);
    }
}

static bool writes_kept(const model *m, const stmt *s) {
    walk w = walk_stmt(m, s, WALK_STMTS);
    while (walk_next(&w)) {
        bool is_kept = w.s->kind == S_ASSIGN && !func_of(m, w.s->target)->is_scratch;
        if (is_kept || w.s->kind == S_FAIL) return walk_found(&w);
    }
    return false;
}

void translate_body(abstraction *a, abstract_case *c, const stmt *body) {
    if (!body || a->refusal) return;
    translator t = translator_of(a, c);
    stmt_list out = {0};
    t.whole = body;
    t.out = &out;
    ghost_begin(&t);
    begin_rows(&t);
    body_statement(&t, body);
    ghost_end(&t);
    const stmt *whole = model_block(a->m, S_SEQ, out.data, out.len, body->at);
    if (c->is_init || writes_kept(a->m, whole)) c->body = whole;
    vec_free(&out);
    translator_free(&t);
}
