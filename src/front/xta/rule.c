// SPDX-License-Identifier: Apache-2.0
// Rules of a network: an edge without a channel is a rule, so is each pair of edges that can meet on a channel,
// and each sending edge of a broadcast channel with, in order, all receivers that are enabled. A committed
// location anywhere forbids the rules that leave none: that is part of guards.
#include "front/xta/internal.h"

#include "model/stmt.h"
#include "model/walk.h"

enum { MOST_RULES = 20000 };

#define add_all(to, from) \
    for (uint32_t at_ = 0; at_ < (from)->len; at_++) vec_push(to, (from)->data[at_])

static bool is_committed(const xprocess *p, uint32_t l) { return p->templ->locations.data[l].is_committed; }

// Some process is in a location of the kind.
static expr somewhere(xlower *w, bool committed) {
    expr_list any = {0};
    for (uint32_t i = 0; i < w->processes.len; i++) {
        const xprocess *p = w->processes.data[i];
        for (uint32_t k = 0; k < p->templ->locations.len; k++) {
            const xta_location *l = &p->templ->locations.data[k];
            if (committed ? l->is_committed : l->is_urgent || l->is_committed) vec_push(&any, xlocation_is(w, p, k));
        }
    }
    expr e = expr_or_all(w->m, any.data, any.len);
    vec_free(&any);
    return e;
}

typedef struct {
    str name;  // of the moves, "P.a -> b, Q.c -> d"
    span at;
    VEC(var) params;
    VEC(edge_move) moves;
    VEC(edge_listener) listeners;
    const char *channel;  // as text; NULL: none
    bool has_listeners;
    expr guard;
    bound_list bounds;
    reset_list resets;
    stmt_list body;
    bool has_committed;
    expr channel_level;  // id 0: that of steps without a channel
    expr process_level;  // the highest of those who take part; id 0: 0
} draft;

static void xta_draft_free(draft *d) {
    str_free(&d->name);
    vec_free(&d->params);
    vec_free(&d->moves);
    vec_free(&d->listeners);
    vec_free(&d->bounds);
    vec_free(&d->resets);
    vec_free(&d->body);
}

static const stmt *move(xlower *w, const xprocess *p, const xedge *e) {
    return model_assign(w->m, p->location, NULL, 0, expr_const(w->m, p->location_type, (value)e->to), e->ast->at);
}

// ---- priorities

static uint32_t process_levels(const xlower *w) {
    const xta_file *f = w->file;
    return vec_last(&f->processes).level + 1;
}

static void set_level(xlower *w, const xta_priority *x) {
    if (!x->channel) {
        w->default_level = x->level;
        for (uint32_t i = 0; i < w->channel_types.len; i++) w->channel_levels[i] = x->level;
        return;
    }
    w->scope = w->globals;
    xplace p = xplace_of(w, x->channel);
    const xtype *ty = p.ty;
    uint32_t many = 1;  // channels of an array, or of what indices leave of it
    for (; !w->failed && ty->kind == Y_ARRAY; ty = ty->element) many *= (uint32_t)(ty->hi - ty->lo + 1);
    if (!w->failed && ty->kind != Y_CHAN) xfail(w, x->at, "a channel is expected here");
    if (w->failed) return;
    const xstore *s = p.store;
    while (s->ty->kind == Y_ARRAY) s = s->kids[0];
    for (uint32_t i = 0; i < xclock_candidates(&p); i++) {
        expr is = xelement_is(w, &p, i);
        for (uint32_t k = 0; k < many && expr_is_true(w->m, is); k++)
            w->channel_levels[s->base + i * many + k] = x->level;
    }
}

static void set_levels(xlower *w) {
    const xta_file *f = w->file;
    w->channel_levels = mem_zero(w->channel_types.len + 1, sizeof *w->channel_levels);
    for (uint32_t i = 0; i < f->priorities.len; i++)
        if (!f->priorities.data[i].channel) set_level(w, &f->priorities.data[i]);
    for (uint32_t i = 0; i < f->priorities.len && !w->failed; i++)
        if (f->priorities.data[i].channel) set_level(w, &f->priorities.data[i]);
    w->timed->has_priorities = (f->priorities.len && vec_last(&f->priorities).level > 0) || process_levels(w) > 1;
}

