// SPDX-License-Identifier: Apache-2.0
// Concrete timed runs. Along a fixed sequence of steps, a clock is the time since it was last set plus the
// value it was set to, so that every guard and invariant bounds the difference of the times of two points.
// The earliest times that satisfy all of them are longest paths (Bellman and Ford). A strict bound needs
// one unit more, and units are made finer until there is a solution; as fine as one over the number of points
// always suffices.
//
// The replay knows nothing of this: it keeps the value of each clock and the discrete state, and asks the
// reference evaluator for every guard, bound and update.
#include "zone/run.h"

#include "logic/linear.h"
#include "zone/judge.h"
#include "zone/unfold.h"

#include <string.h>

// ---- constraints: times[a] - times[b] + terms <= w (strict: <)

typedef struct {
    uint32_t a, b;
    int32_t w;
    bool is_strict;
    uint32_t first, end;  // of builder.terms
} link;

// Between these two points a clock stood still.
typedef struct {
    uint32_t from, to;
} pause;

typedef struct {
    const run *r;
    VEC(link) links;
    VEC(linear_term) terms;
    uint32_t set_at[DBM_MOST_CLOCKS + 1];  // the point (from 0: the start) at which each clock was set
    int32_t set_to[DBM_MOST_CLOCKS + 1];
    VEC(pause) pauses[DBM_MOST_CLOCKS + 1];  // since then
} builder;

static void run_link(builder *k, uint32_t a, uint32_t b, int32_t w, bool is_strict) {
    vec_push(&k->links, (link){a, b, w, is_strict, k->terms.len, k->terms.len});
}

// A clock is less by the time that it stood still.
static void take_pauses(builder *k, uint32_t clock, int32_t sign) {
    for (uint32_t i = 0; i < k->pauses[clock].len; i++) {
        vec_push(&k->terms, ((linear_term){k->pauses[clock].data[i].to, -sign}));
        vec_push(&k->terms, ((linear_term){k->pauses[clock].data[i].from, sign}));
    }
}

// left - right within b at point `at`.
static void add_bound(builder *k, uint32_t at, uint32_t left, uint32_t right, bound b) {
    if (b == BOUND_INF) return;
    uint32_t a = right ? k->set_at[right] : at, c = left ? k->set_at[left] : at;
    int32_t w = bound_value(b) + (right ? k->set_to[right] : 0) - (left ? k->set_to[left] : 0);
    // left: T(at) - T(set left) + value; the two T(at) cancel if both are there.
    run_link(k, a, c, w, bound_is_strict(b));
    take_pauses(k, left, 1);
    take_pauses(k, right, -1);
    vec_last(&k->links).end = k->terms.len;
}

static void run_add_invariants(builder *k, uint32_t at, const value *cells) {
    const net *x = k->r->x;
    for (uint32_t i = 0; i < x->t->invariants.len; i++) {
        const clock_bound *b = &x->t->invariants.data[i];
        add_bound(k, at, b->left, b->right, net_plain_bound(x, b, cells));
    }
}

static void run_add_step(builder *k, uint32_t at, const run_point *p, const value *before) {
    const net *x = k->r->x;
    const net_label *l = &x->labels.data[p->label];
    const rule_info *r = rule_of(x->m, l->r);
    int32_t set[DBM_MOST_CLOCKS + 1];
    net_bind_label(x, l);
    for (uint32_t i = 0; i < r->nbounds; i++)
        add_bound(k, at, r->bounds[i].left, r->bounds[i].right, net_plain_bound(x, &r->bounds[i], before));
    net_plain_settings(x, r, before, set);
    for (uint32_t c = 1; c < x->n; c++)
        if (set[c] != NET_UNSET) k->set_at[c] = at, k->set_to[c] = set[c], k->pauses[c].len = 0;
    if (p->after) run_add_invariants(k, at, p->after);
}

static void add_zone(builder *k, uint32_t at, const bound *d) {
    uint32_t n = k->r->x->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (i != j && !(i == 0 && d[j] == BOUND_LE_ZERO)) add_bound(k, at, i, j, d[i * n + j]);
}

