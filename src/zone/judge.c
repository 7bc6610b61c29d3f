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
    bool is_set[DBM_MOST_CLOCKS + 1];  // set after the delay, or standing still, so it does not grow
    bool is_odd;                       // a rate is neither 0 nor 1: no time passes here
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
    if (m->x->t->rates.len) at.is_odd = !net_plain_stops(m->x, m->cells, at.is_set);
    return at;
}

bool judge_is_still(const judge_moment *m) {
    return m->x->t->still.id && eval_expr(m->x->ev, m->cells, m->x->t->still);
}

// How long time may pass here.
static delays delays_here(const judge_moment *m) {
    arrival here = arrival_now(m);
    delays d = {0, here.is_odd || judge_is_still(m) ? 0 : INT64_MAX};
    cut_by_invariants(m, &here, &d);
    return d;
}

void judge_let_pass(const judge_moment *m, int64_t units, int64_t *clocks) {
    arrival here = arrival_now(m);
    for (uint32_t c = 1; c < m->x->n; c++) clocks[c] += here.is_set[c] ? 0 : units;
}

bool judge_set_clocks(const judge_moment *m, const rule_info *r, int64_t *clocks, bool *is_set) {
    int32_t set[DBM_MOST_CLOCKS + 1];
    bool sets = false;
    net_plain_settings(m->x, r, m->cells, set);
    for (uint32_t c = 1; c < m->x->n; c++) {
        is_set[c] = set[c] != NET_UNSET;
        if (is_set[c]) clocks[c] = (int64_t)set[c] * m->unit;
        sets |= is_set[c];
    }
    return sets;
}

// ---- steps that are possible now or later

typedef struct {
    delays when;
    value priority;
    bool is_idle;  // it changes neither the state nor a clock
    bool fails;
} chance;

static chance chance_of(const judge_moment *m, const net_label *l, value *next) {
    const net *x = m->x;
    const rule_info *r = rule_of(x->m, l->r);
    arrival here = arrival_now(m), after = here;
    prop refused;
    eval_end end = eval_step(x->ev, m->cells, l->r, l->args, next, &refused);
    if (end == EVAL_NONE) return (chance){.when = {0, -1}};
    chance c = {delays_here(m), net_priority(x, l, m->cells), false, end != EVAL_FIRES};
    for (uint32_t i = 0; i < r->nbounds; i++) cut_delays(m, &r->bounds[i], &here, &c.when);
    if (c.fails) return c;
    bool sets = judge_set_clocks(m, r, after.clocks, after.is_set);
    for (uint32_t i = 1; i < x->n; i++) after.is_set[i] |= here.is_set[i];
    c.is_idle = !sets && memcmp(m->cells, next, x->in->ncells * sizeof *next) == 0;
    after.cells = next;
    cut_by_invariants(m, &after, &c.when);
    return c;
}

typedef VEC(chance) chance_list;

// Is there a delay at which the step is possible and none of higher priority is?
static bool has_turn(const chance *c, const chance_list *all) {
    int64_t at = c->when.first;
    for (uint32_t i = 0; i < all->len && at <= c->when.last; i++) {
        const chance *other = &all->data[i];
        bool blocks = !other->fails && other->priority > c->priority;
        if (!blocks || at < other->when.first || at > other->when.last) continue;
        if (other->when.last == INT64_MAX) return false;
        at = other->when.last + 1;
        i = UINT32_MAX;  // the others may block it there: from the first again
    }
    return at <= c->when.last;
}

bool judge_is_dead(const judge_moment *m, bool counts_idle) {
    value *next = mem_alloc((m->x->in->ncells + 1) * sizeof *next);
    chance_list all = {0};
    bool dead = true;
    for (uint32_t i = 0; i < m->x->labels.len; i++) vec_push(&all, chance_of(m, &m->x->labels.data[i], next));
    for (uint32_t i = 0; i < all.len && dead; i++)
        dead = (all.data[i].is_idle && !counts_idle) || !has_turn(&all.data[i], &all);
    vec_free(&all);
    free(next);
    return dead;
}

// What is left of `at` where none of the others from the i-th on, of higher priority, is possible.
static void add_turns(const chance_list *all, uint32_t i, value priority, judge_chance at, judge_chances *out) {
    for (; i < all->len && at.first <= at.last; i++) {
        const chance *other = &all->data[i];
        if (other->fails || other->priority <= priority || other->when.first > other->when.last) continue;
        if (other->when.first > at.last || other->when.last < at.first) continue;
        judge_chance before = at;
        before.last = other->when.first - 1;
        add_turns(all, i + 1, priority, before, out);
        if (other->when.last == INT64_MAX) return;
        at.first = other->when.last + 1;
    }
    if (at.first <= at.last) vec_push(out, at);
}

