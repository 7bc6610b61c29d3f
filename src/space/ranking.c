// SPDX-License-Identifier: Apache-2.0
// Canonical representatives by sorting rows: the quick way, for models in which no cell has two elements as
// arguments.
//
// The *row* of an element is what the state says about it alone: the cells with it as an argument and a value
// that is not an element, and which cells without an element as an argument have it as their value. Sorts are
// ordered one after the other, by keys made of rows; elements of a sort that is ordered have their names for
// good, so for the sorts after it they are values like any other. Small sorts come first: mostly a few cells
// tell their elements apart.
//
// Elements with equal keys may be twins, then their order does not matter. Else *links* count too, cells by
// which an element of the sort names one without a name: the keys of both are refined by each other's, as
// long as that tells more of them apart. If ties remain, canonical.c has to search. All this depends only on the
// orbit of the state.
//
// A key is a sum of fields and marks, each times a factor of its own: powers of two if a row fits into a
// word, so that equal keys are equal rows; else random numbers, and a collision merely makes a tie.
#include "space/symmetry_int.h"

#include "base/map.h"

#include <string.h>

enum { ROW_BITS = 64, LINK_BITS = 6 };

typedef struct {
    uint32_t word, shift;
} spot;

// A field that every element of the sort has.
typedef struct {
    uint64_t hash;  // what it means
    uint32_t bits, nspots;
    uint64_t mask, factor;
    uint64_t all;                    // its bits of the word, if it has them all in one word,
    uint32_t stride;                 // this far from element to element; 0: it has not
    spot at[INSTANCE_LARGEST_SORT];  // by element
} column;

// A cell whose value may be an element of the sort: bits from `start` on.
typedef struct {
    uint32_t word, shift, start;
    uint64_t mask, factor;
} mark;

// A cell of an element of the sort whose value may be an element without a name. By value: what it says, and
// of which other element of the sort (or of none: a number from symmetry.nelements on).
typedef struct {
    uint32_t word, shift, element;
    uint64_t mask, hash[1 << LINK_BITS];
    uint16_t to[1 << LINK_BITS];
} link_cell;

// Where a field of an element is, in the state and in an exact key.
typedef struct {
    uint32_t word, shift, element, from;
    uint64_t mask;
} row_field;

typedef struct {
    const sorted *s;
    bool is_exact;  // equal keys mean twins
    VEC(column) columns;
    VEC(mark) marks;  // of cells whose arguments, if any, have names
    VEC(link_cell) links;
    VEC(mark) vague;        // marks of cells of later sorts: of which element of those does not count
    VEC(row_field) fields;  // of an exact sort: those of its columns without a stride, by word
} row_sort;

struct ranking {
    VEC(row_sort) sorts;  // in the order in which they are ordered
};

// ---- making: which cells say what

typedef struct {
    const symmetry *y;
    const sorted *s;  // the sort that is looked at
    bool *has_name;   // by sort: ordered before it
    row_sort *out;
    map *columns;     // hash to number of the column
    bool has_others;  // cells with elements of this sort whose other elements have no names
    bool has_failed;
} maker;

static uint32_t sort_of(const symmetry *y, uint32_t element) {
    uint32_t k = 0;
    while (element >= y->sorts.data[k].first + y->sorts.data[k].size) k++;
    return k;
}

static bool is_in(const sorted *s, uint32_t element) { return element >= s->first && element < s->first + s->size; }

static const value_range *ranges_of(const maker *m, const wide_cell *c) { return &m->y->ranges.data[c->ranges]; }

// No value of the cell is an element without a name.
static bool has_plain_values(const maker *m, const wide_cell *c) {
    for (uint32_t i = 0; i < c->nranges; i++)
        if (!m->has_name[sort_of(m->y, ranges_of(m, c)[i].first)]) return false;
    return true;
}

static bool has_named_argument(const maker *m, const wide_cell *c) {
    return !c->nargs || m->has_name[sort_of(m->y, c->e[0])];
}

static void add_column(maker *m, const wide_cell *c) {
    uint32_t i = map_intern(m->columns, &c->hash, sizeof c->hash, m->out->columns.len);
    if (i == m->out->columns.len) vec_push(&m->out->columns, (column){.hash = c->hash, .bits = c->place.bits});
    column *x = &m->out->columns.data[i];
    x->at[c->e[0] - m->s->first] = (spot){c->place.word, c->place.shift};
    x->nspots++;
}

static void set_link(const maker *m, const wide_cell *c, uint64_t bits, link_cell *out) {
    uint32_t element = symmetry_element(m->y, c, bits);
    uint32_t k = element == UINT32_MAX ? NO_SORT : sort_of(m->y, element);
    bool is_plain = k == NO_SORT || m->has_name[k], is_own = !is_plain && is_in(m->s, element);
    out->hash[bits] = symmetry_mix(c->hash ^ (is_plain ? bits : UINT64_C(1) << 32 | k));
    out->to[bits] = (uint16_t)(is_own ? element : m->y->nelements);
}

