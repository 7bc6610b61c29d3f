// SPDX-License-Identifier: Apache-2.0
// A two-state formula as a rule: guard, body, parameters for what is open, a relation for the rest.
//
// The formula is split into conjuncts under universal variables and conditions. A conjunct that says what a modified
// function is at some arguments, p'(x) <-> e or p'(a, x) = e, is a *piece*: condition and value over the function's
// formals. If the conditions of a function's pieces cover everything (propositionally, over their atoms), the function
// has an ordinary update. If they leave open a single cell, or the function is a constant, the open value becomes a
// parameter of the rule: any value. Where pieces overlap, that they agree becomes part of the guard. All other
// conjuncts, with the updates put in, are the guard as well. A function that stays open at more than one cell is
// chosen, and what speaks of it is the relation; of an initial state it starts with any value.
#include "front/pyv/internal.h"
#include "model/expr.h"
#include "model/walk.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_PIECES = 256,   // of a function, compared with each other; what comes after is a constraint
    MOST_SPLITS = 4096,  // likewise of a formula that is large as a tree: it may have 2^100 conjuncts
    LARGE_TREE = 1 << 20
};

typedef struct {
    expr cond, value;
} piece;

typedef struct {
    func f;
    var *formals;
    expr *args;  // the formals as expressions
    uint32_t nformals;
    VEC(piece) pieces;
    bool is_done;  // `value` says what it is after the step
    bool is_chosen;
    expr value;
} target;

typedef struct {
    const pyv_transition *t;
    model *m;
    VEC(target) targets;
    uint32_t *target_numbers;  // 1 + index, by function; 0: none
    uint32_t nsettled;         // those before are all done or chosen
    bool is_large;             // as a tree
    uint32_t nsplits;
    expr_list constraints;  // over E_APP and E_NEXT
    var_list params;
} splitter;

// ---- small questions

static target *target_of(splitter *s, uint32_t func_id) {
    uint32_t i = s->target_numbers[func_id];
    return i ? &s->targets.data[i - 1] : NULL;
}

static bool has_next(const model *m, expr e) { return expr_of(m, e)->has_next; }

static bool has_next_of(const model *m, expr e, func f) {
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) {
        if (w.x->kind == E_NEXT && w.x->ref == f.id) return walk_found(&w);
        if (!w.x->has_next) walk_skip(&w);
    }
    return false;
}

static int32_t pyv_rule_index_of(const var_list *l, uint32_t id) {
    for (uint32_t i = 0; i < l->len; i++)
        if (l->data[i].id == id) return (int32_t)i;
    return -1;
}

// ---- pieces

static bool pyv_rule_mentions_any(const model *m, expr e, const var_list *l) {
    for (uint32_t i = 0; i < l->len; i++)
        if (expr_has_var(m, e, l->data[i])) return true;
    return false;
}

// head is p'(a1..ak); true if it was taken as a piece with this value.
static bool add_piece(splitter *s, expr head, expr is, const var_list *universal, expr cond) {
    model *m = s->m;
    expr_info h = *expr_of(m, head);
    if (h.kind != E_NEXT) return false;
    target *t = target_of(s, h.ref);
    if (!t || has_next_of(m, is, t->f) || has_next_of(m, cond, t->f)) return false;
    var_list taken = {0}, open = {0};
    expr_list with = {0};
    for (uint32_t i = 0; i < h.nargs; i++) {
        const expr_info *a = expr_of(m, h.args[i]);
        if (a->kind != E_VAR || pyv_rule_index_of(universal, a->ref) < 0 || pyv_rule_index_of(&taken, a->ref) >= 0)
            continue;
        vec_push(&taken, (var){a->ref});
        vec_push(&with, t->args[i]);
    }
    for (uint32_t i = 0; i < universal->len; i++)
        if (pyv_rule_index_of(&taken, universal->data[i].id) < 0) vec_push(&open, universal->data[i]);
    bool fits = !pyv_rule_mentions_any(m, is, &open) && !pyv_rule_mentions_any(m, cond, &open) &&
                !pyv_rule_mentions_any(m, head, &open);
    for (uint32_t i = 0; fits && i < h.nargs; i++) fits = !has_next(m, h.args[i]);
    fits &= t->pieces.len < MOST_PIECES;
    if (fits) {
        expr here = expr_subst(m, cond, taken.data, with.data, taken.len);
        for (uint32_t i = 0; i < h.nargs; i++) {
            expr arg = expr_subst(m, h.args[i], taken.data, with.data, taken.len);
            here = expr_and(m, here, expr_eq(m, t->args[i], arg));
        }
        vec_push(&t->pieces, (piece){here, expr_subst(m, is, taken.data, with.data, taken.len)});
    }
    vec_free(&taken);
    vec_free(&open);
    vec_free(&with);
    return fits;
}

