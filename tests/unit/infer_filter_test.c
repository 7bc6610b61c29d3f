// SPDX-License-Identifier: Apache-2.0
// Atoms, clauses, filter and blocking search against their slow twin, the reference evaluator in every state.
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include "infer/block.h"
#include "infer/filter.h"
#include "infer/minimal.h"
#include "infer/narrow.h"
#include "model/eval.h"
#include "model/expr.h"

#include <stdio.h>
#include <string.h>

enum { STATES = 40, MODELS = 400 };

typedef struct {
    random_model model;
    instance *in;
    value *states[STATES];
    sample *s;
    atom_pool *pool;
    eval *ev;
} fixture;

static void start(fixture *x, uint64_t seed) {
    x->model = random_model_new(seed, 1 + seed % 6, RANDOM_REQUIRES | RANDOM_ORDERED);
    x->in = random_model_instance(&x->model, 3);
    x->s = sample_new(x->in, STATES);
    x->ev = eval_new(x->in);
    for (uint32_t i = 0; i < STATES; i++) {
        x->states[i] = mem_zero(x->in->ncells + 1, sizeof(value));
        random_model_state(x->in, &x->model.random, x->states[i]);
        // Few cells differ from the first state, so that there are invariants to find.
        for (uint32_t c = 0; i && c < x->in->ncells; c++)
            if (rng_below(&x->model.random, 4)) x->states[i][c] = x->states[0][c];
        if (i + 1 < STATES) sample_add(x->s, x->states[i]);
    }
    x->pool = atoms_new(x->model.m, x->model.system, (prop){0}, NULL);
    atoms_make(x->pool);
}

static void stop(fixture *x) {
    atoms_free(x->pool);
    eval_free(x->ev);
    sample_free(x->s);
    for (uint32_t i = 0; i < STATES; i++) free(x->states[i]);
    instance_free(x->in);
    random_model_free(&x->model);
}

// All but the last state are in the sample.
static bool holds_in_sample(fixture *x, expr e) {
    for (uint32_t i = 0; i + 1 < STATES; i++)
        if (!eval_expr(x->ev, x->states[i], e)) return false;
    return true;
}

static rows *schema(fixture *x, uint32_t vars, uint32_t seed) {
    uint32_t counts[POOL_SORTS] = {0};
    for (uint32_t i = 0; i < vars && x->pool->sorts.len; i++) counts[(seed + i) % x->pool->sorts.len]++;
    rows *r = rows_new(x->pool, counts, 0);
    valuation *v = valuation_new(x->pool, x->s);
    rows_add_sample(r, v, NULL, NULL);
    valuation_free(v);
    return r;
}

static void atoms_have_their_values(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        fixture x;
        start(&x, seed);
        slicer *sl = slicer_new(x.s);
        for (uint32_t a = 0; a < x.pool->atoms.len && a < 100; a++) {
            uint64_t held = 0;
            slicer_clear(sl);
            for (uint32_t v = 0; v < x.pool->vars.len; v++) {
                uint32_t n = instance_type_size(x.in, x.pool->sorts.data[v / POOL_PER_SORT]);
                value to = (value)rng_below(&x.model.random, n);
                slicer_bind(sl, x.pool->vars.data[v], to);
                eval_bind(x.ev, x.pool->vars.data[v], to);
            }
            sample_eval(sl, x.pool->atoms.data[a].e, &held);
            for (uint32_t i = 0; i + 1 < STATES; i++)
                assert_int_equal(held >> i & 1, eval_expr(x.ev, x.states[i], x.pool->atoms.data[a].e));
        }
        slicer_free(sl);
        stop(&x);
    }
}

// One that uses `e` twice or thrice: as a tree, forty of them have some 2^50 nodes.
static expr use_again(fixture *x, expr e) {
    model *m = x->model.m;
    rng *r = &x->model.random;
    expr p = x->pool->atoms.data[rng_below(r, x->pool->atoms.len)].e, q = x->pool->atoms.data[0].e;
    var v = x->pool->vars.data[rng_below(r, x->pool->vars.len)];
    switch (rng_below(r, 5)) {
    case 0: return expr_ite(m, p, e, expr_not(m, expr_or(m, e, q)));
    case 1: return expr_and(m, expr_implies(m, e, p), expr_or(m, e, q));
    case 2: return expr_quantify(m, E_FORALL, v, expr_or(m, expr_not(m, e), expr_and(m, e, p)));
    case 3: return expr_eq(m, expr_quantify(m, E_EXISTS, v, expr_and(m, e, p)), expr_or(m, e, q));
    default: return expr_implies(m, expr_quantify(m, E_FORALL, v, e), expr_and(m, e, expr_or(m, p, q)));
    }
}

