// SPDX-License-Identifier: Apache-2.0
// Linear code: the nodes of a lowering in the order in which they are computed, with the few branches
// between them. The interpreter and the C emitter read the same code; a node is its own virtual register.
//
//     COMPUTE n ...            of a chunk: nodes that several labels need
//     ENTER label              UNLESS n: go to LEAVE if n is 0
//       COMPUTE, UNLESS ...    TROUBLE n: if n is not 0, report label with trouble and go to LEAVE
//       SKIP n at ... END      what stands between is skipped unless n is `at`; skips may be nested
//       OUT word n, FIRE       the step is enabled: words after it (words not listed stay), then report;
//                              FIRE with `at` = 1 reports the label alone, without a state: its body is called
//     LEAVE
//
// A truth value that is a test of bits (dag.h: N_TEST, N_DIFFER, a one-bit N_FIELD) may stand in UNLESS
// without having been computed, which `at` = 1 tells; its operand has been. Every use of a node follows its
// COMPUTE in the same label or at the beginning of the same chunk. Only the side of a select that is not
// chosen may have been skipped.
#ifndef SPACE_IR_H
#define SPACE_IR_H

#include "space/lower.h"

typedef enum {
    IR_COMPUTE,
    IR_ENTER,
    IR_UNLESS,
    IR_SKIP,
    IR_END,
    IR_TROUBLE,
    IR_OUT,
    IR_FIRE,
    IR_LEAVE,
    IR_CHECK,
    IR_CHUNK
} ir_op;

typedef struct {
    uint8_t op;
    uint32_t n;   // the node, or the label of ENTER, FIRE and LEAVE
    uint32_t at;  // the word of OUT, the number of CHECK, the value for SKIP, 1 for an UNLESS that tests bits
} ir_ins;

typedef VEC(ir_ins) ir_code;

// The successor relation: chunks of a few thousand instructions, each beginning with IR_CHUNK.
void ir_schedule_next(lowering *p, ir_code *out);
// The checks: IR_CHECK i n tells that check i fails if n is 0.
void ir_schedule_checks(lowering *p, ir_code *out);

#endif
