// SPDX-License-Identifier: Apache-2.0
// Words and symbols of UPPAAL's languages, and their numbers and strings; comments // and /* */, in queries also a
// backslash that joins lines.
#include "front/xta/internal.h"

#include <ctype.h>
#include <string.h>

static const char *const symbols[] = {
    "-u->", "-->", "<<=", ">>=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "++",
    "--",   "&&",  "||",  "==",  "!=", "<=", ">=", "<?", ">?", "<<", ">>", "[]", "<>", NULL};

static const char *const keywords[] = {
    "int",     "bool",     "clock",     "chan",        "void",   "scalar", "struct",  "typedef", "const",
    "meta",    "urgent",   "broadcast", "if",          "else",   "while",  "do",      "for",     "return",
    "process", "state",    "commit",    "init",        "trans",  "select", "guard",   "sync",    "assign",
    "system",  "true",     "false",     "forall",      "exists", "sum",    "and",     "or",      "not",
    "imply",   "deadlock", "priority",  "branchpoint", "hybrid", "double", "dynamic", "spawn",   NULL};

static void xta_digits(cursor *c, token *t) {
    for (const char *d = t->text; *d; d++) {
        if (!isdigit((unsigned char)*d)) {
            bool is_float = *d == 'e' || *d == 'E';
            if (is_float) diag_error(c->messages, t->at, "floating-point numbers are not supported");
            else diag_error(c->messages, t->at, "'%s' is not a number", t->text);
            return;
        }
        t->number = t->number * 10 + (*d - '0');
        if (t->number <= INT32_MAX) continue;
        diag_error(c->messages, t->at, "the number is too large");
        return;
    }
}

static size_t xta_special(cursor *c, size_t begin) {
    size_t i = begin;
    if (c->text[i] == '"') {
        for (i++; i < c->size && c->text[i] != '"' && c->text[i] != '\n'; i++) continue;
        i += i < c->size;
    } else if (isdigit((unsigned char)c->text[i])) {
        while (i < c->size && (isalnum((unsigned char)c->text[i]) || c->text[i] == '_')) i++;
    } else {
        return begin;
    }
    bool is_number = c->text[begin] != '"';
    const char *text = arena_strn(c->memory, c->text + begin, i - begin);
    token *t = cursor_put(c, is_number ? TOKEN_NUMBER : TOKEN_STRING, begin, i, text);
    if (is_number) xta_digits(c, t);
    return i;
}

const cursor_language xta_language = {.symbols = symbols,
                                      .characters = "()[]{},.:;=<>|&!?+-*/%^'@#~",
                                      .reserved = keywords,
                                      .comment = "//",
                                      .has_comments = true,
                                      .blank = '\\',
                                      .deepest = FRONT_DEEPEST,
                                      .special = xta_special};
