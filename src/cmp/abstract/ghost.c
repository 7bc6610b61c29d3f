// SPDX-License-Identifier: Apache-2.0
// Ghosts: whether some element that is not kept satisfies what a property says of some element.
//
// `exists p. f(p)` in a property would be lost with the state of the others. So the abstract state has a bool
// that says whether f holds for one of them. A case with others o1, o2, … says in its guard that it is
// f(o1) | f(o2) | … | rest, and sets it so after its body. `rest` is about all further elements: it stays what it is
// unless the body may change what f reads of them. A loop over all elements may: then the guard relates `rest` before
// and after by what such an element may be: one that satisfies f before, if there is one, and after the loop whatever
// the loop makes of it; and one that satisfies f after, if there is one.
//
// Where guards say `forall q. !g(q)`, there is one ghost for f & g and one for f & !g: such a guard says that the
// first is false.
#include "cmp/abstract/internal.h"

#include "pass/welldefined.h"
#include "model/stmt.h"

enum { MOST_DENIED = 1 };

// ---- which formulas are posted

// It speaks of v and of shared state only.
static bool ghost_is_about(const abstraction *a, var v, expr e) {
    const expr_info *x = expr_of(a->m, e);
    bool is_read = x->kind == E_APP || x->kind == E_DEFINED, ok = !expr_kind_binds(x->kind);
    for (uint32_t i = 0; i < x->nargs && ok; i++) {
        const expr_info *arg = expr_of(a->m, x->args[i]);
        bool is_v = arg->kind == E_VAR && arg->ref == v.id;
        ok = is_read && abstract_is_sort(a, arg->ty) ? is_v : ghost_is_about(a, v, x->args[i]);
    }
    return ok && (x->kind != E_VAR || x->ref == v.id);
}

// The body of a quantifier over the sort as a formula about `someone`, negated or not; id 0: it is of no use.
static expr about_someone(const abstraction *a, expr quantifier, bool negated) {
    const expr_info x = *expr_of(a->m, quantifier);
    var v = {x.ref};
    if (!abstract_is_sort(a, var_of(a->m, v)->ty)) return (expr){0};
    expr self = expr_var(a->m, a->someone);
    expr e = expr_nnf(a->m, expr_subst(a->m, x.args[0], &v, &self, 1), negated);
    return ghost_is_about(a, a->someone, e) ? e : (expr){0};
}

// What quantified guards deny of every element.
typedef VEC(expr) expr_list;

static void find_denied(const abstraction *a, expr e, expr_list *out) {
    const expr_info x = *expr_of(a->m, e);
    expr denied = x.kind == E_FORALL ? about_someone(a, e, true) : (expr){0};
    bool is_new = denied.id;
    for (uint32_t i = 0; i < out->len; i++) is_new &= !expr_same(out->data[i], denied);
    if (is_new && out->len < MOST_DENIED) vec_push(out, denied);
    for (uint32_t i = 0; i < x.nargs; i++) find_denied(a, x.args[i], out);
}

static void add_ghost(abstraction *a, expr formula, expr holds, expr denied) {
    func_info f = {.name = arena_printf(a->m->memory, "some_other_%u", a->ghosts.len + 1),
                   .at = expr_of(a->m, formula)->at,
                   .result = a->m->bool_type,
                   .owner = a->system};
    vec_push(&a->ghosts, ((ghost){formula, holds, denied, model_add_func(a->m, f)}));
    vec_push(&a->state, vec_last(&a->ghosts).f);
}

static bool is_posted(const abstraction *a, expr formula) {
    for (uint32_t i = 0; i < a->ghosts.len; i++)
        if (expr_same(a->ghosts.data[i].formula, formula)) return true;
    return false;
}

