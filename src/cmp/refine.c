// SPDX-License-Identifier: Apache-2.0
// See refine.h.
//
// Why a proof is one (Krstic): suppose some run of some instance violates the property or a lemma used, and take the
// shortest. Before its last state all lemmas hold for all elements, so guards with the lemmas allow every step, and
// the abstraction follows the run seen at any c elements: also at those for which the violation shows.
#include "cmp/refine_int.h"

#include "base/clock.h"
#include "cmp/closure.h"

enum { ERRORS_A_ROUND = 4, MOST_ROUNDS = 2000, LEAVING_STATES = 3000, LEAVING_A_CASE = 3 };
enum { MOST_BYTES = 1 << 30 };  // of formulas

// ---- exploring

strengthened refine_system(refinement *r) {
    lemma_list lemmas = {0};
    candidates_used(r, &lemmas);
    strengthened s = strengthen(r->a, lemmas.data, lemmas.len);
    vec_free(&lemmas);
    return s;
}

typedef struct {
    strengthened st;
    instance *in;
    result *found;
    explore_end end;
    VEC(uint32_t) owners;  // of the properties: candidates; UINT32_MAX: the property
} attempt;

static void attempt_free(attempt *t) {
    if (t->found) result_free(t->found);
    instance_free(t->in);
    strengthened_free(&t->st);
    vec_free(&t->owners);
}

static attempt explore_keeping(refinement *r, uint32_t most_errors, uint64_t most_states, explored **kept) {
    model *m = r->a->m;
    attempt t = {.st = refine_system(r), .found = result_new(), .end = END_LIMIT};
    VEC(prop) props = {0};
    vec_push(&props, r->checked);
    vec_push(&t.owners, UINT32_MAX);
    for (uint32_t i = 0; i < r->candidates.len; i++) {
        if (!r->candidates.data[i].is_used) continue;
        vec_push(&props, r->candidates.data[i].checked);
        vec_push(&t.owners, i);
    }
    for (uint32_t i = 0; i < props.len; i++) m->props.data[props.data[i].id].system = t.st.system;
    t.in = instance_try(m, t.st.system, NULL, 0);
    explore_options how = r->how;
    how.most_errors = most_errors;
    if (most_states < how.limit_states) how.limit_states = most_states;
    if (t.in) t.end = explore_run(t.in, props.data, props.len, &how, t.found, kept);
    vec_free(&props);
    return t;
}

static attempt explore_abstraction(refinement *r, uint32_t most_errors, uint64_t most_states) {
    return explore_keeping(r, most_errors, most_states, NULL);
}

static bool is_verified(const attempt *t) {
    return t->in && t->end == END_COMPLETE && t->found->verdict == VERDICT_HOLDS;
}

// ---- what a counterexample says

static bool is_view(refinement *r, const value *cells) { return survey_has_view(r->s, cells); }

// The step that leaves what real instances do; the number of steps if none does.
static uint32_t leaving_step(refinement *r, const trace *t) {
    for (uint32_t i = 0; i < t->steps.len; i++)
        if (t->steps.data[i].after && !is_view(r, t->steps.data[i].after)) return i;
    return t->steps.len;
}

static bool block_at(refinement *r, const attempt *t, const trace *run, uint32_t i) {
    abstract_case *c = strengthened_case(&t->st, r->a, run->steps.data[i].r);
    return c && block_step(r, t->in, c, trace_state(run, i), run->steps.data[i].args);
}

// The leaving step first, then those before it, the last first, then those after it.
static bool block_run(refinement *r, const attempt *t, const trace *run) {
    uint32_t at = leaving_step(r, run);
    if (at < run->steps.len && block_at(r, t, run, at)) return true;
    if (at < run->steps.len) r->needs_lemma = strengthened_case(&t->st, r->a, run->steps.data[at].r);
    if (at < run->steps.len && r->s->has_all_views) return false;
    for (uint32_t i = run->steps.len; i-- > 0;)
        if (i != at && block_at(r, t, run, i)) return true;
    return false;
}

static bool give_up(refinement *r, attempt *t, const char *reason) {
    r->reason = reason;
    r->spurious = t->found;
    r->spurious_in = t->in;
    t->found = NULL;
    t->in = NULL;
    return false;
}

