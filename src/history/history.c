// SPDX-License-Identifier: Apache-2.0
// Histories: see history.h. Every question takes one pass over the events, with a little state per client.
#include "history/history.h"

enum { NONE = UINT32_MAX };

void history_begin(history *h) {
    *h = (history){.clients = map_new(), .addresses = map_new(), .values = map_new()};
    h->common = history_intern(h->values, "0", 1);
}

void history_free(history *h) {
    vec_free(&h->events);
    vec_free(&h->initial);
    map_free(h->clients);
    map_free(h->addresses);
    map_free(h->values);
}

uint32_t history_intern(map *names, const char *name, size_t size) {
    return map_intern(names, name, size, map_count(names));
}

uint32_t history_initial(const history *h, uint32_t address) {
    bool own = address < h->initial.len && h->initial.data[address];
    return own ? h->initial.data[address] - 1 : h->common;
}

void history_set_initial(history *h, uint32_t address, uint32_t value) {
    while (h->initial.len <= address) vec_push(&h->initial, 0);
    h->initial.data[address] = value + 1;
}

static span history_span(const history *h, const event *e) { return (span){h->file, e->begin, e->end}; }

static void history_add_name(const map *names, uint32_t index, str *out) {
    size_t size;
    const char *name = map_key(names, index, &size);
    str_addn(out, name, size);
}

void history_event_text(const history *h, const event *e, str *out) {
    str_printf(out, "%s(", event_kind_name(e->kind));
    history_add_name(h->clients, e->client, out);
    if (event_is_access(e->kind)) {
        str_char(out, ',');
        history_add_name(h->addresses, e->address, out);
        str_char(out, ',');
        history_add_name(h->values, e->value, out);
    }
    str_char(out, ')');
}

void history_event_place(const history *h, const diag *messages, const event *e, str *out) {
    uint32_t line, column;
    history_event_text(h, e, out);
    if (e->end == 0) return;
    diag_place(messages, history_span(h, e), &line, &column);
    str_printf(out, " (line %u)", line);
}

// ---- what the client's transaction has written: (client, address) to an event of its, by epoch

typedef struct {
    map *last;         // (client, address) to the index of the last write
    uint32_t *opened;  // by client: where its transaction began; NONE: it has none
} writes;

static writes writes_new(const history *h) {
    writes w = {.last = map_new(), .opened = mem_alloc((map_count(h->clients) + 1) * sizeof(uint32_t))};
    for (uint32_t c = 0; c < map_count(h->clients); c++) w.opened[c] = NONE;
    return w;
}

static void writes_free(writes *w) {
    map_free(w->last);
    free(w->opened);
}

static void writes_add(writes *w, const event *e, uint32_t i) {
    const uint32_t key[] = {e->client, e->address};
    map_put(w->last, key, sizeof key, i);
}

// The client's own last write of the event's address in its transaction; NONE: there is none.
static uint32_t writes_own(const writes *w, const event *e) {
    const uint32_t key[] = {e->client, e->address};
    uint32_t i = map_get(w->last, key, sizeof key, NONE);
    return i != NONE && w->opened[e->client] != NONE && i > w->opened[e->client] ? i : NONE;
}

// ---- well-formed

static bool say_event(history_answer *a, const history *h, const diag *messages, const event *e, const char *what) {
    a->holds = false;
    history_event_place(h, messages, e, &a->why);
    str_add(&a->why, what);
    return false;
}

static bool history_fits(const history *h, const diag *messages, writes *w, const event *e, history_answer *a) {
    bool is_open = w->opened[e->client] != NONE;
    if (e->kind == EVENT_OPEN && is_open) return say_event(a, h, messages, e, ": the client has a transaction already");
    if (event_is_outside(e->kind) && is_open)
        return say_event(a, h, messages, e, ": an access outside transactions while the client has one");
    if (e->kind != EVENT_OPEN && !event_is_outside(e->kind) && !is_open)
        return say_event(a, h, messages, e, ": the client has no transaction");
    uint32_t own = e->kind == EVENT_READ ? writes_own(w, e) : NONE;
    if (own == NONE || h->events.data[own].value == e->value) return true;
    say_event(a, h, messages, e, ": its transaction wrote another value before, ");
    history_event_place(h, messages, &h->events.data[own], &a->why);
    return false;
}

static void history_follow(writes *w, const event *e, uint32_t i, history_counts *counts) {
    counts->outside += event_is_outside(e->kind);
    counts->committed += e->kind == EVENT_COMMIT;
    counts->aborted += e->kind == EVENT_ABORT;
    if (e->kind == EVENT_WRITE) writes_add(w, e, i);
    if (e->kind == EVENT_OPEN) w->opened[e->client] = i;
    if (event_is_close(e->kind)) w->opened[e->client] = NONE;
}

history_answer history_is_well_formed(const history *h, const diag *messages, history_counts *counts) {
    history_answer a = {.holds = true};
    writes w = writes_new(h);
    *counts = (history_counts){0};
    for (uint32_t i = 0; a.holds && i < h->events.len; i++)
        if (history_fits(h, messages, &w, &h->events.data[i], &a)) history_follow(&w, &h->events.data[i], i, counts);
    for (uint32_t c = 0; c < map_count(h->clients); c++) counts->unfinished += w.opened[c] != NONE;
    writes_free(&w);
    return a;
}

