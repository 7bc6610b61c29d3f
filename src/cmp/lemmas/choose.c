// SPDX-License-Identifier: Apache-2.0
// See choose.h.
#include "cmp/lemmas/choose.h"

// Views of several elements may ask for more than the property does: how often a clause is looked for before runs are
// tried in their place.
enum { MOST_SEARCHES = 4000 };
// Work for leaving lemmas out: twice what it took to find them, and at least so much.
enum { LEAST_MINIMISING = 3000000 };

strengthened choose_system(const chooser *c) { return strengthen(c->a, candidates_used(c->lemmas)); }

// The loop; false if it did not come to an end.
static bool choose_from(chooser *c, step_source *from, uint64_t most_searches) {
    loose_step step;
    uint64_t begun = excluder_searched(c->x);
    while (from->next(from, &step)) {
        if (limits_met(&c->how.limits) || excluder_searched(c->x) - begun >= most_searches) return false;
        if (!exclude_step(c->x, &step) && !from->admit(from)) return false;
    }
    return from->is_through;
}

static uint64_t minimising(const chooser *c) { return c->work * 2 + LEAST_MINIMISING; }

// The lemmas that keep the abstraction within the views.
static bool choose_from_views(chooser *c) {
    step_source *from = from_views_new(c);
    views *v = views_new(c->s);
    excluder_ask(c->x, v);
    bool is_closed = from && choose_from(c, from, c->a->kept_count == 1 ? UINT64_MAX : MOST_SEARCHES);
    if (is_closed) from_views_minimise(from, minimising(c));
    else candidates_begin_anew(c->lemmas);  // what was to keep it where it does not stay is of no use
    excluder_ask(c->x, NULL);
    views_free(v);
    from_views_free(from);
    return is_closed;
}

static void choose_from_runs(chooser *c, uint64_t most_states) {
    step_source *from = from_runs_new(c, most_states);
    c->out.is_proved = choose_from(c, from, UINT64_MAX);
    from_runs_free(from);
}

static void forget_spurious(choose_outcome *out) {
    if (out->spurious.run) result_free(out->spurious.run);
    instance_free(out->spurious.in);
    model_free(out->spurious.m);
    out->spurious = (spurious_run){0};
}

enum { ENOUGH_STATES = 10000 };  // that a round looks at first

void choose_run(chooser *c) {
    bool is_closed = choose_from_views(c);
    choose_from_runs(c, is_closed ? UINT64_MAX : ENOUGH_STATES);
    bool is_least = is_closed && c->a->kept_count == 1;
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
