// SPDX-License-Identifier: Apache-2.0
// A timed system made executable: see net.h.
#include "zone/net.h"

#include "base/map.h"
#include "model/eval.h"
#include "model/expr.h"
#include "model/walk.h"

#include <assert.h>
#include <string.h>

// ---- making

uint32_t net_add_check(net *x, expr e) {
    vec_push(&x->checks, e);
    return x->checks.len - 1;
}

// An expression with a label's values for the parameters.
static expr net_bound_to(const net *x, const net_label *l, expr e) {
    const rule_info *r = l ? rule_of(x->m, l->r) : NULL;
    if (!l || !r->nparams) return e;
    expr *with = mem_alloc(r->nparams * sizeof *with);
    for (uint32_t i = 0; i < r->nparams; i++)
        with[i] = expr_const(x->in->m, var_of(x->m, r->params[i])->ty, l->args[i]);
    expr out = expr_subst(x->in->m, e, rule_of(x->m, l->r)->params, with, rule_of(x->m, l->r)->nparams);
    free(with);
    return out;
}

static bool constant_of(const net *x, const net_label *l, expr e, value *v) {
    return expr_is_const(x->m, net_bound_to(x, l, e), v);
}

// cell = value, where the cell is given by constants?
static bool add_equation(net *x, const expr_info *i) {
    bool swapped = expr_kind_of(x->m, i->args[0]) == E_CONST;
    const expr_info *app = expr_of(x->m, i->args[swapped ? 1 : 0]);
    value args[16], v;
    if (app->kind != E_APP || app->nargs > 16 || !expr_is_const(x->m, i->args[swapped ? 0 : 1], &v)) return false;
    for (uint32_t k = 0; k < app->nargs; k++)
        if (!expr_is_const(x->m, app->args[k], &args[k])) return false;
    uint32_t cell = instance_cell(x->in, (func){app->ref}, args);
    if (cell == UINT32_MAX) return false;
    vec_push(&x->tests, (net_test){cell, v});
    return true;
}

static bool add_tests(net *x, expr e) {
    walk w = walk_expr(x->m, e, 0);
    while (walk_next(&w)) {
        if (w.x->kind == E_AND || expr_is_true(x->m, w.e)) continue;
        if (w.x->kind != E_EQ || !add_equation(x, w.x)) return !walk_found(&w);
        walk_skip(&w);
    }
    return true;
}

// A condition as tests; false: it is something else, or never holds (*never).
static bool tests_of(net *x, const net_label *l, expr when, net_tests *out, bool *never) {
    value v;
    *out = (net_tests){x->tests.len, 0};
    *never = false;
    if (!when.id) return true;
    when = net_bound_to(x, l, when);
    *never = expr_is_const(x->m, when, &v) && !v;
    if (*never || !add_tests(x, when)) {
        x->tests.len = out->first;
        return false;
    }
    out->n = x->tests.len - out->first;
    return true;
}

static bool tests_hold(const net *x, net_tests t, const value *cells) {
    for (uint32_t i = 0; i < t.n; i++)
        if (cells[x->tests.data[t.first + i].cell] != x->tests.data[t.first + i].is) return false;
    return true;
}

static bound bound_of(const clock_bound *b, value v) { return b->is_strict ? bound_lt(v) : bound_le(v); }

static net_bound make_bound(const net *x, const net_label *l, const clock_bound *b) {
    value v = 0;
    net_bound out = {.left = b->left, .right = b->right, .from = b, .check = UINT32_MAX};
    out.is_constant = constant_of(x, l, b->bound, &v);
    out.b = bound_of(b, v);
    return out;
}

static net_bound label_bound(net *x, const net_label *l, const clock_bound *b) {
    bool never;
    net_bound out = make_bound(x, l, b);
    out.is_constant &= tests_of(x, l, b->when, &out.when, &never);
    if (!never) return out;
    out.is_constant = true;
    out.b = BOUND_INF;
    return out;
}

