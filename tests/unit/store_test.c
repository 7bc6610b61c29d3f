// SPDX-License-Identifier: Apache-2.0
// The state store and the numbers of its states, against a plain map: growth, collisions, odd sizes, budgets.
#include "oracle/unit.h"

#include "base/map.h"
#include "base/rng.h"
#include "explore/buckets.h"
#include "explore/order.h"
#include "explore/packing.h"
#include "explore/recent.h"
#include "explore/store.h"
#include "explore/strips.h"

#include <string.h>

enum { MOST_WORDS = 8 };

static uint32_t words_of(uint32_t bits) { return (bits + 63) / 64; }

static void ones(uint32_t bits, uint64_t *most) {
    for (uint32_t k = 0; k < words_of(bits); k++) most[k] = UINT64_MAX;
    if (bits % 64) most[bits / 64] = (UINT64_C(1) << bits % 64) - 1;
}

static store *new_store(uint32_t bits, budget *b) {
    uint64_t most[MOST_WORDS] = {0};
    ones(bits, most);
    return store_new(words_of(bits), most, false, b);
}

static void random_state(rng *r, uint32_t words, const uint64_t *most, uint64_t range, uint64_t *state) {
    for (uint32_t k = 0; k < words; k++) state[k] = (range ? rng_next(r) % range : rng_next(r)) & most[k];
}

static uint32_t made_guess(const store *s, uint32_t part, uint32_t print) {
    uint32_t guess;
    store_prefetch(s, part, &print, 1);
    store_guess(s, part, &print, 1, &guess);
    store_expect(s, part, &print, 1, &guess);
    return guess;
}

// Any guess will do: one that is made for the state, one of another state, none.
static uint32_t some_guess(const store *s, uint64_t hash) {
    uint32_t part = store_hash_part(hash);
    switch (hash >> 32 & 3) {
    case 0: return STORE_NO_GUESS;
    case 1: return (uint32_t)(hash >> 34) % (store_count(s, part) + 2);
    default: return made_guess(s, part, store_hash_print(hash));
    }
}

static store_answer put(store *s, const uint64_t *state, store_number parent) {
    uint64_t hash = store_hash(s, state);
    store_answer a = store_put(s, store_hash_part(hash), store_hash_print(hash), state, some_guess(s, hash));
    if (a == STORE_NEW && parent != STORE_NONE) store_set_parent(s, store_find(s, state), parent);
    return a;
}

// States go in and come out, each once, with their parents.
static void compare_with_map(uint32_t words, const uint64_t *most, uint32_t n, uint64_t range) {
    uint64_t state[MOST_WORDS] = {0}, back[MOST_WORDS] = {0};
    budget b = {.limit = UINT64_MAX};
    store *s = store_new(words, most, false, &b);
    map *seen = map_new();
    VEC(store_id) ids = {0};
    rng r = {n + words};
    for (uint32_t i = 0; i < n; i++) {
        random_state(&r, words, most, range, state);
        bool is_new = map_intern(seen, state, words * 8, ids.len) == ids.len;
        store_number parent = ids.len ? i % ids.len : STORE_NONE;
        assert_int_equal(put(s, state, parent), is_new ? STORE_NEW : STORE_OLD);
        store_id id = store_find(s, state);
        if (is_new) {
            assert_true(store_parent(s, id) == parent);
            vec_push(&ids, id);
        }
        assert_true(ids.data[map_get(seen, state, words * 8, UINT32_MAX)] == id);
    }
    assert_int_equal(store_total(s), map_count(seen));
    for (uint32_t i = 0; i < ids.len; i++) {
        size_t size;
        store_get(s, ids.data[i], back);
        assert_memory_equal(back, map_key(seen, i, &size), words * 8);
    }
    assert_true(atomic_load(&b.used) <= store_bytes(s));
    store_free(s);
    map_free(seen);
    vec_free(&ids);
}

