// SPDX-License-Identifier: Apache-2.0
// Successors of rules that are taken apart: see compose.h.
#include "space/compose.h"

#include <string.h>

struct composer {
    const lowering *p;
    uint64_t *found;         // successors as compiled code gives them
    uint32_t *found_labels;  // their numbers, ascending
    uint32_t count;
    // A rule that is put together.
    const lower_rule *rule;
    uint32_t *begin;     // by factor: where its options begin among what was found; one more: where they end
    uint32_t *stride;    // by factor: how far apart the bindings of two options are
    uint32_t *compiled;  // by factor: its first option
    uint64_t *parts;     // by number of factors: the state so far
    uint64_t *next;
    uint32_t *labels;
    uint32_t made;
};

uint32_t compose_count(const lowering *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->rules.len; i++) n += p->rules.data[i].factors != NULL;
    return n;
}

// What is compiled for a rule ends where that for the next one begins.
static uint32_t compose_end(const lowering *p, uint32_t number) {
    return number + 1 < p->rules.len ? p->rules.data[number + 1].compiled : p->labels.len;
}

static uint32_t compose_number(const lowering *p, uint32_t compiled) {
    uint32_t first = 0, beyond = p->rules.len;
    while (beyond - first > 1) {
        uint32_t middle = first + (beyond - first) / 2;
        if (p->rules.data[middle].compiled <= compiled) first = middle;
        else beyond = middle;
    }
    return first;
}

uint32_t compose_binding(const lowering *p, uint32_t compiled) {
    const lower_rule *r = &p->rules.data[compose_number(p, compiled)];
    return r->first + compiled - r->compiled;
}

const lower_rule *compose_source(const lowering *p, uint32_t compiled, uint32_t *end) {
    uint32_t number = compose_number(p, compiled);
    *end = compose_end(p, number);
    return &p->rules.data[number];
}

static uint32_t most_factors(const lowering *p) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->rules.len; i++)
        if (p->rules.data[i].factors && p->rules.data[i].factors->count > most) most = p->rules.data[i].factors->count;
    return most;
}

composer *composer_new(const lowering *p, arena *memory) {
    composer *c = arena_alloc(memory, sizeof *c);
    uint32_t most = most_factors(p) + 2;
    *c = (composer){.p = p};
    c->found = arena_alloc(memory, ((size_t)p->labels.len * p->words + 1) * sizeof *c->found);
    c->found_labels = arena_alloc(memory, (p->labels.len + 1) * sizeof *c->found_labels);
    c->begin = arena_alloc(memory, most * sizeof *c->begin);
    c->stride = arena_alloc(memory, most * sizeof *c->stride);
    c->compiled = arena_alloc(memory, most * sizeof *c->compiled);
    c->parts = arena_alloc(memory, ((size_t)most * p->words + 1) * sizeof *c->parts);
    return c;
}

uint64_t *composer_next(composer *c) { return c->found; }
uint32_t *composer_labels(composer *c) { return c->found_labels; }

static uint32_t compiled_number(const composer *c, uint32_t found) { return c->found_labels[found] & ~SPACE_TROUBLE; }
static uint32_t compiled_trouble(const composer *c, uint32_t found) { return c->found_labels[found] & SPACE_TROUBLE; }
static const uint64_t *compiled_state(const composer *c, uint32_t found) {
    return c->found + (size_t)found * c->p->words;
}

static void compose_emit(composer *c, const uint64_t *state, uint32_t label) {
    memcpy(c->next + (size_t)c->made * c->p->words, state, c->p->words * sizeof *state);
    c->labels[c->made++] = label;
}

// ---- one rule

// Adds what an option writes to the state of the factors before it.
static void compose_add(composer *c, uint32_t part, uint32_t found) {
    const uint64_t *mask = c->rule->factors->parts[part].mask, *is = compiled_state(c, found);
    const uint64_t *so_far = c->parts + (size_t)part * c->p->words;
    uint64_t *to = c->parts + ((size_t)part + 1) * c->p->words;
    for (uint32_t w = 0; w < c->p->words; w++) to[w] = so_far[w] | (is[w] & mask[w]);
}

// False: nothing comes of what the factors before this one chose. Who need not be asked any more becomes NULL.
static bool compose_keeps(const composer *c, uint32_t part, uint32_t binding, const space_sieve **sieve) {
    if (!*sieve) return true;
    uint32_t known = part ? c->rule->factors->parts[part - 1].end : 0;
    sieve_answer says = (*sieve)->ask((*sieve)->context, binding, known);
    if (says == SIEVE_KEEPS_ALL) *sieve = NULL;
    return says != SIEVE_DROPS;
}

// All options of this factor and of those after it; as deep as there are factors.
static void compose_from(composer *c, uint32_t part, uint32_t binding, uint32_t trouble, const space_sieve *sieve) {
    if (!compose_keeps(c, part, binding, &sieve)) return;
    if (part == c->rule->factors->count) {
        compose_emit(c, c->parts + (size_t)part * c->p->words, binding | trouble);
        return;
    }
    for (uint32_t i = c->begin[part]; i < c->begin[part + 1]; i++) {
        uint32_t option = compiled_number(c, i) - c->compiled[part];
        compose_add(c, part, i);
        compose_from(c, part + 1, binding + option * c->stride[part], trouble | compiled_trouble(c, i), sieve);
    }
}

// Where the options of each factor are, from `at` on. False: one has none.
static bool compose_find(composer *c, uint32_t at) {
    const factoring *f = c->rule->factors;
    uint32_t compiled = c->rule->compiled + 1;
    bool all = true;
    for (uint32_t i = 0; i < f->count; i++) {
        c->compiled[i] = compiled;
        c->begin[i] = at;
        compiled += f->parts[i].options;
        while (at < c->count && compiled_number(c, at) < compiled) at++;
        all &= at > c->begin[i];
    }
    c->begin[f->count] = at;
    for (uint32_t i = f->count, stride = 1; i-- > 0; stride *= f->parts[i].options) c->stride[i] = stride;
    return all;
}

// From what was found for the rule, which begins with its frame unless that is not possible.
static void compose_rule(composer *c, uint32_t at, const space_sieve *sieve) {
    const factoring *f = c->rule->factors;
    if (compiled_number(c, at) != c->rule->compiled || !compose_find(c, at + 1)) return;
    for (uint32_t w = 0; w < c->p->words; w++) c->parts[w] = compiled_state(c, at)[w] & f->frame.mask[w];
    compose_from(c, 0, c->rule->first, compiled_trouble(c, at), sieve);
}

// ---- all

uint32_t composer_run(composer *c, uint32_t n, const space_sieve *sieve, uint64_t *next, uint32_t *labels) {
    uint32_t at = 0;
    c->count = n;
    c->next = next;
    c->labels = labels;
    c->made = 0;
    for (uint32_t i = 0, end; i < n; i = end) {
        while (compose_end(c->p, at) <= compiled_number(c, i)) at++;
        c->rule = &c->p->rules.data[at];
        for (end = i; end < n && compiled_number(c, end) < compose_end(c->p, at);) end++;
        uint32_t shift = c->rule->first - c->rule->compiled;
        if (c->rule->factors) compose_rule(c, i, sieve);
        for (uint32_t k = i; !c->rule->factors && k < end; k++)
            compose_emit(c, compiled_state(c, k), (compiled_number(c, k) + shift) | compiled_trouble(c, k));
    }
    return c->made;
}
