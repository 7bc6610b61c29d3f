// SPDX-License-Identifier: Apache-2.0
// Words, simulation, liveness by brute force: see naive_words.h. Reachability is a transitive closure, inclusion a
// subset construction of both sides, simulation a relation from which pairs are taken until nothing changes. A loop
// can be made of a set of edges if each leads back to every other, so liveness asks for such sets: the largest one of
// the edges that a violation may have, for every choice of what it may have.
#include "oracle/naive_words.h"

#include "base/map.h"
#include "base/str.h"
#include "model/eval.h"

#include <stdlib.h>
#include <string.h>

// ---- letters

static bool same_arg(const naive_arg *a, const naive_arg *b) {
    if (!str_same(a->group, b->group) || a->number != b->number || !a->literal != !b->literal) return false;
    return !a->literal || str_same(a->literal, b->literal);
}

static bool same_letter(const naive_letter *a, const naive_letter *b) {
    if (!str_same(a->action, b->action) || a->nargs != b->nargs || a->is_internal != b->is_internal) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!same_arg(&a->args[i], &b->args[i])) return false;
    return true;
}

uint32_t naive_intern(naive_letters *all, const naive_letter *l) {
    for (uint32_t i = 0; i < all->len; i++)
        if (same_letter(&all->data[i], l)) return i;
    vec_push(all, *l);
    return all->len - 1;
}

static naive_arg arg_of(const model *m, type ty, value v) {
    const type_info *t = type_of(m, ty);
    if (t->kind == TYPE_SORT) return (naive_arg){t->name, NULL, v};
    if (t->kind == TYPE_RANGE) return (naive_arg){"#", NULL, v};
    return (naive_arg){"'", t->kind == TYPE_BOOL ? (v ? "true" : "false") : t->literals[v], 0};
}

// Behind the last argument of a group that comes before its own or is its own; the acting one before those.
static void insert_arg(naive_letter *l, naive_arg a, bool is_acting) {
    uint32_t at = l->nargs++;
    while (at > 0) {
        int order = strcmp(l->args[at - 1].group, a.group);
        if (order < 0 || (order == 0 && !is_acting)) break;
        l->args[at] = l->args[at - 1];
        at--;
    }
    l->args[at] = a;
}

naive_letter naive_letter_of(const instance *in, rule id, const value *args) {
    const rule_info *r = rule_of(in->m, id);
    naive_letter l = {.action = r->name};
    for (uint32_t i = 0; i < r->nparams; i++)
        insert_arg(&l, arg_of(in->m, var_of(in->m, r->params[i])->ty, args[i]), r->actor == i + 1);
    return l;
}

// ---- sets

bool naive_is_empty(const naive_set *s) {
    for (uint32_t i = 0; i < NAIVE_MOST_STATES / 64; i++)
        if (s->bits[i]) return false;
    return true;
}

void naive_set_add(naive_set *s, uint32_t q) { s->bits[q / 64] |= (uint64_t)1 << q % 64; }

bool naive_set_has(const naive_set *s, uint32_t q) { return s->bits[q / 64] >> q % 64 & 1; }

// ---- the graph

typedef struct {
    rule r;
    value args[NAIVE_MOST_ARGS];
    naive_edge edge;  // without its ends
} label;

typedef struct {
    const instance *in;
    naive_graph *g;
    map *numbers;
    VEC(value *) states;
    VEC(label) labels;
    bool is_good;
} building;

static bool ends(const rule_info *r, const char *name) { return str_same(r->name, name); }

static bool has_param(const model *m, const rule_info *r, type ty) {
    for (uint32_t i = 0; i < r->nparams; i++) {
        bool counts = !r->actor || r->actor == i + 1;
        if (counts && var_of(m, r->params[i])->ty.id == ty.id) return true;
    }
    return false;
}

