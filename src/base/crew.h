// SPDX-License-Identifier: Apache-2.0
// A crew of threads that work together on one job after the other; the caller is number 0.
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include <stdint.h>

typedef struct crew crew;
typedef void (*crew_job)(void *context, uint32_t number);

// May have fewer threads than asked for, when the system refuses them: see crew_size().
crew *crew_new(uint32_t threads);
void crew_free(crew *c);
uint32_t crew_size(const crew *c);

// Runs the job once in every thread of the crew; returns when all are done.
void crew_run(crew *c, crew_job job, void *context);

// Things 0 … n - 1, each once, in whichever thread is free next; `number` is the thread's. Without a crew (NULL): in
// order.
typedef void (*crew_item)(void *context, uint32_t item, uint32_t number);
void crew_each(crew *c, uint32_t n, crew_item item, void *context);

#endif
