// SPDX-License-Identifier: Apache-2.0
// Systems that forget what nobody reads (src/pass/leftover.h), leave out what nothing depends on (src/pass/relevant.h)
// or is copied and copied back (src/pass/round_trip.h), or end loops with any round (src/pass/last_round.h), on random
// models of messages, many with rules that do read it: where an instance of the system goes wrong or has a run-time
// error, so has the smaller one; and what is proved is violated by no instance with up to five elements. In some models
// such rules come late: only when three elements have done something else, so that no instance with few elements shows
// what they do.
#include "oracle/unit.h"

#include "base/rng.h"
#include "base/str.h"
#include "cmp/cmp.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "model/overlay.h"
#include "oracle/part.h"
#include "pass/asked_for.h"
#include "pass/last_round.h"
#include "pass/leftover.h"
#include "pass/relevant.h"
#include "pass/round_trip.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STATES = 3000, MOST_LATE_STATES = 30000 };

// ---- texts

static const char *const declarations =
    "const N : 3; type node : scalarset(N); cmd : enum { none, get, res }; mode : enum { I, S, E };\n"
    "var m : array [node] of record c : cmd; from : node; home : boolean; d : 0..1; end;\n"
    "  st : array [node] of mode; cd : array [node] of 0..1; mem : 0..1; flag : boolean;\n"
    "  wb : record c : cmd; who : node; d : 0..1; end; last : node; next : node; few : 0..2;\n"
    "  came : array [node] of boolean; stage : 0..3;\n"
    "ruleset h : node do startstate for i : node do m[i].c := none; m[i].from := h; m[i].home := true; m[i].d := 0;\n"
    "  st[i] := I; cd[i] := 0; came[i] := false; end; mem := 0; stage := 0; flag := false; wb.c := none; wb.who := h; "
    "wb.d := 0; last := h; next := "
    "h;\n"
    "  few := 0; end; end;\n";

// Fields of messages are read while there is one.
static const char *const fair[] = {
    "ruleset i : node; j : node do rule m[i].c = none & st[i] = I ==> begin m[i].c := get; m[i].from := j;\n"
    "  m[i].home := false; end; end;\n",
    "ruleset i : node do rule m[i].c = none & st[i] = I ==> begin m[i].c := get; m[i].home := true; end; end;\n",
    "ruleset i : node; j : node do rule m[i].c = get & m[i].from = j & !m[i].home & st[j] = E ==> begin\n"
    "  m[i].c := res; m[i].d := cd[j]; st[j] := I; end; end;\n",
    "ruleset i : node do rule m[i].c = get & m[i].home & wb.c = none ==> begin m[i].c := res; m[i].d := mem; end; "
    "end;\n",
    "ruleset i : node do rule m[i].c = get ==> begin m[i].c := none; end; end;\n",
    "ruleset i : node do rule m[i].c = res ==> begin m[i].c := none; st[i] := E; cd[i] := m[i].d; end; end;\n",
    "ruleset i : node do rule st[i] = E & wb.c = none ==> begin wb.c := res; wb.who := i; wb.d := cd[i]; st[i] := I; "
    "end;\n"
    "end;\n",
    "rule wb.c = res ==> begin wb.c := none; mem := wb.d; end;\n",
    "ruleset i : node do rule wb.c = res & wb.who = i ==> begin wb.c := get; end; end;\n",
    "ruleset i : node do rule st[i] = E ==> begin cd[i] := 1 - cd[i]; end; end;\n",
    "ruleset i : node; j : node do rule st[i] = S & m[j].c = get ==> begin st[i] := I;\n"
    "  for k : node do if k != j & m[k].c = none then last := k; end; end; end; end;\n",
    "ruleset i : node do rule st[i] = E ==> begin for k : node do next := k; if m[k].c = get then last := next; end; "
    "end;\n"
    "  end; end;\n",
    "ruleset i : node do rule m[i].c = res ==> begin m[i].c := none; st[i] := S; end; end;\n",
};

