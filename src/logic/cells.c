// SPDX-License-Identifier: Apache-2.0
// State functions as SAT variables, one per cell (bool), per value (small types) or per element (sorts),
// made when a formula first needs them. Tables are laid out for more elements than there are, and laid out
// again when full.
#include "logic/ground.h"

#include <assert.h>
#include <string.h>

uint32_t cells_room(const ground *g, type t) {
    return type_is_unbounded(g->m, t) ? g->domains[t.id].room : type_known_size(g->m, t);
}

// ---- layout

static void cells_lay_out(const ground *g, table *t) {
    uint32_t n = 1;
    for (uint32_t i = t->nargs; i-- > 0;) {
        t->stride[i] = n;
        n *= cells_room(g, t->args[i]);
    }
    t->ncells = n;
    t->origin = 0;
    for (uint32_t i = 0; i < t->nargs; i++) t->origin += (uint32_t)type_first(g->m, t->args[i]) * t->stride[i];
    for (int k = 0; k < 2; k++) {
        t->lit[k] = mem_zero(n, sizeof **t->lit);
        t->val[k] = mem_zero(n, sizeof **t->val);
    }
}

uint32_t cells_index(const ground *g, const table *t, const value *args) {
    (void)g;
    uint32_t cell = -t->origin;
    for (uint32_t i = 0; i < t->nargs; i++) cell += (uint32_t)args[i] * t->stride[i];
    return cell;
}

// Where the cell of another layout is in this one.
static uint32_t cells_moved(const table *from, const table *to, uint32_t cell) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < from->nargs; i++) {
        at += cell / from->stride[i] * to->stride[i];
        cell %= from->stride[i];
    }
    return at;
}

static void lay_out_again(const ground *g, table *t) {
    finite_drop_rows(t);
    table old = *t;
    cells_lay_out(g, t);
    for (int k = 0; k < 2; k++) {
        for (uint32_t c = 0; c < old.ncells; c++) t->lit[k][cells_moved(&old, t, c)] = old.lit[k][c];
        free(old.lit[k]);
        free(old.val[k]);
    }
}

enum { MOST_CELLS_LOG = 24 };  // of one function

static uint32_t times_taken(const table *t, type sort) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->nargs; i++) n += type_same(t->args[i], sort);
    return n;
}

bool cells_reserve(ground *g, type sort) {
    domain *d = &g->domains[sort.id];
    if (d->size < d->room) return true;
    for (uint32_t i = 0; i < g->ntables; i++)
        if (g->tables[i].ncells >> (MOST_CELLS_LOG - times_taken(&g->tables[i], sort))) return false;
    d->room *= 2;
    for (uint32_t i = 0; i < g->ntables; i++)
        if (times_taken(&g->tables[i], sort)) lay_out_again(g, &g->tables[i]);
    return true;
}

// A function into a symmetric sort has no neutral start: the front ends see to it that every start assigns it.
bool cells_starts_free(const model *m, const func_info *f) {
    const type_info *t = type_of(m, f->result);
    return f->starts_any || (t->kind == TYPE_SORT && !t->is_ordered && !t->fixed_size);
}

static table make_table(const ground *g, const ground_setting *set, func f) {
    const func_info *info = func_of(g->m, f);
    table t = {.f = f, .nargs = info->nargs, .args = info->args, .result = info->result};
    t.nvalues = type_is_unbounded(g->m, t.result) ? 0 : type_known_size(g->m, t.result);
    t.written = update_find(set->updates, f);
    t.is_chosen = set->step && rule_chooses(set->step, f);
    t.start = set->is_start && !cells_starts_free(g->m, info) ? TABLE_INITIAL : TABLE_FREE;
    cells_lay_out(g, &t);
    return t;
}

void cells_init(ground *g, const ground_setting *set) {
    const sys_info *s = sys_of(g->m, g->system);
    g->ntables = g->m->funcs.len;
    g->tables = mem_zero(g->ntables, sizeof *g->tables);
    for (uint32_t i = 0; i < s->funcs.len; i++) g->tables[s->funcs.data[i].id] = make_table(g, set, s->funcs.data[i]);
}

void cells_done(ground *g) {
    for (uint32_t i = 0; i < g->ntables; i++) finite_drop_rows(&g->tables[i]);
    for (uint32_t i = 0; i < g->ntables; i++)
        for (int k = 0; k < 2; k++) {
            free(g->tables[i].lit[k]);
            free(g->tables[i].val[k]);
        }
    for (uint32_t i = 0; i < g->choices.len; i++) vec_free(&g->choices.data[i].is);
    vec_free(&g->choices);
    free(g->tables);
}

int cells_alive(const ground *g, type t, value v) {
    return type_is_unbounded(g->m, t) ? g->domains[t.id].alive.data[v] : SAT_TRUE;
}

// ---- choices

static int choice_literal(ground *g, uint32_t index, uint32_t element) {
    choice *c = &g->choices.data[index];
    int lit = sat_var(&g->solver);
    for (uint32_t i = 0; i < c->is.len; i++) sat_clause2(&g->solver, -lit, -c->is.data[i]);
    sat_clause2(&g->solver, -lit, cells_alive(g, c->sort, (value)element));
    vec_push(&c->is, lit);
    return lit;
}

