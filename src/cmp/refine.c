// SPDX-License-Identifier: Apache-2.0
// See refine.h.
//
// Why a proof is one (Krstic): suppose some run of some instance violates the property or a lemma used, and take the
// shortest. Before its last state all lemmas hold for all elements, so guards with the lemmas allow every step, and
// the abstraction follows the run seen at any c elements: also at those for which the violation shows.
#include "cmp/refine.h"

#include "base/clock.h"
#include "cmp/witness.h"
#include "model/expr.h"

#include <string.h>

enum { BROUGHT_AT_ONCE = 3, ERRORS_A_ROUND = 4, MOST_ROUNDS = 2000 };

// ---- candidates

static prop add_checked(refinement *r, const char *name, expr cond) {
    prop_info p = {.kind = PROP_INVARIANT, .name = name, .system = r->a->system, .cond = cond};
    return model_add_prop(r->a->m, p);
}

static uint32_t add_candidate(refinement *r, candidate c) {
    model *m = r->a->m;
    const char *name = c.l.name ? c.l.name : arena_printf(m->memory, "lemma %u", r->candidates.len + 1);
    c.checked =
        add_checked(r, name, abstract_formula(r->a, expr_forall(m, c.l.formals, c.l.nformals, c.l.body)));
    vec_push(&r->candidates, c);
    return r->candidates.len - 1;
}

void refine_add_lemma(refinement *r, const lemma *l) {
    add_candidate(r, (candidate){.l = *l, .is_users = true, .is_used = true});
}

static expr literal_expr(const lexicon *v, uint32_t literal) {
    if (literal / 2 == v->atoms.len) return v->m->false_expr;
    expr e = v->atoms.data[literal / 2];
    return literal % 2 ? expr_not(v->m, e) : e;
}

static lemma literal_lemma(const refinement *r, uint32_t number, uint32_t literal) {
    lexicon *v = r->s->v;
    model *m = v->m;
    const point *p = &v->points.data[number];
    expr then = literal_expr(v, literal), premise = p->premise;
    lemma l = {.formals = v->formals, .nformals = v->nformals, .only = p->r, .at = p->params};
    bool has_second =
        v->nformals > 1 && (expr_has_var(m, then, v->formals[1]) || expr_has_var(m, premise, v->formals[1]));
    if (!has_second) l.nformals = 1;
    else {
        expr same = expr_eq(m, expr_var(m, v->formals[0]), expr_var(m, v->formals[1]));
        premise = expr_and(m, expr_not(m, same), premise);
    }
    l.body = expr_implies(m, premise, then);
    return l;
}

static candidate *candidate_of(refinement *r, uint32_t number, uint32_t literal) {
    uint32_t key[] = {number, literal};
    uint32_t known = map_get(r->by_literal, key, sizeof key, UINT32_MAX);
    if (known == UINT32_MAX) {
        known = add_candidate(
            r, (candidate){.l = literal_lemma(r, number, literal), .point = number, .literal = literal});
        map_put(r->by_literal, key, sizeof key, known);
    }
    return &r->candidates.data[known];
}

// ---- exploring

typedef VEC(const lemma *) lemma_list;

static void used_lemmas(const refinement *r, lemma_list *out) {
    for (uint32_t i = 0; i < r->candidates.len; i++)
        if (r->candidates.data[i].is_used) vec_push(out, &r->candidates.data[i].l);
}