static void find_ghosts(abstraction *a, expr e, const expr_list *denied) {
    const expr_info x = *expr_of(a->m, e);
    expr f = x.kind == E_EXISTS ? about_someone(a, e, false) : (expr){0};
    if (!f.id)
        for (uint32_t i = 0; i < x.nargs; i++) find_ghosts(a, x.args[i], denied);
    if (!f.id || is_posted(a, f)) return;
    expr sure = welldefined_holds(a->m, f);
    if (!denied->len) add_ghost(a, f, sure, (expr){0});
    for (uint32_t i = 0; i < denied->len; i++) {
        expr g = denied->data[i];
        add_ghost(a, f, expr_and(a->m, sure, welldefined_holds(a->m, g)), g);
        add_ghost(a, f, expr_and(a->m, sure, welldefined_holds(a->m, expr_nnf(a->m, g, true))), (expr){0});
    }
}

static bool starts_have_bodies(const abstraction *a) {
    const sys_info *s = sys_of(a->m, a->origin);
    for (uint32_t i = 0; i < s->inits.len; i++)
        if (!rule_of(a->m, s->inits.data[i])->body) return false;
    return s->inits.len > 0;
}

void ghost_properties(abstraction *a) {
    if (!starts_have_bodies(a)) return;
    expr_list denied = {0};
    a->someone = model_add_var(a->m, "someone", a->sort, (span){0});
    for (uint32_t i = 0; i < sys_of(a->m, a->origin)->rules.len; i++) {
        expr guard = rule_of(a->m, sys_of(a->m, a->origin)->rules.data[i])->guard;
        if (guard.id) find_denied(a, expr_nnf(a->m, guard, false), &denied);
    }
    for (uint32_t i = 1; i < a->m->props.len; i++) {
        const prop_info p = a->m->props.data[i];
        if (p.system.id == a->origin.id && p.kind == PROP_INVARIANT)
            find_ghosts(a, expr_nnf(a->m, p.cond, false), &denied);
    }
    vec_free(&denied);
}

// ---- what ghosts know of a quantified formula

// exists v. body: holds if one of these does.
expr ghost_some(const abstraction *a, expr quantifier) {
    expr e = a->m->false_expr;
    if (!a->ghosts.len) return e;
    expr f = about_someone(a, quantifier, expr_kind_of(a->m, quantifier) == E_FORALL);
    for (uint32_t i = 0; i < a->ghosts.len && f.id; i++) {
        const ghost w = a->ghosts.data[i];
        if (expr_same(w.formula, f) || expr_same(w.denied, f)) e = expr_or(a->m, e, expr_app(a->m, w.f, NULL));
    }
    return e;
}

// ---- what a body may change

typedef enum { REST_STAYS, REST_LOOPS, REST_CHANGES } rest_effect;

static bool ghost_is_param(const abstract_case *c, expr e, const model *m) {
    const expr_info *x = expr_of(m, e);
    for (uint32_t i = 0; i < c->env.len; i++)
        if (x->kind == E_VAR && c->env.data[i].from.id == x->ref) return true;
    return false;
}

static rest_effect effect_of_assign(const translator *t, const ghost *w, const stmt *s) {
    const func_info f = *func_of(t->m, s->target);
    if (!expr_reads(t->m, w->holds, s->target)) return REST_STAYS;
    rest_effect worst = REST_CHANGES;
    for (uint32_t i = 0; i < s->nargs; i++) {
        if (!abstract_is_sort(t->a, f.args[i])) continue;
        if (ghost_is_param(t->c, s->args[i], t->m)) return REST_STAYS;
        if (s->nargs == 1 && expr_kind_of(t->m, s->args[i]) == E_VAR) worst = REST_LOOPS;
    }
    return worst;
}

static rest_effect ghost_effect_of(const translator *t, const ghost *w, const stmt *s) {
    rest_effect worst = s->kind == S_ASSIGN ? effect_of_assign(t, w, s) : REST_STAYS;
    for (uint32_t i = 0; i < s->nbody; i++) {
        rest_effect one = ghost_effect_of(t, w, s->body[i]);
        worst = one > worst ? one : worst;
    }
    for (uint32_t i = 0; i < s->norelse; i++) {
        rest_effect one = ghost_effect_of(t, w, s->orelse[i]);
        worst = one > worst ? one : worst;
    }
    return worst;
}

