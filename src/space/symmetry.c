// SPDX-License-Identifier: Apache-2.0
// Tables for permuting the elements of symmetric sorts; see symmetry_int.h.
//
// Exchanging two elements changes the places of pairs of cells, each cell in one pair at most, so it is a
// few swaps of bit fields: pairs of cells that are equally far apart are swapped together.
//
// A slot of a multiset is an element without a name: what its cells say gives it a colour, by which it tells the
// elements in it apart, and its own place is found by putting the multiset into order.
#include "space/symmetry_int.h"

#include "model/bag.h"

enum { SMALL_BITS = 6 };

// ---- making: sorts and cells

static uint32_t sort_index(const symmetry *y, type t) {
    for (uint32_t i = 0; i < y->sorts.len; i++)
        if (type_same(y->sorts.data[i].ty, t)) return i;
    return NO_SORT;
}

// Symmetric sorts of more than one element; the members of unions too.
static void symmetry_add_sort(symmetry *y, type t) {
    const instance *in = y->l->in;
    const type_info *info = type_of(in->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++) symmetry_add_sort(y, info->members[i]);
    if (info->kind != TYPE_SORT || info->is_ordered || in->sort_size[t.id] < 2) return;
    if (info->is_slot && bag_orders(in->m, in->system, t)) return;
    if (sort_index(y, t) != NO_SORT) return;
    vec_push(&y->sorts, (sorted){.ty = t, .size = in->sort_size[t.id], .first = y->nelements});
    y->nelements += in->sort_size[t.id];
}

static void drop_sort(symmetry *y, type t) {
    uint32_t k = sort_index(y, t);
    if (k == NO_SORT) return;
    uint32_t size = y->sorts.data[k].size;
    y->nelements -= size;
    for (; k + 1 < y->sorts.len; k++) {
        y->sorts.data[k] = y->sorts.data[k + 1];
        y->sorts.data[k].first -= size;
    }
    y->sorts.len--;
}

static void find_sorts(symmetry *y) {
    const instance *in = y->l->in;
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(in->m, s->funcs.data[i]);
        for (uint32_t k = 0; k < f->nargs; k++) symmetry_add_sort(y, f->args[k]);
        symmetry_add_sort(y, f->result);
    }
}

static bool symmetry_has_sort(const symmetry *y, type t) {
    const type_info *info = type_of(y->l->in->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (symmetry_has_sort(y, info->members[i])) return true;
    return sort_index(y, t) != NO_SORT;
}

// Does an element of a multiset hold names? If none does, renaming leaves multisets in order.
static bool do_bags_hold_names(const symmetry *y) {
    const instance *in = y->l->in;
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->bags.len; i++)
        for (uint32_t k = 0; k < s->bags.data[i].nfuncs; k++) {
            const func_info *f = func_of(in->m, s->bags.data[i].funcs[k]);
            if (symmetry_has_sort(y, f->result)) return true;
            for (uint32_t a = s->bags.data[i].position + 1; a < f->nargs; a++)
                if (symmetry_has_sort(y, f->args[a])) return true;
        }
    return false;
}

// The sort that a value of type t is an element of, and the element counted from 0; NO_SORT if of none.
static uint32_t symmetry_element_of(const symmetry *y, type t, value v, value *element) {
    *element = v;
    if (!type_of(y->l->in->m, t)->nmembers) return sort_index(y, t);
    type member = instance_member_of(y->l->in, t, v, element);
    return symmetry_element_of(y, member, *element, element);
}

// The element that a slot is, or UINT32_MAX.
static uint32_t symmetry_slot_of(const symmetry *y, func f, const value *args, uint32_t i) {
    uint32_t slot = y->bags ? bags_slot(y->bags, f, args, i) : UINT32_MAX;
    return slot == UINT32_MAX ? slot : y->first_slot + slot;
}

