// SPDX-License-Identifier: Apache-2.0
// Proofs as data: see proof.h.
#include "result/proof.h"

proof *proof_new(model *m, prop p) {
    proof *x = mem_zero(1, sizeof *x);
    x->memory = arena_new();
    x->m = m;
    x->property = p;
    x->verdict = VERDICT_UNKNOWN;
    x->small = result_new();
    x->is_stratified = true;
    return x;
}

void proof_free(proof *p) {
    if (!p) return;
    result_free(p->small);
    for (uint32_t i = 0; i < p->instances.len; i++) instance_free(p->instances.data[i]);
    vec_free(&p->instances);
    vec_free(&p->lemmas);
    arena_free(p->memory);
    free(p);
}

uint32_t proof_count_assumed(const proof *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->lemmas.len; i++) n += p->lemmas.data[i].is_assumed;
    return n;
}