// Clocks that stand still in the state until the point.
static void add_pauses(builder *k, uint32_t at, const value *cells) {
    const net *x = k->r->x;
    bool stands[DBM_MOST_CLOCKS + 1];
    if (!x->rates.len) return;
    if (!net_plain_stops(x, cells, stands)) run_link(k, at, at - 1, 0, false);
    for (uint32_t c = 1; c < x->n; c++) {
        bool goes_on = k->pauses[c].len && vec_last(&k->pauses[c]).to == at - 1;
        if (stands[c] && goes_on) vec_last(&k->pauses[c]).to = at;
        else if (stands[c]) vec_push(&k->pauses[c], ((pause){at - 1, at}));
    }
}

static void run_build(builder *k) {
    const run *r = k->r;
    const value *cells = r->initial;
    for (uint32_t c = 1; c < r->x->n; c++) k->set_to[c] = r->x->t->clocks.data[c].initial;
    run_add_invariants(k, 0, cells);
    for (uint32_t i = 0; i < r->points.len; i++) {
        const run_point *p = &r->points.data[i];
        uint32_t at = i + 1;
        run_link(k, at - 1, at, 0, false);
        if (judge_is_still(&(judge_moment){.x = r->x, .cells = cells})) run_link(k, at, at - 1, 0, false);
        add_pauses(k, at, cells);
        run_add_invariants(k, at, cells);
        if (p->within && !p->is_late) add_zone(k, at - 1, p->within);
        if (p->within) add_zone(k, at, p->within);
        if (p->zone) add_zone(k, at, p->zone);
        if (p->is_step) run_add_step(k, at, p, cells);
        if (p->is_step && p->after) cells = p->after;
        if (p->restarts) k->set_at[p->restarts] = at, k->set_to[p->restarts] = 0, k->pauses[p->restarts].len = 0;
    }
}

// Earliest times in units; false: a cycle asks for more and more.
static bool relax(const builder *k, int64_t unit, int64_t *times, uint32_t n) {
    memset(times, 0, n * sizeof *times);
    for (uint32_t round = 0; round <= n; round++) {
        bool changed = false;
        for (uint32_t i = 0; i < k->links.len; i++) {
            const link *l = &k->links.data[i];
            int64_t least = times[l->a] - (int64_t)l->w * unit + l->is_strict;
            if (least <= times[l->b]) continue;
            if (l->b == 0) return false;
            times[l->b] = least;
            changed = true;
        }
        if (!changed) return true;
    }
    return false;
}

// The earliest times, as multiples of the least unit that works.
static bool run_solve_differences(const builder *k, run *r) {
    uint32_t n = r->points.len + 1;
    bool ok = false;
    for (r->unit = 1; !ok && r->unit <= 8; r->unit++) ok = relax(k, r->unit, r->times, n);
    if (ok) r->unit--;
    else {
        r->unit = n + 1;
        ok = relax(k, r->unit, r->times, n);
    }
    return ok;
}

// Some times; the start is at 0.
static bool run_solve_linear(const builder *k, run *r) {
    VEC(linear_term) terms = {0};
    uint32_t n = k->links.len;
    linear_bound *all = mem_alloc((n + 1) * sizeof *all);
    vec_reserve(&terms, 2 * n + k->terms.len + 1);
    for (uint32_t i = 0; i < n; i++) {
        const link *l = &k->links.data[i];
        all[i] = (linear_bound){terms.data + terms.len, 2 + l->end - l->first, l->w, l->is_strict};
        vec_push(&terms, ((linear_term){l->a, 1}));
        vec_push(&terms, ((linear_term){l->b, -1}));
        for (uint32_t t = l->first; t < l->end; t++) vec_push(&terms, k->terms.data[t]);
    }
    vec_push(&terms, ((linear_term){0, 1}));
    all[n] = (linear_bound){&vec_last(&terms), 1, 0, false};
    linear_end end = linear_solve(all, n + 1, r->points.len + 1, r->within, r->times, &r->unit);
    free(all);
    vec_free(&terms);
    return end == LINEAR_SOLVED;
}

