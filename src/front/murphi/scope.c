// SPDX-License-Identifier: Apache-2.0
// Names: a stack, of which the globals and what lies above `floor` are visible. The floor is raised while a
// function is inlined, which sees nothing of its caller. A table leads from a name to its last symbol, each symbol to
// the one of that name before it.
#include "front/murphi/lower.h"
#include "model/real.h"

symbol *murphi_find(lowering *l, const char *name) {
    for (uint32_t i = map_get_str(l->last_of, name, 0); i; i = l->names.data[i - 1].shadows)
        if (i > l->floor || i <= l->nglobals) return &l->names.data[i - 1];
    return NULL;
}

void murphi_unknown(lowering *l, const char *what, const char *name, span at) {
    VEC(const char *) known = {0};
    for (uint32_t i = 0; i < l->names.len; i++)
        if (i < l->nglobals || i >= l->floor) vec_push(&known, l->names.data[i].name);
    diag_unknown(l->m->messages, at, what, name, known.data, known.len);
    vec_free(&known);
}

bool murphi_is_known(lowering *l, const murphi_node *d) {
    const symbol *s = murphi_find(l, d->name);
    if (!s) return false;
    murphi_error(l, d->at, "'%s' is declared twice", d->name);
    diag_note(l->m->messages, s->at, "here first");
    return true;
}

void murphi_declare(lowering *l, symbol s) {
    s.shadows = map_get_str(l->last_of, s.name, 0);
    vec_push(&l->names, s);
    map_put_str(l->last_of, s.name, l->names.len);
}

void murphi_leave(lowering *l, uint32_t scope) {
    for (; l->names.len > scope; l->names.len--)
        map_put_str(l->last_of, vec_last(&l->names).name, vec_last(&l->names).shadows);
}

void murphi_declare_value(lowering *l, const char *name, expr e, span at) {
    murphi_declare(l, (symbol){.name = name, .kind = SYMBOL_VALUE, .at = at, .e = e});
}

void murphi_declare_place(lowering *l, const char *name, place p, span at) {
    murphi_declare(l, (symbol){.name = name, .kind = SYMBOL_PLACE, .at = at, .p = p});
}

static bool is_type(const murphi_node *n) { return n->kind <= MT_REAL || n->kind == MD_VAR; }

static void murphi_declare_literal(lowering *l, const murphi_node *n, expr e) {
    symbol *s = l->is_declaring ? murphi_find(l, n->name) : NULL;
    if (s && s->kind == SYMBOL_VALUE && expr_same(s->e, e)) return;
    if (l->is_declaring) murphi_is_known(l, n);
    murphi_declare_value(l, n->name, e, n->at);
}

void murphi_declare_literals(lowering *l, murphi_node *n) {
    if (!n || !is_type(n)) return;
    const murphi_type *ty = n->memo;
    for (uint32_t i = 0; i < n->nkids; i++) {
        if (n->kind != MT_ENUM) murphi_declare_literals(l, n->kids[i]);
        else if (ty) murphi_declare_literal(l, n->kids[i], expr_const(l->m, ty->simple, (value)i));
    }
}

// ---- declarations of a body

void murphi_declare_const(lowering *l, const murphi_node *d, expr e) {
    if (e.id && !expr_is_const(l->m, e, NULL) && !real_is_literal(l->m, e))
        murphi_error(l, d->kids[0]->at, "this is not constant");
    else if (e.id) murphi_declare_value(l, d->name, e, d->at);
}

void murphi_declare_type(lowering *l, const murphi_node *d) {
    const murphi_type *ty = murphi_resolve(l, d->kids[0], d->name);
    murphi_declare_literals(l, d->kids[0]);
    murphi_declare(l, (symbol){.name = d->name, .kind = SYMBOL_TYPE, .at = d->at, .ty = ty});
}

static void murphi_declare_local(lowering *l, murphi_node *d) {
    const murphi_type *ty = murphi_resolve(l, d->kids[0], "");
    murphi_declare_literals(l, d->kids[0]);
    if (!ty) return;
    if (!d->funcs) d->funcs = murphi_leaves(l, ty, d->name, true, d->at);
    murphi_declare_place(l, d->name, (place){.ty = ty, .funcs = d->funcs}, d->at);
}

void murphi_declare_locals(lowering *l, const murphi_node *locals) {
    for (uint32_t i = 0; i < locals->nkids; i++) {
        murphi_node *d = locals->kids[i];
        if (d->kind == MD_CONST) murphi_declare_const(l, d, murphi_value(l, d->kids[0]));
        else if (d->kind == MD_TYPE) murphi_declare_type(l, d);
        else murphi_declare_local(l, d);
    }
}
