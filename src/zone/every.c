// SPDX-License-Identifier: Apache-2.0
// A closed set of views: see every.h. A view is a state of the system with four processes in which the first two
// are those of the view, the others are *blank*, and the fourth is the name of whoever is not there.
#include "zone/every_int.h"

#include "model/expr.h"
#include "model/walk.h"
#include "zone/dbm.h"
#include "zone/net.h"
#include "zone/orbit.h"
#include "zone/passed.h"
#include "zone/search.h"

#include <string.h>
#include <xxhash.h>

enum { OTHER = EVERY_SMALL - 1, MOST_VIEWS = 50000 };  // of two; the library's largest proof, corsso, has 573

typedef VEC(uint32_t) view_list;

typedef struct {
    every_parts *x;
    net *net;
    net_room *w;
    net_steps steps;
    const explore_options *o;
    passed *views;
    map *buckets;  // views by what they share and by their first process: index of lists
    VEC(view_list) lists;
    value *blank;                     // what cells of processes that are not there have
    value *cells[3], *joint, *moved;  // room for states
    uint64_t *packed;
    every_answer *out;
} closing;

static bool closing_fail(closing *k, const char *why) {
    if (!k->out->why.len) str_add(&k->out->why, why);
    return false;
}

static bool every_is_over(closing *k) {
    if (limits_met(&k->o->limits)) closing_fail(k, limits_why(&k->o->limits));
    if (k->views->nodes.len > MOST_VIEWS || (k->o->limit_states && k->views->nodes.len > k->o->limit_states))
        closing_fail(k, "there are too many views");
    return k->out->why.len;
}

// ---- names of processes

static uint8_t element_in(const closing *k, uint32_t cell, value v) {
    for (uint8_t e = 0; k->x->is_id[cell] && e < EVERY_SMALL; e++)
        if (every_name(k->x, e) == v) return e;
    return EVERY_SHARED;
}

// ---- from states to views

static void make_perm(const closing *k, uint8_t *p, uint8_t a, uint8_t b, uint8_t c) {
    uint8_t first = k->x->first;
    orbit_identity(k->x->o, p);
    p[first] = first + a;
    p[first + 1] = first + b;
    p[first + 2] = first + c;
}

// Leaves the first two processes of k->moved and d, makes the others blank.
static void keep_two(closing *k, bound *d) {
    for (uint32_t i = 0; i < k->x->in->ncells; i++) {
        if (k->x->cell_of[i] != EVERY_SHARED && k->x->cell_of[i] >= 2) k->moved[i] = k->blank[i];
        else if (element_in(k, i, k->moved[i]) == 2) k->moved[i] = every_name(k->x, OTHER);
    }
    for (uint32_t c = 1; c < k->net->n; c++)
        if (k->x->clock_of[c] != EVERY_SHARED && k->x->clock_of[c] >= 2) dbm_free_clock(d, k->net->n, c);
}

// What two views must have in common to share their first process: shared cells and its own, but names.
static uint64_t bucket_key(const closing *k, const value *cells) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->x->in->ncells; i++) {
        bool is_seen = k->x->cell_of[i] == EVERY_SHARED || k->x->cell_of[i] == 0;
        uint64_t words[2] = {i, (uint64_t)cells[i]};
        if (is_seen && !k->x->is_id[i]) sum += XXH3_64bits(words, sizeof words);
    }
    return sum;
}

static void put_in_bucket(closing *k, uint32_t node, const value *cells) {
    uint64_t key = bucket_key(k, cells);
    uint32_t list = map_intern(k->buckets, &key, sizeof key, k->lists.len);
    if (list == k->lists.len) vec_push(&k->lists, (view_list){0});
    vec_push(&k->lists.data[list], node);
}

static void check_view(closing *k, const bound *d) {
    dbm_list wrong = {0};
    zone_pieces(k->w, 0, k->packed, d, true, &wrong);
    if (wrong.len) closing_fail(k, "it does not hold for two processes as far as views of two can tell");
    vec_free(&wrong);
}

