// SPDX-License-Identifier: Apache-2.0
// linear: is a history of calls and returns of a set linearizable (M. Herlihy, J. Wing, TOPLAS 1990)? Two
// ways.
//
// By definition: some order of the calls keeps the order in time, and every call returns what a sequential
// set would (the search of J. Wing, C. Gong, JPDC 1993). Calls that have not returned may have taken effect
// or not.
//
// By a monitor that follows a history: all contents that the set may have, with the calls that may have
// taken effect already and what they will return. It is finite, so it can run along with every history of a
// model.
#ifndef ORACLE_LINEAR_H
#define ORACLE_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

enum { LINEAR_MOST_THREADS = 3, LINEAR_MOST_ITEMS = 3, LINEAR_MOST_EVENTS = 16 };

typedef enum { SET_IDLE, SET_ADD, SET_REMOVE, SET_CONTAINS } set_method;
typedef enum { SET_NONE, SET_NO, SET_YES } set_answer;

typedef struct {
    uint32_t thread;
    set_method method;  // SET_IDLE: the thread's call returns
    uint32_t item;      // from 0 on
    set_answer answer;  // of a return
} set_event;

bool linear_by_definition(const set_event *history, uint32_t n);

// configs[content] has bit s0 + 3 * s1 + 9 * s2 if the set may have that content (a set of items, as bits)
// with si the answer of thread i's call, if it has taken effect. No padding: monitors are compared as
// bytes.
typedef struct {
    uint32_t configs[1 << LINEAR_MOST_ITEMS];
    uint8_t method[LINEAR_MOST_THREADS], item[LINEAR_MOST_THREADS];
    uint8_t unused[2];
} linear_monitor;

void linear_start(linear_monitor *m);
// False: no order of the calls explains the history.
bool linear_follow(linear_monitor *m, set_event e);

#endif
