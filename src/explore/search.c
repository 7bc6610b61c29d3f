// SPDX-License-Identifier: Apache-2.0
// The search: levels of a breadth-first search, each cut into blocks that are expanded and then merged.
//
// A block bounds the memory for candidates, and is where the search may switch to native code and may stop.
// Its size follows from counts that do not depend on threads; it grows with the number of states, so that a
// small search does not go on for long after it has its answer. A level of few states is not worth waking
// threads for: the main thread does it alone.
#include "explore/search.h"

#include "base/clock.h"
#include "explore/checkpoint.h"
#include "explore/share.h"

#include <string.h>
#include <time.h>

enum {
    BLOCK_LEAST = 1024,  // transitions
    BLOCK_MOST = 1 << 21,
    BLOCK_CACHED = 1 << 20,  // states
    CHUNK_LEAST = 8,         // states
    CHUNK_MOST = 1024,
    PARALLEL_LEAST = 64,      // states of a block worth more than one thread,
    THREADS_LEAST = 1 << 13,  // and of a search worth starting them
    INITIAL_BATCH = 4096,
};

static const double progress_seconds = 0.25, poll_seconds = 0.002;
// Compiling is worth it after as much exploring with bytecode as it will take, or several times as much with machine
// code, which has most of the gain already. A search that goes on as long again then pays for it.
static const double native_after_bytecode = 1, native_after_machine = 5;

// ---- workers

static void add_sendings(const search *s, worker *w) {
    uint64_t most = s->nlabels + 1, words = s->words + 1;
    for (uint32_t i = 0; i < 2; i++) {
        sending *out = &w->sendings[i];
        out->states = arena_alloc(w->memory, most * words * sizeof *out->states);
        out->hashes = arena_alloc(w->memory, most * sizeof *out->hashes);
        out->which = arena_alloc(w->memory, most * sizeof *out->which);
    }
    w->next = w->sendings[0].states;
    w->forms = arena_alloc(w->memory, most * words * sizeof *w->forms);
    w->form_hashes = arena_alloc(w->memory, most * sizeof *w->form_hashes);
}

static worker *worker_new(search *s, uint32_t number) {
    arena *memory = arena_new();
    worker *w = arena_alloc(memory, sizeof *w);
    w->memory = memory;
    w->s = s;
    w->number = number;
    w->run = space_run_new(s->x->sp);
    w->ev = eval_new(s->in);
    uint64_t words = s->words + 1;
    w->state = arena_alloc(memory, words * sizeof *w->state);
    w->strip = arena_alloc(memory, s->settled ? STRIP_STATES * words * sizeof *w->strip : 0);
    add_sendings(s, w);
    w->labels = arena_alloc(memory, (s->nlabels + 1) * sizeof *w->labels);
    w->fired = arena_alloc(memory, (s->nlabels + 1) * sizeof *w->fired);
    w->failed = arena_alloc(memory, (s->nchecks / 64 + 1) * sizeof *w->failed);
    w->cells = arena_alloc(memory, s->in->ncells * sizeof *w->cells);
    w->after = arena_alloc(memory, s->in->ncells * sizeof *w->after);
    w->args = arena_alloc(memory, s->nparams * sizeof *w->args);
    w->found = arena_alloc(memory, s->asks.len * sizeof *w->found);
    uint64_t read_words = s->settled ? STRIP_STATES * words : 0;
    budget_charge(&s->x->memory, 8 * read_words + 44 * s->nlabels);
    return w;
}

static void worker_free(worker *w) {
    space_run_free(w->run);
    eval_free(w->ev);
    selfcheck_free(w->check);
    str_free(&w->broken.text);
    for (uint32_t p = 0; p < STORE_PARTS; p++) free(w->out[p].data);
    expand_free_cache(w->s, w);
    arena_free(w->memory);
}

// up to n of them
static void search_add_workers(search *s, uint32_t n) {
    while (s->nworkers < n) {
        worker *w = worker_new(s, s->nworkers);
        if (s->seed || store_total(s->x->states)) expand_seed_cache(s, w);
        s->workers[s->nworkers++] = w;
    }
}

