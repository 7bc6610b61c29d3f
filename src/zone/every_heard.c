// SPDX-License-Identifier: Apache-2.0
// Broadcasts to alike processes: a step of one rule in which all of them take part, each in its own way (every_int.h).
//
// Such a step is seen at two processes if it is made of parts: what the sender does, and for each other process a part
// that asks only for what this one and the sender are and have, that changes only what this one has, and that may read
// what is shared but does so when the sender has written it. Then the parts of processes that are not seen change
// nothing that is seen. Nor do they forbid the step: who cannot hear a broadcast does not hold it up. (A process that
// is not there is *blank*: its clocks have any values, so that one of the outcomes of its clock guards is possible.)
#include "zone/every_int.h"

#include "model/expr.h"
#include "model/walk.h"

// The alike process that a parameter of a rule belongs to, as a bit.
static uint64_t heard_param(const every_parts *x, var v) {
    uint32_t process = var_of(x->in->m, v)->process;
    uint8_t e = process ? x->process_of[process - 1] : EVERY_SHARED;
    return e == EVERY_SHARED ? 0 : UINT64_C(1) << e;
}

static uint64_t heard_clock(const every_parts *x, uint32_t clock) {
    return x->clock_of[clock] == EVERY_SHARED ? 0 : UINT64_C(1) << x->clock_of[clock];
}

static uint64_t heard_func(const every_parts *x, func f) {
    uint8_t e = every_owner(x, f);
    return e == EVERY_SHARED ? 0 : UINT64_C(1) << e;
}

// The alike processes that an expression is about, by what is theirs, by name and by parameters.
static uint64_t heard_expr(const every_parts *x, expr e) {
    uint64_t bits = e.id ? every_spoken_of(x, e) : 0;
    walk w = walk_expr(x->in->m, e, WALK_CALLS);
    while (walk_next(&w)) {
        if (w.x && w.x->kind == E_VAR) bits |= heard_param(x, (var){w.x->ref});
        if (w.x && w.x->kind == E_APP) bits |= heard_func(x, (func){w.x->ref});
    }
    return bits;
}

static uint64_t heard_stmt(const every_parts *x, const stmt *s) {
    uint64_t bits = 0;
    walk w = walk_stmt(x->in->m, s, WALK_STMTS);
    while (walk_next(&w)) {
        if (!w.s) continue;
        if (w.s->target.id) bits |= heard_func(x, w.s->target);
        for (uint32_t i = 0; i < w.s->nargs; i++) bits |= heard_expr(x, w.s->args[i]);
        bits |= heard_expr(x, w.s->value) | heard_expr(x, w.s->cond);
    }
    return bits;
}

// Does it write nothing but what the process has?
static bool heard_writes_own(const every_parts *x, const stmt *s, uint64_t process) {
    walk w = walk_stmt(x->in->m, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s && w.s->target.id && heard_func(x, w.s->target) != process) return !walk_found(&w);
    return true;
}

typedef struct {
    const every_parts *x;
    uint64_t actor, seen;  // bits; seen: the process whose parts are wanted
    every_heard *out;
    bool has_written;  // a part has written what a process has
} hearing;

// Whom of the others it is about: 0: none, several bits: it is no part.
static uint64_t heard_other(const hearing *h, uint64_t bits) { return bits & ~h->actor; }
static bool heard_is_part(uint64_t other) { return !(other & (other - 1)); }
static bool heard_is_wanted(const hearing *h, uint64_t other) { return !other || other == h->seen; }

static bool heard_guard(hearing *h, expr guard) {
    uint32_t n = 0;
    const expr *parts = guard.id ? expr_parts(h->x->in->m, &guard, E_AND, &n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t other = heard_other(h, heard_expr(h->x, parts[i]));
        if (!heard_is_part(other)) return false;
        if (heard_is_wanted(h, other)) vec_push(&h->out->guard, parts[i]);
    }
    return true;
}

// Whether somebody joins is kept before anything is written.
static bool heard_is_note(const model *m, const stmt *s) {
    return s->kind == S_ASSIGN && func_of(m, s->target)->is_scratch;
}

static bool heard_statement(hearing *h, const stmt *s) {
    uint64_t other = heard_other(h, heard_stmt(h->x, s));
    if (!heard_is_part(other)) return false;
    if (other ? !heard_writes_own(h->x, s, other) : h->has_written) return false;
    h->has_written |= other && !heard_is_note(h->x->in->m, s);
    if (heard_is_wanted(h, other)) vec_push(&h->out->body, s);
    return true;
}

static bool heard_body(hearing *h, const stmt *s) {
    bool is_list = s && s->kind == S_SEQ;
    for (uint32_t i = 0; is_list && i < s->nbody; i++)
        if (!heard_statement(h, s->body[i])) return false;
    return !s || is_list || heard_statement(h, s);
}

static bool heard_bounds(hearing *h, const rule_info *r) {
    for (uint32_t i = 0; i < r->nbounds; i++) {
        const clock_bound *b = &r->bounds[i];
        uint64_t bits = heard_expr(h->x, b->bound) | heard_expr(h->x, b->when);
        uint64_t other = heard_other(h, bits | heard_clock(h->x, b->left) | heard_clock(h->x, b->right));
        if (!heard_is_part(other)) return false;
        if (heard_is_wanted(h, other)) vec_push(&h->out->bounds, i);
    }
    return true;
}

static bool heard_resets(hearing *h, const rule_info *r) {
    for (uint32_t i = 0; i < r->nresets; i++) {
        const clock_reset *s = &r->resets[i];
        uint64_t clock = heard_clock(h->x, s->clock);
        uint64_t other = heard_other(h, heard_expr(h->x, s->value) | heard_expr(h->x, s->when) | clock);
        if (!heard_is_part(other) || (other && clock != other)) return false;
        if (heard_is_wanted(h, other)) vec_push(&h->out->resets, i);
    }
    return true;
}

bool every_hear(const every_parts *x, const rule_info *r, uint8_t actor, every_heard *out) {
    hearing h = {.x = x, .actor = actor == EVERY_SHARED ? 0 : UINT64_C(1) << actor, .out = out};
    h.seen = UINT64_C(1) << (actor == 0);
    for (uint32_t i = 0; i < r->nparams; i++)
        if (heard_is_wanted(&h, heard_other(&h, heard_param(x, r->params[i])))) vec_push(&out->params, r->params[i]);
    return heard_guard(&h, r->guard) && heard_body(&h, r->body) && heard_bounds(&h, r) && heard_resets(&h, r);
}

void every_heard_free(every_heard *h) {
    vec_free(&h->params);
    vec_free(&h->guard);
    vec_free(&h->body);
    vec_free(&h->bounds);
    vec_free(&h->resets);
}
