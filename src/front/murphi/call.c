// SPDX-License-Identifier: Apache-2.0
// Functions and procedures, inlined at each call.
//
// Parameters are by reference, also those that are not `var` (they may not be written; with Rumur's semantics they
// are copied). An argument that is not a variable, or of another type, is put into a local first, except that a
// parameter of a rule or a loop, which no body changes, stands for itself. The locals of a function serve all its
// calls; the result is one of the call's own. A function that calls itself is inlined into itself, each time as a
// copy with locals of its own, up to a depth beyond which a call is a run-time error. Its body for a depth is
// made once (shared.c), however many calls lead there.
#include "front/murphi/lower.h"

enum {
    RECURSION_DEEPEST = 400,
    RECURSION_TEXT = 8000,
    RECURSION_COPIES = 4096,
    RECURSION_ONCE = 64,
    MOST_INLINED = 100000,
    MOST_NESTED = 100  // calls of others, beside those of recursive functions
};

// ---- recursion

static const murphi_node *function_named(lowering *l, const char *name) {
    symbol *s = murphi_find(l, name);
    return s && s->kind == SYMBOL_FUNCTION ? s->decl : NULL;
}

static const murphi_node *called_by(lowering *l, const murphi_node *n) {
    return n->kind == MX_CALL || n->kind == MS_CALL ? function_named(l, n->name) : NULL;
}

// Can one of the calls in n lead to one of `target`? `seen` has the functions that were looked at.
static bool leads_back(lowering *l, const murphi_node *n, const murphi_node *target, node_list *seen) {
    const murphi_node *called = n ? called_by(l, n) : NULL;
    bool is_new = called != NULL, found = called && called == target;
    for (uint32_t i = 0; i < seen->len; i++) is_new &= seen->data[i] != called;
    if (is_new) vec_push(seen, called);
    if (is_new && !found) found = leads_back(l, called->kids[1], target, seen);
    for (uint32_t i = 0; n && i < n->nkids && !found; i++) found = leads_back(l, n->kids[i], target, seen);
    return found;
}

bool murphi_is_recursive(lowering *l, const murphi_node *decl) {
    uint32_t known = map_get(l->recursive, &decl, sizeof decl, 0);
    if (known) return known == 2;
    node_list seen = {0};
    known = leads_back(l, decl->kids[1], decl, &seen) ? 2 : 1;
    vec_free(&seen);
    map_put(l->recursive, &decl, sizeof decl, known);
    return known == 2;
}

// How many calls in n can lead to one of `target`?
static uint32_t count_calls_back(lowering *l, const murphi_node *n, const murphi_node *target) {
    if (!n) return 0;
    const murphi_node *called = called_by(l, n);
    node_list seen = {0};
    uint32_t count = called && (called == target || leads_back(l, called->kids[1], target, &seen));
    vec_free(&seen);
    for (uint32_t i = 0; i < n->nkids; i++) count += count_calls_back(l, n->kids[i], target);
    return count;
}

static uint32_t count_nodes(const murphi_node *n) {
    uint32_t count = n != NULL;
    for (uint32_t i = 0; n && i < n->nkids; i++) count += count_nodes(n->kids[i]);
    return count;
}

// As deep as so much text reaches, with its calls: large functions less than small ones. Where bodies are not shared,
// several calls in one body multiply; the depth is never less than what is possible then. Kept in the declaration, as
// 1 + the depth.
static uint32_t deepest_recursion(lowering *l, murphi_node *decl) {
    if (decl->number) return (uint32_t)decl->number - 1;
    if (l->options->deepest_recursion) return l->options->deepest_recursion;
    uint32_t calls = count_calls_back(l, decl->kids[1], decl), least = 0;
    uint32_t depth = RECURSION_TEXT / (count_nodes(decl->kids[1]) * (calls ? calls : 1));
    for (uint64_t copies = calls; calls > 1 && copies <= RECURSION_COPIES; copies *= calls) least++;
    if (calls <= 1) least = RECURSION_ONCE;
    depth = depth < least ? least : depth > RECURSION_DEEPEST ? RECURSION_DEEPEST : depth;
    decl->number = 1 + depth;
    return depth;
}

static uint32_t deepest_nesting(const lowering *l) {
    uint32_t asked = l->options->deepest_recursion;
    return asked > RECURSION_DEEPEST ? asked : RECURSION_DEEPEST;
}