void search_release(search *s) {
    settle_free(s);
    checkpoint_free(s);
    share_free(s);
    free(s->seed);
    crew_free(s->threads);
    for (uint32_t i = 0; i < s->nworkers; i++) worker_free(s->workers[i]);
    free(s->workers);
    free(s->parcels);
    free(s->chunks);
    free(s->chunk_ranges);
    free(s->part_ranges);
    free(s->runs);
    free(s->check_ask);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        trace_free(s->asks.data[i].run);
        str_free(&s->asks.data[i].reason);
        str_free(&s->asks.data[i].why);
    }
    vec_free(&s->asks);
    str_free(&s->tried.failed.text);
    free(s->tried.is_suspect);
}

// ---- stopping

void search_stop(search *s, explore_end why) {
    int expected = SEARCH_GOES_ON;
    atomic_compare_exchange_strong(&s->end, &expected, (int)why);
}

bool search_is_over(search *s) { return atomic_load_explicit(&s->end, memory_order_relaxed) != SEARCH_GOES_ON; }

// Goes by how levels shrink: a search ends some levels after the widest one.
static double rest_seconds(const search *s, double rate) {
    uint64_t a = s->last_last_size, b = s->last_size, c = s->level_size;
    if (rate <= 0 || c == 0 || !(a > b && b > c)) return -1;
    double ratio = (double)c / (double)b;
    double to_come = (double)c * ratio / (1 - ratio) + (double)(c - s->block_begin);
    return to_come / rate;
}

static void report_progress(search *s, double now) {
    uint64_t states = order_total(&s->x->numbers);
    double since = now - s->reported_at;
    progress_figures p = {.states = states,
                          .frontier = states - s->states_expanded,
                          .memory_bytes = share_memory(s),
                          .depth = s->depth,
                          .seconds = now - s->started,
                          .rate = since > 0 ? (double)(states - s->reported_states) / since : 0};
    p.rest_seconds = rest_seconds(s, p.rate);
    s->reported_at = now;
    s->reported_states = states;
    progress_show(s->options->line, &p);
}

// Also while others expand: in that phase nobody writes to the store.
void search_look(search *s, worker *w) {
    const explore_options *o = s->options;
    if (limits_met(&o->limits)) search_stop(s, END_LIMIT);
    if (w->number != 0 || !progress_is_live(o->line)) return;
    double now = clock_seconds();
    if (now - s->reported_at >= progress_seconds) report_progress(s, now);
}

static void stop_at_limits(search *s) {
    if (finding_all(s) || finding_enough(s)) search_stop(s, END_VIOLATION);
    if (s->options->limit_states && order_total(&s->x->numbers) > s->options->limit_states) search_stop(s, END_STATES);
}

// ---- engine

static void native_failed(search *s) {
    if (s->options->engine != ENGINE_NATIVE) return;
    const char *why = space_native_error(s->x->sp);
    diag_warning(s->in->m->messages, (span){0}, "no native code, exploring with bytecode: %s",
                 why ? why : "there is no C compiler");
}

static void search_native_poll(search *s) {
    if (s->native != NATIVE_COMPILING) return;
    s->native = space_native_poll(s->x->sp, false);
    if (s->native == NATIVE_COMPILING) return;
    s->compile_seconds = clock_seconds() - s->compile_started;
    if (s->native == NATIVE_FAILED) native_failed(s);
}

// Whether it could be started, the next poll tells.
static void search_native_start(search *s) {
    s->compile_started = clock_seconds();
    s->native = NATIVE_COMPILING;
    space_native_start(s->x->sp);
}

static void want_machine(search *s) {
    if (space_engine_of(s->x->sp) == SPACE_MACHINE) return;
    diag_warning(s->in->m->messages, (span){0}, "no machine code can be made here, exploring with bytecode");
}

