// SPDX-License-Identifier: Apache-2.0
// A search that is larger than memory: states in files (disk.h), with delayed duplicate detection (Korf 2004, Edelkamp
// and Sulewski 2008).
//
// The store of a search with files knows the states in memory only. One that a block puts there may be in a file
// already. From time to time, always between two blocks, all states in memory are settled: each partition's file is
// read from the beginning to the end, and the states in memory that occur in it are dropped; the others are appended in
// the order in which they were found, and memory is empty again. That happens when memory is short, at the end of a
// level, and where a limit of states must be met exactly.
//
// Why the answer is that of a search in memory. A state's number in its partition is how many states of the partition
// were found before; dropping duplicates afterwards, in order, gives the same numbers as not taking them in. Parents
// are numbers of states of the level before, which is settled. Blocks are cut by counts that are settled, too
// (search.c). A condition that fails in a state in memory fails in a state that is new, since an old one was checked
// when it was new. What remembers a state that is not settled gets its number then: findings, and what a checkpoint
// says of the beginning of the block.
//
// The files and a checkpoint (checkpoint.c) in the folder are a search to continue: a checkpoint is written after each
// time that all was settled.
#include "explore/checkpoint.h"
#include "explore/share.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 15, GROUP = 64, PAD = 8 };

struct settling {
    disk *files;
    bool has_begun, is_saved;
    bool has_failed;  // on some rank: nothing is moved any more
    bool has_warned;
    uint64_t peak;
    VEC(store_id) promises;  // in memory: states that are in a file, says the self-check
    _Atomic int why;         // errno of the first failure; 0: none
    uint32_t who;            // on which rank that was
    // while states are settled
    _Atomic uint32_t next_part;
    uint64_t *old[STORE_PARTS];    // of the states in memory: a bit, it is in the file
    uint32_t before[STORE_PARTS];  // states in the file before,
    uint32_t after[STORE_PARTS];   // and then
};

// ---- the life of the files

void settle_begin(search *s) {
    if (!s->options->disk || !s->is_alone || s->is_compact) return;
    s->settled = mem_zero(1, sizeof *s->settled);
    s->settled->files = disk_new(s->options->disk, STORE_PARTS, store_whole_bytes(s->x->states));
    store_use_disk(s->x->states, s->settled->files);
}

disk *settle_files(const search *s) { return s->settled ? s->settled->files : NULL; }

bool settle_has_failed(const search *s) { return s->settled && s->settled->has_failed; }

bool settle_has_begun(const search *s) { return s->settled && s->settled->has_begun; }

uint64_t settle_peak(const search *s) { return s->settled ? s->settled->peak : 0; }

uint64_t settle_bytes(const search *s) {
    if (!settle_has_begun(s)) return 0;
    return order_total(&s->x->numbers) * (store_whole_bytes(s->x->states) + sizeof(store_number));
}

bool settle_is_saved(search *s) {
    bool was = s->settled->is_saved;
    s->settled->is_saved = false;
    return was;
}

// First what says that they are there, on all ranks: a run that is killed meanwhile leaves nothing to continue from.
static void settle_remove_files(search *s) {
    checkpoint_empty(s);
    share_any(s, false);
    disk_remove(s->settled->files);
}

void settle_free(search *s) {
    settling *t = s->settled;
    if (!t) return;
    if (!checkpoint_is_kept(s)) settle_remove_files(s);
    disk_free(t->files);
    vec_free(&t->promises);
    free(t);
    s->settled = NULL;
}

void settle_resume(search *s, const uint32_t *counts) {
    store_clear(s->x->states, counts);
    s->settled->has_begun = true;
}

// ---- failures

static void note_why(settling *t, int why) {
    int expected = 0;
    atomic_compare_exchange_strong(&t->why, &expected, why ? why : EIO);
}

void settle_read_failed(search *s) {
    note_why(s->settled, errno);
    search_stop(s, END_DISK);
}

static void settle_warn(search *s) {
    settling *t = s->settled;
    int why = atomic_load(&t->why);
    if (!why || t->has_warned) return;
    t->has_warned = true;
    str where = {0};
    if (t->who) str_printf(&where, " of rank %u", t->who);
    diag_warning(s->in->m->messages, (span){0}, "the files%s in '%s' cannot be %s: %s", str_get(&where),
                 s->options->disk, why == ENOSPC || why == EFBIG || why == EDQUOT ? "written" : "used", strerror(why));
    str_free(&where);
}

