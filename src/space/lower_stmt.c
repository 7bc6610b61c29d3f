// SPDX-License-Identifier: Apache-2.0
// Lowering of statements by symbolic execution on packed states; see lowerer.h.
//
// A statement reads `from` and writes `to`; in a sequence both are the same. Both branches of an `if` are
// run on copies that are then merged word by word. A `forall` whose assignments cannot meet is run one
// assignment at a time, and an assignment to a relation whose last argument is a variable of the `forall`
// stores a whole row. Adding to a multiset, a loop that does its body for the first free slot, is that body done once,
// for a slot that is computed.
#include "space/lowerer.h"

#include "model/expr.h"
#include "model/walk.h"

#include <assert.h>
#include <string.h>

enum { MOST_LANES = 64, MOST_CONDS = 16 };
enum { MOST_ROUNDS = 300, LOOP_STEPS = 1 << 18, LOOP_NODES = 1 << 16 };

void lower_read_from(lowerer *w, const sym *state) {
    w->state = state;
    w->reads_before = sym_same(state, &w->before);
}

static const outcome well = {DAG_FALSE, DAG_FALSE};

// First a, then b: nothing after a fault or an impossible step counts.
static outcome then(lowerer *w, outcome a, outcome b) {
    node fault = dag_and(w->d, dag_not(w->d, a.impossible), b.fault);
    node impossible = dag_and(w->d, dag_not(w->d, a.fault), b.impossible);
    return (outcome){dag_or(w->d, a.fault, fault), dag_or(w->d, a.impossible, impossible)};
}

static outcome lower_stmt_either(lowerer *w, node c, outcome a, outcome b) {
    return (outcome){dag_select(w->d, c, a.fault, b.fault), dag_select(w->d, c, a.impossible, b.impossible)};
}

// There is too much of it, or of this body: what is made from here on is not used.
static bool lower_stmt_is_over(const lowerer *w) { return w->is_too_large || w->is_endless; }

static outcome lower_stmt_run_all(lowerer *w, const stmt *const *body, uint32_t n, const sym *from, sym *to) {
    outcome o = well;
    for (uint32_t i = 0; i < n && !lower_stmt_is_over(w); i++) o = then(w, o, lower_stmt(w, body[i], from, to));
    return o;
}

// Runs statements on a copy of `to`.
static outcome run_on_copy(lowerer *w, const stmt *const *body, uint32_t n, const sym *from, const sym *to, sym *copy) {
    *copy = sym_copy(to);
    return lower_stmt_run_all(w, body, n, from == to ? copy : from, copy);
}

// ---- one assignment

typedef struct {
    func f;
    node index[MODEL_MOST_ARGS];
    uint32_t nargs;
    node v;  // as stored
} store;

static void store_cell(lowerer *w, sym *to, uint32_t cell, node v, node when) {
    const layout_cell *p = &w->l->cells[cell];
    if (when != DAG_TRUE) v = dag_select(w->d, when, v, sym_load(to, p->word, p->shift, p->bits));
    sym_store(to, p->word, p->shift, p->bits, v);
}

static node lower_stmt_is_inside(lowerer *w, node index, uint32_t size) {
    node below = dag_lt(w->d, index, DAG_FALSE), above = dag_lt(w->d, dag_const(w->d, size - 1), index);
    return dag_not(w->d, dag_or(w->d, below, above));
}

// The indices from `position` on as one, the number of cells they choose from, and whether each is inside.
typedef struct {
    node index, inside;
    uint32_t size;
} flat;

static flat flatten(lowerer *w, const store *s, uint32_t position) {
    flat x = {DAG_FALSE, DAG_TRUE, 1};
    for (uint32_t i = position; i < s->nargs; i++) {
        uint32_t size = instance_type_size(w->in, func_of(w->m, s->f)->args[i]);
        x.index = dag_add(w->d, dag_mul(w->d, x.index, dag_const(w->d, size)), s->index[i]);
        x.inside = dag_and(w->d, x.inside, lower_stmt_is_inside(w, s->index[i], size));
        x.size *= size;
    }
    return x;
}

