// SPDX-License-Identifier: Apache-2.0
// Certificates of closed sets on random models: what the slow twin of the search says is true is confirmed, with as
// many states as it counts; what is not true is refused, whatever is claimed; a set with a state less or a
// changed value is refused or still true. PARVIS_LONG=1 runs ten times as many models.
#include "oracle/unit.h"

#include "certificate/closed.h"
#include "certificate/stateset.h"
#include "explore/explore.h"
#include "oracle/brute_explore.h"
#include "oracle/random_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1200 };

typedef struct {
    uint64_t seed;
    random_model r;
    instance *in;
    VEC(prop) props;     // invariants that are claimed
    VEC(prop) requires;  // of rules: what the twin is asked besides
    closed_stuck stuck;
    bool assumptions;
    bool is_true;
    uint64_t states;  // that are reachable
    explored *x;
    type_list permuted;
    char *path;
} sample;

typedef struct {
    uint32_t models, confirmed, cases, wrong;
} tally;

static uint32_t sample_count(uint32_t n) { return getenv("PARVIS_LONG") ? 10 * n : n; }

static bool is_never(const uint32_t *lengths, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (lengths[i] != BRUTE_NEVER) return false;
    return true;
}

static void collect(sample *s) {
    const sys_info *system = sys_of(s->r.m, s->r.system);
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *r = rule_of(s->r.m, system->rules.data[i]);
        for (uint32_t k = 0; k < r->nrequires; k++) vec_push(&s->requires, r->requires[k].property);
    }
}

// Claims what holds; of every third model something that need not hold too.
static void choose_claim(sample *s, const brute *b) {
    const sys_info *system = sys_of(s->r.m, s->r.system);
    bool is_honest = s->seed % 3 != 0;
    s->is_true = is_never(b->requirements.data, b->requirements.len);
    for (uint32_t i = 0; i < system->invariants.len; i++) {
        bool holds = b->invariants.data[s->requires.len + i] == BRUTE_NEVER;
        if (is_honest && !holds) continue;
        vec_push(&s->props, system->invariants.data[i]);
        s->is_true &= holds;
    }
    bool assumed = is_never(b->assumptions.data, b->assumptions.len);
    s->assumptions = !is_honest || assumed;
    s->is_true &= !s->assumptions || assumed;
    uint32_t found[] = {BRUTE_NEVER, b->deadlock, b->stuttering};
    s->stuck = (closed_stuck)(s->seed / 3 % 3);
    if (is_honest && found[s->stuck] != BRUTE_NEVER) s->stuck = STUCK_ALLOWED;
    s->is_true &= found[s->stuck] == BRUTE_NEVER;
}

static bool count_start(const value *state, void *context) {
    (void)state;
    return ++*(uint32_t *)context < MOST_STATES;
}

// Of what is claimed: an invariant that is not need not have a value.
static bool has_faults(const sample *s) {
    brute b = brute_explore(s->in, s->props.data, s->props.len, MOST_STATES, false);
    bool faults = b.fault != BRUTE_NEVER;
    brute_free(&b);
    return faults;
}

// False: too large for the twin, or without a start.
static bool judge(sample *s) {
    uint32_t nstarts = 0;
    const sys_info *system = sys_of(s->r.m, s->r.system);
    VEC(prop) asked = {0};
    collect(s);
    if (!eval_initial(s->in, count_start, &nstarts) || nstarts >= MOST_STATES || !nstarts) return false;
    for (uint32_t i = 0; i < s->requires.len; i++) vec_push(&asked, s->requires.data[i]);
    for (uint32_t i = 0; i < system->invariants.len; i++) vec_push(&asked, system->invariants.data[i]);
    brute b = brute_explore(s->in, asked.data, asked.len, MOST_STATES, false);
    bool ok = b.is_complete;
    if (ok) choose_claim(s, &b);
    s->is_true &= ok && (b.fault == BRUTE_NEVER || !has_faults(s));
    s->states = b.states;
    brute_free(&b);
    vec_free(&asked);
    return ok;
}

static bool explore(sample *s) {
    explore_options o = {.threads = 1, .symmetry = s->seed % 4 ? SYMMETRY_EXACT : SYMMETRY_OFF};
    o.self_check = SELF_CHECK_OFF;
    result *r = result_new();
    explore_end end = explore_run(s->in, NULL, 0, &o, r, &s->x);
    result_free(r);
    bool ok = end == END_COMPLETE && explored_space(s->x);
    if (ok) space_permuted(explored_space(s->x), &s->permuted);
    return ok;
}

static bool sample_new(sample *s, uint64_t seed, unsigned features) {
    *s = (sample){.seed = seed, .r = random_model_new(seed, 3 + seed % 8, features)};
    s->in = random_model_instance(&s->r, 3);
    str path = {0};
    str_printf(&path, "%s/certificate_diff.cert", getenv("PARVIS_TMP") ? getenv("PARVIS_TMP") : "/tmp");
    s->path = path.text;
    return judge(s) && explore(s);
}

static void sample_free(sample *s) {
    remove(s->path);
    free(s->path);
    explored_free(s->x);
    vec_free(&s->props);
    vec_free(&s->requires);
    vec_free(&s->permuted);
    instance_free(s->in);
    random_model_free(&s->r);
}

