// SPDX-License-Identifier: Apache-2.0
// Enumeration and parking of candidates: see filter.h.
//
// Depth-first over sorted literals; each node holds the rows in which all its literals are false. When none
// are left the clause holds; its extensions hold too and are parked without being evaluated. What begins with
// one literal is independent of what begins with another: threads take one at a time, and parts are joined in order.
#include "infer/filter.h"
#include "infer/narrow.h"

#include "base/clock.h"

#include <string.h>

filter *filter_new(const atom_pool *p) {
    filter *f = mem_zero(1, sizeof *f);
    f->p = p;
    f->by_clause = map_new();
    return f;
}

void filter_free(filter *f) {
    if (!f) return;
    vec_free(&f->all);
    map_free(f->by_clause);
    free(f);
}

static uint32_t filter_find(const filter *f, const clause *c) {
    return map_get(f->by_clause, c, clause_bytes(c), CANDIDATE_FREE);
}

void filter_take(filter *f, const clause *c) {
    if (!map_put(f->by_clause, c, clause_bytes(c), f->all.len)) return;
    vec_push(&f->all, (candidate){*c, CANDIDATE_FREE});
}

// ---- enumeration

// What begins with one literal.
typedef struct {
    VEC(clause) held;
    uint64_t missed;  // canonical clauses that some row violates
    uint64_t evaluations;
} filter_part;

typedef struct {
    const filter *f;
    const rows *r;
    const filter_options *o;
    filter_part *to;
    uint32_t counted;  // literals of c that count
    uint32_t nodes;    // since the clock was read
    bool is_late;
    narrowing left;  // rows in which the literals so far are false
    clause c;
} enumeration;

static void filter_meet(enumeration *e, bool holds) {
    if (!clause_is_canonical(e->f->p, &e->c)) return;
    if (holds) vec_push(&e->to->held, e->c);
    else e->to->missed++;
}

static const shape *shape_at(const enumeration *e, uint32_t column) {
    return &e->r->p->shapes.data[e->r->p->atoms.data[e->r->atoms[column]].shape];
}

static bool filter_is_free(const enumeration *e, uint32_t lit) {
    return e->o->free_equality && shape_at(e, lit / 2)->is_equality;
}

static bool filter_fits(const enumeration *e, uint32_t lit) {
    if (e->o->plain && (shape_at(e, lit / 2)->is_quantified || shape_at(e, lit / 2)->is_on_demand)) return false;
    return e->counted < e->o->literals || filter_is_free(e, lit);
}

// The clock is read once in a while.
static bool is_late(enumeration *e) {
    if (++e->nodes % 1024) return e->is_late;
    e->is_late |= limits_met(&e->o->limits) != LIMIT_NONE;
    return e->is_late;
}

static void filter_extend(enumeration *e, uint32_t from, bool holds);

// The clause with one literal more, and what extends it.
static void filter_try(enumeration *e, uint32_t lit, bool holds) {
    const rows *r = e->r;
    if (!filter_fits(e, lit)) return;
    e->c.lits[e->c.n++] = (uint16_t)(r->atoms[lit / 2] * 2u + lit % 2);
    e->counted += !filter_is_free(e, lit);
    if (!clause_is_trivial(e->f->p, &e->c)) {
        bool now = holds || !narrow_some_false(&e->left, lit);
        bool goes_on = e->counted < e->o->literals || e->o->free_equality;
        e->to->evaluations += holds ? 0 : r->nrows;
        filter_meet(e, now);
        if (goes_on && !now) narrow_take(&e->left, lit);
        if (goes_on) filter_extend(e, (lit | 1) + 1, now);
        if (goes_on && !now) narrow_back(&e->left);
    }
    e->counted -= !filter_is_free(e, lit);
    e->c.n--;
}

static void filter_extend(enumeration *e, uint32_t from, bool holds) {
    for (uint32_t lit = from; lit < e->r->natoms * 2 && e->c.n < CLAUSE_MOST && !is_late(e); lit++)
        filter_try(e, lit, holds);
}

// ---- by first literal

typedef struct {
    enumeration *by_thread;
    filter_part *parts;  // by first literal
} filter_work;

static void filter_begin_with(void *context, uint32_t lit, uint32_t number) {
    filter_work *w = context;
    enumeration *e = &w->by_thread[number];
    if (!e->left.r) narrow_start(&e->left, e->r);
    e->to = &w->parts[lit];
    if (!is_late(e)) filter_try(e, lit, e->r->nrows == 0);
}

// A clause that does not use all variables of the schema belongs to a smaller schema too: it is counted where
// it is first met.
static void filter_join(filter *f, filter_part *part) {
    f->total += part->missed;
    f->evaluations += part->evaluations;
    for (uint32_t i = 0; i < part->held.len; i++) {
        if (filter_find(f, &part->held.data[i]) != CANDIDATE_FREE) continue;
        f->total++;
        filter_take(f, &part->held.data[i]);
    }
    vec_free(&part->held);
}

enum { WORTH_THREADS = 1 << 16 };

