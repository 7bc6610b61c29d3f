// SPDX-License-Identifier: Apache-2.0
// The text form of recorded histories (.hist): the events of history_text.c, with times.
//
//   initial 0                       what a register holds that nobody has written (0 unless said)
//   initial x = 5
//   open(1)@100..105                called at 100, answered at 105
//   read(1,x,5)@110..112 write(1,y,6)@115..115
//   commit(1)@120..130
//   open(2)@118..119 commit(2)@140..    called at 140, never answered: commit-pending
//   nt_write(2,x,7)@150             a transaction of its own, at one instant
//   append(3,l,4) read(3,l,[1 2 4]) lists
//   read(4,"a key",0)               names with other characters are quoted; \" \\ \n and \x7F stand for bytes
//   left(3)                         its session goes on, and no answer came: live, or commit-pending
//   commit_call(3)                  instants: commit is called here, and answered at the next commit(3) or abort(3)
//
// Without times, the order of the text is that of the events; after the word `untimed`, only that of each session.
#include "history/format.h"
#include "history/said.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    recording *r;
    const char *text;
    size_t size, pos;
    str quoted;  // the last quoted name, decoded
    said_times times;
} reader;

typedef struct {
    const char *text;
    size_t size;
} word;

static inline bool recorded_is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
           c == '+' || c == '.';
}

// ---- the text

static char recorded_peek(const reader *r) { return r->pos < r->size ? r->text[r->pos] : '\0'; }

static bool recorded_at_comment(const reader *r) {
    char c = recorded_peek(r);
    return c == '#' || (c == '/' && r->pos + 1 < r->size && r->text[r->pos + 1] == '/');
}

static void recorded_skip(reader *r) {
    for (;;) {
        char c;
        while (r->pos < r->size && (c = r->text[r->pos], c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ';'))
            r->pos++;
        if (!recorded_at_comment(r)) return;
        while (r->pos < r->size && r->text[r->pos] != '\n') r->pos++;
    }
}

static bool recorded_wrong(reader *r, size_t begin, const char *what) {
    size_t end = r->pos > begin ? r->pos : begin + 1;
    return recording_wrong(r->r, begin, end < r->size ? end : r->size, "%s", what);
}

static word recorded_word(reader *r) {
    size_t begin = r->pos;
    while (r->pos < r->size && recorded_is_word(r->text[r->pos])) r->pos++;
    return (word){r->text + begin, r->pos - begin};
}

static bool recorded_take(reader *r, char c) {
    recorded_skip(r);
    if (r->pos >= r->size || r->text[r->pos] != c) return false;
    r->pos++;
    return true;
}