static void native_wait(search *s) {
    search_native_start(s);
    for (search_native_poll(s); s->native == NATIVE_COMPILING && !search_is_over(s); search_native_poll(s)) {
        nanosleep(&(struct timespec){.tv_nsec = (long)(poll_seconds * 1e9)}, NULL);
        search_look(s, s->workers[0]);
    }
}

static void note_engine(search *s) { s->has_used[space_engine_of(s->x->sp)] = true; }

static bool is_native_worth_it(const search *s) {
    bool has_machine = space_engine_of(s->x->sp) == SPACE_MACHINE;
    double times = has_machine ? native_after_machine : native_after_bytecode;
    return s->options->engine == ENGINE_AUTO &&
           clock_cpu_seconds() - s->cpu_started > times * space_native_seconds(s->x->sp);
}

// Between blocks, when all runs are idle.
static void search_choose_engine(search *s) {
    if (s->native == NATIVE_NONE && is_native_worth_it(s)) search_native_start(s);
    search_native_poll(s);
    note_engine(s);
}

// ---- blocks

static uint64_t search_clamp(uint64_t x, uint64_t low, uint64_t high) { return x < low ? low : x > high ? high : x; }

// Transitions that the next block should have: so few that candidates take little memory beside the states, but
// where the store does not fit into a cache, so many that what they ask of a partition serves several of them. It goes
// by the states up to this level: how many there are beyond is known later if they are in files (settle.c).
uint64_t search_block_most(const search *s) {
    const explore_options *o = s->options;
    uint64_t stored = 0, entry_bytes = 8 * (s->words + 1);
    for (uint32_t p = 0; p < STORE_PARTS; p++) stored += s->level_end[p];
    uint64_t target = search_clamp(stored / 32 * search_clamp(stored / BLOCK_CACHED, 1, 8), BLOCK_LEAST, BLOCK_MOST);
    if (o->limit_bytes) target = search_clamp(o->limit_bytes / 16 / entry_bytes, 1, target);
    return target;
}

// Up to this limit of states a search ends with the first state beyond it, beyond it about there: blocks of only so
// many transitions as states are left become many, and each may read all files (settle.c).
enum { LIMIT_EXACT = 1 << 20 };

static uint64_t block_target(const search *s) {
    uint64_t most = search_block_most(s), limit = s->options->limit_states, states = order_total(&s->x->numbers);
    if (!limit) return most;
    uint64_t left = limit + 1 - states;
    if (limit > LIMIT_EXACT && left < most) left += left / 4 * 3 * (s->transitions / states);
    return search_clamp(left, 1, most);
}

static uint64_t next_block_size(const search *s) {
    uint64_t degree = s->states_expanded ? s->transitions / s->states_expanded + 1 : s->nlabels + 1;
    uint64_t rest = batches_rest(s), most = search_clamp(block_target(s) / degree, 1, rest);
    uint64_t nblocks = (rest + most - 1) / most;
    return (rest + nblocks - 1) / nblocks;
}

static void add_threads(search *s) {
    s->threads = crew_new(s->nthreads);
    search_add_workers(s, crew_size(s->threads));
}

static void run_phase(search *s, crew_job job, bool is_parallel) {
    if (is_parallel) crew_run(s->threads, job, s);
    else job(s, 0);
}

// May states of two partitions be in one chunk?
static bool is_one_owner(const search *s, uint32_t part, uint32_t other) {
    return !s->is_shared || share_part_owner(s->options->ranks, part) == share_part_owner(s->options->ranks, other);
}

// Goes on by up to `most` states, of one owner, and returns how many that were.
static uint64_t cut_chunk(const search *s, batches_place *p, uint64_t most) {
    uint32_t part = p->at.part;
    for (uint64_t done = 0, count; done < most; done += count) {
        count = search_clamp(batches_strip(s, p), 0, most - done);
        if (!is_one_owner(s, part, p->at.part)) return done;
        batches_skip(p, (uint32_t)count);
    }
    return most;
}

