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

static bool name_is_number(const names *n, uint32_t name, uint64_t *out) {
    str text = {0};
    size_t pos = 0;
    names_add(n, name, &text);
    bool is = foreign_number(str_get(&text), text.len, &pos, out) && pos == text.len;
    str_free(&text);
    return is;
}

uint64_t foreign_name_number(const names *n, uint32_t name) {
    uint64_t number = 0;
    name_is_number(n, name, &number);
    return number;
}

static bool all_numbers(const names *n) {
    uint64_t number;
    for (uint32_t i = 0; i < names_count(n); i++)
        if (!name_is_number(n, i, &number)) return false;
    return true;
}

static bool all_begin_with_zero(const recorded *h) {
    for (uint32_t k = 0; k < names_count(&h->keys); k++)
        if (foreign_name_number(&h->values, recorded_initial(h, k)) != 0) return false;
    return true;
}

bool foreign_is_plain(const recorded *h, const char **why) {
    for (uint32_t i = 0; i < h->op_key.len; i++)
        if (recorded_kind(h, i) == OP_APPEND || recorded_kind(h, i) == OP_READ_LIST) return *why = "lists", false;
    if (!all_numbers(&h->sessions) || !all_numbers(&h->keys) || !all_numbers(&h->values))
        return *why = "names that are not numbers", false;
    if (!all_begin_with_zero(h)) return *why = "initial values other than 0", false;
    return true;
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
