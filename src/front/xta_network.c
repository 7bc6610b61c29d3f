// SPDX-License-Identifier: Apache-2.0
// The network of processes as one system. Each process gets a location function; an edge without a channel is
// a rule, so is each pair of edges that can meet on a channel, and each sending edge of a broadcast channel
// with, in order, all receivers that are enabled. A committed location anywhere forbids the rules that leave
// none: that is part of guards.
#include "front/xta_int.h"

#include "model/stmt.h"

#include <string.h>

enum { MOST_PROCESSES = 1000, MOST_RULES = 20000 };

// ---- processes

xprocess *xprocess_find(xlower *w, const char *name) {
    for (uint32_t i = 0; i < w->processes.len; i++)
        if (strcmp(w->processes.data[i]->name, name) == 0) return w->processes.data[i];
    return NULL;
}

expr xlocation_is(xlower *w, const xprocess *p, uint32_t location) {
    expr at = expr_app(w->m, p->location, NULL);
    return expr_eq(w->m, at, expr_const(w->m, p->location_type, (value)location));
}

static uint32_t find_location(xlower *w, const xta_template *t, const char *id, span at) {
    for (uint32_t i = 0; i < t->locations.len; i++)
        if (strcmp(t->locations.data[i].id, id) == 0) return i;
    xfail(w, at, "there is no location '%s'", id);
    return 0;
}

static void add_location_function(xlower *w, xprocess *p) {
    const xta_template *t = p->templ;
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < t->locations.len; i++) vec_push(&names, t->locations.data[i].name);
    if (!names.len) {
        xfail(w, t->at, "'%s' has no location", t->name);
        return;
    }
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
    p->location = model_add_func(
        w->m,
        (func_info){
            .name = p->name, .at = t->at, .result = p->location_type, .initial = first, .owner = w->system});
    vec_push(&w->timed->locations, p->location);
    vec_push(&w->timed->processes, p->name);
}

static void add_process(xlower *w, const char *name, const xta_template *t, xscope *scope, span at) {
    xprocess *p = arena_alloc(w->file->memory, sizeof *p);
    *p = (xprocess){.name = name, .at = at, .templ = t, .scope = scope, .index = w->processes.len};
    if (w->processes.len == MOST_PROCESSES) xfail(w, at, "there are too many processes");
    if (xprocess_find(w, name)) xfail(w, at, "process '%s' is in the system twice", name);
    if (w->failed) return;
    vec_push(&w->processes, p);
    add_location_function(w, p);
    const char *prefix = arena_printf(w->file->memory, "%s.", name);
    if (!w->failed) xdeclare(w, scope, t->decls, t->ndecls, prefix);
}

// ---- parameters

static const xtype *param_type(xlower *w, const xta_decl *d) {
    w->scope = w->globals;
    return xtype_with_dims(w, xtype_of(w, d->type), d->dims, d->ndims);
}

static void bind_place(xlower *w, xscope *s, const xta_decl *d, xplace p) {
    xsym *sym = xscope_add(w, s, d->name, d->at);
    sym->kind = SYM_PLACE;
    sym->ty = p.ty;
    sym->place = p;
}

static xplace number_place(xlower *w, const xtype *ty, int32_t n) {
    type t = ty->kind == Y_BOOL ? w->m->bool_type : model_range(w->m, n, n, (span){0});
    return (xplace){.kind = P_VALUE, .ty = ty, .value = expr_const(w->m, t, ty->kind == Y_BOOL ? n != 0 : n)};
}

// Binds a parameter to its argument, which is read in `from`.
static void bind_argument(xlower *w, xscope *s, const xta_decl *d, const xta_ast *arg, const xscope *from) {
    const xtype *ty = param_type(w, d);
    w->scope = from;
    if (w->failed) return;
    if (d->is_ref || !xtype_is_scalar(ty)) {
        xplace p = xplace_of(w, arg);
        if (!w->failed && p.ty->kind != ty->kind)
            xfail(w, arg->at, "the argument is of another type than the parameter");
        if (!w->failed) bind_place(w, s, d, p);
        return;
    }
    int32_t n = 0;
    if (!xconstant(w, arg, &n)) return;
    if (ty->kind == Y_INT && (n < ty->lo || n > ty->hi))
        xfail(w, arg->at, "%d is not within %d..%d", n, ty->lo, ty->hi);
    bind_place(w, s, d, number_place(w, ty, n));
}

typedef struct {
    const char *name;
    span at;
    const xta_template *templ;  // one of the two
    const xta_instance *instance;
} entity;

