// SPDX-License-Identifier: Apache-2.0
// See elements.h.
#include "pass/elements.h"

#include "base/vec.h"
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

enum { TOO_MANY = 1 << 16, MOST_VALUES = 64 };  // sums of shared parts do not overflow; more than are ever kept

// Of the sort, or of a union with it, and neither a variable nor something else than an element?
static bool elements_is_value(const model *m, type sort, expr e) {
    if (!type_contains(m, expr_type(m, e), sort)) return false;
    while (expr_kind_of(m, e) == E_WIDEN || expr_kind_of(m, e) == E_NARROW) e = expr_arg(m, e, 0);
    return expr_kind_of(m, e) != E_VAR && expr_kind_of(m, e) != E_CONST;
}

bool elements_read_by_value(const model *m, type sort, expr e, uint32_t i) {
    const expr_info *x = expr_of(m, e);
    return (x->kind == E_APP || x->kind == E_DEFINED) && elements_is_value(m, sort, x->args[i]);
}

// Is argument i of e a value that is compared with another one, or read through? Of a comparison the first is.
static bool elements_uses_value(const model *m, type sort, expr e, uint32_t i) {
    const expr_info *x = expr_of(m, e);
    if (x->kind != E_EQ) return elements_read_by_value(m, sort, e, i);
    return i == 0 && elements_is_value(m, sort, x->args[0]) && elements_is_value(m, sort, x->args[1]);
}

typedef struct {
    type sort;
    const var_set *around;  // NULL: only quantifiers count; else values too that depend on further variables
} counting;

static bool depends_on_others(const model *m, expr e, const var_set *around) {
    const var_set of = expr_frees(m, e);
    for (uint32_t i = 0; i < of.n; i++) {
        bool is_around = false;
        for (uint32_t k = 0; k < around->n; k++) is_around |= around->vars[k].id == of.vars[i].id;
        if (!is_around) return true;
    }
    return false;
}

static uint32_t join_quantified(const model *m, expr e, const uint32_t *parts, void *context) {
    const expr_info *x = expr_of(m, e);
    const counting *by = context;
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->nargs && x->kind != E_EXISTS; i++)
        n = x->kind != E_AND ? n + parts[i] : parts[i] > n ? parts[i] : n;
    n += x->kind == E_FORALL && type_contains(m, var_of(m, (var){x->ref})->ty, by->sort);
    for (uint32_t i = 0; i < x->nargs && by->around; i++)
        n += elements_uses_value(m, by->sort, e, i) && depends_on_others(m, x->args[i], by->around);
    return n < TOO_MANY ? n : TOO_MANY;
}

uint32_t elements_at_once(const model *m, type sort, expr e) {
    return walk_fold(m, e, join_quantified, &(counting){.sort = sort});
}

// ---- with what values are

typedef VEC(uint32_t) value_list;

static void add_value(value_list *list, expr e) {
    bool is_new = true;
    for (uint32_t i = 0; i < list->len; i++) is_new &= list->data[i] != e.id;
    if (is_new && list->len < MOST_VALUES) vec_push(list, e.id);
}

// The same value is one element wherever the formula has it, if nothing in the formula binds what it depends on.
static uint32_t elements_count_values(const model *m, type sort, expr e, const var_set *around) {
    value_list seen = {0};
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) {
        if (w.x->kind == E_EXISTS) walk_skip(&w);
        for (uint32_t i = 0; i < w.x->nargs; i++)
            if (elements_uses_value(m, sort, w.e, i) && !depends_on_others(m, w.x->args[i], around))
                add_value(&seen, w.x->args[i]);
    }
    uint32_t n = seen.len;
    vec_free(&seen);
    return n;
}

static uint32_t clause_with_values(const model *m, type sort, expr e) {
    const var_set around = expr_frees(m, e);
    return walk_fold(m, e, join_quantified, &(counting){sort, &around}) + elements_count_values(m, sort, e, &around);
}

// Conjuncts one by one, whose quantifiers around are the tag.
uint32_t elements_with_values(const model *m, type sort, expr e) {
    uint32_t most = 0;
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) {
        uint32_t tag = w.tag;
        if (w.x->kind == E_AND) continue;
        walk_skip(&w);
        if (w.x->kind == E_FORALL) {
            tag += type_contains(m, var_of(m, (var){w.x->ref})->ty, sort);
            walk_add(&w, w.x->args[0], tag);
            continue;
        }
        tag += clause_with_values(m, sort, w.e);
        most = tag > most ? tag : most;
    }
    return most;
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
