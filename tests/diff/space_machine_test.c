// SPDX-License-Identifier: Apache-2.0
// Machine code against the interpreter, on random bytecode: every operation with operands in machine
// registers, in memory and as constants of all widths, branches over anything, states of one word and of
// many.
#include "base/rng.h"
#include "oracle/unit.h"
#include "space/interp_int.h"
#include "space/machine.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 40000, STATES = 8, MOST_CODE = 120, MOST_WORDS = 20, MOST_COMPUTED = 40, MOST_CHECKS = 130 };

typedef struct {
    rng *random;
    interp x;
    bool is_check;
    uint32_t nlabels;
} program;

static uint32_t below(program *p, uint32_t n) { return (uint32_t)rng_below(p->random, n); }

// ---- random programs

// Narrow and wide, around the limits of immediate operands.
static uint64_t random_constant(program *p) {
    static const uint64_t special[] = {
        0,          1,          2,           127,       128,        255,        INT32_MAX,
        0x80000000, UINT32_MAX, 0x100000000, INT64_MAX, UINT64_MAX, 0xffffff80, 0x8000000000000000};
    if (below(p, 3) == 0) return special[below(p, sizeof special / sizeof *special)];
    if (below(p, 3) == 0) return UINT64_C(1) << below(p, 64);
    return rng_next(p->random) >> below(p, 64);
}

static uint16_t random_constant_slot(program *p) { return (uint16_t)(p->x.words + below(p, p->x.constants.len)); }

static uint16_t random_result(program *p) {
    uint32_t first = p->x.words + p->x.constants.len;
    return (uint16_t)(first + below(p, p->x.nregisters - first));
}

static uint16_t random_slot(program *p) {
    switch (below(p, 4)) {
    case 0: return (uint16_t)below(p, p->x.words);
    case 1: return random_constant_slot(p);
    default: return random_result(p);
    }
}

// A divisor is a constant above zero: the first one is.
static uint16_t divisor(program *p) { return (uint16_t)p->x.words; }

static interp_ins random_computation(program *p) {
    interp_ins i = {.op = (uint16_t)below(p, OP_SPREAD + 1)};
    i.dst = random_result(p);
    i.a = random_slot(p);
    i.b = i.op == OP_DIV || i.op == OP_MOD ? divisor(p) : random_slot(p);
    bool is_test = i.op == OP_TEST || i.op == OP_DIFFER;
    if (i.op == OP_FIELD || i.op == OP_SPREAD || is_test) i.b = random_constant_slot(p);
    if (i.op == OP_SHL) i.b = 0;
    if (is_test) i.c = below(p, 2) ? i.b : random_constant_slot(p);
    if (i.op == OP_SELECT) i.c = random_slot(p);
    if (i.op == OP_FIELD || i.op == OP_SHL) i.shift = (uint16_t)below(p, 64);
    return i;
}

static void add(program *p, interp_ins i) { vec_push(&p->x.code, i); }

// Where it leads is set later.
static void add_branch(program *p) {
    interp_ins i = {.op = (uint16_t)(OP_UNLESS + below(p, 5)), .a = random_slot(p)};
    if (i.op == OP_UNLESS_TEST || i.op == OP_UNLESS_DIFFER) {
        i.b = random_constant_slot(p);
        i.dst = below(p, 2) ? i.b : random_constant_slot(p);
    }
    add(p, i);
}

static void add_trouble(program *p) {
    add(p, (interp_ins){.op = OP_TROUBLE, .a = random_slot(p)});
    add(p, (interp_ins){.op = OP_REFUSE, .target = p->nlabels++ | 0x80000000u});
    add(p, (interp_ins){.op = OP_JUMP});
}

static void add_step(program *p) {
    if (below(p, 2)) add(p, (interp_ins){.op = OP_COPY});
    for (uint32_t n = below(p, 4); n > 0; n--)
        add(p, (interp_ins){.op = OP_OUT, .a = random_slot(p), .c = (uint16_t)below(p, p->x.words)});
    add(p, (interp_ins){.op = OP_FIRE, .target = p->nlabels++});
}

