// SPDX-License-Identifier: Apache-2.0
// Checkpoints: see checkpoint.h. Numbers are written as they lie in memory: a file is for the machine it was
// written on. A reader believes nothing: the bytes have a checksum, and every number is looked at before it is used.
#include "explore/checkpoint.h"

#include "base/clock.h"
#include "base/outfile.h"
#include "model/print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const char magic[16] = "parvis point 2\n";
// A small part of the time goes into writing, unless that would leave more than a few seconds to lose: a job that is
// killed again and again must come to its end.
static const double least_seconds = 0.5, times_as_long = 30, most_seconds = 3;

// ---- the fingerprint

static void add_numbers(const search *s, str *text) {
    const explore_options *o = s->options;
    const model *m = s->in->m;
    for (uint32_t i = 1; i < m->types.len; i++) str_printf(text, " %u", s->in->sort_size[i]);
    str_printf(text, " | %s %d %d %d %d %u |", sys_of(m, s->in->system)->name,
               s->is_reduced ? o->symmetry : 0, s->is_compact, o->check_deadlock, o->is_stuttering_stuck,
               o->most_errors);
    str_printf(text, " %u %u %u %d |", s->words, space_bits(s->x->sp), s->nlabels, STORE_PARTS);
    for (uint32_t i = 0; i < s->asks.len; i++)
        str_printf(text, " %d %s", s->asks.data[i].kind, s->asks.data[i].name);
}

static uint64_t fingerprint(const search *s) {
    str text = {0};
    print_model(s->in->m, &text);
    add_numbers(s, &text);
    uint64_t hash = XXH3_64bits(str_get(&text), text.len);
    str_free(&text);
    return hash;
}

// ---- files

typedef struct {
    FILE *f;
    XXH3_state_t *sum;
    bool is_reading, ok;
    uint64_t size;  // reading: of the file
} stream_file;

// One list of fields serves both ways.
static bool transfer(void *context, void *data, size_t size) {
    stream_file *x = context;
    if (!x->ok || !size) return x->ok;
    size_t n = x->is_reading ? fread(data, 1, size, x->f) : fwrite(data, 1, size, x->f);
    x->ok = n == size;
    if (!x->is_reading) XXH3_64bits_update(x->sum, data, size);
    return x->ok;
}

// Levels that were closed since are left out.
static void transfer_order(stream_file *x, search *s) {
    order *o = &s->x->numbers;
    checkpoint_mark *k = &s->mark;
    transfer(x, &k->open, sizeof k->open);
    transfer(x, &k->nmarks, sizeof k->nmarks);
    transfer(x, &k->nthins, sizeof k->nthins);
    uint64_t bytes =
        k->nmarks * (uint64_t)sizeof *o->marks.data + k->nthins * (uint64_t)sizeof *o->thins.data;
    if (x->is_reading && bytes > x->size) x->ok = false;
    if (!x->ok) return;
    vec_reserve(&o->marks, k->nmarks);
    vec_reserve(&o->thins, k->nthins);
    transfer(x, o->marks.data, k->nmarks * sizeof *o->marks.data);
    transfer(x, o->thins.data, k->nthins * sizeof *o->thins.data);
}

static void transfer_search(stream_file *x, search *s) {
    checkpoint_mark *k = &s->mark;
    transfer(x, &s->x->ninitial, sizeof s->x->ninitial);
    transfer(x, &s->is_started, sizeof s->is_started);
    transfer(x, &s->depth, sizeof s->depth);
    transfer(x, &s->levels_done, sizeof s->levels_done);
    transfer(x, s->level_begin, sizeof s->level_begin);
    transfer(x, s->level_end, sizeof s->level_end);
    transfer(x, &s->last_size, sizeof s->last_size);
    transfer(x, &s->last_last_size, sizeof s->last_last_size);
    transfer(x, &k->transitions, sizeof k->transitions);
    transfer(x, &k->states_expanded, sizeof k->states_expanded);
    transfer(x, &k->block_begin, sizeof k->block_begin);
    transfer(x, &k->seconds, sizeof k->seconds);
    transfer(x, k->counts, sizeof k->counts);
    transfer(x, k->asks, s->asks.len * sizeof *k->asks);
    transfer_order(x, s);
}

