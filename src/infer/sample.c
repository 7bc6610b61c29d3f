// SPDX-License-Identifier: Apache-2.0
// Column-wise evaluation of formulas on samples: see sample.h.
//
// Quantifiers are unrolled over the instance; a term is evaluated as one column for each value asked for
// ("in which states is it v?"), so f(g(x)) becomes a disjunction over the values of g(x). Parts that would be large as
// trees are evaluated once for the same values of their variables.
#include "infer/sample.h"

#include "model/walk.h"
#include "result/cell.h"

#include <assert.h>
#include <string.h>

enum { LIGHT_PART = 1000, KEPT_BYTES = 1 << 26, KEPT_VARS = 64 };

// ---- making samples

static bool sample_is_bool(const sample *s, type t) { return type_of(s->in->m, t)->kind == TYPE_BOOL; }

sample *sample_new(const instance *in, uint32_t capacity) {
    sample *s = mem_zero(1, sizeof *s);
    s->in = in;
    s->capacity = capacity;
    s->nwords = (capacity + 63) / 64 ? (capacity + 63) / 64 : 1;
    s->first_column = mem_zero(in->ncells + 1, sizeof *s->first_column);
    s->types = mem_zero(in->ncells + 1, sizeof *s->types);
    for (uint32_t c = 0; c < in->ncells; c++) {
        s->types[c] = cell_type(in, c);
        uint32_t n = sample_is_bool(s, s->types[c]) ? 1 : instance_type_size(in, s->types[c]);
        s->first_column[c + 1] = s->first_column[c] + n;
    }
    s->columns = mem_zero((size_t)s->first_column[in->ncells] * s->nwords + 1, sizeof *s->columns);
    return s;
}

void sample_free(sample *s) {
    if (!s) return;
    free(s->first_column);
    free(s->types);
    free(s->columns);
    free(s);
}

// The column in which a cell's value has its bit; UINT32_MAX: a bool that is false has none.
static uint32_t sample_column_of(const sample *s, uint32_t cell, type t, value x) {
    if (sample_is_bool(s, t)) return x ? s->first_column[cell] : UINT32_MAX;
    return s->first_column[cell] + (uint32_t)(x - instance_type_first(s->in, t));
}

void sample_add(sample *s, const value *cells) {
    assert(s->nstates < s->capacity);
    uint32_t n = s->nstates++;
    for (uint32_t c = 0; c < s->in->ncells; c++) {
        uint32_t column = sample_column_of(s, c, s->types[c], cells[c]);
        if (column != UINT32_MAX) s->columns[(size_t)column * s->nwords + n / 64] |= UINT64_C(1) << (n % 64);
    }
}

// ---- evaluating

slicer *slicer_new(const sample *s) {
    slicer *x = mem_zero(1, sizeof *x);
    x->s = s;
    return x;
}

void slicer_free(slicer *x) {
    if (!x) return;
    for (uint32_t i = 0; i < x->spare.len; i++) free(x->spare.data[i]);
    vec_free(&x->spare);
    vec_free(&x->kept);
    vec_free(&x->env);
    free(x);
}

void slicer_bind(slicer *x, var v, value to) { vec_push(&x->env, (binding){v, to}); }

void slicer_clear(slicer *x) { vec_clear(&x->env); }

static uint64_t *sample_take(slicer *x) {
    if (x->spare.len) return vec_pop(&x->spare);
    return mem_alloc(x->s->nwords * sizeof(uint64_t));
}

static void sample_give(slicer *x, uint64_t *buffer) { vec_push(&x->spare, buffer); }

static void sample_fill(const slicer *x, uint64_t *out, bool b) { memset(out, b ? 0xff : 0, x->s->nwords * 8); }

static value lookup(const slicer *x, uint32_t v) {
    for (uint32_t i = x->env.len; i-- > 0;)
        if (x->env.data[i].v.id == v) return x->env.data[i].x;
    assert(!"variable without a value");
    return 0;
}

static bool is_ground(const slicer *x, expr e, value *v) {
    const expr_info *info = expr_of(x->s->in->m, e);
    if (info->kind == E_CONST) *v = (value)info->ref;
    else if (info->kind == E_VAR) *v = lookup(x, info->ref);
    else return false;
    return true;
}

bool sample_can(const model *m, expr e) {
    bool can = true;
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) {
        expr_kind k = w.x->kind;
        bool is_atom = k <= E_LE && k != E_CALL && k != E_NEXT && k != E_DEFINED;
        can &= is_atom || k == E_ITE || k == E_FORALL || k == E_EXISTS;
    }
    return can;
}

static void eval_is(slicer *x, expr e, value v, uint64_t *out);
static void eval_once(slicer *x, expr e, value v, uint64_t *out);

// Both into one: AND, OR over whole columns.
static void and_into(const slicer *x, uint64_t *out, const uint64_t *b) {
    for (uint32_t i = 0; i < x->s->nwords; i++) out[i] &= b[i];
}

