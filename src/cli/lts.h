// SPDX-License-Identifier: Apache-2.0
// The whole transition system of an instance as text in the Aldebaran format.
#ifndef CLI_LTS_H
#define CLI_LTS_H

#include "cli/session.h"
#include "model/instance.h"

// Explores without symmetry, so that labels name the elements that take part. An exit code.
int lts_command(session *s, const instance *in);

#endif
