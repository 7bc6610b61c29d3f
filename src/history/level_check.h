// SPDX-License-Identifier: Apache-2.0
// Does a recorded history have a level? The answer comes with a witness that was replayed, or with transactions that
// show that it has not.
//
//   level_check.c   asks the checker of the level, and replays what it found
//   order_check.c   levels of serializability and of snapshots
#ifndef HISTORY_LEVEL_CHECK_H
#define HISTORY_LEVEL_CHECK_H

#include "history/digest.h"
#include "history/level.h"
#include "history/points.h"
#include "history/recorded.h"
#include "history/replay.h"

typedef struct {
    level level;
    order_verdict verdict;
    const char *why;      // unknown
    witness witness;      // yes
    misfit wrong;         // no, if one read alone shows it; kind MISFIT_NONE otherwise
    point_list suspects;  // no: transactions that show it
    double seconds;
    str trouble;  // owns `why` in some cases
} level_answer;

// Times are needed by some levels (level_needs_times): the caller does not ask for them without times.
void level_check(const recorded *h, level l, const limits *stop, level_answer *a);
// The same, but stronger levels that are decided faster are asked first: with real time there is less to choose, and
// most histories that have a level have the stronger one too. What is answered is replayed for the level itself.
void level_decide(const recorded *h, level l, const limits *stop, level_answer *a);
// From a stronger level that holds: its order is a witness here too, if the replay says so; false otherwise.
bool level_from_stronger(const recorded *h, level l, const level_answer *stronger, level_answer *a);
void level_answer_free(level_answer *a);

#endif
