// SPDX-License-Identifier: Apache-2.0
// Formulas of a system as formulas of its abstraction.
//
// A condition is translated in one of two modes: MAY gives one that holds wherever the original can hold, MUST
// one that holds only where the original holds. They differ by what is said about elements that are neither
// kept nor parameters of the case: quantifiers over all elements, and whether two values that both are Other
// are the same. Everything else about dropped cells is an unknown, shared by both.
#include "cmp/abstract/internal.h"

#include "model/walk.h"
#include "pass/elements.h"
#include "model/welldefined.h"

#include <assert.h>

void translator_free(translator *t) {
    vec_free(&t->env);
    vec_free(&t->bound);
    vec_free(&t->pending);
    vec_free(&t->rows);
    vec_free(&t->posted);
    vec_free(&t->mirror);
    bits_free(&t->written);
}

var translate_bind(translator *t, var v) {
    var own = v;
    if (abstract_is_sort(t->a, var_of(t->m, v)->ty)) {
        own = known_var(t, v);
        vec_push(&t->env, (ident_binding){v, ident_kept(expr_var(t->m, own))});
    }
    vec_push(&t->bound, ((binder){own, t->pending.len, t->c ? t->c->unknowns.len : 0}));
    return own;
}

// Is there an unknown without a key since the variable was bound? It is one for all of its bindings.
static bool has_shared_unknown(const translator *t, binder b) {
    bool is_shared = t->pending.len > b.npending;
    for (uint32_t i = b.nunknowns; t->c && i < t->c->unknowns.len; i++) is_shared |= !t->c->unknowns.data[i].key.id;
    return is_shared;
}

void translate_unbind(translator *t, var v) {
    if (abstract_is_sort(t->a, var_of(t->m, v)->ty)) t->env.len--;
    if (has_shared_unknown(t, vec_pop(&t->bound)) && !t->is_probing)
        abstract_refuse(t->a, var_of(t->m, v)->at, "what a quantifier reads of elements that are not kept is unknown");
}

// ---- values

static bool is_ident(const translator *t, expr e) { return abstract_is_ident(t->a, expr_type(t->m, e)); }

static expr translate_rebuild(translator *t, const expr_info *x, const expr *args) {
    switch (x->kind) {
    case E_WIDEN: return expr_widen(t->m, x->ty, args[0]);
    case E_NARROW: return expr_narrow(t->m, x->ty, args[0]);
    case E_IS: return expr_is(t->m, (type){x->ref}, args[0]);
    case E_EQ: return expr_eq(t->m, args[0], args[1]);
    case E_ITE: return expr_ite(t->m, args[0], args[1], args[2]);
    default: return expr_arith(t->m, x->kind, args[0], x->nargs > 1 ? args[1] : args[0]);
    }
}

static expr translate_args(translator *t, const expr_info *x) {
    expr args[ABSTRACT_MOST_ARGS];
    assert(x->nargs <= ABSTRACT_MOST_ARGS);
    for (uint32_t i = 0; i < x->nargs; i++) args[i] = translate_value(t, x->args[i]);
    return translate_rebuild(t, x, args);
}

static bool is_over_sort(const translator *t, const expr_info *x) {
    return expr_kind_binds(x->kind) && abstract_is_sort(t->a, var_of(t->m, (var){x->ref})->ty);
}

// How many there are, as far as it is known.
typedef struct {
    expr least, most;
} number;

static number count_satisfying(translator *t, expr body) {
    return (number){translate_bool(t, body, MUST), translate_bool(t, body, MAY)};
}

static expr plus_one_if(translator *t, expr sum, expr cond) {
    expr one = expr_const(t->m, model_range(t->m, 0, 1, (span){0}), 1),
         none = expr_const(t->m, expr_type(t->m, one), 0);
    return expr_arith(t->m, E_ADD, sum, expr_ite(t->m, cond, one, none));
}

// Of the sort: those that are kept, and the case's others.
static void add_others(translator *t, const expr_info *x, number *n) {
    for (uint32_t k = 0; k < rest_number(t); k++) {
        vec_push(&t->env, (ident_binding){{x->ref}, ident_other(k)});
        number one = count_satisfying(t, x->args[0]);
        t->env.len--;
        *n = (number){plus_one_if(t, n->least, one.least), plus_one_if(t, n->most, one.most)};
    }
}

