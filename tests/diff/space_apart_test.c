// SPDX-License-Identifier: Apache-2.0
// Broadcasts that are taken apart (space/factor.h) against all their bindings compiled one by one: random networks,
// with receivers that choose between edges and values, that have variables of their own, share some, ask about each
// other, fail, or hear with clock guards. In every state that is met both must have the same labels, in the same order,
// which lead to the same states or fail alike, and so must the reference evaluator. With a sieve that drops some
// bindings, just the others must be left.
#include "base/rng.h"
#include "base/str.h"
#include "base/tuples.h"
#include "front/xta/xta.h"
#include "model/eval.h"
#include "oracle/part.h"
#include "oracle/unit.h"
#include "space/space.h"

#include <stdio.h>
#include <string.h>

enum { NETWORKS = 250, LONG_NETWORKS = 10000, MOST_STATES = 40, EVALUATED = 2 };

typedef struct {
    rng r;
    str text;
    uint32_t receivers;
    bool is_lonely;  // nothing is shared
} writer;

static uint32_t below(writer *w, uint32_t n) { return rng_below(&w->r, n); }
static bool one_in(writer *w, uint32_t n) { return !below(w, n); }

// ---- text

static void put_guard(writer *w) {
    static const char *const own[] = {"v < 2", "v == me % 2", "f(v) > 0", "loc != me", "x >= 1", "x < 2 && v != 1"};
    static const char *const shared[] = {"n < 2", "a[me] == 0", "a[(me + 1) % K] < 2", "f(n) != v", "n == 0 || v == 0"};
    if (one_in(w, 2)) return;
    bool is_own = w->is_lonely || below(w, 3);
    str_printf(&w->text, "guard %s; ", is_own ? own[below(w, 6)] : shared[below(w, 5)]);
}

static void put_updates(writer *w, bool selects) {
    static const char *const own[] = {
        "v = (v + 1) % 3", "v = v + 1", "x = 0", "loc = v", "v = f(v), loc = f(loc)", "x = v", "v = loc > 1 ? 0 : loc"};
    static const char *const shared[] = {"n = (n + 1) % 3", "n = v",     "a[me] = v",     "v = n",
                                         "a[v] = me % 3",   "v = a[me]", "v = a[0] <? n", "loc = n"};
    if (one_in(w, 4) && !selects) return;
    str_add(&w->text, "assign ");
    if (selects) str_add(&w->text, one_in(w, 2) ? "v = s, " : "loc = (loc + s) % 3, ");
    for (uint32_t i = 0, n = 1 + below(w, 2); i < n; i++) {
        bool is_own = w->is_lonely || below(w, 3);
        str_printf(&w->text, "%s%s", i ? ", " : "", is_own ? own[below(w, 7)] : shared[below(w, 8)]);
    }
    str_add(&w->text, "; ");
}

static void put_edge(writer *w, bool is_sender, const char *separator) {
    str_printf(&w->text, "%s\n    l%u -> l%u { ", separator, below(w, 3), below(w, 3));
    bool selects = one_in(w, 5), sends = is_sender ? below(w, 3) : one_in(w, 12), hears = !sends && below(w, 6);
    if (selects) str_add(&w->text, "select s : int[0,1]; ");
    // A receiver with clock guards must not select.
    if (!selects || sends || !hears) put_guard(w);
    if (sends || hears) str_printf(&w->text, "sync %s%c; ", one_in(w, 5) ? "c" : "b", sends ? '!' : '?');
    put_updates(w, selects);
    str_add(&w->text, "}");
}

static void put_process(writer *w, const char *name, bool is_sender) {
    str_printf(&w->text, "process %s(const int[0,K-1] me) {\n  int[0,2] v, loc; clock x;\n  state l0, l1, l2;\n", name);
    if (one_in(w, 4)) str_printf(&w->text, "  commit l%u;\n", 1 + below(w, 2));
    str_add(&w->text, "  init l0;\n  trans");
    for (uint32_t i = 0, n = 1 + below(w, 6); i < n; i++) put_edge(w, is_sender, i ? "," : "");
    str_add(&w->text, ";\n}\n");
}

