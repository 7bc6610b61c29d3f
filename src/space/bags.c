// SPDX-License-Identifier: Apache-2.0
// Multisets in packed states, put into order; see bags.h.
//
// What a slot holds is gathered into a *key* of one or a few words, the part that counts most at the top, so that slots
// compare as their keys do; the keys of those that are taken are sorted by insertion and, if that changed anything, put
// back, and behind them come the free slots, which hold nothing. The order is the same as that of model/bag.c, since
// bits of a cell grow with its value.
#include "space/bags.h"

#include <string.h>

enum { KEY_BITS = 64 };

// A cell of a slot: where it lies in the state, and in the key.
typedef struct {
    uint32_t word, key;
    uint8_t shift, key_shift;
    uint64_t mask;
} field;

// Part of a word, and what it holds while a slot is free.
typedef struct {
    uint32_t word;
    uint64_t mask, free;
} area;
typedef VEC(area) area_list;

typedef struct {
    uint32_t nslots, nfields, nkeys;  // of a slot: fields, words of its key
    uint32_t fields, areas, nareas;   // in bags.fields, slot by slot, taken first; in bags.areas
    uint32_t rests;                   // in bags.rests
    uint32_t first;                   // slot number
} bag;

// An array of multisets, as the model has it.
typedef struct {
    const bag_info *info;
    uint32_t nslots, first;  // slot number
} family;

struct bags {
    const layout *l;
    VEC(family) families;
    VEC(bag) all;
    VEC(field) fields;
    area_list areas;
    area_list slot_areas;         // of each slot
    VEC(uint32_t) first_area;     // by slot number, and one more: where those of a slot begin
    area_list rest_areas;         // of the last slots of a bag
    VEC(uint32_t) rests;          // by bag and number of these, and one more: where their areas begin
    uint32_t nslots, most_words;  // words: of the keys of one bag
};

// ---- making

// To those from number `first` on, one for each word.
static void add_area(area_list *list, uint32_t first, area a) {
    for (uint32_t i = first; i < list->len; i++)
        if (list->data[i].word == a.word) {
            list->data[i].mask |= a.mask;
            list->data[i].free |= a.free;
            return;
        }
    vec_push(list, a);
}

// What a cell has in a free slot, packed.
static uint64_t free_bits(const layout_cell *c, value initial) {
    return initial == VALUE_UNDEFINED ? 0 : (uint64_t)((int64_t)initial - c->first) + c->above;
}

// Cells without bits always hold the same.
static void add_field(bags *b, bag *x, uint32_t slot, uint32_t *used, uint32_t cell, value initial) {
    const layout_cell *c = &b->l->cells[cell];
    if (!c->bits) return;
    if (*used + c->bits > KEY_BITS * x->nkeys) *used = KEY_BITS * x->nkeys++;
    *used += c->bits;
    field f = {.word = c->word, .key = x->nkeys - 1, .shift = c->shift, .mask = layout_mask(c->bits)};
    f.key_shift = (uint8_t)(KEY_BITS * x->nkeys - *used);
    vec_push(&b->fields, f);
    area a = {c->word, f.mask << c->shift, free_bits(c, initial) << c->shift};
    add_area(&b->areas, x->areas, a);
    add_area(&b->slot_areas, vec_last(&b->first_area), a);
    x->nfields += !slot;
}

static void add_slot(bags *b, bag *x, const bag_info *info, uint32_t which, uint32_t slot) {
    const instance *in = b->l->in;
    uint32_t used = 0;
    x->nkeys = 0;
    vec_push(&b->first_area, b->slot_areas.len);
    for (uint32_t i = 0; i < info->nfuncs; i++) {
        func f = info->funcs[i];
        uint32_t n = instance_func_cells(in, f), nbags = instance_func_cells(in, info->funcs[0]) / x->nslots;
        uint32_t block = n / (nbags * x->nslots);
        uint32_t first = in->first_cell[f.id] + (which * x->nslots + slot) * block;
        for (uint32_t c = first; c < first + block; c++) add_field(b, x, slot, &used, c, func_of(in->m, f)->initial);
    }
}

