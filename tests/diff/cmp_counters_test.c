// SPDX-License-Identifier: Apache-2.0
// Counters (src/pass/counters.h) on random models, most of them with a counter of weights, many with a mistake: what is
// found is true in every state of instances with up to four elements, and what is proved is violated by none of them.
#include "oracle/unit.h"

#include "base/rng.h"
#include "cmp/cmp.h"
#include "pass/counters.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "model/expr.h"
#include "model/overlay.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_STATES = 1500 };

// ---- texts

static const char *const declarations =
    "const N : 3; type node : scalarset(N); st : enum { a, b, d };\n"
    "var s : array [node] of st; on : array [node] of boolean; c : 0..40; e : -9..9; flag : boolean; who : node;\n";

static const char *const starts[] = {
    "startstate for i : node do s[i] := a; on[i] := false; end; c := 20; e := 0; flag := false; undefine who; end;\n",
    "ruleset k : node do startstate for i : node do s[i] := a; on[i] := false; end; s[k] := b; c := 20; e := 0;\n"
    "  flag := true; who := k; end; end;\n",
    "ruleset k : node do startstate for i : node do s[i] := a; on[i] := i = k; end; c := 20; e := 0;\n"
    "  flag := true; who := k; end; end;\n",
};

// None of these keeps every counter.
static const char *const hostile[] = {
    "ruleset i : node do rule flag ==> begin s[i] := d; c := c + 1; end; end;\n",
    "rule begin for i : node do s[i] := a; end; c := 20; end;\n",
    "rule c > 20 ==> begin c := c - 1; end;\n",
    "rule c < 10 ==> begin c := c + c; end;\n",
    "rule !isundefined(who) ==> begin s[who] := b; c := c + 1; end;\n",
    "ruleset i : node; j : node do rule s[i] = a & s[j] = a ==> begin s[i] := b; s[j] := b; c := c + 2; end; end;\n",
    "ruleset i : node; j : node do rule s[i] = a & s[j] = b ==> begin s[i] := s[j]; s[j] := d; c := c + 1; end; end;\n",
    "rule begin for i : node do if s[i] = b & c > 0 then c := c - 1; s[i] := a; end; end; end;\n",
    "ruleset i : node do rule s[i] = b ==> begin if c = 21 then c := c - 1; end; s[i] := a; end; end;\n",
    "ruleset i : node do rule on[i] ==> begin on[i] := false; e := e - 1; e := e + 1; end; end;\n",
    "rule flag ==> begin c := 20; end;\n",
    "ruleset i : node do rule !on[i] ==> begin on[i] := flag; e := e + 1; end; end;\n",
};

static const char *const fair[] = {
    "ruleset i : node do rule !on[i] & e < 8 ==> begin on[i] := true; e := e + 1; end; end;\n",
    "ruleset i : node do rule on[i] ==> begin on[i] := false; e := e - 1; end; end;\n",
    "rule c > 20 ==> begin flag := !flag; end;\n",
    "rule e = 0 ==> begin flag := true; end;\n",
    "ruleset i : node do rule e <= 1 & s[i] = a ==> begin who := i; end; end;\n",
    "ruleset i : node; j : node do rule i != j & on[i] & !on[j] ==> begin on[i] := false; on[j] := true; end; end;\n",
};

static const char *const properties =
    "invariant \"none\" e = 0 -> forall i : node do !on[i] end;\n"
    "invariant \"one\" e < 2 -> forall i : node do forall j : node do on[i] & on[j] -> i = j end end;\n"
    "invariant \"still\" c = 20 -> forall i : node do s[i] = a end;\n"
    "invariant \"few\" c <= 21;\n";

static void random_move(rng *g, const int *weight, str *out) {
    uint32_t from = rng_below(g, 3), to = rng_below(g, 3);
    int by = weight[to] - weight[from] + (rng_below(g, 20) == 0);
    const char *then = rng_below(g, 3) == 0 ? "if flag then" : "if true then";
    const char *within = rng_below(g, 20) == 0 ? "" : " & c >= 5 & c < 36";
    str_printf(out, "ruleset i : node do rule s[i] = %c%s ==> begin %s s[i] := %c; c := c + %d; end; end; end;\n",
               "abd"[from], within, then, "abd"[to], by);
}

