// SPDX-License-Identifier: Apache-2.0
// A recorded history: what the clients of a transactional memory or of a database saw. It is the contract between the
// readers of files, which fill it through a `recording`, and the checkers of levels, which only read it.
//
//   names.c          sessions, keys and values as numbers
//   level.c          the levels
//   recorded.c       the data, and the recording that fills it
//   format.c         the table of formats
//   said.c           events of our own formats
//   recorded_text.c  reads and writes .hist
//   recorded_json.c  reads and writes .json
//
// A session (thread, client, process) does one thing after the other; its transactions are in order. A transaction has
// operations in order. Times are of any clock that all sessions share (ticks, nanoseconds): only their order counts.
// Every operation has the time just before its call and just after its answer; what is known to happen at one instant
// has equal ones. A history whose recorder knew no times has none: then only the order within a session is known.
//
// 28 bytes per operation and 48 per transaction, so 10^7 events take about 300 MB; names cost extra (names.h).
#ifndef HISTORY_RECORDED_H
#define HISTORY_RECORDED_H

#include "base/diag.h"
#include "base/vec.h"
#include "history/names.h"

typedef enum {
    TX_COMMITTED,  // commit was called, and answered: committed
    TX_ABORTED,    // it ended otherwise, by a call of abort or by any answer "aborted"
    TX_PENDING,    // commit was called, and no answer is known: it may have committed or not
    TX_LIVE,       // commit was not called, and it has not aborted
    TX_OUTCOMES
} tx_outcome;

typedef enum {
    OP_READ,       // of a register: returned this value
    OP_WRITE,      // of a register
    OP_APPEND,     // adds an element at the end of a list
    OP_READ_LIST,  // of a list: `value` is a list (recorded_list…), not a name
    OP_KINDS
} op_kind;

#define RECORDED_NEVER UINT64_MAX  // a time: there was no such call or answer

typedef struct {
    uint32_t session;
    uint32_t first, count;  // operations: ops first … first + count - 1
    uint32_t place;         // of its first event: a byte offset in its file
    uint32_t file;          // index of `files`
    uint32_t outcome;       // tx_outcome
    uint64_t begins;        // its first call (begin, or the first operation)
    uint64_t commits;       // commit was called; RECORDED_NEVER if not, or not known of one that aborted
    uint64_t ends;          // its last answer; RECORDED_NEVER unless committed or aborted
} recorded_tx;

// One operation, as it is passed around; it is stored in pieces.
typedef struct {
    op_kind kind;
    uint32_t key, value;    // value: a name of `values`; of OP_READ_LIST a list
    uint64_t call, answer;  // 0 without times
    uint32_t place;         // a byte offset in the transaction's file
} recorded_op;

typedef struct {
    const char *path;
    uint32_t file;  // of diag; 0: a binary file, whose places are byte offsets
} recorded_file;

typedef struct {
    uint32_t before, element;  // a list: the list before (0: empty), and its last element (a name of `values`)
} recorded_link;

typedef struct {
    bool has_times;
    names sessions, keys, values;
    VEC(recorded_tx) txs;  // in the order in which they began to be recorded; of one session: in session order
    // Operations, one array per member.
    VEC(uint32_t) op_key;  // kind in the two highest bits
    VEC(uint32_t) op_value;
    VEC(uint32_t) op_place;
    VEC(uint64_t) op_call;  // empty without times
    VEC(uint64_t) op_answer;
    uint64_t events;           // operations, begins, and calls of commit and abort
    uint32_t common;           // what a register holds that nobody has written: a name of `values`
    VEC(uint32_t) initial;     // by key: value + 1, or 0 for the common one
    VEC(recorded_link) links;  // lists; number 0 is the empty one
    VEC(recorded_file) files;
} recorded;

enum { RECORDED_KEY_BITS = 30 };

void recorded_begin(recorded *h);  // the common initial value is "0"
void recorded_free(recorded *h);

static inline uint32_t recorded_key(const recorded *h, uint32_t op) {
    return h->op_key.data[op] & ((UINT32_C(1) << RECORDED_KEY_BITS) - 1);
}
static inline op_kind recorded_kind(const recorded *h, uint32_t op) {
    return (op_kind)(h->op_key.data[op] >> RECORDED_KEY_BITS);
}
static inline bool recorded_is_write(const recorded *h, uint32_t op) {
    op_kind k = recorded_kind(h, op);
    return k == OP_WRITE || k == OP_APPEND;
}
recorded_op recorded_get(const recorded *h, uint32_t op);
uint32_t recorded_initial(const recorded *h, uint32_t key);  // a name of `values`
// Its elements, which are names of `values`, in order.
void recorded_list_elements(const recorded *h, uint32_t list, uint32_t **elements, uint32_t *count);  // to be freed

