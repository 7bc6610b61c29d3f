// SPDX-License-Identifier: Apache-2.0
// Checkpoints: see checkpoint.h. Numbers are written as they are in memory: a file is for the machine it was
// written on. The reader trusts nothing: the bytes have checksums, and every number is checked before it is used.
//
//   header    magic, fingerprint, what the search does without
//   segment   bytes, checksums | point, asks, fired | marks and thin levels | of each partition far parents, records,
//             states
//
// On several ranks the file is the same: each writes its partitions to their places, the first the rest, and a search
// goes on on any number of ranks. All of them need to see the file.
//
// The kernel writes the file to disk when it likes: a crash of the machine leaves some of the segments, and
// the first incomplete one ends the file.
#include "explore/checkpoint.h"

#include "base/clock.h"
#include "explore/share.h"
#include "model/print.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

// At most a twentieth of the time goes into writing, unless that would leave more than a few seconds to lose; and a run
// that is young, as in a job that is killed again and again, has written something soon.
static const double least_seconds = 0.1, most_seconds = 3, times_as_long = 20, share_of_run = 0.01;
static const double lock_seconds = 1;  // a run that was killed may take this long to disappear

enum { ROOM = 1 << 18, LOOK_EVERY_STATES = 4096 };

typedef struct {
    char magic[16];
    uint64_t print, without;
} header;

enum { PIECES = 1 + STORE_PARTS };  // of a segment: what comes before the partitions, and these

typedef struct {
    uint64_t bytes, sum;
} piece;

// What a segment begins with: its length, the sum of its table, and the table of its pieces.
typedef struct {
    uint64_t bytes, sum;
    piece pieces[PIECES];
} segment;

// The search at the beginning of a block: what has the same name and type there, and the rest.
// clang-format off
#define POINT_FIELDS(X)                                                                                          \
    X(depth) X(levels_done) X(level_begin) X(level_end) X(last_size) X(last_last_size) X(block_begin) X(transitions) \
    X(states_expanded)
// clang-format on

typedef struct {
#define POINT_FIELD(name) __typeof__(((search *)0)->name) name;
    POINT_FIELDS(POINT_FIELD)
    uint64_t ninitial;
    selfcheck_counts done;
    double seconds;
    uint32_t nmarks, nthins;
    store_extent stored[STORE_PARTS];
    order_level open;
} point;

typedef struct {
    store_id state;
    uint32_t is_found, is_step;
} point_ask;

struct checkpoint {
    int fd;
    str path;
    uint64_t print, end;  // where the last whole segment ends
    point now, written;   // of this block; of the last segment
    bool is_set, has_warned;
    point_ask *asks;
    uint64_t *fired, *all_fired;  // by label: here, and on all ranks
    double began, written_at, write_seconds;
};

static const char magic[16] = "parvis point 7\n";

static const char *path_of(const search *s) { return str_get(&s->file->path); }

// ---- the fingerprint

static void add_numbers(const search *s, str *text) {
    const explore_options *o = s->options;
    const model *m = s->in->m;
    for (uint32_t i = 1; i < m->types.len; i++) str_printf(text, " %u", s->in->sort_size[i]);
    str_printf(text, " | %s %d %d %d %d %u |", sys_of(m, s->in->system)->name, s->is_reduced ? o->symmetry : 0,
               s->is_compact, o->check_deadlock, o->is_stuttering_stuck, o->most_errors);
    str_printf(text, " %u %u %u %d |", s->words, space_bits(s->x->sp), s->nlabels, STORE_PARTS);
    for (uint32_t i = 0; i < s->asks.len; i++) str_printf(text, " %d %s", s->asks.data[i].kind, s->asks.data[i].name);
    type_list permuted = {0};
    space_permuted(s->x->sp, &permuted);
    for (uint32_t i = 0; i < permuted.len; i++) str_printf(text, " | %u", permuted.data[i].id);
    vec_free(&permuted);
}

uint64_t checkpoint_print(const search *s) {
    str text = {0};
    print_model(s->in->m, &text);
    add_numbers(s, &text);
    uint64_t hash = XXH3_64bits(str_get(&text), text.len);
    str_free(&text);
    return hash;
}

// ---- bytes

// A place in the file, from which is read or to which is written.
typedef struct {
    int fd;
    uint64_t at;
    bool is_reading, is_broken;
    // writing
    XXH3_state_t *sum;
    unsigned char *room;
    size_t used;
} place;

static bool move_at(int fd, void *data, size_t size, uint64_t at, bool is_read) {
    for (ssize_t n; size; data = (char *)data + n, size -= (size_t)n, at += (uint64_t)n) {
        do n = is_read ? pread(fd, data, size, (off_t)at) : pwrite(fd, data, size, (off_t)at);
        while (n < 0 && errno == EINTR);
        if (n <= 0) return false;
    }
    return true;
}

