// SPDX-License-Identifier: Apache-2.0
// Matrices of atom values: see rows.h.
#include "infer/rows.h"

#include <assert.h>
#include <string.h>

// A column is worked on 256 bits at a time.
typedef uint64_t lane __attribute__((vector_size(32), aligned(8), may_alias));

// ---- making

static void choose_variables(rows *r) {
    for (uint32_t s = 0; s < r->p->sorts.len; s++)
        for (uint32_t i = 0; i < r->counts[s]; i++) {
            r->vars[r->nvars++] = (uint8_t)(s * POOL_PER_SORT + i);
            r->mask |= UINT32_C(1) << (s * POOL_PER_SORT + i);
        }
}

static void choose_atoms(rows *r, atom_kind kind) {
    const atom_pool *p = r->p;
    r->atoms = mem_zero(p->atoms.len + 1, sizeof *r->atoms);
    r->column_of = mem_alloc((p->atoms.len + 1) * sizeof *r->column_of);
    for (uint32_t a = 0; a < p->atoms.len; a++) {
        const atom *x = &p->atoms.data[a];
        bool is_in = !(x->vars & ~r->mask) && p->shapes.data[x->shape].level <= kind;
        r->column_of[a] = is_in ? (uint16_t)r->natoms : ATOM_NONE;
        if (is_in) r->atoms[r->natoms++] = (uint16_t)a;
    }
}

rows *rows_new(const atom_pool *p, const uint32_t *counts, atom_kind kind) {
    rows *r = mem_zero(1, sizeof *r);
    r->p = p;
    memcpy(r->counts, counts, p->sorts.len * sizeof *counts);
    choose_variables(r);
    choose_atoms(r, kind);
    r->row_words = (r->natoms + 63) / 64 ? (r->natoms + 63) / 64 : 1;
    r->rows = tuples_new(r->row_words);
    return r;
}

void rows_free(rows *r) {
    if (!r) return;
    free(r->atoms);
    free(r->column_of);
    tuples_free(r->rows);
    free(r->columns);
    free(r);
}

// ---- the set of rows

static void grow_columns(rows *r) {
    uint32_t capacity = r->capacity ? r->capacity * 2 : 256;
    uint64_t *columns = mem_zero((size_t)r->natoms * (capacity / 64) + 1, 8);
    for (uint32_t a = 0; a < r->natoms && r->capacity; a++)
        memcpy(columns + (size_t)a * (capacity / 64), rows_column(r, a), r->capacity / 8);
    free(r->columns);
    r->columns = columns;
    r->capacity = capacity;
}

static void set_columns(rows *r, uint32_t number, const uint64_t *row) {
    for (uint32_t w = 0; w < r->row_words; w++)
        for (uint64_t left = row[w]; left; left &= left - 1) {
            uint32_t a = w * 64 + (uint32_t)__builtin_ctzll(left);
            r->columns[(size_t)a * (r->capacity / 64) + number / 64] |= UINT64_C(1) << (number % 64);
        }
}

static bool rows_add_row(rows *r, const uint64_t *row) {
    uint32_t number = tuples_put(r->rows, row);
    if (number < r->nrows) return false;
    if (r->nrows == r->capacity) grow_columns(r);
    set_columns(r, r->nrows++, row);
    return true;
}

// ---- rows of a sample

// 64 x 64 bits, in place: bit j of word i becomes bit i of word j (Hacker's Delight, 7-3).
static void transpose(uint64_t a[64]) {
    uint64_t mask = UINT64_C(0x00000000FFFFFFFF);
    for (uint32_t j = 32; j; j >>= 1, mask ^= mask << j)
        for (uint32_t k = 0; k < 64; k = (k + j + 1) & ~j) {
            uint64_t t = ((a[k] >> j) ^ a[k + j]) & mask;
            a[k] ^= t << j;
            a[k + j] ^= t;
        }
}

// The rows of 64 states, whose atom values are word w of each atom's column over states.
static void rows_add_block(rows *r, const uint64_t *const *values, uint32_t w, uint32_t nstates, bits *novel) {
    uint64_t *block = mem_alloc((size_t)r->row_words * 64 * 8), *row = mem_alloc(r->row_words * 8);
    for (uint32_t g = 0; g < r->row_words; g++) {
        for (uint32_t i = 0; i < 64; i++) block[g * 64 + i] = g * 64 + i < r->natoms ? values[g * 64 + i][w] : 0;
        transpose(block + g * 64);
    }
    for (uint32_t s = 0; s < nstates; s++) {
        for (uint32_t g = 0; g < r->row_words; g++) row[g] = block[g * 64 + s];
        if (rows_add_row(r, row) && novel) bits_add(novel, w * 64 + s);
    }
    free(row);
    free(block);
}

