// SPDX-License-Identifier: Apache-2.0
// Lowering of expressions; see lowerer.h.
//
// A quantifier is lowered both unrolled and, where its variable has at most 64 values, as a mask; the
// cheaper one stays. What a mask cannot express bitwise (a comparison of values that depend on the lane) is
// computed lane by lane and gathered. Calls and quantifiers that read the state before the step are
// remembered by their bindings, so labels that differ in one parameter share what does not depend on it.
#include "space/lowerer.h"

#include "model/welldefined.h"

#include <assert.h>

enum { MOST_LANES = 64 };

static const lowered lowered_false = {DAG_FALSE, DAG_FALSE};

// ---- bindings and lanes

binding lower_constant(lowerer *w, int64_t x) { return (binding){BOUND_NODE, dag_const(w->d, (uint64_t)x)}; }

// Does e depend on the lane?
static bool lower_has_lane(lowerer *w, expr e) {
    uint64_t lanes = 0;
    for (uint32_t i = w->lane.base; i < w->lanes.len; i++) lanes |= UINT64_C(1) << (w->lanes.data[i].id % 64);
    if (!w->lane.size || !(expr_of(w->m, e)->free_mask & lanes)) return false;
    const var_set f = expr_frees(w->m, e);
    for (uint32_t i = 0; i < f.n; i++)
        if (w->env[f.vars[i].id].kind >= BOUND_LANE) return true;
    return false;
}

lane_range lower_enter_lane(lowerer *w, var v) {
    lane_range outer = w->lane;
    type t = var_of(w->m, v)->ty;
    w->lane = (lane_range){instance_type_size(w->in, t), instance_type_first(w->in, t), w->lanes.len};
    vec_push(&w->lanes, v);
    w->env[v.id] = (binding){BOUND_LANE, 0};
    return outer;
}

void lower_leave_lane(lowerer *w, var v, lane_range outer) {
    (void)v;
    w->lanes.len = w->lane.base;
    w->lane = outer;
}

static lowered spread(lowerer *w, lowered x) {
    uint64_t full = lower_lane_full(w);
    return (lowered){dag_spread(w->d, x.v, full), dag_spread(w->d, x.fault, full)};
}

// ---- gathering: a mask computed lane by lane

static void bind_lane(lowerer *w, const binding *outer, uint32_t n, uint32_t base, lane_range lane, uint32_t i) {
    for (uint32_t k = 0; k < n; k++) {
        if (outer[k].kind < BOUND_LANE) continue;  // hidden by an inner variable of the same name
        bool is_lane = outer[k].kind == BOUND_LANE;
        node bit = is_lane ? DAG_FALSE : dag_field(w->d, outer[k].v, i, 1);
        w->env[w->lanes.data[base + k].id] =
            is_lane ? lower_constant(w, (int64_t)lane.first + i) : (binding){BOUND_NODE, bit};
    }
}

static lowered lower_expr_gather(lowerer *w, expr e) {
    lane_range lane = w->lane;
    uint32_t n = w->lanes.len - lane.base;
    binding *outer = arena_alloc(w->scratch, n * sizeof *outer);
    for (uint32_t k = 0; k < n; k++) outer[k] = w->env[w->lanes.data[lane.base + k].id];
    sym bits[2] = {sym_initial(w->d, w->scratch, 0, 1), sym_initial(w->d, w->scratch, 0, 1)};
    w->lane = (lane_range){0, 0, w->lanes.len};
    for (uint32_t i = 0; i < lane.size; i++) {
        bind_lane(w, outer, n, lane.base, lane, i);
        lowered x = lower_scalar(w, e);
        sym_store(&bits[0], 0, i, 1, x.v);
        sym_store(&bits[1], 0, i, 1, x.fault);
    }
    w->lane = lane;
    for (uint32_t k = 0; k < n; k++) w->env[w->lanes.data[lane.base + k].id] = outer[k];
    return (lowered){sym_node(&bits[0], 0), sym_node(&bits[1], 0)};
}

