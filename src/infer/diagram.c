// SPDX-License-Identifier: Apache-2.0
// States as cubes, and cubes as clauses: see diagram.h.
#include "infer/diagram.h"

#include "model/eval.h"
#include "model/expr.h"

#include <assert.h>
#include <string.h>

// A range or enum with more values makes no words; a state with more words has no diagram: each would be a literal at
// every place of a cube.
enum { DIAGRAM_MOST_VALUES = 16, DIAGRAM_MOST_WORDS = 1024 };

// ---- words

static void diagram_add_word(diagram_maker *d, expr body, const var_list *formals, bool is_quantified) {
    if (expr_is_true(d->m, body) || expr_is_false(d->m, body)) return;
    word w = {.body = body, .nformals = formals->len, .is_quantified = is_quantified};
    w.formals = arena_copy(d->m->memory, formals->data, formals->len * sizeof(var));
    vec_push(&d->words, w);
}

static expr diagram_formal(diagram_maker *d, var_list *formals, type t) {
    vec_push(formals, model_add_var(d->m, "x", t, (span){0}));
    return expr_var(d->m, vec_last(formals));
}

static bool diagram_is_small(const model *m, type t) {
    return type_of(m, t)->kind != TYPE_SORT && type_known_size(m, t) <= DIAGRAM_MOST_VALUES;
}

static void words_of_value(diagram_maker *d, expr app, type t, var_list *formals) {
    if (type_of(d->m, t)->kind == TYPE_BOOL) {
        diagram_add_word(d, app, formals, false);
    } else if (type_of(d->m, t)->kind == TYPE_SORT) {
        expr other = diagram_formal(d, formals, t);
        diagram_add_word(d, expr_eq(d->m, app, other), formals, false);
        formals->len--;
    } else if (diagram_is_small(d->m, t)) {
        for (uint32_t i = 0; i < type_known_size(d->m, t); i++)
            diagram_add_word(d, expr_eq(d->m, app, expr_const(d->m, t, type_first(d->m, t) + (value)i)), formals,
                             false);
    }
}

// f with arguments from i on filled in: a formal for a sort, every value for other types.
static void words_of_func(diagram_maker *d, func f, uint32_t i, expr *args, var_list *formals) {
    func_info info = *func_of(d->m, f);
    if (i == info.nargs) {
        words_of_value(d, expr_app(d->m, f, args), info.result, formals);
        return;
    }
    type t = info.args[i];
    if (type_of(d->m, t)->kind == TYPE_SORT) {
        args[i] = diagram_formal(d, formals, t);
        words_of_func(d, f, i + 1, args, formals);
        formals->len--;
    } else if (diagram_is_small(d->m, t)) {
        for (uint32_t k = 0; k < type_known_size(d->m, t); k++) {
            args[i] = expr_const(d->m, t, type_first(d->m, t) + (value)k);
            words_of_func(d, f, i + 1, args, formals);
        }
    }
}

static void words_of_order(diagram_maker *d, type t) {
    var_list formals = {0};
    expr a = diagram_formal(d, &formals, t), b = diagram_formal(d, &formals, t);
    diagram_add_word(d, expr_arith(d->m, E_LT, a, b), &formals, false);
    vec_free(&formals);
}

static void words_of_shape(diagram_maker *d, const shape *s) {
    var_list formals = {0};
    for (uint32_t i = 0; i < s->nformals; i++) vec_push(&formals, s->formals[i]);
    diagram_add_word(d, s->body, &formals, true);
    vec_free(&formals);
}

void diagram_start(diagram_maker *d, atom_pool *pool, bool with_quantified) {
    *d = (diagram_maker){.m = pool->m, .pool = pool, .columns = map_new()};
    var_list formals = {0};
    expr args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < sys_of(d->m, pool->system)->funcs.len; i++)
        words_of_func(d, sys_of(d->m, pool->system)->funcs.data[i], 0, args, &formals);
    for (uint32_t i = 0; i < pool->sorts.len; i++)
        if (type_of(d->m, pool->sorts.data[i])->is_ordered) words_of_order(d, pool->sorts.data[i]);
    for (uint32_t i = 0; i < pool->shapes.len && with_quantified; i++)
        if (pool->shapes.data[i].is_quantified && pool->shapes.data[i].level == ATOMS_OF_MODEL)
            words_of_shape(d, &pool->shapes.data[i]);
    vec_free(&formals);
}

void diagram_stop(diagram_maker *d) {
    for (uint32_t i = 0; i < d->values.len; i++) free(d->values.data[i]);
    vec_free(&d->values);
    vec_free(&d->words);
    vec_free(&d->vars);
    vec_free(&d->samples);
    map_free(d->columns);
}

