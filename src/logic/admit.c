// SPDX-License-Identifier: Apache-2.0
// Which systems a proof can handle, and a message at the place that it cannot.
//
// Formulas of first-order logic have no faults, so nothing in the system may fault; types that are not sorts
// are small; no element of an unbounded sort has a name except the least of an ordered one. An assignment that
// would leave a range is a condition to be proved: that the rule's guard excludes it.
#include "logic/logic_int.h"

#include "model/walk.h"

enum { LARGEST_TYPE = 1024, MOST_PATTERNS = 4096 };

typedef struct {
    model *m;
    span at;    // of what is looked at, for expressions without a place
    walk seen;  // all formulas so far
    bool ok;
    rule r;            // whose body is looked at; id 0: nothing can be left to be proved
    bool is_sequence;  // statements here run one after another
    uint32_t later;    // statements around that run when others have written
    VEC(var) bound;    // by loops around
    VEC(expr) path;    // conditions around
    admit_list *conditions;
} admission;

static void admit_refuse(admission *a, span at, const char *what) {
    if (a->ok) diag_error(a->m->messages, at.file ? at : a->at, "no proof for all sizes: %s", what);
    a->ok = false;
}

static void admit_expr(admission *a, expr e) {
    walk_add(&a->seen, e, 0);
    while (walk_next(&a->seen)) {
        const expr_info *x = a->seen.x;
        if (x->can_fault && x->nargs == 0) admit_refuse(a, x->at, "this can fail");
        if (x->kind == E_COUNT || x->kind == E_DEFINED || (x->kind >= E_BITAND && x->kind <= E_IS))
            admit_refuse(a, x->at, "what is computed here has no place in a formula");
        bool constant = x->kind == E_CONST && type_is_unbounded(a->m, x->ty);
        if (constant && (!type_of(a->m, x->ty)->is_ordered || x->ref != 0))
            admit_refuse(a, x->at, "an element of a sort without a size has no number");
    }
}

static void admit_formula(admission *a, expr e) {
    if (!e.id) return;
    if (expr_can_fault(a->m, e))
        admit_refuse(a, expr_of(a->m, e)->at, "this can fail (an argument outside its type, a division by zero)");
    admit_expr(a, e);
}

// e is in the range of type t whenever this place is reached; over the rule's parameters.
static expr range_condition(const admission *a, expr e, type t) {
    model *m = a->m;
    expr low = expr_arith(m, E_LE, expr_const(m, t, type_of(m, t)->lo), e);
    expr high = expr_arith(m, E_LE, e, expr_const(m, t, type_of(m, t)->hi));
    expr cond = expr_and(m, low, high);
    for (uint32_t i = a->path.len; i-- > 0;) cond = expr_implies(m, a->path.data[i], cond);
    return expr_forall(m, a->bound.data, a->bound.len, cond);
}

static void admit_range(admission *a, const stmt *s, expr e, type t, const char *what) {
    int64_t lo, hi;
    if (!type_is_number(a->m, t)) return;
    expr_bounds(a->m, e, &lo, &hi);
    if (lo >= type_of(a->m, t)->lo && hi <= type_of(a->m, t)->hi) return;
    if (!a->ok || !a->r.id || a->later) admit_refuse(a, s->at, what);
    else vec_push(a->conditions, (admit_condition){a->r, s->at, range_condition(a, e, t), what});
}

static void admit_assign(admission *a, const stmt *s) {
    const func_info f = *func_of(a->m, s->target);
    for (uint32_t i = 0; i < s->nargs; i++) admit_formula(a, s->args[i]);
    admit_formula(a, s->value);
    for (uint32_t i = 0; i < s->nargs; i++)
        admit_range(a, s, s->args[i], f.args[i], "an argument can be outside its type");
    if (s->value.id) admit_range(a, s, s->value, f.result, "the value can leave its range here");
}

static void admit_stmt(admission *a, const stmt *s);

