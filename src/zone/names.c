// SPDX-License-Identifier: Apache-2.0
// Names taken apart: see names.h.
#include "zone/names.h"

#include "base/str.h"

#include <string.h>

typedef enum { MEMBER_FUNC, MEMBER_CLOCK, MEMBER_PROCESS } member_kind;

typedef struct {
    uint32_t kind, group, nargs;
    int32_t args[NAMES_MOST_ARGS];
} member_key;

// Reads numbers between two marks, "(1,2)" or "[3]", into p; what is left of the text, or NULL.
static const char *read_numbers(const char *s, char close, name_parts *p) {
    for (s++;; s++) {
        char *end;
        long v = strtol(s, &end, 10);
        if (end == s || p->nargs == NAMES_MOST_ARGS) return NULL;
        p->args[p->nargs++] = (int32_t)v;
        if (*end == close) return end + 1;
        if (*end != ',') return NULL;
        s = end;
    }
}

// The text with its numbers taken out; false: it is not of that form.
static bool take_apart(const char *text, name_parts *p, str *rest) {
    const char *at = text;
    while (*at) {
        if (*at == '(' || *at == '[') {
            char open = *at;
            at = read_numbers(at, open == '(' ? ')' : ']', p);
            if (!at) return false;
            str_printf(rest, "%c%u", open, p->nargs);
            if (open == '(') p->nparams = p->nargs;
        } else {
            str_char(rest, *at++);
        }
    }
    return true;
}

static uint32_t group_of(names *n, const char *text, size_t len) {
    return map_intern(n->groups, text, len, map_count(n->groups));
}

static name_parts parts_of(names *n, const char *text) {
    name_parts p = {.family = UINT32_MAX};
    str rest = {0};
    if (!take_apart(text, &p, &rest)) {
        str_clear(&rest);
        str_add(&rest, text);
        p = (name_parts){.family = UINT32_MAX};
    }
    p.group = group_of(n, str_get(&rest), rest.len);
    const char *dot = strchr(str_get(&rest), '.');
    if (p.nparams) p.family = group_of(n, str_get(&rest), dot ? (size_t)(dot - str_get(&rest)) : rest.len);
    str_free(&rest);
    return p;
}

static member_key key_of(member_kind kind, const name_parts *p) {
    member_key k = {kind, p->group, p->nargs, {0}};
    memcpy(k.args, p->args, p->nargs * sizeof *p->args);
    return k;
}

static void add_member(names *n, member_kind kind, const name_parts *p, uint32_t number) {
    member_key k = key_of(kind, p);
    n->is_clear &= map_put(n->members, &k, sizeof k, number);
}

static uint32_t find_member(const names *n, member_kind kind, const name_parts *p) {
    member_key k = key_of(kind, p);
    return map_get(n->members, &k, sizeof k, UINT32_MAX);
}

static void add_funcs(names *n) {
    for (uint32_t i = 1; i < n->m->funcs.len; i++) {
        n->funcs[i] = parts_of(n, n->m->funcs.data[i].name);
        add_member(n, MEMBER_FUNC, &n->funcs[i], i);
        n->is_clear &= n->m->funcs.data[i].nargs <= NAMES_MOST_ARGS;
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
    add_funcs(n);
    for (uint32_t i = 1; i < t->clocks.len; i++) {
        n->clocks[i] = parts_of(n, t->clocks.data[i]);
        add_member(n, MEMBER_CLOCK, &n->clocks[i], i);
    }
    for (uint32_t i = 0; i < t->processes.len; i++) {
        n->processes[i] = parts_of(n, t->processes.data[i]);
        add_member(n, MEMBER_PROCESS, &n->processes[i], i);
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
