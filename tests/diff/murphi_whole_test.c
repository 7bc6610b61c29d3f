// SPDX-License-Identifier: Apache-2.0
// Whole random Murphi models (oracle/random_murphi_whole.h) with `--symmetry exact`, `heuristic` and `off`: the same
// verdict of every property, the same run-time errors and deadlocks, traces of the same length; and against the slow
// twin, which runs the reference evaluator and tries every permutation with multisets compared by what is in them: the
// numbers of states, of orbits and of transitions, and the lengths of the shortest traces. A few of those that Rumur
// reads are checked by it. The same for models around one random loop (oracle/random_loop.h), which find a loop that is
// wrongly said to keep the symmetry. A model that differs is made smaller before it is shown.
#include "oracle/unit.h"

#include "explore/explore.h"
#include "oracle/brute_explore.h"
#include "oracle/murphi_sample.h"
#include "oracle/part.h"
#include "oracle/random_loop.h"
#include "oracle/random_murphi_whole.h"
#include "oracle/rumur.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1200, NMODES = 3 };

static bool sample_new(murphi_sample *s, const str *text, bool copies_undefined) {
    return murphi_sample_read(s, str_get(text), &(murphi_options){.copies_undefined = copies_undefined});
}

typedef struct {
    uint32_t compared, with_bags, reduced, large, covers, lively;
} tally;

// ---- explorations

typedef struct {
    result *r;
    explore_end end;
} answer;

static answer explore(const murphi_sample *s, space_symmetry symmetry) {
    explore_options o = {.threads = 1, .symmetry = symmetry, .engine = ENGINE_BYTECODE, .check_deadlock = true};
    o.is_stuttering_stuck = true;
    o.self_check = SELF_CHECK_OFF;  // which would mend what is looked for here
    o.calls_bodies = symmetry == SYMMETRY_OFF;
    o.limit_states = MOST_STATES;
    answer a = {.r = result_new()};
    a.end = explore_run(s->in, s->props.data, s->props.len, &o, a.r, NULL);
    return a;
}

static const result_property *find(const answer *a, const char *name) {
    for (uint32_t i = 0; i < a->r->properties.len; i++)
        if (str_same(a->r->properties.data[i].name, name)) return &a->r->properties.data[i];
    return NULL;
}

// BRUTE_NEVER: no trace.
static uint32_t length_of(const result_property *p) {
    return p && p->verdict == VERDICT_VIOLATED && p->trace ? p->trace->steps.len : BRUTE_NEVER;
}

static bool is_internal(const result_property *p) { return p->reason && strstr(p->reason, "internal error"); }

static bool same_answers(const answer *a, const answer *b, str *why) {
    for (uint32_t i = 0; i < a->r->properties.len; i++) {
        const result_property *p = &a->r->properties.data[i], *q = find(b, p->name);
        if (q && p->verdict == q->verdict && length_of(p) == length_of(q) && !is_internal(p) && !is_internal(q))
            continue;
        str_printf(why, "%s: %s in %u steps (%s), but %s in %u steps (%s)\n", p->name, verdict_text(p->verdict),
                   length_of(p), p->reason ? p->reason : "", q ? verdict_text(q->verdict) : "no entry", length_of(q),
                   q && q->reason ? q->reason : "");
        return false;
    }
    return true;
}

// ---- the slow twin

// The sorts that the search told apart have become ordered ones, which the twin leaves alone.
static void order_exceptions(const murphi_sample *s) {
    str text = {0};
    diag_print(s->messages, &text, false);
    for (uint32_t id = 1; id < s->m->types.len; id++) {
        str wanted = {0};
        str_printf(&wanted, "symmetry is not used for '%s'", s->m->types.data[id].name);
        if (strstr(str_get(&text), str_get(&wanted))) s->m->types.data[id].is_ordered = true;
        str_free(&wanted);
    }
    str_free(&text);
}

static bool same_number(const char *what, uint64_t a, uint64_t b, str *why) {
    if (a == b) return true;
    str_printf(why, "%s: %llu, but %llu\n", what, (unsigned long long)a, (unsigned long long)b);
    return false;
}

static bool same_lengths(const murphi_sample *s, const answer *a, const brute *b, str *why) {
    const result_property *error = find(a, "run-time error");  // a search ends when all that was asked is decided
    bool ok = (!error && a->end == END_VIOLATION) ||
              same_number("steps to a run-time error", length_of(error), b->fault, why);
    ok &= same_number("steps to a deadlock", length_of(find(a, "deadlock")), b->stuttering, why);
    for (uint32_t i = 0; i < s->props.len; i++) {
        const prop_info *p = prop_of(s->m, s->props.data[i]);
        if (p->kind != PROP_INVARIANT) continue;
        ok &= same_number(p->name, length_of(find(a, p->name)), b->invariants.data[i], why);
    }
    return ok;
}

