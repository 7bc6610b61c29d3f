// SPDX-License-Identifier: Apache-2.0
// Constants, files and names of systems: see source.h. Places in a text have 32 bits, and a file is never near that.
#include "front/source.h"

#include <errno.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 26 };

const front_define *front_defined(const front_define *defines, uint32_t n, const char *name) {
    while (n-- > 0)
        if (str_same(defines[n].name, name)) return &defines[n];
    return NULL;
}

const char *front_read_file(model *m, const char *path, size_t *size) {
    char *text = str_read_file(path, size);
    bool is_small = text && *size <= LARGEST_FILE;
    if (!is_small)
        diag_error(m->messages, (span){0}, "cannot read '%s': %s", path, text ? "it is too large" : strerror(errno));
    const char *kept = is_small ? arena_copy(m->memory, text, *size + 1) : NULL;
    free(text);
    return kept;
}

const char *front_base_name(model *m, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return dot && dot > base ? arena_strn(m->memory, base, (size_t)(dot - base)) : arena_str(m->memory, base);
}
