// SPDX-License-Identifier: Apache-2.0
// Questions to ground settings: lemmas are instantiated where a model violates them, witnesses are added
// where a refutation misses them, and a proof remembers the lemmas it used, so that it holds as long as
// those are assumed.
//
// A solver decides on every variable in each of its models, so a setting whose old questions have left many is made
// anew: what it knows is found again where it is needed, and its proofs stay.
//
// Asked lemmas go in chunks: "some lemma of the chunk is violated, by some binding" is one SAT query.
// Bindings are taken up to symmetry: variable i is one of the constants, an element an earlier variable has,
// or the next goal element. A binding whose literals the step leaves as they are is skipped while the lemma
// itself is assumed.
#include "logic/logic_int.h"

#include <assert.h>
#include <string.h>

enum {
    CHUNK_LITERALS = 32,  // violations asked about at once
    MOST_ROUND = 20,
    MOST_INSTANCES = 3,  // of one clause, added in one round
    ENDLESS_CONFLICTS = 5000,
    ENDLESS_WITNESSES = 12,  // more in one setting only inside the fragment
    MOST_VARS = MATRIX_MOST_VARS,
    STALE_VARS = 3000,       // SAT variables that a setting may have, and for each that its first question needed
    STALE_RATIO = 2,         // so many
    MOST_BINDINGS = 1 << 14  // of a clause: more are left to Z3
};

// ---- patterns of parameters

static uint32_t pattern_values(const model *m, const var *params, const value *args, uint32_t i,
                               const uint32_t *constants) {
    type t = var_of(m, params[i])->ty;
    if (!type_is_unbounded(m, t)) return type_known_size(m, t);
    value most = (value)(constants ? constants[t.id] : 0) - 1;
    for (uint32_t k = 0; k < i; k++)
        if (type_same(var_of(m, params[k])->ty, t) && args[k] > most) most = args[k];
    return (uint32_t)(most + 2);
}

static value pattern_first(const model *m, var v) { return type_first(m, var_of(m, v)->ty); }

static void first_pattern(const model *m, const var *params, value *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) args[i] = pattern_first(m, params[i]);
}

static bool next_pattern(const model *m, const var *params, value *args, uint32_t n, const uint32_t *constants) {
    for (uint32_t i = n; i-- > 0;) {
        value first = pattern_first(m, params[i]);
        if ((uint32_t)(args[i] + 1 - first) < pattern_values(m, params, args, i, constants)) {
            args[i]++;
            return true;
        }
        args[i] = first;
    }
    return false;
}

// ---- tasks and settings

void query_make_task(logic *l, task *t, rule r, bool is_start) {
    *t = (task){.r = r, .is_start = is_start};
    rule_info info = r.id ? *rule_of(l->m, r) : (rule_info){0};
    bool ok = update_of(l->m, info.body, &t->updates);
    assert(ok);
    (void)ok;
    value args[MATRIX_MOST_ARGS];
    first_pattern(l->m, info.params, args, info.nparams);
    do {
        setting s = {.r = r, .args = arena_copy(l->memory, args, info.nparams * sizeof *args)};
        vec_push(&s.proofs, (bits){0});
        vec_push(&t->settings, s);
    } while (next_pattern(l->m, info.params, args, info.nparams, NULL));
}

static void forget_ground(setting *s) {
    if (!s->is_made) return;
    ground_done(&s->g);
    s->is_made = false;
    s->first_vars = 0;
    vec_clear(&s->activation);
    vec_clear(&s->active);
}

static void free_setting(setting *s) {
    forget_ground(s);
    for (uint32_t i = 0; i < s->proofs.len; i++) bits_free(&s->proofs.data[i]);
    vec_free(&s->activation);
    vec_free(&s->active);
    vec_free(&s->also);
    vec_free(&s->goals);
    vec_free(&s->proofs);
}

void query_free_task(task *t) {
    for (uint32_t i = 0; i < t->settings.len; i++) free_setting(&t->settings.data[i]);
    vec_free(&t->settings);
    vec_free(&t->updates);
}

