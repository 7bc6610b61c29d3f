// SPDX-License-Identifier: Apache-2.0
// What is alike in small timed systems: one that is symmetric, and the same with one thing that tells processes
// apart. Expected is what a reader sees: which of three processes can change places. Verdicts are the same with
// symmetry and without, and symmetries that are none are found out while the search runs.
#include "front/xta/xta.h"
#include "oracle/unit.h"
#include "zone/search.h"

#include <string.h>

// A model with one part replaced.
typedef struct {
    const char *globals, *invariant, *take, *pass, *leave, *others;
} variant;

static const variant like = {"",
                             "x <= 5",
                             "guard v == 0; assign x = 0, turn = me, a[me] = 1;",
                             "guard x >= 2; assign n = 1;",
                             "guard turn == me; assign a[me] = 0;",
                             ""};

static void put_model(const variant *v, str *out) {
#define PART(name) (v->name ? v->name : like.name)
    str_add(out, "typedef int[0,2] id_t;\nint[0,3] v;\nid_t turn;\nint[0,1] a[id_t];\n");
    str_printf(out, "%s\n", PART(globals));
    str_printf(out, "process P(const id_t me) {\nint[0,1] n;\nclock x;\nstate l0, l1 { %s }, l2, l3;\ncommit l3;\n",
               PART(invariant));
    str_printf(out, "init l0;\ntrans l0 -> l1 { %s },\nl1 -> l2 { %s },\nl2 -> l0 { %s };\n}\n", PART(take), PART(pass),
               PART(leave));
    str_printf(out, "%s\n", v->others ? v->others : "system P;");
#undef PART
}

typedef struct {
    diag *messages;
    model *m;
    instance *in;
    result *r;
} asking;

static asking read_model(const char *text, const char *query) {
    asking k = {.messages = diag_new(), .r = result_new()};
    sys system;
    str complaint = {0};
    k.m = model_new(k.messages);
    if (!xta_read_text(k.m, "like.xta", text, strlen(text), &(xta_options){.queries = &query, .nqueries = 1},
                       &system)) {
        diag_print(k.messages, &complaint, false);
        fail_msg("%s\n%s", text, str_get(&complaint));
    }
    k.in = instance_new(k.m, system, NULL, 0);
    return k;
}

static void done(asking *k) {
    result_free(k->r);
    instance_free(k->in);
    model_free(k->m);
    diag_free(k->messages);
}

static explore_options options_of(bool symmetry) {
    return (explore_options){.engine = ENGINE_BYTECODE,
                             .threads = 1,
                             .symmetry = symmetry ? SYMMETRY_EXACT : SYMMETRY_OFF,
                             .self_check = SELF_CHECK_ALL};
}

static void run_query(asking *k, bool symmetry) {
    explore_options o = options_of(symmetry);
    zone_run(k->in, &(prop){1}, 1, &o, NULL, k->r);
    for (uint32_t i = 0; i < k->r->self_checks.len; i++) assert_null(k->r->self_checks.data[i].failure);
}

static const char *const queries[] = {"A[] not (P(0).l2 and P(1).l2)",
                                      "E<> P(0).l2 and P(2).l1",
                                      "A[] not deadlock",
                                      "A<> P(1).l1",
                                      "P(1).l1 --> P(1).l2",
                                      "E[] not P(2).l2",
                                      "E<> turn == 1 and P(0).l1",
                                      "sup{P(1).l1}: P(1).x",
                                      "A[] forall (i : id_t) not P(i).l2"};

static void check_verdicts(const char *what, const char *text) {
    for (uint32_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        asking on = read_model(text, queries[i]), off = read_model(text, queries[i]);
        run_query(&on, true);
        run_query(&off, false);
        const result_property *a = &on.r->properties.data[0], *b = &off.r->properties.data[0];
        if (a->verdict != b->verdict)
            fail_msg("%s: %s: with symmetry %s, without %s", what, queries[i], verdict_text(a->verdict),
                     verdict_text(b->verdict));
        if (strncmp(queries[i], "sup", 3) == 0) assert_string_equal(a->reason, b->reason);
        done(&on);
        done(&off);
    }
}

