// SPDX-License-Identifier: Apache-2.0
// The numbers of stored states: see order.h. What is remembered is where each level begins in each partition,
// so a number costs no memory of its own. A state space that is thousands of levels deep has few states in
// each: after the first thousand, where there are so few, up to eight levels in a row are given by their sizes
// alone, one byte per partition, and only the one before them has a mark.
//
// Invariant: the levels of a mark are its own, whose sizes are the first of its thin entries, and those that
// begin where such an entry ends; the last one ends where the next mark's begins, or is open.
#include "explore/order.h"

#include "explore/strips.h"

#include <string.h>

enum {
    THIN_MOST = 8,      // between two marks
    MARKS_FIRST = 1000  // levels that always have a mark, which is found faster
};

void order_free(order *o) {
    vec_free(&o->marks);
    vec_free(&o->thins);
}

// What a vec of this many has room for after one more.
static uint64_t room_for_more(uint32_t len, uint32_t cap) {
    if (len < cap) return cap;
    return cap ? 2 * (uint64_t)cap : 8;
}

uint64_t order_bytes(const order *o) {
    return room_for_more(o->marks.len, o->marks.cap) * sizeof *o->marks.data +
           room_for_more(o->thins.len, o->thins.cap) * sizeof *o->thins.data;
}

// ---- closing levels

static void order_add_mark(order *o) { vec_push(&o->marks, (order_mark){.level = o->open, .thin = o->thins.len}); }

// The sizes of a level that lies between two beginnings, if they are small.
static bool is_thin(const order_level *from, const order_level *to, order_thin *thin) {
    uint32_t most = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        uint32_t size = to->begin[p] - from->begin[p];
        thin->sizes[p] = (uint8_t)size;
        if (size > most) most = size;
    }
    return most <= UINT8_MAX;
}

void order_count(order *o, const store *s) {
    for (uint32_t p = 0; p < STORE_PARTS; p++) o->counts[p] = store_count(s, p);
}

uint64_t order_total(const order *o) {
    uint64_t total = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) total += o->counts[p];
    return total;
}

// Where the states counted end.
static order_level counted_level(const order *o) {
    order_level all = {.first = order_total(o)};
    memcpy(all.begin, o->counts, sizeof all.begin);
    return all;
}

void order_close(order *o) {
    order_level next = counted_level(o);
    order_thin thin;
    if (o->marks.len == 0) order_add_mark(o);
    if (next.first == o->open.first) return;
    bool has_room = o->marks.len >= MARKS_FIRST && o->thins.len - vec_last(&o->marks).thin < THIN_MOST;
    bool is_small = has_room && is_thin(&o->open, &next, &thin);
    o->open = next;
    if (is_small) vec_push(&o->thins, thin);
    else order_add_mark(o);
}

// ---- looking up

// The last mark that does not begin after `key` in the partition, or after the number if part is STORE_PARTS.
static uint32_t find_mark(const order *o, uint32_t part, uint64_t key) {
    uint32_t low = 0, high = o->marks.len;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        const order_level *l = &o->marks.data[middle].level;
        uint64_t begin = part == STORE_PARTS ? l->first : l->begin[part];
        if (begin <= key) low = middle;
        else high = middle;
    }
    return low;
}

// Where the levels of a mark end.
static void mark_end(const order *o, uint32_t mark, order_level *end) {
    if (mark + 1 < o->marks.len) {
        *end = o->marks.data[mark + 1].level;
        return;
    }
    end->first = UINT64_MAX;
    memcpy(end->begin, o->counts, sizeof end->begin);
}

static order_level add_thin(const order_level *from, const order_thin *thin) {
    order_level to = *from;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        to.begin[p] += thin->sizes[p];
        to.first += thin->sizes[p];
    }
    return to;
}

// The level with a key as above, and the beginning of the one after it.
static order_level find_level(const order *o, uint32_t part, uint64_t key, order_level *next) {
    uint32_t mark = find_mark(o, part, key);
    uint32_t end = mark + 1 < o->marks.len ? o->marks.data[mark + 1].thin : o->thins.len;
    order_level at = o->marks.data[mark].level;
    for (uint32_t i = o->marks.data[mark].thin; i < end; i++, at = *next) {
        *next = add_thin(&at, &o->thins.data[i]);
        if (key < (part == STORE_PARTS ? next->first : next->begin[part])) return at;
    }
    mark_end(o, mark, next);
    return at;
}

uint64_t order_number(const order *o, store_id id) {
    uint32_t part = store_id_part(id), local = store_id_local(id);
    order_level next, at = find_level(o, part, local, &next);
    return at.first + strips_position((strips){at.begin, next.begin}, part, local);
}

uint64_t order_level_first(store_id id, void *cursor) {
    order_cursor *c = cursor;
    uint32_t part = store_id_part(id), local = store_id_local(id);
    bool is_same = c->part == part && c->at.begin[part] <= local && local < c->next.begin[part];
    if (!is_same) c->at = find_level(c->o, part, local, &c->next);
    c->part = part;
    return c->at.first;
}

store_id order_id(const order *o, uint64_t number) {
    order_level next, at = find_level(o, STORE_PARTS, number, &next);
    strips_place place = strips_find((strips){at.begin, next.begin}, number - at.first);
    return store_id_of(place.part, place.local);
}

// ---- what a file says

static bool is_level(const order_level *l) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) sum += l->begin[p];
    return l->first == sum;
}

static bool is_up_to(const order_level *a, const order_level *b) {
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        if (a->begin[p] > b->begin[p]) return false;
    return is_level(a) && is_level(b);
}

bool order_is_sound(const order *o) {
    order_level at = {0}, all = counted_level(o);
    bool ok = o->marks.len > 0 && o->marks.data[0].thin == 0 && o->marks.data[0].level.first == 0;
    for (uint32_t i = 0; ok && i < o->marks.len; i++) {
        uint32_t thin = o->marks.data[i].thin, end = i + 1 < o->marks.len ? o->marks.data[i + 1].thin : o->thins.len;
        ok = thin <= end && end <= o->thins.len && is_up_to(&at, &o->marks.data[i].level);
        at = o->marks.data[i].level;
        for (uint32_t k = thin; ok && k < end; k++) at = add_thin(&at, &o->thins.data[k]);
    }
    return ok && is_up_to(&at, &o->open) && is_up_to(&o->open, &all);
}

typedef struct {
    uint64_t first;
    void (*visit)(uint64_t size, void *context);
    void *context;
} level_sizes;

static void size_up_to(level_sizes *l, uint64_t first) {
    if (first > l->first) l->visit(first - l->first, l->context);
    l->first = first;
}

void order_sizes(const order *o, uint64_t total, void (*visit)(uint64_t size, void *context), void *context) {
    level_sizes l = {.visit = visit, .context = context};
    for (uint32_t i = 0; i < o->marks.len; i++) {
        order_level at = o->marks.data[i].level;
        uint32_t end = i + 1 < o->marks.len ? o->marks.data[i + 1].thin : o->thins.len;
        size_up_to(&l, at.first);
        for (uint32_t k = o->marks.data[i].thin; k < end; k++) {
            at = add_thin(&at, &o->thins.data[k]);
            size_up_to(&l, at.first);
        }
    }
    size_up_to(&l, total);
}