// Solves the times, so that every guard and invariant is satisfied. False: there are none. Clocks that stand still make
// the bounds more than differences of two times.
static bool run_solve(run *r) {
    uint32_t n = r->points.len + 1;
    builder k = {.r = r};
    r->times = arena_alloc(r->memory, n * sizeof *r->times);
    r->clocks = arena_alloc(r->memory, (size_t)n * r->x->n * sizeof *r->clocks);
    run_build(&k);
    bool ok = k.terms.len ? run_solve_linear(&k, r) : run_solve_differences(&k, r);
    vec_free(&k.links);
    vec_free(&k.terms);
    for (uint32_t c = 0; c < r->x->n; c++) vec_free(&k.pauses[c]);
    return ok;
}

// ---- replay

typedef struct {
    const run *r;
    int64_t clocks[DBM_MOST_CLOCKS + 1];  // in units
    value *cells, *next;
    judge_moment now;  // of these clocks and cells
    str *why;
} player;

static bool run_wrong(player *p, uint32_t point, const char *what) {
    str_printf(p->why, "at point %u of the run, %s", point, what);
    return false;
}

static bool wait(player *p, uint32_t point) {
    int64_t delay = p->r->times[point + 1] - p->r->times[point];
    if (delay < 0) return run_wrong(p, point, "time goes back");
    if (delay > 0 && judge_is_still(&p->now)) return run_wrong(p, point, "time passes where it may not");
    judge_let_pass(&p->now, delay, p->clocks);
    return judge_invariants_hold(&p->now) || run_wrong(p, point, "an invariant does not hold");
}

static bool run_take(player *p, uint32_t point, const run_point *q) {
    const net *x = p->r->x;
    const net_label *l = &x->labels.data[q->label];
    const rule_info *r = rule_of(x->m, l->r);
    int64_t set[DBM_MOST_CLOCKS + 1];
    bool is_set[DBM_MOST_CLOCKS + 1];
    if (x->t->has_priorities && judge_is_blocked(&p->now, l))
        return run_wrong(p, point, "a step of higher priority is possible");
    if (!eval_enabled(x->ev, p->cells, l->r, l->args))
        return (!q->after && eval_fault(x->ev).kind) || run_wrong(p, point, "a step is not enabled");
    for (uint32_t i = 0; i < r->nbounds; i++)
        if (!judge_bound_holds(&p->now, &r->bounds[i])) return run_wrong(p, point, "a clock guard does not hold");
    memcpy(set, p->clocks, sizeof set);
    judge_set_clocks(&p->now, r, set, is_set);
    bool done = eval_fire(x->ev, p->cells, l->r, l->args, p->next), negative = false;
    for (uint32_t i = 0; i < r->nresets; i++) negative |= set[r->resets[i].clock] < 0;
    if (!q->after) return !done || negative || run_wrong(p, point, "a step does not fail");
    if (!done || memcmp(p->next, q->after, x->in->ncells * sizeof(value)) != 0)
        return run_wrong(p, point, "a step leads elsewhere");
    memcpy(p->cells, p->next, x->in->ncells * sizeof(value));
    memcpy(p->clocks, set, sizeof set);
    return judge_invariants_hold(&p->now) || run_wrong(p, point, "an invariant does not hold after a step");
}

static bool run_answers(player *p, uint32_t point) {
    uint32_t formula = p->r->points.data[point].asked;
    return !formula || judge_holds(&p->now, formula - 1) || run_wrong(p, point, "the query's formula does not hold");
}

// Of a run that keeps a formula: does it until the point?
static bool keeps(player *p, uint32_t point) {
    const run *r = p->r;
    uint32_t formula = r->points.data[point].asked;
    if (!formula || !point || !r->points.data[point - 1].asked) return true;
    return judge_holds_for(&p->now, formula - 1, r->times[point + 1] - r->times[point]) ||
           run_wrong(p, point, "the query's formula does not hold before it");
}

