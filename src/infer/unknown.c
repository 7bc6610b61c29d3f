// SPDX-License-Identifier: Apache-2.0
// What an answer `unknown` shows: the lemmas found, the most general ones first and without those that follow from them
// (tautologies follow from nothing); and a lemma that would exclude the state that stands in the way.
//
// The proposal is the diagram of that state with as few elements and facts as keep it apart from all states seen. It is
// true of these and true initially, and nothing more is known of it: the user knows whether it is meant.
#include "infer/unknown.h"

#include "infer/diagram.h"
#include "model/expr.h"

#include <stdlib.h>

// ---- lemmas

typedef struct {
    uint32_t number, size;
} sized_lemma;

static int lemma_by_size(const void *a, const void *b) {
    const sized_lemma *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// What is given comes first; of others, few variables and few literals say most.
static uint32_t unknown_size(const prover *x, uint32_t number) {
    if (x->lemmas.data[number].kind != LEMMA_FOUND) return 0;
    return expr_of(x->m, logic_lemma(x->logic, number))->weight;
}

void unknown_order(prover *x, const bits *all, lemma_numbers *out) {
    VEC(sized_lemma) sorted = {0};
    bits shown = {0};
    BITS_EACH(i, all) vec_push(&sorted, (sized_lemma){i, unknown_size(x, i)});
    if (sorted.len) qsort(sorted.data, sorted.len, sizeof *sorted.data, lemma_by_size);
    logic_set_alone(x->logic, true);
    for (uint32_t i = 0; i < sorted.len; i++) {
        uint32_t n = sorted.data[i].number;
        bool is_found = x->lemmas.data[n].kind == LEMMA_FOUND;
        if (is_found && logic_implied(x->logic, UINT32_MAX, &shown, logic_lemma(x->logic, n)) == ANSWER_PROVED)
            continue;
        bits_add(&shown, n);
        vec_push(out, n);
    }
    logic_set_alone(x->logic, false);
    bits_free(&shown);
    vec_free(&sorted);
}

// ---- a lemma to try

static void propose_without(diagram_maker *d, const cube *c, bits *keep, const bits *gone) {
    bits rest = {0};
    bits_copy(&rest, keep);
    bits_minus(&rest, gone);
    if (!bits_is_empty(&rest) && !diagram_is_seen(d, c, &rest, NULL)) bits_copy(keep, &rest);
    bits_free(&rest);
}

// As few elements as possible, then as few facts.
static void propose_general(prover *x, diagram_maker *d, const cube *c, bits *keep) {
    for (uint32_t v = c->vars.len; v-- > 0 && !limits_met(&x->look);) {
        bits gone = {0};
        BITS_EACH(i, keep)
            if (c->masks.data[i] >> v & 1) bits_add(&gone, i);
        propose_without(d, c, keep, &gone);
        bits_free(&gone);
    }
    for (uint32_t i = c->facts.len; i-- > 0 && !limits_met(&x->look);) {
        bits gone = {0};
        bits_add(&gone, i);
        if (bits_has(keep, i)) propose_without(d, c, keep, &gone);
        bits_free(&gone);
    }
}

static bool propose_is_initial(prover *x, expr e) {
    bits one = {0}, failed = {0};
    uint32_t n = logic_add_lemma(x->logic, e);
    bits_add(&one, n);
    logic_set_alone(x->logic, true);
    bool ok = logic_initially(x->logic, &one, &failed) == ANSWER_PROVED;
    logic_set_alone(x->logic, false);
    logic_retire(x->logic, n);
    bits_free(&one);
    bits_free(&failed);
    return ok;
}

void unknown_propose(prover *x) {
    const proof_obstacle *o = x->out->obstacle;
    diagram_maker d;
    cube c;
    bits keep = {0};
    if (!o || !o->before || !x->samples.len) return;
    diagram_start(&d, x->pool, false);
    for (uint32_t i = 0; i < x->samples.len; i++) vec_push(&d.samples, x->samples.data[i]);
    for (uint32_t i = 0; i < x->wide.len; i++) vec_push(&d.samples, x->wide.data[i]);
    if (diagram_of(&d, o->in, o->before, &c)) {
        for (uint32_t i = 0; i < c.facts.len; i++) bits_add(&keep, i);
        bool is_apart = c.facts.len && !diagram_is_seen(&d, &c, &keep, NULL);
        if (is_apart) propose_general(x, &d, &c, &keep);
        if (is_apart && propose_is_initial(x, diagram_clause(&d, &c, &keep, NULL)))
            x->out->proposal = diagram_readable(&d, &c, &keep, NULL);
    }
    cube_free(&c);
    diagram_stop(&d);
    bits_free(&keep);
}