// False: it never applies.
static bool label_reset(net *x, const net_label *l, const clock_reset *r, net_reset *out) {
    value v = 0;
    bool never;
    *out = (net_reset){.clock = r->clock, .from = r};
    out->is_constant = tests_of(x, l, r->when, &out->when, &never) && constant_of(x, l, r->value, &v);
    out->value = v;
    return !never;
}

// What the clauses of a rule (its bounds, then what it sets) become for a label depends on the parameters that they
// mention: each is made once for all labels that agree on those. A broadcast to many has many labels, and each clause
// mentions what one receiver chooses.
typedef struct {
    rule r;
    VEC(uint32_t) uses, ends;  // by clause: the parameters it mentions, and where their list ends
    map *known;                // a clause and their values: its place among those made
    VEC(net_bound) bounds;
    VEC(net_reset) resets;  // one that never applies has UINT32_MAX for a clock
    VEC(value) key;
} label_clauses;

static void clauses_clear(label_clauses *k) {
    if (k->known) map_free(k->known);
    k->known = NULL;
    vec_clear(&k->uses);
    vec_clear(&k->ends);
    vec_clear(&k->bounds);
    vec_clear(&k->resets);
}

static void clauses_free(label_clauses *k) {
    clauses_clear(k);
    vec_free(&k->uses);
    vec_free(&k->ends);
    vec_free(&k->bounds);
    vec_free(&k->resets);
    vec_free(&k->key);
}

static void clauses_add(label_clauses *k, const net *x, const rule_info *r, expr is, expr when) {
    for (uint32_t i = 0; i < r->nparams; i++)
        if (expr_has_var(x->m, is, r->params[i]) || (when.id && expr_has_var(x->m, when, r->params[i])))
            vec_push(&k->uses, i);
    vec_push(&k->ends, k->uses.len);
}

static void clauses_begin(label_clauses *k, const net *x, rule r) {
    const rule_info *info = rule_of(x->m, r);
    clauses_clear(k);
    k->r = r;
    k->known = map_new();
    for (uint32_t i = 0; i < info->nbounds; i++) clauses_add(k, x, info, info->bounds[i].bound, info->bounds[i].when);
    for (uint32_t i = 0; i < info->nresets; i++) clauses_add(k, x, info, info->resets[i].value, info->resets[i].when);
}

// How many parameters there are up to the last that a clause mentions.
static uint32_t clauses_known(const label_clauses *k, uint32_t clause) {
    bool is_none = k->ends.data[clause] == (clause ? k->ends.data[clause - 1] : 0);
    return is_none ? 0 : k->uses.data[k->ends.data[clause] - 1] + 1;
}

// Where a label's clause is, or would be: `next`, and then it is to be made.
static uint32_t clauses_place(label_clauses *k, const net_label *l, uint32_t clause, uint32_t next) {
    vec_clear(&k->key);
    vec_push(&k->key, (value)clause);
    for (uint32_t i = clause ? k->ends.data[clause - 1] : 0; i < k->ends.data[clause]; i++)
        vec_push(&k->key, l->args[k->uses.data[i]]);
    return map_intern(k->known, k->key.data, k->key.len * sizeof *k->key.data, next);
}

static void label_add_bound(net *x, label_clauses *k, const net_label *l, uint32_t i) {
    uint32_t place = clauses_place(k, l, i, k->bounds.len);
    if (place == k->bounds.len) {
        vec_push(&k->bounds, label_bound(x, l, &rule_of(x->m, l->r)->bounds[i]));
        vec_last(&k->bounds).known = clauses_known(k, i);
    }
    vec_push(&x->bounds, k->bounds.data[place]);
}

