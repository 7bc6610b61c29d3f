// SPDX-License-Identifier: Apache-2.0
// The graph of computations; see dag.h.
//
// Normal forms: a constant operand of a commutative operation is on the right; and-ing with a constant is
// N_FIELD with shift 0; a bit that must be one is N_FIELD with mask 1, a bit that must be zero N_TEST.
#include "space/dag.h"

#include "base/order.h"

#include <assert.h>
#include <string.h>

// ---- interning

// Nodes are numbered as their tuples are. One with a third operand has no immediate number.
static node dag_intern(dag *d, dag_node x) {
    uint64_t key[] = {(uint64_t)x.op << 56 | (uint64_t)x.a << 28 | x.b, x.imm + x.c, x.imm2};
    node n = tuples_put(d->known, key);
    assert(n >> 28 == 0);
    if (n == d->nodes.len) vec_push(&d->nodes, x);
    return n;
}

void dag_init(dag *d) {
    memset(d, 0, sizeof *d);
    d->known = tuples_new(3);
    node zero = dag_intern(d, (dag_node){.op = N_CONST}), one = dag_const(d, 1);
    assert(zero == DAG_FALSE && one == DAG_TRUE);
}

void dag_free(dag *d) {
    vec_free(&d->nodes);
    vec_free(&d->work);
    tuples_free(d->known);
    free(d->stamps);
}

// ---- bits and bounds

static uint64_t below_top(uint64_t x) {
    for (unsigned s = 1; s < 64; s *= 2) x |= x >> s;
    return x;
}

static dag_node with_bits(dag_node x, uint64_t maybe) {
    x.maybe = maybe;
    x.lo = maybe >> 63 ? INT64_MIN : 0;
    x.hi = maybe >> 63 ? INT64_MAX : (int64_t)maybe;
    return x;
}

static int64_t clamp128(__int128 v) { return v < INT64_MIN ? INT64_MIN : v > INT64_MAX ? INT64_MAX : (int64_t)v; }

static dag_node with_bounds(dag_node x, __int128 lo, __int128 hi) {
    x.lo = clamp128(lo);
    x.hi = clamp128(hi);
    x.maybe = x.lo >= 0 ? below_top((uint64_t)x.hi) : UINT64_MAX;
    return x;
}

static dag_node dag_unary(node_op op, node a, uint64_t imm, uint64_t imm2) {
    return (dag_node){.op = (uint8_t)op, .a = a, .imm = imm, .imm2 = imm2};
}

static dag_node dag_binary(node_op op, node a, node b) { return (dag_node){.op = (uint8_t)op, .a = a, .b = b}; }

static uint64_t maybe(const dag *d, node a) { return dag_at(d, a)->maybe; }
static bool is_op(const dag *d, node a, node_op op) { return dag_at(d, a)->op == op; }
static bool is_bit(uint64_t x) { return x && !(x & (x - 1)); }

static void dag_order(const dag *d, node *a, node *b) {
    bool swap = dag_is_const(d, *a) || (!dag_is_const(d, *b) && *a > *b);
    if (!swap) return;
    node t = *a;
    *a = *b;
    *b = t;
}

// ---- words, fields, shifts

node dag_const(dag *d, uint64_t value) {
    if (!value) return DAG_FALSE;
    dag_node x = {.op = N_CONST, .imm = value, .maybe = value, .lo = (int64_t)value, .hi = (int64_t)value};
    return dag_intern(d, x);
}

node dag_word(dag *d, uint32_t index) {
    return dag_intern(d, with_bits((dag_node){.op = N_WORD, .imm = index}, UINT64_MAX));
}

static node field_of_shl(dag *d, dag_node s, uint32_t shift, uint64_t mask) {
    if (shift >= s.imm) return dag_field(d, s.a, shift - (uint32_t)s.imm, mask);
    uint32_t rest = (uint32_t)s.imm - shift;
    return dag_shl(d, dag_field(d, s.a, 0, mask >> rest), rest);
}

