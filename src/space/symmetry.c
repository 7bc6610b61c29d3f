// SPDX-License-Identifier: Apache-2.0
// Canonical representatives by individualisation and refinement (McKay's canonical labelling, on packed
// states).
//
// Every element of a symmetric sort gets a colour that does not depend on how elements are named: a hash of
// the cells it occurs in and of the colours of the elements next to it there. Elements are sorted by
// colour. Ties between *twins*, whose exchange leaves the state as it is, need no decision; otherwise each
// element of the first other tie is set apart in turn and colours are refined again. Of all the states that
// this leads to the least one (by words) is taken. Each choice depends on the orbit only, so the result is
// the same for all its states; a collision of hashes merely makes a tie. Renaming is done by exchanging two
// elements at a time, a few swaps of bit fields each. Groups of a few permutations are tried one by one.
#include "space/symmetry.h"

#include <string.h>

enum { MOST_TRIED = 6, MOST_ARGS = 17, NO_SORT = UINT16_MAX };

// Bits under `mask` in word a change places with those `shift` higher in word b.
typedef struct {
    uint32_t a, b;
    uint32_t shift;
    uint64_t mask;
} exchange;

typedef struct {
    uint32_t first, n;  // in symmetry.exchanges
} exchange_list;

typedef struct {
    type ty;
    uint32_t size, first;  // its elements are numbered from here
    uint32_t pairs;        // exchange lists of its pairs a < b, row by row, from here
    VEC(uint32_t) valued;  // cells whose value is an element of it
} sorted;

// A cell of one bit with at most two arguments of symmetric sorts; element `nelements` stands for none.
typedef struct {
    uint16_t e[2];
    uint64_t hash[2], start[2];  // start: what it adds in the first round
} bit_cell;

// Any other cell that mentions an element.
typedef struct {
    layout_cell place;
    uint16_t nargs, value_sort;  // value_sort: NO_SORT, or the index of the sort of its value
    uint16_t e[MOST_ARGS];
    uint64_t hash;
} wide_cell;

struct symmetry {
    const layout *l;
    VEC(sorted) sorts;
    uint32_t nelements, words;
    uint64_t *bit_mask;  // by word: where the bit cells are
    bit_cell *bits;      // by bit of the state
    VEC(wide_cell) wide;
    VEC(exchange) exchanges;
    VEC(exchange_list) pairs;
    VEC(uint32_t)
    walk_step;  // a small group: sort, a, b (8, 12, 12 bits) whose exchanges lead through all of it
};

struct symmetry_run {
    const symmetry *y;
    uint64_t *colours;  // nelements + 1 a depth
    uint64_t *sums;
    uint16_t *order;       // elements of each sort by colour
    uint16_t *at, *place;  // while renaming
    uint64_t *candidate, *best;
    bool has_best;
};

// ---- hashing

static uint64_t mix(uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ (x >> 29);
}

static const uint64_t start_colour = 0x5851F42D4C957F2Du;

// ---- making: sorts and cells

static uint32_t sort_index(const symmetry *y, type t) {
    for (uint32_t i = 0; i < y->sorts.len; i++)
        if (type_same(y->sorts.data[i].ty, t)) return i;
    return NO_SORT;
}

static void add_sort(symmetry *y, type t) {
    const instance *in = y->l->in;
    const type_info *info = type_of(in->m, t);
    if (info->kind != TYPE_SORT || info->is_ordered || in->sort_size[t.id] < 2) return;
    if (sort_index(y, t) != NO_SORT) return;
    vec_push(&y->sorts, (sorted){.ty = t, .size = in->sort_size[t.id], .first = y->nelements});
    y->nelements += in->sort_size[t.id];
}

static void find_sorts(symmetry *y) {
    const instance *in = y->l->in;
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(in->m, s->funcs.data[i]);
        for (uint32_t k = 0; k < f->nargs; k++) add_sort(y, f->args[k]);
        add_sort(y, f->result);
    }
}

// What a cell means apart from the names of elements: the function, its other arguments, which arguments
// are equal.
static uint64_t cell_hash(const symmetry *y, func f, const value *args, const wide_cell *c) {
    const func_info *info = func_of(y->l->in->m, f);
    uint64_t h = mix(f.id);
    for (uint32_t i = 0; i < info->nargs; i++)
        if (sort_index(y, info->args[i]) == NO_SORT) h = mix(h ^ ((uint64_t)i << 32 | (uint32_t)args[i]));
    for (uint32_t i = 0; i < c->nargs; i++)
        for (uint32_t k = 0; k < i; k++)
            if (c->e[i] == c->e[k]) h = mix(h ^ (i * 64 + k + 1));
    return h;
}

