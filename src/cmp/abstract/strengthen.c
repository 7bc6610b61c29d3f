// SPDX-License-Identifier: Apache-2.0
// Guards with lemmas, and fewer unknowns: see strengthen.h.
#include "cmp/abstract/strengthen.h"

#include "base/bits.h"
#include "pass/welldefined.h"
#include "model/expr.h"
#include "model/overlay.h"
#include "model/stmt.h"
#include "model/walk.h"

// ---- conjuncts

// A guard over the state of others must not fail: wrong guesses of unknowns are no steps, and they are all
// tried.
static void add_conjuncts(draft *d, expr e, bool never_fails) {
    if (expr_kind_of(d->m, e) == E_AND) {
        const expr_info x = *expr_of(d->m, e);
        for (uint32_t i = 0; i < x.nargs; i++) add_conjuncts(d, x.args[i], never_fails);
        return;
    }
    if (never_fails) add_conjuncts(d, welldefined_where(d->m, e), false);
    for (uint32_t i = 0; i < d->conjuncts.len; i++)
        if (expr_same(d->conjuncts.data[i], e)) return;
    if (!expr_is_true(d->m, e)) vec_push(&d->conjuncts, e);
}

// What the guard says already is true in what is added to it.
static expr known_visit(model *m, expr e, void *context) {
    const draft *d = context;
    if (!type_same(expr_type(m, e), m->bool_type)) return e;
    expr negated = expr_not(m, e);
    for (uint32_t i = 0; i < d->conjuncts.len; i++) {
        if (expr_same(d->conjuncts.data[i], e)) return m->true_expr;
        if (expr_same(d->conjuncts.data[i], negated)) return m->false_expr;
    }
    return e;
}

static void strengthen_add_lemma(draft *d, abstract_case *c, const lemma *l) {
    if (l->only.id && l->only.id != c->origin.id) return;
    expr e = abstract_lemma(d->a, c, l);
    add_conjuncts(d, expr_rewrite(d->m, e, known_visit, d), true);
}

// ---- unknowns that an equation gives

static bool is_unknown(const draft *d, expr e, uint32_t *number) {
    const expr_info *x = expr_of(d->m, e);
    if (x->kind != E_VAR) return false;
    for (uint32_t i = 0; i < d->unknowns.len; i++)
        if (d->unknowns.data[i].id == x->ref) {
            *number = i;
            return true;
        }
    return false;
}

static bool strengthen_fits(const model *m, var v, expr e) {
    type to = var_of(m, v)->ty, from = expr_type(m, e);
    if (expr_can_fault(m, e) || expr_has_var(m, e, v)) return false;
    if (type_same(to, from)) return true;
    if (!type_is_number(m, to) || !type_is_number(m, from)) return false;
    int64_t lo, hi;
    expr_bounds(m, e, &lo, &hi);
    return lo >= type_of(m, to)->lo && hi <= type_of(m, to)->hi;
}

// Does the conjunct say what an unknown is?
static bool gives(const draft *d, expr e, uint32_t *number, expr *given) {
    const expr_info x = *expr_of(d->m, e);
    *given = expr_bool(d->m, x.kind != E_NOT);
    if (is_unknown(d, x.kind == E_NOT ? x.args[0] : e, number)) return true;
    for (uint32_t side = 0; side < 2 && x.kind == E_EQ; side++) {
        *given = x.args[1 - side];
        if (is_unknown(d, x.args[side], number) && strengthen_fits(d->m, d->unknowns.data[*number], *given))
            return true;
    }
    return false;
}

static void forget_unknown(draft *d, uint32_t number) {
    d->unknowns.data[number] = vec_last(&d->unknowns);
    d->unknowns.len--;
}

static void strengthen_replace(draft *d, uint32_t number, expr given) {
    var v = d->unknowns.data[number];
    expr_list old = d->conjuncts;
    d->conjuncts = (expr_list){0};
    for (uint32_t i = 0; i < old.len; i++) add_conjuncts(d, expr_subst(d->m, old.data[i], &v, &given, 1), false);
    vec_free(&old);
    vec_push(&d->solved, (solution){v, given});
    d->body = stmt_subst(d->m, d->body, &v, &given, 1);
    forget_unknown(d, number);
}

static void strengthen_solve(draft *d) {
    uint32_t number;
    expr given;
    for (uint32_t i = 0; i < d->conjuncts.len;)
        if (gives(d, d->conjuncts.data[i], &number, &given)) {
            strengthen_replace(d, number, given);
            i = 0;
        } else i++;
}

// ---- unknowns that only the guard reads

static void quantify(draft *d, var v) {
    expr_list about = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->conjuncts.len; i++)
        if (expr_has_var(d->m, d->conjuncts.data[i], v)) vec_push(&about, d->conjuncts.data[i]);
        else d->conjuncts.data[kept++] = d->conjuncts.data[i];
    d->conjuncts.len = kept;
    if (about.len) vec_push(&d->conjuncts, expr_quantify(d->m, E_EXISTS, v, expr_and_all(d->m, about.data, about.len)));
    if (about.len) vec_push(&d->quantified, v);
    vec_free(&about);
}

