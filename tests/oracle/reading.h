// SPDX-License-Identifier: Apache-2.0
// A recorded history that was read from a text, with what was said about it.
#ifndef ORACLE_READING_H
#define ORACLE_READING_H

#include "base/diag.h"
#include "history/sources.h"

typedef struct {
    sources files;  // empty if it is of bytes that the caller has
    recorded h;
    diag *messages;
    bool good;
} reading;

// As a format, from a file of this name. The bytes must outlive it.
reading reading_of(const char *name, const char *path, const char *bytes, size_t size);
// All files of a folder.
reading reading_of_folder(const char *folder);
void reading_free(reading *x);

#endif
