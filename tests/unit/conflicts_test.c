// SPDX-License-Identifier: Apache-2.0
// The order of transactions: there is a cycle through the last statement exactly where the definition says that it is
// the first that makes a word wrong, and what each edge of the cycle says is so.
#include "oracle/unit.h"

#include "model/expr.h"
#include "oracle/serial.h"
#include "result/conflicts.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, LOCATIONS = 2, WORDS = 20000 };

typedef struct {
    diag *messages;
    model *m;
    sys s;
    rule rules[4];  // by step_kind
    instance *in;
} memory;

static rule add_action(memory *y, const char *name, const var *params, uint32_t n) {
    rule r = model_add_rule(y->m, (rule_info){.name = name, .params = params, .nparams = n, .is_visible = true});
    vec_push(&sys_of(y->m, y->s)->rules, r);
    return r;
}

static memory memory_new(void) {
    memory y = {.messages = diag_new()};
    model *m = y.m = model_new(y.messages);
    type thread = model_add_type(m, (type_info){.kind = TYPE_SORT, .name = "Thread", .default_size = THREADS});
    type loc = model_add_type(m, (type_info){.kind = TYPE_SORT, .name = "Loc", .default_size = LOCATIONS});
    y.s = model_add_system(m, "Any", (span){0});
    const char *const names[] = {"read", "write", "commit", "abort"};
    for (uint32_t i = 0; i < 4; i++) {
        var params[] = {model_add_var(m, "t", thread, (span){0}), model_add_var(m, "v", loc, (span){0})};
        y.rules[i] = add_action(&y, names[i], params, i < 2 ? 2 : 1);
    }
    y.in = instance_new(m, y.s, NULL, 0);
    return y;
}

static void memory_free(memory *y) {
    instance_free(y->in);
    model_free(y->m);
    diag_free(y->messages);
}

// The word as a trace whose last step is refused.
static trace *trace_of(const memory *y, const word *w) {
    const value none[1] = {0};
    trace *t = trace_new(y->in, none);
    for (uint32_t i = 0; i < w->len; i++) {
        const value args[] = {(value)w->at[i].thread, (value)w->at[i].loc};
        trace_add(t, y->rules[w->at[i].kind], args, i + 1 < w->len ? none : NULL);
    }
    return t;
}

static bool writes_before(const word *w, const conflicts_transaction *x, uint32_t loc, uint32_t end) {
    for (uint32_t i = x->first; i < end; i++)
        if (w->at[i].thread == (uint32_t)x->thread && w->at[i].kind == STEP_WRITE && w->at[i].loc == loc) return true;
    return false;
}

static bool share_a_write(const word *w, const conflicts_edge *e, const conflicts_transaction *x,
                          const conflicts_transaction *y) {
    for (uint32_t v = 0; v < LOCATIONS; v++)
        if (writes_before(w, x, v, e->first) && writes_before(w, y, v, e->last)) return true;
    return false;
}

// Is what the edge says so, by the definition?
static bool is_true(const word *w, const conflicts *c, const conflicts_edge *e) {
    const conflicts_transaction *x = &c->transactions.data[e->from], *y = &c->transactions.data[e->to];
    step a = w->at[e->first], b = w->at[e->last];
    if (e->first >= e->last || a.thread != (uint32_t)x->thread || b.thread != (uint32_t)y->thread) return false;
    if (e->first < x->first || e->first > x->last || e->last < y->first || e->last > y->last) return false;
    switch (e->kind) {
    case CONFLICT_READ_COMMIT:
        return a.kind == STEP_READ && !writes_before(w, x, a.loc, e->first) && b.kind == STEP_COMMIT &&
               writes_before(w, y, a.loc, e->last);
    case CONFLICT_COMMIT_READ:
        return b.kind == STEP_READ && !writes_before(w, y, b.loc, e->last) && a.kind == STEP_COMMIT &&
               writes_before(w, x, b.loc, e->first);
    case CONFLICT_COMMIT_COMMIT: return a.kind == STEP_COMMIT && b.kind == STEP_COMMIT && share_a_write(w, e, x, y);
    case CONFLICT_TIME:
        return (a.kind == STEP_COMMIT || a.kind == STEP_ABORT) && e->first == x->last && e->last == y->first;
    }
    return false;
}

static bool is_cycle(const word *w, const conflicts *c) {
    for (uint32_t i = 0; i < c->cycle.len; i++) {
        const conflicts_edge *e = &c->edges.data[c->cycle.data[i]];
        const conflicts_edge *next = &c->edges.data[c->cycle.data[(i + 1) % c->cycle.len]];
        if (e->to != next->from || !is_true(w, c, e)) return false;
    }
    return c->cycle.len >= 2;
}

// The word up to the first statement that makes it wrong, or all of it.
static bool cut_at_wrong(word *w) {
    uint32_t len = w->len;
    for (w->len = 1; w->len <= len; w->len++)
        if (!serial_is_opaque(w)) return true;
    w->len = len;
    return false;
}

static void cycles_are_those_of_the_definition(void **state) {
    (void)state;
    memory y = memory_new();
    rng r = {2026};
    uint32_t wrong = 0, cyclic = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        word w;
        words_random(&r, THREADS, LOCATIONS, 4 + i % 16, &w);
        bool is_wrong = cut_at_wrong(&w);
        trace *t = trace_of(&y, &w);
        conflicts *c = conflicts_find(t);
        bool ok = (c != NULL) == is_wrong && (!c || (is_cycle(&w, c) && c->is_of_committed == !serial_is_strict(&w)));
        for (uint32_t k = 0; c && ok && k < c->edges.len; k++) ok = is_true(&w, c, &c->edges.data[k]);
        wrong += !ok;
        cyclic += c != NULL;
        conflicts_free(c);
        trace_free(t);
    }
    memory_free(&y);
    printf("# tally: explained refusals against the definition | %d cases | %u wrong\n", WORDS, wrong);
    print_message("%u of them refused\n", cyclic);
    assert_int_equal(wrong, 0);
    assert_true(cyclic > WORDS / 50 && cyclic < WORDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
