// SPDX-License-Identifier: Apache-2.0
// Steps of counterexamples: see choose.h. A round explores the abstraction with the lemmas used and learns from the
// first run that violates the property or a lemma.
#include "cmp/lemmas/choose.h"

#include "result/trace.h"

#include <assert.h>

enum { MOST_ROUNDS = 2000 };

// ---- exploring

typedef struct {
    strengthened st;
    instance *in;
    result *found;
    explore_end end;
    asked q;
} attempt;

typedef VEC(uint32_t) number_list;

static void attempt_free(attempt *t) {
    if (t->found) result_free(t->found);
    instance_free(t->in);
    strengthened_free(&t->st);
    asked_free(&t->q);
    *t = (attempt){0};
}

// Only what may be the proof is checked against the evaluator; runs are replayed anyway.
static attempt explore_abstraction(chooser *c, uint64_t most_states, bool is_proof) {
    attempt t = {.st = choose_system(c), .found = result_new(), .end = END_LIMIT};
    t.q = choose_ask(c, &t.st);
    t.in = instance_try(t.st.m, t.st.system, NULL, 0);
    explore_options how = c->how;
    if (!is_proof) how.self_check = SELF_CHECK_OFF;
    how.most_errors = 1;
    how.all_must_hold = true;  // a round that fails is no proof
    if (most_states < how.limit_states) how.limit_states = most_states;
    if (t.in) t.end = explore_run(t.in, t.q.props.data, t.q.props.len, &how, t.found, NULL);
    c->work += t.found->stats.states;
    return t;
}

static bool is_verified(const attempt *t) {
    return t->in && t->end == END_COMPLETE && t->found->verdict == VERDICT_HOLDS;
}

// ---- the steps of a run

typedef struct {
    step_source base;
    attempt t;
    bool is_proof;     // if the loop is through, it is proved
    uint32_t changes;  // of the lemmas, when the round began
    const trace *run;  // that is looked at; NULL: none
    uint32_t owner;    // of what it violates
    bool is_asked;     // it violates the property or a lemma: it is no run-time error
    uint32_t leaving;  // the step that leaves what real instances do; the number of steps if none does
    uint32_t told;     // steps that were told
    bool is_open;      // the last one was told, and nobody said that nothing excludes it
} runs;

static bool from_runs_give_up(runs *r, const char *reason) {
    r->base.c->out.reason = reason;
    r->base.c->out.spurious = (spurious_run){r->t.found, r->t.in, r->t.st.m};
    r->t.found = NULL;
    r->t.in = NULL;
    r->t.st.is_own = false;
    return false;
}

static uint32_t leaving_step(const chooser *c, const trace *t) {
    for (uint32_t i = 0; i < t->steps.len; i++)
        if (t->steps.data[i].after && !survey_has_view(c->s, t->steps.data[i].after)) return i;
    return t->steps.len;
}

// The leaving step first, which may be a real one that was not seen; then all, the last first.
static bool tell_step(runs *r, loose_step *out) {
    uint32_t n = r->run->steps.len, first = r->leaving < n;
    while (r->told < n + first) {
        uint32_t i = first && !r->told ? r->leaving : n + first - 1 - r->told;
        r->told++;
        const case_rule *of = strengthened_rule(&r->t.st, r->run->steps.data[i].r);
        abstract_case *c = of ? of->c : NULL;
        if (i == r->leaving) r->base.c->out.needs_lemma = c;
        if (!c || !c->nothers) continue;
        *out = (loose_step){.c = c, .before = trace_state(r->run, i), .args = r->run->steps.data[i].args};
        return r->is_open = true;
    }
    return false;
}

// Nothing excludes the run: the lemma that it violates is dropped.
static bool lose_run(runs *r) {
    candidates *lemmas = r->base.c->lemmas;
    r->run = NULL;
    if (r->owner == CHOOSE_PROPERTY || lemmas->list.data[r->owner].is_users)
        return from_runs_give_up(r, r->is_asked ? "no candidate excludes this step"
                                                : "a run-time error that no candidate excludes");
    if (lemmas->list.data[r->owner].is_used) candidates_drop(lemmas, r->owner);
    return true;
}

// ---- runs, round by round

static const char *from_runs_end_text(const chooser *c, explore_end end) {
    switch (end) {
    case END_LIMIT: return limits_why(&c->how.limits);
    case END_MEMORY: return "the abstract model needs more memory than there is (--limit-memory)";
    case END_STATES:
        return arena_printf(c->a->m->memory, "the abstract model has more than %s states (--limit-states N: up to N)",
                            str_count(c->how.limit_states));
    default: return "the abstract model cannot be explored";
    }
}

