// SPDX-License-Identifier: Apache-2.0
// The commands. To add one: a line in COMMANDS, and a file of that name that defines `const command
// NAME_command`.
//
//   main.c               finds the command and runs it
//   command.c            the table of commands
//   options.c            the table of options
//   murphi_options.c     those of other Murphi checkers
//   session.c            one run: messages, style, the JSON answer, exit code
//   watchdog.c           ends a run at its limits, by force if need be
//   launch.c             runs of several processes
//   alloc.c              the allocator of the program and all its libraries, which never returns NULL
//   load.c               picks the front end by the file's extension
//   plan.c               groups properties by the system that decides them
//   sizes.c              chooses sizes and runs through ranges
//   watch.c              connects limits and progress to an exploration
//   check.c              the command; the next three are kinds of it
//   timed.c              queries about timed automata
//   history.c            histories, by their recorded order of commits
//   levels/levels.h      recorded histories: a folder with a map of its own
//   make/pstm.h          the command make, models of a family: a folder
//   record.c             the command: runs a program and keeps its history
//   structural.c         the premises of the reduction to two threads
//   values.c             values for words without them
//   prove.c              the command
//   stronger.c           files that say what a specification refines
//   prove_timed.c        timed automata, for every number of processes
//   compare.c            the command
//   minimize.c           the command
//   test.c               the command
//   lsp/names.h          the command lsp, a language server: a folder
//   expected.c           one expectation, and what an answer makes of it
//   simulate/walk.h      the command simulate: a folder
//   show.c               the command
//   graph.c              state graphs
//   lts.c                transition systems
//   certify/certify.h    certificates, and the command recheck: a folder
//   help.c               the command
//   version.c            the command
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"
#include "cli/session.h"

#define COMMANDS(X) \
    X(check)        \
    X(prove) X(recheck) X(compare) X(test) X(lsp) X(simulate) X(show) X(minimize) X(make) X(record) X(help) X(version)

typedef struct command {
    const char *name;
    const char *arguments;   // as shown in its usage: "FILE"
    uint32_t least, most;    // how many
    const char *summary;     // one line
    const char *details;     // paragraphs and examples
    option_set takes;        // options other than the common ones, as bits
    bool takes_timed;        // models with clocks
    bool takes_queries;      // its second argument is a file of queries
    bool uses_ranks;         // on several machines
    int (*run)(session *s);  // returns an exit code
} command;

#define COMMAND_DECLARE(name) extern const command name##_command;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

extern const command *const command_table[];
extern const uint32_t command_count;

// An argument too many: says so, and what may have been meant; false.
bool command_refuse(session *s, const char *word);
const command *command_find(session *s, const char *name);  // NULL with a message
bool command_takes(const command *c, option_id id);

const char *version_commit(void);      // what the program was built from
int help_for(session *s);              // `parvis COMMAND --help`, `parvis --help`
int help_without_command(session *s);  // `parvis`: the overview, but it is a mistake

#endif
