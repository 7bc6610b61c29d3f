// SPDX-License-Identifier: Apache-2.0
// TL2 with switches; tl2.h says how it works. What a switch breaks is in load(), raise_flags(), validate() and write_back().
// Invariant of the whole one: a lock is odd while a thread holds it; an unlocked one is twice the version of its word.
#include "tl2.h"

#include <sched.h>

enum { MOST_ATTEMPTS = 1000, MOST_LOST = 10 };

const char *const tl2_break_names[TL2_BREAKS] = {
    "nothing", "no-commit-validation", "no-read-validation", "version-after-value", "early-release", "no-fence"};

// ---- the memory and its threads

bool tl2_init(tl2 *tm, uint32_t words, tl2_break broken) {
    *tm = (tl2){.words = words, .broken = broken, .by_flags = broken == TL2_NO_FENCE};
    tm->memory = calloc(words, sizeof *tm->memory);
    tm->locks = calloc(words, sizeof *tm->locks);
    tm->flags = calloc((size_t)words * TL2_MOST_THREADS, sizeof *tm->flags);
    return tm->memory && tm->locks && tm->flags;
}

void tl2_free(tl2 *tm) {
    free(tm->memory);
    free(tm->locks);
    free(tm->flags);
}

bool tl2_thread_init(tl2_thread *t, tl2 *tm, uint32_t number, uint64_t seed) {
    *t = (tl2_thread){.tm = tm,
                      .thread = number,
                      .most_steps = 8 * tm->words + 1000,
                      .random = (seed + number + 1) * 0x9E3779B97F4A7C15u};
    t->reads = calloc(tm->words, sizeof *t->reads);
    t->writes = calloc(tm->words, sizeof *t->writes);
    t->locked_versions = calloc(tm->words, sizeof *t->locked_versions);
    uint32_t highest = atomic_load(&tm->threads);
    while (highest <= number && !atomic_compare_exchange_weak(&tm->threads, &highest, number + 1)) {}
    if (!t->reads || !t->writes || !t->locked_versions) return false;
    t->log = parvis_log_open(NULL, number);
    return t->log || errno == 0;
}

bool tl2_thread_free(tl2_thread *t) {
    free(t->reads);
    free(t->writes);
    free(t->locked_versions);
    return parvis_log_close(t->log) == 0;
}

uint32_t tl2_random(tl2_thread *t, uint32_t below) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (uint32_t)((t->random >> 32) * below >> 32);
}

// Schedules that chance alone rarely makes: most steps go on at once, some wait a little, few give way.
static void noise(tl2_thread *t) {
    if (!t->tm->noisy) return;
    uint32_t chance = tl2_random(t, 1024);
    if (chance < 4) sched_yield();
    for (uint32_t i = chance < 64 ? tl2_random(t, 400) : 0; i > 0; i--) atomic_signal_fence(memory_order_seq_cst);
}

// ---- reading

static _Noreturn void conflict(tl2_thread *t) { longjmp(t->conflict, 1); }

// Of one attempt: no sound walk through the memory reads so much.
static _Noreturn void lose(tl2_thread *t) {
    t->lost++;
    conflict(t);
}

static bool is_locked(uint64_t lock) { return lock & 1; }
static bool is_newer(const tl2_thread *t, uint64_t lock) { return lock >> 1 > t->rv; }

static _Atomic uint8_t *flag_of(const tl2 *tm, uint32_t address, uint32_t thread) {
    return &tm->flags[(size_t)address * TL2_MOST_THREADS + thread];
}

static bool is_flagged_by_others(const tl2_thread *t, uint32_t address) {
    uint32_t n = atomic_load_explicit(&t->tm->threads, memory_order_relaxed);
    for (uint32_t i = 0; i < n; i++)
        if (i != t->thread && atomic_load_explicit(flag_of(t->tm, address, i), memory_order_acquire)) return true;
    return false;
}

// The version of a word, odd while others have locked it.
static uint64_t version(const tl2_thread *t, uint32_t address) {
    bool is_flagged = t->tm->by_flags && is_flagged_by_others(t, address);
    return atomic_load_explicit(&t->tm->locks[address], memory_order_acquire) | is_flagged;
}

// Without commits that do it, those who come too late push the clock on.
static _Noreturn void conflict_at(tl2_thread *t, uint64_t lock) {
    uint64_t now = atomic_load(&t->tm->clock);
    while (t->tm->by_flags && now < lock >> 1 && !atomic_compare_exchange_weak(&t->tm->clock, &now, lock >> 1)) {}
    conflict(t);
}

static uint64_t load(tl2_thread *t, uint32_t a) {
    tl2 *tm = t->tm;
    tl2_break broken = tm->broken;
    uint64_t before = broken == TL2_VERSION_AFTER_VALUE ? 0 : version(t, a);
    uint64_t word = atomic_load_explicit(&tm->memory[a], memory_order_acquire);
    noise(t);
    uint64_t after = version(t, a);
    if (broken == TL2_VERSION_AFTER_VALUE) before = after;
    if (broken == TL2_NO_READ_VALIDATION) return word;
    if (is_locked(after) || before != after || is_newer(t, after)) conflict_at(t, after);
    return word;
}

static tl2_write_entry *find_write(tl2_thread *t, uint32_t address) {
    for (uint32_t i = 0; i < t->nwrites; i++)
        if (t->writes[i].address == address) return &t->writes[i];
    return NULL;
}

static void remember_read(tl2_thread *t, uint32_t address) {
    for (uint32_t i = 0; i < t->nreads; i++)
        if (t->reads[i] == address) return;
    t->reads[t->nreads++] = address;
}