node dag_field(dag *d, node a, uint32_t shift, uint64_t mask) {
    dag_node x = *dag_at(d, a);
    if (shift > 63) return DAG_FALSE;
    mask &= x.maybe >> shift;
    if (!mask) return DAG_FALSE;
    if (x.op == N_CONST) return dag_const(d, x.imm >> shift & mask);
    if (!shift && mask == x.maybe) return a;
    if (x.op == N_FIELD) return dag_field(d, x.a, (uint32_t)x.imm2 + shift, x.imm >> shift & mask);
    if (x.op == N_SHL) return field_of_shl(d, x, shift, mask);
    if (x.op == N_SPREAD) return dag_spread(d, x.a, x.imm >> shift & mask);
    return dag_intern(d, with_bits(dag_unary(N_FIELD, a, mask, shift), mask));
}

node dag_at_most(dag *d, node v, int64_t most) {
    dag_node *x = &d->nodes.data[v];
    if (x->op == N_FIELD && x->hi > most) x->hi = most;
    return v;
}

node dag_shl(dag *d, node a, uint32_t shift) {
    dag_node x = *dag_at(d, a);
    if (!shift || !a) return a;
    if (shift > 63) return DAG_FALSE;
    if (x.op == N_CONST) return dag_const(d, x.imm << shift);
    if (x.op == N_SHL) return dag_shl(d, x.a, (uint32_t)x.imm + shift);
    if (x.op == N_FIELD && x.imm2 == shift) return dag_field(d, x.a, 0, x.imm << shift);
    if (x.op == N_SPREAD) return dag_spread(d, x.a, x.imm << shift);
    return dag_intern(d, with_bits(dag_unary(N_SHL, a, shift, 0), x.maybe << shift));
}

node dag_spread(dag *d, node a, uint64_t mask) {
    if (mask == 1 || !a) return a;
    if (!mask) return DAG_FALSE;
    if (a == DAG_TRUE) return dag_const(d, mask);
    return dag_intern(d, with_bits(dag_unary(N_SPREAD, a, mask, 0), mask));
}

node dag_shl_by(dag *d, node a, node b) {
    if (dag_is_const(d, b)) return dag_shl(d, a, dag_number(d, b) & 63);
    if (!a) return a;
    uint64_t bits = 0, most = dag_at(d, b)->lo >= 0 && dag_at(d, b)->hi < 64 ? (uint64_t)dag_at(d, b)->hi : 63;
    for (uint64_t s = 0; s <= most; s++) bits |= maybe(d, a) << s;
    return dag_intern(d, with_bits(dag_binary(N_SHLV, a, b), bits));
}

node dag_shr_by(dag *d, node a, node b) {
    if (dag_is_const(d, b)) return dag_field(d, a, dag_number(d, b) & 63, UINT64_MAX);
    if (!a) return a;
    return dag_intern(d, with_bits(dag_binary(N_SHRV, a, b), below_top(maybe(d, a))));
}

node dag_sar_by(dag *d, node a, node b) {
    dag_node x = *dag_at(d, a);
    if (x.lo >= 0) return dag_shr_by(d, a, b);
    if (x.op == N_CONST && dag_is_const(d, b)) return dag_const(d, (uint64_t)(x.lo >> (dag_number(d, b) & 63)));
    return dag_intern(d, with_bounds(dag_binary(N_SARV, a, b), x.lo, x.hi >= 0 ? x.hi : -1));
}

// ---- tests of bits

// The truth value a as a cube (word & mask) == value.
static bool as_cube(const dag *d, node a, dag_node *cube) {
    *cube = *dag_at(d, a);
    if (cube->op == N_TEST) return true;
    if (cube->op != N_FIELD || cube->imm != 1) return false;
    *cube = dag_unary(N_TEST, cube->a, UINT64_C(1) << cube->imm2, UINT64_C(1) << cube->imm2);
    return true;
}

// The truth value a as the negation of a cube.
static bool as_anticube(const dag *d, node a, dag_node *cube) {
    *cube = *dag_at(d, a);
    if (cube->op == N_DIFFER) return true;
    if (!as_cube(d, a, cube) || !is_bit(cube->imm)) return false;
    cube->imm2 ^= cube->imm;
    return true;
}

static node test_bits(dag *d, node a, uint64_t mask, uint64_t value, bool equal) {
    if (value & ~mask) return !equal;
    if (!mask) return equal;
    if (!is_bit(mask)) return dag_intern(d, with_bits(dag_unary(equal ? N_TEST : N_DIFFER, a, mask, value), 1));
    bool one = (value != 0) == equal;
    if (one) return dag_field(d, a, (uint32_t)__builtin_ctzll(mask), 1);
    return dag_intern(d, with_bits(dag_unary(N_TEST, a, mask, 0), 1));
}

