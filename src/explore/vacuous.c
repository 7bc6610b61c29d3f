// SPDX-License-Identifier: Apache-2.0
// Did the search try anything? How often each rule fired is counted along the way (expand.c). After a complete search
// in which nothing went wrong, these make its answers say less than they seem to:
// - a rule that never fired, or none that did;
// - an invariant `premise -> conclusion`, below `forall` and `&`, whose premise was never true;
// - a counter that reached the end of its range, where a bound keeps a rule from counting further: runs that go
//   further were cut.
//
// Premises are judged by the reference evaluator, on all states or on evenly spaced ones if there are many: the
// sentence says which. The effort is counted in evaluations, so the answer does not depend on the
// machine.
#include "explore/vacuous.h"

#include "explore/explore.h"
#include "explore/order.h"
#include "explore/search.h"
#include "explore/share.h"
#include "explore/store.h"
#include "space/space.h"

#include "model/expr.h"
#include "model/print.h"
#include "model/walk.h"
#include "result/doubt.h"

enum { MOST_EVALUATIONS = 200000, LEAST_STATES = 64, MOST_BOUND_STATES = 100000, MOST_PREMISES = 1000 };

// ---- rules

static uint64_t *vacuous_count_rules(search *s) {
    uint64_t *fired = mem_zero(s->in->m->rules.len + 1, sizeof *fired);
    for (uint32_t label = 0; label < s->nlabels; label++) {
        uint32_t r = space_label(s->x->sp, label, s->workers[0]->args).id;
        for (uint32_t i = 0; i < s->nworkers; i++) fired[r] += s->workers[i]->fired[label];
    }
    share_sum(s, fired, s->in->m->rules.len + 1);
    return fired;
}

static bool note_rules(const search *s, const uint64_t *fired, result *out) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    bool any = false;
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *r = rule_of(s->in->m, system->rules.data[i]);
        doubt_count_rule(out, r->name, r->at, fired[system->rules.data[i].id]);
        any |= fired[system->rules.data[i].id] > 0;
    }
    return any;
}

static void vacuous_doubt_rules(const search *s, const uint64_t *fired, bool any, result *out) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    if (!any) {
        doubt_add(out, DOUBT_NO_STEP, system->name, "no action is ever possible at these sizes");
        return;
    }
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *r = rule_of(s->in->m, system->rules.data[i]);
        if (fired[system->rules.data[i].id]) continue;
        doubt_add(out, DOUBT_RULE, r->name, result_text(out, "'%s' never happened", r->name));
    }
}

// ---- premises

typedef struct {
    search *s;
    worker *w;
    result *out;
} looking;

typedef struct {
    vacuous_premise found;
    void *context;
    var_list vars;
    uint32_t left;  // expressions: shared ones are met again, so their number is limited
} premise_walk;

// False: another rank has it, and looks at it.
static bool vacuous_look_at(looking *l, uint64_t number) {
    store_id id = order_id(&l->s->x->numbers, number);
    if (!share_owns(l->s, store_id_part(id))) return false;
    store_get(l->s->x->states, id, l->w->state);
    space_unpack(l->s->x->sp, l->w->state, l->w->cells);
    return true;
}

static uint64_t bindings(const instance *in, const var_list *vars) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < vars->len && n < MOST_EVALUATIONS; i++)
        n *= instance_type_size(in, var_of(in->m, vars->data[i])->ty);
    return n ? n : 1;
}

// Is the premise true in some state that is looked at? A fault counts as true: it does not make the premise empty.
static bool is_ever_true_here(looking *l, expr premise, uint64_t step) {
    for (uint64_t i = 0; i < explored_count(l->s->x); i += step)
        if (vacuous_look_at(l, i) && (eval_expr(l->w->ev, l->w->cells, premise) || eval_fault(l->w->ev).kind))
            return true;
    return false;
}

static bool is_ever_true(looking *l, expr premise, uint64_t step) {
    return share_any(l->s, is_ever_true_here(l, premise, step));
}

void vacuous_doubt_premise(model *m, sys system, const char *name, expr premise, bool is_part, result *out) {
    str text = {0};
    str_printf(&text, "the premise of '%s', `", name);
    print_expr_in(m, system, premise, &text);
    str_add(&text, "`, was never true");
    doubt_add_in(out, DOUBT_PREMISE, name, str_get(&text), is_part ? " in the states looked at" : "");
    str_free(&text);
}