// Any number that there may be: which ones the body holds for is not known one by one.
static expr number_between(translator *t, number n) {
    if (expr_same(n.least, n.most)) return n.least;
    expr any = unknown_of(t, (expr){0}, expr_type(t->m, n.most), UNKNOWN_VALUE);
    expr no_more = expr_ite(t->m, expr_arith(t->m, E_LT, n.most, any), n.most, any);
    return expr_ite(t->m, expr_arith(t->m, E_LT, any, n.least), n.least, no_more);
}

static expr translate_count(translator *t, const expr_info *x) {
    var v = {x->ref};
    if (is_over_sort(t, x) && !t->in_atom) abstract_refuse(t->a, x->at, "elements of the abstracted sort are counted");
    var own = translate_bind(t, v);
    number n = count_satisfying(t, x->args[0]);
    translate_unbind(t, v);
    n = (number){expr_quantify(t->m, E_COUNT, own, n.least), expr_quantify(t->m, E_COUNT, own, n.most)};
    if (!is_over_sort(t, x)) return number_between(t, n);
    add_others(t, x, &n);
    type more = model_range(t->m, 0, t->most_more, (span){0});  // as far as that makes a difference
    return expr_arith(t->m, E_ADD, number_between(t, n), unknown_of(t, (expr){0}, more, UNKNOWN_VALUE));
}

// A variable over a sort with one element is that element: cells of it have one name, whatever it is called.
static bool is_only_one(const translator *t, type ty) {
    const type_info *info = type_of(t->m, ty);
    return info->kind == TYPE_SORT && info->fixed_size == 1 && !info->is_slot;
}

static expr value_of(translator *t, expr e) {
    const expr_info x = *expr_of(t->m, e);
    switch (x.kind) {
    case E_CONST: return e;
    case E_VAR: return is_only_one(t, x.ty) ? expr_const(t->m, x.ty, 0) : e;
    case E_APP: return read_cell(t, e);
    case E_CALL: return translate_value(t, expr_inline(t->m, e));
    case E_COUNT: return translate_count(t, &x);
    case E_REAL: abstract_refuse(t->a, x.at, "real numbers are computed"); return expr_const(t->m, x.ty, 0);
    default: return translate_args(t, &x);
    }
}

expr translate_value(translator *t, expr e) {
    known_question q;
    if (is_ident(t, e)) return ident_value(t, translate_ident(t, e));
    if (expr_is_bool(t->m, e)) return translate_exact(t, e);
    if (known_ask(t, e, KNOWN_VALUE, &q)) return q.is.e;
    return known_tell(t, &q, (ident){.e = value_of(t, e)}).e;
}

// ---- conditions

static approx flipped(approx mode) { return mode == MAY ? MUST : MAY; }
static approx plain(approx mode) { return mode == MAY ? MAY : MUST; }

// A condition about unknowns that have no name of their own: for some of their values, or for all.
static expr close_atom(translator *t, uint32_t from, expr e, approx mode) {
    while (t->pending.len > from) {
        var v = vec_pop(&t->pending).v;
        e = expr_quantify(t->m, mode == MAY ? E_EXISTS : E_FORALL, v, e);
    }
    return e;
}

static expr translate_is_member(translator *t, const expr_info *x) {
    ident a = translate_ident(t, x->args[0]);
    type member = {x->ref};
    if (!abstract_is_sort(t->a, member)) return expr_is(t->m, member, ident_value(t, a));
    return expr_or(t->m, ident_is_kept(t, a), ident_is_other(t, a));
}

static expr translate_plain_atom(translator *t, expr e, approx mode) {
    const expr_info x = *expr_of(t->m, e);
    if (x.kind == E_EQ && is_ident(t, x.args[0])) {
        claim_part claim = t->claim;
        t->claim = CLAIM_NONE;  // what is below is another equation
        ident a = translate_ident(t, x.args[0]), b = translate_ident(t, x.args[1]);
        t->claim = claim;
        expr same = ident_same(t, a, b, mode);
        t->claim = CLAIM_NONE;
        return same;
    }
    t->claim = CLAIM_NONE;
    if (x.kind == E_IS && is_ident(t, x.args[0])) return translate_is_member(t, &x);
    if (x.kind == E_APP || x.kind == E_DEFINED) return read_cell(t, e);
    return translate_args(t, &x);
}

static bool is_pending(const translator *t, uint32_t from, expr e) {
    for (uint32_t i = from; i < t->pending.len; i++)
        if (expr_same(expr_var(t->m, t->pending.data[i].v), e)) return true;
    return false;
}

