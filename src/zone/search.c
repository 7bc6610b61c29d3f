// SPDX-License-Identifier: Apache-2.0
// Queries decided on the zone graph: preparation, liveness, answers. The search is in blocks.c.
#include "zone/search.h"

#include "base/clock.h"
#include "model/expr.h"
#include "zone/divide.h"
#include "zone/fastest.h"
#include "zone/run.h"

#include <string.h>
#include <unistd.h>

// How far an extreme of a clock is looked for, at first and at last.
enum { NEAREST = 64, FARTHEST = 64 * 8 * 8 };

// ---- liveness

// Where p -->[<=10] q begins to count time: what was reached says nothing about that clock (net_room.forgets).
static void leads_begin(const zone_search *s, const zone_ask *a, bound *piece, bound *start) {
    uint32_t n = s->x->n;
    if (a->info->restarts) dbm_free_clock(piece, n, a->info->restarts);
    memcpy(start, piece, dbm_bytes(n));
    if (a->info->restarts) dbm_reset(start, n, a->info->restarts, 0);
}

// Every node reached where p --> q has p and not q starts a search for a run that never meets q.
static void ask_leads_to(zone_search *s, zone_ask *a, zone_lasso *lasso) {
    matrix d, start;
    for (uint32_t i = 0; i < s->p->nodes.len && !a->is_decided && !s->stopped; i++) {
        const uint64_t *state = passed_state(s->p, i);
        dbm_list pieces = {0};
        passed_zone(s->p, i, d.d);
        net_look(s->w, state);
        zone_pieces(s->w, a->formula, state, d.d, false, &pieces);
        lasso->met_stop |= s->w->is_loose;
        for (uint32_t k = 0; k < pieces.len && !a->is_decided; k += s->x->n * s->x->n) {
            bound *piece = pieces.data + k;
            leads_begin(s, a, piece, start.d);
            if (zone_maximal_run(s, a->then, state, start.d, lasso)) zone_found(s, a, i, piece);
        }
        vec_free(&pieces);
        if (lasso->is_unknown) a->is_decided = true;
    }
    a->is_decided = true;
}

static void ask_keeps(zone_search *s, zone_ask *a, zone_lasso *lasso) {
    matrix d;
    net_first_zone(s->x, d.d);
    for (uint32_t i = 0; i < s->p->nodes.len && s->p->nodes.data[i].parent == UINT32_MAX && !a->is_decided; i++)
        if (zone_maximal_run(s, a->formula, passed_state(s->p, i), d.d, lasso)) zone_found(s, a, i, d.d);
    a->is_decided = true;
}

// ---- answers

static const char *const engine_names[] = {[SPACE_EVALUATOR] = "zones, evaluator",
                                           [SPACE_BYTECODE] = "zones, bytecode",
                                           [SPACE_MACHINE] = "zones, machine code",
                                           [SPACE_NATIVE] = "zones, native"};

// Does an orbit perhaps have several representatives?
static bool has_cut_orbits(const zone_search *s) {
    for (uint32_t i = 0; s->y && i < s->nworkers; i++)
        if (orbit_was_cut(s->workers[i].yw)) return true;
    return false;
}

static result_stats search_stats_of(const zone_search *s) {
    uint64_t arrivals, sent = divide_sent(s, &arrivals);
    return (result_stats){.states = passed_count(s->p),
                          .transitions = s->transitions,
                          .depth = s->depth,
                          .seconds = clock_seconds() - s->started,
                          .memory_bytes = divide_memory(s),
                          .state_bits = space_bits(s->x->s),
                          .threads = s->nworkers,
                          .ranks = divide_ranks(s),
                          .sent_bytes = sent,
                          .sent_states = arrivals,
                          .is_reduced = s->y != NULL,
                          .is_heuristic = has_cut_orbits(s),
                          .engine = engine_names[space_engine_of(s->x->s)]};
}

