// SPDX-License-Identifier: Apache-2.0
// Memory: see mem.h. Arena blocks double in size up to a limit, so that a small model costs one
// allocation and a large one few.
#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*exhausted)(void);

void mem_on_exhausted(void (*handler)(void)) { exhausted = handler; }

static void *checked(void *p, size_t size) {
    if (p || size == 0) return p;
    if (exhausted) exhausted();
    assert(!"out of memory");
    __builtin_trap();
}

void *mem_alloc(size_t size) { return checked(malloc(size ? size : 1), size); }
void *mem_zero(size_t count, size_t size) { return checked(calloc(count ? count : 1, size ? size : 1), 1); }
void *mem_grow(void *old, size_t size) { return checked(realloc(old, size ? size : 1), size); }

void *mem_more(void *old, uint32_t *cap, size_t want, size_t size) {
    size_t n = *cap ? *cap : 8, most = UINT32_MAX;
    if (want > most) checked(NULL, want);
    while (n < want) n *= 2;
    *cap = (uint32_t)(n < most ? n : most);
    return mem_grow(old, *cap * size);
}

typedef struct block {
    struct block *next;
    size_t used, size;
    max_align_t data[];
} block;

struct arena {
    block *top;
};

enum { BLOCK_FIRST = 4096, BLOCK_LARGEST = 1 << 20 };

arena *arena_new(void) { return mem_zero(1, sizeof(arena)); }

void arena_free(arena *a) {
    if (!a) return;
    for (block *b = a->top; b;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    free(a);
}

static void mem_add_block(arena *a, size_t at_least) {
    size_t size = a->top ? a->top->size * 2 : BLOCK_FIRST;
    if (size > BLOCK_LARGEST) size = BLOCK_LARGEST;
    if (size < at_least) size = at_least;
    block *b = mem_zero(1, sizeof(block) + size);
    b->size = size;
    b->next = a->top;
    a->top = b;
}

void *arena_alloc(arena *a, size_t size) {
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!a->top || a->top->size - a->top->used < size) mem_add_block(a, size);
    void *p = (char *)a->top->data + a->top->used;
    a->top->used += size;
    return p;
}

char *arena_strn(arena *a, const char *s, size_t n) {
    char *copy = arena_alloc(a, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *arena_str(arena *a, const char *s) { return arena_strn(a, s, strlen(s)); }

void *arena_copy(arena *a, const void *data, size_t size) {
    void *copy = arena_alloc(a, size);
    if (size) memcpy(copy, data, size);
    return copy;
}

char *arena_vprintf(arena *a, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

char *arena_printf(arena *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}