static bool is_touched(const translator *t, const ghost *w) {
    for (uint32_t i = 0; i < sys_of(t->m, t->a->origin)->funcs.len; i++) {
        func f = sys_of(t->m, t->a->origin)->funcs.data[i];
        if (expr_reads(t->m, w->holds, f) && stmt_writes(t->whole, f)) return true;
    }
    return false;
}

bool ghost_reads(const abstraction *a, func f) {
    for (uint32_t i = 0; i < a->ghosts.len; i++)
        if (expr_reads(a->m, a->ghosts.data[i].holds, f)) return true;
    return false;
}

// ---- before and after a body

static expr ghost_holds_at(translator *t, const ghost *w, uint32_t other) {
    vec_push(&t->env, (ident_binding){t->a->someone, ident_other(other)});
    expr e = translate_exact(t, w->holds);
    t->env.len--;
    return e;
}

static expr holds_at_others(translator *t, const ghost *w) {
    expr e = t->m->false_expr;
    for (uint32_t k = 0; k < t->c->nothers; k++) e = expr_or(t->m, e, ghost_holds_at(t, w, k));
    return e;
}

static expr guess(translator *t) { return add_unknown(t, &t->c->unknowns, t->m->bool_type, (expr){0}, UNKNOWN_VALUE); }

static void require(translator *t, expr e) { t->c->guard = expr_and(t->m, t->c->guard, e); }

void ghost_begin(translator *t) {
    for (uint32_t i = 0; i < t->a->ghosts.len; i++) {
        const ghost w = t->a->ghosts.data[i];
        pending_ghost p = {.effect = ghost_effect_of(t, &w, t->whole)};
        if (t->c->is_init) {
            p.rest = t->m->false_expr;
            if (p.effect == REST_STAYS) p.effect = REST_LOOPS;
        } else if (is_touched(t, &w)) {
            expr now = expr_app(t->m, w.f, NULL);
            p.rest = t->c->nothers ? guess(t) : now;
            if (t->c->nothers) require(t, expr_eq(t->m, now, expr_or(t->m, holds_at_others(t, &w), p.rest)));
        }
        vec_push(&t->posted, p);
    }
}

// ---- an element that is neither kept nor the case's, through a body

static mirror_cell *mirror_of(translator *t, func f) {
    for (uint32_t i = 0; i < t->mirror.len; i++)
        if (t->mirror.data[i].f.id == f.id) return &t->mirror.data[i];
    const func_info info = *func_of(t->m, f);
    mirror_cell c = {.f = f, .has = t->m->true_expr};
    c.value_before = model_add_var(t->m, info.name, abstract_value_type(t->a, info.result), info.at);
    c.value = expr_var(t->m, c.value_before);
    if (info.may_be_undefined) {
        c.has_before = model_add_var(t->m, arena_printf(t->m->memory, "has_%s", info.name), t->m->bool_type, info.at);
        c.has = expr_var(t->m, c.has_before);
    }
    vec_push(&t->mirror, c);
    return &vec_last(&t->mirror);
}

expr mirror_read(translator *t, func f, bool asks) {
    const mirror_cell *c = mirror_of(t, f);
    return asks ? c->has : c->value;
}

// A value that does not depend on anything that is not known, or on what the body wrote; id 0: it may.
static expr mirror_value(translator *t, expr e) {
    uint32_t pending = t->pending.len, known = t->mirror.len;
    t->in_atom = true;
    expr x = translate_value(t, e);
    t->in_atom = false;
    bool ok = t->pending.len == pending && !reads_written(t, x) && !expr_can_fault(t->m, x);
    for (uint32_t i = known; i < t->mirror.len; i++) ok &= !bits_has(&t->written, t->mirror.data[i].f.id);
    t->pending.len = pending;
    return ok ? x : (expr){0};
}

static bool mirror_stmt(translator *t, const stmt *s);

static bool mirror_all(translator *t, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!mirror_stmt(t, body[i])) return false;
    return true;
}

