// SPDX-License-Identifier: Apache-2.0
// Logs of include/parvis/record.h, which has the format: what a program recorded, one log per thread.
//
//   log.c        reads them
//   log_write.c  writes them
#ifndef HISTORY_LOG_H
#define HISTORY_LOG_H

#include "history/format.h"
#include "history/recorded.h"

#include <stdio.h>

bool log_is_recorded(const format_source *from);
bool log_read_recorded(recording *r, const format_source *from);
bool log_write_recorded(const recorded *h, FILE *out, const char **why);
// The same as log_read_recorded for one of several files, with times since this tick.
bool log_read_since(recording *r, const format_source *from, uint64_t base);
// The tick at which the first of these logs was opened; 0 if none is a log.
uint64_t log_base(const format_source *files, uint32_t count);

// All logs side by side, in the order of their times.
bool log_read_together(recording *r, const format_source *files, uint32_t count);

// One file of all these logs, without the room that was left at their ends. False with errno set.
bool log_join(const format_source *files, uint32_t count, FILE *out);

// The first of these files that does not belong to the same run as those before it; NULL: they all do.
const format_source *log_other_run(const format_source *files, uint32_t count);

#endif