// Cuts the block into chunks, if there is room for them; returns how many it has.
static uint64_t cut_block(const search *s, chunk *out) {
    batches_place at = batches_find(s, s->block_begin);
    uint64_t n = 0;
    for (uint64_t done = 0, count; done < s->block_size; done += count, n++) {
        batches_strip(s, &at);
        chunk c = {.position = s->block_begin + done, .first = at};
        count = cut_chunk(s, &at, search_clamp(s->block_size - done, 0, s->chunk_size));
        c.count = (uint32_t)count;
        if (out) out[n] = c;
    }
    return n;
}

static void finish_block(search *s) {
    s->transitions = s->transitions_before;
    for (uint32_t i = 0; i < s->nworkers; i++) s->transitions += s->workers[i]->transitions;
    share_keep_promises(s);
    selfcheck_end_block(s);
    if (s->is_shared) share_end_block(s);
    else order_count(&s->x->numbers, s->x->states), finding_collect(s);
    settle_at_limit(s);
    stop_at_limits(s);
}

static uint64_t parallel_least(const search *s) {
    return s->options->parallel_least ? s->options->parallel_least : PARALLEL_LEAST;
}

static bool wants_threads(const search *s) {
    bool is_small = !s->options->parallel_least && s->states_expanded < THREADS_LEAST;
    return s->nthreads > 1 && s->block_size >= parallel_least(s) && !is_small;
}

// All ranks cut a block alike, however many threads they have.
static uint64_t next_chunk_size(const search *s, bool is_parallel) {
    if (!is_parallel && !s->is_shared) return UINT32_MAX;
    uint64_t least = search_clamp(parallel_least(s), 1, CHUNK_LEAST);
    return search_clamp(s->block_size / 64, least, CHUNK_MOST);
}

static void search_run_block(search *s) {
    bool is_parallel = wants_threads(s);
    s->chunk_size = next_chunk_size(s, is_parallel);
    s->block_first = s->level_first + s->block_begin;
    s->nchunks = cut_block(s, NULL);
    if (!expand_reserve(s, s->nchunks)) {
        search_stop(s, END_MEMORY);
        s->nchunks = 0;
    } else {
        cut_block(s, s->chunks);
    }
    if (is_parallel && !s->threads) add_threads(s);
    expand_fit_caches(s);
    expand_begin(s, is_parallel ? s->nworkers : 1);
    selfcheck_plan_block(s);
    run_phase(s, expand_block, is_parallel);
    expand_find_runs(s);
    share_exchange(s);
    merge_begin(s);
    run_phase(s, merge_block, is_parallel);
    s->states_expanded += s->block_size;
    finish_block(s);
}

// ---- levels

store_id search_place_id(const search *s, uint64_t position) {
    strips_place at = batches_find(s, position).at;
    return store_id_of(at.part, at.local);
}

// The states stored since the last level make the next one.
static void search_open_level(search *s) {
    s->last_last_size = s->last_size;
    s->last_size = s->level_size;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        s->level_begin[p] = s->level_end[p];
        s->level_end[p] = s->x->numbers.counts[p];
        if (share_owns(s, p)) store_forget(s->x->states, p, s->level_begin[p]);
    }
    batches_begin(s);
    s->block_begin = 0;
}

// The memory for a level is taken when the one before it is closed. Ranks stop in blocks only.
static void search_take_order(search *s) {
    uint64_t more = order_bytes(&s->x->numbers) - s->order_bytes;
    if (s->is_shared) budget_charge(&s->x->memory, more);
    else if (!budget_take(&s->x->memory, more)) return search_stop(s, END_MEMORY);
    s->order_bytes += more;
}

static void search_close_level(search *s) {
    settle_level(s);
    order_close(&s->x->numbers);
    search_take_order(s);
}

