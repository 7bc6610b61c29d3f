// SPDX-License-Identifier: Apache-2.0
// Certificates of timed systems: what the engine kept for random networks (with symmetry or without) is written, read
// and rechecked.
// - All that the engine says to hold is confirmed.
// - Whatever is confirmed is true by the region graph (oracle/region.h), also where the certificate is forged: about
//   another network (a part is left out: a guard, an invariant, a reset, ...), about a query that does not hold, with
//   zones left out or changed, with other ranks or another bound of a sup or inf.
#include "certificate/zones.h"
#include "oracle/random_timed.h"
#include "oracle/region.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NETWORKS = 1500, LONG_NETWORKS = 30000, EACH = 6, REGIONS = 3000, FORGERIES = 7, SHOWN = 4 };

typedef struct {
    uint32_t networks, told, ranked, measured, confirmed, forged, refused, wrong, reduced;
} tally;

// ---- one network, read

static const region_options how_far = {.most = REGIONS, .horizon = 3};

static bool read_case(const char *text, const char *const *queries, uint32_t n, region_reading *x) {
    if (!region_read(text, queries, n, &how_far, x)) return false;
    region_facts f = region_facts_of(x->g);
    return f.is_supported && f.is_complete;
}

// ---- what the engine kept, in memory

typedef struct {
    uint32_t *cell_to, *clock_to;
    value *a, *b;
} swap;

typedef struct {
    value *cells;
    uint32_t nzones;
} state;

typedef struct {
    const instance *in;
    uint32_t clocks, nstates;
    VEC(zones_query) queries;
    VEC(swap) swaps;
    VEC(state) states;
    VEC(uint32_t) ranks;  // by zone
    VEC(int32_t) zones;
} kept;

static void *copy(const void *from, size_t size) {
    void *to = mem_alloc(size + 1);
    memcpy(to, from, size);
    return to;
}

static void on_begin(const zone_kept *z, void *context) {
    kept *k = context;
    k->clocks = z->clocks;
    k->nstates = z->states;
    for (uint32_t i = 0; i < z->nqueries; i++) {
        const zone_kept_query *q = &z->queries[i];
        zones_extreme e = {q->has_extreme, q->is_strict, q->extreme};
        vec_push(&k->queries, (zones_query){prop_of(k->in->m, q->p)->name, q->is_ranked, q->states, q->is_measured, e});
    }
}

static void on_swap(const uint32_t *cell_to, const value *a, const value *b, const uint32_t *clock_to, void *context) {
    kept *k = context;
    size_t n = k->in->ncells;
    vec_push(&k->swaps, (swap){copy(cell_to, n * sizeof *cell_to), copy(clock_to, k->clocks * sizeof *clock_to),
                               copy(a, n * sizeof *a), copy(b, n * sizeof *b)});
}

static void on_state(const value *cells, uint32_t nzones, void *context) {
    kept *k = context;
    vec_push(&k->states, (state){copy(cells, k->in->ncells * sizeof *cells), nzones});
}

static void on_zone(const int32_t *d, const uint32_t *rank, void *context) {
    kept *k = context;
    vec_push(&k->ranks, rank ? *rank : 0);
    for (uint32_t i = 0; i < k->clocks * k->clocks; i++) vec_push(&k->zones, d[i]);
}

static void kept_free(kept *k) {
    for (uint32_t i = 0; i < k->swaps.len; i++) {
        free(k->swaps.data[i].cell_to);
        free(k->swaps.data[i].clock_to);
        free(k->swaps.data[i].a);
        free(k->swaps.data[i].b);
    }
    for (uint32_t i = 0; i < k->states.len; i++) free(k->states.data[i].cells);
    vec_free(&k->queries);
    vec_free(&k->swaps);
    vec_free(&k->states);
    vec_free(&k->ranks);
    vec_free(&k->zones);
}

// ---- forging

typedef enum {
    HONEST,
    OTHER_MODEL,
    OTHER_QUERIES,
    LESS,
    CHANGED,
    OTHER_RANKS,
    OTHER_EXTREMES,
    NO_SWAPS,
    SPLIT,
    FORGED_KINDS
} forgery;

typedef struct {
    forgery how;
    uint32_t zone, entry;  // the zone left out or changed, the entry changed
    int32_t by;
} fraud;

static void write_zone(certfile_writer *w, const kept *k, uint32_t zone, const fraud *f) {
    uint32_t size = k->clocks * k->clocks;
    int32_t *d = copy(k->zones.data + (size_t)zone * size, size * sizeof *d);
    if (f->how == CHANGED && zone == f->zone) {
        int32_t *b = &d[f->entry % size];
        *b = *b == INT32_MAX ? 5 : *b + f->by;
    }
    zones_write_zone(w, k->clocks, d);
    free(d);
}

