// SPDX-License-Identifier: Apache-2.0
// What to explore: see plan.h.
#include "cli/plan.h"

#include "model/compose.h"

static group *plan_group_of(plan *p, sys system) {
    for (uint32_t i = 0; i < p->groups.len; i++)
        if (p->groups.data[i].system.id == system.id && !p->groups.data[i].spec.id) return &p->groups.data[i];
    vec_push(&p->groups, (group){.system = system});
    return &vec_last(&p->groups);
}

static void add_inclusion(plan *p, const loaded *l, prop property) {
    sys trial = compose_has_product(l->m, property) ? compose_for(l->m, property) : (sys){0};
    const prop_info *info = prop_of(l->m, property);
    group g = {.system = info->system, .spec = info->spec, .trial = trial};
    vec_push(&g.props, property);
    vec_push(&p->groups, g);
}

// A property that is named twice is decided once.
static bool plan_add_property(plan *p, const loaded *l, prop property) {
    if (!map_put(p->taken, &property.id, sizeof property.id, 1)) return true;
    if (compose_has_choice(l->m, property)) {
        add_inclusion(p, l, property);
        return true;
    }
    sys system = compose_for(l->m, property);
    if (!system.id) return false;  // compose_for() said why
    vec_push(&plan_group_of(p, system)->props, property);
    return true;
}

static bool add_named(session *s, const loaded *l, plan *p) {
    bool ok = true;
    for (uint32_t i = 0; i < s->opt.properties.len; i++) {
        prop found;
        bool known = load_find_property(s, l, s->opt.properties.data[i], &found);
        ok &= known && plan_add_property(p, l, found);
    }
    return ok;
}

// All properties of the file, or with a system's name only that system's.
static bool add_declared(const loaded *l, sys only, plan *p) {
    bool ok = true;
    for (uint32_t i = 0; i < l->nprops; i++)
        if (!only.id || prop_of(l->m, l->props[i])->system.id == only.id) ok &= plan_add_property(p, l, l->props[i]);
    return ok;
}

// A group of its own for the system itself, since a product could be stuck for a reason that is not the
// system's.
static void add_deadlock(const loaded *l, deadlock_choice kind, plan *p) {
    uint32_t n = p->groups.len;
    for (uint32_t i = 0; i < n; i++) {
        const group *g = &p->groups.data[i];
        sys system = g->props.len ? prop_of(l->m, g->props.data[0])->system : g->system;
        plan_group_of(p, system)->deadlock = kind;
    }
}

bool plan_make(session *s, const loaded *l, plan *p) {
    *p = (plan){.taken = map_new()};
    sys only = {0};
    if (s->opt.system && !load_find_system(s, l, s->opt.system, &only)) return false;
    bool ok = s->opt.properties.len ? add_named(s, l, p) : add_declared(l, only, p);
    if (!ok) return false;
    if (!p->groups.len && only.id) plan_group_of(p, only);
    bool is_empty = !p->groups.len;
    for (uint32_t i = 0; is_empty && i < l->nsystems; i++) plan_group_of(p, l->systems[i]);
    if (!p->groups.len) session_error(s, "'%s' declares no system and no property", s->file);
    deadlock_choice kind = options_has(&s->opt, OPT_DEADLOCK) ? s->opt.deadlock : l->deadlock;
    if (kind != DEADLOCK_NONE) add_deadlock(l, kind, p);
    return !diag_failed(s->messages);
}

void plan_free(plan *p) {
    for (uint32_t i = 0; i < p->groups.len; i++) vec_free(&p->groups.data[i].props);
    vec_free(&p->groups);
    map_free(p->taken);
}
