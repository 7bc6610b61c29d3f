// SPDX-License-Identifier: Apache-2.0
// Bodies as machine code: the same instructions as bodies_run.c interprets, one after the other, by templates.
//
// Registers of the body stay in memory, constants become operands; what the last instruction computed is still in rax
// and is not read back, unless a jump leads between the two. While code runs, rbx points into the registers, rbp to the
// work, r14 to a table with a row per cell, r15 is the stack as it was at the beginning: a body ends from within any
// depth of calls by taking that stack back. Invariant: a body leaves the same work behind and ends in the same way as
// the interpreter does.
#include "space/bodies_int.h"
#include "space/x86.h"

#include <string.h>

enum { MOST_CODE = 1 << 26, NO_REGISTER = UINT32_MAX, BIAS = 128 };
enum { EXIT_FIRES, EXIT_NONE, EXIT_TROUBLE, EXIT_LEAVE, EXITS };  // targets behind the last instruction

// Where a cell lies: what an instruction with an X needs to know once it has the cell's number.
typedef struct {
    uint64_t word, shift, mask;
    int64_t plus;  // the value of zero bits
} body_row;

enum { ROW_WORD = 0, ROW_SHIFT = 8, ROW_MASK = 16, ROW_PLUS = 24, ROW_WORDS_LOG = 2 };

typedef struct {
    const bodies *b;
    x86_code code;
    x86_branches branches;
    uint32_t *start;     // by instruction and exit: its place in the code
    uint32_t *constant;  // by register: 1 + the number of its constant
    bool *is_target;     // by instruction: something leads there
    uint32_t held;       // the register whose value is in rax
    const body_row *rows;
} assembler;

// ---- operands

static int32_t asm_distance(uint32_t r) { return (int32_t)(8 * r) - BIAS; }

static bool asm_is_constant(const assembler *k, uint32_t r, int64_t *v) {
    bool is = r < k->b->nfixed && k->constant[r];
    if (is) *v = k->b->constants.data[k->constant[r] - 1];
    return is;
}

static void asm_load(assembler *k, reg to, uint32_t r) {
    int64_t v;
    if (asm_is_constant(k, r, &v)) x86_constant(&k->code, to, (uint64_t)v);
    else x86_memory(&k->code, true, MOV, to, RBX, asm_distance(r));
}

// As the first thing of an instruction: rax may have it.
static void asm_load_first(assembler *k, uint32_t r) {
    if (k->held != r) asm_load(k, RAX, r);
    k->held = NO_REGISTER;
}

static void asm_keep(assembler *k, uint32_t dst) {
    x86_memory(&k->code, true, MOV_TO, RAX, RBX, asm_distance(dst));
    k->held = dst;
}

// r op= v
static void asm_number(assembler *k, alu op, reg r, int64_t v, reg spare) {
    if (x86_is_immediate((uint64_t)v)) {
        x86_immediate(&k->code, true, op, r, (uint32_t)v);
        return;
    }
    x86_constant(&k->code, spare, (uint64_t)v);
    x86_pair(&k->code, true, 8 * op + 3, r, spare);
}

// rax op= register
static void asm_alu(assembler *k, alu op, uint32_t r) {
    int64_t v;
    if (asm_is_constant(k, r, &v)) asm_number(k, op, RAX, v, RCX);
    else x86_memory(&k->code, true, 8 * op + 3, RAX, RBX, asm_distance(r));
}

static void asm_jump_if(assembler *k, condition c, uint32_t target) {
    x86_byte(&k->code, 0x0f);
    x86_byte(&k->code, 0x80 | c);
    x86_distance(&k->code, &k->branches, target);
}

static void asm_jump(assembler *k, unsigned op, uint32_t target) {
    x86_byte(&k->code, op);
    x86_distance(&k->code, &k->branches, target);
}

