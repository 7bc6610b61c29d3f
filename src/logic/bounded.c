// SPDX-License-Identifier: Apache-2.0
// Steps of a system of fixed sizes: see bounded.h.
//
// One formula says what a step is: for some rule, its guard holds, what it writes has its new value and all else its
// old one. A parameter is a constant without arguments that the solver chooses, so that a rule is stated once and not
// for every choice of elements; rules share these constants. An initial state is the state after such a step of the
// init rules, from the initial values. Orders of ordered sorts are the solver's choice too: then elements can be
// renamed in every formula, whatever the sort.
#include "logic/bounded.h"

#include "logic/ground.h"
#include "model/expr.h"
#include "model/overlay.h"
#include "model/update.h"

#include <assert.h>

struct bounded {
    model *m;  // on top of the instance's
    const instance *in;
    sys system;
    VEC(func) params;  // constants that stand for parameters
    rule_info step, start;
    update_list none;
    ground steps, starts;
    uint64_t work;
};

// ---- rules as formulas

// The constant for the next parameter of a type that a rule has; `taken` are those it has already.
static func bounded_param(bounded *b, type t, bits *taken) {
    for (uint32_t i = 0; i < b->params.len; i++)
        if (type_same(func_of(b->m, b->params.data[i])->result, t) && !bits_has(taken, i)) {
            bits_add(taken, i);
            return b->params.data[i];
        }
    func_info info = {.name = arena_printf(b->m->memory, "choice %u", b->params.len), .result = t};
    info.starts_any = info.is_rigid = true;
    info.owner = b->system;
    bits_add(taken, b->params.len);
    vec_push(&b->params, model_add_func(b->m, info));
    return vec_last(&b->params);
}

static expr bounded_applied(bounded *b, func f, const var *vars, bool next) {
    expr args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < func_of(b->m, f)->nargs; i++) args[i] = expr_var(b->m, vars[i]);
    return next ? expr_next(b->m, f, args) : expr_app(b->m, f, args);
}

static const var *bounded_formals(bounded *b, func f) {
    const func_info info = *func_of(b->m, f);
    var *vars = arena_alloc(b->m->memory, (info.nargs + 1) * sizeof *vars);
    for (uint32_t i = 0; i < info.nargs; i++) vars[i] = model_add_var(b->m, "x", info.args[i], (span){0});
    return vars;
}

// What the rule makes of the function, for all its arguments.
static expr bounded_effect(bounded *b, const update_list *updates, func f) {
    const update *u = update_find(updates, f);
    const var *vars = u ? u->formals : bounded_formals(b, f);
    expr old = u ? u->value : bounded_applied(b, f, vars, false);
    expr same = expr_eq(b->m, bounded_applied(b, f, vars, true), old);
    return expr_forall(b->m, vars, func_of(b->m, f)->nargs, same);
}

static expr bounded_of_rule(bounded *b, const rule_info *r, const func_list *changed) {
    update_list updates = {0};
    expr_list parts = {0};
    bool ok = update_of(b->m, r->body, &updates);
    assert(ok);  // the questions for all sizes have seen the rule
    (void)ok;
    if (r->guard.id) vec_push(&parts, expr_inline(b->m, r->guard));
    if (r->relation.id) vec_push(&parts, expr_inline(b->m, r->relation));
    for (uint32_t i = 0; i < changed->len; i++)
        if (!rule_chooses(r, changed->data[i])) vec_push(&parts, bounded_effect(b, &updates, changed->data[i]));
    bits taken = {0};
    VEC(expr) with = {0};
    for (uint32_t i = 0; i < r->nparams; i++) {
        func c = bounded_param(b, var_of(b->m, r->params[i])->ty, &taken);
        vec_push(&with, expr_app(b->m, c, NULL));
    }
    expr e = expr_subst(b->m, expr_and_all(b->m, parts.data, parts.len), r->params, with.data, r->nparams);
    bits_free(&taken);
    vec_free(&with);
    vec_free(&parts);
    vec_free(&updates);
    return e;
}

// The functions that some rule changes.
static void bounded_changed(bounded *b, func_list *out) {
    const sys_info s = *sys_of(b->m, b->in->system);
    bits seen = {0};
    for (uint32_t r = 0; r < s.rules.len; r++) {
        const rule_info info = *rule_of(b->m, s.rules.data[r]);
        update_list updates = {0};
        update_of(b->m, info.body, &updates);
        for (uint32_t i = 0; i < s.funcs.len; i++)
            if (rule_chooses(&info, s.funcs.data[i]) || update_find(&updates, s.funcs.data[i])) bits_add(&seen, i);
        vec_free(&updates);
    }
    BITS_EACH(i, &seen) vec_push(out, s.funcs.data[i]);
    bits_free(&seen);
}

