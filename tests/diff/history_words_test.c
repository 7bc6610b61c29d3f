// SPDX-License-Identifier: Apache-2.0
// Recorded histories against the specification automata of models/specs: a word of statements, made a history of
// instants, is strict or opaque iff the automaton accepts it. Writes are appends to lists, and at the end somebody
// reads all lists, so that the history says what the word says: which commits came first. A read of what its own
// transaction wrote says nothing and is left out. An automaton accepts a word iff all its beginnings are right, so
// these are compared.
#include "oracle/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "history/level_check.h"
#include "oracle/part.h"
#include "oracle/word_spec.h"
#include "oracle/words.h"

enum { THREADS = 5, LOCS = 3, LONGEST = 24 };

// ---- a word as a history

typedef struct {
    recording *r;
    recording_tx tx[THREADS];  // RECORDING_NONE: none is open
    uint32_t pending[THREADS][LOCS][LONGEST], npending[THREADS][LOCS];
    uint32_t lists[LOCS];  // committed
    uint32_t next;
} wording;

static recording_tx tx_of(wording *x, uint32_t thread, uint64_t now) {
    if (x->tx[thread] == RECORDING_NONE)
        x->tx[thread] = recording_open(x->r, recording_session_number(x->r, thread), now, 0);
    return x->tx[thread];
}

static void record_access(wording *x, const step *s, recording_tx t, uint64_t now) {
    uint32_t key = recording_key_number(x->r, s->loc), *n = &x->npending[s->thread][s->loc];
    if (s->kind == STEP_WRITE) {
        uint32_t element = recording_value_number(x->r, ++x->next);
        recording_op(x->r, t, OP_APPEND, key, element, now, now, 0);
        x->pending[s->thread][s->loc][(*n)++] = element;
    } else if (!*n) {
        recording_op(x->r, t, OP_READ_LIST, key, x->lists[s->loc], now, now, 0);
    }
}

static void record_end(wording *x, const step *s, recording_tx t, uint64_t now) {
    for (uint32_t l = 0; l < LOCS; l++) {
        for (uint32_t i = 0; s->kind == STEP_COMMIT && i < x->npending[s->thread][l]; i++)
            x->lists[l] = recording_list(x->r, x->lists[l], x->pending[s->thread][l][i]);
        x->npending[s->thread][l] = 0;
    }
    if (s->kind == STEP_COMMIT) recording_committed(x->r, t, now, now);
    else recording_aborted(x->r, t, now);
    x->tx[s->thread] = RECORDING_NONE;
}

static void record_word(const word *w, uint32_t len, recorded *h, diag *messages) {
    wording x = {0};
    recorded_begin(h);
    x.r = recording_begin(h, messages);
    recording_times(x.r, TIMES_INSTANTS);
    for (uint32_t t = 0; t < THREADS; t++) x.tx[t] = RECORDING_NONE;
    for (uint32_t i = 0; i < len; i++) {
        const step *s = &w->at[i];
        recording_tx t = tx_of(&x, s->thread, i + 1);
        if (s->kind == STEP_READ || s->kind == STEP_WRITE) record_access(&x, s, t, i + 1);
        else record_end(&x, s, t, i + 1);
    }
    recording_tx last = recording_open(x.r, recording_session_number(x.r, THREADS), len + 1, 0);
    for (uint32_t l = 0; l < LOCS; l++)
        recording_op(x.r, last, OP_READ_LIST, recording_key_number(x.r, l), x.lists[l], len + 2, len + 2, 0);
    recording_committed(x.r, last, len + 3, len + 3);
    assert_true(recording_end(x.r));
}

static bool has_level(const word *w, uint32_t len, level l) {
    diag *messages = diag_new();
    recorded h;
    level_answer a;
    record_word(w, len, &h, messages);
    level_check(&h, l, NULL, &a);
    assert_true(a.verdict != ORDER_UNKNOWN);
    bool holds = a.verdict == ORDER_YES;
    level_answer_free(&a);
    recorded_free(&h);
    diag_free(messages);
    return holds;
}

// How long a beginning is right, with all that are shorter.
static uint32_t right_for(const word *w, level l) {
    uint32_t n = 0;
    while (n < w->len && has_level(w, n + 1, l)) n++;
    return n;
}

static void agree(const char *file, const char *system, level l, uint64_t seed) {
    rng r = {part_seed(seed)};
    uint32_t count = (uint32_t)part_rounds(1500, 100000), wrong = 0, refused = 0;
    word_spec a;
    word_spec_open(&a, file, NULL, system, THREADS, LOCS);
    for (uint32_t i = 0; i < count && wrong < 3; i++) {
        word w;
        words_random(&r, 2 + rng_below(&r, THREADS - 1), 1 + rng_below(&r, LOCS), 8 + rng_below(&r, LONGEST - 8), &w);
        uint32_t expected = word_spec_read(&a, &w), found = right_for(&w, l);
        refused += expected < w.len;
        if (expected == found) continue;
        str text = {0};
        words_print(&w, &text);
        print_message("# %s: the automaton accepts %u statements of %s, the checker %u\n", level_name(l), expected,
                      str_get(&text), found);
        str_free(&text);
        wrong++;
    }
    printf("# tally: words against the automaton of %s | %u cases | %u wrong\n", system, count, wrong);
    printf("# %u of them are refused\n", refused);
    assert_true(refused > count / 40 && refused < count);
    assert_int_equal(wrong, 0);
    word_spec_close(&a);
}

static void strict(void **state) {
    (void)state;
    agree("strict_serializability", "StrictSerializability", LEVEL_STRICT, 31);
}

static void opaque(void **state) {
    (void)state;
    agree("opacity", "Opacity", LEVEL_OPAQUE, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strict), cmocka_unit_test(opaque)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
