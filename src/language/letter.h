// SPDX-License-Identifier: Apache-2.0
// Letters: what a visible step does, an action with its arguments. Two letters are the same if action and
// arguments are, however they are printed: an action named `r1_1` is not read(1,1). Arguments of different sorts
// (or numbers, or literals) are matched by their sort, so that read(t: Thread, v: Loc) of one system is
// read(v: Loc, t: Thread) of another, whatever else the systems do; those of one sort follow each other as they
// are written, except that the acting thread (model/actor.h) comes first.
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
    LETTER_MEMBER    // of a union: as one of these three
} letter_arg_kind;

typedef struct {
    letter_arg_kind kind;
    int32_t number;
    const char *literal;  // of a literal, else NULL
    const char *sort;     // of an element: its name; NULL: not given
} letter_arg;

typedef struct {
    const char *action;
    const char *text;        // as it is shown
    const letter_arg *args;  // the acting thread first
    uint32_t nargs;
} letter_info;

// Letters of one automaton, numbered from 0 in the order in which they were added; the table owns their texts.
typedef struct {
    arena *memory;
    map *numbers;
    VEC(letter_info) all;
    const char *thread_sort, *location_sort;  // of statements (statement_intern); NULL: not given
} letter_table;

letter_table *letter_table_new(void);
letter_table *letter_table_copy(const letter_table *t);
void letter_table_free(letter_table *t);  // NULL is fine
void letter_table_name_sorts(letter_table *t, const char *threads, const char *locations);

uint32_t letter_intern(letter_table *t, const letter_info *l);
uint32_t letter_find(const letter_table *t, const letter_info *l);  // LETTER_NONE: not there
// The letter of a rule with arguments, by threads of a sort (actor_sort).
uint32_t letter_intern_step(letter_table *t, const instance *in, type threads, rule r, const value *args);

#endif