static void compare_width(uint32_t bits, uint32_t n, uint64_t range) {
    uint64_t most[MOST_WORDS] = {0};
    ones(bits, most);
    compare_with_map(words_of(bits), most, n, range);
}

static void widths(void **state) {
    (void)state;
    const uint32_t bits[] = {1, 7, 8, 9, 31, 32, 33, 56, 57, 63, 64, 65, 72, 100, 127, 128, 129, 192, 200, 257, 511};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) compare_width(bits[i], 6000, 0);
}

// Words that are not filled, as cells never lie across two of them.
static void gaps(void **state) {
    (void)state;
    const uint64_t most[][4] = {{0x7f, UINT64_MAX, 0x1ff, 1},
                                {0x3ffffffffffff, 0, 0xffffff, 0},
                                {0, 0, 0, 0x7fffffffffffffff},
                                {UINT64_C(1) << 63, 0xff, 0, 0}};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) compare_with_map(4, most[i], 6000, 0);
}

// Bits that begin to vary one after the other, also after thousands of states.
static void late_bits(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 8; seed++) {
        uint64_t most[3] = {UINT64_MAX, UINT64_MAX >> seed, 0xffffffffff}, x[3] = {0}, back[3];
        budget b = {.limit = UINT64_MAX};
        store *s = store_new(3, most, false, &b);
        map *seen = map_new();
        rng r = {seed};
        VEC(store_id) ids = {0};
        for (uint32_t i = 0; i < 60000; i++) {
            uint32_t bit = rng_below(&r, 20 + i / (300 + 100 * seed)) * 37 % 160;
            x[bit / 64] = (x[bit / 64] ^ UINT64_C(1) << bit % 64) & most[bit / 64];
            bool is_new = map_intern(seen, x, sizeof x, ids.len) == ids.len;
            assert_int_equal(put(s, x, i), is_new ? STORE_NEW : STORE_OLD);
            if (is_new) vec_push(&ids, store_find(s, x));
        }
        for (uint32_t i = 0; i < ids.len; i++) {
            size_t size;
            store_get(s, ids.data[i], back);
            assert_memory_equal(back, map_key(seen, i, &size), sizeof back);
        }
        store_free(s);
        map_free(seen);
        vec_free(&ids);
    }
}

// Wide states that hardly differ, so that pages are small and lie together, until all their bits begin to vary: a page
// is then larger than the memory that others share.
static void late_and_wide(void **state) {
    (void)state;
    enum { WIDE = 1100, FEW = 34000, LATE = 600, PART = 5 };
    static uint64_t most[WIDE], x[WIDE], back[WIDE];
    for (uint32_t k = 0; k < WIDE; k++) most[k] = UINT64_MAX;
    budget b = {.limit = UINT64_MAX};
    store *s = store_new(WIDE, most, false, &b);
    for (uint32_t i = 0; i < FEW + LATE; i++) {
        for (uint32_t k = 1; k < WIDE && i >= FEW; k++) x[k] = (i - FEW) * k * UINT64_C(0x9E3779B97F4A7C15);
        x[0] = i;
        assert_int_equal(store_put(s, PART, i * 2654435761u, x, STORE_NO_GUESS), STORE_NEW);
        assert_int_equal(store_put(s, PART, i * 2654435761u, x, STORE_NO_GUESS), STORE_OLD);
    }
    for (uint32_t i = 0; i < FEW + LATE; i++) {
        store_get(s, store_id_of(PART, i), back);
        assert_true(back[0] == i);
        for (uint32_t k = 1; k < WIDE; k++)
            assert_true(back[k] == (i < FEW ? 0 : (i - FEW) * k * UINT64_C(0x9E3779B97F4A7C15)));
    }
    assert_true(atomic_load(&b.used) <= store_bytes(s));
    store_free(s);
}

// ---- parts of the store

