// SPDX-License-Identifier: Apache-2.0
// Answers about levels of recorded histories as JSON: see doc/json.md.
#include "cli/levels/levels.h"

#include "report/object.h"

enum { MOST_LISTED = 100000 };  // points of an order

static json_t *order_object(const level_answer *a) {
    if (a->verdict != ORDER_YES || a->witness.norder > MOST_LISTED) return json_null();
    json_t *list = json_array();
    for (uint32_t i = 0; i < a->witness.norder; i++) {
        uint32_t v = a->witness.order[i];
        if (!level_is_snapshot(a->level)) json_array_append_new(list, json_integer(v));
        else json_array_append_new(list, json_pack("[s, i]", v & 1 ? "commit" : "snapshot", (int)(v / 2)));
    }
    return list;
}

static json_t *edges_object(const level_report *x) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < x->explanation.edges.len; i++) {
        const explained_edge *e = &x->explanation.edges.data[i];
        json_array_append_new(list, json_pack("{s:i, s:i, s:s, s:o}", "from", (int)x->core.txs.data[e->from], "to",
                                              (int)x->core.txs.data[e->to], "kind", why_name(e->kind), "text",
                                              object_string(str_get(&e->text))));
    }
    return list;
}

static json_t *core_object(const levels_run *r, const level_report *x) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < x->core.txs.len; i++) {
        const recorded_tx *t = &r->h->txs.data[x->core.txs.data[i]];
        str session_name = {0}, text = {0};
        names_add(&r->h->sessions, t->session, &session_name);
        text_add_tx(&x->core.h, i, &text);
        json_array_append_new(list, json_pack("{s:i, s:o, s:o}", "transaction", (int)x->core.txs.data[i], "session",
                                              object_take(&session_name), "events", object_take(&text)));
    }
    return list;
}

static json_t *level_object(const levels_run *r, level l) {
    const level_report *x = &r->of[l];
    json_t *o = json_pack("{s:s, s:s, s:o, s:f}", "level", level_name(l), "verdict",
                          verdict_text(levels_verdict(x->answer.verdict)), "reason",
                          object_string_or_null(x->answer.verdict == ORDER_UNKNOWN ? x->answer.why : NULL), "seconds",
                          x->answer.seconds);
    if (x->answer.verdict == ORDER_YES) json_object_set_new(o, "order", order_object(&x->answer));
    if (x->answer.verdict != ORDER_NO) return o;
    if (x->same_as != l) json_object_set_new(o, "as", json_string(level_name(x->same_as)));
    if (!x->has_core) return o;
    json_object_set_new(o, "anomaly", object_string_or_null(x->explanation.anomaly));
    json_object_set_new(o, "explanation", object_string(str_get(&x->explanation.text)));
    json_object_set_new(o, "cycle", edges_object(x));
    json_object_set_new(o, "core", core_object(r, x));
    if (session_detail(r->s) >= OBJECT_DRAWN) json_object_set_new(o, "drawn", levels_drawn(r, x));
    json_object_set_new(o, "tried_all_orders", json_boolean(x->core.kind == CORE_CONFIRMED));
    return o;
}

json_t *levels_object(const levels_run *r) {
    json_t *list = json_array();
    verdict all = VERDICT_HOLDS;
    for (uint32_t l = 0; l < LEVEL_COUNT; l++) {
        if (!r->of[l].is_asked) continue;
        json_array_append_new(list, level_object(r, (level)l));
        all = verdict_join(all, levels_verdict(r->of[l].answer.verdict));
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:b, s:o}", "verdict", verdict_text(all), "events", (json_int_t)r->h->events,
                     "sessions", (json_int_t)names_count(&r->h->sessions), "transactions", (json_int_t)r->h->txs.len,
                     "times", r->h->has_times, "levels", list);
}
