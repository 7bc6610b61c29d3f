// SPDX-License-Identifier: Apache-2.0
// Larger instances: see further.h. The budget is counted in states, so that what is found does not depend on the
// machine unless the limit of time ends it. These searches run no self-check: only what is found counts, and that is
// replayed. An instance that is too large to be made is skipped without a
// message: nobody asked for it.
#include "explore/further.h"

#include "result/doubt.h"

static explore_options quietly(uint64_t states, const limits *until) {
    return (explore_options){.threads = 1,
                             .symmetry = SYMMETRY_EXACT,
                             .self_check = SELF_CHECK_OFF,
                             .limit_states = states,
                             .limits = *until};
}

result *further_at(model *m, sys system, prop p, const further_options *o, instance **in) {
    diag_silence(m->messages);
    *in = instance_new(m, system, o->from, o->nfrom);
    result *r = result_new();
    explore_options how = quietly(o->states, &o->limits);
    if (o->threads) how.threads = o->threads;
    if (*in) explore_run(*in, &p, 1, &how, r, NULL);
    diag_speak(m->messages);
    if (*in && r->verdict == VERDICT_VIOLATED) return r;
    result_free(r);
    instance_free(*in);
    *in = NULL;
    return NULL;
}

typedef struct {
    model *m;
    sys system;
    prop p;
    const further_options *o;
    uint64_t left;
    instance *in;
} looking;

// An instance gets this part of the budget, and counts as if it had used it: what the starts of a large one cost, with
// axioms to be tried for each choice, is more than its states tell.
enum { SHARE = 8 };

// The sorts of `from`, one of them or all (UINT32_MAX) of another size.
static result *further_look_at(looking *l, uint32_t which, uint32_t size) {
    uint64_t states = l->o->states / SHARE;
    if (states > l->left) states = l->left;
    if (!states || limits_met(&l->o->limits)) return NULL;
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 0; i < l->o->nfrom; i++) {
        sort_size s = l->o->from[i];
        if (which == i || (which == UINT32_MAX && s.size < size)) s.size = size;
        vec_push(&sizes, s);
    }
    further_options one = *l->o;
    one.from = sizes.data;
    one.states = states;
    result *r = further_at(l->m, l->system, l->p, &one, &l->in);
    l->left -= states;
    vec_free(&sizes);
    return r;
}

static result *look_at_size(looking *l, uint32_t size) {
    result *r = NULL;
    for (uint32_t i = 0; i < l->o->nfrom && l->o->nfrom > 1 && !r; i++)
        if (l->o->from[i].size < size) r = further_look_at(l, i, size);
    return r ? r : further_look_at(l, UINT32_MAX, size);
}

result *further_violation(model *m, sys system, prop p, const further_options *o, instance **in) {
    looking l = {.m = m, .system = system, .p = p, .o = o, .left = o->states};
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < o->nfrom; i++)
        if (o->from[i].size < least) least = o->from[i].size;
    result *r = NULL;
    for (uint32_t size = least + 1; o->nfrom && size <= FURTHER_LARGEST && !r; size++) r = look_at_size(&l, size);
    *in = l.in;
    return r;
}

// ---- doubts

enum { DOUBT_STATES = 10000 };

typedef struct {
    model *m;
    sys system;
    const prop *props;
    uint32_t nprops;
    const limits *until;
    bool tried;  // an instance with a start: its doubts are the first that count
    further_tried out;
} trying;

// The doubts of one instance; NULL: it cannot be made or explored.
static result *try_instance(trying *t, const sort_size *sizes, uint32_t n, bool *starts) {
    diag_silence(t->m->messages);
    instance *in = instance_new(t->m, t->system, sizes, n);
    explore_options how = quietly(DOUBT_STATES, t->until);
    how.finds_doubts = how.doubts_of_part = true;
    result *r = result_new();
    explored *kept = NULL;
    if (in) explore_run(in, t->props, t->nprops, &how, r, &kept);
    bool is_made = kept && explored_space(kept);
    *starts = is_made && explored_initial_count(kept) > 0;
    t->out.has_start |= *starts;
    explored_free(kept);
    instance_free(in);
    diag_speak(t->m->messages);
    if (is_made) return r;
    result_free(r);
    return NULL;
}

// What is in doubt in this one too. Where nothing starts, nothing was tried: such an instance takes no doubt away.
static void keep_common(trying *t, result *r, bool starts) {
    result *old = t->out.left;
    bool is_first = !old || (starts && !t->tried);
    if (is_first || starts) {
        if (!is_first) doubt_keep_common(r, old);
        t->out.left = r;
        r = old;
    }
    t->tried |= starts;
    result_free(r);
}

static bool is_in_doubt(const trying *t) { return !t->out.left || t->out.left->doubts.len || !t->out.has_start; }

static bool further_try_size(trying *t, const type *sorts, uint32_t nsorts, uint32_t size) {
    sort_size *sizes = mem_zero(nsorts + 1, sizeof *sizes);
    bool starts = false;
    for (uint32_t i = 0; i < nsorts; i++) sizes[i] = (sort_size){sorts[i], size};
    result *r = try_instance(t, sizes, nsorts, &starts);
    if (r) keep_common(t, r, starts);
    free(sizes);
    return r != NULL;
}

further_tried further_doubts(model *m, sys system, const prop *props, uint32_t nprops, const type *sorts,
                             uint32_t nsorts, const limits *until) {
    trying t = {.m = m, .system = system, .props = props, .nprops = nprops, .until = until};
    for (uint32_t size = 2; size <= FURTHER_TRIED && is_in_doubt(&t) && !limits_met(until); size++) {
        if (!further_try_size(&t, sorts, nsorts, size)) break;
        t.out.size = size;
    }
    // Axioms may leave only one element.
    if (!t.out.has_start && !limits_met(until)) further_try_size(&t, sorts, nsorts, 1);
    return t.out;
}
