// SPDX-License-Identifier: Apache-2.0
// The text form of AWDIT's tests: "r key value" or "w key value" per line, a line of '-' between transactions, a line
// of '=' between sessions. All transactions committed.
#include "history/foreign.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    recording *r;
    const char *text;
    size_t begin, end;  // of the line, without spaces at its ends
    uint64_t session;
    recording_tx tx;
} awdit_reader;

static bool awdit_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The line from x->begin on, in which '\n' is at `stop`.
static void awdit_trim(awdit_reader *x, size_t stop) {
    x->end = stop;
    while (x->begin < x->end && awdit_is_blank(x->text[x->begin])) x->begin++;
    while (x->begin < x->end && awdit_is_blank(x->text[x->end - 1])) x->end--;
}

static bool awdit_is_ruler(const awdit_reader *x, char c) {
    for (size_t i = x->begin; i < x->end; i++)
        if (x->text[i] != c) return false;
    return x->end - x->begin >= 3;
}

static bool awdit_wrong(const awdit_reader *x, size_t at, const char *what) {
    return recording_wrong(x->r, at, at < x->end ? x->end : at + 1, "%s", what);
}

static void awdit_commit(awdit_reader *x) {
    if (x->tx != RECORDING_NONE) recording_committed(x->r, x->tx, 0, 0);
    x->tx = RECORDING_NONE;
}

static bool awdit_number(const awdit_reader *x, size_t *pos, uint64_t *out) {
    if (*pos >= x->end || !awdit_is_blank(x->text[*pos])) return awdit_wrong(x, *pos, "a space expected");
    while (*pos < x->end && awdit_is_blank(x->text[*pos])) ++*pos;
    return foreign_number(x->text, x->end, pos, out) || awdit_wrong(x, *pos, "a number of 64 bits expected");
}

static bool awdit_read_op(awdit_reader *x) {
    char c = x->text[x->begin];
    size_t pos = x->begin + 1;
    uint64_t key, value;
    if (c != 'r' && c != 'w')
        return awdit_wrong(x, x->begin, "'r KEY VALUE', 'w KEY VALUE', '-----' or '=====' expected");
    if (!awdit_number(x, &pos, &key) || !awdit_number(x, &pos, &value)) return false;
    if (pos < x->end) return awdit_wrong(x, pos, "the end of the line expected");
    uint32_t k = recording_key_number(x->r, key);
    if (c == 'w' && value == 0) foreign_wrote_zero(x->r, k);
    if (x->tx == RECORDING_NONE) x->tx = recording_open(x->r, recording_session_number(x->r, x->session), 0, x->begin);
    recording_op(x->r, x->tx, c == 'w' ? OP_WRITE : OP_READ, k, recording_value_number(x->r, value), 0, 0, x->begin);
    return true;
}

static bool awdit_read_line(awdit_reader *x) {
    if (x->begin == x->end) return true;
    bool is_session = awdit_is_ruler(x, '=');
    if (!is_session && !awdit_is_ruler(x, '-')) return awdit_read_op(x);
    awdit_commit(x);
    x->session += is_session;
    return true;
}

bool awdit_read(recording *r, const format_source *from) {
    awdit_reader x = {.r = r, .text = from->text, .session = 1, .tx = RECORDING_NONE};
    recording_file(r, from->path, from->text, from->size, false);
    bool good = recording_times(r, TIMES_NONE);
    for (size_t begin = 0; begin < from->size;) {
        const char *stop = memchr(from->text + begin, '\n', from->size - begin);
        size_t end = stop ? (size_t)(stop - from->text) : from->size;
        x.begin = begin;
        awdit_trim(&x, end);
        good = awdit_read_line(&x) && good;
        begin = end + 1;
    }
    awdit_commit(&x);
    return good;
}

bool awdit_is(const format_source *from) {
    size_t i = 0;
    while (i < from->size && (awdit_is_blank(from->text[i]) || from->text[i] == '\n')) i++;
    return from->size - i >= 5 && (from->text[i] == 'r' || from->text[i] == 'w') && from->text[i + 1] == ' ' &&
           from->text[i + 2] >= '0' && from->text[i + 2] <= '9';
}

// ---- writing: sessions are numbered by their order

static bool awdit_write_tx(const recorded *h, const recorded_tx *x, FILE *out) {
    bool good = true;
    for (uint32_t i = x->first; good && i < x->first + x->count; i++)
        good = fprintf(out, "%c %" PRIu64 " %" PRIu64 "\n", recorded_is_write(h, i) ? 'w' : 'r',
                       foreign_name_number(&h->keys, recorded_key(h, i)), foreign_op_value(h, i)) > 0;
    return good;
}

bool awdit_write(const recorded *h, FILE *out, const char **why) {
    if (!foreign_is_plain(h, why) || !foreign_all_committed(h, why)) return false;
    uint32_t *order = foreign_by_session(h);
    bool good = true;
    for (uint32_t i = 0; good && i < h->txs.len; i++) {
        const recorded_tx *x = &h->txs.data[order[i]];
        bool is_new = i && x->session != h->txs.data[order[i - 1]].session;
        good = (!i || fputs(is_new ? "=====\n" : "-----\n", out) >= 0) && awdit_write_tx(h, x, out);
    }
    free(order);
    return good;
}
