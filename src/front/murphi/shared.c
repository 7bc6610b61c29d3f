// SPDX-License-Identifier: Apache-2.0
// Bodies of large functions, lowered once for all calls that need the same one.
//
// Written out at every call, functions that call functions become exponentially large. A *heavy* one, which would be
// large when written out, has places of its own for what is handed over: values, indices of the places that `var`
// parameters stand for, the result; its temporaries are its own too. So what is left of a call in the body is only
// which variables its parameters stand for, and calls that agree on these have one statement, which occurs as often as
// it is called. It must not be active twice: a function that may call itself has another copy for each depth (call.c),
// and its body is only used again where the same calls are under way.
#include "front/murphi/lower.h"

enum { HEAVY = 4000, HEAVIEST = 1 << 28 };

struct murphi_callee {
    const murphi_node *decl;
    temp_pools temps;  // of its bodies
    VEC(place) indices;
    const func *result;
};

// ---- which functions are heavy

static uint32_t shared_add(uint32_t a, uint32_t b) { return a + b > HEAVIEST ? HEAVIEST : a + b; }

// Nodes of a text with its calls written out.
uint32_t murphi_weigh(lowering *l, const murphi_node *n) {
    if (!n) return 0;
    symbol *s = n->kind == MX_CALL || n->kind == MS_CALL ? murphi_find(l, n->name) : NULL;
    uint32_t w = s && s->kind == SYMBOL_FUNCTION ? murphi_weight(l, s->decl) : 0;
    for (uint32_t i = 0; i < n->nkids; i++) w = shared_add(w, murphi_weigh(l, n->kids[i]));
    return shared_add(w, 1);
}

// One that calls itself is heaviest: that is what is known of it while it is looked at.
uint32_t murphi_weight(lowering *l, const murphi_node *decl) {
    uint32_t known = map_get(l->weights, &decl, sizeof decl, 0);
    if (known) return known;
    map_put(l->weights, &decl, sizeof decl, HEAVIEST);
    uint32_t w = murphi_weigh(l, decl->kids[1]);
    map_put(l->weights, &decl, sizeof decl, w);
    return w;
}

bool murphi_is_heavy(lowering *l, const murphi_node *decl) {
    return l->options->shares_bodies || murphi_weight(l, decl) > HEAVY;
}

// ---- what belongs to a function

static murphi_callee *callee_of(lowering *l, const murphi_node *decl) {
    uint32_t i = map_intern(l->callee_of, &decl, sizeof decl, l->callees.len);
    if (i == l->callees.len) {
        murphi_callee *c = arena_alloc(l->m->memory, sizeof *c);
        c->decl = decl;
        vec_push(&l->callees, c);
    }
    return l->callees.data[i];
}

void murphi_callees_free(lowering *l) {
    for (uint32_t i = 0; i < l->callees.len; i++) {
        murphi_callee *c = l->callees.data[i];
        for (uint32_t k = 0; k < c->temps.len; k++) vec_free(&c->temps.data[k].leaves);
        vec_free(&c->temps);
        vec_free(&c->indices);
    }
    vec_free(&l->callees);
    vec_free(&l->bodies);
    map_free(l->callee_of);
    map_free(l->body_of);
    map_free(l->weights);
    map_free(l->recursive);
}

// ---- arguments in places of the function's own

// The next place for an index of that type.
static place index_place(lowering *l, murphi_callee *c, uint32_t number, type t, span at) {
    while (c->indices.len <= number) vec_push(&c->indices, (place){0});
    place *p = &c->indices.data[number];
    if (!p->ty || !type_same(p->ty->simple, t)) {
        const murphi_type *ty = murphi_simple(l, t);
        *p = (place){.ty = ty, .funcs = murphi_leaves(l, ty, arena_printf(l->m->memory, "%%i%u", number), true, at)};
    }
    return *p;
}

static void own_indices(lowering *l, murphi_callee *c, place *p, uint32_t *number, span at) {
    for (uint32_t i = 0; i < p->nargs; i++) {
        if (expr_is_const(l->m, p->args[i], NULL)) continue;
        place x = index_place(l, c, (*number)++, expr_type(l->m, p->args[i]), at);
        murphi_write(l, &x, p->args[i], at);
        p->args[i] = murphi_read_place(l, &x);
    }
}

