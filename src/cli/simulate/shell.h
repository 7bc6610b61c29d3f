// SPDX-License-Identifier: Apache-2.0
// What walks have in common: commands are read line by line, from a terminal or from a pipe (which echoes them), and a
// line that is no command names a move.
//
// A number is a move; then the name of a command counts, then that of a move; then the beginning of a command, as in
// debuggers, the first that fits; then the beginning of a move, if only one fits.
#ifndef CLI_SIMULATE_SHELL_H
#define CLI_SIMULATE_SHELL_H

#include "cli/session.h"
#include "cli/simulate/lines.h"

typedef struct {
    const char *name, *arguments, *text;
    void (*run)(void *walk, char *const *words);  // two words, NULL where there are fewer
} shell_command;

typedef struct {
    session *s;
    void *walk;
    const shell_command *commands;  // its own; help and quit come with the shell
    uint32_t ncommands;
    const char *help;  // lines of help before those of commands
    // Takes the move that the line names, by its number or its name, and says so; false: it names none. With `loosely`
    // the beginning of its name is enough.
    bool (*take)(void *walk, const char *line, bool loosely);
    lines_offer *offer;  // names of moves
    bool is_terminal;    // standard input
    bool failed;         // a piped command made no sense
    str out;             // said before the next command is read
} shell;

void shell_say(shell *h);
void shell_error(shell *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Writes a file; false after saying why not.
bool shell_save(shell *h, const char *path, const str *text);
// A number of at most `most`; false: the text is none.
bool shell_number(const char *text, uint32_t most, uint32_t *n);
// Does the typed name, of so many bytes, stand for the label? Blanks do not count, and `commit 1 2` is `commit(1,2)`.
// loosely: as its beginning.
bool shell_names(const char *typed, const char *label, bool loosely);
// Reads and obeys until the end: an exit code.
int shell_run(shell *h);

#endif