// Whom a violated property belongs to; false for run-time errors of the system.
static bool owner_of(const attempt *t, const refinement *r, const result_property *p, uint32_t *owner) {
    *owner = UINT32_MAX;
    if (p->property.id == r->checked.id) return true;
    for (uint32_t i = 1; i < t->owners.len; i++) {
        *owner = t->owners.data[i];
        if (r->candidates.data[*owner].checked.id == p->property.id) return true;
    }
    *owner = UINT32_MAX;
    return false;
}

// Learns from every counterexample of a round; false if it cannot go on.
static bool learn(refinement *r, attempt *t) {
    for (uint32_t i = 0; i < t->found->properties.len; i++) {
        const result_property *p = &t->found->properties.data[i];
        uint32_t owner;
        if (p->verdict != VERDICT_VIOLATED) continue;
        bool is_asked = owner_of(t, r, p, &owner);
        if (!p->trace) return give_up(r, t, p->reason ? arena_str(r->a->m->memory, p->reason) : "no trace");
        if (block_run(r, t, p->trace)) continue;
        if (owner != UINT32_MAX && !r->candidates.data[owner].is_users) candidates_drop(r, owner);
        else
            return give_up(r, t,
                           is_asked ? "no candidate excludes this step"
                                    : "a run-time error that no candidate excludes");
    }
    return true;
}

// ---- too many states: steps that leave what real instances do, wherever they are

typedef struct {
    const space *sp;
    space_run *run;
    uint64_t *state, *next;
    uint32_t *labels;
    value *before, *after;
    uint32_t *looked_at;  // by case
} leaving;

static void leaving_open(leaving *l, const refinement *r, const attempt *t, const space *sp) {
    uint32_t words = space_words(sp), n = space_labels(sp);
    *l = (leaving){.sp = sp, .run = space_run_new(sp)};
    l->state = mem_zero(words + 1, 8);
    l->next = mem_zero((size_t)(n + 1) * words, 8);
    l->labels = mem_zero(n + 1, sizeof *l->labels);
    l->before = mem_zero(t->in->ncells + 1, sizeof *l->before);
    l->after = mem_zero(t->in->ncells + 1, sizeof *l->after);
    l->looked_at = mem_zero(r->a->cases.len + 1, sizeof *l->looked_at);
}

static void leaving_close(leaving *l) {
    space_run_free(l->run);
    free(l->state);
    free(l->next);
    free(l->labels);
    free(l->before);
    free(l->after);
    free(l->looked_at);
}

static void block_leaving(refinement *r, const attempt *t, leaving *l) {
    uint32_t words = space_words(l->sp), n = space_next(l->run, l->state, l->next, l->labels);
    value args[model_most_params(r->a->m)];
    for (uint32_t i = 0; i < n; i++) {
        if (l->labels[i] & SPACE_TROUBLE) continue;
        rule step_rule = space_label(l->sp, l->labels[i], args);
        abstract_case *c = strengthened_case(&t->st, r->a, step_rule);
        if (!c || !c->nothers || l->looked_at[c - r->a->cases.data] >= LEAVING_A_CASE) continue;
        space_unpack(l->sp, l->next + (size_t)i * words, l->after);
        if (is_view(r, l->after)) continue;
        l->looked_at[c - r->a->cases.data]++;
        block_step(r, t->in, c, l->before, args);
    }
}

static void learn_from_states(refinement *r) {
    explored *x = NULL;
    attempt t = explore_keeping(r, 1, LEAVING_STATES, &x);
    if (x && explored_space(x)) {
        leaving l;
        leaving_open(&l, r, &t, explored_space(x));
        for (uint64_t i = 0; i < explored_count(x); i++) {
            explored_state(x, i, l.state);
            space_unpack(l.sp, l.state, l.before);
            if (is_view(r, l.before)) block_leaving(r, &t, &l);
        }
        leaving_close(&l);
    }
    explored_free(x);
    attempt_free(&t);
}

static const char *end_text(const refinement *r, explore_end end) {
    switch (end) {
    case END_LIMIT: return limits_why(&r->how.limits);
    case END_MEMORY: return "out of memory";
    case END_STATES: return "the abstract model has too many states";
    default: return "the abstract model cannot be explored";
    }
}

// Lemmas that were to keep the abstraction within views that it cannot be kept in are of no use.
static void begin_anew(refinement *r) {
    for (uint32_t i = 0; i < r->candidates.len; i++)
        r->candidates.data[i].is_used &= r->candidates.data[i].is_users;
}

