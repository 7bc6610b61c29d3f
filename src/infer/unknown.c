// SPDX-License-Identifier: Apache-2.0
// What an answer `unknown` shows: the lemmas found, the most general ones first and without those that follow from them
// (tautologies follow from nothing); and a lemma that would exclude the state that stands in the way.
//
// The proposal is the diagram of that state with as few elements and facts as keep it apart from all states seen. It is
// true of these and true initially, and nothing more is known of it: the user knows whether it is meant.
#include "infer/unknown.h"

#include "infer/diagram.h"
#include "model/expr.h"
#include "model/print.h"

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

// Two that read alike are told apart by the names of their variables alone.
static bool unknown_is_said(prover *x, map *said, uint32_t number) {
    str text = {0};
    print_expr(x->m, logic_lemma(x->logic, number), &text);
    bool is_known = map_get(said, str_get(&text), text.len, 0);
    map_put(said, str_get(&text), text.len, 1);
    str_free(&text);
    return is_known;
}

void unknown_order(prover *x, const bits *all, lemma_numbers *out) {
    VEC(sized_lemma) sorted = {0};
    bits shown = {0};
    map *said = map_new();
    BITS_EACH(i, all) vec_push(&sorted, (sized_lemma){i, unknown_size(x, i)});
    if (sorted.len) qsort(sorted.data, sorted.len, sizeof *sorted.data, lemma_by_size);
    logic_set_alone(x->logic, true);
    for (uint32_t i = 0; i < sorted.len; i++) {
        uint32_t n = sorted.data[i].number;
        bool is_found = x->lemmas.data[n].kind == LEMMA_FOUND;
        if (is_found && unknown_is_said(x, said, n)) continue;
        if (is_found && logic_implied(x->logic, UINT32_MAX, &shown, logic_lemma(x->logic, n)) == ANSWER_PROVED)
            continue;
        bits_add(&shown, n);
        vec_push(out, n);
    }
    logic_set_alone(x->logic, false);
    map_free(said);
    bits_free(&shown);
    vec_free(&sorted);
}

// ---- lemmas of tries that did not suffice

enum { NOTED_MOST = 400, NOTED_BATCH = 40 };

void prover_note_lemmas(prover *x) {
    BITS_EACH(i, &x->stands) {
        const lemma *l = &x->lemmas.data[i];
        if (l->kind != LEMMA_FOUND || bits_has(&x->kept, i)) continue;
        expr shown = l->c.n ? clause_readable(x->pool, &l->c) : l->shown;
        vec_push(&x->noted, (noted_lemma){logic_lemma(x->logic, i), shown});
    }
}

static int noted_by_size(const void *a, const void *b, void *m) {
    const noted_lemma *x = a, *y = b;
    uint32_t of_x = expr_of(m, x->e)->weight, of_y = expr_of(m, y->e)->weight;
    if (of_x != of_y) return of_x < of_y ? -1 : 1;
    return x->e.id < y->e.id ? -1 : x->e.id > y->e.id;
}

// Those that are inductive join what is kept.
static void noted_try(prover *x, const noted_lemma *of, uint32_t n) {
    bits fresh = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (i && expr_same(of[i].e, of[i - 1].e)) continue;
        bits_add(&fresh, prover_add_lemma(x, of[i].e, (lemma){.kind = LEMMA_FOUND, .shown = of[i].shown}));
    }
    prover_check_initially(x, &fresh);
    weaken_rest(x);
    bits_copy(&x->kept, &x->asked);
    bits_free(&fresh);
}

void unknown_join_noted(prover *x) {
    uint32_t late = x->noted.len > NOTED_MOST ? x->noted.len - NOTED_MOST : 0, n = x->noted.len - late;
    if (!n) return;
    noted_lemma *of = x->noted.data + late;
    qsort_r(of, n, sizeof *of, noted_by_size, x->m);
    for (uint32_t i = 0; i < n && !prover_out_of_time(x); i += NOTED_BATCH)
        noted_try(x, of + i, n - i < NOTED_BATCH ? n - i : NOTED_BATCH);
}

