// SPDX-License-Identifier: Apache-2.0
// Obligations: see obligation.h. Only functions that a set's goals or relation mention in the state after get a step
// axiom; leaving a true hypothesis out is sound.
#include "logic/obligation.h"

#include "logic/logic_int.h"
#include "logic/plain.h"
#include "model/expr.h"
#include "model/update.h"
#include "model/walk.h"

typedef struct {
    obligations *out;
    model *m;
    const expr *invariant;
    uint32_t n;
    const bits *granted;  // lemmas that need no proof; may be NULL
    prop property;
    VEC(expr) hypotheses;  // of the set that is being made
    VEC(obligation_goal) goals;
} builder;

// A hypothesis; id 0 is none.
static void obligation_add(builder *b, expr e) {
    expr x = e.id ? plain_formula(b->m, e) : b->m->true_expr;
    if (!expr_is_true(b->m, x)) vec_push(&b->hypotheses, x);
}

static void add_goal(builder *b, const char *name, uint32_t lemma_index, expr e) {
    vec_push(&b->goals, (obligation_goal){name, lemma_index, plain_formula(b->m, e)});
}

// ---- the state after

static expr next_visit(model *m, expr e, void *context) {
    (void)context;
    expr_info x = *expr_of(m, e);
    if (x.kind != E_APP || func_of(m, (func){x.ref})->is_rigid) return e;
    return expr_next(m, (func){x.ref}, x.args);
}

static expr primed(model *m, expr e) { return expr_rewrite(m, expr_inline(m, e), next_visit, NULL); }

// ∀y. left(y) = right(y): f'(y) is what is written, or what it was; at a start, f(y) has the initial value.
static expr state_axiom(model *m, func f, const update *u, bool is_start) {
    func_info info = *func_of(m, f);
    var formals[MATRIX_MOST_ARGS];
    expr args[MATRIX_MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++) {
        formals[i] = u ? u->formals[i] : model_add_var(m, "y", info.args[i], info.at);
        args[i] = expr_var(m, formals[i]);
    }
    expr before = expr_app(m, f, args), left = is_start ? before : expr_next(m, f, args);
    expr right = is_start ? expr_const(m, info.result, info.initial) : u ? u->value : before;
    return expr_forall(m, formals, info.nargs, expr_eq(m, left, right));
}

static void obligation_add_step(builder *b, rule r, const update_list *updates, const bits *funcs) {
    rule_info info = r.id ? *rule_of(b->m, r) : (rule_info){0};
    BITS_EACH(i, funcs)
        if (!rule_chooses(&info, (func){i}))
            obligation_add(b, state_axiom(b->m, (func){i}, update_find(updates, (func){i}), false));
    obligation_add(b, info.guard);
    obligation_add(b, info.relation);
}

// ---- sets

static void begin_set(builder *b, bool with_invariant) {
    for (uint32_t i = 0; i < sys_of(b->m, b->out->system)->axioms.len; i++)
        obligation_add(b, sys_of(b->m, b->out->system)->axioms.data[i].cond);
    for (uint32_t i = 0; with_invariant && i < b->n; i++) obligation_add(b, b->invariant[i]);
}

// A strict linear order, whose least element is one where it is named.
static void add_order(builder *b, type t, bool has_least) {
    model *m = b->m;
    var v[3];
    expr x[3];
    for (uint32_t i = 0; i < 3; i++) x[i] = expr_var(m, v[i] = model_add_var(m, "o", t, (span){0}));
    expr ab = expr_arith(m, E_LT, x[0], x[1]), ba = expr_arith(m, E_LT, x[1], x[0]);
    expr bc = expr_arith(m, E_LT, x[1], x[2]), ac = expr_arith(m, E_LT, x[0], x[2]);
    obligation_add(b, expr_forall(m, v, 1, expr_not(m, expr_arith(m, E_LT, x[0], x[0]))));
    obligation_add(b, expr_forall(m, v, 3, expr_implies(m, expr_and(m, ab, bc), ac)));
    obligation_add(b, expr_forall(m, v, 2, expr_or_all(m, (expr[]){expr_eq(m, x[0], x[1]), ab, ba}, 3)));
    if (has_least) obligation_add(b, expr_forall(m, v, 1, expr_not(m, expr_arith(m, E_LT, x[0], expr_const(m, t, 0)))));
}

// Of the sorts whose elements are compared.
static void add_orders(builder *b) {
    bits orders = {0}, least = {0};
    walk w = walk_expr(b->m, (expr){0}, 0);
    for (uint32_t i = 0; i < b->hypotheses.len; i++) walk_add(&w, b->hypotheses.data[i], 0);
    for (uint32_t i = 0; i < b->goals.len; i++) walk_add(&w, b->goals.data[i].formula, 0);
    while (walk_next(&w)) {
        type t = w.x->kind == E_LT || w.x->kind == E_LE ? expr_type(b->m, w.x->args[0]) : w.x->ty;
        if (!type_is_unbounded(b->m, t) || !type_of(b->m, t)->is_ordered) continue;
        if (w.x->kind == E_CONST) bits_add(&least, t.id);
        if (w.x->kind == E_LT || w.x->kind == E_LE || w.x->kind == E_CONST) bits_add(&orders, t.id);
    }
    BITS_EACH(t, &orders) add_order(b, (type){t}, bits_has(&least, t));
    bits_free(&orders);
    bits_free(&least);
}

