// SPDX-License-Identifier: Apache-2.0
// Words of transactions: see statement.h. The graph of Guerraoui, Henzinger and Singh (CONCUR 2008, section
// 2) has an edge from x to y if a statement of x conflicts with a later one of y, or if x is finished before
// y begins.
#include "language/statement.h"

#include <stdlib.h>
#include <string.h>

enum { STATEMENT_LARGEST = 64 };  // threads, and locations: as many as transaction.writes has bits

static const char *const actions[] = {"read", "write", "commit", "abort"};

static bool take_element(const letter_arg *a, uint32_t *out) {
    *out = (uint32_t)a->number;
    return a->kind == LETTER_ELEMENT && *out < STATEMENT_LARGEST;
}

bool statement_of(const letter_info *l, statement *out) {
    for (unsigned k = 0; k < sizeof actions / sizeof *actions; k++) {
        if (!str_same(l->action, actions[k])) continue;
        *out = (statement){.kind = (statement_kind)k};
        uint32_t nargs = statement_is_finishing(*out) ? 1 : 2;
        return l->nargs == nargs && take_element(&l->args[0], &out->thread) &&
               (nargs == 1 || take_element(&l->args[1], &out->location));
    }
    return false;
}

static void statement_add_text(statement s, str *out) {
    str_char(out, actions[s.kind][0]);
    if (!statement_is_finishing(s)) str_printf(out, "%u", s.location + 1);
    str_printf(out, "_%u", s.thread + 1);
}

uint32_t statement_intern(letter_table *t, statement s) {
    letter_arg args[] = {{LETTER_ELEMENT, .number = (int32_t)s.thread, .sort = t->thread_sort},
                         {LETTER_ELEMENT, .number = (int32_t)s.location, .sort = t->location_sort}};
    str text = {0};
    statement_add_text(s, &text);
    letter_info l = {actions[s.kind], str_get(&text), args, statement_is_finishing(s) ? 1 : 2};
    uint32_t n = letter_intern(t, &l);
    str_free(&text);
    return n;
}

letter_table *statement_table(const letter_table *of) {
    const char *threads = NULL, *locations = NULL;
    for (uint32_t i = 0; of && i < of->all.len; i++) {
        const letter_info *l = &of->all.data[i];
        if (!threads && l->nargs) threads = l->args[0].sort;
        if (!locations && l->nargs > 1) locations = l->args[1].sort;
    }
    letter_table *t = letter_table_new();
    letter_table_name_sorts(t, threads, locations);
    return t;
}

statement *statement_letters(const automaton *a) {
    statement *all = mem_zero(a->nletters + 1, sizeof *all);
    bool good = a->letters != NULL;
    for (uint32_t i = 0; i < a->nletters && good; i++) good = statement_of(&a->letters->all.data[i], &all[i]);
    if (good) return all;
    free(all);
    return NULL;
}

// ---- transactions

static uint32_t live_of(const transactions *t, uint32_t thread) {
    for (uint32_t i = t->ntransactions; i-- > 0;) {
        const transaction *x = &t->transactions[i];
        if (x->thread == thread) return x->is_committed || x->is_aborted ? UINT32_MAX : i;
    }
    return UINT32_MAX;
}

void statement_transactions(const statement *word, uint32_t n, transactions *out) {
    out->ntransactions = 0;
    for (uint32_t i = 0; i < n; i++) {
        statement s = word[i];
        uint32_t number = live_of(out, s.thread);
        if (number == UINT32_MAX) {
            number = out->ntransactions++;
            out->transactions[number] = (transaction){.thread = s.thread, .first = i};
        }
        transaction *x = &out->transactions[number];
        x->last = i;
        out->of[i] = number;
        out->is_global_read[i] = s.kind == STATEMENT_READ && !(x->writes >> s.location & 1);
        if (s.kind == STATEMENT_WRITE) x->writes |= UINT64_C(1) << s.location;
        x->is_committed = s.kind == STATEMENT_COMMIT;
        x->is_aborted = s.kind == STATEMENT_ABORT;
    }
}

// A global read and the commit of a writer.
static bool reads_from(const statement *word, const transactions *t, uint32_t read, uint32_t commit) {
    return t->is_global_read[read] && word[commit].kind == STATEMENT_COMMIT &&
           (t->transactions[t->of[commit]].writes >> word[read].location & 1);
}

bool statement_conflict(const statement *word, const transactions *t, uint32_t i, uint32_t j) {
    if (t->of[i] == t->of[j]) return false;
    if (reads_from(word, t, i, j) || reads_from(word, t, j, i)) return true;
    return word[i].kind == STATEMENT_COMMIT && word[j].kind == STATEMENT_COMMIT &&
           (t->transactions[t->of[i]].writes & t->transactions[t->of[j]].writes);
}

bool statement_precedes(const transactions *t, uint32_t x, uint32_t y) {
    const transaction *a = &t->transactions[x], *b = &t->transactions[y];
    return (a->is_committed || a->is_aborted) && a->last < b->first;
}

// ---- the graph

static void add_edges(const statement *word, uint32_t n, const transactions *t, uint32_t *after) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (statement_conflict(word, t, i, j)) after[t->of[i]] |= 1u << t->of[j];
    for (uint32_t x = 0; x < t->ntransactions; x++)
        for (uint32_t y = 0; y < t->ntransactions; y++)
            if (x != y && statement_precedes(t, x, y)) after[x] |= 1u << y;
}

// Takes away, again and again, those that have nobody after them.
static bool is_acyclic(const uint32_t *after, uint32_t left) {
    for (uint32_t before = 0; left != before;) {
        before = left;
        for (uint32_t x = 0; x < STATEMENT_MOST; x++)
            if ((left >> x & 1) && !(after[x] & left)) left &= ~(1u << x);
    }
    return !left;
}

static bool is_right(const statement *word, uint32_t n, bool committed_only) {
    transactions t;
    uint32_t after[STATEMENT_MOST] = {0}, members = 0;
    statement_transactions(word, n, &t);
    add_edges(word, n, &t, after);
    for (uint32_t x = 0; x < t.ntransactions; x++)
        if (!committed_only || t.transactions[x].is_committed) members |= 1u << x;
    return is_acyclic(after, members);
}

bool statement_is_serializable(const statement *word, uint32_t n) { return is_right(word, n, true); }
bool statement_is_opaque(const statement *word, uint32_t n) { return is_right(word, n, false); }
