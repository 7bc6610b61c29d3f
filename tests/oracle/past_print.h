// SPDX-License-Identifier: Apache-2.0
// A past formula as text that reads back to it.
#ifndef ORACLE_PAST_PRINT_H
#define ORACLE_PAST_PRINT_H

#include "history/past.h"

void past_print(const past *f, str *out);

#endif
