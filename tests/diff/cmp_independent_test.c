// SPDX-License-Identifier: Apache-2.0
// Independent copies (src/pass/independent.h) on random models of nodes and locks, many of which are not: where they
// are said to be, every state with two locks, seen at one of them, is a state with one lock, by the reference
// evaluator.
#include "oracle/unit.h"

#include "base/rng.h"
#include "pass/independent.h"
#include "front/murphi/murphi.h"
#include "model/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 600 };

static const char *const declarations =
    "type node : scalarset(2); lock : scalarset(%u); st : enum { idle, busy };\n"
    "var free_ : array [lock] of boolean; at : array [node] of array [lock] of st; who : array [lock] of node;\n%s";

static const char *const more[] = {
    "", "", "", "var x : boolean;\n", "var last : lock;\n", "var meets : array [lock] of array [lock] of boolean;\n"};

static const char *const starts[] = {
    "startstate for l : lock do free_[l] := true; for n : node do at[n][l] := idle; end; undefine who[l]; end; %s "
    "end;\n",
    "ruleset k : node do startstate for l : lock do free_[l] := false; who[l] := k; for n : node do at[n][l] := idle; "
    "end;\n"
    "  at[k][l] := busy; end; %s end; end;\n",
    "ruleset l : lock do startstate free_[l] := true; for n : node do at[n][l] := idle; end; %s end; end;\n",
    "startstate var b : boolean; begin b := true; for l : lock do free_[l] := b; b := false;\n"
    "  for n : node do at[n][l] := idle; end; end; %s end;\n",
};

static const char *const fair[] = {
    "ruleset n : node; l : lock do rule free_[l] ==> begin free_[l] := false; at[n][l] := busy; who[l] := n; end; "
    "end;\n",
    "ruleset n : node; l : lock do rule at[n][l] = busy ==> begin at[n][l] := idle; free_[l] := true; end; end;\n",
    "ruleset l : lock do rule forall n : node do at[n][l] = idle end ==> begin free_[l] := true; undefine who[l]; end; "
    "end;\n",
    "ruleset l : lock do rule !isundefined(who[l]) ==> begin for n : node do at[n][l] := idle; end; end; end;\n",
    "ruleset n : node; l : lock do rule var b : boolean; begin b := free_[l]; if b then at[n][l] := busy; end; end; "
    "end;\n",
};

static const char *const hostile[] = {
    "ruleset n : node; l : lock; k : lock do rule free_[l] & !free_[k] ==> begin at[n][l] := busy; end; end;\n",
    "rule begin for l : lock do free_[l] := false; end; end;\n",
    "ruleset l : lock do rule exists k : lock do at_[0] = 0 end ==> begin free_[l] := false; end; end;\n",
    "ruleset l : lock do rule forall k : lock do !free_[k] end ==> begin free_[l] := true; end; end;\n",
    "ruleset l : lock; k : lock do rule l != k & free_[l] ==> begin free_[l] := false; end; end;\n",
    ("ruleset n : node; l : lock do rule exists k : lock do k != l & at[n][k] = busy end ==>\n"
     "  begin at[n][l] := busy; end; end;\n"),
};

static void random_text(uint64_t seed, uint32_t locks, str *out) {
    rng g = {seed};
    const char *other = more[rng_below(&g, sizeof more / sizeof *more)], *set = "";
    if (strstr(other, "x :")) set = "x := false;";
    if (strstr(other, "meets")) set = "for l : lock do for k : lock do meets[l][k] := false; end; end;";
    str_printf(out, declarations, locks, other);
    uint32_t s = rng_below(&g, 8);
    str_printf(out, starts[s < 6 ? s % 2 : s - 4], set);
    for (uint32_t i = 0, n = 2 + rng_below(&g, 3); i < n; i++)
        str_add(out, fair[rng_below(&g, sizeof fair / sizeof *fair)]);
    uint32_t h = rng_below(&g, 12);
    if (h < sizeof hostile / sizeof *hostile && h != 2) str_add(out, hostile[h]);
    str_add(out, rng_below(&g, 4)
                     ? "invariant \"p\" forall n : node do forall l : lock do at[n][l] = busy -> !free_[l] end end;\n"
                     : "invariant \"p\" forall l : lock do forall k : lock do free_[l] = free_[k] end end;\n");
}

