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
// elements at a time, a few swaps of bit fields each. The heuristic form follows one branch of each tie.
//
// Groups of a few permutations are tried one by one: there the representative is the least state of the
// orbit. And where ranking.c finds a representative, it is that one: whether it does also depends on the
// orbit only.
//
// Multisets are put into order after elements were renamed. Their slots have colours, too: an element is next to the
// slot that it lies in.
#include "space/symmetry_int.h"

#include <string.h>

// ---- exchanging two elements

static uint64_t exchange_difference(const exchange *x, const uint64_t *state) {
    return (state[x->a] ^ (state[x->b] >> x->shift)) & x->mask;
}

// The swaps touch different bits, so a single word need not be read back between them.
static void exchange_in_word(const symmetry *y, const exchange_list *list, uint64_t *state) {
    uint64_t w = *state, change = 0;
    for (uint32_t i = list->first; i < list->first + list->n; i++) {
        const exchange *x = &y->exchanges.data[i];
        uint64_t d = (w ^ (w >> x->shift)) & x->mask;
        change ^= d ^ d << x->shift;
    }
    *state = w ^ change;
}

static void exchange_bits(const symmetry *y, const exchange_list *list, uint64_t *state) {
    if (y->words == 1) {
        exchange_in_word(y, list, state);
        return;
    }
    for (uint32_t i = list->first; i < list->first + list->n; i++) {
        const exchange *x = &y->exchanges.data[i];
        uint64_t d = exchange_difference(x, state);
        state[x->a] ^= d;
        state[x->b] ^= d << x->shift;
    }
}

static void canonical_rename_values(const sorted *s, uint32_t a, uint32_t b, uint64_t *state) {
    for (uint32_t i = 0; i < s->valued.len; i++) {
        const value_fields *f = &s->valued.data[i];
        uint64_t *w = &state[f->word], x = f->offset + a, z = f->offset + b;
        uint64_t found = symmetry_equal(f, *w, x) | symmetry_equal(f, *w, z);
        *w ^= (found >> (f->bits - 1)) * (x ^ z);
    }
}

static void exchange_elements(const symmetry *y, const sorted *s, uint32_t a, uint32_t b, uint64_t *state) {
    exchange_bits(y, a < b ? symmetry_pair(y, s, a, b) : symmetry_pair(y, s, b, a), state);
    if (s->valued.len) canonical_rename_values(s, a, b, state);
}

static symmetry_level level_at(symmetry_run *run, uint32_t depth) {
    uint32_t n = run->y->nelements + SYMMETRY_NONES;
    while (run->levels.len <= depth) {
        symmetry_level made = {arena_alloc(run->memory, n * sizeof *made.colour),
                               arena_alloc(run->memory, n * sizeof *made.order)};
        vec_push(&run->levels, made);
    }
    return run->levels.data[depth];
}

symmetry_run *symmetry_run_new(const symmetry *y) {
    arena *memory = arena_new();
    symmetry_run *run = arena_alloc(memory, sizeof *run);
    uint32_t n = y->nelements + SYMMETRY_NONES;
    *run = (symmetry_run){.memory = memory, .y = y};
    run->sums = arena_alloc(memory, n * sizeof *run->sums);
    run->at = arena_alloc(memory, n * sizeof *run->at);
    run->place = arena_alloc(memory, n * sizeof *run->place);
    run->candidate = arena_alloc(memory, y->words * sizeof *run->candidate);
    run->best = arena_alloc(memory, y->words * sizeof *run->best);
    level_at(run, 0);
    return run;
}

void symmetry_run_free(symmetry_run *run) {
    if (!run) return;
    vec_free(&run->levels);
    arena_free(run->memory);
}

// Words compare as signed numbers, as in lower_walk.c.
static bool canonical_is_less(const symmetry *y, const uint64_t *a, const uint64_t *b) {
    for (uint32_t i = 0; i < y->words; i++)
        if (a[i] != b[i]) return (int64_t)a[i] < (int64_t)b[i];
    return false;
}

// ---- colours

// colour NULL: the first round, in which all colours are the same.
static inline void add_saying(const saying *b, const uint64_t *colour, uint64_t *sum) {
    sum[b->e[0]] += colour ? symmetry_mix(b->hash[0] ^ colour[b->e[1]]) : b->start[0];
    sum[b->e[1]] += colour ? symmetry_mix(b->hash[1] ^ colour[b->e[0]]) : b->start[1];
}

static const saying *said_by(const symmetry *y, const small_cell *c, const uint64_t *state) {
    return &y->sayings.data[c->sayings + (state[c->word] >> c->shift & c->mask)];
}