static char *search_extreme_text(result *r, const zone_ask *a) {
    const char *what = a->info->query == QUERY_SUP ? "sup" : "inf";
    if (!a->has_extreme) return result_text(r, "%s: no such state is reachable", what);
    if (a->extreme == INT64_MAX) return result_text(r, "%s: infinity", what);
    return result_text(r, "%s: %s%lld", what, a->extreme_strict ? (a->info->query == QUERY_SUP ? "< " : "> ") : "",
                       (long long)a->extreme);
}

// Which reading of idle steps an answer is for, where that may matter.
static const char *idle_text(const zone_search *s, const zone_lasso *lasso) {
    if (!lasso || !lasso->met_idle) return "";
    return s->o->counts_idle ? ", steps that change nothing counted" : ", steps that change nothing not counted";
}

static char *lasso_text(const zone_search *s, const zone_lasso *lasso, const trace *t, result *out) {
    const char *idle = idle_text(s, lasso);
    if (lasso->forever) return result_text(out, "time can pass for ever here%s", idle);
    if (t->loop != UINT32_MAX) return result_text(out, "the run goes back to step %u for ever%s", t->loop + 1, idle);
    return *idle ? result_text(out, "nothing can happen here%s", idle) : NULL;
}

void zone_fault_text(const zone_search *s, fault what, str *out) {
    str_add(out, fault_text(what.kind));
    if (!what.at.file) return;
    str_add(out, ", ");
    diag_place_text(s->in->m->messages, what.at, out);
}

// A query that cannot be evaluated somewhere says where.
static void answer_fault(zone_search *s, const zone_ask *a, result_property *p, result *out) {
    str why = {0}, problem = {0};
    zone_fault_text(s, a->what, &why);
    p->verdict = VERDICT_UNKNOWN;
    p->reason = result_text(out, "the query cannot be evaluated here: %s", str_get(&why));
    p->trace = zone_concrete_run(s, a->node, NULL, NULL, &problem);
    str_free(&why);
    str_free(&problem);
}

typedef struct {
    const zone_search *s;
    span at;
} broken_start;

static bound first_difference(const timed_info *t, const clock_bound *b) {
    return bound_le(t->clocks.data[b->left].initial - t->clocks.data[b->right].initial);
}

// Where the clocks' start breaks an invariant; `valid` has no place.
static bool search_note_broken(const value *cells, void *context) {
    broken_start *k = context;
    const timed_info *t = k->s->x->t;
    for (uint32_t i = 0; i < t->invariants.len && !k->at.file; i++)
        if (net_plain_bound(k->s->x, &t->invariants.data[i], cells) < first_difference(t, &t->invariants.data[i]))
            k->at = t->invariants.data[i].at;
    return false;
}

// A system without an initial state has no behaviour: nothing that is said about it means anything.
static char *impossible_text(const zone_search *s, result *out) {
    broken_start k = {.s = s};
    str place = {0};
    eval_initial(s->in, search_note_broken, &k);
    if (k.at.file) diag_place_text(s->in->m->messages, k.at, &place);
    char *text = result_text(out, "the initial state is impossible: an invariant does not hold in it%s%s",
                             place.len ? ", " : "", str_get(&place));
    str_free(&place);
    return text;
}

// ---- where clocks stand still, zones may have more than is reached (rates.c)

#define STANDING "clocks that stand still are over-approximated: "

// An extreme found in a zone that may have more is reached if a run leads to it.
static bool is_extreme_reached(zone_search *s, const zone_ask *a) {
    uint32_t n = s->x->n, c = a->info->clock;
    str why = {0};
    if (!a->has_extreme || !a->is_loose) return true;
    if (a->extreme_strict || a->extreme == INT64_MAX) return false;
    int32_t v = (int32_t)a->extreme;
    if (c && !(dbm_constrain(a->piece, n, c, 0, bound_le(v)) && dbm_constrain(a->piece, n, 0, c, bound_le(-v))))
        return false;
    trace *t = zone_concrete_run(s, a->node, a, NULL, &why);
    bool is_reached = t;
    trace_free(t);
    str_free(&why);
    return is_reached;
}

