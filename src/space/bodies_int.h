// SPDX-License-Identifier: Apache-2.0
// Private to bodies: their instructions, made by bodies.c and bodies_expr.c, interpreted by bodies_run.c, or turned
// into machine code by bodies_machine.c.
//
// A register holds a number of 64 bits: constants (filled in once), variables of the model, and what is computed.
// Each subroutine has registers of its own; none is active twice, since statements do not contain themselves. The
// *work* is a packed state with its locals behind it (layout.h), which a body reads and writes.
#ifndef SPACE_BODIES_INT_H
#define SPACE_BODIES_INT_H

#include "base/map.h"
#include "model/instance.h"
#include "space/bodies.h"
#include "space/layout.h"

// dst, a, b: registers, unless it says otherwise. `lo` and `n` are the least value and the number of values of a type:
// what lies outside is trouble. A cell is where shift, bits and the word say; with an X, that with number lo + r[b].
typedef enum {
    BODY_MOVE,       // dst = a
    BODY_LOAD,       // dst = value of the cell in word a, imm above its bits
    BODY_LOAD_SURE,  // the same; trouble if it has none
    BODY_KNOWN,      // dst = has it a value?
    BODY_LOADX,
    BODY_LOADX_SURE,
    BODY_KNOWNX,
    BODY_INDEX,   // dst = b * n + (a - lo)
    BODY_STORE,   // word dst: value a, imm = -lo + what bits are above an index
    BODY_STOREX,  // value a; imm = number of its values
    BODY_SET,     // word dst: bits imm
    BODY_SETX,    // bits imm
    BODY_WITHIN,  // trouble unless a is a value of the type
    BODY_IS,      // dst = is it?
    BODY_ADD,
    BODY_SUB,
    BODY_MUL,
    BODY_DIV,  // by zero: trouble
    BODY_MOD,
    BODY_AND,
    BODY_OR,
    BODY_XOR,
    BODY_SHIFT,  // dst = a shifted right by b, to the left if that is negative, as numbers of 32 bits
    BODY_EQ,
    BODY_LT,
    BODY_LE,
    BODY_JUMP,    // to instruction imm, as all that follow
    BODY_UNLESS,  // a is zero
    BODY_IF,      // a is not zero
    BODY_IF_EQ,
    BODY_IF_NE,
    BODY_IF_LT,
    BODY_IF_LE,
    BODY_NEXT,  // a = a + 1; if it is below b
    BODY_CALL,  // the subroutine that begins there
    BODY_RETURN,
    BODY_END,   // the step is done
    BODY_STOP,  // it is impossible
    BODY_TROUBLED
} body_op;

typedef struct {
    uint8_t op, shift, bits;
    uint32_t dst, a, b;
    int32_t lo;
    uint32_t n;
    int64_t imm;
} body_ins;

typedef struct body_machine body_machine;

// An instruction that reads a local, which is in one of these words.
typedef struct {
    uint32_t at, first, last;
} body_reading;

// Words of locals, from the first one.
typedef struct {
    uint32_t first, n;
} body_span;

struct bodies {
    const layout *l;
    body_machine *machine;  // NULL: they are interpreted
    VEC(body_ins) code;
    VEC(int64_t) constants;
    VEC(uint32_t) constant_at;  // their registers
    uint32_t nfixed, ntemps;    // registers: constants and variables, then what is computed
    map *registers_of;          // constants and variables -> register
    map *times;                 // statement -> how often it occurs, BODY_UNFIT
    map *subroutine;            // statement -> its number in `subroutines`
    VEC(const stmt *) subroutines;
    VEC(uint32_t) entry;  // where each begins
    bool is_full;
    VEC(uint32_t) starts;       // by rule id: 1 + its first instruction
    VEC(uint32_t) first_param;  // by rule id: the registers of its parameters are params_of from here
    VEC(uint32_t) params_of;
    VEC(body_reading) readings;  // in the order of instructions
    VEC(body_span) clears;       // what a step begins with cleared…
    VEC(uint32_t) first_clear;   // …by rule id: from here to where those of the next begin
};

// ---- which locals are cleared: bodies_clear.c

void body_find_clears(bodies *b);

// ---- running: bodies_machine.c

body_machine *body_machine_new(const bodies *b);  // NULL: not on this processor, or too large
void body_machine_free(body_machine *m);
body_end body_machine_run(const body_machine *m, rule r, int64_t *registers, uint64_t *work);

// ---- making: bodies.c and bodies_expr.c

typedef struct {
    bodies *b;
    const instance *in;
    const model *m;
    uint32_t top;  // the next register that is free
} body_maker;

// Registers of what is computed have this bit until all code is there: only then it is known how many come before.
#define BODY_TEMP  0x80000000u
#define BODY_UNFIT 0x80000000u  // something in the statement is left to the other ways

uint32_t body_put(body_maker *k, body_ins i);  // its number
static inline uint32_t body_here(const body_maker *k) { return k->b->code.len; }
static inline void body_land(body_maker *k, uint32_t jump) { k->b->code.data[jump].imm = k->b->code.len; }
uint32_t body_temp(body_maker *k);
uint32_t body_constant(body_maker *k, int64_t v);
uint32_t body_variable(body_maker *k, var v);
uint32_t body_expr(body_maker *k, expr e);  // the register of its value

// Jumps that are still to be told where to.
typedef VEC(uint32_t) body_jumps;
void body_unless(body_maker *k, expr e, body_jumps *out);  // goes on where e holds
void body_land_all(body_maker *k, body_jumps *jumps);      // which are freed

// The cell of f(args): its number, or, if that is not known yet, a register with its distance from f's first cell.
typedef struct {
    bool is_known;
    uint32_t cell, index;
} body_cell;
body_cell body_find(body_maker *k, func f, const expr *args, uint32_t nargs);

#endif
