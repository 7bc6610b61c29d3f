// SPDX-License-Identifier: Apache-2.0
// Writes Cobra's logs (see cobra.c), one per session. Writes have numbers that are unique: their values, if no value is
// written twice; else 2^32 and the place of the operation, so that values get other names. A read names the transaction
// whose write it saw, so no value may be written twice to one key.
#include "history/foreign.h"

typedef struct {
    const recorded *h;
    map *writers;     // (key, value) to the operation that wrote it
    uint32_t *tx_of;  // by operation
    bool are_values;  // the numbers of writes are their values
    uint32_t *order;  // transactions by session
    const char **why;
} cobra_writer;

// ---- whether it can be written

static bool cobra_has_outcomes(const recorded *h, const char **why) {
    for (uint32_t t = 0; t < h->txs.len; t++) {
        uint32_t outcome = h->txs.data[t].outcome;
        if (outcome != TX_COMMITTED && outcome != TX_PENDING)
            return *why = "transactions that aborted, or never called commit", false;
    }
    return true;
}

static bool cobra_take_write(cobra_writer *x, uint32_t op) {
    const recorded *h = x->h;
    const uint32_t pair[] = {recorded_key(h, op), h->op_value.data[op]};
    if (pair[1] == recorded_initial(h, pair[0])) return *x->why = "writes of a key's initial value", false;
    if (!map_put(x->writers, pair, sizeof pair, op))
        return *x->why = "values that are written twice to one key: it must say who wrote what was read", false;
    return true;
}

// `written`: by value, whether it was.
static bool cobra_take_op(cobra_writer *x, uint32_t op, uint8_t *written) {
    const recorded *h = x->h;
    uint32_t value = h->op_value.data[op];
    bool is_write = recorded_is_write(h, op), is_initial = value == recorded_initial(h, recorded_key(h, op));
    uint64_t number;
    bool is_number = foreign_is_number(&h->values, value, &number);
    if (!is_number && !is_initial) return *x->why = "names that are not numbers", false;
    if (!is_initial && cobra_is_nobody(number)) x->are_values = false;
    if (is_write && written[value]) x->are_values = false;
    written[value] |= is_write;
    return !is_write || cobra_take_write(x, op);
}

static bool cobra_prepare(cobra_writer *x, const recorded *h, const char **why) {
    *x = (cobra_writer){.h = h, .are_values = true, .why = why};
    if (!foreign_is_registers(h, why) || !cobra_has_outcomes(h, why)) return false;
    x->writers = map_new();
    x->tx_of = mem_alloc(((size_t)h->op_key.len + 1) * sizeof *x->tx_of);
    x->order = foreign_by_session(h);
    uint8_t *written = mem_zero((size_t)names_count(&h->values) + 1, 1);
    bool good = true;
    for (uint32_t t = 0; good && t < h->txs.len; t++)
        for (uint32_t i = h->txs.data[t].first; good && i < h->txs.data[t].first + h->txs.data[t].count; i++) {
            x->tx_of[i] = t;
            good = cobra_take_op(x, i, written);
        }
    free(written);
    return good;
}

static void cobra_done(cobra_writer *x) {
    if (x->writers) map_free(x->writers);
    free(x->tx_of);
    free(x->order);
}

// ---- records

static void cobra_put(str *out, char kind, const uint64_t *words, uint32_t n) {
    str_char(out, kind);
    for (uint32_t i = 0; i < n; i++)
        for (int shift = 56; shift >= 0; shift -= 8) str_char(out, (char)(words[i] >> shift & 255));
}

static uint64_t cobra_tx_number(uint32_t tx) { return (uint64_t)tx + 1; }

static uint64_t cobra_write_number(const cobra_writer *x, uint32_t op) {
    return x->are_values ? foreign_op_value(x->h, op) : UINT64_C(1) << 32 | op;
}

