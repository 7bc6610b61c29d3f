// SPDX-License-Identifier: Apache-2.0
// The printer: its text parses back, prints the same again, and means the same: on random models every rule
// is enabled in the same states, with the same results, before and after the way through text.
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "model/eval.h"
#include "model/expr.h"
#include "model/print.h"
#include "oracle/random_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    diag *messages;
    model *m;
} reading;

static void print_messages(diag *d) {
    str s = {0};
    diag_print(d, &s, false);
    print_message("%s", str_get(&s));
    str_free(&s);
}

static bool try_text(const char *text, reading *r) {
    r->messages = diag_new();
    r->m = model_new(r->messages);
    return pv_read(r->m, "text.pv", &(pv_options){.text = text, .size = strlen(text), .alone = true}, NULL);
}

static reading read_text(const char *text) {
    reading r;
    bool good = try_text(text, &r);
    if (!good) {
        print_messages(r.messages);
        print_message("%s", text);
    }
    assert_true(good);
    return r;
}

static void free_reading(reading *r) {
    model_free(r->m);
    diag_free(r->messages);
}

// What the model prints as; the caller frees it.
static char *text_of(const model *m) {
    str s = {0};
    print_model(m, &s);
    if (!s.text) str_add(&s, "");
    return s.text;
}

static void assert_prints(const char *text, const char *expected) {
    reading a = read_text(text);
    char *once = text_of(a.m);
    assert_string_equal(once, expected);
    reading b = read_text(once);
    char *twice = text_of(b.m);
    assert_string_equal(twice, once);
    free(once);
    free(twice);
    free_reading(&a);
    free_reading(&b);
}

// `e` over relations p, q, r and number n, printed as `expected`.
static void assert_expr(const char *e, const char *expected) {
    str text = {0}, want = {0};
    const char *head = "sort T\n\nsystem S {\n  var p: bool = false\n  var q: bool = false\n  var r: bool = false\n"
                       "  rel f(T), g(T)\n  var n: 0..9 = 0\n";
    str_printf(&text, "%s  invariant x: %s\n}\n", head, e);
    str_printf(&want, "%s\n  invariant x: %s\n}\n", head, expected);
    assert_prints(str_get(&text), str_get(&want));
    str_free(&text);
    str_free(&want);
}

static void parentheses_are_minimal(void **state) {
    (void)state;
    assert_expr("((p & q)) & r", "p & q & r");
    assert_expr("p & (q & r)", "p & q & r");
    assert_expr("p & (q | r)", "p & (q | r)");
    assert_expr("p & q | r", "p & q | r");
    assert_expr("(p -> q) -> r", "(p -> q) -> r");
    assert_expr("p -> (q -> r)", "p -> q -> r");
    assert_expr("p <-> (q <-> r)", "p <-> (q <-> r)");
    assert_expr("!(p & q)", "!(p & q)");
    assert_expr("!p & q", "!p & q");
    assert_expr("!(n = 1)", "n != 1");
    assert_expr("!(n < 1)", "!(n < 1)");
    assert_expr("n > 1", "1 < n");
    assert_expr("p != q", "!(p <-> q)");
    assert_expr("n + 1 * 2 = 3", "n + 2 = 3");
    assert_expr("(n + 1) * 2 - (n - 1) < -3", "(n + 1) * 2 - (n - 1) < -3");
    assert_expr("n - -3 < -n", "n - -3 < -n");
    assert_expr("n / 2 % 3 = n / (2 * n)", "n / 2 % 3 = n / (2 * n)");
}

static void quantifiers_reach_right(void **state) {
    (void)state;
    assert_expr("forall t: T. forall u: T. f(t) & g(u)", "forall t, u: T. f(t) & g(u)");
    assert_expr("forall t: T. forall b: bool. f(t) & b", "forall t: T, b: bool. f(t) & b");
    assert_expr("(exists t: T. f(t)) & p", "(exists t: T. f(t)) & p");
    assert_expr("p & exists t: T. f(t)", "p & exists t: T. f(t)");
    assert_expr("p & (exists t: T. f(t)) | q", "p & (exists t: T. f(t)) | q");
    assert_expr("(p -> exists t: T. f(t)) | q", "(p -> exists t: T. f(t)) | q");
    assert_expr("!(exists t: T. f(t)) & !exists t: T. g(t)", "!(exists t: T. f(t)) & !exists t: T. g(t)");
    assert_expr("forall t: T where f(t). g(t)", "forall t: T. f(t) -> g(t)");
    assert_expr("exists t: T where f(t). g(t)", "exists t: T. f(t) & g(t)");
    assert_expr("(if p then q else r) & p", "(if p then q else r) & p");
    assert_expr("n = (if p then 1 else 2)", "n = (if p then 1 else 2)");
    assert_expr("p -> if q then r else p", "p -> if q then r else p");
    assert_expr("f(_) meets g(_)", "exists t: T. f(t) & g(t)");
    assert_expr("exists t: T. f(t) & (f(_) meets g(_))", "exists t: T. f(t) & exists t1: T. f(t1) & g(t1)");
}

