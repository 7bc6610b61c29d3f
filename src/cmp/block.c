// SPDX-License-Identifier: Apache-2.0
// Which candidates exclude a step of others: see refine_int.h.
#include "cmp/refine_int.h"

#include "model/expr.h"

#include <string.h>

enum { MOST_CHOICES = 500, MOST_TRIED = 50 };

#define NO_LITERAL UINT32_MAX

typedef struct {
    clause k;
    uint32_t cost;
    bool is_general;  // it is about all rules
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
    if (!p->r.id) return true;
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

static void find_open(const step *s, const lemma_instance *e, open_list *out) {
    for (uint32_t i = bits_next(&e->uses, 0); i != UINT32_MAX; i = bits_next(&e->uses, i + 1))
        if (!bits_has(&s->bound, i)) vec_push(out, s->c->unknowns.data[i].v);
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
static bool fails(const step *s, const lemma_instance *e, bool for_one) {
    open_list open = {0};
    find_open(s, e, &open);
    bool ok = count_choices(s, &open) <= MOST_CHOICES;
    for (uint32_t i = 0; for_one && i < open.len; i++)
        eval_bind(s->ev, open.data[i], instance_type_first(s->in, var_of(s->in->m, open.data[i])->ty));
    if (for_one) ok = is_false(s, e->e);
    else ok = ok && is_false_from(s, e->e, &open, 0);
    vec_free(&open);
    return ok;
}

static lemma_instance note_uses(const abstract_case *c, const model *m, expr e) {
    lemma_instance made = {.e = e};
    var_list vars = {0};
    expr_free_vars(m, e, &vars);
    for (uint32_t i = 0; i < c->unknowns.len; i++)
        for (uint32_t k = 0; k < vars.len; k++)
            if (vars.data[k].id == c->unknowns.data[i].v.id) bits_add(&made.uses, i);
    vec_free(&vars);
    return made;
}

static lemma_instance make_instance(refinement *r, abstract_case *c, const clause *k) {
    lemma l = candidates_lemma(r, k);
    return note_uses(c, r->a->m, abstract_lemma(r->a, c, &l));
}

// What a literal at a point says about the others of a case; made once.
static const lemma_instance *instance_of(refinement *r, abstract_case *c, uint32_t number, uint32_t literal) {
    uint32_t key[] = {(uint32_t)(c - r->a->cases.data), number, literal};
    uint32_t known = map_intern(r->instance_of, key, sizeof key, r->instances.len);
    if (known < r->instances.len) return &r->instances.data[known];
    lemma_instance made = make_instance(r, c, &(clause){.point = number, .n = 1, .literals = {literal}});
    vec_push(&r->instances, made);
    return &vec_last(&r->instances);
}

static bool is_dead(const refinement *r, const clause *k) {
    uint32_t known = candidates_find(r, k);
    return known != UINT32_MAX && (r->candidates.data[known].is_false || r->candidates.data[known].is_used);
}

static bool is_candidate(const refinement *r, uint32_t number, uint32_t literal) {
    uint32_t natoms = r->s->v->atoms.len;
    if (is_dead(r, &(clause){.point = number, .n = 1, .literals = {literal}})) return false;
    if (!r->s->is_met[number]) return literal == natoms * 2;
    return literal < natoms * 2 && bits_has(&r->s->holds[number], literal);
}

static void collect(step *s, uint32_t number, bool for_one, blocker_list *out) {
    refinement *r = s->r;
    bool is_general = !r->s->v->points.data[number].r.id;
    for (uint32_t lit = 0; lit <= r->s->v->atoms.len * 2; lit++)
        if (is_candidate(r, number, lit) && fails(s, instance_of(r, s->c, number, lit), for_one))
            vec_push(
                out,
                (blocker){{.point = number, .n = 1, .literals = {lit}}, cost_of(r->s->v, lit), is_general});
}

static int by_cost(const void *a, const void *b) {
    const blocker *x = a, *y = b;
    if (x->k.n != y->k.n) return x->k.n < y->k.n ? -1 : 1;
    if (x->is_general != y->is_general) return x->is_general ? -1 : 1;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->k.point != y->k.point) return x->k.point < y->k.point ? -1 : 1;
    return memcmp(x->k.literals, y->k.literals, sizeof x->k.literals);
}

static void bring(refinement *r, const clause *k) {
    candidate *x = candidates_of(r, k);
    vec_push(&r->fresh, (uint32_t)(x - r->candidates.data));
    x->is_used = true;
    x->against = r->at_view;
    r->brought++;
}

// ---- clauses of several literals

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

static uint32_t count_common(const uint64_t *a, const uint64_t *b, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++) n += (uint32_t)__builtin_popcountll(a[i] & b[i]);
    return n;
}

// The literal that leaves fewest of the combinations in which all literals so far are false; their number to
// *left.
static uint32_t best_literal(const sample_table *t, const literal_list *list, const uint64_t *open,
                             uint32_t *left) {
    uint32_t best = NO_LITERAL;
    for (uint32_t i = 0; i < list->len; i++) {
        uint32_t n = count_common(open, t->fails + (size_t)list->data[i] * t->words, t->words);
        if (n >= *left) continue;
        *left = n;
        best = list->data[i];
    }
    return best;
}

