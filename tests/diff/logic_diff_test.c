// SPDX-License-Identifier: Apache-2.0
// The ground engine against Z3 and against both taking turns, and the countermodels of each against the reference
// evaluator, on random systems and lemmas.
#include "oracle/random_obligation.h"
#include "oracle/unit.h"

#include "logic/logic.h"
#include "model/eval.h"
#include "model/print.h"

#include <stdio.h>
#include <string.h>

static uint32_t rounds(uint32_t usual) { return getenv("PARVIS_LONG") ? usual * 20 : usual; }

typedef struct {
    uint32_t proved, refuted, ground_unknown, z3_unknown, z3_refuted, z3_witnesses;
} tally;

static void describe(const random_obligation *r, uint64_t seed, const char *what) {
    str text = {0};
    print_system(r->m, r->system, &text);
    for (uint32_t i = 0; i < r->lemmas.len; i++) {
        str_printf(&text, "lemma %u: ", i);
        print_expr(r->m, r->lemmas.data[i], &text);
        str_add(&text, "\n");
    }
    fprintf(stderr, "seed %llu: %s\n%s", (unsigned long long)seed, what, str_get(&text));
    str_free(&text);
}

// With both backends the ground engine gives up after its first step, so that Z3 is asked next.
static logic *make_logic(random_obligation *r, logic_backend backend) {
    logic_options options = {.backend = backend, .query_seconds = 1, .ground_work = 1};
    logic *l = logic_new(r->m, r->system, &options);
    for (uint32_t i = 0; l && i < r->lemmas.len; i++) logic_add_lemma(l, r->lemmas.data[i]);
    return l;
}

// ---- countermodels are real

static void confirm(random_obligation *r, logic *l, const bits *assumed, const bits *failed, expr implied) {
    const logic_witness *w = logic_last_witness(l);
    assert_non_null(w);
    eval *ev = eval_new(w->in);
    for (uint32_t i = 0; i < sys_of(r->m, r->system)->axioms.len; i++)
        assert_true(eval_expr(ev, w->before, sys_of(r->m, r->system)->axioms.data[i].cond));
    for (uint32_t i = bits_next(assumed, 0); i != UINT32_MAX; i = bits_next(assumed, i + 1))
        assert_true(eval_expr(ev, w->before, logic_lemma(l, i)));
    const rule_info *info = w->r.id ? rule_of(r->m, w->r) : NULL;
    if (info) assert_true(eval_enabled(ev, w->before, w->r, w->args));
    if (implied.id) assert_false(eval_expr(ev, w->before, implied));
    const value *seen = w->after ? w->after : w->before;
    if (w->after && !info->nchosen) {
        value *next = mem_zero(w->in->ncells + 1, sizeof *next);
        assert_true(eval_fire(ev, w->before, w->r, w->args, next));
        assert_memory_equal(next, w->after, w->in->ncells * sizeof *next);
        free(next);
    }
    for (uint32_t i = 0; failed && i < r->lemmas.len; i++)
        if (bits_has(failed, i)) assert_false(eval_expr(ev, seen, logic_lemma(l, i)));
    eval_free(ev);
}

typedef struct {
    const value *state;
    uint32_t ncells;
    bool found;
} start_search;

static bool same_start(const value *state, void *context) {
    start_search *s = context;
    s->found |= memcmp(state, s->state, s->ncells * sizeof *state) == 0;
    return !s->found;
}

static void confirm_start(logic *l) {
    const logic_witness *w = logic_last_witness(l);
    if (w->in->ncells > 12) return;
    start_search s = {w->before, w->in->ncells, false};
    assert_true(eval_initial(w->in, same_start, &s));
    assert_true(s.found);
}

// ---- ground and Z3

typedef answer (*question)(logic *l, uint32_t which, const bits *assumed, const bits *asked, bits *failed);

static answer preserved(logic *l, uint32_t which, const bits *assumed, const bits *asked, bits *failed) {
    return logic_preserved(l, which, assumed, asked, failed);
}