// `cover` and `liveness`, where the search saw everything.
static bool same_hopes(const murphi_sample *s, const answer *a, const brute *b, str *why, tally *t) {
    bool ok = true;
    for (uint32_t i = 0; a->end == END_COMPLETE && b->fault == BRUTE_NEVER && i < s->props.len; i++) {
        const prop_info *p = prop_of(s->m, s->props.data[i]);
        const result_property *is = find(a, p->name);
        if (p->kind == PROP_COVER) {
            bool is_covered = b->covers.data[i] != BRUTE_NEVER;
            ok &= same_number(p->name, is->verdict, is_covered ? VERDICT_HOLDS : VERDICT_VIOLATED, why);
            t->covers++;
        } else if (p->kind == PROP_REACHES) {
            ok &= same_number(p->name, length_of(is), b->hopeless.data[i], why);
            ok &= (is->verdict == VERDICT_VIOLATED) == (b->hopeless.data[i] != BRUTE_NEVER);
            t->lively++;
        }
    }
    return ok;
}

static bool same_counts(const answer *a, const brute *b, str *why) {
    uint64_t exact = a[1].r->stats.states, cheap = a[2].r->stats.states;
    bool ok = same_number("states that differ in more than slots", b->contents, b->states, why);
    if (a[0].end == END_COMPLETE) ok &= same_number("states", a[0].r->stats.states, b->states, why);
    if (a[0].end == END_COMPLETE) ok &= same_number("transitions", a[0].r->stats.transitions, b->transitions, why);
    if (a[1].end == END_COMPLETE) ok &= same_number("orbits", exact, b->orbits, why);
    if (a[2].end == END_COMPLETE && (cheap < b->orbits || cheap > b->states))
        ok = same_number("representatives", cheap, b->orbits, why);
    return ok;
}

// ---- one model

typedef enum { AGREES, DIFFERS, TOO_LARGE, NOT_READ } judgement;

static judgement judge(const murphi_sample *s, str *why, tally *t) {
    static const space_symmetry modes[NMODES] = {SYMMETRY_OFF, SYMMETRY_EXACT, SYMMETRY_HEURISTIC};
    answer a[NMODES];
    for (uint32_t i = 0; i < NMODES; i++) a[i] = explore(s, modes[i]);
    bool is_small = a[0].end != END_STATES, has_start = a[0].r->stats.states > 0;
    bool ok = !is_small || (same_answers(&a[0], &a[1], why) && same_answers(&a[0], &a[2], why) &&
                            same_answers(&a[1], &a[0], why) && same_answers(&a[2], &a[0], why));
    if (is_small && has_start && ok) {
        order_exceptions(s);
        brute b = brute_explore(s->in, s->props.data, s->props.len, MOST_STATES, true);
        if (b.is_complete) ok = same_lengths(s, &a[0], &b, why) && same_counts(a, &b, why);
        if (b.is_complete) ok &= same_hopes(s, &a[0], &b, why, t);
        t->compared += b.is_complete;
        t->with_bags += b.is_complete && b.states > 1 && sys_of(s->m, s->system)->bags.len;
        t->reduced += b.is_complete && b.orbits < b.states;
        t->large += b.is_complete && b.states > 20;
        brute_free(&b);
    }
    for (uint32_t i = 0; i < NMODES; i++) result_free(a[i].r);
    return !ok ? DIFFERS : is_small ? AGREES : TOO_LARGE;
}

// One body for all calls of a function, or each call written out: the same answers.
static bool same_when_shared(const str *text, bool copies_undefined, str *why) {
    murphi_sample s[2];
    answer a[2] = {{0}, {0}};
    bool ok = true;
    for (uint32_t i = 0; i < 2; i++) {
        murphi_options o = {.copies_undefined = copies_undefined, .shares_bodies = i};
        ok &= murphi_sample_read(&s[i], str_get(text), &o);
        if (ok) a[i] = explore(&s[i], SYMMETRY_OFF);
    }
    ok = ok && a[0].end == a[1].end && same_answers(&a[0], &a[1], why) && same_answers(&a[1], &a[0], why);
    for (uint32_t i = 0; i < a[0].r->properties.len && ok; i++)
        ok = a[0].r->properties.data[i].stats.states == a[1].r->properties.data[i].stats.states;
    if (!ok) str_add(why, "with shared bodies it is another model\n");
    for (uint32_t i = 0; i < 2; i++) {
        if (a[i].r) result_free(a[i].r);
        murphi_sample_free(&s[i]);
    }
    return ok;
}