static void shared_parts_have_their_values(void **state) {
    (void)state;
    uint32_t held_some = 0, compared = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        fixture x;
        start(&x, seed);
        slicer *sl = slicer_new(x.s);
        for (uint32_t v = 0; v < x.pool->vars.len; v++) {
            value to =
                (value)rng_below(&x.model.random, instance_type_size(x.in, x.pool->sorts.data[v / POOL_PER_SORT]));
            slicer_bind(sl, x.pool->vars.data[v], to);
            eval_bind(x.ev, x.pool->vars.data[v], to);
        }
        bool can = x.pool->atoms.len && x.pool->vars.len;
        expr e = can ? x.pool->atoms.data[0].e : x.model.m->true_expr;
        for (uint32_t i = 0; i < 40 && can; i++) e = use_again(&x, e);
        uint64_t held = 0;
        sample_eval(sl, e, &held);
        held &= (UINT64_C(1) << (STATES - 1)) - 1;
        for (uint32_t i = 0; i + 1 < STATES; i++) assert_int_equal(held >> i & 1, eval_expr(x.ev, x.states[i], e));
        held_some += held && ~held << (64 - (STATES - 1));
        compared += can;
        slicer_free(sl);
        stop(&x);
    }
    assert_true(held_some > 20);  // differ from state to state
    printf("# tally: formulas with shared parts, by columns against the evaluator | %u cases | 0 wrong\n", compared);
}

// Every clause of one or two literals: a candidate iff it holds in every state.
static void filter_finds_what_holds(void **state) {
    (void)state;
    uint32_t found = 0, checked = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        fixture x;
        start(&x, seed);
        rows *r = schema(&x, 2, (uint32_t)seed);
        filter *f = filter_new(x.pool);
        filter_add(f, r, &(filter_options){.literals = 2});
        uint32_t holding = 0, total = 0;
        for (uint32_t a = 0; a < r->natoms * 2 && r->natoms < 30; a++)
            for (uint32_t b = a; b < r->natoms * 2; b++) {
                clause c = {
                    .n = b == a ? 1 : 2,
                    .lits = {(uint16_t)(r->atoms[a / 2] * 2u + a % 2), (uint16_t)(r->atoms[b / 2] * 2u + b % 2)}};
                if (clause_is_trivial(x.pool, &c) || !clause_is_canonical(x.pool, &c)) continue;
                bool holds = holds_in_sample(&x, clause_expr(x.pool, &c));
                assert_int_equal(holds, map_get(f->by_clause, &c, clause_bytes(&c), CANDIDATE_FREE) != CANDIDATE_FREE);
                assert_int_equal(holds, rows_satisfy(r, &c));
                holding += holds;
                total++;
            }
        if (r->natoms < 30) {
            assert_int_equal(f->all.len, holding);
            assert_int_equal(f->total, total);
        }
        found += holding;
        checked += total;
        filter_free(f);
        rows_free(r);
        stop(&x);
    }
    assert_true(found > 500 && checked > found);
}

// Who parks a candidate implies it.
static void parked_candidates_are_implied(void **state) {
    (void)state;
    uint32_t parked = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        fixture x;
        start(&x, seed);
        rows *r = schema(&x, 2, (uint32_t)seed);
        filter *f = filter_new(x.pool);
        if (r->natoms < 20) filter_add(f, r, &(filter_options){.literals = 3});
        filter_park(f);
        value *cells = mem_zero(x.in->ncells + 1, sizeof *cells);
        for (uint32_t i = 0; i < f->all.len; i += 7) {
            uint32_t by = f->all.data[i].parked_under;
            if (by == CANDIDATE_FREE) continue;
            expr weak = clause_expr(x.pool, &f->all.data[i].c), strong = clause_expr(x.pool, &f->all.data[by].c);
            for (uint32_t k = 0; k < 10; k++) {
                random_model_state(x.in, &x.model.random, cells);
                if (eval_expr(x.ev, cells, strong)) assert_true(eval_expr(x.ev, cells, weak));
            }
            parked++;
        }
        free(cells);
        filter_free(f);
        rows_free(r);
        stop(&x);
    }
    assert_true(parked > 200);
}

static void assert_same_candidates(const filter *a, const filter *b) {
    assert_int_equal(a->all.len, b->all.len);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->evaluations, b->evaluations);
    for (uint32_t i = 0; i < a->all.len; i++) {
        const candidate *x = &a->all.data[i], *y = &b->all.data[i];
        assert_memory_equal(&x->c, &y->c, clause_bytes(&x->c));
        assert_int_equal(x->parked_under, y->parked_under);
    }
}

