// SPDX-License-Identifier: Apache-2.0
// A symbolic packed state: every word is a list of bit slices of nodes. Storing a field replaces slices,
// loading one finds the node that was stored, so no code reads back what the same rule wrote.
//
// Slice lists are never changed once made; copying a state copies pointers to groups of words only. A group
// that is written to is copied then: bodies have many locals and many branches.
#ifndef SPACE_SYM_H
#define SPACE_SYM_H

#include "space/dag.h"

typedef struct {
    uint8_t lo, len, from;  // bits lo .. lo+len-1 of the word are bits from .. from+len-1 of v
    node v;
} sym_slice;

typedef struct {
    uint32_t n;
    sym_slice slices[];  // cover the word, in order
} sym_word;

enum { SYM_GROUP = 32 };

typedef struct {
    const sym_word *word[SYM_GROUP];
} sym_group;

typedef struct {
    dag *d;
    arena *memory;
    uint32_t words;
    const sym_group **groups;
} sym;

// The state before the step, and words behind it that are zero.
sym sym_initial(dag *d, arena *memory, uint32_t words, uint32_t zeros);
sym sym_copy(const sym *s);
node sym_load(const sym *s, uint32_t word, uint32_t shift, uint32_t bits);
// v has no bits beyond `bits`.
void sym_store(sym *s, uint32_t word, uint32_t shift, uint32_t bits, node v);
// The state that equals a where c holds and b elsewhere.
sym sym_select(node c, const sym *a, const sym *b);
// Were the same nodes stored in both?
bool sym_same(const sym *a, const sym *b);
bool sym_has_same(const sym *a, const sym *b, uint32_t word);  // nothing was stored there
// The whole word as one node.
node sym_node(const sym *s, uint32_t word);

#endif
