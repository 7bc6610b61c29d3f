// SPDX-License-Identifier: Apache-2.0
// What the programs on TL2 share: options, threads, and the count of events. A program says how many words it needs, how
// they are set up (one transaction, before the threads start), what a thread does again and again, and what must be true
// at the end (one transaction).
#ifndef PROGRAM_H
#define PROGRAM_H

#include "tl2.h"

typedef struct {
    const char *name;
    uint32_t (*words)(uint32_t size, uint32_t threads);
    tl2_body *set_up, *step;
    // Writes into *why, of 200 characters, what is wrong with the data; leaves it empty if nothing is.
    tl2_body *look;
} program;

// What a transaction of a program gets.
typedef struct {
    uint32_t size;  // accounts, keys
    uint32_t threads;
    uint32_t thread;              // 1, 2, …; 0 before and after
    uint32_t choice, key, other;  // what to do: chosen before the transaction, so that a restart does the same
    char *why;
} work;

int program_main(const program *p, int argc, char **argv);

#endif