static void pyv_rule_constrain(splitter *s, expr e, const var_list *universal, expr cond) {
    vec_push(&s->constraints, expr_forall(s->m, universal->data, universal->len, expr_implies(s->m, cond, e)));
}

static void pyv_rule_split(splitter *s, expr e, var_list *universal, expr cond);

static void pyv_rule_split_choice(splitter *s, expr_info x, var_list *universal, expr cond) {
    pyv_rule_split(s, x.args[1], universal, expr_and(s->m, cond, x.args[0]));
    pyv_rule_split(s, x.args[2], universal, expr_and(s->m, cond, expr_not(s->m, x.args[0])));
}

static void pyv_rule_split(splitter *s, expr e, var_list *universal, expr cond) {
    model *m = s->m;
    expr_info x = *expr_of(m, e);
    if (!has_next(m, e) || (s->is_large && ++s->nsplits > MOST_SPLITS)) {
        pyv_rule_constrain(s, e, universal, cond);
        return;
    }
    switch (x.kind) {
    case E_AND:
        for (uint32_t i = 0; i < x.nargs; i++) pyv_rule_split(s, x.args[i], universal, cond);
        return;
    case E_FORALL:
        vec_push(universal, (var){x.ref});
        pyv_rule_split(s, x.args[0], universal, cond);
        universal->len--;
        return;
    case E_IMPLIES: pyv_rule_split(s, x.args[1], universal, expr_and(m, cond, x.args[0])); return;
    case E_ITE: pyv_rule_split_choice(s, x, universal, cond); return;
    case E_EQ:
        if (add_piece(s, x.args[0], x.args[1], universal, cond)) return;
        if (add_piece(s, x.args[1], x.args[0], universal, cond)) return;
        break;
    case E_NEXT:
        if (add_piece(s, e, m->true_expr, universal, cond)) return;
        break;
    case E_NOT:
        if (add_piece(s, x.args[0], m->false_expr, universal, cond)) return;
        if (expr_kind_of(m, x.args[0]) == E_EQ) {
            // !(p'(x) <-> e) is p'(x) <-> !e on bool
            expr_info q = *expr_of(m, x.args[0]);
            if (type_same(expr_type(m, q.args[0]), m->bool_type) &&
                add_piece(s, q.args[0], expr_not(m, q.args[1]), universal, cond))
                return;
        }
        break;
    default: break;
    }
    pyv_rule_constrain(s, e, universal, cond);
}

// ---- propositional facts, by truth table over the atoms

enum { MOST_ATOMS = 12, TABLE_WORDS = (1 << MOST_ATOMS) / 64 };

typedef struct {
    uint64_t bit[TABLE_WORDS];
} table;

typedef struct {
    model *m;
    expr_list atoms;
    map *numbers;  // of parts of the formula, in `made`: each shared part has one table
    VEC(table) made;
} tables;

static bool pyv_rule_is_connective(const model *m, expr e) {
    const expr_info *x = expr_of(m, e);
    switch (x->kind) {
    case E_NOT:
    case E_AND:
    case E_OR:
    case E_IMPLIES: return true;
    case E_EQ: return type_same(expr_type(m, x->args[0]), m->bool_type);
    case E_ITE: return type_same(x->ty, m->bool_type);
    default: return false;
    }
}

// The number of an atom, a = b and b = a being one, or of none: the length of the list.
static uint32_t atom_number(const tables *ts, expr e) {
    const expr_info *x = expr_of(ts->m, e);
    uint32_t k = 0;
    for (; k < ts->atoms.len; k++) {
        const expr_info *y = expr_of(ts->m, ts->atoms.data[k]);
        if (expr_same(ts->atoms.data[k], e)) break;
        if (x->kind == E_EQ && y->kind == E_EQ && expr_same(x->args[0], y->args[1]) &&
            expr_same(x->args[1], y->args[0]))
            break;
    }
    return k;
}

