// SPDX-License-Identifier: Apache-2.0
// Rules, startstates and properties of Murphi.
//
// Rulesets and choose add parameters to the rules in them, and conditions to their guards. A guard that calls
// functions becomes an expression where it can (murphi/pure.c), else a condition at the beginning of the
// body. `assume` at the top level is a condition at the end of every rule.
#include "front/murphi/lower.h"
#include "model/print.h"

#include <string.h>

#define NOT_PURE "a function called here changes the state, or has a loop or body too long to be part of an expression"

// ---- names

// rule_names has the names that are taken, and how many were made from each.
static const char *murphi_unique_name(lowering *l, const char *name, span at) {
    if (!map_get_str(l->rule_names, name, 0)) {
        map_put_str(l->rule_names, name, 1);
        return name;
    }
    uint32_t line = diag_line(l->m->messages, at);
    const char *first = arena_printf(l->m->memory, "%s (line %u)", name, line), *made = first;
    uint32_t n = map_get_str(l->rule_names, first, 0);
    while (map_get_str(l->rule_names, made, 0)) made = arena_printf(l->m->memory, "%s (line %u, %u)", name, line, ++n);
    map_put_str(l->rule_names, made, 1);
    if (made != first) map_put_str(l->rule_names, first, n);
    return made;
}

static const char *murphi_given_name(lowering *l, const murphi_node *n, const char *kind) {
    if (n->text && *n->text) return model_keep_name(l->m, n->text);
    return arena_printf(l->m->memory, "%s at line %u", kind, diag_line(l->m->messages, n->at));
}

static const char *murphi_rule_name_of(lowering *l, const murphi_node *n, const char *kind) {
    return murphi_unique_name(l, murphi_given_name(l, n, kind), n->at);
}

// ---- guards and bodies

static expr outer_guards(lowering *l) { return expr_and_all(l->m, l->guards.data, l->guards.len); }

// The guard as an expression, or true with `begin` holding what makes the step impossible.
static expr lower_guard(lowering *l, const murphi_node *guard, stmt_list *begin) {
    expr outer = outer_guards(l);
    if (!guard) return outer;
    stmt_list before = {0};
    l->out = &before;
    uint32_t steps = l->slots.len ? MURPHI_PURE_STEPS : MURPHI_SMALL_STEPS;
    l->is_guard = true;
    expr e = murphi_bool(l, guard), pure = before.len ? murphi_pure(l, &before, steps, e) : e;
    l->is_guard = false;
    l->out = NULL;
    if (pure.id) vec_free(&before);
    else {
        for (uint32_t i = 0; i < l->slots.len; i++)
            if (murphi_slots_read_state(l, &l->slots.data[i].set))
                murphi_error(l, guard->at, "a guard that changes the state may change which multiset is chosen from");
        stmt *s = model_assume(l->m, e, guard->at);
        s->is_guard = true;
        *begin = before;
        vec_push(begin, s);
    }
    return pure.id ? expr_and(l->m, outer, pure) : outer;
}

// Inside the body an alias means what it meant at its beginning.
static void freeze_aliases(lowering *l) {
    for (uint32_t i = 0; i < l->rule_aliases.len; i++) {
        symbol s = l->names.data[l->rule_aliases.data[i]];
        if (s.kind == SYMBOL_PLACE) murphi_freeze(l, &s.p);
        else s.e = murphi_once(l, s.e, s.at);
        murphi_declare(l, s);
    }
}

static void add_assumes(lowering *l) {
    for (uint32_t i = 0; i < l->assumes.len; i++)
        murphi_emit(l, model_assume(l->m, l->assumes.data[i].cond, l->assumes.data[i].at));
}

static rule murphi_add_rule(lowering *l, const murphi_node *n, const char *name, const murphi_node *guard,
                            const murphi_node *locals, const murphi_node *block) {
    stmt_list body = {0};
    uint32_t scope = l->names.len, nslots = l->slots.len;
    frame f = {0};
    rule_info info = {.name = name, .at = n->at, .is_visible = true};
    murphi_begin_body(l);
    info.guard = lower_guard(l, guard, &body);
    l->out = &body;
    freeze_aliases(l);
    murphi_slots_freeze(l);
    murphi_body(l, locals, block, &f);
    add_assumes(l);
    l->out = NULL;
    murphi_leave(l, scope);
    l->slots.len = nslots;
    info.params = l->params.data;
    info.nparams = l->params.len;
    if (info.nparams > MODEL_MOST_PARAMS)
        murphi_error(l, n->at, "a rule has more than %d parameters", MODEL_MOST_PARAMS);
    info.body = murphi_sequence(l, &body, n->at);
    return model_add_rule(l->m, info);
}