static murphi_node *copy_node(lowering *l, const murphi_node *n) {
    if (!n) return NULL;
    murphi_node *copy = arena_copy(l->m->memory, n, sizeof *n);
    copy->kids = arena_alloc(l->m->memory, (n->nkids + 1) * sizeof *copy->kids);
    for (uint32_t i = 0; i < n->nkids; i++) copy->kids[i] = copy_node(l, n->kids[i]);
    copy->funcs = NULL;
    copy->again = NULL;
    return copy;
}

static uint32_t calls_of(const lowering *l, const murphi_node *decl) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->calls.len; i++) n += l->calls.data[i] == decl;
    return n;
}

// The function for a call from within `depth` calls of it.
static murphi_node *copy_for(lowering *l, murphi_node *decl, uint32_t depth) {
    for (; depth > 0; depth--) {
        if (!decl->again) decl->again = copy_node(l, decl);
        decl = decl->again;
    }
    return decl;
}

static bool fail_too_deep(lowering *l, const murphi_node *n, const murphi_node *decl, uint32_t depth, place *result) {
    const murphi_type *ty = decl->kids[0] ? murphi_resolve(l, decl->kids[0], "") : NULL;
    const char *text = arena_printf(
        l->m->memory, "'%s' calls itself more than %u times over: --limit-recursion allows more", decl->name, depth);
    stmt *fail = model_fail(l->m, text, n->at);
    fail->is_limit = true;
    murphi_emit(l, fail);
    if (ty) *result = murphi_temp(l, ty, n->at);
    return !decl->kids[0] || ty;
}

// ---- arguments

// Where the copy of an argument lives. All calls of a function share one place for each parameter, unless an
// argument is a call in turn: that may be one of the same function, and would overwrite what was read before it.
static place copy_place(lowering *l, murphi_node *param, const murphi_type *ty, bool is_shared) {
    place p = {.ty = ty};
    if (!is_shared) p = murphi_temp(l, ty, param->at);
    else if (!param->funcs) param->funcs = murphi_leaves(l, ty, param->name, true, param->at);
    if (is_shared) p.funcs = param->funcs;
    p.is_constant = p.is_copy = true;
    return p;
}

static bool is_bound(const lowering *l, expr e, const murphi_type *ty) {
    return expr_kind_of(l->m, e) == E_VAR && type_same(expr_type(l->m, e), ty->simple);
}

