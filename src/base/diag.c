// SPDX-License-Identifier: Apache-2.0
// Diagnostics with file, line, column and caret: see diag.h.
#include "base/diag.h"

#include "base/map.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STRIDE = 256 };

// `lines` has where each line begins and `marks` how many characters stand before every STRIDE-th byte, so that finding
// a place takes no walk over the file, nor over a long line.
typedef struct {
    const char *path, *text;
    size_t size;
    const size_t *lines;
    uint32_t nlines, first_line;
    uint32_t *marks;
} source;

struct diag {
    arena *memory;
    VEC(source) files;
    VEC(diag_message) messages;
    uint32_t errors;
    uint32_t printed, counted;  // messages and errors that diag_print has told of
    bool muted;                 // notes of a message that was not kept
    uint32_t silences;
    map *hushed;  // names; NULL: none
};

diag *diag_new(void) {
    diag *d = mem_zero(1, sizeof *d);
    d->memory = arena_new();
    return d;
}

void diag_free(diag *d) {
    if (!d) return;
    arena_free(d->memory);
    map_free(d->hushed);
    vec_free(&d->files);
    vec_free(&d->messages);
    free(d);
}

static void find_lines(diag *d, source *f) {
    uint32_t n = 1;
    for (size_t i = 0; i < f->size; i++) n += f->text[i] == '\n';
    size_t *lines = arena_alloc(d->memory, n * sizeof *lines);
    lines[f->nlines++] = 0;
    for (size_t i = 0; i < f->size; i++)
        if (f->text[i] == '\n') lines[f->nlines++] = i + 1;
    f->lines = lines;
}

static uint32_t columns(const char *text, size_t n) {
    uint32_t c = 0;
    for (size_t i = 0; i < n; i++) c += ((unsigned char)text[i] & 0xC0) != 0x80;
    return c;
}

static void mark_columns(diag *d, source *f) {
    f->marks = arena_alloc(d->memory, (f->size / STRIDE + 1) * sizeof *f->marks);
    for (size_t i = STRIDE; i <= f->size; i += STRIDE)
        f->marks[i / STRIDE] = f->marks[i / STRIDE - 1] + columns(f->text + i - STRIDE, STRIDE);
}

uint32_t diag_add_part(diag *d, const char *path, const char *text, size_t size, uint32_t line) {
    const char *last = d->files.len ? d->files.data[d->files.len - 1].path : "";
    source f = {.text = text, .size = size, .first_line = line};
    f.path = strcmp(last, path) == 0 ? last : arena_str(d->memory, path);
    find_lines(d, &f);
    mark_columns(d, &f);
    vec_push(&d->files, f);
    return d->files.len;
}

uint32_t diag_add_file(diag *d, const char *path, const char *text, size_t size) {
    return diag_add_part(d, path, text, size, 1);
}

uint32_t diag_files(const diag *d) { return d->files.len; }

const char *diag_file_path(const diag *d, uint32_t file) { return file ? d->files.data[file - 1].path : ""; }

uint32_t diag_file_line(const diag *d, uint32_t file) { return file ? d->files.data[file - 1].first_line : 0; }

const char *diag_file_text(const diag *d, uint32_t file, size_t *size) {
    if (!file) return NULL;
    if (size) *size = d->files.data[file - 1].size;
    return d->files.data[file - 1].text;
}

static bool diag_same_place(span a, span b) { return a.file == b.file && a.begin == b.begin && a.end == b.end; }

// The same place of a file that was read more than once.
static bool diag_same_text(const diag *d, span a, span b) {
    if (!a.file || !b.file || a.begin != b.begin || a.end != b.end) return false;
    const source *x = &d->files.data[a.file - 1], *y = &d->files.data[b.file - 1];
    return x->size == y->size && x->first_line == y->first_line && strcmp(x->path, y->path) == 0;
}

// Was an error given at this very place?
static bool is_known_mistake(const diag *d, span at) {
    for (uint32_t i = 0; i < d->messages.len; i++)
        if (d->messages.data[i].level == DIAG_ERROR && diag_same_place(d->messages.data[i].at, at)) return true;
    return false;
}

// Was this warning given, word for word?
static bool was_warned(const diag *d, span at, const char *text) {
    for (uint32_t i = 0; i < d->messages.len; i++) {
        const diag_message *m = &d->messages.data[i];
        bool is_there = diag_same_place(m->at, at) || diag_same_text(d, m->at, at);
        if (m->level == DIAG_WARNING && is_there && strcmp(m->text, text) == 0) return true;
    }
    return false;
}

// Messages quote names and paths, and nothing in those may speak to the terminal.
static const char *visible(diag *d, const char *text) {
    if (str_is_visible(text, strlen(text))) return text;
    str shown = {0};
    for (const char *line = text, *end; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        str_add_visible(&shown, line, end ? (size_t)(end - line) : strlen(line));
        if (end) str_char(&shown, '\n');
    }
    const char *kept = arena_str(d->memory, str_get(&shown));
    str_free(&shown);
    return kept;
}

