// SPDX-License-Identifier: Apache-2.0
// Scopes: one for the top level of all files together, one per system, one per composition (which looks into
// its parts). Values (functions, constants, definitions, procs, enum values) and types have separate name
// spaces. All symbols are made before anything is lowered, so names may be used before their declaration
// and pointers to symbols stay.
#include "front/pv/internal.h"

#include <string.h>

typedef VEC(const char *) name_list;

static pv_scope *pv_scope_new(pv_front *f, pv_scope *outer, const pv_decl *decl) {
    pv_scope *s = arena_alloc(f->memory, sizeof *s);
    s->outer = outer;
    s->tables = f->scopes.len * PV_TABLES;
    s->decl = decl;
    vec_push(&f->scopes, s);
    return s;
}

uint32_t pv_names_find(const pv_front *f, const pv_scope *s, pv_table table, const char *name) {
    uint32_t found = scopes_find(f->names, s->tables + table, name);
    return found == SCOPES_NONE ? 0 : found;
}

// ---- declaring

static bool twice(pv_front *f, const char *what, const char *name, span at, span first) {
    diag_error(f->messages, at, "%s'%s' is declared twice", what, name);
    diag_note(f->messages, first, "the first declaration is here");
    return false;
}

bool pv_names_is_first(pv_front *f, const pv_scope *s, pv_table table, const pv_decl *d) {
    const pv_decl *first = s->decl->decls[pv_names_find(f, s, table, d->name) - 1];
    return first == d || twice(f, table == PV_ACTIONS ? "action " : "", d->name, d->at, first->at);
}

static uint32_t pv_names_add_symbol(pv_front *f, pv_table table, pv_symbol s) {
    vec_push(&f->symbols, s);
    scopes_add(f->names, s.home->tables + table, s.name, f->symbols.len - 1);
    return f->symbols.len - 1;
}

static void declare_value(pv_front *f, pv_scope *s, const pv_decl *d, pv_sym_kind kind) {
    pv_symbol made = {.kind = kind, .name = d->name, .at = d->at, .decl = d, .home = s};
    uint32_t old = pv_names_find(f, s, PV_VALUES, d->name);
    if (old) twice(f, "", d->name, d->at, f->symbols.data[old].at);
    else pv_names_add_symbol(f, PV_VALUES, made);
}

// Two enums may share a value's name: the earlier symbols lead to the later ones.
static void pv_names_declare_literal(pv_front *f, pv_scope *s, const pv_decl *d, uint32_t index) {
    const pv_item *item = &d->items[index];
    pv_symbol made = {.kind = SYM_LITERAL, .name = item->name, .at = item->at, .decl = d, .home = s};
    uint32_t last = pv_names_find(f, s, PV_VALUES, item->name);
    while (f->symbols.data[last].next) last = f->symbols.data[last].next;
    if (last && (f->symbols.data[last].kind != SYM_LITERAL || f->symbols.data[last].decl == d)) {
        twice(f, "", item->name, item->at, f->symbols.data[last].at);
        return;
    }
    uint32_t added = pv_names_add_symbol(f, PV_VALUES, made);
    if (last) f->symbols.data[last].next = added;
}

static bool same_enum(const pv_decl *a, const pv_decl *b) {
    if (a->nitems != b->nitems) return false;
    for (uint32_t i = 0; i < a->nitems; i++)
        if (!str_same(a->items[i].name, b->items[i].name)) return false;
    return true;
}

// The same declaration in another file stands for the same type. Fixed sizes are compared once known.
static bool is_repetition(const pv_decl *a, const pv_decl *b) {
    if (a->at.file == b->at.file || a->kind != b->kind) return false;
    if (a->kind == PD_ENUM) return same_enum(a, b);
    return a->is_ordered == b->is_ordered && !a->expr == !b->expr;
}