// The last round of a loop counts; the whole state is copied and copied back.
static const char *const rounds[] = {
    "ruleset i : node do rule m[i].c = res ==> begin for k : node do last := k; end; m[i].c := none; end; end;\n",
    "ruleset i : node do rule st[last] = E & st[i] = I ==> begin for k : node do next := k; cd[k] := 0; end; end; "
    "end;\n",
    "ruleset i : node do rule st[i] = E ==> begin for k : node do cd[last] := 1; last := k; end; end; end;\n",
    "ruleset i : node do rule st[i] = S ==> begin for k : node do wb.who := last; last := k; end; end; end;\n",
    "ruleset i : node do rule st[i] = E ==> begin for k : node do last := k; st[k] := I; next := k; end; end; end;\n",
    "ruleset i : node do rule last = i & st[i] = E ==> begin for k : node do if st[k] = I then last := k; end; end;\n"
    "  flag := next = i; end; end;\n",
    "rule mem = 0 ==> begin for k : node do mem := (k = last | st[k] = I) ? 1 - mem : mem; end; flag := mem = 0; "
    "end;\n",
    "ruleset i : node do rule st[i] = I & mem = 0 ==> var n : array [node] of mode; b : boolean; begin n := st; b := "
    "flag;\n"
    "  n[i] := S; st := n; flag := b; end; end;\n",
    "ruleset i : node do rule st[i] = S ==> var n : array [node] of mode; d : array [node] of 0..1; begin n := st; d "
    ":= cd;\n"
    "  d[i] := 1; st := n; cd := d; end; end;\n",
    "ruleset i : node do rule st[i] = S ==> var n : array [node] of mode; begin n := st; st[i] := E; st := n; end; "
    "end;\n",
    "ruleset i : node do rule st[i] = E ==> var n : array [node] of mode; begin n := st; if n[i] = E then flag := "
    "true; end;\n"
    "  st := n; end; end;\n",
    "ruleset i : node do rule st[i] = S ==> var n : array [node] of 0..1; b : boolean; begin b := flag; n := cd;\n"
    "  for k : node do n[k] := mem; end; cd := n; b := !b; flag := b; end; end;\n",
    "ruleset i : node do rule st[i] = I ==> begin if m[next].c = none then for k : node do if st[k] = E then cd[k] := "
    "1;\n"
    "  end; end; end; for k : node do next := k; end; end; end;\n",
};

// What is left over, or of the last round, is used after all.
static const char *const hostile[] = {
    "ruleset i : node do rule m[i].from = i & st[i] = I ==> begin flag := true; end; end;\n",
    "ruleset i : node do rule m[i].c = none ==> begin m[i].c := get; end; end;\n",
    "ruleset i : node do rule m[i].c = res ==> begin m[i].c := get; m[i].home := false; end; end;\n",
    "ruleset i : node; j : node do rule m[i].c = none & m[j].c = res ==> begin m[i].d := m[j].d; m[j].from := "
    "m[i].from;\n"
    "  end; end;\n",
    "ruleset i : node do rule last = i & st[i] = S ==> begin flag := true; end; end;\n",
    "rule wb.c = none & wb.d = 1 ==> begin flag := true; end;\n",
    "ruleset i : node do rule st[i] = I ==> begin if wb.who = i then flag := true; end; end; end;\n",
    "ruleset i : node do rule st[i] = E ==> begin for k : node do if m[k].c = none then few := few + 1; end; end; end; "
    "end;\n",
    "ruleset i : node do rule st[i] = E ==> begin for k : node do last := k; assert(last = i | st[k] != E); end; end; "
    "end;\n",
    "ruleset i : node do rule st[i] = E & wb.c = none ==> begin wb.c := res; undefine wb.who; end; end;\n",
    "ruleset i : node do rule st[i] = E ==> begin if isundefined(last) then flag := true; end; undefine last; end; "
    "end;\n",
    "ruleset i : node do rule st[last] = E & m[i].c = none ==> begin next := last; end; end;\n",
    "ruleset i : node do rule st[i] = S ==> begin cd[next] := 1; end; end;\n",
    "ruleset i : node; j : node do rule m[i].c = none & m[j].c = get ==> begin m[i] := m[j]; end; end;\n",
    "ruleset i : node; j : node do rule m[i].c = get & (m[i].from = j | m[i].home) ==> begin m[i].c := res;\n"
    "  m[i].d := 1; end; end;\n",
};

