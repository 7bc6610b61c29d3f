// SPDX-License-Identifier: Apache-2.0
// The commands of a walk: see shell.h.
#include "cli/simulate/shell.h"

#include "base/outfile.h"
#include "base/units.h"
#include "report/style.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

void shell_say(shell *h) { session_say(h->s, &h->out); }

void shell_error(shell *h, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    h->failed = true;
    style_add(&h->s->style, ROLE_BAD, "error: ", &h->out);
    str_add_visible(&h->out, text ? text : "", text ? strlen(text) : 0);
    str_char(&h->out, '\n');
    free(text);
}

// Those that every walk has, after its own.
static const shell_command common_commands[] = {{"help", "", "this list", NULL},
                                                {"quit", "", "end (so does the end of input)", NULL}};

static uint32_t command_count(const shell *h) {
    return h->ncommands + sizeof common_commands / sizeof *common_commands;
}

static const shell_command *command_at(const shell *h, uint32_t i) {
    return i < h->ncommands ? &h->commands[i] : &common_commands[i - h->ncommands];
}

static void shell_help(shell *h) {
    str_add(&h->out, h->help);
    for (uint32_t i = 0; i < command_count(h); i++) {
        const shell_command *c = command_at(h, i);
        str_printf(&h->out, "  %s %-*s%s\n", c->name, 19 - (int)strlen(c->name), c->arguments, c->text);
    }
}

bool shell_save(shell *h, const char *path, const str *text) {
    if (outfile_write(path, str_get(text), text->len)) return true;
    shell_error(h, "%s: %s", path, strerror(errno));
    return false;
}

// ---- words

bool shell_number(const char *text, uint32_t most, uint32_t *n) {
    uint64_t count;
    bool ok = *text >= '0' && *text <= '9' && units_parse_count(text, &count) && count <= most;
    if (ok) *n = (uint32_t)count;
    return ok;
}

static const char *skip_blanks(const char *text) { return text + strspn(text, " \t\r"); }

// The same but for blanks?
static bool same_but_blanks(const char *typed, const char *label, bool loosely) {
    for (;; typed++, label++) {
        typed = skip_blanks(typed);
        label = skip_blanks(label);
        if (!*typed) return loosely || !*label;
        if (*typed != *label) return false;
    }
}

// "commit 1 2" as "commit(1,2)"; as it is where it has parentheses, or no arguments.
static void spell_as_label(const char *typed, str *out) {
    bool is_spelled = strpbrk(typed, "()") != NULL;
    const char *between = "(";
    for (const char *p = skip_blanks(typed); *p; p = skip_blanks(p)) {
        size_t n = strcspn(p, is_spelled ? "" : " \t\r,");
        if (out->len) str_add(out, between), between = ",";
        str_addn(out, p, n);
        p += n + (p[n] == ',');
    }
    if (*between == ',') str_char(out, ')');
}

bool shell_names(const char *typed, const char *label, bool loosely) {
    if (!*skip_blanks(typed)) return false;
    if (same_but_blanks(typed, label, loosely)) return true;
    str spelled = {0};
    spell_as_label(typed, &spelled);
    bool is_it = same_but_blanks(str_get(&spelled), label, false);
    str_free(&spelled);
    return is_it;
}

// ---- commands

static const shell_command *shell_find(const shell *h, const char *name, bool loosely) {
    for (uint32_t i = 0; i < command_count(h); i++) {
        const char *is = command_at(h, i)->name;
        if (loosely ? str_starts(is, name) : str_same(is, name)) return command_at(h, i);
    }
    return NULL;
}

static void shell_complain(shell *h, const char *name) {
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < command_count(h); i++) vec_push(&names, command_at(h, i)->name);
    const char *near = diag_nearest(name, names.data, names.len);
    if (near) shell_error(h, "unknown command '%s', did you mean '%s'?", name, near);
    else shell_error(h, "'%s' is neither a command nor something that can happen now; `help` lists the commands", name);
    vec_free(&names);
}

// The first words of a line; how many there are.
static uint32_t split_words(char *line, char *words[3]) {
    uint32_t n = 0;
    words[0] = words[1] = words[2] = NULL;
    for (char *word; n < 3 && (word = strsep(&line, " \t\r\n"));)
        if (*word) words[n++] = word;
    return n;
}

// False: the walk ends.
static bool shell_do(shell *h, const shell_command *c, char *const *words) {
    bool is_help = c == &common_commands[0];
    if (is_help) shell_help(h);
    else if (c->run) c->run(h->walk, words + 1);
    return is_help || c->run;
}

// One line; false to end.
static bool shell_obey(shell *h, const char *line) {
    char *copy = strdup(line), *words[3];
    bool goes_on = true, is_number = isdigit((unsigned char)*skip_blanks(line));
    const shell_command *c = NULL;
    if (split_words(copy, words)) {
        if (!is_number) c = shell_find(h, words[0], false);
        if (!c && !h->take(h->walk, line, false)) {
            if (!is_number) c = shell_find(h, words[0], true);
            if (!c && !h->take(h->walk, line, true)) shell_complain(h, words[0]);
        }
        if (c) goes_on = shell_do(h, c, words);
    }
    free(copy);
    return goes_on;
}

static void shell_offer(void *context, lines_put *put, void *to) {
    shell *h = context;
    for (uint32_t i = 0; i < command_count(h); i++) put(to, command_at(h, i)->name);
    h->offer(h->walk, put, to);
}

int shell_run(shell *h) {
    h->is_terminal = isatty(STDIN_FILENO);
    bool edits = h->is_terminal && isatty(STDOUT_FILENO) && !session_is_json(h->s);
    lines *from = lines_open(&h->s->limits, edits, shell_offer, h);
    for (bool goes_on = true; goes_on;) {
        shell_say(h);
        const char *line = lines_next(from);
        if (line && !edits) {
            str_add(&h->out, "> ");
            str_add_visible(&h->out, line, strlen(line));
            str_char(&h->out, '\n');
        }
        goes_on = line && shell_obey(h, line);
    }
    lines_close(from);
    shell_say(h);
    if (session_say_limit(h->s)) return EXIT_UNKNOWN;
    return h->failed && !h->is_terminal ? EXIT_BAD_INPUT : EXIT_HOLDS;
}
