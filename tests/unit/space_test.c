// SPDX-License-Identifier: Apache-2.0
// The executable successor relation on small models whose answers are known: labels and successors by hand,
// orbits by published counts of graphs, functions and matrices up to renaming.
#include "oracle/unit.h"

#include "model/eval.h"
#include "model/expr.h"
#include "space/space.h"

#include <string.h>

static const span nowhere;

typedef struct {
    diag *messages;
    model *m;
    sys system;
} world;

static world world_new(void) {
    world w = {.messages = diag_new()};
    w.m = model_new(w.messages);
    w.system = model_add_system(w.m, "M", nowhere);
    return w;
}

static void world_free(world *w) {
    model_free(w->m);
    diag_free(w->messages);
}

static type add_sort(world *w, const char *name) {
    return model_add_type(w->m, (type_info){.kind = TYPE_SORT, .name = name});
}

static func add_func(world *w, const char *name, const type *args, uint32_t nargs, type result) {
    return model_add_func(
        w->m, (func_info){.name = name, .args = args, .nargs = nargs, .result = result, .owner = w->system});
}

static void add_rule(world *w, rule_info info) {
    rule r = model_add_rule(w->m, info);
    vec_push(&sys_of(w->m, w->system)->rules, r);
}

static instance *instance_of(const world *w, const sort_size *sizes, uint32_t n) {
    instance *in = instance_new(w->m, w->system, sizes, n);
    assert_non_null(in);
    return in;
}

// ---- labels and successors

// Threads take a lock; `enter` is enabled where nobody is inside.
static void lock_has_known_successors(void **state) {
    (void)state;
    world w = world_new();
    type thread = add_sort(&w, "Thread");
    func inside = add_func(&w, "inside", &thread, 1, w.m->bool_type);
    var t = model_add_var(w.m, "t", thread, nowhere), u = model_add_var(w.m, "u", thread, nowhere);
    expr at_t = expr_app(w.m, inside, &(expr){expr_var(w.m, t).id}),
         at_u = expr_app(w.m, inside, &(expr){expr_var(w.m, u).id});
    expr tv = expr_var(w.m, t);
    stmt *enter = model_assign(w.m, inside, &tv, 1, expr_bool(w.m, true), nowhere);
    stmt *leave = model_assign(w.m, inside, &tv, 1, expr_bool(w.m, false), nowhere);
    add_rule(&w, (rule_info){.name = "enter",
                             .params = &t,
                             .nparams = 1,
                             .body = enter,
                             .is_visible = true,
                             .guard = expr_not(w.m, expr_quantify(w.m, E_EXISTS, u, at_u))});
    add_rule(
        &w, (rule_info){.name = "leave", .params = &t, .nparams = 1, .body = leave, .is_visible = true, .guard = at_t});
    instance *in = instance_of(&w, &(sort_size){thread, 3}, 1);
    space_options options = {.symmetry = true};
    space *s = space_new(in, &options);
    space_run *run = space_run_new(s);
    assert_int_equal(space_bits(s), 3);
    assert_int_equal(space_words(s), 1);
    assert_int_equal(space_labels(s), 6);
    uint64_t from, to[6];
    uint32_t labels[6];
    space_pack(s, (value[]){0, 0, 0}, &from);
    assert_int_equal(space_next(run, &from, to, labels), 3);
    for (uint32_t i = 0; i < 3; i++) {
        value cells[3], args[1];
        assert_int_equal(labels[i], i);
        space_unpack(s, &to[i], cells);
        for (uint32_t k = 0; k < 3; k++) assert_int_equal(cells[k], k == i);
        assert_string_equal(rule_of(w.m, space_label(s, labels[i], args))->name, "enter");
        assert_int_equal(args[0], i);
    }
    space_canonical(run, &to[1]);
    space_canonical(run, &to[2]);
    assert_int_equal(to[1], to[2]);
    space_pack(s, (value[]){0, 1, 0}, &from);
    assert_int_equal(space_next(run, &from, to, labels), 1);
    assert_int_equal(labels[0], 4);
    space_run_free(run);
    space_free(s);
    instance_free(in);
    world_free(&w);
}