// `dead` holds literals under which the cell does not matter: the negated life of its arguments.
static uint32_t new_choice(ground *g, type sort, const int *dead, uint32_t ndead) {
    uint32_t index = g->choices.len, size = g->domains[sort.id].size;
    vec_push(&g->choices, (choice){.sort = sort});
    lit_list clause = {0};
    for (uint32_t i = 0; i < ndead; i++) vec_push(&clause, dead[i]);
    for (uint32_t e = 0; e < size; e++) vec_push(&clause, choice_literal(g, index, e));
    if (!g->is_fixed) {
        witness_point p = {.more = sat_var(&g->solver), .seen = size, .sort = sort, .is_choice = true};
        p.choice = index;
        vec_push(&clause, p.more);
        vec_push(&g->points, p);
    }
    sat_clause(&g->solver, clause.data, clause.len);
    vec_free(&clause);
    return index;
}

static int choice_is(ground *g, const table *t, int *slot, const value *args, value v) {
    if (!*slot) {
        int dead[MATRIX_MOST_ARGS];
        for (uint32_t i = 0; i < t->nargs; i++) dead[i] = -cells_alive(g, t->args[i], args[i]);
        *slot = (int)new_choice(g, t->result, dead, t->nargs) + 1;
    }
    return g->choices.data[*slot - 1].is.data[v];
}

// ---- small types

static void exactly_one(ground *g, int first, uint32_t n) {
    lit_list some = {0};
    for (int i = first; i < first + (int)n; i++) {
        vec_push(&some, i);
        for (int k = first; k < i; k++) sat_clause2(&g->solver, -i, -k);
    }
    sat_clause(&g->solver, some.data, some.len);
    vec_free(&some);
}

static int value_is(ground *g, type ty, int *slot, value v) {
    uint32_t n = type_known_size(g->m, ty);
    int64_t index = (int64_t)v - type_first(g->m, ty);
    if (index < 0 || index >= n) return SAT_FALSE;
    if (n == 1) return SAT_TRUE;
    if (!*slot) {
        *slot = sat_var(&g->solver);
        for (uint32_t i = 1; n > 2 && i < n; i++) sat_var(&g->solver);
        if (n > 2) exactly_one(g, *slot, n);
    }
    if (n == 2) return index ? *slot : -*slot;
    return *slot + (int)index;
}

static int initial_is(ground *g, const table *t, value v) {
    value initial = func_of(g->m, t->f)->initial;
    if (type_is_unbounded(g->m, t->result)) return cells_is_least(g, t->result, v);
    return v == initial ? SAT_TRUE : SAT_FALSE;
}

int cells_is(ground *g, const table *t, bool next, const value *args, value v) {
    if (t->start == TABLE_INITIAL && !next) return initial_is(g, t, v);
    int *slot = &t->lit[next][cells_index(g, t, args)];
    if (!type_is_unbounded(g->m, t->result)) return value_is(g, t->result, slot, v);
    return choice_is(g, t, slot, args, v);
}

// ---- order

int cells_before(const ground *g, type sort, value a, value b) {
    if (!type_is_unbounded(g->m, sort)) return a < b ? SAT_TRUE : SAT_FALSE;
    if (a == b) return SAT_FALSE;
    const lit_list *order = &g->domains[sort.id].order;
    return a < b ? order->data[b * (b - 1) / 2 + a] : -order->data[a * (a - 1) / 2 + b];
}

static void least_pair(ground *g, type sort, value v, value other) {
    int is = g->choices.data[g->domains[sort.id].least - 1].is.data[v];
    int dead = -cells_alive(g, sort, other);
    sat_clause3(&g->solver, -is, dead, cells_before(g, sort, v, other));
}

static void make_least(ground *g, type sort) {
    uint32_t index = new_choice(g, sort, NULL, 0);
    domain *d = &g->domains[sort.id];
    d->least = index + 1;
    for (uint32_t a = 0; a < d->size; a++)
        for (uint32_t b = 0; b < d->size; b++)
            if (a != b) least_pair(g, sort, (value)a, (value)b);
}

int cells_is_least(ground *g, type sort, value v) {
    if (!type_is_unbounded(g->m, sort)) return v == 0 ? SAT_TRUE : SAT_FALSE;
    if (!g->domains[sort.id].least) make_least(g, sort);
    return g->choices.data[g->domains[sort.id].least - 1].is.data[v];
}

// A linear order of n elements: no cycle of three.
static void extend_order(ground *g, type sort, uint32_t n) {
    domain *d = &g->domains[sort.id];
    for (uint32_t i = 0; i < n; i++) vec_push(&d->order, sat_var(&g->solver));
    for (value a = 0; a < (value)n; a++)
        for (value b = 0; b < a; b++) {
            int ab = cells_before(g, sort, a, b), an = cells_before(g, sort, a, (value)n),
                bn = cells_before(g, sort, b, (value)n);
            sat_clause3(&g->solver, -ab, -bn, an);
            sat_clause3(&g->solver, ab, -an, bn);
        }
}

void cells_grow(ground *g, type sort) {
    domain *d = &g->domains[sort.id];
    uint32_t n = d->size - 1;
    if (type_of(g->m, sort)->is_ordered) extend_order(g, sort, n);
    for (uint32_t i = 0; i < g->choices.len; i++)
        if (type_same(g->choices.data[i].sort, sort)) choice_literal(g, i, n);
    for (uint32_t e = 0; d->least && e < n; e++) {
        least_pair(g, sort, (value)e, (value)n);
        least_pair(g, sort, (value)n, (value)e);
    }
}
