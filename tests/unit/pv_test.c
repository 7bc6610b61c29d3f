// SPDX-License-Identifier: Apache-2.0
// The front end on small texts: what things mean. Two texts that should mean the same are compared by their
// canonical form.
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "model/expr.h"
#include "model/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    diag *messages;
    model *m;
    pv_unit unit;
    bool good;
} reading;

static reading read_with(const char *path, pv_options o) {
    reading r = {.messages = diag_new()};
    r.m = model_new(r.messages);
    r.good = pv_read(r.m, path, &o, &r.unit);
    return r;
}

static reading read_text(const char *text) {
    return read_with("text.pv", (pv_options){.text = text, .size = strlen(text), .alone = true});
}

static void free_reading(reading *r) {
    model_free(r->m);
    diag_free(r->messages);
}

static char *canonical(const reading *r) {
    str s = {0};
    if (r->good) print_model(r->m, &s);
    else diag_print(r->messages, &s, false);
    if (!s.text) str_add(&s, "");
    return s.text;
}

static void assert_same(const char *text, const char *other) {
    reading a = read_text(text), b = read_text(other);
    char *x = canonical(&a), *y = canonical(&b);
    if (!a.good || !b.good) print_message("%s\n%s\n", x, y);
    assert_true(a.good && b.good);
    assert_string_equal(x, y);
    free(x);
    free(y);
    free_reading(&a);
    free_reading(&b);
}

#define HEAD                                                                             \
    "sort Thread, Loc enum Top { red, green } system S { enum Phase { idle, busy, red }" \
    " var phase(Thread): Phase var top: Top var n: 0..9 var p, q, r: bool"               \
    " rel rs(Thread, Loc), ws(Thread, Loc), f(Thread) "

// As the guard of an action with parameters t, u, v.
static void assert_guards(const char *a, const char *b) {
    str x = {0}, y = {0};
    str_printf(&x, HEAD "action go(t, u: Thread, v: Loc) when %s }", a);
    str_printf(&y, HEAD "action go(t, u: Thread, v: Loc) when %s }", b);
    assert_same(str_get(&x), str_get(&y));
    str_free(&x);
    str_free(&y);
}

static void assert_bodies(const char *a, const char *b) {
    str x = {0}, y = {0};
    str_printf(&x, HEAD "action go(t, u: Thread, v: Loc) { %s } }", a);
    str_printf(&y, HEAD "action go(t, u: Thread, v: Loc) { %s } }", b);
    assert_same(str_get(&x), str_get(&y));
    str_free(&x);
    str_free(&y);
}

// The first message of a text that is wrong.
static void assert_error(const char *text, const char *message) {
    reading r = read_text(text);
    assert_false(r.good);
    assert_string_equal(diag_get(r.messages, 0).text, message);
    free_reading(&r);
}

// ---- expressions

static void operators_bind_as_documented(void **state) {
    (void)state;
    assert_guards("p | q & r", "p | (q & r)");
    assert_guards("p -> q -> r", "p -> (q -> r)");
    assert_guards("p <-> q -> r", "p <-> (q -> r)");
    assert_guards("p -> q | r", "p -> (q | r)");
    assert_guards("!p & q", "(!p) & q");
    assert_guards("!n = 1", "!(n = 1)");
    assert_guards("not p and q or r", "((!p) & q) | r");
    assert_guards("n + 2 * n - 1 < 3", "((n + (2 * n)) - 1) < 3");
    assert_guards("n - 1 - 1 = 0", "((n - 1) - 1) = 0");
    assert_guards("n / 2 * 2 = n", "((n / 2) * 2) = n");
    assert_guards("-n + 1 = 0", "(-n) + 1 = 0");
    assert_guards("forall x: Thread. f(x) & p", "forall x: Thread. (f(x) & p)");
    assert_guards("p & exists x: Thread. f(x) | q", "p & (exists x: Thread. (f(x) | q))");
    assert_guards("if p then q else r & p", "if p then q else (r & p)");
    assert_guards("∀ x: Thread. ¬f(x) ∧ p ∨ q → n ≤ 1 ↔ n ≥ 1 ∧ n ≠ 2",
                  "forall x: Thread. !f(x) & p | q -> n <= 1 <-> n >= 1 & n != 2");
    assert_guards("rs(t, _) meets ws(u, _)", "exists l: Loc. rs(t, l) & ws(u, l)");
    assert_guards("rs(_, v) meets f(_)", "exists t1: Thread. rs(t1, v) & f(t1)");
    assert_guards("forall x: Loc where rs(t, x). ws(t, x)", "forall x: Loc. rs(t, x) -> ws(t, x)");
    assert_guards("exists x: Loc, y: Thread where rs(y, x). ws(t, x)", "exists x: Loc, y: Thread. rs(y, x) & ws(t, x)");
}