// ---- function application

lowered lower_index(lowerer *w, node v, type t) {
    int64_t first = instance_type_first(w->in, t), last = first + (int64_t)instance_type_size(w->in, t) - 1;
    node below = dag_lt(w->d, v, dag_const(w->d, (uint64_t)first));
    node above = dag_lt(w->d, dag_const(w->d, (uint64_t)last), v);
    return (lowered){dag_add(w->d, v, dag_const(w->d, (uint64_t)-first)), dag_or(w->d, below, above)};
}

typedef struct {
    func f;
    uint32_t nargs;  // how many indices select a cell (or a row, if one is left out)
    node index[MODEL_MOST_ARGS];
    uint32_t size[MODEL_MOST_ARGS];
    uint32_t row;  // cells to load at once: 1, or the size of the last argument
} access;

static node load_cells(lowerer *w, uint32_t cell, uint32_t n) {
    const layout_cell *p = &w->l->cells[cell];
    return sym_load(w->state, p->word, p->shift, n * p->bits);
}

static uint32_t above(const lowerer *w, func f) { return w->l->cells[w->in->first_cell[f.id]].above; }

// Before the step a cell holds no bit pattern beyond its type; saying so keeps faults from being looked for. What a
// step has put into a cell may be a field of another cell, with a larger type.
static node bounded(lowerer *w, func f, node v) {
    if (!w->reads_before) return v;
    int64_t size = instance_type_size(w->in, func_of(w->m, f)->result);
    return dag_at_most(w->d, v, size - 1 + above(w, f));
}

static node load_at(lowerer *w, const access *a, uint32_t position, uint32_t offset);

// One of several cells that lie equally far apart, by shifting; false if that is not worth it.
static bool load_shifted(lowerer *w, const access *a, uint32_t position, uint32_t offset, node *out) {
    uint32_t size = 1;
    node index = DAG_FALSE;
    for (uint32_t i = position; i < a->nargs; size *= a->size[i++])
        index = dag_add(w->d, dag_mul(w->d, index, dag_const(w->d, a->size[i])), a->index[i]);
    uint32_t cell = w->in->first_cell[a->f.id] + offset * size, stride = layout_stride(w->l, cell, size);
    const layout_cell *p = &w->l->cells[cell];
    if (!stride || (stride != p->bits && size < LOWER_SHIFT_LEAST)) return false;
    node all = sym_load(w->state, p->word, p->shift, (size - 1) * stride + p->bits);
    node shifted = dag_shr_by(w->d, all, dag_mul(w->d, index, dag_const(w->d, stride)));
    *out = bounded(w, a->f, dag_field(w->d, shifted, 0, layout_mask(p->bits)));
    return true;
}

// One of several cells, chosen by an index that is known only at run time.
static node load_any(lowerer *w, const access *a, uint32_t position, uint32_t offset) {
    node index = a->index[position];
    uint32_t size = a->size[position];
    node shifted;
    if (a->row == 1 && load_shifted(w, a, position, offset, &shifted)) return shifted;
    int64_t lo = dag_at(w->d, index)->lo, hi = dag_at(w->d, index)->hi;
    if (lo < 0) lo = 0;
    if (hi >= size) hi = (int64_t)size - 1;
    node result = DAG_FALSE;
    w->steps += size;
    for (int64_t i = hi; i >= lo; i--) {
        node here = load_at(w, a, position + 1, offset * size + (uint32_t)i);
        node is_here = dag_eq(w->d, index, dag_const(w->d, (uint64_t)i));
        result = i == hi ? here : dag_select(w->d, is_here, here, result);
    }
    return result;
}

static node load_at(lowerer *w, const access *a, uint32_t position, uint32_t offset) {
    for (; position < a->nargs; position++) {
        if (!dag_is_const(w->d, a->index[position])) return load_any(w, a, position, offset);
        int64_t i = dag_number(w->d, a->index[position]);
        if (i < 0 || i >= a->size[position]) return DAG_FALSE;
        offset = offset * a->size[position] + (uint32_t)i;
    }
    node v = load_cells(w, w->in->first_cell[a->f.id] + offset * a->row, a->row);
    return a->row == 1 ? bounded(w, a->f, v) : v;
}

