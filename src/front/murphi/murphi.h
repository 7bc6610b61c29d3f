// SPDX-License-Identifier: Apache-2.0
// Murphi's language `.m`, as Rumur and CMurphi read it. See doc/murphi.md.
//
// The file becomes one system. Every simple part of a variable becomes a state function from the index
// types on its path; scalarsets become symmetric sorts of a fixed size. Procedures and functions are
// inlined, rulesets become parameters, startstates the init rules of a state in which nothing has a value.
#ifndef FRONT_MURPHI_H
#define FRONT_MURPHI_H

#include "front/source.h"

typedef struct {
    const front_define *defines;  // other values for constants
    uint32_t ndefines;
    const char *lemmas;      // a file with further lemmas; NULL: none
    const char *lemma_text;  // the same in memory, which must outlive the model's diagnostics
    // As CMurphi: `x := y` copies an undefined y, where it is an error for Rumur; a leading 0 makes no octal number.
    bool copies_undefined;
    uint32_t deepest_recursion;  // of a function; 0: as deep as RECURSION_TEXT in call.c reaches
    bool shares_bodies;          // of all functions, not only of large ones (shared.c, summary.c): for tests
    bool writes_out;  // every call in a property (no summary.c), and in a body no call is an expression: for tests
    // Types that are ranges in the file and are read as scalarsets: whatever tells their numbers apart is a mistake.
    const char *const *names_only;
    uint32_t nnames_only;
} murphi_options;

// Reads a file. False, with messages, on any error; *system is the system that it describes.
bool murphi_read(model *m, const char *path, const murphi_options *options, sys *system);
// The same from memory; `text` must outlive the model's diagnostics.
bool murphi_read_text(model *m, const char *path, const char *text, size_t size, const murphi_options *options,
                      sys *system);

// Ranges that are used as scalarsets are: no arithmetic, no order, no number given, as far as a type checker can see.
// Whether the order of a loop matters is for pass/symmetric.h, as for scalarsets.
typedef struct {
    const char *const *names;  // read so, all together, the file has no mistake
    uint32_t n;
    const char *refused;  // the first range that is not among them; NULL: all are
    const char *why;      // the mistake, with its line
} murphi_ranges;

// Of a file that has been read without mistakes; `only` are the types to look at (NULL: all).
murphi_ranges murphi_find_ranges(const char *path, const char *text, size_t size, const murphi_options *options,
                                 const char *const only[2], arena *memory);

#endif
