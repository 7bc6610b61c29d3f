// SPDX-License-Identifier: Apache-2.0
// Blocking clauses as hitting sets: see block.h.
//
// Let r be the state's row under some binding. The literals false in it are one per atom, and such a literal
// is true in another row iff the atom differs there from r. A clause of these literals holds in the sample
// iff every row differs from r in one of its atoms: it is a hitting set of the difference sets. The search
// takes a row not hit yet, among those with the smallest difference to r first, and branches over its atoms;
// an atom tried before is not tried again below its later siblings, so each set is met once. Rows in which
// two of the variables are the same element are left out at first; where they are not hit, the clause gets
// the literal x = y: the distinctness of what is bound is free.
#include "infer/block.h"
#include "infer/narrow.h"

#include <string.h>

enum { LIGHTEST = 64 };

// A way to bind the schema's variables to elements of the state.
typedef struct {
    uint64_t *row;
    uint32_t light[LIGHTEST], nlight;  // rows near to it, nearest first
} place;

typedef struct {
    const rows *r;
    const block_limits *limits;
    VEC(place) places;
    const place *at;
    map *met;                      // rows of places
    uint64_t *row;                 // of the state
    uint64_t *usable;              // atoms that may be used (bits over columns)
    narrowing left;                // rows not hit by the literals chosen
    uint64_t *diagonal;            // rows with an equality
    uint16_t chosen[CLAUSE_MOST];  // columns
    uint32_t nchosen, depth;
    uint64_t nodes;
    map *seen;
    clause_list *out;
} search;

static bool block_holds_at(const search *s, uint32_t column) { return s->row[column / 64] >> (column % 64) & 1; }

// The literal of a column that is false in the state.
static uint32_t false_literal(const search *s, uint32_t column) { return column * 2 + block_holds_at(s, column); }

static bool is_equality(const rows *r, uint32_t column) {
    return r->p->shapes.data[r->p->atoms.data[r->atoms[column]].shape].is_equality;
}

// ---- leaves

// Rows with equal variables that the clause does not hit: the equalities that hit them, taken greedily.
static bool add_equalities(search *s, clause *c) {
    const rows *r = s->r;
    uint64_t *rest = mem_alloc((rows_words(r) + 4) * 8);
    bool some = false;
    memcpy(rest, s->diagonal, rows_words(r) * 8);
    for (uint32_t i = 0; i < s->nchosen; i++) some = rows_where_false(r, false_literal(s, s->chosen[i]), rest, rest);
    uint32_t vars = clause_vars(r->p, c);
    for (uint32_t a = 0; a < r->natoms && some && c->n < CLAUSE_MOST; a++) {
        if (!is_equality(r, a) || (r->p->atoms.data[r->atoms[a]].vars & ~vars)) continue;
        uint64_t *before = mem_alloc((rows_words(r) + 4) * 8);
        memcpy(before, rest, rows_words(r) * 8);
        some = rows_where_false(r, a * 2, rest, rest);
        if (memcmp(before, rest, rows_words(r) * 8) != 0) c->lits[c->n++] = (uint16_t)(r->atoms[a] * 2);
        free(before);
    }
    free(rest);
    return !some;
}

// Could the literal be left out: do the others hit all rows?
static bool is_spare(const search *s, uint32_t skip) {
    for (uint32_t w = 0; w < s->left.words; w++) {
        uint64_t rest = s->left.left[0][w];
        for (uint32_t i = 0; i < s->nchosen && rest; i++) {
            if (i == skip) continue;
            uint64_t column = rows_column(s->r, s->chosen[i])[w];
            rest &= block_holds_at(s, s->chosen[i]) ? column : ~column;
        }
        if (rest) return false;
    }
    return true;
}

static bool is_minimal(const search *s) {
    for (uint32_t skip = 0; skip < s->nchosen && s->nchosen > 1; skip++)
        if (is_spare(s, skip)) return false;
    return true;
}

static void block_found(search *s) {
    clause c = s->r->fixed;
    for (uint32_t i = 0; i < s->nchosen; i++) {
        uint32_t lit = false_literal(s, s->chosen[i]);
        c.lits[c.n++] = (uint16_t)(s->r->atoms[lit / 2] * 2u + lit % 2);
    }
    if (!s->r->nholes && clause_vars(s->r->p, &c) != s->r->mask) return;
    clause_sort(&c);
    if (!is_minimal(s) || !add_equalities(s, &c)) return;
    clause_canonical(s->r->p, &c);
    if (map_put(s->seen, &c, clause_bytes(&c), 1)) vec_push(s->out, c);
}

