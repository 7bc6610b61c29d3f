// SPDX-License-Identifier: Apache-2.0
// Names and sorts of `.pyv`, and the model that a file describes.
//
// Two walks over each formula: the first resolves names and finds the sorts of variables by unification, the second
// builds the expression. A free name without a lowercase letter is a variable, universally bound around its whole
// declaration. Definitions are expanded where they are used, since they may speak of two states.
#include "front/pyv/internal.h"
#include "front/source.h"
#include "model/expr.h"
#include "model/walk.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

typedef struct {
    const var *params;
    uint32_t nparams;
    expr body;  // over E_APP and E_NEXT
} definition;

typedef struct {
    model *m;
    pyv_file *file;
    sys system;
    map *sorts, *funcs, *defs;  // by name: type id, func id, index + 1
    map *params;                // of definitions, by sort and name: the variable
    VEC(definition) definitions;
    VEC(pyv_binder *) scope;
    VEC(pyv_binder *) closed;   // free variables of the declaration, bound around it
    bool modified_means_after;  // in a transition of the older dialect
    bool is_after;              // inside new(…)
    const pyv_decl *decl;
    bool failed;
} lowering;

#define ERROR(l, ...) ((l)->failed = true, diag_error((l)->m->messages, __VA_ARGS__))

// ---- unification of sorts

static pyv_sort *new_sort(lowering *l, type ty) {
    pyv_sort *s = arena_alloc(l->m->memory, sizeof *s);
    s->ty = ty;
    return s;
}

static pyv_sort *root(pyv_sort *s) {
    while (s->same) s = s->same;
    return s;
}

static const char *sort_text(const lowering *l, pyv_sort *s) {
    type ty = root(s)->ty;
    return ty.id ? type_of(l->m, ty)->name : "?";
}

static void unify(lowering *l, pyv_sort *a, pyv_sort *b, span at) {
    pyv_sort *x = root(a), *y = root(b);
    if (x == y) return;
    if (x->ty.id && y->ty.id) {
        if (!type_same(x->ty, y->ty))
            ERROR(l, at, "this has sort %s where sort %s is expected", sort_text(l, a), sort_text(l, b));
        return;
    }
    if (x->ty.id) y->same = x;
    else x->same = y;
}

// ---- names

static pyv_binder *find_bound(const lowering *l, const char *name) {
    for (uint32_t i = l->scope.len; i-- > 0;)
        if (strcmp(l->scope.data[i]->name, name) == 0) return l->scope.data[i];
    for (uint32_t i = 0; i < l->closed.len; i++)
        if (strcmp(l->closed.data[i]->name, name) == 0) return l->closed.data[i];
    return NULL;
}

static bool is_variable_name(const char *name) {
    for (const char *c = name; *c; c++)
        if (islower((unsigned char)*c)) return false;
    return true;
}

typedef VEC(const char *) name_list;

static void add_keys(const map *names, name_list *out) {
    for (uint32_t i = 0; i < map_count(names); i++) vec_push(out, (const char *)map_key(names, i, NULL));
}

static void pyv_unknown(lowering *l, span at, const char *what, const char *name, name_list *known) {
    l->failed = true;
    diag_unknown(l->m->messages, at, what, name, known->data, known->len);
    vec_free(known);
}

static type find_sort(lowering *l, const char *name, span at) {
    if (strcmp(name, "bool") == 0) return l->m->bool_type;
    type found = {map_get_str(l->sorts, name, 0)};
    name_list names = {0};
    if (found.id) return found;
    if (strcmp(name, "int") == 0) {
        ERROR(l, at, "the sort int is not supported: only uninterpreted sorts are");
        return found;
    }
    add_keys(l->sorts, &names);
    pyv_unknown(l, at, "sort", name, &names);
    return found;
}

static void pyv_lower_unknown_name(lowering *l, const pyv_ast *a) {
    name_list names = {0};
    add_keys(l->funcs, &names);
    add_keys(l->defs, &names);
    for (uint32_t i = 0; i < l->scope.len; i++) vec_push(&names, l->scope.data[i]->name);
    pyv_unknown(l, a->at, "name", a->name, &names);
}

static void pyv_lower_enter(lowering *l, pyv_binder *b) {
    if (!b->sort) b->sort = new_sort(l, b->sort_name ? find_sort(l, b->sort_name, b->sort_at) : (type){0});
    vec_push(&l->scope, b);
}

// ---- first walk: sorts

static pyv_sort *infer(lowering *l, pyv_ast *a);

static void infer_as(lowering *l, pyv_ast *a, pyv_sort *wanted) { unify(l, infer(l, a), wanted, a->at); }

static pyv_sort *bool_sort(lowering *l) { return new_sort(l, l->m->bool_type); }

