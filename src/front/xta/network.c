// SPDX-License-Identifier: Apache-2.0
// The network of processes as one system: processes with their parameters, their locations and edges. Each
// process gets a location function; what their edges do together is in xta/rule.c.
#include "front/xta/internal.h"

#include <string.h>

enum { MOST_PROCESSES = 1000 };

// ---- processes

xprocess *xprocess_find(xlower *w, const char *name) {
    uint32_t i = map_get_str(w->process_numbers, name, UINT32_MAX);
    return i == UINT32_MAX ? NULL : w->processes.data[i];
}

expr xlocation_is(xlower *w, const xprocess *p, uint32_t location) {
    expr at = expr_app(w->m, p->location, NULL);
    return expr_eq(w->m, at, expr_const(w->m, p->location_type, (value)location));
}

static uint32_t find_location(xlower *w, xta_template *t, const char *id, span at) {
    uint32_t i = xta_location_find(t, id);
    if (i == UINT32_MAX) xfail(w, at, "there is no location '%s'", id);
    return i == UINT32_MAX ? 0 : i;
}

static void add_location_function(xlower *w, xprocess *p) {
    xta_template *t = p->templ;
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < t->locations.len; i++) vec_push(&names, t->locations.data[i].name);
    p->location_type = model_add_type(w->m, (type_info){.kind = TYPE_ENUM,
                                                        .name = t->name,
                                                        .at = t->at,
                                                        .literals = names.data,
                                                        .nliterals = names.len,
                                                        .owner = w->system});
    vec_free(&names);
    if (!t->init) {
        xfail(w, t->at, "'%s' has no initial location", t->name);
        return;
    }
    value first = (value)find_location(w, t, t->init, t->init_at);
    p->location = model_add_func(w->m, (func_info){.name = p->name,
                                                   .process = p->index + 1,
                                                   .member = "",
                                                   .at = t->at,
                                                   .result = p->location_type,
                                                   .initial = first,
                                                   .owner = w->system});
    vec_push(&w->timed->locations, p->location);
}

static bool is_const_type(xlower *w, const xta_type_ast *t) {
    if (t->is_const || t->kind != TA_NAME) return t->is_const;
    const xsym *sym = xscope_find(w, w->globals, t->name);
    return sym && sym->kind == SYM_TYPE && sym->function && is_const_type(w, sym->function->type);
}

// A parameter passed by value that the process writes is a variable of its own.
static void own_param(xlower *w, const xprocess *p, const xta_decl *d) {
    xsym *sym = xscope_find(w, p->scope, d->name);
    xplace was = sym->place;
    value v;
    bool is_number = was.kind == P_VALUE && expr_is_const(w->m, was.value, &v);
    if (d->is_ref || is_const_type(w, d->type) || (!is_number && was.kind != P_CONST)) return;
    if (!xwrites_param(w, p, d->name)) return;
    sym->place = (xplace){.kind = P_STORE, .ty = sym->ty};
    sym->place.store = xstore_new(w, sym->ty, p, d->name, d->at, false);
    if (!w->failed) xset_initial(w, &sym->place, &was, d->at);
}

static void add_process(xlower *w, const timed_process *as, xta_template *t, xscope *scope, span at) {
    xprocess *p = arena_alloc(w->file->memory, sizeof *p);
    *p = (xprocess){.name = as->name, .at = at, .templ = t, .scope = scope, .index = w->processes.len};
    if (w->processes.len == MOST_PROCESSES) xfail(w, at, "there are too many processes");
    if (xprocess_find(w, as->name)) xfail(w, at, "process '%s' is in the system twice", as->name);
    if (w->failed) return;
    map_put_str(w->process_numbers, p->name, w->processes.len);
    vec_push(&w->processes, p);
    vec_push(&w->timed->processes, *as);
    add_location_function(w, p);
    if (!w->failed) xdeclare(w, scope, t->decls, t->ndecls, p);
    for (uint32_t i = 0; i < t->nparams && !w->failed; i++) own_param(w, p, &t->params[i]);
}

// ---- parameters

static const xtype *xta_param_type(xlower *w, const xta_decl *d) {
    w->scope = w->globals;
    return xtype_with_dims(w, xtype_of(w, d->type), d->dims, d->ndims);
}

static void bind_place(xlower *w, xscope *s, const xta_decl *d, xplace p) {
    xscope_bind(w, s, d->name, d->at, p)->is_const = is_const_type(w, d->type);
}

