// SPDX-License-Identifier: Apache-2.0
// See eliminate.h. Equations are solved one after the other; of the variables that only the guard reads, those that
// share conjuncts with the fewest others are quantified first, so that what is quantified stays small.
//
// Invariant: for every state there are values of the open variables for which guard and body are as before if and only
// if there were such values of all variables.
#include "pass/eliminate.h"

#include "base/bits.h"
#include "model/stmt.h"
#include "model/walk.h"
#include "model/welldefined.h"

// ---- conjuncts

static void add_conjunct(elimination *g, expr e) {
    for (uint32_t i = 0; i < g->conjuncts.len; i++)
        if (expr_same(g->conjuncts.data[i], e)) return;
    if (!expr_is_true(g->m, e)) vec_push(&g->conjuncts, e);
}

static void add_where_defined(elimination *g, expr e) {
    uint32_t n;
    expr defined = welldefined_where(g->m, e);
    const expr *parts = expr_conjuncts(g->m, &defined, &n);
    for (uint32_t i = 0; i < n; i++) add_conjunct(g, parts[i]);
}

void eliminate_add(elimination *g, expr e, bool never_fails) {
    uint32_t n;
    const expr *parts = expr_conjuncts(g->m, &e, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (never_fails) add_where_defined(g, parts[i]);
        add_conjunct(g, parts[i]);
    }
}

// What the guard says already is true in what is added to it.
static expr eliminate_visit(model *m, expr e, void *context) {
    const elimination *g = context;
    if (!type_same(expr_type(m, e), m->bool_type)) return e;
    expr negated = expr_not(m, e);
    for (uint32_t i = 0; i < g->conjuncts.len; i++) {
        if (expr_same(g->conjuncts.data[i], e)) return m->true_expr;
        if (expr_same(g->conjuncts.data[i], negated)) return m->false_expr;
    }
    return e;
}

void eliminate_add_new(elimination *g, expr e, bool never_fails) {
    eliminate_add(g, expr_rewrite(g->m, e, eliminate_visit, g), never_fails);
}

// ---- variables that an equation gives

static bool is_open_var(const elimination *g, expr e, uint32_t *number) {
    const expr_info *x = expr_of(g->m, e);
    if (x->kind != E_VAR) return false;
    for (uint32_t i = 0; i < g->open.len; i++)
        if (g->open.data[i].id == x->ref) {
            *number = i;
            return true;
        }
    return false;
}

static bool eliminate_fits(const model *m, var v, expr e) {
    type to = var_of(m, v)->ty, from = expr_type(m, e);
    if (expr_can_fault(m, e) || expr_has_var(m, e, v)) return false;
    if (type_same(to, from)) return true;
    if (!type_is_number(m, to) || !type_is_number(m, from)) return false;
    int64_t lo, hi;
    expr_bounds(m, e, &lo, &hi);
    return lo >= type_of(m, to)->lo && hi <= type_of(m, to)->hi;
}

// Does the conjunct say what an open variable is?
static bool eliminate_gives(const elimination *g, expr e, uint32_t *number, expr *given) {
    const expr_info x = *expr_of(g->m, e);
    *given = expr_bool(g->m, x.kind != E_NOT);
    if (is_open_var(g, x.kind == E_NOT ? x.args[0] : e, number)) return true;
    for (uint32_t side = 0; side < 2 && x.kind == E_EQ; side++) {
        *given = x.args[1 - side];
        if (is_open_var(g, x.args[side], number) && eliminate_fits(g->m, g->open.data[*number], *given)) return true;
    }
    return false;
}

static void eliminate_close(elimination *g, uint32_t number) {
    g->open.data[number] = vec_last(&g->open);
    g->open.len--;
}

static void eliminate_replace(elimination *g, uint32_t number, expr given) {
    var v = g->open.data[number];
    expr_list old = g->conjuncts;
    g->conjuncts = (expr_list){0};
    for (uint32_t i = 0; i < old.len; i++) eliminate_add(g, expr_subst(g->m, old.data[i], &v, &given, 1), false);
    vec_free(&old);
    vec_push(&g->solved, (solution){v, given});
    g->body = stmt_subst(g->m, g->body, &v, &given, 1);
    eliminate_close(g, number);
}

