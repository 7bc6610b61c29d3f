// SPDX-License-Identifier: Apache-2.0
// How a specification that chooses answers the steps of a system, as the user says it:
//
//   property opaque: NOrec refines TMS2
//     with read(t, v, u): n = snap(t)         values of hidden parameters of the specification's action
//     with checked(t): advance(t)             an internal step, answered by an internal step
//
// A clause is about every action of the system that has this name; its names stand for that action's parameters, hidden
// ones after a semicolon.
#include "front/pv/internal.h"

// ---- reading

static bool parse_witness_names(pv_parser *p, pv_decl *w) {
    VEC(pv_binder) names = {0};
    bool good = true, hidden = false;
    if (!pv_parse_have(p, TOK_LPAREN) || pv_parse_have(p, TOK_RPAREN)) return true;
    do {
        hidden |= pv_parse_have(p, TOK_SEMICOLON);
        pv_item name;
        good = pv_parse_item(p, "a name for a parameter of the action", &name);
        if (good) vec_push(&names, ((pv_binder){.name = name.name, .at = name.at, .is_hidden = hidden}));
    } while (good && (p->tok->kind == TOK_SEMICOLON || pv_parse_have(p, TOK_COMMA)));
    vec_keep(p->f->memory, &names, &w->params.data, &w->params.len);
    return good && pv_parse_need(p, TOK_RPAREN, "after the names");
}

// n = expr, m = expr
static bool parse_choices(pv_parser *p, pv_decl *w) {
    VEC(pv_item) items = {0};
    bool good;
    do {
        pv_item i;
        good = pv_parse_item(p, "a hidden parameter of the specification's action", &i) &&
               pv_parse_need(p, TOK_EQ, "and its value") && (i.value = pv_parse_expr(p));
        if (good) vec_push(&items, i);
    } while (good && pv_parse_have(p, TOK_COMMA));
    vec_keep(p->f->memory, &items, &w->items, &w->nitems);
    return good;
}

bool pv_witness_parse(pv_parser *p, pv_decl *property) {
    pv_decl_list all = {0};
    bool good = true;
    while (good && pv_parse_word(p, "with")) {
        pv_decl w = {0};
        pv_item action;
        good = pv_parse_item(p, "the name of an action of the system", &action) && parse_witness_names(p, &w) &&
               pv_parse_need(p, TOK_COLON, "and how the specification answers it");
        if (!good) break;
        w.name = action.name;
        w.at = action.at;
        bool is_call = p->tok[0].kind != TOK_NAME || p->tok[1].kind != TOK_EQ;
        good = is_call ? (w.expr = pv_parse_call(p)) != NULL : parse_choices(p, &w);
        if (good) vec_push(&all, arena_copy(p->f->memory, &w, sizeof w));
    }
    vec_keep(p->f->memory, &all, &property->witnesses, &property->nwitnesses);
    return good;
}

// ---- into the model

typedef struct {
    pv_front *f;
    const pv_decl *w;
    pv_context c;  // the clause's names, for one action
    rule r;
    sys spec;
} answering;

static bool bind_names(answering *a) {
    const rule_info *r = rule_of(a->f->m, a->r);
    const pv_binders *names = &a->w->params;
    uint32_t nshown = 0;
    for (uint32_t i = 0; i < names->len; i++) nshown += !names->data[i].is_hidden;
    if (nshown != rule_nshown(r) || (names->len != nshown && names->len != r->nparams)) {
        diag_error(a->f->messages, a->w->at, "'%s' has %u parameters that are seen and %u that are hidden", r->name,
                   rule_nshown(r), r->nhidden);
        diag_note(a->f->messages, r->at, "the action is here");
        return false;
    }
    for (uint32_t i = 0; i < names->len; i++)
        vec_push(&a->c.locals, ((pv_local){names->data[i].name, names->data[i].at, var_of(a->f->m, r->params[i])->ty,
                                           expr_var(a->f->m, r->params[i])}));
    return true;
}

// A value for a parameter of the answer. Not of a number: it could leave the range, which would be no fault of the
// system; and for the same reason nothing that can fail.
static bool take_value(answering *a, const pv_expr *e, var param, expr *out) {
    type ty = var_of(a->f->m, param)->ty;
    const char *what = arena_printf(a->f->memory, "the value of '%s'", var_of(a->f->m, param)->name);
    if (type_is_number(a->f->m, ty))
        return diag_error(a->f->messages, e->at,
                          "%s is a number: only elements of sorts and values of enums can be given", what);
    *out = pv_expr_lower(&a->c, e, ty);
    if (!pv_type_check(&a->c, *out, ty, e->at, what)) return false;
    return !expr_can_fault(a->f->m, *out) ||
           diag_error(a->f->messages, e->at, "%s can fail (an argument outside its type, a division by zero)", what);
}

static const pv_item *find_choice(const answering *a, const char *name) {
    for (uint32_t i = 0; i < a->w->nitems; i++)
        if (str_same(a->w->items[i].name, name)) return &a->w->items[i];
    return NULL;
}

