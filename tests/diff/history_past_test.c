// SPDX-License-Identifier: Apache-2.0
// Past temporal logic judged as a sequence grows (src/history/past.c) against the textbook definition, on
// random formulas and random sequences of events.
#include "oracle/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "front/ix/ix.h"
#include "oracle/naive_history.h"
#include "oracle/past_print.h"

enum { LENGTH = 12 };

static const uint32_t sizes[PAST_SORTS] = {2, 2, 2};

static uint8_t random_var(rng *r, const past *f, past_sort sort) {
    uint32_t v = rng_below(r, f->nvars + 1);
    return v < f->nvars && f->sorts[v] == sort ? (uint8_t)v : PAST_ANY;
}

static past_node random_event_node(rng *r, const past *f) {
    static const uint8_t kinds[] = {1 << EVENT_OPEN,
                                    1 << EVENT_READ,
                                    1 << EVENT_WRITE,
                                    1 << EVENT_COMMIT,
                                    0x1F,
                                    1 << EVENT_READ | 1 << EVENT_WRITE};
    past_node n = {.kind = PAST_EVENT, .kinds = kinds[rng_below(r, 6)]};
    bool has_address = !(n.kinds & ~(1 << EVENT_READ | 1 << EVENT_WRITE));
    for (uint32_t s = 0; s < PAST_SORTS; s++)
        n.var[s] = s == PAST_CLIENT || has_address ? random_var(r, f, (past_sort)s) : PAST_ANY;
    return n;
}

// Arguments are any nodes before this one, the newest twice as likely.
static uint8_t random_argument(rng *r, const past *f) {
    return (uint8_t)(rng_below(r, 2) ? f->nnodes - 1 : rng_below(r, f->nnodes));
}

static past_node random_node(rng *r, const past *f) {
    if (f->nnodes < 2 || rng_below(r, 4) == 0) return random_event_node(r, f);
    past_node n = {.kind = (past_kind)(PAST_NOT + rng_below(r, PAST_SINCE - PAST_NOT + 1))};
    if (rng_below(r, 12) == 0) n = (past_node){.kind = PAST_SAME, .var = {0, 1}};
    n.left = random_argument(r, f);
    n.right = random_argument(r, f);
    return n;
}

static void random_formula(rng *r, past *f) {
    *f = (past){
        .nvars = 4, .sorts = {PAST_CLIENT, PAST_CLIENT, PAST_ADDRESS, PAST_VALUE}, .names = {"p", "q", "x", "u"}};
    uint32_t n = 3 + rng_below(r, 8);
    while (f->nnodes < n) {
        past_node node = random_node(r, f);
        f->nodes[f->nnodes++] = node;
    }
}

static event random_event(rng *r) {
    event e = {.kind = (event_kind)rng_below(r, EVENT_NT_READ), .client = rng_below(r, 2)};
    if (e.kind == EVENT_READ || e.kind == EVENT_WRITE) e.address = rng_below(r, 2), e.value = rng_below(r, 2);
    return e;
}

static void disagree(const past *f, uint32_t len, bool incremental) {
    str text = {0};
    past_print(f, &text);
    fail_msg("after %u events '%s' is %s when judged step by step", len, str_get(&text),
             incremental ? "true" : "false");
}

static void agrees_on_every_prefix(void **state) {
    (void)state;
    rng r = {7};
    uint32_t count = getenv("PARVIS_LONG") ? 50000 : 3000, held = 0, judged = 0;
    for (uint32_t i = 0; i < count; i++) {
        past f;
        past_run run;
        event events[LENGTH];
        random_formula(&r, &f);
        assert_true(past_begin(&run, &f, sizes));
        for (uint32_t k = 0; k < LENGTH; k++) {
            events[k] = random_event(&r);
            bool now = past_step(&run, &events[k]);
            if (now != naive_past_holds(&f, sizes, events, k + 1)) disagree(&f, k + 1, now);
            held += now;
            judged++;
        }
        past_end(&run);
    }
    assert_true(held > judged / 10 && held < judged - judged / 10);
}

// A printed formula reads back to one that says the same.
static void printing_reads_back(void **state) {
    (void)state;
    rng r = {8};
    for (uint32_t i = 0; i < 500; i++) {
        past f;
        str text = {0};
        diag *messages = diag_new();
        arena *memory = arena_new();
        interchange x;
        random_formula(&r, &f);
        str_add(&text, "interchange i forbid r: ");
        past_print(&f, &text);
        interchange_begin(&x, memory);
        if (ix_parse(&x, messages, "printed", str_get(&text), text.len)) {
            str again = {0};
            past_print(&x.rules.data[0]->formula, &again);
            assert_string_equal(str_get(&again), text.text + strlen("interchange i forbid r: "));
            str_free(&again);
        } else {
            str why = {0};
            diag_print(messages, &why, false);
            bool is_known = strstr(str_get(&why), "too large") || strstr(str_get(&why), "not occur in any event");
            if (!is_known) fail_msg("%s", str_get(&why));
            str_free(&why);
        }
        interchange_free(&x);
        diag_free(messages);
        arena_free(memory);
        str_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_every_prefix),
        cmocka_unit_test(printing_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
