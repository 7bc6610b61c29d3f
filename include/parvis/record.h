/* SPDX-License-Identifier: Apache-2.0
 *
 * parvis/record.h: records the history of a transactional memory or a database, for `parvis check --level`.
 *
 * One header and no library: C11 or C++, gcc or clang, Linux. Each thread has a log of its own,
 *
 *     parvis_log *log = parvis_log_open(NULL, 0);   the folder that PARVIS_RECORD names; NULL where nothing is recorded
 *     parvis_begin(log);               before the transaction begins
 *     parvis_read(log, key, value);    when a read has answered
 *     parvis_write(log, key, value);   when a write has answered
 *     parvis_commit(log);              before commit is called
 *     parvis_committed(log);           when it has answered: committed
 *     parvis_aborted(log);             the transaction has been aborted, by its commit, in a read or on demand
 *     parvis_log_close(log);
 *
 * and then `parvis check FOLDER --level opaque`, or all in one: `parvis record --level opaque -- PROGRAM`. A log that is
 * NULL takes every call and does nothing, so a program that records need not ask whether it does.
 *
 * Keys and values are 64-bit numbers. Keys hold 0 at the beginning; parvis_initial says otherwise. The check is fastest,
 * and its verdict sharpest, when no value is written twice to a key. A read that aborts instead of answering is not
 * recorded, the abort is. A transaction that begins while another of its log is open ends that one as aborted: a restart.
 *
 * Times. Each record has one time stamp. A call is taken to have been made at the time of the record before it in its log,
 * or at the parvis_call(log) before it, which nobody needs but who wants to see exact calls. Stamps are fenced: that of
 * a begin or a commit is taken before anything that follows can start, that of an answer after everything before it is
 * done, that of `committed` after every store of this thread can be seen by the others. So an interval is never shorter
 * than the real one, and a verdict of "violated" is never the recorder's fault. No memory is shared between threads, which
 * would order what the recording is to watch.
 *
 * Cost: 20 ns for most records where the kernel trusts the processor's time stamp counter, else 25 to 35 ns.
 *
 * A log is a file mapped into memory, so a crash or `kill -9` loses nothing that was recorded, and a commit without an
 * answer is known to be one. A full disk ends the recording of a thread; its log says so, and the check refuses it.
 * Logs of one folder belong to one run: use a new folder for each. A child after fork() must open logs of its own.
 *
 * The format, version 1: a header (parvis_log_header, 96 bytes), then records of one or three 64-bit words in the byte
 * order of the machine,
 *
 *     time << 4 | kind                      PARVIS_BEGIN, PARVIS_CALL, PARVIS_COMMIT, PARVIS_COMMITTED, PARVIS_ABORTED,
 *                                           PARVIS_RESTARTED, PARVIS_SKIP
 *     time << 4 | kind, key, value          PARVIS_READ, PARVIS_WRITE, PARVIS_INITIAL
 *
 * up to a word that is zero, or the end of the log. A file may hold several logs, one after the other. Times are ticks
 * of the clock that the header names, the same for all logs of a run. A recording that has been cut off inside a record
 * ends before it.
 */
#ifndef PARVIS_RECORD_H
#define PARVIS_RECORD_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* mmap and clocks, where the compiler is asked for plain C11 */
#endif

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_POPULATE
#error "include parvis/record.h before other headers, or compile with -D_DEFAULT_SOURCE"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PARVIS_LOG_MAGIC   "PARVISLG"
#define PARVIS_LOG_VERSION 1

enum {
    PARVIS_BEGIN = 1,
    PARVIS_READ = 2,
    PARVIS_WRITE = 3,
    PARVIS_COMMIT = 4,
    PARVIS_COMMITTED = 5,
    PARVIS_ABORTED = 6,
    PARVIS_CALL = 7,
    PARVIS_INITIAL = 8,
    PARVIS_SKIP = 9,
    PARVIS_RESTARTED = 10
};

