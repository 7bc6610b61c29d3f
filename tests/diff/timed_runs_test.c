// SPDX-License-Identifier: Apache-2.0
// Clocks that stand still, and conditions on differences of clocks, neither of which the region graph has: the timed
// engine against slow twins, on random networks.
//
// *Runs*: where no location is entered twice, runs are short and few. All sequences of steps are tried, and Z3 says
// whether delays exist for them: exact, in both directions, for reachability and for the largest value of a clock.
// *Halves*: with loops, all runs whose delays are multiples of 1/2, clocks cut off above the largest constant (with
// differences: up to some time). What they reach is reachable, where they end is a deadlock, and where they end within
// a condition it is kept for ever: the engine must not say otherwise.
// With differences, what the engine says is also compared with what it says without abstraction, where that ends.
// With clocks that stand still it may say "unknown", but only because of that, and not often.
#include "base/map.h"
#include "base/rng.h"
#include "base/str.h"
#include "front/xta/xta.h"
#include "model/eval.h"
#include "model/expr.h"
#include "oracle/part.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <z3.h>

enum { NETWORKS = 500, LONG_NETWORKS = 20000, CLOCKS = 4, LOCATIONS = 4, LARGEST = 3, MOST_STEPS = 12, SPOTS = 30000 };

// ---- networks

typedef struct {
    bool has_rates, has_differences, loops, has_priorities;
} shape;

static uint32_t pick(rng *r, uint32_t n) { return rng_below(r, n); }

static void put_rate(rng *r, uint32_t process, str *out) {
    static const char *const rates[] = {"0", "1", "on", "1 - on", "(on == 1 ? 0 : 1)", "0", "on"};
    str_printf(out, "%c' == %s", process ? 'z' : "xy"[pick(r, 2)], rates[pick(r, 7)]);
}

// One rate for each clock: two would contradict each other.
static void put_difference(rng *r, bool is_guard, str *out) {
    static const char *const ops[] = {"<", "<=", ">=", ">", "=="};
    uint32_t a = pick(r, 3), b = (a + 1 + pick(r, 2)) % 3;
    str_printf(out, "%c - %c %s %d", "xyz"[a], "xyz"[b], ops[pick(r, is_guard ? 5 : 2)],
               (int)pick(r, 2 * LARGEST) - LARGEST + 1);
}

static void put_invariant(rng *r, uint32_t process, shape how, str *out) {
    bool some = false;
    str_add(out, " {");
    if (pick(r, 4) == 0) {
        str_printf(out, " %c %s %u", "xyz"[pick(r, 3)], pick(r, 4) ? "<=" : "<", 1 + pick(r, LARGEST));
        some = true;
    }
    if (how.has_differences && pick(r, 6) == 0) {
        str_add(out, some ? " && " : " ");
        put_difference(r, false, out);
        some = true;
    }
    if (how.has_rates && pick(r, 4)) {
        str_add(out, some ? " && " : " ");
        put_rate(r, process, out);
        some = true;
    }
    str_add(out, some ? " }" : " true }");
}

static void put_guard(rng *r, shape how, str *out) {
    static const char *const ops[] = {"<", "<=", ">=", ">", "==", ">=", ">=", "<="};
    str_add(out, " guard true");
    for (uint32_t n = pick(r, 3); n > 0; n--)
        str_printf(out, " && %c %s %u", "xyz"[pick(r, 3)], ops[pick(r, 8)], pick(r, LARGEST + 1));
    if (how.has_differences && pick(r, 2)) {
        str_add(out, " && ");
        put_difference(r, true, out);
    }
    if (pick(r, 4) == 0) str_printf(out, " && on == %u", pick(r, 2));
    str_add(out, ";");
}

static void put_assign(rng *r, str *out) {
    str_add(out, " assign n = n");
    if (pick(r, 2)) str_add(out, ", on = 1 - on");
    if (pick(r, 2)) str_printf(out, ", %c = %u", "xyz"[pick(r, 3)], pick(r, 3) ? 0 : 1);
    str_add(out, "; }");
}

