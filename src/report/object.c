// SPDX-License-Identifier: Apache-2.0
// Results as JSON objects: see object.h.
#include "report/object.h"

#include "model/real.h"
#include "result/cell.h"
#include "result/doubt.h"

#include <string.h>

enum { MOST_LEVELS = 10000 };

// ---- strings and printing

json_t *object_string(const char *text) {
    json_t *whole = json_string(text);
    if (whole) return whole;
    str s = {0};
    uint32_t code;
    for (size_t n; *text; text += n ? n : 1) {
        n = str_decode(text, SIZE_MAX, &code);
        if (n) str_addn(&s, text, n);
        else str_add(&s, "\xEF\xBF\xBD");
    }
    whole = json_string(str_get(&s));
    str_free(&s);
    return whole;
}

json_t *object_string_or_null(const char *text) { return text ? object_string(text) : json_null(); }

json_t *object_take(str *s) {
    json_t *j = object_string(str_get(s));
    str_free(s);
    return j;
}

void object_print(const json_t *object, str *out) {
    char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
    str_add(out, text);
    str_char(out, '\n');
    free(text);
}

// ---- values and states

json_t *object_value(const instance *in, type ty, value v) {
    const type_info *info = type_of(in->m, ty);
    if (v == VALUE_UNDEFINED) return json_null();
    switch (info->kind) {
    case TYPE_BOOL: return json_boolean(v);
    case TYPE_ENUM: return object_string(info->literals[v]);
    case TYPE_RANGE: return json_integer(v);
    case TYPE_SORT: return json_integer(v + 1);
    case TYPE_REAL:
    case TYPE_UNION: {
        str text = {0};
        instance_value_text(in, ty, v, &text);
        return object_take(&text);
    }
    }
    return json_null();
}

static bool object_read_literal(const type_info *info, const char *name, value *v) {
    for (uint32_t i = 0; name && i < info->nliterals; i++)
        if (str_same(info->literals[i], name)) {
            *v = (value)i;
            return true;
        }
    return false;
}

static bool object_read_number(const json_t *j, int64_t low, int64_t high, value *v) {
    if (!json_is_integer(j) || json_integer_value(j) < low || json_integer_value(j) > high) return false;
    *v = (value)json_integer_value(j);
    return true;
}

// A union's value is known by its text.
static bool read_member(const instance *in, type ty, const char *text, value *v) {
    bool found = false;
    str s = {0};
    for (uint32_t i = 0; text && !found && i < instance_type_size(in, ty); i++) {
        str_clear(&s);
        instance_value_text(in, ty, (value)i, &s);
        found = str_same(str_get(&s), text);
        *v = (value)i;
    }
    str_free(&s);
    return found;
}

bool object_read_value(const instance *in, type ty, const json_t *j, value *v) {
    const type_info *info = type_of(in->m, ty);
    if (json_is_null(j)) {
        *v = VALUE_UNDEFINED;
        return true;
    }
    switch (info->kind) {
    case TYPE_BOOL: *v = json_is_true(j); return json_is_boolean(j);
    case TYPE_ENUM: return object_read_literal(info, json_string_value(j), v);
    case TYPE_RANGE: return object_read_number(j, info->lo, info->hi, v);
    case TYPE_SORT:
        if (!object_read_number(j, 1, instance_type_size(in, ty), v)) return false;
        *v -= 1;
        return true;
    case TYPE_REAL: return json_is_string(j) && real_read(info, json_string_value(j), v);
    case TYPE_UNION: return read_member(in, ty, json_string_value(j), v);
    }
    return false;
}

json_t *object_state(const instance *in, const value *state) {
    json_t *o = json_object();
    str name = {0};
    for (uint32_t c = 0; c < in->ncells; c++) {
        if (cell_is_local(in, c)) continue;
        str_clear(&name);
        cell_name(in, c, &name);
        json_object_set_new(o, str_get(&name), object_value(in, cell_type(in, c), state[c]));
    }
    str_free(&name);
    return o;
}

json_t *object_sizes(const instance *in) {
    json_t *o = json_object();
    type_list sorts = {0};
    instance_sorts(in->m, in->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++)
        json_object_set_new(o, type_of(in->m, sorts.data[i])->name,
                            json_integer(instance_type_size(in, sorts.data[i])));
    vec_free(&sorts);
    return o;
}

// ---- results

