// SPDX-License-Identifier: Apache-2.0
// parvis check --structural: the premises of the reduction to two threads and two locations, one by one.
#ifndef CLI_STRUCTURAL_H
#define CLI_STRUCTURAL_H

#include "cli/session.h"

int structural_command(session *s);

#endif
