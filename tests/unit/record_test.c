// SPDX-License-Identifier: Apache-2.0
// parvis/record.h and the reader of its logs: what was recorded is read, by the outcome of every transaction; a program
// that is killed in the middle keeps it; logs that were cut, damaged, lost or mixed are refused or read up to the cut.
#include "oracle/unit.h"

#include "history/sources.h"
#include "oracle/reading.h"

#include <parvis/record.h>

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static char folder[] = "/tmp/parvis-record-test-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void says(const reading *x, const char *words) {
    str text = {0};
    diag_print(x->messages, &text, false);
    if (!strstr(str_get(&text), words)) fail_msg("no '%s' in: %s", words, str_get(&text));
    str_free(&text);
}

static void every_outcome(void **state) {
    (void)state;
    parvis_log *log = parvis_log_open(folder, 7);
    assert_non_null(log);
    parvis_initial(log, 1, 5);
    parvis_begin(log);
    parvis_read(log, 1, 5);
    parvis_write(log, 2, UINT64_MAX);
    parvis_commit(log);
    parvis_committed(log);
    parvis_begin(log);
    parvis_call(log);
    parvis_read(log, 2, UINT64_MAX);
    parvis_aborted(log);
    parvis_begin(log);
    parvis_commit(log);
    parvis_aborted(log);
    parvis_begin(log);  // restarted
    parvis_begin(log);
    parvis_write(log, 3, 1);
    parvis_commit(log);
    assert_int_equal(parvis_log_close(log), 0);
    log = parvis_log_open(folder, 7);  // 8, as 7 is taken
    parvis_begin(log);
    assert_int_equal(parvis_log_close(log), 0);
    reading x = reading_of_folder(folder);
    assert_true(x.good && x.h.has_times);
    static const uint32_t outcomes[] = {TX_COMMITTED, TX_ABORTED, TX_ABORTED, TX_ABORTED, TX_PENDING, TX_LIVE};
    assert_int_equal(x.h.txs.len, 6);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(x.h.txs.data[i].outcome, outcomes[i]);
    assert_int_equal(x.h.op_key.len, 4);
    recorded_op read = recorded_get(&x.h, 0), last = recorded_get(&x.h, 2);
    uint64_t value;
    assert_true(read.call >= x.h.txs.data[0].begins && read.answer <= x.h.txs.data[0].commits &&
                last.call < last.answer);
    str text = {0};
    names_add(&x.h.values, last.value, &text);
    assert_string_equal(str_get(&text), "18446744073709551615");
    str_free(&text);
    assert_true(names_is_number(&x.h.values, recorded_initial(&x.h, read.key), &value) && value == 5);
    assert_int_equal(names_count(&x.h.sessions), 2);
    reading_free(&x);
}

// Attempts of which only the restart was seen end no earlier and begin no later than they did, so they may overlap.
static void restarts_have_sessions_of_their_own(void **state) {
    (void)state;
    parvis_log *log = parvis_log_open(folder, 1);
    parvis_begin(log);
    for (uint64_t i = 0; i < 3; i++) {
        parvis_read(log, 1, 0);
        parvis_restarted(log);
    }
    parvis_commit(log);
    parvis_committed(log);
    parvis_log_close(log);
    reading x = reading_of_folder(folder);
    assert_true(x.good && x.h.txs.len == 4 && names_count(&x.h.sessions) == 3);
    for (uint32_t i = 0; i < 3; i++) {
        const recorded_tx *t = &x.h.txs.data[i];
        assert_true(t->outcome == TX_ABORTED && t->count == 1 && t->ends > x.h.op_answer.data[t->first]);
        assert_true(t[1].begins == x.h.op_answer.data[t->first]);
    }
    assert_int_equal(x.h.txs.data[3].outcome, TX_COMMITTED);
    reading_free(&x);
}

static void nothing_is_recorded_without_a_folder(void **state) {
    (void)state;
    unsetenv("PARVIS_RECORD");
    parvis_log *log = parvis_log_open(NULL, 0);
    assert_true(!log && errno == 0);
    parvis_begin(log);
    parvis_read(log, 1, 1);
    parvis_committed(log);
    assert_int_equal(parvis_log_close(log), 0);
    assert_true(!parvis_log_open("/nowhere/at/all", 0) && errno == ENOENT);
}

