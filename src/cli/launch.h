// SPDX-License-Identifier: Apache-2.0
// Runs of several processes: what a launcher (mpirun, srun) started, and what its ranks do.
//
// Rank 0 speaks; what others would say goes nowhere, and they end with code 0, so that the launcher's exit code is that
// of rank 0. Each rank is two processes: one that works, and one that waits for it. When the first is killed (by the
// system, for its memory), the other says so and ends with code 3; the launcher then ends the job. When the one that
// waits is killed, the kernel ends the one that works.
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include "cli/session.h"

launch launch_find(void);

// First of all, before any thread: returns in the process that works. The other one ends here.
void launch_supervise(const launch *l);

// Before a command: joins the others if it works on several ranks, otherwise only rank 0 goes on. False: this process
// has nothing to do, or there is a message.
bool launch_enter(session *s);
// What is decided by rank 0 alone, with a warning. False on other ranks.
bool launch_goes_alone(session *s, const char *what);
// After the answer is out: all ranks end together.
void launch_leave(session *s);

#endif