static void label_add_reset(net *x, label_clauses *k, const net_label *l, uint32_t i) {
    uint32_t place = clauses_place(k, l, l->nbounds + i, k->resets.len);
    if (place == k->resets.len) {
        net_reset made;
        if (!label_reset(x, l, &rule_of(x->m, l->r)->resets[i], &made)) made.clock = UINT32_MAX;
        vec_push(&k->resets, made);
    }
    if (k->resets.data[place].clock != UINT32_MAX) vec_push(&x->resets, k->resets.data[place]);
}

static void add_label(net *x, label_clauses *k, rule r, const value *args) {
    const uint32_t nparams = rule_of(x->m, r)->nparams, nresets = rule_of(x->m, r)->nresets;
    bool is_first = !k->known || k->r.id != r.id;
    net_label l = {.r = r, .first_bound = x->bounds.len, .first_reset = x->resets.len};
    l.nbounds = rule_of(x->m, r)->nbounds;
    l.args = arena_copy(x->memory, args, (nparams + 1) * sizeof *args);
    if (is_first) clauses_begin(k, x, r);
    for (uint32_t i = 0; i < l.nbounds; i++) label_add_bound(x, k, &l, i);
    for (uint32_t i = 0; i < nresets; i++) label_add_reset(x, k, &l, i);
    l.nresets = x->resets.len - l.first_reset;
    l.can_fault = is_first ? net_label_can_fault(x, &l) : x->labels.data[x->labels.len - 1].can_fault;
    vec_push(&x->labels, l);
}

static bool has_constants(const net *x, const net_label *l) {
    bool all = !l->can_fault;
    for (uint32_t i = 0; i < l->nbounds; i++) all &= x->bounds.data[l->first_bound + i].is_constant;
    for (uint32_t i = 0; i < l->nresets; i++) all &= x->resets.data[l->first_reset + i].is_constant;
    return all;
}

static void find_several(net *x) {
    for (uint32_t i = 0; i < x->labels.len; i++) {
        net_label *l = &x->labels.data[i];
        bool is_alone = (!i || l[-1].r.id != l->r.id) && (i + 1 == x->labels.len || l[1].r.id != l->r.id);
        l->is_one_of = !is_alone && has_constants(x, l);
        if (l->nbounds > x->most_bounds) x->most_bounds = l->nbounds;
        for (uint32_t k = 0; k < l->nbounds; k++)
            if (x->bounds.data[l->first_bound + k].known > l->known)
                l->known = x->bounds.data[l->first_bound + k].known;
    }
}

static void add_labels(net *x) {
    value *args = mem_zero(model_most_params(x->m) + 1, sizeof *args);
    label_clauses clauses = {0};
    for (uint32_t i = 0; i < space_labels(x->s); i++) {
        rule r = space_label(x->s, i, args);
        add_label(x, &clauses, r, args);
    }
    clauses_free(&clauses);
    free(args);
    find_several(x);
}

static void net_add_invariants(net *x) {
    for (uint32_t i = 0; i < x->t->invariants.len; i++) {
        const clock_bound *b = &x->t->invariants.data[i];
        net_bound out = make_bound(x, NULL, b);
        if (b->when.id) out.check = net_add_check(x, b->when);
        vec_push(&x->invariants, out);
    }
}

static bool collect_atoms(const net *x, expr e, net_formula *f) {
    for (uint32_t i = 0; i < x->t->atoms.len; i++) {
        if (!expr_has_var(x->m, e, x->t->atoms.data[i].stands)) continue;
        if (f->natoms == NET_MOST_ATOMS) return false;
        f->atoms[f->natoms++] = i;
    }
    return true;
}

static void net_expand_formula(net *x, const net_formula *f) {
    assert(f->natoms <= NET_MOST_EXPANDED);
    for (uint32_t k = 0; k < 1u << f->natoms; k++) {
        var vars[NET_MOST_EXPANDED];
        expr with[NET_MOST_EXPANDED];
        for (uint32_t i = 0; i < f->natoms; i++) {
            vars[i] = x->t->atoms.data[f->atoms[i]].stands;
            with[i] = expr_bool(x->in->m, k >> i & 1);
        }
        net_add_check(x, f->natoms ? expr_subst(x->in->m, f->e, vars, with, f->natoms) : f->e);
    }
}

