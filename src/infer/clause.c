// SPDX-License-Identifier: Apache-2.0
// Clauses over atoms: see clause.h.
#include "infer/clause.h"

#include "model/expr.h"

#include <string.h>

uint32_t clause_vars(const atom_pool *p, const clause *c) {
    uint32_t vars = 0;
    for (uint32_t i = 0; i < c->n; i++) vars |= p->atoms.data[c->lits[i] / 2].vars;
    return vars;
}

void clause_sort(clause *c) {
    for (uint32_t i = 1; i < c->n; i++)
        for (uint32_t k = i; k > 0 && c->lits[k - 1] > c->lits[k]; k--) {
            uint16_t swap = c->lits[k];
            c->lits[k] = c->lits[k - 1];
            c->lits[k - 1] = swap;
        }
}

static bool clause_add_literal(clause *c, uint32_t lit) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->lits[i] == lit) return true;
        if (c->lits[i] == (lit ^ 1)) return false;
    }
    c->lits[c->n++] = (uint16_t)lit;
    return true;
}

bool clause_rename(const atom_pool *p, const clause *c, const uint8_t *to, clause *out) {
    clause result = {0};
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t a = atoms_image(p, c->lits[i] / 2, to);
        if (a == ATOM_NONE) return false;  // x = x: true, or a relation that no longer depends on its variables
        if (!clause_add_literal(&result, a * 2 + c->lits[i] % 2)) return false;
    }
    clause_sort(&result);
    *out = result;
    return true;
}

// ---- renaming

typedef struct {
    const atom_pool *p;
    const clause *c;
    uint8_t used[POOL_SORTS][POOL_PER_SORT];
    uint32_t nused[POOL_SORTS];
    uint8_t to[POOL_SORTS * POOL_PER_SORT];
    clause best;
    bool found_smaller, stop_early;
} renaming;

static int clause_compare(const clause *a, const clause *b) {
    for (uint32_t i = 0; i < a->n && i < b->n; i++)
        if (a->lits[i] != b->lits[i]) return a->lits[i] < b->lits[i] ? -1 : 1;
    return (int)a->n - (int)b->n;
}

static void try_renaming(renaming *r) {
    clause image;
    if (!clause_rename(r->p, r->c, r->to, &image) || clause_compare(&image, &r->best) >= 0) return;
    r->best = image;
    r->found_smaller = true;
}

// Assigns the first variables of sort s to the used ones in every order, then the next sort.
static void permute(renaming *r, uint32_t s, uint32_t i, uint32_t taken) {
    if (r->stop_early && r->found_smaller) return;
    if (s == r->p->sorts.len) {
        try_renaming(r);
        return;
    }
    if (i == r->nused[s]) {
        permute(r, s + 1, 0, 0);
        return;
    }
    for (uint32_t k = 0; k < r->nused[s]; k++) {
        if (taken >> k & 1) continue;
        r->to[r->used[s][i]] = (uint8_t)(s * POOL_PER_SORT + k);
        permute(r, s, i + 1, taken | UINT32_C(1) << k);
    }
}

static void start_renaming(renaming *r, const atom_pool *p, const clause *c) {
    memset(r, 0, sizeof *r);
    r->p = p;
    r->c = c;
    uint32_t vars = clause_vars(p, c);
    for (uint32_t v = 0; v < p->vars.len; v++)
        if (vars >> v & 1) r->used[v / POOL_PER_SORT][r->nused[v / POOL_PER_SORT]++] = (uint8_t)v;
    r->best = *c;
}

void clause_canonical(const atom_pool *p, clause *c) {
    clause_sort(c);
    renaming r;
    start_renaming(&r, p, c);
    r.best = (clause){.n = 1, .lits = {0xffff}};
    permute(&r, 0, 0, 0);
    *c = r.best;
}

