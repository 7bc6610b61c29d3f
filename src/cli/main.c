// SPDX-License-Identifier: Apache-2.0
// parvis: the command line. Finds the command, checks its options and arguments, runs it, ends with its exit
// code: 0 holds, 1 violated, 2 bad input or usage, 3 unknown.
#include "base/stack.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/watchdog.h"

#include <string.h>
#include <unistd.h>

static const span nowhere = {0};

static bool check_options(session *s) {
    for (int i = 0; i < OPT_COUNT; i++)
        if (options_has(&s->opt, (option_id)i) && !command_takes(s->command, (option_id)i)) {
            session_error(s, "'parvis %s' has no option '--%s'", s->command->name, option_table[i].name);
            diag_note(s->messages, nowhere, "`parvis help %s` lists its options", s->command->name);
        }
    return !diag_failed(s->messages);
}

static bool check_arguments(session *s) {
    const command *c = s->command;
    uint32_t n = s->opt.arguments.len - 1;
    if (n < c->least)
        return session_error(s, "'parvis %s' needs an argument: parvis %s %s", c->name, c->name, c->arguments);
    return n <= c->most || command_refuse(s, s->opt.arguments.data[c->most + 1]);
}

// `parvis --help`, `parvis check --help`, `parvis --version` and no command at all are commands too.
static const command *choose_command(session *s) {
    bool wants_version = options_has(&s->opt, OPT_VERSION), wants_help = options_has(&s->opt, OPT_HELP);
    if (wants_version) return &version_command;
    if (wants_help || !s->opt.arguments.len) return &help_command;
    const char *name = s->opt.arguments.data[0];
    const command *c = command_find(s, name);
    if (!c && strchr(name, '.') && access(name, R_OK) == 0)
        diag_note(s->messages, nowhere, "to check a model: parvis check %s", name);
    else if (!c) diag_note(s->messages, nowhere, "`parvis help` lists the commands");
    return c;
}

static int main_run(session *s, int argc, char **argv) {
    if (!options_parse(&s->opt, argc, argv, s->messages)) return EXIT_BAD_INPUT;
    session_set_style(s);
    s->command = choose_command(s);
    if (!s->command) return EXIT_BAD_INPUT;
    if (options_has(&s->opt, OPT_HELP)) return help_for(s);
    if (options_has(&s->opt, OPT_VERSION)) return s->command->run(s);
    if (!s->opt.arguments.len) return help_without_command(s);
    if (!check_options(s) || !check_arguments(s)) return EXIT_BAD_INPUT;
    if (s->command != &help_command && s->command != &record_command) session_find_models(s);
    if (s->opt.arguments.len > 1) s->file = s->opt.arguments.data[1];
    session_set_limits(s);
    if (!launch_enter(s)) return EXIT_BAD_INPUT;
    return s->command->run(s);
}

typedef struct {
    int argc;
    char **argv;
    bool json;
    launch place;
    int code;
} whole;

static void run_whole(void *context) {
    whole *w = context;
    session s;
    session_begin(&s);
    char *words[w->argc + 1];  // as they were given: getopt puts them in another order
    memcpy(words, w->argv, (size_t)w->argc * sizeof *words);
    s.argc = w->argc;
    s.argv = words;
    s.launch = w->place;
    w->code = main_run(&s, w->argc, w->argv);
    if (diag_failed(s.messages) && w->code == EXIT_HOLDS) w->code = EXIT_BAD_INPUT;
    if (w->json) s.opt.given |= OPTION_BIT(JSON);
    w->code = session_finish(&s, w->code);
    launch_leave(&s);
    if (s.launch.rank) w->code = EXIT_HOLDS;  // rank 0 says how it ended
    session_end(&s);
}

int main(int argc, char **argv) {
    whole w = {.argc = argc, .argv = argv, .place = launch_find()};
    launch_supervise(&w.place);
    w.json = watchdog_begin(argc, argv);
    if (w.place.rank) watchdog_follow();
    mem_on_exhausted(watchdog_exhausted);
    stack_run(run_whole, &w);
    return w.code;
}