static pyv_sort *infer_bool_args(lowering *l, pyv_ast *a) {
    for (uint32_t i = 0; i < a->nargs; i++) infer_as(l, a->args[i], bool_sort(l));
    return bool_sort(l);
}

static pyv_sort *infer_same_args(lowering *l, pyv_ast *a) {
    pyv_sort *s = new_sort(l, (type){0});
    for (uint32_t i = 0; i < a->nargs; i++) infer_as(l, a->args[i], s);
    return bool_sort(l);
}

static bool right_count(lowering *l, const pyv_ast *a, uint32_t wanted) {
    if (a->nargs == wanted) return true;
    ERROR(l, a->at, "'%s' takes %u argument%s, not %u", a->name, wanted, wanted == 1 ? "" : "s", a->nargs);
    return false;
}

// Does it speak of the next state where it stands? There is none after that.
static bool is_after(lowering *l, const pyv_ast *a, bool is_two_state) {
    if (a->primes + l->is_after + is_two_state > 1) ERROR(l, a->at, "there is no state after the next one");
    return a->primes || l->is_after;
}

static pyv_sort *infer_func(lowering *l, pyv_ast *a, func f) {
    func_info info = *func_of(l->m, f);
    if (right_count(l, a, info.nargs))
        for (uint32_t i = 0; i < a->nargs; i++) infer_as(l, a->args[i], new_sort(l, info.args[i]));
    if (a->primes && info.is_rigid) ERROR(l, a->at, "'%s' is immutable: it has no next value", a->name);
    is_after(l, a, false);
    return new_sort(l, info.result);
}

static pyv_sort *infer_def(lowering *l, pyv_ast *a, const definition *d) {
    if (right_count(l, a, d->nparams))
        for (uint32_t i = 0; i < a->nargs; i++) infer_as(l, a->args[i], new_sort(l, var_of(l->m, d->params[i])->ty));
    is_after(l, a, expr_of(l->m, d->body)->has_next);
    return new_sort(l, expr_type(l->m, d->body));
}

static pyv_sort *infer_variable(lowering *l, pyv_ast *a, pyv_binder *b) {
    a->bound = b;
    if (a->nargs) ERROR(l, a->at, "'%s' is a variable and takes no arguments", a->name);
    if (a->primes) ERROR(l, a->at, "'%s' is a variable: it has no next value", a->name);
    return b->sort;
}

static pyv_binder *pyv_lower_close_over(lowering *l, const pyv_ast *a) {
    pyv_binder *b = arena_alloc(l->m->memory, sizeof *b);
    *b = (pyv_binder){.name = a->name, .at = a->at, .sort = new_sort(l, (type){0})};
    vec_push(&l->closed, b);
    return b;
}

static pyv_sort *infer_name(lowering *l, pyv_ast *a) {
    pyv_binder *b = find_bound(l, a->name);
    if (b) return infer_variable(l, a, b);
    uint32_t f = map_get_str(l->funcs, a->name, 0);
    if (f) return infer_func(l, a, (func){f});
    uint32_t d = map_get_str(l->defs, a->name, 0);
    if (d) return infer_def(l, a, &l->definitions.data[d - 1]);
    if (is_variable_name(a->name) && !a->nargs) return infer_variable(l, a, pyv_lower_close_over(l, a));
    pyv_lower_unknown_name(l, a);
    for (uint32_t i = 0; i < a->nargs; i++) infer(l, a->args[i]);
    return new_sort(l, (type){0});
}

static pyv_sort *infer_quantifier(lowering *l, pyv_ast *a) {
    for (uint32_t i = 0; i < a->nbinders; i++) pyv_lower_enter(l, a->binders[i]);
    infer_as(l, a->args[0], bool_sort(l));
    l->scope.len -= a->nbinders;
    return bool_sort(l);
}

static pyv_sort *infer_let(lowering *l, pyv_ast *a) {
    pyv_sort *is = infer(l, a->args[0]);
    pyv_lower_enter(l, a->binders[0]);
    unify(l, is, a->binders[0]->sort, a->args[0]->at);
    pyv_sort *s = infer(l, a->args[1]);
    l->scope.len--;
    return s;
}

// new(e), old(e)
static pyv_sort *infer_state(lowering *l, pyv_ast *a) {
    bool saved = l->is_after;
    if (a->kind == P_NEW && saved) ERROR(l, a->at, "there is no state after the next one");
    l->is_after = a->kind == P_NEW;
    pyv_sort *s = infer(l, a->args[0]);
    l->is_after = saved;
    return s;
}

