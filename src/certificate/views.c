// SPDX-License-Identifier: Apache-2.0
// Claims about views of two processes: see views.h. All is done as the definition says, with tables of which cell of a
// process is which of another one.
#include "certificate/views.h"

#include "certificate/plaindbm.h"
#include "certificate/timedstep.h"
#include "certificate/zones.h"
#include "certificate/zones_int.h"
#include "model/eval.h"
#include "model/expr.h"

#include <stdlib.h>
#include <string.h>

enum { OTHER = VIEWS_PROCESSES - 1, VIEWS_MOST = 100000, MOST_CONDITIONS = 12 };

typedef struct {
    value *cells;
    int32_t *zone;
    uint32_t place;
} view;

typedef struct {
    const views_parts *p;
    const instance *in;
    const timed_info *timed;
    timedstep *t;
    uint32_t n;  // clocks
    zones_cell *codes;
    arena *memory;
    uint32_t *cell_at[VIEWS_PROCESSES];   // by process and cell of another one: the same of this one
    uint32_t *clock_at[VIEWS_PROCESSES];  // the same for clocks
    VEC(view) views;
    VEC(view) turned[2];  // the same, seen as processes 1 and 3, and as 2 and 3
    VEC(uint32_t) first;  // by place: the first view there, plus one
    VEC(uint32_t) next;   // by view: another one of the same place, plus one
    const claim_options *o;
    uint32_t asked;
    views_answer *out;
} viewing;

static bool views_fail(viewing *k, claim_verdict v, const char *why) {
    if (!k->out->why.len) str_add(&k->out->why, why);
    if (k->out->verdict == CLAIM_CONFIRMED) k->out->verdict = v;
    return false;
}

static bool views_is_over(viewing *k) {
    if (limits_met_lately(&k->o->limits, &k->asked) != LIMIT_NONE) views_fail(k, CLAIM_STOPPED, "a limit was reached");
    return k->out->verdict != CLAIM_CONFIRMED;
}

void views_write_claim(certfile_writer *w, const char *query, uint32_t clocks, uint64_t views) {
    certfile_claim(w, json_pack("{s:s, s:o, s:I, s:I}", "kind", "views", "query", certfile_text(query), "clocks",
                                (json_int_t)clocks, "views", (json_int_t)views));
}

// ---- which of a process is which of another

// The process of the same family that belongs to process number `to` of the alike ones; UINT32_MAX: not just one does.
static uint32_t process_like(const viewing *k, uint32_t process, uint8_t to) {
    uint32_t found = UINT32_MAX, count = 0;
    for (uint32_t i = 0; i < k->timed->processes.len; i++) {
        if (k->p->process_of[i] != to) continue;
        if (!str_same(k->timed->processes.data[i].family, k->timed->processes.data[process].family)) continue;
        found = i;
        count++;
    }
    return count == 1 ? found : UINT32_MAX;
}

static bool is_location_of(const viewing *k, func f, uint32_t process) {
    return k->timed->locations.data[process].id == f.id;
}

// The function of the other process that is called the same there.
static bool func_like(const viewing *k, func f, uint32_t process, uint32_t other, func *out) {
    const sys_info *s = sys_of(k->in->m, k->in->system);
    const func_info *i = func_of(k->in->m, f);
    if (is_location_of(k, f, process)) return *out = k->timed->locations.data[other], true;
    for (uint32_t n = 0; n < s->funcs.len; n++) {
        const func_info *j = func_of(k->in->m, s->funcs.data[n]);
        if (j->process != other + 1 || !j->member || !i->member || !str_same(j->member, i->member)) continue;
        if (is_location_of(k, s->funcs.data[n], other)) continue;
        *out = s->funcs.data[n];
        return instance_func_cells(k->in, *out) == instance_func_cells(k->in, f);
    }
    return false;
}

static uint32_t location_owner(const viewing *k, func f) {
    for (uint32_t i = 0; i < k->timed->locations.len; i++)
        if (k->timed->locations.data[i].id == f.id) return i;
    return UINT32_MAX;
}

