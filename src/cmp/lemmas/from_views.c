// SPDX-License-Identifier: Apache-2.0
// Steps that lead out of the views: see choose.h.
//
// Views are looked at one after the other, for each the steps of others by one rule after the other. A step of a kept
// element out of the views adds a view. When all are through, the lemmas are checked in all views: one that is false is
// dropped, and what it excluded is looked at again.
#include "base/tuples.h"
#include "cmp/abstract/abstract.h"
#include "cmp/abstract/strengthen.h"
#include "cmp/lemmas/candidates.h"
#include "cmp/lemmas/choose.h"
#include "cmp/lemmas/exclude.h"
#include "cmp/lemmas/steps.h"
#include "space/space.h"

#include <string.h>

enum {
    MOST_VIEWS = 8000000,  // the library's largest proof, lock_free with one item, has 2.3 million
    MOST_COUNTED = 200
};

// The steps of others by one rule, with the lemmas used.
typedef struct {
    rule origin;
    steps all;
    bool is_stale;  // lemmas came in or were dropped since
    uint32_t done;  // views before this one have no steps out of the views
} group;

typedef struct {
    step_source base;
    uint32_t words;
    tuples *views;  // the survey's; in order of their coming
    runner kept;
    uint32_t kept_done, checked;  // views that were looked at
    VEC(group) groups;
    // where it is: steps [step, end) of a group from a view
    uint32_t view, at, step, end;
    bool is_begun, is_error;  // is_error: the step told last is one of run time
    // room
    uint64_t *state, *after;
    value *before;
    VEC(value) args;
} closing;

// ---- groups

// Anew, with the lemmas used now.
static bool group_open(closing *c, group *g) {
    g->is_stale = false;
    steps_close(&g->all);
    const lemma_list *lemmas = candidates_used(c->base.c->lemmas);
    return steps_open(&g->all, strengthen_others(c->base.c->a, g->origin, lemmas));
}

static bool has_steps(const abstraction *a, rule origin) {
    for (uint32_t i = 0; i < a->cases.len; i++)
        if (strengthen_is_others(&a->cases.data[i], origin)) return true;
    return false;
}

static bool open_groups(closing *c) {
    const abstraction *a = c->base.c->a;
    for (uint32_t i = 0; i < sys_of(a->m, a->origin)->rules.len; i++) {
        group g = {.origin = sys_of(a->m, a->origin)->rules.data[i]};
        if (!has_steps(a, g.origin)) continue;
        bool ok = group_open(c, &g);
        vec_push(&c->groups, g);
        if (!ok) return false;
    }
    return true;
}

// ---- steps of others

static void apply_step(closing *c, const steps *x, uint32_t step) {
    const uint64_t *difference = &x->differences.data[(size_t)step * c->words];
    for (uint32_t w = 0; w < c->words; w++) c->after[w] = c->state[w] ^ difference[w];
}

// The steps from c->state; the views that they lead to will be looked for.
static void list_steps(closing *c, group *g) {
    uint32_t list = steps_of(&g->all, c->state);
    c->step = g->all.first.data[list];
    c->end = g->all.first.data[list + 1];
    for (uint32_t k = c->step; k < c->end; k++) {
        apply_step(c, &g->all, k);
        tuples_prefetch(c->views, c->after);
    }
}

// Does a step from c->state leave the views? Its view is then c->after.
static bool leaves(closing *c, const steps *x, uint32_t step) {
    c->base.c->work++;
    if (x->changes.data[step].is_error) return true;
    apply_step(c, x, step);
    space_canonical(c->base.c->s->view_run, c->after);
    return tuples_find(c->views, c->after) == TUPLES_NONE;
}

static void from_views_tell(closing *c, group *g, uint32_t step, loose_step *out) {
    const change *x = &g->all.changes.data[step];
    vec_reserve(&c->args, model_most_params(c->base.c->a->m));  // lemmas add unknowns, which may become parameters
    rule r = space_label(g->all.r.sp, x->label, c->args.data);
    const case_rule *of = strengthened_rule(&g->all.r.st, r);
    c->is_error = x->is_error;
    space_unpack(g->all.r.sp, c->state, c->before);
    *out = (loose_step){of->c, &of->d, c->before, c->args.data, c->view};
}

static bool views_admit(step_source *from) {
    closing *c = (closing *)from;
    if (!c->is_error) tuples_put(c->views, c->after);
    return !c->is_error;
}

// ---- from list to list

