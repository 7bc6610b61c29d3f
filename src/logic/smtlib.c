// SPDX-License-Identifier: Apache-2.0
// SMT-LIB 2 for fol.c. Unbounded sorts are declared sorts, other types datatypes of constants.
#include "logic/fol.h"

static const fol_dialect smtlib = {
    .negation = {"(not ", "", ")"},
    .conjunction = {"(and ", " ", ")"},
    .disjunction = {"(or ", " ", ")"},
    .implication = {"(=> ", " ", ")"},
    .equivalence = {"(= ", " ", ")"},
    .equation = {"(= ", " ", ")"},
    .application = {"(", " ", ")"},
    .arguments = " ",
    .forall = {"(forall ((", ")) ", ")"},
    .exists = {"(exists ((", ")) ", ")"},
    .is_sorted = true,
    .truth = "true",
    .falsity = "false",
    .true_term = "true",
    .false_term = "false",
};

// ---- declarations

static void declare_values(const model *m, type t, str *out) {
    value first = type_first(m, t);
    str_add(out, "(declare-datatypes ((");
    vocabulary_type(m, t, out);
    str_add(out, " 0)) ((");
    for (uint32_t i = 0; i < type_known_size(m, t); i++) {
        str_char(out, '(');
        vocabulary_value(m, t, first + (value)i, out);
        str_char(out, ')');
    }
    str_add(out, ")))\n");
}

static void smtlib_type_name(const model *m, type t, str *out) {
    if (type_same(t, m->bool_type)) str_add(out, "Bool");
    else vocabulary_type(m, t, out);
}

static void smtlib_declare_type(const vocabulary *v, type t, str *out) {
    if (type_same(t, v->m->bool_type)) return;
    if (!type_is_unbounded(v->m, t)) {
        declare_values(v->m, t, out);
        return;
    }
    str s = {0};
    vocabulary_type(v->m, t, &s);
    str_printf(out, "(declare-sort %s 0)\n", str_get(&s));
    if (bits_has(&v->orders, t.id)) {
        str_add(out, "(declare-fun ");
        vocabulary_before(v->m, t, out);
        str_printf(out, " (%s %s) Bool)\n", str_get(&s), str_get(&s));
    }
    if (bits_has(&v->least, t.id)) {
        str_add(out, "(declare-fun ");
        vocabulary_value(v->m, t, 0, out);
        str_printf(out, " () %s)\n", str_get(&s));
    }
    str_free(&s);
}

static void declare_func(const model *m, func f, bool next, str *out) {
    const func_info *info = func_of(m, f);
    str_add(out, "(declare-fun ");
    vocabulary_func(m, f, next, out);
    str_add(out, " (");
    for (uint32_t i = 0; i < info->nargs; i++) {
        if (i) str_char(out, ' ');
        smtlib_type_name(m, info->args[i], out);
    }
    str_add(out, ") ");
    smtlib_type_name(m, info->result, out);
    str_add(out, ")\n");
}

static void declare_all(const vocabulary *v, const obligation_set *s, str *out) {
    BITS_EACH(t, &v->types) smtlib_declare_type(v, (type){t}, out);
    for (int next = 0; next < 2; next++)
        BITS_EACH(f, &v->funcs[next]) declare_func(v->m, (func){f}, next, out);
    for (uint32_t i = 0; i < s->nparams; i++) {
        str_add(out, "(declare-fun ");
        vocabulary_var(v->m, s->params[i], false, out);
        str_add(out, " () ");
        smtlib_type_name(v->m, var_of(v->m, s->params[i])->ty, out);
        str_add(out, ")\n");
    }
}

static void define_part(const vocabulary *v, uint32_t number, str *out) {
    expr e = v->parts.parts.data[number - 1];
    var_list vars = vocabulary_part_vars(v, e);
    str_add(out, "(define-fun ");
    vocabulary_part(number, out);
    str_add(out, " (");
    for (uint32_t i = 0; i < vars.len; i++) {
        str_char(out, '(');
        vocabulary_var(v->m, vars.data[i], false, out);
        str_char(out, ' ');
        smtlib_type_name(v->m, var_of(v->m, vars.data[i])->ty, out);
        str_char(out, ')');
    }
    str_add(out, ") ");
    smtlib_type_name(v->m, expr_type(v->m, e), out);
    str_char(out, ' ');
    fol_definition(&smtlib, v, e, out);
    str_add(out, ")\n");
    vec_free(&vars);
}

void smtlib_script(const obligations *o, const obligation_set *s, str *out) {
    vocabulary v = vocabulary_of(o->m, s, 0, s->ngoals);
    str_add(out, "(set-logic ALL)\n");
    declare_all(&v, s, out);
    for (uint32_t i = 1; i <= v.parts.parts.len; i++) define_part(&v, i, out);
    for (uint32_t i = 0; i < s->nhypotheses; i++) {
        str_add(out, "(assert ");
        fol_formula(&smtlib, &v, s->hypotheses[i], out);
        str_add(out, ")\n");
    }
    for (uint32_t i = 0; i < s->ngoals; i++) {
        str_printf(out, "; %s\n(push 1)\n(assert (not ", s->goals[i].name);
        fol_formula(&smtlib, &v, s->goals[i].formula, out);
        str_add(out, "))\n(check-sat)\n(pop 1)\n");
    }
    vocabulary_free(&v);
}