// A clause that begins with a literal and holds in all samples: the literals that say most about what is left
// first.
static bool complete_clause(const sample_table *t, const literal_list *list, clause *k, uint64_t *open) {
    uint32_t left = t->support[k->literals[0]];
    memcpy(open, t->fails + (size_t)k->literals[0] * t->words, t->words * sizeof *open);
    while (left && k->n < CLAUSE_MOST_LITERALS) {
        uint32_t lit = best_literal(t, list, open, &left);
        if (lit == NO_LITERAL) return false;
        k->literals[k->n++] = lit;
        for (uint32_t i = 0; i < t->words; i++) open[i] &= t->fails[(size_t)lit * t->words + i];
    }
    return !left;
}

static void sort_literals(clause *k) {
    for (uint32_t i = 1; i < k->n; i++)
        for (uint32_t j = i; j > 0 && k->literals[j - 1] > k->literals[j]; j--) {
            uint32_t x = k->literals[j];
            k->literals[j] = k->literals[j - 1];
            k->literals[j - 1] = x;
        }
}

static void collect_clauses(step *s, uint32_t number, blocker_list *out) {
    refinement *r = s->r;
    literal_list list = {0};
    if (!r->s->is_met[number]) return;
    const sample_table *t = samples_of(r, number);
    uint64_t *open = mem_zero(t->words + 1, sizeof *open);
    failing_literals(s, number, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        clause k = {.point = number, .n = 1, .literals = {list.data[i]}};
        if (!complete_clause(t, &list, &k, open)) continue;
        sort_literals(&k);
        uint32_t cost = 0;
        for (uint32_t n = 0; n < k.n; n++) cost += cost_of(r->s->v, k.literals[n]) / k.n;
        if (!is_dead(r, &k)) vec_push(out, (blocker){k, cost, !r->s->v->points.data[number].r.id});
    }
    free(open);
    vec_free(&list);
}

static uint32_t own_unknowns(const step *s) { return s->r->own_unknowns[s->c - s->r->a->cases.data]; }

// Literals that fail each for some kept element need not fail together for one.
static bool clause_fails(step *s, const clause *k) {
    lemma_instance x = make_instance(s->r, s->c, k);
    bool ok = fails(s, &x, false);
    bits_free(&x.uses);
    return ok;
}

// Brings in the best of those found.
static bool bring_found(step *s, blocker_list *found) {
    uint32_t best = 0;
    if (found->len) qsort(found->data, found->len, sizeof *found->data, by_cost);
    while (best < found->len && found->data[best].k.n > 1 && !clause_fails(s, &found->data[best].k))
        if (++best == MOST_TRIED) best = found->len;
    bool any = best < found->len;
    if (any) bring(s->r, &found->data[best].k);
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

static bool block_by_more(step *s) {
    blocker_list found = {0};
    for (uint32_t i = 0; i < s->r->s->v->points.len; i++)
        if (is_about(s->c, &s->r->s->v->points.data[i])) collect_clauses(s, i, &found);
    return bring_found(s, &found);
}

// Candidates that exclude the step are best, then such that exclude the witness, then such that say something
// about what it leaves open.
static block_outcome block_witness(step *s) {
    if (block_by_one(s, false) || block_by_more(s)) return BLOCK_DONE;
    note_bound(s, s->c->unknowns.len);
    if (block_by_one(s, false)) return BLOCK_DONE;
    if (block_by_one(s, true)) return BLOCK_IN_PART;
    return block_by_more(s) ? BLOCK_DONE : BLOCK_NOTHING;
}

static bool fails_fresh(step *s) {
    refinement *r = s->r;
    for (uint32_t i = 0; i < r->fresh.len; i++) {
        const candidate *x = &r->candidates.data[r->fresh.data[i]];
        if (x->l.only.id && x->l.only.id != s->c->origin.id) continue;
        lemma_instance made = note_uses(s->c, r->a->m, abstract_lemma(r->a, s->c, &x->l));
        bool ok = fails(s, &made, false);
        bits_free(&made.uses);
        if (ok) return true;
    }
    return false;
}

block_outcome block_drafted(refinement *r, eval *ev, const instance *in, abstract_case *c, const draft *d,
                            const value *before, const value *args) {
    step s = {.r = r, .ev = ev, .in = in, .c = c, .d = d, .before = before};
    block_outcome how = BLOCK_NOTHING;
    if (!witness_bind(ev, in, d, c, before, args)) return BLOCK_NO_WITNESS;
    note_bound(&s, own_unknowns(&s));
    if (fails_fresh(&s)) how = BLOCK_ALREADY;
    else if (r->views && views_allow(r->views, c, before, ev, &s.bound)) how = BLOCK_REAL;
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
    r->fresh.len = 0;  // the draft has all that are used
    block_outcome how = block_drafted(r, ev, in, c, &d, before, args);
    eval_free(ev);
    draft_free(&d);
    vec_free(&lemmas);
    return how != BLOCK_NOTHING && how != BLOCK_REAL;
}
