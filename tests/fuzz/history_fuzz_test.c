// SPDX-License-Identifier: Apache-2.0
// The parsers of histories (text and JSON) and of interchange specifications take any bytes: they end with
// a history or a set, which the engines then take, or with a message that can be printed. True texts are
// changed at random.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/ix/ix.h"
#include "history/brute.h"
#include "history/format.h"
#include "history/level_check.h"
#include "history/serialize.h"
#include "oracle/part.h"
#include "oracle/past_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char history_text[] =
    "// two clients\ninitial 0; initial y = 5\nopen(1) read(1,x,0) write(1,y,7) # comment\nopen(2) "
    "read(2,y,5)\n"
    "commit(2) nt_write(2,x,-1)\nabort(1) nt_read(1,x,-1) open(a.b) commit(a.b)\n";

static const char history_object[] =
    "{\"initial\": 0, \"initial_at\": {\"y\": 5}, \"events\": [{\"event\": \"open\", \"client\": 1},\n"
    "{\"event\": \"read\", \"client\": 1, \"address\": \"x\", \"value\": 0}, {\"event\": \"commit\", "
    "\"client\": 1},\n"
    "{\"event\": \"nt_write\", \"client\": \"2\", \"address\": 3, \"value\": \"v\"}]}";

static const char set_text[] =
    "// a set\ninterchange mine\nuse structural\nuse lazy_invalidation\n"
    "forbid a: p != q & commit(q) & previously (read(p, x, _) & !commit(q) since write(q, x))\n"
    "forbid b: once (open(p) -> historically !access(p)) | false & (close(p) or x = y & read(p, x) and "
    "write(_, y))\n";

static const char *const pieces[] = {"(",
                                     ")",
                                     ",",
                                     "open(1)",
                                     "since",
                                     "previously ",
                                     "!",
                                     "&",
                                     "forbid z: ",
                                     "use ",
                                     "eventually",
                                     "\"",
                                     "{",
                                     "[",
                                     "}",
                                     "\x80\xff",
                                     "initial",
                                     "=",
                                     "x",
                                     "0",
                                     "-> ",
                                     "interchange ",
                                     "mixed_invalidation",
                                     "((((((((",
                                     "//",
                                     "@12..",
                                     "@7",
                                     "..31",
                                     "commit_call(1)",
                                     "left(2)",
                                     "append(1,l,4)",
                                     "[3 4]",
                                     "untimed ",
                                     "read(2,x,1)",
                                     "99999999999999999999",
                                     "once once once "};

static void mutate(rng *r, const char *from, str *out) {
    str_clear(out);
    str_add(out, from);
    for (uint32_t i = rng_below(r, 4) + 1; i > 0; i--) {
        size_t at = rng_below(r, (uint32_t)out->len + 1), cut = rng_below(r, 3) ? 0 : rng_below(r, 8);
        if (cut > out->len - at) cut = out->len - at;
        str next = {0};
        str_addn(&next, str_get(out), at);
        if (rng_below(r, 2)) str_add(&next, pieces[rng_below(r, sizeof pieces / sizeof *pieces)]);
        else if (rng_below(r, 2)) str_char(&next, (char)rng_below(r, 256));
        str_addn(&next, out->text + at + cut, out->len - at - cut);
        str_free(out);
        *out = next;
    }
}

static void messages_print(diag *d, bool good) {
    str text = {0};
    diag_print(d, &text, false);
    assert_true(good || text.len > 0);
    str_free(&text);
    diag_free(d);
}

static void take_history(history *h, diag *d, const interchange *x) {
    const serialize_limits allowed = {.most_sequences = 20, .most_swaps = 10};
    history_counts counts;
    serialization s = {0};
    history_answer formed = history_is_well_formed(h, d, &counts), atomic = {.holds = true};
    if (formed.holds) {
        atomic = history_is_atomic(h, d);
        serialize(h, d, x, &allowed, &s);
    }
    str_free(&formed.why);
    str_free(&atomic.why);
    serialization_free(&s);
}

typedef bool (*history_reader)(history *h, diag *d, const char *path, const char *text, size_t size);

static void fuzz_history(const char *what, const char *from, history_reader read) {
    rng r = {part_seed(3)};
    uint32_t count = (uint32_t)part_rounds(4000, 1000000), read_well = 0;
    arena *memory = arena_new();
    diag *quiet = diag_new();
    interchange x;
    str text = {0};
    interchange_begin(&x, memory);
    assert_true(ix_load(&x, quiet, "lazy_invalidation"));
    for (uint32_t i = 0; i < count; i++) {
        history h;
        diag *d = diag_new();
        mutate(&r, from, &text);
        history_begin(&h);
        bool good = read(&h, d, "fuzz", str_get(&text), text.len);
        if (good) take_history(&h, d, &x);
        read_well += good;
        history_free(&h);
        messages_print(d, good);
    }
    printf("# tally: damaged histories as %s | %u cases | 0 wrong\n", what, count);
    assert_true(read_well > 0 && read_well < count);
    str_free(&text);
    interchange_free(&x);
    diag_free(quiet);
    arena_free(memory);
}

