// SPDX-License-Identifier: Apache-2.0
// Processes, their variables and clocks: `Train(2).x` is the x of the process with parameter 2 of the family Train;
// `y[3]` is clock 3 of the array y. Names that differ only in these numbers form a *group*; members of a group are what
// a permutation of process parameters maps to each other.
#ifndef ZONE_NAMES_H
#define ZONE_NAMES_H

#include "base/map.h"
#include "model/model.h"

enum { NAMES_MOST_ARGS = 8 };

typedef struct {
    uint32_t group;
    uint32_t family;          // group of the process it belongs to; UINT32_MAX: none
    uint32_t nparams, nargs;  // numbers of the process, then of the array
    int32_t args[NAMES_MOST_ARGS];
} name_parts;

typedef struct {
    const model *m;
    const timed_info *t;
    name_parts *funcs;      // by function
    name_parts *clocks;     // by clock
    name_parts *processes;  // by process
    map *groups;            // key: family, member, how many numbers
    map *members;           // key: kind, group and args
    bool is_clear;          // no two of a kind have the same parts, and none has too many of them
} names;

names *names_new(const model *m, const timed_info *t);
void names_free(names *n);
// The member of a group with other numbers; UINT32_MAX: there is none.
uint32_t names_func(const names *n, const name_parts *p);
uint32_t names_clock(const names *n, const name_parts *p);
uint32_t names_process(const names *n, const name_parts *p);
uint32_t names_groups(const names *n);

#endif