static void retire_in(setting *s, uint32_t lemma_index) {
    if (lemma_index >= s->activation.len || !s->activation.data[lemma_index]) return;
    sat_clause(&s->g.solver, (int[]){-s->activation.data[lemma_index]}, 1);
    s->activation.data[lemma_index] = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->active.len; i++)
        if (s->active.data[i] != lemma_index) s->active.data[n++] = s->active.data[i];
    s->active.len = n;
}

void query_retire(task *t, uint32_t lemma_index) {
    for (uint32_t i = 0; i < t->settings.len; i++) retire_in(&t->settings.data[i], lemma_index);
}

void query_count_vars(logic *l, const matrix *x) {
    uint32_t *count = mem_zero(l->m->types.len, sizeof *count);
    for (uint32_t c = 0; c < x->nclauses; c++) {
        memset(count, 0, l->m->types.len * sizeof *count);
        for (uint32_t i = 0; i < x->clauses[c].nvars; i++) {
            uint32_t t = var_of(l->m, x->clauses[c].vars[i])->ty.id;
            if (type_is_unbounded(l->m, (type){t}) && ++count[t] > l->most_vars[t]) l->most_vars[t] = count[t];
        }
    }
    free(count);
}

static bool has_goals(const logic *l, const ground *g) {
    for (uint32_t i = 1; i < g->ndomains; i++)
        if (type_is_unbounded(l->m, (type){i}) && g->domains[i].goals < l->most_vars[i]) return false;
    return true;
}

static bool is_stale(const setting *s) {
    return s->first_vars && s->g.solver.nvars > STALE_VARS + STALE_RATIO * s->first_vars;
}

// A setting with more goal elements than lemmas have variables now is made anew when it is asked.
void query_forget_large(const logic *l, task *t) {
    for (uint32_t i = 0; i < t->settings.len; i++) {
        setting *s = &t->settings.data[i];
        bool is_large = false;
        for (uint32_t k = 1; s->is_made && k < s->g.ndomains; k++)
            is_large |= type_is_unbounded(l->m, (type){k}) && s->g.domains[k].goals > l->most_vars[k];
        if (is_large) forget_ground(s);
    }
}

void query_make_ground(logic *l, const task *t, setting *s) {
    bool is_good = s->is_made && !s->g.is_cut && has_goals(l, &s->g);
    if (is_good && !s->first_vars) s->first_vars = s->g.solver.nvars;
    if (is_good && !is_stale(s)) return;
    forget_ground(s);
    rule_info info = s->r.id ? *rule_of(l->m, s->r) : (rule_info){0};
    ground_setting set = {&t->updates, &info, s->args, t->is_start, l->most_vars, NULL, l->options.small_models};
    ground_init(&s->g, l->m, l->system, &set, &l->stop);
    s->is_made = true;
}

// ---- literals of clauses

static void bind_literal(ground *g, const matrix_clause *c, const matrix_literal *lit, const value *binding) {
    if (lit->kind == LITERAL_FORMULA)
        for (uint32_t i = 0; i < lit->nargs; i++) g->env[lit->frees[i].id] = binding[lit->args[i].slot];
    else
        for (uint32_t i = 0; i < c->nvars; i++) g->env[c->vars[i].id] = binding[i];
}

static int clause_literal(ground *g, const matrix_clause *c, uint32_t i, const value *binding, bool negated,
                          bool after) {
    bind_literal(g, c, &c->lits[i], binding);
    return formula_literal(g, c->lits[i].e, c->lits[i].is_negated != negated, after);
}

static void add_instance(const logic *l, setting *s, uint32_t lemma_index, const matrix_clause *c,
                         const value *binding) {
    lit_list clause = {0};
    vec_push(&clause, -s->activation.data[lemma_index]);
    for (uint32_t i = 0; i < c->nvars; i++)
        vec_push(&clause, -cells_alive(&s->g, var_of(l->m, c->vars[i])->ty, binding[i]));
    for (uint32_t i = 0; i < c->nlits; i++) vec_push(&clause, clause_literal(&s->g, c, i, binding, false, false));
    sat_clause(&s->g.solver, clause.data, clause.len);
    vec_free(&clause);
}

static bool is_active(const setting *s, uint32_t i) { return i < s->activation.len && s->activation.data[i]; }

