// SPDX-License-Identifier: Apache-2.0
// Which thread takes a step. The threads of a transactional memory are the elements of the sort that its
// actions `commit` and `abort` are about; the acting thread is the parameter that the model names (`by t:
// Thread`), else the first parameter of that sort.
#ifndef MODEL_ACTOR_H
#define MODEL_ACTOR_H

#include "model/model.h"

#define ACTOR_NONE UINT32_MAX

// The sort of threads: the one sort that is a parameter of every action called commit and abort (if there are
// several, the one that comes first in the first of these actions). Id 0: there is none, or the system has
// neither action.
type actor_sort(const model *m, sys s);

// The same where the system has both actions; id 0: it has not.
type actor_transactions(const model *m, sys s);

// The number of the parameter that is the acting thread, one of the given sort (id 0: of any, and only
// where the model says it); ACTOR_NONE: no thread acts.
uint32_t actor_param(const model *m, rule r, type threads);

#endif
