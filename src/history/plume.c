// SPDX-License-Identifier: Apache-2.0
// The text form of PolySI and Plume: one operation per line, r(key,value,session,transaction) or w(…), all decimal.
// All transactions committed. Those of a session are in the order of lines; the lines of a transaction are together,
// but may be mixed with those of other sessions.
#include "history/foreign.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    recording *r;
    const char *text;
    size_t size, pos;
    VEC(uint64_t) current;  // by session: number of its transaction
    names done;             // transactions that began: "session transaction"
} plume_reader;

typedef struct {
    bool is_write;
    uint64_t key, value, session, tx;
    size_t place, end;
} plume_line;

static void plume_skip_space(plume_reader *x) {
    while (x->pos < x->size && strchr(" \t\r\n", x->text[x->pos]) && x->text[x->pos]) x->pos++;
}

static bool plume_wrong(plume_reader *x, const char *what) {
    return recording_wrong(x->r, x->pos, x->pos + 1, "%s", what);
}

static bool plume_take(plume_reader *x, char c) {
    if (x->pos >= x->size || x->text[x->pos] != c) return false;
    x->pos++;
    return true;
}

static bool plume_parse_line(plume_reader *x, plume_line *out) {
    uint64_t *const parts[] = {&out->key, &out->value, &out->session, &out->tx};
    out->place = x->pos;
    out->is_write = x->text[x->pos] == 'w';
    if (!plume_take(x, 'w') && !plume_take(x, 'r')) return plume_wrong(x, "r(…) or w(…) expected");
    for (uint32_t i = 0; i < 4; i++) {
        if (!plume_take(x, i ? ',' : '(')) return plume_wrong(x, i ? "',' expected" : "'(' expected");
        if (!foreign_number(x->text, x->size, &x->pos, parts[i])) return plume_wrong(x, "a number of 64 bits expected");
    }
    if (!plume_take(x, ')')) return plume_wrong(x, "')' expected");
    out->end = x->pos;
    return x->pos >= x->size || strchr(" \t\r\n", x->text[x->pos]) || plume_wrong(x, "a new line expected");
}

// False if this transaction has begun before.
static bool plume_is_new(plume_reader *x, const plume_line *l) {
    char id[64];
    uint32_t before = names_count(&x->done);
    int n = snprintf(id, sizeof id, "%" PRIu64 " %" PRIu64, l->session, l->tx);
    return names_text(&x->done, id, (size_t)n) == before;
}

static bool plume_find_tx(plume_reader *x, const plume_line *l, uint32_t session, recording_tx *t) {
    while (x->current.len <= session) vec_push(&x->current, 0);
    *t = recording_current(x->r, session);
    if (*t != RECORDING_NONE && x->current.data[session] == l->tx) return true;
    if (!plume_is_new(x, l))
        return recording_wrong(x->r, l->place, l->end, "the operations of transaction %" PRIu64 " are not together",
                               l->tx);
    if (*t != RECORDING_NONE) recording_committed(x->r, *t, 0, 0);
    *t = recording_open(x->r, session, 0, l->place);
    x->current.data[session] = l->tx;
    return true;
}

static bool plume_read_line(plume_reader *x) {
    plume_line l;
    recording_tx t;
    if (!plume_parse_line(x, &l)) return false;
    if (!plume_find_tx(x, &l, recording_session_number(x->r, l.session), &t)) return false;
    uint32_t key = recording_key_number(x->r, l.key);
    if (l.is_write && l.value == 0) foreign_wrote_zero(x->r, key);
    recording_op(x->r, t, l.is_write ? OP_WRITE : OP_READ, key, recording_value_number(x->r, l.value), 0, 0, l.place);
    return true;
}

static void plume_commit_all(plume_reader *x) {
    for (uint32_t s = 0; s < x->current.len; s++) {
        recording_tx t = recording_current(x->r, s);
        if (t != RECORDING_NONE) recording_committed(x->r, t, 0, 0);
    }
}

bool plume_read(recording *r, const format_source *from) {
    plume_reader x = {.r = r, .text = from->text, .size = from->size};
    recording_file(r, from->path, from->text, from->size, false);
    bool good = recording_times(r, TIMES_NONE);
    for (plume_skip_space(&x); x.pos < x.size; plume_skip_space(&x)) {
        if (plume_read_line(&x)) continue;
        good = false;
        while (x.pos < x.size && x.text[x.pos] != '\n') x.pos++;
    }
    plume_commit_all(&x);
    names_free(&x.done);
    vec_free(&x.current);
    return good;
}

bool plume_is(const format_source *from) {
    plume_reader x = {.text = from->text, .size = from->size};
    plume_skip_space(&x);
    if (x.size - x.pos < 4 || (x.text[x.pos] != 'r' && x.text[x.pos] != 'w') || x.text[x.pos + 1] != '(') return false;
    return x.text[x.pos + 2] >= '0' && x.text[x.pos + 2] <= '9';
}

// ---- writing

static bool plume_write_tx(const recorded *h, uint32_t t, uint64_t session, FILE *out) {
    const recorded_tx *x = &h->txs.data[t];
    bool good = true;
    for (uint32_t i = x->first; good && i < x->first + x->count; i++)
        good = fprintf(out, "%c(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u)\n", recorded_is_write(h, i) ? 'w' : 'r',
                       foreign_name_number(&h->keys, recorded_key(h, i)), foreign_op_value(h, i), session, t) > 0;
    return good;
}

bool plume_write(const recorded *h, FILE *out, const char **why) {
    bool good = true;
    if (!foreign_is_plain(h, why) || !foreign_all_committed(h, why)) return false;
    uint64_t *sessions = foreign_session_numbers(h);
    for (uint32_t t = 0; good && t < h->txs.len; t++)
        good = plume_write_tx(h, t, sessions[h->txs.data[t].session], out);
    free(sessions);
    return good;
}
