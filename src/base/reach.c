// SPDX-License-Identifier: Apache-2.0
// Which files a model may make us read: see reach.h. Paths are compared after realpath().
#include "base/reach.h"

#include "base/process.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIBRARY_LEVELS = 5 };  // from the program's folder up to where its models are

// Both are real paths.
static bool is_below(const char *real, const char *folder) {
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/') n--;
    return strncmp(real, folder, n) == 0 && (n == 1 || real[n] == '/' || !real[n]);
}

static bool is_below_folder(const char *real, const char *folder) {
    char *f = realpath(folder, NULL);
    bool below = f && is_below(real, f);
    free(f);
    return below;
}

// The caller frees it.
static char *reach_folder_of(const char *path) {
    str folder = {0};
    str_add_folder(&folder, path);
    return folder.text;
}

static bool is_beside(const char *real, const char *from) {
    char *folder = reach_folder_of(from);
    bool below = is_below_folder(real, folder);
    free(folder);
    return below;
}

// Where the user's file is, and where it leads if it is a link.
static bool is_with(const char *real, const char *from) {
    if (is_beside(real, from)) return true;
    char *to = realpath(from, NULL);
    bool below = to && is_beside(real, to);
    free(to);
    return below;
}

static bool reach_is_library(const char *above, const char *models, str *out) {
    str known = {0};
    str_clear(out);
    str_printf(out, "%s/%s", above, models);
    str_printf(&known, "%s/specs/opacity.pv", str_get(out));
    bool is_there = access(str_get(&known), R_OK) == 0;
    str_free(&known);
    return is_there;
}

bool reach_library(str *out) {
    char *above = process_self();
    bool found = false;
    for (int i = 0; above && i < LIBRARY_LEVELS && !found && strcmp(above, "/") != 0; i++) {
        char *next = reach_folder_of(above);
        free(above);
        above = next;
        found = reach_is_library(above, "models", out) || reach_is_library(above, "share/parvis/models", out);
    }
    free(above);
    return found;
}

static bool is_in_library(const char *real) {
    str folder = {0};
    bool below = reach_library(&folder) && is_below_folder(real, str_get(&folder));
    str_free(&folder);
    return below;
}

// A model by its name; a folder is none, but there is nothing in it to quote, and its reader says what it is.
static bool names_model(const char *real) {
    struct stat st;
    return str_ends(real, ".pv") || str_ends(real, ".ix") || (stat(real, &st) == 0 && S_ISDIR(st.st_mode));
}

bool reach_allows(const reach *r, const char *path) {
    char *real = realpath(path, NULL), *folder = real ? NULL : reach_folder_of(path);
    if (!real) real = realpath(folder, NULL);
    bool is_model = folder || (real && names_model(real));
    bool ok = real && is_model && (is_with(real, r->from) || is_in_library(real));
    for (uint32_t i = 0; real && is_model && !ok && i < r->nfolders; i++) ok = is_below_folder(real, r->folders[i]);
    free(folder);
    free(real);
    return ok;
}
