// SPDX-License-Identifier: Apache-2.0
// The numbers of stored states: see order.h. What is remembered is where each level begins in each partition,
// so a number costs no memory of its own. A state space that is thousands of levels deep has few states in
// each: after the first thousand, where there are so few, several levels in a row are given by a few bytes each, and
// only the one before them has a mark. These are a byte with the number of states and then their partitions, one
// byte for each, or, if there are as many states as partitions, 0 and then how many states each partition has.
//
// Invariant: the levels of a mark are its own, whose sizes are the first of its thin entries, and those that
// begin where such an entry ends; the last one ends where the next mark's begins, or is open. A cut has a mark without
// thin entries. Those after the last level that has begun lie in the open one.
#include "explore/order.h"

#include "explore/strips.h"

#include <string.h>

enum {
    THIN_BYTES = 128,  // between two marks, and one entry more
    // Levels that always have a mark, which is found faster. Measured when entries had eight levels: with none of
    // these marks peterson (37 levels) takes 22 % more instructions, directory (27) 5 %; with nothing but marks 200,000
    // levels of one state take 37 MB in place of 14.
    MARKS_FIRST = 1000
};

void order_free(order *o) {
    vec_free(&o->marks);
    vec_free(&o->thins);
    *o = (order){0};
}

// What a vec of this many has room for after some more.
static uint64_t room_for_more(uint32_t len, uint64_t cap, uint32_t more) {
    while (cap < (uint64_t)len + more) cap = cap ? 2 * cap : 8;
    return cap;
}

uint64_t order_bytes(const order *o) {
    return room_for_more(o->marks.len, o->marks.cap, 1) * sizeof *o->marks.data +
           room_for_more(o->thins.len, o->thins.cap, 1 + STORE_PARTS);
}

// ---- closing levels

static void order_add_mark(order *o, order_level at, bool is_cut) {
    vec_push(&o->marks, (order_mark){.level = at, .thin = o->thins.len, .is_cut = is_cut});
}

// Is a level that lies between two beginnings small in every partition?
static bool is_thin(const order_level *from, const order_level *to) {
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        if (to->begin[p] - from->begin[p] > UINT8_MAX) return false;
    return true;
}

static void order_add_thin(order *o, const order_level *from, const order_level *to) {
    uint64_t n = to->first - from->first;
    bool is_list = n < STORE_PARTS;
    vec_push(&o->thins, is_list ? (uint8_t)n : 0);
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        uint32_t size = to->begin[p] - from->begin[p];
        if (!is_list) vec_push(&o->thins, (uint8_t)size);
        for (uint32_t i = 0; is_list && i < size; i++) vec_push(&o->thins, (uint8_t)p);
    }
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
    if (o->marks.len == 0) order_add_mark(o, o->open, false);
    if (next.first == o->open.first) return;
    bool has_room = o->marks.len >= MARKS_FIRST && o->thins.len - vec_last(&o->marks).thin < THIN_BYTES &&
                    !vec_last(&o->marks).is_cut && o->thins.len < UINT32_MAX - 1 - STORE_PARTS;
    bool is_small = has_room && is_thin(&o->open, &next);
    if (is_small) order_add_thin(o, &o->open, &next);
    o->open = next;
    if (!is_small) order_add_mark(o, o->open, false);
}

void order_cut(order *o) { order_add_mark(o, counted_level(o), true); }

// ---- looking up

// The first mark from `low` on that begins at a number or after it.
static uint32_t mark_from(const order *o, uint32_t low, uint64_t number) {
    uint32_t high = o->marks.len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (o->marks.data[middle].level.first < number) low = middle + 1;
        else high = middle;
    }
    return low;
}

uint32_t order_cuts(const order *o, store_number first, uint64_t size, uint32_t *first_cut) {
    *first_cut = mark_from(o, 0, first + 1);
    return mark_from(o, *first_cut, first + size) - *first_cut;
}

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

static uint32_t thin_bytes(const uint8_t *thin) { return 1 + (*thin ? *thin : STORE_PARTS); }

