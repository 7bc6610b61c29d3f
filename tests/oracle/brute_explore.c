// SPDX-License-Identifier: Apache-2.0
// brute_explore: see brute_explore.h. Plain on purpose: no packing, no hashing of its own, no levels in
// parallel.
#include "oracle/brute_explore.h"

#include <string.h>

typedef struct {
    const instance *in;
    const sys_info *system;
    const prop *props;
    uint32_t nprops, most;
    eval *ev;
    map *seen;                    // state -> its number
    VEC(uint32_t) depth, degree;  // by number
    VEC(uint32_t) from, to;       // steps
    VEC(bool) satisfies;          // by number and property: of those that ask for some state
    value *state, *next, *args;
    uint32_t now;  // depth of the state that is looked at
    bool moves;    // some step leads to another state, or nowhere
    brute b;
} walk;

static void earliest(uint32_t *when, uint32_t depth) {
    if (depth < *when) *when = depth;
}

static bool faulted(walk *w) { return eval_fault(w->ev).kind != FAULT_NONE; }

// The number of the state.
static uint32_t reach(walk *w, const value *state, uint32_t depth) {
    uint32_t number = map_intern(w->seen, state, w->in->ncells * sizeof *state, w->depth.len);
    if (number == w->depth.len) vec_push(&w->depth, depth);
    return number;
}

static bool reach_initial(const value *state, void *context) {
    reach(context, state, 0);
    return true;
}

static void check(walk *w, expr cond, uint32_t *when) {
    bool holds = eval_expr(w->ev, w->state, cond);
    if (faulted(w)) earliest(&w->b.fault, w->now);
    else if (!holds) earliest(when, w->now);
}

static void check_state(walk *w) {
    for (uint32_t i = 0; i < w->nprops; i++) {
        const prop_info *p = prop_of(w->in->m, w->props[i]);
        uint32_t fails = BRUTE_NEVER;
        bool asks = p->kind == PROP_COVER || p->kind == PROP_REACHES;
        if (p->kind == PROP_INVARIANT) check(w, p->cond, &w->b.invariants.data[i]);
        else if (asks) check(w, p->cond, &fails);
        bool is_met = asks && fails == BRUTE_NEVER && !faulted(w);
        vec_push(&w->satisfies, is_met);
        if (is_met) earliest(&w->b.covers.data[i], w->now);
    }
    for (uint32_t i = 0; i < w->system->assumes.len; i++)
        check(w, w->system->assumes.data[i].cond, &w->b.assumptions.data[i]);
}

static void note_refusal(walk *w, prop p) {
    for (uint32_t i = 0; i < w->nprops; i++)
        if (w->props[i].id == p.id) earliest(&w->b.requirements.data[i], w->now + 1);
}

// False: the step leads nowhere. A fault in any requirement counts more than a refusal.
static bool meets_requirements(walk *w, const rule_info *r) {
    bool holds[64], is_faulty = false, is_met = true;
    for (uint32_t k = 0; k < r->nrequires; k++) {
        holds[k] = eval_expr(w->ev, w->state, r->requires[k].cond);
        is_faulty |= faulted(w);
        is_met &= holds[k];
    }
    if (is_faulty) earliest(&w->b.fault, w->now + 1);
    for (uint32_t k = 0; k < r->nrequires && !is_faulty; k++)
        if (!holds[k]) note_refusal(w, r->requires[k].property);
    return is_met && !is_faulty;
}

// Is the binding a step at all, taken or not? One that an assumption in its body ends is none, whatever its
// requirements say; if the assumption is the user's, it still counts as something that can happen.
static bool try_step(walk *w, rule r) {
    bool is_enabled = eval_enabled(w->ev, w->state, r, w->args);
    if (faulted(w)) {
        earliest(&w->b.fault, w->now + 1);
        return w->moves = true;
    }
    if (!is_enabled) return false;
    bool is_fired = eval_fire(w->ev, w->state, r, w->args, w->next);
    if (eval_is_impossible(w->ev)) return w->moves |= eval_is_excluded(w->ev), eval_is_excluded(w->ev);
    if (!meets_requirements(w, rule_of(w->in->m, r))) return w->moves = true;
    if (!is_fired) {
        earliest(&w->b.fault, w->now + 1);
        return w->moves = true;
    }
    vec_last(&w->degree)++;
    w->moves |= memcmp(w->state, w->next, w->in->ncells * sizeof *w->next) != 0;
    vec_push(&w->from, w->degree.len - 1);
    vec_push(&w->to, reach(w, w->next, w->now + 1));
    return true;
}