// What it takes to be accepted was asked before (refuse.c).
static void net_add_formula(net *x, expr e) {
    net_formula f = {.e = e, .first_check = x->checks.len};
    bool fits = collect_atoms(x, e, &f);
    assert(fits);
    (void)fits;
    for (uint32_t i = 0; i < f.natoms; i++) {
        const clock_atom *a = &x->t->atoms.data[f.atoms[i]];
        if (!a->is_deadlock && a->is.left && a->is.right && !x->diagonal) x->diagonal = &a->is;
    }
    if (f.natoms > NET_MOST_EXPANDED || (f.natoms && formula_is_tree(x->m, x->t, e))) formula_make_tree(x, &f);
    else net_expand_formula(x, &f);
    vec_push(&x->formulas, f);
}

// The clocks that bounds on time are about are not the user's.
static bool check_clocks(const net *x) {
    uint32_t own = x->t->clocks.len - 1 - (x->t->time_clock > 0) - (x->t->since_clock > 0);
    if (own <= DBM_MOST_OWN) return true;
    diag_error(x->m->messages, sys_of(x->m, x->in->system)->at, "the system has %u clocks; at most %d are supported",
               own, DBM_MOST_OWN);
    return false;
}

static bool is_constant_within(const net *x, expr e) {
    int64_t lo, hi;
    expr_bounds(x->m, e, &lo, &hi);
    return lo >= -BOUND_LARGEST && hi <= BOUND_LARGEST;
}

static bool net_too_large(const net *x, span at) {
    diag_error(x->m->messages, at, "clocks are compared with numbers of at most %d", BOUND_LARGEST);
    return false;
}

static bool check_bound(net *x, const clock_bound *b) {
    if (b->left && b->right && !x->diagonal) x->diagonal = b;
    return is_constant_within(x, b->bound) || net_too_large(x, b->at);
}

static bool check_constants(net *x) {
    const sys_info *s = sys_of(x->m, x->in->system);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->rules.len; i++) {
        const rule_info *r = rule_of(x->m, s->rules.data[i]);
        for (uint32_t k = 0; ok && k < r->nbounds; k++) ok = check_bound(x, &r->bounds[k]);
        for (uint32_t k = 0; ok && k < r->nresets; k++)
            ok = is_constant_within(x, r->resets[k].value) || net_too_large(x, r->resets[k].at);
    }
    for (uint32_t i = 0; ok && i < x->t->invariants.len; i++) ok = check_bound(x, &x->t->invariants.data[i]);
    return ok;
}

static bool net_make_space(net *x, net_how how) {
    x->s = space_new(x->in, &(space_options){.checks = x->checks.data,
                                             .nchecks = x->checks.len,
                                             .by_evaluator = how.by_evaluator,
                                             .is_plain = how.by_evaluator,
                                             .taken_apart = how.taken_apart});
    if (!x->s) return false;
    x->words = space_words(x->s);
    x->check_words = (x->checks.len + 63) / 64;
    return true;
}

static bool has_variables(const net *x) {
    value v;
    bool some = x->t->has_priorities;
    for (uint32_t i = 0; i < x->bounds.len; i++) some |= !x->bounds.data[i].is_constant;
    for (uint32_t i = 0; i < x->resets.len; i++) some |= !x->resets.data[i].is_constant;
    for (uint32_t i = 0; i < x->invariants.len; i++) some |= !x->invariants.data[i].is_constant;
    for (uint32_t i = 0; i < x->t->atoms.len; i++)
        some |= !x->t->atoms.data[i].is_deadlock && !expr_is_const(x->m, x->t->atoms.data[i].is.bound, &v);
    return some;
}