static void bullets_end_what_is_open(void **state) {
    (void)state;
    assert_guards("\n& p\n& q", "p & q");
    assert_guards("\n  & p | q\n  & r", "(p | q) & r");
    assert_guards("\n  & p -> q\n  & r", "(p -> q) & r");
    assert_guards("\n  | p & q\n  | r", "(p & q) | r");
    assert_guards("\n  & forall x: Thread. f(x) -> p\n  & q", "(forall x: Thread. f(x) -> p) & q");
    assert_guards("\n    p\n  & forall x: Thread. f(x) -> p\n  & q", "p & (forall x: Thread. f(x) -> p) & q");
    assert_guards("\n  & forall x: Thread. f(x) -> p\n    & q", "forall x: Thread. f(x) -> p & q");
    assert_guards("\n  & p\n  & | q\n    | r & p\n  & r", "p & (q | r & p) & r");
    assert_guards("\n  & (p ->\n  & q\n  & r)\n  & p", "(p -> q & r) & p");
    assert_guards("p ->\n  & q\n  & r", "p -> q & r");
    assert_guards("& p & q | r", "p & q | r");
}

static void unclear_layout_is_refused(void **state) {
    (void)state;
    const char *bad[] = {"\n  & p -> q\n & r",
                         "\n  & p\n  | r",
                         "\n  & p\n -> r",
                         "\n  & p\n <-> r",
                         "\n    p\n  & exists x: bool. x\n  | q",
                         "\n  | p\n | q",
                         "& p\n | q"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        str s = {0};
        str_printf(&s, "system S { var p, q, r: bool invariant i:%s }", bad[i]);
        assert_error(str_get(&s), "does this continue the last item of the list above, or the list?");
        str_free(&s);
    }
    assert_guards("\n  & p\n   | q\n  & r", "(p | q) & r");
    assert_guards("\n  (& p\n   & q\n  )\n  | r", "p & q | r");
    assert_guards("\n    p\n  & q\n  -> r", "p & q -> r");
    assert_guards("\n    p\n  & q\n  | r", "p & q | r");
}

static void names_are_found_in_order(void **state) {
    (void)state;
    assert_guards("red = phase(t) & red = top", "(red) = phase(t) & (red = top)");
    assert_guards("(if p then red else idle) = phase(t)", "(if p then (red) else (idle)) = phase(t)");
    assert_guards("phase(t) != busy", "!(phase(t) = busy)");
    assert_guards("forall red: Thread. f(red) & top = green", "(forall red: Thread. f(red) & top = green)");
    assert_error("enum A { x } enum B { x } system S { action a when x = x }",
                 "'x' is a value of A and of B, and nothing here says which");
    assert_same("const N = 2 system S { const N = 3 var n: 0..N }", "system S { var n: 0..3 }");
    assert_same("def d = true system S { def d = false action a when d }",
                "def d = true system S { def d = false action a when d }");
    assert_same("system S { action a when late def late = n = N var n: 0..N const N = M - 1 } const M = 4",
                "system S { var n: 0..3 def late = n = 3 action a when late }");
}

// ---- statements

