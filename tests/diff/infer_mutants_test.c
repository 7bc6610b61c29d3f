// SPDX-License-Identifier: Apache-2.0
// Nothing wrong is ever proved: systems with one mistake, proved from a tiny instance that hides most
// mistakes, against exploration of larger ones.
#include "oracle/mutate.h"
#include "oracle/unit.h"

#include "explore/explore.h"
#include "front/pv/pv.h"
#include "infer/infer.h"
#include "model/compose.h"

#include <stdlib.h>

typedef struct {
    diag *messages;
    model *m;
    prop property;
} subject;

static bool start(subject *x, const char *path, const char *property, uint32_t k, str *what) {
    x->messages = diag_new();
    x->m = model_new(x->messages);
    assert_true(pv_read(x->m, path, NULL, NULL));
    x->property = model_find_prop(x->m, property);
    assert_true(x->property.id);
    return mutate_system(x->m, prop_of(x->m, x->property)->system, k, what);
}

static void stop(subject *x) {
    model_free(x->m);
    diag_free(x->messages);
}

static void sizes_of(const subject *x, uint32_t threads, uint32_t locs, sort_size out[2]) {
    out[0] = (sort_size){model_find_type(x->m, "Thread"), threads};
    out[1] = (sort_size){model_find_type(x->m, "Loc"), locs};
}

static bool is_violated(subject *x, uint32_t threads, uint32_t locs) {
    sort_size sizes[2];
    sizes_of(x, threads, locs, sizes);
    instance *in = instance_new(x->m, compose_for(x->m, x->property), sizes, 2);
    result *r = result_new();
    explore_options o = {.threads = 1, .symmetry = true, .engine = ENGINE_BYTECODE, .limit_states = 60000};
    explore_run(in, &x->property, 1, &o, r, NULL);
    bool violated = r->verdict == VERDICT_VIOLATED;
    result_free(r);
    instance_free(in);
    return violated;
}

static verdict prove_from(subject *x, uint32_t threads, uint32_t locs) {
    sort_size sizes[2];
    sizes_of(x, threads, locs, sizes);
    infer_options o = {.sizes = sizes, .nsizes = 2, .most_level = 0, .limits = limits_of_seconds(3)};
    proof *p = infer_prove(x->m, x->property, &o);
    verdict v = p->verdict;
    proof_free(p);
    return v;
}

typedef struct {
    uint32_t mutants, violated, proved;
} tally;

static void try_mutant(subject *x, const char *what, tally *t) {
    bool violated = is_violated(x, 2, 2) || is_violated(x, 3, 2);
    verdict v = prove_from(x, 1, 1);
    if (violated && v == VERDICT_HOLDS) fail_msg("proved, but violated: %s", what);
    t->mutants++;
    t->violated += violated;
    t->proved += v == VERDICT_HOLDS;
}

static void try_all(const char *path, const char *property, tally *t) {
    bool more = true;
    uint32_t step = getenv("PARVIS_LONG") ? 1 : 3;
    for (uint32_t k = 0; more; k += step) {
        subject x;
        str what = {0};
        more = start(&x, path, property, k, &what);
        if (more) try_mutant(&x, str_get(&what), t);
        stop(&x);
        str_free(&what);
    }
}

static void mutants_are_not_proved(void **state) {
    (void)state;
    static const char *const models[] = {"tpl", "dstm", "tl2", "occ", "seq", "tml", "norec"};
    tally t = {0};
    for (uint32_t i = 0; i < sizeof models / sizeof *models; i++) {
        str path = {0};
        str_printf(&path, "models/tm/%s.pv", models[i]);
        try_all(str_get(&path), "strictly_serializable", &t);
        if (i < 2) try_all(str_get(&path), "opaque", &t);
        str_free(&path);
    }
    print_message("# %u mutants, %u violated, %u proved\n", t.mutants, t.violated, t.proved);
    assert_true(t.mutants >= 30 && t.violated >= 15 && t.proved >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutants_are_not_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
