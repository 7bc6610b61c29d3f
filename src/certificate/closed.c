// SPDX-License-Identifier: Apache-2.0
// Closed sets: see closed.h. The set is a table of packed states; threads take pieces of it in order, each with an
// evaluator of its own, so the first state that refutes the claim is the same for any number of them.
#include "certificate/closed.h"

#include "base/clock.h"
#include "certificate/ranking.h"
#include "certificate/stateset.h"
#include "certificate/stepper.h"
#include "model/actor.h"
#include "model/eval.h"
#include "model/renaming.h"
#include "result/trace.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { PIECE = 256, MOST_THREADS = 64, MOST_TABLES = 1 << 16 };

// ---- the set

typedef struct {
    uint32_t property;   // index into the claim's
    VEC(uint32_t) rank;  // by state
} table;

typedef struct {
    const closed_claim *c;
    const claim_options *o;
    certfile *file;
    stateset *states;
    VEC(table) tables;
    type threads;       // liveness: the sort of threads
    uint32_t nthreads;  // its size
    bool keeps_edges;
    closed_answer *out;
    atomic_uint next_piece;
    atomic_uint last_piece;  // pieces after it are not looked at: something is wrong in it
    pthread_mutex_t lock;
    uint32_t wrong;        // the first state that refutes the claim; UINT32_MAX: none
    VEC(uint32_t) starts;  // initial states
    ranking_edges edges;
    uint64_t seen;  // states that were looked at
} checking;

static bool closed_refuse(checking *k, const char *text) {
    if (k->out->verdict == CLAIM_CONFIRMED) {
        k->out->verdict = CLAIM_REFUSED;
        str_add(&k->out->why, text);
    }
    return false;
}

static bool closed_stop(checking *k, const char *text) {
    closed_refuse(k, text);
    k->out->verdict = CLAIM_STOPPED;
    return false;
}

static bool is_interrupted(const checking *k) { return limits_met(&k->o->limits) != LIMIT_NONE; }

static bool stop_at_limit(checking *k) { return closed_stop(k, limits_why(&k->o->limits)); }

static bool closed_is_over(checking *k) {
    if (!stateset_is_over(k->states, k->o, &k->out->why)) return false;
    k->out->verdict = CLAIM_STOPPED;
    return true;
}

static bool closed_read_states(checking *k, const json_t *object) {
    bool ok = stateset_read(k->states, k->file, object, "states", k->o, &k->out->why);
    if (k->out->why.len) k->out->verdict = CLAIM_STOPPED;
    k->out->given = stateset_count(k->states);
    return ok;
}

static bool closed_read_table(checking *k, uint32_t property) {
    table t = {.property = property};
    bool ok = true;
    for (uint64_t i = 0, rank; ok && i < k->out->given; i++) {
        ok = certfile_get_number(k->file, UINT32_MAX, &rank) && (i % 1024 || !closed_is_over(k));
        if (ok) vec_push(&t.rank, (uint32_t)rank);
    }
    vec_push(&k->tables, t);
    return ok;
}

static bool read_tables(checking *k, const json_t *object) {
    const json_t *counts = json_object_get(object, "tables");
    if (json_array_size(counts) != k->c->nprops) certfile_complain(k->file, "the claim's tables do not fit");
    for (uint32_t i = 0; i < k->c->nprops && !certfile_is_broken(k->file); i++) {
        prop_kind kind = prop_of(k->c->in->m, k->c->props[i])->kind;
        json_int_t n = json_integer_value(json_array_get(counts, i));
        uint32_t least = ranking_least_tables(kind, k->nthreads);
        bool fits = kind == PROP_LIVELOCK_FREE ? n >= least && n < MOST_TABLES : n == least;
        if (!fits) certfile_complain(k->file, "the claim does not have as many tables as its properties need");
        for (json_int_t t = 0; fits && t < n; t++)
            if (!closed_read_table(k, i)) return false;
    }
    return !certfile_is_broken(k->file);
}

