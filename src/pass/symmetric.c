// SPDX-License-Identifier: Apache-2.0
// Are the elements of symmetric sorts alike? See symmetric.h. Searching only representatives of orbits is right as
// long as exchanging elements maps steps to steps, and "holds" to "holds". Two things could spoil that:
// - a constant of the sort in a rule or a condition;
// - a loop whose result depends on the order of its rounds (loop_order.h).
// Each concerns the sorts of that constant or variable; exchanging elements of other sorts stays right, so the search
// for exceptions goes on with the sorts that are left until there are no more.
// The test is one-sided: it may call a symmetric sort asymmetric, never the other way round.
#include "pass/symmetric.h"

#include "model/stmt.h"
#include "pass/effects.h"
#include "pass/local_use.h"
#include "pass/loop_order.h"
#include "pass/slot_use.h"

enum { LARGEST_BODY = (1 << 20) - 1 };  // statements, with all calls

typedef struct {
    const instance *in;
    const model *m;
    const stmt *whole;  // the body of the rule that is looked at
    uint32_t number;    // of the statement in it that is looked at
    const rule_info *rule;
    bool has_uses;  // uses are those of this body
    slot_use slots;
    local_use *uses;
    loop_order order;
    bits around;     // variables in scope
    bits seen;       // expressions without anything wrong
    bits relied_on;  // sorts that must be symmetric for others to be
    symmetric_exceptions *exceptions;
    type found;  // the type of what tells elements apart
    str why;
} checker;

static bool is_exception(const checker *c, type t) {
    for (uint32_t i = 0; i < c->exceptions->len; i++)
        if (type_same(c->exceptions->data[i].sort, t)) return true;
    return false;
}

static bool is_symmetric_sort(const checker *c, type t) {
    const type_info *info = type_of(c->m, t);
    return info->kind == TYPE_SORT && !info->is_ordered && instance_type_size(c->in, t) > 1 && !is_exception(c, t);
}

