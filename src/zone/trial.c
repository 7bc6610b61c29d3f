// SPDX-License-Identifier: Apache-2.0
// Trying what the search relies on: see trial.h. Sets of steps are compared by the sum of hashes of their
// members, so equal sets never seem to differ.
#include "zone/trial.h"

#include "base/rng.h"
#include "zone/search.h"

#include <string.h>
#include <xxhash.h>

// Steps of a check, and of the search, by what they cost: one is about a nanosecond.
enum {
    COST_LABEL = 400,
    COST_STEP = 3000,
    COST_TRANSITION = 600,
    COST_BOUND = 12,
    FREE = 2000000,
    SHARE = 12
};
enum { MOST_SHOWN = 40 };

struct zone_trial {
    zone_search *s;
    rng r;
    uint64_t spent, average;   // steps of checks so far, and of one
    uint64_t symmetry, zones;  // states tried
    const char *failed;
    str failure;
    value *cells, *image, *after, *moved, *from;
    uint64_t *state, *packed, *next;
    uint32_t *labels;
    int64_t *clocks, *moved_clocks;  // in halves
};

zone_trial *trial_new(zone_search *s) {
    zone_trial *c = mem_zero(1, sizeof *c);
    size_t cells = s->in->ncells + 1, labels = space_labels(s->x->s);
    c->s = s;
    c->r = (rng){UINT64_C(0x5eed)};
    c->cells = mem_zero(cells, sizeof *c->cells);
    c->image = mem_zero(cells, sizeof *c->image);
    c->after = mem_zero(cells, sizeof *c->after);
    c->moved = mem_zero(cells, sizeof *c->moved);
    c->from = mem_zero(cells, sizeof *c->from);
    c->state = mem_zero(s->x->words + 1, sizeof *c->state);
    c->packed = mem_zero(s->x->words + 1, sizeof *c->packed);
    c->next = mem_zero(labels * s->x->words + 1, sizeof *c->next);
    c->labels = mem_zero(labels + 1, sizeof *c->labels);
    c->clocks = mem_zero(s->x->n + 1, sizeof *c->clocks);
    c->moved_clocks = mem_zero(s->x->n + 1, sizeof *c->moved_clocks);
    return c;
}

void trial_free(zone_trial *c) {
    if (!c) return;
    str_free(&c->failure);
    free(c->cells);
    free(c->image);
    free(c->after);
    free(c->moved);
    free(c->from);
    free(c->state);
    free(c->packed);
    free(c->next);
    free(c->labels);
    free(c->clocks);
    free(c->moved_clocks);
    free(c);
}

const char *trial_failed(const zone_trial *c) { return c ? c->failed : NULL; }
const char *trial_failure(const zone_trial *c) { return str_get(&c->failure); }

void trial_count(const zone_trial *c, uint64_t *symmetry, uint64_t *zones) {
    *symmetry = c->symmetry;
    *zones = c->zones;
}

// ---- failures

static void put_value(const model *m, type ty, value v, str *out) {
    const type_info *t = type_of(m, ty);
    if (t->kind == TYPE_ENUM && v >= 0 && (uint32_t)v < t->nliterals) str_add(out, t->literals[v]);
    else if (t->kind == TYPE_BOOL) str_add(out, v ? "true" : "false");
    else str_printf(out, "%d", v);
}

static void put_cell(const instance *in, uint32_t cell, value v, str *out) {
    value args[MODEL_MOST_ARGS];
    func f = instance_cell_func(in, cell, args);
    const func_info *info = func_of(in->m, f);
    str_add(out, info->name);
    for (uint32_t i = 0; i < info->nargs; i++) str_printf(out, "[%d]", args[i]);
    str_add(out, " = ");
    put_value(in->m, info->result, v, out);
}

static bool is_scratch(const instance *in, uint32_t cell) {
    value args[MODEL_MOST_ARGS];
    return func_of(in->m, instance_cell_func(in, cell, args))->is_scratch;
}

static void put_state(const instance *in, const value *cells, str *out) {
    uint32_t shown = 0;
    for (uint32_t i = 0; i < in->ncells && shown < MOST_SHOWN; i++) {
        if (is_scratch(in, i)) continue;
        str_add(out, shown++ ? ", " : "");
        put_cell(in, i, cells[i], out);
    }
    if (shown == MOST_SHOWN) str_add(out, ", …");
}

