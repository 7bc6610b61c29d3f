// SPDX-License-Identifier: Apache-2.0
// Did the search try anything? How often each label was taken is counted along the way (expand.c). An edge of a
// template belongs to all its processes and, where edges meet on a channel, to several rules: it is in doubt only if
// no rule of any process ever took it. Symmetry does not matter: processes that change places have the same template.
//
// Whether an edge that listens to a broadcast takes part in a step is not said by its label: the states that were kept
// are looked through for it, as for premises of queries and counters at the end of their range.
#include "zone/search.h"

#include "explore/vacuous.h"
#include "model/expr.h"
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
    doubt_add(out, DOUBT_RULE, str_get(&subject), result_text(out, "'%s' never happened", str_get(&subject)));
    str_free(&subject);
}

// All states were seen, and nothing was found that must not be.
static bool untaken_is_clean(const zone_search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++) {
        query_kind k = s->asks.data[i].info->query;
        bool is_wrong = k == QUERY_ALWAYS || k == QUERY_EVENTUALLY || k == QUERY_LEADS_TO;
        if ((s->asks.data[i].is_found && is_wrong) || s->asks.data[i].what.kind) return false;
    }
    return s->is_whole && !s->stopped && !s->is_impossible && !s->trouble.is_trouble && !trial_failed(s->check);
}

// ---- looking through the states that were kept

enum { MOST_LOOKS = 200000 };

typedef struct {
    const zone_search *s;
    result *out;
    value *cells;
    uint64_t left;  // evaluations
} kept_states;

static void look_at_kept(const kept_states *k, uint32_t state) {
    space_unpack(k->s->x->s, tuples_get(k->s->p->states, state), k->cells);
}

// Are all states kept? Those where time stands still may only be passed through.
static bool keeps_all(const zone_search *s) {
    expr still = s->x->t->still;
    return s->stores_all || !still.id || expr_is_false(s->x->m, still);
}

// Edges that listen in this state to a step that was taken: more than take part, as clocks are not looked at.
static void note_listeners(kept_states *k, uint32_t state, uint64_t *taken) {
    const net *x = k->s->x;
    net_steps *s = &k->s->w->steps;
    net_steps_find(s, k->s->w, tuples_get(k->s->p->states, state));
    for (uint32_t i = 0; i < s->count; i++) {
        const net_label *l = net_step_label(s, i);
        const rule_info *r = rule_of(x->m, l->r);
        for (uint32_t j = 0; j < r->nlisteners && k->left; j++) {
            if (taken[r->listeners[j].edge]) continue;
            k->left--;
            net_bind_label(x, l);
            taken[r->listeners[j].edge] += eval_expr(x->ev, s->cells, r->listeners[j].when) != 0;
        }
    }
}

static bool has_silent_listener(const zone_search *s, const uint64_t *taken) {
    for (uint32_t i = 0; i < s->x->t->edges.len; i++)
        if (s->x->t->edges.data[i].listens && !taken[i]) return true;
    return false;
}

static void doubt_listeners(kept_states *k, uint64_t *taken) {
    const timed_info *t = k->s->x->t;
    for (uint32_t i = 0; i < k->s->p->heads.len && k->left && has_silent_listener(k->s, taken); i++)
        note_listeners(k, i, taken);
    for (uint32_t i = 0; i < t->edges.len && k->left; i++)
        if (t->edges.data[i].listens && !taken[i]) doubt_edge(k->s, &t->edges.data[i], k->out);
}

// ---- premises

typedef struct {
    kept_states *k;
    const zone_ask *a;
    expr some;  // with symmetry: premises of any implication, as processes that change places have one each
    expr shown;
} premises;

// Conditions on clocks are taken to be true where they can help: a premise in doubt is false whatever the clocks are.
static bool may_hold(kept_states *k, expr e) {
    const timed_info *t = k->s->x->t;
    var atoms[NET_MOST_EXPANDED];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->atoms.len; i++) {
        if (!expr_has_var(k->s->x->m, e, t->atoms.data[i].stands)) continue;
        if (n == NET_MOST_EXPANDED) return true;
        atoms[n++] = t->atoms.data[i].stands;
    }
    for (uint32_t truth = 0; truth < 1u << n; truth++) {
        for (uint32_t i = 0; i < n; i++) eval_bind(k->s->x->ev, atoms[i], truth >> i & 1);
        if (!k->left || !--k->left) return true;
        if (eval_expr(k->s->x->ev, k->cells, e) || eval_fault(k->s->x->ev).kind) return true;
    }
    return false;
}

static bool is_ever_met(kept_states *k, expr e) {
    for (uint32_t i = 0; i < k->s->p->heads.len; i++) {
        look_at_kept(k, i);
        if (may_hold(k, e)) return true;
    }
    return false;
}

static bool judge_kept(premises *p, expr premise, expr shown) {
    if (is_ever_met(p->k, premise)) return true;
    vacuous_doubt_premise(p->k->s->in->m, p->k->s->in->system, p->a->info->name, shown, false, p->k->out);
    return false;
}

static bool note_premise(expr premise, const var_list *vars, void *context) {
    premises *p = context;
    model *m = p->k->s->in->m;
    expr some = expr_exists(m, vars->data, vars->len, premise);
    if (!p->k->s->y) return judge_kept(p, some, premise);
    p->shown = p->some.id ? p->shown : premise;
    p->some = p->some.id ? expr_or(m, p->some, some) : some;
    return false;
}

static void doubt_premises_of(kept_states *k, const zone_ask *a) {
    premises p = {.k = k, .a = a};
    if (a->info->query == QUERY_LEADS_TO) judge_kept(&p, a->info->cond, a->info->cond);
    if (a->info->query != QUERY_ALWAYS) return;
    vacuous_each_premise(k->s->in->m, a->info->cond, note_premise, &p);
    if (p.some.id) judge_kept(&p, p.some, p.shown);
}

// ---- bounds

static void doubt_counters(kept_states *k) {
    func_list counters = {0};
    vacuous_find_counters(k->s->in->m, k->s->in->system, &counters);
    for (uint32_t i = 0; i < k->s->p->heads.len && counters.len; i++) {
        look_at_kept(k, i);
        for (uint32_t j = 0; j < counters.len; j++) {
            if (!vacuous_is_at_bound(k->s->in, counters.data[j], k->cells)) continue;
            vacuous_doubt_bound(k->s->in->m, counters.data[j], k->out);
            counters.data[j--] = counters.data[--counters.len];
        }
    }
    vec_free(&counters);
}

// ---- all of it

static void doubt_by_states(const zone_search *s, uint64_t *taken, result *out) {
    kept_states k = {s, out, mem_zero(s->in->ncells + 1, sizeof *k.cells), MOST_LOOKS};
    if (keeps_all(s)) doubt_listeners(&k, taken);
    for (uint32_t i = 0; i < s->asks.len && keeps_all(s); i++) {
        k.left = MOST_LOOKS;
        doubt_premises_of(&k, &s->asks.data[i]);
    }
    doubt_counters(&k);
    free(k.cells);
}

void zone_find_untaken(const zone_search *s, result *out) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    uint64_t *taken = count_edges(s);
    bool any = note_edges(s, taken, out), clean = untaken_is_clean(s);
    if (clean && !any) doubt_add(out, DOUBT_NO_STEP, system->name, "no step is ever possible: only time passes");
    for (uint32_t i = 0; clean && any && i < s->x->t->edges.len; i++)
        if (!taken[i] && !s->x->t->edges.data[i].listens) doubt_edge(s, &s->x->t->edges.data[i], out);
    if (clean && any) doubt_by_states(s, taken, out);
    free(taken);
}