static wide_cell describe(const symmetry *y, uint32_t cell) {
    value args[MOST_ARGS];
    const instance *in = y->l->in;
    func f = instance_cell_func(in, cell, args);
    const func_info *info = func_of(in->m, f);
    wide_cell c = {.place = y->l->cells[cell]};
    for (uint32_t i = 0; i < info->nargs; i++) {
        uint32_t k = sort_index(y, info->args[i]);
        if (k != NO_SORT) c.e[c.nargs++] = (uint16_t)(y->sorts.data[k].first + (uint32_t)args[i]);
    }
    c.value_sort = (uint16_t)sort_index(y, info->result);
    c.hash = cell_hash(y, f, args, &c);
    return c;
}

static void add_bit_cell(symmetry *y, const wide_cell *c) {
    bit_cell *b = &y->bits[c->place.word * 64 + c->place.shift];
    y->bit_mask[c->place.word] |= UINT64_C(1) << c->place.shift;
    for (uint32_t i = 0; i < 2; i++) {
        b->e[i] = (uint16_t)(i < c->nargs ? c->e[i] : y->nelements);
        b->hash[i] = mix(c->hash + i + 1);
        b->start[i] = mix(b->hash[i] ^ (c->nargs > 1 ? start_colour : 0));
    }
}

static void add_cells(symmetry *y) {
    for (uint32_t cell = 0; cell < y->l->in->ncells; cell++) {
        wide_cell c = describe(y, cell);
        if (c.value_sort != NO_SORT) vec_push(&y->sorts.data[c.value_sort].valued, cell);
        if (!c.place.bits || (!c.nargs && c.value_sort == NO_SORT)) continue;
        if (c.place.bits == 1 && c.nargs <= 2 && c.value_sort == NO_SORT) add_bit_cell(y, &c);
        else vec_push(&y->wide, c);
    }
}

// ---- making: exchanges

static void add_exchange(symmetry *y, uint32_t first, layout_cell p, layout_cell q) {
    bool swap = p.shift > q.shift;
    layout_cell low = swap ? q : p, high = swap ? p : q;
    uint64_t mask = layout_mask(p.bits) << low.shift;
    uint32_t shift = high.shift - low.shift;
    for (uint32_t i = first; i < y->exchanges.len; i++) {
        exchange *x = &y->exchanges.data[i];
        if (x->a != low.word || x->b != high.word || x->shift != shift) continue;
        x->mask |= mask;
        return;
    }
    vec_push(&y->exchanges, (exchange){low.word, high.word, shift, mask});
}

// The cells in which a and b change places, each pair of cells once.
static void add_pair(symmetry *y, const sorted *s, value a, value b) {
    const instance *in = y->l->in;
    const sys_info *system = sys_of(in->m, in->system);
    exchange_list list = {.first = y->exchanges.len};
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        func f = system->funcs.data[i];
        const func_info *info = func_of(in->m, f);
        uint32_t first = in->first_cell[f.id], n = instance_func_cells(in, f);
        for (uint32_t cell = first; cell < first + n && y->l->cells[cell].bits; cell++) {
            value args[MOST_ARGS];
            instance_cell_func(in, cell, args);
            for (uint32_t k = 0; k < info->nargs; k++)
                if (type_same(info->args[k], s->ty)) args[k] = args[k] == a ? b : args[k] == b ? a : args[k];
            uint32_t other = instance_cell(in, f, args);
            if (other > cell) add_exchange(y, list.first, y->l->cells[cell], y->l->cells[other]);
        }
    }
    list.n = y->exchanges.len - list.first;
    vec_push(&y->pairs, list);
}

static void add_pairs(symmetry *y) {
    for (uint32_t i = 0; i < y->sorts.len; i++) {
        sorted *s = &y->sorts.data[i];
        s->pairs = y->pairs.len;
        for (uint32_t a = 0; a < s->size; a++)
            for (uint32_t b = a + 1; b < s->size; b++) add_pair(y, s, (value)a, (value)b);
    }
}

static const exchange_list *pair_of(const symmetry *y, const sorted *s, uint32_t a, uint32_t b) {
    uint32_t row = a * s->size - a * (a + 1) / 2;
    return &y->pairs.data[s->pairs + row + (b - a - 1)];
}

