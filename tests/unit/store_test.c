// SPDX-License-Identifier: Apache-2.0
// The state store and the numbers of its states, against a plain map: growth, collisions, odd sizes, budgets.
#include "oracle/unit.h"

#include "base/map.h"
#include "base/rng.h"
#include "explore/order.h"
#include "explore/store.h"

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

static store_answer put(store *s, const uint64_t *state, store_id parent) {
    uint64_t hash = store_hash(s, state);
    store_answer a = store_put(s, store_hash_part(hash), store_hash_print(hash), state);
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
        store_id parent = ids.len ? ids.data[i % ids.len] : STORE_NONE;
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
    const uint32_t bits[] = {1,  7,  8,   9,   31,  32,  33,  56,  57,  63, 64,
                             65, 72, 100, 127, 128, 129, 192, 200, 257, 511};
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
        assert_int_equal(store_put(s, 3, store_hash_print(hash), &x), STORE_NEW);
        n++;
    }
    for (uint64_t x = 0; n > 0; x++) {
        uint64_t hash = store_hash(s, &x);
        if (store_hash_part(hash) != 3) continue;
        assert_int_equal(store_put(s, 3, store_hash_print(hash), &x), STORE_OLD);
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
        assert_int_equal(put(s, x, ids.len ? vec_last(&ids) : STORE_NONE), STORE_NEW);
        assert_int_equal(put(s, x, STORE_NONE), STORE_OLD);
        vec_push(&ids, store_find(s, x));
        assert_true(store_hash_of(s, vec_last(&ids)) == store_hash(s, x));
        if (x[0] % 9000 == 8999)
            for (uint32_t p = 0; p < STORE_PARTS; p++) store_forget(s, p, store_count(s, p) - p);
    }
    uint32_t nread = 0;
    for (uint32_t i = 0; i < ids.len; i++) {
        assert_true(store_parent(s, ids.data[i]) == (i ? ids.data[i - 1] : STORE_NONE));
        if (store_id_local(ids.data[i]) < store_first_whole(s, store_id_part(ids.data[i]))) continue;
        store_get(s, ids.data[i], back);
        assert_true(back[0] == i && back[1] == (i * UINT64_C(7) & 0xffffff));
        nread++;
    }
    assert_int_equal(nread, 1000 + 31 * 32 / 2);  // those since the last time, and 0, 1, … 31 of before
    store_free(s);
    vec_free(&ids);
}

// Parents as a search has them: in order, so that most take one byte.
static void parents(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    rng r = {5};
    VEC(store_id) ids = {0}, expected = {0};
    for (uint64_t x = 0; x < 200000; x++) {
        uint32_t back = 1 + rng_below(&r, x % 1000 == 0 ? 5000 : 40);
        store_id parent = x < 10 || back > x ? STORE_NONE : ids.data[x - back];
        put(s, &x, parent);
        vec_push(&ids, store_find(s, &x));
        vec_push(&expected, parent);
    }
    for (uint32_t i = 0; i < ids.len; i++) assert_true(store_parent(s, ids.data[i]) == expected.data[i]);
    store_free(s);
    vec_free(&ids);
    vec_free(&expected);
}

// Order as in a search: a partition's states have parents that go up through one partition after the other.
static void ordered_parents(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    enum { FIRST = 3200, NEXT = 400000 };
    VEC(store_id) first = {0}, next = {0}, expected = {0};
    uint64_t x = 0;
    for (; x < FIRST; x++) put(s, &x, STORE_NONE);
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        for (uint32_t i = 0; i < store_count(s, p); i++) vec_push(&first, store_id_of(p, i));
    uint64_t before = store_bytes(s);
    for (; x < FIRST + NEXT; x++) {
        store_id parent = first.data[(x - FIRST) * FIRST / NEXT];
        put(s, &x, parent);
        vec_push(&next, store_find(s, &x));
        vec_push(&expected, parent);
    }
    assert_true(store_bytes(s) - before < (8 + 8) * (uint64_t)NEXT);
    for (uint32_t i = 0; i < next.len; i += 7) assert_true(store_parent(s, next.data[i]) == expected.data[i]);
    store_free(s);
    vec_free(&first);
    vec_free(&next);
    vec_free(&expected);
}

// At most 9 bytes a state beyond the packed state, at any number of states but small ones.
static void memory_a_state(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    uint64_t worst = 0;
    for (uint64_t x = 1; x <= 1300000; x++) {
        put(s, &x, STORE_NONE);
        if (x < 100000 || x % 1000) continue;
        uint64_t extra = (store_bytes(s) - 8 * x) * 1000 / x;
        if (extra > worst) worst = extra;
    }
    assert_true(worst <= 9000);
    for (uint64_t x = 1, back; x <= 1300000; x++) {
        store_get(s, store_find(s, &x), &back);
        assert_true(back == x);
    }
    store_free(s);
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
        if (limit < 200000) assert_true(refused > 0);
        for (x[0] = 0; x[0] < 20000; x[0]++) stored -= store_find(s, x) != STORE_NONE;
        assert_int_equal(stored, 0);
        store_free(s);
    }
}

// Numbers are 0, 1, 2, … without gaps, ids and numbers map to each other, earlier batches have smaller
// numbers.
static void numbers(uint32_t level_size, uint32_t nlevels) {
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    order o = {0};
    uint64_t x = 0, before = 0;
    for (uint32_t level = 0; level < nlevels; level++) {
        for (uint32_t i = 0; i < level_size + level % 3; i++, x++) put(s, &x, STORE_NONE);
        order_close(&o, s, false);
    }
    order_close(&o, s, true);
    assert_int_equal(o.end, x);
    for (uint64_t n = 0; n < x; n++) {
        uint64_t back;
        store_id id = order_id(&o, s, n);
        assert_int_equal(order_number(&o, s, id), n);
        store_get(s, id, &back);
        if (nlevels < 4000) assert_true(back / (level_size + 2) <= n / level_size);
    }
    for (uint64_t y = 0; y < x; y++) before += order_number(&o, s, store_find(s, &y));
    assert_int_equal(before, x * (x - 1) / 2);
    order_free(&o);
    store_free(s);
}

static void numbering(void **state) {
    (void)state;
    numbers(1, 1);
    numbers(5, 3);
    numbers(100, 50);
    numbers(1, 20000);
    numbers(7, 6000);
}

static void initial_first(void **state) {
    (void)state;
    budget b = {.limit = UINT64_MAX};
    store *s = new_store(64, &b);
    order o = {0};
    uint64_t x = 0, back;
    for (; x < 10; x++) put(s, &x, STORE_NONE);
    order_close(&o, s, false);
    for (; x < 200; x++) put(s, &x, store_find(s, &(uint64_t){x % 10}));
    order_close(&o, s, true);
    for (uint64_t n = 0; n < 200; n++) {
        store_get(s, order_id(&o, s, n), &back);
        assert_int_equal(n < 10, back < 10);
    }
    order_free(&o);
    store_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths),  cmocka_unit_test(gaps),          cmocka_unit_test(growth),
        cmocka_unit_test(no_bits), cmocka_unit_test(false_friends), cmocka_unit_test(memory_a_state),
        cmocka_unit_test(budgets), cmocka_unit_test(numbering),     cmocka_unit_test(initial_first),
        cmocka_unit_test(compact), cmocka_unit_test(parents),       cmocka_unit_test(ordered_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
