// SPDX-License-Identifier: Apache-2.0
// Fuzzing the front end: mutations of the library's models, of the files with mistakes and of the language
// page. Whatever the bytes, reading ends without a crash; what is read prints, and its text reads and prints
// the same. The seed is fixed and the number of rounds too, so every run is the same; PARVIS_LONG=1: more.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pv/pv.h"
#include "model/print.h"
#include "oracle/part.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text;
    size_t size;
} sample;

static VEC(sample) samples;

static int add_sample(const char *path, const struct stat *st, int kind) {
    (void)st;
    if (kind != FTW_F || !(str_ends(path, ".pv") || str_ends(path, "language.md"))) return 0;
    sample s;
    s.text = str_read_file(path, &s.size);
    if (s.text) vec_push(&samples, s);
    return 0;
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const sample *)a)->text, ((const sample *)b)->text);
}

// In an order that does not depend on the file system.
static int load_samples(void **state) {
    (void)state;
    ftw("models", add_sample, 8);
    ftw("tests/golden/diag", add_sample, 8);
    ftw("doc", add_sample, 8);
    if (samples.len) qsort(samples.data, samples.len, sizeof *samples.data, by_text);
    return samples.len ? 0 : -1;
}

static int free_samples(void **state) {
    (void)state;
    for (uint32_t i = 0; i < samples.len; i++) free(samples.data[i].text);
    vec_free(&samples);
    return 0;
}

// ---- mutations

static size_t somewhere(rng *r, const str *s) { return s->len ? rng_below(r, (uint32_t)s->len) : 0; }

static void cut(str *s, size_t at, size_t n) {
    if (n > s->len - at) n = s->len - at;
    if (!n) return;
    memmove(s->text + at, s->text + at + n, s->len - at - n + 1);
    s->len -= n;
}

