// SPDX-License-Identifier: Apache-2.0
// Did the search try anything? How often each label was taken is counted on the way (expand.c). An edge of a template
// belongs to all its processes and, where edges meet on a channel, to several rules: it is in doubt only if no rule of
// any process ever took it. Symmetry does not matter: processes that change places have the same template.
//
// Edges that listen to a broadcast are never in doubt: whether one takes part in a step is not said by its label.
#include "zone/search.h"

#include "result/doubt.h"

static uint64_t *count_edges(const zone_search *s) {
    uint64_t *taken = mem_zero(s->x->t->edges.len + 1, sizeof *taken);
    for (uint32_t label = 0; label < s->x->labels.len; label++) {
        const rule_info *r = rule_of(s->x->m, s->x->labels.data[label].r);
        uint64_t times = 0;
        for (uint32_t i = 0; i < s->nworkers; i++) times += s->workers[i].fired[label];
        for (uint32_t i = 0; i < r->nmoves; i++) taken[r->moves[i].edge] += times;
    }
    return taken;
}

static bool note_edges(const zone_search *s, const uint64_t *taken, result *out) {
    bool any = false;
    for (uint32_t i = 0; i < s->x->t->edges.len; i++) {
        const timed_edge *e = &s->x->t->edges.data[i];
        any |= taken[i] > 0;
        if (!e->listens) doubt_count_rule(out, e->name, e->at, taken[i]);
    }
    return any;
}

static void doubt_edge(const zone_search *s, const timed_edge *e, result *out) {
    str subject = {0};
    str_printf(&subject, "%s (", e->name);
    diag_place_text(s->in->m->messages, e->at, &subject);
    str_char(&subject, ')');
    doubt_add(out, DOUBT_RULE, str_get(&subject),
              result_text(out, "'%s' never happened", str_get(&subject)));
    str_free(&subject);
}

// All states were seen, and nothing was found that must not be.
static bool is_clean(const zone_search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++) {
        query_kind k = s->asks.data[i].info->query;
        bool is_wrong = k == QUERY_ALWAYS || k == QUERY_EVENTUALLY || k == QUERY_LEADS_TO;
        if ((s->asks.data[i].is_found && is_wrong) || s->asks.data[i].what.kind) return false;
    }
    return s->is_whole && s->end == END_COMPLETE && !s->is_impossible && !s->trouble.is_found &&
           !trial_failed(s->check);
}

void zone_find_untaken(const zone_search *s, result *out) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    uint64_t *taken = count_edges(s);
    bool any = note_edges(s, taken, out), clean = is_clean(s);
    if (clean && !any) doubt_add(out, DOUBT_NO_STEP, system->name, "no step is ever possible: only time passes");
    for (uint32_t i = 0; clean && any && i < s->x->t->edges.len; i++)
        if (!taken[i] && !s->x->t->edges.data[i].listens) doubt_edge(s, &s->x->t->edges.data[i], out);
    free(taken);
}