static void a_model_in_full(void **state) {
    (void)state;
    assert_prints(
        "ordered sort Ticket sort A, B = 3 size A = 2, Ticket = 4 sort C\n"
        "enum E { x, y } def both(a: bool, b: bool) = a & b\n"
        "system S { const lead: A const le(A, A): bool enum F { x, z } var e: E = y var f(A): F\n"
        "var k(A): bool = true var w(B): A = any var t: Ticket var own: A\n"
        "axiom ax: forall a: A. le(a, lead) init(a: A) when a != lead { own := a }\n"
        "def d(a: A): F = if a = lead then x else z\n"
        "action go(a: A) { clear f(_); clear k(a); clear t; if own = a { own := lead } else if f(a) = x\n"
        "{ f(a) := d(a) } else { e := x } } internal action stop assume s: both(e = x, true) }\n"
        "system R { action go(a: A) action other(b: B) } system Q { rel l(B) action other(b: B) { l(b) := "
        "!l(b) }}\n"
        "compose P = R || Q compose PP = S || R || Q\n"
        "property p1: S refines R property p2: PP deadlock_free property p3: S invariant e = y\n"
        "expect p1 at A=1, C=2: holds, 5 states expect p3: violated, length 2",
        "ordered sort Ticket\nsort A\nsort B = 3\nsort C\nsize Ticket = 4, A = 2\nenum E { x, y }\n"
        "def both(a, b: bool) = a & b\n\n"
        "system S {\n  enum F { x, z }\n  const lead: A\n  const le(A, A): bool\n  var e: E = y\n"
        "  var f(A): F = x\n  var k(A): bool = true\n  var w(B): A = any\n  var t: Ticket\n  var own: A\n\n"
        "  axiom ax: forall a: A. le(a, lead)\n  def d(a: A): F = if a = lead then x else z\n"
        "  assume s: both(e = x, true)\n\n"
        "  init(a: A) when a != lead {\n    own := a\n  }\n\n"
        "  action go(a: A) {\n    f(_) := x\n    k(a) := true\n    clear t\n    if own = a {\n      own := lead\n"
        "    } else if f(a) = x {\n      f(a) := d(a)\n    } else {\n      e := x\n    }\n  }\n\n"
        "  internal action stop\n}\n\n"
        "system R {\n  action go(a: A)\n\n  action other(b: B)\n}\n\n"
        "system Q {\n  rel l(B)\n\n  action other(b: B) {\n    l(b) := !l(b)\n  }\n}\n\n"
        "compose P = R || Q\n\ncompose PP = S || R || Q\n\n"
        "property p1: S refines R\nproperty p2: PP deadlock_free\nproperty p3: S invariant e = y\n\n"
        "expect p1 at A=1, C=2: holds, 5 states\nexpect p3: violated, length 2\n");
}

// A proc's own variable has the name of an argument, and so has the variable behind `_`.
static void names_do_not_capture(void **state) {
    (void)state;
    assert_prints("sort T system S { rel f(T, T) proc p(a: T) { forall b: T { f(a, b) := f(b, a) } }\n"
                  "action go(b, t: T) { p(b); f(t, _) := f(b, t) } action of(b: T) { p(b) } }",
                  "sort T\n\nsystem S {\n  rel f(T, T)\n\n  action go(b, t: T) {\n    forall b_1: T {\n"
                  "      f(b, b_1) := f(b_1, b)\n    }\n    f(t, _) := f(b, t)\n  }\n\n"
                  "  action of(b: T) {\n    forall b_1: T {\n      f(b, b_1) := f(b_1, b)\n    }\n  }\n}\n");
}

