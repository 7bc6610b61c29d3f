// SPDX-License-Identifier: Apache-2.0
// Judging moments: see judge.h. The delays after which a step is possible form an interval, cut by one bound after the
// other: a bound between two clocks does not change with time, one on a single clock is a first or last delay.
#include "zone/judge.h"

#include <string.h>

// Delays from `first` on, up to `last`, each twice and one more where the bound itself is left out.
typedef struct {
    int64_t first, last;
} delays;

typedef struct {
    const value *cells;
    int64_t clocks[DBM_MOST_CLOCKS + 1];
    bool is_set[DBM_MOST_CLOCKS + 1];  // set after the delay, so it does not grow
} arrival;

static void cut_delays(const judge_moment *m, const clock_bound *b, const arrival *at, delays *d) {
    const net *x = m->x;
    if (b->when.id && !eval_expr(x->ev, at->cells, b->when)) return;
    int64_t most = (int64_t)eval_expr(x->ev, at->cells, b->bound) * m->unit;
    int64_t rest = 2 * (most - (at->clocks[b->left] - at->clocks[b->right]));
    bool left = b->left && !at->is_set[b->left], right = b->right && !at->is_set[b->right];
    if (left == right) {
        if (b->is_strict ? rest <= 0 : rest < 0) d->last = -1;
    } else if (left) {
        if (rest - b->is_strict < d->last) d->last = rest - b->is_strict;
    } else if (-rest + b->is_strict > d->first) {
        d->first = -rest + b->is_strict;
    }
}

static void cut_by_invariants(const judge_moment *m, const arrival *at, delays *d) {
    const timed_info *t = m->x->t;
    for (uint32_t i = 0; i < t->invariants.len; i++) cut_delays(m, &t->invariants.data[i], at, d);
    if (t->valid.id && !eval_expr(m->x->ev, at->cells, t->valid)) d->last = -1;
}

static arrival arrival_now(const judge_moment *m) {
    arrival at = {.cells = m->cells};
    memcpy(at.clocks, m->clocks, m->x->n * sizeof *m->clocks);
    return at;
}

// How long time may pass here.
static delays delays_here(const judge_moment *m) {
    const timed_info *t = m->x->t;
    arrival here = arrival_now(m);
    delays d = {0, t->still.id && eval_expr(m->x->ev, m->cells, t->still) ? 0 : INT64_MAX};
    cut_by_invariants(m, &here, &d);
    return d;
}

static bool set_clocks(const judge_moment *m, const rule_info *r, arrival *at) {
    for (uint32_t i = 0; i < r->nresets; i++) {
        const clock_reset *t = &r->resets[i];
        if (t->when.id && !eval_expr(m->x->ev, m->cells, t->when)) continue;
        at->clocks[t->clock] = (int64_t)eval_expr(m->x->ev, m->cells, t->value) * m->unit;
        at->is_set[t->clock] = true;
    }
    return r->nresets;
}

static bool is_possible_later(const judge_moment *m, const net_label *l, bool counts_idle, value *next) {
    const net *x = m->x;
    const rule_info *r = rule_of(x->m, l->r);
    arrival here = arrival_now(m), after = here;
    delays d = delays_here(m);
    if (!eval_enabled(x->ev, m->cells, l->r, l->args)) return eval_fault(x->ev).kind;
    for (uint32_t i = 0; i < r->nbounds; i++) cut_delays(m, &r->bounds[i], &here, &d);
    bool sets = set_clocks(m, r, &after), fires = eval_fire(x->ev, m->cells, l->r, l->args, next);
    if (!fires) return !eval_is_impossible(x->ev) && d.first <= d.last;
    if (!counts_idle && !sets && memcmp(m->cells, next, x->in->ncells * sizeof *next) == 0) return false;
    after.cells = next;
    cut_by_invariants(m, &after, &d);
    return d.first <= d.last;
}

bool judge_is_dead(const judge_moment *m, bool counts_idle) {
    value *next = mem_alloc((m->x->in->ncells + 1) * sizeof *next);
    bool dead = true;
    for (uint32_t i = 0; i < m->x->labels.len && dead; i++)
        dead = !is_possible_later(m, &m->x->labels.data[i], counts_idle, next);
    free(next);
    return dead;
}

static bool atom_holds(const judge_moment *m, const clock_atom *a) {
    if (a->is_deadlock) return judge_is_dead(m, true);
    int64_t is = m->clocks[a->is.left] - m->clocks[a->is.right];
    int64_t most = (int64_t)eval_expr(m->x->ev, m->cells, a->is.bound) * m->unit;
    return a->is.is_strict ? is < most : is <= most;
}

bool judge_holds(const judge_moment *m, uint32_t formula) {
    const net_formula *f = &m->x->formulas.data[formula];
    for (uint32_t i = 0; i < f->natoms; i++) {
        const clock_atom *a = &m->x->t->atoms.data[f->atoms[i]];
        bool holds = atom_holds(m, a);
        eval_bind(m->x->ev, a->stands, holds);
    }
    return eval_expr(m->x->ev, m->cells, f->e) && !eval_fault(m->x->ev).kind;
}

bool judge_is_endless(const judge_moment *m, uint32_t formula) {
    int64_t later[DBM_MOST_CLOCKS + 1];
    if (delays_here(m).last != INT64_MAX) return false;
    later[0] = 0;
    for (uint32_t i = 1; i < m->x->n; i++) later[i] = m->clocks[i] + 2 * (int64_t)BOUND_LARGEST * m->unit;
    judge_moment end = {m->x, m->unit, later, m->cells};
    return judge_holds(&end, formula);
}