static char *loose_extreme_text(result *r, const zone_ask *a) {
    bool is_sup = a->info->query == QUERY_SUP;
    if (a->extreme == INT64_MAX) return result_text(r, STANDING "no bound is known");
    return result_text(r, STANDING "all that is known is that it is %s%lld",
                       is_sup ? (a->extreme_strict ? "less than " : "at most ")
                              : (a->extreme_strict ? "more than " : "at least "),
                       (long long)a->extreme);
}

// A query decided by a run shows it; one decided by the lack of one has none.
static void search_answer(zone_search *s, zone_ask *a, const zone_lasso *lasso, result *out) {
    query_kind k = a->info->query;
    bool found_is_bad = k == QUERY_ALWAYS || k == QUERY_EVENTUALLY || k == QUERY_LEADS_TO;
    result_property p = {.name = a->info->name, .property = a->p, .stats = s->stats};
    const char *idle = idle_text(s, lasso);
    bool distrusted = trial_failed(s->check);
    bool complete = !s->stopped && !s->trouble.is_trouble && !distrusted;
    const char *end = distrusted              ? trial_failure(s->check)
                      : s->is_at_limit        ? str_get(&s->trouble_why)
                      : s->trouble.is_trouble ? "runs end in a run-time error"
                                              : s->stopped;
    if (lasso && lasso->seen) p.stats.live_states = passed_count(lasso->seen);
    if (s->is_impossible) {
        p.verdict = VERDICT_UNKNOWN;
        p.reason = impossible_text(s, out);
    } else if (a->what.kind) {
        answer_fault(s, a, &p, out);
    } else if (lasso && lasso->is_unknown) {
        p.verdict = VERDICT_UNKNOWN;
        p.reason = result_text(out, "the clock conditions of this query do not form one zone: not supported");
    } else if (k >= QUERY_SUP) {
        bool is_sure = complete && !a->is_beyond && is_extreme_reached(s, a);
        p.verdict = is_sure ? VERDICT_HOLDS : VERDICT_UNKNOWN;
        p.reason = !complete      ? result_text(out, "%s", end)
                   : a->is_beyond ? result_text(out, "it is larger than %d", FARTHEST)
                   : is_sure      ? search_extreme_text(out, a)
                                  : loose_extreme_text(out, a);
    } else if (!a->is_found && a->doubts) {
        p.verdict = VERDICT_UNKNOWN;
        p.reason = result_text(out, STANDING "none of %u runs found that way could be confirmed", a->doubts);
    } else if (!a->is_found && !complete) {
        p.verdict = VERDICT_UNKNOWN;
        p.reason = result_text(out, "%s", end);
    } else {
        p.verdict = a->is_found == found_is_bad ? VERDICT_VIOLATED : VERDICT_HOLDS;
    }
    if (a->is_found) {
        str why = {0};
        bool is_doubtful = lasso && (lasso->met_stop || passed_is_loose(s->p, a->node));
        if (!is_doubtful || lasso->loop == UINT32_MAX) p.trace = zone_concrete_run(s, a->node, a, lasso, &why);
        if (!p.trace && is_doubtful) {
            p.verdict = VERDICT_UNKNOWN;
            p.reason = result_text(out, STANDING "the run found that way could not be confirmed");
        } else if (!p.trace) {
            s->unreplayed = result_text(out, "a run found with it could not be replayed: %s", str_get(&why));
            p.verdict = VERDICT_UNKNOWN;
            p.reason = result_text(out, "the run found could not be replayed: %s", str_get(&why));
        } else if (lasso) {
            p.reason = lasso_text(s, lasso, p.trace, out);
        }
        str_free(&why);
    } else if (p.verdict == VERDICT_VIOLATED && k != QUERY_ALWAYS) {
        p.reason =
            result_text(out, "%s%s", k == QUERY_POSSIBLY ? "no such state is reachable" : "there is no such run", idle);
    } else if (idle[0] && !p.reason) {
        p.reason = result_text(out, "%s", idle + 2);
    }
    result_add(out, p);
}

