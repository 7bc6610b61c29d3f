// SPDX-License-Identifier: Apache-2.0
// Plain difference-bound matrices: see plaindbm.h.
#include "certificate/plaindbm.h"

#include <string.h>

// x - y within a and y - z within b: x - z within this. Strict if one of them is.
static int32_t sum(int32_t a, int32_t b) {
    if (a == PLAIN_NONE || b == PLAIN_NONE) return PLAIN_NONE;
    return 2 * ((a >> 1) + (b >> 1)) + ((a & 1) && (b & 1));
}

void plain_zero(int32_t *d, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++) d[i] = plain_bound(0, false);
}

bool plain_close(int32_t *d, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (d[i * n + i] > plain_bound(0, false)) d[i * n + i] = plain_bound(0, false);
        if (d[i] > plain_bound(0, false)) d[i] = plain_bound(0, false);
    }
    // A negative cycle is told as soon as it is there: going on would make numbers of any size.
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; d[i * n + k] != PLAIN_NONE && j < n; j++) {
                int32_t way = sum(d[i * n + k], d[k * n + j]);
                if (way < d[i * n + j]) d[i * n + j] = way;
            }
        for (uint32_t i = 0; i < n; i++)
            if (d[i * n + i] < plain_bound(0, false)) return false;
    }
    return true;
}

bool plain_constrain(int32_t *d, uint32_t n, uint32_t i, uint32_t j, int32_t b) {
    if (i == j) return b >= plain_bound(0, false);
    if (b >= d[i * n + j]) return true;
    d[i * n + j] = b;
    return plain_close(d, n);
}

void plain_up(int32_t *d, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) d[i * n] = PLAIN_NONE;
    plain_close(d, n);
}

// All clocks lose the same: differences stay, and lower bounds are those that differences leave.
void plain_down(int32_t *d, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) d[i] = plain_bound(0, false);
    plain_close(d, n);
}

void plain_set(int32_t *d, uint32_t n, uint32_t x, int32_t c) {
    for (uint32_t i = 0; i < n; i++) d[x * n + i] = d[i * n + x] = PLAIN_NONE;
    d[x * n + x] = plain_bound(0, false);
    d[x * n] = plain_bound(c, false);
    d[x] = plain_bound(-c, false);
    plain_close(d, n);
}

bool plain_includes(const int32_t *large, const int32_t *small, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++)
        if (small[i] > large[i]) return false;
    return true;
}

int32_t *plain_copy(const int32_t *d, uint32_t n) { return memcpy(mem_alloc(plain_bytes(n) + 1), d, plain_bytes(n)); }

void plain_add(plain_list *list, const int32_t *d, uint32_t n) {
    vec_reserve(list, list->len + n * n);
    memcpy(list->data + list->len, d, plain_bytes(n));
    list->len += n * n;
}

// d without one matrix: outside its first bound; within that and outside its second; and so on.
static void subtract(const int32_t *d, const int32_t *cut, uint32_t n, plain_list *out) {
    int32_t *rest = plain_copy(d, n);
    bool is_left = true;
    for (uint32_t i = 0; i < n && is_left; i++)
        for (uint32_t j = 0; j < n && is_left; j++) {
            int32_t b = cut[i * n + j];
            if (i == j || b >= rest[i * n + j]) continue;
            // not x_i - x_j <= c: x_j - x_i < -c.
            plain_add(out, rest, n);
            if (!plain_constrain(out->data + out->len - n * n, n, j, i, 1 - b)) out->len -= n * n;
            is_left = plain_constrain(rest, n, i, j, b);
        }
    free(rest);
}

void plain_without(const int32_t *d, const plain_list *cuts, uint32_t n, plain_list *out) {
    plain_list rest = {0};
    plain_add(&rest, d, n);
    for (uint32_t k = 0; k < cuts->len && rest.len; k += n * n) {
        plain_list fewer = {0};
        for (uint32_t i = 0; i < rest.len; i += n * n) subtract(rest.data + i, cuts->data + k, n, &fewer);
        vec_free(&rest);
        rest = fewer;
    }
    for (uint32_t i = 0; i < rest.len; i += n * n) plain_add(out, rest.data + i, n);
    vec_free(&rest);
}

bool plain_is_covered(const int32_t *d, const plain_list *parts, uint32_t n) {
    for (uint32_t i = 0; i < parts->len; i += n * n)
        if (plain_includes(parts->data + i, d, n)) return true;
    if (parts->len <= n * n) return false;
    plain_list rest = {0};
    plain_without(d, parts, n, &rest);
    bool is_covered = !rest.len;
    vec_free(&rest);
    return is_covered;
}
