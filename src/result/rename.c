// SPDX-License-Identifier: Apache-2.0
// Renaming elements in traces: see rename.h. Multisets are put into order again, so a step may choose another slot.
#include "result/rename.h"

#include "model/bag.h"

typedef struct {
    const instance *in;
    value **to;      // by type id: old element to new; NULL for what is not renamed
    uint32_t *next;  // by type id: the next new name
    bool is_identity;
} renaming;

static bool is_renamed(const instance *in, type ty) {
    const type_info *info = type_of(in->m, ty);
    return info->kind == TYPE_SORT && !info->is_ordered && !bag_orders(in->m, in->system, ty);
}

// The member of a union that a value belongs to; `v` becomes the value there, the result is where they begin.
static value enter_member(const instance *in, type *ty, value *v) {
    const type_info *info = type_of(in->m, *ty);
    value start = 0;
    for (uint32_t i = 0; i < info->nmembers; i++) {
        value size = (value)instance_type_size(in, info->members[i]);
        value first = instance_type_first(in, info->members[i]);
        *ty = info->members[i];
        if (*v - start < size || i + 1 == info->nmembers) return *v += first - start, start - first;
        start += size;
    }
    return 0;
}

static value renamed(const renaming *r, type ty, value v) {
    if (v == VALUE_UNDEFINED) return v;
    value start = enter_member(r->in, &ty, &v);
    return start + (r->to[ty.id] ? r->to[ty.id][v] : v);
}

static void see(renaming *r, type ty, value v) {
    enter_member(r->in, &ty, &v);
    value *to = r->to[ty.id];
    if (!to || to[v] >= 0) return;
    to[v] = (value)r->next[ty.id]++;
    r->is_identity &= to[v] == v;
}

static void begin(renaming *r, const instance *in) {
    *r = (renaming){.in = in, .is_identity = true};
    r->to = mem_zero(in->m->types.len, sizeof *r->to);
    r->next = mem_zero(in->m->types.len, sizeof *r->next);
    for (uint32_t i = 1; i < in->m->types.len; i++) {
        if (!is_renamed(in, (type){i})) continue;
        uint32_t n = instance_type_size(in, (type){i});
        r->to[i] = mem_alloc((n + 1) * sizeof **r->to);
        for (uint32_t v = 0; v < n; v++) r->to[i][v] = -1;
    }
}

static void see_steps(renaming *r, const trace *t) {
    for (uint32_t i = 0; i < t->steps.len; i++) {
        const rule_info *info = rule_of(r->in->m, t->steps.data[i].r);
        for (uint32_t k = 0; k < info->nparams; k++)
            see(r, var_of(r->in->m, info->params[k])->ty, t->steps.data[i].args[k]);
    }
}

// Elements that never move keep their order, after those that do.
static void see_rest(renaming *r) {
    for (uint32_t i = 1; i < r->in->m->types.len; i++)
        if (r->to[i])
            for (uint32_t v = 0; v < instance_type_size(r->in, (type){i}); v++) see(r, (type){i}, (value)v);
}

static uint32_t most_args(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (func_of(in->m, s->funcs.data[i])->nargs > most) most = func_of(in->m, s->funcs.data[i])->nargs;
    return most;
}

static void rename_cells(const renaming *r, const value *from, value *to) {
    value args[most_args(r->in) + 1];
    for (uint32_t c = 0; c < r->in->ncells; c++) {
        func f = instance_cell_func(r->in, c, args);
        const func_info *info = func_of(r->in->m, f);
        for (uint32_t i = 0; i < info->nargs; i++) args[i] = renamed(r, info->args[i], args[i]);
        to[instance_cell(r->in, f, args)] = renamed(r, info->result, from[c]);
    }
    bag_order(r->in, to);
}

// ---- slots that steps choose

typedef struct {
    const instance *in;
    eval *ev;
    value *after;
} chooser;

static fault fault_of_step(const chooser *c, const value *state, const trace_step *step) {
    if (eval_enabled(c->ev, state, step->r, step->args)) eval_fire(c->ev, state, step->r, step->args, c->after);
    return eval_fault(c->ev);
}

static bool is_same_fault(fault a, fault b) {
    return a.kind == b.kind && a.at.file == b.at.file && a.at.begin == b.at.begin;
}

// The step with its parameters from k on that are slots as they have to be; false if there are none.
static bool choose_slots(const chooser *c, const value *state, trace_step *step, value *args, fault wanted,
                         uint32_t k) {
    const rule_info *info = rule_of(c->in->m, step->r);
    while (k < info->nparams && !bag_orders(c->in->m, c->in->system, var_of(c->in->m, info->params[k])->ty)) k++;
    if (k == info->nparams)
        return trace_follows(c->ev, c->in, state, step, c->after) &&
               (step->after || is_same_fault(fault_of_step(c, state, step), wanted));
    uint32_t n = instance_type_size(c->in, var_of(c->in->m, info->params[k])->ty);
    for (uint32_t slot = 0; slot < n; slot++) {
        args[k] = (value)slot;
        if (choose_slots(c, state, step, args, wanted, k + 1)) return true;
    }
    return false;
}

static trace *apply(const renaming *r, const trace *t) {
    value *cells = mem_zero(r->in->ncells + 1, sizeof *cells);
    chooser c = {r->in, eval_new(r->in), mem_zero(r->in->ncells + 1, sizeof *c.after)};
    rename_cells(r, t->initial, cells);
    trace *out = trace_new(r->in, cells);
    for (uint32_t i = 0; i < t->steps.len; i++) {
        const trace_step *st = &t->steps.data[i];
        const rule_info *info = rule_of(r->in->m, st->r);
        value args[info->nparams + 1];
        for (uint32_t k = 0; k < info->nparams; k++)
            args[k] = renamed(r, var_of(r->in->m, info->params[k])->ty, st->args[k]);
        if (st->after) rename_cells(r, st->after, cells);
        trace_step step = {.r = st->r, .args = args, .after = st->after ? cells : NULL};
        fault wanted = st->after ? (fault){0} : fault_of_step(&c, trace_state(t, i), st);
        choose_slots(&c, trace_state(out, i), &step, args, wanted, 0);
        trace_add(out, st->r, args, step.after);
    }
    out->loop = t->loop;
    eval_free(c.ev);
    free(c.after);
    free(cells);
    return out;
}

static bool replays(const trace *t) {
    str why = {0};
    bool ok = trace_replay(t, &why);
    str_free(&why);
    return ok;
}

trace *rename_by_appearance(const trace *t) {
    renaming r;
    trace *out = NULL;
    begin(&r, t->in);
    see_steps(&r, t);
    see_rest(&r);
    if (!r.is_identity) out = apply(&r, t);
    for (uint32_t i = 1; i < t->in->m->types.len; i++) free(r.to[i]);
    free(r.to);
    free(r.next);
    if (!out || replays(out)) return out;
    trace_free(out);
    return NULL;
}
