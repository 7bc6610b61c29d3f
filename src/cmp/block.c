// SPDX-License-Identifier: Apache-2.0
// Which candidates exclude a step of others: see refine_int.h.
#include "cmp/refine_int.h"

#include "model/expr.h"

enum { BROUGHT_AT_ONCE = 3, MOST_CHOICES = 500 };

typedef struct {
    uint32_t point, literal, second, cost;  // second: another literal of the clause, or NO_LITERAL
} blocker;

typedef VEC(blocker) blocker_list;

static uint32_t count_nodes(const model *m, expr e) {
    const expr_info *x = expr_of(m, e);
    uint32_t n = 1;
    for (uint32_t i = 0; i < x->nargs && n < 1000; i++) n += count_nodes(m, x->args[i]);
    return n;
}

// Equations of terms say most, then what is short.
static uint32_t cost_of(const lexicon *v, uint32_t literal) {
    expr e = candidates_literal(v, literal);
    const expr_info *x = expr_of(v->m, e);
    uint32_t kind = literal % 2 ? 2000 : 1000;
    if (x->kind == E_EQ && expr_kind_of(v->m, x->args[1]) != E_CONST) kind = 0;
    return kind + count_nodes(v->m, e);
}

static bool is_about(const abstract_case *c, const point *p) {
    if (p->r.id != c->origin.id) return false;
    for (uint32_t i = 0; i < c->env.len; i++)
        for (uint32_t k = 0; k < p->nparams; k++)
            if (c->env.data[i].from.id == p->params[k].id && c->env.data[i].to.kind == IDENT_OTHER)
                return true;
    return false;
}

// The witness of a step, and what is not said by it.
typedef struct {
    refinement *r;
    eval *ev;
    const instance *in;
    abstract_case *c;
    const draft *d;
    const value *before;
    bits bound;  // unknowns of the case whose values count; the others are open
} step;

static bool is_bound_by(const draft *d, var v) {
    for (uint32_t i = 0; i < d->unknowns.len; i++)
        if (d->unknowns.data[i].id == v.id) return true;
    for (uint32_t i = 0; i < d->solved.len; i++)
        if (d->solved.data[i].v.id == v.id) return true;
    for (uint32_t i = 0; i < d->quantified.len; i++)
        if (d->quantified.data[i].id == v.id) return true;
    return false;
}

// The unknowns that the witness gives: those that the step itself depends on, or also those that lemmas speak of.
static void note_bound(step *s, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (is_bound_by(s->d, s->c->unknowns.data[i].v)) bits_add(&s->bound, i);
}

// The unknowns of an instance of a lemma that the witness leaves open.
typedef VEC(var) open_list;

static void find_open(const step *s, expr e, open_list *out) {
    for (uint32_t i = 0; i < s->c->unknowns.len; i++)
        if (!bits_has(&s->bound, i) && expr_has_var(s->in->m, e, s->c->unknowns.data[i].v))
            vec_push(out, s->c->unknowns.data[i].v);
}

static bool is_false(const step *s, expr e) {
    value v = eval_expr(s->ev, s->before, e);
    return !v && eval_fault(s->ev).kind == FAULT_NONE;
}

static bool is_false_from(const step *s, expr e, const open_list *open, uint32_t i) {
    if (i == open->len) return is_false(s, e);
    type ty = var_of(s->in->m, open->data[i])->ty;
    value first = instance_type_first(s->in, ty);
    for (uint32_t k = 0; k < instance_type_size(s->in, ty); k++) {
        eval_bind(s->ev, open->data[i], first + (value)k);
        if (!is_false_from(s, e, open, i + 1)) return false;
    }
    return true;
}

static uint64_t count_choices(const step *s, const open_list *open) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < open->len && n < 1000000; i++)
        n *= instance_type_size(s->in, var_of(s->in->m, open->data[i])->ty);
    return n;
}