// n := n + 1 leaves 0..3 from 3: trouble, not a successor.
static void value_out_of_range_is_trouble(void **state) {
    (void)state;
    world w = world_new();
    func n = add_func(&w, "n", NULL, 0, model_range(w.m, 0, 3, nowhere));
    expr one = expr_const(w.m, model_range(w.m, 1, 1, nowhere), 1);
    expr next = expr_arith(w.m, E_ADD, expr_app(w.m, n, NULL), one);
    add_rule(&w, (rule_info){.name = "up", .body = model_assign(w.m, n, NULL, 0, next, nowhere)});
    instance *in = instance_of(&w, NULL, 0);
    space_options options = {0};
    space *s = space_new(in, &options);
    space_run *run = space_run_new(s);
    uint64_t from, to;
    uint32_t label;
    space_pack(s, (value[]){2}, &from);
    assert_int_equal(space_next(run, &from, &to, &label), 1);
    assert_int_equal(label, 0);
    space_pack(s, (value[]){3}, &from);
    assert_int_equal(to, from);
    assert_int_equal(space_next(run, &from, &to, &label), 1);
    assert_int_equal(label, SPACE_TROUBLE);
    space_run_free(run);
    space_free(s);
    instance_free(in);
    world_free(&w);
}

// Of all patterns of bits, as many are states as the cells have values: 5^3 * 2 * 1 * 7.
static void states_are_told_from_other_bits(void **state) {
    (void)state;
    world w = world_new();
    type thread = add_sort(&w, "Thread");
    add_func(&w, "f", &thread, 1, model_range(w.m, 0, 4, nowhere));
    add_func(&w, "g", NULL, 0, w.m->bool_type);
    add_func(&w, "h", NULL, 0, model_range(w.m, 3, 3, nowhere));
    type small = model_range(w.m, -2, 3, nowhere);
    model_add_func(w.m, (func_info){.name = "u", .result = small, .owner = w.system, .may_be_undefined = true});
    instance *in = instance_of(&w, &(sort_size){thread, 3}, 1);
    space_options options = {0};
    space *s = space_new(in, &options);
    space_shape *shape = space_shape_new(s);
    assert_int_equal(space_words(s), 1);
    uint32_t n = 0;
    for (uint64_t bits = 0; bits < 1 << 18; bits++) {
        value cells[6];
        uint64_t again;
        space_unpack(s, &bits, cells);
        space_pack(s, cells, &again);
        bool fits = space_shape_fits(shape, &bits);
        assert_true(!fits || again == bits);
        n += fits;
    }
    assert_int_equal(n, 5 * 5 * 5 * 2 * 7);
    assert_false(space_shape_fits(shape, &(uint64_t){UINT64_C(1) << 63}));
    space_shape_free(shape);
    space_free(s);
    instance_free(in);
    world_free(&w);
}

// ---- orbits

// How many canonical forms the states of an instance have; every cell takes every value.
static uint32_t count_orbits(const instance *in) {
    space_options options = {.symmetry = true};
    space *s = space_new(in, &options);
    space_run *run = space_run_new(s);
    uint64_t packed[4];
    assert_true(space_words(s) <= 4);
    value *cells = mem_zero(in->ncells, sizeof *cells), args[4];
    map *seen = map_new();
    for (uint32_t k = 0; k < in->ncells;) {
        space_pack(s, cells, packed);
        space_canonical(run, packed);
        map_put(seen, packed, space_words(s) * sizeof *packed, 1);
        for (k = 0; k < in->ncells; k++) {
            uint32_t size = instance_type_size(in, func_of(in->m, instance_cell_func(in, k, args))->result);
            cells[k] = (cells[k] + 1) % (value)size;
            if (cells[k]) break;
        }
    }
    uint32_t n = map_count(seen);
    map_free(seen);
    free(cells);
    space_run_free(run);
    space_free(s);
    return n;
}

