// SPDX-License-Identifier: Apache-2.0
// Views of one element, joined: they contain those of instances of every size, and no more than they must.
#include "oracle/unit.h"

#include "base/rng.h"
#include "base/str.h"
#include "cmp/abstract/project.h"
#include "cmp/lemmas/modular.h"
#include "oracle/cover_views.h"

#include <stdlib.h>

static const limits no_limits = {0};

// How many views a model has; UINT32_MAX: they cannot be closed, or there are more than `most`.
static uint32_t count_views(const char *text, uint32_t kept, uint64_t most) {
    cover_views x;
    assert_true(cover_views_open(&x, text, kept));
    cover_views_add(&x, x.s, 1, UINT64_MAX);
    uint32_t n = modular_join(x.s, most, &no_limits) ? tuples_count(x.s->views) : UINT32_MAX;
    cover_views_close(&x);
    return n;
}

#define LOCK                                                                                   \
    "type node : scalarset(3); var who : node; full, late : array [node] of boolean;\n"        \
    "startstate undefine who; for n : node do full[n] := false; late[n] := false; end; end;\n" \
    "ruleset n : node do rule isundefined(who) ==> begin who := n; full[n] := true; end;\n"    \
    "  rule full[n] ==> begin undefine who; full[n] := false; end; end;\n"

// (who, full): nobody has it; I have it; another one has it. Two cannot have it at once, since `who` is one of them.
static void a_lock_has_three_views(void **state) {
    (void)state;
    assert_int_equal(count_views(LOCK, 1, 100), 3);
    // What each does for itself, whenever it likes or while it has the lock, is independent of that afterwards.
    assert_int_equal(
        count_views(LOCK "ruleset n : node do rule true ==> begin late[n] := !late[n]; end; end;\n", 1, 100), 6);
    assert_int_equal(
        count_views(LOCK "ruleset n : node do rule full[n] ==> begin late[n] := true; end; end;\n", 1, 100), 6);
    // That somebody has it, without a name, could be said of two: then one lets go what the other has.
    assert_int_equal(count_views("type node : scalarset(3); var held : boolean; full : array [node] of boolean;\n"
                                 "startstate held := false; for n : node do full[n] := false; end; end;\n"
                                 "ruleset n : node do rule !held ==> begin held := true; full[n] := true; end;\n"
                                 "  rule full[n] ==> begin held := false; full[n] := false; end; end;\n",
                                 1, 100),
                     4);
}

static void what_cannot_be_closed_is_said(void **state) {
    (void)state;
    assert_int_equal(count_views(COVER_HEAD COVER_START, 1, 100), UINT32_MAX);  // unions
    assert_int_equal(count_views(LOCK, 1, 1), UINT32_MAX);
    assert_int_equal(count_views(LOCK, 2, 100), UINT32_MAX);
    assert_int_equal(
        count_views(LOCK "ruleset n : node do rule full[n] ==> begin assert !late[n]; late[n] := true; end; end;\n", 1,
                    100),
        UINT32_MAX);
}

typedef struct {
    cover_views *x;
    const instance *in;
} starting;

// Views of a start, also of those at which other elements are named.
static bool add_start(const value *cells, void *context) {
    const starting *t = context;
    survey *s = t->x->s;
    value *view = mem_zero(s->view_in->ncells + 1, sizeof *view);
    uint64_t *packed = mem_zero(space_words(s->view_space) + 1, sizeof *packed);
    for (value e = 0; e < (value)t->in->sort_size[t->x->of.sort.id]; e++) {
        projection *p = project_new(t->x->a, t->in, &e, s->view_in);
        project_cells(p, cells, view);
        space_pack(s->view_space, view, packed);
        tuples_put(s->views, packed);
        project_free(p);
    }
    free(view);
    free(packed);
    return true;
}

static void add_starts(cover_views *x) {
    for (uint32_t size = 1; size <= 3; size++) {
        sort_size sizes = {x->of.sort, size};
        instance *in = instance_new(x->of.m, x->of.system, &sizes, 1);
        assert_true(eval_initial(in, add_start, &(starting){x, in}));
        instance_free(in);
    }
}

// Every state of a larger instance, seen at any of its elements, is one of the views.
static bool contains_larger(cover_views *x) {
    survey *larger = survey_new(x->a, x->v);
    value *cells = mem_zero(larger->view_in->ncells + 1, sizeof *cells);
    bool ok = true;
    for (uint32_t size = 2; size <= 4; size++) cover_views_add(x, larger, size, 400);
    for (uint32_t i = 0; i < tuples_count(larger->views) && ok; i++) {
        space_unpack(larger->view_space, tuples_get(larger->views, i), cells);
        ok = survey_has_view(x->s, cells);
    }
    free(cells);
    survey_free(larger);
    return ok;
}

#define HEAD                                                                                      \
    "type node : scalarset(3); var x : boolean; count : 0..2; who, top : node;\n"                 \
    "  full : array [node] of boolean; at : array [node] of 0..2; link : array [node] of node;\n" \
    "ruleset s : node do startstate x := false; count := 0; who := s; undefine top;\n"            \
    "  for n : node do full[n] := n = s; undefine at[n]; undefine link[n]; end; end; end;\n"