static void put_process(rng *r, uint32_t number, shape how, str *out) {
    str_printf(out, "process P%u() {\n  state ", number);
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        str_printf(out, "%sL%u", l ? ", " : "", l);
        shape here = how;
        here.has_differences &= l > 0;
        put_invariant(r, number, here, out);
    }
    str_printf(out, ";\n%s  init L0;\n  trans ", pick(r, 4) ? "" : pick(r, 2) ? "  commit L2;\n" : "  urgent L1;\n");
    for (uint32_t e = 0, n = 4 + pick(r, 4); e < n; e++) {
        uint32_t from = pick(r, LOCATIONS - 1), to = from + 1 + pick(r, LOCATIONS - 1 - from);
        if (how.loops && pick(r, 2)) to = pick(r, LOCATIONS);
        str_printf(out, "%sL%u -> L%u {", e ? ",\n        " : "", from, to);
        put_guard(r, how, out);
        if (pick(r, how.has_priorities ? 2 : 4) == 0) str_printf(out, " sync c%s;", number ? "?" : "!");
        put_assign(r, out);
    }
    str_add(out, ";\n}\n");
}

static void put_network(rng *r, shape how, str *out) {
    str_add(out, "clock x, y, z;\nchan c;\nint[0,1] on = 1;\nint[0,1] n;\n");
    if (how.has_priorities) str_add(out, pick(r, 2) ? "chan priority c < default;\n" : "chan priority default < c;\n");
    for (uint32_t i = 0; i < 2; i++) put_process(r, i, how, out);
    str_add(out, "system P0, P1;\n");
}

static void put_target(rng *r, shape how, str *out) {
    static const char *const ops[] = {"<", "<=", ">=", ">", "=="};
    str_printf(out, "P0.L%u", 1 + pick(r, LOCATIONS - 1));
    if (pick(r, 2)) str_printf(out, " && P1.L%u", pick(r, LOCATIONS));
    if (pick(r, 2)) str_printf(out, " && %c %s %u", "xyz"[pick(r, 3)], ops[pick(r, 5)], pick(r, LARGEST + 2));
    if (how.has_differences && pick(r, 3) == 0) {
        str_add(out, " && ");
        put_difference(r, true, out);
    }
}

// ---- reading

typedef struct {
    diag *messages;
    model *m;
    instance *in;
    const timed_info *t;
    const sys_info *system;
    eval *ev;
    value *start;
} network;

static bool keep_start(const value *cells, void *context) {
    network *x = context;
    memcpy(x->start, cells, x->in->ncells * sizeof *cells);
    return false;
}

static bool read_network(const char *text, const char *const *queries, uint32_t n, network *x) {
    xta_options how = {.queries = queries, .nqueries = n};
    sys system;
    *x = (network){.messages = diag_new()};
    x->m = model_new(x->messages);
    if (!xta_read_text(x->m, "random.xta", text, strlen(text), &how, &system)) return false;
    x->in = instance_new(x->m, system, NULL, 0);
    x->system = sys_of(x->m, system);
    x->t = x->system->timed;
    x->ev = eval_new(x->in);
    x->start = mem_zero(x->in->ncells + 1, sizeof *x->start);
    eval_initial(x->in, keep_start, x);
    return true;
}

static void close_network(network *x) {
    if (x->ev) eval_free(x->ev);
    instance_free(x->in);
    model_free(x->m);
    diag_free(x->messages);
    free(x->start);
}

static bool holds(const network *x, const value *cells, expr e) { return !e.id || eval_expr(x->ev, cells, e); }

// Which clocks stand still: nothing else is said of rates here than 0 and 1, and nothing twice.
static void find_standing(const network *x, const value *cells, bool *stands) {
    memset(stands, 0, CLOCKS);
    for (uint32_t i = 0; i < x->t->rates.len; i++) {
        const clock_bound *b = &x->t->rates.data[i];
        if (holds(x, cells, b->when)) stands[b->left] = eval_expr(x->ev, cells, b->bound) == 0;
    }
}