static bool ends(player *p) {
    const run *r = p->r;
    if (r->end == RUN_ANYWHERE) return true;
    if (!judge_keeps(&p->now, vec_last(&r->points).asked - 1))
        return run_wrong(p, r->points.len, "time leads out of the query's formula at the end");
    if (r->end == RUN_DEAD)
        return judge_is_dead(&p->now, r->counts_idle) || run_wrong(p, r->points.len, "a step is possible at the end");
    return judge_is_endless(&p->now) || run_wrong(p, r->points.len, "time cannot pass for ever at the end");
}

// Interprets the run step by step with the reference evaluator, independently of matrices, and judges what is asked
// (judge.h). False, with the reason.
static bool run_replay(const run *r, str *why) {
    size_t size = (r->x->in->ncells + 1) * sizeof(value);
    player p = {.r = r, .why = why, .cells = mem_alloc(size), .next = mem_alloc(size)};
    memcpy(p.cells, r->initial, r->x->in->ncells * sizeof(value));
    for (uint32_t c = 1; c < r->x->n; c++) p.clocks[c] = r->unit * r->x->t->clocks.data[c].initial;
    p.now = (judge_moment){r->x, r->unit, p.clocks, p.cells};
    bool ok = judge_invariants_hold(&p.now) || run_wrong(&p, 0, "an invariant does not hold at the start");
    for (uint32_t i = 0; ok && i < r->points.len; i++) {
        ok = keeps(&p, i) && wait(&p, i) && run_answers(&p, i) &&
             (!r->points.data[i].is_step || (run_take(&p, i, &r->points.data[i]) && run_answers(&p, i)));
        if (r->points.data[i].restarts) p.clocks[r->points.data[i].restarts] = 0;
        memcpy(r->clocks + (size_t)i * r->x->n, p.clocks, r->x->n * sizeof *r->clocks);
    }
    ok = ok && ends(&p);
    free(p.cells);
    free(p.next);
    return ok;
}

// ---- from the search to a trace

static const value *keep_cells(run *r, const value *cells) {
    return arena_copy(r->memory, cells, (r->x->in->ncells + 1) * sizeof *cells);
}

static void add_step_point(unfold *u, uint32_t label, void *context) {
    run *r = context;
    if (label == UINT32_MAX) r->is_broken = true;
    vec_push(&r->points, ((run_point){.is_step = true, .label = label, .after = keep_cells(r, u->cells)}));
}

static const bound *real_zone(run *r, const unfold *u, const bound *zone) {
    if (!zone) return NULL;
    bound *real = arena_alloc(r->memory, r->x->n * r->x->n * sizeof *real);
    unfold_zone(u, zone, real);
    return real;
}

static void add_moment(run *r, const unfold *u, const bound *zone, const bound *within) {
    vec_push(&r->points, ((run_point){.zone = real_zone(r, u, zone), .within = within, .is_late = r->is_late}));
    r->is_late = false;
}

static void add_path(run *r, unfold *u, zone_search *s, uint32_t node) {
    VEC(uint32_t) path = {0};
    for (uint32_t i = node; i != UINT32_MAX; i = s->p->nodes.data[i].parent) vec_push(&path, i);
    unfold_start(u, s, vec_last(&path));
    r->initial = keep_cells(r, u->cells);
    for (uint32_t i = path.len - 1; i-- > 0;) unfold_node(u, path.data[i], add_step_point, r);
    vec_free(&path);
}

// Of point i of the path, as it is in the real state.
static const bound *lasso_zone(run *r, const unfold *u, const zone_lasso *l, uint32_t i) {
    matrix d;
    passed_zone(l->seen, l->path.data[i].node, d.d);
    return real_zone(r, u, d.d);
}