// One rule that is any of them.
static rule_info bounded_any(bounded *b, const rule *rules, uint32_t n, func_list *changed) {
    expr_list cases = {0};
    for (uint32_t i = 0; i < n; i++) {
        const rule_info info = *rule_of(b->m, rules[i]);
        vec_push(&cases, bounded_of_rule(b, &info, changed));
    }
    if (!n) vec_push(&cases, bounded_of_rule(b, &(rule_info){0}, changed));
    rule_info any = {.relation = expr_or_all(b->m, cases.data, cases.len), .nchosen = changed->len};
    any.chosen = arena_copy(b->m->memory, changed->data, changed->len * sizeof(func));
    vec_free(&cases);
    return any;
}

// A system with the same functions and axioms, and the constants.
static void bounded_make_system(bounded *b) {
    const sys_info s = *sys_of(b->m, b->in->system);
    b->system = model_add_system(b->m, s.name, s.at);
    for (uint32_t i = 0; i < s.funcs.len; i++) vec_push(&sys_of(b->m, b->system)->funcs, s.funcs.data[i]);
    for (uint32_t i = 0; i < s.axioms.len; i++) vec_push(&sys_of(b->m, b->system)->axioms, s.axioms.data[i]);
}

static void bounded_make_rules(bounded *b) {
    const sys_info s = *sys_of(b->m, b->in->system);
    func_list changed = {0}, all = {0};
    bounded_changed(b, &changed);
    for (uint32_t i = 0; i < s.funcs.len; i++) vec_push(&all, s.funcs.data[i]);
    b->step = bounded_any(b, s.rules.data, s.rules.len, &changed);
    if (!s.rules.len) b->step.relation = expr_bool(b->m, false);
    b->start = bounded_any(b, s.inits.data, s.inits.len, &all);
    vec_free(&changed);
    vec_free(&all);
}

// ---- questions

bounded *bounded_new(const instance *in, const limits *stop) {
    bounded *b = mem_zero(1, sizeof *b);
    b->in = in;
    b->m = overlay_new(in->m);
    bounded_make_system(b);
    bounded_make_rules(b);
    uint32_t *none = mem_zero(b->m->types.len, sizeof *none);
    ground_setting steps = {&b->none, &b->step, NULL, false, none, in->sort_size};
    ground_setting starts = {&b->none, &b->start, NULL, true, none, in->sort_size};
    ground_init(&b->steps, b->m, b->system, &steps, stop);
    ground_init(&b->starts, b->m, b->system, &starts, stop);
    free(none);
    if (!b->steps.is_cut && !b->starts.is_cut) return b;
    bounded_free(b);
    return NULL;
}

void bounded_free(bounded *b) {
    if (!b) return;
    ground_done(&b->steps);
    ground_done(&b->starts);
    vec_free(&b->params);
    model_free(b->m);
    free(b);
}

static ground *bounded_ground(bounded *b, bounded_when when) { return when == BOUNDED_START ? &b->starts : &b->steps; }

int bounded_literal(bounded *b, bounded_when when, expr e, bool negated, const var *vars, const value *at, uint32_t n) {
    ground *g = bounded_ground(b, when);
    ground_make_room(g);
    for (uint32_t i = 0; i < n; i++) g->env[vars[i].id] = at[i];
    return formula_literal(g, e, negated, when != BOUNDED_BEFORE);
}

int bounded_var(bounded *b, bounded_when when) { return sat_var(&bounded_ground(b, when)->solver); }

void bounded_clause(bounded *b, bounded_when when, const int *lits, uint32_t n) {
    sat_clause(&bounded_ground(b, when)->solver, lits, n);
}

sat_answer bounded_solve(bounded *b, bounded_when when, const int *assumed, uint32_t n) {
    ground *g = bounded_ground(b, when);
    if (g->is_cut) return SAT_STOPPED;
    for (uint32_t i = 0; i < n; i++) sat_assume(&g->solver, assumed[i]);
    b->work += (uint64_t)g->solver.nvars;
    sat_answer found = sat_solve(&g->solver, 0);
    if (found == SAT_YES) finite_read(g);
    return found;
}

bool bounded_needs(const bounded *b, bounded_when when, int lit) {
    return sat_in_core(when == BOUNDED_START ? &b->starts.solver : &b->steps.solver, lit);
}

static value bounded_element(const ground *g, type t, value v) {
    return type_is_unbounded(g->m, t) ? g->domains[t.id].members.data[v] : v;
}

static value bounded_position(const ground *g, type t, value v) {
    return type_is_unbounded(g->m, t) ? (value)g->domains[t.id].rank.data[v] : v;
}

void bounded_state(bounded *b, bounded_when when, value *state) {
    const ground *g = bounded_ground(b, when);
    value args[MODEL_MOST_ARGS];
    for (uint32_t c = 0; c < b->in->ncells; c++) {
        func f = instance_cell_func(b->in, c, args);
        const table *t = &g->tables[f.id];
        for (uint32_t i = 0; i < t->nargs; i++) args[i] = bounded_element(g, t->args[i], args[i]);
        bool after = when != BOUNDED_BEFORE && t->is_chosen;
        state[c] = bounded_position(g, t->result, t->val[after][cells_index(g, t, args)]);
    }
}

uint64_t bounded_work(const bounded *b) { return b->work; }
