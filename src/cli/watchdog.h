// SPDX-License-Identifier: Apache-2.0
// Makes sure that a run ends: signals, processor time and memory set the flag that engines check (base/limits.h);
// a phase that does not check it (a long parse, a library) is ended by force a moment later, with a complete answer.
//
// An answer is written once: by the session, or by force. When memory is exhausted, the run is ended by force at once.
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

#include "base/limits.h"

// First of all: signals are caught, and exhausted memory gets its answer, as JSON (if true) or as text.
bool watchdog_begin(int argc, char **argv);
// Then, in a process that follows another one: it leaves that one time to end the run, and answers as text.
void watchdog_follow(void);
// The limits of this run, from now on in every phase; `head` is what a JSON answer begins with, up to the verdict:
// members, each followed by a comma.
void watchdog_start(limits *l, const char *head, bool is_live);

// Bytes of the answer: nobody ends the run while they are written. False with errno set.
bool watchdog_write(int fd, const char *text, size_t size);
// The answer is written: from now on whatever ends the run ends it with this code, silently.
void watchdog_answered(int code);
// Both at once, for a complete answer.
bool watchdog_write_answer(int fd, const char *text, size_t size, int code);

// There is no memory left: ends the run. For allocators, from any thread.
_Noreturn void watchdog_exhausted(void);

#endif
