// SPDX-License-Identifier: Apache-2.0
// Proofs in certificates: see proofs.h.
#include "certificate/proofs.h"

#include "certificate/certfile.h"
#include "certificate/formula.h"
#include "model/compose.h"
#include "model/expr.h"
#include "model/print.h"

#include <string.h>

static const span nowhere = {0};

// ---- writing

static const char *const kind_names[] = {"found", "assume", "property"};

// What people read is printed from the tree, so that it cannot say something else. NULL: there is no tree.
static json_t *write_lemma(const proof *p, const proof_lemma *l) {
    str text = {0};
    json_t *tree = formula_object(p->m, expr_inline(p->m, l->formula));
    expr again = tree ? formula_read(p->m, tree, NULL) : (expr){0};
    if (!again.id) {
        json_decref(tree);
        return NULL;
    }
    print_expr_in(p->m, p->system, again, &text);
    json_t *j = json_pack("{s:s, s:b, s:o, s:o}", "kind", kind_names[l->kind], "assumed", l->is_assumed, "formula",
                          certfile_text(str_get(&text)), "tree", tree);
    if (l->name) json_object_set_new(j, "name", certfile_text(l->name));
    str_free(&text);
    return j;
}

static void write_obligations(const proof *p, json_t *out) {
    const sys_info *s = sys_of(p->m, p->system);
    for (uint32_t i = 0; i < p->nneeded; i++) {
        if (p->lemmas.data[i].is_assumed) continue;
        json_array_append_new(out, json_pack("{s:s, s:i}", "show", "initially", "lemma", i));
        for (uint32_t r = 0; r < s->rules.len; r++)
            json_array_append_new(out, json_pack("{s:s, s:o, s:i}", "show", "preserved", "rule",
                                                 certfile_text(rule_of(p->m, s->rules.data[r])->name), "lemma", i));
    }
    for (uint32_t r = 0; r < s->rules.len; r++)
        for (uint32_t k = 0; k < rule_of(p->m, s->rules.data[r])->nrequires; k++)
            json_array_append_new(out, json_pack("{s:s, s:o}", "show", "allowed", "rule",
                                                 certfile_text(rule_of(p->m, s->rules.data[r])->name)));
}

// The sorts of which there may be any number.
static json_t *sorts_object(const model *m, sys system) {
    json_t *sorts = json_array();
    type_list used = {0};
    instance_sorts(m, system, &used);
    for (uint32_t i = 0; i < used.len; i++) json_array_append_new(sorts, certfile_text(type_of(m, used.data[i])->name));
    vec_free(&used);
    return sorts;
}

// What the specification is said to choose, whether the file says it or it was found: rules by their numbers.
static json_t *witnesses_object(const proof *p) {
    const prop_info *info = prop_of(p->m, p->property);
    const sys_info *system = sys_of(p->m, info->system);
    json_t *list = json_array();
    for (uint32_t i = 0; i < info->nwitnesses; i++) {
        const prop_witness *w = &info->witnesses[i];
        const rule_info *r = rule_of(p->m, w->r);
        json_t *values = json_array();
        for (uint32_t k = 0; k < w->nargs; k++)
            json_array_append_new(values, formula_term(p->m, r->params, r->nparams, expr_inline(p->m, w->args[k])));
        uint32_t number = 0;
        while (system->rules.data[number].id != w->r.id) number++;
        json_array_append_new(list,
                              json_pack("{s:i, s:o, s:o, s:o}", "number", number, "action", certfile_text(r->name),
                                        "answer", certfile_text(rule_of(p->m, w->answer)->name), "values", values));
    }
    return list;
}

// NULL, with a message: a lemma is too large.
static json_t *write_proof(const proof *p) {
    json_t *lemmas = json_array(), *obligations = json_array();
    for (uint32_t i = 0; i < p->nneeded; i++) {
        if (json_array_append_new(lemmas, write_lemma(p, &p->lemmas.data[i])) == 0) continue;
        diag_error(p->m->messages, nowhere, "a lemma for '%s' is too large for a certificate",
                   prop_of(p->m, p->property)->name);
        json_decref(lemmas);
        json_decref(obligations);
        return NULL;
    }
    write_obligations(p, obligations);
    json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:o}", "property", certfile_text(prop_of(p->m, p->property)->name),
                          "system", certfile_text(sys_of(p->m, p->system)->name), "sorts",
                          sorts_object(p->m, p->system), "lemmas", lemmas, "obligations", obligations);
    if (p->through.id) json_object_set_new(j, "follows_from", certfile_text(prop_of(p->m, p->through)->name));
    else if (prop_of(p->m, p->property)->nwitnesses) json_object_set_new(j, "witnesses", witnesses_object(p));
    return j;
}