uint32_t tl2_read(tl2_thread *t, uint32_t address) {
    if (address >= t->tm->words) conflict(t);
    if (++t->steps > t->most_steps) lose(t);
    tl2_write_entry *own = find_write(t, address);
    uint64_t word = own ? own->word : load(t, address);
    if (!own) remember_read(t, address);
    parvis_read(t->log, address, word);
    t->events++;
    return (uint32_t)word;
}

void tl2_write(tl2_thread *t, uint32_t address, uint32_t value) {
    if (address >= t->tm->words) conflict(t);
    uint64_t tag = (uint64_t)t->thread << 26 | (++t->tags & 0x3FFFFFF);
    tl2_write_entry *own = find_write(t, address);
    if (!own) own = &t->writes[t->nwrites++];
    *own = (tl2_write_entry){address, tag << 32 | value};
    parvis_write(t->log, address, own->word);
    t->events++;
}

// ---- committing

static bool take_locks(tl2_thread *t) {
    for (; t->nlocked < t->nwrites; t->nlocked++) {
        _Atomic uint64_t *lock = &t->tm->locks[t->writes[t->nlocked].address];
        uint64_t seen = atomic_load_explicit(lock, memory_order_relaxed);
        if (is_locked(seen) || !atomic_compare_exchange_strong(lock, &seen, seen | 1)) return false;
        t->locked_versions[t->nlocked] = seen;
    }
    return true;
}

// Of two threads at one word, the one whose fence comes second sees the flag of the other.
static bool raise_flags(tl2_thread *t) {
    for (; t->nlocked < t->nwrites; t->nlocked++)
        atomic_store_explicit(flag_of(t->tm, t->writes[t->nlocked].address, t->thread), 1, memory_order_relaxed);
    if (t->tm->broken != TL2_NO_FENCE) atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t i = 0; i < t->nwrites; i++)
        if (is_flagged_by_others(t, t->writes[i].address)) return false;
    return true;
}

static void unlock_one(tl2_thread *t, uint32_t i, uint64_t lock) {
    uint32_t address = t->writes[i].address;
    atomic_store_explicit(&t->tm->locks[address], lock, memory_order_release);
    if (t->tm->by_flags) atomic_store_explicit(flag_of(t->tm, address, t->thread), 0, memory_order_release);
}

static void lower_flags(tl2_thread *t) {
    for (uint32_t i = 0; i < t->nlocked; i++)
        atomic_store_explicit(flag_of(t->tm, t->writes[i].address, t->thread), 0, memory_order_release);
}

static void unlock_writes(tl2_thread *t) {
    if (t->tm->by_flags) lower_flags(t);
    else
        for (uint32_t i = 0; i < t->nlocked; i++) unlock_one(t, i, t->locked_versions[i]);
    t->nlocked = 0;
}

// The version of a word that this transaction has locked itself.
static uint64_t own_version(const tl2_thread *t, uint32_t address) {
    for (uint32_t i = 0; i < t->nlocked; i++)
        if (t->writes[i].address == address) return t->locked_versions[i];
    return UINT64_MAX;
}

static bool validate(const tl2_thread *t) {
    if (t->tm->broken == TL2_NO_COMMIT_VALIDATION) return true;
    for (uint32_t i = 0; i < t->nreads; i++) {
        uint64_t lock = version(t, t->reads[i]);
        if (is_locked(lock) && !t->tm->by_flags) lock = own_version(t, t->reads[i]);
        if (is_locked(lock) || is_newer(t, lock)) return false;
    }
    return true;
}

static void release(tl2_thread *t, uint64_t wv) {
    for (uint32_t i = 0; i < t->nwrites; i++) unlock_one(t, i, wv << 1);
    t->nlocked = 0;
}

static void write_back(tl2_thread *t, uint64_t wv) {
    bool is_early = t->tm->broken == TL2_EARLY_RELEASE;
    if (is_early) release(t, wv);
    for (uint32_t i = 0; i < t->nwrites; i++) {
        noise(t);
        atomic_store_explicit(&t->tm->memory[t->writes[i].address], t->writes[i].word, memory_order_relaxed);
    }
    if (!is_early) release(t, wv);
}

static uint64_t take_time(tl2_thread *t) {
    return t->tm->by_flags ? atomic_load(&t->tm->clock) + 1 : atomic_fetch_add(&t->tm->clock, 1) + 1;
}

static bool commit(tl2_thread *t) {
    if (t->nwrites == 0) return true;
    if (!(t->tm->by_flags ? raise_flags(t) : take_locks(t))) return false;
    noise(t);
    uint64_t wv = take_time(t);
    noise(t);
    bool was_alone = wv == t->rv + 1 && !t->tm->by_flags;
    if (!was_alone && !validate(t)) return false;
    write_back(t, wv);
    return true;
}

// ---- running

static void begin(tl2_thread *t) {
    t->nreads = t->nwrites = t->nlocked = t->steps = 0;
    parvis_begin(t->log);
    t->rv = atomic_load(&t->tm->clock);
    noise(t);
    t->events++;
}

static bool attempt(tl2_thread *t, tl2_body *body, void *context) {
    begin(t);
    if (setjmp(t->conflict)) return false;
    body(t, context);
    parvis_commit(t->log);
    if (!commit(t)) return false;
    parvis_committed(t->log);
    return true;
}

bool tl2_run(tl2_thread *t, tl2_body *body, void *context) {
    t->lost = 0;
    for (uint32_t i = 0; i < MOST_ATTEMPTS && t->lost < MOST_LOST; i++) {
        bool committed = attempt(t, body, context);
        t->events++;
        if (committed) return t->commits++, true;
        unlock_writes(t);
        parvis_aborted(t->log);
        t->aborts++;
        if (i > 2) sched_yield();
    }
    return false;
}