// In the same order, parked in the same way, on any number of threads; schemas of two and of one variable.
static void threads_find_the_same(void **state) {
    (void)state;
    crew *threads = crew_new(3);
    uint32_t found = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        fixture x;
        start(&x, seed);
        rows *two = schema(&x, 2, (uint32_t)seed), *one = schema(&x, 1, (uint32_t)seed);
        filter_options o = {.literals = two->natoms < 20 ? 3 : 2, .free_equality = seed % 3};
        filter *f[2] = {filter_new(x.pool), filter_new(x.pool)};
        f[1]->crew = threads;
        f[1]->divides_all = true;
        for (uint32_t i = 0; i < 2; i++) {
            (seed % 2 ? minimal_add : filter_add)(f[i], two, &o);
            (seed % 2 ? minimal_add : filter_add)(f[i], one, &o);
            filter_park(f[i]);
        }
        assert_same_candidates(f[0], f[1]);
        found += f[0]->all.len;
        for (uint32_t i = 0; i < 2; i++) filter_free(f[i]);
        rows_free(two);
        rows_free(one);
        stop(&x);
    }
    crew_free(threads);
    assert_true(found > 1000);
    printf("# tally: candidates found by one and by three threads | %u cases | 0 wrong\n", found);
}

// Of the candidates that are not parked: are they the same, in the same order?
static uint32_t assert_same_free(const filter *a, const filter *b) {
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < a->all.len; i++) {
        const candidate *x = &a->all.data[i];
        if (x->parked_under != CANDIDATE_FREE) continue;
        while (k < b->all.len && b->all.data[k].parked_under != CANDIDATE_FREE) k++;
        assert_true(k < b->all.len);
        assert_memory_equal(&x->c, &b->all.data[k++].c, clause_bytes(&x->c));
        n++;
    }
    while (k < b->all.len) assert_int_not_equal(b->all.data[k++].parked_under, CANDIDATE_FREE);
    return n;
}

// Clauses of which no part holds, found as such, against all that hold: schemas of one, two and three variables, with
// and without quantified atoms, and with no state at all.
static void minimal_clauses_are_those_left_free(void **state) {
    (void)state;
    uint32_t found = 0, long_ones = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        fixture x;
        start(&x, seed);
        rows *of[3];
        for (uint32_t i = 0; i < 3; i++) of[i] = schema(&x, i + 1, (uint32_t)seed);
        filter_options o = {.literals = of[2]->natoms < 12 ? 4 : 3, .free_equality = seed % 3, .plain = seed % 5 == 0};
        filter *f[2] = {filter_new(x.pool), filter_new(x.pool)};
        for (uint32_t i = 0; i < 3 && of[i]->natoms < 24; i++) {
            filter_add(f[0], of[i], &o);
            minimal_add(f[1], of[i], &o);
        }
        for (uint32_t i = 0; i < 2; i++) filter_park(f[i]);
        found += assert_same_free(f[0], f[1]);
        for (uint32_t i = 0; i < f[1]->all.len; i++) long_ones += f[1]->all.data[i].c.n > 3;
        for (uint32_t i = 0; i < 2; i++) filter_free(f[i]);
        for (uint32_t i = 0; i < 3; i++) rows_free(of[i]);
        stop(&x);
    }
    assert_true(found > 1000 && long_ones > 100);
    printf("# tally: minimal clauses against all that hold | %u cases | 0 wrong\n", found);
}

// Is there a clause of up to two literals (and equalities) that holds in the sample and is false in the last
// state?
static bool some_clause_blocks(fixture *x, const rows *r) {
    for (uint32_t a = 0; a < r->natoms * 2; a++)
        for (uint32_t b = a; b < r->natoms * 2; b++) {
            clause c = {.n = b == a ? 1 : 2,
                        .lits = {(uint16_t)(r->atoms[a / 2] * 2u + a % 2), (uint16_t)(r->atoms[b / 2] * 2u + b % 2)}};
            if (clause_is_trivial(x->pool, &c)) continue;
            expr e = clause_expr(x->pool, &c);
            if (holds_in_sample(x, e) && !eval_expr(x->ev, x->states[STATES - 1], e)) return true;
        }
    return false;
}

