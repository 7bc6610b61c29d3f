// SPDX-License-Identifier: Apache-2.0
// Where recorded histories come from: files, folders of logs, standard input; plain or compressed.
//
//   sources.c  collects the files of a path
//   unzip.c    what gzip made small
//
// A folder stands for the logs in it: *.parvis of include/parvis/record.h, else T*.log of Cobra, else history.bincode
// or history.edn; "-" for standard input. What begins as gzip files do is decompressed, whatever its name.
#ifndef HISTORY_SOURCES_H
#define HISTORY_SOURCES_H

#include "history/format.h"
#include "history/recorded.h"

typedef struct {
    VEC(format_source) files;
} sources;

// Adds the files of a path. False after a message.
bool sources_add(sources *s, diag *messages, const char *path);
void sources_free(sources *s);

// Reads them all into one history. `by` is the format of all; NULL: each is recognised. False after a message, or after
// several. The texts must outlive the messages: free the sources last.
bool sources_load(const sources *s, const format *by, recorded *h, diag *messages);

// Replaces *text, compressed by gzip (one member after the other), by what it was. False with *why.
bool unzip_is(const char *text, size_t size);
bool unzip(char **text, size_t *size, const char **why);

#endif