static uint32_t slow_gather(uint64_t x, uint64_t mask, uint64_t *to) {
    uint32_t n = 0;
    *to = 0;
    for (uint32_t i = 0; i < 64; i++)
        if (mask >> i & 1) *to |= (x >> i & 1) << n++;
    return n;
}

// Packed bits are those of the mask, one after the other; nothing before or after the record is touched.
static void packings(void **state) {
    (void)state;
    rng r = {3};
    for (uint32_t round = 0; round < 3000; round++) {
        uint64_t mask[3], base[3], x[3], back[3], gathered;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t kind = rng_below(&r, 4);
            mask[k] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : rng_next(&r) & (kind == 2 ? rng_next(&r) : UINT64_MAX);
            base[k] = rng_next(&r);
            x[k] = (rng_next(&r) & mask[k]) | (base[k] & ~mask[k]);
        }
        packing *p = packing_new(3, base, mask);
        unsigned char room[64];
        memset(room, 0xa5, sizeof room);
        packing_put(p, x, room + 8);
        memset(room + 8 + p->bytes, 0x5a, sizeof room - 8 - p->bytes);
        packing_get(p, room + 8, back);
        assert_memory_equal(back, x, sizeof x);
        assert_true(packing_is_equal(p, room + 8, x) && packing_fits(p, x));
        for (uint32_t i = 0; i < 8; i++) assert_int_equal(room[i], 0xa5);
        uint32_t bits = 0;
        for (uint32_t k = 0; k < 3; k++) {
            bits += slow_gather(x[k], mask[k], &gathered);
            assert_true(packing_gather(&p->word[k], x[k]) == gathered);
            packing_word steps = p->word[k];
            steps.is_direct = false;
            assert_true(packing_gather(&steps, x[k]) == gathered);
            assert_true(packing_spread(&steps, gathered) == x[k] && packing_spread(&p->word[k], gathered) == x[k]);
        }
        assert_in_range(p->bytes, (bits + 7) / 8, (bits + 7 * 2 + 7) / 8);
        uint32_t flip = rng_below(&r, 192);
        x[flip / 64] ^= UINT64_C(1) << flip % 64;
        assert_false(packing_is_equal(p, room + 8, x));
        assert_int_equal(packing_fits(p, x), mask[flip / 64] >> flip % 64 & 1);
        free(p);
    }
}

// Every number is found with its fingerprint, in tables of any size that are nearly full.
static void bucket_tables(void **state) {
    (void)state;
    for (uint32_t count = 1; count < 3000; count = count * 5 / 4 + 1) {
        buckets b = {0};
        buckets_make(&b, count);
        uint32_t n = (uint32_t)(buckets_room(count) * 31 / 32), others = 0, number;
        for (uint32_t i = 0; i < n; i++) buckets_add(&b, i * UINT32_C(2654435761) & ~(i & 255), i);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t found = 0;
            buckets_search s = buckets_begin(&b, i * UINT32_C(2654435761) & ~(i & 255));
            while (buckets_next(&b, &s, &number)) {
                assert_true(number < n);
                found += number == i;
                others++;
            }
            assert_int_equal(found, 1);
        }
        assert_true(count < 100 || others / n < 40);
        buckets_free(&b);
    }
}

// A table that is filled at once, in pieces of any size, is that to which pairs are added one by one.
static void bucket_tables_filled(void **state) {
    (void)state;
    enum { MOST = 80000 };
    uint32_t *prints = malloc(MOST * sizeof *prints);
    rng r = {11};
    for (uint32_t i = 0; i < MOST; i++) prints[i] = (uint32_t)rng_next(&r) >> (i % 3 * 4) << (i % 5);
    for (uint32_t count = 1; count < 3000; count = count * 4 / 3 + 1) {
        buckets one_by_one = {0}, at_once = {0};
        buckets_make(&one_by_one, count);
        buckets_make(&at_once, count);
        uint8_t *filled = calloc(count, 1);
        uint32_t n = (uint32_t)(buckets_room(count) * 31 / 32);
        for (uint32_t i = 0; i < n; i++) buckets_add(&one_by_one, prints[i], i);
        for (uint32_t i = 0, piece; i < n; i += piece) {
            piece = 1 + rng_below(&r, n - i < 40 ? n - i : 40);
            buckets_fill(&at_once, filled, prints + i, piece, i);
        }
        assert_memory_equal(one_by_one.data, at_once.data, buckets_bytes(count));
        free(filled);
        buckets_free(&one_by_one);
        buckets_free(&at_once);
    }
    free(prints);
}