// A wide cell says nothing here: what it would tell apart is left to the search.
static void add_link(maker *m, const wide_cell *c) {
    if (c->place.bits > LINK_BITS) return;
    link_cell x = {
        .word = c->place.word, .shift = c->place.shift, .element = c->e[0], .mask = layout_mask(c->place.bits)};
    for (uint64_t bits = 0; bits <= x.mask; bits++) set_link(m, c, bits, &x);
    vec_push(&m->out->links, x);
}

static void add_marks(maker *m, const wide_cell *c) {
    for (uint32_t i = 0; i < c->nranges; i++) {
        const value_range *r = &ranges_of(m, c)[i];
        if (r->first != m->s->first) continue;
        mark x = {c->place.word, c->place.shift, r->start, layout_mask(c->place.bits), 0};
        bool is_named = has_named_argument(m, c);
        x.factor = symmetry_mix(c->hash + r->start + (is_named && c->nargs ? c->e[0] + 1u : 0));
        if (is_named) vec_push(&m->out->marks, x);
        else if (!is_in(m->s, c->e[0])) vec_push(&m->out->vague, x);
    }
}

static bool has_value_in(const maker *m, const wide_cell *c) {
    for (uint32_t i = 0; i < c->nranges; i++)
        if (ranges_of(m, c)[i].first == m->s->first) return true;
    return false;
}

static void ranking_add_cells(maker *m) {
    for (uint32_t i = 0; i < m->y->cells.len; i++) {
        const wide_cell *c = &m->y->cells.data[i];
        bool is_own = c->nargs && is_in(m->s, c->e[0]), is_plain = has_plain_values(m, c);
        m->has_others |= (is_own && !is_plain) || (has_value_in(m, c) && !has_named_argument(m, c));
        add_marks(m, c);
        if (is_own && is_plain) add_column(m, c);
        else if (is_own) add_link(m, c);
    }
}

// ---- making: keys

static int by_spot(const void *x, const void *y) {
    const spot *a = ((const column *)x)->at, *b = ((const column *)y)->at;
    if (a->word != b->word) return a->word < b->word ? -1 : 1;
    return a->shift < b->shift ? -1 : a->shift > b->shift;
}

// Does b come right behind a, for every element?
static bool are_side_by_side(const column *a, const column *b, uint32_t size) {
    for (uint32_t e = 0; e < size; e++)
        if (a->at[e].word != b->at[e].word || a->at[e].shift + a->bits != b->at[e].shift) return false;
    return true;
}

// Columns are told by hashes; two with the same one would be taken for one.
static void check_columns(maker *m) {
    for (uint32_t i = 0; i < m->out->columns.len; i++) m->has_failed |= m->out->columns.data[i].nspots != m->s->size;
}

static void join_columns(row_sort *r) {
    uint32_t n = 0;
    if (r->columns.len) qsort(r->columns.data, r->columns.len, sizeof *r->columns.data, by_spot);
    for (uint32_t i = 0; i < r->columns.len; i++) {
        column *last = n ? &r->columns.data[n - 1] : NULL, *x = &r->columns.data[i];
        if (last && are_side_by_side(last, x, r->s->size)) last->bits += x->bits;
        else r->columns.data[n++] = *x;
    }
    r->columns.len = n;
}

// Gives every column and mark bits of its own in the key; false if there are not enough.
static bool set_exact_factors(row_sort *r) {
    uint64_t used = r->marks.len;
    for (uint32_t i = 0; i < r->columns.len; i++) used += r->columns.data[i].bits;
    if (used > ROW_BITS) return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->columns.len; at += r->columns.data[i++].bits)
        r->columns.data[i].factor = UINT64_C(1) << at;
    for (uint32_t i = 0; i < r->marks.len; i++) r->marks.data[i].factor = UINT64_C(1) << at++;
    return true;
}

static void set_stride(column *x, uint32_t size) {
    uint32_t stride = x->at[1].shift - x->at[0].shift;  // huge if it goes down
    if (size < 2 || stride >= 64) return;
    for (uint32_t e = 0; e < size; e++) {
        if (x->at[e].word != x->at[0].word || x->at[e].shift != x->at[0].shift + e * stride) return;
        x->all |= x->mask << x->at[e].shift;
    }
    x->stride = stride;
}

static int by_word(const void *x, const void *y) {
    const row_field *a = x, *b = y;
    return (a->word > b->word) - (a->word < b->word);
}

