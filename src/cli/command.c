// SPDX-License-Identifier: Apache-2.0
// The table of commands: see command.h.
#include "cli/command.h"

const command *const command_table[] = {
#define COMMAND_ROW(name) &name##_command,
    COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};

const uint32_t command_count = sizeof command_table / sizeof *command_table;

const command *command_find(const char *name) {
    for (uint32_t i = 0; i < command_count; i++)
        if (str_same(command_table[i]->name, name)) return command_table[i];
    return NULL;
}

const char *command_nearest(const char *name) {
    const char *names[sizeof command_table / sizeof *command_table];
    for (uint32_t i = 0; i < command_count; i++) names[i] = command_table[i]->name;
    return diag_nearest(name, names, command_count);
}

bool command_takes(const command *c, option_id id) { return (c->takes | OPTIONS_COMMON) >> id & 1; }
