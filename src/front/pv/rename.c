// SPDX-License-Identifier: Apache-2.0
// A copy of a declaration with members in which its functions, definitions and procs have a prefix, where they are
// declared and where they are used: so that it can be put together with another that has members of the same names. A
// name that is bound where it stands (a parameter, a quantified variable) is not a member. Constants keep their
// names, for --define.
#include "front/pv/internal.h"

#include <string.h>

typedef struct {
    pv_front *f;
    const pv_decl *whole;
    const char *prefix;
    VEC(const char *) bound;
} renaming;

static bool is_renamed_kind(pv_decl_kind k) { return k == PD_FUNC || k == PD_DEF || k == PD_PROC; }

static const char *pv_rename_prefixed(renaming *r, const char *name) {
    return arena_printf(r->f->memory, "%s_%s", r->prefix, name);
}

static const char *rename_use(renaming *r, const char *name) {
    for (uint32_t i = 0; i < r->bound.len; i++)
        if (str_same(r->bound.data[i], name)) return name;
    for (uint32_t i = 0; i < r->whole->ndecls; i++) {
        const pv_decl *d = r->whole->decls[i];
        if (is_renamed_kind(d->kind) && str_same(d->name, name)) return pv_rename_prefixed(r, name);
    }
    return name;
}

static uint32_t pv_rename_bind(renaming *r, pv_binders b) {
    uint32_t before = r->bound.len;
    for (uint32_t i = 0; i < b.len; i++) vec_push(&r->bound, b.data[i].name);
    return before;
}

static const pv_expr *rename_expr(renaming *r, const pv_expr *e) {
    if (!e) return NULL;
    pv_expr copy = *e;
    uint32_t before = pv_rename_bind(r, e->binders);
    const pv_expr **args = arena_alloc(r->f->memory, (e->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < e->nargs; i++) args[i] = rename_expr(r, e->args[i]);
    r->bound.len = before;
    copy.args = args;
    if (e->kind == PE_NAME && !e->member) copy.name = rename_use(r, e->name);
    return arena_copy(r->f->memory, &copy, sizeof copy);
}

static pv_stmts rename_stmts(renaming *r, pv_stmts list);

static const pv_stmt *rename_stmt(renaming *r, const pv_stmt *s) {
    pv_stmt copy = *s;
    uint32_t before = pv_rename_bind(r, s->binders);
    copy.target = rename_expr(r, s->target);
    copy.value = rename_expr(r, s->value);
    copy.cond = rename_expr(r, s->cond);
    copy.body = rename_stmts(r, s->body);
    copy.orelse = rename_stmts(r, s->orelse);
    r->bound.len = before;
    return arena_copy(r->f->memory, &copy, sizeof copy);
}

static pv_stmts rename_stmts(renaming *r, pv_stmts list) {
    const pv_stmt **all = arena_alloc(r->f->memory, (list.len + 1) * sizeof *all);
    for (uint32_t i = 0; i < list.len; i++) all[i] = rename_stmt(r, list.data[i]);
    return (pv_stmts){all, list.len};
}

static const pv_decl *rename_decl(renaming *r, const pv_decl *d) {
    pv_decl copy = *d;
    uint32_t before = pv_rename_bind(r, d->params);
    if (is_renamed_kind(d->kind)) copy.name = pv_rename_prefixed(r, d->name);
    copy.expr = rename_expr(r, d->expr);
    copy.body = rename_stmts(r, d->body);
    r->bound.len = before;
    return arena_copy(r->f->memory, &copy, sizeof copy);
}

const pv_decl *pv_rename_members(pv_front *f, const pv_decl *whole, const char *prefix) {
    renaming r = {.f = f, .whole = whole, .prefix = prefix};
    pv_decl copy = *whole;
    const pv_decl **decls = arena_alloc(f->memory, (whole->ndecls + 1) * sizeof *decls);
    for (uint32_t i = 0; i < whole->ndecls; i++) decls[i] = rename_decl(&r, whole->decls[i]);
    copy.decls = decls;
    vec_free(&r.bound);
    return arena_copy(f->memory, &copy, sizeof copy);
}