// Lowers the first n arguments as scalars into a; returns whether one faults or is outside its type.
static node lower_indices(lowerer *w, const expr_info *x, uint32_t n, access *a) {
    *a = (access){.f = {x->ref}, .nargs = n, .row = 1};
    assert(n <= MODEL_MOST_ARGS);
    node fault = DAG_FALSE;
    for (uint32_t i = 0; i < n; i++) {
        type t = func_of(w->m, a->f)->args[i];
        lowered v = lower_scalar(w, x->args[i]), index = lower_index(w, v.v, t);
        a->index[i] = index.v;
        a->size[i] = instance_type_size(w->in, t);
        fault = dag_or(w->d, fault, dag_or(w->d, v.fault, index.fault));
    }
    return fault;
}

// A truth value is 0 or 1 even where computing it faults.
static node truth_or_number(lowerer *w, type t, node v) {
    bool is_truth = type_same(t, w->m->bool_type) && dag_at(w->d, v)->maybe > 1;
    return is_truth ? dag_eq(w->d, v, DAG_TRUE) : v;
}

// E_APP, and E_DEFINED, which only asks whether there is a value.
static lowered scalar_app(lowerer *w, const expr_info *x) {
    access a;
    node fault = lower_indices(w, x, x->nargs, &a);
    int64_t zero = (int64_t)instance_type_first(w->in, func_of(w->m, a.f)->result) - above(w, a.f);
    node bits = load_at(w, &a, 0, 0), undefined = above(w, a.f) ? dag_eq(w->d, bits, DAG_FALSE) : DAG_FALSE;
    if (x->kind == E_DEFINED) return (lowered){dag_not(w->d, undefined), fault};
    node v = dag_add(w->d, bits, dag_const(w->d, (uint64_t)zero));
    return (lowered){truth_or_number(w, x->ty, v), dag_or(w->d, fault, undefined)};
}

static bool is_lane_var(const lowerer *w, expr e) {
    const expr_info *x = expr_of(w->m, e);
    return x->kind == E_VAR && w->env[x->ref].kind == BOUND_LANE;
}

// f(a, x) for all x at once is the row f(a, ·).
static bool is_row(lowerer *w, const expr_info *x) {
    const func_info *f = func_of(w->m, (func){x->ref});
    if (!x->nargs || above(w, (func){x->ref}) || !is_lane_var(w, x->args[x->nargs - 1])) return false;
    for (uint32_t i = 0; i + 1 < x->nargs; i++)
        if (lower_has_lane(w, x->args[i])) return false;
    type last = f->args[f->nargs - 1];
    return instance_type_size(w->in, last) == w->lane.size && instance_type_first(w->in, last) == w->lane.first &&
           layout_is_row(w->l, w->in->first_cell[x->ref], w->lane.size);
}

static lowered mask_app(lowerer *w, expr e, const expr_info *x) {
    if (!is_row(w, x)) return lower_expr_gather(w, e);
    access a;
    node fault = lower_indices(w, x, x->nargs - 1, &a);
    a.row = w->lane.size;
    return (lowered){load_at(w, &a, 0, 0), dag_spread(w->d, fault, lower_lane_full(w))};
}

// ---- definitions: arguments are computed first, whether the body needs them or not

static lowered lower_body(lowerer *w, const def_info *d, const binding *args, node fault, bool as_mask) {
    binding outer[MODEL_MOST_ARGS];
    uint32_t lanes = w->lanes.len;
    for (uint32_t i = 0; i < d->nparams; i++) {
        outer[i] = lower_bind(w, d->params[i], args[i]);
        if (args[i].kind >= BOUND_LANE) vec_push(&w->lanes, d->params[i]);
    }
    lowered result = as_mask ? lower_mask(w, d->body) : lower_scalar(w, d->body);
    for (uint32_t i = 0; i < d->nparams; i++) w->env[d->params[i].id] = outer[i];
    w->lanes.len = lanes;
    return (lowered){result.v, dag_or(w->d, fault, result.fault)};
}

