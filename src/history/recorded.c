// SPDX-License-Identifier: Apache-2.0
// Recorded histories: see recorded.h. Operations of transactions that overlap come interleaved; each open transaction
// has a buffer, which is moved to the history in one piece when the transaction is closed.
#include "history/recorded.h"

#include "base/order.h"

#include <inttypes.h>
#include <string.h>

void recorded_begin(recorded *h) {
    *h = (recorded){.has_times = true};
    h->common = names_number(&h->values, 0);
    vec_push(&h->links, (recorded_link){0, 0});
}

void recorded_free(recorded *h) {
    names_free(&h->sessions);
    names_free(&h->keys);
    names_free(&h->values);
    vec_free(&h->txs);
    vec_free(&h->op_key);
    vec_free(&h->op_value);
    vec_free(&h->op_place);
    vec_free(&h->op_call);
    vec_free(&h->op_answer);
    vec_free(&h->initial);
    vec_free(&h->links);
    vec_free(&h->files);
}

recorded_op recorded_get(const recorded *h, uint32_t op) {
    recorded_op o = {recorded_kind(h, op), recorded_key(h, op), h->op_value.data[op], .place = h->op_place.data[op]};
    if (h->has_times) o.call = h->op_call.data[op], o.answer = h->op_answer.data[op];
    return o;
}

uint32_t recorded_initial(const recorded *h, uint32_t key) {
    bool own = key < h->initial.len && h->initial.data[key];
    return own ? h->initial.data[key] - 1 : h->common;
}

void recorded_list_elements(const recorded *h, uint32_t list, uint32_t **elements, uint32_t *count) {
    uint32_t n = 0;
    for (uint32_t i = list; i; i = h->links.data[i].before) n++;
    *elements = mem_alloc(((size_t)n + 1) * sizeof **elements);
    *count = n;
    for (uint32_t i = list; i; i = h->links.data[i].before) (*elements)[--n] = h->links.data[i].element;
}

// ---- filling it

typedef struct {
    uint32_t tx;  // index of txs
    VEC(recorded_op) ops;
} open_tx;

struct recording {
    recorded *h;
    diag *messages;
    VEC(open_tx) open;          // by recording_tx
    VEC(uint32_t) unused;       // of these
    VEC(uint32_t) current;      // by session: recording_tx + 1
    map *lists;                 // (list, element) to the longer list
    uint64_t ticks;             // of files without times
    recording_times_kind kind;  // of the last file, if has_kind
    bool has_kind, has_failed, is_over;
    recording_closed closed;  // NULL: nobody watches
    void *watcher;
};

recording *recording_begin(recorded *h, diag *messages) {
    recording *r = mem_zero(1, sizeof *r);
    r->h = h;
    r->messages = messages;
    return r;
}

void recording_file(recording *r, const char *path, const char *text, size_t size, bool is_binary) {
    // Who watches has no use for messages: the text is not even looked at for its lines.
    uint32_t file = is_binary || r->closed ? 0 : diag_add_file(r->messages, path, text, size);
    vec_push(&r->h->files, (recorded_file){path, file});
}

diag *recording_messages(recording *r) { return r->messages; }

static bool recording_say(recording *r, uint32_t index, size_t place, size_t end, const char *text) {
    r->has_failed = true;
    bool is_there = index < r->h->files.len;
    const recorded_file *f = is_there ? &r->h->files.data[index] : NULL;
    if (f && f->file) return diag_error(r->messages, (span){f->file, (uint32_t)place, (uint32_t)end}, "%s", text);
    str path = {0};
    if (f) str_add_visible(&path, f->path, strlen(f->path));
    if (f) diag_error(r->messages, (span){0}, "%s: byte %zu: %s", str_get(&path), place, text);
    else diag_error(r->messages, (span){0}, "%s", text);
    str_free(&path);
    return false;
}