void eliminate_solve(elimination *g) {
    uint32_t number;
    expr given;
    for (uint32_t i = 0; i < g->conjuncts.len;)
        if (eliminate_gives(g, g->conjuncts.data[i], &number, &given)) {
            eliminate_replace(g, number, given);
            i = 0;
        } else i++;
}

// ---- variables that only the guard reads

static void eliminate_bind(elimination *g, var v) {
    expr_list about = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->conjuncts.len; i++)
        if (expr_has_var(g->m, g->conjuncts.data[i], v)) vec_push(&about, g->conjuncts.data[i]);
        else g->conjuncts.data[kept++] = g->conjuncts.data[i];
    g->conjuncts.len = kept;
    if (about.len) vec_push(&g->conjuncts, expr_quantify(g->m, E_EXISTS, v, expr_and_all(g->m, about.data, about.len)));
    if (about.len) vec_push(&g->quantified, v);
    vec_free(&about);
}

// Does e read v where more of it makes e true (1), less (2), both (3) or nowhere (0)?
static uint32_t eliminate_polarity(const model *m, expr e, var v) {
    enum { ASKED, DENIED };
    uint32_t found = 0;
    walk w = walk_expr(m, e, 0);
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
static bool eliminate_settle(elimination *g, uint32_t number) {
    var v = g->open.data[number];
    uint32_t found = 0;
    if (!type_same(var_of(g->m, v)->ty, g->m->bool_type)) return false;
    for (uint32_t i = 0; i < g->conjuncts.len; i++) found |= eliminate_polarity(g->m, g->conjuncts.data[i], v);
    if (found == 3) return false;
    eliminate_replace(g, number, expr_bool(g->m, found == 1));
    return true;
}

// With how many other idle variables is v in a conjunct?
static uint32_t eliminate_degree(const elimination *g, const bits *idle, var v) {
    bits met = {0};
    for (uint32_t i = 0; i < g->conjuncts.len; i++) {
        if (!expr_has_var(g->m, g->conjuncts.data[i], v)) continue;
        for (uint32_t k = 0; k < g->open.len; k++)
            if (bits_has(idle, g->open.data[k].id) && expr_has_var(g->m, g->conjuncts.data[i], g->open.data[k]))
                bits_add(&met, g->open.data[k].id);
    }
    uint32_t n = bits_count(&met);
    bits_free(&met);
    return n;
}

// The open variables that the body does not read.
static bits eliminate_find_idle(const elimination *g) {
    bits idle = {0};
    for (uint32_t i = 0; i < g->open.len; i++) bits_add(&idle, g->open.data[i].id);
    walk w = walk_stmt(g->m, g->body, 0);
    while (walk_next(&w)) {
        if (!w.x) continue;
        const var_set read = expr_frees(g->m, w.e);
        for (uint32_t i = 0; i < read.n; i++) bits_remove(&idle, read.vars[i].id);
        walk_skip(&w);
    }
    return idle;
}

void eliminate_quantify(elimination *g) {
    bits idle = eliminate_find_idle(g);
    for (;;) {
        uint32_t best = UINT32_MAX, least = UINT32_MAX;
        for (uint32_t i = 0; i < g->open.len; i++) {
            if (!bits_has(&idle, g->open.data[i].id)) continue;
            uint32_t n = eliminate_degree(g, &idle, g->open.data[i]);
            if (n < least) least = n, best = i;
        }
        if (best == UINT32_MAX) break;
        if (eliminate_settle(g, best)) continue;
        eliminate_bind(g, g->open.data[best]);
        eliminate_close(g, best);
    }
    bits_free(&idle);
}

void eliminate_free(elimination *g) {
    vec_free(&g->conjuncts);
    vec_free(&g->open);
    vec_free(&g->solved);
    vec_free(&g->quantified);
}
