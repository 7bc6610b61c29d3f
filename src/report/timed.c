// SPDX-License-Identifier: Apache-2.0
// A concrete timed run as text: see timed.h. The steps name the locations, so only other changes are
// listed.
#include "report/timed.h"

#include <string.h>

static int widest(const trace *t) {
    size_t w = strlen("delay");
    for (uint32_t i = 0; i < t->steps.len; i++) {
        size_t a = strlen(t->steps.data[i].time), b = strlen(t->steps.data[i].delay);
        w = a > w ? a : b > w ? b : w;
    }
    return (int)(strlen(t->end_time) > w ? strlen(t->end_time) : w);
}

void timed_clocks(const trace *t, const char *const *values, const char *separator, str *out) {
    const timed_info *timed = sys_of(t->in->m, t->in->system)->timed;
    for (uint32_t c = 1; values && c < timed->clocks.len; c++)
        str_printf(out, "%s%s = %s", c > 1 ? separator : "", timed->clocks.data[c].name, values[c - 1]);
}

static bool is_location(const instance *in, func f) {
    const timed_info *timed = sys_of(in->m, in->system)->timed;
    for (uint32_t i = 0; timed && i < timed->locations.len; i++)
        if (timed->locations.data[i].id == f.id) return true;
    return false;
}

static void timed_put_cell(const instance *in, uint32_t cell, const value *before, const value *after,
                           const char *separator, const style *s, str *out) {
    value args[MODEL_MOST_ARGS];
    func f = instance_cell_func(in, cell, args);
    const func_info *info = func_of(in->m, f);
    if (before[cell] == after[cell] || is_location(in, f) || info->is_scratch) return;
    str_printf(out, "%s%s", separator, info->name);
    for (uint32_t i = 0; i < info->nargs; i++) str_printf(out, "[%d]", args[i]);
    str_add(out, ": ");
    instance_value_text(in, info->result, before[cell], out);
    str_printf(out, " %s ", style_arrow(s));
    instance_value_text(in, info->result, after[cell], out);
}

void timed_changes(const trace *t, uint32_t i, const char *separator, const style *s, str *out) {
    const trace_step *st = &t->steps.data[i];
    for (uint32_t c = 0; st->after && c < t->in->ncells; c++)
        timed_put_cell(t->in, c, trace_state(t, i), st->after, separator, s, out);
}

void timed_state(const instance *in, const value *cells, const style *s, unsigned indent, str *out) {
    const timed_info *timed = sys_of(in->m, in->system)->timed;
    style_flow f;
    style_flow_begin(&f, s, out, indent, indent);
    f.gap = 2;
    str word = {0};
    for (uint32_t i = 0; i < timed->processes.len; i++) {
        func at = timed->locations.data[i];
        str_clear(&word);
        str_printf(&word, "%s.", timed->processes.data[i].name);
        instance_value_text(in, func_of(in->m, at)->result, cells[in->first_cell[at.id]], &word);
        style_flow_word(&f, ROLE_STRONG, str_get(&word));
    }
    for (uint32_t c = 0; c < in->ncells; c++) {
        value args[MODEL_MOST_ARGS];
        func at = instance_cell_func(in, c, args);
        if (is_location(in, at) || func_of(in->m, at)->is_scratch) continue;
        str_clear(&word);
        str_add(&word, func_of(in->m, at)->name);
        for (uint32_t i = 0; i < func_of(in->m, at)->nargs; i++) str_printf(&word, "[%d]", args[i]);
        str_add(&word, " = ");
        instance_value_text(in, func_of(in->m, at)->result, cells[c], &word);
        style_flow_word(&f, ROLE_PLAIN, str_get(&word));
    }
    str_free(&word);
    str_char(out, '\n');
}

static void timed_put_row(const char *time, const char *delay, int width, str *out) {
    str_printf(out, "    %*s  %*s  ", width, time, width, strcmp(delay, "0") == 0 ? "" : delay);
}

