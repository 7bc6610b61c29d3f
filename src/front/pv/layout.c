// SPDX-License-Identifier: Apache-2.0
// A text set in our layout: the same tokens and comments on the same lines, with canonical blanks between them and
// lines indented by two columns a brace. Lines are never joined or broken, since the language looks at them.
//
// The first line of a declaration or statement stands two columns right of the line with the brace around it, or below
// what follows that brace on its line. A line that goes on with one keeps its place: below the token that it was
// aligned with, since lists of & and | are told by their columns (term.c), else at its old distance from the first
// line. Comments at the ends of lines keep their columns where there is room.
//
// After it a text is set as it is: everything above is then at its place already. Whether the meaning is the same is
// checked by whoever asks (pv_layout() itself sees that the tokens are).
#include "base/diag.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/pv/internal.h"
#include "front/pv/pv.h"

#include <ctype.h>
#include <string.h>

enum { INDENT = 2, COMMENT_GAP = 2, LOOK_BACK = 200 };
#define NOT_SET UINT32_MAX

typedef struct {
    pv_tok kind;  // TOK_COUNT: a comment
    uint32_t begin, end;
    uint32_t column, now;  // where it is and where it will be, in characters from 0
    bool is_apart;         // there is a blank before it
} piece;

// Pieces with no line break between them.
typedef struct {
    uint32_t first, count;
    bool is_after_blank;  // an empty line is before it
    bool is_fixed;        // a comment in it goes over several lines: it stays as it is
} row;

// Between two braces: where its lines begin, and the last line that was no continuation, which the next may go on with.
typedef struct {
    uint32_t base;
    uint32_t row, column, now;
} anchor;

typedef struct {
    const char *text;
    size_t size;
    VEC(piece) pieces;
    VEC(row) rows;
    VEC(anchor) anchors;  // one per depth of braces
    uint32_t parens;
    pv_tok last;      // token before the row
    size_t counted;   // up to where columns were counted…
    uint32_t column;  // …and the one there
    str *out;
    bool has_begun;
} setting;

// ---- pieces

// Places are asked for in the order of the text.
static uint32_t layout_column(setting *s, size_t at) {
    for (; s->counted < at; s->counted++) {
        bool is_end = s->text[s->counted] == '\n';
        s->column = is_end ? 0 : s->column + (((unsigned char)s->text[s->counted] & 0xC0) != 0x80);
    }
    return s->column;
}

static bool has_break(const setting *s, size_t from, size_t to) { return memchr(s->text + from, '\n', to - from); }

// An empty line: two breaks with nothing but blanks between them.
static bool has_empty_line(const setting *s, size_t from, size_t to) {
    const char *first = memchr(s->text + from, '\n', to - from);
    return first && memchr(first + 1, '\n', (size_t)(s->text + to - first - 1));
}

static void layout_add(setting *s, pv_tok kind, size_t begin, size_t end) {
    size_t before = s->pieces.len ? vec_last(&s->pieces).end : 0;
    while (kind == TOK_COUNT && end > begin && isspace((unsigned char)s->text[end - 1])) end--;
    piece p = {kind, (uint32_t)begin, (uint32_t)end, layout_column(s, begin), 0, begin > before};
    bool is_new = !s->rows.len || has_break(s, before, begin);
    if (is_new) vec_push(&s->rows, ((row){.first = s->pieces.len, .is_after_blank = has_empty_line(s, before, begin)}));
    vec_last(&s->rows).count++;
    vec_last(&s->rows).is_fixed |= kind == TOK_COUNT && has_break(s, begin, end);
    vec_push(&s->pieces, p);
}

// The comments between two tokens.
static void add_comments(setting *s, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (s->text[i] != '/') continue;
        bool is_line = s->text[i + 1] == '/';
        size_t end = i + 2;
        while (end < to &&
               (is_line ? s->text[end] != '\n' : s->text[end - 2] != '*' || s->text[end - 1] != '/' || end < i + 4))
            end++;
        layout_add(s, TOK_COUNT, i, end);
        i = end - 1;
    }
}

