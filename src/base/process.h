// SPDX-License-Identifier: Apache-2.0
// Child processes with limits: text in, text out, killed cleanly when time or output runs over.
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/limits.h"
#include "base/str.h"

#include <stdint.h>
#include <sys/types.h>

typedef enum {
    PROCESS_EXITED,     // by itself; `status` is its exit code
    PROCESS_TIMED_OUT,  // killed by us
    PROCESS_FLOODED,    // killed by us: too much output
    PROCESS_STOPPED,    // killed by us: the run must end
    PROCESS_CRASHED,    // by a signal (`status`), also when out of memory
    PROCESS_UNSTARTED   // no such program, no more processes
} process_end;

typedef struct {
    double seconds;         // wall time; 0: no limit
    uint64_t memory_bytes;  // address space; 0: no limit
    size_t most_output;     // bytes; 0: 64 MiB
    limits outer;           // of the whole run: the child is PROCESS_STOPPED when they are met
} process_limits;

typedef struct {
    process_end end;
    int status;
    double seconds;
} process_result;

// Runs argv[0] (looked up in PATH; argv ends with NULL) with `input` as standard input, and appends what it
// writes to standard output and error to `out`. The child has its own process group, which is killed whole.
process_result process_run(const char *const *argv, const char *input, size_t size, const process_limits *limits,
                           str *out);

// Starts a program, argv[0], looked up in PATH unless it has a slash, in a process group of its own, with these files
// as its input and outputs; 0 if that fails. It begins with ordinary signal handling and, unless the environment is
// NULL, in that environment. `before` is called in the child, which shares our memory: system calls only.
pid_t process_start(char *const *argv, char *const *environment, int in, int out, void (*before)(const void *),
                    const void *context);
// Ends the group of such a program, and takes its exit status.
int process_end_group(pid_t group);

// The path of our own program, in which all links are followed; the caller frees it. NULL: it cannot be found.
char *process_self(void);
// The first of these files that is there, each a path from the folder of our program: "/../lib/parvis/x.so".
bool process_beside(const char *const *places, uint32_t count, str *out);

// Is there a program of that name in PATH?
bool process_exists(const char *program);

// Where temporary files go: TMPDIR, else /tmp.
void process_temporary(str *out);

const char *process_end_text(process_end end);

#endif