// Looks through what only moves bits, so that a test is on the word where the bits come from.
static node test_source(dag *d, node a, uint64_t mask, uint64_t value, bool equal) {
    for (;;) {
        dag_node x = *dag_at(d, a);
        if (value & ~(mask & x.maybe)) return !equal;
        mask &= x.maybe;
        if (!mask) return equal;
        if (x.op == N_CONST) return ((x.imm & mask) == value) == equal;
        if (x.op == N_FIELD) mask <<= x.imm2, value <<= x.imm2;
        else if (x.op == N_SHL) mask >>= x.imm, value >>= x.imm;
        else if (x.op == N_XOR && dag_is_const(d, x.b)) value ^= dag_at(d, x.b)->imm & mask;
        else break;
        a = x.a;
    }
    if (is_op(d, a, N_SPREAD)) {
        if (value && value != mask) return !equal;
        return (value != 0) == equal ? dag_at(d, a)->a : dag_not(d, dag_at(d, a)->a);
    }
    if (maybe(d, a) == 1) return (value != 0) == equal ? a : dag_not(d, a);
    return test_bits(d, a, mask, value, equal);
}

node dag_test(dag *d, node a, uint64_t mask, uint64_t value) { return test_source(d, a, mask, value, true); }
node dag_differ(dag *d, node a, uint64_t mask, uint64_t value) { return test_source(d, a, mask, value, false); }

node dag_not(dag *d, node a) {
    dag_node x = *dag_at(d, a);
    assert(x.maybe <= 1);
    if (x.op == N_CONST) return !x.imm;
    if (x.op == N_TEST) return test_bits(d, x.a, x.imm, x.imm2, false);
    if (x.op == N_DIFFER) return test_bits(d, x.a, x.imm, x.imm2, true);
    if (x.op == N_FIELD) return test_bits(d, x.a, UINT64_C(1) << x.imm2, 0, true);
    if (x.op == N_LT) return dag_le(d, x.b, x.a);
    if (x.op == N_LE) return dag_lt(d, x.b, x.a);
    if (x.op == N_XOR && x.b == DAG_TRUE) return x.a;
    return dag_intern(d, with_bits(dag_binary(N_XOR, a, DAG_TRUE), 1));
}

// ---- bitwise

node dag_and(dag *d, node a, node b) {
    dag_order(d, &a, &b);
    if (a == b) return a;
    if (dag_is_const(d, b)) return dag_field(d, a, 0, dag_number(d, b));
    uint64_t bits = maybe(d, a) & maybe(d, b);
    if (!bits) return DAG_FALSE;
    if (bits == 1) return dag_all(d, (node[]){dag_field(d, a, 0, 1), dag_field(d, b, 0, 1)}, 2);
    return dag_intern(d, with_bits(dag_binary(N_AND, a, b), bits));
}

node dag_or(dag *d, node a, node b) {
    dag_order(d, &a, &b);
    if (a == b || !b) return a;
    if (dag_is_const(d, b) && !(maybe(d, a) & ~dag_at(d, b)->imm)) return b;
    if ((maybe(d, a) | maybe(d, b)) == 1) return dag_any(d, (node[]){a, b}, 2);
    return dag_intern(d, with_bits(dag_binary(N_OR, a, b), maybe(d, a) | maybe(d, b)));
}

node dag_xor(dag *d, node a, node b) {
    dag_order(d, &a, &b);
    if (a == b) return DAG_FALSE;
    if (!b) return a;
    if (dag_is_const(d, a)) return dag_const(d, dag_at(d, a)->imm ^ dag_at(d, b)->imm);
    if (b == DAG_TRUE && maybe(d, a) == 1) return dag_not(d, a);
    dag_node x = *dag_at(d, a);
    if (dag_is_const(d, b) && x.op == N_XOR && dag_is_const(d, x.b))
        return dag_xor(d, x.a, dag_const(d, dag_at(d, x.b)->imm ^ dag_at(d, b)->imm));
    return dag_intern(d, with_bits(dag_binary(N_XOR, a, b), x.maybe | maybe(d, b)));
}

