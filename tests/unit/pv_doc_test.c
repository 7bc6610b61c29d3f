// SPDX-License-Identifier: Apache-2.0
// The examples of doc/language.md: a block marked pv is read without a message, prints, and reads back; one
// marked pv-error has its first error in its first line, after "// error: ".
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "model/print.h"

#include <stdlib.h>
#include <string.h>

#define PAGE "doc/language.md"

typedef struct {
    diag *messages;
    model *m;
    bool good;
} reading;

static reading read_text(const char *text, size_t size) {
    reading r = {.messages = diag_new()};
    r.m = model_new(r.messages);
    r.good = pv_read(r.m, PAGE, &(pv_options){.text = text, .size = size}, NULL);
    return r;
}

static void free_reading(reading *r) {
    model_free(r->m);
    diag_free(r->messages);
}

static bool say(const reading *r, const char *text, size_t size) {
    str s = {0};
    diag_print(r->messages, &s, false);
    print_message("%.*s\n%s\n", (int)size, text, str_get(&s));
    str_free(&s);
    return false;
}

static bool prints_and_reads_back(const model *m) {
    str once = {0}, twice = {0};
    print_model(m, &once);
    reading again = read_text(str_get(&once), once.len);
    if (again.good) print_model(again.m, &twice);
    bool same = again.good && str_same(str_get(&once), str_get(&twice));
    if (!same) say(&again, str_get(&once), once.len);
    free_reading(&again);
    str_free(&once);
    str_free(&twice);
    return same;
}

static bool check_example(const char *text, size_t size) {
    reading r = read_text(text, size);
    bool good = r.good && diag_count(r.messages) == 0 ? prints_and_reads_back(r.m) : say(&r, text, size);
    free_reading(&r);
    return good;
}

static bool check_mistake(const char *text, size_t size) {
    reading r = read_text(text, size);
    const char *head = "// error: ", *end = memchr(text, '\n', size);
    size_t n = strlen(head);
    bool good = !r.good && end && strncmp(text, head, n) == 0;
    const char *found = good ? diag_get(r.messages, 0).text : "";
    good = good && strlen(found) == (size_t)(end - text) - n && strncmp(text + n, found, strlen(found)) == 0;
    if (!good) say(&r, text, size);
    free_reading(&r);
    return good;
}

// Calls `check` for every block that opens with ```word; the number of blocks, or -1 when one is wrong.
static int each_block(const char *page, const char *word, bool (*check)(const char *, size_t)) {
    str open = {0};
    str_printf(&open, "\n```%s\n", word);
    int n = 0;
    bool good = true;
    for (const char *p = page; (p = strstr(p, open.text)) != NULL; n++) {
        p += open.len;
        const char *end = strstr(p, "\n```");
        assert_non_null(end);
        good &= check(p, (size_t)(end - p) + 1);
        p = end + 1;
    }
    str_free(&open);
    return good ? n : -1;
}

static void examples_are_right(void **state) {
    (void)state;
    char *page = str_read_file(PAGE, NULL);
    assert_non_null(page);
    assert_true(each_block(page, "pv", check_example) >= 12);
    assert_true(each_block(page, "pv-error", check_mistake) >= 5);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
