// SPDX-License-Identifier: Apache-2.0
// First-order text: see fol.h.
#include "logic/fol.h"

#include <string.h>

typedef struct {
    const fol_dialect *d;
    const vocabulary *v;
    const model *m;
    str *out;
    uint32_t naxioms;
} writer;

static void formula(writer *w, expr e);
static void fol_put(writer *w, const char *text) { str_add(w->out, text); }

// ---- terms

static void fol_constant(writer *w, type t, value v) {
    if (type_same(t, w->m->bool_type)) fol_put(w, v ? w->d->true_term : w->d->false_term);
    else vocabulary_value(w->m, t, v, w->out);
}

static void term(writer *w, expr e);

// Around n arguments, and before argument i.
static void open_args(writer *w, uint32_t n) { fol_put(w, n ? w->d->application.before : ""); }
static void next_arg(writer *w, uint32_t i) { fol_put(w, i ? w->d->application.between : w->d->arguments); }
static void close_args(writer *w, uint32_t n) { fol_put(w, n ? w->d->application.after : ""); }

static void application(writer *w, const expr_info *x) {
    open_args(w, x->nargs);
    vocabulary_func(w->m, (func){x->ref}, x->kind == E_NEXT, w->out);
    for (uint32_t i = 0; i < x->nargs; i++) {
        next_arg(w, i);
        term(w, x->args[i]);
    }
    close_args(w, x->nargs);
}

// Without sorts, parameters are constants in lower case and bound variables are upper case: see fol_axioms.
static void variable(writer *w, uint32_t id) {
    vocabulary_var(w->m, (var){id}, !w->d->is_sorted && !bits_has(&w->v->params, id), w->out);
}

// p3_(V1,V2)
static void fol_part(writer *w, expr e) {
    var_list vars = vocabulary_part_vars(w->v, e);
    open_args(w, vars.len);
    vocabulary_part(shared_number(&w->v->parts, e), w->out);
    for (uint32_t i = 0; i < vars.len; i++) {
        next_arg(w, i);
        variable(w, vars.data[i].id);
    }
    close_args(w, vars.len);
    vec_free(&vars);
}

// Without sorts, only relations can be defined.
static bool fol_is_part(const writer *w, expr e) {
    return shared_number(&w->v->parts, e) && (w->d->is_sorted || expr_is_bool(w->m, e));
}

static void term(writer *w, expr e) {
    const expr_info *x = expr_of(w->m, e);
    if (fol_is_part(w, e)) fol_part(w, e);
    else if (x->kind == E_CONST) fol_constant(w, x->ty, (value)x->ref);
    else if (x->kind == E_VAR) variable(w, x->ref);
    else application(w, x);
}

// ---- formulas

static void list(writer *w, const fol_form *f, const expr_info *x) {
    fol_put(w, f->before);
    for (uint32_t i = 0; i < x->nargs; i++) {
        if (i) fol_put(w, f->between);
        formula(w, x->args[i]);
    }
    fol_put(w, f->after);
}

static void fol_guard(writer *w, type t, var v) {
    vocabulary_type(w->m, t, w->out);
    fol_put(w, "(");
    variable(w, v.id);
    fol_put(w, ")");
}

static void fol_quantifier(writer *w, const expr_info *x) {
    bool is_universal = x->kind == E_FORALL;
    const fol_form *f = is_universal ? &w->d->forall : &w->d->exists;
    static const fol_form nothing = {"", "", ""};
    const fol_form *inner = w->d->is_sorted ? &nothing : is_universal ? &w->d->implication : &w->d->conjunction;
    type t = var_of(w->m, (var){x->ref})->ty;
    fol_put(w, f->before);
    variable(w, x->ref);
    if (w->d->is_sorted) fol_put(w, " "), vocabulary_type(w->m, t, w->out);
    fol_put(w, f->between);
    fol_put(w, inner->before);
    if (!w->d->is_sorted) fol_guard(w, t, (var){x->ref});
    fol_put(w, inner->between);
    formula(w, x->args[0]);
    fol_put(w, inner->after);
    fol_put(w, f->after);
}

