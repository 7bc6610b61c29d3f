// SPDX-License-Identifier: Apache-2.0
// States seen at some elements, against a projection that goes the other way: from every cell of the instance to the
// cell of the abstraction that shows it, by the members of types and not by numbers.
#include "oracle/unit.h"

#include "base/bits.h"
#include "base/rng.h"
#include "cmp/abstract/project.h"
#include "oracle/cover.h"

#include <stdio.h>
#include <stdlib.h>

static const char text[] = COVER_HEAD
    "  both : array [node] of array [node] of 0..2; old : array [maybe] of boolean; last : union { none, node };\n"
    "ruleset s : node do startstate for n : node do full[n] := true; end; x := false; y := false; who := s; end; end;\n"
    "ruleset n : node do rule !full[n] ==> begin y := !y; end; end;\n"
    "invariant \"some\" x -> exists n : node do full[n] & late[n] end;\n";

typedef struct {
    cover_sample of;
    abstraction *a;
    instance *from, *to;
    value elements[PROJECT_MOST_KEPT];
    value *cells, *out;
    bits shown;  // cells of `to` that show one of `from`
} seeing;

static value position(const seeing *x, value element) {
    for (uint32_t i = 0; i < x->a->kept_count; i++)
        if (x->elements[i] == element) return (value)i;
    return -1;
}

// A value of a type as one of the type that it has in the abstraction; -1: an index that is not kept.
static value seen(const seeing *x, type ty, type to, value v) {
    value own = v;
    bool is_union = type_of(x->of.m, ty)->kind == TYPE_UNION;
    type member = is_union ? instance_member_of(x->from, ty, v, &own) : ty;
    if (v == VALUE_UNDEFINED || (!is_union && !type_same(ty, x->of.sort))) return v;
    bool is_element = type_same(member, x->of.sort);
    value at = is_element ? position(x, own) : own;
    if (type_same(to, x->a->kept)) return at;
    type as = !is_element ? member : at < 0 ? x->a->other : x->a->kept;
    uint32_t start = instance_member_start(x->to, to, as);
    return start == UINT32_MAX ? -1 : (value)start + (at < 0 ? 0 : at);
}

static void compare_cell(seeing *x, uint32_t cell) {
    value args[MODEL_MOST_ARGS];
    func f = instance_cell_func(x->from, cell, args), to = x->a->funcs[f.id];
    const func_info *old = func_of(x->of.m, f), *now = func_of(x->of.m, to);
    for (uint32_t i = 0; i < old->nargs; i++) {
        args[i] = seen(x, old->args[i], now->args[i], args[i]);
        if (args[i] < 0) return;
    }
    uint32_t shows = instance_cell(x->to, to, args);
    bits_add(&x->shown, shows);
    assert_int_equal(x->out[shows], seen(x, old->result, now->result, x->cells[cell]));
}

static value holds(const seeing *x, const char *name, value element) {
    return x->cells[instance_cell(x->from, model_find_func(x->of.m, x->of.system, name), &element)];
}

static void compare_ghost(seeing *x) {
    value some = 0;
    for (value v = 0; v < (value)x->from->sort_size[x->of.sort.id]; v++)
        some |= position(x, v) < 0 && holds(x, "full", v) == 1 && holds(x, "late", v) == 1;
    assert_int_equal(x->a->ghosts.len, 1);
    uint32_t cell = x->to->first_cell[x->a->ghosts.data[0].f.id];
    bits_add(&x->shown, cell);
    assert_int_equal(x->out[cell], some);
}

static void random_state(seeing *x, rng *r) {
    for (uint32_t c = 0; c < x->from->ncells; c++) {
        value args[MODEL_MOST_ARGS];
        type ty = func_of(x->of.m, instance_cell_func(x->from, c, args))->result;
        uint32_t n = instance_type_size(x->from, ty), k = rng_below(r, n + 1);
        x->cells[c] = k == n ? VALUE_UNDEFINED : instance_type_first(x->from, ty) + (value)k;
    }
}

static void compare_views(seeing *x, rng *r) {
    projection *p = project_new(x->a, x->from, x->elements, x->to);
    random_state(x, r);
    bits_clear(&x->shown);
    project_cells(p, x->cells, x->out);
    for (uint32_t c = 0; c < x->from->ncells; c++) compare_cell(x, c);
    compare_ghost(x);
    for (uint32_t c = 0; c < x->to->ncells; c++) {
        value args[MODEL_MOST_ARGS];
        bool is_local = func_of(x->of.m, instance_cell_func(x->to, c, args))->is_scratch;
        assert_int_equal(bits_has(&x->shown, c), !is_local);
        if (is_local) assert_int_equal(x->out[c], VALUE_UNDEFINED);
    }
    project_free(p);
}

static uint32_t compare_size(const cover_sample *of, abstraction *a, uint32_t size, rng *r) {
    sort_size sizes = {of->sort, size};
    seeing x = {.of = *of, .a = a, .from = instance_new(of->m, of->system, &sizes, 1)};
    x.to = instance_new(of->m, a->system, NULL, 0);
    x.cells = mem_zero(x.from->ncells, sizeof *x.cells);
    x.out = mem_zero(x.to->ncells, sizeof *x.out);
    bool first = true;
    uint32_t n = 0;
    for (; project_next(a, size, x.elements, &first); n++)
        for (uint32_t i = 0; i < 10; i++) compare_views(&x, r);
    instance_free(x.from);
    instance_free(x.to);
    free(x.cells);
    free(x.out);
    bits_free(&x.shown);
    return n * 10;
}

static void views_are_projections(void **state) {
    (void)state;
    rng r = {7};
    uint32_t n = 0;
    for (uint32_t kept = 1; kept <= 3; kept++) {
        cover_sample of = cover_read(text);
        abstraction *a = abstract_new(of.m, of.system, of.sort, kept);
        assert_null(a->refusal);
        for (uint32_t size = kept; size <= 5; size++) n += compare_size(&of, a, size, &r);
        abstract_free(a);
        cover_close(&of);
    }
    printf("# tally: states seen at some elements, against a second projection | %u cases | 0 wrong\n", n);
}

// Each choice of different elements once: the smallest first, in order.
static void choices_are_counted(void **state) {
    (void)state;
    static const uint32_t expected[4][6] = {{0}, {0, 1, 2, 3, 4, 5}, {0, 0, 1, 3, 6, 10}, {0, 0, 0, 1, 4, 10}};
    for (uint32_t kept = 1; kept <= 3; kept++)
        for (uint32_t size = kept; size <= 5; size++) {
            abstraction a = {.kept_count = kept};
            value e[PROJECT_MOST_KEPT];
            int64_t last = -1;
            bool first = true;
            uint32_t n = 0;
            for (; project_next(&a, size, e, &first); n++) {
                int64_t number = 0;
                for (uint32_t i = 0; i < kept; i++) {
                    number = number * size + e[i];
                    if (i > 0) assert_true(e[i] > e[i - 1]);
                }
                assert_true(number > last);
                last = number;
            }
            assert_int_equal(n, expected[kept][size]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(views_are_projections), cmocka_unit_test(choices_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
