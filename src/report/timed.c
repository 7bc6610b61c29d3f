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

static void timed_put_row(const char *time, const char *delay, int width, str *out) {
    str_printf(out, "    %*s  %*s  ", width, time, width, strcmp(delay, "0") == 0 ? "" : delay);
}

static void timed_put_step(const trace *t, uint32_t i, int width, const style *s, str *out) {
    const trace_step *st = &t->steps.data[i];
    timed_put_row(st->time, st->delay, width, out);
    if (t->loop == i) str_add(out, "(loop) ");
    trace_label_text(t->in, st->r, st->args, out);
    if (!st->after) str_printf(out, " %s", style_cross(s));
    timed_changes(t, i, "  ", s, out);
    str_char(out, '\n');
}

void timed_text(const trace *t, const style *s, const char *reason, str *out) {
    int width = widest(t);
    timed_put_row("time", "delay", width, out);
    str_add(out, "step\n");
    for (uint32_t i = 0; i < t->steps.len; i++) timed_put_step(t, i, width, s, out);
    timed_put_row(t->end_time, t->end_delay, width, out);
    style_add(s, ROLE_DIM, reason && *reason ? reason : "here", out);
    str_char(out, '\n');
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