static void fol_equation(writer *w, const expr_info *x) {
    if (expr_is_bool(w->m, x->args[0])) {
        list(w, &w->d->equivalence, x);
        return;
    }
    fol_put(w, w->d->equation.before);
    term(w, x->args[0]);
    fol_put(w, w->d->equation.between);
    term(w, x->args[1]);
    fol_put(w, w->d->equation.after);
}

static void fol_order(writer *w, const expr_info *x) {
    bool less = x->kind == E_LT;
    if (!less) fol_put(w, w->d->negation.before);
    open_args(w, 2);
    vocabulary_before(w->m, expr_type(w->m, x->args[0]), w->out);
    for (uint32_t i = 0; i < 2; i++) {
        next_arg(w, i);
        term(w, x->args[less ? i : !i]);
    }
    close_args(w, 2);
    if (!less) fol_put(w, w->d->negation.after);
}

static void bool_variable(writer *w, uint32_t id) {
    fol_put(w, w->d->equation.before);
    variable(w, id);
    fol_put(w, w->d->equation.between);
    fol_put(w, w->d->true_term);
    fol_put(w, w->d->equation.after);
}

static void formula_node(writer *w, expr e) {
    const expr_info *x = expr_of(w->m, e);
    switch (x->kind) {
    case E_CONST: fol_put(w, x->ref ? w->d->truth : w->d->falsity); return;
    case E_VAR: bool_variable(w, x->ref); return;
    case E_APP:
    case E_NEXT: application(w, x); return;
    case E_NOT: list(w, &w->d->negation, x); return;
    case E_AND: list(w, &w->d->conjunction, x); return;
    case E_OR: list(w, &w->d->disjunction, x); return;
    case E_IMPLIES: list(w, &w->d->implication, x); return;
    case E_EQ: fol_equation(w, x); return;
    case E_LT:
    case E_LE: fol_order(w, x); return;
    case E_FORALL:
    case E_EXISTS: fol_quantifier(w, x); return;
    default: fol_put(w, "not-plain"); return;  // a prover rejects it: never proved
    }
}

static void formula(writer *w, expr e) {
    if (fol_is_part(w, e)) fol_part(w, e);
    else formula_node(w, e);
}

void fol_formula(const fol_dialect *d, const vocabulary *v, expr e, str *out) {
    formula(&(writer){d, v, v->m, out, 0}, e);
}

void fol_definition(const fol_dialect *d, const vocabulary *v, expr part, str *out) {
    formula_node(&(writer){d, v, v->m, out, 0}, part);
}

// ---- axioms

static void fol_begin(writer *w) {
    fol_put(w, w->d->axiom.before);
    if (w->d->is_name_first) str_printf(w->out, "a%u%s", ++w->naxioms, w->d->axiom.between);
}

static void fol_end(writer *w) {
    if (!w->d->is_name_first) str_printf(w->out, "%sa%u", w->d->axiom.between, ++w->naxioms);
    fol_put(w, w->d->axiom.after);
}

static void different(writer *w, const char *a, const char *b) {
    const fol_form *no = &w->d->negation, *eq = &w->d->equation;
    fol_begin(w);
    str_printf(w->out, "%s%s%s%s%s%s%s", no->before, eq->before, a, eq->between, b, eq->after, no->after);
    fol_end(w);
}

static void value_text(const writer *w, type t, uint32_t i, str *out) {
    str_clear(out);
    if (type_same(t, w->m->bool_type)) str_add(out, i ? w->d->true_term : w->d->false_term);
    else vocabulary_value(w->m, t, type_first(w->m, t) + (value)i, out);
}