// Does e read v where more of it makes e true (1), less (2), both (3) or nowhere (0)?
static uint32_t polarity(const model *m, expr e, var v) {
    enum { ASKED, DENIED };
    uint32_t found = 0;
    walk w = walk_expr(m, e, ASKED);
    while (walk_next(&w)) {
        if (!expr_has_var(m, w.e, v)) walk_skip(&w);
        else if (w.x->kind == E_VAR) found |= w.tag == ASKED ? 1 : 2;
        else if (w.x->kind == E_NOT || w.x->kind == E_IMPLIES) {
            if (w.x->kind == E_IMPLIES) walk_add(&w, w.x->args[1], w.tag);
            walk_add(&w, w.x->args[0], w.tag == ASKED ? DENIED : ASKED);
            walk_skip(&w);
        } else if (w.x->kind != E_AND && w.x->kind != E_OR && w.x->kind != E_EXISTS && w.x->kind != E_FORALL) {
            found = 3;
            walk_skip(&w);
        }
    }
    return found;
}

// A bool that is only asked for, or only denied, has the value that is asked for.
static bool strengthen_settle(draft *d, uint32_t number) {
    var v = d->unknowns.data[number];
    uint32_t found = 0;
    if (!type_same(var_of(d->m, v)->ty, d->m->bool_type)) return false;
    for (uint32_t i = 0; i < d->conjuncts.len; i++) found |= polarity(d->m, d->conjuncts.data[i], v);
    if (found == 3) return false;
    strengthen_replace(d, number, expr_bool(d->m, found == 1));
    return true;
}

// With how many other idle unknowns is v in a conjunct?
static uint32_t degree(const draft *d, const bits *idle, var v) {
    bits met = {0};
    for (uint32_t i = 0; i < d->conjuncts.len; i++) {
        if (!expr_has_var(d->m, d->conjuncts.data[i], v)) continue;
        for (uint32_t k = 0; k < d->unknowns.len; k++)
            if (bits_has(idle, d->unknowns.data[k].id) && expr_has_var(d->m, d->conjuncts.data[i], d->unknowns.data[k]))
                bits_add(&met, d->unknowns.data[k].id);
    }
    uint32_t n = bits_count(&met);
    bits_free(&met);
    return n;
}

// The unknowns that the body does not read.
static bits find_idle(const draft *d) {
    bits idle = {0};
    for (uint32_t i = 0; i < d->unknowns.len; i++) bits_add(&idle, d->unknowns.data[i].id);
    walk w = walk_stmt(d->m, d->body, 0);
    while (walk_next(&w)) {
        if (!w.x) continue;
        const var_set read = expr_frees(d->m, w.e);
        for (uint32_t i = 0; i < read.n; i++) bits_remove(&idle, read.vars[i].id);
        walk_skip(&w);
    }
    return idle;
}

// The unknown with the fewest neighbours first: what is quantified stays small.
static void quantify_idle(draft *d) {
    bits idle = find_idle(d);
    for (;;) {
        uint32_t best = UINT32_MAX, least = UINT32_MAX;
        for (uint32_t i = 0; i < d->unknowns.len; i++) {
            if (!bits_has(&idle, d->unknowns.data[i].id)) continue;
            uint32_t n = degree(d, &idle, d->unknowns.data[i]);
            if (n < least) least = n, best = i;
        }
        if (best == UINT32_MAX) break;
        if (strengthen_settle(d, best)) continue;
        quantify(d, d->unknowns.data[best]);
        forget_unknown(d, best);
    }
    bits_free(&idle);
}

// ---- rules

static void strengthen_add_rule(const draft *d, strengthened *s, uint32_t number) {
    const abstract_case *c = &d->a->cases.data[number];
    const rule_info *origin = rule_of(d->m, c->origin);
    rule_info info = {.name = c->name, .at = origin->at, .body = d->body, .is_visible = origin->is_visible};
    info.params = d->params.data;
    info.nparams = d->params.len;
    info.guard = expr_and_all(d->m, d->conjuncts.data, d->conjuncts.len);
    if (expr_is_false(d->m, info.guard)) return;
    rule r = model_add_rule(d->m, info);
    if (c->is_init) vec_push(&sys_of(d->m, s->system)->inits, r);
    else {
        vec_push(&sys_of(d->m, s->system)->rules, r);
        vec_push(&s->rules, (case_rule){r, number});
    }
}

static draft draft_case(model *m, abstraction *a, abstract_case *c, const lemma_list *lemmas, bool quantifies) {
    draft d = {.a = a, .m = m, .body = c->body};
    add_conjuncts(&d, c->guard, c->nothers);
    for (uint32_t i = 0; i < lemmas->len && c->nothers; i++) strengthen_add_lemma(&d, c, lemmas->data[i]);
    for (uint32_t i = 0; i < d.conjuncts.len; i++) vec_push(&d.stated, d.conjuncts.data[i]);
    for (uint32_t i = 0; i < c->unknowns.len; i++) vec_push(&d.unknowns, c->unknowns.data[i].v);
    strengthen_solve(&d);
    if (quantifies) quantify_idle(&d);
    for (uint32_t i = 0; i < c->params.len; i++) vec_push(&d.params, c->params.data[i]);
    for (uint32_t i = 0; i < d.unknowns.len; i++) vec_push(&d.params, d.unknowns.data[i]);
    return d;
}

