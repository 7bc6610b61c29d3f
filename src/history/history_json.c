// SPDX-License-Identifier: Apache-2.0
// The JSON form of histories:
//
//   {"initial": 0, "initial_at": {"x": 5},     both optional
//    "events": [{"event": "read", "client": 1, "address": "x", "value": 0}, …]}
//
// Clients, addresses and values are strings or integers; 1 and "1" are the same.
#include "history/history.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    history *h;
    diag *messages;
} reader;

static bool json_wrong(reader *r, size_t index, const char *what) {
    return diag_error(r->messages, (span){r->h->file, 0, 0}, "event %zu: %s", index + 1, what);
}

static bool json_intern(map *names, const json_t *v, uint32_t *out) {
    char number[32];
    if (json_is_integer(v)) {
        int n = snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
        *out = history_intern(names, number, (size_t)n);
        return true;
    }
    if (!json_is_string(v) || !json_string_length(v)) return false;
    *out = history_intern(names, json_string_value(v), json_string_length(v));
    return true;
}

static bool json_read_field(reader *r, const json_t *o, size_t i, const char *field, map *names, uint32_t *out) {
    if (json_intern(names, json_object_get(o, field), out)) return true;
    return diag_error(r->messages, (span){r->h->file, 0, 0},
                      "event %zu: '%s' is missing, or neither a string nor an integer", i + 1, field);
}

static bool json_read_event(reader *r, const json_t *o, size_t i) {
    const json_t *name = json_object_get(o, "event");
    if (!json_is_string(name)) return json_wrong(r, i, "'event' is missing or not a string");
    event e = {.kind = event_kind_find(json_string_value(name), json_string_length(name))};
    if (e.kind == EVENT_KINDS)
        return json_wrong(r, i, "'event' is not one of open, read, write, commit, abort, nt_read, nt_write");
    if (!json_read_field(r, o, i, "client", r->h->clients, &e.client)) return false;
    if (event_is_access(e.kind) && (!json_read_field(r, o, i, "address", r->h->addresses, &e.address) ||
                                    !json_read_field(r, o, i, "value", r->h->values, &e.value)))
        return false;
    vec_push(&r->h->events, e);
    return true;
}

static bool json_read_initial(reader *r, const json_t *root) {
    json_t *common = json_object_get(root, "initial"), *at = json_object_get(root, "initial_at"), *v;
    const char *name;
    bool good = !common || json_intern(r->h->values, common, &r->h->common);
    json_object_foreach(at, name, v) {
        uint32_t value;
        good &= json_intern(r->h->values, v, &value);
        if (good) history_set_initial(r->h, history_intern(r->h->addresses, name, strlen(name)), value);
    }
    if (!good) diag_error(r->messages, (span){r->h->file, 0, 0}, "initial values are strings or integers");
    return good;
}

static bool read_root(reader *r, const json_t *root) {
    const json_t *events = json_object_get(root, "events"), *o;
    size_t i;
    bool good = json_is_object(root) && json_is_array(events);
    if (!good) diag_error(r->messages, (span){r->h->file, 0, 0}, "a history is an object with an array 'events'");
    if (!good || !json_read_initial(r, root)) return false;
    json_array_foreach(events, i, o) good &= json_read_event(r, o, i);
    return good;
}

bool history_read_json(history *h, diag *messages, const char *path, const char *text, size_t size) {
    json_error_t e;
    h->file = diag_add_file(messages, path, text, size);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &e);
    if (!root) {
        uint32_t at = e.position > 0 && (size_t)e.position <= size ? (uint32_t)e.position - 1 : 0;
        return diag_error(messages, (span){h->file, at, at + 1 <= size ? at + 1 : at}, "not JSON: %s", e.text);
    }
    reader r = {h, messages};
    bool good = read_root(&r, root);
    json_decref(root);
    return good;
}
