// SPDX-License-Identifier: Apache-2.0
// Are the elements of symmetric sorts alike? See alike.h. Searching only representatives of orbits is right as
// long as exchanging elements maps steps to steps, and "holds" to "holds". Two things could spoil that:
// - a constant of the sort in a rule or a condition;
// - a loop whose result depends on the order of its rounds. Rounds are independent when every assignment in
//   the loop has the loop's variable as an argument, so that no two rounds write the same cell; and, for loops
//   in a sequence, where a round sees what earlier ones wrote, when every function that the loop writes is
//   written and read only with the variable at one and the same argument: a round sees no other round's cells
//   (rounds.h knows more loops of that kind).
// Each concerns the sorts of that constant or variable; exchanging elements of other sorts stays right, so the search
// for exceptions goes on with the sorts that are left until there are no more.
// The test is one-sided: it may call a symmetric sort asymmetric, never the other way round.
#include "explore/alike.h"

#include "base/bits.h"
#include "explore/rounds.h"
#include "model/stmt.h"

typedef struct {
    const instance *in;
    const model *m;
    const stmt *whole;  // the body of the rule that is looked at
    bits seen;          // expressions without anything wrong
    alike_exceptions *exceptions;
    type found;  // the type of what tells elements apart
} checker;

static bool is_exception(const checker *c, type t) {
    for (uint32_t i = 0; i < c->exceptions->len; i++)
        if (type_same(c->exceptions->data[i].sort, t)) return true;
    return false;
}

static bool is_symmetric_sort(const checker *c, type t) {
    const type_info *info = type_of(c->m, t);
    return info->kind == TYPE_SORT && !info->is_ordered && instance_type_size(c->in, t) > 1 &&
           !is_exception(c, t);
}

