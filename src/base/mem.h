// SPDX-License-Identifier: Apache-2.0
// Memory: allocation that never returns NULL, and arenas freed as a whole.
// A phase (parse, model, query) owns one arena; what lives in it is never freed on its own.
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t size);               // uninitialised
void *mem_zero(size_t count, size_t size);  // zeroed
void *mem_grow(void *old, size_t size);     // realloc
// Room for at least `want` things of `size` bytes, doubling *cap; more than 2^32 - 1 count as out of memory.
void *mem_more(void *old, uint32_t *cap, size_t want, size_t size);

// Called once when the system has no memory left; the command line sets it (it must not return).
void mem_on_exhausted(void (*handler)(void));

typedef struct arena arena;

arena *arena_new(void);
void arena_free(arena *a);
void *arena_alloc(arena *a, size_t size);  // zeroed, aligned for any type
char *arena_str(arena *a, const char *s);
char *arena_strn(arena *a, const char *s, size_t n);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(arena *a, const char *format, va_list args);
void *arena_copy(arena *a, const void *data, size_t size);

#endif
