// SPDX-License-Identifier: Apache-2.0
// Atoms for memories with values: comparisons of terms, of which relations between a memory and its specification are
// made.
//
//   rt(t) <= clock, version(v) <= n        order, of times that the model compares by order, and its negations
//   wv(t, v) = Spec.wval(t, v)             equality, of values of one sort, on both sides of a refinement
//   Spec.mem(rt(t), v) = Spec.rval(t, v)   one level of nesting, where a function takes a time or a place
//
// Other pools have such facts only flattened, with a variable for each term: too many variables for a schema. Here a
// shape has one variable of each sort, except for what takes two, and two threads' times. Where a relation holds of
// times, two times matter: no time after one and up to the other has it, and what a function says of both is the same
// (versions of a location: what memory was at times between which nothing was written). A function that is always
// equal to an earlier one in the samples is left out but for that equality. Values, which nothing takes as an argument,
// get no variables. Invariant: a shape is just a formula to try; nothing here claims that it holds.
#include "infer/prover.h"

#include "model/expr.h"
#include "model/walk.h"

enum { AS_IT_IS = 1, DENIED = 2 };  // literals in long clauses: a premise is a literal that is denied

typedef struct {
    prover *x;
    atom_pool *p;
    bits chosen;                   // functions that the specification's choices are made of
    bool is_taken[POOL_SORTS];     // as an argument, by some function
    bool is_compared[POOL_SORTS];  // by order, in the model
    bool is_paired[POOL_SORTS];    // by order, and some relation holds of its elements: two variables
    bool is_actor[POOL_SORTS];     // what acts: the first parameter of some action
    var formals[POOL_SORTS][2];
    bits spare;                    // functions that are always equal to others in the samples: those stand for them
    expr_list plain[POOL_SORTS];   // functions of variables, by sort of the result
    expr_list inner[POOL_SORTS];   // those of them that are compared with variables
    expr_list inside[POOL_SORTS];  // those of them that stand inside others
    expr_list all[POOL_SORTS];     // and with others inside
} terms;

// ---- what the sorts are for

static void terms_find_orders(terms *w) {
    walk at = walk_expr(w->p->m, (expr){0}, WALK_CALLS);
    walk_add_system(&at, w->p->system);
    while (walk_next(&at)) {
        if (at.s || (at.x->kind != E_LT && at.x->kind != E_LE)) continue;
        uint32_t s = atoms_sort(w->p, expr_type(w->p->m, at.x->args[0]));
        if (s != UINT32_MAX) w->is_compared[s] = true;
    }
}

static bool terms_is_of_specification(const terms *w, func f) {
    const sys_info *s = sys_of(w->p->m, prop_of(w->p->m, w->x->property)->spec);
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (s->funcs.data[i].id == f.id) return true;
    return false;
}

// The argument of a relation of the memory that is a time, where it takes no other and little else; UINT32_MAX: none.
static uint32_t terms_time_argument(const terms *w, func f) {
    const func_info *info = func_of(w->p->m, f);
    uint32_t found = UINT32_MAX;
    if (type_of(w->p->m, info->result)->kind != TYPE_BOOL || info->nargs > 2 || terms_is_of_specification(w, f))
        return found;
    for (uint32_t i = 0; i < info->nargs; i++) {
        uint32_t s = atoms_sort(w->p, info->args[i]);
        if (s == UINT32_MAX) return UINT32_MAX;
        if (!w->is_compared[s]) continue;
        if (found != UINT32_MAX) return UINT32_MAX;
        found = i;
    }
    return found;
}

static void terms_find_pairs(terms *w) {
    const sys_info *s = sys_of(w->p->m, w->p->system);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        uint32_t at = terms_time_argument(w, s->funcs.data[i]);
        if (at != UINT32_MAX) w->is_paired[atoms_sort(w->p, func_of(w->p->m, s->funcs.data[i])->args[at])] = true;
    }
}

