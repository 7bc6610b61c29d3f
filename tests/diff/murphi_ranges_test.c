// SPDX-License-Identifier: Apache-2.0
// Ranges that are taken for scalarsets, against brute force: random models over NODE : 1..N, most with something that
// tells its numbers apart. If NODE is taken, then with the range as it is written, by the reference evaluator,
// - both readings have the same steps from every reachable state, and
// - exchanging two numbers before a step is exchanging them after it, in every reachable state;
// and what is proved for every number of NODE is violated for no N up to 4.
#include "oracle/unit.h"

#include "base/rng.h"
#include "cmp/cmp.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "model/eval.h"
#include "model/renaming.h"
#include "pass/symmetric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 300, MOST_STEPS = 4000 };

// ---- texts

static const char *const heads[] = {
    "const N : %u; type NODE : 1..N; ",
    "const N : %u; LAST : N - 1; type NODE : 0..LAST; ",
    "const N : %u; type NODE : 1..N; PLACE : NODE; ",
    "const N : %u; type NODE : 1 .. N; NUMBER : 1..2; ",
};

static const char *const declarations =
    "type st : enum { idle, busy, done };\n"
    "var a : array [NODE] of st; b : array [NODE] of boolean; p : NODE; q : array [NODE] of NODE;\n"
    "  r : record who : NODE; n : 0..2; end; lamp : boolean; c : 0..2;\n"
    "function other(x : NODE) : NODE; begin return q[x]; end;\n"
    "procedure mark(var x : NODE; y : NODE); begin x := y; end;\n";

static const char *const starts[] = {
    "startstate for i : NODE do a[i] := idle; b[i] := false; q[i] := i; end; lamp := false; c := 0; r.n := 0;\n"
    "  undefine p; undefine r.who; end;\n",
    "ruleset k : NODE do startstate for i : NODE do a[i] := idle; b[i] := false; q[i] := k; end; lamp := false;\n"
    "  c := 0; r.n := 0; p := k; r.who := k; end; end;\n",
};

// What a scalarset may be used for, and some of what it may not, that the symmetry check must find.
static const char *const fair[] = {
    "ruleset i : NODE do rule a[i] = idle ==> begin a[i] := busy; end; end;\n",
    "ruleset i : NODE do rule a[i] = busy & !lamp ==> begin a[i] := done; lamp := true; p := i; end; end;\n",
    "ruleset i : NODE do rule a[i] = done ==> begin a[i] := idle; lamp := false; undefine p; end; end;\n",
    "ruleset i : NODE; j : NODE do rule i != j & b[i] ==> begin b[i] := false; b[j] := true; q[i] := j; end; end;\n",
    "ruleset i : NODE do rule !isundefined(p) ==> begin b[p] := true; r.who := i; end; end;\n",
    "rule forall i : NODE do a[i] != done end ==> begin for i : NODE do b[i] := a[i] = busy; end; end;\n",
    "ruleset i : NODE do rule lamp ==> begin mark(p, other(i)); end; end;\n",
    "rule !isundefined(r.who) & c < 2 ==> begin c := c + 1; a[r.who] := busy; end;\n",
    "ruleset i : NODE do rule b[i] ==> begin p := (a[i] = idle ? i : q[i]); end; end;\n",
    "rule begin for i : NODE do if b[i] then a[i] := idle; end; end; c := 0; end;\n",
    "ruleset i : NODE do rule !isundefined(p) & p = i ==> begin switch p case q[i] : lamp := true; else lamp := "
    "false;\n"
    "  end; end; end;\n",
    "rule exists i : NODE do exists j : NODE do i != j & q[i] = j end end ==> begin undefine r.who; end;\n",
};