static uint32_t asm_exit(const assembler *k, uint32_t which) { return k->b->code.len + which; }
static void asm_trouble_if(assembler *k, condition c) { asm_jump_if(k, c, asm_exit(k, EXIT_TROUBLE)); }

// rax -= lo; is it below n? Sets the carry if so.
static void asm_within(assembler *k, int64_t lo, uint32_t n) {
    if (lo) asm_number(k, SUB, RAX, lo, RCX);
    asm_number(k, CMP, RAX, n, RCX);
}

static void asm_keep_condition(assembler *k, condition c, uint32_t dst) {
    x86_pair(&k->code, false, SET_IF | c, RAX, RAX);
    x86_pair(&k->code, false, MOVZX_BYTE, RAX, RAX);
    asm_keep(k, dst);
}

// ---- cells

// op r, base[8 * index + bytes]; neither needs a special form.
static void asm_row(assembler *k, unsigned op, reg r, reg base, reg index, uint32_t bytes) {
    x86_byte(&k->code, 0x48 | (r >> 3) << 2 | (index >> 3) << 1 | base >> 3);
    x86_byte(&k->code, op);
    x86_byte(&k->code, 0x44 | (r & 7) << 3);
    x86_byte(&k->code, 0xc0 | (index & 7) << 3 | (base & 7));
    x86_byte(&k->code, bytes);
}

static void asm_find_row(assembler *k, reg into, const body_ins *i) {
    asm_load(k, into, i->b);
    asm_number(k, ADD, into, i->lo, RDX);
    x86_shift(&k->code, SHL, into, ROW_WORDS_LOG);
}

static void asm_mask(assembler *k, reg r, uint64_t mask, reg spare) {
    if (mask <= UINT32_MAX) x86_immediate(&k->code, false, AND, r, (uint32_t)mask);
    else asm_number(k, AND, r, (int64_t)mask, spare);
}

static void asm_read(assembler *k, const body_ins *i) {
    x86_memory(&k->code, true, MOV, RAX, RBP, (int32_t)(8 * i->a));
    x86_shift(&k->code, SHR, RAX, i->shift);
    asm_mask(k, RAX, layout_mask(i->bits), RCX);
    if (i->op == BODY_LOAD_SURE) asm_trouble_if(k, IF_EQUAL);
    if (i->op == BODY_KNOWN) {
        x86_pair(&k->code, true, TEST, RAX, RAX);
        asm_keep_condition(k, IF_DIFFERENT, i->dst);
        return;
    }
    if (i->imm) asm_number(k, ADD, RAX, i->imm, RCX);
    asm_keep(k, i->dst);
}

static void asm_read_far(assembler *k, const body_ins *i) {
    asm_find_row(k, RSI, i);
    asm_row(k, MOV, RCX, R14, RSI, ROW_SHIFT);
    asm_row(k, MOV, RAX, R14, RSI, ROW_WORD);
    asm_row(k, MOV, RAX, RBP, RAX, 0);
    x86_pair(&k->code, true, GROUP_SHIFT_CL, (reg)SHR, RAX);
    asm_row(k, 8 * AND + 3, RAX, R14, RSI, ROW_MASK);
    if (i->op == BODY_LOADX_SURE) asm_trouble_if(k, IF_EQUAL);
    if (i->op == BODY_KNOWNX) {
        x86_pair(&k->code, true, TEST, RAX, RAX);
        asm_keep_condition(k, IF_DIFFERENT, i->dst);
        return;
    }
    asm_row(k, 8 * ADD + 3, RAX, R14, RSI, ROW_PLUS);
    asm_keep(k, i->dst);
}

