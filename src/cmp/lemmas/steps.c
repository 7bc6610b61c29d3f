// SPDX-License-Identifier: Apache-2.0
// See steps.h.
#include "cmp/lemmas/steps.h"

#include "model/walk.h"

#include <string.h>

// ---- runners

bool runner_open(runner *x, strengthened st) {
    *x = (runner){.st = st};
    x->in = instance_try(st.m, st.system, NULL, 0);
    x->sp = x->in ? space_new(x->in, &(space_options){0}) : NULL;
    if (!x->sp) {
        runner_close(x);
        return false;
    }
    uint32_t n = space_labels(x->sp);
    x->run = space_run_new(x->sp);
    x->next = mem_zero((size_t)n * space_words(x->sp) + 1, sizeof *x->next);
    x->labels = mem_zero(n + 1, sizeof *x->labels);
    return true;
}

void runner_close(runner *x) {
    space_run_free(x->run);
    space_free(x->sp);
    instance_free(x->in);
    strengthened_free(&x->st);
    free(x->next);
    free(x->labels);
    *x = (runner){0};
}

uint32_t runner_next(runner *x, const uint64_t *state) { return space_next(x->run, state, x->next, x->labels); }

// ---- the cells that matter

void runner_mask(const runner *x, const space *sp, uint64_t *mask) {
    for (uint32_t i = 0; i < x->st.rules.len; i++) {
        const rule_info *r = rule_of(x->st.m, x->st.rules.data[i].r);
        walk w = walk_expr(x->st.m, r->guard, WALK_CALLS);
        walk_add_stmt(&w, r->body);
        while (walk_next(&w)) {
            if (w.s && w.s->kind == S_ASSIGN) space_mask(sp, w.s->target, mask);
            if (w.x && (w.x->kind == E_APP || w.x->kind == E_DEFINED)) space_mask(sp, (func){w.x->ref}, mask);
        }
    }
}

// ---- lists

static bool steps_is_known(const steps *x, const uint64_t *difference) {
    size_t words = x->words;
    for (uint32_t k = vec_last(&x->first); k < x->changes.len; k++)
        if (!memcmp(&x->differences.data[k * words], difference, words * sizeof *difference)) return true;
    return false;
}

// `next` becomes the difference.
static void add_change(steps *x, const uint64_t *state, uint64_t *next, uint32_t label) {
    change c = {label & ~SPACE_TROUBLE, label & SPACE_TROUBLE};
    uint64_t any = 0;
    for (uint32_t w = 0; w < x->words; w++) any |= next[w] ^= c.is_error ? next[w] : state[w];
    if ((!any && !c.is_error) || steps_is_known(x, next)) return;
    vec_push(&x->changes, c);
    for (uint32_t w = 0; w < x->words; w++) vec_push(&x->differences, next[w]);
}

uint32_t steps_of(steps *x, const uint64_t *state) {
    uint32_t fresh = x->first.len - 1;
    for (uint32_t w = 0; w < x->words; w++) x->key[w] = state[w] & x->mask[w];
    uint32_t list = tuples_put(x->known, x->key);
    if (list < fresh) return list;
    uint32_t n = runner_next(&x->r, state);
    for (uint32_t i = 0; i < n; i++) add_change(x, state, x->r.next + (size_t)i * x->words, x->r.labels[i]);
    vec_push(&x->first, x->changes.len);
    return list;
}

// ---- making

bool steps_open(steps *x, strengthened st) {
    *x = (steps){0};
    if (!runner_open(&x->r, st)) return false;
    x->words = space_words(x->r.sp);
    x->known = tuples_new(x->words);
    x->mask = mem_zero(x->words + 1, sizeof *x->mask);
    x->key = mem_zero(x->words + 1, sizeof *x->key);
    vec_push(&x->first, 0);
    runner_mask(&x->r, x->r.sp, x->mask);
    return true;
}

void steps_close(steps *x) {
    runner_close(&x->r);
    tuples_free(x->known);
    vec_free(&x->first);
    vec_free(&x->changes);
    vec_free(&x->differences);
    free(x->mask);
    free(x->key);
    *x = (steps){0};
}