static answer initially(logic *l, uint32_t which, const bits *assumed, const bits *asked, bits *failed) {
    (void)which;
    (void)assumed;
    return logic_initially(l, asked, failed);
}

// What is compared: the engines alone, and both.
typedef struct {
    logic *ground, *z3, *both;
} engines;

static answer ask_one(random_obligation *r, logic *l, question ask, uint32_t which, const bits *assumed,
                      uint32_t lemma) {
    bits asked = {0}, failed = {0};
    bits_add(&asked, lemma);
    answer a = ask(l, which, assumed, &asked, &failed);
    if (a == ANSWER_REFUTED) assert_true(bits_has(&failed, lemma));
    if (a == ANSWER_REFUTED && logic_last_witness(l)) {
        confirm(r, l, ask == initially ? &(bits){0} : assumed, &failed, (expr){0});
        if (ask == initially) confirm_start(l);
    }
    bits_free(&asked);
    bits_free(&failed);
    return a;
}

static void count(tally *t, answer ground, answer z3, bool z3_has_witness) {
    t->proved += ground == ANSWER_PROVED;
    t->refuted += ground == ANSWER_REFUTED;
    t->ground_unknown += ground == ANSWER_UNKNOWN;
    t->z3_unknown += z3 == ANSWER_UNKNOWN;
    t->z3_refuted += z3 == ANSWER_REFUTED;
    t->z3_witnesses += z3 == ANSWER_REFUTED && z3_has_witness;
}

static bool agree(answer a, answer b) { return a == b || a == ANSWER_UNKNOWN || b == ANSWER_UNKNOWN; }

static bool compare(random_obligation *r, uint64_t seed, const engines *e, question ask, uint32_t which,
                    const bits *assumed, uint32_t lemma, tally *t) {
    answer g = ask_one(r, e->ground, ask, which, assumed, lemma);
    if (g == ANSWER_REFUTED) assert_non_null(logic_last_witness(e->ground));
    answer z = ask_one(r, e->z3, ask, which, assumed, lemma);
    count(t, g, z, logic_last_witness(e->z3));
    answer both = ask_one(r, e->both, ask, which, assumed, lemma);
    bool ok = agree(g, z) && agree(g, both) && (both != ANSWER_UNKNOWN || g == ANSWER_UNKNOWN);
    if (!ok) {
        char what[100];
        snprintf(what, sizeof what, "%s rule %u lemma %u: ground %d, Z3 %d, both %d",
                 ask == initially ? "start" : "step", which, lemma, g, z, both);
        describe(r, seed, what);
    }
    return ok;
}

static bool compare_all(uint64_t seed, unsigned features, tally *t) {
    random_obligation r = random_obligation_new(seed, features);
    engines e = {make_logic(&r, BACKEND_GROUND), make_logic(&r, BACKEND_Z3), make_logic(&r, BACKEND_AUTO)};
    bool ok = true;
    for (uint32_t i = 0; e.ground && i < r.lemmas.len; i++) ok &= compare(&r, seed, &e, initially, 0, NULL, i, t);
    for (uint32_t k = 0; e.ground && k < sys_of(r.m, r.system)->rules.len; k++) {
        bits assumed = {0};
        for (uint32_t i = 0; i < r.lemmas.len; i++)
            if (rng_below(&r.random, 3)) bits_add(&assumed, i);
        for (uint32_t i = 0; i < r.lemmas.len; i++) ok &= compare(&r, seed, &e, preserved, k, &assumed, i, t);
        bits_free(&assumed);
    }
    logic_free(e.ground);
    logic_free(e.z3);
    logic_free(e.both);
    random_obligation_free(&r);
    return ok;
}