// ---- conjunction and disjunction of truth values

typedef struct {
    dag *d;
    node_op op;           // N_AND or N_OR
    VEC(dag_node) cubes;  // one per source: cubes for N_AND, negated cubes for N_OR
    node_list others;
    bool decided;  // it is false (N_AND) or true (N_OR)
} junction;

// A conjunction of cubes is the cube of all their bits; a disjunction of negated cubes its negation.
static void add_cube(junction *j, dag_node cube) {
    for (uint32_t i = 0; i < j->cubes.len; i++) {
        dag_node *c = &j->cubes.data[i];
        if (c->a != cube.a) continue;
        if ((c->imm2 ^ cube.imm2) & c->imm & cube.imm) j->decided = true;
        c->imm |= cube.imm;
        c->imm2 |= cube.imm2;
        return;
    }
    vec_push(&j->cubes, cube);
}

static void dag_add_leaf(junction *j, node a) {
    dag_node x = *dag_at(j->d, a);
    bool is_and = j->op == N_AND;
    if (x.op == N_CONST) j->decided |= (x.imm != 0) != is_and;
    else if (is_and ? as_cube(j->d, a, &x) : as_anticube(j->d, a, &x)) add_cube(j, x);
    else vec_push(&j->others, a);
}

enum { MOST_FLAT = 256 };

// Chains can be long, so there is a list of what is still to be taken apart; of a very long one the rest is
// kept as it is, lest building it step by step takes a time that grows with the square of its length.
static void add_operand(junction *j, node a) {
    node_list todo = {0};
    vec_push(&todo, a);
    while (todo.len && !j->decided) {
        node n = vec_pop(&todo);
        const dag_node *x = dag_at(j->d, n);
        if (x->op != j->op || j->others.len + j->cubes.len + todo.len > MOST_FLAT) {
            dag_add_leaf(j, n);
            continue;
        }
        vec_push(&todo, x->b);
        vec_push(&todo, x->a);
    }
    vec_free(&todo);
}

// What the gathered cubes say of another operand on the same word: -1 nothing, else whether it adds nothing
// (1) or decides everything (0).
static int dag_judge(const junction *j, node a) {
    dag_node x;
    bool known = j->op == N_AND ? as_anticube(j->d, a, &x) : as_cube(j->d, a, &x);
    for (uint32_t i = 0; known && i < j->cubes.len; i++) {
        const dag_node *c = &j->cubes.data[i];
        if (c->a != x.a) continue;
        if ((c->imm2 ^ x.imm2) & c->imm & x.imm) return 1;
        if (!(x.imm & ~c->imm)) return 0;
    }
    return -1;
}

static void dag_settle(junction *j, node_list *out) {
    for (uint32_t i = 0; i < j->others.len && !j->decided; i++) {
        int verdict = dag_judge(j, j->others.data[i]);
        if (verdict == 0) j->decided = true;
        if (verdict < 0) vec_push(out, j->others.data[i]);
    }
    for (uint32_t i = 0; i < j->cubes.len && !j->decided; i++) {
        const dag_node c = j->cubes.data[i];
        vec_push(out, test_bits(j->d, c.a, c.imm, c.imm2, j->op == N_AND));
    }
    if (out->len) qsort(out->data, out->len, sizeof *out->data, order_u32);
}

static node dag_join(dag *d, node_op op, const node *args, uint32_t n) {
    junction j = {.d = d, .op = op};
    for (uint32_t i = 0; i < n && !j.decided; i++) add_operand(&j, args[i]);
    node_list parts = {0};
    dag_settle(&j, &parts);
    node result = j.decided ? op == N_OR : op == N_AND;
    for (uint32_t i = 0; i < parts.len && !j.decided; i++) {
        if (i && parts.data[i] == parts.data[i - 1]) continue;
        result = i ? dag_intern(d, with_bits(dag_binary(op, result, parts.data[i]), 1)) : parts.data[i];
    }
    vec_free(&j.cubes);
    vec_free(&j.others);
    vec_free(&parts);
    return result;
}

node dag_all(dag *d, const node *args, uint32_t n) { return dag_join(d, N_AND, args, n); }
node dag_any(dag *d, const node *args, uint32_t n) { return dag_join(d, N_OR, args, n); }

