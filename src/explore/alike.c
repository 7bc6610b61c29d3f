// SPDX-License-Identifier: Apache-2.0
// Are the elements of symmetric sorts alike? See alike.h. Searching only representatives of orbits is right as
// long as exchanging elements maps steps to steps, and "holds" to "holds". Two things could spoil that:
// - a constant of the sort in a rule or a condition;
// - a loop whose result depends on the order of its rounds. Rounds are independent when every assignment in
//   the loop has the loop's variable as an argument, so that no two rounds write the same cell; and, for loops
//   in a sequence, where a round sees what earlier ones wrote, when every function that the loop writes is
//   written and read only with the variable at one and the same argument: a round sees no other round's cells
//   (rounds.h knows more loops of that kind).
// The test is one-sided: it may call a symmetric model asymmetric, never the other way round.
#include "explore/alike.h"

#include "base/bits.h"
#include "explore/rounds.h"
#include "model/stmt.h"

typedef struct {
    const instance *in;
    const model *m;
    const stmt *whole;  // the body of the rule that is looked at
    bits seen;          // expressions without anything wrong
    span *at;
} checker;

// A symmetric sort of several elements, or a union with one.
static bool is_symmetric(const instance *in, type t) {
    const type_info *info = type_of(in->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (is_symmetric(in, info->members[i])) return true;
    return info->kind == TYPE_SORT && !info->is_ordered && instance_type_size(in, t) > 1;
}

// ---- constants

static bool names_element(const instance *in, type t, value v) {
    const type_info *info = type_of(in->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++) {
        value size = (value)instance_type_size(in, info->members[i]);
        if (v < size) return is_symmetric(in, info->members[i]);
        v -= size;
    }
    return is_symmetric(in, t);
}

static bool has_constant(checker *c, expr e) {
    if (!e.id || bits_has(&c->seen, e.id)) return false;
    const expr_info *x = expr_of(c->m, e);
    if (x->kind == E_CONST && names_element(c->in, x->ty, (value)x->ref)) return true;
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
    for (uint32_t i = 0; i < s->nvars; i++)
        if (is_symmetric(c->in, var_of(c->m, s->vars[i])->ty) && !s->any_order &&
            !are_rounds_independent(c, s, s->vars[i], is_sequential))
            return false;
    return true;
}

// ---- statements and rules

static bool stmt_has_constant(checker *c, const stmt *s) {
    if (has_constant(c, s->cond) || has_constant(c, s->value)) return true;
    for (uint32_t i = 0; i < s->nargs; i++)
        if (has_constant(c, s->args[i])) return true;
    return false;
}

static bool is_stmt_alike(checker *c, const stmt *s, bool is_sequential) {
    is_sequential &= s->kind != S_PAR;
    if (stmt_has_constant(c, s) || (s->kind == S_FORALL && !is_loop_alike(c, s, is_sequential))) {
        *c->at = s->at;
        return false;
    }
    for (uint32_t i = 0; i < s->nbody; i++)
        if (!is_stmt_alike(c, s->body[i], is_sequential)) return false;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (!is_stmt_alike(c, s->orelse[i], is_sequential)) return false;
    return true;
}

static bool is_rule_alike(checker *c, const rule_info *r) {
    bool is_alike = !has_constant(c, r->guard);
    for (uint32_t i = 0; i < r->nrequires; i++) is_alike &= !has_constant(c, r->requires[i].cond);
    if (!is_alike) *c->at = r->at;
    c->whole = r->body;
    return is_alike && (!r->body || is_stmt_alike(c, r->body, true));
}

bool alike_elements(const instance *in, const expr *conds, uint32_t nconds, span *at) {
    checker c = {.in = in, .m = in->m, .at = at};
    const sys_info *system = sys_of(in->m, in->system);
    bool is_alike = true;
    for (uint32_t i = 0; i < system->rules.len && is_alike; i++)
        is_alike = is_rule_alike(&c, rule_of(in->m, system->rules.data[i]));
    for (uint32_t i = 0; i < nconds && is_alike; i++) {
        is_alike = !has_constant(&c, conds[i]);
        if (!is_alike) *at = expr_of(in->m, conds[i])->at;
    }
    bits_free(&c.seen);
    return is_alike;
}