static void terms_survey(terms *w) {
    const sys_info *s = sys_of(w->p->m, w->p->system);
    terms_find_orders(w);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(w->p->m, s->funcs.data[i]);
        for (uint32_t k = 0; k < f->nargs; k++) {
            uint32_t sort = atoms_sort(w->p, f->args[k]);
            if (sort != UINT32_MAX) w->is_taken[sort] = true;
        }
    }
    for (uint32_t i = 0; i < w->p->sorts.len; i++)
        for (uint32_t k = 0; k < 2; k++)
            w->formals[i][k] = model_add_var(w->p->m, k ? "y" : "x", w->p->sorts.data[i], (span){0});
    terms_find_pairs(w);
}

static bool terms_add_shape(terms *w, expr e) {
    const var_set of = expr_frees(w->p->m, e);
    bool is_new = atoms_add_shape(w->p, e, of.vars, of.n, ATOMS_OF_MODEL);
    if (is_new && expr_kind_of(w->p->m, e) == E_APP) vec_last(&w->p->shapes).in_long = AS_IT_IS | DENIED;
    return is_new;
}

// ---- terms

// A term of one variable, about the second of its sort.
static expr terms_of_second(terms *w, expr e) {
    model *m = w->p->m;
    const var_set of = expr_frees(m, e);
    for (uint32_t s = 0; s < w->p->sorts.len; s++)
        if (of.n == 1 && of.vars[0].id == w->formals[s][0].id) {
            expr with = expr_var(m, w->formals[s][1]);
            return expr_subst(m, e, &w->formals[s][0], &with, 1);
        }
    return (expr){0};
}

typedef void (*term_found)(terms *w, func f, const expr *args, bool is_nested);

// A relation between two of a sort, where one stands for a term of it: ws(x, word(y)).
static void terms_fill_second(terms *w, func f, expr *args, term_found found) {
    expr of_first = args[1], of_second = terms_of_second(w, of_first);
    if (!of_second.id || expr_of(w->p->m, args[0])->frees != expr_of(w->p->m, of_first)->frees) return;
    args[1] = of_second;
    found(w, f, args, true);
    args[1] = of_first;
}

// Every way to fill arguments i.. of f: with a variable, the second of a sort with the second one, or with a term.
static void terms_fill(terms *w, func f, expr *args, uint32_t i, uint32_t *used, bool is_nested, term_found found) {
    const func_info info = *func_of(w->p->m, f);
    if (i == info.nargs) {
        found(w, f, args, is_nested);
        return;
    }
    uint32_t s = atoms_sort(w->p, info.args[i]);
    if (s == UINT32_MAX) return;
    if (used[s] < 2) {
        args[i] = expr_var(w->p->m, w->formals[s][used[s]++]);
        terms_fill(w, f, args, i + 1, used, is_nested, found);
        used[s]--;
    }
    for (uint32_t k = 0; k < w->inside[s].len; k++) {
        if (expr_of(w->p->m, w->inside[s].data[k])->ref == f.id) continue;
        args[i] = w->inside[s].data[k];
        terms_fill(w, f, args, i + 1, used, true, found);
        if (i && info.nargs == 2 && type_of(w->p->m, info.result)->kind == TYPE_BOOL)
            terms_fill_second(w, f, args, found);
    }
}

static void terms_each_func(terms *w, term_found found) {
    for (uint32_t i = 0; i < sys_of(w->p->m, w->p->system)->funcs.len; i++) {
        func f = sys_of(w->p->m, w->p->system)->funcs.data[i];
        expr args[MODEL_MOST_ARGS];
        uint32_t used[POOL_SORTS] = {0};
        if (bits_has(&w->spare, f.id)) continue;
        if (func_of(w->p->m, f)->nargs <= SHAPE_MOST_ARGS) terms_fill(w, f, args, 0, used, false, found);
    }
}

static uint32_t terms_result(const terms *w, func f) { return atoms_sort(w->p, func_of(w->p->m, f)->result); }