void judge_find_chances(const judge_moment *m, judge_chances *out) {
    value *next = mem_alloc((m->x->in->ncells + 1) * sizeof *next);
    chance_list all = {0};
    for (uint32_t i = 0; i < m->x->labels.len; i++) vec_push(&all, chance_of(m, &m->x->labels.data[i], next));
    for (uint32_t i = 0; i < all.len; i++) {
        const chance *c = &all.data[i];
        add_turns(&all, m->x->t->has_priorities ? 0 : all.len, c->priority,
                  (judge_chance){i, c->when.first, c->when.last, c->fails}, out);
    }
    vec_free(&all);
    free(next);
}

bool judge_is_blocked(const judge_moment *m, const net_label *l) {
    value own = net_priority(m->x, l, m->cells), *next = mem_alloc((m->x->in->ncells + 1) * sizeof *next);
    bool blocked = false;
    for (uint32_t i = 0; i < m->x->labels.len && !blocked; i++) {
        chance c = chance_of(m, &m->x->labels.data[i], next);
        blocked = !c.fails && c.priority > own && c.when.first <= 0 && c.when.last >= 0;
    }
    free(next);
    return blocked;
}

// ---- formulas

bool judge_bound_holds(const judge_moment *m, const clock_bound *b) {
    if (b->when.id && !eval_expr(m->x->ev, m->cells, b->when)) return true;
    int64_t is = m->clocks[b->left] - m->clocks[b->right];
    int64_t most = (int64_t)eval_expr(m->x->ev, m->cells, b->bound) * m->unit;
    return b->is_strict ? is < most : is <= most;
}

bool judge_invariants_hold(const judge_moment *m) {
    const timed_info *t = m->x->t;
    for (uint32_t i = 0; i < t->invariants.len; i++)
        if (!judge_bound_holds(m, &t->invariants.data[i])) return false;
    return !t->valid.id || eval_expr(m->x->ev, m->cells, t->valid);
}

bool judge_holds(const judge_moment *m, uint32_t formula) {
    const net_formula *f = &m->x->formulas.data[formula];
    for (uint32_t i = 0; i < f->natoms; i++) {
        const clock_atom *a = &m->x->t->atoms.data[f->atoms[i]];
        bool holds = a->is_deadlock ? judge_is_dead(m, true) : judge_bound_holds(m, &a->is);
        eval_bind(m->x->ev, a->stands, holds);
    }
    return eval_expr(m->x->ev, m->cells, f->e) && !eval_fault(m->x->ev).kind;
}

// Halves of a unit later.
static bool holds_after(const judge_moment *m, uint32_t formula, int64_t halves) {
    int64_t later[DBM_MOST_CLOCKS + 1] = {0};
    arrival here = arrival_now(m);
    for (uint32_t i = 1; i < m->x->n; i++) later[i] = 2 * m->clocks[i] + (here.is_set[i] ? 0 : halves);
    return judge_holds(&(judge_moment){m->x, 2 * m->unit, later, m->cells}, formula);
}

// After how many halves the condition changes its truth, or just before or after that; -1: never.
static int64_t turning_point(const judge_moment *m, const clock_atom *a) {
    arrival here = arrival_now(m);
    bool left = a->is.left && !here.is_set[a->is.left], right = a->is.right && !here.is_set[a->is.right];
    if (a->is_deadlock || left == right) return -1;
    int64_t most = (int64_t)eval_expr(m->x->ev, m->cells, a->is.bound) * m->unit;
    int64_t rest = 2 * (most - (m->clocks[a->is.left] - m->clocks[a->is.right]));
    return left ? rest : -rest;
}

// Between the turning points of its conditions a formula does not change.
static bool holds_for(const judge_moment *m, uint32_t formula, int64_t halves) {
    const net_formula *f = &m->x->formulas.data[formula];
    int64_t far = 4 * (int64_t)BOUND_LARGEST * m->unit, last = halves < far ? halves : far;
    bool holds = holds_after(m, formula, 0) && holds_after(m, formula, last);
    for (uint32_t i = 0; i < f->natoms && holds; i++) {
        int64_t at = turning_point(m, &m->x->t->atoms.data[f->atoms[i]]);
        for (int64_t k = at - 1; k <= at + 1 && holds; k++) holds = k < 0 || k > last || holds_after(m, formula, k);
    }
    return holds;
}

bool judge_holds_for(const judge_moment *m, uint32_t formula, int64_t delay) {
    return holds_for(m, formula, 2 * delay);
}

bool judge_keeps(const judge_moment *m, uint32_t formula) { return holds_for(m, formula, delays_here(m).last); }

int64_t judge_longest(const judge_moment *m) { return delays_here(m).last; }

bool judge_is_endless(const judge_moment *m) { return delays_here(m).last == INT64_MAX; }
