// SPDX-License-Identifier: Apache-2.0
// Binary operators, read by a table of their strength. All are taken from left to right.
#ifndef FRONT_OPERATORS_H
#define FRONT_OPERATORS_H

#include "base/cursor.h"

typedef struct {
    const char *text;
    int op, level;  // of a higher level: binds more strongly
    bool associates;
} front_operator;

typedef struct {
    const front_operator *table;  // then one without text
    // What stands before, between and after operators of this level and higher ones.
    void *(*operand)(cursor *p, int level);
    void *(*join)(cursor *p, int op, void *a, void *b);
} front_operators;

// Operands with operators of this level and higher ones between them.
void *front_parse_operators(cursor *p, const front_operators *how, int level);

#endif
