// SPDX-License-Identifier: Apache-2.0
// What belongs together: see member.h.
#include "zone/member.h"

#include "base/str.h"

#include <string.h>

typedef struct {
    uint32_t kind, group, nargs;
    int32_t args[MEMBER_MOST_ARGS];
} member_key;

static uint32_t member_group(members *a, const char *family, const char *name, uint32_t nnumbers) {
    str key = {0};
    str_printf(&key, "%s%c%s%c%u", family, '\0', name, '\0', nnumbers);
    uint32_t group = map_intern(a->groups, str_get(&key), key.len, map_count(a->groups));
    str_free(&key);
    return group;
}

// What belongs to a process (1 + its number; 0: to none), by the name it has there and its place in an array.
static member member_at(members *a, uint32_t process, const char *name, const value *index, uint32_t nindices) {
    static const timed_process none = {.family = ""};
    const timed_process *of = process ? &a->t->processes.data[process - 1] : &none;
    member p = {.family = UINT32_MAX, .nparams = of->nvalues, .nargs = of->nvalues + nindices};
    a->is_clear &= p.nargs <= MEMBER_MOST_ARGS;
    if (p.nargs > MEMBER_MOST_ARGS) p.nargs = p.nparams = 0;
    for (uint32_t i = 0; i < p.nargs; i++) p.args[i] = i < p.nparams ? of->values[i] : index[i - p.nparams];
    p.group = member_group(a, of->family, name, p.nargs);
    if (p.nparams) p.family = member_group(a, of->family, "", p.nparams);
    return p;
}

static member member_described(members *a, member_kind kind, uint32_t number) {
    if (kind == MEMBER_PROCESS) return member_at(a, number + 1, "", NULL, 0);
    if (kind == MEMBER_CLOCK) {
        const timed_clock *c = &a->t->clocks.data[number];
        return member_at(a, c->process, c->member, c->index, c->nindices);
    }
    const func_info *f = &a->m->funcs.data[number];
    a->is_clear &= f->nargs <= MEMBER_MOST_ARGS;
    return member_at(a, f->process, f->process ? f->member : f->name, NULL, 0);
}

static member_key key_of(member_kind kind, const member *p) {
    member_key k = {kind, p->group, p->nargs, {0}};
    memcpy(k.args, p->args, p->nargs * sizeof *p->args);
    return k;
}

uint32_t members_find(const members *a, member_kind kind, const member *p) {
    member_key k = key_of(kind, p);
    return map_get(a->numbers, &k, sizeof k, UINT32_MAX);
}

members *members_new(const model *m, const timed_info *t) {
    members *a = mem_zero(1, sizeof *a);
    *a = (members){m, t, {0}, {m->funcs.len, t->clocks.len, t->processes.len}, map_new(), map_new(), true};
    for (member_kind k = 0; k < MEMBER_KINDS; k++) {
        a->of[k] = mem_zero(a->n[k] + 1, sizeof **a->of);
        for (uint32_t i = members_from(k); i < a->n[k]; i++) {
            member p = a->of[k][i] = member_described(a, k, i);
            member_key key = key_of(k, &p);
            a->is_clear &= map_put(a->numbers, &key, sizeof key, i);
        }
    }
    return a;
}

void members_free(members *a) {
    for (member_kind k = 0; a && k < MEMBER_KINDS; k++) free(a->of[k]);
    if (a) map_free(a->groups);
    if (a) map_free(a->numbers);
    free(a);
}

uint32_t members_groups(const members *a) { return map_count(a->groups); }
