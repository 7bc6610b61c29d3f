// SPDX-License-Identifier: Apache-2.0
// random_words: small random `.pv` files as text, the same for the same seed, whose systems have actions of the same
// names and are compared: relatives of each other (guards dropped or changed, other effects, internal actions, second
// ways to do an action, other starts) or strangers; with parameters in another order, acting threads said by `by`,
// actions named like the papers' letters, impossible starts, nothing at all. Properties: refinements that the front
// end takes, freedom from deadlock, liveness.
#ifndef ORACLE_RANDOM_WORDS_H
#define ORACLE_RANDOM_WORDS_H

#include "base/str.h"

#include <stdint.h>

void random_words_text(uint64_t seed, str *out);

#endif