// The argument of a parameter passed by value is a constant: another such parameter is one only if it says so.
static bool check_argument(xlower *w, const xta_ast *a) {
    const xsym *sym = a->kind == X_NAME ? xscope_find(w, w->scope, a->name) : NULL;
    if (sym && sym->kind == SYM_PLACE && sym->place.kind == P_VALUE && !sym->is_const)
        return xfail(w, a->at, "'%s' is not a constant: declare the parameter const", a->name);
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!check_argument(w, a->args[i])) return false;
    return true;
}

static bool is_passed_by_reference(const xtype *ty) {
    while (ty->kind == Y_ARRAY) ty = ty->element;
    return ty->kind == Y_CLOCK || ty->kind == Y_CHAN;
}

static xplace number_place(xlower *w, const xtype *ty, int32_t n) {
    return (xplace){.kind = P_VALUE, .ty = ty, .value = ty->kind == Y_BOOL ? expr_bool(w->m, n != 0) : xint(w, n)};
}

// Binds a parameter to its argument, which is read in `from`.
static void bind_argument(xlower *w, xscope *s, const xta_decl *d, const xta_ast *arg, const xscope *from) {
    const xtype *ty = xta_param_type(w, d);
    w->scope = from;
    if (!w->failed && !d->is_ref && is_passed_by_reference(ty))
        xfail(w, d->at, "clocks and channels are passed by reference: '&%s'", d->name);
    if (w->failed) return;
    if (ty->kind == Y_DOUBLE) {
        bind_place(w, s, d, (xplace){.kind = P_VALUE, .ty = ty});
        return;
    }
    if (d->is_ref || !xtype_is_scalar(ty)) {
        xplace p = xplace_of(w, arg);
        if (!w->failed && p.ty->kind != ty->kind)
            xfail(w, arg->at, "the argument is of another type than the parameter");
        if (!w->failed && !d->is_ref && p.kind == P_STORE)
            xfail(w, arg->at, "this is not a constant: pass it by reference, '&%s'", d->name);
        if (!w->failed) bind_place(w, s, d, p);
        return;
    }
    int32_t n = 0;
    if (!check_argument(w, arg) || !xconstant(w, arg, &n)) return;
    if (ty->kind == Y_INT && (n < ty->lo || n > ty->hi))
        xfail(w, arg->at, "%d is not within %d..%d", n, ty->lo, ty->hi);
    bind_place(w, s, d, number_place(w, ty, n));
}

typedef struct {
    const char *name;
    span at;
    xta_template *templ;  // one of the two
    const xta_instance *instance;
} entity;

static entity find_entity(xlower *w, const char *name, span at) {
    entity e = {.name = name, .at = at};
    for (uint32_t i = 0; i < w->file->instances.len; i++)
        if (str_same(w->file->instances.data[i].name, name)) e.instance = &w->file->instances.data[i];
    for (uint32_t i = 0; !e.instance && i < w->file->templates.len; i++)
        if (str_same(w->file->templates.data[i].name, name)) e.templ = &w->file->templates.data[i];
    if (!e.instance && !e.templ) xfail(w, at, "there is no process '%s'", name);
    return e;
}

static const xta_decl *entity_params(const entity *e, uint32_t *n) {
    *n = e->instance ? e->instance->nparams : e->templ->nparams;
    return e->instance ? e->instance->params : e->templ->params;
}

// Makes the process of an entity whose parameters are bound in `scope`.
static void instantiate(xlower *w, const entity *e, xscope *scope, const timed_process *as, uint32_t depth) {
    if (w->failed) return;
    if (e->templ) {
        add_process(w, as, e->templ, scope, e->at);
        return;
    }
    const xta_instance *x = e->instance;
    entity of = find_entity(w, x->of, x->at);
    if (depth > 20) xfail(w, x->at, "'%s' is defined by itself", x->name);
    if (w->failed) return;
    uint32_t n;
    const xta_decl *params = entity_params(&of, &n);
    if (n != x->nargs) xfail(w, x->at, "'%s' takes %u arguments, not %u", x->of, n, x->nargs);
    xscope *inner = xscope_new(w, w->globals);
    for (uint32_t i = 0; i < n && !w->failed; i++) bind_argument(w, inner, &params[i], x->args[i], scope);
    instantiate(w, &of, inner, as, depth + 1);
}

typedef struct {
    const entity *e;
    int32_t values[8];
    uint32_t n;
} free_values;

static void instantiate_values(xlower *w, const free_values *v) {
    uint32_t n;
    const xta_decl *params = entity_params(v->e, &n);
    xscope *s = xscope_new(w, w->globals);
    str name = {0};
    str_add(&name, v->e->name);
    for (uint32_t i = 0; i < n; i++) {
        bind_place(w, s, &params[i], number_place(w, xta_param_type(w, &params[i]), v->values[i]));
        str_printf(&name, "%s%d", i ? "," : "(", v->values[i]);
    }
    if (n) str_char(&name, ')');
    timed_process as = {.name = arena_str(w->m->memory, str_get(&name)),
                        .family = arena_str(w->m->memory, v->e->name),
                        .values = arena_copy(w->m->memory, v->values, n * sizeof *v->values),
                        .nvalues = n};
    instantiate(w, v->e, s, &as, 0);
    str_free(&name);
}

