// SPDX-License-Identifier: Apache-2.0
// Self-checks catch seeded faults. This program is linked with --wrap (see the Makefile), so that calls from
// src/explore to the functions below come here first: each test makes one of them lie in some states, and the search
// must notice, say so, start again without what lied, and end in the right answer. Nothing of this is in the program
// itself.
#include "oracle/unit.h"

#include "base/rng.h"
#include "pass/symmetric.h"
#include "explore/explore.h"
#include "oracle/murphi_sample.h"
#include "explore/sameorbit.h"
#include "explore/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- seeded faults

typedef enum {
    NO_FAULT,
    WRONG_SYMMETRY,        // nothing tells elements apart, says alike.h
    WRONG_SUCCESSOR,       // a bit of a successor
    LOST_SUCCESSOR,        // the last label is missing
    SWAPPED_SUCCESSORS,    // two labels out of order
    FALSE_TROUBLE,         // a label is said to fault or be refused
    WRONG_CONDITION,       // a condition is said to fail
    LOST_VIOLATION,        // a condition that fails is said to hold
    NO_REPRESENTATIVE,     // a state stays as it is
    FALSE_REPRESENTATIVE,  // another state's
    WRONG_RECORD,          // a bit of what comes out of the store
    WRONG_PACKING,         // a bit of what is packed
    LOST_STATE,            // a new state is said to be old
} fault_to_seed;

static struct {
    fault_to_seed lie;
    space_engine worst;  // the fault is in code of this kind and better ones
    bool is_plain;       // the space was made plainly
    _Atomic uint64_t times;
} seeded;

// Some states: one in `of`.
static bool is_chosen(const uint64_t *state, uint32_t of) {
    uint64_t x = (state[0] + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return (x >> 40) % of == 0;
}

static bool lies(fault_to_seed lie, const uint64_t *state, uint32_t of) {
    if (seeded.lie != lie || !is_chosen(state, of)) return false;
    seeded.times++;
    return true;
}

void __real_symmetric_find_exceptions(const instance *in, const expr *conds, uint32_t nconds,
                                      symmetric_exceptions *out);
void __wrap_symmetric_find_exceptions(const instance *in, const expr *conds, uint32_t nconds,
                                      symmetric_exceptions *out);
void __wrap_symmetric_find_exceptions(const instance *in, const expr *conds, uint32_t nconds,
                                      symmetric_exceptions *out) {
    if (seeded.lie != WRONG_SYMMETRY) __real_symmetric_find_exceptions(in, conds, nconds, out);
}

static space_engine engine_now;

space *__real_space_new(const instance *in, const space_options *options);
space *__wrap_space_new(const instance *in, const space_options *options);
space *__wrap_space_new(const instance *in, const space_options *options) {
    space *s = __real_space_new(in, options);
    seeded.is_plain = options->is_plain;
    engine_now = s ? space_engine_of(s) : SPACE_EVALUATOR;
    return s;
}

void __real_space_interpret(space *s);
void __wrap_space_interpret(space *s);
void __wrap_space_interpret(space *s) {
    __real_space_interpret(s);
    engine_now = space_engine_of(s);
}

uint32_t __real_space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels);
uint32_t __wrap_space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels);
uint32_t __wrap_space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    uint32_t n = __real_space_next(run, state, next, labels);
    if (engine_now < seeded.worst || !n) return n;
    if (lies(WRONG_SUCCESSOR, state, 5)) next[0] ^= 1;
    if (lies(FALSE_TROUBLE, state, 5)) labels[0] |= SPACE_TROUBLE;
    if (n > 1 && lies(SWAPPED_SUCCESSORS, state, 5)) {
        uint32_t label = labels[0];
        labels[0] = labels[1];
        labels[1] = label;
    }
    return lies(LOST_SUCCESSOR, state, 5) ? n - 1 : n;
}

bool __real_space_check(space_run *run, const uint64_t *state, uint64_t *failed);
bool __wrap_space_check(space_run *run, const uint64_t *state, uint64_t *failed);
bool __wrap_space_check(space_run *run, const uint64_t *state, uint64_t *failed) {
    bool holds = __real_space_check(run, state, failed);
    if (engine_now < seeded.worst) return holds;
    if (holds && lies(WRONG_CONDITION, state, 3)) failed[0] |= 1, holds = false;
    if (!holds && lies(LOST_VIOLATION, state, 1)) failed[0] = 0, holds = true;
    return holds;
}

