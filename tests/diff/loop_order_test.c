// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds may be done in any order, against trying all orders.
//
// Random bodies of loops (oracle/random_loop.h) in a model whose other rules bring the variables into random states. A
// loop that is said to come to the same end in every order is taken apart into its rounds, in each order, and the
// reference evaluator runs the whole rule; ends are compared up to the slots of multisets. The share of loops found
// among those for which no two orders were seen to differ is printed, and must not become small.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/murphi/murphi.h"
#include "model/bag.h"
#include "model/eval.h"
#include "model/expr.h"
#include "model/stmt.h"
#include "oracle/part.h"
#include "oracle/random_loop.h"
#include "pass/loop_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS = 16, MOST_ELEMENTS = 8 };  // of the functions, rules and types below

// ---- a model, and the loops of its last rule

typedef struct {
    const stmt *loop;
    bool is_any;
    str why;
} judged;

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    rule test;
    VEC(judged) loops;
} sample;

static bool sample_new(sample *s, const char *text, bool is_lenient) {
    *s = (sample){.messages = diag_new()};
    s->m = model_new(s->messages);
    murphi_options o = {.copies_undefined = is_lenient};
    if (!murphi_read_text(s->m, "sample.m", text, strlen(text), &o, &s->system)) {
        str messages = {0};
        diag_print(s->messages, &messages, false);
        printf("%s\n%s\n", str_get(&messages), text);
        return false;
    }
    s->in = instance_new(s->m, s->system, NULL, 0);
    s->test = vec_last(&sys_of(s->m, s->system)->rules);
    return s->in;
}

static void sample_free(sample *s) {
    for (uint32_t i = 0; i < s->loops.len; i++) str_free(&s->loops.data[i].why);
    vec_free(&s->loops);
    instance_free(s->in);
    model_free(s->m);
    diag_free(s->messages);
}

typedef struct {
    sample *s;
    loop_order order;
    slot_use slots;
    bits around;
    uint32_t number;
    bool is_inside;  // the loop over n
} finder;

static bool is_scalarset(const model *m, type t) {
    const type_info *info = type_of(m, t);
    return info->kind == TYPE_UNION || (info->kind == TYPE_SORT && !info->is_slot);
}

static void find_loops(finder *f, const stmt *s) {
    uint32_t number = f->number++;
    bool was_inside = f->is_inside;
    f->is_inside |= s->kind == S_FORALL && str_same(var_of(f->s->m, s->vars[0])->name, "n");
    if (f->is_inside && s->kind == S_FORALL && s->nvars == 1 &&
        is_scalarset(f->s->m, var_of(f->s->m, s->vars[0])->ty)) {
        judged j = {.loop = s};
        j.is_any = loop_order_is_any(&f->order, s, number, s->vars[0], &j.why);
        vec_push(&f->s->loops, j);
    }
    for (uint32_t i = 0; i < s->nvars; i++) bits_add(&f->around, s->vars[i].id);
    for (uint32_t i = 0; i < s->nbody; i++) find_loops(f, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) find_loops(f, s->orelse[i]);
    for (uint32_t i = 0; i < s->nvars; i++) bits_remove(&f->around, s->vars[i].id);
    f->is_inside = was_inside;
}

static void judge_loops(sample *s) {
    const rule_info *r = rule_of(s->m, s->test);
    local_use *uses = local_use_new(s->m);
    finder f = {.s = s};
    f.order = (loop_order){.m = s->m, .fx = effects_new(s->m), .uses = uses, .slots = &f.slots, .around = &f.around};
    local_use_look_at(uses, r->body);
    slot_use_look_at(&f.slots, s->m, s->system, r);
    for (uint32_t i = 0; i < r->nparams; i++) bits_add(&f.around, r->params[i].id);
    find_loops(&f, r->body);
    effects_free(f.order.fx);
    slot_use_free(&f.slots);
    local_use_free(uses);
    bits_free(&f.around);
}

// ---- the rule with the rounds of one loop in a given order

typedef VEC(const stmt *) stmts;