// A place that is no reference was lowered already, with the calls in it.
static bool argument_by_value(lowering *l, murphi_node *param, const murphi_type *ty, const murphi_node *arg,
                              bool is_shared, murphi_argument *out) {
    bool is_place = out->p.ty && out->p.ty->shape == SHAPE_SIMPLE;
    expr e = is_place ? expr_at(l->m, murphi_read_place(l, &out->p), arg->at) : murphi_value(l, arg);
    if (!e.id) return false;
    if (ty->shape != SHAPE_SIMPLE) {
        murphi_error(l, arg->at, "parameter '%s' needs a variable", param->name);
        return false;
    }
    e = murphi_convert(l, e, ty->simple, arg->at);
    if (!e.id) return false;
    if (is_bound(l, e, ty)) {
        out->e = e;
        return true;
    }
    out->p = copy_place(l, param, ty, is_shared);
    out->is_value = true;
    murphi_write(l, &out->p, e, arg->at);
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

// CMurphi hands over the variable itself; Rumur a copy, which stays when the variable is written meanwhile.
static bool argument_by_reference(lowering *l, murphi_node *param, const murphi_node *arg, bool is_shared,
                                  murphi_argument *out) {
    place *p = &out->p;
    if (param->is_var && p->is_constant) murphi_error(l, arg->at, "this may not be changed here");
    murphi_freeze(l, p);
    if (param->is_var || l->options->copies_undefined) {
        p->is_constant |= !param->is_var;
        return true;
    }
    place from = *p;
    *p = copy_place(l, param, from.ty, is_shared);
    out->is_value = true;
    murphi_copy(l, p, &from, arg->at);
    return true;
}

static bool read_argument(lowering *l, murphi_node *param, const murphi_node *arg, bool is_shared,
                          murphi_argument *out) {
    place *p = &out->p;
    const murphi_type *ty = murphi_resolve(l, param->kids[0], "");
    uint32_t before = diag_errors(l->m->messages);
    if (!ty) return false;
    if (murphi_says_undefined(l, arg) && !param->is_var) {
        *p = copy_place(l, param, ty, is_shared);
        out->is_value = true;
        murphi_undefine(l, p, param->at);
        return true;
    }
    if (is_reference(l, arg, ty, p) && (param->is_var || !has_other_range(p, ty)))
        return argument_by_reference(l, param, arg, is_shared, out);
    if (diag_errors(l->m->messages) != before) return false;
    if (!param->is_var) return argument_by_value(l, param, ty, arg, is_shared, out);
    murphi_error(l, arg->at, "parameter '%s' is `var`: it needs a variable of its type", param->name);
    return false;
}

static bool read_arguments(lowering *l, const murphi_node *n, const murphi_node *decl, murphi_argument *out) {
    uint32_t nparams = decl->nkids - 3;
    if (n->nkids != nparams) {
        murphi_error(l, n->at, "'%s' takes %u arguments, not %u", n->name, nparams, n->nkids);
        return false;
    }
    bool ok = true, is_shared = true;
    for (uint32_t i = 0; i < nparams; i++) is_shared &= !n->kids[i]->has_call;
    for (uint32_t i = 0; i < nparams; i++) ok &= read_argument(l, decl->kids[3 + i], n->kids[i], is_shared, &out[i]);
    return ok;
}

// ---- the body

static void declare_argument(lowering *l, const murphi_node *param, const murphi_argument *a) {
    symbol bound = {.name = param->name, .kind = SYMBOL_VALUE, .at = param->at, .e = a->e, .is_argument = true};
    if (a->e.id) murphi_declare(l, bound);
    else murphi_declare_place(l, param->name, a->p, param->at);
}

void murphi_inline(lowering *l, const murphi_calling *with) {
    const murphi_node *decl = with->decl;
    uint32_t scope = l->names.len, floor = l->floor;
    l->floor = scope;
    vec_push(&l->calls, with->origin);
    for (uint32_t i = 3; i < decl->nkids; i++) {
        murphi_declare_literals(l, decl->kids[i]->kids[0]);
        declare_argument(l, decl->kids[i], &with->args[i - 3]);
    }
    murphi_body(l, decl->kids[2], decl->kids[1], with->f);
    l->calls.len--;
    murphi_leave(l, scope);
    l->floor = floor;
}

static void call_inline(lowering *l, const murphi_node *n, const murphi_calling *with, place *result) {
    frame *f = with->f;
    if (f->result_type) f->result = murphi_temp(l, f->result_type, n->at);
    if (f->result_type) murphi_undefine(l, &f->result, n->at);
    murphi_inline(l, with);
    if (f->result_type) *result = f->result;
}

// Every call is written out; somewhere there is an end.
static bool has_room(lowering *l, const murphi_node *n) {
    l->ninlined++;
    if (l->ninlined == MOST_INLINED) murphi_error(l, n->at, "calls lead to more than %u others", MOST_INLINED);
    uint32_t most = deepest_nesting(l) + MOST_NESTED;
    if (l->calls.len == most) murphi_error(l, n->at, "calls are nested more than %u deep", most);
    return l->ninlined < MOST_INLINED && l->calls.len < most;
}

bool murphi_call(lowering *l, const murphi_node *n, place *result) {
    symbol *s = murphi_find(l, n->name);
    *result = (place){0};
    if (!s || s->kind != SYMBOL_FUNCTION) {
        if (!s) murphi_unknown(l, "function", n->name, n->at);
        else murphi_error(l, n->at, "'%s' is not a function", n->name);
        return false;
    }
    if (!l->out) {
        murphi_error(l, n->at, "no function can be called here");
        return false;
    }
    murphi_node *decl = (murphi_node *)s->decl;
    const murphi_node *origin = decl;
    uint32_t depth = calls_of(l, decl);
    if (depth && (depth > deepest_recursion(l, decl) || l->calls.len > deepest_nesting(l)))
        return fail_too_deep(l, n, decl, depth - 1, result);
    decl = copy_for(l, decl, depth);
    if (!has_room(l, n)) return false;
    frame f = {.is_function = true};
    if (decl->kids[0] && !(f.result_type = murphi_resolve(l, decl->kids[0], ""))) return false;
    murphi_argument *args = mem_zero(decl->nkids, sizeof *args);
    murphi_calling with = {origin, decl, args, decl->nkids - 3, &f};
    uint32_t errors = diag_errors(l->m->messages);
    bool is_summed = murphi_call_summed(l, n, &with, result);
    bool ok = is_summed || (diag_errors(l->m->messages) == errors && read_arguments(l, n, decl, args));
    if (ok && !is_summed && !(murphi_is_heavy(l, origin) && murphi_call_shared(l, n, &with, result)))
        call_inline(l, n, &with, result);
    free(args);
    return ok;
}