// One process for every value of the parameters that are left free.
static void instantiate_free(xlower *w, free_values *v) {
    uint32_t n;
    const xta_decl *params = entity_params(v->e, &n);
    if (w->failed) return;
    if (v->n == n) {
        instantiate_values(w, v);
        return;
    }
    const xta_decl *d = &params[v->n];
    const xtype *ty = xta_param_type(w, d);
    bool bounded = xtype_is_scalar(ty) && (ty->kind == Y_BOOL || xtype_count(ty) <= MOST_PROCESSES);
    if (!w->failed && (d->is_ref || !bounded || n > 8))
        xfail(w, v->e->at, "parameter '%s' of '%s' has no value, and cannot take every one", d->name, v->e->name);
    int32_t lo = ty->kind == Y_BOOL ? 0 : ty->lo, hi = ty->kind == Y_BOOL ? 1 : ty->hi;
    for (int32_t i = lo; i <= hi && !w->failed; i++) {
        v->values[v->n++] = i;
        instantiate_free(w, v);
        v->n--;
    }
}

static void make_processes(xlower *w) {
    for (uint32_t i = 0; i < w->file->processes.len && !w->failed; i++) {
        entity e = find_entity(w, w->file->processes.data[i].name, w->file->processes.data[i].at);
        free_values v = {.e = &e};
        uint32_t first = w->processes.len;
        if (!w->failed) instantiate_free(w, &v);
        for (uint32_t k = first; k < w->processes.len; k++)
            w->processes.data[k]->level = w->file->processes.data[i].level;
    }
    if (!w->processes.len) xfail(w, (span){0}, "there is no system line that names a process");
}

// ---- edges

static void add_selects(xlower *w, xedge *e, xscope *s) {
    for (uint32_t i = 0; i < e->ast->nselects && !w->failed; i++) {
        const xta_decl *d = &e->ast->selects[i];
        const xtype *ty = xtype_of(w, d->type);
        if (!xtype_is_scalar(ty)) xfail(w, d->at, "a value is chosen from a bounded type");
        if (w->failed) return;
        var v = model_add_var(w->m, d->name, xtype_model(w, ty), d->at);
        w->m->vars.data[v.id].process = w->process->index + 1;
        vec_push(&e->params, v);
        bind_place(w, s, d, (xplace){.kind = P_VALUE, .ty = ty, .value = expr_var(w->m, v)});
    }
}

static void lower_updates(xlower *w, xedge *e) {
    w->out = &e->body;
    w->resets = &e->resets;
    for (uint32_t i = 0; i < e->ast->nupdates && !w->failed; i++) xupdate(w, e->ast->updates[i]);
    w->out = NULL;
    w->resets = NULL;
    vec_clear(&w->locals);
}

static void lower_channel(xlower *w, xedge *e) {
    e->has_channel = true;
    e->is_send = e->ast->is_send;
    if (w->syncs_csp != e->ast->is_csp && w->syncs)
        xfail(w, e->ast->channel->at, "channels are used as 'a!' and 'a?' or as 'a', not both in one network");
    w->syncs = true;
    w->syncs_csp = e->ast->is_csp;
    e->channel = xplace_of(w, e->ast->channel);
    if (!w->failed && e->channel.ty->kind != Y_CHAN) xfail(w, e->ast->channel->at, "a channel is expected here");
    if (w->failed) return;
    const xtype *ty = e->channel.store->ty;
    bool listens = ty->is_broadcast && !e->is_send;
    if (e->bounds.len && ty->is_urgent && !listens)
        xfail(w, e->ast->at, "clock guards on edges with an urgent channel are not supported");
}

// Calls and rounds of loops are counted for each edge, invariant and query.
void xbegin(xlower *w, xprocess *p, const xscope *scope) {
    w->process = p;
    w->scope = scope;
    w->ninlined = w->unrolled = 0;
    w->first_expr = w->m->exprs.len;
}

// Takes one of the alternatives of a guard; how many there are.
static uint32_t take_alternative(xlower *w, xedge *e, uint32_t which) {
    xguard_list list = {0};
    if (!e->ast->guard || w->failed) return 1;
    xclock_guard(w, e->ast->guard, &list);
    uint32_t n = list.len;
    if (!w->failed && which < n) {
        for (uint32_t i = 0; i < list.data[which].bounds.len; i++)
            vec_push(&e->bounds, list.data[which].bounds.data[i]);
        e->guard = list.data[which].rest;
    }
    xguards_free(&list);
    return n;
}

