// SPDX-License-Identifier: Apache-2.0
// Which files a model may make us read.
//
// A model may come from anywhere, and what it names with `use` is opened and, where it is wrong, quoted. So it reaches
// model files (.pv, .ix) only, and only below the folder of the file that the user named, the library of models
// that came with the program, and folders that the user allows. Links and ".." count as where they lead.
#ifndef BASE_REACH_H
#define BASE_REACH_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *from;            // the file that the user named
    const char *const *folders;  // that the user allows as well
    uint32_t nfolders;
} reach;

// May this file be read? If it does not exist: may we look for it?
bool reach_allows(const reach *r, const char *path);

// The library that came with the program: PREFIX/share/parvis/models of one in PREFIX/bin, or models in the folder it
// was built in. False: there is none.
bool reach_library(str *out);

#endif
