// SPDX-License-Identifier: Apache-2.0
// Sets of states of an instance as certificates have them: numbered in the order in which they were added, each in a
// few words of memory (cellcode.h, base/tuples.h), in a file as bytes one after the other.
#ifndef CERTIFICATE_STATESET_H
#define CERTIFICATE_STATESET_H

#include "certificate/certfile.h"
#include "certificate/claim.h"
#include "model/instance.h"

typedef struct stateset stateset;

#define STATESET_NONE UINT32_MAX

stateset *stateset_new(const instance *in);
void stateset_free(stateset *s);
uint32_t stateset_count(const stateset *s);
void stateset_cells(const stateset *s, uint32_t number, value *cells);
bool stateset_add(stateset *s, const value *cells);  // false: it is already there, or is not a state
// The number of a state, or STATESET_NONE. Each thread that looks for states has a room of its own, freed by free().
uint64_t *stateset_room(const stateset *s);
uint32_t stateset_find(const stateset *s, const value *cells, uint64_t *room);

// Does the set have more states than it may, or is a limit met? Then `why` says so.
bool stateset_is_over(const stateset *s, const claim_options *o, str *why);

// Reads as many states as the claim says. False when the file is broken, or over: then `why` says so.
bool stateset_read(stateset *s, certfile *file, const json_t *claim, const char *count, const claim_options *o,
                   str *why);

// ---- writing

typedef struct stateset_writer stateset_writer;

stateset_writer *stateset_writer_new(certfile_writer *out, const instance *in);
void stateset_write(stateset_writer *w, const value *cells);
void stateset_writer_free(stateset_writer *w);

#endif
