// SPDX-License-Identifier: Apache-2.0
// A model that Z3 found as an instance with states: first the universes of the sorts, then cells, then the step.
//
// Z3's models of uninterpreted sorts are finite. Cells are read by asking the model for f(e1, …, en); the
// step is then taken by the reference evaluator, which also judges whether it is a countermodel at all.
#include "logic/z3_int.h"

#include "model/eval.h"

#include <string.h>

typedef VEC(Z3_ast) term_list;

typedef struct {
    logic *l;
    z3_prover *z;
    Z3_model found;
    term_list *elements;  // by type id, of unbounded sorts; an ordered one's in order
} reading;

static Z3_ast z3_witness_value_of(const reading *r, Z3_ast term) {
    Z3_ast v = NULL;
    return Z3_model_eval(r->z->c, r->found, term, true, &v) ? v : term;
}

static bool is_true(const reading *r, Z3_ast term) {
    return Z3_get_bool_value(r->z->c, z3_witness_value_of(r, term)) == Z3_L_TRUE;
}

// ---- elements

static void z3_witness_add_element(reading *r, type t, Z3_ast element) {
    term_list *list = &r->elements[t.id];
    vec_push(list, element);
    if (!type_of(r->l->m, t)->is_ordered) return;
    uint32_t at = list->len - 1;
    for (; at > 0 && is_true(r, z3_before(r->z, t, element, list->data[at - 1])); at--)
        list->data[at] = list->data[at - 1];
    list->data[at] = element;
}

static void read_elements(reading *r, type t) {
    Z3_context c = r->z->c;
    Z3_sort sort = z3_type_of(r->z, t)->sort;
    Z3_ast_vector universe = NULL;
    for (unsigned i = 0; i < Z3_model_get_num_sorts(c, r->found) && !universe; i++)
        if (Z3_is_eq_sort(c, Z3_model_get_sort(c, r->found, i), sort))
            universe = Z3_model_get_sort_universe(c, r->found, sort);
    for (unsigned i = 0; universe && i < Z3_ast_vector_size(c, universe); i++)
        z3_witness_add_element(r, t, Z3_ast_vector_get(c, universe, i));
    if (r->elements[t.id].len == 0)
        vec_push(&r->elements[t.id], z3_witness_value_of(r, Z3_mk_fresh_const(c, "e", sort)));
}

static void read_universes(reading *r) {
    const model *m = r->l->m;
    r->elements = mem_zero(m->types.len, sizeof *r->elements);
    for (uint32_t i = 1; i < m->types.len; i++)
        if (type_is_unbounded(m, (type){i})) read_elements(r, (type){i});
}

static bool z3_witness_make_instance(reading *r) {
    uint32_t n = r->l->m->types.len, *sizes = mem_zero(n, sizeof *sizes);
    for (uint32_t i = 0; i < n; i++) sizes[i] = r->elements[i].len;
    bool made = witness_instance(r->l, sizes);
    free(sizes);
    return made;
}

// ---- cells

static Z3_ast term_of(const reading *r, type t, value v) {
    return type_is_unbounded(r->l->m, t) ? r->elements[t.id].data[v] : z3_constant(r->z, t, v);
}

// The value of a type that the term is equal to in the model; -1: none.
static value read_value(const reading *r, type t, Z3_ast term) {
    if (type_of(r->l->m, t)->kind == TYPE_BOOL) return is_true(r, term);
    Z3_ast is = z3_witness_value_of(r, term);
    value first = instance_type_first(r->l->in, t);
    for (uint32_t i = 0; i < instance_type_size(r->l->in, t); i++)
        if (Z3_is_eq_ast(r->z->c, is, term_of(r, t, first + (value)i))) return first + (value)i;
    return -1;
}

static bool z3_witness_read_cell(const reading *r, uint32_t cell, bool next, value *out) {
    value args[MATRIX_MOST_ARGS];
    Z3_ast terms[MATRIX_MOST_ARGS];
    func f = instance_cell_func(r->l->in, cell, args);
    const func_info *info = func_of(r->l->m, f);
    for (uint32_t i = 0; i < info->nargs; i++) terms[i] = term_of(r, info->args[i], args[i]);
    Z3_ast app = Z3_mk_app(r->z->c, z3_func(r->z, f, next), info->nargs, terms);
    *out = read_value(r, info->result, app);
    return *out >= 0 || type_is_number(r->l->m, info->result);
}