static bool fail_at(zone_trial *c, const char *kind, const char *what) {
    c->failed = kind;
    str_printf(&c->failure, "%s, in the state ", what);
    put_state(c->s->in, c->cells, &c->failure);
    return false;
}

// ---- hashes of what a state does; p is done to what is seen, NULL: nothing

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t words[2] = {a, b};
    return XXH3_64bits(words, sizeof words);
}

static uint32_t clock_image(const zone_trial *c, const uint8_t *p, uint32_t clock) {
    return p ? orbit_clock(c->s->y, p, clock) : clock;
}

static uint64_t hash_cells(zone_trial *c, const uint8_t *p, const value *cells) {
    if (p) orbit_apply_cells(c->s->y, p, cells, c->moved);
    else memcpy(c->moved, cells, c->s->in->ncells * sizeof *cells);
    space_pack(c->s->x->s, c->moved, c->packed);
    return XXH3_64bits(c->packed, c->s->x->words * sizeof *c->packed);
}

static uint64_t hash_bound(zone_trial *c, const uint8_t *p, const value *cells, const clock_bound *b) {
    eval *ev = c->s->x->ev;
    if (b->when.id && !eval_expr(ev, cells, b->when)) return 0;
    uint64_t clocks = (uint64_t)clock_image(c, p, b->left) << 32 | clock_image(c, p, b->right);
    return mix(clocks, (uint64_t)(uint32_t)eval_expr(ev, cells, b->bound) << 1 | b->is_strict);
}

// The last value that each clock gets.
static uint64_t hash_resets(zone_trial *c, const uint8_t *p, const value *cells, const rule_info *r) {
    eval *ev = c->s->x->ev;
    uint64_t sum = 0, set = 0;
    for (uint32_t i = r->nresets; i-- > 0;) {
        const clock_reset *t = &r->resets[i];
        if (set >> t->clock & 1 || (t->when.id && !eval_expr(ev, cells, t->when))) continue;
        set |= UINT64_C(1) << t->clock;
        sum += mix(clock_image(c, p, t->clock), (uint64_t)(uint32_t)eval_expr(ev, cells, t->value));
    }
    return sum;
}

static uint64_t hash_label(zone_trial *c, const uint8_t *p, const value *cells, const net_label *l) {
    eval *ev = c->s->x->ev;
    const rule_info *r = rule_of(c->s->x->m, l->r);
    uint64_t sum = 7;
    c->spent += COST_LABEL;
    bool enabled = eval_enabled(ev, cells, l->r, l->args);
    if (eval_fault(ev).kind) return 1;
    if (!enabled) return 0;
    c->spent += COST_STEP;
    for (uint32_t i = 0; i < r->nbounds; i++) sum += hash_bound(c, p, cells, &r->bounds[i]);
    sum = mix(sum, hash_resets(c, p, cells, r));
    if (r->priority.id) sum = mix(sum, (uint64_t)eval_expr(ev, cells, r->priority));
    if (eval_fire(ev, cells, l->r, l->args, c->after)) return mix(sum, hash_cells(c, p, c->after));
    return eval_is_impossible(ev) ? 0 : mix(sum, 2);
}

// All steps, by the evaluator.
static uint64_t hash_steps(zone_trial *c, const uint8_t *p, const value *cells) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->s->x->labels.len; i++)
        sum += hash_label(c, p, cells, &c->s->x->labels.data[i]);
    return sum;
}

// What holds in the state: invariants, whether time stands still, whether it is valid.
static uint64_t hash_conditions(zone_trial *c, const uint8_t *p, const value *cells) {
    const timed_info *t = c->s->x->t;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->invariants.len; i++) sum += hash_bound(c, p, cells, &t->invariants.data[i]);
    bool still = t->still.id && eval_expr(c->s->x->ev, cells, t->still);
    bool valid = !t->valid.id || eval_expr(c->s->x->ev, cells, t->valid);
    return mix(sum, (uint64_t)still << 1 | valid);
}

// ---- formulas

