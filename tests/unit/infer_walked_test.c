// SPDX-License-Identifier: Apache-2.0
// Rules with few parameters for samples: in random states the evaluator finds the same states after a rule with its
// parameters and after one in which those that no assignment reads are quantified in the guard.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pyv/pyv.h"
#include "infer/prover.h"
#include "model/eval.h"

#include <stdio.h>

enum { RULES = 400, STATES = 40, SIZE = 2, PARAMS = 7 };

static uint32_t fewer, steps, wrong;

// ---- a random transition: t1 to t4 of one sort, k1 to k3 of another

static void add_literal(str *out, rng *r, const char *extra) {
    const char *a = rng_below(r, 4) || !*extra ? "" : extra;
    uint32_t i = rng_below(r, 4) + 1, k = rng_below(r, 4) + 1, b = rng_below(r, 3) + 1;
    if (rng_below(r, 2)) str_add(out, "!");
    switch (rng_below(r, 4)) {
    case 0: *a ? str_printf(out, "p(%s)", a) : str_printf(out, "p(t%u)", i); break;
    case 1: *a ? str_printf(out, "w(%s, k%u)", a, b) : str_printf(out, "w(t%u, k%u)", i, b); break;
    case 2: *a ? str_printf(out, "le(%s, t%u)", a, k) : str_printf(out, "le(t%u, t%u)", i, k); break;
    default: str_printf(out, "(t%u = t%u)", i, k);
    }
}

static void add_literals(str *out, rng *r, const char *extra, const char *between, uint32_t most) {
    uint32_t n = 1 + rng_below(r, most);
    str_add(out, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i) str_add(out, between);
        add_literal(out, r, extra);
    }
    str_add(out, ")");
}

static void add_conjunct(str *out, rng *r) {
    uint32_t parts = 2 + rng_below(r, 3);
    str_add(out, "    & ");
    switch (rng_below(r, 4)) {
    case 0: add_literal(out, r, ""); break;
    case 1:
        str_add(out, "(forall Z:t. ");
        add_literals(out, r, "Z", " | ", 3);
        str_add(out, ")");
        break;
    case 2: add_literals(out, r, "", " | ", 2); break;
    default:
        str_add(out, rng_below(r, 2) ? "(" : "!(");
        for (uint32_t i = 0; i < parts; i++) {
            if (i) str_add(out, " | ");
            add_literals(out, r, "", " & ", 2);
        }
        str_add(out, ")");
    }
    str_add(out, "\n");
}

static void make_text(str *out, rng *r) {
    uint32_t n = 1 + rng_below(r, 5);
    str_add(out, "sort t\nsort k\nmutable relation p(t)\nmutable relation w(t, k)\nmutable relation le(t, t)\n");
    str_add(out, "transition go(t1: t, t2: t, t3: t, t4: t, k1: k, k2: k, k3: k)\n  modifies p, w\n");
    for (uint32_t i = 0; i < n; i++) add_conjunct(out, r);
    str_printf(out, "    & (new(p(X)) <-> p(X) | X = t%u)\n", 1 + rng_below(r, 4));
    str_printf(out, "    & (new(w(X, Y)) <-> w(X, Y) & !(X = t%u & Y = k%u))\n", 1 + rng_below(r, 4),
               1 + rng_below(r, 3));
    str_add(out, "safety p(X) | !p(X)\n");
}

// ---- both rules

static void states_after(const instance *in, rule r, const value *state, map *out) {
    eval *ev = eval_new(in);
    value *next = mem_zero(in->ncells + 1, sizeof *next);
    value args[PARAMS + 1];
    for (bool first = true; eval_next_binding(in, r, args, &first);)
        if (eval_enabled(ev, state, r, args) && eval_fire(ev, state, r, args, next))
            map_put(out, next, in->ncells * sizeof *next, 1);
    eval_free(ev);
    free(next);
}

// Is each of the first among the second?
static void count_missing(const instance *in, rule r, const value *state, const map *other) {
    eval *ev = eval_new(in);
    value *next = mem_zero(in->ncells + 1, sizeof *next);
    value args[PARAMS + 1];
    for (bool first = true; eval_next_binding(in, r, args, &first);)
        if (eval_enabled(ev, state, r, args) && eval_fire(ev, state, r, args, next)) {
            wrong += !map_get(other, next, in->ncells * sizeof *next, 0);
            steps++;
        }
    eval_free(ev);
    free(next);
}

static void compare_at(const instance *in, rule with, rule without, rng *r) {
    value *state = mem_zero(in->ncells + 1, sizeof *state);
    for (uint32_t i = 0; i < in->ncells; i++) state[i] = (value)rng_below(r, 2);
    map *first = map_new(), *second = map_new();
    states_after(in, with, state, first);
    states_after(in, without, state, second);
    count_missing(in, with, state, second);
    count_missing(in, without, state, first);
    map_free(first);
    map_free(second);
    free(state);
}

static void compare_rules(uint64_t seed) {
    rng r = {seed};
    str text = {0};
    sys system;
    diag *messages = diag_new();
    model *m = model_new(messages);
    make_text(&text, &r);
    assert_true(pyv_read_text(m, "random.pyv", str_get(&text), text.len, &system));
    prover by = {.m = m, .system = system, .guarded = system, .property = {1}};
    rule with = sys_of(m, system)->rules.data[0], without = walked_rule(&by, 0);
    fewer += rule_of(m, without)->nparams < rule_of(m, with)->nparams;
    sort_size sizes[2] = {{model_find_type(m, "t"), SIZE}, {model_find_type(m, "k"), SIZE}};
    instance *in = instance_new(m, system, sizes, 2);
    assert_non_null(in);
    for (uint32_t i = 0; i < STATES; i++) compare_at(in, with, without, &r);
    instance_free(in);
    model_free(m);
    diag_free(messages);
    str_free(&text);
}

static void steps_are_the_same(void **unused) {
    (void)unused;
    for (uint64_t k = 0; k < RULES; k++) compare_rules(k);
    printf("# tally: steps of rules with few parameters | %u steps of %u rules | %u wrong\n", steps, RULES, wrong);
    assert_int_equal(wrong, 0);
    assert_true(fewer > RULES * 9 / 10 && steps > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