static bool read_at(int fd, void *data, size_t size, uint64_t at) { return move_at(fd, data, size, at, true); }
static bool write_at(int fd, void *data, size_t size, uint64_t at) { return move_at(fd, data, size, at, false); }

static bool flush_place(place *x) {
    XXH3_64bits_update(x->sum, x->room, x->used);
    bool ok = write_at(x->fd, x->room, x->used, x->at);
    x->at += x->used;
    x->used = 0;
    return ok;
}

// One list of fields serves both ways.
static bool transfer(void *context, void *data, size_t size) {
    place *x = context;
    if (x->is_reading) {
        x->is_broken = !read_at(x->fd, data, size, x->at);
        x->at += size;
        return !x->is_broken;
    }
    for (size_t n; size; data = (char *)data + n, size -= n) {
        if (x->used == ROOM && !flush_place(x)) return false;
        n = size < ROOM - x->used ? size : ROOM - x->used;
        memcpy(x->room + x->used, data, n);
        x->used += n;
    }
    return true;
}

// ---- what a segment has

static uint64_t head_bytes(const search *s) {
    return sizeof(point) + s->asks.len * (uint64_t)sizeof(point_ask) + s->nlabels * (uint64_t)sizeof(uint64_t);
}

static bool transfer_head(place *x, search *s) {
    checkpoint *k = s->file;
    return transfer(x, &k->now, sizeof k->now) && transfer(x, k->asks, s->asks.len * sizeof *k->asks) &&
           transfer(x, k->all_fired, s->nlabels * sizeof *k->all_fired);
}

// Levels that were closed since the point are left out.
static bool transfer_order(place *x, order *o, const point *from, const point *to) {
    vec_reserve(&o->marks, to->nmarks);
    vec_reserve(&o->thins, to->nthins);
    uint32_t nmarks = to->nmarks - from->nmarks, nthins = to->nthins - from->nthins;
    return (!nmarks || transfer(x, o->marks.data + from->nmarks, nmarks * sizeof *o->marks.data)) &&
           (!nthins || transfer(x, o->thins.data + from->nthins, nthins));
}

// How far into a segment a partition is; that of no partition is the length. UINT64_MAX: no such segment follows.
static uint64_t part_place(const search *s, const point *from, const point *to, uint32_t part) {
    bool ok = from->nmarks <= to->nmarks && from->nthins <= to->nthins;
    uint64_t at =
        head_bytes(s) + (to->nmarks - from->nmarks) * (uint64_t)sizeof(order_mark) + (to->nthins - from->nthins);
    for (uint32_t p = 0; p < part; p++) {
        uint64_t bytes = store_bytes_between(s->x->states, from->stored[p], to->stored[p]);
        ok = ok && bytes != UINT64_MAX;
        at += bytes;
    }
    return ok ? at : UINT64_MAX;
}

// ---- sums

// Where a piece begins in a segment; that of none is the length.
static uint64_t piece_begin(const search *s, const point *from, const point *to, uint32_t i) {
    return i ? part_place(s, from, to, i - 1) : 0;
}

// Of states in files: of those that are new since the segment before.
static bool files_sum(const search *s, const point *from, const point *to, uint32_t part, uint64_t *sum) {
    uint64_t seed = s->file->print + part;
    return disk_sum(settle_files(s), part, from->stored[part].count, to->stored[part].count, seed, sum);
}

// Of the table of pieces. Two segments cannot change places, nor two pieces.
static uint64_t table_sum(const checkpoint *k, uint64_t begin, const segment *g) {
    return XXH3_64bits_withSeed(g->pieces, sizeof g->pieces, k->print + begin);
}

// ---- writing

// Who opens, locks and removes the file, and writes what all ranks know.
static bool is_first_rank(const search *s) { return !s->options->ranks || !s->options->ranks->mine; }

// A search that is read is divided from the beginning.
static bool checkpoint_is_mine(const search *s, uint32_t part) {
    const ranks_job *with = s->options->ranks;
    return !with || share_part_owner(with, part) == with->mine;
}

static bool write_first(search *s, place *x) {
    const checkpoint *k = s->file;
    return transfer_head(x, s) && transfer_order(x, &s->x->numbers, &k->written, &k->now);
}

// How often rules fired, over all ranks.
static void sum_fired(search *s) {
    checkpoint *k = s->file;
    memcpy(k->all_fired, k->fired, s->nlabels * sizeof *k->fired);
    share_sum(s, k->all_fired, s->nlabels);
}

