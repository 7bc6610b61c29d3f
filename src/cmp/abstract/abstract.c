// SPDX-License-Identifier: Apache-2.0
// Types, functions and cases of an abstraction: see abstract.h. Formulas are translated in translate.c, bodies
// in body.c.
#include "cmp/abstract/internal.h"

#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"

void abstract_refuse(abstraction *a, span at, const char *why) {
    if (a->refusal) return;
    a->refusal = arena_str(a->m->memory, why);
    a->refused_at = at;
}

bool abstract_is_sort(const abstraction *a, type t) { return type_same(a->sort, t); }

var abstract_other(abstraction *a, uint32_t k) {
    while (a->others.len <= k) {
        const char *name = arena_printf(a->m->memory, "other%u", a->others.len + 1);
        var v = model_add_var(a->m, name, a->sort, (span){0});
        vec_push(&a->others, v);
    }
    return a->others.data[k];
}

// ---- types and functions

// The same with kept elements, maybe with Other, in place of the sort: a union.
static type type_with(abstraction *a, type t, const char *name, bool has_other) {
    const type_info old = *type_of(a->m, t);
    VEC(type) members = {0};
    for (uint32_t i = 0; i < (old.nmembers ? old.nmembers : 1); i++) {
        type member = old.nmembers ? old.members[i] : t;
        bool is_sort = abstract_is_sort(a, member);
        vec_push(&members, is_sort ? a->kept : member);
        if (is_sort && has_other) vec_push(&members, a->other);
    }
    type_info info = {.kind = TYPE_UNION,
                      .name = arena_printf(a->m->memory, "%s_%s", name, old.name),
                      .at = old.at,
                      .members = members.data,
                      .nmembers = members.len};
    t = model_add_type(a->m, info);
    vec_free(&members);
    return t;
}

static void add_types(abstraction *a) {
    model *m = a->m;
    const type_info sort = *type_of(m, a->sort);
    const uint32_t n = m->types.len;
    const char *literals[] = {"Other"};
    type_info kept = {.kind = TYPE_SORT, .name = sort.name, .at = sort.at, .fixed_size = a->kept_count};
    type_info other = {
        .kind = TYPE_ENUM, .name = "others", .at = sort.at, .literals = literals, .nliterals = 1, .owner = a->system};
    a->kept = model_add_type(m, kept);
    a->other = model_add_type(m, other);
    for (uint32_t i = 1; i < n; i++) {
        type t = {i};
        if (!type_contains(m, t, a->sort)) continue;
        type to = type_with(a, t, "any", true);
        vec_push(&a->types, ((ident_types){t, to, i == a->sort.id ? a->kept : type_with(a, t, "kept", false)}));
    }
    a->id = abstract_value_type(a, a->sort);
}

static const ident_types *types_of(const abstraction *a, type t) {
    for (uint32_t i = 0; i < a->types.len; i++)
        if (type_same(a->types.data[i].from, t)) return &a->types.data[i];
    return NULL;
}

bool abstract_is_ident(const abstraction *a, type t) { return types_of(a, t); }

bool abstract_is_union(const abstraction *a, type t) { return types_of(a, t) && !abstract_is_sort(a, t); }

type abstract_value_type(const abstraction *a, type t) { return types_of(a, t) ? types_of(a, t)->to : t; }

type abstract_index_type(const abstraction *a, type t) { return types_of(a, t) ? types_of(a, t)->index : t; }

var abstract_member(abstraction *a, var v, uint32_t k, expr *as) {
    const var_info old = *var_of(a->m, v);
    var own = model_add_var(a->m, old.name, type_of(a->m, old.ty)->members[k], old.at);
    *as = expr_widen(a->m, old.ty, expr_var(a->m, own));
    return own;
}

// Does the value before the init rules not matter?
static bool is_set_at_start(const abstraction *a, func f) {
    const sys_info *s = sys_of(a->m, a->origin);
    for (uint32_t i = 0; i < s->inits.len; i++) {
        const stmt *body = rule_of(a->m, s->inits.data[i])->body;
        if (!body || !stmt_writes(body, f)) return false;
    }
    return s->inits.len > 0;
}

static void add_func(abstraction *a, func f) {
    func_info info = *func_of(a->m, f);
    type args[ABSTRACT_MOST_ARGS];
    if (info.nargs > ABSTRACT_MOST_ARGS) abstract_refuse(a, info.at, "an array has more than 16 indices");
    bool has_start = !info.starts_any && info.initial != VALUE_UNDEFINED;
    if (abstract_is_ident(a, info.result) && has_start && !is_set_at_start(a, f))
        abstract_refuse(a, info.at, "a variable of the abstracted sort begins with a certain element");
    if (a->refusal) return;
    for (uint32_t i = 0; i < info.nargs; i++) args[i] = abstract_index_type(a, info.args[i]);
    info.args = args;
    info.result = abstract_value_type(a, info.result);
    info.spelling = NULL;
    info.owner = a->system;
    a->funcs[f.id] = model_add_func(a->m, info);
    vec_push(&a->state, a->funcs[f.id]);
}

// ---- cases

// A rule on its way to a case.
typedef struct {
    rule origin;
    bool is_init;
    rule_info r;
    int32_t who[ABSTRACT_MOST_PARAMS];  // by parameter of the sort, -1: kept; else the number of the other
    uint32_t n;
} choice;