static void terms_add_plain(terms *w, func f, const expr *args, bool is_nested) {
    uint32_t s = terms_result(w, f);
    if (s != UINT32_MAX && !is_nested) vec_push(&w->plain[s], expr_app(w->p->m, f, args));
}

static void terms_add_any(terms *w, func f, const expr *args, bool is_nested) {
    (void)is_nested;
    uint32_t s = terms_result(w, f);
    if (s != UINT32_MAX) vec_push(&w->all[s], expr_app(w->p->m, f, args));
}

// f(x, y): false if it takes what no variable stands for.
static bool terms_apply_to_formals(terms *w, func f, expr *out) {
    const func_info info = *func_of(w->p->m, f);
    expr args[SHAPE_MOST_ARGS];
    uint32_t used[POOL_SORTS] = {0};
    if (info.nargs > SHAPE_MOST_ARGS) return false;
    for (uint32_t i = 0; i < info.nargs; i++) {
        uint32_t s = atoms_sort(w->p, info.args[i]);
        if (s == UINT32_MAX || used[s] == 2) return false;
        args[i] = expr_var(w->p->m, w->formals[s][used[s]++]);
    }
    *out = expr_app(w->p->m, f, args);
    return true;
}

// Are two terms equal in all samples? Then one of them is enough.
static bool terms_are_same(terms *w, expr a, expr b) {
    model *m = w->p->m;
    expr e = expr_eq(m, a, b);
    const var_set of = expr_frees(m, e);
    e = expr_forall(m, of.vars, of.n, e);
    bool same = true;
    for (uint32_t i = 0; i < w->x->samples.len && same; i++) same = !sample_is_false(w->x->samples.data[i], e);
    return same;
}

// The functions that say what the specification chooses.
static void terms_find_chosen(terms *w) {
    const prop_info *p = prop_of(w->p->m, w->x->property);
    for (uint32_t i = 0; i < p->nwitnesses; i++)
        for (uint32_t k = 0; k < p->witnesses[i].nargs; k++) {
            walk at = walk_expr(w->p->m, p->witnesses[i].args[k], WALK_CALLS);
            while (walk_next(&at))
                if (!at.s && at.x->kind == E_APP) bits_add(&w->chosen, at.x->ref);
        }
}

// What stands inside other terms: of times those that the specification chooses, and the clock.
static bool terms_is_inside(const terms *w, uint32_t s, expr e) {
    const expr_info *x = expr_of(w->p->m, e);
    return !w->is_compared[s] || !x->nargs || bits_is_empty(&w->chosen) || bits_has(&w->chosen, x->ref);
}

// A term without variables of its own sort.
static bool terms_is_inner(terms *w, uint32_t s, expr e) {
    if (terms_is_of_specification(w, (func){expr_of(w->p->m, e)->ref})) return false;
    const var_set of = expr_frees(w->p->m, e);
    for (uint32_t i = 0; i < of.n; i++)
        if (atoms_sort(w->p, var_of(w->p->m, of.vars[i])->ty) == s) return false;
    return true;
}

// A function that an earlier one is always equal to: of it only that is said.
static void terms_find_spare(terms *w, func g) {
    const sys_info *s = sys_of(w->p->m, w->p->system);
    expr a, b;
    if (!terms_apply_to_formals(w, g, &b)) return;
    for (uint32_t i = 0; i < s->funcs.len && sys_of(w->p->m, w->p->system)->funcs.data[i].id != g.id; i++) {
        func f = sys_of(w->p->m, w->p->system)->funcs.data[i];
        if (bits_has(&w->spare, f.id) || !terms_apply_to_formals(w, f, &a)) continue;
        if (!type_same(expr_type(w->p->m, a), expr_type(w->p->m, b))) continue;
        if (expr_of(w->p->m, a)->frees != expr_of(w->p->m, b)->frees || !terms_are_same(w, a, b)) continue;
        terms_add_shape(w, expr_eq(w->p->m, a, b));
        bits_add(&w->spare, g.id);
        return;
    }
}

