// SPDX-License-Identifier: Apache-2.0
// What the machine says: wall time, processor time, memory in use, number of cores, where we are run from.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

double clock_seconds(void);          // monotonic wall time
double clock_cpu_seconds(void);      // processor time of this process, all threads
uint64_t clock_resident_bytes(void); // memory resident now
uint64_t clock_peak_bytes(void);     // most memory resident so far
unsigned clock_cores(void);          // cores this process may use

#endif