net *net_new(const instance *in, const expr *formulas, uint32_t nformulas, net_how how) {
    arena *memory = arena_new();
    net *x = arena_alloc(memory, sizeof *x);
    x->memory = memory;
    x->in = in;
    x->m = in->m;
    x->t = sys_of(in->m, in->system)->timed;
    x->n = x->t->clocks.len;
    x->keeps_regions = how.keeps_regions;
    x->ev = eval_new(in);
    x->still = net_add_check(x, x->t->still.id ? x->t->still : in->m->false_expr);
    x->valid = net_add_check(x, x->t->valid.id ? x->t->valid : in->m->true_expr);
    bool ok = check_clocks(x) && check_constants(x);
    if (ok) net_add_invariants(x);
    if (ok) net_add_rates(x);
    for (uint32_t i = 0; ok && i < nformulas; i++) net_add_formula(x, formulas[i]);
    if (ok) net_find_suspects(x);
    ok = ok && net_make_space(x, how);
    if (!ok) {
        net_free(x);
        return NULL;
    }
    add_labels(x);
    bool splits = x->diagonal && how.splits && how.is_abstract && net_find_diagonals(x);
    if (x->diagonal && !splits)
        diag_warning(x->m->messages, x->diagonal->at,
                     "differences of clocks are compared, so zones are not abstracted: the search may not end");
    x->is_abstract = how.is_abstract && x->n > 1 && (!x->diagonal || splits);
    net_find_bounds(x);
    x->needs_evaluator = has_variables(x) || x->suspects.len;
    return x;
}

void net_free(net *x) {
    if (!x) return;
    vec_free(&x->limits);
    vec_free(&x->diagonals);
    vec_free(&x->tests);
    vec_free(&x->labels);
    vec_free(&x->bounds);
    vec_free(&x->resets);
    vec_free(&x->invariants);
    vec_free(&x->rates);
    vec_free(&x->formulas);
    vec_free(&x->checks);
    vec_free(&x->suspects);
    space_free(x->s);
    eval_free(x->ev);
    arena_free(x->memory);
}

// ---- rooms

static void *room_for(arena *memory, size_t n, size_t size) { return arena_alloc(memory, (n + 1) * size); }

net_steps net_steps_new(const net *x, arena *memory) {
    uint32_t labels = space_labels(x->s);
    net_steps s = {.x = x};
    s.state = room_for(memory, x->words, sizeof *s.state);
    s.next = room_for(memory, (size_t)labels * x->words, sizeof *s.next);
    s.cells = room_for(memory, x->in->ncells, sizeof *s.cells);
    s.labels = room_for(memory, labels, sizeof *s.labels);
    s.sieve = net_sieve_new(x, memory);
    return s;
}

void net_steps_look(net_steps *s, const uint64_t *state) {
    memmove(s->state, state, s->x->words * sizeof *state);
    space_unpack(s->x->s, s->state, s->cells);
}

void net_steps_find(net_steps *s, net_room *w, const uint64_t *state) {
    net_steps_look(s, state);
    s->count = space_next(w->run, s->state, s->next, s->labels);
}

static bool reset_value(const net *x, const net_label *l, const net_reset *r, const value *cells, int32_t *v) {
    *v = r->value;
    if (r->is_constant) return tests_hold(x, r->when, cells);
    net_bind_label(x, l);
    if (r->from->when.id && !eval_expr(x->ev, cells, r->from->when)) return false;
    *v = eval_expr(x->ev, cells, r->from->value);
    return true;
}

bool net_step_is_idle(const net_steps *s, uint32_t i) {
    const net_label *l = net_step_label(s, i);
    bool idle = !net_step_fails(s, i) && memcmp(s->state, net_step_to(s, i), s->x->words * sizeof *s->state) == 0;
    for (uint32_t k = 0; k < l->nresets && idle; k++) {
        int32_t v;
        idle = !reset_value(s->x, l, &s->x->resets.data[l->first_reset + k], s->cells, &v);
    }
    return idle;
}

