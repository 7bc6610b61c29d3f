// SPDX-License-Identifier: Apache-2.0
// Trying what the search relies on: see trial.h. Sets of steps are compared by the sum of hashes of their
// members, so equal sets never seem to differ.
#include "zone/trial_int.h"

#include <string.h>
#include <xxhash.h>

// What a search may spend in all: this much, and a part of what it costs itself; after a search of few nodes, this much
// again.
enum { FREE = 2000000, SHARE = 12, WHOLE = 20000000, WHOLE_NODES = 10000 };
enum { MOST_SHOWN = 40, MOST_CHAINED = 64 };

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

bool trial_failed(const zone_trial *c) { return c && c->has_failed; }
trial_kind trial_failed_kind(const zone_trial *c) { return c->failed; }
const char *trial_failure(const zone_trial *c) { return str_get(&c->failure); }
uint64_t trial_count(const zone_trial *c, trial_kind k) { return c->count[k]; }

// ---- failures

static void trial_put_value(const model *m, type ty, value v, str *out) {
    const type_info *t = type_of(m, ty);
    if (t->kind == TYPE_ENUM && v >= 0 && (uint32_t)v < t->nliterals) str_add(out, t->literals[v]);
    else if (t->kind == TYPE_BOOL) str_add(out, v ? "true" : "false");
    else str_printf(out, "%d", v);
}

static void trial_put_cell(const instance *in, uint32_t cell, value v, str *out) {
    value args[MODEL_MOST_ARGS];
    func f = instance_cell_func(in, cell, args);
    const func_info *info = func_of(in->m, f);
    str_add(out, info->name);
    for (uint32_t i = 0; i < info->nargs; i++) str_printf(out, "[%d]", args[i]);
    str_add(out, " = ");
    trial_put_value(in->m, info->result, v, out);
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
        trial_put_cell(in, i, cells[i], out);
    }
    if (shown == MOST_SHOWN) str_add(out, ", …");
}

bool trial_fail(zone_trial *c, trial_kind kind, const char *what) {
    c->has_failed = true;
    c->failed = kind;
    str_printf(&c->failure, "%s, in the state ", what);
    put_state(c->s->in, c->cells, &c->failure);
    return false;
}

// ---- hashes of what a state does; p is done to what is seen, NULL: nothing

static uint64_t trial_mix(uint64_t a, uint64_t b) {
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
    return trial_mix(clocks, (uint64_t)(uint32_t)eval_expr(ev, cells, b->bound) << 1 | b->is_strict);
}

// The last value that each clock gets.
static uint64_t hash_resets(zone_trial *c, const uint8_t *p, const value *cells, const rule_info *r) {
    eval *ev = c->s->x->ev;
    uint64_t sum = 0, set = 0;
    for (uint32_t i = r->nresets; i-- > 0;) {
        const clock_reset *t = &r->resets[i];
        if (set >> t->clock & 1 || (t->when.id && !eval_expr(ev, cells, t->when))) continue;
        set |= UINT64_C(1) << t->clock;
        sum += trial_mix(clock_image(c, p, t->clock), (uint64_t)(uint32_t)eval_expr(ev, cells, t->value));
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
    sum = trial_mix(sum, hash_resets(c, p, cells, r));
    if (r->priority.id) sum = trial_mix(sum, (uint64_t)eval_expr(ev, cells, r->priority));
    if (eval_fire(ev, cells, l->r, l->args, c->after)) return trial_mix(sum, hash_cells(c, p, c->after));
    return eval_is_impossible(ev) ? 0 : trial_mix(sum, 2);
}

// All steps, by the evaluator.
static uint64_t hash_steps(zone_trial *c, const uint8_t *p, const value *cells) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->s->x->labels.len; i++) sum += hash_label(c, p, cells, &c->s->x->labels.data[i]);
    return sum;
}

