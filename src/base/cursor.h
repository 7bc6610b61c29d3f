// SPDX-License-Identifier: Apache-2.0
// Text as tokens, and a place among them, shared by the readers of our languages. A language is a table of its symbols
// and words; `special` reads what such a table cannot express (numbers of several bases, strings).
//
// Only the first mistake of a part is reported; after it nothing is seen or reported until `failed` is cleared:
// readers reach their end without checking. The tokens always end with TOKEN_END, which is never passed.
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/diag.h"
#include "base/vec.h"

typedef enum { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SYMBOL } token_kind;

typedef struct {
    token_kind kind;
    bool is_reserved;  // a word that is not a name
    span at;
    const char *text;  // as written; for a string, what is between its quotes
    const char *key;   // words and symbols: what to compare with, else ""
    int64_t number;
} token;

typedef struct cursor cursor;

typedef struct {
    const char *const *symbols;   // of several characters, the longest first, then NULL
    const char *characters;       // symbols of one
    const char *const *reserved;  // words that are not names, then NULL
    const char *comment;          // begins a comment that ends with its line
    bool has_comments;            // /* of this kind */
    bool ignores_case;            // of words, whose keys are in small letters
    char blank;                   // a character that counts as white space too, or '\0'
    int deepest;                  // see cursor_enter()
    // A token that begins here, put by cursor_put(), and where it ends; the place itself if it is none of these.
    size_t (*special)(cursor *c, size_t at);
} cursor_language;

struct cursor {
    const cursor_language *language;
    diag *messages;
    arena *memory;  // for texts; must outlive the tokens
    void *owner;    // whose text it is
    uint32_t file;
    const char *text;
    size_t size;
    VEC(token) tokens;
    uint32_t next, depth;
    bool failed;
};

// Reads a text from a place on; false after a mistake, which is reported. cursor_free() in any case.
bool cursor_read(cursor *c, size_t from);
void cursor_free(cursor *c);
token *cursor_put(cursor *c, token_kind kind, size_t begin, size_t end, const char *text);
span cursor_span(const cursor *c, size_t begin, size_t end);

static inline const token *cursor_ahead(const cursor *c, uint32_t n) {
    uint32_t i = c->next + n;
    return &c->tokens.data[i < c->tokens.len ? i : c->tokens.len - 1];
}

static inline const token *cursor_peek(const cursor *c) { return cursor_ahead(c, 0); }

bool token_is(const token *t, const char *key);
bool cursor_sees(const cursor *c, const char *key);
const token *cursor_take(cursor *c);                      // the next one, and on
bool cursor_accept(cursor *c, const char *key);           // takes it if it is there
bool cursor_expect(cursor *c, const char *key);           // or says that it is missing
bool cursor_sees_name(const cursor *c);                   // a word that is not reserved
const token *cursor_name(cursor *c, const char *wanted);  // takes one; if there is none, a message, and the token there
void cursor_wrong(cursor *c, const char *wanted);         // "… expected, found …"
void cursor_fail(cursor *c, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
// One level deeper: false, with a message, if the text is nested more deeply than the language allows. Whoever enters
// leaves by depth--, in any case.
bool cursor_enter(cursor *c);
span span_join(span a, span b);  // from the beginning of a to the end of the later one

#endif
