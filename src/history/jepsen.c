// SPDX-License-Identifier: Apache-2.0
// Jepsen's and Elle's histories: EDN maps, one after the other or in a vector,
//
//   {:type :invoke, :f :txn, :process 3, :time 4711, :value [[:r 5 nil] [:append 6 1]]}
//   {:type :ok,     :f :txn, :process 3, :time 5000, :value [[:r 5 [1 2]] [:append 6 1]]}
//
// A transaction is an invocation and its end: :ok committed, :fail aborted, :info or none: commit-pending, since it
// may have happened. What it does lies between the two times; without :time in all of them, the order of the file is
// that of time; and where some end has no invocation, no times are known. An operation that names no process is a
// session of its own, and ends with the next end that names none. Operations other than :txn (of the nemesis, mostly)
// are left out.
#include "history/foreign.h"
#include "history/jepsen_int.h"
#include "history/edn.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    recording *r;
    edn e;
    VEC(jepsen_op) ops;
    VEC(uint32_t) open;  // by session: its invocation + 1
    uint32_t alone;      // invocation + 1 without a process
    uint64_t nalone;
    bool has_lists, all_timed, all_invoked;
} jepsen_reader;

// ---- finding the operations

typedef struct {
    jepsen_op op;
    bool is_txn, has_type, has_process;
    edn_token process;
} jepsen_map;

static bool jepsen_read_type(edn *e, edn_token t, jepsen_map *m) {
    static const char *const words[JEPSEN_TYPES] = {":invoke", ":ok", ":fail", ":info"};
    for (uint32_t i = 0; i < JEPSEN_TYPES; i++)
        if (edn_is(e, t, words[i])) return m->op.type = (jepsen_type)i, m->has_type = true;
    return edn_wrong(e, t, ":invoke, :ok, :fail or :info expected");
}

static bool jepsen_read_time(edn *e, edn_token t, jepsen_map *m) {
    size_t pos = t.begin;
    if (edn_is(e, t, "nil")) return true;
    m->op.has_time = t.kind == EDN_WORD && foreign_number(e->text, t.end, &pos, &m->op.time) && pos == t.end;
    return m->op.has_time || edn_wrong(e, t, "a time expected: a whole number of nanoseconds");
}

// The value of a key of the map.
static bool jepsen_read_entry(edn *e, edn_token key, jepsen_map *m) {
    size_t before = e->pos;
    edn_token t = edn_next(e);
    if (t.kind == EDN_WRONG) return false;
    if (t.kind == EDN_CLOSE) return edn_wrong(e, key, "this key has no value");
    if (edn_is(e, key, ":type")) return jepsen_read_type(e, t, m);
    if (edn_is(e, key, ":time")) return jepsen_read_time(e, t, m);
    if (edn_is(e, key, ":value") && !edn_is(e, t, "nil")) m->op.value = before;
    if (edn_is(e, key, ":f")) m->is_txn = edn_is(e, t, ":txn");
    if (edn_is(e, key, ":process") && !edn_is(e, t, "nil")) m->has_process = true, m->process = t;
    return edn_skip(e, t);
}

static uint32_t jepsen_session(jepsen_reader *x, const jepsen_map *m) {
    str name = {0};
    if (!m->has_process) return JEPSEN_ALONE;
    edn_name(&x->e, m->process, &name);
    uint32_t session = recording_session(x->r, str_get(&name), name.len);
    str_free(&name);
    return session;
}

// After its '{'.
static bool jepsen_read_map(jepsen_reader *x, size_t place) {
    jepsen_map m = {.is_txn = true, .op = {.place = place}};
    edn_token key;
    for (key = edn_next(&x->e); key.kind != EDN_CLOSE; key = edn_next(&x->e)) {
        if (key.kind == EDN_WRONG || !edn_skip(&x->e, key) || !jepsen_read_entry(&x->e, key, &m)) return false;
    }
    m.op.end = key.end;
    if (!m.is_txn || (m.has_process && edn_is(&x->e, m.process, ":nemesis"))) return true;
    if (!m.has_type) return edn_wrong(&x->e, (edn_token){EDN_OPEN, place, m.op.end}, "this operation has no :type");
    m.op.session = jepsen_session(x, &m);
    vec_push(&x->ops, m.op);
    return true;
}

static bool jepsen_read_all(jepsen_reader *x) {
    bool in_vector = false;
    for (;;) {
        edn_token t = edn_next(&x->e);
        if (t.kind == EDN_END) return true;
        if (t.kind == EDN_WRONG) return false;
        if (edn_opens(&x->e, t, '[') && !in_vector && !x->ops.len) in_vector = true;
        else if (t.kind == EDN_CLOSE) in_vector = false;
        else if (!edn_opens(&x->e, t, '{')) return edn_wrong(&x->e, t, "an operation expected: {:type :invoke, …}");
        else if (!jepsen_read_map(x, t.begin)) return false;
    }
}

// ---- transactions

static uint32_t *jepsen_slot(jepsen_reader *x, uint32_t session) {
    if (session == JEPSEN_ALONE) return &x->alone;
    while (x->open.len <= session) vec_push(&x->open, 0);
    return &x->open.data[session];
}

