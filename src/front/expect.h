// SPDX-License-Identifier: Apache-2.0
// Expectations in comments, for languages that have no `expect`. A comment that is a line of its own says
//
//   -- expect: holds                                 all properties of the file
//   -- expect "one writer" at PROCS=3: violated, length 5
//   -- expect at PROCS=2: holds, 214 states          or: 107 orbits
//
// and in a file of queries, without a name, what the next query answers. A line without a colon is prose.
#ifndef FRONT_EXPECT_H
#define FRONT_EXPECT_H

#include "model/model.h"

// Adds those of a text that was read into the model; `leader` begins its comments. False after mistakes.
bool front_expectations(model *m, uint32_t file, const char *leader, bool is_queries);

#endif
