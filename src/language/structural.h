// SPDX-License-Identifier: Apache-2.0
// The premises under which a TM that is right for two threads and two locations is right for all (after
// Guerraoui, Henzinger, Jobstmann, Singh, PLDI 2008; doc/language-view.md states and uses them), checked on
// an instance. All but monotonicity are decided for words of any length; monotonicity for words up to a
// length.
#ifndef LANGUAGE_STRUCTURAL_H
#define LANGUAGE_STRUCTURAL_H

#include "explore/explore.h"
#include "model/instance.h"
#include "result/result.h"

typedef struct {
    const instance *in;
    const instance *fewer_threads, *fewer_locations;  // one fewer; NULL where there is only one
    uint32_t longest;                                 // words for monotonicity
} structural_input;

// The premises for strict serializability or for opacity; the latter are checked for the TM that may also abort
// at any time. Adds one entry per premise to `out` and returns the joint verdict. A violated one has a run of
// the TM as its trace and in its reason the word that should be one of the TM, too.
verdict structural_run(const structural_input *input, bool for_opacity, const explore_options *options, result *out);

// The same instances of the system with aborts at any time, which is made on `own`, an overlay of their model; to be
// freed by the caller.
structural_input structural_freed(model *own, const structural_input *input);

// The sorts of threads and locations: those of the parameters of `read`; false: there is no such action.
bool structural_sorts(const model *m, sys s, type *thread, type *location);

#endif