static entity find_entity(xlower *w, const char *name, span at) {
    entity e = {.name = name, .at = at};
    for (uint32_t i = 0; i < w->file->instances.len; i++)
        if (strcmp(w->file->instances.data[i].name, name) == 0) e.instance = &w->file->instances.data[i];
    for (uint32_t i = 0; !e.instance && i < w->file->templates.len; i++)
        if (strcmp(w->file->templates.data[i].name, name) == 0) e.templ = &w->file->templates.data[i];
    if (!e.instance && !e.templ) xfail(w, at, "there is no process '%s'", name);
    return e;
}

static const xta_decl *entity_params(const entity *e, uint32_t *n) {
    *n = e->instance ? e->instance->nparams : e->templ->nparams;
    return e->instance ? e->instance->params : e->templ->params;
}

// Makes the process of an entity whose parameters are bound in `scope`.
static void instantiate(xlower *w, const entity *e, xscope *scope, const char *name, uint32_t depth) {
    if (w->failed) return;
    if (e->templ) {
        add_process(w, name, e->templ, scope, e->at);
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
    instantiate(w, &of, inner, name, depth + 1);
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
        bind_place(w, s, &params[i], number_place(w, param_type(w, &params[i]), v->values[i]));
        str_printf(&name, "%s%d", i ? "," : "(", v->values[i]);
    }
    if (n) str_char(&name, ')');
    instantiate(w, v->e, s, arena_str(w->file->memory, str_get(&name)), 0);
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
    const xtype *ty = param_type(w, d);
    bool bounded = xtype_is_scalar(ty) && (ty->kind == Y_BOOL || ty->hi - ty->lo < MOST_PROCESSES);
    if (!w->failed && (d->is_ref || !bounded || n > 8))
        xfail(w, v->e->at, "parameter '%s' of '%s' has no value, and cannot take every one", d->name,
              v->e->name);
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
        if (!w->failed) instantiate_free(w, &v);
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
        vec_push(&e->params, v);
        bind_place(w, s, d, (xplace){.kind = P_VALUE, .ty = ty, .value = expr_var(w->m, v)});
    }
}

static void lower_updates(xlower *w, xedge *e) {
    w->out = &e->body;
    w->resets = &e->resets;
    w->unrolled = 0;
    for (uint32_t i = 0; i < e->ast->nupdates && !w->failed; i++) xupdate(w, e->ast->updates[i]);
    w->out = NULL;
    w->resets = NULL;
    vec_clear(&w->locals);
}

static void lower_channel(xlower *w, xedge *e) {
    e->has_channel = true;
    e->is_send = e->ast->is_send;
    e->channel = xplace_of(w, e->ast->channel);
    if (!w->failed && e->channel.ty->kind != Y_CHAN)
        xfail(w, e->ast->channel->at, "a channel is expected here");
    if (w->failed) return;
    const xtype *ty = e->channel.store->ty;
    if (e->bounds.len && ty->is_urgent)
        xfail(w, e->ast->at, "clock guards on edges with an urgent channel are not supported");
    if (e->bounds.len && ty->is_broadcast && !e->is_send)
        xfail(w, e->ast->at, "clock guards on receivers of a broadcast channel are not supported");
}

static void lower_edge(xlower *w, xprocess *p, const xta_edge *ast) {
    xedge e = {.ast = ast, .guard = w->m->true_expr};
    e.from = find_location(w, p->templ, ast->from, ast->from_at);
    e.to = find_location(w, p->templ, ast->to, ast->to_at);
    xscope *s = xscope_new(w, p->scope);
    w->scope = s;
    w->process = p;
    add_selects(w, &e, s);
    if (ast->guard && !w->failed) xclock_split(w, ast->guard, (expr){0}, &e.bounds, &e.guard);
    if (ast->channel && !w->failed) lower_channel(w, &e);
    if (!w->failed) lower_updates(w, &e);
    w->process = NULL;
    vec_push(&p->edges, e);
}

static void lower_location(xlower *w, xprocess *p, uint32_t i) {
    const xta_location *l = &p->templ->locations.data[i];
    expr here = xlocation_is(w, p, i), rest = w->m->true_expr;
    w->scope = p->scope;
    w->process = p;
    bound_list bounds = {0};
    if (l->invariant) xclock_split(w, l->invariant, here, &bounds, &rest);
    for (uint32_t k = 0; k < bounds.len; k++) vec_push(&w->timed->invariants, bounds.data[k]);
    if (!expr_is_true(w->m, rest))
        w->timed->valid = w->timed->valid.id ? expr_and(w->m, w->timed->valid, rest) : rest;
    vec_free(&bounds);
    w->process = NULL;
}

