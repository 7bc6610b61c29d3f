// SPDX-License-Identifier: Apache-2.0
// Obligations: see obligation.h. Only functions that a set's goals or relation mention in the state after get a step
// axiom; leaving a true hypothesis out is sound.
#include "logic/obligation.h"

#include "logic/logic_int.h"
#include "logic/plain.h"
#include "model/expr.h"
#include "model/update.h"
#include "model/walk.h"

typedef VEC(expr) expr_list;
typedef VEC(obligation_goal) goal_list;

typedef struct {
    obligations *out;
    model *m;
    const expr *invariant;
    uint32_t n;
    const bits *granted;  // lemmas that need no proof; may be NULL
    prop property;
} builder;

static void obligation_add(builder *b, expr_list *to, expr e) {
    expr x = plain_formula(b->m, e);
    if (!expr_is_true(b->m, x)) vec_push(to, x);
}

// ---- the state after

static expr next_visit(model *m, expr e, void *context) {
    (void)context;
    expr_info x = *expr_of(m, e);
    if (x.kind != E_APP || func_of(m, (func){x.ref})->is_rigid) return e;
    return expr_next(m, (func){x.ref}, x.args);
}

static expr primed(model *m, expr e) { return expr_rewrite(m, expr_inline(m, e), next_visit, NULL); }

static const update *obligation_update_in(const update_list *updates, func f) {
    for (uint32_t i = 0; i < updates->len; i++)
        if (updates->data[i].target.id == f.id) return &updates->data[i];
    return NULL;
}

static bool obligation_is_chosen(const rule_info *info, func f) {
    for (uint32_t i = 0; i < info->nchosen; i++)
        if (info->chosen[i].id == f.id) return true;
    return false;
}

// ∀y. f'(y) = e(y), or f(y) when nothing is written.
static expr step_axiom(model *m, func f, const update *u) {
    func_info info = *func_of(m, f);
    var formals[MATRIX_MOST_ARGS];
    expr args[MATRIX_MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++) {
        formals[i] = u ? u->formals[i] : model_add_var(m, "y", info.args[i], info.at);
        args[i] = expr_var(m, formals[i]);
    }
    expr after = expr_next(m, f, args), before = u ? u->value : expr_app(m, f, args);
    return expr_forall(m, formals, info.nargs, expr_eq(m, after, before));
}

static void obligation_add_step(builder *b, rule r, const update_list *updates, const bits *funcs,
                                expr_list *hypotheses) {
    rule_info info = r.id ? *rule_of(b->m, r) : (rule_info){0};
    for (uint32_t i = bits_next(funcs, 0); i != UINT32_MAX; i = bits_next(funcs, i + 1))
        if (!obligation_is_chosen(&info, (func){i}))
            obligation_add(b, hypotheses, step_axiom(b->m, (func){i}, obligation_update_in(updates, (func){i})));
    if (info.guard.id) obligation_add(b, hypotheses, info.guard);
    if (info.relation.id) obligation_add(b, hypotheses, info.relation);
}

// ---- sets

static void add_axioms(builder *b, expr_list *hypotheses) {
    sys s = b->out->system;
    for (uint32_t i = 0; i < sys_of(b->m, s)->axioms.len; i++)
        obligation_add(b, hypotheses, sys_of(b->m, s)->axioms.data[i].cond);
}

static void add_invariant(builder *b, expr_list *hypotheses) {
    for (uint32_t i = 0; i < b->n; i++) obligation_add(b, hypotheses, b->invariant[i]);
}

static void finish_set(builder *b, obligation_kind kind, rule r, expr_list *hypotheses, goal_list *goals) {
    arena *memory = b->out->memory;
    obligation_set s = {.kind = kind, .r = r, .nhypotheses = hypotheses->len, .ngoals = goals->len};
    if (r.id) {
        s.params = rule_of(b->m, r)->params;
        s.nparams = rule_of(b->m, r)->nparams;
    }
    s.hypotheses = arena_copy(memory, hypotheses->data, hypotheses->len * sizeof *hypotheses->data);
    s.goals = arena_copy(memory, goals->data, goals->len * sizeof *goals->data);
    if (goals->len) vec_push(&b->out->sets, s);
    vec_free(hypotheses);
    vec_free(goals);
}

// Every lemma after the step of a rule (id 0: no step, the lemma itself).
static void lemma_goals(builder *b, rule r, const char *format, goal_list *goals, bits *funcs) {
    walk w = walk_expr(b->m, r.id ? rule_of(b->m, r)->relation : (expr){0}, 0);
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->granted && bits_has(b->granted, i)) continue;
        expr e = primed(b->m, b->invariant[i]);
        walk_add(&w, e, 0);
        char *name = arena_printf(b->out->memory, format, r.id ? rule_of(b->m, r)->name : "the start", i + 1);
        vec_push(goals, (obligation_goal){name, i, plain_formula(b->m, e)});
    }
    while (walk_next(&w))
        if (w.x->kind == E_NEXT) bits_add(funcs, w.x->ref);
}

// f(y) has the initial value for every y.
static expr start_axiom(model *m, func f) {
    func_info info = *func_of(m, f);
    var formals[MATRIX_MOST_ARGS];
    expr args[MATRIX_MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++) {
        formals[i] = model_add_var(m, "y", info.args[i], info.at);
        args[i] = expr_var(m, formals[i]);
    }
    expr start = expr_const(m, info.result, info.initial);
    return expr_forall(m, formals, info.nargs, expr_eq(m, expr_app(m, f, args), start));
}

