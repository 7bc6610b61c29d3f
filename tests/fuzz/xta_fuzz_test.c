// SPDX-License-Identifier: Apache-2.0
// The front end for UPPAAL's languages does not crash, whatever the text: the models of the library and small texts
// with every construct are cut, spliced and changed at random. What it accepts is then made an instance.
#include "base/rng.h"
#include "front/xta/xta.h"
#include "model/instance.h"
#include "oracle/part.h"
#include "oracle/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const paths[] = {"models/timed/train_gate.xta", "models/timed/csmacd.xta", "models/timed/bridge.xta",
                                    "models/timed/doors.xta", "models/pstm/cyclic_aligned.xta"};

static const char *const words[] = {
    "int",        "[",       "]",       "{",         "}",          "(",       ")",
    ";",          ",",       "clock",   "chan",      "const",      "urgent",  "broadcast",
    "x",          "0",       "1",       "99",        "-",          "++",      "==",
    "<=",         ">",       "&&",      "||",        "imply",      "forall",  "(i : id_t)",
    "sum",        "?",       ":",       "!",         ".",          "=",       "+=",
    "%",          "process", "state",   "init",      "trans",      "guard",   "sync",
    "assign",     "select",  "system",  "return",    "while",      "for",     "if",
    "else",       "struct",  "typedef", "scalar[3]", "bool",       "void",    "&",
    "'",          "/*",      "//",      "\"",        "2147483648", "a[1][2]", "f()",
    "deadlock",   "true",    "commit",  "<?",        "priority",   "default", "chan priority a < default;",
    "IO P { a }", "-u->",    "P.f()",   "k 2;",      "1e5",        "sync a;", "process Q() { }"};

// Constructs that the models of the library do not use.
static const char rare[] =
    "const k 2; const struct { int x, y[2]; } d[2] = {{1, {2, 3}}, {4, {5, 6}}}; chan a, b[3]; broadcast "
    "chan c;\n"
    "chan priority a, b[1] < default < c; int[0,3] n; meta int m; clock x;\n"
    "int find(int v) { int i = 0; while (i < 3) { if (d[i % 2].x == v) return i; i++; } return -1; }\n"
    "process Q() { }\n"
    "process P(int[0,1] i, chan &e) { void f(int &z) { z++; } state s { x <= 3, n < 3 }, t; commit t; init "
    "s; trans\n"
    "s -u-> t { select j : int[0,2]; guard find(j) == 1, x > 1; sync b[j]!; assign f(i), x = d[1].y[0]; },\n"
    "t -> s { sync e?; }, -> t { sync c?; assign n = (n + 1) % 3; }; }\n"
    "P1 = P(0, a); P2 = P(1, a); system P1 < P2, Q;\n";

static void change(rng *r, str *text) {
    size_t at = text->len ? rng_below(r, (uint32_t)text->len) : 0, n = rng_below(r, 12);
    str out = {0};
    str_addn(&out, str_get(text), at);
    switch (rng_below(r, 4)) {
    case 0:
        str_addn(&out, text->text + at + (at + n < text->len ? n : 0), text->len - at - (at + n < text->len ? n : 0));
        break;
    case 1:
        str_printf(&out, " %s ", words[rng_below(r, sizeof words / sizeof *words)]);
        str_addn(&out, text->text + at, text->len - at);
        break;
    case 2: {
        size_t from = rng_below(r, (uint32_t)text->len), len = rng_below(r, 60);
        if (from + len > text->len) len = text->len - from;
        str_addn(&out, text->text + from, len);
        str_addn(&out, text->text + at, text->len - at);
        break;
    }
    default:
        str_char(&out, (char)rng_below(r, 256));
        if (at + 1 < text->len) str_addn(&out, text->text + at + 1, text->len - at - 1);
        break;
    }
    str_free(text);
    *text = out;
}

static void read_text(const char *path, const str *text, const char *query) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    xta_options o = {.queries = &query, .nqueries = query ? 1 : 0};
    if (xta_read_text(m, path, str_get(text), text->len, &o, &system)) {
        instance *in = instance_new(m, system, NULL, 0);
        instance_free(in);
    } else {
        assert_true(diag_failed(messages));
    }
    str out = {0};
    diag_print(messages, &out, false);
    str_free(&out);
    model_free(m);
    diag_free(messages);
}

static uint32_t rounds(void) { return (uint32_t)part_rounds(600, 100000); }

static void tell(const char *what) { printf("# tally: %s | %u cases | 0 wrong\n", what, rounds()); }

static void test_changed_models(void **state) {
    rng r = {part_seed(11)};
    (void)state;
    for (uint32_t k = 0; k < rounds(); k++) {
        uint32_t which = rng_below(&r, sizeof paths / sizeof *paths + 1);
        size_t size = strlen(rare);
        char *whole = which ? str_read_file(paths[which - 1], &size) : NULL;
        assert_true(whole || !which);
        str text = {0};
        str_addn(&text, which ? whole : rare, size);
        for (uint32_t i = 1 + rng_below(&r, 4); i-- > 0;) change(&r, &text);
        read_text("fuzz.xta", &text, NULL);
        str_free(&text);
        free(whole);
    }
    tell("damaged .xta files");
}

static void test_word_salad(void **state) {
    rng r = {part_seed(12)};
    (void)state;
    for (uint32_t k = 0; k < rounds(); k++) {
        str text = {0}, query = {0}, model_text = {0};
        for (uint32_t i = rng_below(&r, 60); i-- > 0;)
            str_printf(&text, "%s ", words[rng_below(&r, sizeof words / sizeof *words)]);
        str_add(&model_text, "clock x; int a[3]; typedef int[0,2] id_t; process P() { state s; init s; } system P;");
        str_printf(&query, "A[] %s", str_get(&text));
        read_text("fuzz.xta", &text, NULL);
        read_text("fuzz.xta", &model_text, str_get(&query));
        str_free(&text);
        str_free(&query);
        str_free(&model_text);
    }
    tell(".xta words and queries in any order");
}

static void test_changed_xml(void **state) {
    static const char xml[] =
        "<?xml version='1.0'?><nta><declaration>clock x; int n; void f() { n = 0; }</declaration><template>"
        "<name>P</name><parameter>const int k</parameter><location id='a'><name>l</name><label "
        "kind='invariant'>"
        "x &lt;= k</label><committed/></location><init ref='a'/><transition><source ref='a'/><target "
        "ref='a'/>"
        "<label kind='select'>i : int[0,2]</label><label kind='guard'>x == i</label><label "
        "kind='assignment'>f()"
        "</label></transition></template><system>Q = P(3); system Q;</system><queries><query><formula>A[] "
        "not "
        "deadlock</formula></query></queries></nta>";
    rng r = {part_seed(13)};
    (void)state;
    for (uint32_t k = 0; k < rounds(); k++) {
        str text = {0};
        str_add(&text, xml);
        for (uint32_t i = rng_below(&r, 4); i-- > 0;) change(&r, &text);
        read_text("fuzz.xml", &text, NULL);
        str_free(&text);
    }
    tell("damaged .xml files");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed_models),
        cmocka_unit_test(test_word_salad),
        cmocka_unit_test(test_changed_xml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