// The word with other bits in place of the cell's: those in rax, in their place already, or the constant `bits`.
static void asm_replace(assembler *k, const body_ins *i, bool is_constant, uint64_t bits) {
    x86_memory(&k->code, true, MOV, RCX, RBP, (int32_t)(8 * i->dst));
    asm_number(k, AND, RCX, (int64_t) ~(layout_mask(i->bits) << i->shift), RDX);
    if (!is_constant) x86_pair(&k->code, true, 8 * OR + 3, RCX, RAX);
    else if (bits) asm_number(k, OR, RCX, (int64_t)bits, RDX);
    x86_memory(&k->code, true, MOV_TO, RCX, RBP, (int32_t)(8 * i->dst));
    k->held = NO_REGISTER;
}

static void asm_write(assembler *k, const body_ins *i) {
    if (i->op == BODY_SET) {
        asm_replace(k, i, true, (uint64_t)i->imm << i->shift);
        return;
    }
    asm_load_first(k, i->a);
    asm_within(k, i->lo, i->n);
    asm_trouble_if(k, IF_NOT_CARRY);
    if (i->imm + i->lo) asm_number(k, ADD, RAX, i->imm + i->lo, RCX);
    x86_shift(&k->code, SHL, RAX, i->shift);
    asm_replace(k, i, false, 0);
}

// All cells of a function have values from the same first one on, so the first cell tells it.
static void asm_write_far(assembler *k, const body_ins *i) {
    const layout_cell *p = &k->b->l->cells[i->lo];
    if (i->op == BODY_STOREX) {
        asm_load_first(k, i->a);
        asm_within(k, p->first, (uint32_t)i->imm);
        asm_trouble_if(k, IF_NOT_CARRY);
        if (p->above) x86_immediate(&k->code, true, ADD, RAX, p->above);
    } else x86_constant(&k->code, RAX, (uint64_t)i->imm);
    asm_find_row(k, RSI, i);
    asm_row(k, MOV, RCX, R14, RSI, ROW_SHIFT);
    x86_pair(&k->code, true, GROUP_SHIFT_CL, (reg)SHL, RAX);
    asm_row(k, MOV, RDX, R14, RSI, ROW_MASK);
    x86_pair(&k->code, true, GROUP_SHIFT_CL, (reg)SHL, RDX);
    x86_pair(&k->code, true, GROUP_F7, (reg)F7_NOT, RDX);
    asm_row(k, MOV, RSI, R14, RSI, ROW_WORD);
    asm_row(k, 8 * AND + 3, RDX, RBP, RSI, 0);
    x86_pair(&k->code, true, 8 * OR + 3, RDX, RAX);
    asm_row(k, MOV_TO, RDX, RBP, RSI, 0);
    k->held = NO_REGISTER;
}

// ---- numbers

static void asm_arithmetic(assembler *k, const body_ins *i, alu op) {
    asm_load_first(k, i->a);
    asm_alu(k, op, i->b);
    asm_keep(k, i->dst);
}

static void asm_multiply(assembler *k, const body_ins *i) {
    asm_load_first(k, i->a);
    asm_load(k, RCX, i->b);
    x86_pair(&k->code, true, IMUL, RAX, RCX);
    asm_keep(k, i->dst);
}

static void asm_divide(assembler *k, const body_ins *i) {
    asm_load_first(k, i->a);
    asm_load(k, RCX, i->b);
    x86_pair(&k->code, true, TEST, RCX, RCX);
    asm_trouble_if(k, IF_EQUAL);
    x86_byte(&k->code, 0x48);
    x86_byte(&k->code, SIGN_INTO_RDX);
    x86_pair(&k->code, true, GROUP_F7, (reg)F7_IDIV, RCX);
    if (i->op == BODY_MOD) x86_pair(&k->code, true, MOV, RAX, RDX);
    asm_keep(k, i->dst);
}

// A jump within an instruction: its distance is set when the place it leads to is reached.
static uint32_t asm_near(assembler *k, unsigned op) {
    x86_byte(&k->code, op);
    x86_byte(&k->code, 0);
    return k->code.len;
}

static void asm_near_here(assembler *k, uint32_t from) { k->code.data[from - 1] = (uint8_t)(k->code.len - from); }

