// SPDX-License-Identifier: Apache-2.0
// From the graph to linear code; see ir.h.
//
// A label's conjuncts are tested cheapest first, the words after the step are computed last, and each node
// right before its first use. A node that enough labels of a chunk need is computed once, at the beginning
// of the chunk: guards are evaluated in every state, bodies in some. In a body, much work for one side of a
// select is skipped when the other side is chosen.
#include "space/gates.h"

#include "base/order.h"
#include "space/ir.h"
#include "space/lower.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_COST = 3000, GUARD_WEIGHT = 2, BODY_WEIGHT = 1, HOIST_WEIGHT = 4, SKIP_LEAST = 8 };

typedef struct {
    lowering *p;
    dag *d;
    ir_code *out;
    arena *memory;
    uint32_t *computed;  // by node: stamp of the label or chunk in which it is available
    uint32_t *seen;      // by node: stamp of the last visit while a side of a select is looked at
    uint32_t *weight;    // by node: how much the labels of the chunk need it
    uint32_t chunk, label, stamp;
    node_list touched;  // nodes with a weight
    node_list conds, needed;
    gates gates;
    bool is_gated;  // the nodes that are computed now have gates
} scheduler;

static void schedule_emit(scheduler *s, ir_op op, uint32_t n, uint32_t at) {
    vec_push(s->out, (ir_ins){(uint8_t)op, n, at});
}

static bool is_bit_test(const dag *d, node n) {
    const dag_node *x = dag_at(d, n);
    return x->op == N_TEST || x->op == N_DIFFER || (x->op == N_FIELD && x->imm == 1);
}

// ---- computing nodes

static bool is_ready(const scheduler *s, node n) {
    return dag_at(s->d, n)->op <= N_WORD || s->computed[n] == s->chunk || s->computed[n] == s->label;
}

// Pushes the operands that are still to be computed, the first one on top; false if there are none.
static bool push_operands(const scheduler *s, node n, node_list *stack) {
    dag_node x = *dag_at(s->d, n);
    uint32_t before = stack->len;
    for (unsigned i = dag_arity(x.op); i-- > 0;)
        if (!is_ready(s, dag_operand(&x, i))) vec_push(stack, dag_operand(&x, i));
    return stack->len > before;
}

static void compute(scheduler *s, node root, uint32_t stamp);

// What is to be computed for one side of a select: nodes behind the side's gate, which it counts, and others
// that these need, which it pushes.
static uint32_t push_outer(scheduler *s, node root, gate side, node_list *stack) {
    node_list inner = {0};
    uint32_t count = 0;
    s->stamp++;
    vec_push(&inner, root);
    while (inner.len) {
        node n = vec_pop(&inner);
        if (is_ready(s, n) || s->seen[n] == s->stamp) continue;
        s->seen[n] = s->stamp;
        if (!gates_is_behind(&s->gates, n, side)) {
            vec_push(stack, n);
            continue;
        }
        count++;
        push_operands(s, n, &inner);
    }
    vec_free(&inner);
    return count;
}

// One side of a select whose condition is ready, behind a skip if that is worth it. False: first comes what
// was pushed.
static bool compute_side(scheduler *s, node n, bool when, node_list *stack) {
    dag_node x = *dag_at(s->d, n);
    node root = when ? x.b : x.c;
    gate side;
    if (is_ready(s, root) || !gates_side(&s->gates, n, when, &side)) return true;
    uint32_t before = stack->len, count = push_outer(s, root, side, stack);
    if (stack->len > before) return false;
    if (count < SKIP_LEAST) return true;
    schedule_emit(s, IR_SKIP, x.a, when);
    compute(s, root, s->label);
    schedule_emit(s, IR_END, 0, 0);
    return true;
}

