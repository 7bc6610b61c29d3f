// SPDX-License-Identifier: Apache-2.0
// record_bench: what a record of parvis/record.h costs, by kind, in nanoseconds of the thread's processor time; with all
// that comes with it: the files, their pages, the kernel.
//
//   record_bench FOLDER    the logs go there, and are removed
#include <parvis/record.h>

enum { ROUNDS = 2000000 };

static double thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void record_begin(parvis_log *log, uint64_t i) {
    (void)i;
    parvis_begin(log);
}
static void record_read(parvis_log *log, uint64_t i) { parvis_read(log, i % 100, i); }
static void record_write(parvis_log *log, uint64_t i) { parvis_write(log, i % 100, i); }
static void record_committed(parvis_log *log, uint64_t i) {
    (void)i;
    parvis_committed(log);
}
static void record_calls(parvis_log *log, uint64_t i) {
    parvis_call(log);
    parvis_read(log, i % 100, i);
}

// A transaction of five reads and two writes: ten records.
static void record_transaction(parvis_log *log, uint64_t i) {
    parvis_begin(log);
    for (uint64_t k = 0; k < 5; k++) parvis_read(log, i % 100 + k, i);
    for (uint64_t k = 0; k < 2; k++) parvis_write(log, i % 100 + k, i);
    parvis_commit(log);
    parvis_committed(log);
}

static const struct {
    const char *name;
    void (*record)(parvis_log *, uint64_t);
    unsigned records;
} kinds[] = {{"begin, commit called", record_begin, 1},
             {"read", record_read, 1},
             {"write", record_write, 1},
             {"read with its call", record_calls, 2},
             {"committed", record_committed, 1},
             {"a transaction of 5 reads, 2 writes", record_transaction, 10}};

static int measure(const char *folder, unsigned kind, FILE *out) {
    char command[4200];
    parvis_log *log = parvis_log_open(folder, 1);
    if (!log) return perror(folder), 1;
    double begin = thread_ns();
    unsigned rounds = ROUNDS / kinds[kind].records;
    for (uint64_t i = 0; i < rounds; i++) kinds[kind].record(log, i);
    double end = thread_ns();
    if (out)
        fprintf(out, "| %s | %s | %.1f |\n", kinds[kind].name,
                log->clock == PARVIS_CLOCK_TSC ? "time stamp counter" : "clock_gettime",
                (end - begin) / (rounds * (double)kinds[kind].records));
    parvis_log_close(log);
    snprintf(command, sizeof command, "%s/%d-1.parvis", folder, (int)getpid());
    return unlink(command);
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: record_bench FOLDER\n"), 2;
    if (measure(argv[1], 0, NULL)) return 1;  // the clock's first look, the folder
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (measure(argv[1], i, stdout)) return 1;
    return 0;
}