bool recording_wrong(recording *r, size_t place, size_t end, const char *format, ...) {
    va_list args;
    arena *memory = arena_new();
    va_start(args, format);
    recording_say(r, r->h->files.len - 1, place, end, arena_vprintf(memory, format, args));
    va_end(args);
    arena_free(memory);
    return false;
}

uint32_t recording_session(recording *r, const char *n, size_t size) { return names_text(&r->h->sessions, n, size); }
uint32_t recording_key(recording *r, const char *n, size_t size) { return names_text(&r->h->keys, n, size); }
uint32_t recording_value(recording *r, const char *n, size_t size) { return names_text(&r->h->values, n, size); }
uint32_t recording_session_number(recording *r, uint64_t number) { return names_number(&r->h->sessions, number); }
uint32_t recording_key_number(recording *r, uint64_t number) { return names_number(&r->h->keys, number); }
uint32_t recording_value_number(recording *r, uint64_t number) { return names_number(&r->h->values, number); }

names *recording_sessions(recording *r) { return &r->h->sessions; }
names *recording_keys(recording *r) { return &r->h->keys; }
names *recording_values(recording *r) { return &r->h->values; }

uint32_t recording_list(recording *r, uint32_t list, uint32_t element) {
    const uint32_t key[] = {list, element};
    if (!r->lists) r->lists = map_new();
    uint32_t n = r->h->links.len, found = map_intern(r->lists, key, sizeof key, n);
    if (found == n) vec_push(&r->h->links, (recorded_link){list, element});
    return found;
}

bool recording_initial(recording *r, uint32_t key, uint32_t value) {
    while (r->h->initial.len <= key) vec_push(&r->h->initial, 0);
    uint32_t before = r->h->initial.data[key];
    r->h->initial.data[key] = value + 1;
    return !before || before == value + 1;
}

void recording_initial_of_all(recording *r, uint32_t value) { r->h->common = value; }

bool recording_times(recording *r, recording_times_kind kind) {
    bool is_first = !r->has_kind, is_mixed = !is_first && (kind == TIMES_GIVEN) != (r->kind == TIMES_GIVEN);
    if (kind == TIMES_NONE || (!is_first && kind == TIMES_INSTANTS)) r->h->has_times = false;
    if (is_mixed && kind != TIMES_NONE && r->kind != TIMES_NONE)
        return recording_wrong(r, 0, 1, "some of the files have times and some have none");
    r->has_kind = true;
    r->kind = kind;
    return true;
}

uint64_t recording_tick(recording *r) { return ++r->ticks; }

static recording_tx recording_slot(recording *r) {
    if (r->unused.len) return vec_pop(&r->unused);
    vec_push(&r->open, (open_tx){0});
    return r->open.len - 1;
}

recording_tx recording_open(recording *r, uint32_t session, uint64_t call, size_t place) {
    recording_tx t = recording_slot(r);
    r->open.data[t].tx = r->h->txs.len;
    vec_push(&r->h->txs, (recorded_tx){.session = session,
                                       .place = (uint32_t)place,
                                       .file = r->h->files.len ? r->h->files.len - 1 : 0,
                                       .outcome = TX_LIVE,
                                       .begins = call,
                                       .commits = RECORDED_NEVER,
                                       .ends = RECORDED_NEVER});
    while (r->current.len <= session) vec_push(&r->current, 0);
    r->current.data[session] = t + 1;
    r->h->events++;
    return t;
}

recording_tx recording_current(const recording *r, uint32_t session) {
    uint32_t t = session < r->current.len ? r->current.data[session] : 0;
    return t ? t - 1 : RECORDING_NONE;
}

static recorded_tx *recording_of(recording *r, recording_tx t) { return &r->h->txs.data[r->open.data[t].tx]; }

void recording_op(recording *r, recording_tx t, op_kind kind, uint32_t key, uint32_t value, uint64_t call,
                  uint64_t answer, size_t place) {
    if (key >> RECORDED_KEY_BITS) recording_wrong(r, place, place, "there are more than 2^30 keys");
    if (call > answer) recording_wrong(r, place, place + 1, "this answer came before its call");
    vec_push(&r->open.data[t].ops, (recorded_op){kind, key, value, call, answer, (uint32_t)place});
    r->h->events++;
}

