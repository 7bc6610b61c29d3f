// SPDX-License-Identifier: Apache-2.0
// models/specs/strict_serializability_nt.pv against the definition: on all words up to a length and on
// random ones.
//
// The definition is that of oracle/serial.h, after two replacements: an access outside transactions becomes
// the access and a commit, and an open becomes a read of a location that nobody writes. Besides, every read
// returns what its transaction wrote last, else what was committed last, found by looking back through the
// word.
#include "oracle/unit.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "oracle/serial.h"
#include "oracle/spec_run.h"

enum { KINDS = 7, LONGEST = 14 };

typedef enum { OPEN, READ, WRITE, COMMIT, ABORT, NT_READ, NT_WRITE } kind;

static const char *const kind_names[KINDS] = {
    "open", "read", "write", "commit", "abort", "nt_read", "nt_write",
};

typedef struct {
    kind k;
    value client, loc, val;
} letter;

typedef struct {
    letter at[LONGEST];
    uint32_t len;
} letters;

static bool has_loc(kind k) { return k == READ || k == WRITE || k >= NT_READ; }

static bool ends(kind k) { return k == COMMIT || k == ABORT || k >= NT_READ; }

// ---- the definition

static bool is_live(const letters *w, uint32_t end, value client) {
    for (uint32_t i = end; i-- > 0;)
        if (w->at[i].client == client) return !ends(w->at[i].k);
    return false;
}

// The commit of the transaction that letter i belongs to; w->len when there is none.
static uint32_t commit_of(const letters *w, uint32_t i) {
    for (uint32_t j = i; j < w->len; j++)
        if (w->at[j].client == w->at[i].client && ends(w->at[j].k)) return w->at[j].k == ABORT ? w->len : j;
    return w->len;
}

static bool writes_loc(letter a, value loc) { return (a.k == WRITE || a.k == NT_WRITE) && a.loc == loc; }

// Does letter i write loc in the transaction that `client` has at letter `end`?
static bool is_own_write(const letters *w, uint32_t i, uint32_t end, value client, value loc) {
    if (w->at[i].client != client || !writes_loc(w->at[i], loc)) return false;
    for (uint32_t j = i; j < end; j++)
        if (w->at[j].client == client && ends(w->at[j].k)) return false;
    return true;
}

static value read_at(const letters *w, uint32_t end, value client, value loc) {
    for (uint32_t i = end; i-- > 0;)
        if (is_own_write(w, i, end, client, loc)) return w->at[i].val;
    value found = 0;
    uint32_t latest = 0;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t c = writes_loc(w->at[i], loc) ? commit_of(w, i) : w->len;
        if (c < end && c >= latest) latest = c, found = w->at[i].val;
    }
    return found;
}

static bool values_right(const letters *w) {
    for (uint32_t i = 0; i < w->len; i++) {
        letter a = w->at[i];
        if ((a.k == READ || a.k == NT_READ) && a.val != read_at(w, i, a.client, a.loc)) return false;
        if ((a.k == OPEN || a.k >= NT_READ) && is_live(w, i, a.client)) return false;
    }
    return true;
}

static void add_step(word *out, step_kind k, value client, value loc) {
    out->at[out->len++] = (step){k, (uint32_t)client, (uint32_t)loc};
}

static void plain_word(const letters *w, word *out) {
    out->len = 0;
    for (uint32_t i = 0; i < w->len; i++) {
        letter a = w->at[i];
        if (a.k == OPEN) add_step(out, STEP_READ, a.client, 99);
        if (a.k == READ || a.k == NT_READ) add_step(out, STEP_READ, a.client, a.loc);
        if (a.k == WRITE || a.k == NT_WRITE) add_step(out, STEP_WRITE, a.client, a.loc);
        if (a.k == ABORT) add_step(out, STEP_ABORT, a.client, 0);
        if (a.k == COMMIT || a.k >= NT_READ) add_step(out, STEP_COMMIT, a.client, 0);
    }
}

static bool is_right(const letters *w) {
    word plain;
    plain_word(w, &plain);
    return values_right(w) && serial_is_strict(&plain);
}

// ---- the specification