// Who is not there is looked for beyond the first bucket in few of the cases in which that is full.
static void bucket_searches_end(void **state) {
    (void)state;
    enum { COUNT = 4000 };
    rng r = {7};
    buckets b = {0};
    buckets_make(&b, COUNT);
    uint32_t n = (uint32_t)(buckets_room(COUNT) * 15 / 16), further = 0, full = 0, number;
    for (uint32_t i = 0; i < n; i++) buckets_add(&b, (uint32_t)rng_next(&r), i);
    for (uint32_t i = 0; i < n; i++) {
        buckets_search s = buckets_begin(&b, (uint32_t)rng_next(&r));
        const unsigned char *at = s.bucket;
        while (buckets_next(&b, &s, &number)) continue;
        further += s.bucket != at;
        full += at[b.each - 1] != 0;
    }
    assert_in_range(further, 1, full / 2 + full / 8);
    buckets_free(&b);
}

// ---- files

typedef struct {
    VEC(unsigned char) bytes;
    uint32_t at;
} memory_file;

static bool to_memory(void *context, void *data, size_t size) {
    memory_file *f = context;
    for (size_t i = 0; i < size; i++) vec_push(&f->bytes, ((unsigned char *)data)[i]);
    return true;
}

static bool from_memory(void *context, void *data, size_t size) {
    memory_file *f = context;
    if (f->at + size > f->bytes.len) return false;
    if (size) memcpy(data, f->bytes.data + f->at, size);
    f->at += (uint32_t)size;
    return true;
}

static void same_record(const store *a, const store *b, uint32_t part, uint32_t local) {
    uint64_t x[2], y[2];
    store_id id = store_id_of(part, local);
    assert_true(store_parent(a, id) == store_parent(b, id));
    assert_true(store_hash_of(a, id) == store_hash_of(b, id));
    if (local < store_first_whole(a, part)) return;
    store_get(a, id, x);
    store_get(b, id, y);
    assert_memory_equal(x, y, sizeof x);
    assert_true(store_find(b, x) == id);
}

// What was put since the last piece goes into the next one.
static void save_piece(const store *s, store_extent *done, memory_file *f, store *t) {
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        store_extent now = store_extent_of(s, p);
        uint32_t before = f->bytes.len;
        assert_true(store_save(s, p, done[p], now, to_memory, f));
        assert_int_equal(f->bytes.len - before, store_bytes_between(s, done[p], now));
        assert_true(store_load(t, p, now, from_memory, f));
        done[p] = now;
    }
}

// A store that was read in pieces, some of which were written late, and then filled as the first one was, is the same.
static void files(bool is_compact, uint32_t n, uint32_t written, uint32_t pieces) {
    budget b = {.limit = UINT64_MAX};
    uint64_t most[2] = {UINT64_MAX, 0xffffffffffff}, x[2];
    store *s = store_new(2, most, is_compact, &b), *t = store_new(2, most, is_compact, &b);
    store_extent done[STORE_PARTS] = {{0}};
    memory_file f = {0};
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = round ? written : 0; i < n; i++) {
            x[0] = (uint64_t)i * i;
            x[1] = i % 7;
            put(round ? t : s, x, i < 5 ? STORE_NONE : i - 5 + i % 3 * 200);
            if (round) continue;
            for (uint32_t p = 0; i < written && i % 1000 == 999 && p < STORE_PARTS; p++)
                store_forget(s, p, store_count(s, p) - store_count(s, p) / 3);
            if (i + 1 == written || (i < written && i % (n / pieces + 1) == 0)) save_piece(s, done, &f, t);
        }
        for (uint32_t p = 0; !round && p < STORE_PARTS; p++) assert_true(store_load_end(t, p));
    }
    assert_int_equal(f.at, f.bytes.len);
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        assert_int_equal(store_count(s, p), store_count(t, p));
        assert_int_equal(store_first_whole(s, p), store_first_whole(t, p));
        for (uint32_t i = 0; i < store_count(s, p); i++) same_record(s, t, p, i);
    }
    store_free(s);
    store_free(t);
    vec_free(&f.bytes);
}

