// SPDX-License-Identifier: Apache-2.0
// Who acts: see actor.h.
#include "model/actor.h"

static bool ends_transaction(const rule_info *r) { return r->role == ROLE_COMMIT || r->role == ROLE_ABORT; }

static bool has_role(const model *m, sys s, rule_role role) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->rules.len; i++)
        if (rule_of(m, info->rules.data[i])->role == role) return true;
    return false;
}

static type actor_param_type(const model *m, const rule_info *r, uint32_t i) { return var_of(m, r->params[i])->ty; }

static bool has_param(const model *m, const rule_info *r, type ty) {
    for (uint32_t i = 0; i < rule_nshown(r); i++)
        if (type_same(actor_param_type(m, r, i), ty)) return true;
    return false;
}

static bool is_said(const rule_info *r) { return r->actor > 0; }

// Can the threads be of this sort, as far as the ends of transactions say?
static bool fits_all(const model *m, sys s, type ty) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->rules.len; i++) {
        const rule_info *r = rule_of(m, info->rules.data[i]);
        if (!ends_transaction(r)) continue;
        if (is_said(r) ? !type_same(actor_param_type(m, r, r->actor - 1), ty) : !has_param(m, r, ty)) return false;
    }
    return true;
}

static type first_fit(const model *m, sys s, const rule_info *r) {
    for (uint32_t i = 0; i < rule_nshown(r); i++) {
        type ty = actor_param_type(m, r, i);
        if (type_of(m, ty)->kind == TYPE_SORT && fits_all(m, s, ty)) return ty;
    }
    return (type){0};
}

type actor_sort(const model *m, sys s) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->rules.len; i++) {
        const rule_info *r = rule_of(m, info->rules.data[i]);
        if (ends_transaction(r)) return first_fit(m, s, r);
    }
    return (type){0};
}

type actor_transactions(const model *m, sys s) {
    return has_role(m, s, ROLE_COMMIT) && has_role(m, s, ROLE_ABORT) ? actor_sort(m, s) : (type){0};
}

uint32_t actor_param(const model *m, rule id, type threads) {
    const rule_info *r = rule_of(m, id);
    if (is_said(r)) {
        uint32_t said = r->actor - 1;
        return !threads.id || type_same(actor_param_type(m, r, said), threads) ? said : ACTOR_NONE;
    }
    for (uint32_t i = 0; threads.id && i < rule_nshown(r); i++)
        if (type_same(actor_param_type(m, r, i), threads)) return i;
    return ACTOR_NONE;
}
