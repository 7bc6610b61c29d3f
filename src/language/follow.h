// SPDX-License-Identifier: Apache-2.0
// Is what a run shows a word of a specification, whatever that chooses? Only this one word is followed, so neither
// system has to be explored: it is how a step that a product refuses with some choices becomes a violation.
#ifndef LANGUAGE_FOLLOW_H
#define LANGUAGE_FOLLOW_H

#include "base/limits.h"
#include "model/instance.h"
#include "result/trace.h"

typedef enum {
    FOLLOW_REFUSED,  // no choices lead to the whole word, its last step included
    FOLLOW_ALLOWED,
    FOLLOW_UNKNOWN  // a limit was met, or a step of the specification ends in a run-time error
} follow_answer;

follow_answer follow_word(const instance *spec, const trace *run, const limits *l);

#endif