static void statements_mean_what_they_say(void **state) {
    (void)state;
    assert_bodies("clear rs(t, _)", "forall x: Loc { rs(t, x) := false }");
    assert_bodies("clear phase(_); clear n", "forall x: Thread { phase(x) := idle } n := 0");
    assert_bodies("rs(_, _) := p", "forall x: Thread, y: Loc { rs(x, y) := p }");
    assert_bodies("if p { n := 1 } else if q { n := 2 } else { n := 3 }",
                  "if p { n := 1 } else { if q { n := 2 } else { n := 3 } }");
    assert_bodies("n := 1 p := q", "n := 1; p := q;");
    assert_bodies("phase(t) := red top := red", "phase(t) := red; top := red");
}

static void procs_are_macros(void **state) {
    (void)state;
    assert_same("sort T system S { rel f(T, T) proc w(a: T) { forall b: T { f(a, b) := f(b, a) } } "
                "action go(b: T) { w(b) } }",
                "sort T system S { rel f(T, T) action go(b: T) { forall b_1: T { f(b, b_1) := f(b_1, b) } } }");
    assert_same("sort T system S { rel f(T) proc one(a: T) { f(a) := true } proc all { forall t: T { one(t) } } "
                "action go { all } }",
                "sort T system S { rel f(T) action go { forall t: T { f(t) := true } } }");
    assert_same("system S { var n: 0..9 proc add(k: 0..3) { n := n + k } action go { add(1) } }",
                "system S { var n: 0..9 action go { n := n + 1 } }");
    assert_error("sort T system S { rel f(T) proc w(a: T) { f(b) := true } action go(b: T) { w(b) } }",
                 "unknown name 'b'");
}

// ---- starts

static void starts_are_complete(void **state) {
    (void)state;
    const char *good[] = {
        "sort T system S { var x: T init(t: T) { x := t } }",
        "sort T system S { var x: T = any }",
        "sort T system S { var x: T const c: T init { x := c } }",
        "sort T system S { var x(T): T init { forall t: T { x(t) := t } } }",
        "sort T system S { var x(T): T init(u: T) { x(_) := u } }",
        "sort T system S { var x: T var p: bool = any init(t, u: T) { if p { x := t } else { x := u } } }",
        "ordered sort T system S { var x: T }",
        "sort T system S { const x(T): T }",
    };
    const char *bad[] = {
        "sort T system S { var x: T init(t: T) { x := t } init { } }",
        "sort T system S { var x: T var p: bool = any init(t: T) { if p { x := t } } }",
        "sort T system S { var x(T): T init(t: T) { x(t) := t } }",
        "sort T system S { var x(T): T init { forall t: T where t != t { x(t) := t } } }",
        "sort T system S { var x(T, T): T init { forall t: T { x(t, t) := t } } }",
        "sort T system S { var x: T var y: T init(t: T) { x := t; y := x } }",
        "sort T = 2 system S { var x: T }",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        reading r = read_text(good[i]);
        assert_true(r.good);
        free_reading(&r);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading r = read_text(bad[i]);
        assert_false(r.good);
        free_reading(&r);
    }
}

// ---- options, units, files

static void defines_replace_constants(void **state) {
    (void)state;
    const char *text = "const N = 2 const M = N + 1 system S { var n: 0..M }";
    front_define five[] = {{"N", 5}}, wrong[] = {{"K", 5}}, large[] = {{"N", INT32_MAX}};
    pv_options o = {.text = text, .size = strlen(text), .defines = five, .ndefines = 1};
    reading r = read_with("text.pv", o);
    assert_true(r.good);
    func n = model_find_func(r.m, model_find_system(r.m, "S"), "n");
    assert_int_equal(type_of(r.m, func_of(r.m, n)->result)->hi, 6);
    free_reading(&r);
    o.defines = wrong;
    r = read_with("text.pv", o);
    assert_false(r.good);
    free_reading(&r);
    o.defines = large;
    r = read_with("text.pv", o);
    assert_false(r.good);
    free_reading(&r);
}