// ---- exchanging two elements

static uint64_t exchange_difference(const exchange *x, const uint64_t *state) {
    return (state[x->a] ^ (state[x->b] >> x->shift)) & x->mask;
}

static void exchange_bits(const symmetry *y, const exchange_list *list, uint64_t *state) {
    const exchange *x = y->exchanges.data + list->first;
    for (uint32_t i = 0; i < list->n; i++, x++) {
        uint64_t d = exchange_difference(x, state);
        state[x->a] ^= d;
        state[x->b] ^= d << x->shift;
    }
}

static void rename_values(const symmetry *y, const sorted *s, uint32_t a, uint32_t b, uint64_t *state) {
    for (uint32_t i = 0; i < s->valued.len; i++) {
        const layout_cell *p = &y->l->cells[s->valued.data[i]];
        uint64_t v = state[p->word] >> p->shift & layout_mask(p->bits);
        if (v == a || v == b) state[p->word] ^= (uint64_t)(a ^ b) << p->shift;
    }
}

static void exchange_elements(const symmetry *y, const sorted *s, uint32_t a, uint32_t b, uint64_t *state) {
    exchange_bits(y, a < b ? pair_of(y, s, a, b) : pair_of(y, s, b, a), state);
    if (s->valued.len) rename_values(y, s, a, b, state);
}

// ---- small groups: a walk through all permutations

static uint64_t group_order(const symmetry *y) {
    uint64_t order = 1;
    for (uint32_t i = 0; i < y->sorts.len; i++)
        for (uint32_t k = 2; k <= y->sorts.data[i].size && order <= MOST_TRIED; k++) order *= k;
    return order;
}

static void walk_step(symmetry *y, uint32_t sort, uint32_t a, uint32_t b) {
    vec_push(&y->walk_step, sort << 24 | a << 12 | b);
}

static void walk_sorts(symmetry *y, uint32_t sort);

// Heap's algorithm on the first n elements of a sort; between two steps all permutations of the sorts after
// it.
static void walk_elements(symmetry *y, uint32_t sort, uint32_t n) {
    if (n <= 1) {
        walk_sorts(y, sort + 1);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        walk_elements(y, sort, n - 1);
        if (i + 1 < n) walk_step(y, sort, n % 2 ? 0 : i, n - 1);
    }
}

static void walk_sorts(symmetry *y, uint32_t sort) {
    if (sort < y->sorts.len) walk_elements(y, sort, y->sorts.data[sort].size);
}

// ---- making and freeing

static void symmetry_fill(symmetry *y) {
    y->bit_mask = mem_zero(y->words, sizeof *y->bit_mask);
    y->bits = mem_zero(y->words * 64, sizeof *y->bits);
    add_cells(y);
    add_pairs(y);
    if (group_order(y) <= MOST_TRIED) walk_sorts(y, 0);
}

symmetry *symmetry_new(const layout *l) {
    symmetry *y = mem_zero(1, sizeof *y);
    y->l = l;
    y->words = l->words;
    find_sorts(y);
    if (y->sorts.len) {
        symmetry_fill(y);
        return y;
    }
    symmetry_free(y);
    return NULL;
}

void symmetry_free(symmetry *y) {
    if (!y) return;
    for (uint32_t i = 0; i < y->sorts.len; i++) vec_free(&y->sorts.data[i].valued);
    vec_free(&y->sorts);
    vec_free(&y->wide);
    vec_free(&y->exchanges);
    vec_free(&y->pairs);
    vec_free(&y->walk_step);
    free(y->bit_mask);
    free(y->bits);
    free(y);
}

symmetry_run *symmetry_run_new(const symmetry *y) {
    symmetry_run *run = mem_zero(1, sizeof *run);
    uint32_t n = y->nelements + 1;
    run->y = y;
    run->colours = mem_zero((size_t)n * n, sizeof *run->colours);
    run->sums = mem_zero(n, sizeof *run->sums);
    run->order = mem_zero((size_t)n * n, sizeof *run->order);
    run->at = mem_zero(n, sizeof *run->at);
    run->place = mem_zero(n, sizeof *run->place);
    run->candidate = mem_zero(y->words, sizeof *run->candidate);
    run->best = mem_zero(y->words, sizeof *run->best);
    return run;
}

void symmetry_run_free(symmetry_run *run) {
    if (!run) return;
    free(run->colours);
    free(run->sums);
    free(run->order);
    free(run->at);
    free(run->place);
    free(run->candidate);
    free(run->best);
    free(run);
}

