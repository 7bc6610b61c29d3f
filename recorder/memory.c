// SPDX-License-Identifier: Apache-2.0
// What malloc gives out: nobody else knows it yet, and what it held before is of the past. Words of it that transactions
// touched in an earlier life are new ones from now on.
#include "itm.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void *given(void *block, size_t size) {
    if (block) words_renew((uint64_t)(uintptr_t)block, size);
    return block;
}

void *malloc(size_t size) { return given(__libc_malloc(size), size); }
void *calloc(size_t count, size_t size) { return given(__libc_calloc(count, size), count * size); }
void *realloc(void *old, size_t size) { return given(__libc_realloc(old, size), size); }
void *memalign(size_t alignment, size_t size) { return given(__libc_memalign(alignment, size), size); }
void *aligned_alloc(size_t alignment, size_t size) { return given(__libc_memalign(alignment, size), size); }

void *reallocarray(void *old, size_t count, size_t size) {
    size_t all;
    if (!__builtin_mul_overflow(count, size, &all)) return realloc(old, all);
    errno = ENOMEM;
    return NULL;
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || !alignment) return EINVAL;
    void *block = __libc_memalign(alignment, size);
    if (!block) return ENOMEM;
    *out = given(block, size);
    return 0;
}
