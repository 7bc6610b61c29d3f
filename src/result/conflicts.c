// SPDX-License-Identifier: Apache-2.0
// The order of transactions: see conflicts.h. Every pair of statements is looked at once. A specification accepted the
// word up to the last step, so a cycle goes through the transaction of that step: one search, breadth first, finds a
// shortest one, first among committed transactions, then among all.
#include "result/conflicts.h"

#include <string.h>

typedef struct {
    trace_statement is;
    uint32_t step;         // of the trace
    uint32_t transaction;  // its number
    bool is_global;        // a read of what its own transaction has not written
} statement_at;

typedef struct {
    const trace *t;
    conflicts *out;
    VEC(statement_at) word;
    uint32_t *number;  // [from * transactions + to]: 1 + the edge, 0: none
} finding;

const char *conflict_kind_text(conflict_kind k) {
    static const char *const texts[] = {"read before commit", "commit before read", "commit before commit",
                                        "finished before"};
    return texts[k];
}

// ---- transactions

static bool take_statements(finding *f) {
    for (uint32_t i = 0; i < f->t->steps.len; i++) {
        const trace_step *st = &f->t->steps.data[i];
        statement_at s = {.step = i};
        if (!rule_of(f->t->in->m, st->r)->is_visible) continue;
        if (!trace_statement_of(f->t->in, st->r, st->args, &s.is) || f->word.len == CONFLICTS_LONGEST) return false;
        vec_push(&f->word, s);
    }
    return f->word.len > 0;
}

static uint32_t running_of(const conflicts *c, value thread) {
    for (uint32_t i = c->transactions.len; i-- > 0;)
        if (c->transactions.data[i].thread == thread)
            return c->transactions.data[i].end == TRANSACTION_RUNNING ? i : UINT32_MAX;
    return UINT32_MAX;
}

// Has transaction x written the location, in statements before `end`?
static bool conflicts_writes(const finding *f, uint32_t x, value location, uint32_t end) {
    for (uint32_t i = 0; i < end; i++) {
        const statement_at *s = &f->word.data[i];
        if (s->transaction == x && s->is.kind == ROLE_WRITE && s->is.location == location) return true;
    }
    return false;
}

static void split_word(finding *f) {
    for (uint32_t i = 0; i < f->word.len; i++) {
        statement_at *s = &f->word.data[i];
        s->transaction = running_of(f->out, s->is.thread);
        if (s->transaction == UINT32_MAX) {
            s->transaction = f->out->transactions.len;
            vec_push(&f->out->transactions, (conflicts_transaction){.thread = s->is.thread, .first = s->step});
        }
        conflicts_transaction *x = &f->out->transactions.data[s->transaction];
        x->last = s->step;
        if (s->is.kind == ROLE_COMMIT) x->end = TRANSACTION_COMMITTED;
        if (s->is.kind == ROLE_ABORT) x->end = TRANSACTION_ABORTED;
        s->is_global = s->is.kind == ROLE_READ && !conflicts_writes(f, s->transaction, s->is.location, i);
    }
}

static uint32_t transactions_of(const conflicts *c, value thread, uint32_t end) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < end; i++) n += c->transactions.data[i].thread == thread;
    return n;
}

static void name_transactions(finding *f) {
    conflicts *c = f->out;
    for (uint32_t i = 0; i < c->transactions.len; i++) {
        conflicts_transaction *x = &c->transactions.data[i];
        bool is_only = transactions_of(c, x->thread, c->transactions.len) == 1;
        str thread = {0};
        instance_value_text(f->t->in, c->thread_type, x->thread, &thread);
        x->name = is_only ? arena_printf(c->memory, "T%s", str_get(&thread))
                          : arena_printf(c->memory, "T%s.%u", str_get(&thread), transactions_of(c, x->thread, i) + 1);
        str_free(&thread);
    }
}

// ---- edges

static const char *element_text(finding *f, type ty, value v) {
    str number = {0};
    instance_value_text(f->t->in, ty, v, &number);
    const char *sort = type_of(f->t->in->m, ty)->name;
    const char *text = arena_printf(f->out->memory, "%s%s%s", sort, *sort ? " " : "", str_get(&number));
    str_free(&number);
    return text;
}

