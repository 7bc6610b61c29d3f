// SPDX-License-Identifier: Apache-2.0
// Certificates of comparisons, on random files whose systems are relatives of each other (oracle/random_words.h).
// - What the engine says to hold is confirmed by the pairs that it kept.
// - Whatever is confirmed is true by brute force (oracle/naive_words.h), also where the certificate is forged: pairs,
//   sets or states are left out or changed, a rule of one of the systems is (oracle/mutate.h), or pairs are made up for
//   systems that do not compare.
#include "oracle/mutate.h"
#include "oracle/naive_words.h"
#include "oracle/random_words.h"
#include "oracle/unit.h"

#include "base/rng.h"
#include "certificate/relation.h"
#include "certificate/stateset.h"
#include "front/pv/pv.h"
#include "language/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 400, LONG_FILES = 8000, FORGERIES = 3, MUTANTS = 3, MOST_STATES = 40 };

typedef struct {
    uint32_t honest, confirmed, forged, refused, mutants, broken, wrong;  // broken: mutants of which it is not true
} tally;

// ---- a file, read

typedef struct {
    diag *messages;
    model *m;
    pv_unit unit;
} reading;

static reading read_text(const str *text) {
    reading x = {.messages = diag_new()};
    x.m = model_new(x.messages);
    pv_options o = {.text = str_get(text), .size = text->len, .alone = true};
    assert_true(pv_read(x.m, "random.pv", &o, &x.unit));
    return x;
}

static void reading_free(reading *x) {
    model_free(x->m);
    diag_free(x->messages);
}

// By brute force; *is_known: it could be found out.
static bool is_true(const instance *left, const instance *right, bool is_simulation, bool *is_known) {
    naive_letters letters = {0};
    naive_graph a = {0}, b = {0};
    bool holds = false;
    *is_known = naive_graph_of(left, &letters, false, &a) && naive_graph_of(right, &letters, false, &b);
    if (*is_known && is_simulation) holds = naive_is_simulated(&a, &b);
    else if (*is_known) holds = naive_separating(&a, &b, letters.len, is_known) == NAIVE_NEVER;
    holds = holds && !naive_is_empty(&a.initial);
    naive_graph_free(&a);
    naive_graph_free(&b);
    vec_free(&letters);
    return holds;
}

// ---- what a certificate says, in memory

typedef struct {
    VEC(value) cells;  // state by state
    uint32_t ncells, count;
} side;

typedef struct {
    bool is_told, is_simulation;
    side sides[2];
    VEC(uint32_t) first, members;  // of sets
    VEC(uint32_t) pairs;
} witness;

static void keep_states(side *s, const explored *x) {
    const space *sp = explored_space(x);
    s->ncells = space_instance(sp)->ncells;
    s->count = (uint32_t)explored_count(x);
    uint64_t *state = mem_zero(space_words(sp) + 1, sizeof *state);
    value *cells = mem_zero(s->ncells + 1, sizeof *cells);
    for (uint32_t i = 0; i < s->count; i++) {
        explored_state(x, i, state);
        space_unpack(sp, state, cells);
        for (uint32_t c = 0; c < s->ncells; c++) vec_push(&s->cells, cells[c]);
    }
    free(state);
    free(cells);
}

static void keep(const compare_witness *w, void *context) {
    witness *k = context;
    k->is_told = true;
    keep_states(&k->sides[0], w->left);
    keep_states(&k->sides[1], w->right);
    for (uint32_t i = 0; w->sets && i < w->sets->first.len; i++) vec_push(&k->first, w->sets->first.data[i]);
    for (uint32_t i = 0; w->sets && i < w->sets->members.len; i++) vec_push(&k->members, w->sets->members.data[i]);
    for (uint32_t i = 0; i < 2 * w->npairs; i++) vec_push(&k->pairs, w->pairs[i]);
}

static void witness_free(witness *k) {
    for (uint32_t i = 0; i < 2; i++) vec_free(&k->sides[i].cells);
    vec_free(&k->first);
    vec_free(&k->members);
    vec_free(&k->pairs);
}

static uint32_t nsets(const witness *k) { return k->first.len ? k->first.len - 1 : 0; }

// ---- forging

// Pairs of all states with all states, with all of them at once, or with any of them.
static void make_up(witness *k, rng *r) {
    uint32_t how = rng_below(r, 3), n = k->sides[1].count;
    if (!k->is_simulation) vec_push(&k->first, 0);
    for (uint32_t i = 0; !k->is_simulation && i < n + 1; i++) {
        for (uint32_t q = 0; q < n; q++)
            if (i == n || (how == 2 ? rng_below(r, 3) == 0 : q == i)) vec_push(&k->members, q);
        if (k->members.len == vec_last(&k->first)) vec_push(&k->members, i);
        vec_push(&k->first, k->members.len);
    }
    uint32_t others = k->is_simulation ? n : n + 1;
    for (uint32_t p = 0; p < k->sides[0].count; p++)
        for (uint32_t q = 0; q < others; q++) {
            if (how == 1 && q + 1 < others && !k->is_simulation) continue;
            if (how == 2 && rng_below(r, 4) == 0) continue;
            vec_push(&k->pairs, p);
            vec_push(&k->pairs, q);
        }
}

