// SPDX-License-Identifier: Apache-2.0
// Random runs from a state: see follow.h.
#include "infer/follow.h"

#include "base/rng.h"
#include "space/space.h"

#include <string.h>

enum { FOLLOW_RUNS = 48, FOLLOW_LENGTH = 20, FOLLOW_INSTANCES = 24, FOLLOW_LABELS = 20000 };

struct follower {
    instance *in;
    space *sp;  // NULL: it cannot be compiled
    space_run *run;
    uint64_t *start, *state, *next;
    uint32_t *labels;
    value *cells;
};

static bool follow_is_alike(const model *m, const instance *a, const instance *b) {
    for (uint32_t i = 1; i < m->types.len; i++)
        if (m->types.data[i].kind == TYPE_SORT && a->sort_size[i] != b->sort_size[i]) return false;
    return a->system.id == b->system.id;
}

static instance *follow_copy(const instance *in) {
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 1; i < in->m->types.len; i++)
        if (in->m->types.data[i].kind == TYPE_SORT) vec_push(&sizes, (sort_size){{i}, in->sort_size[i]});
    instance *copy = instance_try(in->m, in->system, sizes.data, sizes.len);
    vec_free(&sizes);
    return copy;
}

// How many steps there are, for each choice of parameters.
static double follow_labels(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    double all = 0;
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(in->m, s->rules.data[i]);
        double n = 1;
        for (uint32_t k = 0; k < r->nparams; k++) n *= instance_type_size(in, var_of(in->m, r->params[k])->ty);
        all += n;
    }
    return all;
}

static follower *follow_new(const instance *in) {
    follower *f = mem_zero(1, sizeof *f);
    f->in = follow_copy(in);
    f->sp = f->in && follow_labels(f->in) <= FOLLOW_LABELS ? space_new(f->in, &(space_options){0}) : NULL;
    if (!f->sp) return f;
    uint32_t words = space_words(f->sp), labels = space_labels(f->sp);
    f->run = space_run_new(f->sp);
    f->start = mem_zero(words + 1, 8);
    f->state = mem_zero(words + 1, 8);
    f->next = mem_zero((size_t)labels * words + 1, 8);
    f->labels = mem_zero(labels + 1, sizeof *f->labels);
    f->cells = mem_zero(f->in->ncells + 1, sizeof *f->cells);
    return f;
}

static void follower_free(follower *f) {
    if (f->sp) {
        space_run_free(f->run);
        space_free(f->sp);
    }
    if (f->in) instance_free(f->in);
    free(f->start);
    free(f->state);
    free(f->next);
    free(f->labels);
    free(f->cells);
    free(f);
}

void follow_free(follower_list *known) {
    for (uint32_t i = 0; i < known->len; i++) follower_free(known->data[i]);
    vec_free(known);
}

// NULL where there are too many of other sizes already.
static follower *follow_find(follower_list *known, const instance *in) {
    for (uint32_t i = 0; i < known->len; i++)
        if (known->data[i]->in && follow_is_alike(in->m, known->data[i]->in, in)) return known->data[i];
    if (known->len == FOLLOW_INSTANCES) return NULL;
    vec_push(known, follow_new(in));
    return vec_last(known);
}

// To one of the states that are allowed to follow; false: there is none.
static bool follow_step(follower *f, rng *random) {
    uint32_t n = space_next(f->run, f->state, f->next, f->labels), good = 0, words = space_words(f->sp);
    for (uint32_t i = 0; i < n; i++)
        if (!(f->labels[i] & SPACE_TROUBLE)) f->labels[good++] = i;
    if (!good) return false;
    uint32_t chosen = f->labels[rng_below(random, good)];
    memcpy(f->state, f->next + (size_t)chosen * words, words * 8);
    return true;
}

static void follow_runs(follower *f, rng *random, sample *out) {
    for (uint32_t run = 0; run < FOLLOW_RUNS; run++) {
        memcpy(f->state, f->start, space_words(f->sp) * 8);
        for (uint32_t i = 0; i < FOLLOW_LENGTH && follow_step(f, random); i++) {
            space_unpack(f->sp, f->state, f->cells);
            sample_add(out, f->cells);
        }
    }
}

sample *follow_state(follower_list *known, const instance *in, const value *state, uint64_t *seed) {
    rng random = {(*seed)++};
    sample *out = sample_new(in, 1 + FOLLOW_RUNS * FOLLOW_LENGTH);
    sample_add(out, state);
    follower *f = follow_find(known, in);
    if (!f || !f->sp) return out;
    space_pack(f->sp, state, f->start);
    follow_runs(f, &random, out);
    return out;
}
