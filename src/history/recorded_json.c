// SPDX-License-Identifier: Apache-2.0
// The JSON form of recorded histories: that of history_json.c, with times.
//
//   {"initial": 0, "initial_at": {"x": 5},     all three optional
//    "untimed": true,
//    "events": [{"event": "read", "client": 1, "address": "x", "value": 0, "call": 10, "answer": 12}, …]}
//
// Events are those of recorded_text.c. "time" stands for equal call and answer; a call without an answer was never
// answered. A list is an array. Clients, addresses and values are strings or integers; 1 and "1" are the same.
#include "history/format.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include "history/said.h"

typedef struct {
    recording *r;
    said_times times;
    size_t index;  // of the event, from 1
} reader;

static bool recorded_json_wrong(reader *r, const char *what) {
    return recording_wrong(r->r, 0, 0, "event %zu: %s", r->index, what);
}

static bool json_name(names *n, const json_t *v, uint32_t *out) {
    char number[32];
    if (json_is_integer(v)) {
        int size = snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
        *out = names_text(n, number, (size_t)size);
        return true;
    }
    if (!json_is_string(v)) return false;
    *out = names_text(n, json_string_value(v), json_string_length(v));
    return true;
}

static bool json_take_name(reader *r, const json_t *o, const char *field, names *n, uint32_t *out) {
    if (json_name(n, json_object_get(o, field), out)) return true;
    return recording_wrong(r->r, 0, 0, "event %zu: '%s' is missing, or neither a string nor an integer", r->index,
                           field);
}

static bool json_take_list(reader *r, const json_t *list, said *e) {
    const json_t *v;
    size_t i;
    uint32_t element;
    e->is_list = true;
    e->value = 0;
    json_array_foreach(list, i, v) {
        if (!json_name(recording_values(r->r), v, &element))
            return recorded_json_wrong(r, "elements of a list are strings or integers");
        e->value = recording_list(r->r, e->value, element);
    }
    return true;
}

static bool json_take_value(reader *r, const json_t *o, said *e) {
    const json_t *v = json_object_get(o, "value");
    if (json_is_array(v) && (e->kind == SAID_READ || e->kind == SAID_NT_READ)) return json_take_list(r, v, e);
    return json_take_name(r, o, "value", recording_values(r->r), &e->value);
}

static bool json_take_time(reader *r, const json_t *v, uint64_t *out) {
    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return recorded_json_wrong(r, "'call', 'answer' and 'time' are integers, 0 or more");
    *out = (uint64_t)json_integer_value(v);
    return true;
}

static bool json_take_times(reader *r, const json_t *o, said *e) {
    const json_t *time = json_object_get(o, "time"), *call = json_object_get(o, "call"),
                 *answer = json_object_get(o, "answer");
    e->has_times = time || call;
    e->is_answered = time || answer;
    if (time && (call || answer)) return recorded_json_wrong(r, "'time' stands for equal 'call' and 'answer'");
    if (answer && !call) return recorded_json_wrong(r, "'answer' without 'call'");
    if (time && !json_take_time(r, time, &e->call)) return false;
    if (call && !json_take_time(r, call, &e->call)) return false;
    e->answer = e->call;
    return !answer || json_take_time(r, answer, &e->answer);
}

static bool json_take_event(reader *r, const json_t *o) {
    const json_t *name = json_object_get(o, "event");
    if (!json_is_string(name)) return recorded_json_wrong(r, "'event' is missing or not a string");
    said e = {.kind = said_find(json_string_value(name), json_string_length(name))};
    if (e.kind == SAID_KINDS)
        return recorded_json_wrong(r, "'event' is not one of open, read, write, append, commit_call, commit, abort, "
                                      "left, nt_read, nt_write");
    if (!json_take_name(r, o, "client", recording_sessions(r->r), &e.session)) return false;
    if (said_has_key(e.kind) &&
        !(json_take_name(r, o, "address", recording_keys(r->r), &e.key) && json_take_value(r, o, &e)))
        return false;
    return json_take_times(r, o, &e) && said_record(r->r, &r->times, &e);
}

static bool json_take_initial(reader *r, const json_t *root) {
    json_t *common = json_object_get(root, "initial"), *at = json_object_get(root, "initial_at"), *v;
    const char *name;
    uint32_t value;
    bool good = !common || json_name(recording_values(r->r), common, &value);
    if (good && common) recording_initial_of_all(r->r, value);
    json_object_foreach(at, name, v) {
        good = good && json_name(recording_values(r->r), v, &value);
        if (good) recording_initial(r->r, recording_key(r->r, name, strlen(name)), value);
    }
    return good || recording_wrong(r->r, 0, 0, "initial values are strings or integers");
}

static bool json_take_root(reader *r, const json_t *root) {
    const json_t *events = json_object_get(root, "events"), *o;
    size_t i;
    if (!json_is_object(root) || !json_is_array(events))
        return recording_wrong(r->r, 0, 0, "a history is an object with an array 'events'");
    r->times.is_untimed = json_is_true(json_object_get(root, "untimed"));
    if (!json_take_initial(r, root)) return false;
    bool good = true;
    json_array_foreach(events, i, o) {
        r->index = i + 1;
        good &= json_take_event(r, o);
    }
    return good;
}