typedef enum { AS_IT_IS, LESS, OTHER_PAIR, LESS_IN_SET, OTHER_CELL, OTHER_KIND, CHANGES } change;

typedef struct {
    change how;
    uint32_t at, to;
} fraud;

static void write_side(certfile_writer *w, const instance *in, const side *s, const fraud *f, bool is_changed) {
    stateset_writer *out = stateset_writer_new(w, in);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t c = 0; c < in->ncells; c++) cells[c] = s->cells.data[(size_t)i * s->ncells + c];
        if (is_changed && i == f->at % s->count && in->ncells) cells[f->to % in->ncells] ^= 1;
        stateset_write(out, cells);
    }
    free(cells);
    stateset_writer_free(out);
}

static void write_sets(certfile_writer *w, const witness *k, const fraud *f) {
    for (uint32_t i = 0; i + 1 < k->first.len; i++) {
        uint32_t begin = k->first.data[i], end = k->first.data[i + 1];
        bool is_less = f->how == LESS_IN_SET && i == f->at % nsets(k) && end - begin > 1;
        relation_write_set(w, k->members.data + begin + (is_less && f->to % 2), end - begin - is_less);
    }
}

static void write_pairs(certfile_writer *w, const witness *k, const fraud *f) {
    uint32_t n = k->pairs.len / 2, others = k->is_simulation ? k->sides[1].count : nsets(k);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t state = k->pairs.data[2 * i], other = k->pairs.data[2 * i + 1];
        if (f->how == LESS && i == f->at % n) continue;
        if (f->how == OTHER_PAIR && i == f->at % n && f->to % 2) state = f->to / 2 % k->sides[0].count;
        else if (f->how == OTHER_PAIR && i == f->at % n && others) other = f->to / 2 % others;
        relation_write_pair(w, state, other);
    }
}

static void write_file(const char *path, const instance *left, const instance *right, const witness *k, const fraud *f,
                       diag *messages) {
    certfile_writer *w = certfile_create(path, certfile_header_new("compare"), messages);
    relation_claim c = {.left = left,
                        .right = right,
                        .is_simulation = k->is_simulation != (f->how == OTHER_KIND),
                        .left_states = k->sides[0].count,
                        .right_states = k->sides[1].count,
                        .nsets = nsets(k),
                        .npairs = k->pairs.len / 2 - (f->how == LESS && k->pairs.len)};
    relation_write_claim(w, &c);
    write_side(w, left, &k->sides[0], f, f->how == OTHER_CELL && f->to / 64 % 2);
    write_side(w, right, &k->sides[1], f, f->how == OTHER_CELL && f->to / 64 % 2 == 0);
    write_sets(w, k, f);
    write_pairs(w, k, f);
    assert_true(certfile_finish(w));
}

static bool is_confirmed(const char *path, model *m) {
    diag *messages = diag_new();
    certfile *file = certfile_open(path, messages);
    const json_t *claim = file ? certfile_next(file) : NULL;
    assert_non_null(claim);
    relation_answer a = relation_check(file, claim, m, m, &(claim_options){0});
    bool ok = a.verdict == CLAIM_CONFIRMED && !certfile_next(file) && !certfile_is_broken(file);
    assert_true(ok || a.why.len || certfile_is_broken(file));
    relation_answer_free(&a);
    certfile_close(file);
    diag_free(messages);
    return ok;
}

// ---- one pair of systems

typedef struct {
    uint64_t seed;
    const str *text;
    const char *path;
    rng *r;
    tally *t;
} world;

static void note(const world *w, const char *what, uint32_t detail) {
    if (!w->t->wrong++) printf("# seed %llu:\n%s", (unsigned long long)w->seed, str_get(w->text));
    printf("# %s (%u)\n", what, detail);
}

static void try_forgeries(const world *w, model *m, const instance *left, const instance *right, const witness *k,
                          bool is_really) {
    for (uint32_t i = 0; i < FORGERIES; i++) {
        fraud f = {(change)(is_really ? 1 + rng_below(w->r, CHANGES - 1) : rng_below(w->r, CHANGES)),
                   rng_below(w->r, 10000), rng_below(w->r, 10000)};
        bool simulation = k->is_simulation != (f.how == OTHER_KIND), is_known = true;
        bool truth = f.how == OTHER_KIND ? is_true(left, right, simulation, &is_known) : is_really;
        if (!is_known || (f.how == LESS_IN_SET && !nsets(k))) continue;
        write_file(w->path, left, right, k, &f, m->messages);
        bool ok = is_confirmed(w->path, m);
        w->t->forged++;
        w->t->refused += !ok;
        if (ok && !truth) note(w, "a forged certificate was confirmed", f.how);
    }
}

