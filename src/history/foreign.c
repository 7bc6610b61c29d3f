// SPDX-License-Identifier: Apache-2.0
// What readers and writers of other checkers' formats share: see foreign.h.
#include "history/foreign.h"

void foreign_wrote_zero(recording *r, uint32_t key) {
    static const char nobody[] = "initial";
    recording_initial(r, key, recording_value(r, nobody, sizeof nobody - 1));
}

bool foreign_number(const char *text, size_t size, size_t *pos, uint64_t *out) {
    size_t at = *pos;
    uint64_t n = 0;
    for (; at < size && text[at] >= '0' && text[at] <= '9'; at++) {
        uint64_t digit = (uint64_t)(text[at] - '0');
        if (n > (UINT64_MAX - digit) / 10) return false;
        n = n * 10 + digit;
    }
    if (at == *pos) return false;
    *pos = at;
    *out = n;
    return true;
}

// ---- writing

bool foreign_is_number(const names *n, uint32_t name, uint64_t *number) {
    if (names_is_number(n, name, number)) return true;
    str text = {0};
    size_t pos = 0;
    names_add(n, name, &text);  // beyond 63 bits it is kept as text
    bool is = foreign_number(str_get(&text), text.len, &pos, number) && pos == text.len && text.text[0] != '0';
    str_free(&text);
    return is;
}

uint64_t foreign_name_number(const names *n, uint32_t name) {
    uint64_t number = 0;
    return foreign_is_number(n, name, &number) ? number : 0;
}

static bool all_numbers(const names *n) {
    uint64_t number;
    for (uint32_t i = 0; i < names_count(n); i++)
        if (!foreign_is_number(n, i, &number)) return false;
    return true;
}

// What is done with a key: its initial value is read, or written; a 0 that is not its initial value is.
enum { READS_INITIAL = 1, WRITES_INITIAL = 2, READS_ZERO = 4, WRITES_ZERO = 8 };

static bool foreign_note_value(const recorded *h, uint32_t op, uint8_t *uses, const char **why) {
    uint32_t key = recorded_key(h, op), value = h->op_value.data[op];
    bool is_initial = value == recorded_initial(h, key), is_write = recorded_is_write(h, op);
    uint64_t number;
    bool is_number = foreign_is_number(&h->values, value, &number);
    if (!is_number && (is_write || !is_initial)) return *why = "names that are not numbers", false;
    if (is_initial) uses[key] |= is_write ? WRITES_INITIAL : READS_INITIAL;
    else if (is_number && number == 0) uses[key] |= is_write ? WRITES_ZERO : READS_ZERO;
    return true;
}

// A key holds 0 at first unless somebody writes 0 to it: then nobody reads what it held. See foreign_wrote_zero.
static bool key_is_plain(const recorded *h, uint32_t key, uint8_t uses, const char **why) {
    uint64_t initial;
    bool is_name = !foreign_is_number(&h->values, recorded_initial(h, key), &initial);
    if ((uses & READS_INITIAL) && (uses & WRITES_INITIAL)) return *why = "writes of a key's initial value", false;
    bool is_zero = is_name || initial == 0;  // a name is written as 0, if no other value of the key is
    if ((uses & READS_INITIAL) && (!is_zero || (uses & (READS_ZERO | WRITES_ZERO))))
        return *why = "initial values other than 0", false;
    if ((uses & READS_ZERO) && !(uses & WRITES_ZERO)) return *why = "initial values other than 0", false;
    return true;
}

static bool values_are_plain(const recorded *h, const char **why) {
    uint8_t *uses = mem_zero((size_t)names_count(&h->keys) + 1, 1);
    bool good = true;
    for (uint32_t i = 0; good && i < h->op_key.len; i++) good = foreign_note_value(h, i, uses, why);
    for (uint32_t k = 0; good && k < names_count(&h->keys); k++) good = key_is_plain(h, k, uses[k], why);
    free(uses);
    return good;
}

bool foreign_is_registers(const recorded *h, const char **why) {
    for (uint32_t i = 0; i < h->op_key.len; i++)
        if (recorded_kind(h, i) == OP_APPEND || recorded_kind(h, i) == OP_READ_LIST) return *why = "lists", false;
    if (!all_numbers(&h->keys)) return *why = "names that are not numbers", false;
    return true;
}

bool foreign_is_plain(const recorded *h, const char **why) {
    return foreign_is_registers(h, why) && values_are_plain(h, why);
}

bool foreign_all_committed(const recorded *h, const char **why) {
    for (uint32_t t = 0; t < h->txs.len; t++)
        if (h->txs.data[t].outcome != TX_COMMITTED) return *why = "transactions that did not commit", false;
    for (uint32_t t = 0; t < h->txs.len; t++)
        if (!h->txs.data[t].count) return *why = "transactions without operations", false;
    return true;
}

uint64_t foreign_op_value(const recorded *h, uint32_t op) {
    return foreign_name_number(&h->values, h->op_value.data[op]);
}

uint64_t *foreign_session_numbers(const recorded *h) {
    uint32_t n = names_count(&h->sessions);
    bool are_numbers = all_numbers(&h->sessions);
    uint64_t *out = mem_alloc(((size_t)n + 1) * sizeof *out);
    for (uint32_t s = 0; s < n; s++) out[s] = are_numbers ? foreign_name_number(&h->sessions, s) : s + 1;
    return out;
}

uint32_t *foreign_by_session(const recorded *h) {
    uint32_t nsessions = names_count(&h->sessions), n = h->txs.len;
    uint32_t *at = mem_zero((size_t)nsessions + 1, sizeof *at), *out = mem_alloc(((size_t)n + 1) * sizeof *out);
    for (uint32_t t = 0; t < n; t++) at[h->txs.data[t].session + 1]++;
    for (uint32_t s = 0; s < nsessions; s++) at[s + 1] += at[s];
    for (uint32_t t = 0; t < n; t++) out[at[h->txs.data[t].session]++] = t;
    free(at);
    return out;
}
