// SPDX-License-Identifier: Apache-2.0
// A logic of its own for a try: what is asked in it would change what solvers answer later, which of several models
// they find and how fast. The logic of a try stays only if there is a proof.
#include "infer/prover.h"

bool own_enter(prover *x, own_before *b) {
    logic *own = prover_new_logic(x);
    if (!own) return false;
    *b = (own_before){.logic = x->logic, .nlemmas = x->lemmas.len};
    bits_copy(&b->stands, &x->stands);
    bits_copy(&b->asked, &x->asked);
    bits_copy(&b->kept, &x->kept);
    bits_copy(&b->banned, &x->banned);
    for (uint32_t i = 0; i < x->lemmas.len; i++) {
        logic_add_lemma(own, logic_lemma(x->logic, i));
        if (!bits_has(&x->stands, i)) logic_retire(own, i);
    }
    logic_compact(own);
    x->logic = own;
    prover_unsettle(x);
    return true;
}

void own_leave(prover *x, own_before *b, bool is_proved) {
    if (!is_proved) prover_note_lemmas(x);
    logic_add_statistics(is_proved ? x->logic : b->logic, logic_statistics(is_proved ? b->logic : x->logic));
    logic_free(is_proved ? b->logic : x->logic);
    if (!is_proved) {
        x->logic = b->logic;
        while (x->lemmas.len > b->nlemmas) bits_free(&vec_pop(&x->lemmas).purpose);
        bits_copy(&x->stands, &b->stands);
        bits_copy(&x->asked, &b->asked);
        bits_copy(&x->kept, &b->kept);
        bits_copy(&x->banned, &b->banned);
        map_free(x->by_formula);
        map_free(x->by_clause);
        x->by_formula = map_new();
        x->by_clause = map_new();
        prover_unsettle(x);
    }
    bits_free(&b->stands);
    bits_free(&b->asked);
    bits_free(&b->kept);
    bits_free(&b->banned);
}
