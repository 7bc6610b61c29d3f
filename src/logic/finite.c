// SPDX-License-Identifier: Apache-2.0
// The last satisfying assignment as a finite structure over the elements alive, and lemmas evaluated in it.
//
// A clause is tried binding by binding, variable by variable; as soon as a literal over the variables bound
// so far is true, the whole subtree is skipped. The last variable takes all its elements at once, as the bits
// of a word. Other formulas are evaluated directly, once for each binding (truth tables).
#include "logic/ground.h"

#include <assert.h>
#include <string.h>

// ---- walking over values

static value finite_first_value(const ground *g, type t) {
    return type_is_unbounded(g->m, t) ? g->domains[t.id].members.data[0] : type_first(g->m, t);
}

static bool next_value(const ground *g, type t, value *v) {
    if (type_is_unbounded(g->m, t)) {
        const domain *d = &g->domains[t.id];
        uint32_t at = d->rank.data[*v] + 1;
        if (at >= d->members.len) return false;
        *v = d->members.data[at];
        return true;
    }
    value first = type_first(g->m, t);
    if (*v + 1 - first >= (value)type_known_size(g->m, t)) return false;
    (*v)++;
    return true;
}

static void first_args(const ground *g, const table *t, value *args) {
    for (uint32_t i = 0; i < t->nargs; i++) args[i] = finite_first_value(g, t->args[i]);
}

static bool finite_next_args(const ground *g, const table *t, value *args) {
    for (uint32_t i = t->nargs; i-- > 0;) {
        if (next_value(g, t->args[i], &args[i])) return true;
        args[i] = finite_first_value(g, t->args[i]);
    }
    return false;
}

// ---- reading the assignment

static int by_order(const ground *g, type sort, value a, value b) {
    return sat_value(&g->solver, cells_before(g, sort, a, b)) ? -1 : 1;
}

static void insert_member(ground *g, type sort, value e) {
    domain *d = &g->domains[sort.id];
    vec_push(&d->members, e);
    if (!type_of(g->m, sort)->is_ordered) return;
    uint32_t at = d->members.len - 1;
    for (; at > 0 && by_order(g, sort, e, d->members.data[at - 1]) < 0; at--)
        d->members.data[at] = d->members.data[at - 1];
    d->members.data[at] = e;
}

static void read_members(ground *g, type sort) {
    domain *d = &g->domains[sort.id];
    vec_clear(&d->members);
    vec_clear(&d->rank);
    vec_clear(&d->follower);
    d->mask = 0;
    for (uint32_t e = 0; e < d->size; e++) {
        vec_push(&d->rank, UINT32_MAX);
        vec_push(&d->follower, -1);
        if (d->alive.data[e] == SAT_TRUE || sat_value(&g->solver, d->alive.data[e])) insert_member(g, sort, (value)e);
    }
    for (uint32_t i = 0; i < d->members.len; i++) {
        d->rank.data[d->members.data[i]] = i;
        if (d->members.data[i] < 64) d->mask |= UINT64_C(1) << d->members.data[i];
        d->follower.data[d->members.data[i]] = i + 1 < d->members.len ? d->members.data[i + 1] : -1;
    }
}

static value read_choice(const ground *g, const table *t, int slot) {
    const domain *d = &g->domains[t->result.id];
    if (!slot) return d->members.data[0];
    const lit_list *is = &g->choices.data[slot - 1].is;
    for (uint32_t e = 0; e < is->len; e++)
        if (sat_value(&g->solver, is->data[e])) return (value)e;
    assert(!"a choice without a value");
    return 0;
}

static value read_small(const ground *g, const table *t, int slot) {
    value first = type_first(g->m, t->result);
    uint32_t n = type_known_size(g->m, t->result);
    if (!slot) return n == 1 ? first : func_of(g->m, t->f)->initial;
    if (n == 2) return first + sat_value(&g->solver, slot);
    value v = 0;
    while (!sat_value(&g->solver, slot + v)) v++;
    return first + v;
}

static value finite_read_cell(const ground *g, const table *t, bool next, uint32_t cell) {
    bool unbounded = type_is_unbounded(g->m, t->result);
    if (t->start == TABLE_INITIAL && !next)
        return unbounded ? g->domains[t->result.id].members.data[0] : func_of(g->m, t->f)->initial;
    return unbounded ? read_choice(g, t, t->lit[next][cell]) : read_small(g, t, t->lit[next][cell]);
}

