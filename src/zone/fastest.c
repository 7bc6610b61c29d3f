// SPDX-License-Identifier: Apache-2.0
// The fastest runs to what a query is about: with a clock that is never set, the least value that it can have there.
// The nodes that can be reached earliest come first, so that the search ends as soon as none can be earlier than what
// was found. The time of the run found before is the largest that matters: the clock's upper bound. A lower one it has
// none, since being earlier is never worse. The run shown was replayed, and takes as long as is said.
#include "zone/fastest.h"

#include "model/expr.h"
#include "zone/dbm.h"
#include "zone/expand.h"
#include "zone/run.h"
#include "zone/search.h"
#include "zone/trial.h"

#include <stdlib.h>

// Whole units of time after "7" or "15/2", rounded up.
static int64_t time_above(const char *text) {
    char *rest;
    int64_t n = strtoll(text, &rest, 10), d = *rest == '/' ? strtoll(rest + 1, NULL, 10) : 1;
    return (n + d - 1) / d;
}

static prop ask_least_time(model *m, prop of, uint32_t clock) {
    prop_info info = *prop_of(m, of);
    if (info.query == QUERY_ALWAYS) info.cond = expr_not(m, info.cond);
    info.query = QUERY_INF;
    info.clock = clock;
    info.name = arena_printf(m->memory, "the least time of %s", info.name);
    return model_add_prop(m, info);
}

static const char *least_time_text(result *out, const zone_ask *a) {
    long long least = (long long)a->extreme;
    if (!a->extreme_strict) return result_text(out, "the fastest run takes %lld", least);
    return result_text(out, "runs take more than %lld, as little more as one likes", least);
}

// Where clocks stand still a zone may have more than is reached, so the least time is one that no run is faster than:
// it is that of the fastest run if a run takes just as long, which is asked for. (Elsewhere runs are the earliest.)
static bool pin_time(const zone_search *s, zone_ask *a) {
    if (!s->x->rates.len) return true;
    if (a->extreme_strict) return !a->is_loose;
    return dbm_constrain(a->piece, s->x->n, s->x->t->time_clock, 0, bound_le((int32_t)a->extreme));
}

static const char *unconfirmed(result *out, const zone_ask *a) {
    return result_text(out, "no run takes less than %lld; as clocks stand still, which is the fastest is not known",
                       (long long)a->extreme);
}

// A run of this search in place of the one there; why not, if it cannot be shown.
static const char *replace_run(zone_search *s, result_property *p, result *out) {
    zone_ask *a = &s->asks.data[0];
    if (s->stopped) return result_text(out, "the fastest run was not found: %s", s->stopped);
    if (trial_failed(s->check)) return result_text(out, "the fastest run was not found: %s", trial_failure(s->check));
    if (!a->has_extreme || a->what.kind || !a->piece) return "the fastest run was not found";
    if (!pin_time(s, a)) return unconfirmed(out, a);
    str why = {0};
    trace *t = zone_concrete_run(s, a->node, a, NULL, &why);
    bool is_least = t && (a->extreme_strict || time_above(t->end_time) == a->extreme);
    if (is_least) {
        trace_free(p->trace);
        p->trace = t;
    } else {
        trace_free(t);
    }
    const char *said = is_least          ? least_time_text(out, a)
                       : s->x->rates.len ? unconfirmed(out, a)
                                         : result_text(out, "the fastest run could not be replayed: %s", str_get(&why));
    str_free(&why);
    return said;
}

static void find_one(const instance *in, const explore_options *o, result_property *p, result *out) {
    int64_t known = time_above(p->trace->end_time);
    uint32_t clock = sys_of(in->m, in->system)->timed->time_clock;
    if (!known || known > BOUND_LARGEST / 2) {
        p->reason = result_text(
            out, "%s", known ? "the fastest run was not looked for: it may be too long" : "the fastest run takes 0");
        return;
    }
    prop least = ask_least_time(in->m, p->property, clock);
    zone_search s = {.in = in, .o = o, .horizon = (int32_t)known, .order = SEARCH_FASTEST};
    if (zone_search_prepare(&s, &least, 1)) {
        zone_search_all(&s);
        p->reason = result_text(out, "%s", replace_run(&s, p, out));
    }
    zone_search_finish(&s);
}

void zone_find_fastest(const instance *in, const explore_options *o, uint32_t first, result *out) {
    for (uint32_t i = first; i < out->properties.len; i++) {
        result_property *p = &out->properties.data[i];
        if (!p->trace || !p->property.id || p->verdict == VERDICT_UNKNOWN) continue;
        query_kind k = prop_of(in->m, p->property)->query;
        if (k == QUERY_ALWAYS || k == QUERY_POSSIBLY) find_one(in, o, p, out);
    }
}