static trace *explained_run(zone_search *s, fault *what) {
    const zone_arrival *t = &s->trouble;
    str *why = &s->trouble_why;
    *what = t->what;
    if (!t->what.kind) return zone_faulty_run(s, t->parent, t->label, why, what);
    str problem = {0};
    zone_fault_text(s, t->what, why);
    str_printf(why, " (%s)", t->where);
    trace *way = t->parent != UINT32_MAX ? zone_concrete_run(s, t->parent, NULL, NULL, &problem) : NULL;
    str_free(&problem);
    return way;
}

static void explain_trouble(zone_search *s) {
    fault what = {0};
    s->trouble_run = explained_run(s, &what);
    s->is_at_limit = what.kind == FAULT_LIMIT;
    if (s->trouble_run || !s->trouble.is_loose) return;
    s->trouble.is_trouble = s->is_at_limit = false;
    s->stopped = STANDING "a run-time error found that way could not be confirmed";
}

// What is a limit of ours is the reason of the queries that it leaves open, and no answer of its own.
static void answer_trouble(zone_search *s, result *out) {
    const char *why = str_get(&s->trouble_why);
    if (!s->trouble_run && !s->trouble.what.kind)
        s->unreplayed = result_text(out, "a step found to fail does not: %s", why);
    if (s->is_at_limit && s->asks.len) return;
    result_property p = {.name = result_text(out, "run-time error"), .verdict = VERDICT_VIOLATED, .stats = s->stats};
    if (s->is_at_limit) p.verdict = VERDICT_UNKNOWN;
    p.trace = s->trouble_run;
    s->trouble_run = NULL;
    p.reason = result_text(out, "%s", why);
    result_add(out, p);
}

static void answer_impossible(zone_search *s, result *out) {
    result_property p = {.name = result_text(out, "initial state"), .verdict = VERDICT_UNKNOWN, .stats = s->stats};
    p.reason = impossible_text(s, out);
    result_add(out, p);
}

// ---- all

static void search_add_ask(zone_search *s, prop p, expr_list *formulas) {
    model *m = s->in->m;
    zone_ask a = {.p = p, .info = prop_of(m, p)};
    expr cond = a.info->cond, then = a.info->then;
    query_kind k = a.info->query;
    a.formula = formulas->len;
    if (k == QUERY_ALWAYS || k == QUERY_EVENTUALLY) cond = expr_not(m, cond);
    if (k == QUERY_LEADS_TO) cond = expr_and(m, cond, expr_not(m, then));
    vec_push(formulas, cond);
    a.then = formulas->len;
    if (k == QUERY_LEADS_TO) vec_push(formulas, expr_not(m, then));
    vec_push(&s->asks, a);
}

static bool needs_regions(const zone_search *s, const expr_list *formulas) {
    const timed_info *t = sys_of(s->in->m, s->in->system)->timed;
    if (t->has_priorities) return true;
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (!zone_is_reachability(&s->asks.data[i])) return true;
    for (uint32_t i = 0; i < formulas->len; i++)
        for (uint32_t k = 0; k < t->atoms.len; k++)
            if (t->atoms.data[k].is_deadlock && expr_has_var(s->in->m, formulas->data[i], t->atoms.data[k].stands))
                return true;
    return false;
}

// Only what all queries of the search agree on is a symmetry of it.
static void find_symmetry(zone_search *s, const expr_list *formulas) {
    expr_list measured = {0};
    VEC(uint32_t) clocks = {0};
    if (s->given) {
        s->y = s->given;
        return;
    }
    if (!s->o->symmetry) return;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const prop_info *p = s->asks.data[i].info;
        if (p->measured.id) vec_push(&measured, p->measured);
        if (p->clock) vec_push(&clocks, p->clock);
    }
    asked a = {formulas->data, measured.data, clocks.data, formulas->len, measured.len, clocks.len};
    s->y = orbit_new(s->in, &a, &s->o->limits, &s->note);
    vec_free(&measured);
    vec_free(&clocks);
}

// Liveness starts from every state, and an extreme may be anywhere.
static bool needs_all(const zone_search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (!zone_is_reachability(&s->asks.data[i]) || zone_is_measure(&s->asks.data[i])) return true;
    return false;
}

