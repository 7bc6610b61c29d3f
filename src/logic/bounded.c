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

// Literals of a rule, at the constants that stand for its parameters.
typedef struct {
    int fires, is_barred;  // it is the step; its guard is false
} lifted;

struct bounded {
    model *m;  // on top of the instance's
    const instance *in;
    sys system;
    VEC(func) params;  // constants that stand for parameters
    rule_info step, start;
    update_list none;
    ground steps, starts;
    VEC(lifted) rules;  // made when first needed
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

// The formula at the constants that stand for the rule's parameters.
static expr bounded_at_params(bounded *b, const rule_info *r, expr e) {
    bits taken = {0};
    expr_list with = {0};
    for (uint32_t i = 0; i < r->nparams; i++) {
        func c = bounded_param(b, var_of(b->m, r->params[i])->ty, &taken);
        vec_push(&with, expr_app(b->m, c, NULL));
    }
    expr at = expr_subst(b->m, e, r->params, with.data, r->nparams);
    bits_free(&taken);
    vec_free(&with);
    return at;
}

static expr bounded_guard(bounded *b, const rule_info *r) {
    expr e = r->guard.id ? expr_inline(b->m, r->guard) : expr_bool(b->m, true);
    return bounded_at_params(b, r, e);
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
    expr e = bounded_at_params(b, r, expr_and_all(b->m, parts.data, parts.len));
    vec_free(&parts);
    vec_free(&updates);
    return e;
}

// Does the rule read nothing that it changes? Then what it makes of the state before says what the state after is.
static bool bounded_is_static(const bounded *b, const rule_info *r, const update_list *updates) {
    bool ok = !r->relation.id;
    for (uint32_t i = 0; i < updates->len && ok; i++) {
        func f = updates->data[i].target;
        ok = !r->guard.id || !expr_reads(b->m, expr_inline(b->m, r->guard), f);
        for (uint32_t k = 0; k < updates->len && ok; k++) ok = !expr_reads(b->m, updates->data[k].value, f);
    }
    return ok;
}

// That the function is as it starts, after the rule.
static expr bounded_starts_as(bounded *b, const update_list *updates, func f) {
    const func_info info = *func_of(b->m, f);
    const update *u = update_find(updates, f);
    if (!u && cells_starts_free(b->m, &info)) return expr_bool(b->m, true);
    const var *vars = u ? u->formals : bounded_formals(b, f);
    expr is = u ? u->value : expr_const(b->m, info.result, info.initial);
    return expr_forall(b->m, vars, info.nargs, expr_eq(b->m, bounded_applied(b, f, vars, false), is));
}

// Is the state before the step one that the rule starts with? The null expression where that cannot be said.
static expr bounded_start_of(bounded *b, const rule_info *r) {
    const sys_info s = *sys_of(b->m, b->in->system);
    update_list updates = {0};
    expr_list parts = {0};
    expr e = {0};
    if (update_of(b->m, r->body, &updates) && bounded_is_static(b, r, &updates)) {
        if (r->guard.id) vec_push(&parts, expr_inline(b->m, r->guard));
        for (uint32_t i = 0; i < s.funcs.len; i++) vec_push(&parts, bounded_starts_as(b, &updates, s.funcs.data[i]));
        e = expr_exists(b->m, r->params, r->nparams, expr_and_all(b->m, parts.data, parts.len));
    }
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
    ground_setting steps = {&b->none, &b->step, NULL, false, none, in->sort_size, false};
    ground_setting starts = {&b->none, &b->start, NULL, true, none, in->sort_size, false};
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
    vec_free(&b->rules);
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

int bounded_initial(bounded *b) {
    const sys_info s = *sys_of(b->m, b->in->system);
    expr_list cases = {0};
    int found = 0;
    for (uint32_t i = 0; i < s.inits.len; i++) {
        const rule_info info = *rule_of(b->m, s.inits.data[i]);
        vec_push(&cases, bounded_start_of(b, &info));
    }
    if (!s.inits.len) vec_push(&cases, bounded_start_of(b, &(rule_info){0}));
    bool ok = true;
    for (uint32_t i = 0; i < cases.len; i++) ok &= cases.data[i].id != 0;
    if (ok) {
        expr e = expr_or_all(b->m, cases.data, cases.len);
        found = bounded_literal(b, BOUNDED_BEFORE, e, false, NULL, NULL, 0);
    }
    vec_free(&cases);
    return found;
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

// ---- what of a state a step rests on

static void bounded_make_literals(bounded *b) {
    const sys_info s = *sys_of(b->m, b->in->system);
    func_list changed = {0};
    bounded_changed(b, &changed);
    for (uint32_t i = b->rules.len; i < s.rules.len; i++) {
        const rule_info info = *rule_of(b->m, s.rules.data[i]);
        expr guard = bounded_guard(b, &info);
        lifted l = {.fires =
                        bounded_literal(b, BOUNDED_BEFORE, bounded_of_rule(b, &info, &changed), false, NULL, NULL, 0),
                    .is_barred = bounded_literal(b, BOUNDED_BEFORE, guard, true, NULL, NULL, 0)};
        vec_push(&b->rules, l);
    }
    vec_free(&changed);
}

static sat_answer bounded_ask(bounded *b, const lit_list *given, const int *more, uint32_t n) {
    for (uint32_t i = 0; i < given->len; i++) sat_assume(&b->steps.solver, given->data[i]);
    for (uint32_t i = 0; i < n; i++) sat_assume(&b->steps.solver, more[i]);
    return sat_solve(&b->steps.solver, 0);
}

static void bounded_note_needed(bounded *b, const int *state, uint32_t n, bits *needed) {
    for (uint32_t i = 0; i < n; i++)
        if (sat_in_core(&b->steps.solver, state[i])) bits_add(needed, i);
}

// The parameters, as the last answer has them.
static void bounded_choices(bounded *b, lit_list *out) {
    for (uint32_t i = 0; i < b->params.len; i++) {
        const table *t = &b->steps.tables[b->params.data[i].id];
        vec_push(out, cells_is(&b->steps, t, false, NULL, t->val[0][0]));
    }
}

bool bounded_lift(bounded *b, const int *state, uint32_t nstate, const int *after, uint32_t nafter, int escapes,
                  bits *needed) {
    lit_list given = {0};
    bool ok = false;
    bounded_choices(b, &given);
    bounded_make_literals(b);
    for (uint32_t i = 0; i < nstate; i++) vec_push(&given, state[i]);
    uint32_t nknown = given.len;
    for (uint32_t r = 0; r < b->rules.len && !ok; r++) {
        given.len = nknown;
        vec_push(&given, b->rules.data[r].fires);
        if (bounded_ask(b, &given, after, nafter) != SAT_YES) continue;
        ok = bounded_ask(b, &given, &escapes, 1) == SAT_NO;
        if (ok) bounded_note_needed(b, state, nstate, needed);
        given.len = nknown;
        ok = ok && bounded_ask(b, &given, &b->rules.data[r].is_barred, 1) == SAT_NO;
        if (ok) bounded_note_needed(b, state, nstate, needed);
    }
    b->work += 2 * (uint64_t)b->steps.solver.nvars;
    vec_free(&given);
    return ok;
}

uint64_t bounded_work(const bounded *b) { return b->work; }
