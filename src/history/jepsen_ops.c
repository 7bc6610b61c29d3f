// SPDX-License-Identifier: Apache-2.0
// The :value of an operation of Jepsen's histories: a vector of [:r key value], [:w key value] and [:append key
// element]. What was read is nil where nothing has been written, an empty list, or, when the operation did not
// succeed, not known.
#include "history/jepsen_int.h"

typedef struct {
    edn *e;
    recording *r;
    recording_tx t;
    bool is_lists, reads_nil;
    uint64_t call, answer;
} ops_reader;

static uint32_t ops_value(ops_reader *x, edn_token t) {
    str name = {0};
    edn_name(x->e, t, &name);
    uint32_t value = recording_value(x->r, str_get(&name), name.len);
    str_free(&name);
    return value;
}

static uint32_t ops_key(ops_reader *x, edn_token t) {
    str name = {0};
    edn_name(x->e, t, &name);
    uint32_t key = recording_key(x->r, str_get(&name), name.len);
    str_free(&name);
    return key;
}

static bool ops_is_name(edn_token t) { return t.kind == EDN_WORD || t.kind == EDN_STRING; }

// After '[': the elements of a list that was read.
static bool ops_list(ops_reader *x, uint32_t *list) {
    *list = 0;
    for (;;) {
        edn_token t = edn_next(x->e);
        if (t.kind == EDN_CLOSE) return true;
        if (t.kind == EDN_WRONG) return false;
        if (!ops_is_name(t)) return edn_wrong(x->e, t, "an element of a list expected: a number or another name");
        *list = recording_list(x->r, *list, ops_value(x, t));
    }
}

static void ops_record(ops_reader *x, op_kind kind, uint32_t key, uint32_t value, size_t place) {
    recording_op(x->r, x->t, kind, key, value, x->call, x->answer, place);
}

static bool ops_read(ops_reader *x, uint32_t key, edn_token value, size_t place) {
    uint32_t list = 0;
    if (edn_is(x->e, value, "nil")) {
        if (!x->reads_nil) return true;
        ops_record(x, x->is_lists ? OP_READ_LIST : OP_READ, key, x->is_lists ? 0 : ops_value(x, value), place);
        return true;
    }
    if (edn_opens(x->e, value, '[') || edn_opens(x->e, value, '(')) {
        if (!ops_list(x, &list)) return false;
        ops_record(x, OP_READ_LIST, key, list, place);
        return true;
    }
    if (!ops_is_name(value)) return edn_wrong(x->e, value, "a value or a list expected");
    ops_record(x, OP_READ, key, ops_value(x, value), place);
    return true;
}

// After its '['.
static bool ops_one(ops_reader *x, size_t place) {
    edn_token what = edn_next(x->e), key = what.kind == EDN_WRONG ? what : edn_next(x->e);
    if (key.kind == EDN_WRONG) return false;
    bool is_read = edn_is(x->e, what, ":r"), is_append = edn_is(x->e, what, ":append");
    if (!is_read && !is_append && !edn_is(x->e, what, ":w")) return edn_wrong(x->e, what, ":r, :w or :append expected");
    if (!ops_is_name(key)) return edn_wrong(x->e, key, "a key expected: a number or another name");
    edn_token value = edn_next(x->e);
    if (value.kind == EDN_WRONG) return false;
    if (is_read && !ops_read(x, ops_key(x, key), value, place)) return false;
    if (!is_read && !ops_is_name(value)) return edn_wrong(x->e, value, "a value expected: a number or another name");
    if (!is_read) ops_record(x, is_append ? OP_APPEND : OP_WRITE, ops_key(x, key), ops_value(x, value), place);
    edn_token end = edn_next(x->e);
    if (end.kind == EDN_WRONG) return false;
    return end.kind == EDN_CLOSE || edn_wrong(x->e, end, "']' expected");
}

bool jepsen_record_ops(edn *e, recording *r, recording_tx t, const jepsen_op *by, bool is_lists, bool reads_nil,
                       uint64_t call, uint64_t answer) {
    ops_reader x = {e, r, t, is_lists, reads_nil, call, answer};
    if (!by || !by->value) return true;
    e->pos = by->value;
    edn_token outer = edn_next(e);
    if (outer.kind == EDN_WRONG) return false;
    if (!edn_opens(e, outer, '['))
        return edn_wrong(e, outer, "a list of operations expected: [[:r key nil] [:w key 1]]");
    for (;;) {
        edn_token one = edn_next(e);
        if (one.kind == EDN_WRONG) return false;
        if (one.kind == EDN_CLOSE) return true;
        if (!edn_opens(e, one, '[')) return edn_wrong(e, one, "an operation expected: [:r key nil]");
        if (!ops_one(&x, one.begin)) return false;
    }
}