static const char *edge_text(finding *f, conflict_kind kind, uint32_t from, uint32_t to, const statement_at *at) {
    const char *x = f->out->transactions.data[from].name, *y = f->out->transactions.data[to].name;
    arena *memory = f->out->memory;
    const char *what = at ? element_text(f, at->is.location_type, at->is.location) : "";
    switch (kind) {
    case CONFLICT_READ_COMMIT:
        return arena_printf(memory, "%s read %s before %s committed its write of it", x, what, y);
    case CONFLICT_COMMIT_READ:
        return arena_printf(memory, "%s read %s after %s had committed its write of it", y, what, x);
    case CONFLICT_COMMIT_COMMIT:
        return arena_printf(memory, "%s committed its write of %s before %s committed its own", x, what, y);
    case CONFLICT_TIME: return arena_printf(memory, "%s was finished before %s began", x, y);
    }
    return "";
}

static uint32_t *edge_between(const finding *f, uint32_t from, uint32_t to) {
    return &f->number[from * f->out->transactions.len + to];
}

static uint32_t put_edge(finding *f, conflict_kind kind, uint32_t i, uint32_t j, const statement_at *at) {
    const statement_at *a = &f->word.data[i], *b = &f->word.data[j];
    vec_push(&f->out->edges, (conflicts_edge){.from = a->transaction,
                                              .to = b->transaction,
                                              .kind = kind,
                                              .first = a->step,
                                              .last = b->step,
                                              .text = edge_text(f, kind, a->transaction, b->transaction, at)});
    *edge_between(f, a->transaction, b->transaction) = f->out->edges.len;
    return f->out->edges.len - 1;
}

static bool commits_write(const finding *f, uint32_t commit, value location) {
    const statement_at *c = &f->word.data[commit];
    return c->is.kind == ROLE_COMMIT && conflicts_writes(f, c->transaction, location, commit);
}

// A write of i's transaction of a location that j's writes too; NULL: there is none.
static const statement_at *common_write(const finding *f, uint32_t i, uint32_t j) {
    for (uint32_t k = 0; k < i; k++) {
        const statement_at *s = &f->word.data[k];
        if (s->transaction == f->word.data[i].transaction && s->is.kind == ROLE_WRITE &&
            conflicts_writes(f, f->word.data[j].transaction, s->is.location, j))
            return s;
    }
    return NULL;
}

// The conflict of the statements i < j, if they conflict; `at` is the access that says of what.
static bool conflict_of(const finding *f, uint32_t i, uint32_t j, conflict_kind *kind, const statement_at **at) {
    const statement_at *a = &f->word.data[i], *b = &f->word.data[j];
    *at = a->is_global && commits_write(f, j, a->is.location) ? a : NULL;
    *kind = CONFLICT_READ_COMMIT;
    if (*at) return true;
    *at = b->is_global && commits_write(f, i, b->is.location) ? b : NULL;
    *kind = CONFLICT_COMMIT_READ;
    if (*at) return true;
    bool both = a->is.kind == ROLE_COMMIT && b->is.kind == ROLE_COMMIT;
    *at = both ? common_write(f, i, j) : NULL;
    *kind = CONFLICT_COMMIT_COMMIT;
    return *at != NULL;
}

static void add_conflict_edges(finding *f) {
    for (uint32_t i = 0; i < f->word.len; i++)
        for (uint32_t j = i + 1; j < f->word.len; j++) {
            uint32_t x = f->word.data[i].transaction, y = f->word.data[j].transaction;
            bool may = x != y && (f->word.data[i].is_global || f->word.data[i].is.kind == ROLE_COMMIT);
            conflict_kind kind;
            const statement_at *at;
            if (may && !*edge_between(f, x, y) && conflict_of(f, i, j, &kind, &at)) put_edge(f, kind, i, j, at);
        }
}

static bool conflicts_is_before(const conflicts *c, uint32_t x, uint32_t y) {
    const conflicts_transaction *a = &c->transactions.data[x], *b = &c->transactions.data[y];
    return a->end != TRANSACTION_RUNNING && a->last < b->first;
}

// ---- the cycle

static bool is_edge(const finding *f, uint32_t x, uint32_t y) {
    return *edge_between(f, x, y) || conflicts_is_before(f->out, x, y);
}

static bool may_be_on(const conflicts *c, uint32_t x, bool committed_only) {
    return !committed_only || c->transactions.data[x].end == TRANSACTION_COMMITTED;
}