// What the last slots hold if they are free: none of them, the last one, the last two…
static void add_rests(bags *b, bag *x) {
    x->rests = b->rests.len;
    vec_push(&b->rests, b->rest_areas.len);
    for (uint32_t slot = x->nslots, before = b->rest_areas.len; slot-- > 0;) {
        uint32_t here = b->rest_areas.len,
                 end = slot + 1 < x->nslots ? b->first_area.data[x->first + slot + 1] : b->slot_areas.len;
        vec_push(&b->rests, here);
        for (uint32_t i = before; i < here; i++) vec_push(&b->rest_areas, b->rest_areas.data[i]);
        for (uint32_t i = b->first_area.data[x->first + slot]; i < end; i++)
            add_area(&b->rest_areas, here, b->slot_areas.data[i]);
        before = here;
    }
    vec_push(&b->rests, b->rest_areas.len);
}

static void add_bag(bags *b, const bag_info *info, uint32_t which, uint32_t nslots) {
    bag x = {.nslots = nslots, .fields = b->fields.len, .areas = b->areas.len, .first = b->first_area.len};
    for (uint32_t slot = 0; slot < nslots; slot++) add_slot(b, &x, info, which, slot);
    x.nareas = b->areas.len - x.areas;
    add_rests(b, &x);
    if (x.nkeys * nslots > b->most_words) b->most_words = x.nkeys * nslots;
    vec_push(&b->all, x);
}

static void add_family(bags *b, const bag_info *info) {
    const instance *in = b->l->in;
    uint32_t nslots = instance_type_size(in, func_of(in->m, info->funcs[0])->args[info->position]);
    uint32_t nbags = instance_func_cells(in, info->funcs[0]) / nslots;
    vec_push(&b->families, (family){info, nslots, b->nslots});
    b->nslots += nbags * nslots;
    for (uint32_t i = 0; i < nbags; i++) add_bag(b, info, i, nslots);
}

bags *bags_new(const layout *l) {
    const sys_info *s = sys_of(l->in->m, l->in->system);
    if (!s->bags.len) return NULL;
    bags *b = mem_zero(1, sizeof *b);
    b->l = l;
    for (uint32_t i = 0; i < s->bags.len; i++) add_family(b, &s->bags.data[i]);
    vec_push(&b->first_area, b->slot_areas.len);
    return b;
}

void bags_free(bags *b) {
    if (!b) return;
    vec_free(&b->families);
    vec_free(&b->all);
    vec_free(&b->fields);
    vec_free(&b->areas);
    vec_free(&b->slot_areas);
    vec_free(&b->first_area);
    vec_free(&b->rest_areas);
    vec_free(&b->rests);
    free(b);
}

// ---- putting into order

static bool bags_is_changed(const bags *b, const bag *x, const uint64_t *before, const uint64_t *state) {
    uint64_t differs = 0;
    for (uint32_t i = x->areas; i < x->areas + x->nareas; i++) {
        const area *a = &b->areas.data[i];
        differs |= (before[a->word] ^ state[a->word]) & a->mask;
    }
    return differs != 0;
}

static const field *fields_of(const bags *b, const bag *x, uint32_t slot) {
    return &b->fields.data[x->fields + slot * x->nfields];
}

static inline uint64_t read_field(const field *f, const uint64_t *state) {
    return state[f->word] >> f->shift & f->mask;
}

static inline void bags_gather(const bags *b, const bag *x, uint32_t slot, const uint64_t *state, uint64_t *key) {
    const field *f = fields_of(b, x, slot), *end = f + x->nfields;
    for (uint32_t i = 0; i < x->nkeys; i++) key[i] = 0;
    for (; f < end; f++) key[f->key] |= read_field(f, state) << f->key_shift;
}

static void bags_scatter(const bags *b, const bag *x, uint32_t slot, const uint64_t *key, uint64_t *state) {
    const field *f = fields_of(b, x, slot), *end = f + x->nfields;
    for (; f < end; f++) {
        uint64_t v = key[f->key] >> f->key_shift & f->mask;
        state[f->word] = (state[f->word] & ~(f->mask << f->shift)) | v << f->shift;
    }
}

static void bags_clean(const bags *b, const bag *x, uint32_t slot, uint64_t *state) {
    const uint32_t *first = &b->first_area.data[x->first + slot];
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const area *a = &b->slot_areas.data[i];
        state[a->word] = (state[a->word] & ~a->mask) | a->free;
    }
}