static void lower_processes(xlower *w) {
    for (uint32_t i = 0; i < w->processes.len && !w->failed; i++) {
        xprocess *p = w->processes.data[i];
        for (uint32_t k = 0; k < p->templ->locations.len && !w->failed; k++) lower_location(w, p, k);
        for (uint32_t k = 0; k < p->templ->edges.len && !w->failed; k++)
            lower_edge(w, p, &p->templ->edges.data[k]);
    }
}

// ---- rules

static bool is_committed(const xprocess *p, uint32_t l) { return p->templ->locations.data[l].is_committed; }

// Some process is in a location of the kind.
static expr somewhere(xlower *w, bool committed) {
    expr any = w->m->false_expr;
    for (uint32_t i = 0; i < w->processes.len; i++) {
        const xprocess *p = w->processes.data[i];
        for (uint32_t k = 0; k < p->templ->locations.len; k++) {
            const xta_location *l = &p->templ->locations.data[k];
            if (committed ? l->is_committed : l->is_urgent || l->is_committed)
                any = expr_or(w->m, any, xlocation_is(w, p, k));
        }
    }
    return any;
}

typedef struct {
    str name;
    span at;
    VEC(var) params;
    expr guard;
    bound_list bounds;
    reset_list resets;
    stmt_list body;
    bool has_committed;
} draft;

static void draft_free(draft *d) {
    str_free(&d->name);
    vec_free(&d->params);
    vec_free(&d->bounds);
    vec_free(&d->resets);
    vec_free(&d->body);
}

static void draft_name(draft *d, const xprocess *p, const xedge *e) {
    const xta_template *t = p->templ;
    str_printf(&d->name, "%s%s.%s -> %s", d->name.len ? ", " : "", p->name, t->locations.data[e->from].name,
               t->locations.data[e->to].name);
}

static const stmt *move(xlower *w, const xprocess *p, const xedge *e) {
    return model_assign(w->m, p->location, NULL, 0, expr_const(w->m, p->location_type, (value)e->to),
                        e->ast->at);
}

// Where the edge starts and its guard come first, so that a guard is read only where it is meant to be.
static void draft_guard(xlower *w, draft *d, const xprocess *p, const xedge *e) {
    d->guard = expr_and(w->m, d->guard, xlocation_is(w, p, e->from));
    d->guard = expr_and(w->m, d->guard, e->guard);
    for (uint32_t i = 0; i < e->params.len; i++) vec_push(&d->params, e->params.data[i]);
    for (uint32_t i = 0; i < e->bounds.len; i++) vec_push(&d->bounds, e->bounds.data[i]);
    d->has_committed |= is_committed(p, e->from);
}

bool xreads_written(const xlower *w, expr e, const stmt_list *body) {
    const expr_info *x = expr_of(w->m, e);
    for (uint32_t i = 0; x->kind == E_APP && i < body->len; i++)
        if (stmt_writes(body->data[i], (func){x->ref})) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (xreads_written(w, x->args[i], body)) return true;
    return false;
}

// Values given to clocks are read before the step: they must not depend on what others write in it before.
static void check_resets(xlower *w, const xedge *e, const stmt_list *before) {
    for (uint32_t i = 0; i < e->resets.len && !w->failed; i++) {
        const clock_reset *r = &e->resets.data[i];
        if (xreads_written(w, r->value, before) || (r->when.id && xreads_written(w, r->when, before)))
            xfail(w, r->at, "a clock set to a value that the same step writes before is not supported");
    }
}

static void draft_body(xlower *w, draft *d, const xprocess *p, const xedge *e) {
    check_resets(w, e, &d->body);
    vec_push(&d->body, move(w, p, e));
    for (uint32_t i = 0; i < e->body.len; i++) vec_push(&d->body, e->body.data[i]);
    for (uint32_t i = 0; i < e->resets.len; i++) vec_push(&d->resets, e->resets.data[i]);
}