// ---- several threads, several windows of the file

enum { THREADS = 3, ROUNDS = 20000 };

static void *record_much(void *number) {
    parvis_log *log = parvis_log_open(folder, (uint64_t)(uintptr_t)number);
    for (uint64_t i = 0; log && i < ROUNDS; i++) {
        parvis_begin(log);
        for (uint64_t k = 0; k < i % 4; k++) parvis_write(log, k, i);
        parvis_commit(log);
        parvis_committed(log);
    }
    return parvis_log_close(log) ? NULL : number;
}

static void much_of_several_threads(void **state) {
    (void)state;
    pthread_t ids[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, record_much, (void *)(i + 1)), 0);
    for (uintptr_t i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(ids[i], &result);
        assert_ptr_equal(result, (void *)(i + 1));
    }
    reading x = reading_of_folder(folder);
    assert_true(x.good);
    assert_int_equal(x.h.txs.len, THREADS * ROUNDS);
    assert_int_equal(x.h.op_key.len, THREADS * ROUNDS / 4 * 6);
    for (uint32_t i = 0; i < x.h.txs.len; i++) assert_int_equal(x.h.txs.data[i].outcome, TX_COMMITTED);
    reading_free(&x);
}

// ---- killed

// The child tells through the pipe how far it surely is.
static void record_until_killed(int told) {
    parvis_log *log = parvis_log_open(folder, 1);
    for (uint64_t i = 1;; i++) {
        parvis_begin(log);
        parvis_write(log, 1, i);
        parvis_commit(log);
        if (write(told, &i, sizeof i) != sizeof i) _exit(1);
        parvis_committed(log);
    }
}

static uint64_t kill_after(uint64_t rounds) {
    int ends[2];
    uint64_t far = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) record_until_killed(ends[1]);
    close(ends[1]);
    while (far < rounds) assert_int_equal(read(ends[0], &far, sizeof far), sizeof far);
    kill(child, SIGKILL);
    for (uint64_t i; read(ends[0], &i, sizeof i) == sizeof i;) far = i;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return far;
}

static void a_killed_program_keeps_its_records(void **state) {
    for (uint64_t rounds = 1; rounds <= 30000; rounds = rounds * 3 + 1) {
        uint64_t far = kill_after(rounds);
        reading x = reading_of_folder(folder);
        assert_true(x.good);
        uint32_t n = x.h.txs.len, committed = 0;
        for (uint32_t i = 0; i < n; i++) committed += x.h.txs.data[i].outcome == TX_COMMITTED;
        // Of the last one that was told of, commit was called; at most one more has begun.
        assert_in_range(n, far, far + 1);
        assert_true(committed + 1 >= far);
        assert_true(x.h.txs.data[far - 1].outcome == TX_COMMITTED || x.h.txs.data[far - 1].outcome == TX_PENDING);
        reading_free(&x);
        remove_folder(state);
        make_folder(state);
    }
}

// ---- what is not whole

static void write_log(void) {
    parvis_log *log = parvis_log_open(folder, 1);
    for (uint64_t i = 0; i < 10; i++) {
        parvis_begin(log);
        parvis_read(log, i, 0);
        parvis_write(log, i, i + 1);
        parvis_commit(log);
        if (i % 3) parvis_committed(log);
        else parvis_aborted(log);
    }
    parvis_log_close(log);
}

static const char *log_path(void) {
    static char path[100];
    snprintf(path, sizeof path, "%s/%d-1.parvis", folder, (int)getpid());
    return path;
}

static reading read_bytes(const char *text, size_t size) { return reading_of("log", "log", text, size); }

static void logs_may_end_anywhere(void **state) {
    (void)state;
    write_log();
    size_t size;
    char *text = str_read_file(log_path(), &size);
    assert_non_null(text);
    uint32_t before = 0;
    memset(text + offsetof(parvis_log_header, bytes), 0, 8);  // as if it had not been closed
    for (size_t n = sizeof(parvis_log_header); n <= size; n++) {
        reading x = read_bytes(text, n);
        assert_true(x.good && x.h.txs.len >= before);
        before = x.h.txs.len;
        reading_free(&x);
    }
    assert_int_equal(before, 10);
    free(text);
}

