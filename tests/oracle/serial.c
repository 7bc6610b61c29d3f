// SPDX-License-Identifier: Apache-2.0
// serial: the graph over the transactions of a word, built by looking at every pair of statements and every pair
// of transactions; cycles by transitive closure. Slow and plain on purpose: specifications are tested against it.
#include "oracle/serial.h"

#include <string.h>

typedef struct {
    const word *w;
    uint32_t of[WORD_LONGEST];     // which transaction a statement belongs to
    uint32_t first[WORD_LONGEST];  // by transaction: its first and last statement
    uint32_t last[WORD_LONGEST];
    uint32_t count;
    bool edge[WORD_LONGEST][WORD_LONGEST];
} graph;

static bool ends(step s) { return s.kind == STEP_COMMIT || s.kind == STEP_ABORT; }

// The transaction that statement i goes on with: that of the thread's statement before it, unless that one ended it.
static bool goes_on(const graph *g, uint32_t i, uint32_t *x) {
    for (uint32_t j = i; j-- > 0;) {
        if (g->w->at[j].thread != g->w->at[i].thread) continue;
        *x = g->of[j];
        return !ends(g->w->at[j]);
    }
    return false;
}

static void split(graph *g) {
    for (uint32_t i = 0; i < g->w->len; i++) {
        uint32_t x;
        if (!goes_on(g, i, &x)) {
            x = g->count++;
            g->first[x] = i;
        }
        g->of[i] = x;
        g->last[x] = i;
    }
}

static bool is_finished(const graph *g, uint32_t x) { return ends(g->w->at[g->last[x]]); }

static bool is_committed(const graph *g, uint32_t x) { return g->w->at[g->last[x]].kind == STEP_COMMIT; }

// Does x write v with a statement before `end`?
static bool writes(const graph *g, uint32_t x, uint32_t v, uint32_t end) {
    for (uint32_t i = 0; i < end; i++)
        if (g->of[i] == x && g->w->at[i].kind == STEP_WRITE && g->w->at[i].loc == v) return true;
    return false;
}

static bool is_global_read(const graph *g, uint32_t i) {
    return g->w->at[i].kind == STEP_READ && !writes(g, g->of[i], g->w->at[i].loc, i);
}

static bool is_commit(const graph *g, uint32_t i) { return g->w->at[i].kind == STEP_COMMIT; }

static bool read_conflicts(const graph *g, uint32_t read, uint32_t commit) {
    return is_global_read(g, read) && is_commit(g, commit) && writes(g, g->of[commit], g->w->at[read].loc, g->w->len);
}

static bool commits_conflict(const graph *g, uint32_t i, uint32_t j) {
    if (!is_commit(g, i) || !is_commit(g, j)) return false;
    for (uint32_t k = 0; k < g->w->len; k++)
        if (g->of[k] == g->of[i] && g->w->at[k].kind == STEP_WRITE && writes(g, g->of[j], g->w->at[k].loc, g->w->len))
            return true;
    return false;
}

static void add_conflicts(graph *g) {
    for (uint32_t i = 0; i < g->w->len; i++)
        for (uint32_t j = i + 1; j < g->w->len; j++)
            if (g->of[i] != g->of[j] &&
                (read_conflicts(g, i, j) || read_conflicts(g, j, i) || commits_conflict(g, i, j)))
                g->edge[g->of[i]][g->of[j]] = true;
}

static void add_real_time(graph *g) {
    for (uint32_t x = 0; x < g->count; x++)
        for (uint32_t y = 0; y < g->count; y++)
            if (is_finished(g, x) && g->last[x] < g->first[y]) g->edge[x][y] = true;
}

static void keep_committed(graph *g) {
    for (uint32_t x = 0; x < g->count; x++)
        for (uint32_t y = 0; y < g->count; y++)
            if (!is_committed(g, x) || !is_committed(g, y)) g->edge[x][y] = false;
}

static bool has_cycle(graph *g) {
    uint32_t n = g->count;
    for (uint32_t z = 0; z < n; z++)
        for (uint32_t x = 0; x < n; x++)
            for (uint32_t y = 0; y < n; y++)
                if (g->edge[x][z] && g->edge[z][y]) g->edge[x][y] = true;
    for (uint32_t x = 0; x < n; x++)
        if (g->edge[x][x]) return true;
    return false;
}

static void build(graph *g, const word *w) {
    memset(g, 0, sizeof *g);
    g->w = w;
    split(g);
    add_conflicts(g);
    add_real_time(g);
}

bool serial_is_strict(const word *w) {
    graph g;
    build(&g, w);
    keep_committed(&g);
    return !has_cycle(&g);
}

bool serial_is_opaque(const word *w) {
    graph g;
    build(&g, w);
    return !has_cycle(&g);
}