static void values_differ(writer *w, type t) {
    str a = {0}, b = {0};
    for (uint32_t i = 0; i < type_known_size(w->m, t); i++)
        for (uint32_t k = 0; k < i; k++) {
            value_text(w, t, i, &a);
            value_text(w, t, k, &b);
            different(w, str_get(&a), str_get(&b));
        }
    str_free(&a);
    str_free(&b);
}

// "text has sort t", or "text is one of the values of t".
static void has_type(writer *w, type t, const char *text) {
    if (type_is_unbounded(w->m, t)) {
        vocabulary_type(w->m, t, w->out);
        str_printf(w->out, "(%s)", text);
        return;
    }
    str v = {0};
    uint32_t n = type_known_size(w->m, t);
    if (n > 1) fol_put(w, w->d->disjunction.before);
    for (uint32_t i = 0; i < n; i++) {
        if (i) fol_put(w, w->d->disjunction.between);
        value_text(w, t, i, &v);
        str_printf(w->out, "%s%s%s%s%s", w->d->equation.before, text, w->d->equation.between, str_get(&v),
                   w->d->equation.after);
    }
    if (n > 1) fol_put(w, w->d->disjunction.after);
    str_free(&v);
}

// ∀ name: its type implies …, to be closed as often.
static void open_all(writer *w, type t, const char *name) {
    str_printf(w->out, "%s%s%s%s", w->d->forall.before, name, w->d->forall.between, w->d->implication.before);
    has_type(w, t, name);
    fol_put(w, w->d->implication.between);
}

static void close_all(writer *w, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) str_printf(w->out, "%s%s", w->d->implication.after, w->d->forall.after);
}

// ∀ Y0..Yn: their sorts imply that f(Y0..Yn) has its type.
static void func_has_type(writer *w, func f, bool next) {
    const func_info *info = func_of(w->m, f);
    if (type_same(info->result, w->m->bool_type)) return;
    str text = {0}, arg = {0};
    vocabulary_func(w->m, f, next, &text);
    fol_begin(w);
    for (uint32_t i = 0; i < info->nargs; i++) {
        str_printf(&text, "%sY%u", i ? "," : "(", i);
        str_clear(&arg);
        str_printf(&arg, "Y%u", i);
        open_all(w, info->args[i], str_get(&arg));
    }
    if (info->nargs) str_char(&text, ')');
    has_type(w, info->result, str_get(&text));
    close_all(w, info->nargs);
    fol_end(w);
    str_free(&text);
    str_free(&arg);
}

static void constant_has_type(writer *w, type t, const char *text) {
    fol_begin(w);
    has_type(w, t, text);
    fol_end(w);
}

static void not_empty(writer *w, type t) {
    fol_begin(w);
    str_printf(w->out, "%sY0%s", w->d->exists.before, w->d->exists.between);
    vocabulary_type(w->m, t, w->out);
    str_printf(w->out, "(Y0)%s", w->d->exists.after);
    fol_end(w);
}

static void type_axioms(writer *w, type t) {
    if (!type_is_unbounded(w->m, t)) {
        values_differ(w, t);
        return;
    }
    not_empty(w, t);
    if (!bits_has(&w->v->least, t.id)) return;
    str name = {0};
    vocabulary_value(w->m, t, 0, &name);
    constant_has_type(w, t, str_get(&name));
    str_free(&name);
}

// ∀ its variables: their types imply that the part is what it stands for.
static void part_axiom(writer *w, expr e) {
    var_list vars = vocabulary_part_vars(w->v, e);
    fol_begin(w);
    for (uint32_t i = 0; i < vars.len; i++) {
        str name = {0};
        vocabulary_var(w->m, vars.data[i], true, &name);
        open_all(w, var_of(w->m, vars.data[i])->ty, str_get(&name));
        str_free(&name);
    }
    fol_put(w, w->d->equivalence.before);
    fol_part(w, e);
    fol_put(w, w->d->equivalence.between);
    formula_node(w, e);
    fol_put(w, w->d->equivalence.after);
    close_all(w, vars.len);
    fol_end(w);
    vec_free(&vars);
}