static void from_views_load(closing *c, uint32_t view) {
    memcpy(c->state, tuples_get(c->views, view), c->words * sizeof *c->state);
}

static bool close_kept(closing *c) {
    uint32_t n = runner_next(&c->kept, c->state);
    for (uint32_t i = 0; i < n; i++) {
        if (c->kept.labels[i] & SPACE_TROUBLE) return false;
        uint64_t *next = c->kept.next + (size_t)i * c->words;
        space_canonical(c->base.c->s->view_run, next);
        tuples_put(c->views, next);
    }
    return true;
}

static bool check_lemmas(closing *c);

static uint32_t first_open(const closing *c) {
    uint32_t first = c->kept_done;
    for (uint32_t i = 0; i < c->groups.len; i++)
        if (c->groups.data[i].done < first) first = c->groups.data[i].done;
    return first;
}

// The view to go on with; false if all are through, or it cannot go on.
static bool next_view(closing *c, uint32_t view) {
    if (view >= tuples_count(c->views)) {
        if (!check_lemmas(c)) return false;
        view = first_open(c);
        c->base.is_through = view >= tuples_count(c->views);
        if (c->base.is_through) return false;
    }
    bool is_over = view % 256 == 0 && limits_met(&c->base.c->how.limits);
    if (tuples_count(c->views) > MOST_VIEWS || is_over) return false;
    c->view = view;
    c->at = 0;
    from_views_load(c, view);
    if (view < c->kept_done) return true;
    c->kept_done = view + 1;
    return close_kept(c);
}

static bool open_list(closing *c) {
    group *g = &c->groups.data[c->at];
    c->base.c->lemmas->fresh.len = 0;
    if (g->is_stale && !group_open(c, g)) return false;
    list_steps(c, g);
    return c->is_begun = true;
}

// Lemmas about all rules make all groups stale.
static void from_views_note_fresh(closing *c) {
    const candidates *lemmas = c->base.c->lemmas;
    for (uint32_t i = 0; i < lemmas->fresh.len; i++) {
        bool is_general = !lemmas->list.data[lemmas->fresh.data[i]].l.only.id;
        for (uint32_t k = 0; k < c->groups.len; k++) c->groups.data[k].is_stale |= is_general || k == c->at;
    }
}

// The same list again, with the lemmas that came in; or that of the next rule, or of the next view.
static bool from_views_go_on(closing *c) {
    if (c->is_begun) {
        from_views_note_fresh(c);
        if (c->base.c->lemmas->fresh.len) return open_list(c);
        c->groups.data[c->at++].done = c->view + 1;
    } else if (!next_view(c, first_open(c))) return false;
    for (;;) {
        for (; c->at < c->groups.len; c->at++)
            if (c->view >= c->groups.data[c->at].done) return open_list(c);
        if (!next_view(c, c->view + 1)) return false;
    }
}

static bool views_next(step_source *from, loose_step *out) {
    closing *c = (closing *)from;
    do
        while (c->step < c->end) {
            group *g = &c->groups.data[c->at];
            uint32_t k = c->step++;
            if (!leaves(c, &g->all, k)) continue;
            from_views_tell(c, g, k, out);
            return true;
        }
    while (from_views_go_on(c));
    return false;
}

// ---- do the lemmas hold?

static void drop_lemma(closing *c, uint32_t number) {
    const candidate *x = &c->base.c->lemmas->list.data[number];
    if (!x->is_used) return;
    candidates_drop(c->base.c->lemmas, number);
    for (uint32_t i = 0; i < c->groups.len; i++) {
        group *g = &c->groups.data[i];
        if (x->l.only.id && x->l.only.id != g->origin.id) continue;
        g->done = 0;
        g->is_stale = true;
    }
}

static bool from_views_judge(closing *c, const asked *q, const uint64_t *failed) {
    bool ok = true;
    for (uint32_t i = 0; i < q->owners.len; i++) {
        if (!(failed[i / 64] >> (i % 64) & 1)) continue;
        uint32_t owner = q->owners.data[i];
        if (owner == CHOOSE_PROPERTY || c->base.c->lemmas->list.data[owner].is_users) ok = false;
        else drop_lemma(c, owner);
    }
    return ok;
}

