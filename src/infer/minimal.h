// SPDX-License-Identifier: Apache-2.0
// Minimal clauses: what holds in all rows of a schema and has no part that does.
//
// They are what filter_add() and filter_park() leave free, found without the others, of which there are hundreds for
// each.
#ifndef INFER_MINIMAL_H
#define INFER_MINIMAL_H

#include "infer/filter.h"
#include "infer/rows.h"

// Adds those of the schema to the candidates, in the order of their literals. Some that say less than candidates that
// were there before are left out, others are not: filter_park() finds them.
void minimal_add(filter *f, const rows *r, const filter_options *o);

#endif