static bool is_still(const network *x, const value *cells) {
    return x->t->still.id && eval_expr(x->ev, cells, x->t->still);
}

// ---- runs: delays are unknowns, clocks are sums of them

typedef struct {
    int32_t base;
    bool has[MOST_STEPS + 1];  // the delay counts
} form;

typedef struct {
    const network *x;
    expr formula;    // NULL: any state
    uint32_t clock;  // ... where this clock is at least or more than `least`; 0: none
    int32_t least;
    bool is_more;
    Z3_context c;
    Z3_solver s;
    Z3_ast delays[MOST_STEPS + 1];
    uint32_t checks;
} tracker;

static Z3_ast real(const tracker *k, int v) { return Z3_mk_int(k->c, v, Z3_mk_real_sort(k->c)); }

static Z3_ast form_ast(const tracker *k, const form *f) {
    Z3_ast parts[MOST_STEPS + 2] = {real(k, f->base)};
    uint32_t n = 1;
    for (uint32_t i = 0; i <= MOST_STEPS; i++)
        if (f->has[i]) parts[n++] = k->delays[i];
    return Z3_mk_add(k->c, n, parts);
}

static Z3_ast bound_ast(const tracker *k, const form *clocks, uint32_t left, uint32_t right, int32_t most,
                        bool is_strict) {
    Z3_ast parts[] = {form_ast(k, &clocks[left]), form_ast(k, &clocks[right])};
    Z3_ast is = Z3_mk_sub(k->c, 2, parts);
    return is_strict ? Z3_mk_lt(k->c, is, real(k, most)) : Z3_mk_le(k->c, is, real(k, most));
}

static void must(const tracker *k, const form *clocks, uint32_t left, uint32_t right, int32_t most, bool is_strict) {
    Z3_solver_assert(k->c, k->s, bound_ast(k, clocks, left, right, most, is_strict));
}

static void must_all(const tracker *k, const form *clocks, const value *cells, const clock_bound *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (holds(k->x, cells, list[i].when))
            must(k, clocks, list[i].left, list[i].right, eval_expr(k->x->ev, cells, list[i].bound), list[i].is_strict);
}

static bool possible(tracker *k) {
    k->checks++;
    return Z3_solver_check(k->c, k->s) == Z3_L_TRUE;
}

// Can the formula hold now, for some truth values of its clock conditions?
static bool is_target(tracker *k, const form *clocks, const value *cells) {
    const timed_info *t = k->x->t;
    bool found = false;
    if (k->clock) {
        Z3_solver_push(k->c, k->s);
        must(k, clocks, 0, k->clock, -k->least, k->is_more);
        found = possible(k);
        Z3_solver_pop(k->c, k->s, 1);
        return found;
    }
    for (uint32_t truth = 0; !found && truth < 1u << t->atoms.len; truth++) {
        for (uint32_t i = 0; i < t->atoms.len; i++) eval_bind(k->x->ev, t->atoms.data[i].stands, truth >> i & 1);
        if (!eval_expr(k->x->ev, cells, k->formula)) continue;
        Z3_solver_push(k->c, k->s);
        for (uint32_t i = 0; i < t->atoms.len; i++) {
            const clock_bound *b = &t->atoms.data[i].is;
            int32_t most = eval_expr(k->x->ev, cells, b->bound);
            if (truth >> i & 1) must(k, clocks, b->left, b->right, most, b->is_strict);
            else must(k, clocks, b->right, b->left, -most, !b->is_strict);
        }
        found = possible(k);
        Z3_solver_pop(k->c, k->s, 1);
    }
    return found;
}

static bool run_from(tracker *k, const value *cells, const form *clocks, uint32_t depth);

static void set_forms(const network *x, const value *cells, const rule_info *r, const form *clocks, form *set) {
    memcpy(set, clocks, CLOCKS * sizeof *set);
    for (uint32_t i = 0; i < r->nresets; i++)
        if (holds(x, cells, r->resets[i].when))
            set[r->resets[i].clock] = (form){.base = eval_expr(x->ev, cells, r->resets[i].value)};
}