static void long_lines_are_broken(void **state) {
    (void)state;
    str text = {0};
    str_add(&text, "sort T system S { rel alpha(T), beta(T), gamma(T) invariant x: forall t, u, v: T. "
                   "alpha(t) & beta(u) & gamma(v) & (alpha(u) | beta(v)) -> (exists w: T. gamma(w) & alpha(w)) & "
                   "(exists w: T. gamma(w) & beta(w)) & (alpha(t) -> beta(u) | gamma(v)) }");
    reading a = read_text(str_get(&text));
    char *once = text_of(a.m);
    uint32_t lines = 0;
    for (char *line = strtok(once, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 100);
        lines++;
    }
    assert_true(lines > 6);
    free(once);
    free_reading(&a);
    str_free(&text);
}

static void products_are_not_printed(void **state) {
    (void)state;
    reading a =
        read_text("sort T system S { rel f(T) action go(t: T) } system R { action go(t: T) } property p: S refines R");
    char *before = text_of(a.m);
    model_add_system(a.m, "S × R", (span){0});
    sys_of(a.m, (sys){a.m->systems.len - 1})->refinement = model_find_prop(a.m, "p");
    char *after = text_of(a.m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    free_reading(&a);
}

// ---- random models

static bool same_step(eval *a, eval *b, rule x, rule y, const value *cells, const value *args, value *s, value *t,
                      uint32_t n) {
    bool on = eval_enabled(a, cells, x, args);
    fault f = eval_fault(a);
    if (on != eval_enabled(b, cells, y, args) || f.kind != eval_fault(b).kind) return false;
    if (!on || f.kind) return true;
    bool ran = eval_fire(a, cells, x, args, s), also = eval_fire(b, cells, y, args, t);
    if (ran != also || eval_fault(a).kind != eval_fault(b).kind) return false;
    return !ran || memcmp(s, t, n * sizeof *s) == 0;
}

static bool same_rule(const instance *in, const instance *other, rule x, rule y, const value *cells) {
    eval *a = eval_new(in), *b = eval_new(other);
    value args[16], *s = calloc(in->ncells + 1, sizeof *s), *t = calloc(in->ncells + 1, sizeof *t);
    bool same = true;
    for (bool first = true; same && eval_next_binding(in, x, args, &first);)
        same = same_step(a, b, x, y, cells, args, s, t, in->ncells);
    free(s);
    free(t);
    eval_free(a);
    eval_free(b);
    return same;
}

static instance *same_instance(const instance *in, model *m) {
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 1; i < in->m->types.len; i++)
        if (in->m->types.data[i].kind == TYPE_SORT) {
            type t = model_find_type(m, in->m->types.data[i].name);
            assert_true(t.id);
            vec_push(&sizes, (sort_size){t, in->sort_size[i]});
        }
    instance *other = instance_new(m, model_find_system(m, sys_of(in->m, in->system)->name), sizes.data, sizes.len);
    vec_free(&sizes);
    assert_non_null(other);
    return other;
}

static void compare_rules(random_model *r, model *m) {
    instance *in = random_model_instance(r, 2), *other = same_instance(in, m);
    assert_int_equal(in->ncells, other->ncells);
    value *cells = calloc(in->ncells + 1, sizeof *cells);
    const sys_info *s = sys_of(r->m, in->system), *t = sys_of(m, other->system);
    assert_int_equal(s->rules.len, t->rules.len);
    assert_int_equal(s->inits.len, t->inits.len);
    for (uint32_t round = 0; round < 3; round++) {
        random_model_state(in, &r->random, cells);
        for (uint32_t i = 0; i < s->rules.len; i++)
            assert_true(same_rule(in, other, s->rules.data[i], t->rules.data[i], cells));
        for (uint32_t i = 0; i < s->inits.len; i++)
            assert_true(same_rule(in, other, s->inits.data[i], t->inits.data[i], cells));
    }
    free(cells);
    instance_free(in);
    instance_free(other);
}

// What the language refuses and the generator does not avoid: constants outside their range, and arguments of
// definitions that only a look at all values shows to be inside.
static bool is_refusal(const char *text) {
    return strstr(text, "outside its range") || strstr(text, "division by zero") || strstr(text, "wide enough");
}

static bool is_refused(const diag *d) {
    for (uint32_t i = 0; i < diag_count(d); i++)
        if (diag_get(d, i).level == DIAG_ERROR && !is_refusal(diag_get(d, i).text)) return false;
    return true;
}