// Clauses of two literals, times the words of a set of rows.
static bool is_worth_threads(const rows *r) {
    return (uint64_t)r->natoms * r->natoms * (rows_words(r) + 16) >= WORTH_THREADS;
}

crew *filter_helpers(const filter *f, const rows *r) { return f->divides_all || is_worth_threads(r) ? f->crew : NULL; }

void filter_add(filter *f, const rows *r, const filter_options *o) {
    double start = clock_seconds();
    crew *helpers = filter_helpers(f, r);
    uint32_t n = r->natoms * 2, threads = helpers ? crew_size(helpers) : 1;
    filter_work w = {mem_zero(threads, sizeof *w.by_thread), mem_zero(n, sizeof *w.parts)};
    for (uint32_t i = 0; i < threads; i++) w.by_thread[i] = (enumeration){.f = f, .r = r, .o = o};
    crew_each(helpers, n, filter_begin_with, &w);
    for (uint32_t i = 0; i < n; i++) filter_join(f, &w.parts[i]);
    for (uint32_t i = 0; i < threads; i++) narrow_stop(&w.by_thread[i].left);
    free(w.by_thread);
    free(w.parts);
    f->seconds += clock_seconds() - start;
}

// ---- parking

// A shorter clause among the candidates: i without some of its literals.
static uint32_t shorter(const filter *f, uint32_t i, const bits *stands) {
    clause c = f->all.data[i].c;
    for (uint32_t keep = 1; keep + 1 < UINT32_C(1) << c.n; keep++) {
        clause sub = clause_part(f->p, &c, keep);
        uint32_t found = filter_find(f, &sub);
        if (found != CANDIDATE_FREE && found != i && (!stands || bits_has(stands, found))) return found;
    }
    return CANDIDATE_FREE;
}

// `phase(t) != a` follows from `phase(t) = b`: a clause with the latter in the former's place is stronger.
static uint32_t sharper(const filter *f, uint32_t i, const bits *stands) {
    const atom_pool *p = f->p;
    clause c = f->all.data[i].c;
    for (uint32_t k = 0; k < c.n; k++) {
        const atom *a = &p->atoms.data[c.lits[k] / 2];
        const shape *s = &p->shapes.data[a->shape];
        if (!(c.lits[k] % 2) || s->group == UINT32_MAX) continue;
        for (uint32_t g = 0; g < s->group_size; g++) {
            if (s->group + g == a->shape) continue;
            clause other = c;
            uint32_t instead = atoms_of_shape(p, c.lits[k] / 2, s->group + g);
            if (instead == ATOM_NONE) continue;
            other.lits[k] = (uint16_t)(instead * 2);
            clause_canonical(p, &other);
            uint32_t found = filter_find(f, &other);
            if (found != CANDIDATE_FREE && (!stands || bits_has(stands, found))) return found;
        }
    }
    return CANDIDATE_FREE;
}

uint32_t filter_implied_by(const filter *f, uint32_t i, const bits *stands) {
    uint32_t by = shorter(f, i, stands);
    return by != CANDIDATE_FREE ? by : sharper(f, i, stands);
}

// C(x, y) for all x, y implies C(x, x): the clauses that a candidate gives by identifying two variables.
static void park_instances(filter *f, uint32_t i) {
    const atom_pool *p = f->p;
    uint32_t mask = clause_vars(p, &f->all.data[i].c);
    for (uint32_t v = 0; v < p->vars.len; v++)
        for (uint32_t w = v + 1; w < (v / POOL_PER_SORT + 1) * POOL_PER_SORT; w++) {
            if (!(mask >> v & 1) || !(mask >> w & 1)) continue;
            uint8_t to[POOL_SORTS * POOL_PER_SORT];
            for (uint32_t k = 0; k < sizeof to; k++) to[k] = (uint8_t)(k == w ? v : k);
            clause one;
            if (!clause_rename(p, &f->all.data[i].c, to, &one)) continue;
            clause_canonical(p, &one);
            uint32_t found = filter_find(f, &one);
            if (found != CANDIDATE_FREE && found != i && f->all.data[found].parked_under == CANDIDATE_FREE)
                f->all.data[found].parked_under = i;
        }
}

enum { PARK_BLOCK = 256 };  // candidates

static void park_block(void *context, uint32_t block, uint32_t number) {
    filter *f = context;
    (void)number;
    for (uint32_t i = block * PARK_BLOCK; i < f->all.len && i < (block + 1) * PARK_BLOCK; i++)
        f->all.data[i].parked_under = filter_implied_by(f, i, NULL);
}

void filter_park(filter *f) {
    crew_each(f->crew, (f->all.len + PARK_BLOCK - 1) / PARK_BLOCK, park_block, f);
    for (uint32_t i = 0; i < f->all.len; i++)
        if (f->all.data[i].parked_under == CANDIDATE_FREE) park_instances(f, i);
}

uint32_t filter_count_free(const filter *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->all.len; i++) n += f->all.data[i].parked_under == CANDIDATE_FREE;
    return n;
}