json_t *object_stats(const result_stats *st) {
    const char *counted = st->is_heuristic ? "representatives" : st->is_reduced ? "orbits" : "states";
    json_t *o =
        json_pack("{s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:b, s:s}", "states", (json_int_t)st->states, "transitions",
                  (json_int_t)st->transitions, "depth", (json_int_t)st->depth, "seconds", st->seconds, "memory_bytes",
                  (json_int_t)st->memory_bytes, "state_bits", (json_int_t)st->state_bits, "threads",
                  (json_int_t)st->threads, "symmetry", st->is_reduced, "counted", counted);
    if (st->disk_bytes) json_object_set_new(o, "disk_bytes", json_integer((json_int_t)st->disk_bytes));
    if (st->ranks) json_object_set_new(o, "ranks", json_integer((json_int_t)st->ranks));
    if (st->ranks) json_object_set_new(o, "sent_bytes", json_integer((json_int_t)st->sent_bytes));
    if (st->ranks) json_object_set_new(o, "sent_states", json_integer((json_int_t)st->sent_states));
    if (st->live_states) json_object_set_new(o, "live_states", json_integer((json_int_t)st->live_states));
    if (st->symmetry) json_object_set_new(o, "symmetry_note", object_string(st->symmetry));
    json_object_set_new(o, "engine", object_string_or_null(st->engine));
    json_object_set_new(o, "compile_seconds", json_real(st->compile_seconds));
    if (st->omission > 0) json_object_set_new(o, "omission_probability", json_real(st->omission));
    return o;
}

// What a property, a result and several together begin with; reason and trace follow.
static json_t *object_answer(verdict v, const char *scope, const result_stats *st, const char *reason, json_t *run) {
    json_t *o = json_pack("{s:s, s:o}", "verdict", verdict_text(v), "scope", object_string_or_null(scope));
    json_object_update_new(o, object_stats(st));
    json_object_set_new(o, "reason", object_string_or_null(reason));
    json_object_set_new(o, "trace", run);
    return o;
}

static json_t *trace_or_null(const result_property *p, object_detail detail) {
    return p && p->trace ? object_trace(p->trace, p->name, detail) : json_null();
}

static json_t *object_property(const char *scope, const result_property *p, object_detail detail) {
    json_t *o = json_pack("{s:o}", "name", object_string(p->name));
    json_object_update_new(o, object_answer(p->verdict, scope, &p->stats, p->reason, trace_or_null(p, detail)));
    return o;
}

static const result_property *first_with(const result *r, verdict v) {
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (r->properties.data[i].verdict == v) return &r->properties.data[i];
    return NULL;
}

static const char *object_reason_of(const result *r) {
    if (r->reason || r->verdict == VERDICT_HOLDS) return r->reason;
    const result_property *p = first_with(r, r->verdict);
    return p ? p->reason : NULL;
}

void object_set_self_checks(json_t *o, const result *const *runs, uint32_t count) {
    result sum = {.memory = arena_new()};
    json_t *all = json_object();
    for (uint32_t i = 0; i < count; i++) result_join_self_checks(&sum, runs[i]);
    for (uint32_t i = 0; i < sum.self_checks.len; i++) {
        const self_check *c = &sum.self_checks.data[i];
        json_object_set_new(
            all, c->what,
            json_pack("{s:I, s:o}", "samples", (json_int_t)c->samples, "failure", object_string_or_null(c->failure)));
    }
    if (sum.self_checks.len) json_object_set(o, "self_check", all);
    json_decref(all);
    vec_free(&sum.self_checks);
    arena_free(sum.memory);
}

static json_t *object_rules(const result *r) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->rules.len; i++) {
        const rule_count *c = &r->rules.data[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:I}", "name", object_string(c->name), "fired", (json_int_t)c->fired));
    }
    return list;
}

json_t *object_doubts(const result *r) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->doubts.len; i++) {
        const doubt *d = &r->doubts.data[i];
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "kind", doubt_kind_text(d->kind), "subject",
                                              object_string(d->subject), "text", object_string(d->text)));
    }
    return list;
}

// A list that nobody reads is left out.
static void object_set_levels(json_t *o, const result *r) {
    if (!r->levels.len || r->levels.len > MOST_LEVELS) return;
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->levels.len; i++)
        json_array_append_new(list, json_integer((json_int_t)r->levels.data[i]));
    json_object_set_new(o, "states_by_depth", list);
}

