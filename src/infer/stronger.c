// SPDX-License-Identifier: Apache-2.0
// What follows from a stronger specification: see stronger.h.
#include "infer/stronger.h"

#include "certificate/formula.h"
#include "model/compose.h"
#include "model/expr.h"

bool stronger_fits(const model *m, prop by, prop wanted) {
    const prop_info *a = prop_of(m, by), *b = prop_of(m, wanted);
    if (a->kind != PROP_REFINES || b->kind != PROP_REFINES || a->system.id != b->system.id) return false;
    if (a->spec.id == b->spec.id || b->nrelation || b->njustice || b->nwitnesses) return false;
    return compose_can_follow(m, a->spec, b->spec);
}

prop stronger_stated(const model *file, const prop *props, uint32_t nprops, const model *m, prop by, prop wanted) {
    const char *strong = sys_of(m, prop_of(m, by)->spec)->name, *weak = sys_of(m, prop_of(m, wanted)->spec)->name;
    for (uint32_t i = 0; i < nprops; i++) {
        const prop_info *p = prop_of(file, props[i]);
        if (p->kind != PROP_REFINES || !p->nrelation || p->njustice || p->nwitnesses) continue;
        if (str_same(sys_of(file, p->system)->name, strong) && str_same(sys_of(file, p->spec)->name, weak))
            return props[i];
    }
    return (prop){0};
}

// A formula of another model, by its names; id 0: they mean nothing here.
static expr carry_over(model *from, model *to, expr e) {
    json_t *tree = formula_object(from, expr_inline(from, e));
    expr here = tree ? formula_read(to, tree, NULL) : (expr){0};
    json_decref(tree);
    return here;
}

// The relation as a property of the model at hand; id 0: it does not fit.
static prop carry_property(model *from, prop stated, model *to, prop by, prop wanted) {
    const prop_info p = *prop_of(from, stated), strong = *prop_of(to, by), weak = *prop_of(to, wanted);
    named_expr *relation = arena_alloc(to->memory, p.nrelation * sizeof *relation);
    for (uint32_t i = 0; i < p.nrelation; i++) {
        relation[i] = (named_expr){.name = arena_str(to->memory, p.relation[i].name)};
        relation[i].cond = carry_over(from, to, p.relation[i].cond);
        if (!relation[i].cond.id) return (prop){0};
    }
    prop_info carried = {.kind = PROP_REFINES, .system = strong.spec, .spec = weak.spec, .at = weak.at};
    carried.name = arena_str(to->memory, p.name);
    carried.relation = relation;
    carried.nrelation = p.nrelation;
    return model_add_prop(to, carried);
}

static void note_source(proof *p, const char *path) {
    const model *m = p->m;
    const prop_info *by = prop_of(m, p->through);
    str note = {0};
    str_printf(&note, "follows from %s: %s refines %s, by the relation of %s, which is checked here", by->name,
               sys_of(m, by->spec)->name, sys_of(m, prop_of(m, p->property)->spec)->name, path);
    p->note = arena_str(p->memory, str_get(&note));
    str_free(&note);
}

proof *stronger_conclude(model *file, prop stated, const char *path, model *m, prop by, prop wanted,
                         const infer_options *how) {
    prop carried = carry_property(file, stated, m, by, wanted);
    proof *p = carried.id && compose_has_product(m, carried) ? infer_relation(m, carried, how) : NULL;
    if (p && p->verdict == VERDICT_HOLDS) {
        p->property = wanted;
        p->through = by;
        note_source(p, path);
        return p;
    }
    if (p) proof_free(p);
    return NULL;
}
