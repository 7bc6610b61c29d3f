// SPDX-License-Identifier: Apache-2.0
// A timed system whose processes are alike, taken apart: see every_int.h. What belongs to which process is what the
// symmetry moves with it (orbit.h).
#include "zone/every_int.h"

#include "model/eval.h"

#include <string.h>

static bool every_refuse(str *why, const char *what) {
    if (!why->len) str_add(why, what);
    return false;
}

static uint8_t *all_shared(const every_parts *x, size_t n) {
    uint8_t *list = arena_alloc(x->o->memory, n + 1);
    memset(list, EVERY_SHARED, n + 1);
    return list;
}

static bool is_of_block(const every_parts *x, const orbit_place *at) {
    bool is = false;
    for (uint32_t i = 0; i < at->nelements; i++)
        is |= at->elements[i] >= x->first && at->elements[i] < x->first + x->count;
    return is;
}

// The block of the processes: that of the first process whose location moves.
static bool parts_find_block(every_parts *x, uint32_t wanted) {
    for (uint32_t p = 0; p < x->t->locations.len; p++)
        for (uint32_t i = 0; i < x->o->cells.len; i++) {
            const orbit_place *at = &x->o->cells.data[i];
            if (at->number != x->in->first_cell[x->t->locations.data[p].id] || at->nelements != 1) continue;
            const orbit_block *b = &x->o->blocks.data[x->o->block[at->elements[0]]];
            x->first = b->first;
            x->count = b->count;
            return b->count == wanted;
        }
    return false;
}

// Arrays with an element for each process are not looked into: which one is meant may depend on the state.
static bool parts_place_cells(every_parts *x, str *why) {
    value *args = mem_zero(model_most_params(x->in->m) + 1, sizeof *args);
    bool ok = true;
    x->cell_of = all_shared(x, x->in->ncells);
    x->is_id = arena_alloc(x->o->memory, x->in->ncells + 1);
    for (uint32_t i = 0; ok && i < x->o->cells.len; i++) {
        const orbit_place *at = &x->o->cells.data[i];
        func f = instance_cell_func(x->in, at->number, args);
        x->is_id[at->number] =
            at->result != ORBIT_NONE && orbit_element(x->o, at->result, every_name(x, 0)) == x->first;
        if (!is_of_block(x, at)) continue;
        ok = (at->nelements == 1 && !func_of(x->in->m, f)->nargs) ||
             every_refuse(why, "a variable is an array with an element for each process");
        x->cell_of[at->number] = at->elements[0] - x->first;
    }
    free(args);
    return ok;
}

static bool parts_place_clocks(every_parts *x, str *why) {
    bool ok = true;
    x->clock_of = all_shared(x, x->t->clocks.len);
    for (uint32_t i = 1; ok && i < x->t->clocks.len; i++) {
        const orbit_place *at = &x->o->clocks[i];
        ok = at->nelements <= 1 || every_refuse(why, "a clock belongs to two processes");
        if (is_of_block(x, at)) x->clock_of[i] = at->elements[0] - x->first;
    }
    return ok;
}

typedef struct {
    every_parts *x;
    uint32_t count;
} starting;

static bool parts_start(const value *cells, void *context) {
    starting *s = context;
    if (!s->count++) memcpy(s->x->initial, cells, s->x->in->ncells * sizeof *cells);
    return s->count < 2;
}

static bool is_of_processes(const every_parts *x, const uint8_t *p) {
    for (uint8_t i = 0; i < x->count; i++)
        if (p[x->first + i] != x->first + i) return true;
    return false;
}

// One initial state, in which the processes are alike.
static bool parts_find_start(every_parts *x, str *why) {
    starting s = {x, 0};
    bool ok = true;
    value *moved = mem_zero(x->in->ncells + 1, sizeof *moved);
    x->initial = arena_alloc(x->o->memory, (x->in->ncells + 1) * sizeof *x->initial);
    eval_initial(x->in, parts_start, &s);
    for (uint32_t i = 0; s.count == 1 && ok && i < orbit_swaps(x->o); i++) {
        orbit_perm p;
        orbit_swap(x->o, i, p);
        if (!is_of_processes(x, p)) continue;
        orbit_apply_cells(x->o, p, x->initial, moved);
        ok = memcmp(moved, x->initial, x->in->ncells * sizeof *moved) == 0;
    }
    free(moved);
    return (s.count == 1 && ok) || every_refuse(why, "the processes do not start alike");
}

bool every_take_apart(const instance *in, prop p, uint32_t wanted, every_parts *out, str *why) {
    str note = {0};
    expr cond = prop_of(in->m, p)->cond;
    asked a = {.formulas = &cond, .nformulas = 1};
    *out = (every_parts){.in = in, .t = sys_of(in->m, in->system)->timed};
    out->o = orbit_new(in, &a, &(limits){0}, &note);
    bool ok = out->o && parts_find_block(out, wanted);
    if (!ok) {
        str_add(why, "the processes are not all alike");
        if (note.len) str_printf(why, " (%s)", str_get(&note));
    }
    str_free(&note);
    ok = ok && parts_place_cells(out, why) && parts_place_clocks(out, why) && parts_find_start(out, why);
    if (!ok) return false;
    out->process_of = all_shared(out, out->t->processes.len);
    for (uint32_t i = 0; i < out->t->locations.len; i++)
        out->process_of[i] = out->cell_of[in->first_cell[out->t->locations.data[i].id]];
    for (uint32_t i = 1; i < out->t->clocks.len; i++)
        if (out->t->clocks.data[i].initial) return every_refuse(why, "a clock starts with another number than 0");
    if (out->t->rates.len) return every_refuse(why, "clocks stand still in some states");
    return !out->t->has_priorities || every_refuse(why, "steps have priorities");
}

uint8_t every_owner(const every_parts *x, func f) {
    const func_info *i = func_of(x->in->m, f);
    if (!i->is_scratch) return x->cell_of[x->in->first_cell[f.id]];
    return i->process ? x->process_of[i->process - 1] : EVERY_SHARED;
}

void every_parts_free(every_parts *x) { orbit_free(x->o); }
