// SPDX-License-Identifier: Apache-2.0
// Gates of nodes; see gates.h. Uses have larger numbers than what they use, so going through the nodes from
// the largest number down sees all uses of a node before the node (C. Click, "Global Code Motion", PLDI
// 1995, "schedule late").
#include "space/gates.h"

#include <stdlib.h>

enum { MOST_DEPTH = 48, NO_USE = UINT32_MAX };

gates gates_new(dag *d, arena *memory) {
    gates g = {.d = d, .known = map_new()};
    g.of = arena_alloc(memory, d->nodes.len * sizeof *g.of);
    vec_push(&g.all, (gate_info){0});
    return g;
}

void gates_free(gates *g) {
    map_free(g->known);
    vec_free(&g->all);
    vec_free(&g->needed);
}

static gate child(gates *g, gate parent, node cond, bool when) {
    uint32_t depth = g->all.data[parent].depth + 1, key[] = {parent, cond, when};
    if (depth > MOST_DEPTH) return parent;
    gate found = map_intern(g->known, key, sizeof key, g->all.len);
    if (found == g->all.len) vec_push(&g->all, (gate_info){parent, depth, cond, when});
    return found;
}

static gate common(const gates *g, gate a, gate b) {
    while (a != b) {
        if (g->all.data[a].depth >= g->all.data[b].depth) a = g->all.data[a].parent;
        else b = g->all.data[b].parent;
    }
    return a;
}

static void use(gates *g, node n, gate by) {
    if (dag_at(g->d, n)->op <= N_WORD) return;
    g->of[n] = g->of[n] == NO_USE ? by : common(g, g->of[n], by);
}

// All nodes that are needed, with no use so far.
static void find_needed(gates *g, const node *roots, uint32_t nroots) {
    vec_clear(&g->needed);
    dag_begin(g->d);
    for (uint32_t i = 0; i < nroots; i++) dag_add_needed(g->d, roots[i], &g->needed);
    for (uint32_t i = 0; i < g->needed.len; i++) g->of[g->needed.data[i]] = NO_USE;
}

static int larger_first(const void *x, const void *y) {
    node a = *(const node *)x, b = *(const node *)y;
    return a > b ? -1 : a < b;
}

static void use_operands(gates *g, node n) {
    const dag_node *x = dag_at(g->d, n);
    gate own = g->of[n];
    bool chooses = x->op == N_SELECT;
    for (unsigned k = 0; k < dag_arity(x->op); k++)
        use(g, dag_operand(x, k), chooses && k ? child(g, own, x->a, k == 1) : own);
}

void gates_assign(gates *g, const node *roots, uint32_t nroots) {
    find_needed(g, roots, nroots);
    for (uint32_t i = 0; i < nroots; i++) use(g, roots[i], GATE_ALWAYS);
    if (g->needed.len) qsort(g->needed.data, g->needed.len, sizeof(node), larger_first);
    for (uint32_t i = 0; i < g->needed.len; i++) use_operands(g, g->needed.data[i]);
}

bool gates_side(gates *g, node select, bool when, gate *out) {
    *out = child(g, g->of[select], dag_at(g->d, select)->a, when);
    return *out != g->of[select];
}

bool gates_is_behind(const gates *g, node n, gate outer) {
    gate at = g->of[n];
    while (g->all.data[at].depth > g->all.data[outer].depth) at = g->all.data[at].parent;
    return at == outer;
}