static const char *case_name(const abstraction *a, const abstract_case *c, const char *rule_name) {
    str text = {0};
    str_add(&text, rule_name);
    const char *separator = " [";
    for (uint32_t i = 0; i < c->env.len; i++) {
        ident_binding b = c->env.data[i];
        if (b.to.kind != IDENT_OTHER) continue;
        str_printf(&text, "%s%s = Other", separator, var_of(a->m, b.from)->name);
        if (b.to.other > 0) str_printf(&text, "%u", b.to.other + 1);
        separator = ", ";
    }
    if (c->nothers) str_char(&text, ']');
    const char *name = arena_str(a->m->memory, str_get(&text));
    str_free(&text);
    return name;
}

static void bind_params(abstraction *a, abstract_case *c, const choice *x) {
    const int32_t *who = x->who;
    for (uint32_t i = 0; i < x->r.nparams; i++) {
        var v = x->r.params[i];
        const var_info old = *var_of(a->m, v);
        bool is_sort = abstract_is_sort(a, old.ty);
        if (is_sort && *who >= 0) {
            vec_push(&c->env, (ident_binding){v, ident_other((uint32_t)*who)});
            if ((uint32_t)*who >= c->nothers) c->nothers = (uint32_t)*who + 1;
        } else {
            var own = is_sort ? model_add_var(a->m, old.name, a->kept, old.at) : v;
            vec_push(&c->params, own);
            if (is_sort) vec_push(&c->env, (ident_binding){v, ident_kept(expr_var(a->m, own))});
        }
        who += is_sort;
    }
}

static void abstract_add_case(abstraction *a, const choice *x) {
    abstract_case c = {.origin = x->origin, .is_init = x->is_init};
    bind_params(a, &c, x);
    c.name = case_name(a, &c, x->r.name);
    c.guard = x->r.guard.id ? translate_guard(a, &c, x->r.guard) : a->m->true_expr;
    translate_body(a, &c, x->r.body);
    vec_push(&a->cases, c);
}

// Every parameter is a kept element, one of the others before it, or another one.
static void abstract_split(abstraction *a, choice *x, uint32_t k, int32_t nothers) {
    if (a->refusal) return;
    if (k == x->n) {
        abstract_add_case(a, x);
        return;
    }
    for (int32_t who = -1; who <= nothers; who++) {
        x->who[k] = who;
        abstract_split(a, x, k + 1, who == nothers ? nothers + 1 : nothers);
    }
}

// A parameter that ranges over a union with the sort ranges over each member.
static void abstract_expand(abstraction *a, choice x, uint32_t i) {
    if (i == x.r.nparams) {
        if (x.n > ABSTRACT_MOST_PARAMS) abstract_refuse(a, x.r.at, "a rule has too many parameters of the sort");
        abstract_split(a, &x, 0, 0);
        return;
    }
    const var v = x.r.params[i];
    const type ty = var_of(a->m, v)->ty;
    x.n += abstract_is_sort(a, ty);
    if (!abstract_is_union(a, ty)) {
        abstract_expand(a, x, i + 1);
        return;
    }
    for (uint32_t k = 0; k < type_of(a->m, ty)->nmembers; k++) {
        expr as;
        choice one = x;
        var *params = arena_copy(a->m->memory, x.r.params, x.r.nparams * sizeof *params);
        params[i] = abstract_member(a, v, k, &as);
        one.r.params = params;
        if (x.r.guard.id) one.r.guard = expr_subst(a->m, x.r.guard, &v, &as, 1);
        one.r.body = stmt_subst(a->m, x.r.body, &v, &as, 1);
        abstract_expand(a, one, i);
    }
}

static void add_cases(abstraction *a, rule origin, bool is_init) {
    choice x = {.origin = origin, .is_init = is_init, .r = *rule_of(a->m, origin)};
    if (x.r.nchosen || x.r.relation.id || x.r.nrequires)
        abstract_refuse(a, x.r.at, "a rule is given by a relation or has requirements");
    abstract_expand(a, x, 0);
}

abstraction *abstract_new(model *m, sys s, type sort, uint32_t kept) {
    abstraction *a = mem_zero(1, sizeof *a);
    const sys_info origin = *sys_of(m, s);
    *a = (abstraction){.m = m, .origin = s, .sort = sort, .kept_count = kept, .instances = map_new()};
    a->system = model_add_system(m, arena_printf(m->memory, "%s_abstract", origin.name), origin.at);
    a->funcs = arena_alloc(m->memory, m->funcs.len * sizeof *a->funcs);
    add_types(a);
    for (uint32_t i = 0; i < origin.funcs.len && !a->refusal; i++) add_func(a, origin.funcs.data[i]);
    if (origin.assumes.len || origin.axioms.len) abstract_refuse(a, origin.at, "the system has assumptions or axioms");
    ghost_properties(a);
    for (uint32_t i = 0; i < origin.inits.len && !a->refusal; i++) add_cases(a, origin.inits.data[i], true);
    for (uint32_t i = 0; i < origin.rules.len && !a->refusal; i++) add_cases(a, origin.rules.data[i], false);
    return a;
}

void abstract_free(abstraction *a) {
    if (!a) return;
    for (uint32_t i = 0; i < a->cases.len; i++) {
        vec_free(&a->cases.data[i].env);
        vec_free(&a->cases.data[i].params);
        vec_free(&a->cases.data[i].unknowns);
    }
    vec_free(&a->cases);
    map_free(a->instances);
    vec_free(&a->state);
    vec_free(&a->others);
    vec_free(&a->types);
    vec_free(&a->ghosts);
    free(a);
}