// ---- diagrams

var diagram_var(diagram_maker *d, type t, uint32_t index) {
    uint32_t s = atoms_sort(d->pool, t);
    if (s != UINT32_MAX && index < POOL_PER_SORT) return d->pool->vars.data[s * POOL_PER_SORT + index];
    uint32_t left = index;
    for (uint32_t i = 0; i < d->vars.len; i++)
        if (type_same(var_of(d->m, d->vars.data[i])->ty, t) && left-- == 0) return d->vars.data[i];
    for (;; left--) {
        const char *name = arena_printf(d->m->memory, "x%u", d->vars.len + 1);
        vec_push(&d->vars, model_add_var(d->m, name, t, (span){0}));
        if (left == 0) return vec_last(&d->vars);
    }
}

static bool diagram_elements(diagram_maker *d, const instance *in, cube *c, uint32_t *first) {
    type_list sorts = {0};
    instance_sorts(d->m, in->system, &sorts);
    uint32_t n = 0;
    for (uint32_t i = 0; i < sorts.len; i++) {
        first[sorts.data[i].id] = n;
        n += instance_type_size(in, sorts.data[i]);
        for (uint32_t k = 0; n <= CUBE_MOST_VARS && k < instance_type_size(in, sorts.data[i]); k++)
            vec_push(&c->vars, diagram_var(d, sorts.data[i], k));
    }
    vec_free(&sorts);
    return n <= CUBE_MOST_VARS;
}

static void diagram_fact(diagram_maker *d, eval *ev, const value *state, const fact *at, cube *c) {
    word w = d->words.data[at->word];
    expr with[WORD_MOST_FORMALS];
    fact f = *at;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < w.nformals; i++) {
        with[i] = expr_var(d->m, c->vars.data[f.args[i]]);
        mask |= UINT32_C(1) << f.args[i];
    }
    expr e = expr_subst(d->m, w.body, w.formals, with, w.nformals);
    if (expr_is_true(d->m, e) || expr_is_false(d->m, e)) return;
    f.negated = !eval_expr(ev, state, e);
    if (w.is_quantified && !f.negated) return;  // its witness is an element, with facts of its own
    vec_push(&c->facts, f);
    vec_push(&c->lits, f.negated ? expr_not(d->m, e) : e);
    vec_push(&c->masks, mask);
}

// Every choice of elements for the word's formals.
static void diagram_word(diagram_maker *d, const instance *in, eval *ev, const value *state, const uint32_t *first,
                         fact *at, uint32_t i, cube *c) {
    const word *w = &d->words.data[at->word];
    if (i == w->nformals) {
        diagram_fact(d, ev, state, at, c);
        return;
    }
    type t = var_of(d->m, w->formals[i])->ty;
    for (uint32_t e = 0; e < instance_type_size(in, t); e++) {
        at->args[i] = (uint8_t)(first[t.id] + e);
        diagram_word(d, in, ev, state, first, at, i + 1, c);
    }
}

bool diagram_of(diagram_maker *d, const instance *in, const value *state, cube *out) {
    uint32_t *first = mem_zero(d->m->types.len, sizeof *first);
    *out = (cube){0};
    bool fits = d->words.len <= DIAGRAM_MOST_WORDS && diagram_elements(d, in, out, first);
    eval *ev = eval_new(in);
    for (uint32_t i = 0; fits && i < out->vars.len; i++) {
        type t = var_of(d->m, out->vars.data[i])->ty;
        eval_bind(ev, out->vars.data[i], (value)(i - first[t.id]));
    }
    for (uint32_t w = 0; fits && w < d->words.len; w++)
        diagram_word(d, in, ev, state, first, &(fact){.word = w}, 0, out);
    eval_free(ev);
    free(first);
    return fits;
}

void cube_free(cube *c) {
    vec_free(&c->vars);
    vec_free(&c->facts);
    vec_free(&c->lits);
    vec_free(&c->masks);
}

uint32_t diagram_vars(const cube *c, const bits *keep) {
    uint32_t mask = 0;
    BITS_EACH(i, keep) mask |= c->masks.data[i];
    return mask;
}

void diagram_part(const cube *c, const bits *keep, cube *part) {
    uint32_t mask = diagram_vars(c, keep);
    *part = (cube){0};
    for (uint32_t i = 0; i < c->vars.len; i++)
        if (mask >> i & 1) vec_push(&part->vars, c->vars.data[i]);
    BITS_EACH(i, keep) {
        vec_push(&part->facts, c->facts.data[i]);
        vec_push(&part->lits, c->lits.data[i]);
        vec_push(&part->masks, c->masks.data[i]);
    }
}

