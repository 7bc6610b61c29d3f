// SPDX-License-Identifier: Apache-2.0
// Types, constants and state functions into the model. A constant is evaluated when it is first needed, so
// that constants, bounds and sizes may refer to each other in any order but not in a circle.
#include "front/pv/internal.h"

#include <inttypes.h>

// ---- what types are called

void pv_type_text(const model *m, type t, str *out) {
    const type_info *info = type_of(m, t);
    if (info->kind == TYPE_RANGE) str_printf(out, "%d..%d", info->lo, info->hi);
    else str_add(out, info->name);
}

const char *pv_type_name(pv_front *f, type t) {
    str s = {0};
    pv_type_text(f->m, t, &s);
    const char *name = arena_str(f->memory, str_get(&s));
    str_free(&s);
    return name;
}

bool pv_type_fits(const model *m, type have, type want) {
    return type_same(have, want) || (type_is_number(m, have) && type_is_number(m, want));
}

static void pv_type_wrong_type(pv_context *c, expr e, type want, span at, const char *what) {
    type have = expr_type(c->f->m, e);
    const char *wanted = type_is_number(c->f->m, want) ? "a number" : pv_type_name(c->f, want);
    const char *got = type_is_number(c->f->m, have) ? "a number" : pv_type_name(c->f, have);
    diag_error(c->f->messages, at, "%s must be %s, not %s", what, wanted, got);
}

bool pv_type_check(pv_context *c, expr e, type want, span at, const char *what) {
    if (!e.id || !want.id) return false;
    const model *m = c->f->m;
    if (!pv_type_fits(m, expr_type(m, e), want)) {
        pv_type_wrong_type(c, e, want, at, what);
        return false;
    }
    if (!type_is_number(m, want)) return true;
    value n;
    if (!expr_is_const(m, e, &n) || (n >= type_of(m, want)->lo && n <= type_of(m, want)->hi)) return true;
    return diag_error(c->f->messages, at, "%s is %d, outside its range %s", what, n, pv_type_name(c->f, want));
}

// ---- constants

bool pv_type_number(pv_context *c, const pv_expr *e, int64_t *out) {
    expr v = pv_expr_lower(c, e, (type){0});
    value n;
    if (!v.id) return false;
    if (!type_is_number(c->f->m, expr_type(c->f->m, v)) || !expr_is_const(c->f->m, v, &n))
        return diag_error(c->f->messages, e->at, "this must be a constant number");
    *out = n;
    return true;
}

static expr constant_value(pv_front *f, pv_symbol *s) {
    pv_context c = {.f = f, .scope = s->home, .prefix = s->decl->prefix};
    expr v = pv_expr_lower(&c, s->decl->expr, (type){0});
    pv_context_free(&c);
    if (v.id && !expr_is_const(f->m, v, NULL))
        return diag_error(f->messages, s->decl->expr->at, "the value of '%s' is not constant", s->name), (expr){0};
    const front_define *d = front_defined(f->options->defines, f->options->ndefines, s->name);
    if (!v.id || !d) return v;
    if (!type_is_number(f->m, expr_type(f->m, v))) {
        diag_error(f->messages, s->at, "'%s' is not a number, so --define cannot change it", s->name);
        return (expr){0};
    }
    return expr_const(f->m, model_range(f->m, d->value, d->value, s->at), d->value);
}

expr pv_type_constant(pv_front *f, pv_symbol *s, span use) {
    if (s->state == PV_BUSY)
        return diag_error(f->messages, use, "the value of '%s' depends on itself", s->name), (expr){0};
    if (s->state != PV_NEW) return s->value;
    s->state = PV_BUSY;
    s->value = constant_value(f, s);
    s->state = s->value.id ? PV_DONE : PV_WRONG;
    return s->value;
}

// ---- types

static type lower_range(pv_context *c, const pv_type *t) {
    int64_t lo, hi;
    bool good = pv_type_number(c, t->lo, &lo);
    good &= pv_type_number(c, t->hi, &hi);
    if (!good) return (type){0};
    if (lo <= hi) return model_range(c->f->m, (int32_t)lo, (int32_t)hi, t->at);
    return diag_error(c->f->messages, t->at, "the range %" PRId64 "..%" PRId64 " is empty", lo, hi), (type){0};
}