// The level of the channel that the edge means.
static expr channel_level(xlower *w, const xedge *e) {
    expr level = {0};
    for (uint32_t i = 0; i < xclock_candidates(&e->channel); i++) {
        expr is = xelement_is(w, &e->channel, i), here = xint(w, w->channel_levels[e->channel.store->base + i]);
        if (expr_is_false(w->m, is)) continue;
        level = level.id ? expr_ite(w->m, is, here, level) : here;
    }
    return level.id ? level : xint(w, w->default_level);
}

static void raise_level(xlower *w, draft *d, const xprocess *p) {
    value now = 0;
    if (d->process_level.id) expr_is_const(w->m, d->process_level, &now);
    if (p->level > (uint32_t)now || !d->process_level.id) d->process_level = xint(w, p->level);
}

// Channels count first, then processes.
static expr draft_priority(xlower *w, const draft *d) {
    if (!w->timed->has_priorities) return (expr){0};
    expr c = d->channel_level.id ? d->channel_level : xint(w, w->default_level);
    expr p = d->process_level.id ? d->process_level : xint(w, 0);
    return xbinary(w, OP_ADD, xbinary(w, OP_MUL, c, xint(w, process_levels(w)), d->at), p, d->at);
}

// ---- making a rule

static void draft_move(draft *d, const xprocess *p, const xedge *e) {
    const xta_template *t = p->templ;
    str_printf(&d->name, "%s%s.%s -> %s", d->name.len ? ", " : "", p->name, t->locations.data[e->from].name,
               t->locations.data[e->to].name);
    vec_push(&d->moves, ((edge_move){p->index, e->number}));
}

// Where the edge starts and its guard come first, so that a guard is read only where it is meant to be.
static void draft_guard(xlower *w, draft *d, const xprocess *p, const xedge *e) {
    d->guard = expr_and(w->m, d->guard, xlocation_is(w, p, e->from));
    d->guard = expr_and(w->m, d->guard, e->guard);
    draft_move(d, p, e);
    add_all(&d->params, &e->params);
    add_all(&d->bounds, &e->bounds);
    d->has_committed |= is_committed(p, e->from);
    if (e->has_channel && !d->channel_level.id) d->channel_level = channel_level(w, e);
    raise_level(w, d, p);
}

bool xreads_written(const xlower *w, expr e, const stmt_list *body) {
    walk at = walk_expr(w->m, e, 0);
    while (walk_next(&at))
        for (uint32_t i = 0; at.x->kind == E_APP && i < body->len; i++)
            if (stmt_writes(body->data[i], (func){at.x->ref})) return walk_found(&at);
    return false;
}

// Values given to clocks are read before the step, also where others write in it before.
static void draft_resets(xlower *w, draft *d, const xedge *e, expr joins) {
    for (uint32_t i = 0; i < e->resets.len && !w->failed; i++) {
        clock_reset r = e->resets.data[i];
        r.value = xbefore(w, r.value, &d->body, r.at);
        if (r.when.id) r.when = xbefore(w, r.when, &d->body, r.at);
        if (joins.id) r.when = r.when.id ? expr_and(w->m, joins, r.when) : joins;
        vec_push(&d->resets, r);
    }
}

static void draft_body(xlower *w, draft *d, const xprocess *p, const xedge *e) {
    draft_resets(w, d, e, (expr){0});
    vec_push(&d->body, move(w, p, e));
    add_all(&d->body, &e->body);
}

static const char *rule_name(xlower *w, const draft *d) {
    return arena_printf(w->file->memory, "%s%s%s%s", d->channel ? d->channel : "", d->channel ? ": " : "",
                        str_get(&d->name), d->has_listeners ? ", and all who listen" : "");
}

static void xta_add_rule(xlower *w, draft *d, expr committed) {
    if (w->failed || expr_is_false(w->m, d->guard)) return;
    if (!d->has_committed) d->guard = expr_and(w->m, d->guard, expr_not(w->m, committed));
    if (expr_is_false(w->m, d->guard)) return;
    if (d->params.len > MODEL_MOST_PARAMS)
        xfail(w, d->at, "the edges of one step select more than %d values", MODEL_MOST_PARAMS);
    rule r = model_add_rule(w->m, (rule_info){.name = rule_name(w, d),
                                              .channel = d->channel,
                                              .at = d->at,
                                              .params = d->params.data,
                                              .nparams = d->params.len,
                                              .guard = d->guard,
                                              .body = model_block(w->m, S_SEQ, d->body.data, d->body.len, d->at),
                                              .is_visible = true,
                                              .bounds = d->bounds.data,
                                              .nbounds = d->bounds.len,
                                              .resets = d->resets.data,
                                              .nresets = d->resets.len,
                                              .moves = d->moves.data,
                                              .nmoves = d->moves.len,
                                              .listeners = d->listeners.data,
                                              .nlisteners = d->listeners.len,
                                              .priority = draft_priority(w, d)});
    vec_push(&sys_of(w->m, w->system)->rules, r);
    if (sys_of(w->m, w->system)->rules.len > MOST_RULES) xfail(w, d->at, "there are too many pairs of edges");
}

