// SPDX-License-Identifier: Apache-2.0
// Whether a timed system says the same with any number of alike processes: see every.h.
//
// Two systems, with 4 and with 5 processes, are compared. Everything that belongs to the first process (its rules and
// invariants), and everything that belongs to none of the many, must have the same *shape*: the same expressions over
// functions and clocks of the same names. If a rule spoke of another process, there would be one for each other
// process, since they are alike, and so one more in the larger system; if it spoke of all, or of how many there are, it
// would be another rule there. A broadcast does speak of all, and is compared part by part (every_heard.c). (That the
// size is used nowhere but as the end of a range, the reader of the file has shown.)
#include "zone/every_int.h"

#include "base/map.h"
#include "model/expr.h"
#include "model/walk.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(uint32_t) shape_list;

// Shapes are numbers, the same for equal ones of both systems.
typedef struct {
    map *numbers;
    const timed_info *t;  // of the system that is looked at
} shaper;

static uint32_t shape_intern(shaper *k, const uint32_t *words, uint32_t n) {
    return map_intern(k->numbers, words, n * sizeof *words, map_count(k->numbers) + 1);
}

static uint32_t name_shape(shaper *k, const char *name) {
    return map_intern(k->numbers, name, strlen(name) + 1, map_count(k->numbers) + 1);
}

