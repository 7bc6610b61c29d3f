// SPDX-License-Identifier: Apache-2.0
// Serializability by interchanges: pairs in one pass, derivation by search, and the definition agree on
// random histories, for every set of the library; the search and the definition for sets that are no sets
// of pairs. The interchanges that are told are admissible and lead to the sequence that is told, which is
// atomic.
#include "oracle/unit.h"

#include <stdlib.h>
#include <string.h>

#include "front/ix/ix.h"
#include "history/serialize.h"
#include "oracle/naive_history.h"

typedef struct {
    diag *messages;
    arena *memory;
    interchange x;
} set;

static void set_open(set *s, const char *name, const char *text) {
    s->messages = diag_new();
    s->memory = arena_new();
    interchange_begin(&s->x, s->memory);
    assert_true(text ? ix_parse(&s->x, s->messages, name, text, strlen(text)) : ix_load(&s->x, s->messages, name));
}

static void set_close(set *s) {
    interchange_free(&s->x);
    diag_free(s->messages);
    arena_free(s->memory);
}

// The swaps, one by one, from the purified sequence.
static void check_way(const set *s, const uint32_t *sizes, naive_sequence p, const serialization *r) {
    assert_int_equal(r->nswaps, r->swaps.len);
    for (uint32_t k = 0; k < r->swaps.len; k++) {
        uint32_t i = r->swaps.data[k];
        event moved = p.at[i];
        assert_true(naive_may_swap(&s->x, sizes, &p, i));
        p.at[i] = p.at[i - 1];
        p.at[i - 1] = moved;
    }
    assert_int_equal(p.len, r->sequence.len);
    for (uint32_t i = 0; i < p.len; i++) assert_memory_equal(&p.at[i], &r->sequence.data[i].e, sizeof(event));
    assert_true(naive_is_atomic(&p));
}

static bool agree_on(const set *s, const uint32_t *sizes, const naive_sequence *events) {
    const serialize_limits allowed = {.most_swaps = 1000};
    naive_sequence pure;
    history h;
    purified p;
    history_counts counts;
    serialization by_pairs = {0}, by_search = {0};
    naive_as_history(events, sizes, &h);
    history_answer formed = history_is_well_formed(&h, s->messages, &counts);
    assert_true(formed.holds);
    naive_purify(events->at, events->len, &pure);
    bool expected = naive_is_serializable(&s->x, sizes, &pure);
    history_purify(&h, &p);
    serialize_by_search(&h, &s->x, &p, &allowed, &by_search);
    assert_int_equal(by_search.verdict == SERIALIZE_HOLDS, expected);
    if (expected) check_way(s, sizes, pure, &by_search);
    if (shape_all_pairs(&s->x)) {
        serialize_by_pairs(&h, s->messages, &s->x, &p, &allowed, &by_pairs);
        assert_int_equal(by_pairs.verdict == SERIALIZE_HOLDS, expected);
        if (expected) check_way(s, sizes, pure, &by_pairs);
        else assert_true(by_pairs.why.len > 0);
    }
    serialization_free(&by_pairs);
    serialization_free(&by_search);
    vec_free(&p.events);
    history_free(&h);
    return expected;
}

// Purified sequences of at most `most` events: the definition takes every order that can be derived.
static void agree_on_random(const char *name, const char *text, uint32_t most, uint32_t clients, uint32_t count) {
    const uint32_t sizes[PAST_SORTS] = {clients, 2, 2};
    uint32_t yes = 0;
    set s;
    set_open(&s, name, text);
    assert_int_equal(shape_all_pairs(&s.x), text == NULL);
    for (uint32_t i = 0; i < count; i++) {
        naive_sequence events, pure;
        naive_history_random(i + 1000 * clients, sizes, 4 + i % 6, &events);
        naive_purify(events.at, events.len, &pure);
        if (pure.len <= most) yes += agree_on(&s, sizes, &events);
    }
    assert_true(yes > count / 20 && yes < count);
    set_close(&s);
}

static void library(void **state) {
    (void)state;
    const char *names[IX_LIBRARY_MOST];
    uint32_t n = ix_library_names(names), count = getenv("PARVIS_LONG") ? 20000 : 1500;
    assert_int_equal(n, 5);
    for (uint32_t i = 0; i < n; i++) {
        agree_on_random(names[i], NULL, 11, 2, count);
        agree_on_random(names[i], NULL, 10, 3, count / 3);
    }
}

static void other_sets(void **state) {
    (void)state;
    static const char *const sets[] = {
        // commits may change places
        "interchange a forbid same: event(p) & previously event(p)"
        " forbid r: p != q & write(q, x) & previously read(p, x)",
        // once and historically
        "interchange b use structural forbid r: p != q & commit(q) & previously (read(p, x) & once write(q, "
        "x))",
        "interchange c use structural forbid r: p != q & open(q) & previously historically !write(p, x)",
        // values
        "interchange d use structural forbid r: p != q & read(p, x, u) & previously write(q, x, u)",
        // nothing is kept
        "interchange e forbid r: commit(p) & previously commit(q)",
    };
    for (uint32_t i = 0; i < sizeof sets / sizeof *sets; i++) agree_on_random("set", sets[i], 7, 2, 300);
}

static void long_searches_end_in_unknown(void **state) {
    (void)state;
    const uint32_t sizes[PAST_SORTS] = {3, 2, 2};
    const serialize_limits allowed = {.most_sequences = 10};
    history h;
    purified p;
    serialization r = {0};
    set s;
    set_open(&s, "set", "interchange a forbid same: event(p) & previously event(p)");
    naive_sequence events = {.len = 0};
    for (uint32_t c = 0; c < 3; c++) events.at[events.len++] = (event){.kind = EVENT_OPEN, .client = c};
    for (uint32_t c = 0; c < 3; c++) events.at[events.len++] = (event){.kind = EVENT_READ, .client = c, .value = 1};
    for (uint32_t c = 0; c < 3; c++) events.at[events.len++] = (event){.kind = EVENT_COMMIT, .client = c};
    naive_as_history(&events, sizes, &h);
    history_purify(&h, &p);
    serialize_by_search(&h, &s.x, &p, &allowed, &r);
    assert_int_equal(r.verdict, SERIALIZE_UNKNOWN);
    assert_string_equal(str_get(&r.why), "too many sequences can be derived");
    serialization_free(&r);
    vec_free(&p.events);
    history_free(&h);
    set_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library),
        cmocka_unit_test(other_sets),
        cmocka_unit_test(long_searches_end_in_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