static judgement compare_text(const str *text, bool copies_undefined, str *why, tally *t) {
    murphi_sample s;
    str_clear(why);
    judgement j = NOT_READ;
    if (sample_new(&s, text, copies_undefined)) j = judge(&s, why, t);
    else diag_print(s.messages, why, false);
    murphi_sample_free(&s);
    return j == AGREES && !same_when_shared(text, copies_undefined, why) ? DIFFERS : j;
}

static judgement compare(uint64_t seed, whole_options o, const bits *skip, str *text, str *why, tally *t) {
    str_clear(text);
    random_murphi_whole(seed, o, skip, text);
    return compare_text(text, seed % 3 != 0, why, t);
}

static void shrink(uint64_t seed, whole_options o, uint32_t nparts) {
    bits skip = {0};
    str text = {0}, why = {0};
    tally unused = {0};
    for (uint32_t i = 0; i < nparts; i++) {
        bits_add(&skip, i);
        if (compare(seed, o, &skip, &text, &why, &unused) != DIFFERS) bits_remove(&skip, i);
    }
    compare(seed, o, &skip, &text, &why, &unused);
    printf("# seed %llu, options %d: %s\n%s\n", (unsigned long long)seed, (int)o, str_get(&why), str_get(&text));
    bits_free(&skip);
    str_free(&text);
    str_free(&why);
}

// How many models differ.
static uint32_t compare_many(uint64_t first, uint32_t n, whole_options o, tally *t) {
    uint32_t wrong = 0;
    bits none = {0};
    for (uint64_t seed = first; seed < first + n; seed++) {
        str text = {0}, why = {0};
        judgement j = compare(seed, o, &none, &text, &why, t);
        if (j == NOT_READ) printf("# seed %llu: %s\n%s\n", (unsigned long long)seed, str_get(&why), str_get(&text));
        wrong += j == DIFFERS || j == NOT_READ;
        if (j == DIFFERS && wrong <= 3) shrink(seed, o, random_murphi_whole(seed, o, &none, &text));
        str_free(&text);
        str_free(&why);
    }
    return wrong;
}

// So many models, or as many as the variable asks for; this part's share of a long run.
static uint32_t number_of(const char *name, uint32_t quick, uint32_t lengthy) {
    const char *asked = getenv(name);
    return asked ? (uint32_t)strtoul(asked, NULL, 10) : (uint32_t)part_rounds(quick, lengthy);
}

static void symmetry_changes_nothing(void **state) {
    (void)state;
    uint32_t n = number_of("PARVIS_WHOLE", 1500, 20000);
    uint64_t first = part_seed(1);
    tally t = {0};
    uint32_t wrong = compare_many(first, n / 4, 0, &t) + compare_many(first + 1000000, n / 4, WHOLE_NO_LOOPS, &t);
    wrong += compare_many(first + 2000000, n / 2, WHOLE_MEETING, &t);
    printf("# tally: Murphi models with symmetry exact, heuristic, off and by brute force | %u cases | %u wrong\n", n,
           wrong);
    printf("# %u compared with the twin, %u have multisets, %u fewer orbits than states, %u more than 20 states\n",
           t.compared, t.with_bags, t.reduced, t.large);
    printf("# tally: cover and liveness of Murphi models by brute force | %u cases | %u wrong\n", t.covers + t.lively,
           wrong);
    assert_int_equal(wrong, 0);
    assert_true(t.compared > n / 4 && t.with_bags > n / 20 && t.reduced > n / 20);
    assert_true(t.covers > n / 20 && t.lively > n / 20);
}

// ---- models around a loop

static void without_line(const str *text, size_t begin, str *out) {
    const char *all = str_get(text), *end = strchr(all + begin, '\n');
    str_clear(out);
    str_printf(out, "%.*s%s", (int)begin, all, end ? end + 1 : "");
}

static void shrink_lines(str *text, bool copies_undefined) {
    str less = {0}, why = {0};
    tally unused = {0};
    for (size_t at = 0; at < text->len;) {
        without_line(text, at, &less);
        if (less.len < text->len && compare_text(&less, copies_undefined, &why, &unused) == DIFFERS) {
            str_clear(text);
            str_add(text, str_get(&less));
        } else {
            const char *end = strchr(str_get(text) + at, '\n');
            at = end ? (size_t)(end + 1 - str_get(text)) : text->len;
        }
    }
    compare_text(text, copies_undefined, &why, &unused);
    printf("# %s%s\n", str_get(&why), str_get(text));
    str_free(&less);
    str_free(&why);
}