// Stores in one of several cells that lie equally far apart, all at once; false if that is not worth it. An
// index outside is a fault, told elsewhere: here it stores nothing, so that every cell keeps a value of its type.
static bool store_shifted(lowerer *w, sym *to, const store *s, uint32_t position, uint32_t offset, node when) {
    flat x = flatten(w, s, position);
    uint32_t cell = w->in->first_cell[s->f.id] + offset * x.size, stride = layout_stride(w->l, cell, x.size);
    if (x.size < LOWER_SHIFT_LEAST || !stride || dag_is_const(w->d, x.index)) return false;
    const layout_cell *p = &w->l->cells[cell];
    uint32_t bits = (x.size - 1) * stride + p->bits;
    node by = dag_mul(w->d, x.index, dag_const(w->d, stride));
    node hole = dag_shl_by(w->d, dag_const(w->d, layout_mask(p->bits)), by);
    node before = sym_load(to, p->word, p->shift, bits);
    node others = dag_and(w->d, before, dag_xor(w->d, hole, dag_const(w->d, UINT64_MAX)));
    node after = dag_field(w->d, dag_or(w->d, others, dag_shl_by(w->d, s->v, by)), 0, layout_mask(bits));
    sym_store(to, p->word, p->shift, bits, dag_select(w->d, dag_and(w->d, when, x.inside), after, before));
    return true;
}

// Stores where the indices from `position` on say, if `when` holds.
static void store_at(lowerer *w, sym *to, const store *s, uint32_t position, uint32_t offset, node when) {
    if (position == s->nargs) {
        store_cell(w, to, w->in->first_cell[s->f.id] + offset, s->v, when);
        return;
    }
    uint32_t size = instance_type_size(w->in, func_of(w->m, s->f)->args[position]);
    if (store_shifted(w, to, s, position, offset, when)) return;
    for (uint32_t i = 0; i < size; i++) {
        node here = dag_eq(w->d, s->index[position], dag_const(w->d, i));
        node both = dag_and(w->d, when, here);
        if (both) store_at(w, to, s, position + 1, offset * size + i, both);
    }
}

// The bits that a cell of f holds for a value; id 0: for none.
static node stored_bits(lowerer *w, func f, expr e, node *fault) {
    if (!e.id) return DAG_FALSE;
    const layout_cell *p = &w->l->cells[w->in->first_cell[f.id]];
    type t = func_of(w->m, f)->result;
    lowered v = lower_scalar(w, e), index = lower_index(w, v.v, t);
    *fault = dag_or(w->d, *fault, dag_or(w->d, v.fault, index.fault));
    return dag_field(w->d, dag_add(w->d, index.v, dag_const(w->d, p->above)), 0, layout_mask(p->bits));
}

static node lower_stmt_assign(lowerer *w, const stmt *s, const sym *from, sym *to) {
    const func_info *f = func_of(w->m, s->target);
    store x = {.f = s->target, .nargs = s->nargs};
    assert(s->nargs <= MODEL_MOST_ARGS);
    lower_read_from(w, from);
    node fault = DAG_FALSE;
    for (uint32_t i = 0; i < s->nargs; i++) {
        lowered a = lower_scalar(w, s->args[i]), index = lower_index(w, a.v, f->args[i]);
        fault = dag_or(w->d, fault, dag_or(w->d, a.fault, index.fault));
        x.index[i] = index.v;
    }
    x.v = stored_bits(w, s->target, s->value, &fault);
    store_at(w, to, &x, 0, 0, DAG_TRUE);
    return fault;
}

// ---- if, while, assume

static outcome lower_stmt_run_if(lowerer *w, const stmt *s, const sym *from, sym *to) {
    lower_read_from(w, from);
    lowered c = s->cond.id ? lower_scalar(w, s->cond) : (lowered){DAG_TRUE, DAG_FALSE};
    outcome o = {c.fault, DAG_FALSE};
    if (c.v == DAG_TRUE) return then(w, o, lower_stmt_run_all(w, s->body, s->nbody, from, to));
    if (c.v == DAG_FALSE) return then(w, o, lower_stmt_run_all(w, s->orelse, s->norelse, from, to));
    sym yes, no;
    outcome if_yes = run_on_copy(w, s->body, s->nbody, from, to, &yes);
    outcome if_no = run_on_copy(w, s->orelse, s->norelse, from, to, &no);
    *to = sym_select(c.v, &yes, &no);
    return then(w, o, lower_stmt_either(w, c.v, if_yes, if_no));
}