static void finish_set(builder *b, obligation_kind kind, rule r) {
    arena *memory = b->out->memory;
    add_orders(b);
    obligation_set s = {.kind = kind, .r = r, .nhypotheses = b->hypotheses.len, .ngoals = b->goals.len};
    if (r.id) {
        s.params = rule_of(b->m, r)->params;
        s.nparams = rule_of(b->m, r)->nparams;
    }
    s.hypotheses = arena_copy(memory, b->hypotheses.data, b->hypotheses.len * sizeof *b->hypotheses.data);
    s.goals = arena_copy(memory, b->goals.data, b->goals.len * sizeof *b->goals.data);
    if (b->goals.len) vec_push(&b->out->sets, s);
    vec_clear(&b->hypotheses);
    vec_clear(&b->goals);
}

// Every lemma after the step of a rule (id 0: no step, the lemma itself).
static void lemma_goals(builder *b, rule r, const char *format, bits *funcs) {
    walk w = walk_expr(b->m, r.id ? rule_of(b->m, r)->relation : (expr){0}, 0);
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->granted && bits_has(b->granted, i)) continue;
        expr e = primed(b->m, b->invariant[i]);
        walk_add(&w, e, 0);
        char *name = arena_printf(b->out->memory, format, r.id ? rule_of(b->m, r)->name : "the start", i + 1);
        add_goal(b, name, i, e);
    }
    while (walk_next(&w))
        if (w.x->kind == E_NEXT) bits_add(funcs, w.x->ref);
}

static void obligation_add_start(builder *b) {
    sys s = b->out->system;
    for (uint32_t i = 0; i < sys_of(b->m, s)->funcs.len; i++) {
        func f = sys_of(b->m, s)->funcs.data[i];
        const type_info *t = type_of(b->m, func_of(b->m, f)->result);
        bool has_neutral = t->kind != TYPE_SORT || t->is_ordered || t->fixed_size;
        if (!func_of(b->m, f)->starts_any && has_neutral) obligation_add(b, state_axiom(b->m, f, NULL, true));
    }
}

// A step that the property allows: that it is, is a safety obligation of its own.
static void add_allowed(builder *b, rule r) {
    rule_info info = *rule_of(b->m, r);
    for (uint32_t i = 0; i < info.nrequires; i++)
        if (info.requires[i].property.id == b->property.id) obligation_add(b, info.requires[i].cond);
}

static bool add_step_set(builder *b, obligation_kind kind, rule r) {
    update_list updates = {0};
    bits funcs = {0};
    bool starts = kind == OBLIGATION_INITIATION;
    bool ok = update_of(b->m, r.id ? rule_of(b->m, r)->body : NULL, &updates);
    begin_set(b, !starts);
    if (starts) obligation_add_start(b);
    else add_allowed(b, r);
    lemma_goals(b, r, starts ? "%s establishes lemma %u" : "%s preserves lemma %u", &funcs);
    obligation_add_step(b, r, &updates, &funcs);
    finish_set(b, kind, r);
    bits_free(&funcs);
    vec_free(&updates);
    return ok;
}

static void add_requirements(builder *b, rule r) {
    rule_info info = *rule_of(b->m, r);
    begin_set(b, true);
    obligation_add(b, info.guard);
    char *name = arena_printf(b->out->memory, "%s is allowed", info.name);
    for (uint32_t i = 0; i < info.nrequires; i++)
        if (info.requires[i].property.id == b->property.id) add_goal(b, name, UINT32_MAX, info.requires[i].cond);
    finish_set(b, OBLIGATION_SAFETY, r);
}

// That the rule leaves no range, by its guard alone.
static void obligation_add_condition(builder *b, const admit_condition *c) {
    rule_info info = *rule_of(b->m, c->r);
    begin_set(b, false);
    obligation_add(b, info.guard);
    add_goal(b, arena_printf(b->out->memory, "%s stays in its ranges", info.name), UINT32_MAX, c->cond);
    finish_set(b, OBLIGATION_SAFETY, c->r);
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
    begin_set(b, true);
    add_goal(b, arena_printf(b->out->memory, "the invariant implies %s", p.name), UINT32_MAX, p.cond);
    finish_set(b, OBLIGATION_SAFETY, (rule){0});
    return true;
}

// All sets but those about conditions.
static bool add_sets(builder *b) {
    sys s = b->out->system;
    bool ok = true;
    for (uint32_t i = 0; i < sys_of(b->m, s)->inits.len; i++)
        ok &= add_step_set(b, OBLIGATION_INITIATION, sys_of(b->m, s)->inits.data[i]);
    if (!sys_of(b->m, s)->inits.len) ok &= add_step_set(b, OBLIGATION_INITIATION, (rule){0});
    for (uint32_t i = 0; i < sys_of(b->m, s)->rules.len; i++)
        ok &= add_step_set(b, OBLIGATION_CONSECUTION, sys_of(b->m, s)->rules.data[i]);
    return ok && obligation_add_safety(b);
}

bool obligations_of(model *m, sys s, const expr *invariant, uint32_t n, const bits *granted, prop p, obligations *out) {
    *out = (obligations){.m = m, .system = s, .memory = arena_new()};
    admit_list conditions = {0};
    builder b = {.out = out, .m = m, .invariant = invariant, .n = n, .granted = granted, .property = p};
    bool ok = admit_system(m, s, &conditions);
    for (uint32_t i = 0; ok && i < conditions.len; i++) obligation_add_condition(&b, &conditions.data[i]);
    ok = ok && add_sets(&b);
    vec_free(&conditions);
    vec_free(&b.hypotheses);
    vec_free(&b.goals);
    return ok;
}

void obligations_free(obligations *o) {
    vec_free(&o->sets);
    arena_free(o->memory);
}