static void pv_names_declare_type(pv_front *f, pv_scope *s, const pv_decl *d) {
    uint32_t old = pv_names_find(f, s, PV_TYPES, d->name);
    if (!old && s->outer) old = pv_names_find(f, s->outer, PV_TYPES, d->name);
    if (old) {
        const pv_symbol *first = &f->symbols.data[old];
        if (first->home == s && is_repetition(first->decl, d)) return;
        twice(f, "", d->name, d->at, first->at);
        if (first->at.file != d->at.file)
            diag_note(f->messages, (span){0}, "declarations of one type in two files must be the same");
        return;
    }
    pv_names_add_symbol(f, PV_TYPES, (pv_symbol){.kind = SYM_TYPE, .name = d->name, .at = d->at, .decl = d, .home = s});
    for (uint32_t i = 0; d->kind == PD_ENUM && i < d->nitems; i++) pv_names_declare_literal(f, s, d, i);
}

// What a declaration is a member of its scope as; PV_TABLES: it has no name there.
static pv_table pv_names_table(pv_decl_kind kind) {
    switch (kind) {
    case PD_ACTION: return PV_ACTIONS;
    case PD_ASSUME:
    case PD_AXIOM:
    case PD_LEMMA:
    case PD_INVARIANT: return PV_FACTS;
    case PD_SCHEMA: return PV_SCHEMAS;
    default: return PV_TABLES;
    }
}

static void pv_names_declare(pv_front *f, pv_scope *s, const pv_decl *d) {
    switch (d->kind) {
    case PD_FUNC: declare_value(f, s, d, SYM_FUNC); break;
    case PD_CONST: declare_value(f, s, d, SYM_CONST); break;
    case PD_DEF: declare_value(f, s, d, SYM_DEF); break;
    case PD_PROC: declare_value(f, s, d, SYM_PROC); break;
    case PD_SORT:
    case PD_ENUM: pv_names_declare_type(f, s, d); break;
    default: break;
    }
}

static pv_scope *pv_names_system(pv_front *f, const char *name) {
    uint32_t i = pv_names_find(f, f->scopes.data[0], PV_SYSTEMS, name);
    return i ? f->scopes.data[i] : NULL;
}

static void declare_system(pv_front *f, const pv_decl *d) {
    pv_scope *old = pv_names_system(f, d->name);
    if (old) {
        twice(f, "", d->name, d->at, old->decl->at);
        return;
    }
    scopes_add(f->names, PV_SYSTEMS, d->name, f->scopes.len);
    pv_scope_new(f, f->scopes.data[0], d);
}

static void declare_members(pv_front *f, pv_scope *s) {
    for (uint32_t i = 0; i < s->decl->ndecls; i++) {
        const pv_decl *d = s->decl->decls[i];
        pv_table table = pv_names_table(d->kind);
        pv_names_declare(f, s, d);
        if (table != PV_TABLES) scopes_add(f->names, s->tables + table, d->name, i + 1);
    }
}

void pv_names_collect(pv_front *f) {
    pv_scope *top = pv_scope_new(f, NULL, NULL);
    PV_EACH_TOP(f, d) {
        if (d->kind == PD_SYSTEM || d->kind == PD_COMPOSE) declare_system(f, d);
        else pv_names_declare(f, top, d);
    }
    // Systems after the whole top level: a local type is compared with those of all files.
    for (uint32_t i = 1; i < f->scopes.len; i++) declare_members(f, f->scopes.data[i]);
}

void pv_names_each(pv_front *f, pv_decl_kind kind, void (*visit)(pv_front *, const pv_decl *)) {
    PV_EACH_TOP(f, d) if (d->kind == kind) visit(f, d);
}

// ---- finding

static void ambiguous(pv_front *f, const char *name, span at, const pv_symbol *a, const pv_symbol *b) {
    diag_error(f->messages, at, "'%s' is declared in more than one part of the composition", name);
    diag_note(f->messages, a->at, "one is here");
    diag_note(f->messages, b->at, "another is here");
}

