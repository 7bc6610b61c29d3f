// SPDX-License-Identifier: Apache-2.0
// Native code: C text compiled by the system's compiler in a child process, loaded into this one.
#ifndef SPACE_NATIVE_H
#define SPACE_NATIVE_H

#include "base/str.h"
#include "space/space.h"

typedef uint32_t (*native_next)(const uint64_t *state, uint64_t *next, uint32_t *labels);
typedef void (*native_check)(const uint64_t *state, uint64_t *failed);

typedef void (*native_canonical)(uint64_t *state);

typedef struct native native;

// Starts compiling the text, which the runtime (native_rt.h) is put in front of; NULL, with the reason in
// *why (not to be freed), when no compiler can be started.
native *native_start(const str *text, const char **why);
void native_free(native *n);  // stops a compiler that still runs; the code must not be used any more

native_state native_poll(native *n, bool wait);
const char *native_error(const native *n);
void *native_symbol(const native *n, const char *name);

#endif
