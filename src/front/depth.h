// SPDX-License-Identifier: Apache-2.0
// How deep a text may be nested, in every language. Parsers and what follows them recurse, and base/stack.h has room
// for this much and no more; a deeper text gets a message with its place.
#ifndef FRONT_DEPTH_H
#define FRONT_DEPTH_H

enum {
    FRONT_DEEPEST = 300,        // brackets, blocks, quantifiers and types inside each other, as they are written
    FRONT_LONGEST_CHAIN = 3000  // levels of a tree: also a - b - c - …, or elsif after elsif
};

// Operands of one operator that associates are put into a tree of the least depth where there are more than these; few
// stay as they are written, so that messages and traces read like the text.
enum { FRONT_FEW = 32 };

#define FRONT_TOO_DEEP "this is nested too deeply (more than %d levels)"

#endif