static void terms_make(terms *w) {
    for (uint32_t i = 0; i < sys_of(w->p->m, w->p->system)->funcs.len; i++)
        terms_find_spare(w, sys_of(w->p->m, w->p->system)->funcs.data[i]);
    terms_each_func(w, terms_add_plain);
    terms_find_chosen(w);
    for (uint32_t s = 0; s < w->p->sorts.len; s++)
        for (uint32_t i = 0; w->is_taken[s] && i < w->plain[s].len; i++)
            if (terms_is_inner(w, s, w->plain[s].data[i])) vec_push(&w->inner[s], w->plain[s].data[i]);
    for (uint32_t s = 0; s < w->p->sorts.len; s++)
        for (uint32_t i = 0; i < w->inner[s].len; i++)
            if (terms_is_inside(w, s, w->inner[s].data[i])) vec_push(&w->inside[s], w->inner[s].data[i]);
    terms_each_func(w, terms_add_any);
}

// ---- shapes

static bool is_same_function(const model *m, expr a, expr b) {
    return expr_kind_of(m, a) == E_APP && expr_kind_of(m, b) == E_APP && expr_of(m, a)->ref == expr_of(m, b)->ref;
}

// Bounds of a variable are premises; so are strict ones where the bound is a time of all, not of some element.
static void terms_mark_order(shape *s, bool is_equality, bool is_variable, bool is_of_all) {
    s->in_long = is_equality ? DENIED : !is_variable ? 0 : is_of_all ? AS_IT_IS | DENIED : AS_IT_IS;
    s->in_last = is_equality ? AS_IT_IS : is_variable ? DENIED : AS_IT_IS | DENIED;
}

// a < b, a = b, b < a: one of them holds, as of the values of an enum.
static void terms_add_order(terms *w, expr a, expr b) {
    model *m = w->p->m;
    expr equal = expr_eq(m, a, b), cases[] = {expr_arith(m, E_LT, a, b), equal, expr_arith(m, E_LT, b, a)};
    const var_set of = expr_frees(m, equal);
    uint32_t group = w->p->shapes.len;
    bool ok = true;
    bool is_variable = expr_kind_of(m, a) == E_VAR || expr_kind_of(m, b) == E_VAR;
    for (uint32_t i = 0; i < 3 && ok; i++) {
        ok = atoms_add_shape(w->p, cases[i], of.vars, of.n, ATOMS_OF_MODEL);
        if (ok) terms_mark_order(&vec_last(&w->p->shapes), i == 1, is_variable, of.n == 1);
    }
    bool is_group = w->p->shapes.len == group + 3 && !is_same_function(m, a, b);  // a < a is none of three
    for (uint32_t i = group; i < w->p->shapes.len && is_group; i++) {
        w->p->shapes.data[i].group = group;
        w->p->shapes.data[i].group_size = 3;
    }
}

static void terms_add_value(terms *w, expr e, bool is_taken) {
    if (!terms_add_shape(w, e)) return;
    vec_last(&w->p->shapes).is_value = !is_taken;
    vec_last(&w->p->shapes).in_long = is_taken ? DENIED : AS_IT_IS;
}

static void terms_compare(terms *w, uint32_t s) {
    model *m = w->p->m;
    const expr_list *of = &w->all[s];
    for (uint32_t i = 0; i < of->len; i++)
        for (uint32_t k = i + 1; k < of->len; k++) {
            if (w->is_compared[s]) terms_add_order(w, of->data[i], of->data[k]);
            else terms_add_value(w, expr_eq(m, of->data[i], of->data[k]), w->is_taken[s]);
        }
    for (uint32_t i = 0; i < w->inner[s].len && w->is_taken[s]; i++) {
        expr v = expr_var(m, w->formals[s][0]);
        if (w->is_compared[s]) terms_add_order(w, w->inner[s].data[i], v);
        else terms_add_shape(w, expr_eq(m, w->inner[s].data[i], v));
    }
    for (uint32_t i = 0; i < w->inside[s].len && w->is_compared[s]; i++)
        for (uint32_t k = 0; k < w->inside[s].len; k++) {
            expr other = terms_of_second(w, w->inside[s].data[k]);
            uint32_t before = w->p->shapes.len;
            if (other.id && expr_frees(m, w->inside[s].data[i]).n == 1) terms_add_order(w, w->inside[s].data[i], other);
            for (uint32_t n = before; n < w->p->shapes.len; n++) w->p->shapes.data[n].is_on_demand = true;
        }
}