static void set_fields(row_sort *r) {
    for (uint32_t i = 0; i < r->columns.len; i++) {
        const column *x = &r->columns.data[i];
        uint32_t from = (uint32_t)__builtin_ctzll(x->factor);
        for (uint32_t e = 0; e < r->s->size && !x->stride; e++)
            vec_push(&r->fields, (row_field){x->at[e].word, x->at[e].shift, e, from, x->mask});
    }
    if (r->fields.len) qsort(r->fields.data, r->fields.len, sizeof *r->fields.data, by_word);
}

static void set_factors(row_sort *r, bool has_others) {
    for (uint32_t i = 0; i < r->columns.len; i++) {
        column *x = &r->columns.data[i];
        x->mask = layout_mask(x->bits);
        x->factor = symmetry_mix(x->hash) | 1;
        set_stride(x, r->s->size);
    }
    r->is_exact = set_exact_factors(r) && !has_others;
    if (r->is_exact) set_fields(r);
}

// ---- making: the order of sorts

static uint32_t smallest_without_name(const maker *m) {
    uint32_t best = NO_SORT;
    for (uint32_t k = 0; k < m->y->sorts.len; k++)
        if (!m->has_name[k] && (best == NO_SORT || m->y->sorts.data[k].size < m->y->sorts.data[best].size)) best = k;
    return best;
}

static void ranking_add_sorts(maker *m, ranking *out) {
    for (uint32_t k; (k = smallest_without_name(m)) != NO_SORT; m->has_name[k] = true) {
        m->s = &m->y->sorts.data[k];
        vec_push(&out->sorts, (row_sort){.s = m->s});
        m->out = &vec_last(&out->sorts);
        m->has_others = false;
        m->columns = map_new();
        ranking_add_cells(m);
        map_free(m->columns);
        check_columns(m);
        join_columns(m->out);
        set_factors(m->out, m->has_others);
    }
}

static bool is_fit(const symmetry *y) {
    if (y->bags) return false;
    for (uint32_t i = 0; i < y->cells.len; i++)
        if (y->cells.data[i].nargs > 1) return false;
    return true;
}

ranking *ranking_new(const symmetry *y) {
    if (!is_fit(y)) return NULL;
    ranking *r = mem_zero(1, sizeof *r);
    maker m = {.y = y, .has_name = mem_zero(y->sorts.len, sizeof(bool))};
    ranking_add_sorts(&m, r);
    free(m.has_name);
    if (!m.has_failed) return r;
    ranking_free(r);
    return NULL;
}

void ranking_free(ranking *r) {
    if (!r) return;
    for (uint32_t i = 0; i < r->sorts.len; i++) {
        vec_free(&r->sorts.data[i].columns);
        vec_free(&r->sorts.data[i].marks);
        vec_free(&r->sorts.data[i].links);
        vec_free(&r->sorts.data[i].vague);
        vec_free(&r->sorts.data[i].fields);
    }
    vec_free(&r->sorts);
    free(r);
}

// ---- running

// Elements from `nelements` on are none: their keys are not read. Nothing branches on whether it is one.
static void ranking_add_mark(const symmetry *y, const sorted *s, const mark *x, const uint64_t *state, uint64_t *key) {
    uint64_t i = (state[x->word] >> x->shift & x->mask) - x->start, is_in = -(uint64_t)(i < s->size);
    key[((s->first + i) & is_in) | (y->nelements & ~is_in)] += x->factor;
}

static void add_even_column(const column *x, uint64_t word, uint32_t size, uint64_t *own) {
    uint64_t mask = x->mask, times = x->factor;
    uint32_t stride = x->stride;
    word >>= x->at[0].shift;
    for (uint32_t e = 0; e < size; e++, word >>= stride) own[e] += (word & mask) * times;
}

static void first_keys(const symmetry *y, const row_sort *r, const uint64_t *state, uint64_t *key) {
    uint64_t *own = key + r->s->first;
    memset(own, 0, r->s->size * sizeof *own);
    for (uint32_t i = 0; i < r->columns.len; i++) {
        const column *x = &r->columns.data[i];
        if (x->stride) add_even_column(x, state[x->at[0].word], r->s->size, own);
        for (uint32_t e = 0; e < r->s->size && !x->stride; e++)
            own[e] += (state[x->at[e].word] >> x->at[e].shift & x->mask) * x->factor;
    }
    for (uint32_t i = 0; i < r->marks.len; i++) ranking_add_mark(y, r->s, &r->marks.data[i], state, key);
}

