// SPDX-License-Identifier: Apache-2.0
// unit: cmocka with the headers it wants before it, for every test program.
//
//     #include "oracle/unit.h"
//
//     static void vec_grows(void **state) { (void)state; assert_int_equal(vec_len(&v), 3); }
//
//     int main(void) {
//         const struct CMUnitTest tests[] = {cmocka_unit_test(vec_grows)};
//         return cmocka_run_group_tests(tests, NULL, NULL);
//     }
#ifndef ORACLE_UNIT_H
#define ORACLE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
