// SPDX-License-Identifier: Apache-2.0
// Sets of states: see stateset.h.
#include "certificate/stateset.h"

#include "base/tuples.h"
#include "certificate/cellcode.h"

enum { MOST_STATES = INT32_MAX };

struct stateset {
    const instance *in;
    cellcode *code;
    tuples *set;
    uint64_t *own;  // room for states that are added
};

stateset *stateset_new(const instance *in) {
    stateset *s = mem_zero(1, sizeof *s);
    s->in = in;
    s->code = cellcode_new(in);
    s->set = tuples_new(cellcode_words(s->code));
    s->own = stateset_room(s);
    return s;
}

void stateset_free(stateset *s) {
    if (!s) return;
    cellcode_free(s->code);
    tuples_free(s->set);
    free(s->own);
    free(s);
}

uint32_t stateset_count(const stateset *s) { return tuples_count(s->set); }
uint64_t *stateset_room(const stateset *s) { return mem_zero(cellcode_words(s->code), sizeof(uint64_t)); }

void stateset_cells(const stateset *s, uint32_t number, value *cells) {
    cellcode_unpack(s->code, tuples_get(s->set, number), cells);
}

bool stateset_add(stateset *s, const value *cells) {
    uint32_t before = tuples_count(s->set);
    return cellcode_pack(s->code, cells, s->own) && tuples_put(s->set, s->own) == before;
}

uint32_t stateset_find(const stateset *s, const value *cells, uint64_t *room) {
    return cellcode_pack(s->code, cells, room) ? tuples_find(s->set, room) : STATESET_NONE;
}

bool stateset_is_over(const stateset *s, const claim_options *o, str *why) {
    uint64_t most = o->most_states && o->most_states < MOST_STATES ? o->most_states : MOST_STATES;
    if (tuples_count(s->set) > most) {
        str_printf(why, "the set has more than %s states", str_count(most));
        if (most == o->most_states) str_add(why, " (--limit-states allows more)");
    } else if (limits_met(&o->limits)) {
        str_add(why, limits_why(&o->limits));
    }
    return why->len;
}

static bool stateset_read_state(stateset *s, certfile *file, uint32_t number, uint8_t *bytes, value *cells) {
    if (!certfile_get(file, bytes, cellcode_bytes(s->code))) return false;
    cellcode_from_bytes(s->code, bytes, s->own);
    if (!cellcode_unpack(s->code, s->own, cells)) certfile_complain(file, "a state has a value outside its type");
    else if (tuples_put(s->set, s->own) != number) certfile_complain(file, "a state is in the set twice");
    return !certfile_is_broken(file);
}

bool stateset_read(stateset *s, certfile *file, const json_t *claim, const char *count, const claim_options *o,
                   str *why) {
    uint64_t n;
    if (!certfile_member(file, claim, count, cellcode_bytes(s->code) ? MOST_STATES : 1, &n)) return false;
    uint8_t *bytes = mem_zero(cellcode_bytes(s->code) + 1, 1);
    value *cells = mem_zero(s->in->ncells + 1, sizeof *cells);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = stateset_read_state(s, file, i, bytes, cells) && (i % 1024 || !stateset_is_over(s, o, why));
    free(bytes);
    free(cells);
    return ok && !stateset_is_over(s, o, why);
}

// ---- writing

struct stateset_writer {
    certfile_writer *out;
    cellcode *code;
    uint64_t *words;
    uint8_t *bytes;
};

stateset_writer *stateset_writer_new(certfile_writer *out, const instance *in) {
    stateset_writer *w = mem_zero(1, sizeof *w);
    w->out = out;
    w->code = cellcode_new(in);
    w->words = mem_zero(cellcode_words(w->code), sizeof *w->words);
    w->bytes = mem_zero(cellcode_bytes(w->code) + 1, 1);
    return w;
}

void stateset_write(stateset_writer *w, const value *cells) {
    cellcode_pack(w->code, cells, w->words);
    cellcode_to_bytes(w->code, w->words, w->bytes);
    certfile_put(w->out, w->bytes, cellcode_bytes(w->code));
}

void stateset_writer_free(stateset_writer *w) {
    cellcode_free(w->code);
    free(w->words);
    free(w->bytes);
    free(w);
}