static void saved_and_loaded(void **state) {
    (void)state;
    for (uint32_t n = 1; n < 60000; n = n * 3 + 1) {
        for (uint32_t pieces = 1; pieces < 40; pieces = pieces * 3 + 1) {
            files(false, n, n, pieces);
            files(true, n, n, pieces);
            files(false, n, n - n / 3, pieces);
            files(true, n, n - n / 3, pieces);
        }
    }
}

static void growth(void **state) {
    (void)state;
    compare_width(64, 300000, 200000);
    compare_width(128, 100000, 0);
}

static void no_bits(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(0, &b);
    uint64_t nothing = 0;
    assert_true(store_find(s, &nothing) == STORE_NONE);
    assert_int_equal(put(s, &nothing, STORE_NONE), STORE_NEW);
    assert_int_equal(put(s, &nothing, STORE_NONE), STORE_OLD);
    assert_int_equal(store_total(s), 1);
    store_free(s);
}

// In a large partition few bits of a fingerprint are kept: every tenth put or so meets a false friend.
static void false_friends(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    uint32_t n = 0;
    for (uint64_t x = 0; n < 600000; x++) {  // of one partition only, so that it is a large one
        uint64_t hash = store_hash(s, &x);
        if (store_hash_part(hash) != 3) continue;
        assert_int_equal(store_put(s, 3, store_hash_print(hash), &x, STORE_NO_GUESS), STORE_NEW);
        n++;
    }
    for (uint64_t x = 0; n > 0; x++) {
        uint64_t hash = store_hash(s, &x);
        if (store_hash_part(hash) != 3) continue;
        assert_int_equal(store_put(s, 3, store_hash_print(hash), &x, STORE_NO_GUESS), STORE_OLD);
        n--;
    }
    assert_int_equal(store_count(s, 3), 600000);
    store_free(s);
}

// A compact store knows what was put into it, and the states put since some were forgotten.
static void compact(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    uint64_t most[2] = {UINT64_MAX, 0xffffff}, x[2] = {0}, back[2];
    store *s = store_new(2, most, true, &b);
    assert_true(store_is_compact(s));
    VEC(store_id) ids = {0};
    for (x[0] = 0; x[0] < 100000; x[0]++) {
        x[1] = x[0] * 7 & 0xffffff;
        assert_int_equal(put(s, x, ids.len ? ids.len - 1 : STORE_NONE), STORE_NEW);
        assert_int_equal(put(s, x, STORE_NONE), STORE_OLD);
        vec_push(&ids, store_find(s, x));
        assert_true(store_hash_of(s, vec_last(&ids)) == store_hash(s, x));
        if (x[0] % 9000 == 8999)
            for (uint32_t p = 0; p < STORE_PARTS; p++) store_forget(s, p, store_count(s, p) - p % 32);
    }
    uint32_t nread = 0;
    for (uint32_t i = 0; i < ids.len; i++) {
        assert_true(store_parent(s, ids.data[i]) == (i ? i - 1 : STORE_NONE));
        if (store_id_local(ids.data[i]) < store_first_whole(s, store_id_part(ids.data[i]))) continue;
        store_get(s, ids.data[i], back);
        assert_true(back[0] == i && back[1] == (i * UINT64_C(7) & 0xffffff));
        nread++;
    }
    // those since the last time, and 0, 1, … 31 of before
    assert_int_equal(nread, 1000 + STORE_PARTS / 32 * 31 * 32 / 2);
    store_free(s);
    vec_free(&ids);
}

