// SPDX-License-Identifier: Apache-2.0
// Systems, compositions, properties and expectations into the model, after types and functions are there.
#include "front/pv/internal.h"

#include "model/compose.h"

// ---- what a system consists of

static void pv_lower_rule(pv_front *f, pv_scope *s, const pv_decl *d) {
    pv_nexts nexts = {.nparams = d->params.len, .first = f->m->vars.len};
    pv_context c = {.f = f, .scope = s, .prefix = d->prefix, .nexts = d->kind == PD_ACTION ? &nexts : NULL};
    var *params = arena_alloc(f->memory, (d->params.len + 1) * sizeof *params);
    rule_info r = {.name = d->name, .at = d->at, .params = params, .nparams = d->params.len};
    nexts.params = params;
    bool good = pv_expr_bind(&c, d->params, params) && pv_check_count(f, d->params.len, d->at);
    for (uint32_t i = 0; i < d->params.len; i++) {
        if (d->params.data[i].is_actor) r.actor = i + 1;
        r.nhidden += d->params.data[i].is_hidden;
    }
    if (d->expr) good &= (r.guard = pv_expr_condition(&c, d->expr)).id != 0;
    r.body = pv_stmt_body(&c, d->body, d->at);
    r.is_visible = d->kind == PD_ACTION && !d->is_internal;
    if (good) good = pv_check_count(f, d->params.len + nexts.made.len, d->at);
    if (good) pv_order_close(&c, &r);
    vec_free(&nexts.made);
    pv_context_free(&c);
    if (!good) return;
    rule made = model_add_rule(f->m, r);
    if (d->kind == PD_ACTION) vec_push(&sys_of(f->m, s->system)->rules, made);
    else vec_push(&sys_of(f->m, s->system)->inits, made);
}

// The main file's properties are lowered first; one of a used file that has the same name is left out.
static bool is_hidden(const pv_front *f, const char *name, span at) {
    uint32_t main_file = f->files.data[0].number;
    prop old = model_find_prop(f->m, name);
    return old.id && at.file != main_file && prop_of(f->m, old)->at.file == main_file;
}

static bool is_new_property(pv_front *f, const char *name, span at) {
    prop old = model_find_prop(f->m, name);
    if (!old.id) return true;
    diag_error(f->messages, at, "a property named '%s' exists already", name);
    diag_note(f->messages, prop_of(f->m, old)->at, "it is here");
    return false;
}

static void lower_fact(pv_front *f, pv_scope *s, const pv_decl *d) {
    named_expr fact = {arena_str(f->m->memory, d->name), pv_expr_fact(f, s, d), d->at};
    if (!pv_names_is_first(f, s, PV_FACTS, d) || !fact.cond.id) return;
    if (d->kind == PD_ASSUME) vec_push(&sys_of(f->m, s->system)->assumes, fact);
    if (d->kind == PD_LEMMA) vec_push(&sys_of(f->m, s->system)->hints, fact);
    if (d->kind == PD_AXIOM) {
        pv_check_axiom(f, &fact);
        vec_push(&sys_of(f->m, s->system)->axioms, fact);
    }
    if (d->kind != PD_INVARIANT || !is_new_property(f, d->name, d->at)) return;
    prop_info info = {.kind = PROP_INVARIANT, .name = d->name, .at = d->at, .system = s->system, .cond = fact.cond};
    prop p = model_add_prop(f->m, info);
    vec_push(&sys_of(f->m, s->system)->invariants, p);
}

static void lower_system(pv_front *f, pv_scope *s) {
    for (uint32_t i = 0; i < s->decl->ndecls; i++) {
        const pv_decl *d = s->decl->decls[i];
        switch (d->kind) {
        case PD_INIT: pv_lower_rule(f, s, d); break;
        case PD_ACTION:
            if (d->is_clause || pv_names_is_first(f, s, PV_ACTIONS, d)) pv_lower_rule(f, s, d);
            break;
        case PD_ASSUME:
        case PD_AXIOM:
        case PD_LEMMA:
        case PD_INVARIANT: lower_fact(f, s, d); break;
        case PD_SCHEMA: pv_lower_schema(f, s, d); break;
        default: break;
        }
    }
}