static bool gather_atoms(tables *ts, expr e) {
    walk w = walk_expr(ts->m, e, 0);
    while (walk_next(&w)) {
        if (pyv_rule_is_connective(ts->m, w.e)) continue;
        walk_skip(&w);
        if (expr_is_const(ts->m, w.e, NULL) || atom_number(ts, w.e) < ts->atoms.len) continue;
        if (ts->atoms.len == MOST_ATOMS) return !walk_found(&w);
        vec_push(&ts->atoms, w.e);
    }
    return true;
}

static table constant_table(bool b) {
    table t;
    memset(&t, b ? 0xff : 0, sizeof t);
    return t;
}

static table atom_table(uint32_t k) {
    static const uint64_t low[6] = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
                                    0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
    table t;
    for (uint32_t i = 0; i < TABLE_WORDS; i++) t.bit[i] = k < 6 ? low[k] : (i >> (k - 6) & 1) ? ~UINT64_C(0) : 0;
    return t;
}

static uint64_t connect(expr_kind kind, uint64_t a, uint64_t b, uint64_t c) {
    switch (kind) {
    case E_NOT: return ~a;
    case E_AND: return a & b;
    case E_OR: return a | b;
    case E_IMPLIES: return ~a | b;
    case E_EQ: return ~(a ^ b);
    default: return (a & b) | (~a & c);
    }
}

static table table_of(tables *ts, expr e);

// Two parts after the other, but for E_NOT, which has one, and E_ITE with all three.
static table connective_table(tables *ts, const expr_info *x) {
    table a = table_of(ts, x->args[0]), b = a, c = a;
    uint32_t k = 1;
    do {
        if (k < x->nargs) b = table_of(ts, x->args[k]);
        if (x->kind == E_ITE) c = table_of(ts, x->args[2]);
        for (int i = 0; i < TABLE_WORDS; i++) a.bit[i] = connect(x->kind, a.bit[i], b.bit[i], c.bit[i]);
    } while (++k < x->nargs && x->kind != E_ITE);
    return a;
}

static table table_of(tables *ts, expr e) {
    value v;
    uint32_t known = map_get(ts->numbers, &e, sizeof e, 0);
    if (known) return ts->made.data[known - 1];
    table made = expr_is_const(ts->m, e, &v)        ? constant_table(v)
                 : pyv_rule_is_connective(ts->m, e) ? connective_table(ts, expr_of(ts->m, e))
                                                    : atom_table(atom_number(ts, e));
    vec_push(&ts->made, made);
    map_put(ts->numbers, &e, sizeof e, ts->made.len);
    return made;
}

// Is e true whatever its atoms are? A "no" may be wrong when atoms depend on each other; a "yes" never is.
static bool is_tautology(model *m, expr e) {
    tables ts = {.m = m, .numbers = map_new()};
    table all = constant_table(true), found = constant_table(false);
    if (gather_atoms(&ts, e)) found = table_of(&ts, e);
    vec_free(&ts.atoms);
    vec_free(&ts.made);
    map_free(ts.numbers);
    return memcmp(&found, &all, sizeof all) == 0;
}

// ---- updates

static expr covered(splitter *s, const target *t) {
    expr_list conds = {0};
    for (uint32_t i = 0; i < t->pieces.len; i++) vec_push(&conds, t->pieces.data[i].cond);
    expr e = expr_or_all(s->m, conds.data, conds.len);
    vec_free(&conds);
    return e;
}

// An atom `formal = term` that must hold where nothing is said, for every formal: then one cell is open.
static bool pins(splitter *s, const target *t, expr open, var formal) {
    tables ts = {.m = s->m};
    bool found = false;
    if (gather_atoms(&ts, open))
        for (uint32_t i = 0; i < ts.atoms.len && !found; i++) {
            expr_info x = *expr_of(s->m, ts.atoms.data[i]);
            if (x.kind != E_EQ) continue;
            for (int side = 0; side < 2 && !found; side++) {
                const expr_info *v = expr_of(s->m, x.args[side]);
                bool outside = v->kind == E_VAR && v->ref == formal.id;
                for (uint32_t k = 0; outside && k < t->nformals; k++)
                    outside = !expr_has_var(s->m, x.args[1 - side], t->formals[k]);
                found = outside && is_tautology(s->m, expr_implies(s->m, open, ts.atoms.data[i]));
            }
        }
    vec_free(&ts.atoms);
    return found;
}