net_room *net_room_new(const net *x) {
    arena *memory = arena_new();
    net_room *w = arena_alloc(memory, sizeof *w);
    *w = (net_room){.memory = memory, .x = x, .run = space_run_new(x->s), .steps = net_steps_new(x, memory)};
    w->bits = room_for(memory, x->check_words, sizeof *w->bits);
    w->cells = room_for(memory, x->in->ncells, sizeof *w->cells);
    w->lower = room_for(memory, x->n, sizeof *w->lower);
    w->upper = room_for(memory, x->n, sizeof *w->upper);
    w->stands = room_for(memory, x->n, sizeof *w->stands);
    w->stands[0] = true;
    return w;
}

void net_room_free(net_room *w) {
    if (!w) return;
    space_run_free(w->run);
    arena_free(w->memory);
}

// ---- bounds in a state

bound net_plain_bound(const net *x, const clock_bound *b, const value *cells) {
    if (b->when.id && !eval_expr(x->ev, cells, b->when)) return BOUND_INF;
    return bound_of(b, eval_expr(x->ev, cells, b->bound));
}

bound net_bound_in(const net *x, const net_bound *b, const value *cells) {
    if (!b->is_constant) return net_plain_bound(x, b->from, cells);
    return tests_hold(x, b->when, cells) ? b->b : BOUND_INF;
}

bound net_atom_bound(const net *x, uint32_t atom, const value *cells) {
    const clock_bound *b = &x->t->atoms.data[atom].is;
    value v;
    return expr_is_const(x->m, b->bound, &v) ? bound_of(b, v) : net_plain_bound(x, b, cells);
}

void net_bind_label(const net *x, const net_label *l) {
    const rule_info *r = rule_of(x->m, l->r);
    for (uint32_t i = 0; i < r->nparams; i++) eval_bind(x->ev, r->params[i], l->args[i]);
}

bound net_label_bound(const net *x, const net_label *l, const net_bound *b, const value *cells) {
    if (!b->is_constant) net_bind_label(x, l);
    return net_bound_in(x, b, cells);
}

bool net_guard(const net *x, const net_label *l, const value *cells, bound *d) {
    bool bound_params = false;
    for (uint32_t i = 0; i < l->nbounds; i++) {
        const net_bound *b = &x->bounds.data[l->first_bound + i];
        if (!b->is_constant && !bound_params) net_bind_label(x, l);
        bound_params |= !b->is_constant;
        bound is = net_bound_in(x, b, cells);
        if (is != BOUND_INF && !dbm_constrain(d, x->n, b->left, b->right, is)) return false;
    }
    return true;
}

bool net_resets(const net *x, const net_label *l, const value *cells, bound *d) {
    for (uint32_t i = 0; i < l->nresets; i++) {
        const net_reset *r = &x->resets.data[l->first_reset + i];
        int32_t v;
        if (!reset_value(x, l, r, cells, &v)) continue;
        if (v < 0) return false;
        dbm_reset(d, x->n, r->clock, v);
    }
    return true;
}

void net_first_zone(const net *x, bound *d) {
    dbm_zero(d, x->n);
    for (uint32_t c = 1; c < x->n; c++)
        if (x->t->clocks.data[c].initial) dbm_reset(d, x->n, c, x->t->clocks.data[c].initial);
}

static void set_none(const net *x, int32_t *set) {
    for (uint32_t c = 0; c < x->n; c++) set[c] = NET_UNSET;
}

void net_settings(const net *x, const net_label *l, const value *cells, int32_t *set) {
    set_none(x, set);
    for (uint32_t i = 0; i < l->nresets; i++) {
        const net_reset *r = &x->resets.data[l->first_reset + i];
        int32_t v;
        if (reset_value(x, l, r, cells, &v)) set[r->clock] = v;
    }
}