static void add_rule(xlower *w, draft *d, expr committed) {
    if (w->failed || expr_is_false(w->m, d->guard)) return;
    if (!d->has_committed) d->guard = expr_and(w->m, d->guard, expr_not(w->m, committed));
    if (expr_is_false(w->m, d->guard)) return;
    rule r =
        model_add_rule(w->m, (rule_info){.name = str_get(&d->name),
                                         .at = d->at,
                                         .params = d->params.data,
                                         .nparams = d->params.len,
                                         .guard = d->guard,
                                         .body = model_block(w->m, S_SEQ, d->body.data, d->body.len, d->at),
                                         .is_visible = true,
                                         .bounds = d->bounds.data,
                                         .nbounds = d->bounds.len,
                                         .resets = d->resets.data,
                                         .nresets = d->resets.len});
    vec_push(&sys_of(w->m, w->system)->rules, r);
    if (sys_of(w->m, w->system)->rules.len > MOST_RULES) xfail(w, d->at, "there are too many pairs of edges");
}

static void add_internal(xlower *w, const xprocess *p, const xedge *e, expr committed) {
    draft d = {.at = e->ast->at, .guard = w->m->true_expr};
    draft_name(&d, p, e);
    draft_guard(w, &d, p, e);
    draft_body(w, &d, p, e);
    add_rule(w, &d, committed);
    draft_free(&d);
}

// The two mean the same channel.
static expr same_channel(xlower *w, const xedge *a, const xedge *b) {
    if (a->channel.store != b->channel.store) return w->m->false_expr;
    expr same = w->m->true_expr;
    for (uint32_t i = 0; i < a->channel.nindex; i++)
        same = expr_and(w->m, same, xbinary(w, OP_EQ, a->channel.index[i], b->channel.index[i], a->ast->at));
    return same;
}

static void channel_text(xlower *w, const xedge *e, str *out) {
    const span at = e->ast->channel->at;
    diag_source_text(w->file->messages, at, out);
    str_add(out, ": ");
}

static void draft_pair(xlower *w, draft *d, const xprocess *p, const xedge *a, const xprocess *q,
                       const xedge *b) {
    str head = {0};
    *d = (draft){.at = a->ast->at, .guard = w->m->true_expr};
    draft_guard(w, d, p, a);
    draft_guard(w, d, q, b);
    d->guard = expr_and(w->m, d->guard, same_channel(w, a, b));
    draft_body(w, d, p, a);
    draft_body(w, d, q, b);
    draft_name(d, p, a);
    draft_name(d, q, b);
    channel_text(w, a, &head);
    str_add(&head, str_get(&d->name));
    str_free(&d->name);
    d->name = head;
}

// Some values of the parameters make the guard true.
static expr enabled(xlower *w, const draft *d) {
    return expr_exists(w->m, d->params.data, d->params.len, d->guard);
}

static void add_pairs(xlower *w, const xprocess *p, const xedge *a, expr committed, expr *urgent) {
    for (uint32_t i = 0; i < w->processes.len && !w->failed; i++) {
        const xprocess *q = w->processes.data[i];
        for (uint32_t k = 0; q != p && k < q->edges.len && !w->failed; k++) {
            const xedge *b = &q->edges.data[k];
            if (!b->has_channel || b->is_send || expr_is_false(w->m, same_channel(w, a, b))) continue;
            draft d;
            draft_pair(w, &d, p, a, q, b);
            if (a->channel.ty->is_urgent) *urgent = expr_or(w->m, *urgent, enabled(w, &d));
            add_rule(w, &d, committed);
            draft_free(&d);
        }
    }
}

// ---- broadcast

typedef struct {
    const xprocess *p;
    const xedge *e;
    expr here;        // location, guard and channel, in the state before
    var pick;         // id 0: the only edge of the process that can be enabled
    uint32_t number;  // among those that leave the same location
} receiver;

typedef VEC(receiver) receiver_list;

static void find_receivers(xlower *w, const xprocess *p, const xedge *a, receiver_list *out) {
    for (uint32_t i = 0; i < w->processes.len; i++) {
        const xprocess *q = w->processes.data[i];
        for (uint32_t k = 0; q != p && k < q->edges.len; k++) {
            const xedge *b = &q->edges.data[k];
            if (!b->has_channel || b->is_send) continue;
            expr same = same_channel(w, a, b);
            if (expr_is_false(w->m, same)) continue;
            expr here = expr_and(w->m, xlocation_is(w, q, b->from), expr_and(w->m, b->guard, same));
            vec_push(out, (receiver){.p = q, .e = b, .here = here});
        }
    }
}

static expr receives(xlower *w, const receiver *r) {
    return expr_exists(w->m, r->e->params.data, r->e->params.len, r->here);
}

