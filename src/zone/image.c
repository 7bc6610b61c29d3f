// SPDX-License-Identifier: Apache-2.0
// Whether a swap is a symmetry: see image.h. Names here; expressions, bodies and rules in files of their own.
#include "zone/image_int.h"

#include <string.h>

bool image_step(image *g) {
    if (limits_met_lately(g->within, &g->steps)) g->gave_up = true;
    if (g->gave_up) g->failed = true;
    return !g->gave_up;
}

bool image_gave_up(const image *g) { return g->gave_up; }

// ---- permutations

bool image_moves_slot(const swap *p, uint32_t slot) { return slot != SLOT_NONE && p->v != p->w && p->slots[slot]; }

// The parts of a name with its numbers permuted.
static name_parts moved_parts(const image *g, const swap *p, const name_parts *parts, bool is_clock) {
    name_parts out = *parts;
    for (uint32_t i = 0; i < parts->nargs; i++) {
        bool moves = i < parts->nparams
                         ? parts->family != UINT32_MAX && p->v != p->w && p->params[parts->family] >> i & 1
                         : is_clock && image_moves_slot(p, slots_root(g->s, g->s->clock_slot[parts->group] + i));
        if (moves) out.args[i] = image_moved(p, parts->args[i]);
    }
    return out;
}

static bool map_type(const image *g, const swap *p, type from, type to) {
    const type_info *x = type_of(g->m, from), *y = type_of(g->m, to);
    p->types[from.id] = to.id;
    return type_same(from, to) || (x->kind == TYPE_ENUM && y->kind == TYPE_ENUM && x->nliterals == y->nliterals);
}

static bool same_signature(const image *g, const swap *p, uint32_t a, uint32_t b) {
    const func_info *x = &g->m->funcs.data[a], *y = &g->m->funcs.data[b];
    if (x->nargs != y->nargs || x->is_scratch != y->is_scratch || x->is_limit != y->is_limit ||
        x->is_rigid != y->is_rigid || x->may_be_undefined != y->may_be_undefined)
        return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!type_same(x->args[i], y->args[i])) return false;
    return map_type(g, p, x->result, y->result);
}

static void map_names(const image *g, swap *p) {
    p->is_known = g->by_name->is_clear;
    for (uint32_t i = 0; i < g->ntypes; i++) p->types[i] = i;
    for (uint32_t i = 1; i < g->m->funcs.len; i++) {
        name_parts to = moved_parts(g, p, &g->by_name->funcs[i], false);
        p->funcs[i] = names_func(g->by_name, &to);
        if (p->funcs[i] == UINT32_MAX || !same_signature(g, p, i, p->funcs[i])) p->is_known = false;
    }
    p->clocks[0] = 0;
    for (uint32_t i = 1; i < g->t->clocks.len; i++) {
        name_parts to = moved_parts(g, p, &g->by_name->clocks[i], true);
        p->clocks[i] = names_clock(g->by_name, &to);
        p->is_known &= p->clocks[i] != UINT32_MAX;
    }
    for (uint32_t i = 0; i < g->t->processes.len; i++) {
        name_parts to = moved_parts(g, p, &g->by_name->processes[i], false);
        p->processes[i] = names_process(g->by_name, &to);
        p->is_known &= p->processes[i] != UINT32_MAX;
    }
}

// A type becomes the same one everywhere.
static bool keeps_types(const image *g, const swap *p) {
    const func_info *f = g->m->funcs.data;
    for (uint32_t i = 1; i < g->m->funcs.len; i++)
        if (p->types[f[i].result.id] != f[p->funcs[i]].result.id) return false;
    return true;
}

// The location of a process is that of its image.
static bool keeps_locations(const image *g, const swap *p) {
    for (uint32_t i = 0; i < g->t->locations.len; i++)
        if (p->funcs[g->t->locations.data[i].id] != g->t->locations.data[p->processes[i]].id) return false;
    return true;
}

static void swap_init(image *g, swap *p) {
    p->params = mem_zero(names_groups(g->by_name) + 1, 1);
    p->slots = mem_zero(g->nslots + 1, 1);
    p->funcs = mem_zero(g->m->funcs.len + 1, sizeof *p->funcs);
    p->clocks = mem_zero(g->t->clocks.len + 1, sizeof *p->clocks);
    p->processes = mem_zero(g->t->processes.len + 1, sizeof *p->processes);
    p->types = mem_zero(g->ntypes + 1, sizeof *p->types);
    p->atoms = mem_zero(g->t->atoms.len + 1, sizeof *p->atoms);
    for (uint32_t i = 0; i < 2; i++) p->memo[i] = mem_zero(g->nexprs, sizeof *p->memo[i]);
}

static void swap_free(swap *p) {
    free(p->params);
    free(p->slots);
    free(p->funcs);
    free(p->clocks);
    free(p->processes);
    free(p->types);
    free(p->atoms);
    free(p->memo[0]);
    free(p->memo[1]);
}