type pv_type_lower(pv_context *c, const pv_type *t) {
    if (!t->name) return lower_range(c, t);
    if (str_same(t->name, "bool")) return c->f->m->bool_type;
    pv_symbol *s = pv_names_type(c->f, c->scope, t->name, t->at);
    if (s) return s->ty;
    pv_symbol *v = pv_names_value(c->f, c->scope, t->name, t->at);
    if (v && v->kind == SYM_CONST) {
        diag_error(c->f->messages, t->at, "'%s' is a number; a range of numbers is written 0..%s", t->name, t->name);
        return (type){0};
    }
    pv_names_unknown_type(c->f, c->scope, t->name, t->at);
    return (type){0};
}

static const char *const *literal_names(pv_front *f, const pv_decl *d) {
    const char **names = arena_alloc(f->m->memory, (d->nitems + 1) * sizeof *names);
    for (uint32_t i = 0; i < d->nitems; i++) names[i] = arena_str(f->m->memory, d->items[i].name);
    return names;
}

bool pv_type_literal(const pv_front *f, type t, const char *name, value *out) {
    uint32_t found = scopes_find(f->literals, t.id, name);
    if (found != SCOPES_NONE && out) *out = (value)found;
    return found != SCOPES_NONE;
}

static void add_type(pv_front *f, pv_symbol *s) {
    const pv_decl *d = s->decl;
    type_info info = {.kind = TYPE_SORT, .name = d->name, .at = d->at, .is_ordered = d->is_ordered};
    info.owner = s->home->system;
    if (d->kind == PD_ENUM) {
        if (d->nitems == 0) diag_error(f->messages, d->at, "enum '%s' has no values", d->name);
        info.kind = TYPE_ENUM;
        info.literals = literal_names(f, d);
        info.nliterals = d->nitems;
    }
    s->ty = model_add_type(f->m, info);
    s->state = PV_DONE;
    for (uint32_t i = 0; i < info.nliterals; i++) scopes_add(f->literals, s->ty.id, d->items[i].name, i);
}

static void pv_type_add_literal(pv_front *f, pv_symbol *s) {
    pv_symbol *t = pv_names_type(f, s->home, s->decl->name, s->at);
    if (!t || !t->ty.id) return;
    value v;
    if (pv_type_literal(f, t->ty, s->name, &v)) s->value = expr_const(f->m, t->ty, v);
    s->ty = t->ty;
    s->state = PV_DONE;
}

// ---- sizes of sorts

static uint32_t sort_size_of(pv_front *f, const pv_expr *e) {
    pv_context c = {.f = f, .scope = f->scopes.data[0]};
    int64_t n;
    bool good = pv_type_number(&c, e, &n);
    pv_context_free(&c);
    if (!good) return 0;
    if (n >= 1 && n <= PV_LARGEST_SORT) return (uint32_t)n;
    diag_error(f->messages, e->at, "the size of a sort is 1 to %d", PV_LARGEST_SORT);
    return 0;
}

static void fix_size(pv_front *f, const pv_decl *d) {
    pv_symbol *s = pv_names_type(f, f->scopes.data[0], d->name, d->at);
    uint32_t size = sort_size_of(f, d->expr);
    if (!s || !s->ty.id || !size) return;
    type_info *info = &f->m->types.data[s->ty.id];
    uint32_t *fixed = &info->fixed_size;
    if (*fixed && *fixed != size) {
        diag_error(f->messages, d->at, "sort '%s' has size %u elsewhere", d->name, *fixed);
        diag_note(f->messages, s->at, "it is declared here");
        return;
    }
    *fixed = size;
    info->size_is_meant = true;
}