// A loop may take a fair share of what a model may: the evaluator runs a longer one faster than it is compiled.
static bool is_long(const lowerer *w, uint32_t round) {
    return round == MOST_ROUNDS || w->steps - w->label_steps > LOOP_STEPS ||
           w->d->nodes.len - w->label_nodes > LOOP_NODES;
}

// Unrolls the loop: a round, then the rest of the loop, where the condition holds.
static outcome lower_stmt_run_while(lowerer *w, const stmt *s, sym *to, uint32_t round) {
    lower_read_from(w, to);
    lowered c = lower_scalar(w, s->cond);
    outcome o = {c.fault, DAG_FALSE};
    w->is_endless |= c.v != DAG_FALSE && is_long(w, round);
    if (c.v == DAG_FALSE || w->is_too_large || w->is_endless) return o;
    sym after = sym_copy(to);
    outcome rounds = lower_stmt_run_all(w, s->body, s->nbody, &after, &after);
    // What a round that faults or is impossible leaves behind must not keep the loop going.
    node goes_on = dag_and(w->d, c.v, dag_not(w->d, dag_or(w->d, rounds.fault, rounds.impossible)));
    if (goes_on) rounds = then(w, rounds, lower_stmt_run_while(w, s, &after, round + 1));
    *to = sym_select(c.v, &after, to);
    return then(w, o, lower_stmt_either(w, c.v, rounds, well));
}

static outcome run_assume(lowerer *w, const stmt *s, const sym *from) {
    lower_read_from(w, from);
    lowered c = lower_scalar(w, s->cond);
    return (outcome){c.fault, dag_and(w->d, dag_not(w->d, c.fault), dag_not(w->d, c.v))};
}

// ---- forall: binding by binding, or assignment by assignment

// An assignment under a forall with the conditions on the way to it.
typedef struct {
    const stmt *forall, *assign;
    struct {
        expr cond;
        bool negated;
    } conds[MOST_CONDS];
    uint32_t nconds;
} guarded;

static bool is_var(const lowerer *w, expr e, var v) {
    const expr_info *x = expr_of(w->m, e);
    return x->kind == E_VAR && x->ref == v.id;
}

// Every variable of the forall is an argument of the target: no two bindings write one cell.
static bool is_injective(const lowerer *w, const stmt *forall, const stmt *s) {
    for (uint32_t k = 0; k < forall->nvars; k++) {
        bool found = false;
        for (uint32_t i = 0; i < s->nargs; i++) found |= is_var(w, s->args[i], forall->vars[k]);
        if (!found) return false;
    }
    return true;
}

static bool reads_any(const lowerer *w, const stmt *s, const func_list *funcs) {
    walk at = walk_stmt(w->m, s, WALK_CALLS);
    while (walk_next(&at))
        for (uint32_t i = 0; at.x && i < funcs->len; i++)
            if ((at.x->kind == E_APP || at.x->kind == E_DEFINED) && at.x->ref == funcs->data[i].id)
                return walk_found(&at);
    return false;
}

// Only assignments and ifs, to a different function each, and none that depends on the order of bindings.
static bool is_separable(const lowerer *w, const stmt *forall, const stmt *const *body, uint32_t n, uint32_t depth,
                         func_list *targets) {
    for (uint32_t i = 0; i < n; i++) {
        const stmt *s = body[i];
        if (s->kind == S_IF) {
            if (depth + 2 > MOST_CONDS || expr_can_fault(w->m, s->cond)) return false;
            if (!is_separable(w, forall, s->body, s->nbody, depth + 1, targets)) return false;
            if (!is_separable(w, forall, s->orelse, s->norelse, depth + 1, targets)) return false;
            continue;
        }
        if (s->kind != S_ASSIGN || !is_injective(w, forall, s)) return false;
        for (uint32_t k = 0; k < targets->len; k++)
            if (targets->data[k].id == s->target.id) return false;
        vec_push(targets, s->target);
    }
    return true;
}

static bool may_separate(const lowerer *w, const stmt *s, bool in_sequence) {
    func_list targets = {0};
    bool ok = is_separable(w, s, s->body, s->nbody, 0, &targets) && targets.len;
    if (ok && in_sequence) ok = !reads_any(w, s, &targets);
    vec_free(&targets);
    return ok;
}