static expr pick_is(xlower *w, const receiver *r, uint32_t number) {
    return expr_eq(w->m, expr_var(w->m, r->pick), expr_const(w->m, var_of(w->m, r->pick)->ty, (value)number));
}

static expr joins(xlower *w, const receiver *r) {
    return r->pick.id ? expr_and(w->m, r->here, pick_is(w, r, r->number)) : r->here;
}

// Numbers the edges that leave one location; the largest number of them, and whether one chooses values.
static uint32_t number_edges(receiver *list, uint32_t n, bool *has_params) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        list[i].number = 0;
        for (uint32_t k = 0; k < i; k++) list[i].number += list[i].e->from == list[k].e->from;
        if (list[i].number + 1 > most) most = list[i].number + 1;
        *has_params |= list[i].e->params.len > 0;
    }
    return most;
}

// In the location of list[i]: the edge picked is enabled, or none is and the first is picked.
static expr picks_one(xlower *w, const receiver *list, uint32_t n, uint32_t i) {
    expr one = w->m->false_expr, none = pick_is(w, &list[i], 0);
    for (uint32_t k = 0; k < n; k++) {
        if (list[k].e->from != list[i].e->from) continue;
        one = expr_or(w->m, one, joins(w, &list[k]));
        none = expr_and(w->m, none, expr_not(w->m, receives(w, &list[k])));
    }
    return expr_or(w->m, one, none);
}

// A process with several enabled edges, or with an edge that chooses values, takes one of them: `pick` says which. It
// counts the edges of one location only, so that there are few labels.
static void add_picks(xlower *w, draft *d, receiver *list, uint32_t n) {
    bool has_params = false;
    uint32_t most = number_edges(list, n, &has_params);
    if (most < 2 && !has_params) return;
    type t = model_range(w->m, 0, (int32_t)most - 1, (span){0});
    var pick =
        model_add_var(w->m, arena_printf(w->file->memory, "%s'", list[0].p->name), t, list[0].e->ast->at);
    vec_push(&d->params, pick);
    expr elsewhere = w->m->true_expr;
    for (uint32_t i = 0; i < n; i++) list[i].pick = pick;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < list[i].e->params.len; k++) vec_push(&d->params, list[i].e->params.data[k]);
        if (list[i].number) continue;
        expr here = xlocation_is(w, list[i].p, list[i].e->from);
        d->guard = expr_and(w->m, d->guard, expr_implies(w->m, here, picks_one(w, list, n, i)));
        elsewhere = expr_and(w->m, elsewhere, expr_not(w->m, here));
    }
    d->guard = expr_and(w->m, d->guard, expr_implies(w->m, elsewhere, pick_is(w, &list[0], 0)));
}

// Parameters of edges that do not join have their first values, so that there is one label a step.
static void pin_params(xlower *w, draft *d, const receiver *r) {
    for (uint32_t k = 0; k < r->e->params.len; k++) {
        var v = r->e->params.data[k];
        type ty = var_of(w->m, v)->ty;
        value first = type_is_number(w->m, ty) ? type_of(w->m, ty)->lo : 0;
        expr least = expr_eq(w->m, expr_var(w->m, v), expr_const(w->m, ty, first));
        d->guard = expr_and(w->m, d->guard, expr_or(w->m, joins(w, r), least));
    }
}

// The scratch function that keeps whether an edge receives; rules share it.
static func joins_function(xlower *w, const receiver *r) {
    const char *name =
        arena_printf(w->file->memory, "%s.joins'%u", r->p->name, (uint32_t)(r->e - r->p->edges.data));
    func f = model_find_func(w->m, w->system, name);
    if (f.id) return f;
    xtype *truth = arena_alloc(w->file->memory, sizeof *truth);
    *truth = (xtype){.kind = Y_BOOL, .hi = 1};
    return xstore_new(w, truth, name, r->e->ast->at, true)->f;
}

// Whether a receiver joins is decided before anything is written: kept in a local where that makes a
// difference.
static expr decided(xlower *w, draft *d, const receiver *r, expr e, uint32_t first_write) {
    span at = r->e->ast->at;
    stmt_list writes = {0};
    for (uint32_t i = first_write; i < d->body.len; i++) vec_push(&writes, d->body.data[i]);
    bool keeps = xreads_written(w, e, &writes);
    vec_free(&writes);
    if (!keeps) return e;
    func f = joins_function(w, r);
    stmt_list body = {0};
    vec_push(&body, model_assign(w->m, f, NULL, 0, e, at));
    for (uint32_t i = 0; i < d->body.len; i++) vec_push(&body, d->body.data[i]);
    vec_free(&d->body);
    d->body = body;
    return expr_app(w->m, f, NULL);
}

