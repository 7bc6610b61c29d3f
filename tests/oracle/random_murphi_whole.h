// SPDX-License-Identifier: Apache-2.0
// random_murphi_whole: whole Murphi models with random types: scalarsets of 1 to 4 elements, unions, enumerations,
// ranges, records, arrays over any of these, multisets of any of these and arrays of them; functions and procedures
// with parameters of every kind; statements and expressions of every kind that the types allow. What comes out is
// well-typed; it may read what has no value or leave a range, in steps like in properties.
//
// As in random_murphi.h, the same seed gives the same text, and parts that are in `skip` are left out.
#ifndef ORACLE_RANDOM_MURPHI_WHOLE_H
#define ORACLE_RANDOM_MURPHI_WHOLE_H

#include "base/bits.h"
#include "base/str.h"

typedef enum {
    WHOLE_PLAIN = 1,     // without unions, multisets and choose: what Rumur reads
    WHOLE_NO_LOOPS = 2,  // without loops over scalarsets and unions
    WHOLE_MEETING = 4,   // bodies in which rounds of loops have much to do with each other
} whole_options;

uint32_t random_murphi_whole(uint64_t seed, whole_options o, const bits *skip, str *out);

#endif