// The last argument of the target is a variable of the forall that occurs nowhere else in it: a row can be
// stored.
static bool lower_stmt_lane_of(const lowerer *w, const guarded *g, var *lane) {
    const stmt *s = g->assign;
    const func_info *f = func_of(w->m, s->target);
    bool may_be_undefined = w->l->cells[w->in->first_cell[s->target.id]].above;
    if (!s->nargs || may_be_undefined || !type_same(f->result, w->m->bool_type)) return false;
    const expr_info *x = expr_of(w->m, s->args[s->nargs - 1]);
    if (x->kind != E_VAR) return false;
    bool bound = false;
    for (uint32_t k = 0; k < g->forall->nvars; k++) bound |= g->forall->vars[k].id == x->ref;
    *lane = (var){x->ref};
    for (uint32_t i = 0; i + 1 < s->nargs; i++)
        if (expr_has_var(w->m, s->args[i], *lane)) return false;
    type t = var_of(w->m, *lane)->ty, last = f->args[f->nargs - 1];
    uint32_t size = instance_type_size(w->in, t);
    return bound && size <= MOST_LANES && size == instance_type_size(w->in, last) &&
           instance_type_first(w->in, t) == instance_type_first(w->in, last) &&
           layout_is_row(w->l, w->in->first_cell[s->target.id], size);
}

// Where the row starts; false when its arguments are not constants inside their types.
static bool row_cell(lowerer *w, const stmt *s, uint32_t *cell) {
    value args[MODEL_MOST_ARGS];
    assert(s->nargs <= MODEL_MOST_ARGS);
    for (uint32_t i = 0; i + 1 < s->nargs; i++) {
        lowered a = lower_scalar(w, s->args[i]);
        if (a.fault || !dag_is_const(w->d, a.v)) return false;
        int64_t x = dag_number(w->d, a.v);
        if (x != (value)x) return false;
        args[i] = (value)x;
    }
    args[s->nargs - 1] = instance_type_first(w->in, func_of(w->m, s->target)->args[s->nargs - 1]);
    *cell = instance_cell(w->in, s->target, args);
    return *cell != UINT32_MAX;
}

// All conditions, from left to right, as a mask.
static lowered lower_conds(lowerer *w, const guarded *g) {
    node full = dag_const(w->d, lower_lane_full(w));
    lowered all = {full, DAG_FALSE};
    for (uint32_t i = 0; i < g->nconds; i++) {
        if (!g->conds[i].cond.id) continue;
        lowered c = lower_mask(w, g->conds[i].cond);
        all.fault = dag_or(w->d, all.fault, dag_and(w->d, all.v, c.fault));
        all.v = dag_and(w->d, all.v, g->conds[i].negated ? dag_xor(w->d, c.v, full) : c.v);
    }
    return all;
}

static node store_row(lowerer *w, const guarded *g, var lane, uint32_t cell, sym *to) {
    binding old = w->env[lane.id];
    lane_range outer = lower_enter_lane(w, lane);
    node full = dag_const(w->d, lower_lane_full(w));
    lowered c = lower_conds(w, g), v = lower_mask(w, g->assign->value);
    const layout_cell *p = &w->l->cells[cell];
    node row = sym_load(to, p->word, p->shift, w->lane.size);
    node kept = dag_and(w->d, row, dag_xor(w->d, c.v, full)), put = dag_and(w->d, v.v, c.v);
    sym_store(to, p->word, p->shift, w->lane.size, dag_or(w->d, kept, put));
    node fault = dag_nonzero(w->d, dag_or(w->d, c.fault, dag_and(w->d, c.v, v.fault)));
    lower_leave_lane(w, lane, outer);
    w->env[lane.id] = old;
    return fault;
}

static node run_guarded(lowerer *w, const guarded *g, uint32_t i, const sym *from, sym *to) {
    while (i < g->nconds && !g->conds[i].cond.id) i++;
    if (i == g->nconds) return lower_stmt_assign(w, g->assign, from, to);
    lower_read_from(w, from);
    lowered c = lower_scalar(w, g->conds[i].cond);
    node when = g->conds[i].negated ? dag_not(w->d, c.v) : c.v;
    if (!when) return c.fault;
    sym changed = sym_copy(to);
    node fault = run_guarded(w, g, i + 1, from, &changed);
    *to = sym_select(when, &changed, to);
    return dag_or(w->d, c.fault, dag_and(w->d, when, fault));
}

