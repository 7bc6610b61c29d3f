// SPDX-License-Identifier: Apache-2.0
// Constants, files and names of systems: see source.h. Places in a text have 32 bits, and a file is never near that.
#include "front/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 1 << 26 };

const front_define *front_defined(const front_define *defines, uint32_t n, const char *name) {
    while (n-- > 0)
        if (str_same(defines[n].name, name)) return &defines[n];
    return NULL;
}

// Looks before it opens: a device or pipe that another file names could block or never end.
static const char *why_not(const char *path, bool is_used, size_t most) {
    struct stat st;
    if (stat(path, &st) != 0) return strerror(errno);
    if (S_ISDIR(st.st_mode)) return "it is a directory";
    if (is_used && !S_ISREG(st.st_mode)) return "it is not a regular file";
    return (uint64_t)st.st_size > most ? "it is too large" : NULL;
}

const char *front_read(arena *memory, diag *messages, const char *path, span at, size_t most, size_t *size) {
    const char *why = why_not(path, at.file, most), *kept = NULL;
    char *text = why ? NULL : str_read_file(path, size);
    if (!why && !text) why = strerror(errno);
    else if (text && *size > most) why = "it is too large";
    if (why) diag_error(messages, at, "cannot read '%s': %s", path, why);
    else kept = arena_copy(memory, text, *size + 1);
    free(text);
    return kept;
}

const char *front_read_file(model *m, const char *path, size_t *size) {
    return front_read(m->memory, m->messages, path, (span){0}, LARGEST_FILE, size);
}

static const char *found_below(arena *memory, const front_search *where, const char *name) {
    struct stat st;
    for (uint32_t i = 0; i < where->n; i++) {
        const char *path = arena_printf(memory, "%s/%s", where->folders[i], name);
        if (stat(path, &st) == 0) return path;
    }
    return NULL;
}

const char *front_find(arena *memory, const front_search *where, const char *name) {
    if (!*name || *name == '/' || str_starts(name, "./")) return NULL;
    const char *found = str_starts(name, "../") ? NULL : found_below(memory, where, name);
    while (str_starts(name, "../")) name += strlen("../");
    if (!found) found = found_below(memory, where, name);
    if (!found && str_starts(name, "models/")) found = found_below(memory, where, name + strlen("models/"));
    return found;
}

const char *front_path_beside(arena *memory, const char *file, const char *path) {
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (path[0] == '/' || !slash) return path;
    return arena_printf(memory, "%.*s%s", (int)(slash - file + 1), file, path);
}

const char *front_base_name(model *m, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return dot && dot > base ? arena_strn(m->memory, base, (size_t)(dot - base)) : arena_str(m->memory, base);
}