// Does the instance fail, whatever is open; or, if that is enough, for one choice of it?
static bool fails(const step *s, expr e, bool for_one) {
    open_list open = {0};
    find_open(s, e, &open);
    bool ok = count_choices(s, &open) <= MOST_CHOICES;
    for (uint32_t i = 0; for_one && i < open.len; i++)
        eval_bind(s->ev, open.data[i], instance_type_first(s->in, var_of(s->in->m, open.data[i])->ty));
    if (for_one) ok = is_false(s, e);
    else ok = ok && is_false_from(s, e, &open, 0);
    vec_free(&open);
    return ok;
}

// What a candidate says about the others of a case; made once.
static expr instance_of(refinement *r, abstract_case *c, uint32_t number, uint32_t literal) {
    uint32_t key[] = {(uint32_t)(c - r->a->cases.data), number, literal};
    uint32_t known = map_get(r->instances, key, sizeof key, 0);
    if (known) return (expr){known};
    lemma l = candidates_clause(r, number, literal, NO_LITERAL);
    expr e = abstract_lemma(r->a, c, &l);
    map_put(r->instances, key, sizeof key, e.id);
    return e;
}

static bool is_dead(const refinement *r, uint32_t number, uint32_t literal, uint32_t second) {
    uint32_t key[] = {number, literal, second};
    uint32_t known = map_get(r->by_literal, key, sizeof key, UINT32_MAX);
    return known != UINT32_MAX && (r->candidates.data[known].is_false || r->candidates.data[known].is_used);
}

static bool is_candidate(const refinement *r, uint32_t number, uint32_t literal) {
    uint32_t natoms = r->s->v->atoms.len;
    if (is_dead(r, number, literal, NO_LITERAL)) return false;
    if (!r->s->is_met[number]) return literal == natoms * 2;
    return literal < natoms * 2 && bits_has(&r->s->holds[number], literal);
}

static void collect(step *s, uint32_t number, bool for_one, blocker_list *out) {
    refinement *r = s->r;
    for (uint32_t lit = 0; lit <= r->s->v->atoms.len * 2; lit++)
        if (is_candidate(r, number, lit) && fails(s, instance_of(r, s->c, number, lit), for_one))
            vec_push(out, (blocker){number, lit, NO_LITERAL, cost_of(r->s->v, lit)});
}

static int by_cost(const void *a, const void *b) {
    const blocker *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return x->literal < y->literal ? -1 : x->literal > y->literal;
}

static void bring(refinement *r, const blocker_list *found, uint32_t most) {
    for (uint32_t i = 0; i < found->len && i < most; i++) {
        candidate *x = candidates_of(r, found->data[i].point, found->data[i].literal, found->data[i].second);
        x->is_used = true;
        x->blocked++;
        r->brought++;
    }
}

// ---- clauses of two literals

// The samples of a point by literal: in which of them it is false. Made when first asked for.
static const sample_table *samples_of(refinement *r, uint32_t number) {
    sample_table *t = &r->samples[number];
    map *rows = r->s->rows[number];
    uint32_t n = map_count(rows), literals = r->s->v->atoms.len * 2;
    if (t->is_made) return t;
    *t = (sample_table){.is_made = true, .words = (n + 63) / 64};
    t->fails = mem_zero((size_t)literals * t->words + 1, sizeof *t->fails);
    t->support = mem_zero(literals + 1, sizeof *t->support);
    for (uint32_t i = 0; i < n; i++) {
        size_t size;
        const uint64_t *row = map_key(rows, i, &size);
        for (uint32_t lit = 0; lit < literals; lit++) {
            if (row[lit / 64] >> (lit % 64) & 1) continue;
            t->fails[(size_t)lit * t->words + i / 64] |= UINT64_C(1) << (i % 64);
            t->support[lit]++;
        }
    }
    return t;
}

typedef VEC(uint32_t) literal_list;

// The literals that fail for the witness, whatever is open, but not always.
static void failing_literals(step *s, uint32_t number, literal_list *out) {
    refinement *r = s->r;
    for (uint32_t lit = 0; lit < r->s->v->atoms.len * 2; lit++)
        if (!bits_has(&r->s->holds[number], lit) && fails(s, instance_of(r, s->c, number, lit), false))
            vec_push(out, lit);
}