// The sort that every commit and abort is about.
static type thread_sort(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    bool commits = false, aborts = false;
    const rule_info *first = NULL;
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(in->m, s->rules.data[i]);
        commits |= ends(r, "commit");
        aborts |= ends(r, "abort");
        if (!first && (ends(r, "commit") || ends(r, "abort"))) first = r;
    }
    for (uint32_t p = 0; commits && aborts && p < first->nparams; p++) {
        type ty = var_of(in->m, first->params[p])->ty;
        bool fits = type_of(in->m, ty)->kind == TYPE_SORT;
        for (uint32_t i = 0; i < s->rules.len; i++) {
            const rule_info *r = rule_of(in->m, s->rules.data[i]);
            if (ends(r, "commit") || ends(r, "abort")) fits = fits && has_param(in->m, r, ty);
        }
        if (fits) return ty;
    }
    return (type){0};
}

static uint32_t acting(const model *m, const rule_info *r, type threads, const value *args) {
    for (uint32_t i = 0; threads.id && i < r->nparams; i++) {
        bool counts = !r->actor || r->actor == i + 1;
        if (counts && var_of(m, r->params[i])->ty.id == threads.id) return (uint32_t)args[i];
    }
    return NAIVE_NOBODY;
}

static naive_kind kind_of(const rule_info *r) {
    if (!r->is_visible) return NAIVE_STEP;
    return ends(r, "commit") ? NAIVE_COMMIT : ends(r, "abort") ? NAIVE_ABORT : NAIVE_DONE;
}

static void add_labels(building *b, naive_letters *letters, bool sees_internal) {
    const model *m = b->in->m;
    type threads = thread_sort(b->in);
    b->g->nthreads = threads.id ? instance_type_size(b->in, threads) : 0;
    const sys_info *s = sys_of(m, b->in->system);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        label l = {.r = s->rules.data[i]};
        const rule_info *r = rule_of(m, l.r);
        for (bool first = true; eval_next_binding(b->in, l.r, l.args, &first);) {
            naive_letter letter = naive_letter_of(b->in, l.r, l.args);
            letter.is_internal = !r->is_visible;
            l.edge.letter = r->is_visible || sees_internal ? naive_intern(letters, &letter) : NAIVE_SILENT;
            l.edge.thread = acting(m, r, threads, l.args);
            l.edge.kind = kind_of(r);
            vec_push(&b->labels, l);
        }
    }
}

// The number of a state; UINT32_MAX: there are too many.
static uint32_t number_of(building *b, const value *state, uint32_t depth) {
    uint32_t n = map_intern(b->numbers, state, b->in->ncells * sizeof *state, b->states.len);
    if (n < b->states.len) return n;
    if (n == NAIVE_MOST_STATES) {
        b->is_good = false;
        return UINT32_MAX;
    }
    value *copy = malloc((b->in->ncells + 1) * sizeof *copy);
    memcpy(copy, state, b->in->ncells * sizeof *copy);
    vec_push(&b->states, copy);
    b->g->depth[n] = depth;
    return n;
}

static bool add_initial(const value *state, void *context) {
    building *b = context;
    uint32_t n = number_of(b, state, 0);
    if (n != UINT32_MAX) naive_set_add(&b->g->initial, n);
    return b->is_good;
}

static void add_steps(building *b, eval *ev, uint32_t from, value *next) {
    for (uint32_t i = 0; b->is_good && i < b->labels.len; i++) {
        const label *l = &b->labels.data[i];
        bool is_enabled = eval_enabled(ev, b->states.data[from], l->r, l->args);
        if (eval_fault(ev).kind) b->is_good = false;
        if (!is_enabled || !b->is_good) continue;
        if (!eval_fire(ev, b->states.data[from], l->r, l->args, next)) {
            b->is_good = false;
            return;
        }
        naive_edge e = l->edge;
        e.from = from;
        e.to = number_of(b, next, b->g->depth[from] + 1);
        if (b->is_good) vec_push(&b->g->edges, e);
    }
}

bool naive_graph_of(const instance *in, naive_letters *letters, bool sees_internal, naive_graph *g) {
    *g = (naive_graph){0};
    building b = {.in = in, .g = g, .numbers = map_new(), .is_good = true};
    add_labels(&b, letters, sees_internal);
    if (!eval_initial(in, add_initial, &b)) b.is_good = false;
    eval *ev = eval_new(in);
    value *next = malloc((in->ncells + 1) * sizeof *next);
    for (uint32_t q = 0; b.is_good && q < b.states.len; q++) add_steps(&b, ev, q, next);
    g->nstates = b.states.len;
    free(next);
    eval_free(ev);
    for (uint32_t i = 0; i < b.states.len; i++) free(b.states.data[i]);
    vec_free(&b.states);
    vec_free(&b.labels);
    map_free(b.numbers);
    return b.is_good;
}

