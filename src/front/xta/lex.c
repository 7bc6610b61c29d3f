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

// A number with a fraction or an exponent has a text that says so; what it may be used for is decided later. One that
// is too large stays above every number that there is.
static void xta_digits(cursor *c, token *t) {
    const char *d = t->text;
    for (; isdigit((unsigned char)*d); d++) t->number = t->number > INT32_MAX ? t->number : t->number * 10 + (*d - '0');
    if (*d && *d != '.' && *d != 'e' && *d != 'E') diag_error(c->messages, t->at, "'%s' is not a number", t->text);
}

static size_t skip_digits(const cursor *c, size_t i) {
    while (i < c->size && isdigit((unsigned char)c->text[i])) i++;
    return i;
}

static bool digit_at(const cursor *c, size_t i) { return i < c->size && isdigit((unsigned char)c->text[i]); }

static size_t number_end(const cursor *c, size_t i) {
    i = skip_digits(c, i);
    if (i < c->size && c->text[i] == '.' && digit_at(c, i + 1)) i = skip_digits(c, i + 1);
    if (i < c->size && (c->text[i] == 'e' || c->text[i] == 'E')) {
        size_t sign = i + 1 < c->size && strchr("+-", c->text[i + 1]) ? 1 : 0;
        if (digit_at(c, i + 1 + sign)) return skip_digits(c, i + 1 + sign);
    }
    while (i < c->size && (isalnum((unsigned char)c->text[i]) || c->text[i] == '_')) i++;
    return i;
}

static size_t xta_special(cursor *c, size_t begin) {
    size_t i = begin;
    if (c->text[i] == '"') {
        for (i++; i < c->size && c->text[i] != '"' && c->text[i] != '\n'; i++) continue;
        i += i < c->size;
    } else if (isdigit((unsigned char)c->text[i])) {
        i = number_end(c, i);
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