static const stmt *in_order(model *m, const stmt *loop, const uint32_t *order, uint32_t n) {
    stmts rounds = {0};
    expr cond = loop->cond.id ? loop->cond : m->true_expr;
    const stmt *round = model_if(m, cond, loop->body, loop->nbody, NULL, 0, loop->at);
    for (uint32_t i = 0; i < n; i++) {
        expr e = expr_const(m, var_of(m, loop->vars[0])->ty, (value)order[i]);
        vec_push(&rounds, stmt_subst(m, round, loop->vars, &e, 1));
    }
    const stmt *all = model_block(m, S_SEQ, rounds.data, rounds.len, loop->at);
    vec_free(&rounds);
    return all;
}

static const stmt *replace(model *m, const stmt *s, const stmt *loop, const stmt *by) {
    if (s == loop) return by;
    stmt *copy = arena_copy(m->memory, s, sizeof *s);
    const stmt **body = arena_alloc(m->memory, (s->nbody + 1) * sizeof *body);
    const stmt **orelse = arena_alloc(m->memory, (s->norelse + 1) * sizeof *orelse);
    for (uint32_t i = 0; i < s->nbody; i++) body[i] = replace(m, s->body[i], loop, by);
    for (uint32_t i = 0; i < s->norelse; i++) orelse[i] = replace(m, s->orelse[i], loop, by);
    copy->body = body;
    copy->orelse = orelse;
    return copy;
}

// ---- ends of a rule

typedef enum { END_STATE, END_FAULT, END_LIMIT, END_IMPOSSIBLE } end_kind;

static end_kind run(sample *s, eval *ev, const value *from, const stmt *body, value *to) {
    memcpy(to, from, s->in->ncells * sizeof *to);
    if (eval_stmt(ev, to, body)) {
        bag_order(s->in, to);
        return END_STATE;
    }
    if (eval_is_impossible(ev)) return END_IMPOSSIBLE;
    return eval_fault(ev).kind == FAULT_LIMIT ? END_LIMIT : END_FAULT;
}

// ---- states: a random walk by the other rules

enum { MOST_ORDERS = 6 };

typedef struct {
    value *to;
    size_t size;
} start_copy;

static bool copy_start(const value *state, void *context) {
    start_copy *c = context;
    memcpy(c->to, state, c->size);
    return false;
}

static void step(sample *s, eval *ev, rng *r, value *state, value *next) {
    const sys_info *info = sys_of(s->m, s->system);
    rule by = info->rules.data[rng_below(r, info->rules.len - 1)];
    const rule_info *ri = rule_of(s->m, by);
    value args[MOST_ARGS];
    for (uint32_t i = 0; i < ri->nparams; i++) {
        type ty = var_of(s->m, ri->params[i])->ty;
        args[i] = instance_type_first(s->in, ty) + (value)rng_below(r, instance_type_size(s->in, ty));
    }
    if (eval_enabled(ev, state, by, args) && eval_fire(ev, state, by, args, next))
        memcpy(state, next, s->in->ncells * sizeof *next);
}

// Any order of the elements of a union: too many to try them all.
static void shuffle(rng *r, uint32_t *order, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = rng_below(r, i), was = order[i - 1];
        order[i - 1] = order[k], order[k] = was;
    }
}

