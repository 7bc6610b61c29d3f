// SPDX-License-Identifier: Apache-2.0
// Machine code for x86-64: bytecode, one short template per instruction; see machine.h.
//
// What bytecode calls a register is a *slot* here: it has its place in the register file, but the slots that
// are named most often live in the machine registers that no template needs for itself, and constants of 32
// bits in the instructions.
//
//   rbx   inside the register file          rdi   where the next successor goes, or the failed checks
//   rax, rcx, rdx   within a template       rsi   where its label goes
#include "space/machine.h"

#include "space/interp_int.h"
#include "space/x86.h"

#include <string.h>

enum { NO_HOME = 0xff, MOST_CODE = 32 << 20, FIRST_WEIGHT = 64 };

static const reg homes[] = {R8, R9, R10, R11, RBP, R12, R13, R14, R15};
static const reg saved[] = {RBX, RBP, R12, R13, R14, R15};
enum { HOMES = sizeof homes / sizeof *homes, SAVED = sizeof saved / sizeof *saved };

typedef struct {
    const interp *x;
    x86_code code;
    uint8_t *home;    // by slot: its machine register or NO_HOME
    uint32_t *start;  // by instruction: its place in the code
    x86_branches branches;
} maker;

struct machine {
    void *code;
    size_t size;
};

// Returns how many labels it wrote.
typedef uint32_t (*machine_code)(const uint64_t *state, uint64_t *out, uint32_t *labels, uint64_t *registers);

// ---- bytes

static void machine_put(maker *m, unsigned byte) { x86_byte(&m->code, byte); }
static void put32(maker *m, uint32_t v) { x86_four(&m->code, v); }

static void put_pair(maker *m, bool is_wide, unsigned op, reg r, reg other) {
    x86_pair(&m->code, is_wide, op, r, other);
}

static void put_regs(maker *m, unsigned op, reg r, reg other) { put_pair(m, true, op, r, other); }

// op r, base[word]; the base is rbx, rsi or rdi.
static void put_memory(maker *m, unsigned op, reg r, reg base, int32_t word) {
    x86_memory(&m->code, true, op, r, base, 8 * word);
}

// ---- slots

static bool machine_is_constant(const maker *m, uint32_t slot) {
    return slot >= m->x->words && slot - m->x->words < m->x->constants.len;
}

static uint64_t constant_at(const maker *m, uint32_t slot) { return m->x->constants.data[slot - m->x->words]; }

static bool is_immediate_at(const maker *m, uint32_t slot) {
    return machine_is_constant(m, slot) && x86_is_immediate(constant_at(m, slot));
}
// rbx points behind the first slots that are computed, so that distances to most of them fit into a byte.
static int32_t base_slot(const maker *m) { return (int32_t)(m->x->words + m->x->constants.len) + 16; }
static void put_file(maker *m, unsigned op, reg r, uint32_t slot) {
    put_memory(m, op, r, RBX, (int32_t)slot - base_slot(m));
}

static bool has_home(const maker *m, uint32_t slot) { return m->home[slot] != NO_HOME; }
static reg home_of(const maker *m, uint32_t slot) { return (reg)m->home[slot]; }

// op r, slot
static void put_slot(maker *m, unsigned op, reg r, uint32_t slot) {
    if (has_home(m, slot)) put_regs(m, op, r, home_of(m, slot));
    else put_file(m, op, r, slot);
}

static void machine_load(maker *m, reg r, uint32_t slot) {
    if (machine_is_constant(m, slot) && constant_at(m, slot) <= UINT32_MAX)
        x86_constant(&m->code, r, constant_at(m, slot));
    else if (m->home[slot] != r) put_slot(m, MOV, r, slot);
}

static void put_immediate(maker *m, bool is_wide, alu op, reg r, uint32_t v) {
    x86_immediate(&m->code, is_wide, op, r, v);
}

// r op= slot
static void put_alu(maker *m, alu op, reg r, uint32_t slot) {
    uint64_t v = machine_is_constant(m, slot) ? constant_at(m, slot) : UINT64_MAX;
    if (op == AND && v <= UINT32_MAX) put_immediate(m, false, op, r, (uint32_t)v);
    else if (is_immediate_at(m, slot)) put_immediate(m, true, op, r, (uint32_t)v);
    else put_slot(m, 8 * op + 3, r, slot);
}

// Sets the flags: is the slot zero?
static void put_zero_test(maker *m, uint32_t slot) {
    reg r = has_home(m, slot) ? home_of(m, slot) : RAX;
    machine_load(m, r, slot);
    put_regs(m, TEST, r, r);
}

static void machine_put_shift(maker *m, shift_kind kind, reg r, uint32_t by) { x86_shift(&m->code, kind, r, by); }

