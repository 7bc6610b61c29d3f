// SPDX-License-Identifier: Apache-2.0
// When one zone of a discrete state makes another superfluous: what can happen from the second can happen from the
// first (Herbreteau, Srivathsan, Walukiewicz: Better abstractions for timed automata).
//
// lower[x] and upper[x] are the largest constants with which x may be compared from below and above before it is set
// again (-1: none; net_bounds_in()). A valuation v *is simulated by* w if for every clock x: w(x) < v(x) only where
// w(x) > lower[x], and w(x) > v(x) only where v(x) > upper[x]. With lower = upper the relation is symmetric: then also
// what cannot happen is the same. A zone *covers* d if every valuation of d is simulated by one of the zone; that
// includes dbm_includes(). Both are of the same state, whose bounds these are.
//
// Whether it does is asked bound by bound: `need` has the least bounds that a closed matrix must have to cover d. So
// covering costs as much as inclusion, and closed matrices are kept packed, two bytes for a bound where that is enough.
#ifndef ZONE_COVER_H
#define ZONE_COVER_H

#include "zone/dbm.h"

#include <stdbool.h>
#include <stdint.h>

// Bounds of up to this constant fit into a narrow matrix, and so do those of `need`.
enum { COVER_NARROW = 16000 };

// The least bounds of a zone that covers d.
void cover_need(bound *need, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper);
// Does `large` cover d? From the definition, slowly.
bool cover_by_definition(const bound *large, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper);

// Packed matrices: their length in words; packing gives a number that is not smaller where no bound is.
uint32_t cover_words(uint32_t n, bool is_wide);
int32_t cover_pack(uint64_t *to, const bound *d, uint32_t n, bool is_wide);
void cover_unpack(bound *d, const uint64_t *from, uint32_t n, bool is_wide);
// One bound of a packed matrix; what is not finite, or needs nothing, is just beyond all others.
bound cover_packed_bound(const uint64_t *from, uint32_t place, bool is_wide);
// Is every bound of the zone at least what is needed? Both are packed.
bool cover_is_met(const uint64_t *zone, const uint64_t *need, uint32_t n, bool is_wide);
// Does d cover the packed zone?
bool cover_is_by(const bound *d, const uint64_t *zone, uint32_t n, bool is_wide, const int32_t *lower,
                 const int32_t *upper);

#endif
