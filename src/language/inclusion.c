// SPDX-License-Identifier: Apache-2.0
// Inclusion by antichains (De Wulf, Doyen, Henzinger, Raskin, CAV 2006), forward and on the fly: pairs (p, S)
// of a state of A and the set S of states that B can be in after the same word. A pair with a larger set for
// the same p is not followed: every word that leads from it out of B leads from the smaller one out of B as
// well. A fails as soon as it can read a letter that takes S to the empty set. When B is deterministic the
// sets are single states, no two are comparable, and this is the product.
//
// Levels: a pair's level is the number of letters of its word; silent steps of A stay in the level. A pair
// may be dropped only for one of a level at most its own, so the word found has the fewest letters.
#include "language/inclusion.h"

#include "base/tuples.h"
#include "language/subsets.h"

#include <string.h>

#define NOBODY UINT32_MAX

typedef struct {
    uint32_t state, set, parent, edge;  // edge: number in A's index, from the parent
    uint32_t level;
    uint32_t sibling;  // the next kept pair of the same state
    bool is_dropped;
} pair;

typedef struct {
    const automaton *a;
    const inclusion_options *options;
    automaton_index index;
    subsets *sets;
    uint32_t *letters;  // of A to those of B
    tuples *known;      // (state, set) of every pair ever kept
    uint32_t *head;     // by state of A: its first kept pair
    VEC(pair) pairs;    // in order of levels
    bool is_product;
    uint32_t asked;  // how often whether to stop
    inclusion *out;
} search;

uint32_t *inclusion_letters(const automaton *a, const automaton *b) {
    uint32_t *to = mem_alloc((a->nletters + 1) * sizeof *to);
    for (uint32_t i = 0; i < a->nletters; i++)
        if (!a->letters && !b->letters) to[i] = i < b->nletters ? i : LETTER_NONE;
        else to[i] = a->letters && b->letters ? letter_find(b->letters, &a->letters->all.data[i]) : LETTER_NONE;
    return to;
}

// ---- pairs

// Is there a pair of the same state, of no later level, with a smaller set? Drops those that the new one
// makes needless.
static bool inclusion_is_covered(search *s, uint32_t state, uint32_t set, uint32_t level) {
    uint32_t *link = &s->head[state];
    while (*link != NOBODY) {
        pair *p = &s->pairs.data[*link];
        if (subsets_within(s->sets, p->set, set) && p->level <= level) return true;
        if (subsets_within(s->sets, set, p->set) && level <= p->level) {
            p->is_dropped = true;
            *link = p->sibling;
        } else {
            link = &p->sibling;
        }
    }
    return false;
}

static bool inclusion_is_known(search *s, uint32_t state, uint32_t set) {
    uint32_t count = tuples_count(s->known);
    return tuples_put(s->known, &(uint64_t){(uint64_t)state << 32 | set}) < count;
}

static void inclusion_add_pair(search *s, pair p) {
    if (inclusion_is_known(s, p.state, p.set)) return;
    bool plain = s->is_product || s->options->no_antichain;
    if (!plain && inclusion_is_covered(s, p.state, p.set, p.level)) return;
    p.sibling = s->head[p.state];
    if (!plain) s->head[p.state] = s->pairs.len;
    vec_push(&s->pairs, p);
}

// ---- the search

static void inclusion_report(search *s, uint32_t last, uint32_t edge) {
    s->out->answer = INCLUSION_FAILS;
    VEC(uint32_t) back = {0};
    for (; last != NOBODY; last = s->pairs.data[last].parent) {
        vec_push(&back, edge);
        edge = s->pairs.data[last].edge;
    }
    while (back.len) vec_push(&s->out->run, s->index.edges[vec_pop(&back)]);
    vec_free(&back);
}

typedef enum { STEP_SILENT, STEP_LETTER } step_kind;

// The pairs that one pair leads to by steps of a kind; false: B refuses one.
static bool inclusion_follow(search *s, uint32_t number, step_kind kind) {
    pair from = s->pairs.data[number];
    for (uint32_t e = s->index.first[from.state]; e < s->index.first[from.state + 1]; e++) {
        automaton_edge step = s->index.edges[e];
        if ((step.letter == AUTOMATON_SILENT) != (kind == STEP_SILENT)) continue;
        uint32_t set = from.set;
        if (kind == STEP_LETTER) set = subsets_next(s->sets, set, s->letters[step.letter]);
        if (set == SUBSETS_EMPTY) {
            inclusion_report(s, number, e);
            return false;
        }
        inclusion_add_pair(s, (pair){step.to, set, number, e, from.level + (kind == STEP_LETTER), NOBODY, false});
    }
    return true;
}

