// SPDX-License-Identifier: Apache-2.0
// See copies.h.
//
// Rounds: in each, all locals that are written with only one value are examined together, in one walk over the body
// that follows which of them have been written (a set of bits), and all that hold are replaced in a second walk. A
// copy of a copy becomes a copy in the next round.
#include "model/copies.h"

#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_BODY = 20000 };  // statements; a larger one stays as it is, with what is shared in it

// ---- which locals are copies

// What a function is written with: always this value, or more than one.
typedef struct {
    expr value;
    bool has_others;
} written;

static void copies_collect(const stmt *s, written *table) {
    walk w = walk_stmt(NULL, s, WALK_STMTS);
    while (walk_next(&w)) {
        written *at = &table[w.s->target.id];
        if (w.s->kind != S_ASSIGN) continue;
        at->has_others |= !w.s->value.id || (at->value.id && !expr_same(at->value, w.s->value));
        at->value = w.s->value;
    }
}

static bool copies_is_param(const rule_info *r, uint32_t v) {
    for (uint32_t i = 0; i < r->nparams; i++)
        if (r->params[i].id == v) return true;
    return false;
}

// A value outside the local's range is a run-time error at the assignment, which has to stay.
static bool copies_fits(model *m, expr e, func f) {
    int64_t lo, hi, least, greatest;
    if (type_same(expr_type(m, e), func_of(m, f)->result)) return true;
    if (!type_is_number(m, expr_type(m, e)) || !type_is_number(m, func_of(m, f)->result)) return false;
    expr_bounds(m, e, &lo, &hi);
    expr_bounds(m, expr_app(m, f, NULL), &least, &greatest);
    return least <= lo && hi <= greatest;
}

static bool copies_is_candidate(model *m, const rule_info *r, func f, const written *w) {
    const func_info *info = func_of(m, f);
    if (!info->is_scratch || info->nargs || !w->value.id || w->has_others) return false;
    const expr_info *x = expr_of(m, w->value);
    bool is_rigid = x->kind == E_CONST || (x->kind == E_VAR && copies_is_param(r, x->ref));
    return is_rigid && copies_fits(m, w->value, f);
}

// ---- one round

enum { READS_UNKNOWN, READS_NONE, READS_SOME };

typedef struct {
    model *m;
    const written *table;  // by function
    uint32_t *number;      // by function: its number among the candidates from 1 on, 0 for others
    uint32_t ncandidates;
    bool *is_read_early;  // by number: it may be read while it has no value
    uint8_t *reads;       // by expression: does it read a candidate?
    uint32_t nexprs;
} round;

static void find_candidates(round *p, const rule_info *r) {
    uint32_t nfuncs = p->m->funcs.len;
    p->number = mem_zero(nfuncs, sizeof *p->number);
    for (uint32_t i = 1; i < nfuncs; i++)
        if (copies_is_candidate(p->m, r, (func){i}, &p->table[i])) p->number[i] = ++p->ncandidates;
    p->is_read_early = mem_zero(p->ncandidates + 1, sizeof *p->is_read_early);
    p->nexprs = p->m->exprs.len;
    p->reads = mem_zero(p->nexprs, sizeof *p->reads);
}

static void round_free(round *p) {
    free(p->number);
    free(p->is_read_early);
    free(p->reads);
}

static uint32_t candidate_read(const round *p, const expr_info *x) {
    return x->kind == E_APP || x->kind == E_DEFINED ? p->number[x->ref] : 0;
}

// By recursion: the answer of every part is remembered from round to round.
static bool reads_some(round *p, expr e) {
    if (!e.id || e.id >= p->nexprs) return false;
    if (p->reads[e.id]) return p->reads[e.id] == READS_SOME;
    const expr_info *x = expr_of(p->m, e);
    bool some = candidate_read(p, x) != 0;
    for (uint32_t i = 0; i < x->nargs && !some; i++) some = reads_some(p, x->args[i]);
    p->reads[e.id] = some ? READS_SOME : READS_NONE;
    return some;
}

// ---- is it written before it is read?

static bool has_bit(const uint64_t *set, uint32_t i) { return set[i / 64] >> (i % 64) & 1; }

static void copies_look(round *p, expr e, const uint64_t *is_written) {
    walk w = walk_expr(p->m, e, 0);
    while (walk_next(&w)) {
        uint32_t number = candidate_read(p, w.x);
        if (number && !has_bit(is_written, number)) p->is_read_early[number] = true;
        if (!reads_some(p, w.e)) walk_skip(&w);
    }
}

static size_t set_words(const round *p) { return p->ncandidates / 64 + 1; }

static void scan(round *p, const stmt *s, uint64_t *is_written);

static void scan_all(round *p, const stmt *const *body, uint32_t n, uint64_t *is_written) {
    for (uint32_t i = 0; i < n; i++) scan(p, body[i], is_written);
}