static const char *const models[] = {
    LOCK,
    HEAD "ruleset n : node do rule who = n & !full[n] ==> begin full[n] := true; at[n] := count; end;\n"
         "  rule full[n] & !isundefined(at[n]) & at[n] < 2 ==> begin count := at[n] + 1; undefine at[n]; end;\n"
         "  rule full[n] & isundefined(at[n]) ==> begin full[n] := false; top := n; x := !x; end; end;\n",
    HEAD "ruleset n : node do rule isundefined(top) ==> begin top := n; link[n] := who; end;\n"
         "  rule !isundefined(top) & top = n ==> begin undefine top; at[n] := count; full[n] := x; end;\n"
         "  rule !isundefined(at[n]) & at[n] = count & !full[n] ==> begin full[n] := true; x := !x; end;\n"
         "  rule !isundefined(link[n]) & count < 2 ==> begin who := link[n]; count := count + 1; end; end;\n",
    HEAD "ruleset n : node do rule !full[n] ==> begin full[who] := !x; who := n; end;\n"
         "  rule full[n] & who = n ==> begin link[n] := who; x := !x; at[n] := 1; end; end;\n"
         "rule x ==> begin for a : node do full[a] := !full[a]; end; x := false; end;\n"
         "rule !x & count < 2 ==> begin count := count + 1; at[who] := count; top := who; end;\n",
    HEAD "ruleset n : node; b : boolean do rule b = full[n] ==> begin full[n] := !b; x := b; at[n] := b ? 1 : 2; end;\n"
         "  rule !isundefined(at[n]) & at[n] = 2 & x = b ==> begin count := at[n]; top := n; link[n] := n; end; end;\n",
};

// Also of a kept element that is not the one a start names.
static void larger_instances_are_contained(void **state) {
    (void)state;
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof models / sizeof *models; i++) {
        cover_views x;
        assert_true(cover_views_open(&x, models[i], 1));
        add_starts(&x);
        if (!modular_join(x.s, 20000, &no_limits)) fail_msg("not closed: %s", models[i]);
        if (!contains_larger(&x)) fail_msg("not contained: %s", models[i]);
        n += tuples_count(x.s->views);
        cover_views_close(&x);
    }
    assert_true(n > 100);
}

// ---- a second sort

static const char *const guards[] = {
    "held[n] = b",
    "top = b",
    "mark[b] & b != c",
    "isundefined(owner[b])",
    "!isundefined(owner[b]) & owner[b] = n",
    "link[b] = c",
    "on[n]",
    "!on[n] & link[top] != b",
    "forall d : block do d = b | !mark[d] end",
};

static const char *const effects[] = {
    "held[n] := b;", "top := b;",        "mark[b] := !mark[b];", "owner[b] := n;",
    "link[b] := c;", "on[n] := !on[n];", "undefine owner[b];",   "if mark[b] then top := c; end;",
};

#define ONE_OF(r, list) list[rng_below(r, sizeof(list) / sizeof *(list))]

static void random_of_blocks(uint64_t seed, const char *block, str *out) {
    rng r = {seed * 3571};
    str_printf(out,
               "type node : scalarset(3); block : %s;\n"
               "var top : block; mark : array [block] of boolean; owner : array [block] of node;\n"
               "  link : array [block] of block; held : array [node] of block; on : array [node] of boolean;\n"
               "ruleset f : block do startstate top := f; for b : block do mark[b] := b = f; undefine owner[b];\n"
               "  link[b] := %s; end; for n : node do held[n] := f; on[n] := false; end; end; end;\n",
               block, rng_below(&r, 2) ? "b" : "f");
    for (uint32_t i = 0, n = 1 + rng_below(&r, 4); i < n; i++) {
        const char *one = ONE_OF(&r, guards), *two = ONE_OF(&r, guards);
        const char *first = ONE_OF(&r, effects), *second = ONE_OF(&r, effects);
        str_printf(out, "ruleset n : node; b : block; c : block do rule %s & %s ==> begin %s %s end; end;\n", one, two,
                   first, second);
    }
}

static bool join_text(cover_views *x, const char *text) {
    assert_true(cover_views_open(x, text, 1));
    cover_views_add(x, x->s, 1, UINT64_MAX);
    return modular_join(x->s, 100000, &no_limits);
}

// Views up to permutations of blocks are those of the same system with numbers for blocks, up to permutations.
static void another_sort_is_permuted(void **state) {
    (void)state;
    uint32_t closed = 0, representatives = 0, all = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        cover_views x, y;
        str sorted = {0}, numbered = {0};
        random_of_blocks(seed, "scalarset(3)", &sorted);
        random_of_blocks(seed, "0..2", &numbered);
        bool ok = join_text(&x, str_get(&sorted));
        assert_true(join_text(&y, str_get(&numbered)) == ok);
        survey *seen = survey_new(x.a, x.v);  // those of the numbered system
        uint64_t *view = mem_zero(space_words(x.s->view_space) + 1, sizeof *view);
        value *cells = mem_zero(y.s->view_in->ncells + 1, sizeof *cells);
        for (uint32_t i = 0; i < tuples_count(y.s->views) && ok; i++) {
            space_unpack(y.s->view_space, tuples_get(y.s->views, i), cells);
            if (!survey_has_view(x.s, cells)) fail_msg("a view is missing: %s", str_get(&sorted));
            space_pack(x.s->view_space, cells, view);
            space_canonical(x.s->view_run, view);
            tuples_put(seen->views, view);
        }
        if (ok) assert_int_equal(tuples_count(seen->views), tuples_count(x.s->views));
        closed += ok;
        representatives += tuples_count(x.s->views);
        all += tuples_count(y.s->views);
        free(view);
        free(cells);
        survey_free(seen);
        cover_views_close(&x);
        cover_views_close(&y);
        str_free(&sorted);
        str_free(&numbered);
    }
    print_message("# %u models closed, %u views, %u with names\n", closed, representatives, all);
    assert_true(closed > 150 && representatives * 3 < all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_has_three_views), cmocka_unit_test(what_cannot_be_closed_is_said),
        cmocka_unit_test(larger_instances_are_contained), cmocka_unit_test(another_sort_is_permuted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