static void activate(setting *s, uint32_t lemma_index) {
    while (s->activation.len <= lemma_index) vec_push(&s->activation, 0);
    if (s->activation.data[lemma_index]) return;
    s->activation.data[lemma_index] = sat_var(&s->g.solver);
    vec_push(&s->active, lemma_index);
}

// Instances of one lemma that the last model violates; how many were added.
static uint32_t query_add_violated(logic *l, setting *s, uint32_t i) {
    value binding[MOST_VARS];
    const matrix *x = &l->lemmas.data[i].x;
    uint32_t added = 0;
    for (uint32_t c = 0; c < x->nclauses; c++) {
        bool first = true;
        for (uint32_t n = 0; n < MOST_INSTANCES; n++) {
            if (!finite_violation(&s->g, &x->clauses[c], false, binding, &first)) break;
            activate(s, i);
            add_instance(l, s, i, &x->clauses[c], binding);
            added++;
        }
    }
    return added;
}

// Lemmas that were of use before come first, others only when those are all true: few are needed.
static uint32_t add_instances(logic *l, setting *s, const bits *assumed) {
    uint32_t added = 0, nactive = s->active.len;
    for (uint32_t i = 0; i < nactive && added < MOST_ROUND; i++)
        if (bits_has(assumed, s->active.data[i])) added += query_add_violated(l, s, s->active.data[i]);
    if (added) return added;
    for (uint32_t i = bits_next(assumed, 0); i != UINT32_MAX && added < MOST_ROUND; i = bits_next(assumed, i + 1))
        if (!is_active(s, i)) added += query_add_violated(l, s, i);
    return added;
}

// ---- one query

static void assume_all(setting *s, int selector, const bits *assumed) {
    sat *solver = &s->g.solver;
    sat_assume(solver, selector);
    for (uint32_t i = 0; i < s->active.len; i++) {
        if (bits_has(assumed, s->active.data[i])) sat_assume(solver, s->activation.data[s->active.data[i]]);
    }
    for (uint32_t i = 0; i < s->also.len; i++) sat_assume(solver, s->also.data[i]);
    for (uint32_t i = 0; i < s->g.points.len; i++)
        if (!s->g.points.data[i].is_closed) sat_assume(solver, -s->g.points.data[i].more);
}

// A point whose closedness the refutation used, or UINT32_MAX. One at a time: a core names far more points than are
// needed.
static uint32_t core_point(const setting *s) {
    for (uint32_t i = 0; i < s->g.points.len; i++) {
        const witness_point *p = &s->g.points.data[i];
        if (!p->is_closed && sat_in_core(&s->g.solver, -p->more)) return i;
    }
    return UINT32_MAX;
}

static void core_lemmas(setting *s, const bits *assumed, bits *used) {
    bits_clear(used);
    for (uint32_t i = 0; i < s->active.len; i++) {
        uint32_t which = s->active.data[i];
        if (bits_has(assumed, which) && sat_in_core(&s->g.solver, s->activation.data[which])) bits_add(used, which);
    }
}

bool query_is_stratified(logic *l) {
    if (l->surveyed != l->lemmas.len + 1) l->is_stratified = logic_is_stratified(l, NULL);
    l->surveyed = l->lemmas.len + 1;
    return l->is_stratified;
}

// Outside the fragment new witnesses may ask for others for ever.
static bool is_endless(logic *l, const setting *s) {
    uint32_t witnesses = 0;
    for (uint32_t i = 0; i < s->g.points.len; i++) witnesses += s->g.points.data[i].is_closed;
    return witnesses >= ENDLESS_WITNESSES && !query_is_stratified(l);
}

static bool is_worn_out(const logic *l) { return (l->work_limit && l->work >= l->work_limit) || logic_is_worn_out(l); }

// One call of the solver. A hard one is given up outside the fragment, and when only little work is wanted.
static sat_answer query_solve(logic *l, setting *s, int selector, const bits *assumed) {
    assume_all(s, selector, assumed);
    l->work += (uint64_t)s->g.solver.nvars;
    l->stats.work += (uint64_t)s->g.solver.nvars;
    sat_answer found = sat_solve(&s->g.solver, ENDLESS_CONFLICTS);
    if (found != SAT_STOPPED || limits_met(&l->stop) || l->work_limit || !query_is_stratified(l)) return found;
    assume_all(s, selector, assumed);
    return sat_solve(&s->g.solver, 0);
}