static void histories_as_text(void **state) {
    (void)state;
    fuzz_history("text", history_text, history_read_text);
}

static void histories_as_json(void **state) {
    (void)state;
    fuzz_history("JSON", history_object, history_read_json);
}

// ---- recorded histories: what is read is checked at every level, and small ones are tried out

static const char recorded_text[] =
    "initial 0 initial y = 5\nopen(1)@10..12 read(1,x,0)@13..14 write(1,y,7)@15 commit(1)@16..20\n"
    "open(2)@11..12 read(2,\"y\",5)@13..19 append(2,l,3)@20..21 commit(2)@22.. \n"
    "open(3)@14 read(3,l,[3])@23..24 left(3)@25 open(3)@26 write(3,x,1)@27..28 abort(3)@29..30\n"
    "nt_read(4,y,7)@31..32\n";

static const char instants_text[] =
    "open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit_call(1) read(2,y,1) commit(1) abort(2)\n"
    "open(1) read(1,x,1) commit_call(1) left(1) nt_write(3,x,2) open(2) read(2,x,2) commit(2)\n";

static const char recorded_object[] =
    "{\"initial\": 0, \"events\": [{\"event\": \"open\", \"client\": 1, \"time\": 3},\n"
    "{\"event\": \"read\", \"client\": 1, \"address\": \"l\", \"value\": [1, 2], \"call\": 4, \"answer\": 5},\n"
    "{\"event\": \"commit\", \"client\": 1, \"call\": 6}]}";

static void take_level(const recorded *h, level l) {
    level_answer a;
    if (level_needs_times(l) && !h->has_times) return;
    level_check(h, l, NULL, &a);
    brute_answer b = h->txs.len <= 6 && a.verdict != ORDER_UNKNOWN ? brute_check(h, l, 100000) : BRUTE_TOO_LARGE;
    assert_true(b == BRUTE_TOO_LARGE || (b == BRUTE_YES) == (a.verdict == ORDER_YES));
    level_answer_free(&a);
}

static void fuzz_recorded(const char *what, const char *name, const char *from, uint64_t seed) {
    rng r = {part_seed(seed)};
    uint32_t count = (uint32_t)part_rounds(3000, 300000), read_well = 0;
    str text = {0};
    for (uint32_t i = 0; i < count; i++) {
        recorded h;
        diag *d = diag_new();
        mutate(&r, from, &text);
        recorded_begin(&h);
        recording *x = recording_begin(&h, d);
        format_source source = {"fuzz", str_get(&text), text.len};
        bool good = format_find(name)->read(x, &source);
        good = recording_end(x) && good;
        for (uint32_t l = 0; good && l < LEVEL_COUNT; l++) take_level(&h, (level)l);
        read_well += good;
        recorded_free(&h);
        messages_print(d, good);
    }
    printf("# tally: damaged recordings as %s | %u cases | 0 wrong\n", what, count);
    assert_true(read_well > 0 && read_well < count);
    str_free(&text);
}

static void recordings(void **state) {
    (void)state;
    fuzz_recorded("text with times", "hist", recorded_text, 5);
    fuzz_recorded("text", "hist", instants_text, 6);
    fuzz_recorded("JSON", "json", recorded_object, 7);
}

static void take_set(const interchange *x) {
    shape_all_pairs(x);
    for (uint32_t i = 0; i < x->rules.len; i++) {
        const uint32_t sizes[PAST_SORTS] = {2, 2, 1};
        past_run run;
        str text = {0};
        event e = {.kind = EVENT_READ};
        assert_true(past_begin(&run, &x->rules.data[i]->formula, sizes));
        for (uint32_t k = 0; k < 3; k++) past_step(&run, &e);
        past_end(&run);
        past_print(&x->rules.data[i]->formula, &text);
        str_free(&text);
    }
}

static void sets(void **state) {
    (void)state;
    rng r = {part_seed(4)};
    uint32_t count = (uint32_t)part_rounds(4000, 1000000), read_well = 0;
    str text = {0};
    for (uint32_t i = 0; i < count; i++) {
        arena *memory = arena_new();
        diag *d = diag_new();
        interchange x;
        mutate(&r, set_text, &text);
        interchange_begin(&x, memory);
        bool good = ix_parse(&x, d, "fuzz", str_get(&text), text.len);
        if (good) take_set(&x);
        read_well += good;
        interchange_free(&x);
        messages_print(d, good);
        arena_free(memory);
    }
    printf("# tally: damaged .ix files | %u cases | 0 wrong\n", count);
    assert_true(read_well > 0 && read_well < count);
    str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_as_text),
        cmocka_unit_test(histories_as_json),
        cmocka_unit_test(recordings),
        cmocka_unit_test(sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