static outcome run_bindings(lowerer *w, const stmt *s, const guarded *g, var lane, uint32_t k, const sym *from,
                            sym *to);

static outcome run_binding(lowerer *w, const stmt *s, const sym *from, sym *to) {
    stmt once = {.kind = S_IF, .cond = s->cond, .body = s->body, .nbody = s->nbody};
    return lower_stmt_run_if(w, &once, from, to);
}

// The assignment with all variables bound but the lane, if there is one: a row, or its cells one by one.
static outcome run_separate(lowerer *w, const guarded *g, var lane, const sym *from, sym *to) {
    uint32_t cell;
    lower_read_from(w, from);
    if (!lane.id) return (outcome){run_guarded(w, g, 0, from, to), DAG_FALSE};
    if (row_cell(w, g->assign, &cell)) return (outcome){store_row(w, g, lane, cell, to), DAG_FALSE};
    stmt rest = {.kind = S_FORALL, .vars = &lane, .nvars = 1};
    return run_bindings(w, &rest, g, (var){0}, 0, from, to);
}

// All bindings of the variables from k on but the lane: of the whole body, or of one assignment (g).
static outcome run_bindings(lowerer *w, const stmt *s, const guarded *g, var lane, uint32_t k, const sym *from,
                            sym *to) {
    while (k < s->nvars && s->vars[k].id == lane.id) k++;
    if (k == s->nvars) return g ? run_separate(w, g, lane, from, to) : run_binding(w, s, from, to);
    type t = var_of(w->m, s->vars[k])->ty;
    binding outer = w->env[s->vars[k].id];
    outcome o = well;
    for (uint32_t i = 0; i < instance_type_size(w->in, t) && !lower_stmt_is_over(w); i++) {
        w->env[s->vars[k].id] = lower_constant(w, (int64_t)instance_type_first(w->in, t) + i);
        o = then(w, o, run_bindings(w, s, g, lane, k + 1, from, to));
    }
    w->env[s->vars[k].id] = outer;
    return o;
}

static node separate(lowerer *w, guarded *g, const stmt *const *body, uint32_t n, const sym *from, sym *to);

static node separate_if(lowerer *w, guarded *g, const stmt *s, const sym *from, sym *to) {
    uint32_t i = g->nconds++;
    g->conds[i].cond = s->cond;
    g->conds[i].negated = false;
    node fault = separate(w, g, s->body, s->nbody, from, to);
    g->conds[i].negated = true;
    fault = dag_or(w->d, fault, separate(w, g, s->orelse, s->norelse, from, to));
    g->nconds--;
    return fault;
}

static node separate(lowerer *w, guarded *g, const stmt *const *body, uint32_t n, const sym *from, sym *to) {
    node fault = DAG_FALSE;
    for (uint32_t i = 0; i < n; i++) {
        var lane = {0};
        if (body[i]->kind == S_IF) {
            fault = dag_or(w->d, fault, separate_if(w, g, body[i], from, to));
            continue;
        }
        g->assign = body[i];
        if (!lower_stmt_lane_of(w, g, &lane)) lane = (var){0};
        fault = dag_or(w->d, fault, run_bindings(w, g->forall, g, lane, 0, from, to).fault);
    }
    return fault;
}

// ---- forall that does one round, for the first element that it finds: adding to a multiset

// for x with !done & !taken(…, x) { …; done := true }
typedef struct {
    expr done, taken;
} single;

static bool assigns_true(const lowerer *w, const stmt *s, func f) {
    return s->kind == S_ASSIGN && s->target.id == f.id && !s->nargs && expr_same(s->value, w->m->true_expr);
}

// Is e a cell of a relation that x alone chooses, by its last argument?
static bool is_cell_of(const lowerer *w, expr e, var x) {
    const expr_info *t = expr_of(w->m, e);
    if (t->kind != E_APP || !t->nargs || w->l->cells[w->in->first_cell[t->ref]].above) return false;
    for (uint32_t i = 0; i + 1 < t->nargs; i++)
        if (expr_has_var(w->m, t->args[i], x)) return false;
    return is_var(w, t->args[t->nargs - 1], x);
}

