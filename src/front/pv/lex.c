// SPDX-License-Identifier: Apache-2.0
// Bytes to tokens. Takes any bytes: what cannot begin a token is reported, one message a run of such bytes,
// and skipped. The list always ends with three TOK_END, so that the parser may look two tokens ahead.
#include "front/pv/internal.h"

#include <string.h>

typedef struct {
    pv_front *f;
    uint32_t file;
    const char *text;
    size_t size, pos;
    size_t line_begin;  // where the line of pos begins
    size_t last_end;    // where the last token ended, to see whether a token starts its line
    size_t counted;     // up to here the columns of the line are counted
    uint32_t column;
    pv_tokens *out;
} lexer;

typedef struct {
    const char *text;
    pv_tok kind;
} spelling;

static const spelling keywords[] = {
#define X(id, text) {text, TOK_##id},
    PV_KEYWORDS(X)
#undef X
#define X(id, text) {text, TOK_##id},
        PV_WORD_SYMBOLS(X)
#undef X
};

static const spelling symbols[] = {{"∀", TOK_FORALL}, {"∃", TOK_EXISTS}, {"∧", TOK_AND}, {"∨", TOK_OR}, {"¬", TOK_NOT},
                                   {"→", TOK_ARROW},  {"↔", TOK_IFF},    {"≠", TOK_NE},  {"≤", TOK_LE}, {"≥", TOK_GE},
#define X(id, text) {text, TOK_##id},
                                   PV_SYMBOLS(X)
#undef X
};

const char *pv_tok_text(pv_tok kind) {
    static const char *const names[TOK_COUNT] = {
        [TOK_END] = "the end of the file", [TOK_NAME] = "a name",     [TOK_HOLE] = "'_'",
        [TOK_NUMBER] = "a number",         [TOK_STRING] = "a string",
#define X(id, text) [TOK_##id] = "'" text "'",
        PV_KEYWORDS(X) PV_SYMBOLS(X)
#undef X
    };
    return names[kind];
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

static span pv_here(const lexer *l, size_t begin) { return (span){l->file, (uint32_t)begin, (uint32_t)l->pos}; }
static char pv_peek(const lexer *l, size_t ahead) { return l->pos + ahead < l->size ? l->text[l->pos + ahead] : '\0'; }

static void pv_step(lexer *l) {
    if (l->text[l->pos] == '\n') l->line_begin = l->pos + 1;
    l->pos++;
}

// Goes on from where it counted last: a line of a million tokens is still counted once.
static uint32_t pv_column_of(lexer *l, size_t begin) {
    if (l->counted < l->line_begin) {
        l->counted = l->line_begin;
        l->column = 1;
    }
    for (; l->counted < begin; l->counted++) l->column += ((unsigned char)l->text[l->counted] & 0xC0) != 0x80;
    return l->column;
}

static pv_token *pv_add(lexer *l, pv_tok kind, size_t begin) {
    bool starts_line = l->last_end <= l->line_begin;
    vec_push(l->out, (pv_token){kind, pv_here(l, begin), starts_line, pv_column_of(l, begin), NULL, 0});
    l->last_end = l->pos;
    return &vec_last(l->out);
}

static void skip_line_comment(lexer *l) {
    while (l->pos < l->size && l->text[l->pos] != '\n') l->pos++;
}

static void skip_block_comment(lexer *l) {
    size_t begin = l->pos;
    l->pos += 2;
    while (l->pos < l->size && !(pv_peek(l, 0) == '*' && pv_peek(l, 1) == '/')) pv_step(l);
    if (l->pos < l->size) {
        l->pos += 2;
        return;
    }
    diag_error(l->f->messages, (span){l->file, (uint32_t)begin, (uint32_t)begin + 2},
               "this comment is never closed: '*/' is missing");
}

static void lex_word(lexer *l) {
    size_t begin = l->pos;
    while (l->pos < l->size && (is_letter(l->text[l->pos]) || is_digit(l->text[l->pos]))) l->pos++;
    const char *word = arena_strn(l->f->memory, l->text + begin, l->pos - begin);
    pv_tok kind = str_same(word, "_") ? TOK_HOLE : TOK_NAME;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (str_same(word, keywords[i].text)) kind = keywords[i].kind;
    pv_add(l, kind, begin)->text = word;
}

static int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// One character of a quoted name; false: no such escape.
static bool lex_quoted_char(lexer *l, str *name) {
    char c = l->text[l->pos++];
    if (c != '\\') {
        str_char(name, c);
        return c != '\0';
    }
    char next = pv_peek(l, 0);
    int high = next == 'x' ? hex_digit(pv_peek(l, 1)) : -1, low = high >= 0 ? hex_digit(pv_peek(l, 2)) : -1;
    if (next == '`' || next == '\\') str_char(name, next);
    else if (next == 'n') str_char(name, '\n');
    else if (low >= 0 && high + low > 0) str_char(name, (char)(high * 16 + low));
    else return false;
    l->pos += next == 'x' ? 3 : 1;
    return true;
}

// `any text`: a name, whatever it looks like (model/keywords.h).
static void lex_quoted(lexer *l) {
    size_t begin = l->pos++;
    str name = {0};
    bool ok = true;
    while (ok && l->pos < l->size && l->text[l->pos] != '`' && l->text[l->pos] != '\n') ok = lex_quoted_char(l, &name);
    if (!ok) diag_error(l->f->messages, pv_here(l, begin), "this name has an escape that means nothing");
    else if (pv_peek(l, 0) == '`') l->pos++;
    else diag_error(l->f->messages, pv_here(l, begin), "this name is never closed: '`' is missing");
    if (ok && !name.len) diag_error(l->f->messages, pv_here(l, begin), "a name cannot be empty");
    pv_add(l, TOK_NAME, begin)->text = arena_strn(l->f->memory, str_get(&name), name.len);
    str_free(&name);
}

static void lex_number(lexer *l) {
    size_t begin = l->pos;
    uint64_t n = 0;
    bool overflow = false;
    for (; l->pos < l->size && is_digit(l->text[l->pos]); l->pos++) {
        uint64_t digit = (uint64_t)(l->text[l->pos] - '0');
        overflow |= n > (UINT64_MAX - digit) / 10;
        n = n * 10 + digit;
    }
    if (l->pos < l->size && is_letter(l->text[l->pos])) {
        while (l->pos < l->size && (is_letter(l->text[l->pos]) || is_digit(l->text[l->pos]))) l->pos++;
        diag_error(l->f->messages, pv_here(l, begin), "a name cannot begin with a digit");
    } else if (overflow) {
        diag_error(l->f->messages, pv_here(l, begin), "this number is too large");
    }
    pv_add(l, TOK_NUMBER, begin)->number = overflow ? 0 : n;
}

static void lex_string(lexer *l) {
    size_t begin = l->pos++;
    while (l->pos < l->size && l->text[l->pos] != '"' && l->text[l->pos] != '\n') l->pos++;
    const char *text = arena_strn(l->f->memory, l->text + begin + 1, l->pos - begin - 1);
    if (memchr(l->text + begin, '\0', l->pos - begin))
        diag_error(l->f->messages, pv_here(l, begin), "this string has a zero byte in it");
    if (pv_peek(l, 0) == '"') l->pos++;
    else diag_error(l->f->messages, pv_here(l, begin), "this string is never closed: '\"' is missing");
    pv_add(l, TOK_STRING, begin)->text = text;
}

static bool lex_symbol(lexer *l) {
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t n = strlen(symbols[i].text);
        if (n > l->size - l->pos || memcmp(l->text + l->pos, symbols[i].text, n) != 0) continue;
        size_t begin = l->pos;
        l->pos += n;
        pv_add(l, symbols[i].kind, begin);
        return true;
    }
    return false;
}