// Guards ask for some element.
static const char *const asking[] = {
    "rule (exists k : node do st[k] = E & m[k].c = none end) & wb.c = none ==> begin flag := true; end;\n",
    "ruleset i : node do rule !forall k : node do k = i | st[k] != S end ==> begin st[i] := I; end; end;\n",
    "rule exists k : node do st[k] = E & exists j : node do j != k & st[j] = I end end ==> begin mem := 1 - mem; "
    "end;\n",
    "ruleset i : node do rule st[i] = I & !forall k : node do m[k].c = none | exists j : node do j != k & st[j] = E "
    "end "
    "end ==>\n"
    "  begin st[i] := S; end; end;\n",
    "rule !forall k : node do k = last end & exists k : node do k = next & st[k] != E end ==> begin wb.c := none; "
    "end;\n",
};

// Rounds in which one element reads what another one leaves behind, which few elements do not show.
static const char *const late[] = {
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 ==> begin for k : node do if k != i & m[k].c = none then\n"
    "  m[k].c := get; if m[k].c = get & m[k].d = 1 then st[k] := E; end; m[k].d := 0; end; end; end; end;\n",
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 ==> begin for k : node do if k != i & m[k].c = none then\n"
    "  m[k].c := res; if m[k].c = res & m[k].home then cd[k] := 1; end; m[k].home := false; end; end; end; end;\n",
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 ==> begin for k : node do if k != i & m[k].c != res then\n"
    "  m[k].c := res; end; end; end; end;\n",
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 & last != i & m[last].c = none ==> begin m[last].c := "
    "get;\n"
    "  flag := m[last].c = get & m[last].d = 1; m[last].d := 0; end; end;\n",
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 & m[next].c = get & next != i ==> begin next := i;\n"
    "  flag := m[next].d = 1; end; end;\n",
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 & (exists k : node do k != i & m[k].d = 1 & m[k].c = none "
    "end) ==>\n"
    "  begin flag := true; end; end;\n",
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 ==> begin for k : node do last := k; end; st[last] := E; "
    "end; end;\n",
    "ruleset i : node do rule \"late\" !came[i] & stage = 3 & wb.c = none ==> begin wb.c := get; if wb.c = get & wb.d "
    "= "
    "1 then\n"
    "  flag := true; end; wb.d := 0; end; end;\n",
};

static const char *const stages =
    "ruleset i : node do rule \"come\" !came[i] & stage < 3 ==> begin came[i] := true; stage := stage + 1; end; end;\n"
    "ruleset i : node do rule m[i].c = none & stage < 3 ==> begin m[i].c := get; m[i].d := 1; m[i].from := i; end; "
    "end;\n";

static const char *const properties =
    "invariant \"one\" forall i : node do forall j : node do i != j -> !(st[i] = E & st[j] = E) end end;\n"
    "invariant \"never\" !flag;\n"
    "invariant \"data\" forall i : node do st[i] = E -> cd[i] = mem end;\n"
    "invariant \"sent\" forall i : node do m[i].c = res -> m[i].d = mem | m[i].home end;\n"
    "invariant \"clean\" wb.c = none -> mem = 0;\n"
    "invariant \"leftover\" forall i : node do m[i].d = 0 | m[i].c != get end;\n";

// One element is kept: rules that speak of two are left out, and properties are about one.
static void random_late_text(rng *g, str *out) {
    str_add(out, declarations);
    str_add(out, stages);
    for (uint32_t i = 0; i < sizeof fair / sizeof *fair; i++)
        if (rng_below(g, 5) == 0 && !strstr(fair[i], "j : node")) str_add(out, fair[i]);
    str_add(out, late[rng_below(g, sizeof late / sizeof *late)]);
    str_add(out, strstr(properties, "invariant \"never\""));
    str_add(out, "invariant \"idle\" forall i : node do st[i] != E end;\n"
                 "invariant \"zero\" forall i : node do cd[i] = 0 end;\n");
}

static void random_text(rng *g, str *out) {
    str_add(out, declarations);
    for (uint32_t i = 0; i < sizeof fair / sizeof *fair; i++)
        if (rng_below(g, 3) != 0) str_add(out, fair[i]);
    for (uint32_t n = rng_below(g, 3); n-- > 0;) str_add(out, rounds[rng_below(g, sizeof rounds / sizeof *rounds)]);
    for (uint32_t n = rng_below(g, 3); n-- > 0;) str_add(out, asking[rng_below(g, sizeof asking / sizeof *asking)]);
    for (uint32_t n = rng_below(g, 3); n-- > 0;) str_add(out, hostile[rng_below(g, sizeof hostile / sizeof *hostile)]);
    str_add(out, properties);
}

// ---- comparing

typedef struct {
    uint32_t smaller, wrong, agreed, holds, chosen, trips, asked;
    uint64_t states, states_smaller;
} tally;

// A run-time error violates it, too. -1: not within the limit.
static int is_violated(model *m, sys system, type sort, prop p, uint32_t size, uint64_t most, uint64_t *states) {
    sort_size sizes = {sort, size};
    instance *in = instance_new(m, system, &sizes, 1);
    explore_options o = {.threads = 1, .limit_states = most, .self_check = SELF_CHECK_OFF};
    o.engine = ENGINE_BYTECODE;
    if (most > MOST_STATES) o.symmetry = SYMMETRY_EXACT;
    result *r = result_new();
    explore_end end = explore_run(in, &p, 1, &o, r, NULL);
    bool is = false;
    for (uint32_t i = 0; i < r->properties.len; i++) is |= r->properties.data[i].verdict == VERDICT_VIOLATED;
    *states += r->stats.states;
    result_free(r);
    instance_free(in);
    return is ? 1 : end == END_COMPLETE ? 0 : -1;
}

// Where the smaller system is searched without finding anything, the system has nothing to be found.
static bool smaller_is_right(const model *m, sys system, type sort, prop p, bool is_bold, tally *y) {
    model *any = overlay_with_any_size(m, sort), *own = overlay_new(any);
    relevant_list out = {0};
    leftover_list forgotten = {0};
    relevant_leave_out(own, system, p, sort, &out);
    last_round_list any_last = {0};
    last_round_choose(own, system, &any_last);
    uint32_t ntrips = round_trip_leave_out(own, system);
    leftover_forget(own, system, p, is_bold, &forgotten);
    bool ok = true, is_smaller = out.len || forgotten.len || any_last.len || ntrips;
    y->chosen += any_last.len;
    y->trips += ntrips;
    y->smaller += is_smaller;
    for (uint32_t size = 1; size <= 3 && ok && is_smaller; size++) {
        int before = is_violated(any, system, sort, p, size, MOST_STATES, &y->states);
        int after = is_violated(own, system, sort, p, size, MOST_STATES, &y->states_smaller);
        ok = !(before == 1 && after == 0);
        y->wrong += before == 0 && after == 1;
        y->agreed += before >= 0 && before == after;
    }
    vec_free(&out);
    vec_free(&forgotten);
    vec_free(&any_last);
    model_free(own);
    model_free(any);
    return ok;
}

// With elements that guards ask for as parameters, an instance has the same states.
static bool asked_is_right(const model *m, sys system, type sort, prop p, tally *y) {
    model *any = overlay_with_any_size(m, sort), *own = overlay_new(any);
    asked_for_list asked = {0};
    asked_for_choose(own, system, sort, &asked);
    bool ok = true;
    for (uint32_t size = 1; size <= 3 && ok && asked.len; size++) {
        uint64_t states = 0, states_now = 0;
        int before = is_violated(any, system, sort, p, size, MOST_STATES, &states);
        int now = is_violated(own, system, sort, p, size, MOST_STATES, &states_now);
        ok = before < 0 || now < 0 || (before == now && (before || states == states_now));
        y->asked += ok && before >= 0 && now >= 0;
    }
    vec_free(&asked);
    model_free(own);
    model_free(any);
    return ok;
}

static bool proof_is_right(const model *m, sys system, type sort, prop p, uint64_t most, tally *y) {
    cmp_options how = {.limits = limits_of_seconds(3), .limit_states = most};
    proof *found = cmp_prove(m, p, &how);
    bool ok = true, holds = found->verdict == VERDICT_HOLDS;
    model *any = overlay_with_any_size(m, sort);
    for (uint32_t size = 1; size <= 5 && ok && holds; size++)
        ok = is_violated(any, system, sort, p, size, most, &y->states) != 1;
    y->holds += holds;
    model_free(any);
    proof_free(found);
    return ok;
}

typedef enum { ONLY_COMPARE, PROVE_SOME, ONLY_PROVE } test_kind;

static bool is_right(const str *text, test_kind kind, tally *y) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    murphi_options o = {.copies_undefined = true};
    if (!murphi_read_text(m, "random.m", str_get(text), text->len, &o, &system)) fail_msg("%s", str_get(text));
    type sort = model_find_type(m, "node");
    bool ok = true;
    for (uint32_t i = 1; i < m->props.len && ok; i++) {
        for (uint32_t bold = 0; bold < 2 && ok && kind != ONLY_PROVE; bold++)
            ok = smaller_is_right(m, system, sort, (prop){i}, bold, y);
        if (ok && kind != ONLY_PROVE) ok = asked_is_right(m, system, sort, (prop){i}, y);
        if (ok && kind == PROVE_SOME && i % 2) ok = proof_is_right(m, system, sort, (prop){i}, MOST_STATES, y);
        if (ok && kind == ONLY_PROVE) ok = proof_is_right(m, system, sort, (prop){i}, MOST_LATE_STATES, y);
    }
    model_free(m);
    diag_free(messages);
    return ok;
}

