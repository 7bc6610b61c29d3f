// SPDX-License-Identifier: Apache-2.0
// Minimal automata of the specifications: their sizes are those of two programs that share no code with this one, and
// different encodings of one property, deterministic or not, have the same minimal automaton edge by edge.
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "language/minimize.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    diag *d;
    model *m;
    instance *in;
    result *r;
    explored *x;
} world;

static world explore(const char *file, const char *system, uint32_t threads, uint32_t locs) {
    world w = {.d = diag_new(), .r = result_new()};
    w.m = model_new(w.d);
    str path = {0};
    str_printf(&path, "models/specs/%s.pv", file);
    assert_true(pv_read(w.m, str_get(&path), NULL, NULL));
    str_free(&path);
    sort_size sizes[] = {{model_find_type(w.m, "Thread"), threads}, {model_find_type(w.m, "Loc"), locs}};
    w.in = instance_new(w.m, model_find_system(w.m, system), sizes, 2);
    assert_int_equal(explore_run(w.in, NULL, 0, &(explore_options){.threads = 1}, w.r, &w.x), END_COMPLETE);
    return w;
}

static void end(world *w) {
    explored_free(w->x);
    result_free(w->r);
    instance_free(w->in);
    model_free(w->m);
    diag_free(w->d);
}

static automaton *minimal(const char *file, const char *system, uint32_t threads, uint32_t locs) {
    world w = explore(file, system, threads, locs);
    automaton *a = automaton_of(w.x, NULL), *d = automaton_determinise(a, 0, NULL), *m = minimize_dfa(d, NULL);
    if (automaton_is_deterministic(a)) {
        automaton *direct = minimize_dfa(a, NULL);
        assert_int_equal(direct->nstates, m->nstates);
        automaton_free(direct);
    }
    automaton_free(a);
    automaton_free(d);
    end(&w);
    return m;
}

static void check_size(const char *file, const char *system, uint32_t threads, uint32_t locs, uint32_t size) {
    automaton *m = minimal(file, system, threads, locs);
    if (m->nstates != size) fail_msg("%s at <%u,%u>: %u states, not %u", system, threads, locs, m->nstates, size);
    automaton_free(m);
}

static bool is_long(void) { return getenv("PARVIS_LONG") != NULL; }

static void strict_serializability(void **state) {
    (void)state;
    const char *file = "strict_serializability", *system = "StrictSerializability";
    check_size(file, system, 2, 1, 32);
    check_size(file, system, 2, 2, 512);
    check_size(file, system, 3, 1, 208);
    check_size(file, system, 2, 3, 8960);
    if (is_long()) check_size(file, system, 3, 2, 18928);
}

static void opacity(void **state) {
    (void)state;
    check_size("opacity", "Opacity", 2, 1, 32);
    check_size("opacity", "Opacity", 2, 2, 576);
    check_size("opacity", "Opacity", 3, 1, 208);
    check_size("opacity", "Opacity", 2, 3, 8960);
    if (is_long()) check_size("opacity", "Opacity", 3, 2, 18016);
}

static void same_automaton(const char *file, const char *system, const char *other_file, const char *other) {
    automaton *a = minimal(file, system, 2, 2), *b = minimal(other_file, other, 2, 2);
    assert_int_equal(a->nletters, b->nletters);
    for (uint32_t i = 0; i < a->nletters; i++) assert_int_equal(letter_find(b->letters, &a->letters->all.data[i]), i);
    assert_int_equal(a->nstates, b->nstates);
    assert_int_equal(a->edges.len, b->edges.len);
    assert_memory_equal(a->edges.data, b->edges.data, a->edges.len * sizeof *a->edges.data);
    automaton_free(a);
    automaton_free(b);
}

// At <2,2> Algorithm 1 of the paper is exact, and so are the nondeterministic specifications.
static void other_encodings(void **state) {
    (void)state;
    same_automaton("strict_serializability", "StrictSerializability", "sigma_ss", "SigmaSS");
    same_automaton("strict_serializability", "StrictSerializability", "strict_serializability_printed",
                   "StrictSerializabilityPrinted");
    same_automaton("strict_serializability", "StrictSerializability", "a_ss", "ASS");
    same_automaton("opacity", "Opacity", "sigma_op", "SigmaOP");
    same_automaton("opacity", "Opacity", "a_op", "AOP");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_serializability),
        cmocka_unit_test(opacity),
        cmocka_unit_test(other_encodings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