// Exchanges of neighbouring elements: they generate all permutations.
typedef VEC(renaming *) exchange_list;

static void find_exchanges(const closed_claim *c, exchange_list *out) {
    for (uint32_t i = 0; i < c->npermuted; i++)
        for (uint32_t a = 0; a + 1 < instance_type_size(c->in, c->permuted[i]); a++) {
            renaming *r = renaming_new(c->in);
            value *to = renaming_open(r, c->permuted[i]);
            to[a] = (value)a + 1;
            to[a + 1] = (value)a;
            renaming_close(r);
            vec_push(out, r);
        }
}

// All images of the states given: what is added is looked at too.
static bool add_images(checking *k) {
    exchange_list list = {0};
    value *cells = mem_zero(k->c->in->ncells + 1, sizeof *cells);
    value *image = mem_zero(k->c->in->ncells + 1, sizeof *image);
    bool ok = true;
    find_exchanges(k->c, &list);
    for (uint32_t i = 0; ok && list.len && i < stateset_count(k->states); i++) {
        stateset_cells(k->states, i, cells);
        for (uint32_t x = 0; x < list.len; x++) {
            renaming_state(list.data[x], cells, image);
            if (!stateset_add(k->states, image)) continue;
            for (uint32_t t = 0; t < k->tables.len; t++)
                vec_push(&k->tables.data[t].rank, k->tables.data[t].rank.data[i]);
        }
        ok = i % 256 || !closed_is_over(k);
    }
    for (uint32_t x = 0; x < list.len; x++) renaming_free(list.data[x]);
    vec_free(&list);
    free(cells);
    free(image);
    return ok && !closed_is_over(k);
}

// ---- initial states

typedef struct {
    checking *k;
    uint64_t *room;
    bool is_missing;
} starting;

static bool start_is_in(const value *state, void *context) {
    starting *s = context;
    uint32_t number = stateset_find(s->k->states, state, s->room);
    vec_push(&s->k->starts, number);
    s->is_missing = number == STATESET_NONE;
    if (!s->is_missing) return true;
    closed_refuse(s->k, "an initial state is not in the set: ");
    stepper_state_text(s->k->c->in, state, &s->k->out->why);
    return false;
}

static bool closed_check_start(checking *k) {
    starting s = {.k = k, .room = stateset_room(k->states)};
    eval_start_fault failed = {0};
    bool ok = eval_initial_within(k->c->in, &k->o->limits, start_is_in, &s, &failed);
    free(s.room);
    if (s.is_missing) return false;
    if (is_interrupted(k)) return stop_at_limit(k);
    if (!ok) return closed_refuse(k, "the initial states cannot be computed");
    return k->starts.len || closed_refuse(k, "there is no initial state, so nothing is shown");
}

// ---- states and steps, by one thread

typedef struct {
    checking *k;
    stepper *steps;
    value *cells;
    uint64_t *room;
    uint32_t state;
    uint64_t nsteps, nstates;  // looked at
    bool moves, moves_elsewhere;
    bool *goes_down;  // by table of a property "reaches"
    ranking_edges edges;
    str why;
} judge;

static bool step_is_in(rule r, const value *args, const value *next, void *context) {
    judge *j = context;
    checking *k = j->k;
    uint32_t to = stateset_find(k->states, next, j->room);
    if (to == STATESET_NONE) {
        str_add(&j->why, "step ");
        trace_label_text(k->c->in, r, args, &j->why);
        str_add(&j->why, " leaves the set");
        return false;
    }
    j->nsteps++;
    j->moves = true;
    j->moves_elsewhere |= to != j->state;
    for (uint32_t t = 0; t < k->tables.len; t++)
        j->goes_down[t] |= k->tables.data[t].rank.data[to] < k->tables.data[t].rank.data[j->state];
    if (!k->keeps_edges) return true;
    ranking_edge e = ranking_classify(k->c->in->m, k->threads, r, args);
    e.from = j->state;
    e.to = to;
    vec_push(&j->edges, e);
    return true;
}