// ---- writing

static bool write_all(search *s, FILE *f) {
    char head[sizeof magic];
    uint64_t print = s->mark.print, sum;
    stream_file x = {.f = f, .sum = XXH3_createState(), .ok = true};
    XXH3_64bits_reset(x.sum);
    memcpy(head, magic, sizeof head);
    transfer(&x, head, sizeof head);
    transfer(&x, &print, sizeof print);
    transfer_search(&x, s);
    x.ok = x.ok && store_save(s->x->states, s->mark.counts, transfer, &x);
    sum = XXH3_64bits_digest(x.sum);
    XXH3_freeState(x.sum);
    return x.ok && fwrite(&sum, sizeof sum, 1, f) == 1;
}

static bool replace(search *s) {
    outfile *o = outfile_open(s->options->checkpoint);
    if (!o) return false;
    if (write_all(s, outfile_stream(o))) return outfile_commit(o);
    int why = errno;
    outfile_drop(o);
    errno = why;
    return false;
}

static void write_now(search *s) {
    double began = clock_seconds();
    limits_saving(&s->options->limits, true);
    s->mark.is_on = replace(s);
    limits_saving(&s->options->limits, false);
    if (!s->mark.is_on)
        diag_warning(s->in->m->messages, (span){0}, "the checkpoint '%s' cannot be written: %s",
                     s->options->checkpoint, strerror(errno));
    s->mark.written_at = clock_seconds();
    s->mark.write_seconds = s->mark.written_at - began;
}

// ---- reading

static bool refuse(search *s, const char *what, const char *why) {
    diag_error(s->in->m->messages, (span){0}, "the checkpoint '%s' %s%s", s->options->checkpoint, what, why);
    return false;
}

static uint64_t size_of(FILE *f) {
    struct stat st;
    return fstat(fileno(f), &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

// The checksum of all but the last eight bytes, which hold it.
static bool is_whole(FILE *f) {
    unsigned char room[1 << 16];
    XXH3_state_t *sum = XXH3_createState();
    XXH3_64bits_reset(sum);
    uint64_t expected = 0;
    fseek(f, 0, SEEK_END);
    long rest = ftell(f) - (long)sizeof expected;
    rewind(f);
    while (rest > 0) {
        size_t n = fread(room, 1, rest < (long)sizeof room ? (size_t)rest : sizeof room, f);
        if (!n) break;
        XXH3_64bits_update(sum, room, n);
        rest -= (long)n;
    }
    bool ok =
        rest == 0 && fread(&expected, sizeof expected, 1, f) == 1 && XXH3_64bits_digest(sum) == expected;
    XXH3_freeState(sum);
    rewind(f);
    return ok;
}

static void order_go_on(order *o, const checkpoint_mark *k) {
    o->open = k->open;
    o->marks.len = k->nmarks;
    o->thins.len = k->nthins;
}

static void go_on(search *s) {
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        s->level_prefix[p + 1] = s->level_prefix[p] + (s->level_end[p] - s->level_begin[p]);
    s->level_size = s->level_prefix[STORE_PARTS];
    s->block_begin = s->mark.block_begin;
    s->transitions = s->transitions_before = s->mark.transitions;
    s->states_expanded = s->mark.states_expanded;
    s->started -= s->mark.seconds;
    s->seconds_before = s->mark.seconds;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        ask *a = &s->asks.data[i];
        a->is_found = s->mark.asks[i].is_found;
        a->is_step = s->mark.asks[i].is_step;
        a->state = s->mark.asks[i].state;
    }
}

// ---- is what was read a search of this model?

static bool is_stored(const search *s, store_id id) {
    return store_id_part(id) < STORE_PARTS &&
           store_id_local(id) < store_count(s->x->states, store_id_part(id));
}

static bool are_asks_sound(const search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const checkpoint_ask *a = &s->mark.asks[i];
        if (a->is_found && !is_stored(s, a->state)) return false;
    }
    return true;
}