// How many bytes the UTF-8 character at pos has; 0: it is not one.
static size_t pv_utf8_length(const lexer *l) {
    unsigned char c = (unsigned char)l->text[l->pos];
    size_t n = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    if (n > l->size - l->pos) return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)l->text[l->pos + i] & 0xC0) != 0x80) return 0;
    return n;
}

static bool is_stray(const lexer *l) {
    char c = l->text[l->pos];
    if (is_blank(c) || is_letter(c) || is_digit(c)) return false;
    return c == '\0' || !strchr("(){},;:.=<>&|!+-*/%\"`", c);
}

static void lex_stray(lexer *l) {
    size_t begin = l->pos, n = pv_utf8_length(l);
    unsigned char c = (unsigned char)l->text[l->pos];
    l->pos += n ? n : 1;
    if (n == 0) diag_error(l->f->messages, pv_here(l, begin), "byte 0x%02x is not valid UTF-8", c);
    else if (c < ' ' || c == 0x7f)
        diag_error(l->f->messages, pv_here(l, begin), "unexpected control character 0x%02x", c);
    else diag_error(l->f->messages, pv_here(l, begin), "unexpected character '%.*s'", (int)n, l->text + begin);
    while (l->pos < l->size && is_stray(l)) {
        size_t old = l->pos;
        if (lex_symbol(l)) return;
        l->pos = old + 1;
    }
}

static void lex_one(lexer *l) {
    char c = l->text[l->pos];
    if (is_blank(c)) pv_step(l);
    else if (c == '/' && pv_peek(l, 1) == '/') skip_line_comment(l);
    else if (c == '/' && pv_peek(l, 1) == '*') skip_block_comment(l);
    else if (is_letter(c)) lex_word(l);
    else if (is_digit(c)) lex_number(l);
    else if (c == '"') lex_string(l);
    else if (c == '`') lex_quoted(l);
    else if (!lex_symbol(l)) lex_stray(l);
}

void pv_lex(pv_front *f, uint32_t file, pv_tokens *out) {
    lexer l = {.f = f, .file = file, .column = 1, .out = out};
    l.text = diag_file_text(f->messages, file, &l.size);
    // A byte order mark that editors of other systems leave.
    if (l.size >= 3 && memcmp(l.text, "\xEF\xBB\xBF", 3) == 0) l.pos = l.line_begin = l.last_end = l.counted = 3;
    while (l.pos < l.size) lex_one(&l);
    for (int i = 0; i < 3; i++) pv_add(&l, TOK_END, l.pos);
}
