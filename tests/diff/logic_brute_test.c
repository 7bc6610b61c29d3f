// SPDX-License-Identifier: Apache-2.0
// The ground engine against trying every state of every tiny instance with the reference evaluator: what is proved
// has no counterexample there, and a countermodel of those sizes is found there.
#include "oracle/random_obligation.h"
#include "oracle/unit.h"

#include "logic/logic.h"
#include "model/eval.h"

#include <stdlib.h>
#include <string.h>

enum { SETTLED_FAULT = ANSWER_UNKNOWN + 1, SETTLED_REFUSED, SETTLED };  // after the answers
enum { LARGEST = 2, MOST_STATES = 20000, MOST_PARAMS = 8 };

static uint32_t rounds(uint32_t usual) { return getenv("PARVIS_LONG") ? usual * 20 : usual; }

// What brute force saw, by lemma: false in an initial state, false after a rule, not implied by the others.
typedef struct {
    bits initially, implied;
    bits preserved[4];
    bool faults;  // a rule left a range
} seen;

typedef struct {
    random_obligation *r;
    const bits *assumed;
    const instance *in;
    eval *ev;
    seen *out;
} brute;

static bool lemma_holds(brute *b, const value *state, uint32_t i) {
    return eval_expr(b->ev, state, b->r->lemmas.data[i]);
}

static bool assumed_hold(brute *b, const value *state) {
    for (uint32_t i = bits_next(b->assumed, 0); i != UINT32_MAX; i = bits_next(b->assumed, i + 1))
        if (!lemma_holds(b, state, i)) return false;
    return true;
}

static void try_rules(brute *b, const value *state, value *next) {
    const sys_info *s = sys_of(b->r->m, b->r->system);
    for (uint32_t k = 0; k < s->rules.len; k++) {
        value args[MOST_PARAMS];
        for (bool first = true; eval_next_binding(b->in, s->rules.data[k], args, &first);) {
            if (!eval_enabled(b->ev, state, s->rules.data[k], args)) continue;
            if (!eval_fire(b->ev, state, s->rules.data[k], args, next)) {
                b->out->faults = true;
                continue;
            }
            for (uint32_t i = 0; i < b->r->lemmas.len; i++)
                if (!lemma_holds(b, next, i)) bits_add(&b->out->preserved[k], i);
        }
    }
}

static void try_state(brute *b, const value *state, value *next) {
    if (!assumed_hold(b, state)) return;
    for (uint32_t i = 0; i < b->r->lemmas.len; i++)
        if (!lemma_holds(b, state, i)) bits_add(&b->out->implied, i);
    try_rules(b, state, next);
}

static type cell_type(const instance *in, uint32_t cell) {
    value args[MOST_PARAMS];
    return func_of(in->m, instance_cell_func(in, cell, args))->result;
}

// The state after this one in row-major order.
static bool next_state(const instance *in, value *state) {
    for (uint32_t c = in->ncells; c-- > 0;) {
        type t = cell_type(in, c);
        value first = instance_type_first(in, t);
        if (state[c] + 1 - first < (value)instance_type_size(in, t)) {
            state[c]++;
            return true;
        }
        state[c] = first;
    }
    return false;
}

static double count_states(const instance *in) {
    double n = 1;
    for (uint32_t c = 0; c < in->ncells; c++) n *= instance_type_size(in, cell_type(in, c));
    return n;
}

static bool at_start(const value *state, void *context) {
    brute *b = context;
    for (uint32_t i = 0; i < b->r->lemmas.len; i++)
        if (!lemma_holds(b, state, i)) bits_add(&b->out->initially, i);
    return true;
}

// False if an instance of these sizes has too many states.
static bool try_instance(brute *b, uint32_t a, uint32_t c) {
    sort_size sizes[] = {{b->r->a, a}, {b->r->b, c}};
    instance *in = instance_new(b->r->m, b->r->system, sizes, 2);
    bool small = in && count_states(in) <= MOST_STATES;
    if (small) {
        value *state = mem_zero(in->ncells + 1, sizeof *state), *next = mem_zero(in->ncells + 1, sizeof *next);
        b->in = in;
        b->ev = eval_new(in);
        for (uint32_t i = 0; i < in->ncells; i++) state[i] = instance_type_first(in, cell_type(in, i));
        do try_state(b, state, next);
        while (next_state(in, state));
        assert_true(eval_initial(in, at_start, b));
        eval_free(b->ev);
        free(state);
        free(next);
    }
    instance_free(in);
    return small;
}