// Of two times: the first is earlier, and f holds of none after it up to the second.
static void terms_add_gap(terms *w, func f, uint32_t at) {
    model *m = w->p->m;
    const func_info info = *func_of(m, f);
    uint32_t s = atoms_sort(w->p, info.args[at]);
    var between = model_add_var(m, "m", info.args[at], (span){0});
    expr first = expr_var(m, w->formals[s][0]), last = expr_var(m, w->formals[s][1]), it = expr_var(m, between);
    expr args[2];
    for (uint32_t i = 0; i < info.nargs; i++)
        args[i] = i == at ? it : expr_var(m, w->formals[atoms_sort(w->p, info.args[i])][0]);
    expr later = expr_implies(m, expr_and(m, expr_app(m, f, args), expr_arith(m, E_LT, first, it)),
                              expr_arith(m, E_LT, last, it));
    expr gap = expr_and(m, expr_arith(m, E_LT, first, last), expr_forall(m, &between, 1, later));
    if (terms_add_shape(w, gap)) vec_last(&w->p->shapes).in_long = DENIED;
}

// f(x, y) holds of a time that the specification keeps of the same x: has(v, Spec.top(v)).
static void terms_add_kept(terms *w, func f, uint32_t at) {
    model *m = w->p->m;
    const func_info info = *func_of(m, f);
    expr args[2], other = {0};
    for (uint32_t i = 0; i < info.nargs; i++)
        if (i != at) other = args[i] = expr_var(m, w->formals[atoms_sort(w->p, info.args[i])][0]);
    if (!other.id || w->is_actor[atoms_sort(w->p, expr_type(m, other))]) return;
    const expr_list *times = &w->plain[atoms_sort(w->p, info.args[at])];
    for (uint32_t i = 0; i < times->len; i++) {
        const expr_info *x = expr_of(m, times->data[i]);
        if (!terms_is_of_specification(w, (func){x->ref}) || x->nargs != 1 || info.nargs != 2) continue;
        if (!expr_same(x->args[0], other)) continue;
        args[at] = times->data[i];
        terms_add_shape(w, expr_app(m, f, args));
    }
}

static void terms_add_gaps(terms *w) {
    for (uint32_t i = 0; i < sys_of(w->p->m, w->p->system)->funcs.len; i++) {
        func f = sys_of(w->p->m, w->p->system)->funcs.data[i];
        uint32_t at = terms_time_argument(w, f);
        if (at == UINT32_MAX) continue;
        terms_add_gap(w, f, at);
        terms_add_kept(w, f, at);
    }
}

static bool terms_mention(const terms *w, expr e, var v) {
    const var_set of = expr_frees(w->p->m, e);
    for (uint32_t i = 0; i < of.n; i++)
        if (of.vars[i].id == v.id) return true;
    return false;
}

// What a function says of two times is the same.
static void terms_compare_pair(terms *w, uint32_t s, uint32_t of) {
    model *m = w->p->m;
    var both[] = {w->formals[s][0], w->formals[s][1]};
    expr second = expr_var(m, both[1]);
    for (uint32_t i = 0; i < w->plain[of].len; i++) {
        expr e = w->plain[of].data[i];
        if (terms_mention(w, e, both[0]) && !terms_mention(w, e, both[1]))
            terms_add_value(w, expr_eq(m, e, expr_subst(m, e, both, &second, 1)), false);
    }
}

