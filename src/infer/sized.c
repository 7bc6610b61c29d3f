// SPDX-License-Identifier: Apache-2.0
// Candidates at fixed sizes: see sized.h.
//
// A candidate has a selector, which implies its clause at all elements before the step, and a breaker, which implies
// that all its literals are false after it, at some elements. Elements of a sort without a fixed size can be renamed in
// every state (logic/bounded.h), so one choice of elements is enough for each way in which variables are the same: a
// variable is an element that one before it is, or the next.
#include "infer/sized.h"

#include "base/map.h"
#include "logic/bounded.h"
#include "model/expr.h"

#include <string.h>

typedef struct {
    int selector;
    int breaker[2];  // of steps, of initial states
} sized_item;

struct sized {
    const atom_pool *p;
    const instance *in;
    bounded *b;
    map *literals;  // of an atom at elements: number in `known`
    lit_list known;
    VEC(sized_item) items;
    bits standing;
    lit_list question;
};

sized *sized_new(const atom_pool *p, const instance *in, const limits *stop) {
    bounded *b = bounded_new(in, stop);
    if (!b) return NULL;
    sized *s = mem_zero(1, sizeof *s);
    s->p = p;
    s->in = in;
    s->b = b;
    s->literals = map_new();
    return s;
}

void sized_free(sized *s) {
    if (!s) return;
    bounded_free(s->b);
    map_free(s->literals);
    vec_free(&s->known);
    vec_free(&s->items);
    vec_free(&s->question);
    bits_free(&s->standing);
    free(s);
}

const bits *sized_standing(const sized *s) { return &s->standing; }

// ---- literals

typedef struct {
    uint32_t lit, when;
    value at[SHAPE_MOST_ARGS];
} sized_place;

// A literal of a clause when pool variable v is element to[v].
static int sized_literal(sized *s, bounded_when when, uint32_t lit, const value *to) {
    const atom *a = &s->p->atoms.data[lit / 2];
    uint32_t n = s->p->shapes.data[a->shape].nformals;
    sized_place place;
    var vars[SHAPE_MOST_ARGS];
    value at[SHAPE_MOST_ARGS];
    memset(&place, 0, sizeof place);
    place.lit = lit;
    place.when = when;
    for (uint32_t i = 0; i < n; i++) {
        vars[i] = s->p->vars.data[a->args[i]];
        place.at[i] = at[i] = to[a->args[i]];
    }
    uint32_t known = map_get(s->literals, &place, sizeof place, UINT32_MAX);
    if (known != UINT32_MAX) return s->known.data[known];
    int found = bounded_literal(s->b, when, a->e, lit % 2, vars, at, n);
    map_put(s->literals, &place, sizeof place, s->known.len);
    vec_push(&s->known, found);
    return found;
}

// ---- candidates

static void sized_select(sized *s, int selector, const clause *c, const value *to) {
    int lits[CLAUSE_MOST + 1];
    for (uint32_t i = 0; i < c->n; i++) lits[i] = sized_literal(s, BOUNDED_BEFORE, c->lits[i], to);
    lits[c->n] = -selector;
    bounded_clause(s->b, BOUNDED_BEFORE, lits, c->n + 1u);
}

// Every way to choose elements for the variables of the clause from v on.
static void sized_select_all(sized *s, int selector, const clause *c, uint32_t vars, uint32_t v, value *to) {
    while (v < s->p->vars.len && !(vars >> v & 1)) v++;
    if (v >= s->p->vars.len) {
        sized_select(s, selector, c, to);
        return;
    }
    uint32_t size = instance_type_size(s->in, s->p->sorts.data[v / POOL_PER_SORT]);
    for (uint32_t i = 0; i < size; i++) {
        to[v] = (value)i;
        sized_select_all(s, selector, c, vars, v + 1, to);
    }
}

// How a clause can be false: for each choice of elements a literal that implies it.
typedef struct {
    sized *s;
    bounded_when when;
    const clause *c;
    uint32_t vars;
    value to[POOL_SORTS * POOL_PER_SORT];
    lit_list places;
} sized_breaking;

static void sized_add_place(sized_breaking *b) {
    int denied[CLAUSE_MOST];
    for (uint32_t i = 0; i < b->c->n; i++) {
        denied[i] = sized_literal(b->s, b->when, b->c->lits[i] ^ 1u, b->to);
        if (denied[i] == SAT_FALSE) return;
    }
    int place = bounded_var(b->s->b, b->when);
    for (uint32_t i = 0; i < b->c->n; i++) bounded_clause(b->s->b, b->when, (int[]){-place, denied[i]}, 2);
    vec_push(&b->places, place);
}

// The elements that variable v may be.
static uint32_t sized_elements(const sized_breaking *b, uint32_t v) {
    type t = b->s->p->sorts.data[v / POOL_PER_SORT];
    uint32_t size = instance_type_size(b->s->in, t), next = 0;
    if (!type_is_unbounded(b->s->in->m, t)) return size;
    for (uint32_t u = v / POOL_PER_SORT * POOL_PER_SORT; u < v; u++)
        if (b->vars >> u & 1 && (uint32_t)b->to[u] >= next) next = (uint32_t)b->to[u] + 1;
    return next < size ? next + 1 : size;
}

