// SPDX-License-Identifier: Apache-2.0
// TPTP syntax for fol.c.
#include "logic/fol.h"

static const fol_dialect tptp = {
    .negation = {"(~ ", "", ")"},
    .conjunction = {"(", " & ", ")"},
    .disjunction = {"(", " | ", ")"},
    .implication = {"(", " => ", ")"},
    .equivalence = {"(", " <=> ", ")"},
    .equation = {"(", " = ", ")"},
    .application = {"", ",", ")"},
    .arguments = "(",
    .forall = {"(! [", "] : ", ")"},
    .exists = {"(? [", "] : ", ")"},
    .axiom = {"fof(", ", axiom, ", ").\n"},
    .conjecture = {"fof(", ", conjecture, ", ").\n"},
    .is_name_first = true,
    .truth = "$true",
    .falsity = "$false",
    .true_term = "b_true",
    .false_term = "b_false",
};

void tptp_problem(const obligations *o, const obligation_set *s, uint32_t goal, str *out) {
    vocabulary v = vocabulary_of(o->m, s, goal, 1);
    str_printf(out, "%% %s\n", s->goals[goal].name);
    fol_axioms(&tptp, &v, s, out);
    fol_goal(&tptp, &v, s->goals[goal].formula, out);
    vocabulary_free(&v);
}
