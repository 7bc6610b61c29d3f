// SPDX-License-Identifier: Apache-2.0
// See choose.h.
#include "cmp/lemmas/choose.h"

// Views of several elements may ask for more than the property does: how often a clause is looked for before runs are
// tried in their place, and at all.
enum { FIRST_SEARCHES = 64, MOST_SEARCHES = 4000 };
// Work for leaving lemmas out: twice what it took to find them, and at least so much.
enum { LEAST_MINIMISING = 3000000 };

strengthened choose_system(const chooser *c) { return strengthen(c->a, candidates_used(c->lemmas)); }

static void choose_add_claim(asked *q, const strengthened *st, const char *name, expr cond, uint32_t owner) {
    prop_info p = {.kind = PROP_INVARIANT, .name = name, .cond = cond};
    vec_push(&q->conds, cond);
    vec_push(&q->owners, owner);
    if (!st) return;
    p.system = st->system;
    vec_push(&q->props, model_add_prop(st->m, p));
}

asked choose_ask(const chooser *c, const strengthened *st) {
    asked q = {0};
    choose_add_claim(&q, st, prop_of(c->a->m, c->property)->name, c->claim, CHOOSE_PROPERTY);
    for (uint32_t i = 0; i < c->lemmas->list.len; i++) {
        const candidate *x = &c->lemmas->list.data[i];
        if (x->is_used) choose_add_claim(&q, st, x->title, x->claim, i);
    }
    return q;
}

void asked_free(asked *q) {
    vec_free(&q->conds);
    vec_free(&q->props);
    vec_free(&q->owners);
}

typedef enum { LOOP_THROUGH, LOOP_STUCK, LOOP_STOPPED } loop_end;

// The loop.
static loop_end choose_from(chooser *c, step_source *from, uint64_t most_searches) {
    loose_step step;
    uint64_t begun = excluder_searched(c->x);
    while (from->next(from, &step)) {
        if (limits_met(&c->how.limits)) return LOOP_STUCK;
        if (excluder_searched(c->x) - begun >= most_searches) return LOOP_STOPPED;
        if (!exclude_step(c->x, &step) && !from->admit(from)) return LOOP_STUCK;
    }
    return from->is_through ? LOOP_THROUGH : LOOP_STUCK;
}

static uint64_t minimising(const chooser *c) { return c->work * 2 + LEAST_MINIMISING; }

// The lemmas that keep the abstraction within the views.
static loop_end choose_from_views(chooser *c, uint64_t most_searches) {
    step_source *from = from_views_new(c);
    views *v = views_new(c->s);
    excluder_ask(c->x, v);
    loop_end end = from ? choose_from(c, from, most_searches) : LOOP_STUCK;
    if (end == LOOP_THROUGH) from_views_minimise(from, minimising(c));
    else candidates_begin_anew(c->lemmas);  // what was to keep it where it does not stay is of no use
    excluder_ask(c->x, NULL);
    views_free(v);
    from_views_free(from);
    return end;
}

static void choose_from_runs(chooser *c, bool is_proof) {
    step_source *from = from_runs_new(c, is_proof);
    loop_end end = choose_from(c, from, UINT64_MAX);
    c->out.is_proved = end == LOOP_THROUGH;
    from_runs_free(from);
}

static void forget_spurious(choose_outcome *out) {
    if (out->spurious.run) result_free(out->spurious.run);
    instance_free(out->spurious.in);
    model_free(out->spurious.m);
    out->spurious = (spurious_run){0};
}

void choose_run(chooser *c) {
    bool is_one = c->a->kept_count == 1;
    loop_end end = choose_from_views(c, is_one ? UINT64_MAX : FIRST_SEARCHES);
    bool is_least = end == LOOP_THROUGH && is_one;
    choose_from_runs(c, is_least);
    if (!c->out.is_proved && end == LOOP_STOPPED && !limits_met(&c->how.limits)) {
        candidates_begin_anew(c->lemmas);
        end = choose_from_views(c, MOST_SEARCHES);
        if (end == LOOP_THROUGH) {
            forget_spurious(&c->out);
            choose_from_runs(c, false);
        }
    }
    if (c->out.is_proved && !is_least) from_runs_minimise(c, minimising(c));
    if (!c->out.is_proved && !c->out.reason) c->out.reason = limits_why(&c->how.limits);
}

chooser *choose_new(abstraction *a, survey *s, prop property, const explore_options *how) {
    chooser *c = mem_zero(1, sizeof *c);
    *c = (chooser){.a = a, .s = s, .property = property, .how = *how, .lemmas = candidates_new(a, s)};
    c->claim = abstract_formula(a, prop_of(a->m, property)->cond);
    if (s) c->x = excluder_new(c->lemmas, s);
    return c;
}

void choose_free(chooser *c) {
    if (!c) return;
    forget_spurious(&c->out);
    excluder_free(c->x);
    candidates_free(c->lemmas);
    free(c);
}
