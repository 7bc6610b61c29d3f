// SPDX-License-Identifier: Apache-2.0
// The few transactions that alone already show that a level does not hold.
//
//   core.c     finds them
//   explain.c  says why, in words
//
// Leaving out transactions, and reads whose possible writers are not all there, never breaks a level that held: the
// order that showed it is one of what is left. So a violation of what is left is one of the whole.
#ifndef HISTORY_CORE_H
#define HISTORY_CORE_H

#include "history/level.h"
#include "history/level_check.h"
#include "history/recorded.h"

typedef enum { CORE_CONFIRMED, CORE_LARGE, CORE_NONE, CORE_REFUTED } core_kind;

typedef struct {
    core_kind kind;     // confirmed: by brute force; large: too many transactions for that; none: not found in time;
                        // refuted: brute force found an order, so the checker is wrong
    recorded h;         // the transactions, a history of its own
    VEC(uint32_t) txs;  // which they are in the whole
} core;

void core_find(const recorded *h, const level_answer *a, const limits *stop, core *c);
void core_free(core *c);

// ---- explain.c

typedef enum { WHY_FROM, WHY_OVERWRITES, WHY_OVERWRITTEN, WHY_TIME, WHY_SESSION, WHY_LIST, WHY_POINT } why_kind;

typedef struct {
    uint32_t from, to;  // transactions of the core
    why_kind kind;
    str text;  // "T2 read x = 1 from T1"
} explained_edge;

typedef struct {
    const char *anomaly;        // "lost update"; NULL if it has no name
    str text;                   // one read alone, or what is known otherwise
    VEC(explained_edge) edges;  // a cycle; may be empty
} explanation;

void explain(const recorded *core_history, level l, explanation *e);
void explanation_free(explanation *e);
const char *why_name(why_kind k);             // "read from"
void explain_tx_name(uint32_t tx, str *out);  // "T1"
// "x = 1", "l = [1 2]"; names are made visible.
void explain_value(const recorded *h, uint32_t key, uint32_t value, bool is_list, str *out);

#endif