// Both branches begin with what is written; after them it is what both have written.
static void scan_branches(round *p, const stmt *s, uint64_t *is_written) {
    size_t n = set_words(p);
    uint64_t *both = mem_alloc(2 * n * sizeof *both), *orelse = both + n;
    memcpy(both, is_written, n * sizeof *both);
    memcpy(orelse, is_written, n * sizeof *both);
    scan_all(p, s->body, s->nbody, both);
    scan_all(p, s->orelse, s->norelse, orelse);
    for (size_t i = 0; s->kind == S_IF && i < n; i++) is_written[i] = both[i] & orelse[i];
    free(both);
}

static void scan(round *p, const stmt *s, uint64_t *is_written) {
    copies_look(p, s->cond, is_written);
    copies_look(p, s->value, is_written);
    for (uint32_t i = 0; i < s->nargs; i++) copies_look(p, s->args[i], is_written);
    uint32_t number = s->kind == S_ASSIGN ? p->number[s->target.id] : 0;
    if (number) is_written[number / 64] |= UINT64_C(1) << (number % 64);
    if (s->kind == S_SEQ) scan_all(p, s->body, s->nbody, is_written);
    else if (s->nbody || s->norelse) scan_branches(p, s, is_written);
}

// What is left of the candidates are copies.
static bool find_copies(round *p, const stmt *body) {
    uint64_t *is_written = mem_zero(set_words(p), sizeof *is_written);
    bool any = false;
    scan(p, body, is_written);
    free(is_written);
    for (uint32_t i = 1; i < p->m->funcs.len; i++) {
        if (p->number[i] && p->is_read_early[p->number[i]]) p->number[i] = 0;
        any |= p->number[i] != 0;
    }
    return any;
}

// ---- replacing them

static expr copies_replace_visit(model *m, expr e, void *context) {
    const round *p = context;
    const expr_info *x = expr_of(m, e);
    if (!candidate_read(p, x)) return e;
    return x->kind == E_APP ? p->table[x->ref].value : m->true_expr;
}

static expr replace_in(round *p, expr e) {
    return reads_some(p, e) ? expr_rewrite(p->m, e, copies_replace_visit, p) : e;
}

static const stmt *copies_replace(round *p, const stmt *s);

// What is left of a statement goes into a list: nothing of an assignment to a copy, one branch where the condition
// is known.
static void replace_into(round *p, const stmt *s, stmt_list *out) {
    if (s->kind == S_ASSIGN && p->number[s->target.id]) return;
    expr cond = replace_in(p, s->cond);
    value known;
    if (s->kind == S_IF && expr_is_const(p->m, cond, &known)) {
        for (uint32_t i = 0; i < (known ? s->nbody : s->norelse); i++)
            replace_into(p, known ? s->body[i] : s->orelse[i], out);
        return;
    }
    const stmt *one = copies_replace(p, s);
    vec_push(out, one);
}

static const stmt *const *replace_all(round *p, const stmt *const *body, uint32_t n, uint32_t *left) {
    stmt_list list = {0};
    for (uint32_t i = 0; i < n; i++) replace_into(p, body[i], &list);
    *left = list.len;
    const stmt *const *out = list.len ? arena_copy(p->m->memory, list.data, list.len * sizeof *list.data) : NULL;
    vec_free(&list);
    return out;
}

static const stmt *copies_replace(round *p, const stmt *s) {
    stmt *t = arena_copy(p->m->memory, s, sizeof *s);
    expr *args = arena_alloc(p->m->memory, (s->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = replace_in(p, s->args[i]);
    t->args = args;
    t->value = replace_in(p, s->value);
    t->cond = replace_in(p, s->cond);
    t->body = replace_all(p, s->body, s->nbody, &t->nbody);
    t->orelse = replace_all(p, s->orelse, s->norelse, &t->norelse);
    return t;
}

static void replace_copies(round *p, rule_info *r) {
    uint32_t n;
    const stmt *const *left = replace_all(p, &r->body, 1, &n);
    r->body = n == 1 ? left[0] : model_block(p->m, S_SEQ, left, n, r->body->at);
}

const stmt *copies_propagate(model *m, rule number) {
    rule_info r = *rule_of(m, number);
    if (stmt_tree(r.body, LARGEST_BODY) > LARGEST_BODY) return r.body;
    written *table = mem_zero(m->funcs.len, sizeof *table);
    for (bool more = r.body != NULL; more;) {
        memset(table, 0, m->funcs.len * sizeof *table);
        copies_collect(r.body, table);
        round p = {.m = m, .table = table};
        find_candidates(&p, &r);
        more = p.ncandidates && find_copies(&p, r.body);
        if (more) replace_copies(&p, &r);
        round_free(&p);
    }
    free(table);
    return r.body;
}
