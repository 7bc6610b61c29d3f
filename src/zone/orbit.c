// SPDX-License-Identifier: Apache-2.0
// Finding the symmetries of a timed system: see orbit.h. Candidates are, in this order, each parameter of a
// family of processes alone; all parameters with the same values that were not symmetric alone, together
// (two families that belong to each other); and classes of values that no process has as parameter.
#include "zone/orbit_int.h"

#include <assert.h>
#include <string.h>

enum { LARGEST_FAMILY = 64, LARGEST_DATA = 16, MOST_DATA = 256 };

typedef struct {
    uint32_t family, param;
    int32_t lo, hi;
    bool is_done;
    span why;        // it is not symmetric alone
    uint32_t alike;  // size of its largest block
} position;

typedef struct {
    arena *memory;
    const instance *in;
    const timed_info *t;
    const asked *a;
    members *all;
    slots *s;
    image *g;
    VEC(position) positions;
    found_classes found;
    uint8_t *is_taken;  // by slot: of a class that was found
    span why;
} search;

// ---- candidates

static void note_value(search *f, uint32_t family, uint32_t param, int32_t v) {
    for (uint32_t i = 0; i < f->positions.len; i++) {
        position *p = &f->positions.data[i];
        if (p->family != family || p->param != param) continue;
        if (v < p->lo) p->lo = v;
        if (v > p->hi) p->hi = v;
        return;
    }
    vec_push(&f->positions, (position){.family = family, .param = param, .lo = v, .hi = v});
}

static void find_positions(search *f) {
    for (uint32_t i = 0; i < f->t->processes.len; i++) {
        const member *p = &f->all->of[MEMBER_PROCESS][i];
        for (uint32_t k = 0; k < p->nparams; k++) note_value(f, p->family, k, p->args[k]);
    }
}

static found_class new_class(const search *f, int32_t lo, int32_t hi) {
    found_class x = {.c = {.lo = lo, .hi = hi}};
    x.c.params = arena_alloc(f->memory, members_groups(f->all) + 1);
    x.c.slots = arena_alloc(f->memory, f->s->up.len + 1);
    x.block_of = arena_alloc(f->memory, ((size_t)(hi - lo) + 1) * sizeof *x.block_of);
    for (int32_t v = lo; v <= hi; v++) x.block_of[v - lo] = (uint32_t)(v - lo);
    return x;
}

// Slots that have the values of the processes; not those that cannot hold all of them or belong to others.
static void find_slots(search *f, found_class *x) {
    for (int32_t v = x->c.lo; v < x->c.hi; v++) image_find_slots(f->g, &x->c, v, v + 1);
    for (uint32_t i = 0; i < f->s->up.len; i++)
        if (f->is_taken[i] || !slots_may_move(f->s, i) || f->s->range.data[i].lo > x->c.lo ||
            f->s->range.data[i].hi < x->c.hi)
            x->c.slots[i] = 0;
}

// ---- blocks

typedef bool (*may_swap)(search *f, const id_class *c, int32_t v, int32_t w);

static bool swaps_system(search *f, const id_class *c, int32_t v, int32_t w) {
    span why = {0};
    bool yes = image_choose(f->g, c, v, w) && image_keeps_system(f->g, &why);
    if (!yes && !f->why.file) f->why = why;
    return yes;
}

static bool swaps_asked(search *f, const id_class *c, int32_t v, int32_t w) {
    const asked *a = f->a;
    if (!image_choose(f->g, c, v, w)) return false;
    for (uint32_t i = 0; i < a->nformulas; i++)
        if (!image_keeps_formula(f->g, a->formulas[i])) return false;
    for (uint32_t i = 0; i < a->nmeasured; i++)
        if (!image_keeps_number(f->g, a->measured[i])) return false;
    for (uint32_t i = 0; i < a->nclocks; i++)
        if (!image_keeps_clock(f->g, a->clocks[i])) return false;
    return true;
}

