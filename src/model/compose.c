// SPDX-License-Identifier: Apache-2.0
// Composition of systems: see compose.h. Parts have different state functions, so their bodies never meet in a cell
// and the composition of two bodies is both of them.
#include "model/compose.h"

#include "base/str.h"
#include "model/expr.h"
#include "model/stmt.h"

#include <string.h>

// Pushing may move `from` (it is in the same table as `to`), so lists are read through the model each time.
#define ADD_ALL(m, to, from, list)                           \
    for (uint32_t k = 0; k < sys_of(m, from)->list.len; k++) \
    vec_push(&sys_of(m, to)->list, sys_of(m, from)->list.data[k])

static void compose_add_state(model *m, sys to, sys from) {
    ADD_ALL(m, to, from, funcs);
    ADD_ALL(m, to, from, defs);
    ADD_ALL(m, to, from, assumes);
    ADD_ALL(m, to, from, axioms);
    ADD_ALL(m, to, from, schemas);
    ADD_ALL(m, to, from, hints);
    vec_push(&sys_of(m, to)->parts, from);
}

// The first list with the second behind it.
static const void *join_lists(model *m, const void *a, uint32_t na, const void *b, uint32_t nb, size_t size) {
    char *all = arena_alloc(m->memory, (na + nb + 1) * size);
    if (na) memcpy(all, a, na * size);
    if (nb) memcpy(all + na * size, b, nb * size);
    return all;
}

static expr join_conds(model *m, expr a, expr b) { return a.id && b.id ? expr_and(m, a, b) : a.id ? a : b; }

// What both rules do, as one with the parameters of the first.
static rule_info join_effects(model *m, rule_info a, const rule_info *b) {
    a.guard = join_conds(m, a.guard, b->guard);
    a.relation = join_conds(m, a.relation, b->relation);
    a.body = stmt_both(m, a.body, b->body);
    a.chosen = join_lists(m, a.chosen, a.nchosen, b->chosen, b->nchosen, sizeof *a.chosen);
    a.nchosen += b->nchosen;
    a.is_visible |= b->is_visible;
    return a;
}

// The rule's guard, relation and body with values for its parameters.
static rule_info with_values(model *m, rule_info r, const expr *with) {
    if (r.guard.id) r.guard = expr_subst(m, r.guard, r.params, with, r.nparams);
    if (r.relation.id) r.relation = expr_subst(m, r.relation, r.params, with, r.nparams);
    r.body = stmt_subst(m, r.body, r.params, with, r.nparams);
    return r;
}

// Its parameters that are seen are those of another rule, the others are its own.
static rule_info over_params(model *m, rule_info r, const rule_info *of) {
    expr *with = arena_alloc(m->memory, (r.nparams + 1) * sizeof *with);
    for (uint32_t i = 0; i < r.nparams; i++) with[i] = expr_var(m, i < rule_nshown(&r) ? of->params[i] : r.params[i]);
    return with_values(m, r, with);
}

bool compose_same_params(const model *m, const rule_info *a, const rule_info *b) {
    if (rule_nshown(a) != rule_nshown(b)) return false;
    for (uint32_t i = 0; i < rule_nshown(a); i++)
        if (!type_same(var_of(m, a->params[i])->ty, var_of(m, b->params[i])->ty)) return false;
    return true;
}

static bool check_params(model *m, const rule_info *a, const rule_info *b) {
    if (compose_same_params(m, a, b)) return true;
    diag_error(m->messages, a->at, "actions '%s' move together but have different parameters", a->name);
    diag_note(m->messages, b->at, "the other '%s' is here", b->name);
    return false;
}

// ---- initial choices

static rule_info join_inits(model *m, rule_info a, rule_info b) {
    a.params = join_lists(m, a.params, a.nparams, b.params, b.nparams, sizeof *a.params);
    a.nparams += b.nparams;
    return join_effects(m, a, &b);
}

static void compose_add_inits(model *m, sys to, sys from) {
    rule_list old = {0}, added = {0}, joined = {0};
    for (uint32_t i = 0; i < sys_of(m, to)->inits.len; i++) vec_push(&old, sys_of(m, to)->inits.data[i]);
    for (uint32_t i = 0; i < sys_of(m, from)->inits.len; i++) vec_push(&added, sys_of(m, from)->inits.data[i]);
    for (uint32_t i = 0; i < old.len; i++)
        for (uint32_t k = 0; k < added.len; k++)
            vec_push(&joined, model_add_rule(m, join_inits(m, *rule_of(m, old.data[i]), *rule_of(m, added.data[k]))));
    const rule_list *all = !old.len ? &added : !added.len ? &old : &joined;
    vec_clear(&sys_of(m, to)->inits);
    for (uint32_t i = 0; i < all->len; i++) vec_push(&sys_of(m, to)->inits, all->data[i]);
    vec_free(&old);
    vec_free(&added);
    vec_free(&joined);
}