answer query_search(logic *l, setting *s, int selector, const bits *assumed, bits *used) {
    for (;;) {
        if (limits_met(&l->stop) || is_worn_out(l) || s->g.is_cut) return ANSWER_UNKNOWN;
        sat_answer found = query_solve(l, s, selector, assumed);
        if (found == SAT_STOPPED) return ANSWER_UNKNOWN;
        if (found == SAT_YES) {
            finite_read(&s->g);
            if (!add_instances(l, s, assumed)) return ANSWER_REFUTED;
            continue;
        }
        if (s->is_frozen) return ANSWER_UNKNOWN;
        uint32_t point = core_point(s);
        if (point == UINT32_MAX) {
            core_lemmas(s, assumed, used);
            return ANSWER_PROVED;
        }
        if (is_endless(l, s) || !ground_add_witness(&s->g, point)) return ANSWER_UNKNOWN;
        l->stats.witnesses++;
    }
}

// The elements that the last model does without.
static void assume_dead(setting *s) {
    for (uint32_t i = 1; i < s->g.ndomains; i++) {
        const domain *d = &s->g.domains[i];
        for (uint32_t e = 0; e < d->size && d->rank.len == d->size; e++)
            if (d->rank.data[e] == UINT32_MAX) vec_push(&s->also, -d->alive.data[e]);
    }
}

// Elements that no constant needs, one after the other: can the question be refuted without it?
bool query_make_small(logic *l, setting *s, int selector, const bits *assumed) {
    uint32_t before = s->also.len;
    bits used = {0};
    bool ok = true;
    if (!l->wants_small) return true;
    s->is_frozen = true;
    for (uint32_t i = 1; i < s->g.ndomains && ok; i++) {
        const domain *d = &s->g.domains[i];
        for (uint32_t e = d->size; e-- > 0 && ok;) {
            if (d->rank.len != d->size || d->rank.data[e] == UINT32_MAX || d->alive.data[e] == SAT_TRUE) continue;
            s->also.len = before;
            assume_dead(s);
            uint32_t kept = s->also.len;
            vec_push(&s->also, -d->alive.data[e]);
            if (query_search(l, s, selector, assumed, &used) == ANSWER_REFUTED) continue;
            s->also.len = kept;
            ok = query_search(l, s, selector, assumed, &used) == ANSWER_REFUTED;
        }
    }
    s->is_frozen = false;
    s->also.len = before;
    bits_free(&used);
    return ok;
}

// Can one of the violations happen? They are used up: their clauses go, or the solver would drag them along.
static answer query_ask(logic *l, setting *s, const lit_list *violations, const bits *assumed, bits *used) {
    lit_list clause = {0};
    int selector = sat_var(&s->g.solver);
    vec_push(&clause, -selector);
    for (uint32_t i = 0; i < violations->len; i++) vec_push(&clause, violations->data[i]);
    sat_clause(&s->g.solver, clause.data, clause.len);
    vec_free(&clause);
    answer a = query_search(l, s, selector, assumed, used);
    if (a == ANSWER_REFUTED && !query_make_small(l, s, selector, assumed)) a = ANSWER_UNKNOWN;
    sat_clause(&s->g.solver, (int[]){-selector}, 1);
    for (uint32_t i = 0; i < violations->len; i++) sat_clause(&s->g.solver, (int[]){-violations->data[i]}, 1);
    l->stats.queries++;
    return a;
}

// ---- how lemmas are violated

static bool query_is_unchanged(ground *g, const matrix_clause *c, const value *binding, const int *after) {
    for (uint32_t i = 0; i < c->nlits; i++) {
        if (!ground_touched(g, c->lits[i].e)) continue;
        if (c->lits[i].kind == LITERAL_FORMULA) return false;
        if (clause_literal(g, c, i, binding, true, false) != after[i]) return false;
    }
    return true;
}

// A new variable that implies all; the solver can forget it later.
static int new_violation(ground *g, const lit_list *lits) {
    int lit = sat_var(&g->solver);
    for (uint32_t i = 0; i < lits->len; i++) sat_clause2(&g->solver, -lit, lits->data[i]);
    return lit;
}

