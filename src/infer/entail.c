// SPDX-License-Identifier: Apache-2.0
// Propositional consequences of lemmas: see entail.h.
//
// A solver per schema has a variable for each of its atoms. The axioms are: a term of an enum has one value; < is a
// strict order with = of its terms; = is transitive and functions respect it. A lemma is added once for each way in
// which the schema's variables can stand for its own, under a selector of its own.
#include "infer/entail.h"

#include "logic/sat.h"
#include "model/expr.h"

#include <string.h>

enum { ENTAIL_CONFLICTS = 2000 };

typedef struct {
    const rows *r;
    sat solver;
    int *atom;  // by column: SAT variable
} setting_of_schema;

struct entail {
    const atom_pool *p;
    setting_of_schema *all;
    uint32_t n;
    VEC(uint32_t) standing;  // lemmas
    VEC(int) selectors;      // of them, one per schema, side by side
};

// ---- axioms

// The terms that atoms of a schema compare, and the SAT literals of comparisons of two of them; 0: no atom.
typedef struct {
    const model *m;
    setting_of_schema *s;
    VEC(uint32_t) terms;  // expressions
    int *equal, *less;
} comparisons;

static uint32_t comparisons_term(comparisons *c, expr e) {
    for (uint32_t i = 0; i < c->terms.len; i++)
        if (c->terms.data[i] == e.id) return i;
    vec_push(&c->terms, e.id);
    return c->terms.len - 1;
}

static expr entail_atom(const setting_of_schema *s, uint32_t column) {
    return s->r->p->atoms.data[s->r->atoms[column]].e;
}

static bool is_comparison(const model *m, expr e) {
    expr_kind k = expr_kind_of(m, e);
    return k == E_EQ || k == E_LT;
}

static void comparisons_find(comparisons *c) {
    for (uint32_t i = 0; i < c->s->r->natoms; i++) {
        expr e = entail_atom(c->s, i);
        if (!is_comparison(c->m, e)) continue;
        comparisons_term(c, expr_arg(c->m, e, 0));
        comparisons_term(c, expr_arg(c->m, e, 1));
    }
    uint32_t n = c->terms.len;
    c->equal = mem_zero((size_t)n * n + 1, sizeof *c->equal);
    c->less = mem_zero((size_t)n * n + 1, sizeof *c->less);
    for (uint32_t i = 0; i < c->s->r->natoms; i++) {
        expr e = entail_atom(c->s, i);
        if (!is_comparison(c->m, e)) continue;
        uint32_t a = comparisons_term(c, expr_arg(c->m, e, 0)), b = comparisons_term(c, expr_arg(c->m, e, 1));
        if (expr_kind_of(c->m, e) == E_LT) c->less[a * n + b] = c->s->atom[i];
        else c->equal[a * n + b] = c->equal[b * n + a] = c->s->atom[i];
    }
}

// a R b and b S c imply a T c, where all three are atoms.
static void comparisons_chain(comparisons *c, int first, int second, int both) {
    if (first && second && both) sat_clause3(&c->s->solver, -first, -second, both);
}

static void comparisons_triple(comparisons *c, uint32_t i, uint32_t j, uint32_t k) {
    uint32_t n = c->terms.len;
    const int *eq = c->equal, *lt = c->less;
    comparisons_chain(c, eq[i * n + j], eq[j * n + k], eq[i * n + k]);
    comparisons_chain(c, lt[i * n + j], lt[j * n + k], lt[i * n + k]);
    comparisons_chain(c, eq[i * n + j], lt[j * n + k], lt[i * n + k]);
    comparisons_chain(c, lt[i * n + j], eq[j * n + k], lt[i * n + k]);
}

static void comparisons_pair(comparisons *c, uint32_t i, uint32_t j) {
    uint32_t n = c->terms.len;
    int eq = c->equal[i * n + j], lt = c->less[i * n + j], gt = c->less[j * n + i];
    if (eq && lt) sat_clause2(&c->s->solver, -eq, -lt);
    if (lt && gt) sat_clause2(&c->s->solver, -lt, -gt);
    if (eq && lt && gt) sat_clause3(&c->s->solver, eq, lt, gt);
}

