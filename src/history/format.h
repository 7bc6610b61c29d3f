// SPDX-License-Identifier: Apache-2.0
// Formats of recorded histories: how a file is recognised, read and written. To add one: a row in format.c.
#ifndef HISTORY_FORMAT_H
#define HISTORY_FORMAT_H

#include "history/recorded.h"

#include <stdio.h>

// A file with all its bytes (after decompression). `text` outlives the recording's messages.
typedef struct {
    const char *path;
    const char *text;
    size_t size;
} format_source;

typedef struct {
    const char *name;  // of --format: "hist"
    const char *what;  // one line for help and messages
    // Is it surely in this format? By its content; the path may help (an extension), but names lie.
    bool (*is)(const format_source *from);
    // False after a mistake, of which it has told the recording. It calls recording_file first.
    bool (*read)(recording *r, const format_source *from);
    // NULL: this format is not written. False with errno set, or after a message, when it cannot be written: *why says
    // what the format has no place for ("aborted transactions").
    bool (*write)(const recorded *h, FILE *out, const char **why);
} format;

extern const format format_table[];
extern const uint32_t format_count;

const format *format_find(const char *name);                // NULL: there is none
const format *format_recognise(const format_source *from);  // NULL: no format says that it is its

// ---- our own

bool text_is_recorded(const format_source *from);
bool text_read_recorded(recording *r, const format_source *from);
bool text_write_recorded(const recorded *h, FILE *out, const char **why);
// Pieces of a .hist file: "read(1,x,0)" without times, the line of a transaction, the lines before the first.
void text_add_op(const recorded *h, uint32_t session, const recorded_op *o, str *out);
void text_add_tx(const recorded *h, uint32_t tx, str *out);
void text_add_head(const recorded *h, str *out);
bool json_is_recorded(const format_source *from);
bool json_read_recorded(recording *r, const format_source *from);
bool json_write_recorded(const recorded *h, FILE *out, const char **why);

#endif