static inline void add_sayings(const symmetry *y, const uint64_t *state, const uint64_t *colour, uint64_t *sum) {
    for (uint32_t w = 0; w < y->words; w++)
        for (uint64_t bits = state[w] & y->bit_mask[w]; bits; bits &= bits - 1)
            add_saying(&y->bits[w * 64 + (uint32_t)__builtin_ctzll(bits)], colour, sum);
    for (uint32_t k = 0; k < y->groups.len; k++) {
        const cell_group *g = &y->groups.data[k];
        if (symmetry_is_silent(g, state)) continue;
        const small_cell *c = &y->small.data[g->first];
        for (uint32_t i = 0; i < g->n; i++) add_saying(said_by(y, &c[i], state), colour, sum);
    }
}

static void add_wide(const symmetry *y, const wide_cell *c, const uint64_t *state, const uint64_t *colour,
                     uint64_t *sum) {
    uint64_t v = state[c->place.word] >> c->place.shift & layout_mask(c->place.bits);
    uint32_t e[SYMMETRY_MOST_ARGS + 1], n = c->nargs, element = symmetry_element(y, c, v);
    for (uint32_t i = 0; i < n; i++) e[i] = c->e[i];
    if (element != UINT32_MAX) e[n++] = element;
    else if (!v) return;
    uint64_t hash = element == UINT32_MAX ? symmetry_mix(c->hash + v) : c->hash;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t h = hash + i;
        for (uint32_t k = 0; k < n; k++)
            if (k != i) h = symmetry_mix(h ^ colour[e[k]]) + (e[k] == e[i]);
        sum[e[i]] += symmetry_mix(h);
    }
}

static void canonical_refine_once(const symmetry *y, const uint64_t *state, uint64_t *colour, uint64_t *sum,
                                  bool first) {
    memset(sum, 0, (y->nelements + SYMMETRY_NONES) * sizeof *sum);
    if (first) add_sayings(y, state, NULL, sum);
    else add_sayings(y, state, colour, sum);
    for (uint32_t k = 0; k < y->wide_groups.len; k++) {
        const cell_group *g = &y->wide_groups.data[k];
        for (uint32_t i = 0; i < g->n && !symmetry_is_silent(g, state); i++)
            add_wide(y, &y->wide.data[g->first + i], state, colour, sum);
    }
    for (uint32_t i = 0; i < y->nelements; i++) colour[i] = symmetry_mix(colour[i] + sum[i]);
}

// Counts how many elements come before each: no branch depends on colours, which are as good as random.
uint32_t symmetry_rank(const sorted *s, const uint64_t *colour, uint16_t *order) {
    uint16_t rank[INSTANCE_LARGEST_SORT];
    const uint64_t *c = colour + s->first;
    uint32_t ties = 0;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < i; k++) {
            bool less = c[i] < c[k];
            rank[k] = (uint16_t)(rank[k] + less);
            before += !less;
            ties += c[i] == c[k];
        }
        rank[i] = (uint16_t)before;
    }
    for (uint32_t i = 0; i < s->size; i++) order[s->first + rank[i]] = (uint16_t)(s->first + i);
    return ties;
}

static uint32_t canonical_sort_elements(const symmetry *y, const uint64_t *colour, uint16_t *order) {
    uint32_t ties = 0;
    for (uint32_t k = 0; k < y->sorts.len; k++) ties += symmetry_rank(&y->sorts.data[k], colour, order);
    return ties;
}

// ---- twins

static bool is_twin(symmetry_run *run, const sorted *s, uint32_t a, uint32_t b, const uint64_t *state) {
    const symmetry *y = run->y;
    if (a > b) return is_twin(run, s, b, a, state);
    if (s->valued.len || y->bags) {
        memcpy(run->candidate, state, y->words * sizeof *state);
        exchange_elements(y, s, a, b, run->candidate);
        if (y->bags) bags_order_renamed(y->bags, run->candidate);
        return !memcmp(run->candidate, state, y->words * sizeof *state);
    }
    const exchange_list *list = symmetry_pair(y, s, a, b);
    for (uint32_t i = list->first; i < list->first + list->n; i++)
        if (exchange_difference(&y->exchanges.data[i], state)) return false;
    return true;
}

typedef struct {
    const sorted *s;
    uint32_t first, n;  // in the order
} tie;

// The first tie that is not of twins alone. Being twins is an equivalence, so comparing with one is enough.
static bool find_tie_in(symmetry_run *run, const sorted *s, const uint64_t *state, const uint64_t *colour,
                        const uint16_t *order, tie *out) {
    const uint16_t *o = order + s->first;
    for (uint32_t i = 0, end; i < s->size; i = end) {
        bool twins = true;
        for (end = i + 1; end < s->size && colour[o[end]] == colour[o[i]]; end++)
            twins = twins && is_twin(run, s, o[i] - s->first, o[end] - s->first, state);
        *out = (tie){s, s->first + i, end - i};
        if (!twins) return true;
    }
    return false;
}

static bool find_tie(symmetry_run *run, const uint64_t *state, const uint64_t *colour, const uint16_t *order,
                     tie *out) {
    for (uint32_t k = 0; k < run->y->sorts.len; k++)
        if (find_tie_in(run, &run->y->sorts.data[k], state, colour, order, out)) return true;
    return false;
}

