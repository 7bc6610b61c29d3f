// SPDX-License-Identifier: Apache-2.0
// What statistical queries are about and all others are not: how long a process stays, how likely a branch is,
// floating-point numbers, and what a run costs. The first two are left out; a branch point becomes a choice. Each is
// said once for a file.
#include "front/xta/internal.h"

#include <string.h>

enum { MOST_EDGES = 100000 };  // of a template

void xta_warn_once(xta_file *f, xta_left_out what, span at) {
    static const char *const texts[] = {
        [LEFT_RATES] = "exponential rates are for statistical queries: all delays are possible",
        [LEFT_PROBABILITIES] = "probabilities are for statistical queries: every branch is possible",
        [LEFT_DOUBLES] = "floating-point numbers and hybrid clocks are not followed: what they are set to is left out",
        [LEFT_COSTS] = "costs and rewards are not followed: nothing that can happen depends on them"};
    if (f->has_warned[what]) return;
    f->has_warned[what] = true;
    diag_warning(f->messages, at, "%s", texts[what]);
}

// ---- branch points

// 1 + the number of the branch point that an id names; 0: it names a location.
static uint32_t branchpoint_of(const map *ids, const char *id) { return id ? map_get_str(ids, id, 0) : 0; }

typedef VEC(uint32_t) number_list;

static xta_ast **joined_updates(xta_file *f, const xta_edge *a, const xta_edge *b) {
    xta_ast **all = arena_alloc(f->memory, (a->nupdates + b->nupdates + 1) * sizeof *all);
    if (a->nupdates) memcpy(all, a->updates, a->nupdates * sizeof *all);
    if (b->nupdates) memcpy(all + a->nupdates, b->updates, b->nupdates * sizeof *all);
    return all;
}

static xta_decl *joined_selects(xta_file *f, const xta_edge *a, const xta_edge *b) {
    xta_decl *all = arena_alloc(f->memory, (a->nselects + b->nselects + 1) * sizeof *all);
    if (a->nselects) memcpy(all, a->selects, a->nselects * sizeof *all);
    if (b->nselects) memcpy(all + a->nselects, b->selects, b->nselects * sizeof *all);
    return all;
}

static xta_ast *joined_guard(xta_file *f, const xta_edge *a, const xta_edge *b) {
    if (!a->guard || !b->guard) return a->guard ? a->guard : b->guard;
    xta_ast *both = arena_alloc(f->memory, sizeof *both);
    *both = (xta_ast){.kind = X_BINARY, .op = OP_AND, .at = b->guard->at, .nargs = 2};
    both->args = arena_copy(f->memory, (xta_ast *[]){a->guard, b->guard}, 2 * sizeof *both->args);
    both->depth = (a->guard->depth > b->guard->depth ? a->guard->depth : b->guard->depth) + 1;
    return both;
}

// Into the branch point and on from it.
static xta_edge joined_edge(xta_file *f, const xta_edge *a, const xta_edge *b) {
    xta_edge e = *a;
    e.at = b->at;
    e.to = b->to;
    e.to_at = b->to_at;
    e.guard = joined_guard(f, a, b);
    e.selects = joined_selects(f, a, b);
    e.nselects = a->nselects + b->nselects;
    e.updates = joined_updates(f, a, b);
    e.nupdates = a->nupdates + b->nupdates;
    return e;
}

static bool check_branch(xta_file *f, const map *ids, const xta_edge *e) {
    if (!branchpoint_of(ids, e->from)) return true;
    if (branchpoint_of(ids, e->to))
        return diag_error(f->messages, e->at, "a branch leads to a location, not to another branch point");
    if (e->channel) return diag_error(f->messages, e->at, "a branch does not synchronise: the edge before it does");
    return true;
}

bool xta_join_branches(xta_file *f, xta_template *t) {
    if (!t->branchpoints.len) return true;
    map *ids = map_new();
    number_list *branches = mem_zero(t->branchpoints.len, sizeof *branches);
    VEC(xta_edge) all = {0};
    bool ok = true;
    for (uint32_t i = 0; i < t->branchpoints.len; i++) map_put_str(ids, t->branchpoints.data[i], i + 1);
    for (uint32_t i = 0; i < t->edges.len; i++) {
        uint32_t from = branchpoint_of(ids, t->edges.data[i].from);
        ok &= check_branch(f, ids, &t->edges.data[i]);
        if (from) vec_push(&branches[from - 1], i);
    }
    for (uint32_t i = 0; ok && i < t->edges.len; i++) {
        const xta_edge *e = &t->edges.data[i];
        uint32_t to = branchpoint_of(ids, e->to);
        if (branchpoint_of(ids, e->from)) continue;
        if (!to) vec_push(&all, *e);
        for (uint32_t k = 0; to && k < branches[to - 1].len; k++)
            vec_push(&all, joined_edge(f, e, &t->edges.data[branches[to - 1].data[k]]));
        if (all.len > MOST_EDGES)
            ok = diag_error(f->messages, t->at, "branch points make too many edges of '%s'", t->name);
    }
    xta_warn_once(f, LEFT_PROBABILITIES, t->at);
    vec_free(&t->edges);
    t->edges.data = all.data, t->edges.len = all.len, t->edges.cap = all.cap;
    for (uint32_t i = 0; i < t->branchpoints.len; i++) vec_free(&branches[i]);
    free(branches);
    map_free(ids);
    return ok;
}