// The same certificate, and one of the systems has a mistake in it.
static void try_mutants(const world *w, uint32_t i, uint32_t j, const witness *k) {
    for (uint32_t n = 0; n < MUTANTS; n++) {
        reading x = read_text(w->text);
        str what = {0};
        bool is_known, is_left = rng_below(w->r, 2);
        if (mutate_system(x.m, x.unit.systems[is_left ? i : j], rng_below(w->r, 12), &what)) {
            instance *left = instance_new(x.m, x.unit.systems[i], NULL, 0),
                     *right = instance_new(x.m, x.unit.systems[j], NULL, 0);
            bool truth = is_true(left, right, k->is_simulation, &is_known);
            write_file(w->path, left, right, k, &(fraud){0}, x.messages);
            bool ok = is_confirmed(w->path, x.m);
            w->t->mutants += is_known;
            w->t->broken += is_known && !truth;
            if (is_known && ok && !truth) note(w, str_get(&what), is_left);
            instance_free(left);
            instance_free(right);
        }
        str_free(&what);
        reading_free(&x);
    }
}

// The states of both sides, for pairs that are made up; false: too many.
static bool find_states(witness *k, const instance *left, const instance *right) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < 2; i++) {
        explored *x = NULL;
        result *r = result_new();
        explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .symmetry = SYMMETRY_OFF};
        ok = explore_run(i ? right : left, NULL, 0, &o, r, &x) == END_COMPLETE && explored_count(x) > 0 &&
             explored_count(x) <= MOST_STATES;
        if (ok) keep_states(&k->sides[i], x);
        explored_free(x);
        result_free(r);
    }
    return ok;
}

static void try_pair(const world *w, reading *x, uint32_t i, uint32_t j, bool is_simulation) {
    instance *left = instance_new(x->m, x->unit.systems[i], NULL, 0),
             *right = instance_new(x->m, x->unit.systems[j], NULL, 0);
    witness k = {.is_simulation = is_simulation};
    compare_stats stats[2];
    compare_sink sink = {keep, &k};
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .self_check = SELF_CHECK_OFF};
    result *r = result_new();
    bool is_known, truth = is_true(left, right, is_simulation, &is_known);
    if (is_known) compare_run(left, right, is_simulation ? COMPARE_SIMULATION : COMPARE_INCLUSION, &o, r, stats, &sink);
    if (is_known && k.is_told) {
        write_file(w->path, left, right, &k, &(fraud){0}, x->messages);
        bool ok = is_confirmed(w->path, x->m);
        w->t->honest++;
        w->t->confirmed += ok;
        if (!ok || !truth) note(w, ok ? "confirmed, and not true" : "not confirmed", is_simulation);
        try_forgeries(w, x->m, left, right, &k, truth);
        try_mutants(w, i, j, &k);
    } else if (is_known && find_states(&k, left, right)) {
        make_up(&k, w->r);
        try_forgeries(w, x->m, left, right, &k, truth);
    }
    result_free(r);
    witness_free(&k);
    instance_free(left);
    instance_free(right);
}

static void random_files(void **state) {
    (void)state;
    tally t = {0};
    rng r = {4711};
    str path = {0};
    // Each file is written to disk for good, which takes its time: not where there is no disk.
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("PARVIS_TMP");
    str_printf(&path, "%s/parvis-relation.%d.cert", folder ? folder : "/tmp", (int)getpid());
    uint64_t count = getenv("PARVIS_LONG") ? LONG_FILES : FILES;
    for (uint64_t seed = 1; seed <= count; seed++) {
        str text = {0};
        random_words_text(seed, &text);
        reading x = read_text(&text);
        world w = {seed, &text, str_get(&path), &r, &t};
        for (uint32_t i = 0; i < x.unit.nsystems; i++)
            for (uint32_t j = 0; j < x.unit.nsystems; j++)
                for (int simulation = 0; i != j && simulation < 2; simulation++) try_pair(&w, &x, i, j, simulation);
        reading_free(&x);
        str_free(&text);
    }
    unlink(str_get(&path));
    str_free(&path);
    printf("# tally: certificates of comparisons of random systems | %u cases | %u wrong\n", t.honest, t.wrong);
    printf("# tally: forged certificates of comparisons (%u refused) | %u cases | %u wrong\n", t.refused, t.forged,
           t.wrong);
    printf("# tally: certificates of comparisons after a mistake (%u not true) | %u cases | %u wrong\n", t.broken,
           t.mutants, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.confirmed == t.honest && t.honest > count / 4 && t.broken > t.mutants / 10);
    assert_true(t.refused > t.forged / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
