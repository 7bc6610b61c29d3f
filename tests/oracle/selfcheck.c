// SPDX-License-Identifier: Apache-2.0
// A search that starts again because a self-check failed gives the right answer, and so hides the mistake that a test
// looks for. Test programs, and the program that golden tests run, are linked so that every result of a self-check
// comes here first (see the Makefile): a failure ends the program, and the test with it. Programs that seed faults are
// linked without.
#include "result/result.h"

#include <stdio.h>
#include <stdlib.h>

void __real_result_add_self_check(result *r, const char *what, uint64_t samples, const char *failure);
void __wrap_result_add_self_check(result *r, const char *what, uint64_t samples, const char *failure);

void __wrap_result_add_self_check(result *r, const char *what, uint64_t samples, const char *failure) {
    if (failure) {
        printf("# a self-check failed, which no test may pass over: %s: %s\n", what, failure);
        fflush(stdout);
        abort();
    }
    __real_result_add_self_check(r, what, samples, failure);
}
