// SPDX-License-Identifier: Apache-2.0
// Queries that are not decided: those of other kinds and those with mistakes (the front end says which), and those with
// more clock conditions, or larger numbers, than the engine takes. Each gets an answer that says so, and the others are
// decided all the same.
#include "zone/search.h"

#include "model/expr.h"

#include <stdlib.h>

// The text, if it is wanted.
#define because(out, ...) ((out) ? result_text(out, __VA_ARGS__) : "")

static const char *formula_refusal(const instance *in, expr e, result *out) {
    const model *m = in->m;
    const timed_info *t = sys_of(m, in->system)->timed;
    uint32_t count = 0, most = e.id && formula_is_tree(m, t, e) ? NET_MOST_ATOMS : NET_MOST_EXPANDED;
    for (uint32_t i = 0; e.id && i < t->atoms.len; i++) {
        const clock_atom *a = &t->atoms.data[i];
        int64_t lo, hi;
        if (!expr_has_var(m, e, a->stands)) continue;
        if (++count > most) return because(out, "the query has more than %u different clock conditions", most);
        if (a->is_deadlock) continue;
        expr_bounds(m, a->is.bound, &lo, &hi);
        if (lo < -BOUND_LARGEST || hi > BOUND_LARGEST)
            return because(out, "clocks are compared with numbers of at most %d", BOUND_LARGEST);
    }
    return NULL;
}

// Of p --> q, p and not q is asked for too.
const char *zone_refusal(const instance *in, prop which, result *out) {
    const prop_info *p = prop_of(in->m, which);
    if (p->refused) return p->refused;
    expr whole = p->then.id ? expr_and(in->m, p->cond, p->then) : p->cond;
    return formula_refusal(in, whole, out);
}

// ---- in order

static uint32_t place_of_prop(const prop *props, uint32_t n, prop p) {
    for (uint32_t i = 0; i < n; i++)
        if (props[i].id == p.id) return i;
    return n;  // a run-time error comes last
}

static void sort_answers(result_property *list, uint32_t n, const prop *props, uint32_t nprops) {
    uint32_t *counts = mem_zero(nprops + 2, sizeof *counts);
    result_property *sorted = mem_alloc((n + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < n; i++) counts[place_of_prop(props, nprops, list[i].property) + 1]++;
    for (uint32_t i = 0; i <= nprops; i++) counts[i + 1] += counts[i];
    for (uint32_t i = 0; i < n; i++) sorted[counts[place_of_prop(props, nprops, list[i].property)]++] = list[i];
    for (uint32_t i = 0; i < n; i++) list[i] = sorted[i];
    free(sorted);
    free(counts);
}

void zone_answer_refused(const instance *in, const prop *props, uint32_t nprops, uint32_t first, result *out) {
    for (uint32_t i = 0; i < nprops; i++) {
        const char *why = zone_refusal(in, props[i], out);
        if (why)
            result_add(out, (result_property){.name = prop_of(in->m, props[i])->name,
                                              .property = props[i],
                                              .verdict = VERDICT_UNKNOWN,
                                              .reason = result_text(out, "%s", why)});
    }
    sort_answers(out->properties.data + first, out->properties.len - first, props, nprops);
}
