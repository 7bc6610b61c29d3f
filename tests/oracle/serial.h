// SPDX-License-Identifier: Apache-2.0
// serial: strict serializability and opacity of a word, by the definition and nothing else.
//
// Guerraoui, Henzinger and Singh (CONCUR 2008), section 2: a graph over transactions, with an edge from x to y if a
// statement of x conflicts with a later one of y, or if x is finished before y starts. A word is strictly
// serializable if the graph over its committed transactions has no cycle, opaque if the graph over all has none.
#ifndef ORACLE_SERIAL_H
#define ORACLE_SERIAL_H

#include "oracle/words.h"

bool serial_is_strict(const word *w);
bool serial_is_opaque(const word *w);

#endif