// ---- files

typedef struct {
    uint64_t dropped;  // this state is left out; UINT64_MAX: none
    uint64_t changed;  // in this state a cell gets another value; UINT64_MAX: none
    uint32_t cell;
    value change;
} forgery;

static void put_states(const sample *s, certfile_writer *out, const forgery *f) {
    stateset_writer *w = stateset_writer_new(out, s->in);
    const space *sp = explored_space(s->x);
    uint64_t *state = mem_zero(space_words(sp) + 1, sizeof *state);
    value *cells = mem_zero(s->in->ncells + 1, sizeof *cells);
    for (uint64_t i = 0; i < explored_count(s->x); i++) {
        if (i == f->dropped) continue;
        explored_state(s->x, i, state);
        space_unpack(sp, state, cells);
        if (i == f->changed) cells[f->cell] = f->change;
        stateset_write(w, cells);
    }
    stateset_writer_free(w);
    free(state);
    free(cells);
}

static void write_file(const sample *s, const forgery *f) {
    closed_claim c = {.in = s->in,
                      .props = s->props.data,
                      .nprops = s->props.len,
                      .stuck = s->stuck,
                      .checks_assumptions = s->assumptions,
                      .permuted = s->permuted.data,
                      .npermuted = s->permuted.len};
    certfile_writer *out = certfile_create(s->path, certfile_header_new("check"), s->r.messages);
    assert_non_null(out);
    certfile_claim(out, closed_claim_object(&c, explored_count(s->x) - (f->dropped != UINT64_MAX), NULL));
    put_states(s, out, f);
    assert_true(certfile_finish(out));
}

// Reads the file back, with the claim as it is there; *states: how many were checked.
static claim_verdict recheck(const sample *s, uint64_t *states) {
    diag *messages = diag_new();
    certfile *file = certfile_open(s->path, messages);
    assert_non_null(file);
    const json_t *claim = certfile_next(file);
    closed_read r;
    closed_answer a = {.verdict = CLAIM_REFUSED};
    bool ok = closed_read_claim(file, claim, s->r.m, &r);
    assert_true(ok && r.props.len == s->props.len);
    claim_options o = {.threads = 1 + s->seed % 2};
    a = closed_check(file, claim, &r.claim, &o);
    if (a.verdict == CLAIM_CONFIRMED) assert_true(!certfile_next(file) && !certfile_is_broken(file));
    assert_true(a.verdict == CLAIM_CONFIRMED || a.why.len || certfile_is_broken(file));
    *states = a.states;
    str_free(&a.why);
    closed_read_free(&r);
    certfile_close(file);
    diag_free(messages);
    return a.verdict;
}

static void note(tally *t, const sample *s, const char *what, bool is_right) {
    t->cases++;
    t->wrong += !is_right;
    if (!is_right) printf("# seed %llu: %s\n", (unsigned long long)s->seed, what);
}

static void try_forgeries(sample *s, tally *t) {
    rng *random = &s->r.random;
    uint64_t n = explored_count(s->x), states;
    for (uint32_t k = 0; k < 3; k++) {
        forgery less = {rng_below(random, (uint32_t)n), UINT64_MAX, 0, 0};
        write_file(s, &less);
        note(t, s, "a state less was confirmed", recheck(s, &states) != CLAIM_CONFIRMED);
        if (!s->in->ncells) continue;
        uint32_t cell = rng_below(random, s->in->ncells);
        value *any = mem_zero(s->in->ncells + 1, sizeof *any);
        random_model_state(s->in, random, any);
        forgery other = {UINT64_MAX, rng_below(random, (uint32_t)n), cell, any[cell]};
        write_file(s, &other);
        bool is_confirmed = recheck(s, &states) == CLAIM_CONFIRMED;
        note(t, s, "a changed state was confirmed", !is_confirmed || (s->is_true && states >= s->states));
        free(any);
    }
}

static void try_model(uint64_t seed, unsigned features, tally *t) {
    sample s;
    if (sample_new(&s, seed, features)) {
        uint64_t states;
        write_file(&s, &(forgery){UINT64_MAX, UINT64_MAX, 0, 0});
        bool is_confirmed = recheck(&s, &states) == CLAIM_CONFIRMED;
        note(t, &s, s.is_true ? "not confirmed" : "confirmed", is_confirmed == s.is_true);
        if (is_confirmed) note(t, &s, "another number of states", states == s.states);
        t->models++;
        t->confirmed += is_confirmed;
        try_forgeries(&s, t);
    }
    sample_free(&s);
}

static void random_models(void **state) {
    (void)state;
    tally t = {0};
    const unsigned plain = RANDOM_ALL & ~RANDOM_FAULTS;
    const unsigned features[] = {
        plain, RANDOM_ALL, RANDOM_STARTS, RANDOM_ORDERED, 0, plain | RANDOM_IMPERATIVE, RANDOM_ALL | RANDOM_IMPERATIVE};
    for (uint64_t seed = 1; t.models < sample_count(500); seed++) try_model(seed, features[seed % 7], &t);
    printf("# tally: certificates of %u random models, %u true | %u cases | %u wrong\n", t.models, t.confirmed, t.cases,
           t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.confirmed > t.models / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