void __real_space_canonical(space_run *run, uint64_t *state);
void __wrap_space_canonical(space_run *run, uint64_t *state);
void __wrap_space_canonical(space_run *run, uint64_t *state) {
    if (lies(NO_REPRESENTATIVE, state, 3)) return;
    __real_space_canonical(run, state);
    if (lies(FALSE_REPRESENTATIVE, state, 4)) state[0] &= ~UINT64_C(3);
}

void __real_store_get(const store *s, store_id id, uint64_t *state);
void __wrap_store_get(const store *s, store_id id, uint64_t *state);
void __wrap_store_get(const store *s, store_id id, uint64_t *state) {
    __real_store_get(s, id, state);
    if (!seeded.is_plain && lies(WRONG_RECORD, state, 6)) state[0] ^= 1;
}

void __real_space_pack(const space *s, const value *cells, uint64_t *state);
void __wrap_space_pack(const space *s, const value *cells, uint64_t *state);
void __wrap_space_pack(const space *s, const value *cells, uint64_t *state) {
    __real_space_pack(s, cells, state);
    if (!seeded.is_plain && lies(WRONG_PACKING, state, 6)) state[0] ^= 1;
}

store_answer __real_store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state, uint32_t guess);
store_answer __wrap_store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state, uint32_t guess);
store_answer __wrap_store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state, uint32_t guess) {
    if (!seeded.is_plain && lies(LOST_STATE, state, 4)) return STORE_OLD;
    return __real_store_put(s, part, print, state, guess);
}

// ---- a model

static void sample_new(murphi_sample *s, const char *text) {
    assert_true(murphi_sample_expect(s, text, &(murphi_options){.copies_undefined = true}));
}

static const self_check *fact(const result *r, const char *what) {
    for (uint32_t i = 0; i < r->self_checks.len; i++)
        if (str_same(r->self_checks.data[i].what, what)) return &r->self_checks.data[i];
    return NULL;
}

static uint32_t count_warnings(const murphi_sample *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < diag_count(s->messages); i++)
        n += diag_get(s->messages, i).level == DIAG_WARNING && strstr(diag_get(s->messages, i).text, "starts again");
    return n;
}

static result *explore_text(murphi_sample *s, const char *text, explore_options o) {
    sample_new(s, text);
    result *r = result_new();
    explore_run(s->in, s->props.data, s->props.len, &o, r, NULL);
    return r;
}

// Processes that take turns by tickets: 3 processes, a lock, counters; `p` is violated after six steps of one.
static const char *const locks =
    "type proc : scalarset(3);\n"
    "var at : array [proc] of 0..3; owner : proc; n : array [proc] of 0..2; lamp : boolean;\n"
    "startstate for p : proc do at[p] := 0; n[p] := 0; end; undefine owner; lamp := false; end;\n"
    "ruleset p : proc do\n"
    "  rule \"want\" at[p] = 0 ==> begin at[p] := 1; end;\n"
    "  rule \"take\" at[p] = 1 & isundefined(owner) ==> begin at[p] := 2; owner := p; end;\n"
    "  rule \"work\" at[p] = 2 & n[p] < 2 ==> begin n[p] := n[p] + 1; lamp := !lamp; end;\n"
    "  rule \"leave\" at[p] = 2 ==> begin at[p] := 0; undefine owner; end;\n"
    "end;\n"
    "invariant \"mutex\" forall p : proc do at[p] = 2 -> owner = p end;\n"
    "invariant \"few\" exists p : proc do n[p] < 2 end;\n";

// ---- tests

// Without a fault nothing fails, and the counts are those of a search without checks.
static void nothing_fails(void **state) {
    (void)state;
    uint64_t states[3];
    for (self_check_rate rate = SELF_CHECK_SAMPLE; rate <= SELF_CHECK_ALL; rate++) {
        murphi_sample s;
        seeded.lie = NO_FAULT;
        result *r = explore_text(&s, locks, (explore_options){.symmetry = SYMMETRY_EXACT, .self_check = rate});
        states[rate] = r->stats.states;
        assert_int_equal(r->self_checks.len, rate == SELF_CHECK_OFF ? 0 : 3);
        for (uint32_t i = 0; i < r->self_checks.len; i++) assert_null(r->self_checks.data[i].failure);
        if (rate == SELF_CHECK_ALL) assert_int_equal(fact(r, "symmetry")->samples, r->stats.states);
        if (rate == SELF_CHECK_SAMPLE) assert_in_range(fact(r, "symmetry")->samples, 5, r->stats.states);
        result_free(r);
        murphi_sample_free(&s);
    }
    assert_int_equal(states[0], states[1]);
    assert_int_equal(states[0], states[2]);
}

