// SPDX-License-Identifier: Apache-2.0
// Ending a run: see watchdog.h.
//
// A thread sleeps until something is due: the end of the time with what engines may take to notice, a look at processor
// time or memory, a signal, whose handler wakes it. What it writes was made before, and it allocates nothing: whatever
// the others are doing, holding locks or out of memory, it can end the run.
#include "cli/watchdog.h"

#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Engines look at their limits far more often than this; then they say what they know.
static const double signal_grace = 1, time_grace_share = 0.07, time_grace = 0.05, memory_grace = 0.5;
static const double follower_grace = 5;
static const double look_seconds = 0.05, longest_sleep = 3600;
// Memory that states do not take (the model, tables of compilers) is beside the limit that the user gave for them.
enum { BESIDE_STATES = 64 << 20, STACK_BYTES = 64 << 10, READER_MS = 100 };

typedef enum { RUNNING, ANSWERED, ENDED } stage;

// The one thing that must be global: signal handlers and allocators have no arguments.
static struct {
    limits_board board;
    _Atomic int stage;
    _Atomic int code;     // after the answer
    _Atomic int signals;  // how many came
    _Atomic int writing;  // how many write to an output
    sem_t wake;
    bool is_json, is_live, is_follower;
    limits limits;
    int statm;
    str head;                       // of a JSON answer
    str reasons[LIMIT_MEMORY + 1];  // by limit_kind
} dog = {.statm = -1};

// ---- writing, without allocating

static void pause_a_while(void) { poll(NULL, 0, 1); }

static bool watchdog_put(int fd, const char *text, size_t size) {
    while (size) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EAGAIN) poll(&(struct pollfd){fd, POLLOUT, 0}, 1, -1);
        else if (n < 0 && errno != EINTR) return false;
        if (n > 0) text += n, size -= (size_t)n;
    }
    return true;
}

// Either whoever ends the run sees that something is written, or who writes sees that the run ends.
bool watchdog_write(int fd, const char *text, size_t size) {
    atomic_fetch_add(&dog.writing, 1);
    while (atomic_load(&dog.stage) == ENDED) pause_a_while();
    bool ok = watchdog_put(fd, text, size);
    atomic_fetch_sub(&dog.writing, 1);
    return ok;
}

// The stage may be taken for a moment by somebody who then sees that something was being written and gives it back:
// that must not lose the answer, or another would follow it.
void watchdog_answered(int code) {
    atomic_store(&dog.code, code);
    for (int expected = RUNNING; !atomic_compare_exchange_strong(&dog.stage, &expected, ANSWERED); expected = RUNNING) {
        if (expected == ANSWERED) return;
        pause_a_while();
    }
}

// Nobody gets in between: whoever ends the run waits as for any other writing, and then finds it answered.
bool watchdog_write_answer(int fd, const char *text, size_t size, int code) {
    atomic_fetch_add(&dog.writing, 1);
    bool ok = watchdog_write(fd, text, size);
    watchdog_answered(code);
    atomic_fetch_sub(&dog.writing, 1);
    return ok;
}

// ---- ending by force

// A reader that does not read cannot hold up the end: where there is room in a pipe, a piece of it does not wait.
static void put_if_read(int fd, const char *const *parts, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (size_t at = 0, left; (left = strlen(parts[i] + at)); at += left) {
            if (left > PIPE_BUF) left = PIPE_BUF;
            if (poll(&(struct pollfd){fd, POLLOUT, 0}, 1, READER_MS) != 1 || !watchdog_put(fd, parts[i] + at, left))
                return;
        }
}

static void write_answer(const char *reason) {
    const char *phase = atomic_load(&dog.board.phase);
    const char *while_text = phase ? ", while " : "";
    const char *head = str_get(&dog.head);
    if (!phase) phase = "";
    if (dog.is_live) put_if_read(STDERR_FILENO, (const char *[]){"\r\033[K"}, 1);
    if (dog.is_json)
        put_if_read(STDOUT_FILENO,
                    (const char *[]){"{", head, "\"verdict\": \"unknown\", \"reason\": \"", reason, while_text, phase,
                                     "\", \"warnings\": []}\n"},
                    7);
    else put_if_read(STDOUT_FILENO, (const char *[]){"unknown: ", reason, while_text, phase, "\n"}, 5);
}

// The verdict is out; files that belong to it are missing, and this is said.
static _Noreturn void end_answered(const char *reason) {
    const char *parts[] = {"error: ", reason, " before all files were written\n"};
    if (!atomic_load(&dog.board.saving)) _exit(atomic_load(&dog.code));
    put_if_read(STDERR_FILENO, parts, 3);
    _exit(EXIT_UNKNOWN);
}

// What is written may take its time, but a second signal does not wait for it. No handler may interrupt the thread that
// holds the stage: it would wait here for the thread that it interrupted.
static _Noreturn void watchdog_end_with(const char *reason, bool is_urgent) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;; pause_a_while()) {
        int expected = RUNNING;
        if (!atomic_compare_exchange_strong(&dog.stage, &expected, ENDED)) {
            if (expected == ANSWERED) end_answered(reason);
            continue;  // another thread is at it
        }
        bool is_written = atomic_load(&dog.writing);
        if (!is_written) write_answer(reason);
        if (!is_written || is_urgent) _exit(EXIT_UNKNOWN);
        atomic_store(&dog.stage, RUNNING);
    }
}