static bool one_cell_open(splitter *s, const target *t) {
    expr open = expr_not(s->m, covered(s, t));
    for (uint32_t i = 0; i < t->nformals; i++)
        if (!pins(s, t, open, t->formals[i])) return false;
    return true;
}

static expr new_param(splitter *s, func f) {
    func_info info = *func_of(s->m, f);
    var v = model_add_var(s->m, arena_printf(s->m->memory, "new_%s", info.name), info.result, info.at);
    vec_push(&s->params, v);
    return expr_var(s->m, v);
}

// Pieces that overlap must agree.
static void require_agreement(splitter *s, const target *t) {
    model *m = s->m;
    for (uint32_t i = 0; i < t->pieces.len; i++)
        for (uint32_t k = i + 1; k < t->pieces.len; k++) {
            piece a = t->pieces.data[i], b = t->pieces.data[k];
            expr both = expr_and(m, a.cond, b.cond), same = expr_eq(m, a.value, b.value);
            expr agree = expr_implies(m, both, same);
            if (!is_tautology(m, agree)) vec_push(&s->constraints, expr_forall(m, t->formals, t->nformals, agree));
        }
}

static void set_value(splitter *s, target *t, expr otherwise) {
    t->value = otherwise;
    for (uint32_t i = t->pieces.len; i-- > 0;)
        t->value = expr_ite(s->m, t->pieces.data[i].cond, t->pieces.data[i].value, t->value);
    t->is_done = true;
    require_agreement(s, t);
}

static expr put_in_visit(model *m, expr e, void *context) {
    splitter *s = context;
    expr_info x = *expr_of(m, e);
    if (x.kind != E_NEXT) return e;
    const target *t = target_of(s, x.ref);
    if (!t) return expr_app(m, (func){x.ref}, x.args);
    if (t->is_done) return expr_subst(m, t->value, t->formals, x.args, x.nargs);
    return t->is_chosen && s->t->is_init ? expr_app(m, t->f, x.args) : e;
}

static expr put_in(splitter *s, expr e) { return has_next(s->m, e) ? expr_rewrite(s->m, e, put_in_visit, s) : e; }

static bool pieces_have_next(const splitter *s, const target *t) {
    for (uint32_t i = 0; i < t->pieces.len; i++)
        if (has_next(s->m, t->pieces.data[i].cond) || has_next(s->m, t->pieces.data[i].value)) return true;
    return false;
}

static void put_in_pieces(splitter *s, target *t) {
    for (uint32_t i = 0; i < t->pieces.len; i++) {
        t->pieces.data[i].cond = put_in(s, t->pieces.data[i].cond);
        t->pieces.data[i].value = put_in(s, t->pieces.data[i].value);
    }
}

// What the pieces said, as constraints again.
static void pyv_rule_give_up(splitter *s, target *t) {
    model *m = s->m;
    expr after = expr_next(m, t->f, t->args);
    for (uint32_t i = 0; i < t->pieces.len; i++) {
        expr says = expr_implies(m, t->pieces.data[i].cond, expr_eq(m, after, t->pieces.data[i].value));
        vec_push(&s->constraints, expr_forall(m, t->formals, t->nformals, says));
    }
    t->pieces.len = 0;
    t->is_chosen = true;
}

static void pyv_rule_settle(splitter *s, target *t) {
    if (is_tautology(s->m, covered(s, t)))
        set_value(s, t, t->pieces.len ? vec_last(&t->pieces).value : s->m->true_expr);
    else if (t->nformals == 0 || one_cell_open(s, t)) set_value(s, t, new_param(s, t->f));
    else pyv_rule_give_up(s, t);
}