// A symmetric sort, or a union with one.
static bool is_symmetric(const checker *c, type t) {
    const type_info *info = type_of(c->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (is_symmetric(c, info->members[i])) return true;
    return is_symmetric_sort(c, t);
}

static void add_exceptions(checker *c, type t, span at) {
    const type_info *info = type_of(c->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++) add_exceptions(c, info->members[i], at);
    if (is_symmetric_sort(c, t)) vec_push(c->exceptions, (alike_exception){t, at});
}

// ---- constants

// The type of which v is an element: a member, if it is a union.
static type type_of_element(const checker *c, type t, value v) {
    const type_info *info = type_of(c->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++) {
        value size = (value)instance_type_size(c->in, info->members[i]);
        if (v < size) return info->members[i];
        v -= size;
    }
    return t;
}

static bool names_element(checker *c, type t, value v) {
    c->found = type_of_element(c, t, v);
    return is_symmetric(c, c->found);
}

static bool has_constant(checker *c, expr e) {
    if (!e.id || bits_has(&c->seen, e.id)) return false;
    const expr_info *x = expr_of(c->m, e);
    if (x->kind == E_CONST && names_element(c, x->ty, (value)x->ref)) return true;
    if (x->kind == E_CALL && has_constant(c, def_of(c->m, (def){x->ref})->body)) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (has_constant(c, x->args[i])) return true;
    bits_add(&c->seen, e.id);
    return false;
}

// ---- what a loop reads

// At which arguments do all writes of f in s have the variable v? As bits.
static void meet_arguments(const model *m, const stmt *s, func f, var v, uint64_t *common) {
    if (s->kind == S_ASSIGN && s->target.id == f.id) {
        uint64_t here = 0;
        for (uint32_t i = 0; i < s->nargs && i < 64; i++) {
            const expr_info *x = expr_of(m, s->args[i]);
            if (x->kind == E_VAR && x->ref == v.id) here |= UINT64_C(1) << i;
        }
        *common &= here;
    }
    for (uint32_t i = 0; i < s->nbody; i++) meet_arguments(m, s->body[i], f, v, common);
    for (uint32_t i = 0; i < s->norelse; i++) meet_arguments(m, s->orelse[i], f, v, common);
}

typedef struct {
    const model *m;
    const stmt *loop;
    var v;
    bits seen;
    bits hidden;  // expressions seen where v means something else
} reader;

static bool reads_own_cells(const reader *r, const expr_info *x, bool is_hidden) {
    uint64_t common = is_hidden ? 0 : UINT64_MAX;
    meet_arguments(r->m, r->loop, (func){x->ref}, r->v, &common);
    for (uint32_t i = 0; i < x->nargs && i < 64; i++) {
        const expr_info *arg = expr_of(r->m, x->args[i]);
        if (common >> i & 1 && arg->kind == E_VAR && arg->ref == r->v.id) return true;
    }
    return false;
}

// Can e see a cell that another round writes? Below a binder of the same variable, and in definitions, v is
// hidden.
static bool sees_others(reader *r, expr e, bool is_hidden) {
    bits *seen = is_hidden ? &r->hidden : &r->seen;
    if (!e.id || bits_has(seen, e.id)) return false;
    const expr_info *x = expr_of(r->m, e);
    bool is_read = x->kind == E_APP || x->kind == E_DEFINED;
    if (is_read && stmt_writes(r->loop, (func){x->ref}) && !reads_own_cells(r, x, is_hidden)) return true;
    if (x->kind == E_CALL && sees_others(r, def_of(r->m, (def){x->ref})->body, true)) return true;
    bool hides = is_hidden || (expr_kind_binds(x->kind) && x->ref == r->v.id);
    for (uint32_t i = 0; i < x->nargs; i++)
        if (sees_others(r, x->args[i], hides)) return true;
    bits_add(seen, e.id);
    return false;
}

static bool binds(const stmt *s, var v) {
    for (uint32_t i = 0; i < s->nvars; i++)
        if (s->vars[i].id == v.id) return true;
    return false;
}

static bool stmt_sees_others(reader *r, const stmt *s) {
    if (s != r->loop && binds(s, r->v)) return true;
    if (sees_others(r, s->cond, false) || sees_others(r, s->value, false)) return true;
    for (uint32_t i = 0; i < s->nargs; i++)
        if (sees_others(r, s->args[i], false)) return true;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (stmt_sees_others(r, s->body[i])) return true;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (stmt_sees_others(r, s->orelse[i])) return true;
    return false;
}

// ---- loops

static bool writes_own_cells(const model *m, const stmt *loop, const stmt *s, var v) {
    uint64_t common = UINT64_MAX;
    if (s->kind == S_ASSIGN) meet_arguments(m, loop, s->target, v, &common);
    if (common == 0 || (s != loop && binds(s, v))) return false;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (!writes_own_cells(m, loop, s->body[i], v)) return false;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (!writes_own_cells(m, loop, s->orelse[i], v)) return false;
    return true;
}

// Where one round is impossible and another one faults, the first of them counts.
static bool has_assumption(const stmt *s) {
    if (s->kind == S_ASSUME) return true;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (has_assumption(s->body[i])) return true;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (has_assumption(s->orelse[i])) return true;
    return false;
}

static bool are_rounds_independent(const checker *c, const stmt *loop, var v, bool is_sequential) {
    const model *m = c->m;
    if (is_sequential && !has_assumption(loop) && rounds_any_order(m, c->whole, loop, v)) return true;
    if (!writes_own_cells(m, loop, loop, v) || has_assumption(loop)) return false;
    if (!is_sequential) return true;
    reader r = {.m = m, .loop = loop, .v = v};
    bool sees = stmt_sees_others(&r, loop);
    bits_free(&r.seen);
    bits_free(&r.hidden);
    return !sees;
}

static bool is_loop_alike(checker *c, const stmt *s, bool is_sequential) {
    for (uint32_t i = 0; i < s->nvars && !s->any_order; i++) {
        c->found = var_of(c->m, s->vars[i])->ty;
        if (is_symmetric(c, c->found) && !are_rounds_independent(c, s, s->vars[i], is_sequential))
            return false;
    }
    return true;
}

// ---- statements and rules

static bool stmt_has_constant(checker *c, const stmt *s) {
    if (has_constant(c, s->cond) || has_constant(c, s->value)) return true;
    for (uint32_t i = 0; i < s->nargs; i++)
        if (has_constant(c, s->args[i])) return true;
    return false;
}

static void look_at_stmt(checker *c, const stmt *s, bool is_sequential) {
    is_sequential &= s->kind != S_PAR;
    while (stmt_has_constant(c, s) || (s->kind == S_FORALL && !is_loop_alike(c, s, is_sequential)))
        add_exceptions(c, c->found, s->at);
    for (uint32_t i = 0; i < s->nbody; i++) look_at_stmt(c, s->body[i], is_sequential);
    for (uint32_t i = 0; i < s->norelse; i++) look_at_stmt(c, s->orelse[i], is_sequential);
}

static void look_at_expr(checker *c, expr e, span at) {
    while (has_constant(c, e)) add_exceptions(c, c->found, at);
}

static void look_at_rule(checker *c, const rule_info *r) {
    look_at_expr(c, r->guard, r->at);
    for (uint32_t i = 0; i < r->nrequires; i++) look_at_expr(c, r->requires[i].cond, r->at);
    c->whole = r->body;
    if (r->body) look_at_stmt(c, r->body, true);
}

void alike_find_exceptions(const instance *in, const expr *conds, uint32_t nconds, alike_exceptions *out) {
    checker c = {.in = in, .m = in->m, .exceptions = out};
    const sys_info *system = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < system->rules.len; i++) look_at_rule(&c, rule_of(in->m, system->rules.data[i]));
    for (uint32_t i = 0; i < nconds; i++) look_at_expr(&c, conds[i], expr_of(in->m, conds[i])->at);
    bits_free(&c.seen);
}