static bool views_place_cell(viewing *k, uint32_t cell) {
    value args[MODEL_MOST_ARGS];
    func f = instance_cell_func(k->in, cell, args);
    uint32_t process = location_owner(k, f);
    if (process == UINT32_MAX) process = func_of(k->in->m, f)->process - 1;
    for (uint8_t e = 0; e < VIEWS_PROCESSES; e++) {
        func like;
        uint32_t other = process < k->timed->processes.len ? process_like(k, process, e) : UINT32_MAX;
        if (other == UINT32_MAX || k->p->process_of[process] != k->p->cell_of[cell]) return false;
        if (!func_like(k, f, process, other, &like)) return false;
        k->cell_at[e][cell] = k->in->first_cell[like.id] + (cell - k->in->first_cell[f.id]);
    }
    return true;
}

static bool is_same_clock(const timed_clock *a, const timed_clock *b) {
    return str_same(a->member, b->member) && a->nindices == b->nindices &&
           (!a->nindices || memcmp(a->index, b->index, a->nindices * sizeof *a->index) == 0);
}

static bool views_place_clock(viewing *k, uint32_t clock) {
    const timed_clock *c = &k->timed->clocks.data[clock];
    for (uint8_t e = 0; e < VIEWS_PROCESSES; e++) {
        uint32_t other = c->process ? process_like(k, c->process - 1, e) : UINT32_MAX, at = 1;
        if (other == UINT32_MAX || k->p->process_of[c->process - 1] != k->p->clock_of[clock]) return false;
        while (at < k->n &&
               !(k->timed->clocks.data[at].process == other + 1 && is_same_clock(&k->timed->clocks.data[at], c)))
            at++;
        if (at == k->n) return false;
        k->clock_at[e][clock] = at;
    }
    return true;
}

static bool views_place_all(viewing *k) {
    bool ok = true;
    for (uint8_t e = 0; e < VIEWS_PROCESSES; e++) {
        k->cell_at[e] = arena_alloc(k->memory, (k->in->ncells + 1) * sizeof(uint32_t));
        k->clock_at[e] = arena_alloc(k->memory, (k->n + 1) * sizeof(uint32_t));
    }
    for (uint32_t i = 0; ok && i < k->in->ncells; i++) ok = k->p->cell_of[i] == VIEWS_SHARED || views_place_cell(k, i);
    for (uint32_t c = 1; ok && c < k->n; c++) ok = k->p->clock_of[c] == VIEWS_SHARED || views_place_clock(k, c);
    return ok || views_fail(k, CLAIM_REFUSED, "what belongs to a process is not found again at the others");
}

// ---- changing places

static uint8_t named(const viewing *k, uint32_t cell, value v) {
    for (uint8_t e = 0; k->p->is_name[cell] && e < VIEWS_PROCESSES; e++)
        if (k->p->names[e] == v) return e;
    return VIEWS_SHARED;
}

static value views_renamed(const viewing *k, uint32_t cell, value v, const uint8_t *to) {
    uint8_t e = named(k, cell, v);
    return e == VIEWS_SHARED ? v : k->p->names[to[e]];
}

// Process e becomes process to[e].
static void views_turn(const viewing *k, const uint8_t *to, const value *cells, const int32_t *d, value *out,
                       int32_t *zone) {
    uint32_t n = k->n, place[PLAIN_MOST_CLOCKS];
    for (uint32_t i = 0; i < k->in->ncells; i++) {
        uint8_t of = k->p->cell_of[i];
        out[of == VIEWS_SHARED ? i : k->cell_at[to[of]][i]] = views_renamed(k, i, cells[i], to);
    }
    for (uint32_t c = 0; c < n; c++) {
        uint8_t of = c ? k->p->clock_of[c] : VIEWS_SHARED;
        place[c] = of == VIEWS_SHARED ? c : k->clock_at[to[of]][c];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) zone[place[i] * n + place[j]] = d[i * n + j];
}

