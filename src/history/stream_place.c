// SPDX-License-Identifier: Apache-2.0
// Transactions get their places in the order, see stream.h: each is replayed on the memory that those before it left,
// and what it overwrites is kept, so that its place can be taken back.
#include "history/stream_int.h"

static stream_cell *stream_cell_of(stream *s, uint32_t key) {
    while (s->memory.len <= key) {
        vec_push(&s->memory, (stream_cell){0});
        vec_push(&s->own, 0);
    }
    stream_cell *c = &s->memory.data[key];
    uint32_t initial = recorded_initial(&s->h, key);
    if (!c->is_used) *c = (stream_cell){.value = initial, .initial = initial, .is_used = true};
    return c;
}

// ---- replay

static bool stream_read_is_legal(stream *s, const recorded_op *o) {
    const stream_cell *c = stream_cell_of(s, o->key);
    if (s->own.data[o->key]) return s->own.data[o->key] == o->value + 1;
    return c->value == o->value && (s->how.level != LEVEL_OPAQUE || c->commits <= o->answer);
}

static bool stream_replay_ops(stream *s, const recorded_tx *x) {
    bool good = true;
    for (uint32_t i = x->first; good && i < x->first + x->count; i++) {
        recorded_op o = recorded_get(&s->h, i);
        stream_cell_of(s, o.key);
        if (o.kind == OP_READ) good = stream_read_is_legal(s, &o);
        else s->own.data[o.key] = o.value + 1;
    }
    return good;
}

// What it wrote itself is forgotten again; if it committed, the memory holds it.
static void stream_write_ops(stream *s, const recorded_tx *x, bool is_committed) {
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        uint32_t key = recorded_key(&s->h, i);
        if (recorded_kind(&s->h, i) == OP_READ || key >= s->own.len || !s->own.data[key]) continue;
        stream_cell *c = &s->memory.data[key];
        if (is_committed) {
            vec_push(&s->undone, (stream_undo){key, c->value, c->commits});
            c->value = s->own.data[key] - 1;
            c->commits = x->commits;
        }
        s->own.data[key] = 0;
    }
}

static bool stream_outcome_fits(const recorded_tx *x, bool is_committed) {
    return x->outcome == TX_PENDING || is_committed == (x->outcome == TX_COMMITTED);
}

bool stream_place_tx(stream *s, uint32_t tx, bool is_committed) {
    const recorded_tx *x = &s->h.txs.data[tx];
    stream_session *session = &s->sessions.data[x->session];
    stream_place place = {tx, s->undone.len, session->last_number, s->latest_begin, is_committed};
    if (!stream_outcome_fits(x, is_committed) || (s->how.level != LEVEL_OPAQUE && !is_committed)) return false;
    if (x->ends < s->latest_begin || s->numbers.data[tx] <= session->last_number) return false;
    bool good = stream_replay_ops(s, x);
    stream_write_ops(s, x, good && is_committed);
    if (!good) return false;
    if (x->begins > s->latest_begin) s->latest_begin = x->begins;
    session->last_number = s->numbers.data[tx];
    s->committed += x->outcome == TX_COMMITTED;
    s->pending += x->outcome == TX_PENDING && is_committed;
    vec_push(&s->placed, place);
    return true;
}

// ---- back

static void stream_take_last(stream *s) {
    stream_place p = vec_pop(&s->placed);
    const recorded_tx *x = &s->h.txs.data[p.tx];
    while (s->undone.len > p.undo) {
        stream_undo u = vec_pop(&s->undone);
        s->memory.data[u.key].value = u.value;
        s->memory.data[u.key].commits = u.commits;
    }
    s->latest_begin = p.latest_begin;
    s->sessions.data[x->session].last_number = p.last_number;
    s->committed -= x->outcome == TX_COMMITTED;
    s->pending -= x->outcome == TX_PENDING && p.is_committed;
    vec_push(&s->waiting, p.tx);
}

void stream_take_back(stream *s, uint32_t count) {
    for (uint32_t i = 0; i < count && s->placed.len; i++) stream_take_last(s);
    s->taken += count;
}

// ---- for good

void stream_show_first(stream *s, uint32_t count) {
    for (uint32_t i = 0; i < count && s->shown.len < s->how.shown; i++) {
        uint32_t tx = s->placed.data[i].tx;
        vec_push(&s->shown,
                 (stream_tx){s->h.txs.data[tx].session, s->numbers.data[tx], s->placed.data[i].is_committed});
    }
}

static void stream_drop_places(stream *s, uint32_t count) {
    uint32_t undo = count < s->placed.len ? s->placed.data[count].undo : s->undone.len;
    for (uint32_t i = undo; i < s->undone.len; i++) s->undone.data[i - undo] = s->undone.data[i];
    s->undone.len -= undo;
    for (uint32_t i = count; i < s->placed.len; i++) {
        s->placed.data[i - count] = s->placed.data[i];
        s->placed.data[i - count].undo -= undo;
    }
    s->placed.len -= count;
    s->dropped += count;
}

static void stream_renumber(stream *s, const uint32_t *to, uint32_t before) {
    for (uint32_t i = 0, at = 0; i < before; i++) {
        bool stays = i + 1 < before ? to[i + 1] > to[i] : s->h.txs.len > to[i];
        if (stays) s->numbers.data[at++] = s->numbers.data[i];
    }
    s->numbers.len = s->h.txs.len;
    for (uint32_t i = 0; i < s->waiting.len; i++) s->waiting.data[i] = to[s->waiting.data[i]];
    for (uint32_t i = 0; i < s->placed.len; i++) s->placed.data[i].tx = to[s->placed.data[i].tx];
}

static void stream_rename_values(stream *s, const names *old) {
    for (uint32_t k = 0; k < s->memory.len; k++) {
        stream_cell *c = &s->memory.data[k];
        if (!c->is_used) continue;
        c->value = recording_renamed(s->r, old, c->value);
        c->initial = recording_renamed(s->r, old, c->initial);
    }
    for (uint32_t i = 0; i < s->undone.len; i++)
        s->undone.data[i].value = recording_renamed(s->r, old, s->undone.data[i].value);
}

void stream_forget(stream *s, uint32_t count) {
    uint32_t before = s->h.txs.len, *to = mem_alloc(((size_t)before + 1) * sizeof *to);
    uint8_t *keep = mem_zero((size_t)before + 1, 1);
    while (s->numbers.len < before) vec_push(&s->numbers, 0);  // of open ones
    stream_show_first(s, count);
    stream_drop_places(s, count);
    for (uint32_t i = 0; i < s->waiting.len; i++) keep[s->waiting.data[i]] = 1;
    for (uint32_t i = 0; i < s->placed.len; i++) keep[s->placed.data[i].tx] = 1;
    names old = recording_shrink(s->r, keep, to);
    stream_renumber(s, to, before);
    stream_rename_values(s, &old);
    names_free(&old);
    free(keep);
    free(to);
}

bool stream_initial_is_same(stream *s) {
    for (uint32_t k = 0; k < s->memory.len; k++)
        if (s->memory.data[k].is_used && s->memory.data[k].initial != recorded_initial(&s->h, k)) return false;
    return true;
}