static void run(uint64_t first, uint32_t n, unsigned features, tally *t) {
    for (uint64_t seed = first; seed < first + n; seed++) assert_true(compare_all(seed, features, t));
    print_message("%u proved, %u refuted, unknown: ground %u, Z3 %u; %u of Z3's %u countermodels shown\n", t->proved,
                  t->refuted, t->ground_unknown, t->z3_unknown, t->z3_witnesses, t->z3_refuted);
    assert_true(t->z3_witnesses * 10 >= t->z3_refuted * 9);
}

static void ground_agrees_with_z3(void **state) {
    (void)state;
    tally t = {0};
    run(1, rounds(150), OBLIGATION_STRATIFIED, &t);
    assert_int_equal(t.ground_unknown, 0);
    assert_true(t.z3_unknown * 20 < t.proved + t.refuted);
}

static void ground_agrees_with_z3_on_orders(void **state) {
    (void)state;
    tally t = {0};
    run(100001, rounds(50), OBLIGATION_ORDERED, &t);
    assert_int_equal(t.ground_unknown, 0);
}

static void ground_agrees_with_z3_under_axioms(void **state) {
    (void)state;
    tally t = {0};
    run(500001, rounds(60), OBLIGATION_AXIOMS, &t);
    assert_int_equal(t.ground_unknown, 0);
}

static void ground_agrees_with_z3_on_chosen_values(void **state) {
    (void)state;
    tally t = {0};
    run(200001, rounds(50), OBLIGATION_CHOSEN, &t);
}

// ---- weakening

// The largest inductive subset is one, however it is computed: with one logic for all questions, which remembers its
// proofs, or with a new one for each question.
static void weaken(random_obligation *r, bits *stands, bool fresh) {
    bits failed = {0};
    uint32_t nrules = sys_of(r->m, r->system)->rules.len;
    logic *l = make_logic(r, BACKEND_GROUND);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k <= nrules; k++) {
            if (fresh) {
                logic_free(l);
                l = make_logic(r, BACKEND_GROUND);
            }
            answer a =
                k == nrules ? logic_initially(l, stands, &failed) : logic_preserved(l, k, stands, stands, &failed);
            assert_int_not_equal(a, ANSWER_UNKNOWN);
            assert_int_equal(a == ANSWER_REFUTED, !bits_is_empty(&failed));
            again |= a == ANSWER_REFUTED;
            for (uint32_t i = bits_next(&failed, 0); i != UINT32_MAX; i = bits_next(&failed, i + 1))
                bits_remove(stands, i);
        }
    }
    logic_free(l);
    bits_free(&failed);
}

static void weakening_ends_in_the_largest_inductive_set(void **state) {
    (void)state;
    uint32_t kept = 0, dropped = 0;
    for (uint64_t seed = 300001; seed < 300001 + rounds(300); seed++) {
        random_obligation r = random_obligation_new(seed, OBLIGATION_STRATIFIED);
        bits one = {0}, two = {0};
        for (uint32_t i = 0; i < r.lemmas.len; i++) bits_add(&one, i), bits_add(&two, i);
        weaken(&r, &one, false);
        weaken(&r, &two, true);
        for (uint32_t i = 0; i < r.lemmas.len; i++) assert_int_equal(bits_has(&one, i), bits_has(&two, i));
        kept += bits_count(&one);
        dropped += r.lemmas.len - bits_count(&one);
        bits_free(&one);
        bits_free(&two);
        random_obligation_free(&r);
    }
    print_message("%u kept, %u dropped\n", kept, dropped);
}

static void outside_the_fragment_answers_are_right_too(void **state) {
    (void)state;
    tally t = {0};
    run(400001, rounds(30), OBLIGATION_WILD, &t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weakening_ends_in_the_largest_inductive_set),
        cmocka_unit_test(outside_the_fragment_answers_are_right_too),
        cmocka_unit_test(ground_agrees_with_z3),
        cmocka_unit_test(ground_agrees_with_z3_on_orders),
        cmocka_unit_test(ground_agrees_with_z3_under_axioms),
        cmocka_unit_test(ground_agrees_with_z3_on_chosen_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
