// SPDX-License-Identifier: Apache-2.0
// Reads the logs of include/parvis/record.h. A log is what one thread did, so its records are in order; it may end
// anywhere, as the program may have been killed. A record has one time: that of a call for BEGIN, CALL and COMMIT, else
// that of an answer, whose call was at the time of the record before (earlier than the truth: intervals only grow).
#include "history/log.h"

#include <parvis/record.h>

typedef struct {
    unsigned kind;
    uint64_t time, key, value;
    uint64_t call;  // time of the record before
    size_t place;
} log_record;

typedef struct {
    recording *r;
    const format_source *from;
    size_t pos, end;  // of the present log
    uint64_t base;    // the tick that counts as 0
    uint64_t number;  // of its session
    uint64_t call;    // time of the record before
    bool is_open;     // a transaction is: what follows is of it
    uint64_t begins, commits;
    size_t place;
    VEC(log_record) accesses;
    uint32_t restarts;
} log_reader;

enum { LOG_WORD = 8, LOG_BYTE_ORDER = 0x01020304 };

static uint64_t log_word(const format_source *from, size_t at) {
    uint64_t word;
    memcpy(&word, from->text + at, sizeof word);
    return word;
}

static bool log_begins_at(const format_source *from, size_t at) {
    return at <= from->size && from->size - at >= sizeof(parvis_log_header) &&
           memcmp(from->text + at, PARVIS_LOG_MAGIC, 8) == 0;
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
    if (h->state == PARVIS_LOG_UNSEEN)
        return log_wrong(x, x->pos,
                         "a transaction of this log did what cannot be recorded: it ran code without instrumentation "
                         "(relaxed, irrevocable), a nested one was cancelled, or malloc gave out a word too often");
    if (h->state > PARVIS_LOG_UNSEEN || (h->clock != PARVIS_CLOCK_TSC && h->clock != PARVIS_CLOCK_MONOTONIC))
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
    x->number = h.session;
    x->call = 0;
    x->is_open = false;
    x->pos += sizeof h;
    return true;
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
    return x->is_open || log_wrong(x, e->place, "this record is outside of a transaction");
}

static void log_open(log_reader *x, uint64_t begins, size_t place) {
    vec_clear(&x->accesses);
    x->is_open = true;
    x->begins = begins;
    x->commits = RECORDED_NEVER;
    x->place = place;
}

// The transaction with its accesses, which were kept until it was known of which session it is.
static recording_tx log_flush(log_reader *x, uint32_t session) {
    recording_tx t = recording_open(x->r, session, x->begins, x->place);
    for (uint32_t i = 0; i < x->accesses.len; i++) {
        const log_record *e = &x->accesses.data[i];
        recording_op(x->r, t, e->kind == PARVIS_READ ? OP_READ : OP_WRITE, recording_key_number(x->r, e->key),
                     recording_value_number(x->r, e->value), e->call, e->time, e->place);
    }
    if (x->commits != RECORDED_NEVER) recording_commit_called(x->r, t, x->commits);
    x->is_open = false;
    return t;
}

static uint32_t log_session(log_reader *x) { return recording_session_number(x->r, x->number); }

// An attempt of which only the restart was seen ended at that time at the latest, and the next one began at the time of
// the record before at the earliest: together they would overlap, so it gets a session of its own. Of attempts
// that follow each other only neighbours overlap: two sessions are enough.
static uint32_t log_session_of_restarted(log_reader *x) {
    char name[64];
    int n = snprintf(name, sizeof name, "%llu restarted %c", (unsigned long long)x->number, "ab"[x->restarts++ % 2]);
    return recording_session(x->r, name, (size_t)n);
}

static bool log_take_begin(log_reader *x, const log_record *e) {
    if (x->is_open) recording_aborted(x->r, log_flush(x, log_session(x)), e->time);
    log_open(x, e->time, e->place);
    return true;
}

static bool log_take_restart(log_reader *x, const log_record *e) {
    recording_aborted(x->r, log_flush(x, log_session_of_restarted(x)), e->time);
    log_open(x, e->call, e->place);
    return true;
}

static bool log_take_end(log_reader *x, const log_record *e) {
    recording_tx t = log_flush(x, log_session(x));
    if (e->kind == PARVIS_COMMITTED) recording_committed(x->r, t, e->call, e->time);
    else recording_aborted(x->r, t, e->time);
    return true;
}

static bool log_take_within(log_reader *x, const log_record *e) {
    if (!log_in_transaction(x, e)) return false;
    switch (e->kind) {
    case PARVIS_COMMIT: x->commits = e->time; return true;
    case PARVIS_RESTARTED: return log_take_restart(x, e);
    case PARVIS_COMMITTED:
    case PARVIS_ABORTED: return log_take_end(x, e);
    default: vec_push(&x->accesses, *e); return true;
    }
}

static bool log_take(log_reader *x, const log_record *e) {
    if (e->kind == PARVIS_BEGIN) return log_take_begin(x, e);
    if (e->kind == PARVIS_CALL) return true;
    if (e->kind == PARVIS_INITIAL)
        return recording_initial(x->r, recording_key_number(x->r, e->key), recording_value_number(x->r, e->value)) ||
               log_wrong(x, e->place, "another log, or this one, has another initial value of this key");
    if (e->kind == 0 || e->kind > PARVIS_RESTARTED) return log_wrong(x, e->place, "there is no such record");
    return log_take_within(x, e);
}

