// SPDX-License-Identifier: Apache-2.0
// The cells of a state, by name: "phase(1)", "turn", and in a composition "Spec.rs(1,2)" for the functions
// that do not belong to the first component. Names are unique in an instance.
#ifndef RESULT_CELL_H
#define RESULT_CELL_H

#include "model/eval.h"
#include "model/instance.h"

// The system that declares the cell's function, and that of the first function: the system under test.
sys cell_owner(const instance *in, uint32_t cell);
bool cell_is_foreign(const instance *in, uint32_t cell);  // declared by a component other than the first
type cell_type(const instance *in, uint32_t cell);
bool cell_is_bool(const instance *in, uint32_t cell);
bool cell_is_initial(const instance *in, uint32_t cell, value v);  // has its declared initial value
bool cell_is_local(const instance *in, uint32_t cell);  // local to a body: not part of the state, without a value
bool cell_is_spelled(const instance *in);               // the language writes cells in its own way, and names elements

void cell_name(const instance *in, uint32_t cell, str *out);  // "Spec.rs(1,2)"
// For people: "rs(1,2)", and as its language spells it: "cache[client_1].mode", with values to match.
void cell_shown_name(const instance *in, uint32_t cell, str *out);
// What comes before and after the argument at `position`: "net[client_1]" and ".mode" of "net[client_1][2].mode".
void cell_shown_before(const instance *in, uint32_t cell, uint32_t position, str *out);
void cell_shown_after(const instance *in, uint32_t cell, uint32_t position, str *out);
void cell_argument(const instance *in, type ty, value v, str *out);  // "client_1"
void cell_value(const instance *in, uint32_t cell, value v, str *out);

// The variables that have no value, "w, cache[].data", an array as a whole where no element of it has one; nothing for
// languages whose variables always have one. Slots of multisets do not count.
void cell_undefined_text(const instance *in, const value *state, str *out);
// What went wrong, with the variable, the value and the range: "4 does not fit c[P_2].cnt: 0..3", "x is undefined".
void cell_fault_text(const instance *in, const fault *f, str *out);

// "rule(1,2)", with hidden choices "rule(1,2;7)"; a rule without parameters has no parentheses.
void cell_label(const instance *in, rule r, const value *args, str *out);

#endif