// Clocks with some values, in halves; whether a deadlock is near is one guess for both states.
static uint64_t hash_formulas(zone_trial *c, const value *cells, const int64_t *clocks, bool deadlock) {
    const net *x = c->s->x;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < x->t->atoms.len; i++) {
        const clock_atom *a = &x->t->atoms.data[i];
        bool holds = deadlock;
        if (!a->is_deadlock) {
            int64_t is = clocks[a->is.left] - clocks[a->is.right];
            int64_t most = 2 * (int64_t)eval_expr(x->ev, cells, a->is.bound);
            holds = a->is.is_strict ? is < most : is <= most;
        }
        eval_bind(x->ev, a->stands, holds);
    }
    for (uint32_t i = 0; i < x->formulas.len; i++) {
        value v = eval_expr(x->ev, cells, x->formulas.data[i].e);
        sum = mix(sum, eval_fault(x->ev).kind ? 2 : v != 0);
    }
    for (uint32_t i = 0; i < c->s->asks.len; i++) {
        const prop_info *q = c->s->asks.data[i].info;
        if (q->clock) sum = mix(sum, (uint64_t)clocks[q->clock]);
        if (q->measured.id) sum = mix(sum, (uint64_t)eval_expr(x->ev, cells, q->measured));
    }
    return sum;
}

static bool formulas_agree(zone_trial *c, const uint8_t *p) {
    uint32_t n = c->s->x->n, most = 1u << rng_below(&c->r, 8);
    for (uint32_t i = 1; i < n; i++) c->clocks[i] = rng_below(&c->r, most);
    for (uint32_t i = 0; i < n; i++) c->moved_clocks[orbit_clock(c->s->y, p, i)] = c->clocks[i];
    bool deadlock = rng_below(&c->r, 2);
    return hash_formulas(c, c->cells, c->clocks, deadlock) ==
           hash_formulas(c, c->image, c->moved_clocks, deadlock);
}

// ---- steps of the net, with zones

static uint64_t hash_zone(zone_trial *c, const uint8_t *p, const bound *d) {
    matrix to;
    uint32_t n = c->s->x->n;
    if (p) orbit_apply_zone(c->s->y, p, d, to.d);
    return XXH3_64bits(p ? to.d : d, n * n * sizeof *d);
}

// One step from a zone, to what it leads to without abstraction.
static uint64_t hash_move(zone_trial *c, const uint8_t *p, const value *cells, uint32_t i, const bound *d) {
    const net *x = c->s->x;
    net_room *w = c->s->w;
    const net_label *l = &x->labels.data[c->labels[i] & ~SPACE_TROUBLE];
    matrix to;
    memcpy(to.d, d, x->n * x->n * sizeof *d);
    c->spent += COST_TRANSITION + (uint64_t)x->n * x->n * COST_BOUND;
    if (!net_guard(x, l, cells, to.d)) return 0;
    if (c->labels[i] & SPACE_TROUBLE || !net_resets(x, l, cells, to.d)) return 3;
    net_look(w, c->next + (size_t)i * x->words);
    memcpy(c->after, w->cells, c->s->in->ncells * sizeof *cells);
    if (!net_enter(w, to.d, false)) return 0;
    return mix(hash_cells(c, p, c->after), hash_zone(c, p, to.d));
}

static uint64_t hash_moves(zone_trial *c, const uint8_t *p, const value *cells, const bound *d) {
    const net *x = c->s->x;
    uint64_t sum = 0;
    space_pack(x->s, cells, c->state);
    uint32_t count = space_next(c->s->w->run, c->state, c->next, c->labels);
    for (uint32_t i = 0; i < count; i++)
        if (!x->labels.data[c->labels[i] & ~SPACE_TROUBLE].can_fault) sum += hash_move(c, p, cells, i, d);
    return sum;
}

// ---- the two kinds

static void random_perm(zone_trial *c, uint8_t *p) {
    const orbit *o = c->s->y;
    orbit_perm swap;
    orbit_identity(o, p);
    uint32_t swaps = orbit_swaps(o), rounds = 2 * swaps;
    orbit_swap(o, rng_below(&c->r, swaps), p);
    for (uint32_t i = 0; i < rounds; i++) {
        if (rng_below(&c->r, 2)) continue;
        orbit_swap(o, rng_below(&c->r, swaps), swap);
        orbit_compose(o, p, swap, p);
    }
}

// Steps of a system with priorities come in parts, which may be cut in other ways.
static bool moves_agree(zone_trial *c, const uint8_t *p, const bound *d) {
    matrix to;
    if (c->s->x->t->has_priorities) return true;
    orbit_apply_zone(c->s->y, p, d, to.d);
    return hash_moves(c, p, c->cells, d) == hash_moves(c, NULL, c->image, to.d);
}