// ---- results

// Where to compute a result: at home, unless the second operand lives there.
static reg result_in(const maker *m, const interp_ins *i) {
    return has_home(m, i->dst) && i->dst != i->b ? home_of(m, i->dst) : RAX;
}

static void machine_keep(maker *m, const interp_ins *i, reg r) {
    if (!has_home(m, i->dst)) put_file(m, MOV_TO, r, i->dst);
    else if (home_of(m, i->dst) != r) put_regs(m, MOV, home_of(m, i->dst), r);
}

static void keep_condition(maker *m, const interp_ins *i, condition c) {
    reg r = has_home(m, i->dst) ? home_of(m, i->dst) : RAX;
    put_pair(m, false, 0xf90 | c, RAX, RAX);
    put_pair(m, false, MOVZX_BYTE, r, RAX);
    machine_keep(m, i, r);
}

static void put_distance(maker *m, uint32_t target) { x86_distance(&m->code, &m->branches, target); }

static void put_branch(maker *m, condition c, uint32_t target) {
    machine_put(m, 0x0f);
    machine_put(m, 0x80 | c);
    put_distance(m, target);
}

// ---- templates

// The first operand, where the result is computed.
static reg load_first(maker *m, const interp_ins *i) {
    reg r = result_in(m, i);
    machine_load(m, r, i->a);
    return r;
}

static void make_arithmetic(maker *m, const interp_ins *i, alu op) {
    reg r = load_first(m, i);
    put_alu(m, op, r, i->b);
    machine_keep(m, i, r);
}

static void make_field(maker *m, const interp_ins *i) {
    reg r = load_first(m, i);
    machine_put_shift(m, SHR, r, i->shift);
    put_alu(m, AND, r, i->b);
    machine_keep(m, i, r);
}

static void make_shl(maker *m, const interp_ins *i) {
    reg r = load_first(m, i);
    machine_put_shift(m, SHL, r, i->shift);
    machine_keep(m, i, r);
}

static void make_mul(maker *m, const interp_ins *i) {
    machine_load(m, RAX, i->a);
    put_slot(m, IMUL, RAX, i->b);
    machine_keep(m, i, RAX);
}

static void make_division(maker *m, const interp_ins *i, reg result) {
    machine_load(m, RAX, i->a);
    machine_put(m, 0x48);
    machine_put(m, 0x99);  // the sign of rax into rdx
    put_slot(m, GROUP_F7, (reg)F7_IDIV, i->b);
    machine_keep(m, i, result);
}

static void make_spread(maker *m, const interp_ins *i) {
    reg r = load_first(m, i);
    put_regs(m, GROUP_F7, (reg)F7_NEG, r);
    put_alu(m, AND, r, i->b);
    machine_keep(m, i, r);
}

static void make_shift_by(maker *m, const interp_ins *i, shift_kind kind) {
    machine_load(m, RCX, i->b);
    machine_load(m, RAX, i->a);
    put_regs(m, GROUP_SHIFT_CL, (reg)kind, RAX);  // by the low six bits of rcx
    machine_keep(m, i, RAX);
}

static void make_select(maker *m, const interp_ins *i) {
    machine_load(m, RCX, i->c);
    put_zero_test(m, i->a);
    put_slot(m, CMOVNE, RCX, i->b);
    machine_keep(m, i, RCX);
}

static void make_compare(maker *m, const interp_ins *i, condition c) {
    machine_load(m, RAX, i->a);
    put_alu(m, CMP, RAX, i->b);
    keep_condition(m, i, c);
}

static bool is_one_bit(uint64_t v) { return v && !(v & (v - 1)); }

// Sets the flags: (a & mask) == equals? Returns the condition for yes.
static condition put_bit_test(maker *m, uint32_t a, uint32_t mask, uint32_t equals) {
    uint64_t bits = constant_at(m, mask), wanted = constant_at(m, equals);
    if (is_one_bit(bits) && (wanted == bits || !wanted) && has_home(m, a)) {
        put_regs(m, GROUP_BIT, (reg)BIT_TEST, home_of(m, a));
        machine_put(m, (unsigned)__builtin_ctzll(bits));
        return wanted ? IF_CARRY : IF_NOT_CARRY;
    }
    machine_load(m, RAX, a);
    if (bits != UINT64_MAX) put_alu(m, AND, RAX, mask);
    if (bits == UINT64_MAX || wanted) put_alu(m, CMP, RAX, equals);
    return IF_EQUAL;
}

// Conditions come in pairs of opposites.
static condition opposite(condition c) { return c ^ 1; }

static void make_test(maker *m, const interp_ins *i, bool is_equal) {
    condition yes = put_bit_test(m, i->a, i->b, i->c);
    keep_condition(m, i, is_equal ? yes : opposite(yes));
}