// k->moved and d become a view.
static void add_view(closing *k, bound *d) {
    const net *x = k->net;
    bool is_new;
    space_pack(x->s, k->moved, k->packed);
    space_unpack(x->s, k->packed, k->moved);  // locals of steps have no value, as in all views
    net_look(k->w, k->packed);
    if (!net_abstract(k->w, d)) {
        closing_fail(k, "clocks grow without limit");
        return;
    }
    uint32_t node = passed_put(k->views, k->packed, d, UINT32_MAX, 0, false, &is_new);
    if (!is_new) return;
    put_in_bucket(k, node, k->moved);
    check_view(k, d);
}

// The views of a state at each two of its first `present` processes, both ways round.
static void add_views(closing *k, const value *cells, const bound *d, uint32_t present) {
    static const uint8_t pairs[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
    for (uint32_t i = 0; i < (present == 2 ? 2u : 6u); i++) {
        orbit_perm p;
        matrix turned;
        make_perm(k, p, pairs[i][0], pairs[i][1], pairs[i][2]);
        orbit_apply_cells(k->x->o, p, cells, k->moved);
        orbit_apply_zone(k->x->o, p, d, turned.d);
        keep_two(k, turned.d);
        add_view(k, turned.d);
    }
}

// ---- steps

static bool every_is_present(const closing *k, uint32_t process, uint32_t present) {
    uint8_t e = process < k->x->t->processes.len ? k->x->process_of[process] : EVERY_SHARED;
    return e == EVERY_SHARED || e < present;
}

static bool invariants_of_present(closing *k, bound *d, uint32_t present) {
    const net *x = k->net;
    for (uint32_t i = 0; i < x->invariants.len; i++) {
        const net_bound *b = &x->invariants.data[i];
        if (!every_is_present(k, b->from->owner, present) || (b->check != UINT32_MAX && !net_bit(k->w, b->check)))
            continue;
        if (!dbm_constrain(d, x->n, b->left, b->right, net_bound_in(x, b, k->w->cells))) return false;
    }
    return true;
}

// Enters the state looked at; processes that are not there hold nothing up.
static bool enter_view(closing *k, bound *d, uint32_t present) {
    if (!net_bit(k->w, k->net->valid) || !invariants_of_present(k, d, present)) return false;
    if (net_is_still(k->w)) return true;
    dbm_up(d, k->net->n);
    return invariants_of_present(k, d, present);
}

// Processes that are not there have clocks of any values…
static void free_absent(const closing *k, bound *d, uint32_t present) {
    for (uint32_t c = 1; c < k->net->n; c++)
        if (k->x->clock_of[c] != EVERY_SHARED && k->x->clock_of[c] >= present) dbm_free_clock(d, k->net->n, c);
}

// … and stay blank if they hear a broadcast. The state looked at goes to k->joint.
static void look_without_absent(closing *k, const uint64_t *state, uint32_t present) {
    space_unpack(k->net->s, state, k->joint);
    for (uint32_t i = 0; i < k->x->in->ncells; i++)
        if (k->x->cell_of[i] != EVERY_SHARED && k->x->cell_of[i] >= present) k->joint[i] = k->blank[i];
    space_pack(k->net->s, k->joint, k->packed);
    net_look(k->w, k->packed);
    memcpy(k->joint, k->w->cells, k->x->in->ncells * sizeof *k->joint);
}

static void take_step(closing *k, uint32_t i, const bound *d, uint32_t present) {
    const net *x = k->net;
    const net_label *l = net_step_label(&k->steps, i);
    uint8_t actor = EVERY_SHARED;
    matrix to;
    bool is_one = every_actor(k->x, rule_of(x->m, l->r), &actor);
    if (is_one && actor != EVERY_SHARED && actor >= present) return;
    memcpy(to.d, d, dbm_bytes(x->n));
    free_absent(k, to.d, present);
    if (!net_guard(x, l, k->steps.cells, to.d)) return;
    if (l->can_fault || net_step_fails(&k->steps, i) || !net_resets(x, l, k->steps.cells, to.d)) {
        closing_fail(k, "a step may be a run-time error");
        return;
    }
    look_without_absent(k, net_step_to(&k->steps, i), present);
    if (enter_view(k, to.d, present)) add_views(k, k->joint, to.d, present);
}

// All steps of a state with so many processes.
static void take_steps(closing *k, const value *cells, const bound *d, uint32_t present) {
    space_pack(k->net->s, cells, k->packed);
    net_steps_find(&k->steps, k->w, k->packed);
    for (uint32_t i = 0; i < k->steps.count && !k->out->why.len; i++) take_step(k, i, d, present);
}

// ---- three processes whose views fit

// What the view of two processes every_shows of a name.
static uint8_t seen_at(uint8_t e, uint8_t a, uint8_t b) { return e == EVERY_SHARED || e == a || e == b ? e : OTHER; }

static const uint8_t view_pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static bool every_shows(const closing *k, uint32_t view, uint32_t cell) {
    uint8_t of = k->x->cell_of[cell];
    return of == EVERY_SHARED || of == view_pairs[view][0] || of == view_pairs[view][1];
}

// The value that all views which show the cell agree on.
static bool joint_name(const closing *k, uint32_t cell, value *out) {
    for (uint8_t e = 0; e < EVERY_SMALL; e++) {
        bool fits = true;
        for (uint32_t v = 0; v < 3 && fits; v++)
            fits = !every_shows(k, v, cell) ||
                   element_in(k, cell, k->cells[v][cell]) == seen_at(e, view_pairs[v][0], view_pairs[v][1]);
        if (!fits) continue;
        *out = every_name(k->x, e);
        return true;
    }
    return false;
}

static bool joint_value(const closing *k, uint32_t cell, value *out) {
    bool is_first = true;
    for (uint32_t v = 0; v < 3; v++) {
        if (!every_shows(k, v, cell)) continue;
        if (!is_first && *out != k->cells[v][cell]) return false;
        *out = k->cells[v][cell];
        is_first = false;
    }
    if (is_first) *out = k->blank[cell];
    return true;
}

// The state of three processes of which k->cells has the views, into k->joint.
static bool join_cells(closing *k) {
    for (uint32_t i = 0; i < k->x->in->ncells; i++) {
        bool names = false;
        for (uint32_t v = 0; v < 3; v++)
            names |= every_shows(k, v, i) && element_in(k, i, k->cells[v][i]) != EVERY_SHARED;
        if (names ? !joint_name(k, i, &k->joint[i]) : !joint_value(k, i, &k->joint[i])) return false;
    }
    return true;
}

// View number v of three, in its place.
static void place_view(closing *k, uint32_t v, uint32_t node, bound *d) {
    static const uint8_t perms[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    orbit_perm p;
    matrix zone;
    make_perm(k, p, perms[v][0], perms[v][1], perms[v][2]);
    space_unpack(k->net->s, passed_state(k->views, node), k->moved);
    orbit_apply_cells(k->x->o, p, k->moved, k->cells[v]);
    passed_zone(k->views, node, zone.d);
    orbit_apply_zone(k->x->o, p, zone.d, d);
}

static void close_three(closing *k, uint32_t third, const bound *two) {
    matrix d, part;
    place_view(k, 2, third, part.d);
    if (!join_cells(k)) return;
    memcpy(d.d, two, dbm_bytes(k->net->n));
    if (!dbm_intersect(d.d, part.d, k->net->n)) return;
    k->out->triples++;
    value *cells = mem_alloc(k->x->in->ncells * sizeof *cells + 1);
    memcpy(cells, k->joint, k->x->in->ncells * sizeof *cells);
    take_steps(k, cells, d.d, 3);
    free(cells);
}

// The views whose first process is this one of a view.
static uint32_t bucket_of(closing *k, const value *cells, uint8_t element) {
    orbit_perm p;
    make_perm(k, p, element, 1 - element, 2);
    orbit_apply_cells(k->x->o, p, cells, k->moved);
    uint64_t key = bucket_key(k, k->moved);
    return map_get(k->buckets, &key, sizeof key, UINT32_MAX);
}

// Views that were there when the closing of this one began; later ones begin with themselves.
static void every_close_view(closing *k, uint32_t node) {
    uint32_t until = k->views->nodes.len;
    matrix first, second;
    place_view(k, 0, node, first.d);
    take_steps(k, k->cells[0], first.d, 2);
    uint32_t with_first = bucket_of(k, k->cells[0], 0), with_second = bucket_of(k, k->cells[0], 1);
    for (uint32_t i = 0; with_first != UINT32_MAX && i < k->lists.data[with_first].len; i++) {
        uint32_t b = k->lists.data[with_first].data[i];
        if (b >= until || passed_is_covered(k->views, b)) continue;
        place_view(k, 1, b, second.d);
        if (!dbm_intersect(second.d, first.d, k->net->n)) continue;
        for (uint32_t j = 0; with_second != UINT32_MAX && j < k->lists.data[with_second].len; j++) {
            uint32_t c = k->lists.data[with_second].data[j];
            if (c < until && !passed_is_covered(k->views, c)) close_three(k, c, second.d);
            if (every_is_over(k)) return;
        }
    }
}

// ---- all

// Does the condition ask for another location of the process?
static bool asks_for_other(const every_parts *x, expr e, uint32_t process, value location) {
    const model *m = x->in->m;
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) {
        value v;
        if (w.x->kind == E_AND) continue;
        walk_skip(&w);
        if (w.x->kind != E_EQ || !expr_is_const(m, w.x->args[1], &v) || v == location) continue;
        const expr_info *of = expr_of(m, w.x->args[0]);
        if (of->kind == E_APP && of->ref == x->t->locations.data[process].id) return walk_found(&w);
    }
    return false;
}

// Does time stand still in no state because of the process being there? Every reason that speaks of it must ask for
// another location.
static bool holds_nothing_up(const every_parts *x, expr e, uint32_t process, value location) {
    uint32_t n = 0;
    const expr *reasons = e.id ? expr_parts(x->in->m, &e, E_OR, &n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        bool is_about = every_spoken_of(x, reasons[i]) >> x->process_of[process] & 1;
        if (is_about && !asks_for_other(x, reasons[i], process, location)) return false;
    }
    return true;
}

// A location in which a process does not make time stand still.
static bool choose_blank(const every_parts *x, uint32_t process, value *blank) {
    const func_info *f = func_of(x->in->m, x->t->locations.data[process]);
    uint32_t cell = x->in->first_cell[x->t->locations.data[process].id], count = instance_type_size(x->in, f->result);
    for (uint32_t l = 0; l < count; l++) {
        blank[cell] = (value)l;
        if (holds_nothing_up(x, x->t->still, process, (value)l)) return true;
    }
    return false;
}

// What cells of processes that are not there have.
static bool make_blank(const every_parts *x, value *blank, str *why) {
    bool ok = true;
    memcpy(blank, x->initial, x->in->ncells * sizeof *blank);
    for (uint32_t i = 0; ok && i < x->t->processes.len; i++)
        ok = x->process_of[i] == EVERY_SHARED || choose_blank(x, i, blank);
    if (!ok && !why->len) str_add(why, "there is no location in which a process holds nothing up");
    return ok;
}

// Only the parts of the property about the first two count.
static expr about_two(const every_parts *x, expr e) {
    model *m = x->in->m;
    expr_list about = {0};
    uint32_t n;
    const expr *parts = expr_conjuncts(m, &e, &n);
    for (uint32_t i = 0; i < n; i++)
        if (!(every_spoken_of(x, parts[i]) & ~UINT64_C(3))) vec_push(&about, parts[i]);
    expr all = expr_and_all(m, about.data, about.len);
    vec_free(&about);
    return all;
}

static value *closing_cells(const closing *k) {
    return arena_alloc(k->net->memory, (k->x->in->ncells + 1) * sizeof(value));
}

static void make_rooms(closing *k) {
    for (uint32_t v = 0; v < 3; v++) k->cells[v] = closing_cells(k);
    k->joint = closing_cells(k);
    k->moved = closing_cells(k);
    k->blank = closing_cells(k);
    k->packed = arena_alloc(k->net->memory, (k->net->words + 1) * sizeof *k->packed);
    k->w = net_room_new(k->net);
    k->steps = net_steps_new(k->net, k->w->memory);
    k->views = passed_new(k->net->words, k->net->n, !net_is_narrow(k->net));
    k->buckets = map_new();
}

static void start(closing *k) {
    matrix d;
    net_first_zone(k->net, d.d);
    if (!make_blank(k->x, k->blank, &k->out->why)) return;
    for (uint32_t i = 0; i < k->x->in->ncells; i++)
        k->joint[i] = k->x->cell_of[i] == OTHER ? k->blank[i] : k->x->initial[i];
    space_pack(k->net->s, k->joint, k->packed);
    net_look(k->w, k->packed);
    if (enter_view(k, d.d, 3)) add_views(k, k->joint, d.d, 3);
    else closing_fail(k, "the initial state is impossible");
}

static void every_close_all(closing *k) {
    if (k->net->diagonal) closing_fail(k, "differences of clocks are compared");
    if (k->net->suspects.len) closing_fail(k, "a condition may be a run-time error");
    if (k->x->t->valid.id && every_spoken_of(k->x, k->x->t->valid))
        closing_fail(k, "which states are possible depends on the processes");
    if (!k->out->why.len) start(k);
    for (uint32_t i = 0; i < k->views->nodes.len && !every_is_over(k); i++)
        if (!passed_is_covered(k->views, i)) every_close_view(k, i);
    k->out->views = passed_count(k->views);
    k->out->holds = !k->out->why.len;
}

static void keep_views(closing *k, every_views *kept) {
    matrix d;
    for (uint32_t i = 0; i < k->views->nodes.len; i++) {
        if (passed_is_covered(k->views, i)) continue;
        space_unpack(k->net->s, passed_state(k->views, i), k->moved);
        passed_zone(k->views, i, d.d);
        for (uint32_t c = 0; c < k->x->in->ncells; c++) vec_push(&kept->cells, k->moved[c]);
        for (uint32_t b = 0; b < k->net->n * k->net->n; b++) vec_push(&kept->zones, d.d[b]);
        kept->count++;
    }
}

static void closing_free(closing *k) {
    for (uint32_t i = 0; i < k->lists.len; i++) vec_free(&k->lists.data[i]);
    vec_free(&k->lists);
    map_free(k->buckets);
    passed_free(k->views);
    net_room_free(k->w);
}

static void every_close_views(every_parts *x, prop p, const explore_options *o, every_views *kept, every_answer *out) {
    closing k = {.x = x, .o = o, .out = out};
    expr wrong = expr_not(x->in->m, about_two(x, prop_of(x->in->m, p)->cond));
    k.net = net_new(x->in, &wrong, 1, (net_how){.is_abstract = true});
    if (!k.net) {
        closing_fail(&k, "the system is not accepted");
        return;
    }
    make_rooms(&k);
    every_close_all(&k);
    if (kept && out->holds) keep_views(&k, kept);
    closing_free(&k);
    net_free(k.net);
}

// The parts of both systems, which say the same. False, with the reason; in both cases free them.
static bool take_both_apart(const instance *in, const instance *more, prop p, every_parts *x, every_parts *y,
                            str *why) {
    return every_take_apart(in, p, EVERY_SMALL, x, why) && every_take_apart(more, p, EVERY_LARGE, y, why) &&
           every_is_uniform(x, y, p, why);
}

void every_prove(const instance *in, const instance *more, prop p, const explore_options *o, every_views *kept,
                 every_answer *out) {
    every_parts x = {0}, y = {0};
    *out = (every_answer){0};
    if (take_both_apart(in, more, p, &x, &y, &out->why)) every_close_views(&x, p, o, kept, out);
    every_parts_free(&x);
    every_parts_free(&y);
}

// ---- what a closed set of views rests on

struct every_premises {
    every_parts x, y;
    value *blank;
};

static void describe(const every_premises *e, prop p, every_description *out) {
    const every_parts *x = &e->x;
    *out = (every_description){.cell_of = x->cell_of,
                               .clock_of = x->clock_of,
                               .process_of = x->process_of,
                               .is_name = x->is_id,
                               .initial = x->initial,
                               .blank = e->blank,
                               .holds = about_two(x, prop_of(x->in->m, p)->cond)};
    for (uint8_t i = 0; i < EVERY_SMALL; i++) out->names[i] = every_name(x, i);
}

every_premises *every_premises_new(const instance *in, const instance *more, prop p, every_description *out, str *why) {
    every_premises *e = mem_zero(1, sizeof *e);
    e->blank = mem_zero(in->ncells + 1, sizeof *e->blank);
    bool ok = take_both_apart(in, more, p, &e->x, &e->y, why) && make_blank(&e->x, e->blank, why);
    if (ok && e->x.t->valid.id && every_spoken_of(&e->x, e->x.t->valid)) {
        str_add(why, "which states are possible depends on the processes");
        ok = false;
    }
    if (ok) describe(e, p, out);
    if (ok) return e;
    every_premises_free(e);
    return NULL;
}

void every_premises_free(every_premises *e) {
    if (!e) return;
    every_parts_free(&e->x);
    every_parts_free(&e->y);
    free(e->blank);
    free(e);
}