// ---- priorities: a step is possible where none of a higher one is, whose guard holds and the invariants after it

static value priority_of(const network *x, const value *cells, rule name) {
    const rule_info *r = rule_of(x->m, name);
    return r->priority.id ? eval_expr(x->ev, cells, r->priority) : 0;
}

static void all_asts(const tracker *k, const form *clocks, const value *cells, const clock_bound *list, uint32_t n,
                     Z3_ast *all) {
    for (uint32_t i = 0; i < n; i++) {
        if (!holds(k->x, cells, list[i].when)) continue;
        Z3_ast both[] = {*all, bound_ast(k, clocks, list[i].left, list[i].right,
                                         eval_expr(k->x->ev, cells, list[i].bound), list[i].is_strict)};
        *all = Z3_mk_and(k->c, 2, both);
    }
}

static void must_not_take(const tracker *k, const value *cells, const form *clocks, rule name) {
    const network *x = k->x;
    const rule_info *r = rule_of(x->m, name);
    const value none = 0;
    value *next = mem_zero(x->in->ncells + 1, sizeof *next);
    form set[CLOCKS];
    if (eval_enabled(x->ev, cells, name, &none)) {
        Z3_ast all = Z3_mk_true(k->c);
        all_asts(k, clocks, cells, r->bounds, r->nbounds, &all);
        set_forms(x, cells, r, clocks, set);
        if (eval_fire(x->ev, cells, name, &none, next) && holds(x, next, x->t->valid)) {
            all_asts(k, set, next, x->t->invariants.data, x->t->invariants.len, &all);
            Z3_solver_assert(k->c, k->s, Z3_mk_not(k->c, all));
        }
    }
    free(next);
}

static void must_be_first(const tracker *k, const value *cells, const form *clocks, rule name) {
    const network *x = k->x;
    for (uint32_t i = 0; x->t->has_priorities && i < x->system->rules.len; i++) {
        rule other = x->system->rules.data[i];
        if (priority_of(x, cells, other) > priority_of(x, cells, name)) must_not_take(k, cells, clocks, other);
    }
}

static bool run_step(tracker *k, const value *cells, const form *clocks, uint32_t depth, rule name, const value *args) {
    const network *x = k->x;
    const rule_info *r = rule_of(x->m, name);
    value *next = mem_zero(x->in->ncells + 1, sizeof *next);
    form set[CLOCKS];
    bool found = false;
    if (eval_enabled(x->ev, cells, name, args)) {
        Z3_solver_push(k->c, k->s);
        must_all(k, clocks, cells, r->bounds, r->nbounds);
        must_be_first(k, cells, clocks, name);
        set_forms(x, cells, r, clocks, set);
        found = eval_fire(x->ev, cells, name, args, next) && run_from(k, next, set, depth + 1);
        Z3_solver_pop(k->c, k->s, 1);
    }
    free(next);
    return found;
}

// Enters the state with these clocks, waits, and goes on.
static bool run_from(tracker *k, const value *cells, const form *clocks, uint32_t depth) {
    const network *x = k->x;
    form later[CLOCKS];
    bool stands[CLOCKS], found = false;
    assert_true(depth <= MOST_STEPS);
    if (!holds(x, cells, x->t->valid)) return false;
    Z3_solver_push(k->c, k->s);
    must_all(k, clocks, cells, x->t->invariants.data, x->t->invariants.len);
    find_standing(x, cells, stands);
    memcpy(later, clocks, sizeof later);
    for (uint32_t c = 1; c < CLOCKS; c++) later[c].has[depth] = !stands[c] && !is_still(x, cells);
    must_all(k, later, cells, x->t->invariants.data, x->t->invariants.len);
    if (possible(k)) {
        found = is_target(k, later, cells);
        for (uint32_t i = 0; !found && i < x->system->rules.len; i++) {
            rule r = x->system->rules.data[i];
            value *args = mem_zero(rule_of(x->m, r)->nparams + 1, sizeof *args);
            bool first = true;
            while (!found && eval_next_binding(x->in, r, args, &first))
                found = run_step(k, cells, later, depth, r, args);
            free(args);
        }
    }
    Z3_solver_pop(k->c, k->s, 1);
    return found;
}