static bool is_tiny(random_obligation *r, const logic *l) {
    const logic_witness *w = logic_last_witness(l);
    return w && w->in->sort_size[r->a.id] <= LARGEST && w->in->sort_size[r->b.id] <= LARGEST;
}

// Ground's answer against what brute force saw of one lemma.
static void judge(random_obligation *r, const logic *l, answer a, bool violated, bool complete, uint32_t *settled) {
    assert_int_not_equal(a, ANSWER_UNKNOWN);
    if (violated) assert_int_equal(a, ANSWER_REFUTED);
    if (complete && a == ANSWER_REFUTED && is_tiny(r, l)) assert_true(violated);
    settled[a]++;
}

static void compare(random_obligation *r, const bits *assumed, const seen *s, bool complete, uint32_t *settled) {
    logic *l = logic_new(r->m, r->system, &(logic_options){.backend = BACKEND_GROUND});
    if (s->faults) assert_null(l);
    if (!l) {
        settled[s->faults ? SETTLED_FAULT : SETTLED_REFUSED]++;
        return;
    }
    for (uint32_t i = 0; i < r->lemmas.len; i++) logic_add_lemma(l, r->lemmas.data[i]);
    for (uint32_t i = 0; i < r->lemmas.len; i++) {
        bits one = {0}, failed = {0};
        bits_add(&one, i);
        answer a = logic_initially(l, &one, &failed);
        judge(r, l, a, bits_has(&s->initially, i), complete, settled);
        a = logic_implied(l, UINT32_MAX, assumed, r->lemmas.data[i]);
        judge(r, l, a, bits_has(&s->implied, i), complete, settled);
        for (uint32_t k = 0; k < sys_of(r->m, r->system)->rules.len; k++) {
            a = logic_preserved(l, k, assumed, &one, &failed);
            judge(r, l, a, bits_has(&s->preserved[k], i), complete, settled);
        }
        bits_free(&one);
        bits_free(&failed);
    }
    logic_free(l);
}

static void try_seed(uint64_t seed, unsigned features, uint32_t *settled) {
    random_obligation r = random_obligation_new(seed, features);
    bits assumed = {0};
    seen s = {0};
    for (uint32_t i = 0; i < r.lemmas.len; i++)
        if (rng_below(&r.random, 2) && !(features & OBLIGATION_RANGES)) bits_add(&assumed, i);
    brute b = {&r, &assumed, NULL, NULL, &s};
    bool complete = true;
    for (uint32_t a = 1; a <= LARGEST; a++)
        for (uint32_t c = 1; c <= LARGEST; c++) complete &= try_instance(&b, a, c);
    compare(&r, &assumed, &s, complete, settled);
    bits_free(&assumed);
    bits_free(&s.initially);
    bits_free(&s.implied);
    for (int i = 0; i < 4; i++) bits_free(&s.preserved[i]);
    random_obligation_free(&r);
}

static void agrees_with_every_state(void **state) {
    (void)state;
    uint32_t settled[SETTLED] = {0};
    for (uint64_t seed = 1; seed <= rounds(3000); seed++) try_seed(seed, OBLIGATION_TINY, settled);
    print_message("%u proved, %u refuted\n", settled[ANSWER_PROVED], settled[ANSWER_REFUTED]);
}

static void agrees_with_every_state_of_orders(void **state) {
    (void)state;
    uint32_t settled[SETTLED] = {0};
    for (uint64_t seed = 5000; seed < 5000 + rounds(1500); seed++)
        try_seed(seed, OBLIGATION_TINY | OBLIGATION_ORDERED, settled);
    print_message("%u proved, %u refuted\n", settled[ANSWER_PROVED], settled[ANSWER_REFUTED]);
}

// A system in which some state's step leaves a range is refused; one that is taken is judged as above.
static void ranges_left_are_refused(void **state) {
    (void)state;
    uint32_t settled[SETTLED] = {0};
    for (uint64_t seed = 9000; seed < 9000 + rounds(600); seed++)
        try_seed(seed, OBLIGATION_TINY | OBLIGATION_RANGES, settled);
    print_message("%u proved, %u refuted; systems refused: %u that fault, %u others\n", settled[ANSWER_PROVED],
                  settled[ANSWER_REFUTED], settled[SETTLED_FAULT], settled[SETTLED_REFUSED]);
    assert_true(settled[ANSWER_PROVED] > 500 && settled[SETTLED_FAULT] > 50);
    assert_true(settled[SETTLED_REFUSED] * 10 < settled[SETTLED_FAULT]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_every_state),
        cmocka_unit_test(agrees_with_every_state_of_orders),
        cmocka_unit_test(ranges_left_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