void fol_axioms(const fol_dialect *d, const vocabulary *v, const obligation_set *s, str *out) {
    writer w = {d, v, v->m, out, 0};
    BITS_EACH(t, &v->types) type_axioms(&w, (type){t});
    for (int next = 0; next < 2; next++)
        BITS_EACH(f, &v->funcs[next]) func_has_type(&w, (func){f}, next);
    for (uint32_t i = 0; i < s->nparams; i++) {
        str name = {0};
        vocabulary_var(v->m, s->params[i], false, &name);
        constant_has_type(&w, var_of(v->m, s->params[i])->ty, str_get(&name));
        str_free(&name);
    }
    for (uint32_t i = 0; i < v->parts.parts.len; i++)
        if (fol_is_part(&w, v->parts.parts.data[i])) part_axiom(&w, v->parts.parts.data[i]);
    for (uint32_t i = 0; i < s->nhypotheses; i++) {
        fol_begin(&w);
        formula(&w, s->hypotheses[i]);
        fol_end(&w);
    }
}

void fol_goal(const fol_dialect *d, const vocabulary *v, expr goal_formula, str *out) {
    writer w = {d, v, v->m, out, 0};
    fol_put(&w, d->conjecture.before);
    if (d->is_name_first) str_printf(out, "goal%s", d->conjecture.between);
    formula(&w, goal_formula);
    if (!d->is_name_first) str_printf(out, "%sgoal", d->conjecture.between);
    fol_put(&w, d->conjecture.after);
}

// ---- symbols

static void type_symbols(const writer *w, type t, bool predicates, fol_symbol found, void *context) {
    const vocabulary *v = w->v;
    str name = {0};
    bool unbounded = type_is_unbounded(v->m, t);
    if (predicates && unbounded) {
        vocabulary_type(v->m, t, &name);
        found(str_get(&name), 1, context);
        str_clear(&name);
        vocabulary_before(v->m, t, &name);
        if (bits_has(&v->orders, t.id)) found(str_get(&name), 2, context);
    }
    for (uint32_t i = 0; !predicates && !unbounded && i < type_known_size(v->m, t); i++) {
        value_text(w, t, i, &name);
        found(str_get(&name), 0, context);
    }
    if (!predicates && bits_has(&v->least, t.id)) {
        str_clear(&name);
        vocabulary_value(v->m, t, 0, &name);
        found(str_get(&name), 0, context);
    }
    str_free(&name);
}

static void func_symbols(const vocabulary *v, bool predicates, fol_symbol found, void *context) {
    for (int next = 0; next < 2; next++)
        BITS_EACH(f, &v->funcs[next]) {
            const func_info *info = func_of(v->m, (func){f});
            if (type_same(info->result, v->m->bool_type) != predicates) continue;
            str name = {0};
            vocabulary_func(v->m, (func){f}, next, &name);
            found(str_get(&name), info->nargs, context);
            str_free(&name);
        }
}

void fol_symbols(const fol_dialect *d, const vocabulary *v, const obligation_set *s, bool predicates, fol_symbol found,
                 void *context) {
    writer w = {.d = d, .v = v, .m = v->m};
    BITS_EACH(t, &v->types) type_symbols(&w, (type){t}, predicates, found, context);
    func_symbols(v, predicates, found, context);
    for (uint32_t i = 0; predicates && i < v->parts.parts.len; i++) {
        str name = {0};
        expr e = v->parts.parts.data[i];
        var_list vars = vocabulary_part_vars(v, e);
        vocabulary_part(i + 1, &name);
        if (expr_is_bool(v->m, e)) found(str_get(&name), vars.len, context);
        vec_free(&vars);
        str_free(&name);
    }
    for (uint32_t i = 0; !predicates && i < s->nparams; i++) {
        str name = {0};
        vocabulary_var(v->m, s->params[i], false, &name);
        found(str_get(&name), 0, context);
        str_free(&name);
    }
}
