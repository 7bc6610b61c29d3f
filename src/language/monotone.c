// SPDX-License-Identifier: Apache-2.0
// Monotonicity by looking at every word up to a length: depth first over the words of the TM, level by level,
// so that a word found is a shortest one. For each word that the premise is about, orders of the other
// transactions and places for the statements of x between them are tried until one is a word of the TM.
#include "language/monotone.h"

#include "language/subsets.h"

#include <string.h>

typedef struct {
    const monotone_input *in;
    subsets *sets;
    uint32_t word[STATEMENT_MOST];  // letters
    statement statements[STATEMENT_MOST];
    uint32_t set[STATEMENT_MOST + 1];  // after this many letters
    uint32_t length;                   // of the words of this round
    monotone_answer out;
} search;

// ---- a more sequential word

typedef struct {
    search *s;
    uint32_t n;  // statements of w
    uint32_t x;  // the transaction of s
    const transactions *t;
    uint32_t order[STATEMENT_MOST];  // positions in w of the statements placed so far
    uint32_t placed;
    uint32_t done;       // transactions placed, as bits
    uint32_t next_of_x;  // the next statement of x to place
} arrangement;

static bool arrange(arrangement *a);

// May the statement at position i come next? Nothing that it conflicts with, or that precedes it, is still
// missing.
static bool may_follow(const arrangement *a, uint32_t i) {
    for (uint32_t j = 0; j < i; j++) {
        bool is_placed = false;
        for (uint32_t k = 0; k < a->placed; k++) is_placed |= a->order[k] == j;
        if (is_placed) continue;
        if (statement_conflict(a->s->statements, a->t, j, i)) return false;
        if (a->t->of[i] != a->t->of[j] && statement_precedes(a->t, a->t->of[j], a->t->of[i])) return false;
    }
    return true;
}

// Nor has anything been placed that must come after it.
static bool is_not_late(const arrangement *a, uint32_t i) {
    for (uint32_t k = 0; k < a->placed; k++) {
        uint32_t j = a->order[k];
        if (j > i && statement_conflict(a->s->statements, a->t, i, j)) return false;
        if (a->t->of[i] != a->t->of[j] && statement_precedes(a->t, a->t->of[i], a->t->of[j])) return false;
    }
    return true;
}

static bool monotone_place(arrangement *a, uint32_t i) {
    if (!may_follow(a, i) || !is_not_late(a, i)) return false;
    a->order[a->placed++] = i;
    return true;
}

static uint32_t next_statement(const arrangement *a, uint32_t transaction_number, uint32_t from) {
    while (from < a->n && a->t->of[from] != transaction_number) from++;
    return from;
}

static bool try_transaction(arrangement *a, uint32_t y) {
    uint32_t before = a->placed;
    bool good = true;
    for (uint32_t i = next_statement(a, y, 0); i < a->n && good; i = next_statement(a, y, i + 1))
        good = monotone_place(a, i);
    a->done |= 1u << y;
    good = good && arrange(a);
    a->done &= ~(1u << y);
    a->placed = before;
    return good;
}

static bool try_x(arrangement *a) {
    uint32_t i = next_statement(a, a->x, a->next_of_x), before = a->next_of_x;
    if (i >= a->n || !monotone_place(a, i)) return false;
    a->next_of_x = i + 1;
    bool good = arrange(a);
    a->next_of_x = before;
    a->placed--;
    return good;
}

static bool monotone_is_word(const arrangement *a) {
    uint32_t set = a->s->set[0];
    for (uint32_t i = 0; i < a->n && set != SUBSETS_EMPTY; i++)
        set = subsets_next(a->s->sets, set, a->s->word[a->order[i]]);
    return set != SUBSETS_EMPTY && subsets_next(a->s->sets, set, a->s->word[a->n]) != SUBSETS_EMPTY;
}

static bool arrange(arrangement *a) {
    if (a->placed == a->n) return monotone_is_word(a);
    if (try_x(a)) return true;
    for (uint32_t y = 0; y < a->t->ntransactions; y++)
        if (y != a->x && !(a->done >> y & 1) && next_statement(a, y, 0) < a->n && try_transaction(a, y)) return true;
    return false;
}

// ---- which words

// Is a transaction other than x not committed in w?
static bool has_uncommitted(const transactions *t, uint32_t x) {
    for (uint32_t y = 0; y < t->ntransactions; y++)
        if (y != x && !t->transactions[y].is_committed) return true;
    return false;
}

static bool monotone_speaks_of(const search *s, const transactions *t, uint32_t n) {
    uint32_t x = t->of[n];
    bool is_commit = s->statements[n].kind == STATEMENT_COMMIT;
    if (!is_commit && !(s->in->for_opacity && t->is_global_read[n])) return false;
    if (!s->in->for_opacity && has_uncommitted(t, x)) return false;
    return s->in->for_opacity ? statement_is_opaque(s->statements, n) : statement_is_serializable(s->statements, n);
}

static bool check_word(search *s) {
    transactions whole, before;
    uint32_t n = s->length - 1;
    statement_transactions(s->statements, s->length, &whole);
    if (!monotone_speaks_of(s, &whole, n)) return true;
    s->out.words++;
    statement_transactions(s->statements, n, &before);
    arrangement a = {.s = s, .n = n, .x = whole.of[n], .t = &before};
    if (arrange(&a)) return true;
    s->out.holds = false;
    s->out.length = s->length;
    memcpy(s->out.word, s->word, s->length * sizeof *s->word);
    return false;
}

// Threads and locations come in order of their numbers.
static bool is_canonical(const search *s, uint32_t depth, statement next) {
    uint32_t threads = 0, locations = 0;
    for (uint32_t i = 0; i < depth; i++) {
        statement x = s->statements[i];
        if (x.thread >= threads) threads = x.thread + 1;
        if (!statement_is_finishing(x) && x.location >= locations) locations = x.location + 1;
    }
    return next.thread <= threads && (statement_is_finishing(next) || next.location <= locations);
}

static bool monotone_is_possible(const search *s, uint32_t depth, statement next) {
    if (s->in->is_symmetric && !is_canonical(s, depth, next)) return false;
    return next.kind != STATEMENT_ABORT || s->in->for_opacity;
}

static bool monotone_visit(search *s, uint32_t depth) {
    if (depth == s->length) return check_word(s);
    if (limits_met(&s->in->limits)) s->out.is_stopped = true;
    for (uint32_t c = 0; c < s->in->a->nletters && !s->out.is_stopped; c++) {
        statement next = s->in->letters[c];
        if (!monotone_is_possible(s, depth, next)) continue;
        s->word[depth] = c;
        s->statements[depth] = next;
        s->set[depth + 1] = subsets_next(s->sets, s->set[depth], c);
        if (s->set[depth + 1] != SUBSETS_EMPTY && !monotone_visit(s, depth + 1)) return false;
    }
    return true;
}

monotone_answer monotone_check(const monotone_input *in) {
    search s = {.in = in, .sets = subsets_new(in->a), .out = {.holds = true}};
    s.set[0] = subsets_initial(s.sets);
    bool goes_on = s.set[0] != SUBSETS_EMPTY;
    for (s.length = 1; goes_on && s.length <= in->longest && s.length < STATEMENT_MOST; s.length++)
        goes_on = monotone_visit(&s, 0);
    subsets_free(s.sets);
    return s.out;
}