// ---- one partition

static uint32_t in_memory(const search *s, uint32_t part) {
    return store_count(s->x->states, part) - store_on_disk(s->x->states, part);
}

static bool was_stored(const settling *t, uint32_t part, uint32_t i) { return t->old[part][i / 64] >> i % 64 & 1; }

static void mark_old(settling *t, uint32_t part, store_id found) {
    uint32_t i = store_id_local(found) - t->before[part];
    t->old[part][i / 64] |= UINT64_C(1) << i % 64;
}

// Records of a file that are looked for in memory together, so that memory has time to answer.
static void mark_group(search *s, uint32_t part, const unsigned char *records, uint32_t n, uint64_t *state) {
    const store *states = s->x->states;
    uint32_t prints[GROUP], guesses[GROUP], words = s->words;
    size_t bytes = store_whole_bytes(states);
    for (uint32_t i = 0; i < n; i++) {
        store_unpack(states, records + i * bytes, state + (size_t)i * words);
        prints[i] = store_hash_print(store_hash(states, state + (size_t)i * words));
    }
    store_prefetch(states, part, prints, n);
    store_guess(states, part, prints, n, guesses);
    store_expect(states, part, prints, n, guesses);
    for (uint32_t i = 0; i < n; i++) {
        store_id found = store_find_guessed(states, part, prints[i], state + (size_t)i * words, guesses[i]);
        if (found != STORE_NONE) mark_old(s->settled, part, found);
    }
}

static uint32_t records_at_once(const search *s) {
    uint32_t n = READ_BYTES / (store_whole_bytes(s->x->states) + 1);
    return n < GROUP ? GROUP : n;
}

// Which states in memory are in the file?
static bool mark_part(search *s, uint32_t part) {
    settling *t = s->settled;
    size_t bytes = store_whole_bytes(s->x->states);
    uint32_t most = records_at_once(s);
    unsigned char *room = mem_alloc(most * bytes + PAD);
    uint64_t *states = mem_alloc(((size_t)GROUP * s->words + 1) * sizeof *states);
    bool ok = true;
    for (uint32_t i = 0, n; ok && i < t->before[part]; i += n) {
        n = t->before[part] - i < most ? t->before[part] - i : most;
        ok = disk_states(t->files, part, i, n, room);
        for (uint32_t k = 0; ok && k < n; k += GROUP)
            mark_group(s, part, room + k * bytes, n - k < GROUP ? n - k : GROUP, states);
    }
    free(states);
    free(room);
    return ok;
}

// Those that are not go there.
static bool append_part(search *s, uint32_t part) {
    settling *t = s->settled;
    const store *states = s->x->states;
    store_parents parents = {0};
    uint64_t state[s->words + 1];
    disk_append a = disk_append_begin(t->files, part, t->before[part]);
    bool ok = true;
    for (uint32_t i = 0, n = in_memory(s, part); ok && i < n; i++) {
        store_number parent = store_next_parent(states, part, &parents);
        if (was_stored(t, part, i)) continue;
        store_get(states, store_id_of(part, t->before[part] + i), state);
        store_pack(states, state, disk_append_place(&a));
        ok = disk_append_add(&a, parent);
    }
    return disk_append_end(&a) && ok;
}

// Of the first n states in memory.
static uint32_t count_new(const settling *t, uint32_t part, uint32_t n) {
    uint32_t nold = (uint32_t)__builtin_popcountll(t->old[part][n / 64] & ((UINT64_C(1) << n % 64) - 1));
    for (uint32_t i = 0; i < n / 64; i++) nold += (uint32_t)__builtin_popcountll(t->old[part][i]);
    return n - nold;
}

static void settle_part(search *s, uint32_t part) {
    settling *t = s->settled;
    if (!in_memory(s, part)) return;
    bool ok = mark_part(s, part);
    t->after[part] = t->before[part] + count_new(t, part, in_memory(s, part));
    if (!ok || !append_part(s, part)) note_why(t, errno);
}

