// SPDX-License-Identifier: Apache-2.0
// EDN, the notation of Clojure's data, as far as histories need it: a stream of tokens; comments (;), discarded
// values (#_), tags (#name) and commas are left out.
#ifndef HISTORY_EDN_H
#define HISTORY_EDN_H

#include "base/str.h"
#include "history/recorded.h"

typedef enum {
    EDN_END,
    EDN_OPEN,   // [ ( { #{
    EDN_CLOSE,  // ] ) }
    EDN_STRING,
    EDN_WORD,  // numbers, symbols, keywords, characters, nil
    EDN_WRONG  // a message was given
} edn_kind;

typedef struct {
    edn_kind kind;
    size_t begin, end;  // of a string: without its quotes
} edn_token;

typedef struct {
    recording *r;  // for messages
    const char *text;
    size_t size, pos;
    str brackets;  // those that close what is open
} edn;

void edn_free(edn *e);
edn_token edn_next(edn *e);
// The rest of the value that begins with this token, which is not EDN_CLOSE. False after a mistake.
bool edn_skip(edn *e, edn_token first);
bool edn_is(const edn *e, edn_token t, const char *word);  // a word
bool edn_opens(const edn *e, edn_token t, char bracket);
// As a name: words as they are written, strings decoded.
void edn_name(const edn *e, edn_token t, str *out);
bool edn_wrong(edn *e, edn_token t, const char *what);

#endif