// Parents as a search has them: in order, so that most take one byte.
static void parents(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    rng r = {5};
    VEC(store_id) ids = {0};
    VEC(store_number) expected = {0};
    for (uint64_t x = 0; x < 200000; x++) {
        uint32_t back = 1 + rng_below(&r, x % 1000 == 0 ? 5000 : 40);
        store_number parent = x < 10 || back > x ? STORE_NONE : x - back;
        if (x % 50000 == 7) parent = (UINT64_C(1) << 36) + x;
        put(s, &x, parent);
        vec_push(&ids, store_find(s, &x));
        vec_push(&expected, parent);
    }
    for (uint32_t i = 0; i < ids.len; i++) assert_true(store_parent(s, ids.data[i]) == expected.data[i]);
    store_free(s);
    vec_free(&ids);
    vec_free(&expected);
}

// Bytes a state, times 1000, at their worst from 100,000 states on: states of which some bits vary, with
// parents in order, as in a search.
static uint64_t worst_bytes(uint32_t bits, uint64_t varying, uint64_t n) {
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(bits, &b);
    uint64_t most[MOST_WORDS] = {0}, state[MOST_WORDS], back[MOST_WORDS], worst = 0;
    ones(bits, most);
    rng r = {17};
    VEC(store_id) ids = {0};
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < words_of(bits); k++) state[k] = rng_next(&r) & varying & most[k];
        if (put(s, state, i) != STORE_NEW) fail();
        vec_push(&ids, store_find(s, state));
        uint64_t bytes = store_bytes(s) * 1000 / (i + 1);
        if (i >= 100000 && bytes > worst) worst = bytes;
    }
    rng again = {17};
    for (uint32_t i = 0; i < n; i++) {
        store_get(s, ids.data[i], back);
        for (uint32_t k = 0; k < words_of(bits); k++) assert_true(back[k] == (rng_next(&again) & varying & most[k]));
        if (i % 64 == 0) assert_true(store_parent(s, ids.data[i]) == i);
    }
    assert_true(atomic_load(&b.used) <= store_bytes(s));
    store_free(s);
    vec_free(&ids);
    return worst;
}

// 20 bytes for each state of 120 bits that all vary, at any number of states; less where bits do not vary.
static void memory_a_state(void **state) {
    (void)state;
    assert_in_range(worst_bytes(120, UINT64_MAX, 700000), 18000, 20000);
    assert_in_range(worst_bytes(120, UINT64_C(0x0f0f0f0f0f0f0f0f), 400000), 10000, 13000);
}

// A budget is never exceeded; what was stored stays, and what is there is still found.
static void budgets(void **state) {
    (void)state;
    for (uint64_t limit = 0; limit < 400000; limit = limit * 3 / 2 + 1000) {
        budget b = {.limit = limit};
        store *s = new_store(100, &b);
        uint64_t x[2] = {0}, stored = 0, refused = 0;
        for (x[0] = 0; x[0] < 20000; x[0]++) {
            store_answer a = put(s, x, STORE_NONE);
            assert_true(a != STORE_OLD);
            assert_true(atomic_load(&b.used) <= limit);
            if (a == STORE_NEW) stored++;
            else refused++;
        }
        assert_int_equal(store_total(s), stored);
        if (limit < 100000) assert_true(refused > 0);
        for (x[0] = 0; x[0] < 20000; x[0]++) stored -= store_find(s, x) != STORE_NONE;
        assert_int_equal(stored, 0);
        store_free(s);
    }
}

static void count_sizes(uint64_t size, void *count) {
    assert_true(size > 0);
    ++*(uint32_t *)count;
}

