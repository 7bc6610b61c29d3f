// SPDX-License-Identifier: Apache-2.0
// Expectations in comments: see expect.h. Each line is read on its own; a mistake is of that line only.
#include "front/expect.h"

#include "base/cursor.h"

#include <string.h>

// Numbers, and names in quotes.
static size_t expect_special(cursor *c, size_t begin) {
    size_t i = begin;
    if (c->text[begin] == '"') {
        for (i++; i < c->size && c->text[i] != '"';) i++;
        if (i == c->size) return begin;
        cursor_put(c, TOKEN_STRING, begin, i + 1, arena_strn(c->memory, c->text + begin + 1, i - begin - 1));
        return i + 1;
    }
    int64_t n = 0;
    for (; i < c->size && c->text[i] >= '0' && c->text[i] <= '9' && n < INT64_MAX / 100; i++)
        n = n * 10 + (c->text[i] - '0');
    if (i > begin) cursor_put(c, TOKEN_NUMBER, begin, i, arena_strn(c->memory, c->text + begin, i - begin))->number = n;
    return i;
}

static const cursor_language expect_language = {.symbols = (const char *const[]){NULL},
                                                .characters = ":,=-\"",
                                                .reserved = (const char *const[]){"at", NULL},
                                                .comment = "//",
                                                .special = expect_special};

static int64_t expect_number(cursor *c, int64_t most, const char *wanted) {
    if (!c->failed && cursor_peek(c)->kind == TOKEN_NUMBER && cursor_peek(c)->number <= most)
        return cursor_take(c)->number;
    cursor_wrong(c, wanted);
    return 0;
}

static void expect_values(cursor *c, model *m, expectation *x) {
    VEC(model_define) list = {0};
    do {
        const char *name = cursor_name(c, "the name of a constant")->text;
        cursor_expect(c, "=");
        bool is_negative = cursor_accept(c, "-");
        int64_t n = expect_number(c, INT32_MAX, "a number");
        vec_push(&list, (model_define){arena_str(m->memory, name), (int32_t)(is_negative ? -n : n)});
    } while (cursor_accept(c, ","));
    vec_keep(m->memory, &list, &x->defines, &x->ndefines);
}

static void expect_fact(cursor *c, expectation *x) {
    if (cursor_accept(c, "length")) {
        x->length = (uint32_t)expect_number(c, UINT32_MAX, "a number after 'length'");
        return;
    }
    uint64_t n = (uint64_t)expect_number(c, INT64_MAX, "a number of states or 'length'");
    if (cursor_accept(c, "states") || cursor_accept(c, "state")) x->states = n;
    else if (cursor_accept(c, "orbits") || cursor_accept(c, "orbit")) x->orbits = n;
    else cursor_wrong(c, "'states' or 'orbits'");
}

static void expect_verdict(cursor *c, expectation *x) {
    x->verdict = cursor_accept(c, "holds") ? "holds" : "violated";
    if (*x->verdict == 'v' && !cursor_accept(c, "violated")) cursor_wrong(c, "'holds' or 'violated'");
    while (cursor_accept(c, ",")) expect_fact(c, x);
    if (!c->failed && cursor_peek(c)->kind != TOKEN_END) cursor_wrong(c, "the end of the line");
    if (x->states && x->orbits) cursor_fail(c, x->at, "either states or orbits are counted");
    if (x->length && *x->verdict == 'h') cursor_fail(c, x->at, "a property that holds has no trace, so no length");
}

// ---- what it is about

static prop next_query(const model *m, span at) {
    prop found = {0};
    for (uint32_t i = 1; i < m->props.len; i++) {
        span p = m->props.data[i].at;
        bool is_nearer = !found.id || p.begin < prop_of(m, found)->at.begin;
        if (p.file == at.file && p.begin > at.begin && is_nearer) found = (prop){i};
    }
    return found;
}

// What is found without being declared.
static bool is_always_there(const char *name) {
    return str_same(name, "deadlock") || str_same(name, "run-time error") || str_starts(name, "assume ");
}

static void expect_about(cursor *c, model *m, bool is_queries, expectation *x) {
    VEC(const char *) names = {0};
    const token *t = cursor_peek(c);
    if (is_queries) {
        x->property = next_query(m, x->at);
        if (!x->property.id) cursor_fail(c, x->at, "no query follows this expectation");
    } else if (t->kind == TOKEN_STRING || cursor_sees_name(c)) {
        x->name = arena_str(m->memory, cursor_take(c)->text);
        x->property = model_find_prop(m, x->name);
        for (uint32_t i = 1; i < m->props.len; i++) vec_push(&names, m->props.data[i].name);
        if (!x->property.id && !is_always_there(x->name)) {
            diag_unknown(c->messages, t->at, "property", x->name, names.data, names.len);
            c->failed = true;
        }
    }
    vec_free(&names);
}

static bool expect_line(model *m, cursor *c, size_t from, bool is_queries) {
    expectation x = {.at = cursor_span(c, from, c->size)};
    bool ok = cursor_read(c, from);
    cursor_take(c);
    if (ok) expect_about(c, m, is_queries, &x);
    if (ok && cursor_accept(c, "at")) expect_values(c, m, &x);
    if (ok) cursor_expect(c, ":");
    if (ok) expect_verdict(c, &x);
    ok = ok && !c->failed;
    if (ok) vec_push(&m->expectations, x);
    cursor_free(c);
    return ok;
}

// Where the word `expect` begins; 0: it is another line.
static size_t expect_place(const char *text, size_t begin, size_t end, const char *leader) {
    size_t i = begin + strlen(leader), n = strlen("expect");
    if (i > end || strncmp(text + begin, leader, i - begin) != 0) return 0;
    while (i < end && (text[i] == ' ' || text[i] == '\t')) i++;
    bool is_word = i + n < end && strncmp(text + i, "expect", n) == 0 && strchr(" \t:", text[i + n]);
    return is_word && memchr(text + i, ':', end - i) ? i : 0;
}

bool front_expectations(model *m, uint32_t file, const char *leader, bool is_queries) {
    size_t size;
    const char *text = diag_file_text(m->messages, file, &size);
    bool ok = true;
    for (size_t begin = 0, end; begin < size; begin = end + 1) {
        const char *newline = memchr(text + begin, '\n', size - begin);
        end = newline ? (size_t)(newline - text) : size;
        size_t last = end > begin && text[end - 1] == '\r' ? end - 1 : end;
        size_t from = expect_place(text, begin, last, leader);
        cursor c = {&expect_language, m->messages, m->memory, .file = file, .text = text, .size = last};
        if (from) ok &= expect_line(m, &c, from, is_queries);
    }
    return ok;
}
