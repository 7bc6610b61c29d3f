// SPDX-License-Identifier: Apache-2.0
// `schema NAME: forall t, u: Thread. _ & vo(t, u) -> _`: a shape of lemmas for proofs.
//
// A clause, written as a disjunction or as premises that imply conclusions. `_` stands for any literal over the
// variables, what else is there stands in every lemma of the schema.
#include "front/pv/internal.h"

#include "model/expr.h"

typedef struct {
    pv_context c;
    VEC(expr) fixed;
    uint32_t nholes;
    bool failed;
} reader;

static void pv_schema_read_literal(reader *r, const pv_expr *e, bool negated) {
    if (e->kind == PE_HOLE) {
        r->nholes++;
        return;
    }
    expr x = pv_expr_condition(&r->c, e);
    r->failed |= !x.id;
    if (x.id) vec_push(&r->fixed, negated ? expr_not(r->c.f->m, x) : x);
}

// The operands of `&` in the premises, of `|` in the conclusions.
static void read_literals(reader *r, const pv_expr *e, bool is_premise) {
    if (e->kind != (is_premise ? PE_AND : PE_OR)) {
        pv_schema_read_literal(r, e, is_premise);
        return;
    }
    for (uint32_t i = 0; i < e->nargs; i++) read_literals(r, e->args[i], is_premise);
}

static void read_clause(reader *r, const pv_expr *e) {
    if (e->kind == PE_IMPLIES) read_literals(r, e->args[0], true);
    read_literals(r, e->kind == PE_IMPLIES ? e->args[1] : e, false);
}

static bool pv_schema_wrong(pv_front *f, span at, const char *what) {
    diag_error(f->messages, at, "%s", what);
    diag_note(f->messages, (span){0},
              "a schema looks like this: schema order: forall t, u: Thread. _ & before(t, u) -> _");
    return false;
}

// Only sorts, not too many of each.
static bool check_variables(pv_front *f, const pv_expr *e, const var *vars) {
    for (uint32_t i = 0; i < e->binders.len; i++) {
        type t = var_of(f->m, vars[i])->ty;
        uint32_t same = 0;
        for (uint32_t k = 0; k < e->binders.len; k++) same += type_same(var_of(f->m, vars[k])->ty, t);
        if (type_of(f->m, t)->kind != TYPE_SORT)
            return pv_schema_wrong(f, e->binders.data[i].at, "the variables of a schema are elements of sorts");
        if (same > SCHEMA_MOST_VARS)
            return pv_schema_wrong(f, e->binders.data[i].at, "a schema has at most 4 variables of a sort");
    }
    return true;
}

static bool check_literals(pv_front *f, const reader *r, const pv_decl *d) {
    if (!r->nholes) return pv_schema_wrong(f, d->expr->at, "a schema has a '_' for at least one literal");
    if (r->nholes + r->fixed.len > SCHEMA_MOST_LITERALS)
        return pv_schema_wrong(f, d->expr->at, "a schema has at most 8 literals");
    return pv_names_is_first(f, r->c.scope, PV_SCHEMAS, d);
}

void pv_lower_schema(pv_front *f, pv_scope *s, const pv_decl *d) {
    const pv_expr *e = d->expr;
    if (e->kind != PE_QUANTIFIER || e->op != TOK_FORALL || e->nargs > 1) {
        pv_schema_wrong(f, e->at, "a schema begins with 'forall' and its variables");
        return;
    }
    reader r = {.c = {.f = f, .scope = s, .prefix = d->prefix}};
    var *vars = arena_alloc(f->m->memory, (e->binders.len + 1) * sizeof *vars);
    bool good = pv_expr_bind(&r.c, e->binders, vars) && check_variables(f, e, vars);
    if (good) read_clause(&r, e->args[0]);
    pv_expr_unbind(&r.c, e->binders.len);
    if (good && !r.failed && check_literals(f, &r, d)) {
        schema_info x = {.name = arena_str(f->m->memory, d->name),
                         .at = d->at,
                         .vars = vars,
                         .nvars = e->binders.len,
                         .nholes = r.nholes,
                         .nfixed = r.fixed.len};
        if (r.fixed.len) x.fixed = arena_copy(f->m->memory, r.fixed.data, r.fixed.len * sizeof(expr));
        vec_push(&sys_of(f->m, s->system)->schemas, x);
    }
    vec_free(&r.fixed);
    pv_context_free(&r.c);
}