void recording_commit_called(recording *r, recording_tx t, uint64_t call) {
    recorded_tx *x = recording_of(r, t);
    x->commits = call;
    if (x->outcome == TX_LIVE) x->outcome = TX_PENDING;
    r->h->events++;
}

bool recording_was_called(const recording *r, recording_tx t) {
    return r->h->txs.data[r->open.data[t].tx].outcome == TX_PENDING;
}

// Moves its operations to the history.
static void recording_flush(recording *r, recording_tx t) {
    open_tx *o = &r->open.data[t];
    recorded *h = r->h;
    recorded_tx *x = &h->txs.data[o->tx];
    x->first = h->op_key.len;
    x->count = o->ops.len;
    for (uint32_t i = 0; i < o->ops.len; i++) {
        const recorded_op *p = &o->ops.data[i];
        vec_push(&h->op_key, p->key | (uint32_t)p->kind << RECORDED_KEY_BITS);
        vec_push(&h->op_value, p->value);
        vec_push(&h->op_place, p->place);
        if (h->has_times) vec_push(&h->op_call, p->call);
        if (h->has_times) vec_push(&h->op_answer, p->answer);
    }
    vec_clear(&o->ops);
}

static void recording_close(recording *r, recording_tx t) {
    recording_flush(r, t);
    uint32_t session = recording_of(r, t)->session;
    r->current.data[session] = 0;
    vec_push(&r->unused, t);
    uint32_t tx = r->open.data[t].tx;
    r->open.data[t].tx = UINT32_MAX;
    if (r->closed && !r->is_over) r->is_over = !r->closed(r->watcher, tx);
}

void recording_committed(recording *r, recording_tx t, uint64_t call, uint64_t answer) {
    recorded_tx *x = recording_of(r, t);
    r->h->events += x->outcome == TX_LIVE;
    if (x->outcome == TX_LIVE) x->commits = call;
    x->outcome = TX_COMMITTED;
    x->ends = answer;
    recording_close(r, t);
}

void recording_aborted(recording *r, recording_tx t, uint64_t answer) {
    recorded_tx *x = recording_of(r, t);
    r->h->events += x->outcome == TX_LIVE;
    x->outcome = TX_ABORTED;
    x->ends = answer;
    recording_close(r, t);
}

void recording_left(recording *r, recording_tx t) { recording_close(r, t); }

// ---- watching

void recording_watch(recording *r, recording_closed closed, void *context) {
    r->closed = closed;
    r->watcher = context;
}

bool recording_is_over(const recording *r) { return r->is_over; }

bool recording_has_failed(const recording *r) { return r->has_failed; }

uint64_t recording_earliest(const recording *r) {
    uint64_t earliest = RECORDED_NEVER;
    for (uint32_t i = 0; i < r->open.len; i++) {
        if (r->open.data[i].tx == UINT32_MAX) continue;
        uint64_t begins = r->h->txs.data[r->open.data[i].tx].begins;
        if (begins < earliest) earliest = begins;
    }
    return earliest;
}

uint32_t recording_renamed(recording *r, const names *old, uint32_t value) {
    uint64_t number;
    if (names_is_number(old, value, &number)) return names_number(&r->h->values, number);
    str text = {0};
    names_add(old, value, &text);
    uint32_t renamed = names_text(&r->h->values, str_get(&text), text.len);
    str_free(&text);
    return renamed;
}

static void recording_shrink_ops(recording *r, recorded_tx *x, const names *old, uint32_t *at) {
    recorded *h = r->h;
    uint32_t from = x->first;
    x->first = *at;
    for (uint32_t i = 0; i < x->count; i++, ++*at) {
        h->op_key.data[*at] = h->op_key.data[from + i];
        h->op_value.data[*at] = recording_renamed(r, old, h->op_value.data[from + i]);
        h->op_place.data[*at] = h->op_place.data[from + i];
        if (!h->has_times) continue;
        h->op_call.data[*at] = h->op_call.data[from + i];
        h->op_answer.data[*at] = h->op_answer.data[from + i];
    }
}