void dag_conjuncts(dag *d, node a, node_list *out) {
    node_list todo = {0};
    vec_push(&todo, a);
    while (todo.len) {
        node n = vec_pop(&todo);
        const dag_node *x = dag_at(d, n);
        if (x->op == N_AND && x->maybe == 1) {
            vec_push(&todo, x->b);
            vec_push(&todo, x->a);
        } else if (n != DAG_TRUE) vec_push(out, n);
    }
    vec_free(&todo);
}

// ---- numbers

node dag_add(dag *d, node a, node b) {
    dag_order(d, &a, &b);
    if (!b) return a;
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (x.op == N_CONST) return dag_const(d, x.imm + y.imm);
    if (y.op == N_CONST && x.op == N_ADD && dag_is_const(d, x.b))
        return dag_add(d, x.a, dag_const(d, dag_at(d, x.b)->imm + y.imm));
    return dag_intern(d, with_bounds(dag_binary(N_ADD, a, b), (__int128)x.lo + y.lo, (__int128)x.hi + y.hi));
}

node dag_sub(dag *d, node a, node b) {
    if (a == b) return DAG_FALSE;
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (y.op == N_CONST) return dag_add(d, a, dag_const(d, 0 - y.imm));
    return dag_intern(d, with_bounds(dag_binary(N_SUB, a, b), (__int128)x.lo - y.hi, (__int128)x.hi - y.lo));
}

node dag_mul(dag *d, node a, node b) {
    dag_order(d, &a, &b);
    if (b <= DAG_TRUE) return b ? a : b;
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (x.op == N_CONST) return dag_const(d, x.imm * y.imm);
    __int128 p[] = {(__int128)x.lo * y.lo, (__int128)x.lo * y.hi, (__int128)x.hi * y.lo, (__int128)x.hi * y.hi};
    __int128 lo = p[0], hi = p[0];
    for (int i = 1; i < 4; i++) lo = p[i] < lo ? p[i] : lo, hi = p[i] > hi ? p[i] : hi;
    return dag_intern(d, with_bounds(dag_binary(N_MUL, a, b), lo, hi));
}

static __int128 dag_largest_size(const dag_node *x) {
    __int128 a = -(__int128)x->lo, b = x->hi;
    return a > b ? a : b;
}

node dag_div(dag *d, node a, node b) {
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (b == DAG_TRUE) return a;
    if (x.op == N_CONST && y.op == N_CONST) return dag_const(d, (uint64_t)((int64_t)x.imm / (int64_t)y.imm));
    __int128 most = dag_largest_size(&x);
    return dag_intern(d, with_bounds(dag_binary(N_DIV, a, b), x.lo >= 0 && y.lo >= 0 ? 0 : -most, most));
}

node dag_mod(dag *d, node a, node b) {
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (x.op == N_CONST && y.op == N_CONST) return dag_const(d, (uint64_t)((int64_t)x.imm % (int64_t)y.imm));
    __int128 most = dag_largest_size(&y) - 1, own = dag_largest_size(&x);
    if (own < most) most = own;
    return dag_intern(d, with_bounds(dag_binary(N_MOD, a, b), x.lo >= 0 ? 0 : -most, x.hi <= 0 ? 0 : most));
}

// ---- comparisons and choice

static node eq_const(dag *d, node a, int64_t c) {
    dag_node x = *dag_at(d, a);
    if (x.op == N_ADD && dag_is_const(d, x.b)) return eq_const(d, x.a, c - dag_number(d, x.b));
    if (x.op == N_SELECT && dag_is_const(d, x.b) && dag_is_const(d, x.c)) {
        bool then = dag_number(d, x.b) == c, otherwise = dag_number(d, x.c) == c;
        return then == otherwise ? (node)then : then ? x.a : dag_not(d, x.a);
    }
    return dag_test(d, a, UINT64_MAX, (uint64_t)c);
}

node dag_eq(dag *d, node a, node b) {
    dag_order(d, &a, &b);
    if (a == b) return DAG_TRUE;
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (x.hi < y.lo || y.hi < x.lo) return DAG_FALSE;
    if (x.op == N_CONST) return x.imm == y.imm;
    if (y.op == N_CONST) return eq_const(d, a, (int64_t)y.imm);
    return dag_intern(d, with_bits(dag_binary(N_EQ, a, b), 1));
}

