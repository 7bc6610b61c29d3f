// SPDX-License-Identifier: Apache-2.0
// A file that is replaced as a whole: a reader, or a run that was killed, finds the old text or the new one.
//
// The new text goes to a file beside the old one, without a name where the system allows that, and gets the
// name when all of it is on the disk. A link of that name is replaced, not followed. What is not an ordinary file (a
// terminal, a pipe, /dev/null) has no old text to keep and is written in place.
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct outfile outfile;

// NULL, with errno set, when nothing can be written there.
outfile *outfile_open(const char *path);
FILE *outfile_stream(outfile *o);
// Both close and free it. A commit that fails (errno is set) leaves the old file as it was, and so does a drop.
bool outfile_commit(outfile *o);
void outfile_drop(outfile *o);

// Writes a whole text; false with errno set.
bool outfile_write(const char *path, const char *text, size_t size);

#endif