static const char *const hostile[] = {
    "rule begin p := 1; end;\n",
    "rule begin a[1] := done; end;\n",
    "ruleset i : NODE do rule i < N ==> begin b[i] := true; end; end;\n",
    "rule !isundefined(p) & p < N ==> begin p := p + 1; end;\n",
    "ruleset i : NODE do rule begin a[i % N + 1] := done; end; end;\n",
    "rule !isundefined(p) ==> begin c := p % 2; end;\n",
    "rule begin for i : NODE do p := i; end; end;\n",
    "rule begin for i : NODE do if a[i] = idle then p := i; end; end; end;\n",
    "rule begin for i : NODE do if a[i] = idle then p := i; return; end; end; end;\n",
    "rule begin for i := 1 to N do b[i] := lamp; end; end;\n",
    "ruleset i : NODE do rule exists j : NODE do j > i & b[j] end ==> begin lamp := true; end; end;\n",
    "rule begin clear p; end;\n",
    "rule begin clear r; end;\n",
    "rule begin r.n := 1; for i : NODE do if r.n = 1 then b[i] := true; r.n := 0; end; end; end;\n",
    "ruleset i : 1..2 do rule begin b[i] := true; end; end;\n",
    "ruleset i : NODE do rule begin switch i case 1 : lamp := true; else c := 0; end; end; end;\n",
    "ruleset i : 1..N do rule begin b[i] := !b[i]; end; end;\n",
    "ruleset i : NODE do rule i = r.n ==> begin lamp := false; end; end;\n",
    "rule isundefined(p) ==> begin p := N; end;\n",
    "rule p = r.who ==> begin lamp := true; end;\n",
    "rule begin q[q[p]] := p; end;\n",
    "rule var h : NODE; begin for i : NODE do h := i; end; b[h] := true; end;\n",
    "rule begin for i : NODE do q[i] := p; p := i; end; end;\n",
    "ruleset i : NODE do rule begin p := -i + N; end; end;\n",
    "rule begin for i : NODE do c := (b[i] ? 1 : 2); end; end;\n",
    "rule begin for i : NODE do for j : NODE do if b[i] then a[j] := a[i]; end; end; end; end;\n",
};

static const char *const properties =
    "invariant \"one done\" forall i : NODE do forall j : NODE do i != j -> !(a[i] = done & a[j] = done) end end;\n"
    "invariant \"lamp\" forall i : NODE do a[i] = done -> lamp end;\n"
    "invariant \"few\" c <= 1;\n";

static void random_text(rng *g, uint32_t n, str *out) {
    char head[256];
    snprintf(head, sizeof head, heads[rng_below(g, 4)], n);
    str_add(out, head);
    str_add(out, declarations);
    str_add(out, starts[rng_below(g, 2)]);
    for (uint32_t i = 0, m = 2 + rng_below(g, 5); i < m; i++)
        str_add(out, fair[rng_below(g, sizeof fair / sizeof *fair)]);
    if (rng_below(g, 2)) str_add(out, hostile[rng_below(g, sizeof hostile / sizeof *hostile)]);
    str_add(out, properties);
}

// ---- both readings

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    eval *ev;
} reading;

static reading read_with(const str *text, const char *const *names, uint32_t n) {
    reading r = {.messages = diag_new()};
    murphi_options o = {.copies_undefined = true, .names_only = names, .nnames_only = n};
    r.m = model_new(r.messages);
    if (!murphi_read_text(r.m, "random.m", str_get(text), text->len, &o, &r.system)) fail_msg("%s", str_get(text));
    r.in = instance_new(r.m, r.system, NULL, 0);
    r.ev = eval_new(r.in);
    return r;
}

static void close_reading(reading *r) {
    eval_free(r->ev);
    instance_free(r->in);
    model_free(r->m);
    diag_free(r->messages);
}

typedef struct {
    reading as_range, as_sort;
    type sort;
    value low;
    renaming *swap;
    const char *wrong;
    uint64_t nsteps;
} twins;

// The state of the range's reading as one of the scalarset's, or back.
static void convert(const twins *t, const value *from, value *to, value add) {
    value args[16];
    for (uint32_t i = 0; i < t->as_sort.in->ncells; i++) {
        func f = instance_cell_func(t->as_sort.in, i, args);
        bool is_node = type_same(func_of(t->as_sort.m, f)->result, t->sort);
        to[i] = is_node && from[i] != VALUE_UNDEFINED ? from[i] + add : from[i];
    }
}

typedef VEC(value) state_list;  // one state after the other; a step that fails is a state of -1

static int by_values(const void *a, const void *b, void *size) { return memcmp(a, b, *(size_t *)size); }

static void sort_unique(state_list *l, uint32_t n) {
    size_t size = n * sizeof(value);
    qsort_r(l->data, l->len / n, size, by_values, &size);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->len; i += n)
        if (!kept || memcmp(l->data + kept - n, l->data + i, n * sizeof(value)) != 0)
            memmove(l->data + kept, l->data + i, n * sizeof(value)), kept += n;
    l->len = kept;
}