static void cobra_put_read(const cobra_writer *x, uint32_t op, uint64_t key, str *out) {
    const recorded *h = x->h;
    const uint32_t pair[] = {recorded_key(h, op), h->op_value.data[op]};
    uint32_t writer = map_get(x->writers, pair, sizeof pair, UINT32_MAX);
    uint64_t words[] = {COBRA_INITIAL, COBRA_INITIAL, key, foreign_op_value(h, op)};
    if (writer != UINT32_MAX) {
        words[0] = cobra_tx_number(x->tx_of[writer]);
        words[1] = cobra_write_number(x, writer);
    } else if (pair[1] != recorded_initial(h, pair[0])) {  // nobody wrote it
        words[0] = COBRA_NONE;
        words[1] = x->are_values ? words[3] : UINT64_C(2) << 32 | pair[1];
    }
    cobra_put(out, 'R', words, 4);
}

static void cobra_put_tx(const cobra_writer *x, uint32_t t, str *out) {
    const recorded *h = x->h;
    const recorded_tx *tx = &h->txs.data[t];
    uint64_t number = cobra_tx_number(t);
    cobra_put(out, 'S', &number, 1);
    for (uint32_t i = tx->first; i < tx->first + tx->count; i++) {
        uint64_t key = foreign_name_number(&h->keys, recorded_key(h, i));
        if (!recorded_is_write(h, i)) cobra_put_read(x, i, key, out);
        else cobra_put(out, 'W', (uint64_t[]){cobra_write_number(x, i), key, foreign_op_value(h, i)}, 3);
    }
    if (tx->outcome == TX_COMMITTED) cobra_put(out, 'C', &number, 1);
}

// The session of order[*at], and *at is after it.
static uint32_t cobra_put_session(const cobra_writer *x, uint32_t *at, str *out) {
    const recorded_tx *txs = x->h->txs.data;
    uint32_t session = txs[x->order[*at]].session;
    for (; *at < x->h->txs.len && txs[x->order[*at]].session == session; ++*at) cobra_put_tx(x, x->order[*at], out);
    return session;
}

// ---- files

static bool cobra_is_log_name(const char *name) {
    size_t i = 1;
    while (name[0] == 'T' && name[i] >= '0' && name[i] <= '9') i++;
    return i > 1 && !name[i];
}

// Sessions that came from such logs keep their names; else they are numbered.
static bool cobra_keeps_names(const recorded *h) {
    bool keeps = true;
    for (uint32_t s = 0; keeps && s < names_count(&h->sessions); s++) {
        str name = {0};
        names_add(&h->sessions, s, &name);
        keeps = cobra_is_log_name(str_get(&name));
        str_free(&name);
    }
    return keeps;
}

static bool cobra_write_file(const cobra_writer *x, uint32_t *at, bool keeps, const format_folder *out) {
    str bytes = {0}, name = {0};
    uint32_t session = cobra_put_session(x, at, &bytes);
    if (keeps) names_add(&x->h->sessions, session, &name);
    else str_printf(&name, "T%u", session + 1);
    str_add(&name, ".log");
    bool good = out->add_file(out->folder, str_get(&name), str_get(&bytes), bytes.len);
    str_free(&bytes);
    str_free(&name);
    return good;
}

bool cobra_write_folder(const recorded *h, const format_folder *out, const char **why) {
    cobra_writer x;
    bool good = cobra_prepare(&x, h, why), keeps = good && cobra_keeps_names(h);
    for (uint32_t at = 0; good && at < h->txs.len;) good = cobra_write_file(&x, &at, keeps, out);
    cobra_done(&x);
    return good;
}

bool cobra_write(const recorded *h, FILE *out, const char **why) {
    cobra_writer x;
    str bytes = {0};
    uint32_t at = 0;
    bool good = cobra_prepare(&x, h, why);
    if (good && h->txs.len) cobra_put_session(&x, &at, &bytes);
    if (good && at < h->txs.len) {
        *why = "several sessions in one file: -o FOLDER writes a file for each";
        good = false;
    }
    good = good && fwrite(str_get(&bytes), 1, bytes.len, out) == bytes.len;
    str_free(&bytes);
    cobra_done(&x);
    return good;
}