// Is one of the elements that the atom reads cells of, as values of others, not kept?
static expr reads_of_other(translator *t, expr e) {
    expr some = t->m->false_expr;
    walk w = walk_expr(t->m, e, 0);
    while (walk_next(&w)) {
        if (expr_kind_binds(w.x->kind)) walk_skip(&w);
        const uint32_t n = w.x->nargs;
        for (uint32_t i = 0; i < n; i++) {
            if (!elements_read_by_value(t->m, t->a->sort, w.e, i)) continue;
            expr is_other = ident_is_other(t, translate_ident(t, expr_arg(t->m, w.e, i)));
            some = expr_or(t->m, some, welldefined_holds(t->m, is_other));
        }
    }
    return some;
}

// The atom, stated or denied by a formula of all kept elements.
static expr claimed_atom(translator *t, expr e, approx mode) {
    claim_part claim = t->claim;
    expr x = translate_plain_atom(t, e, mode);
    if (!claim) return x;
    expr other = reads_of_other(t, e);
    return claim == CLAIM_STATED ? expr_or(t->m, x, other) : expr_and(t->m, x, expr_not(t->m, other));
}

static expr atom(translator *t, expr e, approx mode) {
    bool before = t->in_atom;
    if (elements_counted(t->m, t->a->sort, e)) t->most_more = elements_that_matter(t->m, t->a->sort, e);
    if (t->most_more < 0) {
        t->most_more = 0;
        t->claim = CLAIM_NONE;
        return expr_bool(t->m, mode == MAY);
    }
    uint32_t from = t->pending.len, around = t->atom;
    bool was_open = t->is_open;
    t->in_atom = true;
    t->atom = ++t->natoms;
    expr x = claimed_atom(t, e, mode);
    t->in_atom = before;
    t->atom = around;
    t->is_open = was_open;
    if (is_pending(t, from, x)) {
        t->pending.len = from;
        return expr_bool(t->m, mode == MAY);
    }
    return close_atom(t, from, x, mode);
}

static expr with_part(translator *t, bool is_and, expr e, expr part) {
    return is_and ? expr_and(t->m, e, part) : expr_or(t->m, e, part);
}

static expr translate_junction(translator *t, const expr_info *x, approx mode) {
    bool is_and = x->kind == E_AND;
    expr e = expr_bool(t->m, is_and);
    for (uint32_t i = 0; i < x->nargs; i++) e = with_part(t, is_and, e, translate_bool(t, x->args[i], mode));
    return e;
}

static expr translate_choose(translator *t, expr c, expr a, expr b, approx mode) {
    expr may = translate_bool(t, c, MAY), must = translate_bool(t, c, MUST);
    expr then = translate_bool(t, a, mode), orelse = translate_bool(t, b, mode);
    if (expr_same(may, must)) return expr_ite(t->m, may, then, orelse);
    if (mode != MAY) return expr_and(t->m, expr_or(t->m, expr_not(t->m, may), then), expr_or(t->m, must, orelse));
    return expr_or(t->m, expr_and(t->m, may, then), expr_and(t->m, expr_not(t->m, must), orelse));
}

// Of an element that is an other of the case, or one more.
static expr translate_at(translator *t, const expr_info *quantifier, uint32_t other, approx mode) {
    vec_push(&t->env, (ident_binding){{quantifier->ref}, ident_other(other)});
    expr e = translate_bool(t, quantifier->args[0], mode);
    t->env.len--;
    return e;
}

// What the quantifier's body says of an element that is neither kept nor one of the case's: does it say
// nothing, whatever that element's state is?
static bool rest_is_idle(translator *t, const expr_info *x) {
    uint32_t from = t->pending.len;
    bool atom_before = t->in_atom;
    abstract_other(t->a, nobody_number(t));
    t->in_atom = true;
    expr e = translate_at(t, x, nobody_number(t), x->kind == E_FORALL ? MUST : MAY);
    t->in_atom = atom_before;
    t->pending.len = from;
    return expr_same(e, expr_bool(t->m, x->kind == E_FORALL));
}

static expr over_others(translator *t, const expr_info *x, approx mode, expr e) {
    uint32_t n = rest_number(t) + t->has_mirror;
    for (uint32_t k = 0; k < n; k++) e = with_part(t, x->kind == E_FORALL, e, translate_at(t, x, k, mode));
    return e;
}