static void expand(walk *w) {
    bool is_stuck = true;
    w->moves = false;
    vec_push(&w->degree, 0);
    for (uint32_t i = 0; i < w->system->rules.len; i++) {
        rule r = w->system->rules.data[i];
        for (bool first = true; eval_next_binding(w->in, r, w->args, &first);)
            if (try_step(w, r)) is_stuck = false;
    }
    if (is_stuck) earliest(&w->b.deadlock, w->now);
    if (!w->moves) earliest(&w->b.stuttering, w->now);
}

static void fetch(walk *w, uint32_t number) {
    size_t size;
    memcpy(w->state, map_key(w->seen, number, &size), w->in->ncells * sizeof *w->state);
    w->now = w->depth.data[number];
}

// ---- multisets: what each slot holds as one piece of memory, and these sorted

static void sort_pieces(value *all, uint32_t n, uint32_t length) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k + 1 < n; k++) {
            value *a = all + k * length, *b = a + length;
            bool swaps = memcmp(a, b, length * sizeof *a) > 0;
            for (uint32_t c = 0; swaps && c < length; c++) {
                value kept = a[c];
                a[c] = b[c], b[c] = kept;
            }
        }
}

// Moves what the slots of multiset `which` hold to `all`, one slot after the other, or back.
static uint32_t move_slots(const instance *in, const bag_info *b, uint32_t which, value *state, value *all, bool back) {
    uint32_t n = instance_type_size(in, func_of(in->m, b->funcs[0])->args[b->position]), at = 0, used = 0;
    uint32_t nbags = instance_func_cells(in, b->funcs[0]) / n;
    for (uint32_t s = 0; s < n; s++) {
        bool is_free = false;
        for (uint32_t f = 0; f < b->nfuncs; f++) {
            uint32_t size = instance_func_cells(in, b->funcs[f]) / nbags / n;
            value *cells = state + in->first_cell[b->funcs[f].id] + (which * n + s) * size;
            is_free |= f == 0 && !*cells && !back;
            for (uint32_t k = 0; k < size; k++, at++)
                if (back) cells[k] = all[at];
                else all[at] = is_free ? 0 : cells[k];
        }
        used = at / (s + 1);
    }
    return used;
}

static void sort_multisets(const instance *in, value *state) {
    const sys_info *s = sys_of(in->m, in->system);
    value *all = mem_zero(in->ncells + 1, sizeof *all);
    for (uint32_t i = 0; i < s->bags.len; i++) {
        const bag_info *b = &s->bags.data[i];
        uint32_t n = instance_type_size(in, func_of(in->m, b->funcs[0])->args[b->position]);
        for (uint32_t which = 0; which < instance_func_cells(in, b->funcs[0]) / n; which++) {
            uint32_t length = move_slots(in, b, which, state, all, false);
            sort_pieces(all, n, length);
            move_slots(in, b, which, state, all, true);
        }
    }
    free(all);
}

// ---- orbits

typedef struct {
    walk *w;
    type_list sorts;  // symmetric ones
    value *images;    // of every sort's elements: images[64 * sort id + element]
    value *permuted, *least;
} permuter;

static value image(const permuter *p, type t, value v) {
    const type_info *info = type_of(p->w->in->m, t);
    if (v == VALUE_UNDEFINED) return v;
    for (uint32_t i = 0, start = 0; i < info->nmembers; i++) {
        uint32_t size = instance_type_size(p->w->in, info->members[i]);
        value first = instance_type_first(p->w->in, info->members[i]), own = v - (value)start;
        if (own < (value)size) return (value)start + image(p, info->members[i], own + first) - first;
        start += size;
    }
    return info->kind == TYPE_SORT ? p->images[INSTANCE_LARGEST_SORT * t.id + (uint32_t)v] : v;
}

static void permute_state(permuter *p) {
    const instance *in = p->w->in;
    value args[64];
    for (uint32_t c = 0; c < in->ncells; c++) {
        func f = instance_cell_func(in, c, args);
        const func_info *info = func_of(in->m, f);
        for (uint32_t k = 0; k < info->nargs; k++) args[k] = image(p, info->args[k], args[k]);
        p->permuted[instance_cell(in, f, args)] = image(p, info->result, p->w->state[c]);
    }
    size_t size = in->ncells * sizeof(value);
    sort_multisets(in, p->permuted);
    if (memcmp(p->permuted, p->least, size) < 0) memcpy(p->least, p->permuted, size);
}

// Every permutation of the sorts from `sort` on; the elements below `k` of the first have their images.
static void permute(permuter *p, uint32_t sort, uint32_t k) {
    if (sort == p->sorts.len) {
        permute_state(p);
        return;
    }
    type t = p->sorts.data[sort];
    uint32_t size = instance_type_size(p->w->in, t);
    value *images = p->images + INSTANCE_LARGEST_SORT * t.id;
    if (k == size) {
        permute(p, sort + 1, 0);
        return;
    }
    for (uint32_t i = k; i < size; i++) {
        value a = images[k], b = images[i];
        images[k] = b, images[i] = a;
        permute(p, sort, k + 1);
        images[k] = a, images[i] = b;
    }
}