static void insert(str *s, size_t at, const char *text, size_t n) {
    str made = {0};
    str_addn(&made, str_get(s), at);
    str_addn(&made, text, n);
    str_addn(&made, str_get(s) + at, s->len - at);
    str_free(s);
    *s = made;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The extent of the word or single character at `at`.
static size_t token_at(const str *s, size_t at, size_t *begin) {
    *begin = at;
    if (at >= s->len) return 0;
    if (!is_word(s->text[at])) return 1;
    while (*begin > 0 && is_word(s->text[*begin - 1])) --*begin;
    size_t end = at;
    while (end < s->len && is_word(s->text[end])) end++;
    return end - *begin;
}

static void flip_byte(rng *r, str *s) {
    if (s->len) s->text[somewhere(r, s)] ^= (char)(1u << rng_below(r, 8));
}

static void set_byte(rng *r, str *s) {
    if (s->len) s->text[somewhere(r, s)] = (char)rng_below(r, 256);
}

static void drop_token(rng *r, str *s) {
    size_t begin, n = token_at(s, somewhere(r, s), &begin);
    cut(s, begin, n);
}

// A token of this text goes elsewhere in it, over another one.
static void splice_token(rng *r, str *s) {
    size_t from, to, n = token_at(s, somewhere(r, s), &from);
    char *copy = mem_alloc(n + 1);
    memcpy(copy, str_get(s) + from, n);
    size_t old = token_at(s, somewhere(r, s), &to);
    cut(s, to, old);
    insert(s, to, copy, n);
    free(copy);
}

static void insert_word(rng *r, str *s) {
    static const char *const words[] = {" forall ",
                                        " exists x: T. ",
                                        " & ",
                                        " | ",
                                        " -> ",
                                        " <-> ",
                                        "!",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        " _ ",
                                        "..",
                                        " if ",
                                        " then ",
                                        " else ",
                                        ":=",
                                        " clear ",
                                        " meets ",
                                        " 1073741823 ",
                                        "-1",
                                        " system S { ",
                                        " use \"x\" ",
                                        " expect p: holds ",
                                        " enum E { a } ",
                                        "/*",
                                        "*/",
                                        "//",
                                        "\"",
                                        "\xE2\x88\x80",
                                        "\xFF",
                                        "\n& ",
                                        "\n| ",
                                        " any ",
                                        " also action ",
                                        " algorithm A with M {",
                                        " command c(t: T) { done } ",
                                        " property p: S deadlock_free "};
    const char *word = words[rng_below(r, sizeof words / sizeof *words)];
    insert(s, somewhere(r, s), word, strlen(word));
}

static void repeat_part(rng *r, str *s) {
    size_t at = somewhere(r, s), n = rng_below(r, 40);
    if (n > s->len - at) n = s->len - at;
    str copies = {0};
    for (uint32_t i = rng_below(r, rng_below(r, 8) ? 4 : 400); i > 0; i--) str_addn(&copies, str_get(s) + at, n);
    insert(s, at, str_get(&copies), copies.len);
    str_free(&copies);
}

static void splice_file(rng *r, str *s) {
    const sample *other = &samples.data[rng_below(r, samples.len)];
    if (!other->size) return;
    size_t from = rng_below(r, (uint32_t)other->size), n = rng_below(r, 400);
    if (n > other->size - from) n = other->size - from;
    insert(s, somewhere(r, s), other->text + from, n);
}

static void truncate_text(rng *r, str *s) { cut(s, somewhere(r, s), s->len); }
static void drop_part(rng *r, str *s) { cut(s, somewhere(r, s), rng_below(r, 200)); }

static void mutate(rng *r, str *s) {
    static void (*const ways[])(rng *, str *) = {flip_byte,     set_byte,    drop_token,  splice_token,
                                                 splice_token,  insert_word, insert_word, repeat_part,
                                                 truncate_text, splice_file, drop_part};
    for (uint32_t n = 1 + rng_below(r, 4); n > 0; n--) ways[rng_below(r, sizeof ways / sizeof *ways)](r, s);
}

// ---- reading

typedef struct {
    diag *messages;
    model *m;
    bool good;
} reading;

static reading read_text(const char *text, size_t size) {
    reading r = {.messages = diag_new()};
    r.m = model_new(r.messages);
    r.good = pv_read(r.m, "fuzz.pv", &(pv_options){.text = text, .size = size, .alone = true}, NULL);
    str all = {0};
    diag_print(r.messages, &all, false);
    str_free(&all);
    return r;
}

static void free_reading(reading *r) {
    model_free(r->m);
    diag_free(r->messages);
}

// `use` needs other files; without it most texts stand alone.
static void drop_uses(str *s) {
    for (char *p; s->len && (p = strstr(s->text, "use \"")) != NULL;) memcpy(p, "//  ", 4);
}

static void print_and_reread(const model *m, const char *source) {
    str once = {0}, twice = {0};
    print_model(m, &once);
    reading again = read_text(str_get(&once), once.len);
    if (again.good) print_model(again.m, &twice);
    if (!again.good || strcmp(str_get(&once), str_get(&twice)) != 0) {
        str messages = {0};
        diag_print(again.messages, &messages, false);
        fprintf(stderr, "source:\n%s\nprinted:\n%s\n%s\nagain:\n%s\n", source, str_get(&once), str_get(&messages),
                str_get(&twice));
        str_free(&messages);
        fail_msg("the printed text does not read back the same");
    }
    free_reading(&again);
    str_free(&once);
    str_free(&twice);
}

static bool try_text(const str *s) {
    reading r = read_text(str_get(s), s->len);
    bool good = r.good;
    assert_int_equal(good, !diag_failed(r.messages));
    if (good) print_and_reread(r.m, str_get(s));
    free_reading(&r);
    return good;
}

static bool run_round(rng *r) {
    const sample *base = &samples.data[rng_below(r, samples.len)];
    str s = {0};
    str_addn(&s, base->text, base->size);
    drop_uses(&s);
    mutate(r, &s);
    bool good = try_text(&s);
    str_free(&s);
    return good;
}

static void mutations_do_no_harm(void **state) {
    (void)state;
    rng r = {part_seed(2026)};
    uint32_t rounds = (uint32_t)part_rounds(4000, 500000), good = 0;
    for (uint32_t i = 0; i < rounds; i++) good += run_round(&r);
    printf("# tally: damaged .pv files | %u cases | 0 wrong\n", rounds);
    assert_true(good > rounds / 100);
}

static void random_bytes_do_no_harm(void **state) {
    (void)state;
    rng r = {7};
    for (uint32_t i = 0; i < 300; i++) {
        str s = {0};
        for (uint32_t n = rng_below(&r, 300); n > 0; n--) str_char(&s, (char)rng_below(&r, 256));
        try_text(&s);
        str_free(&s);
    }
}

// ---- texts made to break the parser

static void nested(const char *head, const char *open, const char *middle, const char *close, const char *tail) {
    enum { DEEP = 100000 };
    str s = {0};
    str_add(&s, head);
    for (int i = 0; i < DEEP; i++) str_add(&s, open);
    str_add(&s, middle);
    for (int i = 0; i < DEEP; i++) str_add(&s, close);
    str_add(&s, tail);
    try_text(&s);
    str_free(&s);
}

static void deep_nesting_is_an_error(void **state) {
    (void)state;
    const char *head = "sort T system S { rel f(T) var n: 0..3 var p: bool invariant x: ";
    nested(head, "(", "p", ")", " }");
    nested(head, "!", "p", "", " }");
    nested(head, "-", "n", "", " = 1 }");
    nested(head, "p -> ", "p", "", " }");
    nested(head, "p <-> ", "p", "", " }");
    nested(head, "1 + ", "n", "", " = 1 }");
    nested(head, "n * ", "n", "", " = 1 }");
    nested(head, "p & ", "p", "", " }");
    nested(head, "p | ", "p", "", " }");
    nested(head, "(p & ", "p", " | p)", " }");
    nested(head, "\n& ", "p", "", " }");
    nested(head, "if p then p else ", "p", "", " }");
    nested(head, "exists t: T. ", "p", "", " }");
    nested(head, "f(", "p", ")", " }");
    nested("system S { var p: bool action a { ", "if p { ", "p := true", " }", "} }");
    nested("system S { var p: bool action a { ", "if p { } else ", "{ }", "", "} }");
    nested("sort T system S { rel f(T) action a { ", "forall t: T { ", "f(t) := true", " }", "} }");
    nested("", "system S { ", "", "}", "");
    nested("", "{", "", "}", "");
    nested("", "/*", "", "*/", "");
    nested("sort ", "A, ", "A", "", "");
}

// Definitions that use each other in a long chain, and procs that double at every step.
static void long_chains_are_errors(void **state) {
    (void)state;
    str s = {0};
    for (int i = 0; i < 20000; i++) str_printf(&s, "def d%d = d%d & d%d\n", i, i + 1, i + 1);
    str_add(&s, "def d20000 = true\n");
    assert_false(try_text(&s));
    str_clear(&s);
    for (int i = 0; i < 20000; i++) str_printf(&s, "const c%d = c%d + 1\n", i, i + 1);
    str_add(&s, "const c20000 = 1\n");
    assert_false(try_text(&s));
    str_clear(&s);
    str_add(&s, "system S { var p: bool\n");
    for (int i = 0; i < 60; i++) str_printf(&s, "proc p%d { p%d p%d }\n", i, i + 1, i + 1);
    str_add(&s, "proc p60 { p := true } action a { p0 } }\n");
    assert_false(try_text(&s));
    str_clear(&s);
    str_add(&s, "system S { var p: bool\n");
    for (int i = 0; i < 60; i++) str_printf(&s, "proc p%d(b: bool) { p%d(b <-> (b | p)) }\n", i, i + 1);
    str_add(&s, "proc p60(b: bool) { p := b } action a { p0(p) } }\n");
    assert_false(try_text(&s));
    str_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutations_do_no_harm),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(deep_nesting_is_an_error),
        cmocka_unit_test(long_chains_are_errors),
    };
    return cmocka_run_group_tests(tests, load_samples, free_samples);
}