// Pairs of variables that need not be different: bit first * CUBE_MOST_VARS + second, first < second. NULL: none.
static bool diagram_may_be_same(const bits *same, uint32_t i, uint32_t k) {
    uint32_t first = i < k ? i : k, second = i < k ? k : i;
    return same && bits_has(same, first * CUBE_MOST_VARS + second);
}

bool diagram_split(diagram_maker *d, cube *c, uint32_t number, uint32_t arg, uint32_t to) {
    fact *f = &c->facts.data[number];
    const word w = d->words.data[f->word];
    uint32_t index = 0;
    type t = var_of(d->m, c->vars.data[f->args[arg]])->ty;
    if (to >= CUBE_MOST_VARS) return false;
    for (uint32_t i = 0; i < c->vars.len; i++) index += type_same(var_of(d->m, c->vars.data[i])->ty, t);
    f->args[arg] = (uint8_t)to;
    if (to == c->vars.len) vec_push(&c->vars, diagram_var(d, t, index));
    expr with[WORD_MOST_FORMALS];
    uint32_t mask = 0;
    for (uint32_t i = 0; i < w.nformals; i++) {
        with[i] = expr_var(d->m, c->vars.data[f->args[i]]);
        mask |= UINT32_C(1) << f->args[i];
    }
    expr e = expr_subst(d->m, w.body, w.formals, with, w.nformals);
    c->lits.data[number] = f->negated ? expr_not(d->m, e) : e;
    c->masks.data[number] = mask;
    return true;
}

// ---- clauses

typedef struct {
    VEC(expr) premises, conclusions;
    VEC(expr) different;  // x != y
    VEC(var) vars;
} clause_parts;

static void diagram_pairs(diagram_maker *d, const cube *c, uint32_t mask, const bits *same, clause_parts *p) {
    for (uint32_t i = 0; i < c->vars.len; i++) {
        if (!(mask >> i & 1)) continue;
        vec_push(&p->vars, c->vars.data[i]);
        for (uint32_t k = i + 1; k < c->vars.len; k++) {
            var a = c->vars.data[i], b = c->vars.data[k];
            if (!(mask >> k & 1) || !type_same(var_of(d->m, a)->ty, var_of(d->m, b)->ty)) continue;
            if (diagram_may_be_same(same, i, k)) continue;
            vec_push(&p->different, expr_eq(d->m, expr_var(d->m, a), expr_var(d->m, b)));
        }
    }
}

static void diagram_take_apart(diagram_maker *d, const cube *c, const bits *keep, const bits *same, clause_parts *p) {
    diagram_pairs(d, c, diagram_vars(c, keep), same, p);
    BITS_EACH(i, keep) {
        expr lit = c->lits.data[i];
        if (c->facts.data[i].negated) vec_push(&p->conclusions, expr_not(d->m, lit));
        else vec_push(&p->premises, lit);
    }
}

static void parts_free(clause_parts *p) {
    vec_free(&p->premises);
    vec_free(&p->conclusions);
    vec_free(&p->different);
    vec_free(&p->vars);
}

expr diagram_clause(diagram_maker *d, const cube *c, const bits *keep, const bits *same) {
    clause_parts p = {0};
    diagram_take_apart(d, c, keep, same, &p);
    for (uint32_t i = 0; i < p.different.len; i++) vec_push(&p.conclusions, p.different.data[i]);
    for (uint32_t i = 0; i < p.premises.len; i++) vec_push(&p.conclusions, expr_not(d->m, p.premises.data[i]));
    expr e = expr_forall(d->m, p.vars.data, p.vars.len, expr_or_all(d->m, p.conclusions.data, p.conclusions.len));
    parts_free(&p);
    return e;
}

// Different variables are a premise, unless that is all there is to conclude.
expr diagram_readable(diagram_maker *d, const cube *c, const bits *keep, const bits *same) {
    clause_parts p = {0};
    diagram_take_apart(d, c, keep, same, &p);
    bool concludes = !p.conclusions.len && p.different.len == 1;
    for (uint32_t i = 0; i < p.different.len; i++) {
        if (concludes) vec_push(&p.conclusions, p.different.data[i]);
        else vec_push(&p.premises, expr_not(d->m, p.different.data[i]));
    }
    if (!p.conclusions.len && p.premises.len) vec_push(&p.conclusions, expr_not(d->m, vec_pop(&p.premises)));
    expr e = expr_or_all(d->m, p.conclusions.data, p.conclusions.len);
    if (p.premises.len) e = expr_implies(d->m, expr_and_all(d->m, p.premises.data, p.premises.len), e);
    e = expr_forall(d->m, p.vars.data, p.vars.len, e);
    parts_free(&p);
    return e;
}