void watchdog_exhausted(void) { watchdog_end_with("out of memory", false); }

// ---- signals

static void on_signal(int number) {
    int why = errno, expected = LIMIT_NONE;
    atomic_compare_exchange_strong(&dog.board.met, &expected, number == SIGXCPU ? LIMIT_CPU : LIMIT_INTERRUPT);
    if (atomic_fetch_add(&dog.signals, 1) && number != SIGXCPU) watchdog_end_with("interrupted", true);
    sem_post(&dog.wake);
    errno = why;
}

static void catch_signals(void) {
    struct sigaction a = {.sa_handler = on_signal};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGXCPU, &a, NULL);
    signal(SIGPIPE, SIG_IGN);  // a reader that left is noticed when writing
    signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow
}

// ---- watching

// Of this process alone, libraries not counted; 0: cannot tell.
static uint64_t private_bytes(void) {
    char text[128];
    ssize_t n = dog.statm < 0 ? -1 : pread(dog.statm, text, sizeof text - 1, 0);
    if (n <= 0) return 0;
    text[n] = 0;
    char *at = text;
    strtoull(at, &at, 10);
    unsigned long long resident = strtoull(at, &at, 10), shared = strtoull(at, &at, 10);
    return resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void watchdog_meet(limit_kind kind) {
    int expected = LIMIT_NONE;
    atomic_compare_exchange_strong(&dog.board.met, &expected, kind);
}

// Provers and compilers count too, once they have ended.
static double cpu_used(void) { return clock_cpu_seconds() + clock_children_seconds(); }

static void watchdog_look(void) {
    const limits *l = &dog.limits;
    if (l->cpu_seconds > 0 && cpu_used() >= l->cpu_seconds) watchdog_meet(LIMIT_CPU);
    if (l->bytes && private_bytes() > l->bytes + l->bytes / 10 + BESIDE_STATES) watchdog_meet(LIMIT_MEMORY);
}

// Processor time passes at most as fast as the cores allow.
static double next_look(void) {
    const limits *l = &dog.limits;
    double next = l->bytes ? look_seconds : longest_sleep;
    double left = l->cpu_seconds > 0 ? (l->cpu_seconds - cpu_used()) / clock_cores() : longest_sleep;
    if (left < 0.005) left = 0.005;
    return left < next ? left : next;
}

static double grace_of(limit_kind met) {
    const limits *l = &dog.limits;
    if (dog.is_follower) return follower_grace;
    if (met == LIMIT_CPU) return l->cpu_seconds * time_grace_share + time_grace;
    return met == LIMIT_MEMORY ? memory_grace : signal_grace;
}

// When the run ends by force, as far as is known now; *why is for then.
static double force_at(double met_at, limit_kind *why) {
    const limits *l = &dog.limits;
    *why = (limit_kind)atomic_load(&dog.board.met);
    double forced = *why ? met_at + grace_of(*why) : clock_seconds() + longest_sleep;
    double late = l->until + l->seconds * time_grace_share + (dog.is_follower ? follower_grace : time_grace);
    if (l->until <= 0 || late >= forced) return forced;
    *why = LIMIT_TIME;
    return late;
}

static void sleep_until(double when) {
    struct timespec t = {.tv_sec = (time_t)when, .tv_nsec = (long)((when - (double)(time_t)when) * 1e9)};
    sem_clockwait(&dog.wake, CLOCK_MONOTONIC, &t);
}

static void *watch_run(void *context) {
    (void)context;
    for (double met_at = 0;;) {
        limit_kind why;
        watchdog_look();
        if (!met_at && atomic_load(&dog.board.met)) met_at = clock_seconds();
        double now = clock_seconds(), forced = force_at(met_at, &why), next = now + next_look();
        if (now < forced) sleep_until(forced < next ? forced : next);
        else if (atomic_load(&dog.board.saving)) sleep_until(now + look_seconds);
        else watchdog_end_with(str_get(&dog.reasons[why]), false);
    }
    return NULL;
}

// Signals go to the others. Without a thread the run is as safe as its engines make it.
static void start_thread(void) {
    pthread_t thread;
    pthread_attr_t how;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, STACK_BYTES);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_create(&thread, &how, watch_run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
}

// ---- beginning

bool watchdog_begin(int argc, char **argv) {
    for (int i = 1; i < argc; i++) dog.is_json |= strcmp(argv[i], "--json") == 0;
    sem_init(&dog.wake, 0, 0);
    catch_signals();
    return dog.is_json;
}

void watchdog_follow(void) {
    dog.is_follower = true;
    dog.is_json = false;
}

void watchdog_start(limits *l, const char *head, bool is_live) {
    l->board = &dog.board;
    dog.limits = *l;
    dog.is_live = is_live;
    str_add(&dog.head, head);
    for (int k = LIMIT_INTERRUPT; k <= LIMIT_MEMORY; k++) limits_text(l, (limit_kind)k, &dog.reasons[k]);
    if (l->bytes) dog.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    start_thread();
}
