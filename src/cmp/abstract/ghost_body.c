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

static rest_effect ghost_effect_of(const translator *t, const ghost *w, const stmt *s) {
    rest_effect worst = s->kind == S_ASSIGN ? effect_of_assign(t, w, s) : REST_STAYS;
    for (uint32_t i = 0; i < s->nbody; i++) {
        rest_effect one = ghost_effect_of(t, w, s->body[i]);
        worst = one > worst ? one : worst;
    }
    for (uint32_t i = 0; i < s->norelse; i++) {
        rest_effect one = ghost_effect_of(t, w, s->orelse[i]);
        worst = one > worst ? one : worst;
    }
    return worst;
}

static bool is_touched(const translator *t, const ghost *w) {
    for (uint32_t i = 0; i < sys_of(t->m, t->a->origin)->funcs.len; i++) {
        func f = sys_of(t->m, t->a->origin)->funcs.data[i];
        if (expr_reads(t->m, w->holds, f) && stmt_writes(t->whole, f)) return true;
    }
    return false;
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
        pending_ghost p = {.effect = ghost_effect_of(t, &w, t->whole)};
        if (t->c->is_init) {
            p.rest = t->m->false_expr;
            if (p.effect == REST_STAYS) p.effect = REST_LOOPS;
        } else if (is_touched(t, &w)) {
            expr now = expr_app(t->m, w.f, NULL);
            p.rest = t->c->nothers ? guess(t) : now;
            if (t->c->nothers) require(t, expr_eq(t->m, now, expr_or(t->m, holds_at_others(t, &w), p.rest)));
        }
        vec_push(&t->posted, p);
    }
}

// ---- what elements that are neither kept nor the case's satisfy after a body

typedef VEC(expr) formula_list;

static bool holds_in_mirror(translator *t, formula_list *out) {
    bool ok = true;
    vec_push(&t->env, (ident_binding){t->a->someone, ident_other(rest_number(t))});
    for (uint32_t i = 0; i < t->a->ghosts.len; i++) {
        bool is_wanted = t->posted.data[i].effect == REST_LOOPS;
        expr e = is_wanted ? mirror_value(t, t->a->ghosts.data[i].holds) : t->m->false_expr;
        ok &= e.id != 0;
        vec_push(out, e);
    }
    t->env.len--;
    return ok;
}

// Some element is `one` at one side of the step; whatever it is at the other side, some element is there.
static expr seen_from(translator *t, expr one, const formula_list *there, const formula_list *rest_there) {
    for (uint32_t i = 0; i < there->len; i++)
        if (rest_there->data[i].id) one = expr_and(t->m, one, expr_implies(t->m, there->data[i], rest_there->data[i]));
    return mirror_exists(t, one);
}

typedef struct {
    formula_list before, after, rest, rest_after;
} relation;

static void relate(translator *t, const relation *r) {
    for (uint32_t i = 0; i < r->before.len; i++) {
        if (!r->rest.data[i].id) continue;
        expr from = seen_from(t, r->before.data[i], &r->after, &r->rest_after);
        expr to = seen_from(t, r->after.data[i], &r->before, &r->rest);
        require(t, expr_implies(t->m, r->rest.data[i], from));
        require(t, expr_implies(t->m, r->rest_after.data[i], to));
    }
}

// There is no state before a start, and a start has no guard.
static void relate_start(translator *t, relation *r) {
    for (uint32_t i = 0; i < r->after.len; i++)
        if (r->rest.data[i].id && !reads_written(t, r->after.data[i]))
            r->rest_after.data[i] = expr_and(t->m, r->rest_after.data[i], mirror_exists(t, r->after.data[i]));
}

static bool ghost_follow(translator *t, relation *r) {
    bits written = t->written;
    t->written = (bits){0};
    t->has_mirror = true;
    bool ok = holds_in_mirror(t, &r->before) && mirror_stmt(t, t->whole) && holds_in_mirror(t, &r->after);
    t->has_mirror = false;
    bits_free(&t->written);
    t->written = written;
    return ok;
}

static bool any_loops(const translator *t) {
    for (uint32_t i = 0; i < t->posted.len; i++)
        if (t->posted.data[i].effect == REST_LOOPS) return true;
    return false;
}

void ghost_end(translator *t) {
    relation r = {0};
    for (uint32_t i = 0; i < t->posted.len; i++) {
        const pending_ghost p = t->posted.data[i];
        vec_push(&r.rest, p.effect == REST_LOOPS ? p.rest : (expr){0});
        vec_push(&r.rest_after, p.effect == REST_STAYS ? p.rest : guess(t));
    }
    bool is_known = any_loops(t) && ghost_follow(t, &r);
    if (is_known && t->c->is_init) relate_start(t, &r);
    else if (is_known) relate(t, &r);
    for (uint32_t i = 0; i < t->posted.len; i++) {
        const pending_ghost p = t->posted.data[i];
        if (!p.rest.id || (!t->c->nothers && p.effect == REST_STAYS)) continue;
        const ghost w = t->a->ghosts.data[i];
        expr after = expr_or(t->m, holds_at_others(t, &w), r.rest_after.data[i]);
        vec_push(t->out, model_assign(t->m, w.f, NULL, 0, after, t->whole->at));
    }
    vec_free(&r.before);
    vec_free(&r.after);
    vec_free(&r.rest);
    vec_free(&r.rest_after);
}
