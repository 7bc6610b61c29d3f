// SPDX-License-Identifier: Apache-2.0
// The table of small histories whose levels are known: every row, every level, by the definitions tried out and by the
// checker.
#include "oracle/unit.h"

#include "history/brute.h"
#include "history/format.h"
#include "history/level_check.h"

#include <string.h>

// y or n for serializable, session, strict, opaque, si, session_si, strong_si, causal, read_atomic, read_committed.
static const level columns[] = {LEVEL_SERIALIZABLE, LEVEL_SESSION,       LEVEL_STRICT,    LEVEL_OPAQUE,
                                LEVEL_SI,           LEVEL_SESSION_SI,    LEVEL_STRONG_SI, LEVEL_CAUSAL,
                                LEVEL_READ_ATOMIC,  LEVEL_READ_COMMITTED};

static const struct {
    const char *name, *text, *holds;
} rows[] = {
    {"sequential", "open(1) read(1,x,0) write(1,x,1) commit(1) open(2) read(2,x,1) commit(2)", "yyyyyyyyyy"},
    {"swapped commit", "open(1) read(1,x,0) open(2) write(2,x,1) commit(2) commit(1)", "yyyyyyyyyy"},
    {"stale read", "open(1) write(1,x,1) commit(1) open(2) read(2,x,0) commit(2)", "yynnyynyyy"},
    {"stale read, same session", "open(s) write(s,x,1) commit(s) open(s) read(s,x,0) commit(s)", "ynnnynnnny"},
    {"lost update", "open(1) read(1,x,0) open(2) read(2,x,0) write(1,x,1) commit(1) write(2,x,2) commit(2)",
     "nnnnnnnyyy"},
    {"write skew",
     "open(1) read(1,x,0) read(1,y,0) open(2) read(2,x,0) read(2,y,0) write(1,x,1) commit(1) write(2,y,2) commit(2)",
     "nnnnyyyyyy"},
    {"long fork",
     "open(1) write(1,x,1) open(2) write(2,y,1) commit(1) commit(2) open(3) read(3,x,1) read(3,y,0) open(4) "
     "read(4,x,0) read(4,y,1) commit(3) commit(4)",
     "nnnnnnnyyy"},
    {"fractured read, committed",
     "open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit(1) read(2,y,1) commit(2)", "nnnnnnnnny"},
    {"fractured read, aborted", "open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit(1) read(2,y,1) abort(2)",
     "yyynyyyyyy"},
    {"fractured read, live", "open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit(1) read(2,y,1)",
     "yyynyyyyyy"},
    {"consistent, aborted", "open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit(1) read(2,y,0) abort(2)",
     "yyyyyyyyyy"},
    {"read of an aborted value", "open(1) write(1,x,1) open(2) abort(1) read(2,x,1) commit(2)", "nnnnnnnnnn"},
    {"dirty read, later committed", "open(1) write(1,x,1) open(2) read(2,x,1) commit(1) commit(2)", "yyynyyyyyy"},
    {"intermediate value", "open(1) write(1,x,1) open(2) write(1,x,2) commit(1) read(2,x,1) commit(2)", "nnnnnnnnnn"},
    {"commit pending, seen", "open(1) write(1,x,1) commit_call(1) open(2) read(2,x,1) commit(2)", "yyyyyyyyyy"},
    {"commit pending, not seen", "open(1) write(1,x,1) commit_call(1) open(2) read(2,x,0) commit(2)", "yyyyyyyyyy"},
    {"own write", "open(1) write(1,x,1) read(1,x,1) commit(1) open(2) read(2,x,1) commit(2)", "yyyyyyyyyy"},
    {"own write lost", "open(1) write(1,x,1) read(1,x,0) commit(1)", "nnnnnnnnnn"},
    {"unrepeatable read, aborted", "open(1) read(1,x,0) open(2) write(2,x,1) commit(2) read(1,x,1) abort(1)",
     "yyynyyyyyy"},
    {"circular information flow",
     "open(1) write(1,x,1) open(2) write(2,y,1) read(1,y,1) read(2,x,1) commit(1) commit(2)", "nnnnnnnnnn"},
    {"blind writes, either",
     "open(1) write(1,x,1) write(1,y,1) open(2) write(2,x,2) write(2,y,2) commit(1) commit(2) open(3) read(3,x,1) "
     "read(3,y,1) commit(3)",
     "yyyyyyyyyy"},
    // Of Biswas and Enea: read committed forbids to read the old value after the new one, and only that.
    {"newer, then older", "open(1) write(1,x,1) write(1,y,1) commit(1) open(2) read(2,x,1) read(2,y,0) commit(2)",
     "nnnnnnnnnn"},
    // Causally before, but neither in the session nor read from.
    {"through a third",
     "open(1) write(1,x,1) commit(1) open(2) read(2,x,1) write(2,y,1) commit(2) open(3) read(3,y,1) read(3,x,0) "
     "commit(3)",
     "nnnnnnnnyy"},
    // Who wrote what was read is a choice, and may be another one for each read.
    {"repeated, from two writers",
     "open(s) write(s,x,1) commit(s) open(s) write(s,x,2) commit(s) open(s) write(s,x,1) commit(s) open(s) read(s,x,0) "
     "read(s,x,1) read(s,x,2) read(s,x,1) commit(s)",
     "nnnnnnnnny"},
    {"repeated, initial or not",
     "open(s) write(s,x,2) commit(s) open(s) write(s,x,0) write(s,y,2) commit(s) open(s) read(s,x,0) read(s,y,0) "
     "commit(s)",
     "ynnnynnnny"},
    {"lists", "open(1) append(1,l,1) append(1,l,2) commit(1) open(2) append(2,l,3) read(2,l,[1 2 3]) commit(2)",
     "yyyyyyyyyy"},
    {"half a list", "open(1) append(1,l,1) append(1,l,2) commit(1) open(2) read(2,l,[1]) commit(2)", "nnnnnnnnnn"},
    {"two orders of a list",
     "open(1) append(1,l,1) open(2) append(2,l,2) commit(1) commit(2) open(3) read(3,l,[1 2]) commit(3) open(4) "
     "read(4,l,[2 1]) commit(4)",
     "nnnnnnnnnn"},
};

static void read_row(recorded *h, diag *messages, const char *text) {
    format_source from = {"row", text, strlen(text)};
    recorded_begin(h);
    recording *r = recording_begin(h, messages);
    assert_true(text_read_recorded(r, &from));
    assert_true(recording_end(r));
}

static void table(void **state) {
    (void)state;
    uint32_t wrong = 0, cases = 0;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        recorded h;
        diag *messages = diag_new();
        read_row(&h, messages, rows[i].text);
        for (uint32_t c = 0; c < sizeof columns / sizeof *columns; c++, cases++) {
            bool holds = rows[i].holds[c] == 'y';
            level_answer a;
            level_check(&h, columns[c], NULL, &a);
            bool agrees = a.verdict == (holds ? ORDER_YES : ORDER_NO);
            level_answer_free(&a);
            if (agrees && brute_check(&h, columns[c], 0) == (holds ? BRUTE_YES : BRUTE_NO)) continue;
            print_message("# %s, %s: not '%c'\n", rows[i].name, level_name(columns[c]), rows[i].holds[c]);
            wrong++;
        }
        recorded_free(&h);
        diag_free(messages);
    }
    printf("# tally: levels of the oracle table | %u cases | %u wrong\n", cases, wrong);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
