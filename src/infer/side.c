// SPDX-License-Identifier: Apache-2.0
// Threads for what is independent: the rows of one schema are not those of another.
//
// Nothing that is found depends on the number of threads: each part is worked out as one thread would do it, into a
// place of its own, and the parts are joined in order. Shared things (atoms, samples) are only read meanwhile; columns
// of a valuation are worked out when first asked for, so this is done before.
#include "infer/prover.h"

static crew *side_crew(prover *x) {
    if (!x->crew && x->o->threads > 1) x->crew = crew_new(x->o->threads);
    return x->crew;
}

filter *side_filter(prover *x) {
    filter *f = filter_new(x->pool);
    f->crew = side_crew(x);
    f->divides_all = x->o->divides_all;
    return f;
}

typedef struct {
    prover *x;
    valuation *v;
    bits *novel;  // by schema; NULL: nobody asks
} side_sample;

// The larger schemas come later in the list, and take longer: they are begun first.
static void side_add_to_schema(void *context, uint32_t item, uint32_t number) {
    side_sample *s = context;
    uint32_t i = s->x->schemas.len - 1 - item;
    (void)number;
    rows_add_sample(s->x->schemas.data[i], s->v, &s->x->o->limits, s->novel ? &s->novel[i] : NULL);
}

static void side_add_in_order(prover *x, valuation *v, bits *novel) {
    for (uint32_t i = 0; i < x->schemas.len; i++) rows_add_sample(x->schemas.data[i], v, &x->o->limits, novel);
}

void side_add_sample(prover *x, valuation *v, bits *novel) {
    bool is_small = v->s->nstates < 64 && !x->o->divides_all;
    if (is_small || !side_crew(x)) {
        side_add_in_order(x, v, novel);
        return;
    }
    uint32_t n = x->schemas.len;
    side_sample s = {x, v, novel ? mem_zero(n, sizeof *s.novel) : NULL};
    for (uint32_t i = 0; i < n; i++) rows_prepare(x->schemas.data[i], v);
    crew_each(x->crew, n, side_add_to_schema, &s);
    for (uint32_t i = 0; novel && i < n; i++) {
        bits_join(novel, &s.novel[i]);
        bits_free(&s.novel[i]);
    }
    free(s.novel);
}
