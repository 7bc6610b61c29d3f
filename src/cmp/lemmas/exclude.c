// SPDX-License-Identifier: Apache-2.0
// See exclude.h.
#include "cmp/lemmas/exclude.h"

#include "base/bits.h"
#include "base/columns.h"
#include "base/order.h"
#include "model/eval.h"

#include <string.h>

enum { MOST_CHOICES = 500, MOST_CLAUSES = 50, MOST_WITNESSES = 100000 };

struct excluder {
    candidates *lemmas;
    abstraction *a;
    const survey *s;
    const lemma_vocabulary *v;
    views *views;
    eval *ev;
    map *instances;    // (case, point, literal) -> expression
    columns *samples;  // by point: in which of the combinations of literals seen there each is false
    uint64_t searched;
};

// A step with its witness, and what that does not say.
typedef struct {
    excluder *x;
    const instance *in;
    abstract_case *c;
    const draft *d;
    const value *before;
    uint32_t view, tried;
    bits bound;  // parameters and unknowns of the case, by variable, whose values count; the others are open
} step;

// ---- the witness

// Solutions are over what is solved later: the last one first.
static bool witness_is_right(step *s) {
    eval *ev = s->x->ev;
    for (uint32_t i = s->d->e.solved.len; i-- > 0;) {
        solution one = s->d->e.solved.data[i];
        eval_bind(ev, one.v, eval_expr(ev, s->before, one.given));
    }
    for (uint32_t i = 0; i < s->d->stated.len; i++)
        if (!eval_expr(ev, s->before, s->d->stated.data[i])) return false;
    return true;
}

static bool find_witness(step *s, uint32_t i) {
    if (i == s->d->e.quantified.len) return s->tried++ < MOST_WITNESSES && witness_is_right(s);
    var v = s->d->e.quantified.data[i];
    type ty = var_of(s->in->m, v)->ty;
    value first = instance_type_first(s->in, ty);
    for (uint32_t k = 0; k < instance_type_size(s->in, ty) && s->tried < MOST_WITNESSES; k++) {
        eval_bind(s->x->ev, v, first + (value)k);
        if (find_witness(s, i + 1)) return true;
    }
    return false;
}

// Binds the case's parameters and unknowns so that the guard holds; false if no values are found, or too many would
// have to be tried.
static bool bind_witness(step *s, const value *args) {
    for (uint32_t i = 0; i < s->d->params.len; i++) eval_bind(s->x->ev, s->d->params.data[i], args[i]);
    return find_witness(s, 0);
}

// ---- candidates of one literal

typedef struct {
    clause k;
    uint32_t cost;
} blocker;

typedef VEC(blocker) blocker_list;

// Equations of terms say most, then what is short.
static uint32_t cost_of(const lemma_vocabulary *v, uint32_t literal) {
    expr e = candidates_literal(v, literal);
    const expr_info *x = expr_of(v->m, e);
    uint32_t kind = literal % 2 ? 2000 : 1000;
    if (x->kind == E_EQ && expr_kind_of(v->m, x->args[1]) != E_CONST) kind = 0;
    return kind + (x->tree < 1000 ? x->tree : 1000);
}

static bool exclude_is_about(const abstract_case *c, const point *p) {
    if (!p->r.id) return true;
    if (p->r.id != c->origin.id) return false;
    for (uint32_t i = 0; i < c->env.len; i++)
        if (c->env.data[i].from.id == p->params[0].id && c->env.data[i].to.kind == IDENT_OTHER) return true;
    return false;
}

// What the witness gives.
static void note_bound(step *s) {
    const draft *d = s->d;
    for (uint32_t i = 0; i < d->params.len; i++) bits_add(&s->bound, d->params.data[i].id);
    for (uint32_t i = 0; i < d->e.solved.len; i++) bits_add(&s->bound, d->e.solved.data[i].v.id);
    for (uint32_t i = 0; i < d->e.quantified.len; i++) bits_add(&s->bound, d->e.quantified.data[i].id);
}

static uint64_t count_choices(const step *s, expr e) {
    const var_set vars = expr_frees(s->in->m, e);
    uint64_t n = 1;
    for (uint32_t i = 0; i < vars.n && n <= MOST_CHOICES; i++)
        if (!bits_has(&s->bound, vars.vars[i].id)) n *= instance_type_size(s->in, var_of(s->in->m, vars.vars[i])->ty);
    return n;
}