// Whether the models made from this seed differ.
static bool loop_differs(uint64_t seed, bool is_shown, tally *t) {
    str text = {0}, why = {0};
    random_loop_model(seed, &text);
    judgement j = compare_text(&text, seed % 8 < 5, &why, t);
    bool is_wrong = j == DIFFERS || j == NOT_READ;
    if (is_wrong) printf("# seed %llu: %s", (unsigned long long)seed, str_get(&why));
    if (j == NOT_READ) printf("%s\n", str_get(&text));
    if (j == DIFFERS && is_shown) shrink_lines(&text, seed % 8 < 5);
    str_free(&text);
    str_free(&why);
    return is_wrong;
}

static void loops_in_models(void **state) {
    (void)state;
    uint32_t n = number_of("PARVIS_LOOPS", 1500, 30000), wrong = 0;
    uint64_t first = part_seed(1);
    tally t = {0};
    for (uint64_t seed = first; seed < first + n; seed++) wrong += loop_differs(seed, wrong < 3, &t);
    printf("# tally: Murphi models around a loop with symmetry exact, heuristic, off and by brute force | ");
    printf("%u cases | %u wrong\n", t.compared, wrong);
    printf("# %u have multisets, %u fewer orbits than states, %u more than 20 states\n", t.with_bags, t.reduced,
           t.large);
    assert_int_equal(wrong, 0);
    assert_true(t.compared > n / 2 && t.reduced > n / 3);
}

// ---- Rumur

// The search as Rumur does it: without symmetry, up to the first violation.
static bool agrees_with_rumur(const murphi_sample *s, const rumur_answer *theirs) {
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .check_deadlock = true};
    o.is_stuttering_stuck = true;
    o.most_errors = 1;
    o.limit_states = 100 * MOST_STATES;
    result *r = result_new();
    explore_run(s->in, s->props.data, s->props.len, &o, r, NULL);
    bool is_violated = r->verdict == VERDICT_VIOLATED;
    bool ok = r->verdict == VERDICT_UNKNOWN || is_violated == theirs->is_violated;
    if (r->verdict == VERDICT_HOLDS) ok &= r->stats.states == theirs->states && r->stats.transitions == theirs->fired;
    result_free(r);
    return ok;
}

static whole_options plain_options(uint64_t seed) { return WHOLE_PLAIN | (seed % 2 ? WHOLE_MEETING : 0); }

// 1: they agree, 0: they do not, -1: cannot be compared.
static int compare_with_rumur(const char *folder, uint64_t seed, const bits *skip, str *text) {
    murphi_sample s;
    rumur_answer theirs;
    str_clear(text);
    random_murphi_whole(seed, plain_options(seed), skip, text);
    int agreed = -1;
    if (sample_new(&s, text, false) && rumur_ask(folder, text, &theirs)) agreed = agrees_with_rumur(&s, &theirs);
    murphi_sample_free(&s);
    return agreed;
}

static void shrink_for_rumur(const char *folder, uint64_t seed) {
    bits skip = {0};
    str text = {0};
    for (uint32_t i = 0, n = random_murphi_whole(seed, plain_options(seed), &skip, &text); i < n; i++) {
        bits_add(&skip, i);
        if (compare_with_rumur(folder, seed, &skip, &text) != 0) bits_remove(&skip, i);
    }
    compare_with_rumur(folder, seed, &skip, &text);
    printf("# seed %llu: Rumur says something else\n%s\n", (unsigned long long)seed, str_get(&text));
    bits_free(&skip);
    str_free(&text);
}

static void rumur_agrees(void **state) {
    (void)state;
    char folder[64];
    if (!rumur_is_here()) skip();
    rumur_open(folder);
    uint32_t n = number_of("PARVIS_RUMUR", 10, 300), compared = 0, wrong = 0;
    bits none = {0};
    str text = {0};
    uint64_t first = part_seed(1);
    for (uint64_t seed = first; seed < first + n; seed++) {
        int agreed = compare_with_rumur(folder, seed, &none, &text);
        compared += agreed >= 0;
        wrong += agreed == 0;
        if (agreed == 0) shrink_for_rumur(folder, seed);
    }
    str_free(&text);
    rumur_close(folder);
    printf("# tally: whole Murphi models checked by Rumur too | %u cases | %u wrong\n", compared, wrong);
    assert_int_equal(wrong, 0);
    assert_true(compared >= n / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(symmetry_changes_nothing), cmocka_unit_test(loops_in_models),
                                       cmocka_unit_test(rumur_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