// The zone in two: up to a value of a clock, and beyond it; or (by < 0) below it, and from it on.
static void write_halves(certfile_writer *w, const kept *k, uint32_t zone, bool is_ranked, const fraud *f) {
    uint32_t n = k->clocks, x = n > 1 ? 1 + f->entry % (n - 1) : 0;
    int32_t c = f->by < 0 ? -f->by : f->by;
    for (int upper = 0; upper < 2; upper++) {
        int32_t *d = copy(k->zones.data + (size_t)zone * n * n, (size_t)n * n * sizeof *d);
        int32_t *b = upper ? &d[x] : &d[x * n], most = upper ? -2 * c : 2 * c + 1;
        if (f->by < 0) most += upper ? 1 : -1;
        if (x && *b > most) *b = most;
        if (is_ranked) certfile_put_number(w, k->ranks.data[zone]);
        zones_write_zone(w, n, d);
        free(d);
    }
}

// States from `first` on, whose zones are those from `zone` on; returns the zone after them.
static uint32_t write_states(certfile_writer *w, const kept *k, uint32_t first, uint32_t count, uint32_t zone,
                             bool is_ranked, const fraud *f) {
    for (uint32_t i = first; i < first + count; i++) {
        const state *s = &k->states.data[i];
        bool is_less = f->how == LESS && f->zone >= zone && f->zone < zone + s->nzones;
        bool is_more = f->how == SPLIT && f->zone >= zone && f->zone < zone + s->nzones;
        zones_write_state(w, k->in, s->cells, s->nzones - is_less + is_more);
        for (uint32_t end = zone + s->nzones; zone < end; zone++) {
            if (is_less && zone == f->zone) continue;
            if (is_more && zone == f->zone) {
                write_halves(w, k, zone, is_ranked, f);
                continue;
            }
            bool other = f->how == OTHER_RANKS && zone == f->zone;
            if (is_ranked) certfile_put_number(w, other ? f->entry % 7 : k->ranks.data[zone]);
            write_zone(w, k, zone, f);
        }
    }
    return zone;
}

static void change_extreme(zones_extreme *e, const fraud *f) {
    if (f->entry % 4 == 0) e->is_strict = !e->is_strict;
    else if (f->entry % 4 == 1) e->is_there = !e->is_there;
    else e->number += f->by;
}

// Queries that were not told come after the others, with the closed set as their ranked one.
static void write_kept(const char *path, const kept *k, const fraud *f, diag *messages) {
    certfile_writer *w = certfile_create(path, certfile_header_new("timed"), messages);
    VEC(zones_query) queries = {0};
    for (uint32_t i = 0; i < k->queries.len; i++) {
        vec_push(&queries, k->queries.data[i]);
        if (f->how == OTHER_EXTREMES) change_extreme(&queries.data[i].extreme, f);
    }
    for (uint32_t i = 1; (f->how == OTHER_QUERIES || f->how == SPLIT) && i < k->in->m->props.len; i++)
        vec_push(&queries,
                 (zones_query){k->in->m->props.data[i].name, true, k->nstates, true, {true, f->by < 0, f->by}});
    zones_claim c = {k->clocks, f->how == NO_SWAPS ? 0 : k->swaps.len, k->nstates, false, queries.data, queries.len};
    zones_write_claim(w, &c);
    for (uint32_t i = 0; i < c.swaps; i++) {
        const swap *s = &k->swaps.data[i];
        zones_write_swap(w, k->in, k->clocks, s->cell_to, s->a, s->b, s->clock_to);
    }
    uint32_t first = k->nstates, zone = write_states(w, k, 0, k->nstates, 0, false, f);
    for (uint32_t i = 0; i < queries.len; i++) {
        if (i >= k->queries.len) {
            query_kind kind = k->in->m->props.data[i - k->queries.len + 1].query;
            if (kind == QUERY_KEEPS || kind == QUERY_EVENTUALLY || kind == QUERY_LEADS_TO)
                write_states(w, k, 0, k->nstates, 0, true, f);
        } else if (queries.data[i].is_ranked) {
            zone = write_states(w, k, first, queries.data[i].states, zone, true, f);
            first += queries.data[i].states;
        }
    }
    assert_true(certfile_finish(w));
    vec_free(&queries);
}

// ---- rechecking

typedef struct {
    uint32_t confirmed, refused;
    char wrong[512];  // what was confirmed and is not true, or should have been confirmed
} outcome;