// From point i of the path to the next.
static void add_lasso_step(run *r, unfold *u, const zone_lasso *l, uint32_t i) {
    const zone_lasso_point *to = &l->path.data[i + 1];
    const bound *within = lasso_zone(r, u, l, i);
    const uint8_t *rho = u->s->y ? l->perms.data + orbit_elements(u->s->y) * (i + 1) : NULL;
    if (to->label == ZONE_TIME) {
        if (u->s->y) unfold_turn(u, rho);
        r->is_late = true;
        return;
    }
    add_step_point(u, unfold_step(u, to->label, passed_state(l->seen, to->node), rho), r);
    vec_last(&r->points).within = within;
    vec_last(&r->points).is_late = r->is_late;
    r->is_late = false;
}

// Where a loop is: the real state, and the zone as it is there.
typedef struct {
    const value *cells;
    const bound *zone;
} whereabouts;

static whereabouts where(run *r, const unfold *u, const zone_lasso *l) {
    return (whereabouts){keep_cells(r, u->cells), lasso_zone(r, u, l, l->loop)};
}

static bool run_same_place(const run *r, const whereabouts *a, const whereabouts *b) {
    return memcmp(a->cells, b->cells, r->x->in->ncells * sizeof(value)) == 0 &&
           memcmp(a->zone, b->zone, r->x->n * r->x->n * sizeof(bound)) == 0;
}

// A loop of representatives leads back up to a permutation; repeated as often as that has to be for nothing to
// be left of it, it is a loop.
static void add_loop(run *r, unfold *u, const zone_lasso *l) {
    whereabouts start = where(r, u, l);
    for (bool open = true; open && !r->is_broken;) {
        for (uint32_t i = l->loop; i + 1 < l->path.len; i++) add_lasso_step(r, u, l, i);
        whereabouts now = where(r, u, l);
        open = !run_same_place(r, &start, &now);
    }
    add_moment(r, u, NULL, lasso_zone(r, u, l, l->loop));
}

static void run_add_lasso(run *r, unfold *u, const zone_lasso *l) {
    bool loops = l->loop != UINT32_MAX;
    uint32_t straight = loops ? l->loop : l->path.len - 1;
    unfold_turn(u, l->perms.data);
    for (uint32_t i = 0; i < straight; i++) add_lasso_step(r, u, l, i);
    if (loops) add_loop(r, u, l);
    else add_moment(r, u, l->last, lasso_zone(r, u, l, straight));
    r->shown = r->points.len;
    if (loops && !r->is_broken) add_loop(r, u, l);
}

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

static const char *rational(const run *r, int64_t t, arena *memory) {
    int64_t g = gcd(t, r->unit);
    if (t % r->unit == 0) return arena_printf(memory, "%lld", (long long)(t / r->unit));
    return arena_printf(memory, "%lld/%lld", (long long)(t / g), (long long)(r->unit / g));
}

// The clocks after a point, as text.
static const char *const *run_clocks(const run *r, uint32_t point, arena *memory) {
    const char **texts = arena_alloc(memory, (r->x->n + 1) * sizeof *texts);
    for (uint32_t c = 1; c < r->x->n; c++) texts[c - 1] = rational(r, r->clocks[(size_t)point * r->x->n + c], memory);
    return texts;
}

static trace *run_trace_of(const run *r) {
    trace *t = trace_new(r->x->in, r->initial);
    int64_t before = 0;
    for (uint32_t i = 0; i < r->points.len; i++) {
        const run_point *p = &r->points.data[i];
        if (!p->is_step) continue;
        const net_label *l = &r->x->labels.data[p->label];
        trace_add(t, l->r, l->args, p->after);
        vec_last(&t->steps).delay = rational(r, r->times[i + 1] - before, t->memory);
        vec_last(&t->steps).time = rational(r, r->times[i + 1], t->memory);
        vec_last(&t->steps).clocks = run_clocks(r, i, t->memory);
        before = r->times[i + 1];
    }
    t->end_delay = rational(r, r->times[r->points.len] - before, t->memory);
    t->end_time = rational(r, r->times[r->points.len], t->memory);
    if (r->points.len) t->end_clocks = run_clocks(r, r->points.len - 1, t->memory);
    return t;
}

static bool solve_and_replay(run *r, str *why) {
    if (run_narrow(r) && run_solve(r)) return run_replay(r, why);
    str_add(why, "its times cannot be solved");
    return false;
}