// ---- atomic

typedef struct {
    const history *h;
    const diag *messages;
    uint32_t *memory;          // by address: what was committed
    uint32_t *current;         // the same as the transaction that runs sees it
    VEC(uint32_t) pending;     // addresses that it wrote
    uint32_t running, opened;  // its client or NONE, its first event
} serial_run;

static bool serial_read(serial_run *r, const event *e, history_answer *a) {
    uint32_t value = r->current[e->address];
    if (value == e->value) return true;
    say_event(a, r->h, r->messages, e, ": the value there is ");
    history_add_name(r->h->values, value, &a->why);
    return false;
}

static void serial_close(serial_run *r, bool commits) {
    for (uint32_t i = 0; i < r->pending.len; i++) {
        uint32_t *from = commits ? r->current : r->memory, *to = commits ? r->memory : r->current;
        to[r->pending.data[i]] = from[r->pending.data[i]];
    }
    vec_clear(&r->pending);
    r->running = NONE;
}

static bool serial_step(serial_run *r, uint32_t i, history_answer *a) {
    const event *e = &r->h->events.data[i];
    if (r->running != NONE && r->running != e->client) {
        say_event(a, r->h, r->messages, e, " comes inside the transaction of ");
        history_event_place(r->h, r->messages, &r->h->events.data[r->opened], &a->why);
        return false;
    }
    if (event_is_read(e->kind) && !serial_read(r, e, a)) return false;
    if (e->kind == EVENT_OPEN) r->running = e->client, r->opened = i;
    if (event_is_write(e->kind)) {
        r->current[e->address] = e->value;
        vec_push(&r->pending, e->address);
    }
    if (event_is_close(e->kind) || event_is_outside(e->kind)) serial_close(r, e->kind != EVENT_ABORT);
    return true;
}

history_answer history_is_atomic(const history *h, const diag *messages) {
    history_answer a = {.holds = true};
    uint32_t n = map_count(h->addresses);
    serial_run r = {.h = h, .messages = messages, .running = NONE};
    r.memory = mem_alloc((n + 1) * sizeof *r.memory);
    r.current = mem_alloc((n + 1) * sizeof *r.current);
    for (uint32_t x = 0; x < n; x++) r.memory[x] = r.current[x] = history_initial(h, x);
    for (uint32_t i = 0; a.holds && i < h->events.len; i++) a.holds = serial_step(&r, i, &a);
    free(r.memory);
    free(r.current);
    vec_free(&r.pending);
    return a;
}

// ---- purified

// ranks[i]: of event i's transaction, NONE when it does not commit. Events are visited from the end, so a
// client's close is met before the events it closes.
static uint32_t *rank_events(const history *h, uint32_t *transactions) {
    uint32_t n = h->events.len, *ranks = mem_alloc((n + 1) * sizeof *ranks);
    uint32_t *current = mem_alloc((map_count(h->clients) + 1) * sizeof *current), total = 0;
    for (uint32_t c = 0; c < map_count(h->clients); c++) current[c] = NONE;
    for (uint32_t i = 0; i < n; i++)
        total += h->events.data[i].kind == EVENT_COMMIT || event_is_outside(h->events.data[i].kind);
    *transactions = total;
    for (uint32_t i = n; i-- > 0;) {
        const event *e = &h->events.data[i];
        if (e->kind == EVENT_COMMIT) current[e->client] = --total;
        if (e->kind == EVENT_ABORT) current[e->client] = NONE;
        ranks[i] = event_is_outside(e->kind) ? --total : current[e->client];
        if (e->kind == EVENT_OPEN) current[e->client] = NONE;
    }
    free(current);
    return ranks;
}

static void add_outside(purified *out, event e, uint32_t rank) {
    event access = e, open = e, commit = e;
    access.kind = e.kind == EVENT_NT_READ ? EVENT_READ : EVENT_WRITE;
    open.kind = EVENT_OPEN;
    commit.kind = EVENT_COMMIT;
    vec_push(&out->events, (pure_event){open, rank});
    vec_push(&out->events, (pure_event){access, rank});
    vec_push(&out->events, (pure_event){commit, rank});
}

void history_purify(const history *h, purified *out) {
    *out = (purified){0};
    uint32_t *ranks = rank_events(h, &out->transactions);
    history_counts counts = {0};
    writes w = writes_new(h);
    vec_reserve(&out->events, h->events.len + 1);
    for (uint32_t i = 0; i < h->events.len; i++) {
        event e = h->events.data[i];
        history_follow(&w, &e, i, &counts);
        if (ranks[i] == NONE || (e.kind == EVENT_READ && writes_own(&w, &e) != NONE)) continue;
        if (event_is_outside(e.kind)) add_outside(out, e, ranks[i]);
        else vec_push(&out->events, (pure_event){e, ranks[i]});
    }
    writes_free(&w);
    free(ranks);
}