// ---- a user's schema

// The literal over columns.
static uint32_t column_literal(const rows *r, uint32_t lit) { return r->column_of[lit / 2] * 2u + lit % 2; }

static bool fixed_are_false(const search *s) {
    for (uint32_t i = 0; i < s->r->fixed.n; i++) {
        uint32_t lit = column_literal(s->r, s->r->fixed.lits[i]);
        if (false_literal(s, lit / 2) != lit) return false;
    }
    return true;
}

// Only rows in which the fixed literals are false are left to be hit.
static void take_fixed(search *s) {
    for (uint32_t i = 0; i < s->r->fixed.n; i++) {
        uint32_t lit = column_literal(s->r, s->r->fixed.lits[i]);
        rows_where_false(s->r, lit, s->left.left[0], s->left.left[0]);
        rows_where_false(s->r, lit, s->diagonal, s->diagonal);
        s->usable[lit / 128] &= ~(UINT64_C(1) << (lit / 2 % 64));
    }
}

// ---- rows

static bool is_hit(const search *s, uint32_t number) {
    const uint64_t *row = tuples_get(s->r->rows, number);
    for (uint32_t i = 0; i < s->nchosen; i++) {
        uint32_t c = s->chosen[i];
        if ((row[c / 64] ^ s->row[c / 64]) >> (c % 64) & 1) return true;
    }
    return false;
}

// A row not hit, or UINT32_MAX.
static uint32_t choose_row(search *s) {
    for (uint32_t i = 0; i < s->at->nlight; i++)
        if (!is_hit(s, s->at->light[i])) return s->at->light[i];
    return narrow_first(&s->left);
}

static bool is_full(const search *s) {
    return s->nodes >= s->limits->most_nodes || s->out->len >= s->limits->most_clauses;
}

static void descend(search *s);

static void block_choose(search *s, uint32_t column) {
    uint32_t lit = false_literal(s, column);
    bool is_last = s->nchosen + 1 == s->depth, is_found = is_last && !narrow_some_false(&s->left, lit);
    s->chosen[s->nchosen++] = (uint16_t)column;
    s->nodes++;
    if (is_found) block_found(s);
    if (!is_last) {
        narrow_take(&s->left, lit);
        descend(s);
        narrow_back(&s->left);
    }
    s->nchosen--;
}

static void descend(search *s) {
    const rows *r = s->r;
    uint32_t row = choose_row(s);
    if (row == UINT32_MAX) return;
    uint64_t *tried = mem_zero(r->row_words, 8);
    for (uint32_t w = 0; w < r->row_words; w++)
        for (uint64_t diff;
             (diff = (tuples_get(r->rows, row)[w] ^ s->row[w]) & s->usable[w] & ~tried[w]) && !is_full(s);) {
            uint32_t bit = (uint32_t)__builtin_ctzll(diff);
            block_choose(s, w * 64 + bit);
            tried[w] |= UINT64_C(1) << bit;
            s->usable[w] &= ~(UINT64_C(1) << bit);
        }
    for (uint32_t w = 0; w < r->row_words; w++) s->usable[w] |= tried[w];
    free(tried);
}

// ---- one binding

static uint32_t block_distance(const search *s, uint32_t number) {
    const uint64_t *row = tuples_get(s->r->rows, number);
    uint32_t n = 0;
    for (uint32_t w = 0; w < s->r->row_words; w++)
        n += (uint32_t)__builtin_popcountll((row[w] ^ s->row[w]) & s->usable[w]);
    return n;
}

// The rows nearest to the state's; false if one does not differ at all: then no clause tells them apart.
static bool find_light(const search *s, place *p) {
    uint32_t weight[LIGHTEST];
    p->nlight = 0;
    for (uint32_t i = 0; i < s->r->nrows; i++) {
        if (!(s->left.left[0][i / 64] >> (i % 64) & 1)) continue;
        uint32_t d = block_distance(s, i);
        if (!d) return false;
        if (p->nlight == LIGHTEST && weight[LIGHTEST - 1] <= d) continue;
        uint32_t k = p->nlight < LIGHTEST ? p->nlight++ : LIGHTEST - 1;
        for (; k > 0 && weight[k - 1] > d; k--) {
            weight[k] = weight[k - 1];
            p->light[k] = p->light[k - 1];
        }
        weight[k] = d;
        p->light[k] = i;
    }
    return p->nlight > 0 || s->r->fixed.n;
}