node dag_lt(dag *d, node a, node b) {
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (x.hi < y.lo) return DAG_TRUE;
    if (x.lo >= y.hi || a == b) return DAG_FALSE;
    if (y.op == N_CONST && x.lo == y.lo - 1) return dag_eq(d, a, dag_const(d, (uint64_t)x.lo));
    if (x.op == N_CONST && y.hi == x.hi + 1) return dag_eq(d, b, dag_const(d, (uint64_t)y.hi));
    return dag_intern(d, with_bits(dag_binary(N_LT, a, b), 1));
}

node dag_le(dag *d, node a, node b) {
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (x.hi <= y.lo || a == b) return DAG_TRUE;
    if (x.lo > y.hi) return DAG_FALSE;
    if (x.lo == y.hi) return dag_eq(d, a, b);
    return dag_intern(d, with_bits(dag_binary(N_LE, a, b), 1));
}

static node select_bool(dag *d, node c, node a, node b) {
    if (b == DAG_FALSE) return dag_all(d, (node[]){c, a}, 2);
    if (a == DAG_TRUE) return dag_any(d, (node[]){c, b}, 2);
    if (a == DAG_FALSE) return dag_all(d, (node[]){dag_not(d, c), b}, 2);
    if (b == DAG_TRUE) return dag_any(d, (node[]){dag_not(d, c), a}, 2);
    return dag_intern(d, with_bits((dag_node){.op = N_SELECT, .a = c, .b = a, .c = b}, 1));
}

static bool is_negated(const dag *d, node c) {
    dag_node x = *dag_at(d, c);
    return x.op == N_DIFFER || (x.op == N_TEST && is_bit(x.imm) && !x.imm2) || (x.op == N_XOR && x.b == DAG_TRUE);
}

node dag_select(dag *d, node c, node a, node b) {
    if (dag_is_const(d, c)) return c ? a : b;
    if (a == b) return a;
    if (is_negated(d, c)) return dag_select(d, dag_not(d, c), b, a);
    dag_node x = *dag_at(d, a), y = *dag_at(d, b);
    if (x.op == N_SELECT && x.a == c) return dag_select(d, c, x.b, b);
    if (y.op == N_SELECT && y.a == c) return dag_select(d, c, a, y.c);
    if ((x.maybe | y.maybe) == 1) return select_bool(d, c, a, b);
    if (b == DAG_FALSE && x.op == N_CONST) return dag_spread(d, c, x.imm);
    if (a == DAG_FALSE && y.op == N_CONST) return dag_spread(d, dag_not(d, c), y.imm);
    dag_node s = {.op = N_SELECT, .a = c, .b = a, .c = b};
    s = with_bounds(s, x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi);
    s.maybe = x.maybe | y.maybe;
    return dag_intern(d, s);
}

// ---- what it takes to compute a node

void dag_begin(dag *d) {
    if (d->nstamps < d->nodes.len) {
        d->stamps = mem_grow(d->stamps, d->nodes.cap * sizeof *d->stamps);
        memset(d->stamps + d->nstamps, 0, (d->nodes.cap - d->nstamps) * sizeof *d->stamps);
        d->nstamps = d->nodes.cap;
    }
    d->stamp++;
}

static void dag_visit(dag *d, node n, node_list *out) {
    if (d->stamps[n] == d->stamp || dag_at(d, n)->op <= N_WORD) return;
    d->stamps[n] = d->stamp;
    vec_push(out, n);
}

void dag_add_needed(dag *d, node root, node_list *out) {
    uint32_t i = out->len;
    dag_visit(d, root, out);
    for (; i < out->len; i++) {
        dag_node x = *dag_at(d, out->data[i]);
        for (unsigned k = 0; k < dag_arity(x.op); k++) dag_visit(d, dag_operand(&x, k), out);
    }
}

uint32_t dag_cost(dag *d, const node *roots, uint32_t n) {
    dag_begin(d);
    vec_clear(&d->work);
    for (uint32_t i = 0; i < n; i++) dag_add_needed(d, roots[i], &d->work);
    return d->work.len;
}
