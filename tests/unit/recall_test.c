// SPDX-License-Identifier: Apache-2.0
// What was met before, against a list of everything noted: what is found was noted last with that answer and not
// forgotten; an arrival of an earlier block is covered. The table may forget, but not make anything up; and where the
// same few are met over and over again it finds nearly all of them.
#include "base/rng.h"
#include "oracle/unit.h"
#include "zone/recall.h"

#include <string.h>

enum { WORDS = 2, CLOCKS = 3, POOL = 64, BLOCKS = 60, STEPS = 400, KINDS = 3 };

typedef struct {
    uint64_t state[WORDS];
    bound d[CLOCKS * CLOCKS];
    bool is_noted;
    int32_t arrival;
    uint32_t block;
    uint32_t place;
} noted;

// Neighbours differ in one word or one bound only.
static void make_pool(noted *pool) {
    for (uint32_t i = 0; i < POOL; i++) {
        pool[i] = (noted){.state = {i / 8 % 2, i / 16}, .place = RECALL_NONE};
        dbm_zero(pool[i].d, CLOCKS);
        pool[i].d[i % 8 + 1] = -(int32_t)(i % 8);
    }
}

static int32_t expected(const noted *p, uint32_t block) {
    return p->arrival >= 0 && p->block != block ? RECALL_COVERED : p->arrival;
}

static void note_one(recall *r, noted *p, uint32_t block, int32_t *arrivals, rng *random) {
    uint32_t what = rng_below(random, 3);
    int32_t arrival = what == 0 ? RECALL_NOWHERE : what == 1 ? RECALL_COVERED : (*arrivals)++;
    uint32_t place = recall_note(r, arrival);
    p->is_noted = place != RECALL_NONE;
    p->arrival = arrival;
    p->block = block;
    p->place = place;
}

static void ask_one(recall *r, noted *p, uint64_t number, uint32_t block, int32_t *arrivals, rng *random,
                    uint32_t *found) {
    int32_t is = -3;
    if (recall_find(r, rng_below(random, KINDS), p->state, p->d, number, &is)) {
        assert_true(p->is_noted);
        assert_int_equal(is, expected(p, block));
        ++*found;
    } else {
        note_one(r, p, block, arrivals, random);
    }
}

static void end_block(recall *r, noted *pool, uint32_t block, rng *random) {
    for (uint32_t i = 0; i < POOL; i++) {
        noted *p = &pool[i];
        if (!p->is_noted || p->block != block || p->arrival < 0 || rng_below(random, 2)) continue;
        recall_forget(r, p->place, p->arrival);
        p->is_noted = false;
    }
    recall_end_block(r);
}

static void test_against_list(void **context) {
    (void)context;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rng random = {seed};
        noted pool[POOL];
        recall *r = recall_new(WORDS, CLOCKS, KINDS);
        uint32_t found = 0;
        make_pool(pool);
        for (uint32_t block = 1; block <= BLOCKS; block++) {
            int32_t arrivals = 0;
            for (uint32_t i = 0; i < STEPS; i++) {
                uint32_t k = rng_below(&random, POOL);
                uint64_t number = rng_below(&random, 3) ? k % 8 + 1 : 0;
                ask_one(r, &pool[k], number, block, &arrivals, &random, &found);
            }
            end_block(r, pool, block, &random);
        }
        assert_true(found > BLOCKS * STEPS / 2);
        recall_free(r);
    }
}

// Nothing is met twice: the kind rests, and others do not.
static void test_rest(void **context) {
    (void)context;
    recall *r = recall_new(1, 1, 2);
    bound d[1] = {BOUND_LE_ZERO};
    int32_t is;
    uint32_t noted_new = 0, found = 0;
    recall_end_block(r);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t once = i + 10, often = i % 4;
        assert_false(recall_find(r, 0, &once, d, 0, &is));
        noted_new += recall_note(r, RECALL_COVERED) != RECALL_NONE;
        if (recall_find(r, 1, &often, d, 0, &is)) found++;
        else recall_note(r, RECALL_COVERED);
    }
    assert_true(noted_new < 6000);
    assert_true(found > 10000);
    recall_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_list), cmocka_unit_test(test_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