static void terms_add_pairs(terms *w) {
    for (uint32_t s = 0; s < w->p->sorts.len; s++) {
        if (!w->is_paired[s]) continue;
        expr earlier =
            expr_arith(w->p->m, E_LT, expr_var(w->p->m, w->formals[s][0]), expr_var(w->p->m, w->formals[s][1]));
        if (terms_add_shape(w, earlier)) vec_last(&w->p->shapes).in_long = AS_IT_IS | DENIED;
        for (uint32_t of = 0; of < w->p->sorts.len; of++)
            if (!w->is_taken[of] && !w->is_compared[of]) terms_compare_pair(w, s, of);
    }
    terms_add_gaps(w);
}

// A condition of the model that speaks of no element is like a boolean variable.
static void terms_mark_sentences(terms *w, uint32_t from) {
    for (uint32_t i = from; i < w->p->shapes.len; i++)
        if (!w->p->shapes.data[i].nformals) w->p->shapes.data[i].in_long = AS_IT_IS | DENIED;
}

enum { TERMS_MOST_VALUES = 12 };

static void terms_add_values(terms *w, expr app, type t) {
    uint32_t n = type_known_size(w->p->m, t), group = w->p->shapes.len;
    for (uint32_t k = 0; k < (n == 2 ? 1 : n) && n <= TERMS_MOST_VALUES; k++) {
        expr e = expr_eq(w->p->m, app, expr_const(w->p->m, t, type_first(w->p->m, t) + (value)k));
        if (!terms_add_shape(w, e)) continue;
        vec_last(&w->p->shapes).in_long = n == 2 ? AS_IT_IS | DENIED : DENIED;
        if (n == 2) continue;
        vec_last(&w->p->shapes).group = group;
        vec_last(&w->p->shapes).group_size = n;
    }
}

static void terms_add_state(terms *w, func f, const expr *args, bool is_nested) {
    type t = func_of(w->p->m, f)->result;
    expr app = expr_app(w->p->m, f, args);
    (void)is_nested;
    if (type_of(w->p->m, t)->kind == TYPE_BOOL) terms_add_shape(w, app);
    else if (terms_result(w, f) == UINT32_MAX) terms_add_values(w, app, t);
}

static void terms_add_equality(terms *w, uint32_t s) {
    model *m = w->p->m;
    expr e = expr_eq(m, expr_var(m, w->formals[s][0]), expr_var(m, w->formals[s][1]));
    if (w->is_taken[s] && terms_add_shape(w, e)) vec_last(&w->p->shapes).is_equality = true;
}

static void terms_free(terms *w) {
    bits_free(&w->spare);
    bits_free(&w->chosen);
    for (uint32_t s = 0; s < POOL_SORTS; s++) {
        vec_free(&w->plain[s]);
        vec_free(&w->inner[s]);
        vec_free(&w->inside[s]);
        vec_free(&w->all[s]);
    }
}

static void terms_choose_variables(terms *w, const uint32_t *most) {
    for (uint32_t s = 0; s < w->p->sorts.len; s++)
        for (uint32_t i = 0; i < most[s]; i++) w->p->usable |= UINT32_C(1) << (s * POOL_PER_SORT + i);
}

static void terms_fill_pool(terms *w) {
    terms_make(w);
    for (uint32_t s = 0; s < w->p->sorts.len; s++) terms_add_equality(w, s);
    terms_each_func(w, terms_add_state);
    for (uint32_t s = 0; s < w->p->sorts.len; s++) terms_compare(w, s);
    terms_add_pairs(w);
    uint32_t from = w->p->shapes.len;
    harvest_conditions(w->p, w->x->property);
    terms_mark_sentences(w, from);
    atoms_make(w->p);
}

// ---- the search with them

enum {
    TERMS_VARIABLES = 3,
    TERMS_RELATED = 4,
    TERMS_SAMPLE = 400000,
    TERMS_LARGER_SAMPLE = 80000,
    TERMS_TIMES = 6,
    TERMS_FEW_TIMES = 4
};

