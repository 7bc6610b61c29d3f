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
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "property", certfile_text(prop_of(p->m, p->property)->name), "system",
                     certfile_text(sys_of(p->m, p->system)->name), "sorts", sorts_object(p->m, p->system), "lemmas",
                     lemmas, "obligations", obligations);
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

// The property, and that the proof is about its system and about any number of elements of the sorts it has.
static bool read_subject(const json_t *entry, model *m, diag *messages, prop *property, sys *on) {
    const char *name = json_string_value(json_object_get(entry, "property"));
    const char *system = json_string_value(json_object_get(entry, "system"));
    *property = name ? model_find_prop(m, name) : (prop){0};
    if (!property->id) return proofs_complain(messages, "the model has no property", name);
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