static void or_into(const slicer *x, uint64_t *out, const uint64_t *b) {
    for (uint32_t i = 0; i < x->s->nwords; i++) out[i] |= b[i];
}

static void invert(const slicer *x, uint64_t *out) {
    for (uint32_t i = 0; i < x->s->nwords; i++) out[i] = ~out[i];
}

static void cell_is(slicer *x, uint32_t cell, type t, value v, uint64_t *out) {
    const sample *s = x->s;
    bool is_false = sample_is_bool(s, t) && !v;
    uint32_t column = is_false ? s->first_column[cell] : sample_column_of(s, cell, t, v);
    memcpy(out, s->columns + (size_t)column * s->nwords, s->nwords * 8);
    if (is_false) invert(x, out);
}

// f(args[0..i) known, the rest to be tried) = v, where `known` holds: adds to `out`.
static void app_cases(slicer *x, expr e, uint32_t i, value *args, const uint64_t *known, value v, uint64_t *out) {
    const instance *in = x->s->in;
    expr_info info = *expr_of(in->m, e);
    func f = {info.ref};
    uint64_t *here = sample_take(x);
    if (i == info.nargs) {
        uint32_t cell = instance_cell(in, f, args);
        if (cell != UINT32_MAX) {
            cell_is(x, cell, info.ty, v, here);
            and_into(x, here, known);
            or_into(x, out, here);
        }
    } else if (is_ground(x, info.args[i], &args[i])) {
        app_cases(x, e, i + 1, args, known, v, out);
    } else {
        type t = func_of(in->m, f)->args[i];
        for (uint32_t k = 0; k < instance_type_size(in, t); k++) {
            args[i] = instance_type_first(in, t) + (value)k;
            eval_is(x, info.args[i], args[i], here);
            and_into(x, here, known);
            app_cases(x, e, i + 1, args, here, v, out);
        }
    }
    sample_give(x, here);
}

static void eval_app(slicer *x, expr e, value v, uint64_t *out) {
    value args[MODEL_MOST_ARGS];
    expr_info info = *expr_of(x->s->in->m, e);
    bool ground = true;
    for (uint32_t i = 0; i < info.nargs && ground; i++) ground = is_ground(x, info.args[i], &args[i]);
    uint32_t cell = ground ? instance_cell(x->s->in, (func){info.ref}, args) : UINT32_MAX;
    if (ground && cell != UINT32_MAX) {
        cell_is(x, cell, info.ty, v, out);
        return;
    }
    uint64_t *all = sample_take(x);
    sample_fill(x, all, true);
    sample_fill(x, out, false);
    app_cases(x, e, 0, args, all, v, out);
    sample_give(x, all);
}

// if c then a else b = v
static void eval_ite(slicer *x, expr e, value v, uint64_t *out) {
    model *m = x->s->in->m;
    uint64_t *c = sample_take(x), *b = sample_take(x);
    sample_eval(x, expr_arg(m, e, 0), c);
    eval_is(x, expr_arg(m, e, 1), v, out);
    eval_is(x, expr_arg(m, e, 2), v, b);
    for (uint32_t i = 0; i < x->s->nwords; i++) out[i] = (c[i] & out[i]) | (~c[i] & b[i]);
    sample_give(x, c);
    sample_give(x, b);
}

static void eval_is(slicer *x, expr e, value v, uint64_t *out) {
    value known;
    expr_kind kind = expr_kind_of(x->s->in->m, e);
    if (is_ground(x, e, &known)) sample_fill(x, out, known == v);
    else if (kind == E_APP || kind == E_ITE) eval_once(x, e, v, out);
    else {
        sample_eval(x, e, out);
        if (!v) invert(x, out);
    }
}

static bool sample_compares(expr_kind kind, value a, value b) {
    return kind == E_EQ ? a == b : kind == E_LT ? a < b : a <= b;
}

// =, <, <= of terms: over the pairs of values.
static void eval_compare(slicer *x, expr e, uint64_t *out) {
    const instance *in = x->s->in;
    expr_info info = *expr_of(in->m, e);
    type ta = expr_type(in->m, info.args[0]), tb = expr_type(in->m, info.args[1]);
    uint64_t *a = sample_take(x), *b = sample_take(x);
    sample_fill(x, out, false);
    for (uint32_t i = 0; i < instance_type_size(in, ta); i++) {
        value va = instance_type_first(in, ta) + (value)i;
        eval_is(x, info.args[0], va, a);
        for (uint32_t k = 0; k < instance_type_size(in, tb); k++) {
            value vb = instance_type_first(in, tb) + (value)k;
            if (!sample_compares(info.kind, va, vb)) continue;
            eval_is(x, info.args[1], vb, b);
            and_into(x, b, a);
            or_into(x, out, b);
        }
    }
    sample_give(x, a);
    sample_give(x, b);
}