static bool write_body(search *s, uint32_t i, place *x) {
    const checkpoint *k = s->file;
    if (!i) return write_first(s, x);
    return store_save(s->x->states, i - 1, k->written.stored[i - 1], k->now.stored[i - 1], transfer, x);
}

static bool write_piece(search *s, uint64_t begin, uint32_t i, uint64_t *sum) {
    const checkpoint *k = s->file;
    if (i && s->settled) return files_sum(s, &k->written, &k->now, i - 1, sum);
    place x = {.fd = k->fd, .at = begin + piece_begin(s, &k->written, &k->now, i), .room = mem_alloc(ROOM)};
    x.sum = XXH3_createState();
    XXH3_64bits_reset_withSeed(x.sum, k->print + x.at);
    bool ok = write_body(s, i, &x) && flush_place(&x);
    *sum = XXH3_64bits_digest(x.sum);
    XXH3_freeState(x.sum);
    free(x.room);
    return ok;
}

// Each rank its partitions; afterwards all know the sums. False with errno set.
static bool write_pieces(search *s, uint64_t begin, segment *g) {
    uint64_t all[PIECES + 2] = {0}, *nfailed = &all[PIECES], *why = &all[PIECES + 1];
    bool ok = true;
    sum_fired(s);
    for (uint32_t i = 0; ok && i < PIECES; i++)
        if (i ? share_owns(s, i - 1) : is_first_rank(s)) ok = write_piece(s, begin, i, &all[i]);
    *nfailed = !ok;
    *why = ok ? 0 : (uint64_t)errno;
    share_sum(s, all, PIECES + 2);
    for (uint32_t i = 0; i < PIECES; i++) g->pieces[i].sum = all[i];
    if (*nfailed) errno = (int)(*why / *nfailed);  // most often all have the same
    return !*nfailed;
}

// What it begins with comes last: without that it is not there.
static bool append_segment(search *s) {
    checkpoint *k = s->file;
    uint64_t begin = k->end + sizeof(segment), at = 0;
    segment done = {.bytes = piece_begin(s, &k->written, &k->now, PIECES)};
    for (uint32_t i = 0; i < PIECES; at += done.pieces[i++].bytes)
        done.pieces[i].bytes = piece_begin(s, &k->written, &k->now, i + 1) - at;
    bool ok = !is_first_rank(s) || write_at(k->fd, &(segment){0}, sizeof(segment), k->end);
    ok &= write_pieces(s, begin, &done);
    done.sum = table_sum(k, begin, &done);
    if (is_first_rank(s)) ok = ok && write_at(k->fd, &done, sizeof done, k->end);
    ok = share_decision(s->options, ok);
    if (ok) k->end = begin + done.bytes;
    if (ok) k->written = k->now;
    return ok;
}

// What a full disk took of a segment is given back; the next one may find room.
static void write_now(search *s) {
    checkpoint *k = s->file;
    double began = clock_seconds();
    limits_saving(&s->options->limits, true);
    bool ok = append_segment(s);
    int why = errno;
    limits_saving(&s->options->limits, false);
    if (!ok && is_first_rank(s) && (ftruncate(k->fd, (off_t)k->end) != 0 || !k->has_warned)) {
        diag_warning(s->in->m->messages, (span){0}, "the checkpoint '%s' cannot be written: %s", path_of(s),
                     strerror(why));
        k->has_warned = true;
    }
    k->written_at = clock_seconds();
    k->write_seconds = k->written_at - began;
}

// ---- is what was read a search of this model?

static bool checkpoint_is_stored(const search *s, store_id id) {
    return store_id_part(id) < STORE_PARTS && store_id_local(id) < s->x->numbers.counts[store_id_part(id)];
}

static bool are_asks_sound(const search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const point_ask *a = &s->file->asks[i];
        if (a->is_found && !checkpoint_is_stored(s, a->state)) return false;
    }
    return true;
}

static bool is_level_sound(const search *s, const point *k) {
    uint64_t size = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        if (k->level_begin[p] > k->level_end[p] || k->level_end[p] > k->stored[p].count) return false;
        if (k->stored[p].first_whole > (s->is_compact ? k->level_begin[p] : 0)) return false;
        size += k->level_end[p] - k->level_begin[p];
    }
    return k->block_begin <= size && k->levels_done <= k->depth;
}

static bool checkpoint_is_sound(const search *s) {
    const point *k = &s->file->now;
    uint64_t total = order_total(&s->x->numbers);
    return is_level_sound(s, k) && are_asks_sound(s) && k->ninitial <= total && k->seconds >= 0 &&
           k->states_expanded <= total && order_is_sound(&s->x->numbers) &&
           batches_are_sound(s, k->level_begin, k->level_end);
}