// First with the loop twice, then what is shown, with the earliest times of its own.
static trace *run_finish(run *r, str *why) {
    trace *t = NULL;
    if (r->is_broken) str_add(why, "a step up to symmetry is none of the real state");
    bool ok = !r->is_broken && (!r->shown || r->shown == r->points.len || solve_and_replay(r, why));
    if (r->shown) r->points.len = r->shown;
    if (ok && solve_and_replay(r, why)) t = run_trace_of(r);
    vec_free(&r->points);
    arena_free(r->memory);
    return t;
}

trace *run_through(const net *x, const value *initial, const run_point *points, uint32_t n, str *why) {
    run r = {.x = x, .memory = arena_new(), .initial = initial};
    for (uint32_t i = 0; i < n; i++) vec_push(&r.points, points[i]);
    return run_finish(&r, why);
}

// From the point `first` on the formula always holds, and the run cannot be longer.
static void ask_maximal(run *r, const zone_ask *a, const zone_lasso *lasso, uint32_t first) {
    uint32_t formula = a->info->query == QUERY_LEADS_TO ? a->then : a->formula;
    bool has_clocks = r->x->formulas.data[formula].natoms;
    for (uint32_t i = first; i < r->points.len; i++) {
        r->points.data[i].asked = 1 + formula;
        if (!has_clocks) r->points.data[i].within = NULL;
    }
    if (lasso->forever) r->end = RUN_ENDLESS;
    else if (lasso->loop == UINT32_MAX) r->end = RUN_DEAD;
}

// How many steps lead to point i of the path.
static uint32_t lasso_steps(const zone_lasso *l, uint32_t i) {
    uint32_t n = 0;
    for (uint32_t k = 1; k <= i; k++) n += l->path.data[k].label != ZONE_TIME;
    return n;
}

trace *zone_concrete_run(zone_search *s, uint32_t node, const zone_ask *a, const zone_lasso *lasso, str *why) {
    run r = {.x = s->x, .memory = arena_new(), .counts_idle = s->o->counts_idle, .within = &s->o->limits};
    unfold u;
    add_path(&r, &u, s, node);
    add_moment(&r, &u, a ? a->piece : NULL, NULL);
    if (a) vec_last(&r.points).asked = 1 + a->formula;
    if (a) vec_last(&r.points).restarts = a->info->restarts;
    uint32_t stem = r.points.len - 1;
    if (lasso) run_add_lasso(&r, &u, lasso);
    if (lasso) ask_maximal(&r, a, lasso, stem + 1);
    unfold_free(&u);
    trace *t = run_finish(&r, why);
    if (t && lasso && lasso->loop != UINT32_MAX) t->loop = stem + lasso_steps(lasso, lasso->loop);
    return t;
}

// How the last step fails.
static fault say_step_fault(zone_search *s, uint32_t label, const value *before, str *why) {
    const net_label *l = &s->x->labels.data[label];
    value *next = mem_zero(s->in->ncells + 1, sizeof *next);
    prop refused;
    bool faulty = eval_step(s->x->ev, before, l->r, l->args, next, &refused) == EVAL_FAULTY;
    fault what = faulty ? eval_fault(s->x->ev) : (fault){0};
    if (faulty) zone_fault_text(s, what, why);
    else str_add(why, "a clock is set to a negative number");
    free(next);
    return what;
}

trace *zone_faulty_run(zone_search *s, uint32_t node, uint32_t label, str *why, fault *what) {
    run r = {.x = s->x, .memory = arena_new(), .within = &s->o->limits};
    unfold u;
    str problem = {0};
    add_path(&r, &u, s, node);
    uint32_t real = unfold_trouble(&u, label);
    vec_push(&r.points, ((run_point){.is_step = true, .label = real}));
    r.is_broken |= real == UINT32_MAX;
    if (!r.is_broken) *what = say_step_fault(s, real, u.cells, why);
    unfold_free(&u);
    trace *t = run_finish(&r, &problem);
    str_free(&problem);
    return t;
}
