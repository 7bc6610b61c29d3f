// SPDX-License-Identifier: Apache-2.0
// A bank: transfers between two accounts, and audits that read them all. Words: the balance of each account.
#include "program.h"

enum { START = 1000 };

static uint32_t bank_words(uint32_t size, uint32_t threads) {
    (void)threads;
    return size;
}

static void bank_set_up(tl2_thread *t, void *context) {
    const work *w = context;
    for (uint32_t i = 0; i < w->size; i++) tl2_write(t, i, START);
}

static uint64_t total(tl2_thread *t, uint32_t size) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < size; i++) sum += tl2_read(t, i);
    return sum;
}

static void transfer(tl2_thread *t, uint32_t from, uint32_t to) {
    uint32_t left = tl2_read(t, from), right = tl2_read(t, to);
    if (from == to || left == 0) return;
    tl2_write(t, from, left - 1);
    tl2_write(t, to, right + 1);
}

static void bank_step(tl2_thread *t, void *context) {
    const work *w = context;
    if (w->choice < 10) (void)total(t, w->size);
    else transfer(t, w->key, w->other);
}

static void bank_look(tl2_thread *t, void *context) {
    const work *w = context;
    uint64_t sum = total(t, w->size), due = (uint64_t)w->size * START;
    if (sum != due)
        snprintf(w->why, 200, "the total is %llu, not %llu", (unsigned long long)sum, (unsigned long long)due);
}

int main(int argc, char **argv) {
    static const program bank = {"bank", bank_words, bank_set_up, bank_step, bank_look};
    return program_main(&bank, argc, argv);
}
