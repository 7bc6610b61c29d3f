// SPDX-License-Identifier: Apache-2.0
// A library to preload that fails allocation number FAIL_AT of a program (counting from 1), once or, with FAIL_ON=1,
// from there on. Programs that are started by it are left alone. With FAIL_COUNT=FILE it fails none and writes how
// many there were. Memory that a program maps itself counts too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long fail_at;  // 0: never
static bool fails_on;
static char count_file[4096];
static _Atomic long counted;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT"), *on = getenv("FAIL_ON"), *file = getenv("FAIL_COUNT");
    if (at) fail_at = atol(at);
    fails_on = on && *on == '1';
    if (file) snprintf(count_file, sizeof count_file, "%s", file);
    counted = 0;
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
    char text[32];
    if (!count_file[0]) return;
    int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int n = snprintf(text, sizeof text, "%ld\n", counted);
    if (fd >= 0 && write(fd, text, (size_t)n) == n) close(fd);
}

static bool fails(void) {
    long now = ++counted;
    bool is_now = fail_at && (now == fail_at || (fails_on && now > fail_at));
    if (is_now) errno = ENOMEM;
    return is_now;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

// Only memory: files are opened elsewhere.
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    if ((flags & MAP_ANONYMOUS) && fails()) return MAP_FAILED;
    return next(at, size, protection, flags, fd, offset);
}