clause clause_part(const atom_pool *p, const clause *c, uint32_t keep) {
    clause part = {0};
    for (uint32_t i = 0; i < c->n; i++)
        if (keep >> i & 1) part.lits[part.n++] = c->lits[i];
    clause_canonical(p, &part);
    return part;
}

bool clause_is_canonical(const atom_pool *p, const clause *c) {
    renaming r;
    start_renaming(&r, p, c);
    for (uint32_t s = 0; s < p->sorts.len; s++)
        for (uint32_t i = 0; i < r.nused[s]; i++)
            if (r.used[s][i] != s * POOL_PER_SORT + i) return false;
    r.stop_early = true;
    permute(&r, 0, 0, 0);
    return !r.found_smaller;
}

// ---- triviality

static uint32_t clause_group_of(const atom_pool *p, uint32_t a) {
    uint32_t first = p->shapes.data[p->atoms.data[a].shape].group;
    return first == UINT32_MAX ? UINT32_MAX : atoms_of_shape(p, a, first);
}

// Of one enum term: a negated literal makes the others superfluous or the clause true; all but one value say
// the same as one negated literal.
static bool group_is_trivial(const atom_pool *p, const clause *c, uint32_t i, uint32_t group) {
    uint32_t negated = 0, plain = 0;
    for (uint32_t k = 0; k < c->n; k++)
        if (clause_group_of(p, c->lits[k] / 2) == group) *(c->lits[k] % 2 ? &negated : &plain) += 1;
    uint32_t values = p->shapes.data[p->atoms.data[c->lits[i] / 2].shape].group_size;
    return negated > 1 || (negated && plain) || plain >= values - 1;
}

bool clause_is_trivial(const atom_pool *p, const clause *c) {
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t a = c->lits[i] / 2;
        if (c->lits[i] % 2 && p->shapes.data[p->atoms.data[a].shape].is_equality) return true;
        for (uint32_t k = i + 1; k < c->n; k++)
            if (c->lits[k] / 2 == a) return true;
        uint32_t group = clause_group_of(p, a);
        if (group != UINT32_MAX && group_is_trivial(p, c, i, group)) return true;
    }
    return false;
}

// ---- formulas

static expr literal(atom_pool *p, uint32_t lit, bool negate) {
    expr e = p->atoms.data[lit / 2].e;
    return (lit % 2 != 0) != negate ? expr_not(p->m, e) : e;
}

static expr clause_close_over(atom_pool *p, const clause *c, expr body) {
    var vars[POOL_SORTS * POOL_PER_SORT];
    uint32_t n = 0, mask = clause_vars(p, c);
    for (uint32_t v = 0; v < p->vars.len; v++)
        if (mask >> v & 1) vars[n++] = p->vars.data[v];
    return expr_forall(p->m, vars, n, body);
}

expr clause_expr(atom_pool *p, const clause *c) {
    expr lits[CLAUSE_MOST];
    for (uint32_t i = 0; i < c->n; i++) lits[i] = literal(p, c->lits[i], false);
    return clause_close_over(p, c, expr_or_all(p->m, lits, c->n));
}

// Negated literals and equalities are premises; a clause without others keeps its last premise as conclusion.
expr clause_readable(atom_pool *p, const clause *c) {
    expr premises[CLAUSE_MOST], conclusions[CLAUSE_MOST];
    uint32_t np = 0, nc = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        bool is_equality = p->shapes.data[p->atoms.data[c->lits[i] / 2].shape].is_equality;
        if (c->lits[i] % 2 || (is_equality && c->n > 2)) premises[np++] = literal(p, c->lits[i], true);
        else conclusions[nc++] = literal(p, c->lits[i], false);
    }
    if (!nc) conclusions[nc++] = expr_not(p->m, premises[--np]);
    expr body = expr_or_all(p->m, conclusions, nc);
    if (np) body = expr_implies(p->m, expr_and_all(p->m, premises, np), body);
    return clause_close_over(p, c, body);
}
