// SPDX-License-Identifier: Apache-2.0
// Orbit counts of Murphi models: random models of linked nodes, messages in multisets and owners, and the protocols
// of models/murphi at small sizes, against the slow twin, which tries every permutation. Permutations and
// functions up to renaming have published numbers, which also go where no twin can follow. The heuristic
// form may count an orbit several times, and must still find what the exact one finds.
#include "oracle/unit.h"

#include "base/rng.h"
#include "explore/explore.h"
#include "oracle/brute_explore.h"
#include "oracle/murphi_sample.h"
#include "pass/symmetric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 4000 };

static void sample_new(murphi_sample *s, const char *text, const front_define *defines, uint32_t ndefines) {
    murphi_options o = {.copies_undefined = true, .defines = defines, .ndefines = ndefines};
    assert_true(murphi_sample_expect(s, text, &o));
}

typedef struct {
    verdict v;
    uint64_t states;
    uint32_t steps;  // of the first trace
} outcome;

// Without self-checks: what they would mend must show here.
static outcome explore_how(const murphi_sample *s, space_symmetry symmetry, bool needs_symmetry) {
    explore_options o = {.threads = 1, .symmetry = symmetry, .engine = ENGINE_BYTECODE};
    o.self_check = SELF_CHECK_OFF;
    o.needs_symmetry = needs_symmetry;
    o.most_errors = 1;
    o.self_check = SELF_CHECK_OFF;  // which would mend what is looked for here
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

static outcome explore(const murphi_sample *s, space_symmetry symmetry) {
    return explore_how(s, symmetry, symmetry != SYMMETRY_OFF);
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

// ---- loops, some of which depend on the order of their rounds

static const char *const loop_declarations =
    "type node : scalarset(3); owner : scalarset(2);\n"
    "var a, b : array [node] of boolean; w : node; o : owner; k : 0..3; on : boolean;\n"
    "  held : array [owner] of node;\n"
    "procedure mark(n : node); begin a[n] := true; end;\n"
    "procedure keep(var it : node; n : node); begin it := n; end;\n"
    "startstate for n : node do a[n] := false; b[n] := true; end; undefine w; undefine o; undefine held;\n"
    "  k := 0; on := false; end;\n"
    "ruleset n : node do rule begin a[n] := !a[n]; end; end;\n"
    "ruleset p : owner; n : node do rule isundefined(held[p]) ==> begin held[p] := n; end; end;\n";

// What a loop over the nodes n does in one round, with a local x and the rule's parameter m; what follows it.
static const char *const rounds_of_loops[] = {
    "if a[n] then w := n; end;",
    "if a[n] then b[n] := false; end;",
    "b[n] := a[m];",
    "if a[n] & k < 3 then k := k + 1; end;",
    "x := n; b[x] := !a[x];",
    "if a[n] then x := n; mark(x); end;",
    "if isundefined(w) & a[n] then w := n; end;",
    "if a[n] then on := true; end;",
    "on := a[n];",
    "if a[n] then return; end; b[n] := false;",
    "if a[n] then on := true; return; end;",
    "keep(x, n); a[x] := b[x];",
    "if a[m] then b[n] := a[n]; end; a[n] := b[n];",
    "for p : owner do if !isundefined(held[p]) & held[p] = n then b[n] := true; end; end;",
    "for p : owner do if !isundefined(held[p]) & held[p] = n then o := p; end; end;",
    "for p : owner do if !isundefined(held[p]) then held[p] := n; end; end;",
    "w := m; b[n] := on;",
    "if isundefined(x) then x := n; end; b[x] := false;",
    "if a[n] then x := n; end; if !isundefined(x) then b[x] := !b[x]; end;",
    "for i : 0..1 do if (i = 1) = a[n] then k := i; end; end;",
    "for i : 0..1 do la[i] := a[n]; end; b[n] := la[2]; la[2] := a[n];",
    "for i : 0..2 do la[i] := a[n] | la[i]; end; b[n] := la[1];",
    "if a[n] then on := true; return; elsif b[n] then k := 1; return; end;",
    "if a[n] & b[n] then on := true; return; end; if x = n then return; end;",
    "if n = m then w := n; end;",
    "if n != m then b[n] := b[m]; end;",
    "on := on | (a[n] & b[n]);",
    "if a[n] & k > 0 then k := k - 1; else k := 3; end;",
};
static const char *const ends_of_loops[] = {"", "if !isundefined(x) then w := x; end;", "x := m; a[x] := true;",
                                            "undefine x;", "if a[m] then undefine w; end;"};
static const char *const judgements[] = {"!on | exists n : node do a[n] end", "isundefined(w) | b[w]",
                                         "forall n : node do b[n] | a[n] end", "k < 2",
                                         "forall p : owner do isundefined(held[p]) | b[held[p]] end"};

#define PICK(r, list) (list)[rng_below(&(r), sizeof(list) / sizeof *(list))]

static void loop_text(uint64_t seed, str *out) {
    rng r = {seed};
    str_add(out, loop_declarations);
    for (uint32_t i = 0, n = 1 + rng_below(&r, 2); i < n; i++) {
        str_add(out, "ruleset m : node do rule begin end; rule a[m] ==> var x : node; la : array [0..2] of boolean;\n"
                     " begin for i : 0..2 do la[i] := false; end; for n : node do ");
        for (uint32_t k = 0, most = 1 + rng_below(&r, 2); k < most; k++) str_add(out, PICK(r, rounds_of_loops));
        str_printf(out, " end; %s end; end;\n", PICK(r, ends_of_loops));
    }
    str_printf(out, "invariant \"p\" %s;\n", PICK(r, judgements));
}

// A sort that the search takes for asymmetric becomes an ordered one, which the twin leaves alone.
static uint32_t order_exceptions(const murphi_sample *s) {
    expr cond = prop_of(s->m, s->props.data[0])->cond;
    symmetric_exceptions apart = {0};
    symmetric_find_exceptions(s->in, &cond, 1, &apart);
    uint32_t n = apart.len;
    for (uint32_t i = 0; i < n; i++) s->m->types.data[apart.data[i].sort.id].is_ordered = true;
    vec_free(&apart);
    return n;
}

// The default never counts or judges wrongly: as without symmetry, and as many orbits as the twin finds.
static void loops_in_any_order(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 5000 : 250, apart = 0, reduced = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        murphi_sample s;
        loop_text(seed, &text);
        sample_new(&s, str_get(&text), NULL, 0);
        outcome plain = explore(&s, SYMMETRY_OFF), by_default = explore_how(&s, SYMMETRY_EXACT, false);
        uint32_t exceptions = order_exceptions(&s);
        brute b = brute_explore(s.in, s.props.data, s.props.len, MOST_STATES, true);
        bool ok = plain.v == by_default.v && plain.steps == by_default.steps;
        if (plain.v == VERDICT_HOLDS && b.is_complete) ok &= by_default.states == b.orbits && plain.states == b.states;
        if (!ok) printf("# seed %llu\n%s\n", (unsigned long long)seed, str_get(&text));
        assert_true(ok);
        apart += b.is_complete && exceptions > 0;
        reduced += b.is_complete && exceptions < 2;
        brute_free(&b);
        murphi_sample_free(&s);
        str_free(&text);
    }
    assert_true(apart > n / 8 && reduced > n / 8);
}

// Every state tried, and no false alarm.
static void expect_no_alarm(const murphi_sample *s) {
    explore_options o = {.threads = 1, .symmetry = SYMMETRY_EXACT, .self_check = SELF_CHECK_ALL, .limit_states = 2000};
    result *r = result_new();
    explore_run(s->in, s->props.data, s->props.len, &o, r, NULL);
    for (uint32_t i = 0; i < r->self_checks.len; i++) {
        if (r->self_checks.data[i].failure) printf("# %s\n", r->self_checks.data[i].failure);
        assert_null(r->self_checks.data[i].failure);
    }
    result_free(r);
}

static void compare(const murphi_sample *s, const brute *b, const char *text) {
    expect_no_alarm(s);
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
        murphi_sample s;
        random_text(seed, &text);
        sample_new(&s, str_get(&text), NULL, 0);
        brute b = brute_explore(s.in, s.props.data, s.props.len, MOST_STATES, true);
        if (b.is_complete) compare(&s, &b, str_get(&text));
        compared += b.is_complete;
        brute_free(&b);
        murphi_sample_free(&s);
        str_free(&text);
    }
    assert_true(compared > n / 4);
}

// ---- protocols

static void protocol(const char *path, const char *constant, int32_t size, uint32_t most) {
    murphi_sample s;
    size_t length;
    char *text = str_read_file(path, &length);
    assert_non_null(text);
    sample_new(&s, text, &(front_define){constant, size}, 1);
    brute b = brute_explore(s.in, s.props.data, s.props.len, most, true);
    assert_true(b.is_complete);
    compare(&s, &b, path);
    brute_free(&b);
    murphi_sample_free(&s);
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
    murphi_sample s;
    sample_new(&s, text, &(front_define){"N", n}, 1);
    outcome x = explore(&s, SYMMETRY_EXACT), cheap = explore(&s, SYMMETRY_HEURISTIC);
    assert_true(cheap.states >= x.states);
    murphi_sample_free(&s);
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
                                       cmocka_unit_test(functions),     cmocka_unit_test(pairs_of_permutations),
                                       cmocka_unit_test(relations),     cmocka_unit_test(loops_in_any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