static int recorded_hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// After a backslash: the byte that is meant; -1 if none is.
static int recorded_escape(reader *r) {
    char c = recorded_peek(r);
    r->pos++;
    if (c == '"' || c == '\\') return c;
    if (c == 'n') return '\n';
    if (c != 'x' || r->pos + 1 >= r->size) return -1;
    int high = recorded_hex(r->text[r->pos]), low = recorded_hex(r->text[r->pos + 1]);
    r->pos += 2;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static bool recorded_quoted(reader *r, word *out) {
    size_t begin = r->pos++;
    str_clear(&r->quoted);
    while (r->pos < r->size && r->text[r->pos] != '"' && r->text[r->pos] != '\n') {
        int c = (unsigned char)r->text[r->pos++];
        if (c == '\\' && (c = recorded_escape(r)) < 0)
            return recorded_wrong(r, begin, "\\\" \\\\ \\n or \\x7F expected");
        str_char(&r->quoted, (char)c);
    }
    if (recorded_peek(r) != '"') return recorded_wrong(r, begin, "this name has no end: '\"' expected");
    r->pos++;
    *out = (word){str_get(&r->quoted), r->quoted.len};
    return true;
}

// A name: a word, or quoted.
static bool recorded_name(reader *r, word *out, const char *otherwise) {
    recorded_skip(r);
    if (recorded_peek(r) == '"' && r->pos < r->size) return recorded_quoted(r, out);
    *out = recorded_word(r);
    return out->size || recorded_wrong(r, r->pos, otherwise);
}

static bool recorded_argument(reader *r, char before, word *out) {
    if (!recorded_take(r, before))
        return recorded_wrong(r, r->pos, before == '(' ? "'(' and a client expected" : "',' expected");
    return recorded_name(r, out, "a name or a number expected");
}

// ---- one event

static bool read_list_value(reader *r, said *e) {
    e->is_list = true;
    e->value = 0;
    for (r->pos++; !recorded_take(r, ']');) {
        word w;
        if (!recorded_name(r, &w, "an element of the list or ']' expected")) return false;
        e->value = recording_list(r->r, e->value, recording_value(r->r, w.text, w.size));
        recorded_take(r, ',');
    }
    return true;
}

static bool read_key_and_value(reader *r, said *e) {
    word w;
    if (!recorded_argument(r, ',', &w)) return false;
    e->key = recording_key(r->r, w.text, w.size);
    size_t before = r->pos;
    bool is_read = e->kind == SAID_READ || e->kind == SAID_NT_READ;
    if (is_read && recorded_take(r, ',') && (recorded_skip(r), recorded_peek(r) == '[')) return read_list_value(r, e);
    r->pos = before;
    if (!recorded_argument(r, ',', &w)) return false;
    e->value = recording_value(r->r, w.text, w.size);
    return true;
}

static bool read_time(reader *r, uint64_t *out) {
    size_t begin = r->pos;
    uint64_t n = 0;
    for (; r->pos < r->size && r->text[r->pos] >= '0' && r->text[r->pos] <= '9'; r->pos++) {
        uint64_t digit = (uint64_t)(r->text[r->pos] - '0');
        if (n > (UINT64_MAX - 1 - digit) / 10) return recorded_wrong(r, begin, "this time has more than 64 bits");
        n = n * 10 + digit;
    }
    *out = n;
    return r->pos > begin || recorded_wrong(r, begin, "a time expected: a number without a sign or a point");
}

// "@CALL..ANSWER", "@CALL..", "@TIME"
static bool read_given_times(reader *r, said *e) {
    e->is_answered = true;
    if (!read_time(r, &e->call)) return false;
    e->answer = e->call;
    if (r->pos + 1 >= r->size || r->text[r->pos] != '.' || r->text[r->pos + 1] != '.') return true;
    r->pos += 2;
    e->is_answered = r->pos < r->size && r->text[r->pos] >= '0' && r->text[r->pos] <= '9';
    return !e->is_answered || read_time(r, &e->answer);
}

static bool read_times(reader *r, said *e) {
    e->has_times = r->pos < r->size && r->text[r->pos] == '@';
    if (!e->has_times) return true;
    r->pos++;
    return read_given_times(r, e);
}

static bool unknown_said(reader *r, size_t begin, word w) {
    str name = {0};
    str_add_visible(&name, w.text, w.size);
    const char *near = diag_nearest(str_get(&name), said_words, said_nwords);
    recording_wrong(r->r, begin, r->pos, "unknown event '%s'%s%s%s", str_get(&name), near ? ", did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    if (!near)
        diag_note(recording_messages(r->r), (span){0},
                  "events are open, read, write, append, commit_call, commit, abort, left, nt_read and nt_write, as "
                  "in read(1,x,0)");
    str_free(&name);
    return false;
}

static bool read_said(reader *r, size_t begin, word w) {
    said e = {.kind = said_find(w.text, w.size), .place = begin};
    word client;
    if (e.kind == SAID_KINDS) return unknown_said(r, begin, w);
    if (!recorded_argument(r, '(', &client)) return false;
    e.session = recording_session(r->r, client.text, client.size);
    if (said_has_key(e.kind) && !read_key_and_value(r, &e)) return false;
    if (!recorded_take(r, ')')) return recorded_wrong(r, r->pos, "')' expected");
    e.end = r->pos;
    return read_times(r, &e) && said_record(r->r, &r->times, &e);
}

static bool read_initial_value(reader *r) {
    word w;
    if (!recorded_name(r, &w, "a value, or an address and '=', expected")) return false;
    str first = {0};
    str_addn(&first, w.text, w.size);
    bool has_key = recorded_take(r, '='), good = !has_key || recorded_name(r, &w, "a value expected");
    if (good && !has_key) recording_initial_of_all(r->r, recording_value(r->r, w.text, w.size));
    if (good && has_key)
        recording_initial(r->r, recording_key(r->r, str_get(&first), first.len), recording_value(r->r, w.text, w.size));
    str_free(&first);
    return good;
}

static bool word_is(word w, const char *text) { return w.size == strlen(text) && memcmp(w.text, text, w.size) == 0; }

static bool read_recorded_item(reader *r) {
    size_t begin = r->pos;
    word w = recorded_word(r);
    if (!w.size) {
        r->pos++;
        return recorded_wrong(r, begin, "an event expected, such as read(1,x,0)");
    }
    if (word_is(w, "initial")) return read_initial_value(r);
    if (!word_is(w, "untimed")) return read_said(r, begin, w);
    r->times.is_untimed = true;
    return !r->times.has_kind || recorded_wrong(r, begin, "'untimed' comes before the first event");
}

// After a mistake the next line is read, so that several are reported.
bool text_read_recorded(recording *r, const format_source *from) {
    recording_file(r, from->path, from->text, from->size, false);
    if (from->size >= UINT32_MAX) return recording_wrong(r, 0, 0, "this file is too large: over 4 GB");
    reader x = {.r = r, .text = from->text, .size = from->size};
    bool good = true;
    for (recorded_skip(&x); x.pos < x.size && !recording_is_over(r); recorded_skip(&x)) {
        if (read_recorded_item(&x)) continue;
        good = false;
        while (x.pos < x.size && x.text[x.pos] != '\n') x.pos++;
    }
    str_free(&x.quoted);
    return good;
}

// The loosest of all: it begins with an event, a word of ours, or nothing.
bool text_is_recorded(const format_source *from) {
    reader x = {.text = from->text, .size = from->size};
    if (str_ends(from->path, ".hist")) return true;
    recorded_skip(&x);
    word w = recorded_word(&x);
    if (!w.size) return x.pos >= x.size;
    return word_is(w, "initial") || word_is(w, "untimed") || said_find(w.text, w.size) != SAID_KINDS;
}

// ---- writing

static bool text_needs_quotes(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (!recorded_is_word(text[i])) return true;
    return size == 0;
}

static void write_name(const names *n, uint32_t name, str *out) {
    str raw = {0};
    names_add(n, name, &raw);
    const char *text = str_get(&raw);
    if (!text_needs_quotes(text, raw.len)) {
        str_addn(out, text, raw.len);
    } else {
        str_char(out, '"');
        for (size_t i = 0; i < raw.len; i++) {
            unsigned char c = (unsigned char)text[i];
            if (c == '"' || c == '\\') str_printf(out, "\\%c", c);
            else if (c < 32 || c == 127) str_printf(out, "\\x%02X", c);
            else str_char(out, (char)c);
        }
        str_char(out, '"');
    }
    str_free(&raw);
}

void text_add_list(const recorded *h, uint32_t list, void (*add_name)(const names *n, uint32_t name, str *out),
                   str *out) {
    uint32_t *elements, n;
    recorded_list_elements(h, list, &elements, &n);
    str_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) str_char(out, ' ');
        add_name(&h->values, elements[i], out);
    }
    str_char(out, ']');
    free(elements);
}