static void find_pieces(setting *s, const pv_tokens *tokens) {
    size_t at = s->size >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    s->counted = at;
    for (uint32_t i = 0; i < tokens->len && tokens->data[i].kind != TOK_END; i++) {
        const pv_token *t = &tokens->data[i];
        add_comments(s, at, t->at.begin);
        layout_add(s, t->kind, t->at.begin, t->at.end);
        at = t->at.end;
    }
    add_comments(s, at, s->size);
}

// ---- blanks in a line

static bool is_binary(pv_tok k) {
    switch (k) {
    case TOK_ASSIGN:
    case TOK_EQ:
    case TOK_NE:
    case TOK_LE:
    case TOK_GE:
    case TOK_LT:
    case TOK_GT:
    case TOK_AND:
    case TOK_OR:
    case TOK_ARROW:
    case TOK_IFF:
    case TOK_PARALLEL: return true;
    default: return false;
    }
}

static bool layout_is_word(const setting *s, const piece *p) { return isalpha((unsigned char)s->text[p->begin]); }

// is_spread: operators have blanks around them; sizes of expectations, Thread=2, are as they were.
static bool is_gap(const setting *s, const piece *a, const piece *b, bool is_spread) {
    if (a->kind == TOK_COUNT || b->kind == TOK_COUNT) return b->is_apart;
    if (b->kind == TOK_COMMA || b->kind == TOK_SEMICOLON || b->kind == TOK_RPAREN || b->kind == TOK_COLON) return false;
    if (a->kind == TOK_LPAREN || a->kind == TOK_DOTS || b->kind == TOK_DOTS) return false;
    if (a->kind == TOK_COMMA || a->kind == TOK_SEMICOLON || a->kind == TOK_COLON) return true;
    if (a->kind == TOK_NOT) return layout_is_word(s, a);
    if (is_binary(a->kind) || is_binary(b->kind)) return is_spread || b->is_apart;
    if (a->kind == TOK_LBRACE && b->kind == TOK_RBRACE) return b->is_apart;
    if (a->kind == TOK_LBRACE || b->kind == TOK_LBRACE || a->kind == TOK_RBRACE || b->kind == TOK_RBRACE) return true;
    return b->is_apart;
}

static uint32_t piece_width(const setting *s, const piece *p) {
    uint32_t n = 0;
    for (uint32_t i = p->begin; i < p->end; i++) n += ((unsigned char)s->text[i] & 0xC0) != 0x80;
    return n;
}

static bool is_line_comment(const setting *s, const piece *p) {
    return p->kind == TOK_COUNT && s->text[p->begin + 1] == '/';
}

// The new columns of a row that begins at `column`.
static void place_row(setting *s, const row *r, uint32_t column) {
    piece *p = s->pieces.data + r->first;
    uint32_t old = p->column, at = column;
    bool is_spread = p->kind != TOK_EXPECT;
    for (uint32_t i = 0; i < r->count; i++, p++) {
        if (i && is_line_comment(s, p)) {
            uint32_t kept = p->column + column > old ? p->column + column - old : 0;
            at = kept > at + COMMENT_GAP ? kept : at + COMMENT_GAP;
        } else if (i) {
            at += is_gap(s, p - 1, p, is_spread);
        }
        p->now = at;
        at += piece_width(s, p);
    }
}

// ---- lines that go on

static bool goes_before(pv_tok k) {
    return is_binary(k) || k == TOK_COMMA || k == TOK_LPAREN || k == TOK_COLON || k == TOK_DOT || k == TOK_NOT ||
           k == TOK_WHEN || k == TOK_WHERE || k == TOK_IF || k == TOK_THEN || k == TOK_MEETS || k == TOK_PLUS ||
           k == TOK_MINUS || k == TOK_STAR;
}

