// SPDX-License-Identifier: Apache-2.0
// The files of a path, and one history of them all: see sources.h. Files of a folder are taken in the order of names,
// so that the same folder is the same history everywhere.
#include "history/sources.h"

#include "history/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_FROM = 1 << 24 };  // bytes

// ---- one file

static bool sources_fail(diag *messages, const char *path, const char *why) {
    str shown = {0};
    str_add_visible(&shown, path, strlen(path));
    diag_error(messages, (span){0}, "cannot read '%s': %s", str_get(&shown), why);
    str_free(&shown);
    return false;
}

static char *sources_read_standard(size_t *size) {
    str s = {0};
    char part[65536];
    ssize_t n;
    while ((n = read(STDIN_FILENO, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) str_addn(&s, part, (size_t)n);
    if (n < 0) return str_free(&s), NULL;
    str_addn(&s, "", 0);
    *size = s.len;
    return s.text;
}

// A large file, mapped with at least one zero behind it; NULL: it is none, or cannot be mapped.
static char *sources_map(const char *path, size_t *size, size_t *mapped) {
    struct stat is;
    char *at = MAP_FAILED;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    if (fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size >= MAP_FROM) {
        *size = (size_t)is.st_size;
        *mapped = *size + (size_t)sysconf(_SC_PAGESIZE);
        at = mmap(NULL, *mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    if (at != MAP_FAILED && mmap(at, *size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
        munmap(at, *mapped);
        at = MAP_FAILED;
    }
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

static void sources_take(sources *s, const char *name, char *text, size_t size, size_t mapped) {
    char *kept = mem_alloc(strlen(name) + 1);
    memcpy(kept, name, strlen(name) + 1);
    vec_push(&s->files, (format_source){kept, text, size});
    vec_push(&s->mapped, mapped);
}

static bool sources_take_mapped(sources *s, const char *path) {
    size_t size, mapped;
    char *text = sources_map(path, &size, &mapped);
    bool is_plain = text && !unzip_is(text, size);
    if (is_plain) sources_take(s, path, text, size, mapped);
    else if (text) munmap(text, mapped);
    return is_plain;
}

static bool sources_add_file(sources *s, diag *messages, const char *path) {
    bool is_standard = str_same(path, "-");
    const char *why;
    size_t size;
    if (!is_standard && sources_take_mapped(s, path)) return true;
    char *text = is_standard ? sources_read_standard(&size) : str_read_file(path, &size);
    if (!text) return sources_fail(messages, path, strerror(errno));
    if (unzip_is(text, size) && !unzip(&text, &size, &why)) {
        free(text);
        return sources_fail(messages, path, why);
    }
    sources_take(s, is_standard ? "standard input" : path, text, size, 0);
    return true;
}

// ---- folders

// The kinds of logs that folders have, the first that is there counts; "" stands for any name.
static const struct {
    const char *begins, *ends;
} folder_kinds[] = {{"", ".parvis"}, {"T", ".log"}, {"history", ".bincode"}, {"history", ".edn"}};

enum { FOLDER_KINDS = sizeof folder_kinds / sizeof *folder_kinds };

static bool folder_name_is(const char *name, uint32_t kind) {
    size_t n = strlen(name), cut = str_ends(name, ".gz") ? 3 : 0, m = strlen(folder_kinds[kind].ends);
    return str_starts(name, folder_kinds[kind].begins) && n - cut >= m &&
           memcmp(name + n - cut - m, folder_kinds[kind].ends, m) == 0;
}

typedef struct {
    struct dirent **entries;
    int count;
} folder;

static bool sources_add_kind(sources *s, diag *messages, const char *path, const folder *f, uint32_t kind) {
    bool good = true;
    for (int i = 0; good && i < f->count; i++) {
        if (!folder_name_is(f->entries[i]->d_name, kind)) continue;
        str name = {0};
        str_printf(&name, "%s/%s", path, f->entries[i]->d_name);
        good = sources_add_file(s, messages, str_get(&name));
        str_free(&name);
    }
    return good;
}

static uint32_t folder_find_kind(const folder *f) {
    for (uint32_t kind = 0; kind < FOLDER_KINDS; kind++)
        for (int i = 0; i < f->count; i++)
            if (folder_name_is(f->entries[i]->d_name, kind)) return kind;
    return FOLDER_KINDS;
}

static bool sources_add_folder(sources *s, diag *messages, const char *path) {
    folder f;
    f.count = scandir(path, &f.entries, NULL, alphasort);
    if (f.count < 0) return sources_fail(messages, path, strerror(errno));
    uint32_t kind = folder_find_kind(&f);
    bool good = kind < FOLDER_KINDS ? sources_add_kind(s, messages, path, &f, kind)
                                    : sources_fail(messages, path,
                                                   "no history is in this folder: *.parvis, T*.log, "
                                                   "history.bincode or history.edn");
    for (int i = 0; i < f.count; i++) free(f.entries[i]);
    free(f.entries);
    return good;
}

bool sources_add(sources *s, diag *messages, const char *path) {
    struct stat is;
    bool is_folder = !str_same(path, "-") && stat(path, &is) == 0 && S_ISDIR(is.st_mode);
    return is_folder ? sources_add_folder(s, messages, path) : sources_add_file(s, messages, path);
}

void sources_rest(const sources *s) {
    for (uint32_t i = 0; i < s->files.len; i++)
        if (s->mapped.data[i]) madvise((char *)s->files.data[i].text, s->files.data[i].size, MADV_DONTNEED);
}

void sources_free(sources *s) {
    for (uint32_t i = 0; i < s->files.len; i++) {
        char *text = (char *)s->files.data[i].text;
        free((char *)s->files.data[i].path);
        if (s->mapped.data[i]) munmap(text, s->mapped.data[i]);
        else free(text);
    }
    vec_free(&s->files);
    vec_free(&s->mapped);
}

// ---- the history of them all

static bool sources_read(recording *r, const format_source *from, const format *by, uint64_t base) {
    const format *f = by ? by : format_recognise(from);
    if (f && f->read == log_read_recorded) return log_read_since(r, from, base);
    if (f) return f->read(r, from);
    recording_file(r, from->path, from->text, from->size, true);
    recording_wrong(r, 0, 1, "this is no history in a format that is known");
    diag_note(recording_messages(r), (span){0}, "--format names the format, if there is one");
    return false;
}

bool sources_load(const sources *s, const format *by, recorded *h, diag *messages) {
    recorded_begin(h);
    const format_source *other = log_other_run(s->files.data, s->files.len);
    if (other) return sources_fail(messages, other->path, "it belongs to another run than the logs before it");
    recording *r = recording_begin(h, messages);
    uint64_t base = log_base(s->files.data, s->files.len);
    bool good = true;
    for (uint32_t i = 0; good && i < s->files.len; i++) good = sources_read(r, &s->files.data[i], by, base);
    sources_rest(s);
    return recording_end(r) && good;
}
