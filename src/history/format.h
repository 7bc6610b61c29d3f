// SPDX-License-Identifier: Apache-2.0
// Formats of recorded histories: how a file is recognised, read and written. To add one: a row in format.c.
#ifndef HISTORY_FORMAT_H
#define HISTORY_FORMAT_H

#include "history/names.h"
#include "history/recorded.h"

#include <stdio.h>

// A file with all its bytes (after decompression). `text` outlives the recording's messages.
typedef struct {
    const char *path;
    const char *text;
    size_t size;
} format_source;

// Where the files of a history go that are several: a folder.
typedef struct {
    bool (*add_file)(void *folder, const char *name, const char *bytes, size_t size);  // false with errno set
    void *folder;
} format_folder;

typedef struct {
    const char *name;  // of --format: "hist"
    const char *what;  // one line for help and messages
    // Is it surely in this format? By its content; the path may help (an extension), but names lie.
    bool (*is)(const format_source *from);
    // False after a mistake, of which it has told the recording. It calls recording_file first.
    bool (*read)(recording *r, const format_source *from);
    // False with errno set, or when it cannot be written: *why says what the format has no place for ("lists").
    bool (*write)(const recorded *h, FILE *out, const char **why);
    // What is left out of a history with times: the user is warned. NULL: nothing is.
    const char *leaves_out;
    // A file per session. NULL: `write` writes all.
    bool (*write_folder)(const recorded *h, const format_folder *out, const char **why);
} format;

extern const format format_table[];
extern const uint32_t format_count;

const format *format_find(const char *name);                // NULL: there is none
const format *format_recognise(const format_source *from);  // NULL: no format says that it is its

// ---- our own

bool text_is_recorded(const format_source *from);
bool text_read_recorded(recording *r, const format_source *from);
bool text_write_recorded(const recorded *h, FILE *out, const char **why);
// "[1 2]", with names as a format writes them.
void text_add_list(const recorded *h, uint32_t list, void (*add_name)(const names *n, uint32_t name, str *out),
                   str *out);
// Pieces of a .hist file: the line of a transaction, the lines before the first.
void text_add_tx(const recorded *h, uint32_t tx, str *out);
void text_add_head(const recorded *h, str *out);
bool json_is_recorded(const format_source *from);
bool json_read_recorded(recording *r, const format_source *from);
bool json_write_recorded(const recorded *h, FILE *out, const char **why);

#endif