// Splits blocks into those of values that can be swapped; "can be swapped" is an equivalence.
static void split_blocks(search *f, found_class *x, may_swap test) {
    uint32_t n = (uint32_t)(x->c.hi - x->c.lo) + 1;
    uint32_t *split = arena_alloc(f->memory, n * sizeof *split);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t w = 0;
        for (; w < v; w++)
            if (split[w] == w && x->block_of[w] == x->block_of[v] &&
                test(f, &x->c, x->c.lo + (int32_t)w, x->c.lo + (int32_t)v))
                break;
        split[v] = w;
    }
    x->block_of = split;
}

static uint32_t largest_block(const found_class *x) {
    uint32_t n = (uint32_t)(x->c.hi - x->c.lo) + 1, most = 0;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t count = 0;
        for (uint32_t w = 0; w < n; w++) count += x->block_of[w] == v;
        if (count > most) most = count;
    }
    return most;
}

// All values in one block at first.
static bool orbit_is_symmetric(search *f, found_class *x) {
    memset(x->block_of, 0, ((size_t)(x->c.hi - x->c.lo) + 1) * sizeof *x->block_of);
    f->why = (span){0};
    split_blocks(f, x, swaps_system);
    return largest_block(x) > 1;
}

// Keeps the class if some of its values are alike; `alike` gets how many.
static bool take_class(search *f, found_class x, uint32_t *alike) {
    bool yes = orbit_is_symmetric(f, &x);
    *alike = largest_block(&x);
    for (uint32_t i = 0; yes && i < f->s->up.len; i++) f->is_taken[i] |= x.c.slots[i];
    if (yes) vec_push(&f->found, x);
    return yes;
}

// ---- the three kinds of candidates

static bool orbit_fits(const position *p) { return p->hi > p->lo && p->hi - p->lo < LARGEST_FAMILY; }

static void try_alone(search *f, position *p) {
    found_class x = new_class(f, p->lo, p->hi);
    x.c.params[p->family] = (uint8_t)(1u << p->param);
    find_slots(f, &x);
    p->is_done = take_class(f, x, &p->alike);
    p->why = f->why;
}

static bool is_open_like(const position *p, const position *like) {
    return !p->is_done && p->lo == like->lo && p->hi == like->hi;
}

// All positions like this one, as one class.
static void try_positions(search *f, const position like) {
    found_class x = new_class(f, like.lo, like.hi);
    uint32_t alike;
    for (uint32_t i = 0; i < f->positions.len; i++) {
        const position *p = &f->positions.data[i];
        if (is_open_like(p, &like)) x.c.params[p->family] |= 1u << p->param;
    }
    find_slots(f, &x);
    bool yes = take_class(f, x, &alike);
    for (uint32_t i = 0; yes && i < f->positions.len; i++) {
        position *p = &f->positions.data[i];
        if (is_open_like(p, &like)) p->is_done = true, p->why = f->why, p->alike = alike;
    }
}

static void try_together(search *f) {
    for (uint32_t i = 0; i < f->positions.len; i++) {
        const position *p = &f->positions.data[i];
        if (!p->is_done && orbit_fits(p)) try_positions(f, *p);
    }
}

// By slot: does a variable hold values of its class?
static bool *find_stored(const search *f) {
    bool *stored = arena_alloc(f->memory, (f->s->up.len + 1) * sizeof *stored);
    for (uint32_t i = 1; i < f->in->m->funcs.len; i++)
        if (!f->in->m->funcs.data[i].is_scratch) stored[slots_result(f->s, i)] = true;
    return stored;
}

static uint32_t count_elements(const search *f) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->found.len; i++) count += (uint32_t)(f->found.data[i].c.hi - f->found.data[i].c.lo) + 1;
    return count;
}

// Each is a look at the whole system: so many are tried, and none when there is no room for what it has.
static void try_data(search *f) {
    bool *stored = find_stored(f);
    uint32_t ntried = 0, alike;
    for (uint32_t i = 1; i < f->s->up.len && count_elements(f) < ORBIT_MOST_ELEMENTS; i++) {
        int64_t lo = f->s->range.data[i].lo, hi = f->s->range.data[i].hi;
        if (slots_root(f->s, i) != i || f->is_taken[i] || hi <= lo || hi - lo >= LARGEST_DATA) continue;
        if (!slots_may_move(f->s, i) || !stored[i] || ntried++ >= MOST_DATA) continue;
        found_class x = new_class(f, (int32_t)lo, (int32_t)hi);
        x.c.slots[i] = 1;
        take_class(f, x, &alike);
    }
}