// The one evaluator computes bounds that are not constant: then there is one thread.
static void make_workers(zone_search *s) {
    uint32_t threads = s->o->threads ? s->o->threads : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > 1 && !s->x->needs_evaluator) s->team = crew_new(threads);
    s->nworkers = s->team ? crew_size(s->team) : 1;
    s->workers = mem_zero(s->nworkers, sizeof *s->workers);
    for (uint32_t i = 0; i < s->nworkers; i++) {
        expand_init(&s->workers[i], s);
        s->workers[i].w->forgets = s->x->t->since_clock;
    }
    s->w = s->workers[0].w;
}

// Next to matrices, what native code gains over machine code does not pay for a compiler.
static void zone_search_choose_engine(zone_search *s) {
    explore_engine wanted = s->o->engine;
    if (s->by_evaluator) return;
    if (wanted == ENGINE_BYTECODE) space_interpret(s->x->s);
    bool has_machine = space_engine_of(s->x->s) == SPACE_MACHINE;
    if (wanted == ENGINE_NATIVE || (wanted == ENGINE_AUTO && !has_machine)) space_native_start(s->x->s);
}

bool zone_search_prepare(zone_search *s, const prop *props, uint32_t nprops) {
    expr_list formulas = {0};
    for (uint32_t i = 0; i < nprops; i++) search_add_ask(s, props[i], &formulas);
    find_symmetry(s, &formulas);
    net_how how = {needs_regions(s, &formulas), !s->is_exact, !s->keeper, s->by_evaluator, s->o->taken_apart};
    s->x = net_new(s->in, formulas.data, formulas.len, how);
    vec_free(&formulas);
    if (!s->x) return false;
    for (uint32_t i = 0; i < nprops; i++)
        net_watch_clock(s->x, s->asks.data[i].info->clock, s->horizon, s->order == SEARCH_FASTEST);
    s->p = passed_new(s->x->words, s->x->n, !net_is_narrow(s->x));
    s->stores_all = s->o->stores_all || s->keeper || needs_all(s);
    make_workers(s);
    zone_search_choose_engine(s);
    if (s->o->self_check != SELF_CHECK_OFF) s->check = trial_new(s);
    return true;
}

void zone_search_finish(zone_search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++) free(s->asks.data[i].piece);
    vec_free(&s->asks);
    vec_free(&s->doubts);
    divide_free(s);
    trial_free(s->check);
    passed_free(s->p);
    for (uint32_t i = 0; i < s->nworkers; i++) expand_done(&s->workers[i]);
    free(s->workers);
    if (s->team) crew_free(s->team);
    orbit_free(s->y);
    str_free(&s->note);
    str_free(&s->trouble_why);
    trace_free(s->trouble_run);
    net_free(s->x);
}

static void search_decide(zone_search *s, zone_ask *a, zone_lasso *lasso, result *out) {
    bool live = !zone_is_reachability(a);
    lasso->loop = UINT32_MAX;
    if (live && !s->stopped && !s->is_impossible && !trial_failed(s->check)) {
        if (a->info->restarts) s->w->forgets = 0;
        if (a->info->query == QUERY_LEADS_TO) ask_leads_to(s, a, lasso);
        else ask_keeps(s, a, lasso);
        bool is_none = !a->is_found && !lasso->is_unknown && !s->stopped && !limits_met(&s->o->limits);
        if (s->check && is_none && !a->what.kind)
            trial_live(s->check, a->info->query == QUERY_LEADS_TO ? a->then : a->formula, lasso);
        s->w->forgets = s->x->t->since_clock;
    }
    search_answer(s, a, live ? lasso : NULL, out);
}

