// SPDX-License-Identifier: Apache-2.0
// What the machine says: wall time, processor time, memory in use, number of cores, where we are run from.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

double clock_seconds(void);           // monotonic wall time
double clock_cpu_seconds(void);       // processor time of this process, all threads
double clock_children_seconds(void);  // and of its children that have ended
unsigned clock_cores(void);           // cores this process may use

#endif