// Functions in an order in which each one's pieces speak of settled ones only; where there is none, one is given up.
static void pyv_rule_settle_all(splitter *s) {
    for (;;) {
        target *ready = NULL, *stuck = NULL;
        for (uint32_t i = s->nsettled; i < s->targets.len && !ready; i++) {
            target *t = &s->targets.data[i];
            s->nsettled += i == s->nsettled && (t->is_done || t->is_chosen);
            if (t->is_done || t->is_chosen) continue;
            put_in_pieces(s, t);
            if (!pieces_have_next(s, t)) ready = t;
            else if (!stuck) stuck = t;
        }
        if (ready) pyv_rule_settle(s, ready);
        else if (stuck) pyv_rule_give_up(s, stuck);
        else return;
    }
}

// ---- the rule

static void open_targets(splitter *s) {
    s->target_numbers = mem_zero(s->m->funcs.len, sizeof *s->target_numbers);
    for (uint32_t i = 0; i < s->t->nmodified; i++) {
        func f = s->t->modified[i];
        if (s->target_numbers[f.id]) continue;
        s->target_numbers[f.id] = s->targets.len + 1;
        func_info info = *func_of(s->m, f);
        target t = {.f = f, .nformals = info.nargs};
        t.formals = arena_alloc(s->m->memory, (info.nargs + 1) * sizeof *t.formals);
        t.args = arena_alloc(s->m->memory, (info.nargs + 1) * sizeof *t.args);
        for (uint32_t k = 0; k < info.nargs; k++) {
            t.formals[k] = model_add_var(s->m, arena_printf(s->m->memory, "y%u", k + 1), info.args[k], info.at);
            t.args[k] = expr_var(s->m, t.formals[k]);
        }
        vec_push(&s->targets, t);
    }
}

static const stmt *assignment(splitter *s, const target *t) {
    const stmt *a = model_assign(s->m, t->f, t->args, t->nformals, t->value, s->t->at);
    return t->nformals ? model_forall(s->m, t->formals, t->nformals, (expr){0}, &a, 1, s->t->at) : a;
}

static const stmt *body(splitter *s) {
    VEC(const stmt *) parts = {0};
    for (uint32_t i = 0; i < s->targets.len; i++)
        if (s->targets.data[i].is_done) vec_push(&parts, assignment(s, &s->targets.data[i]));
    const stmt *b = parts.len ? model_block(s->m, S_PAR, parts.data, parts.len, s->t->at) : NULL;
    vec_free(&parts);
    return b;
}

static void add_conditions(splitter *s, rule_info *r) {
    expr_list guard = {0}, relation = {0};
    for (uint32_t i = 0; i < s->constraints.len; i++) {
        expr e = put_in(s, s->constraints.data[i]);
        if (has_next(s->m, e)) vec_push(&relation, e);
        else vec_push(&guard, e);
    }
    r->guard = expr_and_all(s->m, guard.data, guard.len);
    if (relation.len) r->relation = expr_and_all(s->m, relation.data, relation.len);
    vec_free(&guard);
    vec_free(&relation);
}

static void add_chosen(splitter *s, rule_info *r) {
    func *chosen = arena_alloc(s->m->memory, (s->targets.len + 1) * sizeof *chosen);
    for (uint32_t i = 0; i < s->targets.len; i++) {
        if (!s->targets.data[i].is_chosen) continue;
        if (s->t->is_init) s->m->funcs.data[s->targets.data[i].f.id].starts_any = true;
        else chosen[r->nchosen++] = s->targets.data[i].f;
    }
    r->chosen = chosen;
}

rule_info pyv_rule(const pyv_transition *t) {
    splitter s = {.t = t, .m = t->m, .is_large = expr_of(t->m, t->formula)->tree > LARGE_TREE};
    var_list universal = {0};
    for (uint32_t i = 0; i < t->nparams; i++) vec_push(&s.params, t->params[i]);
    open_targets(&s);
    pyv_rule_split(&s, t->formula, &universal, t->m->true_expr);
    pyv_rule_settle_all(&s);
    rule_info r = {.name = t->name, .at = t->at};
    r.body = body(&s);
    add_conditions(&s, &r);
    add_chosen(&s, &r);
    r.nparams = s.params.len;
    r.params = r.nparams ? arena_copy(t->m->memory, s.params.data, r.nparams * sizeof(var)) : NULL;
    for (uint32_t i = 0; i < s.targets.len; i++) vec_free(&s.targets.data[i].pieces);
    vec_free(&s.targets);
    free(s.target_numbers);
    vec_free(&s.constraints);
    vec_free(&s.params);
    vec_free(&universal);
    return r;
}