bool net_effect(const net *x, const net_label *l, const value *cells, int32_t *effect) {
    int32_t *set = effect + l->nbounds;
    bool ok = true;
    for (uint32_t i = 0; i < l->nbounds; i++) effect[i] = net_bound_in(x, &x->bounds.data[l->first_bound + i], cells);
    set_none(x, set);
    for (uint32_t i = 0; i < l->nresets; i++) {
        const net_reset *r = &x->resets.data[l->first_reset + i];
        if (!tests_hold(x, r->when, cells)) continue;
        set[r->clock] = r->value;
        ok &= r->value >= 0;
    }
    return ok;
}

void net_plain_settings(const net *x, const rule_info *r, const value *cells, int32_t *set) {
    set_none(x, set);
    for (uint32_t i = 0; i < r->nresets; i++)
        if (!r->resets[i].when.id || eval_expr(x->ev, cells, r->resets[i].when))
            set[r->resets[i].clock] = eval_expr(x->ev, cells, r->resets[i].value);
}

// ---- entering a state

void net_look(net_room *w, const uint64_t *state) {
    space_check(w->run, state, w->bits);
    space_unpack(w->x->s, state, w->cells);
    if (w->x->rates.len) net_find_stops(w);
}

static bool net_invariants_hold(net_room *w, bound *d) {
    const net *x = w->x;
    for (uint32_t i = 0; i < x->invariants.len; i++) {
        const net_bound *b = &x->invariants.data[i];
        if (b->check != UINT32_MAX && !net_bit(w, b->check)) continue;
        if (!dbm_constrain(d, x->n, b->left, b->right, net_bound_in(x, b, w->cells))) return false;
    }
    return true;
}

bool net_enter(net_room *w, bound *d, bool abstract) {
    const net *x = w->x;
    if (!net_bit(w, x->valid) || !net_invariants_hold(w, d)) return false;
    w->is_loose = w->met_stop = false;
    if (!net_is_still(w)) {
        net_let_pass(w, d, abstract);
        bool some = net_invariants_hold(w, d);
        assert(some);
        (void)some;
    }
    return !abstract || net_abstract(w, d);
}

bool net_abstract(net_room *w, bound *d) {
    if (w->forgets) dbm_free_clock(d, w->x->n, w->forgets);
    if (!w->x->is_abstract) {
        bool fits = dbm_fits(d, w->x->n);
        w->is_far |= !fits;
        return fits;
    }
    net_bounds_in(w, w->cells);
    if (w->x->diagonals.len) net_abstract_part(w, d);
    else dbm_extrapolate(d, w->x->n, w->lower, w->upper);
    return true;
}

// left - right within b after the label, as a bound before it.
static bool net_constrain_before(const net *x, const int32_t *set, uint32_t left, uint32_t right, bound b, bound *d) {
    if (b == BOUND_INF) return true;
    int32_t cl = left && set[left] >= 0 ? set[left] : 0, cr = right && set[right] >= 0 ? set[right] : 0;
    uint32_t l = left && set[left] >= 0 ? 0 : left, r = right && set[right] >= 0 ? 0 : right;
    bound moved = b + 2 * (cr - cl);
    if (l == r) return moved >= BOUND_LE_ZERO;
    return dbm_constrain(d, x->n, l, r, moved);
}

bool net_before(net_room *w, const net_label *l, const value *cells, bound *d) {
    const net *x = w->x;
    int32_t set[DBM_MOST_CLOCKS + 1];
    if (!net_guard(x, l, cells, d) || !net_bit(w, x->valid)) return false;
    net_settings(x, l, cells, set);
    for (uint32_t i = 0; i < x->invariants.len; i++) {
        const net_bound *b = &x->invariants.data[i];
        if (b->check != UINT32_MAX && !net_bit(w, b->check)) continue;
        if (!net_constrain_before(x, set, b->left, b->right, net_bound_in(x, b, w->cells), d)) return false;
    }
    return true;
}