static void put_network(writer *w) {
    w->receivers = 1 + below(w, 5);
    w->is_lonely = one_in(w, 2);
    str_printf(&w->text, "const int K = %u;\nint[0,2] n; int[0,2] a[K]; broadcast chan b, c;\n", w->receivers + 1);
    str_add(&w->text, "int f(int k) { if (k > 1) { return 0; } return k + 1; }\n");
    put_process(w, "S", true);
    uint32_t kinds = 1 + below(w, 2);
    put_process(w, "R0", false);
    if (kinds == 2) put_process(w, "R1", false);
    str_add(&w->text, "P = S(0);\n");
    for (uint32_t i = 1; i <= w->receivers; i++) str_printf(&w->text, "Q%u = R%u(%u);\n", i, i % kinds, i);
    str_add(&w->text, "system ");
    uint32_t at = below(w, w->receivers + 1);
    for (uint32_t i = 0; i <= w->receivers; i++) {
        if (i) str_add(&w->text, ", ");
        if (i == at) str_add(&w->text, "P");
        else str_printf(&w->text, "Q%u", i < at ? i + 1 : i);
    }
    str_add(&w->text, ";\n");
}

// ---- comparing

typedef struct {
    space *s;
    space_run *run;
    uint64_t *next;
    uint32_t *labels, count;
} side;

static side side_new(const instance *in, space_options o) {
    side x = {.s = space_new(in, &o)};
    assert_non_null(x.s);
    x.run = space_run_new(x.s);
    x.next = mem_zero((size_t)space_labels(x.s) * space_words(x.s) + 1, sizeof *x.next);
    x.labels = mem_zero(space_labels(x.s) + 1, sizeof *x.labels);
    return x;
}

static void side_free(side *x) {
    space_run_free(x->run);
    space_free(x->s);
    free(x->next);
    free(x->labels);
}

static bool is_same(const side *a, const side *b) {
    uint32_t words = space_words(a->s);
    if (a->count != b->count || space_words(b->s) != words) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        bool fails = a->labels[i] & SPACE_TROUBLE;
        if (a->labels[i] != b->labels[i]) return false;
        if (!fails && memcmp(a->next + (size_t)i * words, b->next + (size_t)i * words, words * sizeof *a->next))
            return false;
    }
    return true;
}

typedef struct {
    uint32_t networks, refused, apart, rules, wrong;
    uint64_t states, steps, failing, sifted;
} tally;

static bool add_start(const value *cells, void *context) {
    void **both = context;
    uint64_t state[64];
    space_pack(both[0], cells, state);
    tuples_put(both[1], state);
    return true;
}

// ---- a sieve

typedef struct {
    uint32_t label, known;
} beginning;

typedef VEC(beginning) beginning_list;

// Drops some beginnings and keeps all of others; never asked about what was answered.
typedef struct {
    const space *s;
    uint32_t seed;
    beginning_list dropped, kept;
    bool is_wrong;
} random_sieve;

// Does the label's binding begin like that?
static bool begins(const space *s, uint32_t label, beginning b) {
    value is[64], so[64];
    rule r = space_label(s, label, is), q = space_label(s, b.label, so);
    return r.id == q.id && memcmp(is, so, b.known * sizeof *is) == 0;
}

static bool one_begins(const space *s, uint32_t label, const beginning_list *list) {
    for (uint32_t i = 0; i < list->len; i++)
        if (begins(s, label, list->data[i])) return true;
    return false;
}

static sieve_answer answer_some(void *context, uint32_t label, uint32_t known) {
    random_sieve *v = context;
    rng r = {v->seed + 7919 * label + known};
    uint32_t says = rng_below(&r, 8);
    v->is_wrong |= one_begins(v->s, label, &v->dropped) || one_begins(v->s, label, &v->kept);
    if (says == 0) vec_push(&v->dropped, ((beginning){label, known}));
    if (says == 1) vec_push(&v->kept, ((beginning){label, known}));
    return says == 0 ? SIEVE_DROPS : says == 1 ? SIEVE_KEEPS_ALL : SIEVE_KEEPS;
}

// All that was found without the sieve is found with it too, unless it was dropped.
static bool sifts(const side *all, side *some, random_sieve *v) {
    uint32_t words = space_words(all->s), at = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (one_begins(v->s, all->labels[i] & ~SPACE_TROUBLE, &v->dropped)) continue;
        if (at == some->count || some->labels[at] != all->labels[i]) return false;
        const uint64_t *is = all->next + (size_t)i * words, *so = some->next + (size_t)at++ * words;
        if (!(all->labels[i] & SPACE_TROUBLE) && memcmp(is, so, words * sizeof *is)) return false;
    }
    return at == some->count && !v->is_wrong;
}

// `all` has what is found without one; the other side's room is used.
static bool agree_sifted(const side *all, const side *other, const uint64_t *state, tally *t) {
    random_sieve v = {.s = all->s, .seed = (uint32_t)t->states};
    side some = *other;
    some.count = space_next_sifted(all->run, state, &(space_sieve){answer_some, &v}, some.next, some.labels);
    bool ok = sifts(all, &some, &v);
    t->sifted += all->count - some.count;
    vec_free(&v.dropped);
    vec_free(&v.kept);
    return ok;
}