static void join_receiver(xlower *w, draft *d, const receiver *r, uint32_t *first_write) {
    uint32_t before = d->body.len;
    expr when = joins(w, r), is = decided(w, d, r, when, *first_write);
    if (d->body.len > before) ++*first_write;
    stmt_list body = {0};
    vec_push(&body, move(w, r->p, r->e));
    for (uint32_t i = 0; i < r->e->body.len; i++) vec_push(&body, r->e->body.data[i]);
    vec_push(&d->body, model_if(w->m, is, body.data, body.len, NULL, 0, r->e->ast->at));
    vec_free(&body);
    check_resets(w, r->e, &d->body);
    for (uint32_t i = 0; i < r->e->resets.len; i++) {
        clock_reset c = r->e->resets.data[i];
        c.when = c.when.id ? expr_and(w->m, when, c.when) : when;
        vec_push(&d->resets, c);
    }
}

static void broadcast_priority(xlower *w, draft *d, const receiver_list *list, expr committed) {
    expr leaves = w->m->false_expr;
    if (d->has_committed) return;
    for (uint32_t i = 0; i < list->len; i++)
        if (is_committed(list->data[i].p, list->data[i].e->from))
            leaves = expr_or(w->m, leaves, joins(w, &list->data[i]));
    d->guard = expr_and(w->m, d->guard, expr_or(w->m, expr_not(w->m, committed), leaves));
    d->has_committed = true;
}

static void add_broadcast(xlower *w, const xprocess *p, const xedge *a, expr committed, expr *urgent) {
    draft d = {.at = a->ast->at, .guard = w->m->true_expr};
    receiver_list list = {0};
    uint32_t first_write = 0;
    draft_guard(w, &d, p, a);
    if (a->channel.ty->is_urgent) *urgent = expr_or(w->m, *urgent, enabled(w, &d));
    find_receivers(w, p, a, &list);
    for (uint32_t i = 0, k; i < list.len; i = k) {
        for (k = i; k < list.len && list.data[k].p == list.data[i].p;) k++;
        add_picks(w, &d, &list.data[i], k - i);
        for (uint32_t j = i; j < k; j++)
            if (list.data[j].pick.id) pin_params(w, &d, &list.data[j]);
    }
    broadcast_priority(w, &d, &list, committed);
    draft_body(w, &d, p, a);
    for (uint32_t i = 0; i < list.len && !w->failed; i++) join_receiver(w, &d, &list.data[i], &first_write);
    channel_text(w, a, &d.name);
    str from = {0};
    str_printf(&from, "%s.%s -> %s, and all who listen", p->name, p->templ->locations.data[a->from].name,
               p->templ->locations.data[a->to].name);
    str_add(&d.name, str_get(&from));
    str_free(&from);
    add_rule(w, &d, committed);
    vec_free(&list);
    draft_free(&d);
}

static void add_rules(xlower *w) {
    expr committed = somewhere(w, true), urgent = w->m->false_expr;
    for (uint32_t i = 0; i < w->processes.len && !w->failed; i++) {
        const xprocess *p = w->processes.data[i];
        for (uint32_t k = 0; k < p->edges.len && !w->failed; k++) {
            const xedge *e = &p->edges.data[k];
            if (!e->has_channel) add_internal(w, p, e, committed);
            else if (!e->is_send) continue;
            else if (e->channel.ty->is_broadcast) add_broadcast(w, p, e, committed, &urgent);
            else add_pairs(w, p, e, committed, &urgent);
        }
    }
    w->timed->still = expr_or(w->m, somewhere(w, false), urgent);
}

static void add_start(xlower *w) {
    if (!w->starts.len) return;
    const stmt *body = model_block(w->m, S_SEQ, w->starts.data, w->starts.len, w->starts.data[0]->at);
    rule r = model_add_rule(w->m, (rule_info){.name = "start", .at = body->at, .body = body});
    vec_push(&sys_of(w->m, w->system)->inits, r);
}

bool xnetwork(xlower *w) {
    xdeclare(w, w->globals, w->file->decls.data, w->file->decls.len, "");
    if (!w->failed) make_processes(w);
    if (!w->failed) lower_processes(w);
    if (!w->failed) add_rules(w);
    if (!w->failed) add_start(w);
    return !w->failed;
}