// A system whose only state is f: args -> result, with sorts of the given sizes.
static uint32_t orbits_of(uint32_t nsorts, const uint32_t *sizes, const uint32_t *args, uint32_t nargs, int result) {
    world w = world_new();
    type sorts[2], types[4];
    sort_size given[2];
    for (uint32_t i = 0; i < nsorts; i++) {
        sorts[i] = add_sort(&w, i ? "B" : "A");
        given[i] = (sort_size){sorts[i], sizes[i]};
    }
    for (uint32_t i = 0; i < nargs; i++) types[i] = sorts[args[i]];
    add_func(&w, "f", types, nargs, result < 0 ? w.m->bool_type : sorts[result]);
    instance *in = instance_of(&w, given, nsorts);
    uint32_t n = count_orbits(in);
    instance_free(in);
    world_free(&w);
    return n;
}

// OEIS A000595: relations on n unlabelled points.
static void relations_up_to_renaming(void **state) {
    (void)state;
    static const uint32_t expected[] = {2, 10, 104, 3044};
    for (uint32_t n = 1; n <= 4; n++) assert_int_equal(orbits_of(1, &n, (uint32_t[]){0, 0}, 2, -1), expected[n - 1]);
}

// OEIS A001372: maps of n unlabelled points to themselves.
static void maps_up_to_renaming(void **state) {
    (void)state;
    static const uint32_t expected[] = {1, 3, 7, 19, 47, 130};
    for (uint32_t n = 1; n <= 6; n++) assert_int_equal(orbits_of(1, &n, (uint32_t[]){0}, 1, 0), expected[n - 1]);
}

// OEIS A028657: binary matrices up to permutations of rows and columns.
static void matrices_up_to_renaming(void **state) {
    (void)state;
    static const uint32_t expected[4][4] = {{2, 3, 4, 5}, {3, 7, 13, 22}, {4, 13, 36, 87}, {5, 22, 87, 317}};
    for (uint32_t n = 1; n <= 4; n++)
        for (uint32_t k = 1; k <= 4; k++)
            assert_int_equal(orbits_of(2, (uint32_t[]){n, k}, (uint32_t[]){0, 1}, 2, -1), expected[n - 1][k - 1]);
}

// Multisets of k classes over n elements: a map from one sort to another, both unlabelled, is a partition
// of n into at most k parts (n = 6, k = 4: 9).
static void maps_between_sorts_up_to_renaming(void **state) {
    (void)state;
    assert_int_equal(orbits_of(2, (uint32_t[]){6, 4}, (uint32_t[]){0}, 1, 1), 9);
    assert_int_equal(orbits_of(2, (uint32_t[]){5, 5}, (uint32_t[]){0}, 1, 1), 7);
}

// Rows of two values each, of which one element is pointed at: 6 rows for that one, and for the n - 1 others multisets
// of 6 rows, which are C(n + 4, n - 1).
static void pointed_rows_up_to_renaming(void **state) {
    (void)state;
    static const uint32_t expected[] = {6 * 21, 6 * 56, 6 * 126, 6 * 252};
    for (uint32_t n = 3; n <= 6; n++) {
        world w = world_new();
        type a = add_sort(&w, "A");
        add_func(&w, "f", &a, 1, model_range(w.m, 0, 2, nowhere));
        add_func(&w, "at", NULL, 0, a);
        add_func(&w, "g", &a, 1, w.m->bool_type);
        instance *in = instance_of(&w, &(sort_size){a, n}, 1);
        assert_int_equal(count_orbits(in), expected[n - 3]);
        instance_free(in);
        world_free(&w);
    }
}

// ---- limits

static void too_many_labels_is_a_message(void **state) {
    (void)state;
    world w = world_new();
    type t = add_sort(&w, "T");
    var params[4];
    for (uint32_t i = 0; i < 4; i++) params[i] = model_add_var(w.m, "x", t, nowhere);
    add_rule(&w, (rule_info){.name = "many", .params = params, .nparams = 4});
    instance *in = instance_of(&w, &(sort_size){t, 64}, 1);
    space_options options = {0};
    assert_null(space_new(in, &options));
    assert_int_equal(diag_errors(w.messages), 1);
    assert_non_null(strstr(diag_get(w.messages, 0).text, "instances"));
    instance_free(in);
    world_free(&w);
}