static uint64_t count_tried(const char *text, bool all_must_hold) {
    murphi_sample s;
    seeded.lie = NO_FAULT;
    explore_options o = {.symmetry = SYMMETRY_EXACT, .all_must_hold = all_must_hold};
    result *r = explore_text(&s, text, o);
    uint64_t n = fact(r, "code")->samples;
    result_free(r);
    murphi_sample_free(&s);
    return n;
}

// Where only a proof counts, a search that finds a violation tries samples alone, and one that proves it tries all.
static void only_proofs_are_tried_whole(void **state) {
    (void)state;
    str proved = {0};
    const char *last = strstr(locks, "invariant \"few\"");
    str_printf(&proved, "%.*s", (int)(last - locks), locks);
    assert_true(count_tried(locks, true) < count_tried(locks, false));
    assert_int_equal(count_tried(str_get(&proved), true), count_tried(str_get(&proved), false));
    str_free(&proved);
}

static verdict verdict_of(const result *r, const char *name) {
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (str_same(r->properties.data[i].name, name)) return r->properties.data[i].verdict;
    return VERDICT_UNKNOWN;
}

// The fault is found, said, and the answers are right, whatever the threads.
static void expect_caught(fault_to_seed lie, space_engine worst, self_check_rate rate, const char *what) {
    str texts[2] = {{0}, {0}};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        murphi_sample s;
        seeded.lie = lie;
        seeded.worst = worst;
        seeded.times = 0;
        explore_options o = {.symmetry = SYMMETRY_EXACT, .self_check = rate, .threads = threads, .parallel_least = 4};
        result *r = explore_text(&s, locks, o);
        bool is_right = verdict_of(r, "mutex") == VERDICT_HOLDS && verdict_of(r, "few") == VERDICT_VIOLATED;
        const self_check *c = fact(r, what);
        if (!is_right || !c || !c->failure)
            printf("# fault %d, rate %d: right %d, %s\n", lie, rate, is_right,
                   c && c->failure ? c->failure : "not found");
        assert_true(seeded.times > 0 || lie == WRONG_SYMMETRY);
        assert_true(is_right);
        assert_true(c && c->failure);
        assert_true(count_warnings(&s) >= 1);
        str_add(&texts[threads - 1], c->failure);
        result_free(r);
        murphi_sample_free(&s);
    }
    assert_string_equal(str_get(&texts[0]), str_get(&texts[1]));
    str_free(&texts[0]);
    str_free(&texts[1]);
}

static void expect_caught_twice(fault_to_seed lie, space_engine worst, const char *what) {
    expect_caught(lie, worst, SELF_CHECK_SAMPLE, what);
    expect_caught(lie, worst, SELF_CHECK_ALL, what);
}

static void code(void **state) {
    (void)state;
    static const fault_to_seed faults[] = {WRONG_SUCCESSOR, LOST_SUCCESSOR, SWAPPED_SUCCESSORS, FALSE_TROUBLE,
                                           WRONG_CONDITION};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        expect_caught_twice(faults[i], SPACE_MACHINE, "code");
        expect_caught_twice(faults[i], SPACE_BYTECODE, "code");
    }
    expect_caught(LOST_VIOLATION, SPACE_MACHINE, SELF_CHECK_ALL, "code");
}

static void representatives(void **state) {
    (void)state;
    expect_caught_twice(NO_REPRESENTATIVE, SPACE_EVALUATOR, "symmetry");
    expect_caught_twice(FALSE_REPRESENTATIVE, SPACE_EVALUATOR, "symmetry");
}

static void packing(void **state) {
    (void)state;
    expect_caught_twice(WRONG_RECORD, SPACE_EVALUATOR, "packing");
    expect_caught_twice(WRONG_PACKING, SPACE_EVALUATOR, "packing");
    expect_caught_twice(LOST_STATE, SPACE_EVALUATOR, "packing");
}

// ---- symmetry that is none

