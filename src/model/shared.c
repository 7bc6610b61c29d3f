// SPDX-License-Identifier: Apache-2.0
// Shared parts with names: see shared.h.
//
// Nodes are sorted by depth, which goes from the inside out, and then in the order of the text.
#include "model/shared.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 8,  // nodes of a tree that may as well be written again
    DEEP = 64   // levels of text: what is deeper is a part too, since readers have a limit
};

typedef struct {
    uint32_t uses, height;  // height: levels down to the next parts
} share;

typedef struct {
    expr e;
    uint32_t depth, order;
} placed;

typedef VEC(placed) placed_list;

static int shared_by_place(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

// All nodes; none where no tree is large.
static placed_list nodes_of(walk *w) {
    placed_list all = {0};
    bool is_large = false;
    while (walk_next(w)) {
        if (!w->x) continue;
        is_large |= w->x->tree > SHARED_LARGE;
        vec_push(&all, (placed){w->e, w->x->depth, all.len});
    }
    if (!is_large) vec_clear(&all);
    if (all.len) qsort(all.data, all.len, sizeof *all.data, shared_by_place);
    return all;
}

static void count_uses(const model *m, const placed_list *nodes, share *of) {
    for (uint32_t i = 0; i < nodes->len; i++) {
        const expr_info *x = expr_of(m, nodes->data[i].e);
        for (uint32_t k = 0; k < x->nargs; k++) of[x->args[k].id].uses++;
    }
}

static void set_height(const model *m, expr e, share *of) {
    const expr_info *x = expr_of(m, e);
    for (uint32_t i = 0; i < x->nargs; i++)
        if (of[x->args[i].id].height >= of[e.id].height) of[e.id].height = of[x->args[i].id].height + 1;
}

static bool can_be_part(const model *m, expr e, bool whole) {
    return whole || (expr_frees(m, e).n <= MODEL_MOST_ARGS && !expr_of(m, e)->has_next);
}

static bool begins(const char *name, const char *prefix) { return strncmp(name, prefix, strlen(prefix)) == 0; }

static bool shared_is_free(const model *m, const char *prefix) {
    for (uint32_t i = 1; i < m->funcs.len; i++)
        if (begins(m->funcs.data[i].name, prefix)) return false;
    for (uint32_t i = 1; i < m->defs.len; i++)
        if (begins(m->defs.data[i].name, prefix)) return false;
    for (uint32_t i = 1; i < m->vars.len; i++)
        if (begins(m->vars.data[i].name, prefix)) return false;
    for (uint32_t i = 1; i < m->types.len; i++)
        for (uint32_t k = 0; k < m->types.data[i].nliterals; k++)
            if (begins(m->types.data[i].literals[k], prefix)) return false;
    return true;
}

static const char *free_prefix(const model *m) {
    const char *prefix = "part_";
    while (!shared_is_free(m, prefix)) prefix = arena_printf(m->memory, "%s_", prefix);
    return prefix;
}

shared shared_find(walk *w, bool whole) {
    const model *m = w->m;
    shared x = {.m = m};
    placed_list nodes = nodes_of(w);
    share *of = nodes.len ? mem_zero(m->exprs.len, sizeof *of) : NULL;
    count_uses(m, &nodes, of);
    if (nodes.len) x.number = mem_zero(x.nexprs = m->exprs.len, sizeof *x.number);
    for (uint32_t i = 0; i < nodes.len; i++) {
        expr e = nodes.data[i].e;
        set_height(m, e, of);
        bool is_shared = of[e.id].uses > 1 && expr_of(m, e)->tree > SMALL;
        if ((!is_shared && of[e.id].height < DEEP) || !can_be_part(m, e, whole)) continue;
        vec_push(&x.parts, e);
        x.number[e.id] = x.parts.len;
        of[e.id].height = 0;
    }
    x.prefix = whole ? "#" : x.parts.len ? free_prefix(m) : "";
    free(of);
    vec_free(&nodes);
    return x;
}

void shared_free(shared *x) {
    free(x->number);
    vec_free(&x->parts);
}