// Of views [from, to). False if the property, or a lemma of the user's, does not hold.
static bool from_views_check(closing *c, const asked *q, uint32_t from, uint32_t to) {
    if (!q->conds.len || from == to) return true;
    space_options o = {.checks = q->conds.data, .nchecks = q->conds.len};
    space *sp = space_new(c->base.c->s->view_in, &o);
    bool ok = sp != NULL;
    space_run *run = sp ? space_run_new(sp) : NULL;
    uint64_t *failed = mem_zero(q->conds.len / 64 + 1, sizeof *failed);
    for (uint32_t i = from; sp && i < to; i++)
        if (!space_check(run, tuples_get(c->views, i), failed)) ok &= from_views_judge(c, q, failed);
    free(failed);
    space_run_free(run);
    space_free(sp);
    return ok;
}

// Lemmas that came in since the last time are asked of all views, the others of those that came in.
static bool check_lemmas(closing *c) {
    asked all = choose_ask(c->base.c, NULL), fresh = {0};
    uint32_t n = tuples_count(c->views);
    for (uint32_t i = 0; i < all.owners.len; i++) {
        bool is_lemma = all.owners.data[i] != CHOOSE_PROPERTY;
        candidate *x = is_lemma ? &c->base.c->lemmas->list.data[all.owners.data[i]] : NULL;
        if (!x || x->is_checked) continue;
        x->is_checked = true;
        vec_push(&fresh.conds, all.conds.data[i]);
        vec_push(&fresh.owners, all.owners.data[i]);
    }
    bool ok = from_views_check(c, &fresh, 0, c->checked);
    ok &= from_views_check(c, &all, c->checked, n);
    c->checked = n;
    asked_free(&fresh);
    asked_free(&all);
    return ok;
}

// ---- fewer lemmas

static bool is_left(closing *c, group *g, uint32_t view) {
    from_views_load(c, view);
    list_steps(c, g);
    for (uint32_t k = c->step; k < c->end; k++)
        if (leaves(c, &g->all, k)) return true;
    return false;
}

static bool stays_closed(closing *c, group *g, const candidate *without) {
    if (without->against < tuples_count(c->views) && is_left(c, g, without->against)) return false;
    for (uint32_t i = 0; i < tuples_count(c->views); i++)
        if (is_left(c, g, i)) return false;
    return true;
}

static uint32_t count_left(closing *c, group *g) {
    uint32_t n = 0, counted = 0, stride = tuples_count(c->views) / MOST_COUNTED + 1;
    for (uint32_t i = 0; i < tuples_count(c->views); i += stride, counted++) n += is_left(c, g, i);
    c->base.c->out.counted = counted;
    return n;
}

static group *from_views_group_of(closing *c, rule origin) {
    for (uint32_t i = 0; i < c->groups.len; i++)
        if (c->groups.data[i].origin.id == origin.id) return &c->groups.data[i];
    return NULL;
}

void from_views_minimise(step_source *from, uint64_t most_work) {
    closing *c = (closing *)from;
    chooser *x = from->c;
    uint64_t until = x->work + most_work;
    for (uint32_t i = x->lemmas->list.len; i-- > 0 && x->work < until && !limits_met(&x->how.limits);) {
        candidate *one = &x->lemmas->list.data[i];
        group *g = one->is_used && one->l.only.id ? from_views_group_of(c, one->l.only) : NULL;
        if (!g) continue;
        one->is_used = false;
        bool ok = group_open(c, g);
        if (ok && stays_closed(c, g, one)) continue;
        if (ok) one->needed = count_left(c, g);
        one->is_used = true;
    }
}

// ---- making

step_source *from_views_new(chooser *x) {
    closing *c = mem_zero(1, sizeof *c);
    *c = (closing){.base = {.c = x, .next = views_next, .admit = views_admit}, .views = x->s->views};
    c->words = space_words(x->s->view_space);
    c->state = arena_alloc(x->a->m->memory, c->words * sizeof *c->state);
    c->after = arena_alloc(x->a->m->memory, c->words * sizeof *c->after);
    c->before = arena_alloc(x->a->m->memory, x->s->view_in->ncells * sizeof *c->before);
    bool ok = runner_open(&c->kept, strengthen_kept(x->a)) && open_groups(c);
    if (ok) return &c->base;
    from_views_free(&c->base);
    return NULL;
}

void from_views_free(step_source *from) {
    closing *c = (closing *)from;
    if (!c) return;
    for (uint32_t i = 0; i < c->groups.len; i++) steps_close(&c->groups.data[i].all);
    vec_free(&c->groups);
    runner_close(&c->kept);
    vec_free(&c->args);
    free(c);
}