static void eval_equal(slicer *x, expr e, uint64_t *out) {
    model *m = x->s->in->m;
    expr a = expr_arg(m, e, 0), b = expr_arg(m, e, 1);
    value va, vb;
    bool ga = is_ground(x, a, &va), gb = is_ground(x, b, &vb);
    if (ga && gb) sample_fill(x, out, va == vb);
    else if (ga) eval_is(x, b, va, out);
    else if (gb) eval_is(x, a, vb, out);
    else eval_compare(x, e, out);
}

static void eval_quantifier(slicer *x, expr e, uint64_t *out) {
    const instance *in = x->s->in;
    expr_info info = *expr_of(in->m, e);
    type t = var_of(in->m, (var){info.ref})->ty;
    bool is_all = info.kind == E_FORALL;
    uint64_t *one = sample_take(x);
    sample_fill(x, out, is_all);
    for (uint32_t k = 0; k < instance_type_size(in, t); k++) {
        vec_push(&x->env, (binding){{info.ref}, instance_type_first(in, t) + (value)k});
        sample_eval(x, info.args[0], one);
        if (is_all) and_into(x, out, one);
        else or_into(x, out, one);
        x->env.len--;
    }
    sample_give(x, one);
}

static void eval_connective(slicer *x, expr e, uint64_t *out) {
    expr_info info = *expr_of(x->s->in->m, e);
    uint64_t *next = sample_take(x);
    sample_eval(x, info.args[0], out);
    if (info.kind == E_IMPLIES || info.kind == E_NOT) invert(x, out);
    for (uint32_t i = 1; i < info.nargs; i++) {
        sample_eval(x, info.args[i], next);
        if (info.kind == E_AND) and_into(x, out, next);
        else or_into(x, out, next);
    }
    sample_give(x, next);
}

static void eval_part(slicer *x, expr e, value v, uint64_t *out) {
    switch (expr_kind_of(x->s->in->m, e)) {
    case E_APP: eval_app(x, e, v, out); return;
    case E_ITE: eval_ite(x, e, v, out); return;
    case E_NOT:
    case E_AND:
    case E_OR:
    case E_IMPLIES: eval_connective(x, e, out); return;
    case E_EQ: eval_equal(x, e, out); return;
    case E_LT:
    case E_LE: eval_compare(x, e, out); return;
    case E_FORALL:
    case E_EXISTS: eval_quantifier(x, e, out); return;
    default: assert(!"sample_can() refuses this");
    }
}

// ---- heavy parts

static void forget_kept(slicer *x) {
    while (x->kept.len) sample_give(x, vec_pop(&x->kept));
    map_free(x->known);
    x->known = NULL;
}

static void keep_part(slicer *x, const uint32_t *key, size_t size, const uint64_t *column) {
    size_t bytes = x->s->nwords * sizeof *column;
    if (x->kept.len * bytes > KEPT_BYTES) forget_kept(x);
    if (!x->known) x->known = map_new();
    uint64_t *copy = sample_take(x);
    memcpy(copy, column, bytes);
    map_put(x->known, key, size, x->kept.len);
    vec_push(&x->kept, copy);
}

// The key is the part, the value asked for and the values of its variables.
static void eval_heavy(slicer *x, expr e, value v, uint64_t *out) {
    const var_set of = expr_frees(x->s->in->m, e);
    uint32_t key[KEPT_VARS + 2] = {e.id, (uint32_t)v};
    if (of.n > KEPT_VARS) {
        eval_part(x, e, v, out);
        return;
    }
    for (uint32_t i = 0; i < of.n; i++) key[2 + i] = (uint32_t)lookup(x, of.vars[i].id);
    size_t size = (2 + of.n) * sizeof *key;
    uint32_t known = x->known ? map_get(x->known, key, size, UINT32_MAX) : UINT32_MAX;
    if (known != UINT32_MAX) {
        memcpy(out, x->kept.data[known], x->s->nwords * sizeof *out);
        return;
    }
    eval_part(x, e, v, out);
    keep_part(x, key, size, out);
}

static void eval_once(slicer *x, expr e, value v, uint64_t *out) {
    if (expr_of(x->s->in->m, e)->weight > LIGHT_PART) eval_heavy(x, e, v, out);
    else eval_part(x, e, v, out);
}

// Nothing is kept from one formula to the next: states may have been added.
void sample_eval(slicer *x, expr e, uint64_t *out) {
    expr_kind kind = expr_kind_of(x->s->in->m, e);
    bool is_first = !x->depth++;
    if (kind == E_CONST || kind == E_VAR) eval_is(x, e, 1, out);
    else eval_once(x, e, 1, out);
    x->depth--;
    if (is_first) forget_kept(x);
}

bool sample_is_false(const sample *s, expr e) {
    bool found = false;
    slicer *x = slicer_new(s);
    uint64_t *column = mem_zero(s->nwords + 1, 8);
    sample_eval(x, e, column);
    for (uint32_t i = 0; i < s->nstates && !found; i++) found = !(column[i / 64] >> (i % 64) & 1);
    free(column);
    slicer_free(x);
    return found;
}