static pyv_sort *infer_node(lowering *l, pyv_ast *a) {
    switch (a->kind) {
    case P_NAME: return infer_name(l, a);
    case P_TRUE:
    case P_FALSE: return bool_sort(l);
    case P_NEW:
    case P_OLD: return infer_state(l, a);
    case P_NOT:
    case P_AND:
    case P_OR:
    case P_IMPLIES:
    case P_IFF: return infer_bool_args(l, a);
    case P_EQ:
    case P_NEQ:
    case P_DISTINCT: return infer_same_args(l, a);
    case P_FORALL:
    case P_EXISTS: return infer_quantifier(l, a);
    case P_LET: return infer_let(l, a);
    case P_ITE: {
        infer_as(l, a->args[0], bool_sort(l));
        pyv_sort *s = infer(l, a->args[1]);
        infer_as(l, a->args[2], s);
        return s;
    }
    case P_NUMBER:
    case P_ARITH:
    case P_COMPARE: ERROR(l, a->at, "arithmetic is not supported: sorts are uninterpreted"); return bool_sort(l);
    }
    return bool_sort(l);
}

static pyv_sort *infer(lowering *l, pyv_ast *a) { return a->sort = infer_node(l, a); }

// ---- second walk: expressions

static bool make_var(lowering *l, pyv_binder *b) {
    type ty = root(b->sort)->ty;
    if (!ty.id) {
        ERROR(l, b->at, "the sort of '%s' cannot be told from its uses: write '%s: SORT'", b->name, b->name);
        return false;
    }
    if (!b->v.id) b->v = model_add_var(l->m, b->name, ty, b->at);
    return true;
}

static expr pyv_lower_build(lowering *l, const pyv_ast *a);

static const expr *build_args(lowering *l, const pyv_ast *a) {
    expr *args = arena_alloc(l->m->memory, (a->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < a->nargs; i++) args[i] = pyv_lower_build(l, a->args[i]);
    return args;
}

// Every mutable function of a formula in the state after.
static expr shift_visit(model *m, expr e, void *context) {
    (void)context;
    expr_info x = *expr_of(m, e);
    if (x.kind != E_APP || func_of(m, (func){x.ref})->is_rigid) return e;
    return expr_next(m, (func){x.ref}, x.args);
}

static bool is_modified(const lowering *l, const char *name) {
    for (uint32_t i = 0; i < l->decl->nmodifies; i++)
        if (strcmp(l->decl->modifies[i].name, name) == 0) return true;
    return false;
}

static expr build_func(lowering *l, const pyv_ast *a, func f) {
    const expr *args = build_args(l, a);
    bool after = is_after(l, a, false) || (l->modified_means_after && is_modified(l, a->name));
    return after && !func_of(l->m, f)->is_rigid ? expr_next(l->m, f, args) : expr_app(l->m, f, args);
}

static expr build_def(lowering *l, const pyv_ast *a, const definition *d) {
    const expr *args = build_args(l, a);
    expr body = is_after(l, a, false) ? expr_rewrite(l->m, d->body, shift_visit, NULL) : d->body;
    bool is_same = true;
    for (uint32_t i = 0; i < d->nparams; i++) is_same &= expr_same(args[i], expr_var(l->m, d->params[i]));
    return is_same ? body : expr_subst(l->m, body, d->params, args, d->nparams);
}

static expr build_name(lowering *l, const pyv_ast *a) {
    if (a->bound) return a->bound->stands_for.id ? a->bound->stands_for : expr_var(l->m, a->bound->v);
    uint32_t f = map_get_str(l->funcs, a->name, 0);
    if (f) return build_func(l, a, (func){f});
    return build_def(l, a, &l->definitions.data[map_get_str(l->defs, a->name, 0) - 1]);
}

static expr build_quantifier(lowering *l, const pyv_ast *a) {
    var *vars = arena_alloc(l->m->memory, (a->nbinders + 1) * sizeof *vars);
    for (uint32_t i = 0; i < a->nbinders; i++) {
        if (!make_var(l, a->binders[i])) return l->m->true_expr;
        vars[i] = a->binders[i]->v;
    }
    expr body = pyv_lower_build(l, a->args[0]);
    return a->kind == P_FORALL ? expr_forall(l->m, vars, a->nbinders, body)
                               : expr_exists(l->m, vars, a->nbinders, body);
}

static expr build_distinct(lowering *l, const expr *args, uint32_t n) {
    expr_list all = {0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) vec_push(&all, expr_not(l->m, expr_eq(l->m, args[i], args[k])));
    expr e = expr_and_all(l->m, all.data, all.len);
    vec_free(&all);
    return e;
}

// A variable of a `let` keeps the value that it has where it is bound: new(e) does not reach into it.
static expr build_state(lowering *l, const pyv_ast *a) {
    bool after = l->is_after, modified = l->modified_means_after;
    l->is_after = a->kind == P_NEW;
    if (a->kind == P_OLD) l->modified_means_after = false;
    expr e = pyv_lower_build(l, a->args[0]);
    l->is_after = after;
    l->modified_means_after = modified;
    return e;
}

static expr build_let(lowering *l, const pyv_ast *a) {
    a->binders[0]->stands_for = pyv_lower_build(l, a->args[0]);
    return pyv_lower_build(l, a->args[1]);
}

static expr build_connective(lowering *l, const pyv_ast *a) {
    model *m = l->m;
    const expr *x = build_args(l, a);
    switch (a->kind) {
    case P_NOT: return expr_not(m, x[0]);
    case P_AND: return expr_and_all(m, x, a->nargs);
    case P_OR: return expr_or_all(m, x, a->nargs);
    case P_DISTINCT: return build_distinct(l, x, a->nargs);
    case P_ITE: return expr_ite(m, x[0], x[1], x[2]);
    case P_IMPLIES: return expr_implies(m, x[0], x[1]);
    case P_NEQ: return expr_not(m, expr_eq(m, x[0], x[1]));
    default: return expr_eq(m, x[0], x[1]);
    }
}

static expr build_node(lowering *l, const pyv_ast *a) {
    switch (a->kind) {
    case P_NAME: return build_name(l, a);
    case P_TRUE: return l->m->true_expr;
    case P_FALSE: return l->m->false_expr;
    case P_NEW:
    case P_OLD: return build_state(l, a);
    case P_FORALL:
    case P_EXISTS: return build_quantifier(l, a);
    case P_LET: return build_let(l, a);
    default: return build_connective(l, a);
    }
}

static expr pyv_lower_build(lowering *l, const pyv_ast *a) {
    if (l->failed) return l->m->true_expr;
    return expr_at(l->m, build_node(l, a), a->at);
}

// ---- a declaration's formula

static bool make_params(lowering *l, pyv_binder *const *params, uint32_t n) {
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) ok &= make_var(l, params[i]);
    return ok;
}

