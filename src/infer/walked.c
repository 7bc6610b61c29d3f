// SPDX-License-Identifier: Apache-2.0
// The steps that samples are made of: where only states are asked for, a parameter that no assignment reads is some
// element of which the guard speaks.
//
// A rule is tried for every choice of its parameters: 80,000 of them for a transaction's step with five transactions
// and four elements of each sort. Most of these five only say what the guard needs: the latest write of a key, the
// latest read. "There is one" is worked out once for each key, if what is said of it stands close to it.
#include "infer/prover.h"

#include "model/expr.h"
#include "model/shared.h"
#include "model/update.h"

enum { WALKED_MANY = 6 };          // parameters that a rule may have as they are
enum { WALKED_WIDE = 4 };          // of them in one disjunction: what is said is said of each of its parts
enum { WALKED_ALTERNATIVES = 4 };  // that such a disjunction may have

static uint32_t walked_count(const model *m, expr e, const var_list *of) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < of->len; i++) n += expr_has_var(m, e, of->data[i]);
    return n;
}

// ∃v. e in negation normal form, as far inside as can be.
static expr walked_some_one(model *m, var v, expr e) {
    expr_info x = *expr_of(m, e);
    expr_list about = {0}, others = {0};
    if (!expr_has_var(m, e, v)) return e;
    if (x.kind != E_AND && x.kind != E_OR) return expr_exists(m, &v, 1, e);
    for (uint32_t i = 0; i < x.nargs; i++)
        if (x.kind == E_OR) vec_push(&others, walked_some_one(m, v, x.args[i]));
        else if (expr_has_var(m, x.args[i], v)) vec_push(&about, x.args[i]);
        else vec_push(&others, x.args[i]);
    if (about.len) vec_push(&others, expr_exists(m, &v, 1, expr_and_all(m, about.data, about.len)));
    e = x.kind == E_OR ? expr_or_all(m, others.data, others.len) : expr_and_all(m, others.data, others.len);
    vec_free(&about);
    vec_free(&others);
    return e;
}

// How many of the others are in what the guard says of it.
static uint32_t walked_company(const model *m, expr guard, var v, const var_list *of) {
    bits met = {0};
    uint32_t n;
    const expr *parts = expr_conjuncts(m, &guard, &n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < of->len && expr_has_var(m, parts[i], v); k++)
            if (expr_has_var(m, parts[i], of->data[k])) bits_add(&met, k);
    n = bits_count(&met);
    bits_free(&met);
    return n;
}

static expr walked_each(model *m, expr guard, const var_list *params, const var_list *unread) {
    var_list left = {0};
    for (uint32_t i = 0; i < unread->len; i++) vec_push(&left, unread->data[i]);
    while (left.len) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < left.len; i++)
            if (walked_company(m, guard, left.data[i], params) < walked_company(m, guard, left.data[best], params))
                best = i;
        guard = walked_some_one(m, left.data[best], guard);
        left.data[best] = vec_pop(&left);
    }
    vec_free(&left);
    return guard;
}

// The conjunct that is a disjunction about many of them; n: there is none.
static uint32_t walked_wide(const model *m, const expr *parts, uint32_t n, const var_list *unread) {
    uint32_t i = 0;
    while (i < n && !(expr_kind_of(m, parts[i]) == E_OR && expr_of(m, parts[i])->nargs <= WALKED_ALTERNATIVES &&
                      walked_count(m, parts[i], unread) >= WALKED_WIDE))
        i++;
    return i;
}

// ∃unread. guard
static expr walked_some(model *m, expr guard, const var_list *params, const var_list *unread) {
    uint32_t n;
    const expr *parts = expr_conjuncts(m, &guard, &n);
    uint32_t wide = walked_wide(m, parts, n, unread);
    if (wide == n) return walked_each(m, guard, params, unread);
    expr_list rest = {0}, found = {0};
    expr_info either = *expr_of(m, parts[wide]);
    for (uint32_t i = 0; i < n; i++) vec_push(&rest, parts[i]);
    for (uint32_t i = 0; i < either.nargs; i++) {
        rest.data[wide] = either.args[i];
        vec_push(&found, walked_each(m, expr_and_all(m, rest.data, n), params, unread));
    }
    guard = expr_or_all(m, found.data, found.len);
    vec_free(&rest);
    vec_free(&found);
    return guard;
}

// ---- rules

static bool walked_is_read(const model *m, const update_list *updates, var v) {
    bool found = false;
    for (uint32_t i = 0; i < updates->len; i++) found |= expr_has_var(m, updates->data[i].value, v);
    return found;
}

// The parameters that assignments read, and the others.
static void walked_part(model *m, const rule_info *r, var_list *read, var_list *unread) {
    update_list updates = {0};
    bool is_known = update_of(m, r->body, &updates);
    for (uint32_t i = 0; i < r->nparams; i++)
        if (!is_known || walked_is_read(m, &updates, r->params[i])) vec_push(read, r->params[i]);
        else vec_push(unread, r->params[i]);
    vec_free(&updates);
}

rule walked_rule(prover *x, uint32_t number) {
    model *m = x->m;
    rule of = sys_of(m, x->guarded)->rules.data[number];
    rule_info r = *rule_of(m, of);
    var_list read = {0}, unread = {0}, params = {0};
    if (r.nparams <= WALKED_MANY || !r.guard.id || r.relation.id) return of;
    for (uint32_t i = 0; i < r.nparams; i++) vec_push(&params, r.params[i]);
    walked_part(m, &r, &read, &unread);
    expr guard = expr_nnf(m, r.guard, false);
    if (unread.len && expr_of(m, guard)->tree < SHARED_LARGE) {
        r.guard = walked_some(m, guard, &params, &unread);
        r.params = arena_copy(m->memory, read.data, read.len * sizeof *read.data);
        r.nparams = read.len;
        r.nhidden = 0;
        r.actor = 0;
        of = model_add_rule(m, r);
    }
    vec_free(&read);
    vec_free(&unread);
    vec_free(&params);
    return of;
}
