// SPDX-License-Identifier: Apache-2.0
// Self-checks of timed searches catch seeded faults. This program is linked with --wrap (see the Makefile), so that
// calls to the functions below come here first: each test makes one of them lie, and the search must notice, say so,
// start again without what lied, and give the answers of a search to which nobody lies. Queries about states and about
// runs, in machine code and in bytecode.
#include "front/xta/xta.h"
#include "oracle/unit.h"
#include "zone/search.h"

#include <stdio.h>
#include <string.h>

// ---- seeded faults

typedef enum {
    NO_LIE,
    LOST_SUCCESSOR,        // the last label is missing
    SWAPPED_SUCCESSORS,    // two labels lead to each other's states
    FALSE_TROUBLE,         // a label is said to fail
    FALSE_CONDITION,       // a formula is said to hold, or an invariant not to apply
    FALSE_PACKING,         // two states are packed into one
    SMALL_ABSTRACTION,     // an abstracted zone is a part of the zone
    FALSE_INCLUSION,       // a zone is said to be within another
    LOW_BOUNDS,            // a clock is said to be compared with less than it is
    FALSE_REPRESENTATIVE,  // the state is permuted, the zone is not
    LOST_NODE,             // a new zone is said to be known
    LOST_RUN_NODE,         // the same in a search for runs
} lie;

static struct {
    lie is;
    space_engine worst;  // the fault is in code of this kind and better ones
    space_engine now;
    bool is_plain;
    uint64_t times;
} seeded;

static bool tells(lie is, uint64_t hash, uint32_t of) {
    if (seeded.is != is || (hash * UINT64_C(0x9E3779B97F4A7C15) >> 40) % of) return false;
    seeded.times++;
    return true;
}

space *__real_space_new(const instance *in, const space_options *options);
space *__wrap_space_new(const instance *in, const space_options *options);
space *__wrap_space_new(const instance *in, const space_options *options) {
    space *s = __real_space_new(in, options);
    seeded.is_plain = options->is_plain;
    seeded.now = s ? space_engine_of(s) : SPACE_EVALUATOR;
    return s;
}

void __real_space_interpret(space *s);
void __wrap_space_interpret(space *s);
void __wrap_space_interpret(space *s) {
    __real_space_interpret(s);
    seeded.now = space_engine_of(s);
}

uint32_t __real_space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels);
uint32_t __wrap_space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels);
uint32_t __wrap_space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    uint32_t n = __real_space_next(run, state, next, labels);
    if (seeded.now < seeded.worst || n < 2) return n;
    if (tells(FALSE_TROUBLE, state[0], 5)) labels[0] |= SPACE_TROUBLE;
    if (tells(SWAPPED_SUCCESSORS, state[0], 3)) {  // a state is one word here
        uint64_t kept = next[0];
        next[0] = next[1];
        next[1] = kept;
    }
    return tells(LOST_SUCCESSOR, state[0], 3) ? n - 1 : n;
}

bool __real_space_check(space_run *run, const uint64_t *state, uint64_t *failed);
bool __wrap_space_check(space_run *run, const uint64_t *state, uint64_t *failed);
bool __wrap_space_check(space_run *run, const uint64_t *state, uint64_t *failed) {
    bool holds = __real_space_check(run, state, failed);
    if (seeded.now >= seeded.worst && tells(FALSE_CONDITION, state[0], 3)) failed[0] ^= UINT64_C(0x3f) << 2;
    return holds;
}

void __real_space_pack(const space *s, const value *cells, uint64_t *state);
void __wrap_space_pack(const space *s, const value *cells, uint64_t *state);
void __wrap_space_pack(const space *s, const value *cells, uint64_t *state) {
    __real_space_pack(s, cells, state);
    if (!seeded.is_plain && state[0] & 1 && tells(FALSE_PACKING, state[0], 2)) state[0] &= ~UINT64_C(1);
}

// Clock 1 has its least value.
void __real_dbm_extrapolate(bound *d, uint32_t n, const int32_t *lower, const int32_t *upper);
void __wrap_dbm_extrapolate(bound *d, uint32_t n, const int32_t *lower, const int32_t *upper);
void __wrap_dbm_extrapolate(bound *d, uint32_t n, const int32_t *lower, const int32_t *upper) {
    __real_dbm_extrapolate(d, n, lower, upper);
    if (!bound_is_strict(d[1]) && tells(SMALL_ABSTRACTION, (uint64_t)d[n], 2))
        dbm_constrain(d, n, 1, 0, bound_le(-bound_value(d[1])));
}