// What holds in the state: invariants, whether time stands still, whether it is valid.
static uint64_t hash_conditions(zone_trial *c, const uint8_t *p, const value *cells) {
    const timed_info *t = c->s->x->t;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->invariants.len; i++) sum += hash_bound(c, p, cells, &t->invariants.data[i]);
    bool still = t->still.id && eval_expr(c->s->x->ev, cells, t->still);
    bool valid = !t->valid.id || eval_expr(c->s->x->ev, cells, t->valid);
    return trial_mix(sum, (uint64_t)still << 1 | valid);
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
        sum = trial_mix(sum, eval_fault(x->ev).kind ? 2 : v != 0);
    }
    for (uint32_t i = 0; i < c->s->asks.len; i++) {
        const prop_info *q = c->s->asks.data[i].info;
        if (q->clock) sum = trial_mix(sum, (uint64_t)clocks[q->clock]);
        if (q->measured.id) sum = trial_mix(sum, (uint64_t)eval_expr(x->ev, cells, q->measured));
    }
    return sum;
}

static bool formulas_agree(zone_trial *c, const uint8_t *p) {
    uint32_t n = c->s->x->n, most = 1u << rng_below(&c->r, 8);
    for (uint32_t i = 1; i < n; i++) c->clocks[i] = rng_below(&c->r, most);
    for (uint32_t i = 0; i < n; i++) c->moved_clocks[orbit_clock(c->s->y, p, i)] = c->clocks[i];
    bool deadlock = rng_below(&c->r, 2);
    return hash_formulas(c, c->cells, c->clocks, deadlock) == hash_formulas(c, c->image, c->moved_clocks, deadlock);
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
    return trial_mix(hash_cells(c, p, c->after), hash_zone(c, p, to.d));
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

static bool try_permutation(zone_trial *c, const uint8_t *p, const bound *d) {
    orbit_apply_cells(c->s->y, p, c->cells, c->image);
    if (hash_conditions(c, p, c->cells) != hash_conditions(c, NULL, c->image))
        return trial_fail(c, TRIAL_SYMMETRY, "an invariant tells apart what was taken to be alike");
    if (!formulas_agree(c, p)) return trial_fail(c, TRIAL_SYMMETRY, "a query tells apart what was taken to be alike");
    if (hash_steps(c, p, c->cells) != hash_steps(c, NULL, c->image))
        return trial_fail(c, TRIAL_SYMMETRY, "steps tell apart what was taken to be alike");
    return moves_agree(c, p, d) ||
           trial_fail(c, TRIAL_SYMMETRY, "zones after steps tell apart what was taken to be alike");
}

// A random permutation; where everything is tried, swaps of neighbours too.
static bool try_symmetry(zone_trial *c, const bound *d) {
    orbit_perm p;
    random_perm(c, p);
    c->count[TRIAL_SYMMETRY]++;
    bool ok = try_permutation(c, p, d);
    for (uint32_t i = 0; ok && c->is_all && i < orbit_swaps(c->s->y); i++) {
        orbit_swap(c->s->y, i, p);
        ok = try_permutation(c, p, d);
    }
    return ok;
}

// ---- zones

// A state with what the search made of its zone, and with a part of that which was not abstracted.
typedef struct {
    const uint64_t *state;
    bound *kept, *plain;
} place;

static bool are_steps_kept(zone_trial *c, const place *from, uint32_t depth);

// Is it kept? Where time stands still, states are passed through: then what it leads to must be.
static bool is_kept(zone_trial *c, place *at, uint32_t depth) {
    zone_search *s = c->s;
    matrix turned;
    orbit_perm rho;
    net_look(s->w, at->state);
    if (!net_enter(s->w, at->plain, false)) return true;
    if (!net_enter(s->w, at->kept, true)) return true;
    if (s->y) orbit_identity(s->y, rho);
    at->state = zone_represent(&s->workers[0], at->state, at->kept, rho);
    if (s->y) orbit_apply_zone(s->y, rho, at->plain, turned.d);
    if (s->y) at->plain = turned.d;
    if (passed_includes(s->p, at->state, at->plain, NULL, 0)) return true;
    if (!s->stores_all && net_is_still(s->w)) return are_steps_kept(c, at, depth + 1);
    return s->y && depth;  // on the way another representative may have been chosen
}

static bool is_part_kept(zone_trial *c, const net_label *l, const value *cells, const uint64_t *next, const bound *part,
                         const bound *kept, uint32_t depth) {
    const net *x = c->s->x;
    matrix a, b;
    memcpy(a.d, part, x->n * x->n * sizeof *part);
    memcpy(b.d, kept, x->n * x->n * sizeof *kept);
    c->spent += 8 * (COST_TRANSITION + (uint64_t)x->n * x->n * COST_BOUND);
    if (!net_guard(x, l, cells, b.d) || !net_resets(x, l, cells, b.d) || !net_resets(x, l, cells, a.d)) return true;
    return is_kept(c, &(place){next, b.d, a.d}, depth);
}

// Every step of the place. Steps that fail, what a system with priorities passes through, and more than so many states
// passed through are left to other trials.
static bool are_steps_kept(zone_trial *c, const place *from, uint32_t depth) {
    const net *x = c->s->x;
    bool ok = true;
    if (depth && (x->t->has_priorities || c->chained++ >= MOST_CHAINED)) return true;
    value *cells = mem_alloc((x->in->ncells + 1) * sizeof *cells);
    uint64_t *next = mem_alloc((space_labels(x->s) * (size_t)x->words + 1) * sizeof *next);
    uint32_t *labels = mem_alloc((space_labels(x->s) + 1) * sizeof *labels);
    space_unpack(x->s, from->state, cells);
    uint32_t count = space_next(c->s->w->run, from->state, next, labels);
    for (uint32_t i = 0; ok && i < count; i++) {
        dbm_list parts = {0};
        if (labels[i] & SPACE_TROUBLE || x->labels.data[labels[i]].can_fault) continue;
        net_parts(c->s->w, &(net_steps){cells, next, labels, count}, i, from->plain, &parts);
        for (uint32_t k = 0; ok && k < parts.len; k += x->n * x->n) {
            const bound *part = parts.data + k;
            ok = is_part_kept(c, &x->labels.data[labels[i]], cells, next + (size_t)i * x->words, part,
                              x->t->has_priorities ? part : from->kept, depth);
        }
        vec_free(&parts);
    }
    free(cells);
    free(next);
    free(labels);
    return ok;
}

#define NOT_KEPT "a zone that a step leads to is within none that was kept"

static bool try_zones(zone_trial *c, bound *d) {
    uint64_t *state = mem_alloc((c->s->x->words + 1) * sizeof *state);
    memcpy(state, c->state, c->s->x->words * sizeof *state);
    c->count[TRIAL_ZONES]++;
    c->chained = 0;
    bool ok = are_steps_kept(c, &(place){state, d, d}, 0);
    free(state);
    return ok || trial_fail(c, TRIAL_ZONES, NOT_KEPT);
}

// ---- states

// The state of a node, into c->cells and c->state, and its zone.
static void trial_take_node(zone_trial *c, const passed *p, uint32_t node, bound *d) {
    passed_zone(p, node, d);
    memcpy(c->state, passed_state(p, node), c->s->x->words * sizeof *c->state);
    space_unpack(c->s->x->s, c->state, c->cells);
    c->spent += COST_STEP;
}

static bool try_node(zone_trial *c, uint32_t node) {
    matrix d;
    if (passed_is_covered(c->s->p, node)) return true;
    trial_take_node(c, c->s->p, node, d.d);
    return trial_packing(c, c->s->p, d.d) && trial_code(c) && try_zones(c, d.d) && (!c->s->y || try_symmetry(c, d.d));
}

// The first, second, fourth, … of them.
bool trial_start(zone_trial *c, const value *cells) {
    const net *x = c->s->x;
    matrix plain, kept;
    uint64_t n = ++c->starts;
    if (n & (n - 1) || c->has_failed) return !c->has_failed;
    memcpy(c->cells, cells, x->in->ncells * sizeof *cells);
    space_pack(x->s, cells, c->state);
    dbm_zero(plain.d, x->n);
    dbm_zero(kept.d, x->n);
    return is_kept(c, &(place){c->state, kept.d, plain.d}, 0) ||
           trial_fail(c, TRIAL_ZONES, "the zone of an initial state is within none that was kept");
}

// ---- how often

static uint64_t cost_of_step(const zone_search *s) {
    return COST_TRANSITION + (uint64_t)s->x->n * s->x->n * COST_BOUND;
}

// How many of so many nodes, if so much may be spent in all.
static uint32_t trial_samples_of(const zone_trial *c, uint32_t count, uint64_t most) {
    if (c->s->o->self_check == SELF_CHECK_ALL) return count;
    if (c->spent >= most) return 0;
    uint64_t n = c->average ? (most - c->spent) / c->average : 1;
    return n > count ? count : (uint32_t)n;
}

static void note_average(zone_trial *c, uint64_t before, uint32_t tried) {
    c->average = (c->spent - before) / tried + 1;
}

bool trial_block(zone_trial *c, const uint32_t *nodes, uint32_t count) {
    uint32_t tried = trial_samples_of(c, count, FREE + c->s->transitions * cost_of_step(c->s) / SHARE);
    uint64_t before = c->spent;
    if (!tried || c->s->trouble.is_found || c->has_failed) return !c->has_failed;
    c->is_all = c->s->o->self_check == SELF_CHECK_ALL;
    uint32_t at = rng_below(&c->r, count / tried);
    for (uint32_t i = 0; i < tried && !limits_met(&c->s->o->limits); i++)
        if (!try_node(c, nodes[at + (uint64_t)i * count / tried])) return false;
    note_average(c, before, tried);
    return true;
}

// Nodes at equal distances, so that what may be spent reaches to the last.
static uint32_t distance_of(const zone_trial *c, uint32_t rest, uint64_t most) {
    uint32_t n = trial_samples_of(c, rest, most);
    return !n ? rest : rest > 2 ? (rest - 2) / n + 1 : 1;
}

bool trial_whole(zone_trial *c) {
    uint32_t count = c->s->p->nodes.len;
    uint64_t most = c->spent + WHOLE;
    bool is_wanted = c->s->o->self_check == SELF_CHECK_SAMPLE && c->s->is_whole && count <= WHOLE_NODES;
    if (!is_wanted || c->s->trouble.is_found || c->has_failed) return !c->has_failed;
    c->is_all = true;
    memset(c->count, 0, sizeof c->count);
    for (uint32_t i = 0; i < count && !limits_met(&c->s->o->limits); i += distance_of(c, count - i, most)) {
        uint64_t before = c->spent;
        if (!try_node(c, i)) return false;
        if (!passed_is_covered(c->s->p, i)) note_average(c, before, 1);
    }
    return true;
}

bool trial_live(zone_trial *c, uint32_t formula, const zone_lasso *l) {
    uint32_t count = l->seen ? l->seen->nodes.len : 0;
    uint64_t most = c->spent + FREE + count * cost_of_step(c->s) / SHARE;
    c->average = 0;
    for (uint32_t i = 0; i < count && !limits_met(&c->s->o->limits); i += distance_of(c, count - i, most)) {
        uint64_t before = c->spent;
        matrix d;
        trial_take_node(c, l->seen, i, d.d);
        c->count[TRIAL_ZONES]++;
        c->spent += 16 * cost_of_step(c->s);
        if (!trial_packing(c, l->seen, d.d) || !trial_code(c)) return false;
        if (!zone_lasso_falls(c->s, formula, l, i)) return trial_fail(c, TRIAL_ZONES, NOT_KEPT " before it");
        if (c->s->y && !try_symmetry(c, d.d)) return false;
        note_average(c, before, 1);
    }
    return !c->has_failed;
}