// False: what was pushed comes first.
static bool compute_sides(scheduler *s, node n, node_list *stack) {
    dag_node x = *dag_at(s->d, n);
    if (!s->is_gated || x.op != N_SELECT) return true;
    if (!is_ready(s, x.a)) {
        vec_push(stack, x.a);
        return false;
    }
    return compute_side(s, n, true, stack) && compute_side(s, n, false, stack);
}

// Emits what n needs and n itself, with an explicit stack: graphs may be deep. Recursion goes as deep as
// skips.
static void compute(scheduler *s, node root, uint32_t stamp) {
    node_list stack = {0};
    vec_push(&stack, root);
    while (stack.len) {
        node n = vec_last(&stack);
        if (is_ready(s, n)) {
            stack.len--;
            continue;
        }
        if (!compute_sides(s, n, &stack) || push_operands(s, n, &stack)) continue;
        schedule_emit(s, IR_COMPUTE, n, 0);
        s->computed[n] = stamp;
        stack.len--;
    }
    vec_free(&stack);
}

static void schedule_put_unless(scheduler *s, node n) {
    bool fused = is_bit_test(s->d, n) && !is_ready(s, n);
    compute(s, fused ? dag_at(s->d, n)->a : n, s->label);
    schedule_emit(s, IR_UNLESS, n, fused);
}

// ---- what labels need

static void weigh(scheduler *s, node root, uint32_t weight) {
    vec_clear(&s->needed);
    dag_add_needed(s->d, root, &s->needed);
    for (uint32_t i = 0; i < s->needed.len; i++) {
        node n = s->needed.data[i];
        if (!s->weight[n]) vec_push(&s->touched, n);
        s->weight[n] += weight;
    }
}

static void weigh_label(scheduler *s, const lower_label *l) {
    dag_begin(s->d);
    vec_clear(&s->conds);
    dag_conjuncts(s->d, l->active, &s->conds);
    for (uint32_t i = 0; i < s->conds.len; i++) {
        node c = s->conds.data[i];
        weigh(s, is_bit_test(s->d, c) ? dag_at(s->d, c)->a : c, GUARD_WEIGHT);
    }
    weigh(s, l->trouble, BODY_WEIGHT);
    for (uint32_t i = 0; i < l->nnext; i++) weigh(s, s->p->outs.data[l->next + i].v, BODY_WEIGHT);
}

// Operands have smaller numbers than the nodes that use them, so ascending order computes operands first.
static void hoist(scheduler *s, uint32_t first, uint32_t last) {
    for (uint32_t i = first; i < last; i++)
        if (s->p->labels.data[i].active) weigh_label(s, &s->p->labels.data[i]);
    if (s->touched.len) qsort(s->touched.data, s->touched.len, sizeof(node), order_u32);
    for (uint32_t i = 0; i < s->touched.len; i++) {
        node n = s->touched.data[i];
        if (s->weight[n] >= HOIST_WEIGHT) compute(s, n, s->chunk);
        s->weight[n] = 0;
    }
    vec_clear(&s->touched);
}

// ---- one label

typedef struct {
    uint32_t cost;
    node n;
} priced;

static int cheaper_first(const void *x, const void *y) {
    const priced *a = x, *b = y;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    return a->n < b->n ? -1 : a->n > b->n;
}

static void schedule_guard(scheduler *s, node active) {
    vec_clear(&s->conds);
    dag_conjuncts(s->d, active, &s->conds);
    VEC(priced) order = {0};
    for (uint32_t i = 0; i < s->conds.len; i++)
        vec_push(&order, (priced){dag_cost(s->d, &s->conds.data[i], 1), s->conds.data[i]});
    if (order.len) qsort(order.data, order.len, sizeof *order.data, cheaper_first);
    for (uint32_t i = 0; i < order.len; i++) schedule_put_unless(s, order.data[i].n);
    vec_free(&order);
}