static void diag_add(diag *d, diag_level level, span at, const char *format, va_list args) {
    if (d->silences || (level == DIAG_NOTE && d->muted)) return;
    if (level == DIAG_ERROR) {
        d->muted = at.file && is_known_mistake(d, at);  // one mistake, one message
        if (d->muted) return;
        d->errors++;
        d->muted = d->errors > DIAG_MOST_ERRORS;
        if (d->muted) return;
    } else if (level == DIAG_WARNING) {
        d->muted = false;
    }
    const char *text = visible(d, arena_vprintf(d->memory, format, args));
    d->muted |= level == DIAG_WARNING && was_warned(d, at, text);
    if (!d->muted) vec_push(&d->messages, (diag_message){level, at, text});
}

#define MESSAGE(level)                    \
    va_list args;                         \
    va_start(args, format);               \
    diag_add(d, level, at, format, args); \
    va_end(args)

void diag_verror(diag *d, span at, const char *format, va_list args) { diag_add(d, DIAG_ERROR, at, format, args); }
bool diag_error(diag *d, span at, const char *format, ...) {
    MESSAGE(DIAG_ERROR);
    return false;
}

void diag_warning(diag *d, span at, const char *format, ...) { MESSAGE(DIAG_WARNING); }
void diag_note(diag *d, span at, const char *format, ...) { MESSAGE(DIAG_NOTE); }

void diag_silence(diag *d) { d->silences++; }
void diag_speak(diag *d) { d->silences--; }

diag_mark diag_now(const diag *d) { return (diag_mark){d->messages.len, d->errors}; }

const char *diag_demote(diag *d, diag_mark since) {
    const char *first = NULL;
    for (uint32_t i = since.messages; i < d->messages.len; i++) {
        diag_message *m = &d->messages.data[i];
        if (m->level != DIAG_ERROR) continue;
        if (!first) first = m->text;
        m->level = DIAG_WARNING;
    }
    d->errors = since.errors;
    return first;
}

uint32_t diag_errors(const diag *d) { return d->errors; }
bool diag_failed(const diag *d) { return d->errors > 0; }
uint32_t diag_count(const diag *d) { return d->messages.len; }
diag_message diag_get(const diag *d, uint32_t index) { return d->messages.data[index]; }

// The line, counted from 0, in which this place is.
static uint32_t line_at(const source *f, size_t at) {
    uint32_t first = 0, beyond = f->nlines;
    while (beyond - first > 1) {
        uint32_t middle = first + (beyond - first) / 2;
        if (f->lines[middle] <= at) first = middle;
        else beyond = middle;
    }
    return first;
}

static size_t line_end(const source *f, size_t at) {
    while (at < f->size && f->text[at] != '\n') at++;
    return at;
}

// How many characters stand before this byte.
static uint32_t characters(const source *f, size_t at) {
    size_t from = at - at % STRIDE;
    return f->marks[at / STRIDE] + columns(f->text + from, at - from);
}

uint32_t diag_line(const diag *d, span at) {
    if (!at.file) return 0;
    const source *f = &d->files.data[at.file - 1];
    return f->first_line + line_at(f, at.begin < f->size ? at.begin : f->size);
}

void diag_place(const diag *d, span at, uint32_t *line, uint32_t *column) {
    *line = diag_line(d, at);
    *column = 0;
    if (!at.file) return;
    const source *f = &d->files.data[at.file - 1];
    size_t pos = at.begin < f->size ? at.begin : f->size, begin = f->lines[*line - f->first_line];
    *column = 1 + characters(f, pos) - characters(f, begin);
}

void diag_place_text(const diag *d, span at, str *s) {
    uint32_t line, column;
    diag_place(d, at, &line, &column);
    if (!at.file) return;
    const char *path = diag_file_path(d, at.file);
    str_add_visible(s, path, strlen(path));
    str_printf(s, ":%u:%u", line, column);
}

void diag_source_text(const diag *d, span at, str *s) {
    if (!at.file) return;
    const source *f = &d->files.data[at.file - 1];
    size_t end = at.end < f->size ? at.end : f->size;
    if (at.begin < end) str_addn(s, f->text + at.begin, end - at.begin);
}

// The text of one source line, with what cannot be shown as spaces or question marks, so that carets line up: a column
// for every byte that does not continue a character.
static void add_line(str *out, const char *text, size_t n) {
    for (size_t i = 0, length; i < n; i += length) {
        length = 1;
        while (i + length < n && ((unsigned char)text[i + length] & 0xC0) == 0x80) length++;
        if (str_is_visible(text + i, length)) str_addn(out, text + i, length);
        else if (((unsigned char)text[i] & 0xC0) != 0x80) str_char(out, (unsigned char)text[i] < ' ' ? ' ' : '?');
    }
    str_char(out, '\n');
}

