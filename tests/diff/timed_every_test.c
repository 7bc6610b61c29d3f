// SPDX-License-Identifier: Apache-2.0
// Invariants shown for every number of processes (zone/every.h) against searches with 2 to 5 of them: random templates
// with a clock, a variable that names a process, a shared number and a shared clock. What is shown must hold with each
// number. Some of what holds with all of them must be shown, or the test says nothing.
#include "front/xta/xta.h"
#include "oracle/part.h"
#include "oracle/unit.h"
#include "zone/every.h"
#include "zone/zone.h"

#include "base/rng.h"

#include <stdio.h>
#include <string.h>

enum { CASES = 1500, LONG_CASES = 60000, LARGEST = 5 };

// ---- random templates

static void put_guard(rng *r, str *out) {
    switch (rng_below(r, 11)) {
    case 0: str_add(out, "id == 0"); break;
    case 1:
    case 2: str_add(out, "id == pid"); break;
    case 3: str_add(out, "id != pid"); break;
    case 4: str_printf(out, "v == %u", rng_below(r, 3)); break;
    case 5: str_printf(out, "x <= %u", rng_below(r, 3)); break;
    case 6: str_printf(out, "x > %u", rng_below(r, 3)); break;
    case 7: str_printf(out, "id == 0 && x >= %u", rng_below(r, 3)); break;
    case 8: str_printf(out, "id == pid && x > %u", rng_below(r, 3)); break;
    case 9: str_printf(out, "t >= %u", rng_below(r, 3)); break;
    default: str_printf(out, "v == %u && x >= %u", rng_below(r, 3), rng_below(r, 3)); break;
    }
}

static void put_update(rng *r, bool has_old, str *out) {
    static const char *const updates[] = {"x = 0",         "id = pid", "id = 0",   "x = 0, id = pid",
                                          "x = 0, id = 0", "t = 0",    "old = id", "id = old"};
    uint32_t k = rng_below(r, 11);
    if (!has_old && (k == 6 || k == 7)) k = 1;
    if (k < 8) str_add(out, updates[k]);
    else if (k < 10) str_printf(out, "v = %u", rng_below(r, 3));
    else str_printf(out, "v = %u, x = 0", rng_below(r, 3));
}

static void put_model(rng *r, str *out) {
    uint32_t places = 3 + rng_below(r, 2), edges = 3 + rng_below(r, 5);
    bool is_ladder = rng_below(r, 2);       // the shared number goes up, by whoever is next
    bool is_forward = rng_below(r, 3) > 0;  // each process moves a few times: what takes more needs others
    bool has_old = rng_below(r, 4) == 0;
    str_printf(out,
               "const int N = 2;\ntypedef int[1, N] id_t;\nint[0, N] id = 0;\n%sint[0, 3] v = 0;\nclock t;\n"
               "process P(const id_t pid) {\nclock x;\nstate ",
               has_old ? "int[0, N] old = 0;\n" : "");
    for (uint32_t i = 0; i < places; i++) {
        str_printf(out, "%sl%u", i ? ", " : "", i);
        if (rng_below(r, 3) == 0) str_printf(out, " { x <= %u }", 1 + rng_below(r, 2));
    }
    str_add(out, ";\ninit l0;\ntrans ");
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t from = i < places ? i : rng_below(r, places), to = rng_below(r, places);
        if (is_forward) {
            from = rng_below(r, places - 1);
            to = from + 1 + rng_below(r, places - 1 - from);
        }
        str_printf(out, "%sl%u -> l%u { guard ", i ? ", " : "", from, to);
        uint32_t step = rng_below(r, 3);
        bool is_plain = is_ladder && rng_below(r, 3);
        if (is_ladder) str_printf(out, "v == %u%s", step, is_plain ? "" : " && ");
        if (!is_plain) put_guard(r, out);
        str_add(out, "; assign ");
        put_update(r, has_old, out);
        if (is_ladder) str_printf(out, ", v = %u", step + 1);
        str_add(out, "; }");
    }
    str_add(out, ";\n}\nsystem P;\n");
}