static void refuses(char *text, size_t size, size_t at, unsigned char byte, const char *words) {
    char before = text[at];
    text[at] = (char)byte;
    reading x = read_bytes(text, size);
    assert_false(x.good);
    says(&x, words);
    reading_free(&x);
    text[at] = before;
}

static void damaged_logs_are_refused(void **state) {
    (void)state;
    write_log();
    size_t size, records = sizeof(parvis_log_header);
    char *text = str_read_file(log_path(), &size);
    refuses(text, size, offsetof(parvis_log_header, version), 9,
            "byte 0: this log has version 9; version 1 can be read");
    refuses(text, size, offsetof(parvis_log_header, byte_order), 1, "another byte order");
    refuses(text, size, offsetof(parvis_log_header, state), PARVIS_LOG_LOST, "records of this log were lost");
    refuses(text, size, offsetof(parvis_log_header, bytes), 4, "longer or shorter than it can be");
    refuses(text, size, records, 15, "byte 96: there is no such record");
    refuses(text, size, records, PARVIS_COMMIT, "byte 96: this record is outside of a transaction");
    refuses(text, size, records + 7, 0xFF, "byte 104: time runs backwards in this log");
    free(text);
}

static void runs_are_not_mixed(void **state) {
    (void)state;
    setenv("PARVIS_RECORD_RUN", "1", 1);
    write_log();
    setenv("PARVIS_RECORD_RUN", "2", 1);
    write_log();
    unsetenv("PARVIS_RECORD_RUN");
    reading x = reading_of_folder(folder);
    assert_false(x.good);
    says(&x, "belongs to another run");
    reading_free(&x);
}

static void initial_values_differ(void **state) {
    (void)state;
    for (uint64_t value = 5; value < 7; value++) {
        parvis_log *log = parvis_log_open(folder, value);
        assert_non_null(log);
        parvis_initial(log, 1, value);
        parvis_initial(log, 2, 5);
        assert_int_equal(parvis_log_close(log), 0);
    }
    reading x = reading_of_folder(folder);
    assert_false(x.good);
    says(&x, "byte 96: another log, or this one, has another initial value of this key");
    reading_free(&x);
}

// A log, its compressed form, and both logs in one file are the same history.
static void compressed_and_joined(void **state) {
    (void)state;
    char command[400];
    write_log();
    snprintf(command, sizeof command,
             "cd %s && cat *.parvis *.parvis > both && gzip -9 *.parvis && head -c 40 *.gz > cut", folder);
    assert_int_equal(system(command), 0);
    reading x = reading_of_folder(folder);
    assert_true(x.good && x.h.txs.len == 10);
    reading_free(&x);
    snprintf(command, sizeof command, "cd %s && rm *.gz && mv cut cut.parvis.gz", folder);
    assert_int_equal(system(command), 0);
    x = reading_of_folder(folder);
    assert_false(x.good);
    says(&x, "the compressed data is damaged, or ends too early");
    reading_free(&x);
    snprintf(command, sizeof command, "cd %s && rm *.gz && mv both both.parvis", folder);
    assert_int_equal(system(command), 0);
    x = reading_of_folder(folder);
    assert_false(x.good);  // the same session twice, at the same times
    says(&x, "began before the one before it of its session had ended");
    reading_free(&x);
}

static void folders_without_logs(void **state) {
    (void)state;
    reading x = reading_of_folder(folder);
    assert_false(x.good);
    says(&x, "no history is in this folder");
    reading_free(&x);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        with_folder(every_outcome),
        with_folder(restarts_have_sessions_of_their_own),
        with_folder(nothing_is_recorded_without_a_folder),
        with_folder(much_of_several_threads),
        with_folder(a_killed_program_keeps_its_records),
        with_folder(logs_may_end_anywhere),
        with_folder(damaged_logs_are_refused),
        with_folder(runs_are_not_mixed),
        with_folder(initial_values_differ),
        with_folder(compressed_and_joined),
        with_folder(folders_without_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