// The literals that two applications of one function are to the same arguments; false if no atom says so.
static bool comparisons_same_args(comparisons *c, expr a, expr b, int *lits, uint32_t *nlits) {
    const expr_info *x = expr_of(c->m, a), *y = expr_of(c->m, b);
    if (x->kind != E_APP || y->kind != E_APP || x->ref != y->ref || x->nargs > SHAPE_MOST_ARGS) return false;
    *nlits = 0;
    for (uint32_t i = 0; i < x->nargs; i++) {
        if (x->args[i].id == y->args[i].id) continue;
        int lit = 0;
        for (uint32_t s = 0; s < c->terms.len; s++)
            for (uint32_t t = 0; t < c->terms.len && c->terms.data[s] == x->args[i].id; t++)
                if (c->terms.data[t] == y->args[i].id) lit = c->equal[s * c->terms.len + t];
        if (!lit) return false;
        lits[(*nlits)++] = -lit;
    }
    return *nlits > 0;
}

static void comparisons_congruent(comparisons *c) {
    int lits[SHAPE_MOST_ARGS + 2];
    uint32_t n;
    for (uint32_t i = 0; i < c->terms.len; i++)
        for (uint32_t j = i + 1; j < c->terms.len; j++) {
            if (!c->equal[i * c->terms.len + j]) continue;
            if (!comparisons_same_args(c, (expr){c->terms.data[i]}, (expr){c->terms.data[j]}, lits, &n)) continue;
            lits[n++] = c->equal[i * c->terms.len + j];
            sat_clause(&c->s->solver, lits, n);
        }
    for (uint32_t i = 0; i < c->s->r->natoms; i++)
        for (uint32_t j = 0; j < c->s->r->natoms; j++) {
            if (i == j || !comparisons_same_args(c, entail_atom(c->s, i), entail_atom(c->s, j), lits, &n)) continue;
            lits[n++] = -c->s->atom[i];
            lits[n++] = c->s->atom[j];
            sat_clause(&c->s->solver, lits, n);
        }
}

// A term of an enum has just one of its values.
static void entail_groups(setting_of_schema *s) {
    const atom_pool *p = s->r->p;
    for (uint32_t i = 0; i < s->r->natoms; i++) {
        const shape *of = &p->shapes.data[p->atoms.data[s->r->atoms[i]].shape];
        lit_list some = {0};
        if (of->group != p->atoms.data[s->r->atoms[i]].shape) continue;
        for (uint32_t g = 0; g < of->group_size; g++) {
            uint32_t a = atoms_of_shape(p, s->r->atoms[i], of->group + g);
            if (a != ATOM_NONE && s->r->column_of[a] != ATOM_NONE) vec_push(&some, s->atom[s->r->column_of[a]]);
        }
        for (uint32_t k = 0; k < some.len && some.len == of->group_size; k++)
            for (uint32_t l = k + 1; l < some.len; l++) sat_clause2(&s->solver, -some.data[k], -some.data[l]);
        if (some.len == of->group_size) sat_clause(&s->solver, some.data, some.len);
        vec_free(&some);
    }
}

static void entail_axioms(const model *m, setting_of_schema *s) {
    comparisons c = {.m = m, .s = s};
    comparisons_find(&c);
    for (uint32_t i = 0; i < c.terms.len; i++)
        for (uint32_t j = 0; j < c.terms.len; j++) {
            if (i < j) comparisons_pair(&c, i, j);
            for (uint32_t k = 0; k < c.terms.len && i != j; k++)
                if (k != i && k != j) comparisons_triple(&c, i, j, k);
        }
    comparisons_congruent(&c);
    entail_groups(s);
    vec_free(&c.terms);
    free(c.equal);
    free(c.less);
}

// ---- lemmas

