// SPDX-License-Identifier: Apache-2.0
// Tokens of EDN: see edn.h. Nesting is kept in a string of closing brackets, so that no depth of it is too much.
#include "history/edn.h"

#include <string.h>

void edn_free(edn *e) { str_free(&e->brackets); }

bool edn_wrong(edn *e, edn_token t, const char *what) {
    size_t end = t.end > t.begin ? t.end : t.begin + 1;
    return recording_wrong(e->r, t.begin, end, "%s", what);
}

static bool edn_is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',' || c == '\f'; }
static bool edn_is_mark(char c) { return strchr("[](){}\";", c) != NULL && c; }

static void edn_skip_space(edn *e) {
    while (e->pos < e->size) {
        char c = e->text[e->pos];
        if (c == ';')
            while (e->pos < e->size && e->text[e->pos] != '\n') e->pos++;
        else if (edn_is_space(c)) e->pos++;
        else return;
    }
}

static edn_token edn_fail(edn *e, size_t begin, size_t end, const char *what) {
    edn_wrong(e, (edn_token){EDN_WRONG, begin, end}, what);
    e->pos = e->size;
    return (edn_token){EDN_WRONG, begin, end};
}

static edn_token edn_string(edn *e) {
    size_t begin = ++e->pos;
    while (e->pos < e->size && e->text[e->pos] != '"') e->pos += e->text[e->pos] == '\\' ? 2 : 1;
    if (e->pos >= e->size) return edn_fail(e, begin - 1, begin, "this string has no end");
    return (edn_token){EDN_STRING, begin, e->pos++};
}

static edn_token edn_word(edn *e) {
    size_t begin = e->pos;
    if (e->text[e->pos] == '\\') e->pos += e->size - e->pos > 1 ? 2 : 1;  // a character, which may be any
    while (e->pos < e->size && !edn_is_space(e->text[e->pos]) && !edn_is_mark(e->text[e->pos])) e->pos++;
    return (edn_token){EDN_WORD, begin, e->pos};
}

static edn_token edn_open(edn *e, size_t begin) {
    char c = e->text[e->pos++];
    str_char(&e->brackets, c == '[' ? ']' : c == '(' ? ')' : '}');
    return (edn_token){EDN_OPEN, begin, e->pos};
}

static edn_token edn_close(edn *e) {
    size_t at = e->pos, n = e->brackets.len;
    if (n == 0) return edn_fail(e, at, at + 1, "nothing is open that this could close");
    if (e->brackets.text[n - 1] != e->text[at])
        return edn_fail(e, at, at + 1, "this bracket closes another kind than was opened");
    e->brackets.text[--e->brackets.len] = '\0';
    e->pos++;
    return (edn_token){EDN_CLOSE, at, at + 1};
}

static edn_token edn_plain(edn *e) {
    if (e->pos >= e->size) {
        if (e->brackets.len) return edn_fail(e, e->size, e->size, "the file ends within a value");
        return (edn_token){EDN_END, e->size, e->size};
    }
    char c = e->text[e->pos];
    if (c == '[' || c == '(' || c == '{') return edn_open(e, e->pos);
    if (c == ']' || c == ')' || c == '}') return edn_close(e);
    return c == '"' ? edn_string(e) : edn_word(e);
}

bool edn_skip(edn *e, edn_token first) {
    size_t depth = e->brackets.len;
    if (first.kind != EDN_OPEN) return first.kind != EDN_WRONG && first.kind != EDN_END;
    while (e->brackets.len >= depth)
        if (edn_next(e).kind == EDN_WRONG) return false;
    return true;
}

// A value that #_ discards. What is in it is only counted: further #_ inside change nothing.
static bool edn_discard(edn *e, edn_token t) {
    size_t depth = e->brackets.len;
    if (t.kind == EDN_CLOSE || t.kind == EDN_END)
        return edn_fail(e, t.begin, t.end, "a value to discard expected"), false;
    while (t.kind == EDN_OPEN && e->brackets.len >= depth) {
        edn_skip_space(e);
        if (edn_plain(e).kind == EDN_WRONG) return false;
    }
    return t.kind != EDN_WRONG;
}

// '#' begins a set, a value to discard, or a tag before a value.
edn_token edn_next(edn *e) {
    uint32_t discard = 0;
    for (;;) {
        edn_skip_space(e);
        size_t begin = e->pos;
        char after = begin + 1 < e->size && e->text[begin] == '#' ? e->text[begin + 1] : '\0';
        if (after == '_') {
            e->pos += 2;
            discard++;
        } else if (after && after != '{') {
            e->pos++;
            edn_word(e);
        } else {
            if (after) e->pos++;
            edn_token t = after ? edn_open(e, begin) : edn_plain(e);
            if (!discard--) return t;
            if (!edn_discard(e, t)) return (edn_token){EDN_WRONG, begin, e->pos};
        }
    }
}

bool edn_is(const edn *e, edn_token t, const char *word) {
    size_t n = strlen(word);
    return t.kind == EDN_WORD && t.end - t.begin == n && memcmp(e->text + t.begin, word, n) == 0;
}

bool edn_opens(const edn *e, edn_token t, char bracket) { return t.kind == EDN_OPEN && e->text[t.begin] == bracket; }

// ---- names

// \u and four hexadecimal digits at `at`; bytes beyond ASCII stay as they are written.
static bool edn_unicode(const char *at, size_t left, str *out) {
    unsigned code = 0;
    if (left < 6 || at[1] != 'u') return false;
    for (uint32_t i = 2; i < 6; i++) {
        const char *digits = "0123456789abcdef", *d = strchr(digits, at[i] | 0x20);
        if (!d || !at[i]) return false;
        code = code * 16 + (unsigned)(d - digits);
    }
    if (code >= 128) return false;
    str_char(out, (char)code);
    return true;
}

void edn_name(const edn *e, edn_token t, str *out) {
    if (t.kind != EDN_STRING) {
        str_addn(out, e->text + t.begin, t.end - t.begin);
        return;
    }
    for (size_t i = t.begin; i < t.end; i++) {
        const char *at = e->text + i;
        size_t left = t.end - i;
        if (*at == '\\' && edn_unicode(at, left, out)) i += 5;
        else if (*at == '\\' && left > 1 && (at[1] == '"' || at[1] == '\\')) str_char(out, at[1]), i++;
        else str_char(out, *at);
    }
}
