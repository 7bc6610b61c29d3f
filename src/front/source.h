// SPDX-License-Identifier: Apache-2.0
// What readers are given besides a text: constants of the command line, files, names of systems.
#ifndef FRONT_SOURCE_H
#define FRONT_SOURCE_H

#include "model/model.h"

typedef model_define front_define;

// The last one of that name counts; NULL: there is none.
const front_define *front_defined(const front_define *defines, uint32_t n, const char *name);
// A file's text, in `memory`; NULL, with a message at the place that names it (none: the user does), if it cannot be
// read or has more than `most` bytes.
const char *front_read(arena *memory, diag *messages, const char *path, span at, size_t most, size_t *size);
// The same as long as the model lives, for a file that the user names.
const char *front_read_file(model *m, const char *path, size_t *size);
// Folders in which files are looked for that are not where their name says.
typedef struct {
    const char *const *folders;
    uint32_t n;
} front_search;

// The first folder that has such a file (or folder): the name as it is, without "../" in front of it, or without
// "models/", which the folder itself is. NULL: none has, or the name says where it is ("/x", "./x").
const char *front_find(arena *memory, const front_search *where, const char *name);
// A path in another file is relative to that file.
const char *front_path_beside(arena *memory, const char *file, const char *path);
// The file's name without folders and ending.
const char *front_base_name(model *m, const char *path);

#endif