// Does the text of a confirmed bound, "never above 5", say what is so? Beyond the horizon of the graph it may be.
static bool is_bound(const prop_info *p, const region_answer *a, const char *shown) {
    char word[8], side[8];
    long long n;
    if (strcmp(shown, "no such state") == 0 || !a->has_extreme) return !a->has_extreme;
    assert_int_equal(sscanf(shown, "%7s %7s %lld", word, side, &n), 3);
    bool is_strict = strcmp(word, "always") == 0, is_upper = (strcmp(side, "above") == 0) != is_strict;
    assert_true(is_upper == (p->query == QUERY_SUP));
    int64_t far = is_upper ? a->extreme - n : n - a->extreme;  // how far the true one is beyond the one said
    return far < 0 || (far == 0 && (a->is_strict || !is_strict));
}

static bool is_true(region_reading *x, const char *query, const char *shown) {
    region_facts f = region_facts_of(x->g);
    for (uint32_t i = 1; i < x->m->props.len; i++) {
        if (strcmp(x->m->props.data[i].name, query) != 0) continue;
        region_answer a = region_ask(x->g, (prop){i}, false);
        if (shown && !is_bound(&x->m->props.data[i], &a, shown)) return false;
        return !a.is_found && !a.faults && !f.has_faults && f.has_start;
    }
    return false;
}

static outcome recheck(const char *path, region_reading *x, bool is_honest) {
    outcome o = {0};
    zones_answer a = {0};
    diag *messages = diag_new();
    certfile *file = certfile_open(path, messages);
    const json_t *claim = file ? certfile_next(file) : NULL;
    bool read = claim && zones_check(file, claim, x->in, &(claim_options){.most_states = 200000}, &a);
    read = read && !certfile_next(file) && !certfile_is_broken(file);
    if (!read && is_honest) {
        str said = {0};
        diag_print(messages, &said, false);
        snprintf(o.wrong, sizeof o.wrong, "not read: %s", str_get(&said));
        str_free(&said);
    }
    for (uint32_t i = 0; read && i < a.queries.len; i++) {
        const zones_finding *f = &a.queries.data[i];
        bool ok = f->verdict == CLAIM_CONFIRMED;
        o.confirmed += ok;
        o.refused += !ok;
        if (ok ? !is_true(x, f->query, f->shown) : is_honest && f->verdict != CLAIM_STOPPED)
            snprintf(o.wrong, sizeof o.wrong, "%s: %s: %s", f->query, ok ? "confirmed, and is not true" : "refused",
                     f->why ? f->why : "");
    }
    o.refused += !read;
    zones_answer_free(&a);
    certfile_close(file);
    diag_free(messages);
    return o;
}

// ---- all

static void show(const char *text, const outcome *o, const fraud *f) {
    printf("# %s (forgery %d, zone %u, entry %u, by %d)\n%s\n", o->wrong, (int)f->how, f->zone, f->entry, f->by, text);
}

// Some part of the network is left out; false: it does not read any more.
static bool read_other(rng *r, timed_case *c, str *text, region_reading *x) {
    timed_part *p = c->parts.data[rng_below(r, c->parts.len)];
    if (!p->may_go) {
        *x = (region_reading){.messages = diag_new()};
        x->m = model_new(x->messages);
        return false;
    }
    p->is_gone = true;
    str_clear(text);
    timed_print(c->network, text);
    p->is_gone = false;
    return read_case(str_get(text), c->queries.data, c->queries.len, x);
}

static void forge(rng *r, timed_case *c, region_reading *x, const kept *k, const char *path, tally *t) {
    for (uint32_t i = 0; i < FORGERIES; i++) {
        fraud f = {.how = (forgery)(1 + rng_below(r, FORGED_KINDS - 1)), .entry = rng_below(r, 1000)};
        f.zone = rng_below(r, k->ranks.len);
        f.by = rng_below(r, 2) ? 1 + (int32_t)rng_below(r, 3) : -1 - (int32_t)rng_below(r, 3);
        str text = {0};
        region_reading other = {0};
        timed_print(c->network, &text);
        bool is_other = f.how == OTHER_MODEL, ok = !is_other || read_other(r, c, &text, &other);
        if (ok) {
            write_kept(path, k, &f, x->messages);
            outcome o = recheck(path, is_other ? &other : x, false);
            t->forged++;
            t->refused += o.refused > 0;
            t->wrong += o.wrong[0] != 0;
            if (o.wrong[0]) show(str_get(&text), &o, &f);
        }
        if (is_other) region_close(&other);
        str_free(&text);
    }
}