// Breadth first from `begin` back to it; `from` says who was there before.
static bool search_cycle(const finding *f, uint32_t begin, bool committed_only, uint32_t *from) {
    const conflicts *c = f->out;
    uint32_t n = c->transactions.len, *queue = mem_zero(n + 1, sizeof *queue), last = 1;
    bool is_found = false;
    for (uint32_t x = 0; x < n; x++) from[x] = UINT32_MAX;
    queue[0] = begin;
    for (uint32_t head = 0; head < last && !is_found; head++)
        for (uint32_t y = 0; y < n && !is_found; y++) {
            if (from[y] != UINT32_MAX || !may_be_on(c, y, committed_only) || !is_edge(f, queue[head], y)) continue;
            from[y] = queue[head];
            is_found = y == begin;
            if (!is_found) queue[last++] = y;
        }
    free(queue);
    return is_found;
}

static uint32_t statement_position(const finding *f, uint32_t step) {
    for (uint32_t i = 0; i < f->word.len; i++)
        if (f->word.data[i].step == step) return i;
    return 0;
}

static uint32_t edge_number(finding *f, uint32_t x, uint32_t y) {
    uint32_t known = *edge_between(f, x, y);
    if (known) return known - 1;
    return put_edge(f, CONFLICT_TIME, statement_position(f, f->out->transactions.data[x].last),
                    statement_position(f, f->out->transactions.data[y].first), NULL);
}

// From the end back to the beginning, then turned round; it begins with the transaction that began first.
static void keep_cycle(finding *f, uint32_t begin, const uint32_t *from) {
    VEC(uint32_t) nodes = {0};
    uint32_t first = 0;
    for (uint32_t x = from[begin];; x = from[x]) {
        vec_push(&nodes, x);
        if (x == begin) break;
    }
    for (uint32_t i = 0; i < nodes.len; i++)
        if (nodes.data[i] < nodes.data[first]) first = i;
    for (uint32_t i = 0; i < nodes.len; i++) {
        uint32_t here = (first + nodes.len - i) % nodes.len, next = (here + nodes.len - 1) % nodes.len;
        uint32_t edge = edge_number(f, nodes.data[here], nodes.data[next]);
        vec_push(&f->out->cycle, edge);
    }
    vec_free(&nodes);
}

static void write_sentence(conflicts *c) {
    str text = {0};
    for (uint32_t i = 0; i < c->cycle.len; i++)
        str_printf(&text, "%s%s",
                   i == 0                  ? ""
                   : i + 1 == c->cycle.len ? ", and "
                                           : ", ",
                   c->edges.data[c->cycle.data[i]].text);
    str_add(&text, ": ");
    for (uint32_t i = 0; i < c->cycle.len; i++)
        str_printf(&text, "%s \xe2\x86\x92 ", c->transactions.data[c->edges.data[c->cycle.data[i]].from].name);
    str_add(&text, c->transactions.data[c->edges.data[c->cycle.data[0]].from].name);
    c->sentence = arena_str(c->memory, str_get(&text));
    str_free(&text);
}

static bool find_refused_cycle(finding *f) {
    conflicts *c = f->out;
    uint32_t *from = mem_zero(c->transactions.len + 1, sizeof *from);
    uint32_t begin = vec_last(&f->word).transaction;
    c->is_of_committed = may_be_on(c, begin, true) && search_cycle(f, begin, true, from);
    bool is_found = c->is_of_committed || search_cycle(f, begin, false, from);
    if (is_found) keep_cycle(f, begin, from);
    if (is_found) write_sentence(c);
    free(from);
    return is_found;
}

conflicts *conflicts_find(const trace *t) {
    finding f = {.t = t, .out = mem_zero(1, sizeof *f.out)};
    f.out->memory = arena_new();
    bool is_found = t->loop == UINT32_MAX && take_statements(&f);
    if (is_found) {
        f.out->thread_type = f.word.data[0].is.thread_type;
        split_word(&f);
        name_transactions(&f);
        f.number = mem_zero((size_t)f.out->transactions.len * f.out->transactions.len, sizeof *f.number);
        add_conflict_edges(&f);
        is_found = find_refused_cycle(&f);
    }
    vec_free(&f.word);
    free(f.number);
    if (is_found) return f.out;
    conflicts_free(f.out);
    return NULL;
}

void conflicts_free(conflicts *c) {
    if (!c) return;
    vec_free(&c->transactions);
    vec_free(&c->edges);
    vec_free(&c->cycle);
    arena_free(c->memory);
    free(c);
}