static bool holds_in(judge *j, expr cond, const char *what, const char *name) {
    bool holds = eval_expr(stepper_eval(j->steps), j->cells, cond);
    fault f = eval_fault(stepper_eval(j->steps));
    if (f.kind) str_printf(&j->why, "%s '%s': %s", what, name, f.text ? f.text : fault_text(f.kind));
    else if (!holds) str_printf(&j->why, "%s '%s' does not hold", what, name);
    return holds && !f.kind;
}

static bool check_conditions(judge *j) {
    const closed_claim *c = j->k->c;
    const sys_info *s = sys_of(c->in->m, c->in->system);
    for (uint32_t i = 0; i < c->nprops; i++) {
        const prop_info *p = prop_of(c->in->m, c->props[i]);
        if (p->kind == PROP_INVARIANT && !holds_in(j, p->cond, "invariant", p->name)) return false;
    }
    for (uint32_t i = 0; c->checks_assumptions && i < s->assumes.len; i++)
        if (!holds_in(j, s->assumes.data[i].cond, "assumption", s->assumes.data[i].name)) return false;
    return true;
}

static bool check_stuck(judge *j) {
    closed_stuck stuck = j->k->c->stuck;
    for (uint32_t i = 0; i < j->k->c->nprops && stuck == STUCK_ALLOWED; i++)
        if (prop_of(j->k->c->in->m, j->k->c->props[i])->kind == PROP_DEADLOCK_FREE) stuck = STUCK_REFUSED;
    bool goes_on = stuck == STUTTERING_REFUSED ? j->moves_elsewhere : j->moves;
    if (stuck == STUCK_ALLOWED || goes_on || stepper_is_excluded(j->steps)) return true;
    str_add(&j->why, stuck == STUCK_REFUSED ? "no step is possible" : "no step leads to another state");
    return false;
}

static bool check_reaches(judge *j) {
    const closed_claim *c = j->k->c;
    for (uint32_t t = 0; t < j->k->tables.len; t++) {
        const prop_info *p = prop_of(c->in->m, c->props[j->k->tables.data[t].property]);
        if (p->kind != PROP_REACHES || j->goes_down[t]) continue;
        bool is_there = eval_expr(stepper_eval(j->steps), j->cells, p->cond);
        if (is_there && !eval_fault(stepper_eval(j->steps)).kind) continue;
        str_printf(&j->why, "'%s' does not hold and no step has a lower rank", p->name);
        return false;
    }
    return true;
}

static bool check_state(judge *j, uint32_t number) {
    j->state = number;
    j->nstates++;
    j->moves = j->moves_elsewhere = false;
    memset(j->goes_down, 0, j->k->tables.len * sizeof *j->goes_down);
    stateset_cells(j->k->states, number, j->cells);
    return check_conditions(j) && stepper_each(j->steps, j->cells, step_is_in, j, &j->why) && check_stuck(j) &&
           check_reaches(j);
}

// ---- all states, by several threads

static void note_wrong(judge *j, uint32_t piece) {
    checking *k = j->k;
    pthread_mutex_lock(&k->lock);
    if (j->state < k->wrong) {
        k->wrong = j->state;
        str_clear(&k->out->why);
        str_printf(&k->out->why, "state %s of the set (", str_count((uint64_t)j->state + 1));
        stepper_state_text(k->c->in, j->cells, &k->out->why);
        str_printf(&k->out->why, "): %s", str_get(&j->why));
    }
    if (piece < atomic_load(&k->last_piece)) atomic_store(&k->last_piece, piece);
    pthread_mutex_unlock(&k->lock);
}