// The premise is that of all implications around it, too.
static void each_premise(model *m, expr e, expr before, premise_walk *w) {
    const expr_info x = *expr_of(m, e);
    if (!w->left) return;
    w->left--;
    if (x.kind == E_CALL) {
        const def_info d = *def_of(m, (def){x.ref});
        each_premise(m, expr_subst(m, d.body, d.params, x.args, d.nparams), before, w);
    } else if (x.kind == E_FORALL) {
        vec_push(&w->vars, (var){x.ref});
        each_premise(m, x.args[0], before, w);
        w->vars.len--;
    } else if (x.kind == E_AND) {
        for (uint32_t i = 0; i < x.nargs; i++) each_premise(m, x.args[i], before, w);
    } else if (x.kind == E_IMPLIES) {
        expr premise = before.id ? expr_and(m, before, x.args[0]) : x.args[0];
        if (w->found(premise, &w->vars, w->context)) each_premise(m, x.args[1], premise, w);
    }
}

void vacuous_each_premise(model *m, expr cond, vacuous_premise found, void *context) {
    premise_walk w = {.found = found, .context = context, .left = MOST_PREMISES};
    each_premise(m, cond, (expr){0}, &w);
    vec_free(&w.vars);
}

typedef struct {
    looking *l;
    const char *name;
} judging;

// Was it ever true?
static bool judge_premise(expr premise, const var_list *vars, void *context) {
    const judging *j = context;
    looking *l = j->l;
    uint64_t count = explored_count(l->s->x), most = MOST_EVALUATIONS / bindings(l->s->in, vars);
    if (most < LEAST_STATES) most = LEAST_STATES;
    uint64_t step = count / most + (count % most != 0);
    if (is_ever_true(l, expr_exists(l->s->in->m, vars->data, vars->len, premise), step ? step : 1)) return true;
    vacuous_doubt_premise(l->s->in->m, l->s->in->system, j->name, premise, step > 1, l->out);
    return false;
}

static void doubt_premises(looking *l) {
    for (uint32_t i = 0; i < l->s->asks.len; i++) {
        const ask *a = &l->s->asks.data[i];
        if (a->kind != ASK_INVARIANT || !a->is_asked) continue;
        vacuous_each_premise(l->s->in->m, a->cond, judge_premise, &(judging){l, a->name});
    }
}

// ---- bounds

// Does e compare f with something by order?
static bool vacuous_compares(const model *m, expr e, func f) {
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) {
        bool is_order = w.x->kind == E_LT || w.x->kind == E_LE;
        if (is_order && expr_reads(m, w.e, f)) return walk_found(&w);
        if (w.x->kind != E_AND && w.x->kind != E_OR && w.x->kind != E_NOT) walk_skip(&w);
    }
    return false;
}

// What is known on the way to a statement.
typedef struct path {
    const struct path *before;
    expr cond;
} path;

// Does e ask for something that is less than x?
static bool vacuous_asks_above(const model *m, expr e, expr x) {
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) {
        if (w.x->kind == E_LT && w.x->args[1].id == x.id) return walk_found(&w);
        if (w.x->kind != E_AND && w.x->kind != E_OR) walk_skip(&w);
    }
    return false;
}

// A version clock: is it f := n, for an n of an ordered sort that is above something?
static bool ticks(const model *m, const stmt *s, const path *on) {
    const type_info *t = type_of(m, func_of(m, s->target)->result);
    if (t->kind != TYPE_SORT || !t->is_ordered || !s->value.id || expr_kind_of(m, s->value) != E_VAR) return false;
    for (; on; on = on->before)
        if (on->cond.id && vacuous_asks_above(m, on->cond, s->value)) return true;
    return false;
}

// Is it f := f + …, kept back by a comparison of f on the way?
static bool counts_up(const model *m, const stmt *s, const path *on) {
    func f = s->target;
    if (!s->value.id || expr_kind_of(m, s->value) != E_ADD || !expr_reads(m, s->value, f)) return false;
    for (; on; on = on->before)
        if (vacuous_compares(m, on->cond, f)) return true;
    return false;
}

enum { MOST_VISITS = 8 };

// A statement that is called from many places is looked at on some of the ways to it: all would be exponentially many.
static bool was_visited(map *visits, const stmt *s) {
    uint32_t n = map_get(visits, &s, sizeof s, 0);
    map_put(visits, &s, sizeof s, n + 1);
    return n >= MOST_VISITS;
}