static lowered lower_call(lowerer *w, expr e, const expr_info *x, bool as_mask) {
    binding args[MODEL_MOST_ARGS];
    node fault = DAG_FALSE;
    assert(x->nargs <= MODEL_MOST_ARGS);
    for (uint32_t i = 0; i < x->nargs; i++) {
        bool varies = as_mask && lower_has_lane(w, x->args[i]);
        if (varies && is_lane_var(w, x->args[i])) args[i] = (binding){BOUND_LANE, 0};
        else if (varies && !type_same(expr_type(w->m, x->args[i]), w->m->bool_type)) return lower_expr_gather(w, e);
        else {
            lowered a = varies ? lower_mask(w, x->args[i]) : lower_scalar(w, x->args[i]);
            args[i] = (binding){varies ? BOUND_MASK : BOUND_NODE, a.v};
            bool is_single = as_mask && !varies;
            fault = dag_or(w->d, fault, is_single ? dag_spread(w->d, a.fault, lower_lane_full(w)) : a.fault);
        }
    }
    return lower_body(w, def_of(w->m, (def){x->ref}), args, fault, as_mask);
}

// ---- connectives, the same for scalars and masks: `full` is 1 or all lanes

static node complement(lowerer *w, node a, uint64_t full) { return dag_xor(w->d, a, dag_const(w->d, full)); }

static lowered lower_any(lowerer *w, expr e, bool as_mask) { return as_mask ? lower_mask(w, e) : lower_scalar(w, e); }

// Where the operands so far do not decide an E_AND (E_OR): all of them hold (none does).
static node lower_expr_undecided(lowerer *w, bool is_and, const node_list *values, uint64_t full) {
    node go_on = dag_const(w->d, full);
    for (uint32_t i = 0; i < values->len; i++)
        go_on = dag_and(w->d, go_on, is_and ? values->data[i] : complement(w, values->data[i], full));
    return go_on;
}

static node join_masks(lowerer *w, bool is_and, const node_list *values, uint64_t full) {
    node v = is_and ? dag_const(w->d, full) : DAG_FALSE;
    for (uint32_t i = 0; i < values->len; i++)
        v = is_and ? dag_and(w->d, v, values->data[i]) : dag_or(w->d, v, values->data[i]);
    return v;
}

static node join_values(lowerer *w, bool is_and, const node_list *values, uint64_t full) {
    if (full > 1) return join_masks(w, is_and, values, full);
    return is_and ? dag_all(w->d, values->data, values->len) : dag_any(w->d, values->data, values->len);
}

static lowered lower_junction(lowerer *w, const expr_info *x, bool as_mask) {
    uint64_t full = as_mask ? lower_lane_full(w) : 1;
    bool is_and = x->kind == E_AND;
    node stop = is_and ? DAG_FALSE : dag_const(w->d, full), fault = DAG_FALSE;
    node_list values = {0};
    for (uint32_t i = 0; i < x->nargs; i++) {
        lowered a = lower_any(w, x->args[i], as_mask);
        if (a.fault)
            fault = dag_or(w->d, fault, dag_and(w->d, lower_expr_undecided(w, is_and, &values, full), a.fault));
        vec_push(&values, a.v);
        if (a.v == stop) break;
    }
    lowered r = {join_values(w, is_and, &values, full), fault};
    vec_free(&values);
    return r;
}

static lowered lower_implies(lowerer *w, const expr_info *x, bool as_mask) {
    uint64_t full = as_mask ? lower_lane_full(w) : 1;
    lowered a = lower_any(w, x->args[0], as_mask);
    if (!a.v) return (lowered){dag_const(w->d, full), a.fault};
    lowered b = lower_any(w, x->args[1], as_mask);
    node v = dag_or(w->d, complement(w, a.v, full), b.v);
    return (lowered){v, dag_or(w->d, a.fault, dag_and(w->d, a.v, b.fault))};
}

