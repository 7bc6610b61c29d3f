// SPDX-License-Identifier: Apache-2.0
// Bytes to tokens: what base/cursor reads, with the kinds of this language and with lines and columns, which count
// in lists (term.c). Takes any bytes: what cannot begin a token is reported, one message a run of such bytes, and
// is a token that fits nowhere. The list always ends with three TOK_END, so that the parser may look two tokens ahead.
#include "base/cursor.h"
#include "front/pv/internal.h"
#include "model/keywords.h"

#include <ctype.h>
#include <string.h>

#define STRAY "\x01"  // the key of what is no token

typedef struct {
    const char *text;
    pv_tok kind;
} spelling;

static const spelling spellings[] = {{"∀", TOK_FORALL},
                                     {"∃", TOK_EXISTS},
                                     {"∧", TOK_AND},
                                     {"∨", TOK_OR},
                                     {"¬", TOK_NOT},
                                     {"→", TOK_ARROW},
                                     {"↔", TOK_IFF},
                                     {"≠", TOK_NE},
                                     {"≤", TOK_LE},
                                     {"≥", TOK_GE},
                                     {"_", TOK_HOLE},
                                     {STRAY, TOK_STRAY},
#define X(id, text) {text, TOK_##id},
                                     PV_SYMBOLS(X) PV_KEYWORDS(X) PV_WORD_SYMBOLS(X)
#undef X
};

const char *pv_tok_text(pv_tok kind) {
    static const char *const names[TOK_COUNT] = {
        [TOK_END] = "the end of the file", [TOK_NAME] = "a name",     [TOK_HOLE] = "'_'",
        [TOK_NUMBER] = "a number",         [TOK_STRING] = "a string", [TOK_STRAY] = "this",
#define X(id, text) [TOK_##id] = "'" text "'",
        PV_KEYWORDS(X) PV_SYMBOLS(X)
#undef X
    };
    return names[kind];
}

// ---- what the cursor does not know

