// SPDX-License-Identifier: Apache-2.0
// SMT-LIB 2: see smtlib.h. Unbounded sorts are declared sorts, other types datatypes of constants, ordered sorts have a
// relation with the axioms of a strict linear order.
#include "logic/smtlib.h"

#include "logic/vocabulary.h"

// ---- expressions

static void print(const vocabulary *v, expr e, str *out);

static void smtlib_print_list(const vocabulary *v, const char *head, const expr_info *x, str *out) {
    str_printf(out, "(%s", head);
    for (uint32_t i = 0; i < x->nargs; i++) {
        str_char(out, ' ');
        print(v, x->args[i], out);
    }
    str_char(out, ')');
}

static void print_app(const vocabulary *v, const expr_info *x, str *out) {
    str name = {0};
    vocabulary_func(v->m, (func){x->ref}, x->kind == E_NEXT, &name);
    if (x->nargs) smtlib_print_list(v, str_get(&name), x, out);
    else str_add(out, str_get(&name));
    str_free(&name);
}

static void smtlib_print_quantifier(const vocabulary *v, const expr_info *x, str *out) {
    var bound = {x->ref};
    str_add(out, x->kind == E_FORALL ? "(forall ((" : "(exists ((");
    vocabulary_var(v->m, bound, false, out);
    str_char(out, ' ');
    vocabulary_type(v->m, var_of(v->m, bound)->ty, out);
    str_add(out, ")) ");
    print(v, x->args[0], out);
    str_char(out, ')');
}

static void print_order(const vocabulary *v, const expr_info *x, str *out) {
    bool less = x->kind == E_LT;
    str_add(out, less ? "(" : "(not (");
    vocabulary_before(v->m, expr_type(v->m, x->args[0]), out);
    for (uint32_t i = 0; i < 2; i++) {
        str_char(out, ' ');
        print(v, x->args[less ? i : !i], out);
    }
    str_add(out, less ? ")" : "))");
}

static void print_constant(const vocabulary *v, const expr_info *x, str *out) {
    if (type_same(x->ty, v->m->bool_type)) str_add(out, x->ref ? "true" : "false");
    else vocabulary_value(v->m, x->ty, (value)x->ref, out);
}

static void smtlib_print_node(const vocabulary *v, expr e, str *out) {
    const expr_info *x = expr_of(v->m, e);
    switch (x->kind) {
    case E_CONST: print_constant(v, x, out); return;
    case E_VAR: vocabulary_var(v->m, (var){x->ref}, false, out); return;
    case E_APP:
    case E_NEXT: print_app(v, x, out); return;
    case E_NOT: smtlib_print_list(v, "not", x, out); return;
    case E_AND: smtlib_print_list(v, "and", x, out); return;
    case E_OR: smtlib_print_list(v, "or", x, out); return;
    case E_IMPLIES: smtlib_print_list(v, "=>", x, out); return;
    case E_EQ: smtlib_print_list(v, "=", x, out); return;
    case E_LT:
    case E_LE: print_order(v, x, out); return;
    case E_FORALL:
    case E_EXISTS: smtlib_print_quantifier(v, x, out); return;
    default: str_add(out, "not-plain"); return;  // a prover rejects it: never proved
    }
}

// (p3_ v1 v2)
static void print(const vocabulary *v, expr e, str *out) {
    uint32_t number = shared_number(&v->parts, e);
    if (!number) {
        smtlib_print_node(v, e, out);
        return;
    }
    var_list vars = vocabulary_part_vars(v, e);
    if (vars.len) str_char(out, '(');
    vocabulary_part(number, out);
    for (uint32_t i = 0; i < vars.len; i++) {
        str_char(out, ' ');
        vocabulary_var(v->m, vars.data[i], false, out);
    }
    if (vars.len) str_char(out, ')');
    vec_free(&vars);
}

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

static void declare_order(const model *m, type t, bool has_least, str *out) {
    str s = {0}, o = {0}, l = {0};
    vocabulary_type(m, t, &s);
    vocabulary_before(m, t, &o);
    vocabulary_value(m, t, 0, &l);
    const char *S = str_get(&s), *O = str_get(&o);
    str_printf(out, "(declare-fun %s (%s %s) Bool)\n", O, S, S);
    str_printf(out, "(assert (forall ((a %s)) (not (%s a a))))\n", S, O);
    str_printf(out, "(assert (forall ((a %s) (b %s) (c %s)) (=> (and (%s a b) (%s b c)) (%s a c))))\n", S, S, S, O, O,
               O);
    str_printf(out, "(assert (forall ((a %s) (b %s)) (or (= a b) (%s a b) (%s b a))))\n", S, S, O, O);
    if (has_least) {
        str_printf(out, "(declare-fun %s () %s)\n", str_get(&l), S);
        str_printf(out, "(assert (forall ((a %s)) (not (%s a %s))))\n", S, O, str_get(&l));
    }
    str_free(&s);
    str_free(&o);
    str_free(&l);
}

static void smtlib_type_name(const model *m, type t, str *out) {
    if (type_same(t, m->bool_type)) str_add(out, "Bool");
    else vocabulary_type(m, t, out);
}

static void smtlib_declare_type(const vocabulary *v, type t, str *out) {
    if (type_same(t, v->m->bool_type)) return;
    if (!vocabulary_is_unbounded(v->m, t)) {
        declare_values(v->m, t, out);
        return;
    }
    str_add(out, "(declare-sort ");
    vocabulary_type(v->m, t, out);
    str_add(out, " 0)\n");
    if (type_of(v->m, t)->is_ordered) declare_order(v->m, t, bits_has(&v->least, t.id), out);
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
    for (uint32_t t = bits_next(&v->types, 0); t != UINT32_MAX; t = bits_next(&v->types, t + 1))
        smtlib_declare_type(v, (type){t}, out);
    for (int next = 0; next < 2; next++)
        for (uint32_t f = bits_next(&v->funcs[next], 0); f != UINT32_MAX; f = bits_next(&v->funcs[next], f + 1))
            declare_func(v->m, (func){f}, next, out);
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
    smtlib_print_node(v, e, out);
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
        print(&v, s->hypotheses[i], out);
        str_add(out, ")\n");
    }
    for (uint32_t i = 0; i < s->ngoals; i++) {
        str_printf(out, "; %s\n(push 1)\n(assert (not ", s->goals[i].name);
        print(&v, s->goals[i].formula, out);
        str_add(out, "))\n(check-sat)\n(pop 1)\n");
    }
    vocabulary_free(&v);
}