// In a composition, the one part that declares the name; symbol 0, which is wrong by itself, after a message.
static pv_symbol *find_in(pv_front *f, const pv_scope *s, const char *name, span at, pv_table table) {
    uint32_t i = pv_names_find(f, s, table, name);
    pv_symbol *found = i ? &f->symbols.data[i] : NULL;
    for (uint32_t k = 0; k < s->parts.len; k++) {
        pv_symbol *other = find_in(f, s->parts.data[k], name, at, table);
        if (!other) continue;
        if (found && found != other) {
            ambiguous(f, name, at, found, other);
            return &f->symbols.data[0];
        }
        found = other;
    }
    return found;
}

pv_symbol *pv_names_value(pv_front *f, const pv_scope *s, const char *name, span at) {
    pv_symbol *found = NULL;
    for (; s && !found; s = s->outer) found = find_in(f, s, name, at, PV_VALUES);
    return found;
}

const char *pv_names_prefixed(pv_context *c, const pv_scope *s, const char *name) {
    const char *whole = c->prefix ? arena_printf(c->f->memory, "%s%s", c->prefix, name) : NULL;
    return whole && pv_names_find(c->f, s, PV_VALUES, whole) ? whole : NULL;
}

pv_symbol *pv_names_called(pv_context *c, const pv_expr *e) {
    const char *whole = pv_names_prefixed(c, c->scope, e->name);
    if (!e->member) return pv_names_value(c->f, c->scope, whole ? whole : e->name, e->name_at);
    const char *name = arena_strn(c->f->memory, e->name, (size_t)(e->member - e->name) - 1);
    const pv_scope *system = pv_names_system(c->f, name);
    return system ? find_in(c->f, system, e->member, e->name_at, PV_VALUES) : NULL;
}

pv_symbol *pv_names_type(pv_front *f, const pv_scope *s, const char *name, span at) {
    pv_symbol *found = NULL;
    for (; s && !found; s = s->outer) found = find_in(f, s, name, at, PV_TYPES);
    return found;
}

// ---- unknown names

// Which symbols can be meant where a name is missing: with arguments or without, a proc, a type.
typedef enum { WANT_PLAIN, WANT_APPLIED, WANT_TARGET, WANT_PROC, WANT_TYPE } wanted;

static bool pv_names_is_wanted(const pv_symbol *s, wanted want) {
    bool has_args = s->decl && (s->decl->nargs || s->decl->params.len);
    switch (want) {
    case WANT_TYPE: return true;
    case WANT_PROC: return s->kind == SYM_PROC;
    case WANT_TARGET: return s->kind == SYM_FUNC && !s->decl->is_rigid;
    case WANT_APPLIED: return s->kind == SYM_FUNC || (s->kind == SYM_DEF && has_args);
    default: return s->kind != SYM_PROC && (!has_args || s->kind == SYM_LITERAL);
    }
}

static void add_own(const pv_front *f, const pv_scope *home, wanted want, name_list *out) {
    for (uint32_t i = 1; i < f->symbols.len; i++) {
        const pv_symbol *s = &f->symbols.data[i];
        if (s->home == home && (s->kind == SYM_TYPE) == (want == WANT_TYPE) && pv_names_is_wanted(s, want))
            vec_push(out, s->name);
    }
}

static void add_scope(const pv_front *f, const pv_scope *s, wanted want, name_list *out) {
    for (; s; s = s->outer) {
        add_own(f, s, want, out);
        for (uint32_t i = 0; i < s->parts.len; i++) add_own(f, s->parts.data[i], want, out);
    }
}

// True when it had a name to suggest.
static bool report_unknown(pv_front *f, span at, const char *what, const char *name, name_list *names) {
    bool is_near = diag_unknown(f->messages, at, what, name, names->data, names->len);
    vec_free(names);
    return is_near;
}

// What the user may have meant by a name that is no value.
static bool is_something_else(pv_context *c, const pv_expr *e) {
    pv_symbol *t = pv_names_type(c->f, c->scope, e->name, e->name_at);
    if (t) {
        const char *kind = t->decl && t->decl->kind == PD_ENUM ? "enum" : "sort";
        diag_error(c->f->messages, e->name_at, "'%s' is the name of a type (%s), not a value", e->name, kind);
        return true;
    }
    bool is_action = pv_names_find(c->f, c->scope, PV_ACTIONS, e->name);
    if (is_action)
        diag_error(c->f->messages, e->name_at, "'%s' is an action: it cannot be used in an expression", e->name);
    return is_action;
}