// ---- what was found, as text

static void family_name(const search *f, uint32_t family, str *out) {
    for (uint32_t i = 0; i < f->t->processes.len; i++) {
        if (f->all->of[MEMBER_PROCESS][i].family != family) continue;
        str_add(out, f->t->processes.data[i].family);
        return;
    }
}

static void say_position(const search *f, const position *p, str *note) {
    uint32_t n = (uint32_t)(p->hi - p->lo) + 1;
    str_add(note, note->len ? "; " : "");
    family_name(f, p->family, note);
    if (p->alike == n) str_printf(note, ": all %u alike", n);
    else if (p->alike > 1) str_printf(note, ": %u of %u alike", p->alike, n);
    else str_add(note, ": no two alike");
    if (p->alike == n || !p->why.file) return;
    str_add(note, " (they differ at ");
    diag_place_text(f->in->m->messages, p->why, note);
    str_char(note, ')');
}

static const position *position_of(const search *f, const found_class *x) {
    for (uint32_t i = 0; i < f->positions.len; i++)
        if (x->c.params[f->positions.data[i].family] >> f->positions.data[i].param & 1) return &f->positions.data[i];
    return NULL;
}

// Queries that tell processes apart that the system does not.
static void say_asked(const search *f, const found_class *x, uint32_t before, str *note) {
    uint32_t now = largest_block(x);
    const position *p = position_of(f, x);
    if (now == before || !p) return;
    str_add(note, "; queries name some of ");
    family_name(f, p->family, note);
    if (now > 1) str_printf(note, ": %u stay alike", now);
}

// ---- all

static void orbit_run(search *f, str *note) {
    find_positions(f);
    for (uint32_t i = 0; i < f->positions.len; i++)
        if (orbit_fits(&f->positions.data[i])) try_alone(f, &f->positions.data[i]);
    try_together(f);
    try_data(f);
    for (uint32_t i = 0; i < f->positions.len; i++)
        if (orbit_fits(&f->positions.data[i])) say_position(f, &f->positions.data[i], note);
    for (uint32_t i = 0; i < f->found.len; i++) {
        uint32_t before = largest_block(&f->found.data[i]);
        split_blocks(f, &f->found.data[i], swaps_asked);
        say_asked(f, &f->found.data[i], before, note);
    }
}

// Classes of which queries left nothing alike.
static void drop_split(search *f) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->found.len; i++)
        if (largest_block(&f->found.data[i]) > 1) f->found.data[kept++] = f->found.data[i];
    f->found.len = kept;
}

// Classes beyond what a permutation has room for stay as they are.
static void drop_last(search *f) {
    while (count_elements(f) >= ORBIT_MOST_ELEMENTS) f->found.len--;
}

orbit *orbit_new(const instance *in, const asked *a, const limits *within, str *note) {
    search f = {.memory = arena_new(), .in = in, .t = sys_of(in->m, in->system)->timed, .a = a};
    f.all = members_new(in->m, f.t);
    f.s = slots_new(in, f.all, a);
    f.g = image_new(in, f.s, within);
    f.is_taken = arena_alloc(f.memory, f.s->up.len + 1);
    f.is_taken[SLOT_NUMBER] = 1;
    orbit_run(&f, note);
    drop_split(&f);
    drop_last(&f);
    orbit *o = NULL;
    if (count_elements(&f) && !image_gave_up(f.g)) {
        arena *memory = arena_new();
        o = arena_alloc(memory, sizeof *o);
        o->memory = memory;
        o->in = in;
        o->n = f.t->clocks.len;
        orbit_place_all(o, f.s, &f.found);
    }
    vec_free(&f.found);
    vec_free(&f.positions);
    arena_free(f.memory);
    image_free(f.g);
    slots_free(f.s);
    members_free(f.all);
    return o;
}

uint32_t orbit_elements(const orbit *o) { return o->nelements; }

void orbit_free(orbit *o) {
    if (!o) return;
    vec_free(&o->classes);
    vec_free(&o->blocks);
    vec_free(&o->groups);
    vec_free(&o->table);
    vec_free(&o->cells);
    arena_free(o->memory);
}