typedef struct {
    diag *messages;
    model *m;
    sys system;
    type lock;
    instance *in;
    eval *ev;
    map *seen;
    VEC(value) states;
} subject;

static subject subject_new(const str *text) {
    subject x = {.messages = diag_new(), .seen = map_new()};
    murphi_options o = {.copies_undefined = true};
    x.m = model_new(x.messages);
    if (!murphi_read_text(x.m, "random.m", str_get(text), text->len, &o, &x.system)) fail_msg("%s", str_get(text));
    x.lock = model_find_type(x.m, "lock");
    x.in = instance_new(x.m, x.system, NULL, 0);
    x.ev = eval_new(x.in);
    return x;
}

static void subject_free(subject *x) {
    eval_free(x->ev);
    instance_free(x->in);
    vec_free(&x->states);
    map_free(x->seen);
    model_free(x->m);
    diag_free(x->messages);
}

static bool reach(const value *s, void *context) {
    subject *x = context;
    uint32_t n = x->in->ncells;
    if (map_get(x->seen, s, n * sizeof *s, 0)) return true;
    map_put(x->seen, s, n * sizeof *s, 1);
    for (uint32_t i = 0; i < n; i++) vec_push(&x->states, s[i]);
    return x->states.len / n < MOST_STATES;
}

// False: there are too many, or a start fails.
static bool reach_all(subject *x) {
    eval_start_fault failed = {0};
    limits none = {0};
    uint32_t n = x->in->ncells;
    value args[8], *s = mem_zero(n, sizeof *s), *next = mem_zero(n, sizeof *next);
    bool ok = eval_initial_within(x->in, &none, reach, x, &failed) && !failed.r.id;
    for (uint32_t i = 0; ok && i < x->states.len && x->states.len / n < MOST_STATES; i += n) {
        memcpy(s, x->states.data + i, n * sizeof *s);
        for (uint32_t k = 0; k < sys_of(x->m, x->system)->rules.len; k++) {
            rule r = sys_of(x->m, x->system)->rules.data[k];
            prop refused;
            for (bool first = true; eval_next_binding(x->in, r, args, &first);)
                if (eval_step(x->ev, s, r, args, next, &refused) == EVAL_FIRES) reach(next, x);
        }
    }
    free(s);
    free(next);
    return ok && x->states.len / n < MOST_STATES;
}

// What a state says of one lock.
static void see(const subject *x, const value *s, value lock, value *out) {
    value args[16];
    uint32_t n = 0;
    for (uint32_t c = 0; c < x->in->ncells; c++) {
        func f = instance_cell_func(x->in, c, args);
        const func_info *info = func_of(x->m, f);
        bool is_its = true;
        for (uint32_t i = 0; i < info->nargs; i++) is_its &= !type_same(info->args[i], x->lock) || args[i] == lock;
        if (is_its) out[n++] = s[c];
    }
}

static bool copies_are_alike(subject *one, subject *two) {
    uint32_t n = one->in->ncells;
    value *seen = mem_zero(two->in->ncells, sizeof *seen);
    bool ok = true;
    for (uint32_t i = 0; i < two->states.len && ok; i += two->in->ncells)
        for (value l = 0; l < 2 && ok; l++) {
            see(two, two->states.data + i, l, seen);
            ok = map_get(one->seen, seen, n * sizeof *seen, 0);
        }
    free(seen);
    return ok;
}

static void copies_are_independent(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 20000 : 800, said = 0, compared = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        str texts[2] = {{0}, {0}};
        for (uint32_t i = 0; i < 2; i++) random_text(seed * 7919, i + 1, &texts[i]);
        subject one = subject_new(&texts[0]), two = subject_new(&texts[1]);
        bool is = independent_copies(two.m, two.system, (prop){1}, two.lock);
        said += is;
        if (is && reach_all(&one) && reach_all(&two)) {
            bool ok = copies_are_alike(&one, &two);
            if (!ok) printf("# seed %llu\n%s\n", (unsigned long long)seed, str_get(&texts[1]));
            assert_true(ok);
            compared++;
        }
        subject_free(&one);
        subject_free(&two);
        str_free(&texts[0]);
        str_free(&texts[1]);
    }
    printf("# %u said to be independent, %u compared\n", said, compared);
    printf("# tally: independent copies against states seen at one | %u cases | 0 wrong\n", n);
    assert_true(compared > n / 20 && said < n / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_are_independent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
