// SPDX-License-Identifier: Apache-2.0
// Writes a history as logs of include/parvis/record.h, one after the other. Every operation has a record of its call,
// so that times are kept as they are. In a log only the last transaction may be without an end, so a session that goes
// on after one has several logs with its number.
#include "history/foreign.h"
#include "history/log.h"

#include <parvis/record.h>

enum { LOG_TIME_BITS = 60 };

typedef struct {
    const recorded *h;
    str text;
    uint64_t last;  // time of the last record
    bool is_good;
} log_writer;

static void log_put(log_writer *w, unsigned kind, uint64_t time) {
    uint64_t word = time << 4 | kind;
    w->is_good &= time >= w->last && time >> LOG_TIME_BITS == 0;
    w->last = time;
    str_addn(&w->text, (const char *)&word, sizeof word);
}

static void log_put_access(log_writer *w, unsigned kind, uint64_t time, uint64_t key, uint64_t value) {
    const uint64_t words[] = {key, value};
    log_put(w, kind, time);
    str_addn(&w->text, (const char *)words, sizeof words);
}

static void log_put_tx(log_writer *w, const recorded_tx *x) {
    const recorded *h = w->h;
    log_put(w, PARVIS_BEGIN, x->begins);
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        recorded_op o = recorded_get(h, i);
        log_put(w, PARVIS_CALL, o.call);
        log_put_access(w, o.kind == OP_READ ? PARVIS_READ : PARVIS_WRITE, o.answer,
                       foreign_name_number(&h->keys, o.key), foreign_op_value(h, i));
    }
    if (x->commits != RECORDED_NEVER) log_put(w, PARVIS_COMMIT, x->commits);
    if (x->outcome == TX_COMMITTED) log_put(w, PARVIS_COMMITTED, x->ends);
    if (x->outcome == TX_ABORTED) log_put(w, PARVIS_ABORTED, x->ends);
}

// Before the first transaction of all.
static void log_put_initials(log_writer *w) {
    const recorded *h = w->h;
    for (uint32_t k = 0; k < names_count(&h->keys); k++) {
        uint64_t value = foreign_name_number(&h->values, recorded_initial(h, k));
        if (value) log_put_access(w, PARVIS_INITIAL, 0, foreign_name_number(&h->keys, k), value);
    }
}

static bool log_write_records(log_writer *w, uint64_t session, FILE *out) {
    parvis_log_header head = {.version = PARVIS_LOG_VERSION, .byte_order = 0x01020304, .state = PARVIS_LOG_CLOSED};
    memcpy(head.magic, PARVIS_LOG_MAGIC, sizeof head.magic);
    head.clock = PARVIS_CLOCK_MONOTONIC;
    head.session = session;
    head.bytes = sizeof head + w->text.len;
    head.closed_tick = head.closed_ns = w->last;
    bool good =
        fwrite(&head, sizeof head, 1, out) == 1 && fwrite(str_get(&w->text), 1, w->text.len, out) == w->text.len;
    str_clear(&w->text);
    w->last = 0;
    return good;
}

// ---- whether it can be written

static bool log_values_are_numbers(const recorded *h) {
    uint64_t number;
    for (uint32_t i = 0; i < h->op_value.len; i++)
        if (!foreign_is_number(&h->values, h->op_value.data[i], &number)) return false;
    for (uint32_t k = 0; k < names_count(&h->keys); k++)
        if (!foreign_is_number(&h->values, recorded_initial(h, k), &number)) return false;
    return true;
}

static bool log_has_place(const recorded *h, const char **why) {
    if (!h->has_times) return *why = "histories without times", false;
    if (!foreign_is_registers(h, why)) return false;
    return log_values_are_numbers(h) || (*why = "names that are not numbers", false);
}

bool log_write_recorded(const recorded *h, FILE *out, const char **why) {
    if (!log_has_place(h, why)) return false;
    log_writer w = {.h = h, .is_good = true};
    uint32_t *order = foreign_by_session(h);
    uint64_t *numbers = foreign_session_numbers(h);
    bool good = true;
    log_put_initials(&w);
    for (uint32_t i = 0; good && w.is_good && i < h->txs.len; i++) {
        const recorded_tx *x = &h->txs.data[order[i]];
        log_put_tx(&w, x);
        bool is_last = i + 1 == h->txs.len || h->txs.data[order[i + 1]].session != x->session;
        if (is_last || x->ends == RECORDED_NEVER) good = log_write_records(&w, numbers[x->session], out);
    }
    if (!h->txs.len) good = log_write_records(&w, 1, out);
    if (!w.is_good) *why = "operations of a transaction that overlap, or times of more than 60 bits";
    str_free(&w.text);
    free(order);
    free(numbers);
    return good && w.is_good;
}
