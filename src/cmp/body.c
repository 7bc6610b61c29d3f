// SPDX-License-Identifier: Apache-2.0
// Bodies of rules as bodies of the cases of an abstraction.
//
// Writes to kept cells stay, writes to dropped cells vanish; while the body runs, cells of the case's others
// that it writes itself are held in locals, so that what it reads later is what it wrote. A loop over the sort
// is done for the kept elements and for the case's others; the rest may not change anything that is kept.
#include "cmp/abstract_int.h"

#include "cmp/sure.h"
#include "model/stmt.h"

static void emit(translator *t, const stmt *s) { vec_push(t->out, s); }

static void impossible_unless(translator *t, expr cond, bool is_guard, span at) {
    if (expr_is_true(t->m, cond)) return;
    stmt *s = model_assume(t->m, cond, at);
    s->is_guard = is_guard;
    emit(t, s);
}

// An other that fails: the same run, seen with that element among the kept ones, fails too. So a case with
// others need not.
static void never_fails(translator *t, expr e, span at) {
    if (e.id && t->c->nothers) impossible_unless(t, sure_has_value(t->m, e), true, at);
}

static void stays_in_range(translator *t, type ty, expr e, span at) {
    if (!e.id || !t->c->nothers || !type_is_number(t->m, ty)) return;
    const type_info r = *type_of(t->m, ty);
    int64_t lo, hi;
    expr_bounds(t->m, e, &lo, &hi);
    if (lo < r.lo) impossible_unless(t, expr_arith(t->m, E_LE, expr_const(t->m, ty, r.lo), e), true, at);
    if (hi > r.hi) impossible_unless(t, expr_arith(t->m, E_LE, e, expr_const(t->m, ty, r.hi)), true, at);
}

static void statement(translator *t, const stmt *s);

static void statements(translator *t, const stmt *const *body, uint32_t n, body_list *into) {
    body_list *before = t->out;
    t->out = into;
    for (uint32_t i = 0; i < n; i++) statement(t, body[i]);
    t->out = before;
}

// ---- locals for cells of the case's others

static bool is_wild(const translator *t, const stmt *s, func f) {
    if (s->kind == S_ASSIGN && s->target.id == f.id) {
        const expr_info *x = expr_of(t->m, s->args[0]);
        if (x->kind != E_VAR) return true;
    }
    for (uint32_t i = 0; i < s->nbody; i++)
        if (is_wild(t, s->body[i], f)) return true;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (is_wild(t, s->orelse[i], f)) return true;
    return false;
}

static bool expr_reads(const model *m, expr e, func f) {
    if (!e.id) return false;
    const expr_info *x = expr_of(m, e);
    if ((x->kind == E_APP || x->kind == E_DEFINED) && x->ref == f.id) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (expr_reads(m, x->args[i], f)) return true;
    return false;
}

static bool stmt_reads(const model *m, const stmt *s, func f) {
    bool found = expr_reads(m, s->cond, f) || expr_reads(m, s->value, f);
    for (uint32_t i = 0; i < s->nargs && !found; i++) found = expr_reads(m, s->args[i], f);
    for (uint32_t i = 0; i < s->nbody && !found; i++) found = stmt_reads(m, s->body[i], f);
    for (uint32_t i = 0; i < s->norelse && !found; i++) found = stmt_reads(m, s->orelse[i], f);
    return found;
}

