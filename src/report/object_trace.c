// SPDX-License-Identifier: Apache-2.0
// Traces as JSON objects: see object.h, and doc/json.md for the form.
#include "report/object.h"

#include "report/lanes.h"
#include "report/timed.h"
#include "result/cell.h"
#include "result/conflicts.h"
#include "result/refusal.h"

// ---- how a state is laid out

static json_t *function_arguments(const model *m, const func_info *f) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < f->nargs; i++) json_array_append_new(list, object_string(type_of(m, f->args[i])->name));
    return list;
}

static json_t *function_cells(const instance *in, func f) {
    const func_info *info = func_of(in->m, f);
    json_t *list = json_array();
    for (uint32_t c = in->first_cell[f.id]; c < in->ncells; c++) {
        value args[MODEL_MOST_ARGS];
        if (instance_cell_func(in, c, args).id != f.id) break;
        json_t *texts = json_array();
        str name = {0};
        cell_name(in, c, &name);
        for (uint32_t i = 0; i < info->nargs; i++) {
            str text = {0};
            cell_argument(in, info->args[i], args[i], &text);
            json_array_append_new(texts, object_take(&text));
        }
        json_array_append_new(list, json_pack("{s:o, s:o}", "cell", object_take(&name), "args", texts));
    }
    return list;
}

// The names of the elements of a sort, from 1; null for other types.
static json_t *element_names(const instance *in, type ty) {
    if (type_of(in->m, ty)->kind != TYPE_SORT) return json_null();
    json_t *list = json_array();
    for (uint32_t i = 0; i < instance_type_size(in, ty); i++) {
        str name = {0};
        cell_argument(in, ty, (value)i, &name);
        json_array_append_new(list, object_take(&name));
    }
    return list;
}

static json_t *function_object(const instance *in, func f) {
    static const char *const kinds[] = {"bool", "enum", "range", "sort", "union"};
    const func_info *info = func_of(in->m, f);
    const type_info *gives = type_of(in->m, info->result);
    sys first = func_of(in->m, sys_of(in->m, in->system)->funcs.data[0])->owner;
    return json_pack(
        "{s:o, s:o, s:b, s:o, s:s, s:o, s:o, s:o}", "name", object_string(info->spelling ? info->spelling : info->name),
        "part", object_string(sys_of(in->m, info->owner)->name), "specification", info->owner.id != first.id,
        "arguments", function_arguments(in->m, info), "kind", kinds[gives->kind], "type", object_string(gives->name),
        "elements", element_names(in, info->result), "cells", function_cells(in, f));
}

json_t *object_functions(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (!func_of(in->m, s->funcs.data[i])->is_scratch)
            json_array_append_new(list, function_object(in, s->funcs.data[i]));
    return list;
}

// ---- steps

static json_t *object_changes(const instance *in, const value *before, const value *after) {
    json_t *list = json_array();
    for (uint32_t c = 0; c < in->ncells; c++) {
        if (before[c] == after[c] || cell_is_local(in, c)) continue;
        str name = {0};
        cell_name(in, c, &name);
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "cell", object_take(&name), "from",
                                              object_value(in, cell_type(in, c), before[c]), "to",
                                              object_value(in, cell_type(in, c), after[c])));
    }
    return list;
}

static json_t *object_args(const instance *in, const rule_info *r, const value *args) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->nparams; i++)
        json_array_append_new(list, object_value(in, var_of(in->m, r->params[i])->ty, args[i]));
    return list;
}

// ---- timed runs

static const timed_info *timed_of(const trace *t) { return sys_of(t->in->m, t->in->system)->timed; }

static json_t *clock_values(const trace *t, const char *const *values) {
    json_t *list = json_array();
    for (uint32_t c = 1; values && c < timed_of(t)->clocks.len; c++)
        json_array_append_new(list, object_string(values[c - 1]));
    return list;
}

static void set_timed_step(json_t *o, const trace *t, uint32_t i) {
    const trace_step *st = &t->steps.data[i];
    timed_numbers who = {0};
    json_t *list = json_array();
    timed_participants(t, i, &who);
    for (uint32_t k = 0; k < who.len; k++) json_array_append_new(list, json_integer(who.data[k] + 1));
    if (who.len) json_object_set_new(o, "lane", json_integer(who.data[0] + 1));
    json_object_set_new(o, "moves", list);
    json_object_set_new(o, "channel", object_string_or_null(rule_of(t->in->m, st->r)->channel));
    vec_free(&who);
}

static json_t *process_object(const trace *t, uint32_t i) {
    str cell = {0};
    cell_name(t->in, t->in->first_cell[timed_of(t)->locations.data[i].id], &cell);
    return json_pack("{s:o, s:o}", "name", object_string(timed_of(t)->processes.data[i].name), "location",
                     object_take(&cell));
}

static void set_timed(json_t *o, const trace *t) {
    json_t *processes = json_array();
    for (uint32_t i = 0; i < timed_of(t)->processes.len; i++) json_array_append_new(processes, process_object(t, i));
    json_object_set_new(o, "processes", processes);
}

// The names of the clocks, and their values at the end.
static void set_clocks(json_t *o, const trace *t) {
    json_t *clocks = json_array();
    for (uint32_t c = 1; c < timed_of(t)->clocks.len; c++)
        json_array_append_new(clocks, object_string(timed_of(t)->clocks.data[c].name));
    json_object_set_new(o, "clocks", clocks);
    json_object_set_new(o, "end_clocks", clock_values(t, t->end_clocks));
}

