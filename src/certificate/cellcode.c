// SPDX-License-Identifier: Apache-2.0
// States as bits: see cellcode.h. A cell has at most 32 bits, so it lies in one word or in two.
#include "certificate/cellcode.h"

#include <string.h>

typedef struct {
    uint32_t bit;    // where it begins
    uint32_t bits;   // 0: only one value is possible
    uint64_t codes;  // how many there are, with the one for "undefined"
    value first;     // the value with code 0
    bool has_none;   // the last code is "undefined"
} coded;

struct cellcode {
    uint32_t ncells, nbits;
    coded *cells;
};

static uint32_t cellcode_bits_for(uint64_t codes) {
    uint32_t bits = 0;
    while (bits < 33 && UINT64_C(1) << bits < codes) bits++;
    return bits;
}

static coded code_of(const instance *in, const func_info *f) {
    if (f->is_scratch) return (coded){.codes = 1, .has_none = true};
    uint64_t size = instance_type_size(in, f->result);
    return (coded){.codes = size + f->may_be_undefined,
                   .bits = cellcode_bits_for(size + f->may_be_undefined),
                   .first = instance_type_first(in, f->result),
                   .has_none = f->may_be_undefined};
}

cellcode *cellcode_new(const instance *in) {
    cellcode *c = mem_zero(1, sizeof *c);
    const sys_info *s = sys_of(in->m, in->system);
    c->ncells = in->ncells;
    c->cells = mem_zero(in->ncells + 1, sizeof *c->cells);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        coded one = code_of(in, func_of(in->m, s->funcs.data[i]));
        uint32_t first = in->first_cell[s->funcs.data[i].id];
        for (uint32_t k = 0; k < instance_func_cells(in, s->funcs.data[i]); k++) {
            one.bit = c->nbits;
            c->cells[first + k] = one;
            c->nbits += one.bits;
        }
    }
    return c;
}

void cellcode_free(cellcode *c) {
    if (!c) return;
    free(c->cells);
    free(c);
}

uint32_t cellcode_words(const cellcode *c) { return c->nbits ? (c->nbits + 63) / 64 : 1; }
uint32_t cellcode_bytes(const cellcode *c) { return (c->nbits + 7) / 8; }

static void put_bits(uint64_t *words, const coded *k, uint64_t code) {
    uint32_t shift = k->bit % 64;
    words[k->bit / 64] |= code << shift;
    if (shift + k->bits > 64) words[k->bit / 64 + 1] |= code >> (64 - shift);
}

static uint64_t get_bits(const uint64_t *words, const coded *k) {
    uint32_t shift = k->bit % 64;
    uint64_t code = words[k->bit / 64] >> shift;
    if (shift + k->bits > 64) code |= words[k->bit / 64 + 1] << (64 - shift);
    return code & ((UINT64_C(1) << k->bits) - 1);
}

bool cellcode_pack(const cellcode *c, const value *cells, uint64_t *words) {
    memset(words, 0, cellcode_words(c) * sizeof *words);
    for (uint32_t i = 0; i < c->ncells; i++) {
        const coded *k = &c->cells[i];
        bool is_none = cells[i] == VALUE_UNDEFINED;
        uint64_t code = is_none ? k->codes - 1 : (uint64_t)((int64_t)cells[i] - k->first);
        if (is_none ? !k->has_none : code >= k->codes - k->has_none) return false;
        if (k->bits) put_bits(words, k, code);
    }
    return true;
}

static bool has_zero_tail(const cellcode *c, const uint64_t *words) {
    uint32_t used = c->nbits % 64;
    if (!c->nbits) return words[0] == 0;
    return !used || words[c->nbits / 64] >> used == 0;
}

bool cellcode_unpack(const cellcode *c, const uint64_t *words, value *cells) {
    for (uint32_t i = 0; i < c->ncells; i++) {
        const coded *k = &c->cells[i];
        uint64_t code = k->bits ? get_bits(words, k) : 0;
        if (code >= k->codes) return false;
        bool is_none = k->has_none && code == k->codes - 1;
        cells[i] = is_none ? VALUE_UNDEFINED : (value)(k->first + (int64_t)code);
    }
    return has_zero_tail(c, words);
}

void cellcode_to_bytes(const cellcode *c, const uint64_t *words, uint8_t *bytes) {
    for (uint32_t i = 0; i < cellcode_bytes(c); i++) bytes[i] = (uint8_t)(words[i / 8] >> i % 8 * 8);
}

void cellcode_from_bytes(const cellcode *c, const uint8_t *bytes, uint64_t *words) {
    memset(words, 0, cellcode_words(c) * sizeof *words);
    for (uint32_t i = 0; i < cellcode_bytes(c); i++) words[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
}
