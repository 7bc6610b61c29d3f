// SPDX-License-Identifier: Apache-2.0
// A search with states in files against the same search in memory, on random models: counts, verdicts, reasons, traces
// to the last state, doubts, how often each rule fired and what the self-check tried, at limits of states too, on one
// rank and on several. Searches that a limit ends go on from their files. States move to files when a handful of them
// is in memory. PARVIS_LONG=1 runs ten times as many models.
#include "oracle/unit.h"

#include "explore/explore.h"
#include "oracle/random_model.h"
#include "oracle/thread_ranks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 4, MOST_STATES = 4000 };

typedef VEC(prop) prop_list;

static uint32_t times_long(uint32_t n) { return getenv("PARVIS_LONG") ? 10 * n : n; }

typedef struct {
    uint64_t seed;
    unsigned features;
    const char *folder, *checkpoint;  // NULL: none
    uint64_t limit;                   // of states; 0: as the seed says
    str texts[MOST_RANKS];
    uint64_t memory, states;
} job;

static void collect_props(const random_model *r, prop_list *out) {
    const sys_info *system = sys_of(r->m, r->system);
    for (uint32_t i = 0; i < system->invariants.len; i++) vec_push(out, system->invariants.data[i]);
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *info = rule_of(r->m, system->rules.data[i]);
        for (uint32_t k = 0; k < info->nrequires; k++) vec_push(out, info->requires[k].property);
    }
}

static void trace_text(const trace *t, str *out) {
    for (uint32_t i = 0; i <= t->steps.len; i++) {
        const value *cells = trace_state(t, i);
        if (i) trace_label_text(t->in, t->steps.data[i - 1].r, t->steps.data[i - 1].args, out);
        for (uint32_t c = 0; cells && c < t->in->ncells; c++) str_printf(out, " %d", (int)cells[c]);
        str_char(out, '\n');
    }
}

static void result_as_text(const result *r, explore_end end, str *out) {
    const result_stats *st = &r->stats;
    str_printf(out, "end %d, %llu states, %llu transitions, depth %u\n", end, (unsigned long long)st->states,
               (unsigned long long)st->transitions, st->depth);
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        str_printf(out, "%s %s %s\n", p->name, verdict_text(p->verdict), p->reason ? p->reason : "");
        if (p->trace) trace_text(p->trace, out);
    }
    for (uint32_t i = 0; i < r->rules.len; i++)
        str_printf(out, "%s fired %llu times\n", r->rules.data[i].name, (unsigned long long)r->rules.data[i].fired);
    for (uint32_t i = 0; i < r->doubts.len; i++) str_printf(out, "doubt: %s\n", r->doubts.data[i].text);
    for (uint32_t i = 0; i < r->self_checks.len; i++)
        str_printf(out, "%s tried %llu %s\n", r->self_checks.data[i].what,
                   (unsigned long long)r->self_checks.data[i].samples,
                   r->self_checks.data[i].failure ? r->self_checks.data[i].failure : "");
}

// Options that follow from the seed. A job of one rank runs as if there were none.
static explore_options options_of(const job *j, ranks_job *with) {
    uint64_t x = j->seed;
    bool has_limit = x % 5 == 0;
    return (explore_options){.threads = 1 + (uint32_t)(x / 7 % 2),
                             .symmetry = x % 2,
                             .engine = x % 11 ? ENGINE_MACHINE : ENGINE_BYTECODE,
                             .parallel_least = 1,
                             .self_check = (self_check_rate)(x % 3),
                             .check_deadlock = x % 4 == 0,
                             .most_errors = x % 6 == 0,
                             .finds_doubts = true,
                             .doubts_of_part = x % 5 == 0,
                             .limit_states = j->limit    ? j->limit
                                             : has_limit ? 1 + x % 300
                                                         : MOST_STATES,
                             .checkpoint = j->checkpoint,
                             .disk = j->folder,
                             .disk_least = 1 + x / 3 % 40,
                             .ranks = with->count > 1 ? with : NULL,
                             .share_least = 1 + x % 12};
}

static void search_on_rank(ranks_job *with, void *context) {
    job *j = context;
    random_model r = random_model_new(j->seed, 3 + j->seed % 8, j->features);
    instance *in = random_model_instance(&r, 4);
    prop_list props = {0};
    if (j->seed % 3) collect_props(&r, &props);  // else nothing ends the search before its end
    explore_options o = options_of(j, with);
    result *out = result_new();
    explore_end end = explore_run(in, props.data, props.len, &o, out, NULL);
    if (with->mine == 0) j->states = out->stats.states;
    result_as_text(out, end, &j->texts[with->mine]);
    vec_free(&props);
    result_free(out);
    instance_free(in);
    random_model_free(&r);
}

static void job_free(job *j) {
    for (uint32_t i = 0; i < MOST_RANKS; i++) str_free(&j->texts[i]);
}

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

static void must_be_same(const job *memory, const job *files, uint32_t i, uint32_t count) {
    if (!str_same(str_get(&memory->texts[0]), str_get(&files->texts[i])))
        print_error("seed %llu with files on rank %u of %u:\n%s\nin memory:\n%s\n", (unsigned long long)files->seed, i,
                    count, str_get(&files->texts[i]), str_get(&memory->texts[0]));
    assert_string_equal(str_get(&memory->texts[0]), str_get(&files->texts[i]));
}

// Did states move to files? A search that had no more than one handful may have ended before.
static bool compare(const char *folder, uint64_t seed, unsigned features, uint32_t count) {
    job memory = {.seed = seed, .features = features}, files = memory;
    files.folder = folder;
    thread_ranks_run(count, search_on_rank, &memory);
    thread_ranks_run(count, search_on_rank, &files);
    for (uint32_t i = 0; i < count; i++) must_be_same(&memory, &files, i, count);
    files_in(folder, true);
    bool is_large = files.states > 100;
    job_free(&memory);
    job_free(&files);
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
    assert_true(nlarge > count / 10);
}

// With a lower limit first. Was there something to go on from?
static bool run_resumed(uint64_t seed, const char *folder, const char *checkpoint, str *out) {
    job first = {.seed = seed,
                 .features = RANDOM_ORDERED | RANDOM_SEQUENCES,
                 .folder = folder,
                 .checkpoint = checkpoint,
                 .limit = 2 + seed % 20},
        second = first;
    second.limit = MOST_STATES;
    thread_ranks_run(1, search_on_rank, &first);
    bool is_there = folder && files_in(folder, false) > 0;
    thread_ranks_run(1, search_on_rank, &second);
    str_add(out, str_get(&first.texts[0]));
    str_add(out, str_get(&second.texts[0]));
    job_free(&first);
    job_free(&second);
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
