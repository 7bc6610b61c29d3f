// SPDX-License-Identifier: Apache-2.0
// history_gen: writes a recorded history of a simulated store, as .hist text on
// standard output.
//
//   history_gen [--events N] [--threads N] [--keys N] [--ops N] [--writes
//   PERCENT] [--hot PERCENT] [--repeat PERCENT]
//               [--store opaque|snapshot] [--untimed] [--faults N] [--seed N]
//
// The store takes steps of its threads one after the other, at times; what is
// recorded of a step is an interval around its time. `opaque`: as TL2, a
// transaction that reads something newer than its beginning, or whose reads are
// overwritten when it commits, aborts. `snapshot`: reads are of the beginning,
// and the first writer of a key wins. N faults skip that: a commit is not
// validated. --hot is the share of accesses to the first 16 keys; --repeat of
// writes of a value from 0 to 9, all others are new. Without --untimed, aborted
// transactions are recorded too.
#include "base/mem.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t value, version;
} place;

typedef struct {
    uint32_t key;
    uint64_t value;
    char kind;
    uint64_t call, answer;
} access_made;

typedef struct {
    bool is_open;
    uint64_t now, begin, start_version;
    uint32_t nops, wanted;
    access_made ops[64];
} worker;

typedef struct {
    uint64_t events;
    uint32_t threads, keys, ops, writes, hot, repeat, faults;
    bool is_snapshot, is_untimed;
    rng r;
    place *memory;
    place *old;  // snapshot: MOST_OLD versions per key
    uint64_t clock, made, next_value, next_fault, fault_every, faulty;
    worker *workers;
} simulation;

enum { MOST_OLD = 16 };

static uint64_t spread(simulation *s, uint32_t most) { return 1 + rng_below(&s->r, most); }

static uint32_t pick_key(simulation *s) {
    if (s->keys > 16 && rng_below(&s->r, 100) < s->hot) return rng_below(&s->r, 16);
    return rng_below(&s->r, s->keys);
}

static uint64_t pick_value(simulation *s) {
    if (rng_below(&s->r, 100) < s->repeat) return rng_below(&s->r, 10);
    return ++s->next_value;
}

// The value of a key at a version; false: it is not kept any more.
static bool value_at(const simulation *s, uint32_t key, uint64_t version, uint64_t *value) {
    if (s->memory[key].version <= version) return *value = s->memory[key].value, true;
    for (uint32_t i = 0; i < MOST_OLD; i++) {
        const place *o = &s->old[(size_t)key * MOST_OLD + i];
        if (o->version <= version) return *value = o->value, true;
    }
    return false;
}

static void keep_old(simulation *s, uint32_t key) {
    place *o = &s->old[(size_t)key * MOST_OLD];
    memmove(o + 1, o, (MOST_OLD - 1) * sizeof *o);
    *o = s->memory[key];
}

static void begin(simulation *s, worker *w) {
    w->is_open = true;
    w->begin = w->now - spread(s, 20);
    w->start_version = s->clock;
    w->nops = 0;
    w->wanted = s->is_untimed ? s->ops : 1 + rng_below(&s->r, 2 * s->ops - 1);
    w->now += 10 + spread(s, 20);
}

static void print_op(const simulation *s, uint32_t t, const access_made *o) {
    printf(" %s(%u,%u,%llu)", o->kind == 'r' ? "read" : "write", t, o->key, (unsigned long long)o->value);
    if (!s->is_untimed) printf("@%llu..%llu", (unsigned long long)o->call, (unsigned long long)o->answer);
}

static void end(simulation *s, uint32_t t, bool commits) {
    worker *w = &s->workers[t];
    w->is_open = false;
    if (s->is_untimed && !commits) return;
    uint64_t call = w->now - spread(s, 10), answer = w->now + spread(s, 10);
    printf("open(%u)", t);
    if (!s->is_untimed) printf("@%llu", (unsigned long long)w->begin);
    for (uint32_t i = 0; i < w->nops; i++) print_op(s, t, &w->ops[i]);
    printf(commits ? " commit(%u)" : " abort(%u)", t);
    if (!s->is_untimed) printf("@%llu..%llu", (unsigned long long)call, (unsigned long long)answer);
    putchar('\n');
    s->made += w->nops + 2;
    w->now = answer + 20 + spread(s, 20);
}

static const access_made *own_write(const worker *w, uint32_t key) {
    for (uint32_t i = w->nops; i-- > 0;)
        if (w->ops[i].kind == 'w' && w->ops[i].key == key) return &w->ops[i];
    return NULL;
}