// The literal that implies "the clause is false for this binding"; 0 if the step changes nothing of it.
static int query_violation(ground *g, const matrix_clause *c, const value *binding, bool after, bool skip) {
    lit_list lits = {0};
    for (uint32_t i = 0; i < c->nlits; i++) {
        int lit = clause_literal(g, c, i, binding, true, after);
        vec_push(&lits, lit);
        if (lit == SAT_FALSE) {
            vec_free(&lits);
            return SAT_FALSE;
        }
    }
    bool unchanged = skip && query_is_unchanged(g, c, binding, lits.data);
    for (uint32_t i = 0; i < c->nvars; i++) vec_push(&lits, cells_alive(g, var_of(g->m, c->vars[i])->ty, binding[i]));
    int lit = unchanged ? 0 : new_violation(g, &lits);
    vec_free(&lits);
    return lit;
}

// All violations of a clause up to symmetry; true if some were skipped.
static bool violations_of(ground *g, const matrix_clause *c, bool after, bool skip, lit_list *out) {
    value binding[MOST_VARS];
    if (g->is_cut) return false;
    uint32_t *constants = mem_zero(g->ndomains, sizeof *constants);
    for (uint32_t i = 1; i < g->ndomains; i++) constants[i] = g->domains[i].constants;
    bool skipped = false;
    uint32_t bindings = 0;
    first_pattern(g->m, c->vars, binding, c->nvars);
    do {
        int lit = query_violation(g, c, binding, after, skip);
        skipped |= lit == 0;
        if (lit && lit != SAT_FALSE) vec_push(out, lit);
        if (++bindings == MOST_BINDINGS || limits_met_lately(g->stop, &g->steps)) g->is_cut = true;
    } while (!g->is_cut && next_pattern(g->m, c->vars, binding, c->nvars, constants));
    free(constants);
    return skipped;
}

static goal *goal_of(setting *s, uint32_t lemma_index) {
    while (s->goals.len <= lemma_index) vec_push(&s->goals, (goal){0});
    return &s->goals.data[lemma_index];
}

static void query_add_goal(logic *l, setting *s, uint32_t lemma_index, bool is_assumed, lit_list *out) {
    goal *x = goal_of(s, lemma_index);
    const matrix *mx = &l->lemmas.data[lemma_index].x;
    *x = (goal){0};
    ground_make_room(&s->g);
    for (uint32_t c = 0; c < mx->nclauses; c++)
        x->leans_on_itself |= violations_of(&s->g, &mx->clauses[c], true, is_assumed, out);
}

// ---- chunks

typedef struct {
    VEC(uint32_t) members;
    lit_list violations;
} chunk;

static bool has_proof(const setting *s, uint32_t lemma_index, const bits *assumed) {
    if (lemma_index >= s->goals.len) return false;
    const goal *x = &s->goals.data[lemma_index];
    if (!x->proof || (x->leans_on_itself && !bits_has(assumed, lemma_index))) return false;
    return bits_subset(&s->proofs.data[x->proof], assumed);
}

static void keep_proof(setting *s, const chunk *c, bits used) {
    vec_push(&s->proofs, used);
    for (uint32_t i = 0; i < c->members.len; i++) s->goals.data[c->members.data[i]].proof = s->proofs.len - 1;
}

// The next asked lemmas from *from on that have no proof yet.
static void fill_chunk(logic *l, setting *s, const bits *assumed, const bits *asked, uint32_t *from, chunk *c) {
    vec_clear(&c->members);
    vec_clear(&c->violations);
    for (; *from != UINT32_MAX && c->violations.len < CHUNK_LITERALS; *from = bits_next(asked, *from + 1)) {
        if (has_proof(s, *from, assumed)) continue;
        vec_push(&c->members, *from);
        query_add_goal(l, s, *from, bits_has(assumed, *from), &c->violations);
    }
}

static bool lemma_fails(logic *l, setting *s, uint32_t i) {
    value binding[MOST_VARS];
    const matrix *x = &l->lemmas.data[i].x;
    for (uint32_t c = 0; c < x->nclauses; c++) {
        bool first = true;
        if (finite_violation(&s->g, &x->clauses[c], true, binding, &first)) return true;
    }
    return false;
}

