// SPDX-License-Identifier: Apache-2.0
// Files that are replaced as a whole: see outfile.h. A file without a name needs no tidying up after a run that was
// killed; it gets one in two steps, since a link cannot replace a file and a rename needs a name to begin with.
#include "base/outfile.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

struct outfile {
    FILE *f;
    str path, beside;  // beside: the name of the new file, empty while it has none
    bool is_in_place;
};

// ---- names

static void beside(const outfile *o, unsigned i, str *out) {
    str_clear(out);
    str_printf(out, "%s.new-%ld-%u", str_get(&o->path), (long)getpid(), i);
}

// ---- opening

// The mode of the old file, or what a new one gets by the user's mask.
static mode_t mode_of(const char *path, bool *is_old) {
    struct stat st;
    *is_old = lstat(path, &st) == 0 && S_ISREG(st.st_mode);
    return *is_old ? st.st_mode & 0777 : 0666;
}

static int open_unnamed(const outfile *o) {
    str folder = {0};
    str_add_folder(&folder, str_get(&o->path));
    bool can_name = access("/proc/self/fd", X_OK) == 0;
    int fd = can_name ? open(str_get(&folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    str_free(&folder);
    return fd;
}

static int open_named(outfile *o) {
    int fd = -1;
    for (unsigned i = 0; i < NAMES_TRIED && fd < 0; i++) {
        beside(o, i, &o->beside);
        fd = open(str_get(&o->beside), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd < 0) str_clear(&o->beside);
    return fd;
}

static int open_new(outfile *o) {
    bool is_old;
    mode_t mode = mode_of(str_get(&o->path), &is_old);
    int fd = open_unnamed(o);
    if (fd < 0) fd = open_named(o);
    if (fd >= 0 && is_old) fchmod(fd, mode);  // a courtesy: the text counts
    return fd;
}

// Something is there that is not an ordinary file; a folder is refused by open().
static bool is_special(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static void outfile_release(outfile *o) {
    int why = errno;
    str_free(&o->path);
    str_free(&o->beside);
    free(o);
    errno = why;
}

outfile *outfile_open(const char *path) {
    outfile *o = mem_zero(1, sizeof *o);
    str_add(&o->path, path);
    o->is_in_place = is_special(path);
    int fd = !*path ? (errno = ENOENT, -1) : o->is_in_place ? open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC) : open_new(o);
    o->f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (o->f) return o;
    outfile_release(o);
    return NULL;
}

FILE *outfile_stream(outfile *o) { return o->f; }

// ---- the end

static bool give_name(outfile *o) {
    char open_file[40];
    if (o->beside.len) return true;
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", fileno(o->f));
    for (unsigned i = 0; i < NAMES_TRIED; i++) {
        beside(o, i, &o->beside);
        if (linkat(AT_FDCWD, open_file, AT_FDCWD, str_get(&o->beside), AT_SYMLINK_FOLLOW) == 0) return true;
        if (errno != EEXIST) break;
    }
    str_clear(&o->beside);
    return false;
}

static bool outfile_replace(outfile *o) {
    if (!give_name(o)) return false;
    if (rename(str_get(&o->beside), str_get(&o->path)) != 0) return false;
    str_clear(&o->beside);
    return true;
}

// Nothing that could fail comes after the rename.
bool outfile_commit(outfile *o) {
    bool ok = !ferror(o->f) && fflush(o->f) == 0;
    ok = ok && (o->is_in_place || (fsync(fileno(o->f)) == 0 && outfile_replace(o)));
    int why = errno;
    if (!ok && o->beside.len) unlink(str_get(&o->beside));
    fclose(o->f);
    errno = ok ? 0 : why ? why : EIO;
    outfile_release(o);
    return ok;
}

void outfile_drop(outfile *o) {
    fclose(o->f);
    if (o->beside.len) unlink(str_get(&o->beside));
    outfile_release(o);
}

bool outfile_write(const char *path, const char *text, size_t size) {
    outfile *o = outfile_open(path);
    if (!o) return false;
    fwrite(text, 1, size, o->f);
    return outfile_commit(o);
}