static void settle_parts(void *context, uint32_t number) {
    search *s = context;
    (void)number;
    for (uint32_t part; (part = atomic_fetch_add(&s->settled->next_part, 1)) < STORE_PARTS;)
        if (share_owns(s, part) && !s->settled->why) settle_part(s, part);
}

// ---- what remembers states

static store_id settled_id(const settling *t, store_id id) {
    uint32_t part = store_id_part(id), local = store_id_local(id);
    if (local < t->before[part]) return id;
    return store_id_of(part, t->before[part] + count_new(t, part, local - t->before[part]));
}

// On ranks: by the one that has it, for all.
static void settle_id(store_id *id, void *context) {
    search *s = context;
    uint64_t settled = share_owns(s, store_id_part(*id)) ? settled_id(s->settled, *id) : 0;
    share_sum(s, &settled, 1);
    *id = settled;
}

static void settle_ids(search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (s->asks.data[i].is_found && s->asks.data[i].kind != ASK_REACHES) settle_id(&s->asks.data[i].state, s);
    checkpoint_each_id(s, settle_id, s);
}

static void settle_counts(search *s) {
    uint64_t counts[STORE_PARTS];
    for (uint32_t p = 0; p < STORE_PARTS; p++) counts[p] = share_owns(s, p) ? s->settled->after[p] : 0;
    share_sum(s, counts, STORE_PARTS);
    for (uint32_t p = 0; p < STORE_PARTS; p++) s->x->numbers.counts[p] = s->settled->after[p] = (uint32_t)counts[p];
}

// Where the level that is being found was cut. Where files could not be written, some partitions are not settled.
static void settle_cut(search *s, order_level *cut) {
    uint64_t begin[STORE_PARTS];
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        uint32_t local = share_owns(s, p) ? store_id_local(settled_id(s->settled, store_id_of(p, cut->begin[p]))) : 0;
        begin[p] = local < s->settled->after[p] ? local : s->settled->after[p];
    }
    share_sum(s, begin, STORE_PARTS);
    cut->first = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) cut->first += cut->begin[p] = (uint32_t)begin[p];
}

static void settle_cuts(search *s) {
    order *o = &s->x->numbers;
    for (uint32_t i = o->marks.len; i-- && o->marks.data[i].is_cut;) settle_cut(s, &o->marks.data[i].level);
}

// One that is not kept ends the search of all ranks.
static void keep_promises(search *s) {
    settling *t = s->settled;
    uint64_t broken = 0;
    for (uint32_t i = 0; i < t->promises.len; i++) {
        store_id id = t->promises.data[i];
        broken += !was_stored(t, store_id_part(id), store_id_local(id) - t->before[store_id_part(id)]);
    }
    t->promises.len = 0;
    if (!share_any(s, broken > 0)) return;
    selfcheck_note(s->workers[0], 0, TRIED_PACKING, (span){0}, NULL, "the store does not have a successor of a state");
    selfcheck_end_block(s);
}

bool settle_expect(search *s, const uint64_t *state) {
    if (!settle_has_begun(s)) return false;
    uint64_t hash = store_hash(s->x->states, state);
    uint32_t part = store_hash_part(hash);
    if (store_put(s->x->states, part, store_hash_print(hash), state, STORE_NO_GUESS) != STORE_NEW) return true;
    vec_push(&s->settled->promises, store_id_of(part, store_count(s->x->states, part) - 1));
    return true;
}

// ---- all partitions

static bool open_files(search *s) {
    bool ok = true;
    for (uint32_t p = 0; ok && p < STORE_PARTS; p++)
        if (share_owns(s, p)) ok = disk_open(s->settled->files, p) && disk_cut(s->settled->files, p, 0);
    if (!ok) note_why(s->settled, errno);
    return ok;
}

static uint64_t room_bytes(const search *s) {
    uint64_t bytes = disk_append_bytes(s->settled->files) +
                     records_at_once(s) * (uint64_t)store_whole_bytes(s->x->states) + GROUP * s->words * UINT64_C(8);
    bytes *= s->nthreads;
    for (uint32_t p = 0; p < STORE_PARTS; p++) bytes += in_memory(s, p) / 8;
    return bytes;
}

static void settle_prepare(search *s) {
    settling *t = s->settled;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        t->before[p] = t->after[p] = store_on_disk(s->x->states, p);
        t->old[p] = share_owns(s, p) ? mem_zero(in_memory(s, p) / 64 + 1, sizeof *t->old[p]) : NULL;
    }
    atomic_store(&t->next_part, 0);
}