void naive_graph_free(naive_graph *g) { vec_free(&g->edges); }

// ---- words

naive_set naive_close(const naive_graph *g, naive_set s) {
    naive_set before;
    do {
        before = s;
        for (uint32_t i = 0; i < g->edges.len; i++) {
            const naive_edge *e = &g->edges.data[i];
            if (e->letter == NAIVE_SILENT && naive_set_has(&s, e->from)) naive_set_add(&s, e->to);
        }
    } while (memcmp(&before, &s, sizeof s) != 0);
    return s;
}

naive_set naive_after_letter(const naive_graph *g, const naive_set *s, uint32_t letter) {
    naive_set next = {0};
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const naive_edge *e = &g->edges.data[i];
        if (e->letter == letter && naive_set_has(s, e->from)) naive_set_add(&next, e->to);
    }
    return naive_close(g, next);
}

typedef struct {
    naive_set a, b;
} set_pair;

uint32_t naive_separating(const naive_graph *a, const naive_graph *b, uint32_t nletters, bool *is_known) {
    VEC(set_pair) queue = {0};
    VEC(uint32_t) length = {0};
    map *seen = map_new();
    set_pair start = {naive_close(a, a->initial), naive_close(b, b->initial)};
    uint32_t found = NAIVE_NEVER;
    *is_known = true;
    vec_push(&queue, start);
    vec_push(&length, 0);
    map_put(seen, &start, sizeof start, 1);
    for (uint32_t i = 0; i < queue.len && found == NAIVE_NEVER && *is_known; i++) {
        set_pair p = queue.data[i];
        if (naive_is_empty(&p.a)) continue;
        if (naive_is_empty(&p.b)) found = length.data[i];
        for (uint32_t l = 0; l < nletters && found == NAIVE_NEVER; l++) {
            set_pair next = {naive_after_letter(a, &p.a, l), naive_after_letter(b, &p.b, l)};
            if (naive_is_empty(&next.a) || !map_put(seen, &next, sizeof next, 1)) continue;
            vec_push(&queue, next);
            vec_push(&length, length.data[i] + 1);
        }
        *is_known = queue.len < NAIVE_MOST_PAIRS;
    }
    vec_free(&queue);
    vec_free(&length);
    map_free(seen);
    return found;
}

typedef struct {
    uint64_t state;
    naive_set b;
} run_pair;

uint32_t naive_separating_steps(const naive_graph *a, const naive_graph *b) {
    VEC(run_pair) queue = {0};
    VEC(uint32_t) length = {0};
    map *seen = map_new();
    uint32_t found = NAIVE_NEVER;
    for (uint32_t q = 0; q < a->nstates; q++)
        if (naive_set_has(&a->initial, q)) {
            vec_push(&queue, (run_pair){q, naive_close(b, b->initial)});
            vec_push(&length, 0);
        }
    for (uint32_t i = 0; i < queue.len && found == NAIVE_NEVER; i++) {
        run_pair p = queue.data[i];
        if (naive_is_empty(&p.b)) found = length.data[i];
        for (uint32_t k = 0; k < a->edges.len && found == NAIVE_NEVER; k++) {
            const naive_edge *e = &a->edges.data[k];
            if (e->from != p.state) continue;
            run_pair next = {e->to, e->letter == NAIVE_SILENT ? p.b : naive_after_letter(b, &p.b, e->letter)};
            if (!map_put(seen, &next, sizeof next, 1)) continue;
            vec_push(&queue, next);
            vec_push(&length, length.data[i] + 1);
        }
    }
    vec_free(&queue);
    vec_free(&length);
    map_free(seen);
    return found;
}

// ---- simulation

// Some answer of b from q, after silent steps, to the letter leads to a state that is related to p.
static bool answers(const naive_graph *b, const naive_set *related_to_p, uint32_t q, uint32_t letter) {
    naive_set from = {0};
    naive_set_add(&from, q);
    from = naive_close(b, from);
    for (uint32_t i = 0; i < b->edges.len; i++) {
        const naive_edge *e = &b->edges.data[i];
        if (e->letter == letter && naive_set_has(&from, e->from) && naive_set_has(related_to_p, e->to)) return true;
    }
    return false;
}