// ---- A || B

static void rules_named(const model *m, sys s, const char *name, rule_list *out) {
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        rule r = sys_of(m, s)->rules.data[i];
        if (strcmp(rule_of(m, r)->name, name) == 0) vec_push(out, r);
    }
}

// The step of both: hidden choices of both are its own.
static rule_info join_steps(model *m, rule_info a, const rule_info *b) {
    a.params = join_lists(m, a.params, a.nparams, b->params + rule_nshown(b), b->nhidden, sizeof *a.params);
    a.nparams += b->nhidden;
    a.nhidden += b->nhidden;
    return join_effects(m, a, b);
}

// Every rule of `a` of this name with every one of `b`.
static bool join_named(model *m, sys to, const char *name, sys a, sys b) {
    rule_list left = {0}, right = {0};
    rules_named(m, a, name, &left);
    rules_named(m, b, name, &right);
    bool ok = true;
    for (uint32_t i = 0; i < left.len; i++)
        for (uint32_t k = 0; k < right.len; k++) {
            rule_info x = *rule_of(m, left.data[i]), y = *rule_of(m, right.data[k]);
            if (!check_params(m, &x, &y)) ok = false;
            else {
                y = over_params(m, y, &x);
                vec_push(&sys_of(m, to)->rules, model_add_rule(m, join_steps(m, x, &y)));
            }
        }
    vec_free(&left);
    vec_free(&right);
    return ok;
}

static bool join_rules(model *m, sys to, sys a, sys b) {
    bool ok = true;
    map *done = map_new();
    for (uint32_t i = 0; i < sys_of(m, a)->rules.len; i++) {
        rule r = sys_of(m, a)->rules.data[i];
        const char *name = rule_of(m, r)->name;
        if (!model_find_rule(m, b, name).id) vec_push(&sys_of(m, to)->rules, r);
        else if (map_put_str(done, name, 1)) ok &= join_named(m, to, name, a, b);
    }
    for (uint32_t i = 0; i < sys_of(m, b)->rules.len; i++) {
        rule r = sys_of(m, b)->rules.data[i];
        if (!model_find_rule(m, a, rule_of(m, r)->name).id) vec_push(&sys_of(m, to)->rules, r);
    }
    map_free(done);
    return ok;
}

static sys join_two(model *m, const char *name, sys a, sys b, span at) {
    sys s = model_add_system(m, name, at);
    compose_add_state(m, s, a);
    compose_add_state(m, s, b);
    compose_add_inits(m, s, a);
    compose_add_inits(m, s, b);
    return join_rules(m, s, a, b) ? s : (sys){0};
}

sys compose_parallel(model *m, const char *name, const sys *parts, uint32_t nparts, span at) {
    sys s = parts[0];
    for (uint32_t i = 1; i < nparts && s.id; i++) {
        const char *partial = i + 1 == nparts ? name : "";
        s = join_two(m, partial, s, parts[i], at);
    }
    return s;
}

// ---- system × specification

// Does it take steps, or make choices, that are not seen?
static bool chooses_steps(const model *m, sys spec) {
    const sys_info *s = sys_of(m, spec);
    for (uint32_t i = 0; i < s->rules.len; i++)
        if (!rule_of(m, s->rules.data[i])->is_visible || rule_of(m, s->rules.data[i])->nhidden) return true;
    return false;
}

static bool chooses_start(const model *m, sys spec) {
    const sys_info *s = sys_of(m, spec);
    bool chooses = s->inits.len > 1 || (s->inits.len == 1 && rule_of(m, s->inits.data[0])->nparams);
    for (uint32_t i = 0; i < s->funcs.len; i++) chooses |= func_of(m, s->funcs.data[i])->starts_any;
    return chooses;
}

// One start, and one action per name.
static bool is_one_way(const model *m, sys spec) {
    map *names = map_new();
    bool ok = !chooses_start(m, spec);
    for (uint32_t i = 0; i < sys_of(m, spec)->rules.len; i++)
        ok &= map_put_str(names, rule_of(m, sys_of(m, spec)->rules.data[i])->name, 1);
    map_free(names);
    return ok;
}

