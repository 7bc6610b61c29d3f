// SPDX-License-Identifier: Apache-2.0
// Letters as statements of transactions, and the definition of strict serializability and opacity on words of
// them.
#ifndef LANGUAGE_STATEMENT_H
#define LANGUAGE_STATEMENT_H

#include "language/automaton.h"
#include "language/letter.h"

typedef enum { STATEMENT_READ, STATEMENT_WRITE, STATEMENT_COMMIT, STATEMENT_ABORT } statement_kind;

typedef struct {
    statement_kind kind;
    uint32_t thread, location;  // from 0; 0 without a location
} statement;

static inline bool statement_is_finishing(statement s) { return s.kind >= STATEMENT_COMMIT; }

// read(t, v), write(t, v), commit(t) or abort(t) as a statement; false: the letter is not one of these.
bool statement_of(const letter_info *l, statement *out);
uint32_t statement_intern(letter_table *t, statement s);
// An empty table for statements of the sorts that those of another table (NULL: none) have.
letter_table *statement_table(const letter_table *of);

// The letters of an automaton as statements; NULL: some letter is not a statement.
statement *statement_letters(const automaton *a);

enum { STATEMENT_MOST = 32 };  // statements of a word in the functions below

typedef struct {
    uint32_t thread;
    uint32_t first, last;  // positions of its first and last statement
    bool is_committed, is_aborted;
    uint64_t writes;  // locations, as bits
} transaction;

typedef struct {
    uint32_t ntransactions;
    transaction transactions[STATEMENT_MOST];
    uint32_t of[STATEMENT_MOST];  // by position: its transaction
    bool is_global_read[STATEMENT_MOST];
} transactions;

void statement_transactions(const statement *word, uint32_t n, transactions *out);
// Do the statements at positions i < j, of different transactions, conflict?
bool statement_conflict(const statement *word, const transactions *t, uint32_t i, uint32_t j);
// Is x finished before y begins?
bool statement_precedes(const transactions *t, uint32_t x, uint32_t y);

// The graph over committed transactions, or over all of them, is acyclic.
bool statement_is_serializable(const statement *word, uint32_t n);
bool statement_is_opaque(const statement *word, uint32_t n);

#endif