static lowered lower_iff(lowerer *w, const expr_info *x, bool as_mask) {
    uint64_t full = as_mask ? lower_lane_full(w) : 1;
    lowered a = lower_any(w, x->args[0], as_mask), b = lower_any(w, x->args[1], as_mask);
    return (lowered){complement(w, dag_xor(w->d, a.v, b.v), full), dag_or(w->d, a.fault, b.fault)};
}

static node lower_expr_choose(lowerer *w, node c, node a, node b, bool as_mask) {
    if (!as_mask) return dag_select(w->d, c, a, b);
    return dag_or(w->d, dag_and(w->d, c, a), dag_and(w->d, complement(w, c, lower_lane_full(w)), b));
}

static lowered lower_ite(lowerer *w, expr e, const expr_info *x, bool as_mask) {
    lowered c = lower_any(w, x->args[0], as_mask);
    if (welldefined_is_said(w->m, e)) return (lowered){lower_any(w, x->args[2], as_mask).v, dag_or(w->d, c.fault, c.v)};
    if (!as_mask && dag_is_const(w->d, c.v)) {
        lowered a = lower_scalar(w, x->args[c.v ? 1 : 2]);
        return (lowered){a.v, dag_or(w->d, c.fault, a.fault)};
    }
    lowered a = lower_any(w, x->args[1], as_mask), b = lower_any(w, x->args[2], as_mask);
    node fault = lower_expr_choose(w, c.v, a.fault, b.fault, as_mask);
    return (lowered){lower_expr_choose(w, c.v, a.v, b.v, as_mask), dag_or(w->d, c.fault, fault)};
}

// ---- quantifiers

// E_COUNT never as a mask.
static lowered unrolled(lowerer *w, const expr_info *x, bool as_mask) {
    var v = {x->ref};
    type t = var_of(w->m, v)->ty;
    bool is_forall = x->kind == E_FORALL, is_count = x->kind == E_COUNT;
    node_list values = {0};
    lowered r = lowered_false;
    binding outer = w->env[v.id];
    for (uint32_t i = 0; i < instance_type_size(w->in, t) && !w->is_too_large; i++) {
        w->env[v.id] = lower_constant(w, (int64_t)instance_type_first(w->in, t) + i);
        lowered a = lower_any(w, x->args[0], as_mask);
        if (is_count) r.v = dag_add(w->d, r.v, a.v);
        else vec_push(&values, a.v);
        r.fault = dag_or(w->d, r.fault, a.fault);
    }
    w->env[v.id] = outer;
    if (!is_count) r.v = join_values(w, is_forall, &values, as_mask ? lower_lane_full(w) : 1);
    vec_free(&values);
    return r;
}

static lowered by_mask(lowerer *w, const expr_info *x) {
    var v = {x->ref};
    binding old = w->env[v.id];
    lane_range outer = lower_enter_lane(w, v);
    lowered a = lower_mask(w, x->args[0]);
    uint64_t full = lower_lane_full(w);
    node holds = x->kind == E_FORALL ? dag_test(w->d, a.v, full, full) : dag_nonzero(w->d, a.v);
    lower_leave_lane(w, v, outer);
    w->env[v.id] = old;
    return (lowered){holds, dag_nonzero(w->d, a.fault)};
}

static lowered scalar_quantifier(lowerer *w, const expr_info *x) {
    uint32_t size = instance_type_size(w->in, var_of(w->m, (var){x->ref})->ty);
    lowered plain = unrolled(w, x, false);
    if (size < 2 || size > MOST_LANES || w->is_too_large) return plain;
    lowered mask = by_mask(w, x);
    uint32_t plain_cost = dag_cost(w->d, (node[]){plain.v, plain.fault}, 2);
    return dag_cost(w->d, (node[]){mask.v, mask.fault}, 2) < plain_cost ? mask : plain;
}

