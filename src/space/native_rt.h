// SPDX-License-Identifier: Apache-2.0
// The runtime of generated code: the beginning of every file that emit_c.c writes. It is a file of its own,
// embedded into the program, so that it is formatted, compiled and analysed like any other.
//
// A chunk of generated code computes some labels' successors: it gets the state and where the output
// stands, and returns where the output stands then. ENTER and LEAVE bracket a label.
#ifndef SPACE_NATIVE_RT_H
#define SPACE_NATIVE_RT_H

#include <stdint.h>

typedef uint64_t word;

typedef struct {
    word *next;
    uint32_t *label;
} output;

#define NATIVE_TROUBLE 0x80000000u

static inline word native_div(word a, word b) { return (word)((int64_t)a / (int64_t)b); }
static inline word native_mod(word a, word b) { return (word)((int64_t)a % (int64_t)b); }
static inline word native_lt(word a, word b) { return (int64_t)a < (int64_t)b; }
static inline word native_le(word a, word b) { return (int64_t)a <= (int64_t)b; }
static inline word native_sar(word a, word b) { return (word)((int64_t)a >> (b & 63)); }
static inline word native_spread(word a, word mask) { return (0 - a) & mask; }

// The step of a label is refused: the place of its successor holds the state itself.
static inline output native_refuse(output o, const word *s, uint32_t words, uint32_t label) {
    for (uint32_t i = 0; i < words; i++) o.next[i] = s[i];
    *o.label = label | NATIVE_TROUBLE;
    return (output){o.next + words, o.label + 1};
}

static inline output native_fire(output o, uint32_t words, uint32_t label) {
    *o.label = label;
    return (output){o.next + words, o.label + 1};
}

#endif