static void murphi_lower_rule(lowering *l, const murphi_node *n) {
    rule r = murphi_add_rule(l, n, murphi_rule_name_of(l, n, "rule"), n->kids[0], n->kids[1], n->kids[2]);
    vec_push(&sys_of(l->m, l->system)->rules, r);
}

static void lower_start(lowering *l, const murphi_node *n) {
    rule r = murphi_add_rule(l, n, murphi_rule_name_of(l, n, "startstate"), NULL, n->kids[0], n->kids[1]);
    vec_push(&sys_of(l->m, l->system)->inits, r);
}

// ---- around rules

static void add_param(lowering *l, const binder *b) {
    vec_push(&l->params, b->v);
    if (b->cond.id) vec_push(&l->guards, b->cond);
}

static bool murphi_bind_all(lowering *l, const murphi_node *n) {
    for (uint32_t i = 0; i + 1 < n->nkids; i++) {
        binder b = murphi_bind(l, n->kids[i], NULL);
        if (!b.ok || b.is_empty) return false;
        if (b.cond.id && murphi_reads_state(l, b.cond)) {
            murphi_error(l, n->kids[i]->at, "the bounds of a ruleset are constant");
            return false;
        }
        add_param(l, &b);
    }
    return true;
}

static void lower_inner(lowering *l, const murphi_node *rules) { murphi_rules(l, rules->kids, rules->nkids); }

static void lower_ruleset(lowering *l, const murphi_node *n) {
    if (murphi_bind_all(l, n)) lower_inner(l, n->kids[n->nkids - 1]);
}

// Functions called around rules become part of what is said there: there is no body here that could call them.
static expr alias_value(lowering *l, const stmt_list *before, expr e, span at) {
    expr pure = before->len ? murphi_pure(l, before, MURPHI_PURE_STEPS, e) : e;
    if (!pure.id) murphi_error(l, at, "%s", NOT_PURE);
    return pure.id ? pure : e;
}

// A place whose indices are read in every state anew.
static bool pure_place(lowering *l, const murphi_node *n, const stmt_list *before, place *p) {
    if (!murphi_place(l, n, p)) return false;
    for (uint32_t i = 0; i < p->nargs; i++) p->args[i] = alias_value(l, before, p->args[i], n->at);
    return true;
}

static void declare_rule_alias(lowering *l, const murphi_node *a) {
    const murphi_node *n = a->kids[0];
    stmt_list before = {0};
    place p;
    l->out = &before;
    uint32_t at = l->names.len;
    expr e = murphi_is_place(l, n) ? (expr){0} : murphi_value(l, n);
    if (e.id) murphi_declare_value(l, a->name, alias_value(l, &before, e, n->at), a->at);
    else if (murphi_is_place(l, n) && pure_place(l, n, &before, &p)) murphi_declare_place(l, a->name, p, a->at);
    l->out = NULL;
    vec_free(&before);
    if (l->names.len > at) vec_push(&l->rule_aliases, at);
}

static void murphi_lower_alias(lowering *l, const murphi_node *n) {
    for (uint32_t i = 0; i + 1 < n->nkids; i++) declare_rule_alias(l, n->kids[i]);
    lower_inner(l, n->kids[n->nkids - 1]);
}

static void lower_choose(lowering *l, const murphi_node *n) {
    stmt_list before = {0};
    place p;
    l->out = &before;
    bool ok = pure_place(l, n->kids[0], &before, &p) && murphi_is_multiset(l, &p, n->kids[0]->at);
    l->out = NULL;
    vec_free(&before);
    if (!ok) return;
    var v = model_add_var(l->m, n->name, p.ty->index, n->at);
    murphi_slot_bind(l, v, &p);
    place taken = murphi_taken(l, &p, expr_var(l->m, v));
    add_param(l, &(binder){.v = v, .cond = murphi_read_place(l, &taken)});
    murphi_declare_value(l, n->name, expr_var(l->m, v), n->at);
    lower_inner(l, n->kids[1]);
}

// ---- properties

static expr murphi_condition(lowering *l, const murphi_node *n) {
    stmt_list before = {0};
    murphi_begin_body(l);
    l->out = &before;
    l->is_property = true;
    expr e = alias_value(l, &before, murphi_bool(l, n), n->at);
    l->is_property = false;
    l->out = NULL;
    vec_free(&before);
    return e;
}

// Over the parameters of the rulesets around it: for all of them, for `cover` for some.
static expr close(lowering *l, const murphi_node *n, bool for_some) {
    expr e = murphi_condition(l, n->kids[0]), outer = outer_guards(l);
    if (for_some) return expr_exists(l->m, l->params.data, l->params.len, expr_and(l->m, outer, e));
    return expr_forall(l->m, l->params.data, l->params.len, expr_implies(l->m, outer, e));
}