// Adds the sizes of a thin level to where it begins; returns the bytes that it takes.
static uint32_t add_thin(order_level *level, const uint8_t *thin) {
    uint32_t n = *thin;
    for (uint32_t i = 1; i <= n; i++) level->begin[thin[i]]++;
    level->first += n;
    for (uint32_t p = 0; !n && p < STORE_PARTS; p++) {
        level->begin[p] += thin[1 + p];
        level->first += thin[1 + p];
    }
    return thin_bytes(thin);
}

// The batch with a key as above, and the beginning of the one after it.
static order_level find_level(const order *o, uint32_t part, uint64_t key, order_level *next) {
    uint32_t mark = find_mark(o, part, key);
    uint32_t end = mark + 1 < o->marks.len ? o->marks.data[mark + 1].thin : o->thins.len;
    order_level at = o->marks.data[mark].level;
    *next = at;
    for (uint32_t i = o->marks.data[mark].thin; i < end; at = *next) {
        i += add_thin(next, o->thins.data + i);
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

uint64_t order_batch_first(store_id id, void *cursor) {
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

static void order_enter_strip(order_walk *w) {
    if (w->number && w->number < w->next.first) strips_next((strips){w->at.begin, w->next.begin}, &w->place);
    else {
        w->at = find_level(w->o, STORE_PARTS, w->number, &w->next);
        w->place = strips_find((strips){w->at.begin, w->next.begin}, w->number - w->at.first);
    }
    w->left = strips_left((strips){w->at.begin, w->next.begin}, &w->place);
}

store_id order_walk_next(order_walk *w) {
    if (!w->left) order_enter_strip(w);
    w->left--;
    w->number++;
    return store_id_of(w->place.part, w->place.local++);
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

// Adds thin levels up to the end of their bytes, which is where the last of them must end.
static bool add_sound_thins(const order *o, uint32_t begin, uint32_t end, order_level *at) {
    for (uint32_t i = begin; i < end; i += add_thin(at, o->thins.data + i)) {
        const uint8_t *thin = o->thins.data + i;
        if (*thin >= STORE_PARTS || thin_bytes(thin) > end - i) return false;
        for (uint32_t k = 1; k <= *thin; k++)
            if (thin[k] >= STORE_PARTS) return false;
    }
    return true;
}

// What follows a mark up to where the next one begins.
static bool is_mark_sound(const order *o, uint32_t i, order_level *at) {
    const order_mark *m = &o->marks.data[i];
    uint32_t end = i + 1 < o->marks.len ? o->marks.data[i + 1].thin : o->thins.len;
    bool ok = m->is_cut <= 1 && m->thin <= end && end <= o->thins.len && (!m->is_cut || m->thin == end);
    ok = ok && is_up_to(at, &m->level);
    *at = m->level;
    return ok && add_sound_thins(o, m->thin, end, at);
}

bool order_is_sound(const order *o) {
    order_level at = {0}, all = counted_level(o);
    uint32_t nclosed = o->marks.len;  // marks up to that of the last level
    while (nclosed && o->marks.data[nclosed - 1].is_cut) nclosed--;
    bool ok = nclosed && o->marks.data[0].thin == 0 && o->marks.data[0].level.first == 0 && !o->marks.data[0].is_cut;
    for (uint32_t i = 0; ok && i < nclosed; i++) ok = is_mark_sound(o, i, &at);
    ok = ok && is_up_to(&at, &o->open);
    at = o->open;
    for (uint32_t i = nclosed; ok && i < o->marks.len; i++) ok = is_mark_sound(o, i, &at);
    return ok && is_up_to(&at, &all);
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
        if (!o->marks.data[i].is_cut) size_up_to(&l, at.first);
        for (uint32_t k = o->marks.data[i].thin; k < end;) {
            k += add_thin(&at, o->thins.data + k);
            size_up_to(&l, at.first);
        }
    }
    size_up_to(&l, total);
}