static void query_find_failed(logic *l, setting *s, const bits *asked, bits *failed) {
    finite_step(&s->g);
    BITS_EACH(i, asked)
        if (lemma_fails(l, s, i)) bits_add(failed, i);
    assert(!bits_is_empty(failed));
}

// The lemmas from `from` on that are not proved here become open.
static void leave_open(const setting *s, const bits *assumed, const bits *asked, uint32_t from, bits *open) {
    for (; from != UINT32_MAX; from = bits_next(asked, from + 1))
        if (!has_proof(s, from, assumed)) bits_add(open, from);
}

// Lemmas that stay unanswered become `open`.
static answer query_setting(logic *l, const task *t, setting *s, const bits *assumed, const bits *asked, bits *open,
                            bits *failed) {
    chunk c = {0};
    answer a = ANSWER_PROVED;
    uint32_t from = bits_next(asked, 0);
    if (!is_worn_out(l) && !limits_met(&l->stop)) query_make_ground(l, t, s);
    while (from != UINT32_MAX && a != ANSWER_REFUTED && !is_worn_out(l) && !limits_met(&l->stop)) {
        fill_chunk(l, s, assumed, asked, &from, &c);
        bits used = {0};
        a = s->g.is_cut        ? ANSWER_UNKNOWN
            : c.violations.len ? query_ask(l, s, &c.violations, assumed, &used)
                               : ANSWER_PROVED;
        if (a == ANSWER_PROVED) keep_proof(s, &c, used);
        else bits_free(&used);
        if (a == ANSWER_REFUTED) query_find_failed(l, s, asked, failed);
        for (uint32_t i = 0; a == ANSWER_UNKNOWN && i < c.members.len; i++) bits_add(open, c.members.data[i]);
    }
    if (a != ANSWER_REFUTED) leave_open(s, assumed, asked, from, open);
    vec_free(&c.members);
    vec_free(&c.violations);
    return a;
}

answer query_task(logic *l, task *t, const bits *assumed, const bits *asked, uint64_t work, bits *failed) {
    bits open = {0}, left = {0};
    answer a = ANSWER_PROVED;
    bits_copy(&left, asked);
    bits_clear(failed);
    l->work = 0;
    l->work_limit = work;
    for (uint32_t i = 0; i < t->settings.len && a != ANSWER_REFUTED; i++) {
        setting *s = &t->settings.data[i];
        a = query_setting(l, t, s, assumed, &left, &open, failed);
        if (a == ANSWER_REFUTED) witness_keep(l, s, t->is_start, true);
        bits_minus(&left, &open);
    }
    if (a != ANSWER_REFUTED) {
        a = bits_is_empty(&open) ? ANSWER_PROVED : ANSWER_UNKNOWN;
        bits_copy(failed, &open);
    }
    bits_free(&open);
    bits_free(&left);
    return a;
}

bool query_used(const task *t, uint32_t lemma_index, const bits *assumed, bits *used) {
    for (uint32_t i = 0; i < t->settings.len; i++) {
        const setting *s = &t->settings.data[i];
        if (!has_proof(s, lemma_index, assumed)) return false;
        bits_join(used, &s->proofs.data[s->goals.data[lemma_index].proof]);
    }
    return true;
}

answer query_implied(logic *l, task *t, const bits *assumed, expr e, uint64_t work, bits *used) {
    l->work = 0;
    l->work_limit = work;
    matrix x = matrix_of(&l->maker, e);
    query_count_vars(l, &x);
    bits_clear(used);
    answer a = ANSWER_PROVED;
    for (uint32_t i = 0; i < t->settings.len && a == ANSWER_PROVED; i++) {
        setting *s = &t->settings.data[i];
        query_make_ground(l, t, s);
        ground_make_room(&s->g);
        lit_list violations = {0};
        bits here = {0};
        for (uint32_t c = 0; c < x.nclauses; c++) violations_of(&s->g, &x.clauses[c], false, false, &violations);
        if (violations.len || s->g.is_cut) a = query_ask(l, s, &violations, assumed, &here);
        if (a == ANSWER_REFUTED) witness_keep(l, s, false, false);
        bits_join(used, &here);
        vec_free(&violations);
        bits_free(&here);
    }
    return a;
}
