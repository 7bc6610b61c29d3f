// SPDX-License-Identifier: Apache-2.0
// What a case knows of elements and of their cells.
//
// An expression of the sort is a kept element, an other of the case, or a value that was read. Of a value that is
// Other the case knows, by an unknown, which of its others it is, if it is one of them; so reading a cell through
// it is reading the cell of that other. A cell of any other element is an unknown too, named by the expression
// that it was read through.
//
// Invariant: an unknown with a key stands for the same value wherever it is used, namely the one before the step:
// keys speak of nothing that a quantifier binds, that the atom guesses or that the body may have written already.
#include "cmp/abstract/internal.h"

#include "model/walk.h"

// ---- elements

ident ident_other(uint32_t k) { return (ident){.kind = IDENT_OTHER, .other = k}; }
ident ident_kept(expr e) { return (ident){.kind = IDENT_KEPT, .e = e}; }

static expr other_value(const translator *t, type as) { return expr_widen(t->m, as, expr_const(t->m, t->a->other, 0)); }

static expr value_as(const translator *t, ident x, type as) {
    if (x.kind == IDENT_KEPT) return expr_widen(t->m, as, x.e);
    if (x.kind == IDENT_OTHER) return other_value(t, as);
    if (type_same(x.as, as)) return x.e;
    // From a union or to one: narrowing to Other fails if it is neither, as narrowing to the sort does.
    expr kept = expr_widen(t->m, as, expr_narrow(t->m, t->a->kept, x.e));
    expr other = expr_widen(t->m, as, expr_narrow(t->m, t->a->other, x.e));
    return expr_ite(t->m, expr_is(t->m, t->a->kept, x.e), kept, other);
}

expr ident_value(const translator *t, ident x) { return value_as(t, x, x.as.id ? x.as : t->a->id); }

expr ident_is_kept(const translator *t, ident x) {
    if (x.kind == IDENT_ANY) return expr_is(t->m, t->a->kept, x.e);
    return expr_bool(t->m, x.kind == IDENT_KEPT);
}

expr ident_is_other(const translator *t, ident x) {
    if (x.kind == IDENT_ANY) return expr_is(t->m, t->a->other, x.e);
    return expr_bool(t->m, x.kind == IDENT_OTHER);
}

uint32_t rest_number(const translator *t) { return t->c ? t->c->nothers : 0; }
uint32_t nobody_number(const translator *t) { return rest_number(t) + 1; }

// How the element is named in the key of an unknown; id 0: it has no name.
static expr ident_key(const translator *t, ident x) {
    if (x.kind == IDENT_OTHER) return expr_var(t->m, abstract_other(t->a, x.other));
    return x.kind == IDENT_KEPT ? x.e : x.key;
}

// ---- unknowns

bool reads_written(const translator *t, expr e) {
    walk w = walk_expr(t->m, e, 0);
    while (walk_next(&w)) {
        bool is_read = w.x->kind == E_APP || w.x->kind == E_DEFINED;
        if (is_read && (bits_has(&t->written, w.x->ref) || func_of(t->m, (func){w.x->ref})->is_scratch))
            return walk_found(&w);
    }
    return false;
}

static bool cells_has_bound(const translator *t, expr key) {
    for (uint32_t i = 0; i < t->bound.len; i++)
        if (expr_has_var(t->m, key, t->bound.data[i].v)) return true;
    for (uint32_t i = 0; i < t->pending.len; i++)
        if (expr_has_var(t->m, key, t->pending.data[i].v)) return true;
    for (uint32_t k = rest_number(t); k < t->a->others.len; k++)
        if (expr_has_var(t->m, key, t->a->others.data[k])) return true;
    return false;
}

// Does the key name one value for the whole step?
static bool cells_is_fixed(const translator *t, expr key) {
    return t->c && key.id && !cells_has_bound(t, key) && !reads_written(t, key);
}

static const char *cells_unknown_name(const translator *t, expr key, unknown_kind kind) {
    static const char *const about[] = {"other", "has", "which", "same"};
    const expr_info *x = key.id ? expr_of(t->m, key) : NULL;
    if (!x) return "x";
    if (kind == UNKNOWN_SAME) return "same";
    return arena_printf(t->m->memory, "%s_%s", about[kind], func_of(t->m, (func){x->ref})->name);
}