enum { NEAR_JUMP = 0xeb, NEAR_IF = 0x70 };

// Shifts by more than 31 places do what shifts by 31 do to the right, and leave nothing to the left.
static void asm_shift(assembler *k, const body_ins *i) {
    asm_load_first(k, i->a);
    asm_load(k, RCX, i->b);
    x86_pair(&k->code, true, MOVSX_HALF, RAX, RAX);
    x86_constant(&k->code, RDX, 31);
    x86_pair(&k->code, true, TEST, RCX, RCX);
    uint32_t to_left = asm_near(k, NEAR_IF | IF_LESS);
    x86_pair(&k->code, true, 8 * CMP + 3, RCX, RDX);
    x86_pair(&k->code, true, CMOVG, RCX, RDX);
    x86_pair(&k->code, true, GROUP_SHIFT_CL, (reg)SAR, RAX);
    uint32_t done = asm_near(k, NEAR_JUMP);
    asm_near_here(k, to_left);
    x86_pair(&k->code, true, GROUP_F7, (reg)F7_NEG, RCX);
    x86_pair(&k->code, true, 8 * CMP + 3, RCX, RDX);
    uint32_t is_near = asm_near(k, NEAR_IF | IF_LESS_EQUAL);
    x86_constant(&k->code, RAX, 0);
    asm_near_here(k, is_near);
    x86_pair(&k->code, true, GROUP_SHIFT_CL, (reg)SHL, RAX);
    x86_pair(&k->code, true, MOVSX_HALF, RAX, RAX);
    asm_near_here(k, done);
    asm_keep(k, i->dst);
}

static void asm_compare(assembler *k, const body_ins *i) {
    asm_load_first(k, i->a);
    asm_alu(k, CMP, i->b);
}

static void asm_index(assembler *k, const body_ins *i) {
    int64_t v;
    asm_load_first(k, i->a);
    asm_within(k, i->lo, i->n);
    asm_trouble_if(k, IF_NOT_CARRY);
    if (!asm_is_constant(k, i->b, &v) || v) {
        asm_load(k, RCX, i->b);
        x86_constant(&k->code, RDX, i->n);
        x86_pair(&k->code, true, IMUL, RCX, RDX);
        x86_pair(&k->code, true, 8 * ADD + 3, RAX, RCX);
    }
    asm_keep(k, i->dst);
}

// ---- jumps

static void asm_jump_on(assembler *k, const body_ins *i, condition c) {
    asm_compare(k, i);
    asm_jump_if(k, c, (uint32_t)i->imm);
}

static void asm_jump_on_zero(assembler *k, const body_ins *i, condition c) {
    asm_load_first(k, i->a);
    x86_pair(&k->code, true, TEST, RAX, RAX);
    asm_jump_if(k, c, (uint32_t)i->imm);
}

static void asm_next(assembler *k, const body_ins *i) {
    asm_load_first(k, i->a);
    x86_immediate(&k->code, true, ADD, RAX, 1);
    asm_keep(k, i->a);
    asm_alu(k, CMP, i->b);
    asm_jump_if(k, IF_LESS, (uint32_t)i->imm);
}

// What is in rax is not known after these.
static void asm_leave(assembler *k, unsigned op, uint32_t target) {
    asm_jump(k, op, target);
    k->held = NO_REGISTER;
}

// ---- the whole