static void mark_counters(const model *m, const stmt *s, const path *before, map *visits, bool *is_counter) {
    path on = {before, s->cond};
    if (was_visited(visits, s)) return;
    if (s->kind == S_ASSIGN && (counts_up(m, s, before) || ticks(m, s, before))) is_counter[s->target.id] = true;
    for (uint32_t i = 0; i < s->nbody; i++) mark_counters(m, s->body[i], &on, visits, is_counter);
    for (uint32_t i = 0; i < s->norelse; i++) mark_counters(m, s->orelse[i], &on, visits, is_counter);
}

static bool is_number_cell(const model *m, func f) {
    const func_info *info = func_of(m, f);
    const type_info *t = type_of(m, info->result);
    return (t->kind == TYPE_RANGE || (t->kind == TYPE_SORT && t->is_ordered)) && !info->is_scratch;
}

bool vacuous_is_at_bound(const instance *in, func f, const value *cells) {
    type t = func_of(in->m, f)->result;
    value most = instance_type_first(in, t) + (value)instance_type_size(in, t) - 1;
    uint32_t first = in->first_cell[f.id], n = instance_func_cells(in, f);
    for (uint32_t c = first; c < first + n; c++)
        if (cells[c] == most) return true;
    return false;
}

void vacuous_doubt_bound(const model *m, func f, result *out) {
    const type_info *range = type_of(m, func_of(m, f)->result);
    const char *name = func_of(m, f)->spelling ? func_of(m, f)->spelling : func_of(m, f)->name;
    if (range->kind == TYPE_SORT) {
        doubt_add(out, DOUBT_BOUND, range->name,
                  result_text(out, "the last %s was reached: longer runs are cut", range->name));
        return;
    }
    doubt_add(out, DOUBT_BOUND, name,
              result_text(out, "%s: %d..%d reached %d: longer runs are cut", name, range->lo, range->hi, range->hi));
}

// The last states are the farthest from the start, so they come first.
static bool is_bound_reached_here(looking *l, func f) {
    uint64_t count = explored_count(l->s->x), most = count < MOST_BOUND_STATES ? count : MOST_BOUND_STATES;
    for (uint64_t i = 0; i < most; i++)
        if (vacuous_look_at(l, count - 1 - i) && vacuous_is_at_bound(l->s->in, f, l->w->cells)) return true;
    return false;
}

static void doubt_bound(looking *l, func f) {
    if (share_any(l->s, is_bound_reached_here(l, f))) vacuous_doubt_bound(l->s->in->m, f, l->out);
}

void vacuous_find_counters(const model *m, sys s, func_list *out) {
    const sys_info *system = sys_of(m, s);
    bool *is_counter = mem_zero(m->funcs.len + 1, sizeof *is_counter);
    map *visits = map_new();
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *r = rule_of(m, system->rules.data[i]);
        if (r->body) mark_counters(m, r->body, &(path){NULL, r->guard}, visits, is_counter);
    }
    map_free(visits);
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        func f = system->funcs.data[i];
        if (is_counter[f.id] && is_number_cell(m, f)) vec_push(out, f);
    }
    free(is_counter);
}

static void doubt_bounds(looking *l) {
    func_list counters = {0};
    vacuous_find_counters(l->s->in->m, l->s->in->system, &counters);
    for (uint32_t i = 0; i < counters.len; i++) doubt_bound(l, counters.data[i]);
    vec_free(&counters);
}

// ---- all of it

static bool vacuous_is_clean(const search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (s->asks.data[i].is_found && s->asks.data[i].kind != ASK_COVER) return false;
    bool is_whole = s->x->end == END_COMPLETE || (s->options->doubts_of_part && s->x->end != END_VIOLATION);
    return is_whole && s->x->ninitial > 0;
}

void vacuous_find(search *s, result *out) {
    if (!s->x->sp) return;
    uint64_t *fired = vacuous_count_rules(s);
    bool any = note_rules(s, fired, out);
    if (vacuous_is_clean(s)) {
        vacuous_doubt_rules(s, fired, any, out);
        looking l = {s, s->workers[0], out};
        if (!s->is_compact) doubt_premises(&l), doubt_bounds(&l);
    }
    free(fired);
}
