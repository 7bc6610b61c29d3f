// SPDX-License-Identifier: Apache-2.0
// States of an instance as states of its abstraction: what is seen of a state at some of the elements.
#ifndef CMP_ABSTRACT_PROJECT_H
#define CMP_ABSTRACT_PROJECT_H

#include "cmp/abstract/abstract.h"
#include "model/eval.h"

enum { PROJECT_MOST_KEPT = 8 };

// One choice of elements, for many states.
typedef struct {
    const abstraction *a;
    const instance *from, *to;
    instance *own;             // like `from`, of the abstraction's model
    eval *ev;                  // of ghosts; NULL: there are none
    uint32_t ncells, *source;  // of the abstract instance; where their values come from
    type *types;
    value elements[PROJECT_MOST_KEPT];
} projection;

projection *project_new(const abstraction *a, const instance *from, const value *elements, const instance *to);
void project_free(projection *p);
void project_cells(const projection *p, const value *cells, value *out);

// `elements` are the kept_count different elements of the sort that are kept; `out` has a cell for each of `to`.
void project_state(const abstraction *a, const instance *from, const value *cells, const value *elements,
                   const instance *to, value *out);
// All choices of elements in order, each once; start with *first = true.
bool project_next(const abstraction *a, uint32_t size, value *elements, bool *first);

#endif
