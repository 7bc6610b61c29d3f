// SPDX-License-Identifier: Apache-2.0
// Names of a model: see names.h. The tables of the model have the places; nothing is parsed again.
#include "cli/lsp/names.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void take_types(const model *m, void (*take)(void *, const lsp_name *), void *context) {
    for (uint32_t i = 1; i < m->types.len; i++) {
        const type_info *t = &m->types.data[i];
        if (*t->name && t->at.file && !t->is_slot) take(context, &(lsp_name){NAME_SORT, t->name, t->at, t->owner, i});
    }
}

static void take_variables(const model *m, void (*take)(void *, const lsp_name *), void *context) {
    for (uint32_t i = 1; i < m->vars.len; i++)
        if (m->vars.data[i].at.file)
            take(context, &(lsp_name){NAME_VARIABLE, m->vars.data[i].name, m->vars.data[i].at, {0}, i});
}

// Rules in their own order, each of the first system that has it.
static void take_rules(const model *m, void (*take)(void *, const lsp_name *), void *context) {
    uint32_t *owner = mem_zero(m->rules.len + 1, sizeof *owner);
    for (uint32_t i = m->systems.len; i-- > 1;)
        for (uint32_t k = 0; k < m->systems.data[i].rules.len; k++) owner[m->systems.data[i].rules.data[k].id] = i;
    for (uint32_t i = 1; i < m->rules.len; i++)
        if (owner[i] && m->rules.data[i].at.file)
            take(context, &(lsp_name){NAME_ACTION, m->rules.data[i].name, m->rules.data[i].at, {owner[i]}, i});
    free(owner);
}

void lsp_names_each(const model *m, void (*take)(void *context, const lsp_name *n), void *context) {
    take_types(m, take, context);
    take_variables(m, take, context);
    for (uint32_t i = 1; i < m->funcs.len; i++) {
        const func_info *f = &m->funcs.data[i];
        if (f->at.file && !f->is_scratch) take(context, &(lsp_name){NAME_FUNCTION, f->name, f->at, f->owner, i});
    }
    for (uint32_t i = 1; i < m->defs.len; i++)
        take(context, &(lsp_name){NAME_DEFINITION, m->defs.data[i].name, m->defs.data[i].at, m->defs.data[i].owner, i});
    for (uint32_t i = 1; i < m->systems.len; i++)
        if (m->systems.data[i].at.file)
            take(context, &(lsp_name){NAME_SYSTEM, m->systems.data[i].name, m->systems.data[i].at, {0}, i});
    take_rules(m, take, context);
    for (uint32_t i = 1; i < m->props.len; i++)
        take(context, &(lsp_name){NAME_PROPERTY, m->props.data[i].name, m->props.data[i].at, {0}, i});
}

// ---- finding one

typedef struct {
    const model *m;
    const char *name;
    size_t length;
    span at;
    sys around;  // the system whose name is the last before the place
    lsp_name best;
    int rank;
} finding_name;

static void note_around(void *context, const lsp_name *n) {
    finding_name *f = context;
    bool is_before = n->kind == NAME_SYSTEM && n->at.file == f->at.file && n->at.begin <= f->at.begin;
    if (is_before && (!f->around.id || n->at.begin > sys_of(f->m, f->around)->at.begin)) f->around = (sys){n->id};
}

static bool is_on(span declared, span at) {
    return declared.file == at.file && declared.begin <= at.begin && at.begin < declared.end;
}

static void consider_name(void *context, const lsp_name *n) {
    finding_name *f = context;
    if (strlen(n->name) != f->length || memcmp(n->name, f->name, f->length) != 0) return;
    bool is_here = n->at.file == f->at.file && n->at.begin <= f->at.begin;
    int rank = is_on(n->at, f->at)                                          ? 5
               : n->kind == NAME_VARIABLE                                   ? (is_here ? 4 : 0)
               : n->owner.id && f->around.id && n->owner.id == f->around.id ? 3
               : !n->owner.id                                               ? 2
                                                                            : 1;
    bool is_later = rank == f->rank && n->kind == NAME_VARIABLE && n->at.begin > f->best.at.begin;
    if (rank <= f->rank && !is_later) return;
    f->rank = rank;
    f->best = *n;
}