static bool is_less(const symmetry *y, const uint64_t *a, const uint64_t *b) {
    for (uint32_t i = 0; i < y->words; i++)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

// ---- colours

static void add_bits(const symmetry *y, const uint64_t *state, const uint64_t *colour, uint64_t *sum) {
    for (uint32_t w = 0; w < y->words; w++)
        for (uint64_t bits = state[w] & y->bit_mask[w]; bits; bits &= bits - 1) {
            const bit_cell *b = &y->bits[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            sum[b->e[0]] += mix(b->hash[0] ^ colour[b->e[1]]);
            sum[b->e[1]] += mix(b->hash[1] ^ colour[b->e[0]]);
        }
}

// The same for the first round, in which all colours are the same.
static void add_first_bits(const symmetry *y, const uint64_t *state, uint64_t *sum) {
    for (uint32_t w = 0; w < y->words; w++)
        for (uint64_t bits = state[w] & y->bit_mask[w]; bits; bits &= bits - 1) {
            const bit_cell *b = &y->bits[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            sum[b->e[0]] += b->start[0];
            sum[b->e[1]] += b->start[1];
        }
}

static void add_wide(const symmetry *y, const wide_cell *c, const uint64_t *state, const uint64_t *colour,
                     uint64_t *sum) {
    uint64_t v = state[c->place.word] >> c->place.shift & layout_mask(c->place.bits);
    uint32_t e[MOST_ARGS + 1], n = c->nargs;
    for (uint32_t i = 0; i < n; i++) e[i] = c->e[i];
    if (c->value_sort != NO_SORT) e[n++] = y->sorts.data[c->value_sort].first + (uint32_t)v;
    else if (!v) return;
    uint64_t hash = c->value_sort == NO_SORT ? mix(c->hash + v) : c->hash;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t h = hash + i;
        for (uint32_t k = 0; k < n; k++)
            if (k != i) h = mix(h ^ colour[e[k]]) + (e[k] == e[i]);
        sum[e[i]] += mix(h);
    }
}

static void refine_once(const symmetry *y, const uint64_t *state, uint64_t *colour, uint64_t *sum,
                        bool first) {
    memset(sum, 0, (y->nelements + 1) * sizeof *sum);
    if (first) add_first_bits(y, state, sum);
    else add_bits(y, state, colour, sum);
    for (uint32_t i = 0; i < y->wide.len; i++) add_wide(y, &y->wide.data[i], state, colour, sum);
    for (uint32_t i = 0; i < y->nelements; i++) colour[i] = mix(colour[i] + sum[i]);
}

// Sorts the elements of each sort by colour; returns the number of neighbours that tie.
static uint32_t sort_elements(const symmetry *y, const uint64_t *colour, uint16_t *order) {
    uint32_t ties = 0;
    for (uint32_t s = 0; s < y->sorts.len; s++) {
        uint16_t *o = order + y->sorts.data[s].first;
        for (uint32_t i = 0; i < y->sorts.data[s].size; i++) {
            uint16_t e = (uint16_t)(y->sorts.data[s].first + i);
            uint32_t k = i;
            for (; k && colour[o[k - 1]] > colour[e]; k--) o[k] = o[k - 1];
            o[k] = e;
        }
        for (uint32_t i = 1; i < y->sorts.data[s].size; i++) ties += colour[o[i]] == colour[o[i - 1]];
    }
    return ties;
}

// ---- twins

static bool is_twin(symmetry_run *run, const sorted *s, uint32_t a, uint32_t b, const uint64_t *state) {
    const symmetry *y = run->y;
    if (a > b) return is_twin(run, s, b, a, state);
    if (s->valued.len) {
        memcpy(run->candidate, state, y->words * sizeof *state);
        exchange_elements(y, s, a, b, run->candidate);
        return !memcmp(run->candidate, state, y->words * sizeof *state);
    }
    const exchange_list *list = pair_of(y, s, a, b);
    for (uint32_t i = list->first; i < list->first + list->n; i++)
        if (exchange_difference(&y->exchanges.data[i], state)) return false;
    return true;
}

typedef struct {
    const sorted *s;
    uint32_t first, n;  // in the order
} tie;

// The first tie that is not of twins alone. Being twins is an equivalence, so comparing with one is enough.
static bool find_tie(symmetry_run *run, const uint64_t *state, const uint64_t *colour, const uint16_t *order,
                     tie *out) {
    const symmetry *y = run->y;
    for (uint32_t k = 0; k < y->sorts.len; k++) {
        const sorted *s = &y->sorts.data[k];
        const uint16_t *o = order + s->first;
        for (uint32_t i = 0, end; i < s->size; i = end) {
            bool twins = true;
            for (end = i + 1; end < s->size && colour[o[end]] == colour[o[i]]; end++)
                twins = twins && is_twin(run, s, o[i] - s->first, o[end] - s->first, state);
            *out = (tie){s, s->first + i, end - i};
            if (!twins) return true;
        }
    }
    return false;
}

// ---- leaves and the search

// Names the elements in the given order and keeps the result if it is the least so far.
static void try_order(symmetry_run *run, const uint64_t *state, const uint16_t *order) {
    const symmetry *y = run->y;
    memcpy(run->candidate, state, y->words * sizeof *state);
    for (uint32_t k = 0; k < y->sorts.len; k++) {
        const sorted *s = &y->sorts.data[k];
        for (uint32_t i = 0; i < s->size; i++) run->at[i] = run->place[i] = (uint16_t)i;
        for (uint32_t i = 0; i < s->size; i++) {
            uint32_t wanted = order[s->first + i] - s->first, from = run->place[wanted], here = run->at[i];
            if (from == i) continue;
            exchange_elements(y, s, i, from, run->candidate);
            run->at[from] = (uint16_t)here;
            run->place[here] = (uint16_t)from;
            run->at[i] = (uint16_t)wanted;
            run->place[wanted] = (uint16_t)i;
        }
    }
    if (run->has_best && !is_less(y, run->candidate, run->best)) return;
    memcpy(run->best, run->candidate, y->words * sizeof *state);
    run->has_best = true;
}

static void search(symmetry_run *run, const uint64_t *state, uint32_t depth);

// Sets each element of a tie apart in turn; of several twins only one.
static void branch(symmetry_run *run, const uint64_t *state, uint32_t depth, tie t) {
    uint32_t n = run->y->nelements + 1;
    const uint64_t *colour = run->colours + (size_t)depth * n;
    const uint16_t *order = run->order + (size_t)depth * n + t.first;
    for (uint32_t i = 0; i < t.n; i++) {
        bool tried = false;
        for (uint32_t k = 0; k < i && !tried; k++)
            tried = is_twin(run, t.s, order[i] - t.s->first, order[k] - t.s->first, state);
        if (tried) continue;
        uint64_t *deeper = run->colours + (size_t)(depth + 1) * n;
        memcpy(deeper, colour, n * sizeof *deeper);
        deeper[order[i]] = mix(deeper[order[i]] + depth + 1);
        search(run, state, depth + 1);
    }
}

// Refines the colours of this depth until they decide, or refine no more.
static void search(symmetry_run *run, const uint64_t *state, uint32_t depth) {
    const symmetry *y = run->y;
    uint32_t n = y->nelements + 1;
    uint64_t *colour = run->colours + (size_t)depth * n;
    uint16_t *order = run->order + (size_t)depth * n;
    uint32_t before = UINT32_MAX;
    for (bool first = depth == 0;; first = false) {
        refine_once(y, state, colour, run->sums, first);
        uint32_t ties = sort_elements(y, colour, order);
        tie t;
        if (!ties || !find_tie(run, state, colour, order, &t)) {
            try_order(run, state, order);
            return;
        }
        if (ties == before) {
            branch(run, state, depth, t);
            return;
        }
        before = ties;
    }
}

static void walk(symmetry_run *run, uint64_t *state) {
    const symmetry *y = run->y;
    uint64_t *c = run->candidate;
    memcpy(c, state, y->words * sizeof *state);
    for (uint32_t i = 0; i < y->walk_step.len; i++) {
        uint32_t step = y->walk_step.data[i];
        exchange_elements(y, &y->sorts.data[step >> 24], step >> 12 & 0xfff, step & 0xfff, c);
        if (is_less(y, c, state)) memcpy(state, c, y->words * sizeof *state);
    }
}

void symmetry_canonical(symmetry_run *run, uint64_t *state) {
    const symmetry *y = run->y;
    if (y->walk_step.len) {
        walk(run, state);
        return;
    }
    for (uint32_t i = 0; i < y->nelements; i++) run->colours[i] = start_colour;
    run->colours[y->nelements] = 0;
    run->has_best = false;
    search(run, state, 0);
    memcpy(state, run->best, y->words * sizeof *state);
}
