// SPDX-License-Identifier: Apache-2.0
// One search on several ranks against the same search on one, on random models: counts, verdicts, reasons, traces to
// the last state, doubts, and how often each rule fired, at limits of states too, with whole and with compact stores.
// Searches that a limit ends go on from their checkpoint on another number of ranks.
// Ranks are threads here (oracle/thread_ranks.h), each with a model of its own; they divide the work from a few states
// on. PARVIS_LONG=1 runs ten times as many models.
#include "oracle/unit.h"

#include "explore/explore.h"
#include "oracle/random_model.h"
#include "oracle/thread_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 7, MOST_STATES = 4000 };

typedef VEC(prop) prop_list;

static bool is_long(void) { return getenv("PARVIS_LONG") != NULL; }

typedef struct {
    uint64_t seed;
    unsigned features;
    const char *checkpoint;  // NULL: none
    uint64_t limit;          // of states; 0: as the seed says
    str texts[MOST_RANKS];
    uint32_t divided;  // ranks that shared the work
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
        str_printf(out, "%s tried %s\n", r->self_checks.data[i].what, r->self_checks.data[i].failure ? "failed" : "");
}

// Options that follow from the seed. A job of one rank runs as if there were none.
static explore_options options_of(const job *j, ranks_job *with) {
    uint64_t x = j->seed;
    bool has_limit = x % 5 == 0;
    return (explore_options){.threads = with->count > 1 ? 1 + (uint32_t)(x / 7 % 2) : 1,
                             .symmetry = x % 2,
                             .engine = x % 11 ? ENGINE_MACHINE : ENGINE_BYTECODE,
                             .parallel_least = 1,
                             .self_check = x % 3 ? SELF_CHECK_OFF : SELF_CHECK_ALL,
                             .check_deadlock = x % 4 == 0,
                             .most_errors = x % 6 == 0,
                             .is_compact = x % 7 == 0,
                             .finds_doubts = true,
                             .doubts_of_part = x % 5 == 0,
                             .limit_states = j->limit    ? j->limit
                                             : has_limit ? 1 + x % 300
                                                         : MOST_STATES,
                             .checkpoint = j->checkpoint,
                             .ranks = with->count > 1 ? with : NULL,
                             .share_least = j->checkpoint ? 1 : 1 + x % 12};
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
    if (with->mine == 0) j->divided = out->stats.ranks;
    result_as_text(out, end, &j->texts[with->mine]);
    vec_free(&props);
    result_free(out);
    instance_free(in);
    random_model_free(&r);
}

static void job_free(job *j) {
    for (uint32_t i = 0; i < MOST_RANKS; i++) str_free(&j->texts[i]);
}

static bool compare(uint64_t seed, unsigned features, uint32_t count) {
    job alone = {.seed = seed, .features = features}, many = alone;
    thread_ranks_run(1, search_on_rank, &alone);
    thread_ranks_run(count, search_on_rank, &many);
    for (uint32_t i = 0; i < count; i++) {
        if (str_same(str_get(&alone.texts[0]), str_get(&many.texts[i]))) continue;
        print_error("seed %llu on rank %u of %u:\n%s\nalone:\n%s\n", (unsigned long long)seed, i, count,
                    str_get(&many.texts[i]), str_get(&alone.texts[0]));
        fail();
    }
    bool is_divided = many.divided > 0;
    job_free(&alone);
    job_free(&many);
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
    job first = {.seed = seed,
                 .features = RANDOM_ORDERED | RANDOM_SEQUENCES,
                 .checkpoint = path,
                 .limit = 2 + seed % 20},
        second = first;
    second.limit = MOST_STATES;
    thread_ranks_run(before, search_on_rank, &first);
    bool is_there = access(path, F_OK) == 0;
    thread_ranks_run(after, search_on_rank, &second);
    unlink(path);
    str_add(out, str_get(&first.texts[0]));
    str_add(out, str_get(&second.texts[0]));
    job_free(&first);
    job_free(&second);
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