entail *entail_new(rows *const *schemas, uint32_t nschemas, const limits *stop) {
    entail *e = mem_zero(1, sizeof *e);
    e->n = nschemas;
    e->all = mem_zero(nschemas + 1, sizeof *e->all);
    for (uint32_t i = 0; i < nschemas; i++) {
        setting_of_schema *s = &e->all[i];
        e->p = schemas[i]->p;
        s->r = schemas[i];
        sat_init(&s->solver, stop);
        s->atom = mem_zero(s->r->natoms + 1, sizeof *s->atom);
        for (uint32_t a = 0; a < s->r->natoms; a++) s->atom[a] = sat_var(&s->solver);
        entail_axioms(e->p->m, s);
    }
    return e;
}

void entail_free(entail *e) {
    for (uint32_t i = 0; i < e->n; i++) {
        sat_done(&e->all[i].solver);
        free(e->all[i].atom);
    }
    vec_free(&e->standing);
    vec_free(&e->selectors);
    free(e->all);
    free(e);
}

static void entail_instance(const setting_of_schema *s, sat *solver, int selector, const clause *c, const uint8_t *to) {
    clause image;
    int lits[CLAUSE_MOST + 1];
    if (!clause_rename(s->r->p, c, to, &image)) return;
    for (uint32_t i = 0; i < image.n; i++) {
        uint32_t column = s->r->column_of[image.lits[i] / 2];
        if (column == ATOM_NONE) return;
        lits[i] = image.lits[i] % 2 ? -s->atom[column] : s->atom[column];
    }
    lits[image.n] = -selector;
    sat_clause(solver, lits, image.n + 1u);
}

// Every way to map the variables of the clause from v on to those of the schema.
static void entail_instances(setting_of_schema *s, int selector, const clause *c, uint32_t vars, uint32_t v,
                             uint8_t *to) {
    while (v < s->r->p->vars.len && !(vars >> v & 1)) v++;
    if (v >= s->r->p->vars.len) {
        entail_instance(s, &s->solver, selector, c, to);
        return;
    }
    uint32_t sort = v / POOL_PER_SORT;
    for (uint32_t i = 0; i < s->r->counts[sort]; i++) {
        to[v] = (uint8_t)(sort * POOL_PER_SORT + i);
        entail_instances(s, selector, c, vars, v + 1, to);
    }
}

void entail_add(entail *e, uint32_t lemma, const clause *c) {
    uint8_t to[POOL_SORTS * POOL_PER_SORT];
    for (uint32_t i = 0; i < sizeof to; i++) to[i] = (uint8_t)i;
    vec_push(&e->standing, lemma);
    for (uint32_t i = 0; i < e->n; i++) {
        int selector = sat_var(&e->all[i].solver);
        vec_push(&e->selectors, selector);
        entail_instances(&e->all[i], selector, c, clause_vars(e->p, c), 0, to);
    }
}

void entail_remove(entail *e, uint32_t lemma) {
    for (uint32_t k = 0; k < e->standing.len; k++) {
        if (e->standing.data[k] != lemma) continue;
        for (uint32_t i = 0; i < e->n; i++) sat_clause(&e->all[i].solver, (int[]){-e->selectors.data[k * e->n + i]}, 1);
        uint32_t last = e->standing.len - 1;
        e->standing.data[k] = e->standing.data[last];
        memmove(e->selectors.data + (size_t)k * e->n, e->selectors.data + (size_t)last * e->n, e->n * sizeof(int));
        e->standing.len = last;
        e->selectors.len -= e->n;
        return;
    }
}

bool entail_follows(entail *e, uint32_t schema, const clause *c, entail_core *core) {
    setting_of_schema *s = &e->all[schema];
    vec_clear(core);
    for (uint32_t i = 0; i < c->n; i++) {
        int lit = s->atom[s->r->column_of[c->lits[i] / 2]];
        sat_assume(&s->solver, c->lits[i] % 2 ? lit : -lit);
    }
    for (uint32_t k = 0; k < e->standing.len; k++) sat_assume(&s->solver, e->selectors.data[k * e->n + schema]);
    if (sat_solve(&s->solver, ENTAIL_CONFLICTS) != SAT_NO) return false;
    for (uint32_t k = 0; k < e->standing.len; k++)
        if (sat_in_core(&s->solver, e->selectors.data[k * e->n + schema])) vec_push(core, e->standing.data[k]);
    return true;
}
