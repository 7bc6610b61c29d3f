// SPDX-License-Identifier: Apache-2.0
// Who sees to it that a run ends: signals, processor time and memory set the flag that engines look at (base/limits.h);
// a phase that does not look (a long parse, a library) is ended by force a moment later, with an answer that is whole.
//
// An answer is written once: by the session, or by force. Memory that is exhausted ends a run by force at once.
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

#include "base/limits.h"

// First of all: signals are caught, and exhausted memory has its answer, as JSON (then it is true) or as text.
bool watchdog_begin(int argc, char **argv);
// The limits of this run, from now on in every phase; `head` is what a JSON answer begins with, up to the verdict:
// members, each followed by a comma.
void watchdog_start(limits *l, const char *head, bool is_live);

// Bytes of the answer: nobody ends the run while they are written. False with errno set.
bool watchdog_write(int fd, const char *text, size_t size);
// The answer is written: from now on whatever ends the run ends it with this code, and in silence.
void watchdog_answered(int code);
// Both at once, for an answer that is whole.
bool watchdog_write_answer(int fd, const char *text, size_t size, int code);

// There is no memory left: ends the run. For allocators, from any thread.
_Noreturn void watchdog_exhausted(void);

#endif
