// SPDX-License-Identifier: Apache-2.0
// Private to bytecode: its instructions, made and interpreted by interp.c, turned into machine code by
// machine.c.
//
// Register file: the words of the state, then the constants (filled in once), then what is computed, each
// register free again after the last use of its node.
#ifndef SPACE_INTERP_INT_H
#define SPACE_INTERP_INT_H

#include "space/interp.h"

// clang-format off
#define INTERP_OPS(X)                                                                                   \
    X(FIELD)                                                                                            \
    X(SHL)                                                                                              \
    X(AND)                                                                                              \
    X(OR)                                                                                               \
    X(XOR)                                                                                              \
    X(TEST)                                                                                             \
    X(DIFFER)                                                                                           \
    X(ADD)                                                                                              \
    X(SUB) X(MUL) X(DIV) X(MOD) X(EQ) X(LT) X(LE) X(SELECT) X(SHLV) X(SHRV) X(SARV) X(SPREAD) X(UNLESS) \
        X(UNLESS_TEST) X(UNLESS_DIFFER) X(SKIP_UNLESS) X(SKIP_IF) X(TROUBLE) X(REFUSE) X(JUMP) X(OUT)   \
            X(COPY) X(FIRE) X(REPORT) X(CHECK) X(END)
// clang-format on

typedef enum {
#define X(name) OP_##name,
    INTERP_OPS(X)
#undef X
} interp_op;

_Static_assert(OP_SPREAD - OP_FIELD == N_SPREAD - N_FIELD, "operations in the order of node_op");

// dst, a, b, c are registers. Branches go forward only.
typedef struct {
    uint16_t op, dst, a, b;
    union {
        struct {
            uint16_t c, shift;
        };
        uint32_t target;  // an instruction, a label or a number
    };
} interp_ins;

struct interp {
    uint32_t words, nregisters;
    VEC(uint64_t) constants;
    VEC(interp_ins) code;
};

#endif