static void too_large_a_rule_is_a_message(void **state) {
    (void)state;
    world w = world_new();
    type t = add_sort(&w, "T"), args[] = {t, t};
    func f = add_func(&w, "f", args, 2, w.m->bool_type);
    func owner = add_func(&w, "owner", args, 1, t);
    var v[4];
    expr x[4];
    for (uint32_t i = 0; i < 4; i++) v[i] = model_add_var(w.m, "x", t, nowhere), x[i] = expr_var(w.m, v[i]);
    expr a = expr_app(w.m, owner, &x[0]), b = expr_app(w.m, owner, &x[1]), c = expr_app(w.m, owner, &x[2]);
    expr same = expr_eq(w.m, expr_app(w.m, f, (expr[]){a, b}), expr_app(w.m, f, (expr[]){c, x[3]}));
    add_rule(&w, (rule_info){.name = "large", .guard = expr_forall(w.m, v, 4, same)});
    instance *in = instance_of(&w, &(sort_size){t, 64}, 1);
    space_options options = {0};
    assert_null(space_new(in, &options));
    assert_int_equal(diag_errors(w.messages), 1);
    assert_non_null(strstr(diag_get(w.messages, 0).text, "too large"));
    instance_free(in);
    world_free(&w);
}

// A state of many words, a rule that changes one of them, a check of many cells.
static void long_states_work(void **state) {
    (void)state;
    world w = world_new();
    type t = add_sort(&w, "T"), args[] = {t, t};
    func f = add_func(&w, "f", args, 2, w.m->bool_type);
    var p[2] = {model_add_var(w.m, "x", t, nowhere), model_add_var(w.m, "y", t, nowhere)};
    expr x[2] = {expr_var(w.m, p[0]), expr_var(w.m, p[1])};
    add_rule(&w, (rule_info){.name = "set",
                             .params = p,
                             .nparams = 2,
                             .guard = expr_not(w.m, expr_app(w.m, f, x)),
                             .body = model_assign(w.m, f, x, 2, expr_bool(w.m, true), nowhere)});
    expr none = expr_forall(w.m, p, 2, expr_not(w.m, expr_app(w.m, f, x)));
    instance *in = instance_of(&w, &(sort_size){t, 24}, 1);
    space_options options = {.checks = &none, .nchecks = 1};
    space *s = space_new(in, &options);
    space_run *run = space_run_new(s);
    uint32_t words = space_words(s), labels = space_labels(s);
    assert_int_equal(labels, 576);
    assert_int_equal(space_bits(s), 576);
    uint64_t *next = mem_zero((size_t)words * labels, sizeof *next), *from = mem_zero(words, sizeof *from), failed;
    uint32_t *list = mem_zero(labels, sizeof *list);
    value *cells = mem_zero(576, sizeof *cells);
    assert_true(space_check(run, from, &failed));
    assert_int_equal(space_next(run, from, next, list), 576);
    for (uint32_t i = 0; i < 576; i++) {
        space_unpack(s, next + (size_t)i * words, cells);
        for (uint32_t c = 0; c < 576; c++) assert_int_equal(cells[c], c == i);
        assert_false(space_check(run, next + (size_t)i * words, &failed));
        assert_int_equal(failed, 1);
    }
    free(next);
    free(from);
    free(list);
    free(cells);
    space_run_free(run);
    space_free(s);
    instance_free(in);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_has_known_successors),
        cmocka_unit_test(value_out_of_range_is_trouble),
        cmocka_unit_test(states_are_told_from_other_bits),
        cmocka_unit_test(relations_up_to_renaming),
        cmocka_unit_test(maps_up_to_renaming),
        cmocka_unit_test(matrices_up_to_renaming),
        cmocka_unit_test(maps_between_sorts_up_to_renaming),
        cmocka_unit_test(pointed_rows_up_to_renaming),
        cmocka_unit_test(too_many_labels_is_a_message),
        cmocka_unit_test(too_large_a_rule_is_a_message),
        cmocka_unit_test(long_states_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