// ---- compositions

static bool lower_composition(pv_front *f, pv_scope *s);

static bool add_part(pv_front *f, pv_scope *s, const pv_item *item) {
    pv_scope *part;
    if (!pv_names_system_or_error(f, item, &part) || !lower_composition(f, part)) return false;
    if (s->parts.len == PV_MOST_PARTS)
        return diag_error(f->messages, item->at, "a composition has more than %d parts", PV_MOST_PARTS);
    for (uint32_t i = 0; i < s->parts.len; i++)
        if (!pv_check_apart(f, s->parts.data[i]->system, part->system, item->at)) return false;
    vec_push(&s->parts, part);
    return true;
}

static bool join_parts(pv_front *f, pv_scope *s) {
    bool good = true;
    for (uint32_t i = 0; i < s->decl->nitems && s->parts.len <= PV_MOST_PARTS; i++)
        good &= add_part(f, s, &s->decl->items[i]);
    if (!good) return false;
    if (s->parts.len < 2)
        return diag_error(f->messages, s->decl->at, "a composition has two or more parts: compose %s = A || B",
                          s->decl->name);
    sys *parts = arena_alloc(f->memory, s->parts.len * sizeof *parts);
    for (uint32_t i = 0; i < s->parts.len; i++) parts[i] = s->parts.data[i]->system;
    s->system = compose_parallel(f->m, s->decl->name, parts, s->parts.len, s->decl->at);
    return s->system.id != 0;
}

// True when the system of this scope is there, be it a composition or not.
static bool lower_composition(pv_front *f, pv_scope *s) {
    if (s->decl->kind != PD_COMPOSE) return true;
    if (s->state == PV_BUSY)
        return diag_error(f->messages, s->decl->at, "composition '%s' is a part of itself", s->decl->name);
    if (s->state != PV_NEW) return s->state == PV_DONE;
    s->state = PV_BUSY;
    s->state = join_parts(f, s) ? PV_DONE : PV_WRONG;
    return s->state == PV_DONE;
}

// ---- properties and expectations

// The conjuncts of a relation, those about justice apart.
static bool lower_relation(pv_front *f, const pv_decl *d, pv_scope *system, prop_info *p) {
    VEC(named_expr) lists[2] = {{0}};
    bool good = true;
    for (uint32_t i = 0; i < d->ndecls; i++) {
        const pv_decl *c = d->decls[i];
        named_expr e = {arena_str(f->m->memory, c->name), pv_expr_fact(f, system, c), c->at};
        good &= e.cond.id != 0;
        vec_push(&lists[c->is_justice], e);
    }
    vec_keep(f->m->memory, &lists[0], &p->relation, &p->nrelation);
    vec_keep(f->m->memory, &lists[1], &p->justice, &p->njustice);
    return good;
}

static void lower_property(pv_front *f, const pv_decl *d) {
    pv_scope *system, *spec = NULL;
    if (is_hidden(f, d->name, d->at)) return;
    bool good = pv_names_system_or_error(f, &d->items[0], &system);
    if (d->nitems > 1) good &= pv_names_system_or_error(f, &d->items[1], &spec);
    if (!is_new_property(f, d->name, d->at) || !good || !system->system.id) return;
    prop_info p = {.kind = d->property, .name = d->name, .at = d->at, .system = system->system};
    if (d->property == PROP_INVARIANT && !(p.cond = pv_expr_fact(f, system, d)).id) return;
    if (spec) p.spec = spec->system;
    if (spec && !p.spec.id) return;
    if (!lower_relation(f, d, system, &p) || !pv_witness_lower(f, d, system, &p)) return;
    if (spec) pv_check_refines(f, p.system, p.spec, d->items[1].at);
    model_add_prop(f->m, p);
}

// A constant of the top level: the expectation is about the file with another value of it.
static bool pv_is_constant(const pv_front *f, const char *name) {
    for (uint32_t i = 1; i < f->symbols.len; i++) {
        const pv_symbol *s = &f->symbols.data[i];
        if (s->kind == SYM_CONST && !s->home->outer && str_same(s->name, name)) return true;
    }
    return false;
}