// The acting element, from 1; where the rule is written; the whole label, which `label` may shorten.
static void set_drawn(json_t *o, const trace *t, const trace_step *st, const lanes_sort *lanes) {
    uint32_t param = lanes_param(t->in, lanes, st->r);
    str text = {0};
    cell_label(t->in, st->r, st->args, &text);
    json_object_set_new(o, "lane", param == LANES_NONE ? json_null() : json_integer(st->args[param] + 1));
    json_object_set_new(o, "text", object_take(&text));
    json_object_set_new(o, "at", object_place(t->in->m->messages, rule_of(t->in->m, st->r)->at));
    prop refined = sys_of(t->in->m, t->in->system)->refinement;
    if (!st->after && refined.id)
        json_object_set_new(o, "refused_at", object_place(t->in->m->messages, refusal_place(t->in->m, refined, st->r)));
}

static json_t *object_step(const trace *t, uint32_t i, object_detail detail, const lanes_sort *lanes) {
    const trace_step *st = &t->steps.data[i];
    const rule_info *r = rule_of(t->in->m, st->r);
    str label = {0};
    trace_label_text(t->in, st->r, st->args, &label);
    json_t *o =
        json_pack("{s:o, s:o, s:o, s:b, s:b, s:o}", "label", object_take(&label), "rule", object_string(r->name),
                  "args", object_args(t->in, r, st->args), "visible", r->is_visible, "refused", !st->after, "changes",
                  st->after ? object_changes(t->in, trace_state(t, i), st->after) : json_array());
    if (st->delay) json_object_set_new(o, "delay", object_string(st->delay));
    if (st->time) json_object_set_new(o, "time", object_string(st->time));
    if (st->clocks) json_object_set_new(o, "clocks", clock_values(t, st->clocks));
    if (detail >= OBJECT_DRAWN) set_drawn(o, t, st, lanes);
    if (detail >= OBJECT_DRAWN && timed_of(t)) set_timed_step(o, t, i);
    if (detail == OBJECT_STATES)
        json_object_set_new(o, "state", st->after ? object_state(t->in, st->after) : json_null());
    return o;
}

static json_t *object_lanes(const instance *in, const lanes_sort *lanes) {
    json_t *list = json_array();
    if (!lanes->sort.id) return list;
    for (uint32_t i = 0; i < instance_type_size(in, lanes->sort); i++) {
        str title = {0};
        lanes_title(in, lanes, (value)i, &title);
        json_array_append_new(list, object_take(&title));
    }
    return list;
}

// ---- why no order of the transactions is possible

static json_t *transaction_object(const instance *in, const conflicts_transaction *x, type thread) {
    static const char *const ends[] = {"running", "committed", "aborted"};
    return json_pack("{s:o, s:o, s:s, s:i, s:i}", "name", object_string(x->name), "thread",
                     object_value(in, thread, x->thread), "end", ends[x->end], "first", (int)x->first, "last",
                     (int)x->last);
}

static json_t *edge_object(const conflicts_edge *e) {
    return json_pack("{s:i, s:i, s:s, s:[i,i], s:o}", "from", (int)e->from, "to", (int)e->to, "kind",
                     conflict_kind_text(e->kind), "steps", (int)e->first, (int)e->last, "text", object_string(e->text));
}

static json_t *conflicts_object(const trace *t, const conflicts *c) {
    json_t *transactions = json_array(), *edges = json_array(), *cycle = json_array();
    for (uint32_t i = 0; i < c->transactions.len; i++)
        json_array_append_new(transactions, transaction_object(t->in, &c->transactions.data[i], c->thread_type));
    for (uint32_t i = 0; i < c->edges.len; i++) json_array_append_new(edges, edge_object(&c->edges.data[i]));
    for (uint32_t i = 0; i < c->cycle.len; i++) json_array_append_new(cycle, json_integer(c->cycle.data[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "sentence", object_string(c->sentence), "transactions", transactions,
                     "edges", edges, "cycle", cycle);
}

static void set_order(json_t *o, const trace *t) {
    conflicts *c = conflicts_find(t);
    if (c) json_object_set_new(o, "order", conflicts_object(t, c));
    conflicts_free(c);
}

// ---- whole traces

json_t *object_trace(const trace *t, const char *property, object_detail detail) {
    lanes_sort lanes = lanes_choose(t->in);
    str word = {0};
    trace_word_text(t, &word);
    json_t *steps = json_array();
    for (uint32_t i = 0; i < t->steps.len; i++) json_array_append_new(steps, object_step(t, i, detail, &lanes));
    json_t *o =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "format", "parvis-trace-1", "system",
                  object_string(sys_of(t->in->m, t->in->system)->name), "property", object_string_or_null(property),
                  "sizes", object_sizes(t->in), "word", object_take(&word), "length", (int)trace_word_length(t),
                  "initial", object_state(t->in, t->initial), "steps", steps);
    if (t->end_delay) json_object_set_new(o, "end_delay", object_string(t->end_delay));
    if (t->end_time) json_object_set_new(o, "end_time", object_string(t->end_time));
    if (t->end_time && timed_of(t)) set_clocks(o, t);
    json_object_set_new(o, "loop", t->loop == UINT32_MAX ? json_null() : json_integer(t->loop));
    set_order(o, t);
    if (detail >= OBJECT_DRAWN) json_object_set_new(o, "lanes", object_lanes(t->in, &lanes));
    if (detail >= OBJECT_DRAWN) json_object_set_new(o, "functions", object_functions(t->in));
    if (detail >= OBJECT_DRAWN && timed_of(t)) set_timed(o, t);
    return o;
}
