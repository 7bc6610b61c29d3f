// SPDX-License-Identifier: Apache-2.0
// What became of expectations (`parvis test`): a line of text each, JUnit's XML, annotations of GitHub's runners.
#ifndef REPORT_TESTS_H
#define REPORT_TESTS_H

#include "report/style.h"

#include <jansson.h>
#include <stdint.h>

typedef enum {
    TEST_MET,
    TEST_FAILED,   // another answer, or one that says nothing
    TEST_UNKNOWN,  // no answer
    TEST_WRONG,    // the file, or what it expects, cannot be understood
    TEST_OUTCOMES
} test_outcome;

typedef struct {
    const char *file;
    uint32_t line, column;  // 0: of the whole file
    const char *name;       // "opaque at Thread=2, Loc=2"
    const char *expected;   // "holds, 64 states"; NULL: nothing
    const char *found;      // the same form, or why there is none; NULL while it runs
    test_outcome outcome;
    double seconds;
} test_row;

void tests_line(const test_row *t, const style *s, str *out);
// "165 expectations in 40 files: 164 met, 1 failed (2.31 s)"
void tests_summary(const test_row *rows, uint32_t n, uint32_t files, double seconds, const style *s, str *out);
json_t *tests_object(const test_row *rows, uint32_t n);
void tests_junit(const test_row *rows, uint32_t n, double seconds, str *out);
void tests_github(const test_row *t, str *out);  // nothing for one that was met
uint32_t tests_count(const test_row *rows, uint32_t n, test_outcome outcome);

#endif