static int shape_order(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// ---- expressions and statements

// Of a timed system: parameters of different processes may have the same name.
static uint32_t var_shape(shaper *k, const model *m, var v) {
    uint32_t key[] = {
        7000, var_of(m, v)->process && k->t ? name_shape(k, k->t->processes.data[var_of(m, v)->process - 1].name) : 0,
        name_shape(k, var_of(m, v)->name)};
    return shape_intern(k, key, sizeof key / sizeof *key);
}

static uint32_t ref_shape(shaper *k, const model *m, const expr_info *x) {
    switch (x->kind) {
    case E_CONST: return x->ref;
    case E_VAR: return var_shape(k, m, (var){x->ref});
    case E_APP:
    case E_NEXT:
    case E_DEFINED: return name_shape(k, func_of(m, (func){x->ref})->name);
    case E_CALL: return name_shape(k, def_of(m, (def){x->ref})->name);
    default: return 0;
    }
}

static uint32_t join_shape(const model *m, expr e, const uint32_t *parts, void *context) {
    shaper *k = context;
    const expr_info *x = expr_of(m, e);
    VEC(uint32_t) key = {0};
    vec_push(&key, x->kind);
    vec_push(&key, ref_shape(k, m, x));
    for (uint32_t i = 0; i < x->nargs; i++) vec_push(&key, parts[i]);
    uint32_t number = shape_intern(k, key.data, key.len);
    vec_free(&key);
    return number;
}

static uint32_t expr_shape(shaper *k, const model *m, expr e) { return e.id ? walk_fold(m, e, join_shape, k) : 0; }

static uint32_t stmt_shape(shaper *k, const model *m, const stmt *s) {
    shape_list key = {0};
    if (!s) return 0;
    vec_push(&key, 1000 + s->kind);
    vec_push(&key, s->target.id ? name_shape(k, func_of(m, s->target)->name) : 0);
    for (uint32_t i = 0; i < s->nargs; i++) vec_push(&key, expr_shape(k, m, s->args[i]));
    vec_push(&key, expr_shape(k, m, s->value));
    vec_push(&key, expr_shape(k, m, s->cond));
    vec_push(&key, s->nvars);
    vec_push(&key, s->nbody);
    for (uint32_t i = 0; i < s->nbody; i++) vec_push(&key, stmt_shape(k, m, s->body[i]));
    for (uint32_t i = 0; i < s->norelse; i++) vec_push(&key, stmt_shape(k, m, s->orelse[i]));
    uint32_t number = shape_intern(k, key.data, key.len);
    vec_free(&key);
    return number;
}

// ---- clocks, rules

static uint32_t bound_shape(shaper *k, const every_parts *x, const clock_bound *b) {
    const model *m = x->in->m;
    uint32_t key[] = {2000,
                      name_shape(k, x->t->clocks.data[b->left].name),
                      name_shape(k, x->t->clocks.data[b->right].name),
                      b->is_strict,
                      expr_shape(k, m, b->bound),
                      expr_shape(k, m, b->when)};
    return shape_intern(k, key, sizeof key / sizeof *key);
}

static uint32_t reset_shape(shaper *k, const every_parts *x, const clock_reset *r) {
    const model *m = x->in->m;
    uint32_t key[] = {2001, name_shape(k, x->t->clocks.data[r->clock].name), expr_shape(k, m, r->value),
                      expr_shape(k, m, r->when)};
    return shape_intern(k, key, sizeof key / sizeof *key);
}

static void add_param_shape(shaper *k, const every_parts *x, var v, shape_list *key) {
    vec_push(key, var_shape(k, x->in->m, v));
    vec_push(key, instance_type_size(x->in, var_of(x->in->m, v)->ty));
}

static uint32_t rule_shape(shaper *k, const every_parts *x, rule r) {
    const model *m = x->in->m;
    const rule_info *info = rule_of(m, r);
    shape_list key = {0};
    vec_push(&key, 3000 + info->nparams);
    for (uint32_t i = 0; i < info->nparams; i++) add_param_shape(k, x, info->params[i], &key);
    vec_push(&key, expr_shape(k, m, info->guard));
    vec_push(&key, stmt_shape(k, m, info->body));
    vec_push(&key, expr_shape(k, m, info->priority));
    for (uint32_t i = 0; i < info->nbounds; i++) vec_push(&key, bound_shape(k, x, &info->bounds[i]));
    for (uint32_t i = 0; i < info->nresets; i++) vec_push(&key, reset_shape(k, x, &info->resets[i]));
    uint32_t number = shape_intern(k, key.data, key.len);
    vec_free(&key);
    return number;
}

// Of a broadcast: what the sender does, and what one other process does. 0: it is not made of such parts.
static uint32_t heard_shape(shaper *k, const every_parts *x, rule r, uint8_t actor) {
    const rule_info *info = rule_of(x->in->m, r);
    every_heard h = {0};
    shape_list key = {0};
    uint32_t number = 0;
    if (every_hear(x, info, actor, &h)) {
        for (uint32_t i = 0; i < h.guard.len; i++) vec_push(&key, expr_shape(k, x->in->m, h.guard.data[i]));
        if (key.len) qsort(key.data, key.len, sizeof *key.data, shape_order);
        vec_push(&key, 6000 + h.params.len);
        for (uint32_t i = 0; i < h.params.len; i++) add_param_shape(k, x, h.params.data[i], &key);
        for (uint32_t i = 0; i < h.body.len; i++) vec_push(&key, stmt_shape(k, x->in->m, h.body.data[i]));
        for (uint32_t i = 0; i < h.bounds.len; i++) vec_push(&key, bound_shape(k, x, &info->bounds[h.bounds.data[i]]));
        for (uint32_t i = 0; i < h.resets.len; i++) vec_push(&key, reset_shape(k, x, &info->resets[h.resets.data[i]]));
        vec_push(&key, expr_shape(k, x->in->m, info->priority));
        number = shape_intern(k, key.data, key.len);
    }
    every_heard_free(&h);
    vec_free(&key);
    return number;
}

bool every_actor(const every_parts *x, const rule_info *r, uint8_t *out) {
    *out = EVERY_SHARED;
    for (uint32_t i = 0; i < r->nmoves; i++) {
        uint8_t e = x->process_of[r->moves[i].process];
        if (e == EVERY_SHARED || e == *out) continue;
        if (*out != EVERY_SHARED) return false;
        *out = e;
    }
    return true;
}

// ---- what a system says, as a set of shapes

// Of what belongs to the first process (own) and of what belongs to none.
typedef struct {
    shape_list own, shared;
} said;

static void said_free(said *s) {
    vec_free(&s->own);
    vec_free(&s->shared);
}

static void said_add(said *s, uint8_t owner, uint32_t shape) {
    if (owner == EVERY_SHARED) vec_push(&s->shared, shape);
    if (owner == 0) vec_push(&s->own, shape);
}

static bool list_is_same(shape_list *a, shape_list *b) {
    qsort(a->data, a->len, sizeof *a->data, shape_order);
    qsort(b->data, b->len, sizeof *b->data, shape_order);
    return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len * sizeof *a->data) == 0);
}

static bool said_is_same(said *a, said *b) {
    return list_is_same(&a->own, &b->own) && list_is_same(&a->shared, &b->shared);
}

static bool say_rules(shaper *k, const every_parts *x, said *out) {
    k->t = x->t;
    const sys_info *s = sys_of(x->in->m, x->in->system);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        uint8_t actor;
        if (!every_actor(x, rule_of(x->in->m, s->rules.data[i]), &actor)) return false;
        if (actor != EVERY_SHARED && actor != 0) continue;
        bool is_heard = rule_of(x->in->m, s->rules.data[i])->nlisteners;
        uint32_t shape = is_heard ? heard_shape(k, x, s->rules.data[i], actor) : rule_shape(k, x, s->rules.data[i]);
        if (!shape) return false;
        said_add(out, actor, shape);
    }
    return true;
}

