// SPDX-License-Identifier: Apache-2.0
// Monotonicity: what a TM allows after a word it also allows after a more sequential one.
//
// Let w·s be a word of the TM in which s, of transaction x, is a commit (for opacity: a commit or a global
// read), w is strictly serializable (opaque), and, for strict serializability, every transaction but x is
// committed. Then there is a word w' with the same statements of every thread, the same order of conflicting
// statements and of transactions that do not overlap, in which every transaction but x is contiguous,
// and w'·s is a word of the TM.
#ifndef LANGUAGE_MONOTONE_H
#define LANGUAGE_MONOTONE_H

#include "language/automaton.h"
#include "language/statement.h"

typedef struct {
    const automaton *a;
    const statement *letters;
    bool for_opacity;
    bool is_symmetric;  // threads and locations can be renamed: look at one word of each kind only
    uint32_t longest;   // words of up to this many statements
    limits limits;
} monotone_input;

typedef struct {
    bool holds, is_stopped;
    uint64_t words;   // that the premise is about
    uint32_t length;  // !holds: of the word w·s
    uint32_t word[STATEMENT_MOST];
} monotone_answer;

monotone_answer monotone_check(const monotone_input *in);

#endif
