// SPDX-License-Identifier: Apache-2.0
// Queries as properties of the system: their formulas speak of locations, variables, clocks and `deadlock`.
#include "front/xta/internal.h"

// Queries of the same text are numbered from 2 on.
static const char *xta_unique_name(xlower *w, const char *text) {
    const char *name = text;
    uint32_t n = map_get_str(w->query_counts, text, 1);
    while (model_find_prop(w->m, name).id) name = arena_printf(w->file->memory, "%s (%u)", text, ++n);
    map_put_str(w->query_counts, text, n);
    return name;
}

static void add_prop(xlower *w, const xta_query *q, prop_info info) {
    if (w->failed) return;
    info.kind = PROP_TIMED;
    info.name = xta_unique_name(w, q->text);
    info.text = arena_str(w->m->memory, q->text);
    info.at = q->at;
    info.system = w->system;
    info.query = q->kind;
    info.size_use = q->size_use;
    prop p = model_add_prop(w->m, info);
    if (q->expects && q->kind < QUERY_SUP)
        vec_push(&w->m->expectations, ((expectation){.property = p, .at = q->at, .verdict = q->expects}));
}

static void lower_measured(xlower *w, const xta_query *q, const xta_ast *a, expr cond) {
    prop_info info = {.cond = cond};
    if (xhas_clock(w, a)) {
        xplace p = xplace_of(w, a);
        expr when;
        if (!w->failed && p.ty->kind != Y_CLOCK) xfail(w, a->at, "one clock or a number is expected here");
        for (uint32_t i = 0; !w->failed && !info.clock && i < xclock_candidates(&p); i++) {
            info.clock = xclock_number(w, &p, i, &when);
            if (info.clock && !expr_is_true(w->m, when)) xfail(w, a->at, "the index of the clock must be a constant");
        }
    } else {
        info.measured = xnumber(w, a);
    }
    add_prop(w, q, info);
}

static void lower_extreme(xlower *w, const xta_query *q, query_kind kind, expr cond) {
    xta_query one = *q;
    one.kind = kind;
    for (uint32_t i = 0; i < q->nmeasured && !w->failed; i++) lower_measured(w, &one, q->measured[i], cond);
}

// Within the time given: A[][<=10] p says nothing about later states, nor does E[]; E<>[<=10] p and A<> want p by then,
// p -->[<=10] q wants q by then.
static expr within_deadline(xlower *w, const xta_query *q, uint32_t clock, expr cond) {
    int32_t deadline;
    if (!xconstant(w, q->deadline, &deadline)) return cond;
    expr in_time = xtime_atom(w, clock, deadline, q->is_before, q->deadline->at);
    bool is_always = q->kind == QUERY_ALWAYS || q->kind == QUERY_KEEPS;
    return is_always ? expr_implies(w->m, in_time, cond) : expr_and(w->m, in_time, cond);
}

static void lower_query(xlower *w, const xta_query *q) {
    expr cond = q->cond ? xbool(w, q->cond) : w->m->true_expr;
    bool leads = q->kind == QUERY_LEADS_TO;
    if (q->deadline && !leads && !w->failed) cond = within_deadline(w, q, xtime_clock(w), cond);
    if (w->failed) return;
    if (q->kind == QUERY_SUP || q->kind == QUERY_INF) {
        if (q->is_both) lower_extreme(w, q, QUERY_INF, cond);
        lower_extreme(w, q, q->is_both ? QUERY_SUP : q->kind, cond);
        return;
    }
    prop_info info = {.cond = cond};
    if (q->then) info.then = xbool(w, q->then);
    if (q->deadline && leads && !w->failed) {
        info.restarts = xsince_clock(w);
        info.then = within_deadline(w, q, info.restarts, info.then);
    }
    add_prop(w, q, info);
}

// A query of a file that is wrong, or of a kind that is not decided, is a property that says why.
static void refuse_query(xlower *w, const xta_query *q, const char *why) {
    add_prop(w, q, (prop_info){.cond = w->m->true_expr, .then = w->m->true_expr, .refused = why});
}

// One that is wrong does not hide mistakes in the others; if the user gave it, or if there is no other, it is an error.
bool xqueries(xlower *w) {
    bool ok = true, some = false;
    span *of_all = w->size_use;
    w->in_query = true;
    for (uint32_t i = 0; i < w->file->queries.len; i++) {
        xta_query *q = &w->file->queries.data[i];
        w->size_use = &q->size_use;
        diag_mark before = diag_now(w->file->messages);
        w->failed = false;
        xbegin(w, NULL, w->globals);
        if (q->refused) {
            refuse_query(w, q, q->refused);
            some |= !q->is_wrong;
            continue;
        }
        lower_query(w, q);
        some |= !w->failed;
        if (!w->failed) continue;
        ok &= !q->is_given;
        w->failed = false;
        if (!q->is_given) refuse_query(w, q, xta_refusal(w->file, before));
    }
    if (ok && !some && w->file->queries.len)
        ok = diag_error(w->file->messages, w->file->queries.data[0].at, "none of the queries can be read");
    w->in_query = false;
    w->size_use = of_all;
    w->failed = !ok;
    return ok;
}