static void random_text(rng *g, str *out) {
    int weight[3] = {0, (int)rng_below(g, 4) - 1, (int)rng_below(g, 4) - 1};
    str_add(out, declarations);
    str_add(out, starts[rng_below(g, 3)]);
    for (uint32_t i = 0, n = 2 + rng_below(g, 3); i < n; i++) random_move(g, weight, out);
    for (uint32_t i = 0, n = 1 + rng_below(g, 4); i < n; i++)
        str_add(out, fair[rng_below(g, sizeof fair / sizeof *fair)]);
    if (rng_below(g, 3) == 0) str_add(out, hostile[rng_below(g, sizeof hostile / sizeof *hostile)]);
    str_add(out, properties);
}

// ---- comparing

typedef struct {
    uint32_t found, holds, violated;
    uint64_t states;
} tally;

// errors_count: a run-time error violates it, too.
static bool is_violated(model *m, sys system, type sort, prop p, uint32_t size, bool errors_count, tally *y) {
    sort_size sizes = {sort, size};
    instance *in = instance_new(m, system, &sizes, 1);
    explore_options o = {
        .threads = 1, .engine = ENGINE_BYTECODE, .limit_states = MOST_STATES, .self_check = SELF_CHECK_OFF};
    result *r = result_new();
    explore_run(in, &p, 1, &o, r, NULL);
    bool is = false;
    for (uint32_t i = 0; i < r->properties.len; i++)
        is |= r->properties.data[i].verdict == VERDICT_VIOLATED &&
              (errors_count || str_same(r->properties.data[i].name, prop_of(m, p)->name));
    y->states += r->stats.states;
    result_free(r);
    instance_free(in);
    return is;
}

// The counter as it was is what is said of it.
static bool counters_are_right(const model *m, sys system, type sort, tally *y) {
    model *any = overlay_with_any_size(m, sort), *own = overlay_new(any);
    counter_list found = {0};
    counters_leave_out(own, system, sort, &found);
    for (uint32_t i = 1; i < any->rules.len; i++) own->rules.data[i] = any->rules.data[i];
    sys_of(own, system)->funcs.len = 0;
    for (uint32_t i = 0; i < sys_of(any, system)->funcs.len; i++)
        vec_push(&sys_of(own, system)->funcs, sys_of(any, system)->funcs.data[i]);
    bool ok = true;
    for (uint32_t i = 0; i < found.len && ok; i++) {
        expr same = expr_eq(own, expr_app(own, found.data[i].counter, NULL), found.data[i].is);
        prop_info claim = {.kind = PROP_INVARIANT, .name = "counter", .system = system, .cond = same};
        prop p = model_add_prop(own, claim);
        for (uint32_t size = 1; size <= 4 && ok; size++) ok = !is_violated(own, system, sort, p, size, false, y);
    }
    y->found += found.len;
    vec_free(&found);
    model_free(own);
    model_free(any);
    return ok;
}

static bool proofs_are_right(const model *m, sys system, type sort, tally *y) {
    bool ok = true;
    for (uint32_t i = 1; i < m->props.len && ok; i++) {
        cmp_options how = {.limits = limits_of_seconds(2), .limit_states = MOST_STATES};
        proof *p = cmp_prove(m, (prop){i}, &how);
        y->holds += p->verdict == VERDICT_HOLDS;
        y->violated += p->verdict == VERDICT_VIOLATED;
        model *any = overlay_with_any_size(m, sort);
        for (uint32_t size = 1; size <= 4 && ok && p->verdict == VERDICT_HOLDS; size++)
            ok = !is_violated(any, system, sort, (prop){i}, size, true, y);
        model_free(any);
        proof_free(p);
    }
    return ok;
}

static bool is_right(const str *text, bool proves, tally *y) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    murphi_options o = {.copies_undefined = true};
    if (!murphi_read_text(m, "random.m", str_get(text), text->len, &o, &system)) fail_msg("%s", str_get(text));
    type sort = model_find_type(m, "node");
    bool ok = counters_are_right(m, system, sort, y) && (!proves || proofs_are_right(m, system, sort, y));
    model_free(m);
    diag_free(messages);
    return ok;
}

static void counters_count(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 10000 : 400;
    tally y = {0};
    for (uint64_t seed = 1; seed <= n; seed++) {
        rng g = {seed * 7919};
        str text = {0};
        random_text(&g, &text);
        bool ok = is_right(&text, seed % 10 == 0, &y);
        if (!ok) printf("# seed %llu\n%s\n", (unsigned long long)seed, str_get(&text));
        assert_true(ok);
        str_free(&text);
    }
    printf("# %u counters, %u proved, %u violated; %llu states\n", y.found, y.holds, y.violated,
           (unsigned long long)y.states);
    printf("# tally: counters of elements against states of instances | %u cases | 0 wrong\n", n);
    assert_true(y.found > n / 4 && y.holds > n / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counters_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