json_t *object_result(const result *r, object_detail detail) {
    json_t *list = json_array(), *run = trace_or_null(first_with(r, VERDICT_VIOLATED), detail);
    json_t *o = object_answer(r->verdict, r->scope, &r->stats, object_reason_of(r), run);
    object_set_self_checks(o, (const result *const[]){r}, 1);
    for (uint32_t i = 0; i < r->properties.len; i++)
        json_array_append_new(list, object_property(r->scope, &r->properties.data[i], detail));
    json_object_set_new(o, "properties", list);
    if (r->rules.len) json_object_set_new(o, "rules", object_rules(r));
    object_set_levels(o, r);
    if (r->doubts.len) json_object_set_new(o, "doubts", object_doubts(r));
    return o;
}

// ---- a range of sizes

// The entry of a property in the run that decides its joint verdict: the first violated, else unknown, else the last.
static const result_property *deciding_run(const result *const *runs, uint32_t count, const char *name,
                                           const result **run) {
    const result_property *found = NULL;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < runs[i]->properties.len; j++) {
            const result_property *p = &runs[i]->properties.data[j];
            if (!str_same(p->name, name)) continue;
            if (found && found->verdict != VERDICT_HOLDS && verdict_join(found->verdict, p->verdict) == found->verdict)
                continue;
            found = p;
            *run = runs[i];
        }
    return found;
}

static bool has_property(const json_t *list, const char *name) {
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) {
        if (str_same(json_string_value(json_object_get(entry, "name")), name)) return true;
    }
    return false;
}

static json_t *joint_properties(const result *const *runs, uint32_t count, const char *scope, object_detail detail) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < runs[i]->properties.len; j++) {
            const char *name = runs[i]->properties.data[j].name;
            if (has_property(list, name)) continue;
            const result *run = runs[i];
            const result_property *p = deciding_run(runs, count, name, &run);
            const char *own = p->verdict == VERDICT_HOLDS ? scope : run->scope;
            json_array_append_new(list, object_property(own, p, detail));
        }
    return list;
}

// The run whose verdict is that of the whole: the first such.
static const result *run_with(const result *const *runs, uint32_t count, verdict v) {
    for (uint32_t i = 0; i < count; i++)
        if (runs[i]->verdict == v) return runs[i];
    return runs[0];
}

json_t *object_runs(const result *const *runs, uint32_t count, const char *scope, object_detail detail) {
    result sum = {0};  // only its statistics
    verdict v = verdict_of_runs(runs, count);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        result_add_stats(&sum, &runs[i]->stats);
        json_array_append_new(list, object_result(runs[i], detail));
    }
    const result *chosen = run_with(runs, count, v);
    json_t *run = trace_or_null(first_with(chosen, VERDICT_VIOLATED), detail);
    json_t *o = object_answer(v, scope, &sum.stats, object_reason_of(chosen), run);
    object_set_self_checks(o, runs, count);
    json_object_set_new(o, "properties", joint_properties(runs, count, scope, detail));
    json_object_set_new(o, "runs", list);
    return o;
}

// ---- messages

json_t *object_place(const diag *d, span at) {
    uint32_t line, column;
    if (!at.file) return json_null();
    diag_place(d, at, &line, &column);
    return json_pack("{s:o, s:i, s:i}", "file", object_string(diag_file_path(d, at.file)), "line", (int)line, "column",
                     (int)column);
}

static json_t *object_message(const diag *d, const diag_message *m) {
    uint32_t line, column;
    if (!m->at.file)
        return json_pack("{s:n, s:n, s:n, s:o}", "file", "line", "column", "message", object_string(m->text));
    diag_place(d, m->at, &line, &column);
    return json_pack("{s:o, s:i, s:i, s:o}", "file", object_string(diag_file_path(d, m->at.file)), "line", (int)line,
                     "column", (int)column, "message", object_string(m->text));
}

json_t *object_messages(const diag *d, diag_level level) {
    json_t *list = json_array(), *notes = NULL;
    for (uint32_t i = 0; i < diag_count(d); i++) {
        diag_message m = diag_get(d, i);
        if (m.level == DIAG_NOTE) {
            if (notes) json_array_append_new(notes, object_message(d, &m));
            continue;
        }
        notes = NULL;
        if (m.level != level) continue;
        json_t *o = object_message(d, &m);
        notes = json_array();
        json_object_set_new(o, "notes", notes);
        json_array_append_new(list, o);
    }
    return list;
}
