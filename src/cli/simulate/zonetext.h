// SPDX-License-Identifier: Apache-2.0
// Clock values as text: zones as constraints, delays as intervals.
#ifndef CLI_SIMULATE_ZONETEXT_H
#define CLI_SIMULATE_ZONETEXT_H

#include "base/vec.h"
#include "zone/dbm.h"
#include "zone/timewalk.h"

typedef VEC(const char *) zonetext_list;

// The constraints of a zone that are not those of `within` (NULL: all that say something), in w's memory.
void zonetext_constraints(const timewalk *w, const bound *zone, const bound *within, zonetext_list *out);
// The delays at which a move is possible: "[0, 3/2)", "[2, inf)", "now".
void zonetext_window(const timewalk *w, const timewalk_move *v, str *out);

#endif
