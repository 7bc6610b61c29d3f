// SPDX-License-Identifier: Apache-2.0
// Views by their shared cells, and whether others can be as a step takes them to be: against a search through all
// views, with one element kept.
#include "oracle/unit.h"

#include "base/bits.h"
#include "base/rng.h"
#include "cmp/lemmas/views.h"
#include "model/expr.h"
#include "oracle/cover_views.h"

#include <stdio.h>
#include <stdlib.h>

#define HEAD                                                                                      \
    "type node : scalarset(3); var x : boolean; count : 0..2; who, top : node;\n"                 \
    "  full : array [node] of boolean; at : array [node] of 0..2; link : array [node] of node;\n" \
    "ruleset s : node do startstate x := false; count := 0; who := s; undefine top;\n"            \
    "  for n : node do full[n] := false; undefine at[n]; undefine link[n]; end; end; end;\n"

static const char *const models[] = {
    HEAD "ruleset n : node do rule who = n & !full[n] ==> begin full[n] := true; at[n] := count; end;\n"
         "  rule full[n] & !isundefined(at[n]) & at[n] < 2 ==> begin count := at[n] + 1; undefine at[n]; end;\n"
         "  rule full[n] & isundefined(at[n]) ==> begin full[n] := false; top := n; x := !x; end; end;\n"
         "ruleset n : node; p : node do rule who = n ==> begin who := p; link[n] := p; end;\n"
         "  rule !isundefined(link[n]) & link[n] = p & full[p] ==> begin top := p; undefine link[n]; end; end;\n",
    HEAD "ruleset n : node do rule isundefined(top) ==> begin top := n; link[n] := who; end;\n"
         "  rule !isundefined(top) & top = n ==> begin undefine top; at[n] := count; full[n] := x; end;\n"
         "  rule !isundefined(at[n]) & at[n] = count & !full[n] ==> begin full[n] := true; x := !x; end;\n"
         "  rule !isundefined(link[n]) & count < 2 ==> begin who := link[n]; count := count + 1; end; end;\n"
         "ruleset n : node; p : node do rule full[n] & !full[p] & !isundefined(at[n]) ==> begin\n"
         "  count := 0; at[p] := at[n]; end; end;\n",
};

typedef struct {
    cover_views v;
    views *by_site;
    eval *ev;
    value *cells, *before;
} fixture;

static void fixture_open(fixture *x, const char *text, uint32_t size) {
    assert_true(cover_views_open(&x->v, text, 1));
    cover_views_add(&x->v, x->v.s, size, 150);
    x->by_site = views_new(x->v.s);
    x->ev = eval_new(x->v.s->view_in);
    x->cells = mem_zero(x->v.s->view_in->ncells + 1, sizeof *x->cells);
    x->before = mem_zero(x->v.s->view_in->ncells + 1, sizeof *x->before);
    views_catch_up(x->by_site, tuples_count(x->v.s->views));
}

static void fixture_close(fixture *x) {
    views_free(x->by_site);
    eval_free(x->ev);
    free(x->cells);
    free(x->before);
    cover_views_close(&x->v);
}

static void load_view(const fixture *x, uint32_t view, value *to) {
    space_unpack(x->v.s->view_space, tuples_get(x->v.s->views, view), to);
}

static bool holds_elements(const fixture *x, func f) { return type_same(func_of(x->v.of.m, f)->result, x->v.a->id); }

// May a view's own element be an other of `before`, as far as shared cells say? What the view calls Other may be any
// element but its own.
static bool same_element(value outside, value inside) {
    if (outside == VALUE_UNDEFINED || inside == VALUE_UNDEFINED) return outside == inside;
    return inside == 1 || outside == 1;
}

static bool shared_fits(const fixture *x, bool by_name) {
    for (uint32_t c = 0; c < x->v.s->view_in->ncells; c++) {
        value args[MODEL_MOST_ARGS], a = x->before[c], b = x->cells[c];
        func f = instance_cell_func(x->v.s->view_in, c, args);
        if (func_of(x->v.of.m, f)->nargs || func_of(x->v.of.m, f)->is_scratch) continue;
        bool is_id = holds_elements(x, f);
        if (is_id && by_name && !same_element(a, b)) return false;
        if (is_id ? (a == VALUE_UNDEFINED) != (b == VALUE_UNDEFINED) : a != b) return false;
    }
    return true;
}

static void sites_are_shared_cells(void **state) {
    (void)state;
    for (uint32_t k = 0; k < sizeof models / sizeof *models; k++) {
        fixture x;
        fixture_open(&x, models[k], 3);
        uint32_t n = tuples_count(x.v.s->views);
        assert_true(n >= 20);
        for (uint32_t i = 0; i < n; i++) {
            load_view(&x, i, x.before);
            uint32_t site = views_site(x.by_site, x.before), at = views_newest(x.by_site, site);
            for (uint32_t j = n; j-- > 0;) {  // the newest first
                load_view(&x, j, x.cells);
                if (!shared_fits(&x, false)) continue;
                assert_int_equal(at, j);
                at = views_older(x.by_site, at);
            }
            assert_int_equal(at, UINT32_MAX);
        }
        x.before[instance_cell(x.v.s->view_in, x.v.a->funcs[model_find_func(x.v.of.m, x.v.of.system, "count").id],
                               NULL)] = VALUE_UNDEFINED;
        assert_int_equal(views_site(x.by_site, x.before), UINT32_MAX);
        fixture_close(&x);
    }
}