enum { PARVIS_CLOCK_TSC = 1, PARVIS_CLOCK_MONOTONIC = 2 };

/* Of a log: it is being written, or its thread ended without closing it; it is whole; records were lost; something happened
 * that could not be recorded. */
enum { PARVIS_LOG_OPEN = 0, PARVIS_LOG_CLOSED = 1, PARVIS_LOG_LOST = 2, PARVIS_LOG_UNSEEN = 3 };

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t byte_order; /* 0x01020304 */
    uint32_t clock;
    uint32_t state;
    uint64_t session;     /* a number of the thread, unlike that of any other log of the run */
    uint64_t run;         /* the same in all logs of a run: PARVIS_RECORD_RUN, else the number of the process */
    uint64_t bytes;       /* of header and records; 0: not known, up to the end of the file */
    uint64_t opened_tick; /* two moments by both clocks, so that ticks can be said in seconds */
    uint64_t opened_ns;
    uint64_t closed_tick;
    uint64_t closed_ns;
    uint64_t reserved[2];
} parvis_log_header;

typedef struct {
    uint64_t *next, *full;     /* where the next record goes, and from where on there may be no room for it */
    uint64_t *window;          /* the part of the file that is mapped now; NULL when records were lost */
    uint64_t window_at;        /* where in the file it begins */
    parvis_log_header *header; /* mapped for the whole life of the log */
    const void *zeros;         /* a window of them */
    int file;
    uint32_t clock;
} parvis_log;

/* Bytes; a multiple of the page size of any machine. */
enum { PARVIS_WINDOW = 1 << 18 };

/* ---- clocks */