typedef struct {
    const char *what;
    variant is;
    const char *query, *note;  // the note contains this
} example;

#define SYMMETRIC_QUERY "A[] forall (i : id_t) not P(i).l3"
#define ALL             "P: all 3 alike"
#define TWO             "P: 2 of 3 alike"
#define NONE            "P: no two alike"

static const example examples[] = {
    {"all alike", {0}, SYMMETRIC_QUERY, ALL},
    {"a constant in a guard", {.pass = "guard x >= (me == 1 ? 3 : 2); assign n = 1;"}, SYMMETRIC_QUERY, TWO},
    {"an invariant", {.invariant = "x <= (me == 2 ? 4 : 5)"}, SYMMETRIC_QUERY, TWO},
    {"the value that a clock gets",
     {.take = "guard v == 0; assign x = (me == 0 ? 1 : 0), turn = me, a[me] = 1;"},
     SYMMETRIC_QUERY,
     TWO},
    {"an initial value, which does not matter",
     {.globals = "int[0,1] b[id_t] = {1, 0, 0};", .pass = "guard x >= 2 && b[me] == 0; assign b[me] = 1;"},
     SYMMETRIC_QUERY,
     ALL},
    {"a priority",
     {.globals = "broadcast chan c[id_t];\nchan priority c[0] < default;",
      .pass = "guard x >= 2; sync c[me]!; assign n = 1;"},
     SYMMETRIC_QUERY,
     TWO},
    {"a way to a committed location",
     {.leave = "guard turn == me; assign a[me] = 0; },\nl2 -> l3 { guard me == 1;"},
     SYMMETRIC_QUERY,
     TWO},
    {"a variable that holds ids, compared with one",
     {.leave = "guard turn == me || turn == 1; assign a[me] = 0;"},
     SYMMETRIC_QUERY,
     TWO},
    {"an integer that holds none, compared with the same number",
     {.take = "guard v == 1; assign x = 0, turn = me;", .leave = "guard turn == me; assign v = 1;"},
     SYMMETRIC_QUERY,
     ALL},
    {"constants by id",
     {.globals = "const int d[id_t] = {2, 2, 3};", .pass = "guard x >= d[me]; assign n = 1;"},
     SYMMETRIC_QUERY,
     TWO},
    {"a channel of an array",
     {.globals = "chan c[id_t];",
      .pass = "guard x >= 2; sync c[me]?; assign n = 1;",
      .others = "process Q() {\nstate q;\ninit q;\ntrans q -> q { sync c[0]!; };\n}\nsystem P, Q;"},
     SYMMETRIC_QUERY,
     TWO},
    {"any channel of an array",
     {.globals = "chan c[id_t];",
      .pass = "guard x >= 2; sync c[me]?; assign n = 1;",
      .others = "process Q() {\nstate q;\ninit q;\ntrans q -> q { select s : id_t; sync c[s]!; };\n}\nsystem "
                "P, Q;"},
     SYMMETRIC_QUERY,
     ALL},
    {"a query about one", {0}, "A[] not P(1).l2", "queries name some of P: 2 stay alike"},
    {"an order of ids", {.leave = "guard turn <= me; assign a[me] = 0;"}, SYMMETRIC_QUERY, NONE},
    {"arithmetic", {.leave = "guard turn == me; assign turn = (me + 1) % 3;"}, SYMMETRIC_QUERY, NONE},
    {"a truth value that is written in another order",
     {.globals = "bool b;",
      .leave = "guard turn == me && me == 0; assign b = true; },\nl2 -> l0 { assign b = false; },\n"
               "l2 -> l0 { guard turn == me && me != 0; assign b = true;"},
     SYMMETRIC_QUERY,
     ALL},
};

