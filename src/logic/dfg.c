// SPDX-License-Identifier: Apache-2.0
// DFG syntax for fol.c: prefix operators, and every symbol declared with its number of arguments.
#include "logic/fol.h"

static const fol_dialect dfg = {
    .negation = {"not(", "", ")"},
    .conjunction = {"and(", ",", ")"},
    .disjunction = {"or(", ",", ")"},
    .implication = {"implies(", ",", ")"},
    .equivalence = {"equiv(", ",", ")"},
    .equation = {"equal(", ",", ")"},
    .application = {"", ",", ")"},
    .arguments = "(",
    .forall = {"forall([", "],", ")"},
    .exists = {"exists([", "],", ")"},
    .axiom = {"formula(", ",", ").\n"},
    .conjecture = {"formula(", ",", ").\n"},
    .truth = "true",
    .falsity = "false",
    .true_term = "b_true",
    .false_term = "b_false",
};

typedef struct {
    str *out;
    const char *label;
    uint32_t n;
} declaration;

static void dfg_declare(const char *name, uint32_t arity, void *context) {
    declaration *d = context;
    if (d->n++) str_add(d->out, ",");
    else str_printf(d->out, "%s[", d->label);
    str_printf(d->out, "(%s,%u)", name, arity);
}

static void symbols(const vocabulary *v, const obligation_set *s, str *out) {
    str_add(out, "list_of_symbols.\n");
    for (int predicates = 0; predicates < 2; predicates++) {
        declaration d = {out, predicates ? "predicates" : "functions", 0};
        fol_symbols(&dfg, v, s, predicates, dfg_declare, &d);
        if (d.n) str_add(out, "].\n");
    }
    str_add(out, "end_of_list.\n");
}

void dfg_problem(const obligations *o, const obligation_set *s, uint32_t goal, str *out) {
    vocabulary v = vocabulary_of(o->m, s, goal, 1);
    str_add(out, "begin_problem(obligation).\nlist_of_descriptions.\nname({*obligation*}).\nauthor({*parvis*}).\n");
    str_printf(out, "status(unknown).\ndescription({*%s*}).\nend_of_list.\n", s->goals[goal].name);
    symbols(&v, s, out);
    str_add(out, "list_of_formulae(axioms).\n");
    fol_axioms(&dfg, &v, s, out);
    str_add(out, "end_of_list.\nlist_of_formulae(conjectures).\n");
    fol_goal(&dfg, &v, s->goals[goal].formula, out);
    str_add(out, "end_of_list.\nend_problem.\n");
    vocabulary_free(&v);
}
