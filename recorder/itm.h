// SPDX-License-Identifier: Apache-2.0
// libparvis-record.so: loaded before libitm (`parvis record` does it), it records what a program built with gcc -fgnu-tm
// does in its transactions, through include/parvis/record.h.
//
//   begin.S     a transaction begins, and may begin again
//   itm.c       beginning, committing, aborting; one log per thread
//   access.c    reads and writes of every size, as words of 8 bytes
//   words.c     which words have been seen, and what they held before
//   memory.c    malloc and its kin: what is allocated again is not what it was
//
// A key is the address of a word of 8 bytes, or another number once malloc has given out the word again. An access to a
// part of a word is an access to all of it. What a word held before the first transaction touched it is recorded as its
// initial value. Words of the thread's own stack are its own affair and not recorded, unless another thread touched them.
// libitm's methods write in place, so what a transaction wrote can be read back.
#ifndef RECORDER_ITM_H
#define RECORDER_ITM_H

#include <parvis/record.h>

#include <stdbool.h>

typedef struct {
    uint64_t stack;  // as the program finds it when begin returns
    void *back;      // where it goes on
} itm_level;

enum { ITM_MOST_LEVELS = 64 };

typedef struct {
    parvis_log *log;                    // NULL: nothing is recorded
    uint64_t stack_begin, stack_end;    // of this thread
    uint32_t depth;                     // of nested transactions
    bool has_landed;                    // the outermost has returned once
    itm_level levels[ITM_MOST_LEVELS];
} itm_thread;

// This thread's; made when it first begins a transaction.
itm_thread *itm_self(void);
// The log says from now on that something happened that it does not have.
void itm_unseen(itm_thread *t);

// The next function of that name; ends the program if there is none.
void *itm_real(const char *name);

// The key of a word, whose address is a multiple of 8. When nobody has seen it before, its value goes to the log as the
// initial one.
uint64_t words_key(itm_thread *t, uint64_t address);
bool words_is_known(uint64_t address);
// These bytes are given out again: their words are new ones from now on.
void words_renew(uint64_t address, size_t size);

#endif