// Numbers are 0, 1, 2, … without gaps, ids and numbers map to each other, earlier levels have smaller numbers, and so
// have earlier batches of `batch` states of a level (0: it is not cut).
static void numbers(uint32_t level_size, uint32_t nlevels, uint32_t batch) {
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    order o = {0};
    uint64_t x = 0, before = 0;
    uint32_t nsizes = 0, nbatches = 0, last = 0;
    VEC(uint32_t) batches = {0};  // by state
    for (uint32_t level = 0; level < nlevels; level++) {
        for (uint32_t i = 0; i < level_size + level % 3; i++, x++) {
            put(s, &x, STORE_NONE);
            order_count(&o, s);
            vec_push(&batches, nbatches);
            bool is_end = batch && level && i % batch == batch - 1;
            nbatches += is_end;
            if (is_end) order_cut(&o);
        }
        order_close(&o);
        nbatches++;
    }
    assert_true(order_is_sound(&o));
    order_sizes(&o, x, count_sizes, &nsizes);
    assert_int_equal(nsizes, nlevels);
    if (level_size % 2) order_count(&o, s), order_close(&o);
    assert_int_equal(o.open.first, x);
    order_walk walk = {.o = &o};
    for (uint64_t n = 0; n < x; n++) {
        uint64_t back;
        store_id id = order_id(&o, n);
        assert_int_equal(order_walk_next(&walk), id);
        assert_int_equal(order_number(&o, id), n);
        store_get(s, id, &back);
        assert_true(batches.data[back] >= last);
        last = batches.data[back];
    }
    for (uint64_t y = 0; y < x; y++) before += order_number(&o, store_find(s, &y));
    assert_int_equal(before, x * (x - 1) / 2);
    vec_free(&batches);
    order_free(&o);
    store_free(s);
}

static void numbering(void **state) {
    (void)state;
    numbers(1, 1, 0);
    numbers(5, 3, 0);
    numbers(100, 50, 0);
    numbers(1, 20000, 0);
    numbers(7, 6000, 0);
    numbers(7, 6000, 4);
    numbers(5, 3, 1);
    numbers(100, 50, 100);
    numbers(900, 30, 37);
    numbers(40000, 3, 5000);
}

// The cuts of a level are those within it, however many states their batches have.
static void cuts(void **state) {
    (void)state;
    order o = {0};
    uint32_t first;
    order_close(&o);
    static const uint32_t sizes[] = {3, 4, 0, 0, 5, 9, 0};
    for (uint32_t i = 0; i < 7; i++) {
        o.counts[i * 11 % STORE_PARTS] += sizes[i];
        if (i == 0 || i == 5) order_close(&o);
        else order_cut(&o);
    }
    assert_true(order_is_sound(&o));
    assert_int_equal(order_cuts(&o, 0, 3, &first), 0);
    assert_int_equal(order_cuts(&o, 3, 18, &first), 4);  // after 4, twice with nothing more, after 5 more
    assert_int_equal(o.marks.data[first].level.first, 7);
    assert_int_equal(o.marks.data[first + 3].level.first, 12);
    assert_true(o.marks.data[first].is_cut && !o.marks.data[first - 1].is_cut && !o.marks.data[first + 4].is_cut);
    for (uint64_t n = 0; n < 21; n++) assert_int_equal(order_number(&o, order_id(&o, n)), n);
    o.marks.data[first].level.begin[1]++;
    assert_false(order_is_sound(&o));
    order_free(&o);
}

// A set has the newest states that were put, as many as it has room for.
static void recent_states(uint32_t words) {
    uint64_t set[RECENT_BYTES / 8 * 3] = {0}, seen[100][3];
    rng r = {words};
    for (uint32_t n = 0; n < 100; n++) {
        for (uint32_t k = 0; k < 3; k++) seen[n][k] = rng_next(&r) % 3 << 32 * (n % 2) | (uint64_t)(n + 1) << 40;
        assert_false(recent_has(set, seen[n], words));
        recent_put(set, seen[n], words);
        for (uint32_t i = 0; i <= n; i++) assert_int_equal(recent_has(set, seen[i], words), n - i < recent_ways(words));
    }
}

