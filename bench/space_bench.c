// SPDX-License-Identifier: Apache-2.0
// How fast the successor relation of a model runs on its reachable states: a row of a Markdown table.
//
//     space_bench models/tm/tl2.pv strictly_serializable Thread=3 Loc=2
//     | set-up ms | labels | bits | states | bytecode ns | native ns | canonical ns, bytecode | native |
//
// Reaches up to a million states (a plain breadth-first search, no reduction), then times each part over all
// of them, in processor time. Successors are timed by the successor, canonical forms by the state.
#include "base/clock.h"
#include "front/pv/pv.h"
#include "model/compose.h"
#include "model/eval.h"
#include "space/space.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STATES = 1000000, TABLE = 1 << 22 };

typedef struct {
    space *s;
    space_run *run;
    uint32_t words, *table;
    uint64_t *states, *next;
    uint32_t *labels, count;
} bench;

static uint32_t find_slot(const bench *b, const uint64_t *state) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < b->words; i++) h = (h ^ state[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 31;
    uint32_t i = (uint32_t)h & (TABLE - 1);
    while (b->table[i] && memcmp(b->states + (size_t)(b->table[i] - 1) * b->words, state, b->words * sizeof *state))
        i = (i + 1) & (TABLE - 1);
    return i;
}

static void add(bench *b, const uint64_t *state) {
    uint32_t i = find_slot(b, state);
    if (b->table[i] || b->count == MOST_STATES) return;
    memcpy(b->states + (size_t)b->count * b->words, state, b->words * sizeof *state);
    b->table[i] = ++b->count;
}

static bool add_initial(const value *cells, void *context) {
    bench *b = context;
    space_pack(b->s, cells, b->next);
    add(b, b->next);
    return true;
}

static double ns(double seconds, double n) { return n > 0 ? seconds * 1e9 / n : 0; }

static double time_next(bench *b) {
    uint64_t n = 0;
    double start = clock_cpu_seconds();
    for (uint32_t i = 0; i < b->count; i++)
        n += space_next(b->run, b->states + (size_t)i * b->words, b->next, b->labels);
    return ns(clock_cpu_seconds() - start, (double)n);
}

static double time_canonical(bench *b) {
    uint64_t *state = b->next;
    double start = clock_cpu_seconds();
    for (uint32_t i = 0; i < b->count; i++) {
        memcpy(state, b->states + (size_t)i * b->words, b->words * sizeof *state);
        space_canonical(b->run, state);
    }
    return ns(clock_cpu_seconds() - start, b->count);
}

static void reach(bench *b, const instance *in) {
    eval_initial(in, add_initial, b);
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t k = space_next(b->run, b->states + (size_t)i * b->words, b->next, b->labels);
        for (uint32_t j = 0; j < k && b->count < MOST_STATES; j++)
            if (!(b->labels[j] & SPACE_TROUBLE)) add(b, b->next + (size_t)j * b->words);
    }
}

static void run(bench *b, const instance *in) {
    b->run = space_run_new(b->s);
    b->words = space_words(b->s);
    b->states = mem_alloc((size_t)MOST_STATES * b->words * sizeof *b->states);
    b->next = mem_alloc(((size_t)space_labels(b->s) + 1) * b->words * sizeof *b->next);
    b->labels = mem_alloc((space_labels(b->s) + 1) * sizeof *b->labels);
    b->table = mem_zero(TABLE, sizeof *b->table);
    reach(b, in);
    double bytecode = time_next(b), canonical = time_canonical(b);
    bool ready = space_native_start(b->s) && space_native_poll(b->s, true) == NATIVE_READY;
    double native = ready ? time_next(b) : 0, native_canonical = ready ? time_canonical(b) : 0;
    printf(" %u | %u | %u | %.1f | %.1f | %.1f | %.1f |\n", space_labels(b->s), space_bits(b->s), b->count, bytecode,
           native, canonical, native_canonical);
    space_run_free(b->run);
    free(b->states);
    free(b->next);
    free(b->labels);
    free(b->table);
}

static int measure(model *m, const char *property, sort_size *sizes, uint32_t nsizes) {
    prop p = model_find_prop(m, property);
    sys system = p.id ? compose_for(m, p) : model_find_system(m, property);
    instance *in = system.id ? instance_new(m, system, sizes, nsizes) : NULL;
    if (!in) return 1;
    space_options options = {.symmetry = true};
    double start = clock_cpu_seconds();
    bench b = {.s = space_new(in, &options)};
    double seconds = clock_cpu_seconds() - start;
    if (b.s) {
        printf("| %.2f |", seconds * 1e3);
        run(&b, in);
    }
    space_free(b.s);
    instance_free(in);
    return b.s ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: space_bench FILE PROPERTY [SORT=SIZE]...\n"), 2;
    diag *messages = diag_new();
    model *m = model_new(messages);
    pv_options options = {0};
    sort_size sizes[16];
    uint32_t n = 0;
    int failed = 1;
    if (pv_read(m, argv[1], &options, NULL)) {
        for (int i = 3; i < argc && n < 16; i++) {
            char *equal = strchr(argv[i], '=');
            if (!equal) continue;
            *equal = 0;
            sizes[n++] = (sort_size){model_find_type(m, argv[i]), (uint32_t)atoi(equal + 1)};
        }
        failed = measure(m, argv[2], sizes, n);
    }
    str text = {0};
    diag_print(messages, &text, false);
    fputs(str_get(&text), stderr);
    str_free(&text);
    model_free(m);
    diag_free(messages);
    return failed;
}
