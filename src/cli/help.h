// SPDX-License-Identifier: Apache-2.0
// Help: from the tables of commands and options.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/session.h"

int help_for(session *s);              // `parvis COMMAND --help`, `parvis --help`
int help_without_command(session *s);  // `parvis`: the overview, but it is a mistake

#endif
