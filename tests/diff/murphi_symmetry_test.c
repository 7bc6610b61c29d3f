// SPDX-License-Identifier: Apache-2.0
// Orbit counts of Murphi models: random models of linked nodes, messages in multisets and owners, and the protocols
// of models/murphi at small sizes, against the slow twin, which tries every permutation. Permutations and
// functions up to renaming have published numbers, which also go where no twin can follow. The heuristic
// form may count an orbit several times, and must still find what the exact one finds.
#include "oracle/unit.h"

#include "base/rng.h"
#include "explore/explore.h"
#include "front/murphi.h"
#include "oracle/brute_explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 4000 };

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    VEC(prop) props;
} sample;

static void sample_new(sample *s, const char *text, const murphi_define *defines, uint32_t ndefines) {
    *s = (sample){.messages = diag_new()};
    s->m = model_new(s->messages);
    murphi_options o = {.copies_undefined = true, .defines = defines, .ndefines = ndefines};
    if (!murphi_read_text(s->m, "sample.m", text, strlen(text), &o, &s->system)) {
        str messages = {0};
        diag_print(s->messages, &messages, false);
        printf("%s\n%s\n", str_get(&messages), text);
        fail();
    }
    s->in = instance_new(s->m, s->system, NULL, 0);
    assert_non_null(s->in);
    for (uint32_t i = 1; i < s->m->props.len; i++) vec_push(&s->props, (prop){i});
}

static void sample_free(sample *s) {
    vec_free(&s->props);
    instance_free(s->in);
    model_free(s->m);
    diag_free(s->messages);
}

typedef struct {
    verdict v;
    uint64_t states;
    uint32_t steps;  // of the first trace
} outcome;

static outcome explore(const sample *s, space_symmetry symmetry) {
    explore_options o = {.threads = 1, .symmetry = symmetry, .engine = ENGINE_BYTECODE};
    o.needs_symmetry = symmetry != SYMMETRY_OFF;
    o.most_errors = 1;
    result *r = result_new();
    explore_run(s->in, s->props.data, s->props.len, &o, r, NULL);
    outcome x = {r->verdict, r->stats.states, 0};
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        assert_false(p->reason && strstr(p->reason, "internal error"));
        if (p->trace && !x.steps) x.steps = p->trace->steps.len;
    }
    assert_false(diag_failed(s->messages));
    result_free(r);
    return x;
}

// ---- random models

static const char *const declarations =
    "const N : %u;\n"
    "type node : scalarset(N); owner : scalarset(2); end_of_list : enum { head, nil };\n"
    "  link : union { node, end_of_list };\n"
    "  packet : record dest : link; from : owner; bit : boolean; end;\n"
    "var next : array [link] of link; back : array [node] of node; held : array [node] of owner;\n"
    "  at : array [owner] of link; met : array [owner] of array [node] of boolean;\n"
    "  net : multiset [2] of packet; lamp : boolean;\n"
    "startstate undefine next; undefine back; undefine held; undefine net; lamp := false; next[head] := "
    "nil;\n"
    "  for o : owner do at[o] := head; for n : node do met[o][n] := false; end; end; end;\n";

// Each is symmetric; most leave few of the nodes alike.
static const char *const rules[] = {
    "ruleset n : node do rule isundefined(next[n]) ==> begin next[n] := next[head]; next[head] := n; end; "
    "end;\n",
    "rule !isundefined(next[head]) & ismember(next[head], node) ==> begin next[head] := next[next[head]]; "
    "end;\n",
    "ruleset n : node do rule begin next[n] := nil; end; end;\n",
    "ruleset n : node; m : node do rule n != m & isundefined(back[n]) ==> begin back[n] := m; end; end;\n",
    "ruleset n : node do rule !isundefined(back[n]) ==> begin undefine back[n]; end; end;\n",
    "ruleset o : owner; n : node do rule isundefined(held[n]) ==> begin held[n] := o; at[o] := n; end; "
    "end;\n",
    "ruleset n : node do rule !isundefined(held[n]) & !lamp ==> begin undefine held[n]; end; end;\n",
    "ruleset o : owner do rule !isundefined(next[at[o]]) ==> begin at[o] := next[at[o]]; end; end;\n",
    "ruleset o : owner do rule at[o] != head ==> begin at[o] := head; end; end;\n",
    "ruleset o : owner do rule multisetcount(i : net, true) < 2 ==> var p : packet; begin\n"
    "  undefine p; p.dest := at[o]; p.from := o; p.bit := lamp; multisetadd(p, net); end; end;\n",
    "choose i : net do rule begin at[net[i].from] := net[i].dest; lamp := net[i].bit; multisetremove(i, "
    "net);\n"
    "  end; end;\n",
    "ruleset o : owner; n : node do rule at[o] = n ==> begin met[o][n] := true; end; end;\n",
    "ruleset o : owner do rule begin for n : node do met[o][n] := false; end; end; end;\n",
    "rule begin lamp := exists n : node do !isundefined(back[n]) end; end;\n",
    "ruleset n : node do rule !isundefined(back[n]) & isundefined(back[back[n]]) ==> begin\n"
    "  back[back[n]] := n; end; end;\n",
};

