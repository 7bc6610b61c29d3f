// SPDX-License-Identifier: Apache-2.0
// Diagnostics: what is wrong with the user's input, and where.
//
//   tl2.pv:12:19: error: unknown relation 'lx', did you mean 'ls'?
//      12 |     when ws(t, v) & !lx(t, v)
//         |                      ^~
//
// A `sources` keeps the text of every file read; a `span` points into it. Messages are collected
// (several per run) and printed by the command line.
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/str.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t file;        // 1-based; 0: no place
    uint32_t begin, end;  // byte offsets into the file
} span;

typedef struct diag diag;

typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } diag_level;

enum { DIAG_MOST_ERRORS = 20 };  // further ones are counted, not kept

diag *diag_new(void);
void diag_free(diag *d);

// Registers a file's text (which must outlive d) and returns its number.
uint32_t diag_add_file(diag *d, const char *path, const char *text, size_t size);
// The same for a piece of a file that begins at this line.
uint32_t diag_add_part(diag *d, const char *path, const char *text, size_t size, uint32_t line);
uint32_t diag_files(const diag *d);  // how many: the number of the last
const char *diag_file_path(const diag *d, uint32_t file);
const char *diag_file_text(const diag *d, uint32_t file, size_t *size);
uint32_t diag_file_line(const diag *d, uint32_t file);  // at which its text begins: 1, or that of a part

// False, which is what a check that ends with a message answers.
bool diag_error(diag *d, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_verror(diag *d, span at, const char *format, va_list args);
void diag_warning(diag *d, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
// A note belongs to the message before it ("declared here", a hint).
void diag_note(diag *d, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Errors since then become warnings, since what is wrong was left out. The text of the first; NULL: there was none.
typedef struct {
    uint32_t messages, errors;
} diag_mark;
diag_mark diag_now(const diag *d);
const char *diag_demote(diag *d, diag_mark since);

uint32_t diag_errors(const diag *d);
bool diag_failed(const diag *d);  // some error was reported

// Line and column (1-based, in code points) of the beginning of a span.
void diag_place(const diag *d, span at, uint32_t *line, uint32_t *column);
uint32_t diag_line(const diag *d, span at);  // without the walk to its column; 0: not in a file
// "file:line:col" into s.
void diag_place_text(const diag *d, span at, str *s);
// The source text of a span (may have several lines).
void diag_source_text(const diag *d, span at, str *s);

// The messages that were not printed yet as text, with ANSI colour if asked.
void diag_print(diag *d, str *out, bool colour);

// One message after the other, for JSON output.
// Between these two nothing is kept: for attempts whose failure is not the user's mistake.
void diag_silence(diag *d);
void diag_speak(diag *d);

typedef struct {
    diag_level level;
    span at;
    const char *text;
} diag_message;
uint32_t diag_count(const diag *d);
diag_message diag_get(const diag *d, uint32_t index);

// Nothing is said any more about this name being unknown: what declares it has a mistake of its own.
void diag_hush(diag *d, const char *name);
// "unknown WHAT 'NAME', did you mean '…'?"; false if none of the names is near.
bool diag_unknown(diag *d, span at, const char *what, const char *name, const char *const *names, size_t count);
// "SAYS 'NAME', did you mean '…'?"
bool diag_absent(diag *d, span at, const char *says, const char *name, const char *const *names, size_t count);
// The name among `count` that is closest to `name`, or NULL if none is close.
const char *diag_nearest(const char *name, const char *const *names, size_t count);

#endif