expr add_unknown(translator *t, unknown_list *list, type ty, expr key, unknown_kind kind) {
    var v = model_add_var(t->m, cells_unknown_name(t, key, kind), ty, (span){0});
    vec_push(list, (unknown){v, key, kind});
    return expr_var(t->m, v);
}

expr unknown_of(translator *t, expr key, type ty, unknown_kind kind) {
    if (cells_is_fixed(t, key)) {
        for (uint32_t i = 0; i < t->c->unknowns.len; i++) {
            unknown *u = &t->c->unknowns.data[i];
            if (expr_same(u->key, key) && u->kind == kind) return expr_var(t->m, u->v);
        }
        return add_unknown(t, &t->c->unknowns, ty, key, kind);
    }
    if (t->in_atom || !t->c || t->is_probing) {
        t->is_open = true;
        return add_unknown(t, &t->pending, ty, (expr){0}, kind);
    }
    if (t->loops) abstract_refuse(t->a, t->whole->at, "a loop reads state of elements that are not kept");
    return add_unknown(t, &t->c->unknowns, ty, (expr){0}, kind);
}

// ---- which of the others

static expr cells_number(const translator *t, uint32_t k) {
    return expr_const(t->m, model_range(t->m, 0, (int32_t)rest_number(t), (span){0}), (value)k);
}

// 0, or k + 1 for other k of the case; only if it is Other.
static expr which_of(translator *t, ident *x) {
    if (x->kind == IDENT_OTHER) return cells_number(t, x->other < rest_number(t) ? x->other + 1 : 0);
    if (x->kind == IDENT_KEPT || !rest_number(t)) return cells_number(t, 0);
    if (!x->which.id)
        x->which = unknown_of(t, x->key, model_range(t->m, 0, (int32_t)rest_number(t), (span){0}), UNKNOWN_WHICH);
    return x->which;
}

expr ident_is_number(translator *t, ident *x, uint32_t other) {
    return expr_eq(t->m, which_of(t, x), cells_number(t, other + 1));
}

// Is it known which other it is, without a guess for this place alone?
static bool is_placed(const translator *t, ident x) {
    return x.kind != IDENT_ANY || !rest_number(t) || x.which.id || cells_is_fixed(t, x.key);
}

static bool is_rest(const translator *t, ident x) { return x.kind == IDENT_OTHER && x.other >= rest_number(t); }

// Both are elements that are neither kept nor the case's.
static expr same_rest(translator *t, ident a, ident b, approx mode) {
    expr x = ident_key(t, a), y = ident_key(t, b);
    if (t->claim) return expr_bool(t->m, t->claim == CLAIM_STATED);
    if (!cells_is_fixed(t, x) || !cells_is_fixed(t, y)) return expr_bool(t->m, mode == MAY);
    expr key = x.id < y.id ? expr_eq(t->m, x, y) : expr_eq(t->m, y, x);
    return unknown_of(t, key, t->m->bool_type, UNKNOWN_SAME);
}

static expr same_other(translator *t, ident a, ident b, approx mode) {
    if (!is_placed(t, a) || !is_placed(t, b)) return expr_bool(t->m, mode == MAY);
    expr x = which_of(t, &a), y = which_of(t, &b), none = cells_number(t, 0);
    bool is_one = (a.kind == IDENT_OTHER && !is_rest(t, a)) || (b.kind == IDENT_OTHER && !is_rest(t, b));
    if (is_one) return expr_eq(t->m, x, y);
    expr rest = expr_implies(t->m, expr_eq(t->m, x, none), same_rest(t, a, b, mode));
    return expr_and(t->m, expr_eq(t->m, x, y), rest);
}

// A value of another member of a union?
static bool is_no_element(const translator *t, ident x) {
    const expr_info *e = x.kind == IDENT_ANY ? expr_of(t->m, x.e) : NULL;
    if (!e || e->kind != E_WIDEN) return false;
    type member = expr_type(t->m, e->args[0]);
    return !type_same(member, t->a->kept) && !type_same(member, t->a->other);
}

