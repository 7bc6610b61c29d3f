// SPDX-License-Identifier: Apache-2.0
// `prove` on three threads against one, on random systems: the verdict, why it is unknown, every lemma in its order,
// the state that stands in the way, and what was counted. PARVIS_LONG=1 runs ten times as many.
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include "infer/infer.h"
#include "model/print.h"

#include <stdio.h>
#include <stdlib.h>

enum { SYSTEMS = 100 };

static void say_lemmas(const proof *p, str *out) {
    for (uint32_t i = 0; i < p->lemmas.len; i++) {
        str_printf(out, "%u%u ", p->lemmas.data[i].is_needed, p->lemmas.data[i].is_assumed);
        print_expr(p->m, p->lemmas.data[i].formula, out);
        str_add(out, "\n");
    }
}

static void say_obstacle(const proof_obstacle *o, str *out) {
    if (!o) return;
    str_printf(out, "%s:", o->what);
    for (uint32_t c = 0; c < o->in->ncells; c++) str_printf(out, " %d/%d", o->before[c], o->after ? o->after[c] : 0);
}

static void say_proof(const proof *p, str *out) {
    const proof_stats *s = &p->stats;
    str_printf(out, "%d %s\n", (int)p->verdict, p->reason ? p->reason : "");
    str_printf(out, "%llu %llu %llu %llu %llu ", (unsigned long long)s->states, (unsigned long long)s->candidates,
               (unsigned long long)s->invariants, (unsigned long long)s->nonredundant,
               (unsigned long long)s->validated);
    str_printf(out, "%llu %llu %llu %llu %llu %u %u\n", (unsigned long long)s->queries,
               (unsigned long long)s->evaluations, (unsigned long long)s->blocked, (unsigned long long)s->dropped,
               (unsigned long long)s->sampled, s->iterations, s->level);
    say_lemmas(p, out);
    say_obstacle(p->obstacle, out);
}

// Everything that is said about the first invariant; whether a limit of time had a part in it.
static bool prove_seed(uint64_t seed, uint32_t threads, str *out) {
    random_model r = random_model_new(seed, 2 + seed % 4, RANDOM_ORDERED);
    bool is_late = false;
    for (uint32_t i = 1; i < r.m->props.len; i++) {
        if (prop_of(r.m, (prop){i})->kind != PROP_INVARIANT) continue;
        infer_options o = {.most_level = seed % 5, .limits = limits_of_seconds(60), .limit_states = 20000};
        o.weaken_all = seed % 3 == 0;
        o.threads = threads;
        o.divides_all = true;
        proof *p = infer_prove(r.m, (prop){i}, &o);
        say_proof(p, out);
        is_late = limits_met(&o.limits) != LIMIT_NONE;
        proof_free(p);
        break;
    }
    random_model_free(&r);
    return is_late;
}

static void threads_prove_the_same(void **state) {
    (void)state;
    uint32_t cases = 0, lines = 0, count = getenv("PARVIS_LONG") ? SYSTEMS * 10 : SYSTEMS;
    for (uint64_t seed = 1; seed <= count; seed++) {
        str one = {0}, three = {0};
        bool is_late = prove_seed(seed, 1, &one) | prove_seed(seed, 3, &three);
        if (!is_late && !str_same(str_get(&one), str_get(&three)))
            fail_msg("seed %llu, one thread:\n%s\nthree:\n%s", (unsigned long long)seed, str_get(&one),
                     str_get(&three));
        cases += !is_late && one.len > 0;
        for (uint32_t i = 0; i < one.len; i++) lines += str_get(&one)[i] == '\n';
        str_free(&one);
        str_free(&three);
    }
    printf("# %u lines were compared\n", lines);
    printf("# tally: random systems proved on one and on three threads | %u cases | 0 wrong\n", cases);
    assert_true(cases > count / 2 && lines > 2 * cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_prove_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
