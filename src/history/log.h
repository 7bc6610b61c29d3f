// SPDX-License-Identifier: Apache-2.0
// Logs of include/parvis/record.h, which has the format: what a program recorded, one log per thread.
//
//   log.c   reads them
#ifndef HISTORY_LOG_H
#define HISTORY_LOG_H

#include "history/format.h"

bool log_is_recorded(const format_source *from);
bool log_read_recorded(recording *r, const format_source *from);

// The first of these files that does not belong to the same run as those before it; NULL: they all do.
const format_source *log_other_run(const format_source *files, uint32_t count);

#endif
