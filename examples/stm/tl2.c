// SPDX-License-Identifier: Apache-2.0
// TL2 with switches; tl2.h says how it works. Everything that a switch breaks is in load(), validate() and write_back().
// Invariant of the whole one: a lock is odd while a thread holds it; an unlocked one is twice the version of its word.
#include "tl2.h"

#include <sched.h>

enum { MOST_ATTEMPTS = 1000, MOST_LOST = 10 };

const char *const tl2_break_names[TL2_BREAKS] = {
    "nothing", "no-commit-validation", "no-read-validation", "version-after-value", "early-release", "no-fence"};

// ---- the memory and its threads

bool tl2_init(tl2 *tm, uint32_t words, tl2_break broken) {
    *tm = (tl2){.words = words, .broken = broken, .streaming = broken == TL2_NO_FENCE};
    tm->memory = calloc(words, sizeof *tm->memory);
    tm->locks = calloc(words, sizeof *tm->locks);
    return tm->memory && tm->locks;
}

void tl2_free(tl2 *tm) {
    free(tm->memory);
    free(tm->locks);
}

bool tl2_thread_init(tl2_thread *t, tl2 *tm, uint32_t number, uint64_t seed) {
    *t = (tl2_thread){.tm = tm,
                      .thread = number,
                      .most_steps = 8 * tm->words + 1000,
                      .random = (seed + number + 1) * 0x9E3779B97F4A7C15u};
    t->reads = calloc(tm->words, sizeof *t->reads);
    t->writes = calloc(tm->words, sizeof *t->writes);
    t->locked_versions = calloc(tm->words, sizeof *t->locked_versions);
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
    if (chance == 0) sched_yield();
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

static uint64_t load(tl2_thread *t, uint32_t a) {
    tl2 *tm = t->tm;
    tl2_break broken = tm->broken;
    uint64_t before = broken == TL2_VERSION_AFTER_VALUE ? 0 : atomic_load_explicit(&tm->locks[a], memory_order_acquire);
    uint64_t word = atomic_load_explicit(&tm->memory[a], memory_order_acquire);
    noise(t);
    uint64_t after = atomic_load_explicit(&tm->locks[a], memory_order_acquire);
    if (broken == TL2_VERSION_AFTER_VALUE) before = after;
    if (broken == TL2_NO_READ_VALIDATION) return word;
    if (is_locked(after) || before != after || is_newer(t, after)) conflict(t);
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

static bool lock_writes(tl2_thread *t) {
    for (; t->nlocked < t->nwrites; t->nlocked++) {
        _Atomic uint64_t *lock = &t->tm->locks[t->writes[t->nlocked].address];
        uint64_t seen = atomic_load_explicit(lock, memory_order_relaxed);
        if (is_locked(seen) || !atomic_compare_exchange_strong(lock, &seen, seen | 1)) return false;
        t->locked_versions[t->nlocked] = seen;
    }
    return true;
}

static void unlock_writes(tl2_thread *t) {
    while (t->nlocked > 0) {
        t->nlocked--;
        atomic_store_explicit(&t->tm->locks[t->writes[t->nlocked].address], t->locked_versions[t->nlocked],
                              memory_order_release);
    }
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
        uint64_t lock = atomic_load_explicit(&t->tm->locks[t->reads[i]], memory_order_acquire);
        if (is_locked(lock)) lock = own_version(t, t->reads[i]);
        if (is_locked(lock) || is_newer(t, lock)) return false;
    }
    return true;
}

// A streaming store goes past the caches, and past later stores of its thread unless a fence keeps it back.
static void store(const tl2 *tm, const tl2_write_entry *w) {
#if defined(__x86_64__)
    if (tm->streaming) {
        __asm__ __volatile__("movnti %1, %0" : "=m"(tm->memory[w->address]) : "r"(w->word) : "memory");
        return;
    }
#endif
    atomic_store_explicit(&tm->memory[w->address], w->word, memory_order_relaxed);
}

static void fence(const tl2 *tm) {
    if (tm->broken == TL2_NO_FENCE) return;
    atomic_thread_fence(memory_order_release);
#if defined(__x86_64__)
    if (tm->streaming) __asm__ __volatile__("sfence" : : : "memory");
#endif
}

static void release(tl2_thread *t, uint64_t wv) {
    bool fenced = t->tm->broken != TL2_NO_FENCE;
    for (uint32_t i = 0; i < t->nwrites; i++)
        atomic_store_explicit(&t->tm->locks[t->writes[i].address], wv << 1,
                              fenced ? memory_order_release : memory_order_relaxed);
    t->nlocked = 0;
}

static void write_back(tl2_thread *t, uint64_t wv) {
    bool is_early = t->tm->broken == TL2_EARLY_RELEASE;
    if (is_early) release(t, wv);
    for (uint32_t i = 0; i < t->nwrites; i++) {
        noise(t);
        store(t->tm, &t->writes[i]);
    }
    fence(t->tm);
    if (!is_early) release(t, wv);
}

static bool commit(tl2_thread *t) {
    if (t->nwrites == 0) return true;
    if (!lock_writes(t)) return false;
    noise(t);
    uint64_t wv = atomic_fetch_add(&t->tm->clock, 1) + 1;
    noise(t);
    if (wv != t->rv + 1 && !validate(t)) return false;
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
