// SPDX-License-Identifier: Apache-2.0
// States in files: see disk.h.
#include "explore/disk.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ROOM_BYTES = 1 << 14, PAD = 8, SUM_BYTES = 1 << 16 };

typedef enum { FILE_STATES, FILE_PARENTS, FILE_KINDS } file_kind;

struct disk {
    char *folder;
    uint32_t nparts;
    size_t bytes[FILE_KINDS];  // of a record
    uint32_t room;             // records that are written at once
    int *fds;                  // by partition and kind; -1: not open
};

static int *disk_fd(const disk *d, uint32_t part, file_kind kind) { return &d->fds[part * FILE_KINDS + kind]; }

disk *disk_new(const char *folder, uint32_t nparts, uint32_t state_bytes) {
    disk *d = mem_zero(1, sizeof *d);
    *d = (disk){.nparts = nparts, .bytes = {state_bytes, sizeof(uint64_t)}};
    d->room = state_bytes < ROOM_BYTES ? ROOM_BYTES / (state_bytes + !state_bytes) : 1;
    d->folder = mem_alloc(strlen(folder) + 1);
    memcpy(d->folder, folder, strlen(folder) + 1);
    d->fds = mem_alloc((size_t)nparts * FILE_KINDS * sizeof *d->fds);
    for (uint32_t i = 0; i < nparts * FILE_KINDS; i++) d->fds[i] = -1;
    return d;
}

void disk_free(disk *d) {
    if (!d) return;
    for (uint32_t i = 0; i < d->nparts * FILE_KINDS; i++)
        if (d->fds[i] >= 0) close(d->fds[i]);
    free(d->fds);
    free(d->folder);
    free(d);
}

static void file_path(const disk *d, uint32_t part, file_kind kind, str *out) {
    static const char *const names[] = {[FILE_STATES] = "states", [FILE_PARENTS] = "parents"};
    str_printf(out, "%s/%s.%02u", d->folder, names[kind], part);
}

bool disk_is_clean(const disk *d) {
    bool is_clean = true;
    for (uint32_t i = 0; is_clean && i < d->nparts * FILE_KINDS; i++) {
        str path = {0};
        struct stat st;
        file_path(d, i / FILE_KINDS, (file_kind)(i % FILE_KINDS), &path);
        is_clean = lstat(str_get(&path), &st) != 0 || (S_ISREG(st.st_mode) && !st.st_size);
        str_free(&path);
    }
    return is_clean;
}

void disk_remove(disk *d) {
    for (uint32_t i = 0; i < d->nparts * FILE_KINDS; i++) {
        if (d->fds[i] < 0) continue;
        str path = {0};
        file_path(d, i / FILE_KINDS, (file_kind)(i % FILE_KINDS), &path);
        unlink(str_get(&path));
        str_free(&path);
    }
}

