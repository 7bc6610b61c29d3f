// SPDX-License-Identifier: Apache-2.0
// See cover_views.h.
#include "oracle/cover_views.h"

bool cover_views_open(cover_views *x, const char *text, uint32_t kept) {
    *x = (cover_views){.of = cover_read(text)};
    x->a = abstract_new(x->of.m, x->of.system, x->of.sort, kept);
    if (x->a->refusal) return false;
    x->v = lemma_vocabulary_new(x->of.m, x->of.system, x->of.sort, 1);
    x->s = survey_new(x->a, x->v);
    return x->s->view_space;
}

void cover_views_close(cover_views *x) {
    survey_free(x->s);
    lemma_vocabulary_free(x->v);
    abstract_free(x->a);
    cover_close(&x->of);
}

void cover_views_add(cover_views *x, survey *s, uint32_t size, uint64_t most_states) {
    sort_size sizes = {x->of.sort, size};
    instance *in = instance_new(x->of.m, x->of.system, &sizes, 1);
    explored *states = cover_explore(in, most_states);
    if (explored_space(states)) survey_add(s, in, states);
    explored_free(states);
    instance_free(in);
}