static void forget_clock(int32_t *d, uint32_t n, uint32_t x) {
    for (uint32_t j = 0; j < n; j++) {
        if (j == x) continue;
        d[x * n + j] = PLAIN_NONE;
        d[j * n + x] = d[j * n];
    }
}

// Only the first two are seen.
static void keep_seen(const viewing *k, value *cells, int32_t *d) {
    for (uint32_t i = 0; i < k->in->ncells; i++) {
        uint8_t e = named(k, i, cells[i]);
        if (k->p->cell_of[i] != VIEWS_SHARED && k->p->cell_of[i] >= 2) cells[i] = k->p->blank[i];
        else if (e != VIEWS_SHARED && e >= 2) cells[i] = k->p->names[OTHER];
    }
    for (uint32_t c = 1; c < k->n; c++)
        if (k->p->clock_of[c] != VIEWS_SHARED && k->p->clock_of[c] >= 2) forget_clock(d, k->n, c);
}

// ---- reading

static view new_view(viewing *k, const value *cells, const int32_t *d) {
    return (view){.cells = arena_copy(k->memory, cells, (k->in->ncells + 1) * sizeof *cells),
                  .zone = arena_copy(k->memory, d, plain_bytes(k->n))};
}

static void views_add_view(viewing *k, value *cells, int32_t *d) {
    static const uint8_t ways[2][VIEWS_PROCESSES] = {{0, 2, 1, 3}, {1, 2, 0, 3}};
    if (!plain_close(d, k->n)) return;
    keep_seen(k, cells, d);
    view v = new_view(k, cells, d);
    v.place = timedstep_place(k->t, cells);
    while (k->first.len <= v.place) vec_push(&k->first, 0);
    vec_push(&k->next, k->first.data[v.place]);
    vec_push(&k->views, v);
    k->first.data[v.place] = k->views.len;
    for (uint32_t i = 0; i < 2; i++) {
        view w = new_view(k, cells, d);
        views_turn(k, ways[i], v.cells, v.zone, w.cells, w.zone);
        vec_push(&k->turned[i], w);
    }
}

static bool read_views(viewing *k, certfile *file, uint64_t count) {
    value *cells = mem_zero(k->in->ncells + 1, sizeof *cells);
    int32_t *d = mem_alloc(plain_bytes(k->n));
    bool ok = true;
    for (uint64_t i = 0; ok && i < count; i++) {
        uint64_t one;
        for (uint32_t c = 0; ok && c < k->in->ncells; c++) {
            cells[c] = VALUE_UNDEFINED;
            if (!k->codes[c].is_local) ok = zones_read_value(file, &k->codes[c], &cells[c]);
        }
        ok = ok && certfile_get_number(file, 1, &one) && zones_read_zone(file, k->n, d);
        if (ok) views_add_view(k, cells, d);
    }
    free(cells);
    free(d);
    return ok;
}

// ---- is it in the set?

static bool is_view(const viewing *k, const value *cells, const int32_t *d) {
    uint32_t place = timedstep_place(k->t, cells);
    for (uint32_t i = place < k->first.len ? k->first.data[place] : 0; i; i = k->next.data[i - 1])
        if (plain_includes(k->views.data[i - 1].zone, d, k->n)) return true;
    return false;
}

// The views of a state at each two of the first `present` processes, both ways round.
static bool views_are_there(viewing *k, const value *cells, const int32_t *d, uint32_t present) {
    static const uint8_t ways[6][VIEWS_PROCESSES] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 2, 1, 3},
                                                     {2, 0, 1, 3}, {1, 2, 0, 3}, {2, 1, 0, 3}};
    value *out = mem_zero(k->in->ncells + 1, sizeof *out);
    int32_t *zone = mem_alloc(plain_bytes(k->n));
    bool ok = true;
    for (uint32_t i = 0; ok && i < (present == 2 ? 2u : 6u); i++) {
        views_turn(k, ways[i], cells, d, out, zone);
        keep_seen(k, out, zone);
        ok = is_view(k, out, zone) || views_fail(k, CLAIM_REFUSED, "a step leads to a view that is not in the set");
    }
    free(out);
    free(zone);
    return ok;
}

