// SPDX-License-Identifier: Apache-2.0
// Systems of transactions from text: see pstm.h. One message per file: what follows a mistake is guesswork. Takes any
// bytes.
#include "base/cursor.h"
#include "cli/make/pstm.h"

#include <ctype.h>

static const char *const words[] = {"pstm",        "cyclic",       "linear",   "aligned", "drift", "times",
                                    "transaction", "transactions", "conflict", "share",   "reads", "writes",
                                    "read",        "process",      "write",    "all",     NULL};

static const cursor_language pstm_language = {
    .symbols = (const char *const[]){NULL}, .characters = "-,", .reserved = words, .comment = "#", .deepest = 1};

static pstm *pstm_of(const cursor *c) { return c->owner; }

// ---- names: words or numbers

static bool pstm_sees_name(const cursor *c) { return cursor_sees_name(c) || cursor_peek(c)->kind == TOKEN_NUMBER; }

static const token *pstm_name(cursor *c, const char *wanted) {
    return cursor_peek(c)->kind == TOKEN_NUMBER ? cursor_take(c) : cursor_name(c, wanted);
}

static uint32_t find_transaction(cursor *c) {
    pstm *p = pstm_of(c);
    const token *t = pstm_name(c, "a transaction");
    VEC(const char *) names = {0};
    uint32_t found = 0;
    for (; found < p->transactions.len && !str_same(p->transactions.data[found].name, t->text); found++)
        vec_push(&names, p->transactions.data[found].name);
    if (!c->failed && found == p->transactions.len) {
        diag_unknown(c->messages, t->at, "transaction", t->text, names.data, names.len);
        c->failed = true;
    }
    vec_free(&names);
    return found;
}

static void add_transaction(cursor *c, const char *name, span at) {
    pstm *p = pstm_of(c);
    for (uint32_t i = 0; i < p->transactions.len; i++)
        if (str_same(p->transactions.data[i].name, name))
            cursor_fail(c, at, "there is a transaction '%s' already", name);
    if (p->transactions.len == PSTM_MOST_TRANSACTIONS)
        cursor_fail(c, at, "more than %d transactions", PSTM_MOST_TRANSACTIONS);
    if (!c->failed) vec_push(&p->transactions, (pstm_transaction){name, p->shape, p->process});
}

static uint32_t add_variable(cursor *c, const char *name, span at) {
    pstm *p = pstm_of(c);
    if (p->variables.len == PSTM_MOST_VARIABLES)
        cursor_fail(c, at, "more than %d shared variables (each conflict has one of its own)", PSTM_MOST_VARIABLES);
    else vec_push(&p->variables, name);
    return p->variables.len - 1;
}

static uint32_t find_variable(cursor *c) {
    pstm *p = pstm_of(c);
    const token *t = pstm_name(c, "a variable");
    for (uint32_t i = 0; i < p->variables.len; i++)
        if (str_same(p->variables.data[i], t->text)) return i;
    return add_variable(c, t->text, t->at);
}

static void use_variable(cursor *c, uint32_t transaction, uint32_t variable, bool is_read, bool is_written) {
    if (!c->failed) vec_push(&pstm_of(c)->uses, (pstm_use){transaction, variable, is_read, is_written});
}

// ---- parts of a line

static uint32_t take_number(cursor *c, const char *wanted, uint32_t most) {
    const token *t = cursor_peek(c);
    uint32_t n = 0;
    const char *digit = t->text;
    if (t->kind == TOKEN_NUMBER)
        for (; isdigit((unsigned char)*digit) && n <= most; digit++) n = 10 * n + (uint32_t)(*digit - '0');
    if (t->kind != TOKEN_NUMBER || (n <= most && *digit)) cursor_wrong(c, wanted);
    else if (n > most) cursor_fail(c, t->at, "%s expected: at most %u", wanted, most);
    cursor_take(c);
    return n;
}

static uint32_t take_time(cursor *c) { return take_number(c, "a time", PSTM_MOST_TIME); }

// Without a delay its next request could come before the queue has let go of the last one, and the queue be too short.
static uint32_t take_process(cursor *c) {
    const token *t = cursor_peek(c);
    uint32_t time = take_time(c);
    if (!time) cursor_fail(c, t->at, "a transaction computes for at least one unit of time");
    return time;
}

static bool take_shape(cursor *c, pstm_shape *s) {
    bool is_linear = *s >= PSTM_LINEAR_ALIGNED, is_drifted = *s % 2, found = true;
    if (cursor_accept(c, "cyclic")) is_linear = false;
    else if (cursor_accept(c, "linear")) is_linear = true;
    else if (cursor_accept(c, "aligned")) is_drifted = false;
    else if (cursor_accept(c, "drift")) is_drifted = true;
    else found = false;
    *s = (pstm_shape)(2 * is_linear + is_drifted);
    return found;
}

