// SPDX-License-Identifier: Apache-2.0
// See closure.h.
#include "cmp/closure.h"

#include "base/clock.h"
#include "cmp/steps.h"

#include <string.h>

enum { CLOSURE_MOST_VIEWS = 8000000, MOST_COUNTED = 200, MOST_BROUGHT = 60 };

// The steps of others by one rule, with the lemmas used.
typedef struct {
    rule origin;
    steps all;
    eval *ev;
    draft_list drafts;  // of the rules
    bool is_stale;      // lemmas about all rules came in
    uint32_t done;      // views before this one have no steps out of the set
} group;

struct closure {
    refinement *r;
    uint32_t words;
    tuples *views;  // the survey's; in order of their coming
    kept_steps kept;
    uint32_t kept_done, checked;  // views that were looked at
    VEC(group) groups;
    // room
    uint64_t *state, *after;
    value *before;
};

// ---- groups

static void group_close(group *g) {
    for (uint32_t i = 0; i < g->drafts.len; i++) draft_free(&g->drafts.data[i]);
    g->drafts.len = 0;
    if (g->ev) eval_free(g->ev);
    g->ev = NULL;
    steps_close(&g->all);
}

static bool group_open(closure *c, group *g) {
    abstraction *a = c->r->a;
    lemma_list lemmas = {0};
    candidates_used(c->r, &lemmas);
    strengthened st = strengthen_others(a, g->origin, lemmas.data, lemmas.len, &g->drafts);
    vec_free(&lemmas);
    bool ok = steps_open(&g->all, a->m, st);
    if (ok) g->ev = eval_new(g->all.in);
    return ok;
}

static bool group_reopen(closure *c, group *g) {
    g->is_stale = false;
    group_close(g);
    return group_open(c, g);
}

static bool has_steps(const abstraction *a, rule origin) {
    for (uint32_t i = 0; i < a->cases.len; i++) {
        const abstract_case *x = &a->cases.data[i];
        if (!x->is_init && x->nothers && x->body && x->origin.id == origin.id) return true;
    }
    return false;
}

static bool open_groups(closure *c) {
    const abstraction *a = c->r->a;
    for (uint32_t i = 0; i < sys_of(a->m, a->origin)->rules.len; i++) {
        group g = {.origin = sys_of(a->m, a->origin)->rules.data[i]};
        if (!has_steps(a, g.origin)) continue;
        bool ok = group_open(c, &g);
        vec_push(&c->groups, g);
        if (!ok) return false;
    }
    return true;
}

static group *group_of(closure *c, rule origin) {
    for (uint32_t i = 0; i < c->groups.len; i++)
        if (c->groups.data[i].origin.id == origin.id) return &c->groups.data[i];
    return NULL;
}

// ---- steps of others

static bool has_view(const closure *c, const uint64_t *state) {
    return tuples_find(c->views, state) != TUPLES_NONE;
}

// The views that steps from c->state lead to will be looked for.
static void prefetch(closure *c, const steps *x, uint32_t list) {
    for (uint32_t k = x->first.data[list]; k < x->first.data[list + 1]; k++) {
        for (uint32_t w = 0; w < c->words; w++) c->after[w] = c->state[w] ^ steps_difference(x, k)[w];
        tuples_prefetch(c->views, c->after);
    }
}

// Does a step from c->state leave the views? Its view is then c->after.
static bool leaves(closure *c, const steps *x, uint32_t step) {
    if (x->changes.data[step].is_error) return true;
    for (uint32_t w = 0; w < c->words; w++) c->after[w] = c->state[w] ^ steps_difference(x, step)[w];
    space_canonical(c->r->s->view_run, c->after);
    return !has_view(c, c->after);
}

// Excludes a step by candidates; false if that cannot be done.
static bool exclude(closure *c, group *g, uint32_t view, uint32_t step) {
    uint32_t brought = c->r->brought, k = 0;
    value args[model_most_params(c->r->a->m)];
    rule r = space_label(g->all.sp, g->all.changes.data[step].label, args);
    while (g->all.st.rules.data[k].r.id != r.id) k++;
    abstract_case *x = &c->r->a->cases.data[g->all.st.rules.data[k].number];
    space_unpack(g->all.sp, c->state, c->before);
    c->r->at_view = view;
    block_outcome how = block_drafted(c->r, g->ev, g->all.in, x, &g->drafts.data[k], c->before, args);
    return how == BLOCK_ALREADY || brought != c->r->brought;
}