static bool refute_pairs(const naive_graph *a, const naive_graph *b, naive_set *related) {
    bool changed = false;
    for (uint32_t i = 0; i < a->edges.len; i++) {
        const naive_edge *e = &a->edges.data[i];
        for (uint32_t q = 0; q < b->nstates; q++) {
            if (!naive_set_has(&related[e->from], q)) continue;
            bool good = e->letter == NAIVE_SILENT ? naive_set_has(&related[e->to], q)
                                                  : answers(b, &related[e->to], q, e->letter);
            if (good) continue;
            related[e->from].bits[q / 64] &= ~((uint64_t)1 << q % 64);
            changed = true;
        }
    }
    return changed;
}

bool naive_is_simulated(const naive_graph *a, const naive_graph *b) {
    naive_set related[NAIVE_MOST_STATES];
    memset(related, 0, sizeof related);
    for (uint32_t p = 0; p < a->nstates; p++)
        for (uint32_t q = 0; q < b->nstates; q++) naive_set_add(&related[p], q);
    while (refute_pairs(a, b, related)) continue;
    for (uint32_t p = 0; p < a->nstates; p++) {
        naive_set both = {0};
        for (uint32_t i = 0; i < NAIVE_MOST_STATES / 64; i++) both.bits[i] = related[p].bits[i] & b->initial.bits[i];
        if (naive_set_has(&a->initial, p) && naive_is_empty(&both)) return false;
    }
    return true;
}

uint32_t naive_stuck(const naive_graph *g) {
    uint32_t least = NAIVE_NEVER;
    for (uint32_t q = 0; q < g->nstates; q++) {
        bool moves = false;
        for (uint32_t i = 0; i < g->edges.len; i++) moves |= g->edges.data[i].from == q;
        if (!moves && g->depth[q] < least) least = g->depth[q];
    }
    return least;
}

// ---- liveness

// Which edges a loop may have: of which threads, and of these which kinds.
typedef struct {
    bool nobody;          // nobody's steps
    uint32_t movers;      // threads, as bits, that may move,
    uint32_t without[4];  // by kind: threads that may not do this
} rules;

static bool is_allowed(const rules *r, const naive_edge *e) {
    if (e->thread == NAIVE_NOBODY) return r->nobody;
    return (r->movers >> e->thread & 1) && !(r->without[e->kind] >> e->thread & 1);
}

typedef struct {
    naive_set to[NAIVE_MOST_STATES];  // reachable by one or more allowed edges
} reach;

static void reach_by(const naive_graph *g, const rules *r, reach *x) {
    memset(x, 0, sizeof *x);
    for (uint32_t i = 0; i < g->edges.len; i++)
        if (is_allowed(r, &g->edges.data[i])) naive_set_add(&x->to[g->edges.data[i].from], g->edges.data[i].to);
    for (uint32_t k = 0; k < g->nstates; k++)
        for (uint32_t p = 0; p < g->nstates; p++)
            for (uint32_t w = 0; naive_set_has(&x->to[p], k) && w < NAIVE_MOST_STATES / 64; w++)
                x->to[p].bits[w] |= x->to[k].bits[w];
}

static bool same_loop(const reach *x, uint32_t p, uint32_t q) {
    return naive_set_has(&x->to[p], q) && naive_set_has(&x->to[q], p);
}

static bool is_on_loop(const reach *x, const rules *r, const naive_edge *e, uint32_t with) {
    return is_allowed(r, e) && same_loop(x, e->from, with) && same_loop(x, e->to, with);
}

// Does a loop through the state have an edge of the thread of one of the kinds?
static bool loop_has(const naive_graph *g, const reach *x, const rules *r, uint32_t state, uint32_t thread,
                     unsigned kinds) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const naive_edge *e = &g->edges.data[i];
        if (e->thread == thread && (kinds >> e->kind & 1) && is_on_loop(x, r, e, state)) return true;
    }
    return false;
}

static bool some_loop_has(const naive_graph *g, const rules *r, uint32_t thread, unsigned kinds) {
    reach x;
    reach_by(g, r, &x);
    for (uint32_t q = 0; q < g->nstates; q++)
        if (loop_has(g, &x, r, q, thread, kinds)) return true;
    return false;
}

