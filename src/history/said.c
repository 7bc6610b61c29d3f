// SPDX-License-Identifier: Apache-2.0
// Events of .hist and .json: see said.h.
#include "history/said.h"

#include <string.h>

const char *const said_words[] = {"open",  "read", "write",   "append",   "commit_call", "commit",
                                  "abort", "left", "nt_read", "nt_write", "initial",     "untimed"};
const uint32_t said_nwords = sizeof said_words / sizeof *said_words;

said_kind said_find(const char *name, size_t size) {
    for (uint32_t k = 0; k < SAID_KINDS; k++)
        if (strlen(said_words[k]) == size && memcmp(said_words[k], name, size) == 0) return (said_kind)k;
    return SAID_KINDS;
}

bool said_has_key(said_kind k) {
    return k == SAID_READ || k == SAID_WRITE || k == SAID_APPEND || k == SAID_NT_READ || k == SAID_NT_WRITE;
}

static bool said_settle(recording *r, said_times *t, const said *e) {
    recording_times_kind kind = t->is_untimed ? TIMES_NONE : e->has_times ? TIMES_GIVEN : TIMES_INSTANTS;
    if (t->has_kind && t->kind == kind) return true;
    if (t->has_kind) return recording_wrong(r, e->place, e->end, "some events have times and some have none");
    t->has_kind = true;
    t->kind = kind;
    return recording_times(r, kind);
}

static const char *said_misfit(said_kind k, bool is_open) {
    if (k == SAID_OPEN && is_open) return "the client has a transaction already";
    if ((k == SAID_NT_READ || k == SAID_NT_WRITE) && is_open)
        return "an access outside transactions while the client has one";
    if (k != SAID_OPEN && k != SAID_NT_READ && k != SAID_NT_WRITE && !is_open) return "the client has no transaction";
    return NULL;
}

static op_kind said_op(const said *e) {
    if (e->kind == SAID_APPEND) return OP_APPEND;
    if (e->kind == SAID_WRITE || e->kind == SAID_NT_WRITE) return OP_WRITE;
    return e->is_list ? OP_READ_LIST : OP_READ;
}

// A transaction of its own. A write without an answer may have happened.
static void said_outside(recording *r, const said *e) {
    if (!e->is_answered && e->kind == SAID_NT_READ) return;
    recording_tx t = recording_open(r, e->session, e->call, e->place);
    recording_op(r, t, said_op(e), e->key, e->value, e->call, e->is_answered ? e->answer : e->call, e->place);
    if (e->is_answered) recording_committed(r, t, e->call, e->answer);
    else recording_commit_called(r, t, e->call), recording_left(r, t);
}

static bool said_commit(recording *r, const said *e, recording_tx t) {
    bool was_called = recording_was_called(r, t);
    if (was_called && e->kind == SAID_CALL) return recording_wrong(r, e->place, e->end, "commit is called already");
    if (!e->is_answered || e->kind == SAID_CALL) recording_commit_called(r, t, e->call);
    else recording_committed(r, t, e->call, e->answer);
    return true;
}

static bool said_access(recording *r, const said *e, recording_tx t) {
    if (recording_was_called(r, t)) return recording_wrong(r, e->place, e->end, "an access after commit was called");
    if (e->is_answered) recording_op(r, t, said_op(e), e->key, e->value, e->call, e->answer, e->place);
    return true;
}

static bool said_apply(recording *r, const said *e, recording_tx t) {
    switch (e->kind) {
    case SAID_OPEN: recording_open(r, e->session, e->call, e->place); break;
    case SAID_CALL:
    case SAID_COMMIT: return said_commit(r, e, t);
    case SAID_ABORT:
        if (e->is_answered) recording_aborted(r, t, e->answer);
        break;
    case SAID_LEFT: recording_left(r, t); break;
    case SAID_NT_READ:
    case SAID_NT_WRITE: said_outside(r, e); break;
    default: return said_access(r, e, t);
    }
    return true;
}

bool said_record(recording *r, said_times *times, said *e) {
    if (!said_settle(r, times, e)) return false;
    if (times->kind != TIMES_GIVEN) e->is_answered = true, e->call = e->answer = recording_tick(r);
    recording_tx t = recording_current(r, e->session);
    const char *wrong = said_misfit(e->kind, t != RECORDING_NONE);
    return wrong ? recording_wrong(r, e->place, e->end, "%s", wrong) : said_apply(r, e, t);
}