// Definitions share the variables of parameters with the same name and sort: one that hands its parameters on to
// another has the other's body as it is, and many that use each other cost as much as their text.
static void share_params(lowering *l, const pyv_decl *d) {
    for (uint32_t i = 0; i < d->nparams; i++) {
        pyv_binder *b = d->params[i];
        type ty = root(b->sort)->ty;
        bool is_twice = false;
        for (uint32_t k = 0; k < i; k++) is_twice |= str_same(d->params[k]->name, b->name);
        if (!ty.id || b->v.id || is_twice) continue;
        const char *key = arena_printf(l->m->memory, "%u %s", ty.id, b->name);
        b->v.id = map_get_str(l->params, key, 0);
        if (!b->v.id && make_var(l, b)) map_put_str(l->params, key, b->v.id);
    }
}

// The formula with its free variables bound around it; parameters stay free.
static expr pyv_lower_formula(lowering *l, const pyv_decl *d) {
    l->decl = d;
    l->closed.len = l->scope.len = 0;
    bool failed = l->failed;
    l->failed = false;
    for (uint32_t i = 0; i < d->nparams; i++) pyv_lower_enter(l, d->params[i]);
    infer_as(l, d->body, bool_sort(l));
    if (d->kind == D_DEFINITION) share_params(l, d);
    expr e = l->m->true_expr;
    if (!l->failed && make_params(l, d->params, d->nparams) && make_params(l, l->closed.data, l->closed.len)) {
        e = pyv_lower_build(l, d->body);
        for (uint32_t i = l->closed.len; i-- > 0;) e = expr_forall(l->m, &l->closed.data[i]->v, 1, e);
    }
    l->failed |= failed;
    return e;
}

static const var *param_vars(lowering *l, const pyv_decl *d) {
    var *vars = arena_alloc(l->m->memory, (d->nparams + 1) * sizeof *vars);
    for (uint32_t i = 0; i < d->nparams; i++) vars[i] = d->params[i]->v;
    return vars;
}

static bool mentions_mutable(const model *m, expr e) {
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w))
        if (w.x->kind == E_NEXT || (w.x->kind == E_APP && !func_of(m, (func){w.x->ref})->is_rigid))
            return walk_found(&w);
    return false;
}

// ---- declarations

static void pyv_lower_add_sort(lowering *l, const pyv_decl *d) {
    type_info info = {.kind = TYPE_SORT, .name = d->name.name, .at = d->name.at};
    if (map_get_str(l->sorts, info.name, 0)) ERROR(l, info.at, "sort '%s' is declared twice", info.name);
    else map_put_str(l->sorts, info.name, model_add_type(l->m, info).id);
}

static bool pyv_lower_is_new_name(lowering *l, pyv_name n) {
    if (!map_get_str(l->funcs, n.name, 0) && !map_get_str(l->defs, n.name, 0)) return true;
    return ERROR(l, n.at, "'%s' is declared twice", n.name);
}

