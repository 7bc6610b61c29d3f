// SPDX-License-Identifier: Apache-2.0
// Systems of transactions on the Python STM of Kordic, Popovic and Ghilezan: a small text says which transactions there
// are, their shapes and what they share; the timed automata of the paper's family come out, with its queries.
//
//   pstm cyclic aligned
//   times read 1 process 1 write 1
//   transaction A
//   transaction B process 3
//   transaction C linear drift reads x writes x y
//   conflict A B
//
//   make.c         the command
//   pstm_read.c    text to a system
//   pstm_write.c   the model, models/pstm/family.xta with another parameter block, and its queries
#ifndef CLI_MAKE_PSTM_H
#define CLI_MAKE_PSTM_H

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"

// 100 transactions have 102 clocks; the engine has 127. The matrices of reads and writes stay small.
enum { PSTM_MOST_TRANSACTIONS = 100, PSTM_MOST_VARIABLES = 1000, PSTM_MOST_TIME = 1000 };

typedef enum { PSTM_CYCLIC_ALIGNED, PSTM_CYCLIC_DRIFT, PSTM_LINEAR_ALIGNED, PSTM_LINEAR_DRIFT, PSTM_SHAPES } pstm_shape;

typedef struct {
    const char *name;
    pstm_shape shape;
    uint32_t process;  // how long it computes
} pstm_transaction;

typedef struct {
    uint32_t transaction, variable;
    bool is_read, is_written;
} pstm_use;

typedef struct {
    arena *memory;  // for names
    uint32_t read, process, write;
    pstm_shape shape;  // of transactions that say nothing else
    VEC(pstm_transaction) transactions;
    VEC(const char *) variables;
    VEC(pstm_use) uses;  // a pair may be there several times
} pstm;

// False after mistakes, which go to `messages`. pstm_free() in any case.
bool pstm_read(pstm *p, diag *messages, const char *path, const char *text, size_t size);
void pstm_free(pstm *p);

// The transactions in the order of the model: those of one shape together.
void pstm_sort(pstm *p);
// Of a sorted system.
void pstm_write_model(const pstm *p, const char *path, str *out);
void pstm_write_queries(const pstm *p, const char *path, str *out);
// Formula (1) says when the commits happen: all are cyclic and aligned, and compute equally long, not longer than the
// memory reads or writes, so that the memory never waits and no attempt overtakes another. Where some two do not
// conflict it gives the latest moment.
bool pstm_has_formula(const pstm *p);

#endif
