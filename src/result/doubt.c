// SPDX-License-Identifier: Apache-2.0
// Doubts: see doubt.h.
#include "result/doubt.h"

#include <string.h>

const char *doubt_kind_text(doubt_kind k) {
    static const char *const texts[] = {
        [DOUBT_START] = "no start",    [DOUBT_NO_STEP] = "no step", [DOUBT_RULE] = "rule",
        [DOUBT_EXCLUDED] = "excluded", [DOUBT_PREMISE] = "premise", [DOUBT_BOUND] = "bound"};
    return texts[k];
}

void doubt_count_rule(result *r, const char *name, span at, uint64_t fired) {
    char *key = arena_printf(r->memory, "%u %u %s", at.file, at.begin, name);
    uint32_t known = map_intern(r->known, key, strlen(key), r->rules.len);
    if (known < r->rules.len) r->rules.data[known].fired += fired;
    else vec_push(&r->rules, (rule_count){arena_str(r->memory, name), at, fired});
}

// Keys of doubts begin with a letter, those of rules with a digit. A property may have several premises.
static const char *doubt_key(const result *r, const doubt *d) {
    int length = d->kind == DOUBT_PREMISE ? (int)d->what : 0;
    return arena_printf(r->memory, "doubt %d %s %.*s", (int)d->kind, d->subject, length, d->text);
}

bool doubt_has(const result *r, const doubt *d) { return map_get_str(r->known, doubt_key(r, d), 0); }

void doubt_add_again(result *r, const doubt *d) {
    if (doubt_has(r, d)) return;
    map_put_str(r->known, doubt_key(r, d), 1);
    vec_push(&r->doubts, ((doubt){d->kind, arena_str(r->memory, d->subject), arena_str(r->memory, d->text), d->what}));
}

void doubt_add_in(result *r, doubt_kind kind, const char *subject, const char *text, const char *where) {
    doubt_add_again(r, &(doubt){kind, subject, arena_printf(r->memory, "%s%s", text, where), (uint32_t)strlen(text)});
}

void doubt_add(result *r, doubt_kind kind, const char *subject, const char *text) {
    doubt_add_in(r, kind, subject, text, "");
}

void doubt_keep_common(result *r, const result *with) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->doubts.len; i++) {
        if (doubt_has(with, &r->doubts.data[i])) r->doubts.data[n++] = r->doubts.data[i];
        else map_put_str(r->known, doubt_key(r, &r->doubts.data[i]), 0);
    }
    r->doubts.len = n;
}

void doubt_forget(result *r) {
    for (uint32_t i = 0; i < r->doubts.len; i++) map_put_str(r->known, doubt_key(r, &r->doubts.data[i]), 0);
    r->doubts.len = 0;
}

void doubt_join(result *r, const result *from) {
    for (uint32_t i = 0; i < from->rules.len; i++)
        doubt_count_rule(r, from->rules.data[i].name, from->rules.data[i].at, from->rules.data[i].fired);
    for (uint32_t i = 0; i < from->doubts.len; i++) doubt_add_again(r, &from->doubts.data[i]);
}

bool doubt_be_strict(result *r) {
    bool is_changed = false;
    if (!r->doubts.len) return false;
    for (uint32_t i = 0; i < r->properties.len; i++) {
        result_property *p = &r->properties.data[i];
        if (p->verdict != VERDICT_HOLDS) continue;
        p->verdict = VERDICT_UNKNOWN;
        p->reason = result_text(r, "--strict: %s", r->doubts.data[0].text);
        is_changed = true;
    }
    if (r->verdict != VERDICT_HOLDS) return is_changed;
    r->verdict = VERDICT_UNKNOWN;
    if (!r->reason) r->reason = result_text(r, "--strict: %s", r->doubts.data[0].text);
    return true;
}
