// SPDX-License-Identifier: Apache-2.0
// What a structural premise makes of the words of a TM, as automata: a premise says that these are words of
// it, too. Each made edge knows the letter it was made of, so that the word one began with can be shown.
#ifndef LANGUAGE_TRANSFORM_H
#define LANGUAGE_TRANSFORM_H

#include "language/automaton.h"
#include "language/statement.h"

typedef struct {
    automaton *made;
    VEC(uint32_t) state_of;   // by state of `made`: the state of the original
    VEC(uint32_t) letter_of;  // by number of the edge of `made`: the letter of the original
} transformed;

enum { TRANSFORM_MOST_THREADS = 7 };

typedef struct {
    const automaton *a;
    const statement *letters;
    uint32_t threads, locations;
    bool aborts;            // of transactions that are kept: words with them are looked at, too
    uint64_t limit_states;  // 0: none
    limits limits;
} transform_input;

// NULL: stopped. Words without some of their transactions that do not commit.
transformed *transform_drop_transactions(const transform_input *in);
// Words with their transactions reassigned to threads, so that no two that overlap have the same one.
transformed *transform_change_threads(const transform_input *in);
// Words without the reads and writes of the last location.
transformed *transform_drop_location(const transform_input *in);
// Words that do not use the last thread, and those that do not use the last location.
transformed *transform_without_thread(const transform_input *in);
transformed *transform_without_location(const transform_input *in);

// Words with an abort added, of a transaction that is unfinished, after its last statement.
transformed *transform_add_abort(const transform_input *in);

void transform_free(transformed *t);
// The run of the original automaton behind a run of the made one; returns its length.
uint32_t transform_original(const transformed *t, const automaton_edge *run, uint32_t n, automaton_edge *out);

#endif