static void expand_level(search *s) {
    while (s->block_begin < s->level_size) {
        share_meet(s, false);
        settle_before_block(s);
        if (search_is_over(s)) return;
        checkpoint_block(s);
        search_choose_engine(s);
        s->block_size = next_block_size(s);
        int before = atomic_load(&s->end);
        search_run_block(s);
        s->block_begin += s->block_size;
        if (before == atomic_load(&s->end)) {
            batches_end_block(s);
            search_take_order(s);
            continue;
        }
        bool is_whole = s->end == END_VIOLATION || s->end == END_STATES;
        if (is_whole && s->block_begin == s->level_size) s->levels_done++;
        return;
    }
    s->levels_done++;
}

// ---- initial states

typedef struct {
    search *s;
    uint64_t *packed;
    uint32_t nwaiting;
} start;

static void flush_initial(search *s) {
    worker *w = s->workers[0];
    s->runs[0] = 0;
    s->nruns = 1;
    for (uint32_t p = 0; p < STORE_PARTS; p++) s->parcels[p] = (parcel){.words = (uint32_t)w->out[p].len};
    s->nactive = 1;
    merge_begin(s);
    merge_block(s, 0);
    for (uint32_t p = 0; p < STORE_PARTS; p++) w->out[p].len = 0;
    finish_block(s);
    search_look(s, w);
}

static bool initial_found(const value *cells, void *context) {
    start *st = context;
    space_pack(st->s->x->sp, cells, st->packed);
    selfcheck_initial(st->s, cells, st->packed);
    expand_initial(st->s, st->s->workers[0], st->packed);
    if (++st->nwaiting >= INITIAL_BATCH) {
        flush_initial(st->s);
        st->nwaiting = 0;
    }
    return !search_is_over(st->s);
}

static void find_initial(search *s) {
    start st = {.s = s, .packed = mem_zero(s->words + 1, sizeof *st.packed)};
    if (!expand_reserve(s, 1)) search_stop(s, END_MEMORY);
    else s->has_no_start = !eval_initial_within(s->in, &s->options->limits, initial_found, &st, &s->start_fault);
    search_look(s, s->workers[0]);
    s->asks.data[s->nfault].is_found |= s->start_fault.what.kind != FAULT_NONE;
    bool is_cut = search_is_over(s);
    if (s->has_no_start) search_stop(s, END_STATES);
    else if (s->chunks_cap) flush_initial(s);
    free(st.packed);
    s->x->ninitial = order_total(&s->x->numbers);
    s->is_started = !is_cut && !s->has_no_start && s->end != END_MEMORY;
    search_close_level(s);
    if (s->x->ninitial) expand_seed_cache(s, s->workers[0]);
}

static void start_or_resume(search *s) {
    switch (checkpoint_begin(s)) {
    case CHECKPOINT_NONE:
        find_initial(s);
        search_open_level(s);
        return;
    case CHECKPOINT_RESUMED: expand_seed_cache(s, s->workers[0]); return;
    case CHECKPOINT_REFUSED:
        order_free(&s->x->numbers);  // it may be what is wrong with the file
        search_stop(s, END_STATES);
        return;
    case CHECKPOINT_CUT:
        if (!order_is_sound(&s->x->numbers)) order_free(&s->x->numbers);
        search_stop(s, END_LIMIT);
        return;
    case CHECKPOINT_WITHOUT: search_stop(s, END_LIMIT); return;
    }
}

void search_run(search *s) {
    search_add_workers(s, 1);
    if (s->options->engine == ENGINE_MACHINE) want_machine(s);
    if (s->options->engine == ENGINE_NATIVE) native_wait(s);
    note_engine(s);
    start_or_resume(s);
    for (; s->level_size > 0 && !search_is_over(s); search_open_level(s)) {
        weigh_hashes(s);
        if (search_is_over(s)) break;
        expand_level(s);
        search_close_level(s);
        if (search_is_over(s)) break;
        s->depth++;
    }
    weigh_at_limit(s);
    if (finding_all(s)) atomic_store(&s->end, END_VIOLATION);
    search_stop(s, END_COMPLETE);
    share_meet(s, true);
    share_end(s);
    search_close_level(s);
    settle_end(s);
    s->x->end = (explore_end)atomic_load(&s->end);
    checkpoint_end(s);
}
