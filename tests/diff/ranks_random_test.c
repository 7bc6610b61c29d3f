// SPDX-License-Identifier: Apache-2.0
// One search on several ranks against the same search on one, on random models: counts, verdicts, reasons, traces to
// the last state, doubts, and how often each rule fired, at limits of states too, with whole and with compact stores.
// Searches that a limit ends go on from their checkpoint on another number of ranks.
// Ranks are threads here (oracle/thread_ranks.h), each with a model of its own; they divide the work from a few states
// on. PARVIS_LONG=1 runs ten times as many models.
#include "oracle/unit.h"

#include "oracle/random_model.h"
#include "oracle/seeded_search.h"
#include "oracle/thread_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_long(void) { return getenv("PARVIS_LONG") != NULL; }

static void adapt(const seeded_search *s, uint32_t nranks, explore_options *o) {
    uint64_t x = s->seed;
    if (nranks == 1) o->threads = 1;
    o->self_check = x % 3 ? SELF_CHECK_OFF : SELF_CHECK_ALL;
    o->is_compact = x % 7 == 0;
    o->hashes_at_once = x % 2;
    if (s->checkpoint) o->share_least = 1;
}

static bool compare(uint64_t seed, unsigned features, uint32_t count) {
    seeded_search alone = {.seed = seed, .features = features, .adapt = adapt}, many = alone;
    thread_ranks_run(1, seeded_search_on_rank, &alone);
    thread_ranks_run(count, seeded_search_on_rank, &many);
    for (uint32_t i = 0; i < count; i++) {
        if (str_same(str_get(&alone.texts[0]), str_get(&many.texts[i]))) continue;
        print_error("seed %llu on rank %u of %u:\n%s\nalone:\n%s\n", (unsigned long long)seed, i, count,
                    str_get(&many.texts[i]), str_get(&alone.texts[0]));
        fail();
    }
    bool is_divided = many.stats.ranks > 0;
    seeded_search_free(&alone);
    seeded_search_free(&many);
    return is_divided;
}

static void compare_many(uint64_t seed, uint32_t count, unsigned features) {
    static const uint32_t ranks[] = {2, 3, 4, 7};
    uint32_t ndivided = 0;
    if (is_long()) count *= 10;
    for (uint64_t end = seed + count; seed < end; seed++) ndivided += compare(seed, features, ranks[seed % 4]);
    printf("# tally: random models on several ranks and on one | %u cases | 0 wrong\n", count);
    printf("# %u of them were divided\n", ndivided);
    assert_true(ndivided > count / 8);
}

// A search that a limit ends, on some number of ranks, and that goes on from its checkpoint on another. Was there one?
static bool run_resumed(uint64_t seed, const char *path, uint32_t before, uint32_t after, str *out) {
    seeded_search first = {.seed = seed,
                           .adapt = adapt,
                           .features = RANDOM_ORDERED | RANDOM_SEQUENCES,
                           .checkpoint = path,
                           .limit = 2 + seed % 20},
                  second = first;
    second.limit = SEEDED_MOST_STATES;
    thread_ranks_run(before, seeded_search_on_rank, &first);
    bool is_there = access(path, F_OK) == 0;
    thread_ranks_run(after, seeded_search_on_rank, &second);
    unlink(path);
    str_add(out, str_get(&first.texts[0]));
    str_add(out, str_get(&second.texts[0]));
    seeded_search_free(&first);
    seeded_search_free(&second);
    return is_there;
}

// Against the same on one rank: where a limit of states ends a search, blocks are shorter.
static bool compare_resumed(uint64_t seed, const char *path, uint32_t before, uint32_t after) {
    str alone = {0}, many = {0};
    run_resumed(seed, path, 1, 1, &alone);
    bool is_there = run_resumed(seed, path, before, after, &many);
    if (!str_same(str_get(&alone), str_get(&many)))
        print_error("seed %llu, %u and %u ranks:\n%s\nalone:\n%s\n", (unsigned long long)seed, before, after,
                    str_get(&many), str_get(&alone));
    assert_string_equal(str_get(&alone), str_get(&many));
    str_free(&alone);
    str_free(&many);
    return is_there;
}

static void resumed(void **state) {
    (void)state;
    static const uint32_t ranks[] = {1, 2, 3, 4, 7};
    char path[] = "/tmp/parvis-ranks-XXXXXX";
    uint32_t nresumed = 0, count = is_long() ? 2000 : 200;
    close(mkstemp(path));
    unlink(path);
    for (uint64_t i = 0; i < count; i++)  // multiples of 3: nothing but the limit ends these
        nresumed += compare_resumed(70002 + 3 * i, path, ranks[i % 5], ranks[i / 5 % 5]);
    printf("# tally: searches resumed on another number of ranks | %u cases | 0 wrong\n", count);
    printf("# %u of them had a checkpoint to go on from\n", nresumed);
    assert_true(nresumed > count / 20);
}

static void plain_models(void **state) {
    (void)state;
    compare_many(1, 60, RANDOM_STARTS);
}

static void with_requirements(void **state) {
    (void)state;
    compare_many(10001, 60, RANDOM_STARTS | RANDOM_REQUIRES | RANDOM_ORDERED | RANDOM_FAULTS);
}

static void with_sequences(void **state) {
    (void)state;
    compare_many(30001, 60, RANDOM_ALL);
    compare_many(50001, 60, RANDOM_ALL | RANDOM_IMPERATIVE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_models),
        cmocka_unit_test(with_requirements),
        cmocka_unit_test(with_sequences),
        cmocka_unit_test(resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
