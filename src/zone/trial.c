// SPDX-License-Identifier: Apache-2.0
// Trying what the search relies on: see trial.h. Sets of steps are compared by the sum of hashes of their
// members, so equal sets never seem to differ.
#include "zone/trial_int.h"

#include "result/cell.h"
#include "zone/divide.h"
#include "zone/judge.h"
#include "zone/search.h"

#include <string.h>
#include <xxhash.h>

// What a search may spend in all: this much, and a part of what it costs itself; after a search of few nodes, this much
// again.
enum { FREE = 2000000, SHARE = 12, WHOLE = 20000000, WHOLE_NODES = 10000 };
enum { MOST_SHOWN = 40, MOST_CHAINED = 64 };

static value *trial_cells(const zone_trial *c) {
    return arena_alloc(c->memory, (c->s->in->ncells + 1) * sizeof(value));
}

zone_trial *trial_new(zone_search *s) {
    arena *memory = arena_new();
    zone_trial *c = arena_alloc(memory, sizeof *c);
    c->memory = memory;
    c->s = s;
    c->r = (rng){UINT64_C(0x5eed)};
    c->steps = net_steps_new(s->x, memory);
    c->image = trial_cells(c);
    c->after = trial_cells(c);
    c->moved = trial_cells(c);
    c->packed = arena_alloc(memory, (s->x->words + 1) * sizeof *c->packed);
    return c;
}

void trial_free(zone_trial *c) {
    if (!c) return;
    str_free(&c->failure);
    vec_free(&c->rooms);
    arena_free(c->memory);
}

bool trial_failed(const zone_trial *c) { return c && c->has_failed; }
trial_kind trial_failed_kind(const zone_trial *c) { return c->failed; }
const char *trial_failure(const zone_trial *c) { return str_get(&c->failure); }
uint64_t trial_count(const zone_trial *c, trial_kind k) { return c->count[k]; }

// ---- failures

static void put_state(const instance *in, const value *cells, str *out) {
    uint32_t shown = 0;
    for (uint32_t i = 0; i < in->ncells && shown < MOST_SHOWN; i++) {
        if (cell_is_local(in, i)) continue;
        str_add(out, shown++ ? ", " : "");
        cell_shown_name(in, i, out);
        str_add(out, " = ");
        cell_value(in, i, cells[i], out);
    }
    if (shown == MOST_SHOWN) str_add(out, ", …");
}

bool trial_fail(zone_trial *c, trial_kind kind, const char *what) {
    c->has_failed = true;
    c->failed = kind;
    str_printf(&c->failure, "%s, in the state ", what);
    put_state(c->s->in, c->steps.cells, &c->failure);
    return false;
}

eval_end trial_step(zone_trial *c, const value *cells, const net_label *l) {
    prop refused;
    eval_end end = eval_step(c->s->x->ev, cells, l->r, l->args, c->after, &refused);
    c->spent += COST_LABEL + (end == EVAL_NONE ? 0 : COST_STEP);
    return end;
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
    bound is = net_plain_bound(c->s->x, b, cells);
    uint64_t clocks = (uint64_t)clock_image(c, p, b->left) << 32 | clock_image(c, p, b->right);
    return is == BOUND_INF ? 0 : trial_mix(clocks, (uint64_t)(uint32_t)is);
}

static uint64_t hash_resets(zone_trial *c, const uint8_t *p, const value *cells, const rule_info *r) {
    int32_t set[DBM_MOST_CLOCKS + 1];
    uint64_t sum = 0;
    net_plain_settings(c->s->x, r, cells, set);
    for (uint32_t i = 1; i < c->s->x->n; i++)
        if (set[i] != NET_UNSET) sum += trial_mix(clock_image(c, p, i), (uint64_t)(uint32_t)set[i]);
    return sum;
}

static uint64_t hash_label(zone_trial *c, const uint8_t *p, const value *cells, const net_label *l) {
    eval *ev = c->s->x->ev;
    const rule_info *r = rule_of(c->s->x->m, l->r);
    uint64_t sum = 7;
    eval_end end = trial_step(c, cells, l);
    if (end == EVAL_NONE) return 0;
    for (uint32_t i = 0; i < r->nbounds; i++) sum += hash_bound(c, p, cells, &r->bounds[i]);
    sum = trial_mix(sum, hash_resets(c, p, cells, r));
    if (r->priority.id) sum = trial_mix(sum, (uint64_t)eval_expr(ev, cells, r->priority));
    return trial_mix(sum, end == EVAL_FIRES ? hash_cells(c, p, c->after) : 2);
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
    for (uint32_t i = 0; i < t->rates.len; i++) sum += 3 * hash_bound(c, p, cells, &t->rates.data[i]);
    bool still = t->still.id && eval_expr(c->s->x->ev, cells, t->still);
    bool valid = !t->valid.id || eval_expr(c->s->x->ev, cells, t->valid);
    return trial_mix(sum, (uint64_t)still << 1 | valid);
}