enum { STEPS = 1u << NAIVE_STEP, ABORTS = 1u << NAIVE_ABORT };

// Aborted for ever without a commit, or moving for ever without completing anything.
static bool suffers(const naive_graph *g, rules r, uint32_t t) {
    r.without[NAIVE_COMMIT] |= 1u << t;
    if (some_loop_has(g, &r, t, ABORTS)) return true;
    r.without[NAIVE_DONE] |= 1u << t;
    return some_loop_has(g, &r, t, STEPS);
}

bool naive_obstructed(const naive_graph *g) {
    for (uint32_t t = 0; t < g->nthreads; t++)
        if (suffers(g, (rules){.movers = 1u << t}, t)) return true;
    return false;
}

bool naive_waits(const naive_graph *g) {
    for (uint32_t t = 0; t < g->nthreads; t++)
        if (suffers(g, (rules){.nobody = true, .movers = ~0u}, t)) return true;
    return false;
}

// Nobody commits; the threads of `completing` complete commands, so they must be aborted; the others complete none.
static bool livelocks(const naive_graph *g, uint32_t completing) {
    rules r = {.nobody = true, .movers = ~0u};
    r.without[NAIVE_COMMIT] = ~0u;
    r.without[NAIVE_DONE] = ~completing;
    reach x;
    reach_by(g, &r, &x);
    for (uint32_t q = 0; q < g->nstates; q++) {
        bool all = true, any = false;
        for (uint32_t t = 0; t < g->nthreads; t++) {
            if (completing >> t & 1) all = all && loop_has(g, &x, &r, q, t, ABORTS);
            any = any || loop_has(g, &x, &r, q, t, ~0u);
        }
        if (all && any) return true;
    }
    return false;
}

bool naive_livelocked(const naive_graph *g) {
    for (uint32_t completing = 0; completing < 1u << g->nthreads; completing++)
        if (livelocks(g, completing)) return true;
    return false;
}

// ---- liveness of one run, which repeats some edges for ever

typedef struct {
    const naive_graph *g;
    const uint32_t *edges;
    uint32_t n;
} infinite_run;

// Does a step of the thread, of one of the kinds, occur infinitely often?
static bool often(const infinite_run *r, uint32_t thread, unsigned kinds) {
    for (uint32_t i = 0; i < r->n; i++) {
        const naive_edge *e = &r->g->edges.data[r->edges[i]];
        if (e->thread == thread && (kinds >> e->kind & 1)) return true;
    }
    return false;
}

static bool goes_on(const infinite_run *r, uint32_t thread) { return often(r, thread, ~0u); }
static bool commits(const infinite_run *r, uint32_t thread) { return often(r, thread, 1u << NAIVE_COMMIT); }

static bool spins(const infinite_run *r, uint32_t thread) {
    return goes_on(r, thread) && !often(r, thread, ~(unsigned)STEPS);
}

static bool is_aborted(const infinite_run *r, uint32_t thread) { return often(r, thread, ABORTS) || spins(r, thread); }

static bool runs_alone(const infinite_run *r, uint32_t thread) {
    for (uint32_t i = 0; i < r->n; i++)
        if (r->g->edges.data[r->edges[i]].thread != thread) return false;
    return true;
}

// Nobody commits, somebody is aborted, and nobody goes on without being aborted.
static bool is_livelock(const infinite_run *r) {
    bool is_any = false;
    for (uint32_t t = 0; t < r->g->nthreads; t++) {
        if (commits(r, t) || (goes_on(r, t) && !is_aborted(r, t))) return false;
        is_any |= is_aborted(r, t);
    }
    return is_any;
}

bool naive_run_breaks(const naive_graph *g, prop_kind promise, const uint32_t *edges, uint32_t n) {
    infinite_run r = {g, edges, n};
    if (promise == PROP_LIVELOCK_FREE) return is_livelock(&r);
    for (uint32_t t = 0; t < g->nthreads; t++)
        if (is_aborted(&r, t) && !commits(&r, t) && (promise == PROP_WAIT_FREE || runs_alone(&r, t))) return true;
    return false;
}
