// SPDX-License-Identifier: Apache-2.0
// Doubts about proofs: see tried.h. What is left of them after a look at small instances is put to the logic, as
// far as rules are concerned: if the invariant excludes the guard, the rule can never happen, at any size.
#include "infer/tried.h"

#include "explore/further.h"
#include "model/compose.h"
#include "model/expr.h"
#include "result/doubt.h"

typedef struct {
    proof *p;
    logic *l;
    const bits *lemmas;
    const prop *props;  // invariants whose premises are looked at
    uint32_t nprops;
    const infer_options *o;
    result *left;    // what was in doubt at every size so far
    bool has_start;  // some instance had one
    uint32_t size;   // of the largest instance looked at
} looking;

// ---- instances

// Bodies that only a formula describes have no successors that could be computed.
bool tried_can_explore(const model *m, sys s) {
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        const rule_info *r = rule_of(m, sys_of(m, s)->rules.data[i]);
        if (r->relation.id || r->nchosen) return false;
    }
    return true;
}

static void look_at_instances(looking *g) {
    type_list sorts = {0}, grown = {0};
    instance_sorts(g->p->m, g->p->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++)
        if (!type_of(g->p->m, sorts.data[i])->fixed_size) vec_push(&grown, sorts.data[i]);
    limits share = limits_within(&g->o->limits, limits_left(&g->o->limits) / 10);
    further_tried found = further_doubts(g->p->m, g->p->system, g->props, g->nprops, grown.data, grown.len, &share);
    g->left = found.left;
    g->has_start = found.has_start;
    g->size = found.size;
    vec_free(&sorts);
    vec_free(&grown);
}

// ---- rules

// Is it excluded by the lemmas, for every size?
static bool can_never_happen(looking *g, rule id) {
    model *m = g->p->m;
    const rule_info r = *rule_of(m, id);
    if (!g->l || !r.guard.id) return false;
    expr never = expr_forall(m, r.params, r.nparams, expr_not(m, expr_inline(m, r.guard)));
    return logic_implied(g->l, UINT32_MAX, g->lemmas, never) == ANSWER_PROVED;
}

static bool is_tried(const looking *g, const rule_info *r) {
    if (!g->left || !g->has_start) return false;
    for (uint32_t i = 0; i < g->left->doubts.len; i++) {
        const doubt *d = &g->left->doubts.data[i];
        if (d->kind == DOUBT_NO_STEP || (d->kind == DOUBT_RULE && str_same(d->subject, r->name))) return false;
    }
    return true;
}

static void tried_doubt_rules(looking *g) {
    const sys_info *s = sys_of(g->p->m, g->p->system);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info r = *rule_of(g->p->m, s->rules.data[i]);
        if (is_tried(g, &r)) continue;
        if (can_never_happen(g, s->rules.data[i]))
            doubt_add(g->p->tried, DOUBT_EXCLUDED, r.name, result_text(g->p->tried, "'%s' can never happen", r.name));
        else if (g->size >= FURTHER_TRIED)
            doubt_add(
                g->p->tried, DOUBT_RULE, r.name,
                result_text(g->p->tried, "'%s' did not happen at the sizes looked at, up to %u", r.name, g->size));
    }
}

static void doubt_rest(looking *g) {
    for (uint32_t i = 0; g->left && i < g->left->doubts.len; i++) {
        const doubt *d = &g->left->doubts.data[i];
        if (d->kind == DOUBT_PREMISE && g->size < FURTHER_TRIED) continue;
        if (d->kind == DOUBT_PREMISE || d->kind == DOUBT_BOUND) doubt_add_again(g->p->tried, d);
    }
}

// ---- the start

static bool has_no_start(looking *g) {
    if (g->has_start || !g->l) return false;
    bits asked = {0}, failed = {0};
    bits_add(&asked, logic_add_lemma(g->l, g->p->m->false_expr));
    bool none = logic_initially(g->l, &asked, &failed) == ANSWER_PROVED;
    bits_free(&asked);
    bits_free(&failed);
    return none;
}

// How far doubts are looked for is counted in states and in steps of the solvers, so that what is said of a proof does
// not depend on the machine, unless a tenth of the time is over.
void tried_look(proof *p, const prop *invariants, uint32_t n, const tried_by *by, const infer_options *o) {
    looking g = {.p = p, .l = by->logic, .lemmas = by->lemmas, .props = invariants, .nprops = n, .o = o};
    const result *first = by->first;
    bool is_explored = first && first->stats.states > 0;
    if (!compose_has_start(p->m, p->property)) {
        const char *spec = sys_of(p->m, prop_of(p->m, p->property)->spec)->name;
        p->verdict = VERDICT_UNKNOWN;
        p->reason = arena_printf(p->memory, "'%s' has a condition on its start: at some size it may have none", spec);
        return;
    }
    if (is_explored && !first->doubts.len) return;
    if (g.l) logic_set_brief(g.l, true);
    if (tried_can_explore(p->m, p->system)) look_at_instances(&g);
    if (has_no_start(&g)) {
        doubt_add(p->tried, DOUBT_START, sys_of(p->m, p->system)->name, "there is no initial state, at any size");
        p->verdict = VERDICT_UNKNOWN;
        p->reason = arena_str(p->memory, "there is no initial state, at any size: nothing was proved");
    } else {
        tried_doubt_rules(&g);
        doubt_rest(&g);
    }
    if (g.l) logic_set_brief(g.l, false);
    result_free(g.left);
}