static void put_query(rng *r, str *out) {
    uint32_t a = 1 + rng_below(r, 2), b = 1 + rng_below(r, 2);
    switch (rng_below(r, 6)) {
    case 4: str_printf(out, "A[] forall (i : id_t) not P(i).l%u", a); break;
    case 5: str_printf(out, "A[] v < %u", 2 + rng_below(r, 2)); break;
    case 0: str_printf(out, "A[] forall (i : id_t) P(i).l%u imply id == i", a); break;
    case 1: str_printf(out, "A[] forall (i : id_t) (P(i).l%u imply P(i).x <= %u)", a, rng_below(r, 3)); break;
    default:
        str_printf(out, "A[] forall (i : id_t) forall (j : id_t) (P(i).l%u and P(j).l%u imply i == j)", a, b);
        break;
    }
}

// ---- one case

typedef struct {
    diag *messages;
    model *m;
    instance *in;
} sized;

static sized read_size(const char *text, const char *query, int32_t n, span *use) {
    sized x = {.messages = diag_new()};
    model_define d = {.name = "N", .value = n};
    sys system;
    x.m = model_new(x.messages);
    xta_options o = {.queries = &query, .nqueries = 1, .defines = &d, .ndefines = 1, .size = "N", .size_use = use};
    assert_true(xta_read_text(x.m, "p.xta", text, strlen(text), &o, &system));
    x.in = instance_new(x.m, system, NULL, 0);
    return x;
}

static void sized_free(sized *x) {
    instance_free(x->in);
    model_free(x->m);
    diag_free(x->messages);
}

static const explore_options how = {
    .threads = 1, .symmetry = SYMMETRY_EXACT, .limit_states = 20000, .self_check = SELF_CHECK_OFF};

static verdict decide(const sized *x) {
    result *r = result_new();
    zone_run(x->in, &(prop){1}, 1, &how, NULL, r);
    verdict v = r->properties.data[0].verdict;
    for (uint32_t i = 1; i < r->properties.len; i++) v = VERDICT_UNKNOWN;  // a run-time error
    result_free(r);
    return v;
}

static bool is_shown(const char *text, const char *query, uint32_t *refused) {
    span use = {0};
    sized four = read_size(text, query, EVERY_SMALL, &use), five = read_size(text, query, EVERY_LARGE, &use);
    every_answer a;
    every_prove(four.in, five.in, (prop){1}, &how, &a);
    *refused += !a.views;
    bool yes = a.holds && !use.file;
    str_free(&a.why);
    sized_free(&four);
    sized_free(&five);
    return yes;
}

static void shown_is_true(void **state) {
    rng r = {77};
    uint32_t shown = 0, held = 0, violated = 0, late = 0, refused = 0, wrong = 0;
    uint64_t cases = part_rounds(CASES, LONG_CASES);
    (void)state;
    for (uint64_t k = 0; k < cases; k++) {
        str text = {0}, query = {0};
        verdict v = VERDICT_HOLDS;
        int32_t at = 2;
        put_model(&r, &text);
        put_query(&r, &query);
        for (; at <= LARGEST && v == VERDICT_HOLDS; at++) {
            sized x = read_size(str_get(&text), str_get(&query), at, &(span){0});
            v = decide(&x);
            sized_free(&x);
        }
        bool yes = is_shown(str_get(&text), str_get(&query), &refused);
        shown += yes;
        held += v == VERDICT_HOLDS;
        violated += v == VERDICT_VIOLATED;
        late += v == VERDICT_VIOLATED && at - 1 > 2;
        if (yes && v == VERDICT_VIOLATED) {
            wrong++;
            print_error("shown, but violated with N=%d:\n%s%s\n", at - 1, str_get(&text), str_get(&query));
        }
        str_free(&text);
        str_free(&query);
    }
    printf("# %u hold with 2 to %d processes, %u are shown for every number, %u are violated, %u of them only with 3 "
           "or more, %u refused\n",
           held, LARGEST, shown, violated, late, refused);
    printf("# tally: timed invariants for every number of processes | %llu cases | %u wrong\n",
           (unsigned long long)cases, wrong);
    assert_int_equal(wrong, 0);
    assert_true(shown > held / 3 && violated > cases / 5 && late > cases / 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shown_is_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