expr ident_same(translator *t, ident a, ident b, approx mode) {
    model *m = t->m;
    if (a.kind == IDENT_OTHER && b.kind == IDENT_OTHER) return expr_bool(m, a.other == b.other);
    if (a.kind == IDENT_KEPT && b.kind == IDENT_KEPT) return expr_eq(m, a.e, b.e);
    if (a.kind != IDENT_ANY && b.kind != IDENT_ANY) return m->false_expr;
    type as = a.kind == IDENT_ANY ? a.as : b.as;
    expr alike = expr_eq(m, value_as(t, a, as), value_as(t, b, as));
    bool is_exact = a.kind == IDENT_KEPT || b.kind == IDENT_KEPT || is_no_element(t, a) || is_no_element(t, b);
    if (is_exact || (a.kind == b.kind && a.key.id && expr_same(a.key, b.key))) return alike;
    if (a.kind == IDENT_OTHER || b.kind == IDENT_OTHER) return expr_and(m, alike, same_other(t, a, b, mode));
    return expr_and(m, alike, expr_implies(m, ident_is_other(t, a), same_other(t, a, b, mode)));
}

// ---- indices

// The element as an index of an array over the sort, or over a union with it; not Other.
static expr cells_index_of(const translator *t, ident x, type to) {
    model *m = t->m;
    if (type_same(to, t->a->kept)) return x.kind == IDENT_KEPT ? x.e : expr_narrow(m, t->a->kept, x.e);
    if (x.kind == IDENT_KEPT) return expr_widen(m, to, x.e);
    const type_info u = *type_of(m, to);
    expr e = {0};
    for (uint32_t i = u.nmembers; i-- > 0;) {
        expr here = expr_widen(m, to, expr_narrow(m, u.members[i], x.e));
        e = e.id ? expr_ite(m, expr_is(m, u.members[i], x.e), here, e) : here;
    }
    return e;
}

static place place_of(translator *t, type formal, expr arg) {
    place p = {.is_ident = abstract_is_ident(t->a, formal), .to = abstract_index_type(t->a, formal)};
    if (p.is_ident) p.who = translate_ident(t, arg);
    else p.index = translate_value(t, arg);
    p.is_open = p.is_ident && p.who.kind == IDENT_ANY;
    return p.is_ident && p.who.kind == IDENT_KEPT ? place_kept(t, p) : p;
}

// Other members of a union have cells too.
expr place_is_kept(const translator *t, place p) {
    if (type_same(p.to, t->a->kept)) return ident_is_kept(t, p.who);
    return expr_not(t->m, ident_is_other(t, p.who));
}

place place_kept(const translator *t, place p) {
    p.index = cells_index_of(t, p.who, p.to);
    if (type_same(p.to, t->a->kept)) p.who = ident_kept(p.index);
    p.is_open = false;
    return p;
}

cell cell_of(translator *t, func f, const expr *args) {
    const func_info info = *func_of(t->m, f);
    cell c = {.f = f, .n = info.nargs};
    for (uint32_t i = 0; i < c.n; i++) c.at[i] = place_of(t, info.args[i], args[i]);
    return c;
}

bool cell_is_kept(const cell *c, expr *args) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (!c->at[i].index.id) return false;
        args[i] = c->at[i].index;
    }
    return true;
}

static func row_of(const translator *t, func f, uint32_t other) {
    for (uint32_t i = 0; i < t->rows.len; i++)
        if (t->rows.data[i].f.id == f.id && t->rows.data[i].other == other) return t->rows.data[i].local;
    return (func){0};
}

func cell_local(const translator *t, const cell *c) {
    bool is_other = c->n == 1 && c->at[0].is_ident && c->at[0].who.kind == IDENT_OTHER;
    return is_other ? row_of(t, c->f, c->at[0].who.other) : (func){0};
}

bool cell_has_locals(const translator *t, func f) { return row_of(t, f, 0).id; }

// ---- reading

typedef struct {
    cell c;
    bool asks;  // whether there is a value
    type ty;    // of what is read
} reading;

static expr cells_key_of(translator *t, const cell *c) {
    expr key[ABSTRACT_MOST_ARGS];
    for (uint32_t i = 0; i < c->n; i++) {
        key[i] = c->at[i].is_ident ? ident_key(t, c->at[i].who) : c->at[i].index;
        if (!key[i].id) return key[i];
    }
    return expr_app(t->m, c->f, key);
}

static bool is_mirrored(const translator *t, const cell *c) {
    return t->has_mirror && c->n == 1 && c->at[0].who.kind == IDENT_OTHER && c->at[0].who.other == rest_number(t);
}