static const uint32_t orders3[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const uint32_t orders2[][3] = {{0, 1}, {1, 0}};

typedef struct {
    const stmt *bodies[MOST_ORDERS];
    uint32_t n;
} variants;

static variants orders_of(sample *s, const stmt *loop) {
    variants v = {0};
    uint32_t size = instance_type_size(s->in, var_of(s->m, loop->vars[0])->ty);
    const stmt *body = rule_of(s->m, s->test)->body;
    v.n = size == 2 ? 2 : 6;
    rng r = {size};
    for (uint32_t i = 0; i < v.n; i++) {
        uint32_t any[MOST_ELEMENTS];
        shuffle(&r, any, size);
        const uint32_t *order = size == 3 ? orders3[i] : size == 2 ? orders2[i] : any;
        v.bodies[i] = replace(s->m, body, loop, in_order(s->m, loop, order, size));
    }
    return v;
}

// Parameters with which the rule may be done in the state; false: none were found.
static bool bind_test(sample *s, eval *ev, rng *r, const value *state) {
    const rule_info *ri = rule_of(s->m, s->test);
    value args[MOST_ARGS];
    bool is_enabled = false;
    for (uint32_t k = 0; k < 8 && !is_enabled; k++) {
        for (uint32_t i = 0; i < ri->nparams; i++)
            args[i] = (value)rng_below(r, instance_type_size(s->in, var_of(s->m, ri->params[i])->ty));
        is_enabled = eval_enabled(ev, state, s->test, args);
    }
    for (uint32_t i = 0; i < ri->nparams; i++) eval_bind(ev, ri->params[i], args[i]);
    return is_enabled;
}

// Does the rule come to the same end in every order, from states of a random walk?
static bool same_ends(sample *s, const variants *v, uint32_t nstates, uint64_t seed, uint64_t *nfaults) {
    size_t size = s->in->ncells * sizeof(value);
    value *state = mem_zero(1, size), *next = mem_zero(1, size), *one = mem_zero(1, size), *other = mem_zero(1, size);
    rng r = {seed};
    bool same = true;
    start_copy start = {state, size};
    eval_initial(s->in, copy_start, &start);
    eval *ev = eval_new(s->in);
    for (uint32_t i = 0; i < nstates && same; i++) {
        for (uint32_t k = 0; k < 6; k++) step(s, ev, &r, state, next);
        if (!bind_test(s, ev, &r, state)) continue;
        end_kind first = run(s, ev, state, v->bodies[0], one);
        *nfaults += first != END_STATE;
        for (uint32_t k = 1; k < v->n && same; k++) {
            end_kind end = run(s, ev, state, v->bodies[k], other);
            same = end == first && (end != END_STATE || memcmp(one, other, size) == 0);
        }
    }
    eval_free(ev);
    free(state), free(next), free(one), free(other);
    return same;
}

static void any_order(void **state) {
    (void)state;
    const char *only = getenv("LOOP_SEED"), *asked = getenv("PARVIS_LOOPS");
    uint32_t n = asked ? (uint32_t)strtoul(asked, NULL, 10) : (uint32_t)part_rounds(2500, 100000), nstates = 60;
    uint64_t first = only ? strtoull(only, NULL, 10) : part_seed(1);
    uint32_t loops = 0, any = 0, wrong = 0, independent = 0, found = 0;
    uint64_t nfaults = 0;
    for (uint64_t seed = first; seed < first + n; seed++) {
        str text = {0};
        sample s;
        random_loop_text(seed, &text);
        assert_true(sample_new(&s, str_get(&text), seed % 8 < 5));
        judge_loops(&s);
        for (uint32_t i = 0; i < s.loops.len; i++) {
            judged *j = &s.loops.data[i];
            variants v = orders_of(&s, j->loop);
            bool same = same_ends(&s, &v, nstates, seed, &nfaults);
            loops++;
            any += j->is_any;
            independent += same;
            found += same && j->is_any;
            if (only) printf("# loop %u: any %d same %d: %s\n", i, j->is_any, same, str_get(&j->why));
            if (same && !j->is_any && getenv("LOOP_WHY"))
                printf("# why %llu %s\n", (unsigned long long)seed, str_get(&j->why));
            if (same || !j->is_any) continue;
            wrong++;
            printf("# seed %llu\n%s\n", (unsigned long long)seed, strstr(str_get(&text), "ruleset m : node; o9"));
        }
        if (only) printf("%s\n", strstr(str_get(&text), "ruleset m : node; o9"));
        sample_free(&s);
        str_free(&text);
        if (only) break;
    }
    printf("# tally: loops in any order, against all orders of rounds | %u cases | %u wrong\n", loops, wrong);
    printf("# %u%% of %u ends are failures\n", (uint32_t)(100 * nfaults / (loops * (uint64_t)nstates)),
           loops * nstates);
    printf("# %u loops, %u said to be in any order; of %u whose orders never differed, %u found\n", loops, any,
           independent, found);
    assert_int_equal(wrong, 0);
    if (!only) assert_true(found * 2 > independent);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