static uint32_t count_changes(const runs *r) { return r->base.c->lemmas->brought + r->base.c->lemmas->dropped; }

// Explores; false if there are no runs to learn from: it is proved, or there is no point in going on.
static bool from_runs_begin_round(runs *r) {
    chooser *c = r->base.c;
    if (r->t.in && r->changes == count_changes(r)) return from_runs_give_up(r, "a step could not be analysed");
    attempt_free(&r->t);
    r->t = explore_abstraction(c, UINT64_MAX, r->is_proof);
    c->out.rounds++;
    r->base.is_through = is_verified(&r->t);
    if (r->base.is_through) {
        c->out.last = r->t.found->stats;
        return false;
    }
    if (c->out.rounds >= MOST_ROUNDS) return from_runs_give_up(r, "too many rounds");
    if (!r->t.in) return from_runs_give_up(r, "the abstract model is too large");
    if (r->t.found->verdict != VERDICT_VIOLATED) return from_runs_give_up(r, from_runs_end_text(c, r->t.end));
    r->changes = count_changes(r);
    return true;
}

static void find_owner(runs *r, prop violated) {
    r->owner = CHOOSE_PROPERTY;
    r->is_asked = false;
    for (uint32_t i = 0; i < r->t.q.owners.len; i++) {
        if (r->t.q.props.data[i].id != violated.id) continue;
        r->owner = r->t.q.owners.data[i];
        r->is_asked = true;
    }
}

static bool begin_run(runs *r) {
    if (!from_runs_begin_round(r)) return false;
    const result *found = r->t.found;
    const result_property *p = found->properties.data;
    while (p < found->properties.data + found->properties.len && p->verdict != VERDICT_VIOLATED) p++;
    assert(p < found->properties.data + found->properties.len);  // the verdict of all is that of one
    if (!p->trace) return from_runs_give_up(r, p->reason ? arena_str(r->base.c->a->m->memory, p->reason) : "no trace");
    r->run = p->trace;
    r->leaving = leaving_step(r->base.c, p->trace);
    r->told = 0;
    find_owner(r, p->property);
    return true;
}

static bool runs_next(step_source *from, loose_step *out) {
    runs *r = (runs *)from;
    if (r->is_open) r->run = NULL;  // the step was excluded, and the run with it
    r->is_open = false;
    for (;;) {
        if (!r->run && !begin_run(r)) return false;
        if (tell_step(r, out)) return true;
        if (!lose_run(r)) return false;
    }
}

static bool runs_admit(step_source *from) {
    ((runs *)from)->is_open = false;
    return true;
}

step_source *from_runs_new(chooser *c, bool is_proof) {
    runs *r = mem_zero(1, sizeof *r);
    *r = (runs){.base = {.c = c, .next = runs_next, .admit = runs_admit}, .is_proof = is_proof};
    return &r->base;
}

void from_runs_free(step_source *from) {
    attempt_free(&((runs *)from)->t);
    free(from);
}

// ---- the proof alone, and fewer lemmas

bool from_runs_verifies(chooser *c) {
    attempt t = explore_abstraction(c, UINT64_MAX, true);
    bool ok = is_verified(&t);
    if (ok) c->out.last = t.found->stats;
    else c->out.reason = from_runs_end_text(c, t.end);
    attempt_free(&t);
    return ok;
}

// Tries without each lemma in turn, and notes which are not needed.
static void leave_out_lemmas(chooser *c, uint64_t until, number_list *left) {
    for (uint32_t i = c->lemmas->list.len; i-- > 0 && c->work < until && !limits_met(&c->how.limits);) {
        candidate *x = &c->lemmas->list.data[i];
        if (!x->is_used) continue;
        x->is_used = false;
        attempt t = explore_abstraction(c, c->out.last.states * 8 + 2000, false);
        x->is_used = !is_verified(&t);
        if (!x->is_used) vec_push(left, i);
        attempt_free(&t);
    }
}

void from_runs_minimise(chooser *c, uint64_t most_work) {
    number_list left = {0};
    leave_out_lemmas(c, c->work + most_work, &left);
    c->out.is_proved = from_runs_verifies(c);
    if (left.len && c->out.is_proved) c->out.counted = 0;  // how often the others are needed was counted with these
    for (uint32_t i = 0; i < left.len && !c->out.is_proved; i++) c->lemmas->list.data[left.data[i]].is_used = true;
    if (left.len && !c->out.is_proved) c->out.is_proved = from_runs_verifies(c);
    vec_free(&left);
}
