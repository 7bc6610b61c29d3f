// SPDX-License-Identifier: Apache-2.0
// What lemmas are made of, which are used, and that those of a proof are true in instances that it never looked at.
#include "oracle/unit.h"

#include "cmp/cmp.h"
#include "cmp/lemmas/candidates.h"
#include "model/eval.h"
#include "oracle/cover.h"

static const char token[] = COVER_HEAD COVER_START COVER_TOKEN "invariant \"never\" !x;\n";

static void atoms_have_values(eval *ev, const value *cells, void *context) {
    const lemma_vocabulary *v = context;
    for (value i = 0; i < 2; i++) {
        eval_bind(ev, v->formals[0], i);
        eval_bind(ev, v->formals[1], 1 - i);
        for (uint32_t k = 0; k < v->atoms.len; k++) {
            eval_expr(ev, cells, v->atoms.data[k]);
            assert_int_equal(eval_fault(ev).kind, FAULT_NONE);
        }
        for (uint32_t k = 0; k < v->points.len; k++) {
            eval_expr(ev, cells, v->points.data[k].premise);
            assert_int_equal(eval_fault(ev).kind, FAULT_NONE);
        }
    }
}

static void vocabulary_has_no_errors(void **state) {
    (void)state;
    cover_sample r = cover_read(token);
    lemma_vocabulary *v = lemma_vocabulary_new(r.m, r.system, r.sort, 2);
    assert_true(v->atoms.len > 20 && v->points.len > 4);
    cover_each(&r, r.m, 2, atoms_have_values, v);
    lemma_vocabulary_free(v);
    cover_close(&r);
}

static uint32_t count_used(candidates *c) { return candidates_used(c)->len; }

static void candidates_come_and_go(void **state) {
    (void)state;
    cover_sample r = cover_read(token);
    abstraction *a = abstract_new(r.m, r.system, r.sort, 2);
    lemma_vocabulary *v = lemma_vocabulary_new(r.m, r.system, r.sort, 2);
    survey *s = survey_new(a, v);
    candidates *c = candidates_new(a, s);
    lemma users = abstract_lemma_from(a, "mine", prop_of(r.m, (prop){1})->cond);
    clause one = {.point = 0, .n = 1, .literals = {0}}, two = {.point = 1, .n = 2, .literals = {1, 4}};
    candidates_add_users(c, &users);
    candidates_bring(c, &one, 0);
    candidates_bring(c, &two, 7);
    assert_int_equal(count_used(c), 3);
    assert_int_equal(c->fresh.len, 2);
    candidates_drop(c, 1);
    assert_int_equal(count_used(c), 2);
    assert_true(candidates_is_settled(c, &one));
    candidates_begin_anew(c);
    assert_int_equal(count_used(c), 1);
    assert_true(candidates_is_settled(c, &one));   // it stays false
    assert_false(candidates_is_settled(c, &two));  // it may come again
    candidates_bring(c, &two, 3);
    assert_int_equal(c->list.len, 3);  // the same one
    assert_int_equal(c->list.data[2].against, 3);
    candidates_free(c);
    survey_free(s);
    lemma_vocabulary_free(v);
    abstract_free(a);
    cover_close(&r);
}

static void lemmas_hold(eval *ev, const value *cells, void *context) {
    const proof *p = context;
    for (uint32_t i = 0; i < p->lemmas.len; i++) assert_true(eval_expr(ev, cells, p->lemmas.data[i].formula));
}

static void lemmas_of_a_proof_are_true(void **state) {
    (void)state;
    cover_sample r = cover_read(token);
    uint32_t nexprs = r.m->exprs.len, nprops = r.m->props.len;
    proof *p = cmp_prove(r.m, (prop){1}, &(cmp_options){.sort = "node"});
    assert_int_equal(p->verdict, VERDICT_HOLDS);
    assert_true(p->lemmas.len > 0);
    cover_each(&r, p->m, 4, lemmas_hold, p);
    // The user's model is as it was.
    assert_int_equal(r.m->exprs.len, nexprs);
    assert_int_equal(r.m->props.len, nprops);
    proof *again = cmp_prove(r.m, (prop){1}, &(cmp_options){.sort = "node"});
    assert_int_equal(again->lemmas.len, p->lemmas.len);
    for (uint32_t i = 0; i < p->lemmas.len; i++)
        assert_int_equal(p->lemmas.data[i].formula.id, again->lemmas.data[i].formula.id);
    proof_free(p);
    proof_free(again);
    cover_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vocabulary_has_no_errors),
                                       cmocka_unit_test(candidates_come_and_go),
                                       cmocka_unit_test(lemmas_of_a_proof_are_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
