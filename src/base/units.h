// SPDX-License-Identifier: Apache-2.0
// Sizes of memory and spans of time, as people write and read them: "2G", "10m"; "3.1 MB", "1 min 20 s".
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/str.h"

#include <stdint.h>

// "512M", "2G", "1.5GiB", "4096": powers of 1024. False if it is not a size.
bool units_parse_bytes(const char *text, uint64_t *bytes);
// "10m", "90s", "1h30m", "500ms", "2.5": seconds unless a unit says otherwise. False if it is not a time.
bool units_parse_seconds(const char *text, double *seconds);
// A count: "1000000", "1e6", "10k", "2M". False if it is not a count.
bool units_parse_count(const char *text, uint64_t *count);

void units_bytes_text(uint64_t bytes, str *out);    // "640 B", "3.1 MB"
void units_seconds_text(double seconds, str *out);  // "0.03 s", "12.4 s", "1 min 20 s", "2 h 5 min"
void units_count_text(double count, str *out);      // "950", "12.3k", "1.24M"
// "1 query", "14 queries", "3,000 states"
void units_things_text(uint64_t count, const char *thing, str *out);

#endif