// The state before the step; before a start, cells have their initial values if these are fixed.
static bool read_before(const reading *r, value *state) {
    value args[MATRIX_MOST_ARGS];
    bool ok = true;
    for (uint32_t c = 0; c < r->l->in->ncells && ok; c++) {
        const func_info *f = func_of(r->l->m, instance_cell_func(r->l->in, c, args));
        if (r->z->of->is_start && !cells_starts_free(r->l->m, f)) state[c] = f->initial;
        else ok = z3_witness_read_cell(r, c, false, &state[c]);
    }
    return ok;
}

static bool read_chosen(const reading *r, rule_info info, value *state) {
    value args[MATRIX_MOST_ARGS];
    bool ok = true;
    for (uint32_t c = 0; c < r->l->in->ncells && ok; c++) {
        func f = instance_cell_func(r->l->in, c, args);
        if (rule_chooses(&info, f)) ok = z3_witness_read_cell(r, c, true, &state[c]);
    }
    return ok;
}

// ---- the step

static bool z3_witness_read_args(const reading *r, rule_info info, value *args) {
    bool ok = true;
    for (uint32_t i = 0; i < info.nparams && ok; i++) {
        type t = var_of(r->l->m, info.params[i])->ty;
        args[i] = read_value(r, t, z3_variable(r->z, info.params[i]));
        ok = args[i] >= 0 || type_is_number(r->l->m, t);
    }
    return ok;
}

static bool z3_witness_holds(eval *ev, const value *state, expr e) { return !e.id || eval_expr(ev, state, e); }

// Does the evaluator agree that the premises and `violated` are true?
static bool is_countermodel(const reading *r, eval *ev, rule_info info, expr violated) {
    const logic *l = r->l;
    const value *state = l->before;
    bool ok = z3_witness_holds(ev, state, info.guard);
    if (!expr_of(l->m, violated)->has_next) ok = ok && z3_witness_holds(ev, state, violated);
    for (uint32_t i = 0; i < sys_of(l->m, l->system)->axioms.len; i++)
        ok = ok && z3_witness_holds(ev, state, sys_of(l->m, l->system)->axioms.data[i].cond);
    for (uint32_t i = bits_next(&r->z->assumed, 0); ok && i != UINT32_MAX; i = bits_next(&r->z->assumed, i + 1))
        ok = z3_witness_holds(ev, state, l->lemmas.data[i].e);
    return ok;
}

static bool z3_witness_take_step(const reading *r, eval *ev, rule_info info) {
    logic *l = r->l;
    l->after = mem_zero(l->in->ncells + 1, sizeof *l->after);
    memcpy(l->after, l->before, l->in->ncells * sizeof *l->after);
    return (!info.body || eval_stmt(ev, l->after, info.body)) && read_chosen(r, info, l->after);
}

// A start is shown as the state after it.
static void show(logic *l, const task *t) {
    if (t->is_start) memcpy(l->before, l->after, l->in->ncells * sizeof *l->before);
    l->last = (logic_witness){l->in, l->before, l->z3->is_step && !t->is_start ? l->after : NULL,
                              t->is_start ? (rule){0} : t->r, l->args};
    l->has_witness = true;
}

static bool z3_witness_read_states(const reading *r, expr violated) {
    logic *l = r->l;
    rule rule_taken = r->z->of->r;
    rule_info info = rule_taken.id ? *rule_of(l->m, rule_taken) : (rule_info){0};
    l->before = mem_zero(l->in->ncells + 1, sizeof *l->before);
    if (!read_before(r, l->before) || !z3_witness_read_args(r, info, l->args)) return false;
    eval *ev = eval_new(l->in);
    for (uint32_t i = 0; i < info.nparams; i++) eval_bind(ev, info.params[i], l->args[i]);
    bool ok = is_countermodel(r, ev, info, violated) && z3_witness_take_step(r, ev, info);
    eval_free(ev);
    return ok;
}

void z3_witness(logic *l, Z3_model found, expr violated) {
    if (!found) return;
    reading r = {l, l->z3, found, NULL};
    Z3_model_inc_ref(r.z->c, found);
    read_universes(&r);
    if (z3_witness_make_instance(&r) && z3_witness_read_states(&r, violated)) show(l, r.z->of);
    else witness_clear(l);
    for (uint32_t i = 0; i < l->m->types.len; i++) vec_free(&r.elements[i]);
    free(r.elements);
    Z3_model_dec_ref(r.z->c, found);
}
