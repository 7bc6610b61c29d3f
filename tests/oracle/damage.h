// SPDX-License-Identifier: Apache-2.0
// damage: a text with something wrong in it, for tests that a reader takes any bytes.
#ifndef ORACLE_DAMAGE_H
#define ORACLE_DAMAGE_H

#include "base/rng.h"

#include <stddef.h>

// Changes a byte to any other or to one of `marks`, or cuts out, doubles or moves up to 30 bytes. The text is not
// empty, and grows to `room` bytes at most.
void damage(rng *r, const char *marks, char *text, size_t *size, size_t room);

#endif