// ---- steps

static bool views_is_there(const viewing *k, uint32_t process, uint32_t present) {
    uint8_t e = process < k->timed->processes.len ? k->p->process_of[process] : VIEWS_SHARED;
    return e == VIEWS_SHARED || e < present;
}

// The invariants of those who are there. False: nothing satisfies them.
static bool stay_within(viewing *k, const value *cells, int32_t *d, uint32_t present) {
    eval *ev = timedstep_eval(k->t);
    for (uint32_t i = 0; i < k->timed->invariants.len; i++) {
        const clock_bound *b = &k->timed->invariants.data[i];
        if (!views_is_there(k, b->owner, present) || (b->when.id && !eval_expr(ev, cells, b->when))) continue;
        value most = eval_expr(ev, cells, b->bound);
        if (eval_fault(ev).kind || most > PLAIN_LARGEST || most < -PLAIN_LARGEST)
            return views_fail(k, CLAIM_REFUSED, "an invariant cannot be evaluated");
        if (!plain_constrain(d, k->n, b->left, b->right, plain_bound(most, b->is_strict))) return false;
    }
    return true;
}

static bool views_enter(viewing *k, uint32_t place, int32_t *d, uint32_t present) {
    const timed_place *at = timedstep_at(k->t, place);
    bool is_still = at->is_still;
    value *cells = at->cells;
    if (!at->is_valid || !stay_within(k, cells, d, present)) return false;
    if (is_still) return true;
    plain_up(d, k->n);
    return stay_within(k, timedstep_at(k->t, place)->cells, d, present);
}

// Somebody who is not there would take the step: then it is none of these.
static bool is_step_of(const viewing *k, rule r, uint32_t present) {
    const rule_info *i = rule_of(k->in->m, r);
    for (uint32_t n = 0; n < i->nmoves; n++)
        if (!views_is_there(k, i->moves[n].process, present)) return false;
    return true;
}

// Who is not there stays blank also where it hears a broadcast.
static void stay_blank(const viewing *k, value *cells, uint32_t present) {
    for (uint32_t i = 0; i < k->in->ncells; i++)
        if (k->p->cell_of[i] != VIEWS_SHARED && k->p->cell_of[i] >= present) cells[i] = k->p->blank[i];
}

static bool take_move(viewing *k, uint32_t place, uint32_t i, const int32_t *from, uint32_t present) {
    const timed_move *m = &timedstep_at(k->t, place)->moves.data[i];
    uint32_t to = m->to;
    bool ok = true, fails = m->fails;
    if (!is_step_of(k, m->r, present)) return true;
    int32_t *d = plain_copy(from, k->n);
    bool is_possible = true;
    for (uint32_t g = 0; is_possible && g < m->guard.len; g++)
        is_possible = plain_constrain(d, k->n, m->guard.data[g].left, m->guard.data[g].right, m->guard.data[g].b);
    if (is_possible && fails) ok = views_fail(k, CLAIM_REFUSED, "a step is a run-time error");
    if (is_possible && ok) {
        k->out->steps++;
        timedstep_set(k->t, place, i, d);
        value *cells = mem_alloc((k->in->ncells + 1) * sizeof *cells);
        memcpy(cells, timedstep_at(k->t, to)->cells, k->in->ncells * sizeof *cells);
        stay_blank(k, cells, present);
        to = timedstep_place(k->t, cells);
        if (views_enter(k, to, d, present)) ok = views_are_there(k, cells, d, present);
        free(cells);
        ok = ok && k->out->verdict == CLAIM_CONFIRMED;
    }
    free(d);
    return ok;
}