static bool is_level_sound(const search *s) {
    uint64_t size = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        uint32_t stored = store_count(s->x->states, p);
        bool is_within = s->level_begin[p] <= s->level_end[p] && s->level_end[p] <= stored;
        if (!is_within || stored != s->mark.counts[p]) return false;
        size += s->level_end[p] - s->level_begin[p];
    }
    return s->mark.block_begin <= size && s->levels_done <= s->depth + 1;
}

// What the cells of a state may hold.
typedef struct {
    int64_t first, last;
    bool may_be_undefined, is_scratch;
} cell_range;

static cell_range *ranges_of(const instance *in) {
    cell_range *ranges = mem_zero(in->ncells + 1, sizeof *ranges);
    value *args = mem_zero(MODEL_MOST_ARGS + 1, sizeof *args);
    for (uint32_t c = 0; c < in->ncells; c++) {
        const func_info *f = func_of(in->m, instance_cell_func(in, c, args));
        int64_t first = instance_type_first(in, f->result);
        ranges[c] = (cell_range){first, first + (int64_t)instance_type_size(in, f->result) - 1,
                                 f->may_be_undefined, f->is_scratch};
    }
    free(args);
    return ranges;
}

typedef struct {
    const search *s;
    cell_range *ranges;
    value *cells;
    uint64_t *state, *again;
} looking;

static bool are_cells_sound(const looking *l) {
    for (uint32_t c = 0; c < l->s->in->ncells; c++) {
        const cell_range *r = &l->ranges[c];
        bool is_undefined = r->may_be_undefined && l->cells[c] == VALUE_UNDEFINED;
        if (!r->is_scratch && !is_undefined && (l->cells[c] < r->first || l->cells[c] > r->last)) return false;
    }
    return true;
}

// Its values are of their types, and there is nothing beside them.
static bool is_state_sound(const looking *l, store_id id) {
    const space *sp = l->s->x->sp;
    store_get(l->s->x->states, id, l->state);
    space_unpack(sp, l->state, l->cells);
    space_pack(sp, l->cells, l->again);
    return are_cells_sound(l) && !memcmp(l->state, l->again, l->s->words * sizeof *l->state);
}

static bool is_part_sound(const looking *l, uint32_t part) {
    const store *states = l->s->x->states;
    uint32_t whole = store_first_whole(states, part), count = store_count(states, part);
    if (whole > (l->s->is_compact ? l->s->level_begin[part] : 0)) return false;
    for (uint32_t i = 0; i < count; i++) {
        store_id id = store_id_of(part, i);
        if (!store_is_in_place(states, id) || (i >= whole && !is_state_sound(l, id))) return false;
    }
    return true;
}

static bool are_states_sound(const search *s) {
    looking l = {.s = s, .ranges = ranges_of(s->in)};
    l.cells = mem_zero(s->in->ncells + 1, sizeof *l.cells);
    l.state = mem_zero(s->words + 1, sizeof *l.state);
    l.again = mem_zero(s->words + 1, sizeof *l.again);
    bool ok = true;
    for (uint32_t p = 0; ok && p < STORE_PARTS; p++) ok = is_part_sound(&l, p);
    free(l.ranges);
    free(l.cells);
    free(l.state);
    free(l.again);
    return ok;
}

// Initial states have no parent, and those of others lie in an earlier level: the way back ends.
static bool are_parents_sound(const search *s) {
    order_cursor c = {.o = &s->x->numbers, .s = s->x->states, .part = STORE_PARTS};
    return store_parents_are_sound(s->x->states, order_level_first, &c);
}

static bool is_sound(const search *s) {
    const checkpoint_mark *k = &s->mark;
    return is_level_sound(s) && are_asks_sound(s) && s->x->ninitial <= store_total(s->x->states) &&
           k->seconds >= 0 && k->states_expanded <= store_total(s->x->states) &&
           order_is_sound(&s->x->numbers, s->x->states) && are_parents_sound(s) && are_states_sound(s);
}

