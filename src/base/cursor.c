// SPDX-License-Identifier: Apache-2.0
// Tokens, and a place among them: see cursor.h.
#include "base/cursor.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

// ---- text to tokens

span cursor_span(const cursor *c, size_t begin, size_t end) { return (span){c->file, (uint32_t)begin, (uint32_t)end}; }

token *cursor_put(cursor *c, token_kind kind, size_t begin, size_t end, const char *text) {
    vec_push(&c->tokens, (token){.kind = kind, .at = cursor_span(c, begin, end), .text = text, .key = ""});
    return &vec_last(&c->tokens);
}

static bool cursor_begins(const cursor *c, size_t i, const char *text) {
    size_t n = strlen(text);
    return n <= c->size - i && memcmp(c->text + i, text, n) == 0;
}

static size_t cursor_skip_comment(cursor *c, size_t i) {
    size_t begin = i;
    for (i += 2; i + 1 < c->size; i++)
        if (c->text[i] == '*' && c->text[i + 1] == '/') return i + 2;
    diag_error(c->messages, cursor_span(c, begin, begin + 2), "this comment is never closed: '*/' is missing");
    return c->size;
}

static size_t cursor_skip_blanks(cursor *c, size_t i) {
    const cursor_language *l = c->language;
    for (; i < c->size; i++) {
        if (isspace((unsigned char)c->text[i]) || (l->blank && c->text[i] == l->blank)) continue;
        if (cursor_begins(c, i, l->comment)) {
            while (i < c->size && c->text[i] != '\n') i++;
        } else if (l->has_comments && cursor_begins(c, i, "/*")) {
            i = cursor_skip_comment(c, i);
        } else {
            return i;
        }
        i--;
    }
    return i;
}

static bool cursor_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *cursor_small_letters(cursor *c, const char *word) {
    const char *upper = word;
    while (*upper && !isupper((unsigned char)*upper)) upper++;
    if (!*upper) return word;
    char *key = arena_str(c->memory, word);
    for (char *k = key; *k; k++) *k = (char)tolower((unsigned char)*k);
    return key;
}

static size_t cursor_read_word(cursor *c, size_t begin) {
    size_t i = begin;
    while (i < c->size && cursor_is_word(c->text[i])) i++;
    bool is_number = isdigit((unsigned char)c->text[begin]);
    const char *text = arena_strn(c->memory, c->text + begin, i - begin);
    token *t = cursor_put(c, is_number ? TOKEN_NUMBER : TOKEN_WORD, begin, i, text);
    if (is_number) return i;
    t->key = c->language->ignores_case ? cursor_small_letters(c, text) : text;
    for (const char *const *w = c->language->reserved; *w && !t->is_reserved; w++) t->is_reserved = token_is(t, *w);
    return i;
}

static size_t cursor_read_symbol(cursor *c, size_t i) {
    const cursor_language *l = c->language;
    for (const char *const *s = l->symbols; *s; s++)
        if (**s == c->text[i] && cursor_begins(c, i, *s)) {
            size_t end = i + strlen(*s);
            cursor_put(c, TOKEN_SYMBOL, i, end, *s)->key = *s;
            return end;
        }
    if (!c->text[i] || !strchr(l->characters, c->text[i])) {
        diag_error(c->messages, cursor_span(c, i, i + 1), "a character that has no meaning here");
        return i + 1;
    }
    const char *text = arena_strn(c->memory, c->text + i, 1);
    cursor_put(c, TOKEN_SYMBOL, i, i + 1, text)->key = text;
    return i + 1;
}

bool cursor_read(cursor *c, size_t from) {
    uint32_t errors = diag_errors(c->messages);
    for (size_t i = from; (i = cursor_skip_blanks(c, i)) < c->size;) {
        size_t end = c->language->special ? c->language->special(c, i) : i;
        i = end > i ? end : cursor_is_word(c->text[i]) ? cursor_read_word(c, i) : cursor_read_symbol(c, i);
    }
    cursor_put(c, TOKEN_END, c->size, c->size, "");
    return diag_errors(c->messages) == errors;
}

void cursor_free(cursor *c) { vec_free(&c->tokens); }

// ---- looking and taking

bool token_is(const token *t, const char *key) { return *t->key == *key && strcmp(t->key, key) == 0; }

bool cursor_sees(const cursor *c, const char *key) { return !c->failed && token_is(cursor_peek(c), key); }

const token *cursor_take(cursor *c) {
    const token *t = cursor_peek(c);
    c->next += t->kind != TOKEN_END;
    return t;
}

bool cursor_accept(cursor *c, const char *key) {
    if (!cursor_sees(c, key)) return false;
    c->next++;
    return true;
}

void cursor_fail(cursor *c, span at, const char *format, ...) {
    if (c->failed) return;
    va_list args;
    va_start(args, format);
    diag_verror(c->messages, at, format, args);
    va_end(args);
    c->failed = true;
}

void cursor_wrong(cursor *c, const char *wanted) {
    const token *t = cursor_peek(c);
    if (t->kind == TOKEN_END) cursor_fail(c, t->at, "%s expected, but the text ends", wanted);
    else cursor_fail(c, t->at, "%s expected, found '%s'", wanted, t->text);
}

bool cursor_expect(cursor *c, const char *key) {
    if (cursor_accept(c, key)) return true;
    if (!c->failed) cursor_wrong(c, arena_printf(c->memory, "'%s'", key));
    return false;
}

bool cursor_sees_name(const cursor *c) {
    const token *t = cursor_peek(c);
    return !c->failed && t->kind == TOKEN_WORD && !t->is_reserved;
}

const token *cursor_name(cursor *c, const char *wanted) {
    if (cursor_sees_name(c)) return cursor_take(c);
    cursor_wrong(c, wanted);
    return cursor_peek(c);
}

bool cursor_enter(cursor *c) {
    int most = c->language->deepest;
    if ((int)++c->depth > most)
        cursor_fail(c, cursor_peek(c)->at, "this is nested too deeply (more than %d levels)", most);
    return !c->failed;
}

span span_join(span a, span b) { return (span){a.file, a.begin, b.end > a.end ? b.end : a.end}; }
