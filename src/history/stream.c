// SPDX-License-Identifier: Apache-2.0
// Blocks of transactions: see stream.h.
#include "history/stream.h"

#include "history/level_check.h"
#include "history/log.h"
#include "history/replay.h"
#include "history/stream_int.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    BLOCK = 8192,
    KEPT = 32768,
    FIRST_BACK = 8,          // the part of a block whose places are taken back first; four times as many each time
    SILENT_BLOCKS = 4,       // a session of which nothing was closed for so long will do no more
    FORGET_BYTES = 1 << 22,  // of a mapped file, at a time
};

static bool give_up(stream *s, const char *why) {
    if (!s->why) s->why = why;
    return false;
}

// ---- who has not been seen

// Nobody who is not closed yet began before this: sessions that go on do so after their last end. Others may turn up
// all the same; then they may get no place, which is noticed.
static uint64_t stream_until(const stream *s) {
    uint64_t until = recording_earliest(s->r);
    for (uint32_t i = 0; i < s->sessions.len; i++) {
        const stream_session *x = &s->sessions.data[i];
        bool is_silent = s->closed - x->seen > (uint64_t)SILENT_BLOCKS * s->how.block;
        if (x->seen && !is_silent && !x->is_open_ended && x->last_end < until) until = x->last_end;
    }
    return until;
}

// ---- one block

// The first ones of the order that ended before anybody else began get their places. False: one is not legal there.
static bool place_first(stream *s, const stream_part *p, const witness *w) {
    uint8_t *is_placed = mem_zero((size_t)s->h.txs.len + 1, 1);
    bool good = true;
    uint32_t i = 0, kept = 0;
    for (; i < w->norder; i++) {
        uint32_t tx = p->txs.data[w->order[i]];
        uint64_t ends = s->h.txs.data[tx].ends;
        if (ends != RECORDED_NEVER && ends >= p->before) break;
        if (!(good = stream_place_tx(s, tx, w->committed[w->order[i]]))) break;
        is_placed[tx] = 1;
    }
    for (uint32_t k = 0; k < s->waiting.len; k++)
        if (!is_placed[s->waiting.data[k]]) s->waiting.data[kept++] = s->waiting.data[k];
    s->waiting.len = kept;
    free(is_placed);
    return good;
}

typedef enum { BLOCK_PLACED, BLOCK_STUCK, BLOCK_FAILED } block_answer;

static block_answer order_block(stream *s, uint64_t until) {
    stream_part p;
    level_answer a;
    if (!stream_part_make(s, until, &p)) {
        stream_part_free(&p);
        return BLOCK_STUCK;
    }
    level_check(&p.h, s->how.level, s->how.stop, &a);
    block_answer answer = a.verdict == ORDER_NO ? BLOCK_STUCK : BLOCK_FAILED;
    if (a.verdict == ORDER_YES) answer = place_first(s, &p, &a.witness) ? BLOCK_PLACED : BLOCK_STUCK;
    level_answer_free(&a);
    stream_part_free(&p);
    return answer;
}

static void forget_text(stream *s) {
    if (!s->how.is_mapped || !s->text || !s->waiting.len) return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), at = s->h.txs.data[s->h.txs.len - 1].place / page * page;
    if (at < s->forgotten + FORGET_BYTES) return;
    madvise((void *)(s->text + s->forgotten), at - s->forgotten, MADV_DONTNEED);
    s->forgotten = at;
}

static bool order_waiting(stream *s, uint64_t until) {
    s->blocks++;
    if (s->h.txs.len > s->most) s->most = s->h.txs.len;
    block_answer answer = order_block(s, until);
    uint32_t most = s->placed.len;
    for (uint64_t back = s->how.block / FIRST_BACK + 1; answer == BLOCK_STUCK && most; back *= 4) {
        if (back >= most) most = 0;
        stream_take_back(s, most ? (uint32_t)back : s->placed.len);
        answer = order_block(s, until);
    }
    if (answer == BLOCK_STUCK) return give_up(s, "no order of a part was found");
    if (answer == BLOCK_FAILED) return give_up(s, "a part was not decided");
    if (s->placed.len >= 2 * s->how.kept) stream_forget(s, s->placed.len - s->how.kept);
    uint32_t keys = names_count(&s->h.keys) / 16;
    s->threshold = 2 * s->waiting.len > s->how.block ? 2 * s->waiting.len : s->how.block;
    if (s->threshold < keys) s->threshold = keys;
    return true;
}

// ---- transactions as they are closed

static stream_session *stream_session_of(stream *s, uint32_t session) {
    while (s->sessions.len <= session) vec_push(&s->sessions, (stream_session){0});
    return &s->sessions.data[session];
}

static bool stream_has_lists(const recorded *h, const recorded_tx *x) {
    for (uint32_t i = x->first; i < x->first + x->count; i++)
        if (recorded_kind(h, i) == OP_APPEND || recorded_kind(h, i) == OP_READ_LIST) return true;
    return false;
}