static bool goes_after(pv_tok k) {
    return is_binary(k) || k == TOK_COMMA || k == TOK_RPAREN || k == TOK_LBRACE || k == TOK_WHEN || k == TOK_WHERE ||
           k == TOK_THEN || k == TOK_MEETS || k == TOK_PLUS || k == TOK_MINUS || k == TOK_STAR;
}

static bool layout_goes_on(const setting *s, const row *r) {
    const piece *p = &s->pieces.data[r->first];
    const anchor *a = &vec_last(&s->anchors);
    if (a->row == NOT_SET || p->kind == TOK_RBRACE) return false;
    if (s->parens || goes_before(s->last) || goes_after(p->kind)) return true;
    return p->column > a->column && s->last != TOK_RBRACE && !pv_begins_decl(p->kind);
}

// Below the token that it was below in the lines since the first, the nearest one; else as far from that as before.
// What was right of the first line stays so, or it would not go on with it the next time.
static uint32_t column_on(const setting *s, const row *r, uint32_t number) {
    const anchor *a = &vec_last(&s->anchors);
    uint32_t column = s->pieces.data[r->first].column, found = NOT_SET;
    uint32_t least = number > a->row + LOOK_BACK ? number - LOOK_BACK : a->row;
    for (uint32_t k = number; k-- > least && found == NOT_SET;)
        for (uint32_t i = 0; i < s->rows.data[k].count; i++) {
            const piece *p = &s->pieces.data[s->rows.data[k].first + i];
            if (p->kind != TOK_COUNT && p->column == column) found = p->now;
        }
    if (found == NOT_SET) found = column + a->now > a->column ? column + a->now - a->column : 0;
    return column > a->column && found <= a->now ? a->now + INDENT : found;
}

static bool is_comment_row(const setting *s, const row *r) {
    for (uint32_t i = 0; i < r->count; i++)
        if (s->pieces.data[r->first + i].kind != TOK_COUNT) return false;
    return true;
}

// A comment alone stands where the line after it does.
static uint32_t row_column(setting *s, uint32_t number) {
    uint32_t k = number, base = vec_last(&s->anchors).base;
    while (k + 1 < s->rows.len && is_comment_row(s, &s->rows.data[k])) k++;
    const row *r = &s->rows.data[number], *next = &s->rows.data[k];
    if (!is_comment_row(s, next) && layout_goes_on(s, next)) return column_on(s, r, number);
    bool closes = k == number && s->pieces.data[r->first].kind == TOK_RBRACE;
    return closes && base >= INDENT ? base - INDENT : base;
}

// ---- rows, one after the other

static const piece *next_token(const setting *s, uint32_t i, uint32_t end) {
    while (i < end && s->pieces.data[i].kind == TOK_COUNT) i++;
    return i < end ? &s->pieces.data[i] : NULL;
}

// Lines after a brace at the end of its line: right of that line, if they were, else of the first of the statement.
static uint32_t base_after(const setting *s, const row *r, const anchor *outer) {
    const piece *first = &s->pieces.data[r->first], *next = next_token(s, r->first + r->count, s->pieces.len);
    bool is_by_row = outer->row == NOT_SET || (next && next->column == first->column + INDENT);
    return (is_by_row ? first->now : outer->now) + INDENT;
}

static void open_brace(setting *s, uint32_t number, uint32_t brace) {
    const row *r = &s->rows.data[number];
    const piece *inside = next_token(s, brace + 1, r->first + r->count);
    anchor outer = vec_last(&s->anchors), a = {.base = base_after(s, r, &outer), .row = NOT_SET};
    if (inside && inside->kind != TOK_RBRACE) a = (anchor){inside->now, number, inside->column, inside->now};
    vec_push(&s->anchors, a);
}

static void pass_row(setting *s, uint32_t number) {
    const row *r = &s->rows.data[number];
    for (uint32_t i = r->first; i < r->first + r->count; i++) {
        pv_tok k = s->pieces.data[i].kind;
        if (k == TOK_COUNT) continue;
        if (k == TOK_LBRACE) open_brace(s, number, i);
        if (k == TOK_RBRACE && s->anchors.len > 1) s->anchors.len--;
        if (k == TOK_LPAREN) s->parens++;
        if (k == TOK_RPAREN && s->parens) s->parens--;
        s->last = k;
    }
}

