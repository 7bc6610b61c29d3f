// SPDX-License-Identifier: Apache-2.0
// random_timed: random networks of timed automata as XTA text, with queries, and how to make one smaller.
//
// A network is a tree of parts: text, or a list with what stands before, between and after its members (nothing is
// printed of a list whose members are gone). Parts that may be left out can be dropped one by one, so that a case
// that goes wrong is shrunk without knowing the language: what does not read any more is no smaller case.
//
// Networks are small (few locations, clocks and constants, so that their region graphs are), but of every shape: one to
// four instances of one to three templates, values, ids and parameters compared with each other and with constants,
// arrays, functions, selects, all kinds of channels and locations, and what nobody would write: templates without
// edges, the same instance twice, constants 0, ranges of one value, unreachable parts, everything written twice.
#ifndef ORACLE_RANDOM_TIMED_H
#define ORACLE_RANDOM_TIMED_H

#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct timed_part timed_part;
struct timed_part {
    const char *text;  // of a leaf
    const char *before, *between, *after;
    VEC(timed_part *) kids;
    bool is_list, may_go, is_gone;
};

typedef struct {
    arena *memory;
    timed_part *network;
    VEC(const char *) queries;
    VEC(timed_part *) parts;  // all of them, outer ones first
} timed_case;

void random_timed(rng *r, uint32_t nqueries, timed_case *out);
// The same, and receivers of broadcasts may have clock guards.
void random_timed_hearing(rng *r, uint32_t nqueries, timed_case *out);
void timed_case_free(timed_case *c);
void timed_print(const timed_part *p, str *out);

// Drops parts as long as `fails` says that what is left still goes wrong.
typedef bool (*timed_fails)(const char *text, void *context);
void timed_shrink(timed_case *c, timed_fails fails, void *context);

#endif