static void admit_under(admission *a, expr cond, const stmt *const *body, uint32_t n) {
    if (cond.id) vec_push(&a->path, cond);
    for (uint32_t i = 0; i < n; i++) admit_stmt(a, body[i]);
    if (cond.id) (void)vec_pop(&a->path);
}

static void admit_block(admission *a, const stmt *s) {
    bool was = a->is_sequence;
    a->is_sequence = s->kind == S_SEQ;
    for (uint32_t i = 0; i < s->nbody; i++) {
        bool is_later = a->is_sequence && i > 0;
        a->later += is_later;
        admit_stmt(a, s->body[i]);
        a->later -= is_later;
    }
    a->is_sequence = was;
}

// A loop in a sequence sees what its earlier rounds wrote.
static void admit_loop(admission *a, const stmt *s) {
    uint32_t before = a->bound.len;
    a->later += a->is_sequence;
    for (uint32_t i = 0; i < s->nvars; i++) vec_push(&a->bound, s->vars[i]);
    admit_under(a, s->cond, s->body, s->nbody);
    a->bound.len = before;
    a->later -= a->is_sequence;
}

static void admit_stmt(admission *a, const stmt *s) {
    if (!s) return;
    admit_formula(a, s->cond);
    switch (s->kind) {
    case S_ASSIGN: admit_assign(a, s); break;
    case S_SEQ:
    case S_PAR: admit_block(a, s); break;
    case S_IF:
        admit_under(a, s->cond, s->body, s->nbody);
        admit_under(a, expr_not(a->m, s->cond), s->orelse, s->norelse);
        break;
    default: admit_loop(a, s); break;
    }
}

static void admit_type(admission *a, type t) {
    if (!type_is_unbounded(a->m, t) && type_known_size(a->m, t) > LARGEST_TYPE)
        admit_refuse(a, a->at, "a type here has more than 1024 values");
}

// What an initial body may do must be plain: there is no guard to lean on.
static void admit_rule(admission *a, rule r, bool is_init) {
    rule_info info = *rule_of(a->m, r);
    a->at = info.at;
    uint64_t patterns = 1;
    for (uint32_t i = 0; i < info.nparams; i++) {
        type t = var_of(a->m, info.params[i])->ty;
        admit_type(a, t);
        patterns *= type_is_unbounded(a->m, t) ? 2 : type_known_size(a->m, t);
        if (patterns > MOST_PATTERNS) admit_refuse(a, info.at, "the parameters have too many values");
    }
    if (info.nparams > MATRIX_MOST_ARGS) admit_refuse(a, info.at, "too many parameters");
    admit_formula(a, info.guard);
    admit_formula(a, info.relation);
    a->r = is_init ? (rule){0} : r;
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
        cells *= type_is_unbounded(a->m, info->args[i]) ? 8 : type_known_size(a->m, info->args[i]);
        if (cells > 1 << 22) admit_refuse(a, info->at, "a function has too many arguments");
    }
    if (info->nargs > MATRIX_MOST_ARGS) admit_refuse(a, info->at, "a function has too many arguments");
}

bool admit_system(model *m, sys s, admit_list *conditions) {
    admission a = {.m = m, .at = sys_of(m, s)->at, .ok = true, .conditions = conditions};
    a.seen = walk_expr(m, (expr){0}, WALK_CALLS | WALK_KEEPS);
    for (uint32_t i = 0; i < sys_of(m, s)->funcs.len; i++) admit_func(&a, sys_of(m, s)->funcs.data[i]);
    for (uint32_t i = 0; i < sys_of(m, s)->inits.len; i++) admit_rule(&a, sys_of(m, s)->inits.data[i], true);
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) admit_rule(&a, sys_of(m, s)->rules.data[i], false);
    for (uint32_t i = 0; i < sys_of(m, s)->axioms.len; i++) admit_formula(&a, sys_of(m, s)->axioms.data[i].cond);
    walk_found(&a.seen);
    vec_free(&a.bound);
    vec_free(&a.path);
    return a.ok;
}