static func add_local(translator *t, func f) {
    func_info info = *func_of(t->m, f);
    info.args = NULL;
    info.nargs = 0;
    info.name = arena_printf(t->m->memory, "own_%s", info.name);
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

static expr add_start_unknown(translator *t, type ty, expr key, bool is_defined) {
    for (uint32_t i = 0; i < t->c->unknowns.len; i++) {
        unknown *u = &t->c->unknowns.data[i];
        if (expr_same(u->key, key) && u->is_defined == is_defined) return expr_var(t->m, u->v);
    }
    var v = model_add_var(t->m, abstract_unknown_name(t->a, key), ty, (span){0});
    vec_push(&t->c->unknowns, (unknown){v, key, is_defined});
    return expr_var(t->m, v);
}

// The local begins with what the cell holds before the step.
static void begin_row(translator *t, func f, uint32_t other) {
    local_row r = {f, other, add_local(t, f)};
    expr self = expr_var(t->m, abstract_other(t->a, other)), key = expr_app(t->m, f, &self);
    const func_info info = *func_of(t->m, f);
    expr x = add_start_unknown(t, abstract_value_type(t->a, info.result), key, false);
    const stmt *set = model_assign(t->m, r.local, NULL, 0, x, t->whole->at);
    if (info.may_be_undefined) {
        expr has = add_start_unknown(t, t->m->bool_type, key, true);
        set = model_if(t->m, has, &set, 1, NULL, 0, t->whole->at);
    }
    emit(t, set);
    vec_push(&t->rows, r);
}

static void begin_rows(translator *t) {
    VEC(func) list = {0};
    for (uint32_t i = 0; i < sys_of(t->m, t->a->origin)->funcs.len; i++)
        vec_push(&list, sys_of(t->m, t->a->origin)->funcs.data[i]);
    for (uint32_t i = 0; i < list.len; i++) {
        const func_info *f = func_of(t->m, list.data[i]);
        if (f->nargs != 1 || !abstract_is_sort(t->a, f->args[0]) || f->is_scratch) continue;
        if (!stmt_writes(t->whole, list.data[i]) || !stmt_reads(t->m, t->whole, list.data[i])) continue;
        if (is_wild(t, t->whole, list.data[i])) continue;
        for (uint32_t k = 0; k < t->c->nothers; k++) begin_row(t, list.data[i], k);
    }
    vec_free(&list);
}

// ---- assignments

static bool write_args(translator *t, const stmt *s, expr *args, expr *is_kept, func *local) {
    func_info f = *func_of(t->m, s->target);
    *is_kept = t->m->true_expr;
    for (uint32_t i = 0; i < s->nargs; i++) {
        if (!abstract_is_sort(t->a, f.args[i])) {
            args[i] = translate_value(t, s->args[i]);
            continue;
        }
        ident x = translate_ident(t, s->args[i]);
        if (x.kind == IDENT_OTHER) {
            for (uint32_t k = 0; k < t->rows.len; k++)
                if (t->rows.data[k].f.id == s->target.id && t->rows.data[k].other == x.other)
                    *local = t->rows.data[k].local;
            return false;
        }
        *is_kept = expr_and(t->m, *is_kept, ident_is_kept(t, x));
        args[i] = ident_kept(t, x);
    }
    return true;
}

static void assign(translator *t, const stmt *s) {
    expr args[16], is_kept;
    func local = {0};
    bool kept = write_args(t, s, args, &is_kept, &local);
    if (!kept && !local.id) return;
    expr to = s->value.id ? translate_value(t, s->value) : s->value;
    never_fails(t, to, s->at);
    stays_in_range(t, func_of(t->m, s->target)->result, to, s->at);
    if (!kept) {
        emit(t, model_assign(t->m, local, NULL, 0, to, s->at));
        return;
    }
    const func f = t->a->funcs[s->target.id];
    for (uint32_t i = 0; i < s->nargs; i++) {
        if (expr_is_true(t->m, is_kept)) never_fails(t, args[i], s->at);
        stays_in_range(t, func_of(t->m, f)->args[i], args[i], s->at);
    }
    const stmt *set = model_assign(t->m, f, args, s->nargs, to, s->at);
    never_fails(t, is_kept, s->at);
    emit(t, expr_is_true(t->m, is_kept) ? set : model_if(t->m, is_kept, &set, 1, NULL, 0, s->at));
}

// ---- branches and loops

static void branch(translator *t, const stmt *s) {
    body_list then = {0}, orelse = {0};
    expr cond = translate_exact(t, s->cond);
    never_fails(t, cond, s->at);
    statements(t, s->body, s->nbody, &then);
    statements(t, s->orelse, s->norelse, &orelse);
    if (then.len || orelse.len)
        emit(t, model_if(t->m, cond, then.data, then.len, orelse.data, orelse.len, s->at));
    vec_free(&then);
    vec_free(&orelse);
}

static bool changes(const stmt *s) {
    if (s->kind == S_ASSIGN || s->kind == S_FAIL || s->kind == S_ASSUME) return true;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (changes(s->body[i])) return true;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (changes(s->orelse[i])) return true;
    return false;
}

static bool any_changes(const body_list *l) {
    for (uint32_t i = 0; i < l->len; i++)
        if (changes(l->data[i])) return true;
    return false;
}

static void loop_from(translator *t, const stmt *s, uint32_t i, var *own, uint32_t nown);

// One round in which variable i is an other.
static void other_round(translator *t, const stmt *s, uint32_t i, var *own, uint32_t nown, uint32_t other) {
    vec_push(&t->env, (ident_binding){s->vars[i], {IDENT_OTHER, {0}, other}});
    loop_from(t, s, i + 1, own, nown);
    t->env.len--;
}

static void probe_rest(translator *t, const stmt *s, uint32_t i, var *own, uint32_t nown) {
    body_list dropped = {0}, *out = t->out;
    uint32_t pending = t->pending.len;
    bool before = t->is_probing;
    t->out = &dropped;
    t->is_probing = true;
    abstract_other(t->a, t->c->nothers);
    other_round(t, s, i, own, nown, t->c->nothers);
    if (any_changes(&dropped))
        abstract_refuse(t->a, s->at, "a loop over the abstracted sort changes what is not an element's own");
    t->is_probing = before;
    t->pending.len = pending;
    t->out = out;
    vec_free(&dropped);
}

static void rounds(translator *t, const stmt *s, const var *own, uint32_t nown) {
    body_list body = {0};
    expr cond = {0};
    t->loops += nown > 0;
    if (s->cond.id) cond = translate_exact(t, s->cond);
    statements(t, s->body, s->nbody, &body);
    t->loops -= nown > 0;
    if (body.len && nown) emit(t, model_forall(t->m, own, nown, cond, body.data, body.len, s->at));
    else if (body.len && cond.id) emit(t, model_if(t->m, cond, body.data, body.len, NULL, 0, s->at));
    else
        for (uint32_t i = 0; i < body.len; i++) emit(t, body.data[i]);
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

static void loop(translator *t, const stmt *s) {
    var own[16];
    if (s->nvars > 16) abstract_refuse(t->a, s->at, "a loop has more than 16 variables");
    else loop_from(t, s, 0, own, 0);
}

static void repeat(translator *t, const stmt *s) {
    body_list body = {0};
    t->loops++;
    expr cond = translate_exact(t, s->cond);
    statements(t, s->body, s->nbody, &body);
    t->loops--;
    emit(t, model_while(t->m, cond, body.data, body.len, s->at));
    vec_free(&body);
}

// ---- dispatch

static void block(translator *t, const stmt *s) {
    body_list body = {0};
    statements(t, s->body, s->nbody, &body);
    if (body.len) emit(t, model_block(t->m, s->kind, body.data, body.len, s->at));
    vec_free(&body);
}

static void statement(translator *t, const stmt *s) {
    switch (s->kind) {
    case S_ASSIGN: assign(t, s); return;
    case S_IF: branch(t, s); return;
    case S_FORALL: loop(t, s); return;
    case S_PAR: abstract_refuse(t->a, s->at, "a rule is a simultaneous update"); return;
    case S_SEQ: block(t, s); return;
    case S_WHILE: repeat(t, s); return;
    case S_ASSUME: impossible_unless(t, translate_bool(t, s->cond, MAY), s->is_guard, s->at); return;
    case S_FAIL:
        if (t->c->nothers) impossible_unless(t, t->m->false_expr, true, s->at);
        else emit(t, s);
    }
}

static bool writes_kept(const model *m, const stmt *s) {
    if (s->kind == S_ASSIGN) return !func_of(m, s->target)->is_scratch;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (writes_kept(m, s->body[i])) return true;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (writes_kept(m, s->orelse[i])) return true;
    return s->kind == S_FAIL;
}

void translate_body(abstraction *a, abstract_case *c, const stmt *body) {
    if (!body || a->refusal) return;
    translator t = {.a = a, .m = a->m, .c = c, .whole = body};
    body_list out = {0};
    for (uint32_t i = 0; i < c->env.len; i++) vec_push(&t.env, c->env.data[i]);
    t.out = &out;
    begin_rows(&t);
    statement(&t, body);
    const stmt *whole = model_block(a->m, S_SEQ, out.data, out.len, body->at);
    if (writes_kept(a->m, whole)) c->body = whole;
    vec_free(&out);
    translator_free(&t);
}