// What queries looked through is kept for the keeper only.
static void decide_all(zone_search *s, result *out) {
    zone_lasso *lassos = mem_zero(s->asks.len + 1, sizeof *lassos);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        search_decide(s, &s->asks.data[i], &lassos[i], out);
        if (!s->keeper) zone_lasso_free(&lassos[i]);
    }
    if (s->keeper && !s->x->rates.len && !s->unreplayed && !trial_failed(s->check)) zone_keep(s, s->keeper, lassos);
    for (uint32_t i = 0; s->keeper && i < s->asks.len; i++) zone_lasso_free(&lassos[i]);
    free(lassos);
}

// Did an extreme of a clock lie beyond what was told apart?
static bool wants_farther(zone_search *s) {
    bool farther = false;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        zone_ask *a = &s->asks.data[i];
        if (!a->info->clock || !a->has_extreme) continue;
        if (a->info->query == QUERY_INF) a->is_beyond = a->extreme >= s->horizon;
        farther |= a->is_beyond;
    }
    return farther && !s->stopped && s->horizon < FARTHEST;
}

static void run_once(zone_search *s, const prop *props, uint32_t nprops, result *out, bool *again) {
    *again = false;
    bool is_prepared = zone_search_prepare(s, props, nprops);
    if (!divide_begin(s) || !is_prepared) return;
    zone_search_all(s);
    s->stats = search_stats_of(s);
    divide_collect(s, s->o->finds_doubts && s->is_whole);
    if (!divide_speaks(s)) return;
    result_explored(out, &s->stats);
    if (s->note.len) s->stats.symmetry = result_text(out, "%s", str_get(&s->note));
    *again = !trial_failed(s->check) && wants_farther(s);
    if (*again) return;
    if (s->trouble.is_trouble) explain_trouble(s);
    decide_all(s, out);
    if (s->trouble.is_trouble) answer_trouble(s, out);
    if (!s->asks.len && s->is_impossible) answer_impossible(s, out);
    else if (!s->asks.len) result_add_stats(out, &s->stats);
}

// ---- starting again

// What was answered before a search, to go back to.
typedef struct {
    verdict verdict;
    result_stats stats;
    uint32_t nproperties;
} answered;

static void take_back(result *out, const answered *to) {
    while (out->properties.len > to->nproperties) trace_free(vec_pop(&out->properties).trace);
    out->verdict = to->verdict;
    out->stats = to->stats;
}

static const char *const trial_names[] = {
    [TRIAL_SYMMETRY] = "symmetry", [TRIAL_CODE] = "code", [TRIAL_PACKING] = "packing", [TRIAL_ZONES] = "zones"};

static void search_add_facts(const zone_search *s, result *out) {
    for (trial_kind k = 0; s->check && k < TRIAL_KINDS; k++) {
        bool has_failed = trial_failed(s->check) && trial_failed_kind(s->check) == k;
        if (trial_count(s->check, k) || has_failed)
            result_add_self_check(out, trial_names[k], trial_count(s->check, k),
                                  has_failed ? trial_failure(s->check) : NULL);
    }
    if (s->unreplayed) result_add_self_check(out, s->y ? "symmetry" : "trace", 0, s->unreplayed);
}

// What a search may rely on.
typedef struct {
    explore_options o;
    bool is_exact, by_evaluator;
} trust;

// Gives up the least that may have failed; its name. NULL when there is nothing left to give up. A search without
// abstraction may not end, so symmetry goes first.
static const char *search_give_up(trust *t, const zone_search *s) {
    bool is_checked = trial_failed(s->check);
    trial_kind kind = is_checked ? trial_failed_kind(s->check) : TRIAL_KINDS;
    space_engine engine = space_engine_of(s->x->s);
    if (s->y && kind != TRIAL_CODE && kind != TRIAL_PACKING) {
        t->o.symmetry = SYMMETRY_OFF;
        return "symmetry";
    }
    if (kind == TRIAL_ZONES && !t->is_exact) {
        t->is_exact = true;
        return "the abstraction and inclusion of zones";
    }
    if (kind == TRIAL_CODE && engine > SPACE_BYTECODE) {
        t->o.engine = ENGINE_BYTECODE;
        return "machine code";
    }
    if (t->by_evaluator) return NULL;
    t->o.symmetry = SYMMETRY_OFF;
    return t->by_evaluator = true, "everything but the evaluator";
}