static void rows_add_binding(rows *r, valuation *v, const value *to, const uint64_t **values, bits *novel) {
    for (uint32_t a = 0; a < r->natoms; a++) values[a] = valuation_column(v, r->atoms[a], to);
    for (uint32_t w = 0; w * 64 < v->s->nstates; w++) {
        uint32_t left = v->s->nstates - w * 64;
        rows_add_block(r, values, w, left < 64 ? left : 64, novel);
    }
}

static bool next_binding(const rows *r, const instance *in, value *to) {
    for (uint32_t i = r->nvars; i-- > 0;) {
        type t = r->p->sorts.data[r->vars[i] / POOL_PER_SORT];
        if ((uint32_t)++to[r->vars[i]] < instance_type_size(in, t)) return true;
        to[r->vars[i]] = 0;
    }
    return false;
}

void rows_of_state(const rows *r, valuation *v, const value *to, uint64_t *row) {
    assert(v->s->nstates == 1);
    memset(row, 0, r->row_words * 8);
    for (uint32_t a = 0; a < r->natoms; a++) row[a / 64] |= (*valuation_column(v, r->atoms[a], to) & 1) << (a % 64);
}

// A single state needs no transposition.
static void rows_add_state(rows *r, valuation *v, bits *novel) {
    value to[POOL_SORTS * POOL_PER_SORT] = {0};
    uint64_t *row = mem_alloc(r->row_words * 8);
    do {
        rows_of_state(r, v, to, row);
        if (rows_add_row(r, row) && novel) bits_add(novel, 0);
    } while (next_binding(r, v->s->in, to));
    free(row);
}

void rows_add_sample(rows *r, valuation *v, const limits *l, bits *novel) {
    value to[POOL_SORTS * POOL_PER_SORT] = {0};
    if (v->s->nstates == 1) {
        rows_add_state(r, v, novel);
        return;
    }
    const uint64_t **values = mem_alloc((r->natoms + 1) * sizeof *values);
    do rows_add_binding(r, v, to, values, novel);
    while (next_binding(r, v->s->in, to) && !limits_met(l));
    free(values);
}

void rows_prepare(const rows *r, valuation *v) {
    value to[POOL_SORTS * POOL_PER_SORT] = {0};
    do
        for (uint32_t a = 0; a < r->natoms; a++) valuation_column(v, r->atoms[a], to);
    while (next_binding(r, v->s->in, to));
}

bool rows_has(const rows *r, const uint64_t *row) { return tuples_find(r->rows, row) != TUPLES_NONE; }

// ---- asking

void rows_all(const rows *r, uint64_t *out) {
    uint32_t n = rows_words(r);
    memset(out, 0, n * 8);
    memset(out, 0xff, r->nrows / 64 * 8);
    if (r->nrows % 64) out[r->nrows / 64] = (UINT64_C(1) << (r->nrows % 64)) - 1;
}

bool rows_where_false(const rows *r, uint32_t literal, const uint64_t *in, uint64_t *out) {
    const lane *column = (const lane *)rows_column(r, literal / 2), *from = (const lane *)in;
    lane *to = (lane *)out;
    uint64_t flip = literal % 2 ? 0 : ~UINT64_C(0);
    lane any = {0}, flips = {flip, flip, flip, flip};
    for (uint32_t i = 0, n = rows_words(r) / 4; i < n; i++) {
        to[i] = from[i] & (column[i] ^ flips);
        any |= to[i];
    }
    return (any[0] | any[1] | any[2] | any[3]) != 0;
}

// Which of rows 64 * word … have all literals false?
static uint64_t left_over(const rows *r, const uint32_t *literals, uint32_t n, uint32_t word) {
    uint32_t here = r->nrows - word * 64;
    uint64_t left = here >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << here) - 1;
    for (uint32_t i = 0; i < n && left; i++) {
        uint64_t column = rows_column(r, literals[i] / 2)[word];
        left &= literals[i] % 2 ? column : ~column;
    }
    return left;
}

bool rows_satisfy(const rows *r, const clause *c) {
    uint32_t literals[CLAUSE_MOST];
    for (uint32_t i = 0; i < c->n; i++) {
        assert(r->column_of[c->lits[i] / 2] != ATOM_NONE);
        literals[i] = r->column_of[c->lits[i] / 2] * 2u + c->lits[i] % 2;
    }
    for (uint32_t w = 0; w * 64 < r->nrows; w++)
        if (left_over(r, literals, c->n, w)) return false;
    return true;
}