static void try_case(rng *r, timed_case *c, const char *path, tally *t) {
    str text = {0};
    region_reading x;
    timed_print(c->network, &text);
    if (read_case(str_get(&text), c->queries.data, c->queries.len, &x) && region_facts_of(x.g).has_start) {
        kept k = {.in = x.in};
        VEC(prop) props = {0};
        zone_keeper keeper = {on_begin, on_swap, on_state, on_zone, &k};
        explore_options o = {.engine = ENGINE_BYTECODE,
                             .threads = 1,
                             .symmetry = rng_below(r, 3) ? SYMMETRY_EXACT : SYMMETRY_OFF,
                             .self_check = SELF_CHECK_OFF,
                             .limit_states = 20000};
        result *res = result_new();
        for (uint32_t i = 1; i < x.m->props.len; i++) vec_push(&props, (prop){i});
        zone_run(x.in, props.data, props.len, &o, &keeper, res);
        result_free(res);
        t->networks++;
        t->told += k.queries.len;
        t->reduced += k.swaps.len > 0;
        for (uint32_t i = 0; i < k.queries.len; i++) t->ranked += k.queries.data[i].is_ranked;
        for (uint32_t i = 0; i < k.queries.len; i++) t->measured += k.queries.data[i].is_measured;
        if (k.queries.len) {
            fraud none = {0};
            write_kept(path, &k, &none, x.messages);
            outcome done = recheck(path, &x, true);
            t->confirmed += done.confirmed;
            t->wrong += done.wrong[0] != 0;
            if (done.wrong[0]) show(str_get(&text), &done, &none);
            forge(r, c, &x, &k, path, t);
        }
        kept_free(&k);
        vec_free(&props);
    }
    region_close(&x);
    str_free(&text);
}

static void test_random(void **unused) {
    const char *seed = getenv("SEED");
    // Each file is written to disk for good, which takes its time: not where there is no disk.
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("PARVIS_TMP");
    rng r = {seed ? (uint64_t)atoll(seed) : 1313};
    tally t = {0};
    const uint32_t wanted = getenv("PARVIS_LONG") ? LONG_NETWORKS : NETWORKS;
    str path = {0};
    (void)unused;
    str_printf(&path, "%s/parvis-timed.%d.cert", folder ? folder : "/tmp", (int)getpid());
    while (t.networks < wanted && t.wrong < SHOWN) {
        timed_case c;
        random_timed(&r, EACH, &c);
        try_case(&r, &c, str_get(&path), &t);
        timed_case_free(&c);
    }
    unlink(str_get(&path));
    str_free(&path);
    printf("# %u networks (%u with symmetry): %u queries confirmed (%u told, %u of them by ranks, %u bounds)\n",
           t.networks, t.reduced, t.confirmed, t.told, t.ranked, t.measured);
    printf("# tally: timed certificates | %u cases | %u wrong\n", t.told, t.wrong);
    printf("# tally: forged timed certificates (%u refused) | %u cases | %u wrong\n", t.refused, t.forged, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.confirmed == t.told && t.told > t.networks);
    assert_true(t.ranked > t.networks / 8 && t.measured > t.networks / 8);
    assert_true(t.reduced > t.networks / 6 && t.refused > t.forged / 4);
}

// Where a step is possible later is no deadlock, however the zones are cut.
static void test_cut_deadlock(void **unused) {
    const char *query = "A[] deadlock or x >= 2";
    const char *text = "clock x;\nprocess P() { state a; init a; trans a -> a { guard x == 2; }; }\nsystem P;\n";
    value *cells = NULL;
    int32_t any[4] = {1, 1, INT32_MAX, 1};
    region_reading x;
    str path = {0};
    (void)unused;
    assert_true(read_case(text, &query, 1, &x));
    cells = mem_zero(x.in->ncells + 1, sizeof *cells);
    kept k = {.in = x.in, .clocks = 2, .nstates = 1};
    on_state(cells, 1, &k);
    on_zone(any, NULL, &k);
    str_printf(&path, "%s/cut.cert", getenv("PARVIS_TMP") ? getenv("PARVIS_TMP") : "/tmp");
    for (int32_t at = -2; at < 3; at++) {
        fraud f = {.how = SPLIT, .by = at};
        write_kept(str_get(&path), &k, &f, x.messages);
        outcome o = recheck(str_get(&path), &x, false);
        assert_string_equal(o.wrong, "");
        assert_int_equal(o.refused, 1);
    }
    unlink(str_get(&path));
    str_free(&path);
    free(cells);
    kept_free(&k);
    region_close(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_cut_deadlock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
