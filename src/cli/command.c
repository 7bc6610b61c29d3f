// SPDX-License-Identifier: Apache-2.0
// The table of commands: see command.h.
#include "cli/command.h"

#include <string.h>

const command *const command_table[] = {
#define COMMAND_ROW(name) &name##_command,
    COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};

const uint32_t command_count = sizeof command_table / sizeof *command_table;

const command *command_find(session *s, const char *name) {
    const char *names[sizeof command_table / sizeof *command_table];
    for (uint32_t i = 0; i < command_count; i++) {
        names[i] = command_table[i]->name;
        if (str_same(names[i], name)) return command_table[i];
    }
    diag_unknown(s->messages, (span){0}, "command", name, names, command_count);
    return NULL;
}

bool command_refuse(session *s, const char *word) {
    session_error(s, "unexpected argument '%s'", word);
    if (strchr(word, '=') && options_has(&s->opt, OPT_SIZE))
        diag_note(s->messages, (span){0}, "sizes go together, separated by commas: --size Thread=2,Loc=2");
    return false;
}

bool command_takes(const command *c, option_id id) { return (c->takes | OPTIONS_COMMON) >> id & 1; }