// What recording_end() asks of every transaction.
static bool stream_is_sound(stream *s, uint32_t tx, const stream_session *session) {
    const recorded_tx *x = &s->h.txs.data[tx];
    if (!s->h.has_times) return give_up(s, "there are no times");
    if (stream_has_lists(&s->h, x)) return give_up(s, "there are lists");
    if (!recording_check_times(s->r, tx) || (!session->is_open_ended && x->begins < session->last_end))
        return give_up(s, "times run backwards");
    return true;
}

static void stream_number(stream *s, uint32_t tx, stream_session *session) {
    const recorded_tx *x = &s->h.txs.data[tx];
    while (s->numbers.len <= tx) vec_push(&s->numbers, 0);
    s->numbers.data[tx] = ++session->numbers;
    session->is_open_ended = x->ends == RECORDED_NEVER;
    session->last_end = x->ends;
    session->seen = ++s->closed;
    s->outcomes[x->outcome]++;
}

static bool stream_counts(const stream *s, const recorded_tx *x) {
    return s->how.level == LEVEL_OPAQUE || x->outcome == TX_COMMITTED || x->outcome == TX_PENDING;
}

static bool stream_closed(void *context, uint32_t tx) {
    stream *s = context;
    stream_session *session = stream_session_of(s, s->h.txs.data[tx].session);
    if (!stream_is_sound(s, tx, session)) return false;
    stream_number(s, tx, session);
    if (stream_counts(s, &s->h.txs.data[tx])) vec_push(&s->waiting, tx);
    if (s->waiting.len < s->threshold) return true;
    if (limits_met(s->how.stop)) return give_up(s, limits_why(s->how.stop));
    bool good = order_waiting(s, stream_until(s));
    forget_text(s);
    return good;
}

// ---- all of it

// Pending transactions that did not commit have no place at the level of strict serializability.
static bool stream_is_whole(const stream *s) {
    for (uint32_t i = 0; i < s->waiting.len; i++)
        if (s->how.level == LEVEL_OPAQUE || s->h.txs.data[s->waiting.data[i]].outcome != TX_PENDING) return false;
    return s->committed == s->outcomes[TX_COMMITTED];
}

static void stream_answer_take(stream *s, stream_answer *a) {
    *a = (stream_answer){.holds = !s->why, .why = s->why, .sessions = s->h.sessions, .events = s->h.events};
    s->h.sessions = (names){0};
    for (uint32_t i = 0; i < TX_OUTCOMES; i++) a->outcomes[i] = s->outcomes[i];
    stream_show_first(s, s->placed.len);
    for (uint32_t i = 0; i < s->shown.len; i++) vec_push(&a->shown, s->shown.data[i]);
    a->placed = s->dropped + s->placed.len;
    a->committed = s->committed + s->pending;
    a->blocks = s->blocks;
    a->taken = s->taken;
    a->most = s->most;
}

static void stream_free(stream *s) {
    vec_free(&s->numbers);
    vec_free(&s->waiting);
    vec_free(&s->placed);
    vec_free(&s->undone);
    vec_free(&s->memory);
    vec_free(&s->own);
    vec_free(&s->sessions);
    vec_free(&s->shown);
    recorded_free(&s->h);
}

static bool stream_read(stream *s, const format_source *files, uint32_t count) {
    if (log_is_recorded(&files[0])) return log_read_together(s->r, files, count);
    s->text = files[0].text;
    return text_read_recorded(s->r, &files[0]);
}

void stream_check(const format_source *files, uint32_t count, const stream_how *how, stream_answer *a) {
    stream s = {.how = *how};
    diag *messages = diag_new();  // mistakes are told when the history is read as a whole
    if (!s.how.block) s.how.block = BLOCK;
    if (!s.how.kept) s.how.kept = KEPT;
    s.threshold = s.how.block;
    recorded_begin(&s.h);
    s.r = recording_begin(&s.h, messages);
    recording_watch(s.r, stream_closed, &s);
    if (!stream_read(&s, files, count) || recording_has_failed(s.r)) give_up(&s, "there is a mistake in the file");
    recording_leave(s.r);
    if (!s.why) order_waiting(&s, RECORDED_NEVER);
    if (!s.why && !stream_is_whole(&s)) give_up(&s, "some transactions got no place");
    if (!s.why && !stream_initial_is_same(&s)) give_up(&s, "an initial value came after it was used");
    stream_answer_take(&s, a);
    recording_drop(s.r);
    stream_free(&s);
    diag_free(messages);
}

void stream_answer_free(stream_answer *a) {
    names_free(&a->sessions);
    vec_free(&a->shown);
}

bool stream_is_for(const format_source *files, uint32_t count, const format *by) {
    if (log_other_run(files, count)) return false;  // their times have nothing to do with each other
    for (uint32_t i = 0; i < count; i++) {
        const format *f = by ? by : format_recognise(&files[i]);
        if (!f || (f->read != log_read_recorded && (f->read != text_read_recorded || count > 1))) return false;
    }
    return count > 0;
}