static void symmetry(void **state) {
    (void)state;
    // The last flag seen counts: with flags that differ, `p` fails, and holds for the representatives.
    const char *text = "type node : scalarset(3); colour : enum {red, green};\n"
                       "var a : array [node] of colour; w : colour; done : boolean;\n"
                       "startstate for n : node do a[n] := red; end; w := red; done := false; end;\n"
                       "ruleset n : node do rule \"set\" !done ==> begin a[n] := green; end; end;\n"
                       "rule \"last\" !done ==> begin for n : node do w := a[n]; end; done := true; end;\n"
                       "invariant \"p\" done & (exists n : node do a[n] = red end) -> w = red;\n"
                       "invariant \"q\" done & (exists n : node do a[n] = green end) -> w = green;\n";
    for (self_check_rate rate = SELF_CHECK_SAMPLE; rate <= SELF_CHECK_ALL; rate++) {
        murphi_sample s;
        seeded.lie = WRONG_SYMMETRY;
        result *r = explore_text(&s, text, (explore_options){.symmetry = SYMMETRY_EXACT, .self_check = rate});
        const self_check *c = fact(r, "symmetry");
        if (rate == SELF_CHECK_OFF) assert_null(c);
        else assert_true(c && c->failure && strstr(c->failure, "'last'") && strstr(c->failure, "with node "));
        assert_int_equal(r->stats.is_reduced, rate == SELF_CHECK_OFF);
        bool is_right = verdict_of(r, "p") == VERDICT_VIOLATED && verdict_of(r, "q") == VERDICT_VIOLATED;
        assert_int_equal(is_right, rate != SELF_CHECK_OFF);
        result_free(r);
        murphi_sample_free(&s);
    }
}

// ---- renamings of states

static void orbits(void **state) {
    (void)state;
    murphi_sample s;
    seeded.lie = NO_FAULT;
    sample_new(&s, "type t : scalarset(4); u : scalarset(3); v : union {t, u};\n"
                   "var f : array [t] of v; r : array [t] of array [t] of boolean; g : array [u] of 0..1; h : v;\n"
                   "startstate undefine f; undefine r; undefine g; undefine h; end;\n");
    type_list sorts = {0};
    vec_push(&sorts, model_find_type(s.m, "t"));
    vec_push(&sorts, model_find_type(s.m, "u"));
    rng random = {1};
    uint32_t nsame = 0, nother = 0;
    for (uint32_t round = 0; round < 2000; round++) {
        value a[s.in->ncells], b[s.in->ncells], args[4];
        for (uint32_t c = 0; c < s.in->ncells; c++) {
            const func_info *f = func_of(s.m, instance_cell_func(s.in, c, args));
            value first = instance_type_first(s.in, f->result);
            a[c] = first + (value)rng_below(&random, instance_type_size(s.in, f->result));
            if (round % 3 == 0) a[c] = first;  // many elements alike
        }
        renaming *g = renaming_new(s.in);
        for (uint32_t k = 0; k < sorts.len; k++) {
            value *to = renaming_open(g, sorts.data[k]);
            for (uint32_t i = instance_type_size(s.in, sorts.data[k]); i-- > 1;) {
                uint32_t j = rng_below(&random, i + 1);
                value kept = to[i];
                to[i] = to[j];
                to[j] = kept;
            }
        }
        renaming_close(g);
        renaming_state(g, a, b);
        uint64_t steps = 1000000;
        assert_int_equal(sameorbit(s.in, &sorts, a, b, &steps), ORBIT_SAME);
        nsame++;
        // One more true cell of r: another orbit.
        uint32_t cell = s.in->first_cell[model_find_func(s.m, s.system, "r").id];
        if (cell != UINT32_MAX && !b[cell]) {
            b[cell] = 1;
            steps = 1000000;
            assert_int_equal(sameorbit(s.in, &sorts, a, b, &steps), ORBIT_OTHER);
            nother++;
        }
        renaming_free(g);
    }
    assert_true(nsame == 2000 && nother > 500);
    vec_free(&sorts);
    murphi_sample_free(&s);
}

// ---- checkpoints