static void start_rows(search *s) {
    const rows *r = s->r;
    for (uint32_t a = 0; a < r->natoms; a++) {
        if (is_equality(r, a)) rows_where_false(r, a * 2, s->left.left[0], s->left.left[0]);
        else s->usable[a / 64] |= UINT64_C(1) << (a % 64);
    }
    rows_all(r, s->diagonal);
    for (uint32_t i = 0; i < rows_words(r); i++) s->diagonal[i] &= ~s->left.left[0][i];
    take_fixed(s);
}

// One more place of the state, unless its row is among the samples' or was met before.
static void block_add_place(search *s, valuation *v, const value *to) {
    const rows *r = s->r;
    rows_of_state(r, v, to, s->row);
    if (!fixed_are_false(s) || rows_has(r, s->row) || !map_put(s->met, s->row, r->row_words * 8, 1)) return;
    place p;
    if (!find_light(s, &p)) return;
    p.row = mem_alloc(r->row_words * 8);
    memcpy(p.row, s->row, r->row_words * 8);
    vec_push(&s->places, p);
}

static bool block_is_taken(const rows *r, const value *to, uint32_t i, value e) {
    for (uint32_t k = 0; k < i; k++)
        if (r->vars[k] / POOL_PER_SORT == r->vars[i] / POOL_PER_SORT && to[r->vars[k]] == e) return true;
    return false;
}

// Calls block_add_place() for each choice of different elements; renaming variables of a sort gives the same
// clauses, so they take them in order, unless literals are fixed.
static void each_binding(search *s, valuation *v, value *to, uint32_t i) {
    const rows *r = s->r;
    if (i == r->nvars) {
        block_add_place(s, v, to);
        return;
    }
    uint32_t sort = r->vars[i] / POOL_PER_SORT;
    bool is_next = i && r->vars[i - 1] / POOL_PER_SORT == sort;
    uint32_t from = is_next && !r->fixed.n ? (uint32_t)to[r->vars[i - 1]] + 1 : 0;
    for (uint32_t e = from; e < instance_type_size(v->s->in, r->p->sorts.data[sort]); e++) {
        if (block_is_taken(r, to, i, (value)e)) continue;
        to[r->vars[i]] = (value)e;
        each_binding(s, v, to, i + 1);
    }
}

// ---- one schema

static uint32_t most_literals(const rows *r, const block_limits *l) { return r->nholes ? r->nholes : l->most_literals; }

static void block_begin(search *s, const rows *r, valuation *v) {
    uint32_t nwords = rows_words(r) + 4;
    value to[POOL_SORTS * POOL_PER_SORT] = {0};
    s->r = r;
    s->met = map_new();
    s->row = mem_zero(r->row_words, 8);
    s->usable = mem_zero(r->row_words, 8);
    s->diagonal = mem_zero(nwords, 8);
    narrow_start(&s->left, r);
    start_rows(s);
    each_binding(s, v, to, 0);
}

static void block_end(search *s) {
    for (uint32_t i = 0; i < s->places.len; i++) free(s->places.data[i].row);
    vec_free(&s->places);
    narrow_stop(&s->left);
    map_free(s->met);
    free(s->diagonal);
    free(s->usable);
    free(s->row);
}

static void search_places(search *s, uint32_t depth) {
    s->depth = depth;
    for (uint32_t i = 0; i < s->places.len && s->out->len < s->limits->most_clauses; i++) {
        s->at = &s->places.data[i];
        memcpy(s->row, s->at->row, s->r->row_words * 8);
        s->nchosen = 0;
        s->nodes = 0;
        if (s->at->nlight) descend(s);
        else block_found(s);
    }
}

void block_state(rows *const *schemas, uint32_t nschemas, const instance *in, const value *state,
                 const block_limits *allowed, clause_list *out) {
    map *seen = map_new();
    search *searches = mem_zero(nschemas + 1, sizeof *searches);
    valuation *v = nschemas ? valuation_of_state(schemas[0]->p, in, state) : NULL;
    for (uint32_t depth = 1; depth <= CLAUSE_MOST && !out->len; depth++)
        for (uint32_t i = 0; i < nschemas && !out->len; i++) {
            search *s = &searches[i];
            if (depth > most_literals(schemas[i], allowed)) continue;
            if (!s->r) {
                *s = (search){.limits = allowed, .seen = seen, .out = out};
                block_begin(s, schemas[i], v);
            }
            search_places(s, depth);
        }
    for (uint32_t i = 0; i < nschemas; i++)
        if (searches[i].r) block_end(&searches[i]);
    free(searches);
    valuation_free(v);
    map_free(seen);
}
