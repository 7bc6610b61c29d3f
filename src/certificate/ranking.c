// SPDX-License-Identifier: Apache-2.0
// Liveness by ranks: see ranking.h.
#include "certificate/ranking.h"

#include "model/actor.h"

#include <string.h>

// ---- whose step

static ranking_kind ranking_kind_of(const rule_info *r) {
    if (!r->is_visible) return RANKING_STEP;
    if (r->role == ROLE_COMMIT) return RANKING_COMMIT;
    return r->role == ROLE_ABORT ? RANKING_ABORT : RANKING_DONE;
}

ranking_edge ranking_classify(const model *m, type threads, rule r, const value *args) {
    uint32_t actor = threads.id ? actor_param(m, r, threads) : ACTOR_NONE;
    return (ranking_edge){.thread = actor != ACTOR_NONE ? (uint32_t)args[actor] : UINT32_MAX,
                          .kind = ranking_kind_of(rule_of(m, r))};
}

// ---- one table

static bool ranking_refuse(const ranking_edge *e, const char *what, str *why) {
    str_printf(why, "the rank %s along a step from state %u to state %u of the set", what, e->from + 1, e->to + 1);
    return false;
}

// The tables of a thread t: aborts of t fall in one where steps without a commit of t do not rise, internal steps of t
// in one where those without a completed command do not; of t alone, or of all threads.
typedef struct {
    bool is_internal, is_alone;
    uint32_t thread;
} table_kind;

static bool may_not_rise(const ranking_edge *e, table_kind k) {
    bool own = e->thread == k.thread, without = k.is_internal ? e->kind == RANKING_STEP : e->kind != RANKING_COMMIT;
    return k.is_alone ? own && without : !own || without;
}

static bool must_fall(const ranking_edge *e, table_kind k) {
    return e->thread == k.thread && e->kind == (k.is_internal ? RANKING_STEP : RANKING_ABORT);
}

static bool check_table(const ranking_edges *edges, const uint32_t *rank, table_kind k, str *why) {
    for (uint32_t i = 0; i < edges->len; i++) {
        const ranking_edge *e = &edges->data[i];
        if (!may_not_rise(e, k)) continue;
        if (rank[e->to] > rank[e->from]) return ranking_refuse(e, "rises", why);
        if (must_fall(e, k) && rank[e->to] == rank[e->from]) return ranking_refuse(e, "does not fall", why);
    }
    return true;
}

static bool check_threads(const ranking_edges *edges, uint32_t n, const uint32_t *const *tables, bool is_alone,
                          str *why) {
    for (uint32_t k = 0; k < 2 * n; k++)
        if (!check_table(edges, tables[k], (table_kind){k >= n, is_alone, k % n}, why)) return false;
    return true;
}

// ---- rounds

typedef struct {
    uint32_t thread, rank;
} place;

static void start_rounds(const ranking_edges *edges, uint32_t n, bool *is_in) {
    for (uint32_t i = 0; i < edges->len; i++)
        is_in[i] = edges->data[i].kind != RANKING_COMMIT || edges->data[i].thread >= n;
}

// Steps that are in do not rise; those that fall go out.
static bool drop_falling(const ranking_edges *edges, const uint32_t *rank, bool *is_in, str *why) {
    for (uint32_t i = 0; i < edges->len; i++) {
        const ranking_edge *e = &edges->data[i];
        if (!is_in[i]) continue;
        if (rank[e->to] > rank[e->from]) return ranking_refuse(e, "rises", why);
        is_in[i] = rank[e->to] == rank[e->from];
    }
    return true;
}

// Completed commands of a thread at a number at which no abort of it stays go out.
static void drop_completed(const ranking_edges *edges, const uint32_t *rank, uint32_t n, bool *is_in) {
    map *aborts = map_new();  // as (thread, number)
    for (uint32_t i = 0; i < edges->len; i++) {
        const ranking_edge *e = &edges->data[i];
        place at = {e->thread, rank[e->from]};
        if (is_in[i] && e->thread < n && e->kind == RANKING_ABORT) map_put(aborts, &at, sizeof at, 1);
    }
    for (uint32_t i = 0; i < edges->len; i++) {
        const ranking_edge *e = &edges->data[i];
        place at = {e->thread, rank[e->from]};
        if (is_in[i] && e->thread < n && e->kind == RANKING_DONE) is_in[i] = map_get(aborts, &at, sizeof at, 0);
    }
    map_free(aborts);
}

static bool check_rounds(const ranking_edges *edges, uint32_t n, const uint32_t *const *tables, uint32_t ntables,
                         str *why) {
    bool *is_in = mem_zero(edges->len + 1, sizeof *is_in), ok = true;
    start_rounds(edges, n, is_in);
    for (uint32_t k = 0; ok && k < ntables; k++) {
        ok = drop_falling(edges, tables[k], is_in, why);
        if (ok && k + 1 < ntables) drop_completed(edges, tables[k], n, is_in);
    }
    for (uint32_t i = 0; ok && i < edges->len; i++)
        if (is_in[i] && edges->data[i].thread < n)
            ok = ranking_refuse(&edges->data[i], "does not fall in the last round", why);
    free(is_in);
    return ok;
}

// ---- properties

uint32_t ranking_least_tables(prop_kind kind, uint32_t nthreads) {
    if (kind == PROP_REACHES) return 1;
    if (!prop_is_liveness(kind)) return 0;
    return 2 * nthreads + (kind == PROP_LIVELOCK_FREE);
}

bool ranking_check(prop_kind kind, uint32_t nthreads, const ranking_edges *edges, const uint32_t *const *tables,
                   uint32_t ntables, str *why) {
    if (!check_threads(edges, nthreads, tables, kind != PROP_WAIT_FREE, why)) return false;
    if (kind != PROP_LIVELOCK_FREE) return true;
    return check_rounds(edges, nthreads, tables + 2 * nthreads, ntables - 2 * nthreads, why);
}