bool symmetry_ties_are_twins(symmetry_run *run, const sorted *s, const uint64_t *state, const uint64_t *colour,
                             const uint16_t *order) {
    tie t;
    return !find_tie_in(run, s, state, colour, order, &t);
}

// ---- leaves and the search

void symmetry_name(symmetry_run *run, const sorted *s, const uint16_t *order, uint64_t *state) {
    for (uint32_t i = 0; i < s->size; i++) run->at[i] = run->place[i] = (uint16_t)i;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t wanted = order[s->first + i] - s->first, from = run->place[wanted], here = run->at[i];
        if (from == i) continue;
        exchange_elements(run->y, s, i, from, state);
        run->at[from] = (uint16_t)here;
        run->place[here] = (uint16_t)from;
        run->at[i] = (uint16_t)wanted;
        run->place[wanted] = (uint16_t)i;
    }
}

// Names the elements in the given order and keeps the result if it is the least so far.
static void try_order(symmetry_run *run, const uint64_t *state, const uint16_t *order) {
    const symmetry *y = run->y;
    memcpy(run->candidate, state, y->words * sizeof *state);
    for (uint32_t k = 0; k < y->sorts.len; k++) symmetry_name(run, &y->sorts.data[k], order, run->candidate);
    if (y->bags) bags_order_renamed(y->bags, run->candidate);
    if (run->has_best && !canonical_is_less(y, run->candidate, run->best)) return;
    memcpy(run->best, run->candidate, y->words * sizeof *state);
    run->has_best = true;
}

static void canonical_search(symmetry_run *run, const uint64_t *state, uint32_t depth);

// Sets each element of a tie apart in turn; of several twins only one.
static void canonical_branch(symmetry_run *run, const uint64_t *state, uint32_t depth, tie t) {
    uint32_t n = run->y->nelements + SYMMETRY_NONES;
    const uint64_t *colour = level_at(run, depth).colour;
    const uint16_t *order = level_at(run, depth).order + t.first;
    for (uint32_t i = 0; i < t.n; i++) {
        bool tried = false;
        for (uint32_t k = 0; k < i && !tried; k++)
            tried = is_twin(run, t.s, order[i] - t.s->first, order[k] - t.s->first, state);
        if (tried) continue;
        uint64_t *deeper = level_at(run, depth + 1).colour;
        memcpy(deeper, colour, n * sizeof *deeper);
        deeper[order[i]] = symmetry_mix(deeper[order[i]] + depth + 1);
        canonical_search(run, state, depth + 1);
        if (run->is_heuristic) return;
    }
}

// Refines the colours of this depth until they decide, or refine no more.
static void canonical_search(symmetry_run *run, const uint64_t *state, uint32_t depth) {
    const symmetry *y = run->y;
    uint64_t *colour = level_at(run, depth).colour;
    uint16_t *order = level_at(run, depth).order;
    uint32_t before = UINT32_MAX, patience = y->bags ? 1 : 0;  // a slot tells what it learned in the next round
    for (bool first = depth == 0;; first = false) {
        canonical_refine_once(y, state, colour, run->sums, first);
        uint32_t ties = canonical_sort_elements(y, colour, order);
        tie t;
        if (!ties || !find_tie(run, state, colour, order, &t)) {
            try_order(run, state, order);
            return;
        }
        if (ties == before && !patience--) {
            canonical_branch(run, state, depth, t);
            return;
        }
        if (ties != before) patience = y->bags ? 1 : 0;
        before = ties;
    }
}

// With multisets, each image of the state is put into order before it is compared.
static void canonical_walk(symmetry_run *run, uint64_t *state) {
    const symmetry *y = run->y;
    uint64_t *c = run->candidate, *image = y->bags ? run->best : c;
    memcpy(c, state, y->words * sizeof *state);
    for (uint32_t i = 0; i < y->walk_step.len; i++) {
        uint32_t step = y->walk_step.data[i];
        exchange_elements(y, &y->sorts.data[step >> 24], step >> 12 & 0xfff, step & 0xfff, c);
        if (y->bags) {
            memcpy(image, c, y->words * sizeof *state);
            bags_order_renamed(y->bags, image);
        }
        if (canonical_is_less(y, image, state)) memcpy(state, image, y->words * sizeof *state);
    }
}

void symmetry_canonical(symmetry_run *run, uint64_t *state, bool is_heuristic) {
    const symmetry *y = run->y;
    if (y->walk_step.len) {
        canonical_walk(run, state);
        return;
    }
    if (y->ranking && ranking_canonical(run, state)) return;
    uint64_t *colour = level_at(run, 0).colour;
    for (uint32_t i = 0; i < y->nelements; i++) colour[i] = SYMMETRY_START_COLOUR;
    for (uint32_t i = 0; i < SYMMETRY_NONES; i++) colour[y->nelements + i] = 0;
    run->has_best = false;
    run->is_heuristic = is_heuristic;
    canonical_search(run, state, 0);
    memcpy(state, run->best, y->words * sizeof *state);
}