static void test_examples(void **state) {
    (void)state;
    for (uint32_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        str text = {0};
        put_model(&e->is, &text);
        asking k = read_model(str_get(&text), e->query);
        run_query(&k, true);
        const char *note = k.r->properties.data[0].stats.symmetry;
        if (!note || !strstr(note, e->note)) fail_msg("%s: %s, not %s", e->what, note ? note : "nothing", e->note);
        done(&k);
        check_verdicts(e->what, str_get(&text));
        str_free(&text);
    }
}

// ---- symmetries that are none

static const example broken[] = {
    {"a guard", {.pass = "guard x >= (me == 1 ? 3 : 2); assign n = 1;"}, SYMMETRIC_QUERY, "steps"},
    {"an invariant", {.invariant = "x <= (me == 2 ? 4 : 5)"}, SYMMETRIC_QUERY, "tell"},
    {"a value of a clock",
     {.take = "guard v == 0; assign x = (me == 0 ? 1 : 0), turn = me, a[me] = 1;"},
     SYMMETRIC_QUERY,
     "steps"},
    {"an id", {.leave = "guard turn == me || turn == 1; assign a[me] = 0;"}, SYMMETRIC_QUERY, "steps"},
    {"an update", {.leave = "guard turn == me; assign a[me] = (me == 2 ? 1 : 0);"}, SYMMETRIC_QUERY, "steps"},
    {"a query", {0}, "E<> P(1).l1 and deadlock", "query"},
    {"a query whose run is none", {0}, "E<> P(1).l2 and P(1).x < 1", "replayed"},
};

// The symmetries of the model in which all are alike, for another one.
static orbit *wrong_orbit(asking *k) {
    str text = {0}, note = {0};
    put_model(&(variant){0}, &text);
    *k = read_model(str_get(&text), "A[] true");
    orbit *o = orbit_new(k->in, &(asked){0}, NULL, &note);
    assert_non_null(o);
    str_free(&text);
    str_free(&note);
    return o;
}

static void test_broken(void **state) {
    (void)state;
    for (uint32_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const example *e = &broken[i];
        asking alike;
        str text = {0};
        put_model(&e->is, &text);
        asking k = read_model(str_get(&text), e->query), off = read_model(str_get(&text), e->query);
        explore_options o = options_of(true);
        zone_run_given(k.in, &(prop){1}, 1, &o, wrong_orbit(&alike), k.r);
        run_query(&off, false);
        const char *failure = NULL;
        for (uint32_t c = 0; c < k.r->self_checks.len; c++)
            if (strcmp(k.r->self_checks.data[c].what, "symmetry") == 0) failure = k.r->self_checks.data[c].failure;
        if (!failure || !strstr(failure, e->note)) fail_msg("%s: %s", e->what, failure ? failure : "not found");
        assert_int_equal(k.r->properties.len, 1);
        assert_int_equal(k.r->verdict, off.r->verdict);
        assert_false(k.r->properties.data[0].stats.is_reduced);
        done(&k);
        done(&off);
        done(&alike);
        str_free(&text);
    }
}

// ---- a value that is used several times in each line of a function

static void test_shared(void **state) {
    str text = {0}, note = {0};
    (void)state;
    str_add(&text, "typedef int[0,2] id_t;\nid_t w[id_t];\nid_t f(id_t id) {\nid_t t = w[id];\n");
    for (uint32_t i = 0; i < 60; i++) str_add(&text, "t = (w[t] == id ? w[id] : t == id ? w[t] : id);\n");
    str_add(&text, "return t;\n}\nprocess P(const id_t id) {\nstate l0, l1;\ninit l0;\n"
                   "trans l0 -> l1 { select s : id_t; guard f(s) == id && s != id; assign w[id] = f(id); };\n"
                   "}\nsystem P;\n");
    asking k = read_model(str_get(&text), "A[] true");
    orbit *o = orbit_new(k.in, &(asked){0}, NULL, &note);
    assert_non_null(o);
    assert_string_equal(str_get(&note), "P: all 3 alike");
    orbit_free(o);
    done(&k);
    str_free(&text);
    str_free(&note);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_broken),
                                       cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