static void asm_one(assembler *k, const body_ins *i) {
    switch ((body_op)i->op) {
    case BODY_MOVE:
        asm_load_first(k, i->a);
        asm_keep(k, i->dst);
        return;
    case BODY_LOAD:
    case BODY_LOAD_SURE:
    case BODY_KNOWN: asm_read(k, i); return;
    case BODY_LOADX:
    case BODY_LOADX_SURE:
    case BODY_KNOWNX: asm_read_far(k, i); return;
    case BODY_INDEX: asm_index(k, i); return;
    case BODY_STORE:
    case BODY_SET: asm_write(k, i); return;
    case BODY_STOREX:
    case BODY_SETX: asm_write_far(k, i); return;
    case BODY_WITHIN:
        asm_load_first(k, i->a);
        asm_within(k, i->lo, i->n);
        asm_trouble_if(k, IF_NOT_CARRY);
        return;
    case BODY_IS:
        asm_load_first(k, i->a);
        asm_within(k, i->lo, i->n);
        asm_keep_condition(k, IF_CARRY, i->dst);
        return;
    case BODY_ADD: asm_arithmetic(k, i, ADD); return;
    case BODY_SUB: asm_arithmetic(k, i, SUB); return;
    case BODY_MUL: asm_multiply(k, i); return;
    case BODY_DIV:
    case BODY_MOD: asm_divide(k, i); return;
    case BODY_AND: asm_arithmetic(k, i, AND); return;
    case BODY_OR: asm_arithmetic(k, i, OR); return;
    case BODY_XOR: asm_arithmetic(k, i, XOR); return;
    case BODY_SHIFT: asm_shift(k, i); return;
    case BODY_EQ: asm_compare(k, i), asm_keep_condition(k, IF_EQUAL, i->dst); return;
    case BODY_LT: asm_compare(k, i), asm_keep_condition(k, IF_LESS, i->dst); return;
    case BODY_LE: asm_compare(k, i), asm_keep_condition(k, IF_LESS_EQUAL, i->dst); return;
    case BODY_JUMP: asm_leave(k, JUMP, (uint32_t)i->imm); return;
    case BODY_UNLESS: asm_jump_on_zero(k, i, IF_EQUAL); return;
    case BODY_IF: asm_jump_on_zero(k, i, IF_DIFFERENT); return;
    case BODY_IF_EQ: asm_jump_on(k, i, IF_EQUAL); return;
    case BODY_IF_NE: asm_jump_on(k, i, IF_DIFFERENT); return;
    case BODY_IF_LT: asm_jump_on(k, i, IF_LESS); return;
    case BODY_IF_LE: asm_jump_on(k, i, IF_LESS_EQUAL); return;
    case BODY_NEXT: asm_next(k, i); return;
    case BODY_CALL: asm_leave(k, CALL, (uint32_t)i->imm); return;
    case BODY_RETURN: x86_byte(&k->code, RET); return;
    case BODY_END: asm_leave(k, JUMP, asm_exit(k, EXIT_FIRES)); return;
    case BODY_STOP: asm_leave(k, JUMP, asm_exit(k, EXIT_NONE)); return;
    case BODY_TROUBLED: asm_leave(k, JUMP, asm_exit(k, EXIT_TROUBLE)); return;
    }
}

static const reg asm_saved[] = {RBX, RBP, R14, R15};
enum { SAVED = sizeof asm_saved / sizeof *asm_saved };

// body_end code(registers, work, where the body begins)
static void asm_entry(assembler *k) {
    for (uint32_t i = 0; i < SAVED; i++) x86_stack(&k->code, PUSH, asm_saved[i]);
    x86_pair(&k->code, true, MOV, RBX, RDI);
    asm_number(k, ADD, RBX, BIAS, RAX);
    x86_pair(&k->code, true, MOV, RBP, RSI);
    x86_constant(&k->code, R14, (uint64_t)(uintptr_t)k->rows);
    x86_pair(&k->code, true, MOV, R15, RSP);
    x86_byte(&k->code, 0xff);  // jmp rdx
    x86_byte(&k->code, 0xe2);
}