static void finite_read_table(const ground *g, const table *t, bool next) {
    value args[MATRIX_MOST_ARGS];
    first_args(g, t, args);
    do {
        uint32_t cell = cells_index(g, t, args);
        t->val[next][cell] = finite_read_cell(g, t, next, cell);
    } while (finite_next_args(g, t, args));
}

static value finite_value(ground *g, expr e, bool after);

void finite_read(ground *g) {
    g->epoch++;
    heavy_forget(&g->heavy);
    for (uint32_t i = 1; i < g->ndomains; i++)
        if (type_is_unbounded(g->m, (type){i})) read_members(g, (type){i});
    for (uint32_t i = 0; i < g->ntables; i++) {
        const table *t = &g->tables[i];
        if (!t->f.id) continue;
        finite_read_table(g, t, false);
        if (t->is_chosen) finite_read_table(g, t, true);
    }
}

static void write_table(ground *g, const table *t) {
    value args[MATRIX_MOST_ARGS];
    const update *u = t->written;
    first_args(g, t, args);
    do {
        uint32_t cell = cells_index(g, t, args);
        for (uint32_t i = 0; u && i < t->nargs; i++) g->env[u->formals[i].id] = args[i];
        t->val[1][cell] = u ? finite_value(g, u->value, false) : t->val[0][cell];
    } while (finite_next_args(g, t, args));
}

void finite_step(ground *g) {
    for (uint32_t i = 0; i < g->ntables; i++)
        if (g->tables[i].f.id && !g->tables[i].is_chosen) write_table(g, &g->tables[i]);
    heavy_forget(&g->heavy);
}

// ---- values of expressions

static value finite_app(ground *g, const expr_info *x, bool after) {
    value args[MATRIX_MOST_ARGS];
    for (uint32_t i = 0; i < x->nargs; i++) args[i] = finite_value(g, x->args[i], after);
    const table *t = &g->tables[x->ref];
    return t->val[after || x->kind == E_NEXT][cells_index(g, t, args)];
}

static value finite_junction(ground *g, const expr_info *x, bool after, value stop) {
    for (uint32_t i = 0; i < x->nargs; i++)
        if (finite_value(g, x->args[i], after) == stop) return stop;
    return !stop;
}

static value finite_quantifier(ground *g, expr_info x, bool after) {
    value stop = x.kind == E_EXISTS, saved = g->env[x.ref], result;
    type t = var_of(g->m, (var){x.ref})->ty;
    g->env[x.ref] = finite_first_value(g, t);
    do result = finite_value(g, x.args[0], after);
    while (result != stop && next_value(g, t, &g->env[x.ref]));
    g->env[x.ref] = saved;
    return result;
}

static value finite_compare(const ground *g, const expr_info *x, value a, value b) {
    type t = expr_type(g->m, x->args[0]);
    if (type_is_unbounded(g->m, t)) {
        a = (value)g->domains[t.id].rank.data[a];
        b = (value)g->domains[t.id].rank.data[b];
    }
    return x->kind == E_LT ? a < b : a <= b;
}

static value finite_binary(ground *g, const expr_info *x, bool after) {
    value a = finite_value(g, x->args[0], after);
    value b = x->nargs > 1 ? finite_value(g, x->args[1], after) : 0;
    int64_t result;
    if (x->kind == E_EQ) return a == b;
    if (x->kind == E_LT || x->kind == E_LE) return finite_compare(g, x, a, b);
    assert(x->kind >= E_ADD && x->kind <= E_NEG);
    return expr_fold(x->kind, a, b, &result) ? (value)result : 0;
}

enum { LIGHT = 1024 };  // heavier expressions are evaluated once

static value finite_value_of_kind(ground *g, expr e, bool after);

static value finite_value(ground *g, expr e, bool after) {
    value v;
    if (expr_of(g->m, e)->weight < LIGHT) return finite_value_of_kind(g, e, after);
    if (heavy_get(&g->heavy, g->m, e, after, g->env, &v)) return v;
    v = finite_value_of_kind(g, e, after);
    heavy_put(&g->heavy, g->m, e, after, g->env, v);
    return v;
}