static bool are_files_sound(const search *s, const space_shape *shape, uint32_t part) {
    const store *states = s->x->states;
    uint32_t count = store_count(states, part);
    uint64_t *room = mem_alloc(((size_t)STRIP_STATES * s->words + 1) * sizeof *room);
    bool is_sound = true;
    for (uint32_t i = 0, n; is_sound && i < count; i += n) {
        n = count - i < STRIP_STATES ? count - i : STRIP_STATES;
        is_sound = store_read(states, store_id_of(part, i), n, room);
        for (uint32_t k = 0; is_sound && k < n; k++) {
            const uint64_t *state = room + (size_t)k * s->words;
            is_sound = store_hash_part(store_hash(states, state)) == part && space_shape_fits(shape, state);
        }
        if (i % LOOK_EVERY_STATES == 0 && limits_met(&s->options->limits)) break;
    }
    free(room);
    return is_sound;
}

static bool are_states_sound(const search *s, const space_shape *shape, uint32_t part) {
    if (s->settled) return are_files_sound(s, shape, part);
    const store *states = s->x->states;
    uint32_t whole = store_first_whole(states, part), count = store_count(states, part);
    uint64_t state[s->words + 1];
    for (uint32_t i = 0; i < count; i++) {
        store_id id = store_id_of(part, i);
        if (!store_is_in_place(states, id)) return false;
        if (i >= whole) store_get(states, id, state);
        if (i >= whole && !space_shape_fits(shape, state)) return false;
        if (i % LOOK_EVERY_STATES == 0 && limits_met(&s->options->limits)) return true;
    }
    return true;
}

// Initial states have no parent, and those of others lie in an earlier batch: the way back ends.
static bool is_part_sound(const search *s, const space_shape *shape, uint32_t part) {
    order_cursor c = {.o = &s->x->numbers, .part = STORE_PARTS};
    return store_count(s->x->states, part) == s->x->numbers.counts[part] &&
           store_parents_are_sound(s->x->states, part, order_batch_first, &c) && are_states_sound(s, shape, part);
}

// ---- reading

static checkpoint_start checkpoint_refuse(search *s, const char *what, const char *why) {
    diag_error(s->in->m->messages, (span){0}, "the checkpoint '%s' %s%s", path_of(s), what, why);
    return CHECKPOINT_REFUSED;
}

// Each rank looks at its own files: those of others may be on another machine.
static bool has_files_sum(const search *s, const point *from, const point *to, uint32_t part, const piece *p) {
    uint64_t sum;
    return !checkpoint_is_mine(s, part) || (files_sum(s, from, to, part, &sum) && sum == p->sum);
}

static bool has_piece_sum(const checkpoint *k, uint64_t begin, const piece *p, unsigned char *room) {
    XXH3_state_t *sum = XXH3_createState();
    XXH3_64bits_reset_withSeed(sum, k->print + begin);
    bool ok = true;
    for (uint64_t done = 0, n; ok && done < p->bytes; done += n) {
        n = p->bytes - done < ROOM ? p->bytes - done : ROOM;
        ok = read_at(k->fd, room, n, begin + done);
        XXH3_64bits_update(sum, room, n);
    }
    ok = ok && XXH3_64bits_digest(sum) == p->sum;
    XXH3_freeState(sum);
    return ok;
}

static bool has_sums(const search *s, uint64_t begin, const segment *g, const point *from, const point *to) {
    const checkpoint *k = s->file;
    unsigned char *room = mem_alloc(ROOM);
    bool ok = table_sum(k, begin, g) == g->sum;
    for (uint32_t i = 0; ok && i < PIECES; i++) {
        uint64_t at = piece_begin(s, from, to, i);
        ok = at + g->pieces[i].bytes == piece_begin(s, from, to, i + 1) &&
             (i && s->settled ? has_files_sum(s, from, to, i - 1, &g->pieces[i])
                              : has_piece_sum(k, begin + at, &g->pieces[i], room));
    }
    free(room);
    return ok;
}

// The segment at `at`, if it is whole: the search after it, and where it ends. Its sum may have been looked at before.
static bool next_segment(const search *s, uint64_t *at, uint64_t size, bool is_known, const point *from, point *to) {
    const checkpoint *k = s->file;
    uint64_t begin = *at + sizeof(segment);
    segment g;
    if (begin > size || !read_at(k->fd, &g, sizeof g, *at)) return false;
    if (g.bytes < sizeof *to || g.bytes > size - begin || !read_at(k->fd, to, sizeof *to, begin)) return false;
    if (g.bytes != part_place(s, from, to, STORE_PARTS) || (!is_known && !has_sums(s, begin, &g, from, to)))
        return false;
    *at = begin + g.bytes;
    return true;
}