// Elements from `nelements` on have the key 0, and what is added to it is not read.
static void refine_keys(const symmetry *y, const row_sort *r, const uint64_t *state, uint64_t *key, uint64_t *sum) {
    memset(sum, 0, (y->nelements + 1) * sizeof *sum);
    key[y->nelements] = 0;
    for (uint32_t i = 0; i < r->links.len; i++) {
        const link_cell *x = &r->links.data[i];
        uint64_t bits = state[x->word] >> x->shift & x->mask, hash = x->hash[bits];
        sum[x->element] += symmetry_mix(hash ^ key[x->to[bits]]);
        sum[x->to[bits]] += symmetry_mix(hash - key[x->element]);
    }
    for (uint32_t i = 0; i < r->vague.len; i++) ranking_add_mark(y, r->s, &r->vague.data[i], state, sum);
    for (uint32_t e = r->s->first; e < r->s->first + r->s->size; e++) key[e] = symmetry_mix(key[e] + sum[e]);
}

// Nothing has to be renamed where keys ascend. A step changes few rows of a state that was canonical: that is often so.
static bool is_in_order(const row_sort *r, const uint64_t *key) {
    const uint64_t *own = key + r->s->first;
    bool is_wrong = false, may_tie = r->is_exact;
    for (uint32_t e = 1; e < r->s->size; e++) {
        bool is_less = own[e] < own[e - 1], is_tie = own[e] == own[e - 1];
        is_wrong |= is_less | (is_tie & !may_tie);  // no branch depends on keys, which are as good as random
    }
    return !is_wrong;
}

// ---- running: exact keys

// Nearly in order, mostly.
static void sort_keys(uint64_t *key, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        uint64_t x = key[i];
        uint32_t k = i;
        for (; k && key[k - 1] > x; k--) key[k] = key[k - 1];
        key[k] = x;
    }
}

static void write_even_column(const column *x, const uint64_t *key, uint32_t size, uint64_t *word) {
    uint64_t mask = x->mask, rows = 0;
    uint32_t from = (uint32_t)__builtin_ctzll(x->factor), stride = x->stride;
    for (uint32_t e = size; e-- > 0;) rows = rows << stride | (key[e] >> from & mask);
    *word = (*word & ~x->all) | rows << x->at[0].shift;
}

static void write_even_columns(const row_sort *r, const uint64_t *key, uint64_t *state) {
    for (uint32_t i = 0; i < r->columns.len; i++) {
        const column *x = &r->columns.data[i];
        if (x->stride) write_even_column(x, key, r->s->size, &state[x->at[0].word]);
    }
}

// A word is read and written once, whatever it has of fields.
static void write_fields(const row_sort *r, const uint64_t *key, uint64_t *state) {
    for (uint32_t i = 0, word; i < r->fields.len;) {
        uint64_t change = 0, before = state[word = r->fields.data[i].word];
        for (const row_field *x; i < r->fields.len && (x = &r->fields.data[i])->word == word; i++)
            change |= ((before >> x->shift ^ key[x->element] >> x->from) & x->mask) << x->shift;
        state[word] = before ^ change;
    }
}

// The cell has the element with its mark; if none has one, it stays as it is.
static void write_mark(const row_sort *r, const mark *x, const uint64_t *key, uint64_t *state) {
    for (uint32_t e = 0; e < r->s->size; e++) {
        if (!(key[e] & x->factor)) continue;
        uint64_t *w = &state[x->word];
        *w ^= ((*w >> x->shift ^ (x->start + e)) & x->mask) << x->shift;
    }
}

// Exact keys are all that the state says of their elements. Sorted and written back, they are the state in which the
// elements have changed places.
static void order_rows(const row_sort *r, uint64_t *key, uint64_t *state) {
    uint64_t *own = key + r->s->first;
    sort_keys(own, r->s->size);
    write_even_columns(r, own, state);
    write_fields(r, own, state);
    for (uint32_t i = 0; i < r->marks.len; i++) write_mark(r, &r->marks.data[i], own, state);
}

static bool order_sort(symmetry_run *run, const row_sort *r, uint64_t *state) {
    uint64_t *key = run->levels.data[0].colour;
    uint16_t *order = run->levels.data[0].order;
    uint32_t before = UINT32_MAX, ties;
    first_keys(run->y, r, state, key);
    if (is_in_order(r, key)) return true;
    if (r->is_exact) return order_rows(r, key, state), true;
    while ((ties = symmetry_rank(r->s, key, order)) != 0 && !symmetry_ties_are_twins(run, r->s, state, key, order)) {
        if (ties == before) return false;
        before = ties;
        refine_keys(run->y, r, state, key, run->sums);
    }
    symmetry_name(run, r->s, order, state);
    return true;
}

bool ranking_canonical(symmetry_run *run, uint64_t *state) {
    const ranking *r = run->y->ranking;
    for (uint32_t i = 0; i < r->sorts.len; i++)
        if (!order_sort(run, &r->sorts.data[i], state)) return false;
    return true;
}
