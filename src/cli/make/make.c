// SPDX-License-Identifier: Apache-2.0
// parvis make: a model of a family, from a small text that says what is special about it.
#include "cli/command.h"
#include "cli/make/pstm.h"
#include "front/source.h"
#include "report/object.h"

#include <string.h>

enum { LARGEST_TEXT = 1 << 20 };

// MODEL.q of MODEL.xta: where `parvis check MODEL.xta` looks for queries.
static const char *queries_path(const session *s) {
    const char *path = s->opt.output;
    return arena_printf(s->opt.memory, "%.*s.q", (int)(strlen(path) - strlen(".xta")), path);
}

static void make_answer(session *s, const pstm *p, const str *automata, const str *queries) {
    session_answer(s, json_pack("{s:i, s:i, s:b, s:o, s:o, s:o, s:o}", "transactions", (int)p->transactions.len,
                                "variables", (int)p->variables.len, "formula", pstm_has_formula(p), "model",
                                object_string(str_get(automata)), "queries", object_string(str_get(queries)),
                                "model_file", object_string_or_null(s->opt.output), "queries_file",
                                object_string_or_null(s->opt.output ? queries_path(s) : NULL)));
}

static int make_write(session *s, const pstm *p, str *automata, str *queries) {
    if (session_wants_answer(s)) make_answer(s, p, automata, queries);
    if (!s->opt.output) return session_say(s, automata), EXIT_HOLDS;
    if (!session_write_file(s, s->opt.output, automata) || !session_write_file(s, queries_path(s), queries))
        return EXIT_BAD_INPUT;
    str text = {0};
    str_printf(&text, "%s: %u transactions, %u shared variables\n%s: its queries\n", s->opt.output, p->transactions.len,
               p->variables.len, queries_path(s));
    session_say(s, &text);
    return EXIT_HOLDS;
}

static int make_pstm(session *s, const char *path) {
    pstm p = {0};
    size_t size;
    str automata = {0}, queries = {0};
    const char *text = front_read(s->opt.memory, s->messages, path, (span){0}, LARGEST_TEXT, &size);
    int code = EXIT_BAD_INPUT;
    if (text && pstm_read(&p, s->messages, path, text, size)) {
        pstm_sort(&p);
        pstm_write_model(&p, path, &automata);
        pstm_write_queries(&p, path, &queries);
        code = make_write(s, &p, &automata, &queries);
    }
    str_free(&automata);
    str_free(&queries);
    if (text) pstm_free(&p);
    return code;
}

static int make_command_run(session *s) {
    if (s->opt.output && !str_ends(s->opt.output, ".xta"))
        return session_error(s, "a model of this family is a file .xta, not '%s'", s->opt.output), EXIT_BAD_INPUT;
    return make_pstm(s, s->file);
}

static const char make_details[] =
    "Writes a model of a family from a small text, whose first word names the family. There is one, pstm:\n"
    "transactions on the Python STM of Kordic, Popovic and Ghilezan, as timed automata. The text names the\n"
    "transactions, their shapes (cyclic or linear, aligned or drift), times, and what they share:\n"
    "\n"
    "  pstm cyclic aligned\n"
    "  times read 1 process 1 write 1\n"
    "  transactions 4                          # 1, 2, 3, 4\n"
    "  transaction B linear process 3 reads x writes x y\n"
    "  conflict 1 - 2                          # both read and write a variable of their own\n"
    "  share x 2 3 4                           # they read and write x; `all` are all so far\n"
    "\n"
    "The queries of the paper, with the earliest and latest times of commits, go to MODEL.q. Without -o the\n"
    "model goes to standard output. doc/timed.md has more.\n"
    "\n"
    "Examples:\n"
    "  parvis make models/pstm/row.txt -o row.xta\n"
    "  parvis make models/pstm/row.txt\n";

const command make_command = {
    .name = "make",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .summary = "a model of a family, from a small text",
    .details = make_details,
    .takes = OPTION_BIT(OUTPUT),
    .run = make_command_run,
};