static void access_step(simulation *s, uint32_t t) {
    worker *w = &s->workers[t];
    access_made *o = &w->ops[w->nops];
    o->key = pick_key(s);
    o->kind = rng_below(&s->r, 100) < s->writes ? 'w' : 'r';
    o->call = w->now - spread(s, 8);
    o->answer = w->now + spread(s, 8);
    if (o->kind == 'w') {
        o->value = pick_value(s);
    } else {
        const access_made *own = own_write(w, o->key);
        bool good = true;
        if (own) o->value = own->value;
        else if (s->is_snapshot) good = value_at(s, o->key, w->start_version, &o->value);
        else good = s->memory[o->key].version <= w->start_version, o->value = s->memory[o->key].value;
        const place *m = &s->memory[o->key];
        if (good && !own && s->faulty < s->faults && s->made >= s->next_fault && m->version &&
            m->version + 1000 < w->start_version)
            o->value = 0, s->faulty++, s->next_fault += s->fault_every;
        if (!good) {
            end(s, t, false);
            return;
        }
    }
    w->nops++;
    w->now = o->answer + 10 + spread(s, 30);
}

static bool is_valid(const simulation *s, const worker *w) {
    for (uint32_t i = 0; i < w->nops; i++) {
        bool matters = s->is_snapshot ? w->ops[i].kind == 'w' : w->ops[i].kind == 'r';
        if (matters && s->memory[w->ops[i].key].version > w->start_version) return false;
    }
    return true;
}

static void commit_step(simulation *s, uint32_t t) {
    worker *w = &s->workers[t];
    bool writes = false, good = true;
    for (uint32_t i = 0; i < w->nops; i++) writes |= w->ops[i].kind == 'w';
    if (writes && !is_valid(s, w)) good = false;
    if (good && writes) {
        s->clock++;
        for (uint32_t i = 0; i < w->nops; i++) {
            if (w->ops[i].kind != 'w') continue;
            if (s->is_snapshot && s->memory[w->ops[i].key].version != s->clock) keep_old(s, w->ops[i].key);
            s->memory[w->ops[i].key] = (place){w->ops[i].value, s->clock};
        }
    }
    end(s, t, good);
}

static uint32_t earliest(const simulation *s) {
    uint32_t best = 0;
    for (uint32_t t = 1; t < s->threads; t++)
        if (s->workers[t].now < s->workers[best].now) best = t;
    return best;
}

static void simulate(simulation *s) {
    s->memory = mem_zero(s->keys, sizeof *s->memory);
    s->old = mem_zero((size_t)s->keys * MOST_OLD, sizeof *s->old);
    s->workers = mem_zero(s->threads, sizeof *s->workers);
    s->next_value = 100;
    s->fault_every = s->faults ? s->events / (s->faults + 1) : 0;
    s->next_fault = s->fault_every;
    for (uint32_t t = 0; t < s->threads; t++) s->workers[t].now = 1000 + spread(s, 100);
    if (s->is_untimed) puts("untimed");
    while (s->made < s->events) {
        uint32_t t = earliest(s);
        worker *w = &s->workers[t];
        if (!w->is_open) begin(s, w);
        else if (w->nops < w->wanted) access_step(s, t);
        else commit_step(s, t);
    }
}

static uint64_t number_after(int argc, char **argv, const char *name, uint64_t otherwise) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return strtoull(argv[i + 1], NULL, 10);
    return otherwise;
}

static bool is_given(int argc, char **argv, const char *word) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0) return true;
    return false;
}

int main(int argc, char **argv) {
    simulation s = {.events = number_after(argc, argv, "--events", 100000)};
    s.threads = (uint32_t)number_after(argc, argv, "--threads", 8);
    s.keys = (uint32_t)number_after(argc, argv, "--keys", 10000);
    s.ops = (uint32_t)number_after(argc, argv, "--ops", 4);
    s.writes = (uint32_t)number_after(argc, argv, "--writes", 40);
    s.hot = (uint32_t)number_after(argc, argv, "--hot", 10);
    s.repeat = (uint32_t)number_after(argc, argv, "--repeat", 0);
    s.faults = (uint32_t)number_after(argc, argv, "--faults", 0);
    s.r.state = number_after(argc, argv, "--seed", 1);
    s.is_snapshot = is_given(argc, argv, "snapshot");
    s.is_untimed = is_given(argc, argv, "--untimed");
    if (s.ops < 1 || s.ops > 32 || !s.threads || !s.keys) return fprintf(stderr, "history_gen: --ops 1 to 32\n"), 2;
    simulate(&s);
    free(s.memory);
    free(s.old);
    free(s.workers);
    return 0;
}
