// SPDX-License-Identifier: Apache-2.0
// A small TL2 (Dice, Shalev, Shavit, DISC 2006) in C11 atomics that records its histories, with switches that break it.
//
// The memory is an array of words; an address is an index. Every word has a lock with a version. A transaction takes the
// clock's time when it begins (rv), reads words whose version is at most rv, keeps its writes to itself, and commits:
// lock the words it writes, take a new time (wv), check that what it read is unlocked and not newer than rv, store, and
// release the locks with version wv. So every value that a transaction sees, also one that will abort, is of the moment rv.
//
// There is a second way to lock, without any instruction that reads and writes at once: a thread raises a flag of its own
// at every word it writes, a fence, and whoever then sees a flag of another thread gives up. The clock is only read by
// commits (wv is one more) and pushed on by transactions that met a version beyond their rv (the paper's GV5). Here everything
// hangs on the fence: processors let a load pass an earlier store.
//
// A program gives its transactions as functions, which are run until they commit; a conflict leaves the function by
// longjmp. Words are 64 bits: a value of 32 and a tag that no other write has, so that a recording says who wrote what
// was read.
#ifndef TL2_H
#define TL2_H

#include <parvis/record.h>

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef enum {
    TL2_WHOLE,
    TL2_NO_COMMIT_VALIDATION,  // commits without a look at what was read
    TL2_NO_READ_VALIDATION,    // reads return whatever is there; only commits check
    TL2_VERSION_AFTER_VALUE,   // the version is read once, after the value, so that a store between the two is not seen
    TL2_EARLY_RELEASE,         // locks are released before the values are stored
    TL2_NO_FENCE,              // locks by flags, and no fence between a thread's flags and its look at those of others
    TL2_BREAKS
} tl2_break;

enum { TL2_MOST_THREADS = 64 };

extern const char *const tl2_break_names[TL2_BREAKS];  // "no-commit-validation"

typedef struct {
    uint32_t words;
    tl2_break broken;
    bool by_flags;  // the other way to lock
    bool noisy;     // threads pause at random between the steps of the algorithm
    _Atomic uint64_t clock;
    _Atomic uint64_t *memory, *locks;
    _Atomic uint8_t *flags;    // by word and thread
    _Atomic uint32_t threads;  // the highest number of one, and one more
} tl2;

typedef struct {
    uint32_t address;
    uint64_t word;
} tl2_write_entry;

// One thread's: its transaction, when it runs one.
typedef struct {
    tl2 *tm;
    parvis_log *log;
    jmp_buf conflict;
    uint64_t rv;
    uint32_t *reads;           // addresses
    tl2_write_entry *writes;   // one per address
    uint32_t nreads, nwrites;  // of at most tm->words each
    uint32_t nlocked;          // writes[0 … nlocked - 1] are locked by this transaction
    uint64_t *locked_versions;
    uint64_t random;
    uint32_t thread, tags;
    uint32_t steps, most_steps;  // reads of this attempt, and how many are too many
    uint32_t lost;               // attempts that read too much
    uint64_t events, commits, aborts;
} tl2_thread;

// False with errno set.
bool tl2_init(tl2 *tm, uint32_t words, tl2_break broken);
void tl2_free(tl2 *tm);
// `number` is below TL2_MOST_THREADS. The thread is recorded when the environment says so (parvis/record.h).
bool tl2_thread_init(tl2_thread *t, tl2 *tm, uint32_t number, uint64_t seed);
// False when a part of the recording was lost.
bool tl2_thread_free(tl2_thread *t);

// Runs the function as a transaction until it commits. False when it does not: a broken memory may have led it into data
// that makes no sense, in which it would walk forever.
typedef void tl2_body(tl2_thread *t, void *context);
bool tl2_run(tl2_thread *t, tl2_body *body, void *context);

// Within a transaction. An address beyond the memory is a conflict: only a broken memory leads to one.
uint32_t tl2_read(tl2_thread *t, uint32_t address);
void tl2_write(tl2_thread *t, uint32_t address, uint32_t value);

uint32_t tl2_random(tl2_thread *t, uint32_t below);

#endif