static bool some_run(const network *x, expr formula, uint32_t clock, int32_t least, bool is_more) {
    Z3_config how = Z3_mk_config();
    tracker k = {.x = x, .formula = formula, .clock = clock, .least = least, .is_more = is_more};
    form clocks[CLOCKS] = {{0}};
    k.c = Z3_mk_context(how);
    Z3_del_config(how);
    k.s = Z3_mk_simple_solver(k.c);
    Z3_solver_inc_ref(k.c, k.s);
    for (int i = 0; i <= MOST_STEPS; i++) {
        k.delays[i] = Z3_mk_const(k.c, Z3_mk_int_symbol(k.c, i), Z3_mk_real_sort(k.c));
        Z3_solver_assert(k.c, k.s, Z3_mk_ge(k.c, k.delays[i], real(&k, 0)));
    }
    bool found = run_from(&k, x->start, clocks, 0);
    Z3_solver_dec_ref(k.c, k.s);
    Z3_del_context(k.c);
    return found;
}

// ---- halves: clocks in halves, cut off above the largest constant

enum { CUT = 2 * (LARGEST + 2) };

typedef struct {
    value *cells;
    int32_t clocks[CLOCKS];
} spot;

typedef struct {
    const network *x;
    expr within;  // only where this holds; id 0: everywhere
    bool ends;    // at clocks that would be cut off
    map *known;
    VEC(spot) spots;
    bool is_cut;  // there are more
} walker;

static bool bounds_hold(const network *x, const value *cells, const int32_t *clocks, int32_t unit,
                        const clock_bound *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!holds(x, cells, list[i].when)) continue;
        int32_t is = clocks[list[i].left] - clocks[list[i].right], most = unit * eval_expr(x->ev, cells, list[i].bound);
        if (list[i].is_strict ? is >= most : is > most) return false;
    }
    return true;
}

static bool may_be(const network *x, const value *cells, const int32_t *clocks, int32_t unit) {
    return holds(x, cells, x->t->valid) &&
           bounds_hold(x, cells, clocks, unit, x->t->invariants.data, x->t->invariants.len);
}

static void add_spot(walker *w, const value *cells, const int32_t *clocks) {
    size_t size = w->x->in->ncells * sizeof *cells + CLOCKS * sizeof *clocks;
    if (w->within.id && !eval_expr(w->x->ev, cells, w->within)) return;
    for (uint32_t c = 0; w->ends && c < CLOCKS; c++)
        if (clocks[c] > CUT) return;
    spot p = {.cells = mem_alloc(size)};
    memcpy(p.cells, cells, w->x->in->ncells * sizeof *cells);
    for (uint32_t c = 0; c < CLOCKS; c++) p.clocks[c] = clocks[c] > CUT ? CUT : clocks[c];
    memcpy(p.cells + w->x->in->ncells, p.clocks, sizeof p.clocks);
    if (w->spots.len >= SPOTS || map_get(w->known, p.cells, size, 0)) {
        w->is_cut |= w->spots.len >= SPOTS;
        free(p.cells);
        return;
    }
    map_put(w->known, p.cells, size, 1);
    vec_push(&w->spots, p);
}

// Takes the step if it is possible at these clocks, in this unit; `next` and `set` get where it leads.
static bool can_take(const network *x, const value *cells, const int32_t *clocks, int32_t unit, rule name, value *next,
                     int32_t *set) {
    const rule_info *r = rule_of(x->m, name);
    const value none = 0;
    if (!eval_enabled(x->ev, cells, name, &none)) return false;
    if (!bounds_hold(x, cells, clocks, unit, r->bounds, r->nbounds)) return false;
    memcpy(set, clocks, CLOCKS * sizeof *set);
    for (uint32_t i = 0; i < r->nresets; i++)
        if (holds(x, cells, r->resets[i].when))
            set[r->resets[i].clock] = unit * eval_expr(x->ev, cells, r->resets[i].value);
    return eval_fire(x->ev, cells, name, &none, next) && may_be(x, next, set, unit);
}