static void print_caret(const diag *d, span at, str *out, const char *on, const char *off) {
    const source *f = &d->files.data[at.file - 1];
    uint32_t line, column;
    diag_place(d, at, &line, &column);
    size_t pos = at.begin < f->size ? at.begin : f->size;
    size_t begin = f->lines[line - f->first_line], end = line_end(f, pos);
    size_t stop = at.end < end ? at.end : end;
    uint32_t width = stop > pos ? columns(f->text + pos, stop - pos) : 1;
    if (!width) width = 1;  // bytes that continue a character which is not there
    str_printf(out, "%5u | ", line);
    add_line(out, f->text + begin, end - begin);
    str_add(out, "      | ");
    str_pad(out, ' ', column - 1);
    str_add(out, on);
    str_char(out, '^');
    str_pad(out, '~', width - 1);
    str_add(out, off);
    str_char(out, '\n');
}

static void print_message(const diag *d, const diag_message *m, str *out, bool colour) {
    static const char *const word[] = {"error", "warning", "note"};
    static const char *const ansi[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    const char *on = colour ? ansi[m->level] : "", *off = colour ? "\033[0m" : "";
    if (m->at.file) {
        if (colour) str_add(out, "\033[1m");
        diag_place_text(d, m->at, out);
        str_add(out, ": ");
        str_add(out, off);
    }
    str_printf(out, "%s%s:%s %s\n", on, word[m->level], off, m->text);
    if (m->at.file) print_caret(d, m->at, out, on, off);
}

// ---- in the order of the text

// A message and the notes after it.
typedef struct {
    span at;
    uint32_t first, count;
} message_group;

typedef VEC(message_group) group_list;

static int diag_compare_groups(const void *a, const void *b) {
    const message_group *x = a, *y = b;
    if (x->at.file != y->at.file) return x->at.file < y->at.file ? -1 : 1;
    if (x->at.begin != y->at.begin) return x->at.begin < y->at.begin ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

static void find_groups(const diag *d, uint32_t first, group_list *out) {
    for (uint32_t i = first; i < d->messages.len; i++) {
        if (!out->len || d->messages.data[i].level != DIAG_NOTE)
            vec_push(out, ((message_group){d->messages.data[i].at, i, 0}));
        vec_last(out).count++;
    }
}

// Messages that have a place, between two that have none, by file and place.
static void sort_groups(group_list *all) {
    for (uint32_t i = 0, end; i < all->len; i = end + 1) {
        for (end = i; end < all->len && all->data[end].at.file;) end++;
        if (end > i) qsort(all->data + i, end - i, sizeof *all->data, diag_compare_groups);
    }
}

void diag_print(diag *d, str *out, bool colour) {
    group_list all = {0};
    find_groups(d, d->printed, &all);
    d->printed = d->messages.len;
    sort_groups(&all);
    for (uint32_t i = 0; i < all.len; i++)
        for (uint32_t k = 0; k < all.data[i].count; k++)
            print_message(d, &d->messages.data[all.data[i].first + k], out, colour);
    vec_free(&all);
    if (d->errors > DIAG_MOST_ERRORS && d->errors != d->counted)
        str_printf(out, "%u more errors are not shown\n", d->errors - DIAG_MOST_ERRORS);
    d->counted = d->errors;
}

const char *diag_nearest(const char *name, const char *const *names, size_t count) {
    const char *best = NULL;
    unsigned limit = (unsigned)strlen(name) / 3 + 1, least = limit + 1;
    for (size_t i = 0; i < count; i++) {
        unsigned distance = str_distance(name, names[i]);
        if (distance < least && distance < strlen(names[i])) {
            least = distance;
            best = names[i];
        }
    }
    return best;
}

void diag_hush(diag *d, const char *name) {
    if (!d->hushed) d->hushed = map_new();
    map_put_str(d->hushed, name, 1);
}

bool diag_absent(diag *d, span at, const char *says, const char *name, const char *const *names, size_t count) {
    if (d->hushed && map_get_str(d->hushed, name, 0)) return true;
    const char *near = d->errors < DIAG_MOST_ERRORS ? diag_nearest(name, names, count) : NULL;
    if (near) diag_error(d, at, "%s '%s', did you mean '%s'?", says, name, near);
    else diag_error(d, at, "%s '%s'", says, name);
    return near != NULL;
}

bool diag_unknown(diag *d, span at, const char *what, const char *name, const char *const *names, size_t count) {
    str says = {0};
    str_printf(&says, "unknown %s", what);
    bool is_near = diag_absent(d, at, str_get(&says), name, names, count);
    str_free(&says);
    return is_near;
}
