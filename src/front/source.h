// SPDX-License-Identifier: Apache-2.0
// What readers are given besides a text: constants of the command line, files, names of systems.
#ifndef FRONT_SOURCE_H
#define FRONT_SOURCE_H

#include "model/model.h"

// `--define NAME=VALUE`: another value for a constant.
typedef struct {
    const char *name;
    int32_t value;
} front_define;

// The last one of that name counts; NULL: there is none.
const front_define *front_defined(const front_define *defines, uint32_t n, const char *name);
// A file's text, which lives as long as the model; NULL, with a message, if it cannot be read.
const char *front_read_file(model *m, const char *path, size_t *size);
// The file's name without folders and ending.
const char *front_base_name(model *m, const char *path);

#endif