typedef struct {
    spec_run run;
    uint32_t clients, locs, values, longest;
    uint64_t words, refused;
} subject;

static subject subject_open(uint32_t clients, uint32_t locs, uint32_t values, uint32_t longest) {
    subject x = {.clients = clients, .locs = locs, .values = values, .longest = longest};
    const uint32_t sizes[] = {clients, locs, values};
    spec_run_open(&x.run, "models/specs/strict_serializability_nt.pv", NULL, sizes, kind_names, KINDS, LONGEST);
    return x;
}

static void subject_close(subject *x) { spec_run_close(&x->run); }

// Reads letter i, when those before it have been read; false when it is refused.
static bool subject_step(subject *x, const letters *w, uint32_t i) {
    letter a = w->at[i];
    return spec_run_step(&x->run, i, a.k, (const value[]){a.client, a.loc, a.val});
}

static bool agrees(subject *x, const letters *w) {
    bool accepted = subject_step(x, w, w->len - 1);
    x->words++;
    x->refused += !accepted;
    if (accepted == is_right(w)) return accepted;
    for (uint32_t i = 0; i < w->len; i++)
        print_message("%s(%d,%d,%d) ", kind_names[w->at[i].k], w->at[i].client, w->at[i].loc, w->at[i].val);
    fail_msg("%s", accepted ? "accepted" : "refused");
    return false;
}

// ---- words

static void extend(subject *x, letters *w);

static void try_letter(subject *x, letters *w, letter a) {
    w->at[w->len++] = a;
    if (agrees(x, w) && w->len < x->longest) extend(x, w);
    w->len--;
}

static void extend(subject *x, letters *w) {
    for (uint32_t n = 0; n < KINDS * x->clients * x->locs * x->values; n++) {
        letter a = {(kind)(n % KINDS), (value)(n / KINDS % x->clients), (value)(n / KINDS / x->clients % x->locs),
                    (value)(n / KINDS / x->clients / x->locs)};
        if (has_loc(a.k) || (!a.loc && !a.val)) try_letter(x, w, a);
    }
}

static void all_words_of(uint32_t clients, uint32_t locs, uint32_t values, uint32_t longest) {
    subject x = subject_open(clients, locs, values, longest);
    letters w = {.len = 0};
    extend(&x, &w);
    assert_true(x.refused > 0);
    subject_close(&x);
}

static void all_words(void **state) {
    (void)state;
    uint32_t more = getenv("PARVIS_LONG") != NULL;
    all_words_of(2, 1, 1, 6 + more);
    all_words_of(2, 1, 2, 5 + more);
    all_words_of(2, 2, 1, 5 + more);
    all_words_of(3, 1, 1, 5 + more);
}

static letter random_letter(const subject *x, rng *r) {
    kind k = (kind)rng_below(r, KINDS);
    if (ends(k) && rng_below(r, 2)) k = rng_below(r, 2) ? READ : WRITE;
    letter a = {k, (value)rng_below(r, x->clients), 0, 0};
    if (has_loc(k)) a.loc = (value)rng_below(r, x->locs), a.val = (value)rng_below(r, x->values);
    return a;
}

// Reads return the right value, so that words grow long; others are met among all words.
static void random_word(subject *x, rng *r) {
    letters w = {.len = 0};
    bool accepted = true;
    while (accepted && w.len < x->longest) {
        letter a = random_letter(x, r);
        if (a.k == READ || a.k == NT_READ) a.val = read_at(&w, w.len, a.client, a.loc);
        w.at[w.len++] = a;
        accepted = agrees(x, &w);
        if (accepted || (a.k != OPEN && a.k < NT_READ)) continue;
        w.len--;  // opened twice, or inside a transaction: says nothing, try another letter
        accepted = true;
    }
}

static void random_words(void **state) {
    (void)state;
    uint32_t count = getenv("PARVIS_LONG") ? 50000 : 3000;
    for (uint32_t clients = 2; clients <= 4; clients++) {
        subject x = subject_open(clients, 3, 2, LONGEST);
        rng r = {clients};
        for (uint32_t i = 0; i < count; i++) random_word(&x, &r);
        assert_true(x.refused > 100);
        subject_close(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_words),
        cmocka_unit_test(random_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
