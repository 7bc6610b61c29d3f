// SPDX-License-Identifier: Apache-2.0
// One expectation of a model: the run of this program that decides it, and what its answer makes of it.
#ifndef CLI_EXPECTED_H
#define CLI_EXPECTED_H

#include "cli/options.h"
#include "cli/session.h"
#include "report/tests.h"

// Its name, its place and what is expected; texts live as long as `memory`.
test_row expected_row(arena *memory, const model *m, const expectation *x, const char *file);
// The arguments of a run of our own program that decides it; ends with NULL.
const char *const *expected_command(const options *o, const char *self, const model *m, const expectation *x,
                                    const char *file, uint32_t threads);
// What the answer of that run, as text, says. The text of *t->found is allocated: the caller frees it. Returns the
// answer itself, or NULL.
json_t *expected_judge(const model *m, const expectation *x, const char *answer, size_t size, test_row *t);
// A rule that fired in none of these answers though it was looked at; NULL: there is none.
const char *expected_idle(json_t *const *answers, uint32_t n);

#endif
