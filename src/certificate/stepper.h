// SPDX-License-Identifier: Apache-2.0
// The steps of an instance by the reference evaluator alone: every rule with every binding of its parameters. The
// basis for rechecking claims about states.
#ifndef CERTIFICATE_STEPPER_H
#define CERTIFICATE_STEPPER_H

#include "model/eval.h"
#include "model/instance.h"

typedef struct stepper stepper;  // for one thread

stepper *stepper_new(const instance *in);
void stepper_free(stepper *s);
eval *stepper_eval(stepper *s);

// One step; what is pointed to is valid during the call. Return false to stop.
typedef bool (*stepper_found)(rule r, const value *args, const value *next, void *context);

// Every step from a state. False when one cannot be completed (a run-time error or a
// requirement that fails: see `why`), or when `found` stopped (`why` is then empty).
bool stepper_each(stepper *s, const value *state, stepper_found found, void *context, str *why);
// Was there a step that only an assumption of the user's rules out?
bool stepper_is_excluded(const stepper *s);

// "phase(1)=waits, n=2": the cells that differ from the state before the init rules; cut off if it is long.
void stepper_state_text(const instance *in, const value *state, str *out);

#endif