strengthened refine_system(refinement *r) {
    lemma_list lemmas = {0};
    used_lemmas(r, &lemmas);
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

static attempt explore_abstraction(refinement *r, uint32_t most_errors) {
    model *m = r->a->m;
    attempt t = {.st = refine_system(r), .found = result_new(), .end = END_INTERRUPT};
    VEC(prop) props = {0};
    vec_push(&props, r->checked);
    vec_push(&t.owners, UINT32_MAX);
    for (uint32_t i = 0; i < r->candidates.len; i++) {
        if (!r->candidates.data[i].is_used) continue;
        vec_push(&props, r->candidates.data[i].checked);
        vec_push(&t.owners, i);
    }
    for (uint32_t i = 0; i < props.len; i++) m->props.data[props.data[i].id].system = t.st.system;
    t.in = instance_new(m, t.st.system, NULL, 0);
    explore_options how = r->how;
    how.most_errors = most_errors;
    if (r->until > 0) how.limit_seconds = r->until - clock_seconds();
    if (r->until > 0 && how.limit_seconds < 0.01) how.limit_seconds = 0.01;
    if (t.in) t.end = explore_run(t.in, props.data, props.len, &how, t.found, NULL);
    vec_free(&props);
    return t;
}

static bool is_verified(const attempt *t) {
    return t->in && t->end == END_COMPLETE && t->found->verdict == VERDICT_HOLDS;
}

// ---- what blocks a step

typedef struct {
    uint32_t point, literal, cost;
} blocker;

typedef VEC(blocker) blocker_list;

static uint32_t count_nodes(const model *m, expr e) {
    const expr_info *x = expr_of(m, e);
    uint32_t n = 1;
    for (uint32_t i = 0; i < x->nargs && n < 1000; i++) n += count_nodes(m, x->args[i]);
    return n;
}

// Equations of terms say most, then what is short.
static uint32_t cost_of(const lexicon *v, uint32_t literal) {
    expr e = literal_expr(v, literal);
    const expr_info *x = expr_of(v->m, e);
    uint32_t kind = literal % 2 ? 2000 : 1000;
    if (x->kind == E_EQ && expr_kind_of(v->m, x->args[1]) != E_CONST) kind = 0;
    return kind + count_nodes(v->m, e);
}

static bool is_about(const abstract_case *c, const point *p) {
    if (p->r.id != c->origin.id) return false;
    for (uint32_t i = 0; i < c->env.len; i++)
        for (uint32_t k = 0; k < p->nparams; k++)
            if (c->env.data[i].from.id == p->params[k].id && c->env.data[i].to.kind == IDENT_OTHER)
                return true;
    return false;
}

// Does the lemma fail for the witness that is bound? Its instance may not need further unknowns.
static bool fails(refinement *r, eval *ev, abstract_case *c, const value *before, const lemma *l,
                  uint32_t known) {
    expr e = abstract_lemma(r->a, c, l);
    for (uint32_t i = known; i < c->unknowns.len; i++)
        if (expr_has_var(r->a->m, e, c->unknowns.data[i].v)) return false;
    value v = eval_expr(ev, before, e);
    return !v && eval_fault(ev).kind == FAULT_NONE;
}

static bool is_dead(const refinement *r, uint32_t number, uint32_t literal) {
    uint32_t key[] = {number, literal};
    uint32_t known = map_get(r->by_literal, key, sizeof key, UINT32_MAX);
    return known != UINT32_MAX && (r->candidates.data[known].is_false || r->candidates.data[known].is_used);
}

static void collect(refinement *r, eval *ev, abstract_case *c, const value *before, uint32_t number,
                    uint32_t known, blocker_list *out) {
    const lexicon *v = r->s->v;
    uint32_t natoms = v->atoms.len, only = r->s->is_met[number] ? UINT32_MAX : natoms * 2;
    for (uint32_t lit = 0; lit <= natoms * 2; lit++) {
        bool is_candidate =
            only == UINT32_MAX ? lit < natoms * 2 && bits_has(&r->s->holds[number], lit) : lit == only;
        if (!is_candidate || is_dead(r, number, lit)) continue;
        lemma l = literal_lemma(r, number, lit);
        if (fails(r, ev, c, before, &l, known)) vec_push(out, (blocker){number, lit, cost_of(v, lit)});
    }
}

static int by_cost(const void *a, const void *b) {
    const blocker *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    return x->literal < y->literal ? -1 : x->literal > y->literal;
}

// Brings in candidates against one witness of the step; false if there are none.
static bool block_witness(refinement *r, eval *ev, abstract_case *c, const value *before) {
    blocker_list found = {0};
    uint32_t known = c->unknowns.len;
    for (uint32_t i = 0; i < r->s->v->points.len; i++)
        if (is_about(c, &r->s->v->points.data[i])) collect(r, ev, c, before, i, known, &found);
    if (found.len) qsort(found.data, found.len, sizeof *found.data, by_cost);
    for (uint32_t i = 0; i < found.len && i < BROUGHT_AT_ONCE; i++) {
        candidate *x = candidate_of(r, found.data[i].point, found.data[i].literal);
        x->is_used = true;
        x->blocked++;
        r->brought++;
    }
    bool ok = found.len > 0;
    vec_free(&found);
    return ok;
}

// Blocks a step; false if that cannot be done. Candidates that came in since it was found may block it already.
static bool block_step(refinement *r, const instance *in, abstract_case *c, const value *before,
                       const value *args) {
    if (!c->nothers) return false;
    eval *ev = eval_new(in);
    lemma_list lemmas = {0};
    used_lemmas(r, &lemmas);
    draft d = strengthen_case(r->a, c, lemmas.data, lemmas.len);
    bool ok = !witness_bind(ev, in, &d, c, before, args) || block_witness(r, ev, c, before);
    draft_free(&d);
    vec_free(&lemmas);
    eval_free(ev);
    return ok;
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

static void drop(refinement *r, uint32_t number) {
    r->candidates.data[number].is_used = false;
    r->candidates.data[number].is_false = true;
    r->dropped++;
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
        if (owner != UINT32_MAX && !r->candidates.data[owner].is_users) drop(r, owner);
        else
            return give_up(r, t,
                           is_asked ? "no candidate excludes this step"
                                    : "a run-time error that no candidate excludes");
    }
    return true;
}

static const char *end_text(explore_end end) {
    switch (end) {
    case END_TIME: return "out of time";
    case END_MEMORY: return "out of memory";
    case END_STATES: return "the abstract model has too many states";
    case END_INTERRUPT: return "interrupted";
    default: return "the abstract model cannot be explored";
    }
}

void refine_run(refinement *r) {
    for (r->rounds = 0; r->rounds < MOST_ROUNDS && !r->is_proved; r->rounds++) {
        attempt t = explore_abstraction(r, ERRORS_A_ROUND);
        bool goes_on = true, is_violated = t.in && t.found->verdict == VERDICT_VIOLATED;
        uint32_t changes = r->brought + r->dropped;
        r->is_proved = is_verified(&t);
        if (r->is_proved) r->last = t.found->stats;
        else if (is_violated) goes_on = learn(r, &t);
        else goes_on = give_up(r, &t, end_text(t.end));
        if (goes_on && !r->is_proved && changes == r->brought + r->dropped)
            goes_on = give_up(r, &t, "a step could not be analysed");
        attempt_free(&t);
        if (!goes_on) return;
    }
    if (!r->is_proved) r->reason = "too many rounds";
}

// ---- minimising

static uint32_t count_violated(const attempt *t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->found->properties.len; i++)
        n += t->found->properties.data[i].verdict == VERDICT_VIOLATED;
    return n;
}

void refine_minimise(refinement *r, double seconds) {
    double until = clock_seconds() + seconds;
    for (uint32_t i = r->candidates.len; i-- > 0 && clock_seconds() < until;) {
        if (!r->candidates.data[i].is_used) continue;
        r->candidates.data[i].is_used = false;
        attempt t = explore_abstraction(r, 0);
        bool ok = is_verified(&t);
        if (ok) r->last = t.found->stats;
        else if (t.in) r->candidates.data[i].needed = count_violated(&t);
        r->candidates.data[i].is_used = !ok;
        attempt_free(&t);
    }
}

// ---- making

refinement *refine_new(abstraction *a, survey *s, prop property, const explore_options *how) {
    refinement *r = mem_zero(1, sizeof *r);
    *r = (refinement){.a = a, .s = s, .property = property, .how = *how, .by_literal = map_new()};
    r->checked =
        add_checked(r, prop_of(a->m, property)->name, abstract_formula(a, prop_of(a->m, property)->cond));
    return r;
}

void refine_free(refinement *r) {
    if (!r) return;
    if (r->spurious) result_free(r->spurious);
    instance_free(r->spurious_in);
    vec_free(&r->candidates);
    map_free(r->by_literal);
    free(r);
}