static void push_state(state_list *l, const value *s, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) vec_push(l, s ? s[i] : -1);
}

static void successors(reading *r, const value *s, state_list *out) {
    const sys_info *system = sys_of(r->m, r->system);
    value args[16], *next = mem_zero(r->in->ncells, sizeof *next);
    for (uint32_t i = 0; i < system->rules.len; i++) {
        prop refused;
        for (bool first = true; eval_next_binding(r->in, system->rules.data[i], args, &first);) {
            eval_end end = eval_step(r->ev, s, system->rules.data[i], args, next, &refused);
            if (end != EVAL_NONE) push_state(out, end == EVAL_FIRES ? next : NULL, r->in->ncells);
        }
    }
    free(next);
    if (out->len) sort_unique(out, r->in->ncells);
}

static bool same_states(const state_list *a, const state_list *b) {
    return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len * sizeof(value)) == 0);
}

// What became of a list of states of the range's reading, as a list of the other's, renamed or not.
static void image(const twins *t, const state_list *l, bool is_swapped, state_list *out) {
    uint32_t n = t->as_sort.in->ncells;
    value *x = mem_zero(n, sizeof *x), *y = mem_zero(n, sizeof *y);
    for (uint32_t i = 0; i < l->len; i += n) {
        if (l->data[i] == -1) {
            push_state(out, NULL, n);
            continue;
        }
        convert(t, l->data + i, x, -t->low);
        if (is_swapped) renaming_state(t->swap, x, y);
        push_state(out, is_swapped ? y : x, n);
    }
    free(x);
    free(y);
    if (out->len) sort_unique(out, n);
}

static void look_at_state(twins *t, const value *s) {
    uint32_t n = t->as_range.in->ncells;
    state_list next = {0}, other = {0}, plain = {0}, swapped = {0}, after = {0}, back = {0};
    value *x = mem_zero(n, sizeof *x), *y = mem_zero(n, sizeof *y);
    successors(&t->as_range, s, &next);
    convert(t, s, x, -t->low);
    successors(&t->as_sort, x, &other);
    image(t, &next, false, &plain);
    if (!same_states(&plain, &other)) t->wrong = "the two readings have different steps";
    renaming_state(t->swap, x, y);
    convert(t, y, x, t->low);
    successors(&t->as_range, x, &after);
    image(t, &after, false, &back);
    image(t, &next, true, &swapped);
    if (!same_states(&back, &swapped)) t->wrong = "exchanging two numbers makes another step";
    t->nsteps += next.len / n;
    vec_free(&next);
    vec_free(&other);
    vec_free(&plain);
    vec_free(&swapped);
    vec_free(&after);
    vec_free(&back);
    free(x);
    free(y);
}

// ---- reachable states of the range's reading

typedef struct {
    map *seen;
    state_list list;
    uint32_t n;
} reached;

static bool reach_state(const value *s, void *context) {
    reached *r = context;
    if (map_get(r->seen, s, r->n * sizeof *s, 0)) return true;
    map_put(r->seen, s, r->n * sizeof *s, 1);
    push_state(&r->list, s, r->n);
    return r->list.len / r->n < MOST_STATES;
}

static void look_at_all(twins *t) {
    reached r = {.seen = map_new(), .n = t->as_range.in->ncells};
    eval_start_fault failed = {0};
    limits none = {0};
    eval_initial_within(t->as_range.in, &none, reach_state, &r, &failed);
    value *s = mem_zero(r.n, sizeof *s);
    for (uint32_t i = 0; i < r.list.len && !t->wrong && t->nsteps < MOST_STEPS; i += r.n) {
        state_list next = {0};
        memcpy(s, r.list.data + i, r.n * sizeof *s);
        look_at_state(t, s);
        successors(&t->as_range, s, &next);
        for (uint32_t k = 0; k < next.len; k += r.n)
            if (next.data[k] != -1 && r.list.len / r.n < MOST_STATES) reach_state(next.data + k, &r);
        vec_free(&next);
    }
    free(s);
    map_free(r.seen);
    vec_free(&r.list);
}

static bool is_symmetric(const reading *r) {
    symmetric_exceptions apart = {0};
    VEC(expr) conds = {0};
    for (uint32_t i = 1; i < r->m->props.len; i++) vec_push(&conds, r->m->props.data[i].cond);
    symmetric_find_exceptions(r->in, conds.data, conds.len, &apart);
    bool ok = !apart.len;
    vec_free(&apart);
    vec_free(&conds);
    return ok;
}