static void sized_each_place(sized_breaking *b, uint32_t v) {
    while (v < b->s->p->vars.len && !(b->vars >> v & 1)) v++;
    if (v >= b->s->p->vars.len) {
        sized_add_place(b);
        return;
    }
    for (uint32_t i = 0; i < sized_elements(b, v); i++) {
        b->to[v] = (value)i;
        sized_each_place(b, v + 1);
    }
}

static int sized_break_clause(sized *s, bounded_when when, const clause *c) {
    sized_breaking b = {.s = s, .when = when, .c = c, .vars = clause_vars(s->p, c)};
    sized_each_place(&b, 0);
    int breaker = b.places.len == 1 ? b.places.data[0] : bounded_var(s->b, when);
    vec_push(&b.places, -breaker);
    if (b.places.len != 2) bounded_clause(s->b, when, b.places.data, b.places.len);
    vec_free(&b.places);
    return breaker;
}

static uint32_t sized_stand(sized *s, sized_item item) {
    bits_add(&s->standing, s->items.len);
    vec_push(&s->items, item);
    return s->items.len - 1;
}

uint32_t sized_add_clause(sized *s, const clause *c) {
    value to[POOL_SORTS * POOL_PER_SORT] = {0};
    sized_item item = {.selector = bounded_var(s->b, BOUNDED_BEFORE)};
    sized_select_all(s, item.selector, c, clause_vars(s->p, c), 0, to);
    item.breaker[0] = sized_break_clause(s, BOUNDED_AFTER, c);
    item.breaker[1] = sized_break_clause(s, BOUNDED_START, c);
    return sized_stand(s, item);
}

static int sized_formula(sized *s, bounded_when when, expr e, bool negated) {
    int name = bounded_var(s->b, when);
    int lits[] = {-name, bounded_literal(s->b, when, e, negated, NULL, NULL, 0)};
    bounded_clause(s->b, when, lits, 2);
    return name;
}

uint32_t sized_add_formula(sized *s, expr e) {
    sized_item item = {.selector = sized_formula(s, BOUNDED_BEFORE, e, false)};
    item.breaker[0] = sized_formula(s, BOUNDED_AFTER, e, true);
    item.breaker[1] = sized_formula(s, BOUNDED_START, e, true);
    return sized_stand(s, item);
}

void sized_remove(sized *s, uint32_t number) {
    const sized_item *item = &s->items.data[number];
    bits_remove(&s->standing, number);
    bounded_clause(s->b, BOUNDED_AFTER, (int[]){-item->selector}, 1);
    bounded_clause(s->b, BOUNDED_AFTER, (int[]){-item->breaker[0]}, 1);
    bounded_clause(s->b, BOUNDED_START, (int[]){-item->breaker[1]}, 1);
}

// ---- questions

// The question is not asked again: candidates change.
sat_answer sized_breaks_initially(sized *s, value *after) {
    int some = bounded_var(s->b, BOUNDED_START);
    vec_clear(&s->question);
    vec_push(&s->question, -some);
    BITS_EACH(i, &s->standing) vec_push(&s->question, s->items.data[i].breaker[1]);
    bounded_clause(s->b, BOUNDED_START, s->question.data, s->question.len);
    sat_answer found = bounded_solve(s->b, BOUNDED_START, &some, 1);
    if (found == SAT_YES) bounded_state(s->b, BOUNDED_START, after);
    bounded_clause(s->b, BOUNDED_START, (int[]){-some}, 1);
    return found;
}

// Does it follow from some of those assumed? Which?
static sat_answer sized_core_of(sized *s, int what, const bits *assumed, bits *used) {
    vec_clear(&s->question);
    vec_push(&s->question, what);
    BITS_EACH(i, &s->standing)
        if (bits_has(assumed, i)) vec_push(&s->question, s->items.data[i].selector);
    sat_answer found = bounded_solve(s->b, BOUNDED_AFTER, s->question.data, s->question.len);
    if (found != SAT_NO) return found;
    BITS_EACH(i, &s->standing)
        if (bits_has(assumed, i) && bounded_needs(s->b, BOUNDED_AFTER, s->items.data[i].selector)) bits_add(used, i);
    return found;
}

// What suffices among the first is looked for there: hundreds of assumptions cost more than the question.
static sat_answer sized_core(sized *s, int what, const bits *first, bits *used) {
    sat_answer found = bits_is_empty(first) ? SAT_YES : sized_core_of(s, what, first, used);
    return found == SAT_YES ? sized_core_of(s, what, &s->standing, used) : found;
}

sat_answer sized_implies_not(sized *s, expr e, const bits *first, bits *used) {
    return sized_core(s, sized_formula(s, BOUNDED_BEFORE, e, true), first, used);
}

sat_answer sized_rests_on(sized *s, uint32_t number, const bits *first, bits *used, value *before, value *after) {
    sat_answer found = sized_core(s, s->items.data[number].breaker[0], first, used);
    if (found != SAT_YES) return found;
    bounded_state(s->b, BOUNDED_BEFORE, before);
    bounded_state(s->b, BOUNDED_AFTER, after);
    return found;
}
