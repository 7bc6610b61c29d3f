// SPDX-License-Identifier: Apache-2.0
// The commands. To add one: a line in COMMANDS, and a file of that name that defines `const command
// NAME_command`.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/session.h"

#define COMMANDS(X) X(check) X(prove) X(recheck) X(compare) X(simulate) X(show) X(minimize) X(help) X(version)

typedef struct command {
    const char *name;
    const char *arguments;   // as shown in its usage: "FILE"
    uint32_t least, most;    // how many
    const char *summary;     // one line
    const char *details;     // paragraphs and examples
    uint64_t takes;          // options other than the common ones, as bits
    bool takes_timed;        // models with clocks
    int (*run)(session *s);  // returns an exit code
} command;

#define COMMAND_DECLARE(name) extern const command name##_command;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

extern const command *const command_table[];
extern const uint32_t command_count;

// After a message about one argument too many: what may have been meant.
void command_hint_extra(session *s, const char *word);
const command *command_find(const char *name);  // NULL: none
const char *command_nearest(const char *name);  // NULL: none is close
bool command_takes(const command *c, option_id id);

#endif