static void own_value(lowering *l, murphi_node *param, murphi_argument *a, span at) {
    const murphi_type *ty = a->e.id ? murphi_simple(l, expr_type(l->m, a->e)) : a->p.ty;
    place from = a->p, to = {.ty = ty, .is_constant = true, .is_copy = true};
    if (!param->funcs) param->funcs = murphi_leaves(l, ty, param->name, true, param->at);
    to.funcs = param->funcs;
    if (a->e.id) murphi_write(l, &to, a->e, at);
    else if (from.funcs != to.funcs) murphi_copy(l, &to, &from, at);
    *a = (murphi_argument){.p = to, .is_value = true};
}

// Slots are names of elements of one multiset, which a number in a place is not.
static bool hands_over_slot(lowering *l, const murphi_argument *args, uint32_t n) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++) any |= args[i].e.id && murphi_is_slot(l, args[i].e);
    return any;
}

// ---- the body

static void add_bytes(str *key, const void *x, size_t n) { str_addn(key, (const char *)x, n); }

static void add_place_key(str *key, const place *p) {
    add_bytes(key, &p->ty, sizeof p->ty);
    add_bytes(key, &p->funcs, sizeof p->funcs);
    add_bytes(key, &p->nargs, sizeof p->nargs);
    add_bytes(key, p->args, p->nargs * sizeof *p->args);
    add_bytes(key, &p->is_constant, sizeof p->is_constant);
}

// Which of those that may call themselves are under way.
static void add_calls_key(lowering *l, str *key) {
    for (uint32_t i = 0; i < l->calls.len; i++)
        if (murphi_is_recursive(l, l->calls.data[i])) add_bytes(key, &l->calls.data[i], sizeof l->calls.data[i]);
}

static const stmt *lower_shared(lowering *l, murphi_callee *c, const murphi_node *n, const murphi_calling *with) {
    stmt_list list = {0}, *outer = murphi_into(l, &list);
    temp_pools mine = l->temps;
    l->temps = c->temps;
    murphi_begin_body(l);
    if (with->f->result_type) murphi_undefine(l, &with->f->result, n->at);
    murphi_inline(l, with);
    c->temps = l->temps;
    l->temps = mine;
    l->out = outer;
    return murphi_sequence(l, &list, n->at);
}

// The body for this call; it is lowered if there is none yet.
static const stmt *shared_body(lowering *l, murphi_callee *c, const murphi_node *n, const murphi_calling *with) {
    str key = {0};
    add_bytes(&key, &c->decl, sizeof c->decl);
    add_bytes(&key, &l->is_collecting, sizeof l->is_collecting);
    for (uint32_t i = 0; i < with->nargs; i++) add_place_key(&key, &with->args[i].p);
    if (murphi_is_recursive(l, with->origin)) add_calls_key(l, &key);
    uint32_t known = map_get(l->body_of, key.text, key.len, UINT32_MAX);
    if (known == UINT32_MAX) {
        const stmt *body = lower_shared(l, c, n, with);
        known = l->bodies.len;
        vec_push(&l->bodies, body);
        map_put(l->body_of, str_get(&key), key.len, known);
    }
    str_free(&key);
    return l->bodies.data[known];
}

// A parameter of the caller's that is handed on: its value is as good as itself, and needs no body of its own. Only
// where a function may call itself, so that there would be a body for every depth that an argument came from: elsewhere
// a copy hides from murphi/pure.c that two calls are the same.
static bool is_plain_copy(lowering *l, const murphi_calling *with, const place *p) {
    return p->is_copy && p->ty->shape == SHAPE_SIMPLE && murphi_is_recursive(l, with->origin);
}

bool murphi_call_shared(lowering *l, const murphi_node *n, murphi_calling *with, place *result) {
    if (hands_over_slot(l, with->args, with->nargs)) return false;
    murphi_callee *c = callee_of(l, with->decl);
    uint32_t number = 0;
    for (uint32_t i = 0; i < with->nargs; i++) {
        murphi_argument *a = &with->args[i];
        if (a->e.id || a->is_value || is_plain_copy(l, with, &a->p)) own_value(l, with->decl->kids[3 + i], a, n->at);
        else own_indices(l, c, &a->p, &number, n->at);
    }
    const murphi_type *ty = with->f->result_type;
    if (ty && !c->result)
        c->result = murphi_leaves(l, ty, arena_printf(l->m->memory, "%%%s", with->decl->name), true, n->at);
    if (ty) with->f->result = (place){.ty = ty, .funcs = c->result};
    murphi_emit(l, shared_body(l, c, n, with));
    if (!ty) return true;
    *result = murphi_temp(l, ty, n->at);
    murphi_copy(l, result, &with->f->result, n->at);
    return true;
}