// ---- formulas

// Clocks with some values, in halves; whether a deadlock is near is one guess for both states.
static uint64_t hash_formulas(zone_trial *c, const value *cells, const int64_t *clocks, bool deadlock) {
    const net *x = c->s->x;
    judge_moment m = {x, 2, clocks, cells};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < x->t->atoms.len; i++) {
        const clock_atom *a = &x->t->atoms.data[i];
        bool holds = a->is_deadlock ? deadlock : judge_bound_holds(&m, &a->is);
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
    int64_t clocks[DBM_MOST_CLOCKS + 1] = {0}, moved[DBM_MOST_CLOCKS + 1];
    uint32_t n = c->s->x->n, most = 1u << rng_below(&c->r, 8);
    for (uint32_t i = 1; i < n; i++) clocks[i] = rng_below(&c->r, most);
    for (uint32_t i = 0; i < n; i++) moved[orbit_clock(c->s->y, p, i)] = clocks[i];
    bool deadlock = rng_below(&c->r, 2);
    return hash_formulas(c, c->steps.cells, clocks, deadlock) == hash_formulas(c, c->image, moved, deadlock);
}

// ---- steps of the net, with zones

static uint64_t hash_zone(zone_trial *c, const uint8_t *p, const bound *d) {
    matrix to;
    uint32_t n = c->s->x->n;
    if (p) orbit_apply_zone(c->s->y, p, d, to.d);
    return XXH3_64bits(p ? to.d : d, n * n * sizeof *d);
}

static uint64_t cost_of_step(const zone_search *s) {
    return COST_TRANSITION + (uint64_t)s->x->n * s->x->n * COST_BOUND;
}

// One step from a zone, to what it leads to without abstraction.
static uint64_t hash_move(zone_trial *c, const uint8_t *p, uint32_t i, const bound *d) {
    net_room *w = c->s->w;
    const net_steps *s = &w->steps;
    const net_label *l = net_step_label(s, i);
    matrix to;
    memcpy(to.d, d, dbm_bytes(w->x->n));
    c->spent += cost_of_step(c->s);
    if (!net_guard(w->x, l, s->cells, to.d)) return 0;
    if (net_step_fails(s, i) || !net_resets(w->x, l, s->cells, to.d)) return 3;
    net_look(w, net_step_to(s, i));
    memcpy(c->after, w->cells, c->s->in->ncells * sizeof *w->cells);
    if (!net_enter(w, to.d, false)) return 0;
    return trial_mix(hash_cells(c, p, c->after), hash_zone(c, p, to.d));
}

static uint64_t hash_moves(zone_trial *c, const uint8_t *p, const value *cells, const bound *d) {
    net_steps *s = &c->s->w->steps;
    uint64_t sum = 0;
    space_pack(s->x->s, cells, s->state);
    net_steps_find(s, c->s->w, s->state);
    for (uint32_t i = 0; i < s->count; i++)
        if (!net_step_label(s, i)->can_fault) sum += hash_move(c, p, i, d);
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
    return hash_moves(c, p, c->steps.cells, d) == hash_moves(c, NULL, c->image, to.d);
}