// False when the text was refused.
static bool random_model_round_trip(uint64_t seed, uint32_t size, unsigned features) {
    random_model r = random_model_new(seed, size, features);
    char *once = text_of(r.m);
    reading a;
    bool good = try_text(once, &a);
    if (!good && !is_refused(a.messages)) {
        print_messages(a.messages);
        fail_msg("does not come back: %s", once);
    }
    if (good) {
        char *twice = text_of(a.m);
        assert_string_equal(once, twice);
        compare_rules(&r, a.m);
        free(twice);
    }
    free(once);
    free_reading(&a);
    random_model_free(&r);
    return good;
}

static void random_models_come_back(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 60000 : 5000, good = 0;
    unsigned features = RANDOM_ORDERED | RANDOM_STARTS;
    for (uint32_t i = 0; i < n; i++)
        good += random_model_round_trip(i, 1 + i % 10, features | (i % 3 ? 0 : RANDOM_FAULTS));
    assert_true(good > n / 2);
}

// ---- the same text in other clothes

typedef struct {
    const char *plain, *others[2];
} synonym;

static const synonym synonyms[] = {
    {"<->", {"↔", "↔"}},  {"->", {"→", "→"}},     {"!=", {"≠", "≠"}},     {"<=", {"≤", "≤"}},
    {":=", {":=", ":="}}, {"..", {"..", ".."}},   {"&", {"∧", "and"}},    {"|", {"∨", "or"}},
    {"!", {"¬", "not"}},  {"forall", {"∀", "∀"}}, {"exists", {"∃", "∃"}},
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '#';
}

static size_t token_length(const char *p) {
    size_t n = 0;
    while (is_letter(p[n])) n++;
    if (n) return n;
    for (size_t i = 0; i < 6; i++)
        if (str_starts(p, synonyms[i].plain)) return strlen(synonyms[i].plain);
    return 1;
}

static void add_gap(rng *r, str *out, bool may_break) {
    static const char *const gaps[] = {" ", "  ", "\t", " /* & | */ ", "\n", "\n   ", " // forall\n", "\r\n"};
    str_add(out, gaps[rng_below(r, may_break ? 8 : 4)]);
}

static void add_token(rng *r, str *out, const char *p, size_t n) {
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strlen(synonyms[i].plain) == n && strncmp(p, synonyms[i].plain, n) == 0 && rng_below(r, 2)) {
            str_add(out, synonyms[i].others[rng_below(r, 2)]);
            return;
        }
    str_addn(out, p, n);
}

// Operators stay on their line: where they begin one, layout counts.
static void disguise(rng *r, const char *text, str *out) {
    for (const char *p = text; *p;) {
        if (*p == ' ' || *p == '\n') {
            p++;
            continue;
        }
        size_t n = token_length(p);
        add_gap(r, out, !strchr("&|-<", *p));
        add_token(r, out, p, n);
        p += n;
    }
    str_char(out, '\n');
}

static bool has_list(const char *text) {
    for (const char *p = text; (p = strchr(p, '\n')) != NULL;) {
        p += strspn(p, "\n ");
        if (*p == '&' || *p == '|') return true;
    }
    return strstr(text, " & & ") || strstr(text, "when &") || strstr(text, ": &") || strstr(text, ": |");
}

static void clothes_do_not_matter(void **state) {
    (void)state;
    uint32_t tried = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        random_model r = random_model_new(i, 1 + i % 4, RANDOM_ORDERED | RANDOM_STARTS);
        char *once = text_of(r.m);
        reading a, b;
        str other = {0};
        disguise(&r.random, once, &other);
        bool good = try_text(once, &a) && !has_list(once), also = try_text(str_get(&other), &b);
        if (good) {
            if (!also) print_messages(b.messages);
            assert_true(also);
            char *again = text_of(b.m);
            assert_string_equal(once, again);
            free(again);
            tried++;
        }
        str_free(&other);
        free(once);
        free_reading(&a);
        free_reading(&b);
        random_model_free(&r);
    }
    assert_true(tried > 800);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parentheses_are_minimal), cmocka_unit_test(quantifiers_reach_right),
        cmocka_unit_test(a_model_in_full),         cmocka_unit_test(names_do_not_capture),
        cmocka_unit_test(long_lines_are_broken),   cmocka_unit_test(products_are_not_printed),
        cmocka_unit_test(random_models_come_back), cmocka_unit_test(clothes_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