static void smaller_systems(void **state) {
    (void)state;
    const uint32_t n = (uint32_t)part_rounds(60, 3000);
    const uint64_t first = part_seed(1);
    tally y = {0};
    for (uint64_t seed = first; seed < first + n; seed++) {
        rng g = {seed * 6007};
        str text = {0};
        random_text(&g, &text);
        bool ok = is_right(&text, seed % 10 == 0 ? PROVE_SOME : ONLY_COMPARE, &y);
        if (!ok) printf("# seed %llu\n%s\n", (unsigned long long)seed, str_get(&text));
        assert_true(ok);
        str_free(&text);
    }
    printf("# %u systems made smaller, %u answers agree, %u errors are those of the smaller one alone, %u proved; "
           "%u loops, %u copies; %llu states, %llu of smaller ones\n",
           y.smaller, y.agreed, y.wrong, y.holds, y.chosen, y.trips, (unsigned long long)y.states,
           (unsigned long long)y.states_smaller);
    printf("# tally: systems without what nobody reads against the whole | %u cases | 0 wrong\n", 12 * n);
    assert_true(y.asked > n && y.smaller > n && y.agreed > y.wrong && y.wrong && y.chosen && y.trips &&
                y.states_smaller < y.states);
}

static void late_rules(void **state) {
    (void)state;
    const uint32_t n = (uint32_t)part_rounds(40, 2000);
    const uint64_t first = part_seed(1);
    tally y = {0};
    for (uint64_t seed = first; seed < first + n; seed++) {
        rng g = {seed * 7919};
        str text = {0};
        random_late_text(&g, &text);
        bool ok = is_right(&text, ONLY_PROVE, &y);
        if (!ok) printf("# seed %llu\n%s\n", (unsigned long long)seed, str_get(&text));
        assert_true(ok);
        str_free(&text);
    }
    printf("# %u proved; %llu states of instances\n", y.holds, (unsigned long long)y.states);
    printf("# tally: proofs where four elements read what others do not | %u cases | 0 wrong\n", 7 * n);
    assert_true(y.holds > n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(smaller_systems), cmocka_unit_test(late_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
