// SPDX-License-Identifier: Apache-2.0
// Nothing wrong is ever proved of a protocol: models/pyv with one mistake each, proved from an instance of size one,
// which hides most mistakes, against every state of larger ones; what is proved is put to another prover, which shares
// neither the search nor the grounding. Limits count steps, so that as much is proved on any machine.
//
// A quick run takes some of the mistakes, PARVIS_LONG=1 all of them. PARVIS_PROTOCOLS=folder adds the .pyv files of a
// folder (other people's, of which none is kept here).
#include "oracle/mutate.h"
#include "oracle/unit.h"

#include "certificate/proofs.h"
#include "explore/explore.h"
#include "front/pyv/pyv.h"
#include "infer/infer.h"
#include "infer/recheck.h"
#include "model/compose.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUICK_STEP = 9, MOST_SORTS = 16 };
enum { MOST_WORK = 300000, MOST_STATES = 400, JUDGED_STATES = 60000 };
static const double LOOKING = 10;  // seconds of processor time, for what counts no steps

typedef struct {
    diag *messages;
    model *m;
    prop property;
    const char *path;
    str what;
} subject;

typedef struct {
    uint32_t files, mutants, violated, proved, confirmed, open;
} tally;

static void stop(subject *x) {
    model_free(x->m);
    diag_free(x->messages);
    str_free(&x->what);
}

// False if there is no mistake number k, or nothing that can be mutated.
static bool start(subject *x, const char *path, uint32_t k) {
    sys system;
    *x = (subject){.messages = diag_new(), .path = path};
    x->m = model_new(x->messages);
    if (!pyv_read(x->m, path, NULL, &system) || !sys_of(x->m, system)->invariants.len) return false;
    x->property = sys_of(x->m, system)->invariants.data[0];
    return mutate_system(x->m, system, k, &x->what);
}

// All sorts of one size; how many.
static uint32_t equal_sizes(const subject *x, uint32_t size, sort_size out[MOST_SORTS]) {
    type_list sorts = {0};
    uint32_t n = 0;
    instance_sorts(x->m, prop_of(x->m, x->property)->system, &sorts);
    for (uint32_t i = 0; i < sorts.len && n < MOST_SORTS; i++) out[n++] = (sort_size){sorts.data[i], size};
    vec_free(&sorts);
    return n;
}

static bool fails_at(const subject *x, uint32_t size) {
    sort_size sizes[MOST_SORTS];
    uint32_t n = equal_sizes(x, size, sizes);
    instance *in = instance_try(x->m, prop_of(x->m, x->property)->system, sizes, n);
    if (!in) return false;
    result *r = result_new();
    explore_options o = {.threads = 1, .symmetry = true, .engine = ENGINE_BYTECODE, .limit_states = JUDGED_STATES};
    o.limits = limits_of_seconds(60);
    explore_run(in, &x->property, 1, &o, r, NULL);
    bool violated = r->verdict == VERDICT_VIOLATED;
    result_free(r);
    instance_free(in);
    return violated;
}

static proof *prove_from_one(subject *x) {
    sort_size sizes[MOST_SORTS];
    uint32_t n = equal_sizes(x, 1, sizes);
    infer_options o = {.sizes = sizes,
                       .nsizes = n,
                       .most_level = 1,
                       .limit_work = MOST_WORK,
                       .limit_states = MOST_STATES,
                       .limits = {.cpu_seconds = LOOKING, .cpu_until = clock_cpu_seconds() + LOOKING},
                       .is_brief = true};
    return infer_prove(x->m, x->property, &o);
}

// By way of the certificate. Where functions were read as relations the other prover may have no answer; it never has a
// countermodel.
static void confirm(subject *x, const proof *p, tally *t) {
    proofs_lemmas lemmas = {0};
    prop property;
    recheck_result r;
    json_t *list = proofs_object(&p, 1);
    assert_true(proofs_read(json_array_get(list, 0), x->m, x->messages, &property, &lemmas));
    recheck_options o = {.prover = EXTERNAL_Z3, .query_seconds = 20};
    assert_true(recheck_proof(x->m, property, &lemmas, &o, &r));
    bool is_confirmed = r.proved == r.obligations && !r.assumed;
    if (r.refuted || (!is_confirmed && !p->note))
        fail_msg("not confirmed: %s, %s: %s", x->path, str_get(&x->what), str_get(&r.first));
    t->confirmed += is_confirmed;
    t->open += !is_confirmed;
    recheck_free(&r);
    vec_free(&lemmas);
    json_decref(list);
}

static void try_mutant(subject *x, tally *t) {
    bool violated = fails_at(x, 2) || fails_at(x, 3);
    proof *p = prove_from_one(x);
    bool holds = p->verdict == VERDICT_HOLDS;
    if (violated && holds) fail_msg("proved, but violated: %s, %s", x->path, str_get(&x->what));
    if (holds) confirm(x, p, t);
    t->mutants++;
    t->violated += violated;
    t->proved += holds;
    proof_free(p);
}

static void try_file(const char *path, tally *t) {
    uint32_t step = getenv("PARVIS_LONG") ? 1 : QUICK_STEP;
    bool more = true;
    for (uint32_t k = t->files++ % step; more; k += step) {
        subject x;
        more = start(&x, path, k);
        if (more) try_mutant(&x, t);
        stop(&x);
    }
}

static bool is_protocol(const char *name) {
    size_t n = strlen(name);
    return n > 4 && str_same(name + n - 4, ".pyv") && !strstr(name, "unsafe");
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void try_folder(const char *folder, tally *t) {
    VEC(char *) names = {0};
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (is_protocol(e->d_name)) vec_push(&names, strdup(e->d_name));
    closedir(d);
    if (names.len) qsort(names.data, names.len, sizeof *names.data, by_name);
    for (uint32_t i = 0; i < names.len; i++) {
        str path = {0};
        str_printf(&path, "%s/%s", folder, names.data[i]);
        try_file(str_get(&path), t);
        str_free(&path);
        free(names.data[i]);
    }
    vec_free(&names);
}

static void mutants_of_protocols_are_not_proved(void **state) {
    (void)state;
    const char *others = getenv("PARVIS_PROTOCOLS");
    bool is_long = getenv("PARVIS_LONG");
    tally t = {0};
    try_folder("models/pyv", &t);
    if (others) try_folder(others, &t);
    else print_message("# other people's protocols are not tried: PARVIS_PROTOCOLS names no folder\n");
    print_message("# %u mutants of %u files: %u violated, %u proved, %u of these confirmed by Z3, %u left open by it\n",
                  t.mutants, t.files, t.violated, t.proved, t.confirmed, t.open);
    printf("# tally: protocols with one mistake, proved only if exploration finds no violation | %u cases | 0 wrong\n",
           t.mutants);
    assert_true(t.mutants >= (is_long ? 100u : 12u) && t.violated >= 3 && t.confirmed >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutants_of_protocols_are_not_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