static void find_symmetric(permuter *p) {
    const model *m = p->w->in->m;
    p->images = mem_zero(INSTANCE_LARGEST_SORT * m->types.len, sizeof *p->images);
    for (uint32_t id = 1; id < m->types.len; id++) {
        for (uint32_t v = 0; v < INSTANCE_LARGEST_SORT; v++) p->images[INSTANCE_LARGEST_SORT * id + v] = (value)v;
        const type_info *info = type_of(m, (type){id});
        if (info->kind == TYPE_SORT && !info->is_ordered && !info->is_slot) vec_push(&p->sorts, (type){id});
    }
}

static void count_all_orbits(walk *w) {
    permuter p = {.w = w};
    size_t size = w->in->ncells * sizeof(value);
    map *orbits = map_new(), *contents = map_new();
    find_symmetric(&p);
    p.permuted = mem_zero(w->in->ncells + 1, sizeof *p.permuted);
    p.least = mem_zero(w->in->ncells + 1, sizeof *p.least);
    for (uint32_t i = 0; i < w->depth.len; i++) {
        fetch(w, i);
        memcpy(p.least, w->state, size);
        sort_multisets(w->in, p.least);
        w->b.contents += map_put(contents, p.least, size, i);
        permute(&p, 0, 0);
        if (!map_put(orbits, p.least, size, i)) continue;
        w->b.orbits++;
        w->b.orbit_transitions += w->degree.data[i];
    }
    map_free(orbits);
    map_free(contents);
    vec_free(&p.sorts);
    free(p.images);
    free(p.permuted);
    free(p.least);
}

// ---- states from which no state that satisfies a property can be reached

static void find_hopeless(walk *w, uint32_t property) {
    bool *hope = mem_zero(w->depth.len + 1, sizeof *hope), changed;
    for (uint32_t q = 0; q < w->depth.len; q++) hope[q] = w->satisfies.data[q * w->nprops + property];
    do {
        changed = false;
        for (uint32_t i = 0; i < w->from.len; i++) {
            if (hope[w->from.data[i]] || !hope[w->to.data[i]]) continue;
            hope[w->from.data[i]] = changed = true;
        }
    } while (changed);
    for (uint32_t q = 0; q < w->depth.len; q++)
        if (!hope[q]) earliest(&w->b.hopeless.data[property], w->depth.data[q]);
    free(hope);
}

// ---- all of it

static void explore_all(walk *w) {
    for (uint32_t i = 0; i < w->depth.len; i++) {
        if (w->depth.len > w->most) return;
        fetch(w, i);
        if (w->now > w->b.depth) w->b.depth = w->now;
        check_state(w);
        expand(w);
        w->b.transitions += vec_last(&w->degree);
    }
    for (uint32_t i = 0; i < w->nprops; i++) find_hopeless(w, i);
    w->b.states = w->depth.len;
    w->b.is_complete = true;
}

static void prepare(walk *w) {
    w->b.deadlock = w->b.fault = w->b.stuttering = BRUTE_NEVER;
    for (uint32_t i = 0; i < w->nprops; i++) {
        vec_push(&w->b.invariants, BRUTE_NEVER);
        vec_push(&w->b.requirements, BRUTE_NEVER);
        vec_push(&w->b.covers, BRUTE_NEVER);
        vec_push(&w->b.hopeless, BRUTE_NEVER);
    }
    for (uint32_t i = 0; i < w->system->assumes.len; i++) vec_push(&w->b.assumptions, BRUTE_NEVER);
}

brute brute_explore(const instance *in, const prop *props, uint32_t nprops, uint32_t most, bool count_orbits) {
    walk w = {.in = in, .system = sys_of(in->m, in->system), .props = props, .nprops = nprops, .most = most};
    w.ev = eval_new(in);
    w.seen = map_new();
    w.state = mem_zero(in->ncells + 1, sizeof *w.state);
    w.next = mem_zero(in->ncells + 1, sizeof *w.next);
    w.args = mem_zero(64, sizeof *w.args);
    prepare(&w);
    eval_initial(in, reach_initial, &w);
    explore_all(&w);
    if (w.b.is_complete && count_orbits) count_all_orbits(&w);
    eval_free(w.ev);
    map_free(w.seen);
    vec_free(&w.depth);
    vec_free(&w.degree);
    vec_free(&w.from);
    vec_free(&w.to);
    vec_free(&w.satisfies);
    free(w.state);
    free(w.next);
    free(w.args);
    return w.b;
}

void brute_free(brute *b) {
    vec_free(&b->invariants);
    vec_free(&b->requirements);
    vec_free(&b->assumptions);
    vec_free(&b->covers);
    vec_free(&b->hopeless);
}