static bool take_moves(viewing *k, const value *cells, const int32_t *d, uint32_t present) {
    uint32_t place = timedstep_place(k->t, cells);
    timedstep_explore(k->t, place);
    if (timedstep_at(k->t, place)->moves_fail) return views_fail(k, CLAIM_REFUSED, "a clock condition fails");
    for (uint32_t i = 0; i < timedstep_at(k->t, place)->moves.len; i++)
        if (!take_move(k, place, i, d, present)) return false;
    return true;
}

// ---- three processes

static const uint8_t seen[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static bool view_shows(const viewing *k, uint32_t v, uint32_t cell) {
    uint8_t of = k->p->cell_of[cell];
    return of == VIEWS_SHARED || of == seen[v][0] || of == seen[v][1];
}

// What a view of the two shows of a process' name.
static uint8_t shown_name(uint8_t e, uint32_t v) { return e == seen[v][0] || e == seen[v][1] ? e : OTHER; }

// The value of a cell that the first `count` views agree on. False: they do not.
static bool agreed(const viewing *k, const value *const *cells, uint32_t count, uint32_t cell, value *out) {
    bool is_known = false, has_name = false;
    for (uint32_t v = 0; v < count; v++) {
        if (!view_shows(k, v, cell)) continue;
        has_name |= named(k, cell, cells[v][cell]) != VIEWS_SHARED;
        if (is_known && !has_name && *out != cells[v][cell]) return false;
        if (!is_known) *out = cells[v][cell];
        is_known = true;
    }
    if (!is_known) *out = k->p->blank[cell];
    for (uint8_t e = 0; has_name && e < VIEWS_PROCESSES; e++) {
        bool fits = true;
        for (uint32_t v = 0; fits && v < count; v++)
            fits = !view_shows(k, v, cell) || named(k, cell, cells[v][cell]) == shown_name(e, v);
        if (fits) return *out = k->p->names[e], true;
    }
    return !has_name;
}

static bool all_agreed(const viewing *k, const value *const *cells, uint32_t count, value *out) {
    for (uint32_t i = 0; i < k->in->ncells; i++)
        if (!agreed(k, cells, count, i, &out[i])) return false;
    return true;
}

static bool views_intersect(int32_t *d, const int32_t *with, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++)
        if (with[i] < d[i]) d[i] = with[i];
    return plain_close(d, n);
}

static bool close_three_views(viewing *k, uint32_t a, uint32_t b, uint32_t c, const int32_t *two, value *joint) {
    const value *cells[3] = {k->views.data[a].cells, k->turned[0].data[b].cells, k->turned[1].data[c].cells};
    if (!all_agreed(k, cells, 3, joint)) return true;
    int32_t *d = plain_copy(two, k->n);
    bool ok = true;
    if (views_intersect(d, k->turned[1].data[c].zone, k->n)) {
        k->out->triples++;
        ok = take_moves(k, joint, d, 3);
    }
    free(d);
    return ok;
}

static bool close_pair(viewing *k, uint32_t a, uint32_t b, value *joint) {
    const value *cells[2] = {k->views.data[a].cells, k->turned[0].data[b].cells};
    if (!all_agreed(k, cells, 2, joint)) return true;
    int32_t *d = plain_copy(k->views.data[a].zone, k->n);
    bool ok = true;
    if (views_intersect(d, k->turned[0].data[b].zone, k->n))
        for (uint32_t c = 0; ok && c < k->views.len && !views_is_over(k); c++)
            ok = close_three_views(k, a, b, c, d, joint);
    free(d);
    return ok;
}

// ---- what the query says