static void write_file(const char *folder, const char *name, const char *text) {
    str path = {0};
    str_printf(&path, "%s/%s", folder, name);
    FILE *f = fopen(path.text, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    str_free(&path);
}

static void remove_file(const char *folder, const char *name) {
    str path = {0};
    str_printf(&path, "%s/%s", folder, name);
    remove(path.text);
    str_free(&path);
}

// main uses a and sub/b, b uses main and a again: a circle, each file once.
static void files_are_read_once(void **state) {
    (void)state;
    char folder[] = "/tmp/parvis-pv-XXXXXX";
    assert_non_null(mkdtemp(folder));
    str path = {0};
    str_printf(&path, "%s/sub", folder);
    mkdir(path.text, 0777);
    write_file(folder, "main.pv",
               "use \"a.pv\" use \"sub/b.pv\" use \"./sub/../a.pv\" sort T size T = 2 enum E { x, y }\n"
               "system M { action go(t: T) invariant i: true } property second: M refines A\n"
               "property first: M deadlock_free expect own at T=2: holds expect first: holds");
    write_file(folder, "a.pv", "sort T size T = 3 enum E { x, y } system A { action go(t: T) }");
    write_file(folder, "sub/b.pv",
               "use \"../main.pv\" use \"../a.pv\" system B { invariant own: true } expect own: holds");
    str_clear(&path);
    str_printf(&path, "%s/main.pv", folder);
    reading r = read_with(path.text, (pv_options){0});
    assert_true(r.good);
    assert_int_equal(r.unit.nsystems, 1);
    assert_string_equal(sys_of(r.m, r.unit.systems[0])->name, "M");
    assert_int_equal(r.unit.nprops, 3);
    assert_string_equal(prop_of(r.m, r.unit.props[0])->name, "i");
    assert_string_equal(prop_of(r.m, r.unit.props[1])->name, "second");
    assert_string_equal(prop_of(r.m, r.unit.props[2])->name, "first");
    assert_int_equal(type_of(r.m, model_find_type(r.m, "T"))->default_size, 2);
    free_reading(&r);
    write_file(folder, "a.pv", "ordered sort T enum E { y, x } system A { action go(t: T) }");
    r = read_with(path.text, (pv_options){0});
    assert_false(r.good);
    assert_int_equal(diag_errors(r.messages), 2);
    free_reading(&r);
    remove_file(folder, "main.pv");
    remove_file(folder, "a.pv");
    remove_file(folder, "sub/b.pv");
    remove_file(folder, "sub");
    remove(folder);
    str_free(&path);
}

static void nothing_is_opened_when_alone(void **state) {
    (void)state;
    assert_error("use \"models/specs/opacity.pv\"", "'use' is not possible here: there are no other files");
}

static void compositions_see_their_parts(void **state) {
    (void)state;
    const char *parts = "sort T system A { rel f(T) enum E { on, off } var e: E action go(t: T) }"
                        " system B { rel g(T) } compose C = A || B property p: C invariant ";
    str one = {0}, two = {0};
    str_printf(&one, "%s forall t: T, x: E. f(t) | g(t) | e = x | on = e", parts);
    str_printf(&two, "%s forall t: T. forall x: E. ((f(t) | g(t)) | e = x) | (on = e)", parts);
    assert_same(str_get(&one), str_get(&two));
    str_free(&one);
    str_free(&two);
    assert_error("system A { var x: bool } system B { var x: bool } compose C = A || B property p: C invariant x",
                 "'x' is declared in more than one part of the composition");
}

static void an_empty_text_is_a_model(void **state) {
    (void)state;
    reading r = read_text("");
    assert_true(r.good);
    assert_int_equal(r.unit.nsystems, 0);
    free_reading(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_documented),  cmocka_unit_test(bullets_end_what_is_open),
        cmocka_unit_test(unclear_layout_is_refused),     cmocka_unit_test(names_are_found_in_order),
        cmocka_unit_test(statements_mean_what_they_say), cmocka_unit_test(procs_are_macros),
        cmocka_unit_test(starts_are_complete),           cmocka_unit_test(defines_replace_constants),
        cmocka_unit_test(files_are_read_once),           cmocka_unit_test(nothing_is_opened_when_alone),
        cmocka_unit_test(compositions_see_their_parts),  cmocka_unit_test(an_empty_text_is_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