static expr over_sort(translator *t, expr whole, approx mode) {
    const expr_info known = *expr_of(t->m, whole), *x = &known;
    bool is_all = x->kind == E_FORALL;
    if (!is_all) mode = plain(mode);
    var own = translate_bind(t, (var){x->ref});
    expr e = expr_quantify(t->m, x->kind, own, translate_bool(t, x->args[0], mode));
    translate_unbind(t, (var){x->ref});
    e = over_others(t, x, mode, e);
    // Of the state before a step, or of a whole state, ghosts know more.
    expr some = t->whole ? t->m->false_expr : ghost_some(t->a, whole);
    if (is_all && mode == MAY) e = expr_and(t->m, e, expr_not(t->m, some));
    if (!is_all && mode != MAY) e = expr_or(t->m, e, some);
    bool is_done = mode == MUST_EACH || is_all == (mode == MAY) || rest_is_idle(t, x);
    return is_done ? e : expr_bool(t->m, mode == MAY);
}

// Over a union with the sort: over each member.
static expr over_members(translator *t, const expr_info *x, approx mode) {
    const var v = {x->ref};
    const uint32_t n = type_of(t->m, var_of(t->m, v)->ty)->nmembers;
    expr e = expr_bool(t->m, x->kind == E_FORALL), as;
    for (uint32_t i = 0; i < n; i++) {
        var own = abstract_member(t->a, v, i, &as);
        expr one = expr_quantify(t->m, x->kind, own, expr_subst(t->m, x->args[0], &v, &as, 1));
        e = with_part(t, x->kind == E_FORALL, e, translate_bool(t, one, mode));
    }
    return e;
}

static expr translate_quantifier(translator *t, expr whole, approx mode) {
    const expr_info known = *expr_of(t->m, whole), *x = &known;
    var v = {x->ref};
    if (abstract_is_union(t->a, var_of(t->m, v)->ty)) return over_members(t, x, mode);
    if (abstract_is_sort(t->a, var_of(t->m, v)->ty)) return over_sort(t, whole, mode);
    translate_bind(t, v);
    expr body = translate_bool(t, x->args[0], x->kind == E_FORALL ? mode : plain(mode));
    translate_unbind(t, v);
    return expr_quantify(t->m, x->kind, v, body);
}

static bool translate_is_atom(const translator *t, expr e) {
    const expr_info *x = expr_of(t->m, e);
    if (x->kind == E_EQ) return !expr_is_bool(t->m, x->args[0]);
    return x->kind == E_APP || x->kind == E_DEFINED || x->kind == E_IS || x->kind == E_LT || x->kind == E_LE;
}

// By symmetry: the elements that values of an atom are, are kept in some view.
static claim_part claimed(const translator *t, expr e, approx mode, claim_part how) {
    return mode == MUST_EACH && t->knows_values && translate_is_atom(t, e) ? how : CLAIM_NONE;
}

static expr translate_not(translator *t, expr e, approx mode) {
    t->claim = claimed(t, e, mode, CLAIM_DENIED);
    return expr_not(t->m, t->claim ? atom(t, e, MAY) : translate_bool(t, e, flipped(mode)));
}

static expr bool_of(translator *t, expr e, approx mode) {
    const expr_info x = *expr_of(t->m, e);
    switch (x.kind) {
    case E_CONST:
    case E_VAR: return e;
    case E_CALL: return translate_bool(t, expr_inline(t->m, e), mode);
    case E_NOT: return translate_not(t, x.args[0], mode);
    case E_AND:
    case E_OR: return translate_junction(t, &x, mode);
    case E_IMPLIES: {
        expr a = translate_bool(t, x.args[0], flipped(mode));
        return expr_implies(t->m, a, translate_bool(t, x.args[1], mode));
    }
    case E_ITE: return translate_choose(t, x.args[0], x.args[1], x.args[2], mode);
    case E_FORALL:
    case E_EXISTS: return translate_quantifier(t, e, mode);
    case E_EQ:
        if (type_same(expr_type(t->m, x.args[0]), t->m->bool_type))
            return translate_choose(t, x.args[0], x.args[1], expr_not(t->m, x.args[1]), mode);
        break;
    default: break;
    }
    t->claim = claimed(t, e, mode, CLAIM_STATED);
    return atom(t, e, mode);
}

expr translate_bool(translator *t, expr e, approx mode) {
    known_question q;
    if (known_ask(t, e, mode, &q)) return q.is.e;
    return known_tell(t, &q, (ident){.e = bool_of(t, e, mode)}).e;
}

// A bool whose value the step depends on: if it cannot be known, it is chosen, within what is possible.
expr translate_exact(translator *t, expr e) {
    expr may = translate_bool(t, e, MAY), must = translate_bool(t, e, MUST);
    if (expr_same(may, must)) return may;
    bool is_named = !t->in_atom && t->c && !t->is_probing;
    expr chosen = unknown_of(t, (expr){0}, t->m->bool_type, UNKNOWN_VALUE);
    if (!is_named || !t->out) return chosen;
    expr possible = expr_ite(t->m, chosen, may, expr_not(t->m, must));
    if (t->c->nothers) possible = welldefined_holds(t->m, possible);  // others never fail: see body.c
    stmt *s = model_assume(t->m, possible, expr_of(t->m, e)->at);
    s->is_guard = true;
    vec_push(t->out, s);
    return chosen;
}

