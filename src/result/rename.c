// SPDX-License-Identifier: Apache-2.0
// Renaming elements in traces: see rename.h. Multisets are put into order again, so a step may choose another slot.
#include "result/rename.h"

#include "model/bag.h"
#include "model/renaming.h"

typedef struct {
    renaming *names;
    uint32_t *next;  // by type id: the next new name
    bool is_identity;
} numbering;

static bool is_renamed(const instance *in, type ty) {
    const type_info *info = type_of(in->m, ty);
    return info->kind == TYPE_SORT && !info->is_ordered && !bag_orders(in->m, in->system, ty);
}

// The member of a union that a value belongs to; `v` becomes the value there.
static type enter_member(const instance *in, type ty, value *v) {
    const type_info *info = type_of(in->m, ty);
    value start = 0;
    for (uint32_t i = 0; i < info->nmembers; i++) {
        value size = (value)instance_type_size(in, info->members[i]);
        if (*v < start + size) {
            *v += instance_type_first(in, info->members[i]) - start;
            return enter_member(in, info->members[i], v);
        }
        start += size;
    }
    return ty;
}

static void rename_see(numbering *n, type ty, value v) {
    ty = enter_member(n->names->in, ty, &v);
    value *to = n->names->to[ty.id];
    if (!to || to[v] >= 0) return;
    to[v] = (value)n->next[ty.id]++;
    n->is_identity &= to[v] == v;
}

static void rename_begin(numbering *n, const instance *in) {
    *n = (numbering){.names = renaming_new(in), .is_identity = true};
    n->next = mem_zero(in->m->types.len, sizeof *n->next);
    for (uint32_t i = 1; i < in->m->types.len; i++) {
        if (!is_renamed(in, (type){i})) continue;
        value *to = renaming_open(n->names, (type){i});
        for (uint32_t v = 0; v < instance_type_size(in, (type){i}); v++) to[v] = -1;
    }
}

static void see_steps(numbering *n, const trace *t) {
    for (uint32_t i = 0; i < t->steps.len; i++) {
        const rule_info *info = rule_of(t->in->m, t->steps.data[i].r);
        for (uint32_t k = 0; k < info->nparams; k++)
            rename_see(n, var_of(t->in->m, info->params[k])->ty, t->steps.data[i].args[k]);
    }
}

// Elements that never move keep their order, after those that do.
static void see_rest(numbering *n) {
    const instance *in = n->names->in;
    for (uint32_t i = 1; i < in->m->types.len; i++)
        if (n->names->to[i])
            for (uint32_t v = 0; v < instance_type_size(in, (type){i}); v++) rename_see(n, (type){i}, (value)v);
}

// ---- slots that steps choose

// Every choice is tried, which is exponential in the number of slots that a rule chooses: so many steps are evaluated
// for a trace, and one that needs more keeps its names.
enum { MOST_TRIED = 20000 };

typedef struct {
    const instance *in;
    eval *ev;
    value *after;
    uint32_t ntried;
} chooser;

static fault fault_of_step(const chooser *c, const value *state, const trace_step *step) {
    if (eval_enabled(c->ev, state, step->r, step->args)) eval_fire(c->ev, state, step->r, step->args, c->after);
    return eval_fault(c->ev);
}

static bool is_same_fault(fault a, fault b) {
    return a.kind == b.kind && a.at.file == b.at.file && a.at.begin == b.at.begin;
}

// The step with its parameters from k on that are slots as they have to be; false if there are none.
static bool choose_slots(chooser *c, const value *state, trace_step *step, value *args, fault wanted, uint32_t k) {
    const rule_info *info = rule_of(c->in->m, step->r);
    while (k < info->nparams && !bag_orders(c->in->m, c->in->system, var_of(c->in->m, info->params[k])->ty)) k++;
    if (k == info->nparams)
        return trace_follows(c->ev, c->in, state, step, c->after) &&
               (step->after || is_same_fault(fault_of_step(c, state, step), wanted));
    uint32_t n = instance_type_size(c->in, var_of(c->in->m, info->params[k])->ty);
    for (uint32_t slot = 0; slot < n && c->ntried++ < MOST_TRIED; slot++) {
        args[k] = (value)slot;
        if (choose_slots(c, state, step, args, wanted, k + 1)) return true;
    }
    return false;
}

// NULL: too much would have to be tried.
static trace *rename_apply(const renaming *r, const trace *t) {
    value *cells = mem_zero(r->in->ncells + 1, sizeof *cells);
    chooser c = {r->in, eval_new(r->in), mem_zero(r->in->ncells + 1, sizeof *c.after), 0};
    renaming_state(r, t->initial, cells);
    trace *out = trace_new(r->in, cells);
    for (uint32_t i = 0; i < t->steps.len && c.ntried < MOST_TRIED; i++) {
        const trace_step *st = &t->steps.data[i];
        value args[rule_of(r->in->m, st->r)->nparams + 1];
        renaming_args(r, st->r, st->args, args);
        if (st->after) renaming_state(r, st->after, cells);
        trace_step step = {.r = st->r, .args = args, .after = st->after ? cells : NULL};
        fault wanted = st->after ? (fault){0} : fault_of_step(&c, trace_state(t, i), st);
        choose_slots(&c, trace_state(out, i), &step, args, wanted, 0);
        trace_add(out, st->r, args, step.after);
    }
    out->loop = t->loop;
    eval_free(c.ev);
    free(c.after);
    free(cells);
    if (c.ntried < MOST_TRIED) return out;
    trace_free(out);
    return NULL;
}

static bool rename_replays(const trace *t) {
    str why = {0};
    bool ok = trace_replay(t, &why);
    str_free(&why);
    return ok;
}

trace *rename_by_appearance(const trace *t) {
    numbering n;
    trace *out = NULL;
    rename_begin(&n, t->in);
    see_steps(&n, t);
    see_rest(&n);
    renaming_close(n.names);
    if (!n.is_identity) out = rename_apply(n.names, t);
    renaming_free(n.names);
    free(n.next);
    if (!out || rename_replays(out)) return out;
    trace_free(out);
    return NULL;
}

void rename_traces(result *r, uint32_t first) {
    for (uint32_t i = first; i < r->properties.len; i++) {
        result_property *p = &r->properties.data[i];
        trace *renamed = p->trace ? rename_by_appearance(p->trace) : NULL;
        if (!renamed) continue;
        trace_free(p->trace);
        p->trace = renamed;
    }
}