// Does it hold in d, with all conditions from `i` on true or false, wherever that is possible?
static bool holds_within(viewing *k, const value *cells, const int32_t *d, uint32_t i) {
    eval *ev = timedstep_eval(k->t);
    while (i < k->timed->atoms.len && !expr_has_var(k->in->m, k->p->holds, k->timed->atoms.data[i].stands)) i++;
    if (i == k->timed->atoms.len) return eval_expr(ev, cells, k->p->holds) && !eval_fault(ev).kind;
    const clock_bound *b = &k->timed->atoms.data[i].is;
    value most = k->timed->atoms.data[i].is_deadlock ? 0 : eval_expr(ev, cells, b->bound);
    if (k->timed->atoms.data[i].is_deadlock || eval_fault(ev).kind || most > PLAIN_LARGEST || most < -PLAIN_LARGEST)
        return false;
    bool ok = true;
    for (int is_true = 0; ok && is_true < 2; is_true++) {
        int32_t *part = plain_copy(d, k->n);
        bool is_some = is_true ? plain_constrain(part, k->n, b->left, b->right, plain_bound(most, b->is_strict))
                               : plain_constrain(part, k->n, b->right, b->left, plain_bound(-most, !b->is_strict));
        if (is_some) {
            eval_bind(ev, k->timed->atoms.data[i].stands, is_true);
            ok = holds_within(k, cells, part, i + 1);
        }
        free(part);
    }
    return ok;
}

// ---- all

static bool start_is_there(viewing *k, uint32_t present) {
    value *cells = mem_zero(k->in->ncells + 1, sizeof *cells);
    int32_t *d = mem_alloc(plain_bytes(k->n));
    for (uint32_t i = 0; i < k->in->ncells; i++) {
        uint8_t of = k->p->cell_of[i];
        cells[i] = of != VIEWS_SHARED && of >= present ? k->p->blank[i] : k->p->initial[i];
    }
    timedstep_first_zone(k->t, d);
    uint32_t place = timedstep_place(k->t, cells);
    bool ok = views_enter(k, place, d, present) || views_fail(k, CLAIM_REFUSED, "the initial state is impossible");
    ok = ok && views_are_there(k, cells, d, present);
    free(cells);
    free(d);
    return ok;
}

static void views_check_all(viewing *k) {
    value *joint = mem_zero(k->in->ncells + 1, sizeof *joint);
    bool ok = start_is_there(k, 2) && start_is_there(k, 3);
    for (uint32_t a = 0; ok && a < k->views.len && !views_is_over(k); a++) {
        ok = holds_within(k, k->views.data[a].cells, k->views.data[a].zone, 0) ||
             views_fail(k, CLAIM_REFUSED, "the query does not hold in a view");
        ok = ok && take_moves(k, k->views.data[a].cells, k->views.data[a].zone, 2);
        for (uint32_t b = 0; ok && b < k->views.len && !views_is_over(k); b++) ok = close_pair(k, a, b, joint);
    }
    free(joint);
}

bool views_check(certfile *file, const json_t *claim, const views_parts *parts, const claim_options *o,
                 views_answer *out) {
    viewing k = {.p = parts, .in = parts->in, .memory = arena_new(), .o = o, .out = out};
    uint64_t clocks, count;
    *out = (views_answer){.verdict = CLAIM_CONFIRMED};
    k.timed = sys_of(k.in->m, k.in->system)->timed;
    k.n = k.timed->clocks.len;
    k.codes = zones_cells(k.in);
    k.t = timedstep_new(k.in, &out->why);
    bool ok = certfile_member(file, claim, "clocks", PLAIN_MOST_CLOCKS, &clocks) &&
              certfile_member(file, claim, "views", VIEWS_MOST, &count);
    if (ok && clocks != k.n) certfile_complain(file, "it has another number of clocks than the model");
    if (!k.t) views_fail(&k, CLAIM_STOPPED, "the model cannot be rechecked");
    else if (ok && !certfile_is_broken(file) && views_place_all(&k) && read_views(&k, file, count)) views_check_all(&k);
    out->views = k.views.len;
    if (k.t) timedstep_free(k.t);
    vec_free(&k.views);
    for (uint32_t i = 0; i < 2; i++) vec_free(&k.turned[i]);
    vec_free(&k.first);
    vec_free(&k.next);
    free(k.codes);
    arena_free(k.memory);
    return !certfile_is_broken(file);
}
