// SPDX-License-Identifier: Apache-2.0
// Random Murphi models whose loops may tell elements apart, explored as if nothing did: this program is linked with
// --wrap, so that pass/symmetric.h finds no exceptions. Searches that try every state must then answer as searches
// without symmetry do, and so must those that try samples, since these models are small; those that try nothing are
// often wrong, or there was nothing to catch.
#include "oracle/unit.h"

#include "base/rng.h"
#include "explore/explore.h"
#include "oracle/murphi_sample.h"
#include "pass/symmetric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __wrap_symmetric_find_exceptions(const instance *in, const expr *conds, uint32_t nconds,
                                      symmetric_exceptions *out);
void __wrap_symmetric_find_exceptions(const instance *in, const expr *conds, uint32_t nconds,
                                      symmetric_exceptions *out) {
    (void)in, (void)conds, (void)nconds, (void)out;
}

static void sample_new(murphi_sample *s, const char *text) {
    assert_true(murphi_sample_expect(s, text, &(murphi_options){.copies_undefined = true}));
}

typedef struct {
    str text;  // verdicts and lengths of runs
    bool has_failed;
} outcome;

static outcome explore_how(const murphi_sample *s, space_symmetry symmetry, self_check_rate rate) {
    explore_options o = {.threads = 1, .symmetry = symmetry, .self_check = rate, .check_deadlock = true};
    result *r = result_new();
    outcome x = {0};
    explore_run(s->in, s->props.data, s->props.len, &o, r, NULL);
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        assert_false(p->reason && strstr(p->reason, "internal error"));
        str_printf(&x.text, "%s %s %u\n", p->name, verdict_text(p->verdict), p->trace ? p->trace->steps.len : 0);
    }
    for (uint32_t i = 0; i < r->self_checks.len; i++) x.has_failed |= r->self_checks.data[i].failure != NULL;
    result_free(r);
    return x;
}

// ---- models

static const char *const colours[] = {"red", "green", "blue"};

// What a round of a loop over the nodes n does; @ stands for a colour. Most depend on the order of rounds.
static const char *const rounds[] = {
    "w := a[n];",
    "if a[n] = @ then w := b[n]; end;",
    "if a[n] != w then b[n] := w; w := a[n]; end;",
    "if a[n] = @ & k < 3 then k := k + 1; end;",
    "if on then b[n] := @; end; on := a[n] = @;",
    "if a[n] = @ then return; end; b[n] := @;",
    "if a[n] = @ then on := true; return; elsif b[n] = @ then k := 3; return; end;",
    "if isundefined(p) & a[n] = @ then p := n; end;",
    "if !isundefined(p) then b[p] := a[n]; end; p := n;",
    "k := (2 * k + (a[n] = @ ? 1 : 0)) % 4;",
    "for c : colour do if a[n] = c & b[n] != c then w := c; end; end;",
    "b[n] := a[n];",
    "if k > 0 then k := k - 1; a[n] := @; end;",
};
static const char *const guards[] = {"true", "!on", "w = @", "k < 2", "exists n : node do a[n] = @ end"};
static const char *const judgements[] = {
    "w = @ -> exists n : node do a[n] = @ end",        "k < 3",           "on -> exists n : node do b[n] = @ end",
    "forall n : node do a[n] = @ -> b[n] != @ end",    "w != @ | k != 1", "isundefined(p) | a[p] = @ | b[p] != @",
    "!(on & w = @ & exists n : node do a[n] = @ end)",
};

static void put(rng *r, const char *text, str *out) {
    for (; *text; text++)
        if (*text == '@') str_add(out, colours[rng_below(r, 3)]);
        else str_char(out, *text);
}

#define PICK(r, list) (list)[rng_below(r, sizeof(list) / sizeof *(list))]

static void random_text(uint64_t seed, str *out) {
    rng r = {seed};
    str_printf(out, "type node : scalarset(%u); colour : enum {red, green, blue};\n", 2 + rng_below(&r, 2));
    str_add(out, "var a, b : array [node] of colour; w : colour; p : node; k : 0..3; on : boolean;\n"
                 "startstate for n : node do a[n] := red; b[n] := red; end; w := red; undefine p; k := 0; on := false; "
                 "end;\n");
    put(&r, "ruleset n : node do rule \"paint\" a[n] = red ==> begin a[n] := @; end; end;\n", out);
    put(&r, "ruleset n : node do rule \"turn\" a[n] != @ ==> begin a[n] := @; end; end;\n", out);
    for (uint32_t i = 0, n = 1 + rng_below(&r, 2); i < n; i++) {
        put(&r, "rule ", out);
        put(&r, PICK(&r, guards), out);
        put(&r, " ==> begin for n : node do ", out);
        for (uint32_t k = 0, most = 1 + rng_below(&r, 2); k < most; k++) put(&r, PICK(&r, rounds), out);
        put(&r, " end; end;\n", out);
    }
    for (uint32_t i = 0; i < 3; i++) {
        str_printf(out, "invariant \"p%u\" ", i);
        put(&r, PICK(&r, judgements), out);
        str_add(out, ";\n");
    }
}

// ---- comparing

typedef struct {
    uint32_t cases, wrong[3], failed[3];  // by rate
} tally;

static void compare(const murphi_sample *s, const outcome *plain, const char *text, tally *t) {
    for (self_check_rate rate = SELF_CHECK_SAMPLE; rate <= SELF_CHECK_ALL; rate++) {
        outcome x = explore_how(s, SYMMETRY_EXACT, rate);
        bool is_wrong = strcmp(str_get(&x.text), str_get(&plain->text)) != 0;
        if (is_wrong && rate != SELF_CHECK_OFF)
            printf("# not without symmetry:\n%s# with it:\n%s%s\n", str_get(&plain->text), str_get(&x.text), text);
        t->wrong[rate] += is_wrong;
        t->failed[rate] += x.has_failed;
        str_free(&x.text);
    }
    t->cases++;
}

static void wrongly_symmetric(void **state) {
    (void)state;
    tally t = {0};
    uint32_t n = getenv("PARVIS_LONG") ? 20000 : 2000;
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        murphi_sample s;
        random_text(seed, &text);
        sample_new(&s, str_get(&text));
        outcome plain = explore_how(&s, SYMMETRY_OFF, SELF_CHECK_OFF);
        compare(&s, &plain, str_get(&text), &t);
        str_free(&plain.text);
        murphi_sample_free(&s);
        str_free(&text);
    }
    printf("# of %u models, wrong without self-checks: %u, with samples: %u, with all states: %u; failures noticed: "
           "%u, %u\n",
           t.cases, t.wrong[SELF_CHECK_OFF], t.wrong[SELF_CHECK_SAMPLE], t.wrong[SELF_CHECK_ALL],
           t.failed[SELF_CHECK_SAMPLE], t.failed[SELF_CHECK_ALL]);
    printf("# tally: models wrongly taken for symmetric, sampled and whole | %u cases | %u wrong\n", 2 * t.cases,
           t.wrong[SELF_CHECK_SAMPLE] + t.wrong[SELF_CHECK_ALL]);
    assert_int_equal(t.wrong[SELF_CHECK_SAMPLE] + t.wrong[SELF_CHECK_ALL], 0);
    assert_true(t.wrong[SELF_CHECK_OFF] > n / 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrongly_symmetric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