// All elements are known to be kept or not.
static expr read_placed(translator *t, const reading *r) {
    expr args[ABSTRACT_MOST_ARGS];
    bool is_kept = cell_is_kept(&r->c, args);
    if (!is_kept && is_mirrored(t, &r->c)) return mirror_read(t, r->c.f, r->asks);
    func f = is_kept ? t->a->funcs[r->c.f.id] : cell_local(t, &r->c);
    if (!f.id) return unknown_of(t, cells_key_of(t, &r->c), r->ty, r->asks ? UNKNOWN_DEFINED : UNKNOWN_VALUE);
    return r->asks ? expr_defined(t->m, f, args) : expr_app(t->m, f, args);
}

// From argument i on: it is kept, one of the case's others, or none of these.
static expr read_from(translator *t, reading r, uint32_t i) {
    if (i == r.c.n) return read_placed(t, &r);
    place *at = &r.c.at[i], p = *at;
    if (!p.is_open) return read_from(t, r, i + 1);
    at->is_open = false;
    expr e = read_from(t, r, i + 1);
    for (uint32_t k = 0; k < rest_number(t); k++) {
        at->who = ident_other(k);
        e = expr_ite(t->m, ident_is_number(t, &p.who, k), read_from(t, r, i + 1), e);
    }
    *at = place_kept(t, p);
    return expr_ite(t->m, place_is_kept(t, p), read_from(t, r, i + 1), e);
}

static reading reading_of(translator *t, expr e) {
    const expr_info x = *expr_of(t->m, e);
    const func f = {x.ref};
    bool asks = x.kind == E_DEFINED;
    type ty = asks ? t->m->bool_type : abstract_value_type(t->a, func_of(t->m, f)->result);
    return (reading){cell_of(t, f, x.args), asks, ty};
}

expr read_cell(translator *t, expr e) {
    const expr_info x = *expr_of(t->m, e);
    if (x.kind == E_DEFINED && !func_of(t->m, (func){x.ref})->may_be_undefined) return t->m->true_expr;
    return read_from(t, reading_of(t, e), 0);
}

// ---- expressions of the sort, and of unions with it

static ident read_ident(translator *t, expr e) {
    reading r = reading_of(t, e);
    return (ident){.kind = IDENT_ANY, .e = read_from(t, r, 0), .as = r.ty, .key = cells_key_of(t, &r.c)};
}

static ident choose_ident(translator *t, const expr_info *x) {
    expr cond = translate_exact(t, x->args[0]);
    ident a = translate_ident(t, x->args[1]), b = translate_ident(t, x->args[2]);
    ident r = {.kind = IDENT_ANY, .as = abstract_value_type(t->a, x->ty)};
    r.e = expr_ite(t->m, cond, value_as(t, a, r.as), value_as(t, b, r.as));
    if (rest_number(t)) r.which = expr_ite(t->m, cond, which_of(t, &a), which_of(t, &b));
    return r;
}

// Widened to a union, or narrowed to the sort.
static ident convert_ident(translator *t, const expr_info *x) {
    type to = abstract_value_type(t->a, x->ty);
    if (x->kind == E_WIDEN && !abstract_is_sort(t->a, expr_type(t->m, x->args[0]))) {
        expr e = expr_widen(t->m, to, translate_value(t, x->args[0]));
        return (ident){.kind = IDENT_ANY, .e = e, .as = to, .key = e, .which = cells_number(t, 0)};
    }
    ident r = translate_ident(t, x->args[0]);
    r.e = r.kind == IDENT_ANY ? value_as(t, r, to) : r.e;
    r.as = to;
    return r;
}

static ident ident_of(translator *t, expr e) {
    const expr_info x = *expr_of(t->m, e);
    if (x.kind == E_VAR)
        for (uint32_t i = t->env.len; i-- > 0;)
            if (t->env.data[i].from.id == x.ref) return t->env.data[i].to;
    if (x.kind == E_APP) return read_ident(t, e);
    if (x.kind == E_ITE) return choose_ident(t, &x);
    if (x.kind == E_CALL) return translate_ident(t, expr_inline(t->m, e));
    if (x.kind == E_WIDEN || x.kind == E_NARROW) return convert_ident(t, &x);
    abstract_refuse(t->a, x.at, "a certain element of the abstracted sort is named");
    return (ident){.kind = IDENT_ANY, .e = other_value(t, t->a->id), .as = t->a->id};
}

ident translate_ident(translator *t, expr e) {
    known_question q;
    if (known_ask(t, e, KNOWN_IDENT, &q)) return q.is;
    return known_tell(t, &q, ident_of(t, e));
}