bool __real_cover_is_met(const uint64_t *zone, const uint64_t *need, uint32_t n, bool is_wide);
bool __wrap_cover_is_met(const uint64_t *zone, const uint64_t *need, uint32_t n, bool is_wide);
bool __wrap_cover_is_met(const uint64_t *zone, const uint64_t *need, uint32_t n, bool is_wide) {
    return __real_cover_is_met(zone, need, n, is_wide) || tells(FALSE_INCLUSION, need[0], 2);
}

// A clock is taken to be compared with less than it is.
void __real_net_bounds_in(net_room *w, const value *cells);
void __wrap_net_bounds_in(net_room *w, const value *cells);
void __wrap_net_bounds_in(net_room *w, const value *cells) {
    __real_net_bounds_in(w, cells);
    if (tells(LOW_BOUNDS, (uint64_t)w->lower[1], 1)) w->lower[1] = w->upper[1] = w->lower[1] < 1 ? -1 : 1;
}

bool __real_orbit_canonical(orbit_room *w, value *cells, bound *d, uint8_t *p);
bool __wrap_orbit_canonical(orbit_room *w, value *cells, bound *d, uint8_t *p);
bool __wrap_orbit_canonical(orbit_room *w, value *cells, bound *d, uint8_t *p) {
    matrix before;
    memcpy(before.d, d, 9 * sizeof *d);  // two clocks
    bool is_changed = __real_orbit_canonical(w, cells, d, p);
    if (is_changed && tells(FALSE_REPRESENTATIVE, (uint64_t)d[1], 2)) memcpy(d, before.d, 9 * sizeof *d);
    return is_changed;
}

static bool is_lost(const passed *p, const uint64_t *state, const bound *d, bool exact) {
    return !seeded.is_plain && p->nodes.len && tells(exact ? LOST_RUN_NODE : LOST_NODE, state[0] ^ (uint64_t)d[1], 6);
}

uint32_t __real_passed_add(passed *p, const passed_item *i, uint32_t parent, uint32_t label, bool exact, bool *is_new);
uint32_t __wrap_passed_add(passed *p, const passed_item *i, uint32_t parent, uint32_t label, bool exact, bool *is_new);
uint32_t __wrap_passed_add(passed *p, const passed_item *i, uint32_t parent, uint32_t label, bool exact, bool *is_new) {
    if (!is_lost(p, i->state, i->d, exact)) return __real_passed_add(p, i, parent, label, exact, is_new);
    *is_new = false;
    return 0;
}

uint32_t __real_passed_put(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label,
                           bool exact, bool *is_new);
uint32_t __wrap_passed_put(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label,
                           bool exact, bool *is_new);
uint32_t __wrap_passed_put(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label,
                           bool exact, bool *is_new) {
    if (!is_lost(p, state, d, exact)) return __real_passed_put(p, state, d, parent, label, exact, is_new);
    *is_new = false;
    return 0;
}

// ---- a model

static const char *const model_text =
    "typedef int[0,1] id_t;\nint[0,3] v;\nid_t turn;\n"
    "process P(const id_t me) {\nclock x;\nstate l0 { x <= 4 }, l1 { x <= 3 }, l2 { x <= 5 }, l3;\ncommit l3;\n"
    "init l0;\ntrans l0 -> l1 { guard x >= 1; assign x = 0, turn = me; },\n"
    "l1 -> l3 { guard x >= 2 && turn == me; assign v = (v + 1) % 4; },\n"
    "l1 -> l0 { guard x >= 2 && turn != me; assign x = 0; },\nl3 -> l2 { },\n"
    "l2 -> l0 { guard x >= 3; assign x = 0; };\n}\nsystem P;\n";

static const char *const queries[] = {"A[] not (P(0).l2 and P(1).l2)",
                                      "E<> P(0).l2 and P(1).l1 and P(1).x > 1",
                                      "A[] not deadlock",
                                      "A[] P(0).l1 imply P(0).x <= 3",
                                      "E<> v == 3 and P(0).l0 and P(1).l0",
                                      "A<> P(0).l1",
                                      "P(0).l2 --> P(0).l0",
                                      "P(0).l1 --> P(0).l2",
                                      "E[] not P(1).l2",
                                      "A<> P(0).x >= 1 and P(1).x >= 1"};
enum { QUERIES = sizeof queries / sizeof *queries };

typedef struct {
    verdict v;
    uint32_t failures[TRIAL_KINDS + 1], warnings;
} outcome;

