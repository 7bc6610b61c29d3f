// SPDX-License-Identifier: Apache-2.0
// Levels below snapshots: causal, read atomic, read committed.
//
//   weak.c   the edges of Biswas and Enea, and who wrote what was read
#ifndef HISTORY_WEAK_H
#define HISTORY_WEAK_H

#include "history/level.h"
#include "history/points.h"
#include "history/recorded.h"

// The answer's order has transactions, those that do not count among them.
void weak_check(const recorded *h, level l, const limits *stop, order_answer *a);

// The edges that the order must contain, if it is known who wrote what was read; true if they have a cycle.
bool weak_edges(points *p);

#endif