// From the i-th variable on, whatever is open.
static bool is_false_from(const step *s, expr e, uint32_t i) {
    const var_set vars = expr_frees(s->in->m, e);
    while (i < vars.n && bits_has(&s->bound, vars.vars[i].id)) i++;
    if (i == vars.n) return !eval_expr(s->x->ev, s->before, e) && eval_fault(s->x->ev).kind == FAULT_NONE;
    type ty = var_of(s->in->m, vars.vars[i])->ty;
    value first = instance_type_first(s->in, ty);
    for (uint32_t k = 0; k < instance_type_size(s->in, ty); k++) {
        eval_bind(s->x->ev, vars.vars[i], first + (value)k);
        if (!is_false_from(s, e, i + 1)) return false;
    }
    return true;
}

static bool fails(const step *s, expr e) { return count_choices(s, e) <= MOST_CHOICES && is_false_from(s, e, 0); }

// What a clause says about the others of a case.
static expr clause_instance(excluder *x, abstract_case *c, const clause *k) {
    lemma l = candidates_lemma(x->lemmas, k);
    return abstract_lemma(x->a, c, &l);
}

// The same of a literal at a point; made once.
static expr literal_instance(excluder *x, abstract_case *c, uint32_t number, uint32_t literal) {
    uint32_t key[] = {(uint32_t)(c - x->a->cases.data), number, literal};
    expr e = {map_get(x->instances, key, sizeof key, 0)};
    if (e.id) return e;
    e = clause_instance(x, c, &(clause){.point = number, .n = 1, .literals = {literal}});
    map_put(x->instances, key, sizeof key, e.id);
    return e;
}

static int by_cost(const void *a, const void *b) {
    const blocker *x = a, *y = b;
    if (x->k.n != y->k.n) return x->k.n < y->k.n ? -1 : 1;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->k.point != y->k.point) return x->k.point < y->k.point ? -1 : 1;
    return memcmp(x->k.literals, y->k.literals, sizeof x->k.literals);
}

// ---- clauses of several literals

// Made when first asked for.
static const columns *exclude_samples_of(excluder *x, uint32_t number) {
    columns *t = &x->samples[number];
    map *rows = x->s->rows[number];
    uint32_t n = t->bits ? 0 : map_count(rows), literals = x->v->atoms.len * 2;
    if (!t->bits) *t = columns_new(literals, n);
    for (uint32_t i = 0; i < n; i++) {
        size_t size;
        const uint64_t *row = map_key(rows, i, &size);
        for (uint32_t lit = 0; lit < literals; lit++)
            if (!(row[lit / 64] >> (lit % 64) & 1)) columns_set(t, lit, i);
    }
    return t;
}

typedef VEC(uint32_t) literal_list;

// May the literal be a clause, or be part of one? It held in all samples of the point, or else not in all; where there
// are none, nothing holds.
static bool is_eligible(const excluder *x, uint32_t number, uint32_t literal, bool by_more) {
    clause alone = {.point = number, .n = 1, .literals = {literal}};
    bool is_atom = literal < x->v->atoms.len * 2;
    if (by_more) return is_atom && !bits_has(&x->s->holds[number], literal);
    if (candidates_is_settled(x->lemmas, &alone)) return false;
    return x->s->is_met[number] ? is_atom && bits_has(&x->s->holds[number], literal) : !is_atom;
}

// The literals that fail for the witness.
static void failing_literals(step *s, uint32_t number, bool by_more, literal_list *out) {
    for (uint32_t lit = 0; lit <= s->x->v->atoms.len * 2; lit++)
        if (is_eligible(s->x, number, lit, by_more) && fails(s, literal_instance(s->x, s->c, number, lit)))
            vec_push(out, lit);
}

