// SPDX-License-Identifier: Apache-2.0
// States of an instance as bits, for certificates: cell after cell in the instance's order (model/instance.h), each in
// as many bits as its type needs, the lowest first; a cell that may be undefined has one more code, the last.
// Locals take no bits: outside a body they are undefined. Two states have equal words iff they are equal.
//
// This is not the packing of the engines (space/layout.h), and shares nothing with it.
#ifndef CERTIFICATE_CELLCODE_H
#define CERTIFICATE_CELLCODE_H

#include "model/instance.h"

typedef struct cellcode cellcode;

cellcode *cellcode_new(const instance *in);
void cellcode_free(cellcode *c);
uint32_t cellcode_words(const cellcode *c);  // at least 1
uint32_t cellcode_bytes(const cellcode *c);  // of a state in a file: the words' first bytes, little-endian

// False when a value is outside its cell's type; then the words must not be used.
bool cellcode_pack(const cellcode *c, const value *cells, uint64_t *words);
// False when the words are not those of a state.
bool cellcode_unpack(const cellcode *c, const uint64_t *words, value *cells);

void cellcode_to_bytes(const cellcode *c, const uint64_t *words, uint8_t *bytes);
void cellcode_from_bytes(const cellcode *c, const uint8_t *bytes, uint64_t *words);

#endif