static void pyv_lower_add_symbol(lowering *l, const pyv_decl *d) {
    if (!pyv_lower_is_new_name(l, d->name)) return;
    VEC(type) args = {0};
    for (uint32_t i = 0; i < d->nsorts; i++) vec_push(&args, find_sort(l, d->sorts[i].name, d->sorts[i].at));
    if (args.len > MODEL_MOST_ARGS) ERROR(l, d->name.at, "more than %d arguments", MODEL_MOST_ARGS);
    type result = d->kind == D_RELATION ? l->m->bool_type : find_sort(l, d->result.name, d->result.at);
    if (!l->failed) {
        func_info f = {.name = d->name.name,
                       .at = d->name.at,
                       .args = args.data,
                       .nargs = args.len,
                       .result = result,
                       .is_rigid = !d->is_mutable,
                       .starts_any = !d->is_mutable,
                       .owner = l->system};
        map_put_str(l->funcs, d->name.name, model_add_func(l->m, f).id);
    }
    vec_free(&args);
}

static void pyv_define(lowering *l, const char *name, definition d) {
    vec_push(&l->definitions, d);
    map_put_str(l->defs, name, l->definitions.len);
}

static void pyv_lower_add_definition(lowering *l, const pyv_decl *d) {
    if (!pyv_lower_is_new_name(l, d->name)) return;
    expr body = pyv_lower_formula(l, d);
    if (d->states < 2 && expr_of(l->m, body)->has_next)
        ERROR(l, d->at, "definition '%s' speaks of the next state: say `twostate definition`", d->name.name);
    pyv_define(l, d->name.name, (definition){param_vars(l, d), d->nparams, body});
}

// R(X, Y) and the e that it is: the variables are distinct and all that e has, and e does not speak of R.
static bool is_definition(lowering *l, func f, expr head, expr body) {
    const expr_info *x = expr_of(l->m, head);
    bool fits = x->kind == E_APP && x->ref == f.id && !expr_of(l->m, body)->has_next && !expr_reads(l->m, body, f);
    for (uint32_t i = 0; fits && i < x->nargs; i++) {
        fits = expr_kind_of(l->m, x->args[i]) == E_VAR;
        for (uint32_t k = 0; k < i; k++) fits &= !expr_same(x->args[i], x->args[k]);
    }
    var_set frees = expr_frees(l->m, body);
    for (uint32_t i = 0; fits && i < frees.n; i++) fits = expr_has_var(l->m, head, frees.vars[i]);
    return fits;
}

// derived relation R(s): forall X. R(X) <-> e becomes a definition; any other form would be a constraint on states.
static void add_derived(lowering *l, const pyv_decl *d) {
    pyv_lower_add_symbol(l, d);
    if (l->failed) return;
    func f = {map_get_str(l->funcs, d->name.name, 0)};
    expr e = pyv_lower_formula(l, d);
    if (l->failed) return;
    while (expr_kind_of(l->m, e) == E_FORALL) e = expr_arg(l->m, e, 0);
    expr_info x = *expr_of(l->m, e);
    bool is_left = x.kind == E_EQ && is_definition(l, f, x.args[0], x.args[1]);
    if (!is_left && (x.kind != E_EQ || !is_definition(l, f, x.args[1], x.args[0]))) {
        ERROR(l, d->body->at, "a derived relation needs the form `forall X. %s(X) <-> e`", d->name.name);
        return;
    }
    const expr_info *head = expr_of(l->m, x.args[!is_left]);
    var *params = arena_alloc(l->m->memory, (head->nargs + 1) * sizeof *params);
    for (uint32_t i = 0; i < head->nargs; i++) params[i] = (var){expr_of(l->m, head->args[i])->ref};
    // The name now means the definition; the function was needed to read the formula and leaves the system.
    pyv_define(l, d->name.name, (definition){params, head->nargs, x.args[is_left]});
    map_put_str(l->funcs, d->name.name, 0);
    sys_of(l->m, l->system)->funcs.len--;
}

// A named formula, or a transition, may be used by its name in later formulas.
static void name_formula(lowering *l, const pyv_decl *d, expr e) {
    if (d->name.name[0] && !l->failed && pyv_lower_is_new_name(l, d->name))
        pyv_define(l, d->name.name, (definition){param_vars(l, d), d->nparams, e});
}

static void one_state_only(lowering *l, const pyv_decl *d, expr e) {
    if (expr_of(l->m, e)->has_next) ERROR(l, d->body->at, "the next state has no place here");
}

static const char *pyv_lower_given_name(lowering *l, const pyv_decl *d, const char *stem, uint32_t before) {
    return d->name.name[0] ? d->name.name : arena_printf(l->m->memory, "%s%u", stem, before + 1);
}

static void add_safety(lowering *l, const pyv_decl *d, expr e) {
    sys_info *s = sys_of(l->m, l->system);
    prop_info info = {.kind = PROP_INVARIANT, .at = d->at, .system = l->system, .cond = e};
    info.name = pyv_lower_given_name(l, d, "safety", s->invariants.len);
    vec_push(&s->invariants, model_add_prop(l->m, info));
}