// Several threads read, each whole partitions, and then look at them.
typedef struct {
    search *s;
    space_shape *shape;
    bool is_checking;
    _Atomic uint32_t next_part, nfailed;
    _Atomic bool is_full;
} reading;

static bool load_part(reading *r, uint32_t part) {
    search *s = r->s;
    const checkpoint *k = s->file;
    if (s->settled) return disk_cut(settle_files(s), part, k->now.stored[part].count);
    point from = {0}, to;
    for (uint64_t at = sizeof(header), begin; begin = at, at < k->end; from = to) {
        if (limits_met(&s->options->limits)) return true;
        if (!next_segment(s, &at, k->end, true, &from, &to)) return false;
        place x = {.fd = k->fd, .is_reading = true, .at = begin + sizeof(segment) + part_place(s, &from, &to, part)};
        if (!store_load(s->x->states, part, to.stored[part], transfer, &x)) {
            r->is_full |= !x.is_broken;
            return false;
        }
    }
    r->is_full |= !store_load_end(s->x->states, part);
    return !r->is_full;
}

static void read_parts(void *context, uint32_t number) {
    reading *r = context;
    (void)number;
    for (uint32_t part; (part = atomic_fetch_add(&r->next_part, 1)) < STORE_PARTS && !r->nfailed;)
        if (checkpoint_is_mine(r->s, part))
            r->nfailed += !(r->is_checking ? is_part_sound(r->s, r->shape, part) : load_part(r, part));
}

static void checkpoint_go_on(search *s) {
    const checkpoint *k = s->file;
    const point *p = &k->now;
#define POINT_BACK(name) memcpy(&s->name, &p->name, sizeof p->name);
    POINT_FIELDS(POINT_BACK)
    batches_begin(s);
    s->is_started = true;
    s->x->ninitial = p->ninitial;
    s->transitions_before = p->transitions;
    s->started -= p->seconds;
    s->tried.done = p->done;
    if (is_first_rank(s)) memcpy(s->workers[0]->fired, k->all_fired, s->nlabels * sizeof *k->all_fired);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        ask *a = &s->asks.data[i];
        a->is_found = k->asks[i].is_found;
        a->is_step = k->asks[i].is_step;
        a->state = k->asks[i].state;
    }
}

static checkpoint_start read_search(search *s, uint64_t last) {
    place x = {.fd = s->file->fd, .is_reading = true, .at = last + sizeof(segment)};
    reading r = {.s = s, .shape = space_shape_new(s->x->sp)};
    crew *threads = crew_new(s->nthreads);
    bool ok = transfer_head(&x, s);
    if (ok) crew_run(threads, read_parts, &r);
    for (uint32_t p = 0; p < STORE_PARTS; p++) s->x->numbers.counts[p] = s->file->now.stored[p].count;
    if (ok && s->settled) settle_resume(s, s->x->numbers.counts);
    bool is_cut = limits_met(&s->options->limits);
    ok = ok && !r.nfailed && (is_cut || checkpoint_is_sound(s));
    r.is_checking = true;
    r.next_part = 0;
    if (ok && !is_cut) crew_run(threads, read_parts, &r);
    crew_free(threads);
    space_shape_free(r.shape);
    if (r.is_full) return checkpoint_refuse(s, "does not fit into the memory allowed", "");
    if (!ok || r.nfailed) return checkpoint_refuse(s, "is damaged", "");
    return limits_met(&s->options->limits) ? CHECKPOINT_CUT : CHECKPOINT_RESUMED;
}

// ---- opening

// Some file systems have no locks: then nobody looks after it.
static bool checkpoint_is_free(int fd) {
    for (double until = clock_seconds() + lock_seconds; clock_seconds() < until; usleep(10000))
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    return false;
}

// A file that has just been made, here or by a run that was killed at once, is empty.
static checkpoint_start checkpoint_read_header(search *s, uint64_t size) {
    checkpoint *k = s->file;
    header h = {.print = k->print, .without = s->without};
    memcpy(h.magic, magic, sizeof h.magic);
    if (!size && !write_at(k->fd, &h, sizeof h, 0)) return checkpoint_refuse(s, "cannot be written: ", strerror(errno));
    bool is_ours = read_at(k->fd, &h, sizeof h, 0) && !memcmp(h.magic, magic, sizeof "parvis point " - 1);
    if (!is_ours) return checkpoint_refuse(s, "is not a checkpoint", "");
    if (memcmp(h.magic, magic, sizeof magic))
        return checkpoint_refuse(s, "was written by another version of parvis: finish it with that one, or remove it",
                                 "");
    if (h.without != s->without && !s->without && h.without < SEARCH_WITHOUTS) {
        s->without = (uint32_t)h.without;
        return CHECKPOINT_WITHOUT;
    }
    if (h.print != k->print || h.without != s->without)
        return checkpoint_refuse(s, "belongs to another model, other sizes or other options", "");
    return CHECKPOINT_NONE;
}

