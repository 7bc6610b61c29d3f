// SPDX-License-Identifier: Apache-2.0
// dbcop's history.bincode: little endian, lengths of 64 bits. Five numbers (id, nodes, variables, transactions per
// node, events per transaction), three strings (what, start, end), then sessions, each a list of transactions, each a
// list of events (is a write, key, value, succeeded) and whether it succeeded. An event that did not succeed had no
// effect.
#include "history/foreign.h"

#include <string.h>

enum { DBCOP_NUMBERS = 5, DBCOP_STRINGS = 3, DBCOP_EVENT = 18 };

typedef struct {
    recording *r;
    const format_source *from;
    size_t pos;
    uint32_t session;
} dbcop_reader;

static uint64_t dbcop_word(const char *at) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < 8; i++) word |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return word;
}

static size_t dbcop_left(const dbcop_reader *x) { return x->from->size - x->pos; }

static bool dbcop_wrong(dbcop_reader *x, const char *what) {
    return recording_wrong(x->r, x->pos, x->pos + 1, "%s", what);
}

static bool dbcop_number(dbcop_reader *x, uint64_t *out) {
    if (dbcop_left(x) < 8) return dbcop_wrong(x, "the file ends too early");
    *out = dbcop_word(x->from->text + x->pos);
    x->pos += 8;
    return true;
}

// A number of things of which each takes this many bytes at least.
static bool dbcop_count(dbcop_reader *x, size_t least, uint64_t *out) {
    if (!dbcop_number(x, out)) return false;
    if (*out <= dbcop_left(x) / least) return true;
    x->pos -= 8;
    return dbcop_wrong(x, "this count is more than the file can hold");
}

static bool dbcop_flag(dbcop_reader *x, bool *out) {
    if (dbcop_left(x) < 1) return dbcop_wrong(x, "the file ends too early");
    unsigned char c = (unsigned char)x->from->text[x->pos];
    *out = c == 1;
    if (c > 1) return dbcop_wrong(x, "0 or 1 expected");
    x->pos++;
    return true;
}

static bool dbcop_head(dbcop_reader *x) {
    uint64_t n;
    for (uint32_t i = 0; i < DBCOP_NUMBERS; i++)
        if (!dbcop_number(x, &n)) return false;
    for (uint32_t i = 0; i < DBCOP_STRINGS; i++) {
        if (!dbcop_count(x, 1, &n)) return false;
        x->pos += n;
    }
    return true;
}

static bool dbcop_event(dbcop_reader *x, recording_tx t) {
    size_t place = x->pos;
    bool is_write, succeeded;
    uint64_t key, value;
    if (!dbcop_flag(x, &is_write) || !dbcop_number(x, &key) || !dbcop_number(x, &value) || !dbcop_flag(x, &succeeded))
        return false;
    if (!succeeded) return true;
    uint32_t k = recording_key_number(x->r, key);
    if (is_write && value == 0) foreign_wrote_zero(x->r, k);
    recording_op(x->r, t, is_write ? OP_WRITE : OP_READ, k, recording_value_number(x->r, value), 0, 0, place);
    return true;
}

static bool dbcop_transaction(dbcop_reader *x) {
    uint64_t n;
    bool succeeded = false, good = true;
    size_t place = x->pos;
    if (!dbcop_count(x, DBCOP_EVENT, &n)) return false;
    recording_tx t = recording_open(x->r, x->session, 0, place);
    for (uint64_t i = 0; good && i < n; i++) good = dbcop_event(x, t);
    good = good && dbcop_flag(x, &succeeded);
    if (succeeded) recording_committed(x->r, t, 0, 0);
    else recording_aborted(x->r, t, 0);
    return good;
}

static bool dbcop_session(dbcop_reader *x, uint64_t number) {
    uint64_t n;
    bool good = dbcop_count(x, 9, &n);
    x->session = recording_session_number(x->r, number);
    for (uint64_t i = 0; good && i < n; i++) good = dbcop_transaction(x);
    return good;
}

bool dbcop_read(recording *r, const format_source *from) {
    dbcop_reader x = {.r = r, .from = from};
    uint64_t n;
    recording_file(r, from->path, from->text, from->size, true);
    bool good = recording_times(r, TIMES_NONE) && dbcop_head(&x) && dbcop_count(&x, 8, &n);
    for (uint64_t i = 1; good && i <= n; i++) good = dbcop_session(&x, i);
    return good && (dbcop_left(&x) == 0 || dbcop_wrong(&x, "the end of the file expected"));
}

// By the name, or by the head: three strings of text and a list of sessions that the file can hold.
bool dbcop_is(const format_source *from) {
    size_t pos = 8 * DBCOP_NUMBERS;
    for (uint32_t i = 0; i <= DBCOP_STRINGS; i++) {
        if (from->size < pos || from->size - pos < 8) return false;
        uint64_t n = dbcop_word(from->text + pos), left = from->size - pos - 8;
        pos += 8;
        if (n > left) return false;
        if (i == DBCOP_STRINGS) return n <= left / 8;
        for (uint64_t k = 0; k < n; k++)
            if ((unsigned char)from->text[pos + k] < 32) return false;
        pos += n;
    }
    return false;
}

// ---- writing

static void dbcop_put(str *out, uint64_t word) {
    for (uint32_t i = 0; i < 8; i++) str_char(out, (char)(word >> 8 * i & 255));
}

static void dbcop_put_tx(const recorded *h, const recorded_tx *x, str *out) {
    dbcop_put(out, x->count);
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        str_char(out, recorded_is_write(h, i));
        dbcop_put(out, foreign_name_number(&h->keys, recorded_key(h, i)));
        dbcop_put(out, foreign_op_value(h, i));
        str_char(out, 1);
    }
    str_char(out, x->outcome == TX_COMMITTED);
}

static void dbcop_put_head(const recorded *h, str *out) {
    dbcop_put(out, 0);
    dbcop_put(out, names_count(&h->sessions));
    dbcop_put(out, names_count(&h->keys));
    dbcop_put(out, 0);  // they differ in length
    dbcop_put(out, 0);
    for (uint32_t i = 0; i < DBCOP_STRINGS; i++) dbcop_put(out, 0);
    dbcop_put(out, names_count(&h->sessions));
}

static void dbcop_put_sessions(const recorded *h, str *out) {
    uint32_t *order = foreign_by_session(h), at = 0;
    for (uint32_t s = 0; s < names_count(&h->sessions); s++) {
        uint32_t end = at;
        while (end < h->txs.len && h->txs.data[order[end]].session == s) end++;
        dbcop_put(out, end - at);
        for (; at < end; at++) dbcop_put_tx(h, &h->txs.data[order[at]], out);
    }
    free(order);
}

bool dbcop_write(const recorded *h, FILE *out, const char **why) {
    str text = {0};
    if (!foreign_is_plain(h, why)) return false;
    for (uint32_t t = 0; t < h->txs.len; t++)
        if (h->txs.data[t].outcome != TX_COMMITTED && h->txs.data[t].outcome != TX_ABORTED)
            return *why = "transactions that neither committed nor aborted", false;
    dbcop_put_head(h, &text);
    dbcop_put_sessions(h, &text);
    bool good = fwrite(str_get(&text), 1, text.len, out) == text.len;
    str_free(&text);
    return good;
}
