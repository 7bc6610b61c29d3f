// SPDX-License-Identifier: Apache-2.0
// Composition: models to models.
#ifndef MODEL_COMPOSE_H
#define MODEL_COMPOSE_H

#include "model/model.h"

// A || B: actions of the same name move together (both guards, both bodies at once), others alone.
// Reports an error when actions of one name have different parameters.
sys compose_parallel(model *m, const char *name, const sys *parts, uint32_t nparts, span at);

// As many parameters that are seen, of the same types.
bool compose_same_params(const model *m, const rule_info *a, const rule_info *b);

// Can a product of them be built: have they no state in common, and does the specification have every visible action?
bool compose_can_follow(const model *m, sys system, sys spec);

// Has the specification of this PROP_REFINES an initial state at every size? One with a condition on its start (an
// axiom, or a guard of every `init`) may have none, and then it has no word at all. True for every other property.
bool compose_has_start(const model *m, prop p);

// Has the specification of this PROP_REFINES a choice: of its initial state, of an internal action, of a hidden
// parameter, of one of several actions with the same name? Then a product shows only that the refinement holds: what it
// refuses might be allowed with other choices. False for every other property.
bool compose_has_choice(const model *m, prop p);

// What the property says of the specification's answer to a rule of the system; NULL: nothing.
const prop_witness *compose_witness(const model *m, prop p, rule r);

// Is there a product with the specification of this PROP_REFINES? Where the specification has choices, each hidden one
// needs a value (prop_info.witnesses, or a hidden parameter of the system with the same name).
bool compose_has_product(const model *m, prop p);

// The system on which a property is checked: its own, or, of a PROP_REFINES, the product with the specification, which
// is built once: the specification follows every visible step; where it refuses one, the rule's requirement fails.
// Actions are matched by name and arguments; a visible action that the specification does not have is reported as an
// error, and so is a hidden choice without a value. Id 0 after an error.
sys compose_for(model *m, prop p);

#endif