static void blocking_clauses_block(void **state) {
    (void)state;
    uint32_t blocked = 0, free_states = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        fixture x;
        start(&x, seed);
        rows *schemas[] = {schema(&x, 0, 0), schema(&x, 1, (uint32_t)seed), schema(&x, 1, (uint32_t)seed + 1),
                           schema(&x, 2, (uint32_t)seed)};
        clause_list found = {0};
        block_limits allowed = {2, 1000, 1000000};
        block_state(schemas, 4, x.in, x.states[STATES - 1], &allowed, &found);
        for (uint32_t i = 0; i < found.len; i++) {
            expr e = clause_expr(x.pool, &found.data[i]), shown = clause_readable(x.pool, &found.data[i]);
            assert_true(holds_in_sample(&x, e) && holds_in_sample(&x, shown));
            assert_false(eval_expr(x.ev, x.states[STATES - 1], e));
            assert_false(eval_expr(x.ev, x.states[STATES - 1], shown));
        }
        if (!found.len && schemas[3]->natoms < 30) assert_false(some_clause_blocks(&x, schemas[3]));
        blocked += found.len > 0;
        free_states += found.len == 0;
        vec_free(&found);
        for (uint32_t i = 0; i < 4; i++) rows_free(schemas[i]);
        stop(&x);
    }
    assert_true(blocked > 5 && free_states > 5);
}

// ---- sets of rows that are worked out as far as needed

enum { WIDE_STATES = 3000, WIDE_MODELS = 12, QUESTIONS = 3000, BLOCK_ROWS = 4096 };

static rows *many_rows(fixture *x, uint64_t seed) {
    sample *s = sample_new(x->in, WIDE_STATES);
    for (uint32_t i = 0; i < WIDE_STATES; i++) {
        random_model_state(x->in, &x->model.random, x->states[0]);
        sample_add(s, x->states[0]);
    }
    uint32_t counts[POOL_SORTS] = {0};
    for (uint32_t i = 0; i < 3 && x->pool->sorts.len; i++) counts[(seed + i) % x->pool->sorts.len]++;
    rows *r = rows_new(x->pool, counts, 0);
    valuation *v = valuation_new(x->pool, s);
    rows_add_sample(r, v, NULL, NULL);
    valuation_free(v);
    sample_free(s);
    return r;
}

static bool is_false_in(const rows *r, uint32_t literal, uint32_t row) {
    bool holds = tuples_get(r->rows, row)[literal / 128] >> (literal / 2 % 64) & 1;
    return holds == (literal % 2 != 0);
}

// The first row, from one on, in which all these literals are false, or UINT32_MAX: one row after the other.
static uint32_t first_by_rows(const rows *r, const uint32_t *literals, uint32_t n, uint32_t from) {
    for (uint32_t row = from; row < r->nrows; row++) {
        uint32_t i = 0;
        while (i < n && is_false_in(r, literals[i], row)) i++;
        if (i == n) return row;
    }
    return UINT32_MAX;
}

// All such rows, if there are few, or the first few hundred.
static void assert_next_by_rows(narrowing *n, const uint32_t *taken, uint32_t depth) {
    uint32_t row = 0;
    for (uint32_t i = 0; i < 300 && row != UINT32_MAX; i++) {
        uint32_t next = first_by_rows(n->r, taken, depth, row);
        assert_int_equal(narrow_next(n, row), next);
        row = next == UINT32_MAX ? next : next + 1;
    }
}

static void narrowing_is_exact(void **state) {
    (void)state;
    uint32_t wide = 0, none = 0, asked = 0;
    for (uint64_t seed = 0; seed < WIDE_MODELS; seed++) {
        fixture x;
        start(&x, seed);
        rows *r = many_rows(&x, seed);
        wide += r->nrows > 2 * BLOCK_ROWS;
        narrowing n;
        uint32_t taken[CLAUSE_MOST + 1], depth = 0;
        narrow_start(&n, r);
        for (uint32_t i = 0; i < QUESTIONS && r->natoms; i++) {
            uint32_t what = rng_below(&x.model.random, 4), literal = rng_below(&x.model.random, r->natoms * 2);
            if (what == 0 && depth < 6) narrow_take(&n, taken[depth++] = literal);
            if (what == 1 && depth) narrow_back(&n), depth--;
            taken[depth] = literal;
            if (what == 2) assert_int_equal(narrow_first(&n), first_by_rows(r, taken, depth, 0));
            if (what == 2) assert_next_by_rows(&n, taken, depth);
            if (what != 3) continue;
            bool some = first_by_rows(r, taken, depth + 1, 0) != UINT32_MAX;
            assert_int_equal(narrow_some_false(&n, literal), some);
            none += !some;
            asked++;
        }
        narrow_stop(&n);
        rows_free(r);
        stop(&x);
    }
    assert_true(wide > 1 && none > asked / 50);
    printf("# tally: sets of rows against one row after the other | %u cases | 0 wrong\n", asked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms_have_their_values), cmocka_unit_test(shared_parts_have_their_values),
        cmocka_unit_test(filter_finds_what_holds), cmocka_unit_test(parked_candidates_are_implied),
        cmocka_unit_test(threads_find_the_same),   cmocka_unit_test(blocking_clauses_block),
        cmocka_unit_test(narrowing_is_exact),      cmocka_unit_test(minimal_clauses_are_those_left_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
