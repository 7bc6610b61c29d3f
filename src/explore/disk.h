// SPDX-License-Identifier: Apache-2.0
// The states of a store in files: for each partition one of states and one of the numbers of their parents, in the
// order of discovery. Records have a fixed size, so that a state's number says where it is; files are read and written
// from one end to the other, and only a trace asks for single records.
//
// Files only grow while a search goes on; what was appended since some time can be cut off again. After an operation
// that failed errno says why.
#ifndef EXPLORE_DISK_H
#define EXPLORE_DISK_H

#include "explore/budget.h"

#include <stddef.h>

typedef struct disk disk;

// In a folder that exists; nothing is made there yet.
disk *disk_new(const char *folder, uint32_t nparts, uint32_t state_bytes);
void disk_free(disk *d);    // closes the files and leaves them
void disk_remove(disk *d);  // files that were opened

bool disk_is_clean(const disk *d);  // no file that it would use has anything in it
// Opens the files of a partition, or makes them; once is enough.
bool disk_open(disk *d, uint32_t part);
// Leaves the first `count` records of an open partition; false also if there are not so many.
bool disk_cut(disk *d, uint32_t part, uint32_t count);

// Of n records from `first` on: packed states one after the other, parents.
bool disk_states(const disk *d, uint32_t part, uint32_t first, uint32_t n, unsigned char *to);
bool disk_parents(const disk *d, uint32_t part, uint32_t first, uint32_t n, uint64_t *to);
// A checksum of the records from `first` to `end`.
bool disk_sum(const disk *d, uint32_t part, uint32_t first, uint32_t end, uint64_t seed, uint64_t *sum);

// Records that follow those up to `at`. One thread at a time appends to a partition; what was given is in the file
// after disk_append_end(), which frees the room, also when something failed.
typedef struct {
    disk *d;
    uint32_t part, at;
    uint32_t nwaiting;
    unsigned char *states;
    uint64_t *parents;
    bool has_failed;
    int why;
} disk_append;

size_t disk_append_bytes(const disk *d);  // of room
disk_append disk_append_begin(disk *d, uint32_t part, uint32_t at);
unsigned char *
disk_append_place(disk_append *a);  // where the next state is to be packed, with room for a word after it
bool disk_append_add(disk_append *a, uint64_t parent);
bool disk_append_end(disk_append *a);

#endif