// `who` and `top`, in the order of the cells.
static void held_cells_are_bits(void **state) {
    (void)state;
    fixture x;
    fixture_open(&x, models[0], 3);
    for (uint32_t i = 0; i < tuples_count(x.v.s->views); i++) {
        uint64_t expected = 0, bit = 1;
        load_view(&x, i, x.cells);
        for (uint32_t c = 0; c < x.v.s->view_in->ncells; c++) {
            value args[MODEL_MOST_ARGS];
            func f = instance_cell_func(x.v.s->view_in, c, args);
            if (func_of(x.v.of.m, f)->nargs || func_of(x.v.of.m, f)->is_scratch || !holds_elements(&x, f)) continue;
            if (x.cells[c] == 0) expected |= bit;
            bit <<= 1;
        }
        assert_int_equal(bit, 4);
        assert_true(views_held(x.by_site, x.cells) == expected);
    }
    fixture_close(&x);
}

// ---- views_allow()

// What is known of a cell of an other: a value, that there is one, that there is none.
typedef struct {
    uint32_t cell;  // of the view's own element
    bool is_id, has_value, has, has_not;
    value v;
} known_cell;

typedef VEC(known_cell) known_list;

static known_cell *known_of(const fixture *x, known_list *l, expr key) {
    func f = x->v.a->funcs[expr_of(x->v.of.m, key)->ref];
    value self[MODEL_MOST_ARGS] = {0};
    uint32_t cell = instance_cell(x->v.s->view_in, f, self);
    for (uint32_t i = 0; i < l->len; i++)
        if (l->data[i].cell == cell) return &l->data[i];
    vec_push(l, (known_cell){.cell = cell, .is_id = holds_elements(x, f)});
    return &vec_last(l);
}

// f(other)?
static bool is_of(const fixture *x, const unknown *u, uint32_t other) {
    if (!u->key.id || (u->kind != UNKNOWN_VALUE && u->kind != UNKNOWN_DEFINED)) return false;
    const expr_info *key = expr_of(x->v.of.m, u->key);
    return key->kind == E_APP && key->nargs == 1 &&
           expr_same(key->args[0], expr_var(x->v.of.m, x->v.a->others.data[other]));
}

static known_list known_about(const fixture *x, const abstract_case *c, const value *values, const bits *bound,
                              uint32_t other) {
    known_list l = {0};
    for (uint32_t i = 0; i < c->unknowns.len; i++) {
        const unknown *u = &c->unknowns.data[i];
        if (!is_of(x, u, other) || !bits_has(bound, u->v.id)) continue;
        known_cell *k = known_of(x, &l, u->key);
        if (u->kind == UNKNOWN_VALUE) k->has_value = true, k->v = values[i];
        else if (values[i]) k->has = true;
        else k->has_not = true;
    }
    return l;
}

static bool own_fits(const fixture *x, const known_list *l) {
    for (uint32_t i = 0; i < l->len; i++) {
        const known_cell *k = &l->data[i];
        value seen = x->cells[k->cell];
        bool ok = true;
        if (k->has_not) ok = seen == VALUE_UNDEFINED;
        else if (k->has_value) ok = k->is_id ? same_element(k->v, seen) : k->v == seen;
        else if (k->has) ok = seen != VALUE_UNDEFINED;
        if (!ok) return false;
    }
    return true;
}

static bool some_view_shows(const fixture *x, const known_list *l) {
    for (uint32_t i = 0; i < tuples_count(x->v.s->views); i++) {
        load_view(x, i, x->cells);
        if (shared_fits(x, true) && own_fits(x, l)) return true;
    }
    return false;
}

static bool is_allowed(const fixture *x, const abstract_case *c, const value *values, const bits *bound) {
    bool ok = true;
    for (uint32_t k = 0; k < c->nothers && ok; k++) {
        known_list l = known_about(x, c, values, bound, k);
        ok = some_view_shows(x, &l);
        vec_free(&l);
    }
    return ok;
}

static bool compare_step(fixture *x, const abstract_case *c, rng *r) {
    value *values = mem_zero(c->unknowns.len + 1, sizeof *values);
    bits bound = {0};
    for (uint32_t i = 0; i < c->unknowns.len; i++) {
        var v = c->unknowns.data[i].v;
        type ty = var_of(x->v.of.m, v)->ty;
        const instance *in = x->v.s->view_in;
        values[i] = instance_type_first(in, ty) + (value)rng_below(r, instance_type_size(in, ty));
        eval_bind(x->ev, v, values[i]);
        if (rng_below(r, 4)) bits_add(&bound, v.id);
    }
    bool expected = is_allowed(x, c, values, &bound);
    assert_int_equal(views_allow(x->by_site, c, x->before, x->ev, &bound), expected);
    bits_free(&bound);
    free(values);
    return expected;
}

static void steps_are_allowed_by_views(void **state) {
    (void)state;
    rng r = {3};
    uint32_t allowed = 0, n = 0;
    for (uint32_t k = 0; k < sizeof models / sizeof *models; k++) {
        fixture x;
        fixture_open(&x, models[k], 3);
        for (uint32_t i = 0; i < tuples_count(x.v.s->views); i++)
            for (uint32_t j = 0; j < x.v.a->cases.len; j++) {
                if (x.v.a->cases.data[j].is_init || !x.v.a->cases.data[j].nothers) continue;
                load_view(&x, i, x.before);
                for (uint32_t again = 0; again < 15; again++, n++)
                    allowed += compare_step(&x, &x.v.a->cases.data[j], &r);
            }
        fixture_close(&x);
    }
    assert_true(allowed > n / 20 && allowed < n - n / 20);
    printf("# tally: steps that views allow, against a search through all views | %u cases | 0 wrong\n", n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sites_are_shared_cells), cmocka_unit_test(held_cells_are_bits),
                                       cmocka_unit_test(steps_are_allowed_by_views)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