static void recent(void **state) {
    (void)state;
    for (uint32_t words = 1; words <= 3; words++) recent_states(words);
    assert_int_equal(recent_ways(1), 8);
    assert_int_equal(recent_ways(2), 4);
    assert_int_equal(recent_ways(3), 1);
}

// The order of a level, written down strip by strip.
static uint32_t deal(strips level, strips_place *out) {
    uint32_t n = 0;
    for (uint32_t row = 0, before = UINT32_MAX; n != before; row++) {
        before = n;
        for (uint32_t p = 0; p < STORE_PARTS; p++)
            for (uint32_t i = 0; i < STRIP_STATES; i++) {
                uint32_t local = level.begin[p] + row * STRIP_STATES + i;
                if (local < level.end[p]) out[n++] = (strips_place){row, p, local};
            }
    }
    return n;
}

static void expect_order(strips level) {
    static strips_place all[STORE_PARTS * 1000];
    uint32_t n = deal(level, all);
    assert_int_equal(strips_size(level), n);
    for (uint32_t i = 0; i < n; i++) {
        strips_place found = strips_find(level, i);
        assert_int_equal(strips_position(level, all[i].part, all[i].local), i);
        assert_memory_equal(&found, &all[i], sizeof found);
        uint32_t left = strips_left(level, &found);
        assert_true(left && all[i + left - 1].part == found.part && all[i + left - 1].row == found.row);
        if (i + left == n) continue;
        strips_next(level, &found);
        assert_memory_equal(&found, &all[i + left], sizeof found);
    }
}

// Partitions of any sizes, most of them alike, some empty.
static void order_of_level(void **state) {
    (void)state;
    static const uint32_t most[] = {1, 3, 63, 64, 65, 128, 200, 700};
    rng r = {7};
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t begin[STORE_PARTS], end[STORE_PARTS], top = most[round % 8];
        for (uint32_t p = 0; p < STORE_PARTS; p++) {
            begin[p] = rng_below(&r, 1000);
            end[p] = begin[p] + (rng_below(&r, 8) ? top - rng_below(&r, 1 + top / 8) : rng_below(&r, top + 1));
        }
        expect_order((strips){begin, end});
    }
}

static void initial_first(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    order o = {0};
    uint64_t x = 0, back;
    for (; x < 10; x++) put(s, &x, STORE_NONE);
    order_count(&o, s), order_close(&o);
    for (; x < 200; x++) put(s, &x, store_find(s, &(uint64_t){x % 10}));
    order_count(&o, s), order_close(&o);
    for (uint64_t n = 0; n < 200; n++) {
        store_get(s, order_id(&o, n), &back);
        assert_int_equal(n < 10, back < 10);
    }
    order_free(&o);
    store_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths),
        cmocka_unit_test(gaps),
        cmocka_unit_test(growth),
        cmocka_unit_test(no_bits),
        cmocka_unit_test(false_friends),
        cmocka_unit_test(memory_a_state),
        cmocka_unit_test(budgets),
        cmocka_unit_test(numbering),
        cmocka_unit_test(cuts),
        cmocka_unit_test(recent),
        cmocka_unit_test(order_of_level),
        cmocka_unit_test(initial_first),
        cmocka_unit_test(compact),
        cmocka_unit_test(parents),
        cmocka_unit_test(late_bits),
        cmocka_unit_test(late_and_wide),
        cmocka_unit_test(packings),
        cmocka_unit_test(bucket_tables),
        cmocka_unit_test(bucket_tables_filled),
        cmocka_unit_test(bucket_searches_end),
        cmocka_unit_test(saved_and_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