static bool log_take_next(log_reader *x, log_record *e) {
    if (e->kind == PARVIS_SKIP) return true;
    if (e->time < x->base) return log_wrong(x, e->place, "this record is older than its log");
    e->time -= x->base;
    if (e->time < x->call) return log_wrong(x, e->place, "time runs backwards in this log");
    e->call = x->call;
    if (!log_take(x, e)) return false;
    x->call = e->time;
    return true;
}

static void log_end(log_reader *x) {
    if (x->is_open) recording_left(x->r, log_flush(x, log_session(x)));
    x->is_open = false;
    x->pos = x->end;
}

static bool log_read_records(log_reader *x) {
    log_record e;
    while (log_next(x, &e))
        if (!log_take_next(x, &e)) return false;
    log_end(x);
    return true;
}

bool log_read_since(recording *r, const format_source *from, uint64_t base) {
    log_reader x = {.r = r, .from = from, .base = base};
    recording_file(r, from->path, from->text, from->size, true);
    bool good = recording_times(r, TIMES_GIVEN);
    while (good && x.pos < from->size) good = log_read_header(&x) && log_read_records(&x);
    vec_free(&x.accesses);
    return good;
}

bool log_read_recorded(recording *r, const format_source *from) { return log_read_since(r, from, log_base(from, 1)); }

// ---- side by side

typedef VEC(log_reader) log_readers;

// A reader for each log of a file, which begin one after the other.
static bool log_add_readers(recording *r, const format_source *from, uint64_t base, log_readers *all) {
    recording_file(r, from->path, from->text, from->size, true);
    if (!recording_times(r, TIMES_GIVEN)) return false;
    for (size_t at = 0; at < from->size;) {
        log_reader x = {.r = r, .from = from, .base = base, .pos = at};
        if (!log_read_header(&x)) return false;
        at = x.end;
        vec_push(all, x);
    }
    return true;
}

// Of the next record; at the end of the log, never.
static uint64_t log_next_time(const log_reader *x) {
    uint64_t word = x->end - x->pos < LOG_WORD ? 0 : log_word(x->from, x->pos);
    return word ? word >> 4 : UINT64_MAX;
}

// The two readers that are earliest: the first one goes on until it meets the second.
static log_reader *log_earliest(const log_readers *all, uint64_t *until) {
    log_reader *first = NULL;
    uint64_t time = UINT64_MAX;
    *until = UINT64_MAX;
    for (uint32_t i = 0; i < all->len; i++) {
        uint64_t t = log_next_time(&all->data[i]);
        if (t < time) *until = time, time = t, first = &all->data[i];
        else if (t < *until) *until = t;
    }
    return first;
}

static bool log_run_until(log_reader *x, uint64_t until) {
    log_record e;
    do {
        if (!log_next(x, &e)) {
            log_end(x);  // it was cut off within a record
            return true;
        }
        if (!log_take_next(x, &e)) return false;
    } while (log_next_time(x) <= until && !recording_is_over(x->r));
    if (log_next_time(x) == UINT64_MAX) log_end(x);
    return true;
}

bool log_read_together(recording *r, const format_source *files, uint32_t count) {
    log_readers all = {0};
    uint64_t base = log_base(files, count), until;
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) good = log_add_readers(r, &files[i], base, &all);
    for (log_reader *x; good && !recording_is_over(r) && (x = log_earliest(&all, &until));)
        good = log_run_until(x, until);
    for (uint32_t i = 0; i < all.len; i++) {
        if (good) log_end(&all.data[i]);
        vec_free(&all.data[i].accesses);
    }
    vec_free(&all);
    return good;
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

// The logs of one file, one after the other: where the next begins, 0 if there is none.
static size_t log_after(const format_source *from, size_t at, parvis_log_header *h) {
    memcpy(h, from->text + at, sizeof *h);
    bool is_last = h->bytes < sizeof *h || h->bytes >= from->size - at;
    return is_last || !log_begins_at(from, at + h->bytes) ? 0 : at + h->bytes;
}

uint64_t log_base(const format_source *files, uint32_t count) {
    uint64_t base = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        for (size_t at = 0; log_begins_at(&files[i], at);) {
            parvis_log_header h;
            at = log_after(&files[i], at, &h);
            if (h.opened_tick < base) base = h.opened_tick;
            if (!at) break;
        }
    return base == UINT64_MAX ? 0 : base;
}

// ---- one file of several

// Where the records of the log end that begins at x->pos.
static size_t log_records_end(log_reader *x) {
    log_record e;
    x->pos += sizeof(parvis_log_header);
    while (log_next(x, &e)) {}
    return x->pos;
}

static bool log_write_one(const format_source *from, size_t begin, size_t limit, FILE *out) {
    log_reader x = {.from = from, .pos = begin, .end = limit};
    parvis_log_header h;
    memcpy(&h, from->text + begin, sizeof h);
    size_t end = log_records_end(&x);
    h.bytes = end - begin;
    return fwrite(&h, sizeof h, 1, out) == 1 &&
           fwrite(from->text + begin + sizeof h, 1, end - begin - sizeof h, out) == end - begin - sizeof h;
}

static bool log_write_all(const format_source *from, FILE *out) {
    bool good = true;
    for (size_t at = 0; good && log_begins_at(from, at);) {
        parvis_log_header h;
        size_t next = log_after(from, at, &h);
        good = log_write_one(from, at, next ? next : from->size, out);
        if (!next) break;
        at = next;
    }
    return good;
}

bool log_join(const format_source *files, uint32_t count, FILE *out) {
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) good = log_write_all(&files[i], out);
    return good;
}
