// SPDX-License-Identifier: Apache-2.0
// Processes, their variables and clocks as members of groups: `Train(2).x` is the x of the process with parameter 2 of
// the family Train; `y[3]` is clock 3 of the array y. What differs only in these numbers forms a *group*; a permutation
// of process parameters maps members of a group to each other.
#ifndef ZONE_MEMBER_H
#define ZONE_MEMBER_H

#include "base/map.h"
#include "model/model.h"

enum { MEMBER_MOST_ARGS = 8 };

typedef enum { MEMBER_FUNC, MEMBER_CLOCK, MEMBER_PROCESS, MEMBER_KINDS } member_kind;

typedef struct {
    uint32_t group;
    uint32_t family;          // group of the process it belongs to; UINT32_MAX: none
    uint32_t nparams, nargs;  // numbers of the process, then of the array
    int32_t args[MEMBER_MOST_ARGS];
} member;

typedef struct {
    const model *m;
    const timed_info *t;
    member *of[MEMBER_KINDS];  // by the number of a function, clock or process
    uint32_t n[MEMBER_KINDS];
    map *groups;    // key: family, name there, how many numbers
    map *numbers;   // key: kind, group and args
    bool is_clear;  // no two of a kind have the same place in a group, and none has too many numbers
} members;

static inline uint32_t members_from(member_kind k) { return k != MEMBER_PROCESS; }  // function 0, clock 0: none
members *members_new(const model *m, const timed_info *t);
void members_free(members *a);
// The number of the member of a group with these numbers; UINT32_MAX: there is none.
uint32_t members_find(const members *a, member_kind kind, const member *p);
uint32_t members_groups(const members *a);

#endif
