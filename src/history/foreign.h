// SPDX-License-Identifier: Apache-2.0
// Formats of other checkers of recorded histories. None of them but Jepsen's has times.
//
//   plume.c        PolySI and Plume: r(key,value,session,transaction), one operation per line
//   awdit.c        AWDIT's tests: "r key value", lines of - and = between transactions and sessions
//   dbcop.c        dbcop: history.bincode
//   cobra.c        Cobra: T*.log, one per client
//   cobra_write.c  writes them
//   edn.c          the values of EDN
//   jepsen.c       Jepsen and Elle: operations as EDN maps, of registers or of lists
//   jepsen_ops.c   what an operation does to a recording
//   jepsen_write.c writes them
//   foreign.c      what their writers share
//
// In the formats without a word about initial values, a key holds 0 at first, or, if some transaction writes 0 to it,
// a value that nobody reads: then that transaction is the one that sets it up.
#ifndef HISTORY_FOREIGN_H
#define HISTORY_FOREIGN_H

#include "history/format.h"
#include "history/names.h"
#include "history/recorded.h"

bool plume_is(const format_source *from);
bool plume_read(recording *r, const format_source *from);
bool plume_write(const recorded *h, FILE *out, const char **why);
bool awdit_is(const format_source *from);
bool awdit_read(recording *r, const format_source *from);
bool awdit_write(const recorded *h, FILE *out, const char **why);
bool dbcop_is(const format_source *from);
bool dbcop_read(recording *r, const format_source *from);
bool dbcop_write(const recorded *h, FILE *out, const char **why);
bool cobra_is(const format_source *from);
bool cobra_read(recording *r, const format_source *from);
bool cobra_write(const recorded *h, FILE *out, const char **why);
bool cobra_write_folder(const recorded *h, const format_folder *out, const char **why);
bool jepsen_is(const format_source *from);
bool jepsen_read(recording *r, const format_source *from);
bool jepsen_write(const recorded *h, FILE *out, const char **why);

// In Cobra's logs: the number of a transaction, or of a write, that there is none of.
#define COBRA_INITIAL UINT64_C(0xBEBEEBEE)
#define COBRA_NONE    UINT64_C(0xDEADBEEF)
static inline bool cobra_is_nobody(uint64_t id) { return id == COBRA_INITIAL || id == COBRA_NONE; }

// ---- what they share

// Of a key to which 0 was written: its initial value is one that nobody reads.
void foreign_wrote_zero(recording *r, uint32_t key);
// A decimal number without a sign, at text[*pos]; false, and *pos stays, if there is none of 64 bits.
bool foreign_number(const char *text, size_t size, size_t *pos, uint64_t *out);
// Can it be written: registers whose keys are numbers? Else *why says what there is no place for.
bool foreign_is_registers(const recorded *h, const char **why);
// … and values are numbers, and a key holds 0 at first, as these formats take it? An initial value that is a name, such
// as Cobra's, is written as 0 where that is no other value.
bool foreign_is_plain(const recorded *h, const char **why);
// All transactions committed, and each has operations, by which these formats know it.
bool foreign_all_committed(const recorded *h, const char **why);
// True if the name is a decimal number of 64 bits, which goes to *number.
bool foreign_is_number(const names *n, uint32_t name, uint64_t *number);
// The number that a name is; 0 of any other.
uint64_t foreign_name_number(const names *n, uint32_t name);
// The value of an operation, after foreign_is_plain.
uint64_t foreign_op_value(const recorded *h, uint32_t op);
// By session: its number, or 1, 2, … if some session's name is none; to be freed.
uint64_t *foreign_session_numbers(const recorded *h);
// The transactions of each session together, in order; to be freed.
uint32_t *foreign_by_session(const recorded *h);

#endif