static void make_unless_test(maker *m, const interp_ins *i, bool is_equal) {
    condition yes = put_bit_test(m, i->a, i->b, i->dst);
    put_branch(m, is_equal ? opposite(yes) : yes, i->target);
}

static void make_branch(maker *m, uint32_t slot, condition c, uint32_t target) {
    put_zero_test(m, slot);
    put_branch(m, c, target);
}

static void make_out(maker *m, uint32_t slot, uint32_t word) {
    reg r = has_home(m, slot) ? home_of(m, slot) : RAX;
    machine_load(m, r, slot);
    put_memory(m, MOV_TO, r, RDI, (int32_t)word);
}

static void make_copy(maker *m) {
    for (uint32_t w = 0; w < m->x->words; w++) make_out(m, w, w);
}

static void make_report(maker *m, uint32_t label) {
    machine_put(m, 0xc7);  // mov dword [rsi], label
    machine_put(m, 0x06);
    put32(m, label);
    put_immediate(m, true, ADD, RSI, 4);
}

static void make_fire(maker *m, uint32_t label) {
    put_immediate(m, true, ADD, RDI, 8 * m->x->words);
    make_report(m, label);
}

// failed[check / 64] |= 1 << check % 64, if the slot is zero.
static void make_check(maker *m, uint32_t slot, uint32_t check, uint32_t after) {
    make_branch(m, slot, IF_DIFFERENT, after);
    put_memory(m, GROUP_BIT, (reg)BIT_SET, RDI, (int32_t)(check / 64));
    machine_put(m, check % 64);
}

// ---- the beginning and the end

static void put_stack(maker *m, unsigned op, reg r) { x86_stack(&m->code, op, r); }

static void make_word(maker *m, uint32_t word) {
    reg r = has_home(m, word) ? home_of(m, word) : RAX;
    put_memory(m, MOV, r, RDI, (int32_t)word);
    if (r == RAX) put_file(m, MOV_TO, RAX, word);
}

static void make_begin(maker *m) {
    uint32_t nconstants = m->x->constants.len;
    for (uint32_t i = 0; i < SAVED; i++) put_stack(m, PUSH, saved[i]);
    put_stack(m, PUSH, RDX);
    put_regs(m, MOV, RBX, RCX);
    put_immediate(m, true, ADD, RBX, (uint32_t)(8 * base_slot(m)));
    for (uint32_t w = 0; w < m->x->words; w++) make_word(m, w);
    for (uint32_t c = m->x->words; c < m->x->words + nconstants; c++)
        if (has_home(m, c)) put_file(m, MOV, home_of(m, c), c);
    put_regs(m, MOV, RDI, RSI);
    put_regs(m, MOV, RSI, RDX);
}

// Returns how far the labels have moved on.
static void make_end(maker *m) {
    put_stack(m, POP, RDX);
    put_regs(m, MOV, RAX, RSI);
    put_regs(m, 8 * SUB + 3, RAX, RDX);
    machine_put_shift(m, SHR, RAX, 2);
    for (uint32_t i = SAVED; i-- > 0;) put_stack(m, POP, saved[i]);
    machine_put(m, 0xc3);
}

// ---- the whole

static void make_one(maker *m, uint32_t k) {
    const interp_ins *i = &m->x->code.data[k];
    switch ((interp_op)i->op) {
    case OP_FIELD: make_field(m, i); return;
    case OP_SHL: make_shl(m, i); return;
    case OP_AND: make_arithmetic(m, i, AND); return;
    case OP_OR: make_arithmetic(m, i, OR); return;
    case OP_XOR: make_arithmetic(m, i, XOR); return;
    case OP_TEST: make_test(m, i, true); return;
    case OP_DIFFER: make_test(m, i, false); return;
    case OP_ADD: make_arithmetic(m, i, ADD); return;
    case OP_SUB: make_arithmetic(m, i, SUB); return;
    case OP_MUL: make_mul(m, i); return;
    case OP_DIV: make_division(m, i, RAX); return;
    case OP_MOD: make_division(m, i, RDX); return;
    case OP_EQ: make_compare(m, i, IF_EQUAL); return;
    case OP_LT: make_compare(m, i, IF_LESS); return;
    case OP_LE: make_compare(m, i, IF_LESS_EQUAL); return;
    case OP_SELECT: make_select(m, i); return;
    case OP_SHLV: make_shift_by(m, i, SHL); return;
    case OP_SHRV: make_shift_by(m, i, SHR); return;
    case OP_SARV: make_shift_by(m, i, SAR); return;
    case OP_SPREAD: make_spread(m, i); return;
    case OP_UNLESS: make_branch(m, i->a, IF_EQUAL, i->target); return;
    case OP_UNLESS_TEST: make_unless_test(m, i, true); return;
    case OP_UNLESS_DIFFER: make_unless_test(m, i, false); return;
    case OP_SKIP_UNLESS: make_branch(m, i->a, IF_EQUAL, i->target); return;
    case OP_SKIP_IF: make_branch(m, i->a, IF_DIFFERENT, i->target); return;
    case OP_TROUBLE: make_branch(m, i->a, IF_EQUAL, k + 3); return;
    case OP_REFUSE:
        make_copy(m);
        make_fire(m, i->target);
        return;
    case OP_JUMP:
        machine_put(m, 0xe9);
        put_distance(m, i->target);
        return;
    case OP_OUT: make_out(m, i->a, i->c); return;
    case OP_COPY: make_copy(m); return;
    case OP_FIRE: make_fire(m, i->target); return;
    case OP_REPORT: make_report(m, i->target); return;
    case OP_CHECK: make_check(m, i->a, i->target, k + 1); return;
    case OP_END: make_end(m); return;
    }
}