static void shrink_open(recording *r, const uint32_t *to, const names *old) {
    for (uint32_t i = 0; i < r->open.len; i++) {
        open_tx *o = &r->open.data[i];
        if (o->tx == UINT32_MAX) continue;
        o->tx = to[o->tx];
        for (uint32_t k = 0; k < o->ops.len; k++)
            o->ops.data[k].value = recording_renamed(r, old, o->ops.data[k].value);
    }
}

static void shrink_initial(recording *r, const names *old) {
    recorded *h = r->h;
    h->common = recording_renamed(r, old, h->common);
    for (uint32_t k = 0; k < h->initial.len; k++)
        if (h->initial.data[k]) h->initial.data[k] = recording_renamed(r, old, h->initial.data[k] - 1) + 1;
}

// Operations are in the order in which transactions were closed, which is not that of transactions: kept ones move
// forward in their own order.
static uint32_t *txs_by_first_op(const recorded *h) {
    uint32_t n = h->txs.len;
    uint64_t *keys = mem_alloc(((size_t)n + 1) * sizeof *keys);
    uint32_t *order = mem_alloc(((size_t)n + 1) * sizeof *order);
    for (uint32_t i = 0; i < n; i++) keys[i] = (uint64_t)h->txs.data[i].first << 32 | i;
    if (n) qsort(keys, n, sizeof *keys, order_u64);
    for (uint32_t i = 0; i < n; i++) order[i] = (uint32_t)keys[i];
    free(keys);
    return order;
}

names recording_shrink(recording *r, const uint8_t *keep, uint32_t *to) {
    recorded *h = r->h;
    names old = h->values;
    uint32_t n = h->txs.len, at = 0, kept = 0, *order = txs_by_first_op(h);
    uint8_t *stays = mem_zero((size_t)n + 1, 1);
    h->values = (names){0};
    for (uint32_t i = 0; i < n; i++) stays[i] = keep[i];
    for (uint32_t i = 0; i < r->open.len; i++)
        if (r->open.data[i].tx != UINT32_MAX) stays[r->open.data[i].tx] = 1;
    for (uint32_t i = 0; i < n; i++)
        if (stays[order[i]]) recording_shrink_ops(r, &h->txs.data[order[i]], &old, &at);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = kept;
        if (stays[i]) h->txs.data[kept++] = h->txs.data[i];
    }
    h->txs.len = kept;
    h->op_key.len = h->op_value.len = h->op_place.len = at;
    if (h->has_times) h->op_call.len = h->op_answer.len = at;
    shrink_open(r, to, &old);
    shrink_initial(r, &old);
    free(order);
    free(stays);
    return old;
}

// ---- what must be true in the end

static bool tx_says(recording *r, const recorded_tx *x, const char *text) {
    return recording_say(r, x->file, x->place, x->place + 1, text);
}

static bool tx_has_times_in_order(recording *r, const recorded_tx *x) {
    if (x->ends < x->begins || (x->commits != RECORDED_NEVER && (x->commits < x->begins || x->commits > x->ends)))
        return tx_says(r, x, "the times of this transaction run backwards");
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        if (r->h->op_call.data[i] >= x->begins && r->h->op_answer.data[i] <= x->ends) continue;
        return recording_say(r, x->file, r->h->op_place.data[i], r->h->op_place.data[i] + 1,
                             "this operation is not between the beginning and the end of its transaction");
    }
    return true;
}

bool recording_check_times(recording *r, uint32_t tx) { return tx_has_times_in_order(r, &r->h->txs.data[tx]); }

typedef struct {
    uint64_t time;
    uint32_t tx;
} tx_at;

static int compare_tx_at(const void *a, const void *b) {
    const tx_at *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->tx > y->tx) - (x->tx < y->tx);
}

