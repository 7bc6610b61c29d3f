// SPDX-License-Identifier: Apache-2.0
// Bytes of x86-64 instructions, for machine.c and bodies_machine.c. Only those that every x86-64 has.
#ifndef SPACE_X86_H
#define SPACE_X86_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
static const bool x86_is_here = true;
#else
static const bool x86_is_here = false;
#endif

typedef enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 } reg;

// Operations on two registers, or on a register and memory. Above 0xff: after a byte 0x0f.
enum {
    MOV = 0x8b,
    MOV_TO = 0x89,
    TEST = 0x85,
    IMUL = 0xfaf,
    IMUL_IMM32 = 0x69,
    CMOVNE = 0xf45,
    CMOVG = 0xf4f,
    CMOVL = 0xf4c,
    MOVZX_BYTE = 0xfb6,
    MOVSX_HALF = 0x63,   // the low half of a register, with its sign
    GROUP_IMM32 = 0x81,  // the others have the operation instead of a register
    GROUP_IMM8 = 0x83,
    GROUP_SHIFT = 0xc1,
    GROUP_SHIFT_CL = 0xd3,
    GROUP_F7 = 0xf7,
    GROUP_BIT = 0xfba
};
// Arithmetic: its number in GROUP_IMM32; 8 * number + 3 on two registers.
typedef enum { ADD = 0, OR = 1, AND = 4, SUB = 5, XOR = 6, CMP = 7 } alu;
typedef enum { SHL = 4, SHR = 5, SAR = 7 } shift_kind;
enum { F7_NOT = 2, F7_NEG = 3, F7_IDIV = 7, BIT_TEST = 4, BIT_SET = 5 };
// Conditions, the low half of jumps and sets; they come in pairs of opposites.
typedef enum {
    IF_CARRY = 2,
    IF_NOT_CARRY = 3,
    IF_EQUAL = 4,
    IF_DIFFERENT = 5,
    IF_LESS = 12,
    IF_LESS_EQUAL = 14
} condition;
enum { PUSH = 0x50, POP = 0x58, RET = 0xc3, JUMP = 0xe9, CALL = 0xe8, SET_IF = 0xf90, SIGN_INTO_RDX = 0x99 };

typedef VEC(uint8_t) x86_code;

static inline void x86_byte(x86_code *c, unsigned byte) { vec_push(c, (uint8_t)byte); }

static inline void x86_four(x86_code *c, uint32_t v) {
    for (unsigned i = 0; i < 32; i += 8) x86_byte(c, v >> i & 0xff);
}

static inline void x86_opcode(x86_code *c, bool is_wide, unsigned op, reg r, reg base) {
    x86_byte(c, 0x40 | (unsigned)is_wide << 3 | (r >> 3) << 2 | base >> 3);
    if (op > 0xff) x86_byte(c, 0x0f);
    x86_byte(c, op & 0xff);
}

// op r, other; on the low halves, the upper half of a register that is written becomes zero.
static inline void x86_pair(x86_code *c, bool is_wide, unsigned op, reg r, reg other) {
    x86_opcode(c, is_wide, op, r, other);
    x86_byte(c, 0xc0 | (r & 7) << 3 | (other & 7));
}

// op r, base[bytes]; the base is none that needs a special form: rsp, r12.
static inline void x86_memory(x86_code *c, bool is_wide, unsigned op, reg r, reg base, int32_t bytes) {
    bool is_short = bytes == (int8_t)bytes;
    x86_opcode(c, is_wide, op, r, base);
    x86_byte(c, (is_short ? 0x40 : 0x80) | (r & 7) << 3 | (base & 7));
    if (is_short) x86_byte(c, (uint8_t)bytes);
    else x86_four(c, (uint32_t)bytes);
}

// op r, base[8 * index]; the index is not rsp, the base none that needs a special form.
static inline void x86_word(x86_code *c, unsigned op, reg r, reg base, reg index) {
    x86_byte(c, 0x48 | (r >> 3) << 2 | (index >> 3) << 1 | base >> 3);
    x86_byte(c, op);
    x86_byte(c, 0x44 | (r & 7) << 3);
    x86_byte(c, 0xc0 | (index & 7) << 3 | (base & 7));
    x86_byte(c, 0);
}

// r op= v
static inline void x86_immediate(x86_code *c, bool is_wide, alu op, reg r, uint32_t v) {
    bool is_byte = (int32_t)v == (int8_t)v;
    x86_pair(c, is_wide, is_byte ? GROUP_IMM8 : GROUP_IMM32, (reg)op, r);
    if (is_byte) x86_byte(c, v & 0xff);
    else x86_four(c, v);
}

static inline void x86_shift(x86_code *c, shift_kind kind, reg r, uint32_t by) {
    if (!by) return;
    x86_pair(c, true, GROUP_SHIFT, (reg)kind, r);
    x86_byte(c, by);
}

// r = v, all of it.
static inline void x86_constant(x86_code *c, reg r, uint64_t v) {
    bool is_signed = (int64_t)v == (int32_t)v, is_half = v <= UINT32_MAX;
    if (is_half) {
        if (r >= R8) x86_byte(c, 0x41);
        x86_byte(c, 0xb8 | (r & 7));
    } else if (is_signed) x86_pair(c, true, 0xc7, RAX, r);
    else {
        x86_byte(c, r >= R8 ? 0x49 : 0x48);
        x86_byte(c, 0xb8 | (r & 7));
    }
    x86_four(c, (uint32_t)v);
    if (!is_half && !is_signed) x86_four(c, (uint32_t)(v >> 32));
}

static inline void x86_stack(x86_code *c, unsigned op, reg r) {
    if (r >= R8) x86_byte(c, 0x41);
    x86_byte(c, op | (r & 7));
}

// Instructions sign-extend an immediate operand of 32 bits.
static inline bool x86_is_immediate(uint64_t v) { return (int64_t)v == (int32_t)v; }

// A distance that is set later: where it stands, and what it leads to.
typedef struct {
    uint32_t at, target;
} x86_branch;
typedef VEC(x86_branch) x86_branches;

static inline void x86_distance(x86_code *c, x86_branches *list, uint32_t target) {
    vec_push(list, (x86_branch){c->len, target});
    x86_four(c, 0);
}

// start: by target, its place in the code.
static inline void x86_set_distances(x86_code *c, const x86_branches *list, const uint32_t *start) {
    for (uint32_t i = 0; i < list->len; i++) {
        x86_branch b = list->data[i];
        uint32_t distance = start[b.target] - (b.at + 4);
        for (unsigned k = 0; k < 4; k++) c->data[b.at + k] = (uint8_t)(distance >> 8 * k);
    }
}

// The code in memory that can be run; NULL: that is not allowed, or there is none.
void *x86_load(const x86_code *c);
void x86_unload(void *code, size_t size);

#endif