// A run that was killed while it wrote its first segment leaves the place of length and checksum empty.
static checkpoint_start read_nothing(search *s) {
    segment first = {0};
    bool is_there = read_at(s->file->fd, &first, sizeof first, sizeof(header)) && (first.bytes || first.sum);
    const char *what = s->settled ? "cannot be used: files of states are damaged or somewhere else" : "is damaged";
    return is_there ? checkpoint_refuse(s, what, "") : CHECKPOINT_NONE;
}

// Files that are not there are empty ones, which have too few states.
static void open_files_of_states(const search *s) {
    for (uint32_t p = 0; s->settled && p < STORE_PARTS; p++)
        if (checkpoint_is_mine(s, p) && !disk_open(settle_files(s), p)) return;
}

// The levels of all whole segments; where the last one begins, or 0. Sums are looked at by the first rank, those of
// files of states by all.
static uint64_t read_levels(search *s, uint64_t size) {
    checkpoint *k = s->file;
    order *o = &s->x->numbers;
    uint64_t last = 0, at = k->end = sizeof(header);
    point to;
    k->written = (point){0};
    if (size > at) open_files_of_states(s);
    for (; next_segment(s, &at, size, !is_first_rank(s) && !s->settled, &k->written, &to); k->end = at) {
        place x = {.fd = k->fd, .is_reading = true, .at = k->end + sizeof(segment) + head_bytes(s)};
        if (!transfer_order(&x, o, &k->written, &to)) break;
        last = k->end;
        k->written = to;
        if (limits_met(&s->options->limits)) break;
    }
    o->open = k->written.open;
    o->marks.len = k->written.nmarks;
    o->thins.len = k->written.nthins;
    return last;
}

// A folder without a search in it may have files of the user, called as ours would be: these are not touched.
static bool has_files_of_others(search *s, int how) {
    if (!s->settled || disk_is_clean(settle_files(s))) return false;
    int made = open(path_of(s), how | O_CREAT | O_EXCL, 0666);
    if (made < 0) return false;
    close(made);
    unlink(path_of(s));
    return true;
}

static bool make_folder(const search *s) {
    return !s->settled || mkdir(s->options->disk, 0777) == 0 || errno == EEXIST;
}

static checkpoint_start open_file(search *s, uint64_t *size) {
    checkpoint *k = s->file;
    struct stat st;
    int how = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    if (!make_folder(s)) return checkpoint_refuse(s, "cannot be written: ", strerror(errno));
    if (has_files_of_others(s, how))
        return checkpoint_refuse(s, "would be beside files called states.* or parents.* that are no search's", "");
    k->fd = open(path_of(s), how | O_CREAT, 0666);
    if (k->fd < 0) return checkpoint_refuse(s, "cannot be written: ", strerror(errno));
    if (fstat(k->fd, &st) != 0 || !S_ISREG(st.st_mode)) return checkpoint_refuse(s, "is not an ordinary file", "");
    if (!checkpoint_is_free(k->fd)) return checkpoint_refuse(s, "is in use by another run", "");
    if (fstat(k->fd, &st) != 0) return checkpoint_refuse(s, "cannot be read: ", strerror(errno));
    if (!st.st_nlink) return checkpoint_refuse(s, "was removed by a run that has just ended", "");
    *size = (uint64_t)st.st_size;
    return checkpoint_read_header(s, *size);
}

// What the first rank found, for all.
typedef struct {
    uint64_t start, without, last, end;
} opening;

static opening open_first(search *s) {
    uint64_t size = 0;
    opening o = {.start = open_file(s, &size), .without = s->without};
    if (o.start != CHECKPOINT_NONE) return o;
    o.last = read_levels(s, size);
    o.end = s->file->end;
    if (limits_met(&s->options->limits)) o.start = CHECKPOINT_CUT;
    else o.start = o.last ? CHECKPOINT_RESUMED : read_nothing(s);
    if (o.last && size > o.end)
        diag_note(s->in->m->messages, (span){0}, "the last %s bytes of '%s' were not written completely",
                  str_count(size - o.end), path_of(s));
    return o;
}

