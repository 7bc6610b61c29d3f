// SPDX-License-Identifier: Apache-2.0
// Permutations of the elements of sorts, applied to values, arguments and whole states as model.h defines
// them: slow, direct, and sharing nothing with the packed exchanges of src/space, which are tested against it.
#ifndef MODEL_RENAMING_H
#define MODEL_RENAMING_H

#include "model/instance.h"

typedef struct {
    const instance *in;
    value **to;         // by type id: element to element; NULL for what keeps its names
    uint32_t *cell_to;  // by cell: where its value goes, under its own new name, before multisets are sorted
} renaming;

renaming *renaming_new(const instance *in);  // all elements keep their names
void renaming_free(renaming *r);
// The sort's elements may get other names from now on; until then each has its own. Returns the table to change; after
// changes to any table, and before states are renamed, renaming_close() looks where cells go.
value *renaming_open(renaming *r, type sort);
void renaming_close(renaming *r);

value renaming_value(const renaming *r, type t, value v);  // of any type; none stays none
void renaming_args(const renaming *r, rule of, const value *from, value *to);
void renaming_state(const renaming *r, const value *from, value *to);  // two different arrays; multisets in order

// "Proc 1 and 2 exchanged", or "Proc 1, 2, 3 named 2, 3, 1": what changes its name.
void renaming_text(const renaming *r, str *out);

#endif
