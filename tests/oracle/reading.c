// SPDX-License-Identifier: Apache-2.0
// Histories from texts: see reading.h.
#include "oracle/reading.h"

#include "history/format.h"

reading reading_of(const char *name, const char *path, const char *bytes, size_t size) {
    reading x = {.messages = diag_new()};
    format_source from = {path, bytes, size};
    recorded_begin(&x.h);
    recording *r = recording_begin(&x.h, x.messages);
    x.good = format_find(name)->read(r, &from);
    x.good = recording_end(r) && x.good;
    return x;
}

reading reading_of_folder(const char *folder) {
    reading x = {.messages = diag_new()};
    recorded_begin(&x.h);
    x.good = sources_add(&x.files, x.messages, folder);
    if (x.good) recorded_free(&x.h);
    if (x.good) x.good = sources_load(&x.files, NULL, &x.h, x.messages);
    return x;
}

void reading_free(reading *x) {
    sources_free(&x->files);
    recorded_free(&x->h);
    diag_free(x->messages);
}