static bool try_symmetry(zone_trial *c, const bound *d) {
    orbit_perm p;
    random_perm(c, p);
    orbit_apply_cells(c->s->y, p, c->cells, c->image);
    c->symmetry++;
    if (hash_conditions(c, p, c->cells) != hash_conditions(c, NULL, c->image))
        return fail_at(c, "symmetry", "an invariant tells apart what was taken to be alike");
    if (!formulas_agree(c, p))
        return fail_at(c, "symmetry", "a query tells apart what was taken to be alike");
    if (hash_steps(c, p, c->cells) != hash_steps(c, NULL, c->image))
        return fail_at(c, "symmetry", "steps tell apart what was taken to be alike");
    return moves_agree(c, p, d) ||
           fail_at(c, "symmetry", "zones after steps tell apart what was taken to be alike");
}

// Is what a part of a zone leads to by step i within something that was kept?
static bool is_kept(zone_trial *c, uint32_t i, const bound *part) {
    zone_search *s = c->s;
    const net *x = s->x;
    const net_label *l = &x->labels.data[c->labels[i]];
    matrix plain, abstracted, turned;
    orbit_perm rho;
    size_t size = x->n * x->n * sizeof *part;
    memcpy(plain.d, part, size);
    c->spent += 8 * (COST_TRANSITION + (uint64_t)x->n * x->n * COST_BOUND);
    if (!net_resets(x, l, c->from, plain.d)) return true;
    memcpy(abstracted.d, plain.d, size);
    net_look(s->w, c->next + (size_t)i * x->words);
    if (!net_enter(s->w, plain.d, false)) return true;
    if (!s->stores_all && net_is_still(s->w)) return true;
    net_enter(s->w, abstracted.d, true);
    if (s->y) orbit_identity(s->y, rho);
    const uint64_t *state = zone_represent(&s->workers[0], c->next + (size_t)i * x->words, abstracted.d, rho);
    if (s->y) orbit_apply_zone(s->y, rho, plain.d, turned.d);
    return passed_includes(s->p, state, s->y ? turned.d : plain.d);
}

static bool try_zones(zone_trial *c, const bound *d) {
    const net *x = c->s->x;
    bool ok = true;
    memcpy(c->from, c->cells, c->s->in->ncells * sizeof *c->from);
    space_pack(x->s, c->from, c->state);
    uint32_t count = space_next(c->s->w->run, c->state, c->next, c->labels);
    c->zones++;
    for (uint32_t i = 0; ok && i < count; i++) {
        dbm_list parts = {0};
        if (c->labels[i] & SPACE_TROUBLE || x->labels.data[c->labels[i]].can_fault) continue;
        net_parts(c->s->w, &(net_steps){c->from, c->next, c->labels, count}, i, d, &parts);
        for (uint32_t k = 0; ok && k < parts.len; k += x->n * x->n) ok = is_kept(c, i, parts.data + k);
        vec_free(&parts);
    }
    return ok || fail_at(c, "zones", "a zone that a step leads to is within none that was kept");
}

// ---- how often

static bool try_node(zone_trial *c, uint32_t node) {
    matrix d;
    if (passed_is_covered(c->s->p, node)) return true;
    passed_zone(c->s->p, node, d.d);
    space_unpack(c->s->x->s, passed_state(c->s->p, node), c->cells);
    c->spent += COST_STEP;
    return try_zones(c, d.d) && (!c->s->y || try_symmetry(c, d.d));
}

// What may be spent in all, by what the search has done.
static uint64_t allowance(const zone_search *s) {
    uint64_t transition = COST_TRANSITION + (uint64_t)s->x->n * s->x->n * COST_BOUND;
    return FREE + s->transitions * transition / SHARE;
}

static uint32_t samples_of(const zone_trial *c, uint32_t count) {
    uint64_t most = allowance(c->s);
    if (c->s->o->self_check == SELF_CHECK_ALL) return count;
    if (c->s->o->self_check == SELF_CHECK_OFF || c->spent >= most) return 0;
    uint64_t n = c->average ? (most - c->spent) / c->average : 1;
    return n > count ? count : (uint32_t)n;
}

bool trial_block(zone_trial *c, const uint32_t *nodes, uint32_t count) {
    uint32_t tried = samples_of(c, count);
    uint64_t before = c->spent;
    if (!tried || c->s->trouble.is_found || c->failed) return !c->failed;
    uint32_t at = rng_below(&c->r, count / tried);
    for (uint32_t i = 0; i < tried; i++)
        if (!try_node(c, nodes[at + (uint64_t)i * count / tried])) return false;
    c->average = (c->spent - before) / tried + 1;
    return true;
}
