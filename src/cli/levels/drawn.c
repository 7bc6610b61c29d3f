// SPDX-License-Identifier: Apache-2.0
// What a page draws of a violated level: the transactions of the core, T1, T2, …, and some of those that ran meanwhile.
// Times are counted from the first of them, so that they are small numbers.
#include "cli/levels/levels.h"

#include "report/object.h"

enum { MOST_AROUND = 24, MOST_OPERATIONS = 200 };

typedef struct {
    const recorded *h;
    const level_report *x;
    uint64_t from, to;  // when the core ran
    json_t *list;
} drawing_core;

static bool is_in_core(const drawing_core *d, uint32_t tx) {
    for (uint32_t i = 0; i < d->x->core.txs.len; i++)
        if (d->x->core.txs.data[i] == tx) return true;
    return false;
}

static json_t *drawn_time(const drawing_core *d, uint64_t t) {
    if (!d->h->has_times || t == RECORDED_NEVER) return json_null();
    return json_integer((json_int_t)t - (json_int_t)d->from);
}

static json_t *drawn_name(const names *all, uint32_t number) {
    str text = {0};
    names_show(all, number, &text);
    return object_take(&text);
}

static json_t *drawn_value(const recorded *h, const recorded_op *o) {
    if (o->kind != OP_READ_LIST) return drawn_name(&h->values, o->value);
    uint32_t *elements, n;
    str text = {0};
    recorded_list_elements(h, o->value, &elements, &n);
    str_char(&text, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) str_char(&text, ' ');
        names_show(&h->values, elements[i], &text);
    }
    str_char(&text, ']');
    free(elements);
    return object_take(&text);
}

static json_t *drawn_operations(const drawing_core *d, const recorded_tx *t) {
    static const char *const kinds[] = {"read", "write", "append", "read"};
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->count && i < MOST_OPERATIONS; i++) {
        recorded_op o = recorded_get(d->h, t->first + i);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", kinds[o.kind], "key",
                                              drawn_name(&d->h->keys, o.key), "value", drawn_value(d->h, &o), "call",
                                              drawn_time(d, o.call), "answer", drawn_time(d, o.answer)));
    }
    return list;
}

// `number`: of the core, from 0; UINT32_MAX: it is around it.
static void draw_tx(drawing_core *d, uint32_t tx, uint32_t number) {
    static const char *const outcomes[] = {"committed", "aborted", "pending", "live"};
    const recorded_tx *t = &d->h->txs.data[tx];
    str name = {0};
    if (number != UINT32_MAX) explain_tx_name(number, &name);
    json_t *o = json_pack(
        "{s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:i}", "transaction", (int)tx, "name",
        name.len ? object_string(str_get(&name)) : json_null(), "session", drawn_name(&d->h->sessions, t->session),
        "outcome", outcomes[t->outcome], "begins", drawn_time(d, t->begins), "commits", drawn_time(d, t->commits),
        "ends", drawn_time(d, t->ends), "left_out", t->count > MOST_OPERATIONS ? (int)(t->count - MOST_OPERATIONS) : 0);
    json_object_set_new(o, "operations", drawn_operations(d, t));
    json_array_append_new(d->list, o);
    str_free(&name);
}

static void find_span(drawing_core *d) {
    d->from = UINT64_MAX;
    for (uint32_t i = 0; i < d->x->core.txs.len; i++) {
        const recorded_tx *t = &d->h->txs.data[d->x->core.txs.data[i]];
        uint64_t end = t->ends != RECORDED_NEVER ? t->ends : t->begins;
        if (t->begins < d->from) d->from = t->begins;
        if (end > d->to) d->to = end;
    }
}

static void draw_around(drawing_core *d) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < d->h->txs.len && n < MOST_AROUND; t++) {
        const recorded_tx *x = &d->h->txs.data[t];
        if (x->begins > d->to || (x->ends != RECORDED_NEVER && x->ends < d->from) || is_in_core(d, t)) continue;
        draw_tx(d, t, UINT32_MAX);
        n++;
    }
}

json_t *levels_drawn(const levels_run *r, const level_report *x) {
    drawing_core d = {.h = r->h, .x = x, .list = json_array()};
    find_span(&d);
    for (uint32_t i = 0; i < x->core.txs.len; i++) draw_tx(&d, x->core.txs.data[i], i);
    if (r->h->has_times) draw_around(&d);
    return d.list;
}