// What is true of the whole file must be known before the first transaction.
static bool jepsen_survey(jepsen_reader *x) {
    x->all_timed = x->all_invoked = true;
    for (uint32_t i = 0; i < x->ops.len; i++) {
        const jepsen_op *o = &x->ops.data[i];
        uint32_t *slot = jepsen_slot(x, o->session);
        bool is_invoke = o->type == JEPSEN_INVOKE;
        if (is_invoke && *slot)
            return recording_wrong(x->r, o->place, o->end, "this process has not ended what it did before");
        if (!is_invoke && !*slot) x->all_invoked = false;
        x->all_timed &= o->has_time;
        *slot = is_invoke ? i + 1 : 0;
    }
    for (uint32_t s = 0; s < x->open.len; s++) x->open.data[s] = 0;
    x->alone = 0;
    return recording_times(x->r, !x->all_invoked ? TIMES_NONE : x->all_timed ? TIMES_GIVEN : TIMES_INSTANTS);
}

static uint64_t jepsen_time(jepsen_reader *x, const jepsen_op *o) {
    return !x->all_invoked ? 0 : x->all_timed ? o->time : recording_tick(x->r);
}

// A transaction has its session; what nobody saw the end of is left open.
typedef struct {
    recording_tx tx;
    const jepsen_op *invoked;  // NULL: not known
    uint64_t called;
} jepsen_tx;

static bool jepsen_end(jepsen_reader *x, const jepsen_tx *t, const jepsen_op *end) {
    bool is_ok = end && end->type == JEPSEN_OK, is_failed = end && end->type == JEPSEN_FAIL;
    uint64_t answer = end ? jepsen_time(x, end) : t->called;
    const jepsen_op *by = end && end->value ? end : t->invoked;
    if (answer < t->called) return recording_wrong(x->r, end->place, end->end, "this ended before it was invoked");
    bool good = jepsen_record_ops(&x->e, x->r, t->tx, by, x->has_lists, is_ok, t->called, answer);
    if (is_ok) recording_committed(x->r, t->tx, t->called, answer);
    else if (is_failed) recording_aborted(x->r, t->tx, answer);
    else {
        recording_commit_called(x->r, t->tx, t->called);
        recording_left(x->r, t->tx);
    }
    return good;
}

static uint32_t jepsen_name_alone(jepsen_reader *x) {
    char name[40];
    int n = snprintf(name, sizeof name, "nil %" PRIu64, ++x->nalone);
    return recording_session(x->r, name, (size_t)n);
}

static bool jepsen_record(jepsen_reader *x) {
    VEC(jepsen_tx) begun = {0};  // by session
    jepsen_tx lonely = {0};
    bool good = true;
    for (uint32_t i = 0; good && i < x->ops.len; i++) {
        const jepsen_op *o = &x->ops.data[i];
        bool is_alone = o->session == JEPSEN_ALONE;
        while (!is_alone && begun.len <= o->session) vec_push(&begun, (jepsen_tx){0});
        jepsen_tx *t = is_alone ? &lonely : &begun.data[o->session];
        uint32_t *slot = jepsen_slot(x, o->session);
        if (!*slot) {
            *t = (jepsen_tx){.invoked = o->type == JEPSEN_INVOKE ? o : NULL};
            t->called = o->type == JEPSEN_INVOKE ? jepsen_time(x, o) : 0;
            t->tx = recording_open(x->r, is_alone ? jepsen_name_alone(x) : o->session, t->called, o->place);
        }
        *slot = o->type == JEPSEN_INVOKE ? i + 1 : 0;
        if (o->type != JEPSEN_INVOKE) good = jepsen_end(x, t, o);
    }
    for (uint32_t s = 0; good && s < x->open.len; s++)
        if (x->open.data[s]) good = jepsen_end(x, &begun.data[s], NULL);
    if (good && x->alone) good = jepsen_end(x, &lonely, NULL);
    vec_free(&begun);
    return good;
}

static bool jepsen_has_lists(const format_source *from) {
    static const char word[] = ":append";
    const char *at = from->text, *end = from->text + from->size;
    for (; (at = memchr(at, ':', (size_t)(end - at))) != NULL; at++)
        if ((size_t)(end - at) > sizeof word && memcmp(at, word, sizeof word - 1) == 0) return true;
    return false;
}

bool jepsen_read(recording *r, const format_source *from) {
    jepsen_reader x = {
        .r = r, .e = {.r = r, .text = from->text, .size = from->size}, .has_lists = jepsen_has_lists(from)};
    recording_file(r, from->path, from->text, from->size, false);
    bool good = jepsen_read_all(&x);
    if (good && !x.ops.len && from->size)
        good = recording_wrong(r, 0, 1, "there is no transaction (:f :txn) in this history");
    recording_initial_of_all(r, recording_value(r, "nil", 3));
    good = good && jepsen_survey(&x);
    str_clear(&x.e.brackets);
    good = good && jepsen_record(&x);
    edn_free(&x.e);
    vec_free(&x.ops);
    vec_free(&x.open);
    return good;
}

// A map, perhaps in a vector, whose first key is a keyword.
bool jepsen_is(const format_source *from) {
    diag *nobody = diag_new();
    recorded h;
    recorded_begin(&h);
    recording *r = recording_begin(&h, nobody);
    edn e = {.r = r, .text = from->text, .size = from->size};
    edn_token t = edn_next(&e);
    if (edn_opens(&e, t, '[')) t = edn_next(&e);
    bool is = edn_opens(&e, t, '{') && (t = edn_next(&e)).kind == EDN_WORD && from->text[t.begin] == ':';
    edn_free(&e);
    recording_end(r);
    recorded_free(&h);
    diag_free(nobody);
    return is;
}