// The rounds before the one that is done change nothing, and those after it look at `done` alone, which is asked first.
static bool is_single(const lowerer *w, const stmt *s, single *out) {
    const expr_info *c = s->cond.id && s->nvars == 1 && s->nbody ? expr_of(w->m, s->cond) : NULL;
    if (!c || c->kind != E_AND || c->nargs != 2) return false;
    const expr_info *first = expr_of(w->m, c->args[0]), *second = expr_of(w->m, c->args[1]);
    if (first->kind != E_NOT || second->kind != E_NOT) return false;
    *out = (single){first->args[0], second->args[0]};
    const expr_info *done = expr_of(w->m, out->done);
    return done->kind == E_APP && !done->nargs && assigns_true(w, s->body[s->nbody - 1], (func){done->ref}) &&
           is_cell_of(w, out->taken, s->vars[0]) &&
           instance_type_size(w->in, var_of(w->m, s->vars[0])->ty) <= MOST_LANES;
}

static node first_of(lowerer *w, node mask, uint32_t size) {
    node first = dag_const(w->d, size - 1);
    for (uint32_t i = size - 1; i-- > 0;)
        first = dag_select(w->d, dag_field(w->d, mask, i, 1), dag_const(w->d, i), first);
    return first;
}

// The elements for which `taken` is false, as a mask; the fault is the same for all of them.
static lowered free_elements(lowerer *w, const single *x, var v) {
    lane_range outer = lower_enter_lane(w, v);
    lowered taken = lower_mask(w, x->taken);
    node free = dag_xor(w->d, taken.v, dag_const(w->d, lower_lane_full(w)));
    lower_leave_lane(w, v, outer);
    return (lowered){free, dag_nonzero(w->d, taken.fault)};
}

static outcome run_single(lowerer *w, const stmt *s, const single *x, sym *to) {
    var v = s->vars[0];
    type t = var_of(w->m, v)->ty;
    lower_read_from(w, to);
    lowered done = lower_scalar(w, x->done);
    node goes_on = dag_not(w->d, done.v);
    binding outer = w->env[v.id];
    lowered free = free_elements(w, x, v);
    node first = first_of(w, free.v, instance_type_size(w->in, t));
    w->env[v.id] =
        (binding){BOUND_NODE, dag_add(w->d, first, dag_const(w->d, (uint64_t)(int64_t)instance_type_first(w->in, t)))};
    sym after = sym_copy(to);
    outcome o = lower_stmt_run_all(w, s->body, s->nbody, &after, &after);
    w->env[v.id] = outer;
    node is_done = dag_and(w->d, goes_on, dag_nonzero(w->d, free.v));
    *to = sym_select(is_done, &after, to);
    outcome looked = {dag_or(w->d, done.fault, dag_and(w->d, goes_on, free.fault)), DAG_FALSE};
    return then(w, looked, lower_stmt_either(w, is_done, o, well));
}

static outcome lower_stmt_run_forall(lowerer *w, const stmt *s, const sym *from, sym *to) {
    single x;
    if (from == to && is_single(w, s, &x)) return run_single(w, s, &x, to);
    if (!may_separate(w, s, from == to)) return run_bindings(w, s, NULL, (var){0}, 0, from, to);
    // What is read does not depend on what is written, so reading the state before the loop is the same.
    sym before = sym_copy(from);
    guarded g = {.forall = s, .nconds = 1};
    g.conds[0].cond = s->cond;
    return (outcome){separate(w, &g, s->body, s->nbody, from == to ? &before : from, to), DAG_FALSE};
}

outcome lower_stmt(lowerer *w, const stmt *s, const sym *from, sym *to) {
    switch (s->kind) {
    case S_ASSIGN: return (outcome){lower_stmt_assign(w, s, from, to), DAG_FALSE};
    case S_IF: return lower_stmt_run_if(w, s, from, to);
    case S_FORALL: return lower_stmt_run_forall(w, s, from, to);
    case S_PAR: {
        sym before = sym_copy(from);
        return lower_stmt_run_all(w, s->body, s->nbody, &before, to);
    }
    case S_SEQ: assert(from == to); return lower_stmt_run_all(w, s->body, s->nbody, from, to);
    case S_WHILE: assert(from == to); return lower_stmt_run_while(w, s, to, 0);
    case S_ASSUME: return run_assume(w, s, from);
    case S_FAIL: return (outcome){DAG_TRUE, DAG_FALSE};
    }
    return well;
}
