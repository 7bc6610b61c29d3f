// SPDX-License-Identifier: Apache-2.0
// What follows from a stronger specification: see stronger.h.
#include "cli/stronger.h"

#include "certificate/formula.h"
#include "front/pv/pv.h"
#include "model/compose.h"
#include "model/expr.h"

#include <string.h>
#include <unistd.h>

// The file that says what a specification refines; false: there is none.
static bool stronger_path(const model *m, sys spec, str *out) {
    const char *path = diag_file_path(m->messages, sys_of(m, spec)->at.file), *end = path ? strrchr(path, '.') : NULL;
    if (!end || strcmp(end, ".pv") != 0) return false;
    str_printf(out, "%.*s_is_stronger.pv", (int)(end - path), path);
    return access(str_get(out), R_OK) == 0;
}

// A property of the file that states what is wanted by a relation; id 0: none.
static prop stated_in(const model *file, const pv_unit *unit, const char *stronger, const char *weaker) {
    for (uint32_t i = 0; i < unit->nprops; i++) {
        const prop_info *p = prop_of(file, unit->props[i]);
        if (p->kind != PROP_REFINES || !p->nrelation || p->njustice || p->nwitnesses) continue;
        if (str_same(sys_of(file, p->system)->name, stronger) && str_same(sys_of(file, p->spec)->name, weaker))
            return unit->props[i];
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
static prop carry_property(model *from, prop stated, model *to, const prop_info *by, const prop_info *wanted) {
    const prop_info p = *prop_of(from, stated);
    named_expr *relation = arena_alloc(to->memory, p.nrelation * sizeof *relation);
    for (uint32_t i = 0; i < p.nrelation; i++) {
        relation[i] = (named_expr){.name = arena_str(to->memory, p.relation[i].name)};
        relation[i].cond = carry_over(from, to, p.relation[i].cond);
        if (!relation[i].cond.id) return (prop){0};
    }
    prop_info carried = {.kind = PROP_REFINES, .system = by->spec, .spec = wanted->spec, .at = wanted->at};
    carried.name = arena_str(to->memory, p.name);
    carried.relation = relation;
    carried.nrelation = p.nrelation;
    return model_add_prop(to, carried);
}

// Reads the file into a model of its own and carries the relation over; with `is_asked`, says only whether it is there
// (then id 1).
static prop find_relation(session *s, model *m, const char *path, prop by, prop wanted, bool is_asked) {
    const prop_info strong = *prop_of(m, by), weak = *prop_of(m, wanted);
    diag *messages = diag_new();
    model *file = model_new(messages);
    pv_unit unit = {0};
    pv_options how = {.allowed = s->allowed.data, .nallowed = s->allowed.len};
    how.search = (front_search){s->search.data, s->search.len};
    prop found = {0};
    if (pv_read(file, path, &how, &unit))
        found = stated_in(file, &unit, sys_of(m, strong.spec)->name, sys_of(m, weak.spec)->name);
    if (found.id && is_asked) found = (prop){1};
    else if (found.id) found = carry_property(file, found, m, &strong, &weak);
    model_free(file);
    diag_free(messages);
    return found;
}

static bool stronger_fits(const model *m, prop by, prop wanted) {
    const prop_info *a = prop_of(m, by), *b = prop_of(m, wanted);
    if (a->kind != PROP_REFINES || b->kind != PROP_REFINES || a->system.id != b->system.id) return false;
    if (a->spec.id == b->spec.id || b->nrelation || b->njustice || b->nwitnesses) return false;
    return compose_can_follow(m, a->spec, b->spec);
}

bool stronger_is_stated(session *s, model *m, prop by, prop wanted) {
    str path = {0};
    bool found = stronger_fits(m, by, wanted) && stronger_path(m, prop_of(m, by)->spec, &path) &&
                 find_relation(s, m, str_get(&path), by, wanted, true).id;
    str_free(&path);
    return found;
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

proof *stronger_conclude(session *s, model *m, prop by, prop wanted, const infer_options *how) {
    str path = {0};
    prop carried = {0};
    if (stronger_fits(m, by, wanted) && stronger_path(m, prop_of(m, by)->spec, &path))
        carried = find_relation(s, m, str_get(&path), by, wanted, false);
    proof *p = carried.id && compose_has_product(m, carried) ? infer_relation(m, carried, how) : NULL;
    bool holds = p && p->verdict == VERDICT_HOLDS;
    if (holds) {
        p->property = wanted;
        p->through = by;
        note_source(p, str_get(&path));
    } else if (p) proof_free(p);
    str_free(&path);
    return holds ? p : NULL;
}