// Views of several elements may ask for more than the property does.
static bool is_late(const closure *c) {
    if (refine_is_full(c->r)) return true;
    if (c->r->a->kept_count > 1 && c->r->brought - c->r->dropped > MOST_BROUGHT) return true;
    return limits_met(&c->r->how.limits) != LIMIT_NONE;
}

// One round: candidates come in against steps that leave the views, or their views are added.
static bool close_once(closure *c, group *g, uint32_t view) {
    uint32_t list = steps_of(&g->all, c->state), end = g->all.first.data[list + 1];
    prefetch(c, &g->all, list);
    for (uint32_t k = g->all.first.data[list]; k < end; k++) {
        if (!leaves(c, &g->all, k)) continue;
        if (is_late(c)) return false;
        if (exclude(c, g, view, k)) continue;
        if (g->all.changes.data[k].is_error) return false;
        tuples_put(c->views, c->after);
    }
    return true;
}

static void note_fresh(closure *c, group *g) {
    for (uint32_t i = 0; i < c->r->fresh.len; i++) {
        g->is_stale = true;
        bool is_general = !c->r->candidates.data[c->r->fresh.data[i]].l.only.id;
        for (uint32_t k = 0; is_general && k < c->groups.len; k++) c->groups.data[k].is_stale = true;
    }
}

// Closes the views under the steps of a rule from one of them. False if that cannot be done.
static bool close_group(closure *c, group *g, uint32_t view) {
    do {
        c->r->fresh.len = 0;
        if (g->is_stale && !group_reopen(c, g)) return false;
        if (!close_once(c, g, view)) return false;
        note_fresh(c, g);
    } while (c->r->fresh.len);
    return true;
}

// ---- steps of kept elements

static bool close_kept(closure *c) {
    uint32_t n = kept_next(&c->kept, c->state);
    for (uint32_t i = 0; i < n; i++) {
        if (c->kept.labels[i] & SPACE_TROUBLE) return false;
        uint64_t *next = c->kept.next + (size_t)i * c->words;
        space_canonical(c->r->s->view_run, next);
        tuples_put(c->views, next);
    }
    return true;
}

static void load(closure *c, uint32_t view) {
    memcpy(c->state, tuples_get(c->views, view), c->words * sizeof *c->state);
}

static bool close_view(closure *c, uint32_t view) {
    load(c, view);
    if (view >= c->kept_done) {
        if (!close_kept(c)) return false;
        c->kept_done = view + 1;
    }
    for (uint32_t i = 0; i < c->groups.len; i++) {
        group *g = &c->groups.data[i];
        if (view < g->done) continue;
        if (!close_group(c, g, view)) return false;
        g->done = view + 1;
    }
    return true;
}

static uint32_t first_open(const closure *c) {
    uint32_t first = c->kept_done;
    for (uint32_t i = 0; i < c->groups.len; i++)
        if (c->groups.data[i].done < first) first = c->groups.data[i].done;
    return first;
}

static bool close_views(closure *c) {
    for (uint32_t i = first_open(c); i < tuples_count(c->views); i++) {
        if (!close_view(c, i) || tuples_count(c->views) > CLOSURE_MOST_VIEWS) return false;
        if (i % 256 == 0 && is_late(c)) return false;
    }
    return true;
}

// ---- do the lemmas hold?

typedef struct {
    VEC(expr) conds;
    VEC(uint32_t) owners;  // candidates; UINT32_MAX: the property
} question;

static void ask(const closure *c, question *q, uint32_t owner) {
    prop p = owner == UINT32_MAX ? c->r->checked : c->r->candidates.data[owner].checked;
    vec_push(&q->conds, prop_of(c->r->a->m, p)->cond);
    vec_push(&q->owners, owner);
}

static void drop_lemma(closure *c, uint32_t number) {
    candidate *x = &c->r->candidates.data[number];
    if (!x->is_used) return;
    candidates_drop(c->r, number);
    for (uint32_t i = 0; i < c->groups.len; i++) {
        group *g = &c->groups.data[i];
        if (x->l.only.id && x->l.only.id != g->origin.id) continue;
        g->done = 0;
        g->is_stale = true;
    }
}

static bool judge(closure *c, const question *q, const uint64_t *failed) {
    bool ok = true;
    for (uint32_t i = 0; i < q->owners.len; i++) {
        if (!(failed[i / 64] >> (i % 64) & 1)) continue;
        uint32_t owner = q->owners.data[i];
        if (owner == UINT32_MAX || c->r->candidates.data[owner].is_users) ok = false;
        else drop_lemma(c, owner);
    }
    return ok;
}

