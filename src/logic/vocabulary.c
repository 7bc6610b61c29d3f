// SPDX-License-Identifier: Apache-2.0
// What formulas mention: see vocabulary.h. A name is a letter for the kind, the number in the model, and as much of the
// user's name as is letters, digits and underscores.
#include "logic/vocabulary.h"

#include "model/walk.h"

#include <ctype.h>

static void note_func(vocabulary *v, func f, bool next) {
    const func_info *info = func_of(v->m, f);
    bits_add(&v->funcs[next], f.id);
    bits_add(&v->types, info->result.id);
    for (uint32_t i = 0; i < info->nargs; i++) bits_add(&v->types, info->args[i].id);
}

static void vocabulary_note(vocabulary *v, const expr_info *x) {
    bits_add(&v->types, x->ty.id);
    if (x->kind == E_CONST && type_is_unbounded(v->m, x->ty)) bits_add(&v->least, x->ty.id);
    if (x->kind == E_LT || x->kind == E_LE) bits_add(&v->orders, expr_type(v->m, x->args[0]).id);
    if (x->kind == E_APP || x->kind == E_NEXT) note_func(v, (func){x->ref}, x->kind == E_NEXT);
    if (x->kind == E_FORALL || x->kind == E_EXISTS) bits_add(&v->types, var_of(v->m, (var){x->ref})->ty.id);
}

static walk walk_all(const model *m, const obligation_set *s, uint32_t first, uint32_t n) {
    walk w = walk_expr(m, (expr){0}, 0);
    for (uint32_t i = 0; i < s->nhypotheses; i++) walk_add(&w, s->hypotheses[i], 0);
    for (uint32_t i = 0; i < n; i++) walk_add(&w, s->goals[first + i].formula, 0);
    return w;
}

vocabulary vocabulary_of(const model *m, const obligation_set *s, uint32_t first, uint32_t n) {
    vocabulary v = {.m = m};
    walk w = walk_all(m, s, first, n);
    while (walk_next(&w)) vocabulary_note(&v, w.x);
    w = walk_all(m, s, first, n);
    v.parts = shared_find(&w, true);
    for (uint32_t i = 0; i < s->nparams; i++) {
        bits_add(&v.types, var_of(m, s->params[i])->ty.id);
        bits_add(&v.params, s->params[i].id);
    }
    return v;
}

void vocabulary_free(vocabulary *v) {
    bits_free(&v->types);
    bits_free(&v->funcs[0]);
    bits_free(&v->funcs[1]);
    bits_free(&v->orders);
    bits_free(&v->least);
    bits_free(&v->params);
    shared_free(&v->parts);
}

static void vocabulary_add_name(str *out, char kind, uint32_t id, const char *name) {
    str_printf(out, "%c%u_", kind, id);
    for (; *name; name++)
        if (isalnum((unsigned char)*name) || *name == '_') str_char(out, *name);
}

void vocabulary_part(uint32_t number, str *out) { str_printf(out, "p%u_", number); }

var_list vocabulary_part_vars(const vocabulary *v, expr part) {
    const var_set of = expr_frees(v->m, part);
    var_list vars = {0};
    for (uint32_t i = 0; i < of.n; i++)
        if (!bits_has(&v->params, of.vars[i].id)) vec_push(&vars, of.vars[i]);
    return vars;
}

void vocabulary_func(const model *m, func f, bool next, str *out) {
    vocabulary_add_name(out, next ? 'n' : 'f', f.id, func_of(m, f)->name);
}

void vocabulary_type(const model *m, type t, str *out) { vocabulary_add_name(out, 's', t.id, type_of(m, t)->name); }

void vocabulary_before(const model *m, type t, str *out) { vocabulary_add_name(out, 'o', t.id, type_of(m, t)->name); }

void vocabulary_value(const model *m, type t, value v, str *out) {
    if (type_is_unbounded(m, t)) {
        vocabulary_add_name(out, 'l', t.id, "least");
        return;
    }
    vocabulary_add_name(out, 'c', t.id, "");
    if (v < 0) str_printf(out, "m%d", -v);
    else str_printf(out, "%d", v);
    if (type_of(m, t)->kind == TYPE_ENUM) str_printf(out, "_%s", type_of(m, t)->literals[v]);
}

void vocabulary_var(const model *m, var v, bool is_upper, str *out) {
    vocabulary_add_name(out, is_upper ? 'X' : 'x', v.id, var_of(m, v)->name);
}
