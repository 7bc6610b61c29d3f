// SPDX-License-Identifier: Apache-2.0
// Ghosts through the bodies of cases: see ghost.c.
//
// A case with others o1, o2, … says in its guard that the ghost of f is f(o1) | f(o2) | … | rest, and sets it so after
// its body. `rest` is about all further elements: it stays what it is unless the body may change what f reads of them.
// A loop over all elements may: then the guard relates `rest` before and after by what such an element may be
// (mirror.c): one that satisfies f before, if there is one, and after the loop whatever the loop makes of it; and one
// that satisfies f after, if there is one.
#include "cmp/abstract/internal.h"

#include "model/stmt.h"
#include "model/walk.h"

// ---- what a body may change

typedef enum { REST_STAYS, REST_LOOPS, REST_CHANGES } rest_effect;

static bool ghost_is_param(const abstract_case *c, expr e, const model *m) {
    const expr_info *x = expr_of(m, e);
    for (uint32_t i = 0; i < c->env.len; i++)
        if (x->kind == E_VAR && c->env.data[i].from.id == x->ref) return true;
    return false;
}

static rest_effect effect_of_assign(const translator *t, const ghost *w, const stmt *s) {
    const func_info f = *func_of(t->m, s->target);
    if (!expr_reads(t->m, w->holds, s->target)) return REST_STAYS;
    rest_effect worst = REST_CHANGES;
    for (uint32_t i = 0; i < s->nargs; i++) {
        if (!abstract_is_sort(t->a, f.args[i])) continue;
        if (ghost_is_param(t->c, s->args[i], t->m)) return REST_STAYS;
        if (s->nargs == 1 && expr_kind_of(t->m, s->args[i]) == E_VAR) worst = REST_LOOPS;
    }
    return worst;
}

static rest_effect ghost_effect_of(const translator *t, const ghost *w) {
    rest_effect worst = REST_STAYS;
    walk at = walk_stmt(t->m, t->whole, WALK_STMTS);
    while (walk_next(&at)) {
        rest_effect one = at.s->kind == S_ASSIGN ? effect_of_assign(t, w, at.s) : REST_STAYS;
        worst = one > worst ? one : worst;
    }
    return worst;
}

// ---- before and after a body

static expr ghost_holds_at(translator *t, const ghost *w, uint32_t other) {
    vec_push(&t->env, (ident_binding){t->a->someone, ident_other(other)});
    expr e = translate_exact(t, w->holds);
    t->env.len--;
    return e;
}

static expr holds_at_others(translator *t, const ghost *w) {
    expr e = t->m->false_expr;
    for (uint32_t k = 0; k < t->c->nothers; k++) e = expr_or(t->m, e, ghost_holds_at(t, w, k));
    return e;
}

static expr guess(translator *t) { return add_unknown(t, &t->c->unknowns, t->m->bool_type, (expr){0}, UNKNOWN_VALUE); }

static void require(translator *t, expr e) { t->c->guard = expr_and(t->m, t->c->guard, e); }

void ghost_begin(translator *t) {
    for (uint32_t i = 0; i < t->a->ghosts.len; i++) {
        const ghost w = t->a->ghosts.data[i];
        pending_ghost p = {.effect = ghost_effect_of(t, &w)};
        if (t->c->is_init) {
            p.rest = t->m->false_expr;
            if (p.effect == REST_STAYS) p.effect = REST_LOOPS;
        } else if (stmt_changes(t->m, t->whole, w.holds)) {
            expr now = expr_app(t->m, w.f, NULL);
            p.rest = t->c->nothers ? guess(t) : now;
            if (t->c->nothers) require(t, expr_eq(t->m, now, expr_or(t->m, holds_at_others(t, &w), p.rest)));
        }
        vec_push(&t->posted, p);
    }
}

// ---- what elements that are neither kept nor the case's satisfy after a body

static bool is_followed_through(const pending_ghost *p) { return p->effect == REST_LOOPS && p->rest.id; }

// What each ghost is about, of the element that is followed, as it is now: before the body, or after it.
static bool holds_in_mirror(translator *t, bool is_after) {
    bool ok = true;
    vec_push(&t->env, (ident_binding){t->a->someone, ident_other(rest_number(t))});
    for (uint32_t i = 0; i < t->posted.len; i++) {
        pending_ghost *p = &t->posted.data[i];
        bool is_wanted = p->effect == REST_LOOPS;
        expr e = is_wanted ? mirror_value(t, t->a->ghosts.data[i].holds) : t->m->false_expr;
        ok &= e.id != 0;
        *(is_after ? &p->holds_after : &p->holds) = e;
    }
    t->env.len--;
    return ok;
}

// Some element is `one` at one side of the step; whatever it is at the other side, some element is there.
static expr seen_from(translator *t, expr one, bool is_after) {
    for (uint32_t i = 0; i < t->posted.len; i++) {
        const pending_ghost *p = &t->posted.data[i];
        expr there = is_after ? p->holds : p->holds_after, rest = is_after ? p->rest : p->rest_after;
        if (is_followed_through(p)) one = expr_and(t->m, one, expr_implies(t->m, there, rest));
    }
    return mirror_exists(t, one);
}

// There is no state before a start, and a start has no guard.
static void relate(translator *t, pending_ghost *p) {
    if (t->c->is_init && !reads_written(t, p->holds_after))
        p->rest_after = expr_and(t->m, p->rest_after, mirror_exists(t, p->holds_after));
    if (t->c->is_init) return;
    require(t, expr_implies(t->m, p->rest, seen_from(t, p->holds, false)));
    require(t, expr_implies(t->m, p->rest_after, seen_from(t, p->holds_after, true)));
}

static bool ghost_follow(translator *t) {
    bits written = t->written;
    t->written = (bits){0};
    t->has_mirror = true;
    bool ok = holds_in_mirror(t, false) && mirror_stmt(t, t->whole) && holds_in_mirror(t, true);
    t->has_mirror = false;
    bits_free(&t->written);
    t->written = written;
    return ok;
}

void ghost_end(translator *t) {
    bool any_loops = false;
    for (uint32_t i = 0; i < t->posted.len; i++) {
        pending_ghost *p = &t->posted.data[i];
        p->rest_after = p->effect == REST_STAYS ? p->rest : guess(t);
        any_loops |= p->effect == REST_LOOPS;
    }
    bool is_known = any_loops && ghost_follow(t);
    for (uint32_t i = 0; i < t->posted.len && is_known; i++)
        if (is_followed_through(&t->posted.data[i])) relate(t, &t->posted.data[i]);
    for (uint32_t i = 0; i < t->posted.len; i++) {
        const pending_ghost p = t->posted.data[i];
        if (!p.rest.id || (!t->c->nothers && p.effect == REST_STAYS)) continue;
        const ghost w = t->a->ghosts.data[i];
        expr after = expr_or(t->m, holds_at_others(t, &w), p.rest_after);
        vec_push(t->out, model_assign(t->m, w.f, NULL, 0, after, t->whole->at));
    }
}
