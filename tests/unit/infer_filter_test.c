// SPDX-License-Identifier: Apache-2.0
// The filter against its slow twin: every clause evaluated by the reference evaluator in every state; and the
// sizes of the candidate sets that TRANSACTIONS.md reports.
#include "oracle/reach.h"
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include "front/pv.h"
#include "infer/filter.h"
#include "model/compose.h"

#include <stdio.h>

typedef struct {
    diag *messages;
    model *m;
    prop property;
    sys product;
    instance *in;
    reached r;
    sample *s;
    atom_pool *pool;
} fixture;

static void start(fixture *x, const char *path, const char *property, uint32_t threads, uint32_t locs) {
    x->messages = diag_new();
    x->m = model_new(x->messages);
    assert_true(pv_read(x->m, path, NULL, NULL));
    x->property = model_find_prop(x->m, property);
    x->product = compose_for(x->m, x->property);
    sort_size sizes[] = {{model_find_type(x->m, "Thread"), threads}, {model_find_type(x->m, "Loc"), locs}};
    x->in = instance_new(x->m, x->product, sizes, 2);
    x->r = reach_states(x->in, 100000);
    x->s = sample_new(x->in, x->r.states.len);
    for (uint32_t i = 0; i < x->r.states.len; i++) sample_add(x->s, x->r.states.data[i]);
    x->pool = atoms_new(x->m, x->product, x->property);
    atoms_make(x->pool);
}

static void stop(fixture *x) {
    atoms_free(x->pool);
    sample_free(x->s);
    reach_free(&x->r);
    instance_free(x->in);
    model_free(x->m);
    diag_free(x->messages);
}

static void tpl(void **state) {
    (void)state;
    fixture x;
    start(&x, "models/tm/tl2.pv", "strictly_serializable", 2, 1);
    printf("# states %u shapes %u atoms %u\n", x.r.states.len, x.pool->shapes.len, x.pool->atoms.len);
    filter *f = filter_new(x.pool);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t counts[][2] = {{1, 1}, {2, 0}, {0, 2}};
        rows *r = rows_new(x.pool, counts[i], 0);
        rows_add_sample(r, x.s);
        filter_add(f, r, 3, false);
        printf("# atoms %u rows %u of %lu\n", r->natoms, r->nrows, r->seen);
        rows_free(r);
    }
    filter_park(f);
    printf("# total %lu invariants %u free %u evals %lu in %f\n", f->total, f->all.len, filter_count_free(f),
           f->evaluations, f->seconds);
    filter_free(f);
    stop(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tpl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