// ---- numbers and comparisons

static lowered lower_division(lowerer *w, const expr_info *x, lowered a, lowered b, node fault) {
    node zero = dag_eq(w->d, b.v, DAG_FALSE), divisor = dag_select(w->d, zero, DAG_TRUE, b.v);
    node v = x->kind == E_DIV ? dag_div(w->d, a.v, divisor) : dag_mod(w->d, a.v, divisor);
    return (lowered){v, dag_or(w->d, fault, zero)};
}

// E_WIDEN, E_NARROW, E_IS: the values of a union are those of its members, one member after the other.
static lowered lower_conversion(lowerer *w, const expr_info *x) {
    lowered a = lower_scalar(w, x->args[0]);
    type from = expr_type(w->m, x->args[0]), member = x->kind == E_WIDEN ? from : (type){x->ref};
    int64_t start = instance_member_start(w->in, x->kind == E_WIDEN ? x->ty : from, member);
    int64_t first = instance_type_first(w->in, member), size = instance_type_size(w->in, member);
    if (x->kind == E_WIDEN) return (lowered){dag_add(w->d, a.v, dag_const(w->d, (uint64_t)(start - first))), a.fault};
    node below = dag_lt(w->d, a.v, dag_const(w->d, (uint64_t)start));
    node other = dag_or(w->d, below, dag_le(w->d, dag_const(w->d, (uint64_t)(start + size)), a.v));
    if (x->kind == E_IS) return (lowered){dag_not(w->d, other), a.fault};
    node v = dag_add(w->d, a.v, dag_const(w->d, (uint64_t)(first - start)));
    return (lowered){truth_or_number(w, member, v), dag_or(w->d, a.fault, other)};
}

// Numbers are 32 bits wide for shifts: bits that leave at the top are lost.
static node cut_to_32(lowerer *w, node v) {
    if (dag_at(w->d, v)->lo >= INT32_MIN && dag_at(w->d, v)->hi <= INT32_MAX) return v;
    node by = dag_const(w->d, 32);
    return dag_sar_by(w->d, dag_shl(w->d, v, 32), by);
}

static node at_most(lowerer *w, node v, uint64_t most) {
    node limit = dag_const(w->d, most);
    return dag_select(w->d, dag_le(w->d, v, limit), v, limit);
}

static node shift_left(lowerer *w, node a, node by) {
    node gone = dag_lt(w->d, dag_const(w->d, 31), by), shifted = dag_shl_by(w->d, a, at_most(w, by, 31));
    return dag_select(w->d, gone, DAG_FALSE, cut_to_32(w, shifted));
}

// A shift to the right, by a negative amount to the left.
static node shift_right(lowerer *w, node a, node by) {
    node left = dag_lt(w->d, by, DAG_FALSE);
    node to_right = left == DAG_TRUE ? DAG_FALSE : dag_sar_by(w->d, a, at_most(w, by, 63));
    node to_left = left == DAG_FALSE ? DAG_FALSE : shift_left(w, a, dag_sub(w->d, DAG_FALSE, by));
    return dag_select(w->d, left, to_left, to_right);
}