static void say_invariants(shaper *k, const every_parts *x, said *out) {
    k->t = x->t;
    for (uint32_t i = 0; i < x->t->invariants.len; i++) {
        const clock_bound *b = &x->t->invariants.data[i];
        uint8_t owner = b->owner < x->t->processes.len ? x->process_of[b->owner] : EVERY_SHARED;
        if (owner == EVERY_SHARED || owner == 0) said_add(out, owner, bound_shape(k, x, b));
    }
}

// Shared cells, and those of the first process: name, what it starts with, and its values unless they name processes.
static void say_cells(shaper *k, const every_parts *x, said *out) {
    value *args = mem_zero(model_most_params(x->in->m) + 1, sizeof *args);
    for (uint32_t i = 0; i < x->in->ncells; i++) {
        func f = instance_cell_func(x->in, i, args);
        uint8_t owner = every_owner(x, f);
        if (owner != EVERY_SHARED && owner != 0) continue;
        const type_info *ty = type_of(x->in->m, func_of(x->in->m, f)->result);
        bool is_range = ty->kind == TYPE_RANGE && !x->is_id[i];
        uint32_t key[] = {4000,        name_shape(k, func_of(x->in->m, f)->name), (uint32_t)x->initial[i],
                          x->is_id[i], is_range ? (uint32_t)ty->lo : 0,           is_range ? (uint32_t)ty->hi : 0};
        said_add(out, owner, shape_intern(k, key, sizeof key / sizeof *key));
    }
    free(args);
}

// ---- conjunctions and disjunctions of what is about few processes each

static bool every_is_name(const every_parts *x, const expr_info *e) {
    return e->kind == E_APP && x->is_id[x->in->first_cell[e->ref]];
}

// The process that `name = constant` is about. A number that is compared with anything else is just that.
static uint64_t named_by(const every_parts *x, const expr_info *e) {
    const model *m = x->in->m;
    uint64_t bits = 0;
    for (uint32_t i = 0; e->kind == E_EQ && i < 2; i++) {
        value v;
        if (!every_is_name(x, expr_of(m, e->args[i])) || !expr_is_const(m, e->args[1 - i], &v)) continue;
        for (uint8_t k = 0; k < x->count; k++)
            if (every_name(x, k) == v) bits |= UINT64_C(1) << k;
    }
    return bits;
}

uint64_t every_spoken_of(const every_parts *x, expr e) {
    const timed_info *t = x->t;
    uint64_t bits = 0;
    walk w = walk_expr(x->in->m, e, WALK_CALLS);
    while (walk_next(&w)) {
        bits |= named_by(x, w.x);
        if (w.x->kind != E_APP) continue;
        uint8_t owner = x->cell_of[x->in->first_cell[w.x->ref]];
        if (owner != EVERY_SHARED) bits |= UINT64_C(1) << owner;
    }
    for (uint32_t i = 0; i < t->atoms.len; i++) {
        const clock_atom *a = &t->atoms.data[i];
        if (!expr_has_var(x->in->m, e, a->stands)) continue;
        if (a->is_deadlock) return UINT64_MAX;
        if (x->clock_of[a->is.left] != EVERY_SHARED) bits |= UINT64_C(1) << x->clock_of[a->is.left];
        if (x->clock_of[a->is.right] != EVERY_SHARED) bits |= UINT64_C(1) << x->clock_of[a->is.right];
    }
    return bits;
}

// Atoms have variables of their own; what they say counts.
static uint32_t formula_shape(shaper *k, const every_parts *x, expr e) {
    shape_list key = {0};
    vec_push(&key, 5000);
    vec_push(&key, expr_shape(k, x->in->m, e));
    for (uint32_t i = 0; i < x->t->atoms.len; i++)
        if (expr_has_var(x->in->m, e, x->t->atoms.data[i].stands))
            vec_push(&key, bound_shape(k, x, &x->t->atoms.data[i].is));
    uint32_t number = shape_intern(k, key.data, key.len);
    vec_free(&key);
    return number;
}

// The parts of a conjunction (or disjunction), each about at most so many processes; those about the first two go to
// `out`. False: a part is about more.
static bool say_parts(shaper *k, const every_parts *x, expr e, expr_kind joint, int most, said *out) {
    uint32_t n = 0;
    const expr *parts = e.id ? expr_parts(x->in->m, &e, joint, &n) : NULL;
    k->t = x->t;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t about = every_spoken_of(x, parts[i]);
        if (__builtin_popcountll(about) > most) return false;
        if (!(about & ~UINT64_C(3))) said_add(out, about ? 0 : EVERY_SHARED, formula_shape(k, x, parts[i]));
    }
    return true;
}

