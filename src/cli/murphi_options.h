// SPDX-License-Identifier: Apache-2.0
// Options of other Murphi checkers, for those who have them in their fingers and scripts.
#ifndef CLI_MURPHI_OPTIONS_H
#define CLI_MURPHI_OPTIONS_H

#include "base/diag.h"
#include "base/mem.h"

// If an argument is a Murphi file, puts ours in place of CMurphi's and Rumur's options, in a copy of argv, and leaves
// out those that ask for what is done anyway; others stay as they are. What means nothing here gets a note.
char **murphi_options_translate(arena *memory, int *argc, char **argv, diag *messages);

#endif
