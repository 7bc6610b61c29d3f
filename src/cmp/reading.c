// SPDX-License-Identifier: Apache-2.0
// See reading.h.
#include "cmp/reading.h"

#include "model/print.h"
#include "pass/round_trip.h"
#include "pass/simplify.h"

static bool is_smaller(const reading *r) { return r->left_out.len || r->any_last.len || r->ntrips || r->forgotten.len; }

bool reading_differs(const reading *r) { return r->counters.len || r->asked.len || is_smaller(r); }

reading reading_take(reading_kind how, model *m, sys s, prop p, type sort) {
    reading r = {.how = how};
    switch (how) {
    case READ_AS_IS: break;
    case READ_WITHOUT_COUNTERS: counters_leave_out(m, s, sort, &r.counters); break;
    case READ_WITH_NAMES: asked_for_choose(m, s, sort, &r.asked); break;
    case READ_SMALLER:
        relevant_leave_out(m, s, p, sort, &r.left_out);
        last_round_choose(m, s, &r.any_last);
        r.ntrips = round_trip_leave_out(m, s);
        leftover_forget(m, s, p, false, &r.forgotten);
        if (is_smaller(&r)) simplify_system(m, s);
    }
    return r;
}

void reading_close(reading *r) {
    vec_free(&r->counters);
    vec_free(&r->asked);
    vec_free(&r->left_out);
    vec_free(&r->any_last);
    vec_free(&r->forgotten);
}

// ---- notes

static str *next_note(str *text) {
    if (text->len) str_add(text, "; ");
    return text;
}

static void add_names(const model *m, const func *list, uint32_t n, const char *what, str *text) {
    if (!n) return;
    next_note(text);
    for (uint32_t i = 0; i < n; i++) {
        const func_info *f = func_of(m, list[i]);
        str_printf(text, "%s%s", !i ? "" : i + 1 < n ? ", " : " and ", f->spelling ? f->spelling : f->name);
    }
    str_printf(text, n > 1 ? " are %s them" : " is %s it", what);
}

static void add_rule_notes(const model *m, const rule *list, uint32_t n, const char *what, str *text) {
    for (uint32_t i = 0; i < n; i++) str_printf(next_note(text), what, rule_of(m, list[i])->name);
}

void reading_add_range(const model *m, type sort, str *text) {
    const type_info *t = type_of(m, sort);
    if (!t->is_range) return;
    str_printf(next_note(text), "%s is a range (", t->name);
    diag_source_text(m->messages, t->at, text);
    str_add(text, ") whose numbers are only used as names: it is taken as a scalarset");
}

void reading_add_notes(const reading *r, const model *m, str *text) {
    for (uint32_t i = 0; i < r->counters.len; i++) {
        str_printf(next_note(text), "%s is always ", func_of(m, r->counters.data[i].counter)->name);
        print_expr(m, r->counters.data[i].is, text);
    }
    add_rule_notes(m, r->asked.data, r->asked.len, "the element that the guard of \"%s\" asks for is a parameter",
                   text);
    add_names(m, r->left_out.data, r->left_out.len, "left out: nothing depends on", text);
    add_rule_notes(m, r->any_last.data, r->any_last.len,
                   "the last round of a loop in \"%s\" may be that of any element", text);
    add_names(m, r->forgotten.data, r->forgotten.len, "forgotten where nothing reads", text);
}