static void take_set(cursor *c, uint32_t transaction, bool is_read) {
    do {
        use_variable(c, transaction, find_variable(c), is_read, !is_read);
        cursor_accept(c, ",");
    } while (!c->failed && pstm_sees_name(c));
}

// ---- lines

static void line_times(cursor *c) {
    pstm *p = pstm_of(c);
    bool found = false;
    for (;; found = true) {
        if (cursor_accept(c, "read")) p->read = take_time(c);
        else if (cursor_accept(c, "process")) p->process = take_process(c);
        else if (cursor_accept(c, "write")) p->write = take_time(c);
        else break;
    }
    if (!found) cursor_wrong(c, "read, process or write, and a time");
}

static void line_transaction(cursor *c) {
    pstm *p = pstm_of(c);
    const token *t = pstm_name(c, "the name of a transaction");
    add_transaction(c, t->text, t->at);
    while (!c->failed) {
        uint32_t i = p->transactions.len - 1;
        if (cursor_accept(c, "process")) p->transactions.data[i].process = take_process(c);
        else if (cursor_accept(c, "reads")) take_set(c, i, true);
        else if (cursor_accept(c, "writes")) take_set(c, i, false);
        else if (!take_shape(c, &p->transactions.data[i].shape)) break;
    }
}

// Their names are 1, 2, ...
static void line_transactions(cursor *c) {
    const span at = cursor_peek(c)->at;
    uint32_t n = take_number(c, "a number of transactions", PSTM_MOST_TRANSACTIONS);
    for (uint32_t i = 1; !c->failed && i <= n; i++) add_transaction(c, arena_printf(c->memory, "%u", i), at);
}

static void share_with(cursor *c, uint32_t variable, bool is_all, const token *at) {
    pstm *p = pstm_of(c);
    if (is_all && !p->transactions.len) cursor_fail(c, at->at, "there is no transaction yet");
    for (uint32_t i = 0; is_all && i < p->transactions.len; i++) use_variable(c, i, variable, true, true);
    while (!is_all && !c->failed && pstm_sees_name(c)) {
        uint32_t i = find_transaction(c);
        use_variable(c, i, variable, true, true);
        cursor_accept(c, ",");
    }
}

static void line_share(cursor *c) {
    const token *t = cursor_peek(c);
    uint32_t variable = find_variable(c);
    bool is_all = cursor_accept(c, "all");
    if (!is_all && !pstm_sees_name(c)) cursor_wrong(c, "transactions, or all");
    if (!c->failed) share_with(c, variable, is_all, t);
}

// Two of them share a variable that nobody else uses.
static void line_conflict(cursor *c) {
    const token *t = cursor_peek(c);
    bool is_all = cursor_accept(c, "all");
    uint32_t variable = add_variable(c, "", t->at);
    if (is_all) {
        share_with(c, variable, true, t);
        return;
    }
    uint32_t a = find_transaction(c);
    cursor_accept(c, "-");
    if (!c->failed) use_variable(c, a, variable, true, true);
    const token *other = cursor_peek(c);
    uint32_t b = find_transaction(c);
    if (!c->failed && a == b) cursor_fail(c, other->at, "a transaction does not conflict with itself");
    use_variable(c, b, variable, true, true);
}

static void read_line(cursor *c) {
    if (cursor_accept(c, "times")) line_times(c);
    else if (cursor_accept(c, "transactions")) line_transactions(c);
    else if (cursor_accept(c, "transaction")) line_transaction(c);
    else if (cursor_accept(c, "conflict")) line_conflict(c);
    else if (cursor_accept(c, "share")) line_share(c);
    else cursor_wrong(c, "times, transaction, transactions, conflict or share");
}

bool pstm_read(pstm *p, diag *messages, const char *path, const char *text, size_t size) {
    *p = (pstm){.memory = arena_new(), .read = 1, .process = 1, .write = 1};
    cursor c = {.language = &pstm_language,
                .messages = messages,
                .memory = p->memory,
                .owner = p,
                .file = diag_add_file(messages, path, text, size),
                .text = text,
                .size = size};
    bool ok = cursor_read(&c, 0) && cursor_expect(&c, "pstm");
    while (ok && take_shape(&c, &p->shape)) {}
    while (ok && !c.failed && cursor_peek(&c)->kind != TOKEN_END) read_line(&c);
    if (ok && !c.failed && !p->transactions.len) cursor_fail(&c, cursor_peek(&c)->at, "there are no transactions");
    ok = ok && !c.failed;
    cursor_free(&c);
    return ok;
}

void pstm_free(pstm *p) {
    vec_free(&p->transactions);
    vec_free(&p->variables);
    vec_free(&p->uses);
    arena_free(p->memory);
}