// ---- a lemma to try

enum { PROPOSED_MOST = 12 };  // facts, where the time did not suffice to leave out what can be left out

typedef struct {
    prover *x;
    diagram_maker d;
    cube c;
    bits keep;   // the facts of the proposal so far
    bits start;  // facts that no initial state meets: they stay
} proposing;

static void propose_without(proposing *p, const bits *gone) {
    bits rest = {0};
    bits_copy(&rest, &p->keep);
    bits_minus(&rest, gone);
    bits_join(&rest, &p->start);
    if (!bits_is_empty(&rest) && !diagram_is_seen(&p->d, &p->c, &rest, NULL)) bits_copy(&p->keep, &rest);
    bits_free(&rest);
}

static bool propose_is_fixed(const proposing *p, uint32_t fact_number) {
    const prover *x = p->x;
    expr body = p->d.words.data[p->c.facts.data[fact_number].word].body;
    bool changes = false;
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->funcs.len && !changes; i++) {
        func f = sys_of(x->m, x->system)->funcs.data[i];
        changes = !func_of(x->m, f)->is_rigid && expr_reads(x->m, body, f);
    }
    return !changes;
}

static void propose_without_facts(proposing *p, bool is_fixed) {
    for (uint32_t i = p->c.facts.len; i-- > 0 && !prover_out_of_time(p->x);) {
        bits gone = {0};
        bits_add(&gone, i);
        if (bits_has(&p->keep, i) && propose_is_fixed(p, i) == is_fixed) propose_without(p, &gone);
        bits_free(&gone);
    }
}

static void propose_without_elements(proposing *p) {
    for (uint32_t v = p->c.vars.len; v-- > 0 && !prover_out_of_time(p->x);) {
        bits gone = {0};
        BITS_EACH(i, &p->keep)
            if (p->c.masks.data[i] >> v & 1) bits_add(&gone, i);
        propose_without(p, &gone);
        bits_free(&gone);
    }
}

// As few elements as possible, then as few facts. What never changes goes first: that no state seen has three rounds
// says nothing about the system.
static void propose_general(proposing *p) {
    propose_without_facts(p, true);
    propose_without_elements(p);
    propose_without_facts(p, false);
    propose_without_facts(p, true);
}

// False if an initial state is like this.
static bool propose_find_start(proposing *p) {
    bits none = {0};
    logic_cube q = {p->c.vars.data, p->c.vars.len, p->c.lits.data, p->c.lits.len};
    for (uint32_t i = 0; i < p->c.facts.len; i++) bits_add(&p->keep, i);
    bool ok = logic_reaches(p->x->logic, LOGIC_START, &none, &q, &p->start) == ANSWER_PROVED;
    return ok && !diagram_is_seen(&p->d, &p->c, &p->keep, NULL);
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
    proposing p = {.x = x};
    if (!o || !o->before || !x->samples.len) return;
    diagram_start(&p.d, x->pool, false);
    for (uint32_t i = 0; i < x->samples.len; i++) vec_push(&p.d.samples, x->samples.data[i]);
    for (uint32_t i = 0; i < x->wide.len; i++) vec_push(&p.d.samples, x->wide.data[i]);
    if (diagram_of(&p.d, o->in, o->before, &p.c) && propose_find_start(&p)) {
        propose_general(&p);
        bool is_short = !prover_out_of_time(x) || bits_count(&p.keep) <= PROPOSED_MOST;
        if (is_short && propose_is_initial(x, diagram_clause(&p.d, &p.c, &p.keep, NULL)))
            x->out->proposal = diagram_readable(&p.d, &p.c, &p.keep, NULL);
    }
    cube_free(&p.c);
    diagram_stop(&p.d);
    bits_free(&p.keep);
    bits_free(&p.start);
}