static bool try_permutation(zone_trial *c, const uint8_t *p, const bound *d) {
    orbit_apply_cells(c->s->y, p, c->steps.cells, c->image);
    if (hash_conditions(c, p, c->steps.cells) != hash_conditions(c, NULL, c->image))
        return trial_fail(c, TRIAL_SYMMETRY, "an invariant tells apart what was taken to be alike");
    if (!formulas_agree(c, p)) return trial_fail(c, TRIAL_SYMMETRY, "a query tells apart what was taken to be alike");
    if (hash_steps(c, p, c->steps.cells) != hash_steps(c, NULL, c->image))
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

// By zones of its state, whose bounds (tried by trial_bounds()) say what covers what.
static bool is_place_covered(zone_search *s, const place *at) {
    if (passed_includes(s->p, at->state, at->plain, NULL, 0)) return true;
    if (!s->x->is_abstract) return false;
    passed_item it = {.state = at->state, .d = at->plain, .lower = s->w->lower, .upper = s->w->upper};
    if (s->x->diagonals.len) it.sign = net_sign(s->w, at->plain);
    return passed_covers(s->p, &it);
}

// Of a matrix that is cut along differences of clocks: what the search made of its parts is not looked for among what
// it kept of others; which is the representative of a part may then depend on more.
static bool are_parts_kept(zone_trial *c, const place *at, uint32_t depth) {
    zone_search *s = c->s;
    uint32_t n = s->x->n;
    dbm_list parts = {0};
    bool ok = true;
    net_split(s->w, at->plain, &parts);
    for (uint32_t i = 0; ok && i < parts.len; i += n * n) {
        matrix kept;
        place part = {at->state, kept.d, parts.data + i};
        memcpy(kept.d, part.plain, dbm_bytes(n));
        net_look(s->w, at->state);
        net_abstract(s->w, kept.d);
        part.state = zone_represent_both(&s->workers[0], at->state, kept.d, part.plain);
        ok = is_place_covered(s, &part) || s->y;
        if (!ok && !s->stores_all && net_is_still(s->w)) ok = are_steps_kept(c, &part, depth + 1);
    }
    vec_free(&parts);
    return ok;
}

// What belongs to another rank is asked there when the search is over. Is it kept for sure?
static bool is_promised(zone_search *s, const place *at, uint32_t depth) {
    bool may_be_passed = !s->stores_all && net_is_still(s->w);
    if (!divide_is_elsewhere(s, at->state)) return false;
    if (may_be_passed || (s->y && depth)) return true;
    bool has_bounds = s->x->is_abstract;
    divide_promise(s, at->state, at->plain, has_bounds ? s->w->lower : NULL, has_bounds ? s->w->upper : NULL);
    return true;
}

// Is it kept? Where time stands still, states are passed through: then what it leads to must be.
static bool is_kept(zone_trial *c, place *at, uint32_t depth) {
    zone_search *s = c->s;
    net_look(s->w, at->state);
    if (s->x->diagonals.len) return !net_enter(s->w, at->plain, false) || are_parts_kept(c, at, depth);
    if (!net_enter(s->w, at->plain, false) || !net_enter(s->w, at->kept, true)) return true;
    at->state = zone_represent_both(&s->workers[0], at->state, at->kept, at->plain);
    if (is_promised(s, at, depth) || is_place_covered(s, at)) return true;
    if (!s->stores_all && net_is_still(s->w)) return are_steps_kept(c, at, depth + 1);
    return s->y && depth;  // on the way another representative may have been chosen
}

// Places are looked through in depth, so matrices are not on the stack.
static bool is_part_kept(zone_trial *c, const net_steps *s, uint32_t i, const bound *part, const bound *kept,
                         uint32_t depth) {
    const net *x = c->s->x;
    const net_label *l = net_step_label(s, i);
    dbm_list room = {0};
    dbm_add(&room, part, x->n);
    dbm_add(&room, kept, x->n);
    bound *a = room.data, *b = room.data + x->n * x->n;
    c->spent += 8 * cost_of_step(c->s);
    bool goes_on = net_guard(x, l, s->cells, b) && net_resets(x, l, s->cells, b) && net_resets(x, l, s->cells, a);
    bool ok = !goes_on || is_kept(c, &(place){net_step_to(s, i), b, a}, depth);
    vec_free(&room);
    return ok;
}

// Every step of the place. Steps that fail, what a system with priorities passes through, and more than so many states
// passed through are left to other trials.
static bool are_steps_kept(zone_trial *c, const place *from, uint32_t depth) {
    const net *x = c->s->x;
    bool ok = true;
    if (depth && (x->t->has_priorities || c->chained++ >= MOST_CHAINED)) return true;
    while (c->rooms.len <= depth) vec_push(&c->rooms, net_steps_new(x, c->memory));
    net_steps s = c->rooms.data[depth];
    net_steps_find(&s, c->s->w, from->state);
    for (uint32_t i = 0; ok && i < s.count; i++) {
        dbm_list parts = {0};
        if (!net_step_fails(&s, i) && !net_step_label(&s, i)->can_fault) net_parts(c->s->w, &s, i, from->plain, &parts);
        for (uint32_t k = 0; ok && k < parts.len; k += x->n * x->n) {
            const bound *part = parts.data + k;
            ok = is_part_kept(c, &s, i, part, x->t->has_priorities ? part : from->kept, depth);
        }
        vec_free(&parts);
    }
    return ok;
}

#define NOT_KEPT "a zone that a step leads to is within none that was kept"

static bool try_zones(zone_trial *c, bound *d) {
    c->count[TRIAL_ZONES]++;
    c->chained = 0;
    return are_steps_kept(c, &(place){c->steps.state, d, d}, 0) || trial_fail(c, TRIAL_ZONES, NOT_KEPT);
}

// ---- states

// The state of a node, into c->steps, and its zone.
static void trial_take_node(zone_trial *c, const passed *p, uint32_t node, bound *d) {
    passed_zone(p, node, d);
    net_steps_find(&c->steps, c->s->w, passed_state(p, node));
    c->spent += COST_STEP;
}

static void try_node(zone_trial *c, uint32_t node) {
    matrix d;
    if (passed_is_covered(c->s->p, node)) return;
    trial_take_node(c, c->s->p, node, d.d);
    bool ok = trial_packing(c, c->s->p, d.d) && trial_code(c) && trial_bounds(c) && try_zones(c, d.d);
    if (ok && c->s->y) try_symmetry(c, d.d);
}

// The first, second, fourth, … of them.
bool trial_start(zone_trial *c, const value *cells) {
    const net *x = c->s->x;
    matrix plain, kept;
    uint64_t n = ++c->starts;
    if (n & (n - 1) || c->has_failed) return !c->has_failed;
    memcpy(c->steps.cells, cells, x->in->ncells * sizeof *cells);
    space_pack(x->s, cells, c->steps.state);
    net_first_zone(x, plain.d);
    net_first_zone(x, kept.d);
    return is_kept(c, &(place){c->steps.state, kept.d, plain.d}, 0) ||
           trial_fail(c, TRIAL_ZONES, "the zone of an initial state is within none that was kept");
}

// ---- how often

static bool trial_goes_on(const zone_trial *c) { return !c->has_failed && !limits_met(&c->s->o->limits); }

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

// Of a search on several ranks, each has a share.
void trial_block(zone_trial *c, const uint32_t *nodes, uint32_t count) {
    uint32_t ranks = divide_ranks(c->s);
    uint64_t transitions = c->s->transitions / (ranks ? ranks : 1);
    uint32_t tried = trial_samples_of(c, count, FREE + transitions * cost_of_step(c->s) / SHARE);
    uint64_t before = c->spent;
    if (!tried || c->s->trouble.is_trouble) return;
    c->is_all = c->s->o->self_check == SELF_CHECK_ALL;
    uint32_t at = rng_below(&c->r, count / tried);
    for (uint32_t i = 0; i < tried && trial_goes_on(c); i++) try_node(c, nodes[at + (uint64_t)i * count / tried]);
    note_average(c, before, tried);
}

// Nodes at equal distances, so that what may be spent reaches to the last.
static uint32_t distance_of(const zone_trial *c, uint32_t rest, uint64_t most) {
    uint32_t n = trial_samples_of(c, rest, most);
    return !n ? rest : rest > 2 ? (rest - 2) / n + 1 : 1;
}

void trial_whole(zone_trial *c) {
    uint32_t count = c->s->p->nodes.len;
    uint64_t most = c->spent + WHOLE;
    bool is_wanted = c->s->o->self_check == SELF_CHECK_SAMPLE && c->s->is_whole && count <= WHOLE_NODES;
    if (!is_wanted || c->s->trouble.is_trouble || c->has_failed || divide_ranks(c->s)) return;
    c->is_all = true;
    memset(c->count, 0, sizeof c->count);
    for (uint32_t i = 0; i < count && trial_goes_on(c); i += distance_of(c, count - i, most)) {
        uint64_t before = c->spent;
        try_node(c, i);
        if (!passed_is_covered(c->s->p, i)) note_average(c, before, 1);
    }
}

// ---- several ranks

void trial_forget(zone_trial *c) {
    if (c) memset(c->count, 0, sizeof c->count);
}

void trial_break_promise(zone_trial *c, const uint64_t *state) {
    net_steps_find(&c->steps, c->s->w, state);
    trial_fail(c, TRIAL_ZONES, "a zone that a step of another rank leads to is within none that was kept");
}

void trial_tell(const zone_trial *c, trial_told *out) {
    out->failed = c->failed;
    snprintf(out->text, sizeof out->text, "%s", str_get(&c->failure));
    memcpy(out->count, c->count, sizeof out->count);
}

void trial_hear(zone_trial *c, const trial_told *all, bool has_failed) {
    memcpy(c->count, all->count, sizeof c->count);
    if (!has_failed) return;
    c->has_failed = true;
    c->failed = all->failed;
    str_clear(&c->failure);
    str_add(&c->failure, all->text);
}

static void try_run_node(zone_trial *c, uint32_t formula, const zone_lasso *l, uint32_t node) {
    matrix d;
    trial_take_node(c, l->seen, node, d.d);
    c->count[TRIAL_ZONES]++;
    c->spent += 16 * cost_of_step(c->s);
    bool ok = trial_packing(c, l->seen, d.d) && trial_code(c);
    if (ok && !zone_lasso_falls(c->s, formula, l, node)) ok = trial_fail(c, TRIAL_ZONES, NOT_KEPT " before it");
    if (ok && c->s->y) try_symmetry(c, d.d);
}

void trial_live(zone_trial *c, uint32_t formula, const zone_lasso *l) {
    uint32_t count = l->seen ? l->seen->nodes.len : 0;
    uint64_t most = c->spent + FREE + count * cost_of_step(c->s) / SHARE;
    c->average = 0;
    for (uint32_t i = 0; i < count && trial_goes_on(c); i += distance_of(c, count - i, most)) {
        uint64_t before = c->spent;
        try_run_node(c, formula, l, i);
        note_average(c, before, 1);
    }
}
