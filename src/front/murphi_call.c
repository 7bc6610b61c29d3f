// SPDX-License-Identifier: Apache-2.0
// Functions and procedures, inlined at each call.
//
// Parameters are by reference, also those that are not `var` (they may not be written); an argument that is
// no variable, or of another type, is put into a local first. The locals of a function serve all its calls,
// since functions that call themselves are refused; only the result is one of the call's own.
#include "front/murphi_lower.h"

static bool is_being_called(const lowering *l, const murphi_node *decl) {
    for (uint32_t i = 0; i < l->calls.len; i++)
        if (l->calls.data[i] == decl) return true;
    return l->calls.len >= MURPHI_MOST_CALLS;
}

// ---- arguments

static bool undefined_argument(lowering *l, murphi_node *param, const murphi_type *ty, place *out) {
    if (!param->funcs) param->funcs = murphi_leaves(l, ty, param->name, true, param->at);
    *out = (place){.ty = ty, .funcs = param->funcs, .is_constant = true};
    murphi_undefine(l, out, param->at);
    return true;
}

static bool argument_by_value(lowering *l, murphi_node *param, const murphi_type *ty, const murphi_node *arg,
                              place *out) {
    expr e = murphi_value(l, arg);
    if (!e.id) return false;
    if (ty->shape != SHAPE_SIMPLE) {
        murphi_error(l, arg->at, "parameter '%s' needs a variable", param->name);
        return false;
    }
    e = murphi_convert(l, e, ty->simple, arg->at);
    if (!e.id) return false;
    if (!param->funcs) param->funcs = murphi_leaves(l, ty, param->name, true, param->at);
    *out = (place){.ty = ty, .funcs = param->funcs, .is_constant = true};
    murphi_write(l, out, e, arg->at);
    return true;
}

static bool is_reference(lowering *l, const murphi_node *arg, const murphi_type *ty, place *p) {
    bool is_call = arg->kind == MX_CALL && ty->shape != SHAPE_SIMPLE;
    if (!is_call && !murphi_is_place(l, arg)) return false;
    return murphi_place(l, arg, p) && murphi_same_shape(l, p->ty, ty);
}

// A number of another range is copied, so that its range is checked.
static bool has_other_range(const place *p, const murphi_type *ty) {
    return ty->shape == SHAPE_SIMPLE && !type_same(p->ty->simple, ty->simple);
}

static bool argument(lowering *l, murphi_node *param, const murphi_node *arg, place *out) {
    const murphi_type *ty = murphi_resolve(l, param->kids[0], "");
    uint32_t before = diag_errors(l->m->messages);
    if (!ty) return false;
    if (murphi_says_undefined(l, arg) && !param->is_var) return undefined_argument(l, param, ty, out);
    if (is_reference(l, arg, ty, out) && (param->is_var || !has_other_range(out, ty))) {
        if (param->is_var && out->is_constant) murphi_error(l, arg->at, "this may not be changed here");
        murphi_freeze(l, out);
        out->is_constant |= !param->is_var;
        return true;
    }
    if (diag_errors(l->m->messages) != before) return false;
    if (!param->is_var) return argument_by_value(l, param, ty, arg, out);
    murphi_error(l, arg->at, "parameter '%s' is `var`: it needs a variable of its type", param->name);
    return false;
}

static bool arguments(lowering *l, const murphi_node *n, const murphi_node *decl, place *out) {
    uint32_t nparams = decl->nkids - 3;
    if (n->nkids != nparams) {
        murphi_error(l, n->at, "'%s' takes %u arguments, not %u", n->name, nparams, n->nkids);
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; i < nparams; i++) ok &= argument(l, decl->kids[3 + i], n->kids[i], &out[i]);
    return ok;
}

// ---- the body

static void inline_body(lowering *l, murphi_node *decl, const place *args, frame *f) {
    uint32_t scope = l->names.len, floor = l->floor;
    l->floor = scope;
    vec_push(&l->calls, decl);
    for (uint32_t i = 3; i < decl->nkids; i++) {
        murphi_declare_literals(l, decl->kids[i]->kids[0]);
        murphi_declare_place(l, decl->kids[i]->name, args[i - 3], decl->kids[i]->at);
    }
    murphi_body(l, decl->kids[2], decl->kids[1], f);
    l->calls.len--;
    l->names.len = scope;
    l->floor = floor;
}

bool murphi_call(lowering *l, const murphi_node *n, place *result) {
    symbol *s = murphi_find(l, n->name);
    *result = (place){0};
    if (!s || s->kind != SYMBOL_FUNCTION) {
        if (!s) murphi_unknown(l, "function", n->name, n->at);
        else murphi_error(l, n->at, "'%s' is no function", n->name);
        return false;
    }
    murphi_node *decl = (murphi_node *)s->decl;
    if (is_being_called(l, decl)) {
        murphi_error(l, n->at, "'%s' calls itself: recursion is not supported", n->name);
        return false;
    }
    frame f = {.is_function = true};
    if (decl->kids[0] && !(f.result_type = murphi_resolve(l, decl->kids[0], ""))) return false;
    place *args = mem_zero(decl->nkids, sizeof *args);
    bool ok = arguments(l, n, decl, args);
    if (ok && f.result_type) f.result = murphi_temp(l, f.result_type, n->at);
    if (ok && f.result_type) murphi_undefine(l, &f.result, n->at);
    if (ok) inline_body(l, decl, args, &f);
    if (ok && f.result_type) *result = f.result;
    free(args);
    return ok;
}
