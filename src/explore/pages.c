// SPDX-License-Identifier: Apache-2.0
// Large pieces of memory: see pages.h. Small pieces come from the ordinary allocator, which could keep holes where
// large ones were. Those are mapped, where they are huge at a multiple of the huge page size, so that all but the
// rest at the end can be huge pages.
#include "explore/pages.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE = 2 << 20, LEAST = 1 << 16 };

static char *map(size_t size) {
    char *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

// Where the system allows no more than what is needed, at any place.
static void *map_aligned(size_t size) {
    char *start = map(size + HUGE);
    if (!start) return map(size);
    size_t before = (HUGE - (uintptr_t)start % HUGE) % HUGE;
    if (before) munmap(start, before);
    munmap(start + before + size, HUGE - before);
    return start + before;
}

// To whole pages of the system.
static size_t round_up(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

void *pages_alloc(size_t size) {
    if (size < LEAST) return mem_zero(1, size);
    void *memory = size < HUGE ? map(round_up(size)) : map_aligned(round_up(size));
    if (!memory) return mem_zero(SIZE_MAX, 1);       // reports that memory is exhausted
    madvise(memory, round_up(size), MADV_HUGEPAGE);  // a hint: nothing depends on it
    return memory;
}

// The system would have to clear pages that it has just taken back: these are kept, and cleared here. Huge pages lie at
// multiples of their size, which they would not do elsewhere.
void *pages_again(void *memory, size_t before, size_t size) {
    bool stays = before >= LEAST && size >= before && size < HUGE;
    void *again = stays ? mremap(memory, round_up(before), round_up(size), MREMAP_MAYMOVE) : MAP_FAILED;
    if (again != MAP_FAILED) return memset(again, 0, before);
    pages_free(memory, before);
    return pages_alloc(size);
}

void pages_free(void *memory, size_t size) {
    if (size < LEAST) free(memory);
    else if (memory) munmap(memory, round_up(size));
}
