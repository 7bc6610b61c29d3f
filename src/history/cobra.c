// SPDX-License-Identifier: Apache-2.0
// Cobra's logs, one per client: big-endian records of a letter and words of 64 bits.
//
//   S transaction       it starts
//   W write key value
//   R transaction write key value     of the transaction and the write that were read
//   C transaction       it committed
//
// Numbers of writes are unique, so they are taken as values. A transaction without C may have committed or not.
#include "history/foreign.h"

#include <string.h>

typedef struct {
    recording *r;
    const format_source *from;
    size_t pos;
    uint32_t session;
    recording_tx tx;
    uint64_t id;  // of the open transaction
} cobra_reader;

typedef struct {
    char kind;
    uint64_t words[4];
    size_t place;
} cobra_record;

static uint32_t cobra_words(char kind) {
    return kind == 'S' || kind == 'C' ? 1 : kind == 'W' ? 3 : kind == 'R' ? 4 : 0;
}

static uint64_t cobra_word(const char *at) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < 8; i++) word = word << 8 | (unsigned char)at[i];
    return word;
}

static bool cobra_wrong(const cobra_reader *x, const char *what) {
    return recording_wrong(x->r, x->pos, x->pos + 1, "%s", what);
}

// The record at x->pos, which is before the end.
static bool cobra_next(cobra_reader *x, cobra_record *out) {
    const char *at = x->from->text + x->pos;
    uint32_t n = cobra_words(*at);
    *out = (cobra_record){.kind = *at, .place = x->pos};
    if (!n) return cobra_wrong(x, "a record expected: S, C, W or R");
    if (x->from->size - x->pos - 1 < 8 * (size_t)n) return cobra_wrong(x, "the file ends within this record");
    for (uint32_t i = 0; i < n; i++) out->words[i] = cobra_word(at + 1 + 8 * i);
    return true;
}

static void cobra_leave(cobra_reader *x) {
    if (x->tx == RECORDING_NONE) return;
    recording_commit_called(x->r, x->tx, 0);
    recording_left(x->r, x->tx);
    x->tx = RECORDING_NONE;
}

static void cobra_start(cobra_reader *x, const cobra_record *e) {
    cobra_leave(x);
    x->tx = recording_open(x->r, x->session, 0, e->place);
    x->id = e->words[0];
}

static void cobra_read_op(cobra_reader *x, const cobra_record *e, bool is_write) {
    uint64_t write = e->words[is_write ? 0 : 1], key = e->words[is_write ? 1 : 2];
    bool is_initial = !is_write && cobra_is_nobody(e->words[0]) && cobra_is_nobody(write);
    uint32_t value = is_initial ? recording_value(x->r, "initial", 7) : recording_value_number(x->r, write);
    recording_op(x->r, x->tx, is_write ? OP_WRITE : OP_READ, recording_key_number(x->r, key), value, 0, 0, e->place);
}

static bool cobra_take(cobra_reader *x, const cobra_record *e) {
    if (e->kind == 'S') return cobra_start(x, e), true;
    if (x->tx == RECORDING_NONE) return cobra_wrong(x, "this record is outside of a transaction");
    if (e->kind != 'C') return cobra_read_op(x, e, e->kind == 'W'), true;
    if (e->words[0] != x->id) return cobra_wrong(x, "this is the commit of another transaction");
    recording_committed(x->r, x->tx, 0, 0);
    x->tx = RECORDING_NONE;
    return true;
}

// The session is the name of the file, without its folder.
static uint32_t cobra_session(recording *r, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strcspn(name, ".");
    return recording_session(r, name, n ? n : strlen(name));
}

bool cobra_read(recording *r, const format_source *from) {
    cobra_reader x = {.r = r, .from = from, .tx = RECORDING_NONE};
    cobra_record e;
    bool good = true;
    recording_file(r, from->path, from->text, from->size, true);
    if (!recording_times(r, TIMES_NONE)) return false;
    recording_initial_of_all(r, recording_value(r, "initial", 7));
    x.session = cobra_session(r, from->path);
    while (good && x.pos < from->size) {
        good = cobra_next(&x, &e) && cobra_take(&x, &e);
        if (good) x.pos += 1 + 8 * (size_t)cobra_words(e.kind);
    }
    cobra_leave(&x);
    return good;
}

// The first records are whole, and the first starts a transaction.
bool cobra_is(const format_source *from) {
    size_t pos = 0;
    uint32_t n = 0;
    if (from->size < 9 || from->text[0] != 'S') return false;
    for (; n < 4 && pos < from->size; n++) {
        uint32_t words = cobra_words(from->text[pos]);
        if (!words || from->size - pos - 1 < 8 * (size_t)words) return false;
        pos += 1 + 8 * (size_t)words;
    }
    return n >= 2 || pos == from->size;
}
