// SPDX-License-Identifier: Apache-2.0
// A search with states in files against the same search in memory, on random models: counts, verdicts, reasons, traces
// to the last state, doubts, how often each rule fired and what the self-check tried, at limits of states too, on one
// rank and on several. Searches that a limit ends go on from their files. States move to files when a handful of them
// is in memory. PARVIS_LONG=1 runs ten times as many models.
#include "oracle/unit.h"

#include "oracle/seeded_search.h"
#include "oracle/thread_ranks.h"
#include "oracle/random_model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t times_long(uint32_t n) { return getenv("PARVIS_LONG") ? 10 * n : n; }

static uint32_t files_in(const char *folder, bool removes) {
    DIR *d = opendir(folder);
    uint32_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        n++;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (removes) unlink(path);
    }
    if (d) closedir(d);
    return n;
}

static void must_be_same(const seeded_search *memory, const seeded_search *files, uint32_t i, uint32_t count) {
    if (!str_same(str_get(&memory->texts[0]), str_get(&files->texts[i])))
        print_error("seed %llu with files on rank %u of %u:\n%s\nin memory:\n%s\n", (unsigned long long)files->seed, i,
                    count, str_get(&files->texts[i]), str_get(&memory->texts[0]));
    assert_string_equal(str_get(&memory->texts[0]), str_get(&files->texts[i]));
}

// Did states move to files? A search that had no more than one handful may have ended before.
static bool compare(const char *folder, uint64_t seed, unsigned features, uint32_t count) {
    seeded_search memory = {.seed = seed, .features = features}, files = memory;
    files.folder = folder;
    thread_ranks_run(count, seeded_search_on_rank, &memory);
    thread_ranks_run(count, seeded_search_on_rank, &files);
    for (uint32_t i = 0; i < count; i++) must_be_same(&memory, &files, i, count);
    files_in(folder, true);
    bool is_large = files.stats.states > 100;
    seeded_search_free(&memory);
    seeded_search_free(&files);
    return is_large;
}

static void compare_many(uint64_t seed, uint32_t count, unsigned features) {
    static const uint32_t ranks[] = {1, 1, 1, 2, 1, 3, 1, 4};
    char folder[] = "/tmp/parvis-disk-XXXXXX";
    assert_non_null(mkdtemp(folder));
    uint32_t nlarge = 0;
    for (uint64_t end = seed + count; seed < end; seed++) nlarge += compare(folder, seed, features, ranks[seed % 8]);
    rmdir(folder);
    printf("# tally: random models with states in files and in memory | %u cases | 0 wrong\n", count);
    printf("# %u of them had more than 100 states\n", nlarge);
    assert_true(nlarge > count / 16);
}

// With a lower limit first. Was there something to go on from?
static bool run_resumed(uint64_t seed, const char *folder, const char *checkpoint, str *out) {
    seeded_search first = {.seed = seed,
                           .features = RANDOM_ORDERED | RANDOM_SEQUENCES,
                           .folder = folder,
                           .checkpoint = checkpoint,
                           .limit = 2 + seed % 20},
                  second = first;
    second.limit = SEEDED_MOST_STATES;
    thread_ranks_run(1, seeded_search_on_rank, &first);
    bool is_there = folder && files_in(folder, false) > 0;
    thread_ranks_run(1, seeded_search_on_rank, &second);
    str_add(out, str_get(&first.texts[0]));
    str_add(out, str_get(&second.texts[0]));
    seeded_search_free(&first);
    seeded_search_free(&second);
    return is_there;
}

static bool compare_resumed(uint64_t seed, const char *folder, const char *checkpoint) {
    str memory = {0}, files = {0};
    run_resumed(seed, NULL, checkpoint, &memory);
    unlink(checkpoint);
    bool is_there = run_resumed(seed, folder, NULL, &files);
    files_in(folder, true);
    if (!str_same(str_get(&memory), str_get(&files)))
        print_error("seed %llu resumed:\n%s\nin memory:\n%s\n", (unsigned long long)seed, str_get(&files),
                    str_get(&memory));
    assert_string_equal(str_get(&memory), str_get(&files));
    str_free(&memory);
    str_free(&files);
    return is_there;
}

static void resumed(void **state) {
    (void)state;
    char folder[] = "/tmp/parvis-disk-XXXXXX", checkpoint[64];
    assert_non_null(mkdtemp(folder));
    snprintf(checkpoint, sizeof checkpoint, "%s.point", folder);
    uint32_t nresumed = 0, count = times_long(100);
    for (uint64_t i = 0; i < count; i++)  // multiples of 3: nothing but the limit ends these
        nresumed += compare_resumed(70002 + 3 * i, folder, checkpoint);
    rmdir(folder);
    printf("# tally: searches with states in files resumed | %u cases | 0 wrong\n", count);
    printf("# %u of them had files to go on from\n", nresumed);
    assert_true(nresumed > count / 20);
}

static void plain_models(void **state) {
    (void)state;
    compare_many(1, times_long(125), RANDOM_STARTS);
}

static void with_requirements(void **state) {
    (void)state;
    compare_many(10001, times_long(125), RANDOM_STARTS | RANDOM_REQUIRES | RANDOM_ORDERED | RANDOM_FAULTS);
}

static void with_sequences(void **state) {
    (void)state;
    compare_many(30001, times_long(125), RANDOM_ALL);
    compare_many(50001, times_long(125), RANDOM_ALL | RANDOM_IMPERATIVE);
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
