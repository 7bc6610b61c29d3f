// SPDX-License-Identifier: Apache-2.0
// The text for provers outside against the ground engine, on random systems: z3, cvc5, E and SPASS where installed.
// With several inits an obligation is one init's, the ground answer that of all, so only "proved" is compared then.
#include "oracle/random_obligation.h"
#include "oracle/unit.h"

#include "logic/external.h"
#include "model/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t rounds(uint32_t usual) { return getenv("PARVIS_LONG") ? usual * 20 : usual; }

typedef struct {
    random_obligation r;
    logic *l;
    obligations o;
    bits all;
    uint32_t agreed, unknown;
} comparison;

static void start(comparison *c, uint64_t seed, unsigned features) {
    c->r = random_obligation_new(seed, features);
    model *m = c->r.m;
    prop_info info = {.kind = PROP_INVARIANT, .name = "p", .system = c->r.system, .cond = c->r.lemmas.data[0]};
    prop p = model_add_prop(m, info);
    c->l = logic_new(m, c->r.system, &(logic_options){.backend = BACKEND_GROUND});
    for (uint32_t i = 0; i < c->r.lemmas.len; i++) bits_add(&c->all, logic_add_lemma(c->l, c->r.lemmas.data[i]));
    assert_true(obligations_of(m, c->r.system, c->r.lemmas.data, c->r.lemmas.len, NULL, p, &c->o));
}

static void stop(comparison *c) {
    obligations_free(&c->o);
    logic_free(c->l);
    bits_free(&c->all);
    random_obligation_free(&c->r);
}

static uint32_t rule_index(const comparison *c, rule r) {
    const sys_info *s = sys_of(c->r.m, c->r.system);
    uint32_t i = 0;
    while (s->rules.data[i].id != r.id) i++;
    return i;
}

static answer by_ground(comparison *c, const obligation_set *s, const obligation_goal *g) {
    bits one = {0}, failed = {0};
    answer a;
    if (g->lemma != UINT32_MAX) bits_add(&one, g->lemma);
    if (s->kind == OBLIGATION_SAFETY) a = logic_implied(c->l, UINT32_MAX, &c->all, c->r.lemmas.data[0]);
    else if (s->kind == OBLIGATION_INITIATION) a = logic_initially(c->l, &one, &failed);
    else a = logic_preserved(c->l, rule_index(c, s->r), &c->all, &one, &failed);
    bits_free(&one);
    bits_free(&failed);
    return a;
}

static void compare_goal(comparison *c, external_prover p, const obligation_set *s, uint32_t i, answer theirs,
                         uint64_t seed) {
    answer ours = by_ground(c, s, &s->goals[i]);
    bool one_of_several = s->kind == OBLIGATION_INITIATION && sys_of(c->r.m, c->r.system)->inits.len > 1;
    if (theirs == ANSWER_UNKNOWN || ours == ANSWER_UNKNOWN || (one_of_several && ours == ANSWER_REFUTED)) {
        c->unknown += theirs == ANSWER_UNKNOWN;
        return;
    }
    if (ours != theirs) {
        str text = {0};
        print_system(c->r.m, c->r.system, &text);
        print_expr(c->r.m, s->goals[i].formula, &text);
        fprintf(stderr, "seed %llu, %s: ours %d, %s %d\n%s\n", (unsigned long long)seed, s->goals[i].name, ours,
                external_name(p), theirs, str_get(&text));
        str_free(&text);
    }
    assert_int_equal(ours, theirs);
    c->agreed++;
}

static void compare_seed(external_prover p, uint64_t seed, unsigned features, uint32_t *agreed, uint32_t *unknown) {
    comparison c = {0};
    external_limits allowed = {.seconds = 1};
    start(&c, seed, features);
    for (uint32_t k = 0; k < c.o.sets.len; k++) {
        const obligation_set *s = &c.o.sets.data[k];
        answer answers[64];
        str why = {0};
        assert_true(s->ngoals <= 64);
        external_ask(p, &c.o, s, 0, s->ngoals, &allowed, answers, &why);
        if (strstr(str_get(&why), "rror")) fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, str_get(&why));
        assert_null(strstr(str_get(&why), "rror"));
        for (uint32_t i = 0; i < s->ngoals; i++) compare_goal(&c, p, s, i, answers[i], seed);
        str_free(&why);
    }
    *agreed += c.agreed;
    *unknown += c.unknown;
    stop(&c);
}

static void compare_with(external_prover p, uint32_t n) {
    uint32_t agreed = 0, unknown = 0;
    if (!external_is_installed(p)) skip();
    for (uint64_t seed = 1; seed <= n; seed++) compare_seed(p, seed, OBLIGATION_STRATIFIED, &agreed, &unknown);
    for (uint64_t seed = 1; seed <= n / 4; seed++) {
        compare_seed(p, seed, OBLIGATION_ORDERED, &agreed, &unknown);
        compare_seed(p, seed, OBLIGATION_CHOSEN, &agreed, &unknown);
    }
    print_message("%s: %u agreed, %u unknown\n", external_name(p), agreed, unknown);
    assert_true(agreed > unknown);
}

static void agrees_with_z3(void **state) { (void)state, compare_with(EXTERNAL_Z3, rounds(24)); }
static void agrees_with_cvc5(void **state) { (void)state, compare_with(EXTERNAL_CVC5, rounds(8)); }
static void agrees_with_e(void **state) { (void)state, compare_with(EXTERNAL_EPROVER, rounds(8)); }
static void agrees_with_spass(void **state) { (void)state, compare_with(EXTERNAL_SPASS, rounds(6)); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_z3),
        cmocka_unit_test(agrees_with_cvc5),
        cmocka_unit_test(agrees_with_e),
        cmocka_unit_test(agrees_with_spass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
