// SPDX-License-Identifier: Apache-2.0
// The layout of .pv texts (front/pv): on every model of the tree, and on the same texts and random models with blanks,
// indentation, empty lines and comments put in and taken out at random. What is set keeps everything but blanks, is set
// as it is when it is set again, and the same model is read from it. The models of the library are set already.
#include "front/pv/pv.h"
#include "model/print.h"
#include "oracle/part.h"
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 1500, LONG_ROUNDS = 40000, RANDOM_MODELS = 60 };

typedef struct {
    uint32_t texts, unread, refused, wrong;
} tally;

// The model as canonical text; false: the text has mistakes.
static bool meaning(const char *path, const char *text, str *out) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    pv_options how = {.text = text, .size = strlen(text)};
    bool ok = pv_read(m, path, &how, NULL);
    if (ok) print_model(m, out);
    model_free(m);
    diag_free(messages);
    return ok;
}

static void without_blanks(const char *text, str *out) {
    for (; *text; text++)
        if (!isspace((unsigned char)*text)) str_char(out, *text);
}

static bool same_but_blanks(const char *a, const char *b) {
    str x = {0}, y = {0};
    without_blanks(a, &x);
    without_blanks(b, &y);
    bool same = str_same(str_get(&x), str_get(&y));
    str_free(&x);
    str_free(&y);
    return same;
}

static bool report(const char *path, const char *text, const char *set, const char *what) {
    printf("# %s: %s\n--- text\n%s\n--- set\n%s\n", path, what, text, set);
    return false;
}

// What is set, where it can be.
static bool try_layout(const char *path, const char *text, tally *t, str *set) {
    str again = {0}, before = {0}, after = {0};
    bool reads = meaning(path, text, &before), ok = true;
    t->texts++;
    t->unread += !reads;
    if (!pv_layout(text, strlen(text), set)) {
        t->refused++;
        ok = !reads || report(path, text, str_get(set), "is not set");
    } else if (!same_but_blanks(text, str_get(set))) {
        ok = report(path, text, str_get(set), "something other than blanks changed");
    } else if (!pv_layout(str_get(set), set->len, &again) || !str_same(str_get(set), str_get(&again))) {
        ok = report(path, text, str_get(set), "set again, it is another text");
    } else if (reads && (!meaning(path, str_get(set), &after) || !str_same(str_get(&before), str_get(&after)))) {
        ok = report(path, text, str_get(set), "its meaning changed");
    }
    t->wrong += !ok;
    str_free(&again);
    str_free(&before);
    str_free(&after);
    return ok;
}

// ---- other layouts

static void some_blanks(rng *r, str *out) { str_pad(out, rng_below(r, 12) ? ' ' : '\t', 1 + rng_below(r, 3)); }

// Blanks where there are some get more; lines are moved; empty lines and comments come in.
static void disturb(rng *r, const char *text, str *out) {
    bool at_start = true, in_comment = false, moves = rng_below(r, 2);
    uint32_t by = rng_below(r, 5);
    for (const char *p = text; *p; p++) {
        in_comment = *p != '\n' && (in_comment || (p[0] == '/' && p[1] == '/') || *p == '"' || *p == '`');
        if (at_start && moves && !in_comment) str_pad(out, ' ', rng_below(r, 40) ? by : rng_below(r, 6));
        at_start = *p == '\n';
        if (*p == '\n' && rng_below(r, 20) == 0) some_blanks(r, out);
        if (*p == '\n' && !in_comment && rng_below(r, 40) == 0)
            str_add(out, rng_below(r, 2) ? " // a comment" : " /* one */");
        str_char(out, *p);
        if (*p == '\n' && rng_below(r, 30) == 0) str_add(out, "\n  \n");
        if (*p == '\n' && rng_below(r, 60) == 0) str_add(out, "   // alone\n");
        if (*p == ' ' && !in_comment && rng_below(r, 15) == 0) some_blanks(r, out);
        if (strchr("(,;:{}", *p) && p[1] != '=' && !in_comment && rng_below(r, 15) == 0) some_blanks(r, out);
    }
}

static void try_disturbed(rng *r, const char *path, const char *text, tally *t) {
    str other = {0}, set = {0};
    disturb(r, text, &other);
    try_layout(path, str_get(&other), t, &set);
    str_free(&other);
    str_free(&set);
}

// ---- all

typedef struct {
    const char *path;
    char *text;
} source_text;

typedef VEC(source_text) source_list;

static void find_sources(source_list *out) {
    static const char *const where[] = {"models/*/*.pv", "tests/golden/*/*.pv", "tests/golden/*/*/*.pv",
                                        "editors/*/*.pv"};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        glob_t found;
        if (glob(where[i], 0, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc; k++) {
                size_t size;
                char *text = str_read_file(found.gl_pathv[k], &size);
                if (text && strlen(text) == size) vec_push(out, (source_text){strdup(found.gl_pathv[k]), text});
                else free(text);
            }
        globfree(&found);
    }
}

static void add_random(rng *r, source_list *out) {
    for (uint32_t i = 0; i < RANDOM_MODELS; i++) {
        random_model m = random_model_new(rng_below(r, 1000000), 6, RANDOM_FAULTS | RANDOM_ORDERED | RANDOM_STARTS);
        str text = {0};
        print_model(m.m, &text);
        vec_push(out, (source_text){strdup("random.pv"), strdup(str_get(&text))});
        str_free(&text);
        random_model_free(&m);
    }
}

static void test_layout(void **state) {
    rng r = {part_seed(4242)};
    tally t = {0};
    source_list all = {0};
    (void)state;
    find_sources(&all);
    assert_true(all.len > 80);
    for (uint32_t i = 0; i < all.len; i++) {
        str set = {0};
        bool ok = try_layout(all.data[i].path, all.data[i].text, &t, &set);
        bool is_library = str_starts(all.data[i].path, "models/");
        if (ok && is_library && !str_same(all.data[i].text, str_get(&set))) {
            report(all.data[i].path, all.data[i].text, str_get(&set), "the library is not set as it should be");
            t.wrong++;
        }
        str_free(&set);
    }
    add_random(&r, &all);
    uint64_t rounds = part_rounds(ROUNDS, LONG_ROUNDS);
    for (uint64_t i = 0; i < rounds && t.wrong < 4; i++) {
        const source_text *s = &all.data[rng_below(&r, all.len)];
        try_disturbed(&r, s->path, s->text, &t);
    }
    for (uint32_t i = 0; i < all.len; i++) free(all.data[i].text), free((char *)all.data[i].path);
    vec_free(&all);
    printf("# %u texts, %u with mistakes, %u of them not set\n", t.texts, t.unread, t.refused);
    printf("# tally: texts set in our layout, and read again | %u cases | %u wrong\n", t.texts, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.unread < t.texts / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
