// SPDX-License-Identifier: Apache-2.0
// Multisets in traces: see multisets.h. The slot that an element lies in means nothing, so elements are compared by
// what they hold and shown without it. A multiset inside an element is part of that element.
#include "report/multisets.h"

#include "result/cell.h"

#include <string.h>

// One multiset: number `which` of those that the functions of a bag describe.
typedef struct {
    const instance *in;
    const bag_info *bag;
    uint32_t nslots, which;
} pool;

static uint32_t pool_slots(const instance *in, const bag_info *bag) {
    return instance_type_size(in, func_of(in->m, bag->funcs[0])->args[bag->position]);
}

static uint32_t pools_of(const instance *in, const bag_info *bag) {
    return instance_func_cells(in, bag->funcs[0]) / pool_slots(in, bag);
}

// The first cell of function i of a slot, and how many there are.
static uint32_t pool_cells(const pool *p, uint32_t i, uint32_t slot, uint32_t *n) {
    func f = p->bag->funcs[i];
    *n = instance_func_cells(p->in, f) / (pools_of(p->in, p->bag) * p->nslots);
    return p->in->first_cell[f.id] + (p->which * p->nslots + slot) * *n;
}

static bool is_taken(const pool *p, uint32_t slot, const value *state) {
    uint32_t n;
    return state[pool_cells(p, 0, slot, &n)] == 1;
}

static bool holds_same(const pool *p, uint32_t a, const value *x, uint32_t b, const value *y) {
    for (uint32_t i = 0; i < p->bag->nfuncs; i++) {
        uint32_t n, from = pool_cells(p, i, a, &n), to = pool_cells(p, i, b, &n);
        if (memcmp(x + from, y + to, n * sizeof *x) != 0) return false;
    }
    return true;
}

static uint32_t count_like(const pool *p, uint32_t slot, const value *x, const value *in_state, uint32_t most) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < most; k++) count += is_taken(p, k, in_state) && holds_same(p, slot, x, k, in_state);
    return count;
}

// ---- text

static void multisets_add_part(const pool *p, uint32_t cell, const value *state, bool *any, str *out) {
    str part = {0};
    if (state[cell] == VALUE_UNDEFINED) return;
    cell_shown_after(p->in, cell, p->bag->position, &part);
    const char *name = str_get(&part);
    str_add(out, *any ? ", " : "");
    if (*name) str_printf(out, "%s=", *name == '.' ? name + 1 : name);
    cell_value(p->in, cell, state[cell], out);
    str_free(&part);
    *any = true;
}

// net{mode=a, from=b}: the slot is not named.
static void add_element(const pool *p, uint32_t slot, const value *state, str *out) {
    bool any = false;
    uint32_t n;
    cell_shown_before(p->in, pool_cells(p, 0, slot, &n), p->bag->position, out);
    str_char(out, '{');
    for (uint32_t i = 1; i < p->bag->nfuncs; i++) {
        uint32_t first = pool_cells(p, i, slot, &n);
        for (uint32_t c = first; c < first + n; c++) multisets_add_part(p, c, state, &any, out);
    }
    str_char(out, '}');
}

static void multisets_put(const pool *p, const char *sign, uint32_t slot, const value *state, uint32_t count,
                          style_role role, style_flow *f) {
    str word = {0};
    str_add(&word, sign);
    add_element(p, slot, state, &word);
    if (count > 1) str_printf(&word, " %s %u", f->style->utf8 ? "×" : "x", count);
    style_flow_word(f, role, str_get(&word));
    str_free(&word);
}

// ---- all of them

static bool is_inside(const sys_info *s, uint32_t number) {
    func taken = s->bags.data[number].funcs[0];
    for (uint32_t i = 0; i < s->bags.len; i++)
        for (uint32_t k = 0; i != number && k < s->bags.data[i].nfuncs; k++)
            if (s->bags.data[i].funcs[k].id == taken.id) return true;
    return false;
}

typedef void (*pool_job)(const pool *p, const value *before, const value *after, style_flow *f);

static void each_pool(const instance *in, pool_job job, const value *before, const value *after, style_flow *f) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->bags.len; i++) {
        if (is_inside(s, i)) continue;
        pool p = {.in = in, .bag = &s->bags.data[i], .nslots = pool_slots(in, &s->bags.data[i])};
        for (; p.which < pools_of(in, p.bag); p.which++) job(&p, before, after, f);
    }
}

// The first of equal elements speaks for all.
static void put_surplus(const pool *p, const value *x, const value *y, const char *sign, style_role role,
                        style_flow *f) {
    for (uint32_t slot = 0; slot < p->nslots; slot++) {
        if (!is_taken(p, slot, x) || count_like(p, slot, x, x, slot)) continue;
        uint32_t here = count_like(p, slot, x, x, p->nslots), there = count_like(p, slot, x, y, p->nslots);
        if (here > there) multisets_put(p, sign, slot, x, here - there, role, f);
    }
}

static void put_changes(const pool *p, const value *before, const value *after, style_flow *f) {
    put_surplus(p, before, after, "-", ROLE_BAD, f);
    put_surplus(p, after, before, "+", ROLE_GOOD, f);
}

static void put_all(const pool *p, const value *none, const value *state, style_flow *f) {
    (void)none;
    for (uint32_t slot = 0; slot < p->nslots; slot++)
        if (is_taken(p, slot, state) && !count_like(p, slot, state, state, slot))
            multisets_put(p, "", slot, state, count_like(p, slot, state, state, p->nslots), ROLE_PLAIN, f);
}

bool multisets_hide(const instance *in, bool *is_shown) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->bags.len; i++)
        for (uint32_t k = 0; k < s->bags.data[i].nfuncs; k++) {
            func f = s->bags.data[i].funcs[k];
            memset(is_shown + in->first_cell[f.id], 0, instance_func_cells(in, f) * sizeof *is_shown);
        }
    return s->bags.len != 0;
}

void multisets_changes(const instance *in, const value *before, const value *after, style_flow *f) {
    each_pool(in, put_changes, before, after, f);
}

void multisets_elements(const instance *in, const value *state, style_flow *f) {
    each_pool(in, put_all, state, state, f);
}