static void random_text(uint64_t seed, str *out) {
    rng r = {seed};
    str_printf(out, declarations, 2 + rng_below(&r, 3));
    for (uint32_t i = 0, n = 2 + rng_below(&r, 3); i < n; i++)
        str_add(out, rules[rng_below(&r, sizeof rules / sizeof *rules)]);
    str_add(out, "invariant \"p\" forall n : node do isundefined(back[n]) | isundefined(held[n])\n"
                 "  | !isundefined(next[n]) -> lamp end;\n");
}

static void compare(const sample *s, const brute *b, const char *text) {
    outcome plain = explore(s, SYMMETRY_OFF), exact = explore(s, SYMMETRY_EXACT);
    outcome cheap = explore(s, SYMMETRY_HEURISTIC);
    bool ok = plain.v == exact.v && exact.v == cheap.v;
    ok &= plain.steps == exact.steps && exact.steps == cheap.steps;
    if (plain.v == VERDICT_HOLDS) {
        ok &= plain.states == b->states && exact.states == b->orbits;
        ok &= cheap.states >= b->orbits && cheap.states <= b->states;
    }
    if (ok) return;
    printf("# orbits %llu %llu, heuristic %llu, states %llu %llu\n%s\n", (unsigned long long)b->orbits,
           (unsigned long long)exact.states, (unsigned long long)cheap.states, (unsigned long long)b->states,
           (unsigned long long)plain.states, text);
    fail();
}

static void random_models(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 3000 : 150, compared = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        sample s;
        random_text(seed, &text);
        sample_new(&s, str_get(&text), NULL, 0);
        brute b = brute_explore(s.in, s.props.data, s.props.len, MOST_STATES, true);
        if (b.is_complete) compare(&s, &b, str_get(&text));
        compared += b.is_complete;
        brute_free(&b);
        sample_free(&s);
        str_free(&text);
    }
    assert_true(compared > n / 4);
}

// ---- protocols

static void protocol(const char *path, const char *constant, int32_t size, uint32_t most) {
    sample s;
    size_t length;
    char *text = str_read_file(path, &length);
    assert_non_null(text);
    sample_new(&s, text, &(murphi_define){constant, size}, 1);
    brute b = brute_explore(s.in, s.props.data, s.props.len, most, true);
    assert_true(b.is_complete);
    compare(&s, &b, path);
    brute_free(&b);
    sample_free(&s);
    free(text);
}

static void protocols(void **state) {
    (void)state;
    bool is_long = getenv("PARVIS_LONG") != NULL;
    protocol("models/murphi/german.m", "CLIENTS", 2, 100000);
    protocol("models/murphi/flash.m", "NODES", 2, 100000);
    protocol("models/murphi/mcs.m", "PROCS", 3, 100000);
    protocol("models/murphi/msi.m", "PROCS", 3, 100000);
    if (!is_long) return;
    protocol("models/murphi/german.m", "CLIENTS", 3, 1000000);
    protocol("models/murphi/flash.m", "NODES", 3, 4000000);
    protocol("models/murphi/mcs.m", "PROCS", 5, 1000000);
}

// ---- published numbers

static uint64_t orbits_of(const char *text, int32_t n) {
    sample s;
    sample_new(&s, text, &(murphi_define){"N", n}, 1);
    outcome x = explore(&s, SYMMETRY_EXACT), cheap = explore(&s, SYMMETRY_HEURISTIC);
    assert_true(cheap.states >= x.states);
    sample_free(&s);
    return x.states;
}

// OEIS A001372: functions from n nodes to themselves.
static void functions(void **state) {
    (void)state;
    static const uint32_t expected[] = {1, 3, 7, 19, 47, 130, 343, 951, 2615, 7318};
    const char *text = "const N : 1; type t : scalarset(N); var p : array [t] of t;\n"
                       "startstate for i : t do p[i] := i; end; end;\n"
                       "ruleset i : t; j : t do rule begin p[i] := j; end; end;\n";
    for (int32_t n = 1; n <= 9; n++) assert_int_equal(orbits_of(text, n), expected[n - 1]);
}

// OEIS A110143: pairs of permutations of n elements up to renaming; every node has the same surroundings.
static void pairs_of_permutations(void **state) {
    (void)state;
    static const uint32_t expected[] = {1, 4, 11, 43, 161, 901, 5579};
    const char *text = "const N : 1; type t : scalarset(N); var p, q : array [t] of t;\n"
                       "startstate for i : t do p[i] := i; q[i] := i; end; end;\n"
                       "ruleset i : t; j : t do\n"
                       "  rule var x : t; begin x := p[i]; p[i] := p[j]; p[j] := x; end;\n"
                       "  rule var x : t; begin x := q[i]; q[i] := q[j]; q[j] := x; end; end;\n";
    for (int32_t n = 1; n <= 6; n++) assert_int_equal(orbits_of(text, n), expected[n - 1]);
}

// OEIS A000595: relations on n elements.
static void relations(void **state) {
    (void)state;
    static const uint32_t expected[] = {2, 10, 104, 3044};
    const char *text = "const N : 1; type t : scalarset(N); var r : array [t] of array [t] of boolean;\n"
                       "startstate for i : t do for j : t do r[i][j] := false; end; end; end;\n"
                       "ruleset i : t; j : t do rule begin r[i][j] := !r[i][j]; end; end;\n";
    for (int32_t n = 1; n <= 4; n++) assert_int_equal(orbits_of(text, n), expected[n - 1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_models), cmocka_unit_test(protocols),
                                       cmocka_unit_test(functions), cmocka_unit_test(pairs_of_permutations),
                                       cmocka_unit_test(relations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