static lowered scalar_binary(lowerer *w, const expr_info *x) {
    lowered a = lower_scalar(w, x->args[0]), b = x->nargs > 1 ? lower_scalar(w, x->args[1]) : lowered_false;
    node fault = dag_or(w->d, a.fault, b.fault);
    switch (x->kind) {
    case E_EQ: return (lowered){dag_eq(w->d, a.v, b.v), fault};
    case E_LT: return (lowered){dag_lt(w->d, a.v, b.v), fault};
    case E_LE: return (lowered){dag_le(w->d, a.v, b.v), fault};
    case E_ADD: return (lowered){dag_add(w->d, a.v, b.v), fault};
    case E_SUB: return (lowered){dag_sub(w->d, a.v, b.v), fault};
    case E_MUL: return (lowered){dag_mul(w->d, a.v, b.v), fault};
    case E_NEG: return (lowered){dag_sub(w->d, DAG_FALSE, a.v), fault};
    case E_BITAND: return (lowered){dag_and(w->d, a.v, b.v), fault};
    case E_BITOR: return (lowered){dag_or(w->d, a.v, b.v), fault};
    case E_BITXOR: return (lowered){dag_xor(w->d, a.v, b.v), fault};
    case E_BITNOT: return (lowered){dag_sub(w->d, dag_const(w->d, UINT64_MAX), a.v), fault};
    case E_SHL: return (lowered){shift_right(w, a.v, dag_sub(w->d, DAG_FALSE, b.v)), fault};
    case E_SHR: return (lowered){shift_right(w, a.v, b.v), fault};
    default: return lower_division(w, x, a, b, fault);
    }
}

// x = e for all x at once: the bit of e's lane.
static lowered mask_is(lowerer *w, expr e) {
    lowered a = lower_scalar(w, e);
    node lane = dag_add(w->d, a.v, dag_const(w->d, (uint64_t) - (int64_t)w->lane.first));
    node beyond = dag_or(w->d, dag_lt(w->d, lane, DAG_FALSE), dag_le(w->d, dag_const(w->d, w->lane.size), lane));
    node bit = dag_select(w->d, beyond, DAG_FALSE, dag_shl_by(w->d, DAG_TRUE, lane));
    return (lowered){dag_field(w->d, bit, 0, lower_lane_full(w)), dag_spread(w->d, a.fault, lower_lane_full(w))};
}

static lowered mask_eq(lowerer *w, expr e, const expr_info *x) {
    if (type_same(expr_type(w->m, x->args[0]), w->m->bool_type)) return lower_iff(w, x, true);
    for (uint32_t i = 0; i < 2; i++)
        if (is_lane_var(w, x->args[i]) && !lower_has_lane(w, x->args[1 - i])) return mask_is(w, x->args[1 - i]);
    return lower_expr_gather(w, e);
}

// ---- dispatch

static node lower_expr_bound_value(const lowerer *w, uint32_t id, bound_kind kind) {
    assert(w->env[id].kind == kind);
    return w->env[id].v;
}

// Only the evaluator computes with real numbers.
static lowered leave_to_evaluator(lowerer *w) {
    w->is_endless = true;
    return lowered_false;
}

static lowered lower_as_scalar(lowerer *w, const expr_info *x) {
    switch (x->kind) {
    case E_REAL: return leave_to_evaluator(w);
    case E_CONST: return (lowered){dag_const(w->d, (uint64_t)(int64_t)(value)x->ref), DAG_FALSE};
    case E_VAR: return (lowered){lower_expr_bound_value(w, x->ref, BOUND_NODE), DAG_FALSE};
    case E_APP:
    case E_DEFINED: return scalar_app(w, x);
    case E_WIDEN:
    case E_NARROW:
    case E_IS: return lower_conversion(w, x);
    case E_NEXT: assert(!"relations are refused before"); return lowered_false;
    case E_COUNT: return unrolled(w, x, false);
    default: return scalar_binary(w, x);
    }
}

static lowered lower_as_mask(lowerer *w, expr e, const expr_info *x) {
    switch (x->kind) {
    case E_VAR:
        if (w->env[x->ref].kind == BOUND_LANE) return (lowered){dag_const(w->d, 2), DAG_FALSE};  // a bool: lane 1
        return (lowered){lower_expr_bound_value(w, x->ref, BOUND_MASK), DAG_FALSE};
    case E_APP: return mask_app(w, e, x);
    case E_EQ: return mask_eq(w, e, x);
    default: return lower_expr_gather(w, e);
    }
}