void image_begin(image *g, swap *p) { p->open = ++g->stamps; }

// ---- choosing

static bool same_atom(image *g, const swap *p, const clock_bound *a, expr bound, const clock_bound *b) {
    return b->left == p->clocks[a->left] && b->right == p->clocks[a->right] && b->is_strict == a->is_strict &&
           expr_same(bound, image_of(g, &g->identity, b->bound, SLOT_NUMBER));
}

static void map_atoms(image *g, swap *p) {
    for (uint32_t i = 0; i < g->t->atoms.len && !g->failed; i++) {
        const clock_atom *a = &g->t->atoms.data[i];
        p->atoms[i] = a->is_deadlock ? i : UINT32_MAX;
        if (a->is_deadlock) continue;
        expr bound = image_of(g, p, a->is.bound, SLOT_NUMBER);
        for (uint32_t k = 0; k < g->t->atoms.len && p->atoms[i] == UINT32_MAX; k++) {
            const clock_atom *b = &g->t->atoms.data[k];
            if (!b->is_deadlock && same_atom(g, p, &a->is, bound, &b->is)) p->atoms[i] = k;
        }
    }
}

bool image_choose(image *g, const id_class *c, int32_t v, int32_t w) {
    swap *p = &g->current;
    g->failed = g->gave_up;
    g->why = (span){0};
    g->depth = 0;
    p->v = v;
    p->w = w;
    p->closed = ++g->stamps;
    memcpy(p->params, c->params, names_groups(g->by_name));
    memcpy(p->slots, c->slots, g->nslots);
    map_names(g, p);
    p->is_known = p->is_known && g->has_normals && keeps_types(g, p) && keeps_locations(g, p);
    if (p->is_known) map_atoms(g, p);
    return p->is_known && !g->failed;
}

// ---- questions

static bool same_condition(image *g, expr e, uint32_t slot) {
    if (!e.id) return true;
    image_begin(g, &g->current);
    image_begin(g, &g->identity);
    return expr_same(image_of(g, &g->current, e, slot), image_of(g, &g->identity, e, slot)) && !g->failed;
}

static bool keeps_invariants(image *g) {
    uint32_t n = g->t->invariants.len;
    g->memory = arena_new();
    flat_bound *a = arena_alloc(g->memory, (n + 1) * sizeof *a), *b = arena_alloc(g->memory, (n + 1) * sizeof *b);
    for (uint32_t i = 0; i < n && !g->failed; i++) {
        a[i] = image_bound(g, &g->current, &g->t->invariants.data[i]);
        b[i] = image_bound(g, &g->identity, &g->t->invariants.data[i]);
    }
    image_sort_bounds(a, n);
    image_sort_bounds(b, n);
    bool same = !g->failed && memcmp(a, b, n * sizeof *a) == 0;
    arena_free(g->memory);
    return same;
}

bool image_keeps_system(image *g, span *why) {
    bool keeps = g->current.is_known && image_keeps_rules(g) && keeps_invariants(g) &&
                 same_condition(g, g->t->still, SLOT_NONE) && same_condition(g, g->t->valid, SLOT_NONE);
    *why = g->why;
    return keeps && !g->failed;
}

bool image_keeps_formula(image *g, expr e) { return same_condition(g, e, SLOT_NONE); }

bool image_keeps_number(image *g, expr e) { return same_condition(g, e, SLOT_NUMBER); }

bool image_keeps_clock(const image *g, uint32_t clock) { return g->current.clocks[clock] == clock; }

// ---- all

image *image_new(const instance *in, const slots *s, const limits *within) {
    image *g = mem_zero(1, sizeof *g);
    g->in = in;
    g->m = in->m;
    g->system = sys_of(in->m, in->system);
    g->t = g->system->timed;
    g->s = s;
    g->by_name = s->by_name;
    g->within = within;
    g->nexprs = in->m->exprs.len;
    g->ntypes = in->m->types.len;
    g->nvars = in->m->vars.len;
    g->nslots = s->up.len;
    g->var_to = mem_zero(g->nvars + 1, sizeof *g->var_to);
    g->atom_of = mem_zero(g->nvars + 1, sizeof *g->atom_of);
    for (uint32_t i = 0; i < g->t->atoms.len; i++) g->atom_of[g->t->atoms.data[i].stands.id] = i + 1;
    swap_init(g, &g->identity);
    swap_init(g, &g->current);
    map_names(g, &g->identity);
    g->identity.closed = ++g->stamps;
    for (uint32_t i = 0; i < g->t->atoms.len; i++) g->identity.atoms[i] = i;
    image_index_rules(g);
    return g;
}

void image_free(image *g) {
    if (!g) return;
    swap_free(&g->identity);
    swap_free(&g->current);
    map_free(g->made);
    map_free(g->by_key);
    arena_free(g->kept);
    free(g->normals);
    free(g->next_like);
    free(g->rule_rank);
    free(g->var_to);
    free(g->atom_of);
    vec_free(&g->pool);
    free(g);
}