// What is bound to the variable; NULL: e is no variable of the sort.
static const ident *ghost_bound_to(const translator *t, expr e) {
    const expr_info *x = expr_of(t->m, e);
    for (uint32_t i = t->env.len; x->kind == E_VAR && i-- > 0;)
        if (t->env.data[i].from.id == x->ref) return &t->env.data[i].to;
    return NULL;
}

static bool is_followed(const translator *t, const ident *x) {
    return x->kind == IDENT_OTHER && x->other == rest_number(t);
}

// A cell of the element that is followed, or certainly not one.
static bool mirror_assign(translator *t, const stmt *s) {
    const ident *who = s->nargs == 1 ? ghost_bound_to(t, s->args[0]) : NULL;
    if (!who || !is_followed(t, who)) return who != NULL;
    expr to = s->value.id ? mirror_value(t, s->value) : (expr){0};
    if (s->value.id && !to.id) return false;
    mirror_cell *c = mirror_of(t, s->target);
    c->has = expr_bool(t->m, to.id);
    if (to.id) c->value = to;
    return true;
}

// Where the cells are what they were before, and where what they are now.
static void ghost_merge(translator *t, expr cond, const mirror_cell *before, uint32_t n) {
    for (uint32_t i = 0; i < t->mirror.len; i++) {
        mirror_cell *c = &t->mirror.data[i];
        bool is_new = i >= n;
        expr was = is_new ? expr_var(t->m, c->value_before) : before[i].value;
        expr has = is_new ? (c->has_before.id ? expr_var(t->m, c->has_before) : t->m->true_expr) : before[i].has;
        c->value = expr_ite(t->m, cond, c->value, was);
        c->has = expr_ite(t->m, cond, c->has, has);
    }
}

static bool mirror_branch(translator *t, expr cond, const stmt *const *body, uint32_t n) {
    uint32_t len = t->mirror.len;
    mirror_cell *before = mem_zero(len + 1, sizeof *before);
    if (len) memcpy(before, t->mirror.data, len * sizeof *before);
    bool ok = mirror_all(t, body, n);
    ghost_merge(t, cond, before, len);
    free(before);
    return ok;
}

static bool mirror_if(translator *t, const stmt *s) {
    expr cond = mirror_value(t, s->cond);
    if (!cond.id) return false;
    return mirror_branch(t, cond, s->body, s->nbody) && mirror_branch(t, expr_not(t->m, cond), s->orelse, s->norelse);
}

static bool writes_mirrored(const translator *t, const stmt *s) {
    for (uint32_t i = 0; i < t->mirror.len; i++)
        if (stmt_writes(s, t->mirror.data[i].f)) return true;
    return false;
}

static bool is_in_round(const translator *t) {
    for (uint32_t i = 0; i < t->env.len; i++)
        if (is_followed(t, &t->env.data[i].to)) return true;
    return false;
}

// The round of the element that is followed; what other rounds write, it cannot read.
static bool mirror_loop(translator *t, const stmt *s) {
    bool is_simple = s->nvars == 1 && !s->cond.id && !is_in_round(t);
    if (!is_simple || !abstract_is_sort(t->a, var_of(t->m, s->vars[0])->ty)) return false;
    body_note_writes(t, s);
    vec_push(&t->env, (ident_binding){s->vars[0], ident_other(rest_number(t))});
    bool ok = mirror_all(t, s->body, s->nbody);
    t->env.len--;
    return ok;
}

static bool mirror_stmt(translator *t, const stmt *s) {
    bool ok = true;
    if (!writes_mirrored(t, s)) ok = true;
    else if (s->kind == S_ASSIGN) ok = mirror_assign(t, s);
    else if (s->kind == S_IF) ok = mirror_if(t, s);
    else if (s->kind == S_SEQ) return mirror_all(t, s->body, s->nbody);
    else ok = s->kind == S_FORALL && mirror_loop(t, s);
    body_note_writes(t, s);
    return ok;
}

// ---- what elements that are neither kept nor the case's satisfy after a body