static bool file_open(disk *d, uint32_t part, file_kind kind) {
    str path = {0};
    struct stat st;
    file_path(d, part, kind, &path);
    int fd = open(str_get(&path), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    str_free(&path);
    int *kept = disk_fd(d, part, kind);
    if (*kept >= 0) close(*kept);
    *kept = fd;
    if (fd < 0 || fstat(fd, &st) != 0) return false;
    errno = EINVAL;
    return S_ISREG(st.st_mode);
}

static bool file_cut(disk *d, uint32_t part, file_kind kind, uint32_t count) {
    struct stat st;
    int fd = *disk_fd(d, part, kind);
    uint64_t size = (uint64_t)count * d->bytes[kind];
    if (fstat(fd, &st) != 0) return false;
    errno = ENODATA;
    return (uint64_t)st.st_size >= size && ftruncate(fd, (off_t)size) == 0;
}

bool disk_cut(disk *d, uint32_t part, uint32_t count) {
    return file_cut(d, part, FILE_STATES, count) && file_cut(d, part, FILE_PARENTS, count);
}

bool disk_open(disk *d, uint32_t part) {
    bool is_open = *disk_fd(d, part, FILE_STATES) >= 0 && *disk_fd(d, part, FILE_PARENTS) >= 0;
    return is_open || (file_open(d, part, FILE_STATES) && file_open(d, part, FILE_PARENTS));
}

// ---- reading

static bool file_read(int fd, void *to, size_t size, uint64_t at) {
    for (ssize_t n; size; to = (char *)to + n, size -= (size_t)n, at += (uint64_t)n) {
        do n = pread(fd, to, size, (off_t)at);
        while (n < 0 && errno == EINTR);
        if (n == 0) errno = ENODATA;
        if (n <= 0) return false;
    }
    return true;
}

static bool read_records(const disk *d, uint32_t part, file_kind kind, uint32_t first, uint32_t n, void *to) {
    return file_read(*disk_fd(d, part, kind), to, n * d->bytes[kind], (uint64_t)first * d->bytes[kind]);
}

bool disk_states(const disk *d, uint32_t part, uint32_t first, uint32_t n, unsigned char *to) {
    return read_records(d, part, FILE_STATES, first, n, to);
}

bool disk_parents(const disk *d, uint32_t part, uint32_t first, uint32_t n, uint64_t *to) {
    return read_records(d, part, FILE_PARENTS, first, n, to);
}

static bool add_to_sum(int fd, uint64_t at, uint64_t end, XXH3_state_t *sum) {
    unsigned char *room = mem_alloc(SUM_BYTES);
    bool ok = true;
    for (uint64_t n; ok && at < end; at += n) {
        n = end - at < SUM_BYTES ? end - at : SUM_BYTES;
        ok = file_read(fd, room, n, at);
        if (ok) XXH3_64bits_update(sum, room, n);
    }
    free(room);
    return ok;
}

bool disk_sum(const disk *d, uint32_t part, uint32_t first, uint32_t end, uint64_t seed, uint64_t *sum) {
    XXH3_state_t *state = XXH3_createState();
    bool ok = state != NULL;
    if (ok) XXH3_64bits_reset_withSeed(state, seed);
    for (uint32_t kind = 0; ok && kind < FILE_KINDS; kind++)
        ok = add_to_sum(*disk_fd(d, part, kind), first * (uint64_t)d->bytes[kind], end * (uint64_t)d->bytes[kind],
                        state);
    if (ok) *sum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return ok;
}

// ---- appending

static bool file_write(int fd, const void *from, size_t size, uint64_t at) {
    for (ssize_t n; size; from = (const char *)from + n, size -= (size_t)n, at += (uint64_t)n) {
        do n = pwrite(fd, from, size, (off_t)at);
        while (n < 0 && errno == EINTR);
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
    }
    return true;
}

size_t disk_append_bytes(const disk *d) { return d->room * (d->bytes[FILE_STATES] + d->bytes[FILE_PARENTS]) + PAD; }

disk_append disk_append_begin(disk *d, uint32_t part, uint32_t at) {
    return (disk_append){.d = d,
                         .part = part,
                         .at = at,
                         .states = mem_alloc(d->room * d->bytes[FILE_STATES] + PAD),
                         .parents = mem_alloc(d->room * sizeof(uint64_t))};
}

unsigned char *disk_append_place(disk_append *a) { return a->states + a->nwaiting * a->d->bytes[FILE_STATES]; }

static bool append_kind(disk_append *a, file_kind kind, const void *records) {
    size_t bytes = a->d->bytes[kind];
    return file_write(*disk_fd(a->d, a->part, kind), records, a->nwaiting * bytes, (uint64_t)a->at * bytes);
}

static bool append_waiting(disk_append *a) {
    if (a->has_failed) return false;
    a->has_failed = !append_kind(a, FILE_STATES, a->states) || !append_kind(a, FILE_PARENTS, a->parents);
    a->why = errno;
    a->at += a->nwaiting;
    a->nwaiting = 0;
    return !a->has_failed;
}

bool disk_append_add(disk_append *a, uint64_t parent) {
    a->parents[a->nwaiting++] = parent;
    return a->nwaiting < a->d->room || append_waiting(a);
}

bool disk_append_end(disk_append *a) {
    bool ok = append_waiting(a);
    free(a->states);
    free(a->parents);
    a->states = NULL;
    a->parents = NULL;
    errno = a->why;
    return ok;
}