// Two of what acts, which the actions' first parameters say, and of times of which relations hold; one of all else that
// functions take.
static void terms_most(terms *w, uint32_t *most) {
    const sys_info *s = sys_of(w->p->m, w->p->system);
    for (uint32_t i = 0; i < w->p->sorts.len; i++) most[i] = w->is_paired[i] ? 2 : w->is_taken[i];
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(w->p->m, s->rules.data[i]);
        uint32_t sort = r->nparams ? atoms_sort(w->p, var_of(w->p->m, r->params[0])->ty) : UINT32_MAX;
        w->is_actor[sort == UINT32_MAX ? POOL_SORTS - 1 : sort] |= sort != UINT32_MAX;
        if (sort != UINT32_MAX && w->is_taken[sort]) most[sort] = 2;
    }
}

static bool terms_apply(const terms *w) {
    bool some = false;
    for (uint32_t i = 0; i < w->p->sorts.len; i++) some |= w->is_compared[i] && w->is_taken[i];
    return some && prop_of(w->p->m, w->x->property)->kind == PROP_REFINES;
}

// Sizes other than those of the explored instance: so many of what acts, a few times, two of all else.
static uint32_t terms_sizes(const terms *w, const uint32_t *most, uint32_t actors, uint32_t times, sort_size *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->p->sorts.len; i++) {
        uint32_t size = w->is_compared[i] && w->is_taken[i] ? times : most[i] == 2 ? actors : 2;
        type t = w->p->sorts.data[i];
        if (!type_of(w->x->m, t)->fixed_size) out[n++] = (sort_size){t, size};
    }
    return n;
}

static void terms_walk(terms *w, const uint32_t *most) {
    sort_size sizes[POOL_SORTS];
    uint32_t n = terms_sizes(w, most, 2, TERMS_FEW_TIMES, sizes);
    survey_walk(w->x, sizes, n, TERMS_SAMPLE, true);
    n = terms_sizes(w, most, 3, TERMS_TIMES, sizes);
    survey_walk(w->x, sizes, n, TERMS_LARGER_SAMPLE, true);
}

// What the user offers, and what was not inductive by itself, is tried together with what comes next.
static void terms_offer_hints(prover *x) {
    for (uint32_t i = 0; i < x->hints.len; i++) {
        const hint *h = &x->hints.data[i];
        if (h->is_false || h->is_late) continue;
        bits_add(&x->stands, h->lemma);
        bits_add(&x->asked, h->lemma);
    }
    prover_unsettle(x);
}

// Clauses weakened all at once; what is missing, on demand. To make so many lemmas as few as can be costs more than to
// find them: an eighth of that is spent on it.
static outcome terms_run(terms *w, const uint32_t *most) {
    static const struct { uint32_t actors, times; } stages[] = {{2, TERMS_FEW_TIMES}, {3, TERMS_FEW_TIMES}};
    enum { STAGES = sizeof stages / sizeof *stages };
    prover *x = w->x;
    relate_sizes sizes[STAGES];
    for (uint32_t i = 0; i < STAGES; i++)
        sizes[i].n = terms_sizes(w, most, stages[i].actors, stages[i].times, sizes[i].of);
    terms_offer_hints(x);
    outcome end = relate_search(x, TERMS_RELATED, sizes, STAGES);
    uint64_t work = logic_statistics(x->logic)->work;
    x->most_shrink = work + work / 8;
    return end;
}

outcome terms_search(prover *x) {
    terms w = {.x = x, .p = atoms_begin(x->m, x->system, NULL)};
    uint32_t most[POOL_SORTS] = {0};
    outcome end = OUTCOME_STUCK;
    terms_survey(&w);
    if (terms_apply(&w)) {
        proof_take_way(x->out, WAY_RELATIONS);
        terms_most(&w, most);
        terms_choose_variables(&w, most);
        terms_fill_pool(&w);
        tries_take_pool(x, w.p);
        schema_make_of(x, most, TERMS_VARIABLES);
        terms_walk(&w, most);
        end = terms_run(&w, most);
        if (end == OUTCOME_STUCK) tries_return(x);
    } else {
        atoms_free(w.p);
    }
    terms_free(&w);
    return end;
}