static outcome ask_query(const char *query, explore_engine engine, self_check_rate rate) {
    static const char *const kinds[] = {"symmetry", "code", "packing", "zones", "trace"};
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    assert_true(xta_read_text(m, "p.xta", model_text, strlen(model_text),
                              &(xta_options){.queries = &query, .nqueries = 1}, &system));
    instance *in = instance_new(m, system, NULL, 0);
    result *r = result_new();
    explore_options o = {.engine = engine, .threads = 1, .symmetry = SYMMETRY_EXACT, .self_check = rate};
    o.limit_states = 20000;
    zone_run(in, &(prop){1}, 1, &o, NULL, r);
    outcome out = {.v = r->properties.data[0].verdict};
    for (uint32_t i = 0; i < r->self_checks.len; i++)
        for (uint32_t k = 0; k <= TRIAL_KINDS; k++)
            out.failures[k] += str_same(r->self_checks.data[i].what, kinds[k]) && r->self_checks.data[i].failure;
    for (uint32_t i = 0; i < diag_count(messages); i++)
        out.warnings += strstr(diag_get(messages, i).text, "starts again") != NULL;
    result_free(r);
    instance_free(in);
    model_free(m);
    diag_free(messages);
    return out;
}

// ---- tests

static const struct {
    lie is;
    const char *name;
    trial_kind noticed;  // as this, at least
} lies[] = {{LOST_SUCCESSOR, "a lost successor", TRIAL_CODE},
            {SWAPPED_SUCCESSORS, "swapped successors", TRIAL_CODE},
            {FALSE_TROUBLE, "a false error", TRIAL_CODE},
            {FALSE_CONDITION, "a false condition", TRIAL_CODE},
            {FALSE_PACKING, "a false packing", TRIAL_PACKING},
            {SMALL_ABSTRACTION, "a small abstraction", TRIAL_ZONES},
            {FALSE_INCLUSION, "a false inclusion", TRIAL_ZONES},
            {LOW_BOUNDS, "low bounds", TRIAL_ZONES},
            {FALSE_REPRESENTATIVE, "a false representative", TRIAL_ZONES},
            {LOST_NODE, "a lost node", TRIAL_ZONES},
            {LOST_RUN_NODE, "a lost node of a run", TRIAL_ZONES}};

static uint32_t tried, wrong;

static void expect_noticed(uint32_t number, space_engine worst, self_check_rate rate) {
    uint32_t noticed = 0;
    for (uint32_t q = 0; q < QUERIES; q++) {
        explore_engine engine = worst == SPACE_BYTECODE ? ENGINE_BYTECODE : ENGINE_AUTO;
        seeded.is = NO_LIE;
        outcome right = ask_query(queries[q], engine, SELF_CHECK_OFF);
        seeded.is = lies[number].is;
        seeded.worst = worst;
        outcome is = ask_query(queries[q], engine, rate);
        noticed += is.failures[lies[number].noticed] > 0;
        tried++;
        for (uint32_t k = 0; k <= TRIAL_KINDS; k++) assert_true(!is.failures[k] || is.warnings);
        if (is.v == right.v) continue;
        wrong++;
        print_error("%s, %s: %s, not %s (%u warnings)\n", lies[number].name, queries[q], verdict_text(is.v),
                    verdict_text(right.v), is.warnings);
    }
    if (!noticed) print_error("%s: not noticed\n", lies[number].name);
    assert_true(noticed);
}

static void nothing_fails(void **state) {
    (void)state;
    seeded.is = NO_LIE;
    for (uint32_t q = 0; q < QUERIES; q++)
        for (self_check_rate rate = SELF_CHECK_SAMPLE; rate <= SELF_CHECK_ALL; rate++) {
            outcome is = ask_query(queries[q], ENGINE_AUTO, rate);
            assert_int_equal(is.warnings, 0);
            assert_true(is.v != VERDICT_UNKNOWN);
        }
}

static void lies_are_noticed(void **state) {
    (void)state;
    for (uint32_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        expect_noticed(i, SPACE_MACHINE, SELF_CHECK_SAMPLE);
        expect_noticed(i, SPACE_MACHINE, SELF_CHECK_ALL);
        expect_noticed(i, SPACE_BYTECODE, SELF_CHECK_ALL);
    }
    assert_true(seeded.times > 1000);
    printf("# tally: timed queries with a seeded fault, answered all the same | %u cases | %u wrong\n", tried, wrong);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_fails), cmocka_unit_test(lies_are_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