static bool is_sorted_by_time(const recorded *h) {
    for (uint32_t i = 1; i < h->txs.len; i++)
        if (h->txs.data[i].begins < h->txs.data[i - 1].begins) return false;
    return true;
}

// By the time of the first call; of equal times, as they were read.
static void sort_by_time(recorded *h) {
    uint32_t n = h->txs.len;
    if (is_sorted_by_time(h)) return;
    tx_at *order = mem_alloc(n * sizeof *order);
    recorded_tx *sorted = mem_alloc(n * sizeof *sorted);
    for (uint32_t i = 0; i < n; i++) order[i] = (tx_at){h->txs.data[i].begins, i};
    qsort(order, n, sizeof *order, compare_tx_at);
    for (uint32_t i = 0; i < n; i++) sorted[i] = h->txs.data[order[i].tx];
    memcpy(h->txs.data, sorted, n * sizeof *sorted);
    free(sorted);
    free(order);
}

static bool check_sessions(recording *r) {
    const recorded *h = r->h;
    uint32_t n = names_count(&h->sessions), *last = mem_zero((size_t)n + 1, sizeof *last);
    bool good = true;
    for (uint32_t i = 0; good && i < h->txs.len; i++) {
        const recorded_tx *x = &h->txs.data[i], *p = last[x->session] ? &h->txs.data[last[x->session] - 1] : NULL;
        if (p && p->ends != RECORDED_NEVER && p->ends > x->begins)
            good = tx_says(r, x, "this transaction began before the one before it of its session had ended");
        last[x->session] = i + 1;
    }
    free(last);
    return good;
}

static bool check_kinds(recording *r) {
    const recorded *h = r->h;
    uint8_t *seen = mem_zero((size_t)names_count(&h->keys) + 1, 1);
    bool good = true;
    for (uint32_t t = 0; good && t < h->txs.len; t++)
        for (uint32_t i = h->txs.data[t].first; good && i < h->txs.data[t].first + h->txs.data[t].count; i++) {
            bool is_list = recorded_kind(h, i) == OP_APPEND || recorded_kind(h, i) == OP_READ_LIST;
            uint8_t *s = &seen[recorded_key(h, i)];
            *s |= is_list ? 2 : 1;
            if (*s == 3)
                good = recording_say(r, h->txs.data[t].file, h->op_place.data[i], h->op_place.data[i] + 1,
                                     "this key is a list in one place and a register in another");
        }
    free(seen);
    return good;
}

void recording_drop(recording *r) {
    for (uint32_t i = 0; i < r->open.len; i++) vec_free(&r->open.data[i].ops);
    vec_free(&r->open);
    vec_free(&r->unused);
    vec_free(&r->current);
    if (r->lists) map_free(r->lists);
    free(r);
}

// Some file had none: what others had cannot be compared with it.
static void forget_times(recorded *h) {
    vec_free(&h->op_call);
    vec_free(&h->op_answer);
    for (uint32_t i = 0; i < h->txs.len; i++) {
        recorded_tx *x = &h->txs.data[i];
        x->begins = 0;
        if (x->commits != RECORDED_NEVER) x->commits = 0;
        if (x->ends != RECORDED_NEVER) x->ends = 0;
    }
}

void recording_leave(recording *r) {
    for (uint32_t s = 0; s < r->current.len; s++)
        if (r->current.data[s]) recording_left(r, r->current.data[s] - 1);
}

bool recording_end(recording *r) {
    recorded *h = r->h;
    bool good = !r->has_failed;
    recording_leave(r);
    if (!h->has_times) forget_times(h);
    for (uint32_t i = 0; good && h->has_times && i < h->txs.len; i++) good = tx_has_times_in_order(r, &h->txs.data[i]);
    if (good && h->has_times) sort_by_time(h);
    good = good && (!h->has_times || check_sessions(r)) && check_kinds(r);
    recording_drop(r);
    return good;
}