// The file as the first rank has it: a folder of states may be another one on each machine. It is small.
static bool share_file(search *s, uint64_t size) {
    checkpoint *k = s->file;
    ranks_job *with = s->options->ranks;
    char *bytes = mem_zero(size + 1, 1);
    uint64_t is_read = !is_first_rank(s) || read_at(k->fd, bytes, size, 0);
    with->tell(with, 0, &is_read, sizeof is_read);
    with->tell(with, 0, bytes, size);
    if (!is_first_rank(s)) k->fd = memfd_create("search", MFD_CLOEXEC);
    bool ok = is_read && k->fd >= 0 && (is_first_rank(s) || write_at(k->fd, bytes, size, 0));
    free(bytes);
    return ok;
}

// What all ranks have: segments up to where the first one ends for whom files of states are missing. Where the last of
// them begins, or 0.
static uint64_t agree_on_end(search *s, uint64_t last) {
    ranks_job *with = s->options->ranks;
    uint64_t end = s->file->end, *all = mem_zero(with->count, sizeof *all);
    with->gather(with, &s->file->end, all, sizeof *all);
    for (uint32_t i = 0; i < with->count; i++)
        if (all[i] < end) end = all[i];
    free(all);
    if (end == sizeof(header)) return 0;
    return end == s->file->end ? last : read_levels(s, end);
}

// With files of states, on all ranks: whether what the first one found can be used.
static checkpoint_start agree_on_files(search *s, opening *o) {
    bool is_resumed = o->start == CHECKPOINT_RESUMED;
    if (!is_resumed) return (checkpoint_start)o->start;
    if (!share_file(s, o->end)) s->file->end = sizeof(header);
    o->last = agree_on_end(s, is_first_rank(s) ? o->last : read_levels(s, o->end));
    if (limits_met(&s->options->limits)) return CHECKPOINT_CUT;
    if (o->last) return CHECKPOINT_RESUMED;
    return checkpoint_refuse(s, "cannot be used: files of states are damaged or somewhere else", "");
}

// The others read up to there.
static checkpoint_start open_other(search *s, const opening *o) {
    checkpoint *k = s->file;
    make_folder(s);  // on a machine of its own; if it cannot be made, files in it say so
    s->without = (uint32_t)o->without;
    k->end = sizeof(header);
    bool is_used = o->start == CHECKPOINT_NONE || o->start == CHECKPOINT_RESUMED;
    if (!is_used || s->settled) return (checkpoint_start)o->start;
    k->fd = open(path_of(s), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (k->fd < 0) return CHECKPOINT_REFUSED;
    if (o->start == CHECKPOINT_RESUMED && read_levels(s, o->end) != o->last)
        return limits_met(&s->options->limits) ? CHECKPOINT_CUT : CHECKPOINT_REFUSED;
    return (checkpoint_start)o->start;
}

// One that cannot go on keeps all from it.
static checkpoint_start agree_on_start(search *s, checkpoint_start mine) {
    ranks_job *with = s->options->ranks;
    if (!with) return mine;
    checkpoint_start *all = mem_zero(with->count, sizeof *all), worst = mine;
    with->gather(with, &mine, all, sizeof mine);
    for (uint32_t i = 0; i < with->count; i++)
        if (all[i] == CHECKPOINT_REFUSED || (all[i] == CHECKPOINT_CUT && worst != CHECKPOINT_REFUSED)) worst = all[i];
    free(all);
    if (worst == CHECKPOINT_REFUSED && mine != CHECKPOINT_REFUSED)
        checkpoint_refuse(
            s, "cannot be used by another rank: all of them must see the file, and have room for their part", "");
    return worst;
}

static checkpoint_start open_and_read(search *s) {
    opening o = {0};
    if (is_first_rank(s)) o = open_first(s);
    if (s->options->ranks) s->options->ranks->tell(s->options->ranks, 0, &o, sizeof o);
    checkpoint_start start = is_first_rank(s) ? (checkpoint_start)o.start : open_other(s, &o);
    if (s->settled && s->options->ranks) start = agree_on_files(s, &o);
    start = agree_on_start(s, start);
    if (start != CHECKPOINT_RESUMED) return start;
    start = agree_on_start(s, read_search(s, o.last));
    if (start != CHECKPOINT_RESUMED) return start;
    checkpoint_go_on(s);
    share_resume(s);
    diag_note(s->in->m->messages, (span){0}, "continuing from '%s': %s states, depth %u", path_of(s),
              str_count(order_total(&s->x->numbers)), s->depth);
    return start;
}

static void close_file(search *s) {
    checkpoint *k = s->file;
    if (k->fd >= 0) close(k->fd);
    str_free(&k->path);
    free(k->asks);
    free(k->fired);
    free(k->all_fired);
    free(k);
    s->file = NULL;
}

// ---- the life of a checkpoint

static void set_path(const search *s, str *path) {
    if (s->settled) str_printf(path, "%s/search", s->options->disk);
    else str_add(path, s->options->checkpoint);
}

checkpoint_start checkpoint_begin(search *s) {
    if (!s->options->checkpoint && !s->settled) return CHECKPOINT_NONE;
    checkpoint *k = s->file = mem_zero(1, sizeof *k);
    set_path(s, &k->path);
    k->asks = mem_zero(s->asks.len + 1, sizeof *k->asks);
    k->fired = mem_zero(s->nlabels + 1, sizeof *k->fired);
    k->all_fired = mem_zero(s->nlabels + 1, sizeof *k->all_fired);
    k->print = checkpoint_print(s);
    k->fd = -1;
    checkpoint_start start = open_and_read(s);
    k->began = k->written_at = clock_seconds();
    bool is_used = start == CHECKPOINT_NONE || start == CHECKPOINT_RESUMED;
    bool is_cut = is_used && is_first_rank(s) && ftruncate(k->fd, (off_t)k->end) != 0;
    if (!is_used || share_decision(s->options, is_cut)) close_file(s);
    return start;
}

static double wait_of(const checkpoint *k) {
    double wait = times_as_long * k->write_seconds, part = share_of_run * (k->written_at - k->began);
    double most = most_seconds + k->write_seconds;
    wait = wait > part ? wait : part;
    return wait < least_seconds ? least_seconds : wait > most ? most : wait;
}

static void note_search(search *s) {
    checkpoint *k = s->file;
    point *p = &k->now;
#define POINT_NOTE(name) memcpy(&p->name, &s->name, sizeof p->name);
    POINT_FIELDS(POINT_NOTE)
    p->ninitial = s->x->ninitial;
    p->done = s->tried.done;
    p->seconds = clock_seconds() - s->started;
    p->nmarks = s->x->numbers.marks.len;
    p->nthins = s->x->numbers.thins.len;
    p->open = s->x->numbers.open;
    for (uint32_t i = 0; i < STORE_PARTS; i++) p->stored[i] = share_extent(s, i);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const ask *a = &s->asks.data[i];
        k->asks[i] = (point_ask){.state = a->state, .is_found = a->is_found, .is_step = a->is_step};
    }
    memset(k->fired, 0, s->nlabels * sizeof *k->fired);
    for (uint32_t i = 0; i < s->nworkers; i++)
        for (uint32_t l = 0; l < s->nlabels; l++) k->fired[l] += s->workers[i]->fired[l];
    k->is_set = true;
}