static bool read_all(search *s, FILE *f) {
    char head[sizeof magic];
    uint64_t print = 0;
    stream_file x = {.f = f, .is_reading = true, .ok = true, .size = size_of(f)};
    transfer(&x, head, sizeof head);
    if (!x.ok || memcmp(head, magic, sizeof head)) return refuse(s, "is no checkpoint", "");
    rewind(f);
    if (!is_whole(f)) return refuse(s, "is damaged", "");
    transfer(&x, head, sizeof head);
    transfer(&x, &print, sizeof print);
    if (print != s->mark.print) return refuse(s, "is of another model, other sizes or other options", "");
    transfer_search(&x, s);
    if (!x.ok) return refuse(s, "is damaged", "");
    bool is_loaded = store_load(s->x->states, transfer, &x);
    if (!x.ok) return refuse(s, "is damaged", "");
    if (!is_loaded) return refuse(s, "does not fit into the memory allowed", "");
    order_go_on(&s->x->numbers, &s->mark);
    if (!is_sound(s)) return refuse(s, "is damaged", "");
    go_on(s);
    return true;
}

// A new file can be made: better to know now than after hours.
static bool can_write(search *s) {
    outfile *o = outfile_open(s->options->checkpoint);
    if (o) outfile_drop(o);
    else refuse(s, "cannot be written: ", strerror(errno));
    return o != NULL;
}

// ---- the life of a checkpoint

checkpoint_start checkpoint_begin(search *s) {
    checkpoint_mark *k = &s->mark;
    if (!s->options->checkpoint || !s->is_alone) return CHECKPOINT_NONE;
    k->asks = mem_zero(s->asks.len + 1, sizeof *k->asks);
    k->print = fingerprint(s);
    k->written_at = clock_seconds();
    FILE *f = fopen(s->options->checkpoint, "rb");
    if (!f && errno != ENOENT) return refuse(s, "cannot be read: ", strerror(errno)), CHECKPOINT_REFUSED;
    bool ok = (!f || read_all(s, f)) && can_write(s);
    if (f) fclose(f);
    k->is_on = ok;
    if (!ok) return CHECKPOINT_REFUSED;
    if (!f) return CHECKPOINT_NONE;
    diag_note(s->in->m->messages, (span){0}, "going on from '%s': %s states, depth %u",
              s->options->checkpoint, str_count(store_total(s->x->states)), s->depth);
    return CHECKPOINT_RESUMED;
}

static double wait_of(const checkpoint_mark *k) {
    double wait = times_as_long * k->write_seconds, most = most_seconds + k->write_seconds;
    return wait < least_seconds ? least_seconds : wait > most ? most : wait;
}

void checkpoint_block(search *s) {
    checkpoint_mark *k = &s->mark;
    if (!k->is_on) return;
    for (uint32_t p = 0; p < STORE_PARTS; p++) k->counts[p] = store_count(s->x->states, p);
    k->transitions = s->transitions;
    k->states_expanded = s->states_expanded;
    k->block_begin = s->block_begin;
    k->seconds = clock_seconds() - s->started;
    k->open = s->x->numbers.open;
    k->nmarks = s->x->numbers.marks.len;
    k->nthins = s->x->numbers.thins.len;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const ask *a = &s->asks.data[i];
        k->asks[i] = (checkpoint_ask){.state = a->state, .is_found = a->is_found, .is_step = a->is_step};
    }
    k->is_set = true;
    if (clock_seconds() - k->written_at > wait_of(k)) write_now(s);
}

void checkpoint_end(search *s) {
    checkpoint_mark *k = &s->mark;
    explore_end end = (explore_end)atomic_load(&s->end);
    bool is_done = end == END_COMPLETE || end == END_VIOLATION;
    if (k->is_on && is_done) unlink(s->options->checkpoint);
    else if (k->is_on && k->is_set) write_now(s);
    free(k->asks);
}