static bool make_all(maker *m) {
    make_begin(m);
    for (uint32_t k = 0; k < m->x->code.len && m->code.len < MOST_CODE; k++) {
        m->start[k] = m->code.len;
        make_one(m, k);
    }
    if (m->code.len >= MOST_CODE) return false;
    x86_set_distances(&m->code, &m->branches, m->start);
    return true;
}

// ---- homes

static unsigned machine_slots_of(const interp_ins *i, uint16_t out[4]) {
    out[0] = i->a, out[1] = i->b, out[2] = i->dst;
    switch ((interp_op)i->op) {
    case OP_UNLESS:
    case OP_SKIP_UNLESS:
    case OP_SKIP_IF:
    case OP_TROUBLE:
    case OP_OUT:
    case OP_CHECK: return 1;
    case OP_SHL: out[1] = i->dst; return 2;
    case OP_TEST:
    case OP_DIFFER:
    case OP_SELECT: out[3] = i->c; return 4;
    case OP_REFUSE:
    case OP_JUMP:
    case OP_COPY:
    case OP_FIRE:
    case OP_REPORT:
    case OP_END: return 0;
    default: return 3;
    }
}

// How often a slot is named, counting less what comes after more branches of a label: it is reached less
// often.
static void weigh_slots(const maker *m, uint32_t *weight) {
    uint32_t leave = 0, here = FIRST_WEIGHT;
    for (uint32_t k = 0; k < m->x->code.len; k++) {
        const interp_ins *i = &m->x->code.data[k];
        uint16_t slots[4];
        if (k == leave) here = FIRST_WEIGHT;
        for (unsigned n = machine_slots_of(i, slots); n-- > 0;) weight[slots[n]] += here;
        if (i->op != OP_UNLESS && i->op != OP_UNLESS_TEST && i->op != OP_UNLESS_DIFFER) continue;
        leave = i->target;
        here = here > 1 ? here / 2 : 1;
    }
}

static void choose_homes(maker *m) {
    uint32_t n = m->x->nregisters, *weight = mem_zero(n + 1, sizeof *weight);
    weigh_slots(m, weight);
    memset(m->home, NO_HOME, n + 1);
    for (uint32_t h = 0; h < HOMES; h++) {
        uint32_t best = n;
        for (uint32_t i = 0; i < n; i++)
            if (weight[i] > weight[best] && !has_home(m, i) && !is_immediate_at(m, i)) best = i;
        if (best < n) m->home[best] = (uint8_t)homes[h];
    }
    free(weight);
}

// ---- machines

machine *machine_new(const interp *x) {
    if (!x86_is_here) return NULL;
    machine *out = mem_zero(1, sizeof *out);
    maker m = {.x = x, .home = mem_alloc(x->nregisters + 1)};
    m.start = mem_zero(x->code.len, sizeof *m.start);
    choose_homes(&m);
    if (make_all(&m)) out->code = x86_load(&m.code);
    out->size = m.code.len;
    vec_free(&m.code);
    vec_free(&m.branches);
    free(m.home);
    free(m.start);
    if (out->code) return out;
    free(out);
    return NULL;
}

void machine_free(machine *m) {
    if (!m) return;
    x86_unload(m->code, m->size);
    free(m);
}

static machine_code entry(const machine *m) {
    machine_code code;
    memcpy(&code, &m->code, sizeof code);
    return code;
}

uint32_t machine_next(const machine *m, uint64_t *r, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    return entry(m)(state, next, labels, r);
}

void machine_check(const machine *m, uint64_t *r, const uint64_t *state, uint64_t *failed) {
    entry(m)(state, failed, NULL, r);
}