static void write_times(const recorded *h, uint64_t call, uint64_t answer, str *out) {
    if (!h->has_times) return;
    str_printf(out, "@%" PRIu64, call);
    if (answer == RECORDED_NEVER) str_add(out, "..");
    else if (answer != call) str_printf(out, "..%" PRIu64, answer);
}

static void text_add_op(const recorded *h, uint32_t session, const recorded_op *o, str *out) {
    static const char *const names_of[] = {"read", "write", "append", "read"};
    str_printf(out, "%s(", names_of[o->kind]);
    write_name(&h->sessions, session, out);
    str_char(out, ',');
    write_name(&h->keys, o->key, out);
    str_char(out, ',');
    if (o->kind == OP_READ_LIST) text_add_list(h, o->value, write_name, out);
    else write_name(&h->values, o->value, out);
    str_char(out, ')');
}

static void write_event(const recorded *h, const char *event, uint32_t session, uint64_t call, uint64_t answer,
                        str *out) {
    str_printf(out, "%s(", event);
    write_name(&h->sessions, session, out);
    str_char(out, ')');
    write_times(h, call, answer, out);
}

static void write_end(const recorded *h, const recorded_tx *x, str *out) {
    str_char(out, ' ');
    if (x->outcome == TX_LIVE) write_event(h, "left", x->session, x->begins, x->begins, out);
    else if (x->outcome == TX_COMMITTED) write_event(h, "commit", x->session, x->commits, x->ends, out);
    else if (x->outcome == TX_ABORTED) write_event(h, "abort", x->session, x->ends, x->ends, out);
    else {
        write_event(h, "commit_call", x->session, x->commits, x->commits, out);
        str_char(out, ' ');
        write_event(h, "left", x->session, x->commits, x->commits, out);
    }
}

void text_add_tx(const recorded *h, uint32_t tx, str *out) {
    const recorded_tx *x = &h->txs.data[tx];
    write_event(h, "open", x->session, x->begins, x->begins, out);
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        recorded_op o = recorded_get(h, i);
        str_char(out, ' ');
        text_add_op(h, x->session, &o, out);
        write_times(h, o.call, o.answer, out);
    }
    write_end(h, x, out);
    str_char(out, '\n');
}

void text_add_head(const recorded *h, str *out) {
    if (!h->has_times) str_add(out, "untimed\n");
    str_add(out, "initial ");
    write_name(&h->values, h->common, out);
    str_char(out, '\n');
    for (uint32_t k = 0; k < h->initial.len; k++) {
        if (!h->initial.data[k]) continue;
        str_add(out, "initial ");
        write_name(&h->keys, k, out);
        str_add(out, " = ");
        write_name(&h->values, h->initial.data[k] - 1, out);
        str_char(out, '\n');
    }
}

bool text_write_recorded(const recorded *h, FILE *out, const char **why) {
    str text = {0};
    bool good = true;
    (void)why;
    text_add_head(h, &text);
    for (uint32_t t = 0; good && t <= h->txs.len; t++) {
        good = fwrite(str_get(&text), 1, text.len, out) == text.len;
        str_clear(&text);
        if (t < h->txs.len) text_add_tx(h, t, &text);
    }
    str_free(&text);
    return good;
}
