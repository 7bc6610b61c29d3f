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

enum {
    BROUGHT_AT_ONCE = 3,
    ERRORS_A_ROUND = 4,
    MOST_ROUNDS = 2000,
    MOST_CHOICES = 500,
    LEAVING_STATES = 3000,
    LEAVING_A_CASE = 3
};

#define NO_LITERAL UINT32_MAX

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

static lemma clause_lemma(const refinement *r, uint32_t number, uint32_t literal, uint32_t second) {
    lexicon *v = r->s->v;
    model *m = v->m;
    const point *p = &v->points.data[number];
    expr then = literal_expr(v, literal), premise = p->premise;
    if (second != NO_LITERAL) then = expr_or(m, then, literal_expr(v, second));
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

static candidate *candidate_of(refinement *r, uint32_t number, uint32_t literal, uint32_t second) {
    uint32_t key[] = {number, literal, second};
    uint32_t known = map_get(r->by_literal, key, sizeof key, UINT32_MAX);
    if (known == UINT32_MAX) {
        known = add_candidate(r, (candidate){.l = clause_lemma(r, number, literal, second), .point = number});
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

static attempt explore_keeping(refinement *r, uint32_t most_errors, uint64_t most_states, explored **kept) {
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
    if (most_states < how.limit_states) how.limit_states = most_states;
    if (r->until > 0) how.limit_seconds = r->until - clock_seconds();
    if (r->until > 0 && how.limit_seconds < 0.01) how.limit_seconds = 0.01;
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

// ---- what blocks a step

typedef struct {
    uint32_t point, literal, second, cost;  // second: another literal of the clause, or NO_LITERAL
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

// The witness of a step, and what is not said by it.
typedef struct {
    refinement *r;
    eval *ev;
    const instance *in;
    abstract_case *c;
    const draft *d;
    const value *before;
    bits bound;  // unknowns of the case that the witness gives
} step;

static bool is_bound_by(const draft *d, var v) {
    for (uint32_t i = 0; i < d->unknowns.len; i++)
        if (d->unknowns.data[i].id == v.id) return true;
    for (uint32_t i = 0; i < d->solved.len; i++)
        if (d->solved.data[i].v.id == v.id) return true;
    for (uint32_t i = 0; i < d->quantified.len; i++)
        if (d->quantified.data[i].id == v.id) return true;
    return false;
}

static void note_bound(step *s) {
    for (uint32_t i = 0; i < s->c->unknowns.len; i++)
        if (is_bound_by(s->d, s->c->unknowns.data[i].v)) bits_add(&s->bound, i);
}

// The unknowns of an instance of a lemma that the witness leaves open.
typedef VEC(var) open_list;

static void find_open(const step *s, expr e, open_list *out) {
    for (uint32_t i = 0; i < s->c->unknowns.len; i++)
        if (!bits_has(&s->bound, i) && expr_has_var(s->in->m, e, s->c->unknowns.data[i].v))
            vec_push(out, s->c->unknowns.data[i].v);
}

static bool is_false(const step *s, expr e) {
    value v = eval_expr(s->ev, s->before, e);
    return !v && eval_fault(s->ev).kind == FAULT_NONE;
}

static bool is_false_from(const step *s, expr e, const open_list *open, uint32_t i) {
    if (i == open->len) return is_false(s, e);
    type ty = var_of(s->in->m, open->data[i])->ty;
    value first = instance_type_first(s->in, ty);
    for (uint32_t k = 0; k < instance_type_size(s->in, ty); k++) {
        eval_bind(s->ev, open->data[i], first + (value)k);
        if (!is_false_from(s, e, open, i + 1)) return false;
    }
    return true;
}

static uint64_t count_choices(const step *s, const open_list *open) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < open->len && n < 1000000; i++)
        n *= instance_type_size(s->in, var_of(s->in->m, open->data[i])->ty);
    return n;
}

// Does the instance fail, whatever is open; or, if that is enough, for one choice of it?
static bool fails(const step *s, expr e, bool for_one) {
    open_list open = {0};
    find_open(s, e, &open);
    bool ok = count_choices(s, &open) <= MOST_CHOICES;
    for (uint32_t i = 0; for_one && i < open.len; i++)
        eval_bind(s->ev, open.data[i], instance_type_first(s->in, var_of(s->in->m, open.data[i])->ty));
    if (for_one) ok = is_false(s, e);
    else ok = ok && is_false_from(s, e, &open, 0);
    vec_free(&open);
    return ok;
}

// What a candidate says about the others of a case; made once.
static expr instance_of(refinement *r, abstract_case *c, uint32_t number, uint32_t literal) {
    uint32_t key[] = {(uint32_t)(c - r->a->cases.data), number, literal};
    uint32_t known = map_get(r->instances, key, sizeof key, 0);
    if (known) return (expr){known};
    lemma l = clause_lemma(r, number, literal, NO_LITERAL);
    expr e = abstract_lemma(r->a, c, &l);
    map_put(r->instances, key, sizeof key, e.id);
    return e;
}

static bool is_dead(const refinement *r, uint32_t number, uint32_t literal, uint32_t second) {
    uint32_t key[] = {number, literal, second};
    uint32_t known = map_get(r->by_literal, key, sizeof key, UINT32_MAX);
    return known != UINT32_MAX && (r->candidates.data[known].is_false || r->candidates.data[known].is_used);
}

static bool is_candidate(const refinement *r, uint32_t number, uint32_t literal) {
    uint32_t natoms = r->s->v->atoms.len;
    if (is_dead(r, number, literal, NO_LITERAL)) return false;
    if (!r->s->is_met[number]) return literal == natoms * 2;
    return literal < natoms * 2 && bits_has(&r->s->holds[number], literal);
}

static void collect(step *s, uint32_t number, bool for_one, blocker_list *out) {
    refinement *r = s->r;
    for (uint32_t lit = 0; lit <= r->s->v->atoms.len * 2; lit++)
        if (is_candidate(r, number, lit) && fails(s, instance_of(r, s->c, number, lit), for_one))
            vec_push(out, (blocker){number, lit, NO_LITERAL, cost_of(r->s->v, lit)});
}

static int by_cost(const void *a, const void *b) {
    const blocker *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return x->literal < y->literal ? -1 : x->literal > y->literal;
}

static void bring(refinement *r, const blocker_list *found, uint32_t most) {
    for (uint32_t i = 0; i < found->len && i < most; i++) {
        candidate *x = candidate_of(r, found->data[i].point, found->data[i].literal, found->data[i].second);
        x->is_used = true;
        x->blocked++;
        r->brought++;
    }
}

// ---- clauses of two literals

typedef struct {
    uint32_t literal, support;  // in how many of the point's rows it is false
    uint64_t *rows;             // which
} column;

typedef VEC(column) column_list;

// The literals that fail for the witness, whatever is open, and where they are false among the samples.
static void failing_columns(step *s, uint32_t number, column_list *out) {
    refinement *r = s->r;
    map *rows = r->s->rows[number];
    uint32_t n = map_count(rows), words = (n + 63) / 64;
    for (uint32_t lit = 0; lit < r->s->v->atoms.len * 2; lit++) {
        if (bits_has(&r->s->holds[number], lit) || !fails(s, instance_of(r, s->c, number, lit), false))
            continue;
        column c = {lit, 0, mem_zero(words + 1, 8)};
        for (uint32_t i = 0; i < n; i++) {
            size_t size;
            const uint64_t *row = map_key(rows, i, &size);
            if (row[lit / 64] >> (lit % 64) & 1) continue;
            c.rows[i / 64] |= UINT64_C(1) << (i % 64);
            c.support++;
        }
        vec_push(out, c);
    }
}

static bool never_both(const column *a, const column *b, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        if (a->rows[i] & b->rows[i]) return false;
    return true;
}

// Clauses that hold in all samples; those that say most about them first.
static void collect_pairs(step *s, uint32_t number, blocker_list *out) {
    refinement *r = s->r;
    column_list list = {0};
    uint32_t n = map_count(r->s->rows[number]), words = (n + 63) / 64;
    if (!r->s->is_met[number] || n >= SURVEY_MOST_ROWS) return;
    failing_columns(s, number, &list);
    for (uint32_t i = 0; i < list.len; i++)
        for (uint32_t k = i + 1; k < list.len; k++) {
            const column *a = &list.data[i], *b = &list.data[k];
            if (!never_both(a, b, words) || is_dead(r, number, a->literal, b->literal)) continue;
            uint32_t support = a->support < b->support ? a->support : b->support;
            vec_push(out, (blocker){number, a->literal, b->literal, UINT32_MAX - support});
        }
    for (uint32_t i = 0; i < list.len; i++) free(list.data[i].rows);
    vec_free(&list);
}

// Brings in candidates against the witness: such that exclude it alone, or else together with others, by saying
// something about what it leaves open. 2, 1, or 0 if there are none.
static int block_witness(step *s) {
    blocker_list found = {0};
    int how = 0;
    for (int pass = 2; pass > 0 && !how; pass--) {
        for (uint32_t i = 0; i < s->r->s->v->points.len; i++)
            if (is_about(s->c, &s->r->s->v->points.data[i])) collect(s, i, pass == 1, &found);
        if (found.len) how = pass;
    }
    for (uint32_t i = 0; !how && i < s->r->s->v->points.len; i++)
        if (is_about(s->c, &s->r->s->v->points.data[i])) collect_pairs(s, i, &found);
    if (!how && found.len) how = 2;
    if (found.len) qsort(found.data, found.len, sizeof *found.data, by_cost);
    bring(s->r, &found, BROUGHT_AT_ONCE);
    vec_free(&found);
    return how;
}

// One witness of the step with the lemmas now used: 2 if that was excluded, 1 if something was said about it, 0 if
// nothing can be said, 3 if there is none.
static int block_once(refinement *r, const instance *in, abstract_case *c, const value *before,
                      const value *args) {
    step s = {.r = r, .ev = eval_new(in), .in = in, .c = c, .before = before};
    lemma_list lemmas = {0};
    used_lemmas(r, &lemmas);
    draft d = strengthen_case(r->a, c, lemmas.data, lemmas.len);
    s.d = &d;
    note_bound(&s);
    int how = witness_bind(s.ev, in, &d, c, before, args) ? block_witness(&s) : 3;
    draft_free(&d);
    bits_free(&s.bound);
    vec_free(&lemmas);
    eval_free(s.ev);
    return how;
}

// Blocks a step; false if that cannot be done. Candidates that came in since it was found may block it already.
static bool block_step(refinement *r, const instance *in, abstract_case *c, const value *before,
                       const value *args) {
    return c->nothers && block_once(r, in, c, before, args) > 0;
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

// ---- too many states: steps that leave what real instances do, wherever they are

typedef struct {
    const space *sp;
    space_run *run;
    uint64_t *state, *next;
    uint32_t *labels;
    value *before, *after, *args;
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
    l->args = mem_zero(64, sizeof *l->args);
    l->looked_at = mem_zero(r->a->cases.len + 1, sizeof *l->looked_at);
}

static void leaving_close(leaving *l) {
    space_run_free(l->run);
    free(l->state);
    free(l->next);
    free(l->labels);
    free(l->before);
    free(l->after);
    free(l->args);
    free(l->looked_at);
}

static void block_leaving(refinement *r, const attempt *t, leaving *l) {
    uint32_t words = space_words(l->sp), n = space_next(l->run, l->state, l->next, l->labels);
    for (uint32_t i = 0; i < n; i++) {
        if (l->labels[i] & SPACE_TROUBLE) continue;
        rule step_rule = space_label(l->sp, l->labels[i], l->args);
        abstract_case *c = strengthened_case(&t->st, r->a, step_rule);
        if (!c || !c->nothers || l->looked_at[c - r->a->cases.data] >= LEAVING_A_CASE) continue;
        space_unpack(l->sp, l->next + (size_t)i * words, l->after);
        if (is_view(r, l->after)) continue;
        l->looked_at[c - r->a->cases.data]++;
        block_step(r, t->in, c, l->before, l->args);
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
        } else goes_on = give_up(r, &t, end_text(t.end));
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
    double until = clock_seconds() + seconds;
    for (uint32_t i = r->candidates.len; i-- > 0 && clock_seconds() < until;) {
        if (!r->candidates.data[i].is_used) continue;
        r->candidates.data[i].is_used = false;
        attempt t = explore_abstraction(r, 1, r->last.states * 8 + 2000);
        bool ok = is_verified(&t);
        if (ok) r->last = t.found->stats;
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
                      .by_literal = map_new(),
                      .instances = map_new()};
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
    map_free(r->instances);
    free(r);
}