bool checkpoint_is_due(const search *s) {
    const checkpoint *k = s->file;
    return k && clock_seconds() - k->written_at > wait_of(k);
}

// Ranks write together, when the first one says so; before they have divided the search there is little to lose.
void checkpoint_block(search *s) {
    if (!s->file || (s->options->ranks && !s->is_shared)) return;
    note_search(s);
    if (s->settled ? settle_is_saved(s) : s->is_shared ? share_is_due(s) : checkpoint_is_due(s)) write_now(s);
}

void checkpoint_each_id(search *s, void (*visit)(store_id *id, void *context), void *context) {
    checkpoint *k = s->file;
    if (!k || !k->is_set) return;
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (k->asks[i].is_found) visit(&k->asks[i].state, context);
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        store_id end = store_id_of(p, k->now.stored[p].count);
        visit(&end, context);
        k->now.stored[p].count = store_id_local(end);
    }
}

static bool is_search_done(const search *s) {
    int end = atomic_load(&s->end);
    return end == END_COMPLETE || end == END_VIOLATION || s->tried.failed.is_found;
}

bool checkpoint_is_kept(const search *s) { return !s->file || (!is_search_done(s) && s->file->end > sizeof(header)); }

// Its lock stays: nobody else begins here yet.
void checkpoint_empty(search *s) {
    if (is_first_rank(s) && ftruncate(s->file->fd, 0) != 0) unlink(path_of(s));
    s->file->end = sizeof(header);
}

void checkpoint_free(search *s) {
    if (!s->file) return;
    if (is_first_rank(s) && !checkpoint_is_kept(s)) unlink(path_of(s));
    close_file(s);
}

// Where files could not be written, the last checkpoint says what is in them.
void checkpoint_end(search *s) {
    checkpoint *k = s->file;
    if (!k) return;
    bool is_written = !s->settled || (settle_has_begun(s) && !settle_has_failed(s));
    if (!is_search_done(s) && k->is_set && is_written) write_now(s);
    if (!s->settled) checkpoint_free(s);
}