static bool is_first(const network *x, const value *cells, const int32_t *clocks, rule name, value *next) {
    int32_t set[CLOCKS];
    for (uint32_t i = 0; x->t->has_priorities && i < x->system->rules.len; i++) {
        rule other = x->system->rules.data[i];
        if (priority_of(x, cells, other) > priority_of(x, cells, name) &&
            can_take(x, cells, clocks, 2, other, next, set))
            return false;
    }
    return true;
}

static void later_by(const int32_t *clocks, const bool *stands, int32_t unit, int32_t by, int32_t *out) {
    for (uint32_t c = 0; c < CLOCKS; c++) out[c] = unit * clocks[c] + (c && !stands[c] ? by : 0);
}

// No step now or after any delay: tried in quarters, between which nothing changes.
static bool is_dead(const network *x, const spot *p, value *next) {
    int32_t later[CLOCKS], set[CLOCKS];
    bool stands[CLOCKS], still = is_still(x, p->cells);
    find_standing(x, p->cells, stands);
    for (int32_t t = 0; t <= 2 * CUT + 4 && (!t || !still); t++) {
        later_by(p->clocks, stands, 2, t, later);
        if (!may_be(x, p->cells, later, 4)) break;
        for (uint32_t i = 0; i < x->system->rules.len; i++)
            if (can_take(x, p->cells, later, 4, x->system->rules.data[i], next, set)) return false;
    }
    return true;
}

static void walk_from(walker *w, uint32_t number, value *next) {
    const network *x = w->x;
    spot p = w->spots.data[number];
    int32_t later[CLOCKS], set[CLOCKS];
    bool stands[CLOCKS];
    find_standing(x, p.cells, stands);
    later_by(p.clocks, stands, 1, 1, later);
    if (!is_still(x, p.cells) && may_be(x, p.cells, later, 2)) add_spot(w, p.cells, later);
    for (uint32_t i = 0; i < x->system->rules.len; i++)
        if (is_first(x, p.cells, p.clocks, x->system->rules.data[i], next) &&
            can_take(x, p.cells, p.clocks, 2, x->system->rules.data[i], next, set))
            add_spot(w, next, set);
}

static void walk_all(walker *w, const network *x, expr within, bool ends) {
    const int32_t clocks[CLOCKS] = {0};
    value *next = mem_zero(x->in->ncells + 1, sizeof *next);
    *w = (walker){.x = x, .within = within, .ends = ends, .known = map_new()};
    if (may_be(x, x->start, clocks, 2)) add_spot(w, x->start, clocks);
    for (uint32_t i = 0; i < w->spots.len; i++) walk_from(w, i, next);
    free(next);
}

static void walker_free(walker *w) {
    for (uint32_t i = 0; i < w->spots.len; i++) free(w->spots.data[i].cells);
    vec_free(&w->spots);
    map_free(w->known);
}

static bool some_spot(const walker *w, expr formula) {
    const timed_info *t = w->x->t;
    bool found = false;
    for (uint32_t k = 0; !found && k < w->spots.len; k++) {
        const spot *p = &w->spots.data[k];
        for (uint32_t i = 0; i < t->atoms.len; i++)
            if (!t->atoms.data[i].is_deadlock)
                eval_bind(w->x->ev, t->atoms.data[i].stands,
                          bounds_hold(w->x, p->cells, p->clocks, 2, &t->atoms.data[i].is, 1));
        found = eval_expr(w->x->ev, p->cells, formula);
    }
    return found;
}

static bool some_dead_spot(const walker *w) {
    value *next = mem_zero(w->x->in->ncells + 1, sizeof *next);
    bool found = false;
    for (uint32_t k = 0; !found && k < w->spots.len; k++) found = is_dead(w->x, &w->spots.data[k], next);
    free(next);
    return found;
}

// ---- the engine

typedef struct {
    verdict v;
    char reason[256];
} answer;