static value finite_value_of_kind(ground *g, expr e, bool after) {
    expr_info x = *expr_of(g->m, e);
    switch (x.kind) {
    case E_CONST: return type_is_unbounded(g->m, x.ty) ? g->domains[x.ty.id].members.data[0] : (value)x.ref;
    case E_VAR: return g->env[x.ref];
    case E_APP:
    case E_NEXT: return finite_app(g, &x, after);
    case E_NOT: return !finite_value(g, x.args[0], after);
    case E_AND: return finite_junction(g, &x, after, 0);
    case E_OR: return finite_junction(g, &x, after, 1);
    case E_IMPLIES: return !finite_value(g, x.args[0], after) || finite_value(g, x.args[1], after);
    case E_ITE: return finite_value(g, x.args[finite_value(g, x.args[0], after) ? 1 : 2], after);
    case E_FORALL:
    case E_EXISTS: return finite_quantifier(g, x, after);
    default: return finite_binary(g, &x, after);
    }
}

// ---- truth tables of formulas

enum { MOST_TRUTHS = 1 << 20 };

static void finite_lay_out(const ground *g, const matrix_literal *l, truth_table *t) {
    uint32_t n = 1;
    for (uint32_t i = l->nargs; i-- > 0 && n <= MOST_TRUTHS;) {
        t->stride[i] = n;
        n *= cells_room(g, var_of(g->m, l->frees[i])->ty);
    }
    if (n > MOST_TRUTHS) n = 0;
    if (n == t->size) return;
    t->size = n;
    free(t->seen);
    t->seen = mem_zero(2 * (size_t)n, sizeof *t->seen);
}

static truth_table *truths_of(ground *g, const matrix_literal *l) {
    uint32_t index = map_intern(g->truth_index, &l->e.id, sizeof l->e.id, g->truths.len);
    if (index == g->truths.len) vec_push(&g->truths, (truth_table){0});
    finite_lay_out(g, l, &g->truths.data[index]);
    return &g->truths.data[index];
}

static bool formula_holds(ground *g, const matrix_literal *l, bool after, const value *binding) {
    truth_table *t = truths_of(g, l);
    uint32_t at = after ? t->size : 0;
    for (uint32_t i = 0; i < l->nargs; i++) {
        value v = binding[l->args[i].slot];
        if (t->size) at += (uint32_t)(v - type_first(g->m, var_of(g->m, l->frees[i])->ty)) * t->stride[i];
        g->env[l->frees[i].id] = v;
    }
    if (!t->size) return finite_value(g, l->e, after) != 0;
    if (t->seen[at] / 2 != g->epoch) {
        uint32_t seen = g->epoch * 2 + (finite_value(g, l->e, after) != 0);
        truths_of(g, l)->seen[at] = seen;
        return seen & 1;
    }
    return t->seen[at] & 1;
}

static value arg_value(const matrix_arg *a, const value *binding) { return a->slot < 0 ? a->fixed : binding[a->slot]; }

static bool literal_holds(ground *g, const matrix_literal *l, bool after, const value *binding) {
    if (l->kind == LITERAL_FORMULA) return formula_holds(g, l, after, binding);
    if (l->kind == LITERAL_SAME) return arg_value(&l->args[0], binding) == arg_value(&l->args[1], binding);
    const table *t = &g->tables[l->f.id];
    uint32_t cell = -t->origin;
    for (uint32_t i = 0; i < l->nargs; i++) cell += (uint32_t)arg_value(&l->args[i], binding) * t->stride[i];
    return t->val[after][cell] == l->equals;
}

// Does a literal that the first `depth` variables decide, and no fewer, hold?
static bool settled(ground *g, const matrix_clause *c, bool after, const value *binding, uint32_t depth) {
    for (uint32_t i = c->starts[depth]; i < c->starts[depth + 1]; i++)
        if (literal_holds(g, &c->lits[i], after, binding) != c->lits[i].is_negated) return true;
    return false;
}

// ---- the last variable, all elements at once

void finite_drop_rows(table *t) {
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; t->rows[k] && i < t->nargs * t->nvalues; i++) free(t->rows[k][i]);
        free(t->rows[k]);
        t->rows[k] = NULL;
    }
}

static mask_row *rows_of(table *t, uint32_t arg, uint32_t v, bool after) {
    if (!t->rows[after]) t->rows[after] = mem_zero((size_t)t->nargs * t->nvalues + 1, sizeof **t->rows);
    mask_row **rows = &t->rows[after][arg * t->nvalues + v];
    if (!*rows) *rows = mem_zero(t->ncells, sizeof **rows);
    return *rows;
}

