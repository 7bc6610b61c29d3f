// SPDX-License-Identifier: Apache-2.0
// The text form of histories (.hist): events as traces show them, in any layout, `//` and `#` to the end of
// the line.
//
//   initial 0                 what a location holds that nobody has written (0 unless said)
//   initial x = 5
//   open(1) read(1,x,5) write(1,y,6) commit(1)
//   nt_write(2,x,7)
//
// Names of clients, addresses and values are runs of letters, digits and `_ . - +`. Takes any bytes.
#include "history/history.h"

#include <string.h>

typedef struct {
    history *h;
    diag *messages;
    const char *text;
    size_t size, pos;
} reader;

typedef struct {
    const char *text;
    size_t size;
} word;

static bool text_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == '+';
}

static char text_peek(const reader *r) { return r->pos < r->size ? r->text[r->pos] : '\0'; }

static bool at_comment(const reader *r) {
    return text_peek(r) == '#' || (text_peek(r) == '/' && r->pos + 1 < r->size && r->text[r->pos + 1] == '/');
}

static void skip_blank(reader *r) {
    for (;;) {
        while (r->pos < r->size && memchr(" \t\r\n;", r->text[r->pos], 5)) r->pos++;
        if (!at_comment(r)) return;
        while (r->pos < r->size && r->text[r->pos] != '\n') r->pos++;
    }
}

static span from(const reader *r, size_t begin) {
    size_t end = r->pos > begin ? r->pos : begin + 1;
    return (span){r->h->file, (uint32_t)begin, (uint32_t)(end < r->size ? end : r->size)};
}

static bool text_wrong(reader *r, size_t begin, const char *what) {
    return diag_error(r->messages, from(r, begin), "%s", what);
}

static word take_word(reader *r) {
    size_t begin = r->pos;
    while (r->pos < r->size && text_is_word(r->text[r->pos])) r->pos++;
    return (word){r->text + begin, r->pos - begin};
}

static bool text_take(reader *r, char c) {
    skip_blank(r);
    if (text_peek(r) != c || r->pos >= r->size) return false;
    r->pos++;
    return true;
}

static bool take_argument(reader *r, char before, map *names, uint32_t *out) {
    if (!text_take(r, before))
        return text_wrong(r, r->pos, before == '(' ? "'(' and a client expected" : "',' expected");
    skip_blank(r);
    word w = take_word(r);
    if (!w.size) return text_wrong(r, r->pos, "a name or a number expected");
    *out = history_intern(names, w.text, w.size);
    return true;
}

static bool unknown_event(reader *r, size_t begin, word w) {
    const char *names[EVENT_KINDS + 1];
    for (uint32_t k = 0; k < EVENT_KINDS; k++) names[k] = event_kind_name((event_kind)k);
    names[EVENT_KINDS] = "initial";
    str name = {0};
    str_addn(&name, w.text, w.size);
    const char *near = diag_nearest(str_get(&name), names, EVENT_KINDS + 1);
    diag_error(r->messages, from(r, begin), "unknown event '%s'%s%s%s", str_get(&name), near ? ", did you mean '" : "",
               near ? near : "", near ? "'?" : "");
    if (!near)
        diag_note(r->messages, (span){0},
                  "events are open, read, write, commit, abort, nt_read and nt_write, as in read(1,x,0)");
    str_free(&name);
    return false;
}

static bool text_read_event(reader *r, size_t begin, word w) {
    event e = {.kind = event_kind_find(w.text, w.size)};
    if (e.kind == EVENT_KINDS) return unknown_event(r, begin, w);
    if (!take_argument(r, '(', r->h->clients, &e.client)) return false;
    if (event_is_access(e.kind) &&
        (!take_argument(r, ',', r->h->addresses, &e.address) || !take_argument(r, ',', r->h->values, &e.value)))
        return false;
    if (!text_take(r, ')')) return text_wrong(r, r->pos, "')' expected");
    e.begin = (uint32_t)begin;
    e.end = (uint32_t)r->pos;
    vec_push(&r->h->events, e);
    return true;
}

static bool text_read_initial(reader *r) {
    skip_blank(r);
    word first = take_word(r);
    if (!first.size) return text_wrong(r, r->pos, "a value, or an address and '=', expected");
    if (!text_take(r, '=')) {
        r->h->common = history_intern(r->h->values, first.text, first.size);
        return true;
    }
    skip_blank(r);
    word value = take_word(r);
    if (!value.size) return text_wrong(r, r->pos, "a value expected");
    history_set_initial(r->h, history_intern(r->h->addresses, first.text, first.size),
                        history_intern(r->h->values, value.text, value.size));
    return true;
}

static bool read_item(reader *r) {
    size_t begin = r->pos;
    word w = take_word(r);
    if (!w.size) {
        r->pos++;
        return text_wrong(r, begin, "an event expected, such as read(1,x,0)");
    }
    if (w.size == 7 && memcmp(w.text, "initial", 7) == 0) return text_read_initial(r);
    return text_read_event(r, begin, w);
}

// After a mistake the next line is read, so that several are reported.
bool history_read_text(history *h, diag *messages, const char *path, const char *text, size_t size) {
    if (size >= UINT32_MAX) return diag_error(messages, (span){0}, "cannot read '%s': it is too large", path);
    h->file = diag_add_file(messages, path, text, size);
    reader r = {.h = h, .messages = messages, .text = text, .size = size};
    bool good = true;
    for (skip_blank(&r); r.pos < r.size; skip_blank(&r)) {
        if (read_item(&r)) continue;
        good = false;
        while (r.pos < r.size && r.text[r.pos] != '\n') r.pos++;
    }
    return good;
}
