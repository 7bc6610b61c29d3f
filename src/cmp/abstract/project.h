// SPDX-License-Identifier: Apache-2.0
// States of an instance as states of its abstraction: what is seen of a state at some of the elements.
#ifndef CMP_ABSTRACT_PROJECT_H
#define CMP_ABSTRACT_PROJECT_H

#include "cmp/abstract/abstract.h"
#include "model/eval.h"
#include "model/instance.h"

enum { PROJECT_MOST_KEPT = 8 };

// One choice of elements, for many states.
typedef struct {
    const abstraction *a;
    const instance *from, *to;
    instance *own;             // like `from`, of the abstraction's model
    eval *ev;                  // of ghosts; NULL: there are none
    uint32_t *source, *first;  // by cell of `to`: where its value comes from; where elements are among such values
    value elements[PROJECT_MOST_KEPT];
} projection;

// `elements` are the kept_count different elements of the sort that are kept.
projection *project_new(const abstraction *a, const instance *from, const value *elements, const instance *to);
void project_free(projection *p);
// `out` has a cell for each of `to`.
void project_cells(const projection *p, const value *cells, value *out);

// All choices of elements, each once, in order; start with *first = true.
bool project_next(const abstraction *a, uint32_t size, value *elements, bool *first);

#endif
