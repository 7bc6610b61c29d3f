// SPDX-License-Identifier: Apache-2.0
// See round_trip.h. A pair is left out where, in the rule, a copy of all cells of a variable to a local is the only
// write of the local, and the copy back the only read of the local and the only write of the variable.
#include "pass/round_trip.h"

#include "base/mem.h"
#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"
#include "pass/restate.h"

typedef VEC(const stmt *) trip_list;

// A copy of all cells of one function to another.
typedef struct {
    const stmt *s;
    func to, from;  // id 0: it is none
} whole_copy;

static bool is_loop_var(const var *vars, uint32_t n, const model *m, expr e) {
    for (uint32_t i = 0; i < n; i++)
        if (expr_kind_of(m, e) == E_VAR && expr_of(m, e)->ref == vars[i].id) return true;
    return false;
}

// Each argument is the variable of a loop over all values of the argument's type, another one for each.
static bool is_all_cells(const model *m, func f, const expr *args, uint32_t nargs, const var *vars, uint32_t nvars) {
    if (nargs != nvars) return false;
    for (uint32_t i = 0; i < nargs; i++) {
        if (!is_loop_var(vars, nvars, m, args[i]) || !type_same(expr_type(m, args[i]), func_of(m, f)->args[i]))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (expr_same(args[i], args[k])) return false;
    }
    return true;
}

static bool trip_is_cell(const model *m, expr e, expr_kind kind, func f, const stmt *s) {
    const expr_info *x = expr_of(m, e);
    if (x->kind != kind || x->ref != f.id || x->nargs != s->nargs) return false;
    for (uint32_t i = 0; i < s->nargs; i++)
        if (!expr_same(x->args[i], s->args[i])) return false;
    return true;
}

// to(args) := from(args), where it has a value; else it has none after that either.
static bool is_copy(const model *m, const stmt *s, const stmt **written, func *from) {
    const stmt *set = s->kind == S_IF && s->nbody == 1 ? s->body[0] : s;
    if (set->kind != S_ASSIGN || !set->value.id || expr_kind_of(m, set->value) != E_APP) return false;
    *written = set;
    *from = (func){expr_of(m, set->value)->ref};
    const func_info *a = func_of(m, *from), *b = func_of(m, set->target);
    if (!trip_is_cell(m, set->value, E_APP, *from, set) || !type_same(a->result, b->result)) return false;
    if (s->kind != S_IF) return !a->may_be_undefined && !a->is_scratch;
    const stmt *unset = s->norelse == 1 ? s->orelse[0] : NULL;
    bool is_unset = unset && unset->kind == S_ASSIGN && !unset->value.id && unset->target.id == set->target.id;
    if (!is_unset || unset->nargs != set->nargs || !trip_is_cell(m, s->cond, E_DEFINED, *from, set)) return false;
    for (uint32_t i = 0; i < set->nargs; i++)
        if (!expr_same(unset->args[i], set->args[i])) return false;
    return true;
}

static whole_copy trip_copy_of(const model *m, const stmt *s) {
    var vars[MODEL_MOST_ARGS];
    uint32_t n = 0;
    whole_copy none = {0}, found = {.s = s};
    while (s->kind == S_FORALL || s->kind == S_SEQ) {
        if (s->nbody != 1 || s->cond.id || n + s->nvars > MODEL_MOST_ARGS) return none;
        for (uint32_t i = 0; i < s->nvars; i++) vars[n++] = s->vars[i];
        s = s->body[0];
    }
    const stmt *written;
    if (!is_copy(m, s, &written, &found.from)) return none;
    found.to = written->target;
    return is_all_cells(m, found.to, written->args, written->nargs, vars, n) ? found : none;
}

static bool is_used_in(const model *m, const stmt *s, func f, bool is_write) {
    walk w = walk_stmt(m, s, WALK_CALLS);
    while (walk_next(&w)) {
        bool reads = w.x && (w.x->kind == E_APP || w.x->kind == E_DEFINED) && w.x->ref == f.id;
        bool writes = w.s && w.s->kind == S_ASSIGN && w.s->target.id == f.id;
        if (is_write ? writes : reads) return walk_found(&w);
    }
    return false;
}

// Does any other statement write the local or the variable, or read the local?
static bool is_touched(const model *m, const trip_list *all, const whole_copy *there, const whole_copy *back) {
    for (uint32_t i = 0; i < all->len; i++) {
        const stmt *s = all->data[i];
        bool is_there = s == there->s, is_back = s == back->s;
        if (!is_there && is_used_in(m, s, there->to, true)) return true;
        if (!is_back && (is_used_in(m, s, there->to, false) || is_used_in(m, s, there->from, true))) return true;
    }
    return false;
}

static void trip_flatten(const stmt *s, trip_list *out) {
    for (uint32_t i = 0; i < s->nbody; i++)
        if (s->body[i]->kind == S_SEQ) trip_flatten(s->body[i], out);
        else vec_push(out, s->body[i]);
}

static uint32_t trips_of_rule(model *m, rule_info *r) {
    trip_list all = {0};
    uint32_t n = 0;
    if (r->body->kind == S_SEQ) trip_flatten(r->body, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        whole_copy there = trip_copy_of(m, all.data[i]), back = {0};
        if (!there.to.id || !func_of(m, there.to)->is_scratch || func_of(m, there.from)->is_scratch) continue;
        uint32_t k = i + 1;
        for (; k < all.len && !back.to.id; k++) {
            whole_copy c = trip_copy_of(m, all.data[k]);
            if (c.to.id == there.from.id && c.from.id == there.to.id) back = c;
        }
        if (!back.to.id || is_touched(m, &all, &there, &back)) continue;
        all.data[i] = all.data[k - 1] = model_block(m, S_SEQ, NULL, 0, r->at);
        n++;
    }
    if (n) r->body = model_block(m, S_SEQ, all.data, all.len, r->body->at);
    vec_free(&all);
    return n;
}

uint32_t round_trip_leave_out(model *m, sys s) {
    uint32_t n = 0;
    if (!restate_can(m, s)) return 0;
    const sys_info info = *sys_of(m, s);
    for (uint32_t i = 0; i < info.rules.len; i++) {
        rule_info own = *rule_of(m, info.rules.data[i]);
        if (own.body) n += trips_of_rule(m, &own);
        m->rules.data[info.rules.data[i].id] = own;
    }
    return n;
}