typedef VEC(model_define) define_list;

static bool add_define(pv_front *f, define_list *out, const pv_item *item) {
    pv_context c = {.f = f, .scope = f->scopes.data[0]};
    int64_t n = 0;
    bool good = pv_type_number(&c, item->value, &n);
    for (uint32_t i = 0; good && i < out->len; i++)
        if (str_same(out->data[i].name, item->name))
            good = diag_error(f->messages, item->at, "the value of '%s' is given twice", item->name);
    if (good) vec_push(out, ((model_define){arena_str(f->m->memory, item->name), (int32_t)n}));
    pv_context_free(&c);
    return good;
}

static bool add_size(pv_front *f, expectation *x, const pv_item *item) {
    type sort;
    uint32_t size;
    if (!pv_type_sort_size(f, item, &sort, &size)) return false;
    for (uint32_t i = 0; i < x->sizes.len; i++)
        if (type_same(x->sizes.data[i].sort, sort))
            return diag_error(f->messages, item->at, "the size of '%s' is given twice", item->name);
    vec_reserve(&x->sizes, x->sizes.len + 1);
    x->sizes.data[x->sizes.len].sort = sort;
    x->sizes.data[x->sizes.len++].size = size;
    return true;
}

static prop pv_lower_find_property(pv_front *f, const pv_decl *d) {
    prop p = model_find_prop(f->m, d->name);
    if (p.id || diag_failed(f->messages)) return p;  // it may be one that was wrong
    VEC(const char *) names = {0};
    for (uint32_t i = 1; i < f->m->props.len; i++) vec_push(&names, f->m->props.data[i].name);
    diag_unknown(f->messages, d->at, "property", d->name, names.data, names.len);
    vec_free(&names);
    return (prop){0};
}

static void lower_expectation(pv_front *f, const pv_decl *d) {
    if (is_hidden(f, d->name, d->at)) return;
    expectation x = {
        .property = pv_lower_find_property(f, d), .at = d->at, .states = d->states, .length = (uint32_t)d->length};
    x.verdict = str_same(d->verdict, "holds") ? "holds" : "violated";
    bool good = x.property.id != 0;
    define_list defines = {0};
    for (uint32_t i = 0; i < d->nitems; i++)
        good &=
            pv_is_constant(f, d->items[i].name) ? add_define(f, &defines, &d->items[i]) : add_size(f, &x, &d->items[i]);
    vec_keep(f->m->memory, &defines, &x.defines, &x.ndefines);
    if (d->length && str_same(x.verdict, "holds")) {
        diag_error(f->messages, d->at, "a property that holds has no trace, so no length");
        good = false;
    }
    if (good) vec_push(&f->m->expectations, x);
    else vec_free(&x.sizes);
}

// ---- everything

static void add_systems(pv_front *f) {
    for (uint32_t i = 1; i < f->scopes.len; i++) {
        pv_scope *s = f->scopes.data[i];
        if (s->decl->kind == PD_SYSTEM) s->system = model_add_system(f->m, s->decl->name, s->decl->at);
    }
}

static void lower_definitions(pv_front *f) {
    for (uint32_t i = 1; i < f->symbols.len; i++)
        if (f->symbols.data[i].kind == SYM_DEF) pv_expr_def(f, &f->symbols.data[i], f->symbols.data[i].at);
}

void pv_lower(pv_front *f) {
    add_systems(f);
    pv_type_declare(f);
    pv_type_functions(f);
    lower_definitions(f);
    pv_stmt_check_procs(f);
    for (uint32_t i = 1; i < f->scopes.len; i++)
        if (f->scopes.data[i]->decl->kind == PD_SYSTEM) lower_system(f, f->scopes.data[i]);
    for (uint32_t i = 1; i < f->scopes.len; i++)
        if (f->scopes.data[i]->system.id) pv_check_starts(f, f->scopes.data[i]->system);
    for (uint32_t i = 1; i < f->scopes.len; i++) lower_composition(f, f->scopes.data[i]);
    pv_names_each(f, PD_PROPERTY, lower_property);
    pv_names_each(f, PD_EXPECT, lower_expectation);
    pv_check_defines(f);
}
