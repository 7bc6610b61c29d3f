// SPDX-License-Identifier: Apache-2.0
// Which systems a proof can take, and a message at the place that it cannot.
//
// Formulas of first-order logic have no faults, so nothing in the system may fault; types that are not sorts
// are small; no element of an unbounded sort has a name but the least of an ordered one.
#include "logic/logic_int.h"

#include "model/stmt.h"

enum { LARGEST_TYPE = 1024, MOST_PATTERNS = 4096 };

typedef struct {
    model *m;
    span at;  // of what is looked at, for expressions without a place
    map *seen;
    bool ok;
} admission;

static void refuse(admission *a, span at, const char *what) {
    if (a->ok) diag_error(a->m->messages, at.file ? at : a->at, "no proof for all sizes: %s", what);
    a->ok = false;
}

static void admit_expr(admission *a, expr e) {
    if (!e.id || !map_put(a->seen, &e.id, sizeof e.id, 1)) return;
    expr_info x = *expr_of(a->m, e);
    if (x.can_fault && x.nargs == 0) refuse(a, x.at, "this can fail");
    bool constant = x.kind == E_CONST && ground_is_unbounded(a->m, x.ty);
    if (constant && (!type_of(a->m, x.ty)->is_ordered || x.ref != 0))
        refuse(a, x.at, "an element of a sort without a size has no number");
    if (x.kind == E_CALL) admit_expr(a, def_of(a->m, (def){x.ref})->body);
    for (uint32_t i = 0; i < x.nargs; i++) admit_expr(a, x.args[i]);
}

static void admit_formula(admission *a, expr e) {
    if (!e.id) return;
    if (expr_can_fault(a->m, e))
        refuse(a, expr_of(a->m, e)->at, "this can fail (an argument outside its type, a division by zero)");
    admit_expr(a, e);
}

static void admit_assign(admission *a, const stmt *s) {
    const func_info *f = func_of(a->m, s->target);
    int64_t lo, hi;
    for (uint32_t i = 0; i < s->nargs; i++) admit_formula(a, s->args[i]);
    admit_formula(a, s->value);
    for (uint32_t i = 0; i < s->nargs; i++) {
        if (!type_is_number(a->m, f->args[i])) continue;
        expr_bounds(a->m, s->args[i], &lo, &hi);
        if (lo < type_of(a->m, f->args[i])->lo || hi > type_of(a->m, f->args[i])->hi)
            refuse(a, s->at, "an argument can be outside its type");
    }
    if (!type_is_number(a->m, f->result)) return;
    expr_bounds(a->m, s->value, &lo, &hi);
    if (lo < type_of(a->m, f->result)->lo || hi > type_of(a->m, f->result)->hi)
        refuse(a, s->at, "the value can leave its range here");
}

static void admit_stmt(admission *a, const stmt *s) {
    if (!s) return;
    admit_formula(a, s->cond);
    if (s->kind == S_ASSIGN) admit_assign(a, s);
    for (uint32_t i = 0; i < s->nbody; i++) admit_stmt(a, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) admit_stmt(a, s->orelse[i]);
}

static void admit_type(admission *a, type t) {
    if (!ground_is_unbounded(a->m, t) && type_known_size(a->m, t) > LARGEST_TYPE)
        refuse(a, a->at, "a type here has more than 1024 values");
}

static void admit_rule(admission *a, rule r) {
    rule_info info = *rule_of(a->m, r);
    a->at = info.at;
    uint64_t patterns = 1;
    for (uint32_t i = 0; i < info.nparams; i++) {
        type t = var_of(a->m, info.params[i])->ty;
        admit_type(a, t);
        patterns *= ground_is_unbounded(a->m, t) ? 2 : type_known_size(a->m, t);
        if (patterns > MOST_PATTERNS) refuse(a, info.at, "the parameters have too many values");
    }
    if (info.nparams > MATRIX_MOST_ARGS) refuse(a, info.at, "too many parameters");
    admit_formula(a, info.guard);
    admit_formula(a, info.relation);
    admit_stmt(a, info.body);
    for (uint32_t i = 0; i < info.nrequires; i++) admit_formula(a, info.requires[i].cond);
    update_list updates = {0};
    if (a->ok && !update_of(a->m, info.body, &updates)) a->ok = false;
    vec_free(&updates);
}

static void admit_func(admission *a, func f) {
    const func_info *info = func_of(a->m, f);
    a->at = info->at;
    uint64_t cells = 1;
    admit_type(a, info->result);
    for (uint32_t i = 0; i < info->nargs; i++) {
        admit_type(a, info->args[i]);
        cells *= ground_is_unbounded(a->m, info->args[i]) ? 8 : type_known_size(a->m, info->args[i]);
        if (cells > 1 << 22) refuse(a, info->at, "a function here has too many arguments");
    }
    if (info->nargs > MATRIX_MOST_ARGS) refuse(a, info->at, "a function here has too many arguments");
}

bool admit_system(model *m, sys s) {
    admission a = {.m = m, .at = sys_of(m, s)->at, .seen = map_new(), .ok = true};
    for (uint32_t i = 0; i < sys_of(m, s)->funcs.len; i++) admit_func(&a, sys_of(m, s)->funcs.data[i]);
    for (uint32_t i = 0; i < sys_of(m, s)->inits.len; i++) admit_rule(&a, sys_of(m, s)->inits.data[i]);
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) admit_rule(&a, sys_of(m, s)->rules.data[i]);
    for (uint32_t i = 0; i < sys_of(m, s)->axioms.len; i++)
        admit_formula(&a, sys_of(m, s)->axioms.data[i].cond);
    map_free(a.seen);
    return a.ok;
}