static void timed_put_clocks(const trace *t, const char *const *values, const style *s, unsigned indent, str *out) {
    const timed_info *timed = sys_of(t->in->m, t->in->system)->timed;
    style_flow f;
    if (!values || timed->clocks.len < 2) return;
    str_pad(out, ' ', indent);
    style_flow_begin(&f, s, out, indent, indent);
    f.gap = 2;
    for (uint32_t c = 1; c < timed->clocks.len; c++) {
        str word = {0};
        str_printf(&word, "%s = %s", timed->clocks.data[c].name, values[c - 1]);
        style_flow_word(&f, ROLE_DIM, str_get(&word));
        str_free(&word);
    }
    str_char(out, '\n');
}

static void timed_put_full(const trace *t, const value *cells, const char *const *clocks, int width, const style *s,
                           str *out) {
    unsigned indent = 4 + 2 * (unsigned)width + 4 + 2;
    str_pad(out, ' ', indent);
    timed_state(t->in, cells, s, indent, out);
    timed_put_clocks(t, clocks, s, indent, out);
}

static void timed_put_step(const trace *t, uint32_t i, int width, const style *s, bool full, str *out) {
    const trace_step *st = &t->steps.data[i];
    timed_put_row(st->time, st->delay, width, out);
    if (t->loop == i) str_add(out, "(loop) ");
    trace_label_text(t->in, st->r, st->args, out);
    if (!st->after) str_printf(out, " %s", style_cross(s));
    if (!full) timed_changes(t, i, "  ", s, out);
    str_char(out, '\n');
    if (full && st->after) timed_put_full(t, st->after, st->clocks, width, s, out);
}

void timed_text(const trace *t, const style *s, const char *reason, bool full, str *out) {
    int width = widest(t);
    timed_put_row("time", "delay", width, out);
    str_add(out, "step\n");
    for (uint32_t i = 0; i < t->steps.len; i++) timed_put_step(t, i, width, s, full, out);
    timed_put_row(t->end_time, t->end_delay, width, out);
    style_add(s, ROLE_DIM, reason && *reason ? reason : "here", out);
    str_char(out, '\n');
    bool is_later = t->end_clocks && strcmp(t->end_delay, "0") != 0;
    if (full && is_later) timed_put_full(t, trace_state(t, t->steps.len), t->end_clocks, width, s, out);
}

// ---- why it ends

enum { LONGEST_FORMULA = 80 };

void timed_end(const result_property *p, str *out) {
    const model *m = p->trace->in->m;
    query_kind kind = p->property.id ? prop_of(m, p->property)->query : QUERY_KEEPS;
    bool is_reached = kind == QUERY_POSSIBLY && p->verdict == VERDICT_HOLDS;
    bool is_broken = kind == QUERY_ALWAYS && p->verdict == VERDICT_VIOLATED;
    const char *formula = (is_reached || is_broken) && strlen(p->name) > 4 ? p->name + 4 : "";
    if (p->reason && *p->reason) str_add(out, p->reason);
    else if (str_same(formula, is_reached ? "deadlock" : "not deadlock"))
        str_add(out, "nothing can happen here, now or later: a deadlock");
    else if (*formula && strlen(formula) <= LONGEST_FORMULA)
        str_printf(out, "%s %s", is_reached ? "satisfies" : "violates", formula);
    else if (*formula) str_printf(out, "the query's formula %s here", is_reached ? "holds" : "does not hold");
    else if (p->property.id && kind != QUERY_SUP && kind != QUERY_INF)
        str_add(out, "nothing can happen here, now or later");
}

// ---- who takes part

static bool timed_moves(const trace *t, uint32_t step, uint32_t process) {
    const trace_step *s = &t->steps.data[step];
    const timed_info *timed = sys_of(t->in->m, t->in->system)->timed;
    uint32_t cell = t->in->first_cell[timed->locations.data[process].id];
    return s->after && trace_state(t, step)[cell] != s->after[cell];
}

bool timed_has(const timed_numbers *list, uint32_t n) {
    for (uint32_t i = 0; i < list->len; i++)
        if (list->data[i] == n) return true;
    return false;
}

void timed_participants(const trace *t, uint32_t step, timed_numbers *out) {
    const rule_info *r = rule_of(t->in->m, t->steps.data[step].r);
    const timed_info *timed = sys_of(t->in->m, t->in->system)->timed;
    for (uint32_t i = 0; i < r->nmoves; i++) vec_push(out, r->moves[i].process);
    for (uint32_t p = 0; p < timed->processes.len; p++)
        if (timed_moves(t, step, p) && !timed_has(out, p)) vec_push(out, p);
}
