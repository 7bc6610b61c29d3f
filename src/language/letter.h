// SPDX-License-Identifier: Apache-2.0
// Letters: what a visible step does, an action with its arguments. Two letters are the same if action and
// arguments are, however they are printed: an action named `r1_1` is not read(1,1). The acting thread
// (model/actor.h) is the first argument of a letter, wherever the rule has it, so that read(t, v) of one
// system is read(v, t) of another.
#ifndef LANGUAGE_LETTER_H
#define LANGUAGE_LETTER_H

#include "base/map.h"
#include "base/mem.h"
#include "model/instance.h"

#define LETTER_NONE (UINT32_MAX - 1)  // no letter has this number

typedef enum {
    LETTER_ELEMENT,  // of a sort: its number
    LETTER_NUMBER,
    LETTER_LITERAL,  // of an enum, or a truth value: its name
    LETTER_MEMBER    // of a union: its position
} letter_arg_kind;

typedef struct {
    letter_arg_kind kind;
    int32_t number;
    const char *literal;  // LETTER_LITERAL, else NULL
} letter_arg;

typedef struct {
    const char *action;
    const char *text;  // as it is shown
    const letter_arg *args;
    uint32_t nargs;
} letter_info;

// Letters of one automaton, numbered from 0 in the order in which they came; the table owns their texts.
typedef struct {
    arena *memory;
    map *numbers;
    VEC(letter_info) all;
} letter_table;

letter_table *letter_table_new(void);
letter_table *letter_table_copy(const letter_table *t);
void letter_table_free(letter_table *t);  // NULL is fine

uint32_t letter_intern(letter_table *t, const letter_info *l);
uint32_t letter_find(const letter_table *t, const letter_info *l);  // LETTER_NONE: not there
// The letter of a rule with arguments, by threads of a sort (actor_sort).
uint32_t letter_intern_step(letter_table *t, const instance *in, type threads, rule r, const value *args);

#endif