// Every hidden parameter has a value, and nothing else has.
static bool take_choices(answering *a, const rule_info *s, expr *out) {
    VEC(const char *) names = {0};
    bool good = true;
    for (uint32_t i = rule_nshown(s); i < s->nparams; i++) {
        const char *name = var_of(a->f->m, s->params[i])->name;
        const pv_item *item = find_choice(a, name);
        vec_push(&names, name);
        if (!item)
            good =
                diag_error(a->f->messages, a->w->at, "'%s' of the specification's '%s' gets no value", name, s->name);
        else good &= take_value(a, item->value, s->params[i], &out[i - rule_nshown(s)]);
    }
    for (uint32_t i = 0; i < a->w->nitems; i++) {
        const pv_item *item = &a->w->items[i];
        bool is_known = false;
        for (uint32_t k = 0; k < names.len; k++) is_known |= str_same(names.data[k], item->name);
        if (find_choice(a, item->name) != item)
            good = diag_error(a->f->messages, item->at, "'%s' is given twice", item->name);
        else if (!is_known) {
            diag_unknown(a->f->messages, item->at, "hidden parameter", item->name, names.data, names.len);
            good = false;
        }
    }
    vec_free(&names);
    return good;
}

static bool take_arguments(answering *a, const rule_info *s, expr *out) {
    const pv_expr *call = a->w->expr;
    if (call->nargs != s->nparams)
        return diag_error(a->f->messages, call->at, "'%s' has %u parameters", s->name, s->nparams);
    bool good = true;
    for (uint32_t i = 0; i < s->nparams; i++) good &= take_value(a, call->args[i], s->params[i], &out[i]);
    return good;
}

// What is said must fit what the actions are: a step that is seen is answered by the action of its name.
static rule answer_of(const answering *a) {
    const rule_info *r = rule_of(a->f->m, a->r);
    const char *name = a->w->expr ? a->w->expr->name : r->name;
    rule found = model_find_rule(a->f->m, a->spec, name);
    const char *spec = sys_of(a->f->m, a->spec)->name;
    if (r->is_visible && a->w->expr)
        diag_error(a->f->messages, a->w->expr->at,
                   "'%s' is seen: '%s' answers it with its own '%s'; say which values it chooses", r->name, spec,
                   r->name);
    else if (!r->is_visible && !a->w->expr)
        diag_error(a->f->messages, a->w->at, "'%s' is internal: say which internal action of '%s' answers it", r->name,
                   spec);
    else if (!found.id) diag_error(a->f->messages, a->w->at, "the specification '%s' has no action '%s'", spec, name);
    else if (rule_of(a->f->m, found)->is_visible != r->is_visible)
        diag_error(a->f->messages, a->w->expr->at, "'%s' of '%s' is seen, and '%s' is not", name, spec, r->name);
    else return found;
    return (rule){0};
}

static bool lower_answer(answering *a, prop_witness *out) {
    rule s = answer_of(a);
    if (!s.id || !bind_names(a)) return false;
    rule_info info = *rule_of(a->f->m, s);
    expr *args = arena_alloc(a->f->m->memory, (info.nparams + 1) * sizeof *args);
    bool good = a->w->expr ? take_arguments(a, &info, args) : take_choices(a, &info, args);
    *out = (prop_witness){.r = a->r, .answer = s, .args = args, .nargs = info.is_visible ? info.nhidden : info.nparams};
    return good;
}

typedef VEC(prop_witness) witness_list;

static bool lower_clause(pv_front *f, const pv_decl *w, pv_scope *system, sys spec, witness_list *out) {
    bool good = true, found = false;
    for (uint32_t i = 0; good && i < sys_of(f->m, system->system)->rules.len; i++) {
        answering a = {.f = f, .w = w, .r = sys_of(f->m, system->system)->rules.data[i], .spec = spec};
        if (!str_same(rule_of(f->m, a.r)->name, w->name)) continue;
        a.c = (pv_context){.f = f, .scope = system};
        prop_witness x;
        found = true;
        good = lower_answer(&a, &x);
        pv_context_free(&a.c);
        if (good) vec_push(out, x);
    }
    if (!found)
        diag_error(f->messages, w->at, "system '%s' has no action '%s'", sys_of(f->m, system->system)->name, w->name);
    return good && found;
}

bool pv_witness_lower(pv_front *f, const pv_decl *property, pv_scope *system, prop_info *p) {
    witness_list all = {0};
    bool good = true;
    for (uint32_t i = 0; i < property->nwitnesses; i++) {
        const pv_decl *w = property->witnesses[i];
        for (uint32_t k = 0; k < i; k++)
            if (str_same(property->witnesses[k]->name, w->name))
                good = diag_error(f->messages, w->at, "how '%s' is answered is said twice", w->name);
        good = lower_clause(f, w, system, p->spec, &all) && good;
    }
    vec_keep(f->m->memory, &all, &p->witnesses, &p->nwitnesses);
    return good;
}
