// SPDX-License-Identifier: Apache-2.0
// What a search of zones says of itself on random networks (oracle/random_timed.h), against the region graph: which
// edges of templates are ever taken, which are in doubt because they never are, and that nothing but time passes. Edges
// that listen to a broadcast are left out: the search looks for those by states alone, and may miss one.
#include "oracle/part.h"
#include "oracle/random_timed.h"
#include "oracle/region.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 4000, SHOWN = 4 };

typedef struct {
    uint32_t networks, cases, wrong, untaken, reduced;
} tally;

static bool has_doubt(const result *r, doubt_kind kind, const char *subject) {
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (r->doubts.data[i].kind == kind && (!subject || str_same(r->doubts.data[i].subject, subject))) return true;
    return false;
}

static uint64_t counted(const result *r, const timed_edge *e) {
    for (uint32_t i = 0; i < r->rules.len; i++)
        if (str_same(r->rules.data[i].name, e->name) && r->rules.data[i].at.begin == e->at.begin)
            return r->rules.data[i].fired;
    return UINT64_MAX;
}

static bool edge_agrees(const region_reading *x, const result *r, uint32_t i, bool any) {
    const timed_edge *e = &sys_of(x->m, x->in->system)->timed->edges.data[i];
    bool is_taken = region_takes(x->g, i);
    str subject = {0};
    str_printf(&subject, "%s (", e->name);
    diag_place_text(x->messages, e->at, &subject);
    str_char(&subject, ')');
    uint64_t times = counted(r, e);
    bool ok = times != UINT64_MAX && (times > 0) == is_taken &&
              has_doubt(r, DOUBT_RULE, str_get(&subject)) == (any && !is_taken);
    if (!ok) printf("# %s: taken %d, counted %lld\n", str_get(&subject), is_taken, (long long)times);
    str_free(&subject);
    return ok;
}

static bool edges_agree(const region_reading *x, const result *r, tally *t) {
    const timed_info *timed = sys_of(x->m, x->in->system)->timed;
    bool any = false, ok = true;
    for (uint32_t i = 0; i < timed->edges.len; i++) any |= !timed->edges.data[i].listens && region_takes(x->g, i);
    for (uint32_t i = 0; i < timed->edges.len; i++) {
        if (timed->edges.data[i].listens) continue;
        ok &= edge_agrees(x, r, i, any);
        t->cases++;
        t->untaken += !region_takes(x->g, i);
    }
    t->cases++;
    return ok && has_doubt(r, DOUBT_NO_STEP, NULL) == !any;
}

static bool agrees(const region_reading *x, bool symmetry, tally *t) {
    explore_options o = {.engine = ENGINE_BYTECODE,
                         .threads = 1,
                         .symmetry = symmetry ? SYMMETRY_EXACT : SYMMETRY_OFF,
                         .stores_all = symmetry,
                         .self_check = SELF_CHECK_OFF,
                         .finds_doubts = true};
    prop p = {1};
    result *r = result_new();
    zone_run(x->in, &p, 1, &o, NULL, r);
    assert_true(r->verdict == VERDICT_HOLDS);
    t->reduced += r->stats.is_reduced;
    bool ok = edges_agree(x, r, t);
    result_free(r);
    return ok;
}

static void try_case(const timed_case *c, tally *t) {
    const char *query = "A[] true";
    const region_options how_far = {.most = REGIONS, .horizon = 1};
    region_reading x;
    str text = {0};
    timed_print(c->network, &text);
    bool is_read = region_read(str_get(&text), &query, 1, &how_far, &x);
    region_facts f = is_read ? region_facts_of(x.g) : (region_facts){0};
    if (f.is_supported && f.is_complete && f.has_start && !f.has_faults) {
        t->networks++;
        for (int symmetry = 0; symmetry < 2; symmetry++) {
            if (agrees(&x, symmetry, t)) continue;
            t->wrong++;
            printf("# differs, symmetry %d\n%s\n", symmetry, str_get(&text));
        }
    }
    region_close(&x);
    str_free(&text);
}

static void test_random(void **state) {
    rng r = {part_seed(1731)};
    tally t = {0};
    const uint64_t wanted = part_rounds(1500, 40000);
    (void)state;
    while (t.networks < wanted && t.wrong < SHOWN) {
        timed_case c;
        random_timed(&r, 1, &c);
        try_case(&c, &t);
        timed_case_free(&c);
    }
    printf("# %u networks, %u edges never taken, %u searches with symmetry\n", t.networks, t.untaken, t.reduced);
    printf("# tally: edges taken or in doubt against the region graph | %u cases | %u wrong\n", t.cases, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.untaken > t.cases / 20 && t.reduced > t.networks / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