static void add_any(program *p) {
    uint32_t kind = below(p, 10);
    if (kind < 6) add(p, random_computation(p));
    else if (kind < 8) add_branch(p);
    else if (p->is_check) add(p, (interp_ins){.op = OP_CHECK, .a = random_slot(p), .target = below(p, MOST_CHECKS)});
    else if (kind == 8) add_trouble(p);
    else add_step(p);
}

static void set_targets(program *p) {
    uint32_t end = p->x.code.len - 1;
    for (uint32_t k = 0; k < end; k++) {
        interp_ins *i = &p->x.code.data[k];
        bool branches = (i->op >= OP_UNLESS && i->op <= OP_SKIP_IF) || i->op == OP_JUMP;
        if (branches) i->target = k + 1 + below(p, end - k < 12 ? end - k : 12);
    }
}

// Real code never reads a slot that was not computed before: so every program begins by computing all of
// them.
static void compute_all(program *p) {
    for (uint32_t i = p->x.words + p->x.constants.len; i < p->x.nregisters; i++)
        add(p, (interp_ins){.op = OP_XOR, .dst = (uint16_t)i, .a = (uint16_t)below(p, i), .b = (uint16_t)below(p, i)});
}

static program program_new(rng *random) {
    program p = {.random = random, .is_check = rng_below(random, 4) == 0};
    p.x.words = 1 + below(&p, below(&p, 4) ? 3 : MOST_WORDS);
    uint32_t nconstants = 1 + below(&p, 12);
    for (uint32_t i = 0; i < nconstants; i++) vec_push(&p.x.constants, random_constant(&p));
    p.x.constants.data[0] = (p.x.constants.data[0] >> 1) + 1;
    p.x.nregisters = p.x.words + nconstants + 1 + below(&p, MOST_COMPUTED);
    compute_all(&p);
    for (uint32_t n = 1 + below(&p, MOST_CODE); n > 0; n--) add_any(&p);
    add(&p, (interp_ins){.op = OP_END});
    set_targets(&p);
    return p;
}

// ---- running them

typedef struct {
    arena *memory;
    uint32_t n;
    uint64_t *registers, *next, failed[MOST_CHECKS / 64 + 1];
    uint32_t *labels;
} outcome;

static outcome outcome_new(const program *p) {
    outcome o = {.memory = arena_new()};
    o.registers = interp_registers(&p->x, o.memory);
    o.next = arena_alloc(o.memory, (size_t)(p->nlabels + 1) * p->x.words * sizeof *o.next);
    o.labels = arena_alloc(o.memory, (p->nlabels + 1) * sizeof *o.labels);
    return o;
}

static void outcome_free(outcome *o) { arena_free(o->memory); }

static void compare(const program *p, const machine *m, const uint64_t *state, outcome *a, outcome *b) {
    if (p->is_check) {
        interp_check(&p->x, a->registers, state, a->failed);
        machine_check(m, b->registers, state, b->failed);
        assert_memory_equal(a->failed, b->failed, sizeof a->failed);
        return;
    }
    a->n = interp_next(&p->x, a->registers, state, a->next, a->labels);
    b->n = machine_next(m, b->registers, state, b->next, b->labels);
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->labels, b->labels, a->n * sizeof *a->labels);
    assert_memory_equal(a->next, b->next, (size_t)(p->nlabels + 1) * p->x.words * sizeof *a->next);
}

static void try_program(rng *random) {
    program p = program_new(random);
    machine *m = machine_new(&p.x);
    assert_non_null(m);
    outcome a = outcome_new(&p), b = outcome_new(&p);
    for (uint32_t i = 0; i < STATES; i++) {
        uint64_t state[MOST_WORDS];
        for (uint32_t w = 0; w < p.x.words; w++) state[w] = rng_next(random) >> below(&p, 64);
        compare(&p, m, state, &a, &b);
    }
    outcome_free(&a);
    outcome_free(&b);
    machine_free(m);
    vec_free(&p.x.code);
    vec_free(&p.x.constants);
}

static void machine_agrees_with_interpreter(void **state) {
    (void)state;
#if !defined(__x86_64__)
    skip();
#endif
    rng random = {7};
    uint32_t n = getenv("PARVIS_LONG") ? 10 * PROGRAMS : PROGRAMS;
    for (uint32_t i = 0; i < n; i++) try_program(&random);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(machine_agrees_with_interpreter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