static void obligation_add_start(builder *b, expr_list *hypotheses) {
    sys s = b->out->system;
    for (uint32_t i = 0; i < sys_of(b->m, s)->funcs.len; i++) {
        func f = sys_of(b->m, s)->funcs.data[i];
        const type_info *t = type_of(b->m, func_of(b->m, f)->result);
        bool has_neutral = t->kind != TYPE_SORT || t->is_ordered || t->fixed_size;
        if (!func_of(b->m, f)->starts_any && has_neutral) obligation_add(b, hypotheses, start_axiom(b->m, f));
    }
}

// A step that the property allows: that it is, is a safety obligation of its own.
static void add_allowed(builder *b, rule r, expr_list *hypotheses) {
    rule_info info = *rule_of(b->m, r);
    for (uint32_t i = 0; i < info.nrequires; i++)
        if (info.requires[i].property.id == b->property.id) obligation_add(b, hypotheses, info.requires[i].cond);
}

static bool add_step_set(builder *b, obligation_kind kind, rule r) {
    expr_list hypotheses = {0};
    goal_list goals = {0};
    update_list updates = {0};
    bits funcs = {0};
    bool starts = kind == OBLIGATION_INITIATION;
    bool ok = update_of(b->m, r.id ? rule_of(b->m, r)->body : NULL, &updates);
    add_axioms(b, &hypotheses);
    if (starts) obligation_add_start(b, &hypotheses);
    else {
        add_invariant(b, &hypotheses);
        add_allowed(b, r, &hypotheses);
    }
    lemma_goals(b, r, starts ? "%s establishes lemma %u" : "%s preserves lemma %u", &goals, &funcs);
    obligation_add_step(b, r, &updates, &funcs, &hypotheses);
    finish_set(b, kind, r, &hypotheses, &goals);
    bits_free(&funcs);
    vec_free(&updates);
    return ok;
}

static void add_requirements(builder *b, rule r) {
    expr_list hypotheses = {0};
    goal_list goals = {0};
    rule_info info = *rule_of(b->m, r);
    add_axioms(b, &hypotheses);
    add_invariant(b, &hypotheses);
    if (info.guard.id) obligation_add(b, &hypotheses, info.guard);
    for (uint32_t i = 0; i < info.nrequires; i++) {
        if (info.requires[i].property.id != b->property.id) continue;
        char *name = arena_printf(b->out->memory, "%s is allowed", info.name);
        vec_push(&goals, (obligation_goal){name, UINT32_MAX, plain_formula(b->m, info.requires[i].cond)});
    }
    finish_set(b, OBLIGATION_SAFETY, r, &hypotheses, &goals);
}

// That the rule leaves no range, by its guard alone.
static void obligation_add_condition(builder *b, const admit_condition *c) {
    expr_list hypotheses = {0};
    goal_list goals = {0};
    rule_info info = *rule_of(b->m, c->r);
    add_axioms(b, &hypotheses);
    if (info.guard.id) obligation_add(b, &hypotheses, info.guard);
    char *name = arena_printf(b->out->memory, "%s stays in its ranges", info.name);
    vec_push(&goals, (obligation_goal){name, UINT32_MAX, plain_formula(b->m, c->cond)});
    finish_set(b, OBLIGATION_SAFETY, c->r, &hypotheses, &goals);
}

static bool obligation_add_safety(builder *b) {
    prop_info p = *prop_of(b->m, b->property);
    sys s = b->out->system;
    if (p.kind == PROP_REFINES) {
        for (uint32_t i = 0; i < sys_of(b->m, s)->rules.len; i++) add_requirements(b, sys_of(b->m, s)->rules.data[i]);
        return true;
    }
    if (p.kind != PROP_INVARIANT) {
        diag_error(b->m->messages, p.at, "'%s' is not a property that an invariant can imply", p.name);
        return false;
    }
    expr_list hypotheses = {0};
    goal_list goals = {0};
    add_axioms(b, &hypotheses);
    add_invariant(b, &hypotheses);
    char *name = arena_printf(b->out->memory, "the invariant implies %s", p.name);
    vec_push(&goals, (obligation_goal){name, UINT32_MAX, plain_formula(b->m, p.cond)});
    finish_set(b, OBLIGATION_SAFETY, (rule){0}, &hypotheses, &goals);
    return true;
}

bool obligations_of(model *m, sys s, const expr *invariant, uint32_t n, const bits *granted, prop p, obligations *out) {
    *out = (obligations){.m = m, .system = s, .memory = arena_new()};
    admit_list conditions = {0};
    bool ok = admit_system(m, s, &conditions);
    builder b = {out, m, invariant, n, granted, p};
    for (uint32_t i = 0; ok && i < conditions.len; i++) obligation_add_condition(&b, &conditions.data[i]);
    vec_free(&conditions);
    if (!ok) return false;
    for (uint32_t i = 0; i < sys_of(m, s)->inits.len; i++)
        ok &= add_step_set(&b, OBLIGATION_INITIATION, sys_of(m, s)->inits.data[i]);
    if (!sys_of(m, s)->inits.len) ok &= add_step_set(&b, OBLIGATION_INITIATION, (rule){0});
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++)
        ok &= add_step_set(&b, OBLIGATION_CONSECUTION, sys_of(m, s)->rules.data[i]);
    return ok && obligation_add_safety(&b);
}

void obligations_free(obligations *o) {
    vec_free(&o->sets);
    arena_free(o->memory);
}