static bool agree_at(side *sides, const uint64_t *state, bool is_evaluated, tally *t) {
    for (uint32_t i = 0; i < (is_evaluated ? 3u : 2u); i++)
        sides[i].count = space_next(sides[i].run, state, sides[i].next, sides[i].labels);
    t->states++;
    t->steps += sides[0].count;
    for (uint32_t i = 0; i < sides[0].count; i++) t->failing += (sides[0].labels[i] & SPACE_TROUBLE) != 0;
    if (!is_same(&sides[0], &sides[1]) || (is_evaluated && !is_same(&sides[0], &sides[2]))) return false;
    return agree_sifted(&sides[0], &sides[1], state, t);
}

static bool agree(const instance *in, side *sides, tally *t) {
    uint32_t words = space_words(sides[0].s);
    tuples *seen = tuples_new(words);
    void *both[] = {sides[0].s, seen};
    uint64_t state[64];
    bool ok = words <= 64 && eval_initial(in, add_start, both);
    for (uint32_t i = 0; ok && i < tuples_count(seen) && i < MOST_STATES; i++) {
        memcpy(state, tuples_get(seen, i), words * sizeof *state);
        ok = agree_at(sides, state, i < EVALUATED, t);
        for (uint32_t k = 0; k < sides[0].count; k++)
            if (!(sides[0].labels[k] & SPACE_TROUBLE)) tuples_put(seen, sides[0].next + (size_t)k * words);
    }
    tuples_free(seen);
    return ok;
}

// More labels than there may be: such a network is refused like those that cannot be read.
static bool has_too_many(const instance *in) {
    space *s = space_new(in, &(space_options){.taken_apart = SPACE_ALL_APART});
    if (s) space_free(s);
    return !s;
}

static void try_instance(const instance *in, const char *text, tally *t) {
    side sides[] = {side_new(in, (space_options){.taken_apart = SPACE_ALL_APART}),
                    side_new(in, (space_options){.taken_apart = SPACE_NONE_APART}),
                    side_new(in, (space_options){.by_evaluator = true})};
    t->rules += space_rules_apart(sides[0].s);
    t->apart += space_rules_apart(sides[0].s) > 0;
    assert_int_equal(space_labels(sides[0].s), space_labels(sides[1].s));
    assert_int_equal(space_rules_apart(sides[1].s), 0);
    if (!agree(in, sides, t)) {
        t->wrong++;
        print_error("successors differ:\n%s\n", text);
    }
    for (uint32_t i = 0; i < 3; i++) side_free(&sides[i]);
}

static void try_network(rng *r, tally *t) {
    writer w = {.r = *r};
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    put_network(&w);
    *r = w.r;
    t->networks++;
    if (xta_read_text(m, "random.xta", str_get(&w.text), w.text.len, &(xta_options){0}, &system)) {
        instance *in = instance_new(m, system, NULL, 0);
        bool is_refused = in && has_too_many(in);
        if (in && !is_refused) try_instance(in, str_get(&w.text), t);
        t->refused += is_refused;
        instance_free(in);
    } else {
        str complaint = {0};
        diag_print(messages, &complaint, false);
        if (getenv("SHOW_REFUSED")) printf("%s\n%s\n", str_get(&w.text), str_get(&complaint));
        str_free(&complaint);
        t->refused++;
    }
    model_free(m);
    diag_free(messages);
    str_free(&w.text);
}

static void apart_is_the_same(void **state) {
    rng r = {part_seed(1801)};
    tally t = {0};
    (void)state;
    for (uint64_t i = part_rounds(NETWORKS, LONG_NETWORKS); i > 0 && t.wrong < 3; i--) try_network(&r, &t);
    printf("# %u networks, %u refused, %u with rules taken apart (%u rules), %llu states, %llu steps, %llu of them "
           "fail, %llu "
           "dropped\n",
           t.networks, t.refused, t.apart, t.rules, (unsigned long long)t.states, (unsigned long long)t.steps,
           (unsigned long long)t.failing, (unsigned long long)t.sifted);
    printf("# tally: states of broadcasts taken apart | %llu cases | %u wrong\n", (unsigned long long)t.states,
           t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.apart > t.networks / 3 && t.failing > t.steps / 200 && t.sifted > t.steps / 50 &&
                t.refused < t.networks / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(apart_is_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