static void check_pieces(judge *j) {
    checking *k = j->k;
    uint32_t n = stateset_count(k->states), piece;
    while ((piece = atomic_fetch_add(&k->next_piece, 1)) <= atomic_load(&k->last_piece) && !is_interrupted(k)) {
        uint64_t begin = (uint64_t)piece * PIECE, end = begin + PIECE < n ? begin + PIECE : n;
        for (uint64_t i = begin; i < end; i++) {
            if (check_state(j, (uint32_t)i)) continue;
            note_wrong(j, piece);
            break;
        }
        if (begin >= n) return;
    }
}

static void *run_thread(void *context) {
    judge *j = context;
    const instance *in = j->k->c->in;
    arena *memory = arena_new();
    j->steps = stepper_new(in);
    j->cells = arena_alloc(memory, (in->ncells + 1) * sizeof *j->cells);
    j->goes_down = arena_alloc(memory, (j->k->tables.len + 1) * sizeof *j->goes_down);
    j->room = stateset_room(j->k->states);
    check_pieces(j);
    stepper_free(j->steps);
    free(j->room);
    str_free(&j->why);
    arena_free(memory);
    return NULL;
}

static bool take_edges(checking *k, judge *j) {
    bool fits = (uint64_t)k->edges.len + j->edges.len < UINT32_MAX / 4;
    for (uint32_t i = 0; fits && i < j->edges.len; i++) vec_push(&k->edges, j->edges.data[i]);
    vec_free(&j->edges);
    k->out->steps += j->nsteps;
    k->seen += j->nstates;
    return fits || closed_stop(k, "there are too many steps for ranks");
}

static bool check_states(checking *k) {
    uint32_t n = k->o->threads ? k->o->threads : clock_cores(), started = 1;
    judge judges[MOST_THREADS] = {0};
    pthread_t ids[MOST_THREADS];
    if (n > MOST_THREADS) n = MOST_THREADS;
    pthread_mutex_init(&k->lock, NULL);
    atomic_store(&k->last_piece, UINT32_MAX - MOST_THREADS);
    for (uint32_t i = 0; i < n; i++) judges[i].k = k;
    while (started < n && pthread_create(&ids[started], NULL, run_thread, &judges[started]) == 0) started++;
    run_thread(&judges[0]);
    for (uint32_t i = 1; i < started; i++) pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&k->lock);
    bool ok = true;
    for (uint32_t i = 0; i < started; i++) ok &= take_edges(k, &judges[i]);
    if (k->wrong != UINT32_MAX) {
        k->out->verdict = CLAIM_REFUSED;
        return false;
    }
    if (is_interrupted(k)) return stop_at_limit(k);
    assert(!ok || k->seen == stateset_count(k->states));
    return ok;
}

// ---- what needs the whole graph

typedef VEC(uint32_t) state_list;