bool lsp_names_find(const model *m, const char *name, size_t length, span at, lsp_name *out) {
    finding_name f = {.m = m, .name = name, .length = length, .at = at};
    lsp_names_each(m, note_around, &f);
    lsp_names_each(m, consider_name, &f);
    *out = f.best;
    return f.rank > 0;
}

bool lsp_names_among(const model *m, const lsp_name *list, uint32_t n, const char *name, size_t length, span at,
                     lsp_name *out) {
    finding_name f = {.m = m, .name = name, .length = length, .at = at};
    for (uint32_t i = 0; i < n; i++) note_around(&f, &list[i]);
    for (uint32_t i = 0; i < n; i++) consider_name(&f, &list[i]);
    *out = f.best;
    return f.rank > 0;
}

// ---- in words

static void lsp_put_type(const model *m, type t, str *out) {
    const type_info *i = type_of(m, t);
    if (*i->name) str_add(out, i->name);
    else if (i->kind == TYPE_BOOL) str_add(out, "bool");
    else str_printf(out, "%d..%d", i->lo, i->hi);
}

static void lsp_put_params(const model *m, const var *params, uint32_t n, str *out) {
    for (uint32_t i = 0; i < n; i++) {
        str_printf(out, "%s%s: ", i ? ", " : "(", var_of(m, params[i])->name);
        lsp_put_type(m, var_of(m, params[i])->ty, out);
    }
    if (n) str_char(out, ')');
}

static void lsp_put_function(const model *m, const func_info *f, str *out) {
    bool is_rel = f->result.id == m->bool_type.id;
    str_printf(out, "%s %s", f->is_rigid ? "const" : is_rel ? "rel" : "var", f->name);
    for (uint32_t i = 0; i < f->nargs; i++) {
        str_add(out, i ? ", " : "(");
        lsp_put_type(m, f->args[i], out);
    }
    if (f->nargs) str_char(out, ')');
    if (is_rel) return;
    str_add(out, ": ");
    lsp_put_type(m, f->result, out);
}

static void lsp_put_sort(const type_info *t, str *out) {
    str_printf(out, "%s %s", t->kind == TYPE_SORT ? "sort" : t->kind == TYPE_ENUM ? "enum" : "type", t->name);
    for (uint32_t i = 0; t->kind == TYPE_ENUM && i < t->nliterals; i++)
        str_printf(out, "%s%s%s", i ? ", " : " { ", t->literals[i], i + 1 == t->nliterals ? " }" : "");
    if (t->kind == TYPE_RANGE) str_printf(out, " = %d..%d", t->lo, t->hi);
}

void lsp_names_text(const model *m, const lsp_name *n, str *out) {
    switch (n->kind) {
    case NAME_SORT: lsp_put_sort(type_of(m, (type){n->id}), out); break;
    case NAME_FUNCTION: lsp_put_function(m, func_of(m, (func){n->id}), out); break;
    case NAME_VARIABLE:
        str_printf(out, "%s: ", n->name);
        lsp_put_type(m, var_of(m, (var){n->id})->ty, out);
        break;
    case NAME_DEFINITION: {
        const def_info *d = def_of(m, (def){n->id});
        str_printf(out, "def %s", d->name);
        lsp_put_params(m, d->params, d->nparams, out);
        break;
    }
    case NAME_ACTION: {
        const rule_info *r = rule_of(m, (rule){n->id});
        str_printf(out, "action %s", r->name);
        lsp_put_params(m, r->params, r->nparams, out);
        break;
    }
    case NAME_SYSTEM: str_printf(out, "system %s", n->name); break;
    case NAME_PROPERTY: str_printf(out, "property %s", n->name); break;
    }
}