// States stay in memory, and what was appended is taken back: the checkpoint that was written last still holds.
static void settle_fail(search *s) {
    settling *t = s->settled;
    for (uint32_t p = 0; p < STORE_PARTS && t->has_begun; p++)
        if (share_owns(s, p)) disk_cut(t->files, p, t->before[p]);
    t->has_failed = true;
    search_stop(s, END_DISK);
    settle_warn(s);
}

// A state that is stored, for workers that begin later (expand.c): this rank may have no file with one.
static void settle_seed(search *s) {
    for (uint32_t p = 0; p < STORE_PARTS && !s->seed; p++) {
        if (!in_memory(s, p)) continue;
        s->seed = mem_zero(s->words + 1, sizeof *s->seed);
        store_get(s->x->states, store_id_of(p, store_on_disk(s->x->states, p)), s->seed);
    }
}

static void settle_done(search *s) {
    settling *t = s->settled;
    settle_ids(s);
    keep_promises(s);
    if (!t->has_begun) settle_seed(s);
    store_clear(s->x->states, t->after);
    t->has_begun = t->is_saved = true;
}

// Of several ranks that failed, the first says why, to all.
static bool agree_on_failure(search *s) {
    settling *t = s->settled;
    share_first_answer first = share_first(s, (uint64_t)atomic_load(&t->why));
    if (!first.value) return false;
    atomic_store(&t->why, (int)first.value);
    t->who = first.rank;
    return true;
}

static void settle_now(search *s) {
    settling *t = s->settled;
    uint64_t room = room_bytes(s);
    limits_saving(&s->options->limits, true);
    budget_charge(&s->x->memory, room);
    if (budget_used(&s->x->memory) > t->peak) t->peak = budget_used(&s->x->memory);
    settle_prepare(s);
    if (!t->why && (t->has_begun || open_files(s))) {
        if (s->threads) crew_run(s->threads, settle_parts, s);
        else settle_parts(s, 0);
    }
    bool has_failed = agree_on_failure(s);
    settle_counts(s);
    settle_cuts(s);
    if (has_failed) settle_fail(s);
    else settle_done(s);
    for (uint32_t p = 0; p < STORE_PARTS; p++) free(t->old[p]);
    budget_give(&s->x->memory, room);
    limits_saving(&s->options->limits, false);
}

static bool can_settle(const search *s) {
    bool waits_for_ranks = s->options->ranks && !s->is_shared;
    return s->settled && !s->settled->has_failed && !waits_for_ranks;
}

bool settle_is_due(const search *s) {
    uint64_t waiting = 0, least = s->options->disk_least;
    if (!can_settle(s)) return false;
    for (uint32_t p = 0; p < STORE_PARTS; p++) waiting += share_owns(s, p) ? in_memory(s, p) : 0;
    uint64_t used = budget_used(&s->x->memory), limit = s->x->memory.limit;
    bool is_short = used > limit / 4 * 3 || used + room_bytes(s) > limit / 10 * 9;
    return waiting && (is_short || (least && waiting >= least));
}

// Near a limit of states their number must be known.
static bool is_near_limit(const search *s) {
    uint64_t limit = s->options->limit_states;
    return limit && settle_has_begun(s) && order_total(&s->x->numbers) + search_block_most(s) > limit;
}

void settle_before_block(search *s) {
    if (!can_settle(s)) return;
    if (is_near_limit(s) || (s->is_shared ? share_wants_room(s) : settle_is_due(s))) settle_now(s);
}

void settle_at_limit(search *s) {
    uint64_t limit = s->options->limit_states;
    if (limit && settle_has_begun(s) && can_settle(s) && order_total(&s->x->numbers) > limit) settle_now(s);
}

void settle_level(search *s) {
    if (settle_has_begun(s) && can_settle(s)) settle_now(s);
}

void settle_end(search *s) {
    int end = atomic_load(&s->end);
    if (!s->settled) return;
    bool is_cut = end != END_COMPLETE && end != END_VIOLATION && s->is_started;
    if (is_cut && can_settle(s) && !s->settled->has_begun && !s->tried.failed.is_found) settle_now(s);
    settle_warn(s);
}