bool inclusion_must_stop(const inclusion_options *o, uint64_t pairs, uint32_t *asked) {
    return (o->limit_pairs && pairs > o->limit_pairs) || limits_met_lately(&o->limits, asked) != LIMIT_NONE;
}

static bool inclusion_is_stopped(search *s) {
    bool stop = inclusion_must_stop(s->options, s->pairs.len, &s->asked);
    if (stop) s->out->answer = INCLUSION_STOPPED;
    return stop;
}

// One level: first all it reaches silently, then the letters. Moves `from` on to the next; false: answered.
static bool search_level(search *s, uint32_t *from) {
    uint32_t begin = *from;
    for (uint32_t i = begin; i < s->pairs.len; i++) {
        if (!s->pairs.data[i].is_dropped) inclusion_follow(s, i, STEP_SILENT);
        if (inclusion_is_stopped(s)) return false;
    }
    uint32_t end = *from = s->pairs.len;
    for (uint32_t i = begin; i < end; i++) {
        if (s->pairs.data[i].is_dropped) continue;
        if (!inclusion_follow(s, i, STEP_LETTER) || inclusion_is_stopped(s)) return false;
    }
    return true;
}

static void search_all(search *s) {
    uint32_t initial = subsets_initial(s->sets);
    for (uint32_t i = 0; i < s->a->initial.len; i++)
        // B without any initial state has no word at all, not even the empty one: no letter shows the
        // difference.
        if (initial == SUBSETS_EMPTY) s->out->answer = INCLUSION_FAILS;
        else inclusion_add_pair(s, (pair){s->a->initial.data[i], initial, NOBODY, NOBODY, 0, NOBODY, false});
    uint32_t from = 0;
    while (from < s->pairs.len && search_level(s, &from)) continue;
}

static void keep_set(search *s, uint32_t set) {
    uint32_t n;
    inclusion_kept *k = &s->out->kept;
    const uint32_t *members = subsets_members(s->sets, set, &n);
    for (uint32_t i = 0; i < n; i++) vec_push(&k->members, members[i]);
    vec_push(&k->first, k->members.len);
}

// What a dropped pair is needed for, the smaller one that it was dropped for does.
static void keep_pairs(search *s) {
    inclusion_kept *k = &s->out->kept;
    uint32_t *number = mem_alloc((subsets_count(s->sets) + 1) * sizeof *number);
    memset(number, 0xff, subsets_count(s->sets) * sizeof *number);
    vec_push(&k->first, 0);
    for (uint32_t i = 0; i < s->pairs.len; i++) {
        const pair *p = &s->pairs.data[i];
        if (p->is_dropped) continue;
        if (number[p->set] == NOBODY) {
            number[p->set] = k->first.len - 1;
            keep_set(s, p->set);
        }
        vec_push(&k->pairs, p->state);
        vec_push(&k->pairs, number[p->set]);
    }
    free(number);
}

inclusion inclusion_check(const automaton *a, const automaton *b, const inclusion_options *options) {
    inclusion_options none = {0};
    inclusion out = {.answer = INCLUSION_HOLDS, .is_product = automaton_is_deterministic(b)};
    search s = {.a = a, .options = options ? options : &none, .is_product = out.is_product, .out = &out};
    s.index = automaton_index_new(a);
    s.sets = subsets_new(b);
    s.known = tuples_new(1);
    s.letters = inclusion_letters(a, b);
    s.head = mem_alloc((a->nstates + 1) * sizeof *s.head);
    memset(s.head, 0xff, (a->nstates + 1) * sizeof *s.head);
    search_all(&s);
    if (s.options->keeps && out.answer == INCLUSION_HOLDS) keep_pairs(&s);
    out.pairs = s.pairs.len;
    out.sets = subsets_count(s.sets);
    automaton_index_free(&s.index);
    subsets_free(s.sets);
    free(s.letters);
    tuples_free(s.known);
    free(s.head);
    vec_free(&s.pairs);
    return out;
}

void inclusion_free(inclusion *i) {
    vec_free(&i->run);
    vec_free(&i->kept.pairs);
    vec_free(&i->kept.first);
    vec_free(&i->kept.members);
}