static int closed_by_origin(const void *a, const void *b) {
    const ranking_edge *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

// Where the edges of each state begin, which are sorted by where they come from; one more at the end.
static uint32_t *first_edges(const checking *k) {
    uint32_t n = stateset_count(k->states), e = 0, *first = mem_zero((size_t)n + 1, sizeof *first);
    for (uint32_t s = 0; s <= n; s++) {
        while (e < k->edges.len && k->edges.data[e].from < s) e++;
        first[s] = e;
    }
    return first;
}

// Every state that the initial ones lead to.
static void find_reached(checking *k, state_list *out) {
    bool *is_reached = mem_zero(stateset_count(k->states) + 1, sizeof *is_reached);
    if (k->edges.len) qsort(k->edges.data, k->edges.len, sizeof *k->edges.data, closed_by_origin);
    uint32_t *first = first_edges(k);
    for (uint32_t i = 0; i < k->starts.len; i++) {
        if (!is_reached[k->starts.data[i]]) vec_push(out, k->starts.data[i]);
        is_reached[k->starts.data[i]] = true;
    }
    for (uint32_t i = 0; i < out->len; i++)
        for (uint32_t x = first[out->data[i]]; x < first[out->data[i] + 1]; x++) {
            uint32_t to = k->edges.data[x].to;
            if (!is_reached[to]) vec_push(out, to);
            is_reached[to] = true;
        }
    free(is_reached);
    free(first);
}

static bool closed_is_covered(const checking *k, const state_list *reached, expr cond, eval *ev, value *cells) {
    for (uint32_t i = 0; i < reached->len; i++) {
        stateset_cells(k->states, reached->data[i], cells);
        if (eval_expr(ev, cells, cond) && !eval_fault(ev).kind) return true;
    }
    return false;
}

static bool check_covers(checking *k) {
    state_list reached = {0};
    value *cells = mem_zero(k->c->in->ncells + 1, sizeof *cells);
    eval *ev = eval_new(k->c->in);
    bool ok = true;
    find_reached(k, &reached);
    for (uint32_t i = 0; ok && i < k->c->nprops; i++) {
        const prop_info *p = prop_of(k->c->in->m, k->c->props[i]);
        if (p->kind == PROP_COVER && !closed_is_covered(k, &reached, p->cond, ev, cells))
            ok = closed_refuse(k, "a state that is to be covered is not reached");
    }
    eval_free(ev);
    free(cells);
    vec_free(&reached);
    return ok;
}

static bool check_ranks(checking *k, uint32_t property) {
    VEC(const uint32_t *) tables = {0};
    const prop_info *p = prop_of(k->c->in->m, k->c->props[property]);
    str why = {0};
    for (uint32_t t = 0; t < k->tables.len; t++)
        if (k->tables.data[t].property == property) vec_push(&tables, k->tables.data[t].rank.data);
    bool ok = ranking_check(p->kind, k->nthreads, &k->edges, tables.data, tables.len, &why);
    if (!ok) closed_refuse(k, str_get(&why));
    vec_free(&tables);
    str_free(&why);
    return ok;
}

static bool check_graph(checking *k) {
    bool has_cover = false, ok = true;
    for (uint32_t i = 0; ok && i < k->c->nprops; i++) {
        prop_kind kind = prop_of(k->c->in->m, k->c->props[i])->kind;
        has_cover |= kind == PROP_COVER;
        if (prop_is_liveness(kind)) ok = check_ranks(k, i);
    }
    return ok && (!has_cover || check_covers(k));
}

// ---- the whole

static bool closed_set_up(checking *k) {
    const model *m = k->c->in->m;
    for (uint32_t i = 0; i < k->c->nprops; i++) {
        prop_kind kind = prop_of(m, k->c->props[i])->kind;
        k->keeps_edges |= prop_is_liveness(kind) || kind == PROP_COVER;
        if (!prop_is_liveness(kind)) continue;
        k->threads = actor_transactions(m, k->c->in->system);
        if (!k->threads.id) certfile_complain(k->file, "the system has no commit and abort of a thread");
        else k->nthreads = instance_type_size(k->c->in, k->threads);
        if (k->c->npermuted) certfile_complain(k->file, "liveness is not shown on states up to symmetry");
    }
    return !certfile_is_broken(k->file);
}

closed_answer closed_check(certfile *file, const json_t *object, const closed_claim *c, const claim_options *o) {
    closed_answer out = {.verdict = CLAIM_CONFIRMED};
    checking k = {.c = c, .o = o, .file = file, .out = &out, .wrong = UINT32_MAX};
    k.states = stateset_new(c->in);
    if (closed_set_up(&k) && closed_read_states(&k, object) && read_tables(&k, object) && add_images(&k) &&
        closed_check_start(&k) && check_states(&k))
        check_graph(&k);
    if (certfile_is_broken(file)) out.verdict = CLAIM_REFUSED;
    out.states = stateset_count(k.states);
    for (uint32_t i = 0; i < k.tables.len; i++) vec_free(&k.tables.data[i].rank);
    vec_free(&k.tables);
    vec_free(&k.edges);
    vec_free(&k.starts);
    stateset_free(k.states);
    return out;
}
