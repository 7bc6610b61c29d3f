// SPDX-License-Identifier: Apache-2.0
// The allocator of this program and of every library in it (libxml2, jansson, CaDiCaL, Z3, the C and C++ libraries):
// that of the system, except that it never returns NULL. What libraries do when memory is exhausted differs: some lose
// a part of what they read, some abort, some throw exceptions that nobody catches. None of them gets into that
// position: the run ends here, with "out of memory".
//
// A program's own malloc comes before that of any library. It is left out where a sanitizer has one (Makefile).
#include "cli/watchdog.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

// The names by which the C library keeps its own.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// The next ones in line, which need not be the C library's (a tool may have put its own there). They are looked up
// once; what that allocates itself comes from the C library.
static _Atomic(void *(*)(size_t)) next_malloc;
static _Atomic(void *(*)(size_t, size_t)) next_calloc, next_aligned;
static _Atomic(void *(*)(void *, size_t)) next_realloc;
static _Thread_local bool is_looking;

static void *look_up(const char *name, void *else_this) {
    if (is_looking) return else_this;
    is_looking = true;
    void *found = dlsym(RTLD_NEXT, name);
    is_looking = false;
    return found ? found : else_this;
}

static void find_next(void) {
    if (is_looking) return;
    next_calloc = (void *(*)(size_t, size_t))look_up("calloc", (void *)__libc_calloc);
    next_realloc = (void *(*)(void *, size_t))look_up("realloc", (void *)__libc_realloc);
    next_aligned = (void *(*)(size_t, size_t))look_up("aligned_alloc", (void *)__libc_memalign);
    next_malloc = (void *(*)(size_t))look_up("malloc", (void *)__libc_malloc);
}

// Before libraries set themselves up, and allocate.
static void alloc_begin(int argc, char **argv, char **environment) {
    (void)environment;
    watchdog_begin(argc, argv);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = alloc_begin;

static inline void *given(void *p, size_t size) {
    if (__builtin_expect(!p && size, 0)) watchdog_exhausted();
    return p;
}

void *malloc(size_t size) {
    void *(*f)(size_t) = atomic_load_explicit(&next_malloc, memory_order_relaxed);
    if (__builtin_expect(!f, 0)) find_next(), f = next_malloc ? next_malloc : __libc_malloc;
    return given(f(size), size);
}

void *calloc(size_t count, size_t size) {
    void *(*f)(size_t, size_t) = atomic_load_explicit(&next_calloc, memory_order_relaxed);
    if (__builtin_expect(!f, 0)) find_next(), f = next_calloc ? next_calloc : __libc_calloc;
    return given(f(count, size), count && size);
}

void *realloc(void *old, size_t size) {
    void *(*f)(void *, size_t) = atomic_load_explicit(&next_realloc, memory_order_relaxed);
    if (__builtin_expect(!f, 0)) find_next(), f = next_realloc ? next_realloc : __libc_realloc;
    return given(f(old, size), size);
}

static void *aligned(size_t alignment, size_t size) {
    void *(*f)(size_t, size_t) = atomic_load_explicit(&next_aligned, memory_order_relaxed);
    if (__builtin_expect(!f, 0)) find_next(), f = next_aligned ? next_aligned : __libc_memalign;
    return given(f(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size) { return aligned(alignment, size); }
void *memalign(size_t alignment, size_t size) { return aligned(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    *out = aligned(alignment, size);
    return 0;
}
