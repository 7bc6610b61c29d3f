// SPDX-License-Identifier: Apache-2.0
// Overlays: what is below means the same above; what is added above is not below, and goes with the overlay.
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "model/expr.h"
#include "model/overlay.h"
#include "model/print.h"

#include <stdlib.h>
#include <string.h>

static const char text[] = "sort Node = 3\n"
                           "system S {\n"
                           "  var full(Node): bool\n"
                           "  action fill(n: Node) when !full(n) { full(n) := true }\n"
                           "}\n"
                           "property some: S invariant (exists n: Node. full(n)) | true\n";

typedef struct {
    diag *messages;
    model *m;
} below;

static below below_open(void) {
    below b = {.messages = diag_new()};
    b.m = model_new(b.messages);
    pv_options how = {.text = text, .size = strlen(text), .alone = true};
    if (!pv_read(b.m, "text.pv", &how, NULL)) {
        str s = {0};
        diag_print(b.messages, &s, false);
        fail_msg("%s", str_get(&s));
    }
    return b;
}

static void below_close(below *b) {
    model_free(b->m);
    diag_free(b->messages);
}

static char *printed(const model *m) {
    str s = {0};
    print_model(m, &s);
    return s.text;
}

static void begins_as_it_is(void **state) {
    (void)state;
    below b = below_open();
    model *m = overlay_new(b.m);
    char *was = printed(b.m), *is = printed(m);
    assert_string_equal(was, is);
    assert_int_equal(m->exprs.len, b.m->exprs.len);
    // Hash-consing goes on where it was: an expression of the model below is not made again.
    expr e = prop_of(m, model_find_prop(m, "some"))->cond;
    for (uint32_t i = 1; i < b.m->exprs.len; i++)
        if (expr_kind_of(m, (expr){i}) == E_NOT) assert_int_equal(expr_not(m, expr_arg(m, (expr){i}, 0)).id, i);
    assert_int_equal(m->exprs.len, b.m->exprs.len);
    assert_true(expr_same(e, prop_of(b.m, model_find_prop(b.m, "some"))->cond));
    free(was);
    free(is);
    model_free(m);
    below_close(&b);
}

static void add_everything(model *m) {
    sys s = model_find_system(m, "S");
    type node = model_find_type(m, "Node");
    type fresh = model_add_type(m, (type_info){.kind = TYPE_SORT, .name = "Fresh"});
    func_info late = {.name = "late", .args = &fresh, .nargs = 1, .result = m->bool_type, .owner = s};
    func f = model_add_func(m, late);
    var v = model_add_var(m, "x", fresh, (span){0});
    expr self = expr_var(m, v), now = expr_app(m, f, &self), closed = expr_quantify(m, E_FORALL, v, now);
    model_add_def(m, (def_info){.name = "all_late", .body = closed, .owner = s});
    rule r = model_add_rule(m, (rule_info){.name = "late", .params = &v, .nparams = 1, .guard = now});
    vec_push(&sys_of(m, s)->rules, r);
    vec_push(&sys_of(m, s)->lemmas, ((named_expr){"l", closed, {0}}));
    model_add_prop(m, (prop_info){.kind = PROP_INVARIANT, .name = "late", .system = s, .cond = closed});
    model_range(m, 5, 77, (span){0});
    model_add_system(m, "T", (span){0});
    m->types.data[node.id].fixed_size = 0;
    m->props.data[1].system = (sys){0};
}

static void additions_stay_above(void **state) {
    (void)state;
    below b = below_open();
    char *was = printed(b.m);
    uint32_t counts[] = {b.m->types.len, b.m->exprs.len, b.m->rules.len, b.m->props.len, b.m->vars.len};
    model *m = overlay_new(b.m), *top = overlay_new(m);
    add_everything(m);
    add_everything(top);
    model_free(top);
    char *is = printed(b.m);
    assert_string_equal(was, is);
    uint32_t after[] = {b.m->types.len, b.m->exprs.len, b.m->rules.len, b.m->props.len, b.m->vars.len};
    assert_memory_equal(counts, after, sizeof counts);
    assert_int_equal(model_find_prop(b.m, "late").id, 0);
    assert_int_not_equal(model_find_prop(m, "late").id, 0);
    // The model below may be added to as well; neither sees the other.
    expr own = expr_not(b.m, expr_var(b.m, model_add_var(b.m, "y", b.m->bool_type, (span){0})));
    assert_int_equal(expr_kind_of(b.m, own), E_NOT);
    model_free(m);
    free(was);
    free(is);
    below_close(&b);
}

static void any_size(void **state) {
    (void)state;
    below b = below_open();
    type node = model_find_type(b.m, "Node");
    model *m = overlay_with_any_size(b.m, node);
    assert_int_equal(type_of(b.m, node)->fixed_size, 3);
    assert_int_equal(type_of(m, node)->fixed_size, 0);
    model_free(m);
    below_close(&b);
}

static void timed_systems_have_their_own_lists(void **state) {
    (void)state;
    below b = below_open();
    sys_info *s = sys_of(b.m, model_find_system(b.m, "S"));
    s->timed = arena_alloc(b.m->memory, sizeof *s->timed);
    vec_push(&s->timed->clocks, ((timed_clock){.name = "x"}));
    model *m = overlay_new(b.m);
    vec_push(&sys_of(m, model_find_system(m, "S"))->timed->clocks, ((timed_clock){.name = "y"}));
    assert_int_equal(sys_of(b.m, model_find_system(b.m, "S"))->timed->clocks.len, 1);
    assert_string_equal(sys_of(m, model_find_system(m, "S"))->timed->clocks.data[0].name, "x");
    model_free(m);
    below_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(begins_as_it_is), cmocka_unit_test(additions_stay_above),
                                       cmocka_unit_test(any_size),
                                       cmocka_unit_test(timed_systems_have_their_own_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