static bool never_both(const sample_table *t, uint32_t a, uint32_t b) {
    const uint64_t *x = t->fails + (size_t)a * t->words, *y = t->fails + (size_t)b * t->words;
    for (uint32_t i = 0; i < t->words; i++)
        if (x[i] & y[i]) return false;
    return true;
}

// Clauses that hold in all samples; those that say most about them first.
static void collect_pairs(step *s, uint32_t number, blocker_list *out) {
    refinement *r = s->r;
    literal_list list = {0};
    if (!r->s->is_met[number] || map_count(r->s->rows[number]) >= SURVEY_MOST_ROWS) return;
    const sample_table *t = samples_of(r, number);
    failing_literals(s, number, &list);
    for (uint32_t i = 0; i < list.len; i++)
        for (uint32_t k = i + 1; k < list.len; k++) {
            uint32_t a = list.data[i], b = list.data[k];
            if (!never_both(t, a, b) || is_dead(r, number, a, b)) continue;
            uint32_t support = t->support[a] < t->support[b] ? t->support[a] : t->support[b];
            vec_push(out, (blocker){number, a, b, UINT32_MAX - support});
        }
    vec_free(&list);
}

static uint32_t own_unknowns(const step *s) { return s->r->own_unknowns[s->c - s->r->a->cases.data]; }

static bool bring_found(step *s, blocker_list *found) {
    bool any = found->len > 0;
    if (any) qsort(found->data, found->len, sizeof *found->data, by_cost);
    bring(s->r, found, BROUGHT_AT_ONCE);
    vec_free(found);
    return any;
}

// Brings in candidates that exclude what is bound, whatever is open; or, if `for_one`, for one choice of that.
static bool block_by_one(step *s, bool for_one) {
    blocker_list found = {0};
    for (uint32_t i = 0; i < s->r->s->v->points.len; i++)
        if (is_about(s->c, &s->r->s->v->points.data[i])) collect(s, i, for_one, &found);
    return bring_found(s, &found);
}

static bool block_by_two(step *s) {
    blocker_list found = {0};
    for (uint32_t i = 0; i < s->r->s->v->points.len; i++)
        if (is_about(s->c, &s->r->s->v->points.data[i])) collect_pairs(s, i, &found);
    return bring_found(s, &found);
}

// Candidates that exclude the step are best, then such that exclude the witness, then such that say something about what
// it leaves open.
static block_outcome block_witness(step *s) {
    if (block_by_one(s, false) || block_by_two(s)) return BLOCK_DONE;
    note_bound(s, s->c->unknowns.len);
    if (block_by_one(s, false)) return BLOCK_DONE;
    if (block_by_one(s, true)) return BLOCK_IN_PART;
    return block_by_two(s) ? BLOCK_DONE : BLOCK_NOTHING;
}

block_outcome block_drafted(refinement *r, eval *ev, const instance *in, abstract_case *c, const draft *d,
                            const value *before, const value *args) {
    step s = {.r = r, .ev = ev, .in = in, .c = c, .d = d, .before = before};
    block_outcome how = BLOCK_NOTHING;
    if (!witness_bind(ev, in, d, c, before, args)) return BLOCK_NO_WITNESS;
    note_bound(&s, own_unknowns(&s));
    if (r->views && views_allow(r->views, c, before, ev, &s.bound)) how = BLOCK_REAL;
    else how = block_witness(&s);
    bits_free(&s.bound);
    return how;
}

bool block_step(refinement *r, const instance *in, abstract_case *c, const value *before, const value *args) {
    if (!c->nothers) return false;
    lemma_list lemmas = {0};
    candidates_used(r, &lemmas);
    draft d = strengthen_case(r->a, c, lemmas.data, lemmas.len);
    eval *ev = eval_new(in);
    block_outcome how = block_drafted(r, ev, in, c, &d, before, args);
    eval_free(ev);
    draft_free(&d);
    vec_free(&lemmas);
    return how != BLOCK_NOTHING && how != BLOCK_REAL;
}
