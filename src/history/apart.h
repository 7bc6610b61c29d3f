// SPDX-License-Identifier: Apache-2.0
// Lists to which an element was appended twice: it is not known who appended which of the two. All ways to tell them
// apart are tried: in each of them every append has an element of its own, and what was read is renamed accordingly.
// The history has a level iff one of these has it.
//
//   apart.c  makes them
#ifndef HISTORY_APART_H
#define HISTORY_APART_H

#include "history/level.h"
#include "history/recorded.h"

enum { APART_MOST = 5000 };  // ways

// Somebody who may have committed appended what another did too, or did so twice.
bool apart_is_needed(const recorded *h);

// True: enough.
typedef bool (*apart_take)(void *context, const recorded *renamed);
typedef enum { APART_ALL, APART_ENOUGH, APART_TOO_MANY } apart_answer;
// `take` gets every way in turn, a history with the same transactions and operations.
apart_answer apart_each(const recorded *h, level l, apart_take take, void *context);

#endif