// What can stand where a name without arguments is missing.
static void add_plain_names(const pv_context *c, type expected, name_list *out) {
    for (uint32_t i = c->locals.len; i-- > c->visible;) vec_push(out, c->locals.data[i].name);
    const type_info *t = expected.id ? type_of(c->f->m, expected) : NULL;
    for (uint32_t i = 0; t && t->kind == TYPE_ENUM && i < t->nliterals; i++) vec_push(out, t->literals[i]);
    vec_push(out, "true");
    vec_push(out, "false");
}

// The values of an enum, unless they are many.
static void list_values(pv_front *f, type t) {
    enum { MANY = 12 };
    if (!t.id || type_of(f->m, t)->kind != TYPE_ENUM || type_of(f->m, t)->nliterals > MANY) return;
    str s = {0};
    for (uint32_t i = 0; i < type_of(f->m, t)->nliterals; i++)
        str_printf(&s, "%s%s", i ? ", " : "", type_of(f->m, t)->literals[i]);
    diag_note(f->messages, type_of(f->m, t)->at, "the values of %s are %s", type_of(f->m, t)->name, str_get(&s));
    str_free(&s);
}

static void report_name(pv_context *c, const pv_expr *e, type expected, const char *what, wanted want) {
    if (is_something_else(c, e)) return;
    name_list names = {0};
    if (want == WANT_PLAIN) add_plain_names(c, expected, &names);
    add_scope(c->f, c->scope, want, &names);
    bool suggested = report_unknown(c->f, e->name_at, what, e->name, &names);
    if (want != WANT_PLAIN) return;
    list_values(c->f, expected);
    if (!suggested && strlen(e->name) <= 2)
        diag_note(c->f->messages, (span){0}, "a variable comes from a parameter, 'forall' or 'exists'");
}

void pv_names_unknown(pv_context *c, const pv_expr *e, type expected) {
    bool is_bool = expected.id == c->f->m->bool_type.id;
    if (!e->has_parens) report_name(c, e, expected, "name", WANT_PLAIN);
    else report_name(c, e, expected, is_bool ? "relation" : "function", WANT_APPLIED);
}

void pv_names_unknown_target(pv_context *c, const pv_expr *e) {
    report_name(c, e, (type){0}, e->has_parens ? "relation" : "variable", WANT_TARGET);
}

void pv_names_unknown_proc(pv_context *c, const pv_expr *e) { report_name(c, e, (type){0}, "proc", WANT_PROC); }

static bool is_number_word(const char *name) {
    return str_same(name, "int") || str_same(name, "integer") || str_same(name, "nat") || str_same(name, "number");
}

void pv_names_unknown_type(pv_front *f, const pv_scope *s, const char *name, span at) {
    name_list names = {0};
    vec_push(&names, "bool");
    add_scope(f, s, WANT_TYPE, &names);
    report_unknown(f, at, "type", name, &names);
    if (is_number_word(name)) diag_note(f->messages, (span){0}, "a type of numbers is a range such as 0..3");
}

void pv_names_unknown_sort(pv_front *f, const pv_item *item) {
    name_list names = {0};
    for (uint32_t i = 1; i < f->m->types.len; i++)
        if (f->m->types.data[i].kind == TYPE_SORT) vec_push(&names, f->m->types.data[i].name);
    report_unknown(f, item->at, "sort", item->name, &names);
}

bool pv_names_system_or_error(pv_front *f, const pv_item *item, pv_scope **out) {
    *out = pv_names_system(f, item->name);
    if (*out) return true;
    name_list names = {0};
    for (uint32_t i = 1; i < f->scopes.len; i++) vec_push(&names, f->scopes.data[i]->decl->name);
    report_unknown(f, item->at, "system", item->name, &names);
    return false;
}