static void expect_answer(fault_to_seed lie, explore_options o, bool is_reduced, const char *said) {
    murphi_sample s;
    seeded.lie = lie;
    result *r = explore_text(&s, locks, o);
    bool is_said = !*said;
    for (uint32_t i = 0; i < diag_count(s.messages); i++) is_said |= strstr(diag_get(s.messages, i).text, said) != NULL;
    assert_true(is_said && !diag_failed(s.messages));
    assert_int_equal(r->stats.is_reduced, is_reduced);
    if (o.limit_states) assert_int_equal(verdict_of(r, "mutex"), VERDICT_UNKNOWN);
    else assert_int_equal(verdict_of(r, "mutex"), VERDICT_HOLDS);
    if (!o.limit_states) assert_int_equal(verdict_of(r, "few"), VERDICT_VIOLATED);
    assert_int_equal(access(o.checkpoint, F_OK) == 0, o.limit_states != 0);
    result_free(r);
    murphi_sample_free(&s);
}

// The file of a search that relied on what fails is not gone on with; that of the one after it is, and goes on without.
static void checkpoints(void **state) {
    (void)state;
    char file[] = "/tmp/selfcheck-XXXXXX";
    close(mkstemp(file));
    seeded.worst = SPACE_EVALUATOR;
    explore_options o = {.symmetry = SYMMETRY_EXACT, .self_check = SELF_CHECK_ALL, .checkpoint = file};
    expect_answer(FALSE_REPRESENTATIVE, o, false, "symmetry is switched off");
    o.limit_states = 30;
    expect_answer(NO_FAULT, o, true, "");
    o.limit_states = 0;
    expect_answer(FALSE_REPRESENTATIVE, o, false, "symmetry is switched off");
    expect_answer(FALSE_REPRESENTATIVE,
                  (explore_options){.symmetry = SYMMETRY_EXACT,
                                    .self_check = SELF_CHECK_OFF,
                                    .checkpoint = file,
                                    .limit_states = 125,
                                    .check_deadlock = true},
                  false, "symmetry is switched off");
    unlink(file);
    o.limit_states = 30;
    expect_answer(NO_FAULT, o, true, "");
    o.limit_states = 200;
    expect_answer(FALSE_REPRESENTATIVE, o, false, "symmetry is switched off");
    o.limit_states = 300;
    expect_answer(NO_FAULT, o, false, "symmetry failed in the search of");
    o.limit_states = 0;
    expect_answer(NO_FAULT, o, false, "continuing from");
}

// Two scalarsets, of which only one is permuted: the last of those that are off depends on the order.
static const char *const lamps =
    "type lamp : scalarset(2); door : scalarset(3);\n"
    "var on : array [lamp] of boolean; last : lamp; at : array [door] of 0..3;\n"
    "startstate for l : lamp do on[l] := false; end; for d : door do at[d] := 0; end; undefine last; end;\n"
    "ruleset l : lamp do rule \"switch\" on[l] := !on[l]; end; end;\n"
    "rule \"look\" for l : lamp do if !on[l] then last := l; end; end; end;\n"
    "ruleset d : door do rule \"turn\" at[d] < 3 ==> at[d] := at[d] + 1; end; end;\n"
    "invariant \"few\" exists d : door do at[d] < 3 end;\n";

// A search that permutes other sorts has other representatives: it does not go on from the file, which stays.
static void checkpoints_of_other_sorts(void **state) {
    (void)state;
    char file[] = "/tmp/selfcheck-XXXXXX";
    close(mkstemp(file));
    explore_options o = {.symmetry = SYMMETRY_EXACT, .self_check = SELF_CHECK_OFF, .checkpoint = file};
    const fault_to_seed lies_told[] = {NO_FAULT, WRONG_SYMMETRY, NO_FAULT};
    for (uint32_t i = 0; i < 3; i++) {
        murphi_sample s;
        seeded.lie = lies_told[i];
        o.limit_states = i < 2 ? 20 : 0;
        result *r = explore_text(&s, lamps, o);
        assert_int_equal(diag_failed(s.messages), i == 1);
        if (i == 1) assert_non_null(strstr(diag_get(s.messages, diag_count(s.messages) - 1).text, "other options"));
        else assert_true(r->stats.is_reduced);
        assert_int_equal(access(file, F_OK) == 0, i < 2);
        if (i == 2) assert_int_equal(verdict_of(r, "few"), VERDICT_VIOLATED);
        result_free(r);
        murphi_sample_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_fails),
                                       cmocka_unit_test(only_proofs_are_tried_whole),
                                       cmocka_unit_test(code),
                                       cmocka_unit_test(representatives),
                                       cmocka_unit_test(packing),
                                       cmocka_unit_test(symmetry),
                                       cmocka_unit_test(orbits),
                                       cmocka_unit_test(checkpoints),
                                       cmocka_unit_test(checkpoints_of_other_sorts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
