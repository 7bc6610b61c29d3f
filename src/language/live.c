// SPDX-License-Identifier: Apache-2.0
// Liveness properties: from the model to liveness.h and back. model/actor.h says whose step it is. Every
// other visible action completes a command, internal ones are parts of a command.
#include "language/live.h"

#include "language/graph.h"
#include "language/reached.h"
#include "model/actor.h"

#include <string.h>

typedef struct {
    const instance *in;
    reached system;
    graph *steps;
    type thread;
    live_graph g;
    result *out;
    live_ranks *ranks;  // NULL: not wanted
} run;

// ---- who moves

static live_kind live_kind_of(const rule_info *r) {
    if (!r->is_visible) return LIVE_STEP;
    if (r->role == ROLE_COMMIT) return LIVE_COMMIT;
    return r->role == ROLE_ABORT ? LIVE_ABORT : LIVE_DONE;
}

// The edge of a label, without its ends.
static live_edge edge_of(const run *v, uint32_t label) {
    value args[model_most_params(v->in->m)];
    rule r = space_label(explored_space(v->system.x), label, args);
    uint32_t actor = actor_param(v->in->m, r, v->thread);
    return (live_edge){.thread = actor != ACTOR_NONE ? (uint32_t)args[actor] : UINT32_MAX,
                       .kind = live_kind_of(rule_of(v->in->m, r)),
                       .label = label};
}

static bool live_build(run *v, const limits *l) {
    uint32_t nlabels = space_labels(explored_space(v->system.x)), n;
    live_edge *by_label = mem_alloc((nlabels + 1) * sizeof *by_label);
    for (uint32_t i = 0; i < nlabels; i++) by_label[i] = edge_of(v, i);
    v->g.nstates = (uint32_t)explored_count(v->system.x);
    v->g.ninitial = (uint32_t)explored_initial_count(v->system.x);
    v->g.nthreads = instance_type_size(v->in, v->thread);
    bool stopped = false;
    uint32_t looked = 0;
    for (uint32_t q = 0; q < v->g.nstates && !stopped; q++) {
        const graph_step *steps = graph_next(v->steps, q, &n);
        for (uint32_t i = 0; i < n; i++) {
            live_edge e = by_label[steps[i].label];
            e.from = q;
            e.to = steps[i].to;
            vec_push(&v->g.edges, e);
        }
        stopped = limits_met_lately(l, &looked);
    }
    free(by_label);
    return !stopped;
}

// ---- answers

// Threads are not named: whoever shows the trace may number them by appearance.
static char *live_reason_of(run *v, const live_answer *a, live_promise promise) {
    const char *fate =
        a->is_spin ? "takes steps for ever but completes no command" : "is aborted for ever and never commits";
    if (a->thread == UINT32_MAX)
        return result_text(v->out, "in the loop nobody commits, and every thread that moves %s",
                           a->is_spin ? "spins" : "is aborted or spins");
    const char *who = promise == LIVE_WAIT_FREE ? "a thread" : "the only thread that moves";
    return result_text(v->out, "in the loop %s %s", who, fate);
}

static trace *lasso(run *v, const live_answer *a, str *why) {
    VEC(graph_step) steps = {0};
    for (uint32_t i = 0; i < a->stem.len + a->loop.len; i++) {
        uint32_t number = i < a->stem.len ? a->stem.data[i] : a->loop.data[i - a->stem.len];
        vec_push(&steps, (graph_step){v->g.edges.data[number].label, v->g.edges.data[number].to});
    }
    uint32_t first = a->stem.len ? a->stem.data[0] : a->loop.data[0];
    trace *t = graph_trace(v->steps, v->g.edges.data[first].from, steps.data, steps.len, a->stem.len, why);
    vec_free(&steps);
    return t;
}

// Who acts, where it is not simply the first parameter of every action; NULL: it is.
static char *actors_text(const run *v) {
    const model *m = v->in->m;
    const sys_info *s = sys_of(m, v->in->system);
    str text = {0};
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(m, s->rules.data[i]);
        uint32_t actor = actor_param(m, s->rules.data[i], v->thread);
        if (actor == 0) continue;
        str_add(&text, text.len ? "; " : "");
        if (actor == ACTOR_NONE) str_printf(&text, "'%s' is nobody's step", r->name);
        else str_printf(&text, "'%s' is a step of its parameter %s", r->name, var_of(m, r->params[actor])->name);
    }
    char *out = text.len
                    ? result_text(v->out, "threads are of sort %s; %s", type_of(m, v->thread)->name, str_get(&text))
                    : NULL;
    str_free(&text);
    return out;
}

static void live_decide(run *v, prop p) {
    const prop_info *info = prop_of(v->in->m, p);
    live_promise promise = (live_promise)(info->kind - PROP_OBSTRUCTION_FREE);  // in the same order
    live_tables tables = {0};
    live_answer a = liveness_check(&v->g, promise, v->ranks ? &tables : NULL);
    if (v->ranks && a.holds) {
        vec_push(&v->ranks->props, p);
        vec_push(&v->ranks->tables, tables);
    } else {
        liveness_free_tables(&tables);
    }
    result_property entry = {.name = info->name, .property = p, .verdict = VERDICT_HOLDS, .stats = v->system.stats};
    entry.reason = actors_text(v);
    if (!a.holds) {
        str why = {0};
        bool is_broken = liveness_breaks(&v->g, promise, a.loop.data, a.loop.len);
        entry.trace = is_broken ? lasso(v, &a, &why) : NULL;
        entry.verdict = entry.trace ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
        entry.reason = entry.trace
                           ? live_reason_of(v, &a, promise)
                           : result_text(v->out, "internal error: the loop found is not one: %s", str_get(&why));
        str_free(&why);
    }
    result_add(v->out, entry);
    liveness_free(&a);
}

static void answer_all(run *v, const prop *props, uint32_t n, const char *trouble) {
    for (uint32_t i = 0; i < n; i++) {
        if (!trouble) live_decide(v, props[i]);
        else
            result_add(v->out, (result_property){.name = prop_of(v->in->m, props[i])->name,
                                                 .property = props[i],
                                                 .verdict = VERDICT_UNKNOWN,
                                                 .reason = result_text(v->out, "%s", trouble),
                                                 .stats = v->system.stats});
    }
}

void live_ranks_free(live_ranks *r) {
    for (uint32_t i = 0; i < r->tables.len; i++) liveness_free_tables(&r->tables.data[i]);
    vec_free(&r->tables);
    vec_free(&r->props);
    explored_free(r->x);
}

void live_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options, result *out,
              live_ranks *ranks) {
    run v = {.in = in, .thread = actor_transactions(in->m, in->system), .out = out, .ranks = ranks};
    if (!v.thread.id) {
        answer_all(&v, props, nprops, "it has no actions 'commit' and 'abort' of a thread");
        return;
    }
    v.system = reached_explore(in, options, false, true, out);
    result_explored(out, &v.system.stats);
    const char *trouble = v.system.trouble;
    if (!trouble && !explored_initial_count(v.system.x)) trouble = "there is no initial state, so nothing was tried";
    v.steps = trouble ? NULL : graph_new(v.system.x);
    if (!trouble && !live_build(&v, &options->limits)) trouble = result_text(out, "%s", limits_why(&options->limits));
    answer_all(&v, props, nprops, trouble);
    vec_free(&v.g.edges);
    graph_free(v.steps);
    if (ranks && !trouble) ranks->x = v.system.x;
    else reached_free(&v.system);
}