bool compose_has_choice(const model *m, prop p) {
    const prop_info *info = prop_of(m, p);
    return info->kind == PROP_REFINES && (!is_one_way(m, info->spec) || chooses_steps(m, info->spec));
}

// ---- systems and specifications that fit

static bool are_apart(const model *m, sys a, sys b) {
    for (uint32_t i = 0; i < sys_of(m, a)->funcs.len; i++)
        for (uint32_t k = 0; k < sys_of(m, b)->funcs.len; k++)
            if (sys_of(m, a)->funcs.data[i].id == sys_of(m, b)->funcs.data[k].id) return false;
    return true;
}

bool compose_can_follow(const model *m, sys system, sys spec) {
    for (uint32_t i = 0; i < sys_of(m, system)->rules.len; i++) {
        const rule_info *r = rule_of(m, sys_of(m, system)->rules.data[i]);
        rule answer = r->is_visible ? model_find_rule(m, spec, r->name) : (rule){0};
        if (r->is_visible && (!answer.id || !compose_same_params(m, r, rule_of(m, answer)))) return false;
    }
    return are_apart(m, system, spec);
}

bool compose_has_start(const model *m, prop p) {
    const prop_info *info = prop_of(m, p);
    if (info->kind != PROP_REFINES) return true;
    const sys_info *spec = sys_of(m, info->spec);
    bool is_free = !spec->inits.len;
    for (uint32_t i = 0; i < spec->inits.len; i++) {
        expr guard = rule_of(m, spec->inits.data[i])->guard;
        is_free |= !guard.id || expr_same(guard, m->true_expr);
    }
    return is_free && !spec->axioms.len;
}

// ---- what the specification chooses

const prop_witness *compose_witness(const model *m, prop p, rule r) {
    const prop_info *info = prop_of(m, p);
    for (uint32_t i = 0; i < info->nwitnesses; i++)
        if (info->witnesses[i].r.id == r.id) return &info->witnesses[i];
    return NULL;
}

// A hidden parameter of the rule with the name and type of another; UINT32_MAX: there is none.
static uint32_t find_hidden(const model *m, const rule_info *r, var like) {
    for (uint32_t i = rule_nshown(r); i < r->nparams; i++)
        if (str_same(var_of(m, r->params[i])->name, var_of(m, like)->name) &&
            type_same(var_of(m, r->params[i])->ty, var_of(m, like)->ty))
            return i;
    return UINT32_MAX;
}

// Does the property, or a hidden choice of the same name in the system, say what the specification's action chooses?
static bool is_answered(const model *m, prop p, rule r, const rule_info *s) {
    if (compose_witness(m, p, r)) return true;
    bool all = true;
    for (uint32_t i = rule_nshown(s); i < s->nparams; i++)
        all &= find_hidden(m, rule_of(m, r), s->params[i]) != UINT32_MAX;
    return all;
}

// The specification's action as an answer to the rule, over the rule's parameters.
static rule_info answer_to(model *m, prop p, rule r, rule_info s) {
    const prop_witness *w = compose_witness(m, p, r);
    const rule_info *of = rule_of(m, r);
    expr *with = arena_alloc(m->memory, (s.nparams + 1) * sizeof *with);
    uint32_t nshown = s.is_visible ? rule_nshown(&s) : 0;
    for (uint32_t i = 0; i < s.nparams; i++)
        with[i] = i < nshown ? expr_var(m, of->params[i])
                  : w        ? w->args[i - nshown]
                             : expr_var(m, of->params[find_hidden(m, of, s.params[i])]);
    return with_values(m, s, with);
}

bool compose_has_product(const model *m, prop p) {
    const prop_info *info = prop_of(m, p);
    if (!is_one_way(m, info->spec)) return false;
    for (uint32_t i = 0; i < sys_of(m, info->system)->rules.len; i++) {
        rule r = sys_of(m, info->system)->rules.data[i];
        rule_list found = {0};
        if (rule_of(m, r)->is_visible) rules_named(m, info->spec, rule_of(m, r)->name, &found);
        bool ok = !found.len || is_answered(m, p, r, rule_of(m, found.data[0]));
        vec_free(&found);
        if (!ok) return false;
    }
    return true;
}

