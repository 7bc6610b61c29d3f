// SPDX-License-Identifier: Apache-2.0
// Guards with lemmas: true ones exclude no step of an instance, whatever is solved or quantified; and they are used.
#include "oracle/unit.h"

#include "oracle/cover.h"

#define TOKEN                                                                                                        \
    COVER_HEAD COVER_START "ruleset n : node do rule who = n & !full[n] ==> begin full[n] := true; end; end;\n"      \
                           "ruleset n : node; p : node do rule full[n] ==> begin full[n] := false; who := p; end;\n" \
                           "  rule n != p & full[n] & full[p] ==> begin x := true; end; end;\n"                      \
                           "rule full[who] & !late[who] ==> begin late[who] := true; y := !y; end;\n"

static const cover_model models[] = {
    {"a lemma about one element", TOKEN "lemma \"holder\" forall n : node do full[n] -> who = n end;\n"},
    {"a lemma about two",
     TOKEN "lemma \"one\" forall n : node do forall p : node do n = p | !full[n] | !full[p] end end;\n"},
    {"a lemma about what elements hold",
     TOKEN "lemma \"next\" forall n : node do next[n] = nobody & link[n] = top end;\n"},
    {"a lemma that reads what may have no value",
     TOKEN "lemma \"defined\" forall n : node do isundefined(full[n]) | !full[n] | who = n end;\n"},
    {"several lemmas", TOKEN "lemma \"holder\" forall n : node do full[n] -> who = n end;\n"
                             "lemma \"no x\" !x; lemma \"late\" forall n : node do late[n] | !late[n] end;\n"},
};

static void true_lemmas_exclude_nothing(void **state) {
    (void)state;
    cover_all(models, sizeof models / sizeof *models);
}

static void lemmas_are_used(void **state) {
    (void)state;
    assert_false(cover_knows(TOKEN "invariant \"never\" !x;\n", 2));
    assert_true(cover_knows(TOKEN "lemma \"holder\" forall n : node do full[n] -> who = n end;\n"
                                  "invariant \"never\" !x;\n",
                            2));
}

// A lemma is checked like the property: a false one proves nothing.
static void false_lemmas_prove_nothing(void **state) {
    (void)state;
    assert_false(cover_knows(TOKEN "lemma \"wrong\" forall n : node do !full[n] end;\n"
                                   "invariant \"never\" !x;\n",
                             2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(true_lemmas_exclude_nothing), cmocka_unit_test(lemmas_are_used),
                                       cmocka_unit_test(false_lemmas_prove_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