static void exclude_collect(step *s, uint32_t number, bool by_more, blocker_list *out) {
    excluder *x = s->x;
    literal_list list = {0};
    if (by_more && !x->s->is_met[number]) return;
    const columns *t = by_more ? exclude_samples_of(x, number) : NULL;
    failing_literals(s, number, by_more, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        blocker b = {.k = {.point = number, .n = 1, .literals = {list.data[i]}}};
        if (t && !columns_choose(t, list.data, list.len, b.k.literals, &b.k.n, CLAUSE_MOST_LITERALS)) continue;
        qsort(b.k.literals, b.k.n, sizeof *b.k.literals, order_u32);
        for (uint32_t n = 0; n < b.k.n; n++) b.cost += cost_of(x->v, b.k.literals[n]) / b.k.n;
        if (!t || !candidates_is_settled(x->lemmas, &b.k)) vec_push(out, b);
    }
    vec_free(&list);
}

// Brings in the best of those found. Literals that fail each for some kept element need not fail together for one.
static bool bring_found(step *s, blocker_list *found) {
    uint32_t best = 0;
    if (found->len) qsort(found->data, found->len, sizeof *found->data, by_cost);
    while (best < found->len && found->data[best].k.n > 1 &&
           !fails(s, clause_instance(s->x, s->c, &found->data[best].k)))
        if (++best == MOST_CLAUSES) best = found->len;
    bool any = best < found->len;
    if (any) candidates_bring(s->x->lemmas, &found->data[best].k, s->view);
    vec_free(found);
    return any;
}

// Brings in a clause of one literal or of more that excludes the witness.
static bool block_by(step *s, bool by_more) {
    blocker_list found = {0};
    for (uint32_t i = 0; i < s->x->v->points.len; i++) {
        if (exclude_is_about(s->c, &s->x->v->points.data[i])) exclude_collect(s, i, by_more, &found);
    }
    return bring_found(s, &found);
}

static bool block_witness(step *s) {
    s->x->searched++;
    return block_by(s, false) || block_by(s, true);
}

// Does a lemma that came in since the draft was made exclude the step?
static bool fails_fresh(step *s) {
    const candidates *lemmas = s->x->lemmas;
    for (uint32_t i = 0; i < lemmas->fresh.len; i++) {
        const lemma *l = &lemmas->list.data[lemmas->fresh.data[i]].l;
        if (l->only.id && l->only.id != s->c->origin.id) continue;
        if (fails(s, abstract_lemma(s->x->a, s->c, l))) return true;
    }
    return false;
}

// A draft that has all lemmas used may exclude the step by itself: then there is no witness.
static bool exclude_drafted(excluder *x, const loose_step *from, const draft *d, bool has_all) {
    step s = {.x = x, .in = x->s->view_in, .c = from->c, .d = d, .before = from->before, .view = from->view};
    bool is_excluded = has_all;
    if (bind_witness(&s, from->args)) {
        note_bound(&s);
        is_excluded = fails_fresh(&s);
        bool is_real = !is_excluded && x->views && views_allow(x->views, s.c, s.before, x->ev, &s.bound);
        if (!is_excluded && !is_real) is_excluded = block_witness(&s);
    }
    bits_free(&s.bound);
    return is_excluded;
}

bool exclude_step(excluder *x, const loose_step *s) {
    if (!s->c->nothers) return false;
    if (s->d) return exclude_drafted(x, s, s->d, false);
    draft d = strengthen_case(x->a, s->c, candidates_used(x->lemmas));
    x->lemmas->fresh.len = 0;  // the draft has all that are used
    bool ok = exclude_drafted(x, s, &d, true);
    draft_free(&d);
    return ok;
}

// ---- making

excluder *excluder_new(candidates *lemmas, survey *s) {
    excluder *x = mem_zero(1, sizeof *x);
    abstraction *a = lemmas->a;
    *x = (excluder){.lemmas = lemmas, .a = a, .s = s, .v = s->v, .ev = eval_new(s->view_in), .instances = map_new()};
    x->samples = arena_alloc(a->m->memory, s->v->points.len * sizeof *x->samples);
    return x;
}

void excluder_free(excluder *x) {
    if (!x) return;
    for (uint32_t i = 0; i < x->v->points.len; i++) columns_free(&x->samples[i]);
    map_free(x->instances);
    eval_free(x->ev);
    free(x);
}

void excluder_ask(excluder *x, views *v) { x->views = v; }

uint64_t excluder_searched(const excluder *x) { return x->searched; }
