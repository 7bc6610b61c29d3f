// SPDX-License-Identifier: Apache-2.0
// parvis help: the overview, or one command with its options and examples.
#include "cli/command.h"

enum { OPTION_TEXT_AT = 34, COMMAND_TEXT_AT = 14 };

static void put_entry(const session *s, const char *name, unsigned at, const char *text, str *out) {
    str_add(out, "  ");
    style_add(&s->style, ROLE_STRONG, name, out);
    size_t used = 2 + str_columns(name);
    if (used + 2 > at) {
        str_char(out, '\n');
        used = 0;
    }
    str_pad(out, ' ', at - used);
    style_paragraph(&s->style, ROLE_PLAIN, text, at, at, out);
}

static void put_options(const session *s, const command *c, str *out) {
    style_add(&s->style, ROLE_STRONG, "Options:", out);
    str_char(out, '\n');
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!command_takes(c, (option_id)i)) continue;
        str name = {0};
        options_text((option_id)i, &name);
        put_entry(s, str_get(&name), OPTION_TEXT_AT, option_table[i].text, out);
        str_free(&name);
    }
}

static void put_command(const session *s, const command *c, str *out) {
    style_add(&s->style, ROLE_STRONG, "Usage:", out);
    str_printf(out, " parvis %s%s%s [OPTIONS]\n\n", c->name, *c->arguments ? " " : "", c->arguments);
    str_printf(out, "%c%s.\n\n", c->summary[0] - 'a' + 'A', c->summary + 1);
    if (c->details) str_printf(out, "%s\n", c->details);
    put_options(s, c, out);
}

static void put_overview(const session *s, str *out) {
    str_add(out, "Parvis verifies transactional memories and other concurrent systems.\n\n");
    style_add(&s->style, ROLE_STRONG, "Usage:", out);
    str_add(out, " parvis COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    style_add(&s->style, ROLE_STRONG, "Commands:", out);
    str_char(out, '\n');
    for (uint32_t i = 0; i < command_count; i++)
        put_entry(s, command_table[i]->name, COMMAND_TEXT_AT, command_table[i]->summary, out);
    str_add(out, "\n`parvis help COMMAND` explains a command, with examples.\n"
                 "Exit codes: 0 holds, 1 violated, 2 bad input or usage, 3 unknown.\n");
}

// ---- as JSON, for tools that complete command lines

static json_t *option_object(option_id id) {
    const option_info *i = &option_table[id];
    char letter[2] = {i->letter, '\0'};
    return json_pack("{s:s, s:s?, s:s?, s:s}", "name", i->name, "letter", i->letter ? letter : NULL, "argument",
                     i->argument, "text", i->text);
}

static json_t *command_object(const command *c) {
    json_t *list = json_array();
    for (int i = 0; i < OPT_COUNT; i++)
        if (command_takes(c, (option_id)i)) json_array_append_new(list, option_object((option_id)i));
    return json_pack("{s:s, s:s, s:s, s:o}", "name", c->name, "arguments", c->arguments, "summary", c->summary,
                     "options", list);
}

static void help_answer(session *s, const command *only) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < command_count; i++)
        if (!only || only == command_table[i]) json_array_append_new(list, command_object(command_table[i]));
    session_answer(s, json_pack("{s:o}", "commands", list));
}

// ---- the command

static int help_explain(session *s, const char *topic) {
    const command *c = topic ? command_find(s, topic) : NULL;
    if (topic && !c) return EXIT_BAD_INPUT;
    str text = {0};
    if (c) put_command(s, c, &text);
    else put_overview(s, &text);
    session_say(s, &text);
    help_answer(s, c);
    return EXIT_HOLDS;
}

static const char *help_argument(const session *s, uint32_t i) {
    return i < s->opt.arguments.len ? s->opt.arguments.data[i] : NULL;
}

int help_for(session *s) {
    const char *first = help_argument(s, 0), *second = help_argument(s, 1);
    return help_explain(s, first && second && str_same(first, "help") ? second : first);
}

int help_without_command(session *s) {
    str text = {0};
    put_overview(s, &text);
    if (!session_is_json(s)) fputs(str_get(&text), stderr);
    else session_error(s, "no command was given");
    str_free(&text);
    return EXIT_BAD_INPUT;
}

static int help_run(session *s) { return help_explain(s, help_argument(s, 1)); }

const command help_command = {
    .name = "help",
    .arguments = "[COMMAND]",
    .most = 1,
    .summary = "list the commands, or explain one",
    .details = "Examples:\n"
               "  parvis help\n"
               "  parvis help check\n",
    .run = help_run,
};
