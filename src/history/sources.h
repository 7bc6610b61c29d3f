// SPDX-License-Identifier: Apache-2.0
// Where recorded histories come from: files, folders of logs, standard input; plain or compressed.
//
//   sources.c  collects the files of a path
//   unzip.c    what gzip made small
//
// A folder stands for the logs in it: *.parvis of include/parvis/record.h, else T*.log of Cobra, else history.bincode
// or history.edn; "-" for standard input. What begins as gzip files do is decompressed, whatever its name. Large
// files are mapped into memory, not copied.
#ifndef HISTORY_SOURCES_H
#define HISTORY_SOURCES_H

#include "history/format.h"
#include "history/recorded.h"

typedef struct {
    VEC(format_source) files;
    VEC(size_t) mapped;  // beside files: bytes of the map, 0 if the text is on the heap
} sources;

// Adds the files of a path. False after a message.
bool sources_add(sources *s, diag *messages, const char *path);
void sources_free(sources *s);
// The texts need not be in memory now: those of large files are read again where they are looked at.
void sources_rest(const sources *s);

// Reads them all into one history. `by` is the format of all; NULL: each is recognised. False after a message, or after
// several. The texts must outlive the messages: free the sources last.
bool sources_load(const sources *s, const format *by, recorded *h, diag *messages);

// Replaces *text, compressed by gzip (one member after the other), by what it was. False with *why.
bool unzip_is(const char *text, size_t size);
bool unzip(char **text, size_t *size, const char **why);

#endif
