// SPDX-License-Identifier: Apache-2.0
// Any number of elements of two sorts at once, on random models in which these hold each other: what is proved is
// violated by no instance with up to four of both, and the lemmas of the proof alone confirm it, as `recheck` has them.
// Every fourth model goes wrong with three of both at the earliest, if nothing is in the way. A proof has some
// processor time, so the load of the machine does not matter.
#include "oracle/unit.h"

#include "cmp/cmp.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "oracle/random_pairs.h"
#include "report/murphi.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { MOST_STATES = 2000, LARGEST = 4, MOST_SECONDS = 1 };

typedef struct {
    uint32_t holds, violated, unknown, confirmed, instances, wrong;
} tally;

static limits_board board;

static void time_is_over(int signal) {
    (void)signal;
    atomic_store(&board.met, LIMIT_CPU);
}

static limits begin_anew(void) {
    struct itimerval once = {.it_value.tv_sec = MOST_SECONDS};
    signal(SIGPROF, time_is_over);
    atomic_store(&board.met, LIMIT_NONE);
    setitimer(ITIMER_PROF, &once, NULL);
    return (limits){.board = &board};
}

static bool is_violated(model *m, sys system, prop p, uint32_t nodes, uint32_t locks) {
    sort_size sizes[] = {{model_find_type(m, "node"), nodes}, {model_find_type(m, "lock"), locks}};
    instance *in = instance_new(m, system, sizes, 2);
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .limit_states = MOST_STATES};
    o.self_check = SELF_CHECK_OFF;
    result *r = result_new();
    explore_run(in, &p, 1, &o, r, NULL);
    bool found = r->verdict == VERDICT_VIOLATED;
    result_free(r);
    instance_free(in);
    return found;
}

static void set_sizes(model *m, uint32_t size) {
    type node = model_find_type(m, "node"), lock = model_find_type(m, "lock");
    m->types.data[node.id].fixed_size = size;
    m->types.data[lock.id].fixed_size = size;
}

static model *read_pair(const str *text, const char *lemmas, diag *messages, sys *system) {
    model *m = model_new(messages);
    murphi_options o = {.copies_undefined = true, .lemma_text = lemmas};
    if (!murphi_read_text(m, "pair.m", str_get(text), text->len, &o, system)) fail_msg("%s", str_get(text));
    return m;
}

// By the lemmas of the proof, read again from their text.
static bool is_confirmed(const str *text, prop p, const proof *found) {
    str lemmas = {0}, scope = {0};
    for (uint32_t i = 0; i < found->nneeded; i++) {
        str_printf(&lemmas, "lemma \"lemma %u\" ", i);
        murphi_print_expr(found->m, found->lemmas.data[i].formula, &lemmas);
        str_add(&lemmas, ";\n");
    }
    diag *messages = diag_new();
    sys system;
    model *m = read_pair(text, str_get(&lemmas), messages, &system);
    cmp_given given = {.sort = found->sort, .also = found->also, .kept = found->kept, .nlemmas = found->nneeded};
    given.limits = begin_anew();
    bool ok = cmp_check_given(m, p, &given, &scope);
    model_free(m);
    diag_free(messages);
    str_free(&lemmas);
    str_free(&scope);
    return ok;
}

static void compare(const str *text, model *m, sys system, prop p, tally *t) {
    cmp_options how = {.sort = "node", .also = "lock", .limits = begin_anew(), .limit_states = MOST_STATES};
    proof *found = cmp_prove(m, p, &how);
    t->holds += found->verdict == VERDICT_HOLDS;
    t->violated += found->verdict == VERDICT_VIOLATED;
    t->unknown += found->verdict == VERDICT_UNKNOWN;
    t->confirmed += found->verdict == VERDICT_HOLDS && is_confirmed(text, p, found);
    set_sizes(m, 0);
    for (uint32_t i = 0; found->verdict == VERDICT_HOLDS && i < LARGEST * LARGEST; i++, t->instances++)
        t->wrong += is_violated(m, system, p, 1 + i / LARGEST, 1 + i % LARGEST);
    set_sizes(m, 2);
    proof_free(found);
}

static void proofs_are_right(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 3000 : 60;
    tally t = {0};
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        random_pairs(seed, &text);
        diag *messages = diag_new();
        sys system;
        model *m = read_pair(&text, NULL, messages, &system);
        uint32_t wrong = t.wrong;
        for (uint32_t i = 1, all = m->props.len; i < all; i++) compare(&text, m, system, (prop){i}, &t);
        if (t.wrong > wrong) printf("# seed %llu: proved and violated\n%s\n", (unsigned long long)seed, str_get(&text));
        model_free(m);
        diag_free(messages);
        str_free(&text);
    }
    printf("# %u proved, %u of these confirmed, %u violated, %u unknown\n", t.holds, t.confirmed, t.violated,
           t.unknown);
    printf("# tally: proofs for any number of two sorts, against instances | %u cases | %u wrong\n", t.instances,
           t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.holds > n / 10);
    assert_true(t.confirmed * 10 >= t.holds * 9);
    assert_true(t.violated > n / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