static lowered lower_plain(lowerer *w, expr e, const expr_info *x, bool as_mask) {
    switch (x->kind) {
    case E_CALL: return lower_call(w, e, x, as_mask);
    case E_NOT: {
        lowered a = lower_any(w, x->args[0], as_mask);
        return (lowered){complement(w, a.v, as_mask ? lower_lane_full(w) : 1), a.fault};
    }
    case E_AND:
    case E_OR: return lower_junction(w, x, as_mask);
    case E_IMPLIES: return lower_implies(w, x, as_mask);
    case E_ITE: return lower_ite(w, e, x, as_mask);
    case E_FORALL:
    case E_EXISTS: return as_mask ? unrolled(w, x, true) : scalar_quantifier(w, x);
    default: return as_mask ? lower_as_mask(w, e, x) : lower_as_scalar(w, x);
    }
}

// ---- memory of what was lowered before

// Loops that the front end unrolled share their parts: written out, the expression may be exponentially large.
enum { MOST_KEY = 48, HEAVY = 64 };

static bool is_worth_keeping(lowerer *w, expr e) {
    const expr_info *x = expr_of(w->m, e);
    if (x->kind == E_CALL || expr_kind_binds(x->kind) || x->weight > HEAVY) return true;
    for (uint32_t i = 0; x->kind == E_APP && i < x->nargs; i++)
        if (expr_kind_of(w->m, x->args[i]) > E_VAR) return true;  // an index known at run time only
    return false;
}

// The key of e under the present bindings; 0 when e is not worth it.
static uint32_t memo_key(lowerer *w, expr e, bool as_mask, uint32_t *key) {
    if (!w->reads_before || !is_worth_keeping(w, e)) return 0;
    const var_set f = expr_frees(w->m, e);
    if (3 + 2 * f.n > MOST_KEY) return 0;
    key[0] = e.id;
    key[1] = as_mask ? w->lane.size : 0;
    key[2] = as_mask ? (uint32_t)w->lane.first : 0;
    for (uint32_t i = 0; i < f.n; i++) {
        key[3 + 2 * i] = w->env[f.vars[i].id].kind;
        key[4 + 2 * i] = w->env[f.vars[i].id].v;
    }
    return 3 + 2 * f.n;
}

static lowered lower_either(lowerer *w, expr e, bool as_mask) {
    uint32_t key[MOST_KEY], n = memo_key(w, e, as_mask, key);
    uint32_t known = n ? map_get(w->memo, key, n * sizeof *key, UINT32_MAX) : UINT32_MAX;
    if (known != UINT32_MAX) return w->remembered.data[known];
    const expr_info *x = expr_of(w->m, e);
    lowered r = lower_plain(w, e, x, as_mask);
    if (n && !w->is_endless) {
        map_put(w->memo, key, n * sizeof *key, w->remembered.len);
        vec_push(&w->remembered, r);
    }
    return r;
}

static bool is_body_too_large(const lowerer *w) {
    uint32_t nodes = w->d->nodes.len;
    if (w->is_in_body && w->is_frugal &&
        (nodes - w->label_nodes > LOWER_FRUGAL_NODES || w->steps - w->label_steps > LOWER_FRUGAL_STEPS))
        return true;
    return w->is_in_body && (nodes > LOWER_ALL_BODIES || nodes - w->label_nodes > LOWER_BODY_NODES ||
                             w->steps > LOWER_ALL_STEPS || w->steps - w->label_steps > LOWER_BODY_STEPS);
}

static bool is_too_large(lowerer *w) {
    w->is_endless |= is_body_too_large(w);
    if (++w->steps > LOWER_MOST_STEPS || w->d->nodes.len > LOWER_MOST_NODES) w->is_too_large = true;
    return w->is_too_large || w->is_endless;
}

lowered lower_scalar(lowerer *w, expr e) {
    if (is_too_large(w)) return lowered_false;
    return lower_either(w, e, false);
}

lowered lower_mask(lowerer *w, expr e) {
    if (!lower_has_lane(w, e)) return spread(w, lower_scalar(w, e));
    if (is_too_large(w)) return lowered_false;
    return lower_either(w, e, true);
}