// ---- whole formulas

translator translator_of(abstraction *a, abstract_case *c) {
    translator t = {.a = a, .m = a->m, .c = c};
    for (uint32_t i = 0; i < c->env.len; i++) vec_push(&t.env, c->env.data[i]);
    return t;
}

expr translate_guard(abstraction *a, abstract_case *c, expr e) {
    translator t = translator_of(a, c);
    e = translate_bool(&t, expr_inline(a->m, e), MAY);
    translator_free(&t);
    return e;
}

// With fewer kept elements than the formula speaks of at once, nothing is known of it.
expr abstract_over(abstraction *a, expr e, const var *formals, const var *kept, uint32_t n) {
    translator t = {.a = a, .m = a->m};
    for (uint32_t i = 0; i < n; i++) vec_push(&t.env, (ident_binding){formals[i], ident_kept(expr_var(a->m, kept[i]))});
    e = expr_nnf(a->m, e, false);
    bool is_seen = elements_at_once(a->m, a->sort, e) + n <= a->kept_count;
    t.knows_values = elements_with_values(a->m, a->sort, e) + n <= a->kept_count;
    e = is_seen ? translate_bool(&t, e, MUST_EACH) : a->m->false_expr;
    translator_free(&t);
    return e;
}

expr abstract_formula(abstraction *a, expr e) { return abstract_over(a, e, NULL, NULL, 0); }

// ---- lemmas

lemma abstract_lemma_from(abstraction *a, const char *name, expr stated) {
    expr e = expr_nnf(a->m, stated, false);
    var_list formals = {0};
    for (; expr_kind_of(a->m, e) == E_FORALL; e = expr_arg(a->m, e, 0)) {
        var v = {expr_of(a->m, e)->ref};
        if (!abstract_is_sort(a, var_of(a->m, v)->ty)) break;
        vec_push(&formals, v);
    }
    lemma l = {.name = name, .nformals = formals.len, .body = e};
    l.formals = arena_copy(a->m->memory, formals.data, formals.len * sizeof *formals.data);
    vec_free(&formals);
    return l;
}

static expr instance_from(translator *t, const lemma *l, uint32_t i, bool has_other);

static expr instance_with(translator *t, const lemma *l, uint32_t i, bool has_other, ident to) {
    vec_push(&t->env, (ident_binding){l->formals[i], to});
    expr e = instance_from(t, l, i + 1, has_other || to.kind == IDENT_OTHER);
    t->env.len--;
    return e;
}

// From formal i on: a rule's own parameter, any kept element, or any of the case's others too.
static expr instance_from(translator *t, const lemma *l, uint32_t i, bool has_other) {
    if (i == l->nformals) return has_other ? translate_bool(t, l->body, MAY) : t->m->true_expr;
    if (l->only.id && l->at[i].id)
        return instance_with(t, l, i, has_other, translate_ident(t, expr_var(t->m, l->at[i])));
    var own = translate_bind(t, l->formals[i]);
    expr e = expr_quantify(t->m, E_FORALL, own, instance_from(t, l, i + 1, has_other));
    translate_unbind(t, l->formals[i]);
    for (uint32_t k = 0; k < t->c->nothers && !l->only.id; k++)
        e = expr_and(t->m, e, instance_with(t, l, i, has_other, ident_other(k)));
    return e;
}

expr abstract_lemma(abstraction *a, abstract_case *c, const lemma *l) {
    if (c->is_init) return a->m->true_expr;  // there is no state before a start
    uint32_t n = 3 + 2 * l->nformals, *key = mem_zero(n, sizeof *key);
    key[0] = (uint32_t)(c - a->cases.data);
    key[1] = l->body.id;
    key[2] = l->only.id;
    for (uint32_t i = 0; i < l->nformals; i++) {
        key[3 + 2 * i] = l->formals[i].id;
        if (l->only.id) key[4 + 2 * i] = l->at[i].id;
    }
    expr e = {map_get(a->instances, key, n * sizeof *key, 0)};
    if (!e.id) {
        translator t = translator_of(a, c);
        e = instance_from(&t, l, 0, false);
        translator_free(&t);
    }
    map_put(a->instances, key, n * sizeof *key, e.id);
    free(key);
    return e;
}
