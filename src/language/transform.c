// SPDX-License-Identifier: Apache-2.0
// Transformed automata: states are pairs of a state of the original and a memory of 32 bits; a transformation
// says, for each letter and memory, what may come out: a letter or nothing, and the memory after it. Silent
// steps stay silent.
//
// Memories, 4 bits per thread: 0 outside a transaction; inside one, when transactions are dropped, KEPT or
// DROPPED; when threads are reassigned, 1 + the thread it plays.
#include "language/transform.h"

#include "base/tuples.h"

#include <string.h>

typedef struct building building;
typedef void (*transformation)(building *b, statement s, uint32_t memory);
typedef void (*insertion)(building *b, uint32_t memory);

#define INSERTED (UINT32_MAX - 1)  // the origin of an edge that is made of nothing

struct building {
    const transform_input *in;
    transformation change;
    insertion insert;  // what may come in between; NULL: nothing
    transformed *out;
    tuples *numbers;  // (state, memory) to state of out
    VEC(uint32_t) memories;
    automaton_edge from;  // the edge being changed; `from` is a state of out
};

// ---- building

static uint32_t state_number(building *b, uint32_t state, uint32_t memory) {
    uint32_t n = tuples_put(b->numbers, &(uint64_t){(uint64_t)state << 32 | memory});
    if (n < b->memories.len) return n;
    vec_push(&b->memories, memory);
    vec_push(&b->out->state_of, state);
    return n;
}

static void transform_add(building *b, uint32_t letter, uint32_t memory) {
    automaton_add(b->out->made, b->from.from, letter, state_number(b, b->from.to, memory));
    vec_push(&b->out->letter_of, b->from.letter);
}

static void add_silent(building *b, uint32_t memory) { transform_add(b, AUTOMATON_SILENT, memory); }

// A statement may be one that the original never makes: then it is a new letter.
static void add_statement(building *b, statement s, uint32_t memory) {
    uint32_t letter = statement_intern(b->out->made->letters, s);
    b->out->made->nletters = b->out->made->letters->all.len;
    transform_add(b, letter, memory);
}

static bool transform_is_stopped(const building *b) {
    bool full = b->in->limit_states && b->memories.len > b->in->limit_states;
    return full || limits_met(&b->in->limits);
}

static void change_edge(building *b, automaton_edge e, uint32_t number) {
    uint32_t memory = b->memories.data[number];
    b->from = (automaton_edge){number, e.letter, e.to};
    if (e.letter == AUTOMATON_SILENT) {
        add_silent(b, memory);
        return;
    }
    statement s = b->in->letters[e.letter];
    b->change(b, s, memory);
}

static void change_state(building *b, const automaton_index *index, uint32_t number) {
    uint32_t q = b->out->state_of.data[number];
    for (uint32_t e = index->first[q]; e < index->first[q + 1]; e++) change_edge(b, index->edges[e], number);
    b->from = (automaton_edge){number, INSERTED, q};
    if (b->insert) b->insert(b, b->memories.data[number]);
}

static transformed *transform(const transform_input *in, transformation change, insertion insert) {
    building b = {.in = in, .change = change, .insert = insert, .out = mem_zero(1, sizeof *b.out)};
    b.numbers = tuples_new(1);
    b.out->made = automaton_new(0, 0);
    b.out->made->letters = statement_table(in->a->letters);
    automaton_index index = automaton_index_new(in->a);
    for (uint32_t i = 0; i < in->a->initial.len; i++)
        vec_push(&b.out->made->initial, state_number(&b, in->a->initial.data[i], 0));
    for (uint32_t i = 0; i < b.memories.len && !transform_is_stopped(&b); i++) change_state(&b, &index, i);
    b.out->made->nstates = b.memories.len;
    bool stopped = transform_is_stopped(&b);
    automaton_index_free(&index);
    tuples_free(b.numbers);
    vec_free(&b.memories);
    if (!stopped) return b.out;
    transform_free(b.out);
    return NULL;
}

void transform_free(transformed *t) {
    if (!t) return;
    automaton_free(t->made);
    vec_free(&t->state_of);
    vec_free(&t->letter_of);
    free(t);
}

static uint32_t original_letter(const transformed *t, automaton_edge e) {
    for (uint32_t i = 0; i < t->made->edges.len; i++) {
        automaton_edge x = t->made->edges.data[i];
        if (x.from == e.from && x.letter == e.letter && x.to == e.to) return t->letter_of.data[i];
    }
    return AUTOMATON_SILENT;
}