// "x is y [2, a]"
static const char *instance_name(lowering *l, const char *name, const expr *with) {
    str text = {0};
    for (uint32_t i = 0; i < l->params.len; i++) {
        str_add(&text, i ? ", " : " [");
        print_expr(l->m, with[i], &text);
    }
    name = arena_printf(l->m->memory, "%s%s%s", name, str_get(&text), l->params.len ? "]" : "");
    str_free(&text);
    return name;
}

// From everywhere, for each binding on its own, a state is reachable: one property for each.
static void add_reaches(lowering *l, const murphi_node *n, prop_info info, expr cond, expr *with, uint32_t k) {
    model *m = l->m;
    if (k == l->params.len) {
        info.name = murphi_unique_name(l, instance_name(l, info.name, with), n->at);
        info.cond = expr_subst(m, cond, l->params.data, with, k);
        model_add_prop(m, info);
        return;
    }
    type t = var_of(m, l->params.data[k])->ty;
    for (uint32_t i = 0; i < type_known_size(m, t) && m->props.len < MURPHI_MOST_PROPERTIES; i++) {
        with[k] = expr_const(m, t, type_first(m, t) + (value)i);
        add_reaches(l, n, info, cond, with, k + 1);
    }
}

static void lower_liveness(lowering *l, const murphi_node *n) {
    if (l->slots.len) {
        murphi_error(l, n->at, "no liveness in a choose: an element is not the same one in another state");
        return;
    }
    expr cond = expr_implies(l->m, outer_guards(l), murphi_condition(l, n->kids[0]));
    expr *with = mem_zero(l->params.len + 1, sizeof *with);
    prop_info info = {
        .kind = PROP_REACHES, .name = murphi_given_name(l, n, "liveness"), .at = n->at, .system = l->system};
    add_reaches(l, n, info, cond, with, 0);
    if (l->m->props.len >= MURPHI_MOST_PROPERTIES)
        murphi_error(l, n->at, "more than %d properties", MURPHI_MOST_PROPERTIES);
    free(with);
}

static void murphi_add_property(lowering *l, const murphi_node *n, prop_kind kind, const char *what) {
    prop_info info = {.kind = kind, .name = murphi_rule_name_of(l, n, what), .at = n->at, .system = l->system};
    info.cond = close(l, n, kind == PROP_COVER);
    prop p = model_add_prop(l->m, info);
    if (kind == PROP_INVARIANT) vec_push(&sys_of(l->m, l->system)->invariants, p);
}

void murphi_add_covers(lowering *l) {
    for (uint32_t i = 0; i < l->covers.len; i++) {
        const func_info f = *func_of(l->m, l->covers.data[i]);
        prop_info p = {.kind = PROP_COVER, .name = murphi_unique_name(l, f.name, f.at), .at = f.at};
        p.system = l->system;
        p.cond = expr_app(l->m, l->covers.data[i], NULL);
        model_add_prop(l->m, p);
    }
}

// For proofs: checked there, and no property of the model.
static void murphi_add_lemma(lowering *l, const murphi_node *n) {
    named_expr given = {murphi_rule_name_of(l, n, "lemma"), close(l, n, false), n->at};
    vec_push(&sys_of(l->m, l->system)->lemmas, given);
}

// ---- dispatch

static void lower_leaf(lowering *l, const murphi_node *n) {
    switch (n->kind) {
    case MR_START: lower_start(l, n); return;
    case MR_RULE: murphi_lower_rule(l, n); return;
    case MR_INVARIANT: murphi_add_property(l, n, PROP_INVARIANT, "invariant"); return;
    case MR_ASSERT: murphi_add_property(l, n, PROP_INVARIANT, "assert"); return;
    case MR_COVER: murphi_add_property(l, n, PROP_COVER, "cover"); return;
    case MR_LEMMA: murphi_add_lemma(l, n); return;
    case MR_LIVENESS: lower_liveness(l, n); return;
    default: return;
    }
}

static void collect_leaf(lowering *l, const murphi_node *n) {
    if (n->kind == MR_ASSUME)
        vec_push(&l->assumes, (named_expr){n->text ? n->text : "assume", close(l, n, false), n->at});
}

static void lower_one(lowering *l, const murphi_node *n) {
    uint32_t scope = l->names.len, params = l->params.len, guards = l->guards.len, aliases = l->rule_aliases.len,
             slots = l->slots.len;
    switch (n->kind) {
    case MR_RULESET: lower_ruleset(l, n); break;
    case MR_ALIAS: murphi_lower_alias(l, n); break;
    case MR_CHOOSE: lower_choose(l, n); break;
    default:
        if (l->is_collecting) collect_leaf(l, n);
        else lower_leaf(l, n);
    }
    murphi_leave(l, scope);
    l->params.len = params;
    l->guards.len = guards;
    l->rule_aliases.len = aliases;
    l->slots.len = slots;
}

void murphi_rules(lowering *l, murphi_node *const *nodes, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) lower_one(l, nodes[i]);
}