static int hex_digit(char c) { return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

static char byte_at(const cursor *c, size_t i) { return i < c->size ? c->text[i] : '\0'; }

// One character of a quoted name at *i, which goes on; false: no such escape.
static bool lex_quoted_char(const cursor *c, size_t *i, str *name) {
    char first = c->text[(*i)++], next = byte_at(c, *i);
    if (first != '\\') {
        str_char(name, first);
        return first != '\0';
    }
    int high = next == 'x' ? hex_digit(byte_at(c, *i + 1)) : -1, low = high >= 0 ? hex_digit(byte_at(c, *i + 2)) : -1;
    if (next == '`' || next == '\\') str_char(name, next);
    else if (next == 'n') str_char(name, '\n');
    else if (low >= 0 && high + low > 0) str_char(name, (char)(high * 16 + low));
    else return false;
    *i += next == 'x' ? 3 : 1;
    return true;
}

// `any text`: a name, whatever it looks like (model/keywords.h), so it has no key.
static size_t lex_quoted(cursor *c, size_t begin) {
    size_t i = begin + 1;
    str name = {0};
    bool ok = true;
    while (ok && i < c->size && c->text[i] != '`' && c->text[i] != '\n') ok = lex_quoted_char(c, &i, &name);
    span so_far = cursor_span(c, begin, i);
    bool is_closed = ok && byte_at(c, i) == '`';
    if (!ok) diag_error(c->messages, so_far, "this name has an escape that means nothing");
    else if (!is_closed) diag_error(c->messages, so_far, "this name is never closed: '`' is missing");
    i += is_closed;
    if (ok && !name.len) diag_error(c->messages, cursor_span(c, begin, i), "a name cannot be empty");
    cursor_put(c, TOKEN_WORD, begin, i, arena_strn(c->memory, str_get(&name), name.len));
    str_free(&name);
    return i;
}

static size_t lex_number(cursor *c, size_t begin) {
    size_t i = begin, digits;
    uint64_t n = 0;
    bool overflow = false;
    for (; isdigit((unsigned char)byte_at(c, i)); i++) {
        uint64_t digit = (uint64_t)(c->text[i] - '0');
        overflow |= n > (UINT64_MAX - digit) / 10;
        n = n * 10 + digit;
    }
    for (digits = i; isalnum((unsigned char)byte_at(c, i)) || byte_at(c, i) == '_'; i++) {}
    if (i > digits) diag_error(c->messages, cursor_span(c, begin, i), "a name cannot begin with a digit");
    else if (overflow) diag_error(c->messages, cursor_span(c, begin, i), "this number is too large");
    cursor_put(c, TOKEN_NUMBER, begin, i, "")->number = overflow ? 0 : (int64_t)n;
    return i;
}

static size_t lex_string(cursor *c, size_t begin) {
    size_t i = begin + 1;
    while (i < c->size && c->text[i] != '"' && c->text[i] != '\n') i++;
    const char *text = arena_strn(c->memory, c->text + begin + 1, i - begin - 1);
    if (memchr(c->text + begin, '\0', i - begin))
        diag_error(c->messages, cursor_span(c, begin, i), "this string has a zero byte in it");
    if (byte_at(c, i) == '"') i++;
    else diag_error(c->messages, cursor_span(c, begin, i), "this string is never closed: '\"' is missing");
    cursor_put(c, TOKEN_STRING, begin, i, text);
    return i;
}

// How many bytes the UTF-8 character at i has; 0: it is not one.
static size_t pv_utf8_length(const cursor *c, size_t i) {
    unsigned char b = (unsigned char)c->text[i];
    size_t n = b < 0x80 ? 1 : b >= 0xC2 && b < 0xE0 ? 2 : b >= 0xE0 && b < 0xF0 ? 3 : b >= 0xF0 && b < 0xF5 ? 4 : 0;
    if (n > c->size - i) return 0;
    for (size_t k = 1; k < n; k++)
        if (((unsigned char)c->text[i + k] & 0xC0) != 0x80) return 0;
    return n;
}

// No token and no blank begins here.
static bool is_stray(const cursor *c, size_t i) {
    if (isalnum((unsigned char)c->text[i]) || isspace((unsigned char)c->text[i])) return false;
    for (const char *const *s = c->language->symbols; *s; s++)
        if (**s == c->text[i] && strlen(*s) <= c->size - i && memcmp(*s, c->text + i, strlen(*s)) == 0) return false;
    return !c->text[i] || !strchr("_\"`", c->text[i]);
}

// Is there a '[' among the last tokens, and so a message about it?
static bool has_bracket_before(const cursor *c) {
    uint32_t n = c->tokens.len, least = n > 64 ? n - 64 : 0;
    while (n-- > least)
        if (c->text[c->tokens.data[n].at.begin] == '[') return true;
    return false;
}

// lock[v]: said once, and read as what was meant, so that the rest of the line is looked at too.
static bool lex_bracket(cursor *c, size_t begin) {
    bool opens =
        c->text[begin] == '[' && begin > 0 && (isalnum((unsigned char)c->text[begin - 1]) || c->text[begin - 1] == '_');
    bool closes = c->text[begin] == ']' && has_bracket_before(c);
    if (!opens && !closes) return false;
    if (opens)
        diag_error(c->messages, cursor_span(c, begin, begin + 1), "arguments are in parentheses, as in 'lock(v)'");
    cursor_put(c, TOKEN_SYMBOL, begin, begin + 1, opens ? "(" : ")")->key = opens ? "(" : ")";
    return true;
}

static size_t lex_stray(cursor *c, size_t begin) {
    size_t n = pv_utf8_length(c, begin), i = begin + (n ? n : 1);
    unsigned char b = (unsigned char)c->text[begin];
    span at = cursor_span(c, begin, i);
    if (n == 0) diag_error(c->messages, at, "byte 0x%02x is not valid UTF-8", b);
    else if (b < ' ' || b == 0x7f) diag_error(c->messages, at, "unexpected control character 0x%02x", b);
    else diag_error(c->messages, at, "unexpected character '%.*s'", (int)n, c->text + begin);
    cursor_put(c, TOKEN_SYMBOL, begin, i, STRAY)->key = STRAY;
    while (i < c->size && is_stray(c, i)) i++;
    return i;
}

static size_t lex_special(cursor *c, size_t i) {
    if (c->text[i] == '"') return lex_string(c, i);
    if (c->text[i] == '`') return lex_quoted(c, i);
    if (isdigit((unsigned char)c->text[i])) return lex_number(c, i);
    if (lex_bracket(c, i)) return i + 1;
    return is_stray(c, i) ? lex_stray(c, i) : i;
}

static const char *const symbols[] = {"∀",
                                      "∃",
                                      "∧",
                                      "∨",
                                      "¬",
                                      "→",
                                      "↔",
                                      "≠",
                                      "≤",
                                      "≥",
#define X(id, text) text,
                                      PV_SYMBOLS(X)
#undef X
                                          NULL};

static const cursor_language pv_language = {.symbols = symbols,
                                            .characters = "",
                                            .reserved = (const char *const[]){NULL},
                                            .comment = "//",
                                            .has_comments = true,
                                            .special = lex_special};

// ---- all of it

static pv_tok kind_of(const map *kinds, const token *t) {
    switch (t->kind) {
    case TOKEN_END: return TOK_END;
    case TOKEN_NUMBER: return TOK_NUMBER;
    case TOKEN_STRING: return TOK_STRING;
    default: return (pv_tok)map_get_str(kinds, t->key, TOK_NAME);
    }
}

// With the column of each, in characters, and whether it is the first of its line.
static void add_tokens(const cursor *c, size_t from, const map *kinds, pv_tokens *out) {
    uint32_t column = 1;
    size_t counted = from;
    bool starts_line = true;
    for (uint32_t i = 0; i < c->tokens.len; i++) {
        const token *t = &c->tokens.data[i];
        for (; counted < t->at.begin; counted++) {
            bool is_end = c->text[counted] == '\n';
            column = is_end ? 1 : column + (((unsigned char)c->text[counted] & 0xC0) != 0x80);
            starts_line |= is_end;
        }
        const char *text = t->kind == TOKEN_WORD || t->kind == TOKEN_STRING ? t->text : NULL;
        vec_push(out, (pv_token){kind_of(kinds, t), t->at, starts_line, column, text, (uint64_t)t->number});
        starts_line = false;
    }
}

void pv_lex(pv_front *f, uint32_t file, pv_tokens *out) {
    cursor c = {.language = &pv_language, .messages = f->messages, .memory = f->memory, .file = file};
    map *kinds = map_new();
    c.text = diag_file_text(f->messages, file, &c.size);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        map_put_str(kinds, spellings[i].text, spellings[i].kind);
    // A byte order mark that editors of other systems leave.
    size_t from = c.size >= 3 && memcmp(c.text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    cursor_read(&c, from);
    add_tokens(&c, from, kinds, out);
    pv_token end = vec_last(out);
    for (int i = 0; i < 2; i++) vec_push(out, end);
    cursor_free(&c);
    map_free(kinds);
}