// A cell with the elements it has for arguments. Its hash is what it means apart from their names: the function, its
// other arguments, of which sort its arguments are, which of them are equal.
static wide_cell symmetry_describe(const symmetry *y, uint32_t cell) {
    value args[SYMMETRY_MOST_ARGS], own;
    const instance *in = y->l->in;
    func f = instance_cell_func(in, cell, args);
    const func_info *info = func_of(in->m, f);
    wide_cell c = {.place = y->l->cells[cell], .hash = symmetry_mix(f.id)};
    for (uint32_t i = 0; i < info->nargs; i++) {
        uint32_t k = symmetry_element_of(y, info->args[i], args[i], &own), slot = symmetry_slot_of(y, f, args, i);
        bool is_plain = k == NO_SORT && slot == UINT32_MAX;
        c.hash = symmetry_mix(c.hash ^ ((uint64_t)k << 48 | (uint64_t)i << 32 | (is_plain ? (uint32_t)args[i] : 0)));
        if (!is_plain) c.e[c.nargs++] = (uint16_t)(k == NO_SORT ? slot : y->sorts.data[k].first + (uint32_t)own);
    }
    for (uint32_t i = 0; i < c.nargs; i++)
        for (uint32_t k = 0; k < i; k++)
            if (c.e[i] == c.e[k]) c.hash = symmetry_mix(c.hash ^ (i * 64 + k + 1));
    return c;
}

static void add_valued(sorted *s, const layout_cell *p, uint32_t offset) {
    for (uint32_t i = 0; i < s->valued.len; i++) {
        value_fields *f = &s->valued.data[i];
        if (f->word != p->word || f->bits != p->bits || f->offset != offset) continue;
        f->lowest |= UINT64_C(1) << p->shift;
        return;
    }
    vec_push(&s->valued, (value_fields){p->word, p->bits, offset, UINT64_C(1) << p->shift});
}

