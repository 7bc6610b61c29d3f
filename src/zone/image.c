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

// A member with its numbers permuted.
static member moved_member(const image *g, const swap *p, member_kind kind, uint32_t number) {
    member m = g->all->of[kind][number];
    for (uint32_t i = 0; i < m.nargs && p->v != p->w; i++) {
        bool moves = i < m.nparams ? m.family != UINT32_MAX && p->params[m.family] >> i & 1
                                   : image_moves_slot(p, slots_root(g->s, g->s->clock_slot[m.group] + i));
        if (moves) m.args[i] = image_moved(p, m.args[i]);
    }
    return m;
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

static void map_members(const image *g, swap *p) {
    uint32_t *const to[] = {p->funcs, p->clocks, p->processes};
    p->is_known = g->all->is_clear;
    for (uint32_t i = 0; i < g->ntypes; i++) p->types[i] = i;
    for (member_kind k = 0; k < MEMBER_KINDS; k++)
        for (uint32_t i = members_from(k); i < g->all->n[k]; i++) {
            member m = moved_member(g, p, k, i);
            to[k][i] = members_find(g->all, k, &m);
            p->is_known &= to[k][i] != UINT32_MAX && (k != MEMBER_FUNC || same_signature(g, p, i, to[k][i]));
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

static void *image_room(const image *g, size_t n, size_t size) { return arena_alloc(g->kept, (n + 1) * size); }

static void swap_init(const image *g, swap *p) {
    p->params = image_room(g, members_groups(g->all), 1);
    p->slots = image_room(g, g->nslots, 1);
    p->funcs = image_room(g, g->m->funcs.len, sizeof *p->funcs);
    p->clocks = image_room(g, g->t->clocks.len, sizeof *p->clocks);
    p->processes = image_room(g, g->t->processes.len, sizeof *p->processes);
    p->types = image_room(g, g->ntypes, sizeof *p->types);
    p->atoms = image_room(g, g->t->atoms.len, sizeof *p->atoms);
    for (uint32_t i = 0; i < 2; i++) p->memo[i] = image_room(g, g->nexprs, sizeof *p->memo[i]);
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
    memcpy(p->params, c->params, members_groups(g->all));
    memcpy(p->slots, c->slots, g->nslots);
    map_members(g, p);
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

// Invariants, or rates of clocks.
static bool keeps_bounds(image *g, const clock_bound *list, uint32_t n) {
    g->memory = arena_new();
    flat_bound *a = arena_alloc(g->memory, (n + 1) * sizeof *a), *b = arena_alloc(g->memory, (n + 1) * sizeof *b);
    for (uint32_t i = 0; i < n && !g->failed; i++) {
        a[i] = image_bound(g, &g->current, &list[i]);
        b[i] = image_bound(g, &g->identity, &list[i]);
    }
    image_sort_bounds(a, n);
    image_sort_bounds(b, n);
    bool same = !g->failed && memcmp(a, b, n * sizeof *a) == 0;
    arena_free(g->memory);
    return same;
}

bool image_keeps_system(image *g, span *why) {
    const timed_info *t = g->t;
    bool keeps = g->current.is_known && image_keeps_rules(g) &&
                 keeps_bounds(g, t->invariants.data, t->invariants.len) &&
                 keeps_bounds(g, t->rates.data, t->rates.len) && same_condition(g, g->t->still, SLOT_NONE) &&
                 same_condition(g, g->t->valid, SLOT_NONE);
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
    g->all = s->all;
    g->within = within;
    g->nexprs = in->m->exprs.len;
    g->ntypes = in->m->types.len;
    g->nvars = in->m->vars.len;
    g->nslots = s->up.len;
    g->kept = arena_new();
    g->var_to = image_room(g, g->nvars, sizeof *g->var_to);
    g->atom_of = image_room(g, g->nvars, sizeof *g->atom_of);
    for (uint32_t i = 0; i < g->t->atoms.len; i++) g->atom_of[g->t->atoms.data[i].stands.id] = i + 1;
    swap_init(g, &g->identity);
    swap_init(g, &g->current);
    map_members(g, &g->identity);
    g->identity.closed = ++g->stamps;
    for (uint32_t i = 0; i < g->t->atoms.len; i++) g->identity.atoms[i] = i;
    image_index_rules(g);
    return g;
}

void image_free(image *g) {
    if (!g) return;
    map_free(g->made);
    map_free(g->by_key);
    arena_free(g->kept);
    vec_free(&g->pool);
    free(g);
}