// A symmetric sort, or a union with one.
static bool has_symmetric_part(const checker *c, type t) {
    const type_info *info = type_of(c->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (has_symmetric_part(c, info->members[i])) return true;
    return is_symmetric_sort(c, t);
}

static void add_exceptions(checker *c, type t, span at) {
    const type_info *info = type_of(c->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++) add_exceptions(c, info->members[i], at);
    if (!is_symmetric_sort(c, t)) return;
    const char *why = arena_printf(c->m->memory, "%s", str_get(&c->why));
    vec_push(c->exceptions, ((symmetric_exception){t, at, why}));
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
    if (!has_symmetric_part(c, c->found)) return false;
    str_clear(&c->why);
    str_add(&c->why, "it names one of them");
    return true;
}

// By recursion, which remembers what has none: the first constant found is the one that is shown.
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

// ---- loops

// Equal up to a permutation of slots is equal only where these are symmetric themselves.
static bool are_slots_alike(checker *c) {
    for (uint32_t t = bits_next(&c->order.fx->slots, 0); t != UINT32_MAX; t = bits_next(&c->order.fx->slots, t + 1)) {
        if (instance_type_size(c->in, (type){t}) > 1 && !is_symmetric_sort(c, (type){t})) {
            str_add(&c->why, "elements of a multiset whose slots are told apart are added in the order of rounds");
            return false;
        }
        bits_add(&c->relied_on, t);
    }
    return true;
}

// Slots of the sort are filled: the first one that is free, or all as they are in another multiset. Does it show which?
static bool is_filling_alike(checker *c, const stmt *s, type sort) {
    if (!is_symmetric_sort(c, sort) || !slot_use_is_stale(&c->slots, s, sort)) return true;
    c->found = sort;
    str_clear(&c->why);
    str_add(&c->why, "an element of a multiset is used that was removed, and its place may have been filled again");
    return false;
}

static bool is_change_alike(checker *c, const stmt *s) {
    type sort = slot_use_changed(c->m, c->in->system, s);
    return !sort.id || expr_same(s->value, c->m->false_expr) || is_filling_alike(c, s, sort);
}

static bool is_loop_alike(checker *c, const stmt *s, uint32_t number) {
    if (s->any_order) return is_filling_alike(c, s, var_of(c->m, s->vars[0])->ty);
    for (uint32_t i = 0; i < s->nvars; i++) {
        c->found = var_of(c->m, s->vars[i])->ty;
        if (!has_symmetric_part(c, c->found)) continue;
        if (!c->has_uses) local_use_look_at(c->uses, c->whole);
        c->has_uses = true;
        str_clear(&c->why);
        if (!loop_order_is_any(&c->order, s, number, s->vars[i], &c->why) || !are_slots_alike(c)) return false;
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

static void look_at_stmt(checker *c, const stmt *s);

static void look_at_list(checker *c, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) look_at_stmt(c, body[i]);
}

static void symmetric_bind_vars(checker *c, const var *vars, uint32_t n, bool is_bound) {
    for (uint32_t i = 0; i < n; i++) {
        if (is_bound) bits_add(&c->around, vars[i].id);
        else bits_remove(&c->around, vars[i].id);
    }
}

static void look_at_stmt(checker *c, const stmt *s) {
    uint32_t number = c->number++;
    bool was_parallel = c->order.is_parallel;
    while (stmt_has_constant(c, s) || !is_change_alike(c, s) || (s->kind == S_FORALL && !is_loop_alike(c, s, number)))
        add_exceptions(c, c->found, s->at);
    c->order.is_parallel |= s->kind == S_PAR;
    symmetric_bind_vars(c, s->vars, s->nvars, true);
    look_at_list(c, s->body, s->nbody);
    look_at_list(c, s->orelse, s->norelse);
    symmetric_bind_vars(c, s->vars, s->nvars, false);
    c->order.is_parallel = was_parallel;
}

static void look_at_expr(checker *c, expr e, span at) {
    while (has_constant(c, e)) add_exceptions(c, c->found, at);
}

static void look_at_rule(checker *c, const rule_info *r) {
    look_at_expr(c, r->guard, r->at);
    for (uint32_t i = 0; i < r->nrequires; i++) look_at_expr(c, r->requires[i].cond, r->at);
    c->whole = r->body;
    c->rule = r;
    c->number = 0;
    c->has_uses = false;
    slot_use_look_at(&c->slots, c->m, c->in->system, r);
    bits_clear(&c->around);
    symmetric_bind_vars(c, r->params, r->nparams, true);
    if (r->body) look_at_stmt(c, r->body);
}

// A body that is too large to be looked at may do anything.
static bool is_beyond_looking(checker *c, const rule_info *r) {
    if (stmt_tree(r->body, LARGEST_BODY) <= LARGEST_BODY) return false;
    str_clear(&c->why);
    str_add(&c->why, "with all its calls the rule is too large to be looked at");
    for (uint32_t t = 1; t < c->m->types.len; t++) add_exceptions(c, (type){t}, r->at);
    return true;
}

static bool any_symmetric(const checker *c) {
    for (uint32_t t = 1; t < c->m->types.len; t++)
        if (is_symmetric_sort(c, (type){t})) return true;
    return false;
}

static void look_at_all(checker *c, const expr *conds, uint32_t nconds) {
    const sys_info *system = sys_of(c->m, c->in->system);
    for (uint32_t i = 0; i < system->rules.len && any_symmetric(c); i++) {
        const rule_info *r = rule_of(c->m, system->rules.data[i]);
        if (!is_beyond_looking(c, r)) look_at_rule(c, r);
    }
    for (uint32_t i = 0; i < nconds; i++) look_at_expr(c, conds[i], expr_of(c->m, conds[i])->at);
}

// Was something taken for symmetric, and relied on, before it turned out not to be?
static bool relied_in_vain(const checker *c) {
    for (uint32_t i = 0; i < c->exceptions->len; i++)
        if (bits_has(&c->relied_on, c->exceptions->data[i].sort.id)) return true;
    return false;
}

void symmetric_find_exceptions(const instance *in, const expr *conds, uint32_t nconds, symmetric_exceptions *out) {
    checker c = {.in = in, .m = in->m, .exceptions = out};
    c.uses = local_use_new(in->m);
    c.order =
        (loop_order){.m = in->m, .fx = effects_new(in->m), .uses = c.uses, .slots = &c.slots, .around = &c.around};
    do {
        bits_clear(&c.relied_on);
        look_at_all(&c, conds, nconds);
    } while (relied_in_vain(&c));
    effects_free(c.order.fx);
    local_use_free(c.uses);
    slot_use_free(&c.slots);
    bits_free(&c.seen);
    bits_free(&c.around);
    bits_free(&c.relied_on);
    str_free(&c.why);
}

// ---- the sort that a system is about

static bool symmetric_has_params(const model *m, rule r, type t) {
    for (uint32_t i = 0; i < rule_of(m, r)->nparams; i++)
        if (type_same(var_of(m, rule_of(m, r)->params[i])->ty, t)) return true;
    return false;
}

static bool symmetric_is_index(const model *m, sys s, type t) {
    for (uint32_t i = 0; i < sys_of(m, s)->funcs.len; i++) {
        const func_info *f = func_of(m, sys_of(m, s)->funcs.data[i]);
        for (uint32_t k = 0; k < f->nargs; k++)
            if (type_same(f->args[k], t)) return true;
    }
    return false;
}

type symmetric_main_sort(const model *m, sys s) {
    type best = {0};
    uint32_t most = 0;
    for (uint32_t i = 1; i < m->types.len; i++) {
        type t = {i};
        const type_info *info = type_of(m, t);
        if (info->kind != TYPE_SORT || info->is_ordered || info->size_is_meant || !symmetric_is_index(m, s, t))
            continue;
        uint32_t n = 0;
        for (uint32_t k = 0; k < sys_of(m, s)->rules.len; k++)
            n += symmetric_has_params(m, sys_of(m, s)->rules.data[k], t);
        if (n > most) best = t, most = n;
    }
    return best;
}
