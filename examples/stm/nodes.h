// SPDX-License-Identifier: Apache-2.0
// Nodes in transactional memory: blocks of words with a list of free ones for each thread, which is transactional too, so
// that an aborted transaction takes and frees nothing. A node is named by the address of its first word; 0 is none.
#ifndef NODES_H
#define NODES_H

#include "program.h"

// Words: 0 is not used, then the roots (`roots` words), then the heads of the free lists, then the nodes.
typedef struct {
    uint32_t roots, fields;  // words of the program itself, and of a node
} nodes;

// Every thread has nodes for all keys twice: one that others have removed is theirs from then on.
uint32_t nodes_words(const nodes *n, uint32_t size, uint32_t threads);
uint32_t nodes_take(const nodes *n, tl2_thread *t, const work *w);  // 0: there is none
void nodes_give(const nodes *n, tl2_thread *t, const work *w, uint32_t node);

#endif
