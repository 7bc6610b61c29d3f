// SPDX-License-Identifier: Apache-2.0
// Expectations and answers: see expected.h. The run is an ordinary `parvis check --json`, so that what is tested is
// what users get. Only what is said is compared, and a `holds` that says nothing, because nothing was tried, is not
// what was expected. That a rule never fires is no fault at one size, where it may need another thread, but at all
// those that a file speaks of.
#include "cli/expected.h"

#include <string.h>

static const char *expected_name(const model *m, const expectation *x) {
    return x->property.id ? prop_of(m, x->property)->name : x->name;
}

// ---- as text

// "Thread=2, Loc=2"
static uint32_t expected_sizes(const model *m, const expectation *x, const char *between, str *out) {
    for (uint32_t i = 0; i < x->sizes.len; i++)
        str_printf(out, "%s%s=%u", i ? between : "", type_of(m, x->sizes.data[i].sort)->name, x->sizes.data[i].size);
    return x->sizes.len;
}

static void expected_scope(const model *m, const expectation *x, str *out) {
    if (x->sizes.len + x->ndefines) str_add(out, " at ");
    uint32_t n = expected_sizes(m, x, ", ", out);
    for (uint32_t i = 0; i < x->ndefines; i++, n++)
        str_printf(out, "%s%s=%d", n ? ", " : "", x->defines[i].name, x->defines[i].value);
}

static void expected_facts(const char *said, uint64_t states, uint64_t orbits, uint64_t length, str *out) {
    str_add(out, said);
    if (states) str_printf(out, ", %llu state%s", (unsigned long long)states, states == 1 ? "" : "s");
    if (orbits) str_printf(out, ", %llu orbit%s", (unsigned long long)orbits, orbits == 1 ? "" : "s");
    if (length) str_printf(out, ", length %llu", (unsigned long long)length);
}

test_row expected_row(arena *memory, const model *m, const expectation *x, const char *file) {
    test_row t = {.file = file};
    str name = {0}, facts = {0};
    const char *about = expected_name(m, x);
    str_add(&name, about ? about : "all properties");
    expected_scope(m, x, &name);
    expected_facts(x->verdict, x->states, x->orbits, x->length, &facts);
    diag_place(m->messages, x->at, &t.line, &t.column);
    t.name = arena_str(memory, str_get(&name));
    t.expected = arena_str(memory, str_get(&facts));
    str_free(&name);
    str_free(&facts);
    return t;
}

// ---- the run

typedef VEC(const char *) word_list;

static void expected_pass_on(const options *o, word_list *out) {
    for (uint32_t i = 0; i < o->allowed.len; i++) {
        vec_push(out, "--allow");
        vec_push(out, o->allowed.data[i]);
    }
    if (!o->limit_bytes) return;
    vec_push(out, "--limit-memory");
    vec_push(out, arena_printf(o->memory, "%llu", (unsigned long long)o->limit_bytes));
}

const char *const *expected_command(const options *o, const char *self, const model *m, const expectation *x,
                                    const char *file, uint32_t threads) {
    word_list words = {0};
    str sizes = {0};
    vec_push(&words, self);
    vec_push(&words, "check");
    vec_push(&words, "--json");
    vec_push(&words, arena_printf(o->memory, "--threads=%u", threads));
    if (x->property.id) vec_push(&words, arena_printf(o->memory, "--property=%s", prop_of(m, x->property)->name));
    if (expected_sizes(m, x, ",", &sizes)) vec_push(&words, arena_printf(o->memory, "--size=%s", str_get(&sizes)));
    for (uint32_t i = 0; i < x->ndefines; i++)
        vec_push(&words, arena_printf(o->memory, "--define=%s=%d", x->defines[i].name, x->defines[i].value));
    if (x->states) vec_push(&words, "--symmetry=off");
    expected_pass_on(o, &words);
    vec_push(&words, "--");
    vec_push(&words, file);
    vec_push(&words, NULL);
    const char *const *kept = arena_copy(o->memory, words.data, words.len * sizeof *words.data);
    vec_free(&words);
    str_free(&sizes);
    return kept;
}

// ---- what it answers