static void keep_begin(const zone_kept *k, void *context) { (void)k, (void)context; }
static void keep_swap(const uint32_t *cells, const value *a, const value *b, const uint32_t *clocks, void *context) {
    (void)cells, (void)a, (void)b, (void)clocks, (void)context;
}
static void keep_state(const value *cells, uint32_t zones, void *context) { (void)cells, (void)zones, (void)context; }
static void keep_zone(const int32_t *d, const uint32_t *rank, void *context) { (void)d, (void)rank, (void)context; }

// is_exact: without abstraction (where differences are compared, whoever wants a certificate gets that).
static answer ask_in_way(const network *x, prop p, bool is_plain, bool is_exact) {
    result *r = result_new();
    explore_options o = {.engine = ENGINE_BYTECODE,
                         .threads = is_plain ? 1 : 2,
                         .symmetry = SYMMETRY_EXACT,
                         .stores_all = is_plain,
                         .parallel_least = 1,
                         .self_check = SELF_CHECK_SAMPLE,
                         .counts_idle = true,
                         .limit_states = 20000};
    answer a = {VERDICT_UNKNOWN, "no answer"};
    const zone_keeper keeper = {keep_begin, keep_swap, keep_state, keep_zone, NULL};
    if (is_exact) o.limit_states = 600;
    zone_run(x->in, &p, 1, &o, is_exact ? &keeper : NULL, r);
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (r->properties.data[i].property.id == p.id) {
            a.v = r->properties.data[i].verdict;
            snprintf(a.reason, sizeof a.reason, "%s", r->properties.data[i].reason ? r->properties.data[i].reason : "");
        }
    result_free(r);
    return a;
}

static answer ask(const network *x, prop p, bool is_plain) { return ask_in_way(x, p, is_plain, false); }

typedef struct {
    uint32_t asked, unknown, holds, wrong, networks, found, exact;
} tally;

static bool differs(tally *t, const char *text, const char *query, const answer *a, const char *twin) {
    t->wrong++;
    printf("# differs on %s\n%s# engine: %s: %s\n# twin: %s\n", query, text, verdict_text(a->v), a->reason, twin);
    return false;
}

// `unknown` only because of clocks that stand still.
static bool count(tally *t, const char *text, const char *query, const answer *a) {
    t->asked++;
    t->unknown += a->v == VERDICT_UNKNOWN;
    t->holds += a->v == VERDICT_HOLDS;
    if (a->v == VERDICT_UNKNOWN && !strstr(a->reason, "over-approximated") && !strstr(a->reason, "larger than"))
        return differs(t, text, query, a, "another reason is expected");
    return true;
}

// sup: what is claimed is reached, and nothing above.
static bool sup_agrees(const network *x, const answer *a, uint32_t clock) {
    const char *is = strchr(a->reason, ':');
    if (!is || strstr(a->reason, "infinity")) return true;
    bool is_strict = is[2] == '<';
    int32_t v = atoi(is + 2 + 2 * is_strict);
    return some_run(x, (expr){0}, clock, v, false) != is_strict && !some_run(x, (expr){0}, clock, v, true);
}

static void try_runs(rng *r, shape how, tally *t) {
    str text = {0}, target = {0};
    network x;
    put_network(r, how, &text);
    str_add(&target, "E<> ");
    put_target(r, how, &target);
    const char *queries[] = {str_get(&target), "sup: x"};
    t->networks++;
    assert_true(read_network(str_get(&text), queries, 2, &x));
    answer a = ask(&x, (prop){1}, pick(r, 2)), b = ask(&x, (prop){2}, pick(r, 2));
    bool found = some_run(&x, prop_of(x.m, (prop){1})->cond, 0, 0, false);
    t->found += found;
    if (count(t, str_get(&text), queries[0], &a) && a.v != VERDICT_UNKNOWN && (a.v == VERDICT_HOLDS) != found)
        differs(t, str_get(&text), queries[0], &a, found ? "there is a run" : "there is none");
    if (count(t, str_get(&text), queries[1], &b) && b.v == VERDICT_HOLDS && !sup_agrees(&x, &b, 1))
        differs(t, str_get(&text), queries[1], &b, "no");
    close_network(&x);
    str_free(&text);
    str_free(&target);
}