static bool has_one_start(model *m, prop p) {
    sys spec = prop_of(m, p)->spec;
    return !chooses_start(m, spec) ||
           diag_error(m->messages, prop_of(m, p)->at, "specification '%s' has several initial states",
                      sys_of(m, spec)->name);
}

// The one action of the specification with this name; id 0 after an error.
static rule spec_action(model *m, prop p, const rule_info *r) {
    rule_list found = {0};
    sys spec = prop_of(m, p)->spec;
    rules_named(m, spec, r->name, &found);
    rule one = found.len == 1 ? found.data[0] : (rule){0};
    if (found.len == 0) {
        diag_error(m->messages, r->at, "specification '%s' has no action '%s'", sys_of(m, spec)->name, r->name);
        diag_note(m->messages, prop_of(m, p)->at, "an `internal action` is not seen by the specification");
    } else if (found.len > 1) {
        diag_error(m->messages, rule_of(m, found.data[1])->at,
                   "specification '%s' has a second action '%s': a deterministic one has cases inside one action",
                   sys_of(m, spec)->name, r->name);
    }
    vec_free(&found);
    return one;
}

// How the specification must choose is not said.
static bool report_choice(model *m, prop p, const rule_info *x, const rule_info *y) {
    const char *choice = var_of(m, y->params[rule_nshown(y)])->name;
    diag_error(m->messages, prop_of(m, p)->at, "'%s' of '%s' is hidden in '%s': a proof needs a value for it", choice,
               y->name, sys_of(m, prop_of(m, p)->spec)->name);
    diag_note(m->messages, x->at, "say which, as in 'with %s(...): %s = ...' in the property", x->name, choice);
    return false;
}

static bool compose_add_step(model *m, sys product, prop p, rule r) {
    rule_info x = *rule_of(m, r);
    const prop_witness *w = compose_witness(m, p, r);
    if (!x.is_visible && !w) {
        vec_push(&sys_of(m, product)->rules, r);
        return true;
    }
    rule s = x.is_visible ? spec_action(m, p, &x) : w->answer;
    if (!s.id) return false;
    rule_info y = *rule_of(m, s);
    if (x.is_visible && !check_params(m, &x, &y)) return false;
    if (!is_answered(m, p, r, &y)) return report_choice(m, p, &x, &y);
    y = answer_to(m, p, r, y);
    rule_info both = join_effects(m, x, &y);
    requirement allowed = {p, y.guard.id ? y.guard : m->true_expr, compose_has_choice(m, p)};
    both.guard = x.guard;  // the specification's guard is required, not waited for
    both.requires = &allowed;
    both.nrequires = 1;
    vec_push(&sys_of(m, product)->rules, model_add_rule(m, both));
    return true;
}

static sys build_product(model *m, prop p) {
    prop_info info = *prop_of(m, p);
    if (!has_one_start(m, p)) return (sys){0};
    if (!are_apart(m, info.system, info.spec)) {
        diag_error(m->messages, info.at, "'%s' and '%s' have state in common", sys_of(m, info.system)->name,
                   sys_of(m, info.spec)->name);
        return (sys){0};
    }
    char *name = arena_printf(m->memory, "%s × %s", sys_of(m, info.system)->name, sys_of(m, info.spec)->name);
    sys s = model_add_system(m, name, info.at);
    sys_of(m, s)->refinement = p;
    sys_of(m, s)->choices = info.witnesses;
    compose_add_state(m, s, info.system);
    compose_add_state(m, s, info.spec);
    compose_add_inits(m, s, info.system);
    compose_add_inits(m, s, info.spec);
    bool ok = true;
    for (uint32_t i = 0; i < info.nrelation; i++) vec_push(&sys_of(m, s)->lemmas, info.relation[i]);
    for (uint32_t i = 0; i < sys_of(m, info.system)->rules.len; i++)
        ok &= compose_add_step(m, s, p, sys_of(m, info.system)->rules.data[i]);
    return ok ? s : (sys){0};
}

static sys compose_refinement(model *m, prop p) {
    for (uint32_t i = 1; i < m->systems.len; i++)
        if (p.id && m->systems.data[i].refinement.id == p.id && m->systems.data[i].choices == prop_of(m, p)->witnesses)
            return (sys){i};
    return build_product(m, p);
}

sys compose_for(model *m, prop p) {
    return prop_of(m, p)->kind == PROP_REFINES ? compose_refinement(m, p) : prop_of(m, p)->system;
}