// Must the search start again? Then it says so.
static bool must_search_again(trust *t, const zone_search *s) {
    if (!s->x || (!trial_failed(s->check) && !s->unreplayed)) return false;
    const char *why = trial_failed(s->check) ? trial_failure(s->check) : s->unreplayed, *what = search_give_up(t, s);
    if (what)
        diag_warning(s->in->m->messages, sys_of(s->in->m, s->in->system)->at,
                     "%s is switched off and the search starts again: %s", what, why);
    return what;
}

// What has no run to show rests on a search that failed, even if it was answered before that.
static void distrust(const zone_search *s, const answered *before, result *out) {
    if (!trial_failed(s->check)) return;
    out->verdict = before->verdict;
    for (uint32_t i = before->nproperties; i < out->properties.len; i++) {
        result_property *p = &out->properties.data[i];
        if (!p->trace && p->verdict != VERDICT_UNKNOWN) {
            p->verdict = VERDICT_UNKNOWN;
            p->reason = result_text(out, "internal error: %s", trial_failure(s->check));
        }
        out->verdict = verdict_join(out->verdict, p->verdict);
    }
}

// One search; true: another one must follow.
static bool search_once(trust *t, zone_search *s, const prop *props, uint32_t nprops, result *out) {
    answered before = {out->verdict, out->stats, out->properties.len};
    bool is_beyond;
    run_once(s, props, nprops, out, &is_beyond);
    if (is_beyond) s->horizon *= 8;
    search_add_facts(s, out);
    if (must_search_again(t, s)) {
        take_back(out, &before);
        return true;
    }
    distrust(s, &before, out);
    if (!is_beyond && s->x && t->o.finds_doubts) zone_find_untaken(s, out);
    return is_beyond;
}

// Rank 0 says whether the search starts again, and what it may then rely on.
static bool search_agree(trust *t, int32_t *horizon, bool again) {
    struct {
        uint64_t again, is_exact, by_evaluator;
        int64_t symmetry, engine, horizon;
    } told = {again, t->is_exact, t->by_evaluator, (int64_t)t->o.symmetry, (int64_t)t->o.engine, *horizon};
    if (!t->o.ranks) return again;
    t->o.ranks->tell(t->o.ranks, 0, &told, sizeof told);
    t->is_exact = told.is_exact;
    t->by_evaluator = told.by_evaluator;
    t->o.symmetry = told.symmetry;
    t->o.engine = told.engine;
    *horizon = (int32_t)told.horizon;
    return told.again;
}

static void search_run_all(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
                           const zone_keeper *keeper, orbit *given, result *out) {
    trust t = {.o = *options};
    double started = clock_seconds();
    int32_t horizon = NEAREST;
    for (bool again = true; again;) {
        zone_search s = {.in = in,
                         .o = &t.o,
                         .keeper = keeper,
                         .started = started,
                         .horizon = horizon,
                         .order = t.o.order,
                         .given = given,
                         .is_exact = t.is_exact,
                         .by_evaluator = t.by_evaluator};
        again = search_once(&t, &s, props, nprops, out);
        horizon = s.horizon;
        again = search_agree(&t, &horizon, again);
        given = NULL;
        zone_search_finish(&s);
    }
}

void zone_run_given(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
                    orbit *given, result *out) {
    search_run_all(in, props, nprops, options, NULL, given, out);
}

// Queries that are not decided have answers too, each where it was asked.
void zone_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
              const zone_keeper *keeper, result *out) {
    VEC(prop) decided = {0};
    uint32_t first = out->properties.len;
    for (uint32_t i = 0; i < nprops; i++)
        if (!zone_refusal(in, props[i], NULL)) vec_push(&decided, props[i]);
    if (decided.len || !nprops) search_run_all(in, decided.data, decided.len, options, keeper, NULL, out);
    if (options->finds_fastest) zone_find_fastest(in, options, first, out);
    if (decided.len < nprops) zone_answer_refused(in, props, nprops, first, out);
    vec_free(&decided);
}