#define ADD_FACT(list, stem)                                                         \
    do {                                                                             \
        named_expr fact = {pyv_lower_given_name(l, d, stem, s->list.len), e, d->at}; \
        vec_push(&s->list, fact);                                                    \
    } while (0)

static void pyv_add_fact(lowering *l, const pyv_decl *d) {
    expr e = pyv_lower_formula(l, d);
    sys_info *s = sys_of(l->m, l->system);
    if (d->states < 2) one_state_only(l, d, e);
    if (d->kind == D_AXIOM && mentions_mutable(l->m, e))
        ERROR(l, d->body->at, "an axiom may only speak of immutable symbols");
    if (d->kind == D_AXIOM) ADD_FACT(axioms, "axiom");
    else if (d->kind == D_INVARIANT) ADD_FACT(lemmas, "invariant");
    else if (d->kind == D_THEOREM) ADD_FACT(theorems, "theorem");
    else add_safety(l, d, e);
    if (d->kind != D_THEOREM) name_formula(l, d, e);
}

// ---- transitions and initial states

static bool find_modified(lowering *l, const pyv_decl *d, func_list *out) {
    for (uint32_t i = 0; i < d->nmodifies; i++) {
        uint32_t f = map_get_str(l->funcs, d->modifies[i].name, 0);
        bool is_derived = map_get_str(l->defs, d->modifies[i].name, 0);
        if (f && func_of(l->m, (func){f})->is_rigid)
            ERROR(l, d->modifies[i].at, "'%s' is immutable and cannot be modified", d->modifies[i].name);
        else if (f) vec_push(out, (func){f});
        else if (!is_derived) ERROR(l, d->modifies[i].at, "unknown name '%s'", d->modifies[i].name);
    }
    return !l->failed;
}

static void all_mutable(const lowering *l, func_list *out) {
    const sys_info *s = sys_of(l->m, l->system);
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (!func_of(l->m, s->funcs.data[i])->is_rigid) vec_push(out, s->funcs.data[i]);
}

static expr pyv_lower_unchanged(lowering *l, func f) {
    func_info info = *func_of(l->m, f);
    var formals[MODEL_MOST_ARGS];
    expr args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++)
        args[i] = expr_var(l->m, formals[i] = model_add_var(l->m, "y", info.args[i], info.at));
    expr same = expr_eq(l->m, expr_next(l->m, f, args), expr_app(l->m, f, args));
    return expr_forall(l->m, formals, info.nargs, same);
}

// f'(y) = f(y) for the functions that a transition does not modify.
static expr frame(lowering *l, const func_list *modified) {
    const sys_info *s = sys_of(l->m, l->system);
    bool *changes = mem_zero(l->m->funcs.len, sizeof *changes);
    for (uint32_t k = 0; k < modified->len; k++) changes[modified->data[k].id] = true;
    expr_list same = {0};
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (!changes[s->funcs.data[i].id] && !func_of(l->m, s->funcs.data[i])->is_rigid)
            vec_push(&same, pyv_lower_unchanged(l, s->funcs.data[i]));
    expr e = expr_and_all(l->m, same.data, same.len);
    free(changes);
    vec_free(&same);
    return e;
}

static void add_transition(lowering *l, const pyv_decl *d) {
    func_list modified = {0};
    l->modified_means_after = l->file->uses_old;
    expr e = pyv_lower_formula(l, d);
    if (d->nparams > MODEL_MOST_PARAMS) ERROR(l, d->at, "more than %d parameters", MODEL_MOST_PARAMS);
    l->modified_means_after = false;
    if (d->is_relational) all_mutable(l, &modified);
    if (!l->failed && (d->is_relational || find_modified(l, d, &modified))) {
        pyv_transition t = {.m = l->m,
                            .modified = modified.data,
                            .nmodified = modified.len,
                            .params = param_vars(l, d),
                            .nparams = d->nparams,
                            .formula = e,
                            .name = d->name.name,
                            .at = d->at};
        rule_info r = pyv_rule(&t);
        r.is_visible = true;
        vec_push(&sys_of(l->m, l->system)->rules, model_add_rule(l->m, r));
        name_formula(l, d, expr_and(l->m, e, frame(l, &modified)));
    }
    vec_free(&modified);
}

static void pyv_lower_add_inits(lowering *l) {
    expr_list conds = {0};
    for (uint32_t i = 0; i < l->file->decls.len; i++) {
        const pyv_decl *d = &l->file->decls.data[i];
        if (d->kind != D_INIT) continue;
        expr e = pyv_lower_formula(l, d);
        one_state_only(l, d, e);
        vec_push(&conds, expr_rewrite(l->m, e, shift_visit, NULL));
    }
    func_list modified = {0};
    all_mutable(l, &modified);
    if (!l->failed) {
        pyv_transition t = {.m = l->m,
                            .modified = modified.data,
                            .nmodified = modified.len,
                            .is_init = true,
                            .formula = expr_and_all(l->m, conds.data, conds.len),
                            .name = "init",
                            .at = sys_of(l->m, l->system)->at};
        vec_push(&sys_of(l->m, l->system)->inits, model_add_rule(l->m, pyv_rule(&t)));
    }
    vec_free(&conds);
    vec_free(&modified);
}