// One edge for each alternative of its guard.
static void lower_edge(xlower *w, xprocess *p, const xta_edge *ast) {
    for (uint32_t which = 0, n = 1; which < n && !w->failed; which++) {
        xedge e = {.ast = ast, .place = p->edges.len, .guard = w->m->true_expr};
        e.from = find_location(w, p->templ, ast->from, ast->from_at);
        e.to = find_location(w, p->templ, ast->to, ast->to_at);
        xscope *s = xscope_new(w, p->scope);
        xbegin(w, p, s);
        add_selects(w, &e, s);
        n = take_alternative(w, &e, which);
        if (ast->channel && !w->failed) lower_channel(w, &e);
        if (!w->failed) lower_updates(w, &e);
        w->process = NULL;
        vec_push(&p->edges, e);
    }
}

static void lower_location(xlower *w, xprocess *p, uint32_t i) {
    const xta_location *l = &p->templ->locations.data[i];
    expr rest = w->m->true_expr;
    bound_list bounds = {0};
    xbegin(w, p, p->scope);
    if (l->invariant) xclock_split(w, l->invariant, xlocation_is(w, p, i), &bounds, &rest);
    for (uint32_t k = 0; k < bounds.len; k++) vec_push(&w->timed->invariants, bounds.data[k]);
    if (!expr_is_true(w->m, rest)) w->timed->valid = w->timed->valid.id ? expr_and(w->m, w->timed->valid, rest) : rest;
    vec_free(&bounds);
    w->process = NULL;
}

static void listen(xlower *w, const xprocess *p, const xedge *e) {
    if (!e->has_channel || e->is_send) return;
    xlistener *l = arena_alloc(w->file->memory, sizeof *l);
    xstore *s = e->channel.store;
    *l = (xlistener){.p = p, .e = e};
    if (s->last_listener) s->last_listener->next = l;
    else s->first_listener = l;
    s->last_listener = l;
}

static void lower_processes(xlower *w) {
    for (uint32_t i = 0; i < w->processes.len && !w->failed; i++) {
        xprocess *p = w->processes.data[i];
        for (uint32_t k = 0; k < p->templ->locations.len && !w->failed; k++) lower_location(w, p, k);
        for (uint32_t k = 0; k < p->templ->edges.len && !w->failed; k++) lower_edge(w, p, &p->templ->edges.data[k]);
        for (uint32_t k = 0; k < p->edges.len && !w->failed; k++) listen(w, p, &p->edges.data[k]);
    }
}

static void xta_add_start(xlower *w) {
    if (!w->starts.len) return;
    const stmt *body = model_block(w->m, S_SEQ, w->starts.data, w->starts.len, w->starts.data[0]->at);
    rule r = model_add_rule(w->m, (rule_info){.name = "start", .at = body->at, .body = body});
    vec_push(&sys_of(w->m, w->system)->inits, r);
}

// A template without locations, which UPPAAL accepts, stays where it is.
static void add_missing_locations(xlower *w) {
    for (uint32_t i = 0; i < w->file->templates.len; i++) {
        xta_template *t = &w->file->templates.data[i];
        if (t->locations.len) continue;
        diag_warning(w->file->messages, t->at, "'%s' has no location: it does nothing", t->name);
        vec_push(&t->locations, (xta_location){.id = "idle", .name = "idle", .at = t->at});
        t->init = "idle";
        t->init_at = t->at;
    }
}

static void check_names(xlower *w) {
    xscope *processes = xscope_new(w, NULL);
    const xta_file *f = w->file;
    for (uint32_t i = 0; i < f->templates.len; i++) {
        const xta_template *t = &f->templates.data[i];
        xscope *locations = xscope_new(w, NULL);
        xscope_bind(w, processes, t->name, t->at, (xplace){0});
        for (uint32_t k = 0; k < t->locations.len; k++)
            xscope_bind(w, locations, t->locations.data[k].name, t->locations.data[k].at, (xplace){0});
    }
    for (uint32_t i = 0; i < f->instances.len; i++)
        xscope_bind(w, processes, f->instances.data[i].name, f->instances.data[i].at, (xplace){0});
}

bool xnetwork(xlower *w) {
    check_names(w);
    add_missing_locations(w);
    xdeclare(w, w->globals, w->file->decls.data, w->file->decls.len, NULL);
    if (!w->failed) make_processes(w);
    if (!w->failed) lower_processes(w);
    if (!w->failed) xrules(w);
    if (!w->failed) xta_add_start(w);
    return !w->failed;
}