static void try_halves(rng *r, shape how, tally *t) {
    str text = {0}, target = {0}, kept = {0};
    network x;
    put_network(r, how, &text);
    str_add(&target, "E<> ");
    put_target(r, how, &target);
    str_printf(&kept, "E[] not P0.L%u", 1 + pick(r, LOCATIONS - 1));
    const char *queries[] = {str_get(&target), "E<> deadlock", str_get(&kept)};
    t->networks++;
    assert_true(read_network(str_get(&text), queries, 3, &x));
    walker all, inner;
    walk_all(&all, &x, (expr){0}, how.has_differences);
    walk_all(&inner, &x, prop_of(x.m, (prop){3})->cond, how.has_differences);
    bool found[] = {some_spot(&all, prop_of(x.m, (prop){1})->cond), some_dead_spot(&all), some_dead_spot(&inner)};
    for (uint32_t i = 0; i < 3; i++) {
        answer a = ask(&x, (prop){i + 1}, pick(r, 2));
        t->found += found[i];
        if (count(t, str_get(&text), queries[i], &a) && found[i] && a.v == VERDICT_VIOLATED)
            differs(t, str_get(&text), queries[i], &a, "a run in halves says it holds");
        if (!how.has_differences || a.v == VERDICT_UNKNOWN) continue;
        answer b = ask_in_way(&x, (prop){i + 1}, true, true);
        t->exact += b.v != VERDICT_UNKNOWN;
        if (b.v != VERDICT_UNKNOWN && b.v != a.v)
            differs(t, str_get(&text), queries[i], &a, "without abstraction it is the other way round");
    }
    walker_free(&all);
    walker_free(&inner);
    close_network(&x);
    str_free(&text);
    str_free(&target);
    str_free(&kept);
}

static void report(const char *what, const tally *t) {
    printf("# %u networks, %u found by the twin, %u asked without abstraction; %u answers: %u hold, %u unknown\n",
           t->networks, t->found, t->exact, t->asked, t->holds, t->unknown);
    printf("# tally: %s | %u cases | %u wrong\n", what, t->asked, t->wrong);
    assert_int_equal(t->wrong, 0);
    assert_true(t->unknown < t->asked / 4);
    assert_true(t->holds > t->asked / 8);
}

static void try_many(uint64_t seed, shape how, const char *what) {
    rng r = {part_seed(seed)};
    tally t = {0};
    const uint64_t wanted = part_rounds(NETWORKS, LONG_NETWORKS);
    while (t.networks < wanted && t.wrong < 3)
        if (how.loops) try_halves(&r, how, &t);
        else try_runs(&r, how, &t);
    report(what, &t);
}

static void test_stopwatch_runs(void **state) {
    (void)state;
    try_many(811, (shape){.has_rates = true}, "stopwatches against all runs, solved exactly");
}

static void test_stopwatch_halves(void **state) {
    (void)state;
    try_many(812, (shape){.has_rates = true, .loops = true}, "stopwatches against runs in halves");
}

static void test_priority_runs(void **state) {
    (void)state;
    try_many(815, (shape){.has_rates = true, .has_priorities = true}, "stopwatches with priorities against all runs");
}

static void test_priority_halves(void **state) {
    (void)state;
    shape how = {.has_rates = true, .has_priorities = true, .loops = true};
    try_many(816, how, "stopwatches with priorities against runs in halves");
}

static void test_difference_runs(void **state) {
    (void)state;
    try_many(813, (shape){.has_differences = true}, "differences of clocks against all runs, solved exactly");
}

static void test_difference_halves(void **state) {
    (void)state;
    try_many(814, (shape){.has_differences = true, .loops = true}, "differences of clocks against runs in halves");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopwatch_runs),  cmocka_unit_test(test_stopwatch_halves),
        cmocka_unit_test(test_priority_runs),   cmocka_unit_test(test_priority_halves),
        cmocka_unit_test(test_difference_runs), cmocka_unit_test(test_difference_halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