// Symbols may be used before their declaration by nothing but formulas, so they come first.
static void add_symbols(lowering *l) {
    for (uint32_t i = 0; i < l->file->decls.len; i++)
        if (l->file->decls.data[i].kind == D_SORT) pyv_lower_add_sort(l, &l->file->decls.data[i]);
    for (uint32_t i = 0; i < l->file->decls.len; i++) {
        const pyv_decl *d = &l->file->decls.data[i];
        bool is_symbol = d->kind == D_RELATION || d->kind == D_CONSTANT || d->kind == D_FUNCTION;
        if (is_symbol && !d->is_derived) pyv_lower_add_symbol(l, d);
    }
}

static void add_formulas(lowering *l) {
    for (uint32_t i = 0; i < l->file->decls.len; i++) {
        const pyv_decl *d = &l->file->decls.data[i];
        switch (d->kind) {
        case D_RELATION:
            if (d->is_derived) add_derived(l, d);
            break;
        case D_AXIOM:
        case D_SAFETY:
        case D_INVARIANT:
        case D_THEOREM: pyv_add_fact(l, d); break;
        case D_DEFINITION: pyv_lower_add_definition(l, d); break;
        case D_TRANSITION: add_transition(l, d); break;
        default: break;
        }
    }
    pyv_lower_add_inits(l);
}

// ---- schemas: a clause with `_` in the place of literals, in a file of lemmas

typedef VEC(pyv_ast *) ast_list;

static bool pyv_is_hole(const pyv_ast *a) {
    return a->kind == P_NAME && str_same(a->name, "_") && !a->nargs && !a->primes;
}

static pyv_ast *pyv_new_node(lowering *l, pyv_kind kind, span at, pyv_ast **args, uint32_t n) {
    pyv_ast *a = arena_alloc(l->m->memory, sizeof *a);
    *a = (pyv_ast){.kind = kind, .at = at, .nargs = n};
    a->args = arena_copy(l->m->memory, args, n * sizeof *args);
    for (uint32_t i = 0; i < n; i++)
        if (args[i]->depth >= a->depth) a->depth = args[i]->depth + 1;
    return a;
}

// The literals of premises (joined by &) or conclusions (joined by |), and how many holes are among them.
static uint32_t pyv_take_literals(lowering *l, pyv_ast *a, bool is_premise, ast_list *out) {
    uint32_t holes = 0;
    if (pyv_is_hole(a)) return 1;
    if (a->kind == (is_premise ? P_AND : P_OR))
        for (uint32_t i = 0; i < a->nargs; i++) holes += pyv_take_literals(l, a->args[i], is_premise, out);
    else vec_push(out, is_premise ? pyv_new_node(l, P_NOT, a->at, &a, 1) : a);
    return holes;
}

// A clause without its holes takes the place of one with them; how many there were.
static uint32_t pyv_take_holes(lowering *l, pyv_ast **body, ast_list *binders) {
    ast_list literals = {0};
    pyv_ast *a = *body;
    while (a->kind == P_FORALL) {
        vec_push(binders, a);
        a = a->args[0];
    }
    uint32_t holes = 0;
    if (a->kind == P_IMPLIES) holes += pyv_take_literals(l, a->args[0], true, &literals);
    holes += pyv_take_literals(l, a->kind == P_IMPLIES ? a->args[1] : a, false, &literals);
    if (holes) {
        pyv_ast *rest = literals.len ? pyv_new_node(l, P_OR, a->at, literals.data, literals.len) : NULL;
        if (!rest) rest = pyv_new_node(l, P_FALSE, a->at, NULL, 0);
        if (binders->len) vec_last(binders)->args[0] = rest;
        else *body = rest;
    }
    vec_free(&literals);
    return holes;
}

static bool pyv_schema_fits(lowering *l, const schema_info *x) {
    for (uint32_t i = 0; i < x->nvars; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < x->nvars; k++)
            same += type_same(var_of(l->m, x->vars[k])->ty, var_of(l->m, x->vars[i])->ty);
        if (same <= SCHEMA_MOST_VARS) continue;
        ERROR(l, x->at, "a schema has at most %d variables of a sort", SCHEMA_MOST_VARS);
        return false;
    }
    if (x->nholes + x->nfixed <= SCHEMA_MOST_LITERALS) return true;
    ERROR(l, x->at, "a schema has at most %d literals", SCHEMA_MOST_LITERALS);
    return false;
}