static void asm_exits(assembler *k) {
    static const body_end ends[] = {[EXIT_FIRES] = BODY_FIRES, [EXIT_NONE] = BODY_NONE, [EXIT_TROUBLE] = BODY_TROUBLE};
    for (uint32_t i = EXIT_FIRES; i <= EXIT_TROUBLE; i++) {
        k->start[asm_exit(k, i)] = k->code.len;
        x86_constant(&k->code, RAX, ends[i]);
        asm_jump(k, JUMP, asm_exit(k, EXIT_LEAVE));
    }
    k->start[asm_exit(k, EXIT_LEAVE)] = k->code.len;
    x86_pair(&k->code, true, MOV, RSP, R15);
    for (uint32_t i = SAVED; i-- > 0;) x86_stack(&k->code, POP, asm_saved[i]);
    x86_byte(&k->code, RET);
}

static void asm_find_targets(assembler *k) {
    const bodies *b = k->b;
    for (uint32_t i = 0; i < b->code.len; i++)
        if (b->code.data[i].op >= BODY_JUMP && b->code.data[i].op <= BODY_CALL)
            k->is_target[b->code.data[i].imm] = true;
    for (uint32_t i = 0; i < b->starts.len; i++)
        if (b->starts.data[i]) k->is_target[b->starts.data[i] - 1] = true;
    for (uint32_t i = 0; i < b->constants.len; i++) k->constant[b->constant_at.data[i]] = i + 1;
}

static bool asm_all(assembler *k) {
    asm_find_targets(k);
    asm_entry(k);
    for (uint32_t i = 0; i < k->b->code.len; i++) {
        if (k->code.len >= MOST_CODE) return false;
        if (k->is_target[i]) k->held = NO_REGISTER;
        k->start[i] = k->code.len;
        asm_one(k, &k->b->code.data[i]);
    }
    asm_exits(k);
    x86_set_distances(&k->code, &k->branches, k->start);
    return true;
}

static body_row *asm_rows(const layout *l) {
    body_row *rows = mem_zero(l->in->ncells + 1, sizeof *rows);
    for (uint32_t i = 0; i < l->in->ncells; i++) {
        const layout_cell *p = &l->cells[i];
        rows[i] = (body_row){p->word, p->shift, layout_mask(p->bits), (int64_t)p->first - p->above};
    }
    return rows;
}

struct body_machine {
    void *code;
    size_t size;
    body_row *rows;
    uint32_t *entry;  // by rule id: where its body begins
};

static uint32_t *asm_entries(const assembler *k) {
    const bodies *b = k->b;
    uint32_t *entry = mem_zero(b->starts.len + 1, sizeof *entry);
    for (uint32_t i = 0; i < b->starts.len; i++)
        if (b->starts.data[i]) entry[i] = k->start[b->starts.data[i] - 1];
    return entry;
}

body_machine *body_machine_new(const bodies *b) {
    if (!x86_is_here || !b->code.len) return NULL;
    body_machine *out = mem_zero(1, sizeof *out);
    out->rows = asm_rows(b->l);
    assembler k = {.b = b, .held = NO_REGISTER, .rows = out->rows};
    k.start = mem_zero(b->code.len + EXITS, sizeof *k.start);
    k.is_target = mem_zero(b->code.len + 1, sizeof *k.is_target);
    k.constant = mem_zero(b->nfixed + 1, sizeof *k.constant);
    if (asm_all(&k)) out->code = x86_load(&k.code);
    out->size = k.code.len;
    out->entry = asm_entries(&k);
    vec_free(&k.code);
    vec_free(&k.branches);
    free(k.start);
    free(k.is_target);
    free(k.constant);
    if (out->code) return out;
    body_machine_free(out);
    return NULL;
}

void body_machine_free(body_machine *m) {
    if (!m) return;
    if (m->code) x86_unload(m->code, m->size);
    free(m->rows);
    free(m->entry);
    free(m);
}

typedef uint64_t (*body_code)(int64_t *registers, uint64_t *work, const void *begin);

body_end body_machine_run(const body_machine *m, rule r, int64_t *registers, uint64_t *work) {
    body_code code;
    memcpy(&code, &m->code, sizeof code);
    return (body_end)code(registers, work, (const uint8_t *)m->code + m->entry[r.id]);
}