// Most of the work. What is left to do then is to explore the abstraction once.
static void close_views(refinement *r) {
    closure *c = closure_new(r);
    double started = clock_seconds();
    r->is_closed = c && closure_run(c);
    if (r->is_closed) {
        closure_minimise(c, 1 + 2 * (clock_seconds() - started));
        r->enough = UINT64_MAX;
    } else begin_anew(r);
    closure_free(c);
}

bool refine_is_full(const refinement *r) { return arena_bytes(r->a->m->memory) > MOST_BYTES; }

void refine_run(refinement *r) {
    close_views(r);
    for (r->rounds = 0; r->rounds < MOST_ROUNDS && !r->is_proved; r->rounds++) {
        if (refine_is_full(r)) {
            r->reason = "out of memory";
            return;
        }
        attempt t = explore_abstraction(r, ERRORS_A_ROUND, r->enough);
        bool goes_on = true, is_violated = t.in && t.found->verdict == VERDICT_VIOLATED;
        uint32_t changes = r->brought + r->dropped;
        r->is_proved = is_verified(&t);
        if (r->is_proved) r->last = t.found->stats;
        else if (is_violated) goes_on = learn(r, &t);
        else if (t.end == END_STATES && r->enough < r->how.limit_states) {
            learn_from_states(r);
            if (changes == r->brought + r->dropped) r->enough *= 8;
            changes = UINT32_MAX;
        } else goes_on = give_up(r, &t, end_text(r, t.end));
        if (goes_on && !r->is_proved && changes == r->brought + r->dropped)
            goes_on = give_up(r, &t, "a step could not be analysed");
        attempt_free(&t);
        if (!goes_on) return;
    }
    if (!r->is_proved) r->reason = "too many rounds";
}

bool refine_verifies(refinement *r) {
    attempt t = explore_abstraction(r, 1, UINT64_MAX);
    bool ok = is_verified(&t);
    attempt_free(&t);
    return ok;
}

// ---- minimising

void refine_minimise(refinement *r, double seconds) {
    limits part = limits_within(&r->how.limits, seconds);
    if (r->is_closed && r->a->kept_count == 1) return;
    for (uint32_t i = r->candidates.len; i-- > 0 && !limits_met(&part);) {
        if (!r->candidates.data[i].is_used) continue;
        r->candidates.data[i].is_used = false;
        attempt t = explore_abstraction(r, 1, r->last.states * 8 + 2000);
        bool ok = is_verified(&t);
        if (ok) {
            r->last = t.found->stats;
            r->counted = 0;  // how often the others are needed was counted with this one
        }
        r->candidates.data[i].is_used = !ok;
        attempt_free(&t);
    }
}

// ---- making

refinement *refine_new(abstraction *a, survey *s, prop property, const explore_options *how) {
    refinement *r = mem_zero(1, sizeof *r);
    *r = (refinement){.a = a,
                      .s = s,
                      .property = property,
                      .how = *how,
                      .enough = 10000,
                      .by_clause = map_new(),
                      .instance_of = map_new()};
    r->own_unknowns = mem_zero(a->cases.len + 1, sizeof *r->own_unknowns);
    for (uint32_t i = 0; i < a->cases.len; i++) r->own_unknowns[i] = a->cases.data[i].unknowns.len;
    if (s) r->samples = mem_zero(s->v->points.len + 1, sizeof *r->samples);
    r->checked = candidates_check(r, prop_of(a->m, property)->name,
                                  abstract_formula(a, prop_of(a->m, property)->cond));
    return r;
}

void refine_free(refinement *r) {
    if (!r) return;
    if (r->spurious) result_free(r->spurious);
    instance_free(r->spurious_in);
    for (uint32_t i = 0; r->samples && i < r->s->v->points.len; i++) {
        free(r->samples[i].fails);
        free(r->samples[i].support);
    }
    free(r->samples);
    free(r->own_unknowns);
    vec_free(&r->candidates);
    vec_free(&r->fresh);
    map_free(r->by_clause);
    for (uint32_t i = 0; i < r->instances.len; i++) bits_free(&r->instances.data[i].uses);
    vec_free(&r->instances);
    map_free(r->instance_of);
    free(r);
}