static bool pyv_is_among(const var *vars, uint32_t n, uint32_t id) {
    for (uint32_t i = 0; i < n; i++)
        if (vars[i].id == id) return true;
    return false;
}

// The formula of a clause without holes, and the variables it was written with, used or not.
static void pyv_add_schema(lowering *l, const pyv_decl *d, uint32_t holes, const ast_list *binders) {
    expr e = pyv_lower_formula(l, d);
    one_state_only(l, d, e);
    if (l->failed) return;
    VEC(var) vars = {0};
    VEC(expr) fixed = {0};
    for (uint32_t i = 0; i < l->closed.len; i++) vec_push(&vars, l->closed.data[i]->v);
    for (uint32_t i = 0; i < binders->len; i++)
        for (uint32_t k = 0; k < binders->data[i]->nbinders; k++) vec_push(&vars, binders->data[i]->binders[k]->v);
    // A literal may be a quantifier itself: only the schema's own variables go.
    while (expr_kind_of(l->m, e) == E_FORALL && pyv_is_among(vars.data, vars.len, expr_of(l->m, e)->ref))
        e = expr_arg(l->m, e, 0);
    const expr_info *x = expr_of(l->m, e);
    if (x->kind == E_OR)
        for (uint32_t i = 0; i < x->nargs; i++) vec_push(&fixed, x->args[i]);
    else if (!expr_is_false(l->m, e)) vec_push(&fixed, e);
    sys_info *s = sys_of(l->m, l->system);
    schema_info made = {.name = pyv_lower_given_name(l, d, "schema", s->schemas.len), .at = d->at, .nholes = holes};
    vec_keep(l->m->memory, &vars, &made.vars, &made.nvars);
    vec_keep(l->m->memory, &fixed, &made.fixed, &made.nfixed);
    if (pyv_schema_fits(l, &made)) vec_push(&sys_of(l->m, l->system)->schemas, made);
}

static void pyv_add_lemma(lowering *l, const pyv_decl *d) {
    expr e = pyv_lower_formula(l, d);
    one_state_only(l, d, e);
    sys_info *s = sys_of(l->m, l->system);
    named_expr fact = {pyv_lower_given_name(l, d, "lemma", s->hints.len), e, d->at};
    vec_push(&s->hints, fact);
}

// The file of lemmas: invariants about the model's symbols, and shapes of them.
static bool pyv_add_lemmas(lowering *l, const char *path) {
    size_t size;
    const char *text = front_read_file(l->m, path, &size);
    if (!text) return false;
    pyv_file parsed;
    bool ok = pyv_parse(l->m, diag_add_file(l->m->messages, path, text, size), text, size, &parsed);
    for (uint32_t i = 0; ok && i < parsed.decls.len; i++) {
        pyv_decl *d = &parsed.decls.data[i];
        ast_list binders = {0};
        if (d->kind != D_INVARIANT) ERROR(l, d->at, "only invariants are expected in this file");
        uint32_t holes = d->kind == D_INVARIANT ? pyv_take_holes(l, &d->body, &binders) : 0;
        if (holes) pyv_add_schema(l, d, holes, &binders);
        else if (d->kind == D_INVARIANT) pyv_add_lemma(l, d);
        vec_free(&binders);
    }
    vec_free(&parsed.decls);
    return ok;
}

static bool pyv_read_both(model *m, const char *path, const char *text, size_t size, const char *lemmas, sys *system) {
    uint32_t file = diag_add_file(m->messages, path, text, size);
    pyv_file parsed;
    bool ok = pyv_parse(m, file, text, size, &parsed);
    if (ok && !parsed.decls.len) ok = diag_error(m->messages, (span){0}, "'%s' declares nothing", path);
    if (ok) {
        lowering l = {
            .m = m, .file = &parsed, .sorts = map_new(), .funcs = map_new(), .defs = map_new(), .params = map_new()};
        l.system = *system = model_add_system(m, front_base_name(m, path), (span){file, 0, 0});
        add_symbols(&l);
        add_formulas(&l);
        ok = !lemmas || pyv_add_lemmas(&l, lemmas);
        map_free(l.sorts);
        map_free(l.funcs);
        map_free(l.defs);
        map_free(l.params);
        vec_free(&l.definitions);
        vec_free(&l.scope);
        vec_free(&l.closed);
    }
    vec_free(&parsed.decls);
    return ok && !diag_failed(m->messages) && expr_all_shallow(m);
}

bool pyv_read_text(model *m, const char *path, const char *text, size_t size, sys *system) {
    return pyv_read_both(m, path, text, size, NULL, system);
}

bool pyv_read(model *m, const char *path, const char *lemmas, sys *system) {
    size_t size;
    const char *text = front_read_file(m, path, &size);
    return text && pyv_read_both(m, path, text, size, lemmas, system);
}
