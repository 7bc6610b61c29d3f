// SPDX-License-Identifier: Apache-2.0
// A growable array of any type: `VEC(int) v = {0}; vec_push(&v, 3); v.data[0]; vec_free(&v);`
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/mem.h"

#include <stdlib.h>

#define VEC(T)             \
    struct {               \
        T *data;           \
        uint32_t len, cap; \
    }

#define vec_reserve(v, n)                                                                                 \
    do {                                                                                                  \
        size_t vec_want = (n);                                                                            \
        if (vec_want > (v)->cap) (v)->data = mem_more((v)->data, &(v)->cap, vec_want, sizeof *(v)->data); \
    } while (0)

// The item comes first: what it calls may push, too.
#define vec_push(v, ...)                                 \
    do {                                                 \
        __typeof__(*(v)->data) vec_item = (__VA_ARGS__); \
        vec_reserve(v, (size_t)(v)->len + 1);            \
        (v)->data[(v)->len++] = vec_item;                \
    } while (0)

#define vec_last(v)  ((v)->data[(v)->len - 1])
#define vec_pop(v)   ((v)->data[--(v)->len])
#define vec_clear(v) ((v)->len = 0)
#define vec_free(v)  (free((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)
// What is in it, moved to an arena: *to and *n become the array and its length.
#define vec_keep(memory, v, to, n) \
    (*(n) = (v)->len, *(to) = arena_copy(memory, (v)->data, (v)->len * sizeof *(v)->data), vec_free(v))

#endif