// ---- filling it

// A transaction that is being recorded; RECORDING_NONE is none. Valid until it is closed.
typedef uint32_t recording_tx;
#define RECORDING_NONE UINT32_MAX

typedef struct recording recording;

// Messages about mistakes go to `messages`, which quotes the texts of the files: these must outlive it.
recording *recording_begin(recorded *h, diag *messages);
// The file that is read from now on. Binary files have no text to quote: their places are byte offsets.
void recording_file(recording *r, const char *path, const char *text, size_t size, bool is_binary);
// A mistake at a place of the current file: "PATH:LINE:COLUMN: error: …" with a caret, or "PATH: byte N: …". False.
bool recording_wrong(recording *r, size_t place, size_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
diag *recording_messages(recording *r);

// Names: any bytes; numbers and their decimal text are the same name.
uint32_t recording_session(recording *r, const char *name, size_t size);
uint32_t recording_key(recording *r, const char *name, size_t size);
uint32_t recording_value(recording *r, const char *name, size_t size);
uint32_t recording_session_number(recording *r, uint64_t number);
uint32_t recording_key_number(recording *r, uint64_t number);
uint32_t recording_value_number(recording *r, uint64_t number);
names *recording_sessions(recording *r);
names *recording_keys(recording *r);
names *recording_values(recording *r);
// Lists are made one element after the other, from 0, the empty one.
uint32_t recording_list(recording *r, uint32_t list, uint32_t element);

// False: another value was given before. The last one counts.
bool recording_initial(recording *r, uint32_t key, uint32_t value);
void recording_initial_of_all(recording *r, uint32_t value);  // of the other registers

// What the times of the current file are; before its first transaction. False after a mistake.
typedef enum {
    TIMES_GIVEN,     // of a clock that all files share
    TIMES_INSTANTS,  // none are written, but the order of its events is that in which they happened: recording_tick()
    TIMES_NONE       // not known: only sessions have an order; all times below are ignored
} recording_times_kind;
// Several files of instants have no order between them: together they have no times.
bool recording_times(recording *r, recording_times_kind kind);
uint64_t recording_tick(recording *r);  // 1, 2, 3, …

// A session has at most one open transaction (its recorded intervals must not overlap); transactions of different
// sessions may be open together. `call`: its first call.
recording_tx recording_open(recording *r, uint32_t session, uint64_t call, size_t place);
// An operation with its answer. One that was called and never answered is not recorded: nobody saw what it did.
void recording_op(recording *r, recording_tx t, op_kind kind, uint32_t key, uint32_t value, uint64_t call,
                  uint64_t answer, size_t place);
// commit was called. Then it is closed with its answer, or not at all.
void recording_commit_called(recording *r, recording_tx t, uint64_t call);
bool recording_was_called(const recording *r, recording_tx t);
// Closes it: committed or aborted, with the time of that answer.
// If commit_called was told before, that call counts.
void recording_committed(recording *r, recording_tx t, uint64_t call, uint64_t answer);
void recording_aborted(recording *r, recording_tx t, uint64_t answer);
// Its session will do no more: it stays pending if commit was called, else live. What is open at the end is left too.
void recording_left(recording *r, recording_tx t);

// The session's open transaction, RECORDING_NONE if it has none.
recording_tx recording_current(const recording *r, uint32_t session);

// ---- a history that is looked at while it is read (stream.c)

// Called when a transaction has been closed, with its index of txs. False: the rest is not needed.
typedef bool (*recording_closed)(void *context, uint32_t tx);
void recording_watch(recording *r, recording_closed closed, void *context);
bool recording_is_over(const recording *r);             // the rest is not needed: a reader may stop
bool recording_has_failed(const recording *r);          // there was a mistake, also one that no reader was told of
bool recording_check_times(recording *r, uint32_t tx);  // as recording_end does; false after a message
uint64_t recording_earliest(const recording *r);  // the earliest beginning of an open one; RECORDED_NEVER: none is open
// Takes away closed transactions, but those that `keep` marks. to[i] is then the index of transaction i. Values get new
// names, so that those that nobody needs go; returned are the old ones, to be freed after recording_renamed.
names recording_shrink(recording *r, const uint8_t *keep, uint32_t *to);
uint32_t recording_renamed(recording *r, const names *old, uint32_t value);

void recording_leave(recording *r);  // the end of all files: what is open is left, and closed
void recording_drop(recording *r);   // instead of recording_end: what was read is not checked

// The end of all files. Puts the transactions of each session in order and checks what every reader must keep: times do
// not run backwards, transactions of a session do not overlap, a key is a register or a list. False after mistakes,
// also those of before. Frees the recording; the history is freed by its owner in any case.
bool recording_end(recording *r);

#endif
