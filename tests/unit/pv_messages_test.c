// SPDX-License-Identifier: Apache-2.0
// What the front end says about mistakes: every tests/golden/diag/*.pv against the .gold file beside it.
// PARVIS_GOLD=update writes the .gold files anew; read them before you keep them.
#include "oracle/unit.h"

#include "front/pv/pv.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/golden/diag"

static void messages_of(const char *path, str *out) {
    diag *d = diag_new();
    model *m = model_new(d);
    assert_false(pv_read(m, path, NULL, NULL));
    diag_print(d, out, false);
    model_free(m);
    diag_free(d);
}

static bool is_update(void) {
    const char *gold = getenv("PARVIS_GOLD");
    return gold && str_same(gold, "update");
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool compare(const char *name) {
    str path = {0}, gold = {0}, found = {0};
    str_printf(&path, FOLDER "/%s", name);
    str_printf(&gold, "%.*s.gold", (int)path.len - 3, path.text);
    messages_of(path.text, &found);
    if (is_update()) write_file(gold.text, str_get(&found));
    char *expected = str_read_file(gold.text, NULL);
    bool same = expected && str_same(expected, str_get(&found));
    if (!same) print_message("%s: expected\n%s\nfound\n%s\n", name, expected ? expected : "?", str_get(&found));
    free(expected);
    str_free(&path);
    str_free(&gold);
    str_free(&found);
    return same;
}

static int is_model(const struct dirent *e) { return str_ends(e->d_name, ".pv"); }

static void mistakes_are_explained(void **state) {
    (void)state;
    struct dirent **list;
    int n = scandir(FOLDER, &list, is_model, alphasort), wrong = 0;
    assert_true(n >= 25);
    for (int i = 0; i < n; i++) {
        wrong += !compare(list[i]->d_name);
        free(list[i]);
    }
    free(list);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes_are_explained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
