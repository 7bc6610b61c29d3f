// SPDX-License-Identifier: Apache-2.0
// value_words: words of begins, reads, writes, commits and aborts with values, and the definitions of opacity, strict
// serializability and snapshot isolation tried out on them: all orders of the transactions. It shares nothing with
// the checker of recorded histories or its own brute force (src/history), with which it is compared.
#ifndef ORACLE_VALUE_WORDS_H
#define ORACLE_VALUE_WORDS_H

#include "base/rng.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { VALUE_BEGIN, VALUE_READ, VALUE_WRITE, VALUE_COMMIT, VALUE_ABORT, VALUE_KINDS } value_kind;

enum { VALUE_LONGEST = 96, VALUE_MOST_TXS = 8, VALUE_MOST_LOCS = 4, VALUE_MOST_THREADS = 4 };

typedef struct {
    value_kind kind;
    uint32_t thread, loc, value;  // loc, value: of reads and writes; value 0 is the initial one
} value_event;

typedef struct {
    value_event at[VALUE_LONGEST];
    uint32_t len;
} value_word;

typedef enum {
    VALUE_OPAQUE,    // every prefix has an order of all its transactions, in real time, in which all reads are legal
    VALUE_STRICT,    // the word has such an order of those that committed
    VALUE_SNAPSHOT,  // those that committed have snapshots and commits, in real time, and the first committer wins
    VALUE_LEVELS
} value_level;

// Transactions begin, one at a time in each thread, and nothing happens outside them.
bool value_word_is_formed(const value_word *w);
// Of words that are well-formed, with at most VALUE_MOST_TXS transactions.
bool value_word_has(const value_word *w, value_level l);
uint32_t value_word_txs(const value_word *w);
// No location is written twice with one value, nor with the initial one.
bool value_word_is_unique(const value_word *w);
void value_word_print(const value_word *w, str *out);  // "b_1 r1_1=0 c_1"
// A random word in which reads often return what was in memory at some time.
void value_word_random(rng *r, uint32_t threads, uint32_t locs, uint32_t values, uint32_t len, value_word *w);

#endif
