// SPDX-License-Identifier: Apache-2.0
// Guards that ask for some element: a system in which that element is a parameter of the rule.
//
// `exists p : NODE do fails[p] end ==> …` is a step of the system without a name for p, so nothing that is known of
// single elements can be said of it. With p as a parameter the rule has the same steps.
#ifndef PASS_ASKED_FOR_H
#define PASS_ASKED_FOR_H

#include "model/model.h"

typedef VEC(rule) asked_for_list;

// Of conjuncts `exists` and `not forall` of guards, over the sort; inside them too. The rules that were changed are
// added to `out`. An error of run time that another element would have made is one of the rule with that element. The
// model is on top of the user's (model/overlay.h).
void asked_for_choose(model *m, sys s, type sort, asked_for_list *out);

#endif