static expr quantify_mirror(translator *t, expr e) {
    for (uint32_t i = 0; i < t->mirror.len; i++) {
        e = expr_quantify(t->m, E_EXISTS, t->mirror.data[i].value_before, e);
        if (t->mirror.data[i].has_before.id) e = expr_quantify(t->m, E_EXISTS, t->mirror.data[i].has_before, e);
    }
    return e;
}

typedef VEC(expr) formula_list;

static bool holds_in_mirror(translator *t, formula_list *out) {
    bool ok = true;
    vec_push(&t->env, (ident_binding){t->a->someone, ident_other(rest_number(t))});
    for (uint32_t i = 0; i < t->a->ghosts.len; i++) {
        bool is_wanted = t->posted.data[i].effect == REST_LOOPS;
        expr e = is_wanted ? mirror_value(t, t->a->ghosts.data[i].holds) : t->m->false_expr;
        ok &= e.id != 0;
        vec_push(out, e);
    }
    t->env.len--;
    return ok;
}

// Some element is `one` at one side of the step; whatever it is at the other side, some element is there.
static expr seen_from(translator *t, expr one, const formula_list *there, const formula_list *rest_there) {
    for (uint32_t i = 0; i < there->len; i++)
        if (rest_there->data[i].id) one = expr_and(t->m, one, expr_implies(t->m, there->data[i], rest_there->data[i]));
    return quantify_mirror(t, one);
}

typedef struct {
    formula_list before, after, rest, rest_after;
} relation;

static void relate(translator *t, const relation *r) {
    for (uint32_t i = 0; i < r->before.len; i++) {
        if (!r->rest.data[i].id) continue;
        expr from = seen_from(t, r->before.data[i], &r->after, &r->rest_after);
        expr to = seen_from(t, r->after.data[i], &r->before, &r->rest);
        require(t, expr_implies(t->m, r->rest.data[i], from));
        require(t, expr_implies(t->m, r->rest_after.data[i], to));
    }
}

// There is no state before a start, and a start has no guard.
static void relate_start(translator *t, relation *r) {
    for (uint32_t i = 0; i < r->after.len; i++)
        if (r->rest.data[i].id && !reads_written(t, r->after.data[i]))
            r->rest_after.data[i] = expr_and(t->m, r->rest_after.data[i], quantify_mirror(t, r->after.data[i]));
}

static bool ghost_follow(translator *t, relation *r) {
    bits written = t->written;
    t->written = (bits){0};
    t->has_mirror = true;
    bool ok = holds_in_mirror(t, &r->before) && mirror_stmt(t, t->whole) && holds_in_mirror(t, &r->after);
    t->has_mirror = false;
    bits_free(&t->written);
    t->written = written;
    return ok;
}

static bool any_loops(const translator *t) {
    for (uint32_t i = 0; i < t->posted.len; i++)
        if (t->posted.data[i].effect == REST_LOOPS) return true;
    return false;
}

void ghost_end(translator *t) {
    relation r = {0};
    for (uint32_t i = 0; i < t->posted.len; i++) {
        const pending_ghost p = t->posted.data[i];
        vec_push(&r.rest, p.effect == REST_LOOPS ? p.rest : (expr){0});
        vec_push(&r.rest_after, p.effect == REST_STAYS ? p.rest : guess(t));
    }
    bool is_known = any_loops(t) && ghost_follow(t, &r);
    if (is_known && t->c->is_init) relate_start(t, &r);
    else if (is_known) relate(t, &r);
    for (uint32_t i = 0; i < t->posted.len; i++) {
        const pending_ghost p = t->posted.data[i];
        if (!p.rest.id || (!t->c->nothers && p.effect == REST_STAYS)) continue;
        const ghost w = t->a->ghosts.data[i];
        expr after = expr_or(t->m, holds_at_others(t, &w), r.rest_after.data[i]);
        vec_push(t->out, model_assign(t->m, w.f, NULL, 0, after, t->whole->at));
    }
    vec_free(&r.before);
    vec_free(&r.after);
    vec_free(&r.rest);
    vec_free(&r.rest_after);
}
