// SPDX-License-Identifier: Apache-2.0
// Reads the logs of include/parvis/record.h. A log is what one thread did, so its records are in order; it may end
// anywhere, as the program may have been killed. A record has one time: that of a call for BEGIN, CALL and COMMIT, else
// that of an answer, whose call was at the time of the record before (earlier than the truth: intervals only grow).
#include "history/log.h"

#include <parvis/record.h>

typedef struct {
    recording *r;
    const format_source *from;
    size_t pos, end;  // of the present log
    uint32_t session;
    uint64_t call;    // time of the record before
    recording_tx tx;  // RECORDING_NONE between transactions
} log_reader;

typedef struct {
    unsigned kind;
    uint64_t time, key, value;
    size_t place;
} log_record;

enum { LOG_WORD = 8, LOG_BYTE_ORDER = 0x01020304 };

static uint64_t log_word(const format_source *from, size_t at) {
    uint64_t word;
    memcpy(&word, from->text + at, sizeof word);
    return word;
}

static bool log_begins_at(const format_source *from, size_t at) {
    return from->size - at >= sizeof(parvis_log_header) && memcmp(from->text + at, PARVIS_LOG_MAGIC, 8) == 0;
}

// A log that was cut off in its header is one, too.
bool log_is_recorded(const format_source *from) {
    return from->size >= 8 && memcmp(from->text, PARVIS_LOG_MAGIC, 8) == 0;
}

// ---- the header

static bool log_wrong(const log_reader *x, size_t at, const char *what) {
    return recording_wrong(x->r, at, at + 1, "%s", what);
}

static bool log_check_header(const log_reader *x, const parvis_log_header *h) {
    if (h->byte_order != LOG_BYTE_ORDER)
        return log_wrong(x, x->pos, "this log is of a machine with another byte order");
    if (h->version != PARVIS_LOG_VERSION)
        return recording_wrong(x->r, x->pos, x->pos + 1, "this log has version %u; version %u can be read", h->version,
                               (unsigned)PARVIS_LOG_VERSION);
    if (h->state == PARVIS_LOG_LOST)
        return log_wrong(x, x->pos, "records of this log were lost when it was written: was the disk full?");
    if (h->state > PARVIS_LOG_LOST || (h->clock != PARVIS_CLOCK_TSC && h->clock != PARVIS_CLOCK_MONOTONIC))
        return log_wrong(x, x->pos, "the header of this log is damaged");
    return true;
}

static bool log_read_header(log_reader *x) {
    parvis_log_header h;
    if (!log_begins_at(x->from, x->pos)) return log_wrong(x, x->pos, "the header of a log expected");
    memcpy(&h, x->from->text + x->pos, sizeof h);
    if (!log_check_header(x, &h)) return false;
    size_t left = x->from->size - x->pos;
    if (h.bytes && (h.bytes < sizeof h || h.bytes % LOG_WORD || h.bytes > left))
        return log_wrong(x, x->pos, "this log says that it is longer or shorter than it can be");
    x->end = x->pos + (h.bytes ? h.bytes : left);
    x->session = recording_session_number(x->r, h.session);
    x->call = 0;
    x->tx = RECORDING_NONE;
    x->pos += sizeof h;
    return recording_current(x->r, x->session) == RECORDING_NONE || log_wrong(x, x->pos, "two logs of one session");
}

// ---- records

static bool log_has_key(unsigned kind) { return kind == PARVIS_READ || kind == PARVIS_WRITE || kind == PARVIS_INITIAL; }

// False at the end of the log: there is no whole record any more.
static bool log_next(log_reader *x, log_record *out) {
    if (x->end - x->pos < LOG_WORD) return false;
    uint64_t word = log_word(x->from, x->pos);
    *out = (log_record){.kind = word & 15, .time = word >> 4, .place = x->pos};
    size_t size = log_has_key(out->kind) ? 3 * LOG_WORD : LOG_WORD;
    if (!word || x->end - x->pos < size) return false;
    if (size > LOG_WORD) out->key = log_word(x->from, x->pos + 8), out->value = log_word(x->from, x->pos + 16);
    x->pos += size;
    return true;
}

static bool log_in_transaction(const log_reader *x, const log_record *e) {
    return x->tx != RECORDING_NONE || log_wrong(x, e->place, "this record is outside of a transaction");
}

static bool log_take_access(log_reader *x, const log_record *e) {
    if (!log_in_transaction(x, e)) return false;
    recording_op(x->r, x->tx, e->kind == PARVIS_READ ? OP_READ : OP_WRITE, recording_key_number(x->r, e->key),
                 recording_value_number(x->r, e->value), x->call, e->time, e->place);
    return true;
}

static bool log_take_begin(log_reader *x, const log_record *e) {
    if (x->tx != RECORDING_NONE) recording_aborted(x->r, x->tx, e->time);  // a restart
    x->tx = recording_open(x->r, x->session, e->time, e->place);
    return true;
}

static bool log_take_end(log_reader *x, const log_record *e) {
    if (!log_in_transaction(x, e)) return false;
    if (e->kind == PARVIS_COMMITTED) recording_committed(x->r, x->tx, x->call, e->time);
    else recording_aborted(x->r, x->tx, e->time);
    x->tx = RECORDING_NONE;
    return true;
}

static bool log_take_initial(log_reader *x, const log_record *e) {
    recording_initial(x->r, recording_key_number(x->r, e->key), recording_value_number(x->r, e->value));
    return true;
}

static bool log_take(log_reader *x, const log_record *e) {
    switch (e->kind) {
    case PARVIS_BEGIN: return log_take_begin(x, e);
    case PARVIS_READ:
    case PARVIS_WRITE: return log_take_access(x, e);
    case PARVIS_COMMIT:
        if (!log_in_transaction(x, e)) return false;
        recording_commit_called(x->r, x->tx, e->time);
        return true;
    case PARVIS_COMMITTED:
    case PARVIS_ABORTED: return log_take_end(x, e);
    case PARVIS_CALL: return true;
    case PARVIS_INITIAL: return log_take_initial(x, e);
    default: return log_wrong(x, e->place, "there is no such record");
    }
}

static bool log_read_records(log_reader *x) {
    log_record e;
    while (log_next(x, &e)) {
        if (e.kind == PARVIS_SKIP) continue;
        if (e.time < x->call) return log_wrong(x, e.place, "time runs backwards in this log");
        if (!log_take(x, &e)) return false;
        x->call = e.time;
    }
    if (x->tx != RECORDING_NONE) recording_left(x->r, x->tx);
    x->pos = x->end;
    return true;
}

bool log_read_recorded(recording *r, const format_source *from) {
    log_reader x = {.r = r, .from = from};
    recording_file(r, from->path, from->text, from->size, true);
    if (!recording_times(r, TIMES_GIVEN)) return false;
    while (x.pos < from->size)
        if (!log_read_header(&x) || !log_read_records(&x)) return false;
    return true;
}

// ---- runs

const format_source *log_other_run(const format_source *files, uint32_t count) {
    parvis_log_header first, h;
    bool has_first = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!log_is_recorded(&files[i]) || !log_begins_at(&files[i], 0)) continue;
        memcpy(&h, files[i].text, sizeof h);
        if (!has_first) first = h;
        has_first = true;
        if (h.run != first.run || h.clock != first.clock) return &files[i];
    }
    return NULL;
}