static inline bool bags_is_less(const uint64_t *a, const uint64_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

static inline void bags_swap(uint64_t *a, uint64_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint64_t kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

// Puts one more key into a sorted list of `taken`; false: it is the greatest.
static inline bool insert_key(uint64_t *keys, uint32_t taken, uint32_t n) {
    uint32_t k = taken;
    for (; k > 0 && bags_is_less(keys + k * n, keys + (k - 1) * n, n); k--)
        bags_swap(keys + k * n, keys + (k - 1) * n, n);
    return k < taken;
}

// Taken and free slots in any order; free ones may still hold something.
static void order_mixed(const bags *b, const bag *x, uint64_t *state, uint64_t *keys) {
    uint32_t n = x->nkeys, taken = 0;
    for (uint32_t slot = 0; slot < x->nslots; slot++) {
        if (!read_field(fields_of(b, x, slot), state)) continue;
        bags_gather(b, x, slot, state, keys + taken * n);
        insert_key(keys, taken++, n);
    }
    for (uint32_t slot = 0; slot < taken; slot++) bags_scatter(b, x, slot, keys + slot * n, state);
    for (uint32_t slot = taken; slot < x->nslots; slot++) bags_clean(b, x, slot, state);
}

// The first slots, which are taken; the others are free and hold nothing.
static void order_taken(const bags *b, const bag *x, uint32_t taken, uint64_t *state, uint64_t *keys) {
    uint32_t n = x->nkeys;
    bool is_moved = false;
    for (uint32_t slot = 0; slot < taken; slot++) {
        bags_gather(b, x, slot, state, keys + slot * n);
        is_moved |= insert_key(keys, slot, n);
    }
    for (uint32_t slot = 0; is_moved && slot < taken; slot++) bags_scatter(b, x, slot, keys + slot * n, state);
}

static uint32_t count_taken(const bags *b, const bag *x, const uint64_t *state) {
    uint32_t n = 0;
    while (n < x->nslots && read_field(fields_of(b, x, n), state)) n++;
    return n;
}

// Are all other slots free, and hold nothing?
static bool is_rest_free(const bags *b, const bag *x, uint32_t taken, const uint64_t *state) {
    const uint32_t *first = &b->rests.data[x->rests + x->nslots - taken];
    uint64_t differs = 0;
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const area *a = &b->rest_areas.data[i];
        differs |= (state[a->word] & a->mask) ^ a->free;
    }
    return !differs;
}

void bags_order(const bags *b, const uint64_t *before, uint64_t *state) {
    uint64_t keys[b->most_words];
    for (uint32_t i = 0; i < b->all.len; i++) {
        const bag *x = &b->all.data[i];
        if (!bags_is_changed(b, x, before, state)) continue;
        uint32_t taken = count_taken(b, x, state);
        if (is_rest_free(b, x, taken, state)) order_taken(b, x, taken, state, keys);
        else order_mixed(b, x, state, keys);
    }
}

void bags_order_renamed(const bags *b, uint64_t *state) {
    uint64_t keys[b->most_words];
    for (uint32_t i = 0; i < b->all.len; i++) {
        const bag *x = &b->all.data[i];
        uint32_t taken = count_taken(b, x, state);
        if (taken > 1) order_taken(b, x, taken, state, keys);
    }
}

// ---- slots as elements

static bool has_func(const bag_info *info, func f) {
    for (uint32_t i = 0; i < info->nfuncs; i++)
        if (info->funcs[i].id == f.id) return true;
    return false;
}

uint32_t bags_slot(const bags *b, func f, const value *args, uint32_t i) {
    const func_info *info = func_of(b->l->in->m, f);
    for (uint32_t k = 0; k < b->families.len; k++) {
        const family *x = &b->families.data[k];
        if (x->info->position != i || !has_func(x->info, f)) continue;
        uint32_t which = 0;
        for (uint32_t a = 0; a <= i; a++)
            which = which * instance_type_size(b->l->in, info->args[a]) +
                    (uint32_t)(args[a] - instance_type_first(b->l->in, info->args[a]));
        return x->first + which;
    }
    return UINT32_MAX;
}

uint32_t bags_slots(const bags *b) { return b->nslots; }

uint64_t bags_taken(const bags *b, uint32_t slot, uint32_t *word) {
    const bag *x = b->all.data;
    for (; slot >= x->nslots; x++) slot -= x->nslots;
    const field *f = fields_of(b, x, slot);
    *word = f->word;
    return f->mask << f->shift;
}
