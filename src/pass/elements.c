// SPDX-License-Identifier: Apache-2.0
// See elements.h.
#include "pass/elements.h"

#include "model/expr.h"
#include "model/walk.h"

bool elements_by_value(const model *m, type sort, expr e) {
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w))
        for (uint32_t i = 0; i < w.x->nargs && (w.x->kind == E_APP || w.x->kind == E_DEFINED); i++)
            if (type_same(expr_type(m, w.x->args[i]), sort) && expr_kind_of(m, w.x->args[i]) != E_VAR)
                return walk_found(&w);
    return false;
}

// ---- at once

enum { TOO_MANY = 1 << 16 };  // sums of shared parts do not overflow

typedef struct {
    type sort;
    bool with_values;  // the one that both sides of a comparison are counts, too
} counting;

bool elements_compares_values(const model *m, type sort, expr e) {
    const expr_info *x = expr_of(m, e);
    bool is_of_sort = x->kind == E_EQ && type_contains(m, expr_type(m, x->args[0]), sort);
    return is_of_sort && expr_kind_of(m, x->args[0]) != E_VAR && expr_kind_of(m, x->args[1]) != E_VAR;
}

static uint32_t join_quantified(const model *m, expr e, const uint32_t *parts, void *context) {
    const expr_info *x = expr_of(m, e);
    const counting *by = context;
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->nargs && x->kind != E_EXISTS; i++)
        n = x->kind != E_AND ? n + parts[i] : parts[i] > n ? parts[i] : n;
    n += x->kind == E_FORALL && type_contains(m, var_of(m, (var){x->ref})->ty, by->sort);
    n += by->with_values && elements_compares_values(m, by->sort, e);
    return n < TOO_MANY ? n : TOO_MANY;
}

uint32_t elements_at_once(const model *m, type sort, expr e) {
    return walk_fold(m, e, join_quantified, &(counting){sort, false});
}

uint32_t elements_with_values(const model *m, type sort, expr e) {
    return walk_fold(m, e, join_quantified, &(counting){sort, true});
}

// ---- comparisons of numbers of elements

enum { MOST_COUNTED = 100, NO_SUM = 127, COUNTS = 128 };

static bool is_count_of(const model *m, type sort, const expr_info *x) {
    return x->kind == E_COUNT && type_same(var_of(m, (var){x->ref})->ty, sort);
}

static uint32_t count_counts(const model *m, type sort, expr e) {
    uint32_t n = 0;
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) n += is_count_of(m, sort, w.x);
    return n;
}

bool elements_counted(const model *m, type sort, expr e) { return expr_of(m, e)->nesting && count_counts(m, sort, e); }

// How large a number that counts nothing can be.
static uint32_t elements_span(const model *m, expr e) {
    int64_t lo, hi;
    if (!type_is_number(m, expr_type(m, e))) return NO_SUM;
    expr_bounds(m, e, &lo, &hi);
    return lo < -MOST_COUNTED || hi > MOST_COUNTED ? NO_SUM : (uint32_t)(hi > -lo ? hi : -lo);
}

// How large everything but the counts can be, with COUNTS; 0: there are none.
static uint32_t join_spans(const model *m, expr e, const uint32_t *parts, void *context) {
    const expr_info *x = expr_of(m, e);
    bool counts = is_count_of(m, *(const type *)context, x), is_leaf = counts;
    for (uint32_t i = 0; i < x->nargs; i++) counts |= parts[i] >= COUNTS;
    bool is_sum = x->kind == E_ADD || x->kind == E_SUB || x->kind == E_EQ || x->kind == E_LT || x->kind == E_LE;
    if (!counts || is_leaf) return counts ? COUNTS : 0;
    if (!is_sum && x->kind != E_MUL) return COUNTS | NO_SUM;
    uint32_t sizes[2];
    for (uint32_t i = 0; i < 2; i++) sizes[i] = parts[i] ? parts[i] - COUNTS : elements_span(m, x->args[i]);
    bool is_scaled = expr_kind_of(m, x->args[0]) == E_CONST && sizes[0];  // by a constant other than 0
    uint32_t all = is_sum ? sizes[0] + sizes[1] : sizes[0] * sizes[1];
    bool is_known = sizes[0] != NO_SUM && sizes[1] != NO_SUM && (is_sum || is_scaled) && all <= MOST_COUNTED;
    return COUNTS | (is_known ? all : NO_SUM);
}

// With several counts, each may be any number more.
int32_t elements_that_matter(const model *m, type sort, expr e) {
    uint32_t size = walk_fold(m, e, join_spans, &sort);
    return size >= COUNTS && size - COUNTS != NO_SUM && count_counts(m, sort, e) == 1 ? (int32_t)(size - COUNTS) + 2
                                                                                      : -1;
}