static const char *member_text(const json_t *o, const char *name) {
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

// Of the property, or of the whole.
static const json_t *judged(const json_t *answer, const char *name) {
    const json_t *list = json_object_get(answer, "properties"), *one;
    size_t i;
    if (!name) return answer;
    json_array_foreach(list, i, one) if (str_same(member_text(one, "name"), name)) return one;
    return NULL;
}

static bool is_about_rule(const json_t *o) { return str_same(member_text(o, "kind"), "rule"); }

// Other doubts are about how far a search went, which the sizes of an expectation bound in any case.
static bool is_vacuous(const char *kind) {
    return str_same(kind, "no start") || str_same(kind, "no step") || str_same(kind, "premise");
}

static bool says_nothing(const json_t *answer, str *why) {
    const json_t *list = json_object_get(answer, "doubts"), *one;
    size_t i;
    json_array_foreach(list, i, one) {
        if (!is_vacuous(member_text(one, "kind"))) continue;
        str_printf(why, "holds, but only because nothing was tried: %s", member_text(one, "text"));
        return true;
    }
    return false;
}

static bool has_fired(const json_t *answer, const char *name) {
    const json_t *list = json_object_get(answer, "rules"), *one;
    size_t i;
    json_array_foreach(list, i, one) {
        if (str_same(member_text(one, "name"), name) && json_integer_value(json_object_get(one, "fired"))) return true;
    }
    return false;
}

static bool fires_in_any(json_t *const *answers, uint32_t n, const char *name) {
    bool fires = false;
    for (uint32_t i = 0; i < n && !fires; i++) fires = has_fired(answers[i], name);
    return fires;
}

const char *expected_idle(json_t *const *answers, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const json_t *list = json_object_get(answers[i], "doubts"), *one;
        size_t k;
        json_array_foreach(list, k, one) {
            const char *name = member_text(one, "subject");
            if (is_about_rule(one) && !fires_in_any(answers, n, name)) return name;
        }
    }
    return NULL;
}

static test_outcome judge_error(const json_t *answer, str *found) {
    const json_t *first = json_array_get(json_object_get(answer, "errors"), 0);
    str_add(found, first ? member_text(first, "message") : "no such property in the answer");
    return TEST_WRONG;
}

// The whole answer counts too where something is to hold: a run-time error is an entry of its own.
static test_outcome expected_compare(const expectation *x, const json_t *answer, const json_t *of, str *found) {
    const char *said = member_text(of, "verdict"), *whole = member_text(answer, "verdict");
    if (*x->verdict == 'h' && str_same(said, "holds")) said = whole;
    if (str_same(said, "unknown")) {
        const char *reason = member_text(of, "reason");
        str_printf(found, "unknown: %s", *reason ? reason : member_text(answer, "reason"));
        return TEST_UNKNOWN;
    }
    const json_t *run = json_object_get(of, "trace");
    uint64_t states = (uint64_t)json_integer_value(json_object_get(answer, "states"));
    uint64_t length = (uint64_t)json_integer_value(json_object_get(run, "length"));
    bool is_same = str_same(said, x->verdict) && (!x->states || x->states == states) &&
                   (!x->orbits || x->orbits == states) && (!x->length || x->length == length);
    if (is_same && str_same(said, "holds") && says_nothing(answer, found)) return TEST_FAILED;
    bool has_length = str_same(said, "violated") && (x->length || *x->verdict == 'h');
    expected_facts(said, x->states ? states : 0, x->orbits ? states : 0, has_length ? length : 0, found);
    if (!is_same && has_length && *member_text(run, "word")) str_printf(found, ": %s", member_text(run, "word"));
    return is_same ? TEST_MET : TEST_FAILED;
}

json_t *expected_judge(const model *m, const expectation *x, const char *text, size_t size, test_row *t) {
    json_t *answer = json_loadb(text, size, 0, NULL);
    str found = {0};
    const json_t *of = answer ? judged(answer, expected_name(m, x)) : NULL;
    bool is_absent = answer && !of && !x->property.id && *member_text(answer, "verdict");
    if (!answer) str_add(&found, "the run gave no answer");
    if (!answer) t->outcome = TEST_UNKNOWN;
    else if (is_absent && *x->verdict == 'h') t->outcome = expected_compare(x, answer, answer, &found);
    else if (is_absent) t->outcome = (str_printf(&found, "no %s", x->name), TEST_FAILED);
    else
        t->outcome =
            of && *member_text(of, "verdict") ? expected_compare(x, answer, of, &found) : judge_error(answer, &found);
    t->found = found.text;
    return answer;
}