// ---- samples

static const uint64_t *diagram_column(diagram_maker *d, uint32_t s, uint32_t number, const value *args) {
    const word w = d->words.data[number];
    const sample *of = d->samples.data[s];
    uint32_t key[WORD_MOST_FORMALS + 2] = {s, number};
    for (uint32_t i = 0; i < w.nformals; i++) key[i + 2] = (uint32_t)args[i];
    uint32_t at = map_intern(d->columns, key, (w.nformals + 2) * sizeof *key, d->values.len);
    if (at < d->values.len) return d->values.data[at];
    uint64_t *column = mem_alloc(of->nwords * sizeof *column);
    slicer *x = slicer_new(of);
    for (uint32_t i = 0; i < w.nformals; i++) slicer_bind(x, w.formals[i], args[i]);
    sample_eval(x, w.body, column);
    slicer_free(x);
    vec_push(&d->values, column);
    return column;
}

typedef struct {
    diagram_maker *d;
    const cube *c;
    uint32_t sample;
    uint32_t mask;   // of variables in use
    value *at;       // by variable
    uint64_t *left;  // by depth: the states that meet all facts over the variables so far
    const bits *keep, *same;
} meeting;

// The facts whose last variable is i: false if no state is left.
static bool meet_facts(meeting *x, uint32_t i, const uint64_t *before, uint64_t *now) {
    uint32_t nwords = x->d->samples.data[x->sample]->nwords;
    memcpy(now, before, nwords * 8);
    uint32_t upto = i == UINT32_MAX ? 0 : UINT32_C(2) << i;
    BITS_EACH(f, x->keep) {
        uint32_t mask = x->c->masks.data[f];
        bool is_here = i == UINT32_MAX ? !mask : mask >> i & 1 && mask < upto;
        if (!is_here) continue;
        const fact *a = &x->c->facts.data[f];
        value args[WORD_MOST_FORMALS];
        for (uint32_t k = 0; k < x->d->words.data[a->word].nformals; k++) args[k] = x->at[a->args[k]];
        const uint64_t *column = diagram_column(x->d, x->sample, a->word, args);
        uint64_t any = 0;
        for (uint32_t w = 0; w < nwords; w++) any |= now[w] &= a->negated ? ~column[w] : column[w];
        if (!any) return false;
    }
    return true;
}

static bool meet_from(meeting *x, uint32_t i) {
    const sample *s = x->d->samples.data[x->sample];
    while (i < x->c->vars.len && !(x->mask >> i & 1)) {
        memcpy(x->left + (i + 1) * s->nwords, x->left + i * s->nwords, s->nwords * 8);
        i++;
    }
    if (i == x->c->vars.len) return true;
    type t = var_of(x->d->m, x->c->vars.data[i])->ty;
    for (uint32_t e = 0; e < instance_type_size(s->in, t); e++) {
        bool taken = false;
        for (uint32_t k = 0; k < i; k++)
            taken |= x->mask >> k & 1 && type_same(var_of(x->d->m, x->c->vars.data[k])->ty, t) &&
                     x->at[k] == (value)e && !diagram_may_be_same(x->same, k, i);
        x->at[i] = (value)e;
        if (taken || !meet_facts(x, i, x->left + i * s->nwords, x->left + (i + 1) * s->nwords)) continue;
        if (meet_from(x, i + 1)) return true;
    }
    return false;
}

static bool diagram_seen_in(diagram_maker *d, uint32_t s, const cube *c, const bits *keep, const bits *same) {
    const sample *of = d->samples.data[s];
    if (!of->nstates) return false;
    meeting x = {.d = d, .c = c, .sample = s, .mask = diagram_vars(c, keep), .keep = keep, .same = same};
    uint64_t *all = mem_zero(of->nwords, 8);
    memset(all, 0xff, of->nstates / 64 * 8);
    if (of->nstates % 64) all[of->nstates / 64] = (UINT64_C(1) << (of->nstates % 64)) - 1;
    x.at = mem_zero(c->vars.len + 1, sizeof *x.at);
    x.left = mem_zero((size_t)(c->vars.len + 1) * of->nwords, 8);
    bool seen = meet_facts(&x, UINT32_MAX, all, x.left) && meet_from(&x, 0);
    free(all);
    free(x.at);
    free(x.left);
    return seen;
}

bool diagram_is_seen(diagram_maker *d, const cube *c, const bits *keep, const bits *same) {
    for (uint32_t s = 0; s < d->samples.len; s++)
        if (diagram_seen_in(d, s, c, keep, same)) return true;
    return false;
}
