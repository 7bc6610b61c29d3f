// SPDX-License-Identifier: Apache-2.0
// Doubts: see doubt.h.
#include "result/doubt.h"

const char *doubt_kind_text(doubt_kind k) {
    switch (k) {
    case DOUBT_START: return "no start";
    case DOUBT_NO_STEP: return "no step";
    case DOUBT_RULE: return "rule";
    case DOUBT_EXCLUDED: return "excluded";
    case DOUBT_PREMISE: return "premise";
    case DOUBT_BOUND: break;
    }
    return "bound";
}

void doubt_count_rule(result *r, const char *name, span at, uint64_t fired) {
    for (uint32_t i = 0; i < r->rules.len; i++) {
        rule_count *c = &r->rules.data[i];
        bool same = c->at.file == at.file && c->at.begin == at.begin && str_same(c->name, name);
        if (!same) continue;
        c->fired += fired;
        return;
    }
    vec_push(&r->rules, (rule_count){arena_str(r->memory, name), at, fired});
}

bool doubt_has(const result *r, const doubt *d) {
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (r->doubts.data[i].kind == d->kind && str_same(r->doubts.data[i].subject, d->subject)) return true;
    return false;
}

void doubt_add(result *r, doubt_kind kind, const char *subject, const char *text) {
    doubt d = {kind, arena_str(r->memory, subject), arena_str(r->memory, text)};
    if (!doubt_has(r, &d)) vec_push(&r->doubts, d);
}

void doubt_join(result *r, const result *from) {
    for (uint32_t i = 0; i < from->rules.len; i++)
        doubt_count_rule(r, from->rules.data[i].name, from->rules.data[i].at, from->rules.data[i].fired);
    for (uint32_t i = 0; i < from->doubts.len; i++)
        doubt_add(r, from->doubts.data[i].kind, from->doubts.data[i].subject, from->doubts.data[i].text);
}

void doubt_be_strict(result *r) {
    if (!r->doubts.len || r->verdict != VERDICT_HOLDS) return;
    for (uint32_t i = 0; i < r->properties.len; i++) {
        result_property *p = &r->properties.data[i];
        if (p->verdict != VERDICT_HOLDS) continue;
        p->verdict = VERDICT_UNKNOWN;
        p->reason = result_text(r, "--strict: %s", r->doubts.data[0].text);
    }
    r->verdict = VERDICT_UNKNOWN;
    if (!r->reason) r->reason = result_text(r, "--strict: %s", r->doubts.data[0].text);
}