// Asks of the views from number `from` on.
static bool answer(closure *c, question *q, uint32_t from) {
    space_options o = {.checks = q->conds.data, .nchecks = q->conds.len};
    space *sp = q->conds.len ? space_new(c->r->s->view_in, &o) : NULL;
    bool ok = !q->conds.len || sp;
    space_run *run = sp ? space_run_new(sp) : NULL;
    uint64_t *failed = mem_zero(q->conds.len / 64 + 1, sizeof *failed);
    for (uint32_t i = from; sp && ok && i < tuples_count(c->views); i++) {
        load(c, i);
        if (!space_check(run, c->state, failed)) ok = judge(c, q, failed);
    }
    free(failed);
    space_run_free(run);
    space_free(sp);
    vec_free(&q->conds);
    vec_free(&q->owners);
    return ok;
}

// False if the property, or a lemma of the user's, does not hold.
static bool check_lemmas(closure *c) {
    question young = {0}, old = {0};
    ask(c, &old, UINT32_MAX);
    for (uint32_t i = 0; i < c->r->candidates.len; i++) {
        candidate *x = &c->r->candidates.data[i];
        if (x->is_used) ask(c, x->is_checked ? &old : &young, i);
        x->is_checked = true;
    }
    bool ok = answer(c, &young, 0);
    ok = answer(c, &old, c->checked) && ok;
    c->checked = tuples_count(c->views);
    return ok;
}

bool closure_run(closure *c) {
    do
        if (!close_views(c) || !check_lemmas(c)) return false;
    while (first_open(c) < tuples_count(c->views));
    return true;
}

// ---- fewer lemmas

static bool is_left(closure *c, group *g, uint32_t view) {
    load(c, view);
    uint32_t list = steps_of(&g->all, c->state);
    prefetch(c, &g->all, list);
    for (uint32_t k = g->all.first.data[list]; k < g->all.first.data[list + 1]; k++)
        if (leaves(c, &g->all, k)) return true;
    return false;
}

static bool stays_closed(closure *c, group *g, const candidate *without) {
    if (without->against < tuples_count(c->views) && is_left(c, g, without->against)) return false;
    for (uint32_t i = 0; i < tuples_count(c->views); i++)
        if (is_left(c, g, i)) return false;
    return true;
}

static uint32_t count_left(closure *c, group *g) {
    uint32_t n = 0, stride = tuples_count(c->views) / MOST_COUNTED + 1;
    c->r->counted = 0;
    for (uint32_t i = 0; i < tuples_count(c->views); i += stride, c->r->counted++) n += is_left(c, g, i);
    return n;
}

void closure_minimise(closure *c, double seconds) {
    limits part = limits_within(&c->r->how.limits, seconds);
    for (uint32_t i = c->r->candidates.len; i-- > 0 && !limits_met(&part);) {
        candidate *x = &c->r->candidates.data[i];
        group *g = x->is_used && x->l.only.id ? group_of(c, x->l.only) : NULL;
        if (!g) continue;
        x->is_used = false;
        bool ok = group_reopen(c, g);
        if (ok && stays_closed(c, g, x)) continue;
        if (ok) x->needed = count_left(c, g);
        x->is_used = true;
    }
}

// ---- making

closure *closure_new(refinement *r) {
    closure *c = mem_zero(1, sizeof *c);
    c->r = r;
    c->views = r->s->views;
    c->words = space_words(r->s->view_space);
    c->state = mem_zero(c->words + 1, sizeof *c->state);
    c->after = mem_zero(c->words + 1, sizeof *c->after);
    c->before = mem_zero(r->s->view_in->ncells + 1, sizeof *c->before);
    r->views = views_new(r->s);
    if (kept_open(&c->kept, r->a) && open_groups(c)) return c;
    closure_free(c);
    return NULL;
}

void closure_free(closure *c) {
    if (!c) return;
    views_free(c->r->views);
    c->r->views = NULL;
    for (uint32_t i = 0; i < c->groups.len; i++) {
        group_close(&c->groups.data[i]);
        vec_free(&c->groups.data[i].drafts);
    }
    vec_free(&c->groups);
    kept_close(&c->kept);
    free(c->state);
    free(c->after);
    free(c->before);
    free(c);
}