static void put_row(setting *s, const row *r) {
    uint32_t at = 0;
    if (s->has_begun) str_add(s->out, r->is_after_blank ? "\n\n" : "\n");
    s->has_begun = true;
    for (uint32_t i = 0; i < r->count; i++) {
        const piece *p = &s->pieces.data[r->first + i];
        if (p->now > at) str_pad(s->out, ' ', p->now - at);
        str_addn(s->out, s->text + p->begin, p->end - p->begin);
        at = p->now + piece_width(s, p);
    }
}

// As it is, from its first to its last piece.
static void put_fixed(setting *s, const row *r) {
    piece *first = &s->pieces.data[r->first], *last = first + r->count - 1;
    if (s->has_begun) str_add(s->out, r->is_after_blank ? "\n\n" : "\n");
    s->has_begun = true;
    str_pad(s->out, ' ', first->column);
    str_addn(s->out, s->text + first->begin, last->end - first->begin);
    for (piece *p = first; p <= last; p++) p->now = p->column;
}

static void set_row(setting *s, uint32_t number) {
    const row *r = &s->rows.data[number];
    const piece *first = &s->pieces.data[r->first];
    bool is_comment = is_comment_row(s, r), is_on = !is_comment && layout_goes_on(s, r);
    uint32_t column = row_column(s, number);
    if (r->is_fixed) put_fixed(s, r);
    else {
        place_row(s, r, column);
        put_row(s, r);
    }
    if (!is_comment && !is_on && first->kind != TOK_RBRACE)
        vec_last(&s->anchors) = (anchor){vec_last(&s->anchors).base, number, first->column, first->now};
    pass_row(s, number);
}

// ---- all

static void layout_tokens(const char *text, size_t size, diag *messages, arena *memory, pv_tokens *out) {
    pv_front f = {.messages = messages, .memory = memory};
    pv_lex(&f, diag_add_file(messages, "text", text, size), out);
}

static bool same_tokens(const char *a, const pv_tokens *of_a, const char *b, const pv_tokens *of_b) {
    bool same = of_a->len == of_b->len;
    for (uint32_t i = 0; same && i < of_a->len; i++) {
        const pv_token *x = &of_a->data[i], *y = &of_b->data[i];
        size_t n = x->at.end - x->at.begin;
        same = x->kind == y->kind && (x->starts_line == y->starts_line || x->kind == TOK_END) &&
               n == y->at.end - y->at.begin && memcmp(a + x->at.begin, b + y->at.begin, n) == 0;
    }
    return same;
}

static void set_text(setting *s) {
    if (s->size >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0) str_add(s->out, "\xEF\xBB\xBF");
    vec_push(&s->anchors, ((anchor){.row = NOT_SET}));
    for (uint32_t i = 0; i < s->rows.len; i++) set_row(s, i);
    if (s->has_begun) str_char(s->out, '\n');
    vec_free(&s->anchors);
    vec_free(&s->pieces);
    vec_free(&s->rows);
}

bool pv_layout(const char *text, size_t size, str *out) {
    diag *messages = diag_new();
    arena *memory = arena_new();
    pv_tokens before = {0}, after = {0};
    setting s = {.text = text, .size = size, .out = out, .last = TOK_END};
    layout_tokens(text, size, messages, memory, &before);
    bool ok = size < PV_LARGEST_FILE && !diag_failed(messages);
    if (ok) {
        find_pieces(&s, &before);
        set_text(&s);
        layout_tokens(str_get(out), out->len, messages, memory, &after);
        ok = !diag_failed(messages) && same_tokens(text, &before, str_get(out), &after);
    }
    vec_free(&before);
    vec_free(&after);
    arena_free(memory);
    diag_free(messages);
    return ok;
}