uint32_t transform_original(const transformed *t, const automaton_edge *run, uint32_t n, automaton_edge *out) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t letter = original_letter(t, run[i]);
        if (letter == INSERTED) continue;
        out[length++] = (automaton_edge){t->state_of.data[run[i].from], letter, t->state_of.data[run[i].to]};
    }
    return length;
}

static uint32_t get(uint32_t memory, uint32_t thread) { return memory >> (4 * thread) & 0xf; }

static uint32_t transform_put(uint32_t memory, uint32_t thread, uint32_t what) {
    return (memory & ~(0xfu << (4 * thread))) | what << (4 * thread);
}

static bool transform_is_refused(const building *b, statement s) { return s.kind == STATEMENT_ABORT && !b->in->aborts; }

// ---- without transactions that do not commit

enum { OUTSIDE, KEPT, DROPPED };

static void drop_transactions(building *b, statement s, uint32_t memory) {
    uint32_t now = get(memory, s.thread);
    bool ends = statement_is_finishing(s);
    if (now != DROPPED && !transform_is_refused(b, s))
        add_statement(b, s, transform_put(memory, s.thread, ends ? OUTSIDE : KEPT));
    if (now != KEPT && s.kind != STATEMENT_COMMIT)
        add_silent(b, transform_put(memory, s.thread, ends ? OUTSIDE : DROPPED));
}

transformed *transform_drop_transactions(const transform_input *in) { return transform(in, drop_transactions, NULL); }

// ---- threads anew

static bool transform_is_taken(uint32_t memory, uint32_t threads, uint32_t by) {
    for (uint32_t t = 0; t < threads; t++)
        if (get(memory, t) == 1 + by) return true;
    return false;
}

static void transform_play(building *b, statement s, uint32_t memory, uint32_t as) {
    uint32_t after = transform_put(memory, s.thread, statement_is_finishing(s) ? 0 : 1 + as);
    add_statement(b, (statement){s.kind, as, s.location}, after);
}

static void change_thread(building *b, statement s, uint32_t memory) {
    if (transform_is_refused(b, s)) return;
    if (get(memory, s.thread)) {
        transform_play(b, s, memory, get(memory, s.thread) - 1);
        return;
    }
    for (uint32_t u = 0; u < b->in->threads; u++)
        if (!transform_is_taken(memory, b->in->threads, u)) transform_play(b, s, memory, u);
}

transformed *transform_change_threads(const transform_input *in) { return transform(in, change_thread, NULL); }

// ---- locations and sizes

static bool has_location(statement s) { return !statement_is_finishing(s); }

static void drop_location(building *b, statement s, uint32_t memory) {
    if (has_location(s) && s.location == b->in->locations - 1) add_silent(b, memory);
    else if (!transform_is_refused(b, s)) add_statement(b, s, memory);
}

static void without_thread(building *b, statement s, uint32_t memory) {
    if (s.thread != b->in->threads - 1 && !transform_is_refused(b, s)) add_statement(b, s, memory);
}

static void without_location(building *b, statement s, uint32_t memory) {
    if (transform_is_refused(b, s)) return;
    if (!has_location(s) || s.location != b->in->locations - 1) add_statement(b, s, memory);
}

transformed *transform_drop_location(const transform_input *in) { return transform(in, drop_location, NULL); }
transformed *transform_without_thread(const transform_input *in) { return transform(in, without_thread, NULL); }
transformed *transform_without_location(const transform_input *in) { return transform(in, without_location, NULL); }

// ---- an abort of an unfinished transaction

enum { ADDED = 2, ABORT_ADDED = 1u << 31 };  // memory of a thread: inside is 1, as KEPT; ADDED has been aborted

static void follow_after_abort(building *b, statement s, uint32_t memory) {
    if (get(memory, s.thread) == ADDED) return;
    add_statement(b, s, transform_put(memory, s.thread, statement_is_finishing(s) ? OUTSIDE : KEPT));
}

static void insert_abort(building *b, uint32_t memory) {
    if (memory & ABORT_ADDED) return;
    for (uint32_t t = 0; t < b->in->threads; t++)
        if (get(memory, t) == KEPT)
            add_statement(b, (statement){STATEMENT_ABORT, t, 0}, transform_put(memory, t, ADDED) | ABORT_ADDED);
}

transformed *transform_add_abort(const transform_input *in) { return transform(in, follow_after_abort, insert_abort); }