bool json_read_recorded(recording *r, const format_source *from) {
    json_error_t e;
    recording_file(r, from->path, from->text, from->size, false);
    json_t *root = json_loadb(from->text, from->size, JSON_REJECT_DUPLICATES, &e);
    if (!root) {
        size_t at = e.position > 0 && (size_t)e.position <= from->size ? (size_t)e.position - 1 : 0;
        return recording_wrong(r, at, at < from->size ? at + 1 : at, "not JSON: %s", e.text);
    }
    reader x = {.r = r};
    bool good = json_take_root(&x, root);
    json_decref(root);
    return good;
}

bool json_is_recorded(const format_source *from) {
    size_t i = 0;
    while (i < from->size && memchr(" \t\r\n", from->text[i], 4)) i++;
    if (i == from->size || from->text[i] != '{') return false;
    for (i++; i < from->size && memchr(" \t\r\n", from->text[i], 4);) i++;
    return i < from->size && (from->text[i] == '"' || from->text[i] == '}');
}

// ---- writing

static json_t *json_of_name(const names *n, uint32_t name) {
    uint64_t number;
    if (names_is_number(n, name, &number)) return json_integer((json_int_t)number);
    str text = {0};
    names_add(n, name, &text);
    json_t *j = json_stringn(str_get(&text), text.len);
    str_free(&text);
    return j;
}

static json_t *json_of_list(const recorded *h, uint32_t list) {
    uint32_t *elements, n;
    json_t *j = json_array();
    recorded_list_elements(h, list, &elements, &n);
    for (uint32_t i = 0; i < n; i++) json_array_append_new(j, json_of_name(&h->values, elements[i]));
    free(elements);
    return j;
}

typedef struct {
    const recorded *h;
    FILE *out;
    const char *why;
    bool has_failed, has_some;
} writer;

// Names that are not UTF-8 are no JSON strings: json_stringn refuses them.
static void json_put_event(writer *w, json_t *o, uint64_t call, uint64_t answer) {
    if (w->h->has_times && call == answer) json_object_set_new(o, "time", json_integer((json_int_t)call));
    if (w->h->has_times && call != answer) json_object_set_new(o, "call", json_integer((json_int_t)call));
    if (w->h->has_times && call != answer && answer != RECORDED_NEVER)
        json_object_set_new(o, "answer", json_integer((json_int_t)answer));
    if (!o) w->why = "a name that is not UTF-8", w->has_failed = true;
    w->has_failed = w->has_failed || fputs(w->has_some ? ",\n " : "\n ", w->out) == EOF ||
                    json_dumpf(o, w->out, JSON_COMPACT | JSON_ENSURE_ASCII) < 0;
    w->has_some = true;
    json_decref(o);
}

static void json_put_plain(writer *w, const char *event, uint32_t session, uint64_t call, uint64_t answer) {
    json_put_event(w, json_pack("{s:s, s:o}", "event", event, "client", json_of_name(&w->h->sessions, session)), call,
                   answer);
}

static void json_put_op(writer *w, uint32_t session, const recorded_op *o) {
    static const char *const names_of[] = {"read", "write", "append", "read"};
    const recorded *h = w->h;
    json_t *value = o->kind == OP_READ_LIST ? json_of_list(h, o->value) : json_of_name(&h->values, o->value);
    json_put_event(w,
                   json_pack("{s:s, s:o, s:o, s:o}", "event", names_of[o->kind], "client",
                             json_of_name(&h->sessions, session), "address", json_of_name(&h->keys, o->key), "value",
                             value),
                   o->call, o->answer);
}

static void json_put_tx(writer *w, const recorded_tx *x) {
    json_put_plain(w, "open", x->session, x->begins, x->begins);
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        recorded_op o = recorded_get(w->h, i);
        json_put_op(w, x->session, &o);
    }
    if (x->outcome == TX_COMMITTED) json_put_plain(w, "commit", x->session, x->commits, x->ends);
    if (x->outcome == TX_ABORTED) json_put_plain(w, "abort", x->session, x->ends, x->ends);
    if (x->outcome == TX_PENDING) json_put_plain(w, "commit_call", x->session, x->commits, x->commits);
    if (x->outcome == TX_PENDING || x->outcome == TX_LIVE) json_put_plain(w, "left", x->session, x->begins, x->begins);
}

static void json_put_head(writer *w) {
    const recorded *h = w->h;
    json_t *o = json_pack("{s:o, s:b}", "initial", json_of_name(&h->values, h->common), "untimed", !h->has_times);
    json_t *at = json_object();
    for (uint32_t k = 0; k < h->initial.len; k++) {
        str name = {0};
        names_add(&h->keys, k, &name);
        if (h->initial.data[k])
            json_object_set_new(at, str_get(&name), json_of_name(&h->values, h->initial.data[k] - 1));
        str_free(&name);
    }
    json_object_set_new(o, "initial_at", at);
    char *text = json_dumps(o, JSON_ENSURE_ASCII);
    if (!text) w->why = "a name that is not UTF-8", w->has_failed = true;
    else w->has_failed = fprintf(w->out, "%.*s,\n \"events\": [", (int)strlen(text) - 1, text) < 0;
    free(text);
    json_decref(o);
}

bool json_write_recorded(const recorded *h, FILE *out, const char **why) {
    writer w = {.h = h, .out = out};
    json_put_head(&w);
    for (uint32_t t = 0; t < h->txs.len && !w.has_failed; t++) json_put_tx(&w, &h->txs.data[t]);
    w.has_failed = w.has_failed || fputs("]}\n", out) == EOF;
    *why = w.why;
    return !w.has_failed;
}