json_t *proofs_object(const proof *const *proofs, uint32_t n) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) {
        if (proofs[i]->verdict != VERDICT_HOLDS || proofs[i]->is_theorem) continue;
        if (json_array_append_new(list, write_proof(proofs[i])) == 0) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

// ---- reading

static bool proofs_complain(diag *messages, const char *what, const char *name) {
    diag_error(messages, nowhere, "certificate: %s '%s'", what, name ? name : "");
    return false;
}

static bool fits_answer(const rule_info *r, const rule_info *s) {
    return r->is_visible == s->is_visible && (!r->is_visible || str_same(r->name, s->name));
}

// Any choices will do, as long as they are some: a proof with them shows that the specification can follow.
static bool read_witness(const json_t *j, model *m, const prop_info *p, diag *messages, prop_witness *out) {
    const json_t *number = json_object_get(j, "number"), *values = json_object_get(j, "values");
    const char *action = json_string_value(json_object_get(j, "action"));
    json_int_t n = json_is_integer(number) ? json_integer_value(number) : -1;
    const char *answer = json_string_value(json_object_get(j, "answer"));
    rule by = answer ? model_find_rule(m, p->spec, answer) : (rule){0};
    if (n < 0 || n >= sys_of(m, p->system)->rules.len || !by.id)
        return proofs_complain(messages, "no step is answered so:", action);
    *out = (prop_witness){.r = sys_of(m, p->system)->rules.data[n], .answer = by};
    rule_info r = *rule_of(m, out->r), s = *rule_of(m, by);
    uint32_t first = s.is_visible ? rule_nshown(&s) : 0;
    out->nargs = s.nparams - first;
    if (!fits_answer(&r, &s) || json_array_size(values) != out->nargs)
        return proofs_complain(messages, "no step is answered so:", action);
    expr *args = arena_alloc(m->memory, (out->nargs + 1) * sizeof *args);
    out->args = args;
    for (uint32_t i = 0; i < out->nargs; i++) {
        type ty = var_of(m, s.params[first + i])->ty;
        args[i] = formula_read_term(m, r.params, r.nparams, ty, json_array_get(values, i), messages);
        if (!args[i].id || type_is_number(m, ty) || expr_can_fault(m, args[i]))
            return proofs_complain(messages, "no value for a choice of", action);
    }
    return true;
}

static bool read_witnesses(const json_t *list, model *m, prop p, diag *messages) {
    VEC(prop_witness) all = {0};
    prop_info info = *prop_of(m, p);
    bool good = !list || (json_is_array(list) && info.kind == PROP_REFINES);
    for (size_t i = 0; good && i < json_array_size(list); i++) {
        prop_witness w;
        good = read_witness(json_array_get(list, i), m, &info, messages, &w);
        if (good) vec_push(&all, w);
    }
    if (!good && !diag_failed(messages)) proofs_complain(messages, "there is nothing to choose for", info.name);
    prop_info *to = &m->props.data[p.id];
    if (good && list) vec_keep(m->memory, &all, &to->witnesses, &to->nwitnesses);
    else vec_free(&all);
    return good;
}

// What is left to show of a refinement, given that the system refines the specification of another property: that this
// specification refines the one asked for.
static bool read_through(const json_t *entry, model *m, diag *messages, prop *property) {
    const char *name = json_string_value(json_object_get(entry, "follows_from"));
    prop by = name ? model_find_prop(m, name) : (prop){0};
    if (!json_object_get(entry, "follows_from")) return true;
    prop_info p = *prop_of(m, *property);
    if (!by.id || prop_of(m, by)->kind != PROP_REFINES || p.kind != PROP_REFINES || p.nrelation || p.njustice ||
        prop_of(m, by)->system.id != p.system.id || !compose_can_follow(m, prop_of(m, by)->spec, p.spec))
        return proofs_complain(messages, "a refinement does not follow from", name);
    *property = model_add_prop(
        m,
        (prop_info){.kind = PROP_REFINES, .name = p.name, .at = p.at, .system = prop_of(m, by)->spec, .spec = p.spec});
    return true;
}

// The property, and that the proof is about its system and about any number of elements of the sorts it has.
static bool read_subject(const json_t *entry, model *m, diag *messages, prop *property, sys *on) {
    const char *name = json_string_value(json_object_get(entry, "property"));
    const char *system = json_string_value(json_object_get(entry, "system"));
    *property = name ? model_find_prop(m, name) : (prop){0};
    if (!property->id) return proofs_complain(messages, "the model has no property", name);
    if (!read_through(entry, m, messages, property)) return false;
    if (!read_witnesses(json_object_get(entry, "witnesses"), m, *property, messages)) return false;
    *on = compose_for(m, *property);
    if (!on->id) return false;
    if (!system || strcmp(system, sys_of(m, *on)->name) != 0)
        return proofs_complain(messages, "the property is not about the system", system);
    json_t *sorts = sorts_object(m, *on);
    bool is_same = json_equal(sorts, json_object_get(entry, "sorts"));
    json_decref(sorts);
    return is_same || proofs_complain(messages, "the proof is not about the sorts of the system", system);
}

static bool has_its_text(const json_t *j, model *m, sys system, expr e, diag *messages) {
    const char *said = json_string_value(json_object_get(j, "formula"));
    str text = {0};
    print_expr_in(m, system, e, &text);
    bool is_same = said && strcmp(said, str_get(&text)) == 0;
    if (!is_same) {
        proofs_complain(messages, "the text of a lemma is not what its tree says:", said);
        diag_note(messages, nowhere, "the tree says: %s", str_get(&text));
    }
    str_free(&text);
    return is_same;
}

static bool read_lemma(const json_t *j, model *m, sys system, diag *messages, proofs_lemma *out) {
    const char *kind = json_string_value(json_object_get(j, "kind"));
    const json_t *assumed = json_object_get(j, "assumed");
    *out = (proofs_lemma){.name = json_string_value(json_object_get(j, "name")), .is_assumed = json_is_true(assumed)};
    if (!json_is_boolean(assumed))
        return proofs_complain(messages, "it does not say whether it is assumed: lemma", out->name);
    uint32_t k = 0;
    while (kind && k < sizeof kind_names / sizeof *kind_names && strcmp(kind, kind_names[k])) k++;
    if (!kind || k == sizeof kind_names / sizeof *kind_names)
        return proofs_complain(messages, "no kind of lemma is", kind);
    out->kind = (lemma_kind)k;
    out->formula = formula_read(m, json_object_get(j, "tree"), messages);
    return out->formula.id && has_its_text(j, m, system, out->formula, messages);
}

bool proofs_read(const json_t *entry, model *m, diag *messages, prop *property, proofs_lemmas *out) {
    const json_t *list = json_object_get(entry, "lemmas");
    sys system;
    if (!read_subject(entry, m, messages, property, &system)) return false;
    if (!json_is_array(list)) return proofs_complain(messages, "a proof lacks its", "lemmas");
    for (size_t k = 0; k < json_array_size(list); k++) {
        proofs_lemma l;
        if (!read_lemma(json_array_get(list, k), m, system, messages, &l)) return false;
        vec_push(out, l);
    }
    return true;
}

const char *proofs_given(const json_t *entry) { return json_string_value(json_object_get(entry, "follows_from")); }

// Nothing follows from a proof that rests on assumptions.
static bool proofs_assume(const json_t *entry) {
    size_t i;
    const json_t *l;
    json_array_foreach(json_object_get(entry, "lemmas"), i, l) {
        if (json_is_true(json_object_get(l, "assumed"))) return true;
    }
    return false;
}

bool proofs_are_complete(const json_t *list, diag *messages) {
    size_t i, k;
    const json_t *one, *other;
    json_array_foreach(list, i, one) {
        const char *given = proofs_given(one);
        bool found = !given;
        json_array_foreach(list, k, other) {
            const char *name = json_string_value(json_object_get(other, "property"));
            found |= name && given && strcmp(name, given) == 0 && !json_object_get(other, "follows_from") &&
                     !proofs_assume(other);
        }
        if (!found) return proofs_complain(messages, "there is no proof of", given);
    }
    return true;
}
