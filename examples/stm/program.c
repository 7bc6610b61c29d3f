// SPDX-License-Identifier: Apache-2.0
// Options and threads of the programs on TL2; program.h says what a program is.
#include "program.h"

#include <getopt.h>
#include <pthread.h>

typedef struct {
    const program *p;
    tl2 tm;
    uint32_t threads, size;
    uint64_t events, seed;
} run;

typedef struct {
    run *r;
    uint32_t number;
    uint64_t commits, aborts;
    bool failed;  // to start, or to keep its recording
} worker;

static const char usage[] =
    "usage: %s [OPTIONS]\n"
    "  --threads N   2 unless said otherwise, at most 62\n"
    "  --events N    stop after about N recorded events in all (100000)\n"
    "  --size N      accounts, or keys (16)\n"
    "  --seed N      of the threads' choices (1)\n"
    "  --break NAME  no-commit-validation, no-read-validation, version-after-value, early-release, no-fence\n"
    "  --flags       lock by flags and a fence, without atomic instructions that read and write\n"
    "  --noise       pause at random between steps of the algorithm\n"
    "It records when PARVIS_RECORD names a folder: parvis record --level opaque -- %s\n";

static void choose(tl2_thread *t, work *w) {
    w->choice = tl2_random(t, 100);
    w->key = tl2_random(t, w->size);
    w->other = tl2_random(t, w->size);
}

static void *work_thread(void *argument) {
    worker *me = argument;
    run *r = me->r;
    tl2_thread t;
    work w = {.size = r->size, .threads = r->threads, .thread = me->number};
    me->failed = !tl2_thread_init(&t, &r->tm, me->number, r->seed);
    while (!me->failed && t.events < r->events / r->threads) {
        choose(&t, &w);
        if (!tl2_run(&t, r->p->step, &w)) break;
    }
    me->commits = t.commits;
    me->aborts = t.aborts;
    if (!tl2_thread_free(&t)) me->failed = true;
    return NULL;
}

static bool alone(run *r, uint32_t number, tl2_body *body, char *why) {
    tl2_thread t;
    work w = {.size = r->size, .threads = r->threads, .why = why};
    bool done = tl2_thread_init(&t, &r->tm, number, r->seed) && tl2_run(&t, body, &w);
    return tl2_thread_free(&t) && done;
}

static bool start(run *r, worker *workers) {
    pthread_t ids[64];
    uint32_t started = 0;
    for (; started < r->threads; started++) {
        workers[started] = (worker){.r = r, .number = started + 1};
        if (pthread_create(&ids[started], NULL, work_thread, &workers[started])) break;
    }
    for (uint32_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
    return started == r->threads;
}

static int report(const run *r, const worker *workers, const char *why) {
    uint64_t commits = 0, aborts = 0;
    bool failed = false;
    for (uint32_t i = 0; i < r->threads; i++) {
        commits += workers[i].commits;
        aborts += workers[i].aborts;
        failed |= workers[i].failed;
    }
    printf("%s: %llu transactions committed, %llu attempts aborted%s%s\n", r->p->name, (unsigned long long)commits,
           (unsigned long long)aborts, *why ? "; " : "", why);
    if (failed) fprintf(stderr, "%s: a thread could not start or could not be recorded\n", r->p->name);
    return failed ? 2 : *why ? 1 : 0;
}

static int execute(run *r) {
    worker workers[64];
    char why[200] = "";
    if (!alone(r, 0, r->p->set_up, why) || !start(r, workers)) {
        perror(r->p->name);
        return 2;
    }
    if (!alone(r, r->threads + 1, r->p->look, why)) snprintf(why, sizeof why, "the data cannot be read");
    return report(r, workers, why);
}

static bool read_break(const char *name, tl2_break *broken) {
    for (tl2_break b = TL2_WHOLE; b < TL2_BREAKS; b++)
        if (strcmp(name, tl2_break_names[b]) == 0) return *broken = b, true;
    return false;
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *number >= least && *number <= most;
}

static bool read_options(run *r, int argc, char **argv, tl2_break *broken, bool *by_flags, bool *noisy) {
    static const struct option known[] = {
        {"threads", required_argument, NULL, 't'}, {"events", required_argument, NULL, 'e'},
        {"size", required_argument, NULL, 's'},    {"seed", required_argument, NULL, 'r'},
        {"break", required_argument, NULL, 'b'},   {"flags", no_argument, NULL, 'f'},
        {"noise", no_argument, NULL, 'n'},         {NULL, 0, NULL, 0}};
    uint64_t threads = 2, size = 16;
    bool fine = true;
    for (int c; fine && (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == 't') fine = read_number(optarg, 1, 62, &threads);
        else if (c == 'e') fine = read_number(optarg, 1, UINT64_MAX, &r->events);
        else if (c == 's') fine = read_number(optarg, 2, 100000, &size);
        else if (c == 'r') fine = read_number(optarg, 0, UINT64_MAX, &r->seed);
        else if (c == 'b') fine = read_break(optarg, broken);
        else if (c == 'f') *by_flags = true;
        else if (c == 'n') *noisy = true;
        else fine = false;
    }
    r->threads = (uint32_t)threads;
    r->size = (uint32_t)size;
    return fine && optind == argc;
}

int program_main(const program *p, int argc, char **argv) {
    run r = {.p = p, .events = 100000, .seed = 1};
    tl2_break broken = TL2_WHOLE;
    bool by_flags = false, noisy = false;
    if (!read_options(&r, argc, argv, &broken, &by_flags, &noisy)) {
        fprintf(stderr, usage, argv[0], argv[0]);
        return 2;
    }
    if (!tl2_init(&r.tm, p->words(r.size, r.threads), broken)) return perror(p->name), 2;
    r.tm.by_flags |= by_flags;
    r.tm.noisy = noisy;
    int code = execute(&r);
    tl2_free(&r.tm);
    return code;
}