static void add_internal(xlower *w, const xprocess *p, const xedge *e, expr committed) {
    draft d = {.at = e->ast->at, .guard = w->m->true_expr};
    draft_guard(w, &d, p, e);
    draft_body(w, &d, p, e);
    xta_add_rule(w, &d, committed);
    xta_draft_free(&d);
}

// The two mean the same channel.
static expr xta_same_place(xlower *w, const xplace *a, const xplace *b, span at) {
    if (a->store != b->store) return w->m->false_expr;
    expr same = w->m->true_expr;
    for (uint32_t i = 0; i < a->nindex; i++)
        same = expr_and(w->m, same, xbinary(w, OP_EQ, a->index[i], b->index[i], at));
    return same;
}

static expr same_channel(xlower *w, const xedge *a, const xedge *b) {
    return xta_same_place(w, &a->channel, &b->channel, a->ast->at);
}

static const char *channel_text(xlower *w, const xedge *e) {
    str text = {0};
    diag_source_text(w->file->messages, e->ast->channel->at, &text);
    const char *kept = arena_str(w->m->memory, str_get(&text));
    str_free(&text);
    return kept;
}

// Some values of the parameters make the guard true.
static expr xta_enabled(xlower *w, const draft *d) {
    return expr_exists(w->m, d->params.data, d->params.len, d->guard);
}

