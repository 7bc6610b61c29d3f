// SPDX-License-Identifier: Apache-2.0
// Writes histories as Jepsen does: an invocation and an end per transaction, in the order of time; without times only
// the ends, session by session, so that no order is invented. Single operations lose their times. A register that
// nobody has written is nil.
#include "history/foreign.h"
#include "history/format.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    uint64_t time;
    uint32_t rank;  // lines of its session at this time before it
    uint32_t tx;
    bool is_end;
} jepsen_line;

static int jepsen_compare(const void *a, const void *b) {
    const jepsen_line *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->is_end != y->is_end) return x->is_end - y->is_end;  // intervals that touch overlap
    return (x->tx > y->tx) - (x->tx < y->tx);
}

static bool jepsen_is_word(const char *text, size_t n) {
    size_t pos = 0;
    uint64_t number;
    return foreign_number(text, n, &pos, &number) && pos == n && (n == 1 || text[0] != '0');
}

static void jepsen_add_name(const names *n, uint32_t name, str *out) {
    str raw = {0};
    names_add(n, name, &raw);
    const char *text = str_get(&raw);
    bool is_word = jepsen_is_word(text, raw.len);
    if (!is_word) str_char(out, '"');
    for (size_t i = 0; i < raw.len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') str_printf(out, "\\%c", c);
        else if (c < 32 || c == 127) str_printf(out, "\\u%04x", c);
        else str_char(out, (char)c);
    }
    if (!is_word) str_char(out, '"');
    str_free(&raw);
}

// nil means that nothing is known of the read, unless the transaction committed.
static bool jepsen_is_nil(const recorded *h, uint32_t op) {
    uint32_t value = h->op_value.data[op];
    return recorded_kind(h, op) == OP_READ && value == recorded_initial(h, recorded_key(h, op));
}

static void jepsen_add_op(const recorded *h, uint32_t op, bool is_end, str *out) {
    op_kind kind = recorded_kind(h, op);
    uint32_t key = recorded_key(h, op), value = h->op_value.data[op];
    str_printf(out, "[%s ", kind == OP_APPEND ? ":append" : kind == OP_WRITE ? ":w" : ":r");
    jepsen_add_name(&h->keys, key, out);
    str_char(out, ' ');
    bool is_unknown = !is_end && !recorded_is_write(h, op);
    if (is_unknown || jepsen_is_nil(h, op)) str_add(out, "nil");
    else if (kind == OP_READ_LIST) text_add_list(h, value, jepsen_add_name, out);
    else jepsen_add_name(&h->values, value, out);
    str_char(out, ']');
}

static void jepsen_add_line(const recorded *h, const jepsen_line *l, str *out) {
    const recorded_tx *x = &h->txs.data[l->tx];
    const char *type = !l->is_end                   ? ":invoke"
                       : x->outcome == TX_COMMITTED ? ":ok"
                       : x->outcome == TX_ABORTED   ? ":fail"
                                                    : ":info";
    str_printf(out, "{:type %s, :f :txn, :process ", type);
    jepsen_add_name(&h->sessions, x->session, out);
    if (h->has_times) str_printf(out, ", :time %" PRIu64, l->time);
    str_add(out, ", :value [");
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        if (i > x->first) str_char(out, ' ');
        jepsen_add_op(h, i, l->is_end, out);
    }
    str_add(out, "]}\n");
}

// In a history with lists, nil is an empty list.
static bool jepsen_nil_is_list(const recorded *h) {
    bool has_lists = false, has_nil = false;
    for (uint32_t i = 0; i < h->op_key.len; i++) {
        op_kind kind = recorded_kind(h, i);
        has_lists |= kind == OP_APPEND || kind == OP_READ_LIST;
        has_nil |= jepsen_is_nil(h, i);
    }
    return has_lists && has_nil;
}

static bool jepsen_tx_has_place(const recorded *h, const recorded_tx *x, const char **why) {
    if (x->outcome == TX_LIVE) return *why = "transactions that never called commit", false;
    for (uint32_t i = x->first; x->outcome != TX_COMMITTED && i < x->first + x->count; i++)
        if (jepsen_is_nil(h, i)) return *why = "reads of initial values by transactions that did not commit", false;
    return true;
}

static bool jepsen_has_place(const recorded *h, const char **why) {
    if (jepsen_nil_is_list(h)) return *why = "reads of the initial values of registers beside lists", false;
    for (uint32_t t = 0; t < h->txs.len; t++)
        if (!jepsen_tx_has_place(h, &h->txs.data[t], why)) return false;
    for (uint32_t i = 0; i < h->op_key.len; i++)
        if (recorded_kind(h, i) == OP_WRITE && h->op_value.data[i] == recorded_initial(h, recorded_key(h, i)))
            return *why = "writes of a key's initial value", false;
    return true;
}

static void jepsen_collect_line(const recorded *h, jepsen_line *l, bool is_first, uint64_t time, uint32_t tx,
                                bool is_end) {
    bool follows = !is_first && l[-1].time == time && h->txs.data[l[-1].tx].session == h->txs.data[tx].session;
    *l = (jepsen_line){time, follows ? l[-1].rank + 1 : 0, tx, is_end};
}

static uint32_t jepsen_collect(const recorded *h, jepsen_line *lines) {
    uint32_t n = 0, *order = foreign_by_session(h);
    for (uint32_t i = 0; i < h->txs.len; i++, n++) {
        const recorded_tx *x = &h->txs.data[order[i]];
        if (h->has_times) jepsen_collect_line(h, &lines[n], n == 0, x->begins, order[i], false), n++;
        jepsen_collect_line(h, &lines[n], n == 0, x->outcome == TX_PENDING ? x->commits : x->ends, order[i], true);
    }
    free(order);
    if (h->has_times) qsort(lines, n, sizeof *lines, jepsen_compare);
    return n;
}

bool jepsen_write(const recorded *h, FILE *out, const char **why) {
    if (!jepsen_has_place(h, why)) return false;
    jepsen_line *lines = mem_alloc((2 * (size_t)h->txs.len + 1) * sizeof *lines);
    uint32_t n = jepsen_collect(h, lines);
    str text = {0};
    bool good = true;
    for (uint32_t i = 0; good && i < n; i++) {
        str_clear(&text);
        jepsen_add_line(h, &lines[i], &text);
        good = fwrite(str_get(&text), 1, text.len, out) == text.len;
    }
    str_free(&text);
    free(lines);
    return good;
}