// Whether there is trouble, and the words after the step.
static void find_gates(scheduler *s, const lower_label *l) {
    vec_clear(&s->needed);
    vec_push(&s->needed, l->trouble);
    for (uint32_t i = 0; i < l->nnext; i++) vec_push(&s->needed, s->p->outs.data[l->next + i].v);
    gates_assign(&s->gates, s->needed.data, s->needed.len);
}

static void schedule_body(scheduler *s, uint32_t number, const lower_label *l) {
    if (l->trouble) {
        compute(s, l->trouble, s->label);
        schedule_emit(s, IR_TROUBLE, l->trouble, 0);
    }
    for (uint32_t i = 0; i < l->nnext && l->trouble != DAG_TRUE; i++) {
        lower_out out = s->p->outs.data[l->next + i];
        if (out.v == dag_word(s->d, out.word)) continue;
        compute(s, out.v, s->label);
        schedule_emit(s, IR_OUT, out.v, out.word);
    }
    schedule_emit(s, IR_FIRE, number, l->is_called);
}

static void schedule_label(scheduler *s, uint32_t number, const lower_label *l) {
    s->label = ++s->stamp;
    schedule_emit(s, IR_ENTER, number, 0);
    schedule_guard(s, l->active);
    find_gates(s, l);
    s->is_gated = true;
    schedule_body(s, number, l);
    s->is_gated = false;
    schedule_emit(s, IR_LEAVE, number, 0);
}

static uint32_t label_cost(lowering *p, const lower_label *l) {
    dag *d = &p->d;
    dag_begin(d);
    vec_clear(&d->work);
    dag_add_needed(d, l->active, &d->work);
    dag_add_needed(d, l->trouble, &d->work);
    for (uint32_t i = 0; i < l->nnext; i++) dag_add_needed(d, p->outs.data[l->next + i].v, &d->work);
    return d->work.len + 4;
}

static uint32_t schedule_chunk_end(lowering *p, uint32_t first) {
    uint32_t cost = 0, last = first;
    while (last < p->labels.len && (cost < CHUNK_COST || last == first)) cost += label_cost(p, &p->labels.data[last++]);
    return last;
}

static scheduler scheduler_new(lowering *p, ir_code *out) {
    scheduler s = {.p = p, .d = &p->d, .out = out};
    for (uint32_t i = 0; i < p->words; i++) dag_word(&p->d, i);  // no node is added from here on
    s.memory = arena_new();
    s.computed = arena_alloc(s.memory, p->d.nodes.len * sizeof *s.computed);
    s.seen = arena_alloc(s.memory, p->d.nodes.len * sizeof *s.seen);
    s.weight = arena_alloc(s.memory, p->d.nodes.len * sizeof *s.weight);
    s.gates = gates_new(&p->d, s.memory);
    return s;
}

static void scheduler_free(scheduler *s) {
    arena_free(s->memory);
    vec_free(&s->touched);
    vec_free(&s->conds);
    vec_free(&s->needed);
    gates_free(&s->gates);
}

static void begin_chunk(scheduler *s) {
    s->chunk = s->label = ++s->stamp;
    schedule_emit(s, IR_CHUNK, 0, 0);
}

void ir_schedule_next(lowering *p, ir_code *out) {
    scheduler s = scheduler_new(p, out);
    for (uint32_t first = 0, last; first < p->labels.len; first = last) {
        last = schedule_chunk_end(p, first);
        begin_chunk(&s);
        hoist(&s, first, last);
        for (uint32_t i = first; i < last; i++)
            if (p->labels.data[i].active) schedule_label(&s, i, &p->labels.data[i]);
    }
    scheduler_free(&s);
}

void ir_schedule_checks(lowering *p, ir_code *out) {
    scheduler s = scheduler_new(p, out);
    for (uint32_t i = 0; i < p->checks.len; i++) {
        if (i % 64 == 0) begin_chunk(&s);
        compute(&s, p->checks.data[i], s.chunk);
        schedule_emit(&s, IR_CHECK, p->checks.data[i], i);
    }
    scheduler_free(&s);
}