// Where among the bits of the cell, from `offset` on, values of type t are elements.
static void add_ranges(symmetry *y, uint32_t cell, type t, uint32_t offset, wide_cell *c) {
    const instance *in = y->l->in;
    const type_info *info = type_of(in->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        add_ranges(y, cell, info->members[i], offset + instance_member_start(in, t, info->members[i]), c);
    uint32_t k = sort_index(y, t);
    if (k == NO_SORT) return;
    sorted *s = &y->sorts.data[k];
    add_valued(s, &y->l->cells[cell], offset);
    vec_push(&y->ranges, (value_range){offset, s->size, s->first});
    c->nranges++;
}

// What the cell says with these bits; zero bits that are not an element say nothing.
static saying make_saying(const symmetry *y, const wide_cell *c, uint64_t bits) {
    uint32_t element = symmetry_element(y, c, bits), n = 0;
    uint32_t none = y->nelements + (c->place.shift + c->place.word) % (SYMMETRY_NONES - 1);
    saying s = {.e = {(uint16_t)none, (uint16_t)(none + 1)}};
    if (!bits && element == UINT32_MAX) return s;
    for (; n < c->nargs; n++) s.e[n] = c->e[n];
    if (element != UINT32_MAX) s.e[n++] = (uint16_t)element;
    uint64_t hash = element == UINT32_MAX ? symmetry_mix(c->hash + bits) : c->hash;
    if (s.e[0] == s.e[1]) hash = symmetry_mix(hash);
    for (uint32_t i = 0; i < 2; i++) {
        s.hash[i] = symmetry_mix(hash + i + 1);
        s.start[i] = symmetry_mix(s.hash[i] ^ (n > 1 ? SYMMETRY_START_COLOUR : 0));
    }
    return s;
}

static void add_bit_cell(symmetry *y, const wide_cell *c) {
    y->bits[c->place.word * 64 + c->place.shift] = make_saying(y, c, 1);
    y->bit_mask[c->place.word] |= UINT64_C(1) << c->place.shift;
}

static void add_small_cell(symmetry *y, const wide_cell *c) {
    small_cell s = {c->place.word, c->place.shift, layout_mask(c->place.bits), y->sayings.len, c->slot};
    vec_push(&y->small, s);
    for (uint64_t bits = 0; bits <= s.mask; bits++) {
        saying said = make_saying(y, c, bits);
        vec_push(&y->sayings, said);
    }
}

static void symmetry_add_cell(symmetry *y, const wide_cell *c) {
    vec_push(&y->cells, *c);
    bool few = c->nargs + (c->nranges != 0) <= 2;
    if (c->place.bits == 1 && few && !c->nranges) add_bit_cell(y, c);
    else if (c->place.bits <= SMALL_BITS && few) add_small_cell(y, c);
    else vec_push(&y->wide, *c);
}

static void symmetry_add_cells(symmetry *y) {
    const instance *in = y->l->in;
    value args[SYMMETRY_MOST_ARGS];
    for (uint32_t cell = 0; cell < in->ncells; cell++) {
        wide_cell c = symmetry_describe(y, cell);
        if (!c.place.bits || c.place.word >= y->words) continue;
        c.ranges = y->ranges.len;
        for (uint32_t i = 0; i < c.nargs; i++)
            if (c.e[i] >= y->first_slot) c.slot = c.e[i] - y->first_slot + 1;
        add_ranges(y, cell, func_of(in->m, instance_cell_func(in, cell, args))->result, c.place.above, &c);
        if (c.nargs || c.nranges) symmetry_add_cell(y, &c);
    }
}

static int by_slot(const void *x, const void *y) {
    const small_cell *a = x, *b = y;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    return a->sayings < b->sayings ? -1 : a->sayings > b->sayings;
}

static int wide_by_slot(const void *x, const void *y) {
    const wide_cell *a = x, *b = y;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    return a->ranges < b->ranges ? -1 : a->ranges > b->ranges;
}

// Cell number i, which belongs to a slot, is in the last group, or in one of its own. A free slot is the same as any
// other one, whatever elements are called: what its cells say can be left out.
static void symmetry_group(symmetry *y, cell_groups *groups, uint32_t i, uint32_t slot, uint32_t last) {
    if (!i || slot != last) {
        cell_group g = {.first = i};
        if (slot) g.taken = bags_taken(y->bags, slot - 1, &g.word);
        vec_push(groups, g);
    }
    vec_last(groups).n++;
}

static void symmetry_group_cells(symmetry *y) {
    if (y->small.len) qsort(y->small.data, y->small.len, sizeof *y->small.data, by_slot);
    if (y->wide.len) qsort(y->wide.data, y->wide.len, sizeof *y->wide.data, wide_by_slot);
    for (uint32_t i = 0; i < y->small.len; i++)
        symmetry_group(y, &y->groups, i, y->small.data[i].slot, i ? y->small.data[i - 1].slot : 0);
    for (uint32_t i = 0; i < y->wide.len; i++)
        symmetry_group(y, &y->wide_groups, i, y->wide.data[i].slot, i ? y->wide.data[i - 1].slot : 0);
}

// ---- making: exchanges

static void symmetry_add_exchange(symmetry *y, uint32_t first, layout_cell p, layout_cell q) {
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

// A value after elements a and b of a sort have changed places.
static value symmetry_exchanged(const symmetry *y, type t, value v, type sort, value a, value b) {
    if (type_same(t, sort)) return v == a ? b : v == b ? a : v;
    if (!type_of(y->l->in->m, t)->nmembers) return v;
    value own = 0;
    type member = instance_member_of(y->l->in, t, v, &own);
    return v - own + symmetry_exchanged(y, member, own, sort, a, b);
}

// The cells in which a and b change places, each pair of cells once.
static void symmetry_add_pair(symmetry *y, const sorted *s, value a, value b) {
    const instance *in = y->l->in;
    const sys_info *system = sys_of(in->m, in->system);
    exchange_list list = {.first = y->exchanges.len};
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        func f = system->funcs.data[i];
        const func_info *info = func_of(in->m, f);
        uint32_t first = in->first_cell[f.id], n = instance_func_cells(in, f);
        if (info->is_scratch) continue;
        for (uint32_t cell = first; cell < first + n && y->l->cells[cell].bits; cell++) {
            value args[SYMMETRY_MOST_ARGS];
            instance_cell_func(in, cell, args);
            for (uint32_t k = 0; k < info->nargs; k++)
                args[k] = symmetry_exchanged(y, info->args[k], args[k], s->ty, a, b);
            uint32_t other = instance_cell(in, f, args);
            if (other > cell) symmetry_add_exchange(y, list.first, y->l->cells[cell], y->l->cells[other]);
        }
    }
    list.n = y->exchanges.len - list.first;
    vec_push(&y->pairs, list);
}

static void symmetry_add_pairs(symmetry *y) {
    for (uint32_t i = 0; i < y->sorts.len; i++) {
        sorted *s = &y->sorts.data[i];
        s->pairs = y->pairs.len;
        for (uint32_t a = 0; a < s->size; a++)
            for (uint32_t b = a + 1; b < s->size; b++) symmetry_add_pair(y, s, (value)a, (value)b);
    }
}

// ---- small groups: a walk through all permutations

static uint64_t group_order(const symmetry *y) {
    uint64_t order = 1;
    for (uint32_t i = 0; i < y->sorts.len; i++)
        for (uint32_t k = 2; k <= y->sorts.data[i].size && order <= SYMMETRY_MOST_TRIED; k++) order *= k;
    return order;
}

static void symmetry_walk_step(symmetry *y, uint32_t sort, uint32_t a, uint32_t b) {
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
        if (i + 1 < n) symmetry_walk_step(y, sort, n % 2 ? 0 : i, n - 1);
    }
}