bool pv_type_sort_size(pv_front *f, const pv_item *item, type *sort, uint32_t *size) {
    pv_symbol *s = pv_names_type(f, f->scopes.data[0], item->name, item->at);
    *size = sort_size_of(f, item->value);
    if (!s) pv_names_unknown_sort(f, item);
    if (!s || !s->ty.id || !*size) return false;
    *sort = s->ty;
    const type_info *info = type_of(f->m, s->ty);
    if (info->kind != TYPE_SORT)
        return diag_error(f->messages, item->at, "'%s' is not a sort: only sorts have a size", item->name);
    if (!info->fixed_size || info->fixed_size == *size) return true;
    return diag_error(f->messages, item->at, "sort '%s' has the fixed size %u", item->name, info->fixed_size);
}

// The main file comes first, so its sizes are the ones that count.
static void default_sizes(pv_front *f, const pv_decl *d) {
    for (uint32_t i = 0; i < d->nitems; i++) {
        type sort;
        uint32_t size;
        if (!pv_type_sort_size(f, &d->items[i], &sort, &size)) continue;
        uint32_t *known = &f->m->types.data[sort.id].default_size;
        if (!*known) *known = size;
        else if (f->files.data[0].number == d->at.file)
            diag_error(f->messages, d->items[i].at, "the size of '%s' is given twice", d->items[i].name);
    }
}

static void fix_size_if_given(pv_front *f, const pv_decl *d) {
    if (d->expr) fix_size(f, d);
}

void pv_type_declare(pv_front *f) {
    for (uint32_t i = 1; i < f->symbols.len; i++)
        if (f->symbols.data[i].kind == SYM_TYPE) add_type(f, &f->symbols.data[i]);
    for (uint32_t i = 1; i < f->symbols.len; i++)
        if (f->symbols.data[i].kind == SYM_LITERAL) pv_type_add_literal(f, &f->symbols.data[i]);
    for (uint32_t i = 1; i < f->symbols.len; i++)
        if (f->symbols.data[i].kind == SYM_CONST) pv_type_constant(f, &f->symbols.data[i], f->symbols.data[i].at);
    pv_names_each(f, PD_SORT, fix_size_if_given);
    pv_names_each(f, PD_SIZE, default_sizes);
}

// ---- state functions

static bool initial_value(pv_context *c, const pv_decl *d, type result, value *out) {
    const type_info *info = type_of(c->f->m, result);
    *out = info->kind == TYPE_RANGE ? info->lo : 0;
    if (!d->expr) return true;
    expr e = pv_expr_lower(c, d->expr, result);
    const char *what = arena_printf(c->f->memory, "the initial value of '%s'", d->name);
    if (!pv_type_check(c, e, result, d->expr->at, what)) return false;
    if (expr_is_const(c->f->m, e, out)) return true;
    diag_error(c->f->messages, d->expr->at, "%s must be constant", what);
    diag_note(c->f->messages, (span){0}, "what depends on other variables is assigned in 'init { ... }'");
    return false;
}

static void pv_type_add_function(pv_front *f, pv_symbol *s) {
    const pv_decl *d = s->decl;
    pv_context c = {.f = f, .scope = s->home, .prefix = d->prefix};
    type *args = arena_alloc(f->memory, (d->nargs + 1) * sizeof *args);
    bool good = pv_check_count(f, d->nargs, d->at);
    for (uint32_t i = 0; i < d->nargs; i++) good &= (args[i] = pv_type_lower(&c, d->args[i])).id != 0;
    func_info info = {.name = d->name, .at = d->at, .args = args, .nargs = d->nargs, .result = f->m->bool_type};
    if (d->ty) good &= (info.result = pv_type_lower(&c, d->ty)).id != 0;
    info.is_rigid = d->is_rigid;
    info.starts_any = d->is_any;
    info.owner = s->home->system;
    if (good && !d->is_any) good = initial_value(&c, d, info.result, &info.initial);
    s->state = good ? PV_DONE : PV_WRONG;
    if (good) s->f = model_add_func(f->m, info);
    pv_context_free(&c);
}

void pv_type_functions(pv_front *f) {
    for (uint32_t i = 1; i < f->symbols.len; i++)
        if (f->symbols.data[i].kind == SYM_FUNC) pv_type_add_function(f, &f->symbols.data[i]);
}