static inline uint64_t parvis_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of a call: nothing that follows starts before it is taken. */
static inline uint64_t parvis_tick_before(uint32_t clock) {
#if defined(__x86_64__)
    if (clock == PARVIS_CLOCK_TSC) {
        uint32_t low, high;
        __asm__ __volatile__("rdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
    }
#endif
    (void)clock;
    uint64_t tick = parvis_ns();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return tick;
}

/* Of an answer: everything before has been done, but the thread's stores may still be on their way. */
static inline uint64_t parvis_tick_after(uint32_t clock) {
#if defined(__x86_64__)
    if (clock == PARVIS_CLOCK_TSC) {
        uint32_t low, high;
        __asm__ __volatile__("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
    }
#endif
    (void)clock;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return parvis_ns();
}

/* Of a commit's answer: the others see all stores of this thread. */
static inline uint64_t parvis_tick_visible(uint32_t clock) {
#if defined(__x86_64__)
    __asm__ __volatile__("mfence" : : : "memory"); /* of streaming stores, too: a locked instruction would not do */
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
    return parvis_tick_after(clock);
}

/* The kernel lists the counter as a clock only while it runs at one rate and agrees between processors. */
static inline uint32_t parvis_clock(void) {
    uint32_t clock = PARVIS_CLOCK_MONOTONIC;
#if defined(__x86_64__)
    char known[256];
    size_t n;
    FILE *in = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    if (!in) return clock;
    n = fread(known, 1, sizeof known - 1, in);
    known[n] = '\0';
    if (strncmp(known, "tsc", 3) == 0 || strstr(known, " tsc")) clock = PARVIS_CLOCK_TSC;
    fclose(in);
#endif
    return clock;
}

/* ---- windows */

/* The room is written first: a store to a mapped hole on a full disk would end the program, and the kernel keeps what
 * is written at once in large pieces, which are quick to map. All pages are made ready at once (madvise), where it can. */
static inline void *parvis_map(parvis_log *log, uint64_t at) {
    size_t done = 0;
    void *window;
    while (done < PARVIS_WINDOW) {
        ssize_t n = pwrite(log->file, log->zeros, PARVIS_WINDOW - done, (off_t)(at + done));
        if (n == 0 || (n < 0 && errno != EINTR)) return NULL;
        if (n > 0) done += (size_t)n;
    }
    window = mmap(NULL, PARVIS_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, (off_t)at);
    if (window == MAP_FAILED) return NULL;
    (void)madvise(window, PARVIS_WINDOW, 23); /* MADV_POPULATE_WRITE */
    return window;
}

static inline void parvis_set_window(parvis_log *log, void *window, uint64_t at) {
    log->window = (uint64_t *)window;
    log->window_at = at;
    log->next = log->window;
    log->full = log->window + PARVIS_WINDOW / 8 - 2;
}

/* No record lies in two windows: words at the end of one are skipped. 0 when there is no next window; this record and
 * all after it are lost then. */
static inline int parvis_move(parvis_log *log) {
    int errno_before = errno;
    uint64_t *end = log->full + 2;
    void *window;
    if (!log->window) return 0;
    while (log->next < end) *log->next++ = PARVIS_SKIP;
    window = parvis_map(log, log->window_at + PARVIS_WINDOW);
    munmap(log->window, PARVIS_WINDOW);
    if (window) {
        parvis_set_window(log, window, log->window_at + PARVIS_WINDOW);
    } else {
        log->header->state = PARVIS_LOG_LOST;
        log->window = log->next = log->full = NULL;
    }
    errno = errno_before;
    return window != NULL;
}

/* The first word is stored last: a record that a killed program had begun is not there. */
static inline void parvis_put(parvis_log *log, uint64_t first) {
    if (__builtin_expect(log->next >= log->full, 0) && !parvis_move(log)) return;
    __atomic_store_n(log->next, first, __ATOMIC_RELEASE);
    log->next++;
}

static inline void parvis_put3(parvis_log *log, uint64_t first, uint64_t key, uint64_t value) {
    if (__builtin_expect(log->next >= log->full, 0) && !parvis_move(log)) return;
    log->next[1] = key;
    log->next[2] = value;
    __atomic_store_n(log->next, first, __ATOMIC_RELEASE);
    log->next += 3;
}

/* ---- opening and closing */

/* A new file for the first number from *session on that is not taken; -1 with errno set. */
static inline int parvis_create(const char *folder, uint64_t run, uint64_t *session) {
    char name[4096];
    for (;; ++*session) {
        int file, n = snprintf(name, sizeof name, "%s/%llu-%llu.parvis", folder, (unsigned long long)run,
                               (unsigned long long)*session);
        if (n < 0 || (size_t)n >= sizeof name) return errno = ENAMETOOLONG, -1;
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
}

static inline uint64_t parvis_run(void) {
    const char *given = getenv("PARVIS_RECORD_RUN");
    return given && *given ? (uint64_t)strtoull(given, NULL, 10) : (uint64_t)getpid();
}

static inline void parvis_fill_header(parvis_log *log, uint64_t run, uint64_t session) {
    parvis_log_header *h = log->header;
    h->version = PARVIS_LOG_VERSION;
    h->byte_order = 0x01020304;
    h->clock = log->clock;
    h->session = session;
    h->run = run;
    h->opened_tick = parvis_tick_before(log->clock);
    h->opened_ns = parvis_ns();
    memcpy(h->magic, PARVIS_LOG_MAGIC, sizeof h->magic);
}

static inline int parvis_map_log(parvis_log *log) {
    void *window = parvis_map(log, 0), *header;
    if (!window) return 0;
    parvis_set_window(log, window, 0);
    header = mmap(NULL, sizeof *log->header, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, 0);
    if (header == MAP_FAILED) return munmap(window, PARVIS_WINDOW), 0;
    log->header = (parvis_log_header *)header;
    log->next += sizeof *log->header / 8;
    return 1;
}

/* A log for this thread, in a folder that exists; NULL: the one that the environment variable PARVIS_RECORD names. The
 * session is the next free number from `session` on. NULL when nothing is to be recorded (errno is 0), or when the log
 * cannot be made (errno says why). */
static inline parvis_log *parvis_log_open(const char *folder, uint64_t session) {
    uint64_t run = parvis_run();
    parvis_log *log;
    errno = 0;
    if (!folder) folder = getenv("PARVIS_RECORD");
    if (!folder || !*folder) return NULL;
    log = (parvis_log *)calloc(1, sizeof *log + PARVIS_WINDOW);
    if (!log) return NULL;
    log->zeros = log + 1;
    log->clock = parvis_clock();
    log->file = parvis_create(folder, run, &session);
    if (log->file < 0) return free(log), (parvis_log *)NULL;
    if (!parvis_map_log(log)) {
        int why = errno;
        close(log->file);
        free(log);
        errno = why;
        return NULL;
    }
    parvis_fill_header(log, run, session);
    errno = 0;
    return log;
}

/* 0, or -1 when records were lost. */
static inline int parvis_log_close(parvis_log *log) {
    int lost;
    if (!log) return 0;
    lost = log->header->state == PARVIS_LOG_LOST;
    log->header->closed_tick = parvis_tick_after(log->clock);
    log->header->closed_ns = parvis_ns();
    if (!lost) {
        uint64_t bytes = log->window_at + (uint64_t)(log->next - log->window) * 8;
        log->header->bytes = bytes;
        if (log->header->state == PARVIS_LOG_OPEN) log->header->state = PARVIS_LOG_CLOSED;
        munmap(log->window, PARVIS_WINDOW);
        if (ftruncate(log->file, (off_t)bytes)) errno = 0; /* the header says how long it is */
    }
    munmap(log->header, sizeof *log->header);
    close(log->file);
    free(log);
    return lost ? -1 : 0;
}

/* ---- what is recorded */

static inline uint64_t parvis_word(uint64_t tick, unsigned kind) { return tick << 4 | kind; }

static inline void parvis_begin(parvis_log *log) {
    if (log) parvis_put(log, parvis_word(parvis_tick_before(log->clock), PARVIS_BEGIN));
}

static inline void parvis_call(parvis_log *log) {
    if (log) parvis_put(log, parvis_word(parvis_tick_before(log->clock), PARVIS_CALL));
}

static inline void parvis_read(parvis_log *log, uint64_t key, uint64_t value) {
    if (log) parvis_put3(log, parvis_word(parvis_tick_after(log->clock), PARVIS_READ), key, value);
}

static inline void parvis_write(parvis_log *log, uint64_t key, uint64_t value) {
    if (log) parvis_put3(log, parvis_word(parvis_tick_after(log->clock), PARVIS_WRITE), key, value);
}

static inline void parvis_commit(parvis_log *log) {
    if (log) parvis_put(log, parvis_word(parvis_tick_before(log->clock), PARVIS_COMMIT));
}

static inline void parvis_committed(parvis_log *log) {
    if (log) parvis_put(log, parvis_word(parvis_tick_visible(log->clock), PARVIS_COMMITTED));
}

static inline void parvis_aborted(parvis_log *log) {
    if (log) parvis_put(log, parvis_word(parvis_tick_after(log->clock), PARVIS_ABORTED));
}

/* Where a restart is known only after it: since the record before, the transaction was aborted and begun again. Who sees the
 * abort and calls begin itself says so by parvis_aborted and parvis_begin. */
static inline void parvis_restarted(parvis_log *log) {
    if (log) parvis_put(log, parvis_word(parvis_tick_after(log->clock), PARVIS_RESTARTED));
}

/* What a key holds before the first transaction, where that is not 0; in any log, at any time, once. */
static inline void parvis_initial(parvis_log *log, uint64_t key, uint64_t value) {
    if (log) parvis_put3(log, parvis_word(parvis_tick_after(log->clock), PARVIS_INITIAL), key, value);
}

#ifdef __cplusplus
}
#endif

#endif
