// SPDX-License-Identifier: Apache-2.0
// Tokens of UPPAAL's languages: words, numbers, symbols (the longest that fits); comments // and /* */, in
// queries also a backslash that joins lines.
#include "front/xta/internal.h"

#include <ctype.h>
#include <string.h>

static const char *const symbols[] = {
    "-->", "<<=", ">>=", "->", "-u->", ":=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=",
    "++",  "--",  "&&",  "||", "==",   "!=", "<=", ">=", "<?", ">?", "<<", ">>", "[]", "<>"};

static size_t symbol_length(const char *text, size_t left) {
    size_t best = 0;
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        size_t n = strlen(symbols[k]);
        if (n > best && n <= left && memcmp(text, symbols[k], n) == 0) best = n;
    }
    if (best) return best;
    return *text && strchr("()[]{},.:;=<>|&!?+-*/%^'@#~", *text) ? 1 : 0;
}

// Where the comment at i ends; i itself if there is none.
static size_t skip_comment(const char *text, size_t size, size_t i) {
    if (i + 1 >= size || text[i] != '/') return i;
    if (text[i + 1] == '/') {
        while (i < size && text[i] != '\n') i++;
    } else if (text[i + 1] == '*') {
        size_t k = i + 2;
        while (k + 1 < size && !(text[k] == '*' && text[k + 1] == '/')) k++;
        i = k + 2 < size ? k + 2 : size;
    }
    return i;
}

static size_t skip_blank(const char *text, size_t size, size_t i) {
    for (;;) {
        size_t before = i;
        while (i < size && (isspace((unsigned char)text[i]) || text[i] == '\\')) i++;
        i = skip_comment(text, size, i);
        if (i == before) return i;
    }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool lex_number(xta_file *f, span at, xta_token *t) {
    int64_t n = 0;
    for (const char *c = t->text; *c; c++) {
        if (!isdigit((unsigned char)*c)) {
            bool is_float = (*c == 'e' || *c == 'E') && c > t->text;
            if (is_float) diag_error(f->messages, at, "floating-point numbers are not supported");
            else diag_error(f->messages, at, "'%s' is no number", t->text);
            return false;
        }
        n = n * 10 + (*c - '0');
        if (n > INT32_MAX) {
            diag_error(f->messages, at, "the number is too large");
            return false;
        }
    }
    t->number = n;
    return true;
}

static size_t lex_string(const char *text, size_t size, size_t i) {
    for (i++; i < size && text[i] != '"' && text[i] != '\n'; i++) continue;
    return i < size ? i + 1 : i;
}

static size_t token_end(const char *text, size_t size, size_t i, xta_token_kind *kind) {
    if (text[i] == '"') {
        *kind = XT_STRING;
        return lex_string(text, size, i);
    }
    if (is_word(text[i])) {
        *kind = isdigit((unsigned char)text[i]) ? XT_NUMBER : XT_WORD;
        while (i < size && is_word(text[i])) i++;
        return i;
    }
    *kind = XT_SYMBOL;
    return i + symbol_length(text + i, size - i);
}

bool xta_lex(xta_file *f, uint32_t file, const char *text, size_t from, size_t size, xta_tokens *out) {
    bool ok = true;
    for (size_t i = from; (i = skip_blank(text, size, i)) < size;) {
        xta_token t = {0};
        size_t end = token_end(text, size, i, &t.kind);
        if (end == i) {
            diag_error(f->messages, (span){file, (uint32_t)i, (uint32_t)i + 1},
                       "a character that has no meaning here");
            ok = false;
            i++;
            continue;
        }
        t.at = (span){file, (uint32_t)i, (uint32_t)end};
        t.text = arena_strn(f->memory, text + i, end - i);
        if (t.kind == XT_NUMBER) ok &= lex_number(f, t.at, &t);
        vec_push(out, t);
        i = end;
    }
    vec_push(out, (xta_token){.kind = XT_END, .at = {file, (uint32_t)size, (uint32_t)size}, .text = ""});
    return ok;
}