static void xta_add_pairs(xlower *w, const xprocess *p, const xedge *a, expr committed, expr_list *urgent) {
    for (const xlistener *l = a->channel.store->first_listener; l && !w->failed; l = l->next) {
        if (l->p == p || expr_is_false(w->m, same_channel(w, a, l->e))) continue;
        draft d = {.at = a->ast->at, .guard = w->m->true_expr, .channel = channel_text(w, a)};
        draft_guard(w, &d, p, a);
        draft_guard(w, &d, l->p, l->e);
        d.guard = expr_and(w->m, d.guard, same_channel(w, a, l->e));
        draft_body(w, &d, p, a);
        draft_body(w, &d, l->p, l->e);
        if (a->channel.ty->is_urgent) vec_push(urgent, xta_enabled(w, &d));
        xta_add_rule(w, &d, committed);
        xta_draft_free(&d);
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

// ---- values that the channel gives
//
// Where an edge receives on `c[n]` and selects n, there is one value for it: the sender's index. If that stays what it
// is throughout the step, n is replaced by it, and is no choice.

typedef struct {
    var vars[XTA_MOST_INDICES];
    expr with[XTA_MOST_INDICES];
    uint32_t n;
    bool is_never;  // the index is none that can be selected
} given;

static bool xta_is_given(const given *g, var v) {
    for (uint32_t i = 0; i < g->n; i++)
        if (g->vars[i].id == v.id) return true;
    return false;
}

static bool xta_selects(const xedge *e, var v) {
    for (uint32_t i = 0; i < e->params.len; i++)
        if (e->params.data[i].id == v.id) return true;
    return false;
}

// Is the sender's index one value throughout the step, and is it in v's range: always, or never?
typedef enum { GIVEN_NOT, GIVEN_ALWAYS, GIVEN_NEVER } given_kind;

static given_kind give_value(xlower *w, expr index, var v, expr *out) {
    const type_info *ty = type_of(w->m, var_of(w->m, v)->ty);
    const expr_info *x = expr_of(w->m, index);
    value n;
    *out = index;
    if (ty->kind != TYPE_RANGE) return GIVEN_NOT;
    if (x->kind == E_VAR) {
        const type_info *of = type_of(w->m, var_of(w->m, (var){x->ref})->ty);
        return of->kind == TYPE_RANGE && of->lo >= ty->lo && of->hi <= ty->hi ? GIVEN_ALWAYS : GIVEN_NOT;
    }
    if (!expr_is_const(w->m, index, &n)) return GIVEN_NOT;
    if (n < ty->lo || n > ty->hi) return GIVEN_NEVER;
    *out = expr_const(w->m, var_of(w->m, v)->ty, n);
    return GIVEN_ALWAYS;
}

static void find_given(xlower *w, const xedge *a, const xedge *e, given *g) {
    for (uint32_t i = 0; i < e->channel.nindex; i++) {
        const expr_info *x = expr_of(w->m, e->channel.index[i]);
        var v = {x->kind == E_VAR ? x->ref : 0};
        if (!v.id || !xta_selects(e, v) || xta_is_given(g, v)) continue;
        given_kind is = give_value(w, a->channel.index[i], v, &g->with[g->n]);
        g->is_never |= is == GIVEN_NEVER;
        if (is == GIVEN_ALWAYS) g->vars[g->n++] = v;
    }
}

static expr give_expr(xlower *w, const given *g, expr e) {
    return e.id ? expr_subst(w->m, e, g->vars, g->with, g->n) : e;
}

static void give_clocks(xlower *w, const given *g, const xedge *e, xedge *to) {
    bound_list bounds = {0};
    reset_list resets = {0};
    for (uint32_t i = 0; i < e->bounds.len; i++) {
        clock_bound b = e->bounds.data[i];
        b.bound = give_expr(w, g, b.bound);
        b.when = give_expr(w, g, b.when);
        vec_push(&bounds, b);
    }
    for (uint32_t i = 0; i < e->resets.len; i++) {
        clock_reset r = e->resets.data[i];
        r.value = give_expr(w, g, r.value);
        r.when = give_expr(w, g, r.when);
        vec_push(&resets, r);
    }
    to->bounds.data = arena_copy(w->file->memory, bounds.data, bounds.len * sizeof *bounds.data);
    to->resets.data = arena_copy(w->file->memory, resets.data, resets.len * sizeof *resets.data);
    vec_free(&bounds);
    vec_free(&resets);
}

static void give_body(xlower *w, const given *g, const xedge *e, xedge *to) {
    stmt_list body = {0};
    for (uint32_t i = 0; i < e->body.len; i++)
        vec_push(&body, stmt_subst(w->m, e->body.data[i], g->vars, g->with, g->n));
    to->body.data = arena_copy(w->file->memory, body.data, body.len * sizeof *body.data);
    vec_free(&body);
}

// The edge as it hears this sender; NULL: it does not. It lives as long as the file.
static const xedge *edge_told(xlower *w, const xedge *a, const xedge *e) {
    given g = {.n = 0};
    find_given(w, a, e, &g);
    if (g.is_never || !g.n) return g.is_never ? NULL : e;
    xedge *to = arena_copy(w->file->memory, e, sizeof *e);
    to->params.data = arena_copy(w->file->memory, e->params.data, e->params.len * sizeof *e->params.data);
    to->params.len = 0;
    for (uint32_t i = 0; i < e->params.len; i++)
        if (!xta_is_given(&g, e->params.data[i])) to->params.data[to->params.len++] = e->params.data[i];
    to->guard = give_expr(w, &g, e->guard);
    for (uint32_t i = 0; i < e->channel.nindex; i++) to->channel.index[i] = give_expr(w, &g, e->channel.index[i]);
    give_clocks(w, &g, e, to);
    give_body(w, &g, e, to);
    return to;
}

static void find_receivers(xlower *w, const xprocess *p, const xedge *a, receiver_list *out) {
    for (const xlistener *l = a->channel.store->first_listener; l && !w->failed; l = l->next) {
        if (l->p == p || expr_is_false(w->m, same_channel(w, a, l->e))) continue;
        const xedge *e = edge_told(w, a, l->e);
        if (!e) continue;
        if (e->bounds.len && e->params.len)
            xfail(w, e->ast->at, "a receiver of a broadcast with clock guards cannot select values");
        expr heard = expr_and(w->m, e->guard, same_channel(w, a, e));
        expr here = expr_and(w->m, xlocation_is(w, l->p, e->from), heard);
        if (!expr_is_false(w->m, here)) vec_push(out, (receiver){.p = l->p, .e = e, .here = here});
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

// ---- receivers with clock guards

// Whether such a receiver joins depends on the clocks. A process with some has a parameter more, `able'`, that says it
// of each edge of the location where it is: a number whose digits say, edge by edge, that all bounds of its guard hold
// (0), or which is the first that fails. Where the edge is not enabled without clocks, its digit is 0: one label a
// step.
enum { MOST_OUTCOMES = 64 };

typedef struct {
    var v;
    type t;
    uint32_t most;  // values of v
} outcomes;

static uint32_t radix_of(const receiver *r) { return r->e->bounds.len + 1; }

// What digits of edges of the same location before this one take.
static uint32_t scale_of(const receiver *list, uint32_t i) {
    uint32_t scale = 1;
    for (uint32_t k = 0; k < i && scale <= MOST_OUTCOMES; k++)
        if (list[k].e->from == list[i].e->from) scale *= radix_of(&list[k]);
    return scale;
}

// The values of v whose digit for the edge is within lo..hi.
static expr digit_within(xlower *w, const outcomes *o, const receiver *list, uint32_t i, uint32_t lo, uint32_t hi) {
    expr_list any = {0};
    uint32_t scale = scale_of(list, i);
    for (uint32_t n = 0; n < o->most; n++) {
        uint32_t digit = n / scale % radix_of(&list[i]);
        if (digit >= lo && digit <= hi)
            vec_push(&any, expr_eq(w->m, expr_var(w->m, o->v), expr_const(w->m, o->t, (value)n)));
    }
    expr e = any.len == o->most ? w->m->true_expr : expr_or_all(w->m, any.data, any.len);
    vec_free(&any);
    return e;
}

static clock_bound failing_bound(xlower *w, const clock_bound *b) {
    clock_bound n = *b;
    n.left = b->right;
    n.right = b->left;
    n.is_strict = !b->is_strict;
    n.bound = xbinary(w, OP_SUB, xint(w, 0), b->bound, b->at);
    return n;
}

static void push_bound(xlower *w, draft *d, clock_bound b, expr when) {
    b.when = b.when.id ? expr_and(w->m, when, b.when) : when;
    vec_push(&d->bounds, b);
}

// Bound k of the edge holds where the digit is 0 or names a later one, and fails where it names this one.
static void split_edge(xlower *w, draft *d, const outcomes *o, receiver *list, uint32_t i) {
    receiver *r = &list[i];
    uint32_t n = r->e->bounds.len;
    expr able = digit_within(w, o, list, i, 0, 0);
    expr is_there = xlocation_is(w, r->p, r->e->from);
    d->guard = expr_and(w->m, d->guard, expr_implies(w->m, is_there, expr_or(w->m, r->here, able)));
    for (uint32_t k = 0; k < n; k++) {
        const clock_bound *b = &r->e->bounds.data[k];
        expr later = digit_within(w, o, list, i, k + 2, n), fails = digit_within(w, o, list, i, k + 1, k + 1);
        push_bound(w, d, *b, expr_and(w->m, r->here, expr_or(w->m, able, later)));
        push_bound(w, d, failing_bound(w, b), expr_and(w->m, r->here, fails));
        if (b->when.id)
            d->guard = expr_and(w->m, d->guard, expr_implies(w->m, expr_and(w->m, is_there, fails), b->when));
    }
    r->here = expr_and(w->m, r->here, able);
}

// Values that mean nothing in the location where the process is are not taken.
static void limit_outcomes(xlower *w, draft *d, const outcomes *o, const receiver *list, uint32_t n) {
    expr elsewhere = w->m->true_expr;
    for (uint32_t i = 0; i < n; i++) {
        bool is_last = true;
        for (uint32_t k = i + 1; k < n; k++) is_last &= list[k].e->from != list[i].e->from;
        if (!is_last) continue;
        uint32_t count = scale_of(list, i) * radix_of(&list[i]);
        expr here = xlocation_is(w, list[i].p, list[i].e->from);
        expr within = expr_arith(w->m, E_LT, expr_var(w->m, o->v), xint(w, count));
        if (count < o->most) d->guard = expr_and(w->m, d->guard, expr_implies(w->m, here, within));
        elsewhere = expr_and(w->m, elsewhere, expr_not(w->m, here));
    }
    expr first = expr_eq(w->m, expr_var(w->m, o->v), expr_const(w->m, o->t, 0));
    d->guard = expr_and(w->m, d->guard, expr_implies(w->m, elsewhere, first));
}

// All edges of one process.
static void split_by_clocks(xlower *w, draft *d, receiver *list, uint32_t n) {
    outcomes o = {.most = 1};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = scale_of(list, i) * radix_of(&list[i]);
        if (count > o.most) o.most = count;
    }
    if (o.most == 1 || w->failed) return;
    if (o.most > MOST_OUTCOMES) {
        xfail(w, list[0].e->ast->at, "the receivers of a broadcast in one location have too many clock guards");
        return;
    }
    o.t = model_range(w->m, 0, (int32_t)o.most - 1, (span){0});
    o.v = model_add_var(w->m, "able'", o.t, list[0].e->ast->at);
    w->m->vars.data[o.v.id].process = list[0].p->index + 1;
    vec_push(&d->params, o.v);
    limit_outcomes(w, d, &o, list, n);
    for (uint32_t i = 0; i < n && !w->failed; i++)
        if (list[i].e->bounds.len) split_edge(w, d, &o, list, i);
}

// ---- which edge

// Do the two never hold together: one says not what the other says, or another value of the same?
static bool are_opposite(const xlower *w, expr a, expr b) {
    const expr_info *x = expr_of(w->m, a), *y = expr_of(w->m, b);
    if (x->kind == E_NOT && x->args[0].id == b.id) return true;
    if (y->kind == E_NOT && y->args[0].id == a.id) return true;
    value is, other;
    if (x->kind != E_EQ || y->kind != E_EQ) return false;
    for (uint32_t i = 0; i < 4; i++)
        if (x->args[i & 1].id == y->args[i >> 1].id && expr_is_const(w->m, x->args[!(i & 1)], &is) &&
            expr_is_const(w->m, y->args[!(i >> 1)], &other))
            return is != other;
    return false;
}

// At most one of the two edges is enabled, as what each asks for shows.
static bool exclude_each_other(const xlower *w, const receiver *a, const receiver *b) {
    uint32_t n = 0, many = 0;
    const expr *of_a = expr_conjuncts(w->m, &a->here, &n), *of_b = expr_conjuncts(w->m, &b->here, &many);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < many; k++)
            if (are_opposite(w, of_a[i], of_b[k])) return true;
    return false;
}

// Numbers the edges that leave one location; can several of them be enabled, or does one choose values?
static bool number_edges(const xlower *w, receiver *list, uint32_t n, uint32_t *most) {
    bool has_choice = false;
    for (uint32_t i = 0; i < n; i++) {
        list[i].number = 0;
        for (uint32_t k = 0; k < i; k++) {
            if (list[i].e->from != list[k].e->from) continue;
            list[i].number++;
            has_choice |= !exclude_each_other(w, &list[i], &list[k]);
        }
        if (list[i].number + 1 > *most) *most = list[i].number + 1;
        has_choice |= list[i].e->params.len > 0;
    }
    return has_choice;
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
    uint32_t most = 0;
    if (!number_edges(w, list, n, &most)) return;
    type t = model_range(w->m, 0, (int32_t)most - 1, (span){0});
    var pick = model_add_var(w->m, arena_printf(w->file->memory, "%s'", list[0].p->name), t, list[0].e->ast->at);
    w->m->vars.data[pick.id].process = list[0].p->index + 1;
    w->m->vars.data[pick.id].is_pick = true;
    vec_push(&d->params, pick);
    expr elsewhere = w->m->true_expr;
    for (uint32_t i = 0; i < n; i++) list[i].pick = pick;
    for (uint32_t i = 0; i < n; i++) {
        add_all(&d->params, &list[i].e->params);
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
        expr least = expr_eq(w->m, expr_var(w->m, v), expr_const(w->m, ty, type_first(w->m, ty)));
        d->guard = expr_and(w->m, d->guard, expr_or(w->m, joins(w, r), least));
    }
}

// The scratch function that keeps whether an edge receives; rules share it.
static func joins_function(xlower *w, const receiver *r) {
    func *f = &r->p->edges.data[r->e->place].joins;
    if (f->id) return *f;
    const xtype *truth = xtype_of_expr(w, w->m->true_expr);
    const char *name = arena_printf(w->file->memory, "joins'%u", r->e->place);
    return *f = xstore_new(w, truth, r->p, name, r->e->ast->at, true)->f;
}

// Whether a receiver joins is decided before anything is written: kept in a local where that makes a
// difference.
static expr xta_decided(xlower *w, draft *d, const receiver *r, expr e, uint32_t first_write) {
    span at = r->e->ast->at;
    stmt_list writes = {0};
    for (uint32_t i = first_write; i < d->body.len; i++) vec_push(&writes, d->body.data[i]);
    bool keeps = xreads_written(w, e, &writes);
    vec_free(&writes);
    if (!keeps) return e;
    func f = joins_function(w, r);
    stmt_list body = {0};
    vec_push(&body, model_assign(w->m, f, NULL, 0, e, at));
    add_all(&body, &d->body);
    vec_free(&d->body);
    d->body = body;
    return expr_app(w->m, f, NULL);
}

static void join_receiver(xlower *w, draft *d, const receiver *r, uint32_t *first_write) {
    uint32_t before = d->body.len;
    expr when = joins(w, r), is = xta_decided(w, d, r, when, *first_write);
    vec_push(&d->listeners, ((edge_listener){r->e->number, when}));
    draft_resets(w, d, r->e, when);
    if (d->body.len > before) ++*first_write;
    stmt_list body = {0};
    vec_push(&body, move(w, r->p, r->e));
    add_all(&body, &r->e->body);
    vec_push(&d->body, model_if(w->m, is, body.data, body.len, NULL, 0, r->e->ast->at));
    vec_free(&body);
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

// The highest level of the sender and of those who join.
static void raise_by_receivers(xlower *w, draft *d, const receiver_list *list) {
    value least = 0;
    expr_is_const(w->m, d->process_level, &least);
    for (uint32_t level = (uint32_t)least + 1; level < process_levels(w); level++)
        for (uint32_t i = 0; i < list->len; i++)
            if (list->data[i].p->level == level)
                d->process_level = expr_ite(w->m, joins(w, &list->data[i]), xint(w, level), d->process_level);
}

static void add_broadcast(xlower *w, const xprocess *p, const xedge *a, expr committed, expr_list *urgent) {
    draft d = {.at = a->ast->at, .guard = w->m->true_expr};
    receiver_list list = {0};
    uint32_t first_write = 0;
    draft_guard(w, &d, p, a);
    if (a->channel.ty->is_urgent) vec_push(urgent, xta_enabled(w, &d));
    find_receivers(w, p, a, &list);
    for (uint32_t i = 0, k; i < list.len; i = k) {
        for (k = i; k < list.len && list.data[k].p == list.data[i].p;) k++;
        split_by_clocks(w, &d, &list.data[i], k - i);
        add_picks(w, &d, &list.data[i], k - i);
        for (uint32_t j = i; j < k; j++)
            if (list.data[j].pick.id) pin_params(w, &d, &list.data[j]);
    }
    broadcast_priority(w, &d, &list, committed);
    raise_by_receivers(w, &d, &list);
    draft_body(w, &d, p, a);
    for (uint32_t i = 0; i < list.len && !w->failed; i++) join_receiver(w, &d, &list.data[i], &first_write);
    d.channel = channel_text(w, a);
    d.has_listeners = true;
    xta_add_rule(w, &d, committed);
    vec_free(&list);
    xta_draft_free(&d);
}

// ---- all who share a channel (as in CSP)

typedef VEC(const xprocess *) process_list;

typedef struct {
    xplace channel;  // with constant indices
    process_list sharing;
    uint32_t next;  // 1 + index of another of the same array
} csp_channel;

typedef VEC(csp_channel) csp_list;

static void share(xlower *w, csp_list *list, const xprocess *p, const xta_ast *name) {
    w->scope = p->scope;
    xplace c = xplace_of(w, name);
    if (!w->failed && c.ty->kind != Y_CHAN) xfail(w, name->at, "a channel is expected here");
    if (w->failed) return;
    for (uint32_t i = c.store->shared; i; i = list->data[i - 1].next) {
        if (!expr_is_true(w->m, xta_same_place(w, &list->data[i - 1].channel, &c, name->at))) continue;
        vec_push(&list->data[i - 1].sharing, p);
        return;
    }
    csp_channel made = {.channel = c, .next = c.store->shared};
    vec_push(&made.sharing, p);
    vec_push(list, made);
    c.store->shared = list->len;
}

static void find_shared(xlower *w, csp_list *list) {
    VEC(const xprocess *) who = {0};
    w->scope = w->globals;
    for (uint32_t i = 0; i < w->file->ios.len; i++)
        vec_push(&who, w->failed ? NULL : xprocess_of(w, w->file->ios.data[i].process));
    for (uint32_t k = 0; k < w->processes.len; k++)
        for (uint32_t i = 0; i < w->file->ios.len && !w->failed; i++) {
            const xta_io *io = &w->file->ios.data[i];
            for (uint32_t c = 0; who.data[i] == w->processes.data[k] && c < io->nchannels && !w->failed; c++)
                share(w, list, w->processes.data[k], io->channels[c]);
        }
    vec_free(&who);
}

typedef struct {
    const csp_channel *c;
    const xedge *chosen[64];
    expr committed;
    expr_list *urgent;
} csp_choice;

static void add_csp_rule(xlower *w, const csp_choice *x) {
    const process_list *who = &x->c->sharing;
    draft d = {.at = x->chosen[0]->ast->at, .guard = w->m->true_expr};
    d.channel = channel_text(w, x->chosen[0]);
    for (uint32_t i = 0; i < who->len; i++) {
        const xprocess *p = who->data[i];
        const xedge *e = x->chosen[i];
        draft_guard(w, &d, p, e);
        d.guard = expr_and(w->m, d.guard, xta_same_place(w, &e->channel, &x->c->channel, e->ast->at));
        draft_body(w, &d, p, e);
    }
    if (x->c->channel.ty->is_urgent) vec_push(x->urgent, xta_enabled(w, &d));
    xta_add_rule(w, &d, x->committed);
    xta_draft_free(&d);
}

// One rule for every choice of an edge of each process that shares the channel.
static void choose_edges(xlower *w, csp_choice *x, uint32_t n) {
    if (w->failed) return;
    if (n == x->c->sharing.len) {
        add_csp_rule(w, x);
        return;
    }
    const xprocess *p = x->c->sharing.data[n];
    for (uint32_t i = 0; i < p->edges.len; i++) {
        x->chosen[n] = &p->edges.data[i];
        if (!x->chosen[n]->has_channel) continue;
        expr same = xta_same_place(w, &x->chosen[n]->channel, &x->c->channel, x->chosen[n]->ast->at);
        if (!expr_is_false(w->m, same)) choose_edges(w, x, n + 1);
    }
}

static void add_csp_rules(xlower *w, expr committed, expr_list *urgent) {
    csp_list list = {0};
    find_shared(w, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        csp_choice x = {.c = &list.data[i], .committed = committed, .urgent = urgent};
        if (list.data[i].sharing.len > sizeof x.chosen / sizeof *x.chosen)
            xfail(w, w->file->ios.data[0].process->at, "too many processes share a channel");
        if (!w->failed) choose_edges(w, &x, 0);
        vec_free(&list.data[i].sharing);
    }
    vec_free(&list);
}

// ---- edges

static void xta_add_edge(xlower *w, xta_template *t, uint32_t i) {
    const xta_edge *e = &t->edges.data[i];
    uint32_t from = xta_location_find(t, e->from), to = xta_location_find(t, e->to);
    vec_push(&w->timed->edges,
             ((timed_edge){.name = arena_printf(w->m->memory, "%s.%s -> %s", t->name, t->locations.data[from].name,
                                                t->locations.data[to].name),
                           .family = arena_str(w->m->memory, t->name),
                           .from = (value)from,
                           .to = (value)to,
                           .at = e->at}));
    t->numbers[i] = w->timed->edges.len - 1;
}

static void number_template(xlower *w, xta_template *t) {
    if (t->numbers) return;
    t->numbers = arena_alloc(w->file->memory, (t->edges.len + 1) * sizeof *t->numbers);
    for (uint32_t i = 0; i < t->edges.len; i++) xta_add_edge(w, t, i);
}

static void number_process(xlower *w, xprocess *p) {
    number_template(w, p->templ);
    for (uint32_t k = 0; k < p->edges.len; k++) {
        xedge *e = &p->edges.data[k];
        e->number = p->templ->numbers[e->ast - p->templ->edges.data];
        if (e->has_channel && !e->ast->is_csp && !e->is_send && e->channel.ty->is_broadcast)
            w->timed->edges.data[e->number].listens = true;
    }
}

void xrules(xlower *w) {
    for (uint32_t i = 0; i < w->processes.len && !w->failed; i++) number_process(w, w->processes.data[i]);
    expr committed = somewhere(w, true);
    expr_list urgent = {0};
    vec_push(&urgent, somewhere(w, false));
    set_levels(w);
    for (uint32_t i = 0; i < w->processes.len && !w->failed; i++) {
        const xprocess *p = w->processes.data[i];
        for (uint32_t k = 0; k < p->edges.len && !w->failed; k++) {
            const xedge *e = &p->edges.data[k];
            if (!e->has_channel) add_internal(w, p, e, committed);
            else if (!e->is_send || e->ast->is_csp) continue;
            else if (e->channel.ty->is_broadcast) add_broadcast(w, p, e, committed, &urgent);
            else xta_add_pairs(w, p, e, committed, &urgent);
        }
    }
    if (w->syncs_csp) add_csp_rules(w, committed, &urgent);
    w->timed->still = expr_or_all(w->m, urgent.data, urgent.len);
    vec_free(&urgent);
}