draft strengthen_case(abstraction *a, abstract_case *c, const lemma_list *lemmas) {
    return draft_case(a->m, a, c, lemmas, true);
}

void draft_free(draft *d) {
    vec_free(&d->conjuncts);
    vec_free(&d->stated);
    vec_free(&d->unknowns);
    vec_free(&d->params);
    vec_free(&d->solved);
    vec_free(&d->quantified);
}

static void strengthen_add_case(abstraction *a, strengthened *s, uint32_t number, const lemma_list *lemmas) {
    draft d = draft_case(s->m, a, &a->cases.data[number], lemmas, true);
    strengthen_add_rule(&d, s, number);
    draft_free(&d);
}

static strengthened open_system(const abstraction *a, model *m) {
    strengthened s = {.m = m, .is_own = m != a->m};
    s.system = model_add_system(m, sys_of(m, a->system)->name, sys_of(m, a->system)->at);
    for (uint32_t i = 0; i < a->state.len; i++) vec_push(&sys_of(m, s.system)->funcs, a->state.data[i]);
    return s;
}

// Instances of lemmas stay with the abstraction: they are made before a model is put on top of it.
static void strengthen_make_instances(abstraction *a, const lemma_list *lemmas) {
    for (uint32_t i = 0; i < a->cases.len; i++) {
        abstract_case *c = &a->cases.data[i];
        for (uint32_t k = 0; k < lemmas->len && c->nothers && c->body; k++) {
            const lemma *l = lemmas->data[k];
            if (!l->only.id || l->only.id == c->origin.id) abstract_lemma(a, c, l);
        }
    }
}

strengthened strengthen(abstraction *a, const lemma_list *lemmas) {
    strengthen_make_instances(a, lemmas);
    strengthened s = open_system(a, overlay_new(a->m));
    for (uint32_t i = 0; i < a->cases.len; i++)
        if (a->cases.data[i].body || !a->cases.data[i].nothers) strengthen_add_case(a, &s, i, lemmas);
    return s;
}

strengthened strengthen_kept(abstraction *a) {
    strengthened s = open_system(a, a->m);
    for (uint32_t i = 0; i < a->cases.len; i++)
        if (!a->cases.data[i].is_init && !a->cases.data[i].nothers) strengthen_add_case(a, &s, i, &(lemma_list){0});
    return s;
}

bool strengthen_is_others(const abstract_case *c, rule origin) {
    return !c->is_init && c->nothers && c->body && c->origin.id == origin.id;
}

strengthened strengthen_others(abstraction *a, rule origin, const lemma_list *lemmas, draft_list *drafts) {
    strengthened s = open_system(a, a->m);
    for (uint32_t i = 0; i < a->cases.len; i++) {
        if (!strengthen_is_others(&a->cases.data[i], origin)) continue;
        draft d = strengthen_case(a, &a->cases.data[i], lemmas);
        uint32_t before = s.rules.len;
        strengthen_add_rule(&d, &s, i);
        if (s.rules.len > before) vec_push(drafts, d);
        else draft_free(&d);
    }
    return s;
}

// A function of the system stands for the parameter.
static void replace_by_input(draft *d, strengthened *s, input_list *inputs, var v) {
    const var_info info = *var_of(d->m, v);
    func_info f = {.name = info.name, .result = info.ty, .owner = s->system, .at = info.at};
    input in = {model_add_func(d->m, f), v};
    expr with = expr_app(d->m, in.f, NULL);
    for (uint32_t i = 0; i < d->conjuncts.len; i++)
        d->conjuncts.data[i] = expr_subst(d->m, d->conjuncts.data[i], &v, &with, 1);
    d->body = stmt_subst(d->m, d->body, &v, &with, 1);
    vec_push(inputs, in);
}

strengthened strengthen_plain(abstraction *a, rule origin, input_list *inputs) {
    strengthened s = open_system(a, a->m);
    for (uint32_t i = 0; i < a->cases.len; i++) {
        if (!strengthen_is_others(&a->cases.data[i], origin)) continue;
        draft d = draft_case(a->m, a, &a->cases.data[i], &(lemma_list){0}, false);
        for (uint32_t k = 0; k < d.params.len; k++) replace_by_input(&d, &s, inputs, d.params.data[k]);
        d.params.len = 0;
        strengthen_add_rule(&d, &s, i);
        draft_free(&d);
    }
    return s;
}

void strengthened_free(strengthened *s) {
    vec_free(&s->rules);
    if (s->is_own) model_free(s->m);
    s->is_own = false;
}

abstract_case *strengthened_case(const strengthened *s, const abstraction *a, rule r) {
    for (uint32_t i = 0; i < s->rules.len; i++)
        if (s->rules.data[i].r.id == r.id) return &a->cases.data[s->rules.data[i].number];
    return NULL;
}
