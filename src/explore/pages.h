// SPDX-License-Identifier: Apache-2.0
// Large zeroed pieces of memory, on huge pages where the system has them: random access to a table of
// gigabytes otherwise spends much of its time on address translation.
#ifndef EXPLORE_PAGES_H
#define EXPLORE_PAGES_H

#include <stddef.h>

void *pages_alloc(size_t size);  // zeroed
// Of another size, all zero again; what was there is lost.
void *pages_again(void *memory, size_t before, size_t size);
void pages_free(void *memory, size_t size);  // with the size it was allocated with

#endif