static void walk_sorts(symmetry *y, uint32_t sort) {
    if (sort < y->sorts.len) walk_elements(y, sort, y->sorts.data[sort].size);
}

// ---- making and freeing

// A walk is best for a few permutations of a short state, then sorting rows where that is possible. With multisets to
// be put into order after each it is soon worse than the search, but never for a single exchange.
static void choose_way(symmetry *y) {
    uint64_t order = group_order(y);
    bool is_short = y->words <= SYMMETRY_WALK_WORDS;
    if (!is_short || order > SYMMETRY_FEW) y->ranking = ranking_new(y);
    if (y->ranking) return;
    if (y->bags ? order <= SYMMETRY_FEW_ORDERED : is_short && order <= SYMMETRY_MOST_TRIED) walk_sorts(y, 0);
}

static void symmetry_fill(symmetry *y) {
    y->bit_mask = mem_zero(y->words, sizeof *y->bit_mask);
    y->bits = mem_zero(y->words * 64, sizeof *y->bits);
    symmetry_add_cells(y);
    symmetry_group_cells(y);
    symmetry_add_pairs(y);
    choose_way(y);
}

symmetry *symmetry_new(const layout *l, const bags *multisets, const type *apart, uint32_t napart) {
    symmetry *y = mem_zero(1, sizeof *y);
    y->l = l;
    y->words = l->words;
    find_sorts(y);
    for (uint32_t i = 0; i < napart; i++) drop_sort(y, apart[i]);
    if (do_bags_hold_names(y)) y->bags = multisets;
    y->first_slot = y->nelements;
    if (y->bags) y->nelements += bags_slots(y->bags);
    if (y->sorts.len) {
        symmetry_fill(y);
        return y;
    }
    symmetry_free(y);
    return NULL;
}

void symmetry_sorts(const symmetry *y, type_list *out) {
    for (uint32_t i = 0; i < y->sorts.len; i++) vec_push(out, y->sorts.data[i].ty);
}

void symmetry_free(symmetry *y) {
    if (!y) return;
    for (uint32_t i = 0; i < y->sorts.len; i++) vec_free(&y->sorts.data[i].valued);
    ranking_free(y->ranking);
    vec_free(&y->cells);
    vec_free(&y->sorts);
    vec_free(&y->small);
    vec_free(&y->groups);
    vec_free(&y->wide_groups);
    vec_free(&y->sayings);
    vec_free(&y->wide);
    vec_free(&y->ranges);
    vec_free(&y->exchanges);
    vec_free(&y->pairs);
    vec_free(&y->walk_step);
    free(y->bit_mask);
    free(y->bits);
    free(y);
}