static uint64_t read_row(const ground *g, const table *t, uint32_t arg, value equals, bool after, uint32_t row) {
    const domain *d = &g->domains[t->args[arg].id];
    uint64_t mask = 0;
    for (uint32_t i = 0; i < d->members.len; i++) {
        uint32_t e = (uint32_t)d->members.data[i];
        if (t->val[after][row + e * t->stride[arg]] == equals) mask |= UINT64_C(1) << e;
    }
    return mask;
}

// Which elements for the last variable, standing as argument `arg` only, make the cell literal true?
static uint64_t cell_mask(ground *g, const matrix_literal *l, bool after, const value *binding, uint32_t arg) {
    table *t = &g->tables[l->f.id];
    uint32_t row = -t->origin;
    for (uint32_t i = 0; i < l->nargs; i++)
        if (i != arg) row += (uint32_t)arg_value(&l->args[i], binding) * t->stride[i];
    value first = type_first(g->m, t->result);
    int64_t v = (int64_t)l->equals - first;
    if (v < 0 || v >= t->nvalues) return 0;
    mask_row *r = &rows_of(t, arg, (uint32_t)v, after)[row];
    if (r->epoch != g->epoch) *r = (mask_row){read_row(g, t, arg, l->equals, after, row), g->epoch};
    return r->mask;
}

// The argument at which a cell literal has the last variable, if there is just one.
static bool single_place(const matrix_literal *l, int32_t last, uint32_t *arg) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->nargs; i++)
        if (l->args[i].slot == last) *arg = i, n++;
    return l->kind == LITERAL_CELL && n == 1;
}

static uint64_t literal_mask(ground *g, const matrix_literal *l, bool after, value *binding, uint32_t last,
                             const domain *d) {
    uint32_t arg = 0;
    uint64_t mask = 0;
    if (single_place(l, (int32_t)last, &arg)) return cell_mask(g, l, after, binding, arg);
    for (uint32_t i = 0; i < d->members.len; i++) {
        binding[last] = d->members.data[i];
        if (literal_holds(g, l, after, binding)) mask |= UINT64_C(1) << binding[last];
    }
    return mask;
}

// Elements for the last variable that make the clause false.
static uint64_t violating(ground *g, const matrix_clause *c, bool after, value *binding) {
    uint32_t last = c->nvars - 1;
    const domain *d = &g->domains[c->ranges[last].ty.id];
    uint64_t left = d->mask;
    for (uint32_t i = c->starts[last + 1]; left && i < c->starts[last + 2]; i++) {
        uint64_t mask = literal_mask(g, &c->lits[i], after, binding, last, d);
        left &= c->lits[i].is_negated ? mask : ~mask;
    }
    return left;
}

static bool fits_a_word(const ground *g, const matrix_clause *c) {
    const matrix_range *r = &c->ranges[c->nvars - 1];
    return r->is_unbounded && g->domains[r->ty.id].size <= 64;
}

// ---- violated instances

static bool step_value(const ground *g, const matrix_range *r, bool fresh, value *v) {
    if (r->is_unbounded) {
        const domain *d = &g->domains[r->ty.id];
        *v = fresh ? d->members.data[0] : d->follower.data[*v];
        return *v >= 0;
    }
    *v = fresh ? r->first : *v + 1;
    return *v <= r->last;
}

bool finite_violation(ground *g, const matrix_clause *c, bool after, value *binding, bool *first) {
    bool fresh = *first;
    *first = false;
    if (fresh && settled(g, c, after, binding, 0)) return false;
    if (c->nvars == 0) return fresh;
    bool by_words = fits_a_word(g, c);
    uint32_t level = fresh ? 0 : c->nvars - 1;
    for (;;) {
        if (by_words && level + 1 == c->nvars) {
            uint32_t done = fresh ? 0 : (uint32_t)binding[level] + 1;
            uint64_t found = violating(g, c, after, binding) & (done < 64 ? ~UINT64_C(0) << done : 0);
            if (found) binding[level] = __builtin_ctzll(found);
            if (found) return true;
            if (level-- == 0) return false;
            fresh = false;
            continue;
        }
        if (!step_value(g, &c->ranges[level], fresh, &binding[level])) {
            if (level-- == 0) return false;
            fresh = false;
            continue;
        }
        fresh = false;
        if (settled(g, c, after, binding, level + 1)) continue;
        if (level + 1 == c->nvars) return true;
        level++;
        fresh = true;
    }
}
