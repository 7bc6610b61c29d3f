// SPDX-License-Identifier: Apache-2.0
// The claim of section 3 of Cohen, Pnueli and Zuck (CAV 2008): the specification made from a set of
// admissible interchanges (src/history/spec.h) allows a history iff it is serializable with respect to the
// set by the definition (oracle/naive_history.h). For every set of the library, on all well-formed
// histories up to a length and on random longer ones. The specification is run by the reference evaluator.
#include "oracle/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "front/ix/ix.h"
#include "history/spec.h"
#include "oracle/naive_history.h"
#include "oracle/spec_run.h"

typedef struct {
    diag *messages;
    arena *memory;
    interchange x;
    spec_run run;
    uint32_t sizes[PAST_SORTS];
    uint32_t longest;
    uint64_t words, refused;
} subject;

static subject subject_open(const char *set, uint32_t clients, uint32_t addresses, uint32_t longest) {
    subject s = {.sizes = {clients, addresses, 2}, .longest = longest};
    const char *names[EVENT_KINDS];
    str path = {0};
    for (uint32_t k = 0; k < EVENT_KINDS; k++) names[k] = event_kind_name((event_kind)k);
    s.messages = diag_new();
    s.memory = arena_new();
    interchange_begin(&s.x, s.memory);
    assert_true(ix_load(&s.x, s.messages, set));
    str_printf(&path, "models/interchange/%s.ix", set);
    spec_run_open(&s.run, str_get(&path), &(pv_options){0}, s.sizes, names, EVENT_KINDS, NAIVE_LONGEST);
    str_free(&path);
    return s;
}

static void subject_close(subject *s) {
    spec_run_close(&s->run);
    diag_free(s->messages);
    interchange_free(&s->x);
    arena_free(s->memory);
}

static bool subject_step(subject *s, const naive_sequence *w) {
    event e = w->at[w->len - 1];
    const value args[] = {(value)e.client, (value)e.address, (value)e.value};
    return spec_run_step(&s->run, w->len - 1, e.kind, args);
}

static void disagree(const naive_sequence *w, bool accepted) {
    for (uint32_t i = 0; i < w->len; i++)
        print_message("%s(%u,%u,%u) ", event_kind_name(w->at[i].kind), w->at[i].client, w->at[i].address,
                      w->at[i].value);
    fail_msg("%s, against the definition", accepted ? "allowed" : "refused");
}

// Only a commit or an access outside transactions can be refused: what is purified away says nothing.
static bool agrees_on_last(subject *s, const naive_sequence *w) {
    event_kind k = w->at[w->len - 1].kind;
    bool accepted = subject_step(s, w), expected = true;
    s->words++;
    if (k == EVENT_COMMIT || k >= EVENT_NT_READ) {
        naive_sequence pure;
        naive_purify(w->at, w->len, &pure);
        expected = naive_is_serializable(&s->x, s->sizes, &pure);
    }
    s->refused += !accepted;
    if (accepted != expected) disagree(w, accepted);
    return accepted;
}

// ---- all histories

static bool in_transaction(const naive_sequence *w, uint32_t client) {
    for (uint32_t i = w->len; i-- > 0;)
        if (w->at[i].client == client) return w->at[i].kind < EVENT_COMMIT;
    return false;
}

static bool well_formed(const naive_sequence *w, event e) {
    bool inside = in_transaction(w, e.client);
    if (inside == (e.kind == EVENT_OPEN || e.kind >= EVENT_NT_READ)) return false;
    for (uint32_t i = w->len; e.kind == EVENT_READ && i-- > 0;) {
        event b = w->at[i];
        if (b.client != e.client) continue;
        if (b.kind == EVENT_OPEN) break;
        if (b.kind == EVENT_WRITE && b.address == e.address) return b.value == e.value;
    }
    return true;
}

// Clients and addresses come in order: others are the same but for names.
static bool is_first_of_its_kind(const naive_sequence *w, event e) {
    uint32_t clients = 0, addresses = 0;
    for (uint32_t i = 0; i < w->len; i++) {
        if (w->at[i].client + 1 > clients) clients = w->at[i].client + 1;
        if (event_is_access(w->at[i].kind) && w->at[i].address + 1 > addresses) addresses = w->at[i].address + 1;
    }
    return e.client <= clients && e.address <= addresses;
}

static void extend(subject *s, naive_sequence *w);

static void try_event(subject *s, naive_sequence *w, event e) {
    if (!well_formed(w, e) || !is_first_of_its_kind(w, e)) return;
    w->at[w->len++] = e;
    if (agrees_on_last(s, w) && w->len < s->longest) extend(s, w);
    w->len--;
}

static void extend(subject *s, naive_sequence *w) {
    for (uint32_t k = 0; k < EVENT_KINDS; k++)
        for (uint32_t c = 0; c < s->sizes[PAST_CLIENT]; c++) {
            if (!event_is_access((event_kind)k)) {
                try_event(s, w, (event){.kind = (event_kind)k, .client = c});
                continue;
            }
            for (uint32_t n = 0; n < s->sizes[PAST_ADDRESS] * s->sizes[PAST_VALUE]; n++)
                try_event(s, w, (event){(event_kind)k, c, n / s->sizes[PAST_VALUE], n % s->sizes[PAST_VALUE], 0, 0});
        }
}

static void all_histories_of(const char *set, uint32_t addresses, uint32_t longest) {
    subject s = subject_open(set, 2, addresses, longest);
    naive_sequence w = {.len = 0};
    extend(&s, &w);
    assert_true(s.refused > 0);
    print_message("# %s: %u addresses, up to %u events: %llu histories, %llu refused\n", set, addresses, longest,
                  (unsigned long long)s.words, (unsigned long long)s.refused);
    subject_close(&s);
}

static void all_histories(void **state) {
    (void)state;
    uint32_t more = getenv("PARVIS_LONG") != NULL;
    const char *names[IX_LIBRARY_MOST];
    uint32_t n = ix_library_names(names);
    for (uint32_t i = 0; i < n; i++) {
        all_histories_of(names[i], 1, 5 + more);
        all_histories_of(names[i], 2, 4 + more);
    }
}

// ---- random ones

enum { MOST_PURE = 11 };

static void random_histories_of(const char *set, uint32_t clients, uint32_t count) {
    subject s = subject_open(set, clients, 2, NAIVE_LONGEST);
    for (uint32_t i = 0; i < count; i++) {
        naive_sequence w, pure;
        naive_history_random(77 * i + clients, s.sizes, 12, &w);
        for (uint32_t len = 1, accepted = 1; accepted && len <= 12; len++) {
            naive_sequence prefix = w;
            prefix.len = len;
            naive_purify(prefix.at, len, &pure);
            accepted = pure.len <= MOST_PURE && agrees_on_last(&s, &prefix);
        }
    }
    assert_true(s.refused > count / 20);
    subject_close(&s);
}

static void random_histories(void **state) {
    (void)state;
    const char *names[IX_LIBRARY_MOST];
    uint32_t n = ix_library_names(names), count = getenv("PARVIS_LONG") ? 20000 : 1000;
    for (uint32_t i = 0; i < n; i++) {
        random_histories_of(names[i], 2, count);
        random_histories_of(names[i], 3, count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_histories),
        cmocka_unit_test(random_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
