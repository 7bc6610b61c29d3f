// SPDX-License-Identifier: Apache-2.0
// What belongs together: see names.h.
#include "zone/names.h"

#include "base/str.h"

#include <string.h>

typedef enum { MEMBER_FUNC, MEMBER_CLOCK, MEMBER_PROCESS } member_kind;

typedef struct {
    uint32_t kind, group, nargs;
    int32_t args[NAMES_MOST_ARGS];
} member_key;

static uint32_t names_group_of(names *n, const char *family, const char *member, uint32_t nnumbers) {
    str key = {0};
    str_printf(&key, "%s%c%s%c%u", family, '\0', member, '\0', nnumbers);
    uint32_t group = map_intern(n->groups, str_get(&key), key.len, map_count(n->groups));
    str_free(&key);
    return group;
}

// What belongs to a process (1 + its number; 0: to none), by the name it has there and its place in an array.
static name_parts parts_of(names *n, uint32_t process, const char *member, const value *index, uint32_t nindices) {
    static const timed_process none = {.family = ""};
    const timed_process *of = process ? &n->t->processes.data[process - 1] : &none;
    name_parts p = {.family = UINT32_MAX, .nparams = of->nvalues, .nargs = of->nvalues + nindices};
    n->is_clear &= p.nargs <= NAMES_MOST_ARGS;
    if (p.nargs > NAMES_MOST_ARGS) p.nargs = p.nparams = 0;
    for (uint32_t i = 0; i < p.nargs; i++) p.args[i] = i < p.nparams ? of->values[i] : index[i - p.nparams];
    p.group = names_group_of(n, of->family, member, p.nargs);
    if (p.nparams) p.family = names_group_of(n, of->family, "", p.nparams);
    return p;
}

static member_key names_key_of(member_kind kind, const name_parts *p) {
    member_key k = {kind, p->group, p->nargs, {0}};
    memcpy(k.args, p->args, p->nargs * sizeof *p->args);
    return k;
}

static void names_add_member(names *n, member_kind kind, const name_parts *p, uint32_t number) {
    member_key k = names_key_of(kind, p);
    n->is_clear &= map_put(n->members, &k, sizeof k, number);
}

static uint32_t find_member(const names *n, member_kind kind, const name_parts *p) {
    member_key k = names_key_of(kind, p);
    return map_get(n->members, &k, sizeof k, UINT32_MAX);
}

static void names_add_funcs(names *n) {
    for (uint32_t i = 1; i < n->m->funcs.len; i++) {
        const func_info *f = &n->m->funcs.data[i];
        n->funcs[i] = parts_of(n, f->process, f->process ? f->member : f->name, NULL, 0);
        names_add_member(n, MEMBER_FUNC, &n->funcs[i], i);
        n->is_clear &= f->nargs <= NAMES_MOST_ARGS;
    }
}

names *names_new(const model *m, const timed_info *t) {
    names *n = mem_zero(1, sizeof *n);
    n->m = m;
    n->t = t;
    n->is_clear = true;
    n->groups = map_new();
    n->members = map_new();
    n->funcs = mem_zero(m->funcs.len + 1, sizeof *n->funcs);
    n->clocks = mem_zero(t->clocks.len + 1, sizeof *n->clocks);
    n->processes = mem_zero(t->processes.len + 1, sizeof *n->processes);
    names_add_funcs(n);
    for (uint32_t i = 1; i < t->clocks.len; i++) {
        const timed_clock *c = &t->clocks.data[i];
        n->clocks[i] = parts_of(n, c->process, c->member, c->index, c->nindices);
        names_add_member(n, MEMBER_CLOCK, &n->clocks[i], i);
    }
    for (uint32_t i = 0; i < t->processes.len; i++) {
        n->processes[i] = parts_of(n, i + 1, "", NULL, 0);
        names_add_member(n, MEMBER_PROCESS, &n->processes[i], i);
    }
    return n;
}

void names_free(names *n) {
    if (!n) return;
    map_free(n->groups);
    map_free(n->members);
    free(n->funcs);
    free(n->clocks);
    free(n->processes);
    free(n);
}

uint32_t names_func(const names *n, const name_parts *p) { return find_member(n, MEMBER_FUNC, p); }
uint32_t names_clock(const names *n, const name_parts *p) { return find_member(n, MEMBER_CLOCK, p); }
uint32_t names_process(const names *n, const name_parts *p) { return find_member(n, MEMBER_PROCESS, p); }
uint32_t names_groups(const names *n) { return map_count(n->groups); }
