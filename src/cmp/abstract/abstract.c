// SPDX-License-Identifier: Apache-2.0
// Types, functions and cases of an abstraction: see abstract.h. Formulas are translated in translate.c, bodies
// in body.c.
#include "cmp/abstract/internal.h"

#include "model/expr.h"
#include "model/stmt.h"

#include <string.h>

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

static void add_types(abstraction *a) {
    model *m = a->m;
    const type_info sort = *type_of(m, a->sort);
    type_info kept = {.kind = TYPE_SORT, .name = sort.name, .at = sort.at, .fixed_size = a->kept_count};
    a->kept = model_add_type(m, kept);
    const char *literals[] = {"Other"};
    type_info other = {
        .kind = TYPE_ENUM, .name = "others", .at = sort.at, .literals = literals, .nliterals = 1, .owner = a->system};
    a->other = model_add_type(m, other);
    type members[] = {a->kept, a->other};
    type_info id = {.kind = TYPE_UNION,
                    .name = arena_printf(m->memory, "any_%s", sort.name),
                    .at = sort.at,
                    .members = members,
                    .nmembers = 2};
    a->id = model_add_type(m, id);
}

static bool abstract_has_member(const abstraction *a, type t) {
    const type_info *info = type_of(a->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (type_same(info->members[i], a->sort)) return true;
    return false;
}

// The same union with kept elements, maybe with Other, in place of the sort.
static type union_with(abstraction *a, type t, const char *name, bool has_other) {
    const type_info old = *type_of(a->m, t);
    VEC(type) members = {0};
    for (uint32_t i = 0; i < old.nmembers; i++) {
        bool is_sort = abstract_is_sort(a, old.members[i]);
        vec_push(&members, is_sort ? a->kept : old.members[i]);
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

static void add_union(abstraction *a, type t) {
    type to = union_with(a, t, "any", true);
    vec_push(&a->unions, ((union_types){t, to, union_with(a, t, "kept", false)}));
}

static void add_unions(abstraction *a) {
    for (uint32_t i = 1, n = a->m->types.len; i < n; i++)
        if (abstract_has_member(a, (type){i})) add_union(a, (type){i});
}

bool abstract_is_union(const abstraction *a, type t) { return abstract_has_member(a, t); }

type abstract_value_type(const abstraction *a, type t) {
    for (uint32_t i = 0; i < a->unions.len; i++)
        if (type_same(a->unions.data[i].from, t)) return a->unions.data[i].to;
    return abstract_is_sort(a, t) ? a->id : t;
}

type abstract_index_type(const abstraction *a, type t) {
    for (uint32_t i = 0; i < a->unions.len; i++)
        if (type_same(a->unions.data[i].from, t)) return a->unions.data[i].index;
    return abstract_is_sort(a, t) ? a->kept : t;
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
    bool holds_ids = abstract_is_sort(a, info.result) || abstract_has_member(a, info.result);
    if (holds_ids && has_start && !is_set_at_start(a, f))
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

static void abstract_add_funcs(abstraction *a) {
    VEC(func) list = {0};
    for (uint32_t i = 0; i < sys_of(a->m, a->origin)->funcs.len; i++)
        vec_push(&list, sys_of(a->m, a->origin)->funcs.data[i]);
    a->funcs = mem_zero(a->m->funcs.len, sizeof *a->funcs);
    for (uint32_t i = 0; i < list.len && !a->refusal; i++) add_func(a, list.data[i]);
    vec_free(&list);
}

// ---- cases

typedef struct {
    rule_info r;
    var params[ABSTRACT_MOST_PARAMS];
    int32_t who[ABSTRACT_MOST_PARAMS];  // -1: kept; else the number of the other
    uint32_t n;
} choice;

static const char *case_name(const abstraction *a, const choice *x) {
    const rule_info *r = &x->r;
    str text = {0};
    str_add(&text, r->name);
    const char *separator = " [";
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->who[i] < 0) continue;
        str_printf(&text, "%s%s = Other", separator, var_of(a->m, x->params[i])->name);
        if (x->who[i] > 0) str_printf(&text, "%d", x->who[i] + 1);
        separator = ", ";
    }
    if (text.len > strlen(r->name)) str_char(&text, ']');
    const char *name = arena_str(a->m->memory, str_get(&text));
    str_free(&text);
    return name;
}

static void bind_params(abstraction *a, abstract_case *c, const choice *x) {
    const rule_info *r = &x->r;
    for (uint32_t i = 0, k = 0; i < r->nparams; i++) {
        var v = r->params[i];
        if (!abstract_is_sort(a, var_of(a->m, v)->ty)) {
            vec_push(&c->params, v);
            continue;
        }
        ident to = ident_other((uint32_t)x->who[k]);
        if (x->who[k] < 0) {
            var_info old = *var_of(a->m, v);
            var own = model_add_var(a->m, old.name, a->kept, old.at);
            vec_push(&c->params, own);
            to = ident_kept(expr_var(a->m, own));
        }
        if (to.kind == IDENT_OTHER && to.other >= c->nothers) c->nothers = to.other + 1;
        vec_push(&c->env, (ident_binding){v, to});
        k++;
    }
}

static void abstract_add_case(abstraction *a, rule origin, bool is_init, const choice *x) {
    abstract_case c = {.origin = origin, .is_init = is_init, .name = case_name(a, x)};
    bind_params(a, &c, x);
    c.guard = x->r.guard.id ? translate_guard(a, &c, x->r.guard) : a->m->true_expr;
    translate_body(a, &c, x->r.body);
    vec_push(&a->cases, c);
}

// Every parameter is a kept element, one of the others before it, or another one.
static void abstract_split(abstraction *a, rule origin, bool is_init, choice *x, uint32_t k, int32_t nothers) {
    if (a->refusal) return;
    if (k == x->n) {
        abstract_add_case(a, origin, is_init, x);
        return;
    }
    for (int32_t who = -1; who <= nothers; who++) {
        x->who[k] = who;
        abstract_split(a, origin, is_init, x, k + 1, who == nothers ? nothers + 1 : nothers);
    }
}

static void add_cases_of(abstraction *a, rule origin, bool is_init, rule_info r) {
    choice x = {.r = r};
    for (uint32_t i = 0; i < r.nparams; i++) {
        if (!abstract_is_sort(a, var_of(a->m, r.params[i])->ty)) continue;
        if (x.n == ABSTRACT_MOST_PARAMS) abstract_refuse(a, r.at, "a rule has too many parameters of the sort");
        else x.params[x.n++] = r.params[i];
    }
    abstract_split(a, origin, is_init, &x, 0, 0);
}

// A parameter that ranges over a union with the sort ranges over each member.
static void abstract_expand(abstraction *a, rule origin, bool is_init, rule_info r, uint32_t i) {
    if (i == r.nparams) {
        add_cases_of(a, origin, is_init, r);
        return;
    }
    const var v = r.params[i];
    const var_info old = *var_of(a->m, v);
    if (!abstract_has_member(a, old.ty)) {
        abstract_expand(a, origin, is_init, r, i + 1);
        return;
    }
    for (uint32_t k = 0; k < type_of(a->m, old.ty)->nmembers; k++) {
        rule_info one = r;
        var *params = arena_copy(a->m->memory, r.params, r.nparams * sizeof *params);
        params[i] = model_add_var(a->m, old.name, type_of(a->m, old.ty)->members[k], old.at);
        expr as = expr_widen(a->m, old.ty, expr_var(a->m, params[i]));
        one.params = params;
        if (r.guard.id) one.guard = expr_subst(a->m, r.guard, &v, &as, 1);
        if (r.body) one.body = stmt_subst(a->m, r.body, &v, &as, 1);
        abstract_expand(a, origin, is_init, one, i + 1);
    }
}

static void add_cases(abstraction *a, rule origin, bool is_init) {
    const rule_info r = *rule_of(a->m, origin);
    if (r.nchosen || r.relation.id || r.nrequires)
        abstract_refuse(a, r.at, "a rule is given by a relation or has requirements");
    abstract_expand(a, origin, is_init, r, 0);
}

static void add_all_cases(abstraction *a) {
    for (uint32_t i = 0; i < sys_of(a->m, a->origin)->inits.len; i++)
        add_cases(a, sys_of(a->m, a->origin)->inits.data[i], true);
    for (uint32_t i = 0; i < sys_of(a->m, a->origin)->rules.len; i++)
        add_cases(a, sys_of(a->m, a->origin)->rules.data[i], false);
}

abstraction *abstract_new(model *m, sys s, type sort, uint32_t kept) {
    abstraction *a = mem_zero(1, sizeof *a);
    a->m = m;
    a->origin = s;
    a->sort = sort;
    a->kept_count = kept;
    a->instances = map_new();
    a->system = model_add_system(m, arena_printf(m->memory, "%s_abstract", sys_of(m, s)->name), sys_of(m, s)->at);
    add_types(a);
    add_unions(a);
    abstract_add_funcs(a);
    if (sys_of(m, s)->assumes.len || sys_of(m, s)->axioms.len)
        abstract_refuse(a, sys_of(m, s)->at, "the system has assumptions or axioms");
    ghost_properties(a);
    if (!a->refusal) add_all_cases(a);
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
    vec_free(&a->unions);
    vec_free(&a->ghosts);
    free(a->funcs);
    free(a);
}