typedef struct {
    uint32_t taken, refused, unlike, holds, violated;
} tally;

static const char *compare(const str *text, const murphi_ranges *found, tally *y) {
    twins t = {.as_range = read_with(text, NULL, 0), .as_sort = read_with(text, found->names, found->n)};
    t.sort = model_find_type(t.as_sort.m, "NODE");
    assert_int_equal(t.as_range.in->ncells, t.as_sort.in->ncells);
    assert_int_equal(type_of(t.as_sort.m, t.sort)->kind, TYPE_SORT);
    t.low = strstr(str_get(text), "0..LAST") ? 0 : 1;
    t.swap = renaming_new(t.as_sort.in);
    value *to = renaming_open(t.swap, t.sort);
    to[0] = 1, to[1] = 0;
    renaming_close(t.swap);
    bool ok = is_symmetric(&t.as_sort);
    y->unlike += !ok;
    if (ok) look_at_all(&t);
    renaming_free(t.swap);
    close_reading(&t.as_range);
    close_reading(&t.as_sort);
    return t.wrong;
}

// ---- proofs

static bool is_violated(const str *text, uint32_t n, prop p) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    front_define d = {"N", (int32_t)n};
    murphi_options o = {.copies_undefined = true, .defines = &d, .ndefines = 1};
    assert_true(murphi_read_text(m, "random.m", str_get(text), text->len, &o, &system));
    instance *in = instance_new(m, system, NULL, 0);
    explore_options how = {.threads = 1, .engine = ENGINE_BYTECODE, .limit_states = 2000, .self_check = SELF_CHECK_OFF};
    result *r = result_new();
    explore_run(in, &p, 1, &how, r, NULL);
    bool is = false;
    for (uint32_t i = 0; i < r->properties.len; i++)
        is |= r->properties.data[i].verdict == VERDICT_VIOLATED &&
              str_same(r->properties.data[i].name, prop_of(m, p)->name);
    result_free(r);
    instance_free(in);
    model_free(m);
    diag_free(messages);
    return is;
}

static const char *prove_all(const str *text, const murphi_ranges *found, tally *y) {
    reading r = read_with(text, found->names, found->n);
    const char *wrong = NULL;
    uint32_t n = r.m->props.len;
    for (uint32_t i = 1; i < n && !wrong; i++) {
        cmp_options how = {.sort = "NODE", .limits = limits_of_seconds(2), .limit_states = 2000};
        proof *p = cmp_prove(r.m, (prop){i}, &how);
        y->holds += p->verdict == VERDICT_HOLDS;
        y->violated += p->verdict == VERDICT_VIOLATED;
        for (uint32_t size = 1; p->verdict == VERDICT_HOLDS && !wrong && size <= 4; size++)
            if (is_violated(text, size, (prop){i})) wrong = "proved and violated";
        proof_free(p);
    }
    close_reading(&r);
    return wrong;
}

static void ranges_are_scalarsets(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 20000 : 600;
    tally y = {0};
    for (uint64_t seed = 1; seed <= n; seed++) {
        rng g = {seed * 6151};
        str text = {0};
        arena *memory = arena_new();
        random_text(&g, 2 + rng_below(&g, 2), &text);
        murphi_options o = {.copies_undefined = true};
        const char *const only[2] = {"NODE", NULL};
        murphi_ranges found = murphi_find_ranges("random.m", str_get(&text), text.len, &o, only, memory);
        const char *wrong = found.n ? compare(&text, &found, &y) : NULL;
        if (found.n && !wrong && seed % 4 == 0) wrong = prove_all(&text, &found, &y);
        found.n ? y.taken++ : y.refused++;
        if (wrong) printf("# seed %llu: %s\n%s\n", (unsigned long long)seed, wrong, str_get(&text));
        assert_null(wrong);
        arena_free(memory);
        str_free(&text);
    }
    printf("# %u taken, %u of them not symmetric, %u refused; %u proved, %u violated\n", y.taken, y.unlike, y.refused,
           y.holds, y.violated);
    printf("# tally: ranges as scalarsets against permutations | %u cases | 0 wrong\n", n);
    assert_true(y.taken > n / 4 && y.refused > n / 8 && y.unlike > n / 40);
    assert_true(y.holds > n / 100 && y.violated > n / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_are_scalarsets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
