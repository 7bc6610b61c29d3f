// SPDX-License-Identifier: Apache-2.0
// random_pairs: Murphi models over two scalarsets, `node` and `lock`, whose elements hold each other: cells of the one
// that have elements of the other as values, read through these and compared. The same seed gives the same text.
#ifndef ORACLE_RANDOM_PAIRS_H
#define ORACLE_RANDOM_PAIRS_H

#include "base/str.h"

#include <stdint.h>

void random_pairs(uint64_t seed, str *out);

#endif