// ---- names of processes

// Names of processes that are not seen are all the same in a view, so they may be compared with those of processes that
// are there (constants of the rules), but not with each other.
static bool compares_names(const every_parts *x, const expr_info *e) {
    const model *m = x->in->m;
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (!every_is_name(x, expr_of(m, e->args[i]))) continue;
        if (e->kind != E_EQ || expr_of(m, e->args[1 - i])->kind != E_CONST) return true;
    }
    return false;
}

static bool expr_compares_names(const every_parts *x, walk w) {
    while (walk_next(&w))
        if (w.x && compares_names(x, w.x)) return walk_found(&w);
    return false;
}

static bool rule_compares_names(const every_parts *x, const rule_info *r) {
    const model *m = x->in->m;
    bool yes = expr_compares_names(x, walk_expr(m, r->guard, WALK_CALLS)) ||
               expr_compares_names(x, walk_stmt(m, r->body, WALK_CALLS));
    for (uint32_t i = 0; i < r->nbounds && !yes; i++)
        yes = expr_compares_names(x, walk_expr(m, r->bounds[i].when, WALK_CALLS)) ||
              expr_compares_names(x, walk_expr(m, r->bounds[i].bound, WALK_CALLS));
    for (uint32_t i = 0; i < r->nresets && !yes; i++)
        yes = expr_compares_names(x, walk_expr(m, r->resets[i].when, WALK_CALLS)) ||
              expr_compares_names(x, walk_expr(m, r->resets[i].value, WALK_CALLS));
    return yes;
}

static bool names_are_plain(const every_parts *x, prop p, str *why) {
    const model *m = x->in->m;
    const sys_info *s = sys_of(m, x->in->system);
    bool bad = expr_compares_names(x, walk_expr(m, prop_of(m, p)->cond, WALK_CALLS)) ||
               expr_compares_names(x, walk_expr(m, x->t->still, WALK_CALLS)) ||
               expr_compares_names(x, walk_expr(m, x->t->valid, WALK_CALLS));
    for (uint32_t i = 0; i < s->rules.len && !bad; i++) bad = rule_compares_names(x, rule_of(m, s->rules.data[i]));
    for (uint32_t i = 0; i < x->t->invariants.len && !bad; i++)
        bad = expr_compares_names(x, walk_expr(m, x->t->invariants.data[i].when, WALK_CALLS)) ||
              expr_compares_names(x, walk_expr(m, x->t->invariants.data[i].bound, WALK_CALLS));
    if (bad && !why->len) str_add(why, "two variables that name processes are compared, or one is used in another way");
    return !bad;
}

// ---- all

static bool compare(bool is_said, said *a, said *b, const char *what, str *why) {
    bool ok = is_said && said_is_same(a, b);
    if (!ok && !why->len) str_add(why, what);
    said_free(a);
    said_free(b);
    return ok;
}

bool every_is_uniform(const every_parts *a, const every_parts *b, prop p, str *why) {
    shaper k = {.numbers = map_new()};
    said x = {0}, y = {0};
    bool ok = say_rules(&k, a, &x) && say_rules(&k, b, &y);
    ok = compare(ok, &x, &y, "a step is about several of the processes, or about how many there are", why);
    x = y = (said){0};
    say_invariants(&k, a, &x);
    say_invariants(&k, b, &y);
    ok &= compare(true, &x, &y, "an invariant depends on how many processes there are", why);
    x = y = (said){0};
    say_cells(&k, a, &x);
    say_cells(&k, b, &y);
    ok &= compare(true, &x, &y, "variables depend on how many processes there are", why);
    x = y = (said){0};
    bool is_said = say_parts(&k, a, a->t->still, E_OR, 1, &x) && say_parts(&k, b, b->t->still, E_OR, 1, &y);
    ok &= compare(is_said, &x, &y, "where time stands still depends on several of the processes", why);
    x = y = (said){0};
    is_said = say_parts(&k, a, a->t->valid, E_AND, 1, &x) && say_parts(&k, b, b->t->valid, E_AND, 1, &y);
    ok &= compare(is_said, &x, &y, "which states are possible depends on several of the processes", why);
    x = y = (said){0};
    is_said = say_parts(&k, a, prop_of(a->in->m, p)->cond, E_AND, 2, &x) &&
              say_parts(&k, b, prop_of(b->in->m, p)->cond, E_AND, 2, &y);
    ok &= compare(is_said, &x, &y, "the property is not about any one or two of the processes", why);
    map_free(k.numbers);
    return ok && names_are_plain(a, p, why);
}
